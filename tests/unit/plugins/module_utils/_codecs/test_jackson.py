# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import jackson
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError


@pytest.mark.parametrize("value, text", [
    (None, "null"),
    (True, "true"),
    (False, "false"),
    (0, "0"),
    (-9223372036854775808, "-9223372036854775808"),
    (9223372036854775807, "9223372036854775807"),
    (1547863325117001729, "1547863325117001729"),
    ("", '""'),
    ({}, "{}"),
    ([], "[]"),
    ((1, "a"), '[1,"a"]'),
    (["name", None], '["name",null]'),
    ({"b": 1, "a": "1", "c": 1.0, "d": True, "e": None}, '{"b":1,"a":"1","c":1.0,"d":true,"e":null}'),
    ({"": {"b": [], "a": [{"z": 1, "y": {}}, [None]]}}, '{"":{"b":[],"a":[{"z":1,"y":{}},[null]]}}'),
    ({"_id": '{"_data": "826500AB"}', "copy": "true"}, r'{"_id":"{\"_data\": \"826500AB\"}","copy":"true"}'),
])
def test_encode(value, text):
    assert jackson.encode(value) == text.encode("utf-8")


@pytest.mark.parametrize("text, written", [
    ('a"b\\c', rb'a\"b\\c'),
    ("\b\t\n\f\r", rb"\b\t\n\f\r"),
    ("\x00\x0b\x1b\x1f", rb"\u0000\u000B\u001B\u001F"),
    ("\\u001f", rb"\\u001f"),
    ("\\\x1f", rb"\\\u001F"),
    ("\x7f", b"\x7f"),
    ("\x80\x9f\xa0\xad", b"\xc2\x80\xc2\x9f\xc2\xa0\xc2\xad"),
    ("/<>&'=", b"/<>&'="),
    ("é", b"\xc3\xa9"),
    ("\u2028\u2029", b"\xe2\x80\xa8\xe2\x80\xa9"),
    ("\ud7ff\ue000\ufeff\uffff", b"\xed\x9f\xbf\xee\x80\x80\xef\xbb\xbf\xef\xbf\xbf"),
    ("\U00010000\U0001f600\U0010ffff", rb"\uD800\uDC00\uD83D\uDE00\uDBFF\uDFFF"),
    ("\x1f\x7fé\U0001f600", b"\\u001F\x7f\xc3\xa9\\uD83D\\uDE00"),
])
def test_text_alone_and_as_a_name(text, written):
    assert jackson.encode(text) == b'"' + written + b'"'
    assert jackson.encode({text: text}) == b'{"' + written + b'":"' + written + b'"}'


@pytest.mark.parametrize("value, text", [
    (0.0, "0.0"), (-0.0, "0.0"), (1.0, "1.0"), (-1.5, "-1.5"), (100.0, "100.0"), (0.1, "0.1"),
    (0.001, "0.001"), (0.00123, "0.00123"), (-0.001, "-0.001"), (0.0009999999999999998, "9.999999999999998E-4"),
    (0.0001, "1.0E-4"), (0.00012, "1.2E-4"), (1.5e-7, "1.5E-7"), (-2e-10, "-2.0E-10"),
    (9999999.0, "9999999.0"), (9999999.999999998, "9999999.999999998"), (1e7, "1.0E7"), (12345678.9, "1.23456789E7"),
    (-1e7, "-1.0E7"), (10203000.0, "1.0203E7"), (1e15, "1.0E15"), (1e16, "1.0E16"), (1.5e16, "1.5E16"), (1e21, "1.0E21"),
    (9007199254740993.0, "9.007199254740992E15"), (1e23, "1.0E23"), (2e23, "2.0E23"), (1e300, "1.0E300"),
    (1.7976931348623157e308, "1.7976931348623157E308"), (2.2250738585072014e-308, "2.2250738585072014E-308"),
    # halfway to the next lower double is nearer than to the next higher one
    (2.0**-44, "5.684341886080802E-14"),
    # two digits at least
    (5e-324, "4.9E-324"), (1e-323, "9.9E-324"), (2e-323, "2.0E-323"), (1.6e-322, "1.6E-322"),
])
def test_double(value, text):
    assert jackson.encode({"d": value}) == b'{"d":' + text.encode("ascii") + b"}"
    if value:
        assert float(text) == value


def test_subclasses_are_written_as_what_they_are():
    class Text(str):
        pass

    class Number(int):
        def __str__(self):
            return "no"

    assert jackson.encode({Text("a"): Text("b"), "é": Text("\x1f"), "n": Number(7)}) == b'{"a":"b","\xc3\xa9":"\\u001F","n":7}'


@pytest.mark.parametrize("value, says", [
    (9223372036854775808, "9223372036854775808 does not fit into the 64 bits"),
    ({"a": [-9223372036854775809]}, "-9223372036854775809 does not fit into the 64 bits"),
    ({"a": float("nan")}, "nan has no JSON form."),
    (float("inf"), "inf has no JSON form."),
    ([float("-inf")], "-inf has no JSON form."),
    ({"a": b"x"}, "of type bytes: b'x' is no JSON value."),
    ({1: "a"}, "the integer 1 cannot be the name of a field"),
    ({None: "a"}, "null cannot be the name of a field"),
    ({"a": "x\ud83d"}, r'the dictionary {"a": "x\ud83d"} holds half of a surrogate pair'),
    ("\ude00", r'the text "\ude00" holds half of a surrogate pair'),
    ({"\ud83d\ude00": 1}, "holds half of a surrogate pair"),
])
def test_what_has_no_form(value, says):
    with pytest.raises(DeclarationError) as caught:
        jackson.encode(value)
    assert says in caught.value.message
    assert caught.value.message.encode("utf-8")


@pytest.mark.parametrize("connector, partition, size", [
    ("fs-orders", {"filename": "in/orders.txt"}, 42),
    ("fs-orders", {"filename": "in/café-🚚.txt"}, 54),
    ("jdbc-src", {"protocol": "1", "table": "public.orders"}, 53),
    ("pg-cdc", {"server": "inv"}, 27),
    ("mongo-src", {"ns": "mongodb://db1.example:27017/shop.orders"}, 62),
])
def test_size_of_keys_seen_on_a_topic(connector, partition, size):
    assert len(jackson.encode([connector, partition])) == size
