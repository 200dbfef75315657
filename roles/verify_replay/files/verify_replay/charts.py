# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots of the report as inline SVG. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape
from typing import Any

_WIDTH = 1000
_LABEL = 44
_ROW = 26
_BAR = 16


def number(value: float | None) -> str:
    """1 234 567, with spaces that do not break."""
    return "" if value is None else f"{value:,}".replace(",", "\u202f")


def when(milliseconds: int) -> str:
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return f"{milliseconds} ms"


def partitions(topic: dict[str, Any]) -> str:
    """A bar for each partition, drawn from offsets: before, after, holes, and what cannot be read."""
    parts = topic["partitions"]
    longest = max((part["end"] - part["start"] for part in parts.values()), default=0) or 1
    height = _ROW * len(parts) + 4
    rows = [_partition(index, name, part, longest) for index, (name, part) in enumerate(parts.items())]
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Offsets of each partition">{"".join(rows)}</svg>'


def _partition(index: int, name: str, part: dict[str, Any], longest: int) -> str:
    top = index * _ROW + 4
    room = _WIDTH - _LABEL - 150
    start = part["start"]

    def box(kind: str, low: int, high: int, title: str, least: float = 0.0) -> str:
        x, width = _LABEL + (low - start) / longest * room, max((high - low) / longest * room, least)
        if width <= 0:
            return ""
        return f'<rect class="{kind}" x="{x:.2f}" y="{top}" width="{width:.2f}" height="{_BAR}"><title>{escape(title)}</title></rect>'

    boxes = [
        box("before", start, part["boundary"], f"before: offsets {start} to {part['boundary']}, {part['before']} records"),
        box("after", part["boundary"], part["end"], f"after: offsets {part['boundary']} to {part['end']}, {part['after']} records"),
    ]
    # A hole of one offset would be too thin to see.
    boxes += [box("gap", low, high, f"nothing visible: {low} to {high - 1}", 1.5) for low, high in _drawn(part, longest, room)]
    boxes += [
        box("gone", lost["start"], lost["end"], f"{lost['start']} to {lost['end'] - 1}: {lost['reason']}", 2) for lost in part["unreadable"]
    ]
    x = _LABEL + (part["boundary"] - start) / longest * room
    boxes.append(f'<line class="edge" x1="{x:.2f}" x2="{x:.2f}" y1="{top - 2}" y2="{top + _BAR + 2}"/>')
    end = _LABEL + (part["end"] - start) / longest * room + 8
    numbers = f"{number(part['before'])} + {number(part['after'])}"
    return (
        f'<text class="axis" x="{_LABEL - 8}" y="{top + 12}" text-anchor="end">{escape(name)}</text>{"".join(boxes)}'
        f'<text class="axis" x="{end:.2f}" y="{top + 12}">{numbers}</text>'
    )


def _drawn(part: dict[str, Any], longest: int, room: int) -> Iterator[tuple[int, int]]:
    """Gaps that touch on the picture are drawn as one: a thousand markers need no thousand boxes."""
    pixel = longest / room
    low = high = None
    for start, end in part["gaps"]:
        if high is not None and start - high < pixel:
            high = end
            continue
        if high is not None:
            yield low, high
        low, high = start, end
    if high is not None:
        yield low, high


def times(found: dict[str, Any]) -> str:
    """Records over the time of their timestamps, before and after stacked."""
    before, after = found["before"], found["after"]
    tallest = max((one + two for one, two in zip(before, after, strict=True)), default=0) or 1
    height, base = 150, 124
    room = _WIDTH - _LABEL - 16
    step = min(room / len(before), 60)
    bars = []
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        begin = when(found["first"] + index * found["width_ms"])
        x, level = _LABEL + index * step, float(base)
        for kind, count in (("before", old), ("after", new)):
            if count:
                tall = max(count / tallest * (base - 14), 1.5)
                level -= tall
                bars.append(
                    f'<rect class="{kind}" x="{x:.2f}" y="{level:.2f}" width="{max(step - 1.5, 1):.2f}" height="{tall:.2f}">'
                    f"<title>{begin} UTC: {number(count)} {kind}</title></rect>"
                )
    end = _LABEL + len(before) * step
    last = f'<text class="axis" x="{end:.0f}" y="{height - 8}" text-anchor="end">{when(found["last"])} UTC</text>' if end > 420 else ""
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Records over time">'
        f'<line class="base" x1="{_LABEL}" x2="{max(end, 420):.0f}" y1="{base}" y2="{base}"/>{"".join(bars)}'
        f'<text class="axis" x="{_LABEL - 8}" y="22" text-anchor="end">{_short(tallest)}</text>'
        f'<text class="axis" x="{_LABEL - 8}" y="{base}" text-anchor="end">0</text>'
        f'<text class="axis" x="{_LABEL}" y="{height - 8}">{when(found["first"])} UTC</text>{last}</svg>'
    )


def _short(value: int) -> str:
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (10_000, "k")):
        if value >= size:
            return f"{value / (1000 if unit == 'k' else size):.3g}{unit}"
    return str(value)


def shares(parts: list[tuple[str, str, int]]) -> str:
    """One bar of (class, label, number), with its legend."""
    total = sum(count for _kind, _label, count in parts) or 1
    x, boxes, legend = 0.0, [], []
    for kind, label, count in parts:
        if count:
            width = max(count / total * _WIDTH, 2)
            title = f"<title>{escape(label)}: {number(count)}</title>"
            boxes.append(f'<rect class="{kind}" x="{x:.2f}" y="0" width="{width:.2f}" height="22">{title}</rect>')
            x += width
        legend.append(f'<li><span class="key {kind}"></span>{escape(label)} <b>{number(count)}</b></li>')
    frame = f'viewBox="0 0 {max(x, _WIDTH):.0f} 22" preserveAspectRatio="none" class="strip" role="img" aria-label="Shares"'
    return f'<svg {frame}>{"".join(boxes)}</svg><ul class="legend">{"".join(legend)}</ul>'
