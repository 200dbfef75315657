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

_EVERY = 10.0


def say(line: str) -> None:
    print(f"verify_replay: {line}", file=sys.stderr, flush=True)


@contextmanager
def watching(context: SparkContext) -> Iterator[None]:
    """Says, while something runs for long, how far it is."""
    done = threading.Event()
    thread = threading.Thread(target=_watch, args=(context, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(timeout=5)


def _watch(context: SparkContext, done: threading.Event) -> None:
    began, tracker = time.monotonic(), context.statusTracker()
    while not done.wait(_EVERY):
        for stage in tracker.getActiveStageIds():
            info = tracker.getStageInfo(stage)
            if info is not None:
                passed = time.monotonic() - began
                say(f"{passed:.0f} s: stage {stage}, {info.numCompletedTasks} of {info.numTasks} tasks done")
