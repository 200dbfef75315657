# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""How the offsets of one connector can be reached: the clients and options that are given, and the stores that they open."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.standalone_process import workers_with
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_config import SinkConfig
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.source_clusters import SourceClusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.connect_groups import check_groups_are_shown, groups_with, workers_at
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import RestStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import Sink

#: a store is imported when it is opened: most tasks need one of them, and each costs time
AUTO, REST, TOPIC, GROUP, FILE, STRIMZI = METHODS = ["auto", "rest", "topic", "group", "file", "strimzi"]


def cluster_facts(rest, kafka) -> dict:
    """What tells the cluster of a document or a backup apart; no credentials. rest, kafka: the clients, None if there is none."""
    return {"connect_url": rest.url if rest is not None else None,
            "kafka_cluster_id": rest.root().get("kafka_cluster_id") if rest is not None else kafka and kafka.cluster_id}


def _logs_of(kafka, path=None):
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import logs_of
    return logs_of(kafka, path)


class Access:
    """One connector's. Every ``found`` is the Connector, None where there is none, or no worker that could be asked."""

    def __init__(self, rest, name: str, kafka=None, method=AUTO, offset_topic=None, raw_keys=None, key_order=None, connect_group=None,
                 consumer_group=None, force=False, accept_duplicates=False, sources=None, offset_file=None, logs=None, config=None, for_change=True,
                 profiles=BUILT_IN, sleep=None):
        """rest: ConnectClient or None; with StrimziClient the method is strimzi. kafka: KafkaClient or None. method: one of METHODS.

        consumer_group: of a sink, where neither its configuration nor its name tell. force: offsets of a sink or of MirrorMaker may be outside of
        the log. accept_duplicates: MirrorMaker may copy records again. sources: SourceClusters, for MirrorMaker. offset_file: path of a standalone
        worker's file. logs: OffsetLogs, where several connectors have them together. config: the connector's, where it is known already.
        for_change: False where offsets are only shown: a doubtful topic is a warning then. profiles: Catalog of what
        connectors store.

        Raises DeclarationError where the method lacks what it needs.
        """
        self.rest, self.kafka, self.name = rest, kafka, name
        self.method = STRIMZI if getattr(rest, "method", REST) == STRIMZI else FILE if offset_file and method == AUTO else method
        self.offset_topic = offset_topic
        self.raw_keys = raw_keys or []
        self._key_order = [field for field in key_order or [] if field.strip()] or None
        self.connect_group = connect_group
        self.consumer_group = consumer_group or None
        self.force = force
        self.accept_duplicates = accept_duplicates
        self.sources = sources or SourceClusters()
        self.for_change = for_change
        self.profiles = profiles
        self.warnings = []
        self._sleep = {"sleep": sleep} if sleep else {}
        self._logs = logs
        self._config = config
        #: by whether there is the connector
        self._sinks = {}
        self._topic_store = None
        #: the brokers gave no answer about a sink that REST can change
        self._blind = False
        if self.method == FILE:
            self._open_file(offset_file)
        else:
            self._check(self.method)

    def _check(self, method) -> None:
        if method in (TOPIC, GROUP) and self.kafka is None:
            raise errors.DeclarationError("method: %s needs kafka_bootstrap_servers." % method)
        if method == REST and self.rest is None or self.rest is None and self.kafka is None:
            raise errors.DeclarationError("kafka_connect_url is missing%s." % (
                "" if method == REST else "; without it method: topic needs kafka_bootstrap_servers"))
        if method in (REST, STRIMZI) and self.raw_keys:
            raise errors.DeclarationError("raw_keys needs method: topic: REST has no keys.")

    def _open_file(self, path) -> None:
        if not path:
            raise errors.DeclarationError("method: file needs offset_file, or worker_config of a standalone worker.")
        self.kafka = None
        self._logs = self._logs or _logs_of(None, path)
        self.offset_topic = self._logs.source.path

    @property
    def is_file(self) -> bool:
        """Only what a worker that starts will read is changed: none may run."""
        return self.method == FILE

    @property
    def topic_is_open(self) -> bool:
        """May a method be used that needs no worker?"""
        return self.is_file or self.kafka is not None and self.method not in (REST, STRIMZI)

    @property
    def asks_worker(self) -> bool:
        """May the worker (or the operator) do it?"""
        return self.method in (AUTO, REST, STRIMZI) and not self.raw_keys

    def without_rest(self) -> None:
        """The workers cannot be reached, and need not be."""
        self.rest = None

    def warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def if_brokers_answer(self, look):
        """What look() returns, None where they do not: REST can do without them."""
        if self._blind:
            return None
        try:
            return look()
        except errors.NoTopic:
            raise
        except errors.BrokerError as error:
            self._blind = True
            self.warn("The positions of %s on the brokers could not be read. %s" % (self.name, error.message))
            return None

    # ---- the connector -------------------------------------------------------------------------------------------

    def config(self, found):
        """Its configuration, read once; None where there is none."""
        if self._config is None and found is not None:
            self._config = self.rest.info(self.name)["config"]
        return self._config

    def sink_config(self, found) -> SinkConfig:
        return SinkConfig(self.name, self.config(found), self.consumer_group)

    def sink(self, found):
        """What the brokers know of it; None without brokers."""
        if self.kafka is None:
            return None
        exists = self.config(found) is not None
        if exists not in self._sinks:
            workers_cluster = self.rest.root().get("kafka_cluster_id") if exists and self.rest is not None else None
            self._sinks[exists] = Sink(self.kafka, self.sink_config(found), workers_cluster)
        return self._sinks[exists]

    # ---- its stores ----------------------------------------------------------------------------------------------

    def worker_store(self, kind: str) -> RestStore:
        """kind: source or sink."""
        if self.method == STRIMZI:
            from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.strimzi import StrimziStore
            return StrimziStore(self.rest, self.name, kind, **self._sleep)
        return RestStore(self.rest, self.name, kind, **self._sleep)

    def group_store(self, found):
        """The GroupStore. Raises MethodError where the group is not known here, or not at these brokers."""
        sink = self.sink(found)
        if sink.is_elsewhere:
            raise errors.MethodError("%s. Its consumer group is where it reads: give those as kafka_bootstrap_servers." % sink.why_elsewhere())
        if sink.settings.why_unknown():
            raise errors.MethodError(sink.settings.why_unknown())
        self._note_cluster()
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.group import GroupStore
        return GroupStore(sink, **self._sleep)

    def topic_store(self, found, may_be_empty=False):
        """The TopicStore, of the offsets topic or the file. may_be_empty: it may have lost what REST shows. Raises MethodError where it is not known."""
        if self._topic_store is None:
            self._logs = self._logs or _logs_of(self.kafka)
            self._note_cluster()
            topics = self.topics(self.config(found), may_be_empty)
            self._topic_store = self._records_store()(self._logs, self.name, topics, self.raw_keys, self._key_order)
        return self._topic_store

    def _records_store(self):
        if self.is_file:
            from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file import FileStore
            return FileStore
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicStore
        return TopicStore

    def topics(self, config, may_be_empty=False) -> list:
        """See TopicDiscovery.topics_of()."""
        try:
            return self._discovery(self.force).topics_of(self.name, config, may_be_empty)
        except errors.MethodError as error:
            if self.for_change or may_be_empty:
                raise
            found = self._discovery(True).topics_of(self.name, config)
            self.warn(error.message)
            return found

    def _discovery(self, sure):
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic_discovery import TopicDiscovery
        return TopicDiscovery(self.rest, self._logs, self.offset_topic, self.connect_group, sure, self.for_change)

    def close_topic(self) -> None:
        """It has turned out to have nothing of this connector."""
        self._topic_store = None

    # ---- who runs it, and where ------------------------------------------------------------------------------------

    def running(self) -> list:
        """What the brokers know of workers that run this connector, in words. Raises BrokerError where they do not tell.

        If REST says that there is none, whoever has it counts: it may be another Connect cluster's. Those of another group than the one that
        is named do not, if they keep its offsets on another topic. Of a file: standalone workers on
        this machine that have it.
        """
        if self.is_file:
            return workers_with(self.offset_topic)
        found = workers_at(self.kafka, self.name, self._group_that_counts(), tasks_only=self.rest is None)
        if not found:  # or is only nothing shown?
            check_groups_are_shown(self.kafka, self.rest, self.connect_group)
        return found

    def _group_that_counts(self):
        """The one that is named, unless another one may have the connector's offsets on the same topic; None for all."""
        if not self.connect_group or self.force or self._topic_store is None:
            return self.connect_group
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic_discovery import may_share
        others = groups_with(self.kafka, self.name)
        others.pop(self.connect_group, None)
        shared = others and may_share(self._topic_store.logs, self.name, self._topic_store.topics[0], others)
        return None if shared else self.connect_group

    def _note_cluster(self) -> None:
        """While the brokers answer: a backup may have to be written when they do not any more."""
        if self.for_change:
            self.cluster()

    def cluster(self) -> dict:
        """What tells the cluster of a backup apart; no credentials."""
        if self.is_file:
            return {"connect_url": None, "kafka_cluster_id": None, "offset_file": self.offset_topic}
        if self.method == STRIMZI:
            return dict({"connect_url": None, "kafka_cluster_id": None}, **self.rest.place(self.name))
        found = cluster_facts(self.rest, self.kafka)
        if self._topic_store is not None:
            found["bootstrap_servers"] = self.kafka.brokers
            found["offset_topic"] = self._topic_store.topics[0]
        if self._sinks:
            found["bootstrap_servers"] = self.kafka.brokers
            found["consumer_group"] = self._group()
        return found

    def _group(self):
        """The consumer group of a sink, as far as the brokers are asked for it."""
        sink = self._sinks.get(True) or self._sinks.get(False)
        return sink.group if sink is not None else None

    def result(self, store) -> dict:
        """Where the offsets are by this store, for the module's result."""
        return {"resource": self.rest.place(self.name)["resource"] if self.method == STRIMZI else None,
                "offset_topic": store.topics[0] if store.method == TOPIC else None,
                "offset_file": self.offset_topic if self.is_file else None,
                "consumer_group": self._group() if store.method not in (TOPIC, FILE) else None}
