# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One stack for all tests of this folder, and what every test needs of it."""

from __future__ import annotations

import itertools
import os
import uuid
from dataclasses import dataclass

import pytest
from confluent_kafka.admin import AclBinding, AclBindingFilter, AclPermissionType, AdminClient, ResourcePatternType

from stack import ClusterSpec, Stack
from tests.integration.support import fault_table
from tests.integration.support.configs import FIRST, at, shaped
from tests.integration.support.fault_stores import PHASES
from tests.integration.support.modules import run_module
from tests.integration.support.playbook import Playbooks
from tests.integration.support.proxy import Proxy
from tests.integration.support.secured_offsets import Offsets, new_topic
from tests.integration.support.topic_method import TopicMethod
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import Worker, wait_until

#: a stack that runs already, for fast rounds while developing; it is left running
KEEP = "STREAMOPS_STACK_DIR"


def pytest_terminal_summary(terminalreporter) -> None:
    """What test_fault_matrix.py has found, as a table."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.stats.get(outcome, []) if report.when == "call"]
    found = [(dict(report.user_properties), report.outcome) for report in reports]
    for line in fault_table.lines(found):
        terminalreporter.write_line(line)
    if os.environ.get("STREAMOPS_FAULTS") == "all":
        for line in fault_table.documentation(found, PHASES):
            terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def live_stack(tmp_path_factory):
    """Of this pytest worker alone. It has the cluster main; what else a test needs is added by the fixture of that cluster."""
    kept = os.environ.get(KEEP)
    stack = Stack(kept or tmp_path_factory.mktemp("stack"))
    stack.up({"main": ClusterSpec()})
    yield stack
    if not kept:
        stack.purge()


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    """The ledger of those who have nothing but REST is of one test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@dataclass
class Cluster:
    """A Connect cluster: its first worker for raw calls, and its names."""

    worker: Worker
    urls: list[str]
    offset_topic: str
    version: str
    group_id: str

    @property
    def url(self) -> str:
        return self.worker.url


def cluster_of(stack: Stack, name: str) -> Cluster:
    found = stack.endpoints()["clusters"][name]
    return Cluster(Worker(found["urls"][0]), found["urls"], found["offset_topic"], found["version"], found["group_id"])


@pytest.fixture(scope="session")
def main(live_stack) -> Cluster:
    return cluster_of(live_stack, "main")


@pytest.fixture(scope="session")
def v35(live_stack) -> Cluster:
    live_stack.up({"v35": ClusterSpec("3.5.2")})
    return cluster_of(live_stack, "v35")


@pytest.fixture(scope="session")
def v34(live_stack) -> Cluster:
    live_stack.up({"v34": ClusterSpec("3.4.1")})
    return cluster_of(live_stack, "v34")


@pytest.fixture(scope="session")
def wide(live_stack) -> Cluster:
    """Connect 4.3.1 with the 25 partitions that Connect itself would give its offsets topic."""
    live_stack.up({"wide": ClusterSpec(offset_partitions=25)})
    return cluster_of(live_stack, "wide")


@pytest.fixture(scope="session")
def kafka(live_stack) -> Kafka:
    return Kafka(live_stack.endpoints()["bootstrap_servers"])


@pytest.fixture
def worker(main) -> Worker:
    return main.worker


@pytest.fixture
def name(request, worker):
    """A name that no connector had before; a connector of that name is deleted afterwards."""
    fresh = f"t-{uuid.uuid4().hex[:8]}"
    yield fresh
    worker.delete(fresh)


@pytest.fixture
def make(worker):
    """make(config, state="STOPPED", offsets=None, name=None) -> name of a new connector, deleted afterwards.

    RUNNING is not waited for, as the connector may be made to fail; PAUSED is, with its task.
    """
    made = []
    numbers = itertools.count(1)
    stem = f"t-{uuid.uuid4().hex[:8]}"

    def make(config: dict, state: str = "STOPPED", offsets: list | None = None, name: str | None = None) -> str:
        name = name or f"{stem}-{next(numbers)}"
        config = {"topic": name, **config}
        # Registered first: a half-made connector goes, too.
        made.append(name)
        worker.create(name, config, "RUNNING" if offsets is None and state != "STOPPED" else "STOPPED")
        if offsets is not None:
            worker.set_offsets(name, offsets)
            if state != "STOPPED":
                worker.put(name, "resume")
        if state == "PAUSED":
            # Not by initial_state: that would be PAUSED without tasks.
            worker.await_state(name, "RUNNING", ["RUNNING"])
            worker.put(name, "pause")
            worker.await_state(name, "PAUSED", ["PAUSED"])
        return name

    yield make
    for name in made:
        worker.delete(name)


@pytest.fixture
def proxy_to():
    """proxy_to(url, trick) -> a Proxy, closed afterwards."""
    opened = []

    def proxy_to(target: str | None, *arguments, **options) -> Proxy:
        opened.append(Proxy(target, *arguments, **options))
        return opened[-1]

    yield proxy_to
    for proxy in opened:
        proxy.close()


