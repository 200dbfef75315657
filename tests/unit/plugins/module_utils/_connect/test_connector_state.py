# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import connector_state
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

CHECKS = [("require_url", "c"), ("require", "restart")]


def status(state, *tasks, trace=None):
    return {"name": "c", "type": "sink", "connector": {"state": state, "worker_id": "w:1"},
            "tasks": [{"id": number, "state": task, "worker_id": "w:1", **({"trace": trace} if task == "FAILED" else {})}
                      for number, task in enumerate(tasks)]}


class FakeClient:
    """Shows the first status until a restart is asked for, and then each of the others from its second on."""

    def __init__(self, before, *after):
        self.before, self.after = before, after
        self.now, self.asked, self.calls = 0.0, None, []

    def status(self, name):
        if self.asked is None:
            return self.before
        return [shown for since, shown in [(0, self.before), *self.after] if since <= self.now - self.asked][-1]

    def _restart(self, *call):
        self.calls.append(call)
        self.asked = self.now if self.asked is None else self.asked

    def restart_failed(self, name):
        self._restart("restart_failed", name)

    def restart_all(self, name):
        self._restart("restart_all", name)

    def restart_task(self, name, task):
        self._restart("restart_task", name, task)

    def __getattr__(self, name):
        return lambda word: self.calls.append((name, word))

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def restarted(monkeypatch):
    def restarted(client, tasks, check_mode=False, wait_timeout=60):
        monkeypatch.setattr(connector_state, "Lifecycle",
                            lambda *given: Lifecycle(*given, client.sleep, lambda: client.now))
        return connector_state.declare_restarted(client, "c", tasks, wait_timeout, check_mode)
    return restarted


FAILED = status("RUNNING", "RUNNING", "FAILED", trace="old")
UP = status("RUNNING", "RUNNING", "RUNNING")


@pytest.mark.parametrize("tasks, before, connector, numbers, calls", [
    (None, FAILED, False, [1], [*CHECKS, ("restart_failed", "c")]),
    (["failed"], FAILED, False, [1], [*CHECKS, ("restart_failed", "c")]),
    (["failed"], status("FAILED", "RUNNING"), True, [], [*CHECKS, ("restart_failed", "c")]),
    (["all"], FAILED, True, [0, 1], [*CHECKS, ("restart_all", "c")]),
    (["1", "0", "1"], FAILED, False, [0, 1], [("require_url", "c"), ("restart_task", "c", 0), ("restart_task", "c", 1)]),
])
def test_what_is_restarted(tasks, before, connector, numbers, calls, restarted):
    restarting = status(*["RESTARTING"] * (1 + len(before["tasks"])))
    up = status(*["RUNNING"] * (1 + len(before["tasks"])))
    client = FakeClient(before, (0.1, restarting), (3, up))
    predicted = restarted(client, tasks, check_mode=True)
    assert client.calls == [call for call in calls if "restart_" not in call[0]]
    client.calls.clear()
    real = restarted(client, tasks)
    assert client.calls == calls
    for result in (predicted, real):
        assert result["changed"] and result["restarted"] == {"connector": connector, "tasks": numbers}
    assert predicted["diff"] == real["diff"] and real["connector"]["tasks"][0]["state"] == "RUNNING"
    assert client.now == pytest.approx(4, abs=0.5), "until it has been up for a second"


def test_the_diff(restarted):
    found = restarted(FakeClient(FAILED), ["failed"], check_mode=True)["diff"][0]
    assert found["before"] == {"connector": "RUNNING", "task 0": "RUNNING", "task 1": "FAILED"}
    assert found["after"] == {"connector": "RUNNING", "task 0": "RUNNING", "task 1": "restarted"}


@pytest.mark.parametrize("shown", [UP, status("STOPPED"), status("PAUSED", "PAUSED")])
@pytest.mark.parametrize("check_mode", [True, False])
def test_nothing_failed(shown, check_mode, restarted):
    client = FakeClient(shown)
    result = restarted(client, ["failed"], check_mode)
    assert not result["changed"] and result["restarted"] == {"connector": False, "tasks": []} and client.calls == []
    assert result["diff"][0]["before"] == result["diff"][0]["after"]


