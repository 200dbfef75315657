# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The main job on a real Kafka: a connector delivers its input once more, because a playbook said so, and Spark proves it.

Run by ``make demo``; ``make demo ARGS=--keep`` leaves the stack running to play with.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from demo.topic import read_topic
from stack import ClusterSpec, Stack
from stack.paths import cache_dir

HERE = Path(__file__).resolve().parent
LINES = ["apples 3", "pears 7", "plums 12", "quinces 1", "figs 30"]
STARTED = time.monotonic()
STEPS = itertools.count(1)


def main() -> int:
    arguments = argparse.ArgumentParser(prog="make demo", description=__doc__.splitlines()[0])
    arguments.add_argument("--keep", action="store_true", help="leave the broker and the worker running")
    keep = arguments.parse_args().keep
    stack = Stack(cache_dir() / "stacks" / "demo", say=lambda line: print("      " + line, flush=True))
    stack.purge()
    try:
        return show(stack, keep)
    finally:
        if not keep:
            stack.purge()


def show(stack: Stack, keep: bool) -> int:
    step("Start a Kafka broker and a Kafka Connect worker on this machine")
    stack.up({"main": ClusterSpec("4.3.1")})
    endpoints = stack.endpoints()
    brokers, url = endpoints["bootstrap_servers"], endpoints["clusters"]["main"]["urls"][0]

    folder = Path(endpoints["dir"]) / "demo"
    folder.mkdir(exist_ok=True)
    orders = folder / "orders.txt"
    orders.write_text("".join(line + "\n" for line in LINES), encoding="utf-8")
    inventory = folder / "inventory.json"
    reports = cache_dir() / "demo-report"
    shutil.rmtree(reports, ignore_errors=True)
    hosts = {"demo": {"kafka_connect_url": url, "kafka_bootstrap_servers": brokers, "orders_file": str(orders),
                      "verify_replay_report_dir": str(reports), "reset_offsets_backup_dir": str(folder / "backups")}}
    inventory.write_text(json.dumps({"kafka_connect": {"hosts": hosts}}), encoding="utf-8")
    replay = ["streamops.kafka_connect.reset_offsets", "-i", str(inventory), "-e", f"@{HERE / 'replay.yml'}"]

    step("Create the connector orders-source, which reads orders.txt (5 lines) into the topic orders")
    playbook(str(HERE / "create.yml"), "-i", str(inventory))
    before = read_topic(brokers, "orders", len(LINES))
    print_records(before)

    step("Ask what a reset to the beginning of the file would do: --check --diff changes nothing")
    playbook(*replay, "--check", "--diff")

    step("Do it: stop the connector, set its offset back, start it, wait until it has delivered, and have Spark compare the records")
    playbook(*replay)

    step("Do it again: this change has a name, demo-1, and was made, so nothing happens, although the connector has moved on")
    playbook(*replay)
    records = read_topic(brokers, "orders", 2 * len(LINES))
    print_records(records, known=len(before))

    again = [value for _offset, value in records[len(before):]]
    good = [value for _offset, value in before] == LINES and again == LINES
    print()
    if good:
        print(f"The {len(LINES)} records were delivered again, as offsets {len(before)} to {len(records) - 1} of the topic orders.")
    else:
        print(f"FAILED: expected {LINES} twice in the topic orders, found {records}")
    pages = list(reports.glob("*.html"))
    good = good and len(pages) == 1
    print(f"The proof, a page for a browser: {pages[0]}" if good else f"FAILED: expected one report in {reports}, found {len(pages)}")
    print(f"Demo done in {time.monotonic() - STARTED:.0f} s.")
    if keep:
        print(f"Still running: Connect at {url}, Kafka at {brokers}. Stop both with: python3 -m stack down --dir {endpoints['dir']}")
    return 0 if good else 1


def step(text: str) -> None:
    print(f"\n[{time.monotonic() - STARTED:3.0f} s] {next(STEPS)}. {text}", flush=True)


def playbook(*arguments: str) -> None:
    """Run ansible-playbook of the environment that runs this."""
    command = [str(Path(sys.executable).with_name("ansible-playbook")), *arguments]
    print("      $ ansible-playbook " + " ".join(("@" if word.startswith("@") else "") + Path(word).name for word in arguments))
    # what changes, and what the playbooks say of it; not every task that was fine
    settings = {"ANSIBLE_DISPLAY_SKIPPED_HOSTS": "false", "ANSIBLE_DISPLAY_OK_HOSTS": "false",
                "ANSIBLE_FORCE_COLOR": "1" if sys.stdout.isatty() else "0"}
    with subprocess.Popen(
        command, env=os.environ | settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        for line in process.stdout or ():
            if line.strip():
                print("      | " + line.rstrip(), flush=True)
    if process.returncode:
        raise SystemExit(f"ansible-playbook ended with {process.returncode}")


def print_records(records: list[tuple[int, str]], known: int = 0) -> None:
    print("      The topic orders now holds:")
    for offset, value in records:
        print(f"        offset {offset}: {value}" + ("   <- delivered again" if known and offset >= known else ""))


if __name__ == "__main__":
    sys.exit(main())
