# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarts that annotations ask for (facts 9): taken away once Connect has restarted; after a failure they stay, with a warning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stack.kube_api import MERGE, KubeApi
from tests.integration.support.operator.rest import OperatorError, Rest
from tests.integration.support.operator.status import warning

#: of a KafkaConnector: any text, and the number of a task
CONNECTOR, TASK = "strimzi.io/restart", "strimzi.io/restart-task"
#: of a KafkaMirrorMaker2: NAME, and NAME:TASK
MIRROR_CONNECTOR, MIRROR_TASK = "strimzi.io/restart-connector", "strimzi.io/restart-connector-task"


def run(api: KubeApi, rest: Rest, resource: dict[str, Any], path: str, name: str) -> list[dict[str, str]]:
    """path: of the resource. What there is to warn of."""
    there = resource["metadata"].get("annotations", {})
    found = []
    if there.get(CONNECTOR) == "true" or there.get(MIRROR_CONNECTOR) == name:
        key = CONNECTOR if CONNECTOR in there else MIRROR_CONNECTOR
        found += _try(api, path, key, lambda: rest.restart(name), "RestartConnector", f"Failed to restart connector {name}")
    task = there.get(TASK) or there.get(MIRROR_TASK, "").removeprefix(f"{name}:")
    if task.isdecimal():
        key = TASK if TASK in there else MIRROR_TASK
        text = f"Failed to restart connector task {name}:{task}"
        found += _try(api, path, key, lambda: rest.restart_task(name, task), "RestartConnectorTask", text)
    return found


def _try(api: KubeApi, path: str, key: str, restart: Callable[[], None], reason: str, text: str) -> list[dict[str, str]]:
    try:
        restart()
    except OperatorError as error:
        return [warning(reason, f"{text}. {error}")]
    api.call("PATCH", path, {"metadata": {"annotations": {key: None}}}, MERGE)
    return []
