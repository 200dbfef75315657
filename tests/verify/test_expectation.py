# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The expectation document: what is read, and what is refused and where."""

from __future__ import annotations

import copy
import json

import pytest
from verify_replay.errors import ExpectationError
from verify_replay.expectation import Range, load, parse

GOOD = {
    "version": 1,
    "change_id": "c1",
    "clusters": {"main": {"bootstrap.servers": "127.0.0.1:9092", "request.timeout.ms": 5000}},
    "cluster_ids": {"main": "abc"},
    "topics": {
        "orders": {"cluster": "main", "topic": "shop.orders", "partitions": {"0": {"start": 0, "boundary": 100, "end": 180}}},
        "copy": {"cluster": "main", "topic": "copy", "partitions": {"0": {"start": 0, "boundary": 0, "end": 5}}},
    },
    "tables": {"orders": {"url": "jdbc:postgresql://127.0.0.1/postgres", "table": "orders", "user": "postgres"}},
    "registries": {"main": {"url": "https://registry.example.com/apis/ccompat/v7"}},
    "checks": [{"type": "replayed", "topic": "orders"}],
}
SINK = {"type": "sink", "topic": "orders", "table": "orders", "key_column": "id"}
APPEND = {**SINK, "mode": "append"}


def changed(path: str, value: object) -> dict:
    """GOOD with one value put at a path of names and numbers."""
    document = copy.deepcopy(GOOD)
    *parents, last = [int(step) if step.isdigit() and at > 0 and "checks" in path else step for at, step in enumerate(path.split("/"))]
    place = document
    for step in parents:
        place = place[step]
    place[last] = value
    return document


def test_reads_everything_and_fills_in_defaults():
    expected = parse(copy.deepcopy(GOOD))
    assert expected.topics["orders"].partitions == {0: Range(0, 100, 180)}
    assert expected.clusters["main"]["request.timeout.ms"] == "5000"
    check = expected.checks[0]
    assert check.name == "replayed orders"
    assert check.parameters == {"ranges": None, "min_ratio": 1.0, "by": "payload", "distinct": None}
    assert expected.cannot_tell == "fail" and expected.used == {"orders"}


