# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all checks have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import Column, DataFrame

from verify_replay.data import CANNOT_TELL, FAIL, PASS, Result, Scanned, name_lost
from verify_replay.expectation import Check, Topic
from verify_replay.log import Unreadable
from verify_replay.registry import Registry
from verify_replay.tables import Table

#: reads the topic again; all of it, or a few records
Reader = Callable[[], DataFrame | None]


class BaseCheck:
    """One declared check. In this order: begin(); then hashes(), stage() and columns(), the scan, learn(), until that has learnt
    nothing new; ask(), judge()."""

    def __init__(self, check: Check, samples: int, tables: dict[str, Table], registries: dict[str, Registry] | None = None) -> None:
        self.check = check
        self.parameters: dict[str, Any] = check.parameters
        self.limit = samples
        self.tables = tables
        self.registries = registries or {}

    def begin(self, topic: Topic, few: Reader) -> None:
        """Before the scan of its topic."""

    def stage(self, records: DataFrame) -> DataFrame:
        """The source's records, with what columns() needs beside the source's columns."""
        return records

    def learn(self, rows: DataFrame, records: Reader) -> bool:
        """After a scan: whether it has to be made again, as something was learnt from it. rows: what the scan has left."""
        return False

    def hashes(self) -> set[str]:
        """The hashes that the scans of its topics have to keep."""
        return set()

    def columns(self) -> dict[str, Column]:
        """Further columns of the scan of its topic, out of the source's columns."""
        return {}

    def ask(self, scans: dict[str, Scanned]) -> None:
        """Say what the groups of equal records have to be asked."""

    def judge(self, scans: dict[str, Scanned]) -> Result:
        raise NotImplementedError

    def scanned(self, scans: dict[str, Scanned]) -> Scanned:
        return scans[self.check.topic]

    def own(self, name: str) -> str:
        """A name of its own for a column."""
        return f"c{self.check.index}_{name}"


def verdict(
    failed: bool,
    sentence: str,
    figures: dict[str, Any],
    samples: list[dict[str, Any]],
    lost: list[tuple[Scanned, list[Unreadable]]],
    nothing: str | None = None,
) -> Result:
    """A failure that is proven wins; then what cannot be read; then that there was nothing to check."""
    names = " ".join(name_lost(scanned.topic.name, ranges) for scanned, ranges in lost if ranges)
    if failed:
        return Result(FAIL, f"{sentence} {names}".strip(), figures, samples)
    if names:
        return Result(CANNOT_TELL, f"{names} Of what can be read: {sentence}", figures, samples)
    if nothing:
        return Result(CANNOT_TELL, f"Nothing to check: {nothing}.", figures, samples)
    return Result(PASS, sentence, figures, samples)
