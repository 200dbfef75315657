# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Lines for people."""

from __future__ import annotations

import re
import textwrap

#: how many characters a line has at most
WIDTH = 108


def clean(text) -> str:
    """On one line."""
    return re.sub(r"\s", " ", str(text))


def unchanged(problem: str) -> str:
    """What is said of a problem that was found before the first change; empty if there is none."""
    return "%s%s Nothing was changed." % (problem, "" if problem.endswith((".", "!", "?")) else ".") if problem else ""


def fit(text, room: int) -> str:
    """Cut to that many characters, with dots at the end."""
    text = clean(text)
    return text if len(text) <= room else text[:max(room - 3, 0)] + "..."


def wrapped(text, first="") -> list[str]:
    """Lines of a paragraph, from the second one on indented by two; the first one by ``first``. A path stays whole."""
    lines = textwrap.wrap(clean(text), WIDTH - 2, break_long_words=False, break_on_hyphens=False) or [""]
    return [first + lines[0], *("  " + line for line in lines[1:])]


def table(rows: list, right=()) -> list[str]:
    """A line for each row, the first one has the headings; the columns ``right`` are aligned to the right, the last one is cut."""
    rows = [[clean(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    room = WIDTH - sum(widths[:-1]) - 2 * len(widths[:-1])
    lines = []
    for row in rows:
        cells = [cell.rjust(width) if number in right else cell.ljust(width) for number, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells[:-1] + [fit(cells[-1].rstrip(), room)]).rstrip())
    return lines


def first_of(lines: list, most: int) -> list:
    """The first ``most`` of them (0: all), and how many there are besides."""
    return lines[:most or None] + more(len(lines), most)


def more(count: int, most: int) -> list:
    """A line that says how many of ``count`` are not among the first ``most`` (0: all); none where all are."""
    return ["  ... and %d more" % (count - most)] if most and count > most else []
