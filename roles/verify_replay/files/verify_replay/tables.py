# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the document as Spark reads them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from verify_replay.errors import JobError, root_cause
from verify_replay.options import Properties, jdbc_options
from verify_replay.targets import FILES, JDBC, Target

#: classes of formats that pyspark lacks -> the Maven coordinates that have them
_PACKAGES = {
    "avro": "org.apache.spark:spark-avro_2.13",
    "iceberg": "org.apache.iceberg:iceberg-spark-runtime",
    "delta": "io.delta:delta-spark",
}
_FILE = re.compile(r"(?:[Ff]ile|[Ff]ooter for)[: ]+'?\"?((?:file|s3a?|gs|abfss?|wasbs?|hdfs|viewfs):[^\s'\",}\]]+)")


class UnreadableTable(Exception):
    """A table that is there but cannot be read: the check of it cannot tell."""


@dataclass
class Table:
    target: Target
    _load: Callable[[], DataFrame]

    @property
    def name(self) -> str:
        return self.target.name

    @cached_property
    def frame(self) -> DataFrame:
        return self._load()

    @property
    def has_files(self) -> bool:
        return self.target.format in FILES

    def column(self, path: str) -> tuple[Column, T.DataType]:
        """A column, or a field of a struct by its path, and its type. JobError if there is none."""
        schema = self.frame.schema
        if path in schema.names:
            return F.col(f"`{path}`"), schema[path].dataType
        first, *names = path.split(".")
        column, kind = F.col(f"`{first}`"), schema[first].dataType if first in schema.names else None
        for name in names:
            kind = kind[name].dataType if isinstance(kind, T.StructType) and name in kind.names else None
            column = column.getField(name)
        if kind is None:
            raise JobError(f"the table {self.name} has no column {path}; {', '.join(schema.names)} are there")
        return column, kind


def open_table(spark: SparkSession, target: Target, properties: Properties) -> Table:
    """The table of a target; its columns are asked for when they are needed."""
    return Table(target, lambda: _load(spark, target, properties))


def _load(spark: SparkSession, target: Target, properties: Properties) -> DataFrame:
    try:
        if target.format == JDBC:
            return spark.read.format(JDBC).options(**jdbc_options(target.options, properties, target.name)).load()
        reader = spark.read.format(target.format).options(**_defaults(target), **target.options)
        if target.schema:
            reader = reader.schema(target.schema)
        return reader.load(target.path) if target.path else reader.table(target.table)
    except Exception as error:  # of the driver, or that there is none
        cause = root_cause(error)
        if target.format in FILES and file_of(error):
            raise UnreadableTable(unreadable(target, error)) from error
        raise JobError(f"the table {target.name} ({target.place}) cannot be read: {cause}{_hint(spark, target, cause)}") from error


def _defaults(target: Target) -> dict[str, str]:
    """Numbers are compared exactly; a CSV file of a sink has its columns' names."""
    return {"json": {"prefersDecimal": "true"}, "csv": {"header": "true"}}.get(target.format, {})


def _hint(spark: SparkSession, target: Target, cause: str) -> str:
    if target.format == JDBC:
        return "; --jars has to name the jar of its driver" if "ClassNotFound" in cause else ""
    package = _PACKAGES.get(target.format)
    lacks = any(word in cause for word in ("ClassNotFound", "DATA_SOURCE_NOT_FOUND", "Failed to find the data source", "must be deployed"))
    return f"; --jars or --packages has to bring {package} for Spark {spark.version}" if package and lacks else ""


def file_of(error: BaseException) -> str | None:
    """The file that an error of Spark names; None if it names none."""
    texts = [str(error), root_cause(error)]
    java = getattr(error, "java_exception", None) or getattr(getattr(error, "_origin", None), "java_exception", None)
    while java is not None:
        texts.append(str(java.getMessage()))
        java = java.getCause()
    return next((match[1].rstrip(".") for text in texts for match in [_FILE.search(text)] if match), None)


def unreadable(target: Target, error: BaseException) -> str:
    """The sentence that names the file of an error."""
    return f"Cannot be read: the file {file_of(error)} of the table {target.name} ({root_cause(error)[:200]})."
