# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic against where a sink writes it: the last value of each key (upsert), or every record (append)."""

from __future__ import annotations

from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from verify_replay.checks.base import BaseCheck, Reader, verdict
from verify_replay.compare import hashed, together
from verify_replay.data import CANNOT_TELL, Result, Scanned, number, offsets, plural
from verify_replay.decode import WHOLE, Decoder
from verify_replay.expectation import Check, Topic
from verify_replay.log import RETENTION, Unreadable
from verify_replay.registry import Registry
from verify_replay.scan import position
from verify_replay.schemas import Kind
from verify_replay.tables import Table, UnreadableTable, file_of, unreadable

#: schemas that are asked for after a scan; where there are more, the field that looks like one is none
_MAX_UNKNOWN = 1000


class Sink(BaseCheck):
    """What both ways have in common: how records are read, and that some cannot be.

    Columns of the scan: k, the hash of the key (upsert); v, that of the declared fields, NULL for a record that says that there is no row;
    u, whether key or value cannot be decoded; sk and sv, numbers of schemas that are not known.
    """

    def __init__(self, check: Check, samples: int, tables: dict[str, Table], registries: dict[str, Registry] | None = None) -> None:
        super().__init__(check, samples, tables, registries)
        self.key: Decoder | None = None
        self.value: Decoder | None = None
        #: why its table cannot be read, or its records
        self.problem: str | None = None

    @property
    def table(self) -> Table:
        return self.tables[self.parameters["table"]]

    def begin(self, topic: Topic, few: Reader) -> None:
        given, registry = self.parameters, self.registries.get(self.parameters["registry"])
        subjects = {side: given[f"{side}_subject"] or f"{topic.topic}-{side}" for side in ("key", "value")}
        self.key = Decoder("key", given["key_format"], self.own("d"), registry, subjects["key"])
        self.value = Decoder("value", given["value_format"], self.own("d"), registry, subjects["value"], given["unwrap"] == "debezium")
        try:
            self.table.frame  # noqa: B018 - asks for its columns
        except UnreadableTable as error:
            self.problem = str(error)
            return
        for decoder in (self.key, self.value):
            decoder.begin(few)

    def stage(self, records: DataFrame) -> DataFrame:
        return records if self.problem else self.value.stage(self.key.stage(records))

    def columns(self) -> dict[str, Column]:
        if self.problem:
            return {}
        self.value.check([path for _column, path, _as in self._fields()])
        declared = [(path, self.table.column(name)[1], _kind(told)) for name, path, told in self._fields()]
        keys = [(self._key_path, self.table.column(self.parameters["key_column"])[1], None)] if self.parameters["key_column"] else []
        fields = [self.value.hash_of(*one) for one in declared]
        found: dict[str, Column] = {}
        if self.parameters["mode"] == "append":
            # A record without a key has a row, too.
            fields += [self.key.hash_of(*one) for one in keys]
        else:
            found[self.own("k")] = self._key()
        found[self.own("v")] = F.when(~self.value.deleted(), together(fields))
        found[self.own("u")] = self.key.undecoded(keys) | self.value.undecoded(declared)
        for name, decoder in (("sk", self.key), ("sv", self.value)):
            if decoder.has_schemas:
                found[self.own(name)] = decoder.not_known()
        return found

    def learn(self, rows: DataFrame, records: Reader) -> bool:
        learnt = False
        for name, decoder in (("sk", self.key), ("sv", self.value)):
            if not self.problem and decoder.has_schemas:
                column = F.col(self.own(name))
                found = rows.where(column.isNotNull()).select(column).distinct().limit(_MAX_UNKNOWN + 1).collect()
                if len(found) > _MAX_UNKNOWN:
                    self.problem = (
                        f"Cannot be decoded: the {decoder.side}s have more than {number(_MAX_UNKNOWN)} schemas that are not known."
                    )
                    return False
                learnt = decoder.learn({row[0] for row in found}, records) or learnt
        return learnt

    def judge(self, scans: dict[str, Scanned]) -> Result:
        if self.problem:
            return Result(CANNOT_TELL, self.problem)
        try:
            return self.compare(self.scanned(scans))
        except (Py4JError, PySparkException) as error:
            if not self.table.has_files or file_of(error) is None:
                raise
            return Result(CANNOT_TELL, unreadable(self.table.target, error))

    def compare(self, scanned: Scanned) -> Result:
        raise NotImplementedError

    @property
    def _key_path(self) -> str:
        return self.parameters["key_field"] or WHOLE

    def _key(self) -> Column:
        found = self.key.hash_of(self._key_path, self.table.column(self.parameters["key_column"])[1])
        return F.when(~self.key.is_null(self._key_path), found)

    def _fields(self) -> list[tuple[str, str, str | None]]:
        """(column of the table, field of the record, what a plain value means), sorted."""
        return sorted((name, path, told) for name, (path, told) in self.parameters["columns"].items())

    def mine(self, scanned: Scanned) -> DataFrame:
        """The records of the part that is looked at, without those that cannot be decoded."""
        return scanned.of(self.parameters["part"]).where(~F.col(self.own("u")))

    def cells(self) -> list[Column]:
        """The hash of each declared column of a row of the table."""
        found = []
        for name, path, told in self._fields():
            column, kind = self.table.column(name)
            found.append(hashed(column, kind, self.value.type_of(path, kind, _kind(told))))
        return found

    def key_cell(self) -> Column:
        column, kind = self.table.column(self.parameters["key_column"])
        return hashed(column, kind, self.key.type_of(self._key_path, kind))

    def undecoded(self, scanned: Scanned) -> tuple[int, str]:
        """How many records cannot be decoded, and the sentence that names their schemas."""
        bad = scanned.rows.where(F.col(self.own("u")))
        count = bad.count()
        if not count:
            return 0, ""
        unknown = []
        for name, decoder in (("sk", self.key), ("sv", self.value)):
            if decoder.has_schemas:
                groups = bad.groupBy(F.col(self.own(name)).alias("id")).agg(F.count("*").alias("n"), F.min(position()).alias("at"))
                for row in groups.where("id IS NOT NULL").orderBy("id").limit(5).collect():
                    sample = scanned.sample(row["at"], "")
                    place = f"first at partition {sample['partition']} offset {sample['offset']}"
                    unknown.append(
                        f"{decoder.side} schema id {row['id']} is not known to the registry ({plural(row['n'], 'record')}, {place})"
                    )
        first = scanned.sample(bad.agg(F.min(position())).first()[0], "")
        plain = f"first at partition {first['partition']} offset {first['offset']}"
        return count, f"{plural(count, 'record')} cannot be decoded: {'; '.join(unknown) or plain}."

    def decide(
        self, scanned: Scanned, failed: bool, sentence: str, figures: dict[str, Any], samples: list[dict], unclear: str, nothing: str | None
    ) -> Result:
        """unclear: the sentence about records that cannot be decoded."""
        result = verdict(failed, sentence, figures, samples, [(scanned, self.gone(scanned))], nothing if not unclear else None)
        if unclear:
            words = f"{unclear} {result.sentence}"
            return Result(CANNOT_TELL if result.verdict != "fail" else result.verdict, words, figures, samples)
        return result

    def gone(self, scanned: Scanned) -> list[Unreadable]:
        return scanned.gone(self.parameters["part"])


