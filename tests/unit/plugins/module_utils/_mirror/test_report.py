# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""mirror_info: which flows there are, what is asked of whom, and what is said where no answer comes."""

from __future__ import annotations

import json
import struct

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.internal_topics import heartbeats
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.report import MirrorInfo
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

NOW = 1769860800000
MIRROR = {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
          "source.cluster.alias": "east", "target.cluster.alias": "west"}
SYNCS, CHECKPOINTS, HEARTBEATS = "mm2-offset-syncs.west.internal", "east.checkpoints.internal", "heartbeats"
DEDICATED, CONFIGS = "mm2-offsets.east.internal", "mm2-configs.east.internal"


class FakeRest:
    """``known``: name -> (config, [(partition, offset)] or an error)."""

    url = "http://h:8083"

    def __init__(self, **known):
        self.known = known

    def root(self):
        return {"version": "4.3.1", "kafka_cluster_id": "cluster-1"}

    def status(self, name):
        return {"name": name, "type": "source", "connector": {"state": "RUNNING", "worker_id": "w"}, "tasks": []}

    def info(self, name):
        if name not in self.known:
            raise errors.NoConnector("There is no such connector")
        return {"name": name, "config": self.known[name][0], "type": "source", "tasks": []}

    def connectors(self):
        return {name: {"status": self.status(name), "info": self.info(name)} for name in self.known}

    def offsets(self, name):
        shown = self.known[name][1]
        if isinstance(shown, Exception):
            raise shown
        return [{"partition": partition, "offset": offset} for partition, offset in shown]


class Sources:
    def __init__(self, **clients):
        self.clients = clients

    def key(self, flow):
        return flow.source

    def client(self, flow):
        found = self.clients[flow.source]
        if isinstance(found, Exception):
            raise found
        return found


def place(topic="orders", number=0, cluster="east"):
    return {"cluster": cluster, "partition": number, "topic": topic}


def key(connector, **more):
    return json.dumps([connector, place(**more)], separators=(",", ":"))


def text(value):
    return struct.pack(">h", len(value)) + value.encode()


def source():
    """orders: one is behind, one has nothing but a marker; and an internal topic."""
    east = FakeKafka(SYNCS, partitions=1)
    east.log_of("orders", (0, 10), (0, 6)).log_of("fresh", (2, 5)).log_of("__consumer_offsets", (0, 9))
    east.firsts = {("orders", 0): NOW - 61000, ("orders", 1): False, ("fresh", 0): NOW - 1000}
    east.put(text("orders") + struct.pack(">i", 0), struct.pack(">qq", 5, 8), topic=SYNCS)
    return east


def target(*more):
    west = FakeKafka("connect-offsets", CHECKPOINTS, HEARTBEATS, *more)
    west.put(text("billing") + text("east.orders") + struct.pack(">i", 0), struct.pack(">hqq", 0, 5, 8) + text(""), 0, topic=CHECKPOINTS)
    west.put(text("east") + text("west"), struct.pack(">hq", 0, NOW - 800), 0, topic=HEARTBEATS)
    return west


def on_topic(west, *rows, connector="m", topic="connect-offsets"):
    for (name, number, cluster), offset in rows:
        west.put(key(connector, topic=name, number=number, cluster=cluster), json.dumps({"offset": offset}), topic=topic, time=NOW - 5000)
    return west


ROWS = [(("orders", 0, "east"), 4), (("orders", 1, "east"), 4)]


OFFSETS = (place(), {"offset": 4}), (place(number=1), {"offset": 4})


def rest(offsets=OFFSETS, **config):
    return FakeRest(m=({**MIRROR, **{name.replace("_", "."): value for name, value in config.items()}}, offsets))


def info(worker, west, east=None, **options):
    sources = Sources(east=east or source())
    name = options.pop("name", None)
    return MirrorInfo(worker, west, sources, now=lambda: NOW / 1000, **options).result(name)


