# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import FAILED, PAUSED, RUNNING, STOPPED, Connector, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors


def status(state, *tasks, **more):
    connector = {"state": state, "worker_id": "10.0.0.7:8083"}
    return {"name": "c", "type": "source", "connector": dict(connector, **more),
            "tasks": [{"id": number, "state": task, "worker_id": "10.0.0.7:8083"} for number, task in enumerate(tasks)]}


class FakeClient:
    """Shows the scripted statuses, each from its second on; None: no such connector. Its clock runs only in sleep()."""

    def __init__(self, *script):
        self.script = [moment if isinstance(moment, tuple) else (0, moment) for moment in script]
        self.now, self.calls, self.reads, self.away_since = 0.0, [], 0, None

    def sleep(self, seconds):
        self.now += seconds

    def status(self, name):
        assert name == "c"
        self.reads += 1
        shown = [state for since, state in self.script if since <= self.now][-1]
        if shown is None:
            raise errors.NoConnector("There is no such connector")
        if isinstance(shown, Exception):
            raise shown
        return shown

    def __getattr__(self, name):
        return lambda connector: self.calls.append((name, connector))


def lifecycle(*script, wait_timeout=60):
    client = FakeClient(*script)
    return client, Lifecycle(client, "c", wait_timeout, client.sleep, lambda: client.now)


R, P, S = status("RUNNING", "RUNNING"), status("PAUSED", "PAUSED"), status("STOPPED")


@pytest.mark.parametrize("shown, stopped, text", [
    (S, True, "STOPPED with no tasks"),
    (status("STOPPED", "RUNNING"), False, "STOPPED with 1 task (RUNNING)"),
    (status("PAUSED"), False, "PAUSED with no tasks"),
    (status("RUNNING", "RUNNING", "FAILED", "FAILED"), False, "RUNNING with 3 tasks (FAILED, RUNNING)"),
])
def test_connector(shown, stopped, text):
    assert (Connector(shown).stopped, str(Connector(shown))) == (stopped, text)


NO_CLASS = ("Failed to find any class that implements Connector and which name matches x.Y, available connectors are: "
            "PluginDesc{klass=class org.apache.kafka.connect.file.FileStreamSinkConnector, name='...', version='4.3.1'}, PluginDesc{...}")


def test_connector_result_and_failure():
    shown = status("FAILED", "FAILED", "RUNNING", "FAILED", trace="java.X: no\n\tat y", version="4.3.1")
    shown["tasks"][0]["trace"] = "java.Y: bad\n\tat z"
    shown["tasks"].reverse()
    found = Connector(shown)
    assert found.failed and [task["id"] for task in found.tasks] == [0, 1, 2]
    assert found.failure == "the connector: java.X: no; task 0: java.Y: bad; task 2: no trace"
    lost = status("FAILED", trace="o.a.k.ConnectException: " + NO_CLASS + "\n\tat z")
    assert Connector(lost).failure == "the connector: o.a.k.ConnectException: Failed to find any class that implements Connector and which name matches x.Y"
    assert found.result() == {
        "name": "c", "type": "source", "state": "FAILED", "worker_id": "10.0.0.7:8083", "version": "4.3.1",
        "trace": "java.X: no\n\tat y",
        "tasks": [{"id": 0, "state": "FAILED", "worker_id": "10.0.0.7:8083", "trace": "java.Y: bad\n\tat z"},
                  {"id": 1, "state": "RUNNING", "worker_id": "10.0.0.7:8083"},
                  {"id": 2, "state": "FAILED", "worker_id": "10.0.0.7:8083"}],
    }


@pytest.mark.parametrize("wanted, shown, expected", [
    (STOPPED, S, True), (STOPPED, status("STOPPED", "RUNNING"), False), (STOPPED, status("PAUSED"), False),
    (STOPPED, status("RUNNING"), False),
    (PAUSED, P, True), (PAUSED, status("PAUSED"), True), (PAUSED, status("PAUSED", "PAUSED", "RUNNING"), False),
    (PAUSED, S, False), (PAUSED, status("PAUSED", "FAILED"), True),
    (RUNNING, R, True), (RUNNING, status("RUNNING"), True), (RUNNING, status("RUNNING", "FAILED"), False),
    (RUNNING, status("RUNNING", "UNASSIGNED"), False), (RUNNING, P, False), (RUNNING, status("FAILED"), False),
])
def test_is_in(wanted, shown, expected):
    assert lifecycle(shown)[1].is_in(wanted, Connector(shown)) is expected


