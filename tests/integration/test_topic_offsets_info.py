# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""topic_offsets_info against a real broker: every number, and what is refused."""

from __future__ import annotations

import time
import uuid

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from tests.integration.support.modules import run_module
from tests.integration.support.worker import wait_until


@pytest.fixture
def look(kafka):
    """look(*topics, **options) -> result; it fails the test if the module fails."""

    def look(*topics: str, fine: bool = True, **options) -> dict:
        desired = {"bootstrap_servers": [kafka.bootstrap_servers], "kafka_timeout": 20, "topics": list(topics), **options}
        found = run_module("topic_offsets_info", desired)
        assert found["failed"] is not fine, found
        assert found.get("changed", False) is False
        if fine:  # the words of a failure can hold times
            assert run_module("topic_offsets_info", desired, check=True) == found
        return found

    return look


def numbers(found: dict, topic: str | None = None) -> list[tuple]:
    """(begin, end, by_time) of each partition of one topic."""
    one, = [one for one in found["topics"] if topic in (None, one["name"])]
    assert [each["partition"] for each in one["partitions"]] == list(range(len(one["partitions"])))
    assert one["records_at_most"] == sum(each["end"] - each["begin"] for each in one["partitions"])
    return [(each["begin"], each["end"], each["by_time"]) for each in one["partitions"]]


def test_an_empty_topic(look, lone, kafka):
    topic = lone(3)
    found = look(topic, timestamp="2026-01-31T12:00:00Z")
    assert numbers(found) == [(0, 0, None)] * 3
    assert found["topics"][0]["name"] == topic and found["timestamp"] == 1769860800000
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    assert found["cluster_id"] == admin.describe_cluster().result(20).cluster_id


def test_transactions(look, lone, kafka):
    """Each marker takes an offset; an open transaction holds the committed end back."""
    topic = lone(2, "delete")
    kafka.raw(topic, [(0, b"a", b"1"), (0, b"b", b"2")])
    kafka.raw(topic, [(0, b"c", b"3")], transaction="committed")
    kafka.raw(topic, [(0, b"d", b"4")], transaction="aborted")
    assert numbers(look(topic)) == [(0, 6, None), (0, 0, None)]
    with kafka.open_transaction(topic, [(0, b"e", b"5"), (1, b"f", b"6")]):
        assert numbers(look(topic)) == [(0, 6, None), (0, 0, None)]
        assert numbers(look(topic, isolation="read_uncommitted")) == [(0, 7, None), (0, 1, None)]
    wait_until(lambda: numbers(look(topic)) == [(0, 8, None), (0, 2, None)], reason="the end of the transaction")
    assert kafka.ends(topic) == {0: 8, 1: 2}


def test_records_that_were_deleted(look, lone, kafka):
    topic = lone(2, "delete")
    kafka.raw(topic, [(number, b"k", b"v") for number in (0, 1) for _each in range(10)])
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    for future in admin.delete_records([TopicPartition(topic, 1, 7)]).values():
        future.result(20)
    early, late = look(topic, timestamp="1970-01-01T00:00:00Z"), look(topic, timestamp="2040-01-31 12:00 UTC")
    assert f"is before the first record of {topic}-0" in early["warnings"][0]
    assert f"is after the last record of {topic}-0" in late["warnings"][0]
    assert numbers(early) == [(0, 10, 0), (7, 10, 7)]


def test_by_time(look, lone, kafka):
    """The first record of that time or later, though records do not come in the order of their times."""
    topic = lone(1, "delete")
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    now = int(time.time() * 1000)
    for moment in (now - 3000, now - 1000, now - 2000, now):
        producer.produce(topic, b"v", partition=0, timestamp=moment)
        assert producer.flush(20) == 0
    for moment, offset in ((now - 9000, 0), (now - 2500, 1), (now - 1000, 1), (now - 999, 3), (now, 3), (now + 1, None)):
        assert numbers(look(topic, timestamp=str(moment))) == [(0, 4, offset)]


def test_globs(look, lone, kafka, main):
    """Kafka's own topics only by name; nothing that fits is no failure."""
    one, two = lone(1), lone(2)
    groups = kafka.groups()
    stem = one[:-4]
    found = look(f"{stem}*", two, f"{two}*")
    assert [topic["name"] for topic in found["topics"]] == sorted([one, two])
    everything = {topic["name"] for topic in look("*")["topics"]}
    assert {one, two, main.offset_topic} <= everything and not any(name.startswith("__") for name in everything)
    none = look("nothing-*", "__*")
    assert none["topics"] == [] and [("nothing-*" in text or "__*" in text) for text in none["warnings"]] == [True, True]
    with kafka.member(f"g-{one}", one):
        assert numbers(look("__consumer_offsets"))[0][0] == 0
    assert {group for group in kafka.groups() if not group.startswith("g-")} == {group for group in groups if not group.startswith("g-")}


def test_a_missing_topic_is_named_and_not_created(look, lone, kafka):
    name = f"gone-{uuid.uuid4().hex[:8]}"
    found = look(lone(1), name, fine=False)
    assert f"no topic {name}" in found["msg"] and "not created" in found["msg"]
    assert not kafka.exists(name)


@pytest.mark.parametrize("options, words", [
    ({"bootstrap_servers": None}, "bootstrap_servers"),
    ({"bootstrap_servers": [""], "connect_url": ["http://127.0.0.1:9"]}, "bootstrap_servers is empty"),
    ({"topics": [""]}, "topics is empty"),
    ({"timestamp": "noon"}, "timestamp noon cannot be used"),
    ({"isolation": "dirty"}, "isolation"),
])
def test_what_cannot_be_answered(look, options, words):
    began = time.monotonic()
    found = look(*options.pop("topics", ["any"]), fine=False, **options)
    assert words in found["msg"]
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("topics", [["no-such-topic"], ["*"]])
def test_dead_brokers(look, topics):
    found = look(*topics, fine=False, bootstrap_servers=["127.0.0.1:9"], kafka_timeout=2)
    assert "No answer" in found["msg"] and found["bootstrap_servers"] == "127.0.0.1:9"
