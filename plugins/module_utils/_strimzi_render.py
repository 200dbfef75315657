# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A change of offsets as what would have to be applied, for those whose resources are kept in Git."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _strimzi
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import SINK, SOURCE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._strimzi import ALTER, RESET, STOPPED


def render(client, change, wish) -> dict:
    """The module's result: what a check run tells, with manifests and patches. client: StrimziClient. change: OffsetsChange.

    Without the live offsets what is declared is rendered as it is, unless it depends on them, as with purge or guards; then it fails.
    """
    if getattr(client, "road", None) != "strimzi":
        raise errors.WishError("apply: false needs method: strimzi; nothing was changed.")
    try:
        result = change.run(check_mode=True)
        pairs = None if result["counts"]["after"] == 0 and result["counts"]["remove"] else [
            {"partition": one["partition"], "offset": one["to"]} for one in result["actions"] if one["action"] != "keep"]
    except errors.ConnectError as error:
        pairs = _declared(client, change.name, wish, error)
        result = {"warnings": change.warnings + ["What is declared is rendered without a look at the live offsets. " + error.message]}
    if result.get("truncated"):
        raise errors.WishError("max_entries has cut the list of changes: use max_entries: 0 with apply: false. Nothing was changed.")
    resource = client.resource(change.name)
    found = rendered(resource, client.api, change.name, pairs) if pairs is None or pairs else {"manifests": [], "patches": []}
    return dict(result, changed=False, **found)


def _declared(client, name, wish, error):
    """[{partition, offset}], None for all to be removed. Raises the error that is in the way of knowing the live offsets."""
    known = client.status(name)  # what is wrong with the resource is wrong in any case
    plain = wish is not None and not (wish.in_words or wish.purge or wish.guards)
    if not plain or not isinstance(error, (errors.StateError, errors.Unreachable, errors.WaitError)):
        raise error
    keyed = wish.for_kind(SINK if known.get("type") == SINK else SOURCE)
    return None if keyed is None else [{"partition": entry.partition, "offset": entry.offset} for entry in (keyed[key] for key in sorted(keyed))]


def rendered(resource: dict, api: str, connector: str, pairs) -> dict:
    """{"manifests", "patches"}. pairs: None for a reset."""
    part = _strimzi.part_of(resource, connector)
    kind, metadata = resource["kind"], resource["metadata"]
    name = part.config_map(ALTER) or "%s-offsets" % metadata["name"]
    target = {"apiVersion": api, "kind": kind, "name": metadata["name"], "namespace": metadata["namespace"]}
    manifests, prepare = [], []
    if pairs is not None:
        manifests.append(_strimzi.config_map(metadata["namespace"], name, {_strimzi.data_key(kind, connector): _strimzi.offsets_text(pairs)}))
        if not part.config_map(ALTER):
            prepare.append({"op": "add", "path": part.pointer + "/alterOffsets", "value": {"fromConfigMap": {"name": name}}})
    if part.state != STOPPED:
        prepare.append({"op": "add", "path": part.pointer + "/state", "value": STOPPED})
    steps = [("Stop %s; wait until its status says STOPPED" % connector, part.tests + prepare)] if prepare else []
    annotate = _strimzi.annotation_operations(resource, _strimzi.operation_annotations(kind, connector, RESET if pairs is None else ALTER))
    steps.append(("Have the operator change the offsets; the annotation is gone when it is done. Not for Git", annotate))
    if part.state != STOPPED:
        path = part.pointer + "/state"
        back = {"op": "remove", "path": path} if part.state is None else {"op": "add", "path": path, "value": part.state}
        steps.append(("Put its state back", part.tests + [back]))
    return {"manifests": manifests, "patches": [{"description": words, "target": target, "patch": patch} for words, patch in steps]}
