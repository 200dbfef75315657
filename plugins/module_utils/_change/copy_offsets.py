# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The offsets of one connector, declared for another."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.documents import Origin
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.partition_rewrite import rewrite
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.migration import is_migration, migrated


class Copy:
    """What copy_from asks for."""

    def __init__(self, client, connector: str, router, rules=None, purge=False, force=False):
        """client: ConnectClient or None. router: the Router of the connector to copy from. rules: see _core.partition_rewrite. force: of any type."""
        self._client = client
        self._connector = connector
        self._router = router
        self._rules = rules or []
        self._purge = purge
        self._force = force

    def declared(self) -> dict:
        """Equal for equal declarations, wherever the other connector is by now: for the ledger."""
        return {"copy_from": self._connector, "rewrite": self._rules, "purge": self._purge}

    def read(self, warnings: list) -> DesiredOffsets:
        """What it means now. Raises DeclarationError if there is nothing to copy; errors of the stores."""
        found = self._find()
        if found is not None and found.tasks:
            warnings.append("%s is %s: what is copied are the offsets that it has flushed last, and it goes on from there." % (self._connector, found))
        route = self._router.look(found)
        live = route.plan.live
        if is_migration(self._rules):
            return self._migrated(found, live)
        if live.unreadable:
            warnings.append("%d partitions of %s cannot be read and are not copied." % (len(live.unreadable), self._connector))
        if not live.entries:
            raise errors.DeclarationError("%s has no offsets that could be copied (looked at by: %s)." % (self._connector, route.store.method))
        pairs = [{"partition": entry.partition, "offset": entry.offset} for entry in live.sorted()]
        desired = DesiredOffsets.document(rewrite(pairs, self._rules), self._purge)
        desired.ordered = route.store.ordered
        desired.force = self._force
        desired.origin = None if self._force else Origin("copy_from", self._connector, live.kind, None)
        return desired

    def _migrated(self, found, live) -> DesiredOffsets:
        """Of the connector itself: from the form of an earlier version to that of now."""
        if found is not None and found.tasks:
            raise errors.StateError("%s is %s, and its offsets move on. Stop it first, then move them to the form of another version." % (
                self._connector, found))
        pairs = migrated(live.profile, live, self._rules[0])
        desired = DesiredOffsets.document(pairs) if pairs else DesiredOffsets.nothing()
        desired.is_own, desired.force = True, self._force
        return desired

    def _find(self):
        """The Connector, None where there is none or no worker to ask."""
        if self._client is None or self._router.access.is_file:
            return None
        try:
            return Connector(self._client.status(self._connector))
        except (errors.NoConnector, errors.Unreachable):
            if not self._router.access.topic_is_open:
                raise
            return None
