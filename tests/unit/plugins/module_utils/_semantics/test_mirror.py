# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import read_reset
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import timestamp
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.config_topic import configs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.source_clusters import SourceClusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.copied_again import next_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import Flow
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.mirror import MirrorSource, stored_for
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import Access
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_routing import FakeRest
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

CLASS = "org.apache.kafka.connect.mirror.MirrorSourceConnector"
CONFIG = {"connector.class": CLASS, "source.cluster.alias": "east", "target.cluster.alias": "west", "topics": "orders|early|empty",
          "source.cluster.bootstrap.servers": "e:9092"}
AT_THE_END = {**CONFIG, "consumer.auto.offset.reset": "latest"}


def part(topic, number, cluster="east"):
    return {"cluster": cluster, "partition": number, "topic": topic}


def pair(topic, number, stored, **more):
    return {"partition": part(topic, number, **more), "offset": {"offset": stored}}


def following(topic, number, next_offset):
    return {"partition": part(topic, number), "next_offset": next_offset}


def east():
    """orders with two partitions of 10 records, early (whose records begin at 100), empty, other."""
    kafka = (FakeKafka().log_of("orders", (0, 10, {50: 0, 80: 4}), (0, 10, {90: 3})).log_of("early", (100, 110, {80: 105}))
             .log_of("empty", (0, 0)).log_of("other", (0, 5)).log_of("west.orders", (0, 5)))
    kafka.cluster_id = "cluster-east"
    return kafka


def source(config=None, kafka=None, **options):
    clusters = SourceClusters({"east": {}}, make=lambda settings, timeout: kafka or east())
    return MirrorSource(Access(FakeRest(), "m", sources=clusters, **options), Flow(config or CONFIG))


def snapshot(**stored):
    """orders0=5: the partition 0 of orders is at the stored 5."""
    return Snapshot("m", "source", [Entry(part(name[:-1], int(name[-1])), {"offset": offset}) for name, offset in stored.items()])


def resolved(reset_to, topics=None, live=None, **options):
    desired, warnings = source(**options).resolve(DesiredOffsets.words(read_reset(reset_to, topics)), live or snapshot(orders0=5, orders1=6))
    return {name_of(entry.partition): entry.offset and entry.offset["offset"] for entry in desired.entries}, desired, warnings


def name_of(partition):
    return f"{partition['topic']}{partition['partition']}"


def checked(items, live=None, lenient=False, **options):
    plan = make_plan(live or snapshot(orders0=5, orders1=6), DesiredOffsets.present(items) if items else DesiredOffsets.absent(None))
    return source(force=lenient, **options).check_numbers(plan)


@pytest.mark.parametrize("stored, after", [(0, 1), (7, 8)])
def test_stored_is_the_last_one_copied(stored, after):
    assert (next_of({"offset": stored}), stored_for(after)) == (after, {"offset": stored})


@pytest.mark.parametrize("offset", [None, {}, {"offset": "5"}, {"offset": -1}, {"offset": None}, {"offset": True}, {"offset": 1.0}])
def test_nothing_stored(offset):
    assert next_of(offset) is None and stored_for(0) is None


# ---- words ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("reset_to, topics, entries", [
    # without an offset it begins at the first record
    ("earliest", None, {"orders0": None, "orders1": None}),
    ("earliest", ["early", "empty"], {"early0": 99, "empty0": None}),
    ("latest", None, {"orders0": 9, "orders1": 9}),
    ("latest", ["early", "empty"], {"early0": 109, "empty0": None}),
    ({"timestamp": timestamp(80)}, None, {"orders0": 3, "orders1": 2}),
    ({"timestamp": timestamp(85)}, None, {"orders0": 9, "orders1": 2}),
    ({"timestamp": timestamp(10)}, [{"name": "orders", "partitions": [0]}], {"orders0": None}),
    ({"shift_by": -2}, None, {"orders0": 3, "orders1": 4}),
    ({"shift_by": -6}, None, {"orders0": None, "orders1": 0}),
])
def test_words(reset_to, topics, entries):
    assert resolved(reset_to, topics)[0] == entries


def test_a_time_before_the_log():
    assert resolved({"timestamp": timestamp(10)}, ["orders"])[2] == [
        "m: The time 1970-01-01T00:00:00.010Z is before the first record of orders-0, which is of 1970-01-01T00:00:00.050Z or later: all that the log holds "
        "there comes after it."]


def test_words_with_their_notes():
    desired = resolved({"timestamp": timestamp(80)})[1]
    key = canonical(part("orders", 0))
    assert (desired.notes[key], desired.following[key]) == ("record 4, the record of 1970-01-01T00:00:00.080Z", 4)


