# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger in a file: real files, and real processes that want it at once."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import stat

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import file as module
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FileLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import ConcurrentUpdate, Unreadable
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledgers" / "eu.json"


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_no_file_is_an_empty_ledger(path):
    assert FileLedger(str(path)).changes("c") == [] and not path.parent.exists()


def test_put_and_put_again(path):
    one = FileLedger(str(path))
    old = os.umask(0)
    try:
        one.put(change(), None)
    finally:
        os.umask(old)
    one.put(change(revision=2, phase="applied"), change())
    one.put(change("CHG-0", begun="2026-01-01T00:00:00.000Z"), None)
    one.put(change(connector="d"), None)
    assert FileLedger(str(path)).changes("c") == [change("CHG-0", begun="2026-01-01T00:00:00.000Z"), change(revision=2, phase="applied")]
    assert len(one.changes()) == 3
    assert mode(path) == mode(f"{path}.lock") == 0o600 and mode(path.parent) == 0o700
    assert sorted(os.listdir(path.parent)) == ["eu.json", "eu.json.lock"]
    document = json.loads(path.read_text())
    assert (document["format"], document["version"], len(document["changes"])) == ("streamops.kafka_connect/ledger", 1, 3)


@pytest.mark.parametrize("known, there", [
    (None, change()), (change(), change(revision=2, run="r2")), (change(), change(run="other")), (change(revision=2), change(revision=3))])
def test_taken(path, known, there):
    one = FileLedger(str(path))
    one.put(there, None)
    before = path.read_bytes()
    with pytest.raises(ConcurrentUpdate) as caught:
        one.put(change(revision=7, run="mine"), known)
    assert caught.value.change == there and path.read_bytes() == before
    one.put(there, known)  # what is there already


def test_a_change_that_is_gone(path):
    with pytest.raises(errors.StateError, match="CHG-1 of c is not in the file"):
        FileLedger(str(path)).put(change(revision=2), change())


@pytest.mark.parametrize("text, words", [
    ("", "not JSON"), ('{"format": ', "not JSON"), ("[]", "something else"),
    ('{"format": "other", "version": 1, "changes": []}', "something else"),
    ('{"format": "streamops.kafka_connect/ledger", "version": 2, "changes": []}', "version 2"), (b"\xff\xfe\x00", "not JSON"),
    ('{"format": "streamops.kafka_connect/ledger", "version": 1}', "no list of changes"),
    ('{"format": "streamops.kafka_connect/ledger", "version": 1, "changes": [1]}', "no list of changes")])
def test_a_broken_file_is_kept(path, text, words):
    path.parent.mkdir()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = path.read_bytes()
    for attempt in (lambda one: one.changes("c"), lambda one: one.changes(), lambda one: one.put(change(), None)):
        with pytest.raises(Unreadable, match=words) as caught:
            attempt(FileLedger(str(path)))
        assert str(path) in caught.value.message
    assert path.read_bytes() == before


def test_a_broken_change(path):
    one = FileLedger(str(path))
    one.put(change(), None)
    one.put(change(connector="d"), None)
    path.write_text(path.read_text().replace('"r1"', "7", 1))
    with pytest.raises(Unreadable, match="run"):
        one.changes("c")
    with pytest.raises(Unreadable):
        one.put(change(revision=2), change())
    assert one.changes() == [change(connector="d")] and "run" in one.warnings[0]
    one.put(change(connector="d", revision=2), change(connector="d"))
    assert '"run": 7' in path.read_text()  # it stays as it is


def test_a_link_stays_one(path, tmp_path):
    path.parent.mkdir()
    real = tmp_path / "real.json"
    path.symlink_to(real)
    FileLedger(str(path)).put(change(), None)
    assert path.is_symlink() and FileLedger(str(real)).changes("c") == [change()]


def test_no_place_to_write(tmp_path):
    (tmp_path / "a-file").write_text("")
    with pytest.raises(errors.ConnectError, match="a-file/x.json cannot be locked: "):
        FileLedger(str(tmp_path / "a-file" / "x.json")).put(change(), None)
    with pytest.raises(errors.ConnectError, match="cannot be read: Is a directory"):
        FileLedger(str(tmp_path)).changes("c")


def test_a_failed_write_leaves_the_old_file(path, monkeypatch):
    one = FileLedger(str(path))
    one.put(change(), None)

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(errors.ConnectError, match="cannot be written: No space left"):
        one.put(change(revision=2), change())
    assert one.changes("c") == [change()] and sorted(os.listdir(path.parent)) == ["eu.json", "eu.json.lock"]


def test_locked_for_too_long(path):
    path.parent.mkdir()
    clock = iter(range(0, 1000, 10))
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(errors.ConnectError, match="locked by another run for more than 30 s"):
            FileLedger(str(path), sleep=lambda seconds: None, clock=lambda: next(clock)).put(change(), None)
    FileLedger(str(path)).put(change(), None)


def _claim(path, number, start, outcomes):
    start.wait()
    for turn in range(20):
        try:
            FileLedger(path).put(change(f"CHG-{turn}", run=f"r{number}"), None)
            outcomes.put((turn, number))
        except ConcurrentUpdate:
            pass
    outcomes.put(None)


def test_of_several_at_once_one_wins(path):
    context = multiprocessing.get_context("fork")
    start, outcomes = context.Event(), context.Queue()
    runs = [context.Process(target=_claim, args=(str(path), number, start, outcomes)) for number in range(4)]
    for run in runs:
        run.start()
    start.set()
    found, ended = [], 0
    while ended < len(runs):
        one = outcomes.get(timeout=60)
        ended += one is None
        found += [one] if one else []
    for run in runs:
        run.join(20)
    assert sorted(turn for turn, _number in found) == list(range(20))
    held = {(one.change_id, one.run) for one in FileLedger(str(path)).changes("c")}
    assert held == {(f"CHG-{turn}", f"r{number}") for turn, number in found}
