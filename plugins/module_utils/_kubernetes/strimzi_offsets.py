# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The offsets of connectors that Strimzi's operator owns: it lists, alters and resets them.

It carries out an operation because of an annotation. That the annotation is gone is the only sign that it was done. While it is there the
operation stays armed, also for a time when nobody thinks of it any more: so whatever goes wrong, we take ours away.
"""

from __future__ import annotations

import contextlib

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import documents, errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import config_map, strimzi_operations, strimzi_resource
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_client import StrimziClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_operations import ALTER, LIST, OFFSETS, RESET, WHICH, complaints
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_resource import CONNECTOR, LOOK, MIRROR, STOPPED, told

_POLL = 0.15
#: seconds for somebody else's operation to end
_OTHERS = 10.0
#: seconds for the status, which follows the end of an operation; a patch within it has the operator do it once more
_QUIET = 2.0


class StrimziOffsets(StrimziClient):
    """With the methods of ConnectClient for offsets, too."""

    def offsets(self, name: str) -> list:
        """[{"partition": {...}, "offset": {...}}], fresh: the operator has listed them after we asked."""
        if self._reader is not None:
            with contextlib.suppress(errors.Unreachable):
                return self._reader.offsets(name)
        self._may_nudge = True
        end = self.kube.clock() + self._wait_timeout
        text = None
        while text is None:
            resource = self._ready(name)
            target = self._config_map_for(LIST, resource, name)
            key = strimzi_operations.data_key(resource["kind"], name)
            self._remove_entry(target, key, resource)
            self._operate(name, LIST)
            text = self._entry(target, key)
            if text is None and self.kube.clock() > end:
                raise errors.WaitError(
                    "The operator's annotation %s is gone from the resource of %s, but the ConfigMap %s has no entry %s, again and again: somebody "
                    "removes one of the two, or Kubernetes deletes the ConfigMap with another of its owners (ownerReferences)." % (
                        OFFSETS, name, target, key))
        source = "ConfigMap %s, %s" % (target, key)
        return documents.items_for(documents.parse(text, source), name, source)

    #: each list is made after it was asked for
    offsets_once = offsets

    def alter_offsets(self, name: str, pairs: list) -> str:
        resource = self._ready(name)
        self._check_stopped(resource, name)
        target = self._config_map_for(ALTER, resource, name)
        self._write_entry(target, strimzi_operations.data_key(resource["kind"], name), strimzi_operations.offsets_text(pairs))
        self._operate(name, ALTER)
        return "altered"

    def reset_offsets(self, name: str) -> str:
        self._check_stopped(self._ready(name), name)
        self._operate(name, RESET)
        return "reset"

    def check_change(self, name: str, pairs) -> None:
        """Can the change be made? pairs: None for a reset. Raises MethodError, before anything is written."""
        resource = self.resource(name)
        if pairs is None:
            return
        target = self._config_map_for(ALTER, resource, name)
        self._check_size(self._config_map(target) or {}, target, strimzi_operations.data_key(resource["kind"], name), strimzi_operations.offsets_text(pairs))

    # ---- may an operation be asked for? --------------------------------------------------------------------------

    def _ready(self, name) -> dict:
        """The resource, once nothing is in the way of an operation. Raises StateError, before anything is written."""
        begun = self.kube.clock()
        quiet = begun + _QUIET
        while True:
            resource = self.resource(name)
            strimzi_resource.part_of(resource, name)
            self._check_reconciled(resource)
            word = strimzi_resource.annotations(resource).get(OFFSETS)
            if resource["metadata"].get("deletionTimestamp"):
                raise errors.StateError("%s is being deleted." % told(resource))
            if resource["kind"] == CONNECTOR and not strimzi_resource.cluster_of(resource):
                raise errors.StateError("%s has no label %s, so no operator cares for it." % (told(resource), strimzi_resource.CLUSTER))
            reasons = strimzi_resource.not_ready(resource)
            if strimzi_resource.status_of(resource, name) is None or strimzi_resource.is_lasting(reasons):
                passes = reasons and not strimzi_resource.is_lasting(reasons)
                if self.kube.clock() > (begun + self._wait_timeout if passes else quiet):
                    raise self._no_report(resource, name)
                if passes:
                    self._look_again_if_due(resource, name, strimzi_resource.is_seen(resource))
            elif word is not None:
                # That others list is normal; another operation that stays was left by somebody.
                if self.kube.clock() > begun + (self._wait_timeout if word == LIST else min(_OTHERS, self._wait_timeout)):
                    raise errors.StateError(
                        "%s has the annotation %s: %s already, which is not ours. Somebody works on it, or it was left by an operation that failed "
                        "and would be carried out some day. Wait for it, or remove it: kubectl annotate -n %s %s %s-." % (
                            told(resource), OFFSETS, word, self.namespace, told(resource), OFFSETS))
            elif not complaints(resource) or self.kube.clock() > quiet:
                return resource
            self.kube.sleep(_POLL)

    def _check_stopped(self, resource, name) -> None:
        """While it is not stopped, the operation would fail, stay armed, and be done whenever somebody stops it."""
        part = strimzi_resource.part_of(resource, name)
        state = ((strimzi_resource.status_of(resource, name) or {}).get("connector") or {}).get("state")
        if part.wanted != STOPPED or state != "STOPPED" or not strimzi_resource.is_seen(resource):
            raise errors.NotStopped("%s is %s, and its resource %s asks for %s: its offsets can be changed only while it is STOPPED." % (
                name, state, told(resource), part.wanted))

    def _config_map_for(self, word, resource, name) -> str:
        part = strimzi_resource.part_of(resource, name)
        found = strimzi_operations.config_map_of(part, word)
        if not found:
            raise errors.MethodError(
                "%s does not say %s. Add such lines, which the operator needs: %s. They belong into the resource where you keep it, as what keeps "
                "it in step with Git would take them away again." % (
                    told(resource), "where the operator may list the offsets" if word == LIST else "where it finds new offsets",
                    strimzi_operations.section_lines(resource, part, word)))
        return found

    # ---- ConfigMaps ----------------------------------------------------------------------------------------------

    def _config_map(self, name):
        try:
            return self.kube.get(self.config_maps(name))
        except errors.KubeNotFound:
            return None

    def _remove_entry(self, target, key, resource) -> None:
        """What is there then was listed after that."""
        def change(found):
            return _stale_owners(found, resource) + config_map.data_operations(found, key, None)

        with contextlib.suppress(errors.KubeNotFound):
            self.kube.update(self.config_maps(target), change)

    def _write_entry(self, target, key, text) -> None:
        def change(found):
            self._check_size(found, target, key, text)
            return config_map.data_operations(found, key, text)

        config_map.update(self, target, change)

    def _check_size(self, found, target, key, text) -> None:
        size = config_map.size_of(found, key, text)
        if size > config_map.LIMIT:
            raise errors.MethodError("The ConfigMap %s would have %d bytes, but Kubernetes allows 1 MiB (%d). Change fewer partitions at once, or take "
                                     "another ConfigMap or method." % (target, size, config_map.LIMIT))

    def _entry(self, target, key):
        """Its text; None if somebody else, who lists the same at the same time, has removed it to see a fresh one."""
        end = self.kube.clock() + _QUIET
        while True:
            found = ((self._config_map(target) or {}).get("data") or {}).get(key)
            if found is not None or self.kube.clock() > end:
                return found
            self.kube.sleep(_POLL)

    # ---- the hand-shake ------------------------------------------------------------------------------------------

    def _operate(self, name, word) -> None:
        """Have the operator list, alter or reset the offsets. Raises Refused, NotStopped, WaitError; Lost where it may have been done."""
        end = self.kube.clock() + self._wait_timeout
        if word != LIST:
            errors.WRITES.note()
        while not self._arm(name, word):
            resource = self._ready(name)  # somebody else was faster
            if self.kube.clock() > end:
                raise errors.StateError(
                    "Others have begun operations on %s (annotation %s) again and again for %g s. Find out who does (another run, a script), end that, "
                    "and run this again." % (told(resource), OFFSETS, self._wait_timeout))
        with self._disarmed_on_failure(name, word):
            self._await_done(name, word)

    def _arm(self, name, word) -> bool:
        """Set the annotation. False if somebody else has begun an operation."""
        kind = self._places[name][0]

        def arm(resource):
            if OFFSETS in strimzi_resource.annotations(resource):  # also if our answer got lost
                return []
            return strimzi_resource.annotation_operations(resource, dict(strimzi_operations.operation_annotations(kind, name, word), **{LOOK: None}))

        with self._disarmed_on_failure(name, word):
            found = self._update(name, arm)
        self._nudges.begin(name, found)
        return _is_ours(found, kind, name, word)

    @contextlib.contextmanager
    def _disarmed_on_failure(self, name, word):
        try:
            yield
        except errors.ConnectError as error:
            self._take_back(name, word, error)
            raise
        except BaseException:
            self._take_back(name, word, None)
            raise

    def _await_done(self, name, word) -> None:
        clock = self.kube.clock
        end, seen, since, looks = clock() + self._wait_timeout, None, clock(), 0
        while True:
            resource = self.resource(name)
            if OFFSETS not in strimzi_resource.annotations(resource):
                return self._let_settle(name)
            self._check_reconciled(resource)
            now = complaints(resource) + strimzi_resource.not_ready(resource)
            if now != seen:
                seen, since, looks = now, clock(), 0
            if looks and clock() - since > self._nudges.patience and (complaints(resource) or strimzi_resource.is_lasting(now)):
                enough = strimzi_operations.looks_until_verdict(complaints(resource) or now, name)
                if enough is not None and looks >= enough:
                    raise self._refused(resource, name, word, now)
            if clock() > end:
                raise self._too_late(resource, name, word, now)
            reported = bool(complaints(resource)) or strimzi_resource.status_of(resource, name) is None
            if self._look_again_if_due(resource, name, reported):
                since, looks = clock(), looks + 1
            self.kube.sleep(_POLL)

    def _let_settle(self, name) -> None:
        """The status follows the annotation; our own annotation goes, too."""
        end = self.kube.clock() + _QUIET
        while complaints(self.resource(name)) and self.kube.clock() < end:
            self.kube.sleep(_POLL)
        with contextlib.suppress(errors.ConnectError):
            self._tidy(name)

    def _take_back(self, name, word, error) -> None:
        kind = self._places[name][0]

        def disarm(resource):
            own = dict(strimzi_operations.operation_annotations(kind, name, None), **{LOOK: None})
            return strimzi_resource.annotation_operations(resource, own) if _is_ours(resource, kind, name, word) else []

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
            "Connect cluster %s?" % (self.namespace, strimzi_resource.cluster_of(resource)))
        if word == LIST:
            return errors.WaitError(text)
        return errors.ResponseLost(text)

    def _refused(self, resource, name, word, now):
        words = "; ".join(now).rstrip(".")
        text = "The operator cannot %s the offsets of %s. %s says: %s. Its annotation was taken away again." % (word, name, told(resource), words)
        if word != LIST and "STOPPED" in words:
            return errors.NotStopped(text)
        if word == LIST:
            return errors.Refused(text)
        return errors.Refused(text + " A 400 or 500 says that Connect, or the plugin of the connector, does not take this; why is in the worker's log.")


def _is_ours(resource, kind, name, word) -> bool:
    there = strimzi_resource.annotations(resource)
    return there.get(OFFSETS) == word and (kind == CONNECTOR or there.get(WHICH) == name)


def _stale_owners(found, resource) -> list:
    """An owner that is an earlier resource of the same name has the ConfigMap deleted as soon as it is looked at."""
    owners = found["metadata"].get("ownerReferences") or []
    stale = [number for number, one in enumerate(owners)
             if (one.get("kind"), one.get("name")) == (resource["kind"], resource["metadata"]["name"]) and one.get("uid") != resource["metadata"]["uid"]]
    return [operation for number in reversed(stale) for operation in (
        {"op": "test", "path": "/metadata/ownerReferences/%d/uid" % number, "value": owners[number]["uid"]},
        {"op": "remove", "path": "/metadata/ownerReferences/%d" % number})]