def test_a_shift_beyond_the_log_is_cut():
    entries, _wish, warnings = resolved({"shift_by": 100})
    assert entries == {"orders0": 9, "orders1": 9}
    assert warnings == ["shift_by: 100: the log does not hold that many records for 2 partitions of m, which go to its beginning or end: "
                        "orders-0, orders-1."]


def test_a_topic_that_is_gone_is_left_out():
    entries, _wish, warnings = resolved("earliest", live=snapshot(orders0=5, gone0=3))
    assert entries == {"orders0": None, "orders1": None}
    assert warnings == ["m has offsets of gone, but there is no such topic on east any more (or the user may not see it): left out."]


@pytest.mark.parametrize("reset_to, topics, live, words", [
    ("earliest", None, snapshot(), "m has no offsets of east yet: say with the option topics which ones are meant."),
    ("earliest", ["gone"], None, "There is no topic gone on the source cluster east at b:9092 (or the user may not see it)."),
    ("earliest", [{"name": "orders", "partitions": [2]}], None,
     "There is no partition 2 of the topic orders on the source cluster east, which has 2 (0 to 1)."),
    ("earliest", ["other"], None, "m does not replicate the topic other: topics is orders|early|empty. An offset there has no effect."),
    ("earliest", ["west.orders"], None, "m does not replicate the topic west.orders: it is itself a copy of west's."),
    ({"shift_by": 1}, ["early"], None, "1 partition of m has no offset yet that could be shifted (early-0)"),
])
def test_words_that_mean_nothing(reset_to, topics, live, words):
    with pytest.raises(errors.DeclarationError) as caught:
        resolved(reset_to, topics, live)
    assert caught.value.message.startswith(words)


def test_a_reader_of_committed_records_asks_as_one():
    kafka = east()
    resolved("latest", config={**CONFIG, "consumer.isolation.level": "read_committed"}, kafka=kafka)
    assert kafka.asked == [("log", "latest", True)]


# ---- numbers ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("items", [
    [pair("orders", 0, 0)], [pair("orders", 0, 9)], [pair("early", 0, 99)], [following("orders", 0, 10)], [following("orders", 0, 0)], None,
])
def test_what_the_source_holds(items):
    assert checked(items) == []


@pytest.mark.parametrize("items, words", [
    ([pair("orders", 0, 10)], "1 partition of m would be outside of the log of east: next would be orders-0 at 11, but it holds 0 to 10."),
    ([pair("early", 0, 98)], "1 partition of m would be outside of the log of east: next would be early-0 at 99, but it holds 100 to 110."),
    ([pair("orders", 2, 1)], "There is no partition 2 of the topic orders on the source cluster east"),
    ([pair("gone", 0, 1)], "There is no topic gone on the source cluster east at b:9092"),
    ([pair("other", 0, 1)], "m does not replicate the topic other: topics is orders|early|empty."),
    ([following("gone", 0, 0)], "There is no topic gone on the source cluster east at b:9092"),
    ([following("empty", 1, 0)], "There is no partition 1 of the topic empty on the source cluster east"),
])
def test_what_the_source_does_not_hold(items, words):
    with pytest.raises(errors.DeclarationError) as caught:
        checked(items)
    assert caught.value.message.startswith(words)
    warning, = checked(items, lenient=True)
    assert warning.startswith(words)


@pytest.mark.parametrize("item, words", [
    (pair("orders", 0, 1, cluster="north"),
     'm copies from east, but what is declared is for the cluster the text "north": {"cluster": "north"'),
    (pair("orders", 0, 1, cluster="west"), 'm copies from east, but what is declared is for the cluster the text "west", its target: '),
    (pair("orders", "0", 1), 'partition must be a whole number from 0 on, it is the text "0" in '),
    (pair("orders", -1, 1), "partition must be a whole number from 0 on, it is the integer -1 in "),
    (pair("", 0, 1), 'topic must be the name of a topic on east, it is the text "".'),
    ({"partition": {"topic": "orders", "partition": 0}, "offset": {"offset": 1}},
     "A partition of m must have exactly the fields cluster, partition and topic, it is "),
    ({"partition": part("orders", 0), "offset": {"offset": "2"}}, "The offset of "),
    ({"partition": part("orders", 0), "offset": {"offset": -1}}, "The offset of "),
    ({"partition": part("orders", 0), "offset": {"position": 2}}, "The offset of "),
])
@pytest.mark.parametrize("lenient", [False, True])
def test_what_no_mirror_stores(item, words, lenient):
    """force does not help: MirrorMaker would refuse it, or never read it."""
    plan = make_plan(snapshot(), DesiredOffsets.present([item]))
    with pytest.raises(errors.DeclarationError) as caught:
        source(force=lenient).check_numbers(plan)
    assert caught.value.message.startswith(words)


