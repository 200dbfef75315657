# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""C09, C35, C36: sinks with brokers at hand: by time, by the group itself, on old workers, without a connector."""

from __future__ import annotations

import json
import re
import time
import uuid

import pytest
from confluent_kafka import TopicPartition

from tests.integration.support.configs import file_sink, sink_at
from tests.integration.support.sinks import Sinks
from tests.integration.support.worker import wait_until

#: 2026-01-31T12:00:00Z
NOON = 1769860800000
MINUTE = 60000


@pytest.fixture
def sinks_of(run, kafka, tmp_path):
    opened = []

    def sinks_of(cluster):
        opened.append(Sinks(run, kafka, cluster, tmp_path))
        return opened[-1]

    yield sinks_of
    for one in opened:
        one.close()


@pytest.fixture
def sinks(sinks_of, main):
    return sinks_of(main)


@pytest.fixture
def five(sinks):
    """(a STOPPED sink that has read all five records, its topic)"""
    topic = sinks.topic()
    sinks.produce(topic, *[(0, f"r{number}") for number in range(5)])
    name = sinks.make(topic)
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4")
    sinks.stop(name)
    assert sinks.commits(f"connect-{name}") == {(topic, 0): 5}
    return name, topic


JSON = {"value.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter.schemas.enable": "false"}


def poisoned(sinks, topic, **config):
    """A sink that runs no more: record 2 of partition 3 is no JSON."""
    sinks.produce(topic, (0, '"a0"'), (3, '"d0"'), (3, '"d1"'), (3, "poison{"), (3, '"d3"'))
    name = sinks.make(topic, **JSON, **config)
    wait_until(lambda: sinks.worker.state(name)[1] == ["FAILED"], reason="a task that fails")
    return name


# ---- the day of an operator ---------------------------------------------------------------------------------------

def test_a_poison_record_is_skipped_and_the_sink_runs_again(sinks):
    topic = sinks.topic(4)
    name = poisoned(sinks, topic)
    desired = {"offsets": [sink_at(topic, 3, 3)], "stop": True, "direction": "forward", "max_skip": 3}
    committed = sinks.commits(f"connect-{name}").get((topic, 3))
    if committed is None:  # the task died before its first commit: a guard does not know how far that is
        desired = {"offsets": [sink_at(topic, 3, 3)], "stop": True}
    result = sinks.done(name, **desired)
    assert result["connector"]["state"] == "RUNNING" and result["method"] == "rest"
    wait_until(lambda: "d3" in sinks.lines(name), reason="the record after the poison")
    assert sinks.worker.state(name) == ("RUNNING", ["RUNNING"])
    # Skipped once and for all: a later run leaves a sink alone that has gone on.
    sinks.produce(topic, (3, '"d4"'))
    wait_until(lambda: sinks.commits(f"connect-{name}").get((topic, 3)) == 5, reason="a commit behind the last record")
    again = sinks.change(name, offsets=[sink_at(topic, 3, 3)], stop=True, direction="forward")
    assert again["changed"] is False and sinks.worker.state(name) == ("RUNNING", ["RUNNING"])


def test_a_replay_by_time_over_gaps_and_empty_partitions(sinks):
    topic = sinks.topic(6)
    sinks.produce(topic, (0, "a0", NOON - MINUTE), (0, "a1", NOON), (0, "a2", NOON + MINUTE),  # the very time
                  (1, "b0", NOON - 2 * MINUTE), (1, "b1", NOON + 5 * MINUTE),  # a gap around it
                  (2, "c0", NOON - 2 * MINUTE), (2, "c1", NOON - MINUTE),  # all before it
                  (3, "d0", NOON + MINUTE), (3, "d1", NOON - MINUTE), (3, "d2", NOON + MINUTE))  # out of order
    name = sinks.make(topic)
    everything = {"a0", "a1", "a2", "b0", "b1", "c0", "c1", "d0", "d1", "d2"}
    wait_until(lambda: set(sinks.lines(name)) == everything, reason="all records")
    wait_until(lambda: sum(sinks.commits(f"connect-{name}").values()) == 10, reason="all commits")
    result = sinks.done(name, reset_to={"timestamp": "2026-01-31T13:00:00+01:00"}, stop=True)
    assert {action["partition"]["kafka_partition"]: action["to"]["kafka_offset"] for action in result["actions"]} == {
        0: 1, 1: 1, 2: 2, 3: 0, 4: 0, 5: 0}
    lines = result["diff"][0]["prepared"].splitlines()
    assert any(line.endswith("backward by 2, to the record of 2026-01-31T12:00:00.000Z") for line in lines)
    wait_until(lambda: sorted(sinks.lines(name)[10:]) == ["a1", "a2", "b1", "d0", "d1", "d2"], reason="the replay, no more and no less")


