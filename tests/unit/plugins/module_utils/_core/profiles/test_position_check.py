# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared, before and first commit of a partition -> what that says of the connector."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import REMOVE, SET, Action
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.position_check import (
    CANNOT_TELL,
    GONE,
    IGNORED,
    NOTHING,
    OWN_POSITION,
    STUCK,
    TAKEN,
    Seen,
    judge,
    moves_on,
    result,
    sentence,
)

STORE = "the offset tokens of its channels"
PLACE = {"kafka_topic": "t", "kafka_partition": 0}
POSTGRES = BUILT_IN.find({"connector.class": "io.debezium.connector.postgresql.PostgresConnector"}).shapes[0]
MONGODB = BUILT_IN.find({"connector.class": "com.mongodb.kafka.connect.MongoSourceConnector"}).shapes[0]


def seen(partition, before, declared, first, end=None, shape=None):
    return Seen(Action(SET if declared is not None else REMOVE, partition, before, declared, shape=shape), first, end)


def of_a_sink(before, declared, first, end=None):
    number = {name: {"kafka_offset": value} if isinstance(value, int) else value for name, value in (("b", before), ("d", declared), ("f", first))}
    return seen(PLACE, number["b"], number["d"], number["f"], end)


def of_a_source(before, declared, first, partition="a", shape=None):
    number = {name: {"n": value} if isinstance(value, int) else value for name, value in (("b", before), ("d", declared), ("f", first))}
    return seen({"p": partition}, number["b"], number["d"], number["f"], shape=shape)


@pytest.mark.parametrize("before, declared, first, end, store, verdict", [
    # set back
    (100, 40, 60, 100, "", TAKEN),
    (100, 40, 60, None, STORE, TAKEN),  # a place in between is reached from the declared one alone
    (100, 40, 100, 100, "", TAKEN),  # all was read again before it committed for the first time
    (100, 40, 100, 120, "", OWN_POSITION),  # N28: it stands where it was, and more is to be read
    (100, 40, 100, 100, STORE, OWN_POSITION),
    (100, 40, 130, 130, STORE, OWN_POSITION),
    (100, 40, 130, 130, "", TAKEN),
    (100, 40, NOTHING, 100, "", STUCK),
    (100, 40, NOTHING, None, "", STUCK),
    (100, 40, NOTHING, 100, STORE, OWN_POSITION),  # it has set its place by itself, and no record has come since
    (100, 40, NOTHING, 40, "", CANNOT_TELL),  # what was there is gone from the log
    (100, 40, 20, 100, "", IGNORED),
    # set ahead
    (40, 41, 50, 50, "", TAKEN),
    (40, 41, NOTHING, 41, "", CANNOT_TELL),
    (40, 41, NOTHING, None, "", CANNOT_TELL),
    (40, 41, NOTHING, 50, "", STUCK),
    (40, 99, NOTHING, 100, "", CANNOT_TELL),  # the marker at the end of a transactional topic is left for good
    (100, 99, NOTHING, 100, "", STUCK),
    (40, 60, 45, 100, "", OWN_POSITION),
    (40, 60, 30, 100, "", IGNORED),
    (None, 60, 30, 100, "", IGNORED),
    (None, 60, 61, 100, "", TAKEN),
    (40, 60, GONE, 100, "", IGNORED),
    # removed
    (100, None, 30, 100, STORE, TAKEN),
    (100, None, 100, 100, STORE, OWN_POSITION),
    (100, None, 100, 100, "", TAKEN),
    (100, None, NOTHING, 100, "", CANNOT_TELL),
])
def test_of_a_sink(before, declared, first, end, store, verdict):
    assert judge([of_a_sink(before, declared, first, end)], [], "sink", store, True).verdict == verdict


