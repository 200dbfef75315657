# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""connector_offsets with MirrorMaker's connectors: by the next record, in words, and what it refuses."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from stack.ports import find_free
from tests.integration.support.mirror import IDENTITY, await_records, fill
from tests.integration.support.modules import run_module
from tests.integration.support.worker import ordered, wait_until


def part(topic, number, cluster="east"):
    return {"cluster": cluster, "partition": number, "topic": topic}


def pairs(topic, *stored):
    """One partition after the other; None: nothing is stored."""
    return [{"partition": part(topic, number), "offset": {"offset": offset}} for number, offset in enumerate(stored) if offset is not None]


@pytest.fixture
def change(mirror_worker):
    """change(flow, check=False, **options) -> the result of connector_offsets for the flow's source connector."""

    def change(flow, check=False, name=None, **options):
        return run_module("connector_offsets", {
            "name": name or flow.source, "connect_url": [mirror_worker.url], "stop": True, "wait_timeout": 60, "accept_duplicates": True,
            **options}, check=check)

    return change


def succeeded(result):
    assert not result["failed"], result["msg"]
    return result


@pytest.fixture
def copied(mirror, topic, east, west):
    """copied(numbers, **config) -> (flow, topics): a mirror of three topics with records 0 to 5 in each of two partitions, at rest."""

    def copied(count=1, policy=None, **config):
        topics = [topic(partitions=2) for _number in range(count)]
        for name in topics:
            fill(east, name, *range(6))
        flow = mirror(topics, policy, **config)
        for name in topics:
            await_records(west, flow.copy_of(name), 12)
        stored = [pair for name in topics for pair in pairs(name, 5, 5)]
        wait_until(lambda: flow.worker.offsets(flow.source) == ordered(stored), reason="all offsets")
        return flow, topics

    return copied


def values(side, topic, number):
    return [int(one.value.rpartition("#")[2]) for one in side.kafka.records(topic) if one.partition == number]


def stored(flow, topic):
    """By partition."""
    return {one["partition"]["partition"]: one["offset"]["offset"] for one in flow.worker.offsets(flow.source)
            if one["partition"]["topic"] == topic}


# ---- what happens ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [None, IDENTITY])
def test_the_next_record_is_the_next_one_copied(copied, change, west, policy, tmp_path):
    flow, (name,) = copied(policy=policy)
    copy = flow.copy_of(name)
    options = {"change_id": "CHG-1", "ledger_file": str(tmp_path / "l.json"), "offsets": [
        {"partition": part(name, 0), "next_offset": 3}, {"partition": part(name, 1), "next_offset": 0}]}
    for check in (True, False):
        result = succeeded(change(flow, check, **options))
        assert result["changed"] and result["offsets"] == pairs(name, 2)
        assert {one["partition"]["partition"]: (one["action"], one["from"], one["to"]) for one in result["actions"]} == {
            0: ("set", {"offset": 5}, {"offset": 2}), 1: ("remove", {"offset": 5}, None)}
        assert (f"2 partitions of {flow.source} go back, first {name}-0 from 6 to 3, altogether by up to 9 records, which are copied "
                "again.") in result["warnings"]
        assert "to record 3" in result["diff"][0]["prepared"] and "to record 0" in result["diff"][0]["prepared"]
    await_records(west, copy, 12 + 3 + 6)
    assert values(west, copy, 0) == [*range(6), 3, 4, 5] and values(west, copy, 1) == [*range(6), *range(6)]
    wait_until(lambda: stored(flow, name) == {0: 5, 1: 5}, reason="the positions")
    again = succeeded(change(flow, **options))
    assert (again["changed"], again["already_applied"]) == (False, True) and len(west.kafka.records(copy)) == 21


def test_a_stored_offset_is_the_last_record(copied, change, west):
    """What C40 fell for: 2 is stored, and the record 2 does not come again."""
    flow, (name,) = copied()
    succeeded(change(flow, offsets=pairs(name, 2)))
    await_records(west, flow.copy_of(name), 12 + 3)
    wait_until(lambda: stored(flow, name) == {0: 5, 1: 5}, reason="the positions")
    assert values(west, flow.copy_of(name), 0) == [*range(6), 3, 4, 5]


