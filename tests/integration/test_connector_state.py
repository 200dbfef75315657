# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module connector_state: from every state to every state, dry and real, first and second time; and the fact waited for."""

from __future__ import annotations

import time

import pytest

from tests.integration.support.configs import at, shaped
from tests.integration.support.worker import wait_until

PREDICTED = ("changed", "diff", "state_before")
FACTS = {"started": ("RUNNING", ["RUNNING"]), "paused": ("PAUSED", ["PAUSED"]), "stopped": ("STOPPED", [])}
WAYS = [(found, wanted) for found in FACTS for wanted in FACTS if found != wanted]


@pytest.mark.parametrize(("found", "wanted"), WAYS)
def test_dry_real_and_again(found, wanted, make, run, worker, recorder):
    before, tasks_before = FACTS[found]
    name = make(shaped(), state=before)
    worker.await_state(name, before, tasks_before)
    # PAUSED straight from STOPPED: Connect makes no tasks for it.
    after, tasks = ("PAUSED", []) if (found, wanted) == ("stopped", "paused") else FACTS[wanted]
    arguments = {"name": name, "state": wanted, "connect_url": [recorder.url]}

    dry = run("connector_state", check=True, **arguments)
    assert recorder.verbs == {"GET"}
    assert worker.state(name) == (before, tasks_before)
    real = run("connector_state", **arguments)
    # No waiting here: the module has waited.
    assert worker.state(name) == (after, tasks)
    assert len(recorder.writes()) == 1, "a repeated stop rebalances the whole cluster"
    assert not dry["failed"] and not real["failed"]
    assert {key: dry[key] for key in PREDICTED} == {key: real[key] for key in PREDICTED}
    assert real["changed"] is True and real["state_before"] == before
    assert real["diff"][0]["before"] == {"state": before} and real["diff"][0]["after"] == {"state": after}
    assert dry["connector"]["state"] == before
    assert real["connector"]["state"] == after and [task["state"] for task in real["connector"]["tasks"]] == tasks

    recorder.requests.clear()
    for check in (True, False):
        again = run("connector_state", check=check, **arguments)
        assert again["changed"] is False and not again["failed"] and again["state_before"] == after
        assert again["diff"][0]["before"] == again["diff"][0]["after"]
    assert recorder.verbs == {"GET"}


def test_started_repairs_what_is_failed(make, run, worker):
    """A task that failed for want of a good config is restarted once that is mended."""
    name = make(shaped(fail_task="poll"), state="RUNNING")
    worker.await_state(name, "RUNNING", ["FAILED"])
    failed = run("connector_state", name=name, state="started")
    assert failed["failed"] and "told to fail in poll" in failed["msg"]
    worker.put(name, "stop")
    worker.await_state(name, "STOPPED", [])
    worker.must("PUT", f"connectors/{name}/config", shaped(topic=name, name=name))
    assert run("connector_state", name=name, state="started")["changed"] is True
    assert worker.state(name) == ("RUNNING", ["RUNNING"])


@pytest.mark.parametrize("config", [shaped(fail_task="start"), shaped(partitions="[1]")], ids=["task", "connector"])
def test_c17_failed_can_be_stopped(config, make, run, worker):
    name = make(config, state="RUNNING")
    wait_until(lambda: "FAILED" in (worker.state(name)[0], *worker.state(name)[1]))
    assert run("connector_state", name=name, state="stopped")["changed"] is True
    assert worker.state(name) == ("STOPPED", [])
    assert run("connector_state", name=name, state="stopped")["changed"] is False


def test_slow_task_is_waited_for(make, run, worker):
    """Connect answers the stop at once; this task needs two seconds more."""
    name = make(shaped(slow_stop_ms=2000), state="RUNNING", offsets=[at(4)])
    worker.await_state(name, "RUNNING", ["RUNNING"])
    started = time.monotonic()
    assert run("connector_state", name=name, state="stopped")["changed"] is True
    assert worker.state(name) == ("STOPPED", [])
    assert time.monotonic() - started < 20
    assert run("connector_offsets", name=name, offsets=[at(1)])["changed"] is True


def test_without_tasks(make, run, worker):
    """A connector that never has tasks is started and stopped, too."""
    name = make(shaped(no_tasks="true"))
    assert run("connector_state", name=name, state="started")["changed"] is True
    assert worker.state(name) == ("RUNNING", [])
    assert run("connector_state", name=name, state="started")["changed"] is False
    assert run("connector_state", name=name, state="stopped")["changed"] is True
    assert worker.state(name) == ("STOPPED", [])


def test_missing_connector_is_a_failure(run, worker):
    for check in (True, False):
        result = run("connector_state", check=check, name="no-such", state="stopped")
        assert result["failed"] and "no such connector" in result["msg"] and "no-such" in result["msg"]


