# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic and its copy, usually on another cluster."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from verify_replay.checks.base import BaseCheck, verdict
from verify_replay.data import Result, Scanned, number, offsets, plural
from verify_replay.scan import HASHES, position


class Mirror(BaseCheck):
    """Both sides as multisets of (partition, hash): what the copy lacks, has too often, or has of its own."""

    def hashes(self) -> set[str]:
        return {self.parameters["by"]}

    def judge(self, scans: dict[str, Scanned]) -> Result:
        source, target = scans[self.parameters["source"]], self.scanned(scans)
        pairs = self._pairs(source, target)
        numbers = pairs.groupBy("p").agg(
            F.sum("n").alias("source"),
            F.sum("m").alias("target"),
            F.sum(F.greatest(F.col("n") - F.col("m"), F.lit(0))).alias("missing"),
            F.sum(F.when(F.col("n") == 0, F.col("m")).otherwise(0)).alias("extra"),
            F.sum(F.when(F.col("n") > 0, F.greatest(F.col("m") - F.col("n"), F.lit(0))).otherwise(0)).alias("repeated"),
        )
        partitions = {row["p"]: {k: v for k, v in row.asDict().items() if k != "p"} for row in numbers.collect()}
        names = ("source", "target", "missing", "extra", "repeated")
        total = {name: sum(found[name] for found in partitions.values()) for name in names}
        figures: dict[str, Any] = dict(total)
        if self.parameters["same_partitions"]:
            figures["partitions"] = {str(number): partitions[number] for number in sorted(partitions)}
        gone_source, gone_target = source.gone(self.parameters["source_part"]), target.gone(self.parameters["target_part"])
        hidden = {"missing": offsets(gone_target), "extra": offsets(gone_source), "repeated": offsets(gone_source)}
        failed = any(total[name] - hidden[name] > self.parameters[f"max_{name}"] for name in hidden)
        sentence = (
            f"Of {number(total['source'])} source records {number(total['missing'])} are missing in the copy,"
            f" {number(total['repeated'])} came too often; {plural(total['extra'], 'record')} of the copy without a source."
        )
        nothing = None if total["source"] else "no source record is visible in the range"
        lost = [(source, gone_source), (target, gone_target)]
        return verdict(failed, sentence, figures, self._samples(pairs, source, target, total), lost, nothing)

    def _pairs(self, source: Scanned, target: Scanned) -> DataFrame:
        """Of each (partition, hash): n records in the source, m in the copy, and where."""
        n = self._side(source, self.parameters["source_part"]).select("p", "k", F.lit(1).alias("n"), F.lit(0).alias("m"), "at")
        m = self._side(target, self.parameters["target_part"]).select("p", "k", F.lit(0).alias("n"), F.lit(1).alias("m"), "at")
        return (
            n.union(m)
            .groupBy("p", "k")
            .agg(
                F.sum("n").alias("n"),
                F.sum("m").alias("m"),
                F.min(F.when(F.col("n") == 1, F.col("at"))).alias("in_source"),
                F.max(F.when(F.col("m") == 1, F.col("at"))).alias("in_target"),
            )
        )

    def _side(self, scanned: Scanned, part: str) -> DataFrame:
        partition = F.col("part") if self.parameters["same_partitions"] else F.lit(0)
        return scanned.of(part).select(partition.alias("p"), F.col(HASHES[self.parameters["by"]]).alias("k"), position().alias("at"))

    def _samples(self, pairs: DataFrame, source: Scanned, target: Scanned, total: dict[str, int]) -> list[dict]:
        n, m = F.col("n"), F.col("m")
        samples = []
        for name, condition, side, at, what in (
            ("missing", n > m, source, "in_source", "missing in the copy"),
            ("repeated", (n > 0) & (m > n), source, "in_source", "too often in the copy"),
            ("extra", n == 0, target, "in_target", "in the copy, without a source"),
        ):
            if total[name]:
                rows = pairs.where(condition).select(at).orderBy(at).limit(self.limit).collect()
                samples += [side.sample(row[at], what) for row in rows]
        return samples
