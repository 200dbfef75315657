# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The fields of declared offsets and partitions held against those of the live ones: types and fields that were most likely lost. Pure."""

from __future__ import annotations

import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import OffsetsError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical, counted, describe, is_int, spells, untyped
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean

_HINT = (
    "YAML reads text without quotes as a number, a boolean, null or a time where it looks like one (12:30, 0x1F, 1_000, 010, yes, NULL): "
    "if text is meant, quote it. A value of -e name=value or of a survey is text: pass the whole list as one variable (offsets: "
    "\"{{ my_offsets }}\"), or JSON text in the option content. If the other type is meant, use force: true."
)

_WHOLE_HINT = (
    "YAML reads yes, no, on and off as booleans, and 0.5 or 1e3 as numbers that are not whole. Declare a whole number. If the other type is meant, use force: "
    "true."
)

#: a time as YAML 1.1 takes it from text without quotes, and as Ansible then writes it
_YAML_TIME = re.compile(r"\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?")
_REWRITTEN_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?(?:[-+]\d\d:\d\d)?")
_TEXT, _NULL = "text", "null"
_SHOWN = 3


def _type(value) -> str:
    if value is None:
        return _NULL
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, float):
        return "float"
    return "integer" if is_int(value) else _TEXT


class _Live:
    """The live values with which a declared one is compared."""

    def __init__(self, maps):
        self._maps = maps
        self._samples = None

    def values(self, name) -> list:
        """One value of each type that the field has anywhere."""
        if self._samples is None:
            self._samples = {}
            for one in self._maps():
                for field, value in one.items():
                    self._samples.setdefault(field, {}).setdefault(_type(value), value)
        return list(self._samples.get(name, {}).values())


def check_offset_types(actions, live, vouched=False) -> list:
    """Raises OffsetsError for a declared value whose type was most likely lost. Returns warnings.

    actions      those of a plan (see _core.plan.Action)
    live         Snapshot of a source
    vouched      whoever declares it says that the types are meant, as a backup does: warnings alone
    """
    if not live.entries:
        return []  # nothing to compare with
    others, warnings = _Live(lambda: (entry.offset for entry in live.entries.values())), []
    for action in actions:
        before = action.before or {}
        for name, value in (action.after or {}).items():
            if value.__class__ is int and before.get(name).__class__ is int:
                continue  # the commonest
            values, where = [before.get(name)], "its live value is"
            if values == [None]:
                values, where = others.values(name), "in another partition of this connector it is"
            meant = _meant(value, values)
            if meant is None:
                continue
            text = "The offset of partition %s: the field %s is declared as %s, but %s %s. Both are legal, and they are different values" % (
                canonical(action.partition), name, describe(value), where, describe(meant))
            hint = _WHOLE_HINT if _is_no_whole(value, [meant]) else _HINT
            if not vouched and value is not None and value.__class__ is not meant.__class__:
                raise OffsetsError("%s. %s" % (text, hint))
            warnings.append("%s. %s" % (text, "" if vouched else hint))
    return warnings


def _meant(value, values):
    """The live value that a declared one was most likely to be like; None where nothing speaks for that."""
    if _is_no_whole(value, values):
        return next(other for other in values if is_int(other))
    if _type(value) in map(_type, values):
        times = [other for other in values if _type(other) == _TEXT and _YAML_TIME.fullmatch(other) and not _REWRITTEN_TIME.fullmatch(other)]
        return times[0] if times and _type(value) == _TEXT and _REWRITTEN_TIME.fullmatch(value) else None
    return next((other for other in values if _type(other) == _TEXT or spells(value, other)), None)


def _is_no_whole(value, values) -> bool:
    """A float or a boolean, where there are whole numbers among the live values, and nothing of its own type?"""
    return isinstance(value, (float, bool)) and any(map(is_int, values)) and _type(value) not in map(_type, values)


def check_partition_types(wanted: dict, live, vouched=False, new_vouched=False) -> list:
    """A partition that is live under other types would become a new, silent, never read partition.

    Setting it raises OffsetsError; for a removal that has nothing to remove, the warnings are returned. wanted: canonical partition -> Entry
    """
    new = [key for key, entry in wanted.items()
           if key not in live.entries and key not in live.unreadable and isinstance(entry.partition, dict)]
    if not new or not (live.entries or live.unreadable):
        return []  # nothing to compare with
    known = {untyped(entry.partition): key for found in (live.entries, live.unreadable) for key, entry in found.items()
             if isinstance(entry.partition, dict)}
    others, warnings = _Live(lambda: (entry.partition for entry in live.entries.values())), []
    for key in new:
        meant = known.get(untyped(wanted[key].partition))
        if meant in wanted:
            continue
        sets = wanted[key].offset is not None
        if meant is None:
            text = sets and _other_type(key, wanted[key].partition, others)
            certain = not new_vouched
        elif sets:
            text, certain = ("The partition %s is not live, but %s is: the same text with other types, which Connect takes for another partition"
                             % (key, meant)), True
        else:
            text, certain = "The partition %s has no offset to remove, but %s, the same text with other types, has one" % (key, meant), False
        if text and certain and not vouched:
            raise OffsetsError("%s. Declare it with the live types. %s" % (text, _HINT))
        if text:
            warnings.append(text + ".")
    return warnings


def _other_type(key, partition, others):
    """In words, a field that is text in all live partitions and no text here; None where there is none."""
    for name, value in partition.items():
        values = others.values(name)
        if _type(value) != _TEXT and values and all(_type(other) == _TEXT for other in values):
            return "The partition %s is not live, and its field %s is %s, while in all live partitions it is text, such as %s" % (
                key, name, describe(value), describe(values[0]))
    return None


def check_fields(actions, live, vouched=False, is_own=False) -> list:
    """Fields that only the live offsets have, and fields that none of them has. Returns warnings.

    A declared offset replaces the whole map, so a connector would miss what only the live one has: raises OffsetsError, unless the fields are
    ``vouched`` to be meant to go. is_own: the declaration was written of this connector, which may have had other fields then.
    """
    known = {name for entry in live.entries.values() for name in entry.offset}
    new = [] if is_own or not known else [action for action in actions if action.after and not action.after.keys() <= known]
    new = [(action.key, sorted(set(action.after) - known)) for action in new]
    hints = "".join(did_you_mean(name, known) for name in sorted({name for _key, names in new for name in names})[:_SHOWN])
    losing = [action for action in actions if action.before and action.after is not None and not action.before.keys() <= action.after.keys()]
    losing = [(action.key, sorted(set(action.before) - set(action.after))) for action in losing]
    warnings = []
    if losing:
        text = "%s of %s would lose fields that the live offset has: %s." % (counted(losing), live.connector, _listed(losing))
        if not (vouched or is_own):
            raise OffsetsError(
                "%s%s A declared offset replaces the whole map, and a task that looks for one of these fields can fail or begin anew. Declare all fields, or "
                "use force: true if the offset is meant without them." % (text, hints))
        warnings.append(text)
    if new:
        warnings.append(
            "%s of %s would get fields that no live offset of it has: %s; the live ones have %s.%s A task that does not find its own field can fail or begin "
            "anew." % (counted(new), live.connector, _listed(new), ", ".join(sorted(known)), hints))
    return warnings


def _listed(found) -> str:
    return ", ".join("%s (%s)" % (key, ", ".join(names)) for key, names in found[:_SHOWN]) + (", ..." if len(found) > _SHOWN else "")
