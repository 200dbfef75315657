# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import signal
import stat

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import Interrupted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.private import private_folder, write


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def handled(number):
    """The signal is not ignored, as SIGHUP is under nohup."""
    before = signal.signal(number, signal.default_int_handler)
    yield
    signal.signal(number, before)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_nobody_else_can_read_it(temporary):
    with private_folder() as folder:
        write(folder + "/job.conf", b"secret", 0o600)
        assert (mode(folder), mode(folder + "/job.conf")) == (0o700, 0o600)
        with pytest.raises(FileExistsError):
            write(folder + "/job.conf", b"other", 0o600)
    assert not list(temporary.iterdir())


def test_it_is_removed_after_an_error(temporary):
    with pytest.raises(ZeroDivisionError), private_folder() as folder:
        write(folder + "/job.conf", b"secret", 0o640)
        raise ZeroDivisionError
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_is_removed_after_a_signal(temporary, number, handled):
    """A second one does not get in the way of that, and the handlers of before are back afterwards."""
    before = signal.getsignal(number)
    with pytest.raises(Interrupted, match=f"interrupted \\({number.name}\\)"), private_folder() as folder:
        write(folder + "/job.conf", b"secret", 0o600)
        try:
            os.kill(os.getpid(), number)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
    assert not list(temporary.iterdir()) and signal.getsignal(number) is before
