# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The job from its arguments to its exit status."""

from __future__ import annotations

import platform
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from verify_replay import expectation as documents
from verify_replay import report as reports
from verify_replay import scan
from verify_replay.checks import TYPES
from verify_replay.checks.base import BaseCheck
from verify_replay.data import Result, Scanned
from verify_replay.errors import JobError, root_cause
from verify_replay.expectation import Expectation
from verify_replay.facts import gather
from verify_replay.html import page
from verify_replay.log import Brokers, Log
from verify_replay.options import Properties, kafka_options
from verify_replay.reading import slim_rows
from verify_replay.registry import Registry
from verify_replay.scratch import Scratch
from verify_replay.tables import open_table
from verify_replay.watch import Watch, say, watching

_FAST_MAP = "spark.sql.codegen.aggregate.map.twolevel.enabled"


def main(arguments: list[str]) -> int:
    """Run the job; the status is 0 pass, 3 a check failed, 1 the job broke."""
    if len(arguments) != 3:
        say("usage: main.py EXPECTATION.json REPORT.json REPORT.html")
        return reports.EXIT_BROKEN
    began, expected = time.monotonic(), None
    targets: list[Path] = []
    try:
        targets = [reports.writable(path) for path in arguments[1:]]
        expected = documents.load(_read(arguments[0]))
        report = run(expected, began)
    except JobError as error:
        report = reports.broken(str(error), expected.change_id if expected else None)
    except Exception as error:  # the report has to say it, whatever it is
        traceback.print_exc()
        report = reports.broken(root_cause(error), expected.change_id if expected else None)
    try:
        for target, content in zip(targets, (reports.as_json(report), page(report)), strict=False):
            reports.write(target, content)
    except JobError as error:
        report = reports.broken(str(error))
    return _tell(report, expected.cannot_tell if expected else "fail")


def run(expected: Expectation, began: float) -> dict[str, Any]:
    """Everything that needs Spark; returns the report."""
    spark = session()
    require(expected, spark.version, partial(_has_class, spark))
    seconds = {"start": time.monotonic() - began}
    properties = Properties(spark.sparkContext.getConf().getAll())
    clients = {name: kafka_options(entry, properties, name) for name, entry in expected.clusters.items()}
    scratch = Scratch(spark, properties.get("scratch"))
    brokers = Brokers(spark._jvm, clients.__getitem__)
    try:
        with watching(spark.sparkContext) as watch:
            logs = look(expected, brokers)
            tables = {name: open_table(spark, target, properties) for name, target in expected.tables.items()}
            registries = open_registries(expected, properties)
            checks = [TYPES[check.type](check, expected.samples, tables, registries) for check in expected.checks]
            watch.topics({name: _offsets(log) for name, log in logs.items()})
            scans = {}
            for name in sorted(expected.used):
                at = time.monotonic()
                scans[name] = read(spark, expected, name, clients, logs[name], checks, scratch, watch)
                seconds[f"scan {name}"] = time.monotonic() - at
            at = time.monotonic()
            results = judge(checks, scans, watch)
            seconds["checks"] = time.monotonic() - at
            topics = {name: describe(scanned) for name, scanned in scans.items()}
        seconds["total"] = time.monotonic() - began
        return reports.build(expected.change_id, results, topics, seconds, _versions(spark), expected.connectors)
    finally:
        brokers.close()
        scratch.remove()
        spark.stop()


def session() -> SparkSession:
    """The session that spark-submit has configured."""
    try:
        spark = SparkSession.builder.appName("verify_replay").getOrCreate()
    except Exception as error:  # no such master, no Java, no memory
        raise JobError(f"Spark did not start: {root_cause(error)}") from error
    spark.sparkContext.setLogLevel("ERROR")
    for name in ("org.apache.kafka.clients.admin.AdminClient", "org.apache.spark.sql.kafka010.KafkaSourceProvider"):
        if not _has_class(spark, name):
            wanted = f"org.apache.spark:spark-sql-kafka-0-10_2.13:{spark.version}"
            spark.stop()
            raise JobError(f"the jars of {wanted} are missing: give those of jars/pom.xml as --jars, or that name as --packages")
    given = spark.sparkContext.getConf()
    if not given.contains("spark.sql.session.timeZone"):
        # Connect writes times in UTC, whatever the zone of this machine is.
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    if not given.contains(_FAST_MAP):
        # It helps where groups are few. Records are almost as many groups, and each would be looked for in two maps.
        spark.conf.set(_FAST_MAP, "false")
    if spark.sparkContext.master.startswith("local") and not given.contains("spark.sql.shuffle.partitions"):
        # 200 small tasks on a few cores are mostly overhead.
        spark.conf.set("spark.sql.shuffle.partitions", str(max(4, 2 * spark.sparkContext.defaultParallelism)))
    return spark


def require(expected: Expectation, version: str, has_class: Callable[[str], bool]) -> None:
    """JobError if a check needs a jar that is not there, before anything is read."""
    formats = {check.parameters[f"{side}_format"] for check in expected.checks if check.type == "sink" for side in ("key", "value")}
    # Decimals in JSON are bytes of Avro's form.
    if formats & {"avro", "connect_json", "json_schema"} and not has_class("org.apache.spark.sql.avro.AvroDataToCatalyst"):
        wanted = f"org.apache.spark:spark-avro_2.13:{version}"
        raise JobError(f"the jar of {wanted} is missing: give it as --jars, or that name as --packages")


def _has_class(spark: SparkSession, name: str) -> bool:
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    return loader.getResource(name.replace(".", "/") + ".class") is not None


