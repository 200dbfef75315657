# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the brokers say that a user may do, and the refusal of what it may not. The brokers' own answers come in the integration tests."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka import acl as rights
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import CREATE, DELETE, GROUP, READ, TOPIC, WRITE, Right
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KafkaClient

ALL = ("CREATE", "DESCRIBE", "READ", "WRITE", "DELETE", "ALTER")


def lacks(operation, kind, name, about=""):
    return Right(operation, kind, name, "b:9092", about)


@pytest.mark.parametrize("names, found", [
    (None, None), ([], None), (["READ"], None), (["DESCRIBE"], {"DESCRIBE"}), (["READ", "DESCRIBE"], {"READ", "DESCRIBE"})])
def test_an_answer_without_describe_tells_nothing(names, found):
    """Whoever may not Describe has got none."""
    assert rights.told(names) == found


@pytest.mark.parametrize("known, missing", [
    ({}, []), ({(TOPIC, "t"): None}, []), ({(TOPIC, "t"): set(ALL)}, []),
    ({(GROUP, "t"): {"DESCRIBE"}}, []), ({(TOPIC, "u"): {"DESCRIBE"}}, []),
    ({(TOPIC, "t"): {"DESCRIBE", "READ"}}, [WRITE]), ({(TOPIC, "t"): {"DESCRIBE", "WRITE"}}, [READ]),
    ({(TOPIC, "t"): {"DESCRIBE"}}, [READ, WRITE])])
def test_only_what_is_certain_lacks(known, missing):
    found = rights.missing_acls([(READ, TOPIC, "t"), (WRITE, TOPIC, "t")], known, "b:9092")
    assert found == [lacks(operation, TOPIC, "t") for operation in missing]


def test_the_refusal_names_every_right_and_how_to_grant_it():
    error = rights.denied("c", [
        lacks(DELETE, GROUP, "my group"), lacks(READ, TOPIC, "a"), lacks(READ, TOPIC, "b"), lacks(WRITE, TOPIC, "l", "Of the ledger.")])
    assert isinstance(error, errors.BrokerDenied)
    assert error.message == (
        "The brokers at b:9092 do not allow the change of c: the user needs the permission Delete on Group my group, "
        "Read on Topic a, Read on Topic b, Write on Topic l. Of the ledger. "
        "To grant it: "
        "kafka-acls.sh --bootstrap-server b:9092 --add --allow-principal User:NAME --operation Delete --group 'my group'; "
        "kafka-acls.sh --bootstrap-server b:9092 --add --allow-principal User:NAME --operation Read --topic a --topic b; "
        "kafka-acls.sh --bootstrap-server b:9092 --add --allow-principal User:NAME --operation Write --topic l (NAME: the user's name).")
    assert error.facts == {"bootstrap_servers": "b:9092", "missing_permissions": [
        "Delete on Group my group", "Read on Topic a", "Read on Topic b", "Write on Topic l"]}


def test_of_many_the_first_are_named():
    error = rights.denied("c", [lacks(READ, TOPIC, f"t{number}") for number in range(12)])
    assert "Read on Topic t9 and 2 more." in error.message and "--topic t9" in error.message
    assert "t10" not in error.message and len(error.facts["missing_permissions"]) == 12


# ---- the client ---------------------------------------------------------------------------------------------------

