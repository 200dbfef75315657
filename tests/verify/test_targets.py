# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics against files as sinks write them: real files, read by Spark as the job reads them."""

from __future__ import annotations

import pytest
from verify_replay import sums
from verify_replay.checks import append
from verify_replay.files import File, advance, compare
from verify_replay.options import Properties
from verify_replay.tables import open_table
from verify_replay.targets import target

from tests.verify.world import World

SCHEMA = "id bigint, item string, price decimal(10,2)"
CHECK = {"table": "x", "mode": "append", "columns": {"id": "id", "item": "item", "price": "price"}}
#: two partitions of six records, three of which go into a file
NAMES = {number: [f"real.t+{number}+{start:010}" for start in (0, 3)] for number in (0, 1)}


def record(partition: int, offset: int) -> tuple:
    number = 10 * partition + offset
    return (partition, offset, None, f'{{"id":{number},"item":"item {number}","price":{number}.50}}')


def row(partition: int, offset: int, price: str = "") -> str:
    number = 10 * partition + offset
    return f"({number}, 'item {number}', {price or f'{number}.50'})"


@pytest.fixture(autouse=True)
def sums_first(monkeypatch):
    """Few records are as many here: their sums are compared before they are."""
    monkeypatch.setattr(append, "MANY", 0)


class Bucket:
    """A folder as the S3 sink fills one."""

    def __init__(self, spark, folder, form: str) -> None:
        self.spark, self.folder, self.form = spark, folder / "topics" / "real.t", form

    def put(self, name: str, rows: list[str], partition: int = 0, folder: str = "") -> None:
        """One file, named by its first offset."""
        part = self.folder / (folder or f"partition={partition}")
        frame = self.spark.sql(
            f"SELECT CAST(c1 AS bigint) AS id, c2 AS item, CAST(c3 AS decimal(10,2)) AS price FROM VALUES {', '.join(rows)} t(c1, c2, c3)"
        )
        made = self.folder.parent / "made"
        frame.coalesce(1).write.mode("overwrite").format(self.form).options(**({"header": "true"} if self.form == "csv" else {})).save(
            str(made)
        )
        part.mkdir(parents=True, exist_ok=True)
        (written,) = made.glob("part-*")
        written.rename(part / f"{name}.{self.form}")

    def fill(self) -> None:
        for number, names in NAMES.items():
            for start, name in zip((0, 3), names, strict=True):
                self.put(name, [row(number, start + n) for n in range(3)], number)

    def table(self, **more):
        path = self.folder.as_uri()
        return open_table(self.spark, target("x", {"format": self.form, "path": path, **more}, "tables.x"), Properties([]))


@pytest.fixture
def world(spark):
    world = World(spark)
    world.topic("t", [record(n, offset) for n in (0, 1) for offset in range(6)], {0: (0, 0, 6), 1: (0, 0, 6)})
    return world


@pytest.fixture
def bucket(spark, tmp_path):
    bucket = Bucket(spark, tmp_path, "parquet")
    bucket.fill()
    return bucket


def judged(world, bucket, table: dict | None = None, **check):
    world.tables["x"] = bucket.table(**(table or {}))
    return world.judge("sink", "t", **{**CHECK, **check})


def whats(result) -> list[tuple]:
    return [(one["what"], one.get("partition"), one.get("offset"), one.get("end")) for one in result.samples]


@pytest.mark.parametrize("form", ["parquet", "orc", "avro", "json", "csv"])
def test_every_format_is_read(world, spark, tmp_path, form):
    bucket = Bucket(spark, tmp_path, form)
    bucket.fill()
    result = judged(world, bucket, {"schema": SCHEMA} if form in ("json", "csv") else {})
    assert result.verdict == "pass", result.sentence
    assert result.figures == {
        **dict.fromkeys(("missing", "repeated", "extra", "different", "files_doubled", "files_overlapping"), 0),
        "records": 12,
        "rows": 12,
        "files": 4,
        "offsets_in_no_file": 0,
        "files_of_other_names": 0,
    }


