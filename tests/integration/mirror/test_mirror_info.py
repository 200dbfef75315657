# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mirror_info, of real mirrors: every number against what a consumer of our own counts, and what can go wrong with a source."""

from __future__ import annotations

import struct
import time

import pytest
from confluent_kafka import Consumer, KafkaError, TopicPartition

from tests.integration.support.mirror import IDENTITY, Mirror, Side, await_records, commit, fill
from tests.integration.support.modules import run_module
from tests.integration.support.worker import wait_until

DEAD = ["127.0.0.1:9"]


@pytest.fixture
def look(west, mirror_worker):
    """look(fine=True, **options) -> result of mirror_info of all connectors at west."""

    def look(fine: bool = True, **options) -> dict:
        desired = {"connect_url": [mirror_worker.url], "bootstrap_servers": [west.bootstrap_servers], "kafka_timeout": 20, **options}
        found = run_module("mirror_info", desired)
        assert found["failed"] is not fine, found
        assert found.get("changed", False) is False
        return found

    return look


@pytest.fixture
def look_at(look):
    """look_at(mirror, **options) -> its flow."""

    def look_at(mirror: Mirror, **options) -> dict:
        flow, = look(name=mirror.source, **options)["flows"]
        return flow

    return look_at


def rows(flow: dict, topic: str, *names: str) -> list[tuple]:
    """These values of each partition of a topic."""
    found = [row for row in flow["partitions"] if row["topic"] == topic]
    assert [row["partition"] for row in found] == list(range(len(found)))
    return [tuple(row[name] for name in names) for row in found]


def await_ok(look_at, mirror: Mirror, *topics: str) -> dict:
    """The flow, as soon as nothing waits and all of it is stored. The heartbeats of the other direction are never done."""
    def done():
        flow = look_at(mirror, topics=list(topics))
        return flow["partitions"] and {row["status"] for row in flow["partitions"]} == {"ok"} and flow
    return wait_until(done, seconds=60, reason="all to be copied")


def stop(mirror: Mirror) -> None:
    mirror.worker.put(mirror.source, "stop")
    mirror.worker.await_state(mirror.source, "STOPPED", [])


def counted(side: Side, topic: str, number: int, begin: int) -> list[int]:
    """The times of the records that a reader of committed ones gets from there on."""
    consumer = Consumer({"bootstrap.servers": side.bootstrap_servers, "group.id": "streamops-test-count", "enable.auto.commit": False,
                         "enable.partition.eof": True, "isolation.level": "read_committed", "auto.offset.reset": "error"})
    try:
        consumer.assign([TopicPartition(topic, number, begin)])
        times = []
        while True:
            message = consumer.poll(20)
            assert message is not None
            if message.error():
                assert message.error().code() == KafkaError._PARTITION_EOF, message.error()
                return times
            times.append(message.timestamp()[1])
    finally:
        consumer.close()


@pytest.mark.parametrize("policy", [None, IDENTITY])
def test_lag_is_what_a_consumer_counts(mirror, topic, east, west, look_at, policy):
    """With transactions, committed and aborted. Their markers count as lag, but where nothing else is left."""
    names = sorted(topic() for _number in range(3))
    for name in names:
        fill(east, name, 0, 1)
        fill(east, name, 2, transaction="committed")
    flow = mirror(names, policy)
    # While commits are on their way REST may show what the topic does not hold yet: then REST alone is taken, and it is said why.
    found = wait_until(lambda: (one := await_ok(look_at, flow, *names))["method"] == "topic" and one, reason="a proof of the topic")
    prefix = "" if policy else "east."
    assert [(one["topic"], one["copy"], one["partitions"], one["lag"], one["lost"]) for one in found["topics"]] == [
        (name, prefix + name, 4, 0, 0) for name in names]
    assert {name: found[name] for name in (
        "source", "target", "connector", "mode", "state", "policy", "method", "method_reason", "error")} == {
        "source": "east", "target": "west", "connector": flow.source, "mode": "connect", "state": "RUNNING",
        "policy": "identity" if policy else "default", "method": "topic", "method_reason": None, "error": None}
    # Two records, one of a transaction, its marker.
    assert rows(found, names[0], "offset", "next_offset", "begin", "end", "skipped") == [(2, 3, 0, 4, 1)] * 4
    assert found["stored_at"] > time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - 120))

    stop(flow)
    fill(east, names[0], 3, 4)
    fill(east, names[0], 5, transaction="committed")
    fill(east, names[0], 6, transaction="aborted")
    fill(east, names[1], 3, transaction="aborted")
    time.sleep(1)
    found = look_at(flow, topics=names)
    now = time.time() * 1000
    assert found["state"] == "STOPPED"
    # Two, a record with its marker, one that does not count with its marker, and the marker from before.
    assert rows(found, names[0], "lag", "lost", "status") == [(7, 0, "behind")] * 4
    for number, (following, age) in enumerate(rows(found, names[0], "next_offset", "lag_ms")):
        times = counted(east, names[0], number, following)
        assert len(times) == 3 <= 7
        assert age >= 1000 and abs(now - age - times[0]) < 2000
    assert rows(found, names[1], "lag", "lag_ms", "skipped", "status") == [(0, 0, 3, "ok")] * 4
    assert rows(look_at(flow, topics=names, lag_time=False), names[1], "lag", "lag_ms", "status") == [(3, None, "behind")] * 4
    assert found["lag"] == 28 and found["lag_ms"] == max(age for age, in rows(found, names[0], "lag_ms"))
    flow.worker.put(flow.source, "resume")
    await_ok(look_at, flow, *names)


