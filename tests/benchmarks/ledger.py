# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What it costs to remember a change on the ledger topic, and to look for one among many."""

from __future__ import annotations

import json

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import record
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.benchmarks.measure import Row, alternate
from tests.benchmarks.rest import NUMBERS, module, pairs, stopped_connector

CHANGES, CONNECTORS = 100_000, 500


def fill(brokers: str, topic: str) -> None:
    """A ledger of that many changes, of about a kilobyte each."""
    admin = AdminClient({"bootstrap.servers": brokers})
    config = {"cleanup.policy": "compact", "segment.bytes": str(2**30)}
    admin.create_topics([NewTopic(topic, 1, 1, config=config)])[topic].result()
    producer = Producer({"bootstrap.servers": brokers, "linger.ms": 50, "queue.buffering.max.messages": 200_000})
    times = {"started": record.now(), "applied": record.now(), "written": record.now()}
    for number in range(CHANGES):
        connector, name = f"conn-{number % CONNECTORS}", f"CHG-{number}"
        change = record.Change(
            connector, name, "sha256:" + "0" * 64, record.APPLIED, 3, f"run-{number}", times, {"user": "bench", "host": "bench"}, "rest",
            None, {"connect_url": "http://bench", "kafka_cluster_id": "bench"}, "source", None, pairs(4, 1), pairs(4, 0), None)  # fmt: skip
        producer.produce(topic, record.encode(change), json.dumps([connector, name], separators=(",", ":")))
        producer.poll(0)
    if producer.flush(120):
        raise SystemExit("the records were not written")


def rows(url: str, brokers: str) -> list[Row]:
    stopped_connector(url, "ledger", 10)
    common = {"connect_url": [url], "bootstrap_servers": [brokers], "name": "ledger"}

    def plain() -> float:
        return module("connector_offsets", **common, offsets=pairs(10, next(NUMBERS)))

    def named() -> float:
        number = next(NUMBERS)
        return module("connector_offsets", **common, offsets=pairs(10, number), change_id=f"CHG-{number}")

    named()  # makes the topic
    without, with_name = alternate(7, plain, named)
    fill(brokers, "bench-ledger")
    look = {"bootstrap_servers": [brokers], "ledger_topic": "bench-ledger", "connector": "conn-7", "change_id": "CHG-50007"}
    (one,) = alternate(5, lambda: module("connector_changes_info", **look))
    return [
        Row("(i) a change with a change_id, more than the same without", with_name - without, 0.5, 1),
        Row(f"(i) one change of a ledger of {CHANGES:,}, whole process", one, 2, 1),
    ]
