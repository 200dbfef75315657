# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bitmaps, ranges and the log's ends: pure."""

from __future__ import annotations

import random

import pytest
from verify_replay.errors import JobError
from verify_replay.expectation import Check, Expectation, Range
from verify_replay.facts import buckets, merge, unset
from verify_replay.job import look, require
from verify_replay.log import Ends, Unreadable, clip
from verify_replay.options import Properties, jdbc_options, kafka_options, source_options
from verify_replay.scan import pack, unpack


def test_unset_bits_against_a_plain_loop():
    random.seed(5)
    for _round in range(50):
        present = {random.randrange(512) for _number in range(random.choice((0, 5, 250, 2000)))}
        bits = sum(1 << n for n in present).to_bytes(64, "little")
        low, high = sorted(random.sample(range(900, 1700), 2))
        expected = [n for n in range(max(low, 1024), min(high, 1536)) if n - 1024 not in present]
        found = unset(bits, 1024, low, high) if low < 1536 and high > 1024 else []
        assert [n for start, end in found for n in range(start, end)] == expected
        assert found == merge(found)


def test_merge():
    assert merge([(5, 7), (0, 3), (3, 4), (6, 9)]) == [(0, 4), (5, 9)]


def test_positions():
    assert unpack(pack(131_071, (1 << 46) - 1)) == (131_071, (1 << 46) - 1)
    assert unpack(pack(0, 7)) == (0, 7)


def test_clip():
    ranges = {0: Range(0, 5, 10), 1: Range(0, 5, 10), 2: Range(0, 5, 10), 3: Range(0, 5, 10), 4: Range(3, 3, 3)}
    ends = {0: Ends(0, 12, 12), 1: Ends(4, 10, 10), 2: Ends(0, 7, 9), 3: Ends(50, 60, 60), 4: Ends(0, 0, 0)}
    windows, lost = clip(ranges, ends)
    assert windows == {0: (0, 10), 1: (4, 10), 2: (0, 7), 3: (10, 10), 4: (3, 3)}
    assert lost == [
        Unreadable(1, 0, 4, "no longer in the log"),
        Unreadable(2, 7, 9, "held back by an open transaction"),
        Unreadable(2, 9, 10, "not in the log"),
        Unreadable(3, 0, 10, "no longer in the log"),
    ]


def test_secrets_come_from_properties():
    properties = Properties(
        [
            ("spark.verify_replay.kafka.main.sasl.jaas.config", "x"),
            ("spark.verify_replay.kafka.main2.a", "y"),
            ("spark.verify_replay.jdbc.orders.password", "z"),
            ("spark.master", "local"),
        ]
    )
    client = kafka_options({"bootstrap.servers": "b", "request.timeout.ms": "1"}, properties, "main")
    assert client["sasl.jaas.config"] == "x" and client["request.timeout.ms"] == "1" and "a" not in client
    options = source_options(client, "read_committed")
    assert options["kafka.sasl.jaas.config"] == "x" and options["kafka.isolation.level"] == "read_committed"
    table = jdbc_options({"url": "jdbc:postgresql://x", "table": "t"}, properties, "orders")
    assert table["password"] == "z" and table["dbtable"] == "t" and table["driver"] == "org.postgresql.Driver"


def test_another_cluster_is_refused():
    class Fake:
        def cluster_id(self, _name):
            return "found"

    expected = Expectation(None, {"main": {}}, {"main": "wanted"}, {}, {}, [])
    with pytest.raises(JobError, match="cluster main is another one: its id is found, the document says wanted"):
        look(expected, Fake())


def test_a_jar_that_is_needed():
    sink = Check(0, "sink", "t", "n", {"key_format": "string", "value_format": "avro"})
    expected = Expectation(None, {}, {}, {}, {}, [Check(0, "count", "t", "n", {}), sink])
    require(expected, "4.2.0", lambda _name: True)
    with pytest.raises(JobError, match=r"the jar of org.apache.spark:spark-avro_2.13:4.2.0 is missing"):
        require(expected, "4.2.0", lambda _name: False)
    sink.parameters["value_format"] = "json"
    require(expected, "4.2.0", lambda _name: False)


def test_buckets_of_ranges():
    assert buckets({0: [(5, 6), (32_767, 32_769)], 2: [(65_536, 65_537)]}) == [(0, 0), (0, 1), (2, 2)]
