# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offset_topic import find, topics_of, workers_at
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicReader
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import (
    FakeKafka,
    assignment,
    metadata,
)

HINT = "Give the value of the workers' offset.storage.topic as offset_topic."
LOST, OLD = errors.Unsure("500"), errors.EndpointMissing("3.4.1 cannot show offsets")


class FakeRest:
    """``connectors``: name -> (type, config, its offsets by partition, or an error to raise for them)."""

    url = "http://h:8083"

    def __init__(self, cluster="cluster-1", **connectors):
        self.cluster, self.known, self.asked = cluster, connectors, []

    def root(self):
        return {"version": "4.3.1", "kafka_cluster_id": self.cluster}

    def connectors(self):
        return {name: {"info": {"type": kind, "config": config}, "status": {}} for name, (kind, config, _offsets) in self.known.items()}

    def offsets(self, name):
        self.asked.append(name)
        found = self.known[name][2]
        if isinstance(found, Exception):
            raise found
        return [{"partition": {"p": p}, "offset": offset} for p, offset in found.items()]


def source(offsets, **config):
    return "source", config, offsets


ONE = {"o": 1}


def topics(*names, **records):
    """records: topic with _ for - -> its keys, as connector/partition."""
    kafka = FakeKafka(*names)
    for topic, keys in records.items():
        for key in keys:
            connector, number = key.split("/")
            kafka.put(f'["{connector}",{{"p":{number}}}]', '{"o":1}', topic=topic.replace("_", "-"))
    return kafka


# ---- finding it by its content ------------------------------------------------------------------------------------

@pytest.mark.parametrize("rest, kafka, found", [
    (FakeRest(c=source({1: ONE})), topics("connect-offsets", "other", connect_offsets=["c/1"]), "connect-offsets"),
    (FakeRest(c=source({1: ONE})), topics("a-offsets", "b-offsets", a_offsets=["c/2"], b_offsets=["c/1", "c/2"]), "b-offsets"),
    (FakeRest(c=source({1: ONE}), d=source({2: ONE})), topics("a-offsets", "b-offsets", a_offsets=["c/1"], b_offsets=["c/1", "d/2"]),
     "b-offsets"),
    # a partition listed without an offset proves nothing, nor does a connector without offsets
    (FakeRest(c=source({1: ONE, 9: None}), e=source({})), topics("a-offsets", a_offsets=["c/1"]), "a-offsets"),
    # a sink, and a connector with a topic of its own, have nothing there
    (FakeRest(a=("sink", {}, {8: ONE}), b=source({7: ONE}, **{"offsets.storage.topic": "x"}), c=source({1: ONE})),
     topics("a-offsets", a_offsets=["c/1"]), "a-offsets"),
    # a worker that shows no offsets: the names of its connectors have to do
    (FakeRest(c=source(OLD)), topics("a-offsets", "b-offsets", a_offsets=["x/1"], b_offsets=["c/1"]), "b-offsets"),
    (FakeRest(c=source(errors.AmbiguousName("c/")), d=source({1: ONE})), topics("a-offsets", a_offsets=["d/1"]), "a-offsets"),
    (FakeRest(c=source(LOST), d=source({1: ONE})), topics("a-offsets", a_offsets=["d/1"]), "a-offsets"),
])
def test_find(rest, kafka, found):
    assert find(rest, TopicReader(kafka)) == found


