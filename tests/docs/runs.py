# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the commands of a scenario, and compares what they print with its page, or writes it there."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.docs.bench import Bench, Cluster, Place
from tests.docs.blocks import Block, File, normalised, parse, replaced, shown
from tests.docs.scenarios import SCENARIOS
from tests.integration.support.ansible_playbook import ansible_playbook
from tests.integration.support.playbook import environment
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import Worker

ROOT = Path(__file__).resolve().parents[2]
#: "changed" or "all": pages are written anew instead of compared, where they differ in more than numbers, times and paths, or at all
WRITE = "STREAMOPS_DOCS_OUTPUTS"


@contextmanager
def prepared(name: str, folder: Path, endpoints: dict) -> Iterator[Bench]:
    """The connectors of a scenario on the stack of the tests, which has its clusters. folder: of this run alone."""
    scenario = SCENARIOS[name]
    found = [endpoints["clusters"][cluster] for cluster in scenario.clusters]
    clusters = [Cluster(Worker(one["urls"][0]), one["group_id"], one["offset_topic"]) for one in found]
    bench = Bench(folder, dict(zip(scenario.hosts, clusters, strict=True)), Kafka(endpoints["bootstrap_servers"]), scenario.brokers)
    try:
        scenario.prepare(bench)
        for command in scenario.first:
            _print(command, bench)
        yield bench
    finally:
        bench.close()


def checked(name: str, place: Place) -> Iterator[str]:
    """Runs a scenario block by block, and yields all that each has printed.

    AssertionError: the page shows something else.
    """
    path = ROOT / SCENARIOS[name].page
    number = 0
    for part in parse(path.read_text(encoding="utf-8")):
        if isinstance(part, File):
            place.write(part.name, part.text)
        elif part.scenario == name:
            printed = [_print(command, place) for command in part.commands]
            lines = [line for command, text in zip(part.commands, printed, strict=True)
                     for line in (*f"$ {command}".split("\n"), *shown(text, part.selectors))]
            if os.environ.get(WRITE):
                _write(path, name, number, lines, os.environ[WRITE] == "all")
            else:
                text = "\n".join(lines)
                assert normalised(part.lines) == normalised(lines), f"make docs-outputs ARGS='-k {name}'; it prints now:\n{text}"
            number += 1
            yield "".join(printed)
    assert number, f"{path} has no block of {name}"


def _write(path: Path, name: str, number: int, lines: list[str], everything: bool) -> None:
    """number: which of the scenario's blocks. Those before it may have another length by now."""
    text = path.read_text(encoding="utf-8")
    block = [part for part in parse(text) if isinstance(part, Block) and part.scenario == name][number]
    if everything or normalised(block.lines) != normalised(lines):
        path.write_text(replaced(text, [(block, lines)]), encoding="utf-8")


def _print(command: str, place: Place) -> str:
    """What it prints, as a page shows it."""
    place.settled()
    home = place.folder / "home" / ".local"
    env = {**environment(), "XDG_DATA_HOME": str(home / "share"), "XDG_STATE_HOME": str(home / "state"), "USER": "ops", "LOGNAME": "ops",
           "PWD": str(place.folder)}
    command = place.here(command)
    words = shlex.split(command.replace("\\\n", " "))
    if words[0] == "ansible-playbook":
        program = Path(sys.executable).with_name(words[0])
        done = ansible_playbook(program, *words[1:], folder=place.folder, env=env, merged=True)
    else:
        done = subprocess.run(["bash", "-c", command], cwd=place.folder, env=env, text=True, timeout=60, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return place.shown(done.stdout)
