# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stack: what `python3 -m stack` and the tests use."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stack import connector_build, jars, prerequisites, security
from stack.errors import StackError
from stack.kubernetes import Kubernetes
from stack.launcher import Launcher, NodeDied
from stack.locks import file_lock
from stack.paths import Layout, default_dir
from stack.process import kill, stop_all
from stack.state import Cluster, ClusterSpec, Node, State, load

_WORKER_GRACE = 15.0
_BROKER_GRACE = 20.0


def _silent(_line: str) -> None:
    pass


class Stack:
    """One broker and its Connect clusters, kept in one directory.

    Every method may be called from several processes: they take turns. Errors that the caller has to know are
    StackError. say is called with lines of progress for a person.
    """

    def __init__(self, directory: str | Path | None = None, say: Callable[[str], None] = _silent) -> None:
        self.layout = Layout(Path(directory).expanduser().absolute() if directory else default_dir())
        self._say = say

    def up(
        self,
        clusters: Mapping[str, ClusterSpec] | None = None,
        broker_properties: Mapping[str, str] | None = None,
        *,
        secured: bool = False,
        broker_only: bool = False,
    ) -> dict[str, Any]:
        """Bring up the broker, the clusters asked for and those that are there already; returns endpoints().

        What runs is left alone, what has died is restarted, what is missing is added. Without any cluster, old or
        new, one named main is made, unless broker_only is set. broker_properties only count when the broker is first
        made; then, too, secured gives it a listener for SASL_SSL and one for SSL with client certificates, and rights
        by ACL on both.
        """
        if broker_only and clusters:
            raise StackError("broker_only, and yet clusters are asked for")
        with self._locked(create=True) as state:
            if secured and state.broker and not state.secured:
                raise StackError("the broker is there without secured listeners: purge the stack")
            if not clusters and not state.clusters and not broker_only:
                clusters = {"main": ClusterSpec()}
            fresh = _plan(state, clusters or {})
            try:
                self._bring_up(state, clusters or {}, dict(broker_properties or {}), secured)
            except StackError:
                # Otherwise a cluster with wrong properties would make every later up fail.
                for name in fresh:
                    _stop(state.clusters.pop(name).workers, _WORKER_GRACE)
                raise
            return self._endpoints(state)

    def add_worker(self, cluster: str, properties: Mapping[str, str] | None = None) -> str:
        """Add a worker to a cluster that is up; returns its URL when the cluster is settled again."""
        with self._locked() as state:
            target = _cluster(state, cluster)
            launcher = Launcher(self.layout, state, self._say)
            worker = _new_worker(launcher, target, dict(properties or {}))
            try:
                launcher.start_worker(target, worker)
                launcher.await_cluster(target, [worker])
            except StackError:
                _stop([worker], _WORKER_GRACE)
                target.workers.remove(worker)
                raise
            return target.url(worker)

    def stop_worker(self, url: str, *, kill: bool = False) -> None:
        """Stop a worker, or kill it as a crash would. It stays part of its cluster: the next up() restarts it."""
        with self._locked() as state:
            _cluster_of, worker = _find(state, url)
            _stop([worker], _WORKER_GRACE, crash=kill)

    def restart_worker(self, url: str) -> None:
        """Stop a worker if it runs, and start it on the same URL; returns when its cluster is settled."""
        with self._locked() as state:
            cluster, worker = _find(state, url)
            _stop([worker], _WORKER_GRACE)
            launcher = Launcher(self.layout, state, self._say)
            launcher.start_worker(cluster, worker)
            launcher.await_cluster(cluster, [worker])

    def stop_broker(self, *, kill: bool = False) -> None:
        """Stop the broker and leave the workers alone."""
        with self._locked() as state:
            _stop([_broker(state)], _BROKER_GRACE, crash=kill)

    def restart_broker(self) -> None:
        """Stop the broker if it runs, and start it on the same ports and data; returns when workers are back, too."""
        with self._locked() as state:
            broker = _broker(state)
            _stop([broker], _BROKER_GRACE)
            launcher = Launcher(self.layout, state, self._say)
            launcher.start_broker(broker)
            launcher.await_broker(broker)
            for cluster in state.clusters.values():
                workers = [worker for worker in cluster.workers if worker.alive()]
                if workers:
                    launcher.await_cluster(cluster, workers)

    def down(self) -> None:
        """Stop everything, workers first; data and logs stay. No error if nothing runs."""
        Kubernetes(self.layout.kubernetes).stop()
        if not self.layout.state.exists():
            return
        with self._locked() as state:
            workers = [worker for cluster in state.clusters.values() for worker in cluster.workers]
            running = sum(node.alive() for node in state.nodes())
            _stop(workers, _WORKER_GRACE)
            if state.broker:
                _stop([state.broker], _BROKER_GRACE)
            self._say(f"stopped {running} process(es)")

    def purge(self) -> None:
        """down(), and delete what the stack has made in its directory."""
        self.down()
        Kubernetes(self.layout.kubernetes).purge()
        for folder in (self.layout.conf, self.layout.data, self.layout.logs, self.layout.secured):
            shutil.rmtree(folder, ignore_errors=True)
        for file in (self.layout.state, self.layout.lock):
            file.unlink(missing_ok=True)
        root = self.layout.root
        if root.is_dir() and not any(root.iterdir()):
            root.rmdir()

    def endpoints(self) -> dict[str, Any]:
        """Addresses, pids and logs, as `up` prints them; without waiting and without looking whether they run."""
        return self._endpoints(load(self.layout.state))

    def status(self) -> dict[str, Any]:
        """endpoints(), with "running" for the whole stack, the broker and each worker."""
        state = load(self.layout.state)
        document = self._endpoints(state)
        alive = {node.pid: node.alive() for node in state.nodes()}
        parts = [worker for cluster in document["clusters"].values() for worker in cluster["workers"]]
        parts += [document["broker"]] if document["broker"] else []
        for part in parts:
            part["running"] = alive[part["pid"]]
        document["running"] = state.broker is not None and all(alive.values())
        return document

    @contextmanager
    def _locked(self, *, create: bool = False) -> Iterator[State]:
        """The state, for one process at a time; saved at the end, also after an error."""
        if not create and not self.layout.state.exists():
            raise StackError(f"there is no stack in {self.layout.root}")
        with file_lock(self.layout.lock):
            self.layout.create()
            state = load(self.layout.state)
            try:
                yield state
            finally:
                state.save(self.layout.state)

    def _bring_up(
        self, state: State, specs: Mapping[str, ClusterSpec], broker_properties: dict[str, str], secured: bool
    ) -> None:
        self._prepare(state)
        launcher = Launcher(self.layout, state, self._say)
        if state.broker is None:
            state.secured = launcher.new_secured() if secured else None
            state.broker = launcher.new_broker(broker_properties)
        _add_workers(state, specs, launcher)
        try:
            self._start_missing(state, launcher)
        except NodeDied as death:
            if death.node.name in launcher.started:
                raise
            # It was already dying when it was looked at.
            self._start_missing(state, launcher)

    def _prepare(self, state: State) -> None:
        """Fail before anything is started if a program is missing; then resolve what the broker needs."""
        prerequisites.check("java")
        needed = [jars.kafka(version) for version in {jars.BROKER_VERSION, *_versions(state)}]
        needed += [jars.plugin(name) for name in _plugins(state)]
        if state.clusters and not connector_build.is_built():
            prerequisites.check("javac")
            needed.append(jars.connector_api())
        if not all(place.complete for place in needed):
            prerequisites.check("mvn")
        self._resolve(jars.BROKER_VERSION)

    def _resolve(self, version: str) -> None:
        if not jars.kafka(version).complete:
            self._say(f"resolving the jars of Kafka {version} with Maven (once)")
            jars.ensure_kafka(version)

    def _resolve_plugin(self, name: str) -> None:
        if not jars.plugin(name).complete:
            self._say(f"resolving the jars of {name} with Maven (once)")
            jars.ensure_plugin(name)

    def _start_missing(self, state: State, launcher: Launcher) -> None:
        """Start every node that does not run, all workers at once, and wait for all."""
        if not state.broker.alive():
            port = state.broker.port
            launcher.start_broker(state.broker)
            if state.broker.port != port:
                # Another program has taken the port meanwhile: workers that still run look for the old one.
                _stop([worker for cluster in state.clusters.values() for worker in cluster.workers], _WORKER_GRACE)
        # Other versions are resolved while the broker starts.
        for version in _versions(state):
            self._resolve(version)
        for name in _plugins(state):
            self._resolve_plugin(name)
        if state.clusters:
            connector_build.ensure_connector()
        launcher.await_broker(state.broker)
        for cluster in state.clusters.values():
            for worker in cluster.workers:
                if not worker.alive():
                    launcher.start_worker(cluster, worker)
        for cluster in state.clusters.values():
            launcher.await_cluster(cluster, cluster.workers)

    def _endpoints(self, state: State) -> dict[str, Any]:
        broker = state.broker
        return {
            "dir": str(self.layout.root),
            "bootstrap_servers": f"127.0.0.1:{broker.port}" if broker else None,
            "broker": {"pid": broker.pid, "log": broker.log} if broker else None,
            "secured": security.describe(state.secured, self.layout.secured) if state.secured else None,
            "clusters": {name: _describe(cluster) for name, cluster in state.clusters.items()},
        }


