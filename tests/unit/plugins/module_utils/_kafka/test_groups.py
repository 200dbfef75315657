# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the client makes of the brokers' answers about consumer groups. The answers themselves come in the integration tests."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.groups import Group, Member

kafka = pytest.importorskip("confluent_kafka")
ERROR = kafka.KafkaError


def answered(value):
    future = Future()
    if isinstance(value, int):
        value = kafka.KafkaException(ERROR(value))
    if isinstance(value, Exception):
        future.set_exception(value)
    else:
        future.set_result(value)
    return future


def place(topic, partition, offset=-1001, error=None):
    return SimpleNamespace(topic=topic, partition=partition, offset=offset, error=error and ERROR(error))


class FakeAdmin:
    """Every question has the same answer."""

    def __init__(self, answer):
        self.answer = answer

    def poll(self, seconds):
        pass

    def describe_consumer_groups(self, names, include_authorized_operations, request_timeout):
        return {name: answered(self.answer) for name in names}

    def delete_consumer_groups(self, names, request_timeout):
        return {name: answered(self.answer) for name in names}

    def list_consumer_group_offsets(self, asked, request_timeout):
        return {one.group_id: answered(self.answer) for one in asked}

    def alter_consumer_group_offsets(self, asked, request_timeout):
        return {one.group_id: answered(self.answer) for one in asked}

    def describe_topics(self, names, request_timeout):
        return {name: answered(self.answer[name]) for name in ("a", "b")}


def client(answer):
    one = KafkaClient({"bootstrap.servers": "b:9092"}, 1)
    one._connection.admin = lambda: FakeAdmin(answer)
    return one


def described(state, *members):
    return SimpleNamespace(state=SimpleNamespace(name=state), members=members, authorized_operations=None)


def test_a_group_and_its_members():
    places = SimpleNamespace(topic_partitions=[place("t", 1), place("t", 0)])
    member = SimpleNamespace(client_id="x", host="/10.0.0.7", assignment=places, group_instance_id="pod-7")
    idle = SimpleNamespace(client_id="y", host="10.0.0.8", assignment=None, group_instance_id=None)
    assert client(described("STABLE", member, idle)).groups.group("g") == Group("STABLE", [
        Member("x", "10.0.0.7", [("t", 0), ("t", 1)], "pod-7"), Member("y", "10.0.0.8", [])])


@pytest.mark.parametrize("answer", [described("DEAD"), ERROR.GROUP_ID_NOT_FOUND])
def test_no_group(answer):
    assert client(answer).groups.group("g") == Group(None, [])


@pytest.mark.parametrize("answer, found", [
    (SimpleNamespace(topic_partitions=[place("t", 0, 5), place("t", 1)]), {("t", 0): 5}), (SimpleNamespace(topic_partitions=None), {}),
    (ERROR.GROUP_ID_NOT_FOUND, {}),
])
def test_group_offsets(answer, found):
    assert client(answer).groups.group_offsets("g") == found


@pytest.mark.parametrize("ask", [lambda one: one.groups.group("g"), lambda one: one.groups.group_offsets("g")])
def test_a_group_that_may_not_be_seen(ask):
    with pytest.raises(errors.BrokerDenied) as caught:
        ask(client(ERROR.GROUP_AUTHORIZATION_FAILED))
    assert caught.value.message == ("The brokers at b:9092 do not let us see the consumer group g: the user needs the permission "
                                    "Describe on "
                                    "Group g.")


@pytest.mark.parametrize("answer, kind, says", [
    (ERROR.UNKNOWN_MEMBER_ID, errors.GroupInUse, "The consumer group g has members, so the brokers at b:9092 take no offsets for it ("),
    (ERROR.NON_EMPTY_GROUP, errors.GroupInUse, "The consumer group g has members"),
    (ERROR.REBALANCE_IN_PROGRESS, errors.GroupInUse, "The consumer group g has members"),
    (ERROR._TIMED_OUT, errors.WriteOutcomeUnknown, "No certain answer from the Kafka brokers at b:9092 about the "),
    (ERROR.NOT_COORDINATOR, errors.WriteOutcomeUnknown, "No certain answer"),
    (ERROR.INVALID_REQUEST, errors.BrokerError, "The brokers at b:9092 do not take the "),
])
@pytest.mark.parametrize("change", [lambda one: one.groups.commit("g", {("t", 0): 1}), lambda one: one.groups.delete_group("g")])
def test_what_is_refused(answer, kind, says, change):
    with pytest.raises(kind) as caught:
        change(client(answer))
    assert caught.value.message.startswith(says) and errors.WRITES.made is (kind is errors.WriteOutcomeUnknown)


