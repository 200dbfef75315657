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

from urllib.parse import urlsplit

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect_protocol import CONNECTOR, address, running
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import SINK, canonical

#: how many connectors' offsets are asked for as a proof
_PROOFS = 5

_HINT = "Give the value of the workers' offset.storage.topic as offset_topic."


def topics_of(name: str, rest, reader, offset_topic=None, config=None, for_change=True, sure=False) -> list:
    """The topic that the connector reads first, then another one that has to hold the same.

    config: the connector's, for its own offsets.storage.topic. sure: somebody vouches for offset_topic. Raises RoadError where
    they cannot be known.
    """
    if rest is not None:
        same_cluster(rest, reader.kafka)
    own = (config or {}).get("offsets.storage.topic")
    if not own:
        if offset_topic and rest is not None and not sure and reader.proven != offset_topic:
            if _check_it_is_theirs(name, rest, reader, offset_topic, config is not None):
                reader.proven = offset_topic
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


def same_cluster(rest, kafka) -> None:
    """Raises RoadError. Brokers of another cluster than the worker's would give, and take, the wrong connector's offsets."""
    theirs = rest.root().get("kafka_cluster_id")
    if theirs and theirs != kafka.cluster_id:
        raise errors.RoadError(
            "The brokers at %s are those of the Kafka cluster %s, but the worker at %s belongs to the Kafka cluster %s. Nothing was changed."
            % (kafka.brokers, kafka.cluster_id, rest.url, theirs))


def _check_it_is_theirs(name, rest, reader, topic, exists) -> bool:
    """Is it proven, or does only nothing speak against it? The topic of another Connect cluster may have a connector of the same name, or none.

    Raises RoadError.
    """
    shown = _shown(name, rest) if exists else None
    known = {name: shown} if shown else _known(rest, reader)
    held = reader.read(topic).decoded(name if shown else None)
    listed = {connector: found for connector, found in known.items() if found}
    if listed and not any(found & held.live_keys(connector) for connector, found in listed.items()):
        raise errors.RoadError(
            "offset_topic %s has none of the offsets that REST shows for %s: it is not the topic of the worker at %s. Nothing was changed."
            % (topic, ", ".join(sorted(listed)), rest.url))
    if shown:
        return True
    ours = rest.connectors()
    workers = {((parts.get("status") or {}).get("connector") or {}).get("worker_id") for parts in ours.values()} | {urlsplit(rest.url).netloc}
    found = _groups(reader.kafka)
    groups = {group: work for group, (work, addresses) in found.items()}
    theirs = {group for group, (work, addresses) in found.items() if addresses & workers}
    for group, work in sorted(groups.items()):
        strangers = sorted(connector for connector in work if group not in theirs and held.live_keys(connector) and connector not in ours)
        if strangers:
            raise errors.RoadError(
                "offset_topic %s has offsets of %s, which the workers of the group %s have, and which the worker at %s does not know: it "
                "is the topic of another Connect cluster. If it is right all the same, name the workers' group.id as connect_group. "
                "Nothing was changed." % (topic, ", ".join(strangers[:3]), group, rest.url))
    namesakes = sorted(group for group, work in groups.items() if name in work)
    if exists and shown is None and len(namesakes) > 1:
        raise errors.RoadError(
            "The Connect clusters %s each have a connector %s, and the worker at %s does not show its offsets, so whether %s is its topic "
            "cannot be told. If it is, name its group.id as connect_group. Nothing was changed."
            % (" and ".join(namesakes), name, rest.url, topic))
    return bool(listed)


def _shown(name, rest):
    """The canonical partitions that REST lists; None where it cannot."""
    try:
        return {canonical(item.get("partition")) for item in rest.offsets(name) if item.get("offset") is not None}
    except (errors.EndpointMissing, errors.AmbiguousName, errors.NoConnector):
        return None


def _groups(kafka) -> dict:
    """group of Connect workers -> (its connectors, its workers as host:port); empty where the brokers do not tell."""
    found = {}
    try:
        for group, _client_id, metadata, has in _members(kafka):
            work, addresses = found.setdefault(group, (set(), set()))
            work.update(connector for connector, _task in has)
            addresses.add(address(metadata))
    except errors.BrokerError:
        return {}
    return found


def _members(kafka):
    """(group, client id, metadata, {(connector, task)}) of each Connect worker whose protocol can be read. Raises BrokerError."""
    for group, client_id, metadata, assignment in kafka.connect_groups():
        try:
            yield group, client_id, metadata, running(metadata, assignment)
        except ValueError:
            continue


def find(rest, reader) -> str:
    """The worker's offsets topic by its content: it has the offsets that REST shows. Raises RoadError."""
    if rest is None:
        raise errors.RoadError("Without connect_url there is nothing to tell the offsets topic by. " + _HINT)
    if reader.proven:
        return reader.proven
    candidates = [topic.name for topic in reader.kafka.offset_topics()]
    proven = []
    if candidates:
        known = _known(rest, reader)
        for topic in candidates:
            try:
                if _proves(known, reader.read(topic)):
                    proven.append(topic)
            except (errors.NotOffsetsTopic, errors.BrokerDenied):
                pass
    if len(proven) == 1:
        reader.proven = proven[0]
        return reader.proven
    raise errors.RoadError(
        "Which topic the worker at %s keeps its offsets in cannot be told for certain: %s on the Kafka cluster at %s. %s" % (
            rest.url, "%s hold what it shows" % ", ".join(proven) if proven else
            "none of %s holds offsets that it shows" % (", ".join(candidates) or "its topics"), reader.kafka.brokers, _HINT))


def _known(rest, reader) -> dict:
    """connector -> the canonical partitions that REST lists, None where the worker is too old to list them. Asked once for each reader."""
    if reader.known is None:
        reader.known = _ask(rest)
    return reader.known


def _ask(rest) -> dict:
    known = {}
    for name, parts in sorted(rest.connectors().items()):
        if (parts.get("info") or {}).get("type") == SINK or (parts.get("info") or {}).get("config", {}).get("offsets.storage.topic"):
            continue
        try:
            listed = _shown(name, rest)
        except errors.RestError:
            continue
        if listed != set():
            known[name] = listed
        if len(known) == _PROOFS:
            break
    return known


def _proves(known, log) -> bool:
    held = log.decoded()
    if any(listed is not None and not listed <= held.live_keys(name) for name, listed in known.items()):
        return False
    return any(held.live_keys(name) for name in known)


def workers_at(kafka, name: str, group=None, tasks_only=True) -> list:
    """["task 0 in the group G on the worker W"] of the connector, as the brokers know it; only of one group if it is named.

    tasks_only: the connector itself does not count; it stays with a worker while it is STOPPED. Raises BrokerError where the groups
    cannot be seen.
    """
    found = []
    for group_id, client_id, _metadata, work in _members(kafka):
        if group and group != group_id:
            continue
        found += ["%s in the group %s on the worker %s" % ("the connector" if task == CONNECTOR else "task %d" % task, group_id, client_id)
                  for connector, task in sorted(work) if connector == name and not (tasks_only and task == CONNECTOR)]
    return found
