# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes without a change_id: recorded under one that is made, and what the next run on the connector does after one that was killed."""

from __future__ import annotations

import re

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import connector_changes
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.automatic_change import AutomaticChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import KEPT, expired, is_automatic, make_id
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_item import (
    FakeConnect,
    Killed,
    by_id,
    carried_out,
    kill,
    live,
    moves_on,
    pairs,
    positions,
)
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._ledger.test_tracked_change import FakeLedger, ago
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change

WISH, ORIGINAL = DesiredOffsets.present(pairs(a=4)), pairs(a=10)
#: number of the run -> its id
IDS = [f"auto-20270101T00000{number}Z-00ff" for number in range(9)]

STEPS = {
    "before the stop": {"stop": [kill]}, "after the stop": {"stop": [carried_out("stop")]},
    "before the change": {"alter": [kill]}, "after the change": {"alter": [carried_out("alter")]},
    "before the resume": {"resume": [kill]}, "after the resume": {"resume": [carried_out("resume")]},
}


@pytest.fixture
def dead(monkeypatch):
    found = set()
    monkeypatch.setattr(connector_changes, "is_gone", found.__contains__)
    return found


def automatic(connect, ledger, desired=WISH, number=1, check_mode=False, opened=None, **options):
    once = AutomaticChange(opened or (lambda: ledger), "c", IDS[number], sleep=connect.sleep, clock=connect.clock, run=f"r{number}")
    return run_alone(ChangeItem(connect, "c", desired, once=once, sleep=connect.sleep, clock=connect.clock, **{"stop": True, **options}), check_mode)


def killed(connect, ledger, dead, faults, desired=WISH, number=1):
    connect.faults = {method: list(steps) for method, steps in faults.items()}
    with pytest.raises(Killed):
        automatic(connect, ledger, desired, number)
    connect.faults.clear()
    connect.calls.clear()
    dead.add(f"r{number}")


def test_it_is_recorded_and_can_be_undone():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10, b=20))
    dry = automatic(connect, ledger, check_mode=True)
    assert (dry["changed"], dry["change_id"], dry["change"], dry["ledger"]) == (True, None, None, None) and ledger.puts == []
    result = automatic(connect, ledger)
    assert (result["changed"], result["already_applied"], result["change_id"], result["ledger"]) == (True, False, IDS[1], "the ledger")
    assert {name: result["change"][name] for name in ("phase", "before", "after", "state_to_restore", "automatic")} == {
        "phase": "applied", "before": ORIGINAL, "after": pairs(a=4), "state_to_restore": None, "automatic": True}
    moves_on(connect, a=30)
    again = automatic(connect, ledger, number=2)  # what is live decides
    assert again["changed"] and again["change_id"] == IDS[2] and again["change"]["before"] == pairs(a=30)
    with pytest.raises(errors.StateError, match=f"c was changed by {IDS[2]} since {IDS[1]} was made"):
        by_id(connect, ledger, None, "r3", IDS[1], undo=True)
    for change_id in (IDS[2], IDS[1]):
        by_id(connect, ledger, None, "r3", change_id, undo=True)
    assert positions(connect) == {"a": 10, "b": 20} and connect.state == "RUNNING"


@pytest.mark.parametrize("state, opened", [("RUNNING", 0), ("STOPPED", 1)])
def test_where_nothing_changes_the_ledger_is_opened_only_for_a_connector_that_is_stopped(state, opened):
    connect, count = FakeConnect(state, live(a=4)), []
    result = automatic(connect, None, opened=lambda: count.append(1) or FakeLedger())
    assert not result["changed"] and result["change_id"] is None and len(count) == opened and connect.writes == []


@pytest.mark.parametrize("desired", [WISH, DesiredOffsets.present(pairs(a=7))], ids=["the same", "another"])
@pytest.mark.parametrize("step", STEPS)
def test_the_run_after_one_that_was_killed(step, desired, dead):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    killed(connect, ledger, dead, STEPS[step])
    stopped = connect.state == "STOPPED"
    dry = automatic(connect, ledger, desired, 2, check_mode=True)
    result = automatic(connect, ledger, desired, 2)
    wanted = 4 if desired is WISH else 7
    assert connect.state == "RUNNING" and positions(connect) == {"a": wanted}
    assert any(IDS[1] in text for text in result["warnings"]) or not (stopped or result["change_id"])
    if stopped:
        assert dry["changed"] and result["changed"] and result["state_before"] == "RUNNING"
        assert any(IDS[1] in text for text in dry["warnings"])
    if stopped and desired is WISH:
        assert result["change_id"] == IDS[1] and result["change"]["before"] == ORIGINAL and list(ledger.held) == [("c", IDS[1])]
    # A run that has nothing to change on a connector that runs does not look.
    if result["change_id"] or stopped:
        assert [one for one in ledger.held.values() if one.busy or one.state_to_restore] == []
    connect.calls.clear()
    last = automatic(connect, ledger, desired, 3)
    assert (last["changed"], last["warnings"]) == (False, []) and connect.writes == []


