# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""One change of one connector's offsets from start to end.

read -> plan -> can it be done, by which road? -> stop if asked -> read again -> back up -> apply -> read back -> put the
state back. Whatever fails after the first write: offsets and state are put back as they were, and the error says so, or says
what is left to do.
"""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _backup
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import (
    FAILED,
    PAUSED,
    RUNNING,
    STOPPED,
    Lifecycle,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import Wish, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._report import change_result, pairs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._roads import Roads
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import key_order_trap

#: seconds that a worker may take to show what it has just accepted
_READ_BACK = 10.0
#: seconds for Connect's own gate to open after our stop
_GATE = 30.0
_PAUSE = 0.3


class OffsetsChange:
    """Carries one wish out, or predicts it."""

    def __init__(self, client, name: str, wish: Wish, roads=None, stop=False, backup=None, assume_stopped=False,
                 wait_timeout=120, max_entries=1000, sleep=time.sleep, clock=time.monotonic):
        """client: ConnectClient, or None to work offline on the offsets topic. roads: by default REST alone.
        stop: stop the connector for the change and put back the state found.
        backup: path of the document to write before the first write, or None.
        assume_stopped: nothing runs the connector; needed without a worker to ask.
        wait_timeout: seconds for each wait. max_entries: how many partitions the result may list; 0 for all.
        """
        self.client = client
        self.roads = roads or Roads(client, name, sleep=sleep)
        self.name = name
        self.wish = wish
        self.stop = stop
        self.backup = backup
        self.assume_stopped = assume_stopped
        self.max_entries = max_entries
        self.sleep = sleep
        self.clock = clock
        self.lifecycle = Lifecycle(client, name, wait_timeout, sleep, clock)
        self.warnings = self.roads.warnings = self.lifecycle.warnings
        self.store = None
        #: whether there is such a connector; None without a worker to ask
        self.exists = None
        self._stopped_here = False
        #: something may have been written
        self._written = False
        self._backed_up = False

    def run(self, check_mode: bool) -> dict:
        """The module's result. Raises ConnectError, which says what has become of offsets and state."""
        try:
            return self._run(check_mode)
        except errors.ConnectError as error:
            error.warnings = self.warnings
            raise

    def _run(self, check_mode: bool) -> dict:
        found = self._find()
        try:
            plan = self._plan(found)
        except errors.NoConnector:
            if found is None or not self.roads.topic_is_open:
                raise
            self.exists, found = False, None  # deleted a moment ago: its status is still there
            plan = self._plan(found)
        self.warnings.extend(plan.warnings + self.store.concerns(plan.live))
        if not plan.changed:
            return self._result(plan, found)
        found = self._check_state(found)
        if self.backup:
            _backup.check(self.backup)
        self._warn_repeat(found)
        if check_mode:
            return self._result(plan, found)
        if found is None or found.stopped or self._never_ran(found):
            if not self.store.gated:
                plan = self._plan(found)  # a task that was waited for has committed once more
            return self._change(plan, found) if plan.changed else self._result(plan, found)
        if found.idle and self.store.gated:
            try:
                return self._change(plan, found)
            except errors.NotStopped as error:
                if not self.stop:
                    raise self._not_stopped(found, error.facts)
        return self._change_stopped(found)

    # ---- before ----------------------------------------------------------------------------------------------

    def _find(self):
        """The connector, None where there is none or no worker that could be asked."""
        if self.client is not None:
            try:
                found = self.lifecycle.read()
                self.exists = True
                return found
            except errors.NoConnector:
                if not self.roads.topic_is_open:
                    raise
                self.exists = False
                return None
            except errors.Unreachable as error:
                if not (self.assume_stopped and self.roads.topic_is_open):
                    raise
                self.warnings.append("No worker is asked, as assume_stopped is true. " + error.message)
                self.client = None
                self.roads.without_rest()
        if not self.assume_stopped:
            raise errors.StateError(
                "Without connect_url nobody tells whether a task of %s is running, which would write its own offset over the change. "
                "Give connect_url, or assume_stopped: true if its workers are down. Nothing was changed." % self.name)
        return None

    def _plan(self, found):
        self.store, plan = self.roads.plan(found, self.wish)
        return plan

    def _check_state(self, found):
        """Is it STOPPED, or may we stop it?"""
        if found is None:
            self._check_nothing_runs()
            if self.exists is False and any(entry.offset is not None for entry in self.wish.entries or []):
                self.warnings.append("There is no connector %s: the offsets wait for one that is created with this name." % self.name)
            return None
        if not found.stopped and not found.idle and found.state not in (RUNNING, PAUSED, FAILED):
            found = self.lifecycle.read_definite()
        if found.state == STOPPED and found.tasks:
            found = self.lifecycle.stop(found)
        if self._never_ran(found):
            return found
        if not found.stopped and not self.store.gated:
            self._check_it_can_be_halted(found)
        if not found.stopped and not self.stop:
            if not found.idle or not self.store.gated:
                raise self._not_stopped(found, {})
            self.warnings.append(
                "%s is %s: either it is STOPPED and the worker that had it is gone, or it has nothing to do. Connect itself decides "
                "whether its offsets may be changed." % (self.name, found))
        return found

    def _check_nothing_runs(self) -> None:
        """Where no status tells: ask the brokers. The tasks of a connector that was just deleted end only with a rebalance."""
        end = self.clock() + (0 if self.client is None else self.lifecycle.wait_timeout)
        while True:
            work = self.roads.running()
            if not work:
                return
            if self.clock() > end:
                raise errors.StateError(
                    "%s, but the brokers know a Connect worker that runs it: %s. A running task would write its own offset over the change. "
                    "Stop it%s. If that is another Connect cluster with a connector of the same name, give the group.id of yours as "
                    "connect_group. Nothing was changed." % (
                        "assume_stopped is true for %s" % self.name if self.client is None else "There is no connector %s" % self.name,
                        "; ".join(work[:5]), ", or give connect_url" if self.client is None else ""), workers=work)
            self.sleep(_PAUSE)

    def _check_it_can_be_halted(self, found) -> None:
        try:
            self.client.require_url(self.name)
        except errors.AmbiguousName as error:
            raise errors.StateError(
                "The connector %s is %s and has to be STOPPED, but its worker (Connect 4.0 or later) takes no request with such a name. Stop "
                "the workers, leave connect_url out and use assume_stopped: true; or create it anew, as STOPPED, with initial_state. "
                "Nothing was changed." % (self.name, found), **dict(error.facts, connector=found.result()))

    def _never_ran(self, found) -> bool:
        """Connect before 3.5 cannot stop a connector that failed before it had tasks, and need not."""
        return not self.store.gated and found.state == FAILED and not found.tasks and not self.lifecycle.can_stop

    def _not_stopped(self, found, facts):
        if not self.lifecycle.can_stop:
            return errors.StateError(
                "The connector %s is %s. Connect before 3.5 has no STOPPED, and tasks that are merely paused keep their offsets in memory: "
                "use stop: true to have it paused, its tasks restarted while it is paused, and put back to %s after the change. Nothing "
                "was changed." % (self.name, found, found.state), **dict(facts, connector=found.result()))
        return errors.StateError(
            "The connector %s is %s. Its offsets can be changed only while it is STOPPED: use the module connector_state, or "
            "stop: true to have it stopped for the change and put back to %s afterwards. Nothing was changed."
            % (self.name, found, found.state), **dict(facts, connector=found.result()))

    def _warn_repeat(self, found) -> None:
        if found is not None and found.state == RUNNING and any(entry.offset is not None for entry in self.wish.entries or []):
            self.warnings.append(
                "%s is RUNNING: once it runs on from the declared offsets, the same task changes them again at its next run." % self.name)

    # ---- the change ------------------------------------------------------------------------------------------

    def _change_stopped(self, found) -> dict:
        """Stop, change, put the state back, also when the change fails."""
        self._stopped_here = True
        try:
            stopped = self.lifecycle.stop(found) if self.store.gated else self.lifecycle.halt(found)
            plan = self._plan(stopped)
            if plan.changed:
                result = self._change(plan, stopped)
            else:
                result = self._result(plan, stopped)
        except errors.ConnectError as error:
            raise self._state_put_back(found, error)
        except Exception:  # a fault of our own must not leave a connector stopped
            self._put_state_back(found)
            raise
        try:
            after = self._put_state_back(found)
        except errors.ConnectError as error:
            raise error.also("The offsets are %s, but the connector is not back to %s: %s" % (
                "changed as declared" if result["changed"] else "as they were", found.state, self._state_left_to_do(found)),
                changed=result["changed"], backup_file=result["backup_file"])
        result["connector"] = after.result()
        if after.failed:
            self.warnings.append("%s was put back to %s, but failed: %s." % (self.name, found.state, after.failure))
        return result

    def _put_state_back(self, found):
        wanted = PAUSED if found.state == PAUSED else RUNNING
        return self.lifecycle.reach(wanted, self.lifecycle.read())

    def _state_left_to_do(self, found) -> str:
        return "it is left to do by PUT %s/connectors/%s/%s." % (
            self.client.url, self.name, "pause" if found.state == PAUSED else "resume")

    def _state_put_back(self, found, error):
        try:
            after = self._put_state_back(found)
        except errors.ConnectError as other:
            return error.also("The connector could not be put back to %s either (%s): %s"
                              % (found.state, other.message, self._state_left_to_do(found)))
        return error.also("The connector was put back: it is %s." % after, connector=after.result())

    def _change(self, plan, stopped) -> dict:
        before = plan.live
        if self.backup and not self._backed_up:
            try:
                _backup.write(self.backup, before, self.roads.cluster(), self.store.road)
            except errors.ConnectError as error:
                raise error.also("Nothing was changed.")
            self._backed_up = True
        try:
            self._apply(plan)
        except errors.ConnectError as error:
            if self._written or self.store.gated:
                raise self._offsets_put_back(before, error)
            raise  # a transaction that was given up; what is there now may be somebody else's
        if stopped is not None and not self.store.gated:
            self._check_still_halted()
        return self._result(plan, stopped)

    def _check_still_halted(self) -> None:
        """No gate of Connect guards the topic: did somebody start the connector meanwhile?"""
        try:
            now = self.lifecycle.read()
            halted = self.lifecycle.halted(now)
        except errors.ConnectError as error:
            raise error.also("The offsets of %s were changed as declared; whether it is still stopped is not known." % self.name,
                             changed=True, backup_file=self.backup)
        if not halted and not self._never_ran(now):
            raise errors.StateError(
                "The offsets of %s were changed as declared, but somebody started it meanwhile: it is %s. Its tasks may have read the "
                "offsets before, and then write their own over the change: stop it and run this again." % (self.name, now),
                connector=now.result(), changed=True, backup_file=self.backup)

    def _apply(self, plan) -> None:
        """Write until a fresh read shows the wish; an answer that got lost is first read back, then repeated."""
        gate = self.clock() + _GATE
        end = self.clock() + self.lifecycle.wait_timeout
        while True:
            doubt = None
            try:
                warning = self.store.apply(plan)
                self._written = True
                if warning and warning not in self.warnings:
                    self.warnings.append(warning)
            except errors.NotStopped as error:
                if not self._stopped_here or self.clock() > gate:
                    raise
                doubt = error
            except errors.UNSURE as error:
                self._written = True
                doubt = error
            try:
                rest = self._read_back(doubt is None)
            except errors.ConnectError as error:
                if doubt is not None:
                    raise doubt.also("Reading back failed: " + error.message)
                raise error.also("The change had been accepted before that, but could not be read back.")
            if not rest.changed:
                return
            if doubt is None:
                raise self._not_what_was_declared(rest)
            if self.clock() > end:
                raise doubt
            self.sleep(_PAUSE)
            plan = rest

    def _read_back(self, patient: bool):
        """The plan that is left after a fresh read: unchanged means done."""
        end = self.clock() + (_READ_BACK if patient else 0)
        while True:
            rest = make_plan(self.store.read(), self.wish, check_types=False)
            if not rest.changed or self.clock() > end and not self.store.hidden():
                return rest
            if self.clock() > end + self.lifecycle.wait_timeout:
                raise errors.WriteUnsure("A transaction of another producer is open on %s and hides what was written behind it."
                                         % self.store.hidden())
            self.sleep(_PAUSE)

    def _not_what_was_declared(self, rest):
        hidden = [action.partition for action in rest.changes if action.unreadable]
        if hidden:
            return errors.RoadError("The change was accepted, but had no effect. " + key_order_trap(self.name, hidden))
        return errors.ReadBackError(
            "The change of %s was accepted, but a fresh read shows something else for %d partition%s, first %s: %s instead of %s."
            % (self.name, len(rest.changes), "" if len(rest.changes) == 1 else "s", canonical(rest.changes[0].partition),
               canonical(rest.changes[0].before), canonical(rest.changes[0].after)))

    # ---- after a failure -------------------------------------------------------------------------------------

    def _offsets_put_back(self, before, error):
        """The error, with what has become of the offsets."""
        try:
            undo = make_plan(self.store.read(), Wish.exactly(before))
            if self.store.hidden():
                return self._with_way_back(error, "What is live now cannot be seen.", before)
            if not undo.changed:
                return error.also("The offsets are as they were%s." % (
                    " so far; look again before you go on" if isinstance(error, errors.WriteUnsure) else ""))
            if not self.store.gated:
                # All of our records or none: what else is there came from somebody else, who may have reported success.
                return self._with_way_back(error, "Somebody else has written meanwhile, and that was left alone.", before)
            self.store.apply(undo)
            left = make_plan(self.store.read(), Wish.exactly(before))
        except errors.ConnectError as other:
            return self._with_way_back(error, "What is live now could not be read or put back (%s)." % other.message, before)
        if left.changed:
            return self._with_way_back(error, "%d partitions could not be put back." % len(left.changes), before)
        return error.also("Some partitions had been changed; the offsets were put back as they were.")

    def _with_way_back(self, error, sentence, before):
        left = self._left_to_do(before)  # first, as it may write a backup
        return error.also("%s %s" % (sentence, left), backup_file=self.backup, offsets_before=pairs(before.sorted(), self.max_entries))

    def _left_to_do(self, before) -> str:
        """The way back by hand. Without a backup so far, this is the last moment to write one."""
        if not self.backup:
            path = _backup.default_path(self.name)
            try:
                _backup.write(path, before, self.roads.cluster(), self.store.road)
            except errors.ConnectError as error:
                self.warnings.append(error.message)
                return "Put offsets_before back by hand."
            self.backup = path
        return "The offsets before are in %s: put them back with src and purge: true." % self.backup

    # ---- what the module returns -----------------------------------------------------------------------------

    def _result(self, plan, connector) -> dict:
        result = dict(change_result(plan, self.store.road, self.max_entries), **self.roads.result(self.store))
        result["connector"] = connector.result() if connector else None
        result["connector_exists"] = self.exists
        result["backup_file"] = self.backup if plan.changed else None
        result["warnings"] = self.warnings
        return result
