# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The matrix of faults, as lines of text: in detail, and in a form for the documentation."""

from __future__ import annotations

HEADINGS = ("store", "fault", "phase", "first run", "next run", "delivered again", "twice", "test")


def lines(found: list[tuple[dict, str]]) -> list[str]:
    """found: (properties of a test, its outcome); tests that are no cells are left out."""
    rows = [_row(properties, outcome) for properties, outcome in found if "cell" in properties]
    if not rows:
        return []
    rows.sort(key=lambda row: row[:2])
    widths = [max(len(row[column]) for row in [HEADINGS, *rows]) for column in range(len(HEADINGS))]
    table = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in [HEADINGS, *rows]]
    twice = sum(int(row[6]) for row in rows if row[6].isdigit())
    failed = sum(row[7] != "passed" for row in rows)
    return ["", *table, f"{len(rows)} cells, {failed} failed, {twice} records delivered twice after the replay that was declared"]


def _row(properties: dict, outcome: str) -> tuple[str, ...]:
    """delivered again: records of the replay; twice: those that came once more than declared."""
    phase, fault, store = properties["cell"]
    again = properties.get("again")
    return (store, fault, phase, properties.get("first", "?"), properties.get("next", "?"), "?" if again is None else str(again),
            "?" if again is None else str(max(0, again - properties["declared"])), outcome)


def documentation(found: list[tuple[dict, str]], phases: tuple[str, ...]) -> list[str]:
    """The same for the page on limits: of each fault a row for the stores in which it ends alike, a column for each phase."""
    ends: dict[tuple[str, str], dict[str, str]] = {}
    for properties, outcome in found:
        if "cell" in properties:
            phase, fault, store = properties["cell"]
            text = f"{properties.get('first', '?')}; {properties.get('next', '?')}"
            ends.setdefault((fault, store), {})[phase] = text if outcome == "passed" else outcome
    rows: dict[tuple[str, ...], list[str]] = {}
    for (fault, store), by_phase in ends.items():
        rows.setdefault((fault, *(by_phase.get(phase, "") for phase in phases)), []).append(store)
    return [".. csv-table::", f'   :header: {_csv("fault", "store", *phases)}', "",
            *(f"   {_csv(row[0], ', '.join(stores), *row[1:])}" for row, stores in sorted(rows.items(), key=lambda one: one[0][0]))]


def _csv(*cells: str) -> str:
    return ", ".join(f'"{cell}"' for cell in cells)