def test_one_topic_of_three_in_words(copied, change, east, west):
    flow, topics = copied(3)
    copies = [flow.copy_of(name) for name in topics]
    fill(east, topics[0], 6, 7, transaction="committed")
    await_records(west, copies[0], 16)
    wait_until(lambda: stored(flow, topics[0]) == {0: 7, 1: 7}, reason="the positions")
    result = succeeded(change(flow, reset_to="earliest", topics=[topics[0]]))
    assert [one["to"] for one in result["actions"] if one["action"] != "keep"] == [None, None]
    await_records(west, copies[0], 32)
    assert values(west, copies[0], 1) == [*range(8), *range(8)]
    assert [len(west.kafka.records(copy)) for copy in copies[1:]] == [12, 12]
    wait_until(lambda: stored(flow, topics[0]) == {0: 7, 1: 7}, reason="the positions")

    # The marker of the transaction is the record 8, so the end is 9.
    result = succeeded(change(flow, reset_to="latest", topics=[{"name": topics[0], "partitions": [1]}], stop=True))
    assert {"partition": part(topics[0], 1), "offset": {"offset": 8}} in result["offsets"]


def test_since_a_time(copied, change, east, west):
    flow, (name,) = copied()
    moment = datetime.now(UTC)
    fill(east, name, 6)
    await_records(west, flow.copy_of(name), 14)
    wait_until(lambda: stored(flow, name) == {0: 6, 1: 6}, reason="the positions")
    result = succeeded(change(flow, reset_to={"timestamp": moment.isoformat()}, topics=[name]))
    assert result["offsets"] == pairs(name, 5, 5)
    await_records(west, flow.copy_of(name), 16)
    assert values(west, flow.copy_of(name), 0) == [*range(7), 6]


def test_undone(copied, change, west, tmp_path):
    flow, (name,) = copied()
    flow.worker.put(flow.source, "stop")
    flow.worker.await_state(flow.source, "STOPPED", [])
    ledger = {"change_id": "CHG-1", "ledger_file": str(tmp_path / "l.json")}
    succeeded(change(flow, reset_to="earliest", **ledger))
    assert stored(flow, name) == {}
    result = succeeded(change(flow, state="restored", **ledger))
    assert stored(flow, name) == {0: 5, 1: 5} and result["change"]["phase"] == "restored"
    assert not any("copied again" in text for text in result["warnings"])
    assert len(west.kafka.records(flow.copy_of(name))) == 12

    # To undo a skip moves the position back: that is said, and done.
    flow.worker.set_offsets(flow.source, pairs(name, 2))
    ledger["change_id"] = "CHG-2"
    succeeded(change(flow, offsets=pairs(name, 4), **ledger))
    result = succeeded(change(flow, state="restored", accept_duplicates=False, **ledger))
    assert f"1 partition of {flow.source} goes back, first {name}-0 from 5 to 3, altogether by up to 2 records, which are copied again." \
        in result["warnings"]
    assert stored(flow, name) == {0: 2, 1: 5}


# ---- what is refused ---------------------------------------------------------------------------------------------------


