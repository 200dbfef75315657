# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Field cases of source offsets: state gates, refused declarations, types, plugins, odd keys, own offsets topics."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest

from tests.integration.support.configs import at, entry, file_source, shaped
from tests.integration.support.modules import PREDICTED
from tests.integration.support.worker import ordered, wait_until

BROKEN = {"partitions": "[1]"}


def found_as(situation: str, make, worker) -> tuple[str, tuple]:
    """(name, state) of a connector at offset 4 that is not STOPPED."""
    config = {
        "RUNNING": shaped(), "PAUSED with tasks": shaped(), "PAUSED without tasks": shaped(),
        "FAILED task": shaped(fail_task="start"), "FAILED connector": shaped(**BROKEN),
    }[situation]
    if situation == "PAUSED with tasks":
        name = make(config, state="PAUSED", offsets=[at(4)])
        state = ("PAUSED", ["PAUSED"])
    else:
        name = make(config, offsets=[at(4)])
        worker.put(name, "pause" if situation.startswith("PAUSED") else "resume")
        state = {"RUNNING": ("RUNNING", ["RUNNING"]), "PAUSED without tasks": ("PAUSED", []),
                 "FAILED task": ("RUNNING", ["FAILED"]), "FAILED connector": ("FAILED", [])}[situation]
        worker.await_state(name, *state)
    return name, state


SITUATIONS = ("RUNNING", "PAUSED with tasks", "PAUSED without tasks", "FAILED task", "FAILED connector")


def test_a_connector_whose_class_is_gone(name, make, run, worker, kafka, live_stack):
    """As after an upgrade that lost a plugin. It goes on saying FAILED when it is stopped: nothing is there that could say else."""
    other = make(shaped(), offsets=[at(4)])
    topic = live_stack.endpoints()["clusters"]["main"]["config_topic"]
    config = {"connector.class": "x.Gone", "tasks.max": "1", "name": name}
    kafka.raw(topic, [(0, f"connector-{name}".encode(), json.dumps({"properties": config}).encode())])
    reason = "Failed to find any class that implements Connector and which name matches x.Gone"
    try:
        wait_until(lambda: '"state":"FAILED"' in worker.call("GET", f"connectors/{name}/status").text, reason="the connector's failure")
        info = run("connector_offsets_info", name=name)
        assert info["failed"] and info["msg"].endswith(f"/connectors/{name}/offsets failed with 500: {reason}"), info
        assert "PluginDesc" not in json.dumps(info)
        found = run("connector_offsets_info")
        assert [one["offsets"] for one in found["connectors"] if one["name"] == other] == [[at(4)]], found
        assert any(text.startswith(f"{name} is left out: ") and text.endswith(reason) for text in found["warnings"]), found["warnings"]
        preview = run("connector_offsets_bulk", check=True, connectors=[{"name": one, "offsets": [at(9)]} for one in (other, name)])
        assert preview["failed"] and list(preview["failed_connectors"]) == [name], preview
        assert preview["connectors"][0]["offsets"] == [at(9)] and preview["connectors"][1] is None
        stopped = run("connector_state", name=name, state="stopped")
        assert stopped["changed"] is True and stopped["warnings"] == [] and stopped["connector"]["state"] == "FAILED", stopped
        started = run("connector_state", name=name, state="started")
        assert started["failed"] and started["msg"].endswith(f"{reason}."), started
    finally:
        worker.delete(name)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_c08_c17_not_stopped_is_refused(situation, make, run, worker, recorder):
    name, state = found_as(situation, make, worker)
    for desired in ({"offsets": [at(1)]}, {"state": "absent"}):
        for check in (True, False):
            result = run("connector_offsets", check=check, name=name, connect_url=[recorder.url], **desired)
            assert result["failed"] and not result.get("changed")
            assert state[0] in result["msg"] and name in result["msg"] and "stop: true" in result["msg"]
    assert recorder.verbs == {"GET"}
    assert worker.state(name) == state
    assert worker.offsets(name) == [at(4)]
    # Nothing to change is no failure, whatever the state.
    assert run("connector_offsets", name=name, offsets=[at(4)])["changed"] is False