def lines(flow):
    return [(row["topic"], row["partition"], row["next_offset"], row["lag"], row["lag_ms"], row["status"]) for row in flow["partitions"]]


SHOWN = [("fresh", 0, None, 3, 1000, "new"), ("orders", 0, 5, 5, 61000, "behind"), ("orders", 1, 5, 0, 0, "ok")]


def test_a_connector_by_the_topic():
    found = info(rest(), on_topic(target(), *ROWS))
    flow, = found["flows"]
    assert lines(flow) == SHOWN
    assert [row["skipped"] for row in flow["partitions"]] == [None, None, 1]
    assert [row["stored_at"] for row in flow["partitions"]] == [None] + ["2026-01-31T11:59:55.000Z"] * 2
    assert {name: flow[name] for name in (
        "source", "target", "connector", "mode", "state", "policy", "offset_topic", "method", "method_reason", "error", "stored_at",
        "lag", "lag_ms", "lost", "orphans", "partitions_count", "orphans_count", "truncated", "heartbeat", "offset_syncs",
        "checkpoints")} == {
        "source": "east", "target": "west", "connector": "m", "mode": "connect", "state": "RUNNING", "policy": "default",
        "offset_topic": "connect-offsets", "method": "topic", "method_reason": None, "error": None, "stored_at": "2026-01-31T11:59:55.000Z",
        "lag": 8, "lag_ms": 61000, "lost": 0, "orphans": [], "partitions_count": 3, "orphans_count": 0, "truncated": False,
        "heartbeat": {"time": "2026-01-31T11:59:59.200Z", "age_ms": 800},
        "offset_syncs": {"topic": SYNCS, "at": "source", "exists": True, "records": 1, "unreadable": 0, "tombstones": 0},
        "checkpoints": {"topic": CHECKPOINTS, "exists": True, "records": 1, "unreadable": 0, "tombstones": 0, "groups": ["billing"]}}
    assert [(one["topic"], one["copy"], one["partitions"], one["lag"]) for one in flow["topics"]] == [
        ("fresh", "east.fresh", 1, 3), ("orders", "east.orders", 2, 5)]
    assert found["warnings"] == [] and found["changed"] is False


def test_few_requests():
    """However many partitions there are: the positions before the ends, or a running mirror would be beyond them."""
    west, east = on_topic(target(), *ROWS), source()
    info(rest(), west, east)
    asked = [one for one in east.asked if one[0] in ("log", "first_records")]
    assert asked == [("log", "earliest", True), ("log", "latest", True),
                     ("first_records", [(("fresh", 0), 2), (("orders", 0), 5), (("orders", 1), 5)])]
    assert sum(one[:2] == ("read", "connect-offsets") for one in west.asked) == 1


def test_without_lag_time_no_record_is_read():
    east = source()
    flow, = info(rest(), on_topic(target(), *ROWS), east, lag_time=False)["flows"]
    assert [line[3:5] for line in lines(flow)] == [(3, None), (5, None), (1, None)]
    assert not any(one[0] == "first_records" for one in east.asked)


def test_records():
    flow, = info(rest(), on_topic(target(), *ROWS), records=True)["flows"]
    assert flow["offset_syncs"]["partitions"] == [{"topic": "orders", "partition": 0, "upstream": 5, "downstream": 8}]
    assert flow["checkpoints"]["partitions"] == [
        {"group": "billing", "topic": "east.orders", "partition": 0, "upstream": 5, "downstream": 8, "metadata": ""}]


def test_records_that_cannot_be_read_are_counted():
    east, west = source(), on_topic(target(), *ROWS)
    for value in (None, b"short"):
        east.put(text("a") + struct.pack(">i", 0), value, topic=SYNCS)
        west.put(b"gibberish", value, 0, topic=CHECKPOINTS)
    west.put(b"x", b"y", 0, topic=HEARTBEATS)
    found = info(rest(), west, east)
    flow, = found["flows"]
    assert [flow["offset_syncs"][name] for name in ("records", "unreadable", "tombstones")] == [3, 1, 1]
    assert [flow["checkpoints"][name] for name in ("records", "unreadable", "tombstones")] == [3, 1, 1]
    assert flow["checkpoints"]["groups"] == ["billing"] and flow["heartbeat"]["age_ms"] == 800
    assert sum("translates no more offsets" in warning and "1 record of " in warning for warning in found["warnings"]) == 2
    assert sum("cannot be decoded" in warning for warning in found["warnings"]) == 2


