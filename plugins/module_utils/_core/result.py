# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""How plans and snapshots are shown to people and to later tasks. Pure.

Lists are cut at ``max_entries`` partitions (0: never), with the true counts beside them and a flag.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import labels, sides
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import BACKWARD, KEEP, REMOVE, UNKNOWN
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import recognised
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural


def change_result(plan, method: str, max_entries: int) -> dict:
    """What connector_offsets returns of a plan, carried out or predicted."""
    actions, before, after = plan.actions, plan.live.sorted(), plan.after()
    shown = cut(actions, max_entries)
    return {
        "changed": plan.changed,
        "method": method,
        "offsets": pairs(after, max_entries),
        "offsets_before": pairs(before, max_entries),
        "actions": [action.result() for action in shown],
        "counts": dict(plan.counts, before=len(before), after=len(after)),
        "truncated": len(shown) < len(actions) or bool(max_entries) and max(len(before), len(after)) > max_entries,
        "diff": [dict(_diff(plan.live.connector, shown, len(actions) - len(shown)), **_moves(plan, shown))],
    }


def declared_result(keyed, digest: str, max_entries: int) -> dict:
    """What connector_offsets returns of a declaration. keyed: canonical partition -> Entry, None for "all"; digest: of all of it."""
    entries = [keyed[key] for key in sorted(keyed or {})]
    shown = pairs(entries, max_entries)
    return {"digest": digest, "offsets": shown, "more": len(entries) - len(shown)}


def info_result(snapshot, method: str, max_entries: int) -> dict:
    """What connector_offsets_info returns of a snapshot."""
    entries = snapshot.sorted()
    shown = pairs(entries, max_entries)
    hidden = [snapshot.unreadable[key].partition for key in sorted(snapshot.unreadable)]
    return {
        "method": method,
        "offsets": shown,
        "offsets_count": len(entries),
        "unreadable": cut(hidden, max_entries),
        "unreadable_count": len(hidden),
        "truncated": len(shown) < len(entries),
    }


def _diff(connector: str, actions, hidden: int) -> dict:
    """Before and after by partition, in one shape; only the partitions that are shown."""
    header = "%s (offsets)" % connector
    named, before, after = _labels(actions), {}, {}
    for action in actions:
        old, new = sides([action.before, *action.copies] if action.copies else action.before, action.after)
        label = named[action.key]
        if action.unreadable:
            old = "a record that cannot be read"
        if old is not None:
            before[label] = old
        if new is not None:
            after[label] = new
    if hidden:
        before["..."] = after["..."] = "%d more partitions are not shown" % hidden
    return {"before_header": header, "after_header": header, "before": before, "after": after}


def delivered_again(plan) -> list:
    """A warning about what a plan that goes back has delivered once more, if there is anything."""
    back = [action for action in plan.changes if action.moved[0] == BACKWARD]
    known = [action for action in back if action.moved[1] is not None]
    unknown = [action for action in plan.changes if action.before is not None and action.moved[0] in (BACKWARD, UNKNOWN) and action.moved[1] is None]
    sums = {}
    for action in known:
        unit = _unit(plan.live.kind, action)
        sums[unit] = sums.get(unit, 0) + action.moved[1]
    far = ["%s by %s" % (counted(known), " and ".join(plural(sums[unit], unit) if unit else "%d in its own unit" % sums[unit] for unit in sorted(sums)))]
    if known:
        far += ["%s by an unknown distance" % counted(unknown)] if unknown else []
        return ["%s goes back: %s. What it has delivered in between is delivered again." % (plan.live.connector, ", ".join(far))]
    return ["How far %s goes back is not known of %s. What it has delivered in between is delivered again." % (
        plan.live.connector, counted(unknown))] if unknown else []


def _unit(kind: str, action) -> str:
    """What a distance counts, as far as it is known; else empty."""
    if kind == SINK:
        return "record"
    shape = action.shape or recognised(action.partition, action.after)
    return shape.unit(action.before, action.after) if shape is not None else ""


def _labels(actions) -> dict:
    """{canonical partition: how it is shown}"""
    return labels(action.key for action in actions)


def _moves(plan, shown) -> dict:
    """For below the diff: which way and how far each partition moves that changes and is shown. Ansible prints it as it is."""
    if not plan.changed:
        return {}
    changes = [action for action in shown if action.verb != KEEP]
    notes = plan.desired.notes if plan.desired is not None else {}
    named = _labels(shown)
    lines = ["%s: %s" % (named[key], _move(action) + (", to " + notes[key] if key in notes else ""))
             for key, action in ((action.key, action) for action in changes)]
    if len(changes) < len(plan.changes):
        lines.append("%d more changes are not shown" % (len(plan.changes) - len(changes)))
    return {"prepared": "\n".join(lines) + "\n"}


def _move(action) -> str:
    direction, distance = action.moved
    if direction != UNKNOWN:
        return direction if distance is None else "%s by %d" % (direction, distance)
    if action.verb == REMOVE:
        return "removed"
    return "new" if action.before is None and not action.unreadable else "direction unknown"


def pairs(entries, max_entries: int) -> list:
    """Entries in the shape of the option ``offsets``."""
    return [{"partition": entry.partition, "offset": entry.offset} for entry in cut(entries, max_entries)]


def cut(items: list, limit: int) -> list:
    return items[:limit] if limit else items


def as_facts(result) -> dict:
    """Of a change that was made, for the error that ends the module all the same."""
    return {key: value for key, value in result.items() if key not in ("diff", "warnings")}
