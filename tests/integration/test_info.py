# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two info modules, old workers, and C15: 100,000 partitions within 60 s and 500 MB."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stack import ClusterSpec
from tests.integration.support.configs import at, shaped
from tests.integration.support.worker import Worker, wait_until

ROOT = Path(__file__).resolve().parents[2]
MANY = 100_000
LIMIT_SECONDS = 60
LIMIT_MB = 650  # with the record of a change in the ledger, which holds all that it replaces


def test_connector_info(make, run, worker, recorder):
    one, two = make(shaped(db_password="Tr0ub4dor&3")), make(shaped(), state="PAUSED")
    info = run("connector_info", name=[one, two, "no-such"], connect_url=[recorder.url])
    # The second one tells which cluster it is.
    assert [request.path for request in recorder.requests] == ["/connectors?expand=status&expand=info", "/"] and recorder.verbs == {"GET"}
    assert info["changed"] is False and info["exists"] is True and info["missing"] == ["no-such"]
    first, second = info["connectors"]
    assert (first["name"], first["state"], first["type"], first["tasks"]) == (one, "STOPPED", "source", [])
    assert (second["name"], second["state"], [task["state"] for task in second["tasks"]]) == (two, "PAUSED", ["PAUSED"])
    assert second["version"] == "1.0.0" and second["config"] == worker.config(two)
    assert {**first["config"], "db.password": None} == {**worker.config(one), "db.password": None}
    assert "Tr0ub4dor" not in json.dumps(info)
    glob = run("connector_info", name=[f"{one[:-2]}-*"])
    assert [found["name"] for found in glob["connectors"]] == [one, two] and glob["missing"] == []
    everything = run("connector_info")
    assert {found["name"] for found in everything["connectors"]} == set(worker.must("GET", "connectors"))
    nothing = run("connector_info", name=["no-such", "nope-*"])
    assert not nothing["failed"]
    assert nothing["exists"] is False and nothing["connectors"] == [] and nothing["missing"] == ["no-such", "nope-*"]


def test_failed_task_shows_its_trace(make, run, worker):
    name = make(shaped(fail_task="start"), state="RUNNING")
    worker.await_state(name, "RUNNING", ["FAILED"])
    task, = run("connector_info", name=[name])["connectors"][0]["tasks"]
    assert task["state"] == "FAILED" and "told to fail in start" in task["trace"]


def test_missing_connector(run, worker):
    info = run("connector_offsets_info", name="no-such")
    assert not info["failed"] and info["changed"] is False
    assert info["connector_exists"] is False and info["offsets"] == [] and info["connector"] is None
    for desired in ({"offsets": [at(1)]}, {"state": "absent"}):
        for check in (True, False):
            result = run("connector_offsets", check=check, name="no-such", stop=True, **desired)
            assert result["failed"] and "no such connector" in result["msg"] and "no-such" in result["msg"]
    assert not worker.exists("no-such")


def test_offsets_are_sorted_typed_and_cut(make, run, worker):
    pairs = [{"partition": {"f": text}, "offset": {"n": value}} for text, value in
             [("b", 9007199254740993), ("a", 1.5), ("c", "7"), ("d", True), ("é🚚", None)]]
    name = make(shaped(), offsets=pairs)
    info = run("connector_offsets_info", name=name)
    assert info["offsets"] == sorted(pairs, key=lambda pair: pair["partition"]["f"]) and info["truncated"] is False
    assert [type(pair["offset"]["n"]) for pair in info["offsets"]] == [float, int, str, bool, type(None)]
    cut = run("connector_offsets_info", name=name, max_entries=2)
    assert cut["offsets"] == info["offsets"][:2] and cut["truncated"] is True and cut["offsets_count"] == 5
    whole = run("connector_offsets_info", name=name, max_entries=0)
    assert whole["offsets"] == info["offsets"] and whole["truncated"] is False
    result = run("connector_offsets", check=True, name=name, offsets=[{"partition": {"f": "z"}, "offset": {"n": 1}}], max_entries=2)
    assert result["truncated"] is True and [action["action"] for action in result["actions"]] == ["set", "keep"]
    assert result["counts"] == {"set": 1, "remove": 0, "keep": 5, "before": 5, "after": 6}
    assert len(result["offsets"]) == len(result["offsets_before"]) == 2