class Admin:
    """``may``: name -> operations, or an error's name. ``asked``: the calls."""

    def __init__(self, **may):
        self.may, self.asked = may, []

    def poll(self, seconds):
        pass

    def _answer(self, names, **more):
        self.asked.append(list(names))
        kafka, futures = pytest.importorskip("confluent_kafka"), {}
        for name in names:
            futures[name] = Future()
            found = self.may[name]
            if isinstance(found, str):
                futures[name].set_exception(kafka.KafkaException(kafka.KafkaError(getattr(kafka.KafkaError, found))))
            else:
                operations = None if found is None else [SimpleNamespace(name=one) for one in found]
                futures[name].set_result(SimpleNamespace(authorized_operations=operations, state=SimpleNamespace(name="DEAD"), **more))
        return futures

    def describe_topics(self, collection, include_authorized_operations, request_timeout):
        assert include_authorized_operations is True
        return self._answer(collection, partitions=[0], topic_id="id")

    def describe_configs(self, resources, request_timeout):
        return {}

    def describe_consumer_groups(self, names, include_authorized_operations, request_timeout):
        assert include_authorized_operations is True
        return self._answer(names)

    def create_topics(self, topics, request_timeout, validate_only):
        assert validate_only is True
        return self._answer([one.topic for one in topics])


@pytest.fixture
def client(monkeypatch):
    """client(Admin) -> KafkaClient"""
    pytest.importorskip("confluent_kafka")
    # The real one does not give its names back.
    monkeypatch.setattr("confluent_kafka.TopicCollection", list)

    def client(admin):
        one = KafkaClient({"bootstrap.servers": "b:9092"}, 1)
        one._connection.admin = lambda: admin
        return one

    return client


def test_topics_are_asked_for_once_and_together(client):
    admin = Admin(a=["DESCRIBE"], b=["DESCRIBE", "READ"], c=None)
    one = client(admin)
    needed = [(READ, TOPIC, name) for name in "cba"]
    assert one.permissions.missing_acls(needed) == one.permissions.missing_acls(needed) == [lacks(READ, TOPIC, "a")]
    assert admin.asked == [["a", "b", "c"]]


def test_a_topic_is_known_from_when_it_was_looked_at(client):
    admin = Admin(a=["DESCRIBE", "READ"])
    one = client(admin)
    assert one.admin.topic("a").partitions == 1
    assert one.permissions.missing_acls([(READ, TOPIC, "a"), (WRITE, TOPIC, "a")]) == [lacks(WRITE, TOPIC, "a")] and admin.asked == [["a"]]


@pytest.mark.parametrize("operations, may_delete", [
    (None, None), ([], None), (["DESCRIBE"], False), (["DESCRIBE", "DELETE"], True)])
def test_the_right_to_delete_a_topic(client, operations, may_delete):
    found = client(Admin(a=operations, b="UNKNOWN_TOPIC_OR_PART")).admin.look_for(["a", "b"])
    assert found["a"].may_delete is may_delete and found["b"] is None


def test_a_group_is_known_from_when_it_was_looked_at(client):
    admin = Admin(g=["DESCRIBE", "READ"])
    one = client(admin)
    needed = [(READ, GROUP, "g"), (DELETE, GROUP, "g")]
    assert one.permissions.missing_acls(needed) == []
    one.groups.group("g")
    assert one.permissions.missing_acls(needed) == [lacks(DELETE, GROUP, "g")] and admin.asked == [["g"]]


@pytest.mark.parametrize("error", ["TOPIC_AUTHORIZATION_FAILED", "UNKNOWN_TOPIC_OR_PART"])
def test_no_answer_is_no_lack(client, error):
    assert client(Admin(a=error, b=["DESCRIBE"])).permissions.missing_acls([(READ, TOPIC, "a"), (READ, TOPIC, "b")]) == [lacks(READ, TOPIC, "b")]


@pytest.mark.parametrize("answer, found", [
    ([], []), ("TOPIC_ALREADY_EXISTS", []), ("POLICY_VIOLATION", []), ("INVALID_REPLICATION_FACTOR", []),
    ("TOPIC_AUTHORIZATION_FAILED", [lacks(CREATE, TOPIC, "a")]), ("CLUSTER_AUTHORIZATION_FAILED", [lacks(CREATE, TOPIC, "a")])])
def test_to_create_is_tried_without_creating(client, answer, found):
    assert client(Admin(a=answer)).admin.missing_to_create("a", 1, {}) == found
