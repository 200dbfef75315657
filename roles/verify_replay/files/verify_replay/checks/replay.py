# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was there before, and whether it came again: replayed, not_replayed, keys_present."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from verify_replay.checks.base import BaseCheck, verdict
from verify_replay.data import Result, Scanned, number, offsets, plural
from verify_replay.expectation import AFTER, BEFORE
from verify_replay.log import Unreadable
from verify_replay.scan import inside, position

_WORDS = {"payload": "records", "value": "values", "key": "keys"}


class _Earlier(BaseCheck):
    """Compares a range of before with all of after, through groups of equal records.

    In a group that holds n records of the range and m of after, min(n, m) have come again: a line that stands twice in a
    source has to come twice. With distinct, one is enough.
    """

    #: whether samples are of what has not come again, or of what has
    wants_missing = True

    @property
    def by(self) -> str:
        return self.parameters.get("by", "key")

    @property
    def distinct(self) -> bool:
        chosen = self.parameters.get("distinct")
        return self.by == "key" if chosen is None else chosen

    def hashes(self) -> set[str]:
        return {self.by}

    def ask(self, scans: dict[str, Scanned]) -> None:
        ranges = self.parameters["ranges"]
        expected, first = F.col("before"), "first_before"
        group: dict[str, Column] = {}
        if ranges:
            here = inside(ranges) & ~F.col("after")
            first = self.own("first")
            group = {self.own("n"): F.count_if(here), first: F.min(F.when(here, position()))}
            expected = F.col(self.own("n"))
        if self.distinct:
            expected = F.least(expected, F.lit(1))
        again = F.least(expected, F.col("after_"))
        totals = {self.own("expected"): F.sum(expected), self.own("again"): F.sum(again)}
        groups = self.scanned(scans).groups(self.by)
        groups.ask(group, totals)
        if self.wants_missing:
            groups.ask_positions(self.own("at"), expected > F.col("after_"), first, self.limit)
        else:
            groups.ask_positions(self.own("at"), (expected > 0) & (F.col("after_") > 0), "last_after", self.limit)

    def numbers(self, scans: dict[str, Scanned]) -> tuple[int, int]:
        """How many were expected, and how many of them came again."""
        groups = self.scanned(scans).groups(self.by)
        return groups.total(self.own("expected")), groups.total(self.own("again"))

    def lost(self, scans: dict[str, Scanned]) -> tuple[list[Unreadable], list[Unreadable]]:
        """What cannot be read of the range, and of after."""
        scanned = self.scanned(scans)
        return scanned.gone(BEFORE, self.parameters["ranges"]), scanned.gone(AFTER)

    def samples(self, scans: dict[str, Scanned], what: str) -> list[dict]:
        scanned = self.scanned(scans)
        return [scanned.sample(at, what) for at in scanned.groups(self.by).positions(self.own("at"))]


class Replayed(_Earlier):
    """Every record of the range was delivered again."""

    def judge(self, scans: dict[str, Scanned]) -> Result:
        expected, again = self.numbers(scans)
        gone_before, gone_after = self.lost(scans)
        least = self.parameters["min_ratio"]
        # The best that can be true of what cannot be read.
        hidden = offsets(gone_before)
        best = (min(expected, again + offsets(gone_after)) + hidden) / (expected + hidden) if expected + hidden else 1.0
        ratio = again / expected if expected else 0.0
        missing = expected - again
        word = _WORDS[self.by]
        sentence = f"{number(again)} of {number(expected)} earlier {word} ({ratio:.2%}) came again after the boundary"
        sentence += f", {plural(missing, 'is missing', 'are missing')}" if missing else ""
        sentence += f"; at least {least:.2%} had to." if least < 1 else "."
        figures = {"expected": expected, "replayed": again, "missing": missing, "ratio": round(ratio, 6), "min_ratio": least}
        failed = best < least and expected > 0
        samples = self.samples(scans, "missing after the boundary") if ratio < least and missing else []
        lost = [(self.scanned(scans), gone_before + gone_after)]
        nothing = None if expected else "no record is visible in the range that had to come again"
        return verdict(failed, sentence, figures, samples, lost, nothing)


class NotReplayed(_Earlier):
    """What was there before was not delivered again."""

    wants_missing = False

    @property
    def distinct(self) -> bool:
        return True

    def judge(self, scans: dict[str, Scanned]) -> Result:
        expected, again = self.numbers(scans)
        gone_before, gone_after = self.lost(scans)
        most = self.parameters["max"]
        after = self.scanned(scans).facts.count(after=True)
        word = _WORDS[self.by]
        sentence = f"{number(again)} of {number(expected)} earlier {word} came again after the boundary; {number(most)} may."
        figures = {"earlier": expected, "replayed": again, "max": most, "after": after}
        samples = self.samples(scans, "was there before the boundary") if again > most else []
        nothing = None
        if not expected:
            nothing = "no record is visible in the range that must not come again"
        elif not after:
            nothing = "no record came after the boundary"
        lost = [(self.scanned(scans), gone_before + gone_after)]
        return verdict(again > most, sentence, figures, samples, lost, nothing)


class KeysPresent(_Earlier):
    """Every key of the range occurs after the boundary. Records without a key have none to miss."""

    def judge(self, scans: dict[str, Scanned]) -> Result:
        expected, again = self.numbers(scans)
        gone_before, gone_after = self.lost(scans)
        missing, most = expected - again, self.parameters["max_missing"]
        sentence = f"{number(again)} of {plural(expected, 'earlier key')} found after the boundary"
        sentence += f", {plural(missing, 'key is missing', 'keys are missing')}; {number(most)} may be." if missing else "."
        figures = {"keys": expected, "present": again, "missing": missing, "max_missing": most}
        samples = self.samples(scans, "its key is missing after the boundary") if missing > most else []
        nothing = None if expected else "no record with a key is visible in the range"
        lost = [(self.scanned(scans), gone_before + gone_after)]
        return verdict(missing - offsets(gone_after) > most, sentence, figures, samples, lost, nothing)
