# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Kafka over confluent-kafka: what a topic is, all its records up to now, many records in one transaction.

No topic is created but by create_topic(), or loses anything but by delete_topics() and delete_records(); no consumer group is joined,
and no record is read that is not committed. The offsets of a group are changed by commit() and delete_group() alone.
"""

from __future__ import annotations

import logging
import time
import traceback
import warnings
from collections import namedtuple
from concurrent.futures import wait

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _rights as rights

try:
    from confluent_kafka import (
        Consumer,
        ConsumerGroupState,
        ConsumerGroupTopicPartitions,
        IsolationLevel,
        KafkaError,
        KafkaException,
        Producer,
        TopicCollection,
        TopicPartition,
    )
    from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic, OffsetSpec, ResourceType
except ImportError:
    KAFKA_TRACEBACK = traceback.format_exc()
else:
    KAFKA_TRACEBACK = None

#: partitions: how many; cleanup_policy: text, or None where we may not see it
Topic = namedtuple("Topic", ["name", "partitions", "cleanup_policy"])

#: id: another one for a topic that was created again under the same name; may_delete: None where the brokers do not tell
Found = namedtuple("Found", ["name", "id", "partitions", "may_delete"])

#: state: Kafka's word in capitals, None where there is no such group; members: list of Member
Group = namedtuple("Group", ["state", "members"])
#: places: [(topic, partition)] that it reads
Member = namedtuple("Member", ["client_id", "host", "places"])

#: where in the log: log() takes these, or milliseconds
EARLIEST, LATEST = "earliest", "latest"

#: seconds that a broker may hold back an answer for more data
_FETCH_WAIT_MS = 10
_BATCH = 10000
#: kilobytes of records that wait to be looked at, and how few of them make the client fetch more
_QUEUE_KBYTES = 65536
_QUEUE_RECORDS = 20000
_TRANSACTION_MS = 60000
#: a producer's second connection comes soon after its first one, and waits for this
_RECONNECT_MS = 10
#: where only the first record of each partition is wanted: so many partitions at a time, of each enough bytes for a large batch (one that
#: does not fit comes alone, in an answer of its own), and so few records at once that most of what came with the first is never looked at
_FIRST_PLACES = 100
_FIRST_BYTES = 131072
_FIRST_RECORDS = 20
_DELETED_MS = 2000
_SLICE = 1.0
_AGAIN = 0.5

#: names of errors that say that brokers are away or busy
_AWAY_NAMES = ("_TRANSPORT", "_TIMED_OUT", "_ALL_BROKERS_DOWN", "_RESOLVE", "_MSG_TIMED_OUT", "_TIMED_OUT_QUEUE", "_PURGE_QUEUE",
               "REQUEST_TIMED_OUT", "NETWORK_EXCEPTION", "COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE",
               "NOT_COORDINATOR", "LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION")


def _codes(*names) -> set:
    return set() if KAFKA_TRACEBACK else {getattr(KafkaError, name) for name in names if hasattr(KafkaError, name)}


_AWAY = _codes(*_AWAY_NAMES)
_NO_GROUP = _codes("GROUP_ID_NOT_FOUND")
#: of a commit from outside of the group, and of its deletion
_IN_USE = _codes("UNKNOWN_MEMBER_ID", "NON_EMPTY_GROUP", "ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "STALE_MEMBER_EPOCH")

_LOG = logging.getLogger("streamops.kafka_connect.librdkafka")
_LOG.addHandler(logging.NullHandler())
_LOG.propagate = False


class Fenced(errors.BrokerError):
    """Another producer with the same transactional id has taken over; nothing of this transaction was written."""


class KafkaClient:
    """One Kafka cluster. Methods raise BrokerError and its kinds; messages name the brokers and what is missing."""

    def __init__(self, settings: dict, timeout: float = 30):
        """settings: librdkafka's, with bootstrap.servers. timeout: seconds to get an answer, or without any progress."""
        self.brokers = settings["bootstrap.servers"]
        self.timeout = timeout
        self._settings = dict({"client.id": "streamops-kafka-connect"}, **settings)
        self._admin_client = None
        self._heard = None
        self._deadline = 0.0
        self._cluster_id = None
        #: (kind, name) -> what the brokers have said that the user may do there (see _rights.told)
        self._may = {}

    def close(self) -> None:
        """Let go of connections and threads."""
        self._admin_client = None  # it knows us, so it would live on with us

    # ---- looking -----------------------------------------------------------------------------------------------

    @property
    def cluster_id(self) -> str:
        if self._cluster_id is None:
            self._cluster_id = self._patiently(
                lambda: self._result("the cluster id", self._admin().describe_cluster(request_timeout=self.timeout))).cluster_id
        return self._cluster_id

    def topic(self, name: str) -> Topic:
        """Raises NoTopic, BrokerDenied. Asking does not create it."""
        described = self._patiently(lambda: self._result("the topic %s" % name, self._describe_topics([name])[name], name))
        self._note(rights.TOPIC, name, described)
        return Topic(name, len(described.partitions), self._cleanup_policies([name])[name])

    def topics(self) -> list:
        """All topics that the user may see; their cleanup policies are not asked for."""
        try:
            known = self._admin().list_topics(timeout=self.timeout).topics
        except KafkaException as error:
            raise self._failure("the list of topics", error.args[0])
        return [Topic(name, len(found.partitions), None) for name, found in sorted(known.items()) if found.error is None]

    def offset_topics(self) -> list:
        """Compacted topics that are called something with "offset", but are not Kafka's or MirrorMaker's own: a guess."""
        known = [topic for topic in self.topics()
                 if "offset" in topic.name.lower() and not topic.name.startswith(("__", "mm2-offset-syncs"))]
        policies = self._cleanup_policies([topic.name for topic in known])
        return [topic._replace(cleanup_policy=policies[topic.name]) for topic in known if policies[topic.name] in (None, "compact")]

    def connect_groups(self) -> list:
        """[(group, member's client id, metadata bytes, assignment bytes)] of all Connect workers that the brokers know."""
        with warnings.catch_warnings():
            # Deprecated, but its successor cannot read the assignments of Connect's own protocol.
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                groups = self._admin().list_groups(timeout=self.timeout)
            except KafkaException as error:
                raise self._failure("the groups of Connect workers", error.args[0])
        return [(group.id, member.client_id, member.metadata, member.assignment)
                for group in groups if group.protocol_type == "connect" for member in group.members]

    def partition_counts(self, names) -> dict:
        """{topic: how many partitions; None where there is no such topic, or the user may not see it}, in one request."""
        names = sorted(set(names))
        return self._patiently(lambda: self._partition_counts(names)) if names else {}

    def _partition_counts(self, names) -> dict:
        futures = self._admin().describe_topics(TopicCollection(names), request_timeout=self.timeout)
        found = {}
        for name, future in futures.items():
            try:
                found[name] = len(self._result("the topic %s" % name, future, name).partitions)
            except (errors.NoTopic, errors.BrokerDenied):
                found[name] = None
        return found

    def look_for(self, names) -> dict:
        """{topic: Found; None where there is no such topic}, in one request. Raises BrokerDenied."""
        names = sorted(set(names))
        return self._patiently(lambda: self._look_for(names)) if names else {}

    def _look_for(self, names) -> dict:
        futures = self._describe_topics(names)
        found = {}
        for name, future in futures.items():
            try:
                one = self._result("the topic %s" % name, future, name)
            except errors.NoTopic:
                found[name] = None
                continue
            operations = self._note(rights.TOPIC, name, one)
            found[name] = Found(name, str(one.topic_id), len(one.partitions), None if operations is None else rights.DELETE.upper() in operations)
        return found

    def _describe_topics(self, names) -> dict:
        """{name: future}, with what the user may do there."""
        return self._admin().describe_topics(TopicCollection(names), include_authorized_operations=True, request_timeout=self.timeout)

    def cleanup_policies(self, names) -> dict:
        """{topic: its cleanup.policy; None where we may not see it}"""
        return self._patiently(lambda: self._cleanup_policies(sorted(set(names))))

    def log(self, places, where, committed: bool = False) -> dict:
        """{(topic, partition): (offset, time of the record in milliseconds or None)} for EARLIEST, LATEST, or a time in milliseconds.

        By a time it is the first record of that time or later; offset None where there is none. committed: as a reader of committed
        records sees it. All places in one go, however many topics. Raises NoTopic, BrokerDenied.
        """
        places = sorted(places)
        return self._patiently(lambda: self._log(places, where, committed)) if places else {}

    def _log(self, places, where, committed) -> dict:
        spec = {EARLIEST: OffsetSpec.earliest, LATEST: OffsetSpec.latest}.get(where)
        spec = spec() if spec else OffsetSpec.for_timestamp(where)
        level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
        futures = self._admin().list_offsets({TopicPartition(*place): spec for place in places}, isolation_level=level,
                                             request_timeout=self.timeout)
        found = {}
        for place, future in futures.items():
            one = self._result("the ends of %s" % place.topic, future, place.topic)
            found[place.topic, place.partition] = (one.offset if one.offset >= 0 else None, one.timestamp if one.timestamp >= 0 else None)
        return found

    def starts(self, topic: Topic) -> dict:
        """{partition: offset of the first record that is still there}"""
        return self._numbers(topic, EARLIEST)

    def ends(self, topic: Topic) -> tuple:
        """({partition: end for a reader of committed records}, {partition: end of all records})."""
        return self._numbers(topic, LATEST), self._numbers(topic, LATEST, committed=False)

    def at(self, topic: Topic, milliseconds: int, committed: bool = True) -> dict:
        """{partition: offset of the first record of that time or later, None where there is none}"""
        return self._numbers(topic, milliseconds, committed)

    def _numbers(self, topic, where, committed=True) -> dict:
        """Of one topic, the offsets alone."""
        places = [(topic.name, number) for number in range(topic.partitions)]
        return {place[1]: offset for place, (offset, time_of_record) in self.log(places, where, committed).items()}

    def _cleanup_policies(self, names) -> dict:
        found = dict.fromkeys(names)
        if not names:
            return found
        futures = self._admin().describe_configs(
            [ConfigResource(ResourceType.TOPIC, name) for name in names], request_timeout=self.timeout)
        for resource, future in futures.items():
            try:
                found[resource.name] = future.result()["cleanup.policy"].value
            except KafkaException:  # DescribeConfigs is a permission of its own
                pass
        return found

    def broker_setting(self, name: str):
        """What the brokers have set, as text, asked of one of them; None where they do not tell."""
        try:
            broker = next(iter(self._admin().list_topics(timeout=self.timeout).brokers))
            future, = self._admin().describe_configs([ConfigResource(ResourceType.BROKER, str(broker))], request_timeout=self.timeout).values()
            self._deadline = time.monotonic() + self.timeout
            return self._result("the settings of a broker", future)[name].value
        except (KafkaException, KeyError, StopIteration, errors.BrokerError):  # DescribeConfigs on the cluster is a permission of its own
            return None

    # ---- consumer groups ---------------------------------------------------------------------------------------

    def group(self, name: str) -> Group:
        """Raises BrokerDenied."""
        what = "the consumer group %s" % name
        return self._patiently(lambda: self._group(name, what, self._admin().describe_consumer_groups(
            [name], include_authorized_operations=True, request_timeout=self.timeout)[name]))

    def _group(self, name, what, future) -> Group:
        try:
            found = self._outcome(what, future, name)
        except KafkaException as error:
            if error.args[0].code() in _NO_GROUP:
                return Group(None, [])
            raise self._failure(what, error.args[0], group=name)
        self._note(rights.GROUP, name, found)
        if found.state.name == "DEAD":
            return Group(None, [])
        return Group(found.state.name, [
            Member(member.client_id, member.host.lstrip("/"),
                   sorted((place.topic, place.partition) for place in member.assignment.topic_partitions) if member.assignment else [])
            for member in found.members])

    def idle_groups(self) -> list:
        """Names of the consumer groups without members, as far as the user may see them."""
        found = self._patiently(lambda: self._result("the consumer groups", self._admin().list_consumer_groups(
            states={ConsumerGroupState.EMPTY}, request_timeout=self.timeout)))
        return sorted(one.group_id for one in found.valid)

    def group_offsets(self, name: str) -> dict:
        """{(topic, partition): the offset that was committed}; {} where there is no such group. Raises BrokerDenied."""
        what = "the offsets of the consumer group %s" % name
        return self._patiently(lambda: self._group_offsets(name, what, self._admin().list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(name)], request_timeout=self.timeout)[name]))

    def _group_offsets(self, name, what, future) -> dict:
        try:
            found = self._outcome(what, future, name).topic_partitions or []
        except KafkaException as error:
            if error.args[0].code() in _NO_GROUP:
                return {}
            raise self._failure(what, error.args[0], group=name)
        for place in found:
            if place.error is not None:
                raise self._failure(what, place.error, place.topic, group=name)
        return {(place.topic, place.partition): place.offset for place in found if place.offset >= 0}

    def commit(self, name: str, offsets: dict) -> None:
        """Set offsets {(topic, partition): offset} of a group that has no members; others stay. No error: all of them are set.

        Each partition is taken or refused for itself. Raises GroupInUse, WriteUnsure, NoTopic, BrokerDenied, BrokerError.
        """
        what = "the offsets of the consumer group %s" % name
        wanted = [TopicPartition(topic, number, offset) for (topic, number), offset in sorted(offsets.items())]
        self._deadline = time.monotonic() + self.timeout
        future = self._admin().alter_consumer_group_offsets([ConsumerGroupTopicPartitions(name, wanted)], request_timeout=self.timeout)[name]
        try:
            done = self._outcome(what, future, name).topic_partitions
        except KafkaException as error:
            raise self._not_committed(name, what, error.args[0], "Read")
        except errors.BrokersUnreachable as error:
            raise errors.WriteUnsure(error.message, **error.facts)
        refused = [place for place in done if place.error is not None and place.error.code() != KafkaError.NO_ERROR]
        if refused:
            raise self._not_committed(name, what, refused[0].error, "Read", refused[0])

    def delete_group(self, name: str) -> None:
        """Remove all offsets of a group that has no members, and the group. No error if there is none. Raises like commit()."""
        what = "the consumer group %s to be deleted" % name
        self._deadline = time.monotonic() + self.timeout
        future = self._admin().delete_consumer_groups([name], request_timeout=self.timeout)[name]
        try:
            self._outcome(what, future, name)
        except KafkaException as error:
            if error.args[0].code() not in _NO_GROUP:
                raise self._not_committed(name, what, error.args[0], "Delete")
        except errors.BrokersUnreachable as error:
            raise errors.WriteUnsure(error.message, **error.facts)

    def _not_committed(self, name, what, error, right, place=None):
        facts = {"bootstrap_servers": self.brokers, "kafka_error": error.name()}
        if error.code() in _IN_USE:
            return errors.GroupInUse("The consumer group %s has members, so the brokers at %s take no offsets for it (%s)." % (
                name, self.brokers, error.str()), **facts)
        if error.code() in _AWAY:
            return errors.WriteUnsure("No certain answer from the Kafka brokers at %s about %s: %s." % (self.brokers, what, error.str()), **facts)
        topic = place.topic if place is not None else None
        # A commit needs the permission to read a topic, not to write to it.
        found = self._failure(what, error, topic, write=error.code() != KafkaError.TOPIC_AUTHORIZATION_FAILED, group=name, right=right)
        return found if place is None else found.also("It was refused for %s-%d." % (topic, place.partition))

    # ---- what the user may do ----------------------------------------------------------------------------------

    def lacking(self, needed) -> list:
        """The _rights.Right of those needed [(operation, kind, name)] that the user certainly lacks.

        Known from when the topics and groups were looked at. Other topics are asked for in one request; no answer is no lack.
        """
        names = {name for operation, kind, name in needed if kind == rights.TOPIC and (kind, name) not in self._may}
        if names:
            self._patiently(lambda: self._ask_what_we_may(sorted(names)))
        return rights.lacking(needed, self._may, self.brokers)

    def _ask_what_we_may(self, names) -> None:
        for name, future in self._describe_topics(names).items():
            try:
                self._note(rights.TOPIC, name, self._result("the topic %s" % name, future, name))
            except errors.BrokersUnreachable:
                raise
            except errors.BrokerError:
                self._may[rights.TOPIC, name] = None

    def _note(self, kind, name, described):
        """What the user may do there (see _rights.told), from here on known."""
        operations = described.authorized_operations
        self._may[kind, name] = rights.told(None if operations is None else [one.name for one in operations])
        return self._may[kind, name]

    def lacking_to_create(self, name: str, partitions: int, config: dict) -> list:
        """The _rights.Right to create such a topic if the user lacks it, by a request that creates nothing."""
        new = NewTopic(name, partitions, config=config)
        try:
            self._patiently(lambda: self._created(name, "the topic %s" % name, self._admin().create_topics(
                [new], validate_only=True, request_timeout=self.timeout)[name]))
        except errors.BrokerDenied:
            return [rights.Right(rights.CREATE, rights.TOPIC, name, self.brokers, "")]
        except errors.BrokerError:
            pass  # what else is wrong with it is said when it is really created
        return []

    # ---- reading -----------------------------------------------------------------------------------------------

    def read(self, topic: Topic, starts: dict, ends: dict):
        """Yield lists of committed messages from starts to ends ({partition: offset}).

        Raises BrokerError when nothing comes for ``timeout`` seconds. Each partition's end is known by its offset or by
        the broker's own "end of partition", as transaction markers take offsets, too.
        """
        left = {number for number, end in ends.items() if end > starts[number]}
        if not left:
            return
        consumer = self._consumer()
        last = {number: end - 1 for number, end in ends.items()}
        try:
            consumer.assign([TopicPartition(topic.name, number, starts[number]) for number in left])
            patience = time.monotonic() + self.timeout
            while left:
                # Many at once, but without waiting until there are many.
                batch = consumer.consume(_BATCH, 0) or [message for message in [consumer.poll(_SLICE)] if message is not None]
                found = []
                keep = found.append
                for message in batch:
                    error = message.error()
                    if error is None:
                        ahead = last[message.partition()] - message.offset()
                        if ahead >= 0:
                            keep(message)
                        if ahead <= 0:
                            left.discard(message.partition())
                    elif error.code() == KafkaError._PARTITION_EOF:
                        left.discard(message.partition())
                    else:
                        self._read_error(error, topic)
                if found:
                    yield found
                if batch:
                    patience = time.monotonic() + self.timeout
                elif time.monotonic() > patience:
                    raise self._failure("the records of %s" % topic.name, self._heard, topic.name)
        finally:
            consumer.close()

    def first_records(self, starts: dict) -> tuple:
        """The first committed record of each partition from an offset on. starts: {(topic, partition): offset}.

        Gives ({place: its time in milliseconds (None: it has none); False where there is no record}, {topic: why it cannot be read}).
        Places are missing whose offset or topic went away meanwhile. Raises BrokerError when nothing comes for ``timeout`` seconds.
        """
        found, refused, places = {}, {}, sorted(starts)
        if not places:
            return found, refused
        for begin in range(0, len(places), _FIRST_PLACES):
            some = [place for place in places[begin:begin + _FIRST_PLACES] if place[0] not in refused]
            # One that is assigned others pauses for a second. A topic that is not there was deleted, and is not about to come.
            consumer = self._consumer({"fetch.message.max.bytes": _FIRST_BYTES, "topic.metadata.propagation.max.ms": _DELETED_MS})
            try:
                consumer.assign([TopicPartition(topic, number, starts[topic, number]) for topic, number in some])
                self._first_records(consumer, set(some), found, refused)
            finally:
                consumer.close()
        return found, refused

    def _first_records(self, consumer, left, found, refused) -> None:
        patience = time.monotonic() + self.timeout
        while left:
            messages = consumer.consume(_FIRST_RECORDS, 0) or [message for message in [consumer.poll(_SLICE)] if message is not None]
            done = set()
            for message in messages:
                place, error = (message.topic(), message.partition()), message.error()
                if place in done or place not in left and error is None:
                    continue  # more than was asked for
                if error is None:
                    kind, milliseconds = message.timestamp()
                    found[place] = milliseconds if kind else None
                elif error.code() == KafkaError._PARTITION_EOF:
                    found.setdefault(place, False)
                elif error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                    refused[place[0]] = self._failure("the records of %s" % place[0], error, place[0])
                    done |= {one for one in left if one[0] == place[0]}
                elif error.code() not in (KafkaError._AUTO_OFFSET_RESET, KafkaError._UNKNOWN_PARTITION):
                    self._heard = error
                    continue
                done.add(place)
            done &= left
            left -= done
            if done:
                # So that no more of it comes: the next ones are for others.
                consumer.pause([TopicPartition(*place) for place in done])
                patience = time.monotonic() + self.timeout
            elif self._heard is not None and self._heard.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                self._heard = None
                counts = self.partition_counts(topic for topic, number in left)
                left -= {place for place in left if counts[place[0]] is None}
            elif time.monotonic() > patience:
                raise self._failure("the first records that wait", self._heard)

    def _consumer(self, more=None):
        settings = dict(self._settings, **{
            "group.id": "streamops-kafka-connect",  # demanded, never joined
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "error",
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
            "allow.auto.create.topics": False,
            "fetch.wait.max.ms": _FETCH_WAIT_MS,
            "queued.max.messages.kbytes": _QUEUE_KBYTES,
            "queued.min.messages": _QUEUE_RECORDS,
        }, **more or {})
        return self._make(Consumer, settings)

    def _read_error(self, error, topic) -> None:
        """A broker that is away for a moment is waited for. So is a group's coordinator, as no group is used."""
        self._heard = error
        if error.code() == KafkaError._AUTO_OFFSET_RESET:
            raise errors.BrokerError("Records of %s went away while it was read (%s); try again." % (topic.name, error.str()),
                                     bootstrap_servers=self.brokers)
        if error.code() in (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC,
                            KafkaError._UNKNOWN_PARTITION):
            raise self._failure("the records of %s" % topic.name, error, topic.name)

    # ---- creating ----------------------------------------------------------------------------------------------

    def create_topic(self, name: str, partitions: int, config: dict) -> None:
        """With the cluster's own replication factor (brokers of 2.4 and later). No error if it is there already.

        Returns when it can be used. Raises BrokerDenied, BrokerError.
        """
        new = NewTopic(name, partitions, config=config)
        what = "the topic %s to be created" % name
        try:
            self._patiently(lambda: self._created(name, what, self._admin().create_topics([new], request_timeout=self.timeout)[name]))
        except errors.BrokersUnreachable as error:
            raise error.also("Whether it was created is not known.")
        end = time.monotonic() + self.timeout
        while True:
            try:
                self.ends(self.topic(name))
                return
            except errors.NoTopic:  # the broker that is asked has not heard of it yet
                if time.monotonic() > end:
                    raise
            time.sleep(_SLICE / 10)

    def _created(self, name, what, future) -> None:
        try:
            self._outcome(what, future, name)
        except KafkaException as caught:
            error = caught.args[0]
            if error.code() == KafkaError.TOPIC_ALREADY_EXISTS:
                return
            if error.code() in (KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED):
                raise errors.BrokerDenied(
                    "There is no topic %s on the Kafka cluster at %s, and the brokers do not let us create it: the user needs the permission "
                    "Create on Topic %s." % (name, self.brokers, name), bootstrap_servers=self.brokers, kafka_error=error.name())
            raise self._failure(what, error, name, write=True)

    # ---- deleting ----------------------------------------------------------------------------------------------

    def delete_topics(self, names) -> None:
        """All that are there; no error for others. The brokers forget them a moment later. Raises BrokerDenied, BrokerError.

        The error's fact deleted lists those that they have taken.
        """
        self._deadline = time.monotonic() + self.timeout
        futures = self._admin().delete_topics(sorted(names), operation_timeout=self.timeout, request_timeout=self.timeout)
        self._all_of({name: (name, future) for name, future in futures.items()}, "the topic %s to be deleted", "deleted")

    def delete_records(self, places: dict) -> None:
        """Everything before {(topic, partition): offset}. Raises BrokerDenied, BrokerError."""
        self._deadline = time.monotonic() + self.timeout
        futures = self._admin().delete_records([TopicPartition(topic, number, offset) for (topic, number), offset in sorted(places.items())],
                                               operation_timeout=self.timeout, request_timeout=self.timeout)
        self._all_of({"%s-%d" % (place.topic, place.partition): (place.topic, future) for place, future in futures.items()},
                     "the records of %s to be deleted", "emptied")

    def _all_of(self, futures, what, done) -> None:
        """Wait for all, then raise the first error. futures: {in words: (topic, future)}."""
        taken, failed = [], None
        for words, (topic, future) in sorted(futures.items()):
            try:
                self._outcome(what % words, future, topic)
                taken.append(words)
            except KafkaException as error:
                if error.args[0].code() in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC):
                    continue
                failed = failed or self._not_deleted(what % words, topic, error.args[0])
            except errors.BrokersUnreachable as error:
                failed = failed or errors.WriteUnsure(error.message, **error.facts)
        if failed is not None:
            raise failed.also("Done before that: %s." % ", ".join(taken) if taken else "", **{done: taken})

    def _not_deleted(self, what, topic, error):
        facts = {"bootstrap_servers": self.brokers, "kafka_error": error.name()}
        if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
            return errors.BrokerDenied("The brokers at %s do not let us do that with the topic %s: the user needs the permission Delete on "
                                       "Topic %s." % (self.brokers, topic, topic), **facts)
        if error.code() in _AWAY:
            return errors.WriteUnsure("No certain answer from the Kafka brokers at %s about %s: %s." % (self.brokers, what, error.str()), **facts)
        return self._failure(what, error, topic, write=True)

    # ---- writing -----------------------------------------------------------------------------------------------

    def write(self, records, transactional_id: str, ready=None) -> None:
        """All records [(topic name, partition, key, value or None)] in one transaction: see Writer."""
        self.writer(transactional_id, {"queue.buffering.max.messages": 1000000}).write(records, ready)

    def writer(self, transactional_id: str, settings=None) -> Writer:
        """For several transactions one after the other. settings: librdkafka's; the user's own count more."""
        return Writer(self, transactional_id, settings or {})

    # ---- private -----------------------------------------------------------------------------------------------

    def _admin(self):
        if self._admin_client is None:
            self._admin_client = self._make(AdminClient, self._settings)
        return self._admin_client

    def _make(self, kind, settings):
        self._heard = None
        try:
            return kind(dict(settings, error_cb=self._hear), logger=_LOG)
        except (KafkaException, ValueError, TypeError) as error:
            problem = error.args[0]
            raise errors.WishError("The Kafka options cannot be used: %s." % (problem.str() if isinstance(problem, KafkaError) else problem))

    def _hear(self, error) -> None:
        """What the client tells aside; "all brokers down" says less than what came before it."""
        if error.code() != KafkaError._ALL_BROKERS_DOWN or self._heard is None:
            self._heard = error

    def _patiently(self, question):
        """The answer, asked for again while brokers are away or partitions have no leader."""
        self._deadline = time.monotonic() + self.timeout
        while True:
            try:
                return question()
            except errors.BrokersUnreachable:
                if time.monotonic() + _AGAIN > self._deadline:
                    raise
            self._admin_client = None  # it would go on with what it knows of leaders and their epochs
            time.sleep(_AGAIN)

    def _result(self, what, future, topic=None):
        """What an administrative question gives. Raises errors of ours."""
        try:
            return self._outcome(what, future, topic)
        except KafkaException as error:
            raise self._failure(what, error.args[0], topic)

    def _outcome(self, what, future, topic):
        """Waited for in slices, as a refused login would never end the wait."""
        while not wait([future], _SLICE / 10).done:
            self._admin().poll(0)  # lets _hear() be called
            if self._heard is not None and self._heard.code() in (KafkaError._AUTHENTICATION, KafkaError._SSL):
                raise self._failure(what, self._heard, topic)
            if time.monotonic() > self._deadline:
                raise self._failure(what, self._heard, topic)
        return future.result()

    def _failure(self, what, error, topic=None, write=False, transactional_id=None, group=None, right="Describe"):
        """A KafkaError (None: silence) as one of ours. right: the one on the group that the request needs."""
        facts = {"bootstrap_servers": self.brokers, "kafka_error": error.name() if error is not None else None}
        if error is not None:
            code, text = error.code(), error.str()
            if code == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                return errors.BrokerDenied(
                    "The brokers at %s do not let us %s the topic %s: the user needs the permission %s on Topic %s."
                    % (self.brokers, "write to" if write else "read", topic, "Write" if write else "Read and Describe", topic), **facts)
            if code == KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
                return errors.BrokerDenied(
                    "The brokers at %s do not let us open a transaction: the user needs the permission Write and Describe on "
                    "TransactionalId %s." % (self.brokers, transactional_id), **facts)
            if code == KafkaError.GROUP_AUTHORIZATION_FAILED and group is not None:
                return errors.BrokerDenied(
                    "The brokers at %s do not let us %s the consumer group %s: the user needs the permission %s on Group %s."
                    % (self.brokers, {"Describe": "see", "Read": "change", "Delete": "delete"}[right], group, right, group), **facts)
            if code in (KafkaError.CLUSTER_AUTHORIZATION_FAILED, KafkaError.GROUP_AUTHORIZATION_FAILED):
                return errors.BrokerDenied("The brokers at %s do not let us see %s: %s." % (self.brokers, what, text), **facts)
            if code in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC):
                return errors.NoTopic("There is no topic %s on the Kafka cluster at %s (or the user may not see it). It was not created."
                                      % (topic, self.brokers), **facts)
            if code in (KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED, KafkaError.UNSUPPORTED_SASL_MECHANISM):
                return errors.BrokerDenied("The brokers at %s do not accept the credentials: %s." % (self.brokers, text), **facts)
            if code == KafkaError._SSL:
                return errors.BrokerError("TLS with the brokers at %s failed: %s." % (self.brokers, text), **facts)
            fenced = code in (KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH)
            if fenced or write and code not in _AWAY:
                kind = Fenced if fenced else errors.BrokerError
                return kind("The brokers at %s do not take %s: %s." % (self.brokers, what, text), **facts)
        reached = self._heard or error
        return errors.BrokersUnreachable(
            "No answer from the Kafka brokers at %s about %s within %g s%s."
            % (self.brokers, what, self.timeout, ": %s" % reached.str() if reached is not None else ""), **facts)