def look(expected: Expectation, brokers: Brokers) -> dict[str, Log]:
    """The logs of all topics, and whether these are the clusters that are meant."""
    for name, wanted in expected.cluster_ids.items():
        found = brokers.cluster_id(name)
        if found != wanted:
            raise JobError(f"cluster {name} is another one: its id is {found}, the document says {wanted}")
    return {name: brokers.look(expected.topics[name]) for name in sorted(expected.used)}


def open_registries(expected: Expectation, properties: Properties) -> dict[str, Registry]:
    """The schema registries that checks speak of; none is asked yet."""
    used = {check.parameters["registry"] for check in expected.checks if check.type == "sink"} - {None}
    return {name: Registry(name, {**expected.registries[name], **properties.under(f"registry.{name}")}) for name in sorted(used)}


def read(
    spark: SparkSession,
    expected: Expectation,
    name: str,
    clients: dict[str, dict[str, str]],
    log: Log,
    checks: list[BaseCheck],
    scratch: Scratch,
    watch: Watch,
) -> Scanned:
    """One pass over the topic, with all that its checks need."""
    topic, client = expected.topics[name], clients[expected.topics[name].cluster]
    mine = [check for check in checks if name in (check.check.topic, check.parameters.get("source"))]
    say(f"reading {name}: {len(log.windows)} partitions, {_offsets(log)} offsets")
    watch.reading(name)
    try:
        again = partial(scan.read, spark, client, topic.topic)
        rows = slim_rows(topic, log.windows, mine, again, scratch.keep, scan.empty(spark))
        watch.counting()
        facts = gather(rows, log.windows)
    except JobError:
        raise
    except Exception as error:
        raise JobError(f"the topic {name} ({topic.topic}) cannot be read: {root_cause(error)}") from error

    def uncommitted(windows: dict[int, tuple[int, int]]) -> DataFrame | None:
        again = scan.read(spark, client, topic.topic, windows, "read_uncommitted")
        return None if again is None else scan.positions(again)

    return Scanned(topic, log, rows, facts, uncommitted)


def _offsets(log: Log) -> int:
    """How many offsets of a topic are read: about as many as records."""
    return sum(high - low for low, high in log.windows.values())


def judge(checks: list[BaseCheck], scans: dict[str, Scanned], watch: Watch) -> list[dict[str, Any]]:
    for check in checks:
        check.ask(scans)
    results = []
    for place, check in enumerate(checks, 1):
        watch.checking(place, len(checks))
        at = time.monotonic()
        result = _judged(check, scans)
        say(f"{result.verdict}: {check.check.name}: {result.sentence}")
        results.append(
            {
                "name": check.check.name,
                "type": check.check.type,
                "topic": check.check.topic,
                "verdict": result.verdict,
                "sentence": result.sentence,
                "figures": result.figures,
                "samples": result.samples,
                "seconds": round(time.monotonic() - at, 2),
            }
        )
    return results


def _judged(check: BaseCheck, scans: dict[str, Scanned]) -> Result:
    try:
        return check.judge(scans)
    except (Py4JError, PySparkException) as error:
        raise JobError(f"the check {check.check.name} broke: {root_cause(error)}") from error


def describe(scanned: Scanned) -> dict[str, Any]:
    """What the report says of a topic."""
    listed, cut = reports.gaps(scanned.facts.holes.ranges)
    partitions = {}
    for number, declared in scanned.topic.partitions.items():
        sides = [scanned.facts.parts.get((number, after)) for after in (False, True)]
        there = [side for side in sides if side]
        ends = scanned.log.ends[number]
        partitions[str(number)] = {
            "start": declared.start,
            "boundary": declared.boundary,
            "end": declared.end,
            "log_start": ends.first,
            "log_end": ends.end,
            "before": sides[0]["records"] if sides[0] else 0,
            "after": sides[1]["records"] if sides[1] else 0,
            **{name: sum(side[name] for side in there) for name in ("bytes", "null_keys", "tombstones")},
            "first_offset": min((side["first_offset"] for side in there), default=None),
            "last_offset": max((side["last_offset"] for side in there), default=None),
            "first_time": min((side["first_time"] for side in there), default=None),
            "last_time": max((side["last_time"] for side in there), default=None),
            "holes": scanned.facts.holes.counts.get(number, 0),
            "gaps": listed.get(number, []),
            "unreadable": [
                {"start": lost.start, "end": lost.end, "reason": lost.reason} for lost in scanned.log.unreadable if lost.partition == number
            ],
        }
    return {
        "cluster": scanned.topic.cluster,
        "cluster_id": scanned.log.cluster_id,
        "topic": scanned.topic.topic,
        "compacted": scanned.log.compacted,
        "before": scanned.facts.count(after=False),
        "after": scanned.facts.count(after=True),
        "bytes": scanned.facts.total("bytes"),
        "payloads": scanned.classes,
        "times": scanned.facts.times,
        "gaps_cut": cut or not scanned.facts.holes.complete,
        "partitions": partitions,
    }


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise JobError(f"the expectation document {path} cannot be read: {error}") from error


def _versions(spark: SparkSession) -> dict[str, str]:
    return {
        "spark": spark.version,
        "kafka_clients": str(spark._jvm.org.apache.kafka.common.utils.AppInfoParser.getVersion()),
        "java": str(spark._jvm.java.lang.System.getProperty("java.version")),
        "python": platform.python_version(),
        "master": spark.sparkContext.master,
    }


def _tell(report: dict[str, Any], cannot_tell: str) -> int:
    say(f"ERROR: {report['error']}" if report["error"] else f"verdict: {report['verdict']}")
    sys.stderr.flush()
    return reports.exit_status(report["verdict"], cannot_tell)
