# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which processes have the file: real ones, with a worker's command line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import standalone_process
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.standalone_process import workers_with

CLASS = "org.apache.kafka.connect.cli.ConnectStandalone"


@pytest.fixture
def worker(tmp_path):
    """worker(*words, cwd=...): a process with these words behind its class name; its pid."""
    started = []

    def worker(*words, name=CLASS, cwd=tmp_path, **options) -> int:
        code = "import sys; print(flush=True); sys.stdin.read()"
        command = [sys.executable, "-c", code, "-cp", "/kafka/libs/*", name, *map(str, words)]
        process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        started.append(process)
        process.stdout.readline()
        return process.pid

    yield worker
    for process in started:
        process.communicate()


@pytest.fixture
def offsets(tmp_path):
    return tmp_path / "connect.offsets"


def config(folder, file, name="worker.properties"):
    path = folder / name
    path.write_text(f"bootstrap.servers=a:9092\noffset.storage.file.filename={file}\n")
    return path


def of(path, *pids) -> list:
    """Others may run on this machine."""
    return [one for one in workers_with(str(path)) if any(one.startswith(f"process {pid} ") for pid in pids)]


@pytest.mark.parametrize("there", [True, False])
def test_its_worker(worker, tmp_path, offsets, there):
    if there:
        offsets.write_bytes(b"")
    path = config(tmp_path, offsets)
    pid = worker(path, "connector.properties")
    assert of(offsets, pid) == [f"process {pid} ({path})"]


def test_another_worker(worker, tmp_path, offsets):
    pid = worker(config(tmp_path, tmp_path / "other.offsets"))
    for _time in range(2):
        assert of(offsets, pid) == []
        offsets.write_bytes(b"")
        (tmp_path / "other.offsets").write_bytes(b"")


def test_relative_paths(worker, tmp_path, offsets):
    config(tmp_path, "connect.offsets")
    pid = worker("worker.properties")
    assert of(offsets, pid) == [f"process {pid} (worker.properties)"] and of(tmp_path / "other", pid) == []


def test_links(worker, tmp_path, offsets):
    offsets.write_bytes(b"")
    (tmp_path / "link").symlink_to(offsets)
    os.link(offsets, tmp_path / "hard")
    by_link, by_name = worker(config(tmp_path, tmp_path / "link", "a")), worker(config(tmp_path, tmp_path / "hard", "b"))
    assert len(of(offsets, by_link, by_name)) == 2 and len(of(tmp_path / "link", by_link, by_name)) == 2
    offsets.unlink()
    assert len(of(offsets, by_link)) == 1, "a link to where it will be"


@pytest.mark.parametrize("text", [None, "", "bootstrap.servers=a", "offset.storage.file.filename="])
def test_one_that_cannot_be_seen_counts(worker, tmp_path, offsets, text):
    path = tmp_path / "worker.properties"
    pid = worker(path)
    if text is not None:
        path.write_text(text)
    assert of(offsets, pid) == [f"process {pid} ({path})"]


def test_one_without_a_property_file_counts(worker, offsets):
    pid = worker()
    assert of(offsets, pid) == [f"process {pid} (its configuration cannot be seen)"]


def test_options_before_the_property_file(worker, tmp_path, offsets):
    path = config(tmp_path, offsets)
    pid = worker("-daemon", path)
    assert of(offsets, pid) == [f"process {pid} ({path})"]


@pytest.mark.parametrize("name", ["org.apache.kafka.connect.cli.ConnectDistributed", f"-Dx={CLASS}", f"grep {CLASS}"])
def test_other_programs(worker, tmp_path, offsets, name):
    assert of(offsets, worker(config(tmp_path, offsets), name=name)) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_a_worker_of_another_user(worker, tmp_path, offsets):
    """Where we may not look, it counts."""
    path = config(tmp_path, tmp_path / "other.offsets")
    pid = worker(path)
    os.seteuid(65534)
    try:
        assert of(offsets, pid) == [f"process {pid} ({path})"]
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the root")
def test_a_worker_in_a_container(tmp_path, offsets):
    """It sees other paths: here the folder is its root."""
    folder = tmp_path / "root"
    (folder / "data").mkdir(parents=True)
    config(folder, "/data/connect.offsets")
    reading, writing = os.pipe()
    ready, told = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(writing)
        os.chroot(folder)
        os.chdir("/")
        os.write(told, b"x")
        os.read(reading, 1)
        os._exit(0)
    os.read(ready, 1)
    try:
        words = [CLASS.encode(), b"/worker.properties"]
        found = {str(pid): words}
        original, standalone_process._command = standalone_process._command, lambda number: found.get(number, [])
        try:
            assert len(workers_with(str(offsets))) == 1, "before there is a file, it could be a link"
            (folder / "data" / "connect.offsets").write_bytes(b"")
            offsets.write_bytes(b"")
            assert workers_with(str(offsets)) == []
            assert len(workers_with(str(folder / "data" / "connect.offsets"))) == 1
        finally:
            standalone_process._command = original
    finally:
        os.write(writing, b"x")
        os.waitpid(pid, 0)


def test_without_proc(monkeypatch, offsets):
    def hidden(folder):
        raise FileNotFoundError(folder)

    monkeypatch.setattr(standalone_process.os, "listdir", hidden)
    assert workers_with(str(offsets)) == []
