# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many Connect clusters in one run, against a process for each connector; and how that grows with the number of clusters."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from stack import ClusterSpec, Stack
from tests.benchmarks.measure import Row, run, timed
from tests.benchmarks.peers import Bkkt
from tests.benchmarks.rest import NUMBERS, pairs, stopped_connector

CONNECTORS = 10
FORKS = 10


def rows(folder: Path) -> list[Row]:
    """STREAMOPS_BENCH_CLUSTERS: how many at first (10) and at last (40), as "10,40"; the second is left out where memory ends."""
    few, many = (int(number) for number in os.environ.get("STREAMOPS_BENCH_CLUSTERS", "10,40").split(","))
    stack = Stack(folder / "fleet", say=lambda line: print(line, file=sys.stderr, flush=True))
    try:
        with fleet(stack, few, folder) as hosts:
            found = against_bkkt(hosts, folder)
            first = seconds(folder, "reset_offsets", hosts, next(NUMBERS))
        room = free_mib() // 230
        if room < many - few:
            print(f"(l) memory ends at {few + room} clusters: growth is measured up to there", file=sys.stderr)
            many = few + room
        with fleet(stack, many, folder) as hosts:
            last = seconds(folder, "reset_offsets", hosts, next(NUMBERS))
        name = f"(l) reset_offsets, all changed: {FORKS} of {many} clusters against {FORKS} of {few}"
        growth = Row(name, last / many * FORKS, first / few * FORKS, 1.5)
        return [*found, growth]
    finally:
        stack.purge()


def free_mib() -> int:
    line = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable"))
    return int(line.split()[1]) // 1024


@contextmanager
def fleet(stack: Stack, count: int, folder: Path) -> Iterator[dict]:
    """So many Connect clusters on one broker, each with stopped connectors of the same names, as an inventory's hosts."""
    specs = {f"c{number:02}": ClusterSpec(jvm_options=("-Xmx96m",)) for number in range(count)}
    stack.up(specs)
    urls = {name: stack.endpoints()["clusters"][name]["urls"][0] for name in specs}
    for url in urls.values():
        there = requests.get(f"{url}/connectors", timeout=120).json()
        for name in names():
            if name not in there:
                stopped_connector(url, name, 1)
    yield {name: {"kafka_connect_url": url} for name, url in urls.items()}


def names() -> list[str]:
    return [f"bench-{number}" for number in range(CONNECTORS)]


def against_bkkt(hosts: dict, folder: Path) -> list[Row]:
    """bkkt's get is its no-op, and its patch the change: it does not look first, and does not read back."""
    body = folder / "fleet-bkkt.json"
    peers = [Bkkt(folder / f"bkkt-{host}", variables["kafka_connect_url"]) for host, variables in hosts.items()]
    got = timed(lambda: [peer.get(name) for peer in peers for name in names()])

    def patch() -> None:
        body.write_text(json.dumps({"offsets": pairs(1, next(NUMBERS))}))
        for peer in peers:
            for name in names():
                peer.patch(name, body)

    patched = timed(patch)
    found = []
    for playbook in ("import_offsets", "reset_offsets"):
        offset = next(NUMBERS)
        changed = seconds(folder, playbook, hosts, offset)
        same = seconds(folder, playbook, hosts, offset)
        what = f"{len(hosts)} clusters x {CONNECTORS} connectors by {playbook}"
        # reset_offsets looks at the whole fleet first and at the end, in the forks of Ansible; only a change is a process of its own.
        bounds = (0.2, 0.2) if playbook == "import_offsets" else (0.1, 0.22)
        found += [Row(f"(l) {what}, nothing to change, against bkkt get", same, got, bounds[0]),
                  Row(f"(l) {what}, changed, against bkkt patch", changed, patched, bounds[1])]
    return found


def seconds(folder: Path, playbook: str, hosts: dict, offset: int) -> float:
    """One run over all of them at once, that sets this offset of every connector."""
    inventory, extra, document = folder / "fleet.json", folder / "fleet-extra.json", folder / "fleet-document.json"
    inventory.write_text(json.dumps({"all": {"hosts": hosts}}))
    document.write_text(json.dumps({name: pairs(1, offset) for name in names()}))
    extra.write_text(json.dumps({
        "reset_offsets_connectors": [{"name": name, "offsets": pairs(1, offset)} for name in names()], "reset_offsets_settle": 0,
        "reset_offsets_check_position": "none",
        "import_offsets_src": str(document), "import_offsets_settle": 0, "reset_offsets_serial": "100%", "import_offsets_serial": "100%",
        "reset_offsets_backup_dir": str(folder / "backups"), "import_offsets_backup_dir": str(folder / "backups"),
    }))
    program = str(Path(sys.executable).with_name("ansible-playbook"))
    command = [program, "-i", str(inventory), "-e", f"@{extra}", "--forks", str(FORKS), f"streamops.kafka_connect.{playbook}"]
    start = time.perf_counter()
    run(command, {"ANSIBLE_PIPELINING": "1", "ANSIBLE_NOCOLOR": "1"})
    return time.perf_counter() - start
