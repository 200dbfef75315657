# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Bring about a connector's state or restart it, and wait until it is a fact."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import FAILED, STATES, STOPPED, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.strimzi_pods import STRIMZI, check_pod
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

_FAILED_ONES, _ALL = "failed", "all"


def declare_state(client, name: str, state: str, wait_timeout: float, check_mode: bool, force=False) -> dict:
    """Bring about started, paused or stopped and wait until it is a fact. force: though an operator may set it back."""
    wanted = STATES[state]
    lifecycle = Lifecycle(client, name, wait_timeout)
    # A stop works at once, also while the connector waits for another worker.
    found = lifecycle.read() if wanted == STOPPED else lifecycle.read_definite()
    changed = not lifecycle.is_in(wanted, found)
    result = {
        "changed": changed, "state_before": found.state, "connector": found.result(), "warnings": lifecycle.warnings,
        "diff": [state_diff(name, found.state, wanted if changed else found.state)],
    }
    if not changed:
        return result
    if client.method != STRIMZI:
        check_pod(found, force, lifecycle.warnings.append)
    client.require_url(name)
    if wanted == STOPPED:
        client.require("stop")
    if check_mode:
        return result
    after = lifecycle.declare(wanted, found)
    if state == "started" and after.failed:
        raise errors.StateError("The connector %s was started, but failed: %s." % (name, after.failure), connector=after.result())
    return dict(result, connector=after.result())


def declare_restarted(client, name: str, tasks, wait_timeout: float, check_mode: bool) -> dict:
    """Restart a connector's parts and wait until they are up. tasks: ["failed"] (also None) for what is FAILED of the connector and its tasks, ["all"] for
    everything, or numbers of tasks."""
    chosen = _read_tasks(tasks)
    lifecycle = Lifecycle(client, name, wait_timeout)
    found = lifecycle.read_definite()
    parts = _parts_of(found, chosen)
    result = {
        "changed": bool(parts), "state_before": found.state, "connector": found.result(), "warnings": lifecycle.warnings,
        "restarted": {"connector": None in parts, "tasks": [part for part in parts if part is not None]}, "diff": [_restart_diff(found, parts)],
    }
    if not parts:
        return result
    client.require_url(name)
    if chosen in (_FAILED_ONES, _ALL):
        client.require("restart")
    if check_mode:
        return result
    after = lifecycle.restart(_requests(client, name, chosen), parts, found)
    if after.failed:
        raise errors.StateError("The connector %s was restarted, but failed: %s." % (name, after.failure), connector=after.result())
    return dict(result, connector=after.result())


def _read_tasks(tasks):
    """"failed", "all", or a list of numbers. Raises DeclarationError."""
    given = [_FAILED_ONES] if tasks is None else [str(one).strip() for one in tasks]
    if given in ([_FAILED_ONES], [_ALL]):
        return given[0]
    if not given or not all(one.isascii() and one.isdecimal() for one in given):
        raise errors.DeclarationError("tasks is %s; it must be failed, all, or a list of numbers of tasks such as [0, 2]." % (
            ", ".join(given) or "empty"))
    return sorted({int(one) for one in given})


def _parts_of(found, chosen) -> list:
    """What to restart: None for the connector itself, numbers for its tasks. Raises StateError where there is none of them."""
    there = list(found.parts)
    if chosen == _FAILED_ONES:
        return [part for part, shown in found.parts.items() if shown[0] == FAILED]
    if found.state == STOPPED:
        raise errors.StateError("%s is STOPPED, so there is nothing to restart. Use state: started." % found.name)
    if chosen == _ALL:
        return there
    missing = [number for number in chosen if number not in there]
    if missing:
        raise errors.StateError("%s has no task %s. It is %s%s." % (
            found.name, ", ".join(map(str, missing)), found, ": " + ", ".join(str(part) for part in there[1:]) if there[1:] else ""))
    return chosen


def _requests(client, name, chosen) -> list:
    if chosen == _FAILED_ONES:
        return [lambda: client.restart_failed(name)]
    if chosen == _ALL:
        return [lambda: client.restart_all(name)]
    return [lambda number=number: client.restart_task(name, number) for number in chosen]


def _restart_diff(found, parts) -> dict:
    header = "%s (restart)" % found.name
    before = {"connector" if part is None else "task %s" % part: shown[0] for part, shown in found.parts.items()}
    after = dict(before, **{"connector" if part is None else "task %s" % part: "restarted" for part in parts})
    return {"before_header": header, "after_header": header, "before": before, "after": after}


def state_diff(name: str, before: str, after: str) -> dict:
    header = "%s (state)" % name
    return {"before_header": header, "after_header": header, "before": {"state": before}, "after": {"state": after}}
