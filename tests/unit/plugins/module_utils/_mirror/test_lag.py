# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Status and lag of places, and what becomes an orphan: numbers in, numbers out."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror import lag
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.lag import Ends, Stored

NOW = 1769860800000
PLACE = ("orders", 0)


def stored(offset, topic="orders", number=0, cluster="east", time=NOW):
    return Stored({"cluster": cluster, "partition": number, "topic": topic}, offset, time)


def at(offset, **more):
    return stored({"offset": offset}, **more)


@pytest.mark.parametrize("offset, ends, status, left, lost", [
    (9, (0, 10), "ok", 0, 0), (4, (0, 10), "behind", 5, 0), (4, (5, 10), "behind", 5, 0),
    (None, (3, 10), "new", 7, 0), (None, (0, 0), "new", 0, 0),
    (3, (5, 10), "lost", 5, 1), (0, (10, 10), "lost", 0, 9), (10, (0, 10), "beyond", None, 0), (99, (0, 0), "beyond", None, 0),
    (12, (0, 10, 15), "ok", 0, 0), (15, (0, 10, 15), "beyond", None, 0),  # ahead of an open transaction, and behind its end
    (-1, (0, 2), "new", 2, 0), (4, (5, 3), "ok", 0, 0),  # the log was cut at its beginning between two questions
    (2**63 - 2, (0, 2**63 - 1), "ok", 0, 0),
])
def test_status_and_lag(offset, ends, status, left, lost):
    found = lag.row(PLACE, None if offset is None else at(offset), Ends(*ends, *[ends[1]] * (3 - len(ends))))
    assert (found["status"], found["lag"], found["lost"]) == (status, left, lost)
    assert found["lag_ms"] == (0 if left == 0 else None)
    following = None if offset in (None, -1) else offset + 1
    assert (found["next_offset"], found["offset"]) == (following, None if following is None else offset)
    assert found["end"] >= found["begin"] == ends[0]
    assert lag.waits_from(found) == (max(following or 0, ends[0]) if left else None)


def test_without_an_answer_of_the_source():
    found = lag.row(PLACE, at(4), None)
    assert [found[name] for name in ("next_offset", "stored_at", "begin", "end", "lag", "lag_ms", "lost", "status")] == [
        5, "2026-01-31T12:00:00.000Z", None, None, None, None, None, None]
    assert lag.totals([found]) == {"lag": None, "lag_ms": None, "lost": None}


def test_a_new_partition_may_begin_at_its_end():
    assert lag.row(PLACE, None, Ends(3, 10, 10), at_the_end=True)["lag"] == 0


@pytest.mark.parametrize("first, status, left, age, skipped", [
    (NOW - 61000, "behind", 5, 61000, None), (NOW + 5000, "behind", 5, 0, None), (None, "behind", 5, None, None), (False, "ok", 0, 0, 5)])
def test_the_first_record_that_waits(first, status, left, age, skipped):
    found = lag.row(PLACE, at(4), Ends(0, 10, 10))
    lag.note_first(found, first, NOW)
    assert (found["status"], found["lag"], found["lag_ms"], found["skipped"]) == (status, left, age, skipped)


@pytest.mark.parametrize("offset, ends, status", [(None, (0, 1), "new"), (3, (5, 6), "lost")])
def test_what_was_new_or_lost_is_so_without_records_too(offset, ends, status):
    found = lag.row(PLACE, None if offset is None else at(offset), Ends(*ends, ends[1]))
    lag.note_first(found, False, NOW)
    assert (found["status"], found["lag"]) == (status, 0)


def test_what_was_stored_is_sorted_out():
    good = [at(3), at(4, number=2**31 - 1), at(None, number=2), stored({}, number=3)]
    bad = {
        "former_alias": [at(3, cluster="old"), at(3, cluster=None)],
        "no_partition": [
            Stored({"sourceClusterAlias": "east", "targetClusterAlias": "west"}, {"offset": 0}, None),
            Stored("raw key", None, None), at(1, number="0"), at(1, number=-1), at(1, number=2**31), at(1, topic=None), at(1, number=True)],
        "unreadable": [
            at("5"), at(5.0), stored(None), stored({"offset": 5, "more": 1}), at(True)]}
    places, orphans = lag.sort_out(good + [one for found in bad.values() for one in found], "east")
    assert list(places) == [("orders", 0), ("orders", 2**31 - 1), ("orders", 2), ("orders", 3)]
    assert [one["reason"] for one in orphans] == [reason for reason, found in bad.items() for _one in found]
    assert orphans[0] == {"partition": bad["former_alias"][0].partition, "offset": {"offset": 3}, "reason": "former_alias",
                          "detail": "the source cluster is called east"}


def test_sums():
    rows = [lag.row(("b", number), at(offset), Ends(5, 10, 10)) for number, offset in ((0, 4), (1, 2), (2, 99))]
    rows += [lag.row(("a", 0), at(8), Ends(0, 10, 10))]
    for one, age in zip(rows[:2], (3000, 9000), strict=True):
        lag.note_first(one, NOW - age, NOW)
    assert lag.totals(rows) == {"lag": 11, "lag_ms": 9000, "lost": 2}
    assert lag.by_topic(rows, "east.{}".format) == [
        {"topic": "a", "copy": "east.a", "partitions": 1, "lag": 1, "lag_ms": None, "lost": 0, "statuses": {"behind": 1}},
        {"topic": "b", "copy": "east.b", "partitions": 3, "lag": 10, "lag_ms": 9000, "lost": 2,
         "statuses": {"beyond": 1, "lost": 1, "behind": 1}}]
    assert list(lag.by_topic(rows, str)[1]["statuses"]) == ["beyond", "lost", "behind"]
    assert lag.totals([]) == {"lag": None, "lag_ms": None, "lost": None}
