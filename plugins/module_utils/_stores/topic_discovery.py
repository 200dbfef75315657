# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which offsets topics hold a connector's offsets.

No worker tells the name of its offsets topic. It is taken from the option, else looked for among the topics whose names
speak of offsets, and accepted only where its content proves that it is this worker's.
"""

from __future__ import annotations

import contextlib
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import EMPTY
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.connect_groups import groups_asked, groups_of_workers

#: how many connectors' offsets are wanted as a proof; and of how many are asked that have no record on a candidate, which can only speak against it
_PROOFS = 5
#: after how many requests that ran into their time limit no further connector is asked
_HANGING = 3
#: seconds until what REST and the topic show is compared once more
_PAUSE = 0.2

_HINT = "Give the value of the workers' offset.storage.topic as offset_topic."


class TopicDiscovery:
    """Of the connectors of one Connect cluster."""

    def __init__(self, rest, logs, offset_topic=None, group=None, sure=False, for_change=True):
        """rest: ConnectClient, None without a worker to ask. offset_topic: as it is given, or None to look for it. group: the workers' group.id, where
        that is given. sure: somebody vouches for offset_topic, and that nobody else keeps offsets there. for_change: every topic that has to be
        changed counts, not only the one that the connector reads.
        """
        self._rest = rest
        self._logs = logs
        self._kafka = getattr(logs.source, "kafka", None)
        self._given = offset_topic
        self._group = group
        self._sure = sure
        self._for_change = for_change

    def topics_of(self, name: str, config=None, may_be_empty=False) -> list:
        """The topic that the connector reads first, then another one that has to hold the same.

        config: the connector's, for its own offsets.storage.topic; None where there is none. may_be_empty: the caller knows that the topic may have
        lost what REST shows. Raises MethodError where they cannot be known.
        """
        if self._rest is not None:
            same_cluster(self._rest, self._kafka)
        own = (config or {}).get("offsets.storage.topic")
        if not own:
            return [self._checked(name, config is not None, may_be_empty)]
        elsewhere = config.get("producer.override.bootstrap.servers")
        if elsewhere and _servers(elsewhere) != _servers(self._kafka.brokers):
            raise errors.MethodError(
                "%s keeps its offsets in its own topic %s on another Kafka cluster (producer.override.bootstrap.servers=%s), which this method "
                "does not reach." % (name, own, elsewhere), offset_topic=own)
        if self._given is None and not self._for_change:
            return [own]
        shared = self._given or self.find()
        return [own] if own == shared else [own, shared]

    def _checked(self, name, exists, may_be_empty) -> str:
        topic, logs = self._given, self._logs
        if topic and self._rest is not None and logs.proven != topic:
            if self._twice(lambda: self._check_it_is_theirs(name, exists, may_be_empty)):
                logs.proven = topic
        topic = topic or self.find()
        if self._for_change and self._rest is not None and exists and not self._sure:
            self._check_namesakes(name, topic)
        return topic

    def _twice(self, look):
        """REST and the topic are read one after the other, while connectors may run: what differs at first is looked at once more.

        Of many connectors the first one is waited for.
        """
        try:
            return look()
        except errors.MethodError:
            if self._given in self._logs.looked_again:
                raise
            self._logs.looked_again.add(self._given)
            time.sleep(_PAUSE)
            self._logs.renew()
            self._logs.known = None
            return look()

    # ---- a topic that is given -----------------------------------------------------------------------------------

    def _check_it_is_theirs(self, name, exists, may_be_empty) -> bool:
        """Is it proven, or does only nothing speak against it? The topic of another Connect cluster may have a connector of the same name, or none.

        Raises MethodError.
        """
        log = self._logs.read(self._given)  # first of all: is it there, and is it an offsets topic
        shown = self._shown(name) if exists else None
        if shown and _any_of({name: shown}, log):
            return True
        listed = {connector: found for connector, found in dict(self._known([log]), **{name: shown} if shown is not None else {}).items() if found}
        if listed and not _any_of(listed, log):
            if may_be_empty and _may_have_lost(log):
                return False
            raise errors.MethodError(
                "offset_topic %s has none of the offsets that REST shows for %s: it is not the topic of the worker at %s%s."
                % (self._given, ", ".join(sorted(listed)), self._rest.url, ", or it has lost them (%s), and the workers have them in memory alone: method: "
                   "auto writes them again" % _may_have_lost(log) if _may_have_lost(log) else ""))
        if not self._sure:
            self._check_no_others(log)
        return bool(listed)

    def _check_no_others(self, log) -> None:
        """Has it offsets of connectors that other workers have? Raises MethodError."""
        ours = self._rest.connectors()
        found, unseen = groups_of_workers(self._kafka)
        theirs = groups_asked(self._rest, found, self._group)
        self._check_all_are_seen(unseen, "offset_topic %s has offsets of another Connect cluster" % self._given)
        held = log.decoded()
        for other, (work, _addresses) in sorted(found.items()):
            foreign = sorted(connector for connector in work if other not in theirs and held.live_keys(connector) and connector not in ours)
            if foreign:
                raise errors.MethodError(
                    "offset_topic %s has offsets of %s, which the workers of the group %s have, and which the worker at %s does not have: it "
                    "is the topic of another Connect cluster. If it is right all the same, use force: true." % (
                        self._given, ", ".join(foreign[:3]), other, self._rest.url))

    def _check_namesakes(self, name, topic) -> None:
        """Two Connect clusters with one offsets topic and a connector of one name have one offset for both. Raises SharedTopic."""
        groups, unseen = groups_of_workers(self._kafka)
        self._check_all_are_seen(unseen, "another Connect cluster has a connector %s, with offsets on %s, too," % (name, topic))
        namesakes = {other for other, (work, _addresses) in groups.items() if name in work}
        theirs = groups_asked(self._rest, groups, self._group)
        if not theirs and len(namesakes) == 1:
            return  # whose addresses are not those that REST tells
        others = namesakes - theirs
        if others and may_share(self._logs, name, topic, {other: groups[other][0] for other in others}):
            raise errors.SharedTopic(
                "The Connect clusters %s each have a connector %s, and it is not known that they keep its offsets on different topics: a change on %s "
                "would be one for both. Give one of the clusters an offset.storage.topic of its own, or one of the connectors another name. If they "
                "have topics of their own, use force: true."
                % (" and ".join(sorted(namesakes | theirs)), name, topic))

    def _check_all_are_seen(self, unseen, what) -> None:
        """unseen: groups of Connect workers that rebalance all the time. Raises MethodError: what goes by REST goes on, with a warning."""
        others = [group for group in unseen if group != self._group]
        if others:
            raise errors.MethodError(
                "Whether %s is not known: the brokers at %s do not show what the Connect workers of the group %s have, as it has been rebalancing for some "
                "time. Run this again when it is stable. If they keep their offsets on another topic, use force: true."
                % (what, self._kafka.brokers, " and of the group ".join(others)))

    # ---- one that is looked for ------------------------------------------------------------------------------------

    def find(self) -> str:
        """The worker's offsets topic by its content: it has the offsets that REST shows. Raises MethodError."""
        if self._rest is None:
            raise errors.MethodError("Without kafka_connect_url the offsets topic cannot be determined. " + _HINT)
        if self._logs.proven:
            return self._logs.proven
        candidates = [topic.name for topic in self._kafka.admin.offset_topics()]
        return self._twice(lambda: self._find(candidates))

    def _find(self, candidates) -> str:
        logs = {}
        for topic in candidates:
            with contextlib.suppress(errors.NotOffsetsTopic, errors.BrokerDenied):
                logs[topic] = self._logs.read(topic)
        known = self._known(logs.values()) if logs else {}
        proven = [topic for topic, log in logs.items() if _proves(known, log)]
        if len(proven) == 1:
            self._logs.proven = proven[0]
            return proven[0]
        raise errors.MethodError(
            "Which topic the worker at %s keeps its offsets in cannot be determined: %s on the Kafka cluster at %s. %s" % (
                self._rest.url, "%s hold what it shows" % ", ".join(proven) if proven else
                "none of %s holds offsets that it shows" % (", ".join(candidates) or "its topics"), self._kafka.brokers, _HINT))

    # ---- what REST shows -------------------------------------------------------------------------------------------

    def _shown(self, name):
        """The canonical partitions that REST lists with an offset; None where it cannot."""
        try:
            return self._listed(name)
        except errors.RestError:
            return None

    def _listed(self, name) -> set:
        return {canonical(item.get("partition")) for item in self._rest.offsets(name) if item.get("offset") is not None}

    def _known(self, logs) -> dict:
        """connector -> the canonical partitions that REST lists, None where the worker is too old to list them. Asked once. logs: of the candidates."""
        if self._logs.known is None:
            self._logs.known = self._ask(logs)
        return self._logs.known

    def _ask(self, logs) -> dict:
        """Of a few connectors: first of those that have a record on a candidate, so that a thousand idle ones are not asked for one by one."""
        ours = set()
        for name, parts in self._rest.connectors().items():
            info = parts.get("info") or {}
            if info.get("type") != SINK and not (info.get("config") or {}).get("offsets.storage.topic"):
                ours.add(name)
        there = set().union(*(log.among(ours) for log in logs))
        known, hanging = {}, 0
        for name in sorted(there) + sorted(ours - there)[:_PROOFS]:
            try:
                listed = self._listed(name)
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


