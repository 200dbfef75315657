# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files whose names say from which offset on they hold records: what is missing, doubled or overlapping, by offset. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from verify_replay.facts import merge

Ranges = list[tuple[int, int]]

#: offsets without a record that one partition may have for this arithmetic
MAX_ABSENT = 100_000
#: files of a table whose names the driver looks at
MAX_FILES = 100_000


@dataclass(frozen=True)
class File:
    """start: the offset of its first record; end: that after its last one, None if the name does not say it; rows: how many it has."""

    path: str
    partition: int
    start: int
    end: int | None
    rows: int

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


@dataclass
class Found:
    """What the names of the files of a topic say. Ranges are half-open, (partition, start, end, name of a file or "")."""

    files: int = 0
    #: files that begin at an offset at which an earlier one begins, too
    doubled: list[tuple[int, int, int, str]] = field(default_factory=list)
    overlapping: list[tuple[int, int, int, str]] = field(default_factory=list)
    #: ranges with records that no file holds
    missing: list[tuple[int, int, int, str]] = field(default_factory=list)
    #: partitions whose files lie in several folders: their ranges are interleaved, so only doubled ones can be found
    spread: set[int] = field(default_factory=set)
    #: names that do not follow the pattern, or speak of another topic
    foreign: int = 0

    @property
    def lost(self) -> int:
        """How many records no file holds."""
        return sum(end - start for _partition, start, end, _name in self.missing)


def named(counted: Iterable[tuple[str, int]], pattern: re.Pattern, topic: str) -> tuple[list[File], int]:
    """The files of a topic, out of (URL of a file, its rows); and how many have other names. Group `end` is the last offset."""
    files, foreign = [], 0
    for url, rows in counted:
        path = unquote(url)
        match = pattern.fullmatch(path.rsplit("/", 1)[-1])
        if match is None or match["topic"] != topic:
            foreign += 1
            continue
        last = match.groupdict().get("end")
        files.append(File(path, int(match["partition"]), int(match["start"]), None if last is None else int(last) + 1, rows))
    return files, foreign


def compare(files: list[File], windows: dict[int, tuple[int, int]], absent: dict[int, Ranges]) -> Found:
    """windows: the offsets that had to arrive, by partition; absent: ranges of them without a record, which no file can hold."""
    found = Found(files=len(files))
    for number, window in windows.items():
        mine = sorted((one for one in files if one.partition == number), key=lambda one: (one.start, -(one.end or 0), one.path))
        _partition(found, number, mine, window, merge(absent.get(number, [])))
    return found


def _partition(found: Found, number: int, files: list[File], window: tuple[int, int], absent: Ranges) -> None:
    at, is_spread = window[0], len({one.folder for one in files}) > 1
    starts: set[int] = set()
    for one in files:
        end = one.end if one.end is not None else advance(one.start, one.rows, absent)
        if one.start in starts:
            found.doubled.append((number, one.start, end, one.name))
            at = max(at, end)
            continue
        starts.add(one.start)
        if one.start >= window[1] or is_spread:
            continue
        if one.start > at:
            found.missing += [(number, *lost, "") for lost in _without((at, one.start), absent)]
        elif one.start < at and at > window[0]:
            found.overlapping.append((number, one.start, min(at, end), one.name))
        at = max(at, end)
    if is_spread:
        found.spread.add(number)
    elif at < window[1]:
        found.missing += [(number, *lost, "") for lost in _without((at, window[1]), absent)]


def advance(start: int, rows: int, absent: Ranges) -> int:
    """The offset after that many records from an offset on, with what is absent left out."""
    at = start
    for low, high in absent:
        if high <= at:
            continue
        if rows <= low - at:
            break
        rows -= max(low - at, 0)
        at = high
    return at + rows


def _without(whole: tuple[int, int], absent: Ranges) -> Iterator[tuple[int, int]]:
    """The rest of a range."""
    at = whole[0]
    for low, high in absent:
        if high <= at or low >= whole[1]:
            continue
        if low > at:
            yield at, low
        at = max(at, high)
    if at < whole[1]:
        yield at, whole[1]
