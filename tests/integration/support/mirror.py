# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two Kafka clusters of a mirror, and MirrorMaker's three connectors on a worker."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient

from stack.mirror import QUICK
from tests.integration.support.topics import Kafka, Record
from tests.integration.support.worker import Worker, wait_until

IDENTITY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"

_BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"
_OF_MIRRORMAKER = re.compile(r"mm2-.*\.internal|.*\.checkpoints\.internal|(\w+\.)*heartbeats")


@dataclass(eq=False)
class Side:
    """A Kafka cluster and what it is called."""

    alias: str
    endpoints: dict
    kafka: Kafka

    @property
    def bootstrap_servers(self) -> str:
        return self.kafka.bootstrap_servers

    @cached_property
    def admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.bootstrap_servers})

    def topics(self) -> set[str]:
        return set(self.admin.list_topics(timeout=20).topics)

    def drop(self, topics: Iterable[str]) -> None:
        """Those of them that exist; returns when they are gone."""
        gone = self.topics() & set(topics)
        for future in (self.admin.delete_topics(sorted(gone)) if gone else {}).values():
            future.result(20)
        wait_until(lambda: not gone & self.topics(), reason=f"{gone} to be gone")

    def sweep(self) -> None:
        """Drops all topics that MirrorMaker keeps for itself."""
        self.drop(topic for topic in self.topics() if _OF_MIRRORMAKER.fullmatch(topic))


class Mirror:
    """MirrorSourceConnector, MirrorCheckpointConnector and MirrorHeartbeatConnector from one side to the other."""

    def __init__(self, worker: Worker, source: Side, target: Side, stem: str, config: dict) -> None:
        """config wins over the quick settings."""
        self.worker = worker
        self.origin, self.target = source, target
        self.source, self.checkpoint, self.heartbeat = self.names = [
            f"{stem}.Mirror{kind}Connector" for kind in ("Source", "Checkpoint", "Heartbeat")]
        self.config = {
            **QUICK, "tasks.max": "1", "key.converter": _BYTES, "value.converter": _BYTES, "header.converter": _BYTES,
            "source.cluster.alias": source.alias, "source.cluster.bootstrap.servers": source.bootstrap_servers,
            "target.cluster.alias": target.alias, "target.cluster.bootstrap.servers": target.bootstrap_servers, **config}

    @property
    def offset_syncs(self) -> str:
        """On the source."""
        return f"mm2-offset-syncs.{self.target.alias}.internal"

    @property
    def checkpoints(self) -> str:
        """On the target."""
        return f"{self.origin.alias}.checkpoints.internal"

    def copy_of(self, topic: str) -> str:
        """Its name on the target."""
        return topic if self.config.get("replication.policy.class") == IDENTITY else f"{self.origin.alias}.{topic}"

    def create(self) -> None:
        for name in self.names:
            kind = name.rpartition(".")[2]
            self.worker.create(name, {**self.config, "connector.class": f"org.apache.kafka.connect.mirror.{kind}"}, "RUNNING")

    def await_running(self) -> None:
        """All three, and a task that copies. The one for checkpoints has no task while there is no group."""
        for name in self.names:
            wait_until(lambda name=name: self._runs(name), reason=f"{name} to run")

    def _runs(self, name: str) -> bool:
        state, tasks = self.worker.state(name)
        assert "FAILED" not in (state, *tasks), self.worker.status(name)
        return {state, *tasks} == {"RUNNING"} and (bool(tasks) or name == self.checkpoint)

    def delete(self) -> None:
        """Stopped first: a task that still ends could write to topics that are dropped by then."""
        there = [name for name in self.names if self.worker.exists(name)]
        for name in there:
            self.worker.put(name, "stop")
        for name in there:
            self.worker.await_state(name, "STOPPED", [])
            self.worker.delete(name)


def commit(side: Side, group: str, topic: str, offset: int) -> None:
    """As a group of consumers does that has read all partitions up to there."""
    places = [TopicPartition(topic, number, offset) for number in side.kafka.ends(topic)]
    side.admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, places)])[group].result()


def committed(side: Side, group: str, topic: str) -> dict[int, int]:
    """The group's offsets by partition; none if there is no such group."""
    found = side.admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result().topic_partitions
    return {one.partition: one.offset for one in found if one.topic == topic and one.offset >= 0}


def fill(side: Side, topic: str, *numbers: int, transaction: str | None = None) -> list[Record]:
    """Records with these numbers to each partition, in a transaction if it is "committed" or "aborted"; returns them."""
    new = [Record(partition, str(partition), f"{side.alias} {partition}#{number}")
           for partition in side.kafka.ends(topic) for number in numbers]
    side.kafka.raw(topic, [(one.partition, one.key.encode(), one.value.encode()) for one in new], transaction)
    return new


def await_records(side: Side, topic: str, count: int, seconds: float = 30) -> list[Record]:
    """All records of a topic, by partition, as soon as there are so many."""
    found = wait_until(lambda: (records := side.kafka.records(topic)) and len(records) >= count and records, seconds,
                       f"{count} records of {topic} at {side.alias}")
    return by_partition(found)


def by_partition(records: list[Record]) -> list[Record]:
    """Partition after partition; the order within each is left."""
    return sorted(records, key=lambda one: one.partition)
