# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module connector: create, reconfigure, delete; dry and real; first and second time; secrets; refused input."""

from __future__ import annotations

import json

import pytest

from tests.integration.support.configs import at, shaped
from tests.integration.support.proxy import Answer
from tests.integration.support.worker import wait_until
from tests.integration.test_source_cases import BROKEN

PREDICTED = ("changed", "created", "diff")


def steps(run, recorder, arguments: dict, writes: list[str]) -> dict:
    """Dry, real, dry again, real again. Gives the real result, when dry has told the same and sent nothing but GETs."""
    arguments = {**arguments, "connect_url": [recorder.url]}
    recorder.requests.clear()
    dry = run("connector", check=True, **arguments)
    assert recorder.verbs == {"GET"}
    real = run("connector", **arguments)
    assert [verb for verb, _path in recorder.writes()] == writes
    assert not dry["failed"] and not real["failed"]
    assert {key: dry[key] for key in PREDICTED} == {key: real[key] for key in PREDICTED}
    assert real["changed"] is True
    recorder.requests.clear()
    for check in (True, False):
        again = run("connector", check=check, **arguments)
        assert again["changed"] is False and again["created"] is False and not again["failed"]
        assert again["diff"][0]["before"] == again["diff"][0]["after"]
    assert recorder.verbs == {"GET"}
    return real


def test_create_change_delete(name, run, worker, recorder):
    config = shaped(topic=name, records_per_partition=3)
    text = {**config, "name": name}
    created = steps(run, recorder, {"name": name, "config": {**config, "tasks.max": 1}}, ["POST"])
    assert created["created"] is True
    assert created["diff"][0]["before"] == {} and created["diff"][0]["after"] == text
    assert created["connector"]["name"] == name
    assert worker.config(name) == text
    worker.await_state(name, "RUNNING", ["RUNNING"])
    wait_until(lambda: worker.offsets(name) == [at(2)])

    # Exactly what is declared: one option goes, one comes, true and 7 are texts for Connect, null is not there.
    desired = {**config, "records.per.partition": None, "interval.ms": 7, "no.tasks": False}
    after = {**{key: value for key, value in text.items() if key != "records.per.partition"}, "interval.ms": "7", "no.tasks": "false"}
    changed = steps(run, recorder, {"name": name, "config": desired}, ["PUT"])
    assert changed["created"] is False
    assert changed["diff"][0]["before"] == text and changed["diff"][0]["after"] == after
    assert worker.config(name) == after

    gone = steps(run, recorder, {"name": name, "state": "absent"}, ["DELETE"])
    assert gone["connector"] is None
    assert gone["diff"][0]["before"] == after and gone["diff"][0]["after"] == {}
    assert not worker.exists(name)


@pytest.mark.parametrize(
    ("initial_state", "state", "tasks"),
    [("stopped", "STOPPED", []), ("paused", "PAUSED", []), ("started", "RUNNING", ["RUNNING"]), (None, "RUNNING", ["RUNNING"])])
def test_initial_state(initial_state, state, tasks, name, run, worker):
    arguments = {"name": name, "config": shaped(topic=name), "initial_state": initial_state}
    assert run("connector", **arguments)["changed"] is True
    worker.await_state(name, state, tasks)
    # It is for creation only.
    worker.put(name, "pause")
    worker.await_state(name, "PAUSED", tasks and ["PAUSED"])
    assert run("connector", **arguments)["changed"] is False
    assert worker.state(name)[0] == "PAUSED"


def test_reconfigured_while_stopped_stays_stopped(make, run, worker):
    name = make(shaped(), offsets=[at(4)])
    assert run("connector", name=name, config=shaped(topic="other"))["changed"] is True
    assert worker.config(name)["topic"] == "other"
    worker.await_state(name, "STOPPED", [])  # UNASSIGNED while its worker takes the new configuration
    assert worker.offsets(name) == [at(4)]


@pytest.mark.parametrize("check", [True, False], ids=["check", "real"])
@pytest.mark.parametrize("topic", ["same", "other"])
def test_just_created_by_somebody_else(topic, check, make, run, proxy_to, main):
    """For a moment a new connector has a configuration and no status yet."""
    name = make(shaped(topic="same"))
    missing = Answer(404, json.dumps({"error_code": 404, "message": f"No status found for connector {name}"}).encode())
    answers = [missing, missing]
    young = proxy_to(main.url, lambda request: answers.pop() if request.path.endswith("/status") and answers else None)
    result = run("connector", check=check, name=name, config=shaped(topic=topic), connect_url=[young.url])
    assert not result["failed"], result["msg"]
    assert result["changed"] is (topic == "other") and result["created"] is False


