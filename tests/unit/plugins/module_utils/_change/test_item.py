# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
import signal
import stat

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import backups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import LATER, LEAVE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest import ConnectClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.declaration import from_document
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import connector_changes, record
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import digest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import LeaseLost, TrackedChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import Access
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._ledger.test_tracked_change import FakeLedger
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import (
    FakeKafka,
    assignment,
    metadata,
)

DONE = "The offsets for this connector have been altered successfully"
UNVALIDATED = "The Connect framework-managed offsets for this connector have been altered successfully. However, ..."
WRITES = ("alter", "reset", "stop", "pause", "resume", "restart_failed")


class FakeConnect:
    """One connector of a worker that behaves. ``faults``: method -> list of what its next calls do instead.

    A fault is an exception to raise, or a function of the FakeConnect (and the pairs) that may do anything.
    """

    url = "http://h:8083"
    urls = [url]

    def __init__(self, state="STOPPED", live=None, kind="source", tasks=1, config=None):
        self.state, self.kind, self.tasks = state, kind, 0 if state == "STOPPED" else tasks
        self.live = {json.dumps(partition): offset for partition, offset in live or []}
        self.config = config or {}
        self.now, self.calls, self.faults = 0.0, [], {}

    way_back = ConnectClient.way_back

    def sleep(self, seconds):
        self.now += seconds

    def clock(self):
        return self.now

    @property
    def writes(self):
        return [call for call in self.calls if call in WRITES]

    def _called(self, method, *args):
        self.calls.append(method)
        fault = self.faults.get(method) and self.faults[method].pop(0)
        if isinstance(fault, Exception):
            raise fault
        return fault and fault(self, *args)

    def root(self):
        return {"version": "4.3.1", "commit": "x", "kafka_cluster_id": "cluster-1"}

    def require(self, feature):
        self._called("require")

    def info(self, name):
        self._called("info")
        return {"name": name, "config": self.config, "tasks": [], "type": self.kind}

    def connectors(self):
        return {"c": {"status": {"connector": {"worker_id": "w"}}, "info": {"type": self.kind, "config": self.config}}}

    def status(self, name):
        self._called("status")
        tasks = [{"id": number, "state": self.state, "worker_id": "w"} for number in range(self.tasks)]
        return {"name": name, "type": self.kind, "connector": {"state": self.state, "worker_id": "w"}, "tasks": tasks}

    def offsets(self, name):
        shown = self._called("offsets")
        return shown or [{"partition": json.loads(key), "offset": offset} for key, offset in self.live.items()]

    def offsets_once(self, name):
        self.calls.append("offsets_once")
        return self.offsets(name)

    def alter_offsets(self, name, pairs):
        return self._called("alter", pairs) or self.alter(pairs)

    def alter(self, pairs):
        for pair in pairs:
            key = json.dumps(pair["partition"])
            self.live[key] = pair["offset"]
            if pair["offset"] is None:
                del self.live[key]
        return DONE

    def reset_offsets(self, name):
        answer = self._called("reset")
        self.live.clear()
        return answer or DONE

    def _target(self, method, state, tasks):
        self._called(method)
        self.state, self.tasks = state, tasks

    def stop(self, name):
        self._target("stop", "STOPPED", 0)

    def pause(self, name):
        self._target("pause", "PAUSED", 0)

    def resume(self, name):
        self._target("resume", "RUNNING", 1)

    def restart_failed(self, name):
        self._target("restart_failed", "RUNNING", 1)


def part(name):
    return {"filename": name}


def live(**positions):
    return [(part(name), {"position": position}) for name, position in positions.items()]


def pairs(**positions):
    return [{"partition": part(name), "offset": {"position": position}} for name, position in positions.items()]


def change(connect, desired, check_mode=False, **options):
    return run_alone(ChangeItem(connect, "c", desired, sleep=connect.sleep, clock=connect.clock, **options), check_mode)


def fails(kind, connect, desired, **options):
    with pytest.raises(kind) as caught:
        change(connect, desired, **options)
    return caught.value


def positions(connect):
    return {json.loads(key)["filename"]: offset["position"] for key, offset in connect.live.items()}


# ---- the plain course ---------------------------------------------------------------------------------------------

def test_a_change_of_a_stopped_connector():
    connect = FakeConnect(live=live(a=10, b=20))
    result = change(connect, DesiredOffsets.present(pairs(a=4)))
    assert positions(connect) == {"a": 4, "b": 20} and connect.writes == ["alter"]
    assert result.pop("diff")[0]["before"] == {'{"filename": "a"}': {"position": 10},
                                               '{"filename": "b"}': {"position": 20}}
    assert result.pop("declared") == {"digest": digest(DesiredOffsets.present(pairs(a=4)), "source"), "offsets": pairs(a=4), "more": 0}
    assert result == {
        "changed": True, "method": "rest", "method_reason": "REST can do it", "resource": None, "offset_topic": None, "offset_file": None,
        "consumer_group": None,
        "connector_exists": True, "backup_file": None, "truncated": False, "warnings": [],
        "offsets": pairs(a=4, b=20), "offsets_before": pairs(a=10, b=20),
        "counts": {"set": 1, "remove": 0, "keep": 1, "before": 2, "after": 2},
        "actions": [
            {"partition": part("a"), "action": "set", "from": {"position": 10}, "to": {"position": 4},
             "direction": "backward",
             "distance": 6},
            {"partition": part("b"), "action": "keep", "from": {"position": 20}, "to": {"position": 20},
             "direction": "none",
             "distance": 0}],
        "connector": {"name": "c", "type": "source", "state": "STOPPED", "worker_id": "w", "version": None,
                      "trace": None, "tasks": []},
        "state_before": "STOPPED", "already_applied": False, "change": None, "change_id": None, "ledger": None, "position": None,
    }


@pytest.mark.parametrize("desired, write, left", [
    (DesiredOffsets.absent(None), "reset", {}),
    (DesiredOffsets.absent([{"partition": part("a")}]), "alter", {"b": 20}),
    (DesiredOffsets.absent([{"partition": part("a")}, {"partition": part("b")}]), "reset", {}),
    (DesiredOffsets.present(pairs(c=1), purge=True), "alter", {"c": 1}),
    (DesiredOffsets.document([], purge=True), "reset", {}),
])
def test_the_one_request_that_is_sent(desired, write, left):
    connect = FakeConnect(live=live(a=10, b=20))
    assert change(connect, desired)["changed"] is True
    assert positions(connect) == left and connect.writes == [write]
    connect.calls.clear()
    assert change(connect, desired)["changed"] is False and connect.writes == []


def test_only_what_differs_is_sent():
    connect, sent = FakeConnect(live=live(a=10, b=20)), []
    connect.faults = {"alter": [lambda self, pairs: sent.extend(pairs)]}
    change(connect, DesiredOffsets.document(pairs(a=10, b=21) + [{"partition": part("c"), "offset": None}]))
    assert sent == pairs(b=21)


@pytest.mark.parametrize("state, stop", [("STOPPED", False), ("RUNNING", True), ("PAUSED", True), ("FAILED", True)])
@pytest.mark.parametrize("desired", [
    DesiredOffsets.present(pairs(a=4)), DesiredOffsets.present(pairs(a=10)), DesiredOffsets.absent(None), DesiredOffsets.present(pairs(z=1), purge=True),
    DesiredOffsets.absent([{"partition": part("zz")}]),
])
def test_check_mode_only_reads_and_predicts_what_then_happens(state, stop, desired):
    connect = FakeConnect(state, live(a=10, b=20))
    predicted = change(connect, desired, check_mode=True, stop=stop)
    assert connect.writes == [] and positions(connect) == {"a": 10, "b": 20} and connect.state == state
    done = change(connect, desired, stop=stop)
    for name in ("changed", "diff", "actions", "offsets", "offsets_before", "counts", "method", "backup_file"):
        assert predicted[name] == done[name], name


@pytest.mark.parametrize("state", ["RUNNING", "PAUSED", "FAILED"])
def test_without_a_change_nothing_is_stopped(state):
    connect = FakeConnect(state, live(a=10))
    result = change(connect, DesiredOffsets.present(pairs(a=10)), stop=True, backup="/nonexistent/never")
    assert result["changed"] is False and result["backup_file"] is None and connect.writes == []


@pytest.mark.parametrize("state, tasks, words", [
    ("RUNNING", 1, "RUNNING with 1 task (RUNNING)"), ("PAUSED", 1, "PAUSED with 1 task (PAUSED)"),
    ("PAUSED", 0, "PAUSED with no tasks"), ("FAILED", 1, "FAILED with 1 task (FAILED)"),
])
@pytest.mark.parametrize("check_mode", [True, False])
def test_a_connector_that_is_not_stopped_is_refused(state, tasks, words, check_mode):
    connect = FakeConnect(state, live(a=10), tasks=tasks)
    error = fails(errors.StateError, connect, DesiredOffsets.present(pairs(a=4)), check_mode=check_mode)
    assert error.message.startswith(f"The connector c is {words}. Its offsets can be changed only while it is STOPPED")
    assert error.facts["connector"]["state"] == state
    assert connect.writes == [] and positions(connect) == {"a": 10}


HIDDEN = ("was FAILED when it was found, which hides whether it was meant to run or to be paused; it was started, and is RUNNING with 1 task "
          "(RUNNING).")


