# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import Wish
from ansible_collections.streamops.kafka_connect.plugins.module_utils._reset import read_reset
from ansible_collections.streamops.kafka_connect.plugins.module_utils._roads import Roads
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import (
    FakeKafka,
    assignment,
    metadata,
)

OLD = errors.EndpointMissing("Connect 3.4.1 cannot show offsets")
SLASH = errors.AmbiguousName("no such name in a URL")


class FakeRest:
    """The connector c of a worker; ``shows``: what it says of its offsets, or an error to raise."""

    url = "http://h:8083"

    def __init__(self, shows=((1, 4),), refuses=(), config=None):
        self.shows, self.refuses, self.config = shows, refuses, config or {}

    def root(self):
        return {"version": "4.3.1", "kafka_cluster_id": "cluster-1"}

    def require(self, feature):
        if feature in self.refuses:
            raise errors.EndpointMissing("cannot " + feature)

    def info(self, name):
        return {"name": name, "config": self.config, "type": "source"}

    def connectors(self):
        return {"c": {"info": self.info("c"), "status": {}}}

    def offsets(self, name):
        if isinstance(self.shows, Exception):
            raise copy.copy(self.shows)  # whoever catches it adds to it
        return [{"partition": {"p": p}, "offset": offset and {"o": offset}} for p, offset in self.shows]


def found(kind="source"):
    return Connector({"name": "c", "type": kind, "connector": {"state": "STOPPED"}, "tasks": []})


def kafka_with(*records):
    kafka = FakeKafka()
    for key, value in records or [('["c",{"p":1}]', '{"o":4}')]:
        kafka.put(key, value)
    return kafka


def roads(rest=None, kafka=None, **options):
    return Roads(rest, "c", kafka, sleep=lambda seconds: None, **options)


SET = Wish.present([{"partition": {"p": 1}, "offset": {"o": 9}}])
AS_IT_IS = Wish.present([{"partition": {"p": 1}, "offset": {"o": 4}}])


# ---- what is needed -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("rest, kafka, options, words", [
    (True, False, {"method": "topic"}, "method: topic needs bootstrap_servers (or the environment variable KAFKA_BOOTSTRAP_SERVERS)."),
    (False, False, {"method": "topic"}, "method: topic needs bootstrap_servers"),
    (False, True, {"method": "rest"}, "connect_url is missing (or the environment variable KAFKA_CONNECT_URL)."),
    (False, False, {},
     "connect_url is missing (or the environment variable KAFKA_CONNECT_URL); without it method: topic needs bootstrap_servers."),
    (True, True, {"method": "rest", "raw_keys": ["x"]}, "raw_keys needs method: topic: REST knows no keys."),
])
def test_what_a_method_needs(rest, kafka, options, words):
    with pytest.raises(errors.WishError) as caught:
        roads(FakeRest() if rest else None, FakeKafka() if kafka else None, **options)
    assert caught.value.message.startswith(words)


@pytest.mark.parametrize("method, kafka, is_open", [("auto", True, True), ("topic", True, True), ("rest", True, False),
                                                    ("auto", False, False)])
def test_is_the_topic_open(method, kafka, is_open):
    assert roads(FakeRest(), FakeKafka() if kafka else None, method=method).topic_is_open is is_open


# ---- which road ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("rest, kafka, connector, options, road, reason", [
    (FakeRest(), None, found(), {}, "rest", "REST can do it"),
    (FakeRest(), None, found(), {"method": "rest"}, "rest", "method: rest"),
    (FakeRest(), kafka_with(), found(), {"method": "rest", "offset_topic": "nothing"}, "rest", "method: rest"),
    (FakeRest(), kafka_with(), found(), {}, "rest", "REST can do it"),
    (FakeRest(), kafka_with(), found(), {"method": "topic"}, "topic", "method: topic"),
    (FakeRest(), kafka_with(), found(), {"raw_keys": ["x"]}, "topic", "raw_keys are known to the offsets topic alone"),
    (FakeRest(), kafka_with(), None, {"offset_topic": "offsets"}, "topic", "there is no connector c that REST could change"),
    (None, kafka_with(), None, {"offset_topic": "offsets"}, "topic", "no worker is asked"),
    (FakeRest(OLD), kafka_with(), found(), {}, "topic", "REST cannot do it: Connect 3.4.1 cannot show offsets"),
    (FakeRest(refuses=["alter"]), kafka_with(), found(), {}, "topic", "REST cannot do it: cannot alter"),
    (FakeRest(SLASH), kafka_with(), found(), {"offset_topic": "offsets"}, "topic", "REST cannot do it: no such name in a URL"),
])
def test_which_road(rest, kafka, connector, options, road, reason):
    taken = roads(rest, kafka, **options)
    for _plan in range(2):
        store, plan = taken.plan(connector, SET)
        assert (store.road, taken.reason, plan.changed, taken.warnings) == (road, reason, True, [])
    assert taken.result(store) == {
        "method_reason": reason, "resource": None, "offset_topic": "offsets" if road == "topic" else None,
        "offset_file": None, "consumer_group": None}


