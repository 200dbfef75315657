# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the commands of a scenario: its blocks with what they print now."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from tests.docs.bench import Bench, Cluster
from tests.docs.blocks import Block, File, parse, shown
from tests.docs.scenarios import SCENARIOS
from tests.integration.support.ansible_playbook import ansible_playbook
from tests.integration.support.playbook import environment
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import Worker

ROOT = Path(__file__).resolve().parents[2]


def run(name: str, folder: Path, endpoints: dict) -> list[tuple[Block, list[str]]]:
    """Each block of the scenario, and the lines that it should have.

    folder: of this run alone. endpoints: of the stack, which has the scenario's clusters.
    """
    scenario = SCENARIOS[name]
    found = [endpoints["clusters"][cluster] for cluster in scenario.clusters]
    clusters = [Cluster(Worker(one["urls"][0]), one["group_id"], one["offset_topic"]) for one in found]
    bench = Bench(folder, clusters, Kafka(endpoints["bootstrap_servers"]), scenario.brokers)
    try:
        scenario.prepare(bench)
        for command in scenario.first:
            _print(command, bench)
        found = []
        for part in parse((ROOT / scenario.page).read_text(encoding="utf-8")):
            if isinstance(part, File):
                bench.write(part.name, part.text)
            elif part.scenario == name:
                found.append((part, [line for command in part.commands for line in _lines(command, part, bench)]))
        assert found, f"{scenario.page} has no block of {name}"
        return found
    finally:
        bench.close()


def _lines(command: str, block: Block, bench: Bench) -> list[str]:
    first, *more = command.split("\n")
    return [f"$ {first}", *more, *shown(_print(command, bench), block.selectors)]


def _print(command: str, bench: Bench) -> str:
    bench.settled()
    home = bench.folder / "home" / ".local"
    env = {**environment(), "XDG_DATA_HOME": str(home / "share"), "XDG_STATE_HOME": str(home / "state"), "USER": "ops", "LOGNAME": "ops",
           "PWD": str(bench.folder)}
    command = bench.here(command)
    words = shlex.split(command.replace("\\\n", " "))
    if words[0] == "ansible-playbook":
        program = Path(sys.executable).with_name(words[0])
        done = ansible_playbook(program, *words[1:], folder=bench.folder, env=env, merged=True)
    else:
        done = subprocess.run(["bash", "-c", command], cwd=bench.folder, env=env, text=True, timeout=60, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return bench.shown(done.stdout)