def test_secrets_are_not_shown_but_their_change_is(name, run, worker):
    config = shaped(topic=name, db_password="Tr0ub4dor-old", db_url="jdbc:x://u:Tr0ub4dor-url@h/d")
    assert run("connector", name=name, config=config, initial_state="stopped")["changed"] is True
    assert worker.config(name)["db.password"] == "Tr0ub4dor-old"
    changed = run("connector", name=name, config={**config, "db.password": "Tr0ub4dor-new"})
    assert changed["changed"] is True
    assert changed["diff"][0]["before"] != changed["diff"][0]["after"]
    info = run("connector_info", name=[name])
    for result in (changed, info):
        assert "Tr0ub4dor" not in json.dumps(result)
    assert worker.config(name)["db.password"] == "Tr0ub4dor-new"


FILE = "org.apache.kafka.connect.file.FileStream"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"topic": "t"}, "connector.class"),
        ({**shaped(), "topic": ["a", "b"]}, "config.topic"),
        ({**shaped(), "connector.class": "no.such.Plugin"}, "has no class no.such.Plugin, which connector.class of {name} names. http"),
        ({**shaped(), "connector.class": f"{FILE}SuorceConnector"}, f" Did you mean {FILE}SourceConnector or {FILE}SinkConnector? http"),
        ({**shaped(), "connector.class": "io.files.FileStreamSource"}, " Did you mean FileStreamSourceConnector"),
        (shaped(topic="t", interval_ms="soon"),
         "refuses the configuration of {name}, 1 field of it.\n- interval.ms: Invalid value soon for configuration "
         "interval.ms: Not a number of type LONG"),
        ({"connector.class": f"{FILE}SourceConnector", "tasks.max": "many", "transforms": "a"},
         "refuses the configuration of {name}, 3 fields of it.\n- tasks.max: Invalid value many for configuration "
         "tasks.max: Not a number of type INT; Invalid value null for configuration tasks.max: Value must be non-null\n- topic: Missing "
         'required configuration "topic" which has no default value.\n- transforms.a.type: '),
        ({**shaped(), "initial_state": "STOPPED"}, "Use this module's option initial_state instead"),  # N13: accepted, and started
    ])
def test_refused_config(config, message, name, run, worker, recorder):
    """Before anything is sent that changes something, in check mode, too, and without a list of all plugins."""
    for exists in (False, True):
        kept = {**shaped(topic=name), "name": name}
        if exists:
            worker.create(name, kept)
        for check in (True, False):
            result = run("connector", check=check, name=name, config=config, connect_url=[recorder.url])
            assert result["failed"] and message.format(name=name) in result["msg"], result["msg"]
            assert "PluginDesc" not in json.dumps(result) and len(result["msg"]) < 1000
        assert worker.exists(name) is exists and (not exists or worker.config(name) == kept)
    assert recorder.writes() == []


def test_a_config_that_nobody_may_validate(name, run, worker, proxy_to, main):
    denied = Answer(403, b'{"error_code":403,"message":"no"}')
    gate = proxy_to(main.url, lambda request: denied if request.path.endswith("/validate") else None)
    for check in (True, False):
        result = run("connector", check=check, name=name, config=shaped(topic=name), connect_url=[gate.url])
        assert result["created"]
        assert f"The configuration of {name} was not validated: PUT {gate.url}/connector-plugins" in result["warnings"][0]
    assert worker.exists(name)


def test_n13_words_that_connect_would_take_for_something_else(name, run, worker, recorder):
    """Connect answers 500 to a misspelt state, and starts a connector whose configuration has the state in it (see test_refused_config)."""
    for word in ("stoped", "STOPPED"):
        result = run("connector", name=name, config=shaped(topic=name), initial_state=word, connect_url=[recorder.url])
        assert result["failed"] and "value of initial_state must be one of: started, paused, stopped" in result["msg"], result
    assert recorder.requests == [] and not worker.exists(name)


def test_initial_state_needs_3_7(name, run, v35):
    result = run("connector", name=name, config=shaped(topic=name), initial_state="stopped", connect_url=[v35.url])
    assert result["failed"] and "3.7" in result["msg"] and "3.5.2" in result["msg"]
    assert not v35.worker.exists(name)


# ---- with its offsets ------------------------------------------------------------------------------------------------------


