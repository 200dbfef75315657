# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The reset of a mirror, step by step, and what becomes of it where a step fails."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror import reset
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset import Clusters, Finish, MirrorReset

CONFIG = {"source.cluster.alias": "east", "target.cluster.alias": "west", "source.cluster.bootstrap.servers": "e:9092"}
DEDICATED = "mm2-offsets.east.internal"


class World:
    """The clusters of a mirror with the connectors s1 and c1. ``steps``: what was changed, in order. ``fails``: step -> exception."""

    cluster_id = None

    def __init__(self, monkeypatch, tmp_path):
        self.steps, self.looks, self.fails = [], [], {}
        self.path = tmp_path / "b.json"
        self.states = {"s1": "RUNNING", "c1": "RUNNING"}
        self.topics = {"east.a": 8, "east.checkpoints.internal": 3, "mm2-offset-syncs.west.internal": 2}
        self.next_offset, self.actions, self.change, self.applied = 4, ["remove"], None, False
        self.nodes = []
        for name in ("declare_state", "declare_topics", "topic_offsets"):
            monkeypatch.setattr(reset, name, getattr(self, name))
        monkeypatch.setattr(reset, "MirrorInfo", lambda *args, **more: SimpleNamespace(result=self.mirror_info))
        connectors = {name: {"status": {"connector": {"state": state}, "tasks": []}, "info": {"config": {**CONFIG, "connector.class": kind}}}
                      for (name, state), kind in zip(self.states.items(), ("MirrorSourceConnector", "MirrorCheckpointConnector"), strict=True)}
        self.connectors = connectors
        self.connect = SimpleNamespace(connectors=lambda: connectors, url="http://w", root=dict)
        self.sources = SimpleNamespace(given={}, client=lambda flow: f"source of {flow}", named=lambda alias: f"source {alias}")

    def step(self, *parts):
        text = " ".join(parts)
        self.steps.append(text)
        if text in self.fails:
            raise self.fails.pop(text)

    def run(self, check_mode=False, phase="reset", **params):
        params = {"connectors": [], "topics": ["a"], "all": False, "reset_to": "earliest", "target": "keep", "offset_syncs": False, "force": False,
                  "offset_topic": None, "change_id": "CHG-1", "boundary_file": str(self.path), "wait_timeout": 5, "catch_up_timeout": 100, **params}
        connect = None if params["offset_topic"] == DEDICATED else self.connect
        clusters = Clusters(connect, self, self.sources, params)
        if phase == "finish":
            return Finish(clusters, params, self.sleep, self.clock).run(check_mode)
        return MirrorReset(clusters, params, self.declare_offsets).run(check_mode)

    # ---- what the reset is made of

    @property
    def admin(self):
        return SimpleNamespace(look_for=lambda names: {name: "id" if name in self.topics else None for name in names})

    def mirror_info(self, name):
        row = {"topic": "a", "partition": 0, "next_offset": self.next_offset, "begin": 0, "end": 5, "lag": 5 - self.next_offset}
        return {"warnings": ["seen"], "flows": [{
            "connector": name, "source": "east", "target": "west", "policy": "default", "nodes": self.nodes, "partitions": [row],
            "topics": [{"topic": "a", "copy": "east.a"}], "checkpoints": {"topic": "east.checkpoints.internal"},
            "offset_syncs": {"topic": "mm2-offset-syncs.west.internal", "at": "source"}}]}

    def declare_offsets(self, check_mode, name, **options):
        kind = options.get("state") or ("file" if "src" in options else options["final_state"])
        if not check_mode:
            self.step("offsets", name, kind)
        found = None if DEDICATED in self.looks else {"state": self.states.get(name), "tasks": []}
        return {"changed": bool(self.actions), "counts": {"set": 0, "remove": len(self.actions), "keep": 0}, "method": "rest", "warnings": ["again"],
                "backup_file": options.get("backup_file"), "actions": [{"action": one} for one in self.actions], "diff": [name], "change": self.change,
                "already_applied": self.applied, "connector": found, "state_before": found and found["state"], "offsets": []}

    def declare_state(self, client, name, state, wait_timeout, check_mode):
        if not check_mode:
            self.step(state, name)
        return {"changed": True, "warnings": []}

    def declare_topics(self, kafka, names, state, wait_timeout, check_mode, check_readers=lambda names: []):
        if not check_mode:
            self.step(state, *names)
        else:
            self.looks.append(("" if kafka is self else f"{kafka}: ") + " ".join([state, *names]))
        warnings = check_readers(names) if state == "absent" else []
        return {"changed": any(name in self.topics for name in names), "diff": list(names), "warnings": warnings,
                "topics": [{"name": name, "exists": name in self.topics, "records_at_most": self.topics.get(name)} for name in names]}

    def topic_offsets(self, kafka, names):
        return {"topics": [{"name": name, "partitions": [{"partition": 0, "end": self.topics[name]}]} for name in names]}

    def sleep(self, seconds):
        self.steps.append(seconds)
        if self.next_offset is not None and seconds > 2:
            self.next_offset = 5 if self.next_offset == 3 else self.next_offset

    def clock(self):
        return sum(step for step in self.steps if isinstance(step, float))


