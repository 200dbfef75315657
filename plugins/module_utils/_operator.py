# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""When a module works through Strimzi's operator, and when it must not go past it."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import Kubernetes, LibraryMissing, login
from ansible_collections.streamops.kafka_connect.plugins.module_utils._strimzi import MIRROR, pod_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._strimzi_client import StrimziClient

STRIMZI = "strimzi"


def by_operator(params: dict) -> bool:
    """Is it asked for, or by default, as it is said where the resources are?"""
    named = bool(params["namespace"] or params.get("resource")) and not params.get("offset_file")
    if "method" in params:
        return params["method"] == STRIMZI or params["method"] == "auto" and "resource" in params and named
    return params.get("ledger") == "configmap" or params.get("ledger") == "auto" and named and not params.get("ledger_file")


def open_operator(params: dict, reader, check_mode: bool) -> StrimziClient:
    """reader: a ConnectClient or None, asked where nothing may be written. Raises WishError, LibraryMissing."""
    kube = Kubernetes(login(params))
    namespace = params["namespace"] or kube.namespace
    if not namespace:
        raise errors.WishError("namespace is missing: give the namespace of the connector's resource. Nothing was changed.")
    only_look = check_mode or not params.get("apply", True)
    return StrimziClient(kube, namespace, params.get("resource"), params["connect_cluster"], params.get("wait_timeout", 120),
                         reader if only_look else None, not only_look or bool(params.get("list_in_check_mode")))


def check_owner(params: dict, warn) -> None:
    """A change by another road than the operator's is set back by it. Raises WishError if there is a resource that owns the connector."""
    if "force" in params and "method" in params and "name" in params:
        check_owners(params, {params["name"]: params["force"]}, warn)


def check_owners(params: dict, forced: dict, warn) -> None:
    """The same of several connectors. forced: {name: whether to change it all the same}."""
    names = [name for name, force in forced.items() if not force]
    if not names or not (params.get("namespace") or params.get("resource")):
        return
    try:
        operator = open_operator(params, None, True)
        owned = [(name, owner) for name, owner in ((name, operator.owner(name)) for name in names) if owner]
        operator.kube.close()
    except (errors.KubeError, errors.RoadError, LibraryMissing) as error:
        warn("Whether an operator owns %s could not be looked at: %s" % (
            names[0] if len(names) == 1 else "these connectors", getattr(error, "message", "the Python client is missing")))
        return
    if owned:
        raise errors.WishError(
            "%s is owned by the operator of %s in the namespace %s, which sets back what others change. Use method: strimzi; or tell the operator to "
            "leave it alone (annotation strimzi.io/pause-reconciliation: \"true\") as long as this takes; or use force: true. Nothing was changed."
            % (owned[0] + (operator.namespace,)), failed_connectors={name: "%s is owned by the operator of %s." % (name, owner) for name, owner in owned})


def check_pod(found, force: bool, warn) -> None:
    """The same without access to Kubernetes, by the name of the worker that runs the connector. found: Connector.

    All connectors of a pod of a KafkaMirrorMaker2 are the operator's. On a KafkaConnect they are only if there are KafkaConnectors.
    """
    kind, cluster, namespace = pod_of(found.worker_id) or (None, None, None)
    if kind == MIRROR and not force:
        raise errors.StateError(
            "%s runs on %s, a pod of the KafkaMirrorMaker2 %s in the namespace %s. Its operator sets back what others change. Use method: strimzi; "
            "or tell the operator to leave it alone (annotation strimzi.io/pause-reconciliation: \"true\") and use force: true. Nothing was changed."
            % (found.name, found.worker_id, cluster, namespace))
    if kind is not None:
        warn("%s runs on %s, a pod of the %s %s in the namespace %s, which Strimzi's operator looks after. If %s comes from a resource there, the operator "
             "sets back what others change: use method: strimzi." % (found.name, found.worker_id, kind, cluster, namespace, found.name))
