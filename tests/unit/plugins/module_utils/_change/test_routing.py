# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
import re

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.guards import Guards
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import read_reset
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import change_result
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import Access
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
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
    urls = [url]

    def __init__(self, shows=((1, 4),), refuses=(), config=None, status=None):
        self.shows, self.refuses, self.config, self._status = shows, refuses, config or {}, status or {}

    def root(self):
        return {"version": "4.3.1", "kafka_cluster_id": "cluster-1"}

    def require(self, feature):
        if feature in self.refuses:
            raise errors.EndpointMissing("cannot " + feature)

    def info(self, name):
        return {"name": name, "config": self.config, "type": "source"}

    def connectors(self):
        return {"c": {"info": self.info("c"), "status": self._status}}

    def offsets(self, name):
        if isinstance(self.shows, Exception):
            raise copy.copy(self.shows)  # whoever catches it adds to it
        return [{"partition": {"p": p}, "offset": offset and {"o": offset}} for p, offset in self.shows]

    def offsets_once(self, name):
        return self.offsets(name)


def found(kind="source"):
    return Connector({"name": "c", "type": kind, "connector": {"state": "STOPPED"}, "tasks": []})


def kafka_with(*records):
    kafka = FakeKafka()
    for key, value in records or [('["c",{"p":1}]', '{"o":4}')]:
        kafka.put(key, value)
    return kafka


def router(rest=None, kafka=None, **options):
    return Router(Access(rest, "c", kafka, sleep=lambda seconds: None, **options))


SET = DesiredOffsets.present([{"partition": {"p": 1}, "offset": {"o": 9}}])
AS_IT_IS = DesiredOffsets.present([{"partition": {"p": 1}, "offset": {"o": 4}}])


# ---- what is needed -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("rest, kafka, options, words", [
    (True, False, {"method": "topic"}, "method: topic needs kafka_bootstrap_servers."),
    (False, False, {"method": "topic"}, "method: topic needs kafka_bootstrap_servers"),
    (False, True, {"method": "rest"}, "kafka_connect_url is missing."),
    (False, False, {},
     "kafka_connect_url is missing; without it method: topic needs kafka_bootstrap_servers."),
    (True, True, {"method": "rest", "raw_keys": ["x"]}, "raw_keys needs method: topic: REST has no keys."),
])
def test_what_a_method_needs(rest, kafka, options, words):
    with pytest.raises(errors.DeclarationError) as caught:
        router(FakeRest() if rest else None, FakeKafka() if kafka else None, **options)
    assert caught.value.message.startswith(words)


@pytest.mark.parametrize("method, kafka, is_open", [("auto", True, True), ("topic", True, True), ("rest", True, False),
                                                    ("auto", False, False)])
def test_is_the_topic_open(method, kafka, is_open):
    assert router(FakeRest(), FakeKafka() if kafka else None, method=method).access.topic_is_open is is_open


# ---- which method ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("rest, kafka, connector, options, method, reason", [
    (FakeRest(), None, found(), {}, "rest", "REST can do it"),
    (FakeRest(), None, found(), {"method": "rest"}, "rest", "method: rest"),
    (FakeRest(), kafka_with(), found(), {"method": "rest", "offset_topic": "nothing"}, "rest", "method: rest"),
    (FakeRest(), kafka_with(), found(), {}, "rest", "REST can do it"),
    (FakeRest(), kafka_with(), found(), {"method": "topic"}, "topic", "method: topic"),
    (FakeRest(), kafka_with(), found(), {"raw_keys": ["x"]}, "topic", "raw_keys are known to the offsets topic alone"),
    (FakeRest(), kafka_with(), None, {"offset_topic": "offsets"}, "topic", "there is no connector c that REST could change"),
    (None, kafka_with(), None, {"offset_topic": "offsets"}, "topic", "no worker is queried"),
    (FakeRest(OLD), kafka_with(), found(), {}, "topic", "REST cannot do it: Connect 3.4.1 cannot show offsets"),
    (FakeRest(refuses=["alter"]), kafka_with(), found(), {}, "topic", "REST cannot do it: cannot alter"),
    (FakeRest(SLASH), kafka_with(), found(), {"offset_topic": "offsets"}, "topic", "REST cannot do it: no such name in a URL"),
])
def test_which_road(rest, kafka, connector, options, method, reason):
    taken = router(rest, kafka, **options)
    for _plan in range(2):
        route = taken.route(connector, SET)
        store, plan = route.store, route.plan
        assert (store.method, route.reason, plan.changed, taken.access.warnings) == (method, reason, True, [])
    assert taken.access.result(store) == {
        "resource": None, "offset_topic": "offsets" if method == "topic" else None,
        "offset_file": None, "consumer_group": None}


@pytest.mark.parametrize("rest, kafka, connector, options", [
    (FakeRest(), None, found(), {}), (FakeRest(), kafka_with(), found(), {}), (FakeRest(), kafka_with(), found(), {"method": "topic"}),
    (FakeRest(), kafka_with(), found(), {"method": "rest"}), (FakeRest(OLD), kafka_with(), found(), {}), (FakeRest(SLASH), kafka_with(), found(), {}),
    (FakeRest(), kafka_with(), None, {}), (None, kafka_with(), None, {}),
    (FakeRest(), kafka_with(('["c",{"p":1}]', '{"o":4}'), ('["c", {"p":1}]', '{"o":7}')), found(), {}),
])
def test_offsets_are_shown_by_the_store_by_which_they_would_be_changed(rest, kafka, connector, options):
    topic = "offsets" if kafka is not None else None
    changed = router(rest, kafka, offset_topic=topic, **options).route(connector, SET)
    shown = router(rest, kafka, offset_topic=topic, for_change=False, **options).look(connector)
    assert shown.store.method == changed.store.method and changed.plan.changed and not shown.plan.changed
    assert shown.plan.live.entries.keys() == changed.plan.live.entries.keys()


@pytest.mark.parametrize("for_change", [True, False])
def test_a_topic_of_another_cluster(for_change):
    kafka = FakeKafka("others").put('["x",{"p":9}]', '{"o":1}', topic="others")
    one = router(FakeRest(), kafka, offset_topic="others", for_change=for_change)
    assert one.look(found()).store.method == one.route(found(), SET).store.method == "rest"
    warning, = one.access.warnings
    assert "offset_topic others has none of the offsets that REST shows for c: it is not the topic of the worker" in warning


