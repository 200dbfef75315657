# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two multisets of hashes, compared by sums of their hashes. Of most records and rows nothing has to be grouped or shuffled then.

The ids are spread over buckets. A bucket of which both sides have as many entries, with the same sums, holds the same on both sides: that
two different multisets have the same sums is as unlikely as that two records have the same hash.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

#: few, as each task has a group for each; many, so that one difference leaves little to look at
BUCKETS = 4096
_LOW = 0xFFFFFFFF


@dataclass(frozen=True)
class Sums:
    """How many entries each side has, and the buckets in which they differ."""

    left: int
    right: int
    differing: list[int]


def bucket() -> Column:
    """The bucket of an entry, by its column id; an entry without one has that of the number -1."""
    return F.coalesce(F.col("id"), F.lit(-1)).bitwiseAND(BUCKETS - 1)


def compare(left: DataFrame, right: DataFrame) -> Sums:
    """Entries have an id and a hash, longs: entries of one id are the same if their hashes are."""
    sides = [_marked(left, 1), _marked(right, -1)]
    # Halves of a hash: a sum of whole ones would leave the range of a long.
    high = F.shiftright("hash", 32)
    groups = sides[0].union(sides[1]).groupBy("bucket")
    found = groups.agg(
        F.sum(F.when(F.col("side") > 0, 1).otherwise(0)).alias("left"),
        F.count("*").alias("all"),
        F.sum(F.col("side") * F.col("hash").bitwiseAND(_LOW)).alias("low"),
        F.sum(F.col("side") * high).alias("high"),
    ).collect()
    differing = [row["bucket"] for row in found if row["low"] or row["high"] or 2 * row["left"] != row["all"]]
    number = sum(row["left"] for row in found)
    return Sums(number, sum(row["all"] for row in found) - number, sorted(differing))


def _marked(entries: DataFrame, side: int) -> DataFrame:
    together = F.xxhash64(F.coalesce("id", F.lit(-1)), "hash")
    return entries.select(bucket().alias("bucket"), F.lit(side).cast("long").alias("side"), together.alias("hash"))