def test_wait_timeout_is_kept_and_said(make, run, worker):
    name = make(shaped(slow_stop_ms=4000), state="RUNNING")
    worker.await_state(name, "RUNNING", ["RUNNING"])
    result = run("connector_state", name=name, state="stopped", wait_timeout=1)
    assert result["failed"] and "1 s" in result["msg"] and "STOPPED" in result["msg"] and name in result["msg"]
    worker.await_state(name, "STOPPED", [])


@pytest.mark.parametrize("version", ["3.5.2", "3.4.1"])
def test_old_workers(version, name, run, v35, v34):
    cluster = v35 if version == "3.5.2" else v34
    cluster.worker.create(name, shaped(topic=name), None)
    try:
        cluster.worker.await_state(name, "RUNNING", ["RUNNING"])
        assert run("connector_state", name=name, state="paused", connect_url=[cluster.url])["changed"] is True
        assert cluster.worker.state(name) == ("PAUSED", ["PAUSED"])
        result = run("connector_state", name=name, state="stopped", connect_url=[cluster.url])
        if version == "3.5.2":
            assert result["changed"] is True
            assert cluster.worker.state(name) == ("STOPPED", [])
        else:
            assert result["failed"] and "3.4.1" in result["msg"] and "3.5" in result["msg"]
            assert cluster.worker.state(name) == ("PAUSED", ["PAUSED"])
    finally:
        cluster.worker.delete(name)


# ---- restarted ---------------------------------------------------------------------------------------------------------

RESTARTED = (*PREDICTED, "restarted")


def restarts(recorder) -> list[tuple[str, str]]:
    return [(verb, path.partition("/restart")[2]) for verb, path in recorder.writes()]


def test_restarted_with_what_is_failed(make, run, worker, recorder):
    name = make(shaped(), state="RUNNING")
    worker.await_state(name, "RUNNING", ["RUNNING"])
    arguments = {"name": name, "state": "restarted", "connect_url": [recorder.url]}
    for check in (True, False):
        result = run("connector_state", check=check, tasks="failed", **arguments)
        assert result["changed"] is False and not result["failed"] and result["restarted"] == {"connector": False, "tasks": []}
    assert recorder.verbs == {"GET"}


def test_restarted_fails_again_until_the_cause_is_removed(make, run, worker, tmp_path, recorder):
    """A sink whose file is in a directory that there is not: its task fails when it starts."""
    name = make({"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
                 "topics": "of-nobody", "file": f"{tmp_path}/missing/out.txt"}, state="RUNNING")
    worker.await_state(name, "RUNNING", ["FAILED"])
    arguments = {"name": name, "state": "restarted", "connect_url": [recorder.url]}
    dry = run("connector_state", check=True, **arguments)
    assert dry["changed"] and dry["restarted"] == {"connector": False, "tasks": [0]} and recorder.verbs == {"GET"}
    failed = run("connector_state", **arguments)
    assert failed["failed"] and "was restarted, but failed: task 0: " in failed["msg"], failed["msg"]
    assert "Couldn't find or create file" in failed["msg"]
    assert restarts(recorder) == [("POST", "?includeTasks=true&onlyFailed=true")]
    (tmp_path / "missing").mkdir()
    real = run("connector_state", **arguments)
    assert not real["failed"] and {key: real[key] for key in RESTARTED} == {key: dry[key] for key in RESTARTED}
    assert worker.state(name) == ("RUNNING", ["RUNNING"])
    assert run("connector_state", **arguments)["changed"] is False


@pytest.mark.parametrize("tasks, connector, sent", [("all", True, "?includeTasks=true&onlyFailed=false"), ([0], False, "")])
def test_restarted_though_nothing_failed(tasks, connector, sent, make, run, worker, recorder, main):
    name = make(shaped(records_per_partition=2), state="RUNNING")
    wait_until(lambda: worker.offsets(name) == [at(1)])
    started = time.monotonic()
    arguments = {"name": name, "state": "restarted", "tasks": tasks, "connect_url": [recorder.url]}
    dry = run("connector_state", check=True, **arguments)
    assert recorder.verbs == {"GET"}
    real = run("connector_state", **arguments)
    assert not real["failed"] and restarts(recorder) == [("POST", sent)]
    assert {key: dry[key] for key in RESTARTED} == {key: real[key] for key in RESTARTED}
    assert real["changed"] and real["restarted"] == {"connector": connector, "tasks": [0]}
    assert worker.state(name) == ("RUNNING", ["RUNNING"]) and time.monotonic() - started < 20
    missing = run("connector_state", name=name, state="restarted", tasks=[0, 4])
    assert missing["failed"] and f"{name} has no task 4." in missing["msg"]


def test_restarted_is_no_start(make, run):
    name = make(shaped())
    for tasks in ("all", [0]):
        result = run("connector_state", name=name, state="restarted", tasks=tasks)
        assert result["failed"] and "is STOPPED, so there is nothing to restart. Use state: started." in result["msg"]
    refused = run("connector_state", name=name, state="started", tasks="all")
    assert refused["failed"] and refused["msg"] == "tasks belongs to state: restarted. Nothing was changed."
