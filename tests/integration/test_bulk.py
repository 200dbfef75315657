# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module connector_offsets_bulk: a list of connectors of one cluster, changed in one pass."""

from __future__ import annotations

import uuid

import pytest

from tests.integration.support.configs import at, file_sink, shaped, sink_at
from tests.integration.support.worker import wait_until


@pytest.fixture
def sink(make, kafka, tmp_path) -> tuple[str, str]:
    """A sink that has read three records, stopped; and its topic."""
    topic = kafka.create(f"b-{uuid.uuid4().hex[:8]}", 1, "delete")
    kafka.raw(topic, [(0, b"k", b"v")] * 3)
    yield make(file_sink(topic, tmp_path / "out"), offsets=[sink_at(topic, 3)]), topic
    kafka.drop(topic)


def test_all_kinds_at_once(make, run, worker, kafka, main, recorder, sink, tmp_path):
    """A source that runs, one to reset, one that is right already, and a sink: in check mode, for real, again, and undone."""
    running = make(shaped(records_per_partition=20), state="RUNNING", offsets=[at(4)])
    reset, same = make(shaped(), offsets=[at(4), at(5, p=1)]), make(shaped(), offsets=[at(9)])
    worker.await_state(running, "RUNNING", ["RUNNING"])
    wait_until(lambda: worker.offsets(running) == [at(19)])
    names, topic = [running, reset, same, sink[0]], sink[1]
    brokers = {"bootstrap_servers": [kafka.bootstrap_servers], "offset_topic": main.offset_topic}
    desired = {"change_id": f"CHG-{reset}", "stop": True, **brokers, "connectors": [
        {"name": running, "offsets": [at(10)]}, {"name": reset, "state": "absent", "final_state": "paused"},
        {"name": same, "offsets": [at(9)]}, {"name": sink[0], "reset_to": "earliest"}]}
    before = {name: worker.offsets(name) for name in names}

    dry = run("connector_offsets_bulk", check=True, **{**desired, "connect_url": recorder.url})
    assert recorder.verbs == {"GET"} and dry["changed"] and {name: worker.offsets(name) for name in names} == before, dry
    assert dry["counts"] == {"set": 2, "remove": 2, "keep": 1} and dry["connectors"][1]["connector"]["state"] == "PAUSED"
    assert [part["before_header"] for part in dry["diff"]] == [
        f"{running} (offsets)", f"{reset} (offsets)", f"{reset} (state)", f"{sink[0]} (offsets)"]

    done = run("connector_offsets_bulk", backup=True, backup_file=str(tmp_path / "b.json"), **desired)
    assert done["changed"] and done["counts"] == dry["counts"] and done["diff"] == dry["diff"], done
    assert [(one["name"], one["method"], one["state_before"], one["connector"]["state"]) for one in done["connectors"]] == [
        (running, "rest", "RUNNING", "RUNNING"), (reset, "rest", "STOPPED", "PAUSED"), (same, "rest", "STOPPED", "STOPPED"),
        (sink[0], "rest", "STOPPED", "STOPPED")]
    assert worker.offsets(reset) == [] and worker.offsets(same) == [at(9)] and worker.offsets(sink[0]) == [sink_at(topic, 0)]
    wait_until(lambda: kafka.values(running)[-9:] == [f'{{"p":0}}#{number}' for number in range(11, 20)], reason="the replay")
    assert done["cluster"]["kafka_cluster_id"] == run("connector_info", name=[same])["cluster"]["kafka_cluster_id"]

    again = run("connector_offsets_bulk", **desired)
    assert not again["changed"] and {one["already_applied"] for one in again["connectors"]} == {True}, again

    undo = {**desired, "connectors": [{"name": name, "state": "restored"} for name in names]}
    undone = run("connector_offsets_bulk", **undo)
    assert undone["changed"] and worker.offsets(reset) == before[reset] and worker.offsets(sink[0]) == before[sink[0]], undone
    assert not run("connector_offsets_bulk", **undo)["changed"]


