# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connector's own commits on its offsets topic: they move on, and not backwards."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from verify_replay.checks.base import BaseCheck, verdict
from verify_replay.data import Result, Scanned, number, offsets, plural
from verify_replay.expectation import AFTER, ALL
from verify_replay.scan import position

_NUMBER = "decimal(38,6)"
_MAP = "map<string,string>"


class Progress(BaseCheck):
    """Records of the offsets topic have the key ["connector",{source partition}] and the offset as their value.

    A position is the chosen field, or the only number in the offset; without one only "changed" can be said. The last
    position before the boundary is what the first one after it is compared with; a tombstone forgets it.
    """

    def columns(self) -> dict[str, Column]:
        key, value, field = F.col("key").cast("string"), F.col("value").cast("string"), self.parameters["field"]
        mine = F.get_json_object(key, "$[0]") == self.parameters["connector"]
        # The same source partition may have been written with its fields in another order.
        entries = F.array_sort(F.map_entries(F.from_json(F.get_json_object(key, "$[1]"), _MAP)))
        if field:
            place = F.get_json_object(value, f"$.{field}").try_cast(_NUMBER)
        else:
            all_fields = F.map_values(F.from_json(value, _MAP))
            numbers = F.filter(F.transform(all_fields, lambda one: one.try_cast(_NUMBER)), lambda one: one.isNotNull())
            place = F.when(F.size(numbers) == 1, numbers[0])
        # CASE: a busy offsets topic holds other connectors, which need no parsing.
        return {
            self.own("k"): F.when(mine, F.xxhash64(F.coalesce(entries.cast("string"), key))),
            self.own("n"): F.when(mine, place),
            self.own("v"): F.when(mine, F.xxhash64(value)),
        }

    def judge(self, scans: dict[str, Scanned]) -> Result:
        scanned = self.scanned(scans)
        steps = self._steps(scanned)
        row = steps.agg(
            F.count_if(F.col("after")).alias("records"),
            F.count_if(self._backwards()).alias("backwards"),
            F.count_if(F.col("after") & F.col("vnull")).alias("tombstones"),
            F.count_if(F.col("after") & F.col("n").isNull() & ~F.col("vnull")).alias("not_numeric"),
        ).first()
        figures = row.asDict()
        partitions = self._partitions(steps)
        found = partitions.agg(
            F.count("*").alias("source_partitions"),
            F.count_if(F.col("moved")).alias("moved"),
            F.count_if(~F.col("moved")).alias("still"),
        ).first()
        figures = {**found.asDict(), **figures}
        gone = scanned.gone(AFTER)
        allowed = {name: self.parameters[f"max_{name}"] for name in ("backwards", "tombstones", "still")}
        # Only rest can be explained by commits that cannot be read.
        failed = any(figures[name] - (offsets(gone) if name == "still" else 0) > most for name, most in allowed.items())
        sentence = (
            f"{plural(figures['source_partitions'], 'source partition')} of {self.parameters['connector']}:"
            f" {number(figures['moved'])} moved on in {plural(figures['records'], 'commit')} after the boundary,"
            f" {number(figures['still'])} stood still; {plural(figures['backwards'], 'step')} backwards,"
            f" {plural(figures['tombstones'], 'tombstone')}."
        )
        if figures["not_numeric"]:
            sentence += (
                f" {plural(figures['not_numeric'], 'position is', 'positions are')} no number: only whether they change was looked at."
            )
        nothing = None if figures["source_partitions"] else f"the offsets topic holds no record of {self.parameters['connector']}"
        lost = [(scanned, scanned.gone(ALL if not figures["source_partitions"] else AFTER))]
        return verdict(failed, sentence, figures, self._samples(steps, partitions, scanned), lost, nothing)

    def _steps(self, scanned: Scanned) -> DataFrame:
        """The commits of the connector, each with the number before it."""
        rows = scanned.rows.where(F.col(self.own("k")).isNotNull()).select(
            F.col(self.own("k")).alias("k"),
            F.col(self.own("n")).alias("n"),
            F.col(self.own("v")).alias("v"),
            position().alias("at"),
            "after",
            "vnull",
        )
        return rows.withColumn("previous", F.lag("n").over(Window.partitionBy("k").orderBy("at")))

    @staticmethod
    def _backwards() -> Column:
        return F.col("after") & (F.col("n") < F.col("previous"))

    @staticmethod
    def _partitions(steps: DataFrame) -> DataFrame:
        """Of each source partition whether it moved, and its last commit."""
        at, after = F.col("at"), F.col("after")
        found = steps.groupBy("k").agg(
            F.max_by(F.when(~after, F.col("n")), F.when(~after, at)).alias("n_before"),
            F.max_by(F.when(~after, F.col("v")), F.when(~after, at)).alias("v_before"),
            F.max_by(F.when(after, F.col("n")), F.when(after, at)).alias("n_after"),
            F.max_by(F.when(after, F.col("v")), F.when(after, at)).alias("v_after"),
            F.min(F.when(after, F.col("n"))).alias("lowest"),
            F.max("at").alias("at"),
        )
        # After a declared step back it has to rise from the lowest number there was.
        base = F.least(F.col("n_before"), F.col("lowest"))
        changed = F.col("v_after").isNotNull() & ~F.col("v_after").eqNullSafe(F.col("v_before"))
        numeric = F.col("n_after").isNotNull() & F.col("n_before").isNotNull()
        return found.withColumn("moved", F.when(numeric, F.col("n_after") > base).otherwise(changed))

    def _samples(self, steps: DataFrame, partitions: DataFrame, scanned: Scanned) -> list[dict]:
        samples: list[dict] = []
        for rows, what in (
            (steps.where(self._backwards()), "lower than the commit before it"),
            (steps.where("after and vnull"), "tombstone"),
            (partitions.where("not moved"), "the last commit of a source partition that stood still"),
        ):
            found = rows.select("at").orderBy("at").limit(self.limit).collect()
            samples += [scanned.sample(row["at"], what) for row in found]
        return samples
