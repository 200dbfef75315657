# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How keys or values of records are read: JSON with and without a schema, Avro, Protobuf and JSON Schema of a registry, text, bytes.

Records of one topic can have several schemas. Each is known by a number: its id in the registry, or a hash of the schema beside the
payload.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import product
from operator import or_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.avro.functions import from_avro

from verify_replay import members, schemas
from verify_replay.compare import hashed, meant, space, uninterpreted
from verify_replay.errors import JobError
from verify_replay.members import Members
from verify_replay.registry import Registry
from verify_replay.schemas import DECODED, Fields, Kind

#: formats whose records begin with a byte 0 and the id of a schema
FRAMED = ("avro", "json_schema", "protobuf")
#: those whose fields are taken of a JSON text
_TEXTS = ("json", "connect_json", "json_schema", "protobuf")
WHOLE = "."
#: how a number is written that was a double; a text in which there may be one with too many digits for that
_DOUBLE, _MANY_DIGITS = r"^-?[0-9]+\.[0-9]+(E-?[0-9]+)?$", "[0-9.]{17}"
#: where a Debezium event has the row
_AFTER = "after"


class Decoder:
    """One side of the records. own: prefix for its columns, subject: under which the registry has the topic's schemas."""

    def __init__(self, side: str, form: str, own: str, registry: Registry | None, subject: str, unwrap: bool = False) -> None:
        self.side, self.form, self.own = side, form, own
        self._registry, self._subject, self._unwrap = registry, subject, unwrap
        self._known: dict[int, Fields] = {}
        #: of decoded columns, when records have been staged
        self._types: dict[int, T.DataType] = {}
        #: (schema, names that lead to it) -> an object whose members are decoded together, when records have been staged
        self._objects: dict[tuple[int | None, tuple[str, ...]], Members] = {}
        #: (schema, path in JSON) -> the column that has the text, when records have been staged
        self._texts: dict[tuple[int | None, str], str] = {}
        #: numbers of schemas that nobody knows
        self.unknown: set[int] = set()

    @property
    def has_schemas(self) -> bool:
        return self.form in FRAMED or self.form == "connect_json"

    # --- schemas

    def begin(self, few: Callable[[], DataFrame | None]) -> None:
        """Learn the schemas that are likely, so that one scan is enough. few: reads some records."""
        if self.form in FRAMED and self._registry:
            self._learn(self._registry.subject(self._subject))
        elif self.form == "connect_json":
            some = few()
            if some is not None:
                self._look_at(some, None)

    def learn(self, numbers: set[int], records: Callable[[], DataFrame | None]) -> bool:
        """Look for schemas that a scan has met and that were not known; whether one was found."""
        before, new = len(self._known), numbers - set(self._known) - self.unknown
        if self.form == "connect_json":
            again = records() if new else None
            if again is not None:
                self._look_at(again, new)
        else:
            self._learn(sorted(new))
        self.unknown |= new - set(self._known)
        return len(self._known) > before

    def _learn(self, numbers: list[int]) -> None:
        for number in numbers:
            found = self._registry.schema(number) if self._registry else None
            if found is not None:
                self._known[number] = schemas.of_registry(self.form, found, number)

    def _look_at(self, records: DataFrame, wanted: set[int] | None) -> None:
        found = records.select(self._computed_number().alias("n"), self._beside().alias("text")).where("text IS NOT NULL")
        if wanted is not None:
            found = found.where(F.col("n").isin(sorted(wanted)))
        for row in found.groupBy("n").agg(F.first("text").alias("text")).collect():
            schema = schemas.Connect.parsed(row["text"])
            if schema is not None:
                self._known[row["n"]] = schema

    def check(self, paths: list[str]) -> None:
        """JobError if no schema has one of the fields."""
        for path in paths if self._known else []:
            if not any(fields.has(self._inside(path)) for fields in self._known.values()):
                raise JobError(f"no schema of the {self.side}s has the field {self._inside(path)}")

    # --- columns of a scan

    def number(self) -> Column:
        """The number of a record's schema, NULL for one without; of records that have been staged."""
        return F.col(f"{self.own}{self.side}_n")

    def _computed_number(self) -> Column | None:
        value = F.col(self.side)
        if self.form == "connect_json":
            return F.when(self._beside().isNotNull(), F.xxhash64(self._beside()))
        if self.form in FRAMED:
            is_framed = (F.length(value) >= 5) & (F.substring(value, 1, 1) == F.unhex(F.lit("00")))
            return F.when(is_framed, F.conv(F.hex(F.substring(value, 2, 4)), 16, 10).cast("long"))
        return None

    def not_known(self) -> Column:
        """The number, if it is of no schema that is known."""
        found = self.number()
        return F.when(~found.isin(sorted(self._known)), found) if self._known else found

    def stage(self, records: DataFrame, paths: list[str]) -> DataFrame:
        """The records, with columns for what others are made of, so that it is made once of each record: the number of its schema, what
        each schema makes of it, the text of each field of JSON. paths: of all fields that are asked for."""
        if self.has_schemas:
            records = records.select("*", self._computed_number().alias(f"{self.own}{self.side}_n"))
        payload, decoded = F.expr(f"substring({self.side}, 6)"), {}
        if self.form == "avro":
            decoded = {number: self._decoded(number, payload) for number in self._known}
        elif self.form == "protobuf":
            decoded = {number: F.when(self.number() == number, fields.to_json(payload)) for number, fields in self._known.items()}
        staged = records.select("*", *(column.alias(self._column(number)) for number, column in decoded.items()))
        self._types = {number: staged.schema[self._column(number)].dataType for number in decoded}
        return self._with_texts(staged, paths) if self.form in _TEXTS else staged

    def _with_texts(self, records: DataFrame, paths: list[str]) -> DataFrame:
        inside = [self._inside(path) for path in paths] + ["op"] * self._unwrap
        wanted = list(dict.fromkeys(self._json_path(path) for path in inside if self.form != "json" or path != WHOLE))
        numbers = self._known if self.form == "protobuf" else [None]
        self._texts, self._objects, columns = {}, {}, {}
        for number, names in product(numbers, self._worth_a_pass(wanted)):
            column = f"{self.own}{self.side}_o{len(columns)}"
            self._objects[number, names] = Members(self._text(number), names, column)
            columns[column] = self._objects[number, names].parsed()
        staged = records.select("*", *(column.alias(name) for name, column in columns.items()))
        texts = {f"{self.own}{self.side}_t{at}": one for at, one in enumerate(product(numbers, wanted))}
        staged = staged.select("*", *(self._text_of(*one).alias(name) for name, one in texts.items()))
        self._texts = {one: name for name, one in texts.items()}
        return staged if self.form == "protobuf" else staged.select("*", self._is_there().alias(self._there))

    def _worth_a_pass(self, paths: list[str]) -> list[tuple[str, ...]]:
        """The names that lead to objects of which one pass says more than get_json_object() would: several members, or one and that the
        payload is JSON."""
        found = Counter(place[0] for place in map(members.split, paths) if place)
        several = [names for names, count in found.items() if count > 1]
        one = [names for names in found if len(names) >= self._depth] if self.form != "protobuf" else []
        return several or one[:1]

    def _decoded(self, number: int, payload: Column) -> Column:
        fields = self._known[number]
        options = {"mode": "PERMISSIVE", "avroSchema": json.dumps(fields.reader())}
        return F.when(self.number() == number, from_avro(payload, json.dumps(fields.writer), options))

    def whole(self) -> Column:
        """The key or value as text, as it is compared when no field is named: a JSON text without its quotes."""
        text = F.col(self.side).cast("string")
        if self.form == "json":
            return F.when(text.startswith('"'), F.get_json_object(text, "$")).otherwise(text)
        return text if self.form == "string" else F.col(self.side)

    def hash_of(self, path: str, kind: T.DataType, told: Kind | None = None) -> Column:
        """A hash of the value of a field. kind: of the table's column, told: what a plain value means, if the document says so."""
        common = self.type_of(path, kind, told)
        branches = None
        for number in self._numbers():
            raw, column, type_ = self._value(number, path, told)
            value = hashed(column, type_, common, raw.isNull())
            if number is None:
                return value
            branches = F.when(self.number() == number, value) if branches is None else branches.when(self.number() == number, value)
        # Of a record without this side, as hashed() says it of a NULL.
        nothing = F.xxhash64(F.lit(True))
        return nothing if branches is None else branches.otherwise(nothing)

    def type_of(self, path: str, kind: T.DataType, told: Kind | None = None) -> T.DataType:
        """The type in which a field and a column of the table are compared: that of the records only if all schemas agree."""
        types = {self._value(number, path, told)[2] for number in self._numbers()}
        types = {one for one in types if not isinstance(one, T.NullType)}
        return space(kind, types.pop() if len(types) == 1 else T.StringType())

    def is_null(self, path: str) -> Column:
        """Whether a key has no such field."""
        nulls = [self._mine(number, self._value(number, path, None)[1].isNull()) for number in self._numbers()]
        return _any([F.col(self.side).isNull(), *nulls])

    def undecoded(self, fields: list[tuple[str, T.DataType, Kind | None]]) -> Column:
        """Whether there is a key or value that cannot be read: without a schema that is known, not as its schema says, or with a
        value that cannot be interpreted. fields: path, type of the table's column, what a plain value means."""
        bad = [self._not_decoded(any(path != WHOLE for path, _kind, _told in fields))]
        for path, kind, told in fields:
            common = self.type_of(path, kind, told)
            for number in self._numbers():
                bad.append(self._mine(number, uninterpreted(*self._value(number, path, told), common)))
        return _any(bad)

    def _not_decoded(self, has_fields: bool) -> Column:
        if not self.has_schemas:
            text = F.col(self.side).cast("string")
            is_json = self.form == "json" and (has_fields or self._unwrap)
            return text.isNotNull() & ~F.col(self._there) if is_json else F.lit(False)
        return F.col(self.side).isNotNull() & ~_any(self._mine(number, self._is_decoded(number)) for number in self._known)

    def deleted(self) -> Column:
        """Whether the record says that there is no row: a tombstone, or of Debezium's events a delete."""
        gone = F.col(self.side).isNull()
        if not self._unwrap:
            return gone
        return _any([gone, *(self._mine(number, self._raw(number, "op")[0].cast("string") == "d") for number in self._numbers())])

    # --- single fields

    def _numbers(self) -> Iterator[int | None]:
        yield from (self._known if self.has_schemas else [None])

    def _mine(self, number: int | None, condition: Column) -> Column:
        """The condition, of records with this schema alone."""
        return condition if number is None else (self.number() == number) & condition

    def _inside(self, path: str) -> str:
        if not self._unwrap:
            return path
        return _AFTER if path == WHOLE else f"{_AFTER}.{path}"

    def _column(self, number: int) -> str:
        return f"{self.own}{self.side}_{number}".replace("-", "m")

    def _beside(self) -> Column:
        return F.get_json_object(F.col(self.side).cast("string"), "$.schema")

    def _value(self, number: int | None, path: str, told: Kind | None) -> tuple[Column, Column, T.DataType]:
        """What is written in a field, what it stands for, and the type of that."""
        column, found = self._raw(number, self._inside(path))
        kind = told or (self._known[number].kind(self._inside(path)) if number is not None else None)
        if kind is None or isinstance(found, T.NullType):
            return column, column, found
        return column, *meant(column, kind, self._is_text(path) if kind.name == "decimal" else None)

    def _raw(self, number: int | None, path: str) -> tuple[Column, T.DataType]:
        """What is written in a field, and its type: text for JSON."""
        if self.form == "avro" and number is not None:
            return self._of_struct(F.col(self._column(number)), self._types[number], path, self._known[number])
        if self.form in ("string", "bytes") or (path == WHOLE and self.form == "json"):
            return self.whole(), T.BinaryType() if self.form == "bytes" else T.StringType()
        return self._text_of(number, self._json_path(path)), T.StringType()

    @staticmethod
    def _of_struct(column: Column, kind: T.DataType, path: str, fields: Fields) -> tuple[Column, T.DataType]:
        for name in [] if path == WHOLE else path.split("."):
            if not isinstance(kind, T.StructType) or name not in kind.names:
                return F.lit(None).cast("string"), T.NullType()
            column, kind = column.getField(name), kind[name].dataType
        return column, kind

    def _text(self, number: int | None) -> Column:
        if self.form == "protobuf":
            return F.col(self._column(number))
        if self.form == "json_schema":
            return F.expr(f"substring({self.side}, 6)").cast("string")
        return F.col(self.side).cast("string")

    def _text_of(self, number: int | None, path: str) -> Column:
        """What is written at a path of JSON."""
        number = number if self.form == "protobuf" else None
        staged, place = self._texts.get((number, path)), members.split(path)
        if staged:
            return F.col(staged)
        if place and (number, place[0]) in self._objects:
            found = self._objects[number, place[0]].get(place[1])
        else:
            found = F.get_json_object(self._text(number), path)
        return self._exact(found, self._text(number), path) if place else found

    @staticmethod
    def _exact(found: Column, text: Column, path: str) -> Column:
        """found: a number with a fraction, or a power of ten, is what a double makes of it. One with more digits than a double has is
        taken from the text once more, with up to 38 digits."""
        is_double = F.contains(found, F.lit(".")) & found.rlike(_DOUBLE) & text.rlike(_MANY_DIGITS)
        exact = F.try_variant_get(F.try_parse_json(text), path, "string")
        return F.when(is_double, F.coalesce(exact, found)).otherwise(found)

    @property
    def _there(self) -> str:
        """The column that says whether all of a JSON payload is there and can be parsed, when records have been staged."""
        return f"{self.own}{self.side}_j"

    @property
    def _depth(self) -> int:
        """How many names lead to the payload of a JSON text."""
        return self._json_path(WHOLE).count(".")

    def _is_there(self) -> Column:
        """What that column holds. To have parsed an object in the payload is enough."""
        parsed = [one.reached(self._depth) for (_number, names), one in self._objects.items() if len(names) >= self._depth]
        return _any([*parsed, self._text_of(None, self._json_path(WHOLE)).isNotNull()])

    def _json_path(self, path: str) -> str:
        root = "$.payload" if self.form == "connect_json" else "$"
        return root if path == WHOLE else f"{root}.{path}"

    def _is_text(self, path: str) -> Column | None:
        """Whether a JSON value is a text: decimals are either numbers, or bytes in base64."""
        if self.form not in ("connect_json", "json_schema"):
            return None
        node = F.try_variant_get(F.try_parse_json(self._text(None)), self._json_path(self._inside(path)), "variant")
        return F.schema_of_variant(node) == "STRING"

    def _is_decoded(self, number: int) -> Column:
        column = F.col(self._column(number))
        if self.form == "avro":
            return column.getField(DECODED).isNotNull() if self._known[number].is_record else column.isNotNull()
        if self.form == "protobuf":
            return column.isNotNull()
        return F.col(self._there)


def _any(conditions: Iterable[Column]) -> Column:
    """Whether one of them holds; one that is NULL does not."""
    return reduce(or_, (F.coalesce(one, F.lit(False)) for one in conditions), F.lit(False))