def test_deleted_with_its_offsets(run, make, worker, recorder):
    """Safe order: stopped, backed up, removed, deleted. A new one of the name begins anew, and the backup brings the old offsets back."""
    name = make(shaped(), "RUNNING")
    wait_until(lambda: worker.offsets(name) == [at(4)])
    gone = steps(run, recorder, {"name": name, "state": "absent", "purge_offsets": True}, ["PUT", "DELETE", "DELETE"])
    assert [(one["before"], one["after"]) for one in gone["diff"][1:]] == [({'{"p": 0}': {"n": 4}}, {})]
    assert not worker.exists(name)
    make(shaped(), "STOPPED", name=name)
    assert worker.offsets(name) == []
    restored = run("connector_offsets", name=name, src=gone["backup_file"])
    assert not restored["failed"] and worker.offsets(name) == [at(4)]


def test_deleted_without_having_any(run, make, worker, recorder):
    """Stopped all the same: a task that has not flushed yet would write its offset at the deletion."""
    name = make(shaped(no_tasks="true"), "RUNNING")
    gone = steps(run, recorder, {"name": name, "state": "absent", "purge_offsets": True}, ["PUT", "DELETE"])
    assert gone["backup_file"] is None and not worker.exists(name)
    again = run("connector", name=name, state="absent", purge_offsets=True)
    assert not again["changed"] and "its offsets cannot be removed by REST" in again["warnings"][0]


@pytest.mark.parametrize("options, state", [
    ({}, ("RUNNING", ["RUNNING"])), ({}, ("PAUSED", ["PAUSED"])), ({"fail_task": "start"}, ("RUNNING", ["FAILED"])),
    (BROKEN, ("FAILED", []))])
def test_a_purge_that_fails_restores_the_state(options, state, run, make, worker, proxy_to, main):
    """Also that of a connector which was FAILED: it is meant to run. Paused from STOPPED, Connect makes no tasks."""
    name = make(shaped(**options), "PAUSED" if state[0] == "PAUSED" else "RUNNING")
    worker.await_state(name, *state)
    gate = proxy_to(main.url, lambda request: Answer(500, b'{"error_code":500,"message":"no"}') if "/offsets" in request.path else None)
    failed = run("connector", connect_url=[gate.url], name=name, state="absent", purge_offsets=True, wait_timeout=20)
    assert failed["failed"] and "The connector was not deleted, and its state is restored: it is " in failed["msg"], failed["msg"]
    worker.await_state(name, *(("PAUSED", []) if state[0] == "PAUSED" else state))


def test_a_purge_whose_stop_is_refused_leaves_the_connector_alone(run, make, worker, proxy_to, main):
    """A task that had failed is not restarted either."""
    name = make(shaped(fail_task="start"), "RUNNING")
    worker.await_state(name, "RUNNING", ["FAILED"])
    gate = proxy_to(main.url, lambda request: Answer(403, b'{"error_code":403,"message":"no"}') if request.path.endswith("/stop") else None)
    failed = run("connector", connect_url=[gate.url], name=name, state="absent", purge_offsets=True, wait_timeout=20)
    assert failed["failed"] and "The connector was not deleted: it is RUNNING with 1 task (FAILED)." in failed["msg"], failed["msg"]
    assert set(gate.writes()) == {("PUT", f"/connectors/{name}/stop")}


def test_a_purge_that_fails_and_a_state_that_cannot_be_restored(run, make, worker, proxy_to, main):
    """The failure itself is told first, and then what is left to do."""
    name = make(shaped(), "RUNNING")
    wait_until(lambda: worker.offsets(name) == [at(4)])
    refused = proxy_to(main.url, lambda request: Answer(500, b'{"error_code":500,"message":"no"}')
                       if request.path.endswith(("/offsets", "/resume")) else None)
    failed = run("connector", connect_url=[refused.url], name=name, state="absent", purge_offsets=True, wait_timeout=20)
    assert failed["failed"] and failed["msg"].index("/offsets") < failed["msg"].index("was not deleted"), failed["msg"]
    assert "The connector was RUNNING, and was not deleted. Its state could not be restored (" in failed["msg"]
    assert failed["msg"].endswith(f"). Resume it by PUT {refused.url}/connectors/{name}/resume.")
    assert worker.state(name) == ("STOPPED", [])


def test_offsets_that_cannot_be_removed_are_no_reason_to_delete(run, make_on, v35):
    old = make_on(v35, "RUNNING")
    for check in (True, False):
        refused = run("connector", check=check, connect_url=[v35.url], name=old, state="absent", purge_offsets=True)
        assert refused["failed"] and "3.5.2" in refused["msg"]
    assert v35.worker.state(old) == ("RUNNING", ["RUNNING"])
    wrong = run("connector", name="x", config={"connector.class": "y"}, purge_offsets=True)
    assert wrong["failed"] and "purge_offsets belongs to state: absent" in wrong["msg"]
