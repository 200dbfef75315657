# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import documents
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot

PAIRS = [{"partition": {"p": 1}, "offset": {"o": 1}}]
OURS = {"format": "streamops.kafka_connect/offsets", "version": 1, "connectors": {"c": PAIRS, "d": []}}


@pytest.mark.parametrize("document, connector, expected", [
    (PAIRS, "c", PAIRS),
    ([], "c", []),
    ({"offsets": PAIRS}, "c", PAIRS),  # GET /connectors/c/offsets, Strimzi
    ({"c": PAIRS, "d": []}, "c", PAIRS),  # KIP-199
    ({"c": PAIRS, "d": []}, "d", []),
    ({"offsets": [], "c": PAIRS}, "c", PAIRS),  # beside a connector of the name offsets
    (OURS, "c", PAIRS),
    (OURS, "d", []),
    (dict(OURS, time="2026-01-01T00:00:00Z", later="more"), "c", PAIRS),
    (dict(OURS, counts={"c": 1, "d": 0}), "c", PAIRS),
    (dict(OURS, counts={"c": 1, "d": 7}), "c", PAIRS),  # of the others nothing is taken
    (dict(OURS, counts={}), "c", PAIRS),  # a connector that was added by hand
])
def test_items_for(document, connector, expected):
    assert documents.items_for(document, connector, "x.json") == expected


@pytest.mark.parametrize("document, says", [
    (None, "x.json must be a JSON object or list, it is null."),
    (7, "x.json must be a JSON object or list, it is the integer 7."),
    ("c", 'x.json must be a JSON object or list, it is the text "c".'),
    ({"offsets": {}}, "x.json: offsets must be a list of {partition, offset}, it is the dictionary {}."),
    ({"offsets": None}, "x.json: offsets must be a list of {partition, offset}, it is null."),
    ({"b": [], "a": []}, "x.json holds nothing for the connector c; it has a, b"),
    ({}, "x.json holds nothing for the connector c; it has no connector at all"),
    ({"C": PAIRS}, "x.json holds nothing for the connector c; it has C"),
    ({"c": {"p": 1}}, 'x.json: c must be a list of {partition, offset}, it is the dictionary {"p": 1}.'),
    (dict(OURS, format="x"), 'x.json has the unknown format the text "x"; known is "streamops.kafka_connect/offsets".'),
    (dict(OURS, version=2), "x.json has version the integer 2 of the format; this collection reads version 1."),
    ({"format": OURS["format"]}, "x.json has version null of the format"),
    (dict(OURS, connectors=[]), "x.json must have an object named connectors, it is the list []."),
    (dict(OURS, connectors={}), "x.json holds nothing for the connector c; it has no connector at all"),
    (dict(OURS, connectors={}, counts={"c": 1}), "x.json holds nothing for the connector c; it has no connector at all"),
    (dict(OURS, connectors={"c": {}}, counts={"c": 1}), "x.json: c must be a list of {partition, offset}, it is the dictionary {}."),
    (dict(OURS, counts={"c": 2}), "x.json was cut short or edited: it holds 1 pair of c, but its counts say the integer 2. If it was "
                                  "edited on purpose, correct the number there, or remove counts."),
    (dict(OURS, counts={"c": 0}), "x.json was cut short or edited: it holds 1 pair of c, but its counts say the integer 0."),
    (dict(OURS, connectors={"c": []}, counts={"c": 1}), "x.json was cut short or edited: it holds 0 pairs of c, but its counts say"),
    (dict(OURS, counts={"c": "1"}), 'x.json was cut short or edited: it holds 1 pair of c, but its counts say the text "1".'),
    (dict(OURS, counts={"c": True}), "x.json was cut short or edited: it holds 1 pair of c, but its counts say the boolean true."),
    (dict(OURS, counts=[1]), "x.json must have an object named counts, or none; it is the list [1]."),
    (dict(OURS, counts=None), "x.json must have an object named counts, or none; it is null."),
])
def test_items_for_refuses(document, says):
    with pytest.raises(DeclarationError) as caught:
        documents.items_for(document, "c", "x.json")
    assert caught.value.message.startswith(says)


# ---- where it comes from ------------------------------------------------------------------------------------------

HOME = dict(OURS, cluster={"kafka_cluster_id": "one"}, types={"c": "source", "d": "sink", "e": "unknown"})
OTHER_KIND = ("x.json holds the offsets of %s as a %s connector, but it is a %s connector here: its offsets mean something "
              "else. If they are meant all the same, use force: true.")
OTHER_CLUSTER = ("x.json holds the offsets of c on the Kafka cluster one, but here it is on the Kafka cluster two, where the same "
                 "number can be another record. If they are meant all the same, use force: true.")


@pytest.mark.parametrize("document, connector, kind, cluster", [
    (HOME, "c", "source", "one"),
    (HOME, "d", "sink", "one"),
    (HOME, "e", "sink", "one"),
    (HOME, "f", "sink", "one"),
    (HOME, "c", "unknown", "one"),  # the worker lacks its plugin
    (HOME, "c", "source", None),
    (OURS, "c", "sink", "two"),
    (dict(OURS, cluster={"kafka_cluster_id": None}), "c", "sink", "two"),
    (dict(OURS, types={"c": ["sink"]}), "c", "source", "two"),
])
def test_origin(document, connector, kind, cluster):
    documents.origin_of(document, connector, "x.json").check(kind, cluster)