@pytest.fixture
def world(monkeypatch, tmp_path):
    return World(monkeypatch, tmp_path)


@pytest.fixture
def two(world):
    """A mirror of two source connectors, s1 and s2."""
    world.states["s2"], world.connectors["s2"] = "RUNNING", world.connectors["s1"]
    return world


STOPS = ["stopped c1", "offsets s1 found_later", "stopped s1"]
STARTS = ["offsets s1 found", "started s1"]
RECREATED = ["absent east.checkpoints.internal", "absent east.a"]


def test_positions_alone(world):
    found = world.run()
    assert world.steps == [*STOPS, *STARTS, "started c1"]
    assert (found["changed"], found["needed"], found["runs"], found["deleted"], found["diff"]) == (True, True, True, [], ["s1"])
    assert found["connectors"] == [{
        "connector": "s1", "changed": True, "counts": {"set": 0, "remove": 1, "keep": 0}, "method": "rest", "actions": [{"action": "remove"}],
        "state": "started", "change_id": "CHG-1", "already_applied": False, "backup_file": str(world.path)[:-5] + ".s1.backup.json"}]
    assert found["warnings"] == ["seen", "again"]
    assert json.loads(world.path.read_text()) == found["boundary"]
    assert found["boundary"]["topics"]["a"]["partitions"] == {"0": {"next": 4, "end": 5, "boundary": 8}}
    assert found["boundary"]["source_cluster"] == {"bootstrap_servers": "e:9092", "security_protocol": "PLAINTEXT"}
    assert found["boundary"]["deferred"] == []


def test_without_a_name_the_ledger_is_not_asked_for_the_states(world):
    world.run(change_id=None)
    assert world.steps == ["stopped c1", "offsets s1 leave", "stopped s1", "started s1", "started c1"]


def test_new_copies(world):
    """Checkpoints go first, and their connector waits for the new copies."""
    found = world.run(target="recreated")
    assert world.steps == [*STOPS, *RECREATED, *STARTS]
    assert found["deleted"] == ["east.checkpoints.internal", "east.a"] and found["diff"] == ["s1", "east.checkpoints.internal", "east.a"]
    assert found["boundary"]["deferred"] == [{"name": "c1", "state": "started", "failed": False}]
    assert found["boundary"]["topics"]["a"]["partitions"]["0"]["boundary"] == 0


def test_copies_without_records_and_offset_syncs(world):
    found = world.run(target="emptied", offset_syncs=True)
    assert world.steps == [*STOPS, "absent mm2-offset-syncs.west.internal", "emptied east.a", *STARTS, "started c1"]
    assert "source of east->west: absent mm2-offset-syncs.west.internal" in world.looks
    assert (found["deleted"], found["emptied"]) == (["mm2-offset-syncs.west.internal"], ["east.a"])


def test_the_prediction_changes_nothing(world):
    found = world.run(check_mode=True, target="recreated")
    assert world.steps == [] and not world.path.exists()
    assert (found["changed"], found["deleted"], found["boundary_file"]) == (True, ["east.checkpoints.internal", "east.a"], None)


def test_nothing_to_do(world):
    world.actions = []
    assert world.run()["changed"] is False and world.steps == []


