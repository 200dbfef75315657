# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""One connector after its change, as it runs again: does it stay up, and does it go on from the declared offsets?

What its first commits mean is decided in _core.profiles.position_check. A verdict never undoes anything.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import PAUSED, RUNNING, STOPPED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.position import BACKWARD
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.position_check import (
    BAD,
    CANNOT_TELL,
    GONE,
    NOTHING,
    Seen,
    judge,
    moves_on,
    result,
    sentence,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import as_facts
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import STRIMZI

#: whether it is looked at, and what a verdict of which there is something to do is: a warning, or a failure
NO, WARN, FAIL = CHECKS = ["none", "warn", "fail"]

#: seconds between two looks: the first ones, and the most; of the operator, who writes a ConfigMap for each
_FIRST_PAUSE, _LONGEST_PAUSE, _OPERATORS_PAUSE = 0.3, 5.0, 10.0


class Watching:
    """begin() once the change is made; then look() as long as its item's phase is WATCH."""

    def __init__(self, item, check=NO, seconds=0):
        """item: ChangeItem. check: one of CHECKS. seconds: for how long at most."""
        self._item = item
        self._check, self._seconds = check, seconds
        self._plan = None
        #: canonical partition -> the first offset other than the declared one
        self._first = {}
        self._appeared = {}
        self._unread = None
        #: when the last look began, and whether it found the connector paused or stopped
        self._looked, self._halted = None, False
        self._pause = _FIRST_PAUSE

    def note(self, plan) -> None:
        """plan: what was written."""
        self._plan = plan

    @property
    def is_due(self) -> bool:
        """Only what runs commits anything."""
        item = self._item
        return self._check != NO and self._seconds > 0 and self._plan is not None and item.error is None and not item.rolls_back and (
            (item.result["connector"] or {}).get("state") == RUNNING)

    def begin(self) -> None:
        item, live = self._item, self._plan.live
        self._begun = item.clock()
        self._keyed = [(action.key, action) for action in self._plan.changes]
        self._known = set(live.entries) | set(live.unreadable) | {key for key, _action in self._keyed}
        semantics = item.planning.route.semantics
        backward = any(action.moved[0] == BACKWARD or action.after is None for action in self._plan.changes)
        self._store = semantics.own_position(backward)
        try:
            self._ends = semantics.ends([action.partition for action in self._plan.changes if action.after is not None])
        except errors.ConnectError:
            self._ends = {}  # a verdict can do without

    def look_at_state(self) -> None:
        """The first half of a look: of all connectors before the offsets of the first one, as workers tell the states of all at once."""
        item, self._looked = self._item, self._item.clock()
        try:
            found = item.ready.lifecycle.read()
        except errors.ConnectError as error:
            self._unread = error.message
            return
        item.result["connector"] = found.result()
        self._halted = found.state in (PAUSED, STOPPED)  # by somebody else
        if found.failed:
            item.ending.failed_while_watched(found, self._looked - self._begun)

    def look(self):
        """The second half. Seconds to wait before the next look; None: it is over, and the item has its next phase, or its end."""
        passed = self._item.clock() - self._begun
        if passed < self._seconds + _LONGEST_PAUSE:  # of many, the looks at those before this one may have taken long
            try:
                self._read()
            except errors.ConnectError as error:
                self._unread = error.message
        is_over = self._looked - self._begun >= self._seconds or self._halted or bool(INTERRUPTS.came)
        judgement = judge(self._seen(), list(self._appeared.values()), self._plan.live.kind, self._store, is_over)
        if judgement is None:
            return self._next_pause()
        self._end(judgement)
        return None

    def _next_pause(self) -> float:
        pause = max(self._pause, _OPERATORS_PAUSE if self._item.store.method == STRIMZI else 0)
        self._pause = min(self._pause * 1.5, _LONGEST_PAUSE)
        return max(min(pause, self._begun + self._seconds - self._item.clock()), 0.05)

    def _read(self) -> None:
        live = self._item.store.read()
        self._unread = None
        for key, action in self._keyed:
            if key in self._first or key in live.unreadable:
                continue
            now = live.entries[key].offset if key in live.entries else None
            if now is None and action.after is not None:
                self._first[key] = GONE
            elif now is not None and moves_on(action, now):
                self._first[key] = now
        self._appeared.update((key, entry.partition) for key, entry in live.entries.items() if key not in self._known)

    def _seen(self) -> list:
        return [Seen(action, self._first.get(key, NOTHING), self._ends.get(key)) for key, action in self._keyed]

    def _end(self, judgement) -> None:
        item, seconds = self._item, self._item.clock() - self._begun
        is_cut_short = self._unread is not None or self._looked - self._begun < self._seconds
        if is_cut_short and all(one.first == NOTHING for one in judgement.seen):
            judgement = judgement._replace(verdict=CANNOT_TELL)
        item.result["position"] = result(judgement, seconds, item.max_entries)
        if self._unread is not None:
            item.access.warn("It could not be checked whether %s continues from the declared offsets. %s" % (item.name, self._unread))
        if judgement.verdict not in BAD:
            return item.ending.end(None)
        text = sentence(item.name, judgement, self._store, seconds)
        if self._check == WARN:
            item.access.warn(text)
            return item.ending.end(None)
        return item.ending.end(errors.StateError("The offsets were changed as declared. " + text, **as_facts(item.result)))
