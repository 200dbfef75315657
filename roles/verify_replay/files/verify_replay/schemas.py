# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What schemas say of the fields of a record: which there are, and what a plain number or text in one means. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verify_replay.errors import JobError
from verify_replay.registry import Schema

#: the field that a reader's schema adds: it has a value in each record that could be decoded
DECODED = "verify_replay_decoded"


@dataclass(frozen=True)
class Kind:
    """What a number or a text means: millis, micros, nanos, seconds (since 1970), days, base64, or decimal (bytes, as base64 in JSON)."""

    name: str
    scale: int = 0


#: logical types of Connect and Debezium that are a plain number in the record
_NAMED = {
    "org.apache.kafka.connect.data.Timestamp": Kind("millis"),
    "org.apache.kafka.connect.data.Date": Kind("days"),
    "io.debezium.time.Timestamp": Kind("millis"),
    "io.debezium.time.MicroTimestamp": Kind("micros"),
    "io.debezium.time.NanoTimestamp": Kind("nanos"),
    "io.debezium.time.Date": Kind("days"),
}
_DECIMAL = "org.apache.kafka.connect.data.Decimal"


def _kind(name: str | None, parameters: dict[str, Any] | None) -> Kind | None:
    if name == _DECIMAL:
        scale = str(parameters.get("scale", 0)) if isinstance(parameters, dict) else "0"
        return Kind("decimal", int(scale) if scale.isdecimal() else 0)
    return _NAMED.get(name) if isinstance(name, str) else None


class Fields:
    """The fields of a record with a schema."""

    def has(self, path: str) -> bool:
        return self.at(path) is not None

    def at(self, path: str) -> Any:
        """The schema at a path such as customer.name, "." is the whole; None if there is no such field."""
        raise NotImplementedError

    def kind(self, path: str) -> Kind | None:
        """What a plain value there means; None: what it is."""
        raise NotImplementedError


class Avro(Fields):
    """An Avro schema, with those that it refers to put in."""

    def __init__(self, schema: Schema) -> None:
        known = dict(_definitions(schema))
        self.writer = _put_in(_loaded(schema), known, set(), "")
        self._named = dict(_names(self.writer, ""))

    @property
    def is_record(self) -> bool:
        return isinstance(self.writer, dict) and self.writer.get("type") == "record"

    def reader(self) -> Any:
        """The writer's schema and the field DECODED. Spark gives a record of nulls for bytes that it cannot decode."""
        if not self.is_record:
            return self.writer
        flag = {"name": DECODED, "type": "boolean", "default": True}
        return {**self.writer, "fields": [*self.writer["fields"], flag]}

    def at(self, path: str) -> Any:
        found = self._plain(self.writer)
        for name in [] if path == "." else path.split("."):
            fields = found.get("fields", []) if isinstance(found, dict) else []
            found = next((self._plain(one["type"]) for one in fields if one["name"] == name), None)
        return found

    def kind(self, path: str) -> Kind | None:
        found = self.at(path)
        # Spark understands the logical types of Avro itself.
        if not isinstance(found, dict) or found.get("logicalType"):
            return None
        kind = _kind(found.get("connect.name"), None)
        return kind if kind and kind.name != "decimal" else None

    def _plain(self, schema: Any) -> Any:
        """Without null, and with a name's definition."""
        if isinstance(schema, list):
            others = [one for one in schema if one != "null"]
            return self._plain(others[0]) if len(others) == 1 else schema
        if isinstance(schema, str) and schema in self._named:
            return self._named[schema]
        if isinstance(schema, dict) and isinstance(schema.get("type"), dict | list):
            return self._plain(schema["type"])
        return schema


def _loaded(schema: Schema) -> Any:
    try:
        return json.loads(schema.text)
    except ValueError:
        return schema.text  # the name of a type, such as string, without quotes


