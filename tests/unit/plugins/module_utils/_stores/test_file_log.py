# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of a standalone worker: real files, other users, links, and what comes in between."""

from __future__ import annotations

import errno
import fcntl
import multiprocessing
import os
import stat
import threading

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import java_map
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores import file_log as module
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file_log import FileLog

KEY, OTHER = b'["c",{"f":"a"}]', b'["c",{"f":"b"}]'
NOBODY = 65534

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")


def java(**entries) -> bytes:
    found = {b'["c",{"f":"%s"}]' % name.encode(): value for name, value in entries.items()}
    return java_map.encode(java_map.empty()._replace(entries=list(found.items())))


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "offsets"
    found.write_bytes(java(a=b'{"n":1}', b=None))
    return found


def opened(path, **options) -> FileLog:
    """As a reader has it that has read it."""
    file = FileLog(str(path), sleep=options.pop("sleep", lambda seconds: None), **options)
    file.ends(None)
    return file


def read(file) -> list:
    _ends, ends = file.ends(None)
    return [(one.partition(), one.offset(), one.key(), one.value(), one.timestamp()[0])
            for messages in file.read(None, {0: 0}, ends) for one in messages]


def put(file, *records) -> None:
    file.write([("any", 0, key, value) for key, value in records])


def entries(path) -> list:
    return java_map.decode(path.read_bytes()).entries


def nothing_else(path) -> bool:
    return os.listdir(path.parent) == [path.name]


@pytest.fixture
def nobody(tmp_path):
    """Everything from here on as another user."""
    os.chmod(tmp_path, 0o755)
    for folder in tmp_path.parents:
        if folder.stat().st_uid == os.geteuid() and folder != folder.parent and not folder.stat().st_mode & 0o001:
            os.chmod(folder, stat.S_IMODE(folder.stat().st_mode) | 0o011)
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    yield NOBODY
    os.seteuid(0)
    os.setegid(0)


# ---- reading


def test_it_reads_like_a_topic(path):
    file = opened(path)
    assert read(file) == [(0, 0, KEY, b'{"n":1}', 0), (0, 1, OTHER, None, 0)]
    assert file.topic("x")[1:] == (1, "compact", None) and file.exists
    path.write_bytes(java(a=b'{"n":1}', c=b"{}"))
    assert read(file)[2:] == [(0, 2, b'["c",{"f":"c"}]', b"{}", 0)], "only what has come since"
    path.unlink()
    assert [one[2:4] for one in read(file)[3:]] == [(KEY, None), (b'["c",{"f":"c"}]', None)]


@pytest.mark.parametrize("empty", [True, False])
def test_nothing_there_is_no_offset(path, empty):
    path.write_bytes(b"") if empty else path.unlink()
    file = opened(path)
    assert read(file) == [] and file.exists is empty
    put(file, (KEY, b"{}"))
    assert entries(path) == [(KEY, b"{}")]


def test_a_worker_that_writes_it_just_now(path):
    """It empties the file and then fills it."""
    whole, looks = path.read_bytes(), []

    def fill(seconds):
        looks.append(seconds)
        path.write_bytes(whole[:100] if len(looks) == 1 else whole)

    path.write_bytes(b"")
    assert [one[2] for one in read(opened(path, sleep=fill))] == [KEY, OTHER] and len(looks) == 2


def test_a_whole_file_is_read_once(path):
    def never(seconds):
        raise AssertionError
    opened(path, sleep=never)
    path.unlink()
    opened(path, sleep=never)


@pytest.mark.parametrize("data", [b"{}", b"\xac\xed", java(a=b"x")[:-1], java(a=b"x") + b"\0", b"\0" * 100_000])
def test_something_else_is_left_alone(path, data):
    path.write_bytes(data)
    with pytest.raises(errors.NotOffsetsTopic) as caught:
        opened(path)
    assert caught.value.message.startswith(f"{path} is no file of a standalone worker's offsets, or was cut short: ")
    assert caught.value.message.endswith("") and path.read_bytes() == data and nothing_else(path)