@pytest.mark.parametrize("situation", SITUATIONS)
def test_c17_stopped_for_the_change_and_put_back(situation, make, run, worker, recorder):
    name, state = found_as(situation, make, worker)
    desired = {"name": name, "offsets": [at(9)], "stop": True, "connect_url": [recorder.url]}
    dry = run("connector_offsets", check=True, **desired)
    assert recorder.verbs == {"GET"} and worker.state(name) == state
    real = run("connector_offsets", **desired)
    failed = "FAILED" in situation
    assert real["failed"] is failed, real["msg"]
    same = [key for key in PREDICTED if key != "warnings" and not (failed and key == "diff")]
    assert {key: dry[key] for key in same} == {key: real[key] for key in same}
    assert real["changed"] is True and real["offsets"] == [at(9)] and real["offsets_before"] == [at(4)]
    assert worker.offsets(name) == [at(9)]
    # From STOPPED, Connect pauses without making tasks.
    back = ("PAUSED", []) if state[0] == "PAUSED" else state
    if failed:
        reason = {"FAILED task": "task 0: org.apache.kafka.connect.errors.ConnectException: The test connector was told to fail in start.",
                  "FAILED connector": "the connector: org.apache.kafka.common.config.ConfigException"}[situation]
        assert real["msg"].startswith(f"The connector {name} was started again after the change, but failed: {reason}"), real["msg"]
        assert "It had failed before, too. Its offsets are as declared. To undo" in real["msg"] and "\n" not in real["msg"]
        worker.await_state(name, *back)
    assert worker.state(name) == back
    assert [verb for verb, _path in recorder.writes()][:2] == ["PUT", "PATCH"]
    recorder.requests.clear()
    assert run("connector_offsets", **desired)["changed"] is False
    assert recorder.verbs == {"GET"}, "stopped although nothing had to be changed"


def test_n21_an_offset_from_which_the_task_cannot_start(make, run, worker):
    """The task dies of the change: a failure, with the trace's first line; rolled back, or with the way back, which heals it."""
    name = make(shaped(), state="RUNNING", offsets=[at(4)])
    worker.await_state(name, "RUNNING", ["RUNNING"])
    poison = entry({"p": 0}, {"n": "poison"})
    result = run("connector_offsets", name=name, offsets=[poison], purge=True, stop=True)
    assert result["failed"] and not result.get("changed"), result
    assert "failed: task 0: org.apache.kafka.connect.errors.ConnectException: Cannot start" in result["msg"]
    assert "The change was rolled back: the offsets are as they were, and the connector is RUNNING with 1 task (RUNNING)." in result["msg"]
    assert worker.state(name) == ("RUNNING", ["RUNNING"]) and worker.offsets(name) == [at(4)]
    result = run("connector_offsets", name=name, offsets=[poison], purge=True, stop=True, backup=True, rollback=False)
    assert result["failed"] and result["changed"] is True and result["offsets"] == [poison], result
    assert result["msg"].startswith(f"The connector {name} was started again after the change, but failed: task 0: "
                                    "org.apache.kafka.connect.errors.ConnectException: Cannot start"), result["msg"]
    assert result["msg"].endswith(f"To undo the change declare state: restored with change_id: {result['change_id']} and stop: true.")
    assert "\n" not in result["msg"]
    assert worker.state(name) == ("RUNNING", ["FAILED"]) and worker.offsets(name) == [poison]
    back = run("connector_offsets", name=name, src=result["backup_file"], purge=True, stop=True)
    assert not back["failed"] and worker.offsets(name) == [at(4)] and worker.state(name) == ("RUNNING", ["RUNNING"]), back


