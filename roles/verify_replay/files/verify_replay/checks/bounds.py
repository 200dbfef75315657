# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of records after the boundary against bounds: count, nulls."""

from __future__ import annotations

from typing import Any

from verify_replay.checks.base import BaseCheck, verdict
from verify_replay.data import Result, Scanned, number, offsets, plural
from verify_replay.expectation import AFTER


def outside(found: int, low: int | None, high: int | None, hidden: int) -> bool:
    """Whether the bounds are broken, whatever the hidden offsets hold."""
    return (high is not None and found > high) or (low is not None and found + hidden < low)


def wanted(low: int | None, high: int | None) -> str:
    if low is None:
        return f"at most {number(high or 0)}" if high else "none"
    if low == high:
        return number(low)
    return f"at least {number(low)}" if high is None else f"{number(low)} to {number(high)}"


class Count(BaseCheck):
    """How many records came after the boundary: counted, never end minus start."""

    def judge(self, scans: dict[str, Scanned]) -> Result:
        scanned = self.scanned(scans)
        low, high = self.parameters["min"], self.parameters["max"]
        found, gone = scanned.facts.count(after=True), scanned.gone(AFTER)
        figures: dict[str, Any] = {"after": found, "before": scanned.facts.count(after=False)}
        figures.update({name: value for name, value in (("min", low), ("max", high)) if value is not None})
        sentence = f"{plural(found, 'record')} after the boundary, {wanted(low, high)} expected."
        nothing = "there is no offset after the boundary" if _empty(scanned) and not outside(0, low, high, 0) and low != 0 else None
        return verdict(outside(found, low, high, offsets(gone)), sentence, figures, [], [(scanned, gone)], nothing)


class Nulls(BaseCheck):
    """How many records after the boundary have no key, or no value."""

    def judge(self, scans: dict[str, Scanned]) -> Result:
        scanned = self.scanned(scans)
        gone = scanned.gone(AFTER)
        figures: dict[str, Any] = {"after": scanned.facts.count(after=True)}
        failed, said = False, []
        for name, word in (("null_keys", "without a key"), ("tombstones", "without a value (tombstones)")):
            low, high = self.parameters[f"min_{name}"], self.parameters[f"max_{name}"]
            found = figures[name] = scanned.facts.total(name, after=True)
            if low is None and high is None:
                continue
            failed = failed or outside(found, low, high, offsets(gone))
            said.append(f"{number(found)} {word}, {wanted(low, high)} expected")
        sentence = f"Of {number(figures['after'])} records after the boundary {'; '.join(said)}."
        nothing = None if figures["after"] else "no record came after the boundary"
        return verdict(failed, sentence, figures, self._samples(scanned) if failed else [], [(scanned, gone)], nothing)

    def _samples(self, scanned: Scanned) -> list[dict]:
        samples = []
        for flag, name, what in (("knull", "null_keys", "no key"), ("vnull", "tombstones", "no value")):
            high = self.parameters[f"max_{name}"]
            if high is not None and scanned.facts.total(name, after=True) > high:
                rows = scanned.rows.where(f"after and {flag}").select("part", "off").orderBy("part", "off").limit(self.limit)
                samples += [
                    {"topic": scanned.topic.topic, "partition": row["part"], "offset": row["off"], "what": what} for row in rows.collect()
                ]
        return samples[: self.limit]


def _empty(scanned: Scanned) -> bool:
    return all(declared.boundary == declared.end for declared in scanned.topic.partitions.values())
