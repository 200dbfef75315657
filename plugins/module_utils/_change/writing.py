# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The write of one connector's offsets: sent, read back, sent again where the answer left it open, looked at once more after a delay.

Success is what a fresh read shows, never what an answer said.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import AWAY, LOOK_AGAIN
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import Plan, is_fulfilled, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import key_order_trap

#: seconds that a worker may take to show what it has just accepted
_READ_BACK = 10.0
#: seconds for Connect's own guard to open after our stop
_GUARD = 30.0
_PAUSE = 0.3
#: how often a write that something overwrote is repeated
_OVERWRITTEN = 3

#: what is to be done next
SEND, READ, SETTLE, DONE = "send", "read", "settle", "done"


class Writing:
    """While the stage is SEND the engine writes ``plan``; then answered(), then look() until it is DONE. Both may raise ConnectError."""

    def __init__(self, item, plan):
        """item: ChangeItem. plan: what is to be written."""
        self._item = item
        self._clock = item.clock
        self.store = item.store
        self.first_plan = self.plan = plan
        self.before, self.meant = plan.live, plan.desired
        #: whether a request or transaction was sent that may have been carried out
        self.sent = False
        self._repeats = 0
        self._begin()

    def _begin(self) -> None:
        self.stage = SEND
        self._guard_end = self._clock() + _GUARD
        self._end = self._clock() + self._item.wait_timeout
        #: the last answer, if it proves nothing; the last error that leaves open whether a write was carried out
        self._doubt = self._unknown = None

    def answered(self, answer) -> None:
        """answer: what the store returned, a warning or None; or the exception that it raised."""
        self._doubt = None
        if not isinstance(answer, Exception):
            self.sent = True
            if answer:
                self._item.access.warn(answer)
        elif isinstance(answer, errors.NotStopped):
            if not self._item.stopped_here or self._clock() > self._guard_end:
                raise answer
            self._doubt = answer
        elif isinstance(answer, errors.Interrupted):
            raise answer if self._unknown is None else self._unknown.also(answer.message)  # what was sent before may still be carried out
        elif errors.in_doubt(answer):
            self.sent = True
            self._doubt = self._unknown = answer
        else:
            raise answer
        self._read_end = self._clock() + (_READ_BACK if self._doubt is None else 0)
        self.stage = READ

    def look(self):
        """Seconds to wait before the next look or write; None or 0: none."""
        return self._look_back() if self.stage == READ else self._settle()

    def _look_back(self):
        try:
            rest = self._rest()
            if rest.changed and (self._clock() <= self._read_end or self.store.hidden()):
                if self._clock() > self._read_end + self._item.wait_timeout:
                    raise errors.WriteOutcomeUnknown("A transaction of another producer is open on %s and hides what was written behind it."
                                                     % self.store.hidden())
                return _PAUSE
        except errors.ConnectError as error:
            if isinstance(error, AWAY) and self._clock() + LOOK_AGAIN < self._end:
                return LOOK_AGAIN  # a worker that is restarted
            if self._doubt is not None:
                raise self._doubt.also("Reading back failed: " + error.message)
            raise error.also("The change had been accepted before that, but could not be read back.")
        if not rest.changed:
            if isinstance(self._doubt, errors.RestError):
                self._item.access.warn("The offsets of %s are as declared, though the answer was: %s" % (self._item.name, self._doubt.message))
            return self._shown()
        if self._doubt is None:
            raise self._not_what_was_declared(rest)
        if isinstance(self._doubt, (errors.Refused, errors.TakenOver)) or self._clock() > self._end:
            raise self._doubt
        self.plan, self.stage = rest, SEND
        return _PAUSE

    def _rest(self):
        """The plan that is left after a fresh read: unchanged means done."""
        is_written = self.store.has_written(self.plan)
        if is_written:
            return Plan(self.plan.live, {}, False)
        if is_written is None and self.stage == READ and self._clock() <= self._read_end:
            return self.plan
        if not (self.plan.resets_all or self.meant.purge):
            live = self.store.read_written()
            if live is not None:
                rest = self._left(live)
                if not rest.changed:
                    return rest
        return self._left(self.store.read())

    def _left(self, live):
        if is_fulfilled(live, self.meant):
            return Plan(live, {}, False)
        live.profile = self.before.profile
        return make_plan(live, self.meant, check_types=False)

    def _shown(self):
        """A task that was abandoned when the connector was stopped commits once more when it comes back; no guard of Connect stops it.

        See org.apache.kafka.connect.runtime.Worker#awaitStopTask: it is given up after task.shutdown.graceful.timeout.ms.
        """
        settle = self._item.settle
        if not settle:
            self.stage = DONE
            return None
        if self._repeats == _OVERWRITTEN:
            raise errors.ReadBackError("Something writes other offsets of %s over the change again and again, within %g s each time." % (
                self._item.name, settle))
        self.stage, self._settle_end = SETTLE, self._clock() + settle
        return self._settle()

    def _settle(self):
        left = self._settle_end - self._clock()
        if left > 0:
            return min(1.0, max(_PAUSE, left))
        rest = self._rest()
        if not rest.changed:
            self.stage = DONE
            return None
        self._item.access.warn(
            "Something wrote other offsets of %s over the change within %g s, first %s: %s. Most likely a task that did not end when the "
            "connector was stopped. The change is made again." % (
                self._item.name, self._item.settle, canonical(rest.changes[0].partition), canonical(rest.changes[0].before)))
        self._repeats += 1
        self.plan = rest
        self._begin()
        return None

    def _not_what_was_declared(self, rest):
        name, first = self._item.name, rest.changes[0]
        if rest.live.lost and all(action.before == action.after for action in rest.changes):
            return errors.ReadBackError(
                "The change of %s was accepted by the worker, but is not on the topic %s, first %s: that is not the topic of the worker, or it loses "
                "records. Give the value of the workers' offset.storage.topic as offset_topic." % (
                    name, self._item.router.compared.topics[0], canonical(first.partition)))
        hidden = [action.partition for action in rest.changes if action.unreadable]
        if hidden:
            return errors.MethodError("The change was accepted, but had no effect. " + key_order_trap(name, hidden))
        return errors.ReadBackError(
            "The change of %s was accepted, but a fresh read shows something else for %s, first %s: %s instead of %s." % (
                name, plural(len(rest.changes), "partition"), canonical(first.partition), canonical(first.before), canonical(first.after)))
