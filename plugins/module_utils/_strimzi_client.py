# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Connectors that Strimzi's operator owns, with the methods of ConnectClient (see _rest): what Connect is asked there, the operator is
asked here, through the connector's resource.

The operator carries out an operation on offsets because of an annotation. That the annotation is gone is the only sign that it was
done. While it is there the operation stays armed, also for a time when nobody thinks of it any more: so whatever goes wrong, we take
ours away. Warnings in the status are no verdicts. They can be left over, and most pass at the next look of the operator.
"""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _document, _strimzi
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._strimzi import (
    ALTER,
    CONNECTOR,
    LIST,
    LOOK,
    MIRROR,
    OFFSETS,
    PAUSED,
    RESET,
    RUNNING,
    STOPPED,
    WHICH,
    told,
)

_POLL = 0.15
#: seconds for the operator to report on what it has just seen for the first time
_PATIENCE = 5.0
#: seconds for somebody else's operation to end
_OTHERS = 10.0
#: seconds for the status, which follows the end of an operation; a patch within it has the operator do it once more
_QUIET = 2.0
#: seconds after which the operator is made to look again, at first; it says the same thing once, and is silent then until its timer
_NUDGE = 2.0
_LONGEST_NUDGE = 30.0
#: seconds for a restart to be carried out
_RESTART = 30.0

_NOTHING = "Nothing was changed."


class StrimziClient:
    """All methods raise errors of _errors."""

    road = "strimzi"

    def __init__(self, kube, namespace: str, resource=None, connect_cluster=None, wait_timeout=120, reader=None, may_list=True):
        """kube: Kubernetes. resource: NAME or KIND/NAME, by default found by the connector's name. connect_cluster: the Connect cluster that a
        KafkaConnector must belong to, or None. wait_timeout: seconds for each operation. reader: a ConnectClient that is asked for offsets, or
        None. may_list: False forbids to have them listed by the operator, which writes to Kubernetes.
        """
        self.kube = kube
        self.namespace = namespace
        self.warnings = []
        self._resource = resource or None
        self._connect_cluster = connect_cluster or None
        self._wait_timeout = wait_timeout
        self._reader = reader
        self._may_list = may_list
        self._api = None
        #: connector -> (kind, name of its resource)
        self._places = {}
        #: have we declared a state, so that somebody waits for it?
        self._asked = False
        self._nudge = _Nudge(kube.clock)

    # ---- what ConnectClient tells, too -------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """Where the resources are."""
        return "%s (namespace %s)" % (self.kube.host, self.namespace)

    def root(self) -> dict:
        return {"version": None, "commit": None, "kafka_cluster_id": None}

    def require(self, feature: str) -> None:
        """Whatever an operator with offsets in its resources can do, its workers can."""

    def require_url(self, name: str) -> None:
        self.resource(name)

    def connectors(self) -> dict:
        """name -> {"status": ..., "info": ...} of all connectors of the resource that was given, else of the namespace."""
        found = {}
        for resource in self._resources():
            for name, part in _strimzi.parts_of(resource).items():
                self._places[name] = resource["kind"], resource["metadata"]["name"]
                status = _strimzi.settled_status(resource, part)
                if status is not None:
                    found[name] = {"status": dict(status, name=name), "info": _info(resource, part)}
        return found

    def status(self, name: str) -> dict:
        """As the operator has reported it. Raises StateError if it does not, as nothing will come of anything then."""
        end = self.kube.clock() + _PATIENCE
        while True:
            resource = self.resource(name)
            part = _strimzi.part_of(resource, name)
            self._check_reconciled(resource)
            found = _strimzi.settled_status(resource, part)
            if found is not None and (self._asked or _strimzi.is_seen(resource)):
                break
            if found is None and (self.kube.clock() > end or _strimzi.is_hopeless(_strimzi.not_ready(resource), name)):
                raise self._no_report(resource, name)
            if self.kube.clock() > end:
                self._warn("The operator has not reported on the present %s yet; what is known of %s may be old." % (told(resource), name))
                break
            self.kube.sleep(_POLL)
        if self._asked and self._nudge.is_due(resource["metadata"]["resourceVersion"]):
            self._look_again(name)
        return dict(found, name=name)

    def info(self, name: str) -> dict:
        """{"name", "config", "tasks", "type"}, config as far as the resource tells it."""
        resource = self.resource(name)
        return _info(resource, _strimzi.part_of(resource, name))

    # ---- offsets -------------------------------------------------------------------------------------------------

    def offsets(self, name: str) -> list:
        """[{"partition": {...}, "offset": {...}}], fresh: the operator has listed them after we asked."""
        if self._reader is not None or not self._may_list:
            found = self._without_listing(name)
            if found is not None:
                return found
        resource = self._ready(name)
        target = self._config_map_for(LIST, resource, name)
        key = _strimzi.data_key(resource["kind"], name)
        self._remove_entry(target, key, resource)
        self._operate(name, LIST)
        source = "ConfigMap %s, %s" % (target, key)
        return _document.items_for(_document.parse(self._entry(target, key, name), source), name, source)

    def alter_offsets(self, name: str, pairs: list) -> str:
        resource = self._ready(name)
        self._check_stopped(resource, name)
        target = self._config_map_for(ALTER, resource, name)
        self._write_entry(target, _strimzi.data_key(resource["kind"], name), _strimzi.offsets_text(pairs))
        self._operate(name, ALTER)
        return "altered"

    def reset_offsets(self, name: str) -> str:
        self._check_stopped(self._ready(name), name)
        self._operate(name, RESET)
        return "reset"

    def check_change(self, name: str, pairs) -> None:
        """Can the change be made? pairs: None for a reset. Raises RoadError, before anything is written."""
        resource = self.resource(name)
        if pairs is None:
            return
        target = self._config_map_for(ALTER, resource, name)
        self._check_size(self._config_map(target) or {}, target, _strimzi.data_key(resource["kind"], name), _strimzi.offsets_text(pairs))

    # ---- state ---------------------------------------------------------------------------------------------------

    def stop(self, name: str) -> None:
        self._declare(name, STOPPED)

    def pause(self, name: str) -> None:
        self._declare(name, PAUSED)

    def resume(self, name: str) -> None:
        self._declare(name, RUNNING)

    def restart_failed(self, name: str) -> None:
        """Restart what is FAILED, the connector first, then one task after the other: that is how the operator does it."""
        resource = self.resource(name)
        mirror = resource["kind"] == MIRROR
        found = _strimzi.status_of(resource, name) or {}
        if (found.get("connector") or {}).get("state") == "FAILED":
            self._restart(name, "strimzi.io/restart-connector" if mirror else "strimzi.io/restart", name if mirror else "true")
        for task in found.get("tasks") or []:
            if task.get("state") == "FAILED":
                self._restart(name, "strimzi.io/restart-connector-task" if mirror else "strimzi.io/restart-task",
                              "%s:%s" % (name, task["id"]) if mirror else str(task["id"]))

    def way_back(self, name: str, word: str) -> str:
        """How to bring about running or paused by hand, in words."""
        kind, resource = self._places.get(name) or (CONNECTOR, name)
        return "by state: %s in the spec of %s/%s" % (word, kind, resource)

    # ---- for others ----------------------------------------------------------------------------------------------

    def resource(self, name: str) -> dict:
        """The resource that has the connector. Raises NoConnector; WishError for one that is no such resource."""
        if name not in self._places:
            self._places[name] = self._place_of(name)
        kind, own = self._places[name]
        try:
            found = self.kube.get(self._path(kind, own))
        except errors.KubeNotFound as error:
            raise errors.NoConnector("There is no %s %s in the namespace %s, so there is no such connector: %s" % (
                kind, own, self.namespace, error.message), **error.facts)
        if not _strimzi.belongs_to(found, self._connect_cluster):
            raise errors.WishError("%s belongs to the Connect cluster %s, not to %s (connect_cluster). %s" % (
                told(found), _strimzi.cluster_of(found) or "that nobody names", self._connect_cluster, _NOTHING))
        return found

    def place(self, name: str) -> dict:
        """What tells the connector's resource apart."""
        if name not in self._places:
            self.resource(name)
        return {"kubernetes_host": self.kube.host, "namespace": self.namespace, "resource": "%s/%s" % self._places[name]}

    def owner(self, name: str):
        """The resource that owns the connector and would have a change by another road set back, in words; None if there is none."""
        try:
            found = self.resource(name)
        except (errors.NoConnector, errors.KubeNotServed, errors.WishError):
            return None
        return told(found) if _strimzi.is_reconciled(found) else None

    @property
    def api(self) -> str:
        """apiVersion of the resources."""
        if self._api is None:
            try:
                group = self.kube.get("/apis/" + _strimzi.GROUP)
            except (errors.KubeNotServed, errors.KubeNotFound) as error:
                raise errors.RoadError("Strimzi's resources are not installed on %s (%s). %s" % (self.kube.host, error.message.rstrip("."), _NOTHING))
            self._api = "%s/%s" % (_strimzi.GROUP, _strimzi.version_of(group))
        return self._api

    # ---- the resource --------------------------------------------------------------------------------------------

    def _path(self, kind, name=None) -> str:
        path = "/apis/%s/namespaces/%s/%s" % (self.api, self.namespace, _strimzi.PLURALS[kind])
        return path if name is None else "%s/%s" % (path, name)

    def _place_of(self, connector) -> tuple:
        mirror = _strimzi.is_of_mirror(connector)
        if self._resource is None:
            return (MIRROR, self._mirror_with(connector)) if mirror else (CONNECTOR, connector)
        kind, name = _strimzi.read_reference(self._resource)
        kind = kind or (MIRROR if mirror else CONNECTOR)
        if kind == MIRROR and not mirror:
            raise errors.WishError(
                "%s is no connector of a KafkaMirrorMaker2: those are called SOURCE->TARGET.MirrorSourceConnector. Give a KafkaConnector as "
                "resource, or one of these names. %s" % (connector, _NOTHING))
        if kind == CONNECTOR and name != connector:
            raise errors.WishError("The KafkaConnector %s is the connector %s, not %s. %s%s" % (
                name, name, connector, "Give a KafkaMirrorMaker2 as resource for a connector of a mirror. " if mirror else "", _NOTHING))
        return kind, name

    def _mirror_with(self, connector) -> str:
        try:
            found = [one["metadata"]["name"] for one in self._listed(MIRROR) if connector in _strimzi.parts_of(one)]
        except errors.KubeDenied as error:
            raise error.also("It is needed only to find the KafkaMirrorMaker2 that has %s: give it as resource. %s" % (connector, _NOTHING))
        if len(found) != 1:
            raise errors.NoConnector("%s the connector %s in the namespace %s%s. %s" % (
                "Several KafkaMirrorMaker2 have" if found else "No KafkaMirrorMaker2 has", connector, self.namespace,
                ": %s. Say which one is meant as resource" % ", ".join(found) if found else "", _NOTHING))
        return found[0]

    def _listed(self, kind) -> list:
        return [dict(one, kind=kind) for one in self.kube.get(self._path(kind)).get("items") or []]

    def _resources(self) -> list:
        if self._resource is None:
            return [one for kind in (CONNECTOR, MIRROR) for one in self._listed(kind) if _strimzi.belongs_to(one, self._connect_cluster)]
        kind, name = _strimzi.read_reference(self._resource)
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

    def _declare(self, name, wanted) -> None:
        self._asked = True
        self._nudge.begin()
        self._update(name, lambda resource: _strimzi.state_operations(resource, name, wanted))

    def _look_again(self, name) -> None:
        """Any change of its metadata has the operator look at the resource."""
        self._update(name, lambda resource: _strimzi.annotation_operations(
            resource, {LOOK: None if LOOK in _strimzi.annotations(resource) else str(int(time.time()))}))

    def _restart(self, name, annotation, value) -> None:
        self._update(name, lambda resource: _strimzi.annotation_operations(resource, {annotation: value}))
        end = self.kube.clock() + min(_RESTART, self._wait_timeout)
        while annotation in _strimzi.annotations(self.resource(name)) and self.kube.clock() < end:
            self.kube.sleep(_POLL)

    def _warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    # ---- may an operation be asked for? --------------------------------------------------------------------------

    def _check_reconciled(self, resource) -> None:
        if not _strimzi.is_reconciled(resource):
            raise errors.StateError(
                "Somebody has told the operator to leave %s alone, by the annotation %s: it does nothing of what is asked for here. Remove it, or "
                "use another method as long as it is there. %s" % (told(resource), _strimzi.PAUSE_RECONCILIATION, _NOTHING))

    def _ready(self, name) -> dict:
        """The resource, once nothing is in the way of an operation. Raises StateError, before anything is written."""
        others, quiet = self.kube.clock() + min(_OTHERS, self._wait_timeout), self.kube.clock() + _QUIET
        while True:
            resource = self.resource(name)
            _strimzi.part_of(resource, name)
            self._check_reconciled(resource)
            if resource["metadata"].get("deletionTimestamp"):
                raise errors.StateError("%s is being deleted. %s" % (told(resource), _NOTHING))
            if resource["kind"] == CONNECTOR and not _strimzi.cluster_of(resource):
                raise errors.StateError("%s has no label %s, so no operator cares for it. %s" % (told(resource), _strimzi.CLUSTER, _NOTHING))
            if _strimzi.status_of(resource, name) is None or _strimzi.is_hopeless(_strimzi.not_ready(resource), name):
                if self.kube.clock() > quiet:
                    raise self._no_report(resource, name)
            elif OFFSETS in _strimzi.annotations(resource):
                if self.kube.clock() > others:
                    raise errors.StateError(
                        "%s has the annotation %s: %s already, which is not ours. Somebody works on it, or it was left by an operation that failed "
                        "and would be carried out some day. Wait for it, or remove it: kubectl annotate -n %s %s %s-. %s" % (
                            told(resource), OFFSETS, _strimzi.annotations(resource)[OFFSETS], self.namespace, told(resource), OFFSETS, _NOTHING))
            elif not _strimzi.complaints(resource) or self.kube.clock() > quiet:
                return resource
            self.kube.sleep(_POLL)

    def _no_report(self, resource, name):
        reasons = _strimzi.not_ready(resource)
        if reasons:
            return errors.StateError("%s is not ready, so the operator does nothing with %s. It says: %s. %s" % (
                told(resource), name, "; ".join(reasons).rstrip("."), _NOTHING))
        return errors.StateError(
            "No operator has reported on the connector %s of %s so far. Is there a Connect cluster %s, with the annotation "
            "strimzi.io/use-connector-resources, and an operator that watches the namespace %s? %s" % (
                name, told(resource), _strimzi.cluster_of(resource), self.namespace, _NOTHING))

    def _check_stopped(self, resource, name) -> None:
        """While it is not stopped, the operation would fail, stay armed, and be done whenever somebody stops it."""
        part = _strimzi.part_of(resource, name)
        state = ((_strimzi.status_of(resource, name) or {}).get("connector") or {}).get("state")
        if part.wanted != STOPPED or state != "STOPPED" or not _strimzi.is_seen(resource):
            raise errors.NotStopped("%s is %s, and its resource %s asks for %s: its offsets can be changed only while it is STOPPED." % (
                name, state, told(resource), part.wanted))

    def _config_map_for(self, word, resource, name) -> str:
        part = _strimzi.part_of(resource, name)
        found = part.config_map(word)
        if not found:
            raise errors.RoadError(
                "%s does not say %s. Add such lines, which the operator needs: %s. They belong into the resource where you keep it, as what keeps "
                "it in step with Git would take them away again. %s" % (
                    told(resource), "where the operator may list the offsets" if word == LIST else "where it finds new offsets",
                    _strimzi.section_lines(resource, part, word), _NOTHING))
        return found

    # ---- ConfigMaps ----------------------------------------------------------------------------------------------

    def config_maps(self, name=None) -> str:
        path = "/api/v1/namespaces/%s/configmaps" % self.namespace
        return path if name is None else "%s/%s" % (path, name)

    def _config_map(self, name):
        try:
            return self.kube.get(self.config_maps(name))
        except errors.KubeNotFound:
            return None

    def _remove_entry(self, target, key, resource) -> None:
        """What is there then was listed after that."""
        def change(found):
            return _stale_owners(found, resource) + _strimzi.data_operations(found, key, None)

        try:
            self.kube.update(self.config_maps(target), change)
        except errors.KubeNotFound:
            pass

    def _write_entry(self, target, key, text) -> None:
        def change(found):
            self._check_size(found, target, key, text)
            return _strimzi.data_operations(found, key, text)

        try:
            self.kube.update(self.config_maps(target), change)
        except errors.KubeNotFound:
            try:
                self.kube.create(self.config_maps(), _strimzi.config_map(self.namespace, target, {key: text}))
            except errors.KubeConflict:  # a moment ago
                self.kube.update(self.config_maps(target), change)

    def _check_size(self, found, target, key, text) -> None:
        size = _strimzi.size_of(found, key, text)
        if size > _strimzi.CONFIG_MAP_LIMIT:
            raise errors.RoadError("The ConfigMap %s would have %d bytes, but Kubernetes allows 1 MiB (%d). Change fewer partitions at once, or take "
                                   "another ConfigMap or method. %s" % (target, size, _strimzi.CONFIG_MAP_LIMIT, _NOTHING))

    def _entry(self, target, key, name) -> str:
        end = self.kube.clock() + _QUIET
        while True:
            found = ((self._config_map(target) or {}).get("data") or {}).get(key)
            if found is not None:
                return found
            if self.kube.clock() > end:
                raise errors.WaitError(
                    "The operator's annotation %s is gone from the resource of %s, but the ConfigMap %s has no entry %s: somebody has removed one of "
                    "the two, or another owner's end has the ConfigMap deleted. %s" % (OFFSETS, name, target, key, _NOTHING))
            self.kube.sleep(_POLL)

    def _without_listing(self, name):
        """In check mode; None if the operator has to be asked all the same, and may be."""
        hint = ("In check mode nothing is written to Kubernetes, and to have the operator list offsets is to write there. Either allow it by "
                "list_in_check_mode: true, or give connect_url, so that a worker can be asked.")
        if self._reader is None:
            raise errors.StateError("The live offsets of %s are not known. %s" % (name, hint))
        try:
            return self._reader.offsets(name)
        except errors.Unreachable as error:
            if not self._may_list:
                raise error.also(hint)
            return None

    # ---- the hand-shake ------------------------------------------------------------------------------------------

    def _operate(self, name, word) -> None:
        """Have the operator list, alter or reset the offsets. Raises Refused, NotStopped, WaitError; Lost where it may have been done."""
        kind = self._places[name][0]

        def arm(resource):
            if OFFSETS in _strimzi.annotations(resource):
                if _is_ours(resource, kind, name, word):
                    return []  # our answer got lost
                raise errors.StateError("Somebody else has just begun an operation on %s (%s: %s). %s" % (
                    told(resource), OFFSETS, _strimzi.annotations(resource)[OFFSETS], _NOTHING))
            return _strimzi.annotation_operations(resource, _strimzi.operation_annotations(kind, name, word))

        try:
            self._update(name, arm)
            self._await_done(name, word)
        except errors.ConnectError as error:
            self._take_back(name, word, error)
            raise
        except BaseException:
            self._take_back(name, word, None)
            raise

    def _await_done(self, name, word) -> None:
        clock = self.kube.clock
        end, seen, since, looks = clock() + self._wait_timeout, None, clock(), 0
        self._nudge.begin()
        while True:
            resource = self.resource(name)
            if OFFSETS not in _strimzi.annotations(resource):
                return self._let_settle(name)
            self._check_reconciled(resource)
            now = _strimzi.complaints(resource) + _strimzi.not_ready(resource)
            if now != seen:
                seen, since, looks = now, clock(), 0
            if looks and clock() - since > _NUDGE and (_strimzi.complaints(resource) or _strimzi.is_hopeless(now, name)):
                enough = _strimzi.looks_until_verdict(_strimzi.complaints(resource) or now, name)
                if enough is not None and looks >= enough:
                    raise _refused(resource, name, word, now)
            if clock() > end:
                raise self._too_late(resource, name, word, now)
            if self._nudge.is_due(resource["metadata"]["resourceVersion"]):
                self._look_again(name)
                since, looks = clock(), looks + 1
            self.kube.sleep(_POLL)

    def _let_settle(self, name) -> None:
        """The status follows the annotation; our own annotation goes, too."""
        end = self.kube.clock() + _QUIET
        resource = self.resource(name)
        while _strimzi.complaints(resource) and self.kube.clock() < end:
            self.kube.sleep(_POLL)
            resource = self.resource(name)
        if LOOK in _strimzi.annotations(resource):
            self._update(name, lambda now: _strimzi.annotation_operations(now, {LOOK: None}))

    def _take_back(self, name, word, error) -> None:
        kind = self._places[name][0]

        def disarm(resource):
            own = dict(_strimzi.operation_annotations(kind, name, None), **{LOOK: None})
            return _strimzi.annotation_operations(resource, own) if _is_ours(resource, kind, name, word) else []

        try:
            self._update(name, disarm)
        except errors.ConnectError as other:
            text = ("The annotation %s: %s may still be there, and would be carried out some day (%s). Remove it: kubectl annotate -n %s %s/%s %s-%s." % (
                OFFSETS, word, other.message.rstrip("."), self.namespace, *self._places[name], OFFSETS, " %s-" % WHICH if kind == MIRROR else ""))
            if error is not None:
                error.also(text)

    def _too_late(self, resource, name, word, now):
        text = "Waited %g s for the operator to %s the offsets of %s, but the annotation %s stays on %s. %s It was taken away again." % (
            self._wait_timeout, word, name, OFFSETS, told(resource),
            "It says: %s." % "; ".join(now).rstrip(".") if now else
            "It says nothing about it: is the operator running, does it watch the namespace %s, and is it busy with another resource of the "
            "Connect cluster %s?" % (self.namespace, _strimzi.cluster_of(resource)))
        if word == LIST:
            return errors.WaitError(text + " " + _NOTHING)
        return errors.Lost(text)


