# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Single checks on records with known answers: Spark, but no broker."""

from __future__ import annotations

import base64
import hashlib
import json
from types import SimpleNamespace

import pytest
from pyspark.sql import functions as F
from verify_replay import groups, scan
from verify_replay.checks import TYPES
from verify_replay.expectation import Check, Range, Topic
from verify_replay.job import session
from verify_replay.reading import slim_rows
from verify_replay.scratch import Scratch

from tests.verify.world import World


@pytest.fixture
def world(spark):
    return World(spark)


def places(result):
    return [(sample["partition"], sample["offset"]) for sample in result.samples]


def values(partition, first, *texts):
    return [(partition, first + index, "k", text) for index, text in enumerate(texts)]


def test_replayed_in_full(world):
    world.topic("t", values(0, 0, "a", "b", "c") + values(0, 3, "c", "b", "a"), {0: (0, 3, 6)})
    result = world.judge("replayed", "t")
    assert result.verdict == "pass" and result.figures["replayed"] == 3 and result.samples == []


def test_replayed_names_what_is_missing(world):
    world.topic("t", values(0, 0, "a", "b", "c") + values(1, 5, "d", "e") + values(0, 3, "c", "a"), {0: (0, 3, 5), 1: (5, 7, 7)})
    result = world.judge("replayed", "t")
    assert result.verdict == "fail"
    assert result.figures == {"expected": 5, "replayed": 2, "missing": 3, "ratio": 0.4, "min_ratio": 1.0}
    assert places(result) == [(0, 1), (1, 5), (1, 6)]
    assert world.judge("replayed", "t", min_ratio=0.4).verdict == "pass"
    assert world.judge("replayed", "t", min_ratio=0.41).verdict == "fail"


def test_replayed_looks_at_its_range_only(world):
    world.topic("t", values(0, 0, "a", "b", "c") + values(0, 3, "b", "c"), {0: (0, 3, 5)})
    assert world.judge("replayed", "t", ranges={"0": {"start": 1, "end": 3}}).verdict == "pass"
    result = world.judge("replayed", "t", ranges={"0": {"start": 0, "end": 2}})
    assert result.verdict == "fail" and places(result) == [(0, 0)]


def test_one_lost_and_one_doubled_is_not_none(world):
    world.topic("t", values(0, 0, "a", "b") + values(0, 2, "a", "a"), {0: (0, 2, 4)})
    result = world.judge("replayed", "t")
    assert result.verdict == "fail" and places(result) == [(0, 1)]


def test_equal_records_have_to_come_as_often(world):
    world.topic("t", values(0, 0, "a", "a") + values(0, 2, "a"), {0: (0, 2, 3)})
    assert world.judge("replayed", "t").figures["missing"] == 1
    assert world.judge("replayed", "t", distinct=True).verdict == "pass"


def test_key_and_value_are_told_apart(world):
    world.topic("t", [(0, 0, None, "x"), (0, 1, "ab", "c"), (0, 2, "x", None), (0, 3, "a", "bc")], {0: (0, 2, 4)})
    assert world.judge("replayed", "t").figures["replayed"] == 0
    world.topic("t", [(0, 0, "k1", "x"), (0, 1, "k2", "x")], {0: (0, 1, 2)})
    assert world.judge("replayed", "t", by="value").verdict == "pass"
    assert world.judge("replayed", "t", by="key").verdict == "fail"


def test_nothing_visible_to_replay_is_not_a_pass(world):
    world.topic("t", values(0, 0, "a"), {0: (0, 0, 1)})
    assert world.judge("replayed", "t").verdict == "cannot_tell"


def test_range_that_retention_took(world):
    # 0..3 are gone. What is left came again, so nothing is proven.
    left = values(0, 4, "e", "f")
    world.topic("t", left + values(0, 6, "e", "f"), {0: (0, 6, 8)}, ends={0: (4, 8, 8)})
    result = world.judge("replayed", "t")
    assert result.verdict == "cannot_tell" and "partition 0 offsets 0..3 no longer in the log" in result.sentence
    # Of what is left something is missing: even if all of the rest had come, it would not be enough.
    world.topic("t", left + values(0, 6, "f"), {0: (0, 6, 7)}, ends={0: (4, 7, 7)})
    result = world.judge("replayed", "t")
    assert result.verdict == "fail" and places(result) == [(0, 4)] and "no longer in the log" in result.sentence
    # A range of the check that is still there is judged.
    world.topic("t", left + values(0, 6, "e", "f"), {0: (0, 6, 8)}, ends={0: (4, 8, 8)})
    assert world.judge("replayed", "t", ranges={"0": {"start": 4, "end": 6}}).verdict == "pass"