@pytest.mark.parametrize("records, words", [
    ([('["c", {"p":1}]', '{"o":4}')], "held under keys that no worker of today writes"),
    ([('["c",{"p":1}]', '{"o":4}'), ('["c", {"p":1}]', '{"o":4}')], "held under keys of different bytes"),
    ([('["c",{"p":1}]', '{"o":4}'), ('["c",{"name":1,"path":2}]', '{"o":4}')], "held under keys in another order of fields"),
])
def test_what_rest_would_not_reach_is_changed_on_the_topic(records, words):
    taken = router(FakeRest(), kafka_with(*records), offset_topic="offsets")
    route = taken.route(found(), SET)
    assert route.store.method == "topic" and route.reason.startswith(
        "REST cannot do it: On the offsets topic are records of c that REST would not change: c: 1 partition ") and words in route.reason


OWN, HASHED = '["c",{"name":"a","path":"d"}]', '["c",{"path":"d","name":"a"}]'
FILE = {"name": "a", "path": "d"}


@pytest.mark.parametrize("records, partition, method, key", [
    # in the order of a HashMap, as REST writes it, or in another one; it was reset, so REST shows nothing of it
    ([(HASHED, '{"o":4}'), (HASHED, None)], FILE, "rest", None), ([], FILE, "rest", None),
    ([(OWN, '{"o":4}'), (OWN, None)], FILE, "topic", OWN), ([(OWN, None)], {"path": "d", "name": "a"}, "topic", OWN),
    # another partition of the connector tells
    ([(OWN, None)], {"path": "d", "name": "b"}, "topic", '["c",{"name":"b","path":"d"}]'),
    ([(OWN, None)], {"p": 1}, "rest", None),
])
def test_a_key_that_was_removed_tells_which_road(records, partition, method, key):
    kafka = kafka_with(('["d",{"p":1}]', '{"o":4}'), *records)
    taken = router(FakeRest(()), kafka, offset_topic="offsets")
    desired = DesiredOffsets.present([{"partition": partition, "offset": {"o": 9}}])
    route = taken.route(found(), desired)
    store, plan = route.store, route.plan
    assert store.method == method and taken.access.warnings == []
    if method == "topic":
        store.apply(plan)
        assert [value for (_place, written), value in kafka.live().items() if written == key.encode()] == [b'{"o":9}']
        assert route.reason.startswith(
            "REST cannot do it: On the offsets topic are records of c that REST would not change: c: 1 partition has or had records under "
            "another key, or on another topic partition, than a worker would write now: {")


@pytest.mark.parametrize("more, method", [(1, "topic"), (2, "rest")])  # of five, six and seven partitions it is on 3, 0 and 3
def test_topic_partitions_that_were_added_tell_which_road(more, method):
    """A worker would write the same key elsewhere from now on, and leave the first record, which counts for those that run."""
    kafka = kafka_with()
    kafka.topics["offsets"] += [[] for _number in range(more)]
    for shows, desired in ((((1, 4),), SET), (((1, 9),), ALL), ((), SET)):
        taken = router(FakeRest(shows), kafka, offset_topic="offsets")
        route = taken.route(found(), desired)
        store, plan = route.store, route.plan
        assert store.method == method and plan.changed
        if method == "topic":
            store.apply(plan)
        else:
            kafka.put('["c",{"p":1}]', None if desired is ALL else '{"o":9}')
        assert [number for number, messages in enumerate(kafka.topics["offsets"]) if messages] == [3]


def test_once_turned_to_the_topic_it_stays_there():
    rest = FakeRest(OLD)
    taken = router(rest, kafka_with())
    assert taken.route(found(), SET).store.method == "topic"
    rest.shows = ((1, 4),)
    route = taken.route(found(), SET)
    assert route.store.method == "topic" and route.reason.startswith("REST cannot do it: Connect 3.4.1")


@pytest.mark.parametrize("rest, options, hint", [
    (FakeRest(OLD), {}, True), (FakeRest(refuses=["alter"]), {}, True), (FakeRest([(1, None)]), {}, True),
    (FakeRest(OLD), {"method": "rest"}, False),
])
def test_without_brokers_the_reason_is_the_error(rest, options, hint):
    with pytest.raises((errors.EndpointMissing, errors.MethodError)) as caught:
        router(rest, **options).route(found(), SET)
    assert caught.value.message.endswith("The offsets topic can be changed instead, if kafka_bootstrap_servers is given.") is hint


def test_method_rest_does_not_turn():
    with pytest.raises(errors.EndpointMissing, match="^cannot alter$"):
        router(FakeRest(refuses=["alter"]), kafka_with(), method="rest").route(found(), SET)


@pytest.mark.parametrize("fault", [errors.ResponseLost("x"), errors.NoConnector("x"), errors.AccessDenied("x")])
def test_other_faults_of_rest_do_not_turn(fault):
    with pytest.raises(type(fault)):
        router(FakeRest(fault), kafka_with()).route(found(), SET)


def test_a_wish_without_a_change_needs_no_right_to_change():
    route = router(FakeRest(refuses=["alter"])).route(found(), AS_IT_IS)
    store, plan = route.store, route.plan
    assert store.method == "rest" and not plan.changed


@pytest.mark.parametrize("kafka, options, words", [
    (FakeKafka("elsewhere"), {}, "Which topic the worker at http://h:8083 keeps its offsets in cannot be determined"),
    (FakeKafka().put("garbage", "x"), {"offset_topic": "offsets"}, "The topic offsets is no offsets topic"),
])
def test_a_comparison_with_the_topic_that_fails_is_a_warning(kafka, options, words):
    taken = router(FakeRest(), kafka, **options)
    for _plan in range(2):
        assert taken.route(found(), SET).store.method == "rest"
    warning, = taken.access.warnings
    assert warning.startswith("What REST shows of c could not be compared with the offsets topic. " + words)


