# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From arguments to exit status, without starting Spark."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from verify_replay import job, watch
from verify_replay import report as reports

DOCUMENT = {
    "version": 1,
    "change_id": "c1",
    "clusters": {"main": {"bootstrap.servers": "127.0.0.1:9"}},
    "topics": {"t": {"cluster": "main", "topic": "t", "partitions": {"0": {"start": 0, "boundary": 0, "end": 0}}}},
    "checks": [{"type": "replayed", "topic": "t"}],
}


@pytest.fixture
def run(tmp_path, capsys):
    """main() with a document; gives (exit status, report or None, what it said)."""

    def call(document, folder: str = ".", expectation: str = "expectation.json"):
        (tmp_path / "expectation.json").write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        report = tmp_path / folder / "report.json"
        status = job.main([str(tmp_path / expectation), str(report), str(report.with_suffix(".html"))])
        found = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None
        assert not found or report.with_suffix(".html").exists()
        return status, found, capsys.readouterr().err

    return call


@pytest.fixture
def found(monkeypatch):
    """Puts a verdict in place of what Spark would find."""

    def put(verdict: str):
        check = {
            "name": "n",
            "type": "replayed",
            "topic": "t",
            "verdict": verdict,
            "sentence": "s",
            "figures": {},
            "samples": [],
            "seconds": 0,
        }
        monkeypatch.setattr(job, "run", lambda expected, _began: reports.build(expected.change_id, [check], {}, {}, {}))

    return put


@pytest.mark.parametrize(
    ("verdict", "desired", "status"),
    [("pass", "fail", 0), ("fail", "pass", 3), ("cannot_tell", "fail", 3), ("cannot_tell", "pass", 0)],
)
def test_exit_status(run, found, verdict, desired, status):
    found(verdict)
    assert run({**DOCUMENT, "cannot_tell": desired})[0] == status


def test_unknown_field(run):
    status, report, said = run({**DOCUMENT, "colour": "red"})
    assert status == 1 and report["verdict"] == "error" and report["error"].startswith("expectation document: colour: is not known")
    assert said.count("\n") == 1 and said.startswith("verify_replay: ERROR: expectation document: colour")


def test_document_that_is_not_there(run):
    status, report, said = run(DOCUMENT, expectation="absent.json")
    assert status == 1 and "cannot be read" in report["error"] and "Traceback" not in said


def test_report_folder_that_is_not_there(run):
    status, report, said = run(DOCUMENT, folder="absent")
    assert status == 1 and report is None and "cannot be written" in said and said.count("\n") == 1


def test_wrong_number_of_arguments(capsys):
    assert job.main(["one"]) == 1
    assert "usage" in capsys.readouterr().err


def test_a_fault_of_the_job_itself_is_reported(run, monkeypatch):
    monkeypatch.setattr(job, "run", lambda *_arguments: 1 / 0)
    status, report, said = run(DOCUMENT)
    assert status == 1 and "ZeroDivisionError" in report["error"] and report["change_id"] == "c1" and "Traceback" in said


def test_progress(monkeypatch):
    """One topic; then a job of many connectors, whose topics are read one after another."""
    clock = iter((100.0, 101.0, 103.0, 104.0, 105.0, 106.0))
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    found = watch.Watch()
    found.topics({"orders": 4000})
    found.reading("orders")
    assert found.line(1, 1, 4) == "3 s: reading orders, about 1\u202f000 of 4\u202f000 records; 500 records/s, 6 s left"
    assert found.line(1, 0, 4) == "4 s: reading orders, about 0 of 4\u202f000 records"
    found.counting()
    assert found.line(2, 0, 2) == "5 s: counting orders, stage 2, 0 of 2 tasks done"
    found.checking(2, 8)
    assert found.line(7, 3, 4) == "6 s: check 2 of 8, stage 7, 3 of 4 tasks done"


def test_progress_of_many_connectors(monkeypatch):
    clock = iter((100.0, 101.0, 103.0, 105.0, 106.0))
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    found = watch.Watch()
    found.topics({"orders": 4000, "empty": 0, "bills": 6000})
    found.reading("orders")
    said = "3 s: reading orders, topic 1 of 3, about 2\u202f000 of 4\u202f000 records; all topics: 2\u202f000 of 10\u202f000"
    assert found.line(1, 2, 4) == f"{said}; 1\u202f000 records/s, 8 s left"
    for topic in ("empty", "bills"):
        found.counting()
        found.reading(topic)
    said = "5 s: reading bills, topic 3 of 3, about 2\u202f000 of 6\u202f000 records; all topics: 6\u202f000 of 10\u202f000"
    assert found.line(4, 1, 3) == f"{said}; 1\u202f500 records/s, 3 s left"
    assert found.line(4, 0, 3).endswith("about 0 of 6\u202f000 records; all topics: 4\u202f000 of 10\u202f000; 800 records/s, 8 s left")
