# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets at which nothing is visible, and what explains them."""

from __future__ import annotations

from verify_replay import facts as numbers
from verify_replay.checks.base import BaseCheck, verdict
from verify_replay.data import CANNOT_TELL, Result, Scanned, number, plural


class Gaps(BaseCheck):
    """Holes are normal: aborted records, a marker at the end of each transaction and partition, compaction.

    Only when there is a hole the log is read again, aborted records with it. What is then still missing can be markers
    (no reader gets to see them, they lie one by one), compaction (if the topic is compacted), or loss.
    """

    def judge(self, scans: dict[str, Scanned]) -> Result:
        scanned = self.scanned(scans)
        windows = self._windows(scanned)
        offsets = sum(high - low for low, high in windows.values())
        holes, whole = self._count(scanned, windows)
        figures = {"offsets": offsets, "holes": holes, "aborted": 0, "markers": 0, "compacted": 0, "unexplained": 0}
        gone = [(scanned, scanned.gone(self.parameters["part"]))]
        nothing = None if offsets else "the range is empty"
        if not holes:
            return verdict(False, f"No hole in {plural(offsets, 'offset')}.", figures, [], gone, nothing)
        rest = self._rest(scanned, windows) if whole else None
        compacted = self.parameters["compacted"]
        compacted = scanned.log.compacted if compacted is None else compacted
        odd: list[tuple[int, int, int]] = []
        if rest is None:
            # Too many to look at each: how many are aborted can still be counted, and compaction needs no more than that.
            again = scanned.uncommitted(windows)
            left = offsets - (again.count() if again is not None else 0)
            figures["aborted"], figures["compacted"] = holes - left, left if compacted else 0
        else:
            left = sum(end - start for _partition, start, end in rest)
            figures["aborted"], figures["compacted"] = holes - left, left if compacted else 0
            odd = [] if compacted else [one for one in rest if one[2] - one[1] > self.parameters["marker_run"]]
            figures["unexplained"] = sum(end - start for _partition, start, end in odd)
            figures["markers"] = left - figures["compacted"] - figures["unexplained"]
        most = self.parameters["max_unexplained"]
        failed = figures["unexplained"] > most
        sentence = (
            f"{plural(holes, 'hole')} in {plural(offsets, 'offset')}: {plural(figures['aborted'], 'aborted record')},"
            f" {plural(figures['markers'], 'transaction marker')}, {number(figures['compacted'])} compacted,"
            f" {number(figures['unexplained'])} unexplained."
        )
        samples = [
            {"topic": scanned.topic.topic, "partition": partition, "offset": start, "end": end, "what": f"{end - start} offsets missing"}
            for partition, start, end in odd[: self.limit]
        ]
        result = verdict(failed, sentence, figures, samples, gone, nothing)
        if rest is None and not compacted:
            result.verdict = CANNOT_TELL
            result.sentence += " There are too many holes to look at each; declare shorter ranges."
        return result

    def _windows(self, scanned: Scanned) -> numbers.Windows:
        return {one: (low, high) for one, (low, high) in scanned.windows(self.parameters["part"]).items() if low < high}

    def _count(self, scanned: Scanned, windows: numbers.Windows) -> tuple[int, bool]:
        """How many holes there are in the windows, and whether all of them are known by their place."""
        found = scanned.facts.holes
        if found.complete:
            return sum(end - start for _partition, start, end in _cut(found.ranges, windows)), True
        sides = {"all": None, "before": False, "after": True}
        visible = scanned.facts.count(sides[self.parameters["part"]])
        return sum(high - low for low, high in windows.values()) - visible, False

    @staticmethod
    def _rest(scanned: Scanned, windows: numbers.Windows) -> list[tuple[int, int, int]] | None:
        """What stays a hole when aborted records are read, too: only from the first hole to the last one. None: too many."""
        ranges: dict[int, list[tuple[int, int]]] = {}
        for partition, start, end in _cut(scanned.facts.holes.ranges, windows):
            ranges.setdefault(partition, []).append((start, end))
        wanted = numbers.buckets(ranges)
        if len(wanted) > numbers.MAX_BITMAPS:
            return None
        spans = {partition: (listed[0][0], listed[-1][1]) for partition, listed in ranges.items()}
        records = scanned.uncommitted(spans)
        return _cut(numbers.locate(records, spans, wanted), spans) if records is not None else []


def _cut(ranges: dict[int, list[tuple[int, int]]], windows: numbers.Windows) -> list[tuple[int, int, int]]:
    """The parts of ranges that are inside of windows."""
    cut = []
    for partition, (low, high) in sorted(windows.items()):
        inside = [(partition, max(start, low), min(end, high)) for start, end in ranges.get(partition, [])]
        cut += [one for one in inside if one[1] < one[2]]
    return cut
