# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Sources whose offsets are their own words for a place in another system."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.stream_files import check_positions
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import CLUSTER, Flow, is_partition
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.base import Semantics
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.mirror import MirrorSource
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import FILE

_NO_RESET = (
    "%s is a source, and reset_to is for sinks and for MirrorMaker's source connectors. The offsets of other sources are positions "
    "in another system, in a form of their own: which one is the first, the last, or of a time is not known here. Declare them in offsets, or remove them "
    "with state: absent to have it begin anew.")


class PlainSource(Semantics):
    """Nobody but its plugin understands them."""

    def resolve(self, desired, live) -> tuple:
        if desired.reset is not None:
            raise errors.DeclarationError(_NO_RESET % self.name)
        return super().resolve(desired, live)


class UnknownSource(PlainSource):
    """No configuration tells what it is: there is no such connector, or no worker to ask. Its partitions show whether it is MirrorMaker's."""

    def __init__(self, access):
        """access: Access of the connector."""
        super().__init__(access.name, access.force)
        self._access = access

    def resolve(self, desired, live) -> tuple:
        mirror = self._mirror(desired, live)
        return super().resolve(desired, live) if mirror is None else mirror.resolve(desired, live)

    def check(self, plan, store) -> list:
        mirror = self._mirror(plan.desired, plan.live)
        warnings = mirror.check_numbers(plan) if mirror is not None else []
        for one in self._running(mirror, plan):
            warnings = warnings + one.check_copied_again(plan)
        if store.method == FILE:
            warnings = warnings + check_positions(plan, self.force or plan.desired.exact)
        return warnings

    def _mirror(self, desired, live):
        """None where the partitions are not those of one source cluster that is known."""
        pairs = list((desired.keyed or {}).values()) + list(live.entries.values())
        aliases = {entry.partition["cluster"] for entry in pairs if is_partition(entry.partition)}
        if not aliases and (pairs or desired.reset is None):
            return None
        given = set(self._access.sources.given)
        known = aliases & given if aliases else given
        return self._mirror_of(known.pop()) if len(known) == 1 else None

    def _mirror_of(self, alias) -> MirrorSource:
        return MirrorSource(self._access, Flow({}, alias), lambda: None if self._access.is_file else self._access.kafka.cluster_id)

    def _running(self, mirror, plan) -> list:
        """MirrorSources that go on from the offsets of the plan."""
        if self._access.rest is not None:
            return []  # there is no such connector
        if mirror is not None:
            return [mirror]
        aliases = {action.partition[CLUSTER] for action in plan.changes if is_partition(action.partition)}
        return [self._mirror_of(alias) for alias in sorted(map(str, aliases))]
