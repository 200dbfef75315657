# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the reset of a mirror has to do."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import CHECKPOINT
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset_choice import Member
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset_plan import Due, Plan, choose_copies, judge, may_delete

FLOW = {"source": "east", "target": "west", "policy": "default", "checkpoints": {"topic": "cp"}, "offset_syncs": {"topic": "os"}}
COUNTS = {"set": 1, "remove": 2, "keep": 3}
P0, P1 = {"partition": 0}, {"partition": 1}
#: a change of a killed run, and one that was made to its end: P0 was set to 4, the offset of P1 removed
AFTER = [{"partition": P0, "offset": {"offset": 4}}, {"partition": P1, "offset": None}]
BEGUN = {"phase": "started", "state_to_restore": "RUNNING", "after": AFTER}
MADE = {"phase": "applied", "state_to_restore": None, "after": AFTER}
LIVE = [{"partition": P0, "offset": {"offset": 4}}]


def predicted(state="RUNNING", change=None, applied=False, offsets=(), actions=("set", "keep"), tasks=()) -> dict:
    connector = None if state is None else {"state": state, "tasks": [{"state": one} for one in tasks]}
    return {"change": change, "connector": connector, "already_applied": applied, "actions": [{"action": one} for one in actions], "counts": COUNTS,
            "offsets": list(offsets), "state_before": state}


def status(dedicated=False, **more):
    return judge("s1", predicted(**more), dedicated)


@pytest.mark.parametrize("more, expected", [
    ({}, (True, False, False, False, False, "started", False)),
    ({"actions": ["keep"], "state": "PAUSED"}, (False, False, False, False, False, "paused", False)),
    ({"tasks": ["RUNNING", "FAILED"]}, (True, False, False, False, False, "started", True)),
    ({"state": "FAILED"}, (True, False, False, False, False, "started", True)),
    ({"change": BEGUN, "state": "STOPPED"}, (True, False, False, True, False, "stopped", False)),
    # the offsets are set, and the state is still to be restored; somebody has done so
    ({"change": BEGUN, "applied": True, "state": "STOPPED"}, (True, False, False, True, False, "stopped", False)),
    ({"change": BEGUN, "applied": True}, (True, False, False, True, True, "started", False)),
    ({"change": MADE, "applied": True, "offsets": LIVE}, (True, True, False, False, False, "started", False)),
    ({"change": MADE, "applied": True, "offsets": LIVE, "state": "STOPPED"}, (True, True, True, False, False, "stopped", False)),
    ({"change": MADE, "applied": True, "offsets": [*LIVE, {"partition": P1, "offset": {"offset": 0}}], "state": "STOPPED"},
     (True, True, False, False, False, "stopped", False)),
    ({"change": MADE, "applied": True, "offsets": [{"partition": P0, "offset": {"offset": 5}}], "state": "STOPPED"},
     (True, True, False, False, False, "stopped", False)),
    ({"change": {**MADE, "phase": "restored"}, "offsets": LIVE, "state": "STOPPED"}, (True, True, False, False, False, "stopped", False)),
])
def test_what_a_prediction_says(more, expected):
    one = status(**more)
    assert (one.changes, one.done, one.intact, one.begun, one.resumed, one.due, one.failed) == expected


def test_nodes_of_a_dedicated_mirror_are_down():
    one = status(dedicated=True, state=None, change=MADE, applied=True, offsets=LIVE)
    assert one.intact and one.due is None and not one.failed
    assert not status(dedicated=True, state=None, change=MADE, applied=True).intact


def test_nothing_is_deleted_after_the_mirror_may_have_run():
    fresh, intact = status(), status(change=MADE, applied=True, offsets=LIVE, state="STOPPED")
    ran, resumed = status(change=MADE, applied=True), status(change=BEGUN, applied=True)
    assert may_delete([fresh, intact])
    assert not may_delete([fresh, ran]) and not may_delete([fresh, resumed])


def plan(*statuses, target="keep", others=(), copies=(), internal=(), policy="default", change_id="CHG-1") -> Plan:
    return Plan({**FLOW, "policy": policy}, target, change_id, list(statuses), list(others), list(copies), list(internal))


COPY = {"name": "east.a", "records_at_most": 7}


@pytest.mark.parametrize("statuses, copies, internal, needed", [
    ([status(actions=["keep"])], [], [], False), ([status()], [], [], True), ([status(actions=["keep"])], [COPY], [], True),
    ([status(actions=["keep"])], [], ["os"], True), ([status(actions=["keep"], change=BEGUN, state="STOPPED")], [], [], True),
    ([status(actions=["keep"], change=MADE, applied=True)], [], [], False),
])
def test_whether_anything_is_to_be_done(statuses, copies, internal, needed):
    found = plan(*statuses, target="recreated", copies=copies, internal=internal)
    assert found.needed is needed and ("Nothing has to be changed." in found.lines) is not needed


def test_states_to_restore():
    others = [Member("c1", CHECKPOINT, None, "stopped", True), Member("c2", CHECKPOINT, None, "paused", False)]
    found = plan(status(), others=others)
    assert found.runs and found.sources == [Due("s1", "started", False)] and found.deferred == []
    assert found.others == [Due("c1", "stopped", True), Due("c2", "paused", False)]
    # with new copies the old offset-syncs are wrong until the mirror has caught up
    assert plan(status(), others=others, target="recreated").deferred == found.others
    paused = plan(status(), status(state="PAUSED"), others=others, target="recreated")
    assert not paused.runs and paused.deferred == []


def test_after_a_killed_run_nobody_knows_the_states_of_the_others():
    others = [Member("c1", CHECKPOINT, None, "stopped", False)]
    killed = status(change=BEGUN, state="STOPPED")._replace(due="started")
    assert plan(killed, others=others).others == [Due("c1", "started", False)]
    assert plan(killed._replace(due="stopped"), others=others).others == [Due("c1", "stopped", False)]


def test_the_plan_in_words():
    found = plan(status(), target="recreated", copies=[COPY], internal=["os", "cp"], policy="identity")
    assert found.lines == [
        "s1 (east->west): 1 positions are set, 2 removed, 3 stay",
        "The copy east.a is deleted, and created again by MirrorMaker: it has up to 7 records.",
        "os is deleted: consumer groups are translated again when new records are copied.",
        "cp is deleted: checkpoints are only ever raised, so they would stall until the new copies are as long as the old ones. Those of other topics are "
        "written again by the connector."]
    assert found.deleted == ["os", "cp", "east.a"] and found.emptied == []
    assert len(found.warnings) == 1 and "IdentityReplicationPolicy" in found.warnings[0] and found.warnings[0].endswith(": east.a.")
    emptied = plan(status(change=MADE, applied=True), target="emptied", copies=[COPY])
    assert emptied.lines == ["s1 (east->west): the change CHG-1 was made before", "The copy east.a is emptied: it has up to 7 records."]
    assert emptied.emptied == ["east.a"] and emptied.deleted == [] and emptied.warnings == []
    undone = plan(status(change={**MADE, "phase": "restored"}))
    assert undone.lines[0] == "s1 (east->west): the change CHG-1 was undone, and is not made again"


def test_copies_that_go():
    found = [{"name": "a", "exists": True, "records_at_most": 1}, {"name": "b", "exists": True, "records_at_most": 0},
             {"name": "c", "exists": False, "records_at_most": None}]
    assert [[one["name"] for one in choose_copies(found, target)] for target in ("keep", "emptied", "recreated")] == [[], ["a"], ["a", "b"]]
