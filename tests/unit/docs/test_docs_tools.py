# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What keeps the documentation true notices when it is not."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import Block, File, normalised, parse, replaced, shown, unmarked_outputs
from tests.docs.links import of_repository, of_site
from tests.lint.quoted_messages import missing, quotations

ROOT = Path(__file__).resolve().parents[3]

PAGE = """
.. code-block:: yaml

    # replay.yml
    a: 1

.. run replay: summary
.. code-block:: console

    $ ansible-playbook -e @replay.yml
    old

Text
"""
PRINTED = """
PLAY [Change] ****

TASK [Change the offsets] ****
--- before: x
+++ after: x
-1
+2

changed: [eu]

TASK [ns.role : Sum up] ****
CLUSTER  SET
eu         1
ok: [eu]

PLAY RECAP ****
eu   : ok=2    changed=1
"""


def test_a_block_is_found_and_written():
    file, block = parse(PAGE)
    assert file == File("replay.yml", "# replay.yml\na: 1\n")
    assert isinstance(block, Block) and block.scenario == "replay" and block.commands == ["ansible-playbook -e @replay.yml"]
    assert replaced(PAGE, [(block, ["$ true", "new"])]) == PAGE.replace("$ ansible-playbook -e @replay.yml", "$ true").replace("old", "new")


def test_a_block_of_markdown():
    block, = parse("<!-- run readme: diff summary -->\n```console\n$ a \\\n    b\nold\n```\n")
    assert block.selectors == ("diff", "summary") and block.commands == ["a \\\n    b"]


@pytest.mark.parametrize(("selectors", "lines"), [
    (("summary",), ["CLUSTER  SET", "eu         1"]),
    (("diff", "summary"), ["--- before: x", "+++ after: x", "-1", "+2", "", "[...]", "CLUSTER  SET", "eu         1"]),
    (("recap",), ["eu   : ok=2    changed=1"]),
])
def test_selected_lines(selectors, lines):
    assert [line for line in shown(PRINTED, selectors) if line] == [line for line in lines if line]


def test_nothing_selected_is_an_error():
    with pytest.raises(ValueError, match="nothing of report is in what was printed"):
        shown(PRINTED, ("report",))


@pytest.mark.parametrize(("one", "other", "same"), [
    ("Backup: /a/b.json", "Backup: /tmp/c-20261130T193333.116034Z.json", True),
    ("eu  1 changed", "eu         12 changed", True),
    ("the oldest for 6 s", "the oldest for 1 min 12 s", True),
    ("the oldest for 6 s", "the oldest for 6 records", False),
    ("1 changed", "1 failed", False),
    ("CLUSTER  SET", "CLUSTER  SET  REMOVED", False),
])
def test_what_two_runs_have_in_common(one, other, same):
    assert (normalised([one]) == normalised([other])) is same


def test_an_output_without_a_mark():
    assert unmarked_outputs(PAGE) == []
    assert unmarked_outputs(PAGE.replace(".. run replay: summary\n", "")) == ["old"]


@pytest.mark.parametrize(("quoted", "stale"), [
    ("The backup file ... exists already and is never overwritten.", []),
    ("The backup file ... exists already and is sometimes overwritten.", ["exists already and is sometimes overwritten."]),
    ("... is N, but ... of ... would go further ...: ...", []),
    ("Live now: ... What finishes this: ...", ["Live now:"]),
    ("This run differs from the dry run: one: the offset declared for N is N, but the dry run showed N. Nothing was changed.", []),
    ("Nothing was changed. Make a new dry run, in AWX by closing the browser.", ["Make a new dry run, in AWX by closing the browser."]),
])
def test_a_message_that_the_source_does_not_have(monkeypatch, quoted, stale):
    monkeypatch.chdir(ROOT)
    assert missing(quoted) == stale


def test_quotations_of_a_page():
    table = ".. list-table::\n\n   * - Message\n     - Cause\n   * - ``one ...`` or\n       ``two``\n     - ``three``\n"
    text = ".. code-block:: text\n\n    four\n    five\n\n"
    text += ".. code-block:: console\n\n    [ERROR]: Task failed: Module failed: six\n    seven\n"
    assert [quoted for _line, quoted in quotations(table + "\n" + text)] == ["one ...", "two", "four five", "six"]


def test_broken_links(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("[a](docs/a.md) [b](docs/b.md) [c](https://example.com)")
    (tmp_path / "docs/a.md").write_text("")
    assert of_repository(tmp_path) == ["README.md: there is no docs/b.md"]
    site = tmp_path / "site"
    site.mkdir()
    (site / "a.html").write_text('<p id="x"><a href="a.html#x">1</a><a href="#y">2</a><a href="b.html">3</a>')
    assert of_site(site) == ["a.html: there is no section #y", "a.html: there is no b.html"]


def task_guides() -> list[str]:
    sections = yaml.safe_load((ROOT / "docs/docsite/extra-docs.yml").read_text())["sections"]
    return next(section["toctree"] for section in sections if section["title"] == "Tasks")


@pytest.mark.parametrize("name", task_guides())
def test_a_guide_by_task_is_short_and_begins_with_the_commands(name):
    """600 words without the header, and without what runs have printed; the first command or declaration within the first screen."""
    text = (ROOT / f"docs/docsite/rst/{name}.rst").read_text()
    lines = text[text.index("docsite.guide_"):].splitlines()[1:]
    blocks = [part for part in parse(text) if isinstance(part, Block)]
    printed = sum(len(" ".join(block.lines).split()) - len(" ".join(block.commands).split()) for block in blocks)
    assert len(" ".join(lines).split()) - printed <= 600
    assert next(number for number, line in enumerate(lines) if line.startswith(".. code-block::")) <= 12