def test_a_dedicated_mirror(world):
    world.looks.append(DEDICATED)
    found = world.run(offset_topic=DEDICATED, target="emptied")
    assert world.steps == ["offsets MirrorSourceConnector found_later", "emptied east.a", "offsets MirrorSourceConnector found"]
    assert found["runs"] is False and found["connectors"][0]["state"] is None
    world.nodes = ["n1"]
    with pytest.raises(errors.DeclarationError, match="Nodes of MirrorMaker run.*n1"):
        world.run(offset_topic=DEDICATED)


def test_no_worker_to_ask(world):
    world.connect = None
    with pytest.raises(errors.DeclarationError, match="kafka_connect_url is missing"):
        world.run()


@pytest.mark.parametrize("step", ["stopped c1", "offsets s1 found_later", "stopped s1", "offsets s1 found", "started s1", "started c1"])
def test_a_failure_is_undone(world, step):
    world.fails[step] = errors.StateError("not today.")
    with pytest.raises(errors.StateError) as caught:
        world.run()
    assert caught.value.message == (
        "The reset of east->west failed, no topic was deleted or emptied, and positions and states are as they were: not today.")
    undone = [] if step in STOPS[:2] else ["offsets s1 restored"]
    assert world.steps[-len(undone) - 2:] == [*undone, "started s1", "started c1"]
    assert ("offsets s1 restored" in world.steps) is bool(undone)


def test_without_a_name_it_is_undone_by_the_backup(world):
    world.fails["started s1"] = errors.StateError("not today")
    with pytest.raises(errors.StateError, match="as they were: not today."):
        world.run(change_id=None)
    assert world.steps[-3:] == ["offsets s1 file", "started s1", "started c1"]


def test_what_a_killed_run_has_begun_is_undone_as_well(world):
    world.actions, world.change = [], {"phase": "started", "state_to_restore": "RUNNING", "after": []}
    world.fails["started c1"] = errors.StateError("not today")
    with pytest.raises(errors.StateError):
        world.run()
    assert "offsets s1 restored" in world.steps


def test_a_killed_run_that_had_deleted_the_copies(world):
    """Checkpoints that have come back since go as well."""
    world.states["s1"], world.actions, world.change = "STOPPED", [], {"phase": "started", "state_to_restore": "RUNNING", "after": []}
    del world.topics["east.a"]
    assert world.run(target="recreated")["deleted"] == ["east.checkpoints.internal"]
    world.change = None
    assert world.run(target="recreated")["deleted"] == []


def test_a_signal_is_undone(world, monkeypatch):
    stop = world.declare_state

    def interrupted(client, name, *rest):
        if name == "c1" and rest[0] == "stopped" and not rest[2]:
            INTERRUPTS.came = "SIGTERM"
        return stop(client, name, *rest)

    monkeypatch.setattr(reset, "declare_state", interrupted)
    with pytest.raises(errors.Interrupted, match="SIGTERM"):
        world.run()
    assert world.steps == ["stopped c1", "started s1", "started c1"]


def test_a_fault_of_our_own_does_not_leave_it_stopped(world):
    world.fails["stopped s1"] = KeyError("oops")
    with pytest.raises(errors.ConnectError) as caught:
        world.run()
    assert world.steps[-3:] == ["offsets s1 restored", "started s1", "started c1"]
    assert caught.value.message.endswith("and positions and states are as they were: Unexpected error, KeyError: 'oops'.")
    assert "Traceback" in caught.value.facts["exception"]


def test_a_fault_of_our_own_that_cannot_be_undone_says_what_is_left(world):
    world.fails = {"stopped s1": KeyError("oops"), "offsets s1 restored": errors.StateError("nor tomorrow")}
    with pytest.raises(errors.ConnectError) as caught:
        world.run()
    assert "could be undone: Unexpected error, KeyError: 'oops'. The positions of s1 could not be restored" in caught.value.message
    assert "KeyError" in caught.value.facts["exception"] and world.steps[-1] == "started c1"


def test_a_fault_of_our_own_after_a_deletion_says_what_is_left(world):
    world.fails["started s1"] = KeyError("oops")
    with pytest.raises(errors.ConnectError, match="failed after .* were deleted .*KeyError: 'oops'. Positions and states are left as they are now"):
        world.run(target="recreated")


