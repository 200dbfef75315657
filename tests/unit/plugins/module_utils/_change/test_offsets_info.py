# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_info import OffsetsInfo
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import timestamp
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.groups import Member
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

OLD = errors.EndpointMissing("Connect 3.4.1 cannot show offsets")
SLASH = errors.AmbiguousName("no such name in a URL")


class FakeRest:
    """``connectors``: name -> (type, config, offsets as ((p, o), ...) or an error)."""

    method = "rest"
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

    def offsets_once(self, name):
        return self.offsets(name)

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
NO_SINK = {"group": None, "positions": [], "positions_count": 0, "lag": None}
CONNECTOR = {"name": "c", "type": "source", "state": "STOPPED", "worker_id": "w", "version": None, "trace": None, "tasks": []}


@pytest.mark.parametrize("rest, kafka, options, words", [
    (True, False, {"method": "topic"}, "method: topic needs kafka_bootstrap_servers"),
    (False, False, {}, "kafka_connect_url is missing; without it method: topic needs kafka_bootstrap_servers"),
    (False, True, {"method": "rest"}, "kafka_connect_url is missing"),
    (True, False, {"history": True}, "history needs the offsets topic"), (True, True, {"history": True, "method": "rest"}, "history needs"),
])
def test_what_a_method_needs(rest, kafka, options, words):
    with pytest.raises(errors.DeclarationError) as caught:
        OffsetsInfo(FakeRest() if rest else None, FakeKafka() if kafka else None, **options)
    assert caught.value.message.startswith(words)


# ---- one connector ------------------------------------------------------------------------------------------------

def test_by_rest():
    assert OffsetsInfo(FakeRest({"c": source((1, 4))}), None).one("c") == {
        "changed": False, "method": "rest", "method_reason": None, "connector_exists": True, "connector": CONNECTOR, "offsets": pairs(p1=4),
        "offsets_count": 1, "unreadable": [], "unreadable_count": 0, "truncated": False, "anomalies": [], "anomalies_count": 0,
        "newest": None, "unreadable_records": [], **NO_SINK,
        "history": [], "topic": None, "profile": None, "warnings": []}


