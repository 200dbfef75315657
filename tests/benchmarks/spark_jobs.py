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


def replay(spark: SparkSession, brokers: str, topics: list[str], records: int) -> dict:
    """A quarter of the records came before the boundary, too; record 7 has not come again. 113 bytes each, keys included."""
    found = {"topics": {}, "checks": []}
    again = records // 5
    for topic in topics:
        _write(brokers, topic, _orders(spark, records - again))
        boundary = _ends(spark, brokers, topic)
        _write(brokers, topic, _orders(spark, again).where(F.col("key") != "7"))
        ends = _ends(spark, brokers, topic)
        partitions = {str(number): {"start": 0, "boundary": boundary.get(number, 0), "end": end} for number, end in ends.items()}
        found["topics"][topic] = {"cluster": "main", "topic": topic, "partitions": partitions}
        last = {number: [end - 1] for number, end in list(boundary.items())[:1]}
        found["checks"] += [{**check, "topic": topic} for check in (*CHECKS, {"type": "poison_gone", "offsets": last})]
    return found


def _orders(spark: SparkSession, records: int) -> DataFrame:
    key, value = F.col("id").cast("string"), F.rpad(F.concat(F.lit("order "), F.col("id")), 105, ".")
    return spark.range(records).select(key.alias("key"), value.alias("value"))


def files(spark: SparkSession, brokers: str, topics: list[str], records: int, folder: Path) -> dict:
    """Orders in JSON, about 90 bytes, and the same in Parquet; there order 7 has another price, and order 8 is missing."""
    [topic] = topics
    item, price = F.concat(F.lit("item "), F.col("id")), (F.col("id") % 10000 / 100).cast("decimal(10,2)")
    orders = spark.range(records).select("id", item.alias("item"), price.alias("price"), F.timestamp_millis(F.col("id")).alias("at"))
    value = F.to_json(F.struct("id", "item", "price", F.unix_millis("at").alias("at")))
    _write(brokers, topic, orders.select(F.col("id").cast("string").alias("key"), value.alias("value")))
    price = F.when(F.col("id") == 7, F.col("price") + 1).otherwise(F.col("price")).cast("decimal(10,2)")
    orders.where("id != 8").withColumn("price", price).write.parquet(f"file://{folder}")
    partitions = {str(number): {"start": 0, "boundary": 0, "end": end} for number, end in _ends(spark, brokers, topic).items()}
    check = {"type": "sink", "topic": topic, "table": "files", "mode": "append", "columns": {name: name for name in orders.columns}}
    return {"topics": {topic: {"cluster": "main", "topic": topic, "partitions": partitions}}, "checks": [check],
            "tables": {"files": {"format": "parquet", "path": f"file://{folder}"}}}  # fmt: skip


def _write(brokers: str, topic: str, rows: DataFrame) -> None:
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
    """Spark's own: every record of the ranges, and every row of the tables, to nowhere."""
    described = json.loads(document.read_text())
    for topic in described["topics"].values():
        name, partitions = topic["topic"], topic["partitions"]
        offsets = {
            "assign": json.dumps({name: sorted(map(int, partitions))}),
            "startingOffsets": json.dumps({name: {number: one["start"] for number, one in partitions.items()}}),
            "endingOffsets": json.dumps({name: {number: one["end"] for number, one in partitions.items()}}),
        }
        _nowhere(read(spark, described["clusters"]["main"]["bootstrap.servers"], name, **offsets))
    for table in described.get("tables", {}).values():
        _nowhere(spark.read.format(table["format"]).load(table["path"]))


def _nowhere(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()


def main(what: str, *arguments: str) -> None:
    spark = SparkSession.builder.appName(f"bench {what}").getOrCreate()
    if what == "scan":
        scan(spark, Path(arguments[0]))
    else:
        brokers, topics, records, document = arguments
        filled = (spark, brokers, topics.split(","), int(records))
        found = replay(*filled) if what == "replay" else files(*filled, Path(f"{document}.files"))
        Path(document).write_text(json.dumps({"version": 1, "clusters": {"main": {"bootstrap.servers": brokers}}, **found}))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
