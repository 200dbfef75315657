# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic, reduced to the last value of each key, against a table."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from verify_replay.checks.base import BaseCheck, verdict
from verify_replay.data import Result, Scanned, number, offsets, plural
from verify_replay.errors import JobError
from verify_replay.expectation import AFTER
from verify_replay.log import RETENTION
from verify_replay.scan import position

_SPACES = {
    **dict.fromkeys((T.ByteType, T.ShortType, T.IntegerType, T.LongType, T.DecimalType), "decimal(38,9)"),
    **dict.fromkeys((T.FloatType, T.DoubleType), "double"),
    T.BooleanType: "boolean",
    T.DateType: "date",
}


def canonical(column: Column, kind: T.DataType) -> Column:
    """The same for the text of a field and for the column of the table, if they mean the same: the type of the table decides."""
    if isinstance(kind, T.TimestampType | T.TimestampNTZType):
        # Connect writes milliseconds, or ISO 8601; the table's column is a time already.
        text = column.cast("string")
        same = F.coalesce(text.try_cast("bigint") * 1000, F.unix_micros(text.try_cast("timestamp")))
    else:
        same = column.try_cast(_SPACES.get(type(kind), "string"))
    return F.xxhash64(column.isNull(), same)


def key_text(key_field: str | None) -> Column:
    """The key as text: of JSON a field, of a JSON string what it says, else the bytes."""
    text = F.col("key").cast("string")
    if key_field:
        return F.get_json_object(text, f"$.{key_field}")
    return F.when(text.startswith('"'), F.get_json_object(text, "$")).otherwise(text)


class Sink(BaseCheck):
    """Missing: the last record of a key has a value, and the table lacks the key. Extra: the table has a key whose last record
    is a tombstone, or that no record has; or a key twice. Different: a declared column says something else."""

    @property
    def table(self) -> DataFrame:
        return self.tables[self.parameters["table"]]

    def columns(self) -> dict[str, Column]:
        types = {field.name: field.dataType for field in self.table.schema.fields}
        for name in (self.parameters["key_column"], *self.parameters["columns"]):
            if name not in types:
                raise JobError(f"the table {self.parameters['table']} has no column {name}; {', '.join(types)} are there")
        key = key_text(self.parameters["key_field"])
        value = F.col("value").cast("string")
        fields = [canonical(F.get_json_object(value, f"$.{path}"), types[name]) for name, path in self._pairs()]
        content = F.when(F.col("value").isNotNull(), F.xxhash64(*fields) if fields else F.lit(1).cast("long"))
        return {
            self.own("k"): F.when(key.isNotNull(), canonical(key, types[self.parameters["key_column"]])),
            self.own("v"): content,
        }

    def judge(self, scans: dict[str, Scanned]) -> Result:
        scanned, part = self.scanned(scans), self.parameters["part"]
        both = self._both(scanned, part)
        row = both.agg(
            F.count_if(F.col("v").isNotNull()).alias("keys"),
            F.coalesce(F.sum("rows"), F.lit(0)).alias("rows"),
            F.count_if(self._missing()).alias("missing"),
            F.coalesce(F.sum(self._extra()), F.lit(0)).alias("extra"),
            F.count_if(self._different()).alias("different"),
        ).first()
        figures = row.asDict()
        keyless = self._mine(scanned, part).where(F.col(self.own("k")).isNull() & ~F.col("vnull")).count()
        figures["without_key"] = keyless
        gone = scanned.gone(part)
        # What retention took is older than what is left: it explains rows of keys that are not seen, nothing else.
        late = offsets([one for one in gone if one.reason != RETENTION])
        hidden = {"missing": late, "extra": offsets(gone), "different": late}
        failed = keyless > 0 or any(figures[name] - hidden[name] > self.parameters[f"max_{name}"] for name in hidden)
        sentence = (
            f"{plural(figures['keys'], 'key')} of the topic against {plural(figures['rows'], 'row')} of the table:"
            f" {number(figures['missing'])} missing, {number(figures['extra'])} extra, {number(figures['different'])} different."
        )
        if keyless:
            sentence += f" {plural(keyless, 'record has', 'records have')} no key that a row could be found by."
        nothing = None if figures["keys"] + figures["rows"] else "neither the topic nor the table has a key"
        return verdict(failed, sentence, figures, self._samples(both, scanned), [(scanned, gone)], nothing)

    def _pairs(self) -> list[tuple[str, str]]:
        return sorted(self.parameters["columns"].items())

    def _mine(self, scanned: Scanned, part: str) -> DataFrame:
        if part == "all":
            return scanned.rows
        return scanned.rows.where(F.col("after") if part == AFTER else ~F.col("after"))

    def _both(self, scanned: Scanned, part: str) -> DataFrame:
        """Of each key: v and at of its last record; rows and tv of the table."""
        key, value = F.col(self.own("k")), F.col(self.own("v"))
        last = (
            self._mine(scanned, part)
            .where(key.isNotNull())
            .groupBy(key.alias("k"))
            .agg(F.max_by(value, position()).alias("v"), F.max(position()).alias("at"))
        )
        types = {field.name: field.dataType for field in self.table.schema.fields}
        name = self.parameters["key_column"]
        fields = [canonical(F.col(f"`{column}`"), types[column]) for column, _path in self._pairs()]
        shown = F.col(f"`{name}`").cast("string") if self.parameters["show_keys"] else F.lit(None).cast("string")
        rows = self.table.select(
            canonical(F.col(f"`{name}`"), types[name]).alias("tk"),
            (F.xxhash64(*fields) if fields else F.lit(1).cast("long")).alias("tv"),
            shown.alias("shown"),
        )
        rows = rows.groupBy("tk").agg(F.count("*").alias("rows"), F.max("tv").alias("tv"), F.max("shown").alias("shown"))
        return last.join(rows, last["k"] == rows["tk"], "full_outer")

    @staticmethod
    def _missing() -> Column:
        return F.col("v").isNotNull() & F.col("tk").isNull()

    @staticmethod
    def _extra() -> Column:
        """How many rows of the table are too many."""
        return F.when(F.col("tk").isNull(), 0).when(F.col("v").isNull(), F.col("rows")).otherwise(F.col("rows") - 1)

    @staticmethod
    def _different() -> Column:
        return F.col("v").isNotNull() & F.col("tk").isNotNull() & (F.col("v") != F.col("tv"))

    def _samples(self, both: DataFrame, scanned: Scanned) -> list[dict]:
        samples: list[dict] = []
        for condition, what in (
            (self._missing(), "missing in the table"),
            (self._different(), "different in the table"),
            (self._extra() > 0, "extra in the table"),
        ):
            for row in both.where(condition).select("at", "shown").orderBy("at").limit(self.limit).collect():
                sample = scanned.sample(row["at"], what) if row["at"] is not None else {"table": self.parameters["table"], "what": what}
                samples.append(sample if row["shown"] is None else {**sample, "key": row["shown"]})
        return samples
