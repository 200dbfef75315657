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

import time
from urllib.parse import urlsplit

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.connect_assignment import CONNECTOR, address, running
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import EMPTY
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, canonical

#: how many connectors' offsets are asked for as a proof
_PROOFS = 5
#: after how many requests that ran into their time limit no further connector is asked
_HANGING = 3
#: seconds until what REST and the topic show is compared once more
_PAUSE = 0.2

_HINT = "Give the value of the workers' offset.storage.topic as offset_topic."


def topics_of(name: str, rest, logs, offset_topic=None, config=None, for_change=True, sure=False, group=None, may_be_empty=False) -> list:
    """The topic that the connector reads first, then another one that has to hold the same.

    config: the connector's, for its own offsets.storage.topic. sure: somebody vouches for offset_topic, and that nobody else keeps offsets there.
    group: the workers' group.id, where that is given. may_be_empty: whoever asks knows that the topic may have lost what REST shows. Raises
    MethodError where they cannot be known.
    """
    if rest is not None:
        same_cluster(rest, logs.source.kafka)
    own = (config or {}).get("offsets.storage.topic")
    if not own:
        if offset_topic and rest is not None and logs.proven != offset_topic:
            if _twice(logs, offset_topic, lambda: _check_it_is_theirs(name, rest, logs, offset_topic, config is not None, group, may_be_empty, sure)):
                logs.proven = offset_topic
        shared = offset_topic or find(rest, logs)
        if for_change and rest is not None and config is not None and not sure:
            _check_namesakes(name, rest, logs, shared, group)
        return [shared]
    elsewhere = config.get("producer.override.bootstrap.servers")
    if elsewhere and _servers(elsewhere) != _servers(logs.source.kafka.brokers):
        raise errors.MethodError(
            "%s keeps its offsets in its own topic %s on another Kafka cluster (producer.override.bootstrap.servers=%s), which this method "
            "does not reach." % (name, own, elsewhere), offset_topic=own)
    if offset_topic is None and not for_change:
        return [own]
    shared = offset_topic or find(rest, logs)
    return [own] if own == shared else [own, shared]


def check_exists(kafka, topic: str) -> None:
    """At once: a worker whose topic was deleted lets requests for offsets run into their time limits. Raises NoTopic, NotOffsetsTopic."""
    try:
        found = kafka.admin.topic(topic)
        if "compact" not in (found.cleanup_policy or "compact") and not any(kafka.offsets.ends(found)[1].values()):
            raise errors.NotOffsetsTopic(EMPTY % (topic, found.cleanup_policy))
    except errors.NoTopic as error:
        raise error.also("If that was the workers' offsets topic and was deleted, they have their offsets in memory alone: save them with "
                         "connector_offsets_export by method: rest, if they still answer, then restart the workers, which create the topic. If it never "
                         "was, give the value of the workers' offset.storage.topic as offset_topic.")
    except errors.BrokerError:
        pass  # said where it is read


def _twice(logs, topic, look):
    """REST and the topic are read one after the other, while connectors may run: what differs at first is looked at once more.

    topic: None to find one. Of many connectors the first one is waited for.
    """
    try:
        return look()
    except errors.MethodError:
        if topic in logs.looked_again:
            raise
        logs.looked_again.add(topic)
        time.sleep(_PAUSE)
        logs.renew()
        logs.known = None
        return look()


def _servers(text: str) -> set:
    return {server.strip() for server in text.split(",")}


def same_cluster(rest, kafka) -> None:
    """Raises MethodError. Brokers of another cluster than the worker's would give, and take, the wrong connector's offsets."""
    theirs = rest.root().get("kafka_cluster_id")
    if theirs and theirs != kafka.cluster_id:
        raise errors.MethodError(
            "The brokers at %s are those of the Kafka cluster %s, but the worker at %s belongs to the Kafka cluster %s."
            % (kafka.brokers, kafka.cluster_id, rest.url, theirs))