def test_open_transaction_hides_the_end(world):
    world.topic("t", values(0, 0, "a", "b") + values(0, 2, "a"), {0: (0, 2, 4)}, ends={0: (0, 3, 4)})
    result = world.judge("replayed", "t")
    assert result.verdict == "cannot_tell" and "offsets 3..3 held back by an open transaction" in result.sentence


@pytest.mark.parametrize(("texts", "tasks"), [("abcdefghij", 2), ("aaaaaaaaab", None)], ids=["most differ", "most are equal"])
def test_many_records(world, monkeypatch, texts, tasks):
    """They are shuffled before they are grouped where most differ; what is found is the same."""
    world.topic("t", values(0, 0, *texts) + values(0, 10, *texts[:-1]) + values(1, 7, "j"), {0: (0, 10, 19), 1: (7, 7, 8)})
    usual = world.judge("replayed", "t")
    monkeypatch.setattr(groups, "LARGE", 20)
    monkeypatch.setattr(groups, "PER_TASK", 10)
    monkeypatch.setattr(groups, "SAMPLE", 10)
    made, shuffled = groups.Groups._shuffled, []
    monkeypatch.setattr(groups.Groups, "_shuffled", lambda self: shuffled.append(made(self)) or shuffled[-1])
    many = world.judge("replayed", "t")
    assert many == usual and many.figures["missing"] == (0 if tasks else 1)
    [rows] = shuffled
    plan = rows._jdf.queryExecution().optimizedPlan().toString()
    assert ("RepartitionByExpression" in plan) is bool(tasks) and (not tasks or f", {tasks}" in plan), plan


def test_not_replayed(world):
    world.topic("t", values(0, 0, "a", "b", "c") + values(0, 3, "d"), {0: (0, 3, 4)})
    assert world.judge("not_replayed", "t").verdict == "pass"
    world.topic("t", values(0, 0, "a", "b", "c") + values(0, 3, "d", "b"), {0: (0, 3, 5)})
    result = world.judge("not_replayed", "t")
    assert result.verdict == "fail" and places(result) == [(0, 4)]
    assert world.judge("not_replayed", "t", ranges={"0": {"start": 0, "end": 1}}).verdict == "pass"
    assert world.judge("not_replayed", "t", max=1).verdict == "pass"
    world.topic("t", values(0, 0, "a"), {0: (0, 1, 1)})
    assert world.judge("not_replayed", "t").verdict == "cannot_tell"


def test_keys_present(world):
    world.topic("t", [(0, 0, "a", "1"), (0, 1, "b", "1"), (0, 2, None, "1"), (0, 3, "a", "2")], {0: (0, 3, 4)})
    result = world.judge("keys_present", "t")
    assert result.verdict == "fail" and result.figures["keys"] == 2 and places(result) == [(0, 1)]
    assert world.judge("keys_present", "t", max_missing=1).verdict == "pass"


def test_count_is_not_end_minus_start(world):
    world.topic("t", values(0, 0, "a") + values(0, 3, "b"), {0: (0, 1, 6)})
    assert world.judge("count", "t", min=1, max=1).verdict == "pass"
    assert world.judge("count", "t", min=5).verdict == "fail"
    world.topic("t", values(0, 0, "a"), {0: (0, 1, 1)})
    assert world.judge("count", "t", min=1).verdict == "fail"
    assert world.judge("count", "t", max=9).verdict == "cannot_tell"
    assert world.judge("count", "t", min=0, max=0).verdict == "pass"


