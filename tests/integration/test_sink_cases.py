# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""C35: offsets of sinks, that is of a consumer group which may have other members, or not exist at all."""

from __future__ import annotations

import json
import threading
import time

import pytest

from tests.integration.support.configs import at, file_sink, sink_at
from tests.integration.support.modules import PREDICTED
from tests.integration.support.worker import wait_until


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.txt"


@pytest.fixture
def topic(name, kafka):
    """Five records in one partition."""
    kafka.produce(f"{name}-in", [f"r{number}" for number in range(5)])
    return f"{name}-in"


@pytest.fixture
def sink(name, topic, make, worker, out):
    """Has read all five, and is STOPPED."""
    make(file_sink(topic, out), state="RUNNING", name=name)
    wait_until(lambda: out.exists() and out.read_text().split() == ["r0", "r1", "r2", "r3", "r4"])
    worker.put(name, "stop")
    worker.await_state(name, "STOPPED", [])
    wait_until(lambda: worker.offsets(name) == [sink_at(topic, 5)])
    return name


@pytest.mark.parametrize("state", ["RUNNING", "PAUSED"])
def test_c35_not_stopped_is_refused(state, sink, topic, run, worker, recorder):
    worker.put(sink, "resume")
    worker.await_state(sink, "RUNNING", ["RUNNING"])
    if state == "PAUSED":
        worker.put(sink, "pause")
        worker.await_state(sink, "PAUSED", ["PAUSED"])
    result = run("connector_offsets", name=sink, offsets=[sink_at(topic, 2)], connect_url=[recorder.url])
    assert result["failed"] and state in result["msg"]
    assert recorder.verbs == {"GET"}
    assert worker.offsets(sink) == [sink_at(topic, 5)]


def test_c35_dry_real_again_and_the_records_come_again(sink, topic, run, worker, out, recorder):
    desired = {"name": sink, "offsets": [sink_at(topic, 2)], "connect_url": [recorder.url]}
    dry = run("connector_offsets", check=True, **desired)
    assert recorder.verbs == {"GET"} and worker.offsets(sink) == [sink_at(topic, 5)]
    real = run("connector_offsets", **desired)
    assert {key: dry[key] for key in PREDICTED} == {key: real[key] for key in PREDICTED}
    assert real["changed"] is True
    assert real["actions"] == [{"partition": {"kafka_topic": topic, "kafka_partition": 0}, "action": "set", "from": {"kafka_offset": 5},
                                "to": {"kafka_offset": 2}, "direction": "backward", "distance": 3}]
    assert worker.offsets(sink) == [sink_at(topic, 2)]
    # For a sink text and number are the same.
    for offset, partition in ((2, 0), ("2", "0"), (2, "0")):
        same = run("connector_offsets", name=sink, offsets=[sink_at(topic, offset, partition)])
        assert same["changed"] is False and same["offsets"] == [sink_at(topic, 2)]
    worker.put(sink, "resume")
    wait_until(lambda: out.read_text().split() == ["r0", "r1", "r2", "r3", "r4", "r2", "r3", "r4"], reason="the replay")


def test_c35_remove_one_and_all(sink, topic, run, worker):
    listed = {"name": sink, "state": "absent", "offsets": [{"partition": {"kafka_topic": topic, "kafka_partition": "0"}}]}
    assert run("connector_offsets", **listed)["changed"] is True
    assert worker.offsets(sink) == []
    assert run("connector_offsets", **listed)["changed"] is False
    worker.set_offsets(sink, [sink_at(topic, 3)])
    assert run("connector_offsets", name=sink, state="absent")["changed"] is True
    assert worker.offsets(sink) == []
    assert run("connector_offsets", name=sink, state="absent")["changed"] is False


def test_c35_stop_option_on_a_running_sink(sink, topic, run, worker, out):
    worker.put(sink, "resume")
    worker.await_state(sink, "RUNNING", ["RUNNING"])
    result = run("connector_offsets", name=sink, offsets=[sink_at(topic, 4)], stop=True)
    assert result["changed"] is True and result["connector"]["state"] == "RUNNING"
    assert worker.state(sink) == ("RUNNING", ["RUNNING"])
    wait_until(lambda: out.read_text().split()[5:] == ["r4"], reason="the replay of the last record")


