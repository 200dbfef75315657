# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Protobuf schemas as a registry has them, texts of .proto files: the messages, and how a payload becomes JSON. Pure, but for to_json()."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from verify_replay import wire
from verify_replay.errors import JobError
from verify_replay.registry import Schema
from verify_replay.schemas import Fields, Kind
from verify_replay.wire import Field, Message

_TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.+-]+|[^\s\w]""", re.DOTALL)
#: types that every compiler brings along, and those of Confluent's converter
_BUILT_IN = """
package google.protobuf;
message Timestamp { int64 seconds = 1; int32 nanos = 2; }
message Duration { int64 seconds = 1; int32 nanos = 2; }
message DoubleValue { double value = 1; }
message FloatValue { float value = 1; }
message Int64Value { int64 value = 1; }
message UInt64Value { uint64 value = 1; }
message Int32Value { int32 value = 1; }
message UInt32Value { uint32 value = 1; }
message BoolValue { bool value = 1; }
message StringValue { string value = 1; }
message BytesValue { bytes value = 1; }
""", """
package confluent.type;
message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }
""", """
package google.type;
message Date { int32 year = 1; int32 month = 2; int32 day = 3; }
"""  # fmt: skip


class Protobuf(Fields):
    """A schema and those that it refers to."""

    def __init__(self, schema: Schema) -> None:
        messages: dict[str, Message] = {}
        for text in _BUILT_IN:
            _File(text, messages)
        for one in _referred(schema):
            _File(one.text, messages)
        own = _File(schema.text, messages)
        if not own.top:
            raise JobError("a Protobuf schema of the registry has no message")
        self._messages, self._top = messages, own.top

    def at(self, path: str) -> Any:
        """A message or a field. In any of the file's outermost messages: which one it is, each record says for itself."""
        found: Any = [self._messages[name] for name in self._top]
        for name in [] if path == "." else path.split("."):
            fields = [one for message in found for one in message.fields.values() if one.name == name]
            if not fields:
                return None
            found = [self._messages[one.kind] for one in fields if one.kind in self._messages] or [Message("")]
        return found

    def kind(self, path: str) -> Kind | None:
        """JSON has texts for times, dates and decimals."""
        return None

    def to_json(self, payload: Any) -> Any:
        """A Column: the payload as JSON text, NULL for bytes that are none."""
        return wire.column(self._messages, self._top, payload)


def _referred(schema: Schema) -> Iterator[Schema]:
    for one in schema.references.values():
        yield from _referred(one)
        yield one


class _File:
    """Reads one file; its messages and enums get into messages by their full names."""

    def __init__(self, text: str, messages: dict[str, Message]) -> None:
        self._tokens = [token for token in _TOKEN.findall(text) if not token.startswith(("//", "/*"))]
        self._at, self._all, self._package = 0, messages, ""
        self._implicit = '"proto2"' not in text.replace("'", '"')
        #: full names of its outermost messages, in their order, which the index of a record counts
        self.top: list[str] = []
        try:
            while self._at < len(self._tokens):
                self._outermost()
        except (IndexError, ValueError) as error:
            raise JobError("a Protobuf schema of the registry cannot be read") from error
        for name in list(messages):
            self._resolve(name)

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise ValueError(token)

    def _outermost(self) -> None:
        word = self._next()
        if word == "package":
            self._package = self._next()
        elif word in ("message", "enum"):
            found = self._message(self._package) if word == "message" else self._enum(self._package)
            if word == "message":
                self.top.append(found)
            return
        elif word == ";":
            return
        self._skip()

    def _skip(self) -> None:
        """To the end of a statement, or of its block."""
        depth = 0
        while True:
            word = self._next()
            depth += (word in "{[") - (word in "}]")
            if depth == 0 and word in ";}":
                return

    def _full(self, scope: str, name: str) -> str:
        return f"{scope}.{name}" if scope else name

    def _enum(self, scope: str) -> str:
        full = self._full(scope, self._next())
        found = self._all[full] = Message(full, is_enum=True)
        self._expect("{")
        while (word := self._next()) != "}":
            if word in ("option", "reserved"):
                self._skip()
            elif word != ";":
                self._expect("=")
                found.values.setdefault(int(self._next(), 0), word)
                self._skip()
        return full

    def _message(self, scope: str) -> str:
        full = self._full(scope, self._next())
        found = self._all[full] = Message(full)
        self._body(found)
        return full

    def _body(self, found: Message, is_one: bool = False) -> None:
        self._expect("{")
        while (word := self._next()) != "}":
            if word == "message":
                found.inner.append(self._message(found.name))
            elif word == "enum":
                self._enum(found.name)
            elif word == "oneof":
                self._next()
                self._body(found, is_one=True)
            elif word in ("option", "reserved", "extensions", "extend"):
                self._skip()
            elif word != ";":
                self._field(found, word, is_one)

    def _field(self, found: Message, word: str, is_one: bool) -> None:
        label = word if word in ("optional", "required", "repeated") else ""
        kind = self._next() if label else word
        pair: tuple[str, str] | None = None
        if kind == "map":
            self._expect("<")
            key, _comma, value, _end = (self._next() for _n in range(4))
            pair = (key, value)
        name = self._next()
        self._expect("=")
        number = int(self._next(), 0)
        self._skip()
        implicit = self._implicit and not label and not is_one
        if pair:
            entry = self._full(found.name, f"{name}.entry")
            self._all[entry] = Message(entry, {1: Field("key", pair[0], implicit=True), 2: Field("value", pair[1], implicit=True)})
            kind = entry
        found.fields[number] = Field(name, kind, label == "repeated" or bool(pair), bool(pair), implicit)

    def _resolve(self, name: str) -> None:
        """Full names in place of those that are relative to the message."""
        for number, one in self._all[name].fields.items():
            scopes = name.split(".")
            names = [one.kind[1:]] if one.kind.startswith(".") else [".".join([*scopes[:n], one.kind]) for n in range(len(scopes), -1, -1)]
            full = next((each for each in names if each in self._all), None)
            if full is not None:
                self._all[name].fields[number] = one._replace(kind=full)
