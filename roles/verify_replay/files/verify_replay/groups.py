# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All that is asked about equal records of a topic, answered by one groupBy of their hash."""

from __future__ import annotations

import math
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from verify_replay.scan import position, smallest

#: a topic with fewer records is left to Spark; of a larger one, a sample of this many tells whether most records differ
LARGE, SAMPLE = 1_000_000, 100_000
#: the share of the sample that has to be different records
_MOSTLY = 0.8
#: records of a task after the shuffle: the map of their groups fits into its memory
PER_TASK = 500_000


class Groups:
    """Groups of records with the same hash.

    Of every group there are: before and after (how many), first_before and last_after (positions). ask() adds numbers of a
    group and totals over all groups; they are all computed together when the first total is looked at.
    """

    def __init__(self, rows: DataFrame, column: str, records: int) -> None:
        """records: how many rows there are."""
        self._rows = rows.where(F.col(column).isNotNull())
        self._column = column
        self._records = records
        self._group: dict[str, Column] = {
            "before": F.sum(F.when(F.col("after"), 0).otherwise(1)),
            "after_": F.sum(F.when(F.col("after"), 1).otherwise(0)),
            "first_before": F.min(F.when(~F.col("after"), position())),
            "last_after": F.max(F.when(F.col("after"), position())),
        }
        before, after = F.col("before"), F.col("after_")
        self._totals: dict[str, Column] = {
            "distinct": F.count("*"),
            "both": F.count_if((before > 0) & (after > 0)),
            "only_before": F.count_if(after == 0),
            "only_after": F.count_if(before == 0),
            "repeated_before": F.sum(F.greatest(before - 1, F.lit(0))),
            "repeated_after": F.sum(F.greatest(after - 1, F.lit(0))),
        }
        self._found: dict[str, Any] | None = None

    def ask(self, group: dict[str, Column], totals: dict[str, Column]) -> None:
        self._group.update(group)
        self._totals.update(totals)

    def total(self, name: str) -> int:
        self._find()
        return self._found[name] or 0

    def _find(self) -> None:
        if self._found is None:
            grouped = self._shuffled().groupBy(self._column).agg(*(column.alias(name) for name, column in self._group.items()))
            asked = [column.alias(key) for key, column in self._totals.items()]
            self._found = grouped.agg(*asked).first().asDict()

    def _shuffled(self) -> DataFrame:
        """The rows, shuffled by their hash if most of them differ.

        By itself Spark groups the rows of each task, shuffles the groups, and groups them again: twice the work, with as many groups as
        rows. Where many rows are equal it is less work, and no task gets all copies of one record.
        """
        if self._records < LARGE:
            return self._rows
        asked = F.count("*").alias("all"), F.approx_count_distinct(self._column).alias("different")
        sample = self._rows.limit(SAMPLE).agg(*asked).first().asDict()
        if sample["different"] < _MOSTLY * sample["all"]:
            return self._rows
        return self._rows.repartition(math.ceil(self._records / PER_TASK), self._column)

    def classes(self) -> dict[str, int]:
        """The totals that every topic has."""
        names = ("distinct", "both", "only_before", "only_after", "repeated_before", "repeated_after")
        return {name: self.total(name) for name in names}

    def ask_positions(self, name: str, predicate: Column, position: str, limit: int) -> None:
        """As a total of that name: the first positions, by that number of the group, of groups that the predicate holds for."""
        self._totals[name] = smallest(F.col(position), F.col(position), predicate, limit)

    def positions(self, name: str) -> list[int]:
        self._find()
        return self._found[name] or []
