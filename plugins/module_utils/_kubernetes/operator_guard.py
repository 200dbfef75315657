# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""When a module works through Strimzi's operator, and when it must not go past it."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.strimzi_pods import STRIMZI
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors


def by_operator(params: dict) -> bool:
    """Is it asked for, or by default, as it is said where the resources are?"""
    named = bool(params["k8s_namespace"] or params.get("resource")) and not params.get("offset_file")
    if "method" in params:
        return params["method"] == STRIMZI or params["method"] == "auto" and "resource" in params and named
    return params.get("ledger") == "configmap" or params.get("ledger") == "auto" and named and not params.get("ledger_file")


def open_operator(params: dict, reader, check_mode: bool, make=None):
    """The StrimziClient. reader: a ConnectClient or None, asked in check mode. make: what makes the client, by default StrimziClient.

    Raises DeclarationError, LibraryMissing.
    """
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.api import Kubernetes, login
    if make is None:
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_client import StrimziClient as make
    kube = Kubernetes(*login(params))
    namespace = params["k8s_namespace"] or kube.namespace
    if not namespace:
        raise errors.DeclarationError("k8s_namespace is missing: give the namespace of the connector's resource.")
    return make(kube, namespace, params.get("resource"), params["k8s_connect_cluster"], params.get("wait_timeout", 120), reader if check_mode else None,
                check_mode)


def check_owner(params: dict, warn) -> None:
    """A change by another method than the operator's is set back by it. Raises DeclarationError if there is a resource that owns the connector."""
    if "force" in params and "method" in params and "name" in params:
        check_owners(params, {params["name"]: params["force"]}, warn)


def check_owners(params: dict, forced: dict, warn) -> None:
    """The same of several connectors. forced: {name: whether to change it all the same}."""
    names = [name for name, force in forced.items() if not force]
    if not names or not (params.get("k8s_namespace") or params.get("resource")):
        return
    try:
        operator = open_operator(params, None, True)
        owned = [(name, owner) for name, owner in ((name, operator.owner(name)) for name in names) if owner]
        operator.kube.close()
    except (errors.KubeError, errors.MethodError, errors.LibraryMissing) as error:
        warn("Whether an operator owns %s could not be looked at: %s" % (
            names[0] if len(names) == 1 else "these connectors", getattr(error, "message", "the Python client is missing")))
        return
    if owned:
        raise errors.DeclarationError(
            "%s is owned by the operator of %s in the namespace %s, which sets back what others change. Use method: strimzi; or tell the operator to "
            "leave it alone (annotation strimzi.io/pause-reconciliation: \"true\") as long as this takes; or use force: true."
            % (owned[0] + (operator.namespace,)), failed_connectors={name: "%s is owned by the operator of %s." % (name, owner) for name, owner in owned})