def test_a_removal_that_means_the_end():
    words = ("Without an offset m does not begin at the first record, as its consumer's auto.offset.reset is latest: 1 partition, first "
             '{"cluster": "east", "partition": 0, "topic": "orders"}.')
    with pytest.raises(errors.DeclarationError) as caught:
        checked([following("orders", 0, 0)], config=AT_THE_END)
    assert caught.value.message == words + (" No offset that can be stored means the first record. Change that setting, or declare the "
                                            "second record (offset 0) instead.")
    assert checked([following("orders", 0, 0)], config=AT_THE_END, lenient=True) == [words]
    plan = make_plan(snapshot(orders0=5), DesiredOffsets.absent([{"partition": part("orders", 0)}]))
    assert source(AT_THE_END).check_numbers(plan) == [words]


def test_what_a_backup_holds_of_a_former_alias_can_be_put_back():
    plan = make_plan(snapshot(), DesiredOffsets.document([pair("orders", 0, 3, cluster="old"), pair("orders", 0, 2)]))
    with pytest.raises(errors.DeclarationError, match="m copies from east"):
        source().check_numbers(plan)
    warning, = source(force=True).check_numbers(plan)
    assert warning.startswith('m copies from east, but what is declared is for the cluster the text "old": ')


def test_a_first_record_that_is_none_without_any_change():
    """Nothing is stored, and nothing has to be; but that means the end here."""
    plan = make_plan(snapshot(), DesiredOffsets.present([following("orders", 0, 0)]))
    assert not plan.changed
    with pytest.raises(errors.DeclarationError, match="does not begin at the first record"):
        source(AT_THE_END).check_numbers(plan)


@pytest.mark.parametrize("reset", [True, False])
def test_the_target_given_as_the_source(reset):
    desired = DesiredOffsets.words(read_reset("latest")) if reset else DesiredOffsets.present([pair("orders", 0, 2)])
    kafka = east()
    kafka.cluster_id = "cluster-1"  # the workers'
    sources = SourceClusters({"east": {}}, make=lambda settings, timeout: kafka)
    one = Router(Access(MirrorRest(config=CONFIG), "c", None, sources=sources, sleep=lambda seconds: None))
    with pytest.raises(errors.DeclarationError) as caught:
        one.route(found(), desired)
    assert caught.value.message == (
        "The brokers at b:9092, which are to be the source cluster east, are those of the Kafka cluster cluster-1 that is copied to: "
        "source and target are swapped, or kafka_connect_source_clusters has a wrong address.")
    # So it is configured: copied within one cluster.
    options = {"accept_duplicates": True, "sleep": lambda seconds: None}
    inside = SourceClusters({"east": {"bootstrap.servers": "e:9092,f:9092"}}, make=lambda settings, timeout: kafka)
    assert Router(Access(MirrorRest(config=CONFIG), "c", None, sources=inside, **options)).route(found(), desired).plan.changed
    inside = SourceClusters({}, make=lambda settings, timeout: kafka)
    assert Router(Access(MirrorRest(config=CONFIG), "c", None, sources=inside, **options)).route(found(), desired).plan.changed
    # A worker at the source, whose producers write elsewhere.
    config = {**CONFIG, "producer.override.bootstrap.servers": "w:9092"}
    assert Router(Access(MirrorRest(config=config), "c", None, sources=sources, **options)).route(found(), desired).plan.changed


# ---- what cannot be asked -----------------------------------------------------------------------------------------------

def away(clusters, flow):
    raise errors.BrokersUnreachable("No answer from e:9092.")


@pytest.mark.parametrize("lenient", [False, True])
def test_a_source_that_does_not_answer(lenient, monkeypatch):
    one = source(force=lenient)
    monkeypatch.setattr(SourceClusters, "client", away)
    plan = make_plan(snapshot(), DesiredOffsets.present([pair("orders", 0, 1)]))
    if lenient:
        assert one.check_numbers(plan) == ["No answer from e:9092."]
        return
    with pytest.raises(errors.BrokersUnreachable) as caught:
        one.check_numbers(plan)
    assert caught.value.message == ("No answer from e:9092. So what was declared for the source cluster east could not be looked at, "
                                    "which force: true leaves out.")


