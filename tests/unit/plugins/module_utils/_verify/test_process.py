# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import Interrupted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify import process
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.private import private_folder


def run(tmp_path, script, seconds=60):
    return process.run(["sh", "-c", script], str(tmp_path / "log"), str(tmp_path), dict(os.environ, WORD="there"), seconds)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid):
    """Within a moment, as a process that is killed needs one."""
    end = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_alive(pid)


def child(tmp_path):
    """The process that the script has started and named."""
    end = time.monotonic() + 20
    while not (tmp_path / "child").exists() or not (tmp_path / "child").read_text().strip():
        assert time.monotonic() < end
        time.sleep(0.02)
    return int((tmp_path / "child").read_text())


CHILD = "sleep 300 & echo $! > child; wait"


def test_status_log_folder_and_environment(tmp_path):
    assert run(tmp_path, "pwd; echo $WORD >&2; exit 3") == 3
    assert (tmp_path / "log").read_text() == f"{tmp_path.resolve()}\nthere\n"


def test_too_long(tmp_path):
    """All that it has started is ended with it."""
    assert run(tmp_path, CHILD, 1) is None
    assert ends(child(tmp_path))


def test_what_does_not_end_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(process, "_GRACE", 0.2)
    assert run(tmp_path, f"trap '' TERM; while :; do {CHILD}; done", 1) is None
    assert ends(child(tmp_path))


def test_a_signal_ends_it(tmp_path):
    def stop():
        child(tmp_path)
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(Interrupted), private_folder():
        run(tmp_path, CHILD)
    thread.join()
    assert ends(child(tmp_path))
