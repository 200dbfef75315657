# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ratios against a named peer, measured in one run on a real worker. Run by ``make bench``.

The machine is shared and noisy, so every figure is the median of alternating rounds, and only ratios are judged.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from stack import ClusterSpec, Stack
from tests.benchmarks import export_import, fleet, ledger, measure, mirror, rest, sinks, spark, standalone, topic
from tests.benchmarks.peers import Bkkt


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="streamops-bench-") as folder:
        stack = Stack(Path(folder) / "stack", say=lambda line: print(line, file=sys.stderr, flush=True))
        try:
            stack.up({"main": ClusterSpec("4.3.1", offset_partitions=25)})
            url = stack.endpoints()["clusters"]["main"]["urls"][0]
            bkkt = Bkkt(Path(folder) / "bkkt", url)
            rows = [
                *rest.no_op_task_against_uri(url, Path(folder)),
                *rest.patch_against_curl(url, 10_000, Path(folder)),
                *rest.list_and_patch_against_bkkt(url, bkkt, (1, 100), Path(folder)),
                *rest.hundred_thousand(url),
                *ledger.rows(url, stack.endpoints()["bootstrap_servers"]),
                *topic.rows(stack.endpoints()["bootstrap_servers"]),
                *export_import.rows(stack.endpoints()["bootstrap_servers"], Path(folder)),
                *standalone.rows(Path(folder)),
                *sinks.rows(stack.endpoints()["bootstrap_servers"], url),
                *mirror.rows(stack.endpoints()["bootstrap_servers"]),
                *spark.rows(stack.endpoints()["bootstrap_servers"], Path(folder)),
            ]
        finally:
            stack.purge()
        rows += fleet.rows(Path(folder))  # with a stack of its own
    print(json.dumps(measure.machine()))
    for row in rows:
        print(row)
    return 0 if all(row.good for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
