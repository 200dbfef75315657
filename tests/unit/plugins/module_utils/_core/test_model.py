# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import model
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry


@pytest.mark.parametrize("name, shown", [
    (" orders", "' orders'"), ("orders ", "'orders '"), ("orders\n", "'orders\\n'"), ("\torders", "'\\torders'"), ("orders\r", "'orders\\r'"),
    ("or\nders", "'or\\nders'"), ("or\x00ders", "'or\\x00ders'"), ("or\x7fders", "'or\\x7fders'"), ("or\x85ders", "'or\\x85ders'"),
    ("orders\u00a0", "'orders\\xa0'"), ("\u3000orders", "'\\u3000orders'"), ("\ufefforders", "'\\ufefforders'"), ("orders\u200b", "'orders\\u200b'"),
    (" ", "' '"), ("\n", "'\\n'"),
])
def test_names_with_what_nobody_sees(name, shown):
    with pytest.raises(DeclarationError) as caught:
        model.check_name(name, "connectors")
    assert caught.value.message == (
        f"connectors: the connector's name {shown} begins or ends with a blank or holds a control character. Give it as it is in Connect, without "
        "them.")


@pytest.mark.parametrize("name", [
    None, "", "orders", "my conn", "east->west.MirrorSourceConnector", "café-🚚", "👩\u200d🚀", "a\u00a0b", "..dots", "orders-*", "a\ud83d"])
def test_names_that_can_be_meant(name):
    model.check_name(name, "name")


@pytest.mark.parametrize("value, text", [
    ({"position": 4}, '{"position": 4}'),
    ({"position": "4"}, '{"position": "4"}'),
    ({"position": 4.0}, '{"position": 4.0}'),
    ({"position": 10000000.0}, '{"position": 10000000.0}'),
    ({"position": 1e7}, '{"position": 10000000.0}'),
    ({"b": 1, "a": 2}, '{"a": 2, "b": 1}'),
    ({"a": True, "b": None}, '{"a": true, "b": null}'),
    ({"a": 1, "b": 0}, '{"a": 1, "b": 0}'),
    ({"a": -0.0}, '{"a": 0.0}'),
    ({"file": "café-🚚.txt"}, '{"file": "café-🚚.txt"}'),
    ({"scn": 9223372036854775807}, '{"scn": 9223372036854775807}'),
    ({"scn": -9223372036854775808}, '{"scn": -9223372036854775808}'),
    ({"incrementing": 1547863325117001729}, '{"incrementing": 1547863325117001729}'),
    ({"_id": '{"_data": "826500AB"}'}, r'{"_id": "{\"_data\": \"826500AB\"}"}'),
    (-0.0, "0.0"),
    (None, "null"),
])
def test_canonical(value, text):
    assert model.canonical(value) == text


def test_canonical_leaves_its_argument_alone():
    value = {"a": -0.0}
    model.canonical(value)
    assert str(value["a"]) == "-0.0"


@pytest.mark.parametrize("one, other, alike", [
    (4, "4", True), (4, 4.0, True), ("4", 4.0, True), (True, "true", True), (None, "null", True),
    (9223372036854775807, "9223372036854775807", True), (4, "04", False), (4, 4.5, False), (True, 1, False),
    ("a", "A", False), (float("inf"), "Infinity", True),
])
def test_untyped(one, other, alike):
    assert (model.untyped({"p": one}) == model.untyped({"p": other})) is alike


def test_untyped_ignores_order_but_not_names():
    assert model.untyped({"a": 1, "b": 2}) == model.untyped({"b": "2", "a": "1"})
    assert model.untyped({"a": 1}) != model.untyped({"b": 1})
    assert model.untyped(None) == "{}"


@pytest.mark.parametrize("value", [
    {"s": "", "i": 0, "f": 0.5, "t": True, "n": None},
    {"min": -9223372036854775808, "max": 9223372036854775807},
    {"_id": '{"_data": "826500AB"}', "copy": "true"},
    {"a.b": 1, "": 2, "🚚": "\x00\x7f\U0001f600"},
])
def test_check_map_takes(value):
    assert model.check_map(value, "offset") is value


