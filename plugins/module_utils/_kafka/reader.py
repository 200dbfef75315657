# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Reads records, committed ones alone, and joins no consumer group."""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.connection import SLICE, confluent_kafka

_BATCH = 10000
_SETTINGS = {
    "group.id": "streamops-kafka-connect",  # demanded, never joined
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "error",
    "enable.partition.eof": True,
    "isolation.level": "read_committed",
    "allow.auto.create.topics": False,
    "fetch.wait.max.ms": 10,  # for which a broker may wait for more data
    "queued.max.messages.kbytes": 65536,  # of records not looked at yet
    "queued.min.messages": 20000, "fetch.queue.backoff.ms": 10,  # fewer make it fetch more; how often it looks (default: 1 s)
}
#: where only the first record of each partition is wanted: so many partitions at a time, of each enough bytes for a large batch (one that
#: does not fit comes alone), and so few records at once that most of what came with the first is never looked at
_FIRST_PLACES = 100
_FIRST_BYTES = 131072
_FIRST_RECORDS = 20
_DELETED_MS = 2000


class RecordReader:
    """Methods raise BrokerError and its kinds."""

    def __init__(self, connection, admin):
        """admin: the part of the same KafkaClient."""
        self._connection = connection
        self._admin = admin

    def read(self, topic, starts: dict, ends: dict):
        """Yield lists of committed messages of a Topic from starts to ends ({partition: offset}).

        Raises BrokerError when nothing comes for ``timeout`` seconds. Each partition's end is known by its offset or by
        the broker's own "end of partition", as transaction markers take offsets, too.
        """
        left = {number for number, end in ends.items() if end > starts[number]}
        if not left:
            return
        consumer = self._consumer()
        last = {number: end - 1 for number, end in ends.items()}
        try:
            consumer.assign([confluent_kafka.TopicPartition(topic.name, number, starts[number]) for number in left])
            patience = time.monotonic() + self._connection.timeout
            while left:
                batch = _next(consumer, _BATCH)
                found = self._wanted(batch, last, left, topic)
                if found:
                    yield found
                if batch:
                    patience = time.monotonic() + self._connection.timeout
                elif time.monotonic() > patience:
                    raise self._connection.failure("the records of %s" % topic.name, self._connection.heard, topic.name)
        finally:
            consumer.close()

    def _wanted(self, batch, last, left, topic) -> list:
        """The messages up to the last ones; partitions that are read to their end are taken from left."""
        found = []
        keep = found.append
        for message in batch:
            error = message.error()
            if error is None:
                ahead = last[message.partition()] - message.offset()
                if ahead >= 0:
                    keep(message)
                if ahead <= 0:
                    left.discard(message.partition())
            elif error.code() == confluent_kafka.KafkaError._PARTITION_EOF:
                left.discard(message.partition())
            else:
                self._check(error, topic)
        return found

    def _check(self, error, topic) -> None:
        """A broker that is away for a moment is waited for. So is a group's coordinator, as no group is used."""
        kinds = confluent_kafka.KafkaError
        self._connection.heard = error
        if error.code() == kinds._AUTO_OFFSET_RESET:
            raise errors.BrokerError("Records of %s went away while it was read (%s); try again." % (topic.name, error.str()),
                                     bootstrap_servers=self._connection.brokers)
        if error.code() in (kinds.TOPIC_AUTHORIZATION_FAILED, kinds.UNKNOWN_TOPIC_OR_PART, kinds._UNKNOWN_TOPIC, kinds._UNKNOWN_PARTITION):
            raise self._connection.failure("the records of %s" % topic.name, error, topic.name)

    def first_records(self, starts: dict) -> tuple:
        """The first committed record of each partition from an offset on. starts: {(topic, partition): offset}.

        Gives ({place: its time in milliseconds (None: it has none); False where there is no record}, {topic: why it cannot be read}).
        Places are missing whose offset or topic went away meanwhile. Raises BrokerError when nothing comes for ``timeout`` seconds.
        """
        found, refused, places = {}, {}, sorted(starts)
        for begin in range(0, len(places), _FIRST_PLACES):
            some = [place for place in places[begin:begin + _FIRST_PLACES] if place[0] not in refused]
            # One that is assigned others pauses for a second. A topic that is not there was deleted, and is not about to come.
            consumer = self._consumer({"fetch.message.max.bytes": _FIRST_BYTES, "topic.metadata.propagation.max.ms": _DELETED_MS})
            try:
                consumer.assign([confluent_kafka.TopicPartition(*place, starts[place]) for place in some])
                self._first_records(consumer, set(some), found, refused)
            finally:
                consumer.close()
        return found, refused

    def _first_records(self, consumer, left, found, refused) -> None:
        patience = time.monotonic() + self._connection.timeout
        while left:
            done = self._take(_next(consumer, _FIRST_RECORDS), left, found, refused)
            left -= done
            heard = self._connection.heard
            if done:
                # So that no more of it comes: the next ones are for others.
                consumer.pause([confluent_kafka.TopicPartition(*place) for place in done])
                patience = time.monotonic() + self._connection.timeout
            elif heard is not None and heard.code() == confluent_kafka.KafkaError.UNKNOWN_TOPIC_OR_PART:
                self._connection.heard = None
                counts = self._admin.partition_counts(topic for topic, number in left)
                left -= {place for place in left if counts[place[0]] is None}
            elif time.monotonic() > patience:
                raise self._connection.failure("the first records that wait", heard)

    def _take(self, messages, left, found, refused) -> set:
        """Those of the places that are left that these messages are the end of; fills found and refused."""
        done, kinds = set(), confluent_kafka.KafkaError
        for message in messages:
            place, error = (message.topic(), message.partition()), message.error()
            if place in done or place not in left and error is None:
                continue  # more than was asked for
            if error is None:
                kind, milliseconds = message.timestamp()
                found[place] = milliseconds if kind else None
            elif error.code() == kinds._PARTITION_EOF:
                found.setdefault(place, False)
            elif error.code() == kinds.TOPIC_AUTHORIZATION_FAILED:
                refused[place[0]] = self._connection.failure("the records of %s" % place[0], error, place[0])
                done |= {one for one in left if one[0] == place[0]}
            elif error.code() not in (kinds._AUTO_OFFSET_RESET, kinds._UNKNOWN_PARTITION):
                self._connection.heard = error
                continue
            done.add(place)
        return done & left

    def _consumer(self, more=None):
        return self._connection.make(confluent_kafka.Consumer, dict(self._connection.settings, **dict(_SETTINGS, **more or {})))


def _next(consumer, most) -> list:
    """Many at once, but without waiting until there are many."""
    return consumer.consume(most, 0) or [message for message in [consumer.poll(SLICE)] if message is not None]