def test_duplicates_within_after(world):
    world.topic("t", values(0, 0, "a", "a") + values(0, 2, "b", "c", "b", "b"), {0: (0, 2, 6)})
    result = world.judge("duplicates", "t")
    assert result.verdict == "fail" and result.figures["duplicates"] == 2 and places(result) == [(0, 5)]
    assert world.judge("duplicates", "t", max=2).verdict == "pass"
    world.topic("t", values(0, 0, "a", "a"), {0: (0, 2, 2)})
    assert world.judge("duplicates", "t").verdict == "cannot_tell"


def test_gaps_and_what_explains_them(world):
    # 0..2 committed, 3 a marker, 4..5 aborted, 6 a marker; then 8..9 lost.
    seen = values(0, 0, "a", "b", "c") + values(0, 7, "d")
    ranges = {0: (0, 3, 10)}
    world.topic("t", seen, ranges, uncommitted=seen + values(0, 4, "x", "y"))
    result = world.judge("gaps", "t")
    figures = {"offsets": 10, "holes": 6, "aborted": 2, "markers": 2, "compacted": 0, "unexplained": 2}
    assert result.verdict == "fail" and result.figures == figures
    assert [(sample["offset"], sample["end"]) for sample in result.samples] == [(8, 10)]
    assert world.judge("gaps", "t", part="before").verdict == "pass"
    assert world.judge("gaps", "t", marker_run=2).verdict == "pass"
    assert world.judge("gaps", "t", compacted=True).figures["compacted"] == 4
    world.topic("t", seen, ranges, compacted=True)
    assert world.judge("gaps", "t").verdict == "pass"


def test_gaps_at_both_ends_and_of_whole_bitmaps(world):
    world.topic("t", values(0, 40_000, "a") + values(0, 140_000, "b"), {0: (10, 20, 150_000), 1: (0, 0, 7)})
    result = world.judge("gaps", "t")
    assert result.figures["holes"] == 149_990 - 2 + 7
    ranges = [(sample["partition"], sample["offset"], sample["end"]) for sample in result.samples]
    assert ranges == [(0, 10, 40_000), (0, 40_001, 140_000), (0, 140_001, 150_000), (1, 0, 7)]


def test_nulls(world):
    world.topic("t", [(0, 0, None, None), (0, 1, "k", None), (0, 2, None, "v"), (0, 3, "k", "v")], {0: (0, 1, 4)})
    result = world.judge("nulls", "t", max_tombstones=0)
    assert result.verdict == "fail" and places(result) == [(0, 1)]
    assert result.figures["null_keys"] == 1 and result.figures["tombstones"] == 1
    assert world.judge("nulls", "t", max_null_keys=1, min_tombstones=1).verdict == "pass"
    assert world.judge("nulls", "t", min_null_keys=2).verdict == "fail"


def test_poison_gone(world):
    world.topic("t", values(0, 0, "a", "bad", "c") + values(0, 3, "a", "c"), {0: (0, 3, 5)})
    digest = hashlib.sha256(b"bad").hexdigest()
    assert world.judge("poison_gone", "t", offsets={"0": [1]}).verdict == "pass"
    assert world.judge("poison_gone", "t", sha256=[digest]).verdict == "pass"
    result = world.judge("poison_gone", "t", offsets={"0": [0, 1]})
    assert result.verdict == "fail" and places(result) == [(0, 3)]
    assert world.judge("poison_gone", "t", sha256=[hashlib.sha256(b"c").hexdigest()]).verdict == "fail"
    # A digest with a slip of the pen would otherwise always be "gone".
    assert world.judge("poison_gone", "t", sha256=[hashlib.sha256(b"?").hexdigest()]).verdict == "cannot_tell"


def test_poison_that_retention_took(world):
    world.topic("t", values(0, 2, "c") + values(0, 3, "c"), {0: (0, 3, 4)}, ends={0: (2, 4, 4)})
    result = world.judge("poison_gone", "t", offsets={"0": [1]})
    assert result.verdict == "cannot_tell" and "no longer in the log" in result.sentence