@pytest.fixture
def recorder(proxy_to, main) -> Proxy:
    """A proxy in front of the main cluster that writes down what is sent."""
    return proxy_to(main.url)


@pytest.fixture
def run(main):
    """run(module, check=False, diff=True, **arguments) -> result, on the main cluster unless connect_url says otherwise."""

    def run(module: str, check: bool = False, diff: bool = True, **arguments) -> dict:
        return run_module(module, {"connect_url": [main.url], "wait_timeout": _wait(module), **arguments}, check=check, diff=diff)

    return run


def _wait(module: str):
    return None if module.endswith(("info", "export")) else 60


@pytest.fixture
def method(run, kafka, main) -> TopicMethod:
    """The offsets-topic method of the main cluster; method.on(cluster) and method.at(topic) for others."""
    made = []
    yield TopicMethod(run, kafka, main, made)
    for one, records in made:
        one.kafka.raw(one.topic, [(partition, key, None) for partition, key in records])


@pytest.fixture
def lone(kafka):
    """lone(partitions=5, policy="compact", **settings) -> a new, empty topic that no worker knows, deleted afterwards."""
    made = []

    def lone(partitions: int = 5, policy: str = "compact", **settings: str) -> str:
        made.append(kafka.create(f"t-{uuid.uuid4().hex[:8]}-log", partitions, policy, **settings))
        return made[-1]

    yield lone
    for topic in made:
        kafka.drop(topic)


@pytest.fixture
def make_on(kafka):
    """make_on(cluster, state, **options) -> name of a test connector that has written records 0 to 4, in that state, deleted afterwards."""
    made = []

    def make_on(cluster: Cluster, state: str, **options) -> str:
        name = f"t-{uuid.uuid4().hex[:8]}"
        made.append((cluster.worker, name))
        cluster.worker.create(name, shaped(topic=name, interval_ms=1, **options), None)
        # Flushed; a stop does it, but a pause does not.
        wait_until(lambda: [one for one in kafka.raw_records(cluster.offset_topic)
                            if name.encode() in (one.key or b"") and one.value == b'{"n":4}'], reason="the last offset")
        if state != "RUNNING":
            cluster.worker.put(name, {"STOPPED": "stop", "PAUSED": "pause"}[state])
        cluster.worker.await_state(name, state, {"STOPPED": []}.get(state, [state]))
        return name

    yield make_on
    for worker, name in made:
        worker.delete(name)


@pytest.fixture
def playbooks(tmp_path) -> Playbooks:
    return Playbooks(tmp_path)


@pytest.fixture
def keep(kafka, tmp_path):
    """keep(kind) -> the options for that ledger."""
    def keep(kind: str) -> dict:
        return {"topic": {"ledger": "topic", "bootstrap_servers": [kafka.bootstrap_servers]}, "default": {},
                "file": {"ledger": "file", "ledger_file": str(tmp_path / "ledger.json")}}[kind]
    return keep


@pytest.fixture
def running(make_on, main, kafka):
    """Runs, and has delivered all that there is."""
    name = make_on(main, "RUNNING")
    wait_until(lambda: main.worker.offsets(name) == [at(4)])
    assert kafka.values(name) == FIRST
    return name


@pytest.fixture(scope="session")
def secured_stack(tmp_path_factory):
    """A stack of its own, whose brokers want to know who comes, with Debezium."""
    stack = Stack(tmp_path_factory.mktemp("secured"))
    stack.up({"main": ClusterSpec(plugins=("debezium-postgres",))}, secured=True)
    yield stack
    stack.purge()


@pytest.fixture(scope="session")
def secured(secured_stack) -> dict:
    return secured_stack.endpoints()["secured"]


@pytest.fixture(scope="session")
def plain(secured_stack) -> str:
    """The listener where everybody may do everything."""
    return secured_stack.endpoints()["bootstrap_servers"]


@pytest.fixture(scope="session")
def admin(plain) -> AdminClient:
    return AdminClient({"bootstrap.servers": plain, "log_level": 0})


@pytest.fixture(scope="module")
def topic(admin) -> str:
    return new_topic(admin)


@pytest.fixture
def offsets(plain, admin, topic) -> Offsets:
    return Offsets(plain, admin, topic)


@pytest.fixture
def allow(admin):
    """allow(resource type, its name, *operations): operator may; returns when the broker knows."""
    given = []

    def allow(kind, name: str, *operations) -> None:
        for operation in operations:
            rule = (kind, name, ResourcePatternType.LITERAL, "User:operator", "*", operation, AclPermissionType.ALLOW)
            admin.create_acls([AclBinding(*rule)])[AclBinding(*rule)].result(20)
            given.append(AclBindingFilter(*rule))
            wait_until(lambda: admin.describe_acls(given[-1]).result(20), reason=f"{operation} on {name}")

    yield allow
    if given:
        for future in admin.delete_acls(given).values():
            future.result(20)
        wait_until(lambda: not any(admin.describe_acls(rule).result(20) for rule in given), reason="no rights to be left")
