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
from urllib.parse import quote

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors

GROUP = "kafka.strimzi.io"
CONNECTOR, MIRROR = "KafkaConnector", "KafkaMirrorMaker2"
PLURALS = {CONNECTOR: "kafkaconnectors", MIRROR: "kafkamirrormaker2s"}

LIST, ALTER, RESET = "list", "alter", "reset"

#: annotations of Strimzi
OFFSETS = "strimzi.io/connector-offsets"
WHICH = "strimzi.io/mirrormaker-connector"
PAUSE_RECONCILIATION = "strimzi.io/pause-reconciliation"
CLUSTER = "strimzi.io/cluster"
#: annotations of our own: what spec.state was before we stopped a connector, and one whose change has the operator look again
STATE_BEFORE = "streamops.kafka-connect/state-before"
LOOK = "streamops.kafka-connect/look-again"

STOPPED, PAUSED, RUNNING = "stopped", "paused", "running"

#: bytes that a ConfigMap can hold
CONFIG_MAP_LIMIT = 1024 * 1024

_SECTIONS = {LIST: ("listOffsets", "toConfigMap"), ALTER: ("alterOffsets", "fromConfigMap")}
_PARTS = {"MirrorSourceConnector": "sourceConnector", "MirrorCheckpointConnector": "checkpointConnector",
          "MirrorHeartbeatConnector": "heartbeatConnector"}

#: reasons of Warnings that speak of an operation on offsets
_REASONS = ("ListOffsets", "AlterOffsets", "ResetOffsets", "ManageOffsets")
#: reasons of NotReady under which the operator does not come to an operation on offsets until somebody changes something
_HOPELESS = ("NoSuchResourceException", "InvalidResourceException", "IllegalArgumentException", "CompletionException", "RuntimeException")
#: what passes by itself: a rebalance, an edit of the resource at the same time
_PASSING = re.compile(r"\b409\b|conflict|rebalanc|modified", re.IGNORECASE)
#: what may: a worker that is just starting, but also a plugin that does not take the offsets
_DOUBTFUL = re.compile(r"\b50[0-9]\b|timed? ?out|refused", re.IGNORECASE)

#: host of a pod of a Connect cluster that Strimzi runs: NAME-connect-0.NAME-connect.NAMESPACE.svc, and the same with mirrormaker2
_POD = re.compile(r"(?P<cluster>.+)-(?P<kind>connect|mirrormaker2)-\d+\.(?P=cluster)-(?P=kind)\.(?P<namespace>[^.]+)\.svc[.:]")


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

    def config_map(self, word: str):
        """The name of the ConfigMap for list or alter; None where the resource names none."""
        section, field = _SECTIONS[word]
        return ((self.spec.get(section) or {}).get(field) or {}).get("name")


def effective(spec: dict, state) -> str:
    return state or (PAUSED if spec.get("pause") else RUNNING)  # spec.pause is deprecated, but counts up to 0.51


def version_of(group: dict) -> str:
    """The API version to use, of what the API server serves: v1beta2 wherever there is one.

    Strimzi 0.49 to 0.51 serve both and store v1beta2. A patch through v1 drops what v1 has no field for, such as spec.pause.
    """
    served = [one.get("version") for one in group.get("versions") or []]
    return "v1beta2" if "v1beta2" in served else "v1"


def read_reference(text: str) -> tuple:
    """KIND/NAME or NAME -> (kind or None, name). Raises WishError."""
    kind, slash, name = text.strip().rpartition("/")
    known = {one.lower(): one for one in PLURALS}
    known.update((plural, one) for one, plural in PLURALS.items())
    if slash and kind.lower() not in known or not name:
        raise errors.WishError("resource is \"%s\"; it must be the name of a KafkaConnector or KafkaMirrorMaker2, or KafkaConnector/NAME or "
                               "KafkaMirrorMaker2/NAME. Nothing was changed." % text)
    return known.get(kind.lower()), name


def is_of_mirror(connector: str) -> bool:
    """No Kubernetes name can have the arrow that all connectors of a mirror have."""
    return "->" in connector


