# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A ConfigMap: what it is made of, and how one of its entries is set while the others stay."""

from __future__ import annotations

import contextlib

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_resource import escaped

#: bytes that a ConfigMap can hold
LIMIT = 1024 * 1024


def config_map(namespace: str, name: str, data: dict, labels=None) -> dict:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": dict(metadata, labels=labels) if labels else metadata, "data": data}


def update(resources, name: str, change, labels=None) -> None:
    """resources: ConnectorResources. change(ConfigMap) -> JSON patch operations, see Kubernetes.update; where there is none an empty one is made."""
    while True:
        try:
            resources.kube.update(resources.config_maps(name), change)
            return
        except errors.KubeNotFound:
            with contextlib.suppress(errors.KubeConflict):  # somebody else has made it a moment ago
                resources.kube.create(resources.config_maps(), config_map(resources.namespace, name, {}, labels))


def data_operations(config_map: dict, key: str, text) -> list:
    """Set one entry of a ConfigMap, or remove it with None; the others stay."""
    data = config_map.get("data")
    if text is None:
        return [{"op": "remove", "path": "/data/" + escaped(key)}] if key in (data or {}) else []
    if (data or {}).get(key) == text:
        return []
    if data is None:
        return [{"op": "add", "path": "/data", "value": {key: text}}]
    return [{"op": "add", "path": "/data/" + escaped(key), "value": text}]


def size_of(found: dict, key: str, text: str) -> int:
    """Bytes of a ConfigMap's entries once this one is set."""
    data = dict(found.get("data") or {}, **{key: text})
    return (sum(len(name) + len(value.encode("utf-8")) for name, value in data.items())
            + sum(len(name) + len(value) * 3 // 4 for name, value in (found.get("binaryData") or {}).items()))