@pytest.mark.parametrize("value, says", [
    ({}, "offset is an empty dictionary; it needs at least one field."),
    ([], "offset must be a dictionary, it is the list []."),
    (None, "offset must be a dictionary, it is null."),
    ("{}", 'offset must be a dictionary, it is the text "{}".'),
    ({"p": {"q": 1}}, 'offset.p is the dictionary {"q": 1}, but Connect stores only text, numbers, booleans and null.'),
    ({"p": []}, "offset.p is the list [], but Connect stores only"),
    ({"p": (1, 2)}, "offset.p is of type tuple: [1, 2], but Connect stores only"),
    ({"p": b"x"}, "offset.p is of type bytes: b'x', which is no JSON value."),
    ({"p": float("nan")}, "offset.p is nan, which has no JSON form."),
    ({"p": float("inf")}, "offset.p is inf, which has no JSON form."),
    ({"p": float("-inf")}, "offset.p is -inf, which has no JSON form."),
    ({"p": 9223372036854775808}, "offset.p is 9223372036854775808, which does not fit into the 64 bits"),
    ({"p": -9223372036854775809}, "offset.p is -9223372036854775809, which does not fit into the 64 bits"),
    ({"p": "a\ud83d"}, "offset.p holds half of a surrogate pair, which has no UTF-8 form."),
    ({"a": 1, "z": {}}, "offset.z is the dictionary {}"),
])
def test_check_map_refuses(value, says):
    with pytest.raises(DeclarationError) as caught:
        model.check_map(value, "offset")
    assert caught.value.message.startswith(says)


def test_check_map_refuses_a_field_name_with_half_a_surrogate_pair():
    with pytest.raises(DeclarationError) as caught:
        model.check_map({"a\ud83d": 1}, "offset")
    caught.value.message.encode("utf-8")


def test_a_structure_for_a_value_is_explained_with_the_way_out():
    with pytest.raises(DeclarationError, match=r"quote it .* options src or content"):
        model.check_map({"_id": {"_data": "826500AB"}}, "offset")


SINK_PARTITION = {"kafka_topic": "orders", "kafka_partition": 3}


@pytest.mark.parametrize("partition, offset, expected", [
    (3, 42, (3, 42)), ("3", "42", (3, 42)), (0, "0", (0, 0)), ("0", 0, (0, 0)), ("+3", "007", (3, 7)),
    (3, 9223372036854775807, (3, 9223372036854775807)), (3, "9223372036854775807", (3, 9223372036854775807)),
])
def test_normalise_sink(partition, offset, expected):
    entry = Entry({"kafka_topic": "orders", "kafka_partition": partition}, {"kafka_offset": offset})
    partition, offset = model.normalise("sink", entry, "offsets[0]")
    assert partition == {"kafka_topic": "orders", "kafka_partition": expected[0]}
    assert offset == {"kafka_offset": expected[1]}
    assert partition["kafka_partition"].__class__ is int and offset["kafka_offset"].__class__ is int


def test_normalise_sink_keeps_a_removal():
    assert model.normalise("sink", Entry(SINK_PARTITION, None), "x") == Entry(SINK_PARTITION, None)


