# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the slim rows of a topic say without any check: counts, times, holes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

Windows = dict[int, tuple[int, int]]

#: offsets in one bitmap, and their power of two
_BITS = 15
BUCKET = 1 << _BITS
#: bitmaps (4 KiB each) that are brought to the driver
MAX_BITMAPS = 2048
#: stretches of the log that are counted one by one; of a long log they are longer, so that the driver's share stays small
_MAX_STRETCHES = 16384
_BARS = 60

_SUMS = {"records": sum, "bytes": sum, "null_keys": sum, "tombstones": sum}
_BOUNDS = {"first_offset": min, "last_offset": max, "first_time": min, "last_time": max}


@dataclass
class Holes:
    """Offsets in the windows at which nothing is visible."""

    #: exact, by partition
    counts: dict[int, int] = field(default_factory=dict)
    #: half-open ranges, by partition
    ranges: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    #: False: there were too many for the ranges to be complete
    complete: bool = True


@dataclass
class Facts:
    #: (partition, after) -> numbers
    parts: dict[tuple[int, bool], dict[str, Any]]
    holes: Holes
    times: dict[str, Any] | None = None

    def count(self, after: bool | None = None) -> int:
        return self.total("records", after)

    def total(self, name: str, after: bool | None = None) -> int:
        return sum(found[name] for (_number, side), found in self.parts.items() if after in (None, side))


def gather(rows: DataFrame, windows: Windows) -> Facts:
    """The facts of a topic: one pass for numbers, a light one for the times, one more if there are holes."""
    windows = {number: window for number, window in windows.items() if window[0] < window[1]}
    bits = _BITS
    while sum((high >> bits) - (low >> bits) + 1 for low, high in windows.values()) > _MAX_STRETCHES:
        bits += 1
    parts: dict[tuple[int, bool], dict[str, Any]] = {}
    counted: dict[tuple[int, int], int] = {}
    for row in _stretches(rows, bits).collect():
        found = row.asDict()
        stretch = (found["part"], found.pop("stretch"))
        counted[stretch] = counted.get(stretch, 0) + found["records"]
        side = (found.pop("part"), found.pop("after"))
        known = parts.setdefault(side, found)
        if known is not found:
            known.update({name: join((known[name], found[name])) for name, join in {**_SUMS, **_BOUNDS}.items()})
    facts = Facts(parts, _holes(rows, windows, counted, bits))
    facts.times = _times(rows, facts)
    return facts


def _stretches(rows: DataFrame, bits: int) -> DataFrame:
    return rows.groupBy("part", "after", F.shiftright("off", bits).alias("stretch")).agg(
        F.count("*").alias("records"),
        F.sum("size").alias("bytes"),
        F.sum(F.col("knull").cast("int")).alias("null_keys"),
        F.sum(F.col("vnull").cast("int")).alias("tombstones"),
        F.min("off").alias("first_offset"),
        F.max("off").alias("last_offset"),
        F.min("ts").alias("first_time"),
        F.max("ts").alias("last_time"),
    )


def _holes(rows: DataFrame, windows: Windows, counted: dict[tuple[int, int], int], bits: int) -> Holes:
    """Where fewer records are than offsets. A stretch in which nothing is at all needs no look at its bitmaps."""
    result, wanted = Holes(dict.fromkeys(windows, 0)), []
    for number, (low, high) in windows.items():
        for stretch in range(low >> bits, (high - 1 >> bits) + 1):
            start, end = max(low, stretch << bits), min(high, (stretch + 1) << bits)
            missing_acls = end - start - counted.get((number, stretch), 0)
            result.counts[number] += missing_acls
            if missing_acls == end - start:
                result.ranges.setdefault(number, []).append((start, end))
            elif missing_acls:
                wanted += [(number, bucket) for bucket in range(start >> _BITS, (end - 1 >> _BITS) + 1)]
    result.complete = len(wanted) <= MAX_BITMAPS
    for number, ranges in locate(rows, windows, wanted[:MAX_BITMAPS]).items():
        result.ranges.setdefault(number, []).extend(ranges)
    result.ranges = {number: merge(ranges) for number, ranges in result.ranges.items()}
    return result


def buckets(ranges: dict[int, list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """(partition, bucket) of all bitmaps that hold a part of the ranges."""
    found = {(n, bucket) for n, listed in ranges.items() for low, high in listed for bucket in _of(low, high)}
    return sorted(found)


def _of(low: int, high: int) -> Iterator[int]:
    yield from range(low >> _BITS, (high - 1 >> _BITS) + 1)


def locate(rows: DataFrame, windows: Windows, wanted: list[tuple[int, int]]) -> dict[int, list[tuple[int, int]]]:
    """Ranges in which nothing is, of the bitmaps that are wanted. Needs the columns part and off only."""
    if not wanted:
        return {}
    chosen = rows.sparkSession.createDataFrame(wanted, "part int, bucket long")
    bitmaps = (
        rows.select("part", "off", F.shiftright("off", _BITS).alias("bucket"))
        .join(F.broadcast(chosen), ["part", "bucket"])
        .groupBy("part", "bucket")
        .agg(F.bitmap_construct_agg(F.col("off").bitwiseAND(BUCKET - 1)).alias("bits"))
    )
    bits = {(row["part"], row["bucket"]): bytes(row["bits"]) for row in bitmaps.collect()}
    found: dict[int, list[tuple[int, int]]] = {}
    for number, bucket in wanted:
        ranges = unset(bits.get((number, bucket), bytes(BUCKET // 8)), bucket << _BITS, *windows[number])
        found.setdefault(number, []).extend(ranges)
    return {number: merge(ranges) for number, ranges in found.items()}


def unset(bits: bytes, base: int, low: int, high: int) -> list[tuple[int, int]]:
    """Half-open ranges of [low, high) whose bits are not set; bit 0 of byte 0 stands for base. Pure."""
    start, end = max(low, base), min(high, base + len(bits) * 8)
    width = end - start
    rest = ~(int.from_bytes(bits, "little") >> (start - base)) & ((1 << width) - 1)
    ranges, at = [], start
    while rest:
        skip = (rest & -rest).bit_length() - 1
        rest >>= skip
        at += skip
        run = (~rest & (rest + 1)).bit_length() - 1
        ranges.append((at, at + run))
        rest >>= run
        at += run
    return ranges


def merge(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted, with neighbours made one. Pure."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and merged[-1][1] >= start:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _times(rows: DataFrame, facts: Facts) -> dict[str, Any] | None:
    """How many records lie in each of a number of equal spans of time."""
    if not facts.parts:
        return None
    first = min(found["first_time"] for found in facts.parts.values())
    last = max(found["last_time"] for found in facts.parts.values())
    width = (last - first) // _BARS + 1
    span = ((F.col("ts") - first) / width).cast("int")
    bars: dict[bool, list[int]] = {side: [0] * ((last - first) // width + 1) for side in (False, True)}
    for row in rows.groupBy("after", span.alias("span")).count().collect():
        bars[row["after"]][row["span"]] = row["count"]
    return {"first": first, "last": last, "width_ms": width, "before": bars[False], "after": bars[True]}
