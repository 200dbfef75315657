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

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest_errors import lacks_class, without_plugins
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

RUNNING, PAUSED, STOPPED, FAILED, UNASSIGNED = "RUNNING", "PAUSED", "STOPPED", "FAILED", "UNASSIGNED"

#: what is heard of a worker that is away, or cut off
AWAY = (errors.ResponseLost, errors.OutcomeUnknown, errors.Unreachable)

#: the declarative words of the modules
STATES = {"started": RUNNING, "paused": PAUSED, "stopped": STOPPED}

_POLL = 0.2
#: seconds for which a request whose answer is in doubt is looked into before it is sent again, each time twice as long
_IN_DOUBT = 10.0
LOOK_AGAIN = 1.0
#: the same for a 500 that nobody knows, which is most likely a refusal
_REFUSED = 3.0
#: seconds without any task after which a connector that has none is taken at its word
_SETTLE = 5.0
#: seconds until Connect has passed a restart on to every worker; and for which what was restarted has to stay up
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
        """No task, and a word that does not tell whether it is STOPPED: its worker may be gone (scheduled.rebalance.max.delay.ms), or there
        is no connector that could change its state, as its class is missing (Worker#setTargetState)."""
        return not self.tasks and (self.state in (RUNNING, UNASSIGNED) or self.state == FAILED and lacks_class(self.trace))

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
        return "; ".join("%s: %s" % (who, without_plugins(((trace or "no trace").strip().splitlines() or [""])[0]))
                         for who, state, trace in parts if state == FAILED)

    @property
    def parts(self) -> dict:
        """{None: (state, trace, worker) of the connector itself, number of a task: the same of it}"""
        found = {task.get("id"): (task.get("state"), task.get("trace"), task.get("worker_id")) for task in self.tasks}
        return {None: (self.state, self.trace, self.worker_id), **found}

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
        #: the state that was asked for last, which the status need not show yet
        self._asked = None
        self._was_read = False

    def read(self) -> Connector:
        """Raises NoConnector."""
        found = Connector(self.client.status(self.name))
        self._was_read = True
        self.client.away_since = None
        return found

    def _read_until(self, end) -> Connector:
        """Like read(), but a worker that has answered before may be away until then, as one that is restarted.

        Of many connectors with one client only the first one waits that long; for the others it is away already.
        """
        while True:
            try:
                return self.read()
            except AWAY:
                since = getattr(self.client, "away_since", None)
                if since is None:
                    since = self.client.away_since = self.clock()
                if not self._was_read or self.clock() + LOOK_AGAIN > min(end, since + self.wait_timeout):
                    raise
            self.sleep(LOOK_AGAIN)

    def read_definite(self) -> Connector:
        """Like read(), but waits while the state is one of a rebalance (UNASSIGNED, RESTARTING)."""
        return self._wait("be in a definite state",
                          lambda found: found.state in (RUNNING, PAUSED, STOPPED, FAILED) and "RESTARTING" not in found.task_states)

    def read_settled(self) -> Connector:
        """Like read(), but gives UNASSIGNED a few seconds: a connector is so for a moment when its configuration was changed,
        and for minutes when its worker died. Either hides what it is meant to be."""
        end, patience = self.clock() + _SETTLE, self.clock() + self.wait_timeout
        while True:
            found = self._read_until(patience)
            if found.state != UNASSIGNED or self.clock() > end:
                return found
            self.sleep(_POLL)

    def reach(self, wanted: str, found: Connector) -> Connector:
        """Bring about RUNNING, PAUSED or STOPPED from the state found and wait for it."""
        return {RUNNING: self.start, PAUSED: self.pause, STOPPED: self.stop}[wanted](found)

    def restore(self, wanted: str) -> Connector:
        """Bring about RUNNING or PAUSED of a connector that we have stopped.

        Where states are declared that comes first: whatever the operator has to say now, it must not obey the stop some day.
        """
        if self._declares:
            self._ask(self.client.pause if wanted == PAUSED else self.client.resume, wanted)
        return self.reach(wanted, self.read_settled())

    def declare(self, wanted: str, found: Connector) -> Connector:
        """The same as reach(); a stop that is given up is not left behind for the operator."""
        try:
            return self.reach(wanted, found)
        except errors.ConnectError as error:
            raise self.take_stop_back(found, error) if wanted == STOPPED else error

    def take_stop_back(self, found: Connector, error):
        """The error of a stop that did not come about, with what has become of it."""
        if not (self._declares and self.client.asks_for_our_stop(self.name)):
            return error
        word = "paused" if found.state == PAUSED else "running"
        try:
            self._ask(self.client.pause if found.state == PAUSED else self.client.resume, found.state)
        except errors.ConnectError as other:
            return error.also("The stop could not be taken back (%s), so the operator may still carry it out later. %s." % (
                other.message.rstrip("."), self.client.way_back(self.name, word)))
        return error.also("The stop was taken back: its resource asks for %s again." % word)

    @property
    def _declares(self) -> bool:
        """Does what is asked for stay asked for, as in a resource, until it is taken back?"""
        return getattr(self.client, "declares", False)

    def is_in(self, wanted: str, found: Connector) -> bool:
        if wanted == STOPPED:
            return found.stopped
        if wanted == PAUSED:
            return found.state == PAUSED and found.task_states <= {PAUSED, FAILED}
        return found.state == RUNNING and found.task_states <= {RUNNING}

    def stop(self, found: Connector) -> Connector:
        if self._is_due(STOPPED, found):
            # Once: every repeated stop rebalances the whole Connect cluster.
            self._ask(self.client.stop, STOPPED)
        idle = _Steady(self.clock, _SETTLE)
        after = self._wait("be STOPPED with no tasks left",
                           lambda now: now.stopped or idle.holds(not now.tasks and found.state != STOPPED))
        if not after.stopped and after.state != FAILED:
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
        if self._is_due(PAUSED, found):
            self._ask(self.client.pause, PAUSED)
        return self._wait("be PAUSED", lambda now: self.is_in(PAUSED, now))

    def start(self, found: Connector) -> Connector:
        """Also when it comes up FAILED: the caller sees it in what is returned."""
        if self._is_due(RUNNING, found):  # FAILED and UNASSIGNED hide which state it was meant to have
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

    def restart(self, requests: list, parts: list, found: Connector) -> Connector:
        """Send the requests, each without parameters, and wait until the parts (see Connector.parts) are up again, or FAILED again.

        Connect answers before anything has happened, and the state before is often the one after, so that each part has to be seen in another state
        in between. One that never is, is as it is after a while: restarted between two looks, or FAILED all the time, as a task also is while it starts.
        """
        before, unseen = found.parts, set(parts)
        for request in requests:
            request()
        patience = _SETTLE if FAILED in {before[part][0] for part in parts} else _RESTART_DELAY
        end, up = self.clock() + patience, _Steady(self.clock, _RESTART_DELAY)

        def restarted(now):
            shown = {part: now.parts.get(part) for part in parts}
            unseen.difference_update(part for part in parts if shown[part] != before.get(part))
            states = {one and one[0] for one in shown.values()}
            if unseen and self.clock() < end:
                return False
            if FAILED in states and states <= {RUNNING, PAUSED, FAILED}:
                return True
            return up.holds(states <= {RUNNING, PAUSED})

        return self._wait("be restarted", restarted)

    def _is_due(self, wanted: str, found: Connector) -> bool:
        """Has it to be asked for? Also where the status shows it still, but another state was asked for since."""
        return found.state != wanted or self._asked not in (None, wanted)

    def _ask(self, request, wanted: str) -> None:
        """Send a stop, pause or resume. One whose answer is in doubt (a leader that died, a 500) is sent again only after a while in which
        its effect was looked for: each stop rebalances the whole Connect cluster."""
        end, patience = self.clock() + self.wait_timeout, _IN_DOUBT
        self._asked = wanted
        while True:
            try:
                return request(self.name)
            except errors.Unreachable as error:  # nothing was sent
                failure, seconds = error, LOOK_AGAIN
            except errors.RestError as error:
                if not errors.in_doubt(error):
                    raise
                failure, seconds, patience = error, patience, patience * 2
            if self.took(failure, lambda: self.read().state == wanted, wanted, min(seconds, end - self.clock())):
                return None
            if isinstance(failure, errors.Refused) or self.clock() + LOOK_AGAIN > end:
                raise failure

    def took(self, failure, shows, words: str, seconds=_IN_DOUBT) -> bool:
        """Was a request carried out, though its answer was this failure? Looks for its effect, for some seconds; if it shows, says so.

        shows() -> bool. words: what the connector is then.
        """
        end = self.clock() + (min(seconds, _REFUSED) if isinstance(failure, errors.Refused) else seconds)
        while self.clock() + LOOK_AGAIN <= end:
            self.sleep(LOOK_AGAIN)
            try:
                if shows():
                    self.warnings.append("%s is %s as requested, though the answer was: %s" % (self.name, words, failure.message))
                    return True
            except AWAY:
                pass
        return False

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
            found = self._read_until(end)
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
