# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Protobuf's wire format -> JSON text. Runs on executors, as the only Python of this job; it needs nothing but Python there."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple


class Field(NamedTuple):
    """implicit: a value that is not there is the default of its type, not null."""

    name: str
    kind: str
    repeated: bool = False
    is_map: bool = False
    implicit: bool = False


@dataclass
class Message:
    """A message with its fields by number, or an enum with its names by number. inner: nested messages, in their order."""

    name: str
    fields: dict[int, Field] = field(default_factory=dict)
    values: dict[int, str] = field(default_factory=dict)
    inner: list[str] = field(default_factory=list)
    is_enum: bool = False


_FIXED = {"double": "<d", "float": "<f", "fixed64": "<Q", "sfixed64": "<q", "fixed32": "<I", "sfixed32": "<i"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: of decimals; more would only be a text of many zeros
_MAX_SCALE = 1000
_VARINTS = ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool")


def column(messages: dict[str, Message], top: list[str], payload: Any) -> Any:
    """A Column of JSON texts; NULL where the payload is not a message."""
    from pyspark import cloudpickle
    from pyspark.sql import functions as F

    import verify_replay.wire as here

    # Executors do not have this package: they get the code with the function.
    cloudpickle.register_pickle_by_value(here)
    return F.udf(decoder(messages, top), "string", useArrow=False)(payload)


def decoder(messages: dict[str, Message], top: list[str]) -> Callable[[bytes | None], str | None]:
    """What turns what follows the schema's id into JSON: the index of the message, and the message."""

    def decode(payload: bytes | None) -> str | None:
        if payload is None:
            return None
        try:
            name, at = _index(bytes(payload), messages, top)
            return json.dumps(_message(bytes(payload[at:]), messages[name], messages), allow_nan=False)
        except (ValueError, LookupError, struct.error, ArithmeticError, RecursionError):
            return None

    return decode


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        byte = data[at]
        at += 1
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return found & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise ValueError("no varint")


def _zigzag(number: int) -> int:
    return (number >> 1) ^ -(number & 1)


def _index(data: bytes, messages: dict[str, Message], top: list[str]) -> tuple[str, int]:
    """Which message it is: a count and the place on each level; a count of 0 is the first one."""
    count, at = _varint(data, 0)
    names, name = top, top[0]
    for _level in range(_zigzag(count)):
        place, at = _varint(data, at)
        name = names[_zigzag(place)]
        names = messages[name].inner
    return name, at


def _parts(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """(number of the field, wire type, raw value)."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = _varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value, at = data[at : at + size], at + size
        elif wire == 2:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            raise ValueError("a wire type that is not in use")
        if at > len(data) or not number:
            raise ValueError("cut off")
        yield number, wire, value


def _message(data: bytes, kind: Message, messages: dict[str, Message]) -> Any:
    found: dict[str, Any] = {}
    for number, wire, raw in _parts(data):
        one = kind.fields.get(number)
        if one is None:
            continue
        values = list(_values(raw, wire, one, messages))
        if one.repeated:
            found.setdefault(one.name, []).extend(values)
        elif values:
            found[one.name] = values[-1]
    for one in kind.fields.values():
        if one.is_map:
            found[one.name] = {str(entry["key"]): entry["value"] for entry in found.get(one.name, [])}
        elif one.repeated:
            found.setdefault(one.name, [])
        elif one.implicit and one.name not in found:
            found[one.name] = _default(one.kind, messages)
    return _known(kind.name, found)


def _default(kind: str, messages: dict[str, Message]) -> Any:
    if kind in messages:
        return messages[kind].values.get(0) if messages[kind].is_enum else None
    return {"string": "", "bytes": "", "bool": False, "double": 0.0, "float": 0.0}.get(kind, 0)


def _values(raw: Any, wire: int, one: Field, messages: dict[str, Message]) -> Iterator[Any]:
    """One value, or those of a packed field."""
    kind = messages.get(one.kind)
    if kind is not None and not kind.is_enum:
        if wire != 2:
            raise ValueError("no message")
        yield _message(raw, kind, messages)
    elif wire == 2 and one.kind in ("string", "bytes"):
        yield raw.decode() if one.kind == "string" else base64.b64encode(raw).decode()
    elif wire == 2:
        at = 0
        while at < len(raw):
            if one.kind in _FIXED:
                size = struct.calcsize(_FIXED[one.kind])
                piece, at = raw[at : at + size], at + size
            else:
                piece, at = _varint(raw, at)
            yield _scalar(piece, one.kind, kind)
    else:
        yield _scalar(raw, one.kind, kind)


def _scalar(raw: Any, kind: str, enum: Message | None) -> Any:
    if kind in _FIXED:
        found = struct.unpack(_FIXED[kind], raw)[0]
        # JSON has no number for these: Protobuf's JSON, and Spark, write them as texts.
        return found if math.isfinite(found) else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(found, "NaN")
    if kind not in _VARINTS and enum is None or not isinstance(raw, int):
        raise ValueError("another type")
    if kind == "bool":
        return bool(raw)
    if kind.startswith("sint"):
        return _zigzag(raw)
    if kind.startswith("uint"):
        return raw
    signed = raw - (1 << 64) if raw >> 63 else raw
    return enum.values.get(signed, str(signed)) if enum else signed


def _known(name: str, found: dict[str, Any]) -> Any:
    """What Connect's converter makes of well-known messages."""
    if name == "google.protobuf.Timestamp":
        # Whole microseconds: that is what tables keep.
        micros = found["seconds"] * 1_000_000 + found["nanos"] // 1000
        return (_EPOCH + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")
    if name == "google.type.Date":
        return date(found["year"], found["month"], found["day"]).isoformat()
    if name == "confluent.type.Decimal":
        unscaled = int.from_bytes(base64.b64decode(found["value"]), "big", signed=True)
        if abs(found["scale"]) > _MAX_SCALE:
            raise ValueError("no decimal")
        # Exactly: arithmetic would round to the digits of a context.
        return format(Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -found["scale"])), "f")
    if name.startswith("google.protobuf.") and name.endswith("Value"):
        return found["value"]
    return found