def _kind(told: str | None) -> Kind | None:
    return Kind(told) if told else None


class Upsert(Sink):
    """Missing: the last record of a key has a value, and the table lacks the key. Extra: the table has a key whose last record
    is a tombstone, or that no record has; or a key twice. Different: a declared column says something else."""

    def compare(self, scanned: Scanned) -> Result:
        both = self._both(scanned)
        row = both.agg(
            F.count_if(F.col("v").isNotNull()).alias("keys"),
            F.coalesce(F.sum("rows"), F.lit(0)).alias("rows"),
            F.count_if(self._missing()).alias("missing"),
            F.coalesce(F.sum(self._extra()), F.lit(0)).alias("extra"),
            F.count_if(self._different()).alias("different"),
        ).first()
        figures = row.asDict()
        keyless = self.mine(scanned).where(F.col(self.own("k")).isNull() & F.col(self.own("v")).isNotNull()).count()
        figures["without_key"] = keyless
        undecoded, unclear = self.undecoded(scanned)
        if undecoded:
            figures["not_decoded"] = undecoded
        gone = self.gone(scanned)
        # What retention took is older than what is left: it explains rows of keys that are not seen, nothing else.
        late = offsets([one for one in gone if one.reason != RETENTION]) + undecoded
        hidden = {"missing": late, "extra": offsets(gone) + undecoded, "different": late}
        failed = keyless > 0 or any(figures[name] - hidden[name] > self.parameters[f"max_{name}"] for name in hidden)
        sentence = (
            f"{plural(figures['keys'], 'key')} of the topic against {plural(figures['rows'], 'row')} of the table:"
            f" {number(figures['missing'])} missing, {number(figures['extra'])} extra, {number(figures['different'])} different."
        )
        if keyless:
            sentence += f" {plural(keyless, 'record has', 'records have')} no key that a row could be found by."
        nothing = None if figures["keys"] + figures["rows"] else "neither the topic nor the table has a key"
        return self.decide(scanned, failed, sentence, figures, self._samples(both, scanned, figures), unclear, nothing)

    def _both(self, scanned: Scanned) -> DataFrame:
        """Of each key: v and at of its last record; rows and tv of the table."""
        key, value = F.col(self.own("k")), F.col(self.own("v"))
        last = (
            self.mine(scanned)
            .where(key.isNotNull())
            .groupBy(key.alias("k"))
            .agg(F.max_by(value, position()).alias("v"), F.max(position()).alias("at"))
        )
        name = self.table.column(self.parameters["key_column"])[0]
        shown = name.cast("string") if self.parameters["show_keys"] else F.lit(None).cast("string")
        rows = self.table.frame.select(
            self.key_cell().alias("tk"),
            together(self.cells()).alias("tv"),
            shown.alias("shown"),
        )
        rows = self.table.keep(rows, f"{self.own('table')}+")
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

    def _samples(self, both: DataFrame, scanned: Scanned, figures: dict[str, Any]) -> list[dict]:
        samples: list[dict] = []
        for name, condition, what in (
            ("missing", self._missing(), "missing in the table"),
            ("different", self._different(), "different in the table"),
            ("extra", self._extra() > 0, "extra in the table"),
        ):
            found = both.where(condition).select("at", "shown").orderBy("at").limit(self.limit)
            for row in found.collect() if figures[name] else []:
                sample = scanned.sample(row["at"], what) if row["at"] is not None else {"table": self.parameters["table"], "what": what}
                samples.append(sample if row["shown"] is None else {**sample, "key": row["shown"]})
        return samples