@pytest.mark.parametrize("records, words", [
    ([('["c", {"p":1}]', '{"o":4}')], "held under keys that no worker of today writes"),
    ([('["c",{"p":1}]', '{"o":4}'), ('["c", {"p":1}]', '{"o":4}')], "held under keys of different bytes"),
    ([('["c",{"p":1}]', '{"o":4}'), ('["c",{"name":1,"path":2}]', '{"o":4}')], "held under keys in another order of fields"),
])
def test_what_rest_would_not_reach_is_changed_on_the_topic(records, words):
    taken = roads(FakeRest(), kafka_with(*records), offset_topic="offsets")
    store, _plan = taken.plan(found(), SET)
    assert store.road == "topic" and taken.reason.startswith(
        "REST cannot do it: On the offsets topic are records of c that REST would not change: c: 1 partition ") and words in taken.reason


def test_once_turned_to_the_topic_it_stays_there():
    rest = FakeRest(OLD)
    taken = roads(rest, kafka_with())
    assert taken.plan(found(), SET)[0].road == "topic"
    rest.shows = ((1, 4),)
    assert taken.plan(found(), SET)[0].road == "topic" and taken.reason.startswith("REST cannot do it: Connect 3.4.1")


@pytest.mark.parametrize("rest, options, hint", [
    (FakeRest(OLD), {}, True), (FakeRest(refuses=["alter"]), {}, True), (FakeRest([(1, None)]), {}, True),
    (FakeRest(OLD), {"method": "rest"}, False),
])
def test_without_brokers_the_reason_is_the_error(rest, options, hint):
    with pytest.raises((errors.EndpointMissing, errors.RoadError)) as caught:
        roads(rest, **options).plan(found(), SET)
    assert caught.value.message.endswith("The offsets topic can be changed instead, if bootstrap_servers is given.") is hint


def test_method_rest_does_not_turn():
    with pytest.raises(errors.EndpointMissing, match="^cannot alter$"):
        roads(FakeRest(refuses=["alter"]), kafka_with(), method="rest").plan(found(), SET)


@pytest.mark.parametrize("fault", [errors.Lost("x"), errors.NoConnector("x"), errors.AccessDenied("x")])
def test_other_faults_of_rest_do_not_turn(fault):
    with pytest.raises(type(fault)):
        roads(FakeRest(fault), kafka_with()).plan(found(), SET)


def test_a_wish_without_a_change_needs_no_right_to_change():
    store, plan = roads(FakeRest(refuses=["alter"])).plan(found(), AS_IT_IS)
    assert store.road == "rest" and not plan.changed


@pytest.mark.parametrize("kafka, options, words", [
    (FakeKafka(), {"offset_topic": "nothing"}, "There is no topic nothing"),
    (FakeKafka("elsewhere"), {}, "Which topic the worker at http://h:8083 keeps its offsets in cannot be told for certain"),
    (FakeKafka().put("garbage", "x"), {"offset_topic": "offsets"}, "The topic offsets is no offsets topic"),
])
def test_a_comparison_with_the_topic_that_fails_is_a_warning(kafka, options, words):
    taken = roads(FakeRest(), kafka, **options)
    for _plan in range(2):
        assert taken.plan(found(), SET)[0].road == "rest"
    warning, = taken.warnings
    assert warning.startswith("What REST shows of c could not be compared with the offsets topic. " + words)


# ---- sinks --------------------------------------------------------------------------------------------------------

def sink_offset(offset=1, partition=0, topic="t"):
    return {"partition": {"kafka_topic": topic, "kafka_partition": partition},
            "offset": None if offset is None else {"kafka_offset": offset}}


