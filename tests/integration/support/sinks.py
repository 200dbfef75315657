# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""FileStream sinks on one Connect cluster, with what the brokers know of their groups."""

from __future__ import annotations

import uuid

from confluent_kafka import ConsumerGroupTopicPartitions, Producer, TopicPartition
from confluent_kafka.admin import NewTopic

from tests.integration.support.configs import file_sink
from tests.integration.support.modules import PREDICTED
from tests.integration.support.worker import wait_until


class Sinks:
    """Sinks, their topics and groups on one Connect cluster; everything is removed in the end."""

    def __init__(self, run, kafka, cluster, folder):
        self.run, self.kafka, self.cluster, self.folder = run, kafka, cluster, folder
        self.worker = cluster.worker
        self.made, self.topics, self.groups = [], [], []

    def topic(self, partitions=1):
        """Records may be older than a week."""
        topic = f"t-{uuid.uuid4().hex[:8]}-in"
        self.kafka._admin.create_topics([NewTopic(topic, partitions, 1, config={"retention.ms": "-1"})])[topic].result(20)
        self.topics.append(topic)
        wait_until(lambda: self.kafka._is_led(topic), reason=topic)
        return topic

    def produce(self, topic, *records):
        """records: (partition, value) or (partition, value, milliseconds)"""
        producer = Producer({"bootstrap.servers": self.kafka.bootstrap_servers, "linger.ms": 0})
        for partition, value, *at in records:
            producer.produce(topic, value.encode(), partition=partition, timestamp=at[0] if at else 0)
        assert producer.flush(20) == 0

    def make(self, topics, **config):
        """A sink that runs; its name."""
        name = f"t-{uuid.uuid4().hex[:8]}"
        self.made.append(name)
        self.groups.append(config.get("consumer.override.group.id", f"connect-{name}"))
        self.worker.create(name, {**file_sink(topics, self.out(name)), **config}, None)
        return name

    def out(self, name):
        return self.folder / f"{name}.txt"

    def lines(self, name):
        return self.out(name).read_text().split() if self.out(name).exists() else []

    def await_lines(self, name, *lines, least=False):
        wait_until(lambda: self.lines(name) == list(lines) or least and set(lines) <= set(self.lines(name)), reason=f"{lines} in the file")

    def commits(self, group):
        asked = self.kafka._admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(20)
        return {(place.topic, place.partition): place.offset for place in asked.topic_partitions or []}

    def commit(self, group, **offsets):
        """topic name with its dashes as given by a dict: {(topic, partition): offset}"""
        self.groups.append(group)
        wanted = [TopicPartition(topic, number, offset) for (topic, number), offset in offsets["offsets"].items()]
        self.kafka._admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, wanted)])[group].result(20)

    def change(self, name, check=False, **arguments):
        given = {"connect_url": [self.cluster.url], "bootstrap_servers": [self.kafka.bootstrap_servers], "name": name, **arguments}
        return self.run("connector_offsets", check=check, **given)

    def done(self, name, **arguments):
        """It must succeed with a change, as its check mode has told it, and then has nothing more to do."""
        dry = self.change(name, check=True, **arguments)
        assert not dry["failed"], dry["msg"]
        real = self.change(name, **arguments)
        assert not real["failed"], real["msg"]
        assert real["changed"] is True
        told = [key for key in (*PREDICTED, "consumer_group") if key != "warnings" or real["method"] == "group"]
        assert {key: dry.get(key) for key in told} == {key: real[key] for key in told}
        return real

    def refused(self, name, **arguments):
        result = self.change(name, **arguments)
        assert result["failed"], result
        return result["msg"]

    def look(self, name=None, **arguments):
        given = {"connect_url": [self.cluster.url], "bootstrap_servers": [self.kafka.bootstrap_servers], "name": name, **arguments}
        found = self.run("connector_offsets_info", **given)
        assert not found["failed"], found["msg"]
        return found

    def delete(self, name):
        """The status of a connector outlives it for a moment."""
        self.worker.delete(name)
        wait_until(lambda: not self.worker.call("GET", f"connectors/{name}/status").ok, reason="the connector to be gone")

    def stop(self, name):
        self.worker.put(name, "stop")
        self.worker.await_state(name, "STOPPED", [])
        wait_until(lambda: not self.look(name)["group"]["members"], reason="an empty group")

    def close(self):
        for name in self.made:
            self.worker.delete(name)
        for topic in self.topics:
            try:
                self.kafka.drop(topic)
            except Exception:  # a test has dropped it
                pass