def test_refused_with_nothing_changed(copied, change, topic, east):
    flow, (name,) = copied()
    other = topic()
    fill(east, other, 0)
    nobody = [{"alias": "east", "bootstrap_servers": [f"127.0.0.1:{find_free(set())}"]}]
    denied = [
        ({"offsets": [{"partition": part(name, 0, "north"), "next_offset": 3}]},
         f'{flow.source} copies from east, but what is declared is for the cluster the text "north"'),
        ({"offsets": [{"partition": part(name, 0, "west"), "next_offset": 3}]}, 'the text "west", its target'),
        ({"offsets": pairs(other, 0)}, f"does not replicate the topic {other}: topics is {name}."),
        ({"offsets": [{"partition": part(name, 2), "next_offset": 3}]},
         f"There is no partition 2 of the topic {name} on the source cluster east"),
        ({"offsets": pairs("no-such-topic", 0)}, "There is no topic no-such-topic on the source cluster east"),
        ({"offsets": [{"partition": part(name, 0), "next_offset": 7}]}, "-0 at 7, but it holds 0 to 6."),
        ({"offsets": [{"partition": part(name, "0"), "next_offset": 3}]}, "is not live, but {"),
        ({"offsets": [{"partition": part(name, -1), "next_offset": 3}]}, "must be a whole number from 0 on, it is the integer -1"),
        ({"offsets": [{"partition": part("no-such-topic", 0), "next_offset": 0}]}, "There is no topic no-such-topic on the"),
        ({"offsets": [{"partition": part(name, 0), "next_offset": -1}]}, "offsets[0].next_offset must be a whole number from 0 on"),
        ({"offsets": [{"partition": part(name, 0), "next_offset": 1, "offset": {"offset": 0}}]},
         "must have partition and either offset or"),
        ({"offsets": pairs(name, 2), "source_clusters": nobody, "kafka_timeout": 3},
         "So what was declared for the source cluster east could not be looked at, which force: true leaves out."),
        ({"reset_to": "earliest", "topics": [other]}, f"does not replicate the topic {other}"),
        ({"reset_to": "earliest", "source_clusters": nobody, "kafka_timeout": 3}, nobody[0]["bootstrap_servers"][0]),
    ]
    for options, words in denied:
        for check in (True, False):
            result = change(flow, check, **options)
            assert result["failed"] and words in result["msg"], (options, result.get("msg"))
    assert stored(flow, name) == {0: 5, 1: 5}
    assert flow.worker.state(flow.source) == ("RUNNING", ["RUNNING"])


def test_duplicates_that_nobody_has_accepted(copied, change, mirror_worker, west, east):
    """By each module, in both modes. What the source has no more is not copied again, and what the target would not keep is said."""
    flow, topics = copied(2)
    name, other = sorted(topics)
    copy, common = flow.copy_of(name), {"connect_url": [mirror_worker.url], "stop": True, "wait_timeout": 60}
    before = flow.worker.offsets(flow.source)
    east.kafka.delete(name, {0: 4, 1: 6})
    words = f"1 partition of {flow.source} goes back, first {name}-0 from 6 to 4, altogether by up to 2 records, which are copied again."
    topic = {"state": "absent", "offsets": [{"partition": part(name, number)} for number in (0, 1)]}
    cases = [
        ("", topic, words),
        ("", {"reset_to": "earliest", "topics": [name]}, words),
        ("", {"state": "absent"}, f"3 partitions of {flow.source} go back, first {name}-0 from 6 to 4, altogether by up to 14 records"),
        ("", {"offsets": pairs(other, 3), "purge": True}, f"{name}-0 from 6 to 4, altogether by up to 10 records"),
        ("_bulk", {"connectors": [{"name": flow.source, **topic}]}, words),
        ("_import", {"content": {flow.source: [{"partition": part(name, 0), "offset": None}]}}, words),
    ]
    for check in (True, False):
        for module, options, sentence in cases:
            only = {} if module else {"name": flow.source}
            result = run_module(f"connector_offsets{module}", {**common, **only, **options}, check=check)
            said = result["msg"]
            assert result["failed"] and sentence in said and "set accept_duplicates: true" in said, (options, said)
    assert flow.worker.offsets(flow.source) == before and flow.worker.state(flow.source) == ("RUNNING", ["RUNNING"])

    flow.worker.put(flow.source, "stop")
    flow.worker.await_state(flow.source, "STOPPED", [])
    # Of the partition 1 nothing is left that could be copied again.
    result = succeeded(change(flow, accept_duplicates=False, state="absent", offsets=topic["offsets"][1:]))
    assert not any("copied again" in text for text in result["warnings"])
    west.kafka.configure(copy, {"retention.ms": "0", "message.timestamp.before.max.ms": "1"})
    result = succeeded(run_module("connector_offsets_bulk", {**common, "bootstrap_servers": [west.bootstrap_servers], "connectors": [
        {"name": flow.source, "accept_duplicates": True, **topic}]}))
    assert words in result["warnings"]
    for limit in ("retention.ms: 0. Kafka deletes older records", "message.timestamp.before.max.ms: 1. Its brokers refuse older records"):
        assert any(text.startswith(f"The oldest of these records of {name} is from ") and f" ms ago, but {copy} on the target has {limit}"
                   in text for text in result["warnings"]), result["warnings"]
    result = succeeded(run_module("connector_offsets_import", {
        **common, "content": {flow.source: pairs(other, 3)}, "accept_duplicates": True}))
    assert f"1 partition of {flow.source} goes back, first {other}-0 from 6 to 4, altogether by up to 2 records, which are copied again." \
        in result["warnings"]
    assert stored(flow, other) == {0: 3, 1: 5} and stored(flow, name) == {}


