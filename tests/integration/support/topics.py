# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies on the topics: read with a plain Kafka client, from the beginning to the present end."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition

from tests.integration.support.worker import wait_until


class Record(NamedTuple):
    partition: int
    key: str | None
    value: str | None


class Kafka:
    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers

    def records(self, topic: str) -> list[Record]:
        """All records, each partition in its order; none if there is no such topic."""
        consumer = Consumer(self._settings("streamops-test-reader", **{"enable.partition.eof": True, "fetch.wait.max.ms": 20}))
        try:
            known = consumer.list_topics(topic, timeout=20).topics[topic]
            left = set() if known.error else set(known.partitions)
            consumer.assign([TopicPartition(topic, number, 0) for number in left])
            found = []
            while left:
                message = consumer.poll(20)
                assert message is not None, f"no end of {topic}"
                if not message.error():
                    found.append(Record(message.partition(), _text(message.key()), _text(message.value())))
                elif message.error().code() == KafkaError._PARTITION_EOF:
                    left.discard(message.partition())
                else:
                    raise AssertionError(message.error())
            return found
        finally:
            consumer.close()

    def values(self, topic: str) -> list[str | None]:
        return [record.value for record in self.records(topic)]

    def live_offsets(self, topic: str, connector: str) -> dict[str, str]:
        """Raw key -> raw value of the records that count for one connector on an offsets topic."""
        live = {(one.partition, one.key): one.value for one in self.records(topic)
                if one.key and json.loads(one.key)[0] == connector}
        return {key: value for (_partition, key), value in live.items() if value is not None}

    def produce(self, topic: str, values: list[str]) -> None:
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "linger.ms": 0})
        for value in values:
            producer.produce(topic, value.encode())
        assert producer.flush(20) == 0

    @contextmanager
    def member(self, group: str, topic: str):
        """A live consumer in a group that is not ours."""
        consumer = Consumer(self._settings(group, **{"session.timeout.ms": 6000}))
        try:
            consumer.subscribe([topic])
            wait_until(lambda: consumer.poll(0.5) or consumer.assignment(), reason="an assignment")
            yield
        finally:
            consumer.close()

    def _settings(self, group: str, **more) -> dict:
        return {"bootstrap.servers": self.bootstrap_servers, "group.id": group, "enable.auto.commit": False,
                "auto.offset.reset": "earliest", "allow.auto.create.topics": False, **more}


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
