# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic against a target to which every record is added: files of an object store, a table that grows."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from verify_replay import files, sums
from verify_replay.checks.sink import Sink
from verify_replay.compare import together
from verify_replay.data import Result, Scanned, number, offsets, plural
from verify_replay.files import MAX_ABSENT, MAX_FILES, Found
from verify_replay.scan import pack, position, smallest, unpack
from verify_replay.targets import JDBC

#: the column of the path of a row's file
_PATH = "_metadata.file_path"
#: records from which on sums are compared first: of fewer, one pass more costs more than it saves
MANY = 100_000


class Append(Sink):
    """Missing: a record that no row has. Repeated: rows of a record that are too many. Extra: rows that no record has. Different: by
    offset, a row of the record says something else. A record without a value, or a delete, has no row.

    Rows are found by partition_column and offset_column, or by what the declared columns hold.
    """

    @property
    def by_offset(self) -> bool:
        return self.parameters["offset_column"] is not None

    def compare(self, scanned: Scanned) -> Result:
        figures, sampled = self._counted(self._records(scanned), self._rows(), scanned.facts.count())
        _keyless, undecoded, unclear = self.looked_at(scanned)
        if undecoded:
            figures["not_decoded"] = undecoded
        hidden = offsets(self.gone(scanned)) + undecoded
        allowed = {name: self.parameters[f"max_{name}"] for name in ("missing", "extra", "different", "repeated")}
        if self.parameters["delivery"] == "at_least_once":
            del allowed["repeated"]
        failed = any(figures[name] - (hidden if name in ("extra", "repeated") else 0) > most for name, most in allowed.items())
        sentence = (
            f"{plural(figures['records'], 'record')} of the topic against {plural(figures['rows'], 'row')} of the table:"
            f" {number(figures['missing'])} missing, {number(figures['repeated'])} repeated, {number(figures['extra'])} extra"
            + (f", {number(figures['different'])} different." if self.by_offset else ".")
        )
        samples = self._samples(sampled, scanned)
        found = self._by_name(scanned)
        if isinstance(found, str):
            sentence += f" {found}"
        elif found is not None:
            failed = failed or found.lost > self.parameters["max_missing"]
            figures.update(_figures(found))
            sentence += f" {_sentence(found)}"
            samples += self._named(found, scanned)
        nothing = None if figures["records"] + figures["rows"] else "neither the topic nor the table has a record"
        return self.decide(scanned, failed, sentence, figures, samples, unclear, nothing)

    def _records(self, scanned: Scanned) -> DataFrame:
        """id, by what the row of a record is found; hash, of its value; at, where it is."""
        value = F.col(self.own("v"))
        found = position() if self.by_offset else value
        return self.mine(scanned).where(value.isNotNull()).select(found.alias("id"), value.alias("hash"), position().alias("at"))

    def _rows(self) -> DataFrame:
        """id, by what the record of a row is found; hash, of the row; file, a hash of the path of the file in which it is."""
        cells = self.cells() + ([self.key_cell()] if self.parameters["key_column"] else [])
        value = together(cells)
        place = value
        if self.by_offset:
            part, off = (self.table.column(self.parameters[f"{name}_column"])[0].try_cast("long") for name in ("partition", "offset"))
            place = position(part, off)
        # A number: of a text Spark could not find the largest without sorting all rows.
        file = F.xxhash64(_PATH) if self.table.has_files else F.lit(None).cast("long")
        return self.table.frame.select(place.alias("id"), value.alias("hash"), file.alias("file"))

    def _counted(self, records: DataFrame, rows: DataFrame, count: int) -> tuple[dict[str, Any], list[list | None]]:
        """The figures, and of each kind of _kinds() some. count: how many records the topic has."""
        # A table by JDBC is read once: a second query could see rows that have come in between.
        found = sums.compare(records, rows) if count > MANY and self.table.target.format != JDBC else None
        if found is None or len(found.differing) > sums.BUCKETS // 4:
            return self._grouped(records, rows)
        all_of = {"records": found.left, "rows": found.right}
        if not found.differing:
            return {**all_of, **dict.fromkeys(("missing", "repeated", "extra", "different"), 0)}, [None] * len(self._kinds())
        differs = sums.bucket().isin(found.differing)
        figures, sampled = self._grouped(records.where(differs), rows.where(differs))
        return {**figures, **all_of}, sampled

    def _grouped(self, records: DataFrame, rows: DataFrame) -> tuple[dict[str, Any], list[list | None]]:
        """The same, by grouping all of them."""
        n, m = F.col("n"), F.col("m")
        sampled = [
            smallest(F.struct("id", "at", "file"), F.coalesce("at", F.lit(-1)), condition, self.limit)
            for _name, condition, _what in self._kinds()
        ]
        asked = {
            "records": F.sum("n"),
            "rows": F.sum("m"),
            "missing": F.sum(F.greatest(n - m, F.lit(0))),
            "repeated": F.sum(F.when(n > 0, F.greatest(m - n, F.lit(0)))),
            "extra": F.sum(F.when(n == 0, m)),
            "different": F.count_if(self._different()),
        }
        numbers = [F.coalesce(column, F.lit(0)).alias(name) for name, column in asked.items()]
        row = self._both(records, rows).agg(*numbers, F.array(*sampled).alias("samples")).first()
        figures: dict[str, Any] = row.asDict()
        return figures, figures.pop("samples")

    @staticmethod
    def _both(records: DataFrame, rows: DataFrame) -> DataFrame:
        """Of each record that is found by an id: n, how often it is in the topic, m, in the table; at, where; one file that has it."""
        null = F.lit(None).cast("long")
        one, none = F.lit(1), F.lit(0)
        left = records.select("id", one.alias("n"), none.alias("m"), F.col("hash").alias("v"), null.alias("tv"), "at", null.alias("file"))
        right = rows.select("id", none.alias("n"), one.alias("m"), null.alias("v"), F.col("hash").alias("tv"), null.alias("at"), "file")
        return (
            left.union(right)
            .groupBy("id")
            .agg(
                F.sum("n").alias("n"),
                F.sum("m").alias("m"),
                F.max("v").alias("v"),
                F.min("tv").alias("low"),
                F.max("tv").alias("high"),
                F.min("at").alias("at"),
                F.max("file").alias("file"),
            )
        )

    @staticmethod
    def _different():
        return (F.col("n") > 0) & (F.col("m") > 0) & ((F.col("low") != F.col("v")) | (F.col("high") != F.col("v")))

    def _kinds(self) -> list[tuple[str, Column, str]]:
        """(figure, which ids it counts, what a sample says of them)"""
        n, m = F.col("n"), F.col("m")
        return [
            ("missing", n > m, "missing in the table"),
            ("repeated", (n > 0) & (m > n), "too often in the table"),
            ("different", self._different(), "different in the table"),
            ("extra", n == 0, "in the table, without a record"),
        ]

    def _samples(self, found: list[list | None], scanned: Scanned) -> list[dict]:
        """found: of each kind of _kinds() id, at, and file of some."""
        paths = self._paths({row["file"] for rows in found for row in rows or []} - {None})
        samples: list[dict] = []
        for (name, _condition, what), rows in zip(self._kinds(), found, strict=True):
            for row in rows or []:
                sample = {"table": self.parameters["table"], "what": what} if row["at"] is None else scanned.sample(row["at"], what)
                if name == "extra" and row["id"] is not None and self.by_offset:
                    sample["partition"], sample["offset"] = unpack(row["id"])
                samples.append(sample if row["file"] is None or name == "missing" else {**sample, "file": paths[row["file"]]})
        return samples

    def _paths(self, hashes: set[int]) -> dict[int, str]:
        """The paths of files by their hashes. No column of the files has to be read for that."""
        if not hashes:
            return {}
        paths = self.table.frame.select(F.col(_PATH).alias("path")).where(F.xxhash64("path").isin(*hashes)).distinct()
        return {row["hash"]: row["path"] for row in paths.select(F.xxhash64("path").alias("hash"), "path").collect()}

    def _by_name(self, scanned: Scanned) -> Found | str | None:
        """What the names of the files say; None if they say nothing; the sentence why they are not compared."""
        pattern = self.table.target.file_name
        if pattern is None:
            return None
        files_of = self.table.frame.groupBy(F.col(_PATH).alias("file")).count()
        counted = [(row["file"], row["count"]) for row in files_of.limit(MAX_FILES + 1).collect()]
        if len(counted) > MAX_FILES:
            return f"The names of the files were not compared with offsets: there are more than {number(MAX_FILES)}."
        mine, foreign = files.named(counted, pattern, scanned.topic.topic)
        if not mine:
            return None
        absent = self._absent(scanned)
        if absent is None:
            return f"The names of the files were not compared with offsets: more than {number(MAX_ABSENT)} offsets have no row."
        found = files.compare(mine, scanned.windows(self.parameters["part"]), absent)
        found.foreign = foreign
        return found

    def _absent(self, scanned: Scanned) -> dict[int, list[tuple[int, int]]] | None:
        """Offsets at which there is no record that has a row; None if there are too many for arithmetic."""
        holes = scanned.facts.holes
        if not holes.complete or any(len(ranges) > MAX_ABSENT for ranges in holes.ranges.values()):
            return None
        rowless = (
            scanned.rows.where(F.col(self.own("v")).isNull() & ~F.col(self.own("u"))).select("part", "off").limit(MAX_ABSENT + 1).collect()
        )
        if len(rowless) > MAX_ABSENT:
            return None
        absent = {one: list(ranges) for one, ranges in holes.ranges.items()}
        for row in rowless:
            absent.setdefault(row["part"], []).append((row["off"], row["off"] + 1))
        return absent

    def _named(self, found: Found, scanned: Scanned) -> list[dict]:
        samples = []
        for entries, what in (
            (found.missing, "in no file"),
            (found.doubled, "a second file that begins here"),
            (found.overlapping, "in two files"),
        ):
            for partition, start, end, name in entries[: self.limit]:
                sample = {**scanned.sample(pack(partition, start), what), "end": max(end, start + 1)}
                samples.append({**sample, "file": name} if name else sample)
        return samples


def _figures(found: Found) -> dict[str, int]:
    return {
        "files": found.files,
        "files_doubled": len(found.doubled),
        "files_overlapping": len(found.overlapping),
        "offsets_in_no_file": found.lost,
        "files_of_other_names": found.foreign,
    }


def _sentence(found: Found) -> str:
    """What the names say, with the first of each kind."""
    words = [f"{plural(found.files, 'file')} by name"]
    for entries, what in ((found.doubled, "doubled"), (found.overlapping, "overlapping")):
        if entries:
            words.append(f"{number(len(entries))} {what} ({entries[0][3]})")
    if found.missing:
        partition, start, end, _name = found.missing[0]
        words.append(f"{plural(found.lost, 'record')} in no file (the first: partition {partition} offsets {start}..{end - 1})")
    if found.spread:
        words.append("ranges not compared where the files of a partition lie in several folders")
    return f"{', '.join(words)}."