@pytest.mark.parametrize("change, does, right", [
    (lambda one: one.groups.commit("g", {("t", 0): 1}), "change", "Read"), (lambda one: one.groups.delete_group("g"), "delete", "Delete"),
    (lambda one: one.groups.group_offsets("g"), "see", "Describe")])
def test_the_right_that_is_missing(change, does, right):
    with pytest.raises(errors.BrokerDenied) as caught:
        change(client(ERROR.GROUP_AUTHORIZATION_FAILED))
    assert caught.value.message == (f"The brokers at b:9092 do not let us {does} the consumer group g: the user needs the "
                                    f"permission {right} on Group g.")


def test_a_group_that_is_gone_already():
    client(ERROR.GROUP_ID_NOT_FOUND).groups.delete_group("g")


@pytest.mark.parametrize("error, kind, says", [
    (ERROR.UNKNOWN_MEMBER_ID, errors.GroupInUse, "The consumer group g has members"),
    (ERROR.UNKNOWN_TOPIC_OR_PART, errors.NoTopic, "There is no topic t on the Kafka cluster at b:9092 (or the user may not see it)."),
    (ERROR.TOPIC_AUTHORIZATION_FAILED, errors.BrokerDenied,
     "The brokers at b:9092 do not let us read the topic t: the user needs the permission Read and Describe on Topic t."),
    (ERROR.OFFSET_METADATA_TOO_LARGE, errors.BrokerError, "The brokers at b:9092 do not take the offsets of the consumer group g: "),
])
def test_a_partition_that_is_refused(error, kind, says):
    with pytest.raises(kind) as caught:
        client(SimpleNamespace(topic_partitions=[place("t", 0, 1), place("t", 1, 1, error)])).groups.commit("g", {("t", 0): 1, ("t", 1): 1})
    assert caught.value.message.startswith(says)
    assert kind is errors.GroupInUse or caught.value.message.endswith("It was refused for t-1.")
    assert errors.WRITES.made  # t-0 was taken


def test_a_commit():
    client(SimpleNamespace(topic_partitions=[place("t", 0, 1)])).groups.commit("g", {("t", 0): 1})
    assert errors.WRITES.made


def test_a_commit_of_which_every_partition_is_refused():
    with pytest.raises(errors.GroupInUse):
        client(SimpleNamespace(topic_partitions=[place("t", 0, 1, ERROR.UNKNOWN_MEMBER_ID)])).groups.commit("g", {("t", 0): 1})
    assert not errors.WRITES.made


@pytest.mark.parametrize("addresses, found", [
    ({"b:9092"}, True), ({"x:9092", "c:9092"}, True), ({"10.0.0.7:9092"}, True), ({"host.example.com:9093"}, True),
    ({"10.0.0.7:9093"}, False), ({"x:9092"}, False), (set(), False)])
def test_brokers_of_this_cluster(addresses, found):
    one = client(None)
    one.brokers = "B:9092, c:9092"
    nodes = [SimpleNamespace(host="10.0.0.7", port=9092), SimpleNamespace(host="Host.example.com", port=9093)]
    described = SimpleNamespace(cluster_id="id", nodes=nodes)
    one._connection.admin = lambda: SimpleNamespace(poll=lambda seconds: None, describe_cluster=lambda request_timeout: answered(described))
    assert one.has(addresses) is found and one.cluster_id == "id"


def test_a_client_that_cannot_list_the_groups_of_workers():
    with pytest.raises(errors.BrokerError, match="^This version of confluent-kafka cannot list the groups of Connect workers"):
        client(None).groups.connect_groups()


def test_partition_counts():
    two = SimpleNamespace(partitions=[0, 1])
    assert client({"a": two, "b": ERROR.UNKNOWN_TOPIC_OR_PART}).admin.partition_counts(["b", "a", "a"]) == {"a": 2, "b": None}
    assert client({"a": two, "b": ERROR.TOPIC_AUTHORIZATION_FAILED}).admin.partition_counts(["a", "b"]) == {"a": 2, "b": None}
    assert client({}).admin.partition_counts([]) == {} and client({}).offsets.of([], "latest") == {}
