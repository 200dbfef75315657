# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mirror_info over 2,000 partitions that are all behind, against Kafka's own tool for the ends of topics. Both as whole processes."""

from __future__ import annotations

import json
import sys
import tempfile

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from stack.java import run_tool
from tests.benchmarks.measure import Row, alternate, machine, run, timed
from tests.benchmarks.rest import MODULES, module, module_peak_mib

TOPICS, PARTITIONS, RECORDS, COPIED = 20, 100, 10, 4
NAME, PREFIX = "MirrorSourceConnector", "bench-mirror-"
OFFSETS, CONFIGS = "mm2-offsets.bench.internal", "mm2-configs.bench.internal"


def fill(brokers: str) -> None:
    """The topics, and what a dedicated MirrorMaker would have stored. One broker is source and target: nothing is copied here."""
    admin = AdminClient({"bootstrap.servers": brokers})
    topics = [f"{PREFIX}{number:02}" for number in range(TOPICS)]
    compact = {"cleanup.policy": "compact"}
    new = [NewTopic(topic, PARTITIONS, 1) for topic in topics]
    for made in admin.create_topics(
        [*new, NewTopic(OFFSETS, 25, 1, config=compact), NewTopic(CONFIGS, 1, 1, config=compact)], operation_timeout=120
    ).values():
        made.result()
    producer = Producer({"bootstrap.servers": brokers, "partitioner": "murmur2", "linger.ms": 50})
    config = {
        "connector.class": f"org.apache.kafka.connect.mirror.{NAME}", "topics": f"{PREFIX}.*", "source.cluster.alias": "bench",
        "source.cluster.bootstrap.servers": brokers, "target.cluster.alias": "here",
    }  # fmt: skip
    producer.produce(CONFIGS, json.dumps({"properties": config}), f"connector-{NAME}")
    for topic in topics:
        for number in range(PARTITIONS):
            for record in range(RECORDS):
                producer.produce(topic, f"{record:>100}", partition=number)
            key = json.dumps([NAME, {"cluster": "bench", "partition": number, "topic": topic}], separators=(",", ":"))
            producer.produce(OFFSETS, json.dumps({"offset": COPIED}, separators=(",", ":")), key)
        producer.poll(0)
    if producer.flush(120):
        raise SystemExit("the records were not written")


def result(**arguments: object) -> dict:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"ANSIBLE_MODULE_ARGS": arguments}, file)
        file.flush()
        return json.loads(run([sys.executable, "-m", f"{MODULES}.mirror_info", file.name]).stdout)


def rows(brokers: str) -> list[Row]:
    fill(brokers)
    ours = {"bootstrap_servers": [brokers], "offset_topic": OFFSETS, "max_entries": 0}
    (flow,) = result(**ours)["flows"]
    count, left = TOPICS * PARTITIONS, RECORDS - COPIED - 1
    seen = [row for row in flow["partitions"] if row["lag"] == left and row["lag_ms"]]
    if len(seen) != count or flow["lag"] != count * left:
        raise SystemExit("mirror_info does not see what is there")

    def tool() -> None:
        done = run_tool("org.apache.kafka.tools.GetOffsetShell", "--bootstrap-server", brokers, "--topic", f"{PREFIX}.*")
        if done.returncode or done.stdout.count(f":{RECORDS}\n") != count:
            raise SystemExit(f"the tool does not see what is there: {done.stdout[-1000:]}{done.stderr[-1000:]}")

    seconds, theirs = alternate(5, lambda: module("mirror_info", **ours), lambda: timed(tool))
    peak = module_peak_mib("mirror_info", **ours)
    return [
        Row("(j) mirror_info of 2,000 partitions, all behind, against 10 s", seconds, 10, 1.0),
        Row("(j) the same, against kafka-get-offsets, which shows the ends", seconds, theirs, 1.5),
        Row("(j) its memory against 300 MB", peak, 286, 1.0, "MiB"),
    ]


if __name__ == "__main__":  # on a stack that runs: python -m tests.benchmarks.mirror BROKERS
    print(json.dumps(machine()))
    for row in rows(sys.argv[1]):
        print(row)