class Writer:
    """A transactional producer. A second one with the same transactional id fences it: it ends its transaction, or its next one.

    So what is read after the first write() has begun stays true until the last one is committed, as far as writers with this id go.
    """

    def __init__(self, client: KafkaClient, transactional_id: str, settings: dict):
        self._client = client
        self._timeout = client.timeout
        #: the one that is really used
        self.transactional_id = client._settings.get("transactional.id", transactional_id)
        self._settings = {"transaction.timeout.ms": _TRANSACTION_MS, "reconnect.backoff.ms": _RECONNECT_MS}
        for more in (settings, client._settings, {"transactional.id": self.transactional_id, "acks": "all", "linger.ms": 5}):
            self._settings.update(more)
        self._producer = None

    def write(self, records, ready=None) -> None:
        """All records [(topic name, partition, key, value or None)] in one transaction: all of them or none.

        ready: called at the first write, when an older transaction of the same id, which a killed run may have left open, has been
        ended. Raises Fenced; WriteUnsure when it is not known whether the transaction was committed. After any other error nothing
        was written. No write() may follow an error.
        """
        names = sorted({record[0] for record in records})
        what = "the records for %s" % ", ".join(names)
        producer = self._begin(names[0], ready)
        refused = []

        def delivered(error, message):
            if error is not None:
                refused.append(error)

        try:
            for topic, partition, key, value in records:
                while True:
                    try:
                        producer.produce(topic, value, key, partition, on_delivery=delivered)
                        break
                    except BufferError:
                        producer.poll(0.1)
            self._flush(producer, what, refused)
        except (KafkaException, SystemError, errors.BrokerError) as error:
            self._abort(producer)
            if not isinstance(error, errors.BrokerError):
                error = self._client._failure(what, _inside(error), ", ".join(names), write=True)
            raise error.also("The transaction was given up: nothing was changed.")
        self._commit(producer, what, names)

    def _begin(self, topic, ready):
        first = self._producer is None
        if first:
            self._producer = self._client._make(Producer, self._settings)
        try:
            if first:
                # Without a connection to a broker that it knows by its number the client waits half a second. The answer to the first
                # question comes by the connection to a bootstrap server, which it then closes.
                for _time in range(2):
                    self._producer.list_topics(topic, self._timeout)
                self._producer.init_transactions(self._timeout)
                if ready is not None:
                    ready()
            self._producer.begin_transaction()
        except KafkaException as error:
            raise self._client._failure("a transaction", error.args[0], transactional_id=self.transactional_id).also("Nothing was changed.")
        return self._producer

    def _flush(self, producer, what, refused) -> None:
        end = time.monotonic() + max(self._timeout, len(producer) / 1000.0)
        while len(producer) and not refused and time.monotonic() < end:
            producer.flush(_SLICE)
        if refused and refused[0].code() == KafkaError._PURGE_QUEUE:
            producer.commit_transaction(self._timeout)  # it cannot: it raises the reason
        if refused:
            raise KafkaException(refused[0])
        if len(producer):
            raise self._client._failure(what, self._client._heard)

    def _abort(self, producer) -> None:
        try:
            producer.abort_transaction(self._timeout)
        except (KafkaException, SystemError):
            pass  # the brokers end it themselves after _TRANSACTION_MS

    def _commit(self, producer, what, names) -> None:
        end = time.monotonic() + self._timeout
        while True:
            try:
                return producer.commit_transaction(max(_SLICE, self._timeout))
            except (KafkaException, SystemError) as caught:
                error = _inside(caught)
            if error.txn_requires_abort():
                self._abort(producer)
                raise self._client._failure(what, error, ", ".join(names), write=True).also("The transaction was given up: nothing was changed.")
            if error.fatal():
                raise self._client._failure(what, error, ", ".join(names), write=True).also(
                    "Another run with the same transactional id has taken over; nothing of this one was changed.")
            if not error.retriable() or time.monotonic() > end:
                raise errors.WriteUnsure(
                    "%s were sent to %s, but whether they are committed is not known: %s." % (
                        what[0].upper() + what[1:], self._client.brokers, error.str()),
                    bootstrap_servers=self._client.brokers, kafka_error=error.name())


def _inside(error):
    """The KafkaError of an exception. When a producer is fenced, the client raises from within a callback, as a SystemError."""
    if isinstance(error, SystemError):
        cause = error.__cause__ or error.__context__
        if not isinstance(cause, KafkaException):
            raise error
        error = cause
    return error.args[0]
