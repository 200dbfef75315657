# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores import topic_discovery
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.connect_groups import (
    check_groups_are_shown,
    groups_of_workers,
    groups_with,
    workers_at,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic_discovery import TopicDiscovery
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import (
    FakeKafka,
    assignment,
    metadata,
)

HINT = "Give the value of the workers' offset.storage.topic as offset_topic."
LOST, OLD = errors.OutcomeUnknown("500"), errors.EndpointMissing("3.4.1 cannot show offsets")


class FakeRest:
    """``connectors``: name -> (type, config, its offsets by partition, or an error to raise for them)."""

    url = "http://h:8083"
    urls = [url]

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


def find(rest, logs):
    return TopicDiscovery(rest, logs).find()


def topics_of(name, rest, logs, given=None, config=None, may_be_empty=False, **options):
    return TopicDiscovery(rest, logs, given, **options).topics_of(name, config, may_be_empty)


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
    assert find(rest, OffsetLogs(KafkaLogs(kafka))) == found


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
    with pytest.raises(errors.MethodError) as caught:
        find(rest, OffsetLogs(KafkaLogs(kafka)))
    assert caught.value.message == (
        f"Which topic the worker at http://h:8083 keeps its offsets in cannot be determined: {words} on the Kafka cluster at b:9092. "
        f"{HINT}")


def test_a_topic_that_is_none_or_may_not_be_read_is_no_candidate():
    kafka = topics("a-offsets", "b-offsets", "c-offsets", c_offsets=["c/1"]).put("garbage", "x", topic="a-offsets")
    kafka.denied = ("b-offsets",)
    kafka.put('["c",{"p":1}]', "{}", topic="b-offsets")
    assert find(FakeRest(c=source({1: ONE})), OffsetLogs(KafkaLogs(kafka))) == "c-offsets"


def test_a_tombstone_is_no_proof():
    kafka = topics("a-offsets", a_offsets=["c/1"]).put('["c",{"p":1}]', None, topic="a-offsets")
    with pytest.raises(errors.MethodError):
        find(FakeRest(c=source({1: ONE})), OffsetLogs(KafkaLogs(kafka)))


def test_a_few_connectors_are_proof_enough():
    names = [f"c{number:02}" for number in range(30)]
    rest = FakeRest(**{name: source({1: ONE}) for name in names})
    assert find(rest, OffsetLogs(KafkaLogs(topics("a-offsets", a_offsets=[name + "/1" for name in names])))) == "a-offsets"
    assert rest.asked == names[:5]


def test_idle_connectors_are_not_asked_for_one_by_one():
    """A few of those that have nothing on a candidate are: what REST shows of them alone is on another topic."""
    names = [f"c{number:03}" for number in range(1000)]
    rest = FakeRest(**{name: source({1: ONE} if name > "c996" else {}) for name in names})
    assert find(rest, OffsetLogs(KafkaLogs(topics("a-offsets", a_offsets=[name + "/1" for name in names[997:]])))) == "a-offsets"
    assert rest.asked == names[997:] + names[:5]
    rest = FakeRest(**{name: source({1: ONE} if name in ("c000", "c999") else {}) for name in names})
    with pytest.raises(errors.MethodError):
        find(rest, OffsetLogs(KafkaLogs(topics("a-offsets", a_offsets=["c999/1"]))))


def test_without_a_worker_there_is_no_proof():
    with pytest.raises(errors.MethodError) as caught:
        find(None, OffsetLogs(KafkaLogs(topics("a-offsets", a_offsets=["c/1"]))))
    assert caught.value.message == "Without kafka_connect_url the offsets topic cannot be determined. " + HINT


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
    logs = OffsetLogs(KafkaLogs(topics("a-offsets", "t", a_offsets=["c/1"], t=["c/1"])))
    assert topics_of("c", FakeRest(c=source({1: ONE})), logs, given, config, for_change=for_change) == found


def test_the_topic_of_another_connect_cluster():
    logs = OffsetLogs(KafkaLogs(topics("t", t=["c/2", "d/1"])))
    for sure in (False, True):  # what contradicts it for certain is nothing to vouch for
        with pytest.raises(errors.MethodError, match="offset_topic t has none of the offsets that REST shows for c"):
            topics_of("c", FakeRest(c=source({1: ONE})), logs, "t", {}, sure=sure)
    with pytest.raises(errors.MethodError, match="offset_topic t has none of the offsets that REST shows for c"):
        topics_of("c", FakeRest(c=source({1: ONE})), logs, "t", {})
    assert topics_of("c", FakeRest(c=source({})), logs, "t", {}) == topics_of("c", None, logs, "t", {}) == ["t"]


def test_a_topic_of_its_own_on_another_cluster():
    with pytest.raises(errors.MethodError, match="c keeps its offsets in its own topic own on another Kafka cluster .*=x:9092") as caught:
        topics_of("c", FakeRest(), OffsetLogs(KafkaLogs(FakeKafka())), "t", ELSEWHERE)
    assert caught.value.facts == {"offset_topic": "own"}


def test_brokers_of_another_cluster():
    with pytest.raises(errors.MethodError) as caught:
        topics_of("c", FakeRest("cluster-2"), OffsetLogs(KafkaLogs(FakeKafka())), "t")
    assert caught.value.message == (
        "The brokers at b:9092 are those of the Kafka cluster cluster-1, but the worker at http://h:8083 belongs to the Kafka cluster "
        "cluster-2.")
    assert topics_of("c", FakeRest(None), OffsetLogs(KafkaLogs(FakeKafka("t"))), "t") == topics_of("c", None, OffsetLogs(KafkaLogs(FakeKafka())), "t") == ["t"]


#: what the workers of two Connect clusters have, by the address that a member tells
def clusters(kafka, **work):
    kafka.workers = [(name, "w", metadata(2, url=f"http://{name}:8083/"), assignment(2, tasks, {})) for name, tasks in work.items()]
    return kafka


def test_the_topic_of_another_cluster_by_what_runs_there():
    kafka = clusters(topics("t", t=["c/1", "x/1"]), h={"c": [0]}, other={"c": [0], "x": [-1]})
    old = FakeRest(c=source(errors.EndpointMissing("Connect 3.4.1")))
    with pytest.raises(errors.MethodError, match="t has offsets of x, which the workers of the group other have"):
        topics_of("c", old, OffsetLogs(KafkaLogs(kafka)), "t", {})
    assert topics_of("c", old, OffsetLogs(KafkaLogs(kafka)), "t", {}, sure=True) == ["t"]
    kafka = clusters(topics("t", t=["c/1"]), h={"c": [0]}, other={"c": [0]})
    with pytest.raises(errors.MethodError, match="h and other each have a connector c"):
        topics_of("c", old, OffsetLogs(KafkaLogs(kafka)), "t", {})
    kafka = clusters(topics("t", t=["c/1", "gone/1"]), h={"c": [0], "gone": [0]})  # the workers are about to let go of it
    assert topics_of("c", old, OffsetLogs(KafkaLogs(kafka)), "t", {}) == ["t"]


def test_workers_that_let_requests_hang_are_not_asked_about_each_connector():
    rest = FakeRest(**{f"c{number}": source(LOST) for number in range(9)})
    assert topics_of("new", rest, OffsetLogs(KafkaLogs(topics("t", t=["c1/1"]))), "t", None) == ["t"]
    assert rest.asked == ["c1", "c0", "c2"]


def test_an_error_of_rest_for_one_connector_does_not_close_the_topic():
    """What the others have proves it."""
    for fault in (LOST, errors.ResponseLost("no answer"), errors.Refused("400"), OLD):
        rest = FakeRest(c=source(fault), d=source({1: ONE}))
        assert topics_of("c", rest, OffsetLogs(KafkaLogs(topics("t", t=["d/1"]))), "t", {}) == ["t"]
        with pytest.raises(errors.MethodError, match="offset_topic t has none of the offsets that REST shows for d"):
            topics_of("c", rest, OffsetLogs(KafkaLogs(topics("t", t=["c/1"]))), "t", {})


@pytest.mark.parametrize("policy, records, words", [
    ("compact", ["x/1"], "it is not the topic of the worker at http://h:8083."),
    ("compact", [], "it is not the topic of the worker at http://h:8083, or it has lost them (it is empty), and the workers have them in "
                    "memory alone: method: auto writes them again."),
    ("compact,delete", ["x/1"], "or it has lost them (cleanup.policy=compact,delete), and"), ("delete", ["x/1"], "(cleanup.policy=delete)"),
    (None, [], "(it is empty)"),
])
def test_a_topic_that_has_lost_what_rest_shows(policy, records, words):
    kafka = topics("t", t=records)
    kafka.policies["t"] = policy
    rest = FakeRest(c=source({1: ONE}))
    with pytest.raises(errors.MethodError) as caught:
        topics_of("c", rest, OffsetLogs(KafkaLogs(kafka)), "t", {})
    assert words in caught.value.message
    if "lost" in words or "(" in words:
        logs = OffsetLogs(KafkaLogs(kafka))
        assert topics_of("c", rest, logs, "t", {}, may_be_empty=True) == ["t"] and logs.proven is None
    # another connector's offsets are there: it is the topic, whatever it has lost
    both = FakeRest(c=source({1: ONE}), d=source({1: ONE}))
    assert topics_of("c", both, OffsetLogs(KafkaLogs(kafka.put('["d",{"p":1}]', "{}", topic="t"))), "t", {}) == ["t"]


def test_rest_and_the_topic_are_looked_at_once_more():
    """They are read one after the other, and a worker shows a record of ours a moment later."""
    kafka, rest = topics("a-offsets", a_offsets=["c/1"]), FakeRest(c=source({1: ONE, 2: ONE}))
    answers = [{1: ONE, 2: ONE}, {1: ONE}]  # the second partition was just removed
    rest.offsets = lambda name: [{"partition": {"p": p}, "offset": offset}
                                 for p, offset in (answers.pop(0) if answers[1:] else answers[0]).items()]
    assert find(rest, OffsetLogs(KafkaLogs(kafka))) == "a-offsets"
    logs = OffsetLogs(KafkaLogs(topics("t", t=["c/2"])), many=True)
    logs.read("t")
    logs.source.kafka.put('["c",{"p":1}]', "{}", topic="t")  # since the topic was read
    assert topics_of("c", FakeRest(c=source({1: ONE})), logs, "t", {}) == ["t"]


def test_of_many_connectors_only_the_first_one_is_waited_for(monkeypatch):
    paused = []
    monkeypatch.setattr(topic_discovery.time, "sleep", paused.append)
    rest, logs = FakeRest(c=source({1: ONE}), d=source({1: ONE})), OffsetLogs(KafkaLogs(topics("a-offsets", "t", a_offsets=["x/1"], t=["x/1"])), many=True)
    for name in "cdcd":
        for topic in (None, "t"):
            with pytest.raises(errors.MethodError):
                topics_of(name, rest, logs, topic, {})
    assert len(paused) == 2


# ---- a cluster that shares the topic, with a connector of the same name

@pytest.mark.parametrize("work, homes, names", [
    # nobody else has it
    ({"h": {"c": [0]}}, {}, None), ({"h": {"c": [0]}, "y": {"d": [0]}}, {}, None), ({}, {}, None),
    # running, or stopped: then the connector is still assigned
    ({"h": {"c": [0]}, "y": {"c": [0]}}, {}, "h and y"), ({"h": {"c": [-1]}, "y": {"c": [-1]}}, {}, "h and y"),
    ({"h": {"d": [0]}, "y": {"c": [0]}}, {}, "h and y"),
    # it has its offsets on another topic, live or removed; so has another one of its connectors
    ({"h": {"c": [0]}, "y": {"c": [0]}}, {"y-offsets": ["c/7"]}, None),
    ({"h": {"c": [0]}, "y": {"c": [0], "e": [0]}}, {"y-offsets": ["e/7"]}, None),
    ({"h": {"c": [0]}, "y": {"c": [0]}}, {"y-offsets": ["e/7"]}, "h and y"),
    # what is on both topics may be a connector with an offsets topic of its own; it says nothing of the others
    ({"h": {"c": [0]}, "y": {"c": [0], "q": [0]}}, {"q-offsets": ["q/7"], "t": ["c/1", "q/7"]}, "h and y"),
    ({"h": {"c": [0]}, "y": {"c": [0], "q": [0]}}, {"q-offsets": ["q/7"], "t": ["c/1", "q/7"], "y-offsets": ["c/7"]}, None),
    ({"h": {"c": [0], "d": [0]}, "y": {"c": [0], "d": [0]}}, {"t": ["c/1", "d/1"], "y-offsets": ["c/7", "d/7"]}, None),
    # of two others only one has
    ({"h": {"c": [0]}, "y": {"c": [0]}, "z": {"c": [0]}}, {"y-offsets": ["c/7"]}, "h and y and z"),
    ({"h": {"c": [0]}, "y": {"c": [0]}, "z": {"c": [0]}}, {"y-offsets": ["c/7"], "z-offsets": ["c/7"]}, None),
    # by their addresses nobody knows which group is ours
    ({"x": {"c": [0]}}, {}, None), ({"x": {"c": [0]}, "y": {"c": [0]}}, {}, "x and y"),
])
@pytest.mark.parametrize("group", [None, "h", "y"])
def test_namesakes_that_share_the_topic(work, homes, names, group):
    homes = {"t": ["c/1"], **homes}
    kafka = clusters(topics(*homes, **{name.replace("-", "_"): keys for name, keys in homes.items()}), **work)
    rest = FakeRest(c=source({1: ONE}))
    if names is None:
        assert topics_of("c", rest, OffsetLogs(KafkaLogs(kafka)), "t", {}, group=group) == ["t"]
        return
    with pytest.raises(errors.MethodError) as caught:
        topics_of("c", rest, OffsetLogs(KafkaLogs(kafka)), "t", {}, group=group)
    assert caught.value.message.startswith(
        f"The Connect clusters {names} each have a connector c, and it is not known that they keep its offsets on different topics: a change on "
        "t would be one for both.")
    for options in ({"sure": True}, {"for_change": False}):
        assert topics_of("c", rest, OffsetLogs(KafkaLogs(kafka)), "t", {}, **options) == ["t"]


# ---- who runs it --------------------------------------------------------------------------------------------------

def group(name, worker, tasks, had=None):
    return name, worker, metadata(2, had and assignment(2, had), f"http://{worker}:8083/"), assignment(2, tasks, {})


@pytest.mark.parametrize("only, found", [
    (None, ["task 0 in the group g1 on the worker w1", "task 1 in the group g1 on the worker w2",
            "task 0 in the group g2 on the worker w9"]),
    ("g1", ["task 0 in the group g1 on the worker w1", "task 1 in the group g1 on the worker w2"]),
    ("g3", []),
])
def test_workers_at(only, found):
    kafka = FakeKafka()
    kafka.workers = [group("g1", "w1", {"c": [0, -1], "c2": [0]}), group("g1", "w2", {"cc": [3]}, {"c": [1]}),
                     ("g1", "w3", b"junk", b"junk"), group("g2", "w9", {"c": [0]})]
    assert workers_at(kafka, "c", only) == found


def rebalancing(kafka, looks, *settled):
    """The first looks show what the brokers show of the group g1 in the meantime: of its work what was assigned, no metadata."""
    calls = []

    def connect_groups():
        calls.append(1)
        return [(one[0], one[1], b"", one[3]) if one[0] == "g1" and len(calls) <= looks else one for one in settled]

    kafka.connect_groups = connect_groups
    kafka.timeout = 0.3
    return calls


def test_a_group_that_rebalances_is_waited_for():
    """What a worker had before is in its metadata alone, and so is its address."""
    kafka, one = FakeKafka(), group("g1", "h", {}, {"c": [0]})
    calls = rebalancing(kafka, 2, one)
    assert workers_at(kafka, "c") == ["task 0 in the group g1 on the worker h"] and len(calls) == 3
    calls = rebalancing(kafka, 1, one)
    check_groups_are_shown(kafka, FakeRest())
    assert len(calls) == 2
    calls = rebalancing(kafka, 1, one)
    assert groups_of_workers(kafka) == ({"g1": ({"c"}, {"h:8083"})}, []) and len(calls) == 2


def test_a_group_that_rebalances_all_the_time():
    """It is not known who runs the connector, but by another group that is named."""
    kafka = FakeKafka()
    calls = rebalancing(kafka, 1000, group("g1", "h", {}, {"c": [0]}), group("g2", "w2", {"d": [0]}))
    for ask in (lambda: workers_at(kafka, "c"), lambda: workers_at(kafka, "c", "g1"), lambda: check_groups_are_shown(kafka, FakeRest(), "g1"),
                lambda: groups_with(kafka, "c")):
        with pytest.raises(errors.BrokerError, match="^The brokers at b:9092 do not show .* group g1 run, as it has been rebalancing for more than 0.3 s. Run"):
            ask()
    assert workers_at(kafka, "d", "g2") == ["task 0 in the group g2 on the worker w2"]
    check_groups_are_shown(kafka, FakeRest(), "g2")
    del calls[:]
    assert groups_of_workers(kafka) == ({"g2": ({"d"}, {"w2:8083"})}, ["g1"]) and len(calls) == 1  # it was waited for before


def test_what_a_group_has_that_rebalances_all_the_time_is_not_taken_for_nothing():
    """It may be another Connect cluster with a connector of this name on the same topic; not so if it is the one that is named."""
    rest, kafka = FakeRest(c=source({1: ONE})), topics("t", t=["c/1"])
    rebalancing(kafka, 1000, group("g1", "h", {}, {"c": [0]}), group("g2", "w2", {"c": [0]}))
    for named in (None, "g2"):
        with pytest.raises(errors.MethodError, match="group g1 have, as it has been rebalancing") as caught:
            topics_of("c", rest, OffsetLogs(KafkaLogs(kafka)), "t", {}, group=named)
        assert not isinstance(caught.value, errors.SharedTopic)
    assert topics_of("c", rest, OffsetLogs(KafkaLogs(kafka)), "t", {}, sure=True) == ["t"]


def test_groups_that_cannot_be_seen():
    kafka = FakeKafka()
    kafka.workers = errors.BrokerDenied("no")
    with pytest.raises(errors.BrokerDenied):
        workers_at(kafka, "c")