@pytest.mark.parametrize("before, declared, first, store, verdict", [
    (100, 40, 60, "", TAKEN),
    (100, 40, 100, "", TAKEN),
    (100, 40, 150, "", TAKEN),
    (100, 40, 150, "a slot", OWN_POSITION),
    (100, 40, 3, "", IGNORED),  # it has begun anew
    (100, 40, NOTHING, "", STUCK),
    (100, 40, NOTHING, "a slot", OWN_POSITION),
    (40, 77, 41, "", IGNORED),  # N27: it goes on from where it was
    (40, 77, 78, "", TAKEN),
    (40, 77, NOTHING, "", CANNOT_TELL),
    (40, 77, GONE, "", IGNORED),  # N11: it commits null
    (40, None, 3, "", TAKEN),
    (40, None, 150, "a slot", TAKEN),  # a new snapshot of Debezium begins at the slot
    (40, None, NOTHING, "", CANNOT_TELL),
    (None, 77, {"n": 1, "m": 2}, "", CANNOT_TELL),  # nothing tells which comes first
    (40, {"token": "x"}, {"token": "y"}, "", CANNOT_TELL),
])
def test_of_a_source_without_a_profile(before, declared, first, store, verdict):
    assert judge([of_a_source(before, declared, first)], [], "source", store, True).verdict == verdict


@pytest.mark.parametrize("shape, before, declared, first, verdict", [
    (POSTGRES, {"lsn": 100, "txId": 7}, {"lsn": 40, "txId": 4}, {"lsn": 60, "txId": 5, "ts_usec": 1}, TAKEN),
    (POSTGRES, {"lsn": 100, "txId": 7}, {"lsn": 40, "txId": 4}, {"lsn": 30, "txId": 3}, IGNORED),
    (POSTGRES, {"lsn": 100, "txId": 7}, {"lsn": 40, "txId": 4}, NOTHING, STUCK),
    (POSTGRES, {"lsn": 100, "lsn_commit": 100}, {"lsn": 40}, {"lsn": 100, "lsn_commit": 90}, TAKEN),
    (MONGODB, {"_id": "8"}, {"_id": "5"}, {"_id": "1"}, CANNOT_TELL),
    (MONGODB, {"_id": "8"}, {"_id": "5"}, NOTHING, CANNOT_TELL),
])
def test_by_the_connectors_own_rules(shape, before, declared, first, verdict):
    assert judge([seen({"server": "inv"}, before, declared, first, shape=shape)], [], "source", "", True).verdict == verdict


def test_the_same_position_with_other_fields_beside_it():
    """Debezium stores another lsn_commit when it begins at its slot, which is where it was."""
    before, declared, first = {"lsn_proc": 100, "lsn": 100, "lsn_commit": 100}, {"lsn_proc": 40, "lsn": 40}, {"lsn_proc": 100, "lsn": 100, "lsn_commit": 40}
    one = seen({"server": "inv"}, before, declared, first, shape=POSTGRES)
    assert judge([one], [], "source", "the replication slot", True).verdict == OWN_POSITION
    assert not moves_on(one.action, {"lsn_proc": 40, "lsn": 40, "txId": 7}) and moves_on(one.action, {"lsn_proc": 41, "lsn": 41})
    assert moves_on(seen({"p": "a"}, {"n": 9}, None, NOTHING).action, {"n": 1}) and not moves_on(seen({"p": "a"}, {"n": 9}, {"n": 4}, NOTHING).action, {"n": 4})


@pytest.mark.parametrize("seen_now, appeared, kind, verdict", [
    ([of_a_source(9, 4, NOTHING)], [{"p": "b"}], "source", IGNORED),
    ([of_a_source(9, 4, 6)], [{"p": "b"}], "source", TAKEN),
    ([of_a_source(40, 77, 41)], [{"p": "b"}], "source", IGNORED),
    ([of_a_source(None, 77, {"m": 2})], [{"p": "b"}], "source", CANNOT_TELL),
    ([of_a_source(4, 9, NOTHING)], [{"p": "b"}], "source", CANNOT_TELL),  # as a new file
    ([of_a_source(4, 9, NOTHING)], [{"p": "b", "q": 1}], "source", IGNORED),  # N19: another shape
    ([of_a_source(4, None, NOTHING)], [{"q": "b"}], "source", IGNORED),
    ([of_a_sink(4, 9, NOTHING)], [dict(PLACE, kafka_partition=1)], "sink", CANNOT_TELL),
])
def test_partitions_that_were_not_declared(seen_now, appeared, kind, verdict):
    assert judge(seen_now, appeared, kind, "", True).verdict == verdict