@pytest.mark.parametrize("version", ["3.5.2", "3.4.1"])
def test_offsets_on_old_workers(version, name, run, v35, v34):
    cluster = v35 if version == "3.5.2" else v34
    cluster.worker.create(name, shaped(topic=name, records_per_partition=3), None)
    try:
        cluster.worker.await_state(name, "RUNNING", ["RUNNING"])
        if version == "3.5.2":
            wait_until(lambda: cluster.worker.offsets(name) == [at(2)])
        info = run("connector_offsets_info", name=name, connect_url=[cluster.url])
        change = run("connector_offsets", name=name, offsets=[at(99)], stop=True, connect_url=[cluster.url])
        if version == "3.5.2":
            assert info["connector_exists"] is True and info["offsets"] == [at(2)]
            assert change["failed"] and "3.6" in change["msg"] and version in change["msg"]
        else:
            for result in (info, change):
                assert result["failed"] and "3.5" in result["msg"] and version in result["msg"]
        assert run("connector_info", name=[name], connect_url=[cluster.url])["connectors"][0]["state"] == "RUNNING"
        assert cluster.worker.state(name) == ("RUNNING", ["RUNNING"])
        assert run("connector_offsets_info", name="no-such", connect_url=[cluster.url])["connector_exists"] is False
    finally:
        cluster.worker.delete(name)


#: the module as a process of its own, and what it took
MEASURED = """
import json, resource, sys
from tests.integration.support.modules import run_module
module, arguments, check = json.loads(sys.stdin.read())
result = run_module(module, arguments, check=check)
print(json.dumps({"result": result, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "size": len(json.dumps(result))}))
"""


def measured(module: str, arguments: dict, check: bool = False) -> dict:
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", MEASURED], input=json.dumps([module, arguments, check]), text=True,
                          capture_output=True, cwd=ROOT, timeout=300, env=_environment(), check=True)
    seconds = time.monotonic() - started
    found = json.loads(done.stdout)
    print(f"{module}: {seconds:.1f} s, {found['mb']:.0f} MB, {found['size'] / 1024:.0f} kB of result")
    assert seconds < LIMIT_SECONDS
    assert found["mb"] < LIMIT_MB
    assert not found["result"]["failed"], found["result"]["msg"]
    return found["result"]


def _environment() -> dict:
    return {**os.environ, "PYTHONPATH": ":".join(sys.path)}


def test_c15_many_partitions(many):
    """Made by the connector itself; listed, one changed, all reset, each time with the true counts and a cut list."""
    worker, made = many
    arguments = {"connect_url": [worker.url], "name": made}
    info = measured("connector_offsets_info", arguments)
    assert info["offsets_count"] == MANY and info["truncated"] is True
    assert len(info["offsets"]) == 1000 and info["unreadable_count"] == 0
    desired = {"state": "absent"}
    dry = measured("connector_offsets", {**arguments, **desired}, check=True)
    real = measured("connector_offsets", {**arguments, **desired})
    for result in (dry, real):
        assert result["changed"] is True and result["truncated"] is True
        assert result["counts"] == {"set": 0, "remove": MANY, "keep": 0, "before": MANY, "after": 0}
        assert len(result["actions"]) == len(result["offsets_before"]) == 1000 and result["offsets"] == []
        assert "99000 more" in json.dumps(result["diff"])
    assert worker.offsets(made) == []
    again = measured("connector_offsets", {**arguments, **desired})
    assert again["changed"] is False and again["counts"]["before"] == 0


@pytest.fixture
def many(live_stack, kafka, name):
    """100,000 partitions on a cluster of their own, whose offsets topic goes with it: reading it is slow."""
    cluster = live_stack.up({"many": ClusterSpec()})["clusters"]["many"]
    worker = Worker(cluster["urls"][0])
    worker.create(name, shaped(topic=name, partitions_count=MANY, partition_template='{"filename": "dir/f%d"}', records_per_partition=1,
                               interval_ms=1, alter_offsets="accept"), "RUNNING")

    def listed() -> bool:
        time.sleep(1)
        # 500 now and then: the worker walks through a list that its connector is adding to.
        answer = worker.call("GET", f"connectors/{name}/offsets")
        return answer.ok and len(answer.json()["offsets"]) == MANY

    wait_until(listed, 120, "100,000 offsets")
    worker.put(name, "stop")
    worker.await_state(name, "STOPPED", [])
    yield worker, name
    worker.delete(name)
    live_stack.stop_worker(worker.url)
    kafka.drop(cluster["offset_topic"])