def test_parts_of_a_range():
    both = Range(3, 7, 11)
    assert (both.part("before"), both.part("after"), both.part("all")) == ((3, 7), (7, 11), (3, 11))


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("colour", 1, "colour: is not known"),
        ("version", 2, "version: must be 1"),
        ("version", True, "version: must be 1"),
        ("change_id", 5, "change_id"),
        ("clusters", {}, "clusters: is missing or empty"),
        ("clusters/a.b", {"bootstrap.servers": "x"}, "clusters.a.b: a name"),
        ("clusters/main", {}, "clusters.main.bootstrap.servers"),
        ("clusters/main/sasl.jaas.config", "x", "spark.verify_replay.kafka.main.sasl.jaas.config"),
        ("clusters/main/ssl.key.password", "x", "a secret must not stand"),
        ("clusters/main/isolation.level", "read_uncommitted", "is set by the job itself"),
        ("clusters/main/nested", {}, "clusters.main.nested: must be a text"),
        ("cluster_ids/other", "x", "cluster_ids.other: there is no cluster 'other'"),
        ("topics/orders/retention", 1, "topics.orders.retention: is not known"),
        ("topics/orders/cluster", "other", "topics.orders.cluster: there is no cluster 'other'"),
        ("topics/orders/topic", "", "topics.orders.topic"),
        ("topics/orders/partitions", {}, "topics.orders.partitions: is empty"),
        ("topics/orders/partitions", {"01": {"start": 0, "boundary": 0, "end": 0}}, "'01' is not the number"),
        ("topics/orders/partitions/0", {"start": 0, "end": 1}, "topics.orders.partitions.0: boundary is missing"),
        ("topics/orders/partitions/0", {"start": 0, "boundary": 1, "end": 1, "x": 1}, "topics.orders.partitions.0.x"),
        ("topics/orders/partitions/0/start", 101, "start <= boundary <= end"),
        ("topics/orders/partitions/0/end", 99, "start <= boundary <= end"),
        ("topics/orders/partitions/0/end", "180", "must be a whole number"),
        ("topics/orders/partitions/0/end", 180.0, "must be a whole number"),
        ("topics/orders/partitions/0/start", True, "must be a whole number"),
        ("topics/orders/partitions/0/start", -1, "must be 0 or more"),
        ("tables/orders/url", "http://x", "tables.orders.url: must begin with jdbc:"),
        ("tables/orders/url", "jdbc:postgresql://x/y?password=z", "a password must not stand"),
        ("tables/orders/password", "z", "spark.verify_replay.jdbc.orders.password"),
        ("tables/orders", {"url": "jdbc:x:y"}, "tables.orders.table"),
        ("tables/orders", {"format": "excel", "path": "/x"}, "tables.orders.format: must be one of jdbc, parquet, avro"),
        ("tables/orders", {"format": "parquet"}, "tables.orders: needs a path"),
        ("tables/orders", {"format": "delta", "table": "a.b", "path": "/x"}, "tables.orders: has both a table and a path"),
        (
            "tables/orders",
            {"format": "iceberg", "path": "/x", "file_name": "x"},
            "tables.orders.file_name: is not known to the format iceberg",
        ),
        ("tables/orders", {"format": "parquet", "path": "/x", "file_name": "("}, "tables.orders.file_name: is no regular expression"),
        (
            "tables/orders",
            {"format": "parquet", "path": "/x", "file_name": "(?P<topic>a)"},
            "tables.orders.file_name: lacks the group (?P<partition>",
        ),
        ("tables/orders", {"format": "csv", "path": "/x", "options": {"sep": []}}, "tables.orders.options.sep: must be a text"),
        ("registries/main", {"url": "ftp://x"}, "registries.main.url: must be an http or https URL"),
        ("registries/main", {"url": "https://u:p@x"}, "registries.main.url: must be an http or https URL without login"),
        ("registries/main", {"url": "https://x", "password": "p"}, "spark.verify_replay.registry.main.password"),
        ("registries/main", {"url": "https://x", "colour": "p"}, "registries.main.colour: is not known to a registry"),
        ("checks", [], "checks: must be a list that is not empty"),
        ("checks/0/type", "magic", "checks[0].type: there is no type 'magic'"),
        ("checks/0/topic", "other", "checks[0].topic: there is no topic 'other'"),
        ("checks/0/ratio", 1, "checks[0].ratio: is not known to a check of type replayed"),
        ("checks/0/min_ratio", 1.5, "checks[0].min_ratio: must be a number from 0 to 1"),
        ("checks/0/by", "header", "checks[0].by: must be one of payload, value, key"),
        ("checks/0/ranges", {"0": {"start": 5, "end": 101}}, "checks[0].ranges.0: [5, 101) is not inside before"),
        ("checks/0/ranges", {"0": {"start": 5, "end": 4}}, "start 5 lies behind end 4"),
        ("checks/0/ranges", {"0": {"start": 5}}, "needs start and end"),
        ("checks/0/ranges", {"0": {"start": 5, "end": 6, "x": 1}}, "checks[0].ranges.0.x"),
        ("checks/0/ranges", {"1": {"start": 5, "end": 6}}, "names no partition 1"),
        ("checks/0/ranges", {}, "names no partition; leave it out"),
        ("checks/0", {"type": "count", "topic": "orders"}, "needs one of min, max"),
        ("checks/0", {"type": "count", "topic": "orders", "min": 5, "max": 4}, "min 5 is more than max 4"),
        ("checks/0", {"type": "nulls", "topic": "orders"}, "needs one of"),
        ("checks/0", {"type": "poison_gone", "topic": "orders"}, "needs one of offsets, sha256"),
        ("checks/0", {"type": "poison_gone", "topic": "orders", "offsets": {"0": [100]}}, "100 is not inside before"),
        ("checks/0", {"type": "poison_gone", "topic": "orders", "sha256": ["xyz"]}, "64 hexadecimal digits"),
        ("checks/0", {"type": "mirror", "topic": "orders"}, "checks[0].source: is missing"),
        ("checks/0", {"type": "mirror", "topic": "orders", "source": "orders"}, "is the topic itself"),
        ("checks/0", {"type": "sink", "topic": "orders", "table": "other", "key_column": "id"}, "there is no table 'other'"),
        ("checks/0", {"type": "sink", "topic": "orders", "table": "orders", "key_column": "id", "columns": {"a": "$.b"}}, "columns.a"),
        ("checks/0", {**SINK, "columns": {"a": {"field": "b", "as": "weeks"}}}, "checks[0].columns.a.as: must be one of seconds, millis"),
        ("checks/0", {**SINK, "columns": {"a": {"path": "b"}}}, "checks[0].columns.a.path: is not known here"),
        ("checks/0", {**SINK, "value_format": "xml"}, "checks[0].value_format: must be one of json, connect_json, avro"),
        ("checks/0", {**SINK, "value_format": "avro"}, "checks[0].registry: is missing; value_format avro needs it"),
        ("checks/0", {**SINK, "value_format": "avro", "registry": "other"}, "checks[0].registry: there is no registry 'other'"),
        (
            "checks/0",
            {**SINK, "value_format": "string", "columns": {"a": "b"}},
            "checks[0].columns.a: a value of the format string has no fields",
        ),
        ("checks/0", {**SINK, "value_format": "bytes", "unwrap": "debezium"}, "checks[0].unwrap: is not for values of the format bytes"),
        ("checks/0", {**SINK, "key_column": None}, "checks[0].key_column: is missing; mode upsert needs it"),
        ("checks/0", {**SINK, "offset_column": "o"}, "partition_column and offset_column belong together"),
        ("checks/0", {**SINK, "mode": "append", "key_column": None}, "checks[0]: mode append needs columns"),
        ("checks/0", {**SINK, "delivery": "at_least_once"}, "checks[0].delivery: has an effect with mode append only"),
        ("checks/0", {**SINK, "max_repeated": 1}, "checks[0].max_repeated: has an effect with mode append only"),
        ("checks/0", {**SINK, "partition_column": "p", "offset_column": "o"}, "checks[0].partition_column: has an effect with mode append"),
        ("checks/0", {**APPEND, "show_keys": True}, "checks[0].show_keys: has an effect with mode upsert only"),
        ("checks/0", {**APPEND, "max_different": 1}, "checks[0].max_different: has an effect in mode append with offset_column only"),
        (
            "checks/0",
            {**APPEND, "key_column": None, "columns": {"a": "a"}, "key_field": "id"},
            "checks[0].key_field: has no effect without",
        ),
        (
            "checks/0",
            {**APPEND, "delivery": "at_least_once", "max_repeated": 1},
            "checks[0].max_repeated: has no effect with delivery at_least_once",
        ),
        ("checks/0", {**SINK, "key_format": "bytes", "key_field": "id"}, "checks[0].key_field: has no effect: a key of the format bytes"),
        ("checks/0", {"type": "progress", "topic": "orders"}, "checks[0].connector: is missing"),
        ("connectors", {"a": [1]}, "connectors.a: there is no check 1; the first one is 0, the last one 0"),
        ("connectors", {"a": []}, "connectors.a: must be a list"),
        ("cannot_tell", "ignore", "cannot_tell: must be fail or pass"),
        ("samples", 1001, "samples: must be 1000 or less"),
    ],
)
def test_refuses(path, value, place):
    with pytest.raises(ExpectationError) as caught:
        parse(changed(path, value))
    assert place in str(caught.value)
    assert "\n" not in str(caught.value)