# ---- stop ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("before",
                         [R, P, status("PAUSED"), status("FAILED"), status("RUNNING", "FAILED"), status("UNASSIGNED")])
def test_stop_is_sent_once_and_waited_for(before):
    client, life = lifecycle(before, (2, status("STOPPED", "RUNNING")), (4, S))
    after = life.stop(Connector(before))
    assert after.stopped and client.calls == [("stop", "c")] and client.now == pytest.approx(4, abs=0.3)
    assert life.warnings == []


def test_stop_is_not_sent_when_it_is_stopped_already():
    client, life = lifecycle(status("STOPPED", "RUNNING"), (1, S))
    assert life.stop(Connector(status("STOPPED", "RUNNING"))).stopped
    assert client.calls == []


def test_a_dead_owner_is_accepted_after_a_while_with_a_warning():
    client, life = lifecycle(R, (1, status("RUNNING")))
    after = life.stop(Connector(R))
    assert client.calls == [("stop", "c")] and not after.stopped and after.tasks == []
    assert client.now == pytest.approx(6, abs=0.5)
    assert life.warnings == ["c was stopped and has no tasks, but its status still says RUNNING; its worker "
                             "10.0.0.7:8083 does not report any more."]


def test_a_failed_connector_without_tasks_after_a_stop_is_stopped():
    """There is nobody who could say anything else, where its class is missing."""
    client, life = lifecycle(status("FAILED", "RUNNING"), (1, status("FAILED")))
    assert life.stop(Connector(status("FAILED", "RUNNING"))).state == FAILED
    assert client.calls == [("stop", "c")] and life.warnings == []


def test_no_tasks_for_a_moment_is_not_no_tasks():
    client, life = lifecycle(R, (1, status("RUNNING")), (3, R), (5, status("RUNNING")), (7, S))
    assert life.stop(Connector(R)).stopped
    assert client.now == pytest.approx(7, abs=0.3) and life.warnings == []


def test_stop_gives_up():
    client, life = lifecycle(R, (1, status("STOPPED", "RUNNING", "RUNNING")), wait_timeout=20)
    with pytest.raises(errors.WaitError) as caught:
        life.stop(Connector(R))
    assert caught.value.message == ("Waited 20 s for the connector c to be STOPPED with no tasks left; it is STOPPED "
                                    "with 2 tasks (RUNNING).")
    assert caught.value.facts["connector"]["state"] == "STOPPED"
    assert client.now == pytest.approx(20, abs=0.3) and client.calls == [("stop", "c")]


def answers(client, verb, *faults):
    """Each request is answered with the next fault, the last one for ever; None: it is carried out. Returns the times of the requests."""
    sent, faults = [], list(faults)

    def request(name):
        sent.append(client.now)
        fault = faults.pop(0) if len(faults) > 1 else faults[0]
        if fault is not None:
            raise fault

    setattr(client, verb, request)
    return sent


TIMED_OUT = errors.OutcomeUnknown("PUT x failed with 500: Request timed out")
BROKE = errors.ResponseLost("the connection broke")


@pytest.mark.parametrize("fault", [TIMED_OUT, BROKE])
@pytest.mark.parametrize("took_at", [0.5, 4, 9.5])
@pytest.mark.parametrize("verb, before, after", [("stop", R, S), ("pause", R, P), ("resume", S, R)])
def test_a_request_in_doubt_that_took_is_not_sent_again(fault, took_at, verb, before, after):
    client, life = lifecycle(before, (took_at, after))
    sent = answers(client, verb, fault)
    wanted = after["connector"]["state"]
    assert life.reach(wanted, Connector(before)).state == wanted
    assert sent == [0] and client.now == pytest.approx(took_at, abs=1.1)
    assert life.warnings == [f"c is {wanted} as requested, though the answer was: {fault.message}"]


@pytest.mark.parametrize("wait_timeout, expected", [(60, [0, 10, 30]), (120, [0, 10, 30, 70]), (5, [0])])
def test_a_stop_in_doubt_is_sent_again_only_after_a_while(wait_timeout, expected):
    """Ten stops were seen, a second apart, and each rebalances the whole Connect cluster."""
    client, life = lifecycle(R, wait_timeout=wait_timeout)
    sent = answers(client, "stop", TIMED_OUT)
    with pytest.raises(errors.OutcomeUnknown, match="Request timed out"):
        life.stop(Connector(R))
    assert sent == expected and client.now == pytest.approx(wait_timeout, abs=1.1)


