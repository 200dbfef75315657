# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Strimzi's resources as a person with kubectl has them."""

from __future__ import annotations

import json
import time
from typing import Any

from stack import crds
from stack.kube_api import JSON_PATCH, MERGE, KubeApi
from tests.integration.support.operator.collector import GROUP
from tests.integration.support.operator.offsets import CONNECTOR, OPERATION
from tests.integration.support.operator.stand_in import CLUSTER, CONNECTORS, CONNECTS, MIRRORS, USE_RESOURCES
from tests.integration.support.worker import wait_until

KINDS = {CONNECTS: "KafkaConnect", CONNECTORS: "KafkaConnector", MIRRORS: "KafkaMirrorMaker2"}
#: what a token needs for the whole method; the ConfigMaps are those of the sections, and one for the ledger
VERBS = ["get", "patch"]

_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def install(api: KubeApi, release: str) -> None:
    """Strimzi's definitions of that release in place of those of another one, whose resources go with them."""
    wanted = crds.ensure_crds(release)
    names = [one["metadata"]["name"] for one in wanted]
    found = {name: api.get(f"{_DEFINITIONS}/{name}") for name in names}
    if all(found[one["metadata"]["name"]] and _versions(found[one["metadata"]["name"]]) == _versions(one) for one in wanted):
        return
    for name in names:
        api.delete(f"{_DEFINITIONS}/{name}")
    wait_until(lambda: not any(api.get(f"{_DEFINITIONS}/{name}") for name in names), reason="the old definitions to be gone")
    for one in wanted:
        api.call("POST", _DEFINITIONS, one)
    served = [version["name"] for version in wanted[0]["spec"]["versions"] if version["served"]]
    wait_until(lambda: all(_serves(api, version) for version in served), reason="the definitions to be served")


def _versions(definition: dict[str, Any]) -> dict[str, bool]:
    return {one["name"]: one["storage"] for one in definition["spec"]["versions"]}


def _serves(api: KubeApi, version: str) -> bool:
    listing = api.get(f"/apis/{GROUP}/{version}")
    if not listing or not {*KINDS} <= {one["name"] for one in listing["resources"]}:
        return False
    return all(api.get(f"/apis/{GROUP}/{version}/{plural}") for plural in KINDS)


class Namespace:
    """One namespace, as its administrator sees it.

    version: of the API that resources are read and written by. written: every status that its operator has written (see StandIn).
    """

    def __init__(self, api: KubeApi, name: str, version: str) -> None:
        self.api, self.name, self.version = api, name, version
        self.written: list[tuple[str, str, dict[str, Any]]] = []

    def path(self, plural: str, name: str = "", version: str = "") -> str:
        folder = f"/apis/{GROUP}/{version or self.version}/namespaces/{self.name}/{plural}"
        return f"{folder}/{name}" if name else folder

    def create(self, plural: str, name: str, spec: dict[str, Any], labels: dict[str, str] | None = None,
               annotations: dict[str, str] | None = None) -> dict[str, Any]:
        metadata = {"name": name, "labels": labels or {}, "annotations": annotations or {}}
        body = {"apiVersion": f"{GROUP}/{self.version}", "kind": KINDS[plural], "metadata": metadata, "spec": spec}
        return self.api.call("POST", self.path(plural), body)

    def connector(self, name: str, config: dict[str, Any], connect: str = "connect", annotations: dict[str, str] | None = None,
                  **spec: Any) -> dict[str, Any]:
        """A KafkaConnector; config as Connect has it. Offsets are listed to NAME-offsets and altered from NAME-alter."""
        rest = {key: value for key, value in config.items() if key not in ("connector.class", "tasks.max", "name")}
        sections = {"listOffsets": {"toConfigMap": {"name": f"{name}-offsets"}},
                    "alterOffsets": {"fromConfigMap": {"name": f"{name}-alter"}}}
        spec = {"class": config["connector.class"], "tasksMax": int(config.get("tasks.max", 1)), "config": rest, **sections, **spec}
        spec = {key: value for key, value in spec.items() if value is not None}
        return self.create(CONNECTORS, name, spec, {CLUSTER: connect}, annotations)

    def get(self, plural: str, name: str, version: str = "") -> dict[str, Any] | None:
        return self.api.get(self.path(plural, name, version))

    def merge(self, plural: str, name: str, patch: dict[str, Any]) -> dict[str, Any]:
        return self.api.call("PATCH", self.path(plural, name), patch, MERGE)

    def json_patch(self, plural: str, name: str, patch: list[dict[str, Any]]) -> dict[str, Any]:
        return self.api.call("PATCH", self.path(plural, name), patch, JSON_PATCH)

    def delete(self, plural: str, name: str) -> None:
        self.api.delete(self.path(plural, name))

    def annotate(self, plural: str, name: str, word: str | None, connector: str | None = None) -> None:
        """Ask for list, alter or reset, of a mirror for one of its connectors; None takes an annotation away."""
        annotations = {OPERATION: word} | ({CONNECTOR: connector} if plural == MIRRORS else {})
        self.merge(plural, name, {"metadata": {"annotations": annotations}})

    def annotation(self, plural: str, name: str, key: str = OPERATION) -> str | None:
        return self.get(plural, name)["metadata"].get("annotations", {}).get(key)

    def await_done(self, plural: str, name: str) -> None:
        """The one sign of success: the annotation is gone."""
        wait_until(lambda: self.annotation(plural, name) is None, reason=f"the annotation of {name} to be gone")

    def status(self, plural: str, name: str) -> dict[str, Any]:
        return self.get(plural, name).get("status", {})

    def conditions(self, plural: str, name: str) -> list[tuple[str, str]]:
        """Type and reason of each."""
        return [(one["type"], one.get("reason", "")) for one in self.status(plural, name).get("conditions", [])]

    def await_message(self, plural: str, name: str, reason: str, text: str = "") -> str:
        """The message of a condition with that reason, and that text in it, once the operator has written one; by now it may be gone."""
        return wait_until(lambda: next((one["message"] for *of, status in list(self.written) for one in status["conditions"]
                                        if of == [plural, name] and one.get("reason") == reason and text in one["message"]), ""),
                          reason=f"{reason} of {name}: {text}")

    def settle(self, plural: str, name: str) -> None:
        """Returns when nothing has changed for a while."""
        seen, since = None, time.monotonic()

        def is_quiet() -> bool:
            nonlocal seen, since
            version = self.get(plural, name)["metadata"]["resourceVersion"]
            if version != seen:
                seen, since = version, time.monotonic()
            return time.monotonic() - since > 0.4

        wait_until(is_quiet, reason=f"{name} to be left alone")

    def state(self, name: str) -> str | None:
        """The state word of a KafkaConnector, if its status is of its present generation."""
        found = self.get(CONNECTORS, name)
        status = found.get("status", {})
        if status.get("observedGeneration") != found["metadata"]["generation"]:
            return None
        return status.get("connectorStatus", {}).get("connector", {}).get("state")

    def await_state(self, name: str, state: str) -> None:
        wait_until(lambda: self.state(name) == state, reason=f"{name} {state}")

    def set_state(self, name: str, state: str | None) -> None:
        self.merge(CONNECTORS, name, {"spec": {"state": state}})

    # --- ConfigMaps

    def config_map(self, name: str) -> dict[str, Any] | None:
        return self.api.get(f"{self._config_maps}/{name}")

    def data(self, name: str, key: str = "offsets.json") -> Any:
        """The document in an entry; None if there is none."""
        text = (self.config_map(name) or {}).get("data", {}).get(key)
        return None if text is None else json.loads(text)

    def put_data(self, name: str, data: dict[str, str | None], **rest: Any) -> dict[str, Any]:
        """Entries of a ConfigMap, which is made if it is not there; None takes one away. rest: such as immutable."""
        if self.config_map(name):
            return self.api.call("PATCH", f"{self._config_maps}/{name}", {"data": data, **rest}, MERGE)
        return self.api.call("POST", self._config_maps, {"metadata": {"name": name, **rest.pop("metadata", {})}, "data": data, **rest})

    @property
    def _config_maps(self) -> str:
        return f"/api/v1/namespaces/{self.name}/configmaps"


