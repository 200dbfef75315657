# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic, read once with all that its checks need; again only if a record has a schema that was not expected."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame

from verify_replay import scan
from verify_replay.checks.base import BaseCheck
from verify_replay.expectation import Topic

#: a scan, one that has learnt the schemas of the first, and one in reserve
_SCANS = 3
#: offsets of each partition that a first look may read
_FEW = 20

Windows = dict[int, tuple[int, int]]
Reader = Callable[[Windows], DataFrame | None]


def slim_rows(
    topic: Topic, windows: Windows, checks: list[BaseCheck], read: Reader, keep: Callable[[DataFrame, str], DataFrame], empty: DataFrame
) -> DataFrame:
    """The slim rows of a topic. checks: all that speak of it; read: gives the records of windows; keep: writes rows down, under a name."""
    own = [check for check in checks if check.check.topic == topic.name]
    hashes = set().union(*(check.hashes() for check in checks)) if checks else set()
    boundaries = {number: declared.boundary for number, declared in topic.partitions.items()}
    for check in own:
        check.begin(topic, lambda: read({number: (low, min(high, low + _FEW)) for number, (low, high) in windows.items()}))
    for turn in range(_SCANS):
        found = read(windows)
        records, extra = empty if found is None else found, {}
        for check in own:
            records = check.stage(records)
            extra.update(check.columns())
        # No topic of the document has a + in its name.
        rows = keep(scan.slim(records, boundaries, hashes, extra), f"{topic.name}+{turn}" if turn else topic.name)
        # All of them, as each may have met its own.
        learnt = [check.learn(rows, lambda: read(windows)) for check in own]
        if not any(learnt):
            break
    return rows