def _check_it_is_theirs(name, rest, logs, topic, exists, group, may_be_empty, sure) -> bool:
    """Is it proven, or does only nothing speak against it? The topic of another Connect cluster may have a connector of the same name, or none.

    Raises MethodError.
    """
    log = logs.read(topic)  # first of all: is it there, and is it an offsets topic
    shown = _shown(name, rest) if exists else None
    if shown and _any_of({name: shown}, log):
        return True
    known = _known(rest, logs)
    listed = {connector: found for connector, found in dict(known, **{name: shown} if shown is not None else {}).items() if found}
    if listed and not _any_of(listed, log):
        if may_be_empty and _may_have_lost(log):
            return False
        raise errors.MethodError(
            "offset_topic %s has none of the offsets that REST shows for %s: it is not the topic of the worker at %s%s."
            % (topic, ", ".join(sorted(listed)), rest.url, ", or it has lost them (%s), and the workers have them in memory alone: method: auto "
               "writes them again" % _may_have_lost(log) if _may_have_lost(log) else ""))
    if sure:
        return bool(listed)
    ours = rest.connectors()
    found = _groups(logs.source.kafka)
    theirs = _groups_of(rest, found, group)
    held = log.decoded()
    for other, (work, _addresses) in sorted(found.items()):
        foreign_members = sorted(connector for connector in work if other not in theirs and held.live_keys(connector) and connector not in ours)
        if foreign_members:
            raise errors.MethodError(
                "offset_topic %s has offsets of %s, which the workers of the group %s have, and which the worker at %s does not know: it "
                "is the topic of another Connect cluster. If it is right all the same, use force: true."
                % (topic, ", ".join(foreign_members[:3]), other, rest.url))
    return bool(listed)


def _any_of(listed, log) -> bool:
    """listed: connector -> canonical partitions"""
    held = log.decoded(next(iter(listed)) if len(listed) == 1 else None)
    return any(found & held.live_keys(connector) for connector, found in listed.items())


def _may_have_lost(log) -> str:
    """In words, why an offsets topic may have lost records; empty where nothing says so."""
    if not log.records:
        return "it is empty"
    policy = log.topic.cleanup_policy
    return "cleanup.policy=%s" % policy if policy not in (None, "compact") else ""


def _groups_of(rest, groups, group) -> set:
    """Those of the workers that are asked, by their addresses; where none fits, the one that is named."""
    workers = {((parts.get("status") or {}).get("connector") or {}).get("worker_id") for parts in rest.connectors().values()}
    workers.add(urlsplit(rest.url).netloc)
    return {name for name, (_work, addresses) in groups.items() if addresses & workers} or {group} & set(groups)


def _check_namesakes(name, rest, logs, topic, group) -> None:
    """Two Connect clusters with one offsets topic and a connector of one name have one offset for both. Raises SharedTopic."""
    groups = _groups(logs.source.kafka)
    namesakes = {other for other, (work, _addresses) in groups.items() if name in work}
    theirs = _groups_of(rest, groups, group)
    if not theirs and len(namesakes) == 1:
        return  # whose addresses are not those that REST tells
    others = namesakes - theirs
    if others and may_share(logs, topic, {other: groups[other][0] for other in others}):
        raise errors.SharedTopic(
            "The Connect clusters %s each have a connector %s, and it is not known that they keep its offsets on different topics: a change on %s "
            "would be one for both. Give one of the clusters an offset.storage.topic of its own, or one of the connectors another name. If they "
            "have topics of their own, use force: true."
            % (" and ".join(sorted(namesakes | theirs)), name, topic))


def may_share(logs, topic, groups) -> bool:
    """May workers of other groups keep their offsets on the topic, too? groups: group -> its connectors.

    They do not where there are as many further offsets topics that have records of these connectors.
    """
    connectors = set().union(*groups.values())
    homes = 0
    for other in logs.source.kafka.admin.offset_topics():
        if other.name == topic:
            continue
        try:
            homes += logs.read(other.name).speaks_of(connectors)
        except (errors.NotOffsetsTopic, errors.BrokerDenied, errors.NoTopic):
            pass
    return homes < len(groups)