def test_tables_of_files_and_of_a_catalogue():
    document = changed("tables/files", {"format": "parquet", "path": "s3a://b/topics/orders", "options": {"recursiveFileLookup": True}})
    document["tables"]["lake"] = {"format": "iceberg", "table": "lake.shop.orders"}
    tables = parse(document).tables
    assert tables["files"].options == {"recursiveFileLookup": "true"} and tables["lake"].place == "lake.shop.orders"
    found = tables["files"].file_name.fullmatch("orders+3+0000000042+0000000099.parquet")
    assert found.groupdict() == {"topic": "orders", "partition": "3", "start": "0000000042", "end": "0000000099"}
    assert tables["files"].file_name.fullmatch("orders+3+0000000042.snappy.parquet")["end"] is None
    assert (
        tables["lake"].file_name is None
        and parse(changed("tables/f", {"format": "orc", "path": "/x", "file_name": False})).tables["f"].file_name is None
    )


def test_columns_of_a_sink():
    document = changed("checks/0", {**SINK, "columns": {"a": "b.c", "d": {"field": ".", "as": "micros"}}})
    assert parse(document).checks[0].parameters["columns"] == {"a": ("b.c", None), "d": (".", "micros")}


@pytest.mark.parametrize("given", [
    {"delivery": "once", "max_repeated": 0, "show_keys": False, "key_format": "string", "key_field": "."},
    {"mode": "append", "delivery": "at_least_once", "key_field": "id"},
    {"mode": "append", "partition_column": "p", "offset_column": "o", "max_repeated": 1, "max_different": 1}])  # fmt: skip
def test_parameters_of_a_sink_that_go_together(given):
    parameters = parse(changed("checks/0", {**SINK, **given})).checks[0].parameters
    assert {name: parameters[name] for name in given} == given


@pytest.mark.parametrize(("name", "is_secret"), [
    ("fs.azure.account.key.shop.dfs.core.windows.net", True), ("fs.s3a.session.token", True), ("fs.azure.sas.data.shop", True),
    ("fs.s3a.access.key", True), ("fs.gs.auth.service.account.private.key", True), ("accessToken", True), ("account_key", True),
    ("sasl.mechanism", False), ("sasl.oauthbearer.token.endpoint.url", False), ("fs.s3a.endpoint", False)])  # fmt: skip
def test_names_of_secrets(name, is_secret):
    document = changed("tables/files", {"format": "csv", "path": "/x", "options": {name: "x"}})
    if is_secret:
        with pytest.raises(ExpectationError, match=r"a secret must not stand in the document; give it as .* spark\.hadoop\."):
            parse(document)
    else:
        assert parse(document).tables["files"].options == {name: "x"}


def test_refers_to_secrets_outside():
    document = changed("clusters/main/sasl.jaas.config", "${file:/etc/kafka/client.properties:jaas}")
    assert parse(document).clusters["main"]["sasl.jaas.config"].startswith("${")


def test_uses_only_topics_of_checks():
    document = changed("checks/0", {"type": "mirror", "topic": "copy", "source": "orders"})
    assert parse(document).used == {"orders", "copy"}


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"version": 1, "version": 1}'])
def test_refuses_what_is_no_document(content):
    with pytest.raises(ExpectationError):
        load(content)


def test_loads_json():
    assert load(json.dumps(GOOD)).change_id == "c1"
