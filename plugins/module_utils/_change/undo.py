# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A connector that failed after the change, or does not come back: offsets and state are restored by a change of their own."""

from __future__ import annotations

from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import as_facts

#: before   pairs {partition, offset} of what was changed; records  of the offsets topic, in the form of the ledger's record, or None
Replaced = namedtuple("Replaced", ["before", "records"])


class Undo:
    """Of one change, which was made by this run."""

    def __init__(self, change, make=None):
        """change: ChangeItem. make(change): the ChangeItem that undoes it; None: it is left as it is."""
        self._change = change
        self._make = make
        self.item = None
        #: what of the offsets is to be restored; None: nothing was changed
        self.replaced = None

    @property
    def is_due(self) -> bool:
        """Where the connector had failed before, the offsets need not be the reason."""
        change = self._change
        if self._make is None or change.once.undo or change.states.had_failed:
            return False
        return change.states.is_moved or change.result["changed"] and not change.result["already_applied"] and (
            self.replaced is not None or change.entry.has_before)

    def make(self) -> None:
        self.item = self._make(self._change)

    def explain(self, error) -> None:
        """It has come to its end: what has become of the change is said in its error."""
        change, undo = self._change, self.item
        change.is_made = False
        change.warnings.extend(text for text in undo.warnings if text not in change.warnings)
        if undo.error is None and undo.result is not None:
            error.also("The change was rolled back: the offsets are as they were, and the connector is %s." % undo.found)
        elif undo.is_made:
            error.also("The change was rolled back: the offsets are as they were, but the connector is not: %s" % (
                getattr(undo.error, "message", undo.error)))
        else:
            change.is_made = True
            words = undo.error.message if isinstance(undo.error, errors.ConnectError) else str(undo.error)
            error.also("Rolling it back failed as well: %s Before the change it was %s, with the offsets in offsets_before. %s" % (
                words, change.result["state_before"], self.by_hand()), **as_facts(change.result))
            if change.stopped_here and change.ready.client is not None:
                error.also("The connector was stopped for the change, and may still be. " + change.states.left_to_do(change.ready.client))
            error.facts.update({name: undo.error.facts[name] for name in ("left_alone",) if name in getattr(undo.error, "facts", {})})

    def by_hand(self) -> str:
        """Sentences: what the offsets are, and how they are restored."""
        result, once = self._change.result, self._change.once
        if once.undo or not result["changed"]:
            return "Its offsets are as declared."
        way = ("state: restored with change_id: %s and stop: true" % once.change_id if once.change is not None else
               "src: %s, purge: true and stop: true" % result["backup_file"] if result["backup_file"] else
               "the offsets of offsets_before, with stop: true")
        return "Its offsets are as declared. To undo the change declare %s." % way