def groups_with(kafka, name: str) -> dict:
    """group -> its connectors, of those groups that have this one. Raises BrokerError."""
    found = {}
    for group, _client_id, _metadata, has in _members(kafka):
        found.setdefault(group, set()).update(connector for connector, _task in has)
    return {group: work for group, work in found.items() if name in work}


def _shown(name, rest):
    """The canonical partitions that REST lists with an offset; None where it cannot."""
    try:
        return _listed(name, rest)
    except errors.RestError:
        return None


def _listed(name, rest) -> set:
    return {canonical(item.get("partition")) for item in rest.offsets(name) if item.get("offset") is not None}


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
    for group, client_id, metadata, assignment in kafka.groups.connect_groups():
        try:
            yield group, client_id, metadata, running(metadata, assignment)
        except ValueError:
            continue


def find(rest, logs) -> str:
    """The worker's offsets topic by its content: it has the offsets that REST shows. Raises MethodError."""
    if rest is None:
        raise errors.MethodError("Without connect_url there is nothing to tell the offsets topic by. " + _HINT)
    if logs.proven:
        return logs.proven
    candidates = [topic.name for topic in logs.source.kafka.admin.offset_topics()]
    return _twice(logs, None, lambda: _find(rest, logs, candidates))


def _find(rest, logs, candidates) -> str:
    proven = []
    if candidates:
        known = _known(rest, logs)
        for topic in candidates:
            try:
                if _proves(known, logs.read(topic)):
                    proven.append(topic)
            except (errors.NotOffsetsTopic, errors.BrokerDenied):
                pass
    if len(proven) == 1:
        logs.proven = proven[0]
        return logs.proven
    raise errors.MethodError(
        "Which topic the worker at %s keeps its offsets in cannot be told for certain: %s on the Kafka cluster at %s. %s" % (
            rest.url, "%s hold what it shows" % ", ".join(proven) if proven else
            "none of %s holds offsets that it shows" % (", ".join(candidates) or "its topics"), logs.source.kafka.brokers, _HINT))


def _known(rest, logs) -> dict:
    """connector -> the canonical partitions that REST lists, None where the worker is too old to list them. Asked once."""
    if logs.known is None:
        logs.known = _ask(rest)
    return logs.known


def _ask(rest) -> dict:
    known, hanging = {}, 0
    for name, parts in sorted(rest.connectors().items()):
        if (parts.get("info") or {}).get("type") == SINK or (parts.get("info") or {}).get("config", {}).get("offsets.storage.topic"):
            continue
        try:
            listed = _listed(name, rest)
        except (errors.EndpointMissing, errors.AmbiguousName, errors.NoConnector):
            listed = None
        except (errors.ResponseLost, errors.OutcomeUnknown):
            hanging += 1
            if hanging == _HANGING:
                break  # each further one would last as long
            continue
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


def check_groups_are_shown(kafka, rest, group=None) -> None:
    """Raises BrokerError where the brokers do not show the workers' group: they leave out, without an error, what the user may not see.

    rest: ConnectClient, None without a worker to ask. group: the workers' group.id, if it is known. Without both nothing can be told.
    """
    shown = kafka.groups.connect_groups()
    if group:
        missing = "workers of the group %s" % group if group not in {one[0] for one in shown} else None
    else:
        missing = "group of the worker at %s" % rest.url if rest is not None and not _shows_workers_of(rest, shown) else None
    if missing:
        raise errors.BrokerDenied(
            "The brokers at %s show no %s. Grant the user Describe on Group %s%s." % (
                kafka.brokers, missing, group or "(the workers' group.id)", "" if group else
                "; if the user has it, the workers are known by other addresses: give their group.id as connect_group"),
            bootstrap_servers=kafka.brokers)


def _shows_workers_of(rest, shown) -> bool:
    here = {address(metadata) for _group, _client_id, metadata, _assignment in shown}
    if urlsplit(rest.url).netloc in here:
        return True
    statuses = [parts.get("status") or {} for parts in rest.connectors().values()]
    return bool(here & {part.get("worker_id") for one in statuses for part in [one.get("connector") or {}] + (one.get("tasks") or [])})