@pytest.mark.parametrize("step, lost", [
    ("absent east.checkpoints.internal", "east.checkpoints.internal was deleted"), ("absent east.a", "east.checkpoints.internal, east.a were deleted"),
    ("started s1", "east.checkpoints.internal, east.a were deleted"),
])
def test_after_a_deletion_nothing_is_undone(world, step, lost):
    world.fails[step] = errors.WaitError("not today")
    with pytest.raises(errors.WaitError) as caught:
        world.run(target="recreated")
    assert world.steps[-1] == step
    for words in (f"failed after {lost} (or may have been)", "not today. Positions", "the same run again, with the same change_id.",
                  "s1 (started), c1 (started)", f"{str(world.path)[:-5]}.s1.backup.json"):
        assert words in caught.value.message


def test_a_deletion_that_is_refused_is_none(world, monkeypatch):
    real = world.declare_topics

    def refused(kafka, names, *rest):
        if world.steps:
            raise errors.BrokerDenied("no more.")
        return real(kafka, names, *rest)

    monkeypatch.setattr(reset, "declare_topics", refused)
    with pytest.raises(errors.BrokerDenied, match="no topic was deleted or emptied, .*: no more.$"):
        world.run(target="recreated")


def test_a_copy_that_a_sink_reads(world):
    """Unless it is meant: the sink would lose its offsets."""
    world.connectors["sink"] = {"status": {"connector": {"state": "RUNNING"}, "type": "sink"}, "info": {"config": {"topics": "east.a"}}}
    with pytest.raises(errors.StateError, match="sink .RUNNING. reads east.a"):
        world.run(target="recreated")
    assert world.steps == []
    assert world.run(target="emptied", check_mode=True)["emptied"] == ["east.a"]
    assert any("lose their offsets" in text for text in world.run(target="recreated", force=True)["warnings"])


def test_what_cannot_be_undone_is_said(world):
    world.fails["stopped s1"] = errors.StateError("not today")
    world.fails["offsets s1 restored"] = errors.StateError("nor tomorrow.")
    with pytest.raises(errors.StateError) as caught:
        world.run()
    assert caught.value.message == (
        "The reset of east->west failed, no topic was deleted or emptied, but not everything could be undone: not today. The positions of s1 could not be "
        "restored, so it was not brought back to its state: nor tomorrow. Restore them with the playbook streamops.kafka_connect.restore_offsets from the "
        f"backup {str(world.path)[:-5]}.s1.backup.json, then bring it to the state started. Positions and states of the other connectors are as they were.")


def test_the_undo_goes_on_with_the_other_connectors(two):
    """The one whose positions are not restored stays stopped: it would copy what it should not."""
    two.fails = {"stopped s2": errors.StateError("not today"), "offsets s1 restored": errors.StateError("nor tomorrow")}
    with pytest.raises(errors.StateError) as caught:
        two.run()
    assert two.steps[-4:] == ["offsets s1 restored", "offsets s2 restored", "started s2", "started c1"]
    assert "The positions of s1 could not be restored" in caught.value.message and "s2" not in caught.value.message


@pytest.mark.parametrize("fault", [errors.StateError("nor tomorrow"), KeyError("oops")])
def test_a_start_that_fails_in_the_undo_does_not_leave_the_others_stopped(two, fault):
    two.fails = {"stopped s2": errors.StateError("not today"), "started s1": fault}
    with pytest.raises(errors.StateError) as caught:
        two.run()
    assert two.steps[-5:] == ["offsets s1 restored", "offsets s2 restored", "started s1", "started s2", "started c1"]
    words = "nor tomorrow." if isinstance(fault, errors.StateError) else "Unexpected error, KeyError: 'oops'."
    assert caught.value.message == (
        "The reset of east->west failed, no topic was deleted or emptied, but not everything could be undone: not today. s1 could not be brought back to its "
        f"state, started: {words} Bring it to that state. Positions and states of the other connectors are as they were.")


def test_each_connector_that_is_left_is_named(two):
    two.fails = {"stopped s2": errors.StateError("not today")}
    for step in ("offsets s1 restored", "offsets s2 restored", "started c1"):
        two.fails[step] = errors.StateError(f"no {step}")
        two.fails[step].warnings = [f"look at {step}"]
    with pytest.raises(errors.StateError) as caught:
        two.run()
    assert "positions of s1" in caught.value.message and "positions of s2" in caught.value.message and "as they were" not in caught.value.message
    assert caught.value.message.endswith("c1 could not be brought back to its state, started: no started c1. Bring it to that state.")
    assert caught.value.warnings[-3:] == ["look at offsets s1 restored", "look at offsets s2 restored", "look at started c1"]


