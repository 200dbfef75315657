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
from verify_replay.data import CANNOT_TELL, Result, Scanned, in_part, number, offsets, plural
from verify_replay.decode import WHOLE, Decoder
from verify_replay.expectation import Check, Topic
from verify_replay.log import RETENTION, Unreadable
from verify_replay.registry import Registry
from verify_replay.scan import position, smallest
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
        if self.problem:
            return records
        keys = [self._key_path] if self.parameters["key_column"] else []
        return self.value.stage(self.key.stage(records, keys), [path for _column, path, _as in self._fields()])

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

    def keyless(self) -> Column:
        """Whether a record should have a key that a row is found by, and has none."""
        return F.lit(False)

    def looked_at(self, scanned: Scanned) -> tuple[int, int, str]:
        """How many records have no key, how many cannot be decoded, and the sentence that names the schemas of these."""
        wrong = F.col(self.own("u"))
        numbers = scanned.rows.agg(F.count_if(self.keyless()), F.count_if(wrong), F.min(F.when(wrong, position()))).first()
        return numbers[0], numbers[1], self._undecoded(scanned, numbers[1], numbers[2]) if numbers[1] else ""

    def _undecoded(self, scanned: Scanned, count: int, at: int) -> str:
        bad = scanned.rows.where(F.col(self.own("u")))
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
        first = scanned.sample(at, "")
        plain = f"first at partition {first['partition']} offset {first['offset']}"
        return f"{plural(count, 'record')} cannot be decoded: {'; '.join(unknown) or plain}."

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
        asked = {
            "keys": F.count_if(F.col("v").isNotNull()),
            "rows": F.coalesce(F.sum("rows"), F.lit(0)),
            "missing": F.count_if(self._missing()),
            "extra": F.coalesce(F.sum(self._extra()), F.lit(0)),
            "different": F.count_if(self._different()),
        }
        # A row of the table that no record has has no position: it comes first.
        sampled = [
            smallest(self._sampled(), F.coalesce("at", F.lit(-1)), condition, self.limit) for condition, _what in self._kinds().values()
        ]
        row = self._both(scanned).agg(*(column.alias(name) for name, column in asked.items()), F.array(*sampled).alias("samples")).first()
        figures: dict[str, Any] = row.asDict()
        found = figures.pop("samples")
        keyless, undecoded, unclear = self.looked_at(scanned)
        figures["without_key"] = keyless
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
        return self.decide(scanned, failed, sentence, figures, self._samples(found, scanned), unclear, nothing)

    def keyless(self) -> Column:
        return in_part(self.parameters["part"]) & ~F.col(self.own("u")) & F.col(self.own("k")).isNull() & F.col(self.own("v")).isNotNull()

    def _both(self, scanned: Scanned) -> DataFrame:
        """Of each key: v and at of its last record, both NULL if there is none; rows and tv of the table.

        One union and one grouping: a join would group both sides, and sort them.
        """
        null = F.lit(None).cast("long")
        key = F.col(self.own("k"))
        shows = self.parameters["show_keys"]
        shown = [self.table.column(self.parameters["key_column"])[0].cast("string").alias("shown")] if shows else []
        none = [F.lit(None).cast("string").alias("shown")] if shows else []
        records = self.mine(scanned).where(key.isNotNull())
        left = records.select(
            key.alias("k"), F.col(self.own("v")).alias("v"), position().alias("at"), null.alias("tv"), F.lit(0).alias("n"), *none
        )
        right = self.table.frame.select(
            self.key_cell().alias("k"), null.alias("v"), null.alias("at"), together(self.cells()).alias("tv"), F.lit(1).alias("n"), *shown
        )
        return (
            left.union(right)
            .groupBy("k")
            .agg(
                F.max_by("v", "at").alias("v"),
                F.max("at").alias("at"),
                F.sum("n").alias("rows"),
                F.max("tv").alias("tv"),
                *([F.max("shown").alias("shown")] if shows else []),
            )
        )

    def _kinds(self) -> dict[str, tuple[Column, str]]:
        """Figure -> which keys it counts, and what a sample says of them."""
        return {
            "missing": (self._missing(), "missing in the table"),
            "different": (self._different(), "different in the table"),
            "extra": (self._extra() > 0, "extra in the table"),
        }

    def _sampled(self) -> Column:
        shown = F.col("shown") if self.parameters["show_keys"] else F.lit(None).cast("string")
        return F.struct("at", shown.alias("shown"))

    @staticmethod
    def _missing() -> Column:
        return F.col("v").isNotNull() & (F.col("rows") == 0)

    @staticmethod
    def _extra() -> Column:
        """How many rows of the table are too many."""
        return F.when(F.col("rows") == 0, 0).when(F.col("v").isNull(), F.col("rows")).otherwise(F.col("rows") - 1)

    @staticmethod
    def _different() -> Column:
        return F.col("v").isNotNull() & (F.col("rows") > 0) & (F.col("v") != F.col("tv"))

    def _samples(self, found: list[list | None], scanned: Scanned) -> list[dict]:
        """found: of each kind of _kinds() the rows that _sampled() has made."""
        samples: list[dict] = []
        for (_condition, what), rows in zip(self._kinds().values(), found, strict=True):
            for row in rows or []:
                sample = scanned.sample(row["at"], what) if row["at"] is not None else {"table": self.parameters["table"], "what": what}
                samples.append(sample if row["shown"] is None else {**sample, "key": row["shown"]})
        return samples