def test_c35_new_sink_without_commits(name, topic, make, run, worker, out):
    make(file_sink(topic, out), name=name)
    info = run("connector_offsets_info", name=name)
    assert not info["failed"] and info["connector_exists"] is True and info["offsets"] == [] and info["offsets_count"] == 0
    assert info["connector"]["type"] == "sink"
    assert run("connector_offsets", name=name, state="absent")["changed"] is False
    listed = [{"partition": {"kafka_topic": topic, "kafka_partition": 0}}]
    assert run("connector_offsets", name=name, state="absent", offsets=listed)["changed"] is False
    assert run("connector_offsets", name=name, offsets=[sink_at(topic, 3)])["changed"] is True
    worker.put(name, "resume")
    wait_until(lambda: out.exists() and out.read_text().split() == ["r3", "r4"], reason="a start at record 3")


def test_c35_foreign_member_is_waited_for_and_then_told(sink, topic, run, worker, kafka, recorder):
    with kafka.member(f"connect-{sink}", topic):
        started = time.monotonic()
        result = run("connector_offsets", name=sink, offsets=[sink_at(topic, 2)], wait_timeout=4, connect_url=[recorder.url])
        assert 2 < time.monotonic() - started < 20
        assert result["failed"] and "haven't stopped completely" in result["msg"] and result["http_status"] == 500
        assert len(recorder.writes()) > 1, "was not tried again"
        assert worker.offsets(sink) == [sink_at(topic, 5)]
        assert worker.state(sink) == ("STOPPED", [])


def test_c35_foreign_member_that_leaves_in_time(sink, topic, run, worker, kafka):
    leave = threading.Event()
    joined = threading.Event()

    def stay():
        with kafka.member(f"connect-{sink}", topic):
            joined.set()
            leave.wait(20)

    guest = threading.Thread(target=stay)
    guest.start()
    try:
        assert joined.wait(20)
        threading.Timer(2, leave.set).start()
        result = run("connector_offsets", name=sink, offsets=[sink_at(topic, 2)], wait_timeout=30)
        assert leave.is_set(), "changed while the group had a member"
        assert result["changed"] is True
        assert worker.offsets(sink) == [sink_at(topic, 2)]
    finally:
        leave.set()
        guest.join()


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        (lambda topic: [sink_at(topic, -1)], "whole number"),
        (lambda topic: [sink_at(topic, 2.0)], "whole number"),
        (lambda topic: [sink_at(topic, "latest")], "whole number"),
        (lambda topic: [sink_at(topic, 2, "0"), sink_at(topic, 3, 0)], "same partition"),
        (lambda topic: [at(2)], "kafka_topic"),
        (lambda topic: [{"topic": topic, "partition": 0, "offset": 2}],
         "{partition: {kafka_topic: TOPIC, kafka_partition: NUMBER}, offset: {kafka_offset: NUMBER}}"),
        (lambda topic: [{"partition": {"topic": topic, "partition": 0}, "offset": {"offset": 2}}],
         "exactly the fields kafka_topic and kafka_partition; it has partition, topic"),
        (lambda topic: [sink_at(topic, 2) | {"offset": {"offset": 2}}], "exactly the field kafka_offset; it has offset"),
        (lambda topic: [sink_at(topic, 2) | {"offset": {"kafka_offset": 2, "x": 1}}], "kafka_offset"),
        (lambda topic: [sink_at(topic, 2, 7)], "Failed to alter consumer group offsets"),
        (lambda topic: [sink_at("no-such-topic", 2)], "does not read no-such-topic; it reads t-"),
    ], ids=["minus", "float", "word", "twice", "source", "flat", "names", "name", "extra", "no partition", "no topic"])
def test_c35_refused(offsets, message, sink, topic, run, worker):
    result = run("connector_offsets", name=sink, offsets=offsets(topic), wait_timeout=5)
    assert result["failed"] and message in result["msg"], json.dumps(result)
    assert worker.offsets(sink) == [sink_at(topic, 5)]
    assert worker.state(sink) == ("STOPPED", [])


def test_c35_one_bad_partition_among_good_ones_changes_nothing(sink, topic, run, worker):
    """Connect may have altered the good one when it answers 500."""
    result = run("connector_offsets", name=sink, offsets=[sink_at(topic, 1), sink_at(topic, 2, 7)], wait_timeout=5)
    assert result["failed"] and "as they were" in result["msg"]
    assert worker.offsets(sink) == [sink_at(topic, 5)]


