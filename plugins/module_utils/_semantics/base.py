# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the offsets of one kind of connector mean: which numbers stand behind a symbolic position, and whether what is declared has an effect."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SOURCE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles import told

_NO_NEXT = "%s is no MirrorSourceConnector, and next_offset is MirrorMaker's alone: say with offset what this connector stores."


class Semantics:
    """Of one connector. Methods raise ConnectError."""

    kind = SOURCE

    def __init__(self, name: str, force=False):
        """force: what seems to have no effect, or to be outside of the log, is meant."""
        self.name = name
        self.force = force
        #: what the connector stores (_core.profiles.catalog.Profile), None where that is not known; its configuration
        self.profile, self.config = None, {}

    def plan(self, store, desired):
        """The plan to bring about what is desired by this store, with its warnings."""
        live, warnings = store.read(), []
        live.profile = self.profile
        if desired.reset is not None or desired.following:
            desired, warnings = self.resolve(desired, live)
        plan = make_plan(live, desired)
        plan.warnings.extend(warnings + self.check(plan, store))
        if self.profile is not None and self.kind == SOURCE and plan.changed and not desired.exact:
            plan.warnings.extend(told.of_a_change(self.profile, self.config, plan))
        return plan

    def resolve(self, desired, live) -> tuple:
        """(the declaration in numbers, warnings). desired: one with a reset or next offsets. live: Snapshot. Raises DeclarationError where that
        means nothing to such a connector.
        """
        raise errors.DeclarationError(_NO_NEXT % self.name)

    def check(self, plan, store) -> list:
        """Does the plan have the effect that it is meant to have? Returns warnings. Raises DeclarationError."""
        return []

    # ---- once it runs again ----------------------------------------------------------------------------------------

    def own_position(self, backward: bool) -> str:
        """Where it goes on from whatever its offset is, as far as that is known; empty where there is no such place. backward: was it set back?"""
        return self.profile.own_position(self.config, self.name, backward) if self.profile is not None else ""

    def ends(self, partitions) -> dict:
        """{canonical partition: the next record to come}, where that is known."""
        return {}

    # ---- while it is stopped for the change ------------------------------------------------------------------------

    def warn_foreign_members(self) -> None:
        """Says who will still keep the offsets from being changed once the connector is stopped."""

    def await_free(self, store, seconds: float, sleep, clock) -> None:
        """Until nobody keeps them from being changed, as far as that shows beside Connect's own guard. Raises StateError, which says who does."""
