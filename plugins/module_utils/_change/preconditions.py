# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""May the offsets of a connector be changed now? Is it STOPPED, or may we stop it; is nothing there that would write over the change?"""

from __future__ import annotations

import contextlib
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import FAILED, PAUSED, RUNNING, STOPPED, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.strimzi_pods import check_pod
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import GROUP, STRIMZI

_PAUSE = 0.3


class Preconditions:
    """One connector's. Every "found" is the Connector, None where there is none, or no worker that could be asked."""

    def __init__(self, client, name: str, router, lifecycle: Lifecycle, stop=False, assume_stopped=False, sleep=time.sleep, clock=time.monotonic):
        """client: ConnectClient, or None to work without a worker. stop: we may stop it. assume_stopped: the user says that nothing runs it."""
        self.client = client
        self.name = name
        self.router = router
        self.access = router.access
        self.lifecycle = lifecycle
        self.stop = stop
        self.assume_stopped = assume_stopped
        self.sleep = sleep
        self.clock = clock
        #: whether there is such a connector; None without a worker to ask
        self.exists = None
        #: by us, for the change
        self.is_stopped_here = False

    def find(self, desired):
        """The connector, None where there is none or no worker that could be asked."""
        if self.client is not None and self.access.is_file:
            self._check_no_answer()
        if self.client is not None:
            try:
                found = self.lifecycle.read_settled()
                self.exists = True
                return found
            except errors.NoConnector:
                if not self.access.topic_is_open:
                    raise
                self.exists = False
                return None
            except errors.Unreachable as error:
                if not (self.assume_stopped and self.access.topic_is_open):
                    raise
                self.access.warn("No worker is queried, as assume_stopped is true. " + error.message)
                self.client = None
                self.access.without_rest()
        if not self.assume_stopped and not self.router.needs_no_word(desired):
            raise errors.StateError(
                "Without kafka_connect_url it is not known whether a task of %s is running, which would write its own offset over the change. "
                "Give kafka_connect_url, or assume_stopped: true if its workers are down." % self.name)
        return None

    def _check_no_answer(self) -> None:
        """A standalone worker that runs would not see the change of its file, and write over it. Raises StateError."""
        if not self.assume_stopped:
            with contextlib.suppress(errors.Unreachable):
                self.client.root()
                raise errors.StateError(
                    "The worker at %s is running. It reads its file only when it starts, and writes the whole of it at each commit: stop it, or "
                    "use method: rest. If it is another worker than the file's, leave kafka_connect_url out or use assume_stopped: true."
                    % self.client.url)
        self.client = None
        self.access.without_rest()

    def check(self, found, route, desired):
        """The Connector as it is by then. Raises StateError, which says what runs, and what can be done."""
        store = route.store
        if found is None:
            if store.method == GROUP:
                self.await_free(route)
            elif not (self.access.is_file and self.assume_stopped):
                self._check_nothing_runs()
            if self.exists is False and desired.sets:
                self.access.warn("There is no connector %s: the offsets wait for one that is created with this name.%s" % (
                    self.name, self.client.similar(self.name)))
            return None
        if store.method != STRIMZI:
            check_pod(found, self.access.force, self.access.warn)
        if found.state == STOPPED and found.tasks:
            found = self._await_end_of_tasks(found)
        if not found.stopped and not found.idle and found.state not in (RUNNING, PAUSED, FAILED):
            found = self.lifecycle.read_definite()
        if self.never_ran(found, store):
            return found
        if found.stopped:
            self.await_free(route)
        else:
            route.semantics.warn_foreign_members()
        if self.is_old_sink(found, store):
            self._check_old_sink(found)
            return found
        if not found.stopped and (not store.has_server_guard or store.method == GROUP):
            self._check_it_can_be_halted(found)
        if not found.stopped and not self.stop:
            if not found.idle or not store.has_server_guard:
                raise self.not_stopped(found, {})
            self.access.warn(
                "%s is %s: either it is STOPPED and the worker that had it is gone, or it has nothing to do. Connect itself decides "
                "whether its offsets may be changed." % (self.name, found))
        return found

    def _await_end_of_tasks(self, found):
        """It was stopped a moment ago, and may be started again before this is seen to be STOPPED: another run of the same change does both.

        Gives the Connector, in whatever state that leaves it. Raises WaitError.
        """
        end = self.clock() + self.lifecycle.wait_timeout
        while found.state == STOPPED and found.tasks:
            if self.clock() > end:
                raise errors.WaitError("Waited %g s for the tasks of the connector %s to end; it is %s." % (
                    self.lifecycle.wait_timeout, self.name, found), connector=found.result())
            self.sleep(_PAUSE)
            found = self.lifecycle.read_settled()
        return found

    def warn_misspelt(self, live) -> None:
        """Nothing is to be changed, and there is nothing: most likely another name was meant. live: Snapshot."""
        hint = "" if self.exists is not False or live.entries or live.unreadable else self.client.similar(self.name)
        if hint:
            self.access.warn("There is no connector %s, and there are no offsets of one.%s" % (self.name, hint))

    def _check_nothing_runs(self) -> None:
        """Where no status tells: ask the brokers. The tasks of a connector that was just deleted end only with a rebalance."""
        end = self.clock() + (0 if self.client is None else self.lifecycle.wait_timeout)
        while True:
            work = self._running()
            if not work:
                return
            if self.access.is_file:
                raise errors.StateError(
                    "A standalone worker that runs on this machine has the file of the offsets: %s. It reads the file only when it starts, and writes "
                    "the whole of it at each commit. Stop it, or use assume_stopped: true if that is not so." % (
                        "; ".join(work[:5])), workers=work)
            if self.clock() > end:
                raise errors.StateError(
                    "%s, but the brokers show a Connect worker that runs it: %s. A running task would write its own offset over the change. "
                    "Stop it%s. If that is another Connect cluster with a connector of the same name and an offsets topic of its own, give the group.id "
                    "of yours as kafka_connect_group." % (
                        "assume_stopped is true for %s" % self.name if self.client is None else "There is no connector %s" % self.name,
                        "; ".join(work[:5]), ", or give kafka_connect_url" if self.client is None else ""), workers=work)
            self.sleep(_PAUSE)

    def _running(self) -> list:
        """Raises StateError where the brokers do not tell, and nobody has said that nothing runs."""
        try:
            return self.access.running()
        except errors.BrokerError as error:
            if self.assume_stopped:
                self.access.warn("Whether a worker runs %s could not be seen from the brokers. %s" % (self.name, error.message))
                return []
            raise errors.StateError(
                "There is no connector %s, but whether a task of it still runs is not known, and such a task would write its own offset over the change. %s "
                "If it is certain that nothing runs it, use assume_stopped: true." % (self.name, error.message), **error.facts)

    def _check_it_can_be_halted(self, found) -> None:
        try:
            self.client.require_url(self.name)
        except errors.AmbiguousName as error:
            raise errors.StateError(
                "The connector %s is %s and has to be STOPPED, but its worker (Connect 4.0 or later) takes no request with such a name. Stop "
                "the workers, leave kafka_connect_url out and use assume_stopped: true; or create it anew, as STOPPED, with initial_state."
                % (self.name, found), **dict(error.facts, connector=found.result()))

    def never_ran(self, found, store) -> bool:
        """Connect before 3.5 cannot stop a connector that failed before it had tasks, and need not."""
        return not store.has_server_guard and found.state == FAILED and not found.tasks and not self.lifecycle.can_stop

    def is_old_sink(self, found, store) -> bool:
        """Connect before 3.5 cannot stop it."""
        return store.method == GROUP and found is not None and not found.stopped and not self.lifecycle.can_stop

    def _check_old_sink(self, found) -> None:
        """Only its tasks that failed have left the group. Raises StateError, which says what else can be done."""
        sink = self.access.sink(found)
        members = sink.members()
        if members:
            raise errors.StateError(
                "The connector %s is %s. Connect before 3.5 cannot stop it, and a task of a sink, a paused one too, stays in its consumer group "
                "%s, for which Kafka takes no offsets from anybody else then: %s. Either delete the connector (connector_info shows its "
                "configuration: keep it), change the offsets, and create it again; or stop the workers, leave kafka_connect_url out and use "
                "assume_stopped: true." % (self.name, found, sink.group, sink.told(members)),
                connector=found.result(), consumer_group=sink.group, members=[one._asdict() for one in members])
        if found.task_states - {FAILED}:
            raise errors.StateError(
                "The connector %s is %s, but the consumer group %s has no members. Either it is being started or moved right now: then try again; or its "
                "group is another one: give it as consumer_group." % (self.name, found, sink.group), connector=found.result())
        if not self.stop:
            self.access.warn("%s is %s, and none of its tasks is in its consumer group: its offsets are changed as it is. With stop: true "
                             "what has failed is started again after that." % (self.name, found))

    def await_free(self, route) -> None:
        route.semantics.await_free(route.store, self.lifecycle.wait_timeout, self.sleep, self.clock)

    def not_stopped(self, found, facts):
        if not self.lifecycle.can_stop:
            return errors.StateError(
                "The connector %s is %s. Connect before 3.5 has no STOPPED, and tasks that are merely paused keep their offsets in memory: "
                "use stop: true to have it paused, its tasks restarted while it is paused, and restored to %s after the change."
                % (self.name, found, found.state), **dict(facts, connector=found.result()))
        return errors.StateError(
            "The connector %s is %s. Its offsets can be changed only while it is STOPPED: use the module connector_state, or "
            "stop: true to have it stopped for the change and restored to %s afterwards."
            % (self.name, found, found.state), **dict(facts, connector=found.result()))

    def halt(self, found, store):
        if self.is_old_sink(found, store):
            return found  # nothing of it is in its group
        return self.lifecycle.stop(found) if store.has_server_guard else self.lifecycle.halt(found)

    def check_still(self, stopped, store) -> None:
        """After a change that no gate of Connect guards: did somebody start it meanwhile? Raises StateError."""
        if stopped is not None and not store.has_server_guard:
            self._check_still_halted(store)
        if self.access.is_file and not self.assume_stopped:
            self._check_none_has_begun()

    def _check_still_halted(self, store) -> None:
        try:
            now = self.lifecycle.read_settled()
            halted = self.lifecycle.halted(now)
        except errors.ConnectError as error:
            raise error.also("The offsets of %s were changed as declared; whether it is still stopped is not known." % self.name)
        if not halted and not self.never_ran(now, store):
            raise errors.StateError(
                "The offsets of %s were changed as declared, but somebody started it meanwhile: it is %s. Its tasks may have read the "
                "offsets before, and then write their own over the change: stop it and run this again." % (self.name, now), connector=now.result())

    def _check_none_has_begun(self) -> None:
        """Between our look and our writing a standalone worker may have been started."""
        work = self.access.running()
        if work:
            raise errors.StateError(
                "The offsets of %s were changed as declared, but a standalone worker that has the file was started meanwhile: %s. It may have read the "
                "file before, and then writes over the change: stop it and run this again." % (self.name, "; ".join(work[:5])), workers=work)
