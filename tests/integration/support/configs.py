# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of connectors, and short words for their offsets."""

from __future__ import annotations

from pathlib import Path

PART = {"p": 0}
#: what the test connector writes at first, and once more after a change to at(1)
FIRST, REPLAY = ([f'{{"p":0}}#{number}' for number in numbers] for numbers in (range(5), range(2, 5)))


def shaped(**options) -> dict:
    """The test connector: partition {"p": 0}, offset {"n": number of the last record}, five records; no validation."""
    config = {"connector.class": "streamops.test.ShapedSourceConnector", "tasks.max": "1"}
    return {**config, **{name.replace("_", "."): str(value) for name, value in options.items()}}


def file_source(path: Path, **options) -> dict:
    return {"connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector", "tasks.max": "1", "file": str(path),
            **options}


def file_sink(topics: str, path: Path) -> dict:
    return {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "tasks.max": "1", "topics": topics,
            "file": str(path)}


def shaped_sink(topics: str, path: Path, **options) -> dict:
    """The test sink, which can have a position of its own."""
    config = {"connector.class": "streamops.test.ShapedSinkConnector", "tasks.max": "1", "topics": topics, "file": str(path)}
    return {**config, **{name.replace("_", "."): str(value) for name, value in options.items()}}


def entry(partition: dict, offset: dict | None) -> dict:
    return {"partition": partition, "offset": offset}


def at(n, p=0) -> dict:
    """The test connector's partition p, whose last written record is n."""
    return entry({"p": p}, {"n": n})


def sink_at(topic: str, offset, partition: int = 0) -> dict:
    return entry({"kafka_topic": topic, "kafka_partition": partition}, {"kafka_offset": offset})
