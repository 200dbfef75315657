# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first record of many partitions at once, as mirror_info reads it to tell how long something has waited."""

from __future__ import annotations

import time

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KafkaClient
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

PARTITIONS = 230


def produce(kafka, topic: str, partition: int, *records: tuple[int, bytes]) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers, "linger.ms": 20, "message.max.bytes": 1000000})
    for milliseconds, value in records:
        producer.produce(topic, value, partition=partition, timestamp=milliseconds)
    assert producer.flush(20) == 0


@pytest.fixture
def client(kafka):
    client = KafkaClient({"bootstrap.servers": kafka.bootstrap_servers}, 20)
    yield client
    client.close()


def test_more_partitions_than_are_read_at_a_time(client, lone, kafka):
    """Each from its own place on; small and very large records, in the order of the log and not of their times."""
    topic, now = lone(PARTITIONS, "delete"), int(time.time() * 1000)
    expected = {}
    for number in range(0, PARTITIONS, 2):
        large = b"x" * (400000 if number % 20 == 0 else 10)
        produce(kafka, topic, number, (now - 5, b"a"), (now - number, large), (now - 9000, b"b"))
        expected[topic, number] = now - number
    expected.update({(topic, number): False for number in range(1, PARTITIONS, 2)})
    starts = {(topic, number): 1 if number % 2 == 0 else 0 for number in range(PARTITIONS)}
    began = time.monotonic()
    assert client.reader.first_records(starts) == (expected, {})
    assert time.monotonic() - began < 20
    assert client.reader.first_records({}) == ({}, {})


def test_what_is_no_record(client, lone, kafka):
    """Markers and aborted records alone; an open transaction; a record behind aborted ones; an offset that is not there any more."""
    topic, now = lone(5, "delete"), int(time.time() * 1000)
    kafka.raw(topic, [(0, b"k", b"v"), (1, b"k", b"v")] * 50, transaction="aborted")
    produce(kafka, topic, 1, (now, b"v"))
    produce(kafka, topic, 3, *[(now, b"v")] * 5)
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})  # it gives no answer any more once it is forgotten
    for future in admin.delete_records([TopicPartition(topic, 3, 3)]).values():
        future.result(20)
    with kafka.open_transaction(topic, [(2, b"k", b"v")]):
        found, refused = client.reader.first_records({(topic, number): 0 for number in range(4)} | {(topic, 4): 7})
    assert found == {(topic, 0): False, (topic, 1): now, (topic, 2): False} and refused == {}


def test_a_topic_that_is_not_there(client, lone):
    topic = lone(1)
    assert client.reader.first_records({("gone-" + topic, 0): 0, (topic, 0): 0}) == ({(topic, 0): False}, {})


def test_dead_brokers():
    client = KafkaClient({"bootstrap.servers": "127.0.0.1:9"}, 2)
    began = time.monotonic()
    with pytest.raises(errors.BrokersUnreachable, match=r"127\.0\.0\.1:9 about the first records that wait"):
        client.reader.first_records({("t", 0): 0})
    assert time.monotonic() - began < 15
    client.close()