# ---- what its configuration says, by REST alone --------------------------------------------------------------------

def test_n01_a_transform_renames_the_topic(name, topic, make, run, worker, kafka, out, recorder):
    """Connect takes an offset for the new name if there is such a topic, and it has no effect."""
    renamed = f"r-{topic}"
    kafka.create(renamed, 1, "delete")
    router = "org.apache.kafka.connect.transforms.RegexRouter"
    make({**file_sink(topic, out), "transforms": "route", "transforms.route.type": router, "transforms.route.regex": "(.*)",
          "transforms.route.replacement": "r-$1"}, state="RUNNING", name=name)
    wait_until(lambda: out.exists() and len(out.read_text().split()) == 5)
    worker.put(name, "stop")
    wait_until(lambda: worker.offsets(name) == [sink_at(topic, 5)])
    for declared in ([sink_at(renamed, 0)], [sink_at(topic, 1), sink_at(renamed, 0)]):
        result = run("connector_offsets", name=name, offsets=declared, connect_url=[recorder.url])
        assert result["failed"] and result["msg"] == (
            f"{name} does not read {renamed}; it reads {topic}. Its transform route ({router}) renames topics after they are read, and "
            f"offsets are kept under the name that is read: {topic} for {renamed}. An offset for another topic has no effect. Declare "
            "offsets for what it reads, or use force: true if that is meant. Nothing was changed.")
    assert recorder.verbs == {"GET"}
    worker.set_offsets(name, [sink_at(renamed, 0)])  # as another tool does
    wait_until(lambda: len(worker.offsets(name)) == 2)
    assert run("connector_offsets", name=name, state="absent", offsets=[{"partition": sink_at(renamed, 0)["partition"]}])["changed"] is True
    assert worker.offsets(name) == [sink_at(topic, 5)]
    assert run("connector_offsets", name=name, offsets=[sink_at(topic, 3)])["changed"] is True
    worker.put(name, "resume")
    wait_until(lambda: out.read_text().split()[5:] == ["r3", "r4"], reason="the replay")


def test_n02_a_reset_that_goes_to_the_end(name, topic, make, run, worker, kafka, out):
    latest = {"consumer.override.auto.offset.reset": "latest"}
    make({**file_sink(topic, out), **latest}, name=name, offsets=[sink_at(topic, 0)], state="RUNNING")
    wait_until(lambda: out.exists() and len(out.read_text().split()) == 5)
    wait_until(lambda: worker.offsets(name) == [sink_at(topic, 5)], reason="its commit")
    begins = "the end of the log (consumer.override.auto.offset.reset: latest)"
    replay = run("connector_offsets", name=name, state="absent", only="backward", stop=True)
    assert replay["failed"] and f"begins there at {begins}" in replay["msg"] and worker.offsets(name) == [sink_at(topic, 5)]
    reset = {"name": name, "state": "absent", "stop": True, "check_position": "warn", "check_position_timeout": 2}
    dry = run("connector_offsets", check=True, **reset)
    real = run("connector_offsets", **reset)
    for result in (dry, real):
        assert result["changed"] is True and f"removed, to {begins}" in result["diff"][0]["prepared"]
        begun = f"{name} will have no offset for 1 partition, and begins there at {begins}: "
        assert any(one.startswith(begun) for one in result["warnings"])
    worker.await_state(name, "RUNNING", ["RUNNING"])
    assert real["position"]["verdict"] == "cannot_tell", "nothing read again is no success"

    def new_ones():
        kafka.produce(topic, ["new"])
        return "new" in out.read_text().split()

    wait_until(new_ones, reason="a record that came once it had begun at the end")
    assert set(out.read_text().split()[5:]) == {"new"}


@pytest.mark.parametrize("group", [None, "mine"])
def test_the_group_by_rest_alone(group, name, topic, make, run, out):
    make({**file_sink(topic, out), **({"consumer.override.group.id": f"{group}-{name}"} if group else {})}, name=name)
    found = run("connector_offsets_info", name=name)
    assert found["group"] == {"name": f"{group or 'connect'}-{name}", "state": None, "members": None} and found["lag"] is None
