# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A sink of 500 partitions reset by timestamp, against Kafka's own tool for consumer groups. Both as whole processes."""

from __future__ import annotations

import itertools
import json
import sys

import requests
from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from stack.java import run_tool
from tests.benchmarks.measure import Row, alternate, machine, timed
from tests.benchmarks.rest import module, wait_for

TOPICS, PARTITIONS, RECORDS = 20, 25, 10
NAME, TOOL_GROUP = "bench-sink", "bench-tool"
#: 2026-01-31T12:00:00Z; the records of a partition are a minute apart
NOON, MINUTE = 1769860800000, 60000


def fill(brokers: str) -> list[str]:
    """The topics, each partition with a record a minute; and both groups at the end of all of them."""
    admin = AdminClient({"bootstrap.servers": brokers})
    topics = [f"bench-sink-{number:02}" for number in range(TOPICS)]
    # Brokers forget records that are older than a week.
    new = [NewTopic(topic, PARTITIONS, 1, config={"retention.ms": "-1"}) for topic in topics]
    for made in admin.create_topics(new).values():
        made.result()
    producer = Producer({"bootstrap.servers": brokers, "linger.ms": 50})
    for topic, partition, number in itertools.product(topics, range(PARTITIONS), range(RECORDS)):
        producer.produce(topic, b"x", partition=partition, timestamp=NOON + number * MINUTE + partition)
    if producer.flush(120):
        raise SystemExit("the records were not written")
    ends = [TopicPartition(topic, partition, RECORDS) for topic in topics for partition in range(PARTITIONS)]
    for group in (f"connect-{NAME}", TOOL_GROUP):
        admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, ends)])[group].result()
    return topics


def committed(brokers: str, group: str) -> dict[tuple[str, int], int]:
    admin = AdminClient({"bootstrap.servers": brokers})  # it gives no answer any more once it is forgotten
    found = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(60)
    return {(place.topic, place.partition): place.offset for place in found.topic_partitions}


def stopped_sink(url: str, topics: list[str]) -> None:
    config = {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "topics": ",".join(topics), "file": "/dev/null"}
    body = {"name": NAME, "config": config, "initial_state": "STOPPED"}
    requests.post(f"{url}/connectors", json=body, timeout=120).raise_for_status()
    wait_for(lambda: requests.get(f"{url}/connectors/{NAME}/status", timeout=120).ok)


def rows(brokers: str, url: str) -> list[Row]:
    topics = fill(brokers)
    stopped_sink(url, topics)
    #: every round goes somewhere else, so that each has 500 offsets to change; the last of ours to where the tool goes
    minutes = {"rest": itertools.cycle([1, 2]), "group": itertools.cycle([3, 6, 4, 7]), "tool": itertools.cycle([3, 6, 4, 7])}

    def ours(method: str) -> float:
        when = NOON + next(minutes[method]) * MINUTE
        return module("connector_offsets", bootstrap_servers=[brokers], name=NAME, method=method, reset_to={"timestamp": when},
                      **({"connect_url": [url]} if method == "rest" else {}))

    def tool() -> float:
        when = f"2026-01-31T12:0{next(minutes['tool'])}:00.000Z"
        return timed(lambda: _succeeds(run_tool(
            "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "--bootstrap-server", brokers, "--group", TOOL_GROUP,
            "--reset-offsets", "--to-datetime", when, "--all-topics", "--execute")))

    by_rest, by_group, theirs = alternate(5, lambda: ours("rest"), lambda: ours("group"), tool)
    if committed(brokers, f"connect-{NAME}") != committed(brokers, TOOL_GROUP):
        raise SystemExit("the tool and we have different offsets")
    if len(committed(brokers, TOOL_GROUP)) != TOPICS * PARTITIONS:
        raise SystemExit("not all partitions have an offset")
    return [
        Row("(i) 500 partitions of a sink by timestamp, REST, against the limit", by_rest, 5, 1.0),
        Row("(i) the same, against Kafka's kafka-consumer-groups", by_rest, theirs, 1.0),
        Row("(i) the same by the group, against Kafka's kafka-consumer-groups", by_group, theirs, 1.0),
    ]


def _succeeds(done) -> None:
    if done.returncode or "Error" in done.stdout:
        raise SystemExit(f"the tool ended with {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


if __name__ == "__main__":  # on a stack that runs: python -m tests.benchmarks.sinks BROKERS URL
    print(json.dumps(machine()))
    for row in rows(*sys.argv[1:]):
        print(row)