def test_a_large_other_file_is_not_read(tmp_path):
    path = tmp_path / "disk"
    with path.open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(errors.NotOffsetsTopic, match="at byte 0"):
        opened(path)


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, words in (("", "is a folder"), ("pipe", "no regular file"), ("/dev/zero", "no regular file")):
        with pytest.raises(errors.NotOffsetsTopic, match=words):
            opened(tmp_path / path)
    os.symlink("loop", tmp_path / "loop")
    with pytest.raises(errors.ConnectError, match="Too many levels"):
        opened(tmp_path / "loop")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(errors.DeclarationError, match="There is no folder .*/wrong, so "):
        opened(tmp_path / "wrong" / "offsets")
    with pytest.raises(errors.ConnectError, match="Not a directory"):
        (tmp_path / "file").write_bytes(b"")
        opened(tmp_path / "file" / "offsets")


@pytest.mark.parametrize("path", ["connect.offsets", "./connect.offsets", ""])
def test_a_relative_path(path):
    with pytest.raises(errors.DeclarationError, match="is relative"):
        FileLog(path)


def test_home(monkeypatch, path):
    monkeypatch.setenv("HOME", str(path.parent))
    assert FileLog("~/offsets").path == str(path)


# ---- writing


def test_write(path):
    file = opened(path)
    put(file, (OTHER, b'{"n":2}'), (KEY, None), (b"new", b"v"))
    assert entries(path) == [(KEY, None), (OTHER, b'{"n":2}'), (b"new", b"v")] and nothing_else(path)
    assert [one[2:4] for one in read(file)[2:]] == [(KEY, None), (OTHER, b'{"n":2}'), (b"new", b"v")]


def test_what_is_not_changed_stays_byte_for_byte(path):
    before = path.read_bytes()
    put(opened(path), (KEY, b'{"n":2}'))
    assert path.read_bytes() == before.replace(b'{"n":1}', b'{"n":2}')


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o4755])
def test_mode(path, mode):
    path.chmod(mode)
    put(opened(path), (KEY, None))
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("mask, mode", [(0o022, 0o644), (0o077, 0o600)])
def test_mode_of_a_new_file(path, mask, mode):
    path.unlink()
    old = os.umask(mask)
    try:
        put(opened(path), (KEY, None))
        assert os.umask(mask) == mask
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@root_only
def test_owner(path):
    os.chown(path, 1234, 4321)
    put(opened(path), (KEY, None))
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 4321)


@root_only
def test_group_in_a_folder_that_gives_its_own(path):
    os.chown(path.parent, 0, 4321)
    path.parent.chmod(0o2755)
    put(opened(path), (KEY, None))
    assert path.stat().st_gid == 0


def test_extended_attributes(path):
    try:
        os.setxattr(path, "user.streamops", b"label")
    except OSError as error:
        pytest.skip(f"this file system has none: {error}")
    put(opened(path), (KEY, None))
    assert os.getxattr(path, "user.streamops") == b"label"


def test_a_file_system_without_them(path, monkeypatch):
    def none(*arguments):
        raise OSError(errno.ENOTSUP, "no")
    monkeypatch.setattr(os, "listxattr", none)
    put(opened(path), (KEY, None))
    assert entries(path)[0] == (KEY, None)


def test_a_link_stays_a_link(path):
    link = path.parent / "link"
    link.symlink_to("offsets")
    file = opened(link)
    put(file, (KEY, None))
    assert link.is_symlink() and entries(path)[0] == (KEY, None) and file.path == str(path)


def test_a_link_to_nothing(path):
    (path.parent / "link").symlink_to("new")
    put(opened(path.parent / "link"), (KEY, b"v"))
    assert entries(path.parent / "new") == [(KEY, b"v")] and (path.parent / "link").is_symlink()


def test_a_reader_sees_the_old_or_the_new_file(path):
    """One that opens it again and again while it is changed, and it was never seen half."""
    path.write_bytes(java(**{f"f{number}": b"0" * 100 for number in range(2000)}))
    seen, broken, over = set(), [], threading.Event()

    def look():
        while not over.is_set():
            try:
                seen.add({value for _key, value in entries(path)}.pop())
            except (ValueError, OSError) as error:
                broken.append(error)

    reader = threading.Thread(target=look)
    reader.start()
    try:
        file = opened(path)
        for number in b"1234567":
            put(file, *((key, bytes([number]) * 100) for key, value in entries(path)))
            file.ends(None)
    finally:
        over.set()
        reader.join()
    assert broken == [] and len(seen) > 1