@pytest.mark.parametrize("state, back, final", [
    ("RUNNING", "resume", "RUNNING"), ("PAUSED", "pause", "PAUSED"), ("FAILED", "resume", "RUNNING"),
])
def test_stop_puts_the_state_back(state, back, final):
    connect = FakeConnect(state, live(a=10))
    result = change(connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert connect.writes == ["stop", "alter", back] and result["connector"]["state"] == final
    assert positions(connect) == {"a": 4}
    assert [text for text in result["warnings"] if "once it runs on" not in text] == ([f"c {HIDDEN}"] if state == "FAILED" else [])


@pytest.mark.parametrize("check_mode", [True, False])
def test_another_run_stops_it_and_starts_it_again_meanwhile(check_mode):
    """Between two looks it was STOPPED without tasks and is RUNNING again: nobody will stop it any more."""
    connect = FakeConnect("STOPPED", live(a=10))
    connect.tasks = 1
    connect.faults = {"status": [None, None, lambda self: self._target("resumed by another run", "RUNNING", 1)]}
    result = change(connect, DesiredOffsets.present(pairs(a=4)), stop=True, check_mode=check_mode)
    assert (result["changed"], result["state_before"], connect.state) == (True, "RUNNING", "RUNNING")
    assert connect.writes == ([] if check_mode else ["stop", "alter", "resume"]) and connect.now < 5


def test_tasks_of_a_stopped_connector_that_do_not_end():
    connect = FakeConnect("STOPPED", live(a=10))
    connect.tasks = 1
    error = fails(errors.WaitError, connect, DesiredOffsets.present(pairs(a=4)), stop=True, wait_timeout=20)
    assert error.message == "Waited 20 s for the tasks of the connector c to end; it is STOPPED with 1 task (STOPPED)."
    assert connect.writes == [] and positions(connect) == {"a": 10} and 20 <= connect.now < 21


@pytest.mark.parametrize("state, back, final", [
    ("RUNNING", "resume", "RUNNING"), ("PAUSED", "pause", "PAUSED"), ("FAILED", "resume", "RUNNING"),
])
def test_stop_puts_the_state_back_after_a_failure(state, back, final):
    connect = FakeConnect(state, live(a=10))
    connect.faults = {"alter": [errors.Refused("position must be a Long")]}
    error = fails(errors.Refused, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    back_again = f"The connector {HIDDEN}" if state == "FAILED" else f"The connector was restored: it is {final}"
    assert error.message.startswith(f"position must be a Long. The offsets are as they were. {back_again}")
    assert error.facts["connector"]["state"] == final
    assert connect.writes == ["stop", "alter", back] and positions(connect) == {"a": 10}


def test_the_state_is_put_back_after_a_fault_of_our_own():
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"alter": [RuntimeError("bug")]}
    fails(RuntimeError, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert connect.state == "RUNNING"


def test_a_state_that_cannot_be_put_back_is_said():
    connect = FakeConnect("PAUSED", live(a=10))
    connect.faults = {"alter": [errors.Refused("no")], "pause": [errors.Unreachable("gone") for count in range(200)]}
    error = fails(errors.Refused, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert ("The connector was stopped for the change, and could not be restored to PAUSED either (gone). Pause it by PUT "
            "http://h:8083/connectors/c/pause.") in error.message


def test_a_state_that_cannot_be_put_back_after_a_change_is_said():
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"resume": [errors.Refused("no") for count in range(9)]}
    error = fails(errors.Refused, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert error.message == ("no. The offsets are changed as declared, but the connector is not RUNNING again. Resume it "
                             "by PUT http://h:8083/connectors/c/resume.")
    assert error.facts["changed"] is True and positions(connect) == {"a": 4} and connect.state == "STOPPED"


def test_the_plan_is_made_anew_once_it_is_stopped():
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"stop": [lambda self: self.live.update({json.dumps(part("a")): {"position": 12}})]}
    result = change(connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert result["offsets_before"] == pairs(a=12) and result["actions"][0]["distance"] == 8


def test_a_stop_that_flushes_what_was_declared_leaves_nothing_to_do():
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"stop": [lambda self: self.live.update({json.dumps(part("a")): {"position": 12}})]}
    result = change(connect, DesiredOffsets.present(pairs(a=12)), stop=True)
    assert result["changed"] is False and connect.writes == ["stop", "resume"]


def test_a_road_that_is_closed_is_found_before_anything_is_stopped():
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"require": [errors.EndpointMissing("needs 3.6")]}
    fails(errors.EndpointMissing, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert connect.writes == []


@pytest.mark.parametrize("kind, text", [("source", "c: %s (the plugin did not check the offsets)"), ("sink", "c: %s")])
def test_an_unchecked_change_is_a_warning(kind, text):
    partition, offset = {"kafka_topic": "t", "kafka_partition": 0}, {"kafka_offset": 2}
    connect = FakeConnect(kind=kind, live=[(partition, {"kafka_offset": 5})])
    connect.faults = {"alter": [lambda self, pairs: self.alter(pairs) and UNVALIDATED]}
    result = change(connect, DesiredOffsets.present([{"partition": partition, "offset": offset}]))
    assert result["warnings"] == [text % UNVALIDATED]


# ---- interrupts ---------------------------------------------------------------------------------------------------

def signalled(number, then=None):
    """The signal comes during this call of the worker, which carries on, or does what ``then`` says."""
    def fault(self, *args):
        os.kill(os.getpid(), number)
        return then and then(self, *args)
    return fault


class Slow(FakeConnect):
    """Stops after a while."""

    def stop(self, name):
        self._called("stop")
        self.due = self.now + 5

    def status(self, name):
        if self.calls.count("stop") > self.calls.count("resume") + self.calls.count("pause") and self.now >= self.due:
            self.state, self.tasks = "STOPPED", 0
        return super().status(name)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("state, back", [("RUNNING", "resume"), ("PAUSED", "pause")])
def test_an_interrupt_while_it_stops(interrupts, number, state, back):
    connect = Slow(state, live(a=10))
    connect.faults = {"stop": [signalled(number)]}
    error = fails(errors.Interrupted, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert error.message.startswith(f"The run was interrupted ({number.name}). The connector was restored: it is {state}")
    assert connect.writes == ["stop", back] and connect.state == state and positions(connect) == {"a": 10} and connect.now < 2


@pytest.mark.parametrize("method", ["stop", "offsets"])
def test_an_interrupt_before_the_write(interrupts, method):
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"stop": [signalled(signal.SIGTERM)]} if method == "stop" else {"offsets": [None, signalled(signal.SIGTERM)]}
    ledger = FakeLedger()
    with pytest.raises(errors.Interrupted) as caught:
        by_id(connect, ledger, WISH)
    assert caught.value.message.startswith(
        "The run was interrupted (SIGTERM). This run has not changed its offsets. The connector was restored: it is RUNNING")
    assert connect.writes == ["stop", "resume"] and positions(connect) == {"a": 10} and told(ledger) == ("started", False, None, None)


@pytest.mark.parametrize("method", ["alter", "resume"])
def test_an_interrupt_from_the_write_on_lets_the_change_end(interrupts, method):
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {method: [signalled(signal.SIGINT)]}
    ledger = FakeLedger()
    with pytest.raises(errors.Interrupted) as caught:
        by_id(connect, ledger, WISH)
    assert caught.value.message == ("The run was interrupted (SIGINT). The signal came too late to cancel the change: the offsets of c are as "
                                    "declared, and the connector is in the state found.")
    assert caught.value.facts["changed"] is True and caught.value.facts["offsets"] == pairs(a=4)
    assert connect.state == "RUNNING" and positions(connect) == {"a": 4} and told(ledger) == ("applied", False, None, ORIGINAL)


def test_a_second_signal_does_not_disturb_what_is_put_back(interrupts):
    connect = Slow("RUNNING", live(a=10))
    connect.faults = {"stop": [signalled(signal.SIGINT)], "resume": [signalled(signal.SIGTERM)]}
    error = fails(errors.Interrupted, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert "The connector was restored: it is RUNNING" in error.message and connect.writes == ["stop", "resume"]


def test_an_interrupted_state_that_cannot_be_put_back_is_said(interrupts):
    connect = Slow("RUNNING", live(a=10))
    connect.faults = {"stop": [signalled(signal.SIGTERM)], "resume": [errors.Refused("no")]}
    error = fails(errors.Interrupted, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert error.message == ("The run was interrupted (SIGTERM). The connector was stopped for the change, and could not be restored to RUNNING either (no). "
                             "Resume it by PUT "
                             "http://h:8083/connectors/c/resume.")


@pytest.mark.parametrize("check_mode", [True, False])
def test_signals_end_the_process_at_once_where_nothing_is_begun(interrupts, check_mode):
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"offsets": [signalled(signal.SIGINT)]}
    with pytest.raises(interrupts):
        change(connect, DesiredOffsets.present(pairs(a=4)), stop=True, check_mode=check_mode)
    assert connect.writes == []


def test_signals_that_are_ignored_stay_so(interrupts):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the background of a shell
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"stop": [signalled(signal.SIGINT)]}
    assert change(connect, DesiredOffsets.present(pairs(a=4)), stop=True)["changed"] is True


@pytest.mark.parametrize("due, hidden", [("RUNNING", False), ("FAILED", True), ("UNASSIGNED", True)])
def test_an_unassigned_connector_is_started_with_a_sentence(due, hidden):
    connect = FakeConnect(due, live(a=10), tasks=0)
    connect.faults = {"alter": [errors.NotStopped("must be in the STOPPED state")]}
    result = change(connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert connect.state == "RUNNING" and positions(connect) == {"a": 4} and connect.writes[-1] == "resume"
    sentence = f"c was {due} when it was found, which hides whether it was meant to run or to be paused; it was started, and is RUNNING"
    assert any(text.startswith(sentence) for text in result["warnings"]) is hidden


# ---- as healthy as it was found? ----------------------------------------------------------------------------------

class Fragile(FakeConnect):
    """A task that fails when it starts from the position 4; a connector that fails with it, too."""

    part = "task"

    def status(self, name):
        shown = super().status(name)
        if self.state in ("RUNNING", "PAUSED") and {"position": 4} in self.live.values():
            broken = shown["connector"] if self.part == "connector" else shown["tasks"][0] if shown["tasks"] else {}
            broken.update(state="FAILED", trace="java.lang.NullPointerException: task.generation\n\tat Datagen.start(Datagen.java:1)")
        return shown


FAILED_NOW = "java.lang.NullPointerException: task.generation."


@pytest.mark.parametrize("broken, who", [("task", "task 0"), ("connector", "the connector")])
@pytest.mark.parametrize("state, again, had", [("RUNNING", "started", ""), ("FAILED", "started", " It had failed before, too.")])
def test_a_connector_that_fails_after_the_change_is_a_failure(broken, who, state, again, had):
    connect = Fragile(state, live(a=10, b=20))
    connect.part = broken
    error = fails(errors.StateError, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert error.message == (f"The connector c was {again} again after the change, but failed: {who}: {FAILED_NOW}{had} Its offsets are as declared. "
                             "To undo the change declare the offsets of offsets_before, with stop: true.")
    assert error.facts["changed"] is True and error.facts["offsets"] == pairs(a=4, b=20) and error.facts["offsets_before"] == pairs(a=10, b=20)
    assert error.facts["state_before"] == state and error.facts["actions"][0]["action"] == "set"
    assert "FAILED" in [error.facts["connector"]["state"]] + [task["state"] for task in error.facts["connector"]["tasks"]]
    assert positions(connect) == {"a": 4, "b": 20} and not {"diff", "warnings"} & set(error.facts)


def test_a_paused_connector_that_fails_after_the_change():
    class Paused(Fragile):
        def pause(self, name):
            self._target("pause", "PAUSED", 1)

    connect = Paused("PAUSED", live(a=10))
    error = fails(errors.StateError, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert error.message.startswith(f"The connector c was paused again after the change, but failed: task 0: {FAILED_NOW}")


def test_the_way_to_undo_is_the_backup_or_the_change(tmp_path):
    backup = str(tmp_path / "b.json")
    error = fails(errors.StateError, Fragile("RUNNING", live(a=10)), DesiredOffsets.present(pairs(a=4)), stop=True, backup=backup)
    assert error.message.endswith(f"To undo the change declare src: {backup}, purge: true and stop: true.") and error.facts["backup_file"] == backup
    ledger = FakeLedger()
    with pytest.raises(errors.StateError, match="To undo the change declare state: restored with change_id: CHG-1 and stop: true.$") as caught:
        by_id(Fragile("RUNNING", live(a=10)), ledger, WISH)
    assert caught.value.facts["change"]["phase"] == "applied" and told(ledger) == ("applied", False, None, ORIGINAL)


@pytest.mark.parametrize("final_state, warns", [(None, True), ("RUNNING", True), ("STOPPED", False), ("PAUSED", False)])
def test_what_does_not_run_on_is_not_changed_again_by_the_next_run(final_state, warns):
    connect = FakeConnect("RUNNING", live(a=10))
    connect.method = "rest"
    more = {"final_state": final_state} if final_state else {}
    result = change(connect, DesiredOffsets.present(pairs(a=4)), stop=True, **more)
    assert any("changes them again at its next run" in text for text in result["warnings"]) is warns


def test_one_that_is_left_stopped_has_not_failed():
    assert change(Fragile("RUNNING", live(a=10)), DesiredOffsets.present(pairs(a=4)), stop=True, final_state=LEAVE)["changed"] is True


def test_an_undo_leaves_a_connector_that_had_failed_before_as_it_was():
    """The declaration was 10, what is put back is 4, from which it cannot start: that is the state found."""
    ledger, connect = FakeLedger(), Fragile("RUNNING", live(a=4))
    assert by_id(connect, ledger, DesiredOffsets.present(pairs(a=10)))["changed"] is True
    connect.state = "FAILED"
    result = by_id(connect, ledger, None, "r2", undo=True)
    assert result["changed"] is True and positions(connect) == {"a": 4}
    assert result["warnings"][-1] == f"The connector c was started again after the change, but failed: task 0: {FAILED_NOW} It had failed before, too."
    ledger, connect = FakeLedger(), Fragile("RUNNING", live(a=4))
    by_id(connect, ledger, DesiredOffsets.present(pairs(a=10)))
    with pytest.raises(errors.StateError, match=r"Its offsets are as declared\.$"):
        by_id(connect, ledger, None, "r2", undo=True)


def test_a_run_that_finishes_another_says_so_too(dead):
    ledger, connect = FakeLedger(), Fragile("RUNNING", live(a=10))
    connect.faults = {"alter": [carried_out("alter")]}
    killed(connect, ledger, WISH, dead)
    with pytest.raises(errors.StateError, match=f"started again after the change, but failed: task 0: {FAILED_NOW}"):
        by_id(connect, ledger, WISH, "r2")
    assert told(ledger) == ("applied", False, None, ORIGINAL)


# ---- answers that got lost ----------------------------------------------------------------------------------------

LOST = [errors.ResponseLost("broke"), errors.OutcomeUnknown("Request timed out")]


@pytest.mark.parametrize("error", [*LOST, errors.Refused("PATCH x failed with 500: oops", http_status=500)])
def test_what_was_written_though_the_answer_was_lost_is_not_repeated(error):
    def lose(self, pairs):
        self.alter(pairs)
        raise error

    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [lose]}
    result = change(connect, DesiredOffsets.present(pairs(a=4)))
    assert result["changed"] is True and connect.writes == ["alter"] and positions(connect) == {"a": 4}
    assert result["warnings"] == [f"The offsets of c are as declared, though the answer was: {error.message}"]


@pytest.mark.parametrize("status", [400, 500])
def test_a_refusal_that_took_no_effect_is_final(status):
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [errors.Refused("the plugin says no", http_status=status)]}
    error = fails(errors.Refused, connect, DesiredOffsets.present(pairs(a=4)))
    assert error.message == "the plugin says no. The offsets are as they were."
    assert connect.writes == ["alter"] and positions(connect) == {"a": 10}


@pytest.mark.parametrize("error", LOST)
def test_what_was_not_written_is_repeated(error):
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [error, error]}
    assert change(connect, DesiredOffsets.present(pairs(a=4)))["changed"] is True
    assert connect.writes == ["alter"] * 3 and positions(connect) == {"a": 4}


def test_only_what_is_missing_is_repeated():
    sent = []

    def half(self, pairs):
        self.alter(pairs[:1])
        raise errors.ResponseLost("broke")

    connect = FakeConnect(live=live(a=10, b=20))
    connect.faults = {"alter": [half, lambda self, pairs: sent.extend(pairs)]}
    change(connect, DesiredOffsets.present(pairs(a=4, b=5)))
    assert sent == pairs(b=5) and positions(connect) == {"a": 4, "b": 5}


def test_a_lost_reset_is_read_back_too():
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"reset": [errors.ResponseLost("broke")]}
    change(connect, DesiredOffsets.absent(None))
    assert connect.writes == ["reset", "reset"] and connect.live == {}


def test_repeating_has_an_end():
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [errors.OutcomeUnknown("Request timed out")] * 1000}
    error = fails(errors.OutcomeUnknown, connect, DesiredOffsets.present(pairs(a=4)), wait_timeout=20)
    assert error.message.startswith(
        "Request timed out. REST shows the offsets as they were, but a record of the change may be on the offsets topic")
    assert connect.now == pytest.approx(20, abs=1)


# ---- Connect's own gate -------------------------------------------------------------------------------------------

def not_stopped():
    return errors.NotStopped("Connectors must be in the STOPPED state")


def test_the_gate_is_waited_for_after_our_own_stop():
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"alter": [not_stopped(), not_stopped()]}
    change(connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert connect.writes == ["stop", "alter", "alter", "alter", "resume"]


@pytest.mark.parametrize("stop", [False, True])
def test_the_gate_is_final_where_we_did_not_stop(stop):
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [not_stopped()]}
    error = fails(errors.NotStopped, connect, DesiredOffsets.present(pairs(a=4)), stop=stop)
    assert error.message == "Connectors must be in the STOPPED state. This run has not changed its offsets."
    assert connect.writes == ["alter"]


class WithoutClass(FakeConnect):
    """It shows FAILED whatever it is."""

    def status(self, name):
        shown = super().status(name)
        shown["connector"].update(state="FAILED", trace="Failed to find any class that implements Connector and which name matches x")
        return shown


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("kind, state", [(FakeConnect, "RUNNING"), (WithoutClass, "FAILED")])
def test_a_connector_without_tasks_may_be_stopped_in_truth(kind, state, stop, tmp_path):
    """Its owner is gone, or nobody has its class: Connect's own gate decides, and a state that was not set here is not touched."""
    connect = kind(state, live(a=10), tasks=0)
    result = change(connect, DesiredOffsets.present(pairs(a=4)), stop=stop, backup=str(tmp_path / "b"))
    assert result["changed"] and connect.writes == ["alter"] and positions(connect) == {"a": 4}
    assert any("Connect itself decides" in warning for warning in result["warnings"]) is not stop


