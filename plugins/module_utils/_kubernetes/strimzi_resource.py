# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What Strimzi's resources say of connectors, and how they are told what to do. Pure.

A KafkaConnector is one connector, a KafkaMirrorMaker2 several. What is seen of them and what the operator does is as in Strimzi 0.44
to 1.2; objects are as the Kubernetes API gives them.
"""

from __future__ import annotations

import json
import re
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest_errors import lacks_class
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

GROUP = "kafka.strimzi.io"
CONNECTOR, MIRROR = "KafkaConnector", "KafkaMirrorMaker2"
PLURALS = {CONNECTOR: "kafkaconnectors", MIRROR: "kafkamirrormaker2s"}

#: annotations of Strimzi
PAUSE_RECONCILIATION = "strimzi.io/pause-reconciliation"
CLUSTER = "strimzi.io/cluster"
#: annotations of our own: what spec.state was before we stopped a connector, and one whose change has the operator look again
STATE_BEFORE = "streamops.kafka-connect/state-before"
LOOK = "streamops.kafka-connect/look-again"

STOPPED, PAUSED, RUNNING = "stopped", "paused", "running"

_PARTS = {"MirrorSourceConnector": "sourceConnector", "MirrorCheckpointConnector": "checkpointConnector",
          "MirrorHeartbeatConnector": "heartbeatConnector"}

#: reasons of Warnings that speak of a restart
_RESTARTS = ("RestartConnector", "RestartConnectorTask")
#: NotReady for what is wrong with the resources themselves, "REASON: text"
_LASTING = re.compile(r"(NoSuchResource|InvalidResource|IllegalArgument)Exception:|RuntimeException:.* 0 replicas")
#: a call that Connect has not carried out, as the operator tells it
_CALL = re.compile(r"\b(?P<verb>GET|PUT|POST|PATCH|DELETE) (?P<path>/connectors\S*) returned (?P<status>\d{3})\b")
_CONFIGURES = re.compile(r"POST /connectors|PUT /connectors/[^/]+/config")
#: 4xx of Connect that pass: a rebalance, time-outs
_PASSING_4XX = (408, 409, 429)


class Part(namedtuple("Part", ["connector", "pointer", "spec", "tests"])):
    """One connector's place in its resource. pointer: JSON pointer to its spec. tests: JSON patch operations that make sure of the place."""

    @property
    def state(self):
        """spec.state as it stands there; None if it does not."""
        return self.spec.get("state")

    @property
    def wanted(self) -> str:
        """What the operator makes of it: running, paused or stopped."""
        return effective(self.spec, self.state)


def effective(spec: dict, state) -> str:
    return state or (PAUSED if spec.get("pause") else RUNNING)  # spec.pause is deprecated, but counts up to 0.51


def version_of(group: dict) -> str:
    """The API version to use, of what the API server serves: v1beta2 wherever there is one.

    Strimzi 0.49 to 0.51 serve both and store v1beta2. A patch through v1 drops what v1 has no field for, such as spec.pause.
    """
    served = [one.get("version") for one in group.get("versions") or []]
    return "v1beta2" if "v1beta2" in served else "v1"


def read_reference(text: str) -> tuple:
    """KIND/NAME or NAME -> (kind or None, name). Raises DeclarationError."""
    kind, slash, name = text.strip().rpartition("/")
    known = {one.lower(): one for one in PLURALS}
    known.update((plural, one) for one, plural in PLURALS.items())
    if slash and kind.lower() not in known or not name:
        raise errors.DeclarationError("resource is \"%s\"; it must be the name of a KafkaConnector or KafkaMirrorMaker2, or KafkaConnector/NAME or "
                                      "KafkaMirrorMaker2/NAME." % text)
    return known.get(kind.lower()), name


def is_of_mirror(connector: str) -> bool:
    """No Kubernetes name can have the arrow that all connectors of a mirror have."""
    return "->" in connector


def told(resource: dict) -> str:
    """KafkaConnector/NAME"""
    return "%s/%s" % (resource["kind"], resource["metadata"]["name"])


def annotations(resource: dict) -> dict:
    return resource["metadata"].get("annotations") or {}