@pytest.mark.parametrize("rest, kafka, words", [
    (FakeRest(c=source({1: ONE})), topics("other"), "none of its topics holds offsets that it shows"),
    (FakeRest(c=source({1: ONE})), topics("a-offsets", "b-offsets", a_offsets=["c/2"], b_offsets=["d/1"]),
     "none of a-offsets, b-offsets holds offsets that it shows"),
    (FakeRest(c=source({1: ONE})), topics("a-offsets", "b-offsets", a_offsets=["c/1"], b_offsets=["c/1"]),
     "a-offsets, b-offsets hold what it shows"),
    (FakeRest(c=source({1: ONE, 2: ONE})), topics("a-offsets", a_offsets=["c/1"]), "none of a-offsets holds offsets that it shows"),
    (FakeRest(), topics("a-offsets", a_offsets=["c/1"]), "none of a-offsets holds offsets that it shows"),
    (FakeRest(c=source({1: None})), topics("a-offsets", a_offsets=["c/1"]), "none of a-offsets holds offsets that it shows"),
    (FakeRest(c=source(LOST)), topics("a-offsets", a_offsets=["c/1"]), "none of a-offsets holds offsets that it shows"),
    (FakeRest(c=source(OLD)), topics("a-offsets", "b-offsets", a_offsets=["c/1"], b_offsets=["c/2"]),
     "a-offsets, b-offsets hold what it shows"),
])
def test_a_topic_that_is_not_certain(rest, kafka, words):
    with pytest.raises(errors.RoadError) as caught:
        find(rest, TopicReader(kafka))
    assert caught.value.message == (
        f"Which topic the worker at http://h:8083 keeps its offsets in cannot be told for certain: {words} on the Kafka cluster at b:9092. "
        f"{HINT}")


def test_a_topic_that_is_none_or_may_not_be_read_is_no_candidate():
    kafka = topics("a-offsets", "b-offsets", "c-offsets", c_offsets=["c/1"]).put("garbage", "x", topic="a-offsets")
    kafka.denied = ("b-offsets",)
    kafka.put('["c",{"p":1}]', "{}", topic="b-offsets")
    assert find(FakeRest(c=source({1: ONE})), TopicReader(kafka)) == "c-offsets"


def test_a_tombstone_is_no_proof():
    kafka = topics("a-offsets", a_offsets=["c/1"]).put('["c",{"p":1}]', None, topic="a-offsets")
    with pytest.raises(errors.RoadError):
        find(FakeRest(c=source({1: ONE})), TopicReader(kafka))


def test_a_few_connectors_are_proof_enough():
    names = [f"c{number:02}" for number in range(30)]
    rest = FakeRest(**{name: source({1: ONE}) for name in names})
    assert find(rest, TopicReader(topics("a-offsets", a_offsets=[name + "/1" for name in names]))) == "a-offsets"
    assert rest.asked == names[:5]


def test_without_a_worker_there_is_no_proof():
    with pytest.raises(errors.RoadError) as caught:
        find(None, TopicReader(topics("a-offsets", a_offsets=["c/1"])))
    assert caught.value.message == "Without connect_url there is nothing to tell the offsets topic by. " + HINT


# ---- one topic or two ---------------------------------------------------------------------------------------------

OWN = {"offsets.storage.topic": "own"}
ELSEWHERE = dict(OWN, **{"producer.override.bootstrap.servers": "x:9092"})
HERE = dict(OWN, **{"producer.override.bootstrap.servers": "b:9092"})


@pytest.mark.parametrize("config, given, for_change, found", [
    (None, "t", True, ["t"]), ({}, "t", True, ["t"]), ({}, None, True, ["a-offsets"]), ({}, None, False, ["a-offsets"]),
    (OWN, "t", True, ["own", "t"]), (OWN, None, True, ["own", "a-offsets"]), (OWN, None, False, ["own"]), (OWN, "t", False, ["own", "t"]),
    (OWN, "own", True, ["own"]), (HERE, "t", True, ["own", "t"]), ({"offsets.storage.topic": ""}, "t", True, ["t"]),
])
def test_topics_of(config, given, for_change, found):
    reader = TopicReader(topics("a-offsets", "t", a_offsets=["c/1"], t=["c/1"]))
    assert topics_of("c", FakeRest(c=source({1: ONE})), reader, given, config, for_change) == found