@pytest.mark.parametrize("connector, kind, cluster, says", [
    ("c", "sink", "one", OTHER_KIND % ("c", "source", "sink")),
    ("d", "source", None, OTHER_KIND % ("d", "sink", "source")),
    ("c", "source", "two", OTHER_CLUSTER),
    ("c", "unknown", "two", OTHER_CLUSTER),
    ("c", "sink", "two", OTHER_KIND % ("c", "source", "sink")),
])
def test_origin_refuses(connector, kind, cluster, says):
    with pytest.raises(DeclarationError) as caught:
        documents.origin_of(HOME, connector, "x.json").check(kind, cluster)
    assert caught.value.message == says


@pytest.mark.parametrize("document", [[], {"offsets": []}, {"c": PAIRS}, {"format": PAIRS}])
def test_other_formats_tell_no_origin(document):
    assert documents.origin_of(document, "c", "x.json") is None


@pytest.mark.parametrize("name", ["cluster", "types"])
def test_a_header_of_another_shape_is_refused(name):
    with pytest.raises(DeclarationError, match=f"^x.json must have an object named {name}, or none; it is the text"):
        documents.origin_of(dict(OURS, **{name: "x"}), "c", "x.json")


# ---- text ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, expected", [
    ('{"o": 9223372036854775807}', {"o": 9223372036854775807}),
    ('{"o": 18446744073709551615}', {"o": 18446744073709551615}),
    ('{"o": 4.0}', {"o": 4.0}),
    ('{"o": 1E7}', {"o": 10000000.0}),
    (r'{"o": "\u00e9\ud83d\ude00"}', {"o": "é😀"}),
    ('{"a": {"x": 1}, "b": {"x": 1}}', {"a": {"x": 1}, "b": {"x": 1}}),
])
def test_parse(text, expected):
    value = documents.parse(text, "content")
    assert value == expected and json.dumps(value) == json.dumps(expected)


@pytest.mark.parametrize("text, says", [
    ("", "content is not JSON: Expecting value: line 1 column 1"),
    ('{"c": [{"partition": {"p": 1}, "off', "content is not JSON: Unterminated string starting at: line 1 column 32"),
    ('[{"partition": {"p": 1}}', "content is not JSON: Expecting ',' delimiter"),
    ("- partition: {p: 1}", "content is not JSON"),
    ("[] []", "content is not JSON: Extra data"),
    ('{"o": NaN}', "content holds NaN, which is not JSON."),
    ('{"o": -Infinity}', "content holds -Infinity, which is not JSON."),
    ('{"c": [], "c": []}', "content holds the field c twice in one object."),
    ('[{"partition": {"p": 1, "p": 2}}]', "content holds the field p twice in one object."),
    ("9" * 5000, "content is not JSON"),
    ("[" * 100000, "content is nested too deeply to be a document of offsets."),
])
def test_parse_refuses(text, says):
    with pytest.raises(DeclarationError) as caught:
        documents.parse(text, "content")
    assert caught.value.message.startswith(says)


CUT_SHORT = " It seems to be cut short: its end is missing."


@pytest.mark.parametrize("text", ["", "  ", "position: 4", '[{"p": 1,}]', "[] []", '{"c": [}', '{"c": nul, "d": 1}', "9" * 5000])
def test_not_all_that_is_no_json_is_cut_short(text):
    with pytest.raises(DeclarationError) as caught:
        documents.parse(text, "x.json")
    assert caught.value.message.startswith("x.json is not JSON: ") and "cut short" not in caught.value.message


def test_a_backup_that_is_cut_short_says_so_wherever_it_is_cut():
    entries = [Entry({"file": "é\\", "n": None, "t": True}, {"position": -5}), Entry({"f": False, "c": "\x1f"}, {"x": 1.5, "y": 5e-324})]
    text = documents.write([documents.part_of(Snapshot("c", "source", entries))], {}, "rest", "2026-01-02T03:04:05Z").rstrip()
    for end in range(1, len(text)):
        with pytest.raises(DeclarationError) as caught:
            documents.parse(text[:end], "x.json")
        assert caught.value.message.startswith("x.json is not JSON: ") and "line " in caught.value.message
        assert caught.value.message.endswith(CUT_SHORT), (text[:end], caught.value.message)


def test_what_is_written_is_read_back_exactly():
    entries = [
        Entry({"filename": "café 🚚/\"a\\b\"\u2028\x00\x1f\x7f"}, {"position": 9223372036854775807}),
        Entry({"p": "4"}, {"o": -9223372036854775808, "f": 4.0, "tiny": 5e-324, "n": None, "t": True, "s": ""}),
        Entry({"p": 4}, {"_id": '{"_data": "826500AB"}'}),
    ]
    parts = [documents.part_of(Snapshot("my conn", "source", entries)), documents.Part("empty", "sink", [])]
    text = documents.write(parts, {"connect_url": "http://h:8083", "kafka_cluster_id": "id"}, "rest",
                           "2026-01-02T03:04:05Z")
    assert text.endswith("}\n") and "café 🚚" in text
    document = documents.parse(text, "x.json")
    items = documents.items_for(document, "my conn", "x.json")
    assert sorted(map(json.dumps, items)) == sorted(json.dumps(entry._asdict()) for entry in entries)
    assert documents.items_for(document, "empty", "x.json") == []
    del document["connectors"]
    assert document == {
        "format": "streamops.kafka_connect/offsets", "version": 1, "time": "2026-01-02T03:04:05Z", "method": "rest",
        "cluster": {"connect_url": "http://h:8083", "kafka_cluster_id": "id"},
        "types": {"my conn": "source", "empty": "sink"}, "counts": {"my conn": 3, "empty": 0},
    }
