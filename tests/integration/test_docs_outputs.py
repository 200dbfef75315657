# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation shows what its commands print, but for numbers, times and paths. ``make docs-outputs`` writes it anew."""

from __future__ import annotations

import pytest

from tests.docs.blocks import Block, parse, unmarked_outputs
from tests.docs.runs import ROOT, checked, prepared
from tests.docs.scenarios import SCENARIOS

#: the others need pyspark, or another stack: their tests are with those that have them
HERE = [name for name, scenario in SCENARIOS.items() if scenario.prepare and name != "verify"]


@pytest.mark.parametrize("name", HERE)
def test_what_is_printed(name, live_stack, tmp_path, request):
    for cluster in SCENARIOS[name].clusters:
        request.getfixturevalue(cluster)  # starts it
    with prepared(name, tmp_path, live_stack.endpoints()) as bench:
        for _printed in checked(name, bench):
            pass


def test_no_block_is_left_out():
    """A mark whose scenario does not exist, or is of another page, would never be looked at."""
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.rst"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("roles/*/README.md")]
    marked = {(str(page.relative_to(ROOT)), part.scenario) for page in pages for part in parse(page.read_text(encoding="utf-8"))
              if isinstance(part, Block)}
    assert marked == {(scenario.page, name) for name, scenario in SCENARIOS.items()}


def test_what_looks_printed_is_printed():
    """A console block without a mark has commands alone."""
    for page in (ROOT / "README.md", *ROOT.glob("docs/docsite/rst/*.rst")):
        printed = [f"{page.name}: {line}" for line in unmarked_outputs(page.read_text(encoding="utf-8"))]
        assert not printed, f"what no run has printed: {printed}"
