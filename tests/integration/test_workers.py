# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers that come and go while the modules are at work, on a cluster of their own."""

from __future__ import annotations

import threading

import pytest

from stack import ClusterSpec
from tests.integration.support.configs import at, shaped
from tests.integration.support.worker import Worker, wait_until

CLUSTER = "pair"
#: how long the status keeps the last word of a worker that is gone (Kafka's default is 300 s), in seconds
LAST_WORD = 15


@pytest.fixture(scope="module")
def first_url(live_stack) -> str:
    """A cluster with one worker; the first test adds another."""
    spec = ClusterSpec(properties={"scheduled.rebalance.max.delay.ms": str(LAST_WORD * 1000)})
    return live_stack.up({CLUSTER: spec})["clusters"][CLUSTER]["urls"][0]


@pytest.fixture
def both(live_stack, first_url) -> list[Worker]:
    live_stack.up({CLUSTER: ClusterSpec(workers=2)})
    return [Worker(url) for url in live_stack.endpoints()["clusters"][CLUSTER]["urls"]]


@pytest.fixture
def make_here(live_stack, first_url, name):
    """make_here(config, state) -> name of a new connector on that cluster."""
    made = []

    def make(config: dict, state: str = "STOPPED") -> str:
        made.append(f"{name}-{len(made) + 1}")
        Worker(first_url).create(made[-1], {"topic": name, **config}, state)
        return made[-1]

    yield make
    # A test may have ended the first worker.
    live_stack.up()
    for one in made:
        Worker(first_url).delete(one)


def test_c18_worker_joins_while_the_modules_run(live_stack, first_url, make_here, run):
    """No failure, and what was declared is there, on both. (What Connect seldom declines meanwhile: see test_faults.)"""
    name = make_here(shaped())
    url = {"connect_url": [first_url], "name": name}
    steps = [
        ("connector_state", {"state": "started"}), ("connector_offsets", {"offsets": [at(7)], "stop": True}),
        ("connector_state", {"state": "paused"}), ("connector_state", {"state": "stopped"}),
        ("connector_offsets", {"offsets": [at(3)]}), ("connector_offsets_info", {}), ("connector_info", {"name": [name]}),
        ("connector", {"config": shaped(topic="other")}), ("connector", {"config": shaped(topic=name)}),
    ]
    there = live_stack.endpoints()["clusters"][CLUSTER]["urls"][1:]
    if there:  # a stack that was kept
        live_stack.stop_worker(there[0])
    join = threading.Thread(target=live_stack.restart_worker if there else live_stack.add_worker, args=there[:1] or [CLUSTER])
    join.start()
    while join.is_alive():
        for module, arguments in steps:
            result = run(module, **{**url, **arguments})
            assert not result["failed"], f"{module} {arguments}: {result['msg']}"
    join.join()
    urls = live_stack.endpoints()["clusters"][CLUSTER]["urls"]
    assert len(urls) == 2
    for address in urls:
        assert Worker(address).offsets(name) == [at(3)]
        assert Worker(address).state(name) == ("STOPPED", [])


def is_leader(worker: Worker, name: str) -> bool:
    """A worker that may not pass a request on and is not the leader answers 409."""
    return worker.call("PUT", f"connectors/{name}/stop?forward=false", seconds=0).status_code == 204


def owned_by(victim: Worker, make) -> str:
    """A running connector of that worker: of two, each worker gets one. (Its task may run on the other.)"""
    names = [make(shaped(records_per_partition=-1, interval_ms=20), "RUNNING") for dummy in range(2)]

    def settled():
        return all(victim.state(name) == ("RUNNING", ["RUNNING"]) for name in names)

    def owned():
        return [name for name in names if victim.status(name)["connector"]["worker_id"] == victim.url.partition("//")[2]]

    wait_until(settled, 60, "two running connectors")
    return wait_until(owned, 60, f"a connector on {victim.url}")[0]


@pytest.mark.parametrize("kill", [True, False], ids=["leader killed", "follower leaves"])
def test_worker_that_owns_the_connector_is_gone(kill, live_stack, both, make_here, run):
    """Its last word stays in the status long after the tasks are gone (RUNNING, or UNASSIGNED); the fact is what counts."""
    probe = make_here(shaped())
    victim, = (worker for worker in both if is_leader(worker, probe) is kill)
    survivor, = (worker for worker in both if worker is not victim)
    name = owned_by(victim, make_here)
    # The next test starts it again.
    live_stack.stop_worker(victim.url, kill=kill)
    # A worker that leaves is missed at once, a killed one after its session; the rest has to be done before its last word ends.
    wait_timeout = 60 if kill else LAST_WORD - 3
    result = run("connector_state", name=name, state="stopped", connect_url=[victim.url, survivor.url], wait_timeout=wait_timeout)
    assert not result["failed"], result["msg"]
    assert result["changed"] is True
    assert survivor.status(name)["tasks"] == []
    # The server's own gate is open: that is the fact.
    survivor.set_offsets(name, [at(1)])
    # So the module is not to be stopped by the last word of a worker, which the status may still tell.
    change = run("connector_offsets", name=name, offsets=[at(2)], connect_url=[survivor.url])
    assert not change["failed"], change["msg"]
    assert survivor.offsets(name) == [at(2)]
    survivor.await_state(name, "STOPPED", [], seconds=60)
