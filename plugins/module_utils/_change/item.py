# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The change of one connector's offsets, phase by phase. The engine (see _change.engine) takes many of them through the phases together.

Every phase is a plain method; ``next`` says which one is due. An error goes to ``ending``: what it must undo follows from what was done so far.
"""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import backups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import FOUND, LATER
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.ending import Ending
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.ledger_entry import LedgerEntry
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.phases import (
    BEGIN,
    END,
    HALTED,
    PREPARE,
    RESTORE_STATE,
    STOP,
    TRIED,
    WATCH,
    WRITE,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.planning import Planning
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.preconditions import Preconditions
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.rollback import Rollback
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.states import States
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.undo import Replaced, Undo
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.watching import NO, Watching
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.writing import DONE as CONFIRMED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.writing import SEND, Writing
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import PAUSED, RUNNING, STOPPED, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import change_result
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import denied
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import ConcurrentUpdate
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import LeaseLost, UntrackedChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import GROUP, Access

#: how often we look again when another run begins the same change at the same moment
_AT_ONCE = 5


class ChangeItem:
    """One connector's change: what is wanted, what was found, which phase is next."""

    def __init__(self, client, name: str, desired: DesiredOffsets, router=None, stop=False, backup=None, assume_stopped=False,
                 wait_timeout=120, max_entries=1000, once=None, final_state=FOUND, roll_back=None, rolls_back=False,
                 had_failed=False, settle=0, check_position=NO, check_position_timeout=0, sleep=time.sleep, clock=time.monotonic):
        """client: ConnectClient, or None to work without a worker, on the offsets topic or a consumer group. router: by default REST alone.
        stop: stop the connector for the change and put back the state found. backup: path of the document to write before the first write, or None.
        assume_stopped: nothing runs the connector; needed without a worker to ask.
        wait_timeout: seconds for each wait. max_entries: how many partitions the result may list; 0 for all.
        once: the TrackedChange, or None. final_state: FOUND, LATER or LEAVE, of one that is stopped for the change; or RUNNING, PAUSED or STOPPED, brought
        about whether its offsets were changed or not. settle: seconds after which a change is looked at again, before the connector's state is put back.
        check_position: whether it is watched once it runs again, for check_position_timeout seconds (see _change.watching).
        desired: None to undo what ``once`` names. roll_back(item): the ChangeItem that undoes this one, for a connector that fails after the change;
        or None, then it is left as it is. rolls_back: this is such an item; had_failed: whether the connector had failed before the change.
        """
        self.router = router or Router(Access(client, name, sleep=sleep))
        self.access = self.router.access
        self.name = name
        self.backup = backup
        self.wait_timeout = wait_timeout
        self.max_entries = max_entries
        self.once = once or UntrackedChange()
        self.final_state = final_state
        self.settle = settle
        self.pause = sleep
        self.clock = clock
        lifecycle = Lifecycle(client, name, wait_timeout, self.sleep, clock)
        self.warnings = self.access.warnings = self.once.warnings = lifecycle.warnings
        self.ready = Preconditions(client, name, self.router, lifecycle, stop, assume_stopped, self.sleep, clock)
        self.states = States(name, lifecycle, final_state if final_state in (RUNNING, PAUSED, STOPPED) else None, had_failed)
        self.entry = LedgerEntry(self.once, self.access, keeps_state=final_state in (FOUND, LATER))
        self.undo = Undo(self, roll_back)
        self.ending = Ending(self)
        self.watching = Watching(self, check_position, check_position_timeout)
        self.planning = Planning(desired, self.router, self.once, rolls_back)
        #: whatever is read next is read anew
        self.renew = lambda: None
        self.found = None
        self.next = PREPARE
        #: what the module returns, and what made it fail
        self.result = self.error = None
        self.writing = self.rollback = None
        self.wait = 0
        self._backed_up = False
        #: the Connector as it is while its offsets are written
        self.stopped = None
        #: how the connector came to stand still: HALTED, TRIED, or None as long as nobody knows
        self.course = None
        #: for the ledger, should this fail: are the offsets as they were?
        self.offsets_back = True
        self.only_predicts = False
        self.rolls_back = rolls_back
        #: whether the change is made, and only the final state may be missing
        self.is_made = False
        #: it waits for the connector to stop: only the state is to be put back
        self.may_be_given_up = False

    @property
    def store(self):
        return self.planning.route.store

    @property
    def plan(self):
        return self.planning.route.plan

    @property
    def stopped_here(self) -> bool:
        """By this run, for the change."""
        return self.ready.is_stopped_here

    def sleep(self, seconds: float) -> None:
        """Also a sign of life for others who want to make the same change."""
        self.pause(seconds)
        self.once.heartbeat()
        if self.may_be_given_up and not self.rolls_back:
            INTERRUPTS.check()

    # ---- prepare: everything that can be known before the first write ----------------------------------------

    def prepare(self, check_mode: bool) -> None:
        planning = self.planning
        self.states.check_final(self.access, self.rolls_back)
        found = self.found = self.ready.find(planning.desired)
        is_halted = found is not None and self.states.is_halted(found)
        if self.once.named or self.once.is_recorded and is_halted:  # a run that did not end may have left it so
            self.entry.over = planning.look_up(found, check_mode, self.entry.is_here if is_halted else None)
            found = self.found = self.ready.find(planning.desired)  # another run may have been waited for
        self.next = BEGIN
        if self.entry.is_over:
            return planning.look(found)
        planning.check_document(found)
        try:
            plan = planning.make(found)
        except errors.NoConnector:
            if found is None or not self.access.topic_is_open:
                raise
            self.ready.exists, self.found, found = False, None, None  # deleted a moment ago: its status is still there
            plan = planning.make(found)
        self.warnings.extend(plan.warnings + self.store.warnings_about(plan.live))
        if not plan.changed:
            self.ready.warn_misspelt(plan.live)
            return self._check_acls(self.once.missing_acls(check_mode))
        self.found = self.ready.check(found, planning.route, planning.declared)
        self._check_acls(self.store.missing_acls(plan) + self.once.missing_acls(check_mode))
        if self.backup:
            backups.check(self.backup)
        if self.states.final_state not in (STOPPED, PAUSED):
            planning.warn_repeat(self.found)
        return None

    def predict(self) -> None:
        """The end of check mode."""
        self.only_predicts = True
        self.next = END
        self.result = self._result(self.plan, self.found)
        if self.entry.is_over:
            self.entry.note_over(self.result, self.plan.live)
        if self.entry.is_over or not self.plan.changed:
            self._settle_state(check_mode=True)
        else:
            self.planning.warn_delivered_again()

    def _check_acls(self, missing) -> None:
        """One that is missing would show only when the connector is stopped. Raises BrokerDenied."""
        if missing:
            raise denied(self.name, missing)

    # ---- the ledger ------------------------------------------------------------------------------------------

    def _begin_entry(self, found, state_to_restore=None) -> None:
        if not self.once.is_recorded:
            return
        if found is None or self.states.is_halted(found):  # by a run that did not end
            state_to_restore = self.once.state_to_restore or state_to_restore
        self.states.is_back = state_to_restore is None
        self.entry.begin(self.planning.route, self.planning.kind(found), lambda: self.planning.digest(found), state_to_restore)

    # ---- begin: the ledger knows of it, and it is decided whether the connector has to be stopped ------------

    def begin(self) -> None:
        for attempt in range(_AT_ONCE):
            try:
                return self._begin()
            except LeaseLost:
                raise
            except ConcurrentUpdate:
                if attempt + 1 == _AT_ONCE:
                    raise
                del self.warnings[:]
                self.renew()
                self.prepare(False)

    def _begin(self) -> None:
        found = self.found
        if self.entry.is_over:
            return self._end_over(found)
        if not self.plan.changed:
            return self._end_unchanged(found)
        if found is None or found.stopped or self.ready.never_ran(found, self.store) or (
                self.ready.is_old_sink(found, self.store) and not self.ready.stop):
            if (not self.store.has_server_guard or self.store.method == GROUP) and self.store.read() is not self.plan.live:
                self.planning.make(found)  # a task that was waited for has committed once more
            if not self.plan.changed:
                return self._end_unchanged(found)
            self._begin_entry(found)
            self.course = HALTED
            return self._begin_writing(found)
        self._begin_entry(found, found.state if self.ready.stop else None)
        if found.idle and self.store.has_server_guard:
            self.course = TRIED
            return self._begin_writing(found)
        self.next = STOP

    def _end_over(self, found) -> None:
        self.entry.finish_undo(lambda: self._begin_entry(found))
        self.result = self._result(self.plan, found)
        self.entry.note_over(self.result, self.plan.live)
        self._settle_state()

    def _end_unchanged(self, found) -> None:
        if self.once.named or self.once.change is not None:
            self._begin_entry(found)
            self.entry.unwritten()
        self.result = self._result(self.plan, found)
        self._settle_state()

    def _settle_state(self, check_mode=False) -> None:
        """The connector may still have to be put back to the state that an earlier run of this change, which did not end, has found."""
        due, self.next, self.course = self.once.state_to_restore, END, None
        if due is not None and self.final_state == LATER:
            if not check_mode:
                self.once.later()
        elif due is not None and self.found is not None and self.final_state == FOUND and self.states.is_halted(self.found):
            self.access.warn("%s is %s for the change %s since an earlier run; it is restored to %s." % (
                self.name, self.found.state, self.once.owing, due))
            self.result["changed"] = True
            self.states.due, self.next = due, END if check_mode else RESTORE_STATE
        elif not check_mode:
            self.entry.end()
        self.result.update(self.entry.changes(self.max_entries))

    # ---- stop ------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """The engine has sent the requests of all connectors already, if there are several."""
        self.ready.is_stopped_here = True
        self.course, self.states.is_back = None, False
        self.states.found = self.once.state_to_restore or self.found.state
        self.may_be_given_up = True
        self.stopped = self.ready.halt(self.found, self.store)
        self.ready.await_free(self.planning.route)

    def replan(self) -> None:
        """A task may have committed when it was stopped."""
        self.may_be_given_up = False
        self.planning.make(self.stopped)
        if self.plan.changed:
            return self._begin_writing(self.stopped)
        self._write_entry()
        self._end_change(self._result(self.plan, self.stopped))

    # ---- write -----------------------------------------------------------------------------------------------

    def _begin_writing(self, stopped) -> None:
        self.next = WRITE
        self.stopped = stopped
        if not self.backup and self.store.recreates(self.plan):
            self.backup = backups.default_path(self.name)
        if self.backup and not self._backed_up:
            try:
                backups.write(self.backup, [self.plan.live], self.access.cluster(), self.store.method, **self._plugins(stopped))
            except errors.ConnectError as error:
                raise error.also("The offsets are as they were.")
            self._backed_up = True
        self.planning.warn_delivered_again()
        before, after = self.plan.sides()
        records = self.store.before_records(self.plan)
        self.store.finishes = self.once.finishes
        self.once.writing(before, after, records)
        self.undo.replaced = Replaced(before, records)
        self.rollback = Rollback(self, self.plan)
        self.writing = Writing(self, self.plan)

    def _plugins(self, found) -> dict:
        """Class and version for the header of a document."""
        plugin = self.planning.plugin(found)
        return {"plugins": {self.name: plugin}} if plugin else {}

    @property
    def is_to_send(self) -> bool:
        return self.next == WRITE and self.writing.stage == SEND

    def look(self) -> None:
        """After a write; then ``wait`` seconds have to pass before the next look or write."""
        self.wait = self.writing.look() or 0
        if self.writing.stage == CONFIRMED:
            self._confirmed()

    def _confirmed(self) -> None:
        self.offsets_back = False
        plan, self.writing = self.writing.first_plan, None
        try:
            self.ready.check_still(self.stopped, self.store)
        except errors.ConnectError as error:
            error.facts.update(changed=True, backup_file=self.backup)
            raise
        self._write_entry()
        self.watching.note(plan)
        self.result = self._result(plan, self.stopped)
        if self.stopped_here:
            self._end_change(self.result)
        else:
            self._settle_state()

    def _write_entry(self) -> None:
        """Raises LedgerWriteFailed, after which the connector must not run on."""
        self.entry.written(self.states.found, self.rolls_back, self._change_facts)

    @property
    def _change_facts(self) -> dict:
        return {"changed": not self.offsets_back, "backup_file": self.backup}

    def not_recorded(self, error, at_the_end: bool) -> None:
        """What was written into the ledger in this phase may not outlive a crash of the machine: that counts as if it had failed. at_the_end: nothing is
        left to do.
        """
        if self.error is not None:
            return
        if at_the_end:
            self.entry.end_not_recorded(error)
            return
        self.entry.not_recorded(error, not self.offsets_back, self.rolls_back, self._change_facts)
        if self.result is not None:
            self.result.update(self.entry.changes(self.max_entries))

    def _end_change(self, result) -> None:
        """Of a connector that was stopped for it."""
        self.result = dict(result, state_before=self.states.found)
        if self.final_state == FOUND:
            self.states.due, self.next = self.states.found, RESTORE_STATE
            return
        self.next = END
        try:
            self.once.later()
        except errors.ConnectError as error:
            self.ending.end(error)

    # ---- watch -----------------------------------------------------------------------------------------------

    def begin_watching(self) -> None:
        self.next, self.is_made, self.wait = WATCH, True, 0
        self.states.had_failed = self.states.had_failed or self.states.final_state is None and self.found.failed
        self.watching.begin()

    def watch(self) -> None:
        """After watching.look_at_state(). Then ``wait`` seconds have to pass before the next look."""
        self.wait = self.watching.look() or 0

    # ---- the end ---------------------------------------------------------------------------------------------

    def close(self) -> None:
        """The offsets are settled, the final state or a rollback may follow. The ledger learns of a failure. To be called once."""
        self.entry.close(self.error, self.offsets_back, self.states.is_back)

    def _result(self, plan, connector) -> dict:
        result = dict(change_result(plan, self.store.method, self.max_entries), **self.access.result(self.store), method_reason=self.planning.route.reason)
        result["connector"] = connector.result() if connector else None
        result["connector_exists"] = self.ready.exists
        result["backup_file"] = self.backup if plan.changed else None
        result["state_before"] = self.once.state_to_restore or (connector.state if connector else None)
        result["already_applied"] = False
        result["position"] = None
        result["declared"] = self.planning.in_numbers(self.found, self.entry.is_over, self.max_entries)
        result["warnings"] = self.warnings
        return dict(result, **self.entry.changes(self.max_entries))
