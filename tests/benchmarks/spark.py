# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verification job against Spark's own bare scan of the same records: whole processes, with the same settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic

from tests.benchmarks.measure import Row, alternate, peak_mib, run, timed
from tests.verify.jars import spark_jars

HERE = Path(__file__).resolve().parent
JOB = HERE.parents[1] / "roles" / "verify_replay" / "files"
RECORDS = int(os.environ.get("STREAMOPS_BENCH_RECORDS", "5000000"))
PARTITIONS = 12
HEAP_MIB = 1024
SETTINGS = {
    "spark.driver.memory": f"{HEAP_MIB}m", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.log.level": "ERROR",
}  # fmt: skip


class Spark:
    """spark-submit of the environment that has pyspark, on all cores of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = os.environ["STREAMOPS_SPARK"]
        self.home = run([self.python, "-c", "import os, pyspark; print(os.path.dirname(pyspark.__file__))"]).stdout.strip()
        (folder / "job.conf").write_text("".join(f"{name} {value}\n" for name, value in SETTINGS.items()))
        self.jars = spark_jars()

    def command(self, *arguments: object) -> list[str]:
        submit = [f"{self.home}/bin/spark-submit", "--master", "local[*]", "--properties-file", str(self.folder / "job.conf")]
        return [*submit, "--jars", self.jars, *map(str, arguments)]

    @property
    def env(self) -> dict[str, str]:
        own = {"SPARK_HOME": self.home, "PYSPARK_PYTHON": self.python, "PYSPARK_DRIVER_PYTHON": self.python, "SPARK_LOCAL_IP": "127.0.0.1"}
        return os.environ | own

    def run(self, *arguments: object, good: tuple[int, ...] = (0,)) -> None:
        done = subprocess.run(self.command(*arguments), env=self.env, capture_output=True, text=True, check=False)
        if done.returncode not in good:
            raise SystemExit(f"{arguments} ended with {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")


class Replay:
    """A topic whose records came once, and a quarter of them once more; one of these is missing."""

    def __init__(self, spark: Spark, brokers: str, records: int) -> None:
        self.spark, self.records = spark, records
        topic = f"bench-replay-{records}"
        config = {"retention.ms": "-1", "segment.bytes": str(2**30)}
        admin = AdminClient({"bootstrap.servers": brokers})
        admin.create_topics([NewTopic(topic, PARTITIONS, 1, config=config)])[topic].result()
        self.document = spark.folder / f"{topic}.json"
        spark.run(HERE / "spark_jobs.py", "fill", brokers, topic, records, self.document)
        self.report = spark.folder / f"{topic}.report.json"
        self.job = (JOB / "main.py", self.document, self.report, spark.folder / f"{topic}.html")

    def verify(self) -> float:
        seconds = timed(lambda: self.spark.run(*self.job, good=(3,)))
        verdicts = {check["type"]: check["verdict"] for check in json.loads(self.report.read_text())["checks"]}
        # What was planted is found, at any size.
        assert verdicts.pop("replayed") == "fail" and set(verdicts.values()) == {"pass"}, verdicts
        return seconds

    def scan(self) -> float:
        return timed(lambda: self.spark.run(HERE / "spark_jobs.py", "scan", self.document))

    def peak(self) -> float:
        return peak_mib(self.spark.command(*self.job), self.spark.env, good=(3,))


def rows(brokers: str, folder: Path) -> list[Row]:
    spark = Spark(folder)
    small, usual, large = (Replay(spark, brokers, records) for records in (1200, RECORDS, 4 * RECORDS))
    start_verify, start_scan = small.verify(), small.scan()
    print(f"start-up alone (1200 records): job {start_verify:.1f} s, bare scan {start_scan:.1f} s", file=sys.stderr)
    verify, scan = alternate(3, usual.verify, usual.scan)
    more = large.verify()
    peaks = [usual.peak(), large.peak()]
    return [
        Row(f"(h) verify {RECORDS:,} records, all checks / bare scan", verify, scan, 2.5),
        Row(f"(h) verify {4 * RECORDS:,} records / 4 times that, without start-up", more - start_verify, 4 * (verify - start_verify), 1.15),
        Row(f"(h) verify {4 * RECORDS:,} records, peak memory / that of {RECORDS:,}", peaks[1], peaks[0], 1.15, "MiB"),
        Row("(h) the same / heap and 640 MiB", peaks[1], HEAP_MIB + 640, 1, "MiB"),
    ]
