# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The jobs of the workflow run every session that `make test` and `make lint` run; those in CHECK are run by `make check`."""

import re
import sys
from pathlib import Path

import yaml


def problems() -> list[str]:
    makefile = Path("Makefile").read_text()
    lists = {name: re.search(rf"^{name} := (.*)$", makefile, re.MULTILINE)[1].split() for name in ("TESTS", "STATIC", "CHECK")}
    jobs = yaml.safe_load(Path(".github/workflows/ci.yml").read_text())["jobs"]["test"]["strategy"]["matrix"]["include"]
    run = [target for job in jobs for target in job["targets"].split()]
    wanted = {"check", *lists["TESTS"], *lists["STATIC"]} - set(lists["CHECK"])
    found = [f"in no job of the workflow: make {target}" for target in sorted(wanted - set(run))]
    found += [f"in the workflow, but part of make check, or no session at all: make {target}" for target in sorted(set(run) - wanted)]
    return found + [f"twice in the workflow: make {target}" for target in sorted(wanted) if run.count(target) > 1]


if __name__ == "__main__":
    sys.exit("\n".join(problems()) or None)