def test_from_the_topic():
    kafka = kafka_with(C1, BLANKS, ('["c",{"p":[]}]', "{}"), ('["c2",{"p":1}]', "{}"), ('["c",{"p":3}]', "garbage"))
    found = OffsetsInfo(None, kafka, offset_topic="offsets").one("c")
    warnings = found.pop("warnings")
    assert [warning.split(" partition")[0] for warning in warnings] == ["c: 1", "c: 1"]
    assert found == {
        "changed": False, "method": "topic", "method_reason": "no worker is queried", "connector_exists": None, "connector": None,
        "offsets": pairs(p1=4), "offsets_count": 1, "unreadable": [{"p": 3}], "unreadable_count": 1, "truncated": False,
        "topic": {"name": "offsets", "partitions": 5}, "history": [], "anomalies_count": 1, **NO_SINK, "profile": None,
        "newest": {"partition": {"p": 1}, "offset": {"o": 4}, "time": "2024-01-01T00:00:01.000Z"},
        "unreadable_records": [{"topic_partition": 1, "record_offset": 1, "time": "2024-01-01T00:00:03.000Z", "key": '["c",{"p":[]}]',
                                "connector": "c", "reason": "the partition holds a map or a list"}],
        "anomalies": [{"partition": {"p": 1}, "kinds": ["encodings", "foreign"], "records": [
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
     "REST cannot show it: On the offsets topic are records of c that REST does not show as they are: c: 1 partition held under keys of different", True),
    (FakeRest({"d": source((1, 4))}), kafka_with(C1, ('["d",{"p":1}]', '{"o":4}')), {}, "topic",
     "there is no connector c that REST could show", False),
    (FakeRest(), None, {}, "rest", None, False),
    (FakeRest(), kafka_with(C1), {"method": "rest"}, "rest", None, False),
    (None, kafka_with(C1), {}, "topic", "no worker is queried", None),
])
def test_which_road(rest, kafka, options, method, reason, exists):
    found = OffsetsInfo(rest, kafka, offset_topic="offsets", **options).one("c")
    assert (found["method"], found["connector_exists"]) == (method, exists)
    assert found["method_reason"] == reason or found["method_reason"].startswith(reason)
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
        with pytest.raises(errors.MethodError, match="c is a sink"):
            OffsetsInfo(sink, kafka_with(C1), offset_topic="offsets", **options).one("c")
    with pytest.raises(errors.EndpointMissing):
        OffsetsInfo(FakeRest({"c": ("sink", {}, OLD)}), None).one("c")


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
    for name in ("offsets", "anomalies", "unreadable_records", "unreadable"):
        assert len(found[name]) == shown, name
    assert len(found["history"]) == (limit or 8) - (limit > 8) and found["truncated"] is (shown < 4)
    assert (found["offsets_count"], found["anomalies_count"], found["unreadable_count"]) == (4, 4, 4)


# ---- sinks --------------------------------------------------------------------------------------------------------

def sink_pairs(**offsets):
    return [{"partition": {"kafka_topic": "t", "kafka_partition": int(name[1:])}, "offset": {"kafka_offset": offset}}
            for name, offset in offsets.items()]


class SinkRest(FakeRest):
    """The sink c; ``state``: its state."""

    def __init__(self, shown=(), config=None, state="RUNNING", gone=False):
        super().__init__({} if gone else {"c": ("sink", config or {"topics": "t"}, shown)})
        self.state = state

    def status(self, name):
        return dict(super().status(name), connector={"state": self.state, "worker_id": "w"})

    def offsets(self, name):
        return super().offsets(name) if isinstance(self.known[name][2], Exception) else list(self.known[name][2])


def sink_kafka(group="connect-c", **commits):
    kafka = kafka_with(('["d",{"p":1}]', '{"o":4}')).log_of("t", (0, 50), (10, 60), (0, 0))
    kafka.commits[group] = {("t", int(name[1:])): offset for name, offset in commits.items()}
    kafka.members[group] = [Member("connector-consumer-c-0", "10.0.0.7", [("t", 0), ("t", 1), ("t", 2)])]
    return kafka


@pytest.mark.parametrize("rest, options, method, reason, exists", [
    (SinkRest(sink_pairs(p0=40, p1=60)), {}, "rest", None, True), (SinkRest(OLD), {}, "group", "REST cannot show it: Connect 3.4.1", True),
    (SinkRest(SLASH), {}, "group", "REST cannot show it: no such name in a URL", True),
    (SinkRest(sink_pairs(p0=40, p1=60)), {"method": "group"}, "group", "method: group", True),
    (SinkRest(gone=True), {"method": "group"}, "group", "method: group", False),
    (SinkRest(gone=True), {}, "group", "there is no connector c that REST could show", False),
    (SinkRest(gone=True), {"offset_topic": "missing"}, "group", "there is no connector c that REST could show", False),
    (None, {"method": "group"}, "group", "method: group", None), (None, {}, "group", "no worker is queried", None),
])
def test_a_sink_by_each_method(rest, options, method, reason, exists):
    found = OffsetsInfo(rest, sink_kafka(p0=40, p1=60), **{"offset_topic": "offsets", **options}).one("c")
    assert (found["method"], found["connector_exists"], found["offsets"]) == (method, exists, sink_pairs(p0=40, p1=60))
    assert found["method_reason"] == reason or found["method_reason"].startswith(reason)
    assert found["lag"] == 10 and found["warnings"] == [] and found["topic"] is None
    assert found["group"] == {"name": "connect-c", "state": "STABLE", "members": [
        {"client_id": "connector-consumer-c-0", "host": "10.0.0.7", "partitions": 3}]}
    reader = "connector-consumer-c-0"
    known = [{"topic": "t", "partition": 0, "committed": 40, "begin": 0, "end": 50, "lag": 10, "member": reader},
             {"topic": "t", "partition": 1, "committed": 60, "begin": 10, "end": 60, "lag": 0, "member": reader},
             {"topic": "t", "partition": 2, "committed": None, "begin": 0, "end": 0, "lag": 0, "member": reader}]
    assert found["positions"] == known[:3 if exists else 2] and found["positions_count"] == (3 if exists else 2)


def test_a_source_is_no_sink():
    with pytest.raises(errors.MethodError, match="^c is a source: its offsets are records"):
        OffsetsInfo(FakeRest({"c": source((1, 4))}), kafka_with(C1), "group").one("c")


def test_records_on_the_topic_count_more_than_a_group_of_the_same_name():
    kafka = sink_kafka(p0=40).put(*C1)
    assert OffsetsInfo(FakeRest(), kafka, offset_topic="offsets").one("c")["method"] == "topic"


@pytest.mark.parametrize("options, config", [({"consumer_group": "mine"}, {}), ({}, {"consumer.override.group.id": "mine"})])
def test_the_name_of_the_group(options, config):
    rest = SinkRest(OLD, config=dict({"topics": "t"}, **config))
    assert OffsetsInfo(rest, sink_kafka("mine", p0=40), **options).one("c")["group"]["name"] == "mine"


@pytest.mark.parametrize("minutes, told", [("10080", "offsets.retention.minutes is 10080, that is 7 days"),
                                           ("600", "offsets.retention.minutes is 600"),
                                           (None, "offsets.retention.minutes, 7 days by default")])
def test_a_sink_that_is_stopped_is_a_warning(minutes, told):
    kafka = sink_kafka(p0=40, p1=60)
    kafka.members.clear()
    kafka.settings["offsets.retention.minutes"] = minutes
    found = OffsetsInfo(SinkRest(sink_pairs(p0=40, p1=60), state="STOPPED"), kafka).one("c")
    assert found["group"]["state"] == "EMPTY" and found["warnings"] == [
        f"The brokers delete the offsets of a group without members after a time ({told}). Longer than that these sinks must not be "
        f"STOPPED, "
        "or they begin anew where auto.offset.reset says: c."]


def test_a_sink_that_is_stopped_and_has_no_offsets_is_a_warning():
    found = OffsetsInfo(SinkRest((), state="STOPPED"), sink_kafka()).one("c")
    assert found["warnings"] == [
        "These sinks are STOPPED, and the brokers have no offsets of them: there never were any, or they were deleted, as those of a "
        "group without members are after a time (offsets.retention.minutes, 7 days by default). They begin where "
        "auto.offset.reset says: c."]
    assert OffsetsInfo(SinkRest(()), sink_kafka()).one("c")["warnings"] == []  # it runs


def test_offsets_that_the_log_does_not_hold_are_a_warning():
    found = OffsetsInfo(SinkRest(sink_pairs(p0=70, p1=5)), sink_kafka(p0=70, p1=5)).one("c")
    assert found["warnings"] == ["2 partitions of c are at an offset that the log does not hold, first t-0 at 70, which holds 0 to 50: "
                                 "it goes on "
                                 "where its consumer's auto.offset.reset says."]
    assert [one["lag"] for one in found["positions"]] == [0, 50, 0]


def test_a_topic_that_cannot_be_seen_is_a_warning():
    found = OffsetsInfo(SinkRest(sink_pairs(p0=40, p1=60), {"topics": "hidden, t"}), sink_kafka(p0=40, p1=60)).one("c")
    assert found["lag"] == 10 and found["warnings"] == [
        "c reads hidden, but there is no such topic, or the user lacks the permission Describe on it: what there is to read is not "
        "part of the lag."]


def test_a_group_that_is_another_one_is_a_warning():
    found = OffsetsInfo(SinkRest(sink_pairs(p0=40, p1=60)), sink_kafka("workers-own", p0=40, p1=60)).one("c")
    assert found["group"]["state"] is None and found["lag"] == 10 and found["warnings"] == [
        "There is no consumer group connect-c on the brokers, though c has offsets. If the workers set consumer.group.id, give it as "
        "consumer_group."]


CONSUMER, ADMIN = "consumer.override.bootstrap.servers", "admin.override.bootstrap.servers"
UNKNOWN = {"name": "connect-c", "state": None, "members": None}


def test_brokers_from_which_it_does_not_read_are_not_asked():
    rest = SinkRest(sink_pairs(p0=40), {"topics": "t", CONSUMER: "x:9092", ADMIN: "x:9092"})
    found = OffsetsInfo(rest, sink_kafka(p0=40)).one("c")
    assert (found["offsets"], found["method"], found["lag"], found["group"]) == (sink_pairs(p0=40), "rest", None, UNKNOWN)
    assert found["warnings"] == [f"c reads from x:9092 ({CONSUMER}), and not from the brokers at b:9092: its group is not looked at."]


@pytest.mark.parametrize("kafka, method", [(None, "auto"), (None, "rest"), (sink_kafka(p0=40), "rest"), (sink_kafka(p0=40), "group")])
@pytest.mark.parametrize("config, missing", [({CONSUMER: "x:9092"}, ADMIN), ({ADMIN: "x:9092"}, CONSUMER)])
def test_what_rest_shows_of_another_group_is_not_shown(kafka, method, config, missing):
    if method == "group":
        kafka.cluster_id = "cluster-2"
    rest = SinkRest(sink_pairs(p0=40), {"topics": "t", **config})
    with pytest.raises(errors.MethodError) as caught:
        OffsetsInfo(rest, kafka, method).one("c")
    assert f"it has no {missing}" in caught.value.message or caught.value.message.endswith("give those as kafka_bootstrap_servers.")
    info = OffsetsInfo(rest, kafka, method)
    assert info.all()["connectors"] == [] and list(info.left_out) == ["c"]


def test_what_its_own_brokers_show():
    """At the workers' brokers is a group of the same name."""
    kafka = sink_kafka(p0=40, p1=60)
    kafka.cluster_id = "cluster-2"
    found = OffsetsInfo(SinkRest(sink_pairs(p0=7), {"topics": "t", CONSUMER: "b:9092"}), kafka).one("c")
    assert (found["offsets"], found["method"], found["lag"]) == (sink_pairs(p0=40, p1=60), "group", 10)
    assert found["method_reason"].startswith(f"REST cannot show it: c reads from b:9092 ({CONSUMER}), but for its offsets Connect goes to")


@pytest.mark.parametrize("config, options, group", [
    ({}, {}, "connect-c"), ({"consumer.override.group.id": "mine"}, {}, "mine"),
    ({"consumer.override.group.id": "mine"}, {"consumer_group": "said"}, "said")])
def test_by_rest_alone_the_configuration_tells_the_group(config, options, group):
    rest = SinkRest(sink_pairs(p0=40), {"topics": "t", **config})
    info = OffsetsInfo(rest, None, **options)
    for found in (info.one("c"), info.all()["connectors"][0]):
        assert (found["method"], found["group"]) == ("rest", {"name": group, "state": None, "members": None})
        assert (found["lag"], found["positions"], info.warnings) == (None, [], [])
    assert OffsetsInfo(FakeRest({"c": source((1, 4))}), None).one("c")["group"] is None


def test_a_group_whose_name_only_the_worker_knows():
    rest = SinkRest(OLD, {"topics": "t", "consumer.override.group.id": "${env:GROUP}"})
    with pytest.raises(errors.MethodError, match="^The consumer group of c is a reference to a config provider, .*: give it as consumer_group[.]$"):
        OffsetsInfo(rest, sink_kafka("mine", p0=40)).one("c")
    assert OffsetsInfo(rest, sink_kafka("mine", p0=40), consumer_group="mine").one("c")["offsets"] == sink_pairs(p0=40)


@pytest.mark.parametrize("commits, logs, lag, warned", [
    ({}, [(0, 50), (10, 60), (0, 0)], None, None), ({}, [(0, 0), (7, 7)], 0, None), ({"p0": 40, "p1": 60}, [(0, 50), (10, 60)], 10, None),
    ({"p0": 50}, [(0, 50), (10, 60), (0, 1)], 0, "2 partitions of c with records have no offset, first t-1"),
    ({"p1": 59}, [(0, 50), (10, 60), (0, 0)], 1, "1 partition of c with records have no offset, first t-0"),
])
@pytest.mark.parametrize("method", ["rest", "group"])
def test_the_lag_is_not_known_where_nothing_is_committed(commits, logs, lag, warned, method):
    kafka = sink_kafka(**commits).log_of("t", *logs)
    found = OffsetsInfo(SinkRest(sink_pairs(**commits)), kafka, method).one("c")
    assert found["lag"] == lag and [one["lag"] is None for one in found["positions"]] == [
        f"p{number}" not in commits and begin < end for number, (begin, end) in enumerate(logs)]
    assert [one for one in found["warnings"] if "part of the lag" in one] == (
        [] if warned is None else [warned + ": what there is to read is not part of the lag."])
    assert OffsetsInfo(SinkRest(sink_pairs(**commits)), kafka, "rest").all()["lag"] == lag


@pytest.mark.parametrize("rest", [SinkRest(gone=True), None])
def test_by_the_topic_a_sink_that_is_gone_is_named(rest):
    says = ("There is no connector c and no offset of it on offsets, but the consumer group connect-c has offsets of 1 partition: it was a sink. Use "
            "method: group (or auto) for these.")
    found = OffsetsInfo(rest, sink_kafka(p0=40), "topic", "offsets").one("c")
    assert (found["offsets"], found["method"]) == ([], "topic") and found["warnings"] == [says]
    assert OffsetsInfo(rest, sink_kafka(p0=40).put(*C1), "topic", "offsets").one("c")["warnings"] == []
    assert OffsetsInfo(rest, sink_kafka(), "topic", "offsets").one("c")["warnings"] == []


def test_brokers_that_give_no_answer_are_a_warning():
    kafka = sink_kafka()

    def denied(name):
        raise errors.BrokerDenied("no Describe.")

    kafka.group = denied
    found = OffsetsInfo(SinkRest(sink_pairs(p0=40)), kafka).one("c")
    assert found["lag"] is None and found["warnings"] == ["The positions of c on the brokers could not be read. no Describe."]


def test_a_pattern_that_cannot_be_read_here_leaves_what_is_committed():
    found = OffsetsInfo(SinkRest(sink_pairs(p0=40), {"topics.regex": "("}), sink_kafka(p0=40)).one("c")
    assert [one["partition"] for one in found["positions"]] == [0]


@pytest.mark.parametrize("method, route, names", [("auto", "topic", ["c", "d"]), ("group", "group", ["c"]), ("topic", "topic", ["d"]),
                                                  ("rest", "rest", ["c"])])
def test_all_with_sinks(method, route, names):
    found = OffsetsInfo(SinkRest(sink_pairs(p0=40, p1=60)), sink_kafka(p0=40, p1=60), method, "offsets").all()
    assert [one["name"] for one in found["connectors"]] == names and found["method"] == route
    assert found["lag"] == (10 if "c" in names else None)


def test_all_sinks_need_a_worker_to_name_them():
    with pytest.raises(errors.DeclarationError, match="^method: group without name needs kafka_connect_url"):
        OffsetsInfo(None, sink_kafka(), "group").all()


def test_groups_of_sinks_that_are_not_here():
    """Not those with members, of other names, of a sink that is here (by its override, too) or without offsets; topics may be gone."""
    kafka = sink_kafka("mine", p0=40)
    kafka.members = {"connect-busy": [Member("x", "h", [])]}
    kafka.commits.update({"connect-old": {("t", 0): 40, ("t", 1): 5, ("t", 9): 1, ("gone", 0): 7}, "connect-busy": {("t", 0): 1},
                          "else": {("t", 0): 1}, "connect-c": {("t", 0): 1}, "connect-void": {}, "connect-a": {("t", 1): 60}})
    rest = SinkRest(sink_pairs(p0=40), {"topics": "t", "consumer.override.group.id": "mine"})
    old = {"group": "connect-old", "connector": "old", "offsets_count": 4, "lag": 60}
    for method in ("auto", "group"):
        found = OffsetsInfo(rest, kafka, method, "offsets").all()
        assert found["orphaned_groups"] == [{"group": "connect-a", "connector": "a", "offsets_count": 1, "lag": 0}, old]
    found = OffsetsInfo(rest, kafka, offset_topic="offsets", max_entries=1).all()
    assert (len(found["orphaned_groups"]), found["orphaned_groups_count"]) == (1, 2)


@pytest.mark.parametrize("rest, kafka, method", [(SinkRest(), None, "auto"), (SinkRest(), sink_kafka(), "rest"),
                                                 (None, sink_kafka(), "auto"), (SinkRest(), sink_kafka(), "topic")])
def test_groups_are_not_looked_for(rest, kafka, method):
    found = OffsetsInfo(rest, kafka, method, "offsets").all()
    assert found["orphaned_groups"] is None and found["orphaned_groups_count"] is None


def test_groups_that_cannot_be_looked_at_are_a_warning():
    kafka = sink_kafka(p0=40, p1=60)
    kafka.commits["connect-old"] = errors.BrokerDenied("no Describe.")
    found = OffsetsInfo(SinkRest(sink_pairs(p0=40)), kafka, "group").all()
    assert found["orphaned_groups"] is None and found["warnings"] == [
        "The groups of sinks that are gone could not be looked for. no Describe."]


# ---- all of them --------------------------------------------------------------------------------------------------

def test_all_from_the_topic_with_those_that_are_gone():
    kafka = kafka_with(C1, ('["gone",{"p":1}]', '{"o":5}'), ('["gone2",{"p":1}]', "{}"), ('["gone2",{"p":1}]', None), ("garbage", "x"),
                       ('["hurt",{"p":[]}]', "{}"))
    rest = FakeRest({"c": source((1, 4)), "new": source(), "s": SINK})
    found = OffsetsInfo(rest, kafka, offset_topic="offsets").all()
    assert {one["name"]: (one["connector_exists"], one["offsets"], len(one["unreadable_records"])) for one in found["connectors"]} == {
        "c": (True, pairs(p1=4), 0), "gone": (False, pairs(p1=5), 0), "hurt": (False, [], 1), "new": (True, [], 0), "s": (True, [], 0)}
    assert (found["method"], found["changed"]) == ("topic", False)
    assert len(found["warnings"]) == 1 and found["warnings"][0].endswith(" They begin where auto.offset.reset says: s.")
    assert found["method_reason"] == "only the offsets topic shows the offsets of all connectors, gone ones too"
    topic = found["topic"]
    assert {one["key"] for one in topic.pop("unreadable_records")} == {"garbage", '["hurt",{"p":[]}]'}
    assert topic == {"name": "offsets", "partitions": 5, "cleanup_policy": "compact", "records": 6, "key_count": 5, "unreadable_count": 2}


def test_all_without_a_worker():
    found = OffsetsInfo(None, kafka_with(C1), offset_topic="offsets").all()
    assert [(one["name"], one["connector_exists"]) for one in found["connectors"]] == [("c", None)]
    with pytest.raises(errors.MethodError, match="Without kafka_connect_url the offsets topic cannot be determined"):
        OffsetsInfo(None, kafka_with(C1)).all()


def test_all_by_rest():
    rest = FakeRest({"c": source((1, 4)), "a/b": source(SLASH), "s": SINK, "e": source()})
    found = OffsetsInfo(rest, None).all()
    assert [(one["name"], one["offsets"]) for one in found["connectors"]] == [("c", pairs(p1=4)), ("e", []), ("s", [])]
    assert (found["method"], found["method_reason"], found["topic"]) == ("rest", None, None)
    assert found["warnings"] == ["a/b is left out: no such name in a URL"]


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


@pytest.mark.parametrize("policy, records, words", [
    ("compact", [], 'REST shows 2 offsets of c that the offsets topic offsets does not have ({"p": 1}, {"p": 2}): the workers have them in memory alone'),
    ("compact,delete", [('["c",{"p":2}]', '{"o":5}')], "The topic offsets has cleanup.policy=compact,delete"),
    ("compact", [('["c",{"p":2}]', '{"o":5}')], 'REST shows 1 offset of c that the offsets topic offsets does not have ({"p": 1}): the workers have '
                                                "them in memory alone, and lose them when they are restarted."),
    ("compact", [('["c",{"p":2}]', '{"o":5}'), C1], None),
])
def test_what_only_the_memory_of_a_worker_has_is_said(policy, records, words):
    kafka = kafka_with(*records)
    kafka.policies["offsets"] = policy
    info = OffsetsInfo(FakeRest({"c": source((1, 4), (2, 5))}), kafka, offset_topic="offsets")
    found = info.one("c")
    assert found["method"] == "rest" and found["offsets"] == pairs(p1=4, p2=5)
    assert [text for text in found["warnings"] if words and words in text] == found["warnings"][:1] and bool(found["warnings"]) is bool(words)


@pytest.mark.parametrize("error", [
    errors.Refused("Failed to find any class that implements Connector and which name matches x.Gone"), errors.OutcomeUnknown("Request timed out"),
    errors.ResponseLost("broke"), errors.AccessDenied("403"), errors.Rebalancing("a rebalance"), SLASH])
@pytest.mark.parametrize("method", ["auto", "rest"])
def test_one_that_cannot_be_asked_does_not_hide_the_others(error, method):
    info = OffsetsInfo(FakeRest({"a": source((1, 4)), "b": source(error), "c": source((2, 5))}), None, method)
    found = info.all()
    assert {one["name"]: one["offsets"] for one in found["connectors"]} == {"a": pairs(p1=4), "c": pairs(p2=5)}
    assert info.left_out == {"b": error.message} and found["warnings"] == [f"b is left out: {error.message}"]


@pytest.mark.parametrize("error", [errors.Unreachable("no connection"), OLD, errors.NotConnect("a page")])
def test_what_is_so_for_all_of_them_is_a_failure(error):
    with pytest.raises(type(error)):
        OffsetsInfo(FakeRest({"a": source((1, 4)), "b": source(error), "c": source((2, 5))}), None).all()


def test_where_none_can_be_asked_that_is_a_failure():
    denied = errors.AccessDenied("403")
    with pytest.raises(errors.AccessDenied):
        OffsetsInfo(FakeRest({"a": source(denied), "b": source(denied)}), None).all()
    assert OffsetsInfo(FakeRest(), None).all()["connectors"] == []


def test_workers_that_let_requests_hang_are_not_asked_about_each_connector():
    rest, asked = FakeRest({f"c{number}": source(errors.ResponseLost("no answer within 90 s")) for number in range(9)}), []
    offsets = rest.offsets
    rest.offsets = lambda name: asked.append(name) or offsets(name)
    with pytest.raises(errors.ResponseLost, match="no answer"):
        OffsetsInfo(rest, None, "rest").all()
    assert asked == ["c0", "c1", "c2"]
