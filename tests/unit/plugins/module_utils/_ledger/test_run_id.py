# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real processes: which runs are gone for certain."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import run_id
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.run_id import is_gone, this_run

SCRIPT = ("import sys; from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.run_id import this_run; "
          "print(this_run(), flush=True); sys.stdin.read()")


@pytest.fixture
def child():
    process = subprocess.Popen([sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    yield process, process.stdout.readline().strip()
    process.kill()
    process.communicate()


def test_a_run_has_a_name_of_its_own():
    one, other = this_run(), this_run()
    assert one != other and one.rpartition("/")[0] == other.rpartition("/")[0]
    assert f"/{os.getpid()}-" in one and not is_gone(one)


def test_a_run_that_lives_and_then_is_killed(child):
    process, run = child
    assert run.split("/")[0] == this_run().split("/")[0] and not is_gone(run)
    process.kill()
    process.wait()
    assert is_gone(run)


def test_a_run_that_is_dead_but_not_yet_reaped(child):
    """As in a container whose first process does not care for orphans."""
    process, run = child
    process.kill()
    end = time.monotonic() + 10
    while not is_gone(run) and time.monotonic() < end:
        time.sleep(0.02)
    assert process.returncode is None and is_gone(run)


def test_a_number_that_is_used_again():
    machine, process, rest = this_run().split("/")
    number, started = process.split("-")
    assert not is_gone(this_run())
    assert is_gone(f"{machine}/{number}-{int(started) - 1}/{rest}")


@pytest.mark.parametrize("run", [
    "another-machine/{process}/x", "unknown/{process}/x", "/{process}/x", "{machine}/unknown/x", "{machine}//x", "{machine}", "", "x",
    "///"])
def test_nothing_is_known_of_other_machines(run):
    machine = this_run().split("/")[0]
    assert not is_gone(run.format(machine=machine, process="1999999999-1"))
    assert is_gone(f"{machine}/1999999999-1/x")


def test_another_container_on_the_same_machine():
    machine = this_run().split("/")[0]
    boot, _dash, namespace = machine.rpartition("-")
    assert not is_gone(f"{boot}-{int(namespace) + 1}/1999999999-1/x")


def test_without_proc(monkeypatch):
    """Nothing is known then, so nobody is taken for dead."""
    gone = this_run().replace(f"/{os.getpid()}-", "/1999999999-")
    assert is_gone(gone)
    monkeypatch.setattr(run_id, "_machine", lambda: "")
    assert this_run().startswith("unknown/") and not is_gone(gone)
