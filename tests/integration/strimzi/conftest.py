# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real API server with Strimzi's definitions, real workers, and a stand-in for the operator between them.

Tests run with Strimzi 1.2 unless they say @pytest.mark.parametrize("strimzi", ["0.51"], indirect=True), or both.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import pytest

from stack import ClusterSpec, Stack, crds
from stack import kubernetes as kubernetes_stack
from stack.kubernetes import Kubernetes
from tests.integration.conftest import KEEP, Cluster, cluster_of
from tests.integration.support.operator.collector import GROUP, Collector
from tests.integration.support.operator.stand_in import API_VERSIONS, CONNECTS, MIRRORS, StandIn
from tests.integration.support.strimzi import (
    KINDS,
    Namespace,
    connect_annotations,
    connect_spec,
    install,
    minimal_rules,
    mirror_spec,
)
from tests.integration.support.worker import Worker


@pytest.fixture(scope="session")
def live_stack(tmp_path_factory):
    """In place of the one for all other tests: a broker, the worker of a KafkaConnect, and that of a KafkaMirrorMaker2."""
    kept = os.environ.get(KEEP)
    stack = Stack(kept or tmp_path_factory.mktemp("stack"))
    stack.up({"main": ClusterSpec(), "mirror": ClusterSpec()})
    yield stack
    if not kept:
        stack.purge()


@pytest.fixture(scope="session")
def mirror_cluster(live_stack) -> Cluster:
    return cluster_of(live_stack, "mirror")


@pytest.fixture(scope="session")
def kubernetes(tmp_path_factory) -> Iterator[Kubernetes]:
    """url, ca, admin_token, kubeconfig (its path, the administrator's), api(token="")."""
    problem = kubernetes_stack.missing() or crds.missing()
    if problem:
        pytest.skip(problem)
    kept = os.environ.get(KEEP)
    # In the folder of the stack that is kept, so that its purge ends it, too.
    server = Kubernetes(f"{kept}/kubernetes" if kept else tmp_path_factory.mktemp("kubernetes"))
    server.start()
    yield server
    if not kept:
        server.purge()


# With a parameter in every test, pytest puts those of one release together: definitions are changed rarely.
@pytest.fixture(scope="session", params=["1.2"])
def strimzi(request, kubernetes) -> str:
    """The release, whose definitions the server has: "1.2" (v1 alone) or "0.51" (v1beta2, stored, and v1)."""
    install(kubernetes.api(), request.param)
    return request.param


@pytest.fixture
def namespace(kubernetes, strimzi) -> Iterator[Namespace]:
    """A fresh one, with what collects garbage."""
    api = kubernetes.api()
    name = f"t-{uuid.uuid4().hex[:8]}"
    api.call("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
    collector = Collector(api, name)
    yield Namespace(api, name, API_VERSIONS[strimzi])
    collector.stop()
    for plural in KINDS:
        api.delete(f"/apis/{GROUP}/{API_VERSIONS[strimzi]}/namespaces/{name}/{plural}")


@pytest.fixture
def name() -> str:
    """One that no resource and no connector had before. What the operator has made on the workers goes with the operator."""
    return f"t-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def admin_config(kubernetes, namespace, tmp_path) -> str:
    """The path of a kubeconfig whose context has the namespace, and all rights."""
    return kubernetes.write_kubeconfig(tmp_path / "admin.kubeconfig", kubernetes.admin_token, namespace.name)


@pytest.fixture
def token(kubernetes, namespace):
    """token(*config_maps, rules=None) -> of a service account with the least rights for the method with these ConfigMaps."""
    def token(*config_maps: str, rules: list[dict] | None = None) -> str:
        rules = minimal_rules(list(config_maps)) if rules is None else rules
        return kubernetes.restricted_token(namespace.name, f"u-{uuid.uuid4().hex[:8]}", rules)
    return token


@pytest.fixture
def restricted(kubernetes, namespace, token, tmp_path):
    """restricted(*config_maps, rules=None) -> the path of a kubeconfig with such a token."""
    def restricted(*config_maps: str, rules: list[dict] | None = None) -> str:
        path = tmp_path / f"{uuid.uuid4().hex[:8]}.kubeconfig"
        return kubernetes.write_kubeconfig(path, token(*config_maps, rules=rules), namespace.name)
    return restricted


@pytest.fixture
def tick() -> float:
    """Seconds between the operator's passes over everything; tests may parametrize it."""
    return 3.0


@pytest.fixture
def operator(kubernetes, namespace, strimzi, tick, main, mirror_cluster) -> Iterator[StandIn]:
    """It runs; stop() and start() are the test's. workers[plural, name] is the URL behind a resource; it may become a proxy's."""
    workers = {(CONNECTS, "connect"): main.url, (MIRRORS, "mirror"): mirror_cluster.url}
    operator = StandIn(kubernetes.api(), strimzi, namespace.name, workers, tick, namespace.written)
    operator.start()
    yield operator
    operator.stop()
    assert not operator.crashes
    for cluster in (main, mirror_cluster):
        for name in cluster.worker.must("GET", "connectors"):
            cluster.worker.delete(name)


@pytest.fixture
def connect(namespace, operator, main, live_stack) -> Worker:
    """The worker of the KafkaConnect named connect, whose connectors are resources; namespace.connector() makes one."""
    namespace.create(CONNECTS, "connect", connect_spec(live_stack.endpoints()["bootstrap_servers"]), annotations=connect_annotations())
    return main.worker


@pytest.fixture
def make_mirror(namespace, operator, live_stack):
    """make_mirror(source, target, topics, old=False, **mirror) -> the KafkaMirrorMaker2 named mirror, on the worker mirror_cluster."""
    def make_mirror(source: str, target: str, topics: str, old: bool = False, **mirror) -> dict:
        spec = mirror_spec(source, target, live_stack.endpoints()["bootstrap_servers"], topics, old, **mirror)
        return namespace.create(MIRRORS, "mirror", spec)
    return make_mirror
