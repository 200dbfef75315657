# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The consumer group of a sink behind ACLs: each right that is missing is named, and then nothing is changed."""

from __future__ import annotations

import uuid

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import AclOperation, NewTopic, ResourceType

from tests.integration.conftest import cluster_of
from tests.integration.support.configs import file_sink, sink_at
from tests.integration.support.modules import run_module
from tests.integration.support.secured import login
from tests.integration.support.worker import ordered

GROUP, TOPIC = ResourceType.GROUP, ResourceType.TOPIC
DESCRIBE, READ, DELETE = AclOperation.DESCRIBE, AclOperation.READ, AclOperation.DELETE


class Left:
    """The group of a sink that is gone, whose offsets are at 3 in two partitions each of two topics that end at 5."""

    def __init__(self, plain: str, admin, options: dict, folder) -> None:
        self.name = f"s-{uuid.uuid4().hex[:8]}"
        self.group = f"connect-{self.name}"
        self.topics = [f"{self.name}-{letter}" for letter in "ab"]
        self.options, self._admin, self._folder = options, admin, folder
        places = [(topic, number) for topic in self.topics for number in (0, 1)]
        for future in admin.create_topics([NewTopic(topic, 2, 1) for topic in self.topics]).values():
            future.result(20)
        producer = Producer({"bootstrap.servers": plain, "linger.ms": 0})
        for place in places * 5:
            producer.produce(place[0], b"x", partition=place[1])
        assert producer.flush(20) == 0
        wanted = [TopicPartition(*place, 3) for place in places]
        admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(self.group, wanted)])[self.group].result(20)
        self.begin = self.commits()
        assert self.begin == dict.fromkeys(places, 3)

    def commits(self) -> dict:
        asked = self._admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(self.group)])[self.group].result(20)
        return {(place.topic, place.partition): place.offset for place in asked.topic_partitions or []}

    def look(self) -> dict:
        return run_module("connector_offsets_info", {"name": self.name, "method": "group", **self.options})

    def change(self, check: bool = False, **desired) -> dict:
        backup = str(self._folder / f"{uuid.uuid4().hex}.json")
        given = {"name": self.name, "method": "group", "wait_timeout": 5, "backup": True, "backup_file": backup}
        return run_module("connector_offsets", {**given, **desired, **self.options}, check=check)

    def refused(self, right: str, **desired) -> str:
        """The message names the right, and every commit is as it was."""
        result = self.change(**desired)
        assert result["failed"] and right in result["msg"], result
        assert result["msg"].endswith(" Nothing was changed.")
        assert self.commits() == self.begin
        assert self.change(check=True, **desired)["msg"] == result["msg"]
        return result["msg"]


@pytest.fixture
def left(plain, admin, secured, tmp_path):
    return Left(plain, admin, login(secured, "SCRAM-SHA-512", "operator"), tmp_path)


def at(left, *numbers: int, topic: int = 0) -> list:
    return [sink_at(left.topics[topic], number, partition) for partition, number in enumerate(numbers)]


def told(kind: str, name: str, right: str) -> str:
    return f"the user needs the permission {right} on {kind} {name}."


def missing_acls(*rights: str) -> str:
    """All at once, and in the same order."""
    return f"the user needs the permission {', '.join(rights)}. To grant it: "


def test_to_look(left, allow):
    """Kafka leaves out what is about topics that the user may not see."""
    assert told("Group", left.group, "Describe") in left.look()["msg"]
    allow(GROUP, left.group, DESCRIBE)
    assert left.look()["offsets"] == []
    for letter, topic in enumerate(left.topics):
        allow(TOPIC, topic, DESCRIBE)
        found = left.look()
        assert ordered(found["offsets"]) == ordered(at(left, 3, 3) + at(left, 3, 3, topic=1) * letter) and found["lag"] == 4 + 4 * letter
    assert found["warnings"] == [] and left.change(offsets=at(left, 3, 3))["changed"] is False


