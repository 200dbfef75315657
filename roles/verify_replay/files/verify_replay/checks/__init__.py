# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks, by type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verify_replay.checks.append import Append
from verify_replay.checks.base import BaseCheck
from verify_replay.checks.bounds import Count, Nulls
from verify_replay.checks.duplicates import Duplicates
from verify_replay.checks.gaps import Gaps
from verify_replay.checks.mirror import Mirror
from verify_replay.checks.poison import PoisonGone
from verify_replay.checks.progress import Progress
from verify_replay.checks.replay import KeysPresent, NotReplayed, Replayed
from verify_replay.checks.sink import Sink, Upsert
from verify_replay.expectation import Check


def _sink(check: Check, *others: Any) -> Sink:
    return (Append if check.parameters["mode"] == "append" else Upsert)(check, *others)


TYPES: dict[str, Callable[..., BaseCheck]] = {
    "replayed": Replayed,
    "not_replayed": NotReplayed,
    "count": Count,
    "keys_present": KeysPresent,
    "duplicates": Duplicates,
    "gaps": Gaps,
    "nulls": Nulls,
    "poison_gone": PoisonGone,
    "mirror": Mirror,
    "sink": _sink,
    "progress": Progress,
}