SINK = Wish.present([sink_offset()])
ALL = Wish.absent(None)


class SinkRest(FakeRest):
    """The sink c; ``shows``: pairs, or an error to raise."""

    def __init__(self, shows=(), **options):
        super().__init__(shows, **{"config": {"topics": "t"}, **options})

    def offsets(self, name):
        if isinstance(self.shows, Exception):
            raise copy.copy(self.shows)
        return list(self.shows)


def sink_kafka(commits=None, group="connect-c"):
    kafka = FakeKafka().log_of("t", (0, 5), (2, 9, {100: 3}))
    kafka.commits[group] = {("t", 0): 5} if commits is None else commits
    return kafka


def words(reset_to, topics=None):
    return Wish.words(read_reset(reset_to, topics))


@pytest.mark.parametrize("rest, connector, wish, options, road, reason", [
    (SinkRest([sink_offset(5)]), found("sink"), SINK, {}, "rest", "REST can do it"),
    (SinkRest([sink_offset(5)]), found("sink"), SINK, {"method": "rest"}, "rest", "method: rest"),
    (SinkRest([sink_offset(5)]), found("sink"), SINK, {"method": "group"}, "group", "method: group"),
    (SinkRest(), found("unknown"), SINK, {"method": "group"}, "group", "method: group"),
    (SinkRest(OLD), found("unknown"), SINK, {}, "group", "REST cannot do it: Connect 3.4.1 cannot show offsets"),
    (SinkRest(OLD), found("sink"), SINK, {}, "group", "REST cannot do it: Connect 3.4.1 cannot show offsets"),
    (SinkRest([sink_offset(5)], refuses=["alter"]), found("sink"), SINK, {}, "group", "REST cannot do it: cannot alter"),
    (SinkRest(SLASH), found("sink"), SINK, {}, "group", "REST cannot do it: no such name in a URL"),
    (SinkRest(), None, SINK, {}, "group", "there is no connector c that REST could change"),
    (SinkRest(), None, ALL, {}, "group", "there is no connector c that REST could change"),
    (None, None, SINK, {}, "group", "no worker is asked"), (None, None, words("latest"), {}, "group", "no worker is asked"),
    (None, None, ALL, {"method": "group"}, "group", "method: group"),
])
def test_which_road_of_a_sink(rest, connector, wish, options, road, reason):
    taken = roads(rest, sink_kafka(), **options)
    for _plan in range(2):
        store, plan = taken.plan(connector, wish)
        assert (store.road, taken.reason, plan.changed, taken.warnings) == (road, reason, True, [])
    assert taken.result(store) == {
        "method_reason": reason, "resource": None, "offset_topic": None, "offset_file": None, "consumer_group": "connect-c"}
    assert taken.cluster()["consumer_group"] == "connect-c" and taken.kind(connector, wish) == "sink"


@pytest.mark.parametrize("connector, wish, options", [
    (found("sink"), SET, {"method": "topic"}), (found("sink"), ALL, {"method": "topic"}), (found("sink"), ALL, {"raw_keys": ["x"]}),
    (None, SINK, {"method": "topic"}),
])
def test_a_sink_has_nothing_on_the_topic(connector, wish, options):
    with pytest.raises(errors.RoadError) as caught:
        roads(FakeRest(), kafka_with(), offset_topic="offsets", **options).plan(connector, wish)
    assert caught.value.message == ("c is a sink: its offsets are the commits of its consumer group, not records of an offsets topic or "
                                    "file. Use method: group, or auto. Nothing was changed.")


@pytest.mark.parametrize("wish, options, kind, words_of", [
    (SINK, {"method": "topic"}, errors.RoadError, "c is a source, but what is declared are offsets of a sink. Nothing was changed."),
    (SET, {"method": "group"}, errors.RoadError, "c is a source: its offsets are records of an offsets topic, not the commits of a "
                                                 "consumer group."),
    (words("latest"), {}, errors.WishError, "c is a source, and reset_to is for sinks and for MirrorMaker's source connectors. The "
                                            "offsets of other sources are their own words"),
])
def test_a_source_is_no_sink(wish, options, kind, words_of):
    with pytest.raises(kind) as caught:
        roads(FakeRest(), kafka_with(), offset_topic="offsets", **options).plan(found(), wish)
    assert caught.value.message.startswith(words_of)