@pytest.mark.parametrize("situation", SITUATIONS)
def test_c17_put_back_also_when_the_change_fails(situation, make, run, worker):
    name, state = found_as(situation, make, worker)
    config = {**worker.config(name), "alter.offsets": "reject", "alter.message": "no such day"}
    worker.must("PUT", f"connectors/{name}/config", config)
    if situation != "PAUSED without tasks":
        # A new configuration restarts the connector.
        worker.await_state(name, *state)
    result = run("connector_offsets", name=name, offsets=[at(9)], stop=True)
    assert result["failed"] and "no such day" in result["msg"]
    assert worker.offsets(name) == [at(4)]
    worker.await_state(name, *(("PAUSED", []) if state[0] == "PAUSED" else state))


def test_c16_seeded_before_the_first_start(name, run, worker, kafka, tmp_path):
    file = tmp_path / "orders.txt"
    file.write_text("1\n2\n3\n")
    config = file_source(file, topic=name)
    assert run("connector", name=name, config=config, initial_state="stopped")["created"] is True
    live = run("connector_offsets_info", name=name)
    assert live["connector_exists"] is True and live["offsets"] == [] and live["connector"]["state"] == "STOPPED"
    result = run("connector_offsets", name=name, offsets=[entry({"filename": str(file)}, {"position": 4})])
    assert result["changed"] is True and result["offsets_before"] == []
    assert run("connector_state", name=name, state="started")["changed"] is True
    wait_until(lambda: kafka.values(name) == ["3"], reason="the third line, alone")


PARTITION = {"partition": {"p": 0}}
REFUSED = {
    "no offset": ({"offsets": [PARTITION]}, "offsets[0] has no offset"),
    "no offset in the second": ({"offsets": [at(1), {"partition": {"p": 1}}]}, "offsets[1] has no offset"),
    "null": ({"offsets": [{**PARTITION, "offset": None}]}, "offset is null"),
    "empty offset": ({"offsets": [{**PARTITION, "offset": {}}]}, "empty"),
    "no partition": ({"offsets": [{"offset": {"n": 1}}]}, "no partition"),
    "text for an offset": ({"offsets": [{**PARTITION, "offset": "1"}]}, "must be a dictionary"),
    "unknown field": ({"offsets": [{**at(1), "offest": {"n": 2}}]}, "unknown field offest"),
    "two for one partition": ({"offsets": [at(1), at(2)]}, "second entry"),
    "two for one partition, other order": (
        {"offsets": [entry({"a": 1, "b": 2}, {"n": 1}), entry({"b": 2, "a": 1}, {"n": 2})]}, "second entry"),
    "empty list": ({"offsets": []}, "empty"),
    "empty list, absent": ({"offsets": [], "state": "absent"}, "empty"),
    "nothing": ({}, "offsets"),
    "two ways": ({"offsets": [at(1)], "content": "[]"}, "mutually exclusive"),
    "purge with absent": ({"state": "absent", "purge": True}, "purge"),
    "c46 dictionary as a value": ({"offsets": [entry({"p": 0}, {"_id": {"_data": "826500AB"}})]}, "offsets[0].offset._id"),
    "c46 list as a value": ({"offsets": [entry({"p": 0}, {"n": [1, 2]})]}, "offsets[0].offset.n"),
    "c46 dictionary in a partition": ({"offsets": [entry({"p": {"x": 1}}, {"n": 1})]}, "offsets[0].partition.p"),
    "65 bits": ({"offsets": [at(9223372036854775808)]}, "64 bits"),
    "NaN": ({"offsets": [at(math.nan)]}, "no JSON form"),
    "infinity": ({"offsets": [at(-math.inf)]}, "no JSON form"),
    "NaN in a document": ({"content": '[{"partition": {"p": 0}, "offset": {"n": NaN}}]'}, "NaN"),
    "document without offset": ({"content": '[{"partition": {"p": 0}}]'}, "has no offset"),
    "document with a field twice": ({"content": '[{"partition": {"p": 0}, "offset": {"n": 1, "n": 2}}]'}, "twice"),
    "document of another": ({"content": '{"other": []}'}, "other"),
    "no JSON": ({"content": "position: 4"}, "not JSON"),
    "no file": ({"src": "/nowhere/offsets.json"}, "/nowhere/offsets.json"),
    "wait_timeout 0": ({"offsets": [at(1)], "wait_timeout": 0}, "wait_timeout"),
    "timeout 0": ({"offsets": [at(1)], "timeout": 0}, "timeout"),
}


