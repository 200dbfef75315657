# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Export and import of many connectors by the offsets topic, against kcat, which reads and writes the same records."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic

from tests.benchmarks import peers
from tests.benchmarks.measure import Row, alternate, timed
from tests.benchmarks.rest import module, module_peak_mib
from tests.benchmarks.topic import CONNECTORS, KEYS, PARTITIONS, fill

ROUNDS = 5


def rows(brokers: str, folder: Path) -> list[Row]:
    kcat = peers.kcat()
    fill(brokers, "bench-export", KEYS, CONNECTORS)
    document, lines, numbers = folder / "export.json", folder / "records.txt", itertools.count(1)
    ours = {"bootstrap_servers": [brokers], "method": "topic"}
    admin = AdminClient({"bootstrap.servers": brokers})

    def export() -> float:
        document.unlink(missing_ok=True)
        return module("connector_offsets_export", offset_topic="bench-export", dest=str(document), **ours)

    def read() -> float:
        command = [kcat, "-b", brokers, "-t", "bench-export", "-C", "-e", "-J", "-q"]
        return timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))

    exported, theirs = alternate(ROUNDS, export, read)
    connectors = json.loads(document.read_text())["connectors"]
    with open(lines, "w") as file:
        for name, pairs in connectors.items():
            for pair in pairs:
                key = json.dumps([name, pair["partition"]], separators=(",", ":"))
                file.write(f"{key}\t{json.dumps(pair['offset'])}\n")

    def new_topic() -> str:
        name = f"bench-import-{next(numbers)}"
        admin.create_topics([NewTopic(name, PARTITIONS, 1, config={"cleanup.policy": "compact"})])[name].result()
        return name

    def import_() -> float:
        return module("connector_offsets_import", **into_new_topic())

    def into_new_topic() -> dict:
        name = new_topic()
        return {"offset_topic": name, "src": str(document), "assume_stopped": True, "ledger_file": str(folder / f"{name}.jsonl"), **ours}

    def peaks() -> list[float]:
        export = {"offset_topic": "bench-export", "dest": str(folder / "again.json"), **ours}
        read_back = into_new_topic()
        return [module_peak_mib("connector_offsets_export", **export), module_peak_mib("connector_offsets_import", **read_back)]

    def write() -> float:
        command = [kcat, "-b", brokers, "-t", new_topic(), "-P", "-K", "\t", "-X", "topic.partitioner=murmur2", "-l", str(lines)]
        return timed(lambda: subprocess.run(command, check=True))

    imported, written = alternate(ROUNDS, import_, write)
    export_peak, import_peak = peaks()
    return [
        Row("(l) export of 100,000 offsets of 500 connectors, against kcat -J", exported, theirs, 4.5),
        Row("(l) import of the same, against kcat -P with the same records", imported, written, 30.0),
        Row("(l) memory of the export against the limit", export_peak, 300, 1.0, "MiB"),
        Row("(l) memory of the import with a new ledger against the limit", import_peak, 300, 1.0, "MiB"),
    ]