def data_key(kind: str, connector: str) -> str:
    """Under which key of a ConfigMap the operator keeps a connector's offsets."""
    return "offsets.json" if kind == CONNECTOR else connector.replace("->", "--") + ".json"


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
    """Raises WishError for a connector that the resource does not have: the operator would ignore its name for ever."""
    found = parts_of(resource)
    if connector not in found:
        raise errors.WishError("%s has no connector %s; it has %s. Nothing was changed." % (
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


def complaints(resource: dict) -> list:
    """What went wrong with operations on offsets, in words, each once."""
    found = ["%s: %s" % (one.get("reason"), one.get("message")) for one in conditions(resource)
             if one.get("type") == "Warning" and one.get("reason") in _REASONS]
    return sorted(set(found))


def not_ready(resource: dict) -> list:
    """Why the resource is not ready, in words."""
    return ["%s: %s" % (one.get("reason"), one.get("message")) for one in conditions(resource) if one.get("type") == "NotReady"]


def is_hopeless(words, connector: str) -> bool:
    """Is it of those reasons for NotReady that somebody has to do something about?"""
    return any(one.startswith(_HOPELESS) and not _PASSING.search(one) for one in _nameless(words, connector))


def looks_until_verdict(words, connector: str):
    """How often the operator has to say the same once more, made to look again, until it counts; None: it is waited for."""
    words = _nameless(words, connector)
    if all(_PASSING.search(one) for one in words):
        return None
    return 3 if all(_PASSING.search(one) or _DOUBTFUL.search(one) for one in words) else 1


def _nameless(words, connector) -> list:
    """A connector can be called 409."""
    names = "|".join(map(re.escape, (connector, quote(connector, safe=""), connector.replace("->", "--"))))
    return [re.sub(r"(?<![-.\w])(%s)(?![-\w])" % names, "", one) for one in words]


def is_reconciled(resource: dict) -> bool:
    """No, if somebody has told the operator to leave it alone."""
    return annotations(resource).get(PAUSE_RECONCILIATION, "").lower() != "true"


def pod_of(worker_id):
    """(kind of resource, its name, namespace) if the worker is a pod that Strimzi runs; else None."""
    match = _POD.match(worker_id or "")
    return match and (MIRROR if match["kind"] == "mirrormaker2" else "KafkaConnect", match["cluster"], match["namespace"])


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
        found = json.loads(annotations(resource).get(STATE_BEFORE, "{}"))
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


def operation_annotations(kind: str, connector: str, word) -> dict:
    """word: list, alter, reset; None to take it back."""
    found = {OFFSETS: word}
    if kind == MIRROR:
        found[WHICH] = None if word is None else connector
    return found


def data_operations(config_map: dict, key: str, text) -> list:
    """Set one entry of a ConfigMap, or remove it with None; the others stay."""
    data = config_map.get("data")
    if text is None:
        return [{"op": "remove", "path": "/data/" + escaped(key)}] if key in (data or {}) else []
    if (data or {}).get(key) == text:
        return []
    if data is None:
        return [{"op": "add", "path": "/data", "value": {key: text}}]
    return [{"op": "add", "path": "/data/" + escaped(key), "value": text}]


def config_map(namespace: str, name: str, data: dict, labels=None) -> dict:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": dict(metadata, labels=labels) if labels else metadata, "data": data}


def size_of(found: dict, key: str, text: str) -> int:
    """Bytes of a ConfigMap's entries once this one is set."""
    data = dict(found.get("data") or {}, **{key: text})
    return (sum(len(name) + len(value.encode("utf-8")) for name, value in data.items())
            + sum(len(name) + len(value) * 3 // 4 for name, value in (found.get("binaryData") or {}).items()))


def offsets_text(pairs: list) -> str:
    """The entry of a ConfigMap for alter: numbers exact."""
    return json.dumps({"offsets": pairs}, indent=2, ensure_ascii=False, allow_nan=False)


def section_lines(resource: dict, part: Part, word: str) -> str:
    """The lines that a resource lacks, in words for the user."""
    section, field = _SECTIONS[word]
    where = part.pointer.strip("/").replace("/", ".")
    return "%s: {%s: {name: %s-offsets}}, under %s" % (section, field, resource["metadata"]["name"], where)
