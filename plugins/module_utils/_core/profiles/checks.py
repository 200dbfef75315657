# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Declared offsets held against the profile of their connector: types, missing and unknown fields of what nothing live tells about. Pure."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import OffsetsError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical, describe
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.schema import fits
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import and_more, did_you_mean

_SHOWN = 3


def check(profile, actions, live, vouched: bool) -> list:
    """Returns warnings; raises OffsetsError for what the connector would not find, or could not read.

    profile      Profile
    actions      those of a plan that set an offset (see _core.plan.Action)
    live         Snapshot of a source. What it has is right, whatever the profile says
    vouched      the types and fields are meant: warnings alone
    """
    live_fields = set().union(*(entry.offset for entry in live.entries.values()))
    actions = [action for action in actions if action.before is None or not action.after.keys() <= live_fields]
    if not actions:
        return []  # what is live tells all, see _core.lost_fields
    known, live_shapes = _types(live), {profile.shape_of(entry.partition) for entry in live.entries.values()}
    forms = {frozenset(entry.partition) for entry in live.entries.values() if isinstance(entry.partition, dict)}
    warnings, wrong, older = [], [], {}
    for action in actions:
        shape = profile.shape_of(action.partition)
        if shape is None:
            found = [_no_form(profile, action)] if action.before is None and frozenset(action.partition) not in forms and profile.shapes else []
        else:
            found = list(_of_offset(shape, action, live_fields))
            if not live_fields:  # else what is live tells better, see _core.lost_fields
                warnings += _unknown(profile, shape, action)
            if action.before is None:
                found += _of_partition(shape, action, known)
                if shape.is_older and shape not in live_shapes:
                    older.setdefault(shape, []).append(action)
        if found:
            wrong.append("the offset of the partition %s: %s" % (canonical(action.partition), "; ".join(found)))
    warnings += [_older(shape, found) for shape, found in older.items()]
    if not wrong:
        return warnings
    text = "%s does not store offsets in this form (%s): %s." % (live.connector, profile.title, and_more(wrong, _SHOWN, ". "))
    if vouched or not profile.verified:
        return warnings + [text]
    raise OffsetsError("%s Its task could fail, or begin anew. Declare it as the connector writes it, or use force: true if it is meant."
                       % text)


def _types(live) -> set:
    """(part, field, class of the value) of everything that is live."""
    found = set()
    for entry in live.entries.values():
        for part, fields in (("partition", entry.partition), ("offset", entry.offset)):
            found.update((part, name, value.__class__) for name, value in (fields.items() if isinstance(fields, dict) else ()))
    return found


def _no_form(profile, action) -> str:
    forms = " or ".join(", ".join(shape.partition) for shape in profile.shapes if not shape.is_older)
    names = sorted(set(action.partition) - {name for shape in profile.shapes for name in shape.partition})
    hints = "".join(did_you_mean(name, {name for shape in profile.shapes for name in shape.partition}, 1) for name in names[:1])
    return "its partition has the field%s %s, while that of the connector has %s.%s" % (
        "" if len(action.partition) == 1 else "s", ", ".join(sorted(action.partition)), forms, hints)


def _of_partition(shape, action, known) -> list:
    return [_wrong_type(name, value, shape.partition[name]) for name, value in sorted(action.partition.items())
            if not fits(value, shape.partition[name]) and ("partition", name, value.__class__) not in known]


def _of_offset(shape, action, live_fields):
    for name, value in sorted(action.after.items()):
        field = shape.field(name)
        if field is not None and name not in live_fields and not fits(value, field):
            yield _wrong_type(name, value, field)
    missing = [name for name in shape.required if name not in action.after and (action.before is None or name in action.before)]
    if missing:
        yield "it lacks %s" % ", ".join(missing)


def _unknown(profile, shape, action) -> list:
    """Warnings of fields that the profile does not have: a newer version can have some."""
    names = [name for name in sorted(action.after) if shape.field(name) is None]
    return ["The offset of the partition %s has fields that %s is not known to have: %s.%s" % (
        canonical(action.partition), profile.title, ", ".join(names), "".join(did_you_mean(name, shape.offset, 1) for name in names[:_SHOWN]))] if names else []


def _wrong_type(name, value, field) -> str:
    return "%s is %s, and has to be %s" % (name, describe(value), {
        "string": "a text", "boolean": "a boolean", "double": "a float", "int32": "a whole number of 32 bits", "int64": "a whole number"}[field["type"]])


def _older(shape, actions) -> str:
    """A warning: no live partition has this form of an earlier version."""
    partitions = and_more([canonical(action.partition) for action in actions], _SHOWN)
    one = len(actions) == 1
    return "The partition%s %s %s the form of %s and earlier. %s" % (
        "" if one else "s", partitions, "has" if one else "have", shape.data["until"], shape.data.get("now", ""))
