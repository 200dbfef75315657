# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Sinks of a Connect cluster that would lose a topic from under them."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_topics import addresses, reads
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import and_more

_BROKERS = "consumer.override.bootstrap.servers"
_SHOWN = 5


def check_readers(client, kafka, topics, force: bool) -> list:
    """Warnings. Raises StateError where a sink that is not stopped reads one of the topics, and it is not forced.

    client: ConnectClient, or None, then nothing is known. kafka: of the cluster that has the topics.
    """
    if client is None or not topics:
        return []
    try:
        found = _readers(client, kafka, topics)
    except errors.RestError as error:
        return ["Whether a sink reads the topic is not known, as the Connect workers could not be queried: %s" % error.message]
    if not found:
        return []
    text = and_more(["%s (%s) reads %s" % one for one in found], _SHOWN)
    if force:
        return ["Sinks at %s are not stopped and lose their offsets of what is deleted, and their tasks can fail: %s." % (client.url, text)]
    raise errors.StateError("Sinks at %s that are not stopped read what is to be deleted: %s. Stop them first (connector_state with state: stopped), or use "
                            "force: true." % (client.url, text), readers=[name for name, _state, _topics in found])


def _readers(client, kafka, topics) -> list:
    """[(sink, its state, the topics)]"""
    found = []
    for name, parts in sorted(client.connectors().items()):
        connector, config = Connector(parts.get("status") or {}), (parts.get("info") or {}).get("config") or {}
        read = reads(config, topics)
        if read and not connector.stopped and "sink" in (connector.kind, (parts.get("info") or {}).get("type")) and _is_here(client, kafka, config):
            found.append((name, connector.state, ", ".join(read)))
    return found


def _is_here(client, kafka, config) -> bool:
    """Does it read from the cluster that has the topics?"""
    own = addresses(config.get(_BROKERS))
    return kafka.has(own) if own else client.root().get("kafka_cluster_id") in (None, kafka.cluster_id)
