# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checks work on: a topic that has been scanned. And what they answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from verify_replay.expectation import AFTER, ALL, Topic
from verify_replay.facts import Facts
from verify_replay.groups import Groups
from verify_replay.log import Log, Unreadable
from verify_replay.scan import HASHES, unpack

PASS = "pass"
FAIL = "fail"
CANNOT_TELL = "cannot_tell"


def in_part(part: str) -> Column:
    """Whether a record is of a part of the topic."""
    return F.lit(True) if part == ALL else F.col("after") if part == AFTER else ~F.col("after")


@dataclass
class Scanned:
    """A topic after its scan."""

    topic: Topic
    log: Log
    rows: DataFrame
    facts: Facts
    #: reads windows of the topic again, aborted records with them; None if there is nothing to read
    uncommitted: Callable[[dict[int, tuple[int, int]]], DataFrame | None]
    _groups: dict[str, Groups] = field(default_factory=dict)

    def groups(self, by: str) -> Groups:
        if by not in self._groups:
            self._groups[by] = Groups(self.rows, HASHES[by], self.facts.count())
        return self._groups[by]

    @property
    def classes(self) -> dict[str, int] | None:
        """How payloads are spread over before and after; None if no check needed to know."""
        return self._groups["payload"].classes() if "payload" in self._groups else None

    def of(self, part: str) -> DataFrame:
        """The records of a part of the topic."""
        return self.rows.where(in_part(part))

    def windows(self, part: str) -> dict[int, tuple[int, int]]:
        """What was read of a part of the topic; a range can be empty."""
        found = {}
        for one, (low, high) in self.log.windows.items():
            start, end = self.topic.partitions[one].part(part)
            low = max(low, start)
            found[one] = (low, max(min(high, end), low))
        return found

    def gone(self, part: str, ranges: dict[int, tuple[int, int]] | None = None) -> list[Unreadable]:
        """What cannot be read of a part of the topic, or of ranges of it."""
        found = []
        for lost in self.log.unreadable:
            low, high = self.topic.partitions[lost.partition].part(part)
            if ranges is not None:
                low, high = ranges.get(lost.partition, (0, 0))
            low, high = max(low, lost.start), min(high, lost.end)
            if low < high:
                found.append(Unreadable(lost.partition, low, high, lost.reason))
        return found

    def sample(self, position: int, what: str) -> dict[str, Any]:
        partition, offset = unpack(position)
        return {"topic": self.topic.topic, "partition": partition, "offset": offset, "what": what}


@dataclass
class Result:
    verdict: str
    sentence: str
    figures: dict[str, Any] = field(default_factory=dict)
    samples: list[dict[str, Any]] = field(default_factory=list)


def offsets(lost: list[Unreadable]) -> int:
    """How many offsets these are: no more records than that can be in them."""
    return sum(one.end - one.start for one in lost)


def name_lost(topic: str, lost: list[Unreadable]) -> str:
    """The sentence that names ranges that cannot be read."""
    shown = [f"{topic} partition {one.partition} offsets {one.start}..{one.end - 1} {one.reason}" for one in lost[:5]]
    more = f" and {len(lost) - 5} more ranges" if len(lost) > 5 else ""
    return f"Cannot be read: {'; '.join(shown)}{more}."


def number(value: int) -> str:
    """1 234 567: figures in sentences are for people."""
    return f"{value:,}".replace(",", "\u202f")


def plural(value: int, one: str, many: str | None = None) -> str:
    return f"{number(value)} {one if value == 1 else many or one + 's'}"