@pytest.mark.parametrize("connector, wish, options, words_of", [
    (found("sink"), SINK, {}, "Connect 3.4.1 cannot show offsets. The consumer group can be changed instead, if bootstrap_servers is "
                              "given."),
    (found("sink"), SINK, {"method": "rest"}, "Connect 3.4.1 cannot show offsets"),
    (found("sink"), words("latest"), {}, "reset_to needs bootstrap_servers (or the environment variable KAFKA_BOOTSTRAP_SERVERS): only "
                                         "the brokers "
                                         "know the log. Nothing was changed."),
])
def test_a_sink_without_brokers(connector, wish, options, words_of):
    with pytest.raises((errors.EndpointMissing, errors.WishError)) as caught:
        roads(SinkRest(OLD), **options).plan(connector, wish)
    assert caught.value.message == words_of


def test_method_group_needs_brokers():
    with pytest.raises(errors.WishError, match="^method: group needs bootstrap_servers "):
        roads(FakeRest(), method="group")


@pytest.mark.parametrize("options, config, group", [
    ({}, {}, "connect-c"), ({}, {"consumer.override.group.id": "mine"}, "mine"), ({"consumer_group": "told"},
                                                                                  {"consumer.override.group.id": "mine"}, "told"),
    ({"consumer_group": ""}, {}, "connect-c"),
])
def test_the_name_of_the_group(options, config, group):
    kafka = sink_kafka(group=group)
    taken = roads(SinkRest(OLD, config=config), kafka, **options)
    store, plan = taken.plan(found("sink"), SINK)
    store.apply(plan)
    assert kafka.commits[group] == {("t", 0): 1} and taken.result(store)["consumer_group"] == group


@pytest.mark.parametrize("commits", [{}, {("t", 1): 5}])
def test_a_group_that_rest_contradicts_is_refused(commits):
    with pytest.raises(errors.RoadError) as caught:
        roads(SinkRest([sink_offset(5)], refuses=["alter"]), sink_kafka(commits)).plan(found("sink"), SINK)
    assert caught.value.message == (
        'REST shows 1 offsets of c that its consumer group connect-c does not have, first {"kafka_partition": 0, "kafka_topic": "t"}. '
        'The workers '
        "set consumer.group.id: give that group as consumer_group. Nothing was changed.")


# ---- what is left of a connector that is gone

@pytest.mark.parametrize("commits, records, kind", [
    ({}, [], "source"), (errors.BrokerDenied("no Describe"), [], "source"), ({}, [('["c",{"p":1}]', '{"o":4}')], "source"), (None, [],
                                                                                                                             "sink"),
])
def test_the_kind_of_a_connector_that_is_gone(commits, records, kind):
    kafka = sink_kafka(commits)
    for record in [*records, ('["d",{"p":1}]', '{"o":4}')]:
        kafka.put(*record)
    taken = roads(SinkRest(), kafka, offset_topic="offsets")
    store, _plan = taken.plan(None, ALL)
    assert (taken.kind(None, ALL), store.road) == (kind, {"source": "topic", "sink": "group"}[kind])
    assert ("consumer_group" in taken.cluster()) is (kind == "sink")


def test_both_a_source_and_a_sink_of_that_name_are_gone():
    kafka = sink_kafka().put('["c",{"p":1}]', '{"o":4}')
    with pytest.raises(errors.WishError) as caught:
        roads(SinkRest(), kafka, offset_topic="offsets").plan(None, ALL)
    assert caught.value.message == (
        "There is no connector c, but the offsets topic offsets and the consumer group connect-c both have offsets of one. Say which "
        "ones are meant "
        "with method: topic or method: group. Nothing was changed.")


# ---- the truth

@pytest.mark.parametrize("rest", [SinkRest([sink_offset(5)]), SinkRest(OLD)])
@pytest.mark.parametrize("wish, words_of", [
    (Wish.present([sink_offset(100)]), "1 partition of c would be outside of the log: t-0 to 100, but it holds 0 to 5."),
    (Wish.present([sink_offset(1, 1)]), "1 partition of c would be outside of the log: t-1 to 1, but it holds 2 to 9."),
    (Wish.present([sink_offset(1, 7)]), "There is no partition 7 of the topic t, which has 2 (0 to 1). Nothing was changed."),
    (Wish.present([sink_offset(1, 0, "nope")]),
     "There is no topic nope on the Kafka cluster at b:9092 (or the user may not see it), so c can have no offset there. Nothing was "
     "changed."),
])
def test_what_the_log_does_not_hold_is_refused(rest, wish, words_of):
    with pytest.raises(errors.WishError) as caught:
        roads(rest, sink_kafka()).plan(found("sink"), wish)
    assert caught.value.message.startswith(words_of) and caught.value.message.endswith("Nothing was changed.")


