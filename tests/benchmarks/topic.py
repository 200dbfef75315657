# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The offsets-topic method, against kcat, which reads and prints the same topic."""

from __future__ import annotations

import subprocess

from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.benchmarks import peers
from tests.benchmarks.measure import Row, alternate, timed
from tests.benchmarks.rest import module, module_peak_mib

RECORDS, KEYS, CONNECTORS, PARTITIONS = 1_000_000, 100_000, 500, 25


def fill(brokers: str, topic: str, records: int, connectors: int) -> None:
    """An offsets topic with so many commits to KEYS keys, spread over so many connectors."""
    admin = AdminClient({"bootstrap.servers": brokers})
    made = admin.create_topics(
        [NewTopic(topic, PARTITIONS, 1, config={"cleanup.policy": "compact", "segment.bytes": str(2**30)})]
    )
    made[topic].result()
    producer = Producer(
        {"bootstrap.servers": brokers, "partitioner": "murmur2", "linger.ms": 50, "queue.buffering.max.messages": 2_000_000}
    )
    for number in range(records):
        key = number % KEYS
        text = f'["conn-{key % connectors}",{{"filename":"dir/f{key}"}}]'
        producer.produce(topic, f'{{"position":{number}}}', text)
        producer.poll(0)
    if producer.flush(120):
        raise SystemExit("the records were not written")


def rows(brokers: str) -> list[Row]:
    kcat = peers.kcat()
    fill(brokers, "bench-many", RECORDS, CONNECTORS)
    fill(brokers, "bench-one", KEYS, 1)
    ours = {"bootstrap_servers": [brokers], "method": "topic", "offset_topic": "bench-many"}

    def peer() -> float:
        command = [kcat, "-b", brokers, "-t", "bench-many", "-C", "-e", "-J", "-q"]
        return timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))

    everything, one, theirs = alternate(
        5, lambda: module("connector_offsets_info", **ours), lambda: module("connector_offsets_info", name="conn-7", **ours), peer
    )
    peak = module_peak_mib("connector_offsets_info", **ours)
    reset = module("connector_offsets", **{**ours, "offset_topic": "bench-one"}, name="conn-0", state="absent", assume_stopped=True)
    log = OffsetLogs(KafkaLogs(KafkaClient({"bootstrap.servers": brokers}))).read("bench-one")
    left = sum(message.value() is not None for last in log.last for message in last.values())
    if left:
        raise SystemExit(f"{left} offsets left after the reset")
    return [
        Row("(e) info of all connectors, 1,000,000 records, against kcat -J", everything, theirs, 2.0),
        Row("(f) info of one connector of 500 there, against kcat -J", one, theirs, 1.5),
        Row("(e) memory of (e) against the limit", peak, 500, 1.0, "MiB"),
        Row("(g) reset of 100,000 keys of one connector against the limit", reset, 30, 1.0),
    ]
