# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Where one position lies from another one, as far as the connector's own rules tell. Pure."""

from __future__ import annotations

import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import is_digits, is_int
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.schema import FILE, FIRST, OPAQUE, TEXT

FORWARD = "forward"
BACKWARD = "backward"
NONE = "none"
UNKNOWN = "unknown"

_NUMBERED = re.compile(r"(.*?)([0-9]+)")
_HEX = re.compile(r"[0-9a-f:]+")


def movement(position: dict, before: dict, after: dict) -> tuple:
    """(direction, distance, field) between two offsets that differ; distance None where only the direction is known. position: that of a profile's shape.

    number   the first of the fields that differs, as a number, which may be digits as text
    first    the first of the fields that both have
    file     a file with a number at the end of its name, and a place in it
    text     the fields in turn, numbers or hex text of one length
    opaque   never
    """
    nothing = (UNKNOWN, None, None)
    if position["compare"] == OPAQUE or any(before.get(name) == after.get(name) for name in position.get("instead", []) if name in before or name in after):
        return nothing
    fields = [name for name in position["fields"] if name in before or name in after]
    if any((name in before) != (name in after) for name in fields):
        if position["compare"] != FIRST:
            return nothing
        fields = [name for name in fields if name in before and name in after]
    if position["compare"] == FIRST:
        fields = fields[:1]
    differing = next((name for name in fields if before[name] != after[name]), None)
    if differing is None:
        return nothing
    old, new = before[differing], after[differing]
    if position["compare"] == FILE and differing == position["fields"][0]:
        old, new = _file(old), _file(new)
        return nothing if old is None or new is None or old[0] != new[0] else (_direction(old[1], new[1]), None, differing)
    if position["compare"] == TEXT and not is_int(old):
        old, new = _hex(old), _hex(new)
        return nothing if old is None or new is None or old and new and len(old) != len(new) else (_direction(old, new), None, differing)
    old, new = _number(old), _number(new)
    return nothing if old is None or new is None else (_direction(old, new), abs(new - old), differing)


def stays(position: dict, before: dict, after: dict) -> bool:
    """Is the position the same one? Of FIRST the field that decides counts alone."""
    fields = [name for name in position["fields"] + position.get("instead", []) if name in before or name in after]
    if position["compare"] == FIRST:
        fields = [name for name in fields if name in before and name in after][:1]
    return bool(fields) and all(name in before and name in after and before[name] == after[name] for name in fields)


def unmoved(position: dict, before: dict, after: dict):
    """The field that decides and stays as it is, while another one of the position changes; None where there is none."""
    if not any(before.get(name) != after.get(name) for name in position["fields"]):
        return None
    both = [name for name in position["fields"] if name in before and name in after]
    deciding = [name for name in position.get("instead", []) if name in before or name in after] + (both[:1] if position["compare"] == FIRST else [])
    return next((name for name in deciding if before.get(name) == after.get(name)), None)


def _direction(old, new) -> str:
    return NONE if old == new else FORWARD if new > old else BACKWARD


def _number(value):
    """The number that it is or spells; None where it does not."""
    return value if is_int(value) else int(value) if is_digits(value) else None


def _file(value):
    """(base, number) of the name of a log file."""
    match = _NUMBERED.fullmatch(value) if isinstance(value, str) else None
    return match and (match.group(1), int(match.group(2)))


def _hex(value):
    """A comparable text; null and the text NULL come before all others."""
    if value in (None, "NULL"):
        return ""
    value = value.lower() if isinstance(value, str) else ""
    return value if _HEX.fullmatch(value) else None
