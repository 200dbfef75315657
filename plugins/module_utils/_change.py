# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""One change of one connector's offsets from start to end.

was it made before? -> read -> plan -> can it be done, by which road? -> stop if asked -> read again -> back up -> apply -> read
back -> put the state back. Whatever fails after the first write: offsets and state are put back as they were, and the error
says so, or says what is left to do.

It is written as a generator of steps (see _steps), so that many changes can be made together (see _together).
"""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _backup
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import RESTORED, Taken, digest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import result as ledger_result
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import (
    PAUSED,
    RUNNING,
    STOPPED,
    Lifecycle,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import SINK, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._once import DONE, TODO, UNDONE, Lost, Unnamed
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import FORWARD, Wish, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._readiness import Readiness
from ansible_collections.streamops.kafka_connect.plugins.module_utils._report import change_result, pairs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._rights import denied
from ansible_collections.streamops.kafka_connect.plugins.module_utils._roads import GROUP, Roads
from ansible_collections.streamops.kafka_connect.plugins.module_utils._steps import FRESH, HALT, READY, alone, pause, resume, write
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import key_order_trap

#: seconds that a worker may take to show what it has just accepted
_READ_BACK = 10.0
#: seconds for Connect's own gate to open after our stop
_GATE = 30.0
_PAUSE = 0.3
#: how often a change is made again that something overwrote, while it settles
_OVERWRITTEN = 3
#: how often we look again when another run begins the same change at the same moment
_AT_ONCE = 5

#: what becomes of a connector that was stopped for the change: it is put back; later, by a run of the same change; left as it is
PUT_BACK, LATER, LEAVE = "put_back", "put_back_later", "leave"


class _Untold(errors.ConnectError):
    """The change is made, and the ledger does not know."""


class OffsetsChange:
    """Carries one wish out, or predicts it."""

    def __init__(self, client, name: str, wish: Wish, roads=None, stop=False, backup=None, assume_stopped=False,
                 wait_timeout=120, max_entries=1000, once=None, after_change=PUT_BACK, settle=0, sleep=time.sleep, clock=time.monotonic):
        """client: ConnectClient, or None to work without a worker, on the offsets topic or a consumer group. roads: by default REST alone.
        stop: stop the connector for the change and put back the state found.
        backup: path of the document to write before the first write, or None.
        assume_stopped: nothing runs the connector; needed without a worker to ask.
        wait_timeout: seconds for each wait. max_entries: how many partitions the result may list; 0 for all.
        once: what the ledger knows of this change (see _once), or None. after_change: PUT_BACK, LATER or LEAVE. settle: seconds after
        which a change is looked at again, before the connector's state is put back.
        wish: None to undo what ``once`` names.
        """
        self.roads = roads or Roads(client, name, sleep=sleep)
        self.name = name
        self.wish = wish
        self.backup = backup
        self.max_entries = max_entries
        self.once = once or Unnamed()
        self.after_change = after_change
        self.settle = settle
        self._sleep = sleep
        self.clock = clock
        self.lifecycle = Lifecycle(client, name, wait_timeout, self.sleep, clock)
        self.ready = Readiness(client, name, self.roads, self.lifecycle, stop, assume_stopped, self.sleep, clock)
        self.warnings = self.roads.warnings = self.once.warnings = self.lifecycle.warnings
        self.store = None
        #: the wish in numbers, as it is carried out
        self._meant = wish
        #: what another connector has given for it
        self._copied = None
        #: something may have been written
        self._written = False
        self._backed_up = False
        #: for the ledger, should this fail: is what this run has done undone?
        self._offsets_back = True
        self._state_back = True

    def run(self, check_mode: bool) -> dict:
        """The module's result. Raises ConnectError, which says what has become of offsets and state."""
        return alone(self.steps(check_mode), self.sleep)

    def steps(self, check_mode: bool):
        """The same as a generator of steps, which whoever runs it carries out; it returns what run() returns."""
        try:
            return (yield from self._run(check_mode))
        except errors.ConnectError as error:
            if isinstance(error, (Lost, _Untold)):
                error.facts["left_alone"] = [self.name]
            self._tell_ledger(error)
            error.warnings = self.warnings
            raise
        finally:
            self.once.close()

    def sleep(self, seconds: float) -> None:
        """Also a sign of life for others who want to make the same change."""
        self._sleep(seconds)
        self.once.beat()

    def _run(self, check_mode: bool) -> dict:
        for attempt in range(_AT_ONCE):
            try:
                return (yield from self._attempt(check_mode))
            except Lost:
                raise
            except Taken:
                if attempt + 1 == _AT_ONCE:
                    raise
                del self.warnings[:]

    def _attempt(self, check_mode: bool) -> dict:
        found = self.ready.find(self.wish)
        over = self._look(found, check_mode)
        if self.once.named:
            found = self.ready.find(self.wish)  # another run may have been waited for
        if over != TODO:
            yield READY
            return (yield from self._over(over, found, check_mode))
        if self.wish.origin is not None:
            self.wish.check_origin(self._kind(found), self.roads.cluster()["kafka_cluster_id"])
        try:
            plan = self._plan(found)
        except errors.NoConnector:
            if found is None or not self.roads.topic_is_open:
                raise
            self.ready.exists, found = False, None  # deleted a moment ago: its status is still there
            plan = self._plan(found)
        self.warnings.extend(plan.warnings + self.store.concerns(plan.live))
        if not plan.changed:
            self._check_rights(self.once.lacking(check_mode))
            yield READY
            return (yield from self._nothing_to_change(plan, found, check_mode))
        found = self.ready.check(found, self.store, self._copied or self.wish)
        self._check_rights(self.store.lacking(plan) + self.once.lacking(check_mode))
        if self.backup:
            _backup.check(self.backup)
        self._warn_repeat(found)
        yield READY
        if check_mode:
            return self._result(plan, found)
        if found is None or found.stopped or self.ready.never_ran(found, self.store) or (
                self.ready.is_old_sink(found, self.store) and not self.ready.stop):
            if (not self.store.gated or self.store.road == GROUP) and self.store.read() is not plan.live:
                plan = self._plan(found)  # a task that was waited for has committed once more
            if not plan.changed:
                return (yield from self._nothing_to_change(plan, found, check_mode))
            return (yield from self._change_held(plan, found))
        self._begin(found, found.state if self.ready.stop else None)
        if found.idle and self.store.gated:
            try:
                result = yield from self._change(plan, found)
                return (yield from self._bring_due(result, found))
            except errors.NotStopped as error:
                if not self.ready.stop:
                    raise self.ready.not_stopped(found, error.facts)
        return (yield from self._change_stopped(found))

    # ---- before ----------------------------------------------------------------------------------------------

    def _plan(self, found):
        finishes = self.once.finishes
        if finishes and self.wish.in_words:
            wish = Wish.begun(self.once.change)
        else:
            wish = self.wish if self.wish.copy is None else self._read_copy(found)
        self.store, plan = self.roads.plan(found, wish)
        if not finishes:  # of a change that was begun, what is live may be a part
            self.wish.check_guards(plan)
        return plan

    def _check_rights(self, lacking) -> None:
        """One that is missing would show only when the connector is stopped. Raises BrokerDenied."""
        if lacking:
            raise denied(self.name, lacking)

    def _read_copy(self, found):
        """Once: what is declared must not change on the way, though the other connector may run on."""
        if self._copied is None:
            self._copied = self.wish.copy.read(self.warnings)
            self._copied.guards = self.wish.guards
            self._copied.check_origin(self._kind(found), None)
        return self._copied

    def _warn_repeat(self, found) -> None:
        once = self.once.named or self.wish.guards is not None and self.wish.guards.only == FORWARD
        if not once and found is not None and found.state == RUNNING and self.wish.sets:
            self.warnings.append(
                "%s is RUNNING: once it runs on from the declared offsets, the same task changes them again at its next run. With a change_id "
                "it is made once." % self.name)

    # ---- the ledger ------------------------------------------------------------------------------------------

    def _look(self, found, check_mode) -> str:
        """TODO, or what makes this run superfluous."""
        if not self.once.named:
            return TODO
        if not self.once.undo:
            return self.once.look(self._digest(found), check_mode)
        over = self.once.look_back(check_mode)
        self.roads.prefer(self.once.change)
        if over == TODO:
            self.wish = Wish.undo(self.once.change)
        return over

    def _digest(self, found) -> str:
        return digest(self.wish, self._kind(found))

    def _begin(self, found, state_due=None) -> None:
        if not self.once.named:
            return
        if found is None or self._is_held(found):  # by a run of this change that did not end
            state_due = self.once.state_due or state_due
        self._state_back = state_due is None
        self.once.begin("" if self.once.undo else self._digest(found), None if self.after_change == LEAVE else state_due,
                        road=self.store.road, offset_topic=self.roads.result(self.store)["offset_topic"], cluster=self.roads.cluster(),
                        kind=self._kind(found))

    def _kind(self, found) -> str:
        return self.roads.kind(found, self._copied or self.wish)

    def _over(self, over, found, check_mode) -> dict:
        """The change was made or undone before; only the connector's state may be left to put back."""
        plan = self._plan_nothing(found)
        if self.once.undo and self.once.change.phase != RESTORED and not check_mode:  # begun, and nothing was written
            self._begin(found)
            self.once.written(self.once.state_due)
        there, here = self.once.change.cluster.get("offset_topic"), self.roads.cluster().get("offset_topic")
        if there and here and there != here:
            self.warnings.append(
                "The change %s of %s was made where the offsets are on the topic %s; here they are on %s. If that is another Connect cluster with "
                "a connector of this name, it was not made here: tell them apart by connect_group, or by a ledger of their own."
                % (self.once.change_id, self.name, there, here))
        if over == UNDONE and not self.once.undo:
            self.warnings.append("The change %s of %s was put back on %s, and stays so. To make it again give it another id." % (
                self.once.change_id, self.name, self.once.change.times[self.once.change.phase]))
        return (yield from self._bring_due(dict(self._result(plan, found), already_applied=over == DONE), found, check_mode))

    def _plan_nothing(self, found):
        self.store, plan = self.roads.plan(found, Wish.nothing())
        return plan

    def _nothing_to_change(self, plan, found, check_mode) -> dict:
        if not check_mode:
            self._begin(found)
            self.once.written(self.once.state_due)
        return (yield from self._bring_due(self._result(plan, found), found, check_mode))

    def _bring_due(self, result, found, check_mode=False):
        """Put the connector back to the state that an earlier run of this change, which did not end, has found."""
        due = self.once.state_due
        if due is not None and self.after_change == LATER:
            if not check_mode:
                self.once.later()
            return result
        if due is not None and found is not None and self.after_change == PUT_BACK and self._is_held(found):
            self.warnings.append("%s is %s for the change %s since an earlier run; it is put back to %s." % (
                self.name, found.state, self.once.change_id, due))
            result["changed"] = True
            if not check_mode:
                result["connector"] = (yield from self._put_state_back(due)).result()
        if not check_mode:
            self._done()
        return self._with_change(result)

    def _is_held(self, found) -> bool:
        return found.state == STOPPED or found.state == PAUSED and not self.lifecycle.can_stop

    def _done(self) -> None:
        try:
            self.once.done()
        except Lost:
            raise
        except errors.ConnectError as error:
            self.warnings.append("The ledger (%s) could not be told that the change %s of %s has come to its end; its next run will tell it. %s" % (
                self.once.where, self.once.change_id, self.name, error.message))

    def _tell_ledger(self, error) -> None:
        if isinstance(error, (Taken, _Untold)):
            return
        try:
            self.once.give_up(self._offsets_back, self._state_back)
        except errors.ConnectError as other:
            error.also("The ledger (%s) could not be told: %s" % (self.once.where, other.message))

    # ---- the change ------------------------------------------------------------------------------------------

    def _change_held(self, plan, found):
        """It is stopped already, maybe by a run of this change that did not end."""
        self._begin(found)
        try:
            result = yield from self._change(plan, found)
        except (Lost, _Untold):
            raise
        except errors.ConnectError as error:
            due = self.once.state_due
            raise error if found is None or due is None else (yield from self._state_put_back(due, error))
        return (yield from self._bring_due(result, found))

    def _change_stopped(self, found):
        """Stop, change, put the state back, also when the change fails."""
        self.ready.is_stopped_here = True
        self._state_back = False
        due = self.once.state_due or found.state
        try:
            yield HALT
            stopped = self.ready.halt(found, self.store)
            if self._kind(found) == SINK:
                self.ready.await_free(stopped, self.store)
            yield FRESH
            plan = self._plan(stopped)
            if plan.changed:
                result = yield from self._change(plan, stopped, due)
            else:
                self._note_written(due)
                result = self._result(plan, stopped)
        except (Lost, _Untold):
            raise  # another run puts it back
        except errors.ConnectError as error:
            raise (yield from self._state_put_back(due, error))
        except Exception:  # a fault of our own must not leave a connector stopped
            yield from self._put_state_back(due)
            raise
        if self.after_change != PUT_BACK:
            self.once.later()
            return dict(result, state_before=due)
        try:
            after = yield from self._put_state_back(due)
        except errors.ConnectError as error:
            raise error.also("The offsets are %s, but the connector is not back to %s: %s" % (
                "changed as declared" if result["changed"] else "as they were", due, self._state_left_to_do(due)),
                changed=result["changed"], backup_file=result["backup_file"])
        self._done()
        if after.failed:
            self.warnings.append("%s was put back to %s, but failed: %s." % (self.name, due, after.failure))
        return dict(self._with_change(result), connector=after.result(), state_before=due)

    def _put_state_back(self, due: str):
        yield resume(due)
        after = self.lifecycle.reach(PAUSED if due == PAUSED else RUNNING, self.lifecycle.read_settled())
        self._state_back = True
        return after

    def _state_left_to_do(self, due: str) -> str:
        return "it is left to do %s." % self.ready.client.way_back(self.name, "paused" if due == PAUSED else "running")

    def _state_put_back(self, due, error):
        try:
            after = yield from self._put_state_back(due)
        except errors.ConnectError as other:
            return error.also("The connector could not be put back to %s either (%s): %s" % (due, other.message, self._state_left_to_do(due)))
        return error.also("The connector was put back: it is %s." % after, connector=after.result())

    def _change(self, plan, stopped, state_due=None):
        """state_due: what the connector has to be put back to afterwards."""
        before, self._meant = plan.live, plan.wish
        if not self.backup and self.store.recreates(plan):
            self.backup = _backup.default_path(self.name)
        if self.backup and not self._backed_up:
            try:
                _backup.write(self.backup, [before], self.roads.cluster(), self.store.road)
            except errors.ConnectError as error:
                raise error.also("Nothing was changed.")
            self._backed_up = True
        if self.once.named:
            self.once.writing(*plan.sides(), self.store.images(plan))
        try:
            yield from self._apply(plan)
            yield from self._await_settled()
        except Lost:
            raise
        except errors.ConnectError as error:
            if self._written or self.store.gated:
                raise self._offsets_put_back(before, error)
            raise  # a transaction that was given up; what is there now may be somebody else's
        self._offsets_back = False
        try:
            self.ready.check_still(stopped, self.store)
        except errors.ConnectError as error:
            error.facts.update(changed=True, backup_file=self.backup)
            raise
        self._note_written(state_due)
        return self._result(plan, stopped)

    def _note_written(self, state_due) -> None:
        """Raises _Untold, after which the connector must not run on."""
        try:
            self.once.written(None if self.after_change == LEAVE else state_due or self.once.state_due)
        except Lost:
            raise
        except errors.ConnectError as error:
            raise _Untold(
                "The offsets of %s are as declared, but that could not be written into the ledger (%s). It is left as it is now, stopped: "
                "once it ran on, the next run of this change would change it again. Run the same again, which finishes the change. %s"
                % (self.name, self.once.where, error.message), **dict(error.facts, changed=self._written, backup_file=self.backup))

    def _await_settled(self):
        """A task that was abandoned when the connector was stopped commits once more when it comes back; no gate stops it.

        See org.apache.kafka.connect.runtime.Worker#awaitStopTask: it is given up after task.shutdown.graceful.timeout.ms.
        """
        for _time in range(_OVERWRITTEN):
            end = self.clock() + self.settle
            while self.clock() < end:
                yield pause(min(1.0, max(_PAUSE, end - self.clock())))
            rest = make_plan(self.store.read(), self._meant, check_types=False) if self.settle else None
            if rest is None or not rest.changed:
                return
            self.warnings.append(
                "Something wrote other offsets of %s over the change within %g s, first %s: %s. Most likely a task that did not end when the "
                "connector was stopped. The change was made again." % (
                    self.name, self.settle, canonical(rest.changes[0].partition), canonical(rest.changes[0].before)))
            yield from self._apply(rest)
        raise errors.ReadBackError("Something writes other offsets of %s over the change again and again, within %g s each time." % (
            self.name, self.settle))

    def _apply(self, plan):
        """Write until a fresh read shows the wish; an answer that got lost is first read back, then repeated."""
        gate = self.clock() + _GATE
        end = self.clock() + self.lifecycle.wait_timeout
        while True:
            doubt = None
            try:
                warning = yield write(self.store, plan)
                self._written = True
                if warning and warning not in self.warnings:
                    self.warnings.append(warning)
            except errors.NotStopped as error:
                if not self.ready.is_stopped_here or self.clock() > gate:
                    raise
                doubt = error
            except errors.UNSURE as error:
                self._written = True
                doubt = error
            try:
                rest = yield from self._read_back(doubt is None)
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
            yield pause(_PAUSE)
            plan = rest

    def _read_back(self, patient: bool):
        """The plan that is left after a fresh read: unchanged means done."""
        end = self.clock() + (_READ_BACK if patient else 0)
        while True:
            rest = make_plan(self.store.read(), self._meant, check_types=False)
            if not rest.changed or self.clock() > end and not self.store.hidden():
                return rest
            if self.clock() > end + self.lifecycle.wait_timeout:
                raise errors.WriteUnsure("A transaction of another producer is open on %s and hides what was written behind it."
                                         % self.store.hidden())
            yield pause(_PAUSE)

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
        self._offsets_back = False
        try:
            undo = make_plan(self.store.read(), Wish.exactly(before))
            if self.store.hidden():
                return self._with_way_back(error, "What is live now cannot be seen.", before)
            if not undo.changed:
                self._offsets_back = True
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
        self._offsets_back = True
        return error.also("%d partition%s had been changed, and %s put back: the offsets are as they were." % (
            len(undo.changes), "" if len(undo.changes) == 1 else "s", "was" if len(undo.changes) == 1 else "were"))

    def _with_way_back(self, error, sentence, before):
        left = self._left_to_do(before)  # first, as it may write a backup
        return error.also("%s %s" % (sentence, left), backup_file=self.backup, offsets_before=pairs(before.sorted(), self.max_entries))

    def _left_to_do(self, before) -> str:
        """The way back by hand. Without a backup so far, this is the last moment to write one."""
        if not self.backup:
            path = _backup.default_path(self.name)
            try:
                _backup.write(path, [before], self.roads.cluster(), self.store.road)
            except errors.ConnectError as error:
                self.warnings.append(error.message)
                return "Put offsets_before back by hand."
            self.backup = path
        return "The offsets before are in %s: put them back with src and purge: true." % self.backup

    # ---- what the module returns -----------------------------------------------------------------------------

    def _with_change(self, result) -> dict:
        result["change"] = ledger_result(self.once.change, self.max_entries) if self.once.change else None
        return result

    def _result(self, plan, connector) -> dict:
        result = dict(change_result(plan, self.store.road, self.max_entries), **self.roads.result(self.store))
        result["connector"] = connector.result() if connector else None
        result["connector_exists"] = self.ready.exists
        result["backup_file"] = self.backup if plan.changed else None
        result["state_before"] = self.once.state_due or (connector.state if connector else None)
        result["already_applied"] = False
        result["ledger"] = self.once.where
        result["warnings"] = self.warnings
        return self._with_change(result)