def test_a_missing_file(world, bucket):
    (bucket.folder / "partition=1" / f"{NAMES[1][0]}.parquet").unlink()
    result = judged(world, bucket)
    assert result.verdict == "fail" and result.figures["missing"] == 3
    assert whats(result) == [("missing in the table", 1, n, None) for n in range(3)] + [("in no file", 1, 0, 3)]
    assert "3 records in no file (the first: partition 1 offsets 0..2)" in result.sentence
    assert judged(world, bucket, max_missing=3).verdict == "pass"


def test_a_file_that_was_written_twice(world, bucket):
    bucket.put(NAMES[0][1], [row(0, n) for n in (3, 4, 5)], folder="partition=0/again")
    result = judged(world, bucket)
    assert result.verdict == "fail" and (result.figures["repeated"], result.figures["files_doubled"]) == (3, 1)
    assert ("a second file that begins here", 0, 3, 6) in whats(result) and f"1 doubled ({NAMES[0][1]}.parquet)" in result.sentence
    assert judged(world, bucket, delivery="at_least_once").verdict == "pass"


def test_files_that_overlap_after_a_rewind(world, bucket):
    bucket.put("real.t+0+0000000002", [row(0, n) for n in (2, 3)])
    result = judged(world, bucket)
    assert result.verdict == "fail" and (result.figures["repeated"], result.figures["files_overlapping"]) == (2, 2)
    assert [one[1:] for one in whats(result) if one[0] == "in two files"] == [(0, 2, 3), (0, 3, 4)]


def test_a_changed_decimal(world, bucket):
    bucket.put(NAMES[0][0], [row(0, 0), row(0, 1, "1.51"), row(0, 2)])
    result = judged(world, bucket)
    assert result.verdict == "fail" and (result.figures["missing"], result.figures["extra"]) == (1, 1)
    assert whats(result)[0] == ("missing in the table", 0, 1, None) and result.samples[1]["file"].endswith(f"{NAMES[0][0]}.parquet")


def test_a_file_that_cannot_be_read_is_named(world, bucket):
    (bucket.folder / "partition=1" / f"{NAMES[1][1]}.parquet").write_bytes(b"PAR1 this is none PAR1")
    result = judged(world, bucket)
    assert result.verdict == "cannot_tell" and f"{NAMES[1][1]}.parquet" in result.sentence, result.sentence


def test_tombstones_have_no_row(world, bucket):
    records = [record(n, offset) for n in (0, 1) for offset in range(6)]
    world.topic("t", [*records[:6], (0, 6, "k", None), *records[6:]], {0: (0, 0, 7), 1: (0, 0, 6)})
    result = judged(world, bucket)
    assert result.verdict == "pass" and result.figures["offsets_in_no_file"] == 0, result.sentence


@pytest.mark.parametrize("many", [0, 100])
def test_rows_are_found_by_offset(world, spark, monkeypatch, many):
    monkeypatch.setattr(append, "MANY", many)
    rows = [f"({n}, {o}, {10 * n + o}, 'item {10 * n + o}', {10 * n + o}.5)" for n in (0, 1) for o in range(6)]
    by = {"partition_column": "p", "offset_column": "o"}

    def judge(rows):
        world.tables["x"] = spark.sql(f"SELECT * FROM VALUES {', '.join(rows)} AS t(p, o, id, item, price)")
        return world.judge("sink", "t", **CHECK, **by)

    assert judge(rows).verdict == "pass"
    result = judge([*rows[:3], rows[3].replace("3.5", "3.6"), *rows[5:], rows[7], rows[0].replace("(0, 0,", "(0, 99,")])
    assert result.verdict == "fail"
    assert {name: result.figures[name] for name in ("missing", "repeated", "extra", "different")} == dict.fromkeys(
        ("missing", "repeated", "extra", "different"), 1
    )
    assert [(one["what"], one["partition"], one["offset"]) for one in result.samples if "offset" in one] == [
        ("missing in the table", 0, 4),
        ("too often in the table", 1, 1),
        ("different in the table", 0, 3),
        ("in the table, without a record", 0, 99),
    ]