@pytest.fixture(scope="module")
def untouched(main):
    """A stopped connector at offset 4 that no test here may change."""
    worker, name = main.worker, "t-untouched"
    worker.delete(name)
    worker.create(name, shaped(topic=name))
    worker.set_offsets(name, [at(4)])
    yield name
    assert worker.offsets(name) == [at(4)]
    worker.delete(name)


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("check", [True, False], ids=["check", "real"])
def test_c23_c46_refused_before_any_request(what, check, untouched, run, worker, recorder):
    arguments, message = REFUSED[what]
    result = run("connector_offsets", check=check, name=untouched, connect_url=[recorder.url], **arguments)
    assert result["failed"] and message in result["msg"], result["msg"]
    # In check mode an empty list comes back with an example, which has the live partition.
    assert recorder.verbs == ({"GET"} if check and what == "empty list" else set())
    assert worker.offsets(untouched) == [at(4)]
    assert worker.state(untouched) == ("STOPPED", [])


@pytest.mark.parametrize("check", [True, False], ids=["check", "real"])
def test_an_empty_partition_is_refused_before_any_write(check, untouched, run, recorder):
    """Some connectors have one, so the live offsets are looked at first."""
    result = run("connector_offsets", check=check, name=untouched, connect_url=[recorder.url], offsets=[entry({}, {"n": 1})])
    assert result["failed"] and "A declared partition is an empty dictionary" in result["msg"], result["msg"]
    assert recorder.verbs == {"GET"}


@pytest.mark.parametrize("check", [True, False], ids=["check", "real"])
@pytest.mark.parametrize(("live", "declared"), [(42, "42"), (42, "43"), ("42", 42), ("42", 7), (-1, "-1")])
def test_c47_lost_type_is_a_failure_with_a_hint(live, declared, check, make, run, worker):
    name = make(shaped(), offsets=[at(live)])
    for _time in range(2):
        result = run("connector_offsets", check=check, name=name, offsets=[at(declared)])
        assert result["failed"] and not result.get("changed")
        assert f'the text "{declared if isinstance(declared, str) else live}"' in result["msg"]
        assert "one variable" in result["msg"]
    assert worker.offsets(name) == [at(live)]


def test_c47_lost_type_of_a_partition(make, run, worker):
    name = make(shaped(), offsets=[at(4, p=0)])
    result = run("connector_offsets", name=name, offsets=[at(4, p="0")])
    assert result["failed"] and '{"p": "0"}' in result["msg"] and '{"p": 0}' in result["msg"]
    assert worker.offsets(name) == [at(4, p=0)]
    removal = run("connector_offsets", name=name, state="absent", offsets=[{"partition": {"p": "0"}}])
    assert removal["failed"] or removal["changed"] is False
    assert worker.offsets(name) == [at(4, p=0)]


def test_digits_are_a_legal_value_where_they_are_live(make, run, worker):
    """Oracle's scn is text (C32), a Mongo token is JSON inside text (C33), null is a value (C30)."""
    offset = {"scn": "28815377", "_id": '{"_data": "826500AB"}', "copy": "true", "transaction_id": None, "lsn": 1547863325117001729}
    name = make(shaped(), offsets=[entry({"p": 0}, {**offset, "scn": "28810000"})])
    assert run("connector_offsets", name=name, offsets=[entry({"p": 0}, offset)])["changed"] is True
    assert worker.offsets(name) == [entry({"p": 0}, offset)]
    assert run("connector_offsets", name=name, offsets=[entry({"p": 0}, offset)])["changed"] is False


