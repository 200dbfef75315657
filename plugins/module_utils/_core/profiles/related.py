# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Partitions that a connector goes on from when it does not find another one, as its profile says: those of one server, and the older form of a table. Pure.

Where the class of the connector is not known, as of one that is deleted, what any profile says of such fields counts.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN

_SHOWN = 3


def staying(changes, kept, live) -> list:
    """Warnings of live partitions that a change leaves where the connector may go on from them. changes, kept: lists of _core.plan.Action. live: Snapshot."""
    if not (changes and kept):
        return []
    profiles = [live.profile] if live.profile is not None else BUILT_IN.profiles
    fields = sorted({profile.data["siblings"] for profile in profiles if "siblings" in profile.data})
    found = _of_a_server(changes, kept, live.connector, fields) if fields else []
    for profile in profiles:
        for shape in profile.shapes:
            if "read_without" in shape.data:
                found += _of_an_older_form(changes, kept, live.connector, profile, shape)
    return found


def _of_a_server(changes, kept, connector, fields) -> list:
    """One partition of a server is removed, and others stay: a task that misses its own looks for an older one, or for that of the server alone."""
    found = []
    for server in sorted({_server(action, fields) for action in changes if action.after is None} - {None}):
        same = [action for action in kept if _server(action, fields) == server]
        if same:
            found.append(
                "%s of %s of the same server %s stay%s: %s. A connector that does not find the offset that is removed can go on from there. To have it "
                "begin anew, remove all of them." % (counted(same), connector, server, "s" if len(same) == 1 else "", _listed(same)))
    return found


def _server(action, fields):
    if not isinstance(action.partition, dict):
        return None
    return next((action.partition[name] for name in fields if isinstance(action.partition.get(name), str)), None)


def _of_an_older_form(changes, kept, connector, profile, older) -> list:
    """The connector looks for the forms of now first, and for the older one where it finds none of them (JDBC: JdbcSourceTask#possibleTablePartitions)."""
    field = older.data["read_without"]
    newer = [shape for shape in profile.shapes if not shape.is_older and field in shape.partition]
    old = {action.partition[field]: action for action in kept if _is_of(action, [older])}
    new = {}
    for action in kept:
        if _is_of(action, newer):
            for name in _names(action.partition[field]):
                new.setdefault(name, action)
    found = []
    for action in changes:
        other, means = None, ""
        if _is_of(action, newer):
            other = next((old[name] for name in _names(action.partition[field]) if name in old), None)
            means = ("without the one that is removed, the connector goes on from there" if action.after is None else
                     "the connector reads the former only if it finds no offset in the current form")
        elif _is_of(action, [older]):
            other = new.get(action.partition[field])
            means = "the connector reads the former first, so this change has no effect while that offset is there"
        if other is not None:
            found.append("%s: the offset of the same %s under %s stays, next to %s: %s. Declare or remove both."
                         % (connector, field, canonical(other.partition), canonical(action.partition), means))
    return found[:_SHOWN] + (["%s: the same goes for %d more %ss." % (connector, len(found) - _SHOWN, field)] if len(found) > _SHOWN else [])


def _is_of(action, shapes) -> bool:
    return isinstance(action.partition, dict) and any(shape.has(action.partition) for shape in shapes) and all(
        isinstance(value, str) for value in action.partition.values())


def _names(table: str) -> list:
    """The table's name with and without its catalog and schema: db.public.orders, public.orders, orders."""
    parts = table.split(".")
    return [".".join(parts[start:]) for start in range(len(parts))]


def _listed(actions) -> str:
    keys = sorted(canonical(action.partition) for action in actions)
    return ", ".join(keys[:_SHOWN]) + (", ..." if len(keys) > _SHOWN else "")
