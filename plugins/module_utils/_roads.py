# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which road a change takes, and why: REST where the worker can do it, else the offsets topic where brokers are given."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import SINK
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offset_topic import topics_of, workers_at
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import RestStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicReader, TopicStore, sink_shaped

AUTO, REST, TOPIC = "auto", "rest", "topic"

#: what makes ``auto`` turn from REST to the offsets topic
TURNS = (errors.EndpointMissing, errors.RoadError, errors.AmbiguousName)


class Roads:
    """The roads to one connector's offsets."""

    def __init__(self, rest, name: str, kafka=None, method=AUTO, offset_topic=None, raw_keys=None, key_order=None, connect_group=None,
                 sleep=None):
        """rest: ConnectClient or None. kafka: KafkaClient or None. method: auto, rest or topic.

        Raises WishError where the method lacks what it needs.
        """
        self.rest = rest
        self.kafka = kafka
        self.name = name
        self.method = method
        #: in words, why this road; None before plan()
        self.reason = None
        self.warnings = []
        self._offset_topic = offset_topic
        self._raw_keys = raw_keys or []
        self._key_order = [field for field in key_order or [] if field.strip()] or None
        self._connect_group = connect_group
        self._sleep = {"sleep": sleep} if sleep else {}
        self._topic_store = None
        self._turned = False
        if method == TOPIC and kafka is None:
            raise errors.WishError("method: topic needs bootstrap_servers (or the environment variable KAFKA_BOOTSTRAP_SERVERS).")
        if method == REST and rest is None or rest is None and kafka is None:
            raise errors.WishError("connect_url is missing (or the environment variable KAFKA_CONNECT_URL)%s." % (
                "" if method == REST else "; without it method: topic needs bootstrap_servers"))
        if method == REST and self._raw_keys:
            raise errors.WishError("raw_keys needs method: topic: REST knows no keys.")

    @property
    def topic_is_open(self) -> bool:
        return self.kafka is not None and self.method != REST

    def prefer(self, road) -> None:
        """The road that a change was made by is the one to put it back by, unless another one was asked for."""
        if self.method == AUTO and (road != TOPIC or self.kafka is not None):
            self.method = road
            self.reason = "the change was made by this road"

    def plan(self, found, wish):
        """(store, plan) by the road to take. found: the Connector, None where there is none (or nobody to ask).

        Raises the reason why REST cannot do it where there is no other road.
        """
        if found is None or self.method == TOPIC or self._raw_keys or self._turned:
            return self._by_topic(found, wish)
        try:
            store = RestStore(self.rest, self.name, found.kind, **self._sleep)
            plan = make_plan(store.read(), wish)
            if plan.changed:
                store.check(plan)
            self._ask_the_topic(found)
        except TURNS as error:
            if not self.topic_is_open or found.kind == SINK:
                raise self._with_hint(error, found)
            self._turned = True
            self.reason = "REST cannot do it: " + error.message
            return self._by_topic(found, wish)
        self.reason = self.reason or ("method: rest" if self.method == REST else "REST can do it")
        return store, plan

    def _with_hint(self, error, found):
        if self.method == AUTO and found.kind != SINK:
            error.also("The offsets topic can be changed instead, if bootstrap_servers is given.")
        return error

    def _ask_the_topic(self, found) -> None:
        """Where another tool has changed a partition under other key bytes, REST shows what nobody reads, as if all was well."""
        if self.method != AUTO or self.kafka is None or found.kind == SINK:
            return
        try:
            store = self._topic(found)
            store.read()
        except (errors.BrokerError, errors.RoadError, errors.NotOffsetsTopic) as error:
            self._warn("What REST shows of %s could not be compared with the offsets topic. %s" % (self.name, error.message))
            return
        if not store.agrees_with_rest():
            raise errors.RoadError(
                "On the offsets topic are records of %s that REST would not change: %s" % (self.name, " ".join(store.told())))

    def _by_topic(self, found, wish):
        if found is not None and found.kind == SINK or sink_shaped(wish):
            raise errors.RoadError(
                "%s is a sink: its offsets are the commits of its consumer group, not records of an offsets topic. Nothing was changed."
                % self.name)
        self.reason = self.reason or self._why_topic(found)
        store = self._topic(found)
        plan = make_plan(store.read(), wish)
        if plan.changed:
            store.check(plan)
        return store, plan

    def _why_topic(self, found) -> str:
        if self.method == TOPIC:
            return "method: topic"
        if self._raw_keys:
            return "raw_keys are known to the offsets topic alone"
        return "no worker is asked" if self.rest is None else "there is no connector %s that REST could change" % self.name

    def _topic(self, found) -> TopicStore:
        if self._topic_store is None:
            reader = TopicReader(self.kafka)
            self.cluster()  # while the brokers answer: a backup may have to be written when they do not any more
            config = self.rest.info(self.name)["config"] if found is not None else None
            topics = topics_of(self.name, self.rest, reader, self._offset_topic, config, sure=bool(self._connect_group))
            self._topic_store = TopicStore(reader, self.name, topics, self._raw_keys, self._key_order)
        return self._topic_store

    def _warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def without_rest(self) -> None:
        """The workers cannot be reached, and need not be."""
        self.rest = None

    # ---- what is known besides -----------------------------------------------------------------------------------

    def running(self) -> list:
        """What the brokers know of workers that run this connector, in words; [] where they do not tell.

        If REST says that there is none, whoever has it counts: it may be another Connect cluster's.
        """
        try:
            if self._connect_group and self._connect_group not in {found[0] for found in self.kafka.connect_groups()}:
                self._warn("The brokers know no Connect workers of the group %s, so whether they run %s is not known."
                           % (self._connect_group, self.name))
            return workers_at(self.kafka, self.name, self._connect_group, tasks_only=self.rest is None)
        except errors.BrokerError as error:
            self._warn("Whether a worker runs %s could not be seen from the brokers. %s" % (self.name, error.message))
            return []

    def cluster(self) -> dict:
        """What tells the cluster of a backup apart; no credentials."""
        found = {"connect_url": self.rest.url if self.rest else None}
        if self.rest is not None:
            found["kafka_cluster_id"] = self.rest.root().get("kafka_cluster_id")
        else:
            found["kafka_cluster_id"] = self.kafka.cluster_id
        if self._topic_store is not None:
            found["bootstrap_servers"] = self.kafka.brokers
            found["offset_topic"] = self._topic_store.topics[0]
        return found

    def result(self, store) -> dict:
        """How the change was made, for the module's result."""
        return {"method_reason": self.reason, "offset_topic": store.topics[0] if store.road == TOPIC else None}
