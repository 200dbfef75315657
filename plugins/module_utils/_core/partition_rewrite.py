# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Partitions under other names: what a clone, a renaming or a migration does to them. Pure.

A rule is a dictionary with ``field`` and what becomes of it: ``to``, another value, or ``name``, another name. ``from`` says of which value;
without it of any. ``add`` puts the field also where it is missing. Rules are applied one after the other to every partition.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical, check_map, describe


def rewrite(items: list, rules) -> list:
    """The pairs with their partitions rewritten; offsets stay. items: [{partition, offset}].

    Raises DeclarationError for a rule that is none, one that fits no partition, and partitions that become the same.
    """
    rules = check_rules(rules)
    used = [False] * len(rules)
    found = []
    for item in items:
        partition = item.get("partition") if isinstance(item, dict) else None
        if not isinstance(partition, dict):
            found.append(item)  # what is wrong with it is said where pairs are read
            continue
        for index, rule in enumerate(rules):
            if _fits(rule, partition):
                partition = _applied(rule, partition)
                used[index] = True
        found.append(dict(item, partition=partition))
    for index, rule in enumerate(rules):
        if not used[index]:
            raise DeclarationError("rewrite[%d] fits none of the %d partitions: none has %s%s." % (
                index, len(items), rule["field"], " of the value %s" % describe(rule["from"]) if "from" in rule else ""))
    if rules:
        _check_different(items, found)
    return found


def check_rules(rules) -> list:
    """Raises DeclarationError for one that is none."""
    return [_checked(rule, "rewrite[%d]" % index) for index, rule in enumerate(rules or [])]


def _checked(rule, where: str) -> dict:
    if not isinstance(rule, dict) or set(rule) - {"field", "from", "to", "name", "add"}:
        raise DeclarationError("%s must be a dictionary with field, from, to, name and add, it is %s." % (where, describe(rule)))
    rule = {key: value for key, value in rule.items() if value is not None or key in ("from", "to")}
    if not isinstance(rule.get("field"), str) or not rule["field"]:
        raise DeclarationError("%s.field must be the name of a field of the partitions, it is %s." % (where, describe(rule.get("field"))))
    if ("to" in rule) == ("name" in rule):
        raise DeclarationError("%s must have either to, another value, or name, another name." % where)
    if "from" in rule:
        check_map({"from": rule["from"]}, where)
    if "to" in rule:
        check_map({"to": rule["to"]}, where)
    elif not isinstance(rule["name"], str) or not rule["name"]:
        raise DeclarationError("%s.name must be a name, it is %s." % (where, describe(rule["name"])))
    if rule.get("add") and ("to" not in rule or "from" in rule):
        raise DeclarationError("%s.add goes with to, and without from." % where)
    return rule


def _fits(rule, partition) -> bool:
    if rule["field"] not in partition:
        return bool(rule.get("add"))
    return "from" not in rule or canonical(partition[rule["field"]]) == canonical(rule["from"])


def _applied(rule, partition) -> dict:
    """The fields stay in their order."""
    if "name" in rule:
        if rule["name"] in partition and rule["name"] != rule["field"]:
            raise DeclarationError("The partition %s has a field %s already, so %s cannot be called that." % (
                canonical(partition), rule["name"], rule["field"]))
        return {rule["name"] if name == rule["field"] else name: value for name, value in partition.items()}
    return {**partition, rule["field"]: rule["to"]}


def _check_different(items, found) -> None:
    known = {}
    for item, new in zip(items, found):
        if not isinstance(new, dict) or not isinstance(new.get("partition"), dict):
            continue
        key = canonical(new["partition"])
        if key in known:
            raise DeclarationError("The partitions %s and %s would become the same: %s." % (
                canonical(known[key]), canonical(item["partition"]), key))
        known[key] = item["partition"]
