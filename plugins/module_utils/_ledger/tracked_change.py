# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A change that has a name is made once, and can be undone: what one run tells the ledger, and learns from it.

look() or lookup_for_undo() -> begin() -> writing() -> written() -> done(), or give_up() after a failure. Every one of these is a
compare-and-set, so that of two runs at the same time one goes on. The other waits until the first one is done or gives no
heartbeat any more, and then finds the change made, or finishes it. What was there before is noted right before the first
write, and kept whoever finishes. A change of another id that was left unfinished is reported, and the state that it owes the
connector becomes due with this change.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import socket
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import record as ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.connector_changes import LEASE, ConnectorChanges
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import APPLIED, RESTORED, STARTED, Change
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.run_id import this_run

#: seconds between our own heartbeats
_HEARTBEAT = 5.0

#: what look() finds
TODO, DONE, UNDONE = "todo", "done", "undone"


_UNFINISHED = "The change %s of %s was begun on %s by a run that did not come to its end. What it replaced is in the ledger (%s): state: restored with " \
              "change_id: %s puts it back."
_NOT_WRITTEN = "The change %s of %s was begun on %s by a run that did not come to its end. It had written no offset."


class LeaseLost(ledger.ConcurrentUpdate):
    """Another run has taken over, as this one gave no heartbeat. Nothing may be written any more, nor put back."""


class UntrackedChange:
    """A change that no ledger remembers. It has the methods of TrackedChange."""

    named = is_recorded = undo = finishes = False
    change = change_id = state_to_restore = where = waited_for = None

    def __init__(self):
        self.warnings = []

    def look(self, digest: str, check_mode: bool, is_due=None) -> str:
        """Nothing is known."""
        return TODO

    def ignored(self, *wanted, **facts) -> None:
        """Nothing is recorded."""

    def missing_acls(self, check_mode: bool) -> list:
        """Nothing is written."""
        return []

    begin = writing = heartbeat = written = not_recorded = done = later = give_up = close = ignored


