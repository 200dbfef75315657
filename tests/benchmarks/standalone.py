# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of a standalone worker, against Kafka's own class that reads and writes it."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import java_map

from stack import java
from tests.benchmarks.measure import Row, alternate, timed
from tests.benchmarks.rest import NUMBERS, module, module_peak_mib

ENTRIES, CONNECTORS = 100_000, 500
SOURCE = Path(__file__).parents[1] / "java" / "streamops" / "test" / "OffsetFiles.java"


def fill(path: Path, connectors: int) -> None:
    entries = [
        (f'["conn-{number % connectors}",{{"filename":"dir/f{number}"}}]'.encode(), f'{{"position":{number}}}'.encode())
        for number in range(ENTRIES)
    ]
    path.write_bytes(java_map.encode(java_map.empty()._replace(entries=entries)))


def rows(folder: Path) -> list[Row]:
    many, one = folder / "many.offsets", folder / "one.offsets"
    fill(many, CONNECTORS)
    fill(one, 1)
    ours = {"offset_file": str(many)}

    def set_one() -> float:
        pair = {"partition": {"filename": "dir/f7"}, "offset": {"position": next(NUMBERS)}}
        return module("connector_offsets", **ours, name="conn-7", offsets=[pair], assume_stopped=True)

    def jvm() -> float:
        """A whole one, that loads the file and saves it, once."""
        done = []
        seconds = timed(lambda: done.append(java.run_tool(str(SOURCE), stdin=f"rewrite {many}\n")))
        if done[0].returncode:
            raise SystemExit(done[0].stderr)
        return seconds

    everything, one_of_them, changing, peer = alternate(
        3, lambda: module("connector_offsets_info", **ours), lambda: module("connector_offsets_info", name="conn-7", **ours), set_one, jvm
    )
    reset = module("connector_offsets", offset_file=str(one), name="conn-0", state="absent", assume_stopped=True)
    peak = module_peak_mib("connector_offsets_info", **ours)
    if any(value is not None for _key, value in java_map.decode(one.read_bytes()).entries):
        raise SystemExit("the reset left something")
    what = f"a file of {ENTRIES:,} entries"
    return [
        Row(f"(k) one offset changed in {what}, whole process", changing, 2, 1),
        Row("(k) the same, against a JVM that loads and saves it", changing, peer, 1),
        Row("(k) info of one of its 500 connectors", one_of_them, 2, 1),
        Row("(k) info of all, against that JVM", everything, peer, 1.5),
        Row("(k) all of it reset, as one connector's", reset, 30, 1),
        Row("(k) memory of info", peak, 500, 1, "MB"),
    ]
