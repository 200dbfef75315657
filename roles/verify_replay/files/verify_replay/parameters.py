# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parameters of each type of check: what they may be and what they are when left out. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from verify_replay.errors import ExpectationError

Reader = Callable[[Any, str], Any]
REQUIRED = object()

BEFORE = "before"
AFTER = "after"
ALL = "all"
BY = ("payload", "value", "key")


def integer(value: Any, path: str, low: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ExpectationError(path, f"must be a whole number, not {value!r}")
    if value < low:
        raise ExpectationError(path, f"must be {low} or more, not {value}")
    return value


def text(value: Any, path: str) -> str:
    if not isinstance(value, str) or not value:
        raise ExpectationError(path, f"must be a text that is not empty, not {value!r}")
    return value


def mapping(value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ExpectationError(path, f"must be a dictionary, not {type(value).__name__}")
    return value


def partition(name: str, path: str) -> int:
    if not re.fullmatch(r"0|[1-9][0-9]{0,5}", name):
        raise ExpectationError(path, f"{name!r} is not the number of a partition")
    return int(name)


def _boolean(value: Any, path: str) -> bool:
    if not isinstance(value, bool):
        raise ExpectationError(path, f"must be true or false, not {value!r}")
    return value


def _ratio(value: Any, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ExpectationError(path, f"must be a number from 0 to 1, not {value!r}")
    return float(value)


def _choice(*allowed: str) -> Reader:
    def read(value: Any, path: str) -> str:
        if value not in allowed:
            raise ExpectationError(path, f"must be one of {', '.join(allowed)}, not {value!r}")
        return value

    return read


def _ranges(value: Any, path: str) -> dict[int, tuple[int, int]]:
    """{"0": {"start": 10, "end": 20}}: the half-open range [10, 20) of partition 0."""
    ranges = {}
    for name, entry in mapping(value, path).items():
        here = f"{path}.{name}"
        unknown = sorted(set(mapping(entry, here)) - {"start", "end"})
        if unknown:
            raise ExpectationError(f"{here}.{unknown[0]}", "is not known here; start and end are")
        if len(entry) != 2:
            raise ExpectationError(here, "needs start and end")
        start, end = integer(entry["start"], f"{here}.start"), integer(entry["end"], f"{here}.end")
        if start > end:
            raise ExpectationError(here, f"start {start} lies behind end {end}")
        ranges[partition(name, here)] = (start, end)
    if not ranges:
        raise ExpectationError(path, "names no partition; leave it out to mean all that was there before")
    return ranges


def _offsets(value: Any, path: str) -> dict[int, list[int]]:
    offsets = {}
    for name, listed in mapping(value, path).items():
        here = f"{path}.{name}"
        if not isinstance(listed, list) or not listed:
            raise ExpectationError(here, "must be a list of offsets that is not empty")
        offsets[partition(name, here)] = [integer(offset, f"{here}[{index}]") for index, offset in enumerate(listed)]
    return offsets


def _digests(value: Any, path: str) -> list[str]:
    if not isinstance(value, list):
        raise ExpectationError(path, "must be a list of SHA-256 digests")
    for index, digest in enumerate(value):
        if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-fA-F]{64}", digest):
            raise ExpectationError(f"{path}[{index}]", "must be the 64 hexadecimal digits of a SHA-256 digest")
    return [digest.lower() for digest in value]


def _columns(value: Any, path: str) -> dict[str, tuple[str, str | None]]:
    """Column -> (field, what a plain number in it means). A text is the field alone."""
    found: dict[str, tuple[str, str | None]] = {}
    for name, field in mapping(value, path).items():
        here = f"{path}.{name}"
        if not isinstance(field, dict):
            found[text(name, path)] = (json_path(field, here), None)
            continue
        for key in field:
            if key not in ("field", "as"):
                raise ExpectationError(f"{here}.{key}", "is not known here; field and as are")
        found[text(name, path)] = (json_path(field.get("field"), f"{here}.field"), field.get("as") and _as(field["as"], f"{here}.as"))
    return found


def json_path(value: Any, path: str) -> str:
    """A field of a record, such as amount or payload.amount; . is the whole."""
    if value == ".":
        return value
    if not re.fullmatch(r"[^.'\[\]*$\s]+(\.[^.'\[\]*$\s]+)*", text(value, path)):
        raise ExpectationError(path, f"{value!r} is not the path of a field, such as amount or payload.amount")
    return value


_by = _choice(*BY)
_part = _choice(BEFORE, AFTER, ALL)
_as = _choice("seconds", "millis", "micros", "nanos", "days", "base64")
_format = _choice("json", "connect_json", "avro", "protobuf", "json_schema", "string", "bytes")

# type -> parameter -> (reader, value when left out)
PARAMETERS: dict[str, dict[str, tuple[Reader, Any]]] = {
    "replayed": {
        "ranges": (_ranges, None),
        "min_ratio": (_ratio, 1.0),
        "by": (_by, "payload"),
        "distinct": (_boolean, None),
    },
    "not_replayed": {"ranges": (_ranges, None), "max": (integer, 0), "by": (_by, "payload")},
    "count": {"min": (integer, None), "max": (integer, None)},
    "keys_present": {"ranges": (_ranges, None), "max_missing": (integer, 0)},
    "duplicates": {"max": (integer, 0), "by": (_by, "payload")},
    "gaps": {
        "part": (_part, ALL),
        "max_unexplained": (integer, 0),
        "marker_run": (integer, 1),
        "compacted": (_boolean, None),
    },
    "nulls": dict.fromkeys(("min_null_keys", "max_null_keys", "min_tombstones", "max_tombstones"), (integer, None)),
    "poison_gone": {"offsets": (_offsets, None), "sha256": (_digests, None), "by": (_by, "payload")},
    "mirror": {
        "source": (text, REQUIRED),
        "source_part": (_part, ALL),
        "target_part": (_part, AFTER),
        "same_partitions": (_boolean, True),
        "by": (_by, "payload"),
        "max_missing": (integer, 0),
        "max_extra": (integer, 0),
        "max_repeated": (integer, 0),
    },
    "sink": {
        "table": (text, REQUIRED),
        "mode": (_choice("upsert", "append"), "upsert"),
        "delivery": (_choice("once", "at_least_once"), "once"),
        "key_column": (text, None),
        "key_field": (json_path, None),
        "columns": (_columns, {}),
        "partition_column": (text, None),
        "offset_column": (text, None),
        "key_format": (_format, "json"),
        "value_format": (_format, "json"),
        "registry": (text, None),
        "key_subject": (text, None),
        "value_subject": (text, None),
        "unwrap": (_choice("debezium"), None),
        "part": (_part, ALL),
        **dict.fromkeys(("max_missing", "max_extra", "max_different", "max_repeated"), (integer, 0)),
        "show_keys": (_boolean, False),
    },
    "progress": {
        "connector": (text, REQUIRED),
        "field": (json_path, None),
        "max_backwards": (integer, 0),
        "max_tombstones": (integer, 0),
        "max_still": (integer, 0),
    },
}

# Of these parameters at least one has to be there, or the check would say nothing.
_ONE_OF = {
    "count": ("min", "max"),
    "nulls": tuple(PARAMETERS["nulls"]),
    "poison_gone": ("offsets", "sha256"),
}


def read_parameters(kind: str, given: dict[str, Any], path: str) -> dict[str, Any]:
    """All parameters of a check, read and completed."""
    known = PARAMETERS[kind]
    for name in given:
        if name not in known:
            raise ExpectationError(f"{path}.{name}", f"is not known to a check of type {kind}; {', '.join(known)} are")
    values = {}
    for name, (reader, default) in known.items():
        if given.get(name) is not None:
            values[name] = reader(given[name], f"{path}.{name}")
        elif default is REQUIRED:
            raise ExpectationError(f"{path}.{name}", f"is missing; a check of type {kind} needs it")
        else:
            values[name] = default
    needed = _ONE_OF.get(kind, ())
    if needed and not any(values[name] is not None and values[name] != {} and values[name] != [] for name in needed):
        raise ExpectationError(path, f"a check of type {kind} needs one of {', '.join(needed)}")
    _refuse_crossed(values, path)
    if kind == "sink":
        _refuse_sink(values, path)
    return values


def _refuse_sink(values: dict[str, Any], path: str) -> None:
    """What makes no sense together in a check of a sink."""
    for side in ("key", "value"):
        if values[f"{side}_format"] in ("avro", "protobuf", "json_schema") and values["registry"] is None:
            raise ExpectationError(f"{path}.registry", f"is missing; {side}_format {values[f'{side}_format']} needs it")
    form = values["value_format"]
    if form in ("string", "bytes"):
        for name, (field, _as_what) in values["columns"].items():
            if field != ".":
                raise ExpectationError(f"{path}.columns.{name}", f"a value of the format {form} has no fields; . is the whole")
        if values["unwrap"]:
            raise ExpectationError(f"{path}.unwrap", f"is not for values of the format {form}")
    if values["mode"] == "upsert" and values["key_column"] is None:
        raise ExpectationError(f"{path}.key_column", "is missing; mode upsert needs it")
    if (values["partition_column"] is None) != (values["offset_column"] is None):
        raise ExpectationError(path, "partition_column and offset_column belong together")
    if values["mode"] == "append" and not (values["columns"] or values["key_column"] or values["offset_column"]):
        raise ExpectationError(path, "mode append needs columns, or partition_column and offset_column, to find a record by")
    _refuse_unread(values, path)


def _refuse_unread(values: dict[str, Any], path: str) -> None:
    """Parameters of a sink that its other parameters leave without an effect: who gives them expects one."""
    upsert = values["mode"] == "upsert"
    unread = {
        **dict.fromkeys(
            ("delivery", "max_repeated", "partition_column", "offset_column"), upsert and "has an effect with mode append only"
        ),
        "show_keys": not upsert and "has an effect with mode upsert only: append does not look for rows by their key",
        "max_different": not upsert and values["offset_column"] is None and "has an effect in mode append with offset_column only",
    }
    if not upsert and values["delivery"] == "at_least_once":
        unread["max_repeated"] = "has no effect with delivery at_least_once, which allows any number"
    if values["key_column"] is None:
        unread["key_field"] = "has no effect without key_column"
    elif values["key_format"] in ("string", "bytes"):
        unread["key_field"] = values["key_field"] != "." and f"has no effect: a key of the format {values['key_format']} has no fields"
    for name, why in unread.items():
        if why and values[name] != PARAMETERS["sink"][name][1]:
            raise ExpectationError(f"{path}.{name}", why)


def _refuse_crossed(values: dict[str, Any], path: str) -> None:
    for name, low in values.items():
        high = values.get(name.replace("min", "max", 1)) if name.startswith("min") and name != "min_ratio" else None
        if low is not None and high is not None and low > high:
            raise ExpectationError(path, f"{name} {low} is more than {name.replace('min', 'max', 1)} {high}")
