# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import read_reset
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import timestamp
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.sink import SinkGroup
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import Access
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import entry_of, place_of
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

REGEX = {"topics.regex": "t|ot.*"}


def kafka_with(**commits):
    """Topics t with partitions 0 to 2 (the last one empty), other with one."""
    kafka = FakeKafka().log_of("t", (0, 5, {100: 2}), (10, 90, {50: 20, 100: 40}), (7, 7)).log_of("other", (0, 3))
    kafka.commits["connect-c"] = {("t", int(name[1:])): offset for name, offset in commits.items()}
    return kafka


def resolved(kafka, reset_to, topics=None, config=None):
    one = SinkGroup(Access(None, "c", kafka, config=config))
    snapshot = Snapshot("c", "sink", [entry_of(place, offset) for place, offset in one.sink.live().items()])
    desired, warnings = one.resolve(DesiredOffsets.words(read_reset(reset_to, topics)), snapshot)
    return {place_of(entry.partition): entry.offset["kafka_offset"] for entry in desired.entries}, warnings


T = {"topics": "t"}


@pytest.mark.parametrize("reset_to, topics, config, found", [
    ("earliest", None, T, {("t", 0): 0, ("t", 1): 10, ("t", 2): 7}),
    ("latest", None, T, {("t", 0): 5, ("t", 1): 90, ("t", 2): 7}),
    ("latest", None, {"topics": "t, other"}, {("t", 0): 5, ("t", 1): 90, ("t", 2): 7, ("other", 0): 3}),
    ("latest", None, REGEX, {("t", 0): 5, ("t", 1): 90, ("t", 2): 7, ("other", 0): 3}),
    ("latest", ["other"], REGEX, {("other", 0): 3}),
    ("latest", [{"name": "t", "partitions": [1]}], T, {("t", 1): 90}),
    ("latest", ["t"], None, {("t", 0): 5, ("t", 1): 90, ("t", 2): 7}),
    ("latest", None, None, {("t", 0): 5, ("t", 1): 90, ("t", 2): 7}),
    ({"timestamp": timestamp(60)}, None, T, {("t", 0): 2, ("t", 1): 40, ("t", 2): 7}),
    ({"timestamp": timestamp(101)}, None, T, {("t", 0): 5, ("t", 1): 90, ("t", 2): 7}),
    ({"timestamp": timestamp(0)}, None, T, {("t", 0): 2, ("t", 1): 20, ("t", 2): 7}),
    ({"duration": "PT1H"}, None, T, {("t", 0): 5, ("t", 1): 90, ("t", 2): 7}),
])
def test_resolve(reset_to, topics, config, found):
    entries, warnings = resolved(kafka_with(p0=3, p1=50), reset_to, topics, config)
    beyond = [f"c: The time {one} is after the last record of t-0, t-1: nothing that the log holds there comes after it."
              for one in [reset_to.get("timestamp")] if one == timestamp(101)] if isinstance(reset_to, dict) else []
    assert entries == found and [text for text in warnings if "duration" not in reset_to] == beyond
    assert ["is after the last record of t-0, t-1" in text for text in warnings if "duration" in reset_to] == [True] * ("duration" in reset_to)


def test_a_snapshot_means_nothing():
    with pytest.raises(errors.DeclarationError) as caught:
        resolved(kafka_with(p0=3), "resnapshot", None, T)
    assert caught.value.message == "reset_to: resnapshot is for sources that begin with a snapshot, and c reads Kafka's log: use earliest."


def test_a_shift_leaves_what_has_no_offset():
    found, warnings = resolved(kafka_with(p0=3, p1=50), {"shift_by": -2}, None, T)
    assert found == {("t", 0): 1, ("t", 1): 48}
    assert warnings == ["shift_by: -2: 1 partition of c without an offset stays as it is: t-2."]


def test_a_shift_ends_where_the_log_does():
    found, warnings = resolved(kafka_with(p0=3, p1=50), {"shift_by": -45}, [{"name": "t", "partitions": [0, 1]}], T)
    assert found == {("t", 0): 0, ("t", 1): 10}
    assert warnings == ["shift_by: -45: the log does not hold that many records for 2 partitions of c, which go to its beginning or end: "
                        "t-0, t-1."]


@pytest.mark.parametrize("reset_to, topics, config, says", [
    ({"shift_by": 1}, [{"name": "t", "partitions": [0, 2]}], T,
     "1 partition of c has no offset yet that could be shifted (t-2): use a timestamp, earliest or latest, or declare a number."),
    ({"shift_by": 1}, ["other"], None, "1 partition of c has no offset yet that could be shifted (other-0)"),
    ("latest", ["nope"], None, "There is no topic nope on the Kafka cluster at b:9092"),
    ("latest", ["other"], T, "c does not read other; it reads t."),
    ("latest", [{"name": "t", "partitions": [1, 3]}], T, "There is no partition 3 of the topic t, which has 3 (0 to 2)."),
    ("latest", None, {"topics": "nope"}, "No topic of c is known, there is no nope: say with the option topics which ones are meant."),
    ("latest", None, {"topics.regex": "zzz"}, "No topic of c is known: say with the option topics"),
    ("latest", None, {"topics.regex": "("}, "topics.regex of c (() cannot be read here"),
])
def test_resolve_refuses(reset_to, topics, config, says):
    with pytest.raises(errors.DeclarationError) as caught:
        resolved(kafka_with(p0=3), reset_to, topics, config)
    assert caught.value.message.startswith(says)


def test_nothing_is_known_of_a_sink_that_is_gone_without_offsets():
    with pytest.raises(errors.DeclarationError, match="^No topic of c is known: say with the option topics which ones are meant"):
        resolved(kafka_with(), "latest")


def test_a_topic_that_is_not_there_is_left_out():
    found, warnings = resolved(kafka_with(), "latest", None, {"topics": "other,nope"})
    assert found == {("other", 0): 3} and warnings == ["c reads nope, but there is no such topic (or the user may not see it): left out."]


@pytest.mark.parametrize("config, committed", [({}, False), ({"consumer.override.isolation.level": "read_committed"}, True)])
def test_the_end_is_that_of_its_consumer(config, committed):
    kafka = kafka_with()
    resolved(kafka, "latest", None, dict(T, **config))
    assert ("log", "latest", committed) in kafka.asked


def test_only_what_is_needed_is_asked_for():
    kafka = kafka_with()
    resolved(kafka, "earliest", None, T)
    assert [one for one in kafka.asked if one[0] == "log"] == [("log", "earliest", False)]
