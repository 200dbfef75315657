# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connectors that are deleted; and, with it, created and reconfigured by a worker whose answers leave it open what was done."""

from __future__ import annotations

import signal

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.deletion import declare_absent
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.creation import declare_present
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_item import FakeConnect, live, positions, signalled

TIMED_OUT = errors.OutcomeUnknown("failed with 500: Request timed out", http_status=500)
OOPS = errors.Refused("failed with 500: oops", http_status=500)
BROKE = errors.ResponseLost("the connection broke")


class FakeWorker:
    """Connectors by name, with their configurations. ``fault``: what the next write is answered with; ``takes``: whether it is carried out."""

    def __init__(self, fault=None, takes=True, **configs):
        self.configs = {name: dict(config, name=name) for name, config in configs.items()}
        self.fault, self.takes, self.writes = fault, takes, []

    def _write(self, verb, name, config):
        self.writes.append(verb)
        if self.takes and config is None:
            del self.configs[name]
        elif self.takes:
            self.configs[name] = config
        if self.fault is not None:
            raise self.fault

    def require(self, feature):
        pass

    def require_url(self, name):
        pass

    def validate(self, config):
        return {}

    def info(self, name):
        if name not in self.configs:
            raise errors.NoConnector("There is no such connector")
        return {"name": name, "config": self.configs[name]}

    def status(self, name):
        self.info(name)
        return {"name": name, "type": "source", "connector": {"state": "RUNNING", "worker_id": "w"}, "tasks": []}

    def create(self, name, config, initial_state=None):
        self._write("create", name, config)

    def put_config(self, name, config):
        self._write("put_config", name, config)

    def delete(self, name):
        self._write("delete", name, None)


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(lifecycle, "LOOK_AGAIN", 0.01)
    monkeypatch.setattr(lifecycle.Lifecycle.took, "__defaults__", (0.5,))


CREATE = (lambda worker: declare_present(worker, "new", {"connector.class": "X"}, None, 5, False), "create", "new is configured")
MODIFY = (lambda worker: declare_present(worker, "c", {"connector.class": "X", "a": "1"}, None, 5, False), "put_config", "c is configured")
DELETE = (lambda worker: declare_absent(worker, "c", 5, False), "delete", "c is deleted")


@pytest.mark.parametrize("fault", [TIMED_OUT, OOPS, BROKE])
@pytest.mark.parametrize("declare, verb, words", [CREATE, MODIFY, DELETE])
def test_a_write_in_doubt_that_took_is_a_success_with_a_warning(fault, declare, verb, words):
    worker = FakeWorker(fault, c={"connector.class": "X"})
    result = declare(worker)
    assert result["changed"] and worker.writes == [verb]
    assert result["warnings"] == [f"{words} as requested, though the answer was: {fault.message}"]


@pytest.mark.parametrize("fault", [TIMED_OUT, OOPS, BROKE])
@pytest.mark.parametrize("declare, verb, words", [CREATE, MODIFY, DELETE])
def test_a_write_in_doubt_that_did_not_take_is_a_failure(fault, declare, verb, words):
    worker = FakeWorker(fault, takes=False, c={"connector.class": "X"})
    with pytest.raises(type(fault)) as caught:
        declare(worker)
    assert caught.value.message == fault.message and worker.writes == [verb]


@pytest.mark.parametrize("declare, verb, words", [CREATE, MODIFY, DELETE])
def test_a_write_that_took_without_a_fault_warns_of_nothing(declare, verb, words):
    assert declare(FakeWorker(c={"connector.class": "X"})).get("warnings") == []


@pytest.mark.parametrize("fault", [errors.Refused("invalid", http_status=400), errors.Exists("409"), errors.AccessDenied("403"),
                                   errors.Unreachable("no connection")])
def test_what_was_certainly_not_done_is_not_looked_for(fault):
    worker = FakeWorker(fault, c={"connector.class": "X"})
    for declare, _verb, _words in (CREATE, MODIFY, DELETE):
        with pytest.raises(type(fault)):
            declare(worker)


class Purged(FakeConnect):
    """One that can be deleted."""

    deleted = False

    def require_url(self, name):
        pass

    def info(self, name):
        if self.deleted:
            raise errors.NoConnector("There is no such connector")
        return super().info(name)

    def status(self, name):
        self.info(name)
        return super().status(name)

    def delete(self, name):
        self.deleted = True


def test_an_interrupt_before_the_purge_leaves_it_as_it_was(interrupts):
    connect = Purged("RUNNING", live(a=10))
    connect.faults = {"stop": [signalled(signal.SIGTERM)]}
    with pytest.raises(errors.Interrupted) as caught:
        declare_absent(connect, "c", 5, False, purge_offsets=True)
    assert caught.value.message.startswith("The run was interrupted (SIGTERM). The connector was not deleted, and its "
                                           "state is restored: it is RUNNING")
    assert not connect.deleted and connect.state == "RUNNING" and positions(connect) == {"a": 10}


def test_one_without_offsets_that_cannot_be_deleted_is_started_again():
    """It was stopped for the purge, which had nothing to remove."""
    connect = Purged("RUNNING", [])
    connect.delete = refuse
    with pytest.raises(errors.Refused, match="no. The connector was not deleted, and its state is restored: it is RUNNING"):
        declare_absent(connect, "c", 5, False, purge_offsets=True)
    assert connect.writes == ["stop", "resume"] and connect.state == "RUNNING"


def refuse(name):
    raise errors.Refused("no")


def test_the_purge_of_a_mirror_needs_no_consent():
    """With the connector gone nothing is copied again."""
    config = {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector", "source.cluster.alias": "east",
              "topics": "orders"}
    connect = Purged("STOPPED", [({"cluster": "east", "topic": "orders", "partition": 0}, {"offset": 5})], config=config)
    connect.plugins = list
    assert declare_absent(connect, "c", 5, False, purge_offsets=True)["changed"] is True
    assert connect.deleted and connect.writes == ["reset"]


def test_an_interrupt_of_the_purge_lets_the_deletion_end(interrupts):
    """Started again without offsets it would read everything once more."""
    connect = Purged("RUNNING", live(a=10))
    connect.faults = {"reset": [signalled(signal.SIGTERM)]}
    assert declare_absent(connect, "c", 5, False, purge_offsets=True)["changed"] is True
    assert connect.deleted and connect.writes == ["stop", "reset"]
