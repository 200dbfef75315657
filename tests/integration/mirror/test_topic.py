# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module topic against two real clusters: what goes, what stays, what is refused. And topic_offsets_info on the other cluster."""

from __future__ import annotations

import json
import uuid

import pytest

from tests.integration.support.mirror import fill
from tests.integration.support.modules import run_module


@pytest.fixture
def change(east, west):
    """change(state, *names, fine=True, check=False, **options) -> result, at west unless cluster says east."""

    def change(state: str, *names: str, fine: bool = True, check: bool = False, **options) -> dict:
        clusters = [{"alias": "east", "bootstrap_servers": [east.bootstrap_servers]}]
        found = run_module("topic", {"bootstrap_servers": [west.bootstrap_servers], "source_clusters": clusters, "kafka_timeout": 20,
                                     "state": state, "names": list(names), **options}, check=check)
        assert found["failed"] is not fine, found
        return found

    return change


@pytest.fixture
def made(east, west):
    """made(side, name, partitions=1, policy="delete") -> the new topic, dropped afterwards."""
    found = []

    def made(side, name: str, partitions: int = 1, policy: str = "delete") -> str:
        side.kafka.create(name, partitions, policy)
        found.append((side, name))
        return name

    yield made
    for side, name in found:
        side.drop([name])


def test_absent(change, topic, west):
    """Two that are there, one that is not; predicted first, done, and done no second time."""
    gone, other, stays = topic(west, partitions=3), topic(west, partitions=1), topic(west)
    fill(west, gone, 0, 1)
    names = [gone, other, f"no-{gone}"]
    dry = change("absent", *names, check=True)
    assert dry["changed"] and {gone, other, stays} <= west.topics()
    assert {one["name"]: (one["exists"], one["changed"], one["partitions"], one["records_at_most"]) for one in dry["topics"]} == {
        gone: (True, True, 3, 6), other: (True, True, 1, 0), f"no-{gone}": (False, False, None, None)}
    assert [one["before"] for one in dry["diff"] if gone in one["before_header"]] == [{"partitions": 3, "records_at_most": 6}]
    real = change("absent", *names)
    assert real == dry and not {gone, other} & west.topics() and stays in west.topics()
    again = change("absent", *names)
    assert not again["changed"] and again["diff"] == []


def test_emptied(change, topic, west):
    """Offsets go on, and what is empty already is no change."""
    name, empty = topic(west, partitions=2), topic(west, partitions=1)
    fill(west, name, 0, 1, 2)
    dry = change("emptied", name, empty, check=True)
    assert dry["changed"] and len(west.kafka.records(name)) == 6
    real = change("emptied", name, empty)
    assert real == dry and west.kafka.records(name) == [] and west.kafka.ends(name) == {0: 3, 1: 3}
    assert [(one["name"], one["changed"]) for one in real["topics"]] == sorted([(name, True), (empty, False)])
    assert real["diff"] == [{"before_header": f"{name} (topic)", "after_header": f"{name} (topic)",
                             "before": {"partitions": 2, "records_at_most": 6}, "after": {"partitions": 2, "records_at_most": 0}}]
    fill(west, name, 3)
    assert len(west.kafka.records(name)) == 2
    assert not change("emptied", empty)["changed"]


def test_on_a_source_cluster(change, topic, east, west):
    """The topic is at both; the one that is named goes. topic_offsets_info looks there, too."""
    name = topic(east, west)
    fill(east, name, 0, 1)
    there = {"topics": [name], "source_clusters": [{"alias": "east", "bootstrap_servers": [east.bootstrap_servers]}]}
    look = run_module("topic_offsets_info", {**there, "cluster": "east"})
    assert [one["records_at_most"] for one in look["topics"]] == [8], look
    assert change("absent", name, cluster="east", bootstrap_servers=None)["changed"]
    assert name in west.topics() - east.topics()
    unknown = change("absent", name, cluster="north", fine=False)["msg"]
    assert "There is no alias north in kafka_connect_source_clusters (which has east)." in unknown
    missing = run_module("topic_offsets_info", {**there, "cluster": "north"})
    assert missing["failed"] and "no alias north" in missing["msg"]


REFUSED = [
    ("absent", ["__consumer_offsets"], "one of Kafka's own topics"),
    ("absent", ["orders*"], "no name of a topic"),
    ("absent", ["", " "], "name is empty"),
    ("emptied", ["no-such-topic"], "There is no topic no-such-topic"),
]


@pytest.mark.parametrize("state, names, words", REFUSED)
def test_refused(change, topic, west, state, names, words):
    """One that is refused keeps the others from being changed."""
    fine = topic(west)
    fill(west, fine, 0)
    found = change(state, *names, *([fine] if names[0] else []), fine=False)
    assert words in found["msg"], found
    assert len(west.kafka.records(fine)) == 4


def test_connects_own_topics_are_refused(change, made, mirror_worker, west):
    """By their names or records; the real ones, and one of dedicated mode. A compacted topic of somebody else's is fine."""
    real = [name for name in west.topics() if "mirror" in name and name.endswith(("offsets", "configs", "status"))]
    stem = uuid.uuid4().hex[:8]
    shaped = [made(west, f"{stem}-{number}", policy="compact") for number in range(4)]
    records = [b'["c",{"p":1}]', b"connector-c", b"status-task-c-0", b'{"id":1}']
    for name, key in zip(shaped, records, strict=True):
        west.kafka.raw(name, [(0, key, b"{}")])
    for name in [*real, *shaped[:3], made(west, f"mm2-offsets.{stem}.internal", policy="compact")]:
        assert "Connect workers" in change("absent", name, fine=False)["msg"], name
        assert name in west.topics()
    assert len(real) == 3
    assert change("absent", shaped[3])["changed"]


def test_what_no_broker_empties(change, made, west):
    """Compacted topics are refused before the first change, and those of MirrorMaker with what to do instead."""
    stem = uuid.uuid4().hex[:8]
    for name, more in [(f"t-{stem}", False), (f"mm2-offset-syncs.{stem}.internal", True), (f"{stem}.checkpoints.internal", True)]:
        west.kafka.raw(made(west, name, policy="compact"), [(0, b"k", b"v")])
        found = change("emptied", name, fine=False)["msg"]
        assert "POLICY_VIOLATION" in found and "state: absent" in found
        assert ("Tombstones are no way out" in found) is more
        assert len(west.kafka.raw_records(name)) == 1
        assert change("absent", name)["changed"]
    both = made(west, f"b-{stem}", policy="compact,delete")
    west.kafka.raw(both, [(0, b"k", b"v")])
    assert change("emptied", both)["changed"] and west.kafka.raw_records(both) == []


def test_brokers_that_are_not_told_or_not_there(change):
    assert "bootstrap_servers is empty" in change("absent", "t", fine=False, bootstrap_servers=None)["msg"]
    dead = change("absent", "t", fine=False, bootstrap_servers=["127.0.0.1:9"], kafka_timeout=2)
    assert "No answer" in json.dumps(dead)