def test_a_restart_that_nobody_has_seen(restarted):
    """RUNNING before and after, and between two looks: it is taken as done after a while."""
    client = FakeClient(UP)
    assert restarted(client, ["all"])["changed"]
    assert client.now == pytest.approx(2, abs=0.5)


def test_failed_is_not_taken_for_failed_again_at_once(restarted):
    client = FakeClient(FAILED, (4, UP))
    assert restarted(client, ["failed"])["connector"]["tasks"][1]["state"] == "RUNNING"


@pytest.mark.parametrize("after, seconds", [
    ([(0.1, status("RUNNING", "RUNNING", "RESTARTING")), (2, status("RUNNING", "RUNNING", "FAILED", trace="java.X: again"))], 2),
    ([(0.1, status("RUNNING", "RUNNING", "FAILED", trace="java.X: again"))], 0),  # the same word, another trace
    ([(0.1, UP), (0.8, status("RUNNING", "RUNNING", "FAILED", trace="java.X: again"))], 1),  # in its first poll
    ([(0, status("RUNNING", "RUNNING", "FAILED", trace="java.X: again"))], 0),
])
def test_it_fails_again(after, seconds, restarted):
    client = FakeClient(FAILED, *after)
    with pytest.raises(errors.StateError) as caught:
        restarted(client, ["failed"])
    assert caught.value.message == "The connector c was restarted, but failed: task 1: java.X: again."
    assert caught.value.facts["connector"]["tasks"][1]["state"] == "FAILED"
    assert client.now == pytest.approx(seconds, abs=0.4)


def test_paused_stays_paused(restarted):
    client = FakeClient(status("PAUSED", "FAILED"), (0.1, status("PAUSED", "RESTARTING")), (1, status("PAUSED", "PAUSED")))
    assert restarted(client, None)["connector"]["tasks"][0]["state"] == "PAUSED"


def test_it_is_not_waited_for_ever(restarted):
    client = FakeClient(FAILED, (0.1, status("RUNNING", "RUNNING", "RESTARTING")))
    with pytest.raises(errors.WaitError, match=r"Waited 9 s for the connector c to be restarted; it is RUNNING with 2 tasks \(RESTARTING, RUNNING\)"):
        restarted(client, None, wait_timeout=9)


@pytest.mark.parametrize("tasks, text", [
    ([], "tasks is empty"), (["failed", "all"], "tasks is failed, all;"), (["-1"], "tasks is -1;"), (["FAILED"], "tasks is FAILED;"),
    (["0", "x"], "tasks is 0, x;"), (["0.5"], "tasks is 0.5;"), (["True"], "tasks is True;")])
def test_no_tasks_that_can_be_meant(tasks, text, restarted):
    with pytest.raises(errors.DeclarationError, match=text) as caught:
        restarted(FakeClient(FAILED), tasks)
    assert "it must be failed, all, or a list of numbers of tasks such as [0, 2]." in caught.value.message


@pytest.mark.parametrize("shown, tasks, text", [
    (UP, ["0", "7", "9"], r"c has no task 7, 9. It is RUNNING with 2 tasks \(RUNNING\): 0, 1."),
    (status("RUNNING"), ["0"], "c has no task 0. It is RUNNING with no tasks."),
    (status("STOPPED"), ["0"], "c is STOPPED, so there is nothing to restart. Use state: started."),
    (status("STOPPED"), ["all"], "c is STOPPED, so there is nothing to restart. Use state: started."),
])
@pytest.mark.parametrize("check_mode", [True, False])
def test_nothing_there_to_restart(shown, tasks, text, check_mode, restarted):
    client = FakeClient(shown)
    with pytest.raises(errors.StateError, match=text):
        restarted(client, tasks, check_mode)
    assert client.calls == []