def test_one_with_an_id_restores_the_state_that_another_one_owes(dead):
    for change_id, declared in (("CHG-1", 4), ("CHG-1", 7)):
        ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
        killed(connect, ledger, dead, STEPS["after the change"])
        result = by_id(connect, ledger, DesiredOffsets.present(pairs(a=declared)), "r2", change_id)
        assert connect.state == "RUNNING" and result["changed"] and result["state_before"] == "RUNNING"
        assert any(IDS[1] in text and "state: restored with change_id" in text for text in result["warnings"])
        assert not ledger.the(IDS[1]).busy and ledger.the(IDS[1]).state_to_restore is None and ledger.the().phase == "applied"


def test_the_state_of_another_connect_cluster_is_not_restored(dead):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    killed(connect, ledger, dead, STEPS["after the change"])
    connect.urls = ["http://other:8083"]
    result = automatic(connect, ledger, number=2)
    assert (connect.state, result["changed"]) == ("STOPPED", False) and any(IDS[1] in text for text in result["warnings"])


def test_the_state_alone_is_restored_for_a_change_that_was_declared_otherwise(dead):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    killed(connect, ledger, dead, STEPS["after the change"])
    ledger.held["c", IDS[1]] = ledger.the(IDS[1])._replace(digest="sha256:other")
    result = automatic(connect, ledger, number=2)
    assert result["change_id"] is None and result["changed"] and connect.state == "RUNNING"
    assert [text for text in result["warnings"] if "STOPPED for the change " + IDS[1] in text]


@pytest.mark.parametrize("fails_from", range(4))
def test_a_ledger_that_fails_does_not_fail_the_change(fails_from):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    put = ledger.put

    def refuse(*args):
        if len(ledger.puts) >= fails_from:
            raise errors.ConnectError("The disk is full.")
        put(*args)

    ledger.put = refuse
    result = automatic(connect, ledger)
    assert positions(connect) == {"a": 4} and connect.state == "RUNNING" and result["changed"] and result["change_id"] is None
    assert result["warnings"][1:] == ["This change of c is not recorded, so that it cannot be undone by state: restored. The disk is full."]


def test_without_any_ledger():
    connect = FakeConnect("RUNNING", live(a=10))

    def none():
        raise errors.DeclarationError("There is none.")

    result = automatic(connect, None, opened=none)
    assert result["changed"] and "There is none." in result["warnings"][1] and connect.state == "RUNNING"


def test_another_run_that_is_at_work_is_waited_for():
    """What is live is looked at again after that."""
    connect, at_work = FakeConnect("RUNNING", live(a=10)), {"started": ago(1), "written": ago(1)}
    ledger = FakeLedger(change("CHG-7", run="other", busy=True, times=at_work))
    pause = connect.sleep

    def sleep(seconds):
        pause(seconds)
        if connect.now > 3:
            ledger.by_another("CHG-7", busy=False, phase="applied")
            moves_on(connect, a=4)

    connect.sleep = sleep
    result = automatic(connect, ledger)
    assert 3 < connect.now < 5 and not result["changed"] and connect.writes == [] and ledger.puts == []


def test_one_that_failed_counts_as_undone():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.faults = {"alter": [errors.Refused("no")]}
    with pytest.raises(errors.ConnectError):
        automatic(connect, ledger)
    assert ledger.the(IDS[1]).phase == "restored" and not ledger.the(IDS[1]).busy and connect.state == "RUNNING"


def test_made_ids():
    assert re.fullmatch(r"auto-\d{8}T\d{6}Z-[0-9a-f]{4}", make_id()) and is_automatic(make_id())
    assert not any(is_automatic(text) for text in ("CHG-1", "auto-1", "auto-20261130T141500Z-3f2a "))


def test_the_newest_made_ones_are_kept():
    ids = [f"auto-20260101T0000{number:02d}Z-00ff" for number in range(KEPT + 5)]
    ledger = FakeLedger(*[change(one, phase="applied", sequence=place + 1) for place, one in enumerate(ids)],
                        change("CHG-1", phase="applied"), change("auto-20250101T000000Z-00ff", busy=True, times={"started": ago(5000)}))
    known = ledger.changes("c")
    assert [one.change_id for one in expired(known, "new")] == ids[:5] and expired(known, ids[0])[0].change_id == ids[1]
    automatic(FakeConnect("RUNNING", live(a=10)), ledger)
    assert set(ids) & {change_id for _connector, change_id in ledger.held} == set(ids[5:]) and ("c", "CHG-1") in ledger.held
