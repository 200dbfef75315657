# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offsets_info import OffsetsInfo, timestamp
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

OLD = errors.EndpointMissing("Connect 3.4.1 cannot show offsets")
SLASH = errors.AmbiguousName("no such name in a URL")


class FakeRest:
    """``connectors``: name -> (type, config, offsets as ((p, o), ...) or an error)."""

    url = "http://h:8083"

    def __init__(self, connectors=None):
        self.known = connectors or {}

    def root(self):
        return {"version": "4.3.1", "kafka_cluster_id": "cluster-1"}

    def _of(self, name):
        if name not in self.known:
            raise errors.NoConnector("There is no such connector")
        return self.known[name]

    def status(self, name):
        return {"name": name, "type": self._of(name)[0], "connector": {"state": "STOPPED", "worker_id": "w"}, "tasks": []}

    def info(self, name):
        return {"name": name, "config": self._of(name)[1], "type": self._of(name)[0], "tasks": []}

    def connectors(self):
        return {name: {"status": self.status(name), "info": self.info(name)} for name in self.known}

    def offsets(self, name):
        shown = self._of(name)[2]
        if isinstance(shown, Exception):
            raise copy.copy(shown)  # whoever catches it adds to it
        return [{"partition": {"p": p}, "offset": offset and {"o": offset}} for p, offset in shown]


def source(*offsets, **config):
    return "source", config, offsets[0] if offsets and isinstance(offsets[0], Exception) else offsets


SINK = ("sink", {}, ())


def kafka_with(*records, topic="offsets"):
    kafka = FakeKafka(topic)
    for key, value in records:
        kafka.put(key, value, topic=topic)
    return kafka


def pairs(**offsets):
    return [{"partition": {"p": int(name[1:])}, "offset": {"o": offset}} for name, offset in offsets.items()]


C1 = ('["c",{"p":1}]', '{"o":4}')
BLANKS = ('["c", {"p":1}]', '{"o":7}')
CONNECTOR = {"name": "c", "type": "source", "state": "STOPPED", "worker_id": "w", "version": None, "trace": None, "tasks": []}


@pytest.mark.parametrize("rest, kafka, options, words", [
    (True, False, {"method": "topic"}, "method: topic needs bootstrap_servers"),
    (False, False, {}, "method: topic needs bootstrap_servers"),
    (False, True, {"method": "rest"}, "method: rest needs connect_url"),
    (True, False, {"history": True}, "history needs the offsets topic"), (True, True, {"history": True, "method": "rest"}, "history needs"),
])
def test_what_a_method_needs(rest, kafka, options, words):
    with pytest.raises(errors.WishError) as caught:
        OffsetsInfo(FakeRest() if rest else None, FakeKafka() if kafka else None, **options)
    assert caught.value.message.startswith(words)


# ---- one connector ------------------------------------------------------------------------------------------------

def test_by_rest():
    assert OffsetsInfo(FakeRest({"c": source((1, 4))}), None).one("c") == {
        "changed": False, "method": "rest", "method_reason": None, "connector_exists": True, "connector": CONNECTOR, "offsets": pairs(p1=4),
        "offsets_count": 1, "unreadable": [], "unreadable_count": 0, "truncated": False, "oddities": [], "oddities_count": 0,
        "newest": None, "unreadable_records": [],
        "history": [], "topic": None, "warnings": []}


def test_from_the_topic():
    kafka = kafka_with(C1, BLANKS, ('["c",{"p":[]}]', "{}"), ('["c2",{"p":1}]', "{}"), ('["c",{"p":3}]', "garbage"))
    found = OffsetsInfo(None, kafka, offset_topic="offsets").one("c")
    warnings = found.pop("warnings")
    assert [warning.split(" partition")[0] for warning in warnings] == ["c: 1", "c: 1"]
    assert found == {
        "changed": False, "method": "topic", "method_reason": "no worker is asked", "connector_exists": None, "connector": None,
        "offsets": pairs(p1=4), "offsets_count": 1, "unreadable": [{"p": 3}], "unreadable_count": 1, "truncated": False,
        "topic": {"name": "offsets", "partitions": 5}, "history": [], "oddities_count": 1,
        "newest": {"partition": {"p": 1}, "offset": {"o": 4}, "time": "2024-01-01T00:00:01.000Z"},
        "unreadable_records": [{"topic_partition": 1, "record_offset": 1, "time": "2024-01-01T00:00:03.000Z", "key": '["c",{"p":[]}]',
                                "connector": "c", "reason": "the partition holds a map or a list"}],
        "oddities": [{"partition": {"p": 1}, "kinds": ["encodings", "foreign"], "records": [
            {"topic_partition": 1, "record_offset": 0, "time": "2024-01-01T00:00:02.000Z", "key": BLANKS[0], "offset": {"o": 7},
             "tombstone": False, "encoding": "foreign", "shown": False},
            {"topic_partition": 3, "record_offset": 0, "time": "2024-01-01T00:00:01.000Z", "key": C1[0], "offset": {"o": 4},
             "tombstone": False, "encoding": "connect", "shown": True}]}]}


