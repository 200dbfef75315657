# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.topic_readers import check_readers
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors


def sink(state="RUNNING", kind="sink", tasks=1, **config):
    return {"status": {"name": "s", "type": kind, "connector": {"state": state}, "tasks": [{"id": 0, "state": state}] * tasks},
            "info": {"type": kind, "config": {name.replace("_", "."): value for name, value in config.items()}}}


class Client:
    url, cluster = "http://c:8083", "here"

    def __init__(self, **connectors):
        self.found = connectors

    def connectors(self):
        return self.found

    def root(self):
        return {"kafka_cluster_id": self.cluster}


class Kafka:
    cluster_id = "here"

    def has(self, addresses):
        return "broker:9092" in addresses


@pytest.mark.parametrize("one, reads", [
    (sink(topics="a, orders"), True), (sink(topics="orders-2"), False), (sink(topics_regex="ord.*"), True), (sink(topics_regex="ord"), False),
    (sink(topics="${file:x:y}"), False), (sink(topics_regex="(?<java>x)"), False), (sink(), False),
    (sink("PAUSED", topics="orders"), True), (sink("FAILED", tasks=0, topics="orders"), True), (sink("STOPPED", topics="orders"), True),
    (sink("STOPPED", tasks=0, topics="orders"), False),
    (sink(kind="source", topics="orders"), False),
    (sink(topics="orders", consumer_override_bootstrap_servers="broker:9092"), True),
    (sink(topics="orders", consumer_override_bootstrap_servers="other:9092"), False),
])
def test_who_reads(one, reads):
    client = Client(s=one)
    if not reads:
        assert check_readers(client, Kafka(), ["orders"], False) == []
        return
    with pytest.raises(errors.StateError) as caught:
        check_readers(client, Kafka(), ["orders"], False)
    state = one["status"]["connector"]["state"]
    assert caught.value.message == (
        f"Sinks at http://c:8083 that are not stopped read what is to be deleted: s ({state}) reads orders. Stop them first (connector_state with "
        "state: stopped), or use force: true.")
    assert caught.value.facts == {"readers": ["s"]}
    assert check_readers(client, Kafka(), ["orders"], True) == [
        f"Sinks at http://c:8083 are not stopped and lose their offsets of what is deleted, and their tasks can fail: s ({state}) reads orders."]


def test_workers_of_another_kafka_cluster():
    client = Client(s=sink(topics="orders"))
    client.cluster = "there"
    assert check_readers(client, Kafka(), ["orders"], False) == []


def test_nobody_to_ask():
    assert check_readers(None, Kafka(), ["orders"], False) == []
    client = Client()
    client.connectors = lambda: (dummy for dummy in ()).throw(errors.Unreachable("no connection"))
    assert check_readers(client, Kafka(), [], False) == []
    assert check_readers(client, Kafka(), ["orders"], False) == [
        "Whether a sink reads the topic is not known, as the Connect workers could not be queried: no connection"]


def test_many():
    client = Client(**{f"s{number}": sink(topics="a,b") for number in range(7)})
    with pytest.raises(errors.StateError, match=r"s0 \(RUNNING\) reads a, b; s1 .*; s4 \(RUNNING\) reads a, b; and 2 more\. Stop"):
        check_readers(client, Kafka(), ["b", "a"], False)
