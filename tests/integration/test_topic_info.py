# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What connector_offsets_info shows of an offsets topic, and how it finds the topic."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest

from tests.integration.support.configs import at, shaped
from tests.integration.support.proxy import Answer
from tests.integration.support.topic_method import key_of


@pytest.fixture
def own(method, lone):
    """The method on a new topic of five partitions."""
    return method.at(lone())


def test_all_connectors_with_orphans(make, own, name, worker, kafka):
    """Those that REST knows, without sinks, and those of which only offsets are left; counts of the topic; no group is left."""
    groups = kafka.groups()
    make(shaped(), name=name)
    own.put((0, key_of(name), b'{"n":4}'), (1, key_of("gone-1"), b'{"n":5}'), (2, key_of("gone-2"), b'{"n":6}'))
    own.put((2, key_of("gone-2"), None), (3, b'["gone-3",{"p":[1]}]', b"{}"))
    found = own.look()
    by_name = {one["name"]: one for one in found["connectors"]}
    assert list(by_name) == sorted(by_name)
    assert (by_name[name]["connector_exists"], by_name[name]["offsets"], by_name[name]["connector"]["state"]) == (True, [at(4)], "STOPPED")
    assert (by_name["gone-1"]["connector_exists"], by_name["gone-1"]["offsets"]) == (False, [at(5)])
    assert by_name["gone-3"]["offsets"] == [] and len(by_name["gone-3"]["unreadable_records"]) == 1
    topic = found["topic"]
    assert (topic["name"], topic["partitions"], topic["cleanup_policy"], topic["records"], topic["key_count"],
            topic["unreadable_count"]) == (
        own.topic, 5, "compact", 5, 4, 1)
    offline = {one["name"]: one["connector_exists"] for one in own.look(connect_url=None)["connectors"]}
    assert offline[name] is offline["gone-1"] is None
    assert kafka.groups() == groups


def test_history_newest_first(own, name):
    """Older values and tombstones, with offset, place and time; of other connectors nothing."""
    began = datetime.now(UTC)
    key = key_of(name)
    for value in (b'{"n":1}', None, b'{"n":3}', b'{"n":4}'):
        own.put((2, key, value))
        time.sleep(0.002)
    own.put((2, key_of(f"{name}2"), b'{"n":9}'))
    own.put((2, key, b'{"n":8}'), transaction="aborted")
    found = own.look(name, history=True, method="auto")
    assert found["method"] == "topic" and "history" in found["method_reason"]
    one, = found["history"]
    assert one["partition"] == {"p": 0}
    assert [(each["record_offset"], each["offset"], each["tombstone"]) for each in one["records"]] == [
        (3, {"n": 4}, False), (2, {"n": 3}, False), (1, None, True), (0, {"n": 1}, False)]
    assert {(each["topic_partition"], each["key"]) for each in one["records"]} == {(2, key.decode())}
    times = [datetime.fromisoformat(each["time"]) for each in one["records"]]
    assert times == sorted(times, reverse=True) and 0 <= (times[-1] - began).total_seconds() + 0.001 < 60
    # A partition that was removed has a past as well.
    own.done(name, state="absent")
    gone = own.look(name, history=True)
    assert gone["offsets"] == [] and [each["tombstone"] for each in gone["history"][0]["records"]] == [True, False, False, True, False]
    assert own.look(name)["history"] == [] and own.ask(name, history=True, method="rest")["failed"]


@pytest.mark.parametrize("version", ["main", "v34"])
def test_topic_is_found_by_its_content(version, request, make_on, method):
    """Without offset_topic: the one that has what REST shows, among those of other clusters; 3.4.1 shows only names."""
    cluster = request.getfixturevalue(version)
    name, method = make_on(cluster, "PAUSED"), method.on(cluster)
    found = method.look(name, offset_topic=None)
    assert found["topic"] == {"name": cluster.offset_topic, "partitions": 5} and found["offsets"] == [at(4)]
    real = method.change(name, offset_topic=None, offsets=[at(1)], stop=True)
    assert real["changed"] is True and real["offset_topic"] == cluster.offset_topic


def test_topic_that_cannot_be_proven_is_not_guessed(wide, method, kafka):
    """A cluster without any connector: failure that asks for offset_topic. Without a worker nothing is a proof."""
    method = method.on(wide)
    assert wide.worker.must("GET", "connectors") == []
    ends = kafka.ends(method.topic)
    unproven = [method.ask("nobody", offset_topic=None), method.ask(offset_topic=None),
                method.change("nobody", offset_topic=None, offsets=[at(1)]),
                method.change("nobody", offset_topic=None, connect_url=None, assume_stopped=True, offsets=[at(1)])]
    for result in unproven:
        assert result["failed"] and "as offset_topic" in result["msg"] and "offset.storage.topic" in result["msg"]
    assert kafka.ends(method.topic) == ends


def test_brokers_of_another_kafka_cluster(name, method, main, kafka, proxy_to):
    """The worker names another Kafka cluster than the brokers do: nothing is read or written there."""
    def elsewhere(request):
        if request.verb == "GET" and request.path in ("", "/"):
            return Answer(200, json.dumps({"version": "4.3.1", "commit": "x", "kafka_cluster_id": "another-cluster"}).encode())
        return None

    method.put((0, key_of(name), b'{"n":4}'))
    ends, url = kafka.ends(method.topic), {"connect_url": [proxy_to(main.url, elsewhere).url]}
    for result in (method.ask(name, **url), method.ask(**url), method.change(name, state="absent", **url)):
        assert result["failed"] and "Kafka cluster another-cluster" in result["msg"] and kafka.bootstrap_servers in result["msg"]
    assert kafka.ends(method.topic) == ends