def test_what_had_failed_before_may_fail_again(world):
    world.states["s1"] = "FAILED"
    world.fails["started s1"] = errors.StateError("failed again")
    found = world.run()
    assert found["warnings"] == ["seen", "again", "failed again"] and world.steps[-1] == "started c1"


# ---- to wait until it has caught up


@pytest.fixture
def written(world):
    """A mirror with new copies, which has copied 4 of 5 records."""
    world.run(target="recreated")
    del world.steps[:]
    return world


def test_it_has_caught_up(written):
    written.next_offset = 5
    found = written.run(phase="finish")
    assert written.steps == ["started c1"]
    assert (found["changed"], found["mirror"], found["left"], found["topics"]) == (True, "east->west", {"records": 0, "partitions": 0}, ["a"])


def test_the_pauses_grow(written):
    written.next_offset = 3
    written.run(phase="finish")
    # after 20 s a tenth of the time that it takes
    assert written.steps == [2.0] * 11 + [pytest.approx(2.2), "started c1"]


def test_it_does_not_catch_up(written):
    with pytest.raises(errors.WaitError) as caught:
        written.run(phase="finish", catch_up_timeout=7)
    assert caught.value.message == (
        "After 7 s there are still to be copied: 1 record of 1 partition. east->west was reset as declared; this is kept. Its connectors were brought back to "
        f"the states in which they were found. To wait again use phase: finish with boundary_file: {written.path}.")
    assert caught.value.facts["left"] == {"records": 1, "partitions": 1}
    # the connectors that waited are started all the same
    assert written.steps == [2.0, 2.0, 2.0, 1.0, "started c1"]


def test_a_wait_that_fails_says_that_the_reset_was_made(written, monkeypatch):
    """Whatever it fails by, and the connectors that waited are started all the same."""
    def away(name):
        error = errors.BrokersUnreachable("east cannot be reached.")
        error.warnings = ["look at east"]
        raise error

    monkeypatch.setattr(written, "mirror_info", away)
    with pytest.raises(errors.BrokersUnreachable) as caught:
        written.run(phase="finish")
    assert caught.value.message == (
        "east cannot be reached. east->west was reset as declared; this is kept. Its connectors were brought back to the states in which they were found. To "
        f"wait again use phase: finish with boundary_file: {written.path}.")
    assert written.steps == ["started c1"] and caught.value.warnings == ["look at east"]


def test_a_connector_that_waited_cannot_be_started(written):
    written.fails["started c1"] = errors.StateError("not today")
    with pytest.raises(errors.WaitError) as caught:
        written.run(phase="finish", catch_up_timeout=1)
    assert caught.value.message.endswith(
        "kept. c1, which waited for the end of copying, could not be brought back to its state, started: not today. To wait again use phase: finish with "
        f"boundary_file: {written.path}.")


@pytest.mark.parametrize("patience, words", [(100, "has caught up"), (0, "was not waited for")])
def test_connectors_that_wait_are_all_started_and_a_failure_says_that_the_reset_was_made(written, patience, words):
    found = json.loads(written.path.read_text())
    found["deferred"].append({"name": "c2", "state": "paused", "failed": False})
    written.path.write_text(json.dumps(found))
    written.fails["started c1"] = errors.StateError("not today")
    written.next_offset = 5
    with pytest.raises(errors.StateError) as caught:
        written.run(phase="finish", catch_up_timeout=patience)
    assert written.steps == ["started c1", "paused c2"]
    assert caught.value.message == (
        f"east->west {words}. east->west was reset as declared; this is kept. c1, which waited for the end of copying, could not be brought back to its state, "
        f"started: not today. To try again use phase: finish with boundary_file: {written.path}.")


def test_nobody_waits(written):
    found = written.run(phase="finish", catch_up_timeout=0)
    assert found["left"] is None and written.steps == ["started c1"]
    assert written.run(phase="finish", check_mode=True)["changed"] is False


def test_without_the_file(world):
    with pytest.raises(errors.DeclarationError, match="needs boundary_file"):
        world.run(phase="finish", boundary_file=None)
