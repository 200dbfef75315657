# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which flows of MirrorMaker a target cluster has, and what their connectors have stored: on Connect workers, or in dedicated mode.

Both kinds have mirrors() -> [Mirror], stored(mirror) -> Held and nodes(mirror) -> [words].
"""

from __future__ import annotations

from collections import Counter, namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SOURCE as KIND
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.config_topic import configs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import (
    CLUSTER,
    SOURCE,
    Flow,
    configs_topic,
    dedicated_source,
    is_partition,
    role_of,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.lag import Stored
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.connect_groups import workers_at
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import RestStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic_discovery import TopicDiscovery, same_cluster

CONNECT, DEDICATED = "connect", "dedicated"
REST, TOPIC = "rest", "topic"

#: a MirrorSource connector; offset_topic: where a dedicated one keeps its offsets
Mirror = namedtuple("Mirror", ["connector", "flow", "mode", "state", "offset_topic"])
#: entries: [Stored]; reason: why the offsets topic was not read
Held = namedtuple("Held", ["entries", "offset_topic", "method", "reason"])


class OnConnect:
    """The connectors of a Connect cluster. warn: takes a text."""

    def __init__(self, rest, kafka, offset_topic, warn):
        self._rest = rest
        self._kafka = kafka
        self._logs = OffsetLogs(KafkaLogs(kafka), once=True) if kafka is not None else None
        self._discovery = TopicDiscovery(rest, self._logs, offset_topic, for_change=False) if kafka is not None else None
        self._warn = warn
        self._shared_topic = None
        #: why that is not known
        self._unknown = None
        #: the brokers give no answer
        self.away = None

    def mirrors(self, name=None) -> list:
        """All of them, or that one. Raises NoConnector, DeclarationError; MethodError where the brokers are not those of the target."""
        if self._kafka is not None:
            try:
                same_cluster(self._rest, self._kafka)
            except errors.BrokersUnreachable as error:  # REST can do without them
                self.away = self._unknown = error
                self._warn(error.message)
        found = []
        known = self._rest.connectors() if name is None else {name: {"status": self._rest.status(name), "info": self._rest.info(name)}}
        for connector, parts in sorted(known.items()):
            config = (parts.get("info") or {}).get("config") or {}
            role = role_of(config)
            if role == SOURCE:
                state = ((parts.get("status") or {}).get("connector") or {}).get("state")
                found.append(Mirror(connector, Flow(config), CONNECT, state, None))
            elif name is not None:
                raise errors.DeclarationError("%s is no MirrorSourceConnector: its connector.class is %s." % (name, config.get("connector.class")))
        return found

    def stored(self, mirror) -> Held:
        """Raises RestError, BrokersUnreachable."""
        if self._logs is None:
            return self._by_rest(mirror, "no brokers are given")
        try:
            return _by_topic(self._logs, mirror.connector, self._topics(mirror), self._warn)
        except (errors.BrokerError, errors.MethodError, errors.NotOffsetsTopic) as error:
            if isinstance(error, errors.BrokerDenied):
                self._warn(error.message)
            return self._by_rest(mirror, error.message)

    def nodes(self, mirror):
        """None: the state of the connector tells it."""
        return None

    def _topics(self, mirror) -> list:
        if mirror.flow.config.get("offsets.storage.topic"):
            return self._discovery.topics_of(mirror.connector, mirror.flow.config)
        return [self._shared()]

    def _shared(self) -> str:
        """The workers' topic, looked for once. Raises MethodError, BrokerError."""
        if self._unknown is not None:
            raise self._unknown
        if self._shared_topic is None:
            try:
                self._shared_topic = self._discovery.topics_of("")[0]
            except (errors.BrokerError, errors.MethodError, errors.NotOffsetsTopic) as error:
                self._unknown = error
                raise
        return self._shared_topic

    def _by_rest(self, mirror, reason) -> Held:
        snapshot = RestStore(self._rest, mirror.connector, KIND).read()
        return Held(_entries(snapshot, {}), None, REST, reason)