def test_by_rest_where_the_topic_is_not_known():
    """Without brokers nothing is known of the target, either."""
    flow, = info(rest(), None)["flows"]
    assert lines(flow) == SHOWN
    assert (flow["method"], flow["method_reason"], flow["offset_topic"], flow["stored_at"]) == ("rest", "no brokers are given", None, None)
    assert flow["checkpoints"]["exists"] is None and flow["heartbeat"] is None and flow["offset_syncs"]["exists"] is True
    flow, = info(rest(), target())["flows"]
    assert lines(flow) == SHOWN and "cannot be determined" in flow["method_reason"]
    west = on_topic(target("offsets-of-others"), *ROWS, connector="x", topic="offsets-of-others")
    found = info(rest(), west, offset_topic="offsets-of-others")
    assert found["flows"][0]["method"] == "rest" and "none of the offsets that REST shows" in found["flows"][0]["method_reason"]


def test_no_permissions():
    """What is refused is named, and the rest is shown."""
    west, east = on_topic(target(), *ROWS), source()
    west.denied, east.denied = ("connect-offsets", CHECKPOINTS, HEARTBEATS), (SYNCS, "orders")
    found = info(rest(), west, east, offset_topic="connect-offsets")
    flow, = found["flows"]
    assert flow["method"] == "rest"
    assert lines(flow) == [SHOWN[0], ("orders", 0, 5, 5, 61000, "behind"), ("orders", 1, 5, 0, 0, "ok")]
    assert flow["checkpoints"]["exists"] is None and flow["offset_syncs"]["exists"] is None and flow["heartbeat"] is None
    for topic in ("connect-offsets", CHECKPOINTS, HEARTBEATS, SYNCS, "orders"):
        assert any(f"no Read on {topic}" in warning for warning in found["warnings"]), topic


def test_orphans():
    odd = ("orders", 2, "east"), ("dropped", 0, "east"), ("__consumer_offsets", 0, "east"), ("orders", 0, "old")
    rows = [*ROWS, *((one, 1) for one in odd)]
    flow, = info(rest(), on_topic(target(), *rows))["flows"]
    assert lines(flow) == SHOWN
    found = {(one["partition"]["topic"], one["partition"]["partition"], one["partition"]["cluster"]): (one["reason"], one["detail"])
             for one in flow["orphans"]}
    assert found == {
        ("orders", 2, "east"): ("gone", "the topic has 2 partitions on east"),
        ("dropped", 0, "east"): ("gone", "there is no such topic on east (or the user may not see it)"),
        ("__consumer_offsets", 0, "east"): ("left_out", "it is an internal one"),
        ("orders", 0, "old"): ("former_alias", "the source cluster is called east")}


def test_the_options_topics_and_max_entries():
    rows = [*ROWS, (("dropped", 0, "east"), 1)]
    found = info(rest(), on_topic(target(), *rows), topics=["ord*"], max_entries=1)
    flow, = found["flows"]
    assert lines(flow) == SHOWN[1:2] and flow["orphans"] == []
    assert (flow["partitions_count"], flow["truncated"], flow["lag"]) == (2, True, 5)
    flow, = info(rest(), on_topic(target(), *rows), topics=["dropped"])["flows"]
    assert flow["partitions"] == [] and [one["reason"] for one in flow["orphans"]] == ["gone"]


