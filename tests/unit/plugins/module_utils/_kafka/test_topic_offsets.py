# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.admin import Topic
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.topic_offsets import READ_COMMITTED, READ_UNCOMMITTED, _await_quiet, topic_offsets

NOON = 1769860800000


class FakeKafka:
    """``known``: name -> [(begin, committed end, end, [time of each offset from begin on]), ...]."""

    cluster_id = "cluster-1"
    #: the parts of a KafkaClient
    admin = offsets = property(lambda self: self)

    def __init__(self, **known):
        self.known = {name.replace("_", "-"): parts for name, parts in known.items()}
        self.asked = []

    def topic(self, name):
        self.asked.append(name)
        if name not in self.known:
            raise errors.NoTopic(f"There is no topic {name}")
        return Topic(name, len(self.known[name]), None)

    def topics(self):
        self.asked.append("*")
        return [Topic(name, len(parts), None) for name, parts in self.known.items()]

    def _each(self, topic, what):
        return {number: what(part) for number, part in enumerate(self.known[topic.name])}

    def starts(self, topic):
        return self._each(topic, lambda part: part[0])

    def ends(self, topic):
        return self._each(topic, lambda part: part[1]), self._each(topic, lambda part: part[2])

    def of(self, places, time, committed):
        return {(topic, number): next(((part[0] + n, one) for n, one in enumerate(part[3]) if one >= time), (None, None))
                for topic, number in places for part in [self.known[topic][number]]}


def part(begin, end, stable=None, times=()):
    return begin, end if stable is None else stable, end, list(times)


def names(result):
    return [topic["name"] for topic in result["topics"]]


def test_begin_end_and_sum():
    kafka = FakeKafka(orders=[part(0, 5), part(7, 7), part(3, 10)])
    result = topic_offsets(kafka, ["orders"])
    assert result == {
        "changed": False, "cluster_id": "cluster-1", "timestamp": None, "quiet": None, "warnings": [],
        "topics": [{"name": "orders", "records_at_most": 12, "partitions": [
            {"partition": 0, "begin": 0, "end": 5, "by_time": None}, {"partition": 1, "begin": 7, "end": 7, "by_time": None},
            {"partition": 2, "begin": 3, "end": 10, "by_time": None}]}]}
    assert kafka.asked == ["orders"]  # the list of all topics is not needed


def test_an_open_transaction_holds_the_committed_end_back():
    kafka = FakeKafka(t=[part(0, 9, stable=4)])
    ends = {isolation: topic_offsets(kafka, ["t"], isolation=isolation)["topics"][0]["partitions"][0]["end"]
            for isolation in (READ_COMMITTED, READ_UNCOMMITTED)}
    assert ends == {READ_COMMITTED: 4, READ_UNCOMMITTED: 9}


def test_retention_between_the_questions_gives_no_negative_range():
    one, = topic_offsets(FakeKafka(t=[part(9, 9, stable=4)]), ["t"])["topics"]
    assert (one["partitions"][0]["end"], one["records_at_most"]) == (9, 0)


def test_by_time():
    kafka = FakeKafka(t=[part(5, 8, times=[10, NOON, NOON + 1]), part(0, 1, times=[NOON - 1]), part(0, 0)])
    result = topic_offsets(kafka, ["t"], "2026-01-31T12:00:00Z")
    assert [one["by_time"] for one in result["topics"][0]["partitions"]] == [6, None, None]
    assert result["timestamp"] == NOON
    assert result["warnings"] == ["The time 2026-01-31T12:00:00.000Z is after the last record of t-1: nothing that the log holds there comes after it."]
    assert topic_offsets(kafka, ["t"], "2026-01-30T12:00:00+00:00")["warnings"] == [
        "The time 2026-01-30T12:00:00.000Z is before the first record of t-1, which is of 2026-01-31T11:59:59.999Z or later: all that the log holds there "
        "comes after it."]


@pytest.mark.parametrize("desired, found, warned", [
    (["b*", "a"], ["a", "b1", "b2"], 0), (["*"], ["a", "b1", "b2"], 0), (["b[2-9]", "b?"], ["b1", "b2"], 0),
    (["__offsets", "__*"], ["__offsets"], 1), (["x*"], [], 1), (["a", "a", " a "], ["a"], 0), (["a", "a*"], ["a"], 0),
])
def test_names_and_globs(desired, found, warned):
    kafka = FakeKafka(b1=[part(0, 1)], a=[part(0, 1)], b2=[part(0, 1)])
    kafka.known["__offsets"] = [part(0, 1)]
    result = topic_offsets(kafka, desired)
    assert names(result) == found and len(result["warnings"]) == warned
    if warned:
        assert f"No topic fits {desired[-1]}" in result["warnings"][0]


def test_a_missing_name_is_an_error():
    with pytest.raises(errors.NoTopic, match="no topic gone"):
        topic_offsets(FakeKafka(a=[part(0, 1)]), ["a*", "gone"])


@pytest.mark.parametrize("desired", [[], [""], ["  "]])
def test_nothing_to_look_at(desired):
    with pytest.raises(errors.DeclarationError, match="topics is empty"):
        topic_offsets(FakeKafka(), desired)


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


class MovingKafka:
    """The end of its one partition at a time, in records."""

    offsets = property(lambda self: self)

    def __init__(self, clock: Clock, end) -> None:
        self.clock, self.end = clock, end

    def ends(self, _topic):
        return {0: self.end(self.clock.time)}, {0: -1}


@pytest.mark.parametrize(
    ("end", "answer", "seconds"),
    [
        (lambda time: 7, True, 5),  # nothing comes at all
        (lambda time: min(int(time), 12), True, 17),  # until the twelfth second
        (int, False, 30),  # for ever
        (lambda time: int(time) if time < 4 else 4 if time < 8 else 9, True, 13),  # a pause that is too short
    ],
)
def test_quiet(end, answer, seconds):
    clock = Clock()
    assert _await_quiet(MovingKafka(clock, end), ["t"], READ_COMMITTED, 5, 30, clock.sleep, clock.now) is answer
    assert clock.time == pytest.approx(seconds)


def test_negative():
    with pytest.raises(errors.DeclarationError, match="quiet must be 0 or more seconds, it is -1"):
        topic_offsets(None, ["t"], quiet=-1)
