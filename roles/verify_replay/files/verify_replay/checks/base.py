# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all checks have in common."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column, DataFrame

from verify_replay.data import CANNOT_TELL, FAIL, PASS, Result, Scanned, name_lost
from verify_replay.expectation import Check
from verify_replay.log import Unreadable


class BaseCheck:
    """One declared check. In this order: hashes() and columns(), the scan, ask(), judge()."""

    def __init__(self, check: Check, samples: int, tables: dict[str, DataFrame]) -> None:
        self.check = check
        self.parameters: dict[str, Any] = check.parameters
        self.limit = samples
        self.tables = tables

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
