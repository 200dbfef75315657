# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a module imports travels to the host with each of its tasks, and is compiled there: a module that needs little must stay small.
With --all it lists what every module ships."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MODULES = Path("plugins/modules")
UTILS = Path("plugins/module_utils")
PREFIX = "ansible_collections.streamops.kafka_connect.plugins.module_utils."
#: module -> (files of module_utils, KiB of them), at most
BUDGETS = {
    "connector_info": (15, 120),
    "connector_state": (20, 180),
    "topic": (27, 190),
    "topic_offsets_info": (21, 180),
}


def imported(path: Path) -> Iterator[Path]:
    """The files of module_utils that it imports, anywhere in it: AnsiballZ does not run the code."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PREFIX):
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.startswith(PREFIX)]
        else:
            continue
        files = (UTILS.joinpath(*name.removeprefix(PREFIX).split(".")).with_suffix(".py") for name in names)
        yield from (file for file in files if file.is_file())


def shipped(module: Path) -> set[Path]:
    found, queue = set(), [module]
    while queue:
        new = set(imported(queue.pop())) - found
        found |= new
        queue += new
    return found


def main() -> int:
    found = {module.stem: shipped(module) for module in sorted(MODULES.glob("*.py"))}
    figures = {name: (len(files), sum(file.stat().st_size for file in files) / 1024) for name, files in found.items()}
    lines = [f"{name:<26} {files:>3} files {size:>6.1f} KiB" for name, (files, size) in figures.items() if "--all" in sys.argv[1:]]
    problems = [f"{MODULES}/{name}.py ships {figures[name][0]} files with {figures[name][1]:.0f} KiB; {files} and {size} are allowed"
                for name, (files, size) in BUDGETS.items() if figures[name][0] > files or figures[name][1] > size]
    print("\n".join(lines + problems), end="\n" if lines or problems else "")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