def test_a_connector_that_failed_in_its_start_is_not_stopped():
    """Connect refuses to change its offsets, and a stop brings it to STOPPED."""
    connect = FakeConnect("FAILED", live(a=10), tasks=0)
    for check_mode in (True, False):
        error = fails(errors.StateError, connect, DesiredOffsets.present(pairs(a=4)), check_mode=check_mode)
        assert error.message.startswith("The connector c is FAILED") and connect.writes == []
    change(connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert connect.writes == ["stop", "alter", "resume"] and positions(connect) == {"a": 4}


def test_what_somebody_else_has_written_is_left_alone_where_nothing_was_sent():
    """The gate stays closed, and meanwhile the offset moves on: there is nothing of ours to put back."""
    connect = FakeConnect("RUNNING", live(a=10))

    def moves_on(self, given):
        self.live = {key: {"position": 11} for key in self.live}
        raise not_stopped()

    connect.faults = {"alter": [moves_on] * 1000}
    error = fails(errors.NotStopped, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert "This run has not changed its offsets." in error.message and "backup" not in error.message
    assert positions(connect) == {"a": 11} and set(connect.writes) == {"stop", "alter", "resume"}


def test_an_interrupt_does_not_hide_a_write_in_doubt(interrupts):
    """The request ran into its time limit, and may still be carried out."""
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"alter": [errors.ResponseLost("PATCH: no answer within 5 s.", timed_out=True)], "offsets": [None] * 2 + [signalled(signal.SIGINT)]}
    error = fails(errors.ResponseLost, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert error.message.startswith("PATCH: no answer within 5 s. The run was interrupted (SIGINT). REST shows the offsets as they were, but a "
                                    "record of the change may be on the offsets topic")


def test_a_connector_without_tasks_may_run_in_truth(tmp_path):
    connect = FakeConnect("RUNNING", live(a=10), tasks=0)
    connect.faults = {"alter": [not_stopped()]}
    change(connect, DesiredOffsets.present(pairs(a=4)), stop=True, backup=str(tmp_path / "b"))
    assert connect.writes == ["alter", "stop", "alter", "resume"] and positions(connect) == {"a": 4}
    connect.tasks, connect.calls, connect.faults = 0, [], {"alter": [not_stopped()]}
    error = fails(errors.StateError, connect, DesiredOffsets.present(pairs(a=1)))
    assert error.message.startswith("The connector c is RUNNING with no tasks.") and connect.writes == ["alter"]


def test_a_paused_connector_without_tasks_is_not_stopped():
    connect = FakeConnect("PAUSED", live(a=10), tasks=0)
    assert fails(errors.StateError, connect, DesiredOffsets.present(pairs(a=4))).message.startswith("The connector c is PAUSED")
    assert connect.writes == []


def test_a_missing_value_in_a_topic_of_its_own_is_sure_only_for_one_field():
    two = {"partition": {"b": 1, "a": 2}, "offset": None}
    connect = FakeConnect(config={"offsets.storage.topic": "own"})
    connect.faults = {"offsets": [lambda self: [two]] * 3}
    fails(errors.MethodError, connect, DesiredOffsets.absent(None))
    connect.faults = {"offsets": [lambda self: [dict(two, partition={"a": 2})]] * 3}
    assert change(connect, DesiredOffsets.absent(None))["changed"] and connect.writes == ["reset"]


def test_the_gate_is_not_waited_for_without_end():
    connect = FakeConnect("RUNNING", live(a=10))
    connect.faults = {"alter": [not_stopped() for count in range(1000)]}
    fails(errors.NotStopped, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert 30 < connect.now < 35 and connect.state == "RUNNING"


# ---- a fresh read shows something else ----------------------------------------------------------------------------

def test_what_is_shown_late_is_waited_for():
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"offsets": [None] + [lambda self: pairs(a=10)] * 6}
    assert change(connect, DesiredOffsets.present(pairs(a=4)))["changed"] is True
    assert connect.writes == ["alter"] and 0.8 < connect.now < 1


@pytest.mark.parametrize("desired, after", [
    # the values of listed partitions are those of the end of the topic
    (DesiredOffsets.present(pairs(a=4)), ["offsets_once", "offsets"]), (DesiredOffsets.document(pairs(a=None)), ["offsets_once", "offsets"]),
    # that there is no other partition takes a second request
    (DesiredOffsets.present(pairs(a=4), purge=True), ["offsets"]), (DesiredOffsets.absent(None), ["offsets"])])
def test_requests_of_the_read_back(desired, after):
    connect = FakeConnect(live=live(a=10, b=20))
    assert change(connect, desired)["changed"] is True
    write = next(number for number, call in enumerate(connect.calls) if call in WRITES)
    assert [call for call in connect.calls[write:] if call.startswith("offsets")] == after


def test_a_value_that_is_missing_for_a_moment_is_no_trap():
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"offsets": [lambda self: [{"partition": part("a"), "offset": None}]] * 2}
    result = change(connect, DesiredOffsets.present(pairs(a=4)))
    assert result["offsets_before"] == pairs(a=10) and result["warnings"] == []


def test_a_mismatch_is_put_back():
    connect = FakeConnect("RUNNING", live(a=10, b=20))
    connect.faults = {"alter": [lambda self, given: self.alter(pairs(a=4, b=6))]}
    error = fails(errors.ReadBackError, connect, DesiredOffsets.present(pairs(a=4, b=5)), stop=True)
    assert error.message == (
        "The change of c was accepted, but a fresh read shows something else for 1 partition, first "
        '{"filename": "b"}: {"position": 6} instead of {"position": 5}. '
        "2 partitions had been changed, and were rolled back: the offsets are as they were. "
        "The connector was restored: it is RUNNING with 1 task (RUNNING).")
    assert connect.writes == ["stop", "alter", "alter", "resume"] and positions(connect) == {"a": 10, "b": 20}


def test_a_mismatch_of_the_type_is_put_back():
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [lambda self, given: self.alter(pairs(a="4"))]}
    error = fails(errors.ReadBackError, connect, DesiredOffsets.present(pairs(a=4)))
    assert '{"position": "4"} instead of {"position": 4}' in error.message and positions(connect) == {"a": 10}


def test_a_sink_that_failed_half_way_is_put_back():
    def half(self, given):
        self.alter(given[:1])
        raise errors.Refused("Failed to alter consumer group offsets for connector c")

    both = [({"kafka_topic": "t", "kafka_partition": number}, {"kafka_offset": 5}) for number in (0, 1)]
    connect = FakeConnect(kind="sink", live=both)
    before = dict(connect.live)
    connect.faults = {"alter": [half]}
    error = fails(errors.Refused, connect, DesiredOffsets.present(
        [{"partition": both[0][0], "offset": {"kafka_offset": "0"}},
         {"partition": both[1][0], "offset": {"kafka_offset": "9"}}]))
    assert error.message.endswith("1 partition had been changed, and was rolled back: the offsets are as they were.")
    assert connect.live == before and connect.writes == ["alter", "alter"]


def test_what_could_not_be_put_back_is_said_with_the_offsets_before(tmp_path):
    path = str(tmp_path / "b.json")
    connect = FakeConnect(live=live(a=10, b=20))
    connect.faults = {"alter": [lambda self, given: self.alter(pairs(a=7)), errors.Unreachable("gone")]}
    error = fails(errors.ReadBackError, connect, DesiredOffsets.present(pairs(a=4)), backup=path)
    assert error.message.endswith("What is live now could not be read or rolled back (gone). The offsets before are in "
                                  f"{path}: restore them with src and purge: true.")
    assert error.facts["offsets_before"] == pairs(a=10, b=20) and error.facts["backup_file"] == path


def test_a_put_back_without_effect_leaves_a_backup(tmp_path, monkeypatch):
    monkeypatch.setattr(backups, "DEFAULT_FOLDER", str(tmp_path))
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [lambda self, given: self.alter(pairs(a=7)), lambda self, given: DONE]}
    error = fails(errors.ReadBackError, connect, DesiredOffsets.present(pairs(a=4)))
    path = error.facts["backup_file"]
    assert error.message.endswith(
        f"1 partition could not be rolled back. The offsets before are in {path}: restore them with src and purge: true.")
    assert error.facts["offsets_before"] == pairs(a=10)
    assert json.loads((tmp_path / path).read_text(encoding="utf-8"))["connectors"] == {"c": pairs(a=10)}


# ---- partitions listed without a value ----------------------------------------------------------------------------

@pytest.mark.parametrize("check_mode", [True, False])
def test_the_key_order_trap_is_seen_before_the_change(check_mode):
    connect = FakeConnect("RUNNING", live(a=10) + [(part("u"), None)])
    error = fails(errors.MethodError, connect, DesiredOffsets.present(pairs(u=4)), check_mode=check_mode, stop=True)
    assert error.message.startswith('The worker lists 1 partition of c without a value ({"filename": "u"}).')
    assert "REST cannot change this partition" in error.message
    assert error.facts["unreadable"] == [{"filename": "u"}] and connect.writes == []


@pytest.mark.parametrize("partition, words", [
    ({"name": "a", "path": "b"}, "has other key bytes than the worker builds"), ({"filename": "u"}, "has null for a value, or a key that somebody"),
    ({}, "has null for a value, or a key that somebody"),
])
def test_one_field_has_only_one_order(partition, words):
    connect = FakeConnect(live=[*live(a=10), (partition, None)])
    error = fails(errors.MethodError, connect, DesiredOffsets.document([{"partition": partition, "offset": {"o": 1}}]))
    assert words in error.message and ("other key bytes" in error.message) is (len(partition) > 1) and connect.writes == []


def test_the_key_order_trap_after_a_change():
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [lambda self, given: self.live.update({json.dumps(part("u")): None}) or DONE]}
    error = fails(errors.MethodError, connect, DesiredOffsets.present(pairs(u=4)))
    assert error.message.startswith("The change was accepted, but had no effect. The worker lists 1 partition of c "
                                    "without a value")


def blind(connect, kafka, *records):
    """The worker takes the change, and writes records of which it shows nothing."""
    def alter(self, given):
        for raw, value, place in records:
            kafka.put(raw, value, place)
        return DONE

    connect.faults = {"alter": [alter]}
    return connect


NOT_SHOWN = ('The change of c was accepted, but a fresh read shows something else for 1 partition, first {"filename": "a"}: '
             '{"position": 10} instead of {"position": 4}. ')
UNDONE = ("REST did not show it, but %s of the change had been written to the offsets topic offsets, and a worker would have read %s after a "
          "restart. That was undone: the offsets are as they were.")
LEFT = "Somebody else has written to offsets meanwhile, and that was left alone. The offsets before"


@pytest.mark.parametrize("records, message, after", [
    ([], "The offsets are as they were, on the offsets topic offsets as well.", {}),
    ([(b'["c",{"filename":"a"}]', '{"position":4}', 3)],
     UNDONE % ("1 record", "it"), {}),
    ([(b'["c",{"filename":"a"}]', '{"position":4}', 3), (b'["c", {"filename":"a"}]', '{"position": 4}', 0)],
     UNDONE % ("2 records", "them"), {}),
    ([(b'["c",{"filename":"a"}]', '{"position":5}', 3)], LEFT,
     {(3, b'["c",{"filename":"a"}]'): b'{"position":5}'}),
    ([(b'["c",{"filename":"b"}]', '{"position":4}', 3)], LEFT,
     {(3, b'["c",{"filename":"b"}]'): b'{"position":4}'}),
])
def test_what_rest_does_not_show_is_looked_for_on_the_topic(records, message, after):
    """And undone there. Otherwise it would count once the workers are restarted."""
    kafka = kafka_with(a=10)
    before = kafka.live()
    connect = blind(FakeConnect("RUNNING", live(a=10)), kafka, *records)
    error = refused(errors.ReadBackError, kafka, connect, DesiredOffsets.present(pairs(a=4)), method="auto", stop=True)
    assert error.message.startswith(NOT_SHOWN + message) and "The connector was restored: it is RUNNING" in error.message
    assert kafka.live() == {**before, **after} and positions(connect) == {"a": 10}


@pytest.mark.parametrize("brokers, method", [(False, "auto"), (False, "rest"), (True, "rest")])
def test_without_a_look_at_the_topic_what_may_be_there_is_said(brokers, method):
    kafka = kafka_with(a=10)
    connect = blind(FakeConnect(live=live(a=10)), kafka)
    error = refused(errors.ReadBackError, kafka if brokers else None, connect, DesiredOffsets.present(pairs(a=4)), method=method)
    assert error.message.startswith(
        NOT_SHOWN + "REST shows the offsets as they were, but a record of the change may be on the offsets topic, which was not looked at, "
        "and would count once the workers are restarted. Before you restart them run this again with kafka_bootstrap_servers, or look at the topic "
        "with connector_offsets_info.")
    assert error.facts["backup_file"] in error.message and error.facts["offsets_before"] == pairs(a=10)


def test_an_answer_that_never_came_is_looked_for_on_the_topic():
    kafka = kafka_with(a=10)
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [errors.OutcomeUnknown("Request timed out")] * 1000}
    error = refused(errors.OutcomeUnknown, kafka, connect, DesiredOffsets.present(pairs(a=4)), method="auto", wait_timeout=2)
    assert error.message == (
        "Request timed out. The offsets are as they were, on the offsets topic offsets as well so far; look again before you go on.")


def test_what_was_refused_has_left_nothing():
    connect = FakeConnect(live=live(a=10))
    connect.faults = {"alter": [errors.Refused("no")]}
    assert fails(errors.Refused, connect, DesiredOffsets.present(pairs(a=4))).message == "no. The offsets are as they were."


def test_a_record_that_only_the_memory_of_the_worker_has_is_written_again():
    """And read back from the topic: one that does not get it is not the worker's."""
    def alter(self, given):
        return kafka.put(b'["c",{"filename":"a"}]', '{"position":10}') and self.alter(given)

    kafka = kafka_with(b=20)
    connect = FakeConnect(live=live(a=10, b=20))
    connect.faults = {"alter": [alter]}
    result = on_topic(kafka, connect, DesiredOffsets.present(pairs(a=10)), "auto")
    assert result["changed"] is True and result["method"] == "rest" and "memory alone" in result["warnings"][0]
    assert left(kafka) == {"a": 10, "b": 20}
    assert on_topic(kafka, connect, DesiredOffsets.present(pairs(a=10)), "auto")["changed"] is False and connect.writes == ["alter"]
    kafka, connect = kafka_with(b=20), FakeConnect(live=live(a=10, b=20))
    error = refused(errors.ReadBackError, kafka, connect, DesiredOffsets.present(pairs(a=10)), method="auto")
    assert error.message.startswith(
        'The change of c was accepted by the worker, but is not on the topic offsets, first {"filename": "a"}: that is not the topic of '
        "the worker, or it loses records.")


def test_a_run_that_was_taken_over_while_it_committed_is_read_back_and_not_repeated():
    """Two runs that write over each other would have no end."""
    kafka = kafka_with(a=10)
    kafka.faults = [lambda records: kafka.carry_out(records) or _raise(errors.TakenOver("not known."))]
    assert on_topic(kafka, Worker(), DesiredOffsets.present(pairs(a=4)))["changed"] is True and left(kafka) == {"a": 4}
    kafka.faults = [errors.TakenOver("not known.")]
    error = refused(errors.TakenOver, kafka, Worker(), DesiredOffsets.present(pairs(a=5)))
    assert error.message == "not known. The offsets are as they were so far; look again before you go on." and kafka.writes == []


def _raise(error):
    raise error


def test_other_partitions_can_be_changed_beside_an_unreadable_one():
    connect = FakeConnect(live=live(a=10) + [(part("u"), None)])
    result = change(connect, DesiredOffsets.present(pairs(a=4)))
    assert result["changed"] is True and len(result["warnings"]) == 1 and connect.live[json.dumps(part("u"))] is None


def test_a_missing_value_is_no_trap_with_a_topic_of_its_own():
    connect = FakeConnect(live=[(part("u"), None)], config={"offsets.storage.topic": "own"})
    result = change(connect, DesiredOffsets.present(pairs(u=4)))
    assert positions(connect) == {"u": 4}
    assert result["warnings"][0].startswith("c has its own offsets.storage.topic, and 1 of its listed partitions have "
                                            "no offset")


# ---- sizes --------------------------------------------------------------------------------------------------------

LARGE = "x" * 1048576


@pytest.mark.parametrize("check_mode", [True, False])
def test_what_a_worker_cannot_write_is_refused_before_the_stop(check_mode):
    connect = FakeConnect("RUNNING", live(a=10))
    desired = DesiredOffsets.present([{"partition": part("a"), "offset": {"position": 4, "t": LARGE}}])
    error = fails(errors.MethodError, connect, desired, check_mode=check_mode, stop=True)
    assert error.message.startswith('The offset of c for the partition {"filename": "a"} would be a record of 1048701 bytes, but a worker\'s producer '
                                    "takes 1048576, unless producer.max.request.size is set")
    assert connect.writes == []


