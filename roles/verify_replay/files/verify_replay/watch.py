# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of progress on standard error."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark import SparkContext

from verify_replay.charts import number

_EVERY = 5.0


def say(line: str) -> None:
    print(f"verify_replay: {line}", file=sys.stderr, flush=True)


class Watch:
    """What the job does now: it reads one topic after another, then it makes one check after another."""

    def __init__(self) -> None:
        self._began = self._since = time.monotonic()
        #: offsets of each topic
        self._sizes: dict[str, int] = {}
        #: the topics that have been read; that which is read now
        self._read: list[str] = []
        self._topic: str | None = None
        self._check, self._checks = 0, 0

    def topics(self, sizes: dict[str, int]) -> None:
        self._sizes, self._since = sizes, time.monotonic()

    def reading(self, topic: str) -> None:
        self._topic = topic

    def counting(self) -> None:
        """All of the topic's records have been read."""
        if self._topic is not None:
            self._read.append(self._topic)
        self._topic = None

    def checking(self, number: int, checks: int) -> None:
        self._check, self._checks = number, checks

    def line(self, stage: int, done: int, tasks: int) -> str:
        """How far a stage is. Spark tells of tasks only; one reads a partition of a topic, so that records are about as many."""
        now = time.monotonic()
        passed, before = f"{now - self._began:.0f} s", sum(self._sizes[topic] for topic in self._read)
        if self._checks:
            return f"{passed}: check {self._check} of {self._checks}, stage {stage}, {done} of {tasks} tasks done"
        if self._topic is None:
            what = f"counting {self._read[-1]}" if self._read else "beginning"
            return f"{passed}: {what}, stage {stage}, {done} of {tasks} tasks done"
        size = self._sizes[self._topic]
        records = int(size * done / max(tasks, 1))
        found, whole = before + records, sum(self._sizes.values())
        here, of_all = f"about {number(records)} of {number(size)} records", ""
        if len(self._sizes) > 1:
            here = f"topic {len(self._read) + 1} of {len(self._sizes)}, {here}"
            of_all = f"; all topics: {number(found)} of {number(whole)}"
        rate = found / max(now - self._since, 0.001)
        rest = f"; {number(int(rate))} records/s, {(whole - found) / rate:.0f} s left" if found else ""
        return f"{passed}: reading {self._topic}, {here}{of_all}{rest}"


@contextmanager
def watching(context: SparkContext) -> Iterator[Watch]:
    """Says, while something runs for long, how far it is."""
    done, watch = threading.Event(), Watch()
    thread = threading.Thread(target=_watch, args=(context, done, watch), daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        done.set()
        thread.join(timeout=5)


def _watch(context: SparkContext, done: threading.Event, watch: Watch) -> None:
    tracker = context.statusTracker()
    while not done.wait(_EVERY):
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None:
                say(watch.line(stage, info.numCompletedTasks, info.numTasks))
