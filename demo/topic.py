# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a topic with one partition, for people to look at."""

from __future__ import annotations

import time

from confluent_kafka import Consumer, TopicPartition


def read_topic(brokers: str, topic: str, expected: int, patience: float = 30.0) -> list[tuple[int, str]]:
    """(offset, text) of all records, read until ``expected`` are there, and a second longer for any that are too many.

    patience: seconds after which what is there is returned.
    """
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": "unused", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, 0)])
    records: list[tuple[int, str]] = []
    end = time.monotonic() + patience
    try:
        while time.monotonic() < end:
            message = consumer.poll(0.2)
            if message is not None and not message.error():
                records.append((message.offset(), message.value().decode("utf-8")))
                if len(records) >= expected:
                    end = min(end, time.monotonic() + 1.0)
        return records
    finally:
        consumer.close()
