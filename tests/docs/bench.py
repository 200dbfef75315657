# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the commands of a page run: how what it shows maps to this machine, and the connectors that they work on."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Producer

from tests.integration.support.configs import file_sink, file_source
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import Worker, wait_until

#: as pages show them
URL = "https://connect.%s.example.com:8083"
BROKERS, LEDGER, HOME = "kafka.eu.example.com:9092", "connect-offset-changes", "/home/ops"
BACKUPS = f"{HOME}/.local/share/streamops-kafka-connect/backups"
ORDERS = "/tmp/orders.txt"


@dataclass
class Cluster:
    """A Connect cluster of the stack."""

    worker: Worker
    group: str
    offset_topic: str


class Place:
    """A folder for the commands of a page."""

    def __init__(self, folder: Path, names: dict[str, str]) -> None:
        """names: what pages show -> what it is on this machine."""
        self.folder = folder
        self._real = {**names, HOME: str(folder / "home"), "/tmp/": f"{folder}/"}
        folder.mkdir(exist_ok=True)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.here(text), encoding="utf-8")

    def here(self, text: str) -> str:
        """What a page shows, as it is on this machine."""
        return _replaced(text, self._real)

    def shown(self, text: str) -> str:
        """What was printed here, as a page shows it."""
        return _replaced(text, {real: shown for shown, real in reversed(self._real.items())})

    def settled(self) -> None:
        """Returns when the next command may run."""


class Bench(Place):
    """The same connectors on each Connect cluster; close() leaves nothing behind."""

    def __init__(self, folder: Path, clusters: dict[str, Cluster], kafka: Kafka, brokers: bool) -> None:
        """clusters: by the host of the inventory."""
        self.kafka, self._clusters = kafka, clusters
        self._ledger = f"docs-{folder.parent.name}-{folder.name}"
        super().__init__(folder, {**{URL % host: one.worker.url for host, one in clusters.items()},
                                  BROKERS: kafka.bootstrap_servers, LEDGER: self._ledger})
        self._made: dict[str, dict] = {}
        self._topics = [self._ledger]
        servers = {"kafka_bootstrap_servers": [BROKERS]} if brokers else {}
        hosts = {host: {"kafka_connect_url": URL % host, **servers} for host in self._clusters}
        self.write("inventory.yml", json.dumps({"kafka_connect": {"hosts": hosts}}))
        # beside the inventory; no page shows it
        hidden = {"kafka_connect_ledger_topic": LEDGER, "reset_offsets_settle": 0, "kafka_connect_check_position_timeout": 120,
                  "import_offsets_settle": 0, "reset_offsets_backup_dir": BACKUPS, "import_offsets_backup_dir": BACKUPS}
        self.write("group_vars/all.yml", json.dumps(hidden))
        for host, one in self._clusters.items():  # which share a Kafka cluster here
            group = {"kafka_connect_group": one.group} if len(clusters) > 1 else {}
            self.write(f"host_vars/{host}.yml", json.dumps({"kafka_connect_offset_topic": one.offset_topic, **group}))

    # --- connectors and topics

    def topic(self, name: str, partitions: int = 1) -> None:
        """Its records may be of any time."""
        self._topics.append(name)
        self.kafka.create(name, partitions, "delete", **{"retention.ms": "-1"})

    def produce_at(self, topic: str, records: list[tuple[int, str, float]]) -> None:
        """records: partition, value, seconds since 1970."""
        producer = Producer({"bootstrap.servers": self.kafka.bootstrap_servers})
        for partition, value, seconds in records:
            producer.produce(topic, value.encode(), partition=partition, timestamp=round(seconds * 1000))
        assert producer.flush(20) == 0

    def source(self, name: str, topic: str, *hosts: str) -> None:
        """Has read a file of five lines of eight bytes each. hosts: where it is; everywhere by default."""
        Path(self.here(ORDERS)).write_text("".join(f"order {number}\n" for number in range(1, 6)), encoding="utf-8")
        self._topics.append(topic)
        self._make(name, file_source(Path(self.here(ORDERS)), topic=topic), hosts)

    def sink(self, name: str, topic: str, **config: str) -> None:
        self._make(name, file_sink(topic, self.folder / f"{name}.txt") | config)

    def expect(self, name: str, config: dict, topic: str) -> None:
        """A command of the page creates it."""
        self._topics.append(topic)
        self._made[name] = config

    def _make(self, name: str, config: dict, hosts: tuple[str, ...] = ()) -> None:
        self._made[name] = config
        for host in hosts or self._clusters:
            self._clusters[host].worker.create(name, config, None)
        self.settled()

    def settled(self) -> None:
        """What runs has delivered and stored all that there is."""
        for cluster in self._clusters.values():
            for name, config in self._made.items():
                wait_until(lambda cluster=cluster, name=name, config=config: self._is_through(cluster, name, config),
                           reason=f"{name} to have come to the end")

    def stop(self, name: str, host: str) -> None:
        worker = self._clusters[host].worker
        worker.put(name, "stop")
        worker.await_state(name, "STOPPED", [])

    def delete(self, name: str) -> None:
        for one in self._clusters.values():
            one.worker.delete(name)

    def failed(self, name: str) -> None:
        for one in self._clusters.values():
            one.worker.await_state(name, "RUNNING", ["FAILED"])

    def _is_through(self, cluster: Cluster, name: str, config: dict) -> bool:
        if not cluster.worker.exists(name):
            return True
        state, tasks = cluster.worker.state(name)
        if state != "RUNNING":
            return True
        if tasks != ["RUNNING"]:
            return tasks == ["FAILED"]
        if "topics" in config:
            ends = {number: end for number, end in self.kafka.ends(config["topics"]).items() if end}
            return _committed(cluster.worker, name, config["topics"]) == ends
        size = Path(config["file"]).stat().st_size
        return f'{{"position":{size}}}' in self.kafka.live_offsets(cluster.offset_topic, name).values()

    def close(self) -> None:
        for name in self._made:
            self.delete(name)
        for one in self._clusters.values():
            forget(self.kafka, one.offset_topic, *self._made)
        for topic in dict.fromkeys(self._topics):
            if self.kafka.exists(topic):
                self.kafka.drop(topic)


def forget(kafka: Kafka, offset_topic: str, *names: str) -> None:
    """Removes the offsets of these connectors, which are deleted."""
    mine = {(record.partition, record.key) for record in kafka.raw_records(offset_topic)
            if record.key and json.loads(record.key)[0] in names}
    kafka.raw(offset_topic, [(partition, key, None) for partition, key in mine])


def _committed(worker: Worker, name: str, topic: str) -> dict[int, int]:
    return {pair["partition"]["kafka_partition"]: pair["offset"]["kafka_offset"] for pair in worker.offsets(name)
            if pair["partition"]["kafka_topic"] == topic}


def _replaced(text: str, names: dict[str, str]) -> str:
    """In one pass, so that nothing is replaced in a replacement."""
    longest_first = sorted(names, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda found: names[found[0]], text)