def test_one_that_its_plugin_refuses(make, run, worker):
    """The others are made, it is as it was, and all run again."""
    names = [make(shaped(records_per_partition=20), state="RUNNING", offsets=[at(4)]) for dummy in range(3)]
    worker.must("PUT", f"connectors/{names[1]}/config", shaped(topic=names[1], records_per_partition=20, alter_offsets="reject",
                                                               alter_message="lsn 77 is gone"))
    for name in names:
        worker.await_state(name, "RUNNING", ["RUNNING"])
        wait_until(lambda name=name: worker.offsets(name) == [at(19)])
    failed = run("connector_offsets_bulk", stop=True, connectors=[{"name": name, "offsets": [at(18)]} for name in names])
    assert failed["failed"] and failed["changed"], failed
    assert failed["msg"].startswith(f"1 of 3 connectors failed, first {names[1]}: ") and "lsn 77 is gone" in failed["msg"]
    assert "The offsets are as they were." in failed["failed_connectors"][names[1]] and list(failed["failed_connectors"]) == [names[1]]
    assert [one and one["offsets"] for one in failed["connectors"]] == [[at(18)], None, [at(18)]]
    for name in names:
        worker.await_state(name, "RUNNING", ["RUNNING"])
        wait_until(lambda name=name: worker.offsets(name) == [at(19)])


@pytest.mark.parametrize("wrong, words", [
    ({"name": "no-such-connector", "offsets": [at(1)]}, "There is no such connector"),
    ({"offsets": [at("1")]}, "is declared as the text"),
    ({"offsets": [at(1)], "max_rewind": 2}, "max_rewind"),
    ({"state": "restored", "change_id": "CHG-none"}, "has no change CHG-none"),
])
def test_what_is_wrong_with_one_keeps_all_from_being_changed(make, run, worker, wrong, words):
    good, bad = make(shaped(), state="RUNNING", offsets=[at(4)]), make(shaped(), offsets=[at(4)])
    worker.await_state(good, "RUNNING", ["RUNNING"])
    before = worker.picture(good)
    desired = [{"name": good, "offsets": [at(1)]}, {"name": bad, **wrong}]
    for check in (True, False):
        failed = run("connector_offsets_bulk", check=check, stop=True, connectors=desired)
        assert failed["failed"] and words in failed["msg"] and failed["msg"].count("othing was changed") == 1, failed
        assert list(failed["failed_connectors"]) == [wrong.get("name", bad)] and not failed.get("changed")
    assert worker.picture(good) == before and worker.state(good) == ("RUNNING", ["RUNNING"]) and worker.offsets(bad) == [at(4)]


def test_one_transaction_on_the_topic(make, run, kafka, main, worker):
    names = [make(shaped(), offsets=[at(4)]) for dummy in range(3)]
    brokers = {"bootstrap_servers": [kafka.bootstrap_servers], "offset_topic": main.offset_topic, "method": "topic"}
    before = sum(kafka.ends(main.offset_topic).values())
    desired = [{"name": name, "offsets": [at(number)]} for number, name in enumerate(names)]
    done = run("connector_offsets_bulk", connectors=desired, **brokers)
    assert done["changed"] and {one["method"] for one in done["connectors"]} == {"topic"}, done
    assert [worker.offsets(name) for name in names] == [[at(0)], [at(1)], [at(2)]]
    # Besides the three records one marker for each partition of the topic that has some.
    added = sum(kafka.ends(main.offset_topic).values()) - before
    assert 4 <= added <= 6


def test_the_number_of_requests(make, run, recorder):
    """One list for each phase, statuses alone while it waits, and three requests a connector: to read, to change and to read back."""
    names = [make(shaped(), offsets=[at(4)]) for _number in range(8)]
    runs = make(shaped(records_per_partition=5), state="RUNNING", offsets=[at(4)])
    declared = [{"name": name, "offsets": [at(1)]} for name in [*names, runs]]
    assert run("connector_offsets_bulk", connect_url=recorder.url, connectors=declared, stop=True)["changed"]
    paths = [(request.verb, request.path.partition("?")) for request in recorder.requests]
    queries = [query for _verb, (path, _mark, query) in paths if path == "/connectors"]
    assert queries.count("expand=status&expand=info") <= 12, queries
    own = {name: [verb for verb, (path, *_query) in paths if path == f"/connectors/{name}/offsets"] for name in names}
    assert all(verbs.count("PATCH") == 1 for verbs in own.values()), own
    assert 3 * len(names) <= sum(map(len, own.values())) <= 4 * len(names) + 4, own  # on a slow machine some reads count as long ago
    for name in names:
        assert not [path for _verb, (path, *_query) in paths if path in (f"/connectors/{name}", f"/connectors/{name}/status")]
