# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From Kafka to slim rows: hashes, sizes and positions. No key and no value leaves the scan."""

from __future__ import annotations

import json
from inspect import signature

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from verify_replay.options import source_options

# A position is one long, partition and offset: minimum and maximum of longs are cheap, those of structs are not.
_BITS = 46

PAYLOAD = "payload"
VALUE = "value"
KEY = "key"
#: by which hash records are told apart -> column
HASHES = {PAYLOAD: "h", VALUE: "vh", KEY: "kh"}


def unpack(position: int) -> tuple[int, int]:
    """Partition and offset of a position."""
    return position >> _BITS, position & ((1 << _BITS) - 1)


def pack(partition: int, offset: int) -> int:
    return (partition << _BITS) | offset


def position(part: Column | None = None, off: Column | None = None) -> Column:
    """Of a record; or of the partition and offset in two columns of a table."""
    part, off = F.col("part") if part is None else part, F.col("off") if off is None else off
    return F.shiftleft(part.cast("long"), _BITS).bitwiseOR(off)


def smallest(what: Column, by: Column, condition: Column, limit: int) -> Column:
    """An aggregate: what is there of the rows that the condition holds for, those with the smallest numbers, at most limit of them.
    Samples come out of the pass that counts: looking for them afterwards would group and shuffle everything again."""
    if not limit:
        return F.array()
    if "k" in signature(F.min_by).parameters:
        return F.min_by(what, F.when(condition, by), limit)
    # Before Spark 4.2. It keeps all of these rows until the smallest are known.
    found = F.array_sort(F.collect_list(F.when(condition, F.struct(by.alias("by"), what.alias("what")))))
    return F.transform(F.slice(found, 1, limit), lambda one: one["what"])


def per_partition(values: dict[int, int], default: int = 0) -> Column:
    """The number that belongs to a row's partition."""
    pairs = [F.lit(item) for pair in values.items() for item in pair]
    found = F.element_at(F.create_map(*pairs), F.col("part")).cast("long") if pairs else F.lit(None).cast("long")
    return F.coalesce(found, F.lit(default).cast("long"))


def inside(ranges: dict[int, tuple[int, int]]) -> Column:
    """Whether a row lies in the half-open range of its partition."""
    low = {number: start for number, (start, _end) in ranges.items()}
    high = {number: end for number, (_start, end) in ranges.items()}
    return (F.col("off") >= per_partition(low)) & (F.col("off") < per_partition(high))


def read(
    spark: SparkSession, client: dict[str, str], topic: str, windows: dict[int, tuple[int, int]], isolation: str = "read_committed"
) -> DataFrame | None:
    """Records of the windows as Spark's source gives them; None if all windows are empty."""
    wanted = {number: window for number, window in windows.items() if window[0] < window[1]}
    if not wanted:
        return None
    options = source_options(client, isolation)
    options["assign"] = json.dumps({topic: sorted(wanted)})
    options["startingOffsets"] = json.dumps({topic: {str(number): window[0] for number, window in wanted.items()}})
    options["endingOffsets"] = json.dumps({topic: {str(number): window[1] for number, window in wanted.items()}})
    return spark.read.format("kafka").options(**options).load()


def empty(spark: SparkSession) -> DataFrame:
    """No records, with the columns of the source that slim() needs."""
    return spark.createDataFrame([], "key binary, value binary, partition int, offset long, timestamp timestamp")


def positions(records: DataFrame) -> DataFrame:
    """Only where records are."""
    return records.select(F.col("partition").alias("part"), F.col("offset").alias("off"))


def slim(records: DataFrame, boundaries: dict[int, int], hashes: set[str], extra: dict[str, Column]) -> DataFrame:
    """The slim rows of records. extra adds columns that single checks need; they see the source's columns."""
    key, value = F.col("key"), F.col("value")
    # xxhash64 skips NULL: without the flags (NULL, x) and (x, NULL) would be the same.
    ways = {
        PAYLOAD: F.xxhash64(key.isNull(), key, value.isNull(), value),
        VALUE: F.xxhash64(value.isNull(), value),
        KEY: F.when(key.isNotNull(), F.xxhash64(key)),
    }
    rows = records.select(
        F.col("partition").alias("part"),
        F.col("offset").alias("off"),
        F.unix_millis("timestamp").alias("ts"),
        (F.coalesce(F.length(key), F.lit(0)) + F.coalesce(F.length(value), F.lit(0))).alias("size"),
        key.isNull().alias("knull"),
        value.isNull().alias("vnull"),
        *(ways[name].alias(HASHES[name]) for name in sorted(hashes)),
        *(column.alias(name) for name, column in extra.items()),
    )
    return rows.withColumn("after", F.col("off") >= per_partition(boundaries))
