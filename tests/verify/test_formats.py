# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as converters write them, with the schemas of a real registry, against tables."""

from __future__ import annotations

import base64
import json
import math
import struct
from datetime import UTC, datetime

import pytest
from verify_replay.checks import sink
from verify_replay.errors import JobError
from verify_replay.registry import Registry
from verify_replay.schemas import Avro, JsonSchema
from verify_replay.wire import Field, Message, decoder

from stack import security
from tests.verify.apicurio import Guard
from tests.verify.world import World

#: 2026-01-31T12:00:00Z in milliseconds, and the day since 1970
NOON, DAY = 1769860800000, 20484

ADDRESS = {"type": "record", "name": "Address", "namespace": "shop", "fields": [{"name": "city", "type": "string"}]}
ORDER = {"type": "record", "name": "Order", "namespace": "shop", "fields": [
    {"name": "item", "type": "string"},
    {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
    {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "seen", "type": {"type": "long", "connect.name": "io.debezium.time.MicroTimestamp"}},
    {"name": "day", "type": {"type": "int", "connect.name": "io.debezium.time.Date"}},
    {"name": "to", "type": ["null", "shop.Address"]},
]}  # fmt: skip
#: what later records have besides
NEWER = {**ORDER, "fields": [*ORDER["fields"], {"name": "paid", "type": ["null", "boolean"], "default": None}]}
COLUMNS = {"item": "item", "price": "price", "at": "at", "seen": "seen", "day": "day", "city": "to.city"}
DESIRED = {"table": "x", "key_column": "id", "registry": "main", "key_format": "avro", "value_format": "avro", "columns": COLUMNS}


def zigzag(number: int) -> bytes:
    number, found = (number << 1) ^ (number >> 63), bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def sized(value: bytes) -> bytes:
    return zigzag(len(value)) + value


def cents(number: int) -> bytes:
    return number.to_bytes(4, "big", signed=True)


def order(item: str, price: int, city: str | None = "Bonn") -> bytes:
    """price in cents; the micros of seen are one more than NOON, for a table that keeps them."""
    to = zigzag(0) if city is None else zigzag(1) + sized(city.encode())
    return sized(item.encode()) + sized(cents(price)) + zigzag(NOON) + zigzag(NOON * 1000 + 1) + zigzag(DAY) + to


def framed(number: int, payload: bytes) -> bytes:
    return b"\0" + number.to_bytes(4, "big") + payload


def row(number: int, item: str, price: str, city: str | None = "Bonn", paid: str = "NULL") -> str:
    quoted = "NULL" if city is None else f"'{city}'"
    return (
        f"({number}, '{item}', {price}, TIMESTAMP'2026-01-31 12:00:00Z', TIMESTAMP'2026-01-31 12:00:00.000001Z', DATE'2026-01-31',"
        f" {quoted}, CAST({paid} AS boolean))"
    )


@pytest.fixture
def world(spark, apicurio):
    world = World(spark)
    world.registries["main"] = Registry("main", {"url": apicurio.url})
    return world


@pytest.fixture(scope="module")
def ids(apicurio):
    """Schemas of the topic real.t: of its keys, and two of its values."""
    apicurio.register("address", ADDRESS)
    return {
        "key": apicurio.register("real.t-key", '"long"'),
        "old": apicurio.register("real.t-value", ORDER, references={"shop.Address": "address"}),
        "new": apicurio.register("real.t-value", NEWER, references={"shop.Address": "address"}),
    }


def fill(world, *records):
    """records: (key, value) as bytes."""
    world.topic("t", [(0, offset, *pair) for offset, pair in enumerate(records)], {0: (0, 0, len(records))})


def holds(world, *rows: str):
    found = world.spark.sql(f"SELECT * FROM VALUES {', '.join(rows)} AS t(id, item, price, at, seen, day, city, paid)")
    world.tables["x"] = found.selectExpr("id", "item", "CAST(price AS decimal(10,2)) AS price", "at", "seen", "day", "city", "paid")


def orders(ids, *more):
    key = {number: framed(ids["key"], zigzag(number)) for number in (1, 2, 3)}
    return [
        (key[1], framed(ids["old"], order("one", 150))),
        (key[2], framed(ids["new"], order("two", -250, None) + zigzag(1) + b"\x01")),
        (key[3], framed(ids["old"], order("three", 5))),
        (key[3], None),
        *more,
    ]


def figures(result) -> tuple:
    return tuple(result.figures[name] for name in ("missing", "extra", "different"))


GOOD = (row(1, "one", "1.50"), row(2, "two", "-2.50", None, "true"))


def test_avro_of_two_schemas_with_a_reference(world, ids):
    fill(world, *orders(ids))
    holds(world, *GOOD)
    desired = {**DESIRED, "columns": {**COLUMNS, "paid": "paid"}}
    result = world.judge("sink", "t", **desired)
    assert result.verdict == "pass" and result.figures["keys"] == 2, result.sentence
    # A changed decimal, a time off by one microsecond, a delete that was not applied.
    holds(world, row(1, "one", "1.51"), GOOD[1].replace("00.000001Z", "00.000002Z"), row(3, "three", "0.05"))
    result = world.judge("sink", "t", **desired)
    assert result.verdict == "fail" and figures(result) == (0, 1, 2), result.sentence
    assert [(one["what"], one["offset"]) for one in result.samples] == [
        ("different in the table", 0), ("different in the table", 1), ("extra in the table", 3)]  # fmt: skip


def test_a_schema_that_the_registry_does_not_know(world, ids):
    key = framed(ids["key"], zigzag(4))
    fill(world, *orders(ids, (key, framed(7777, order("four", 4)))))
    holds(world, *GOOD)
    result = world.judge("sink", "t", **DESIRED)
    assert result.verdict == "cannot_tell" and result.figures["not_decoded"] == 1
    assert "value schema id 7777 is not known to the registry (1 record, first at partition 0 offset 4)" in result.sentence
    # One that is proven to be wrong is no less wrong for it.
    holds(world, GOOD[0])
    fill(world, *orders(ids, (framed(ids["key"], zigzag(5)), framed(ids["old"], order("five", 5))), (key, framed(7777, b""))))
    result = world.judge("sink", "t", **DESIRED)
    assert result.verdict == "fail" and result.figures["missing"] == 2 and "7777" in result.sentence


def test_a_schema_of_another_subject_is_found_by_its_id(world, ids, apicurio):
    other = apicurio.register("elsewhere", {"type": "record", "name": "Other", "fields": [{"name": "item", "type": "string"}]})
    fill(world, *orders(ids, (framed(ids["key"], zigzag(4)), framed(other, sized(b"four")))))
    holds(world, *GOOD, row(4, "four", "1", None))
    assert world.judge("sink", "t", **{**DESIRED, "columns": {"item": "item"}}).verdict == "pass"
    # Its other fields are not there, which is what a null says.
    assert figures(world.judge("sink", "t", **DESIRED)) == (0, 0, 1)


def test_records_that_are_not_what_their_schema_says(world, ids):
    fill(
        world, *orders(ids, (framed(ids["key"], zigzag(4)), framed(ids["old"], b"\x7f")), (framed(ids["key"], zigzag(5)), b'{"item":"x"}'))
    )
    holds(world, *GOOD)
    result = world.judge("sink", "t", **DESIRED)
    assert result.verdict == "cannot_tell" and "2 records cannot be decoded: first at partition 0 offset 4." in result.sentence


def test_a_field_that_no_schema_has(world, ids):
    fill(world, *orders(ids))
    holds(world, *GOOD)
    with pytest.raises(JobError, match="no schema of the values has the field to.town"):
        world.judge("sink", "t", **{**DESIRED, "columns": {"city": "to.town"}})


def connect(payload, *fields) -> bytes:
    found = [{"field": name, "type": kind, **({"name": called} if called else {}), **more} for name, kind, called, more in fields]
    return json.dumps({"schema": {"type": "struct", "fields": found}, "payload": payload}).encode()


LOGICAL = (("item", "string", None, {}),
           ("price", "bytes", "org.apache.kafka.connect.data.Decimal", {"parameters": {"scale": "2"}}),
           ("at", "int64", "org.apache.kafka.connect.data.Timestamp", {}),
           ("seen", "int64", "io.debezium.time.MicroTimestamp", {}),
           ("day", "int32", "org.apache.kafka.connect.data.Date", {}))  # fmt: skip


def logical(item: str, price) -> dict:
    return {"item": item, "price": price, "at": NOON, "seen": NOON * 1000 + 1, "day": DAY}


def test_json_with_a_schema_beside_the_payload(world):
    keys = [json.dumps({"schema": {"type": "int32"}, "payload": number}).encode() for number in (1, 2)]
    encoded = base64.b64encode(cents(150)).decode()
    # Decimals as bytes, and as numbers (decimal.format=NUMERIC); the second one with another schema.
    fill(world, (keys[0], connect(logical("one", encoded), *LOGICAL)), (keys[1], connect(logical("two", -2.5), *LOGICAL[::-1])))
    holds(world, row(1, "one", "1.50", None), row(2, "two", "-2.50", None))
    desired = {**DESIRED, **dict.fromkeys(("key_format", "value_format"), "connect_json"), "registry": None}
    desired["columns"] = {name: path for name, path in COLUMNS.items() if name != "city"}
    assert world.judge("sink", "t", **desired).verdict == "pass"
    holds(world, row(1, "one", "1.51", None), row(2, "two", "-2.50", None))
    assert figures(world.judge("sink", "t", **desired)) == (0, 0, 1)


def test_a_schema_that_comes_late_is_learnt(world):
    """The first look at a topic sees its first records only."""
    many = [(b"1", connect({"n": 1}, ("n", "int32", None, {})))] * 30
    late = connect({"n": 1, "price": base64.b64encode(cents(7)).decode()}, ("n", "int32", None, {}), LOGICAL[1])
    fill(world, *many, (b"1", late))
    world.tables["x"] = world.spark.sql("SELECT 1 AS id, 0.07 AS price")
    desired = {"table": "x", "key_column": "id", "value_format": "connect_json", "columns": {"price": "price"}}
    with pytest.raises(JobError, match="no schema of the values has the field price"):
        world.judge("sink", "t", **desired)
    desired["columns"] = {"price": "price", "id": "n"}
    fill(world, (b"2", connect({"n": 2, "price": None}, ("n", "int32", None, {}), LOGICAL[1], LOGICAL[0])), *many, (b"1", late))
    world.tables["x"] = world.spark.sql("SELECT * FROM VALUES (1, 0.07), (2, NULL) AS t(id, price)")
    assert world.judge("sink", "t", **desired).verdict == "pass"


def test_more_schemas_than_are_asked_for(world, monkeypatch):
    monkeypatch.setattr(sink, "_MAX_UNKNOWN", 2)
    numbers = [json.dumps({"schema": {"name": number}, "payload": {"n": number}}).encode() for number in range(24)]
    fill(world, *((b"1", one) for one in numbers))
    world.tables["x"] = world.spark.sql("SELECT 1 AS id, 23 AS n")
    result = world.judge("sink", "t", table="x", key_column="id", columns={}, value_format="connect_json")
    assert result.verdict == "cannot_tell"
    assert result.sentence == "Cannot be decoded: the values have more than 2 schemas that are not known."


def test_json_schema(world, apicurio):
    schema = {"type": "object", "properties": {
        "item": {"type": "string"}, "at": {"title": "org.apache.kafka.connect.data.Timestamp", "type": "integer"},
        "seen": {"oneOf": [{"type": "null"}, {"$ref": "#/definitions/micros"}]}},
        "definitions": {"micros": {"title": "io.debezium.time.MicroTimestamp", "type": "integer"}}}  # fmt: skip
    number = apicurio.register("orders-json", schema, "JSON")
    value = framed(number, json.dumps(logical("one", 1)).encode())
    fill(world, (b"1", value))
    holds(world, row(1, "one", "1.50", None))
    desired = {**DESIRED, "key_format": "string", "value_format": "json_schema", "value_subject": "orders-json"}
    desired["columns"] = {name: name for name in ("item", "at", "seen")}
    assert world.judge("sink", "t", **desired).verdict == "pass"
    holds(world, row(1, "one", "1.50", None).replace("00.000001Z", "00.000002Z"))
    assert figures(world.judge("sink", "t", **desired)) == (0, 0, 1)
    with pytest.raises(JobError, match=f"the schema with id {number} is of type JSON, the check says avro"):
        world.judge("sink", "t", **{**desired, "value_format": "avro"})


PROTO = """
syntax = "proto3"; // of a shop
package shop;
import "address.proto";
import "google/protobuf/timestamp.proto";
option java_multiple_files = true;
message Unused { reserved 2, 5 to 9; map<string, int64> numbers = 1; }
message Order {
  enum Kind { NONE = 0; NEW = 1; }
  string item = 1; Address to = 2; google.protobuf.Timestamp at = 3; repeated sint32 n = 4; // packed
  Kind kind = 5;
  oneof paid { bool cash = 6; double card = 7; } optional int64 big = 8;
}
"""


def field(number: int, value) -> bytes:
    """A field of Protobuf's wire format: an integer, or what has a length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value & (1 << 64) - 1)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def test_protobuf(world, apicurio):
    apicurio.register("address.proto", 'syntax = "proto3"; package shop; message Address { string city = 1; }', "PROTOBUF")
    number = apicurio.register("orders-proto", PROTO, "PROTOBUF", {"address.proto": "address.proto"})
    # The index of the message: the second one. -3 and 300 as packed sint32, and a number that a double does not hold.
    full = field(1, b"one") + field(2, field(1, b"Bonn")) + field(3, field(1, NOON // 1000) + field(2, 1000)) + field(4, b"\x05\xd8\x04")
    full += field(5, 1) + field(6, 1) + field(8, -(2**62) - 1)
    fill(world, (b"1", framed(number, b"\x02\x02" + full)), (b"2", framed(number, b"\x02\x02")))
    names = {"item": "item", "city": "to.city", "at": "at", "n": "n", "kind": "kind", "cash": "cash", "card": "card", "big": "big"}
    desired = {
        "table": "x",
        "key_column": "id",
        "value_format": "protobuf",
        "value_subject": "orders-proto",
        "registry": "main",
        "columns": names,
    }

    def holding(*rows):
        types = "id int, item string, city string, at timestamp, n array<int>, kind string, cash boolean, card double, big bigint"
        world.tables["x"] = world.spark.createDataFrame(list(rows), types)
        return world.judge("sink", "t", **desired)

    at = datetime.fromtimestamp(NOON // 1000, UTC).replace(microsecond=1)
    one = (1, "one", "Bonn", at, [-3, 300], "NEW", True, None, -(2**62) - 1)
    two = (2, "", None, None, [], "NONE", None, None, None)
    result = holding(one, two)
    assert result.verdict == "pass", (result.sentence, result.samples)
    assert figures(holding((*one[:-1], -(2**62)), (*two[:-1], 0))) == (0, 0, 2)
    fill(world, (b"1", framed(number, b"\x02\x02" + full[:-3])), (b"2", framed(number, b"\x02\x02")))
    result = holding(one, two)
    assert result.verdict == "cannot_tell" and "1 record cannot be decoded: first at partition 0 offset 0." in result.sentence


def test_protobuf_that_is_out_of_bounds():
    """Without a registry, and without Spark: what executors run."""
    messages = {
        "T": Message("T", {1: Field("at", "google.protobuf.Timestamp"), 2: Field("in", "T"), 3: Field("d", "confluent.type.Decimal"),
                           4: Field("x", "double"), 5: Field("f", "float")}),
        "google.protobuf.Timestamp": Message("google.protobuf.Timestamp", {1: Field("seconds", "int64", implicit=True),
                                                                           2: Field("nanos", "int32", implicit=True)}),
        "confluent.type.Decimal": Message("confluent.type.Decimal", {1: Field("value", "bytes", implicit=True),
                                                                     3: Field("scale", "int32", implicit=True)}),
    }  # fmt: skip
    decode = decoder(messages, ["T"])

    def read(content: bytes):
        found = decode(b"\0" + content)
        return found and json.loads(found, parse_constant=pytest.fail)

    assert read(field(1, field(1, NOON // 1000) + field(2, 1500))) == {"at": "2026-01-31T12:00:00.000001Z"}
    assert read(field(1, field(1, -1) + field(2, 999_999_999))) == {"at": "1969-12-31T23:59:59.999999Z"}
    assert read(field(1, field(1, 2**62))) is None
    deep = b""
    for _level in range(3000):
        deep = field(2, deep)
    assert read(deep) is None
    digits = 1234567890123456789012345678901234567
    assert read(field(3, field(1, (-digits).to_bytes(16, "big", signed=True)) + field(3, 5))) == {
        "d": "-12345678901234567890123456789012.34567"
    }
    assert read(field(3, field(3, 2**31 - 1))) is None
    fixed = [varint(4 << 3 | 1) + struct.pack("<d", one) + varint(5 << 3 | 5) + struct.pack("<f", one) for one in (math.nan, -math.inf)]
    assert [read(one) for one in fixed] == [{"x": "NaN", "f": "NaN"}, {"x": "-Infinity", "f": "-Infinity"}]


@pytest.mark.parametrize("form, column", [("string", "line string"), ("bytes", "line binary")])
def test_values_without_fields(world, form, column):
    world.topic("t", [(0, n, None, f"line {n}") for n in range(3)], {0: (0, 0, 3)})
    desired = {"table": "x", "mode": "append", "value_format": form, "columns": {"line": "."}}
    rows = [(f"line {n}" if form == "string" else f"line {n}".encode(),) for n in range(3)]
    world.tables["x"] = world.spark.createDataFrame(rows, column)
    assert world.judge("sink", "t", **desired).verdict == "pass"
    world.tables["x"] = world.spark.createDataFrame([*rows[:2], (rows[0][0],)], column)
    result = world.judge("sink", "t", **desired)
    assert result.verdict == "fail" and (result.figures["missing"], result.figures["repeated"]) == (1, 1)


def event(op: str, before, after) -> str:
    return json.dumps({"before": before, "after": after, "op": op, "source": {"table": "orders"}})


def test_events_of_debezium_against_the_table_that_they_feed(world):
    one, two, three = ({"id": number, "item": f"item {number}", "tags": {"a": [number]}} for number in (1, 2, 3))
    events = [
        event("r", None, one),
        event("c", None, two),
        event("u", two, {**two, "item": "new"}),
        event("c", None, three),
        event("d", three, None),
    ]
    keys = [1, 2, 2, 3, 3]
    # Without a tombstone after the delete (tombstones.on.delete=false), so that the event alone has to say it.
    world.topic("t", [(0, n, f'{{"id":{keys[n]}}}', text) for n, text in enumerate(events)], {0: (0, 0, 5)})
    desired = {"table": "x", "key_column": "id", "key_field": "id", "unwrap": "debezium", "columns": {"item": "item", "tags.a": "tags.a"}}

    def holding(rows):
        world.tables["x"] = world.spark.createDataFrame(rows, "id int, item string, tags struct<a:array<int>>")
        return world.judge("sink", "t", **desired)

    assert holding([(1, "item 1", ([1],)), (2, "new", ([2],))]).verdict == "pass"
    # The delete was not applied; the update was not; an element of a nested list is another.
    result = holding([(1, "item 1", ([7],)), (2, "item 2", ([2],)), (3, "item 3", ([3],))])
    assert result.verdict == "fail" and figures(result) == (0, 1, 2)


def test_the_document_says_what_a_number_means(world):
    world.topic("t", [(0, 0, "1", json.dumps({"at": NOON * 1000}))], {0: (0, 0, 1)})
    world.tables["x"] = world.spark.sql("SELECT 1 AS id, TIMESTAMP'2026-01-31 12:00:00Z' AS at")
    desired = {"table": "x", "key_column": "id", "columns": {"at": {"field": "at", "as": "micros"}}}
    assert world.judge("sink", "t", **desired).verdict == "pass"
    assert world.judge("sink", "t", **{**desired, "columns": {"at": "at"}}).verdict == "fail"


def test_numbers_with_more_digits_than_a_double_has(world):
    """In JSON they are what is written there, not the double next to it: 12345678901234567.89 as a double is ...568."""
    amounts = ["12345678901234567.89", "0.1000000000000000055", "100000000000000000.01", "-1234567890123456.78", "1.5", "12e3"]
    records = [(0, n, str(n), f'{{"amount":{one},"in":{{"amount":{one}}}}}') for n, one in enumerate(amounts)]
    world.topic("t", records, {0: (0, 0, len(amounts))})

    def judged(*found, **columns):
        rows = ", ".join(f"({n}, CAST('{one}' AS decimal(38,19)))" for n, one in enumerate(found))
        world.tables["x"] = world.spark.sql(f"SELECT * FROM VALUES {rows} AS t(id, amount)")
        return world.judge("sink", "t", table="x", key_column="id", columns={"amount": columns.get("field", "amount")})

    for field in ("amount", "in.amount"):
        assert judged(*amounts, field=field).verdict == "pass"
        result = judged("12345678901234568.00", "0.1", "100000000000000000.00", "-1234567890123456.75", *amounts[4:], field=field)
        assert result.verdict == "fail" and figures(result) == (0, 0, 4)


BASIC = "Basic " + base64.b64encode(b"auditor:s3cret").decode()


@pytest.mark.parametrize("login, options", [
    (BASIC, {"username": "auditor", "password": "s3cret"}), ("Bearer t0ken", {"token": "t0ken"}), (None, {})])  # fmt: skip
def test_logins_of_a_registry(apicurio, ids, tmp_path, login, options):
    certificates = None
    if not login:
        certificates = tmp_path / "certificates"
        security.make_ca(certificates)
        security.sign(certificates, "broker", "subjectAltName=IP:127.0.0.1")
        security.sign(certificates, "auditor", "extendedKeyUsage=clientAuth")
        (certificates / "broker.pem").write_text((certificates / "broker.key").read_text() + (certificates / "broker.pem").read_text())
        options = {"ca_path": str(certificates / "ca.pem"), "cert_path": str(certificates / "auditor.pem")}
        options["key_path"] = str(certificates / "auditor.key")
    guard = Guard(apicurio, login, certificates)
    try:
        assert Registry("main", {"url": guard.url, **options}).schema(ids["old"]).kind == "AVRO"
        assert guard.asked[0] == f"/schemas/ids/{ids['old']}"
        without = {"ca_path": options["ca_path"]} if certificates else {}
        with pytest.raises(JobError, match="refused the login: HTTP 401" if login else "cannot be asked") as caught:
            Registry("main", {"url": guard.url, **without}).schema(ids["old"])
        assert "s3cret" not in str(caught.value)
    finally:
        guard.close()


def test_each_schema_is_fetched_once(apicurio, ids):
    guard = Guard(apicurio)
    try:
        registry = Registry("main", {"url": guard.url})
        found = registry.subject("real.t-value")
        assert ids["old"] in found and len(found) > 1
        again = Registry("main", {"url": apicurio.url})
        assert [registry.schema(one) for one in found] == [again.schema(one) for one in found]
        # No look at /schemas/ids, and no version twice.
        assert not [path for path in guard.asked if path.startswith("/schemas/ids")] and len(set(guard.asked)) == len(guard.asked)
    finally:
        guard.close()


def test_a_registry_that_does_not_answer():
    with pytest.raises(JobError, match=r"the schema registry main \(http://127.0.0.1:9\) cannot be asked: .*refused"):
        Registry("main", {"url": "http://127.0.0.1:9/"}).subject("t-value")


@pytest.mark.parametrize("status", [403, 405, 501])
def test_a_registry_that_does_not_list_subjects(apicurio, ids, status):
    guard = Guard(apicurio, closed="/subjects/", status=status)
    try:
        registry = Registry("main", {"url": guard.url})
        assert registry.subject("real.t-value") == [] and registry.schema(ids["key"]).kind == "AVRO"
    finally:
        guard.close()


def test_kinds_of_fields():
    avro = Avro(Registry("main", {"url": "x"})._parsed({"schema": json.dumps(ADDRESS)}))
    assert avro.has("city") and not avro.has("town") and avro.kind("city") is None
    schema = JsonSchema(Registry("main", {"url": "x"})._parsed({"schema": '{"$ref": "other.json#/definitions/a"}', "schemaType": "JSON"}))
    assert schema.kind("x") is None