def test_what_is_smaller_than_a_live_offset_is_taken():
    connect = FakeConnect(live=[(part("a"), {"position": 10, "t": LARGE})])
    assert change(connect, DesiredOffsets.present([{"partition": part("b"), "offset": {"position": 4, "t": LARGE}}]))["changed"]


# ---- backups ------------------------------------------------------------------------------------------------------

def test_the_backup_is_on_the_disk_before_the_first_write(tmp_path):
    path, seen = str(tmp_path / "new" / "b.json"), []

    def look(self, given):
        with open(path, encoding="utf-8") as file:
            seen.append(json.load(file))

    connect = FakeConnect(live=live(b=20, a=9223372036854775807))
    connect.faults = {"alter": [look]}
    assert change(connect, DesiredOffsets.present(pairs(a=4)), backup=path)["backup_file"] == path
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600 and stat.S_IMODE(os.stat(tmp_path / "new").st_mode) == 0o700
    document, = seen
    assert document["connectors"] == {"c": pairs(a=9223372036854775807, b=20)} and document["types"] == {"c": "source"}
    assert document["cluster"] == {"connect_url": "http://h:8083", "kafka_cluster_id": "cluster-1"}
    assert (document["format"], document["method"]) == ("streamops.kafka_connect/offsets", "rest")


def test_a_backup_restores(tmp_path):
    path = str(tmp_path / "b.json")
    connect = FakeConnect(live=live(a=10, b=20))
    before = dict(connect.live)
    change(connect, DesiredOffsets.present(pairs(c=4), purge=True), backup=path)
    assert positions(connect) == {"c": 4}
    with open(path, encoding="utf-8") as file:
        change(connect, DesiredOffsets.document(json.load(file)["connectors"]["c"], purge=True))
    assert connect.live == before


FILES = "org.apache.kafka.connect.file.FileStreamSourceConnector"


class Versioned(FakeConnect):
    """A connector whose class and version are known."""

    def __init__(self, name=FILES, version="2.5", listed=(), **options):
        super().__init__(config={"connector.class": name}, **options)
        self.version, self.listed = version, listed

    def status(self, name):
        found = super().status(name)
        return {**found, "connector": {**found["connector"], "version": self.version}}

    def plugins(self):
        return [{"class": one, "version": version} for one, version in self.listed]


def document_of(plugin, **offset):
    return {"format": "streamops.kafka_connect/offsets", "version": 1, "plugins": {"c": plugin},
            "connectors": {"c": [{"partition": {"filename": "a"}, "offset": offset}]}}


@pytest.mark.parametrize("version, listed, told", [
    ("2.5", [(FILES, "9")], "2.5"), (None, [(FILES, "1.9"), ("other", "3")], "1.9"), (None, [(FILES, "1"), (FILES, "2")], None), (None, [], None)])
def test_a_backup_tells_class_and_version(tmp_path, version, listed, told):
    path = tmp_path / "b.json"
    change(Versioned(version=version, listed=listed, live=live(a=10)), DesiredOffsets.present(pairs(a=4)), backup=str(path))
    assert json.loads(path.read_text(encoding="utf-8"))["plugins"] == {"c": {"class": FILES, "version": told}}