def test_a_transaction_that_is_open(mirror, topic, east, west, look_at):
    """MirrorMaker copies its records if it is not told to wait: its place is then ahead of a reader of committed ones, and not beyond."""
    name = topic(partitions=1)
    flow = mirror([name])
    with east.kafka.open_transaction(name, [(0, b"k", b"1"), (0, b"k", b"2")]):
        wait_until(lambda: rows(look_at(flow, topics=[name]), name, "offset") == [(1,)], 60, "the place")
        assert rows(look_at(flow, topics=[name]), name, "next_offset", "end", "lag", "status") == [(2, 0, 0, "ok")]


def test_records_that_went_away_before_they_were_copied(mirror, topic, east, look):
    name = topic()
    fill(east, name, 0, 1, 2)
    flow = mirror([name])
    wait_until(lambda: rows(look(name=flow.source)["flows"][0], name, "offset") == [(2,)] * 4, 60, "the places")
    stop(flow)
    fill(east, name, 3, 4, 5, 6)
    for future in east.admin.delete_records([TopicPartition(name, 1, 5), TopicPartition(name, 2, 3)]).values():
        future.result(20)
    found = look(name=flow.source)
    assert rows(found["flows"][0], name, "begin", "lag", "lost", "status") == [
        (0, 4, 0, "behind"), (5, 2, 2, "lost"), (3, 4, 0, "behind"), (0, 4, 0, "behind")]
    assert found["flows"][0]["lost"] == 2
    assert any("up to 2 records of 1 partition went away on east" in warning for warning in found["warnings"])


def test_a_source_topic_that_was_made_again(mirror, topic, east, west, look, look_at):
    name, gone = topic(), topic(partitions=1)
    fill(east, name, 0, 1, 2)
    fill(east, gone, 0)
    flow = mirror([name, gone])
    await_ok(look_at, flow, name, gone)
    stop(flow)
    east.drop([name, gone])
    east.kafka.create(name, 3, "delete")
    fill(east, name, 0)
    found = look(name=flow.source)
    shown, = found["flows"]
    assert rows(shown, name, "next_offset", "end", "lag", "lag_ms", "status") == [(3, 1, None, None, "beyond")] * 3
    orphans = {(one["partition"]["topic"], one["partition"]["partition"]): (one["reason"], one["offset"]) for one in shown["orphans"]}
    assert orphans == {(name, 3): ("gone", {"offset": 2}), (gone, 0): ("gone", {"offset": 0})}
    assert any("the position of 3 partitions is beyond the end of the log on east" in warning for warning in found["warnings"])


def test_offsets_of_a_former_alias_and_of_topics_that_are_left_out(mirror, topic, east, look_at, mirror_worker):
    name, other = topic(partitions=1), topic(partitions=1)
    for one in (name, other):
        fill(east, one, 0)
    flow = mirror([name, other])
    await_ok(look_at, flow, name, other)
    stop(flow)
    config = {**mirror_worker.config(flow.source), "topics": name}
    mirror_worker.must("PUT", f"connectors/{flow.source}/config", config)
    orphan, = [one for one in look_at(flow)["orphans"] if one["partition"]["topic"] != "heartbeats"]
    assert orphan == {"partition": {"cluster": "east", "partition": 0, "topic": other}, "offset": {"offset": 0}, "reason": "left_out",
                      "detail": f"topics is {name}"}
    mirror_worker.must("PUT", f"connectors/{flow.source}/config", {**config, "source.cluster.alias": "orient"})
    found = look_at(flow, topics=["orders-*"])
    assert (found["source"], found["topics"][0]["copy"]) == ("orient", f"orient.{name}")
    assert rows(found, name, "offset", "lag", "status") == [(None, 1, "new")]
    assert sorted((one["reason"], one["partition"]["topic"]) for one in found["orphans"]) == sorted(
        [("former_alias", name), ("former_alias", other)])