def test_the_topic_of_another_connect_cluster():
    reader = TopicReader(topics("t", t=["c/2", "d/1"]))
    with pytest.raises(errors.RoadError, match="offset_topic t has none of the offsets that REST shows for c"):
        topics_of("c", FakeRest(c=source({1: ONE})), reader, "t", {})
    assert topics_of("c", FakeRest(c=source({})), reader, "t", {}) == topics_of("c", None, reader, "t", {}) == ["t"]


def test_a_topic_of_its_own_on_another_cluster():
    with pytest.raises(errors.RoadError, match="c keeps its offsets in its own topic own on another Kafka cluster .*=x:9092") as caught:
        topics_of("c", FakeRest(), TopicReader(FakeKafka()), "t", ELSEWHERE)
    assert caught.value.facts == {"offset_topic": "own"}


def test_brokers_of_another_cluster():
    with pytest.raises(errors.RoadError) as caught:
        topics_of("c", FakeRest("cluster-2"), TopicReader(FakeKafka()), "t")
    assert caught.value.message == (
        "The brokers at b:9092 are those of the Kafka cluster cluster-1, but the worker at http://h:8083 belongs to the Kafka cluster "
        "cluster-2. Nothing was changed.")
    assert topics_of("c", FakeRest(None), TopicReader(FakeKafka("t")), "t") == topics_of("c", None, TopicReader(FakeKafka()), "t") == ["t"]


#: what the workers of two Connect clusters have, by the address that a member tells
def clusters(kafka, **work):
    kafka.groups = [(name, "w", metadata(2, url=f"http://{name}:8083/"), assignment(2, tasks, {})) for name, tasks in work.items()]
    return kafka


def test_the_topic_of_another_cluster_by_what_runs_there():
    kafka = clusters(topics("t", t=["c/1", "x/1"]), h={"c": [0]}, other={"c": [0], "x": [-1]})
    old = FakeRest(c=source(errors.EndpointMissing("Connect 3.4.1")))
    with pytest.raises(errors.RoadError, match="t has offsets of x, which the workers of the group other have"):
        topics_of("c", old, TopicReader(kafka), "t", {})
    assert topics_of("c", old, TopicReader(kafka), "t", {}, sure=True) == ["t"]
    kafka = clusters(topics("t", t=["c/1"]), h={"c": [0]}, other={"c": [0]})
    with pytest.raises(errors.RoadError, match="h and other each have a connector c"):
        topics_of("c", old, TopicReader(kafka), "t", {})
    kafka = clusters(topics("t", t=["c/1", "gone/1"]), h={"c": [0], "gone": [0]})  # the workers are about to let go of it
    assert topics_of("c", old, TopicReader(kafka), "t", {}) == ["t"]


# ---- who runs it --------------------------------------------------------------------------------------------------

def group(name, worker, tasks, had=None):
    return name, worker, metadata(2, had and assignment(2, had)), assignment(2, tasks, {})


@pytest.mark.parametrize("only, found", [
    (None, ["task 0 in the group g1 on the worker w1", "task 1 in the group g1 on the worker w2",
            "task 0 in the group g2 on the worker w9"]),
    ("g1", ["task 0 in the group g1 on the worker w1", "task 1 in the group g1 on the worker w2"]),
    ("g3", []),
])
def test_workers_at(only, found):
    kafka = FakeKafka()
    kafka.groups = [group("g1", "w1", {"c": [0, -1], "c2": [0]}), group("g1", "w2", {"cc": [3]}, {"c": [1]}),
                    ("g1", "w3", b"junk", b"junk"),
                    ("g1", "w4", b"", b""), group("g2", "w9", {"c": [0]})]
    assert workers_at(kafka, "c", only) == found


def test_groups_that_cannot_be_seen():
    kafka = FakeKafka()
    kafka.groups = errors.BrokerDenied("no")
    with pytest.raises(errors.BrokerDenied):
        workers_at(kafka, "c")