def test_what_the_filters_of_the_connector_say():
    flow, = info(rest(topics="orders"), on_topic(target(), *ROWS))["flows"]
    assert lines(flow) == SHOWN[1:]
    for unknown in ({"replication_policy_class": "com.example.Mine"}, {"topic_filter_class": "com.example.Mine"}):
        flow, = info(rest(((place(), {"offset": 4}),), **unknown), on_topic(target(), ROWS[0]))["flows"]
        assert lines(flow) == [SHOWN[1]]  # those with a position alone


def test_a_place_ahead_of_an_open_transaction_is_not_beyond():
    east = source()
    east.open = {("orders", 0): 3}
    flow, = info(rest(topics="orders"), on_topic(target(), *ROWS), east)["flows"]
    assert lines(flow)[0] == ("orders", 0, 5, 0, 0, "ok")
    assert ("log", "latest", False) in east.asked


def test_lost_and_beyond_are_warned_of():
    east = source().log_of("orders", (7, 10), (0, 3))
    found = info(rest(topics="orders"), on_topic(target(), *ROWS), east)
    assert [(line[3], line[5]) for line in lines(found["flows"][0])] == [(3, "lost"), (None, "beyond")]
    assert found["flows"][0]["lost"] == 2
    lost, beyond = found["warnings"]
    assert "up to 2 records of 1 partition went away on east before they were copied" in lost
    assert "first of orders-0, which was to go on at 5 and begins at 7" in lost
    assert "1 partition is beyond the end" in beyond and "orders-1, which would go on at 5 and ends at 3" in beyond


def two():
    return FakeRest(m=(MIRROR, [(place(), {"offset": 4})]),
                    n=({**MIRROR, "source.cluster.alias": "north"}, [(place("sales", cluster="north"), {"offset": 3})]))


@pytest.mark.parametrize("error", [errors.BrokersUnreachable("No answer from north"), errors.DeclarationError("How to reach north is not known")])
def test_a_source_that_gives_no_answer(error):
    """It does not end the report of the others; alone, it is all there is to say."""
    west = on_topic(on_topic(target(), *ROWS), (("sales", 0, "north"), 3), connector="n")
    found = MirrorInfo(two(), west, Sources(east=source(), north=error), now=lambda: NOW / 1000).result()
    east, north = found["flows"]
    assert lines(east) == SHOWN and east["error"] is None
    assert north["error"] == error.message and lines(north) == [("sales", 0, 4, None, None, None)]
    assert (north["lag"], north["lost"], north["offset_syncs"]["exists"], north["checkpoints"]["exists"]) == (None, None, None, False)
    assert any(error.message in warning and "north->west of n" in warning for warning in found["warnings"])
    with pytest.raises(type(error), match="north"):
        MirrorInfo(two(), west, Sources(east=source(), north=error)).result(name="n")


def test_brokers_of_another_cluster():
    """Those of the source, most likely: they would show topics that have nothing to do with the flow."""
    west = on_topic(target(), *ROWS)
    west.cluster_id = "cluster-2"
    with pytest.raises(errors.MethodError, match="belongs to the Kafka cluster cluster-1"):
        info(rest(), west)


class Away:
    """Brokers that give no answer, which takes its time."""

    brokers, timeout, asked = "gone:9092", 30, 0

    def __getattr__(self, name):
        Away.asked += 1
        raise errors.BrokersUnreachable("No answer from gone:9092")


def test_brokers_of_the_target_that_give_no_answer():
    """They are asked once, and REST and the source tell the rest."""
    Away.asked = 0
    found = info(rest(), Away())
    flow, = found["flows"]
    assert lines(flow) == SHOWN and flow["method"] == "rest" and "No answer from gone:9092" in flow["method_reason"]
    assert flow["checkpoints"]["exists"] is flow["heartbeat"] is None and flow["offset_syncs"]["exists"] is True
    assert Away.asked == 1 and found["warnings"] == ["No answer from gone:9092"]


def test_topics_that_nothing_fits():
    found = info(rest(), on_topic(target(), *ROWS), topics=["nothing*"])
    assert found["flows"][0]["partitions"] == [] and "east->west has no topic that fits nothing*" in found["warnings"][0]


