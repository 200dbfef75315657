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
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import journal
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FileLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import ConcurrentUpdate, Unreadable
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change

HEAD = '{"format": "streamops.kafka_connect/ledger", "version": 2}\n'


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
    head, *lines = map(json.loads, path.read_text().splitlines())
    assert head == {"format": "streamops.kafka_connect/ledger", "version": 2}
    assert [(one["connector"], one["change_id"], one["revision"]) for one in lines] == [
        ("c", "CHG-1", 1), ("c", "CHG-1", 2), ("c", "CHG-0", 1), ("d", "CHG-1", 1)]


def test_what_expires_is_forgotten(path):
    FileLedger(str(path)).put(change(), None)
    FileLedger(str(path)).put(change(connector="d"), None)
    FileLedger(str(path)).put(change("CHG-2"), None, expired=[change()])
    assert FileLedger(str(path)).changes() == [change(connector="d"), change("CHG-2")]
    FileLedger(str(path)).put(change(), None)  # the id is free again
    assert len(FileLedger(str(path)).changes("c")) == 2


def test_two_that_write_in_turn(path):
    """Each one reads what the other one has appended, also where one of them has replaced the file."""
    one, other = FileLedger(str(path)), FileLedger(str(path))
    for number in range(1, 150):
        (one, other)[number % 2].put(change(revision=number), change(revision=number - 1) if number > 1 else None)
        assert one.changes("c") == other.changes("c") == [change(revision=number)]
    assert len(path.read_text().splitlines()) == 150
    for number in range(150, 210):
        (one, other)[number % 2].put(change(revision=number), change(revision=number - 1))
        assert one.changes("c") == other.changes("c") == [change(revision=number)]
    assert len(path.read_text().splitlines()) < 20


@pytest.mark.parametrize("writes, ends, lines", [(4, False, 5), (4, True, 2), (5, False, 2), (8, False, 5)])
def test_large_changes_are_kept_once_when_they_end(path, writes, ends, lines, monkeypatch):
    """Or when a run that gives heartbeats has written its change often."""
    monkeypatch.setattr(module, "_BYTES", 1000)
    one = FileLedger(str(path))
    for number in range(1, writes + 1):
        one.put(change(revision=number, busy=number < writes or not ends), change(revision=number - 1) if number > 1 else None)
    assert len(path.read_text().splitlines()) == lines and FileLedger(str(path)).changes("c") == one.changes("c")


def test_a_file_that_was_replaced_twice_is_another_one(path):
    """A file system gives the number of a removed file to the next one."""
    one, other = FileLedger(str(path)), FileLedger(str(path))
    other.put(change(), None)
    assert one.changes() == [change()]
    for _time in range(2):
        other._journal.replace([module._HEAD, module.encode(change("CHG-2")), module.encode(change("CHG-3", revision=1)), module.encode(change("CHG-4"))])
    assert {found.change_id for found in one.changes()} == {"CHG-2", "CHG-3", "CHG-4"}


@pytest.mark.parametrize("cut", range(1, 400, 13))
def test_a_write_that_was_cut_short(path, cut):
    """Its run was killed: what it has not finished does not count, and the next write removes it."""
    one = FileLedger(str(path))
    one.put(change(), None)
    whole = path.read_bytes()
    one.put(change("CHG-2"), None)
    path.write_bytes(path.read_bytes()[:len(whole) + cut])
    assert FileLedger(str(path)).changes() == one.changes() == [change()]
    one.put(change(revision=2), change())
    assert FileLedger(str(path)).changes() == [change(revision=2)] and path.read_bytes().startswith(whole)


@pytest.mark.parametrize("cut", [0, 1, 30, 57])
def test_a_first_write_that_was_cut_short(path, cut):
    one = FileLedger(str(path))
    one.put(change(), None)
    path.write_bytes(path.read_bytes()[:cut])
    assert FileLedger(str(path)).changes() == []
    FileLedger(str(path)).put(change("CHG-2"), None)
    assert FileLedger(str(path)).changes() == [change("CHG-2")]


def test_a_last_line_without_an_end(path):
    """As editors may leave it."""
    FileLedger(str(path)).put(change(), None)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    one = FileLedger(str(path))
    one.put(change("CHG-2"), None)
    assert FileLedger(str(path)).changes() == one.changes() == [change(), change("CHG-2")]


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
    ("text", "something else"), ('{"format": "other', "something else"), ("[]", "something else"), (b"\xff\xfe\x00", "something else"),
    ("text\n", "line 1 that is not JSON"), ('{"format": "other", "version": 2}\n', "something else"),
    ('{"format": "streamops.kafka_connect/ledger", "version": 3}\n', "version 3"), (HEAD + "text\n", "line 2 that is not JSON"),
    (HEAD + "1\n", "line 2 that is no change"), (HEAD + '{"connector": "c"}\n', "line 2 that is no change"), (HEAD + HEAD, "line 2 that is no change")])
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
    path.write_text(path.read_text().replace('"r1"', "7", 1))  # of c
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

    monkeypatch.setattr(journal.os, "fsync", full)
    before = path.read_bytes()
    with pytest.raises(errors.ConnectError, match="cannot be written: No space left"):
        one.put(change(revision=2), change())
    assert path.read_bytes() == before
    assert one.changes("c") == [change()] and sorted(os.listdir(path.parent)) == ["eu.json", "eu.json.lock"]


