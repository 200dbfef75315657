# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics made of records, and checks of them, without a broker."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

from verify_replay import scan
from verify_replay.checks import TYPES
from verify_replay.checks.base import BaseCheck
from verify_replay.data import Scanned
from verify_replay.expectation import Check, Range, Topic
from verify_replay.facts import gather
from verify_replay.log import Ends, Log, clip
from verify_replay.parameters import read_parameters
from verify_replay.reading import slim_rows
from verify_replay.tables import Table
from verify_replay.targets import Target

SCHEMA = "partition int, offset long, key binary, value binary, timestamp timestamp"
AT = datetime(2026, 1, 1, tzinfo=UTC)


class World:
    """Topics made of records, and checks of them."""

    def __init__(self, spark):
        self.spark = spark
        self.sources = {}
        self.tables = {}
        self.registries = {}
        self._scans = {}

    def topic(self, name, records, ranges, ends=None, uncommitted=None, compacted=False):
        """records: (partition, offset, key, value); ranges: partition -> (start, boundary, end)."""
        self._scans.pop(name, None)
        self.sources[name] = (records, {number: Range(*three) for number, three in ranges.items()}, ends, uncommitted or records, compacted)

    def judge(self, kind, topic, **parameters):
        check = Check(0, kind, topic, kind, read_parameters(kind, parameters, "check"))
        tables = {name: one if isinstance(one, Table) else table(one) for name, one in self.tables.items()}
        judge = TYPES[kind](check, 20, tables, self.registries)
        scans = {name: self.scan(name, judge) for name in self.sources}
        judge.ask(scans)
        return judge.judge(scans)

    def frame(self, records):
        rows = [(p, o, k and _bytes(k), v if v is None else _bytes(v), AT) for p, o, k, v in records]
        return self.spark.createDataFrame(rows, SCHEMA)

    def scan(self, name, judge):
        """As the job would; a scan serves several checks, if they need no columns of their own."""
        own = type(judge).columns is not BaseCheck.columns and name == judge.check.topic
        if own or name not in self._scans:
            self._scans[name] = self._scan(name, [judge] if own else [])
        return replace(self._scans[name], _groups={})

    def _scan(self, name, checks):
        records, ranges, ends, uncommitted, compacted = self.sources[name]
        topic = Topic(name, "main", f"real.{name}", ranges)
        ends = {n: Ends(*(ends or {}).get(n, (r.start, r.end, r.end))) for n, r in ranges.items()}
        log = Log("id", ends, compacted, *clip(ranges, ends))
        seen = inside(records, log.windows)
        rows = slim_rows(topic, log.windows, [Hashes(), *checks], lambda windows: self.frame(inside(seen, windows)), keep, None)

        def again(windows):
            return scan.positions(self.frame(inside(uncommitted, windows)))

        return Scanned(topic, log, rows, gather(rows, log.windows), again)


def _bytes(one):
    return one if isinstance(one, bytes) else one.encode()


def inside(records, windows):
    return [one for one in records if one[0] in windows and windows[one[0]][0] <= one[1] < windows[one[0]][1]]


def keep(rows, _name):
    return rows.persist()


def table(frame, **target):
    """A table of the document that is a data frame."""
    return Table(Target("x", target.pop("format", "jdbc"), **target), lambda: frame)


class Hashes:
    """Has a scan keep all hashes, so that it serves several checks."""

    check = SimpleNamespace(topic=None)

    def hashes(self):
        return set(scan.HASHES)
