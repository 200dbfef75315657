# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Offsets in the form of an earlier version of a connector are moved to the current form. Pure.

The option ``rewrite`` has one rule then: ``migrate``, the name of the move in the connector's profile, ``values`` of the fields that are new, and
``from``, values of fields, where several partitions would become one.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical, describe, same
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.schema import fits


def is_migration(rules) -> bool:
    """Is the option ``rewrite`` such a rule?"""
    return isinstance(rules, list) and len(rules) == 1 and isinstance(rules[0], dict) and "migrate" in rules[0]


def migrated(profile, live, rule: dict) -> list:
    """Pairs as in a document: the offset under its new partition, null under the old one; none where nothing is left to move.

    profile: of the connector, or None. live: Snapshot. Raises DeclarationError.
    """
    unknown = sorted(set(rule) - {"migrate", "values", "from"})
    if unknown:
        raise DeclarationError("rewrite[0] has %s, but a rule with migrate has values and from besides." % ", ".join(unknown))
    shape = _shape(profile, live.connector, rule["migrate"])
    values, chosen = _map(rule, "values"), _map(rule, "from")
    _check_values(profile.shape, shape.data["migrate"], values)
    moves = {}
    for entry in live.sorted():
        if profile.shape_of(entry.partition) is shape and all(name in entry.partition and same({name: entry.partition[name]}, {name: chosen[name]})
                                                              for name in chosen):
            moves.setdefault(canonical(_new(profile.shape, shape.data["migrate"], entry.partition, values)), []).append(entry)
    found = []
    for key, entries in sorted(moves.items()):
        if len(entries) > 1:
            raise DeclarationError("%d partitions of %s would become the same, %s: %s. Choose one of them with from." % (
                len(entries), live.connector, key, ", ".join(canonical(entry.partition) for entry in entries[:3])))
        entry, there = entries[0], live.entries.get(key)
        if there is not None and not same(there.offset, entry.offset):
            raise DeclarationError("%s has another offset under the new partition %s already: it would be replaced by that of %s. Remove one of the two "
                                   "first." % (live.connector, key, canonical(entry.partition)))
        found += [{"partition": _new(profile.shape, shape.data["migrate"], entry.partition, values), "offset": entry.offset},
                  {"partition": entry.partition, "offset": None}]
    return found


def _shape(profile, connector, name):
    known = {shape.data["migrate"]["name"]: shape for shape in (profile.shapes if profile is not None else []) if "migrate" in shape.data}
    if name not in known:
        raise DeclarationError("rewrite[0].migrate is %s, but for %s there is %s." % (
            describe(name), connector, " or ".join(sorted(known)) or "no such move: what its earlier versions stored is not known"))
    return known[name]


def _map(rule, name) -> dict:
    value = rule.get(name) or {}
    if not isinstance(value, dict):
        raise DeclarationError("rewrite[0].%s must be a dictionary, it is %s." % (name, describe(value)))
    return value


def _check_values(shape, move, values) -> None:
    added = move.get("add", [])
    if sorted(values) != sorted(added):
        raise DeclarationError("rewrite[0].values must have %s, it has %s." % (", ".join(added) or "no field", ", ".join(sorted(values)) or "none"))
    for name, value in values.items():
        if value is None or not fits(value, shape.partition[name]):
            raise DeclarationError("rewrite[0].values.%s is %s, but its type is %s." % (name, describe(value), shape.partition[name]["type"]))


def _new(shape, move, partition, values) -> dict:
    """The partition of now, its fields as the profile lists them."""
    fields = {name: value for name, value in {**partition, **values}.items() if name not in move.get("drop", [])}
    return {name: fields[name] for name in shape.partition if name in fields}
