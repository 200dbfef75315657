# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One pass over one connector, in the operator's order: configuration, state, offsets, status (facts 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.integration.support.operator.rest import Rest

#: what is sent to Connect, by the state found and the one wanted; in other states found (UNASSIGNED, RESTARTING) nothing is (3.5)
_VERBS = {
    ("RUNNING", "paused"): "pause", ("RUNNING", "stopped"): "stop",
    ("PAUSED", "running"): "resume", ("PAUSED", "stopped"): "stop",
    ("STOPPED", "running"): "resume", ("STOPPED", "paused"): "pause",
}
_VERBS_FOR_FAILED = {("FAILED", "stopped"): "stop"}  # since 1.1


@dataclass
class Wanted:
    """A connector as its resource has it."""

    name: str
    config: dict[str, str]
    state: str


@dataclass
class Outcome:
    """What a pass has found: Connect's status, its topics, and what there is to warn of."""

    status: dict[str, Any]
    topics: list[str]
    warnings: list[dict[str, str]]


def wanted(name: str, spec: dict[str, Any], class_name: str, more: dict[str, str] | None = None) -> Wanted:
    """more: of the configuration; that of the resource wins."""
    config = {**(more or {}), **{key: _text(value) for key, value in spec.get("config", {}).items()}}
    config |= {"name": name, "connector.class": class_name}
    if spec.get("tasksMax") is not None:
        config["tasks.max"] = str(spec["tasksMax"])
    state = spec.get("state") or ("paused" if spec.get("pause") else "running")
    return Wanted(name, config, state)


def reconcile(rest: Rest, one: Wanted, release: str, manage: Callable[[], list[dict[str, str]]]) -> Outcome:
    """manage runs what annotations ask for, the offset operation and then restarts. OperatorError makes the resource NotReady."""
    current = rest.await_config(one.name)
    warnings = []
    if current is None and release != "0.51":
        rest.create(one.name, one.config, one.state)
    elif current != one.config:
        # Before 1.2 a new connector starts, and is stopped then (0.8). The offset operation is left out (3.1).
        rest.put_config(one.name, one.config)
        _set_state(rest, one, rest.await_status(one.name), release)
    else:
        _set_state(rest, one, rest.status(one.name), release)
        warnings = manage()
    status = rest.await_status(one.name)
    return Outcome(status, rest.topics(one.name), warnings)


def _set_state(rest: Rest, one: Wanted, status: dict[str, Any], release: str) -> None:
    """Also back to the one wanted, if somebody has changed it over REST (3.5)."""
    verbs = _VERBS if release == "0.51" else {**_VERBS, **_VERBS_FOR_FAILED}
    verb = verbs.get((status["connector"]["state"], one.state))
    if verb:
        rest.set_state(one.name, verb)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
