# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a profile may hold, and whether a value is of one of its types. Pure.

A profile says what one family of connectors stores: plain data, the same in this package and in a user's own file.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import INT32_MAX, INT64_MAX, INT64_MIN, describe, is_int
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean

#: type -> does a value have it? Connect reads each whole number as a Long, so int32 is a matter of size
TYPES = {
    "string": lambda value: isinstance(value, str),
    "int32": lambda value: is_int(value) and -INT32_MAX - 1 <= value <= INT32_MAX,
    "int64": lambda value: is_int(value) and INT64_MIN <= value <= INT64_MAX,
    "double": lambda value: isinstance(value, float),
    "boolean": lambda value: isinstance(value, bool),
}

#: how two positions are compared (see _core.profiles.position)
NUMBER, FIRST, FILE, TEXT, OPAQUE = COMPARISONS = ["number", "first", "file", "text", "opaque"]

#: in which order a connector writes the fields of its partition: that of a java.util.HashMap, that of the profile, another one at each start of a worker
HASH, LISTED, VARIES = ORDERS = ["hash", "listed", "varies"]

_TEXTS = [str]
_CONDITION = {"setting": (True, str), "values": (False, _TEXTS)}
_RESET = {"when": (True, dict(_CONDITION, values=(True, _TEXTS), default=(False, str)))}
_FIELD = {"type": (True, list(TYPES)), "meaning": (False, str), "unit": (False, str)}
_SHAPE = {
    "partition": (True, {"*": (True, dict(_FIELD, optional=(False, bool)))}),
    "order": (False, ORDERS),
    "offset": (True, {"*": (True, dict(_FIELD, required=(False, bool), since=(False, str), was=(False, [list(TYPES)])))}),
    "position": (False, {"fields": (True, _TEXTS), "compare": (True, COMPARISONS), "means": (False, ["next", "last"]), "instead": (False, _TEXTS)}),
    "example": (True, {"partition": (True, dict), "offset": (True, dict)}),
    "file": (False, {"path": (True, str), "position": (True, str)}),
    "name": (False, str), "until": (False, str), "now": (False, str), "read_without": (False, str),
    "migrate": (False, {"name": (True, str), "add": (False, _TEXTS), "drop": (False, _TEXTS)}),
}
#: seeks: the connector goes on from there, whatever its offset is
_STORE = {"where": (True, str), "when": (False, _CONDITION), "only": (False, ["backward"]), "seeks": (False, {"unless": (False, _CONDITION)})}
_PROFILE = {
    "name": (True, str), "title": (False, str), "kind": (False, ["source", "sink"]), "classes": (True, _TEXTS), "shapes": (False, [_SHAPE]),
    "absent": (False, str), "stores": (False, [_STORE]),
    "overrides": (False, [dict(_CONDITION, effect=(True, str))]), "siblings": (False, str), "hints": (False, _TEXTS), "source": (False, str),
    "verified": (False, bool),
    "reset": (False, {"time": (False, dict(_RESET, milliseconds=(True, str), nanoseconds=(True, str))),
                      "resnapshot": (False, dict(_RESET, signal=(True, str)))}),
}
_NAMES = {str: "a text", bool: "true or false", dict: "a dictionary"}


def fits(value, field: dict) -> bool:
    """Does the value have the type of the field, or one that it had in an earlier version? null has every type."""
    return value is None or any(TYPES[name](value) for name in [field["type"]] + field.get("was", []))


def check_profiles(profiles, where: str) -> None:
    """profiles: a list as read from a user's file. where: what it is called in messages. Raises DeclarationError, which names the first five problems."""
    found = list(problems_of(profiles, where))
    if found:
        raise DeclarationError("%s%s." % (". ".join(found[:5]), ". And %d more" % (len(found) - 5) if len(found) > 5 else ""))


def problems_of(profiles, where: str):
    """Sentences without a stop."""
    if not isinstance(profiles, list) or not profiles:
        yield "%s must be a list of profiles, it is %s" % (where, describe(profiles))
        return
    problems = [problem for index, one in enumerate(profiles) for problem in _checked(one, _PROFILE, "%s[%d]" % (where, index))]
    yield from problems
    if problems:
        return
    for index, one in enumerate(profiles):
        for number, shape in enumerate(one.get("shapes", [])):
            yield from _of_shape(shape, "%s[%d].shapes[%d]" % (where, index, number))
    for what, names in (("name", [one["name"] for one in profiles]), ("class", [name for one in profiles for name in one["classes"]])):
        yield from ("%s has the %s %s twice" % (where, what, name) for name in sorted({name for name in names if names.count(name) > 1}))


def _checked(value, spec, where):
    """spec: a type; a list with one type or dictionary: a list of it; a longer list of texts: one of them; a dictionary: key -> (required, spec)."""
    if isinstance(spec, dict):
        yield from _of_dictionary(value, spec, where)
    elif isinstance(spec, list) and isinstance(spec[0], str):
        if value not in spec:
            yield "%s must be one of %s, it is %s" % (where, ", ".join(spec), describe(value))
    elif isinstance(spec, list):
        if not isinstance(value, list):
            yield "%s must be a list, it is %s" % (where, describe(value))
        else:
            yield from (problem for index, item in enumerate(value) for problem in _checked(item, spec[0], "%s[%d]" % (where, index)))
    elif not isinstance(value, spec):
        yield "%s must be %s, it is %s" % (where, _NAMES[spec], describe(value))


def _of_dictionary(value, spec, where):
    if not isinstance(value, dict):
        yield "%s must be a dictionary, it is %s" % (where, describe(value))
        return
    for name, item in value.items():
        known = spec.get(name) or spec.get("*")
        if known is None:
            yield "%s has the unknown key %s.%s" % (where, name, did_you_mean(str(name), spec).rstrip("?"))
        else:
            yield from _checked(item, known[1], "%s.%s" % (where, name))
    yield from ("%s lacks %s" % (where, name) for name, (required, _spec) in spec.items() if required and name != "*" and name not in value)


def _of_shape(shape, where):
    """What the keys say of each other."""
    position = shape.get("position", {})
    for name in position.get("fields", []) + position.get("instead", []):
        if name not in shape["offset"]:
            yield "%s.position names %s, which is no field of its offset" % (where, name)
    if position.get("compare") == FILE and len(position["fields"]) != 2:
        yield "%s.position.fields must be two for compare: file, the file and the place in it" % where
    for part in ("partition", "offset"):
        fields, example = shape[part], shape["example"][part]
        for name, value in example.items():
            if name not in fields:
                yield "%s.example.%s has the field %s, which is not in %s" % (where, part, name, part)
            elif not fits(value, fields[name]):
                yield "%s.example.%s.%s is %s, but its type is %s" % (where, part, name, describe(value), fields[name]["type"])
    missing = [name for name, field in shape["partition"].items() if not field.get("optional") and name not in shape["example"]["partition"]]
    missing += [name for name, field in shape["offset"].items() if field.get("required") and name not in shape["example"]["offset"]]
    yield from ("%s.example lacks %s" % (where, name) for name in missing)
