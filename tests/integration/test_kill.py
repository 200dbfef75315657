# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 in what test_fault_matrix.py leaves out: changes without an id, undos, old workers, whole playbooks. The next run ends the
change, with one replay, and the one after that changes nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.integration.support.configs import FIRST, REPLAY, at
from tests.integration.support.fault_stores import LEFT, STEPS
from tests.integration.support.modules import run_module
from tests.integration.support.playbook import RESET, environment
from tests.integration.support.runs import Killer, PlaybookRun, Run, sends
from tests.integration.support.worker import wait_until


@pytest.fixture
def name(running):
    return running


@pytest.fixture
def kill_at(proxy_to, main):
    """kill_at(step, declaration, cluster=main) -> the URL through which it went: a run of the module that is killed there."""
    started = []

    def kill_at(wanted, carried_out, desired: dict, cluster=main, times: int = 1) -> str:
        killer = Killer(wanted, carried_out, times)
        killer.proxy = proxy_to(cluster.url, killer)
        killer.run = Run("connector_offsets", {**desired, "connect_url": [killer.proxy.url], "wait_timeout": 60})
        started.append(killer.run)
        killer.run.killed()
        return killer.proxy.url

    yield kill_at
    for run in started:
        run.kill()


def ledger_of(desired: dict, cluster) -> dict:
    """The one change of this name, as anybody can look it up."""
    options = {key: desired[key] for key in ("ledger", "ledger_file", "bootstrap_servers") if key in desired}
    found = run_module("connector_changes_info", {"connect_url": [cluster.url], "connector": desired["name"], **options})
    assert not found["failed"], found["msg"]
    change, = found["changes"]
    return change


def is_made_once(run, desired, cluster, kafka, left, recorder, resumed=False) -> dict:
    """The second run after a kill ends it, the third one has nothing to do."""
    url, worker, name = {"connect_url": [recorder.url]}, cluster.worker, desired["name"]
    recorder.target = cluster.url
    if resumed:
        worker.await_state(name, "RUNNING", ["RUNNING"])  # or one may see it, and the next one not yet
    found = ledger_of(desired, cluster)
    assert (found["phase"], found["before"] is not None, found["state_to_restore"]) == (*left, "RUNNING")
    dry = run("connector_offsets", check=True, **{**desired, **url})
    assert recorder.verbs == {"GET"} and ledger_of(desired, cluster) == found
    second = run("connector_offsets", **{**desired, **url})
    assert not second["failed"], second["msg"]
    assert (dry["changed"], dry["already_applied"]) == (second["changed"], second["already_applied"])
    assert second["already_applied"] is (left[0] == "applied")
    worker.await_state(name, "RUNNING", ["RUNNING"])
    wait_until(lambda: kafka.values(name) == FIRST + REPLAY, reason="the replay")
    change = ledger_of(desired, cluster)
    assert (change["phase"], change["state_to_restore"], change["before"], change["after"]) == ("applied", None, [at(4)], [at(1)])
    assert change == second["change"]
    # Where nothing was written it is begun anew.
    assert (change["times"]["started"] == found["times"]["started"]) is left[1]
    recorder.requests.clear()
    for check in (True, False):
        third = run("connector_offsets", check=check, **{**desired, **url})
        assert (third["failed"], third["changed"], third["already_applied"]) == (False, False, True)
        # The proxy that was there at first is another address.
        assert [text for text in third["warnings"] if "was made through" not in text] == []
    assert recorder.verbs == {"GET"} and ledger_of(desired, cluster) == change
    wait_until(lambda: road_is_at_the_end(cluster, name, kafka), reason="the last offset")
    assert worker.state(name) == ("RUNNING", ["RUNNING"]) and kafka.values(name) == FIRST + REPLAY, "replayed twice"
    return second


def road_is_at_the_end(cluster, name, kafka) -> bool:
    return kafka.live_offsets(cluster.offset_topic, name) == {f'["{name}",{{"p":0}}]': '{"n":4}'}


# The same with a topic as the ledger is a part of test_fault_matrix.py.
@pytest.mark.parametrize("step", ["change carried out", "resume carried out", "before the resume"])
def test_with_a_file_as_the_ledger(step, name, keep, kill_at, run, main, kafka, recorder):
    desired = {"name": name, "offsets": [at(1)], "stop": True, "change_id": "CHG-1", "method": "rest", **keep("file")}
    kill_at(*STEPS[step][:2], desired)
    is_made_once(run, desired, main, kafka, LEFT[step], recorder, step == "resume carried out")


# ---- without an id


@pytest.mark.parametrize("offset", [1, 2], ids=["the same", "another"])
@pytest.mark.parametrize(("step", "kind"), [(step, "default") for step in STEPS] + [
    ("change carried out", "topic"), ("stop carried out", "topic")])
