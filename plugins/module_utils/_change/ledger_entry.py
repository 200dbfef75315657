# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the ledger says of the change of one connector, and what it is told of it."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import RESTORED, ConcurrentUpdate
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import result as ledger_result
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import DONE, TODO, UNDONE, LeaseLost


class LedgerWriteFailed(errors.ConnectError):
    """The change is made, and the ledger does not say so."""


class LedgerEntry:
    """Of one change."""

    def __init__(self, once, access, keeps_state=True):
        """once: TrackedChange, AutomaticChange or UntrackedChange. access: Access of the connector. keeps_state: is it to be restored to the state found?"""
        self.once = once
        self.name = access.name
        self._access = access
        self._keeps_state = keeps_state
        #: TODO; DONE or UNDONE where nothing is left to do
        self.over = TODO

    @property
    def is_over(self) -> bool:
        return self.over != TODO

    @property
    def has_before(self) -> bool:
        """Does it know what this run, or one that it has finished, has replaced?"""
        return self.once.change is not None and bool(self.once.change.before) and not self.is_over

    def changes(self, max_entries) -> dict:
        """For the module's result."""
        return {"change": ledger_result(self.once.change, max_entries) if self.once.change else None, "change_id": self.once.change_id,
                "ledger": self.once.where}

    # ---- while the change is made ----------------------------------------------------------------------------------

    def begin(self, route, kind: str, digest, state_to_restore) -> None:
        """digest: of what is declared; not asked of an undo."""
        self.once.begin("" if self.once.undo else digest(), state_to_restore if self._keeps_state else None, method=route.store.method,
                        offset_topic=self._access.result(route.store)["offset_topic"], cluster=self._access.cluster(), kind=kind)

    def unwritten(self) -> None:
        """It was begun, and nothing has to be written."""
        self.once.written(self.once.state_to_restore)

    def written(self, state_to_restore, rolls_back: bool, facts: dict) -> None:
        """Raises LedgerWriteFailed, after which the connector must not run on. facts: for that. rolls_back: it runs on all the same."""
        try:
            self.once.written(state_to_restore or self.once.state_to_restore if self._keeps_state else None)
        except LeaseLost:
            raise
        except errors.ConnectError as error:
            self._not_written(error, rolls_back, facts)

    def _not_written(self, error, rolls_back, facts) -> None:
        if rolls_back:
            self._access.warn("The offsets of %s were rolled back, but that could not be written into the ledger (%s), which has the change %s as "
                              "made. %s" % (self.name, self.once.where, self.once.change_id, error.message))
            return
        raise LedgerWriteFailed(
            "The offsets of %s are as declared, but that could not be written into the ledger (%s). It is left as it is now, stopped. "
            "Do not start it: the next run of this change would then change it again. Run the same again, which finishes the change. %s"
            % (self.name, self.once.where, error.message), **dict(error.facts, **facts))

    def not_recorded(self, error, is_made: bool, rolls_back: bool, facts: dict) -> None:
        """What was written last may not outlive a crash of the machine. is_made: that the change is made, see written(). Raises ConnectError."""
        try:
            self.once.not_recorded(error)
        except errors.ConnectError as refused:
            if not is_made:
                raise
            self._not_written(refused, rolls_back, facts)

    def end(self) -> None:
        """Nothing is left to do."""
        try:
            self.once.done()
        except LeaseLost:
            raise
        except errors.ConnectError as error:
            self.end_not_recorded(error)

    def end_not_recorded(self, error) -> None:
        if self.once.change is None:
            return
        self._access.warn("The ledger (%s) could not be updated: the change %s of %s has come to its end, which its next run will record. %s" % (
            self.once.where, self.once.change_id, self.name, error.message))

    def close(self, error, offsets_back: bool, state_back: bool) -> None:
        """To be called once. error: the one that ends the change, or None: it says what the ledger could not be told. offsets_back, state_back: is what
        was changed undone?
        """
        if isinstance(error, errors.ConnectError):
            if isinstance(error, (LeaseLost, LedgerWriteFailed)):
                error.facts["left_alone"] = [self.name]
            if not isinstance(error, (ConcurrentUpdate, LedgerWriteFailed)):
                try:
                    self.once.give_up(offsets_back, state_back)
                except errors.ConnectError as other:
                    error.also("The ledger (%s) could not be updated: %s" % (self.once.where, other.message))
        self.once.close()

    # ---- a change that was made before -----------------------------------------------------------------------------

    def finish_undo(self, begin) -> None:
        """An undo of a change that was begun, of which nothing was written. begin(): tells the ledger of it."""
        if self.once.undo and self.once.change.phase != RESTORED:
            begin()
            self.unwritten()

    def note_over(self, result, live) -> None:
        """The change was made or undone before. live: Snapshot."""
        change = self.once.change
        result["already_applied"] = self.over == DONE
        self._warn_elsewhere(change)
        if self.over == DONE:
            self._warn_vanished(change, live)
        if self.over == UNDONE and not self.once.undo:
            self._access.warn("The change %s of %s was undone on %s, and is not made again. To make it again, give it another change_id." % (
                change.change_id, self.name, change.times[change.phase]))

    def _topics(self, change) -> tuple:
        """The offsets topics of that change and of this one, where they are not the same; ()."""
        topics = change.cluster.get("offset_topic"), self._access.cluster().get("offset_topic")
        return topics if all(topics) and topics[0] != topics[1] else ()

    def _is_through_another(self, change) -> bool:
        """Was it made through a worker that is none of kafka_connect_url?"""
        url, rest = change.cluster.get("connect_url"), self._access.rest
        return bool(url) and rest is not None and not self._access.connect_group and url not in rest.urls

    def is_here(self, change) -> bool:
        """Is it one of this very connector, as far as is known, not of one of its name on another Connect cluster on the same Kafka cluster?"""
        return not self._topics(change) and not self._is_through_another(change)

    def _warn_elsewhere(self, change) -> None:
        """The ledger may be that of another Connect cluster on the same Kafka cluster, which REST alone does not tell apart."""
        topics = self._topics(change)
        if topics:
            self._access.warn(
                "The change %s of %s was made where the offsets are on the topic %s; here they are on %s. If that is another Connect cluster with "
                "a connector of this name, it was not made here: distinguish them by kafka_connect_group, or by a ledger of their own."
                % ((change.change_id, self.name) + topics))
        elif self._is_through_another(change):
            self._access.warn(
                "The change %s of %s was made through %s, which is not in kafka_connect_url. If that is another Connect cluster with a connector of this name, "
                "it was not made here: distinguish them by kafka_connect_group, or by a ledger of their own." % (
                    change.change_id, self.name, change.cluster["connect_url"]))

    def _warn_vanished(self, change, live) -> None:
        """Some connectors commit null for every record, which removes what was set."""
        gone = [key for key in (canonical(pair["partition"]) for pair in change.after or [] if pair["offset"] is not None)
                if key not in live.entries and key not in live.unreadable]
        if gone:
            self._access.warn(
                "The change %s of %s was made on %s, but %d of the partitions that it set %s no offset any more, first %s: it was removed since, or the "
                "connector keeps its position elsewhere and removes it at its next commit. The change is not made again; for that give it another id." % (
                    change.change_id, self.name, change.times[change.phase], len(gone), "has" if len(gone) == 1 else "have", gone[0]))
