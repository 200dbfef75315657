# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An offsets topic of 10,000,000 records, against kcat, which reads and prints the same topic.

In seconds of CPU: a run takes minutes, and noise hits each of its steps differently.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic

from tests.benchmarks import peers
from tests.benchmarks.measure import Cost, Row, cost
from tests.benchmarks.rest import module_cost

TOPIC, PARTITIONS, CONNECTORS, BATCH = "bench-large", 25, 1000, 100_000


def rows(brokers: str, folder: Path) -> list[Row]:
    """STREAMOPS_BENCH_TOPIC: how many records; a tenth of them are keys, of 1,000 connectors."""
    records = int(os.environ.get("STREAMOPS_BENCH_TOPIC", "10_000_000"))
    kcat = peers.kcat()
    fill(kcat, brokers, records)
    ours = {"bootstrap_servers": [brokers], "method": "topic", "offset_topic": TOPIC}
    theirs = cost([kcat, "-b", brokers, "-t", TOPIC, "-C", "-e", "-J", "-q"])
    one = module_cost("connector_offsets_info", name="conn-7", **ours)
    everything = module_cost("connector_offsets_info", **ours)
    export = module_cost("connector_offsets_export", dest=str(folder / "large.json"), **ours)
    purge = module_cost("connector_offsets", name="conn-7", state="absent", assume_stopped=True, ledger="none", **ours)
    return [row
            for what, found, bound, mib in (("info of one of its 1,000 connectors", one, 1.5, 700), ("info of all", everything, 4.0, 2048),
                                            ("export of all", export, 4.5, 2400), ("reset of one", purge, 2.0, 900))
            for row in of(f"(n) {records:,} records: {what}", found, theirs, bound, mib * records / 10_000_000 + 100)]


def of(name: str, found: Cost, theirs: Cost, bound: float, mib: float) -> list[Row]:
    return [Row(f"{name}, against kcat -J", found.cpu, theirs.cpu, bound, "s CPU"), Row(f"{name}, memory", found.mib, mib, 1.0, "MiB")]


def fill(kcat: str, brokers: str, records: int) -> None:
    """Nothing is compacted away: the cleaner leaves the topic alone."""
    keys = records // 10
    config = {"cleanup.policy": "compact", "segment.bytes": str(2**30), "min.compaction.lag.ms": str(2**62)}
    admin = AdminClient({"bootstrap.servers": brokers})
    admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1, config=config)])[TOPIC].result()
    starts = [f'["conn-{key % CONNECTORS}",{{"filename":"dir/f{key}"}}]\t{{"position":' for key in range(keys)]
    command = [kcat, "-b", brokers, "-t", TOPIC, "-P", "-K", "\t", "-X", "topic.partitioner=murmur2", "-X", "linger.ms=50"]
    with subprocess.Popen([*command, "-X", "queue.buffering.max.messages=1000000"], stdin=subprocess.PIPE) as process:
        for begin in range(0, records, BATCH):
            lines = (f"{starts[number % keys]}{number}}}\n" for number in range(begin, min(records, begin + BATCH)))
            process.stdin.write("".join(lines).encode())
        process.stdin.close()
    if process.returncode:
        raise SystemExit("the records were not written")
