# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for Strimzi's cluster operator, which no package registry has as a program.

It does to a real API server and real workers what the real one was seen to do, releases 0.51 and 1.2; numbers of rules are
those of the project's notes on Strimzi, by section. Not here: auto-restart, pods, metrics.
"""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Callable
from typing import Any

from stack.kube_api import ApiError, KubeApi
from tests.integration.support.operator import mirrors, restarts
from tests.integration.support.operator.collector import GROUP
from tests.integration.support.operator.connector import Outcome, reconcile, wanted
from tests.integration.support.operator.line import Line
from tests.integration.support.operator.offsets import CONNECTOR, OPERATION, Offsets
from tests.integration.support.operator.rest import OperatorError, Rest
from tests.integration.support.operator.status import condition, not_ready, verdict, warning, write

#: the version of the API that the operator itself uses
API_VERSIONS = {"0.51": "v1beta2", "1.2": "v1"}
CLUSTER = "strimzi.io/cluster"
USE_RESOURCES = "strimzi.io/use-connector-resources"
PAUSED = "strimzi.io/pause-reconciliation"
CONNECTS, CONNECTORS, MIRRORS = "kafkaconnects", "kafkaconnectors", "kafkamirrormaker2s"


class StandIn:
    """Watches one namespace.

    workers: URL of the REST API by (plural, name) of a KafkaConnect or KafkaMirrorMaker2; may be changed while it runs.
    tick: seconds between two passes over everything, which are 120 in the real one.
    written: every status that it writes is appended, as (plural, name, status): the next pass can overwrite one before anybody sees it.
    """

    def __init__(self, api: KubeApi, release: str, namespace: str, workers: dict[tuple[str, str], str], tick: float = 3.0,
                 written: list[tuple[str, str, dict]] | None = None) -> None:
        self.workers = workers
        self.tick = tick
        self.written = [] if written is None else written
        #: errors of the stand-in itself; there should be none
        self.crashes: list[Exception] = []
        self._api, self._release, self._namespace = api, release, namespace
        self._folder = f"/apis/{GROUP}/{API_VERSIONS[release]}/namespaces/{namespace}"
        self._lines: dict[tuple[str, str], Line] = {}
        self._guard = threading.Lock()
        self._end = threading.Event()
        self._threads: list[threading.Thread] = []
        self._watches: dict[str, http.client.HTTPSConnection] = {}

    @property
    def running(self) -> bool:
        return bool(self._threads)

    def start(self) -> None:
        """No error if it runs. What is annotated already is done soon (3.1)."""
        if self.running:
            return
        self._end.clear()
        handlers = {CONNECTORS: self._on_connector, CONNECTS: self._on_connect, MIRRORS: self._on_mirror}
        targets = [(self._watch, (plural, handler)) for plural, handler in handlers.items()] + [(self._keep_time, ())]
        self._threads = [threading.Thread(target=target, args=words, daemon=True) for target, words in targets]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Annotations wait from now on. No error if it does not run."""
        self._end.set()
        for connection in list(self._watches.values()):
            _hang_up(connection)
        for thread in self._threads:
            thread.join()
        for line in self._lines.values():
            line.stop()
        self._threads, self._lines = [], {}

    def hang(self, plural: str, name: str, seconds: float) -> None:
        """As a full pass that waits for pods, it holds the lock (3.1)."""
        self._line(plural, name).put(lambda: self._end.wait(seconds))

    # --- events and time

    def _watch(self, plural: str, handler: Callable[[str, dict], None]) -> None:
        while not self._end.is_set():
            try:
                listing = self._api.call("GET", f"{self._folder}/{plural}")
                for resource in _items(listing):
                    handler("ADDED", resource)
                for kind, resource in self._api.watch(f"{self._folder}/{plural}", listing["metadata"]["resourceVersion"],
                                                      lambda connection: self._opened(plural, connection)):
                    handler(kind, resource)
            except (ApiError, OSError):
                self._end.wait(0.5)
            except Exception as error:
                self.crashes.append(error)
                return

    def _opened(self, plural: str, connection: http.client.HTTPSConnection) -> None:
        self._watches[plural] = connection
        if self._end.is_set():
            _hang_up(connection)

    def _keep_time(self) -> None:
        while not self._end.wait(self.tick):
            for plural, job in ((CONNECTS, self._connect), (MIRRORS, self._mirror)):
                try:
                    found = _items(self._api.call("GET", f"{self._folder}/{plural}"))
                except (ApiError, OSError):
                    continue
                for resource in found:
                    name = resource["metadata"]["name"]
                    self._line(plural, name).put(lambda job=job, name=name: job(name))

    def _line(self, plural: str, name: str) -> Line:
        with self._guard:
            return self._lines.setdefault((plural, name), Line(self.crashes))

    def _rest(self, plural: str, name: str) -> Rest:
        url = self.workers.get((plural, name))
        if not url:
            raise OperatorError("TimeoutException", f"Exceeded timeout of 300000ms while waiting for Pods resource {name}-connect-0")
        return Rest(url, self._release)

    # --- KafkaConnector

    def _on_connector(self, kind: str, resource: dict[str, Any]) -> None:
        """A change concerns that connector alone. The pass begins with the resource of the event, not with a newer one (3.6)."""
        name = resource["metadata"]["name"]
        cluster = resource["metadata"].get("labels", {}).get(CLUSTER)
        connect = self._api.get(f"{self._folder}/{CONNECTS}/{cluster}") if cluster else None
        problem = self._unusable(cluster, connect)
        if kind == "DELETED":
            if not problem:
                self._line(CONNECTS, cluster).put(lambda: self._rest(CONNECTS, cluster).delete(name))
        elif problem:
            self._write(CONNECTORS, resource, {"conditions": [not_ready(problem)]})
        else:
            self._line(CONNECTS, cluster).put(lambda: self._connector(connect, resource))

    def _unusable(self, cluster: str | None, connect: dict[str, Any] | None) -> OperatorError | None:
        if not cluster:
            return OperatorError("InvalidResourceException", f"Resource lacks label '{CLUSTER}': No connect cluster in which to create"
                                 " this connector.")
        if connect is None:
            return OperatorError("NoSuchResourceException", f"KafkaConnect resource '{cluster}' identified by label '{CLUSTER}'"
                                 f" does not exist in namespace {self._namespace}.")
        if connect["spec"].get("replicas") == 0:
            return OperatorError("RuntimeException", f"Kafka Connect cluster '{cluster}' in namespace {self._namespace} has 0 replicas.")
        return None

    def _connector(self, connect: dict[str, Any], resource: dict[str, Any]) -> None:
        metadata, spec = resource["metadata"], resource.get("spec", {})
        if _annotation(resource, PAUSED) == "true":
            self._write(CONNECTORS, resource, {"conditions": [condition("ReconciliationPaused")]})
            return
        try:
            cluster = connect["metadata"]["name"]
            if _annotation(connect, USE_RESOURCES) != "true":
                text = f"KafkaConnect cluster '{cluster}' is not configured with annotation {USE_RESOURCES}"
                raise OperatorError("NoSuchResourceException", text)
            rest = self._rest(CONNECTS, cluster)
            one = wanted(metadata["name"], spec, spec.get("class", ""))
            path = f"{self._folder}/{CONNECTORS}/{metadata['name']}"
            offsets = Offsets(self._api, rest, self._release, resource, path, one.name, spec, "offsets.json")
            found = reconcile(rest, one, self._release, lambda: [*offsets.run(_annotation(resource, OPERATION, "none")),
                                                                 *restarts.run(self._api, rest, resource, path, one.name)])
            warnings = _deprecations(spec) + found.warnings
            status = {"conditions": [verdict([found.status]), *warnings], "connectorStatus": found.status, "topics": found.topics}
            if spec.get("tasksMax") is not None:
                status["tasksMax"] = spec["tasksMax"]
        except OperatorError as error:
            status = {"conditions": [not_ready(error)]}
        self._write(CONNECTORS, resource, status)

    # --- KafkaConnect

    def _on_connect(self, kind: str, resource: dict[str, Any]) -> None:
        name = resource["metadata"]["name"]
        self._line(CONNECTS, name).put(lambda: self._connect(name))

    def _connect(self, name: str) -> None:
        """A full pass: all connectors of the cluster, and those that have no resource are deleted (0.11)."""
        connect = self._api.get(f"{self._folder}/{CONNECTS}/{name}")
        if connect and _annotation(connect, PAUSED) == "true":
            # Its timer stops; changes of its connectors are still handled (3.5).
            self._write(CONNECTS, connect, {"conditions": [condition("ReconciliationPaused")]})
            return
        own = _items(self._api.call("GET", f"{self._folder}/{CONNECTORS}", labelSelector=f"{CLUSTER}={name}"))
        problem = self._unusable(name, connect)
        if problem:
            for resource in own:
                self._write(CONNECTORS, resource, {"conditions": [not_ready(problem)]})
        if connect is None:
            return
        status = {"conditions": [condition("Ready")], "url": f"http://{name}-connect-api.{self._namespace}.svc:8083"}
        try:
            if not problem and _annotation(connect, USE_RESOURCES) == "true":
                self._sweep(self._rest(CONNECTS, name), [one["metadata"]["name"] for one in own])
                for resource in own:
                    self._connector(connect, resource)
        except OperatorError as error:
            status = {"conditions": [not_ready(error)]}
        self._write(CONNECTS, connect, status)

    # --- KafkaMirrorMaker2

    def _on_mirror(self, kind: str, resource: dict[str, Any]) -> None:
        name = resource["metadata"]["name"]
        job = self._mirror if kind != "DELETED" else self._mirror_gone
        self._line(MIRRORS, name).put(lambda: job(name))

    def _mirror(self, name: str) -> None:
        """Every pass covers the whole resource, as it is now (3.1)."""
        resource = self._api.get(f"{self._folder}/{MIRRORS}/{name}")
        if resource is None:
            return
        if _annotation(resource, PAUSED) == "true":
            self._write(MIRRORS, resource, {"conditions": [condition("ReconciliationPaused")]})
            return
        address = {"url": f"http://{name}-mirrormaker2-api.{self._namespace}.svc:8083"}
        try:
            found = self._mirror_pass(name, resource)
            warnings = [one for outcome in found for one in outcome.warnings]
            statuses = sorted((outcome.status for outcome in found), key=lambda one: one["name"])
            status = {"conditions": [verdict(statuses), *warnings], "connectors": statuses, **address}
        except OperatorError as error:
            status = {"conditions": [not_ready(error)]}
            if error.reason == "IllegalArgumentException":
                # It spins (0.9): what it writes by the way and what it writes at last differ, and each is an event.
                self._write(MIRRORS, resource, {"conditions": [condition("Ready")], **address})
        self._write(MIRRORS, resource, status)

    def _mirror_pass(self, name: str, resource: dict[str, Any]) -> list[Outcome]:
        rest = self._rest(MIRRORS, name)
        all_of_them = list(mirrors.connectors(resource["spec"]))
        self._sweep(rest, [one.name for one, _spec in all_of_them])
        path = f"{self._folder}/{MIRRORS}/{name}"

        def annotations(one, spec) -> list[dict[str, str]]:
            return [*self._mirror_offsets(rest, resource, one.name, spec), *restarts.run(self._api, rest, resource, path, one.name)]

        return [reconcile(rest, one, self._release, lambda one=one, spec=spec: annotations(one, spec)) for one, spec in all_of_them]

    def _mirror_offsets(self, rest: Rest, resource: dict[str, Any], name: str, spec: dict[str, Any]) -> list[dict[str, str]]:
        """Both annotations are needed. A name that no connector has is never looked at (0.9)."""
        given = {key: _annotation(resource, key) for key in (OPERATION, CONNECTOR)}
        missing_acls = [key for key, value in given.items() if value is None]
        if len(missing_acls) == 1:
            text = f"Annotation {missing_acls[0]} is missing in KafkaMirrorMaker2 resource."
            return [warning("ManageOffsets", f"Encountered error getting connector offsets annotation. {text}")]
        if missing_acls or given[CONNECTOR] != name:
            return []
        path = f"{self._folder}/{MIRRORS}/{resource['metadata']['name']}"
        return Offsets(self._api, rest, self._release, resource, path, name, spec, mirrors.key_of(name)).run(given[OPERATION])

    def _mirror_gone(self, name: str) -> None:
        """Its workers go with it; offsets stay."""
        self._sweep(self._rest(MIRRORS, name), [])

    # --- for all

    def _sweep(self, rest: Rest, names: list[str]) -> None:
        for stranger in sorted(set(rest.connectors()) - set(names)):
            rest.delete(stranger)

    def _write(self, plural: str, resource: dict[str, Any], status: dict[str, Any]) -> None:
        metadata = resource["metadata"]
        if write(self._api, f"{self._folder}/{plural}/{metadata['name']}", status, metadata["generation"]):
            self.written.append((plural, metadata["name"], status))


def _items(listing: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects of a listing, which says their kind and version only once."""
    kind = listing["kind"].removesuffix("List")
    return [{"apiVersion": listing["apiVersion"], "kind": kind, **one} for one in listing["items"]]


def _annotation(resource: dict[str, Any], name: str, default: str | None = None) -> str | None:
    return resource["metadata"].get("annotations", {}).get(name, default)


def _deprecations(spec: dict[str, Any]) -> list[dict[str, str]]:
    if "pause" not in spec:
        return []
    return [warning("DeprecatedFields", "In resource KafkaConnector the pause property has been deprecated, use state instead.")]


def _hang_up(connection: http.client.HTTPSConnection) -> None:
    try:
        connection.sock.shutdown(socket.SHUT_RDWR)
    except (OSError, AttributeError):
        pass
