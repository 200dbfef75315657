# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The state of one connector around the change of its offsets: in which it was found, what it is brought back to, in which it shall be in the end."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connector_state import state_diff
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import FAILED, PAUSED, RUNNING, STOPPED, UNASSIGNED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.strimzi_pods import check_pod
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import AUTO, STRIMZI

_HIDDEN = "%s was %s when it was found, which hides whether it was meant to run or to be paused; it was started, and is %s."


class States:
    """To be restored where this run, or one that it finishes, has stopped the connector; the final state is brought about whether it has or not."""

    def __init__(self, name: str, lifecycle, final_state=None, had_failed=False):
        """lifecycle: Lifecycle. final_state: RUNNING, PAUSED, STOPPED or None. had_failed: whether the connector had failed before the change."""
        self.name = name
        self._lifecycle = lifecycle
        self.final_state = final_state
        self.had_failed = had_failed
        #: in which this run has found it, and stopped it
        self.found = None
        #: which restore() brings about
        self.due = None
        #: for the ledger, should the change fail: is it as it was found?
        self.is_back = True
        #: is the final state another one than that found?
        self.is_moved = False

    # ---- the state found -------------------------------------------------------------------------------------------

    @property
    def resumes_to(self) -> str:
        return PAUSED if self.due == PAUSED else RUNNING

    def is_halted(self, found) -> bool:
        """May a run that did not end have stopped it? found: the Connector."""
        return found.state == STOPPED or found.state == PAUSED and not self._lifecycle.can_stop

    def restore(self):
        """The Connector as it is then. Raises ConnectError."""
        after = self._lifecycle.restore(self.resumes_to)
        self.is_back = True
        return after

    @property
    def is_hidden(self) -> bool:
        """It is not known what it was meant to be."""
        return self.due in (FAILED, UNASSIGNED)

    def what_was_restored(self, who: str, after) -> str:
        return _HIDDEN % (who, self.due, after) if self.is_hidden else "%s was restored: it is %s." % (who, after)

    def left_to_do(self, client) -> str:
        return "%s." % client.way_back(self.name, "paused" if self.due == PAUSED else "running")

    def failure(self, after) -> str:
        """Of a connector that failed after its state was restored."""
        self.had_failed = self.had_failed or self.due == FAILED
        return "The connector %s was %s again after the change, but failed: %s.%s" % (
            self.name, "paused" if self.due == PAUSED else "started", after.failure, " It had failed before, too." if self.had_failed else "")

    def later_failure(self, found, seconds: float) -> str:
        """Of a connector that failed while it was watched, so many seconds after it was started again."""
        self.had_failed = self.had_failed or self.due == FAILED
        return "The connector %s was started again after the change, but failed after %d s: %s.%s" % (
            self.name, round(seconds), found.failure, " It had failed before, too." if self.had_failed else "")

    # ---- the final state -------------------------------------------------------------------------------------------

    def check_final(self, access, rolls_back: bool) -> None:
        """Can it be reached? rolls_back: a change that failed is undone."""
        if self.final_state is None:
            return
        try:
            found = self._lifecycle.read()
        except errors.ConnectError:
            return  # what is wrong with it, is found out next
        self.had_failed = self.had_failed or found.failed and not rolls_back
        if not self._lifecycle.is_in(self.final_state, found):
            if self.final_state == STOPPED:
                self._lifecycle.client.require("stop")
            if self._lifecycle.client.method != STRIMZI:
                check_pod(found, access.force or access.method not in (AUTO, STRIMZI), access.warn)

    def read_final(self):
        """The Connector; is_moved says whether it has to be brought to its final state."""
        found = self._lifecycle.read_settled()
        self.is_moved = not self._lifecycle.is_in(self.final_state, found)
        return found

    def reach_final(self, found):
        """The Connector as it is then. Raises ConnectError."""
        return self._lifecycle.declare(self.final_state, found) if self.is_moved else found

    def final_failure(self, found):
        """Of a connector that failed when it was brought to its final state; None where it did not, or where that does not matter."""
        lasting = self.final_state == STOPPED or self.final_state == PAUSED and self.had_failed
        if not self.is_moved or not found.failed or lasting:
            return None
        return "The connector %s was brought to %s, but failed: %s." % (self.name, self.final_state, found.failure)

    def note_final(self, result, connector) -> None:
        """connector: of the module's result, as it is or will be."""
        if result["state_before"] != connector["state"]:
            result["diff"] = (result["diff"] if result["changed"] else []) + [state_diff(self.name, result["state_before"], connector["state"])]
        result["changed"] = result["changed"] or self.is_moved
        result["connector"] = connector