def test_changed_meanwhile(path):
    file = opened(path)
    path.write_bytes(java(a=b'{"n":9}'))
    with pytest.raises(errors.StateError, match="was changed by somebody else in this moment"):
        put(file, (KEY, b'{"n":2}'))
    assert path.read_bytes() == java(a=b'{"n":9}') and nothing_else(path)


def test_made_or_gone_meanwhile(path):
    file = opened(path)
    path.unlink()
    with pytest.raises(errors.StateError):
        put(file, (KEY, None))
    assert not path.exists()
    file = opened(path)
    path.write_bytes(java(a=b"x"))
    with pytest.raises(errors.StateError):
        put(file, (KEY, None))
    assert path.read_bytes() == java(a=b"x")


def test_it_waits_for_another_run(path):
    """Between the last look and the step only one is at work in a folder."""
    folder, waits = os.open(path.parent, os.O_RDONLY), []
    fcntl.flock(folder, fcntl.LOCK_EX)

    def wait(seconds):
        waits.append(seconds)
        fcntl.flock(folder, fcntl.LOCK_UN)

    try:
        put(opened(path, sleep=wait), (KEY, None))
        assert len(waits) == 1 and entries(path)[0] == (KEY, None)
        fcntl.flock(folder, fcntl.LOCK_EX)
        times = iter(range(0, 1000, 6))
        with pytest.raises(errors.StateError, match="has been locked by somebody else"):
            put(opened(path, sleep=lambda seconds: None, clock=lambda: next(times)), (KEY, b"x"))
    finally:
        os.close(folder)
    assert entries(path)[0] == (KEY, None) and nothing_else(path)


def _many(path, name, told):
    for number in range(20):
        try:
            file = opened(path)
            put(file, (b'["c",{"f":"%s"}]' % name, b"%d" % number))
        except errors.StateError:
            continue
        told.put((name, number))


def test_many_runs_at_once_lose_nothing(path):
    """Each is done and stays, or fails and says so."""
    context = multiprocessing.get_context("fork")
    told, names = context.Queue(), [b"x", b"y", b"z"]
    runs = [context.Process(target=_many, args=(path, name, told)) for name in names]
    for run in runs:
        run.start()
    for run in runs:
        run.join(60)
    last = {}
    while not told.empty():
        name, number = told.get()
        last[name] = number
    found = dict(entries(path))
    assert {name: found[b'["c",{"f":"%s"}]' % name] for name in last} == {name: b"%d" % number for name, number in last.items()}
    assert last and nothing_else(path)


@pytest.mark.parametrize("what", ["fsync", "rename", "fchmod"])
def test_a_full_or_broken_disk(path, monkeypatch, what):
    before, file = path.read_bytes(), opened(path)

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(module.os, what, full)
    with pytest.raises(errors.ConnectError, match="cannot be written: No space left on device."):
        put(file, (KEY, None))
    monkeypatch.undo()
    assert path.read_bytes() == before and nothing_else(path) and not errors.WRITES.made


@root_only
def test_a_folder_that_is_not_ours(path, nobody):
    os.seteuid(0)
    path.parent.chmod(0o755)
    path.chmod(0o666)
    os.seteuid(nobody)
    file, before = opened(path), path.read_bytes()
    with pytest.raises(errors.ConnectError, match=r"this user may not write into its folder.*\(become\)\."):
        file.check_writable()
    with pytest.raises(errors.ConnectError, match="cannot be written: Permission denied."):
        put(file, (KEY, None))
    assert path.read_bytes() == before


@root_only
def test_the_file_of_another_user(path, nobody):
    """Its owner could not be kept."""
    os.seteuid(0)
    path.parent.chmod(0o777)
    path.chmod(0o666)
    os.seteuid(nobody)
    file, before = opened(path), path.read_bytes()
    with pytest.raises(errors.ConnectError, match="it belongs to another user"):
        file.check_writable()
    with pytest.raises(errors.ConnectError, match="cannot be written: Operation not permitted."):
        put(file, (KEY, None))
    assert path.read_bytes() == before and nothing_else(path)


@root_only
def test_a_file_that_may_not_be_read(path, nobody):
    os.seteuid(0)
    path.chmod(0o600)
    os.seteuid(nobody)
    with pytest.raises(errors.ConnectError, match="cannot be read: Permission denied."):
        opened(path)


def test_writable(path):
    opened(path).check_writable()
    path.unlink()
    opened(path).check_writable()