def test_an_offsets_topic_that_does_not_exist_is_said_before_rest_is_asked():
    """A worker whose topic was deleted answers no request for offsets, until it runs into its time limit."""
    with pytest.raises(errors.NoTopic) as caught:
        router(FakeRest(AssertionError("asked")), FakeKafka(), offset_topic="nothing").route(found(), SET)
    assert caught.value.message.startswith("There is no topic nothing. If that was the workers' offsets topic and was deleted, ")
    with pytest.raises(errors.NotOffsetsTopic, match="^The topic offsets is empty and has cleanup.policy=delete: .* a broker has made this one in"):
        router(FakeRest(AssertionError("asked")), FakeKafka(policy="delete"), offset_topic="offsets").route(found(), SET)
    assert router(FakeRest(), FakeKafka(), offset_topic="nothing", method="rest").route(found(), SET).store.method == "rest"


@pytest.mark.parametrize("policy, records, warned", [("compact,delete", 0, 2), ("compact", 0, 1), ("compact,delete", 1, 2), (None, 1, 1)])
@pytest.mark.parametrize("desired, verb, changed", [(AS_IT_IS, "set", True), (SET, "set", True), (DesiredOffsets.absent(None), "remove", True)])
def test_what_only_the_memory_of_a_worker_has(policy, records, warned, desired, verb, changed):
    """It was deleted from the topic, as it is after a time with another cleanup.policy, or with the topic itself: written again."""
    kafka = FakeKafka(policy=policy)
    shows = [(1, 4), (2, 5)][:1 + records]
    if records:
        kafka.put('["c",{"p":2}]', '{"o":5}')
    taken = router(FakeRest(shows), kafka, offset_topic="offsets")
    route = taken.route(found(), desired)
    store, plan = route.store, route.plan
    assert store.method == "rest" and plan.changed is changed and plan.live.lost == ['{"p": 1}']
    action = next(one for one in plan.actions if one.partition == {"p": 1})
    assert (action.verb, action.before) == (verb, {"o": 4})
    said = taken.access.warnings + store.warnings_about(plan.live)
    assert len(said) == warned and said[-1] == (
        'REST shows 1 offset of c that the offsets topic offsets does not have ({"p": 1}): the workers have them in memory alone, and lose '
        "them when they are restarted. Those that are declared are written again.")
    kafka.put('["c",{"p":1}]', '{"o":4}')
    assert not make_plan(store.read(), AS_IT_IS).changed


def test_what_only_the_memory_of_a_worker_has_is_left_alone_where_it_is_not_declared():
    kafka = FakeKafka().put('["c",{"p":2}]', '{"o":5}')
    taken = router(FakeRest([(1, 4), (2, 5)]), kafka, offset_topic="offsets")
    route = taken.route(found(), DesiredOffsets.present([{"partition": {"p": 2}, "offset": {"o": 5}}]))
    store, plan = route.store, route.plan
    assert store.method == "rest" and not plan.changed and len(store.warnings_about(plan.live)) == 1
    assert not make_plan(store.read(), DesiredOffsets.exactly(store.read())).changed


@pytest.mark.parametrize("method", ["auto", "topic"])
def test_a_topic_that_another_cluster_may_share_is_refused_by_any_road(method):
    kafka = kafka_with()
    kafka.workers = [(name, "w", metadata(2, url=f"http://{name}:8083/"), assignment(2, {"c": [-1]}, {})) for name in "hy"]
    for options in ({}, {"connect_group": "h"}, {"connect_group": "y"}):
        with pytest.raises(errors.SharedTopic, match="^The Connect clusters h and y each have a connector c, and it is not known"):
            router(FakeRest(), kafka, method=method, offset_topic="offsets", **options).route(found(), SET)
    assert router(FakeRest(), kafka, method=method, offset_topic="offsets", force=True).route(found(), SET).plan.changed


def test_a_partition_that_comes_while_both_are_read_is_not_missing():
    """REST is asked first, then the topic, which another connector's plan may have read before."""
    kafka = kafka_with()
    logs = OffsetLogs(KafkaLogs(kafka), many=True)
    logs.read("offsets")
    kafka.put('["c",{"p":2}]', '{"o":5}')
    taken = router(FakeRest([(1, 4), (2, 5)]), kafka, offset_topic="offsets", logs=logs)
    assert not taken.route(found(), AS_IT_IS).plan.changed and taken.access.warnings == []


# ---- sinks --------------------------------------------------------------------------------------------------------

def sink_offset(offset=1, partition=0, topic="t"):
    return {"partition": {"kafka_topic": topic, "kafka_partition": partition},
            "offset": None if offset is None else {"kafka_offset": offset}}


SINK = DesiredOffsets.present([sink_offset()])
ALL = DesiredOffsets.absent(None)


class SinkRest(FakeRest):
    """The sink c; ``shows``: pairs, or an error to raise."""

    def __init__(self, shows=(), **options):
        super().__init__(shows, **{"config": {"topics": "t"}, **options})

    def offsets(self, name):
        if isinstance(self.shows, Exception):
            raise copy.copy(self.shows)
        return list(self.shows)

    def offsets_once(self, name):
        return self.offsets(name)


def sink_kafka(commits=None, group="connect-c"):
    kafka = FakeKafka().log_of("t", (0, 5), (2, 9, {100: 3}))
    kafka.commits[group] = {("t", 0): 5} if commits is None else commits
    return kafka


def words(reset_to, topics=None):
    return DesiredOffsets.words(read_reset(reset_to, topics))


@pytest.mark.parametrize("rest, connector, desired, options, method, reason", [
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
    (None, None, SINK, {}, "group", "no worker is queried"), (None, None, words("latest"), {}, "group", "no worker is queried"),
    (None, None, ALL, {"method": "group"}, "group", "method: group"),
])
def test_which_road_of_a_sink(rest, connector, desired, options, method, reason):
    taken = router(rest, sink_kafka(), **options)
    for _plan in range(2):
        route = taken.route(connector, desired)
        store, plan = route.store, route.plan
        assert (store.method, route.reason, plan.changed, taken.access.warnings) == (method, reason, True, [])
    assert taken.access.result(store) == {
        "resource": None, "offset_topic": None, "offset_file": None, "consumer_group": "connect-c"}
    assert taken.access.cluster()["consumer_group"] == "connect-c" and taken.kind(connector, desired) == "sink"