@pytest.mark.parametrize("plugin, here, difference", [
    ({"class": FILES, "version": "1.9"}, {}, f"{FILES} of version 1.9 there and 2.5 here"),
    ({"class": "com.example.Old", "version": "2.5"}, {}, f"com.example.Old there and {FILES} here"),
    ({"class": "com.example.FileStreamSourceConnector", "version": "2.5"}, {}, f"com.example.FileStreamSourceConnector there and {FILES} here"),
    ({"class": FILES, "version": "2.5"}, {}, None),
    ({"class": FILES, "version": None}, {}, None),
    ({"class": FILES, "version": "1.9"}, {"version": None}, None),
    ({"class": "FileStreamSource", "version": "2.5"}, {}, None),
    ({"class": FILES, "version": "2.5"}, {"name": "FileStreamSourceConnector"}, None),
    ("garbage", {}, None), (None, {}, None), ({"version": "1"}, {}, None),
])
def test_a_document_of_another_class_or_version(plugin, here, difference):
    """A warning, and fields that it lacks are lost, not meant."""
    document = document_of(plugin, position=4)
    connect = Versioned(live=live(a=10), **here)
    found = change(connect, from_document(document, "c", "content"))["warnings"]
    assert found == ([] if difference is None else [
        f"The document is from another class or version of the connector: {difference}. That one can have other partitions and fields, which this "
        "connector never finds: compare them with those that it writes now."])
    connect.live = {key: {"position": 4, "more": 1} for key in connect.live}
    if difference is None:
        assert "would lose fields" in change(connect, from_document(document, "c", "content"))["warnings"][0]
    else:
        error = fails(errors.DeclarationError, connect, from_document(document, "c", "content"))
        assert '{"filename": "a"} (more)' in error.message and difference in error.warnings[0]
        assert change(connect, from_document(document, "c", "content", force=True))["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("link", [True, False])
def test_a_backup_is_never_overwritten(tmp_path, check_mode, link):
    path = tmp_path / "b.json"
    path.symlink_to(tmp_path / "nothing") if link else path.write_text("old", encoding="utf-8")
    connect = FakeConnect("RUNNING", live(a=10))
    error = fails(errors.DeclarationError, connect, DesiredOffsets.present(pairs(a=4)), check_mode=check_mode, stop=True,
                  backup=str(path))
    assert error.message == f"The backup file {path} exists already and is never overwritten."
    assert connect.writes == [] and (link or path.read_text(encoding="utf-8") == "old")
    assert not (tmp_path / "nothing").exists()


def test_a_backup_that_cannot_be_written_ends_the_change(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    connect = FakeConnect("RUNNING", live(a=10))
    error = fails(errors.ConnectError, connect, DesiredOffsets.present(pairs(a=4)), stop=True,
                  backup=str(tmp_path / "file" / "b.json"))
    assert "The offsets are as they were. The connector was restored" in error.message and connect.state == "RUNNING"
    assert connect.writes == ["stop", "resume"] and positions(connect) == {"a": 10}


def test_no_backup_in_check_mode(tmp_path):
    path = tmp_path / "b.json"
    assert change(FakeConnect(live=live(a=1)), DesiredOffsets.absent(None), check_mode=True,
                  backup=str(path))["backup_file"] == str(path)
    assert not path.exists()


# ---- long lists ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("max_entries, shown, truncated", [(2, 2, True), (3, 3, False), (0, 3, False)])
def test_lists_are_cut(max_entries, shown, truncated):
    result = change(FakeConnect(live=live(a=1, b=1, c=1)), DesiredOffsets.present(pairs(c=2)), max_entries=max_entries)
    assert [len(result[name]) for name in ("offsets", "offsets_before", "actions")] == [shown] * 3
    assert result["truncated"] is truncated and result["counts"] == {"set": 1, "remove": 0, "keep": 2, "before": 3,
                                                                     "after": 3}
    assert result["actions"][0]["partition"] == part("c")
    assert ("..." in result["diff"][0]["after"]) is truncated


# ---- on the offsets topic -----------------------------------------------------------------------------------------

class Worker(FakeConnect):
    """A worker whose tasks hold their offsets in memory from the moment they run; before 3.5 without stop and offsets."""

    #: what it says of names that look like one that does not exist
    hint = ""

    def __init__(self, state="STOPPED", version="4.3.1", ambiguous=False, **options):
        super().__init__(state, **options)
        self.version, self.ambiguous, self.gone = version, ambiguous, False
        #: does a task hold an offset that it has read before?
        self.memory = self.tasks > 0

    @property
    def old(self):
        return self.version < "3.5"

    def similar(self, name):
        return self.hint

    def root(self):
        return {"version": self.version, "commit": "x", "kafka_cluster_id": "cluster-1"}

    def require(self, feature):
        if self.old:
            raise errors.EndpointMissing(f"Connect {self.version} cannot {feature}")

    def require_url(self, name):
        if self.ambiguous:
            raise errors.AmbiguousName("no such name in a URL")

    def status(self, name):
        if self.gone:
            raise errors.NoConnector("There is no such connector")
        return super().status(name)

    def offsets(self, name):
        self.require("offsets")
        if self.ambiguous:
            raise errors.AmbiguousName("no such name in a URL")
        return super().offsets(name)

    def stop(self, name):
        assert not self.old
        super().stop(name)
        self.memory = False

    def pause(self, name):
        self._called("pause")
        self.state = "PAUSED"

    def restart(self, name):
        self.calls.append("restart")
        self.state = "RUNNING"

    def restart_task(self, name, task):
        self.calls.append("restart_task")
        self.memory = self.state != "PAUSED"

    def resume(self, name):
        super().resume(name)
        self.memory = True


def key(name):
    return json.dumps(["c", part(name)], separators=(",", ":"))


def kafka_with(connect=None, **live):
    """No record may come in while a task holds an offset in memory."""
    kafka = FakeKafka()
    for name, position in live.items():
        kafka.put(key(name), f'{{"position":{position}}}')
    kafka.put('["d",{"filename":"a"}]', '{"position":1}')
    carry_out = kafka.carry_out

    def watched(records):
        assert connect is None or connect.gone or not connect.memory
        carry_out(records)

    kafka.carry_out = watched
    return kafka


def on_topic(kafka, connect, desired, method="topic", check_mode=False, raw_keys=None, connect_group=None, **options):
    time = connect or FakeConnect()
    route = Router(Access(connect, "c", kafka, method, "offsets", raw_keys, connect_group=connect_group, sleep=time.sleep))
    return run_alone(ChangeItem(connect, "c", desired, route, sleep=time.sleep, clock=time.clock, **options), check_mode)


def refused(kind, kafka, connect, desired, **options):
    with pytest.raises(kind) as caught:
        on_topic(kafka, connect, desired, **options)
    return caught.value


def left(kafka):
    """name -> position of the connector c; the connector next door is as it was."""
    found = {(json.loads(raw)[0], json.loads(raw)[1]["filename"]): json.loads(value)["position"]
             for (_place, raw), value in kafka.live().items() if raw != b"garbage"}
    assert found.pop(("d", "a")) == 1
    return {name: position for (_connector, name), position in found.items()}


def test_topic_a_change_of_a_stopped_connector(tmp_path):
    kafka = kafka_with(a=10, b=20)
    result = on_topic(kafka, Worker(), DesiredOffsets.present(pairs(a=4)), backup=str(tmp_path / "b.json"))
    assert left(kafka) == {"a": 4, "b": 20} and len(kafka.writes) == 1 and len(kafka.writes[0]) == 1
    assert {name: result[name] for name in ("changed", "method", "method_reason", "offset_topic", "connector_exists", "warnings")} == {
        "changed": True, "method": "topic", "method_reason": "method: topic", "offset_topic": "offsets", "connector_exists": True,
        "warnings": []}
    document = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    assert "topic" in json.dumps(document) and pairs(a=10)[0] in [
        {"partition": one["partition"], "offset": one["offset"]} for one in _offsets_in(document)]
    assert on_topic(kafka, Worker(), DesiredOffsets.present(pairs(a=4)))["changed"] is False and len(kafka.writes) == 1


def _offsets_in(document):
    if isinstance(document, dict):
        return [document] if "offset" in document and "partition" in document else [
            one for value in document.values() for one in _offsets_in(value)]
    return [one for value in document for one in _offsets_in(value)] if isinstance(document, list) else []


@pytest.mark.parametrize("state, version", [("STOPPED", "4.3.1"), ("RUNNING", "4.3.1"), ("PAUSED", "3.4.1"), ("RUNNING", "3.4.1")])
@pytest.mark.parametrize("desired", [DesiredOffsets.present(pairs(a=4)), DesiredOffsets.present(pairs(a=10)), DesiredOffsets.absent(None),
                                     DesiredOffsets.present(pairs(z=1), purge=True)])
def test_topic_check_mode_predicts_what_then_happens(state, version, desired):
    connect = Worker(state, version)
    kafka = kafka_with(connect, a=10, b=20)
    predicted = on_topic(kafka, connect, desired, check_mode=True, stop=True)
    assert connect.writes == [] and kafka.writes == [] and connect.state == state
    done = on_topic(kafka, connect, desired, stop=True)
    for name in ("changed", "diff", "actions", "offsets", "offsets_before", "counts", "method", "method_reason"):
        assert predicted[name] == done[name], name
    assert on_topic(kafka, connect, desired, stop=True)["changed"] is False


@pytest.mark.parametrize("state, version, words", [
    ("RUNNING", "4.3.1", "Its offsets can be changed only while it is STOPPED"), ("PAUSED", "4.3.1", "only while it is STOPPED"),
    ("FAILED", "4.3.1", "only while it is STOPPED"), ("RUNNING", "3.4.1", "Connect before 3.5 has no STOPPED"),
    ("PAUSED", "3.4.1", "tasks that are merely paused keep their offsets in memory: use stop: true"),
])
@pytest.mark.parametrize("check_mode", [True, False])
def test_topic_a_connector_that_is_not_stopped_is_refused(state, version, words, check_mode):
    connect = Worker(state, version)
    kafka = kafka_with(a=10)
    error = refused(errors.StateError, kafka, connect, DesiredOffsets.present(pairs(a=4)), check_mode=check_mode)
    assert words in error.message and error.facts["connector"]["state"] == state
    assert kafka.writes == [] and not connect.writes


def test_topic_a_connector_without_tasks_is_not_taken_at_its_word():
    connect = Worker("RUNNING", tasks=0)  # REST would ask Connect's own gate
    refused(errors.StateError, kafka_with(a=10), connect, DesiredOffsets.present(pairs(a=4)))


@pytest.mark.parametrize("state, version, calls, final", [
    ("RUNNING", "4.3.1", ["stop", "resume"], "RUNNING"), ("PAUSED", "4.3.1", ["stop", "pause"], "PAUSED"),
    ("RUNNING", "3.4.1", ["pause", "restart_task", "restart_task", "resume"], "RUNNING"),
    ("PAUSED", "3.4.1", ["restart_task", "restart_task"], "PAUSED"),
    ("FAILED", "3.4.1", ["restart", "pause", "restart_task", "restart_task", "resume"], "RUNNING"),
])
def test_topic_the_recipe_of_each_version(state, version, calls, final):
    connect = Worker(state, version, tasks=2)
    kafka = kafka_with(connect, a=10)
    result = on_topic(kafka, connect, DesiredOffsets.present(pairs(a=4)), stop=True)
    assert [call for call in connect.calls if call in WRITES + ("restart", "restart_task")] == calls
    assert left(kafka) == {"a": 4} and result["connector"]["state"] == connect.state == final


def test_topic_the_plan_is_made_anew_once_it_is_halted():
    connect = Worker("RUNNING", "3.4.1")
    kafka = kafka_with(connect, a=10)
    connect.faults = {"pause": [lambda self: kafka.put(key("b"), '{"position":7}') and None]}
    on_topic(kafka, connect, DesiredOffsets.absent(None), stop=True)
    assert left(kafka) == {}


@pytest.mark.parametrize("version, state, stop", [("4.3.1", "STOPPED", False), ("3.4.1", "PAUSED", True), ("4.3.1", "RUNNING", True)])
def test_topic_somebody_starts_the_connector_meanwhile(version, state, stop):
    connect = Worker(state, version)
    kafka = kafka_with(a=10)

    def start(records):
        FakeKafka.carry_out(kafka, records)
        connect.state, connect.tasks = "RUNNING", 1

    kafka.faults = [start]
    error = refused(errors.StateError, kafka, connect, DesiredOffsets.present(pairs(a=4)), stop=stop)
    assert error.message.startswith(
        "The offsets of c were changed as declared, but somebody started it meanwhile: it is RUNNING with 1 task (RUNNING). Its tasks may "
        "have read the offsets before, and then write their own over the change: stop it and run this again.")
    assert error.facts["changed"] is True and left(kafka) == {"a": 4}


@pytest.mark.parametrize("fault", [errors.Unreachable("gone"), errors.NoConnector("There is no such connector")])
def test_topic_a_state_that_cannot_be_read_after_the_change_does_not_hide_it(fault):
    connect = Worker()
    kafka = kafka_with(a=10)

    def lose(records):
        FakeKafka.carry_out(kafka, records)
        connect.faults = {"status": [fault for _count in range(500)]}

    kafka.faults = [lose]
    error = refused(errors.ConnectError, kafka, connect, DesiredOffsets.present(pairs(a=4)))
    assert "changed as declared" in error.message and error.facts.get("changed") is True and left(kafka) == {"a": 4}


# ---- a transaction of which nobody knows --------------------------------------------------------------------------

def unsure():
    return errors.WriteOutcomeUnknown("whether they are committed is not known.")


def test_topic_an_unknown_transaction_that_was_committed():
    kafka = kafka_with(a=10)

    def commit(records):
        FakeKafka.carry_out(kafka, records)
        raise unsure()

    kafka.faults = [commit]
    assert on_topic(kafka, Worker(), DesiredOffsets.present(pairs(a=4)))["changed"] is True
    assert left(kafka) == {"a": 4} and kafka.writes == []


def test_topic_an_unknown_transaction_that_was_not_committed_is_repeated():
    kafka = kafka_with(a=10)
    kafka.faults = [unsure(), unsure()]
    assert on_topic(kafka, Worker(), DesiredOffsets.present(pairs(a=4)))["changed"] is True
    assert left(kafka) == {"a": 4} and len(kafka.writes) == 1 and kafka.faults == []


def test_topic_an_unknown_transaction_that_never_shows():
    kafka = kafka_with(a=10)
    kafka.faults = [unsure() for _count in range(1000)]
    error = refused(errors.WriteOutcomeUnknown, kafka, Worker(), DesiredOffsets.present(pairs(a=4)), wait_timeout=3)
    assert error.message == "whether they are committed is not known. The offsets are as they were so far; look again before you go on."
    assert left(kafka) == {"a": 10}


def test_topic_an_unknown_transaction_that_cannot_be_read_back(tmp_path):
    kafka = kafka_with(a=10)

    def die(records):
        kafka.denied = ("offsets",)
        raise unsure()

    kafka.faults = [die]
    path = tmp_path / "b.json"
    error = refused(errors.WriteOutcomeUnknown, kafka, Worker(), DesiredOffsets.present(pairs(a=4)), backup=str(path))
    assert error.message == (
        "whether they are committed is not known. Reading back failed: no Read on offsets. What is live now could not be read or rolled back "
        f"(no Read on offsets). The offsets before are in {path}: restore them with src and purge: true.")
    assert error.facts["offsets_before"] == pairs(a=10) and path.exists()


def test_topic_a_read_back_that_fails_after_a_commit(tmp_path):
    kafka = kafka_with(a=10)

    def die(records):
        FakeKafka.carry_out(kafka, records)
        kafka.denied = ("offsets",)

    kafka.faults = [die]
    error = refused(errors.BrokerDenied, kafka, Worker(), DesiredOffsets.present(pairs(a=4)), backup=str(tmp_path / "b.json"))
    assert error.message.startswith(
        "no Read on offsets. The change had been accepted before that, but could not be read back. What is live now")


@pytest.mark.parametrize("state, stop", [("STOPPED", False), ("RUNNING", True)])
def test_topic_a_refused_write_changes_nothing(state, stop):
    connect = Worker(state)
    kafka = kafka_with(connect, a=10).put('["c",{"filename":"x"}]', "garbage").put('["c", {"filename":"a"}]', '{"position":11}')
    before = kafka.live()
    kafka.faults = [errors.BrokerDenied("no Write on offsets. The transaction was aborted.")]
    error = refused(errors.BrokerDenied, kafka, connect, DesiredOffsets.present(pairs(a=4)), stop=stop)
    assert error.message.startswith("no Write on offsets. The transaction was aborted.")
    assert kafka.live() == before and kafka.writes == [] and connect.state == state


def test_topic_what_somebody_else_has_written_is_left_alone():
    """Another run, that may have reported its success."""
    kafka = kafka_with(a=10).put('["c",{"filename":"x"}]', "garbage")

    def write_something_else(records):
        FakeKafka.carry_out(kafka, [(topic, place, raw, b'{"position":99}') for topic, place, raw, _value in records])

    kafka.faults = [write_something_else]
    error = refused(errors.ReadBackError, kafka, Worker(), DesiredOffsets.present(pairs(a=4)))
    assert "Somebody else has written meanwhile, and that was left alone. The offsets before are in " in error.message
    assert b'{"position":99}' in kafka.live().values() and b"garbage" in kafka.live().values()


@pytest.mark.parametrize("desired", [DesiredOffsets.present(pairs(a=4)), DesiredOffsets.absent(None)])
def test_topic_what_is_committed_behind_an_open_transaction_is_not_denied(desired):
    kafka = kafka_with(a=10)
    place, = [place for (place, raw) in kafka.live() if raw == key("a").encode()]
    kafka.open = {("offsets", place): len(kafka.topics["offsets"][place])}
    error = refused(errors.ConnectError, kafka, Worker(), desired)
    kafka.open = {}
    # whoever says so may have written nothing that shows once that transaction ends
    assert "The offsets are as they were" not in error.message or left(kafka) == {"a": 10}


# ---- without a connector, without REST ----------------------------------------------------------------------------

#: the group of the worker that is asked, with nothing to do and with a task of c
OURS, HAS_IT = (("g", "w1", metadata(2, url="http://h:8083/"), assignment(2, work, {})) for work in ({}, {"c": [0]}))


@pytest.mark.parametrize("desired, position, warned", [(DesiredOffsets.absent(None), {}, 0), (DesiredOffsets.present(pairs(a=4)), {"a": 4}, 1)])
@pytest.mark.parametrize("method", ["auto", "topic"])
def test_topic_a_connector_that_is_gone(desired, position, warned, method):
    connect = Worker()
    connect.gone = True
    kafka = kafka_with(a=10)
    kafka.workers = [OURS]
    result = on_topic(kafka, connect, desired, method)
    assert (result["changed"], result["connector"], result["connector_exists"], left(kafka)) == (True, None, False, position)
    assert result["warnings"] == ["There is no connector c: the offsets wait for one that is created with this name."] * warned
    assert on_topic(kafka, connect, desired, method)["changed"] is False and connect.writes == []


def test_topic_a_name_that_is_misspelt():
    """By the topic alone it would be written, or nothing would be removed, without a word."""
    connect = Worker()
    connect.gone, connect.hint = True, " Did you mean d?"
    kafka = kafka_with()
    kafka.workers = [OURS]
    assert on_topic(kafka, connect, DesiredOffsets.absent(None))["warnings"] == ["There is no connector c, and there are no offsets of one. Did you mean d?"]
    assert on_topic(kafka, connect, DesiredOffsets.present(pairs(a=4)))["warnings"] == [
        "There is no connector c: the offsets wait for one that is created with this name. Did you mean d?"]
    assert on_topic(kafka, connect, DesiredOffsets.present(pairs(a=4)))["warnings"] == []
    connect.hint = ""
    assert on_topic(kafka_with(), connect, DesiredOffsets.absent(None))["warnings"] == []


def keeps_its_offsets_elsewhere(kafka, does):
    """The other Connect cluster, which has a connector of that name, too."""
    if does:
        kafka.topics["other-offsets"], kafka.policies["other-offsets"] = [[] for _number in range(5)], "compact"
        kafka.put('["c",{"filename":"a"}]', None, topic="other-offsets")


@pytest.mark.parametrize("group, seconds, refuses", [
    (None, 5, False), (None, 500, True), ("another", 500, False), ("another, by name alone", 500, True),
])
def test_topic_the_tasks_of_a_connector_just_deleted_are_waited_for(group, seconds, refuses):
    connect = Worker()
    connect.gone = True
    kafka = kafka_with(connect, a=10)
    keeps_its_offsets_elsewhere(kafka, group == "another")
    theirs = "another", "w2", metadata(2), assignment(2, {}, {})
    kafka.connect_groups = lambda: [HAS_IT if connect.now < seconds else OURS, theirs]
    if not refuses:
        assert on_topic(kafka, connect, DesiredOffsets.absent(None), connect_group=group, wait_timeout=20)["changed"] is True
        assert connect.now >= (0 if group else 5) and left(kafka) == {}
        return
    error = refused(errors.StateError, kafka, connect, DesiredOffsets.absent(None), connect_group=group, wait_timeout=20)
    assert error.message.startswith("There is no connector c, but the brokers show a Connect worker that runs it: task 0 in the group g")
    assert kafka.writes == [] and 20 <= connect.now < 22


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("groups, says", [
    ([], "The brokers at b:9092 show no group of the worker at http://h:8083. Grant the user Describe on Group"),
    ([("another", "w2", metadata(2), assignment(2, {}, {}))], "The brokers at b:9092 show no group of the worker at http://h:8083."),
    (errors.BrokerDenied("no Describe."), "no Describe."), (errors.BrokersUnreachable("No answer."), "No answer."),
])
def test_topic_a_connector_that_is_gone_whose_tasks_nobody_tells_of(groups, says, check_mode):
    connect = Worker()
    connect.gone = True
    kafka = kafka_with(a=10)
    kafka.workers = groups
    error = refused(errors.StateError, kafka, connect, DesiredOffsets.absent(None), check_mode=check_mode)
    assert error.message.startswith("There is no connector c, but whether a task of it still runs is not known, and such a task would write "
                                    "its own offset over the change. " + says)
    assert error.message.endswith("If it is certain that nothing runs it, use assume_stopped: true.") and left(kafka) == {"a": 10}
    result = on_topic(kafka, connect, DesiredOffsets.absent(None), check_mode=check_mode, assume_stopped=True)
    assert result["changed"] and kafka.writes == [] if check_mode else left(kafka) == {}
    assert result["warnings"][0].startswith("Whether a worker runs c could not be seen from the brokers. " + says)


@pytest.mark.parametrize("method", ["rest", None])
def test_a_connector_that_is_gone_is_an_error_for_rest(method):
    connect = Worker()
    connect.gone = True
    kafka = kafka_with(a=10)
    with pytest.raises(errors.NoConnector):
        on_topic(kafka, connect, DesiredOffsets.absent(None), method) if method else change(connect, DesiredOffsets.absent(None))
    assert kafka.writes == []


@pytest.mark.parametrize("groups", [[], [("g", "w", metadata(2), assignment(2, {"d": [0]}, {}))]])
def test_topic_offline(groups, tmp_path):
    kafka = kafka_with(a=10)
    kafka.workers = groups
    result = on_topic(kafka, None, DesiredOffsets.present(pairs(a=4)), "auto", assume_stopped=True, backup=str(tmp_path / "b.json"))
    assert left(kafka) == {"a": 4} and (tmp_path / "b.json").exists()
    assert {name: result[name] for name in ("changed", "method", "method_reason", "connector", "connector_exists", "warnings")} == {
        "changed": True, "method": "topic", "method_reason": "no worker is queried", "connector": None, "connector_exists": None,
        "warnings": []}


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("desired", [DesiredOffsets.present(pairs(a=4)), DesiredOffsets.present(pairs(a=10)), DesiredOffsets.absent(None)])
def test_topic_offline_needs_assume_stopped(desired, check_mode):
    kafka = kafka_with(a=10)
    error = refused(errors.StateError, kafka, None, desired, check_mode=check_mode)
    assert error.message.startswith("Without kafka_connect_url it is not known whether a task of c is running") and kafka.writes == []


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("group, refuses", [(None, True), ("g", True), ("another", False), ("another, by name alone", True)])
def test_topic_assume_stopped_is_not_believed_where_the_brokers_know_better(check_mode, group, refuses):
    kafka = kafka_with(a=10)
    keeps_its_offsets_elsewhere(kafka, group == "another")
    kafka.workers = [("g", "w1", metadata(2), assignment(2, {"c": [0]}, {}))]
    options = {"assume_stopped": True, "connect_group": group, "check_mode": check_mode}
    if not refuses:
        assert on_topic(kafka, None, DesiredOffsets.present(pairs(a=4)), **options)["changed"] is True
        return
    error = refused(errors.StateError, kafka, None, DesiredOffsets.present(pairs(a=4)), **options)
    assert error.facts["workers"] == ["task 0 in the group g on the worker w1"] and kafka.writes == []
    assert "assume_stopped is true" in error.message and "connect_group" in error.message


@pytest.mark.parametrize("assume_stopped, method, changed", [
    (True, "topic", True), (True, "auto", True), (True, "rest", False), (False, "topic", False),
])
def test_topic_workers_that_cannot_be_reached(assume_stopped, method, changed):
    connect = Worker()
    connect.faults = {"status": [errors.Unreachable("no connection to http://h:8083.") for _count in range(9)]}
    connect.root = connect.info = None  # nobody asks again
    kafka = kafka_with(a=10)
    if not changed:
        refused(errors.Unreachable, kafka, connect, DesiredOffsets.present(pairs(a=4)), method=method, assume_stopped=assume_stopped)
        assert kafka.writes == []
        return
    result = on_topic(kafka, connect, DesiredOffsets.present(pairs(a=4)), method, assume_stopped=assume_stopped)
    assert (result["connector_exists"], result["connector"], left(kafka)) == (None, None, {"a": 4})
    assert result["warnings"] == ["No worker is queried, as assume_stopped is true. no connection to http://h:8083."]
    assert result["method_reason"] == ("method: topic" if method == "topic" else "no worker is queried")


def test_topic_offline_without_a_change_asks_nobody():
    kafka = kafka_with(a=10)
    kafka.workers = [("g", "w1", metadata(2), assignment(2, {"c": [0]}, {}))]
    assert on_topic(kafka, None, DesiredOffsets.present(pairs(a=10)), assume_stopped=True)["changed"] is False


def test_topic_groups_that_cannot_be_seen_are_a_warning():
    kafka = kafka_with(a=10)
    kafka.workers = errors.BrokerDenied("no Describe.")
    result = on_topic(kafka, None, DesiredOffsets.present(pairs(a=4)), assume_stopped=True)
    assert result["warnings"] == ["Whether a worker runs c could not be seen from the brokers. no Describe."] and result["changed"] is True


@pytest.mark.parametrize("state, stop", [("RUNNING", True), ("RUNNING", False)])
def test_topic_assume_stopped_does_not_count_where_a_worker_can_be_asked(state, stop):
    connect = Worker(state)
    kafka = kafka_with(connect, a=10)
    if stop:
        on_topic(kafka, connect, DesiredOffsets.present(pairs(a=4)), stop=True, assume_stopped=True)
        assert connect.writes == ["stop", "resume"]
    else:
        refused(errors.StateError, kafka, connect, DesiredOffsets.present(pairs(a=4)), assume_stopped=True)


# ---- names and keys that REST does not know -----------------------------------------------------------------------

def test_topic_a_stopped_connector_with_a_name_that_no_url_takes():
    kafka = kafka_with(a=10)
    result = on_topic(kafka, Worker(ambiguous=True), DesiredOffsets.present(pairs(a=4)), "auto")
    assert left(kafka) == {"a": 4} and result["method_reason"] == "REST cannot do it: no such name in a URL"


@pytest.mark.parametrize("check_mode", [True, False])
def test_topic_a_running_connector_with_such_a_name_cannot_be_stopped(check_mode):
    connect = Worker("RUNNING", ambiguous=True)
    kafka = kafka_with(a=10)
    error = refused(errors.StateError, kafka, connect, DesiredOffsets.present(pairs(a=4)), method="auto", check_mode=check_mode, stop=True)
    assert "takes no request with such a name" in error.message
    assert kafka.writes == [] and connect.writes == []


def test_topic_raw_keys():
    kafka = kafka_with(a=10).put("garbage", "x", 0).put("garbage", "x", 3)
    desired = DesiredOffsets.absent(None, ["garbage"])
    for changed in (True, False):
        result = on_topic(kafka, Worker(), desired, "auto", raw_keys=["garbage"])
        assert result["changed"] is changed and result["offsets"] == pairs(a=10) and result["method"] == "topic"
    assert [record[1:] for record in kafka.writes[0]] == [(0, b"garbage", None), (3, b"garbage", None)] and len(kafka.writes) == 1
    assert left(kafka) == {"a": 10}


@pytest.mark.parametrize("check_mode", [True, False])
def test_topic_the_key_that_counts_is_not_removed_as_a_raw_key(check_mode):
    kafka = kafka_with(a=10, b=20)
    error = refused(errors.DeclarationError, kafka, Worker(), DesiredOffsets.absent(None, [key("a")]), raw_keys=[key("a")], check_mode=check_mode)
    assert error.message.endswith("To remove that, list the partition in offsets.")
    assert left(kafka) == {"a": 10, "b": 20} and kafka.writes == []


def test_topic_auto_changes_where_rest_would_not_reach_every_copy():
    kafka = kafka_with(a=10).put('["c", {"filename": "a"}]', '{"position":11}')
    connect = Worker(live=live(a=10))
    result = on_topic(kafka, connect, DesiredOffsets.present(pairs(a=10)), "auto")
    assert result["method"] == "topic" and result["changed"] is True and connect.writes == []
    assert set(kafka.live().values()) == {b'{"position":10}', b'{"position":1}'}
    assert result["diff"][0]["before"] == {'{"filename": "a"}': [{"position": 10}, {"position": 11}]}


# ---- made once ----------------------------------------------------------------------------------------------------

class Killed(BaseException):
    """kill -9: nobody in between may catch it, and nothing is written any more."""


@pytest.fixture
def dead(monkeypatch):
    """The names of runs that are gone."""
    found = set()
    monkeypatch.setattr(connector_changes, "is_gone", found.__contains__)
    return found


def by_id(connect, ledger, desired, run="r1", change_id="CHG-1", check_mode=False, undo=False, force=False, router=None, **options):
    once = TrackedChange(ledger, "c", change_id, undo=undo, force=force, sleep=connect.sleep, clock=connect.clock, run=run)
    return run_alone(ChangeItem(connect, "c", None if undo else desired, router, once=once, sleep=connect.sleep, clock=connect.clock,
                                **{"stop": True, **options}), check_mode)


def killed(connect, ledger, desired, dead, run="r1", **options):
    with pytest.raises(Killed):
        by_id(connect, ledger, desired, run, **options)
    connect.faults.clear()
    ledger.meanwhile.clear()
    dead.add(run)


def kill(*_args):
    raise Killed()


def carried_out(method):
    """The worker does it, but nobody is there any more to hear so."""
    def fault(self, *args):
        if method == "alter":
            self.alter(*args)
        else:
            self.state, self.tasks = {"stop": ("STOPPED", 0), "resume": ("RUNNING", 1), "pause": ("PAUSED", 0)}[method]
        raise Killed()
    return fault


def moves_on(connect, **positions):
    for name, position in positions.items():
        connect.live[json.dumps(part(name))] = {"position": position}


def told(ledger):
    last = ledger.the()
    return last.phase, last.busy, last.state_to_restore, last.before


WISH = DesiredOffsets.present(pairs(a=4))
ORIGINAL = pairs(a=10)


@pytest.mark.parametrize("urls, group, warned", [
    (["http://h:8083"], None, False), (["http://other:8083", "http://h:8083"], None, False), (["http://other:8083"], "g", False),
    (["http://other:8083"], None, True)])
def test_a_change_that_was_made_through_a_worker_that_is_not_known_here(urls, group, warned):
    """By REST alone two Connect clusters on one Kafka cluster are not told apart."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10, b=20))
    by_id(connect, ledger, WISH)
    connect.urls = urls
    again = by_id(connect, ledger, WISH, "r2", router=Router(Access(connect, "c", connect_group=group, sleep=connect.sleep)))
    assert again["already_applied"] and [
        "The change CHG-1 of c was made through http://h:8083, which is not in kafka_connect_url." in text for text in again["warnings"]] == [True] * warned


def test_made_once_however_far_it_moves_on():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10, b=20))
    first = by_id(connect, ledger, WISH)
    assert (first["changed"], first["already_applied"], first["state_before"], first["ledger"]) == (True, False, "RUNNING", "the ledger")
    assert first["change"]["phase"] == "applied" and first["change"]["before"] == ORIGINAL and first["change"]["after"] == pairs(a=4)
    assert first["change"]["state_to_restore"] is None and first["warnings"] == [] and ledger.closed == 1
    moves_on(connect, a=30)
    connect.calls.clear()
    for check_mode in (True, False):
        again = by_id(connect, ledger, WISH, "r2", check_mode=check_mode)
        assert (again["changed"], again["already_applied"], again["offsets"]) == (False, True, pairs(a=30, b=20))
        assert again["change"]["phase"] == "applied" and again["warnings"] == []
    assert connect.writes == [] and len(ledger.puts) == 4 and connect.state == "RUNNING"
    with pytest.raises(errors.DeclarationError, match="CHG-1 of c was applied on .* meant something else"):
        by_id(connect, ledger, DesiredOffsets.present(pairs(a=5)))
    assert connect.writes == [] and positions(connect) == {"a": 30, "b": 20}


def test_the_ledger_knows_what_is_replaced_before_it_is():
    seen = []
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10, b=20))
    connect.faults = {"alter": [lambda self, given: seen.append(ledger.the())], "stop": [lambda self: seen.append(ledger.the())]}
    by_id(connect, ledger, DesiredOffsets.present(pairs(a=4, c=1), purge=True))
    assert [(one.phase, one.before, one.state_to_restore) for one in seen] == [
        ("started", None, "RUNNING"),
        ("started", [*pairs(a=10, b=20), {"partition": part("c"), "offset": None}], "RUNNING")]
    assert seen[1].after == [*pairs(a=4), {"partition": part("b"), "offset": None}, *pairs(c=1)]


@pytest.mark.parametrize("state", ["RUNNING", "STOPPED", "PAUSED"])
def test_check_mode_with_an_id_predicts_and_writes_nothing(state):
    ledger, connect = FakeLedger(), FakeConnect(state, live(a=10))
    dry = by_id(connect, ledger, WISH, check_mode=True)
    assert connect.writes == [] and ledger.puts == [] and dry["change"] is None
    real = by_id(connect, ledger, WISH)
    assert {name: dry[name] for name in ("changed", "diff", "offsets", "already_applied")} == {
        name: real[name] for name in ("changed", "diff", "offsets", "already_applied")}
    assert told(ledger) == ("applied", False, None, ORIGINAL) and connect.state == state


def test_what_is_there_already_is_made():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=4))
    result = by_id(connect, ledger, WISH)
    assert (result["changed"], result["already_applied"], result["change"]["before"]) == (False, False, [])
    moves_on(connect, a=50)
    again = by_id(connect, ledger, WISH)
    assert again["already_applied"] is True and connect.writes == [] and positions(connect) == {"a": 50}


STEPS = {
    "before the stop": {"stop": [kill]}, "after the stop": {"stop": [carried_out("stop")]}, "before the change": {"alter": [kill]},
    "after the change": {"alter": [carried_out("alter")]}, "before the resume": {"resume": [kill]},
    "after the resume": {"resume": [carried_out("resume")]}}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("undo", [False, True])
def test_killed_at_each_step_and_finished_by_the_next_run(step, undo, dead):
    """One change, one replay, and the connector runs again."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    if undo:
        by_id(connect, ledger, WISH, "r0")
        moves_on(connect, a=30)
    connect.faults = {name: list(faults) for name, faults in STEPS[step].items()}
    killed(connect, ledger, WISH, dead, undo=undo)
    if connect.state == "RUNNING" and step == "after the resume":
        moves_on(connect, a=40)
    dry = by_id(connect, ledger, WISH, "r2", check_mode=True, undo=undo)
    connect.calls.clear()
    result = by_id(connect, ledger, WISH, "r3", undo=undo)
    assert (dry["changed"], dry["already_applied"]) == (result["changed"], result["already_applied"])
    assert connect.state == "RUNNING" and positions(connect) == {"a": 40 if step == "after the resume" else 10 if undo else 4}
    assert told(ledger) == ("restored" if undo else "applied", False, None, ORIGINAL)
    assert ("alter" in connect.writes) is (step in ("before the stop", "after the stop", "before the change"))
    assert result["already_applied"] is (not undo and step in ("before the resume", "after the resume"))
    assert result["changed"] is (step != "after the resume")
    moves_on(connect, a=60)
    connect.calls.clear()
    third = by_id(connect, ledger, WISH, "r4", undo=undo)
    assert (third["changed"], connect.writes, positions(connect)) == (False, [], {"a": 60})


@pytest.mark.parametrize("written", range(6))
@pytest.mark.parametrize("before", [True, False])
def test_killed_at_each_writing_of_the_ledger(written, before, dead):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    if before:
        ledger.meanwhile = [lambda: None] * written + [kill]
    else:
        put = ledger.put

        def put_and_die(change, known, expired=()):
            put(change, known, expired)
            if len(ledger.puts) == written + 1:
                raise Killed()

        ledger.put = put_and_die
    try:
        by_id(connect, ledger, WISH)
    except Killed:
        dead.add("r1")
    ledger.meanwhile.clear()
    ledger.__dict__.pop("put", None)
    by_id(connect, ledger, WISH, "r2")
    assert connect.state == "RUNNING" and told(ledger) == ("applied", False, None, ORIGINAL) and positions(connect) == {"a": 4}
    assert connect.writes.count("alter") == 1


def test_a_run_that_was_killed_while_it_finished_another():
    """The third one still knows what was there before the first."""
    ledger, connect, dead = FakeLedger(), FakeConnect("RUNNING", live(a=10)), set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(connector_changes, "is_gone", dead.__contains__)
        connect.faults = {"alter": [carried_out("alter")]}
        killed(connect, ledger, WISH, dead)
        connect.faults = {"resume": [kill]}
        killed(connect, ledger, WISH, dead, "r2")
        result = by_id(connect, ledger, WISH, "r3")
    assert result["change"]["before"] == ORIGINAL and connect.state == "RUNNING" and told(ledger)[:3] == ("applied", False, None)


@pytest.mark.parametrize("undo", [False, True])
def test_before_3_5_the_state_that_the_killed_run_found_is_put_back(undo, dead):
    """It is PAUSED by that run, not by its operator."""
    connect = Worker("RUNNING", "3.4.1", tasks=1)
    kafka, ledger = kafka_with(connect, a=10), FakeLedger()

    def run(name, **options):
        route = Router(Access(connect, "c", kafka, "topic", "offsets", sleep=connect.sleep))
        return by_id(connect, ledger, WISH, name, undo=undo, router=route, **options)

    def paused_and_killed(self):
        self.state = "PAUSED"
        raise Killed()

    if undo:
        by_id(connect, ledger, WISH, "r0", router=Router(Access(connect, "c", kafka, "topic", "offsets", sleep=connect.sleep)))
    connect.faults = {"pause": [paused_and_killed]}
    with pytest.raises(Killed):
        run("r1")
    dead.add("r1")
    assert connect.state == "PAUSED"
    result = run("r2")
    assert left(kafka) == {"a": 10 if undo else 4} and connect.state == "RUNNING" and result["state_before"] == "RUNNING"
    assert told(ledger) == ("restored" if undo else "applied", False, None, ORIGINAL)


class Reconfigured(Worker):
    """UNASSIGNED for a second after each ledger entry, as a worker shows a connector whose configuration was changed."""

    until = -1.0

    def reconfigure(self):
        self.until = self.now + 1

    def status(self, name):
        shown = super().status(name)
        return shown if self.now > self.until else {**shown, "connector": {"state": "UNASSIGNED", "worker_id": "w"}}


@pytest.mark.parametrize("version, state", [("4.3.1", "RUNNING"), ("4.3.1", "STOPPED"), ("4.3.1", "PAUSED"), ("3.4.1", "RUNNING"),
                                            ("3.4.1", "PAUSED")])
def test_a_ledger_in_the_configuration_hides_the_state_for_a_moment(version, state):
    connect, ledger = Reconfigured(state, version), FakeLedger()
    kafka = kafka_with(connect, a=10)
    ledger.meanwhile = [connect.reconfigure for put in range(9)]
    route = Router(Access(connect, "c", kafka, "topic", "offsets", sleep=connect.sleep))
    connect.until = 0  # an earlier change has just ended
    result = by_id(connect, ledger, WISH, router=route)
    assert left(kafka) == {"a": 4} and connect.state == state and result["state_before"] == state
    assert told(ledger) == ("applied", False, None, ORIGINAL)


def test_a_state_that_the_operator_has_put_back_meanwhile_is_left_alone(dead):
    for state, tasks in (("RUNNING", 1), ("PAUSED", 1)):
        ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
        connect.faults = {"resume": [kill]}
        killed(connect, ledger, WISH, dead)
        connect.state, connect.tasks = state, tasks
        moves_on(connect, a=70)
        connect.calls.clear()
        result = by_id(connect, ledger, WISH, "r2")
        assert (result["changed"], result["already_applied"], connect.writes, connect.state) == (False, True, [], state)
        assert positions(connect) == {"a": 70} and told(ledger) == ("applied", False, None, ORIGINAL)


@pytest.mark.parametrize("state", ["PAUSED", "RUNNING"])
def test_a_state_that_the_operator_has_chosen_since_counts(state, dead):
    """It was stopped by a run that is gone, and started or paused by hand; now it is stopped once more."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.faults = {"alter": [kill]}
    killed(connect, ledger, WISH, dead)
    connect.state, connect.tasks = state, 1
    result = by_id(connect, ledger, WISH, "r2")
    assert connect.state == state == result["state_before"] and positions(connect) == {"a": 4}
    assert told(ledger) == ("applied", False, None, ORIGINAL)


# ---- two runs at once ---------------------------------------------------------------------------------------------

def at(connect, *moments):
    """(second, function): what happens at that time of the fake clock, while somebody sleeps."""
    coming, sleep = sorted(moments, key=lambda one: one[0]), connect.sleep

    def sleeping(seconds):
        sleep(seconds)
        while coming and coming[0][0] <= connect.now:
            coming.pop(0)[1]()

    connect.sleep = sleeping


def test_one_that_comes_second_waits_and_changes_nothing():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    second = {}

    def other_run(self, given):
        """While the first one is at it; the second one sees the worker as it is then."""
        clone = FakeConnect("STOPPED", live(a=10))
        at(clone, (3, lambda: ledger.by_another(phase="applied", busy=False, state_to_restore=None, run="r1")))
        second["result"], second["writes"] = by_id(clone, ledger, WISH, "r2"), clone.writes

    connect.faults = {"alter": [other_run]}
    with pytest.raises(LeaseLost):
        by_id(connect, ledger, WISH, "r1")
    assert second["result"]["already_applied"] is True and second["result"]["changed"] is False and second["writes"] == []


def test_of_two_that_begin_at_once_one_makes_it():
    """The other looks again, with a fresh eye."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    first = {}

    def other_run():
        first["result"] = by_id(connect, ledger, WISH, "r0")
        moves_on(connect, a=12)

    ledger.meanwhile = [other_run]
    result = by_id(connect, ledger, WISH, "r1")
    assert (first["result"]["changed"], first["result"]["already_applied"]) == (True, False)
    assert (result["changed"], result["already_applied"], result["warnings"]) == (False, True, [])
    assert connect.writes == ["stop", "alter", "resume"] and positions(connect) == {"a": 12}


def test_what_the_first_look_has_warned_of_is_not_told_of_the_second():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    desired = DesiredOffsets.present(pairs(typo=4))
    assert len(by_id(connect, FakeLedger(), desired, check_mode=True)["warnings"]) == 1
    ledger.meanwhile = [lambda: by_id(connect, ledger, desired, "r0")]
    result = by_id(connect, ledger, desired, "r1")
    assert (result["already_applied"], result["warnings"]) == (True, [])


def begun(state_to_restore="RUNNING", **fields):
    """A run on another machine is at work."""
    ledger = FakeLedger()
    once = TrackedChange(ledger, "c", "CHG-1", run="other")
    connect = FakeConnect("RUNNING", live(a=10))
    change = ChangeItem(connect, "c", WISH, once=once)
    declared = change.planning.digest(change.ready.find(WISH))
    once.look(declared, False)
    once.begin(declared, state_to_restore, method="rest", offset_topic=None, cluster={}, kind="source")
    ledger.puts.clear()
    ledger.by_another(**fields)
    return ledger


def test_a_run_that_was_waited_for_and_dies_before_it_resumes():
    """Seen before the wait, the connector was still running."""
    ledger, connect = begun(), FakeConnect("RUNNING", live(a=10))

    def goes_on():
        connect.state, connect.tasks = "STOPPED", 0
        moves_on(connect, a=4)
        ledger.by_another(phase="applied", before=ORIGINAL, after=pairs(a=4), times={**ledger.the().times, "applied": record.now()})

    at(connect, (3, goes_on))
    result = by_id(connect, ledger, WISH)
    assert connect.state == "RUNNING" and connect.writes == ["resume"] and told(ledger) == ("applied", False, None, ORIGINAL)
    assert result["connector"]["state"] == "RUNNING" and (result["changed"], result["already_applied"]) == (True, True)


@pytest.mark.parametrize("method", ["rest", "topic"])
def test_a_run_that_was_waited_for_and_fails_leaves_a_running_connector(method):
    """Seen before the wait, the connector was stopped: it is not any more, and has to be stopped again."""
    ledger = begun()
    connect = Worker("STOPPED", live=live(a=10))
    kafka = kafka_with(connect, a=10)

    def gives_up():
        connect.state, connect.tasks, connect.memory = "RUNNING", 1, True
        ledger.by_another(busy=False, state_to_restore=None)

    at(connect, (3, gives_up))
    router = Router(Access(connect, "c", kafka, method, "offsets", sleep=connect.sleep))
    connect.faults = {"alter": [lambda self, given: None if self.state == "STOPPED" else kill()]}
    result = by_id(connect, ledger, WISH, router=router)
    assert connect.writes == ["stop", "resume"] if method == "topic" else ["stop", "alter", "resume"]
    assert result["changed"] is True and connect.state == "RUNNING" and result["state_before"] == "RUNNING"
    assert told(ledger) == ("applied", False, None, ORIGINAL)


def test_what_is_returned_after_a_wait_is_what_is_there_then():
    ledger, connect = begun(), FakeConnect("STOPPED", live(a=10))

    def ends():
        connect.state, connect.tasks = "RUNNING", 1
        ledger.by_another(phase="applied", busy=False, state_to_restore=None, before=ORIGINAL, after=pairs(a=4))

    at(connect, (3, ends))
    result = by_id(connect, ledger, WISH)
    assert result["connector"]["state"] == "RUNNING" and result["already_applied"] is True and connect.writes == []


def test_two_that_put_the_state_back_at_once(dead):
    """After a run that was killed before it did: both are right, so neither fails."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.faults = {"resume": [kill]}
    killed(connect, ledger, WISH, dead)
    connect.faults = {"resume": [lambda self: by_id(FakeConnect("RUNNING", live(a=4)), ledger, WISH, "r2") and None]}
    result = by_id(connect, ledger, WISH, "r3")
    assert result["already_applied"] is True and connect.state == "RUNNING" and told(ledger) == ("applied", False, None, ORIGINAL)


def test_who_was_taken_for_dead_puts_nothing_back():
    """The plugin takes a minute. Another run has gone on, and will put the state back."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))

    def a_minute(self, given):
        self.alter(given)
        self.now += 60
        ledger.by_another()
        return DONE

    connect.faults = {"alter": [a_minute]}
    with pytest.raises(LeaseLost):
        by_id(connect, ledger, WISH)
    assert connect.writes == ["stop", "alter"] and connect.state == "STOPPED" and positions(connect) == {"a": 4}
    assert ledger.the().run == "other"


def test_signs_of_life_while_it_waits():
    """The worker takes its time to stop the tasks, and the offsets are looked at again after a while."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    stopped = connect._target

    def slowly(method, state, tasks):
        if method != "stop":
            return stopped(method, state, tasks)
        connect.calls.append(method)
        connect.state = state

    connect._target = slowly
    at(connect, (12, lambda: setattr(connect, "tasks", 0)))
    by_id(connect, ledger, WISH, settle=12)
    assert len(ledger.puts) - 4 in (3, 4, 5, 6) and [one.revision for one in ledger.puts] == list(range(1, len(ledger.puts) + 1))
    assert told(ledger) == ("applied", False, None, ORIGINAL)


# ---- a failure, with an id ----------------------------------------------------------------------------------------

@pytest.mark.parametrize("state", ["RUNNING", "STOPPED"])
def test_after_a_failure_the_id_is_free_for_a_wish_that_is_mended(state):
    ledger, connect = FakeLedger(), FakeConnect(state, live(a=10))
    connect.faults = {"alter": [errors.Refused("no such day")]}
    with pytest.raises(errors.Refused, match="no such day. The offsets are as they were"):
        by_id(connect, ledger, DesiredOffsets.present(pairs(a=5)))
    assert told(ledger) == ("started", False, None, None) and connect.state == state and positions(connect) == {"a": 10}
    result = by_id(connect, ledger, WISH, "r2")
    assert result["changed"] is True and result["warnings"] == [] and told(ledger) == ("applied", False, None, ORIGINAL)
    assert connect.state == state


def test_a_failure_that_left_something_keeps_the_id_for_its_wish(tmp_path):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10, b=20))
    both, path = DesiredOffsets.present(pairs(a=4, b=5)), str(tmp_path / "b.json")
    connect.faults = {"alter": [lambda self, given: self.alter(pairs(a=7, b=5)), errors.Unreachable("gone")]}
    with pytest.raises(errors.ReadBackError):
        by_id(connect, ledger, both, backup=path)
    assert told(ledger) == ("started", False, "RUNNING", pairs(a=10, b=20)) and connect.state == "STOPPED"
    with pytest.raises(errors.DeclarationError, match="was started on .* something else"):
        by_id(connect, ledger, WISH, "r2")
    assert by_id(connect, ledger, both, "r3")["changed"] is True and positions(connect) == {"a": 4, "b": 5}
    assert told(ledger) == ("applied", False, None, pairs(a=10, b=20)) and connect.state == "RUNNING"


def lost_in_a_restart(self, *_given):
    self.alter(pairs(a=4))
    self.faults["offsets"] = [errors.Unreachable("gone")] * self.away
    raise errors.ResponseLost("cut off")


def test_a_worker_that_is_restarted_after_the_write_is_read_back():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.away, connect.faults = 5, {"alter": [lost_in_a_restart]}
    result = by_id(connect, ledger, WISH)
    assert result["changed"] is True and connect.writes == ["stop", "alter", "resume"] and connect.now >= 5
    assert told(ledger) == ("applied", False, None, ORIGINAL)


def test_one_whose_offsets_are_not_known_does_not_run_on(tmp_path):
    """Else the next run, which finds that it has moved, would have it deliver the same once more."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.away, connect.faults = 500, {"alter": [lost_in_a_restart]}
    with pytest.raises(errors.ResponseLost) as caught:
        by_id(connect, ledger, WISH, backup=str(tmp_path / "b.json"))
    assert caught.value.message.endswith(
        "c is left stopped, and it is not known whether its offsets were changed. Do not start it: the next run of this change would then change its offsets "
        "again. Once Connect answers, run the same again, which finishes the change.")
    assert told(ledger) == ("started", False, "RUNNING", ORIGINAL) and connect.state == "STOPPED"
    connect.faults.clear()
    connect.calls.clear()
    assert by_id(connect, ledger, WISH, "r2")["state_before"] == "RUNNING"
    assert connect.writes == ["resume"] and told(ledger) == ("applied", False, None, ORIGINAL)


def test_a_state_that_could_not_be_put_back_is_due_at_the_next_run():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.faults = {"resume": [errors.Refused("no")] * 9}
    with pytest.raises(errors.Refused, match="changed as declared, but the connector is not RUNNING again"):
        by_id(connect, ledger, WISH)
    assert told(ledger) == ("applied", False, "RUNNING", ORIGINAL)
    connect.faults.clear()
    result = by_id(connect, ledger, WISH, "r2")
    assert (result["changed"], result["already_applied"], connect.state) == (True, True, "RUNNING")
    assert told(ledger) == ("applied", False, None, ORIGINAL)


@pytest.mark.parametrize("put, kept", [(1, None), (2, None)])
def test_a_ledger_that_fails_before_the_first_write(put, kept):
    """Without a word in the ledger nothing is changed."""
    def refuse():
        raise errors.BrokerDenied("no Write on the ledger")

    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    ledger.meanwhile = [lambda: None] * (put - 1) + [refuse]
    with pytest.raises(errors.BrokerDenied, match="no Write on the ledger"):
        by_id(connect, ledger, WISH)
    assert "alter" not in connect.writes and connect.state == "RUNNING" and positions(connect) == {"a": 10}
    assert by_id(connect, ledger, WISH, "r2")["changed"] is True


def test_a_ledger_that_fails_after_the_write_is_finished_later(dead):
    """The offsets are changed, and the ledger does not know: the next run sees that they are."""
    def refuse():
        raise errors.BrokerDenied("no Write on the ledger")

    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    ledger.meanwhile = [lambda: None, lambda: None] + [refuse] * 5
    with pytest.raises(errors.ConnectError, match="could not be written into the ledger .the ledger.. It is left as it is now, stopped"):
        by_id(connect, ledger, WISH)
    assert connect.state == "STOPPED", "once it ran on, the next run would rewind it again"
    ledger.meanwhile.clear()
    dead.add("r1")
    assert ledger.the().before == ORIGINAL and positions(connect) == {"a": 4}
    by_id(connect, ledger, WISH, "r2")
    assert connect.writes == ["stop", "alter", "resume"] and connect.state == "RUNNING"
    assert told(ledger) == ("applied", False, None, ORIGINAL)


def test_a_failure_of_one_who_finishes_says_what_is_left_to_do(dead):
    """The killed run has stopped the connector, and this one was refused: it runs again, or it is said that it does not."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.faults = {"stop": [carried_out("stop")]}
    killed(connect, ledger, WISH, dead)
    connect.faults = {"alter": [errors.Refused("no such day")]}
    with pytest.raises(errors.Refused) as caught:
        by_id(connect, ledger, WISH, "r2")
    if connect.state == "RUNNING":
        assert told(ledger) == ("started", False, None, None) and "restored" in caught.value.message
    else:
        assert told(ledger) == ("started", False, "RUNNING", None) and "RUNNING" in caught.value.message


def unreachable(ledger, first):
    """From that writing on."""
    def refuse():
        raise errors.BrokersUnreachable("no answer from the ledger")

    ledger.meanwhile = [lambda: None] * (first - 1) + [refuse] * 99


def test_a_sign_of_life_that_is_not_heard_ends_nothing():
    """The brokers are away while the worker takes its time to stop."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    unreachable(ledger, 2)
    stop = connect.stop

    def slowly(name):
        stop(name)
        connect.tasks = 1

    connect.stop = slowly
    at(connect, (8, ledger.meanwhile.clear), (9, lambda: setattr(connect, "tasks", 0)))
    assert by_id(connect, ledger, WISH)["changed"] is True
    assert told(ledger) == ("applied", False, None, ORIGINAL) and connect.state == "RUNNING"


def test_a_ledger_that_fails_where_nothing_was_left_to_write():
    """The connector has come to the declared offsets by itself until it was stopped. Run on, it would be rewound by the next run."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    unreachable(ledger, 2)
    stop = connect.stop

    def arrived(name):
        stop(name)
        connect.live = FakeConnect(live=live(a=4)).live

    connect.stop = arrived
    with pytest.raises(errors.ConnectError) as caught:
        by_id(connect, ledger, WISH)
    assert "could not be written into the ledger (the ledger). It is left as it is now, stopped" in caught.value.message
    assert caught.value.facts["changed"] is False and connect.writes == ["stop"] and connect.state == "STOPPED"


def test_a_ledger_that_fails_at_the_very_end():
    """All is done, which has to be said; the next run has nothing to do but to tell the ledger."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    unreachable(ledger, 4)
    try:
        result = by_id(connect, ledger, WISH)
        assert result["changed"] is True and any("no answer from the ledger" in text for text in result["warnings"])
    except errors.BrokersUnreachable as error:
        assert error.facts.get("changed") is True and "changed as declared" in error.message
    assert connect.state == "RUNNING" and positions(connect) == {"a": 4}
    ledger.meanwhile.clear()
    moves_on(connect, a=30)
    connect.calls.clear()
    again = by_id(connect, ledger, WISH, "r2")
    assert (again["changed"], again["already_applied"], connect.writes) == (False, True, [])
    assert told(ledger) == ("applied", False, None, ORIGINAL)


# ---- what becomes of the connector --------------------------------------------------------------------------------

@pytest.mark.parametrize("after, due", [(LATER, "RUNNING"), (LEAVE, None)])
def test_left_stopped(after, due):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    result = by_id(connect, ledger, WISH, final_state=after)
    assert connect.writes == ["stop", "alter"] and (result["state_before"], result["connector"]["state"]) == ("RUNNING", "STOPPED")
    assert told(ledger) == ("applied", False, due, ORIGINAL)
    same = by_id(connect, ledger, WISH, "r2", final_state=after)
    assert (same["changed"], same["already_applied"], connect.state) == (False, True, "STOPPED") and told(ledger)[2] == due
    dry = by_id(connect, ledger, WISH, "r3", check_mode=True)
    back = by_id(connect, ledger, WISH, "r4")
    assert connect.writes == ["stop", "alter"] + (["resume"] if due else []) and dry["changed"] is back["changed"] is bool(due)
    assert told(ledger) == ("applied", False, None, ORIGINAL) and positions(connect) == {"a": 4}
    assert not any("did not end" in warning for warning in back["warnings"]), "it did, as it was told to"


@pytest.mark.parametrize("after, due", [(LATER, "RUNNING"), (LEAVE, None)])
@pytest.mark.parametrize("step", ["after the stop", "after the change"])
def test_killed_when_it_was_to_be_left_stopped(after, due, step, dead):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.faults = {name: list(faults) for name, faults in STEPS[step].items()}
    killed(connect, ledger, WISH, dead, final_state=after)
    assert told(ledger)[2] == due
    by_id(connect, ledger, WISH, "r2", final_state=after)
    assert connect.state == "STOPPED" and told(ledger) == ("applied", False, due, ORIGINAL) and positions(connect) == {"a": 4}


@pytest.mark.parametrize("after", [LATER, LEAVE])
def test_left_stopped_without_a_ledger(after):
    connect = FakeConnect("RUNNING", live(a=10))
    result = change(connect, WISH, stop=True, final_state=after)
    assert connect.writes == ["stop", "alter"] and result["state_before"] == "RUNNING" and result["connector"]["state"] == "STOPPED"


@pytest.mark.parametrize("after", [LATER, LEAVE])
def test_not_left_stopped_after_a_failure(after):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.faults = {"alter": [errors.Refused("no")]}
    with pytest.raises(errors.Refused):
        by_id(connect, ledger, WISH, final_state=after)
    assert connect.writes == ["stop", "alter", "resume"] and told(ledger) == ("started", False, None, None)


# ---- undo ---------------------------------------------------------------------------------------------------------

def test_undo_puts_back_what_was_replaced_and_nothing_else():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10, b=20, d=30))
    by_id(connect, ledger, DesiredOffsets.document([*pairs(a=4, c=1), {"partition": part("b"), "offset": None}]))
    moves_on(connect, a=99, d=77, e=5)
    dry = by_id(connect, ledger, None, "r2", undo=True, check_mode=True)
    assert positions(connect) == {"a": 99, "c": 1, "d": 77, "e": 5} and connect.state == "RUNNING"
    real = by_id(connect, ledger, None, "r3", undo=True)
    assert positions(connect) == {"a": 10, "b": 20, "d": 77, "e": 5} and connect.state == "RUNNING"
    assert {name: dry[name] for name in ("changed", "diff", "offsets")} == {name: real[name] for name in ("changed", "diff", "offsets")}
    assert real["change"]["phase"] == "restored" and real["changed"] is True and real["already_applied"] is False
    again = "c goes back: 1 partition by 89 bytes, 1 partition by an unknown distance. What it has delivered in between is delivered again."
    assert again in dry["warnings"] and again in real["warnings"]
    moves_on(connect, a=11)
    connect.calls.clear()
    twice = by_id(connect, ledger, None, "r4", undo=True)
    again = by_id(connect, ledger, DesiredOffsets.document([*pairs(a=4, c=1), {"partition": part("b"), "offset": None}]), "r5")
    assert (twice["changed"], again["changed"], again["already_applied"], connect.writes) == (False, False, False, [])
    assert len(again["warnings"]) == 1 and "CHG-1 of c was undone on" in again["warnings"][0] and "another change_id" in again["warnings"][0]