@pytest.mark.parametrize(
    ("position", "reason"),
    [("4", "expected to be a Long value"), (4.0, "expected to be a Long value"), (-1, "non-negative"),
     (True, "expected to be a Long value"), (None, "")])
def test_c27_position_that_the_plugin_refuses(position, reason, make, run, worker):
    """The server's own words, whole; by force, as what is known of the connector refuses a wrong type first, in check mode, too."""
    name = make(file_source("/tmp/c27.txt"))
    offsets = [entry({"filename": "/tmp/c27.txt"}, {"position": position})]
    if position not in (-1, None):
        refused = run("connector_offsets", check=True, name=name, offsets=offsets)
        assert refused["failed"] and "and has to be a whole number" in refused["msg"]
    result = run("connector_offsets", name=name, offsets=offsets, force=True)
    assert result["failed"] and reason in result["msg"] and result["http_status"] == 500
    assert result["server_message"] in result["msg"] and f"/connectors/{name}/offsets" in result["msg"]
    assert worker.offsets(name) == []


@pytest.mark.parametrize("position", [9007199254740993, 9223372036854775807, 0])
def test_c27_position_exact_to_the_last_digit(position, make, run, worker, main, kafka):
    name = make(file_source("/tmp/c27.txt"))
    desired = {"name": name, "offsets": [entry({"filename": "/tmp/c27.txt"}, {"position": position})]}
    result = run("connector_offsets", **desired)
    assert result["changed"] is True
    assert result["offsets"][0]["offset"]["position"] == position
    assert run("connector_offsets_info", name=name)["offsets"] == desired["offsets"]
    assert f'"position":{position}}}' in worker.call("GET", f"connectors/{name}/offsets").text
    assert kafka.live_offsets(main.offset_topic, name) == {f'["{name}",{{"filename":"/tmp/c27.txt"}}]': f'{{"position":{position}}}'}
    assert run("connector_offsets", **desired)["changed"] is False


def test_c11_secrets_are_masked_and_what_is_written_is_exact(make, run, worker, tmp_path):
    """And what was masked is never written, wherever it comes from."""
    def pair(number, n):
        following = f"https://u:s3cret{number}@h/p{n}?sig=s3cret{n}"
        return {"partition": {"url": f"jdbc:x://h/db?user=u&password=s3cret{number}"}, "offset": {"n": n, "next": following}}

    name = make(shaped(), offsets=[pair(1, 1), pair(2, 1)])
    seen = [run("connector_offsets_info", name=name)]
    ledger, backup, export = (str(tmp_path / part) for part in ("ledger.json", "backup.json", "export.json"))
    desired = {"name": name, "offsets": [pair(1, 2)], "change_id": "CHG-1", "ledger_file": ledger, "backup": True, "backup_file": backup}
    seen += [run("connector_offsets", check=True, **desired), run("connector_offsets", **desired)]
    assert seen[-1]["changed"] is True and ordered(worker.offsets(name)) == ordered([pair(1, 2), pair(2, 1)])
    seen.append(run("connector_changes_info", ledger_file=ledger))
    seen.append(run("connector_offsets_export", dest=export, connectors=[name]))
    for path, pairs in ((backup, [pair(1, 1), pair(2, 1)]), (export, [pair(1, 2), pair(2, 1)])):
        assert os.stat(path).st_mode & 0o777 == 0o600 and ordered(json.loads(Path(path).read_text())["connectors"][name]) == ordered(pairs)
    for declared in (seen[0]["offsets"], seen[2]["offsets"], seen[3]["changes"][0]["before"]):
        seen.append(run("connector_offsets", name=name, offsets=declared))
        assert seen[-1]["failed"] and "stands for a secret" in seen[-1]["msg"]
    assert "s3cret" not in json.dumps(seen) and len(seen[2]["diff"][0]["before"]) == len(seen[2]["diff"][0]["after"]) == 2
    undone = run("connector_offsets", name=name, state="restored", change_id="CHG-1", ledger_file=ledger)
    assert undone["changed"] is True and "s3cret" not in json.dumps(undone)
    assert ordered(worker.offsets(name)) == ordered([pair(1, 1), pair(2, 1)])
    again = run("connector_offsets", name=name, src=export)
    assert again["changed"] is True and ordered(worker.offsets(name)) == ordered([pair(1, 2), pair(2, 1)])


