# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A connector's state: read it, bring it about, wait for the fact.

Connect answers a stop, pause or resume before anything has happened; tasks follow through a rebalance. And
``connector.state`` alone can be wrong for minutes when the worker that owned the connector has died. So what is
waited for is a fact that the leader keeps: the list of tasks.
"""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors

RUNNING, PAUSED, STOPPED, FAILED, UNASSIGNED = "RUNNING", "PAUSED", "STOPPED", "FAILED", "UNASSIGNED"

#: the declarative words of the modules
STATES = {"started": RUNNING, "paused": PAUSED, "stopped": STOPPED}

_POLL = 0.2
_ASK_AGAIN = 1.0
#: seconds without any task after which a connector that has none is taken at its word
_SETTLE = 5.0
#: seconds until Connect has passed a restart on to every worker
_RESTART_DELAY = 1.0


class Connector:
    """One connector as its status shows it."""

    def __init__(self, status: dict):
        connector = status.get("connector") or {}
        self.name = status.get("name")
        self.kind = status.get("type") or "unknown"
        self.state = connector.get("state")
        self.worker_id = connector.get("worker_id")
        self.version = connector.get("version")
        self.trace = connector.get("trace")
        self.tasks = sorted(status.get("tasks") or [], key=lambda task: task.get("id", 0))

    @property
    def stopped(self) -> bool:
        """STOPPED by the word and by the fact. PAUSED with no tasks is not STOPPED: Connect refuses changes then."""
        return self.state == STOPPED and not self.tasks

    @property
    def idle(self) -> bool:
        """No task, and a word that may be of no worth for minutes (scheduled.rebalance.max.delay.ms): its worker may be gone."""
        return self.state in (RUNNING, UNASSIGNED) and not self.tasks

    @property
    def task_states(self) -> set:
        return {task.get("state") for task in self.tasks}

    @property
    def failed(self) -> bool:
        return self.state == FAILED or FAILED in self.task_states

    @property
    def failure(self) -> str:
        """Which parts failed, with the first line of each trace."""
        parts = [("the connector", self.state, self.trace)]
        parts += [("task %s" % task.get("id"), task.get("state"), task.get("trace")) for task in self.tasks]
        return "; ".join("%s: %s" % (who, ((trace or "no trace").strip().splitlines() or [""])[0])
                         for who, state, trace in parts if state == FAILED)

    def result(self) -> dict:
        return {"name": self.name, "type": self.kind, "state": self.state, "worker_id": self.worker_id,
                "version": self.version, "trace": self.trace,
                "tasks": [{name: task[name] for name in ("id", "state", "worker_id", "version", "trace") if name in task}
                          for task in self.tasks]}

    def __str__(self) -> str:
        return "%s with %s" % (self.state, "no tasks" if not self.tasks else "%d task%s (%s)" % (
            len(self.tasks), "" if len(self.tasks) == 1 else "s", ", ".join(sorted(map(str, self.task_states)))))


class Lifecycle:
    """One connector's state through REST. Sends nothing that the present state makes unnecessary."""

    def __init__(self, client, name: str, wait_timeout: float, sleep=time.sleep, clock=time.monotonic):
        """wait_timeout: seconds for each wait."""
        self.client = client
        self.name = name
        self.wait_timeout = wait_timeout
        self.sleep = sleep
        self.clock = clock
        self.warnings = []

    def read(self) -> Connector:
        """Raises NoConnector."""
        return Connector(self.client.status(self.name))

    def read_definite(self) -> Connector:
        """Like read(), but waits while the state is one of a rebalance (UNASSIGNED, RESTARTING)."""
        return self._wait("be in a definite state",
                          lambda found: found.state in (RUNNING, PAUSED, STOPPED, FAILED) and "RESTARTING" not in found.task_states)

    def read_settled(self) -> Connector:
        """Like read(), but gives UNASSIGNED a few seconds: a connector is so for a moment when its configuration was changed,
        and for minutes when its worker died. Either hides what it is meant to be."""
        end = self.clock() + _SETTLE
        while True:
            found = self.read()
            if found.state != UNASSIGNED or self.clock() > end:
                return found
            self.sleep(_POLL)

    def reach(self, wanted: str, found: Connector) -> Connector:
        """Bring about RUNNING, PAUSED or STOPPED from the state found and wait for it."""
        return {RUNNING: self.start, PAUSED: self.pause, STOPPED: self.stop}[wanted](found)

    def is_in(self, wanted: str, found: Connector) -> bool:
        if wanted == STOPPED:
            return found.stopped
        if wanted == PAUSED:
            return found.state == PAUSED and found.task_states <= {PAUSED, FAILED}
        return found.state == RUNNING and found.task_states <= {RUNNING}

    def stop(self, found: Connector) -> Connector:
        if found.state != STOPPED:
            # Once: every repeated stop rebalances the whole Connect cluster.
            self._ask(self.client.stop, STOPPED)
        idle = _Steady(self.clock, _SETTLE)
        after = self._wait("be STOPPED with no tasks left",
                           lambda now: now.stopped or idle.holds(not now.tasks and found.state != STOPPED))
        if not after.stopped:
            self.warnings.append(
                "%s was stopped and has no tasks, but its status still says %s; its worker %s does not report any more."
                % (self.name, after.state, after.worker_id))
        return after

    @property
    def can_stop(self) -> bool:
        """Connect before 3.5 knows only pause."""
        try:
            self.client.require("stop")
        except errors.EndpointMissing:
            return False
        return True

    def halt(self, found: Connector) -> Connector:
        """Make sure that no task holds an offset in memory, with any version of Connect.

        Before 3.5 a paused task goes on from memory when it is resumed; one that is started while the connector is paused
        reads its offset only then. So: pause, restart every task, and wait until all are PAUSED again.
        """
        if self.can_stop:
            return self.stop(found)
        if found.state == FAILED:
            self.client.restart(self.name)
        self.pause(found)
        self._wait("be PAUSED", lambda now: now.state == PAUSED)
        for task in self.read().tasks:
            self.client.restart_task(self.name, task["id"])
        return self._wait("be PAUSED with all its tasks started anew", lambda now: now.state == PAUSED and now.task_states <= {PAUSED})

    def halted(self, now: Connector) -> bool:
        """Is it still as halt() left it?"""
        return not now.tasks if self.can_stop else now.state == PAUSED and now.task_states <= {PAUSED}

    def pause(self, found: Connector) -> Connector:
        if found.state != PAUSED:
            self._ask(self.client.pause, PAUSED)
        return self._wait("be PAUSED", lambda now: self.is_in(PAUSED, now))

    def start(self, found: Connector) -> Connector:
        """Also when it comes up FAILED: the caller sees it in what is returned."""
        if found.state != RUNNING:  # FAILED and UNASSIGNED hide which state it was meant to have
            self._ask(self.client.resume, RUNNING)
        if found.failed:  # a resume leaves a dead task dead
            self.client.restart_failed(self.name)
            self.sleep(_RESTART_DELAY)
        idle = _Steady(self.clock, _SETTLE)

        def up(now):
            if now.state == FAILED:
                return True
            settled = now.state == RUNNING and now.task_states <= {RUNNING, FAILED}
            return settled and bool(now.tasks) or idle.holds(settled)

        return self._wait("be RUNNING with its tasks", up)

    def _ask(self, request, wanted: str) -> None:
        """Send a stop, pause or resume. An answer that got lost (a leader that died) is looked into, then asked for again."""
        end = self.clock() + self.wait_timeout
        while True:
            try:
                return request(self.name)
            except (errors.Lost, errors.Unsure, errors.Unreachable):
                if self.clock() + _ASK_AGAIN > end:
                    raise
            self.sleep(_ASK_AGAIN)
            try:
                if self.read().state == wanted:
                    return None
            except (errors.Lost, errors.Unsure, errors.Unreachable):
                pass

    def wait_gone(self) -> None:
        end = self.clock() + self.wait_timeout
        while True:
            try:
                found = self.read()
            except errors.NoConnector:
                return
            self._pause_until(end, "be gone", found)

    def wait_known(self) -> Connector:
        """A connector just created has no status for a moment."""
        end = self.clock() + self.wait_timeout
        while True:
            try:
                return self.read()
            except errors.NoConnector:
                self._pause_until(end, "have a status", None)

    def _wait(self, goal: str, reached) -> Connector:
        end = self.clock() + self.wait_timeout
        while True:
            found = self.read()
            if reached(found):
                return found
            self._pause_until(end, goal, found)

    def _pause_until(self, end, goal, found) -> None:
        if self.clock() + _POLL > end:
            raise errors.WaitError(
                "Waited %g s for the connector %s to %s; it is %s." % (self.wait_timeout, self.name, goal, found or "unknown"),
                connector=found.result() if found else None)
        self.sleep(_POLL)


class _Steady:
    """True once a condition has held without a break for a number of seconds."""

    def __init__(self, clock, seconds):
        self.clock, self.seconds, self.since = clock, seconds, None

    def holds(self, condition) -> bool:
        if not condition:
            self.since = None
        elif self.since is None:
            self.since = self.clock()
        return self.since is not None and self.clock() - self.since >= self.seconds
