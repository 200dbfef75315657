# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies on the topics: read with a plain Kafka client, from the beginning to the present end."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from functools import cached_property
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, NewPartitions, NewTopic, ResourceType

from tests.integration.support.worker import wait_until


def bounds(consumer: Consumer, topic: str, number: int, seconds: float = 30) -> tuple[int, int]:
    """Beginning and end of a partition. One just created has no leader for a moment, as far as this client knows."""
    end = time.monotonic() + seconds
    while True:
        try:
            return consumer.get_watermark_offsets(TopicPartition(topic, number), 20)
        except KafkaException as error:
            if not error.args[0].retriable() and error.args[0].code() != KafkaError.NOT_LEADER_FOR_PARTITION or time.monotonic() > end:
                raise
        time.sleep(0.2)


class Record(NamedTuple):
    partition: int
    key: str | None
    value: str | None


class Raw(NamedTuple):
    """A record as it lies there; value None is a tombstone."""

    partition: int
    key: bytes | None
    value: bytes | None


class Kafka:
    def __init__(self, bootstrap_servers: str) -> None:
        self.bootstrap_servers = bootstrap_servers

    def records(self, topic: str) -> list[Record]:
        """All records, each partition in its order; none if there is no such topic."""
        return [Record(one.partition, _text(one.key), _text(one.value)) for one in self.raw_records(topic)]

    def raw_records(self, topic: str, isolation: str = "read_committed") -> list[Raw]:
        """The same, as bytes."""
        consumer = Consumer(self._settings("streamops-test-reader", **{
            "enable.partition.eof": True, "fetch.wait.max.ms": 20, "isolation.level": isolation}))
        try:
            known = consumer.list_topics(topic, timeout=20).topics[topic]
            left = set() if known.error else set(known.partitions)
            consumer.assign([TopicPartition(topic, number, 0) for number in left])
            found = []
            while left:
                message = consumer.poll(20)
                assert message is not None, f"no end of {topic}"
                if not message.error():
                    found.append(Raw(message.partition(), message.key(), message.value()))
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

    def raw(self, topic: str, records: list[tuple[int, bytes | None, bytes | None]], transaction: str | None = None,
            compression: str = "none") -> None:
        """Exact records (partition, key, value); in a transaction of its own that is "committed" or "aborted"."""
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "linger.ms": 5 if len(records) > 1 else 0,
                             "compression.type": compression, **_transactional(transaction)})
        if transaction:
            producer.init_transactions(20)
            producer.begin_transaction()
        self._produce(producer, topic, records)
        if transaction:
            {"committed": producer.commit_transaction, "aborted": producer.abort_transaction}[transaction](20)

    @contextmanager
    def open_transaction(self, topic: str, records: list[tuple[int, bytes | None, bytes | None]]):
        """The records lie there, but whether they count is not decided before the end; then they do not."""
        producer = Producer({"bootstrap.servers": self.bootstrap_servers, "linger.ms": 0, **_transactional("open")})
        producer.init_transactions(20)
        producer.begin_transaction()
        self._produce(producer, topic, records)
        try:
            yield
        finally:
            producer.abort_transaction(20)

    def _produce(self, producer, topic, records) -> None:
        failed = []
        for partition, key, value in records:
            producer.produce(topic, value, key, partition, on_delivery=lambda error, _message: error and failed.append(error))
        assert producer.flush(20) == 0 and not failed, failed

    def ends(self, topic: str) -> dict[int, int]:
        """Where the next record would go; markers of transactions count."""
        consumer = Consumer(self._settings("streamops-test-reader"))
        try:
            numbers = consumer.list_topics(topic, timeout=20).topics[topic].partitions
            return {number: bounds(consumer, topic, number)[1] for number in numbers}
        finally:
            consumer.close()

    def create(self, topic: str, partitions: int = 5, policy: str = "compact", **settings: str) -> str:
        new = NewTopic(topic, partitions, 1, config={"cleanup.policy": policy, **settings})
        self._admin.create_topics([new])[topic].result(20)
        wait_until(lambda: self._is_led(topic), reason=topic)
        return topic

    def _is_led(self, topic: str) -> bool:
        try:
            return bool(self.ends(topic))
        except KafkaException:
            return False

    def widen(self, topic: str, partitions: int) -> None:
        self._admin.create_partitions([NewPartitions(topic, partitions)])[topic].result(20)
        wait_until(lambda: self._is_led(topic) and len(self.ends(topic)) == partitions, reason=f"{partitions} partitions")

    def set_policy(self, topic: str, policy: str) -> None:
        self.configure(topic, {"cleanup.policy": policy})

    def configure(self, topic: str, settings: dict[str, str]) -> None:
        entries = [ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in settings.items()]
        changed = self._admin.incremental_alter_configs([ConfigResource(ResourceType.TOPIC, topic, incremental_configs=entries)])
        for future in changed.values():
            future.result(20)

    def empty(self, topic: str, number: int) -> None:
        """Delete all records of a topic partition; refused for a topic that is only compacted."""
        self.delete(topic, {number: self.ends(topic)[number]})

    def delete(self, topic: str, before: dict[int, int]) -> None:
        """The records of each partition before an offset."""
        for future in self._admin.delete_records([TopicPartition(topic, *place) for place in before.items()]).values():
            future.result(20)

    def drop(self, topic: str) -> None:
        self._admin.delete_topics([topic])[topic].result(20)

    def exists(self, topic: str) -> bool:
        return topic in self._admin.list_topics(timeout=20).topics

    def groups(self) -> set[str]:
        return {group.group_id for group in self._admin.list_consumer_groups(request_timeout=20).result().valid}

    @cached_property
    def _admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.bootstrap_servers, "log_level": 0})

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


def _transactional(what: str | None) -> dict:
    return {"transactional.id": f"streamops-test-{what}"} if what else {}


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