def test_without_an_id(step, kind, offset, name, keep, kill_at, run, main, worker):
    """The next run, of the same task or of another one, says so and restores the state; it is recorded, and can be undone."""
    desired = {"name": name, "stop": True, "method": "rest", **keep(kind)}
    url = kill_at(*STEPS[step][:2], {"offsets": [at(1)], **desired})
    desired["connect_url"] = [main.url, url]
    left, = run("connector_changes_info", connector=name, **keep(kind))["changes"]
    assert left["automatic"] and (left["phase"], left["before"] is not None, left["state_to_restore"]) == (*LEFT[step], "RUNNING")
    if step == "resume carried out":
        worker.await_state(name, "RUNNING", ["RUNNING"])
        wait_until(lambda: worker.offsets(name) == [at(4)], reason="the replay")  # before that there is nothing to change
    stopped = worker.state(name)[0] == "STOPPED"
    dry = run("connector_offsets", check=True, offsets=[at(offset)], **desired)
    second = run("connector_offsets", offsets=[at(offset)], **desired)
    assert not second["failed"], second["msg"]
    assert second["changed"] and second["state_before"] == "RUNNING"
    worker.await_state(name, "RUNNING", ["RUNNING"])
    if stopped:
        assert dry["changed"] and any(left["change_id"] in text for text in dry["warnings"])
    assert any(left["change_id"] in text for text in second["warnings"])
    changes = {one["change_id"]: one for one in run("connector_changes_info", connector=name, **keep(kind))["changes"]}
    assert all(one["state_to_restore"] is None for one in changes.values())
    assert (second["change_id"] == left["change_id"]) is (stopped and offset == 1)
    if second["change_id"] == left["change_id"]:
        assert changes[left["change_id"]]["before"] == [at(4)] and len(changes) == 1
    undone = run("connector_offsets", state="restored", change_id=second["change_id"], **desired)
    assert not undone["failed"] and undone["change"]["phase"] == "restored", undone["msg"]


# ---- on the offsets topic


def written(kafka, cluster, name):
    """The first question after the transaction, which comes before the ledger is told."""
    key = f'["{name}",{{"p":0}}]'
    return lambda request: request.verb == "GET" and kafka.live_offsets(cluster.offset_topic, name).get(key) == '{"n":1}'


def test_on_the_offsets_topic_with_a_file_as_the_ledger(name, keep, kill_at, run, main, kafka, recorder):
    step = "change carried out"
    desired = {"name": name, "offsets": [at(1)], "stop": True, "change_id": "CHG-1", "method": "topic", "offset_topic": main.offset_topic,
               **keep("topic"), **keep("file")}
    kill_at(written(kafka, main, name), False, desired)
    is_made_once(run, desired, main, kafka, LEFT[step], recorder)


@pytest.mark.parametrize("step", ["pause carried out", "change carried out", "resume carried out"])
def test_before_3_5(step, make_on, v34, keep, kill_at, run, kafka, recorder):
    """Connect 3.4 is paused for it, and has to run again afterwards."""
    name = make_on(v34, "RUNNING")
    desired = {"name": name, "offsets": [at(1)], "stop": True, "change_id": "CHG-1", "offset_topic": v34.offset_topic, **keep("topic")}
    wanted, left = {"pause carried out": ((sends("PUT", "pause"), True), ("started", False)),
                    "change carried out": ((written(kafka, v34, name), False), ("started", True)),
                    "resume carried out": ((sends("PUT", "resume"), True), ("applied", True))}[step]
    kill_at(*wanted, desired, v34)
    is_made_once(run, desired, v34, kafka, left, recorder, step == "resume carried out")


# ---- the undo


UNDO_CASES = [("change carried out", "rest", "topic"), ("before the change", "rest", "file"), ("before the resume", "rest", "file"),
              ("change carried out", "topic", "topic")]


