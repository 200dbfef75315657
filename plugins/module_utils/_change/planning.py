# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""From what is declared of one connector to the route: what has to be changed, and by which store."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import RUNNING
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import FORWARD, DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plugin_version import plugin_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import declared_result, delivered_again
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import digest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import TODO


class Planning:
    """Of one connector. Every ``found`` is the Connector, None where there is none, or no worker that could be asked."""

    def __init__(self, desired, router, once, rolls_back: bool):
        """desired: DesiredOffsets, None to undo what ``once`` names. router: Router. once: TrackedChange, AutomaticChange or UntrackedChange.
        rolls_back: it undoes a change of which the connector failed.
        """
        self.desired = desired
        self._router = router
        self._access = router.access
        self._once = once
        self._rolls_back = rolls_back
        #: the Route that is known so far
        self.route = None
        self._digests = {}
        self._copied = None  # what another connector has given for it

    @property
    def declared(self):
        """DesiredOffsets, as far as that is known without a look at what is live."""
        return self._copied or self.desired

    def kind(self, found) -> str:
        return self._router.kind(found, self.declared)

    def digest(self, found) -> str:
        return self._digest(self.desired, self.kind(found))

    def _digest(self, desired, kind) -> str:
        """Made once of each: it takes as long as the rest of a plan."""
        if (desired, kind) not in self._digests:
            self._digests[desired, kind] = digest(desired, kind)
        return self._digests[desired, kind]

    def in_numbers(self, found, is_over: bool, max_entries: int):
        """For the module's result: what is declared, whatever is live. None for an undo. is_over: the ledger says that nothing is left to do."""
        if self._once.undo:
            return None
        desired, kind = self.declared, self.kind(found)
        if desired.is_symbolic:
            desired = DesiredOffsets.begun(self._once.change) if is_over else self.route.plan.desired
        return declared_result(desired.for_kind(kind), self._digest(desired, kind), max_entries)

    def look_up(self, found, check_mode, is_due) -> str:
        """TODO; or DONE or UNDONE, where the ledger says that nothing is left to do. is_due: see TrackedChange.look."""
        once = self._once
        if not once.undo:
            return once.look(self.digest(found), check_mode, is_due)
        over = once.lookup_for_undo(check_mode, is_due)
        self._router.prefer(once.change)
        if over == TODO:
            self.desired = DesiredOffsets.undo(once.change)
        return over

    # ---- the route -------------------------------------------------------------------------------------------------

    def look(self, found) -> None:
        """Nothing is to be changed."""
        self.route = self._router.route(found, DesiredOffsets.nothing())

    def check_document(self, found) -> None:
        """Was the document that declares it written of such a connector? Raises DeclarationError."""
        if self.desired.origin is not None:
            self.desired.check_origin(self.kind(found), self._access.cluster()["kafka_cluster_id"])
        if self.desired.plugin is not None and found is not None:
            self._access.warnings.extend(self.desired.compare_plugin(self.plugin(found)))

    def make(self, found):
        """The plan, as of now. Raises ConnectError."""
        finishes = self._once.finishes
        if finishes and self.desired.is_symbolic:
            desired = DesiredOffsets.begun(self._once.change)
        else:
            desired = self.desired if self.desired.copy is None else self._read_copy(found)
        self.route = self._router.route(found, desired)
        if not finishes:  # of a change that was begun, what is live may be a part
            self.desired.check_guards(self.route.plan)
        return self.route.plan

    def _read_copy(self, found):
        """Read once: what is declared must not change on the way, though the other connector may run on."""
        if self._copied is None:
            self._copied = self.desired.copy.read(self._access.warnings)
            self._copied.guards = self.desired.guards
            self._copied.check_origin(self.kind(found), None)
        return self._copied

    def plugin(self, found):
        """Class and version of the connector (see _core.plugin_version.plugin_of); None where there is none, or nobody to ask."""
        if found is None:
            return None
        try:
            return plugin_of(self._access.rest, self._access.config(found), found.version)
        except errors.ConnectError:
            return None  # deleted a moment ago

    # ---- what follows from it --------------------------------------------------------------------------------------

    def warn_repeat(self, found) -> None:
        """The connector runs on after the change."""
        once = self._rolls_back or self._once.named or self.desired.guards is not None and self.desired.guards.direction == FORWARD
        if not once and found is not None and found.state == RUNNING and self.desired.sets:
            self._access.warn("%s is RUNNING: once it runs on from the declared offsets, the same task changes them again at its next run. With a "
                              "change_id it is made once." % self._access.name)

    def warn_delivered_again(self) -> None:
        """Of an undo that somebody asks for. With the numbers of now, as a task goes on until it is stopped."""
        if self._once.undo and not self._rolls_back:
            for text in delivered_again(self.route.plan):
                self._access.warn(text)
