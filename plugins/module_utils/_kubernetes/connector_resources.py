# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The resources of a namespace that have connectors: which one has which, by name or as the user says."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import strimzi_resource
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_resource import CONNECTOR, MIRROR, told


class ConnectorResources:
    """All methods raise errors of _core.errors."""

    def __init__(self, kube, namespace: str, resource=None, connect_cluster=None):
        """kube: Kubernetes. resource: NAME or KIND/NAME, by default found by the connector's name. connect_cluster: the Connect cluster that a
        KafkaConnector must belong to, or None.
        """
        self.kube = kube
        self.namespace = namespace
        self._resource = resource or None
        self._connect_cluster = connect_cluster or None
        self._api = None
        #: connector -> (kind, name of its resource)
        self._places = {}
        #: connector -> its resource, as it was read last
        self._seen = {}

    @property
    def url(self) -> str:
        """Where the resources are."""
        return "%s (namespace %s)" % (self.kube.host, self.namespace)

    def resource(self, name: str) -> dict:
        """The resource that has the connector. Raises NoConnector; DeclarationError for one that is no such resource."""
        if name not in self._places:
            self._places[name] = self._place_of(name)
        kind, own = self._places[name]
        try:
            found = self.kube.get(self._path(kind, own))
        except errors.KubeNotFound as error:
            raise errors.NoConnector("There is no %s %s in the namespace %s, so there is no such connector: %s" % (
                kind, own, self.namespace, error.message), **error.facts)
        if not strimzi_resource.belongs_to(found, self._connect_cluster):
            raise errors.DeclarationError("%s belongs to the Connect cluster %s, not to %s (k8s_connect_cluster)." % (
                told(found), strimzi_resource.cluster_of(found) or "that nobody names", self._connect_cluster))
        self._seen[name] = found
        return found

    def last_seen(self, name: str) -> dict:
        """The same without another request, after a change or its check."""
        return self._seen[name]

    def place(self, name: str) -> dict:
        """What tells the connector's resource apart."""
        if name not in self._places:
            self.resource(name)
        return {"kubernetes_host": self.kube.host, "namespace": self.namespace, "resource": "%s/%s" % self._places[name]}

    def owner(self, name: str):
        """The resource that owns the connector and would have a change by another method set back, in words; None if there is none."""
        try:
            found = self.resource(name)
        except (errors.NoConnector, errors.KubeNotServed, errors.DeclarationError):
            return None
        return told(found) if strimzi_resource.is_reconciled(found) else None

    @property
    def api(self) -> str:
        """apiVersion of the resources."""
        if self._api is None:
            try:
                group = self.kube.get("/apis/" + strimzi_resource.GROUP)
            except (errors.KubeNotServed, errors.KubeNotFound) as error:
                raise errors.MethodError("Strimzi's resources are not installed on %s (%s)." % (self.kube.host, error.message.rstrip(".")))
            self._api = "%s/%s" % (strimzi_resource.GROUP, strimzi_resource.version_of(group))
        return self._api

    def config_maps(self, name=None) -> str:
        path = "/api/v1/namespaces/%s/configmaps" % self.namespace
        return path if name is None else "%s/%s" % (path, name)

    def _path(self, kind, name=None) -> str:
        path = "/apis/%s/namespaces/%s/%s" % (self.api, self.namespace, strimzi_resource.PLURALS[kind])
        return path if name is None else "%s/%s" % (path, name)

    def _place_of(self, connector) -> tuple:
        mirror = strimzi_resource.is_of_mirror(connector)
        if self._resource is None:
            return (MIRROR, self._mirror_with(connector)) if mirror else (CONNECTOR, connector)
        kind, name = strimzi_resource.read_reference(self._resource)
        kind = kind or (MIRROR if mirror else CONNECTOR)
        if kind == MIRROR and not mirror:
            raise errors.DeclarationError(
                "%s is no connector of a KafkaMirrorMaker2: those are called SOURCE->TARGET.MirrorSourceConnector. Give a KafkaConnector as "
                "resource, or one of these names." % connector)
        if kind == CONNECTOR and name != connector:
            raise errors.DeclarationError("The KafkaConnector %s is the connector %s, not %s.%s" % (
                name, name, connector, " Give a KafkaMirrorMaker2 as resource for a connector of a mirror." if mirror else ""))
        return kind, name

    def _mirror_with(self, connector) -> str:
        try:
            found = [one["metadata"]["name"] for one in self._listed(MIRROR) if connector in strimzi_resource.parts_of(one)]
        except errors.KubeDenied as error:
            raise error.also("It is needed only to find the KafkaMirrorMaker2 that has %s: give it as resource." % connector)
        if len(found) != 1:
            raise errors.NoConnector("%s the connector %s in the namespace %s%s." % (
                "Several KafkaMirrorMaker2 have" if found else "No KafkaMirrorMaker2 has", connector, self.namespace,
                ": %s. Say which one is meant as resource" % ", ".join(found) if found else ""))
        return found[0]

    def _listed(self, kind) -> list:
        return [dict(one, kind=kind) for one in self.kube.get(self._path(kind)).get("items") or []]

    def _resources(self) -> list:
        if self._resource is None:
            return [one for kind in (CONNECTOR, MIRROR) for one in self._listed(kind) if strimzi_resource.belongs_to(one, self._connect_cluster)]
        kind, name = strimzi_resource.read_reference(self._resource)
        for one in [kind] if kind else [CONNECTOR, MIRROR]:
            try:
                return [self.kube.get(self._path(one, name))]
            except errors.KubeNotFound:
                continue
        raise errors.NoConnector("There is no %s %s in the namespace %s." % (kind or "KafkaConnector or KafkaMirrorMaker2", name, self.namespace))

    def _update(self, name, change) -> dict:
        """change(resource) -> JSON patch operations; see Kubernetes.update."""
        self.resource(name)
        return self.kube.update(self._path(*self._places[name]), change)