class TrackedChange:
    """One change of one connector, by its id."""

    named = is_recorded = True

    def __init__(self, kept, connector: str, change_id: str, requested_by=None, undo=False, force=False, sleep=time.sleep,
                 clock=time.monotonic, run=None, marked=None, waits=None):
        """kept: a Ledger. marked: gives the changes that the connector's configuration still holds (see _ledger.marker), or None.
        undo: put back what the change has replaced. force: even if others were made since. waits: of all that are changed together, see ConnectorChanges."""
        self.ledger = kept
        self.connector = connector
        self.change_id = ledger.check_id(change_id)
        self.undo = undo
        self.force = force
        self._warnings = []
        #: the change as it was last written or read; None: not known to the ledger
        self.change = None
        self._requested_by = requested_by
        self._clock = clock
        self._run = run or this_run()
        #: all changes of the connector
        self._known = ConnectorChanges(kept, connector, change_id, self._run, marked, self._warn, sleep, clock, waits)
        #: those of other ids that were left unfinished; the one of them whose state is due, or None
        self._unfinished, self._owing = [], None
        #: the change of another run that look() had to wait for, or None
        self.waited_for = None
        #: whether nothing had been written under this id before this run
        self._first = True
        #: when this run has told the ledger something last; None before it has begun
        self._touched = None

    @property
    def warnings(self) -> list:
        """What the user should know; may be replaced by the list to add to."""
        return self._warnings

    @warnings.setter
    def warnings(self, found) -> None:
        self._warnings = self.ledger.warnings = found

    @property
    def where(self) -> str:
        return self.ledger.where

    def close(self) -> None:
        """No heartbeat is given any more."""
        self._touched = None
        self.ledger.close(self.connector)

    def missing_acls(self, check_mode: bool) -> list:
        """The rights that the user certainly lacks to tell the ledger (see _kafka.acl). To be asked after look() or lookup_for_undo()."""
        return self.ledger.missing_acls(check_mode)

    # ---- before ----------------------------------------------------------------------------------------------

    def look(self, digest: str, check_mode: bool, is_due=None) -> str:
        """TODO, DONE or UNDONE. Raises DeclarationError where the id stands for another declaration.

        is_due(change): is the connector stopped, and is it the one of that change? None: no.
        """
        self._await_others(check_mode, is_due, digest)
        change = self.change
        if change is None or change.before is None:
            return TODO
        if change.digest != digest:
            raise errors.DeclarationError(
                "The change %s of %s was %s on %s, and meant something else than what is declared now. An id stands for one change: use "
                "a new one." % (self.change_id, self.connector, change.phase, change.times[change.phase]),
                change=ledger.result(change))
        return {STARTED: TODO, APPLIED: DONE, RESTORED: UNDONE}[change.phase]

    def lookup_for_undo(self, check_mode: bool, is_due=None) -> str:
        """TODO if there is something to put back, else UNDONE. Raises DeclarationError for an unknown id, StateError after later changes."""
        self._await_others(check_mode, is_due)
        change = self.change
        if change is None:
            known = [one.change_id for one in self._known.all][-10:]
            raise errors.DeclarationError("The ledger (%s) has no change %s of %s; it has %s." % (
                self.ledger.where, self.change_id, self.connector, ", ".join(known) or "none of this connector"))
        if change.phase == RESTORED or change.before is None:
            return UNDONE
        since = ledger.later(self._known.all, change)
        if since and not self.force:
            raise errors.StateError(
                "%s was changed by %s since %s was made. Restore that one first, or use force: true to overwrite it." % (
                    self.connector, ", ".join(one.change_id for one in since), self.change_id))
        return TODO

    @property
    def finishes(self) -> bool:
        """Whether an earlier run may have written already."""
        return self.change is not None and self.change.phase == STARTED and self.change.before is not None

    @property
    def state_to_restore(self):
        """What the connector has to be put back to, None for nothing."""
        own = self.change.state_to_restore if self.change is not None else None
        return own if own is not None or self._owing is None else self._owing.state_to_restore

    @property
    def owing(self) -> str:
        """The id of the change for which that is due."""
        return self.change_id if self._owing is None else self._owing.change_id

    def _await_others(self, check_mode, is_due, digest=None) -> None:
        """Until no run is at work on this connector that gives a heartbeat; reads its changes."""
        self.waited_for = self._known.wait(check_mode)
        self._choose(digest, is_due)
        self.change = self._known.change(self.change_id)
        if self.finishes:
            self._warn("The change %s of %s was begun on %s by a run that did not end; it is %s now." % (
                self.change_id, self.connector, self.change.times[STARTED], "undone" if self.undo else "finished"))
        self._unfinished, self._owing = self._known.unfinished(self.change_id), None
        for one in self._unfinished:
            self._warn(_UNFINISHED % (one.change_id, self.connector, one.times[STARTED], self.ledger.where, one.change_id) if one.before else
                       _NOT_WRITTEN % (one.change_id, self.connector, one.times[STARTED]))
            if one.state_to_restore is not None and is_due is not None and is_due(one):
                self._owing = one

    def _choose(self, digest, is_due) -> None:
        """The id is given."""

    def _take_over_unfinished(self) -> None:
        """What was due for them is due for this change, or done."""
        unfinished, self._unfinished, self._owing = self._unfinished, [], None
        for one in unfinished:
            with contextlib.suppress(ledger.ConcurrentUpdate):  # another run has done it
                self.ledger.put(self._mine(one._replace(busy=False, state_to_restore=None)), one)

    # ---- on the way ------------------------------------------------------------------------------------------

    def begin(self, digest: str, state_to_restore, **facts) -> None:
        """Before anything is stopped or written. state_to_restore: what the connector will have to be put back to.

        facts: method, offset_topic, cluster, kind. Raises ConcurrentUpdate.
        """
        self._begin(digest, state_to_restore, facts)
        self._take_over_unfinished()

    def _begin(self, digest, state_to_restore, facts) -> None:
        known = self.change
        self._touched = None
        if known is not None and (known.before is not None or self.undo):  # finish it, or undo it
            sequence = known.sequence if self.undo else ledger.next_sequence(self._known.all)
            return self._put(known._replace(busy=True, state_to_restore=state_to_restore, sequence=sequence))
        self._put(Change(
            self.connector, self.change_id, digest, STARTED, known.revision if known else 0, self._run, {STARTED: ledger.now()}, self._who(),
            state_to_restore=state_to_restore, before=None, after=None, records=None, busy=True,
            sequence=ledger.next_sequence(self._known.all), **facts))

    def writing(self, before, after, records) -> None:
        """Right before the first write, with what it replaces: lists of pairs, and records (see Change). Raises LeaseLost."""
        if self.change.before is None:
            self._put_own(self.change._replace(before=before, after=after, records=records))
        else:
            self._put_own(self.change)

    def heartbeat(self) -> None:
        """A heartbeat, if the last one is a while ago. Raises LeaseLost."""
        if self._touched is not None and self._clock() - self._touched > _HEARTBEAT:
            try:
                self._put_own(self.change)
            except LeaseLost:
                raise
            except errors.ConnectError:
                pass  # what has to be written down is written down later, or fails then

    def written(self, state_to_restore=None) -> None:
        """The offsets are as declared, or as they were before; state_to_restore: what the connector is still to be put back to."""
        phase = RESTORED if self.undo else APPLIED
        change = self.change
        if self.undo:
            change = change._replace(who=dict(change.who, **{"restored_" + name: text for name, text in self._who().items()}))
        if change.before is None:
            change = change._replace(before=[], after=[])
        self._put_own(change._replace(phase=phase, times=dict(change.times, **{phase: ledger.now()}), state_to_restore=state_to_restore,
                                      busy=state_to_restore is not None))

    def not_recorded(self, error) -> None:
        """What was written last may not outlive a crash of the machine. error: why. Raises it."""
        raise error

    def done(self) -> None:
        """The connector's state is back, too."""
        self._take_over_unfinished()
        if self.change is not None and (self.change.busy or self.change.state_to_restore is not None):
            try:
                self._put_own(self.change._replace(busy=False, state_to_restore=None))
            except LeaseLost as lost:  # of two runs that had only the state to put back
                if lost.change.phase == STARTED or lost.change.phase != self.change.phase:
                    raise
                self.change = lost.change

    def later(self) -> None:
        """The connector's state is put back by a later run of the same change."""
        if self.change.busy:
            self._put_own(self.change._replace(busy=False))

    def give_up(self, offsets_back: bool, state_back: bool) -> None:
        """After a failure. offsets_back: nothing that this run has written is left; state_back: nor is the connector's state."""
        if self._touched is None:
            return
        change = self.change._replace(busy=False, state_to_restore=None if state_back else self.change.state_to_restore)
        if offsets_back and change.phase == STARTED and self._first:
            change = self._as_never_written(change)
        self._put_own(change)
        self._touched = None

    def _as_never_written(self, change):
        """It can be begun again."""
        return change._replace(before=None, after=None, records=None)

    def _put_own(self, change) -> None:
        try:
            self._put(change)
        except ledger.ConcurrentUpdate as taken:
            error = LeaseLost(taken.change)
            raise error.also("This run had written no heartbeat for %g s, so the other one has taken over. This run changes nothing any more." % LEASE)

    def _put(self, change) -> None:
        change, expired = self._mine(change), ()
        if self._touched is None:
            self._first = self.change is None or self.change.before is None
            expired = ledger.expired(self._known.all, self.change_id)
        self.ledger.put(change, self.change, expired)
        self.change = change
        self._touched = self._clock()

    def _mine(self, change):
        """As a writing of this run."""
        return change._replace(revision=change.revision + 1, run=self._run, times=dict(change.times, written=ledger.now()))

    def _who(self) -> dict:
        """The user and the job, as far as the environment tells (AWX sets JOB_ID and AWX_HOST)."""
        try:
            user = getpass.getuser()
        except (KeyError, OSError, ImportError):  # a user id without a name, as in containers
            user = str(os.getuid())
        who = {"requested_by": self._requested_by, "user": user, "host": socket.gethostname(), "job": os.environ.get("JOB_ID"),
               "job_host": os.environ.get("AWX_HOST")}
        return {name: text for name, text in who.items() if text}

    def _warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)