@pytest.mark.parametrize("connector, desired, options", [
    (found("sink"), SET, {"method": "topic"}), (found("sink"), ALL, {"method": "topic"}), (found("sink"), ALL, {"raw_keys": ["x"]}),
    (None, SINK, {"method": "topic"}),
])
def test_a_sink_has_nothing_on_the_topic(connector, desired, options):
    with pytest.raises(errors.MethodError) as caught:
        router(FakeRest(), kafka_with(), offset_topic="offsets", **options).route(connector, desired)
    assert caught.value.message == ("c is a sink: its offsets are the commits of its consumer group connect-c, not records of an offsets "
                                    "topic or file. Use method: group, or auto.")


@pytest.mark.parametrize("desired, options, kind, words_of", [
    (SINK, {"method": "topic"}, errors.MethodError, "c is a source, but what is declared are offsets of a sink."),
    (SET, {"method": "group"}, errors.MethodError, "c is a source: its offsets are records of an offsets topic, not the commits of a "
     "consumer group."),
    (words("latest"), {}, errors.DeclarationError, "c is a source, and reset_to is for sinks and for MirrorMaker's source connectors. The "
     "offsets of other sources are positions in another system"),
])
def test_a_source_is_no_sink(desired, options, kind, words_of):
    with pytest.raises(kind) as caught:
        router(FakeRest(), kafka_with(), offset_topic="offsets", **options).route(found(), desired)
    assert caught.value.message.startswith(words_of)


@pytest.mark.parametrize("connector, desired, options, words_of", [
    (found("sink"), SINK, {}, "Connect 3.4.1 cannot show offsets. The consumer group can be changed instead, if kafka_bootstrap_servers is "
                              "given."),
    (found("sink"), SINK, {"method": "rest"}, "Connect 3.4.1 cannot show offsets"),
    (found("sink"), words("latest"), {}, "reset_to needs kafka_bootstrap_servers: only "
                                         "the brokers "
                                         "have the log."),
])
def test_a_sink_without_brokers(connector, desired, options, words_of):
    with pytest.raises((errors.EndpointMissing, errors.DeclarationError)) as caught:
        router(SinkRest(OLD), **options).route(connector, desired)
    assert caught.value.message == words_of


def test_method_group_needs_brokers():
    with pytest.raises(errors.DeclarationError, match="^method: group needs kafka_bootstrap_servers"):
        router(FakeRest(), method="group")


@pytest.mark.parametrize("options, config, group", [
    ({}, {}, "connect-c"), ({}, {"consumer.override.group.id": "mine"}, "mine"), ({"consumer_group": "told"},
                                                                                  {"consumer.override.group.id": "mine"}, "told"),
    ({"consumer_group": ""}, {}, "connect-c"),
])
def test_the_name_of_the_group(options, config, group):
    kafka = sink_kafka(group=group)
    taken = router(SinkRest(OLD, config=config), kafka, **options)
    route = taken.route(found("sink"), SINK)
    store, plan = route.store, route.plan
    store.apply(plan)
    assert kafka.commits[group] == {("t", 0): 1} and taken.access.result(store)["consumer_group"] == group


@pytest.mark.parametrize("options, kind", [({}, errors.MethodError), ({"consumer_group": "mine"}, None)])
def test_a_group_whose_name_only_the_worker_knows(options, kind):
    kafka = sink_kafka(group="mine")
    taken = router(SinkRest(OLD, config={"topics": "t", "consumer.override.group.id": "${env:GROUP}"}), kafka, **options)
    if kind is None:
        assert taken.route(found("sink"), SINK).store.sink.group == "mine"
        return
    with pytest.raises(kind, match="^The consumer group of c is a reference to a config provider, .*: give it as consumer_group"):
        taken.route(found("sink"), SINK)
    assert kafka.asked == []


@pytest.mark.parametrize("commits", [{}, {("t", 1): 5}])
def test_a_group_that_rest_contradicts_is_refused(commits):
    with pytest.raises(errors.MethodError) as caught:
        router(SinkRest([sink_offset(5)], refuses=["alter"]), sink_kafka(commits)).route(found("sink"), SINK)
    assert caught.value.message == (
        'REST shows 1 offsets of c that its consumer group connect-c does not have, first {"kafka_partition": 0, "kafka_topic": "t"}. '
        'The workers '
        "set consumer.group.id: give that group as consumer_group.")


# ---- what is left of a connector that is gone

@pytest.mark.parametrize("commits, records, kind", [
    ({}, [], "source"), (errors.BrokerDenied("no Describe"), [], "source"), ({}, [('["c",{"p":1}]', '{"o":4}')], "source"), (None, [],
                                                                                                                             "sink"),
])
def test_the_kind_of_a_connector_that_is_gone(commits, records, kind):
    kafka = sink_kafka(commits)
    for record in [*records, ('["d",{"p":1}]', '{"o":4}')]:
        kafka.put(*record)
    taken = router(SinkRest(), kafka, offset_topic="offsets")
    store = taken.route(None, ALL).store
    assert (taken.kind(None, ALL), store.method) == (kind, {"source": "topic", "sink": "group"}[kind])
    assert ("consumer_group" in taken.access.cluster()) is (kind == "sink")


def test_both_a_source_and_a_sink_of_that_name_are_gone():
    kafka = sink_kafka().put('["c",{"p":1}]', '{"o":4}')
    with pytest.raises(errors.DeclarationError) as caught:
        router(SinkRest(), kafka, offset_topic="offsets").route(None, ALL)
    assert caught.value.message == (
        "There is no connector c, but the offsets topic offsets and the consumer group connect-c both have offsets of one. Say which "
        "ones are meant "
        "with method: topic or method: group.")


# ---- the truth