def test_e16_text_that_yaml_has_made_a_number(make, run, worker):
    """Refused with both values, in check mode too, and taken by force; a map that lacks a field likewise (N21)."""
    live = [{"partition": {"p": 0}, "offset": {"at": "12:30", "n": 4}}, {"partition": {"p": 1}, "offset": {"at": "yes", "n": 4}}]
    name = make(shaped(), offsets=live)
    for declared, said in [({"at": 750, "n": 5}, 'the integer 750, but its live value is the text "12:30"'), ({"n": 5}, '{"p": 0} (at)')]:
        desired = {"name": name, "offsets": [{"partition": {"p": 0}, "offset": declared}]}
        for check in (True, False):
            result = run("connector_offsets", check=check, **desired)
            assert result["failed"] and all(text in result["msg"] for text in (said, "othing was changed", "force: true")), result
        assert ordered(worker.offsets(name)) == ordered(live)
        result = run("connector_offsets", force=True, **desired)
        assert result["changed"] is True and said in " ".join(result["warnings"]) and desired["offsets"][0] in worker.offsets(name)
        worker.set_offsets(name, live)


@pytest.mark.parametrize(("live", "declared"), [(4, 4.0), (4.0, 4), (1, True)])
def test_c27_other_type_is_another_value(live, declared, make, run, worker):
    """What is no whole number where one is live is most likely a mistake, and refused unless it is meant."""
    name = make(shaped(), offsets=[at(live)])
    if isinstance(live, int):
        refused = run("connector_offsets", name=name, offsets=[at(declared)])
        assert refused["failed"] and "othing was changed" in refused["msg"] and worker.offsets(name) == [at(live)], refused
    assert run("connector_offsets", name=name, offsets=[at(declared)], force=True)["changed"] is True
    after, = worker.offsets(name)
    assert after["offset"]["n"].__class__ is declared.__class__ and after == at(declared)
    assert run("connector_offsets", name=name, offsets=[at(declared)])["changed"] is False


def test_c51_dry_run_tells_what_the_real_run_does(make, run, worker):
    partition = {"filename": "/tmp/c51.txt"}
    name = make(file_source("/tmp/c51.txt"), offsets=[entry(partition, {"position": 12})])
    steps = [
        ({"offsets": [entry(partition, {"position": 12})]}, False), ({"offsets": [entry(partition, {"position": 4})]}, True),
        ({"state": "absent"}, True), ({"state": "absent"}, False)]
    for desired, changed in steps:
        dry = run("connector_offsets", check=True, name=name, **desired)
        real = run("connector_offsets", name=name, **desired)
        assert dry["changed"] is real["changed"] is changed
        assert {key: dry[key] for key in PREDICTED} == {key: real[key] for key in PREDICTED}
        for side in ("before", "after"):
            assert list(dry["diff"][0][side]) == sorted(dry["diff"][0][side])
    assert worker.offsets(name) == []
    assert "diff" not in run("connector_offsets", name=name, state="absent", diff=False)


PLUGINS = {
    "accept": (None, None), "default": ("The Connect framework-managed offsets for this connector have been altered", None),
    "refuse": (None, "doesn't support external modification of offsets"), "reject": (None, "lsn 77 is not in the log"),
    "crash": (None, "Failed to modify offsets for source connector"),
}


