# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a record and of a table, made comparable: the same number for what means the same."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.avro.functions import from_avro

from verify_replay.schemas import Kind

_SPACES = {
    **dict.fromkeys((T.ByteType, T.ShortType, T.IntegerType, T.LongType, T.DecimalType), "decimal(38,9)"),
    **dict.fromkeys((T.FloatType, T.DoubleType), "double"),
    T.BooleanType: "boolean",
    T.DateType: "date",
}
_NESTED = T.StructType | T.ArrayType | T.MapType


def canonical(column: Column, kind: T.DataType) -> Column:
    """The same for the text of a field and for the column of the table, if they mean the same: the type of the table decides.

    column: text, or a value that has a type already.
    """
    if isinstance(kind, T.TimestampType | T.TimestampNTZType):
        # Connect writes milliseconds, or ISO 8601; the table's column is a time already.
        text = column.cast("string")
        same = F.coalesce(text.try_cast("bigint") * 1000, F.unix_micros(text.try_cast("timestamp")))
    elif isinstance(kind, T.BinaryType):
        same = F.hex(column)
    else:
        same = column.try_cast(_SPACES.get(type(kind), "string"))
    return F.xxhash64(column.isNull(), same)


def nested(column: Column, found: T.DataType, kind: T.DataType) -> Column:
    """The same for a struct, an array or a map. found: of the column, a text holds JSON."""
    text = column if isinstance(found, T.StringType | T.NullType) else F.to_json(column)
    # Into the table's type and out again: the order of fields and the form of numbers are the table's.
    return F.xxhash64(column.isNull(), F.to_json(F.from_json(text, kind)))


def hashed(column: Column, found: T.DataType, kind: T.DataType) -> Column:
    """canonical() or nested(). found: the type of the column."""
    return nested(column, found, kind) if isinstance(kind, _NESTED) else canonical(column, kind)


def space(kind: T.DataType, found: T.DataType) -> T.DataType:
    """The type in which both are compared: the table's; but of a table that has texts only, that of the record."""
    return found if isinstance(kind, T.StringType) and not isinstance(found, T.BinaryType | _NESTED) else kind


def meant(column: Column, kind: Kind, is_text: Column | None = None) -> tuple[Column, T.DataType]:
    """The value that a number or a text stands for, and its type. is_text: whether a decimal in JSON is a text, not a number."""
    number = column.try_cast("bigint")
    if kind.name == "days":
        return F.date_from_unix_date(number.cast("int")), T.DateType()
    if kind.name == "base64":
        return F.try_to_binary(column, F.lit("base64")), T.BinaryType()
    if kind.name == "decimal":
        decimal = T.DecimalType(38, min(kind.scale, 38))
        bytes_of = _decimal(F.try_to_binary(column, F.lit("base64")), decimal.scale)
        plain = column.try_cast(decimal)
        return (bytes_of if is_text is None else F.when(is_text, bytes_of).otherwise(plain)), decimal
    micros = {"seconds": number * 1_000_000, "millis": number * 1000, "micros": number, "nanos": F.floor(number / 1000).cast("bigint")}
    return F.timestamp_micros(micros[kind.name]), T.TimestampType()


def _decimal(value: Column, scale: int) -> Column:
    """The number of a signed big-endian integer: Avro's decimal, which has its length in front (below 64 in one byte)."""
    schema = f'{{"type":"bytes","logicalType":"decimal","precision":38,"scale":{scale}}}'
    length = F.unhex(F.lpad(F.hex(F.length(value) * 2), 2, "0"))
    return F.when(F.length(value) < 17, from_avro(F.concat(length, value), schema))
