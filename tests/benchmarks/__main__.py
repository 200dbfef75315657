# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ratios against a named peer, measured in one run on a real worker. Run by ``make bench``, in parts by ``make bench ARGS="noop fleet"``.

The machine is shared and noisy, so every figure is the median of alternating rounds, and only ratios are judged.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from stack import ClusterSpec, Stack
from tests.benchmarks import (
    export_import,
    fleet,
    large_fleet,
    large_topic,
    ledger,
    many_connectors,
    measure,
    mirror,
    rest,
    sinks,
    spark,
    standalone,
    topic,
)
from tests.benchmarks.peers import Bkkt

RESULTS = Path("tests/output/bench.json")


class Place(NamedTuple):
    """Where a part is measured: a folder of its own, a worker of 4.3.1, its broker."""

    folder: Path
    url: str
    brokers: str


#: Parts that use the broker and the worker of this run, in the order in which they are measured.
SHARED: dict[str, Callable[[Place], Iterable[measure.Row]]] = {
    "noop": lambda place: rest.no_op_task_against_uri(place.url, place.folder),
    "patch": lambda place: rest.patch_against_curl(place.url, 10_000, place.folder),
    "bkkt": lambda place: rest.list_and_patch_against_bkkt(place.url, Bkkt(place.folder / "bkkt", place.url), (1, 100), place.folder),
    "many": lambda place: rest.hundred_thousand(place.url),
    "ledger": lambda place: ledger.rows(place.url, place.brokers),
    "topic": lambda place: topic.rows(place.brokers),
    "export": lambda place: export_import.rows(place.brokers, place.folder),
    "standalone": lambda place: standalone.rows(place.folder),
    "sinks": lambda place: sinks.rows(place.brokers, place.url),
    "mirror": lambda place: mirror.rows(place.brokers),
    "spark": lambda place: spark.rows(place.brokers, place.folder),
    "spark50m": lambda place: spark.large_rows(place.brokers, place.folder),
    "topic10m": lambda place: large_topic.rows(place.brokers, place.folder),
}
#: Parts with a stack of their own, which is measured alone on the machine.
ALONE: dict[str, Callable[[Path], Iterable[measure.Row]]] = {
    "fleet": fleet.rows,
    "connectors": many_connectors.rows,
    "fleet1000": large_fleet.rows,
}
#: Parts that are measured only where they are asked for: each takes more than five minutes.
LONG = {"spark50m", "topic10m", "connectors", "fleet1000"}
PARTS = [*SHARED, *ALONE]


class Results:
    """Prints each row as soon as it is measured, and keeps all of them in a JSON file."""

    def __init__(self, path: Path) -> None:
        self.good, self._path = True, path
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self._found = {"date": now, "machine": measure.machine(), "parts": {}}
        path.parent.mkdir(parents=True, exist_ok=True)
        print(json.dumps(self._found["machine"]), flush=True)

    def measure(self, part: str, job: Callable[[], Iterable[measure.Row]]) -> None:
        start, rows = time.monotonic(), []
        try:
            for row in job():
                print(row, flush=True)
                rows.append(row)
        except SystemExit as error:  # the other parts can still be measured
            print(f"{part}: {error}", flush=True)
            self.good = False
        self.good = self.good and all(row.good for row in rows)
        self._found["parts"][part] = {"seconds": round(time.monotonic() - start, 1), "rows": [row.plain() for row in rows]}
        self._path.write_text(json.dumps(self._found, indent=2) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"what to measure, of {', '.join(PARTS)}; if none is given, all but "
                        f"{', '.join(sorted(LONG))}")
    parser.add_argument("--json", type=Path, default=RESULTS, help="where the results are written (%(default)s)")
    given = parser.parse_args()
    unknown = sorted(set(given.parts) - set(PARTS))
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    wanted, results = given.parts or [part for part in PARTS if part not in LONG], Results(given.json)
    with tempfile.TemporaryDirectory(prefix="streamops-bench-") as folder:
        if set(wanted) & {*SHARED}:
            _shared([part for part in SHARED if part in wanted], Path(folder), results)
        for part in ALONE:
            if part in wanted:
                results.measure(part, lambda part=part: ALONE[part](Path(folder)))
    return 0 if results.good else 1


def _shared(parts: list[str], folder: Path, results: Results) -> None:
    stack = Stack(folder / "stack", say=lambda line: print(line, file=sys.stderr, flush=True))
    try:
        stack.up({"main": ClusterSpec("4.3.1", offset_partitions=25)})
        ends = stack.endpoints()
        place = Place(folder, ends["clusters"]["main"]["urls"][0], ends["bootstrap_servers"])
        for part in parts:
            results.measure(part, lambda part=part: SHARED[part](place))
    finally:
        stack.purge()


if __name__ == "__main__":
    sys.exit(main())