@pytest.mark.parametrize("config, reason", [
    ({}, "no source.cluster.bootstrap.servers can be read"),
    ({"source.cluster.bootstrap.servers": "${env:BROKERS}"}, "no source.cluster.bootstrap.servers can be read"),
    ({"source.cluster.bootstrap.servers": "e:9092", "source.cluster.security.protocol": "SASL_SSL"},
     "source.cluster.security.protocol is SASL_SSL"),
])
def test_a_source_that_nobody_can_reach(config, reason):
    with pytest.raises(errors.DeclarationError) as caught:
        SourceClusters({"north": {"bootstrap.servers": "n:9092"}}).client(Flow(config, "east"))
    assert caught.value.message == (f"How to reach the source cluster east is not known ({reason}): give its bootstrap_servers and "
                                    "login in kafka_connect_source_clusters, under alias: east.")


def test_one_client_for_each_source():
    made = []

    def make(settings, timeout):
        made.append((settings, timeout))
        return len(made)

    clusters = SourceClusters({"east": {"bootstrap.servers": "given:9092"}}, 7, make)
    flows = [Flow(CONFIG), Flow(CONFIG), Flow({**CONFIG, "source.cluster.alias": "north"})]
    assert [clusters.client(flow) for flow in flows] == [1, 1, 2]
    assert made == [({"bootstrap.servers": "given:9092"}, 7), ({"bootstrap.servers": "e:9092"}, 7)]


# ---- by the methods -------------------------------------------------------------------------------------------------------

class MirrorRest(FakeRest):
    def offsets(self, name):
        return [pair("orders", 0, 5)]

    def offsets_once(self, name):
        return self.offsets(name)


def router(rest=None, kafka=None, name="c", **options):
    sources = SourceClusters({"east": {}} if options.pop("known", True) else {}, make=lambda settings, timeout: east())
    return Router(Access(rest, name, kafka, sources=sources, sleep=lambda seconds: None, **options))


def found():
    return Connector({"name": "c", "type": "source", "connector": {"state": "STOPPED"}, "tasks": []})


def made(desired, rest=None, **options):
    route = router(rest or MirrorRest(config=CONFIG), **options).route(found(), desired)
    store, plan = route.store, route.plan
    return store.method, [(action.verb, action.before, action.after) for action in plan.changes], plan.warnings


def test_next_offset_by_rest():
    assert made(DesiredOffsets.present([following("orders", 0, 8)])) == ("rest", [("set", {"offset": 5}, {"offset": 7})], [])
    assert made(DesiredOffsets.present([following("orders", 0, 0)]), accept_duplicates=True)[:2] == ("rest", [("remove", {"offset": 5}, None)])
    assert made(DesiredOffsets.present([following("orders", 0, 6)])) == ("rest", [], [])


def test_words_by_rest():
    desired = DesiredOffsets.words(read_reset("latest", [{"name": "orders", "partitions": [0]}]))
    assert made(desired) == ("rest", [("set", {"offset": 5}, {"offset": 9})], [])


@pytest.mark.parametrize("role", ["MirrorCheckpointConnector", "MirrorHeartbeatConnector"])
def test_offsets_that_nobody_reads(role):
    rest = MirrorRest(config={"connector.class": role})
    words = (f"c is a {role}, which never reads its offsets: a change has no effect. The place of a mirror is in the offsets of its "
             "MirrorSourceConnector.")
    for desired in (DesiredOffsets.present([pair("orders", 0, 2)]), DesiredOffsets.words(read_reset("latest"))):
        with pytest.raises(errors.DeclarationError) as caught:
            made(desired, rest)
        assert caught.value.message.startswith(words)
    assert made(DesiredOffsets.present([pair("orders", 0, 2)]), rest, force=True)[2] == [words]
    # What is cleared away does no harm, nor what a document of the whole cluster holds.
    assert made(DesiredOffsets.absent(None), rest)[2] == made(DesiredOffsets.document([pair("orders", 0, 2)]), rest)[2] == [words]


@pytest.mark.parametrize("desired, words", [
    (DesiredOffsets.present([following("orders", 0, 3)]), "c is no MirrorSourceConnector, and next_offset is MirrorMaker's alone"),
    (DesiredOffsets.words(read_reset("latest")), "c is a source, and reset_to is for sinks and for MirrorMaker's source connectors."),
])
def test_other_sources_know_no_next_record(desired, words):
    with pytest.raises(errors.DeclarationError) as caught:
        made(desired, MirrorRest())
    assert caught.value.message.startswith(words)


def test_what_puts_an_earlier_state_back_is_not_judged():
    desired = DesiredOffsets.exactly(snapshot(orders0=99))
    assert made(desired)[1] == [("set", {"offset": 5}, {"offset": 99})]


