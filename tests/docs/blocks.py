# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Console blocks of the documentation that are printed by runs: where they are in a page, and which lines of a run they show.

A mark stands before such a block: ``.. run SCENARIO: SELECTORS`` in RST, ``<!-- run SCENARIO: SELECTORS -->`` in Markdown. The block
has the commands, each with the selected lines of what it prints; ``[...]`` stands for those between them. A YAML block that begins with
``# NAME.yml`` is that file for the commands that follow it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LEFT_OUT = "[...]"
_MARK = re.compile(r"(?:\.\. run (?P<rst>[\w-]+)|<!-- run (?P<md>[\w-]+)):(?P<selectors>[^>]*?)(?: -->)?$")
_CONSOLE = (".. code-block:: console", "```console")
_YAML = (".. code-block:: yaml", "```yaml")
_FILE = re.compile(r"# ([\w./-]+\.yml)\b")
#: a header of Ansible's: the next task or play
_HEADER = ("TASK [", "PLAY [", "PLAY RECAP", "RUNNING HANDLER [")
#: the result of a task on a host
_RESULT = re.compile(r"(?:ok|changed|skipping|fatal|failed): \[")


@dataclass
class File:
    """A file that the page shows."""

    name: str
    text: str


@dataclass
class Block:
    """begin, end: numbers of its lines in the page, without the fence."""

    scenario: str
    selectors: tuple[str, ...]
    begin: int
    end: int
    indent: str
    lines: list[str]

    @property
    def commands(self) -> list[str]:
        """Without the prompt; one that goes on after a backslash has several lines."""
        found: list[str] = []
        for line in self.lines:
            if line.startswith("$ "):
                found.append(line[2:])
            elif found and found[-1].endswith("\\"):
                found[-1] += "\n" + line
        return found


def parse(text: str) -> Iterator[File | Block]:
    """What a page has, in its order."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line not in (*_CONSOLE, *_YAML):
            continue
        begin, end = _content(lines, number)
        content = lines[begin:end]
        indent = re.match(r" *", content[0])[0] if content else ""
        content = [one.removeprefix(indent) for one in content]
        mark = _mark(lines, number)
        name = _FILE.match(content[0]) if content and line in _YAML else None
        if mark and line in _CONSOLE:
            yield Block(mark["rst"] or mark["md"], tuple(mark["selectors"].split()), begin, end, indent, content)
        elif name:
            yield File(name[1], "\n".join(content) + "\n")


def unmarked_outputs(text: str) -> list[str]:
    """The lines of console blocks without a mark that are no commands."""
    lines = text.splitlines()
    found = []
    for number, line in enumerate(lines):
        if line.strip() in _CONSOLE and not _mark(lines, number):
            begin, end = _content(lines, number)
            command = False
            for one in map(str.strip, lines[begin:end]):
                goes_on = command and not one.startswith("$ ")
                if not one.startswith("$ ") and not goes_on:
                    found.append(one)
                command = one.endswith("\\")
    return found


def _mark(lines: list[str], number: int) -> re.Match | None:
    return _MARK.match(lines[number - 1]) if number else None


def _content(lines: list[str], number: int) -> tuple[int, int]:
    begin = number + 1
    if lines[number].startswith("```"):
        return begin, next(end for end in range(begin, len(lines)) if lines[end] == "```")
    while begin < len(lines) and not lines[begin]:
        begin += 1
    end = begin
    while end < len(lines) and (not lines[end] or lines[end].startswith(" ")):
        end += 1
    while end > begin and not lines[end - 1]:
        end -= 1
    return begin, end


def replaced(text: str, blocks: list[tuple[Block, list[str]]]) -> str:
    """The page with other lines in these blocks."""
    lines = text.splitlines()
    for block, new in sorted(blocks, key=lambda pair: -pair[0].begin):
        lines[block.begin:block.end] = [(block.indent + line).rstrip() for line in new]
    return "\n".join(lines) + "\n"


# --- which lines are shown


def shown(printed: str, selectors: tuple[str, ...]) -> list[str]:
    """The selected lines of what a command prints. ValueError where it has none of a selector's."""
    lines = printed.rstrip("\n").splitlines()
    selected = {selector: _SELECTORS[selector](lines) for selector in selectors}
    empty = [selector for selector, found in selected.items() if lines and not found and selector != "nothing"]
    if empty:
        raise ValueError(f"nothing of {', '.join(empty)} is in what was printed:\n{printed}")
    kept = sorted(set().union(*selected.values()))
    found: list[str] = []
    last = -1
    for number in kept:
        if found and any(lines[last + 1:number]):
            found.append(LEFT_OUT)
        if lines[number] or found and found[-1] not in ("", LEFT_OUT):
            found.append(lines[number])
        last = number
    while found and not found[-1]:
        found.pop()
    return found