@pytest.mark.parametrize("rest", [SinkRest([sink_offset(5)]), SinkRest(OLD)])
@pytest.mark.parametrize("desired, words_of", [
    (DesiredOffsets.present([sink_offset(100)]), "1 partition of c would be outside of the log: t-0 to 100, but it holds 0 to 5."),
    (DesiredOffsets.present([sink_offset(1, 1)]), "1 partition of c would be outside of the log: t-1 to 1, but it holds 2 to 9."),
    (DesiredOffsets.present([sink_offset(1, 7)]), "There is no partition 7 of the topic t, which has 2 (0 to 1)."),
    (DesiredOffsets.present([sink_offset(1, 0, "nope")]),
     "There is no topic nope on the Kafka cluster at b:9092 (or the user may not see it), so c can have no offset there."),
])
def test_what_the_log_does_not_hold_is_refused(rest, desired, words_of):
    rest.config = {"topics": "t,nope"}
    with pytest.raises(errors.DeclarationError) as caught:
        router(rest, sink_kafka()).route(found("sink"), desired)
    assert caught.value.message.startswith(words_of)


def test_force_takes_what_the_log_does_not_hold():
    plan = router(SinkRest([sink_offset(5)]), sink_kafka(), force=True).route(found("sink"), DesiredOffsets.present([sink_offset(100)])).plan
    warning, = plan.warnings
    assert warning == ("1 partition of c would be outside of the log: t-0 to 100, but it holds 0 to 5. The sink would go to the beginning of "
                       "the log (auto.offset.reset is earliest by default; consumer.auto.offset.reset of the workers can say otherwise).")
    with pytest.raises(errors.DeclarationError, match="^There is no partition 7"):
        router(SinkRest([sink_offset(5)]), sink_kafka(), force=True).route(found("sink"), DesiredOffsets.present([sink_offset(1, 7)]))


@pytest.mark.parametrize("offset", [0, 5])
def test_the_ends_of_the_log_are_in_it(offset):
    taken = router(SinkRest([sink_offset(3)]), sink_kafka())
    assert taken.route(found("sink"), DesiredOffsets.present([sink_offset(offset)])).plan.warnings == []


def test_what_is_not_changed_is_not_looked_at():
    kafka = sink_kafka()
    plan = router(SinkRest([sink_offset(100)]), kafka).route(found("sink"), DesiredOffsets.present([sink_offset(100)])).plan
    assert not plan.changed and kafka.asked == []


def test_what_is_undone_may_have_left_the_log():
    desired = DesiredOffsets.exactly(Snapshot("c", "sink", [Entry(**sink_offset(1, 1))]))
    plan = router(SinkRest([sink_offset(5, 1)]), sink_kafka()).route(found("sink"), desired).plan
    assert plan.changed and plan.warnings[0].startswith("1 partition of c would be outside of the log")


def test_brokers_that_give_no_answer_are_a_warning_by_rest():
    kafka = sink_kafka()
    asked = []

    def no_answer(names):
        asked.append(names)
        raise errors.BrokersUnreachable("No answer.")

    kafka.partition_counts = no_answer
    taken = router(SinkRest([sink_offset(5)]), kafka)
    for _plan in range(2):
        assert taken.route(found("sink"), SINK).store.method == "rest" and len(asked) == 1
    assert taken.access.warnings == ["The positions of c on the brokers could not be read. No answer."]


# ---- what its configuration says

RENAMED = {"topics": "s1,s2", "transforms": "mask,route", "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
           "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter", "transforms.route.regex": "(.*)",
           "transforms.route.replacement": "r-$1"}
UNREAD = ("c does not read r-s1; it reads s1, s2. Its transform route (org.apache.kafka.connect.transforms.RegexRouter) renames topics after "
          "they are read, and offsets are kept under the name that is read: s1 for r-s1. An offset for another topic has no effect.")


@pytest.mark.parametrize("kafka, options", [(None, {}), (sink_kafka(), {}), (sink_kafka(), {"method": "rest"}),
                                            (sink_kafka(), {"method": "group"})])
def test_a_topic_that_it_does_not_read_is_refused(kafka, options):
    """Nothing but REST is needed to know it. What is removed there was of no use."""
    shows = [sink_offset(5, topic="s1"), sink_offset(0, topic="r-s1")]
    if kafka is not None:
        kafka.log_of("s1", (0, 5)).log_of("r-s1", (0, 5))
        kafka.commits["connect-c"] = {("s1", 0): 5, ("r-s1", 0): 0}
    taken = router(SinkRest(shows, config=RENAMED), kafka, **options)
    declared = [sink_offset(2, topic="s1"), sink_offset(1, topic="r-s1")]
    with pytest.raises(errors.DeclarationError) as caught:
        taken.route(found("sink"), DesiredOffsets.present(declared))
    assert caught.value.message == UNREAD + " Declare offsets for what it reads, or use force: true if that is meant."
    assert taken.route(found("sink"), DesiredOffsets.present(declared[:1])).plan.warnings == []
    # What is there already, or is removed, needs no change that could have no effect.
    plan = taken.route(found("sink"), DesiredOffsets.present([sink_offset(2, topic="s1"), sink_offset(0, topic="r-s1")])).plan
    assert plan.counts["set"] == 1 and plan.warnings == [UNREAD]
    plan = taken.route(found("sink"), DesiredOffsets.absent([sink_offset(topic="r-s1")])).plan
    assert plan.counts["remove"] == 1 and plan.warnings == [] and plan.desired.notes == {}


@pytest.mark.parametrize("config, topic, refuses", [
    ({"topics": "a, b"}, "b", False), ({"topics": "a, b"}, "c", True), ({"topics.regex": "orders[.].*"}, "orders.eu", False),
    ({"topics.regex": "orders[.].*"}, "my.orders.eu", True), ({"topics.regex": "orders"}, "orders.eu", True),
    # Java's own: nothing is known here
    ({"topics.regex": "\\p{Alpha}+"}, "b", False), ({}, "b", False),
    # the worker's own
    ({"topics": "${env:TOPICS}"}, "b", False), ({"topics.regex": "${env:TOPICS}"}, "b", False),
])
def test_what_it_reads(config, topic, refuses):
    taken, desired = router(SinkRest([], config=config), None), DesiredOffsets.present([sink_offset(1, topic=topic)])
    if not refuses:
        assert taken.route(found("sink"), desired).plan.changed
        return
    with pytest.raises(errors.DeclarationError) as caught:
        taken.route(found("sink"), desired)
    reads = "a, b" if "topics" in config else "what matches its topics.regex, " + config["topics.regex"]
    assert caught.value.message.startswith(f"c does not read {topic}; it reads {reads}. An offset for another topic has no effect.")


