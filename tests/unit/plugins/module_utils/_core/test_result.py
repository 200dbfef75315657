# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import change_result, delivered_again


def part(name):
    return {"filename": name}


LIVE = Snapshot(
    "orders-source", "source",
    [Entry(part(name), {"position": position}) for name, position in {"a": 40, "b": 5, "c": 7, "d": 8, "e": 9}.items()],
    [Entry(part("u"), None), Entry(part("v"), None), Entry("raw key", None)], {canonical(part("e")): [{"position": 1}]})

WISH = {"a": {"position": 0}, "b": {"position": 12}, "c": None, "d": {"line": 8}, "e": {"position": 10}, "n": {"position": 1},
        "u": {"position": 1}, "v": None}

LINES = [
    '{"filename": "a"}: backward by 40', '{"filename": "b"}: forward by 7', '{"filename": "c"}: removed',
    '{"filename": "d"}: direction unknown', '{"filename": "e"}: direction unknown', '{"filename": "n"}: new',
    '{"filename": "u"}: direction unknown', '{"filename": "v"}: removed',
]


def diff(desired, max_entries=0):
    found, = change_result(make_plan(LIVE, desired), "topic", max_entries)["diff"]
    return found


def declared(names):
    desired = DesiredOffsets.document([{"partition": part(name), "offset": WISH[name]} for name in names])
    desired.force = True  # one of them loses a field
    return desired


def test_every_change_is_told_with_its_direction_and_distance():
    found = diff(declared(WISH))
    assert found["prepared"] == "\n".join(LINES) + "\n"
    assert found["before_header"] == "orders-source (offsets)" and found["after"]['{"filename": "a"}'] == {"position": 0}


@pytest.mark.parametrize("max_entries, lines", [
    (0, LINES[:3]), (5, LINES[:3]), (3, LINES[:3]), (2, [*LINES[:2], "1 more changes are not shown"]),
    (1, [LINES[0], "2 more changes are not shown"]),
])
def test_only_changes_are_told_and_the_list_is_cut(max_entries, lines):
    assert diff(declared("abc"), max_entries)["prepared"].splitlines() == lines


def test_a_raw_key_is_told_as_text():
    assert diff(DesiredOffsets.absent(None, ["raw key"]))["prepared"] == '"raw key": removed\n'


def test_nothing_is_told_where_nothing_changes():
    desired = DesiredOffsets.document([{"partition": part("a"), "offset": {"position": 40}}])
    assert sorted(diff(desired)) == ["after", "after_header", "before", "before_header"]


# ---- delivered again ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("names, text", [
    ("a", "orders-source goes back: 1 partition by 40 bytes. What it has delivered in between is delivered again."),
    ("abc", "orders-source goes back: 1 partition by 40 bytes, 1 partition by an unknown distance. What it has delivered in between is delivered again."),
    ("cd", "How far orders-source goes back is not known of 2 partitions. What it has delivered in between is delivered again."),
    ("bn", None), ("u", None),
])
def test_what_is_delivered_again(names, text):
    assert delivered_again(make_plan(LIVE, declared(names))) == ([text] if text else [])


@pytest.mark.parametrize("kind, partition, offset, words", [
    ("sink", {"kafka_topic": "t", "kafka_partition": 0}, "kafka_offset", "1 partition by 1 record."),
    ("source", {"cluster": "east", "topic": "t", "partition": 0}, "offset", "1 partition by 1 record."),
    ("source", {"server": "s"}, "lsn", "1 partition by 1 WAL byte."),
    ("source", {"server": "s"}, "n", "1 partition by 1 in its own unit."),
])
def test_what_a_distance_counts(kind, partition, offset, words):
    live = Snapshot("c", kind, [Entry(partition, {offset: 5})])
    found, = delivered_again(make_plan(live, DesiredOffsets.present([{"partition": partition, "offset": {offset: 4}}])))
    assert found.startswith("c goes back: " + words)