def test_mirror(world):
    source = values(0, 0, "a", "b", "c", "d") + values(1, 0, "e", "f")
    world.topic("s", source, {0: (0, 0, 4), 1: (0, 0, 2)})
    world.topic("t", values(0, 10, "a", "c", "c", "d") + values(1, 10, "e", "z", "f"), {0: (10, 10, 14), 1: (10, 10, 13)})
    result = world.judge("mirror", "t", source="s")
    assert result.verdict == "fail"
    assert {name: result.figures[name] for name in ("missing", "extra", "repeated")} == {"missing": 1, "extra": 1, "repeated": 1}
    assert result.figures["partitions"]["1"] == {"source": 2, "target": 3, "missing": 0, "extra": 1, "repeated": 0}
    found = [(sample["topic"], sample["partition"], sample["offset"]) for sample in result.samples]
    assert found == [("real.s", 0, 1), ("real.s", 0, 2), ("real.t", 1, 11)]

    # Of equal records in the source the first one stands for all of them; one that is there as often is not named.
    world.topic("s", values(0, 0, "a", "x", "x", "b"), {0: (0, 0, 4)})
    world.topic("t", values(0, 10, "x", "a", "x", "x", "b"), {0: (10, 10, 15)})
    result = world.judge("mirror", "t", source="s")
    assert [(sample["topic"], sample["offset"], sample["what"]) for sample in result.samples] == [("real.s", 1, "too often in the copy")]


def test_mirror_with_other_partitions(world):
    world.topic("s", values(0, 0, "a", "b"), {0: (0, 2, 2)})
    world.topic("t", values(0, 0, "b") + values(1, 0, "a"), {0: (0, 0, 1), 1: (0, 0, 1)})
    assert world.judge("mirror", "t", source="s").verdict == "fail"
    assert world.judge("mirror", "t", source="s", same_partitions=False).verdict == "pass"
    world.topic("t", [], {0: (0, 0, 0)})
    assert world.judge("mirror", "t", source="s", source_part="after").verdict == "cannot_tell"


def sink_records():
    texts = [
        ("1", '{"n":"one","q":1.50}'),
        ("2", '{"n":"two","q":2}'),
        ("1", '{"n":"uno","q":1.5}'),
        ("3", None),
        ("4", '{"n":"4","q":null}'),
    ]
    return [(0, index, key, value) for index, (key, value) in enumerate(texts)]


def test_sink(world, spark):
    world.topic("t", sink_records(), {0: (0, 0, 5)})
    desired = {"table": "x", "key_column": "id", "columns": {"name": "n", "q": "q"}}
    schema = "id int, name string, q decimal(10,2)"
    world.tables["x"] = spark.sql("SELECT * FROM VALUES (1, 'uno', 1.50), (2, 'two', 2.00), (4, '4', NULL) AS t(id, name, q)")
    assert world.judge("sink", "t", **desired).verdict == "pass"
    world.tables["x"] = spark.createDataFrame([], schema).union(
        spark.sql("SELECT * FROM VALUES (1, 'one', 1.50), (3, 'x', 2.00), (4, '4', NULL), (9, 'y', 1.00) AS t(id, name, q)")
    )
    result = world.judge("sink", "t", **desired, show_keys=True)
    assert result.verdict == "fail"
    assert {name: result.figures[name] for name in ("missing", "extra", "different")} == {"missing": 1, "extra": 2, "different": 1}
    assert [(sample["what"], sample.get("offset"), sample.get("key")) for sample in result.samples] == [
        ("missing in the table", 1, None),
        ("different in the table", 2, "1"),
        ("extra in the table", None, "9"),
        ("extra in the table", 3, "3"),
    ]


def test_sink_without_keys_to_look_for(world, spark):
    world.topic("t", [(0, 0, None, "x")], {0: (0, 0, 1)})
    world.tables["x"] = spark.sql("SELECT 1 AS id WHERE false")
    assert world.judge("sink", "t", table="x", key_column="id").verdict == "fail"
    world.topic("t", [], {0: (0, 0, 0)})
    assert world.judge("sink", "t", table="x", key_column="id").verdict == "cannot_tell"


def sunk(world, columns, record, row, **more):
    """The check of one record, a JSON text or an object, against one row of a table that SQL gives; key 1 is in column id."""
    world.topic("t", [(0, 0, "1", record if isinstance(record, str) else json.dumps(record))], {0: (0, 0, 1)})
    world.tables["x"] = world.spark.sql(f"SELECT 1 AS id, {row}")
    return world.judge("sink", "t", **{"table": "x", "key_column": "id", "columns": columns, **more})