@pytest.mark.parametrize("desired, options", [
    (DesiredOffsets.present([sink_offset(1, topic="r-s1")]), {"force": True}),
    (DesiredOffsets.exactly(Snapshot("c", "sink", [Entry(**sink_offset(1, topic="r-s1"))])), {})])
def test_a_topic_that_it_does_not_read_by_force_and_when_undone(desired, options):
    plan = router(SinkRest([], config=RENAMED), None, **options).route(found("sink"), desired).plan
    assert plan.changed and plan.warnings == [UNREAD]


DEFAULT = "the beginning of the log (auto.offset.reset is earliest by default; consumer.auto.offset.reset of the workers can say otherwise)"


@pytest.mark.parametrize("policy, begins, anew", [
    (None, DEFAULT, True), ("earliest", "the beginning of the log (consumer.override.auto.offset.reset: earliest)", True),
    ("Latest", "the end of the log (consumer.override.auto.offset.reset: latest)", False),
    ("none", "no record, so that its tasks fail (consumer.override.auto.offset.reset: none)", False),
    ("by_duration:P1DT6H", "the first record of the last P1DT6H (consumer.override.auto.offset.reset: by_duration:p1dt6h)", False),
    ("${env:RESET}", "a place that is not known here (consumer.override.auto.offset.reset: ${env:reset})", False),
])
@pytest.mark.parametrize("kafka, method", [(None, "auto"), (sink_kafka(), "auto"), (sink_kafka(), "group")])
@pytest.mark.parametrize("desired", [DesiredOffsets.absent(None), DesiredOffsets.absent([sink_offset()]), DesiredOffsets.document([sink_offset(None)])])
def test_where_it_begins_after_a_reset(policy, begins, anew, kafka, method, desired):
    config = {"topics": "t", **({"consumer.override.auto.offset.reset": policy} if policy else {})}
    plan = router(SinkRest([sink_offset(5)], config=config), kafka, method=method).route(found("sink"), desired).plan
    assert plan.desired.notes == {'{"kafka_partition": 0, "kafka_topic": "t"}': begins}
    assert f"removed, to {begins}" in change_result(plan, "rest", 0)["diff"][0]["prepared"]
    there = (f"its tasks fail there ({begins}). Use" if policy == "none" else
             f"begins there at {begins}: records before that are not delivered again. To have them delivered use")
    assert plan.warnings == [] if anew else plan.warnings == [
        f"c will have no offset for 1 partition, and {there} reset_to or declare offsets."]


@pytest.mark.parametrize("policy, says", [("latest", "direction is backward. c will have no offset for 1 partition, and begins there at the end of the log"), (
    "earliest", "direction: backward cannot be checked for 1 partition of c")])
def test_a_replay_that_would_be_none_is_refused(policy, says):
    desired = DesiredOffsets.absent(None)
    desired.guards = Guards(direction="backward")
    rest = SinkRest([sink_offset(5)], config={"topics": "t", "consumer.override.auto.offset.reset": policy})
    with pytest.raises(errors.DeclarationError) as caught:
        desired.check_guards(router(rest).route(found("sink"), desired).plan)
    assert caught.value.message.startswith(says)


def test_nothing_is_said_of_a_reset_that_has_nothing_to_remove():
    rest = SinkRest([], config={"topics": "t", "consumer.override.auto.offset.reset": "latest"})
    plan = router(rest).route(found("sink"), DesiredOffsets.absent(None)).plan
    assert not plan.changed and plan.warnings == []


# ---- brokers of its own

CONSUMER, ADMIN = "consumer.override.bootstrap.servers", "admin.override.bootstrap.servers"
WORKERS = "the workers' brokers (it has no %s)"


def apart(consumer, admin):
    return (f"c reads from {consumer}, but for its offsets Connect goes to {admin}: REST shows and changes those of another consumer group "
            "there. Set both to the same brokers, or give as kafka_bootstrap_servers those from which it reads.")


@pytest.mark.parametrize("config, says", [
    ({CONSUMER: "x:9092"}, apart(f"x:9092 ({CONSUMER})", WORKERS % ADMIN)),
    ({CONSUMER: "x:9092", ADMIN: "y:9092"}, apart(f"x:9092 ({CONSUMER})", f"y:9092 ({ADMIN})")),
    ({ADMIN: "y:9092"}, apart(WORKERS % CONSUMER, f"y:9092 ({ADMIN})")),
])
@pytest.mark.parametrize("desired", [SINK, DesiredOffsets.present([sink_offset(5)]), ALL, DesiredOffsets.nothing()])
@pytest.mark.parametrize("kafka, options", [(None, {}), (None, {"method": "rest"}), (sink_kafka(), {"method": "rest"})])
def test_rest_does_not_see_what_it_reads(config, says, desired, kafka, options):
    """What REST shows is another group's, so that nothing is to do would not be true either."""
    with pytest.raises(errors.MethodError) as caught:
        router(SinkRest([sink_offset(5)], config={"topics": "t", **config}), kafka, **options).route(found("sink"), desired)
    assert caught.value.message == says


@pytest.mark.parametrize("config", [
    {CONSUMER: "x:9092", ADMIN: "x:9092"}, {CONSUMER: "x1:9092, x2:9092", ADMIN: "X2:9092,x3:9092"}, {CONSUMER: " ", ADMIN: ""}, {}])
def test_rest_sees_it_where_both_are_given(config):
    plan = router(SinkRest([sink_offset(5)], config={"topics": "t", **config})).route(found("sink"), SINK).plan
    assert plan.changed and plan.warnings == []


@pytest.mark.parametrize("config", [{CONSUMER: "b:9092"}, {ADMIN: "b:9092"}, {CONSUMER: "a:9092,b:9092", ADMIN: "b:9092"}])
def test_the_brokers_tell_that_it_is_one_cluster(config):
    """Those at b:9092, which the worker uses as well."""
    rest = SinkRest([sink_offset(5)], config={"topics": "t", **config})
    taken = router(rest, sink_kafka())
    route = taken.route(found("sink"), SINK)
    store, plan = route.store, route.plan
    assert (store.method, plan.changed, plan.warnings, route.reason) == ("rest", True, [], "REST can do it")


