# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets on a topic that no worker uses, for modules that come in by the secured listeners."""

from __future__ import annotations

import contextlib
import uuid

from confluent_kafka import IsolationLevel, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from tests.integration.support.modules import run_module
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import wait_until


def new_topic(admin: AdminClient) -> str:
    """An offsets topic that no worker uses, with leaders."""
    name = f"spare-{uuid.uuid4().hex[:8]}-offsets"
    admin.create_topics([NewTopic(name, 5, 1, config={"cleanup.policy": "compact"})])[name].result(20)
    wait_until(lambda: admin.list_topics(name, timeout=20).topics[name].error is None)
    return name


class Offsets:
    """One connector that no worker knows, on an offsets topic: its partition 0 is at 4, 1 at 9."""

    def __init__(self, plain: str, admin: AdminClient, topic: str) -> None:
        self.topic = topic
        self.name = f"c-{uuid.uuid4().hex[:8]}"
        self.transactional_id = f"streamops.kafka_connect.{topic}.{self.name}"
        self.plain = plain
        self._admin = admin
        # As Connect's producer, which is Java's, spreads keys.
        producer = Producer({"bootstrap.servers": plain, "partitioner": "murmur2_random", "linger.ms": 0})
        for p, n in ((0, 4), (1, 9)):
            producer.produce(self.topic, f'{{"n":{n}}}', f'["{self.name}",{{"p":{p}}}]')
        assert producer.flush(20) == 0
        self.begin = self.ends()

    def ends(self) -> list[int]:
        """Of all five partitions; control records of transactions count, too."""
        asked = {TopicPartition(self.topic, number): OffsetSpec.latest() for number in range(5)}

        def answers():
            # A new topic, or a broker that was restarted, is without leaders for a moment.
            with contextlib.suppress(KafkaException):
                found = self._admin.list_offsets(asked, isolation_level=IsolationLevel.READ_UNCOMMITTED)
                return [future.result(20).offset for future in found.values()]

        return wait_until(answers, reason=f"the ends of {self.topic}")

    def untouched(self) -> bool:
        return self.ends() == self.begin

    def live(self) -> dict:
        return Kafka(self.plain).live_offsets(self.topic, self.name)

    def info(self, **options) -> dict:
        return run_module("connector_offsets_info", {"name": self.name, "offset_topic": self.topic, "method": "topic", **options})

    def set(self, *wanted: dict, check: bool = False, **options) -> dict:
        return run_module("connector_offsets", {
            "name": self.name, "offset_topic": self.topic, "method": "topic", "assume_stopped": True, "offsets": list(wanted),
            **options}, check=check)
