# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""How the change of one connector ends: its state is restored, its final state reached; what a failure leaves is undone, or said."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.ledger_entry import LedgerWriteFailed
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.phases import (
    END,
    FINAL_STATE,
    HALTED,
    RESTORE_STATE,
    ROLL_BACK,
    STOP,
    TRIED,
    WATCH,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import AWAY
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import as_facts
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import LeaseLost


class Ending:
    """Says which phase of its item is due next."""

    def __init__(self, item):
        """item: ChangeItem."""
        self._item = item

    # ---- a failure -------------------------------------------------------------------------------------------

    def fail(self, error) -> None:
        """error: ConnectError, or a fault of our own. What has to be undone is undone, or due next."""
        item = self._item
        item.may_be_given_up = False
        if isinstance(error, LedgerWriteFailed):
            return self.end(error)  # the next run finishes the change
        does_not_come_back = item.next in (RESTORE_STATE, FINAL_STATE) and item.error is None and not item.only_predicts
        if does_not_come_back and isinstance(error, errors.ConnectError) and not isinstance(error, (LeaseLost, *AWAY)) and item.undo.is_due:
            return self._roll_back_after(error.message)
        if item.next == RESTORE_STATE:
            return self.end(self._not_restored(error))
        if item.next == WATCH:
            is_ours = not isinstance(error, errors.ConnectError)
            return self.end(error if is_ours else error.also("The offsets were changed as declared.", **as_facts(item.result)))
        if item.next == FINAL_STATE:
            as_it_is = item.only_predicts or item.rolls_back or not isinstance(error, errors.ConnectError)
            return self.end(error if as_it_is else error.also(item.undo.by_hand(), changed=item.result["changed"]))
        if item.next == ROLL_BACK:
            return self.end(item.error.also("It could not be rolled back: %s %s" % (error, item.undo.by_hand()), **as_facts(item.result)))
        item.next = END
        if not isinstance(error, errors.ConnectError):  # a fault of our own must not leave a connector stopped
            return self._restore_state_after(error, item.states.found if item.stopped_here else None)
        if isinstance(error, LeaseLost):
            return self.end(error)  # another run goes on
        writing, item.writing = item.writing, None
        if writing is not None:
            error = item.rollback.after(error, writing.sent)
            item.offsets_back = item.rollback.done
            if item.rollback.is_blind and item.once.named and not item.rolls_back and (item.stopped_here or item.course == HALTED):
                return self.end(error.also(
                    "%s is left stopped, and it is not known whether its offsets were changed. Do not start it: the next run of this change would then change "
                    "its offsets again. Once Connect answers, run the same again, which finishes the change." % item.name))
        if item.course == TRIED and isinstance(error, errors.NotStopped):
            if item.ready.stop:
                item.next = STOP
                return None
            error = item.ready.not_stopped(item.found, error.facts)
        due = item.states.found if item.stopped_here else None
        if item.course == HALTED and item.found is not None:
            due = item.once.state_to_restore
        return self._restore_state_after(error, due)

    def _restore_state_after(self, error, due) -> None:
        item = self._item
        if due is None:
            return self.end(error)
        item.error, item.states.due, item.next = error, due, RESTORE_STATE
        return None

    def _not_restored(self, error):
        """The error where the state could not be put back, either after a change that was made, or after one that failed."""
        item = self._item
        if not isinstance(error, errors.ConnectError) or item.error is not None and not isinstance(item.error, errors.ConnectError):
            return item.error or error
        if item.error is not None:
            return item.error.also("The connector was stopped for the change, and could not be restored to %s either (%s). %s" % (
                item.states.due, error.message.rstrip("."), item.states.left_to_do(item.ready.client)))
        if not item.stopped_here:
            return error
        return error.also("The offsets are %s, but the connector is not %s again. %s" % (
            "changed as declared" if item.result["changed"] else "as they were", item.states.due, item.states.left_to_do(item.ready.client)),
            changed=item.result["changed"], backup_file=item.result["backup_file"])

    # ---- restore the state -----------------------------------------------------------------------------------

    def restore_state(self) -> None:
        item = self._item
        after, states = item.states.restore(), item.states
        if isinstance(item.error, errors.ConnectError):
            item.error.also(states.what_was_restored("The connector", after), connector=after.result())
        if item.error is not None:
            return self.end(item.error)
        item.entry.end()
        if states.is_hidden and item.stopped_here and not after.failed:
            item.access.warn(states.what_was_restored(item.name, after))
        item.result.update(item.entry.changes(item.max_entries), connector=after.result())
        item.next = END
        if after.failed:  # a failure, with the result in its facts
            states.had_failed = item.found.failed
            text = states.failure(after)
            self._end_failed(text, text, as_facts(item.result))
        return None

    def _end_failed(self, text, had_failed_text, facts) -> None:
        """The connector failed after the change. text, had_failed_text: what to say."""
        item = self._item
        if item.states.had_failed and (item.once.undo or item.rolls_back):  # by what is undone, or for another reason: either way it stays undone
            item.access.warn(had_failed_text)
        elif item.undo.is_due:
            self._roll_back_after(text)
        else:
            self.end(errors.StateError(text if item.rolls_back else "%s %s" % (text, item.undo.by_hand()), **facts))

    # ---- roll back -------------------------------------------------------------------------------------------

    def _roll_back_after(self, text: str) -> None:
        item = self._item
        item.error, item.next = errors.StateError(text), ROLL_BACK

    def rolled_back(self) -> None:
        """The undo has come to its end."""
        item = self._item
        item.undo.explain(item.error)
        self.end(item.error)

    # ---- the final state -------------------------------------------------------------------------------------

    @property
    def has_final_state(self) -> bool:
        """Of all that exist, whether their offsets were changed or not."""
        item = self._item
        return item.states.final_state is not None and item.error is None and bool(item.result) and item.result["connector_exists"]

    def read_final(self, check_mode: bool) -> None:
        item = self._item
        item.next, item.is_made = FINAL_STATE, True
        item.found = item.states.read_final()
        if check_mode:
            self._note_final(dict(item.found.result(), state=item.states.final_state))

    def reach_final(self) -> None:
        item = self._item
        item.found = item.states.reach_final(item.found)
        self._note_final(item.found.result())
        text = item.states.final_failure(item.found)
        if text:
            self._end_failed(text, text + " It had failed before, too.", {"connector": item.found.result(), "changed": item.result["changed"]})

    def _note_final(self, connector) -> None:
        item = self._item
        item.states.note_final(item.result, connector)
        item.next = END

    # ---- watch -----------------------------------------------------------------------------------------------

    def failed_while_watched(self, found, seconds: float) -> None:
        """found: the Connector. seconds: since it runs again."""
        item = self._item
        text = item.states.later_failure(found, seconds)
        item.next = END
        self._end_failed(text, text, as_facts(item.result))

    # ---- the end ---------------------------------------------------------------------------------------------

    def end(self, error) -> None:
        item = self._item
        item.error, item.next = error, END
        if isinstance(error, errors.ConnectError):
            error.warnings = item.warnings