def another_cluster():
    kafka = sink_kafka({("t", 0): 3})
    kafka.cluster_id = "cluster-2"
    return kafka


@pytest.mark.parametrize("method, reason", [("auto", "REST cannot do it: c reads from b:9092 (" + CONSUMER), ("group", "method: group")])
def test_its_own_brokers_change_its_group(method, reason):
    """REST shows another number of the group of that name at the workers' brokers."""
    rest, kafka = SinkRest([sink_offset(5), sink_offset(7, 1)], config={"topics": "t", CONSUMER: "b:9092"}), another_cluster()
    taken = router(rest, kafka, method=method)
    route = taken.route(found("sink"), DesiredOffsets.present([sink_offset(1)]))
    store, plan = route.store, route.plan
    assert store.method == "group" and route.reason.startswith(reason) and plan.warnings == []
    store.apply(plan)
    assert kafka.commits["connect-c"] == {("t", 0): 1}
    with pytest.raises(errors.DeclarationError, match="outside of the log: t-0 to 6, but it holds 0 to 5"):
        taken.route(found("sink"), DesiredOffsets.present([sink_offset(6)]))


@pytest.mark.parametrize("config, reads", [
    ({CONSUMER: "x:9092", ADMIN: "x:9092"}, f"x:9092 ({CONSUMER})"), ({}, "the Kafka cluster cluster-1 of its workers")])
def test_brokers_of_another_cluster_know_nothing_of_it(config, reads):
    rest = SinkRest([sink_offset(5)], config={"topics": "t", **config})
    words_of = f"c reads from {reads}, and not from the brokers at b:9092"
    plan = router(rest, another_cluster()).route(found("sink"), DesiredOffsets.present([sink_offset(100)])).plan
    assert plan.changed and plan.warnings == [words_of + ": whether the offsets are in the log was not looked at."]
    for desired, options in ((words("latest"), {}), (SINK, {"method": "group"})):
        with pytest.raises((errors.DeclarationError, errors.MethodError), match="^" + re.escape(words_of)):
            router(rest, another_cluster(), **options).route(found("sink"), desired)


# ---- besides

@pytest.mark.parametrize("config, warned", [
    ({}, None), ({"consumer.override.group.instance.id": "pod-7"}, "45000 ms by default"),
    ({"consumer.override.group.instance.id": "pod-7", "consumer.override.session.timeout.ms": "20000"}, "20000 ms")])
@pytest.mark.parametrize("state", ["RUNNING", "STOPPED"])
def test_a_static_member_is_told_before_it_is_stopped(config, warned, state):
    one = Connector({"name": "c", "type": "sink", "connector": {"state": state}, "tasks": [{"id": 0}] * (state == "RUNNING")})
    plan = router(SinkRest([sink_offset(5)], config={"topics": "t", **config})).route(one, SINK).plan
    assert plan.warnings == ([] if warned is None or state == "STOPPED" else [
        "c is a static member of its consumer group connect-c (consumer.override.group.instance.id: pod-7). It stays there after a stop until "
        f"its session time-out is over (session.timeout.ms, {warned}), and Kafka takes no offsets before: wait_timeout has to be longer."])


GONE = ("There is no connector c and no offset of it on offsets, but the consumer group connect-c has offsets of 1 partition: it was a sink. "
        "Use method: group (or auto) for these.")


@pytest.mark.parametrize("desired", [ALL, DesiredOffsets.absent([{"partition": {"p": 1}}])])
@pytest.mark.parametrize("rest", [SinkRest(), None])
def test_a_sink_that_is_gone_has_nothing_on_the_topic(rest, desired):
    kafka = sink_kafka().put('["d",{"p":1}]', '{"o":4}')
    with pytest.raises(errors.MethodError) as caught:
        router(rest, kafka, method="topic", offset_topic="offsets").route(None, desired)
    assert caught.value.message == GONE


@pytest.mark.parametrize("kafka, desired, warnings", [
    (sink_kafka(), SET, [GONE]), (sink_kafka({}), ALL, []), (sink_kafka(errors.BrokerDenied("no Describe")), ALL, []),
    (sink_kafka().put('["c",{"p":2}]', '{"o":4}'), ALL, []), (sink_kafka(), DesiredOffsets.nothing(), []),
])
def test_what_is_on_the_topic_counts_though_there_is_a_group(kafka, desired, warnings):
    taken = router(None, kafka, method="topic", offset_topic="offsets")
    for _plan in range(2):
        taken.route(None, desired)
    assert taken.access.warnings == warnings


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
    plan = router(rest, kafka).route(found("sink"), SINK).plan
    assert len(plan.warnings) == bool(says) and all(warning.startswith(says) for warning in plan.warnings)


# ---- what connectors store

FILEPULSE = {"connector.class": "io.streamthoughts.kafka.connect.filepulse.source.FilePulseSourceConnector"}
NAME_PATH = DesiredOffsets.present([{"partition": {"path": "landing", "name": "a.csv"}, "offset": {"position": 10, "rows": 2, "timestamp": 1}}])


def test_rest_cannot_write_the_connectors_order():
    with pytest.raises(errors.MethodError, match="stand in another order"):
        router(FakeRest(config=FILEPULSE), None).route(found(), NAME_PATH)
    with pytest.raises(errors.MethodError, match="stand in another order"):
        router(FakeRest(config=FILEPULSE), kafka_with(), method="rest").route(found(), NAME_PATH)


def test_a_new_record_has_the_connectors_order():
    kafka = kafka_with()
    route = router(FakeRest(config=FILEPULSE), kafka, offset_topic="offsets").route(found(), NAME_PATH)
    assert (route.store.method, route.reason[:23]) == ("topic", "REST cannot do it: The ")
    assert [(place, key) for _topic, place, key, _value in route.store.records(route.plan)] == [(3, b'["c",{"name":"a.csv","path":"landing"}]')]


def test_without_a_profile_the_order_is_that_of_a_hash_map():
    route = router(FakeRest(), None).route(found(), NAME_PATH)
    assert route.store.method == "rest" and route.plan.changed


