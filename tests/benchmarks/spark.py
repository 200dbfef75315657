# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verification job against Spark's own bare scan of the same records: whole processes, with the same settings. Of a topic, of files
that a sink wrote, on a small standalone cluster, and of many topics in one job."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic

from stack import ports
from tests.benchmarks import spark_events
from tests.benchmarks.measure import Cost, Row, alternate, cost, run
from tests.verify.jars import spark_jars

HERE = Path(__file__).resolve().parent
JOB = HERE.parents[1] / "roles" / "verify_replay" / "files"
RECORDS = int(os.environ.get("STREAMOPS_BENCH_RECORDS", "5000000"))
PARTITIONS = 12
HEAP_MIB = 1024
SETTINGS = {
    "spark.driver.memory": f"{HEAP_MIB}m", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.log.level": "ERROR",
    "spark.eventLog.enabled": "true", "spark.eventLog.rolling.enabled": "false", "spark.eventLog.compress": "false",
}  # fmt: skip
#: topics of one job whose start is shared
TOPICS = 5
LOCAL = "local[*]"
#: how often a run of more than a minute is repeated
ROUNDS = 2


class Spark:
    """spark-submit of the environment that has pyspark, on all cores of this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = os.environ["STREAMOPS_SPARK"]
        self.home = run([self.python, "-c", "import os, pyspark; print(os.path.dirname(pyspark.__file__))"]).stdout.strip()
        self.jars, self.master = spark_jars(), LOCAL
        self._events = folder / "events"
        self._events.mkdir(exist_ok=True)
        self.set({})

    def set(self, more: dict[str, str]) -> None:
        """Further settings of the jobs from now on."""
        settings = {**SETTINGS, "spark.eventLog.dir": f"file://{self._events}", **more}
        (self.folder / "job.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))

    def command(self, *arguments: object) -> list[str]:
        submit = [f"{self.home}/bin/spark-submit", "--master", self.master, "--properties-file", str(self.folder / "job.conf")]
        return [*submit, "--jars", self.jars, *map(str, arguments)]

    @property
    def env(self) -> dict[str, str]:
        own = {"SPARK_HOME": self.home, "PYSPARK_PYTHON": self.python, "PYSPARK_DRIVER_PYTHON": self.python, "SPARK_LOCAL_IP": "127.0.0.1"}
        return os.environ | own

    def run(self, *arguments: object, good: tuple[int, ...] = (0,)) -> Cost:
        for log in self._events.iterdir():
            log.unlink()
        return cost(self.command(*arguments), self.env, good)

    def shares(self) -> spark_events.Shares:
        """What the tasks of the last run did."""
        [log] = self._events.glob("[!.]*")
        with log.open() as lines:
            return spark_events.shares(lines)

    @contextlib.contextmanager
    def cluster(self, workers: int = 2, cores: int = 1, memory: str = "1g") -> Iterator[None]:
        """A standalone cluster on this machine, on which the jobs run meanwhile. pyspark has its classes, but not its start scripts."""
        port, started = ports.find_free(set()), []

        def start(*arguments: object) -> None:
            command = [f"{self.home}/bin/spark-class", *map(str, arguments)]
            started.append(subprocess.Popen(command, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

        try:
            start("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", 0)
            while ports.is_free(port):
                time.sleep(0.2)
            for number in range(workers):
                own = ("-c", cores, "-m", memory, "-d", self.folder / f"worker-{number}", "--host", "127.0.0.1", "--webui-port", 0)
                start("org.apache.spark.deploy.worker.Worker", *own, f"spark://127.0.0.1:{port}")
            self.master = f"spark://127.0.0.1:{port}"
            self.set({"spark.executor.memory": memory, "spark.cores.max": str(workers * cores)})
            yield
        finally:
            self.master = LOCAL
            self.set({})
            for process in started:
                process.terminate()
            for process in started:
                process.wait()


class Job:
    """A document, whose topics and tables a job of spark_jobs.py has filled, and its verdicts."""

    #: verdicts by the types of the checks
    expected: dict[str, str]

    def __init__(self, spark: Spark, brokers: str, name: str, records: int, topics: int = 1) -> None:
        self.spark, self.records, self.document = spark, records, spark.folder / f"{name}.json"
        self.report = spark.folder / f"{name}.report.json"
        self.job = (JOB / "main.py", self.document, self.report, spark.folder / f"{name}.html")
        names = [f"bench-{name}-{number}" for number in range(topics)]
        admin = AdminClient({"bootstrap.servers": brokers})
        config = {"retention.ms": "-1", "segment.bytes": str(2**30)}
        for topic, made in admin.create_topics([NewTopic(one, PARTITIONS, 1, config=config) for one in names]).items():
            made.result()
            print(f"topic {topic}", file=sys.stderr)
        self._admin, self._topics, self.mib = admin, names, 0.0
        spark.run(HERE / "spark_jobs.py", type(self).__name__.lower(), brokers, ",".join(names), records, self.document)

    def verify(self) -> float:
        """Seconds; the memory and the work of its tasks are kept."""
        found = self.spark.run(*self.job, good=(0, 3))
        self.mib, self.shares = max(self.mib, found.mib), self.spark.shares()
        verdicts = {(check["type"], check["verdict"]) for check in json.loads(self.report.read_text())["checks"]}
        # What was planted is found, at any size.
        assert verdicts == set(self.expected.items()), verdicts
        return found.seconds

    def scan(self) -> float:
        return self.spark.run(HERE / "spark_jobs.py", "scan", self.document).seconds

    def drop(self) -> None:
        for done in self._admin.delete_topics(self._topics).values():
            done.result()


class Replay(Job):
    """Topics whose records came once, and a quarter of them once more; one of these is missing."""

    expected = {"replayed": "fail", **dict.fromkeys(
        ("count", "duplicates", "gaps", "keys_present", "nulls", "not_replayed", "poison_gone"), "pass")}  # fmt: skip


class Files(Job):
    """A topic of JSON, and the Parquet files that a sink has made of it; one row has another price, one is missing."""

    expected = {"sink": "fail"}


def rows(brokers: str, folder: Path) -> Iterator[Row]:
    spark = Spark(folder)
    small, usual, large = (Replay(spark, brokers, f"replay-{records}", records) for records in (1200, RECORDS, 4 * RECORDS))
    start_verify, start_scan = small.verify(), small.scan()
    print(f"start-up alone (1200 records): job {start_verify:.1f} s, bare scan {start_scan:.1f} s", file=sys.stderr)
    verify, scan = alternate(ROUNDS, usual.verify, usual.scan)
    yield Row(f"(h) verify {RECORDS:,} records, all checks / bare scan", verify, scan, 2.5)
    more = large.verify()
    for job in (usual, large):
        print(f"{job.records:,} records: {job.shares}", file=sys.stderr)
    four_times = 4 * (verify - start_verify)
    yield Row(f"(h) verify {4 * RECORDS:,} records / 4 times that, without start-up", more - start_verify, four_times, 1.15)
    yield Row(f"(h) verify {4 * RECORDS:,} records, peak memory / that of {RECORDS:,}", large.mib, usual.mib, 1.15, "MiB")
    yield Row("(h) the same / heap and 640 MiB", large.mib, HEAP_MIB + 640, 1, "MiB")
    large.drop()
    yield _shared_start(spark, brokers, small, start_verify)
    yield _on_a_cluster(spark, usual, verify)
    yield _files(spark, brokers)


def large_rows(brokers: str, folder: Path) -> Iterator[Row]:
    """Ten times the records: what of the job grows faster than its scan, in the same memory, and on a cluster."""
    spark = Spark(folder)
    job = Replay(spark, brokers, "replay-large", 10 * RECORDS)
    verify, scan = job.verify(), job.scan()
    print(f"{job.records:,} records: {job.shares}", file=sys.stderr)
    yield Row(f"(p) verify {job.records:,} records, all checks / bare scan", verify, scan, 3)
    yield Row("(p) its peak memory / heap and 768 MiB", job.mib, HEAP_MIB + 768, 1, "MiB")
    yield _on_a_cluster(spark, job, verify, "p")
    job.drop()


def _shared_start(spark: Spark, brokers: str, one: Replay, seconds: float) -> Row:
    """Several topics in one job against a job for each."""
    many = Replay(spark, brokers, "replay-many", one.records, TOPICS)
    return Row(f"(h) {TOPICS} topics of {one.records:,} records in one job / in {TOPICS}", many.verify(), TOPICS * seconds, 0.6)


def _on_a_cluster(spark: Spark, job: Replay, local: float, letter: str = "h") -> Row:
    with spark.cluster():
        seconds = job.verify()
    return Row(f"({letter}) {job.records:,} records, 2 standalone workers of 1 core / local", seconds, local, 2)


def _files(spark: Spark, brokers: str) -> Row:
    files = Files(spark, brokers, "files", RECORDS)
    verify, scan = alternate(ROUNDS, files.verify, files.scan)
    print(f"{RECORDS:,} rows of files: {files.shares}", file=sys.stderr)
    return Row(f"(h) a sink's {RECORDS:,} rows in Parquet / both sides bare", verify, scan, 3)