def beside(payload, *fields):
    """A record with Connect's schema beside it. fields: (name, type, logical name)."""
    named = [{"field": name, "type": kind, "name": logical, "parameters": {"scale": "2"}} for name, kind, logical in fields]
    return {"schema": {"type": "struct", "fields": named}, "payload": payload}


@pytest.mark.parametrize(("record", "row", "verdict"), [
    # Beyond decimal(38,9): too large, and with more digits.
    ('{"v":123456789012345678901234567890123}', "123456789012345678901234567890123BD AS v", "pass"),
    ('{"v":123456789012345678901234567890124}', "123456789012345678901234567890123BD AS v", "fail"),
    ('{"v":0.1234567891234}', "CAST(0.1234567891235 AS decimal(20,13)) AS v", "fail"),
    ('{"v":1.504}', "CAST(1.50 AS decimal(10,2)) AS v", "fail"),
    ('{"v":"abc"}', "CAST(NULL AS int) AS v", "fail"),
    ('{"v":1.1}', "CAST(1.1 AS float) AS v", "pass"),
    ('{"v":9223372036854775807}', "TIMESTAMP'2026-01-31 12:00:00Z' AS v", "fail"),
    ('{"v":{"b":1,"a":2}}', "map('a', 2, 'b', 1) AS v", "pass"),
    ('{"v":{"b":1,"a":2}}', "map('a', 1, 'b', 2) AS v", "fail"),
    ('{"v":[{"m":{"b":{"y":1,"x":2},"a":null}}]}', "array(struct(map('a', NULL, 'b', map('x', 2, 'y', 1)) AS m)) AS v", "pass"),
])  # fmt: skip
def test_values_of_a_sink(world, record, row, verdict):
    result = sunk(world, {"v": "v"}, record, row)
    assert result.verdict == verdict, result.sentence


@pytest.mark.parametrize(("given", "told", "kind", "held"), [
    ("2026-01-31T12:00:00Z", "micros", "timestamp", "NULL"),
    (10**17, "millis", "timestamp", "NULL"),
    (10**17, "seconds", "timestamp", "NULL"),
    (10**17, "days", "date", "NULL"),
    ("no base64!", "base64", "binary", "NULL"),
    ({"a": "x"}, None, "struct<a:int>", "struct(NULL)"),
    ({"a": {"b": "x"}}, None, "struct<a:struct<b:int>>", "struct(struct(NULL))"),
    ("x", None, "array<int>", "NULL"),
])  # fmt: skip
def test_values_that_cannot_be_interpreted(world, given, told, kind, held):
    columns = {"v": {"field": "v", "as": told} if told else "v"}
    result = sunk(world, columns, {"v": given}, f"CAST({held} AS {kind}) AS v")
    assert result.verdict == "cannot_tell" and result.figures["not_decoded"] == 1, result.sentence
    assert "1 record cannot be decoded: first at partition 0 offset 0." in result.sentence
    assert sunk(world, columns, {"v": None}, f"CAST(NULL AS {kind}) AS v").verdict == "pass"


def test_a_value_that_is_no_json(world):
    assert sunk(world, {"v": "v"}, '{"v":', "CAST(NULL AS int) AS v").verdict == "cannot_tell"


@pytest.mark.parametrize("number", [b"", b"\1" * 17, b"\x7f" * 16])
def test_decimals_that_cannot_be_interpreted(world, number):
    record = beside({"v": base64.b64encode(number).decode()}, ("v", "bytes", "org.apache.kafka.connect.data.Decimal"))
    desired = {"key_format": "json", "value_format": "connect_json"}
    assert sunk(world, {"v": "v"}, record, "CAST(NULL AS decimal(10,2)) AS v", **desired).verdict == "cannot_tell"
    record["payload"]["v"] = base64.b64encode(b"\x96").decode()
    assert sunk(world, {"v": "v"}, record, "CAST(-1.06 AS decimal(10,2)) AS v", **desired).verdict == "pass"