def _full(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


def _names(schema: Any, namespace: str) -> Iterator[tuple[str, Any]]:
    """(full name, definition) of all named types of an Avro schema."""
    if isinstance(schema, list):
        for one in schema:
            yield from _names(one, namespace)
    elif isinstance(schema, dict):
        if "name" in schema and "type" in schema:
            full = _full(schema["name"], schema.get("namespace", namespace))
            namespace = full.rpartition(".")[0]
            yield full, schema
            yield full.rpartition(".")[2], schema
        for one in schema.get("fields") or []:
            yield from _names(one["type"], namespace)
        for key in ("items", "values", "type"):
            if isinstance(schema.get(key), dict | list):
                yield from _names(schema[key], namespace)


def _definitions(schema: Schema) -> Iterator[tuple[str, Any]]:
    """Named types of all schemas that it refers to."""
    for one in schema.references.values():
        yield from _definitions(one)
        yield from _names(_loaded(one), "")


def _put_in(schema: Any, known: dict[str, Any], done: set[str], namespace: str) -> Any:
    """The schema with the definition of each known name where it is used first."""
    if isinstance(schema, str):
        full = next((name for name in (_full(schema, namespace), schema) if name in known), None)
        if full is None or full in done:
            return schema
        return _put_in(known[full], known, done, full.rpartition(".")[0])
    if isinstance(schema, list):
        return [_put_in(one, known, done, namespace) for one in schema]
    found = dict(schema)
    if "name" in found and "type" in found:
        full = _full(found["name"], found.get("namespace", namespace))
        namespace = full.rpartition(".")[0]
        done |= {full, full.rpartition(".")[2]}
        if namespace:
            found["namespace"] = namespace
    if "fields" in found:
        found["fields"] = [{**one, "type": _put_in(one["type"], known, done, namespace)} for one in found["fields"]]
    for key in ("items", "values"):
        if key in found:
            found[key] = _put_in(found[key], known, done, namespace)
    if isinstance(found.get("type"), dict | list):
        found["type"] = _put_in(found["type"], known, done, namespace)
    return found


class Connect(Fields):
    """The schema that Connect's JsonConverter writes beside the payload."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema

    @classmethod
    def parsed(cls, text: str) -> Connect | None:
        """None for what cannot be a schema: a record may have a field of that name that is something else."""
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return cls(found) if isinstance(found, dict) else None

    def at(self, path: str) -> Any:
        found: Any = self._schema
        for name in [] if path == "." else path.split("."):
            fields = found.get("fields") if found else None
            objects = [one for one in fields if isinstance(one, dict)] if isinstance(fields, list) else []
            found = next((one for one in objects if one.get("field") == name), None)
        return found

    def kind(self, path: str) -> Kind | None:
        found = self.at(path) or {}
        plain = Kind("base64") if found.get("type") == "bytes" else None
        return _kind(found.get("name"), found.get("parameters")) or plain


class JsonSchema(Fields):
    """A JSON Schema, as Connect's converter for it writes one."""

    def __init__(self, schema: Schema) -> None:
        self._schema = _loaded(schema)
        self._references = {name: _loaded(one) for name, one in schema.references.items()}

    def has(self, path: str) -> bool:
        """A JSON record may have fields that its schema does not name."""
        return True

    def at(self, path: str) -> Any:
        found = self._plain(self._schema)
        for name in [] if path == "." else path.split("."):
            found = self._plain((found or {}).get("properties", {}).get(name))
        return found

    def kind(self, path: str) -> Kind | None:
        found = self.at(path) or {}
        return _kind(found.get("title"), found.get("connect.parameters"))

    def _plain(self, schema: Any) -> Any:
        """Without null, and where a reference leads to."""
        if not isinstance(schema, dict):
            return None
        if "$ref" in schema:
            return self._plain(self._referred(schema["$ref"]))
        for key in ("oneOf", "anyOf"):
            others = [one for one in schema.get(key) or [] if one.get("type") != "null"]
            if len(others) == 1:
                return self._plain(others[0])
        return schema

    def _referred(self, name: str) -> Any:
        document, _hash, pointer = name.partition("#")
        found = self._references.get(document) if document else self._schema
        for step in filter(None, pointer.split("/")):
            found = found.get(step) if isinstance(found, dict) else None
        return found


def of_registry(form: str, schema: Schema, number: int) -> Fields:
    """form: avro, json_schema or protobuf, as the check says; JobError if the registry has something else under that id."""
    kinds = {"avro": "AVRO", "json_schema": "JSON", "protobuf": "PROTOBUF"}
    if schema.kind != kinds[form]:
        raise JobError(f"the schema with id {number} is of type {schema.kind}, the check says {form}")
    if form == "protobuf":
        from verify_replay.protobuf import Protobuf

        return Protobuf(schema)
    return Avro(schema) if form == "avro" else JsonSchema(schema)
