# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Delete a connector, and before that its offsets where that is asked for."""

from __future__ import annotations

from contextlib import nullcontext

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import backups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import LEAVE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import connector_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import PAUSED, RUNNING, STOPPED, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import Access


def declare_absent(client, name: str, wait_timeout: float, check_mode: bool, purge_offsets=False) -> dict:
    """Delete the connector. Its offsets stay where they are, and a new connector of its name goes on from there.

    purge_offsets: remove them before, while it is STOPPED: of one that is gone Connect removes nothing.
    """
    try:
        live = client.info(name)["config"]
    except errors.NoConnector:
        warnings = ["There is no connector %s, so its offsets cannot be removed by REST, if it has left any: use connector_offsets with state: absent "
                    "and kafka_bootstrap_servers." % name] if purge_offsets else []
        return {"changed": False, "created": False, "diff": connector_config.diff(name, None, None), "connector": None, "backup_file": None,
                "warnings": warnings}
    client.require_url(name)
    # Between the purge and the end it must not run again: it would read everything once more.
    with INTERRUPTS.held() if purge_offsets and not check_mode else nullcontext():
        return _declare_absent(client, name, live, wait_timeout, check_mode, purge_offsets)


def _declare_absent(client, name, live, wait_timeout, check_mode, purge_offsets) -> dict:
    lifecycle = Lifecycle(client, name, wait_timeout)
    purged, found = _purge(lifecycle, check_mode) if purge_offsets else ({}, None)
    if not check_mode:
        try:
            _delete(client, lifecycle)
            lifecycle.wait_gone()
        except errors.NoConnector:
            pass
        except errors.ConnectError as error:
            if purged.get("changed"):
                raise error.also("Its offsets were removed before (the backup is %s), and it is STOPPED." % purged["backup_file"])
            raise error if found is None or found.state == STOPPED else _restored(lifecycle, found, error)
    return {"changed": True, "created": False, "diff": connector_config.diff(name, live, None) + purged.get("diff", []), "connector": None,
            "backup_file": purged.get("backup_file"), "warnings": purged.get("warnings", []) + lifecycle.warnings}


def _delete(client, lifecycle) -> None:
    try:
        client.delete(lifecycle.name)
    except errors.RestError as error:
        if not errors.in_doubt(error) or not lifecycle.took(error, lambda: not _exists(client, lifecycle.name), "deleted"):
            raise


def _exists(client, name) -> bool:
    try:
        client.info(name)
    except errors.NoConnector:
        return False
    return True


def _purge(lifecycle, check_mode) -> tuple:
    """Stop it, and remove all its offsets; what they were is in a backup. The result of connector_offsets, and the connector as it was found.

    Stopped first: a task that has not flushed yet would write its offset when the connector is deleted.
    """
    client, name = lifecycle.client, lifecycle.name
    client.require("alter")
    # UNASSIGNED hides what it is meant to be.
    found = lifecycle.read_settled() if check_mode else lifecycle.read_definite()
    try:
        if not check_mode:
            lifecycle.stop(found)
        # Of MirrorMaker's source, too: with the connector gone nothing is copied again.
        change = ChangeItem(client, name, DesiredOffsets.absent(None), Router(Access(client, name, accept_duplicates=True)), stop=True, final_state=LEAVE,
                            backup=backups.default_path(name), wait_timeout=lifecycle.wait_timeout)
        return run_alone(change, check_mode), found
    except errors.ConnectError as error:
        raise error if check_mode or found.state == STOPPED else _restored(lifecycle, found, error)


def _restored(lifecycle, found, error):
    """The error of a failed change, with what became of the connector's state."""
    due = PAUSED if found.state == PAUSED else RUNNING  # FAILED is what a started connector can be
    try:
        now = lifecycle.read_settled()
        as_found = now.state == found.state
        if not as_found or now.state == due and errors.in_doubt(error):  # the stop may still be carried out
            now = lifecycle.reach(due, now)
        if as_found:
            return error.also("The connector was not deleted: it is %s." % now)
    except errors.ConnectError as other:
        way = lifecycle.client.way_back(lifecycle.name, "paused" if due == PAUSED else "running")
        return error.also("The connector was %s, and was not deleted. Its state could not be restored (%s). %s." % (
            found.state, other.message.rstrip("."), way))
    return error.also("The connector was not deleted, and its state is restored: it is %s." % now)