def test_what_is_no_mirror():
    with pytest.raises(errors.DeclarationError, match="f is no MirrorSourceConnector: its connector.class is FileStreamSource"):
        info(FakeRest(f=({"connector.class": "FileStreamSource"}, [])), None, name="f")
    with pytest.raises(errors.NoConnector):
        info(rest(), None, name="x")
    found = info(FakeRest(f=({"connector.class": "FileStreamSource"}, [])), None)
    assert found["flows"] == [] and "no MirrorSourceConnector here" in found["warnings"][0]


# ---- dedicated mode -----------------------------------------------------------------------------------------------


def nodes(*rows, config=None, topic=DEDICATED):
    west = on_topic(target(topic, CONFIGS), *rows, connector="MirrorSourceConnector", topic=topic)
    if config is not None:
        west.put("connector-MirrorSourceConnector", json.dumps({"properties": {**MIRROR, **config}}), 0, topic=CONFIGS)
        beats = {"properties": {"connector.class": "MirrorHeartbeatConnector"}}
        west.put("connector-MirrorHeartbeatConnector", json.dumps(beats), 0, topic=CONFIGS)
    return west


@pytest.mark.parametrize("given", [None, DEDICATED])
def test_dedicated(given):
    flow, = info(None, nodes(*ROWS, config={}), offset_topic=given)["flows"]
    assert lines(flow) == SHOWN
    assert [flow[name] for name in ("connector", "mode", "state", "offset_topic", "method", "policy", "target")] == [
        "MirrorSourceConnector", "dedicated", None, DEDICATED, "topic", "default", "west"]


@pytest.mark.parametrize("failure, known, words", [
    (errors.BrokerDenied("No Describe on Group east-mm2."), None, "could not be seen from the brokers. No Describe on Group east-mm2."),
    (errors.BrokerError("That is no group of consumers."), [], None),
    (None, [], None),
])
def test_whether_nodes_run(failure, known, words):
    """A list of groups leaves out those that the user may not see, so an empty one says nothing by itself."""
    west, asked = nodes(*ROWS, config={}), []

    def group(name):
        asked.append(name)
        if failure is not None:
            raise failure

    west.group = group
    found = info(None, west)
    assert found["flows"][0]["nodes"] == known and asked == ["east-mm2"]
    assert any("could not be seen" in one for one in found["warnings"]) == (words is not None)
    assert words is None or any(words in one for one in found["warnings"])


def test_dedicated_without_its_configuration():
    west = nodes(*ROWS, config={})
    west.denied = (CONFIGS,)
    found = info(None, west)
    flow, = found["flows"]
    assert lines(flow) == SHOWN[1:]
    assert flow["policy"] is flow["target"] is flow["offset_syncs"]["topic"] is flow["checkpoints"]["topic"] is None
    assert flow["topics"][0]["copy"] is None
    assert any(f"no Read on {CONFIGS}" in warning for warning in found["warnings"])


def test_a_direction_that_is_switched_off_is_no_flow():
    assert info(None, nodes(config={"enabled": "false"}))["flows"] == []
    assert len(info(None, nodes(*ROWS, config={"enabled": "false"}))["flows"]) == 1  # it has left offsets


def test_an_offsets_topic_of_another_name():
    west = nodes(*ROWS, (("orders", 0, "old"), 9), topic="mine")
    west.put('["MirrorHeartbeatConnector",{"sourceClusterAlias":"east","targetClusterAlias":"west"}]', '{"offset":0}', topic="mine")
    flow, = info(None, west, offset_topic="mine")["flows"]
    assert lines(flow) == SHOWN[1:] and [one["reason"] for one in flow["orphans"]] == ["former_alias"]


