# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The change of one connector's offsets, phase by phase. The engine (see _change.engine) takes many of them through the phases together.

Every phase is a plain method; ``next`` says which one is due. An error goes to fail(): what it must undo follows from what was done so far.
"""

from __future__ import annotations

import time
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import backups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.preconditions import Preconditions
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.rollback import Rollback
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import AUTO, GROUP, STRIMZI, Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.writing import DONE as CONFIRMED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.writing import SEND, Writing
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connector_state import state_diff
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import FAILED, PAUSED, RUNNING, STOPPED, UNASSIGNED, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.strimzi_pods import check_pod
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import FORWARD, DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plugin_version import plugin_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import change_result, delivered_again
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import denied
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import RESTORED, ConcurrentUpdate, digest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import result as ledger_result
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import DONE, TODO, UNDONE, LeaseLost, UntrackedChange

#: how often we look again when another run begins the same change at the same moment
_AT_ONCE = 5

#: what becomes of a connector that was stopped for the change: it is put back; later, by a run of the same change; left as it is
PUT_BACK, LATER, LEAVE = "put_back", "put_back_later", "leave"

#: the phase that is due, in order
PREPARE, BEGIN, STOP, WRITE, RESTORE_STATE, FINAL_STATE, ROLL_BACK, END = (
    "prepare", "begin", "stop", "write", "restore_state", "final_state", "roll_back", "end")

#: HALTED: it was stopped already. TRIED: it has no tasks, though it is not known to be stopped: the write comes first, and the stop if Connect refuses
HALTED, TRIED = "halted", "tried"

_AS_DECLARED = ("Its offsets are as declared. To undo the change use state: restored with its change_id, or the backup with src and purge: true, and stop: "
                "true.")

_HIDDEN = "%s was %s when it was found, which hides whether it was meant to run or to be paused; it was started, and is %s."


#: before   pairs {partition, offset} of what was changed; records  of the offsets topic, in the form of the ledger's record, or None
Replaced = namedtuple("Replaced", ["before", "records"])


class _LedgerWriteFailed(errors.ConnectError):
    """The change is made, and the ledger does not say so."""


class ChangeItem:
    """One connector's change: what is wanted, what was found, which phase is next."""

    def __init__(self, client, name: str, desired: DesiredOffsets, router=None, stop=False, backup=None, assume_stopped=False,
                 wait_timeout=120, max_entries=1000, once=None, after_change=PUT_BACK, final_state=None, roll_back=None, rolls_back=False,
                 had_failed=False, settle=0, sleep=time.sleep, clock=time.monotonic):
        """client: ConnectClient, or None to work without a worker, on the offsets topic or a consumer group. router: by default REST alone.
        stop: stop the connector for the change and put back the state found. backup: path of the document to write before the first write, or None.
        assume_stopped: nothing runs the connector; needed without a worker to ask.
        wait_timeout: seconds for each wait. max_entries: how many partitions the result may list; 0 for all.
        once: the TrackedChange, or None. after_change: PUT_BACK, LATER or LEAVE. final_state: RUNNING, PAUSED or STOPPED, brought about with
        LEAVE whether its offsets were changed or not; or None. settle: seconds after which a change is looked at again, before the
        connector's state is put back.
        desired: None to undo what ``once`` names. roll_back(item): the ChangeItem that undoes this one, for a connector that fails after the change;
        or None, then it is left as it is. rolls_back: this is such an item; had_failed: whether the connector had failed before the change.
        """
        self.router = router or Router(client, name, sleep=sleep)
        self.name = name
        self.desired = desired
        self.backup = backup
        self.wait_timeout = wait_timeout
        self.max_entries = max_entries
        self.once = once or UntrackedChange()
        self.after_change = after_change
        self.final_state = final_state
        self.settle = settle
        self.pause = sleep
        self.clock = clock
        self.lifecycle = Lifecycle(client, name, wait_timeout, self.sleep, clock)
        self.ready = Preconditions(client, name, self.router, self.lifecycle, stop, assume_stopped, self.sleep, clock)
        self.warnings = self.router.warnings = self.once.warnings = self.lifecycle.warnings
        #: whatever is read next is read anew
        self.renew = lambda: None
        self.store = self.found = self.plan = None
        self.next = PREPARE
        #: what the module returns, and what made it fail
        self.result = self.error = None
        self.writing = self._rollback = None
        self.wait = 0
        self._backed_up = False
        #: the Connector as it is while its offsets are written
        self.stopped = None
        #: the state in which a connector was found that this run has stopped
        self._state_found = None
        #: the state that restore_state() brings about
        self._due = None
        self._copied = None  # what another connector has given for it
        self._over = TODO
        #: how the connector came to stand still: HALTED, TRIED, or None as long as nobody knows
        self._course = None
        #: for the ledger, should this fail: is what this run has done undone?
        self._offsets_back = self._state_back = True
        self._only_predicts = False
        self.roll_back, self.undo = roll_back, None
        self._rolls_back = rolls_back
        #: what of the offsets is to be restored, in the shape of the ledger's record; None: nothing was changed
        self.replaced = None
        #: whether it had failed before, and whether the final state is another one than that found
        self.had_failed, self.is_moved = had_failed, False
        #: whether the change is made, and only the final state may be missing
        self.is_made = False
        #: it waits for the connector to stop: only the state is to be put back
        self._may_be_given_up = False

    @property
    def stopped_here(self) -> bool:
        """By this run, for the change."""
        return self.ready.is_stopped_here

    def sleep(self, seconds: float) -> None:
        """Also a sign of life for others who want to make the same change."""
        self.pause(seconds)
        self.once.beat()
        if self._may_be_given_up and not self._rolls_back:
            INTERRUPTS.check()

    def warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    # ---- prepare: everything that can be known before the first write ----------------------------------------

    def prepare(self, check_mode: bool) -> None:
        self._check_final_state()
        found = self.found = self.ready.find(self.desired)
        self._over = self._lookup(found, check_mode)
        if self.once.named:
            found = self.found = self.ready.find(self.desired)  # another run may have been waited for
        self.next = BEGIN
        if self._over != TODO:
            self.store, self.plan = self.router.plan(found, DesiredOffsets.nothing())
            return
        if self.desired.origin is not None:
            self.desired.check_origin(self._kind(found), self.router.cluster()["kafka_cluster_id"])
        if self.desired.plugin is not None and found is not None:
            self.warnings.extend(self.desired.compare_plugin(self.plugin(found)))
        try:
            plan = self._plan(found)
        except errors.NoConnector:
            if found is None or not self.router.topic_is_open:
                raise
            self.ready.exists, self.found, found = False, None, None  # deleted a moment ago: its status is still there
            plan = self._plan(found)
        self.warnings.extend(plan.warnings + self.store.warnings_about(plan.live))
        if not plan.changed:
            self.ready.warn_misspelt(plan.live)
            self._check_acls(self.once.missing_acls(check_mode))
            return
        self.found = self.ready.check(found, self.store, self._copied or self.desired)
        self._check_acls(self.store.missing_acls(plan) + self.once.missing_acls(check_mode))
        if self.backup:
            backups.check(self.backup)
        self._warn_repeat(self.found)

    def _check_final_state(self) -> None:
        """Can it be reached?"""
        if self.final_state is None:
            return
        try:
            found = self.lifecycle.read()
        except errors.ConnectError:
            return  # what is wrong with it, is found out next
        self.had_failed = self.had_failed or found.failed and not self._rolls_back
        if not self.lifecycle.is_in(self.final_state, found):
            if self.final_state == STOPPED:
                self.lifecycle.client.require("stop")
            if self.lifecycle.client.method != STRIMZI:
                check_pod(found, self.router.force or self.router.method not in (AUTO, STRIMZI), self.warn)

    def predict(self) -> None:
        """The end of check mode."""
        self._only_predicts = True
        self.next = END
        self.result = self._result(self.plan, self.found)
        if self._over != TODO:
            self._note_over()
        if self._over != TODO or not self.plan.changed:
            self._settle_state(check_mode=True)
        else:
            self._warn_delivered_again()

    def _plan(self, found):
        finishes = self.once.finishes
        if finishes and self.desired.is_symbolic:
            desired = DesiredOffsets.begun(self.once.change)
        else:
            desired = self.desired if self.desired.copy is None else self._read_copy(found)
        self.store, self.plan = self.router.plan(found, desired)
        if not finishes:  # of a change that was begun, what is live may be a part
            self.desired.check_guards(self.plan)
        return self.plan

    def plugin(self, found):
        """Class and version of the connector (see _core.plugin_version.plugin_of); None where there is none, or nobody to ask."""
        if found is None:
            return None
        try:
            return plugin_of(self.router.rest, self.router.rest.info(self.name)["config"], found.version)
        except errors.ConnectError:
            return None  # deleted a moment ago

    def _check_acls(self, missing) -> None:
        """One that is missing would show only when the connector is stopped. Raises BrokerDenied."""
        if missing:
            raise denied(self.name, missing)

    def _read_copy(self, found):
        """Read once: what is declared must not change on the way, though the other connector may run on."""
        if self._copied is None:
            self._copied = self.desired.copy.read(self.warnings)
            self._copied.guards = self.desired.guards
            self._copied.check_origin(self._kind(found), None)
        return self._copied

    def _kind(self, found) -> str:
        return self.router.kind(found, self._copied or self.desired)

    def _warn_repeat(self, found) -> None:
        if self.final_state in (STOPPED, PAUSED):
            return
        once = self._rolls_back or self.once.named or self.desired.guards is not None and self.desired.guards.only == FORWARD
        if not once and found is not None and found.state == RUNNING and self.desired.sets:
            self.warn("%s is RUNNING: once it runs on from the declared offsets, the same task changes them again at its next run. With a change_id "
                      "it is made once." % self.name)

    def _warn_delivered_again(self) -> None:
        """Of an undo that somebody asks for. With the numbers of now, as a task goes on until it is stopped."""
        if self.once.undo and not self._rolls_back:
            for text in delivered_again(self.plan):
                self.warn(text)

    # ---- the ledger ------------------------------------------------------------------------------------------

    def _lookup(self, found, check_mode) -> str:
        """TODO; or DONE or UNDONE, where the ledger says that nothing is left to do."""
        if not self.once.named:
            return TODO
        if not self.once.undo:
            return self.once.look(self._digest(found), check_mode)
        over = self.once.lookup_for_undo(check_mode)
        self.router.prefer(self.once.change)
        if over == TODO:
            self.desired = DesiredOffsets.undo(self.once.change)
        return over

    def _digest(self, found) -> str:
        return digest(self.desired, self._kind(found))

    def _begin_record(self, found, state_to_restore=None) -> None:
        if not self.once.named:
            return
        if found is None or self._is_halted(found):  # by a run of this change that did not end
            state_to_restore = self.once.state_to_restore or state_to_restore
        self._state_back = state_to_restore is None
        self.once.begin("" if self.once.undo else self._digest(found), None if self.after_change == LEAVE else state_to_restore,
                        method=self.store.method, offset_topic=self.router.result(self.store)["offset_topic"], cluster=self.router.cluster(),
                        kind=self._kind(found))

    def _is_halted(self, found) -> bool:
        return found.state == STOPPED or found.state == PAUSED and not self.lifecycle.can_stop

    def _note_over(self) -> None:
        """The change was made or undone before."""
        change = self.once.change
        self.result["already_applied"] = self._over == DONE
        there, here = change.cluster.get("offset_topic"), self.router.cluster().get("offset_topic")
        if there and here and there != here:
            self.warnings.append(
                "The change %s of %s was made where the offsets are on the topic %s; here they are on %s. If that is another Connect cluster with "
                "a connector of this name, it was not made here: tell them apart by connect_group, or by a ledger of their own."
                % (change.change_id, self.name, there, here))
        else:
            self._warn_elsewhere(change)
        if self._over == DONE:
            self._warn_vanished(change, self.plan.live)
        if self._over == UNDONE and not self.once.undo:
            self.warnings.append("The change %s of %s was put back on %s, and stays so. To make it again give it another id." % (
                change.change_id, self.name, change.times[change.phase]))

    def _warn_elsewhere(self, change) -> None:
        """The ledger may be that of another Connect cluster on the same Kafka cluster, which REST alone does not tell apart."""
        there = change.cluster.get("connect_url")
        if there and self.router.rest is not None and not self.router.connect_group and there not in self.router.rest.urls:
            self.warnings.append(
                "The change %s of %s was made through %s, which is not in connect_url. If that is another Connect cluster with a connector of this name, "
                "it was not made here: tell them apart by connect_group, or by a ledger of their own." % (change.change_id, self.name, there))

    def _warn_vanished(self, change, live) -> None:
        """Some connectors commit null for every record, which removes what was set."""
        gone = [key for key in (canonical(pair["partition"]) for pair in change.after or [] if pair["offset"] is not None)
                if key not in live.entries and key not in live.unreadable]
        if gone:
            self.warnings.append(
                "The change %s of %s was made on %s, but %d of the partitions that it set %s no offset any more, first %s: it was removed since, or the "
                "connector keeps its position elsewhere and removes it at its next commit. The change is not made again; for that give it another id." % (
                    change.change_id, self.name, change.times[change.phase], len(gone), "has" if len(gone) == 1 else "have", gone[0]))

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
        if self._over != TODO:
            return self._end_over(found)
        if not self.plan.changed:
            return self._end_unchanged(found)
        if found is None or found.stopped or self.ready.never_ran(found, self.store) or (
                self.ready.is_old_sink(found, self.store) and not self.ready.stop):
            if (not self.store.has_server_guard or self.store.method == GROUP) and self.store.read() is not self.plan.live:
                self._plan(found)  # a task that was waited for has committed once more
            if not self.plan.changed:
                return self._end_unchanged(found)
            self._begin_record(found)
            self._course = HALTED
            return self._begin_writing(found)
        self._begin_record(found, found.state if self.ready.stop else None)
        if found.idle and self.store.has_server_guard:
            self._course = TRIED
            return self._begin_writing(found)
        self.next = STOP

    def _end_over(self, found) -> None:
        if self.once.undo and self.once.change.phase != RESTORED:  # begun, and nothing was written
            self._begin_record(found)
            self.once.written(self.once.state_to_restore)
        self.result = self._result(self.plan, found)
        self._note_over()
        self._settle_state()

    def _end_unchanged(self, found) -> None:
        self._begin_record(found)
        self.once.written(self.once.state_to_restore)
        self.result = self._result(self.plan, found)
        self._settle_state()

    def _settle_state(self, check_mode=False) -> None:
        """The connector may still have to be put back to the state that an earlier run of this change, which did not end, has found."""
        due, self.next, self._course = self.once.state_to_restore, END, None
        if due is not None and self.after_change == LATER:
            if not check_mode:
                self.once.later()
        elif due is not None and self.found is not None and self.after_change == PUT_BACK and self._is_halted(self.found):
            self.warnings.append("%s is %s for the change %s since an earlier run; it is put back to %s." % (
                self.name, self.found.state, self.once.change_id, due))
            self.result["changed"] = True
            self._due, self.next = due, END if check_mode else RESTORE_STATE
        elif not check_mode:
            self._end_record()
        self._add_change(self.result)

    def _end_record(self) -> None:
        try:
            self.once.done()
        except LeaseLost:
            raise
        except errors.ConnectError as error:
            self.warnings.append("The ledger (%s) could not be told that the change %s of %s has come to its end; its next run will tell it. %s" % (
                self.once.where, self.once.change_id, self.name, error.message))

    # ---- stop ------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """The engine has sent the requests of all connectors already, if there are several."""
        self.ready.is_stopped_here = True
        self._course, self._state_back = None, False
        self._state_found = self.once.state_to_restore or self.found.state
        self._may_be_given_up = True
        self.stopped = self.ready.halt(self.found, self.store)
        if self._kind(self.found) == SINK:
            self.ready.await_free(self.stopped, self.store)

    def replan(self) -> None:
        """A task may have committed when it was stopped."""
        self._may_be_given_up = False
        self._plan(self.stopped)
        if self.plan.changed:
            return self._begin_writing(self.stopped)
        self._record_written(self._state_found)
        self._end_change(self._result(self.plan, self.stopped))

    # ---- write -----------------------------------------------------------------------------------------------

    def _begin_writing(self, stopped) -> None:
        self.next = WRITE
        self.stopped = stopped
        if not self.backup and self.store.recreates(self.plan):
            self.backup = backups.default_path(self.name)
        if self.backup and not self._backed_up:
            try:
                backups.write(self.backup, [self.plan.live], self.router.cluster(), self.store.method, **self._plugins(stopped))
            except errors.ConnectError as error:
                raise error.also("The offsets are as they were.")
            self._backed_up = True
        self._warn_delivered_again()
        before, after = self.plan.sides()
        records = self.store.before_records(self.plan)
        if self.once.named:
            self.once.writing(before, after, records)
        self.replaced = Replaced(before, records)
        self._rollback = Rollback(self, self.plan)
        self.writing = Writing(self, self.plan)

    def _plugins(self, found) -> dict:
        """Class and version for the header of a document."""
        plugin = self.plugin(found)
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
        self._offsets_back = False
        plan, self.writing = self.writing.first_plan, None
        try:
            self.ready.check_still(self.stopped, self.store)
        except errors.ConnectError as error:
            error.facts.update(changed=True, backup_file=self.backup)
            raise
        self._record_written(self._state_found)
        self.result = self._result(plan, self.stopped)
        if self.stopped_here:
            self._end_change(self.result)
        else:
            self._settle_state()

    def _record_written(self, state_to_restore) -> None:
        """Raises _LedgerWriteFailed, after which the connector must not run on."""
        try:
            self.once.written(None if self.after_change == LEAVE else state_to_restore or self.once.state_to_restore)
        except LeaseLost:
            raise
        except errors.ConnectError as error:
            if self._rolls_back:  # the connector must not stay stopped for that
                self.warn("The offsets of %s were put back, but that could not be written into the ledger (%s), which has the change %s as made. %s" % (
                    self.name, self.once.where, self.once.change_id, error.message))
                return
            raise _LedgerWriteFailed(
                "The offsets of %s are as declared, but that could not be written into the ledger (%s). It is left as it is now, stopped: "
                "once it ran on, the next run of this change would change it again. Run the same again, which finishes the change. %s"
                % (self.name, self.once.where, error.message), **dict(error.facts, changed=not self._offsets_back, backup_file=self.backup))

    def _end_change(self, result) -> None:
        """Of a connector that was stopped for it."""
        self.result = dict(result, state_before=self._state_found)
        if self.after_change == PUT_BACK:
            self._due, self.next = self._state_found, RESTORE_STATE
            return
        self.next = END
        try:
            self.once.later()
        except errors.ConnectError as error:
            self._end(error)

    # ---- a failure -------------------------------------------------------------------------------------------

    def fail(self, error) -> None:
        """error: ConnectError, or a fault of our own. What has to be undone is undone, or due next."""
        self._may_be_given_up = False
        does_not_come_back = self.next in (RESTORE_STATE, FINAL_STATE) and self.error is None and not self._only_predicts
        if does_not_come_back and isinstance(error, errors.ConnectError) and not isinstance(error, LeaseLost) and self._is_to_roll_back():
            return self._roll_back_after(error.message)
        if self.next == RESTORE_STATE:
            return self._end(self._not_restored(error))
        if self.next == FINAL_STATE:
            as_it_is = self._only_predicts or self._rolls_back or not isinstance(error, errors.ConnectError)
            return self._end(error if as_it_is else error.also(_AS_DECLARED, changed=self.result["changed"]))
        if self.next == ROLL_BACK:
            return self._end(self.error.also("It could not be rolled back: %s %s" % (error, self._way_to_undo()), **as_facts(self.result)))
        self.next = END
        if not isinstance(error, errors.ConnectError):  # a fault of our own must not leave a connector stopped
            return self._restore_state_after(error, self._state_found if self.stopped_here else None)
        if isinstance(error, (LeaseLost, _LedgerWriteFailed)):
            return self._end(error)  # another run goes on, or the next one
        writing, self.writing = self.writing, None
        if writing is not None:
            error = self._rollback.after(error, writing.sent)
            self._offsets_back = self._rollback.done
        if self._course == TRIED and isinstance(error, errors.NotStopped):
            if self.ready.stop:
                self.next = STOP
                return None
            error = self.ready.not_stopped(self.found, error.facts)
        due = self._state_found if self.stopped_here else None
        if self._course == HALTED and self.found is not None:
            due = self.once.state_to_restore
        return self._restore_state_after(error, due)

    def _restore_state_after(self, error, due) -> None:
        if due is None:
            return self._end(error)
        self.error, self._due, self.next = error, due, RESTORE_STATE
        return None

    def _not_restored(self, error):
        """The error where the state could not be put back, either after a change that was made, or after one that failed."""
        if not isinstance(error, errors.ConnectError) or self.error is not None and not isinstance(self.error, errors.ConnectError):
            return self.error or error
        if self.error is not None:
            return self.error.also("The connector could not be put back to %s either (%s): %s" % (
                self._due, error.message.rstrip("."), self._state_left_to_do()))
        if not self.stopped_here:
            return error
        return error.also("The offsets are %s, but the connector is not back to %s: %s" % (
            "changed as declared" if self.result["changed"] else "as they were", self._due, self._state_left_to_do()),
            changed=self.result["changed"], backup_file=self.result["backup_file"])

    def _state_left_to_do(self) -> str:
        return "it is left to do %s." % self.ready.client.way_back(self.name, "paused" if self._due == PAUSED else "running")

    # ---- restore the state -----------------------------------------------------------------------------------

    @property
    def resumes_to(self) -> str:
        return PAUSED if self._due == PAUSED else RUNNING

    def restore_state(self) -> None:
        after = self.lifecycle.restore(self.resumes_to)
        self._state_back = True
        hidden = self._due in (FAILED, UNASSIGNED)
        if isinstance(self.error, errors.ConnectError):
            self.error.also(_HIDDEN % ("The connector", self._due, after) if hidden else "The connector was put back: it is %s." % after,
                            connector=after.result())
        if self.error is not None:
            return self._end(self.error)
        self._end_record()
        if hidden and self.stopped_here and not after.failed:
            self.warnings.append(_HIDDEN % (self.name, self._due, after))
        self._add_change(self.result)
        return self._check_health(after)

    def _check_health(self, after) -> None:
        """A connector that failed after it was put back is a failure, with the result in its facts."""
        self.next = END
        self.result["connector"] = after.result()
        if not after.failed:
            return
        self.had_failed = self.found.failed or self._due == FAILED
        text = "The connector %s was %s again after the change, but failed: %s.%s" % (
            self.name, "paused" if self._due == PAUSED else "started", after.failure, " It had failed before, too." if self.had_failed else "")
        self._end_failed(text, text, self._way_to_undo(), as_facts(self.result))

    def _end_failed(self, text, had_failed_text, left, facts) -> None:
        """The connector failed after the change. text, had_failed_text: what to say; left: what has become of its offsets."""
        if self.had_failed and (self.once.undo or self._rolls_back):  # by what is undone, or for another reason: either way it stays undone
            self.warnings.append(had_failed_text)
        elif self._is_to_roll_back():
            self._roll_back_after(text)
        else:
            self._end(errors.StateError(text if self._rolls_back else "%s %s" % (text, left), **facts))

    # ---- roll back -------------------------------------------------------------------------------------------

    def _is_to_roll_back(self) -> bool:
        """Of a change that was made by this run; of a connector that had failed before, the offsets need not be the reason."""
        return self.roll_back is not None and not self.once.undo and not self.had_failed and (
            self.is_moved or self.result["changed"] and not self.result["already_applied"] and (self.replaced is not None or self.has_record))

    @property
    def has_record(self) -> bool:
        """Does the ledger know what this run, or one that it has finished, has replaced?"""
        return self.once.named and self.once.change is not None and bool(self.once.change.before) and self._over == TODO

    def _roll_back_after(self, text: str) -> None:
        self.error, self.next = errors.StateError(text), ROLL_BACK

    def make_undo(self) -> None:
        self.undo = self.roll_back(self)

    def rolled_back(self) -> None:
        """The undo has come to its end."""
        error, undo = self.error, self.undo
        self.is_made = False
        self.warnings.extend(text for text in undo.warnings if text not in self.warnings)
        if undo.error is None and undo.result is not None:
            error.also("The change was rolled back: the offsets are as they were, and the connector is %s." % undo.found)
        elif undo.is_made:
            error.also("The change was rolled back: the offsets are as they were, but the connector is not: %s" % (
                getattr(undo.error, "message", undo.error)))
        else:
            self.is_made = True
            words = undo.error.message if isinstance(undo.error, errors.ConnectError) else str(undo.error)
            error.also("Rolling it back failed as well: %s Before the change it was %s, with the offsets in offsets_before. %s" % (
                words, self.result["state_before"], self._way_to_undo()), **as_facts(self.result))
            error.facts.update({name: undo.error.facts[name] for name in ("left_alone",) if name in getattr(undo.error, "facts", {})})
        self._end(error)

    def _way_to_undo(self) -> str:
        if self.once.undo or not self.result["changed"]:
            return "Its offsets are as declared."
        way = ("state: restored with change_id: %s and stop: true" % self.once.change_id if self.once.named else
               "src: %s, purge: true and stop: true" % self.result["backup_file"] if self.result["backup_file"] else
               "the offsets of offsets_before, with stop: true")
        return "Its offsets are as declared. To undo the change declare %s." % way

    # ---- the final state -------------------------------------------------------------------------------------

    @property
    def has_final_state(self) -> bool:
        """Of all that exist, whether their offsets were changed or not."""
        return self.final_state is not None and self.error is None and bool(self.result) and self.result["connector_exists"]

    def read_final(self, check_mode: bool) -> None:
        self.next, self.is_made = FINAL_STATE, True
        self.found = self.lifecycle.read_settled()
        self.is_moved = not self.lifecycle.is_in(self.final_state, self.found)
        if check_mode:
            self._note_final(dict(self.found.result(), state=self.final_state))

    def reach_final(self) -> None:
        if self.is_moved:
            self.found = self.lifecycle.declare(self.final_state, self.found)
        self._note_final(self.found.result())
        lasting = self.final_state == STOPPED or self.final_state == PAUSED and self.had_failed
        if not self.is_moved or not self.found.failed or lasting:
            return
        text = "The connector %s was brought to %s, but failed: %s." % (self.name, self.final_state, self.found.failure)
        left = "Its offsets are as declared." if self.once.undo else _AS_DECLARED
        self._end_failed(text, text + " It had failed before, too.", left, {"connector": self.found.result(), "changed": self.result["changed"]})

    def _note_final(self, connector) -> None:
        result, self.next = self.result, END
        if result["state_before"] != connector["state"]:
            result["diff"] = (result["diff"] if result["changed"] else []) + [state_diff(self.name, result["state_before"], connector["state"])]
        result["changed"] = result["changed"] or self.is_moved
        result["connector"] = connector

    # ---- the end ---------------------------------------------------------------------------------------------

    def _end(self, error) -> None:
        self.error, self.next = error, END
        if isinstance(error, errors.ConnectError):
            error.warnings = self.warnings

    def close(self) -> None:
        """The offsets are settled, the final state or a rollback may follow. The ledger learns of a failure. To be called once."""
        error = self.error
        if isinstance(error, errors.ConnectError):
            if isinstance(error, (LeaseLost, _LedgerWriteFailed)):
                error.facts["left_alone"] = [self.name]
            if not isinstance(error, (ConcurrentUpdate, _LedgerWriteFailed)):
                try:
                    self.once.give_up(self._offsets_back, self._state_back)
                except errors.ConnectError as other:
                    error.also("The ledger (%s) could not be told: %s" % (self.once.where, other.message))
        self.once.close()

    def _add_change(self, result) -> dict:
        result["change"] = ledger_result(self.once.change, self.max_entries) if self.once.change else None
        return result

    def _result(self, plan, connector) -> dict:
        result = dict(change_result(plan, self.store.method, self.max_entries), **self.router.result(self.store))
        result["connector"] = connector.result() if connector else None
        result["connector_exists"] = self.ready.exists
        result["backup_file"] = self.backup if plan.changed else None
        result["state_before"] = self.once.state_to_restore or (connector.state if connector else None)
        result["already_applied"] = False
        result["ledger"] = self.once.where
        result["warnings"] = self.warnings
        return self._add_change(result)


def as_facts(result) -> dict:
    """Of a change that was made, for the error that ends the module all the same."""
    return {key: value for key, value in result.items() if key not in ("diff", "warnings")}