@pytest.mark.parametrize("rest, kafka, options, method, reason, exists", [
    (FakeRest({"c": source((1, 4))}), kafka_with(C1), {}, "rest", None, True),
    (FakeRest({"c": source((1, 4))}), kafka_with(C1), {"method": "topic"}, "topic", "method: topic", True),
    (FakeRest({"c": source((1, 4))}), kafka_with(C1), {"history": True}, "topic", "history is on the topic alone", True),
    (FakeRest({"c": source((1, 4))}), kafka_with(BLANKS), {"method": "rest"}, "rest", None, True),
    (FakeRest({"c": source(OLD)}), kafka_with(C1), {}, "topic", "REST cannot show it: Connect 3.4.1 cannot show offsets", True),
    (FakeRest({"c": source(SLASH)}), kafka_with(C1), {}, "topic", "REST cannot show it: no such name in a URL", True),
    (FakeRest({"c": source((1, 4))}), kafka_with(C1, BLANKS), {}, "topic",
     "REST cannot show it: the offsets topic holds records that it does not show as they are.", True),
    (FakeRest({"d": source((1, 4))}), kafka_with(C1, ('["d",{"p":1}]', '{"o":4}')), {}, "topic",
     "there is no connector c that REST could show", False),
    (FakeRest(), None, {}, "rest", None, False),
    (FakeRest(), kafka_with(C1), {"method": "rest"}, "rest", None, False),
    (None, kafka_with(C1), {}, "topic", "no worker is asked", None),
])
def test_which_road(rest, kafka, options, method, reason, exists):
    found = OffsetsInfo(rest, kafka, offset_topic="offsets", **options).one("c")
    assert (found["method"], found["method_reason"], found["connector_exists"]) == (method, reason, exists)
    assert found["offsets"] == ([] if method == "rest" and not exists else pairs(p1=4)) and found["changed"] is False
    assert not kafka or not kafka.writes


def test_a_comparison_with_the_topic_that_fails_is_a_warning():
    found = OffsetsInfo(FakeRest({"c": source((1, 4))}), FakeKafka(), offset_topic="gone").one("c")
    assert found["method"] == "rest" and found["warnings"] == [
        "What REST shows of c could not be compared with the offsets topic. There is no topic gone"]


@pytest.mark.parametrize("kafka, options", [(None, {}), (kafka_with(C1), {"method": "rest"})])
def test_what_rest_cannot_show_is_an_error_without_the_topic(kafka, options):
    with pytest.raises(errors.EndpointMissing):
        OffsetsInfo(FakeRest({"c": source(OLD)}), kafka, **options).one("c")


def test_a_sink():
    sink = FakeRest({"c": ("sink", {}, ())})
    assert OffsetsInfo(sink, kafka_with(C1), offset_topic="offsets").one("c")["method"] == "rest"
    for options in ({"method": "topic"}, {"history": True}):
        with pytest.raises(errors.RoadError, match="c is a sink"):
            OffsetsInfo(sink, kafka_with(C1), offset_topic="offsets", **options).one("c")
    with pytest.raises(errors.EndpointMissing):
        OffsetsInfo(FakeRest({"c": ("sink", {}, OLD)}), kafka_with(C1), offset_topic="offsets").one("c")


def test_its_own_topic():
    kafka = FakeKafka("own", "offsets").put(*C1, topic="offsets").put('["c",{"p":1}]', '{"o":9}', topic="own")
    rest = FakeRest({"c": source(OLD, **{"offsets.storage.topic": "own"})})
    found = OffsetsInfo(rest, kafka).one("c")
    assert found["offsets"] == pairs(p1=9) and found["topic"] == {"name": "own", "partitions": 5}
    assert OffsetsInfo(rest, kafka, offset_topic="offsets").one("c")["offsets"] == pairs(p1=9)


def test_history():
    kafka = kafka_with(C1, ('["c",{"p":1}]', None), ('["c",{"p":1}]', '{"o":9}'), ('["d",{"p":1}]', "{}"), ('["c",{"p":2}]', "garbage"))
    found = OffsetsInfo(None, kafka, offset_topic="offsets", history=True).one("c")["history"]
    record = {"topic_partition": 3, "key": C1[0]}
    assert found[0] == {"partition": {"p": 1}, "records": [
        dict(record, record_offset=2, time="2024-01-01T00:00:03.000Z", offset={"o": 9}, tombstone=False),
        dict(record, record_offset=1, time="2024-01-01T00:00:02.000Z", offset=None, tombstone=True),
        dict(record, record_offset=0, time="2024-01-01T00:00:01.000Z", offset={"o": 4}, tombstone=False)]}
    assert [(one["partition"], len(one["records"])) for one in found] == [({"p": 1}, 3), ({"p": 2}, 1)]