def test_force_takes_what_the_log_does_not_hold():
    _store, plan = roads(SinkRest([sink_offset(5)]), sink_kafka(), force=True).plan(found("sink"), Wish.present([sink_offset(100)]))
    warning, = plan.warnings
    assert warning.startswith("1 partition of c would be outside of the log: t-0 to 100, but it holds 0 to 5. The sink would go where "
                              "its consumer's "
                              "auto.offset.reset says")
    with pytest.raises(errors.WishError, match="^There is no partition 7"):
        roads(SinkRest([sink_offset(5)]), sink_kafka(), force=True).plan(found("sink"), Wish.present([sink_offset(1, 7)]))


@pytest.mark.parametrize("offset", [0, 5])
def test_the_ends_of_the_log_are_in_it(offset):
    taken = roads(SinkRest([sink_offset(3)]), sink_kafka())
    assert taken.plan(found("sink"), Wish.present([sink_offset(offset)]))[1].warnings == []


def test_what_is_not_changed_is_not_looked_at():
    kafka = sink_kafka()
    _store, plan = roads(SinkRest([sink_offset(100)]), kafka).plan(found("sink"), Wish.present([sink_offset(100)]))
    assert not plan.changed and kafka.asked == []


def test_what_is_undone_may_have_left_the_log():
    wish = Wish.exactly(Snapshot("c", "sink", [Entry(**sink_offset(1, 1))]))
    _store, plan = roads(SinkRest([sink_offset(5, 1)]), sink_kafka()).plan(found("sink"), wish)
    assert plan.changed and plan.warnings[0].startswith("1 partition of c would be outside of the log")


def test_brokers_that_give_no_answer_are_a_warning_by_rest():
    kafka = sink_kafka()
    asked = []

    def no_answer(names):
        asked.append(names)
        raise errors.BrokersUnreachable("No answer.")

    kafka.partition_counts = no_answer
    taken = roads(SinkRest([sink_offset(5)]), kafka)
    for _plan in range(2):
        assert taken.plan(found("sink"), SINK)[0].road == "rest" and len(asked) == 1
    assert taken.warnings == ["What the brokers know of c could not be looked at. No answer."]


def test_a_topic_that_it_does_not_read_is_a_warning():
    kafka = sink_kafka().log_of("other", (0, 5))
    _store, plan = roads(SinkRest([sink_offset(5)]), kafka).plan(found("sink"), Wish.present([sink_offset(1, 0, "other")]))
    assert plan.warnings == ["c does not read other by its configuration, so an offset there has no effect."]


def test_consumers_that_are_told_to_read_elsewhere():
    rest = SinkRest([sink_offset(5)], config={"topics": "t", "consumer.override.bootstrap.servers": "x:9092"})
    _store, plan = roads(rest, sink_kafka()).plan(found("sink"), Wish.present([sink_offset(100)]))
    assert plan.changed and plan.warnings == ["c reads from other brokers than its workers (consumer.override.bootstrap.servers): "
                                              "whether the offsets are "
                                              "in the log was not looked at."]
    for wish, options in ((words("latest"), {}), (SINK, {"method": "group"})):
        with pytest.raises((errors.WishError, errors.RoadError), match="^c reads from other brokers than its workers"):
            roads(rest, sink_kafka(), **options).plan(found("sink"), wish)


@pytest.mark.parametrize("kafka", [None, sink_kafka()])
@pytest.mark.parametrize("plugin, says", [
    ("io.confluent.connect.hdfs.HdfsSinkConnector", "c also keeps its place elsewhere: the names of the files that it has written, which "
                                                    "count more"),
    ("io.confluent.connect.s3.S3SinkConnector", "c also keeps its place elsewhere: the names of the objects"),
    ("org.apache.iceberg.connect.IcebergSinkConnector", "c also keeps its place elsewhere: its control topic: files that were written"),
    ("io.tabular.iceberg.connect.IcebergSinkConnector", "c also keeps its place elsewhere: a second consumer group (cg-control-c by "
                                                        "default)"),
    ("org.apache.kafka.connect.file.FileStreamSinkConnector", None),
])
def test_a_second_store_is_a_warning(kafka, plugin, says):
    rest = SinkRest([sink_offset(5)], config={"connector.class": plugin, "topics": "t"})
    _store, plan = roads(rest, kafka).plan(found("sink"), SINK)
    assert len(plan.warnings) == bool(says) and all(warning.startswith(says) for warning in plan.warnings)