def counted(monkeypatch, fails=()):
    """Calls of fsync, each with the size of the file by then; those of these numbers fail."""
    sync, sizes = os.fsync, []

    def fsync(handle):
        sizes.append(os.fstat(handle).st_size)
        if len(sizes) in fails:
            raise OSError(28, "No space left on device")
        sync(handle)

    monkeypatch.setattr(journal.os, "fsync", fsync)
    return sizes


def test_changes_of_many_connectors_are_made_safe_together(path, monkeypatch):
    many, other = FileLedger(str(path), many=True), FileLedger(str(path))
    many.put(change(connector="a"), None)
    sizes = counted(monkeypatch)
    for name in "bcd":
        many.put(change(connector=name), None)
    assert not sizes and [one.connector for one in other.changes()] == list("abcd")
    with pytest.raises(ConcurrentUpdate):  # whether it is safe or not
        other.put(change(connector="b", run="other"), None)
    assert many.sync() == {} and sizes == [path.stat().st_size]
    assert many.sync() == {} and len(sizes) == 1  # nothing is new
    other.put(change("CHG-2"), None)
    assert len(sizes) == 2


def test_of_many_some_are_not_safe(path, monkeypatch):
    many = FileLedger(str(path), many=True)
    many.put(change(connector="a"), None)
    assert many.sync() == {}
    counted(monkeypatch, fails=[1])
    many.put(change(connector="b"), None)
    many.put(change(connector="c"), None)
    lost = many.sync()
    assert sorted(lost) == ["b", "c"] and {error.message for error in lost.values()} == {
        f"The ledger file {path} cannot be written: No space left on device."}
    assert many.sync() == {}


def test_a_file_that_is_gone_is_not_safe(path):
    many = FileLedger(str(path), many=True)
    many.put(change(connector="a"), None)
    path.unlink()
    assert {name: error.message for name, error in many.sync().items()} == {"a": f"The ledger file {path} cannot be written: No such file or directory."}


def test_a_file_that_became_unreadable_is_made_safe_all_the_same(path, monkeypatch):
    many = FileLedger(str(path), many=True)
    many.put(change(connector="a"), None)
    with open(path, "a") as file:
        file.write("rubbish\n")
    with pytest.raises(Unreadable):
        many.put(change(connector="b"), None)
    sizes = counted(monkeypatch)
    assert many.sync() == {} and sizes == [path.stat().st_size]


def test_a_line_whose_end_is_still_missing_is_read_from_where_it_begins(path):
    """Its writer was killed, or is still writing. A ledger that has read what is before it gives it back later, and keeps it."""
    reader, writer = FileLedger(str(path)), FileLedger(str(path))
    writer.put(change(connector="a"), None)
    assert [one.connector for one in reader.changes()] == ["a"]
    writer.put(change(connector="b"), None)
    os.truncate(path, path.stat().st_size - 1)
    assert [one.connector for one in reader.changes()] == ["a", "b"]
    reader.put(change(connector="c"), None)
    assert [one.connector for one in reader.changes()] == [one.connector for one in FileLedger(str(path)).changes()] == ["a", "b", "c"]


@pytest.mark.parametrize("busy, lines", [(True, 10), (False, 4)])
def test_large_changes_of_many_are_kept_once_when_all_of_them_end(path, busy, lines, monkeypatch):
    monkeypatch.setattr(module, "_BYTES", 1000)
    many = FileLedger(str(path), many=True)
    for number in range(1, 4):
        for name in "abc":
            many.put(change(connector=name, revision=number, busy=busy), change(connector=name, revision=number - 1) if number > 1 else None)
    assert len(path.read_text().splitlines()) == 10
    many.sync()
    assert len(path.read_text().splitlines()) == lines
    assert FileLedger(str(path)).changes() == many.changes() == [change(connector=name, revision=3, busy=busy) for name in "abc"]
    many.put(change(connector="a", revision=4), change(connector="a", revision=3))
    assert many.sync() == {} and FileLedger(str(path)).changes("a") == [change(connector="a", revision=4)]


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