def test_dedicated_though_there_are_workers():
    """Of the Connect cluster for other things, say, on the same inventory host."""
    for name in (None, "MirrorSourceConnector"):
        other = FakeRest(f=({"connector.class": "FileStreamSource"}, []))
        flow, = info(other, nodes(*ROWS, config={}), name=name, offset_topic=DEDICATED)["flows"]
        assert lines(flow) == SHOWN and flow["mode"] == "dedicated"
    flow, = info(rest(), on_topic(nodes(*ROWS, config={}), *ROWS))["flows"]
    assert flow["mode"] == "connect"


def test_dedicated_and_not_there():
    found = info(None, target())
    assert found["flows"] == [] and "Are these the brokers of its target?" in found["warnings"][0]
    with pytest.raises(errors.NoTopic):
        info(None, target(), offset_topic=DEDICATED)
    with pytest.raises(errors.DeclarationError, match="no MirrorSourceConnector other with offsets on mm2-offsets.east.internal"):
        info(None, nodes(*ROWS, config={}), name="other")


def test_old_heartbeats_are_found_behind_many_new_ones():
    west = FakeKafka("heartbeats", partitions=1)
    west.put(text("east") + text("west"), struct.pack(">hq", 0, 5), topic="heartbeats")
    for number in range(1500):
        west.put(text("north") + text("west"), struct.pack(">hq", 0, 10 + number), topic="heartbeats")
    assert heartbeats(west, "heartbeats", {("north", "west")}) == {("north", "west"): 1509}
    assert [one for one in west.asked if one[0] == "read"] == [("read", "heartbeats", 1000)]
    assert heartbeats(west, "heartbeats", {("east", "west")}) == {("east", "west"): 5, ("north", "west"): 1509}


# ---- consumer groups on the target ------------------------------------------------------------------------------------------

def committed(offset, end, more=(), group="billing"):
    """The warnings about a group that has committed on the copy of orders. more: further (topic, partition, offset, end)."""
    west = on_topic(target(), *ROWS)
    logs = {}
    for topic, number, at, log_end in [("east.orders", 0, offset, end), *more]:
        west.put(text(group) + text(topic) + struct.pack(">i", number), struct.pack(">hqq", 0, 5, 8) + text(""), 0, topic=CHECKPOINTS)
        west.commits.setdefault(group, {})[topic, number] = at
        logs.setdefault(topic, []).append((0, log_end))
    for topic, partitions in logs.items():
        west.log_of(topic, *partitions)
    return [one for one in info(rest(), west)["warnings"] if "group" in one]


@pytest.mark.parametrize("offset, end, by", [(100, 0, 100), (9, 8, 1), (8, 8, 0), (0, 0, 0), (3, 8, 0)])
def test_a_group_beyond_the_end_of_a_copy(offset, end, by):
    words = (f"east->west: on the target the consumer group billing is {by} beyond the end of east.orders-0, at {offset} where the log ends at "
             f"{end}. A consumer that starts there goes where its auto.offset.reset says. As long as the group has no members, set its offset "
             "to the end.")
    assert committed(offset, end) == ([words] if by else [])


def test_several_of_them():
    said, = committed(100, 0, [("east.orders", 1, 7, 0), ("east.fresh", 0, 5, 5)])
    assert "is 100 beyond the end of east.fresh" not in said and "100 beyond the end of east.orders-0" in said
    assert "; so are 1 more offsets of groups." in said


def test_groups_of_other_topics_and_of_copies_that_are_gone():
    west = on_topic(target(), *ROWS)
    west.commits["billing"] = {("east.orders", 0): 100, ("elsewhere", 0): 100}
    west.log_of("elsewhere", (0, 0))
    assert not any("beyond" in one for one in info(rest(), west)["warnings"])


@pytest.mark.parametrize("error, said", [(errors.BrokerDenied("no Describe on billing"), False), (errors.BrokerError("busy"), True)])
def test_groups_that_cannot_be_asked(error, said):
    west = on_topic(target(), *ROWS)
    west.commits["billing"] = error
    found = info(rest(), west)
    assert ("Whether consumer groups on the target of east->west are beyond the ends of the copies is not known. busy" in found["warnings"]) is said
    assert len(found["flows"]) == 1