def _plan(state: State, specs: Mapping[str, ClusterSpec]) -> list[str]:
    """Add the clusters that are missing, without workers; returns their names.

    StackError if a cluster is there in another version.
    """
    fresh = []
    for name, spec in specs.items():
        present = state.clusters.get(name)
        if present and present.version != spec.version:
            raise StackError(
                f"cluster {name} is there with version {present.version}, not {spec.version}:"
                " take another name, or purge the stack"
            )
        if not present:
            properties = {key: str(value) for key, value in spec.properties.items()}
            state.clusters[name] = Cluster(
                name,
                spec.version,
                spec.offset_partitions,
                properties,
                list(spec.jvm_options),
                plugins=list(spec.plugins),
            )
            fresh.append(name)
    return fresh


def _add_workers(state: State, specs: Mapping[str, ClusterSpec], launcher: Launcher) -> None:
    for name, cluster in state.clusters.items():
        wanted = specs[name].workers if name in specs else 1
        while len(cluster.workers) < wanted:
            _new_worker(launcher, cluster, {})


def _versions(state: State) -> list[str]:
    return sorted({cluster.version for cluster in state.clusters.values()})


def _plugins(state: State) -> list[str]:
    return sorted({name for cluster in state.clusters.values() for name in cluster.plugins})