@pytest.mark.parametrize("seen_now, verdict", [
    ([of_a_source(9, 4, NOTHING)], None),
    ([of_a_source(4, 9, NOTHING)], None),
    ([of_a_source(9, 4, 6)], TAKEN),
    ([of_a_source(9, 4, {"m": 2})], CANNOT_TELL),  # no further look would tell more
    ([of_a_source(9, 4, 6), of_a_source(9, 4, NOTHING, "b")], None),
    ([of_a_source(9, 4, 6), of_a_source(4, 9, NOTHING, "b")], TAKEN),  # what is ahead may have nothing to read
    ([of_a_source(9, 4, 2), of_a_source(9, 4, NOTHING, "b")], IGNORED),
    ([of_a_sink(100, 40, NOTHING, 100)], None),
])
def test_it_is_looked_at_as_long_as_it_is_open(seen_now, verdict):
    found = judge(seen_now, [], "sink" if "kafka_topic" in seen_now[0].action.partition else "source", "", False)
    assert (found and found.verdict) == verdict


def test_the_worst_counts_and_is_told():
    every = [of_a_source(9, 4, 6), of_a_source(9, 4, NOTHING, "b"), of_a_source(4, 9, 6, "c")]
    found = judge(every, [], "source", "", True)
    assert (found.verdict, found.seen) == (IGNORED, [every[2]])
    assert result(found, 3.14159, 5) == {
        "verdict": "ignored", "seconds": 3.1, "partitions_count": 1, "appeared": [],
        "partitions": [{"partition": {"p": "c"}, "declared": {"n": 9}, "before": {"n": 4}, "committed": {"n": 6}}]}
    assert result(judge(every[:2], [], "source", "", True), 3, 1)["partitions"] == [
        {"partition": {"p": "b"}, "declared": {"n": 4}, "before": {"n": 9}, "committed": None}]


def test_what_has_not_committed_yet_is_waited_for():
    assert judge([of_a_sink(100, 40, NOTHING, 100)], [], "sink", STORE, False) is None
    assert judge([of_a_sink(100, 40, 60, 100), of_a_sink(100, 40, NOTHING, 100)], [], "sink", STORE, False) is None


@pytest.mark.parametrize("found, store, words", [
    (judge([of_a_source(40, 77, 41)], [], "source", "", True), "",
     'c runs, but not from the declared offset of 1 partition of c, first {"p": "a"}: {"n": 77} was declared, and its first commit, {"n": 41}, does not come '
     "after that."),
    (judge([of_a_source(40, 77, 41)], [{"p": "b"}], "source", "", True), "",
     'c runs, but not from the declared offset of 1 partition of c, first {"p": "a"}: {"n": 77} was declared, and its first commit, {"n": 41}, does not come '
     "after that."),
    (judge([of_a_source(40, 77, GONE)], [], "source", "", True), "",
     'c runs, and has removed the declared offset of 1 partition of c, first {"p": "a"}: it does not keep its position in Connect'),
    (judge([of_a_source(9, 4, NOTHING)], [{"q": 1}], "source", "", True), "",
     'c runs, but it commits under partitions that were not declared, first {"q": 1}, and nothing under those that were, first {"p": "a"}.'),
    (judge([of_a_sink(9, 4, NOTHING, 9)], [], "sink", "", True), "",
     "c runs, but it has not committed anything for 1 partition in 30 s, first {\"kafka_partition\": 0, \"kafka_topic\": \"t\"}, which is still at "
     '{"kafka_offset": 4}, though there is something to read.'),
    (judge([of_a_sink(9, 4, NOTHING, 9)], [], "sink", STORE, True), STORE,
     'has not moved from the declared {"kafka_offset": 4}. It goes on from there whatever its offset is: ' + STORE),
    (judge([of_a_sink(9, 4, 9, 12)], [], "sink", "", True), "",
     'went to {"kafka_offset": 9} with its first commit, not before {"kafka_offset": 9}, where it was. It seems to have a position of its own'),
])
def test_what_is_said(found, store, words):
    text = sentence("c", found, store, 30)
    assert words in text and text.endswith("Nothing was rolled back.")
