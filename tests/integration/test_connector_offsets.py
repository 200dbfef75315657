# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The twelve steps of connector_offsets: set, change, remove; dry and real; first and second time."""

from __future__ import annotations

import json

import pytest

from tests.integration.support.configs import at, entry, file_source, shaped
from tests.integration.support.modules import PREDICTED
from tests.integration.support.worker import ordered, wait_until

#: name -> (offsets before, arguments, offsets after, what happens to which partition: action, from, to, direction, distance)
STEPS = {
    "set a new partition": (
        [at(3)], {"offsets": [at(7, p=1)]}, [at(3), at(7, p=1)],
        [({"p": 1}, "set", None, {"n": 7}, "unknown", None), ({"p": 0}, "keep", {"n": 3}, {"n": 3}, "none", 0)]),
    "set the first one": ([], {"offsets": [at(2)]}, [at(2)], [({"p": 0}, "set", None, {"n": 2}, "unknown", None)]),
    "change": (
        [at(3), at(9, p=1)], {"offsets": [at(1)]}, [at(1), at(9, p=1)],
        [({"p": 0}, "set", {"n": 3}, {"n": 1}, "backward", 2), ({"p": 1}, "keep", {"n": 9}, {"n": 9}, "none", 0)]),
    "change with purge": (
        [at(3), at(9, p=1)], {"offsets": [at(8)], "purge": True}, [at(8)],
        [({"p": 0}, "set", {"n": 3}, {"n": 8}, "forward", 5), ({"p": 1}, "remove", {"n": 9}, None, "unknown", None)]),
    "purge only": (
        [at(3), at(9, p=1)], {"offsets": [at(3)], "purge": True}, [at(3)],
        [({"p": 1}, "remove", {"n": 9}, None, "unknown", None), ({"p": 0}, "keep", {"n": 3}, {"n": 3}, "none", 0)]),
    "replace the whole map": (
        [entry({"p": 0}, {"n": 3, "old": True})], {"offsets": [entry({"p": 0}, {"n": 3, "new": None})], "force": True},
        [entry({"p": 0}, {"n": 3, "new": None})],
        [({"p": 0}, "set", {"n": 3, "old": True}, {"n": 3, "new": None}, "unknown", None)]),
    "remove the listed": (
        [at(3), at(9, p=1)], {"state": "absent", "offsets": [{"partition": {"p": 1}}]}, [at(3)],
        [({"p": 1}, "remove", {"n": 9}, None, "unknown", None), ({"p": 0}, "keep", {"n": 3}, {"n": 3}, "none", 0)]),
    "remove all": (
        [at(3), at(9, p=1)], {"state": "absent"}, [],
        [({"p": 0}, "remove", {"n": 3}, None, "unknown", None), ({"p": 1}, "remove", {"n": 9}, None, "unknown", None)]),
    "null in a document removes": (
        [at(3), at(9, p=1)], {"content": json.dumps([at(4), entry({"p": 1}, None)])}, [at(4)],
        [({"p": 0}, "set", {"n": 3}, {"n": 4}, "forward", 1), ({"p": 1}, "remove", {"n": 9}, None, "unknown", None)]),
}


@pytest.mark.parametrize("step", STEPS)
def test_dry_real_and_again(step, make, run, worker, main, kafka, recorder):
    before, arguments, after, actions = STEPS[step]
    name = make(shaped(alter_offsets="accept"), offsets=before or None)
    expected = [dict(zip(("partition", "action", "from", "to", "direction", "distance"), action, strict=True)) for action in actions]
    counts = {verb: sum(action["action"] == verb for action in expected) for verb in ("set", "remove", "keep")}

    def declare(check: bool) -> dict:
        return run("connector_offsets", name=name, connect_url=[recorder.url], check=check, **arguments)

    dry = declare(check=True)
    assert recorder.verbs == {"GET"}
    assert worker.offsets(name) == before, "a dry run changed something"
    real = declare(check=False)
    assert len(recorder.writes()) == 1
    assert worker.offsets(name) == ordered(after)
    assert {json.loads(key)[1]["p"]: json.loads(value) for key, value in kafka.live_offsets(main.offset_topic, name).items()} == {
        pair["partition"]["p"]: pair["offset"] for pair in after}
    for result in (dry, real):
        assert result["changed"] is True and not result["failed"]
        assert result["actions"] == expected
        assert result["offsets_before"] == before
        assert result["offsets"] == ordered(after)
        assert result["counts"] == {**counts, "before": len(before), "after": len(after)}
        assert result["truncated"] is False
        assert result["connector"]["state"] == "STOPPED"
        diff, = result["diff"]
        assert diff["before"] == {json.dumps(pair["partition"]): pair["offset"] for pair in before}
        assert diff["after"] == {json.dumps(pair["partition"]): pair["offset"] for pair in after}
    assert {key: dry[key] for key in PREDICTED} == {key: real[key] for key in PREDICTED}

    recorder.requests.clear()
    for check in (True, False):
        again = declare(check)
        assert again["changed"] is False and not again["failed"]
        assert again["offsets"] == again["offsets_before"] == ordered(after)
        assert {action["action"] for action in again["actions"]} <= {"keep"}
        assert again["diff"][0]["before"] == again["diff"][0]["after"]
    assert recorder.verbs == {"GET"}
    assert worker.state(name) == ("STOPPED", [])


