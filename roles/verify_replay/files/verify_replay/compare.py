# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a record and of a table, made comparable: the same number for what means the same."""

from __future__ import annotations

from functools import reduce
from operator import and_

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.avro.functions import from_avro

from verify_replay.schemas import Kind

_WIDE = "decimal(38,9)"
_SPACES = {
    **dict.fromkeys((T.ByteType, T.ShortType, T.IntegerType, T.LongType), _WIDE),
    T.FloatType: "float",
    T.DoubleType: "double",
    T.BooleanType: "boolean",
    T.DateType: "date",
}
_NESTED = T.StructType | T.ArrayType | T.MapType
#: the field in which from_json() puts a text that it could not read completely
_CORRUPT = "corrupt"


def canonical(column: Column, found: T.DataType, kind: T.DataType, is_null: Column) -> Column:
    """The same for the value of a field and for the column of the table, if they mean the same: the type of the table decides.

    What cannot be converted is compared as text: two such values are equal only if their texts are.
    """
    if isinstance(kind, T.TimestampType | T.TimestampNTZType):
        same = [_micros(column, found)]
    elif isinstance(kind, T.BinaryType):
        same = [F.hex(column)]
    elif isinstance(kind, T.DecimalType):
        # The second one has the digits that the first one has no place for.
        exact = [f"decimal(38,{kind.scale})"] if kind.scale > 9 or kind.precision - kind.scale > 29 else []
        same = [column.try_cast(one) for one in (_WIDE, *exact)]
    else:
        same = [column.try_cast(_SPACES.get(type(kind), "string"))]
    failed = reduce(and_, (one.isNull() for one in same))
    return F.xxhash64(is_null, *same, F.when(failed, column.cast("string")))


def _micros(column: Column, found: T.DataType) -> Column:
    """Microseconds since 1970. A time is not taken through a text: in a zone with summer time two times can have the same one."""
    if isinstance(found, T.TimestampType):
        return F.unix_micros(column)
    if isinstance(found, T.TimestampNTZType | T.DateType):
        return F.unix_micros(column.cast("timestamp"))
    # Connect writes milliseconds, or ISO 8601.
    text = column.cast("string")
    return F.coalesce(F.try_multiply(text.try_cast("bigint"), F.lit(1000)), F.unix_micros(text.try_cast("timestamp")))


def nested(column: Column, found: T.DataType, kind: T.DataType, is_null: Column) -> Column:
    """The same for a struct, an array or a map. found: of the column, a text holds JSON."""
    # Into the table's type and out again: the order of fields and the form of numbers are the table's.
    return F.xxhash64(is_null, F.to_json(_sorted(_parsed(column, found, kind)["v"], kind)))


def _parsed(column: Column, found: T.DataType, kind: T.DataType) -> Column:
    """v: the value in the type of the table; _CORRUPT: not NULL if it does not fit into it."""
    text = column if isinstance(found, T.StringType | T.NullType) else F.to_json(column)
    whole = T.StructType([T.StructField("v", kind), T.StructField(_CORRUPT, T.StringType())])
    return F.from_json(F.concat(F.lit('{"v":'), text, F.lit("}")), whole, {"columnNameOfCorruptRecord": _CORRUPT})


def _sorted(column: Column, kind: T.DataType) -> Column:
    """With the entries of maps sorted by their keys."""
    if isinstance(kind, T.MapType):

        def entry(one: Column) -> Column:
            return F.struct(one["key"].alias("key"), _sorted(one["value"], kind.valueType).alias("value"))

        return F.array_sort(F.transform(F.map_entries(column), entry))
    if isinstance(kind, T.ArrayType) and _has_map(kind):
        return F.transform(column, lambda one: _sorted(one, kind.elementType))
    if isinstance(kind, T.StructType) and _has_map(kind):
        fields = [_sorted(column.getField(one.name), one.dataType).alias(one.name) for one in kind.fields]
        return F.when(column.isNotNull(), F.struct(*fields))
    return column


def _has_map(kind: T.DataType) -> bool:
    if isinstance(kind, T.StructType):
        return any(_has_map(one.dataType) for one in kind.fields)
    return isinstance(kind, T.MapType) or isinstance(kind, T.ArrayType) and _has_map(kind.elementType)


def hashed(column: Column, found: T.DataType, kind: T.DataType, is_null: Column | None = None) -> Column:
    """canonical() or nested(). found: the type of the column; is_null: whether there is no value, if the column does not say it."""
    how = nested if isinstance(kind, _NESTED) else canonical
    return how(column, found, kind, column.isNull() if is_null is None else is_null)


def uninterpreted(raw: Column, column: Column, found: T.DataType, kind: T.DataType) -> Column:
    """Whether a value is there that cannot be read as its schema, the document or a nested type of the table says.

    raw: what is written, column: what was made of it, of the type found; kind: in which it is compared.
    """
    failed = raw.isNotNull() & column.isNull()
    if not isinstance(kind, _NESTED):
        return failed
    parsed = _parsed(column, found, kind)
    return failed | column.isNotNull() & (parsed["v"].isNull() | parsed[_CORRUPT].isNotNull())


def space(kind: T.DataType, found: T.DataType) -> T.DataType:
    """The type in which both are compared: the table's; but of a table that has texts only, that of the record."""
    return found if isinstance(kind, T.StringType) and not isinstance(found, T.BinaryType | _NESTED) else kind


def meant(column: Column, kind: Kind, is_text: Column | None = None) -> tuple[Column, T.DataType]:
    """The value that a number or a text stands for, and its type. is_text: whether a decimal in JSON is a text, not a number."""
    number = column.try_cast("bigint")
    if kind.name == "days":
        return F.date_from_unix_date(number.try_cast("int")), T.DateType()
    if kind.name == "base64":
        return F.try_to_binary(column, F.lit("base64")), T.BinaryType()
    if kind.name == "decimal":
        decimal = T.DecimalType(38, min(kind.scale, 38))
        bytes_of = _decimal(F.try_to_binary(column, F.lit("base64")), decimal.scale)
        plain = column.try_cast(decimal)
        return (bytes_of if is_text is None else F.when(is_text, bytes_of).otherwise(plain)), decimal
    factors = {"seconds": 1_000_000, "millis": 1000}
    if kind.name in factors:
        number = F.try_multiply(number, F.lit(factors[kind.name]))
    elif kind.name == "nanos":
        # In whole numbers, rounded down: a double has too few digits.
        number = F.call_function("div", F.try_subtract(number, F.pmod(number, F.lit(1000))), F.lit(1000))
    return F.timestamp_micros(number), T.TimestampType()


def _decimal(value: Column, scale: int) -> Column:
    """The number of a signed big-endian integer: Avro's decimal, which has its length in front (below 64 in one byte)."""
    schema = f'{{"type":"bytes","logicalType":"decimal","precision":38,"scale":{scale}}}'
    length = F.unhex(F.lpad(F.hex(F.length(value) * 2), 2, "0"))
    return F.when(F.length(value).between(1, 16), from_avro(F.concat(length, value), schema, {"mode": "PERMISSIVE"}))


def together(hashes: list[Column]) -> Column:
    """One hash of several, on both sides alike; the same for all records and rows if there are none."""
    return F.xxhash64(*hashes) if hashes else F.lit(1).cast("long")