def test_topics_of_its_own(mirror, topic, east, west, look, look_at):
    """Offset-syncs, checkpoints and heartbeats, decoded; and a tombstone, which some recipes tell to write."""
    name = topic(partitions=2)
    fill(east, name, 0, 1, 2)
    group = f"g-{name}"
    commit(east, group, name, 3)
    flow = mirror([name])
    found = wait_until(lambda: (one := look_at(flow, records=True))["checkpoints"]["groups"] == [group] and one["heartbeat"] and one, 60,
                       "checkpoints and a heartbeat")
    assert (found["checkpoints"]["topic"], found["checkpoints"]["exists"]) == (flow.checkpoints, True)
    assert found["checkpoints"]["partitions"] == [
        {"group": group, "topic": f"east.{name}", "partition": number, "upstream": 3, "downstream": 3, "metadata": ""} for number in (0, 1)]
    syncs = found["offset_syncs"]
    assert [syncs[part] for part in ("topic", "at", "exists", "unreadable", "tombstones")] == [flow.offset_syncs, "source", True, 0, 0]
    assert syncs["records"] >= 2 == len([one for one in syncs["partitions"] if one["topic"] == name])
    assert all(0 <= one["upstream"] == one["downstream"] <= 2 for one in syncs["partitions"] if one["topic"] == name)
    assert 0 <= found["heartbeat"]["age_ms"] < 10000
    commit(west, group, f"east.{name}", 100)
    beyond = f"the consumer group {group} is 97 beyond the end of east.{name}-0, at 100 where the log ends at 3; so are 1 more offsets"
    assert any(beyond in one for one in look(name=flow.source)["warnings"])

    flow.worker.put(flow.heartbeat, "stop")
    flow.worker.await_state(flow.heartbeat, "STOPPED", [])
    first = look_at(flow)["heartbeat"]
    time.sleep(2)
    second = look_at(flow)["heartbeat"]
    assert second["time"] == first["time"] and second["age_ms"] - first["age_ms"] >= 2000

    flow.delete()
    flow.create()
    stop(flow)
    key = struct.pack(">h", len(name)) + name.encode() + struct.pack(">i", 0)
    east.kafka.raw(flow.offset_syncs, [(0, key, None), (0, key, b"short")])
    result = look(name=flow.source)
    syncs = result["flows"][0]["offset_syncs"]
    assert (syncs["unreadable"], syncs["tombstones"]) == (1, 1)
    assert any(f"1 record of {flow.offset_syncs} has no value" in warning for warning in result["warnings"])


def test_other_names_and_places_of_its_own_topics(mirror, topic, east, west, look_at):
    name = topic(partitions=1)
    fill(east, name, 0)
    commit(east, f"g-{name}", name, 1)
    try:
        flow = mirror([name], **{"replication.policy.separator": "_", "offset-syncs.topic.location": "target"})
        found = wait_until(lambda: (one := look_at(flow))["checkpoints"]["groups"] == [f"g-{name}"] and one, 60, "checkpoints")
        assert (found["offset_syncs"]["topic"], found["offset_syncs"]["at"]) == ("mm2-offset-syncs_east_internal", "target")
        assert found["offset_syncs"]["records"] >= 1 and found["checkpoints"]["topic"] == "east_checkpoints_internal"
        assert [one["copy"] for one in found["topics"] if one["topic"] == name] == [f"east_{name}"]
        flow.delete()
    finally:
        west.drop(["mm2-offset-syncs_east_internal", "east_checkpoints_internal"])


def test_by_rest_alone(mirror, topic, east, look_at, mirror_worker):
    name = topic(partitions=1)
    fill(east, name, 0)
    flow = mirror([name])
    wait_until(lambda: mirror_worker.offsets(flow.source), reason="an offset")
    found = look_at(flow, bootstrap_servers=None, topics=[name])
    assert (found["method"], found["method_reason"], found["stored_at"]) == ("rest", "no brokers are given", None)
    assert rows(found, name, "next_offset", "lag", "stored_at") == [(1, 0, None)]
    assert (found["checkpoints"]["exists"], found["heartbeat"], found["offset_syncs"]["exists"]) == (None, None, True)