def test_connectors_that_never_read_their_offsets(copied, change, mirror_worker):
    flow, (name,) = copied()
    held = wait_until(lambda: mirror_worker.offsets(flow.heartbeat), reason="an offset of the heartbeats")
    for options in ({"offsets": [{**held[0], "offset": {"offset": 1}}]}, {"reset_to": "earliest"}):
        result = change(flow, name=flow.heartbeat, **options)
        assert result["failed"] and "is a MirrorHeartbeatConnector, which never reads its offsets" in result["msg"]
    assert mirror_worker.offsets(flow.heartbeat) == held
    # To clear them away does no harm.
    result = succeeded(change(flow, name=flow.heartbeat, state="absent"))
    assert result["changed"] and any("never reads its offsets" in text for text in result["warnings"])


def test_beyond_the_log_with_force(copied, change):
    flow, (name,) = copied()
    flow.worker.put(flow.source, "stop")
    flow.worker.await_state(flow.source, "STOPPED", [])
    result = succeeded(change(flow, offsets=pairs(name, 99), force=True))
    assert any("would be outside of the log of east" in text for text in result["warnings"])
    assert stored(flow, name) == {0: 99, 1: 5}


# ---- without REST --------------------------------------------------------------------------------------------------------


def test_dedicated_nodes(dedicated, topic, east, west):
    name = topic(partitions=2)
    fill(east, name, *range(6))
    node = dedicated([name])
    copy = f"east.{name}"
    await_records(west, copy, 12)
    options = {"name": "MirrorSourceConnector", "bootstrap_servers": [west.bootstrap_servers], "method": "topic",
               "offset_topic": "mm2-offsets.east.internal", "wait_timeout": 60, "assume_stopped": True, "change_id": f"CHG-{name}",
               "offsets": [{"partition": part(name, 0), "next_offset": 4}]}

    def stored_now():
        found = run_module("connector_offsets_info", {key: options[key] for key in ("name", "bootstrap_servers", "method", "offset_topic")})
        return [one["offset"]["offset"] for one in found["offsets"] if one["partition"]["topic"] == name]

    wait_until(lambda: stored_now() == [5, 5], reason="the positions")
    running = run_module("connector_offsets", {**options, "accept_duplicates": True})
    assert running["failed"] and "but the brokers show a Connect worker that runs it: task 0 in the group east-mm2" in running["msg"]
    node.stop()
    for wrong in ([{"partition": part("other", 0), "next_offset": 0}], pairs("other", 1)):
        result = run_module("connector_offsets", {**options, "offsets": wrong})
        assert result["failed"] and "There is no topic other on the source cluster east" in result["msg"]
    back = run_module("connector_offsets", options)
    assert back["failed"] and f"first {name}-0 from 6 to 4, altogether by up to 2 records" in back["msg"]
    options["accept_duplicates"] = True
    for check in (True, False):
        result = succeeded(run_module("connector_offsets", options, check=check))
        assert result["changed"] and result["method"] == "topic" and stored_now() == ([5, 5] if check else [3, 5])
    again = succeeded(run_module("connector_offsets", options))
    assert (again["changed"], again["already_applied"]) == (False, True)
    node.start()
    await_records(west, copy, 14)
    assert values(west, copy, 0) == [*range(6), 4, 5] and values(west, copy, 1) == [*range(6)]
