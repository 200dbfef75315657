# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each message that the documentation quotes occurs in the source.

Quoted are: the literals in the first column of a table whose first heading is "Message" or "What you see", the blocks of
``code-block:: text``, and the lines ``[ERROR]`` and ``[WARNING]`` of a console block. ``...`` and ``[...]`` stand for what was left out,
``N`` for a number; numbers, JSON, addresses and quoted texts are values. What lies between has to be a part of one string of ``plugins``,
``roles`` or ``playbooks``, whose own placeholders stand for anything, or a chain of a few.
"""

from __future__ import annotations

import ast
import functools
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import yaml

PAGES = (*sorted(Path("docs").rglob("*.rst")), *sorted(Path().glob("README.md")), *sorted(Path("roles").glob("*/README.md")))
SOURCES = (Path("plugins"), Path("roles"), Path("playbooks"))

#: a placeholder of a template
HOLE = "\0"
#: how many words of a quotation one placeholder stands for at most
HOLE_WORDS = 25
#: how many words of a quotation each string has at least, where it is put together from several
LINK = 3
#: the share of words of a quotation that the text of a template has to have, the rest is in its placeholders; of a short one all words
SHARE, SHORT = 0.75, 4

#: texts of other programs that the collection passes on
UPSTREAM = (
    "Failed to import the required Python library (confluent-kafka)",  # Ansible's missing_required_lib
    "Failed to import the required Python library (kubernetes)",
    "unable to convert to dict: dictionary requested, could not parse JSON or key=value",  # Ansible's argument spec
    "couldn't resolve module",
    # Connect
    "However, if this connector manages offsets externally, they will need to be manually altered in the system that the connector uses.",
    "The value for the 'position' key in the offset should be a non-negative value.",
    "No status found for connector",
)

_PRINTED = re.compile(r"\s*\[(?:ERROR|WARNING)\]: (?:Task failed: (?:Action|Module) failed: )?(.*)")
_DOCUMENTATION = {"DOCUMENTATION", "EXAMPLES", "RETURN"}
#: JSON, addresses, quoted texts, numbers, paths
_VALUES = re.compile(r"\{.*?\}|\w+://\S+|\"[^\"]*\"|(?<!\w)\d[\d.]*(?: \d{3})*%?(?!\w)|(?<![\w~])~?/\S+")
_PLACEHOLDER = re.compile(r"%(?:\(\w+\))?[-#0 +]*\d*(?:\.\d+)?[sdrxfg]|\{\{.*?\}\}|\{[^{}]*\}", re.DOTALL)


# --- the source


@functools.cache
def templates() -> tuple[tuple[str, ...], ...]:
    """The words of each string of the source that has any; a placeholder is HOLE."""
    texts: set[str] = set()
    for folder in SOURCES:
        for path in folder.rglob("*.py"):
            texts.update(_of_python(ast.parse(path.read_text(encoding="utf-8"))))
        for path in folder.rglob("*.yml"):
            if path.parent.name != "meta":  # documentation
                for document in yaml.compose_all(path.read_text(encoding="utf-8"), yaml.SafeLoader):
                    texts.update(_of_yaml(document))
    split = {words(_VALUES.sub(HOLE, text)) for text in texts}
    return tuple(sorted(found for found in split if any(word != HOLE for word in found)))


def _of_python(tree: ast.Module) -> Iterator[str]:
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id in _DOCUMENTATION for target in node.targets)}
    left_out |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if id(node) not in left_out:
            text = _template(node)
            if text is not None:
                yield text


def _template(node: ast.AST) -> str | None:
    """The text of an expression, None if it is none."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else HOLE for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        text = _template(node.left)
        return None if text is None else _PLACEHOLDER.sub(HOLE, text)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_template(node.left), _template(node.right)]
        return None if parts == [None, None] else "".join(HOLE if part is None else part for part in parts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        text = _template(node.func.value)
        return None if text is None else _PLACEHOLDER.sub(HOLE, text)
    return None


def _of_yaml(node: yaml.Node) -> Iterator[str]:
    if isinstance(node, yaml.MappingNode):
        for _key, value in node.value:
            yield from _of_yaml(value)
    elif isinstance(node, yaml.SequenceNode):
        for one in node.value:
            yield from _of_yaml(one)
    else:
        yield re.sub(r"\{\{.*?\}\}|\{%.*?%\}", HOLE, node.value, flags=re.DOTALL)
        yield from (_PLACEHOLDER.sub(HOLE, text) for text in re.findall(r"'([^']{8,})'", node.value))


# --- the documentation


def quotations(text: str) -> Iterator[tuple[int, str]]:
    """Line number and text of each message that a page quotes."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line in (".. code-block:: text", "```text"):
            yield number + 1, " ".join(" ".join(_block(lines, number)).split())
        elif line in (".. code-block:: console", "```console"):
            yield from ((number + 1, found[1]) for found in map(_PRINTED.match, _block(lines, number)) if found)
        elif re.match(r"\s+\* - (message|what you see)$", line, re.IGNORECASE):
            yield from _first_cells(lines, number + 1)
        elif re.match(r"=+ +=+", line) and re.match(r"(message|what you see)  ", "".join(lines[number + 1:number + 2]) + "  ", re.I):
            yield from _first_column(lines, number + 3, line.index(" "))


def _first_column(lines: list[str], begin: int, width: int) -> Iterator[tuple[int, str]]:
    """Of a simple table, up to its last rule."""
    for number in range(begin, len(lines)):
        if lines[number].startswith("==="):
            return
        yield from ((number + 1, quoted) for quoted in re.findall(r"``(.+?)``", lines[number][:width]))


def _block(lines: list[str], number: int) -> Iterator[str]:
    """What belongs to the block that begins there: indented in RST, up to the fence in Markdown."""
    fenced = lines[number].startswith("```")
    for line in lines[number + 1:]:
        if line.startswith("```") if fenced else line and not line.startswith(" "):
            return
        yield line


def _first_cells(lines: list[str], begin: int) -> Iterator[tuple[int, str]]:
    for number in range(begin, len(lines)):
        if lines[number] and not lines[number].startswith(" "):
            return
        row = re.match(r"\s+\* - (.*)$", lines[number])
        if row:
            cell = [row[1]]
            for line in lines[number + 1:]:
                if re.match(r"\s+(\* )?- ", line) or not line.strip():
                    break
                cell.append(line.strip())
            yield from ((number + 1, quoted) for quoted in re.findall(r"``(.+?)``", " ".join(cell)))


# --- the comparison


def words(text: str) -> tuple[str, ...]:
    """Without punctuation, which templates put together from parts have in other places."""
    found = re.findall(rf"{HOLE}?\w[\w.:/'{HOLE}-]*|{HOLE}", text)
    return tuple(word.rstrip(".:'-/") for word in found)


def missing(quotation: str) -> list[str]:
    """The parts of a quotation, its sentences, that the source does not have."""
    parts = re.split(r"\[\.\.\.\]|\.\.\.+|(?<=[a-z)N])\. (?=[A-Z])", _VALUES.sub("N", quotation))
    return [part.strip() for part in parts if not any(text in part for text in UPSTREAM) and not covered(words(part))]


@functools.cache
def covered(part: tuple[str, ...], runs: int = 3) -> bool:
    """Is it a part of one string of the source, or a chain of at most so many, of three words or more each?"""
    if not any(word != "N" for word in part) or occurs(part):
        return True
    cuts = range(len(part) - LINK, LINK - 1, -1) if runs > 1 else ()
    return any(occurs(part[:cut]) and covered(part[cut:], runs - 1) for cut in cuts)


@functools.cache
def occurs(part: tuple[str, ...]) -> bool:
    own = [word for word in part if word != "N" and "_" not in word]  # names of options are values of many messages
    wanted = len(own) if len(own) <= SHORT else math.ceil(SHARE * len(own))
    shared = Counter(template for word in set(own) for template in _index().get(word, ()))
    enough = wanted - (len(own) - len(set(own)))
    return wanted > 0 and any(_aligned(part, template) >= wanted for template, number in shared.items() if number >= enough)


@functools.cache
def _index() -> dict[str, set[tuple[str, ...]]]:
    """Word, without its placeholders -> the templates that have it."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for template in templates():
        for word in template:
            if word != HOLE:
                found.setdefault(word.replace(HOLE, ""), set()).add(template)
    return found


def _aligned(part: tuple[str, ...], template: tuple[str, ...]) -> int:
    """How many words the text of a template has of it, where it is one stretch of the template; -1 where it is not."""

    @functools.cache
    def best(word: int, place: int) -> int:
        if word == len(part):
            return 0
        if place == len(template):
            return -1
        if template[place] == HOLE:
            return max(best(end, place + 1) for end in range(word, min(word + HOLE_WORDS, len(part)) + 1))
        rest = best(word + 1, place + 1) if fnmatchcase(part[word], template[place].replace(HOLE, "*")) else -1
        return -1 if rest < 0 else rest + ("_" not in part[word])

    return max((best(0, place) for place in range(len(template))), default=-1)


def main() -> int:
    found, problems = 0, []
    for page in PAGES:
        for number, quotation in quotations(page.read_text(encoding="utf-8")):
            found += 1
            problems += [f"{page}:{number}: not in the source: {part}" for part in missing(quotation)]
    print("\n".join([*problems, f"{found} quoted messages, {len(problems)} not in the source"]))
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
