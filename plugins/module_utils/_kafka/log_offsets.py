# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Where the logs of topics begin, end, and were at a time."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import EARLIEST, LATEST
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.connection import confluent_kafka


class LogOffsets:
    """Methods raise NoTopic, BrokerDenied, BrokerError."""

    def __init__(self, connection):
        self._connection = connection

    def of(self, places, where, committed: bool = False) -> dict:
        """{(topic, partition): (offset, time of the record in milliseconds or None)} for EARLIEST, LATEST, or a time in milliseconds.

        By a time it is the first record of that time or later; offset None where there is none. committed: as a reader of committed
        records sees it. All places in one go, however many topics.
        """
        places = sorted(places)
        return self._connection.patiently(lambda admin: self._of(admin, places, where, committed)) if places else {}

    def _of(self, admin, places, where, committed) -> dict:
        kinds, levels = confluent_kafka.admin.OffsetSpec, confluent_kafka.IsolationLevel
        spec = kinds.earliest() if where == EARLIEST else kinds.latest() if where == LATEST else kinds.for_timestamp(where)
        futures = admin.list_offsets({confluent_kafka.TopicPartition(*place): spec for place in places},
                                     isolation_level=levels.READ_COMMITTED if committed else levels.READ_UNCOMMITTED,
                                     request_timeout=self._connection.timeout)
        found = {}
        for place, future in futures.items():
            one = self._connection.result("the ends of %s" % place.topic, future, place.topic)
            found[place.topic, place.partition] = (one.offset if one.offset >= 0 else None, one.timestamp if one.timestamp >= 0 else None)
        return found

    def starts(self, topic) -> dict:
        """{partition: offset of the first record that is still there}. topic: Topic."""
        return self._numbers(topic, EARLIEST)

    def ends(self, topic) -> tuple:
        """({partition: end for a reader of committed records}, {partition: end of all records})."""
        return self._numbers(topic, LATEST), self._numbers(topic, LATEST, committed=False)

    def _numbers(self, topic, where, committed=True) -> dict:
        """Of one topic, the offsets alone."""
        places = [(topic.name, number) for number in range(topic.partitions)]
        return {place[1]: offset for place, (offset, _time) in self.of(places, where, committed).items()}