@pytest.mark.parametrize("partition, offset, says", [
    ({"topic": "orders", "partition": 3}, {"kafka_offset": 1},
     "offsets[0].partition of a sink connector must have exactly the fields kafka_topic and kafka_partition; "
     "it has partition, topic."),
    (dict(SINK_PARTITION, extra=1), {"kafka_offset": 1}, "offsets[0].partition of a sink connector must have exactly"),
    (SINK_PARTITION, {"offset": 1},
     "offsets[0].offset of a sink connector must have exactly the field kafka_offset; it has offset."),
    (SINK_PARTITION, {"kafka_offset": 1, "metadata": ""}, "offsets[0].offset of a sink connector must have exactly"),
    ({"kafka_topic": 7, "kafka_partition": 3}, {"kafka_offset": 1},
     "offsets[0].partition.kafka_topic must be a topic's name, it is the integer 7."),
    ({"kafka_topic": "", "kafka_partition": 3}, {"kafka_offset": 1}, "offsets[0].partition.kafka_topic must be"),
] + [
    (SINK_PARTITION, {"kafka_offset": value},
     f"offsets[0].offset.kafka_offset of a sink connector must be a whole number from 0 on, it is {words}.")
    for value, words in [
        (2.0, "the float 2.0"), (-1, "the integer -1"), ("-1", "the integer -1"), (True, "the boolean true"),
        (None, "null"), ("2.0", 'the text "2.0"'), (" 2", 'the text " 2"'), ("٣", 'the text "٣"'), ("", 'the text ""'),
        ("9223372036854775808", "the integer 9223372036854775808"),
    ]
] + [
    ({"kafka_topic": "orders", "kafka_partition": value}, {"kafka_offset": 1},
     f"offsets[0].partition.kafka_partition of a sink connector must be a whole number from 0 on, it is {words}.")
    for value, words in [(3.0, "the float 3.0"), (-1, "the integer -1"), (None, "null"), (False, "the boolean false")]
])
def test_normalise_sink_refuses(partition, offset, says):
    with pytest.raises(DeclarationError) as caught:
        model.normalise("sink", Entry(partition, offset), "offsets[0]")
    assert caught.value.message.startswith(says)


@pytest.mark.parametrize("partition, offset", [
    ("2147483648", 1),  # a Kafka partition has 32 bits
    (0, "9" * 5000),  # more digits than Python's int() takes
])
def test_normalise_sink_refuses_what_is_too_long(partition, offset):
    with pytest.raises(DeclarationError):
        model.normalise("sink", Entry({"kafka_topic": "t", "kafka_partition": partition}, {"kafka_offset": offset}),
                        "x")


@pytest.mark.parametrize("kind", ["source", "unknown"])
def test_normalise_leaves_others_alone(kind):
    entry = Entry({"p": "0"}, {"kafka_offset": "2"})
    assert model.normalise(kind, entry, "x") is entry


@pytest.mark.parametrize("value, words", [
    (None, "null"), (True, "the boolean true"), (4, "the integer 4"), (4.0, "the float 4.0"), ("4", 'the text "4"'),
    ({}, "the dictionary {}"), ([1], "the list [1]"), (b"x", "of type bytes: b'x'"), ("é", 'the text "é"'),
    ("x" * 78, 'the text "%s"' % ("x" * 78)), ("x" * 79, 'the text "%s...' % ("x" * 76)),
])
def test_describe(value, words):
    assert model.describe(value) == words


def test_snapshot_is_sorted_by_partition():
    entries = [Entry({"p": name}, {"o": 1}) for name in "cab"]
    snapshot = model.Snapshot("c", "source", entries, [Entry({"p": "z"}, None)])
    assert [entry.partition["p"] for entry in snapshot.sorted()] == ["a", "b", "c"]
    assert list(snapshot.unreadable) == ['{"p": "z"}']


@pytest.mark.parametrize("options", [{}, {"sort_keys": True, "ensure_ascii": False}, {"ensure_ascii": False, "separators": (",", ":")}, {"allow_nan": False}])
@pytest.mark.parametrize("value", [{"b": 1, "a": "\u00e9\n\""}, [], "x", 5, 1.5, -0.0, None, True, [1, {"a": [None, {}]}], {"\U0001f69a": 2**70},
                                   float("inf"), {1, 2}])
def test_json_writer_writes_what_json_does(value, options):
    def outcome(write):
        try:
            return write(value)
        except (ValueError, TypeError) as error:
            return type(error)

    assert outcome(model.json_writer(**options)) == outcome(json.JSONEncoder(**options).encode)
