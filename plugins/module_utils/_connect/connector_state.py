# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Bring about a connector's state, and wait until it is a fact."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import STATES, STOPPED, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.strimzi_pods import STRIMZI, check_pod
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors


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


def state_diff(name: str, before: str, after: str) -> dict:
    header = "%s (state)" % name
    return {"before_header": header, "after_header": header, "before": {"state": before}, "after": {"state": after}}