def by_id_on_topic(kafka, connect, ledger, desired, run="r1", **options):
    return by_id(connect, ledger, desired, run, router=Router(Access(connect, "c", kafka, "topic", "offsets", sleep=connect.sleep)), **options)


@pytest.mark.parametrize("whose", ["its own", "another's"])
def test_a_run_that_finishes_a_transaction_without_an_end(whose, dead):
    """The brokers stopped between the commit and its marker. The same transactional id ends it; another's hides what is there, so nothing runs on."""
    connect, ledger = Worker("RUNNING"), FakeLedger()
    kafka = kafka_with(connect, a=10)
    places = {(topic, place): len(kafka.topics[topic][place]) for topic, place in (("offsets", number) for number in range(5))}
    carry_out = kafka.carry_out

    def without_an_end(records):
        carry_out(records)
        kafka.open = places
        raise Killed

    kafka.faults = [without_an_end]
    killed(connect, ledger, WISH, dead, router=Router(Access(connect, "c", kafka, "topic", "offsets", sleep=connect.sleep)))
    assert connect.state == "STOPPED" and left(kafka) == {"a": 4}
    if whose == "its own":
        kafka.carry_out = lambda records: (kafka.open.clear(), carry_out(records))
        assert by_id_on_topic(kafka, connect, ledger, WISH, "r2")["changed"] is True
        assert connect.state == "RUNNING" and left(kafka) == {"a": 4} and told(ledger) == ("applied", False, None, ORIGINAL)
        return
    with pytest.raises(errors.WriteOutcomeUnknown, match="hides what was written behind it.* c is left stopped, .* run the same again, which finishes"):
        by_id_on_topic(kafka, connect, ledger, WISH, "r2", wait_timeout=5)
    assert connect.state == "STOPPED" and told(ledger) == ("started", False, "RUNNING", ORIGINAL)


