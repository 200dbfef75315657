# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A replication flow of MirrorMaker 2: what its connector's configuration says of aliases, topics and their names. Pure.

See org.apache.kafka.connect.mirror: MirrorSourceConnector#shouldReplicateTopic, DefaultTopicFilter, DefaultReplicationPolicy,
IdentityReplicationPolicy.
"""

from __future__ import annotations

import re
import warnings

SOURCE, CHECKPOINT, HEARTBEAT = "MirrorSourceConnector", "MirrorCheckpointConnector", "MirrorHeartbeatConnector"
HEARTBEATS = "heartbeats"

#: fields of a source partition and of its offset
CLUSTER, TOPIC, PARTITION, OFFSET = "cluster", "topic", "partition", "offset"

_EXCLUDED = r".*[\-\.]internal, .*\.replica, __.*"
_DEDICATED = re.compile(r"mm2-offsets\.(.+)\.internal")


def role_of(config: dict):
    """SOURCE, CHECKPOINT or HEARTBEAT by connector.class, of which Connect also takes the last part alone; else None."""
    name = (config.get("connector.class") or "").rsplit(".", 1)[-1]
    for role in (SOURCE, CHECKPOINT, HEARTBEAT):
        if name in (role, role[:-len("Connector")]):
            return role
    return None


def dedicated_source(offset_topic):
    """The source's alias, if that is where a dedicated MirrorMaker keeps its offsets; else None."""
    match = _DEDICATED.fullmatch(offset_topic or "")
    return match and match.group(1)


def configs_topic(source: str) -> str:
    """Where a dedicated MirrorMaker keeps the configurations of its connectors, on the target."""
    return "mm2-configs.%s.internal" % source


def is_partition(partition) -> bool:
    """Has it the fields of a partition of MirrorSource?"""
    return isinstance(partition, dict) and len(partition) == 3 and set(partition) == {CLUSTER, TOPIC, PARTITION}


class Flow:
    """source -> target.

    config: of the MirrorSource connector; {} where it is not known: then nothing is known of its topics' names but the aliases.
    """

    def __init__(self, config: dict, source=None, target=None):
        self.config = config
        self.source = source or config.get("source.cluster.alias") or "source"
        self.target = target or config.get("target.cluster.alias") or ("target" if config else None)
        policy = (config.get("replication.policy.class") or "DefaultReplicationPolicy").rsplit(".", 1)[-1]
        #: identity, default, or None for a policy that is not Kafka's
        self.policy = {"DefaultReplicationPolicy": "default", "IdentityReplicationPolicy": "identity"}.get(policy) if config else None
        self.separator = config.get("replication.policy.separator") or "."
        inner = config.get("replication.policy.internal.topic.separator.enabled")
        self._inner = "." if (inner or "").lower() == "false" else self.separator

    def __str__(self) -> str:
        return "%s->%s" % (self.source, self.target or "?")

    # ---- names -------------------------------------------------------------------------------------------------

    @property
    def checkpoints(self) -> str:
        """On the target."""
        return self._inner.join((self.source, "checkpoints", "internal"))

    @property
    def syncs_at(self) -> str:
        """Which cluster has the offset-syncs: source or target."""
        return "target" if (self.config.get("offset-syncs.topic.location") or "").lower() == "target" else "source"

    @property
    def syncs(self):
        """The offset-syncs topic; None where nobody knows."""
        other = self.source if self.syncs_at == "target" else self.target
        return None if other is None else self._inner.join(("mm2-offset-syncs", other, "internal"))

    def copy_of(self, topic: str):
        """A source topic's name on the target; None where nobody knows."""
        if self.policy is None:
            return None
        return topic if self.policy == "identity" and not topic.endswith(HEARTBEATS) else self.source + self.separator + topic

    # ---- what it replicates ------------------------------------------------------------------------------------

    @property
    def selects(self) -> bool:
        """Is it known which topics it replicates: are policy and filter Kafka's own?"""
        return self.policy is not None and (self.config.get("topic.filter.class") or "DefaultTopicFilter").endswith("DefaultTopicFilter")

    @property
    def enabled(self) -> bool:
        """Does it replicate at all? A dedicated MirrorMaker has connectors for the other direction, too."""
        return (self.config.get("enabled") or "true").lower() != "false"

    def leaves_out(self, topic: str):
        """Why the source's topic is not replicated, in words; None if it is, or if nobody knows."""
        if not self.selects:
            return None
        if self._is_internal(topic):
            return "it is an internal one"
        if self._is_cycle(topic):
            return "it is itself a copy of %s's" % self.target
        beat = self.is_heartbeats(topic)
        if beat and (self.config.get("heartbeats.replication.enabled") or "true").lower() != "false":
            return None
        if not self._matches(self.config.get("topics", ".*"), topic, unknown=True):
            return "heartbeats.replication.enabled is false" if beat else "topics is %s" % self.config.get("topics", ".*")
        excluded = self.config.get("topics.exclude", self.config.get("topics.blacklist", _EXCLUDED))
        if self._matches(excluded, topic, unknown=False):
            return "topics.exclude is %s" % excluded
        return None

    def is_heartbeats(self, topic: str) -> bool:
        """Are its records MirrorMaker's heartbeats, or copies of them?"""
        return self._original(topic) == HEARTBEATS

    def _matches(self, patterns: str, topic: str, unknown: bool) -> bool:
        """unknown: the answer where Java's pattern is none of Python's."""
        patterns = [pattern.strip() for pattern in patterns.split(",") if pattern.strip()]
        if not patterns:
            return False
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)  # what Java reads as sets
            try:
                return re.fullmatch("|".join(patterns), topic) is not None
            except (re.error, FutureWarning):
                return unknown

    def _is_internal(self, topic: str) -> bool:
        return topic.startswith(("__", ".")) or topic.endswith((self._inner + "internal", "-internal", ".internal"))

    def _origin(self, topic: str):
        """(alias of the cluster that the topic is a copy of, its name there), None for a topic of its own."""
        if self.policy == "identity" and not topic.endswith(HEARTBEATS):
            return None  # nobody can tell, and Kafka does not, either
        alias, separator, rest = topic.partition(self.separator)
        return (alias, rest) if separator and rest else None

    def _original(self, topic: str) -> str:
        while self._origin(topic):
            topic = self._origin(topic)[1]
        return topic

    def _is_cycle(self, topic: str) -> bool:
        origin = self._origin(topic)
        while origin and origin[0] != self.target:
            origin = self._origin(origin[1])
        return origin is not None

    # ---- its consumer ------------------------------------------------------------------------------------------

    def consumer(self, name: str):
        """A setting of the consumer that reads the source; None for Kafka's own default."""
        for prefix in ("source.consumer.", "consumer."):
            if self.config.get(prefix + name):
                return self.config[prefix + name]
        return None

    @property
    def committed(self) -> bool:
        """Does it leave out records of transactions that are open or were aborted?"""
        return (self.consumer("isolation.level") or "").lower() == "read_committed"

    @property
    def begins_at_the_end(self) -> bool:
        """Does a partition without an offset begin at its end (Connect 3.6.2 and later)?"""
        return (self.consumer("auto.offset.reset") or "earliest").lower() != "earliest"
