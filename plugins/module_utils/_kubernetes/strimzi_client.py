# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Connectors that Strimzi's operator owns, with the methods of ConnectClient (see _connect.rest) that concern their state: what Connect is asked
there, the operator is asked here, through the connector's resource.

A state is declared, and stays so: the operator obeys it some day, whatever has become of us meanwhile. Warnings in the status are no verdicts.
They can be left over, and most pass at the next look of the operator.
"""

from __future__ import annotations

import contextlib
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import strimzi_resource
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.connector_resources import ConnectorResources
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_nudges import Nudges
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_resource import (
    CONNECTOR,
    LOOK,
    MIRROR,
    PAUSED,
    RUNNING,
    STOPPED,
    told,
)

_POLL = 0.15
#: seconds for the operator to report on what it has just seen for the first time
_PATIENCE = 5.0
#: seconds for what passes by itself, such as a worker that is away, while nothing is asked for so far
_AWAY = 30.0
#: seconds for a restart to be carried out
_RESTART = 30.0


class StrimziClient(ConnectorResources):
    """All methods raise errors of _core.errors."""

    method = "strimzi"
    #: a state that was asked for stays asked for (see Lifecycle)
    declares = True

    def __init__(self, kube, namespace: str, resource=None, connect_cluster=None, wait_timeout=120, reader=None, check_mode=False):
        """See ConnectorResources. wait_timeout: seconds for each operation. reader: a ConnectClient that is asked for offsets as long as it can be
        reached, or None (see StrimziOffsets). check_mode: nothing is written to Kubernetes but what has the operator list offsets.
        """
        super().__init__(kube, namespace, resource, connect_cluster)
        self.warnings = []
        self._wait_timeout = wait_timeout
        self._reader = reader
        self._may_nudge = not check_mode
        #: connector -> (the state that we have declared and that is not reached, when we give up)
        self._declared = {}
        #: connectors whose spec.state we have set to stopped
        self._stopped = set()
        #: connectors whose resources have our LOOK
        self._looking = set()
        self._nudges = Nudges(kube.clock)

    # ---- what ConnectClient tells, too -------------------------------------------------------------------------

    def root(self) -> dict:
        return {"version": None, "commit": None, "kafka_cluster_id": None}

    def require(self, feature: str) -> None:
        """Whatever an operator with offsets in its resources can do, its workers can."""

    def require_url(self, name: str) -> None:
        self.resource(name)

    def similar(self, name: str) -> str:
        """The login need not be allowed to list resources."""
        return ""

    def explained(self, error):
        """As ConnectClient does it, who knows more."""
        return error

    def connectors(self) -> dict:
        """name -> {"status": ..., "info": ...} of all connectors of the resource that was given, else of the namespace."""
        found = {}
        for resource in self._resources():
            for name, part in strimzi_resource.parts_of(resource).items():
                self._places[name] = resource["kind"], resource["metadata"]["name"]
                status = strimzi_resource.settled_status(resource, part)
                if status is not None:
                    found[name] = {"status": dict(status, name=name), "info": _info(resource, part)}
        return found

    def status(self, name: str) -> dict:
        """As the operator has reported it. Raises StateError if it does not, as nothing will come of anything then; WaitError once it was
        waited for, with a state that we have declared as long as that may take."""
        begun = self.kube.clock()
        while True:
            resource = self.resource(name)
            part = strimzi_resource.part_of(resource, name)
            self._check_reconciled(resource)
            found = strimzi_resource.settled_status(resource, part)
            if found is not None and (name in self._declared or strimzi_resource.is_seen(resource)):
                break
            if found is None:
                self._check_may_pass(resource, name, begun)
            elif self.kube.clock() > begun + _PATIENCE:
                self._warn("The operator has not reported on the present %s yet; what is known of %s may be old." % (told(resource), name))
                break
            self._look_again_if_due(resource, name, strimzi_resource.is_seen(resource))
            self.kube.sleep(_POLL)
        if name in self._declared:
            if strimzi_resource.is_seen(resource) and strimzi_resource.is_reached(found, part.wanted):
                del self._declared[name]
                with contextlib.suppress(errors.ConnectError):  # close() tries again
                    self._tidy(name)
            else:
                self._look_again_if_due(resource, name, strimzi_resource.is_seen(resource))
        return dict(found, name=name)

    def _check_may_pass(self, resource, name, begun) -> None:
        """There is no report on the connector. Raises StateError if there will be none; WaitError if it was waited for since begun."""
        reasons = strimzi_resource.not_ready(resource)
        wanted, end = self._declared.get(name, (None, begun + min(_AWAY, self._wait_timeout)))
        lasting = not reasons or strimzi_resource.is_lasting(reasons)
        if lasting:  # which can be of before the present spec
            end = begun if reasons and strimzi_resource.is_seen(resource) else begun + _PATIENCE
        if self.kube.clock() < end:
            return
        error = self._no_report(resource, name)
        if wanted is None or lasting:
            raise error
        raise errors.WaitError("Waited %g s for the operator to have %s %s. %s" % (self._wait_timeout, name, wanted, error.message))

    def info(self, name: str) -> dict:
        """{"name", "config", "tasks", "type"}, config as far as the resource tells it."""
        resource = self.resource(name)
        return _info(resource, strimzi_resource.part_of(resource, name))

    def plugins(self) -> list:
        """A resource does not tell versions."""
        return []

    # ---- state ---------------------------------------------------------------------------------------------------

    def stop(self, name: str) -> None:
        self._declare(name, STOPPED)

    def pause(self, name: str) -> None:
        self._declare(name, PAUSED)

    def resume(self, name: str) -> None:
        self._declare(name, RUNNING)

    def asks_for_our_stop(self, name: str) -> bool:
        """Does its resource say stopped, because we have set it to that?"""
        return name in self._stopped

    def restart_failed(self, name: str) -> None:
        """Restart what is FAILED. Warns of what the operator did not restart: that is so where it fails again."""
        for complaint in self._restarts(name, lambda state: state == "FAILED"):
            if complaint:
                self._warn(complaint)

    def restart_all(self, name: str) -> None:
        """Restart the connector and all its tasks. Raises StateError if the operator did not."""
        for complaint in self._restarts(name, lambda state: True):
            if complaint:
                raise errors.StateError(complaint)

    def restart_task(self, name: str, task: int) -> None:
        complaint = self._restart(name, *self._annotation(self.resource(name), name, task))
        if complaint:
            raise errors.StateError(complaint)

    def _restarts(self, name, chosen):
        """The connector first, then one task after the other: that is how the operator does it. Gives what went wrong, or None, of each."""
        resource = self.resource(name)
        found = strimzi_resource.status_of(resource, name) or {}
        states = [(None, (found.get("connector") or {}).get("state"))] + [(task["id"], task.get("state")) for task in found.get("tasks") or []]
        for part, state in states:
            if chosen(state):
                yield self._restart(name, *self._annotation(resource, name, part))

    @staticmethod
    def _annotation(resource, name, task) -> tuple:
        """(annotation, its value) that has the operator restart a task, or the connector itself (None)."""
        if resource["kind"] == MIRROR:
            return ("strimzi.io/restart-connector", name) if task is None else ("strimzi.io/restart-connector-task", "%s:%s" % (name, task))
        return ("strimzi.io/restart", "true") if task is None else ("strimzi.io/restart-task", str(task))

    def way_back(self, name: str, word: str) -> str:
        """How to bring about running or paused by hand, as a sentence without its full stop."""
        kind, resource = self._places.get(name) or (CONNECTOR, name)
        if self._declared.get(name, (None,))[0] == word:
            return "The operator does it as soon as it can: %s/%s asks for %s again" % (kind, resource, word)
        return "Set state: %s in the spec of %s/%s" % (word, kind, resource)

    def close(self) -> None:
        """What is ours and was left on resources goes, too."""
        with contextlib.suppress(errors.ConnectError):
            for name in sorted(self._looking):
                self._tidy(name)
        self.kube.close()

    def _declare(self, name, wanted) -> None:
        def declare(resource):
            strimzi_resource.part_of(resource, name)
            operations = strimzi_resource.state_operations(resource, name, wanted)
            if operations:
                errors.WRITES.note()
                (self._stopped.add if wanted == STOPPED else self._stopped.discard)(name)
            return operations + strimzi_resource.annotation_operations(resource, {LOOK: None})  # also of a run that was killed

        found = self._update(name, declare)
        self._declared[name] = wanted, self.kube.clock() + self._wait_timeout
        self._nudges.begin(name, found)

    def _look_again_if_due(self, resource, name, reported) -> bool:
        """reported: has the operator said what it thinks of the resource as it is? Any change of its metadata has it look again."""
        if not self._may_nudge or not self._nudges.is_due(name, resource, reported):
            return False
        self._looking.add(name)

        def toggle(now):
            value = None if LOOK in strimzi_resource.annotations(now) else str(int(time.time()))
            return strimzi_resource.annotation_operations(now, {LOOK: value})

        self._update(name, toggle)
        return True

    def _tidy(self, name) -> None:
        if name in self._looking:
            self._update(name, lambda resource: strimzi_resource.annotation_operations(resource, {LOOK: None}))
            self._looking.discard(name)

    def _restart(self, name, annotation, value):
        """What went wrong, or None. An annotation that stays would have it restarted at each pass: that is so where it fails again."""
        errors.WRITES.note()
        self._nudges.begin(name, self._update(name, lambda resource: strimzi_resource.annotation_operations(resource, {annotation: value})))
        begun, failed = self.kube.clock(), []
        try:
            while True:
                resource = self.resource(name)
                waited = self.kube.clock() - begun
                if annotation not in strimzi_resource.annotations(resource):
                    return None
                failed = strimzi_resource.restart_complaints(resource)
                if waited > min(_RESTART, self._wait_timeout) or failed and waited > self._nudges.patience:
                    break
                self.kube.sleep(_POLL)
        finally:
            self._update(name, lambda resource: strimzi_resource.annotation_operations(resource, {annotation: None}))
        return "The operator did not restart %s as asked for by the annotation %s: %s. The annotation was taken away again." % (
            name, annotation, "; ".join(failed).rstrip(".") or "it says nothing about it")

    def _warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def _check_reconciled(self, resource) -> None:
        if not strimzi_resource.is_reconciled(resource):
            raise errors.StateError(
                "The operator is told to leave %s alone by the annotation %s: it does nothing of what is asked for here. Remove it, or "
                "use another method as long as it is there." % (told(resource), strimzi_resource.PAUSE_RECONCILIATION))

    def _no_report(self, resource, name):
        reasons = strimzi_resource.not_ready(resource)
        if any(map(strimzi_resource.refuses_configuration, reasons)):
            return errors.StateError("Connect refuses the configuration of %s, and the operator does nothing else with %s before that is corrected. It "
                                     "says: %s." % (name, told(resource), "; ".join(reasons).rstrip(".")))
        if reasons:
            return errors.StateError("%s is not ready, so the operator does nothing with %s. It says: %s." % (
                told(resource), name, "; ".join(reasons).rstrip(".")))
        return errors.StateError(
            "No operator has reported on the connector %s of %s so far. Is there a Connect cluster %s, with the annotation "
            "strimzi.io/use-connector-resources, and an operator that watches the namespace %s?" % (
                name, told(resource), strimzi_resource.cluster_of(resource), self.namespace))


def _info(resource, part) -> dict:
    found = strimzi_resource.status_of(resource, part.connector) or {}
    return {"name": part.connector, "config": strimzi_resource.config_of(resource, part), "tasks": [], "type": found.get("type") or "unknown"}