def killed_on_topic(dead):
    """(worker, ledger, brokers) after a run that was killed while it wrote."""
    connect, ledger = Worker("RUNNING"), FakeLedger()
    kafka = kafka_with(connect, a=10)
    kafka.faults = [kill]
    killed(connect, ledger, WISH, dead, router=Router(Access(connect, "c", kafka, "topic", "offsets", sleep=connect.sleep)))
    return connect, ledger, kafka


def fails_blindly(connect, ledger, kafka) -> None:
    """The next run writes nothing and does not see what is live, so nothing runs on."""
    with pytest.raises(errors.BrokersUnreachable, match="gone. An earlier run of this change may have changed its offsets; what is live now cannot be seen"):
        by_id_on_topic(kafka, connect, ledger, WISH, "r2")
    assert connect.state == "STOPPED" and told(ledger) == ("started", False, "RUNNING", ORIGINAL)


def test_a_run_that_finishes_another_and_cannot_write_behind_an_open_transaction(dead):
    connect, ledger, kafka = killed_on_topic(dead)
    kafka.open = {("offsets", number): len(kafka.topics["offsets"][number]) - 1 for number in range(5) if kafka.topics["offsets"][number]}
    kafka.faults = [errors.BrokersUnreachable("gone")]
    fails_blindly(connect, ledger, kafka)