def test_a_stop_in_doubt_is_sent_again_when_it_did_not_take():
    client, life = lifecycle(R, (12, S))
    sent = answers(client, "stop", BROKE, None)
    assert life.stop(Connector(R)).stopped
    assert sent == [0, 10] and life.warnings == []


def test_a_stop_that_was_not_sent_is_tried_each_second():
    client, life = lifecycle(R, (3.5, S))
    gone = errors.Unreachable("no connection")
    sent = answers(client, "stop", gone, gone, gone, None)
    assert life.stop(Connector(R)).stopped
    assert sent == [0, 1, 2, 3] and life.warnings == []
    client, life = lifecycle(R, wait_timeout=5)
    sent = answers(client, "stop", gone)
    with pytest.raises(errors.Unreachable):
        life.stop(Connector(R))
    assert len(sent) in (5, 6)


# ---- pause --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("before, calls",
                         [(R, [("pause", "c")]), (S, [("pause", "c")]), (status("PAUSED", "RUNNING"), [])])
def test_pause(before, calls):
    client, life = lifecycle(before, (1, status("PAUSED", "RUNNING")), (3, P))
    assert life.pause(Connector(before)).state == PAUSED
    assert client.calls == calls and client.now == pytest.approx(3, abs=0.3)


# ---- start --------------------------------------------------------------------------------------------------------

FAILED_TASK = status("RUNNING", "RUNNING", "FAILED")


@pytest.mark.parametrize("before, calls", [
    (S, [("resume", "c")]),
    (P, [("resume", "c")]),
    # FAILED hides whether it was meant to run or to be paused
    (status("FAILED"), [("resume", "c"), ("restart_failed", "c")]),
    (FAILED_TASK, [("restart_failed", "c")]),
    # as a connector is for a moment that was STOPPED or PAUSED and got another configuration
    (status("UNASSIGNED"), [("resume", "c")]),
    (status("RUNNING", "UNASSIGNED"), []),
    # a resume alone leaves a dead task dead
    (status("PAUSED", "PAUSED", "FAILED"), [("resume", "c"), ("restart_failed", "c")]),
])
def test_start(before, calls):
    client, life = lifecycle(before, (0.5, status("RUNNING", "UNASSIGNED", "RUNNING")), (3, R))
    after = life.start(Connector(before))
    assert after.state == RUNNING and after.task_states == {RUNNING}
    assert client.calls == calls and client.now == pytest.approx(3, abs=0.3)


def test_start_waits_while_tasks_are_unassigned_or_restarting():
    client, life = lifecycle(FAILED_TASK, (0.5, status("RUNNING", "RUNNING", "RESTARTING")),
                             (2, status("UNASSIGNED", "RUNNING")),
                             (4, status("RUNNING", "UNASSIGNED")), (6, R))
    assert life.start(Connector(FAILED_TASK)).task_states == {RUNNING}
    assert client.now == pytest.approx(6, abs=0.3)


@pytest.mark.parametrize("after", [status("FAILED", trace="x"), FAILED_TASK])
def test_start_returns_what_failed(after):
    client, life = lifecycle(S, (1, status("RUNNING", "UNASSIGNED")), (2, after))
    found = life.start(Connector(S))
    assert found.failed and client.calls == [("resume", "c")] and client.now == pytest.approx(2, abs=0.3)


def test_start_accepts_a_connector_without_tasks_after_a_while():
    client, life = lifecycle(S, (1, status("RUNNING")))
    assert str(life.start(Connector(S))) == "RUNNING with no tasks"
    assert client.now == pytest.approx(6, abs=0.5)


@pytest.mark.parametrize("between", [status("UNASSIGNED"), status("RUNNING", "UNASSIGNED")])
def test_the_while_without_tasks_has_no_breaks(between):
    client, life = lifecycle(S, (1, status("RUNNING")), (2, between), (7, status("RUNNING")), (9, R))
    assert life.start(Connector(S)).tasks
    assert client.now == pytest.approx(9, abs=0.3)


def test_start_gives_up():
    client, life = lifecycle(status("RUNNING", "UNASSIGNED"), wait_timeout=5)
    with pytest.raises(errors.WaitError,
                       match=r"Waited 5 s .* to be RUNNING with its tasks; it is RUNNING with 1 task \(UNASSIGNED\)"):
        life.start(Connector(P))


