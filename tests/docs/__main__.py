# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""make docs-outputs: runs the commands of the documentation on a stack of its own, and writes into its pages what they print."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from stack import ClusterSpec, Stack
from tests.docs.blocks import normalised, replaced
from tests.docs.runs import ROOT, run
from tests.docs.scenarios import SCENARIOS

SPECS = {"main": ClusterSpec(), "wide": ClusterSpec(offset_partitions=25), "v34": ClusterSpec("3.4.1")}


def main() -> None:
    arguments = argparse.ArgumentParser(prog="make docs-outputs", description=__doc__.splitlines()[0])
    arguments.add_argument("--all", action="store_true", help="write blocks anew that differ in numbers, times and paths alone, too")
    arguments.add_argument("scenarios", nargs="*", default=list(SCENARIOS), metavar="SCENARIO")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="docs-") as top:
        stack = Stack(Path(top, "stack"))
        try:
            for name in given.scenarios:
                folder = Path(top, name)
                folder.mkdir()
                write(name, folder, stack, given.all)
        finally:
            stack.purge()


def write(name: str, folder: Path, stack: Stack, everything: bool) -> None:
    scenario = SCENARIOS[name]
    stack.up({cluster: SPECS[cluster] for cluster in scenario.clusters})
    found = run(name, folder, stack.endpoints())
    new = [(block, lines) for block, lines in found if everything or normalised(lines) != normalised(block.lines)]
    page = ROOT / scenario.page
    page.write_text(replaced(page.read_text(encoding="utf-8"), new), encoding="utf-8")
    print(f"{name}: {len(found)} blocks, {len(new)} written anew in {scenario.page}", flush=True)


if __name__ == "__main__":
    main()