def connect_spec(bootstrap_servers: str, **spec: Any) -> dict[str, Any]:
    """Of a KafkaConnect, in both versions of the API."""
    return {"replicas": 1, "bootstrapServers": bootstrap_servers, **_storage("connect"), **spec}


def connect_annotations() -> dict[str, str]:
    return {USE_RESOURCES: "true"}


def mirror_spec(source: str, target: str, bootstrap_servers: str, topics: str, old: bool = False, **mirror: Any) -> dict[str, Any]:
    """Of a KafkaMirrorMaker2 from one alias to another, of which both are at the same broker; old is the shape of v1beta2 alone."""
    quick = {"replication.factor": 1, "offset-syncs.topic.replication.factor": 1, "checkpoints.topic.replication.factor": 1,
             "refresh.topics.interval.seconds": 1, "emit.checkpoints.interval.seconds": 1, "consumer.poll.timeout.ms": 200}
    parts = {f"{kind}Connector": {"tasksMax": 1, "config": quick, "listOffsets": {"toConfigMap": {"name": "mirror-offsets"}},
                                  "alterOffsets": {"fromConfigMap": {"name": "mirror-alter"}}} for kind in ("source", "checkpoint")}
    for section in parts:
        parts[section] |= mirror.pop(section, {})
    common = {"topicsPattern": topics, "groupsPattern": "none", **parts, **mirror}
    ends = [{"alias": alias, "bootstrapServers": bootstrap_servers} for alias in (source, target)]
    if old:
        return {"replicas": 1, "connectCluster": target, "clusters": ends,
                "mirrors": [{"sourceCluster": source, "targetCluster": target, **common}]}
    return {"replicas": 1, "target": {**ends[1], **_storage("mirror")}, "mirrors": [{"source": ends[0], **common}]}


def _storage(name: str) -> dict[str, str]:
    return {"groupId": name, **{f"{kind}StorageTopic": f"{name}-{kind}" for kind in ("config", "status", "offset")}}


def minimal_rules(config_maps: list[str]) -> list[dict[str, Any]]:
    """What RBAC has to allow for the whole method, and no more."""
    return [
        {"apiGroups": [GROUP], "resources": [CONNECTORS, MIRRORS], "verbs": VERBS},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": VERBS, "resourceNames": config_maps},
        # Cannot be limited by name.
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]},
    ]