def same_cluster(rest, kafka) -> None:
    """Raises MethodError. Brokers of another cluster than the worker's would give, and take, the wrong connector's offsets."""
    theirs = rest.root().get("kafka_cluster_id")
    if theirs and theirs != kafka.cluster_id:
        raise errors.MethodError(
            "The brokers at %s are those of the Kafka cluster %s, but the worker at %s belongs to the Kafka cluster %s."
            % (kafka.brokers, kafka.cluster_id, rest.url, theirs))


def may_share(logs, name, topic, groups) -> bool:
    """May workers of other groups keep the offsets of this connector on the topic, too? groups: group -> its connectors, this one among them.

    They do not where there are as many further offsets topics that have records of it, or of connectors of theirs that are not on this
    topic. One that is on both may have an offsets topic of its own, which its worker writes beside the shared one (KIP-618).
    """
    telling = set().union(*groups.values())
    telling -= logs.read(topic).among(telling - {name})
    homes = 0
    for other in logs.source.kafka.admin.offset_topics():
        if other.name == topic:
            continue
        try:
            homes += bool(logs.read(other.name).among(telling))
        except (errors.NotOffsetsTopic, errors.BrokerDenied, errors.NoTopic):
            pass
    return homes < len(groups)


def _servers(text: str) -> set:
    return {server.strip() for server in text.split(",")}


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


def _proves(known, log) -> bool:
    held = log.decoded()
    if any(listed is not None and not listed <= held.live_keys(name) for name, listed in known.items()):
        return False
    return any(held.live_keys(name) for name in known)