def test_types_of_a_new_partition_are_the_connectors():
    rest = FakeRest(shows=(), config={"connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector"})
    desired = DesiredOffsets.present([{"partition": {"filename": "/a"}, "offset": {"position": "4"}}])
    with pytest.raises(errors.OffsetsError, match="position is the text \"4\", and has to be a whole number"):
        router(rest, None).route(found(), desired)


# ---- words

@pytest.mark.parametrize("rest", [SinkRest([sink_offset(5)]), SinkRest(OLD)])
def test_words_become_numbers_by_each_road(rest):
    taken = router(rest, sink_kafka())
    plan = taken.route(found("sink"), words({"timestamp": "1970-01-01T00:00:00.050Z"})).plan
    assert {action.partition["kafka_partition"]: action.after["kafka_offset"] for action in plan.actions} == {0: 5, 1: 3}
    assert list(plan.desired.notes.values()) == ["the end of the log: no record of that time or later",
                                                 "the record of 1970-01-01T00:00:00.100Z"]
    assert plan.warnings == [
        "c: The time 1970-01-01T00:00:00.050Z is after the last record of t-0: nothing that the log holds there comes after it."]


def test_the_road_back_of_a_change():
    taken = router(SinkRest([sink_offset(5)]), sink_kafka(group="mine"))
    taken.prefer(change(method="group", kind="sink", cluster={"consumer_group": "mine"}))
    route = taken.route(None, DesiredOffsets.nothing())
    assert (route.store.method, route.store.sink.group, route.reason) == ("group", "mine", "the change was made by this method")


# ---- besides ------------------------------------------------------------------------------------------------------

def test_an_order_that_is_asked_for():
    taken = router(None, FakeKafka(), offset_topic="offsets", key_order=["name", "path"])
    route = taken.route(None, DesiredOffsets.present([{"partition": {"path": 1, "name": 2}, "offset": {"o": 1}}]))
    store, plan = route.store, route.plan
    store.apply(plan)
    assert [record[2] for record in taken.access.kafka.writes[0]] == [b'["c",{"name":2,"path":1}]']


def test_both_topics_of_a_connector_with_its_own():
    kafka = FakeKafka("own", "offsets").put('["c",{"p":1}]', '{"o":4}', topic="own")
    taken = router(FakeRest(OLD, config={"offsets.storage.topic": "own"}), kafka, offset_topic="offsets")
    store = taken.route(found(), SET).store
    assert store.topics == ["own", "offsets"] and taken.access.result(store)["offset_topic"] == "own"


@pytest.mark.parametrize("rest, kafka, connector, expected", [
    (FakeRest(), None, found(), {"connect_url": "http://h:8083", "kafka_cluster_id": "cluster-1"}),
    (None, kafka_with(), None, {"connect_url": None, "kafka_cluster_id": "cluster-1", "bootstrap_servers": "b:9092",
                                "offset_topic": "offsets"}),
    (FakeRest(OLD), kafka_with(), found(), {"connect_url": "http://h:8083", "kafka_cluster_id": "cluster-1", "bootstrap_servers": "b:9092",
                                            "offset_topic": "offsets"}),
])
def test_cluster(rest, kafka, connector, expected):
    taken = router(rest, kafka, offset_topic="offsets")
    taken.route(connector, SET)
    assert taken.access.cluster() == expected


@pytest.mark.parametrize("group, runs", [(None, True), ("g", True), ("other", False)])
def test_running(group, runs):
    kafka = kafka_with()
    kafka.workers = [("g", f"w{number}", metadata(2), assignment(2, {"c": [number], "d": [number]}, {})) for number in range(2)]
    kafka.workers.append(("other", "w2", metadata(2), assignment(2, {}, {})))
    assert router(None, kafka, connect_group=group).access.running() == (
        ["task 0 in the group g on the worker w0", "task 1 in the group g on the worker w1"] if runs else [])


def member(group="g", at="h:8083"):
    return (group, "w", metadata(2, url=f"http://{at}/"), assignment(2, {}, {}))


NOT_SHOWN = "The brokers at b:9092 show no "
OUR_GROUP = NOT_SHOWN + "group of the worker at http://h:8083. Grant the user Describe on Group (the workers' group.id); if"
STATUS = {"connector": {"state": "RUNNING", "worker_id": "w1:8083"}, "tasks": [{"id": 0, "worker_id": "w2:8083"}]}


@pytest.mark.parametrize("rest, groups, group, says", [
    (FakeRest(), [member()], None, None), (FakeRest(), [member("x", "x:8083"), member()], None, None),
    # a balancer in front of the workers
    (FakeRest(status=STATUS), [member(at="w1:8083")], None, None), (FakeRest(status=STATUS), [member(at="w2:8083")], None, None),
    (FakeRest(), [member(at="x:8083")], "g", None), (None, [], None, None), (None, [member()], "g", None),
    # ListGroups leaves out what the user may not see, and gives no error
    (FakeRest(), [], None, OUR_GROUP), (FakeRest(status=STATUS), [member(at="x:8083")], None, OUR_GROUP),
    (FakeRest(), [member()], "mine", NOT_SHOWN + "workers of the group mine. Grant the user Describe on Group mine."),
    (None, [], "mine", NOT_SHOWN + "workers of the group mine."), (FakeRest(), errors.BrokerDenied("no Describe."), None, "no Describe."),
    (None, errors.BrokersUnreachable("No answer."), None, "No answer."),
])
def test_whether_a_worker_runs_it_is_not_known(rest, groups, group, says):
    kafka = kafka_with()
    kafka.workers = groups
    taken = router(rest, kafka, connect_group=group)
    if says is None:
        assert taken.access.running() == []
        return
    with pytest.raises(errors.BrokerError) as caught:
        taken.access.running()
    assert caught.value.message.startswith(says)


def test_a_worker_that_cannot_be_reached_is_left_out():
    taken = router(FakeRest(), kafka_with(), offset_topic="offsets")
    taken.access.without_rest()
    route = taken.route(None, SET)
    store, plan = route.store, route.plan
    assert (store.method, route.reason, plan.changed) == ("topic", "no worker is queried", True)
    assert taken.access.cluster()["connect_url"] is None