def target():
    kafka = FakeKafka("mm2-offsets.east.internal", "mm2-configs.east.internal")
    key = '["MirrorSourceConnector",{"cluster":"east","partition":0,"topic":"orders"}]'
    kafka.put(key, '{"offset":5}', topic="mm2-offsets.east.internal")
    for value in (json.dumps({"properties": {"topics": "old"}}), json.dumps({"properties": CONFIG})):
        kafka.put("connector-MirrorSourceConnector", value, 0, "mm2-configs.east.internal")
    return kafka


def dedicated(desired, kafka, **options):
    return router(None, kafka, "MirrorSourceConnector", method="topic", offset_topic="mm2-offsets.east.internal", **options).route(None, desired)


def test_a_dedicated_mirror_is_known_by_its_configuration():
    route = dedicated(DesiredOffsets.words(read_reset({"timestamp": timestamp(80)})), target(), known=False, accept_duplicates=True)
    assert route.store.method == "topic" and [action.after for action in route.plan.changes] == [{"offset": 3}, {"offset": 2}]
    with pytest.raises(errors.DeclarationError, match="does not replicate the topic other: topics is orders"):
        dedicated(DesiredOffsets.present([pair("other", 0, 1)]), target(), known=False)


def test_a_dedicated_mirror_without_its_configuration():
    kafka = target()
    del kafka.topics["mm2-configs.east.internal"]
    one = router(None, kafka, "MirrorSourceConnector", method="topic", offset_topic="mm2-offsets.east.internal")
    plan = one.route(None, DesiredOffsets.present([following("orders", 0, 8)])).plan
    assert [action.after for action in plan.changes] == [{"offset": 7}]
    assert one.access.warnings == ["The configuration of MirrorSourceConnector could not be read from mm2-configs.east.internal. There is no "
                                   "topic mm2-configs.east.internal"]


@pytest.mark.parametrize("known, refused", [(True, True), (False, False)])
def test_what_a_deleted_mirror_has_left(known, refused):
    """Without a configuration its partitions tell, if its source can be asked."""
    kafka = FakeKafka().put('["c",{"cluster":"east","partition":0,"topic":"orders"}]', '{"offset":5}')
    one = router(None, kafka, method="topic", offset_topic="offsets", known=known)
    desired = DesiredOffsets.present([pair("orders", 0, 50)])
    if refused:
        with pytest.raises(errors.DeclarationError, match="outside of the log of east"):
            one.route(None, desired)
    else:
        assert one.route(None, desired).plan.changed


def test_a_dedicated_mirror_has_no_such_connector():
    one = router(None, target(), "east->west.MirrorSourceConnector", method="topic", offset_topic="mm2-offsets.east.internal", known=False)
    with pytest.raises(errors.DeclarationError) as caught:
        one.route(None, DesiredOffsets.present([following("orders", 0, 4)]))
    assert caught.value.message == ("The dedicated MirrorMaker of east has no connector east->west.MirrorSourceConnector; it has "
                                    "MirrorSourceConnector.")


@pytest.mark.parametrize("desired", [DesiredOffsets.present([{"partition": {"filename": "/a"}, "offset": {"position": 2}}]), DesiredOffsets.absent(None)])
def test_source_clusters_make_no_mirror_of_another_connector(desired):
    """They are given to every task of a play."""
    kafka = FakeKafka().put('["c",{"filename":"/a"}]', '{"position":5}')
    one = router(None, kafka, method="topic", offset_topic="offsets")
    assert one.route(None, desired).plan.changed
    with pytest.raises(errors.DeclarationError, match="reset_to is for sinks"):
        router(None, kafka, method="topic", offset_topic="offsets").route(None, DesiredOffsets.words(read_reset("latest", ["orders"])))


def test_one_client_for_each_address_of_an_alias():
    made = []
    clusters = SourceClusters({}, 7, lambda settings, timeout: made.append(settings) or len(made))
    flows = [Flow({**CONFIG, "source.cluster.bootstrap.servers": f"{name}:9092"}) for name in "aba"]
    assert [clusters.client(flow) for flow in flows] == [1, 2, 1]


def test_configs_of_a_topic():
    kafka = target()
    kafka.put("connector-b", json.dumps({"properties": {"x": "1"}}), 0, "mm2-configs.east.internal")
    for key, value in (("connector-b", None), ("connector-c", "no JSON"), ("connector-d", "[]"), ("task-x-0", "{}"), ("", "{}")):
        kafka.put(key, value, 0, "mm2-configs.east.internal")
    assert configs(kafka, "mm2-configs.east.internal") == {"MirrorSourceConnector": CONFIG}
