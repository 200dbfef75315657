# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The property files of the broker and of the workers."""

from collections.abc import Mapping
from pathlib import Path

from stack.paths import write_private
from stack.ports import HOST
from stack.state import Cluster, Node


def write_properties(path: Path, properties: Mapping[str, str]) -> None:
    lines = [f"{name}={_escape(value)}\n" for name, value in properties.items()]
    write_private(path, "".join(lines))


def broker_properties(broker: Node, data: Path) -> dict[str, str]:
    """A single KRaft node that is broker and controller; every internal topic has one replica."""
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{HOST}:{broker.controller_port}",
        "listeners": f"PLAINTEXT://{HOST}:{broker.port},CONTROLLER://{HOST}:{broker.controller_port}",
        "advertised.listeners": f"PLAINTEXT://{HOST}:{broker.port}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": str(data),
        "auto.create.topics.enable": "true",
        "num.partitions": "1",
        "default.replication.factor": "1",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "5",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "5",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
        # After a crash the controller refuses the new broker until the old one's session is over, by default 9 s.
        "broker.session.timeout.ms": "4000",
        "broker.heartbeat.interval.ms": "500",
        # Lets workers ask for short sessions, so that a killed one is noticed soon.
        "group.min.session.timeout.ms": "1000",
        # Default 128 MiB of the heap.
        "log.cleaner.dedupe.buffer.size": str(16 * 1024 * 1024),
        **_with_port(broker.properties, broker.port),
    }


def worker_properties(cluster: Cluster, worker: Node, bootstrap: str, plugin_path: str) -> dict[str, str]:
    """A distributed worker with short timings, so that tests wait for events and not for the clock."""
    properties = {
        "bootstrap.servers": bootstrap,
        "group.id": cluster.group_id,
        "listeners": f"http://{HOST}:{worker.port}",
        "rest.advertised.host.name": HOST,
        "rest.advertised.port": str(worker.port),
        "plugin.path": plugin_path,
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
        "connector.client.config.override.policy": "All",
        "offset.storage.topic": cluster.topic("offsets"),
        "offset.storage.partitions": str(cluster.offset_partitions),
        "offset.storage.replication.factor": "1",
        "config.storage.topic": cluster.topic("configs"),
        "config.storage.replication.factor": "1",
        "status.storage.topic": cluster.topic("status"),
        "status.storage.partitions": "1",
        "status.storage.replication.factor": "1",
        "offset.flush.interval.ms": "1000",
        "scheduled.rebalance.max.delay.ms": "500",
        "session.timeout.ms": "5000",
        # A member hears of a rebalance in the answer to a heartbeat.
        "heartbeat.interval.ms": "500",
    }
    if _release(cluster.version) >= (3, 6):
        properties["plugin.discovery"] = "service_load"
    own = {**cluster.properties, **worker.properties}
    return {**properties, **_with_port(own, worker.port)}


def _with_port(properties: Mapping[str, str], port: int) -> dict[str, str]:
    return {name: str(value).replace("{port}", str(port)) for name, value in properties.items()}


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def _escape(value: str) -> str:
    return str(value).replace("\\", "\\\\").replace("\n", "\\n")