def belongs_to(resource: dict, cluster) -> bool:
    """Is it no KafkaConnector of another Connect cluster? cluster: None for any."""
    return cluster is None or resource["kind"] == MIRROR or cluster_of(resource) == cluster


def cluster_of(resource: dict) -> str:
    """The Connect cluster: that of the label, or the mirror itself."""
    if resource["kind"] == MIRROR:
        return resource["metadata"]["name"]
    return (resource["metadata"].get("labels") or {}).get(CLUSTER) or ""


# ---- its connectors ----------------------------------------------------------------------------------------------

def parts_of(resource: dict) -> dict:
    """{connector: Part}"""
    spec = resource.get("spec") or {}
    if resource["kind"] == CONNECTOR:
        name = resource["metadata"]["name"]
        return {name: Part(name, "/spec", spec, [])}
    found = {}
    target = (spec.get("target") or {}).get("alias") or spec.get("connectCluster")
    for number, mirror in enumerate(spec.get("mirrors") or []):
        field = "source/alias" if (mirror.get("source") or {}).get("alias") else "sourceCluster"
        source = (mirror.get("source") or {}).get("alias") or mirror.get("sourceCluster")
        here = "/spec/mirrors/%d" % number
        for kind, section in _PARTS.items():
            if isinstance(mirror.get(section), dict):
                name = "%s->%s.%s" % (source, target, kind)
                found[name] = Part(name, "%s/%s" % (here, section), mirror[section],
                                   [{"op": "test", "path": "%s/%s" % (here, field), "value": source}])
    return found


def part_of(resource: dict, connector: str) -> Part:
    """Raises DeclarationError for a connector that the resource does not have: the operator would ignore its name for ever."""
    found = parts_of(resource)
    if connector not in found:
        raise errors.DeclarationError("%s has no connector %s; it has %s." % (
            told(resource), connector, ", ".join(sorted(found)) or "none"))
    return found[connector]


def config_of(resource: dict, part: Part) -> dict:
    """The configuration that Connect gets of it, as far as the resource tells, all text."""
    config = {name: value if isinstance(value, str) else json.dumps(value) for name, value in (part.spec.get("config") or {}).items()}
    if resource["kind"] == CONNECTOR:
        return dict(config, **{"connector.class": part.spec.get("class") or "", "name": part.connector})
    spec = resource["spec"]
    source, target = part.connector.rsplit(".", 1)[0].split("->", 1)
    config.update({"connector.class": "org.apache.kafka.connect.mirror." + part.connector.rsplit(".", 1)[1], "name": part.connector,
                   "source.cluster.alias": source, "target.cluster.alias": target})
    number = int(part.pointer.split("/")[3])
    mirror = spec["mirrors"][number]
    for option, field in (("topics", "topicsPattern"), ("topics.exclude", "topicsExcludePattern")):
        if mirror.get(field):
            config.setdefault(option, mirror[field])
    cluster = mirror.get("source") or next((one for one in spec.get("clusters") or [] if one.get("alias") == source), {})
    if cluster.get("bootstrapServers"):
        config["source.cluster.bootstrap.servers"] = cluster["bootstrapServers"]
        if cluster.get("tls") is not None or cluster.get("authentication"):
            config["source.cluster.security.protocol"] = "SSL or SASL"
    return config


def status_of(resource: dict, connector: str):
    """Connect's own status of the connector, as the operator has reported it last; None if it has not."""
    status = resource.get("status") or {}
    if resource["kind"] == CONNECTOR:
        return status.get("connectorStatus")
    return next((one for one in status.get("connectors") or [] if one.get("name") == connector), None)


def is_seen(resource: dict) -> bool:
    """Has the operator reported on the spec as it is now?"""
    return (resource.get("status") or {}).get("observedGeneration", 0) >= resource["metadata"].get("generation", 0)


def settled_status(resource: dict, part: Part):
    """The status of the connector as far as it can be trusted; None if there is none.

    The word counts, not the list of tasks, which may be from before the stop. A word that is not what the resource asks for is changed
    by the operator at its next look, so it is as good as unassigned.
    """
    found = status_of(resource, part.connector)
    if found is None:
        return None
    state = (found.get("connector") or {}).get("state")
    if state == "STOPPED" and part.wanted == STOPPED:
        return dict(found, tasks=[])
    if state in ("STOPPED", "PAUSED") and state != part.wanted.upper():
        return dict(found, connector=dict(found["connector"], state="UNASSIGNED"))
    return found


