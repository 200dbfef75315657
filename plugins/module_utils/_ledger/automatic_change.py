# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A change that was given no change_id: it is recorded under one that is made for it, so that it can be undone, and that a run which was killed is seen.

Whether there is something to do is decided by what is live. The ledger is opened when a change begins, or when a connector is found stopped, which
an earlier run may have left so. What is wrong with the ledger never fails the change.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import record
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import TODO, TrackedChange, UntrackedChange


class AutomaticChange:
    """It has the methods of TrackedChange."""

    named, is_recorded, undo = False, True, False

    def __init__(self, open_ledger, connector: str, change_id: str, requested_by=None, **options):
        """open_ledger(): the Ledger. change_id: one that was made. options: sleep, clock, run, marked, waits of TrackedChange."""
        self._open = lambda: _Made(open_ledger(), connector, change_id, requested_by, **options)
        #: TrackedChange once there is a ledger; UntrackedChange before, and when it cannot be written to
        self._tracked, self._is_open = UntrackedChange(), False
        self._connector = connector

    @property
    def warnings(self) -> list:
        return self._tracked.warnings

    @warnings.setter
    def warnings(self, found) -> None:
        self._tracked.warnings = found

    @property
    def change(self):
        return self._tracked.change

    @property
    def change_id(self):
        """None as long as nothing is recorded."""
        return self.change.change_id if self.change is not None else None

    @property
    def where(self):
        return self._tracked.where if self.change is not None else None

    @property
    def finishes(self) -> bool:
        return self._tracked.finishes

    @property
    def state_to_restore(self):
        return self._tracked.state_to_restore

    @property
    def owing(self) -> str:
        return self._tracked.owing

    def look(self, digest: str, check_mode: bool, is_due=None) -> str:
        """Of a connector that is stopped: TODO. Finds what an earlier run has left unfinished."""
        self._look(digest, check_mode, is_due)
        return TODO

    def missing_acls(self, check_mode: bool) -> list:
        """Without them it is not recorded."""
        return []

    def begin(self, digest: str, state_to_restore, **facts) -> None:
        """Raises ConcurrentUpdate also where another run had to be waited for: what is live may be different now."""
        if not self._is_open:
            self._look(digest, False, None)
            if self._tracked.waited_for is not None:
                raise record.ConcurrentUpdate(self._tracked.waited_for)
        self._safely(lambda tracked: tracked.begin(digest, state_to_restore, **facts))

    def writing(self, before, after, records) -> None:
        self._safely(lambda tracked: tracked.writing(before, after, records))

    def heartbeat(self) -> None:
        self._safely(lambda tracked: tracked.heartbeat())

    def written(self, state_to_restore=None) -> None:
        if self.change is not None:
            self._safely(lambda tracked: tracked.written(state_to_restore))

    def not_recorded(self, error) -> None:
        self._safely(lambda tracked: tracked.not_recorded(error))

    def done(self) -> None:
        self._safely(lambda tracked: tracked.done())

    def later(self) -> None:
        self._safely(lambda tracked: tracked.later())

    def give_up(self, offsets_back: bool, state_back: bool) -> None:
        self._safely(lambda tracked: tracked.give_up(offsets_back, state_back))

    def close(self) -> None:
        self._tracked.close()

    def _look(self, digest, check_mode, is_due) -> None:
        def look(tracked):
            if not self._is_open:
                self._is_open = True
                self._replace(self._open())
            self._tracked.look(digest, check_mode, is_due)

        self._safely(look)

    def _safely(self, step) -> None:
        """step(TrackedChange). Raises ConcurrentUpdate."""
        try:
            step(self._tracked)
        except record.ConcurrentUpdate:
            raise
        except ConnectError as error:
            self._replace(UntrackedChange())
            text = "This change of %s is not recorded, so that it cannot be undone by state: restored. %s" % (self._connector, error.message)
            if text not in self.warnings:
                self.warnings.append(text)

    def _replace(self, tracked) -> None:
        tracked.warnings, self._tracked = self.warnings, tracked


class _Made(TrackedChange):
    """Of a connector that is still as an earlier run has left it, which was killed while it made the same change, the id of that is used on."""

    def _choose(self, digest, is_due) -> None:
        for one in self._known.unfinished(None):
            if record.is_automatic(one.change_id) and one.digest == digest and is_due and is_due(one) and not record.later(self._known.all, one):
                self.change_id = one.change_id
                if one.before is None:
                    self._warn("The change %s of %s was begun on %s by a run that did not end; this one makes it." % (
                        one.change_id, self.connector, one.times[record.STARTED]))

    def _as_never_written(self, change):
        """It is not begun again."""
        return change._replace(phase=record.RESTORED, times=dict(change.times, restored=record.now()))