class Dedicated:
    """The nodes of a dedicated MirrorMaker have no REST: all is on topics of the target cluster."""

    def __init__(self, kafka, offset_topic, warn):
        self._kafka = kafka
        self._offset_topic = offset_topic
        self._logs = OffsetLogs(KafkaLogs(kafka), once=True)
        self._warn = warn

    def mirrors(self, name=None) -> list:
        """Raises NoTopic, NotOffsetsTopic, BrokerError, DeclarationError."""
        topics = [self._offset_topic] if self._offset_topic else [topic.name for topic in self._kafka.admin.topics() if dedicated_source(topic.name)]
        found = []
        for topic in topics:
            alias = dedicated_source(topic)
            found += self._configured(topic, alias) if alias else self._recorded(topic)
        if name is None:
            if not topics:
                self._warn("There is no topic mm2-offsets.ALIAS.internal on the Kafka cluster at %s, where a dedicated MirrorMaker keeps its positions. "
                           "Are these the brokers of its target?" % self._kafka.brokers)
            return found
        if not any(mirror.connector == name for mirror in found):
            raise errors.DeclarationError("There is no MirrorSourceConnector %s with offsets on %s of the Kafka cluster at %s." % (
                name, ", ".join(topics) or "a topic mm2-offsets.ALIAS.internal", self._kafka.brokers))
        return [mirror for mirror in found if mirror.connector == name]

    def _configured(self, topic, alias) -> list:
        try:
            known = configs(self._kafka, configs_topic(alias))
        except errors.BrokersUnreachable:
            raise
        except errors.BrokerError as error:
            self._warn("How the mirror of %s is configured is not known, so neither are the names of its copies, nor which topics it replicates. %s"
                       % (alias, error.message))
            known = {}
        flows = {connector: Flow(config, alias) for connector, config in sorted(known.items()) if role_of(config) == SOURCE}
        if not flows and (not known or self._logs.read(topic).decoded().of(SOURCE)):
            return [Mirror(SOURCE, Flow({}, alias), DEDICATED, None, topic)]
        return [Mirror(connector, flow, DEDICATED, None, topic) for connector, flow in flows.items()
                if flow.enabled or self._logs.read(topic).decoded().of(connector)]

    def _recorded(self, topic) -> list:
        """By what it has stored, where the name of the topic does not tell the source."""
        found = []
        for connector, held in sorted(self._logs.read(topic).decoded().connectors.items()):
            aliases = Counter(one.partition[CLUSTER] for one in held.values() if is_partition(one.partition) and one.shown)
            if aliases:
                found.append(Mirror(connector, Flow({}, str(aliases.most_common(1)[0][0])), DEDICATED, None, topic))
        return found

    def stored(self, mirror) -> Held:
        """Raises NoTopic, NotOffsetsTopic, BrokerError."""
        return _by_topic(self._logs, mirror.connector, [mirror.offset_topic], self._warn)

    def nodes(self, mirror):
        """Who runs it, as the brokers know it; None where they do not tell."""
        try:
            found = workers_at(self._kafka, mirror.connector, tasks_only=False)
            if not found:
                self._check_group_may_be_seen(mirror.flow.source)
            return found
        except errors.BrokerError as error:
            self._warn("Whether nodes of MirrorMaker run could not be seen from the brokers. %s" % error.message)
            return None

    def _check_group_may_be_seen(self, source) -> None:
        """Raises BrokerDenied: a list of groups leaves out, without an error, those that the user may not Describe.

        See org.apache.kafka.connect.mirror.MirrorMakerConfig#workerConfig for the name.
        """
        try:
            self._kafka.groups.group("%s-mm2" % source)
        except errors.BrokerDenied:
            raise
        except errors.BrokerError:  # not a group of consumers: it may be seen
            pass


def _by_topic(logs, connector, topics, warn) -> Held:
    store = TopicStore(logs, connector, topics)
    snapshot = store.read()
    for text in store.warnings_about(snapshot):
        warn(text)
    times = {key: one.shown.time for key, one in store.held().items() if one.shown}
    return Held(_entries(snapshot, times), topics[0], TOPIC, None)


def _entries(snapshot, times) -> list:
    """times: {canonical partition: when it was stored}."""
    found = {**snapshot.unreadable, **snapshot.entries}
    return [Stored(entry.partition, entry.offset, times.get(key)) for key, entry in sorted(found.items())]