def _all(lines: list[str]) -> set[int]:
    return set(range(len(lines)))


def _diff(lines: list[str]) -> set[int]:
    """The differences, and how far the partitions move."""
    found, inside = set(), False
    for number, line in enumerate(lines):
        inside = line.startswith("--- before") or inside and not (_RESULT.match(line) or line.startswith(_HEADER))
        if inside:
            found.add(number)
    return found


def _task(*names: str):
    """What tasks of these names have shown, without their headers; they may be a role's."""
    header = re.compile(rf"TASK \[(?:[\w.]+ : )?(?:{'|'.join(map(re.escape, names))})\]")

    def select(lines: list[str]) -> set[int]:
        found, inside = set(), False
        for number, line in enumerate(lines):
            if line.startswith(_HEADER):
                inside = bool(header.match(line))
            elif _RESULT.match(line):
                inside = False
            elif inside and not line.startswith("[WARNING]"):
                found.add(number)
        return found
    return select


def _begins(*words: str):
    """Paragraphs that begin so: Ansible breaks a long warning into lines."""
    def select(lines: list[str]) -> set[int]:
        found, inside = set(), False
        for number, line in enumerate(lines):
            goes_on = line and not line.startswith(("[", "Origin: ", *_HEADER)) and not _RESULT.match(line)
            inside = line.startswith(words) or inside and bool(goes_on)
            if inside:
                found.add(number)
        return found
    return select


def _recap(lines: list[str]) -> set[int]:
    begin = next((number for number, line in enumerate(lines) if line.startswith("PLAY RECAP")), len(lines))
    return {number for number in range(begin + 1, len(lines)) if " : ok=" in lines[number]}


_SELECTORS = {
    "all": _all,
    "diff": _diff,
    "summary": _task("Sum up"),
    "report": _task("Show the report"),
    "plan": _task("Show the plan"),
    "done": _task("Show what was done", "Show what was written", "Show what was removed"),
    "warnings": _begins("[WARNING]"),
    "errors": _begins("[ERROR]"),
    "verification": _begins("pass: ", "fail: ", "cannot_tell: "),
    "recap": _recap,
    "nothing": lambda lines: set(),
}


# --- what two runs have in common


def normalised(lines: list[str]) -> str:
    """Without numbers, times, paths, addresses and what depends on their lengths."""
    text = " ".join(" ".join(lines).split())
    text = re.sub(r"\w+://[^\s,\"')]+", "URL", text)
    text = re.sub(r"(?<![\w.])~?/[^\s,\"')]+", "PATH", text)
    text = re.sub(r"\b(?=[0-9a-f]*\d)[0-9a-f]{16}\b", "DIGEST", text)
    text = re.sub(r"\b\d{8}T\d{6}(?:\.\d+)?Z(?:-[0-9a-f]{4})?", "TIME", text)
    text = re.sub(r"\d+(?:[.,:]\d+)*", "N", text)
    text = re.sub(r"\bN (?:d|h|min)(?: N (?:h|min|s))?\b", "N s", text)  # how long something lasts
    return re.sub(r"\*+", "*", text)
