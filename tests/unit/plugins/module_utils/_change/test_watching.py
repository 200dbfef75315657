# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connector is watched once it runs again. What its commits mean is in test_position_check.py."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import LEAVE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.base import Semantics
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_bulk import Fragile, declare, failure
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_item import FakeConnect, live, pairs, part
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_offsets_import import FakeWorker, pair


class Committing(FakeConnect):
    """Once it runs again it commits: seconds since then -> {file: position}, None to remove it."""

    method = "rest"

    def __init__(self, commits, state="RUNNING", fails_after=None, task_had_failed=False, **more):
        super().__init__(state, live(a=10), **more)
        self.commits, self.fails_after, self.resumed, self.task_had_failed = commits, fails_after, None, task_had_failed

    def resume(self, name):
        super().resume(name)
        self.resumed = self.now

    def offsets(self, name):
        due = [changes for seconds, changes in sorted(self.commits.items()) if self.resumed is not None and self.now - self.resumed >= seconds]
        for name_of_file, position in (one for changes in due for one in changes.items()):
            key = json.dumps(part(name_of_file))
            self.live.pop(key, None)
            if position is not None:
                self.live[key] = {"position": position}
        return super().offsets(name)

    def status(self, name):
        found = super().status(name)
        if self.task_had_failed and self.resumed is None and found["tasks"]:
            found["tasks"][0].update(state="FAILED", trace="java.lang.ClassCastException: no Long")
        if self.fails_after is not None and self.resumed is not None and self.now - self.resumed >= self.fails_after and self.state == "RUNNING":
            found["tasks"][0].update(state="FAILED", trace="java.lang.ClassCastException: no Long")
        return found


def run(connect, desired=None, check="warn", seconds=30, check_mode=False, **options):
    options = {"stop": True, "check_position": check, "check_position_timeout": seconds, **options}
    item = ChangeItem(connect, "c", desired or DesiredOffsets.present(pairs(a=4)), sleep=connect.sleep, clock=connect.clock, **options)
    return run_alone(item, check_mode)


def test_it_ends_with_the_first_commit():
    connect = Committing({2: {"a": 7}, 20: {"a": 3}})
    result = run(connect)
    assert result["position"] == {
        "verdict": "taken", "seconds": pytest.approx(2, abs=1), "partitions_count": 1, "appeared": [],
        "partitions": [{"partition": part("a"), "declared": {"position": 4}, "before": {"position": 10}, "committed": {"position": 7}}]}
    assert connect.now < 4 and [text for text in result["warnings"] if "once it runs on" not in text] == []


@pytest.mark.parametrize("commits, verdict, words", [
    ({2: {"a": 3}}, "ignored", "does not come after that"),
    ({2: {"a": None}}, "ignored", "does not keep its position in Connect"),
    ({2: {"b": 1}}, "ignored", 'commits under partitions that were not declared, first {"filename": "b"}'),
    ({}, "stuck", "has not committed anything for 1 partition in 30 s"),
])
@pytest.mark.parametrize("check", ["warn", "fail"])
def test_a_verdict_is_a_warning_or_a_failure_and_undoes_nothing(commits, verdict, words, check):
    connect, undone = Committing(commits), []
    if check == "warn":
        result = run(connect, roll_back=undone.append)
        text = result["warnings"][-1]
    else:
        with pytest.raises(errors.StateError) as caught:
            run(connect, check="fail", roll_back=undone.append)
        result, text = caught.value.facts, caught.value.message
        assert text.startswith("The offsets were changed as declared. c runs, but") or "c runs, and" in text
    assert words in text and result["position"]["verdict"] == verdict and result["changed"] is True
    assert undone == [] and connect.state == "RUNNING" and connect.writes == ["stop", "alter", "resume"]


def test_it_waits_for_so_long_and_no_longer():
    connect = Committing({})
    assert run(connect, seconds=12)["position"]["verdict"] == "stuck"
    assert 12 <= connect.now < 13 and connect.calls.count("offsets") < 15, "looks that come less and less often"


@pytest.mark.parametrize("state, options, reason", [
    ("RUNNING", {"check": "none"}, "it is not asked for"),
    ("RUNNING", {"seconds": 0}, "there is no time for it"),
    ("RUNNING", {"check_mode": True}, "nothing is changed"),
    ("RUNNING", {"desired": DesiredOffsets.present(pairs(a=10))}, "nothing has to be changed"),
    ("PAUSED", {}, "it does not run"), ("STOPPED", {}, "it does not run"), ("RUNNING", {"final_state": LEAVE}, "it does not run"),
])
def test_what_is_not_watched(state, options, reason):
    connect = Committing({1: {"a": 3}}, state)
    assert run(connect, **options)["position"] is None, reason
    assert connect.now < 2


def test_a_final_state_in_which_it_runs():
    connect = Committing({1: {"a": 3}}, "STOPPED")
    assert run(connect, final_state="RUNNING")["position"]["verdict"] == "ignored"


