# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A change of offsets as what would have to be applied, for those whose resources are kept in Git."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import mask
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import strimzi_operations, strimzi_resource
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.config_map import config_map
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_operations import ALTER, RESET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_resource import STOPPED


def manifests(client, connector: str, result: dict) -> dict:
    """{"manifests", "patches"} of what a check run has found. client: StrimziClient. Each is None where it could not be applied as it is shown:
    the result does not list all changes, or masks a secret.
    """
    pairs = None if result["counts"]["after"] == 0 and result["counts"]["remove"] else [
        {"partition": one["partition"], "offset": one["to"]} for one in result["actions"] if one["action"] != "keep"]
    if pairs is not None and (result["truncated"] or mask(pairs) != pairs):
        return {"manifests": None, "patches": None}
    if pairs == []:
        return {"manifests": [], "patches": []}
    return rendered(client.last_seen(connector), client.api, connector, pairs)


def rendered(resource: dict, api: str, connector: str, pairs) -> dict:
    """{"manifests", "patches"}. pairs: None for a reset."""
    part = strimzi_resource.part_of(resource, connector)
    kind, metadata = resource["kind"], resource["metadata"]
    name = strimzi_operations.config_map_of(part, ALTER) or "%s-offsets" % metadata["name"]
    target = {"apiVersion": api, "kind": kind, "name": metadata["name"], "namespace": metadata["namespace"]}
    manifests, prepare = [], []
    if pairs is not None:
        data = {strimzi_operations.data_key(kind, connector): strimzi_operations.offsets_text(pairs)}
        manifests.append(config_map(metadata["namespace"], name, data))
        if not strimzi_operations.config_map_of(part, ALTER):
            prepare.append({"op": "add", "path": part.pointer + "/alterOffsets", "value": {"fromConfigMap": {"name": name}}})
    if part.state != STOPPED:
        prepare.append({"op": "add", "path": part.pointer + "/state", "value": STOPPED})
    steps = [("Stop %s; wait until its status says STOPPED" % connector, part.tests + prepare)] if prepare else []
    annotate = strimzi_resource.annotation_operations(resource, strimzi_operations.operation_annotations(kind, connector, RESET if pairs is None else ALTER))
    steps.append(("Have the operator change the offsets; the annotation is gone when it is done. Not for Git", annotate))
    if part.state != STOPPED:
        path = part.pointer + "/state"
        back = {"op": "remove", "path": path} if part.state is None else {"op": "add", "path": path, "value": part.state}
        steps.append(("Put its state back", part.tests + [back]))
    return {"manifests": manifests, "patches": [{"description": words, "target": target, "patch": patch} for words, patch in steps]}
