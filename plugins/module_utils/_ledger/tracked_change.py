# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A change that has a name is made once, and can be undone: what one run tells the ledger, and learns from it.

look() or look_back() -> begin() -> writing() -> written() -> done(), or give_up() after a failure. Every one of these is a
compare-and-set, so that of two runs at the same time one goes on. The other waits until the first one is done or shows no
sign of life any more, and then finds the change made, or finishes it. What was there before is noted right before the first
write, and kept whoever finishes.
"""

from __future__ import annotations

import getpass
import os
import socket
import time
from datetime import datetime, timezone

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connector_config import MARKER
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import record as ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import APPLIED, RESTORED, STARTED, Change
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.run_id import is_gone, this_run

#: seconds without a sign of life after which another run counts as dead
LEASE = 20.0
#: seconds between our own signs of life
_BEAT = 5.0
#: seconds after which nobody waits for a sign: more than clocks differ
_LONG_AGO = 600.0
_PAUSE = 0.5

#: what look() finds
TODO, DONE, UNDONE = "todo", "done", "undone"


class LeaseLost(ledger.ConcurrentUpdate):
    """Another run took this one for dead. Nothing may be written any more, nor put back."""


class UntrackedChange:
    """A change without a name: nobody remembers it, so every run makes it. It has the methods of TrackedChange."""

    named = undo = finishes = False
    change = state_to_restore = where = None

    def __init__(self):
        self.warnings = []

    def ignored(self, *wanted, **facts) -> None:
        """There is nobody to tell."""

    def missing_acls(self, check_mode: bool) -> list:
        """Nothing is written."""
        return []

    begin = writing = heartbeat = written = done = later = give_up = close = ignored


class TrackedChange:
    """One change of one connector, by its id."""

    named = True

    def __init__(self, kept, connector: str, change_id: str, requested_by=None, undo=False, force=False, sleep=time.sleep,
                 clock=time.monotonic, run=None, marked=None):
        """kept: a Ledger. marked: gives the changes that the connector's configuration still holds (see _ledger.marker), or None.
        undo: put back what the change has replaced. force: even if others were made since."""
        self.ledger = kept
        self.connector = connector
        self.change_id = ledger.check_id(change_id)
        self.undo = undo
        self.force = force
        self._warnings = []
        #: the change as it was last written or read; None: not known to the ledger
        self.change = None
        self._requested_by = requested_by
        self._sleep = sleep
        self._clock = clock
        self._run = run or this_run()
        self._marked = marked
        self._held_before = None
        #: all of the connector's, as they were read last
        self._changes = []
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
        """No sign of life is given any more."""
        self._touched = None
        self.ledger.close(self.connector)

    def missing_acls(self, check_mode: bool) -> list:
        """The rights that the user certainly lacks to tell the ledger (see _kafka.acl). To be asked after look() or lookup_for_undo()."""
        return self.ledger.missing_acls(check_mode)

    # ---- before ----------------------------------------------------------------------------------------------

    def look(self, digest: str, check_mode: bool) -> str:
        """TODO, DONE or UNDONE. Raises DeclarationError where the id stands for another declaration."""
        self._await_others(check_mode)
        change = self.change
        if change is None or change.before is None:
            return TODO
        if change.digest != digest:
            raise errors.DeclarationError(
                "The change %s of %s was %s on %s, and meant something else than what is declared now. An id stands for one change: use "
                "a new one." % (self.change_id, self.connector, change.phase, change.times[change.phase]),
                change=ledger.result(change))
        return {STARTED: TODO, APPLIED: DONE, RESTORED: UNDONE}[change.phase]

    def lookup_for_undo(self, check_mode: bool) -> str:
        """TODO if there is something to put back, else UNDONE. Raises DeclarationError for an unknown id, StateError after later changes."""
        self._await_others(check_mode)
        change = self.change
        if change is None:
            known = [one.change_id for one in self._changes][-10:]
            raise errors.DeclarationError("The ledger (%s) has no change %s of %s; it has %s." % (
                self.ledger.where, self.change_id, self.connector, ", ".join(known) or "none of this connector"))
        if change.phase == RESTORED or change.before is None:
            return UNDONE
        since = ledger.later(self._changes, change)
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
        return self.change.state_to_restore if self.change is not None else None

    def _await_others(self, check_mode) -> None:
        """Until no run is at work on this change that shows signs of life; reads it."""
        self.change = self._read(check_mode)
        seen, since = self.change, self._clock()
        while self._is_at_work(self.change):
            if check_mode:
                self._warn("Another run is at work on the change %s of %s." % (self.change_id, self.connector))
                return
            if not ledger.same(self.change, seen):
                seen, since = self.change, self._clock()
            if self._clock() - since > LEASE:
                break
            self._sleep(_PAUSE)
            self.change = self._read(check_mode)
        if self.finishes:
            self._warn("The change %s of %s was begun on %s by a run that did not end; it is %s now." % (
                self.change_id, self.connector, self.change.times[STARTED], "undone" if self.undo else "finished"))

    def _is_at_work(self, change) -> bool:
        return change is not None and change.busy and change.run != self._run and not is_gone(change.run) and _age(change) < _LONG_AGO

    def _read(self, check_mode):
        self._changes = self.ledger.changes(self.connector)
        self._take_over(check_mode)
        return next((one for one in self._changes if one.change_id == self.change_id), None)

    def _take_over(self, check_mode) -> None:
        """What only the marker of an earlier release knows is a part of the ledger from now on."""
        if self._held_before is None:
            self._held_before = self._marked() if self._marked else []
        marked = self._held_before
        if marked:
            self._warn("The configuration of %s holds the marker of changes of an earlier release under %s: %s. The ledger (%s) takes over what it does "
                       "not have; the key is no longer used, and can be removed." % (
                           self.connector, MARKER, ", ".join(one.change_id for one in marked), self.ledger.where))
        known = {one.change_id for one in self._changes}
        new = [one for one in marked if one.change_id not in known]
        for one in new if not check_mode else []:
            self.ledger.put(one, None)
        self._changes = new + self._changes

    # ---- on the way ------------------------------------------------------------------------------------------

    def begin(self, digest: str, state_to_restore, **facts) -> None:
        """Before anything is stopped or written. state_to_restore: what the connector will have to be put back to.

        facts: method, offset_topic, cluster, kind. Raises ConcurrentUpdate.
        """
        known = self.change
        self._touched = None
        if known is not None and (known.before is not None or self.undo):  # finish it, or undo it
            sequence = known.sequence if self.undo else ledger.next_sequence(self._changes)
            return self._put(known._replace(busy=True, state_to_restore=state_to_restore, sequence=sequence))
        self._put(Change(
            self.connector, self.change_id, digest, STARTED, known.revision if known else 0, self._run, {STARTED: ledger.now()}, self._who(),
            state_to_restore=state_to_restore, before=None, after=None, records=None, busy=True,
            sequence=ledger.next_sequence(self._changes), **facts))

    def writing(self, before, after, records) -> None:
        """Right before the first write, with what it replaces: lists of pairs, and records (see Change). Raises LeaseLost."""
        if self.change.before is None:
            self._put_own(self.change._replace(before=before, after=after, records=records))
        else:
            self._put_own(self.change)

    def heartbeat(self) -> None:
        """A sign of life, if the last one is a while ago. Raises LeaseLost."""
        if self._touched is not None and self._clock() - self._touched > _BEAT:
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

    def done(self) -> None:
        """The connector's state is back, too."""
        if self.change.busy or self.change.state_to_restore is not None:
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
            change = change._replace(before=None, after=None, records=None)
        self._put_own(change)
        self._touched = None

    def _put_own(self, change) -> None:
        try:
            self._put(change)
        except ledger.ConcurrentUpdate as taken:
            error = LeaseLost(taken.change)
            raise error.also("It took this one for dead, which did not get on for %g s; this one changes nothing any more." % LEASE)

    def _put(self, change) -> None:
        change = change._replace(revision=change.revision + 1, run=self._run, times=dict(change.times, written=ledger.now()))
        if self._touched is None:
            self._first = self.change is None or self.change.before is None
        self.ledger.put(change, self.change)
        self.change = change
        self._touched = self._clock()

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


def _age(change) -> float:
    """Seconds since it was written, by the clocks of two machines."""
    text = change.times.get("written") or change.times[STARTED]
    try:
        written = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return 0.0
    return (datetime.now(timezone.utc) - written).total_seconds()
