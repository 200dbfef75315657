# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of a Spark job did, out of its event log."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

MIB = 2**20
#: the call that a stage comes from -> what it is a part of
_SCAN, _FACTS = "parquet at", "facts.py"


@dataclass
class Shares:
    """cpu: seconds of the tasks for the scan, the facts of each topic and the checks; shuffled: bytes between stages."""

    cpu: dict[str, float]
    shuffled: int

    def __str__(self) -> str:
        whole = sum(self.cpu.values())
        parts = ", ".join(f"{name} {seconds:.1f} s ({seconds / whole:.0%})" for name, seconds in self.cpu.items())
        return f"CPU of tasks: {parts}; shuffled {self.shuffled / MIB:.0f} MiB"


def shares(lines: Iterable[str]) -> Shares:
    """lines: of an event log that is not compressed."""
    names: dict[int, str] = {}
    cpu: Counter[int] = Counter()
    shuffled = 0
    for line in lines:
        event = json.loads(line)
        if event["Event"] == "SparkListenerStageCompleted":
            names[event["Stage Info"]["Stage ID"]] = event["Stage Info"]["Stage Name"]
        elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
            metrics = event["Task Metrics"]
            cpu[event["Stage ID"]] += metrics["Executor CPU Time"]
            shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    found = dict.fromkeys(("scan", "facts", "checks"), 0.0)
    for stage, nanos in cpu.items():
        name = names.get(stage, "")
        found["scan" if name.startswith(_SCAN) else "facts" if _FACTS in name else "checks"] += nanos / 1e9
    return Shares(found, shuffled)