def test_a_state_that_the_status_still_shows_is_asked_for_when_another_one_was_asked_for_since():
    """A stop that is given up may take effect only later."""
    client, life = lifecycle(R, wait_timeout=2)
    with pytest.raises(errors.WaitError):
        life.stop(Connector(R))
    life.wait_timeout = 60
    assert life.start(life.read()).state == RUNNING
    assert client.calls == [("stop", "c"), ("resume", "c")]
    assert life.start(life.read()).state == RUNNING and client.calls == [("stop", "c"), ("resume", "c")]


# ---- reading ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("first", [status("UNASSIGNED"), status("RESTARTING"), status("RUNNING", "RESTARTING")])
def test_read_definite_waits(first):
    client, life = lifecycle(first, (2, R))
    assert life.read_definite().state == RUNNING
    assert client.now == pytest.approx(2, abs=0.3) and client.calls == []


@pytest.mark.parametrize("shown", [R, P, S, status("FAILED"), status("RUNNING", "FAILED")])
def test_read_definite_reads_once(shown):
    client, life = lifecycle(shown)
    assert life.read_definite().state == shown["connector"]["state"] and client.reads == 1


def test_read_settled_waits_a_few_seconds_for_a_word():
    client, life = lifecycle(status("UNASSIGNED"), (2, S))
    assert life.read_settled().state == STOPPED and client.now == pytest.approx(2, abs=0.3)
    client, life = lifecycle(status("UNASSIGNED"))  # its worker died
    assert life.read_settled().state == "UNASSIGNED" and client.now == pytest.approx(5, abs=0.3)
    client, life = lifecycle(status("RUNNING", "UNASSIGNED"))
    assert life.read_settled().state == RUNNING and client.reads == 1


@pytest.mark.parametrize("wanted, before, call", [(RUNNING, S, "resume"), (PAUSED, R, "pause"), (STOPPED, R, "stop")])
def test_reach(wanted, before, call):
    client, life = lifecycle(before, (1, {RUNNING: R, PAUSED: P, STOPPED: S}[wanted]))
    assert life.is_in(wanted, life.reach(wanted, Connector(before)))
    assert client.calls == [(call, "c")]


def test_wait_gone_and_wait_known():
    client, life = lifecycle(R, (3, None))
    life.wait_gone()
    assert client.now == pytest.approx(3, abs=0.3)
    client, life = lifecycle(None, (3, status("UNASSIGNED")))
    assert life.wait_known().state == "UNASSIGNED" and client.now == pytest.approx(3, abs=0.3)
    with pytest.raises(errors.WaitError, match="Waited 2 s for the connector c to be gone; it is RUNNING with 1 task"):
        lifecycle(R, wait_timeout=2)[1].wait_gone()
    with pytest.raises(errors.WaitError, match="Waited 2 s for the connector c to have a status; it is unknown"):
        lifecycle(None, wait_timeout=2)[1].wait_known()


def test_other_errors_are_not_swallowed():
    client, life = lifecycle(R)
    client.status = lambda name: (dummy for dummy in ()).throw(errors.AccessDenied("401"))
    for wait in (life.read, life.read_definite, life.wait_gone, life.wait_known, lambda: life.stop(Connector(R))):
        with pytest.raises(errors.AccessDenied):
            wait()
    assert Connector({"connector": {"state": FAILED}}).failed


# ---- halting ------------------------------------------------------------------------------------------------------

class OldWorker(FakeClient):
    """Connect 3.4: no stop; a task restarted answers once it has been started anew."""

    def require(self, feature):
        raise errors.EndpointMissing("Connect 3.4.1 cannot stop connectors")

    def restart_task(self, name, task):
        self.calls.append(("restart_task", task))

    def stop(self, name):
        raise AssertionError("there is no such request")


def old(*script, wait_timeout=60):
    client = OldWorker(*script)
    return client, Lifecycle(client, "c", wait_timeout, client.sleep, lambda: client.now)


def test_halt_stops_where_stop_is_known():
    client, life = lifecycle(R, (1, S))
    assert life.can_stop and life.halt(Connector(R)).stopped and client.calls == [("require", "stop"), ("require", "stop"), ("stop", "c")]