@pytest.mark.parametrize(("step", "method", "kind"), UNDO_CASES, ids=["-".join(case) for case in UNDO_CASES])
def test_undo(step, method, kind, name, keep, kill_at, run, main, kafka, worker):
    """Undone once; it delivers nothing, as it goes on from the end."""
    both = {"name": name, "stop": True, "change_id": "CHG-1", "method": method, **keep("topic"), **keep(kind)}
    desired, undo = {**both, "offsets": [at(1)], "final_state": "leave"}, {**both, "state": "restored"}
    assert run("connector_offsets", **desired)["changed"] is True
    worker.put(name, "resume")
    wait_until(lambda: kafka.values(name) == FIRST + REPLAY)
    worker.put(name, "stop")
    worker.await_state(name, "STOPPED", [])
    run("connector_offsets", name=name, offsets=[at(3)])
    worker.put(name, "resume")
    worker.await_state(name, "RUNNING", ["RUNNING"])
    wait_until(lambda: kafka.values(name) == FIRST + REPLAY + FIRST[4:])
    wait_until(lambda: worker.offsets(name) == [at(4)])
    # What was there before is at(4), as now: something else has to be live, or there is nothing to undo.
    worker.must("PUT", f"connectors/{name}/config", {**worker.config(name), "records.per.partition": "7"})
    wait_until(lambda: worker.offsets(name) == [at(6)])
    worker.await_state(name, "RUNNING", ["RUNNING"])
    before = kafka.values(name)
    steps = {"change carried out": (written_back(kafka, main, name), False)} if method == "topic" else STEPS
    kill_at(*steps[step][:2], undo)
    assert ledger_of(both, main)["phase"] == ("restored" if step == "before the resume" else "applied")
    second = run("connector_offsets", **undo)
    assert not second["failed"], second["msg"]
    worker.await_state(name, "RUNNING", ["RUNNING"])
    wait_until(lambda: kafka.values(name) == before + ['{"p":0}#5', '{"p":0}#6'], reason="what comes after at(4)")
    change = ledger_of(both, main)
    assert (change["phase"], change["state_to_restore"], change["before"]) == ("restored", None, [at(4)])
    for again in (undo, desired):
        third = run("connector_offsets", **again)
        assert (third["failed"], third["changed"], third["already_applied"]) == (False, False, False)
    assert kafka.values(name) == before + ['{"p":0}#5', '{"p":0}#6'] and worker.state(name) == ("RUNNING", ["RUNNING"])


def written_back(kafka, cluster, name):
    key = f'["{name}",{{"p":0}}]'
    return lambda request: request.path.endswith("/status") and kafka.live_offsets(cluster.offset_topic, name).get(key) == '{"n":4}'


# ---- whole playbooks


PLAY = """
- hosts: all
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
  tasks:
    - streamops.kafka_connect.connector_offsets: "{{ desired }}"
"""


def killed_playbook(step: str, playbook: str, variables: dict, proxy_to, main, folder) -> None:
    killer = Killer(*STEPS[step][:2])
    killer.proxy = proxy_to(main.url, killer)
    (folder / "vars.json").write_text(json.dumps(variables).replace(main.url, killer.proxy.url))
    command = [str(Path(sys.executable).with_name("ansible-playbook")), "-i", "eu,", "-e", "@vars.json", playbook]
    killer.run = PlaybookRun(command, folder, environment())
    killer.run.killed()


def test_a_playbook(name, keep, proxy_to, playbooks, run, main, kafka, recorder, tmp_path):
    step, desired = "change carried out", {"name": name, "offsets": [at(1)], "stop": True, "change_id": "CHG-1", **keep("topic")}
    (tmp_path / "play.yml").write_text(PLAY)
    variables = {"desired": {**desired, "connect_url": [main.url]}}
    killed_playbook(step, "play.yml", variables, proxy_to, main, tmp_path)
    is_made_once(run, desired, main, kafka, LEFT[step], recorder)
    again = playbooks.run("play.yml", {"eu": {}}, "-v", **variables)
    assert again.rc == 0 and again.recap["eu"]["changed"] == 0 and '"already_applied": true' in again.stdout, again


@pytest.mark.parametrize("step", ["change carried out", "before the resume"])
def test_the_role(step, name, keep, proxy_to, playbooks, main, kafka, worker, tmp_path):
    """The playbook of the collection, killed and started again as it is."""
    variables = {"kafka_connect_url": main.url, "kafka_bootstrap_servers": kafka.bootstrap_servers, "reset_offsets_settle": 0,
                 "reset_offsets_change_id": "CHG-1", "reset_offsets_check_position": "none",
                 "reset_offsets_backup_dir": str(playbooks.backups),
                 "reset_offsets_connectors": [{"name": name, "offsets": [at(1)]}]}
    killed_playbook(step, RESET, variables, proxy_to, main, tmp_path)
    desired = {"name": name, **keep("topic")}
    found = ledger_of(desired, main)
    assert (found["phase"], found["before"], found["state_to_restore"]) == (LEFT[step][0], [at(4)], "RUNNING")
    counts = []
    for _time in range(2):
        play = playbooks.run(RESET, {"eu": {}}, **variables)
        assert play.rc == 0, play
        counts.append(play.recap["eu"]["changed"])
        worker.await_state(name, "RUNNING", ["RUNNING"])
        wait_until(lambda: kafka.values(name) == FIRST + REPLAY, reason="the replay")
        wait_until(lambda: worker.offsets(name) == [at(4)])
    assert counts[0] > 0 and counts[1] == 0
    change = ledger_of(desired, main)
    assert (change["phase"], change["before"], change["state_to_restore"]) == ("applied", [at(4)], None)
    assert kafka.values(name) == FIRST + REPLAY and worker.state(name) == ("RUNNING", ["RUNNING"])