def test_to_set(left, allow):
    """Right after right, until all are there; in check mode the same is said."""
    desired = {"offsets": at(left, 1, 2) + at(left, 0, 4, topic=1)}
    first, second = left.topics
    left.refused(told("Group", left.group, "Describe"), **desired)
    allow(GROUP, left.group, DESCRIBE)
    left.refused(told("Topic", first, "Read and Describe"), **desired)
    allow(TOPIC, first, DESCRIBE)
    left.refused(told("Topic", second, "Read and Describe"), **desired)
    allow(TOPIC, second, DESCRIBE)
    rights = [f"Read on Group {left.group}", f"Read on Topic {first}", f"Read on Topic {second}"]
    message = left.refused(missing_acls(*rights), **desired)
    assert f"--operation Read --group {left.group};" in message and f"--operation Read --topic {first} --topic {second} (NAME:" in message
    allow(GROUP, left.group, READ)
    left.refused(missing_acls(*rights[1:]), **desired)
    allow(TOPIC, first, READ)
    left.refused(missing_acls(*rights[2:]), **desired)
    # Nothing of the other topic is written.
    assert left.change(check=True, offsets=at(left, 1, 2))["changed"] is True
    allow(TOPIC, second, READ)
    assert left.change(check=True, **desired)["changed"] is True
    assert left.change(**desired)["changed"] is True
    assert left.commits() == {(first, 0): 1, (first, 1): 2, (second, 0): 0, (second, 1): 4}


def test_read_is_enough_to_set(left, allow):
    allow(GROUP, left.group, READ)
    for topic in left.topics:
        allow(TOPIC, topic, READ)
    assert left.change(reset_to="earliest", topics=left.topics)["changed"] is True
    assert set(left.commits().values()) == {0}


def test_to_remove_one(left, allow):
    """The group is deleted for that, and what stays is committed again."""
    first, second = left.topics
    desired = {"state": "absent", "offsets": [{"partition": at(left, 0)[0]["partition"]}]}
    allow(GROUP, left.group, DESCRIBE)
    for topic in left.topics:
        allow(TOPIC, topic, DESCRIBE)
    rights = [f"{right} on Group {left.group}" for right in ("Delete", "Read")] + [f"Read on Topic {topic}" for topic in left.topics]
    left.refused(missing_acls(*rights), **desired)
    allow(GROUP, left.group, DELETE)
    left.refused(missing_acls(*rights[1:]), **desired)
    allow(GROUP, left.group, READ)
    left.refused(missing_acls(*rights[2:]), **desired)
    for topic in left.topics:
        allow(TOPIC, topic, READ)
    assert left.change(check=True, **desired)["changed"] is True
    assert left.change(**desired)["changed"] is True
    assert left.commits() == {(first, 1): 3, (second, 0): 3, (second, 1): 3}


def test_to_remove_all(left, allow):
    allow(GROUP, left.group, DESCRIBE)
    for topic in left.topics:
        allow(TOPIC, topic, DESCRIBE)
    left.refused(missing_acls(f"Delete on Group {left.group}"), state="absent")
    allow(GROUP, left.group, DELETE)
    assert left.change(check=True, state="absent")["changed"] is True
    assert left.change(state="absent")["changed"] is True and left.commits() == {}


def admin_of(secured: dict, user: str) -> dict:
    """Configuration of a sink whose worker looks at its group, and changes it, as that user; it reads there, too."""
    login = f'username="{user}" password="{secured["users"][user]["password"]}"'
    return {f"{who}.override.{name}": value for who in ("consumer", "admin") for name, value in {
        "bootstrap.servers": secured["sasl_ssl"], "security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": f"org.apache.kafka.common.security.plain.PlainLoginModule required {login};",
        "ssl.truststore.type": "PEM", "ssl.truststore.location": secured["ca"]}.items()}


def test_half_of_a_change_by_rest(left, allow, secured, secured_stack, plain, tmp_path):
    """Connect sets offsets and removes others in two requests: here the second one is refused, as the worker may not Delete."""
    worker = cluster_of(secured_stack, "main").worker
    first = left.topics[0]
    allow(GROUP, left.group, READ)
    for topic in left.topics:
        allow(TOPIC, topic, READ)
    worker.create(left.name, {**file_sink(",".join(left.topics), tmp_path / "out.txt"), **admin_of(secured, "operator")}, "STOPPED")
    try:
        desired = {"method": "rest", "offsets": at(left, 1, 1), "purge": True}
        rest = {"name": left.name, "connect_url": [worker.url], "bootstrap_servers": [plain], "wait_timeout": 5, **desired}
        result = run_module("connector_offsets", rest)
        assert result["failed"] and "2 partitions had been changed, and were rolled back" in result["msg"], result
        assert left.commits() == left.begin
        allow(GROUP, left.group, DELETE)
        assert run_module("connector_offsets", rest)["changed"] is True
        assert left.commits() == {(first, 0): 1, (first, 1): 1}
    finally:
        worker.delete(left.name)
