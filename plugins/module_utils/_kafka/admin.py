# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Topics and their settings. No topic is created but by create_topic(), or loses anything but by delete_topics() and delete_records()."""

from __future__ import annotations

import time
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import CREATE, DELETE, TOPIC, Right
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.connection import AWAY, SLICE, confluent_kafka

#: partitions: how many. max_bytes: the largest batch of records that it takes. cleanup_policy, max_bytes: None where the brokers do not show them
Topic = namedtuple("Topic", ["name", "partitions", "cleanup_policy", "max_bytes"], defaults=[None])

#: id: another one for a topic that was created again under the same name; may_delete: None where the brokers do not say
Found = namedtuple("Found", ["name", "id", "partitions", "may_delete"])


class TopicAdmin:
    """A part of KafkaClient, which says what its methods raise."""

    def __init__(self, connection, permissions, offsets):
        """permissions, offsets: the parts of the same KafkaClient."""
        self._connection = connection
        self._permissions = permissions
        self._offsets = offsets
        #: topic -> the largest batch that it takes, of those that were looked at
        self.max_bytes = {}

    # ---- which there are -------------------------------------------------------------------------------------------

    def topic(self, name: str) -> Topic:
        """Raises NoTopic, BrokerDenied. Asking does not create it."""
        described = self._connection.patiently(
            lambda admin: self._connection.result("the topic %s" % name, self._permissions.describe_topics(admin, [name])[name], name))
        self._permissions.note(TOPIC, name, described)
        settings = self._settings(self._connection.admin(), [name])[name]
        most = settings.get("max.message.bytes")
        topic = Topic(name, len(described.partitions), settings.get("cleanup.policy"), int(most) if most else None)
        if topic.max_bytes:
            self.max_bytes[name] = topic.max_bytes
        return topic

    def topics(self) -> list:
        """All topics that the user may see; their cleanup policies are not asked for."""
        try:
            known = self._connection.admin().list_topics(timeout=self._connection.timeout).topics
        except confluent_kafka.KafkaException as error:
            raise self._connection.failure("the list of topics", error.args[0])
        return [Topic(name, len(found.partitions), None) for name, found in sorted(known.items()) if found.error is None]

    def offset_topics(self) -> list:
        """Compacted topics that are called something with "offset", but are not Kafka's or MirrorMaker's own: a guess."""
        known = [topic for topic in self.topics()
                 if "offset" in topic.name.lower() and not topic.name.startswith(("__", "mm2-offset-syncs"))]
        policies = self.cleanup_policies(topic.name for topic in known)
        return [topic._replace(cleanup_policy=policies[topic.name]) for topic in known if "compact" in (policies[topic.name] or "compact")]

    def partition_counts(self, names) -> dict:
        """{topic: how many partitions; None where there is no such topic, or the user may not see it}, in one request."""
        names = sorted(set(names))
        return self._connection.patiently(lambda admin: self._partition_counts(admin, names)) if names else {}

    def _partition_counts(self, admin, names) -> dict:
        found = {}
        for name, future in admin.describe_topics(confluent_kafka.TopicCollection(names), request_timeout=self._connection.timeout).items():
            try:
                found[name] = len(self._connection.result("the topic %s" % name, future, name).partitions)
            except (errors.NoTopic, errors.BrokerDenied):
                found[name] = None
        return found

    def look_for(self, names) -> dict:
        """{topic: Found; None where there is no such topic}, in one request. Raises BrokerDenied."""
        names = sorted(set(names))
        return self._connection.patiently(lambda admin: self._look_for(admin, names)) if names else {}

    def _look_for(self, admin, names) -> dict:
        found = {}
        for name, future in self._permissions.describe_topics(admin, names).items():
            try:
                one = self._connection.result("the topic %s" % name, future, name)
            except errors.NoTopic:
                found[name] = None
                continue
            operations = self._permissions.note(TOPIC, name, one)
            found[name] = Found(name, str(one.topic_id), len(one.partitions), None if operations is None else DELETE.upper() in operations)
        return found

    # ---- settings --------------------------------------------------------------------------------------------------

    def cleanup_policies(self, names) -> dict:
        """{topic: its cleanup.policy; None where we may not see it}"""
        return {name: settings.get("cleanup.policy") for name, settings in self.topic_settings(names).items()}

    def topic_settings(self, names) -> dict:
        """{topic: {setting: text}}; {} where we may not see them, or there is no such topic."""
        names = sorted(set(names))
        return self._connection.patiently(lambda admin: self._settings(admin, names)) if names else {}

    def _settings(self, admin, names) -> dict:
        found = {name: {} for name in names}
        for resource, future in self._describe_configs(admin, confluent_kafka.admin.ResourceType.TOPIC, names).items():
            try:
                found[resource.name] = {name: entry.value for name, entry in future.result().items()}
            except confluent_kafka.KafkaException:  # DescribeConfigs is a permission of its own
                pass
        return found

    def _describe_configs(self, admin, kind, names) -> dict:
        return admin.describe_configs([confluent_kafka.admin.ConfigResource(kind, name) for name in names], request_timeout=self._connection.timeout)

    def broker_setting(self, name: str):
        """What the brokers have set, as text, asked of one of them; None where they do not show it."""
        try:
            broker = str(next(iter(self._connection.admin().list_topics(timeout=self._connection.timeout).brokers)))
            future, = self._connection.once(
                lambda admin: self._describe_configs(admin, confluent_kafka.admin.ResourceType.BROKER, [broker])).values()
            return self._connection.result("the settings of a broker", future)[name].value
        except (confluent_kafka.KafkaException, KeyError, StopIteration, errors.BrokerError):  # DescribeConfigs on the cluster is a permission of its own
            return None

    # ---- creating --------------------------------------------------------------------------------------------------

    def create_topic(self, name: str, partitions: int, config: dict) -> None:
        """With the cluster's own replication factor (brokers of 2.4 and later). No error if it is there already.

        Returns when it can be used. Raises BrokerDenied, BrokerError.
        """
        try:
            self._create(name, partitions, config, "the topic %s to be created" % name)
        except errors.BrokersUnreachable as error:
            raise error.also("Whether it was created is not known.")
        end = time.monotonic() + self._connection.timeout
        while True:
            try:
                self._offsets.ends(self.topic(name))
                return
            except errors.NoTopic:  # the broker that is asked has not heard of it yet
                if time.monotonic() > end:
                    raise
            time.sleep(SLICE / 10)

    def missing_to_create(self, name: str, partitions: int, config: dict) -> list:
        """The _kafka.acl.Right to create such a topic if the user lacks it, by a request that creates nothing."""
        try:
            self._create(name, partitions, config, "the topic %s" % name, validate_only=True)
        except errors.BrokerDenied:
            return [Right(CREATE, TOPIC, name, self._connection.brokers, "")]
        except errors.BrokerError:
            pass  # what else is wrong with it is said when it is really created
        return []

    def _create(self, name, partitions, config, what, **more) -> None:
        new = confluent_kafka.admin.NewTopic(name, partitions, config=config)
        self._connection.patiently(
            lambda admin: self._created(name, what, admin.create_topics([new], request_timeout=self._connection.timeout, **more)[name]))

    def _created(self, name, what, future) -> None:
        kinds = confluent_kafka.KafkaError
        try:
            self._connection.outcome(what, future, name)
        except confluent_kafka.KafkaException as caught:
            error = caught.args[0]
            if error.code() == kinds.TOPIC_ALREADY_EXISTS:
                return
            if error.code() in (kinds.TOPIC_AUTHORIZATION_FAILED, kinds.CLUSTER_AUTHORIZATION_FAILED):
                raise errors.BrokerDenied(
                    "There is no topic %s on the Kafka cluster at %s, and the brokers do not let us create it: the user needs the permission "
                    "Create on Topic %s." % (name, self._connection.brokers, name), **self._connection.facts(error))
            raise self._connection.failure(what, error, name, write=True)

    # ---- deleting --------------------------------------------------------------------------------------------------

    def delete_topics(self, names) -> None:
        """All that are there; no error for others. The brokers forget them a moment later. Raises BrokerDenied, BrokerError.

        The error's fact deleted lists those that they have taken.
        """
        timeout = self._connection.timeout
        with errors.WRITES.sending():
            futures = self._connection.once(lambda admin: admin.delete_topics(sorted(names), operation_timeout=timeout, request_timeout=timeout))
            self._all_of({name: (name, future) for name, future in futures.items()}, "the topic %s to be deleted", "deleted")

    def delete_records(self, places: dict) -> None:
        """Everything before {(topic, partition): offset}. Raises BrokerDenied, BrokerError."""
        timeout = self._connection.timeout
        ends = [confluent_kafka.TopicPartition(topic, number, offset) for (topic, number), offset in sorted(places.items())]
        with errors.WRITES.sending():
            futures = self._connection.once(lambda admin: admin.delete_records(ends, operation_timeout=timeout, request_timeout=timeout))
            self._all_of({"%s-%d" % (place.topic, place.partition): (place.topic, future) for place, future in futures.items()},
                         "the records of %s to be deleted", "emptied")

    def _all_of(self, futures, what, done) -> None:
        """Wait for all, then raise the first error. futures: {in words: (topic, future)}."""
        taken, failed, kinds = [], None, confluent_kafka.KafkaError
        for words, (topic, future) in sorted(futures.items()):
            try:
                self._connection.outcome(what % words, future, topic)
                taken.append(words)
                errors.WRITES.note()
            except confluent_kafka.KafkaException as error:
                if error.args[0].code() in (kinds.UNKNOWN_TOPIC_OR_PART, kinds._UNKNOWN_TOPIC):
                    continue
                failed = failed or self._not_deleted(what % words, topic, error.args[0])
            except errors.BrokersUnreachable as error:
                failed = failed or errors.WriteOutcomeUnknown(error.message, **error.facts)
        if failed is not None:
            failed.facts[done] = taken
            raise failed.also("Done before that: %s." % ", ".join(taken)) if taken else failed

    def _not_deleted(self, what, topic, error):
        if error.code() == confluent_kafka.KafkaError.TOPIC_AUTHORIZATION_FAILED:
            return errors.BrokerDenied("The brokers at %s do not let us do that with the topic %s: the user needs the permission Delete on "
                                       "Topic %s." % (self._connection.brokers, topic, topic), **self._connection.facts(error))
        if error.code() in AWAY:
            return self._connection.uncertain(what, error)
        return self._connection.failure(what, error, topic, write=True)
