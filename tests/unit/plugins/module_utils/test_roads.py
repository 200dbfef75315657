# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import Wish
from ansible_collections.streamops.kafka_connect.plugins.module_utils._roads import Roads
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
    assert taken.result(store) == {"method_reason": reason, "offset_topic": "offsets" if road == "topic" else None}


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

SINK = Wish.present([{"partition": {"kafka_topic": "t", "kafka_partition": 0}, "offset": {"kafka_offset": 1}}])


@pytest.mark.parametrize("connector, wish, options", [
    (found("sink"), SET, {"method": "topic"}), (found("sink"), Wish.absent(None), {"method": "topic"}),
    (found("sink"), Wish.absent(None), {"raw_keys": ["x"]}), (None, SINK, {}), (found(), SINK, {"method": "topic"}),
])
def test_a_sink_has_nothing_on_the_topic(connector, wish, options):
    with pytest.raises(errors.RoadError) as caught:
        roads(FakeRest(), kafka_with(), offset_topic="offsets", **options).plan(connector, wish)
    assert caught.value.message == ("c is a sink: its offsets are the commits of its consumer group, not records of an offsets topic. "
                                    "Nothing was changed.")


def test_a_sink_does_not_turn_to_the_topic():
    with pytest.raises(errors.EndpointMissing) as caught:
        roads(FakeRest(OLD), kafka_with()).plan(found("sink"), Wish.absent(None))
    assert caught.value.message == "Connect 3.4.1 cannot show offsets"


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
