# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What spark-submit runs for the benchmark: fill a topic and describe it; read it as Spark itself reads it, and drop everything."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

CHECKS = (
    {"type": "replayed"}, {"type": "count", "min": 1}, {"type": "duplicates"}, {"type": "gaps"},
    {"type": "keys_present", "max_missing": 10**12}, {"type": "nulls", "max_tombstones": 0}, {"type": "not_replayed", "max": 10**12},
)  # fmt: skip


def fill(spark: SparkSession, brokers: str, topic: str, records: int, document: Path) -> None:
    """A quarter of the records came before the boundary, too; record 7 has not come again. 113 bytes each, keys included."""
    again = records // 5
    _write(spark, brokers, topic, 0, records - again)
    boundary = _ends(spark, brokers, topic)
    _write(spark, brokers, topic, 0, again, missing=7)
    ends = _ends(spark, brokers, topic)
    partitions = {str(number): {"start": 0, "boundary": boundary.get(number, 0), "end": end} for number, end in ends.items()}
    last = {number: [end - 1] for number, end in list(boundary.items())[:1]}
    checks = [{**check, "topic": "t"} for check in (*CHECKS, {"type": "poison_gone", "offsets": last})]
    document.write_text(json.dumps({
        "version": 1, "clusters": {"main": {"bootstrap.servers": brokers}},
        "topics": {"t": {"cluster": "main", "topic": topic, "partitions": partitions}}, "checks": checks}))  # fmt: skip


def _write(spark: SparkSession, brokers: str, topic: str, first: int, last: int, missing: int = -1) -> None:
    rows = spark.range(first, last).where(F.col("id") != missing)
    rows = rows.select(F.col("id").cast("string").alias("key"), F.rpad(F.concat(F.lit("order "), F.col("id")), 105, ".").alias("value"))
    options = {"kafka.bootstrap.servers": brokers, "topic": topic, "kafka.compression.type": "lz4", "kafka.linger.ms": "50",
               "kafka.batch.size": "262144"}  # fmt: skip
    rows.write.format("kafka").options(**options).save()


def _ends(spark: SparkSession, brokers: str, topic: str) -> dict[int, int]:
    found = read(spark, brokers, topic).groupBy("partition").agg(F.max("offset").alias("last")).collect()
    return {row["partition"]: row["last"] + 1 for row in found}


def read(spark: SparkSession, brokers: str, topic: str, **offsets: str) -> DataFrame:
    options = {"kafka.bootstrap.servers": brokers, "kafka.isolation.level": "read_committed", **offsets}
    return spark.read.format("kafka").options(**options, **({} if "assign" in offsets else {"subscribe": topic})).load()


def scan(spark: SparkSession, document: Path) -> None:
    """Spark's own: every record of the ranges, to nowhere."""
    described = json.loads(document.read_text())
    topic = described["topics"]["t"]
    name, partitions = topic["topic"], topic["partitions"]
    offsets = {
        "assign": json.dumps({name: sorted(map(int, partitions))}),
        "startingOffsets": json.dumps({name: {number: one["start"] for number, one in partitions.items()}}),
        "endingOffsets": json.dumps({name: {number: one["end"] for number, one in partitions.items()}}),
    }
    read(spark, described["clusters"]["main"]["bootstrap.servers"], name, **offsets).write.format("noop").mode("overwrite").save()


def main(what: str, *arguments: str) -> None:
    spark = SparkSession.builder.appName(f"bench {what}").getOrCreate()
    if what == "fill":
        brokers, topic, records, document = arguments
        fill(spark, brokers, topic, int(records), Path(document))
    else:
        scan(spark, Path(arguments[0]))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
