# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the brokers know of a sink: its consumer group, who is in it, and the log that it reads.

A place is (topic, number of the partition). What its configuration says is in _core.sink_config.
"""

from __future__ import annotations

import contextlib
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import OFFSET, PARTITION, TOPIC, Entry, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_config import SinkConfig
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import and_more, told

_PAUSE = 0.5
_SHOWN = 3


def place_of(partition: dict) -> tuple:
    return partition[TOPIC], partition[PARTITION]


def entry_of(place, offset) -> Entry:
    return Entry({TOPIC: place[0], PARTITION: place[1]}, None if offset is None else {OFFSET: offset})


class Sink:
    """One sink, as the brokers see it."""

    def __init__(self, kafka, settings: SinkConfig, workers_cluster=None):
        """workers_cluster: id of the Kafka cluster that the workers use, None where they are not asked."""
        self.kafka = kafka
        self.name = settings.name
        self.settings = settings
        self.config = settings.config
        self.group = settings.group
        self._workers_cluster = workers_cluster

    @property
    def is_elsewhere(self) -> bool:
        """Does it read from other brokers than those that are asked here? Raises BrokerError."""
        return not self._is_here(self.settings.consumer_brokers)

    @property
    def is_seen_by_rest(self) -> bool:
        """Do its consumer and Connect's admin client certainly go to one Kafka cluster, though their settings differ? Raises BrokerError."""
        return self._is_here(self.settings.consumer_brokers) and self._is_here(self.settings.admin_brokers)

    def _is_here(self, brokers) -> bool:
        """brokers: those of an override; none: those of the workers."""
        return self.kafka.has(brokers) if brokers else self._workers_cluster in (None, self.kafka.cluster_id)

    def why_elsewhere(self) -> str:
        where = self.settings.consumer_brokers
        return "%s reads from %s, and not from the brokers at %s" % (
            self.name, "%s (consumer.override.bootstrap.servers)" % ", ".join(sorted(where)) if where else
            "the Kafka cluster %s of its workers" % self._workers_cluster, self.kafka.brokers)

    # ---- the group -----------------------------------------------------------------------------------------------

    def live(self) -> dict:
        """{place: the offset that is committed}"""
        return self.kafka.groups.group_offsets(self.group)

    def may_have_a_group(self) -> bool:
        """False where the brokers were asked for all groups (see _change.shared_clients.SharedGroups), and show none of this name."""
        listed = getattr(self.kafka.groups, "listed", None)
        return listed is None or listed(self.group)

    def members(self) -> list:
        return self.kafka.groups.group(self.group).members

    def told(self, members) -> str:
        """Who they are, in words."""
        return and_more([
            "%s at %s%s%s" % (one.client_id, one.host, " (%s)" % told(one.places) if one.places else "",
                              ", static member %s" % one.instance_id if one.instance_id else "")
            for one in members], _SHOWN)

    def await_free(self, seconds: float, sleep=time.sleep, clock=time.monotonic) -> None:
        """Until the group has no members: Kafka takes no offsets before. Raises StateError, which names them."""
        end = clock() + seconds
        while True:
            members = self.members()
            if not members:
                return
            if clock() > end:
                raise self.in_use(members, "%g s after nothing of %s should run any more, its" % (seconds, self.name))
            sleep(_PAUSE)

    def foreign_members(self, members) -> list:
        """Members that are no tasks of it. [] where its tasks cannot be told by their client ids, which can be configured."""
        own = [one for one in members if self._is_own(one)]
        return [one for one in members if not self._is_own(one)] if own else []

    def _is_own(self, member) -> bool:
        return member.client_id.startswith("connector-consumer-%s-" % self.name)

    def in_use(self, members, since="The") -> errors.StateError:
        own = any(self._is_own(one) for one in members)
        hint = ("Tasks of a connector of this name run, maybe on another Connect cluster" if own else
                "They are no tasks of %s by their client ids: stop these consumers, or give them a group of their own" % self.name)
        static = any(one.instance_id for one in members)
        if static or own:
            hint += ". %s stays in the group until its session time-out is over (session.timeout.ms, %s): wait that long" % (
                "A static member (group.instance.id) that has ended" if static else "A task that ended while its worker or the brokers were away",
                self.settings.session_timeout)
        return errors.StateError(
            "%s consumer group %s has %d member%s, and Kafka takes no offsets for it from anybody else: %s. %s." % (
                since, self.group, len(members), "" if len(members) == 1 else "s", self.told(members), hint),
            consumer_group=self.group, members=[one._asdict() for one in members])

    # ---- the log that it reads -----------------------------------------------------------------------------------

    def topics(self):
        """The names of the topics that it reads by its configuration; None where that does not tell."""
        if self.settings.listed:
            return self.settings.listed
        pattern = self.settings.pattern()
        return None if pattern is None else {topic.name for topic in self.kafka.admin.topics() if pattern.fullmatch(topic.name)}

    def counts(self, topics) -> dict:
        """{topic: how many partitions it has, None where there is none to see}"""
        return self.kafka.admin.partition_counts(topics)

    def check_may_see(self, topic) -> None:
        """Raises BrokerDenied, which names the permission."""
        with contextlib.suppress(errors.NoTopic):
            self.kafka.admin.topic(topic)

    def check_sees_all(self) -> None:
        """Kafka leaves out of a group's offsets those for topics that the user may not see. Raises BrokerDenied if the sink reads such a topic."""
        for name in sorted(name for name, count in self.counts(self.settings.listed).items() if count is None):
            self.check_may_see(name)


def check_rest_sees(settings: SinkConfig, sink) -> None:
    """Raises WrongGroup where Connect's admin client may go to the group of that name on other brokers than the sink's. sink: None without brokers."""
    apart = settings.apart()
    if apart and not (sink is not None and sink.is_seen_by_rest):
        raise errors.WrongGroup("%s, or give as kafka_bootstrap_servers those from which it reads." % apart)


def sink_left(sink: Sink, topic: str):
    """That the group of a sink is what is left of a connector that is gone, and not records on the offsets topic; None if there is none, or none to see."""
    try:
        live = sink.live() if sink.may_have_a_group() else {}
    except errors.BrokerError:  # to see groups is a permission of its own
        return None
    if not live:
        return None
    return ("There is no connector %s and no offset of it on %s, but the consumer group %s has offsets of %s: it was a sink. Use method: group (or auto) for "
            "these." % (sink.name, topic, sink.group, counted(live)))