def test_a_run_that_finishes_another_and_has_lost_its_brokers(dead):
    """Whether an earlier run has written is not known, so nothing runs on."""
    connect, ledger, kafka = killed_on_topic(dead)
    ends = kafka.ends

    def gone(records):
        def no_answer(topic):
            raise errors.BrokersUnreachable("no answer")
        kafka.ends = no_answer
        raise errors.BrokersUnreachable("gone")

    kafka.faults = [gone]
    fails_blindly(connect, ledger, kafka)
    kafka.ends = ends
    assert by_id_on_topic(kafka, connect, ledger, WISH, "r3")["changed"] is True
    assert connect.state == "RUNNING" and left(kafka) == {"a": 4} and told(ledger) == ("applied", False, None, ORIGINAL)


def test_undo_on_the_offsets_topic_brings_the_very_same_bytes_back():
    connect, ledger = Worker("RUNNING"), FakeLedger()
    kafka = kafka_with(connect, a=10).put('["c", {"filename": "a"}]', '{ "position": 9 }').put(key("a"), '{"position": 10}', 4)
    before = kafka.live()
    made = by_id_on_topic(kafka, connect, ledger, WISH)
    assert kafka.live() != before and ledger.the().method == "topic" and ledger.the().offset_topic == "offsets"
    assert "records" not in made["change"] and len(ledger.the().records) == 3
    by_id_on_topic(kafka, connect, ledger, None, "r2", undo=True)
    assert kafka.live() == before and connect.state == "RUNNING"


def test_topic_a_change_that_may_be_overwritten_is_not_forgotten():
    """Somebody started the connector meanwhile: the offsets are changed, so the id still stands for this declaration."""
    connect, ledger = Worker("STOPPED"), FakeLedger()
    kafka = kafka_with(a=10)

    def start(records):
        FakeKafka.carry_out(kafka, records)
        connect.state, connect.tasks = "RUNNING", 1

    kafka.faults = [start]
    with pytest.raises(errors.StateError, match="somebody started it meanwhile"):
        by_id_on_topic(kafka, connect, ledger, WISH)
    assert told(ledger) == ("started", False, None, ORIGINAL)


def test_undo_of_what_needs_no_write():
    """The operator has put it back already."""
    ledger, connect = FakeLedger(), FakeConnect("STOPPED", live(a=10))
    by_id(connect, ledger, WISH)
    moves_on(connect, a=10)
    connect.calls.clear()
    result = by_id(connect, ledger, None, "r2", undo=True)
    assert (result["changed"], connect.writes, ledger.the().phase) == (False, [], "restored")


def test_undo_that_is_refused_leaves_the_change_made():
    ledger, connect = FakeLedger(), FakeConnect("STOPPED", live(a=10))
    by_id(connect, ledger, WISH)
    connect.faults = {"alter": [errors.Refused("no")]}
    with pytest.raises(errors.Refused):
        by_id(connect, ledger, None, "r2", undo=True)
    assert told(ledger) == ("applied", False, None, ORIGINAL) and positions(connect) == {"a": 4}
    assert by_id(connect, ledger, None, "r3", undo=True)["changed"] is True and positions(connect) == {"a": 10}


def test_undo_of_a_change_that_was_killed_before_it_was_told(dead):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.faults = {"alter": [carried_out("alter")]}
    killed(connect, ledger, WISH, dead)
    result = by_id(connect, ledger, None, "r2", undo=True)
    assert positions(connect) == {"a": 10} and connect.state == "RUNNING" and told(ledger) == ("restored", False, None, ORIGINAL)
    assert not any("it is finished now" in warning for warning in result["warnings"]), "it is undone"


def test_undo_of_a_change_that_was_killed_before_its_first_write(dead):
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    connect.faults = {"stop": [carried_out("stop")]}
    killed(connect, ledger, WISH, dead)
    result = by_id(connect, ledger, None, "r2", undo=True)
    assert result["changed"] is True and connect.state == "RUNNING" and positions(connect) == {"a": 10}
    assert (ledger.the().phase, ledger.the().state_to_restore, ledger.the().busy) == ("restored", None, False)
    connect.calls.clear()
    again = by_id(connect, ledger, WISH, "r3")
    assert again["changed"] is False and connect.writes == [] and positions(connect) == {"a": 10}


# ---- settle -------------------------------------------------------------------------------------------------------

def test_a_late_commit_is_made_good():
    connect = FakeConnect("RUNNING", live(a=10, b=20))
    at(connect, (2.5, lambda: moves_on(connect, a=12)))
    result = change(connect, WISH, stop=True, settle=5)
    assert positions(connect) == {"a": 4, "b": 20} and connect.writes == ["stop", "alter", "alter", "resume"]
    warning, = [text for text in result["warnings"] if "task that did not end" in text]
    assert warning.startswith('Something wrote other offsets of c over the change within 5 s, first {"filename": "a"}: {"position": 12}.')
    assert 10 <= connect.now < 12, "after it was made again it has to settle again"


def test_nothing_is_waited_for_without_settle():
    connect = FakeConnect("RUNNING", live(a=10))
    change(connect, WISH, stop=True)
    assert connect.now < 1


def test_a_change_that_is_overwritten_again_and_again_is_given_up():
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10))
    at(connect, *((second, lambda second=second: moves_on(connect, a=100 + second)) for second in (1, 4, 7)))
    with pytest.raises(errors.ReadBackError) as caught:
        by_id(connect, ledger, WISH, settle=3)
    assert "writes other offsets of c over the change again and again, within 3 s each time" in caught.value.message
    assert positions(connect) == {"a": 10} and connect.state == "RUNNING" and told(ledger) == ("started", False, None, None)


@pytest.mark.parametrize("desired, vanished, warned", [
    (DesiredOffsets.present(pairs(a=5)), ["a"], '1 of the partitions that it set has no offset any more, first {"filename": "a"}: '),
    (DesiredOffsets.present(pairs(a=5, b=6)), ["a", "b"], '2 of the partitions that it set have no offset any more, first {"filename": "a"}: '),
    (DesiredOffsets.present(pairs(a=5, b=6)), ["b"], '1 of the partitions that it set has no offset any more, first {"filename": "b"}: '),
    (DesiredOffsets.present(pairs(a=5)), [], None), (DesiredOffsets.present(pairs(a=5)), ["b"], None), (DesiredOffsets.absent(None), [], None),
])
@pytest.mark.parametrize("check_mode", [True, False])
def test_an_offset_that_vanished_after_the_change_is_said(desired, vanished, warned, check_mode):
    """As that of a connector which commits null for every record."""
    ledger, connect = FakeLedger(), FakeConnect("RUNNING", live(a=10, b=20))
    by_id(connect, ledger, desired)
    for name in vanished:
        del connect.live[json.dumps(part(name))]
    result = by_id(connect, ledger, desired, run="r2", check_mode=check_mode)
    assert (result["changed"], result["already_applied"]) == (False, True)
    found = [text for text in result["warnings"] if text.startswith("The change CHG-1 of c was made on ")]
    assert len(found) == (warned is not None) and (warned or "") in "".join(found)
