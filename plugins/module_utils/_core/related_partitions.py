# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Partitions that a connector falls back to when it does not find another one: those of one server, and those of one table in two protocols. Pure."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical, counted

#: names of the field with the server's name; see Debezium's Vitess, SQL Server and MongoDB connectors
_SERVER = ("server", "server_id")
_SHOWN = 3


def staying(changes, kept, connector: str) -> list:
    """Warnings of live partitions that a change leaves where the connector may go on from them. changes, kept: lists of _core.plan.Action."""
    return _of_a_server(changes, kept, connector) + _of_two_protocols(changes, kept, connector) if changes and kept else []


def _of_a_server(changes, kept, connector) -> list:
    """One partition of a server is removed, and others stay: a task that misses its own looks for an older one, or for that of the server alone."""
    found = []
    for server in sorted({_server(action) for action in changes if action.after is None} - {None}):
        same = [action for action in kept if _server(action) == server]
        if same:
            found.append(
                "%s of %s of the same server %s stay%s: %s. A connector that does not find the offset that is removed can go on from there. To have it "
                "begin anew, remove all of them." % (counted(same), connector, server, "s" if len(same) == 1 else "", _listed(same)))
    return found


def _server(action):
    if not isinstance(action.partition, dict):
        return None
    return next((action.partition[name] for name in _SERVER if isinstance(action.partition.get(name), str)), None)


def _of_two_protocols(changes, kept, connector) -> list:
    """The JDBC connector looks for {protocol, table} first and then for {table} (JdbcSourceTask#possibleTablePartitions)."""
    old = {action.partition["table"]: action for action in kept if _is_table(action, {"table"})}
    new = {}
    for action in kept:
        if _is_table(action, {"table", "protocol"}):
            for name in _names(action.partition["table"]):
                new.setdefault(name, action)
    found = []
    for action in changes:
        other, means = None, ""
        if _is_table(action, {"table", "protocol"}):
            other = next((old[name] for name in _names(action.partition["table"]) if name in old), None)
            means = ("without the one that is removed, the connector goes on from there" if action.after is None else
                     "the connector reads it only if it finds none with a protocol")
        elif _is_table(action, {"table"}):
            other = new.get(action.partition["table"])
            means = "the connector reads that one first, so this change means nothing to it as long as that is so"
        if other is not None:
            found.append("%s: the offset of the same table under %s stays, next to %s: %s. Declare or remove both."
                         % (connector, canonical(other.partition), canonical(action.partition), means))
    return found[:_SHOWN] + (["%s: the same goes for %d more tables." % (connector, len(found) - _SHOWN)] if len(found) > _SHOWN else [])


def _is_table(action, names) -> bool:
    return isinstance(action.partition, dict) and set(action.partition) == names and all(isinstance(value, str) for value in action.partition.values())


def _names(table: str) -> list:
    """The table's name with and without its catalog and schema: db.public.orders, public.orders, orders."""
    parts = table.split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


def _listed(actions) -> str:
    keys = sorted(canonical(action.partition) for action in actions)
    return ", ".join(keys[:_SHOWN]) + (", ..." if len(keys) > _SHOWN else "")
