# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that stood in the way must not be delivered again."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F

from verify_replay.checks.base import BaseCheck, verdict
from verify_replay.data import Result, Scanned, number, plural
from verify_replay.expectation import AFTER
from verify_replay.scan import HASHES, inside, pack, position


class PoisonGone(BaseCheck):
    """Named by the offset at which they were before the boundary, or by the SHA-256 of their value."""

    def hashes(self) -> set[str]:
        return {self.parameters["by"]} if self.parameters["offsets"] else set()

    def columns(self) -> dict[str, Column]:
        digests = self.parameters["sha256"]
        # Of digests only this leaves the scan: whether the value is one of them, and which.
        which = F.array_position(F.array(*map(F.lit, digests or [])), F.sha2("value", 256))
        return {self.own("which"): which.cast("int")} if digests else {}

    def judge(self, scans: dict[str, Scanned]) -> Result:
        scanned = self.scanned(scans)
        hits: list[int] = []
        total, unseen = 0, []
        for named, after, strange in (self._offsets(scanned), self._digests(scanned)):
            total += named
            hits += after
            unseen += strange
        records = scanned.facts.count(after=True)
        figures = {"named": total, "not_seen_before": len(unseen), "delivered_again": len(hits), "after": records}
        sentence = f"{plural(total, 'poison record')} looked for, {plural(len(hits), 'record')} after the boundary found to be one."
        samples = [scanned.sample(at, "poison record delivered again") for at in sorted(hits)[: self.limit]]
        ranges: dict[int, tuple[int, int]] | None = None
        if not self.parameters["sha256"]:
            ranges = {part: (min(found), max(found) + 1) for part, found in self.parameters["offsets"].items()}
        # Offsets that retention took matter only if they are among those named, or if there are digests.
        gone = scanned.gone(AFTER) + (scanned.gone("before", ranges) if unseen else [])
        nothing = None
        if unseen:
            nothing = f"{number(len(unseen))} of them cannot be seen before the boundary ({', '.join(unseen[:3])})"
        elif not records:
            nothing = "no record came after the boundary"
        return verdict(bool(hits), sentence, figures, samples, [(scanned, gone)], nothing)

    def _offsets(self, scanned: Scanned) -> tuple[int, list[int], list[str]]:
        named: dict[int, list[int]] = self.parameters["offsets"] or {}
        if not named:
            return 0, [], []
        column = HASHES[self.parameters["by"]]
        wanted = {pack(partition, offset) for partition, listed in named.items() for offset in listed}
        spans = {partition: (min(listed), max(listed) + 1) for partition, listed in named.items()}
        rows = scanned.rows.where(inside(spans) & position().isin(*wanted)).select(position().alias("at"), column).collect()
        seen = {row["at"]: row[column] for row in rows}
        hits = self._after(scanned, F.col(column).isin(*seen.values())) if seen else []
        texts = [scanned.sample(at, "") for at in sorted(wanted - set(seen))]
        return len(wanted), hits, [f"partition {one['partition']} offset {one['offset']}" for one in texts]

    def _digests(self, scanned: Scanned) -> tuple[int, list[int], list[str]]:
        digests: list[str] = self.parameters["sha256"] or []
        if not digests:
            return 0, [], []
        which = self.own("which")
        rows: list[Any] = scanned.rows.where(f"not after and {which} > 0").select(which).distinct().collect()
        seen = {row[which] for row in rows}
        unseen = [f"{digest[:12]}..." for place, digest in enumerate(digests, 1) if place not in seen]
        return len(digests), self._after(scanned, F.col(which) > 0), unseen

    def _after(self, scanned: Scanned, condition: Column) -> list[int]:
        rows = scanned.rows.where(F.col("after") & condition).select(position().alias("at")).orderBy("at")
        return [row["at"] for row in rows.limit(10_000).collect()]