# ---- words

@pytest.mark.parametrize("rest", [SinkRest([sink_offset(5)]), SinkRest(OLD)])
def test_words_become_numbers_by_each_road(rest):
    taken = roads(rest, sink_kafka())
    _store, plan = taken.plan(found("sink"), words({"timestamp": 50}))
    assert {action.partition["kafka_partition"]: action.after["kafka_offset"] for action in plan.actions} == {0: 5, 1: 3}
    assert list(plan.wish.notes.values()) == ["the end of the log: no record of that time or later",
                                              "the record of 1970-01-01T00:00:00.100Z"]
    assert plan.warnings == []


def test_the_road_back_of_a_change():
    taken = roads(SinkRest([sink_offset(5)]), sink_kafka(group="mine"))
    taken.prefer(change(road="group", kind="sink", cluster={"consumer_group": "mine"}))
    store, _plan = taken.plan(None, Wish.nothing())
    assert (store.road, store.sink.group, taken.reason) == ("group", "mine", "the change was made by this road")


# ---- besides ------------------------------------------------------------------------------------------------------

def test_an_order_that_is_asked_for():
    taken = roads(None, FakeKafka(), offset_topic="offsets", key_order=["name", "path"])
    store, plan = taken.plan(None, Wish.present([{"partition": {"path": 1, "name": 2}, "offset": {"o": 1}}]))
    store.apply(plan)
    assert [record[2] for record in taken.kafka.writes[0]] == [b'["c",{"name":2,"path":1}]']


def test_both_topics_of_a_connector_with_its_own():
    kafka = FakeKafka("own", "offsets").put('["c",{"p":1}]', '{"o":4}', topic="own")
    taken = roads(FakeRest(OLD, config={"offsets.storage.topic": "own"}), kafka, offset_topic="offsets")
    store, _plan = taken.plan(found(), SET)
    assert store.topics == ["own", "offsets"] and taken.result(store)["offset_topic"] == "own"


@pytest.mark.parametrize("rest, kafka, connector, expected", [
    (FakeRest(), None, found(), {"connect_url": "http://h:8083", "kafka_cluster_id": "cluster-1"}),
    (None, kafka_with(), None, {"connect_url": None, "kafka_cluster_id": "cluster-1", "bootstrap_servers": "b:9092",
                                "offset_topic": "offsets"}),
    (FakeRest(OLD), kafka_with(), found(), {"connect_url": "http://h:8083", "kafka_cluster_id": "cluster-1", "bootstrap_servers": "b:9092",
                                            "offset_topic": "offsets"}),
])
def test_cluster(rest, kafka, connector, expected):
    taken = roads(rest, kafka, offset_topic="offsets")
    taken.plan(connector, SET)
    assert taken.cluster() == expected


@pytest.mark.parametrize("group, runs", [(None, True), ("g", True), ("other", False)])
def test_running(group, runs):
    kafka = kafka_with()
    kafka.groups = [("g", f"w{number}", metadata(2), assignment(2, {"c": [number], "d": [number]}, {})) for number in range(2)]
    assert roads(None, kafka, connect_group=group).running() == (
        ["task 0 in the group g on the worker w0", "task 1 in the group g on the worker w1"] if runs else [])


def test_groups_that_cannot_be_seen_are_a_warning():
    kafka = kafka_with()
    kafka.groups = errors.BrokerDenied("no Describe.")
    taken = roads(None, kafka)
    assert taken.running() == taken.running() == []
    assert taken.warnings == ["Whether a worker runs c could not be seen from the brokers. no Describe."]


def test_a_worker_that_cannot_be_reached_is_left_out():
    taken = roads(FakeRest(), kafka_with(), offset_topic="offsets")
    taken.without_rest()
    store, plan = taken.plan(None, SET)
    assert (store.road, taken.reason, plan.changed) == ("topic", "no worker is asked", True)
    assert taken.cluster()["connect_url"] is None
