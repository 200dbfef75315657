# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role reset_offsets where some of the connectors that it changes in one pass fail on the way, each at another place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FileLedger

from tests.integration.support.configs import at, shaped
from tests.integration.support.proxy import Answer
from tests.integration.support.worker import wait_until

NO = Answer(400, b'{"error_code":400,"message":"not now"}')


@pytest.fixture
def refusing(proxy_to, main):
    """refusing(name, verb, times) -> a host behind a proxy that refuses the state of this connector so many times."""
    def refusing(name: str, verb: str, times: int = 1000) -> dict:
        left = [NO] * times

        def trick(request):
            return left.pop() if request.path.endswith(f"/{name}/{verb}") and left else None
        return {"eu": {"kafka_connect_url": proxy_to(main.url, trick).url}}
    return refusing


@pytest.fixture
def named(tmp_path) -> dict:
    return {"reset_offsets_change_id": "CHG-1", "reset_offsets_ledger_file": str(tmp_path / "ledger.json")}


def phases(named: dict) -> dict:
    return {one.connector: one.phase for one in FileLedger(named["reset_offsets_ledger_file"]).changes()}


def test_one_that_cannot_be_stopped(make, worker, playbooks, refusing):
    """It fails before its offsets are written: the backup holds those of the other one alone, and nothing of it has to be put back."""
    name, other = make(shaped(records_per_partition=5), state="RUNNING", offsets=[at(4)]), make(shaped(), offsets=[at(4)])
    worker.await_state(name, "RUNNING", ["RUNNING"])
    play = playbooks.reset(refusing(name, "stop"), [{"name": name, "offsets": [at(1)]}, {"name": other, "offsets": [at(1)]}])
    assert play.rc != 0
    said = play.failure("eu")
    assert f"The change of {name} failed: " in said and "not now" in said and "The connector was restored: it is RUNNING" in said, said
    assert "failed as well" not in play.text and "restore_offsets" not in said
    assert worker.offsets(name) == [at(4)] and worker.state(name) == ("RUNNING", ["RUNNING"]) and worker.offsets(other) == [at(1)]


def test_a_final_state_that_is_refused(make, worker, playbooks, refusing, named):
    """Its offsets are put back by the ledger, which then knows that the change is undone."""
    name, other = (make(shaped(), offsets=[at(4)]) for dummy in range(2))
    desired = [{"name": name, "offsets": [at(1)], "final_state": "paused"}, {"name": other, "offsets": [at(1)], "final_state": "paused"}]
    play = playbooks.reset(refusing(name, "pause"), desired, **named)
    assert play.rc != 0
    said = play.failure("eu")
    assert f"The change of {name} failed: " in said, said
    assert "The change was rolled back: the offsets are as they were, and the connector is STOPPED" in said
    assert worker.offsets(name) == [at(4)] and worker.state(name) == ("STOPPED", [])
    assert worker.offsets(other) == [at(1)] and worker.state(other)[0] == "PAUSED"
    assert phases(named) == {name: "restored", other: "applied"}


def test_one_that_does_not_come_back(make, worker, kafka, playbooks, refusing, named):
    """The ledger was told that the change is made, and then the connector could not be started: not put back behind the ledger's back."""
    name, other = (make(shaped(records_per_partition=5), state="RUNNING", offsets=[at(4)]) for dummy in range(2))
    for one in (name, other):
        worker.await_state(one, "RUNNING", ["RUNNING"])
    desired = [{"name": name, "offsets": [at(1)]}, {"name": other, "offsets": [at(1)]}]
    play = playbooks.reset(refusing(name, "resume", 2), desired, **named)
    assert play.rc != 0
    said = play.failure("eu")
    assert f"The change of {name} failed: " in said, said
    assert "The change was rolled back: the offsets are as they were, and the connector is RUNNING" in said
    worker.await_state(name, "RUNNING", ["RUNNING"])
    assert worker.offsets(name) == [at(4)] and kafka.values(name) == []
    wait_until(lambda: kafka.values(other) == [f'{{"p":0}}#{number}' for number in (2, 3, 4)], reason="the replay of the other one")
    assert phases(named) == {name: "restored", other: "applied"}


@pytest.mark.parametrize("one_by_one", [False, True])
def test_a_ledger_that_cannot_be_told(make, worker, playbooks, proxy_to, main, named, one_by_one):
    """The change is made and its ledger does not know: it stays as it is, stopped, and the next run finishes it."""
    name = make(shaped(records_per_partition=5), state="RUNNING", offsets=[at(4)])
    worker.await_state(name, "RUNNING", ["RUNNING"])
    ledger = Path(named["reset_offsets_ledger_file"])
    kept = ledger.with_suffix(".kept")

    def trick(request):
        if (request.verb, request.path) == ("PATCH", f"/connectors/{name}/offsets") and not kept.exists():
            ledger.rename(kept)
            (ledger / "in the way").mkdir(parents=True)

    hosts = {"eu": {"kafka_connect_url": proxy_to(main.url, trick).url}}
    play = playbooks.reset(hosts, [{"name": name, "offsets": [at(1)]}], reset_offsets_one_by_one=one_by_one, **named)
    assert play.rc != 0
    assert f"The change of {name} failed: The offsets of {name} are as declared, but" in play.failure("eu")
    assert worker.offsets(name) == [at(1)] and worker.state(name) == ("STOPPED", [])
    shutil.rmtree(ledger)
    kept.rename(ledger)
    again = playbooks.reset(hosts, [{"name": name, "offsets": [at(1)]}], reset_offsets_one_by_one=one_by_one, **named)
    assert again.rc == 0 and phases(named) == {name: "applied"}, again.text
    worker.await_state(name, "RUNNING", ["RUNNING"])


def test_a_task_that_had_failed_before(make, worker, playbooks, refusing):
    """Who is only to be paused need not be healthy for that; that he is not says the look at the end."""
    name = make(shaped(fail_task="start"), state="RUNNING")
    worker.await_state(name, "RUNNING", ["FAILED"])
    desired = [{"name": name, "state": "absent", "final_state": "paused"}]
    play = playbooks.reset(refusing("none", "stop"), desired, "--skip-tags", "verify")
    assert play.rc == 0 and worker.state(name)[0] == "PAUSED", play.text