@pytest.mark.parametrize(("left", "right", "differing"), [
    ([(5, 1), (5, 1), (6, 2)], [(6, 2), (5, 1), (5, 1)], []),
    ([(5, 1)], [(5, 1), (5, 1)], [5]),
    ([(5, 1), (5, 2)], [(5, 1), (5, 1)], [5]),
    ([(4096, -1), (3, 2**63 - 1)], [(0, -1), (3, -(2**63))], [0, 3]),
    ([(7, 1)], [(7, 1), (None, 1)], [4095]),
    ([], [], []),
])  # fmt: skip
def test_buckets_that_differ(spark, left, right, differing):
    sides = [spark.createDataFrame(entries, "id long, hash long") for entries in (left, right)]
    assert sums.compare(*sides) == sums.Sums(len(left), len(right), differing)


def test_sums_differ_almost_everywhere(world, bucket, monkeypatch):
    monkeypatch.setattr(sums, "BUCKETS", 4)
    bucket.fill()
    for number in (0, 1):
        bucket.put(NAMES[number][1], [row(number, n, "9.99") for n in (3, 4, 5)], number)
    result = judged(world, bucket)
    assert (result.verdict, result.figures["missing"], result.figures["extra"]) == ("fail", 6, 6), result.sentence


def test_rows_without_a_place(world, spark):
    rows = ", ".join(f"({n}, {o}, {10 * n + o}, 'item {10 * n + o}', {10 * n + o}.5)" for n in (0, 1) for o in range(6))
    world.tables["x"] = spark.sql(
        f"SELECT * FROM VALUES {rows}, (NULL, NULL, 1, 'x', 1.0), (0, NULL, 1, 'y', 1.0) AS t(p, o, id, item, price)"
    )
    result = world.judge("sink", "t", **CHECK, partition_column="p", offset_column="o")
    assert result.verdict == "fail" and (result.figures["extra"], result.figures["missing"]) == (2, 0), result.sentence
    assert result.samples == [{"table": "x", "what": "in the table, without a record"}]


@pytest.mark.parametrize(("name", "words"), [
    ("MAX_FILES", "there are more than 1."), ("MAX_ABSENT", "more than 1 offsets have no row.")])  # fmt: skip
def test_names_of_files_that_are_not_compared(world, bucket, monkeypatch, name, words):
    records = [record(n, offset) for n in (0, 1) for offset in range(6)]
    world.topic("t", [*records[:6], (0, 6, "k", None), (0, 7, "k", None), *records[6:]], {0: (0, 0, 8), 1: (0, 0, 6)})
    monkeypatch.setattr(append, name, 1)
    result = judged(world, bucket)
    assert result.verdict == "pass" and "files" not in result.figures
    assert result.sentence.endswith(f"The names of the files were not compared with offsets: {words}")


def test_where_a_file_ends():
    assert advance(0, 3, []) == 3 and advance(5, 3, [(0, 4), (6, 8)]) == 10
    assert advance(0, 3, [(0, 2), (3, 4)]) == 6 and advance(0, 3, [(3, 9)]) == 3


def test_files_whose_names_have_both_offsets():
    files = [File("/a/1", 0, 0, 4, 4), File("/a/2", 0, 6, 9, 3)]
    found = compare(files, {0: (0, 10)}, {0: [(4, 5)]})
    assert found.missing == [(0, 5, 6, ""), (0, 9, 10, "")] and not found.overlapping


def test_ranges_in_several_folders_are_not_compared():
    files = [File("/a/1", 0, 0, None, 2), File("/b/1", 0, 1, None, 2), File("/b/2", 0, 0, None, 2)]
    found = compare(files, {0: (0, 9)}, {})
    assert found.spread == {0} and not found.missing and not found.overlapping and len(found.doubled) == 1
