# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet of stub workers by reset_offsets: how time, memory and output of one controller grow."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.measure import Row
from tests.benchmarks.stub_workers import CONNECTOR, FILE, stub_clusters

FORKS, DOWN = 50, 3


class Run(NamedTuple):
    """seconds; MiB of the controller's main process; what it has printed; the summary's document."""

    seconds: float
    mib: float
    output: str
    summary: dict


def rows(folder: Path) -> list[Row]:
    """STREAMOPS_BENCH_FLEET: how many clusters at first and at last, as "100,1000"."""
    few, many = (int(number) for number in os.environ.get("STREAMOPS_BENCH_FLEET", "100,1000").split(","))
    first, last = (measured(folder / f"fleet{count}", count) for count in (few, many))
    return [
        Row(f"(m) reset_offsets, 100 of {many} clusters against 100 of {few}", last.seconds / many * 100, first.seconds / few * 100, 1.5),
        Row(f"(m) the same: memory of the controller, {many} clusters", last.mib, 1024, 1.0, "MiB"),
        Row(f"(m) the same: lines of output, {many} clusters", last.output.count("\n"), 400, 1.0, "lines"),
    ]


def measured(folder: Path, count: int) -> Run:
    """One run of reset_offsets over so many clusters, of which DOWN percent are down: all others are changed, in batches of 25 %."""
    down = count * DOWN // 100
    folder.mkdir(parents=True, exist_ok=True)
    with stub_clusters(count - down) as urls:
        addresses = urls + [nobody()] * down
        hosts = {f"c{number:04}": {"kafka_connect_url": url} for number, url in enumerate(addresses)}
        found = reset(folder, hosts)
    counts = found.summary["counts"]
    if counts["changed"] != count - down or counts["failed"] != down:
        raise SystemExit(f"{counts} of {count} clusters, {down} of which are down")
    return found


def nobody() -> str:
    """The URL of a port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def reset(folder: Path, hosts: dict) -> Run:
    inventory, extra, output, summary = folder / "inventory.json", folder / "extra.json", folder / "output.txt", folder / "summary.json"
    canary = dict.fromkeys(list(hosts)[:2], {})
    inventory.write_text(json.dumps({"all": {"hosts": hosts, "children": {"canary": {"hosts": canary}}}}))
    extra.write_text(json.dumps({
        "reset_offsets_connectors": [{"name": CONNECTOR, "offsets": [{"partition": {"filename": FILE}, "offset": {"position": 1}}]}],
        "reset_offsets_settle": 0, "reset_offsets_check_position": "none", "reset_offsets_serial": "2,25%",
        "reset_offsets_skip_unready": True, "reset_offsets_summary_file": str(summary), "reset_offsets_backup_dir": str(folder / "backups"),
    }))
    program = str(Path(sys.executable).with_name("ansible-playbook"))
    command = [program, "-i", str(inventory), "-e", f"@{extra}", "--forks", str(FORKS), "streamops.kafka_connect.reset_offsets"]
    env = {**os.environ, "ANSIBLE_PIPELINING": "1", "ANSIBLE_NOCOLOR": "1"}
    start = time.perf_counter()
    with output.open("w") as file, subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=env) as process:
        peak = watched_mib(process)
    seconds = time.perf_counter() - start
    if not summary.exists():
        raise SystemExit(f"no summary:\n{output.read_text()[-3000:]}")
    return Run(seconds, peak, output.read_text(), json.loads(summary.read_text()))


def watched_mib(process: subprocess.Popen) -> float:
    """The largest resident set of the process itself, without its forks, which share it."""
    peak, status = 0, Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        lines = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        peak = max([peak, *(int(line.split()[1]) for line in lines)])
        time.sleep(0.5)
    return peak / 1024