@pytest.mark.parametrize(("reset_to", "offset"), [("earliest", 0), ({"shift_by": -2}, 3), ({"shift_by": -9}, 0), ({"timestamp": NOON}, 0)])
def test_words_and_their_numbers(reset_to, offset, five, sinks):
    name, topic = five
    result = sinks.done(name, reset_to=reset_to)
    assert sinks.commits(f"connect-{name}") == {(topic, 0): offset} and result["method"] == "rest"
    assert ("does not hold that many records" in "".join(result["warnings"])) is (reset_to == {"shift_by": -9})
    assert sinks.change(name, reset_to="latest")["offsets"] == [sink_at(topic, 5)]
    assert sinks.change(name, reset_to={"duration": "PT1H"})["offsets"] == [sink_at(topic, 0)]  # all records are younger
    assert sinks.change(name, reset_to="latest", topics=[{"name": topic, "partitions": [0]}])["offsets"] == [sink_at(topic, 5)]


@pytest.mark.parametrize(("desired", "words"), [
    ({"reset_to": "first"}, "reset_to must be earliest, latest"),
    ({"reset_to": {"timestamp": "2026-01-31T12:00:00"}}, "with its time zone"),
    ({"reset_to": {"timestamp": "2126-01-31T12:00:00Z"}}, "is in the future"),
    ({"reset_to": "latest", "topics": ["no-such-topic"]}, "does not read no-such-topic; it reads"),
    ({"reset_to": "latest", "purge": True}, "reset_to is the whole declaration, and takes no purge"),
    ({"reset_to": {"shift_by": 1}, "max_skip": 0, "bootstrap_servers": []}, "needs kafka_bootstrap_servers"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_words_that_mean_nothing(desired, words, five, sinks):
    name, topic = five
    message = sinks.refused(name, **desired)
    assert words in message and "Nothing was changed." in message
    assert sinks.commits(f"connect-{name}") == {(topic, 0): 5}


def test_words_are_not_for_a_source(make, sinks):
    name = make({"connector.class": "streamops.test.ShapedSourceConnector", "tasks.max": "1"})
    assert "is a source, and reset_to is for sinks" in sinks.refused(name, reset_to="earliest")


# ---- the truth ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("method", ["rest", "group"])
@pytest.mark.parametrize(("offset", "partition", "words"), [
    (100, 0, "-0 to 100, but it holds 0 to 5"), (2, 7, "There is no partition 7 of the topic"), (6, 0, "-0 to 6, but it holds 0 to 5")])
def test_what_the_log_does_not_hold(method, offset, partition, words, five, sinks):
    name, topic = five
    assert words in sinks.refused(name, offsets=[sink_at(topic, offset, partition)], method=method)
    assert sinks.commits(f"connect-{name}") == {(topic, 0): 5}
    if partition == 0:
        forced = sinks.done(name, offsets=[sink_at(topic, offset, partition)], method=method, force=True)
        assert "outside of the log" in "".join(forced["warnings"])
        assert "at an offset that the log does not hold" in "".join(sinks.look(name)["warnings"])


def test_records_that_retention_has_removed(five, sinks):
    name, topic = five
    sinks.kafka._admin.delete_records([TopicPartition(topic, 0, 3)])[TopicPartition(topic, 0)].result(20)
    assert "-0 to 1, but it holds 3 to 5" in sinks.refused(name, offsets=[sink_at(topic, 1)])
    assert sinks.done(name, reset_to="earliest")["offsets"] == [sink_at(topic, 3)]
    position, = sinks.look(name)["positions"]
    assert (position["begin"], position["committed"], position["lag"]) == (3, 3, 2)
    assert sinks.change(name, reset_to={"shift_by": -1})["changed"] is False  # it is at the beginning


@pytest.mark.parametrize("method", ["rest", "group"])
def test_a_topic_that_is_not_there(method, five, sinks):
    name, topic = five
    for force in (False, True):
        message = sinks.refused(name, offsets=[sink_at("no-such-topic", 1), sink_at(topic, 1)], method=method, force=force)
        assert message.startswith("There is no topic no-such-topic on the Kafka cluster at " if force else
                                  f"{name} does not read no-such-topic; it reads {topic}.")
    assert sinks.commits(f"connect-{name}") == {(topic, 0): 5}


def test_a_topic_that_was_deleted_since(sinks):
    gone, stays = sinks.topic(), sinks.topic()
    for topic in (gone, stays):
        sinks.produce(topic, (0, "x"), (0, "y"))
    name = sinks.make(f"{gone},{stays}")
    wait_until(lambda: len(sinks.commits(f"connect-{name}")) == 2, reason="commits for both")
    sinks.stop(name)
    sinks.kafka.drop(gone)
    wait_until(lambda: not sinks.kafka.exists(gone), reason="the topic to be gone")
    # The brokers forget the commits for it as well, a moment later: check mode and the real run have to see the same.
    wait_until(lambda: set(sinks.commits(f"connect-{name}")) == {(stays, 0)}, reason="its commits to be gone")
    result = sinks.done(name, reset_to="earliest")
    assert f"reads {gone}, but there is no such topic" in "".join(result["warnings"])
    assert sinks.commits(f"connect-{name}").get((stays, 0)) == 0
    assert "There is no topic" in sinks.refused(name, offsets=[sink_at(gone, 1)])
    assert sinks.change(name, state="absent")["changed"] is True and sinks.commits(f"connect-{name}") == {}


# ---- the group ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("method", ["rest", "group"])
def test_a_foreign_member_is_named(method, five, sinks):
    name, topic = five
    with sinks.kafka.member(f"connect-{name}", topic):
        for check in (True, False):
            result = sinks.change(name, check=check, offsets=[sink_at(topic, 2)], method=method, wait_timeout=3)
            assert result["failed"] and "rdkafka at 127.0.0.1" in result["msg"] and "Nothing was changed." in result["msg"], result
            assert result["members"][0]["client_id"] == "rdkafka"
        assert sinks.commits(f"connect-{name}") == {(topic, 0): 5}
        members = sinks.look(name)["group"]["members"]
        assert [(one["client_id"], one["host"]) for one in members] == [("rdkafka", "127.0.0.1")]
    wait_until(lambda: not sinks.look(name)["group"]["members"], reason="the member to leave")
    assert sinks.change(name, offsets=[sink_at(topic, 2)], method=method)["changed"] is True


def test_a_static_member_stays_until_its_session_is_over(sinks, run):
    topic = sinks.topic()
    sinks.produce(topic, *[(0, f"r{number}") for number in range(5)])
    name = sinks.make(topic, **{"consumer.override.group.instance.id": "pod-7", "consumer.override.session.timeout.ms": "15000",
                                "consumer.override.heartbeat.interval.ms": "3000"})
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4")
    wait_until(lambda: sinks.commits(f"connect-{name}") == {(topic, 0): 5}, reason="a commit")
    desired = {"offsets": [sink_at(topic, 2)], "stop": True}
    message = sinks.refused(name, wait_timeout=8, **desired)
    assert f"connector-consumer-{name}-0 at 127.0.0.1 ({topic}-0), static member pod-7." in message
    assert "until its session time-out is over (session.timeout.ms, 15000 ms): wait that long. " in message
    assert message.endswith("The connector was restored: it is RUNNING with 1 task (RUNNING).")
    assert sinks.commits(f"connect-{name}") == {(topic, 0): 5}
    # By REST alone.
    result = run("connector_offsets", name=name, **desired)
    assert not result["failed"] and result["connector"]["state"] == "RUNNING", result
    warning = f"{name} is a static member of its consumer group connect-{name} (consumer.override.group.instance.id: pod-7)."
    assert any(one.startswith(warning) for one in result["warnings"])
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4", "r2", "r3", "r4")


@pytest.mark.parametrize("method", ["rest", "group"])
def test_a_group_that_never_existed(method, sinks, make):
    topic = sinks.topic()
    sinks.produce(topic, *[(0, f"r{number}") for number in range(5)])
    name = make(file_sink(topic, sinks.folder / "new.txt"))
    info = sinks.look(name, method=method)
    assert info["offsets"] == [] and info["group"]["state"] is None and info["lag"] is None
    assert info["positions"] == [{"topic": topic, "partition": 0, "committed": None, "begin": 0, "end": 5, "lag": None, "member": None}]
    assert sinks.change(name, state="absent", method=method)["changed"] is False
    sinks.done(name, offsets=[sink_at(topic, 3)], method=method)
    sinks.worker.put(name, "resume")
    wait_until(lambda: (sinks.folder / "new.txt").exists() and (sinks.folder / "new.txt").read_text().split() == ["r3", "r4"],
               reason="a start at record 3")


def test_the_group_of_an_override(sinks):
    topic, group = sinks.topic(), f"mine-{uuid.uuid4().hex[:8]}"
    sinks.produce(topic, *[(0, f"r{number}") for number in range(5)])
    name = sinks.make(topic, **{"consumer.override.group.id": group})
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4")
    sinks.stop(name)
    for method, offset in (("rest", 4), ("group", 3)):
        result = sinks.done(name, offsets=[sink_at(topic, offset)], method=method)
        assert result["consumer_group"] == group and sinks.commits(group) == {(topic, 0): offset}
    assert sinks.look(name)["group"]["name"] == group and sinks.commits(f"connect-{name}") == {}


def test_single_offsets_are_removed_by_making_the_group_anew(sinks, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))  # for the backup
    topic = sinks.topic(3)
    name = f"t-{uuid.uuid4().hex[:8]}"
    sinks.commit(f"connect-{name}", offsets={(topic, 0): 0, (topic, 1): 0, (topic, 2): 0})
    listed = [{"partition": {"kafka_topic": topic, "kafka_partition": 1}}]
    result = sinks.change(name, state="absent", offsets=listed)
    assert result["changed"] is True and sinks.commits(f"connect-{name}") == {(topic, 0): 0, (topic, 2): 0}
    with open(result["backup_file"], encoding="utf-8") as file:
        assert len(json.load(file)["connectors"][name]) == 3
    assert sinks.change(name, state="absent", offsets=listed)["changed"] is False
    assert sinks.change(name, state="absent")["changed"] is True and f"connect-{name}" not in sinks.kafka.groups()


# ---- no connector, no worker --------------------------------------------------------------------------------------

def test_a_sink_that_is_gone(five, sinks):
    name, topic = five
    sinks.delete(name)
    info = sinks.look(name)
    assert (info["connector_exists"], info["method"], info["offsets"]) == (False, "group", [sink_at(topic, 5)])
    # Nothing of it was ever on the offsets topic, and that is no answer.
    by_topic = {"method": "topic", "offset_topic": sinks.cluster.offset_topic}
    words = (f"There is no connector {name} and no offset of it on {sinks.cluster.offset_topic}, but the consumer group connect-{name} has "
             "offsets of 1 partition: it was a sink. Use method: group (or auto) for these.")
    assert sinks.refused(name, state="absent", **by_topic) == words + " Nothing was changed."
    assert words in sinks.look(name, **by_topic)["warnings"]
    assert sinks.done(name, offsets=[sink_at(topic, 2)])["connector_exists"] is False
    assert sinks.done(name, reset_to={"shift_by": 1})["offsets"] == [sink_at(topic, 3)]
    sinks.out(name).unlink()
    sinks.worker.create(name, file_sink(topic, sinks.out(name)), None)
    sinks.await_lines(name, "r3", "r4")
    sinks.delete(name)
    assert sinks.done(name, state="absent")["method"] == "group"
    assert sinks.change(name, state="absent", method="group")["changed"] is False


def test_n23_a_sink_is_not_looked_for_on_the_offsets_topic(five, sinks):
    """Workers make that topic also where there are sinks alone. One that is deleted is in the test before."""
    name, topic = five
    words = (f"{name} is a sink: its offsets are the commits of its consumer group connect-{name}, not records of an offsets topic or "
             "file. Use method: group, or auto.")
    by_topic = {"method": "topic", "offset_topic": sinks.cluster.offset_topic}
    for declared in ({"state": "absent"}, {"offsets": [sink_at(topic, 2)]}):
        assert sinks.refused(name, **declared, **by_topic) == words + " Nothing was changed."
    assert sinks.commits(f"connect-{name}") == {(topic, 0): 5}


def test_without_a_worker(five, sinks):
    name, topic = five
    result = sinks.done(name, connect_url=None, offsets=[sink_at(topic, 2)])
    assert (result["method"], result["connector_exists"], result["connector"]) == ("group", None, None)
    assert sinks.worker.offsets(name) == [sink_at(topic, 2)]


def test_without_a_worker_a_sink_that_runs_is_safe(five, sinks):
    name, topic = five
    sinks.worker.put(name, "resume")
    wait_until(lambda: sinks.look(name)["group"]["members"], reason="a member")
    message = sinks.refused(name, connect_url=None, offsets=[sink_at(topic, 2)], wait_timeout=3)
    assert f"connector-consumer-{name}-0 at 127.0.0.1" in message and sinks.commits(f"connect-{name}") == {(topic, 0): 5}


# ---- old workers --------------------------------------------------------------------------------------------------

def test_connect_3_5_by_the_group(sinks_of, v35):
    sinks = sinks_of(v35)
    topic = sinks.topic(2)
    sinks.produce(topic, *[(0, f"r{number}") for number in range(5)])
    name = sinks.make(topic)
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4")
    wait_until(lambda: sinks.commits(f"connect-{name}").get((topic, 0)) == 5, reason="a commit")
    result = sinks.done(name, offsets=[sink_at(topic, 3)], stop=True)
    assert result["method"] == "group" and "cannot change offsets by REST" in result["method_reason"]
    assert result["connector"]["state"] == "RUNNING"
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4", "r3", "r4")
    info = sinks.look(name)
    assert info["method"] == "rest" and info["group"]["members"][0]["client_id"] == f"connector-consumer-{name}-0"


def test_connect_3_4_a_task_stays_in_the_group(sinks_of, v34):
    sinks = sinks_of(v34)
    topic = sinks.topic()
    sinks.produce(topic, *[(0, f"r{number}") for number in range(5)])
    name = sinks.make(topic)
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4")
    wait_until(lambda: sinks.commits(f"connect-{name}") == {(topic, 0): 5}, reason="a commit")
    assert sinks.look(name)["method"] == "group" and sinks.look(name)["lag"] == 0
    for state in ("RUNNING", "PAUSED"):
        if state == "PAUSED":
            sinks.worker.put(name, "pause")
            sinks.worker.await_state(name, "PAUSED", ["PAUSED"])
        message = sinks.refused(name, offsets=[sink_at(topic, 2)], stop=True)
        assert f"connector-consumer-{name}-0 at 127.0.0.1" in message and "Either delete the connector" in message
        assert sinks.worker.state(name) == (state, [state]) and sinks.commits(f"connect-{name}") == {(topic, 0): 5}
    # The way that the message tells.
    config = sinks.worker.config(name)
    sinks.delete(name)
    sinks.done(name, offsets=[sink_at(topic, 2)])
    sinks.out(name).unlink()
    sinks.worker.create(name, config, None)
    sinks.await_lines(name, "r2", "r3", "r4")


def test_connect_3_4_a_poison_record(sinks_of, v34):
    sinks = sinks_of(v34)
    topic = sinks.topic(4)
    name = poisoned(sinks, topic)
    result = sinks.done(name, offsets=[sink_at(topic, 3, 3)], stop=True)
    assert result["method"] == "group" and result["connector"]["state"] == "RUNNING"
    wait_until(lambda: "d3" in sinks.lines(name), reason="the record after the poison")
    assert sinks.worker.state(name) == ("RUNNING", ["RUNNING"])


# ---- once, back, guarded ------------------------------------------------------------------------------------------

@pytest.mark.parametrize("method", ["rest", "group"])
def test_once_and_back(method, five, sinks, tmp_path):
    name, topic = five
    ledger = {"change_id": "CHG-1", "ledger_file": str(tmp_path / "ledger.json"), "method": method}
    desired = {"reset_to": {"shift_by": -2}, **ledger}
    sinks.worker.put(name, "resume")
    sinks.worker.await_state(name, "RUNNING", ["RUNNING"])
    dry = sinks.change(name, check=True, stop=True, **desired)
    first = sinks.change(name, stop=True, **desired)
    assert first["changed"] and dry["diff"] == first["diff"] and first["change"]["method"] == method
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4", "r3", "r4")
    for check in (True, False):
        again = sinks.change(name, check=check, stop=True, **desired)
        assert (again["changed"], again["already_applied"]) == (False, True)
    assert "meant something else" in sinks.refused(name, stop=True, reset_to="earliest", **ledger)
    back = sinks.change(name, stop=True, state="restored", change_id="CHG-1", ledger_file=ledger["ledger_file"])
    assert not back["failed"] and back["method"] == method and sinks.commits(f"connect-{name}") == {(topic, 0): 5}
    time.sleep(1.5)
    assert sinks.lines(name) == ["r0", "r1", "r2", "r3", "r4", "r3", "r4"]


@pytest.mark.parametrize("method", ["rest", "group"])
def test_guards(method, five, sinks):
    name, topic = five
    message = sinks.refused(name, reset_to="earliest", max_rewind=4, method=method)
    assert message.startswith("max_rewind is 4, but 1 partition of ") and sinks.commits(f"connect-{name}") == {(topic, 0): 5}
    assert sinks.change(name, reset_to="earliest", only="forward", method=method)["changed"] is False
    assert sinks.change(name, reset_to="earliest", max_rewind=5, method=method)["changed"] is True


# ---- what there is to see -----------------------------------------------------------------------------------------

def test_how_far_it_is(sinks):
    topic = sinks.topic(2)
    sinks.produce(topic, (0, "a"), (0, "b"))
    name = sinks.make(topic)
    sinks.await_lines(name, "a", "b")
    wait_until(lambda: sinks.commits(f"connect-{name}").get((topic, 0)) == 2, reason="a commit")
    running = sinks.look(name)
    client = f"connector-consumer-{name}-0"
    assert running["group"] == {"name": f"connect-{name}", "state": "STABLE",
                                "members": [{"client_id": client, "host": "127.0.0.1", "partitions": 2}]}
    assert running["positions"][0] == {"topic": topic, "partition": 0, "committed": 2, "begin": 0, "end": 2, "lag": 0, "member": client}
    sinks.stop(name)
    sinks.produce(topic, (0, "c"), (1, "d"))
    stopped = sinks.look(name)
    assert stopped["group"]["state"] == "EMPTY" and stopped["lag"] == 1 + (stopped["positions"][1]["lag"] or 0)
    partial = f"1 partition of {name} with records have no offset, first {topic}-1: what there is to read is not part of the lag."
    assert (partial in stopped["warnings"]) is (stopped["positions"][1]["committed"] is None)
    assert "offsets.retention.minutes is 10080, that is 7 days" in "".join(stopped["warnings"])
    everything = sinks.look(offset_topic=sinks.cluster.offset_topic)
    assert name in [one["name"] for one in everything["connectors"]] and everything["lag"] >= 1
    only = sinks.look(method="group")
    assert {one["method"] for one in only["connectors"]} == {"rest"} or {one["method"] for one in only["connectors"]} == {"group"}


def test_the_report(sinks, playbooks, main, kafka):
    topic = sinks.topic()
    sinks.produce(topic, (0, "a"), (0, "b"))
    name = sinks.make(topic)
    sinks.await_lines(name, "a", "b")
    wait_until(lambda: sinks.commits(f"connect-{name}") == {(topic, 0): 2}, reason="a commit")
    sinks.stop(name)
    sinks.produce(topic, (0, "c"))
    play = playbooks.run("streamops.kafka_connect.offsets_report", {"eu": {
        "kafka_connect_url": main.url, "kafka_bootstrap_servers": [kafka.bootstrap_servers],
        "kafka_connect_offset_topic": main.offset_topic}}, offsets_report_lines=0)
    assert play.rc == 0, play
    # A long line is cut.
    assert re.search(rf'{name} +sink STOPPED +1 +- +lag 1, group ', play.stdout), play
    assert "to read" in play.stdout and f"{name}: 1 partition, lag 1" in play.stdout


def test_groups_that_are_left(sinks, sinks_of, v35, playbooks):
    """Of a sink that was deleted, and of one that another Connect cluster has, as nobody can tell these two apart; of none that is here."""
    topic, other = sinks.topic(2), sinks_of(v35)
    sinks.produce(topic, (0, "a"), (0, "b"), (1, "c"))
    here, gone, there = sinks.make(topic), sinks.make(topic), other.make(topic)
    for one, name in ((sinks, here), (sinks, gone), (other, there)):
        wait_until(lambda name=name: sinks.commits(f"connect-{name}") == {(topic, 0): 2, (topic, 1): 1}, reason="the commits")
        one.stop(name)
    sinks.delete(gone)
    sinks.produce(topic, (0, "d"), (1, "e"), (1, "f"))
    found = {one["connector"]: one for one in sinks.look(method="group")["orphaned_groups"]}
    for name in (gone, there):
        assert found[name] == {"group": f"connect-{name}", "connector": name, "offsets_count": 2, "lag": 3}
    assert here not in found and there not in [one["connector"] for one in other.look(method="group")["orphaned_groups"]]
    # The workers' own groups have no offsets.
    assert not {"main", "v35"} & set(found)
    folder = sinks.folder / "reports"
    play = playbooks.run("streamops.kafka_connect.offsets_report", {"eu": {
        "kafka_connect_url": sinks.cluster.url, "kafka_bootstrap_servers": [sinks.kafka.bootstrap_servers],
        "kafka_connect_offset_topic": sinks.cluster.offset_topic}}, offsets_report_lines=0, offsets_report_dir=str(folder))
    assert play.rc == 0 and "A guess by the name: another Connect cluster" in play.stdout, play
    assert f"connect-{gone}: 2 partitions, lag 3" in play.stdout and f"connect-{there}: 2 partitions, lag 3" in play.stdout
    report = json.loads((folder / "eu.json").read_text())
    assert gone in [one["connector"] for one in report["orphaned_groups"]] and gone not in report["orphans"]
    # What the report says: the offsets of the one that is gone can be removed.
    assert sinks.change(gone, state="absent", method="group")["changed"] is True
    assert gone not in [one["connector"] for one in sinks.look(method="group")["orphaned_groups"]]


# ---- the role -----------------------------------------------------------------------------------------------------

def test_the_role(sinks, playbooks, main, kafka):
    topic = sinks.topic()
    sinks.produce(topic, *[(0, f"r{number}", NOON + number * MINUTE) for number in range(5)])
    name = sinks.make(topic)
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4")
    wait_until(lambda: sinks.commits(f"connect-{name}") == {(topic, 0): 5}, reason="a commit")
    hosts = {"eu": {"kafka_connect_url": main.url, "kafka_bootstrap_servers": [kafka.bootstrap_servers]}}
    desired = [{"name": name, "reset_to": {"timestamp": "2026-01-31T12:03:00Z"}, "topics": [topic], "change_id": f"CHG-{name}"}]
    dry = playbooks.reset(hosts, desired, "--check", "--diff")
    assert dry.rc == 0 and "to the record of 2026-01-31T12:03:00.000Z" in dry.stdout, dry
    assert sinks.commits(f"connect-{name}") == {(topic, 0): 5}
    real = playbooks.reset(hosts, desired)
    assert real.rc == 0 and (real.rows[name]["RESULT"], real.rows[name]["SET"]) == ("changed", "1"), real
    sinks.await_lines(name, "r0", "r1", "r2", "r3", "r4", "r3", "r4")
    again = playbooks.reset(hosts, desired)
    assert again.rc == 0 and again.rows[name]["RESULT"] == "already applied", again
    group = playbooks.reset(hosts, [{"name": name, "reset_to": "latest", "consumer_group": f"connect-{name}", "final_state": "stopped"}],
                            reset_offsets_method="group")
    assert group.rc == 0, group


# ---- the topic of a running sink -------------------------------------------------------------------------------------------


def test_a_topic_that_a_running_sink_reads_is_not_deleted(run, kafka, sinks):
    topic = sinks.topic()
    sinks.produce(topic, (0, "r0"))
    name = sinks.make(topic)
    sinks.await_lines(name, "r0")
    brokers = {"bootstrap_servers": [kafka.bootstrap_servers], "state": "absent"}
    for check in (True, False):
        refused = run("topic", check=check, name=topic, **brokers)
        assert refused["failed"] and f": {name} (RUNNING) reads {topic}. Stop them first" in refused["msg"], refused["msg"]
    assert run("topic", check=True, names=[topic], force=True, **brokers)["warnings"][0].endswith(f"{name} (RUNNING) reads {topic}.")
    assert run("topic", name=topic, **{**brokers, "state": "emptied"})["changed"]
    sinks.stop(name)
    assert run("topic", name=topic, **brokers)["changed"] and not run("topic", name=topic, **brokers)["changed"]