def _new_worker(launcher: Launcher, cluster: Cluster, properties: dict[str, str]) -> Node:
    worker = launcher.new_node(f"{cluster.name}-{len(cluster.workers) + 1}", properties)
    cluster.workers.append(worker)
    return worker


def _cluster(state: State, name: str) -> Cluster:
    if name not in state.clusters:
        raise StackError(f"there is no cluster {name}; there are: {', '.join(state.clusters)}")
    return state.clusters[name]


def _find(state: State, url: str) -> tuple[Cluster, Node]:
    for cluster in state.clusters.values():
        for worker in cluster.workers:
            if cluster.url(worker) == url.rstrip("/"):
                return cluster, worker
    raise StackError(f"no worker of this stack has the URL {url}")


def _broker(state: State) -> Node:
    if state.broker is None:
        raise StackError("the stack has no broker yet")
    return state.broker


def _stop(nodes: list[Node], grace: float, *, crash: bool = False) -> None:
    if crash:
        for node in nodes:
            kill(node.process)
    stop_all([node.process for node in nodes], grace)
    for node in nodes:
        # A worker that was stopped on purpose is not one that died while its cluster was starting.
        node.pid = 0


def _describe(cluster: Cluster) -> dict[str, Any]:
    workers = [{"url": cluster.url(worker), "pid": worker.pid, "log": worker.log} for worker in cluster.workers]
    return {
        "version": cluster.version,
        "group_id": cluster.group_id,
        "offset_topic": cluster.topic("offsets"),
        "config_topic": cluster.topic("configs"),
        "status_topic": cluster.topic("status"),
        "urls": [worker["url"] for worker in workers],
        "workers": workers,
    }