@pytest.mark.parametrize("mode", PLUGINS)
def test_what_the_plugin_says(mode, make, run, worker, recorder):
    warning, reason = PLUGINS[mode]
    name = make(shaped(alter_offsets=mode, alter_message="lsn 77 is not in the log"))
    # The plugin would refuse what we need for a start as well.
    worker.must("PUT", f"connectors/{name}/config", shaped(topic=name, name=name))
    worker.set_offsets(name, [at(4)])
    worker.must("PUT", f"connectors/{name}/config", shaped(topic=name, alter_offsets=mode, alter_message="lsn 77 is not in the log"))
    for desired in ({"offsets": [at(2)]}, {"state": "absent"}):
        result = run("connector_offsets", name=name, connect_url=[recorder.url], **desired)
        if reason:
            assert result["failed"] and reason in result["msg"] and "The offsets are as they were" in result["msg"]
            assert worker.offsets(name) == [at(4)]
            assert len(recorder.writes()) == 1, "a refusal was tried again"
            recorder.requests.clear()
        else:
            assert result["changed"] is True
            assert any("framework-managed" in text for text in result["warnings"]) is bool(warning)
    if not reason:
        assert worker.offsets(name) == []
    assert worker.state(name) == ("STOPPED", [])


ZETA = {"zeta": "z", "topic": "t", "alpha": 1, "server": "s"}


@pytest.fixture
def trapped(make, worker, main, kafka):
    """A connector with one partition in an order that no Java HashMap has, and one with a single name."""
    name = make(shaped(partitions=json.dumps([ZETA, {"p": 1}]), partition_map="linked", interval_ms=1), state="RUNNING")
    wait_until(lambda: worker.offsets(name) == ordered([entry(ZETA, None), at(4, p=1)]))
    worker.put(name, "stop")
    worker.await_state(name, "STOPPED", [])
    keys = kafka.live_offsets(main.offset_topic, name)
    assert keys == {f'["{name}",{json.dumps(ZETA, separators=(",", ":"))}]': '{"n":4}', f'["{name}",{{"p":1}}]': '{"n":4}'}
    return name, keys


@pytest.mark.parametrize(
    "desired",
    [{"offsets": [entry(ZETA, {"n": 1})]}, {"state": "absent"}, {"state": "absent", "offsets": [entry(ZETA, None)]},
     {"offsets": [at(4, p=1)], "purge": True}],
    ids=["set", "reset", "remove", "purge"])
def test_c03_key_order_that_rest_cannot_reach(desired, trapped, run, worker, main, kafka, recorder):
    name, keys = trapped
    info = run("connector_offsets_info", name=name)
    assert info["unreadable"] == [ZETA] and info["unreadable_count"] == 1
    assert info["offsets"] == [at(4, p=1)] and info["offsets_count"] == 1
    for check in (True, False):
        result = run("connector_offsets", check=check, name=name, connect_url=[recorder.url], **desired)
        assert result["failed"] and not result.get("changed")
        assert "REST cannot change" in result["msg"] and "offsets topic" in result["msg"] and '"zeta"' in result["msg"]
    assert recorder.verbs == {"GET"}
    assert kafka.live_offsets(main.offset_topic, name) == keys


def test_c03_other_partitions_can_still_be_changed(trapped, run, worker, main, kafka):
    name, keys = trapped
    result = run("connector_offsets", name=name, offsets=[at(1, p=1)])
    assert result["changed"] is True and any('"zeta"' in warning for warning in result["warnings"])
    assert kafka.live_offsets(main.offset_topic, name) == {**keys, f'["{name}",{{"p":1}}]': '{"n":1}'}


@pytest.fixture
def migrated(make, worker, main):
    """A connector that was given an offsets topic of its own after it had offsets: Connect shows and reads none then."""
    name = make(shaped(), offsets=[at(4), at(6, p=1)])
    worker.must("PUT", f"connectors/{name}/config", shaped(topic=name, name=name, offsets_storage_topic=f"{name}-offsets"))
    wait_until(lambda: worker.offsets(name) == ordered([entry({"p": 0}, None), entry({"p": 1}, None)]))
    return name