def test_a_text_column_whose_field_had_two_types(world):
    """As texts: what one schema says of a plain number is not what the other one says."""
    records = [beside({"v": 5}, ("v", "int32", "io.debezium.time.Date")), beside({"v": "abc"}, ("v", "string", None))]
    world.topic("t", [(0, n, str(n), json.dumps(one)) for n, one in enumerate(records)], {0: (0, 0, 2)})
    desired = {"table": "x", "key_column": "id", "value_format": "connect_json", "columns": {"v": "v"}}
    for second, verdict in (("abc", "pass"), ("xyz", "fail")):
        world.tables["x"] = world.spark.sql(f"SELECT * FROM VALUES (0, '1970-01-06'), (1, '{second}') AS t(id, v)")
        assert world.judge("sink", "t", **desired).verdict == verdict


def test_a_schema_beside_the_payload_that_is_none(world):
    world.tables["x"] = world.spark.sql("SELECT explode(sequence(0, 6)) AS id, 1 AS v")
    odd = ["public", 5, [1], {"fields": [1]}, {"fields": 5}, {"fields": [{"field": "v", "name": 1, "parameters": 2}]}]
    records = [beside({"v": 1}, ("v", "int32", None)), *({"schema": schema, "payload": {"v": 1}} for schema in odd)]
    world.topic("t", [(0, n, str(n), json.dumps(one)) for n, one in enumerate(records)], {0: (0, 0, len(records))})
    result = world.judge("sink", "t", table="x", key_column="id", columns={"v": "v"}, value_format="connect_json")
    assert result.verdict == "cannot_tell" and result.figures["not_decoded"] == 3, result.sentence
    assert "first at partition 0 offset 1" in result.sentence


def test_times_in_the_hour_that_comes_twice(world):
    world.spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        # 01:30Z and 00:30Z: both are 02:30 there.
        row = "TIMESTAMP'2026-10-25 00:30:00Z' AS v"
        for millis, verdict in ((1792891800000, "fail"), (1792888200000, "pass")):
            assert sunk(world, {"v": {"field": "v", "as": "millis"}}, {"v": millis}, row).verdict == verdict
        session()
        assert world.spark.conf.get("spark.sql.session.timeZone") == "UTC"
    finally:
        world.spark.conf.unset("spark.sql.session.timeZone")


def test_nanoseconds_have_more_digits_than_a_double(world):
    columns = {"v": {"field": "v", "as": "nanos"}}
    assert sunk(world, columns, {"v": 1769860800123456999}, "TIMESTAMP'2026-01-31 12:00:00.123456Z' AS v").verdict == "pass"
    assert sunk(world, columns, {"v": -1}, "TIMESTAMP'1969-12-31 23:59:59.999999Z' AS v").verdict == "pass"


def test_append_of_records_without_a_key(world):
    world.topic("t", [(0, 0, None, '{"v":1}'), (0, 1, "7", '{"v":1}')], {0: (0, 0, 2)})
    desired = {"table": "x", "mode": "append", "key_column": "k", "columns": {"v": "v"}}
    world.tables["x"] = world.spark.sql("SELECT * FROM VALUES (NULL, 1), (7, 1) AS t(k, v)")
    assert world.judge("sink", "t", **desired).verdict == "pass"
    world.tables["x"] = world.spark.sql("SELECT * FROM VALUES (8, 1), (7, 1) AS t(k, v)")
    assert world.judge("sink", "t", **desired).verdict == "fail"


def commits(*entries):
    return [(0, index, f'["{name}",{{"f":"{place}"}}]', value) for index, (name, place, value) in enumerate(entries)]


def test_progress(world):
    good = commits(("c", "a", '{"n":1}'), ("c", "b", '{"n":9}'), ("x", "a", '{"n":5}'), ("c", "a", '{"n":2}'), ("c", "b", '{"n":10}'))
    world.topic("t", good, {0: (0, 3, 5)})
    result = world.judge("progress", "t", connector="c")
    assert result.verdict == "pass" and result.figures["source_partitions"] == 2 and result.figures["records"] == 2
    assert world.judge("progress", "t", connector="absent").verdict == "cannot_tell"
    assert world.judge("progress", "t", connector="x").figures["still"] == 1


