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
    """What the job does now."""

    def __init__(self) -> None:
        self._began = self._since = time.monotonic()
        self._topic, self._offsets = "", 0

    def reading(self, topic: str, offsets: int) -> None:
        self._topic, self._offsets, self._since = topic, offsets, time.monotonic()

    def checking(self) -> None:
        self._topic = ""

    def line(self, stage: int, done: int, tasks: int) -> str:
        """How far a stage is. Spark tells of tasks only; one reads a partition of a topic, so that records are about as many."""
        now = time.monotonic()
        passed, share = f"{now - self._began:.0f} s", done / max(tasks, 1)
        if not self._topic:
            return f"{passed}: stage {stage}, {done} of {tasks} tasks done"
        records, rest = int(self._offsets * share), ""
        if records:
            rate = records / max(now - self._since, 0.001)
            rest = f", {number(int(rate))} in a second, {(self._offsets - records) / rate:.0f} s left"
        return f"{passed}: reading {self._topic}, about {number(records)} of {number(self._offsets)} records{rest}"


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
