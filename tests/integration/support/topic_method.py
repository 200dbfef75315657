# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules on the offsets-topic method, and beside them the records as they really lie there."""

from __future__ import annotations

import json

from tests.integration.support.modules import PREDICTED
from tests.integration.support.topics import Kafka, Raw


class TopicMethod:
    """One cluster's worker and one offsets topic."""

    def __init__(self, run, kafka: Kafka, cluster, made: list, topic: str | None = None) -> None:
        """made: filled with what put() has produced, to be tombstoned in the end."""
        self._run = run
        self.kafka = kafka
        self.cluster = cluster
        self.topic = topic or cluster.offset_topic
        self._made = made

    def on(self, cluster) -> TopicMethod:
        return TopicMethod(self._run, self.kafka, cluster, self._made)

    def at(self, topic: str) -> TopicMethod:
        """Another topic, which is not the worker's; it is not tidied up."""
        return TopicMethod(self._run, self.kafka, self.cluster, [], topic)

    @property
    def options(self) -> dict:
        return {"connect_url": [self.cluster.url], "bootstrap_servers": [self.kafka.bootstrap_servers], "offset_topic": self.topic,
                "method": "topic"}

    def change(self, name: str, check: bool = False, **arguments) -> dict:
        """connector_offsets; an argument None takes an option away."""
        vouched = {} if self.topic == self.cluster.offset_topic else {"force": True}
        return self._run("connector_offsets", check=check, **{**self.options, **vouched, "name": name, **arguments})

    def done(self, name: str, **arguments) -> dict:
        """connector_offsets, which must succeed with a change, as its check mode has told it, and then has nothing more to do."""
        dry = self.change(name, check=True, **arguments)
        real = self.change(name, **arguments)
        assert not real["failed"], real["msg"]
        # Only the real run hears what a plugin says of a change by REST.
        told = [key for key in PREDICTED if key != "warnings" or real["method"] == "topic"]
        assert {key: dry.get(key) for key in told} == {key: real[key] for key in told}
        assert real["changed"] is True
        again = self.change(name, **arguments)
        assert again.get("changed") is False and again["offsets"] == real["offsets"], again
        return real

    def look(self, name: str | None = None, **arguments) -> dict:
        """connector_offsets_info, which must succeed."""
        found = self.ask(name, **arguments)
        assert not found["failed"], found["msg"]
        return found

    def ask(self, name: str | None = None, **arguments) -> dict:
        return self._run("connector_offsets_info", **{**self.options, "name": name, **arguments})

    def put(self, *records: tuple[int, bytes, bytes | None], transaction: str | None = None) -> None:
        """Raw records (partition, key, value) by a tool that knows nothing of Connect."""
        self._made.append((self, {record[:2] for record in records}))
        self.kafka.raw(self.topic, list(records), transaction)

    def log(self, name: str) -> list[Raw]:
        """All committed records whose key speaks of the connector, tombstones too."""
        return [one for one in self.kafka.raw_records(self.topic) if _speaks_of(one.key, name)]

    def live(self, name: str) -> dict[tuple[int, bytes], bytes]:
        last = {(one.partition, one.key): one.value for one in self.log(name)}
        return {place: value for place, value in last.items() if value is not None}


def _speaks_of(key: bytes | None, name: str) -> bool:
    return key is not None and json.dumps(name, ensure_ascii=False).encode() in key


def key_of(name: str, partition: str = '{"p":0}') -> bytes:
    """The key that a worker writes; the partition as its JSON text."""
    return f'["{name}",{partition}]'.encode()