def test_progress_backwards_and_tombstones(world):
    rows = commits(("c", "a", '{"n":5}'), ("c", "a", '{"n":6}'), ("c", "a", '{"n":4}'), ("c", "a", '{"n":7}'), ("c", "b", None))
    world.topic("t", rows, {0: (0, 1, 5)})
    result = world.judge("progress", "t", connector="c")
    assert result.verdict == "fail" and result.figures["backwards"] == 1 and result.figures["tombstones"] == 1
    assert (0, 2) in places(result) and (0, 4) in places(result)


def test_progress_after_a_declared_reset(world):
    # The reset is before the boundary: the tombstone, or the lower number, is what the first commit is compared with.
    rows = commits(("c", "a", '{"n":50}'), ("c", "a", None), ("c", "a", '{"n":1}'), ("c", "a", '{"n":2}'))
    world.topic("t", rows, {0: (0, 2, 4)})
    assert world.judge("progress", "t", connector="c").verdict == "pass"
    rows = commits(("c", "a", '{"n":50}'), ("c", "a", '{"n":3}'), ("c", "a", '{"n":4}'))
    world.topic("t", rows, {0: (0, 2, 3)})
    assert world.judge("progress", "t", connector="c").verdict == "pass"


def test_progress_of_several_fields(world):
    rows = commits(("c", "a", '{"lsn":7,"ts":9}'), ("c", "a", '{"lsn":8,"ts":3}'))
    world.topic("t", rows, {0: (0, 1, 2)})
    assert world.judge("progress", "t", connector="c", field="lsn").verdict == "pass"
    assert world.judge("progress", "t", connector="c", field="ts").verdict == "fail"
    result = world.judge("progress", "t", connector="c")
    assert result.verdict == "pass" and result.figures["not_numeric"] == 1 and "is no number" in result.sentence


def test_a_second_scan_is_kept_beside_a_topic_of_a_similar_name(world):
    learnt, names = iter((True, False)), []
    check = SimpleNamespace(check=SimpleNamespace(topic="orders"), begin=lambda *_any: None, hashes=set, columns=dict)
    check.stage, check.learn = (lambda records: records), (lambda *_any: next(learnt))
    scratch = Scratch(world.spark, None)

    def kept(rows, name):
        names.append(name)
        return scratch.keep(rows, name)

    try:
        scratch.keep(world.spark.range(1), "orders-1")
        topic = Topic("orders", "main", "orders", {0: Range(0, 0, 1)})
        rows = slim_rows(topic, {0: (0, 1)}, [check], lambda _windows: world.frame([(0, 0, "k", "v")]), kept, None)
        assert rows.count() == 1 and names == ["orders", "orders+1"]
    finally:
        scratch.remove()


def test_facts(world):
    world.topic("t", [(0, 5, None, "abc"), (0, 7, "k", None)] + values(1, 0, "x"), {0: (5, 6, 8), 1: (0, 0, 1)})
    check = TYPES["count"](Check(0, "count", "t", "c", {"min": 0, "max": None}), 20, {})
    facts = world.scan("t", check).facts
    assert (facts.count(), facts.count(False), facts.count(True), facts.total("bytes")) == (3, 1, 2, 6)
    assert facts.holes.counts == {0: 1, 1: 0} and facts.holes.ranges == {0: [(6, 7)]}
    assert facts.times["before"] == [1] and facts.times["after"] == [2]


def test_samples_before_spark_4_2(spark, monkeypatch):
    rows = spark.createDataFrame([(n * 7 % 20, str(n)) for n in range(20)], "by int, what string")
    what, by = F.struct("what", F.lit(None).cast("long").alias("none")), F.col("by")

    def found(condition, limit=3):
        [row] = rows.agg(scan.smallest(what, by, condition, limit).alias("found")).collect()
        return [one["what"] for one in row["found"] or []]

    newest = [found(by > 4), found(by > 100), found(by > 18), found(by > 4, 0)]
    monkeypatch.setattr(scan, "signature", lambda _function: SimpleNamespace(parameters={}))
    assert newest == [found(by > 4), found(by > 100), found(by > 18), found(by > 4, 0)] == [["15", "18", "1"], [], ["17"], []]
