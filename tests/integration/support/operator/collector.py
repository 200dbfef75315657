# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes' garbage collection of ConfigMaps, which is the work of a controller that the stack lacks (facts 0.7)."""

from __future__ import annotations

import threading
from typing import Any

from stack.kube_api import JSON_PATCH, ApiError, KubeApi

GROUP = "kafka.strimzi.io"
_PAUSE = 0.1


class Collector:
    """Takes away references to owners that are gone, in one namespace; a ConfigMap goes with the last one. Not a part of the operator."""

    def __init__(self, api: KubeApi, namespace: str) -> None:
        self._api = api
        self._namespace = namespace
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._end.wait(_PAUSE):
            try:
                self._collect()
            except (ApiError, OSError):
                pass  # it has changed meanwhile, or the server is gone: the next round sees it

    def _collect(self) -> None:
        folder = f"/api/v1/namespaces/{self._namespace}/configmaps"
        for one in self._api.call("GET", folder)["items"]:
            metadata = one["metadata"]
            references = metadata.get("ownerReferences", [])
            alive = [reference for reference in references if self._exists(reference)]
            path = f"{folder}/{metadata['name']}"
            if references and not alive:
                self._api.delete(path)
            elif len(alive) < len(references):
                self._api.call("PATCH", path, [{"op": "test", "path": "/metadata/resourceVersion", "value": metadata["resourceVersion"]},
                                               {"op": "replace", "path": "/metadata/ownerReferences", "value": alive}], JSON_PATCH)

    def _exists(self, reference: dict[str, Any]) -> bool:
        """By the uid: another one of the same name is another one."""
        if not reference["apiVersion"].startswith(GROUP):
            return True
        path = f"/apis/{reference['apiVersion']}/namespaces/{self._namespace}/{reference['kind'].lower()}s/{reference['name']}"
        found = self._api.get(path)
        return found is not None and found["metadata"]["uid"] == reference["uid"]
