# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report: what the checks found, as JSON. Pure. README.md of the job documents it."""

from __future__ import annotations

import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from verify_replay import VERSION, overview
from verify_replay.errors import JobError

FORMAT = 1
PASS, FAIL, CANNOT_TELL, ERROR = "pass", "fail", "cannot_tell", "error"
#: gap ranges of one topic that the report lists
MAX_GAPS = 1000
EXIT_PASS, EXIT_BROKEN, EXIT_FAILED = 0, 1, 3


def overall(verdicts: list[str]) -> str:
    """One failed check fails all, and nothing that is unclear becomes a pass."""
    for verdict in (FAIL, CANNOT_TELL):
        if verdict in verdicts:
            return verdict
    return PASS


def exit_status(verdict: str, cannot_tell: str) -> int:
    """The status of the process; cannot_tell is what the document wants to be done then."""
    if verdict == ERROR:
        return EXIT_BROKEN
    return EXIT_PASS if verdict == PASS or (verdict == CANNOT_TELL and cannot_tell == "pass") else EXIT_FAILED


def build(
    change_id: str | None,
    checks: list[dict],
    topics: dict[str, dict],
    seconds: dict[str, float],
    versions: dict[str, str],
    connectors: dict[str, list[int]] | None = None,
) -> dict:
    """The report of a job that came to its end. connectors: the numbers of the checks of each."""
    return {
        "version": FORMAT,
        "change_id": change_id,
        "verdict": overall([check["verdict"] for check in checks]),
        "error": None,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "connectors": overview.connectors(connectors or {}, checks, topics),
        "checks": checks,
        "topics": topics,
        "seconds": {name: round(value, 2) for name, value in seconds.items()},
        "versions": {"job": VERSION, **versions},
    }


def broken(error: str, change_id: str | None = None) -> dict[str, Any]:
    """The report of a job that broke."""
    return {**build(change_id, [], {}, {}, {}), "verdict": ERROR, "error": error}


def gaps(ranges: dict[int, list[tuple[int, int]]]) -> tuple[dict[int, list[list[int]]], bool]:
    """At most MAX_GAPS ranges, shared out evenly over the partitions; and whether some were left out."""
    share = max(1, MAX_GAPS // max(1, len(ranges)))
    cut = any(len(listed) > share for listed in ranges.values())
    return {number: [list(one) for one in listed[:share]] for number, listed in ranges.items()}, cut


def writable(path: str) -> Path:
    """The path of a file that can be written; JobError if it cannot, before hours of work are lost."""
    target = Path(path)
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent or Path(), prefix=f".{target.name}."):
            pass
        if target.is_dir():
            raise IsADirectoryError(f"{target} is a folder")
    except OSError as error:
        raise JobError(f"the report {path} cannot be written: {error.strerror or error}") from error
    return target


def write(path: Path, content: str) -> None:
    """Whole or not at all: a reader never sees half a report."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(content, encoding="utf-8")
        os.replace(part, path)
    except OSError as error:
        raise JobError(f"the report {path} cannot be written: {error.strerror or error}") from error


def as_json(report: dict[str, Any]) -> str:
    return json.dumps(report, indent=2, ensure_ascii=False) + "\n"