@pytest.mark.parametrize("limit, shown", [(2, 2), (0, 4), (9, 4)])
def test_lists_are_cut(limit, shown):
    kafka = FakeKafka()
    for number in range(4):
        kafka.put(f'["c",{{"p":{number}}}]', '{"o":1}').put(f'["c", {{"p":{number}}}]', '{"o":1}').put(f'["c",{{"p":[{number}]}}]', "{}")
        kafka.put(f'["c",{{"x":{number}}}]', "garbage")
    found = OffsetsInfo(None, kafka, offset_topic="offsets", max_entries=limit, history=True).one("c")
    for name in ("offsets", "oddities", "unreadable_records", "unreadable"):
        assert len(found[name]) == shown, name
    assert len(found["history"]) == (limit or 8) - (limit > 8) and found["truncated"] is (shown < 4)
    assert (found["offsets_count"], found["oddities_count"], found["unreadable_count"]) == (4, 4, 4)


# ---- all of them --------------------------------------------------------------------------------------------------

def test_all_from_the_topic_with_those_that_are_gone():
    kafka = kafka_with(C1, ('["gone",{"p":1}]', '{"o":5}'), ('["gone2",{"p":1}]', "{}"), ('["gone2",{"p":1}]', None), ("garbage", "x"),
                       ('["hurt",{"p":[]}]', "{}"))
    rest = FakeRest({"c": source((1, 4)), "new": source(), "s": SINK})
    found = OffsetsInfo(rest, kafka, offset_topic="offsets").all()
    assert {one["name"]: (one["connector_exists"], one["offsets"], len(one["unreadable_records"])) for one in found["connectors"]} == {
        "c": (True, pairs(p1=4), 0), "gone": (False, pairs(p1=5), 0), "hurt": (False, [], 1), "new": (True, [], 0)}
    assert (found["method"], found["changed"], found["warnings"]) == ("topic", False, [])
    assert found["method_reason"] == "only the offsets topic shows the offsets of all connectors, gone ones too"
    topic = found["topic"]
    assert {one["key"] for one in topic.pop("unreadable_records")} == {"garbage", '["hurt",{"p":[]}]'}
    assert topic == {"name": "offsets", "partitions": 5, "cleanup_policy": "compact", "records": 6, "key_count": 5, "unreadable_count": 2}


def test_all_without_a_worker():
    found = OffsetsInfo(None, kafka_with(C1), offset_topic="offsets").all()
    assert [(one["name"], one["connector_exists"]) for one in found["connectors"]] == [("c", None)]
    with pytest.raises(errors.RoadError, match="Without connect_url there is nothing to tell the offsets topic by"):
        OffsetsInfo(None, kafka_with(C1)).all()


def test_all_by_rest():
    rest = FakeRest({"c": source((1, 4)), "a/b": source(SLASH), "s": SINK, "e": source()})
    found = OffsetsInfo(rest, None).all()
    assert [(one["name"], one["offsets"]) for one in found["connectors"]] == [("c", pairs(p1=4)), ("e", []), ("s", [])]
    assert (found["method"], found["method_reason"], found["topic"]) == ("rest", None, None)
    assert found["warnings"] == ["no such name in a URL"]


def test_all_with_a_connector_with_a_topic_of_its_own():
    kafka = FakeKafka("own", "offsets").put(*C1, topic="offsets").put('["c",{"p":1}]', '{"o":9}', topic="own")
    rest = FakeRest({"c": source((1, 9), **{"offsets.storage.topic": "own"}), "d": source(**{"offsets.storage.topic": "missing"})})
    found = OffsetsInfo(rest, kafka, offset_topic="offsets").all()
    assert [(one["name"], one["offsets"], one["topic"]["name"]) for one in found["connectors"]] == [("c", pairs(p1=9), "own")]
    assert found["warnings"] == ["d is left out: There is no topic missing"]


@pytest.mark.parametrize("kafka", [kafka_with(("garbage", "x")), FakeKafka("elsewhere")])
def test_all_of_a_topic_that_is_none(kafka):
    with pytest.raises((errors.NotOffsetsTopic, errors.NoTopic)):
        OffsetsInfo(FakeRest(), kafka, offset_topic="offsets").all()


@pytest.mark.parametrize("milliseconds, text", [
    (None, None), (0, "1970-01-01T00:00:00.000Z"), (1704067200123, "2024-01-01T00:00:00.123Z"), (-1, "1969-12-31T23:59:59.999Z"),
    (10**15, None), (2**63 - 1, None), (-2**63, None),
])
def test_timestamp(milliseconds, text):
    assert timestamp(milliseconds) == text
