# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions, and when a status is written."""

from __future__ import annotations

import copy
import time
from datetime import UTC, datetime
from typing import Any

from stack.kube_api import ApiError, KubeApi
from tests.integration.support.operator.rest import OperatorError

#: between an annotation's removal and the status that follows it (3.6: 30 to 100 ms)
GAP = 0.05


def condition(kind: str, reason: str = "", message: str = "") -> dict[str, str]:
    found = {"type": kind, "status": "True", "lastTransitionTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
    return found | ({"reason": reason} if reason else {}) | ({"message": message} if message else {})


def warning(reason: str, message: str) -> dict[str, str]:
    return condition("Warning", reason, message)


def not_ready(error: OperatorError) -> dict[str, str]:
    return condition("NotReady", error.reason, str(error))


def verdict(statuses: list[dict[str, Any]]) -> dict[str, str]:
    """Ready, or NotReady for what has failed on the workers (3.4: failed task)."""
    for one in statuses:
        if one["connector"]["state"] == "FAILED":
            return condition("NotReady", "Throwable", "Connector has failed, see connectorStatus for more details.")
    tasks = [str(task["id"]) for one in statuses for task in one["tasks"] if task["state"] == "FAILED"]
    if tasks:
        text = f"The following tasks have failed: {', '.join(tasks)}, see connectorStatus for more details."
        return condition("NotReady", "Throwable", text)
    return condition("Ready")


def write(api: KubeApi, path: str, status: dict[str, Any], generation: int) -> bool:
    """Write the whole status, unless only the times of its conditions differ (0.5: same failure, no write, no event). Was it written?"""
    time.sleep(GAP)
    wanted = {"observedGeneration": generation, **status}
    while True:
        resource = api.get(path)
        if resource is None or _timeless(resource.get("status")) == _timeless(wanted):
            return False
        try:
            api.call("PUT", f"{path}/status", {**resource, "status": wanted})
            return True
        except ApiError as error:
            if error.status == 404:
                return False
            if error.status != 409:
                raise


def _timeless(status: dict[str, Any] | None) -> dict[str, Any]:
    status = copy.deepcopy(status or {})
    for one in status.get("conditions", []):
        one.pop("lastTransitionTime", None)
    return status
