# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Consumer groups: who is in them, and what they have committed, which commit() and delete_group() alone change. None is ever joined."""

from __future__ import annotations

import warnings
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import GROUP
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.connection import AWAY, confluent_kafka, error_codes

#: state: Kafka's word in capitals, None where there is no such group; members: list of Member
Group = namedtuple("Group", ["state", "members"])
#: places: [(topic, partition)] that it reads; instance_id: its group.instance.id, None if it is no static member
Member = namedtuple("Member", ["client_id", "host", "places", "instance_id"], defaults=[None])

_NO_GROUP = error_codes("GROUP_ID_NOT_FOUND")
#: of a commit from outside of the group, and of its deletion
_IN_USE = error_codes("UNKNOWN_MEMBER_ID", "NON_EMPTY_GROUP", "ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "STALE_MEMBER_EPOCH")


class ConsumerGroups:
    """A part of KafkaClient, which says what its methods raise."""

    def __init__(self, connection, permissions):
        self._connection = connection
        self._permissions = permissions
        #: groups of Connect workers that did not settle, see _stores.connect_groups
        self.unstable = set()

    # ---- reading ---------------------------------------------------------------------------------------------------

    def group(self, name: str) -> Group:
        """Raises BrokerDenied."""
        what = "the consumer group %s" % name
        return self._connection.patiently(lambda admin: self._group(name, what, admin.describe_consumer_groups(
            [name], include_authorized_operations=True, request_timeout=self._connection.timeout)[name]))

    def _group(self, name, what, future) -> Group:
        found = self._if_there(name, what, future)
        if found is None:
            return Group(None, [])
        self._permissions.note(GROUP, name, found)
        if found.state.name == "DEAD":
            return Group(None, [])
        return Group(found.state.name, [
            Member(member.client_id, member.host.lstrip("/"),
                   sorted((place.topic, place.partition) for place in member.assignment.topic_partitions) if member.assignment else [],
                   member.group_instance_id or None)
            for member in found.members])

    def _if_there(self, name, what, future):
        """None where there is no such group."""
        try:
            return self._connection.outcome(what, future, name)
        except confluent_kafka.KafkaException as error:
            if error.args[0].code() in _NO_GROUP:
                return None
            raise self._connection.failure(what, error.args[0], group=name)

    def names(self, idle=False) -> list:
        """Of the consumer groups that the user may see. idle: without members."""
        what, link = "the consumer groups", self._connection
        found = link.patiently(lambda admin: link.result(what, admin.list_consumer_groups(
            states={confluent_kafka.ConsumerGroupState.EMPTY} if idle else None, request_timeout=link.timeout)))
        for error in found.errors:
            raise link.failure(what, error.args[0])
        return sorted(one.group_id for one in found.valid)

    def group_offsets(self, name: str) -> dict:
        """{(topic, partition): the offset that was committed}; {} where there is no such group. Raises BrokerDenied."""
        what = "the offsets of the consumer group %s" % name
        return self._connection.patiently(lambda admin: self._group_offsets(name, what, admin.list_consumer_group_offsets(
            [confluent_kafka.ConsumerGroupTopicPartitions(name)], request_timeout=self._connection.timeout)[name]))

    def _group_offsets(self, name, what, future) -> dict:
        found = self._if_there(name, what, future)
        places = (found.topic_partitions if found is not None else None) or []
        for place in places:
            if place.error is not None:
                raise self._connection.failure(what, place.error, place.topic, group=name)
        return {(place.topic, place.partition): place.offset for place in places if place.offset >= 0}

    def connect_groups(self) -> list:
        """[(group, member's client id, metadata bytes, assignment bytes)] of all Connect workers that the brokers show.

        They leave out, without an error, groups that the user may not Describe. Raises BrokerError.
        """
        # Deprecated, but its successors list_consumer_groups and describe_consumer_groups leave out groups of Connect's own protocol.
        ask = getattr(self._connection.admin(), "list_groups", None)
        if ask is None:
            raise errors.BrokerError("This version of confluent-kafka cannot list the groups of Connect workers (AdminClient.list_groups): install one that "
                                     "can, such as 2.16.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                groups = ask(timeout=self._connection.timeout)
            except confluent_kafka.KafkaException as error:
                raise self._connection.failure("the groups of Connect workers", error.args[0])
        return [(group.id, member.client_id, member.metadata, member.assignment)
                for group in groups if group.protocol_type == "connect" for member in group.members]

    # ---- changing --------------------------------------------------------------------------------------------------

    def commit(self, name: str, offsets: dict) -> None:
        """Set offsets {(topic, partition): offset} of a group that has no members; others stay. No error: all of them are set.

        Each partition is taken or refused for itself. Raises GroupInUse, WriteOutcomeUnknown, NoTopic, BrokerDenied, BrokerError.
        """
        what = "the offsets of the consumer group %s" % name
        wanted = [confluent_kafka.TopicPartition(topic, number, offset) for (topic, number), offset in sorted(offsets.items())]
        with errors.WRITES.sending():
            future = self._connection.once(lambda admin: admin.alter_consumer_group_offsets(
                [confluent_kafka.ConsumerGroupTopicPartitions(name, wanted)], request_timeout=self._connection.timeout))[name]
            done = self._outcome(name, what, future, "Read").topic_partitions
            refused = [place for place in done if place.error is not None and place.error.code() != confluent_kafka.KafkaError.NO_ERROR]
            if len(refused) < len(done):
                errors.WRITES.note()
            if refused:
                raise self._not_committed(name, what, refused[0].error, "Read", refused[0])

    def delete_group(self, name: str) -> None:
        """Remove all offsets of a group that has no members, and the group. No error if there is none. Raises like commit()."""
        what = "the consumer group %s to be deleted" % name
        with errors.WRITES.sending():
            future = self._connection.once(lambda admin: admin.delete_consumer_groups([name], request_timeout=self._connection.timeout))[name]
            self._outcome(name, what, future, "Delete")

    def _outcome(self, name, what, future, right):
        """None where there is no such group to delete."""
        try:
            return self._connection.outcome(what, future, name)
        except confluent_kafka.KafkaException as error:
            if right == "Delete" and error.args[0].code() in _NO_GROUP:
                return None
            raise self._not_committed(name, what, error.args[0], right)
        except errors.BrokersUnreachable as error:
            raise errors.WriteOutcomeUnknown(error.message, **error.facts)

    def _not_committed(self, name, what, error, right, place=None):
        if error.code() in _IN_USE:
            return errors.GroupInUse("The consumer group %s has members, so the brokers at %s take no offsets for it (%s)." % (
                name, self._connection.brokers, error.str()), **self._connection.facts(error))
        if error.code() in AWAY:
            return self._connection.uncertain(what, error)
        topic = place.topic if place is not None else None
        # A commit needs the permission to read a topic, not to write to it.
        write = error.code() != confluent_kafka.KafkaError.TOPIC_AUTHORIZATION_FAILED
        found = self._connection.failure(what, error, topic, write=write, group=name, right=right)
        return found if place is None else found.also("It was refused for %s-%d." % (topic, place.partition))
