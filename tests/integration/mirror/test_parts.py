# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts themselves: MirrorMaker really copies from one broker to another, in both ways in which people run it."""

from __future__ import annotations

import struct

import pytest

from tests.integration.support.mirror import IDENTITY, Side, await_records, by_partition, commit, committed, fill
from tests.integration.support.worker import ordered, wait_until


def _filled(side: Side, topics: list[str]) -> dict:
    """By topic what was written: records outside and inside a transaction."""
    return {topic: by_partition(fill(side, topic, 0, 1) + fill(side, topic, 2, 3, transaction="committed")) for topic in topics}


@pytest.mark.parametrize("policy", [None, IDENTITY])
def test_connectors(mirror, mirror_worker, topic, east, west, policy):
    topics = [topic() for _number in range(3)]
    written = _filled(east, topics)
    flow = mirror(topics, policy)
    for name, records in written.items():
        copy = name if policy else f"east.{name}"
        assert flow.copy_of(name) == copy
        assert await_records(west, copy, 16) == records
        assert len(west.kafka.ends(copy)) == 4

    # Two records, two of a transaction, its marker.
    ended = [{"partition": {"cluster": "east", "partition": number, "topic": name}, "offset": {"offset": 3}}
             for name in topics for number in range(4)]
    wait_until(lambda: mirror_worker.offsets(flow.source) == ordered(ended), reason="all offsets")
    assert east.kafka.ends(topics[0]) == dict.fromkeys(range(4), 5)
    more = fill(east, topics[0], 4)
    assert await_records(west, flow.copy_of(topics[0]), 20) == by_partition(written[topics[0]] + more)

    assert flow.offset_syncs in east.topics() - west.topics()
    assert {flow.checkpoints, "heartbeats"} <= west.topics() - east.topics()
    wait_until(lambda: west.kafka.raw_records("heartbeats"), reason="a heartbeat")


def test_connectors_in_both_directions(mirror, topic, east, west):
    topics = [topic(east, west) for _number in range(3)]
    at_east, at_west = _filled(east, topics), _filled(west, topics)
    pattern = [f".*{name}" for name in topics]
    mirror(pattern)
    mirror(pattern, source=west, target=east)
    for name in topics:
        assert await_records(west, f"east.{name}", 16) == at_east[name]
        assert await_records(east, f"west.{name}", 16) == at_west[name]
        assert by_partition(east.kafka.records(name)) == at_east[name]
    assert not [name for name in east.topics() | west.topics() if name.startswith(("east.west.orders", "west.east.orders"))]
    assert {"mm2-offset-syncs.west.internal", "west.checkpoints.internal", "heartbeats"} <= east.topics()
    assert {"mm2-offset-syncs.east.internal", "east.checkpoints.internal", "heartbeats"} <= west.topics()


def test_aborted_records_are_copied_unless_told_otherwise(mirror, topic, east, west):
    """A consumer's default in Kafka is to read them, and the copy does not say that they do not count."""
    name = topic()
    records = fill(east, name, 0) + fill(east, name, 1, transaction="aborted") + fill(east, name, 2)
    flow = mirror([name])
    assert await_records(west, flow.copy_of(name), 12) == by_partition(records)
    flow.delete()
    clean = mirror([name], IDENTITY, **{"source.consumer.isolation.level": "read_committed"})
    assert [one.value[-1] for one in await_records(west, clean.copy_of(name), 8)] == ["0", "2"] * 4


def test_checkpoints(mirror, topic, east, west):
    name = topic()
    fill(east, name, 0, 1, 2)
    group = f"g-{name}"
    commit(east, group, name, 3)
    flow = mirror([name], **{"sync.group.offsets.enabled": "true"})
    # The last record was synced, maybe late: up to the end nothing is lost of the group's place.
    wait_until(lambda: committed(west, group, flow.copy_of(name)) == dict.fromkeys(range(4), 3), reason="the group's offsets")
    keys = [struct.pack(f">h{len(group)}sh{len(copy)}si", len(group), group.encode(), len(copy), copy.encode(), number)
            for copy in [flow.copy_of(name)] for number in range(4)]
    assert {one.key for one in west.kafka.raw_records(flow.checkpoints)} == set(keys)
    assert all(one.value == struct.pack(">hqqh", 0, 3, 3, 0) for one in west.kafka.raw_records(flow.checkpoints)[-4:])


def test_dedicated(dedicated, topic, east, west):
    topics = [topic() for _number in range(3)]
    written = _filled(east, topics)
    node = dedicated(topics)
    for name, records in written.items():
        assert await_records(west, f"east.{name}", 16) == records
    assert "mm2-offset-syncs.west.internal" in east.topics()
    assert {"east.checkpoints.internal", "heartbeats"} <= west.topics()
    assert {f"mm2-{what}.east.internal" for what in ("offsets", "configs", "status")} <= west.topics() - east.topics()
    assert len(west.kafka.ends("mm2-offsets.east.internal")) == 25

    key = f'["MirrorSourceConnector",{{"cluster":"east","partition":3,"topic":"{topics[0]}"}}]'
    live = wait_until(lambda: (found := west.kafka.live_offsets("mm2-offsets.east.internal", "MirrorSourceConnector"))
                      and key in found and found, reason="offsets")
    assert live[key] == '{"offset":3}'
    node.stop()
    assert not node.running
    more = fill(east, topics[0], 4)
    node.start()
    assert await_records(west, f"east.{topics[0]}", 20) == by_partition(written[topics[0]] + more)
    node.kill()
    assert not node.running
    # When start() is back, another configuration counts, and the former one, with which the node begins, does not.
    later = topic()
    node.properties["east->west.topics"] = later
    node.start()
    fill(east, topics[0], 5)
    records = fill(east, later, 0)
    assert await_records(west, f"east.{later}", 4) == records
    assert len(west.kafka.records(f"east.{topics[0]}")) == 20


def test_dedicated_in_both_directions(dedicated, topic, east, west):
    name = topic(east, west)
    at_east, at_west = fill(east, name, 0, 1), fill(west, name, 0, 1)
    dedicated([name], ["east->west", "west->east"], **{"tasks.max": "2"})
    assert await_records(west, f"east.{name}", 8) == at_east
    assert await_records(east, f"west.{name}", 8) == at_west
