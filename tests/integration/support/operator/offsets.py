# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""list, alter and reset, for a connector of a KafkaConnector or of a mirror (facts 3.2 to 3.4).

Each returns what it warns of, and takes the annotations away only when it has succeeded.
"""

from __future__ import annotations

import json
from typing import Any

from stack.kube_api import APPLY, MERGE, ApiError, KubeApi
from tests.integration.support.operator.rest import OperatorError, Rest
from tests.integration.support.operator.status import warning
from tests.integration.support.operator.tree import rewritten

OPERATION = "strimzi.io/connector-offsets"
CONNECTOR = "strimzi.io/mirrormaker-connector"
WORDS = ("none", "list", "alter", "reset")
_DOING = {"list": "listing", "alter": "altering", "reset": "resetting"}


class Offsets:
    """The operations on one connector, asked for by one state of a resource.

    path: of the resource. spec: with listOffsets and alterOffsets. key: in the data of a ConfigMap.
    """

    def __init__(self, api: KubeApi, rest: Rest, release: str, resource: dict[str, Any], path: str,
                 name: str, spec: dict[str, Any], key: str) -> None:
        self._api, self._rest, self._release = api, rest, release
        self._resource, self._path = resource, path
        self._name, self._spec, self._key = name, spec, key
        self._namespace = resource["metadata"]["namespace"]

    def run(self, word: str) -> list[dict[str, str]]:
        """Word: as it is in the annotation."""
        if word not in WORDS:  # lower case, no blanks
            raise OperatorError("IllegalArgumentException", f"No enum constant KafkaConnectorOffsetsAnnotation.{word}")
        if word == "none":
            return []
        reason, section = f"{word.capitalize()}Offsets", f"{word}Offsets"
        if word != "reset" and not self._spec.get(section):
            text = f"Failed to {word} the connector offsets due to missing property {section} in {self._resource['kind']} CR."
            return [warning(reason, text)]
        try:
            {"list": self._list, "alter": self._alter, "reset": self._reset}[word]()
            self._take_annotations_away()
        except (OperatorError, ApiError) as error:
            return [warning(reason, f"Encountered error {_DOING[word]} connector offsets. {error}")]
        return []

    def _list(self) -> None:
        name = self._spec["listOffsets"]["toConfigMap"]["name"]
        text = rewritten(self._rest.offsets(self._name))
        found = self._api.get(f"{_config_maps(self._namespace)}/{name}") or {"metadata": {"name": name}}
        old = found["metadata"]
        metadata = {"name": name, "namespace": self._namespace, "labels": {**old.get("labels", {}), **self._labels()},
                    "annotations": old.get("annotations", {}), "ownerReferences": self._owners(old.get("ownerReferences", []))}
        wanted = {key: found[key] for key in ("binaryData", "immutable") if key in found}
        wanted |= {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {**found.get("data", {}), self._key: text}}
        # Server-side apply; a conflict with who else has written an entry is decided for the operator.
        self._api.call("PATCH", f"{_config_maps(self._namespace)}/{name}", wanted, APPLY,
                       fieldManager="strimzi-cluster-operator", force="true")

    def _labels(self) -> dict[str, str]:
        own = self._resource["metadata"]
        if self._release == "0.51":
            return own.get("labels", {})
        return {"app.kubernetes.io/instance": own["name"], "app.kubernetes.io/managed-by": "strimzi-cluster-operator",
                "app.kubernetes.io/part-of": f"strimzi-{own['name']}", "strimzi.io/cluster": own["name"],
                "strimzi.io/kind": self._resource["kind"], "strimzi.io/name": own["name"]}

    def _owners(self, owners: list[dict[str, Any]]) -> list[dict[str, Any]]:
        metadata, kind = self._resource["metadata"], self._resource["kind"]
        # 1.x knows itself by kind and name: the uid of an earlier incarnation stays, and the ConfigMap is collected.
        there = any((one["kind"], one["name"]) == (kind, metadata["name"]) for one in owners)
        if owners if self._release == "0.51" else there:
            return owners
        return [*owners, {"apiVersion": self._resource["apiVersion"], "kind": kind, "name": metadata["name"], "uid": metadata["uid"],
                          "controller": False, "blockOwnerDeletion": False}]

    def _alter(self) -> None:
        self._must_be_stopped()
        name = self._spec["alterOffsets"]["fromConfigMap"]["name"]
        found = self._api.get(f"{_config_maps(self._namespace)}/{name}")
        trouble = "Encountered error fetching offsets to use in alter operation."
        if found is None:
            raise OperatorError("", f"{trouble} ConfigMap {self._namespace}/{name} does not exist.")
        text = found.get("data", {}).get(self._key)
        if text is None:
            raise OperatorError("", f"{trouble} Data field {self._key} is missing.")
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            where = f"line: {error.lineno}, column: {error.colno}"
            raise OperatorError("", f"Failed to parse contents of {self._key} as JSON: {error.msg} at [{where}]") from error
        self._rest.alter(self._name, text)

    def _reset(self) -> None:
        self._must_be_stopped()
        self._rest.reset(self._name)

    def _must_be_stopped(self) -> None:
        # The word alone; tasks are not looked at.
        if self._rest.status(self._name)["connector"]["state"] != "STOPPED":
            raise OperatorError("", "Connector is not in STOPPED state")

    def _take_annotations_away(self) -> None:
        """As long as the resource is the one that this pass began with (3.6); otherwise the API's conflict is the warning."""
        metadata = {"annotations": {OPERATION: None}, "resourceVersion": self._resource["metadata"]["resourceVersion"]}
        if self._resource["kind"] == "KafkaMirrorMaker2":
            metadata["annotations"][CONNECTOR] = None
        self._api.call("PATCH", self._path, {"metadata": metadata}, MERGE)


def _config_maps(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"