@pytest.mark.parametrize("had_failed", [None, "connector", "task"])
def test_one_that_fails_while_it_is_watched_is_rolled_back(had_failed):
    """N26: a task that casts the offset fails at its first poll, when it is RUNNING already."""
    connect, undone = Committing({}, "FAILED" if had_failed == "connector" else "RUNNING", 3, had_failed == "task"), []

    def undo(item):
        undone.append(item.name)
        return ChangeItem(connect, "c", DesiredOffsets.present(pairs(a=10)), sleep=connect.sleep, clock=connect.clock, stop=True,
                          final_state="RUNNING", rolls_back=True, check_position="warn", check_position_timeout=30)

    connect.faults = {"resume": [None, lambda self: setattr(self, "fails_after", None)]}
    with pytest.raises(errors.StateError) as caught:
        run(connect, roll_back=undo)
    assert "but failed after 4 s: task 0: " in caught.value.message and "no Long" in caught.value.message
    assert undone == ([] if had_failed else ["c"]) and ("The change was rolled back" in caught.value.message) is not bool(had_failed)
    assert connect.live == {json.dumps(part("a")): {"position": 4 if had_failed else 10}}
    assert connect.now < 10, "what is rolled back is not watched"


def test_an_answer_that_is_missing_is_no_failure():
    connect = Committing({1: {"a": 7}})
    connect.faults = {"offsets": [None] * 4 + [errors.Unreachable("gone")] * 3}
    assert run(connect)["position"]["verdict"] == "taken"
    connect = Committing({1: {"a": 7}})
    connect.faults = {"offsets": [None] * 3 + [errors.Unreachable("gone")] * 300}
    result = run(connect)
    assert result["position"]["verdict"] == "cannot_tell"
    assert "It could not be checked whether c continues from the declared offsets. gone" in result["warnings"]


def test_one_that_somebody_stops_is_not_watched_on():
    connect = Committing({})
    connect.faults = {"offsets": [None] * 5 + [lambda self: setattr(self, "state", "STOPPED")]}
    result = run(connect)
    assert connect.now < 10 and result["position"]["verdict"] == "cannot_tell" and "is still at" not in str(result["warnings"])


def test_a_rebalance_does_not_end_it():
    connect = Committing({5: {"a": 7}})
    connect.faults = {"offsets": [None] * 5 + [lambda self: setattr(self, "state", "RESTARTING")] + [None, lambda self: setattr(self, "state", "RUNNING")]}
    assert run(connect)["position"]["verdict"] == "taken" and connect.now > 5


def test_ends_that_cannot_be_read_are_no_failure(monkeypatch):
    """A sink's topic may be gone, which is why its offsets are removed."""
    def ends(self, partitions):
        raise errors.NoTopic("There is no topic t.")

    monkeypatch.setattr(Semantics, "ends", ends)
    assert run(Committing({2: {"a": 7}}))["position"]["verdict"] == "taken"


def test_what_has_failed_is_rolled_back_before_others_are_watched():
    worker = FakeWorker(s1=Fragile("RUNNING", live(a=10)), s2=FakeConnect("RUNNING", [({"p": 0}, {"n": 9})]))
    begun, written = time.monotonic(), []
    alter = worker.by_name["s1"].alter

    def noted(given):
        written.append((given[0]["offset"], time.monotonic() - begun))
        return alter(given)

    worker.by_name["s1"].alter = noted
    error = failure(worker, {"name": "s1", "offsets": pairs(a=4)}, {"name": "s2", "offsets": [pair(0, 4)]}, rollback=True, check_position="warn",
                    check_position_timeout=2)
    assert "The change was rolled back" in error.message and [offset["position"] for offset, _when in written] == [4, 10]
    assert written[1][1] < 2 <= time.monotonic() - begun


def test_a_signal_ends_it(interrupts):
    connect = Committing({})
    connect.faults = {"offsets": [None] * 5 + [lambda self: os.kill(os.getpid(), signal.SIGTERM)]}
    with pytest.raises(errors.Interrupted) as caught:
        run(connect)
    assert "the offsets of c are as declared" in caught.value.message and connect.now < 10 and "is still at" not in caught.value.message


def test_many_are_watched_at_the_same_time():
    names, begun = ["s1", "s2", "s3"], time.monotonic()
    worker = FakeWorker(**{name: FakeConnect("RUNNING", [({"p": 0}, {"n": 9})]) for name in names})
    result = declare(worker, *({"name": name, "offsets": [pair(0, 4)]} for name in names), check_position="warn", check_position_timeout=2)
    assert [one["position"]["verdict"] for one in result["connectors"]] == ["stuck"] * 3
    assert 2 <= time.monotonic() - begun < 5
    assert [text for text in result["warnings"] if "runs, but it has not committed" in text][0].endswith("The same goes for 2 more connectors: s2, s3.")
