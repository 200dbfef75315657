# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Connectors as resources: list them, create, reconfigure and delete them, bring about their state."""

from __future__ import annotations

import fnmatch

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _backup, _config
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import LEAVE, OffsetsChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import PAUSED, RUNNING, STATES, STOPPED, Connector, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._operator import STRIMZI, check_pod
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import Wish

_GLOB = "*?["


def list_connectors(client, patterns) -> dict:
    """Those whose name is listed or fits a glob (all without patterns), in one request, sorted by name; and what tells the cluster apart."""
    found = client.connectors()
    names, missing = choose(sorted(found), patterns)
    return {
        "changed": False,
        "exists": bool(names),
        "connectors": [_one(name, found[name]) for name in names],
        "missing": missing,
        "cluster": cluster_of(client, found),
    }


def cluster_of(client, found) -> dict:
    """What tells the Connect cluster apart. found: client.connectors()."""
    return dict(client.root(), url=client.url, workers=_workers(found))


def _workers(found) -> list:
    """Addresses (host:port) of the workers that have, or had last, something to run: no two Connect clusters share one."""
    statuses = [one.get("status") or {} for one in found.values()]
    parts = [part for status in statuses for part in [status.get("connector") or {}] + (status.get("tasks") or [])]
    return sorted({part["worker_id"] for part in parts if part.get("worker_id")})


def choose(names: list, patterns) -> tuple:
    """(the names that are listed or fit a glob, in their order; the patterns that fit none); all of them without patterns."""
    patterns = patterns or []
    return ([name for name in names if not patterns or any(fits(name, pattern) for pattern in patterns)],
            [pattern for pattern in patterns if not any(fits(name, pattern) for name in names)])


def fits(name: str, pattern: str) -> bool:
    # A name may hold glob characters itself.
    return name == pattern or (any(char in pattern for char in _GLOB) and fnmatch.fnmatchcase(name, pattern))


def _one(name: str, parts: dict) -> dict:
    info = parts.get("info") or {}
    result = Connector(dict(parts.get("status") or {}, name=name)).result()
    if result["type"] == "unknown":
        result["type"] = info.get("type") or "unknown"
    result["config"] = _config.masked(info.get("config") or {})
    return result


def declare_present(client, name: str, config: dict, initial_state, wait_timeout: float, check_mode: bool) -> dict:
    """Create the connector, or replace its whole configuration where it differs; but the ledger of its changes stays as it is.

    initial_state: started, paused or stopped, for a connector that has to be created (KIP-980, Connect 3.7).
    """
    wanted = dict(_config.as_text(config), name=name)
    if config.get("name") not in (None, name):
        raise errors.WishError("config.name is \"%s\", but the connector's name is \"%s\"." % (config["name"], name))
    wanted.pop(_config.LEDGER, None)
    ledger = {}
    try:
        live = client.info(name)["config"]
        ledger = {key: value for key, value in live.items() if key == _config.LEDGER}
        live = {key: value for key, value in live.items() if key != _config.LEDGER}
    except errors.NoConnector:
        live = None
    lifecycle = Lifecycle(client, name, wait_timeout)
    if live == wanted:
        return dict(connector=lifecycle.wait_known().result(), changed=False, created=False, diff=_config.diff(name, live, wanted))
    if "connector.class" not in wanted:
        raise errors.WishError("config has no connector.class, which every connector needs.")
    created = live is None
    if created and initial_state:
        client.require("initial_state")
    result = {"changed": True, "created": created, "diff": _config.diff(name, live, wanted), "connector": None}
    if not created:
        client.require_url(name)
    if check_mode:
        return dict(result, connector=None if created else lifecycle.wait_known().result())
    if created:
        client.create(name, wanted, STATES[initial_state] if initial_state else None)
    else:
        client.put_config(name, dict(wanted, **ledger))
    return dict(result, connector=lifecycle.wait_known().result())


def declare_absent(client, name: str, wait_timeout: float, check_mode: bool, purge_offsets=False) -> dict:
    """Delete the connector. Its offsets stay where they are, and a new connector of its name goes on from there.

    purge_offsets: remove them before, while it is STOPPED: of one that is gone Connect removes nothing.
    """
    try:
        live = client.info(name)["config"]
    except errors.NoConnector:
        warnings = ["There is no connector %s, so its offsets cannot be removed by REST, if it has left any: use connector_offsets with state: absent "
                    "and bootstrap_servers." % name] if purge_offsets else []
        return {"changed": False, "created": False, "diff": _config.diff(name, None, None), "connector": None, "backup_file": None,
                "warnings": warnings}
    client.require_url(name)
    purged = _purge(client, name, wait_timeout, check_mode) if purge_offsets else {}
    if not check_mode:
        try:
            client.delete(name)
            Lifecycle(client, name, wait_timeout).wait_gone()
        except errors.NoConnector:
            pass
        except errors.ConnectError as error:
            raise error.also("Its offsets were removed before (the backup is %s), and it is STOPPED." % purged["backup_file"]
                             ) if purged.get("changed") else error
    return {"changed": True, "created": False, "diff": _config.diff(name, live, None) + purged.get("diff", []), "connector": None,
            "backup_file": purged.get("backup_file"), "warnings": purged.get("warnings", [])}


def _purge(client, name, wait_timeout, check_mode) -> dict:
    """Stop it, and remove all its offsets; what they were is in a backup. The result of connector_offsets.

    Stopped first: a task that has not flushed yet would write its offset when the connector is deleted.
    """
    client.require("alter")
    lifecycle = Lifecycle(client, name, wait_timeout)
    found = lifecycle.read_settled()
    if not check_mode:
        lifecycle.stop(found)
    try:
        change = OffsetsChange(client, name, Wish.absent(None), stop=True, after_change=LEAVE, backup=_backup.default_path(name), wait_timeout=wait_timeout)
        return change.run(check_mode)
    except errors.ConnectError as error:
        if not check_mode and found.state in (RUNNING, PAUSED):
            error.also("The connector was not deleted, and is put back: it is %s." % lifecycle.reach(found.state, lifecycle.read_settled()))
        raise


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
    if client.road != STRIMZI:
        check_pod(found, force, lifecycle.warnings.append)
    client.require_url(name)
    if wanted == STOPPED:
        client.require("stop")
    if check_mode:
        return result
    after = lifecycle.reach(wanted, found)
    if state == "started" and after.failed:
        raise errors.StateError("The connector %s was started, but failed: %s." % (name, after.failure), connector=after.result())
    return dict(result, connector=after.result())


def state_diff(name: str, before: str, after: str) -> dict:
    header = "%s (state)" % name
    return {"before_header": header, "after_header": header, "before": {"state": before}, "after": {"state": after}}