def test_a_source_cluster_that_is_down(mirror, topic, east, look, mirror_worker):
    """Alone it is the end; beside another flow it is told, and its places are shown."""
    name = topic(partitions=1)
    fill(east, name, 0)
    flow = mirror([name])
    wait_until(lambda: mirror_worker.offsets(flow.source), reason="an offset")
    dead = [{"alias": "east", "bootstrap_servers": DEAD}]
    began = time.monotonic()
    failed = look(fine=False, source_clusters=dead, kafka_timeout=2)
    assert "No answer from the Kafka brokers at 127.0.0.1:9" in failed["msg"] and time.monotonic() - began < 20
    second = mirror([name], source=east, stem="orient", wait=False, **{"source.cluster.alias": "orient"})
    result = look(source_clusters=dead, kafka_timeout=2)
    flows = {one["connector"]: one for one in result["flows"]}
    assert set(flows) == {flow.source, second.source}
    down, up = flows[flow.source], flows[second.source]
    assert "127.0.0.1:9" in down["error"] and up["error"] is None
    assert rows(down, name, "offset", "end", "lag", "status") == [(0, None, None, None)]
    assert rows(up, name, "end") == [(1,)] and any("127.0.0.1:9" in warning for warning in result["warnings"])


@pytest.mark.parametrize("options, words", [
    ({"name": "nothing-of-that-name"}, "nothing-of-that-name"), ({"max_entries": -1}, "max_entries"),
    ({"connect_url": None, "bootstrap_servers": None}, "connect_url is missing"),
    ({"connect_url": None, "offset_topic": "mm2-offsets.nowhere.internal"}, "mm2-offsets.nowhere.internal"),
])
def test_what_cannot_be_answered(look, options, words):
    assert words in look(fine=False, **options)["msg"]


def test_brokers_of_the_source_in_place_of_the_target(mirror, topic, east, look):
    name = topic(partitions=1)
    flow = mirror([name])
    failed = look(fine=False, bootstrap_servers=[east.bootstrap_servers])
    assert f"The brokers at {east.bootstrap_servers} are those of the Kafka cluster" in failed["msg"]
    assert any("fits nothing-of-that-name" in warning for warning in look(name=flow.source, topics=["nothing-of-that-name"])["warnings"])


def test_what_is_no_source_of_a_mirror(mirror, topic, look):
    flow = mirror([topic(partitions=1)])
    assert f"{flow.checkpoint} is no MirrorSourceConnector" in look(fine=False, name=flow.checkpoint)["msg"]


def test_dedicated(dedicated, topic, east, west, look):
    """There is no REST; the nodes need not even be up."""
    names = sorted(topic() for _number in range(2))
    for name in names:
        fill(east, name, 0, 1)
    group = f"g-{names[0]}"
    commit(east, group, names[0], 2)
    node = dedicated(names)
    await_records(west, f"east.{names[0]}", 8)

    def seen(**options) -> dict:
        flow, = look(connect_url=None, **options)["flows"]
        return flow

    flow = wait_until(lambda: (one := seen(topics=names))["checkpoints"]["groups"] and one["heartbeat"]
                      and {row["status"] for row in one["partitions"]} == {"ok"} and one, 90, "all to be copied")
    assert [flow[part] for part in ("source", "target", "connector", "mode", "state", "policy", "offset_topic", "method")] == [
        "east", "west", "MirrorSourceConnector", "dedicated", None, "default", "mm2-offsets.east.internal", "topic"]
    assert [one["copy"] for one in flow["topics"]] == [f"east.{name}" for name in names]
    assert flow["checkpoints"]["groups"] == [group] and flow["offset_syncs"]["records"] >= 8
    assert flow["heartbeat"]["age_ms"] < 10000
    node.stop()
    fill(east, names[1], 2, 3)
    flow = seen(topics=names, offset_topic="mm2-offsets.east.internal", name="MirrorSourceConnector")
    assert rows(flow, names[0], "next_offset", "lag", "status") == [(2, 0, "ok")] * 4
    assert rows(flow, names[1], "next_offset", "lag", "status") == [(2, 2, "behind")] * 4
    assert flow["lag"] == 8 and "no MirrorSourceConnector other" in look(fine=False, connect_url=None, name="other")["msg"]