def test_own_offsets_topic_set(migrated, run, worker, kafka):
    info = run("connector_offsets_info", name=migrated)
    assert info["offsets"] == [] and info["unreadable_count"] == 2
    result = run("connector_offsets", name=migrated, offsets=[at(2)])
    assert result["changed"] is True and result["offsets"] == [at(2)]
    assert any("offsets.storage.topic" in warning for warning in result["warnings"])
    assert worker.offsets(migrated) == ordered([at(2), entry({"p": 1}, None)])
    assert kafka.live_offsets(f"{migrated}-offsets", migrated) == {f'["{migrated}",{{"p":0}}]': '{"n":2}'}
    assert run("connector_offsets", name=migrated, offsets=[at(2)])["changed"] is False
    # It does start there.
    assert run("connector_state", name=migrated, state="started")["changed"] is True
    # Partition 0 is the only one it has: records 3 and 4 are left.
    wait_until(lambda: kafka.values(migrated) == ['{"p":0}#3', '{"p":0}#4'])


def test_own_offsets_topic_reset(migrated, run, worker, kafka, main):
    dry = run("connector_offsets", check=True, name=migrated, state="absent")
    real = run("connector_offsets", name=migrated, state="absent")
    assert not real["failed"], real["msg"]
    assert dry["changed"] is real["changed"] is True
    assert worker.offsets(migrated) == []
    assert kafka.live_offsets(main.offset_topic, migrated) == {} == kafka.live_offsets(f"{migrated}-offsets", migrated)
    assert run("connector_offsets", name=migrated, state="absent")["changed"] is False


def test_c03_with_an_own_offsets_topic(name, make, run, worker, kafka):
    """By REST a value that is missing and one in another order look the same: at least the user has to be told."""
    config = shaped(partitions=json.dumps([ZETA]), partition_map="linked", interval_ms=1, offsets_storage_topic=f"{name}-offsets")
    make(config, state="RUNNING", name=name)
    wait_until(lambda: worker.offsets(name) == [entry(ZETA, None)])
    worker.put(name, "stop")
    worker.await_state(name, "STOPPED", [])
    for desired in ({"offsets": [entry(ZETA, {"n": 1})]}, {"state": "absent"}):
        result = run("connector_offsets", name=name, **desired)
        lives = kafka.live_offsets(f"{name}-offsets", name)[f'["{name}",{json.dumps(ZETA, separators=(",", ":"))}]']
        assert lives == '{"n":4}', "the connector's own record was not expected to change"
        told = result["failed"] or any("order" in warning for warning in result["warnings"])
        assert told, f"{desired} is said to be done, but the connector goes on from {lives}"


@pytest.mark.parametrize("value", [0.5, True, "0"])
def test_a_lost_type_is_refused_before_a_stop(value, make, run, worker, recorder):
    name = make(shaped(), state="RUNNING")
    wait_until(lambda: worker.offsets(name) == [at(4)])
    for check in (True, False):
        refused = run("connector_offsets", check=check, name=name, stop=True, offsets=[at(value)], connect_url=[recorder.url])
        assert refused["failed"] and "but its live value is the integer 4" in refused["msg"], refused["msg"]
    assert recorder.writes() == [] and worker.state(name) == ("RUNNING", ["RUNNING"])


def test_a_mistyped_field_is_said_before_a_stop(make, run, worker):
    name = make(shaped(), offsets=[at(4)])
    refused = run("connector_offsets", name=name, offsets=[{"partition": {"p": 0}, "offset": {"N": 1}}])
    assert refused["failed"] and "(n). Did you mean n?" in refused["msg"], refused["msg"]
    warned = run("connector_offsets", check=True, name=name, offsets=[{"partition": {"p": 1}, "offset": {"N": 1}}])
    assert any("(N); the live ones have n. Did you mean n?" in text for text in warned["warnings"]), warned["warnings"]