class _Nudge:
    """When is the operator to be made to look again? Once nothing has moved for a while, and then less and less often."""

    def __init__(self, clock):
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        self._version, self._since, self._wait = None, self._clock(), _NUDGE

    def is_due(self, version) -> bool:
        """version: of the resource as it is now."""
        if version != self._version:
            self._version, self._since = version, self._clock()
        if self._clock() - self._since < self._wait:
            return False
        self._since, self._wait = self._clock(), min(self._wait * 2, _LONGEST_NUDGE)
        return True


def _info(resource, part) -> dict:
    found = _strimzi.status_of(resource, part.connector) or {}
    return {"name": part.connector, "config": _strimzi.config_of(resource, part), "tasks": [], "type": found.get("type") or "unknown"}


def _is_ours(resource, kind, name, word) -> bool:
    there = _strimzi.annotations(resource)
    return there.get(OFFSETS) == word and (kind == CONNECTOR or there.get(WHICH) == name)


def _refused(resource, name, word, now):
    words = "; ".join(now).rstrip(".")
    text = "The operator cannot %s the offsets of %s. %s says: %s. Its annotation was taken away again." % (word, name, told(resource), words)
    if word != LIST and "STOPPED" in words:
        return errors.NotStopped(text)
    return errors.Refused(text + (" " + _NOTHING if word == LIST else ""))


def _stale_owners(config_map, resource) -> list:
    """An owner that is an earlier resource of the same name has the ConfigMap deleted as soon as it is looked at."""
    owners = config_map["metadata"].get("ownerReferences") or []
    stale = [number for number, one in enumerate(owners)
             if (one.get("kind"), one.get("name")) == (resource["kind"], resource["metadata"]["name"]) and one.get("uid") != resource["metadata"]["uid"]]
    return [operation for number in reversed(stale) for operation in (
        {"op": "test", "path": "/metadata/ownerReferences/%d/uid" % number, "value": owners[number]["uid"]},
        {"op": "remove", "path": "/metadata/ownerReferences/%d" % number})]
