# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Workers on pods that Strimzi's operator looks after, told by their address alone. Pure."""

from __future__ import annotations

import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

#: the method that goes through the operator
STRIMZI = "strimzi"

MIRROR = "KafkaMirrorMaker2"

#: host of a pod of a Connect cluster that Strimzi runs: NAME-connect-0.NAME-connect.NAMESPACE.svc, and the same with mirrormaker2
_POD = re.compile(r"(?P<cluster>.+)-(?P<kind>connect|mirrormaker2)-\d+\.(?P=cluster)-(?P=kind)\.(?P<namespace>[^.]+)\.svc[.:]")


def pod_of(worker_id):
    """(kind of resource, its name, namespace) if the worker is a pod that Strimzi runs; else None."""
    match = _POD.match(worker_id or "")
    return match and (MIRROR if match["kind"] == "mirrormaker2" else "KafkaConnect", match["cluster"], match["namespace"])


def check_pod(found, force: bool, warn) -> None:
    """A change past the operator is set back by it. Raises StateError where the connector runs on a pod whose connectors are all its; else
    ``warn(text)`` where it may be. found: Connector.

    Those of a KafkaMirrorMaker2 always are. On a KafkaConnect they are only if there are KafkaConnectors.
    """
    kind, cluster, namespace = pod_of(found.worker_id) or (None, None, None)
    if kind == MIRROR and not force:
        raise errors.StateError(
            "%s runs on %s, a pod of the KafkaMirrorMaker2 %s in the namespace %s. Its operator sets back what others change. Use method: strimzi; "
            "or tell the operator to leave it alone (annotation strimzi.io/pause-reconciliation: \"true\") and use force: true."
            % (found.name, found.worker_id, cluster, namespace))
    if kind is not None:
        warn("%s runs on %s, a pod of the %s %s in the namespace %s, which Strimzi's operator looks after. If %s comes from a resource there, the operator "
             "sets back what others change: use method: strimzi." % (found.name, found.worker_id, kind, cluster, namespace, found.name))