@pytest.mark.parametrize("before, calls", [
    (status("RUNNING", "RUNNING", "RUNNING"), ["pause"]), (status("PAUSED", "PAUSED", "PAUSED"), []),
    (status("FAILED", "RUNNING", "RUNNING"), ["restart", "pause"]), (status("RUNNING", "FAILED", "RUNNING"), ["pause"]),
])
def test_halt_before_stop_pauses_and_starts_every_task_anew(before, calls):
    client, life = old(before, (1, status("PAUSED", "PAUSED", "PAUSED")))
    assert not life.can_stop
    after = life.halt(Connector(before))
    assert after.state == PAUSED and client.calls == [(call, "c") for call in calls] + [("restart_task", 0), ("restart_task", 1)]


def test_halt_restarts_no_task_before_all_are_paused_and_waits_until_they_are_again():
    client, life = old(R, (1, status("PAUSED", "RUNNING", "PAUSED")), (3, status("PAUSED", "PAUSED", "PAUSED")))
    restarted = []
    client.restart_task = lambda name, task: restarted.append((task, client.now)) or client.script.extend(
        [(client.now, status("PAUSED", "UNASSIGNED", "PAUSED")), (client.now + 4, status("PAUSED", "PAUSED", "PAUSED"))] if task else [])
    life.halt(Connector(R))
    assert [task for task, _now in restarted] == [0, 1] and min(now for _task, now in restarted) >= 3
    assert client.now >= restarted[-1][1] + 4


def test_a_failed_task_is_started_anew_and_has_to_be_paused():
    client, life = old(status("RUNNING", "FAILED"), (1, status("PAUSED", "FAILED")), wait_timeout=5)
    with pytest.raises(errors.WaitError, match=r"Waited 5 s for .* to be PAUSED with all its tasks started anew; it is PAUSED with 1 task"):
        life.halt(Connector(status("RUNNING", "FAILED")))
    assert ("restart_task", 0) in client.calls


def test_halt_gives_up_where_it_is_not_paused():
    client, life = old(R, wait_timeout=5)
    with pytest.raises(errors.WaitError, match="to be PAUSED; it is RUNNING"):
        life.halt(Connector(R))
    assert client.calls == [("pause", "c")]


@pytest.mark.parametrize("now, new, before", [
    (S, True, False), (R, False, False), (P, False, True), (status("PAUSED", "PAUSED", "RUNNING"), False, False),
    (status("PAUSED", "FAILED"), False, False), (status("RUNNING", "PAUSED"), False, False), (status("STOPPED", "RUNNING"), False, False),
    (status("PAUSED", "UNASSIGNED"), False, False),
])
def test_halted(now, new, before):
    assert (lifecycle(now)[1].halted(Connector(now)), old(now)[1].halted(Connector(now))) == (new, before)


# ---- a worker that is away ----------------------------------------------------------------------------------------

GONE = errors.Unreachable("no connection to this worker: refused")


def test_a_worker_that_is_restarted_is_waited_for():
    client, one = lifecycle(R, (1, GONE), (30, S))
    assert one.stop(one.read()).stopped and 30 <= client.now < 33
    assert client.calls == [("stop", "c")]


def test_one_that_stays_away_is_waited_for_as_long_as_for_a_state():
    client, one = lifecycle(S, (1, GONE))
    one.read()
    client.now = 1
    with pytest.raises(errors.Unreachable, match="refused"):
        one.restore(RUNNING)
    assert 58 <= client.now <= 62


def test_of_many_only_the_first_one_waits_for_a_worker_that_is_away():
    client, one = lifecycle(S, (1, GONE), (100, S), (200, GONE))
    others = [Lifecycle(client, "c", 60, client.sleep, lambda: client.now) for _number in range(3)]
    for each in [one, *others]:
        each.read()
    client.now = 1
    with pytest.raises(errors.Unreachable):
        one.read_settled()
    since = client.now
    for each in others:
        with pytest.raises(errors.Unreachable):
            each.read_settled()
    assert client.now - since < 3
    client.now = 150
    assert others[0].read_settled().stopped
    client.now = 200
    with pytest.raises(errors.Unreachable):  # away once more: waited for once more
        others[1].read_settled()
    assert client.now > 250


def test_one_that_has_never_answered_is_not_waited_for():
    client, one = lifecycle(GONE)
    for read in (one.read_settled, one.read_definite):
        with pytest.raises(errors.Unreachable):
            read()
    assert client.now == 0
