# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""One Kafka cluster over confluent-kafka, by the parts that read and change it."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.record_size import MOST_OVERHEAD
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.admin import TopicAdmin
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.connection import KAFKA_TRACEBACK, Connection
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.groups import ConsumerGroups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.log_offsets import LogOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.permissions import Permissions
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.reader import RecordReader
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.writer import Writer

__all__ = ["KAFKA_TRACEBACK", "KafkaClient"]

_LARGEST_BATCH = 1000000


class KafkaClient:
    """All methods and those of the parts raise BrokerError and its kinds; messages name the brokers and what is missing."""

    def __init__(self, settings: dict, timeout: float = 30):
        """settings: librdkafka's, with bootstrap.servers. timeout: seconds to get an answer, or without any progress."""
        self._connection = Connection(settings, timeout)
        self.brokers = self._connection.brokers
        self.timeout = timeout
        self.permissions = Permissions(self._connection)
        self.offsets = LogOffsets(self._connection)
        self.admin = TopicAdmin(self._connection, self.permissions, self.offsets)
        self.groups = ConsumerGroups(self._connection, self.permissions)
        self.reader = RecordReader(self._connection, self.admin)
        self._cluster = None

    def close(self) -> None:
        """Let go of connections and threads."""
        self._connection.close()

    @property
    def cluster_id(self) -> str:
        return self._described().cluster_id

    def has(self, addresses) -> bool:
        """Is one of these (host:port, in small letters) a broker of this cluster, by the names that it has here?"""
        given = {one.strip().lower() for one in self.brokers.split(",")}
        return bool(given & addresses) or bool(addresses & {"%s:%d" % (node.host.lower(), node.port) for node in self._described().nodes})

    def _described(self):
        if self._cluster is None:
            self._cluster = self._connection.patiently(
                lambda admin: self._connection.result("the cluster id", admin.describe_cluster(request_timeout=self.timeout)))
        return self._cluster

    def write(self, records, transactional_id: str, ready=None) -> None:
        """All records [(topic name, partition, key, value or None)] in one transaction: see Writer.

        Whether a topic takes a record of its size the caller knows (see record_bytes); the client's own limit is raised to what is there.
        """
        largest = max((len(key) + len(value or b"") for _topic, _place, key, value in records), default=0) + MOST_OVERHEAD
        limits = self.admin.max_bytes
        batch = min([_LARGEST_BATCH] + [limits[topic] for topic in {record[0] for record in records} if topic in limits])
        self.writer(transactional_id, {"queue.buffering.max.messages": 1000000, "message.max.bytes": max(_LARGEST_BATCH, largest),
                                       "batch.size": batch}).write(records, ready)

    def writer(self, transactional_id: str, settings=None) -> Writer:
        """For several transactions one after the other. settings: librdkafka's; the user's own count more."""
        return Writer(self._connection, transactional_id, settings or {})
