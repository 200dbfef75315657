# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the brokers say of a topic before it is read: what is still there, and what can be read already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from verify_replay.errors import JobError, root_cause
from verify_replay.expectation import Range, Topic

RETENTION = "no longer in the log"
NOT_YET = "not in the log"
OPEN = "held back by an open transaction"


@dataclass(frozen=True)
class Unreadable:
    """Offsets [start, end) of the document that cannot be read."""

    partition: int
    start: int
    end: int
    reason: str


@dataclass(frozen=True)
class Ends:
    """Of one partition: the first offset, the end for read_committed, the end."""

    first: int
    stable: int
    end: int


@dataclass
class Log:
    """The state of a topic's log."""

    cluster_id: str
    ends: dict[int, Ends]
    #: None: the brokers did not say
    compacted: bool | None = None
    windows: dict[int, tuple[int, int]] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)


def clip(partitions: dict[int, Range], ends: dict[int, Ends]) -> tuple[dict[int, tuple[int, int]], list[Unreadable]]:
    """What of the declared ranges can be read, and what cannot. Pure."""
    windows, lost = {}, []
    for number, declared in partitions.items():
        log = ends[number]
        low = min(max(declared.start, log.first), declared.end)
        high = max(min(declared.end, log.stable), low)
        windows[number] = (low, high)
        if declared.start < low:
            lost.append(Unreadable(number, declared.start, low, RETENTION))
        if high < min(declared.end, log.end):
            lost.append(Unreadable(number, high, min(declared.end, log.end), OPEN))
        if max(high, log.end) < declared.end:
            lost.append(Unreadable(number, max(high, log.end), declared.end, NOT_YET))
    return windows, lost


class Brokers:
    """Kafka's own AdminClient in the driver's JVM, one for each cluster."""

    def __init__(self, jvm: Any, options: Callable[[str], dict[str, str]]) -> None:
        self._jvm = jvm
        self._options = options
        self._clients: dict[str, Any] = {}
        self._ids: dict[str, str] = {}

    def close(self) -> None:
        for client in self._clients.values():
            client.close(self._jvm.java.time.Duration.ofSeconds(2))

    def cluster_id(self, cluster: str) -> str:
        """Also the test whether the brokers can be reached at all."""
        if cluster not in self._ids:
            self._ids[cluster] = self._ask(cluster, "the id of the cluster", lambda client: client.describeCluster().clusterId())
        return self._ids[cluster]

    def look(self, topic: Topic) -> Log:
        """The log of a topic, with what of its ranges can be read."""
        cluster_id = self.cluster_id(topic.cluster)
        names = self._jvm.java.util.ArrayList()
        names.add(topic.topic)
        described = self._ask(topic.cluster, f"the topic {topic.topic}", lambda client: client.describeTopics(names).allTopicNames())
        there = {info.partition() for info in described[topic.topic].partitions()}
        absent = sorted(set(topic.partitions) - there)
        if absent:
            raise JobError(f"the topic {topic.topic} of cluster {topic.cluster} has no partition {absent[0]}: it has {len(there)}")
        spec = self._jvm.org.apache.kafka.clients.admin.OffsetSpec
        levels = self._jvm.org.apache.kafka.common.IsolationLevel
        first = self._offsets(topic, spec.earliest(), levels.READ_UNCOMMITTED)
        stable = self._offsets(topic, spec.latest(), levels.READ_COMMITTED)
        end = self._offsets(topic, spec.latest(), levels.READ_UNCOMMITTED)
        log = Log(cluster_id, {n: Ends(first[n], stable[n], end[n]) for n in topic.partitions}, self._compacted(topic))
        log.windows, log.unreadable = clip(topic.partitions, log.ends)
        return log

    def _offsets(self, topic: Topic, spec: Any, level: Any) -> dict[int, int]:
        asked = self._jvm.java.util.HashMap()
        pairs = {n: self._jvm.org.apache.kafka.common.TopicPartition(topic.topic, n) for n in topic.partitions}
        for pair in pairs.values():
            asked.put(pair, spec)
        options = self._jvm.org.apache.kafka.clients.admin.ListOffsetsOptions(level)
        found = self._ask(topic.cluster, f"offsets of {topic.topic}", lambda client: client.listOffsets(asked, options).all())
        return {number: found.get(pair).offset() for number, pair in pairs.items()}

    def _compacted(self, topic: Topic) -> bool | None:
        """Whether the topic is compacted; None if we may not know."""
        kinds = self._jvm.org.apache.kafka.common.config.ConfigResource
        resource = kinds(getattr(kinds, "Type").TOPIC, topic.topic)  # noqa: B009 - a nested Java class
        asked = self._jvm.java.util.ArrayList()
        asked.add(resource)
        try:
            found = self._ask(topic.cluster, "the topic's configuration", lambda client: client.describeConfigs(asked).all())
            return "compact" in found.get(resource).get("cleanup.policy").value()
        except JobError:
            return None

    def _ask(self, cluster: str, what: str, question: Callable[[Any], Any]) -> Any:
        try:
            return question(self._client(cluster)).get()
        except Exception as error:  # whatever py4j raises
            servers, login = (self._options(cluster).get(name) for name in ("bootstrap.servers", "sasl.oauthbearer.token.endpoint.url"))
            cause = root_cause(error)
            if login and cause.startswith("LoginException: "):
                raise JobError(f"the login server {login} gave no token for the cluster {cluster} ({servers}): {cause}") from error
            if "UnknownTopicOrPartition" in cause:
                raise JobError(f"{what} is not there on cluster {cluster} ({servers})") from error
            raise JobError(f"cluster {cluster} ({servers}) did not return {what}: {cause}") from error

    def _client(self, cluster: str) -> Any:
        if cluster not in self._clients:
            config = self._jvm.java.util.HashMap()
            for name, value in self._options(cluster).items():
                config.put(name, value)
            self._clients[cluster] = self._jvm.org.apache.kafka.clients.admin.AdminClient.create(config)
        return self._clients[cluster]
