# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The offsets of one connector, declared for another."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._document import Origin
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import Wish
from ansible_collections.streamops.kafka_connect.plugins.module_utils._rewrite import rewrite


class Copy:
    """What copy_from asks for."""

    def __init__(self, client, connector: str, roads, rules=None, purge=False, force=False):
        """client: ConnectClient or None. roads: the Roads of the connector to copy from. rules: see _rewrite. force: of any type."""
        self._client = client
        self._connector = connector
        self._roads = roads
        self._rules = rules or []
        self._purge = purge
        self._force = force

    def declared(self) -> dict:
        """Equal for equal declarations, wherever the other connector is by now: for the ledger."""
        return {"copy_from": self._connector, "rewrite": self._rules, "purge": self._purge}

    def read(self, warnings: list) -> Wish:
        """What it means now. Raises WishError if there is nothing to copy; errors of the roads."""
        found = self._find()
        if found is not None and found.tasks:
            warnings.append("%s is %s: what is copied are the offsets that it has flushed last, and it goes on from there." % (self._connector, found))
        store, plan = self._roads.plan(found, Wish.nothing())
        live = plan.live
        if live.unreadable:
            warnings.append("%d partitions of %s cannot be read and are not copied." % (len(live.unreadable), self._connector))
        if not live.entries:
            raise errors.WishError("%s has no offsets that could be copied (looked at by: %s). Nothing was changed." % (self._connector, store.road))
        pairs = [{"partition": entry.partition, "offset": entry.offset} for entry in live.sorted()]
        wish = Wish.document(rewrite(pairs, self._rules), self._purge)
        wish.origin = None if self._force else Origin("copy_from", self._connector, live.kind, None)
        return wish

    def _find(self):
        """The Connector, None where there is none or no worker to ask."""
        if self._client is None:
            return None
        try:
            return Connector(self._client.status(self._connector))
        except errors.NoConnector:
            if not self._roads.topic_is_open:
                raise
            return None
