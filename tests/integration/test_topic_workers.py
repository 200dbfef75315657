# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connectors that really start where the offsets topic tells them to, on workers old and new, restarted or not."""

from __future__ import annotations

import pytest

from tests.integration.support.configs import at
from tests.integration.support.worker import wait_until


def emitted(*numbers: int) -> list[str]:
    return [f'{{"p":0}}#{number}' for number in numbers]


@pytest.mark.parametrize("version", ["main", "v35"])
def test_restarted_worker_starts_at_the_declared_offset(version, request, make_on, method, kafka, live_stack):
    """4.3.1 and 3.5.2: GET shows it after the restart, and exactly the records after it are written again."""
    cluster = request.getfixturevalue(version)
    name = make_on(cluster, "STOPPED")
    method.on(cluster).done(name, offsets=[at(1)])
    live_stack.restart_worker(cluster.url)
    assert cluster.worker.offsets(name) == [at(1)]
    cluster.worker.put(name, "resume")
    wait_until(lambda: kafka.values(name) == emitted(0, 1, 2, 3, 4, 2, 3, 4), reason="records 2, 3, 4 again")


@pytest.mark.parametrize("state", ["RUNNING", "PAUSED"])
def test_c26_no_stop_on_3_4_1_is_refused(state, v34, make_on, method):
    """Nothing that a plain pause would leave half done: refused, in words, and not one record."""
    method = method.on(v34)
    name = make_on(v34, state)
    ends = method.kafka.ends(method.topic)
    for check in (True, False):
        result = method.change(name, check=check, offsets=[at(1)])
        assert result["failed"] and not result.get("changed")
        assert state in result["msg"] and "stop: true" in result["msg"] and "3.5" in result["msg"]
    assert method.kafka.ends(method.topic) == ends and v34.worker.state(name) == (state, [state])


def test_c26_running_on_3_4_1_with_stop(v34, make_on, method, kafka):
    """Paused, tasks started anew, written, resumed: the task really reads the new offset."""
    name = make_on(v34, "RUNNING")
    real = method.on(v34).change(name, offsets=[at(1)], stop=True)
    assert real["changed"] is True and real["connector"]["state"] == "RUNNING", real
    wait_until(lambda: kafka.values(name) == emitted(0, 1, 2, 3, 4, 2, 3, 4), reason="records 2, 3, 4 again")
    assert v34.worker.state(name) == ("RUNNING", ["RUNNING"])


@pytest.mark.parametrize("restart", [False, True], ids=["as it is", "worker restarted"])
def test_c26_paused_on_3_4_1_stays_paused(restart, v34, make_on, method, kafka, live_stack):
    """And starts at the declared offset once somebody resumes it."""
    name = make_on(v34, "PAUSED")
    method.on(v34).done(name, offsets=[at(1)], stop=True)
    assert v34.worker.state(name) == ("PAUSED", ["PAUSED"])
    if restart:
        live_stack.restart_worker(v34.url)
    v34.worker.put(name, "resume")
    wait_until(lambda: kafka.values(name) == emitted(0, 1, 2, 3, 4, 2, 3, 4), reason="records 2, 3, 4 again")


def test_c08_running_is_refused(make_on, main, method):
    """The failure names the state; no record is written, in check mode neither."""
    name = make_on(main, "RUNNING")
    ends = method.kafka.ends(method.topic)
    for desired in ({"offsets": [at(1)]}, {"state": "absent"}):
        for check in (True, False):
            result = method.change(name, check=check, **desired)
            assert result["failed"] and not result.get("changed")
            assert name in result["msg"] and "RUNNING" in result["msg"] and "stop: true" in result["msg"]
    assert method.kafka.ends(method.topic) == ends and main.worker.state(name) == ("RUNNING", ["RUNNING"])


def test_c08_stopped_for_the_change_and_put_back(make_on, main, method, kafka):
    """stop: true: stopped, written while no task is there, started again where it was told."""
    name = make_on(main, "RUNNING")
    real = method.change(name, offsets=[at(1)], stop=True)
    assert real["changed"] is True and real["connector"]["state"] == "RUNNING", real
    wait_until(lambda: kafka.values(name) == emitted(0, 1, 2, 3, 4, 2, 3, 4), reason="records 2, 3, 4 again")


@pytest.mark.parametrize("version", ["main", "v34"])
def test_failed_task_is_put_back_with_the_new_offset(version, request, make_on, method, kafka):
    """It failed after its records were written; once it is mended, it starts at the declared offset."""
    cluster = request.getfixturevalue(version)
    name, worker = make_on(cluster, "RUNNING"), cluster.worker
    config = worker.config(name)
    worker.must("PUT", f"connectors/{name}/config", {**config, "fail.task": "start"})
    worker.await_state(name, "RUNNING", ["FAILED"])
    real = method.on(cluster).change(name, offsets=[at(1)], stop=True)
    assert real["failed"] and real["changed"] is True and real["offsets"] == [at(1)], real
    assert "started again after the change, but failed: task 0: " in real["msg"] and "It had failed before, too." in real["msg"]
    worker.await_state(name, "RUNNING", ["FAILED"])
    worker.must("PUT", f"connectors/{name}/config", config)
    wait_until(lambda: kafka.values(name) == emitted(0, 1, 2, 3, 4, 2, 3, 4), reason="records 2, 3, 4 again")
