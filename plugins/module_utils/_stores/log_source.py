# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Where records of offsets are kept: what LogReader and TopicStore ask of the topics of a Kafka cluster, and of a file."""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import EMPTY
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.record_size import WORKER_BYTES
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import TOPIC, WRITE

_PAUSE = 0.2


class LogSource:
    """Logs by their names, each with partitions that records are added to. Methods raise ConnectError."""

    def topic(self, name: str):
        """The _kafka.admin.Topic. Raises NoTopic."""
        raise NotImplementedError

    def starts(self, topic) -> dict:
        """{partition: offset of the first record}"""
        raise NotImplementedError

    def ends(self, topic) -> tuple:
        """({partition: up to where it can be read}, {partition: its end}); they differ while a transaction is open."""
        raise NotImplementedError

    def read(self, topic, starts: dict, ends: dict):
        """Yield lists of messages, as confluent-kafka gives them."""
        raise NotImplementedError

    def check(self, log) -> list:
        """Warnings about an OffsetLog that was read for the first time. Raises NotOffsetsTopic for what holds other things."""
        raise NotImplementedError

    def write(self, records, transactional_id: str, finishes=False) -> None:
        """[(log, partition, key, value or None)], all of them or none. The caller reads back. finishes: they may have been written already, by a run with
        the same transactional id that did not end.
        """
        raise NotImplementedError

    # ---- whether a write would be refused --------------------------------------------------------------------------

    def most_bytes(self, name: str):
        """The largest record that it takes; None for no limit."""
        return None

    def missing_acls(self, names) -> list:
        """The rights (_kafka.acl.Right) to write to these that the user certainly lacks."""
        return []

    def check_writable(self) -> None:
        """What else keeps it from being written, as far as that can be known before."""


class KafkaLogs(LogSource):
    """Topics of a Kafka cluster."""

    def __init__(self, kafka, sleep=time.sleep, clock=time.monotonic):
        """kafka: KafkaClient."""
        self.kafka = kafka
        self._topics = {}
        self._sleep = sleep
        self._clock = clock

    def topic(self, name: str):
        if name not in self._topics:
            self._topics[name] = self.kafka.admin.topic(name)
        return self._topics[name]

    def starts(self, topic) -> dict:
        return self.kafka.offsets.starts(topic)

    def ends(self, topic) -> tuple:
        return self.kafka.offsets.ends(topic)

    def read(self, topic, starts: dict, ends: dict):
        return self.kafka.reader.read(topic, starts, ends)

    def check(self, log) -> list:
        name = log.topic.name
        if not log.records:
            if "compact" not in (log.topic.cleanup_policy or "compact"):
                raise errors.NotOffsetsTopic(EMPTY % (name, log.topic.cleanup_policy))
            return []
        if not log.is_of_offsets():
            raise errors.NotOffsetsTopic(
                "The topic %s is no offsets topic: none of its %d records has a key such as [\"connector\",{...}]. Give the value of "
                "the workers' offset.storage.topic." % (name, log.records))
        wrong, looked = log.misplaced()
        return [] if not wrong else [
            "%d of %d keys looked at on %s do not lie where Connect's producer puts them among %d partitions: partitions "
            "were added to the topic, or somebody wrote with another partitioner, or the workers use one of their own. Keys "
            "that are there are changed where they are; one that is new goes where Connect's producer would put it."
            % (wrong, looked, name, log.topic.partitions)]

    def write(self, records, transactional_id: str, finishes=False) -> None:
        """In one transaction."""
        places = {(topic, number) for topic, number, key, value in records}
        with errors.WRITES.sending():
            self.kafka.write(records, transactional_id, ready=lambda: self._await_open_transactions(places, finishes))

    def _await_open_transactions(self, places, finishes) -> None:
        """A change behind a transaction of somebody else could not be read back before that ends. Raises StateError.

        Where it finishes that of an earlier run, the transaction may be that one's: committed, but without an end on the topic, as brokers leave it that
        stopped in between (see TopicLedger). The next one of the same transactional id ends it.
        """
        topics = [self.topic(name) for name in sorted({topic for topic, number in places})]
        end = self._clock() + self.kafka.timeout
        while True:
            behind = {(topic.name, number) for topic in topics for number in hidden(*self.ends(topic))} & places
            if not behind or finishes and self._clock() > end:
                return
            if self._clock() > end:
                raise errors.StateError(
                    "A transaction of another producer has been open on %s for more than %g s, and a change behind it could not be read "
                    "back. An exactly-once task that hangs, or one that died: kafka-transactions.sh finds and aborts it."
                    % (", ".join("%s-%d" % place for place in sorted(behind)), self.kafka.timeout))
            self._sleep(_PAUSE)

    def most_bytes(self, name: str):
        """Where the brokers do not show it, what workers write."""
        return self.topic(name).max_bytes or WORKER_BYTES

    def missing_acls(self, names) -> list:
        """Those to open a transaction cannot be asked for."""
        return self.kafka.permissions.missing_acls([(WRITE, TOPIC, name) for name in sorted(names)])


def hidden(ends: dict, all_ends: dict) -> set:
    """The partitions where an open transaction hides what is behind it, from what ends() gives."""
    return {number for number, end in ends.items() if end < all_ends[number]}