def test_result_feeds_back_as_input(make, run, worker):
    name = make(shaped(), offsets=[at(3), at(9, p=1)])
    first = run("connector_offsets", name=name, offsets=[at(1)])
    back = run("connector_offsets", name=name, offsets=first["offsets_before"])
    assert back["changed"] is True
    assert worker.offsets(name) == [at(3), at(9, p=1)]
    assert run("connector_offsets", name=name, offsets=back["offsets"], purge=True)["changed"] is False


def test_backup_can_be_put_back(make, run, worker, tmp_path):
    """Written before the change, for its owner only, never overwritten, and read by src."""
    before = [at(3), entry({"p": "café-🚚"}, {"n": 9007199254740993, "t": None})]
    name = make(shaped(), offsets=before)
    file = tmp_path / "b" / "backup.json"
    dry = run("connector_offsets", check=True, name=name, state="absent", backup=True, backup_file=str(file))
    assert dry["backup_file"] == str(file) and not file.parent.exists()
    assert run("connector_offsets", name=name, state="absent", backup=True, backup_file=str(file))["backup_file"] == str(file)
    assert worker.offsets(name) == []
    assert file.stat().st_mode & 0o777 == 0o600
    kept = file.read_bytes()
    assert ordered(json.loads(kept)["connectors"][name]) == ordered(before)
    refused = run("connector_offsets", name=name, offsets=[at(1)], backup=True, backup_file=str(file))
    assert refused["failed"] and "exists already" in refused["msg"]
    assert worker.offsets(name) == [] and file.read_bytes() == kept
    assert run("connector_offsets", name=name, src=str(file), purge=True)["changed"] is True
    assert worker.offsets(name) == ordered(before)


def test_replay_of_a_running_connector(name, make, run, worker, kafka, tmp_path, live_stack, main, recorder):
    """With stop: stopped once, changed, started again; the records come again; a restarted worker goes on from there."""
    file = tmp_path / "in.txt"
    file.write_text("one\ntwo\nthree\n")
    partition = {"filename": str(file)}
    make(file_source(file), state="RUNNING", name=name)
    worker.await_state(name, "RUNNING", ["RUNNING"])
    wait_until(lambda: worker.offsets(name) == [entry(partition, {"position": 14})])
    desired = {"name": name, "offsets": [entry(partition, {"position": 4})], "stop": True, "connect_url": [recorder.url]}
    dry = run("connector_offsets", check=True, **desired)
    assert recorder.verbs == {"GET"}
    assert worker.state(name) == ("RUNNING", ["RUNNING"])
    real = run("connector_offsets", **desired)
    assert {key: dry[key] for key in PREDICTED} == {key: real[key] for key in PREDICTED}
    assert [verb for verb, _path in recorder.writes()] == ["PUT", "PATCH", "PUT"]
    assert real["changed"] is True and real["connector"]["state"] == "RUNNING"
    assert any("RUNNING" in warning for warning in real["warnings"]), "not told that this repeats at every run"
    wait_until(lambda: kafka.values(name) == ["one", "two", "three", "two", "three"], reason="the replay")
    assert worker.state(name) == ("RUNNING", ["RUNNING"])

    worker.put(name, "stop")
    worker.await_state(name, "STOPPED", [])
    assert run("connector_offsets", name=name, offsets=[entry(partition, {"position": 8})])["changed"] is True
    live_stack.restart_worker(main.url)
    assert worker.offsets(name) == [entry(partition, {"position": 8})]
    worker.put(name, "resume")
    wait_until(lambda: kafka.values(name) == ["one", "two", "three", "two", "three", "three"], reason="the second replay")


@pytest.mark.parametrize(("found", "final", "after"), [
    ("STOPPED", "started", ("RUNNING", ["RUNNING"])), ("RUNNING", "paused", ("PAUSED", ["PAUSED"])),
    ("RUNNING", "stopped", ("STOPPED", []))])
def test_final_state(found, final, after, make, run, worker, name):
    """Whether its offsets change or not."""
    make(shaped(topic=name), state=found, offsets=[at(4)] if found == "STOPPED" else None, name=name)
    wait_until(lambda: worker.offsets(name) == [at(4)])
    desired = {"name": name, "offsets": [at(4)], "stop": True, "final_state": final}
    dry = run("connector_offsets", check=True, **desired)
    assert worker.state(name)[0] == found and dry["counts"]["set"] == 0
    real = run("connector_offsets", **desired)
    assert (dry["changed"], dry["diff"]) == (real["changed"], real["diff"]) and real["changed"] is True, real
    assert real["connector"]["state"] == after[0] and worker.state(name) == after and worker.offsets(name) == [at(4)]
    for check in (True, False):
        assert run("connector_offsets", check=check, **desired)["changed"] is False
    changed = run("connector_offsets", **{**desired, "offsets": [at(2)]})
    assert changed["changed"] is True and changed["counts"]["set"] == 1 and worker.state(name)[0] == after[0]
