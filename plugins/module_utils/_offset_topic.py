# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which offsets topics hold a connector's offsets, and whether any worker is at work on it.

No worker tells the name of its offsets topic. It is taken from the option, else looked for among the topics whose names
speak of offsets, and accepted only where its content proves that it is this worker's.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect_protocol import CONNECTOR, running
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import SINK, canonical

#: how many connectors' offsets are asked for as a proof
_PROOFS = 5

_HINT = "Give the value of the workers' offset.storage.topic as offset_topic."


def topics_of(name: str, rest, reader, offset_topic=None, config=None, for_change=True) -> list:
    """The topic that the connector reads first, then another one that has to hold the same.

    config: the connector's, for its own offsets.storage.topic. Raises RoadError where they cannot be known.
    """
    if rest is not None:
        _same_cluster(rest, reader.kafka)
    own = (config or {}).get("offsets.storage.topic")
    if not own:
        if offset_topic and rest is not None and config is not None:
            _check_it_is_theirs(name, rest, reader, offset_topic)
        return [offset_topic or find(rest, reader)]
    elsewhere = config.get("producer.override.bootstrap.servers")
    if elsewhere and _servers(elsewhere) != _servers(reader.kafka.brokers):
        raise errors.RoadError(
            "%s keeps its offsets in its own topic %s on another Kafka cluster (producer.override.bootstrap.servers=%s), which this road "
            "does not reach." % (name, own, elsewhere), offset_topic=own)
    if offset_topic is None and not for_change:
        return [own]
    shared = offset_topic or find(rest, reader)
    return [own] if own == shared else [own, shared]


def _servers(text: str) -> set:
    return {server.strip() for server in text.split(",")}


def _same_cluster(rest, kafka) -> None:
    """Brokers of another cluster than the worker's would give, and take, the wrong connector's offsets."""
    theirs = rest.root().get("kafka_cluster_id")
    if theirs and theirs != kafka.cluster_id:
        raise errors.RoadError(
            "The brokers at %s are those of the Kafka cluster %s, but the worker at %s belongs to the Kafka cluster %s. Nothing was changed."
            % (kafka.brokers, kafka.cluster_id, rest.url, theirs))


def _check_it_is_theirs(name, rest, reader, topic) -> None:
    """The topic of another Connect cluster may have a connector of the same name, or none."""
    try:
        listed = {canonical(item.get("partition")) for item in rest.offsets(name) if item.get("offset") is not None}
    except (errors.EndpointMissing, errors.AmbiguousName, errors.NoConnector):
        return
    held = {key for key, one in reader.read(topic).decoded(name).of(name).items() if one.live}
    if listed and not listed & held:
        raise errors.RoadError(
            "offset_topic %s has none of the %d offsets that REST shows for %s: it is not the topic of the worker at %s. Nothing was changed."
            % (topic, len(listed), name, rest.url))


def find(rest, reader) -> str:
    """The worker's offsets topic by its content: it has the offsets that REST shows. Raises RoadError."""
    if rest is None:
        raise errors.RoadError("Without connect_url there is nothing to tell the offsets topic by. " + _HINT)
    candidates = [topic.name for topic in reader.kafka.offset_topics()]
    proven = []
    if candidates:
        known = _known(rest)
        for topic in candidates:
            try:
                if _proves(known, reader.read(topic)):
                    proven.append(topic)
            except (errors.NotOffsetsTopic, errors.BrokerDenied):
                pass
    if len(proven) == 1:
        return proven[0]
    raise errors.RoadError(
        "Which topic the worker at %s keeps its offsets in cannot be told for certain: %s on the Kafka cluster at %s. %s" % (
            rest.url, "%s hold what it shows" % ", ".join(proven) if proven else
            "none of %s holds offsets that it shows" % (", ".join(candidates) or "its topics"), reader.kafka.brokers, _HINT))


def _known(rest) -> dict:
    """connector -> the canonical partitions that REST lists, None where the worker is too old to list them."""
    known = {}
    for name, parts in sorted(rest.connectors().items()):
        if (parts.get("info") or {}).get("type") == SINK or (parts.get("info") or {}).get("config", {}).get("offsets.storage.topic"):
            continue
        try:
            listed = {canonical(item.get("partition")) for item in rest.offsets(name) if item.get("offset") is not None}
        except (errors.EndpointMissing, errors.AmbiguousName):
            listed = None
        except errors.RestError:
            continue
        if listed != set():
            known[name] = listed
        if len(known) == _PROOFS:
            break
    return known


def _proves(known, log) -> bool:
    held = {name: {key for key, one in partitions.items() if one.live} for name, partitions in log.decoded().connectors.items()}
    if any(listed is not None and not listed <= held.get(name, set()) for name, listed in known.items()):
        return False
    return any(held.get(name) for name in known)


def workers_at(kafka, name: str, group=None) -> list:
    """["task 0 in the group G on the worker W"] of the connector, as the brokers know it; only of one group if it is named.

    Raises BrokerError where the groups cannot be seen.
    """
    found = []
    for group_id, client_id, metadata, assignment in kafka.connect_groups():
        if group and group != group_id:
            continue
        try:
            work = running(metadata, assignment)
        except ValueError:
            continue
        # The connector itself stays with a worker while it is STOPPED, too.
        found += ["task %d in the group %s on the worker %s" % (task, group_id, client_id)
                  for connector, task in sorted(work) if connector == name and task != CONNECTOR]
    return found
