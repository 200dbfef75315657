# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The Kafka clusters that MirrorMaker copies from: how to reach them."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

_PREFIX = "source.cluster."


class SourceClusters:
    """One KafkaClient for each source cluster, made when it is asked for."""

    def __init__(self, given=None, timeout: float = 30, make=None):
        """given: {alias: settings of librdkafka}. make: a KafkaClient of settings and a time limit, by default that class."""
        self.given = given or {}
        self._timeout = timeout
        self._make = make
        self._clients = {}

    def client(self, flow):
        """The KafkaClient of the flow's source (see _mirror.flow). Raises DeclarationError where nobody says how to reach it."""
        key = self.key(flow)
        return self._client(key, lambda: self.given[flow.source] if flow.source in self.given else self._by_config(flow))

    def key(self, flow) -> tuple:
        """What tells one source from another: connectors may give one alias to several clusters."""
        return flow.source, None if flow.source in self.given else flow.config.get(_PREFIX + "bootstrap.servers")

    def is_configured(self, flow) -> bool:
        """Is it reached where the connector's configuration says, whatever cluster that is?"""
        configured = _servers(flow.config.get(_PREFIX + "bootstrap.servers"))
        return flow.source not in self.given or bool(configured & _servers(self.given[flow.source].get("bootstrap.servers")))

    def named(self, alias: str):
        """The KafkaClient that is listed under this alias. Raises DeclarationError."""
        if alias not in self.given:
            known = "which has %s" % ", ".join(sorted(self.given)) if self.given else "which is empty"
            raise errors.DeclarationError("There is no alias %s in kafka_connect_source_clusters (%s)." % (alias, known))
        return self._client((alias, None), lambda: self.given[alias])

    def _client(self, key, settings):
        """settings(): librdkafka's."""
        if key not in self._clients:
            from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KAFKA_TRACEBACK, KafkaClient
            if KAFKA_TRACEBACK:
                raise errors.DeclarationError("The source cluster %s cannot be queried, as the Python library confluent-kafka is missing here." % key[0])
            self._clients[key] = (self._make or KafkaClient)(settings(), self._timeout)
        return self._clients[key]

    def _by_config(self, flow) -> dict:
        """As MirrorMaker itself does, where that needs no secrets."""
        servers = flow.config.get(_PREFIX + "bootstrap.servers")
        protocol = flow.config.get(_PREFIX + "security.protocol") or "PLAINTEXT"
        if not servers or "${" in servers or protocol != "PLAINTEXT":
            raise errors.DeclarationError(
                "How to reach the source cluster %s is not known (%s): give its bootstrap_servers and login in kafka_connect_source_clusters, under "
                "alias: %s." % (flow.source, "%ssecurity.protocol is %s" % (_PREFIX, protocol) if servers and protocol != "PLAINTEXT" else
                                "no %sbootstrap.servers can be read" % _PREFIX, flow.source))
        return {"bootstrap.servers": servers}

    def close(self) -> None:
        for client in self._clients.values():
            client.close()


def _servers(text) -> set:
    return {server.strip() for server in (text or "").split(",") if server.strip()}