# ---- what the operator says --------------------------------------------------------------------------------------

def conditions(resource: dict) -> list:
    return [one for one in (resource.get("status") or {}).get("conditions") or [] if one.get("status") == "True"]


def not_ready(resource: dict) -> list:
    """Why the resource is not ready, in words."""
    return ["%s: %s" % (one.get("reason"), one.get("message")) for one in conditions(resource) if one.get("type") == "NotReady"]


def restart_complaints(resource: dict) -> list:
    """What went wrong with restarts, in words."""
    return [one.get("message") for one in conditions(resource) if one.get("type") == "Warning" and one.get("reason") in _RESTARTS]


def is_lasting(words) -> bool:
    """Is one of these reasons for NotReady there until somebody changes a resource? All others can be a call of Connect that failed, and pass.

    Reason and status do not tell: a configuration that Connect refuses and a stop that it cannot carry out now are both a
    CompletionException (Strimzi 1.2). The path does.
    """
    return any(_LASTING.match(one) or refuses_configuration(one) for one in words)


def refuses_configuration(text) -> bool:
    """Does Connect not take the connector's configuration?"""
    call = _CALL.search(text)
    if call is None or not _CONFIGURES.fullmatch("%s %s" % (call["verb"], call["path"])):
        return False
    status = int(call["status"])
    return 400 <= status < 500 and status not in _PASSING_4XX or lacks_class(text)


def is_reached(status: dict, wanted: str) -> bool:
    """status: of settled_status. Has the operator brought about running, paused or stopped, tasks included?"""
    state, tasks = (status.get("connector") or {}).get("state"), {task.get("state") for task in status.get("tasks") or []}
    if wanted == STOPPED:
        return state == "STOPPED"
    if wanted == PAUSED:
        return state == "PAUSED" and tasks <= {"PAUSED", "FAILED"}
    return state == "FAILED" or state == "RUNNING" and bool(tasks) and tasks <= {"RUNNING", "FAILED"}


def is_reconciled(resource: dict) -> bool:
    """No, if somebody has told the operator to leave it alone."""
    return annotations(resource).get(PAUSE_RECONCILIATION, "").lower() != "true"


# ---- JSON patches ------------------------------------------------------------------------------------------------

def escaped(name: str) -> str:
    """One step of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def annotation_operations(resource: dict, wanted: dict) -> list:
    """wanted: {annotation: text, or None to remove it}."""
    there = annotations(resource)
    found = [{"op": "add", "path": "/metadata/annotations", "value": {}}] if resource["metadata"].get("annotations") is None else []
    for name, value in wanted.items():
        path = "/metadata/annotations/" + escaped(name)
        if value is not None and there.get(name) != value:
            found.append({"op": "add", "path": path, "value": value})
        elif value is None and name in there:
            found.append({"op": "remove", "path": path})
    return found if len(found) > 1 or found and found[0]["path"] != "/metadata/annotations" else []


def states_before(resource: dict) -> dict:
    """{connector: spec.state before we stopped it, None if it had none}"""
    try:
        found = json_value(annotations(resource).get(STATE_BEFORE, "{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def state_operations(resource: dict, connector: str, wanted: str) -> list:
    """Have the operator bring about running, paused or stopped; [] if that is what the resource says.

    What spec.state was is remembered when it is set to stopped, and put back exactly, also if there was none.
    """
    part = part_of(resource, connector)
    remembered = states_before(resource)
    if wanted == STOPPED:
        if part.state == STOPPED:
            return []
        state, remembered = STOPPED, dict(remembered, **{connector: part.state})
    else:
        before = remembered.pop(connector, part.state)
        if effective(part.spec, before) == wanted:
            state = before
        else:
            state = part.state if part.wanted == wanted else wanted
    operations = annotation_operations(resource, {STATE_BEFORE: json.dumps(remembered, sort_keys=True) if remembered else None})
    if state != part.state:
        path = part.pointer + "/state"
        operations += part.tests + [{"op": "remove", "path": path} if state is None else {"op": "add", "path": path, "value": state}]
    return operations
