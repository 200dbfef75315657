# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change with a name is made once, whoever runs it how often, and can be undone; runs that are killed: test_kill.py."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections import Counter

import pytest

from tests.integration.support.configs import FIRST, REPLAY, at, entry, file_sink, shaped, sink_at
from tests.integration.support.modules import PREDICTED
from tests.integration.support.proxy import LOSE, Answer
from tests.integration.support.runs import Killer, Run, sends
from tests.integration.support.topic_method import key_of
from tests.integration.support.worker import ordered, wait_until

LEDGERS = ("topic", "file", "default")
REFUSAL = json.dumps({"error_code": 500, "message": "no such day"}).encode()


@pytest.fixture
def change_of(run):
    """change_of(declaration) -> the one change of its connector as the ledger has it, None if there is none."""
    def change_of(desired: dict) -> dict | None:
        options = {key: desired[key] for key in ("ledger", "ledger_file", "ledger_topic", "bootstrap_servers") if key in desired}
        found = run("connector_changes_info", connector=desired["name"], **options)
        assert not found["failed"], found["msg"]
        assert len(found["changes"]) < 2, found
        return found["changes"][0] if found["changes"] else None
    return change_of


@pytest.fixture
def start():
    """start(**arguments) -> a Run of connector_offsets in a process of its own."""
    started = []

    def start(**arguments) -> Run:
        started.append(Run("connector_offsets", {"wait_timeout": 60, **arguments}))
        return started[-1]

    yield start
    for one in started:
        one.kill()


def succeeded(result: dict) -> dict:
    assert not result["failed"], (result["msg"], result.get("warnings"))
    return result


# ---- again and again -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LEDGERS)
def test_made_once_however_often_it_runs(kind, running, keep, run, change_of, worker, kafka, recorder):
    """The connector has moved on in between: no second rewind, nothing is sent."""
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "requested_by": "kim", "method": "rest", "connect_url": [recorder.url],
               **keep(kind)}
    dry = run("connector_offsets", check=True, offsets=[at(1)], **desired)
    assert recorder.verbs == {"GET"} and change_of(desired) is None
    real = succeeded(run("connector_offsets", offsets=[at(1)], **desired))
    told = [key for key in PREDICTED if key != "warnings"]
    assert {key: dry[key] for key in told} == {key: real[key] for key in told}
    assert (dry["already_applied"], real["already_applied"], real["changed"]) == (False, False, True)
    wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="the replay")
    wait_until(lambda: worker.offsets(running) == [at(4)])
    change = change_of(desired)
    assert change == real["change"]
    assert {key: change[key] for key in ("phase", "before", "after", "state_to_restore", "method", "type", "partitions")} == {
        "phase": "applied", "before": [at(4)], "after": [at(1)], "state_to_restore": None, "method": "rest", "type": "source",
        "partitions": 1}
    assert change["who"]["requested_by"] == "kim" and change["who"]["user"] and change["cluster"]["connect_url"] == recorder.url
    worker.await_state(running, "RUNNING", ["RUNNING"])
    recorder.requests.clear()
    # However the same is written down.
    for same in ({"offsets": [at(1)]}, {"content": '[{"offset": {"n": 1}, "partition": {"p": 0}}]'}):
        for check in (True, False):
            again = succeeded(run("connector_offsets", check=check, **same, **desired))
            assert (again["changed"], again["already_applied"], again["offsets"], again["warnings"]) == (False, True, [at(4)], [])
            assert again["change"] == change
    for other in ({"offsets": [at(2)]}, {"offsets": [at(1)], "purge": True}, {"state": "absent"}, {"offsets": [at("1")]}):
        for check in (True, False):
            failed = run("connector_offsets", check=check, **other, **desired)
            assert failed["failed"] and "CHG-1" in failed["msg"] and "something else than what is declared now" in failed["msg"], other
            assert failed["change"] == change
    assert recorder.verbs == {"GET"} and change_of(desired) == change
    assert kafka.values(running) == FIRST + REPLAY and worker.state(running) == ("RUNNING", ["RUNNING"])
    # Without an id it would be made at every run.
    told = run("connector_offsets", check=True, name=running, stop=True, offsets=[at(1)])
    assert told["changed"] is True and any("changes them again at its next run" in text for text in told["warnings"])


def test_an_id_belongs_to_one_connector(make, keep, run):
    names = [make(shaped(), offsets=[at(4)]) for _time in range(2)]
    for name in names:
        result = succeeded(run("connector_offsets", name=name, offsets=[at(1)], change_id="CHG-1", **keep("topic")))
        assert (result["changed"], result["already_applied"]) == (True, False)


@pytest.mark.parametrize("kind", ["topic", "file"])
def test_what_is_there_already_counts_as_made(kind, running, keep, run, change_of, worker, kafka):
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(4)], **keep(kind)}
    first = succeeded(run("connector_offsets", **desired))
    assert (first["changed"], first["already_applied"], first["change"]["before"]) == (False, False, [])
    worker.put(running, "stop")
    worker.await_state(running, "STOPPED", [])
    worker.set_offsets(running, [at(2)])
    again = succeeded(run("connector_offsets", **desired))
    assert (again["changed"], again["already_applied"]) == (False, True) and worker.offsets(running) == [at(2)]


PLAY = """
- hosts: all
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
  tasks:
    - streamops.kafka_connect.connector_offsets: "{{ desired }}"
"""


def test_a_nightly_playbook(running, keep, main, kafka, worker, playbooks, tmp_path):
    (tmp_path / "play.yml").write_text(PLAY)
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(1)], "connect_url": [main.url], **keep("topic")}
    counts = []
    for options in (["--check"], [], ["--check"], []):
        play = playbooks.run("play.yml", {"eu": {}}, *options, desired=desired)
        assert play.rc == 0, play
        counts.append(play.recap["eu"]["changed"])
        if options == []:
            wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="one replay")
            wait_until(lambda: worker.offsets(running) == [at(4)])
    assert counts == [1, 1, 0, 0]
    other = playbooks.run("play.yml", {"eu": {}}, desired={**desired, "offsets": [at(0)]})
    assert other.rc != 0 and "An id stands for one change" in other.failure("eu")
    assert kafka.values(running) == FIRST + REPLAY


def test_a_nightly_role_that_fails_later_does_not_undo_what_was_made_long_ago(make, keep, main, kafka, run, worker, playbooks):
    """What this run has not changed it does not put back."""
    name = make(shaped(), offsets=[at(2)])
    hosts = {"eu": {"kafka_connect_url": main.url, "kafka_bootstrap_servers": kafka.bootstrap_servers}}
    options = {"reset_offsets_settle": 0, "reset_offsets_change_id": "CHG-1", "reset_offsets_wait_timeout": 20}
    first = playbooks.reset(hosts, [{"name": name, "offsets": [at(1)]}], **options)
    assert first.rc == 0 and worker.offsets(name) == [at(1)], first
    worker.set_offsets(name, [at(4)])
    worker.must("PUT", f"connectors/{name}/config", {**worker.config(name), "fail.task": "start"})
    nightly = playbooks.reset(hosts, [{"name": name, "offsets": [at(1)], "final_state": "started"}], **options)
    assert nightly.rc != 0 and "FAILED" in nightly.failure("eu"), nightly
    assert worker.offsets(name) == [at(4)] and worker.state(name) == ("STOPPED", [])
    found, = run("connector_changes_info", connector=name, **keep("topic"))["changes"]
    assert (found["phase"], found["before"]) == ("applied", [at(2)])


def test_a_role_that_fails_after_its_change_undoes_it(make, keep, main, kafka, run, worker, playbooks):
    """An undo stays undone, whatever the connector makes of it; the message is true."""
    name = make(shaped(fail_task="start"), offsets=[at(2)])
    hosts = {"eu": {"kafka_connect_url": main.url, "kafka_bootstrap_servers": kafka.bootstrap_servers}}
    options = {"reset_offsets_settle": 0, "reset_offsets_change_id": "CHG-1", "reset_offsets_wait_timeout": 20}
    failed = playbooks.reset(hosts, [{"name": name, "offsets": [at(1)], "final_state": "started"}], **options)
    assert failed.rc != 0 and "the offsets are as they were, and the connector is STOPPED" in failed.failure("eu"), failed
    assert worker.offsets(name) == [at(2)] and worker.state(name) == ("STOPPED", [])
    options["reset_offsets_change_id"] = "CHG-2"
    assert playbooks.reset(hosts, [{"name": name, "offsets": [at(1)]}], **options).rc == 0
    undo = playbooks.reset(hosts, [{"name": name, "state": "restored", "final_state": "started"}], **options)
    assert undo.rc != 0 and undo.failure("eu").count("Its offsets are as declared.") == 1 and "To undo" not in undo.failure("eu"), undo
    assert worker.offsets(name) == [at(2)] and worker.state(name) == ("RUNNING", ["FAILED"])


# ---- two at once -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["topic", "topic", "default", "file"])
def test_of_two_at_once_one_makes_it(kind, running, keep, start, change_of, main, worker, kafka):
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(1)], "method": "rest", "connect_url": [main.url],
               **keep(kind)}
    runs = [start(**desired) for _number in range(2)]
    results = sorted((succeeded(one.result()) for one in runs), key=lambda one: one["already_applied"])
    assert [(one["changed"], one["already_applied"]) for one in results] == [(True, False), (False, True)]
    assert results[1]["connector"]["state"] == "RUNNING", "that of before it waited"
    wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="one replay")
    worker.await_state(running, "RUNNING", ["RUNNING"])
    wait_until(lambda: worker.offsets(running) == [at(4)])
    change = change_of(desired)
    assert (change["phase"], change["before"], change["state_to_restore"]) == ("applied", [at(4)], None)
    assert kafka.values(running) == FIRST + REPLAY


class _Held:
    """A trick that lets a request wait until the test lets it go on."""

    def __init__(self, wanted, then=lambda request: None) -> None:
        self.came, self.may_go = threading.Event(), threading.Event()
        self._wanted, self._then = wanted, then

    def __call__(self, request):
        if self._wanted(request) and not self.may_go.is_set():
            self.came.set()
            assert self.may_go.wait(60)
            return self._then(request)
        return None


@pytest.fixture
def second_waits(start, proxy_to, main):
    """second_waits(held, declaration) -> a run that has seen the connector, and waits for the one that is held."""
    def second_waits(held, desired: dict) -> Run:
        assert held.came.wait(30)
        proxy = proxy_to(main.url)
        second = start(**{**desired, "connect_url": [proxy.url]})
        wait_until(lambda: proxy.requests, reason="the second run")
        time.sleep(1.5)
        assert second.process.poll() is None, "it did not wait"
        return second
    return second_waits


@pytest.mark.parametrize("method", ["rest", "topic"])
def test_the_first_dies_while_the_second_waits(method, running, keep, start, second_waits, proxy_to, change_of, main, worker, kafka):
    """The second has seen a running connector; now it is stopped, and nobody else is there to resume it."""
    held, killer = _Held(sends("PUT", "stop")), Killer(sends("PUT", "resume"))
    killer.proxy = proxy_to(main.url, lambda request: held(request) or killer(request))
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(1)], "method": method, "offset_topic": main.offset_topic,
               **keep("topic")}
    killer.run = start(**desired, connect_url=[killer.proxy.url])
    second = second_waits(held, desired)
    held.may_go.set()
    killer.run.killed()
    result = succeeded(second.result())
    worker.await_state(running, "RUNNING", ["RUNNING"])
    assert (result["changed"], result["already_applied"], result["connector"]["state"]) == (True, True, "RUNNING")
    wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="one replay")
    change = change_of(desired)
    assert (change["phase"], change["before"], change["state_to_restore"]) == ("applied", [at(4)], None)


@pytest.mark.parametrize("method", ["rest", "topic"])
def test_the_first_fails_while_the_second_waits(method, running, keep, start, second_waits, proxy_to, change_of, main, worker, kafka):
    """The second has seen a stopped connector; now it runs again, and has to be stopped for the change."""
    held = _Held(sends("PATCH", "offsets"), lambda request: Answer(500, REFUSAL))
    proxy = proxy_to(main.url, held)
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(1)], "offset_topic": main.offset_topic, **keep("topic")}
    first = start(**desired, method="rest", connect_url=[proxy.url])
    second = second_waits(held, {**desired, "method": method})
    held.may_go.set()
    failed = first.result()
    assert failed["failed"] and "no such day" in failed["msg"] and "The connector was restored: it is RUNNING" in failed["msg"]
    result = succeeded(second.result())
    assert (result["changed"], result["already_applied"], result["state_before"]) == (True, False, "RUNNING")
    worker.await_state(running, "RUNNING", ["RUNNING"])
    wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="one replay")
    change = change_of(desired)
    assert (change["phase"], change["before"], change["state_to_restore"]) == ("applied", [at(4)], None)


# ---- undo ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LEDGERS)
def test_undo_of_a_source(kind, make, keep, run, change_of, worker, recorder):
    """Dry, real, again; then the original changes nothing any more."""
    name = make(shaped(), offsets=[at(4)])
    both = {"name": name, "change_id": "CHG-1", "connect_url": [recorder.url], "method": "rest", **keep(kind)}
    desired, undo = {**both, "offsets": [at(1), at(7, p=1)]}, {**both, "state": "restored"}
    unknown = run("connector_offsets", **undo)
    assert unknown["failed"] and "has no change CHG-1" in unknown["msg"] and "Nothing was changed" in unknown["msg"]
    assert succeeded(run("connector_offsets", **desired))["changed"] is True
    assert worker.offsets(name) == [at(1), at(7, p=1)]
    worker.set_offsets(name, [at(2), at(9, p=2)])
    recorder.requests.clear()
    dry = run("connector_offsets", check=True, **undo)
    assert recorder.verbs == {"GET"} and worker.offsets(name) == [at(2), at(7, p=1), at(9, p=2)]
    real = succeeded(run("connector_offsets", **undo))
    told = [key for key in PREDICTED if key != "warnings"]
    assert {key: dry[key] for key in told} == {key: real[key] for key in told}
    # What it has added is gone, what was there before is back, and what came to it later is left alone.
    assert worker.offsets(name) == [at(4), at(9, p=2)] and real["changed"] is True
    assert (real["change"]["phase"], real["change"]["before"]) == ("restored", [at(4), entry({"p": 1}, None)])
    assert real["change"] == change_of(both)
    worker.set_offsets(name, [at(3)])
    recorder.requests.clear()
    for check in (True, False):
        twice, again = run("connector_offsets", check=check, **undo), run("connector_offsets", check=check, **desired)
        assert (twice["failed"], twice["changed"], again["failed"], again["changed"], again["already_applied"]) == (False,) * 5
        assert any("was undone on" in text and "another change_id" in text for text in again["warnings"])
    assert recorder.verbs == {"GET"} and worker.offsets(name) == [at(3), at(9, p=2)]


def test_undo_of_a_running_connector(running, keep, run, worker, kafka):
    """Stopped for it, and delivers from there."""
    both = {"name": running, "stop": True, "change_id": "CHG-1", **keep("topic")}
    worker.put(running, "stop")
    worker.await_state(running, "STOPPED", [])
    worker.set_offsets(running, [at(2)])
    assert succeeded(run("connector_offsets", **both, offsets=[at(3)]))["changed"] is True
    worker.put(running, "resume")
    wait_until(lambda: worker.offsets(running) == [at(4)])
    worker.await_state(running, "RUNNING", ["RUNNING"])
    refused = run("connector_offsets", **{**both, "stop": False}, state="restored")
    assert refused["failed"] and "RUNNING" in refused["msg"] and "stop: true" in refused["msg"]
    again = f"{running} goes back: 1 partition by 2 in its own unit. What it has delivered in between is delivered again."
    assert again in run("connector_offsets", check=True, **both, state="restored")["warnings"]
    undone = succeeded(run("connector_offsets", **both, state="restored"))
    assert again in undone["warnings"]
    assert undone["changed"] is True and undone["state_before"] == undone["connector"]["state"] == "RUNNING"
    wait_until(lambda: kafka.values(running) == FIRST + FIRST[4:] + FIRST[3:], reason="what comes after at(2)")


@pytest.mark.parametrize("desired", [{"offsets": [2]}, {"state": "absent"}], ids=["set", "reset"])
def test_undo_of_a_sink(desired, name, make, keep, run, worker, kafka, tmp_path):
    """The offsets of its consumer group."""
    out, topic = tmp_path / "out.txt", f"{name}-in"
    kafka.produce(topic, [f"r{number}" for number in range(5)])
    make(file_sink(topic, out), state="RUNNING", name=name)
    wait_until(lambda: out.exists() and len(out.read_text().split()) == 5)
    wait_until(lambda: worker.offsets(name) == [sink_at(topic, 5)])
    if "offsets" in desired:
        desired = {"offsets": [sink_at(topic, number) for number in desired["offsets"]]}
    both = {"name": name, "stop": True, "change_id": "CHG-1", "final_state": "leave", **keep("topic")}
    changed = succeeded(run("connector_offsets", **both, **desired))
    assert changed["changed"] is True and changed["change"]["type"] == "sink" and changed["change"]["before"] == [sink_at(topic, 5)]
    after = worker.offsets(name)
    assert after == desired.get("offsets", [])
    assert succeeded(run("connector_offsets", **both, **desired))["already_applied"] is True
    undone = succeeded(run("connector_offsets", **both, state="restored"))
    assert undone["changed"] is True and worker.offsets(name) == [sink_at(topic, 5)]
    assert run("connector_offsets", **both, state="restored")["changed"] is False
    worker.put(name, "resume")
    worker.await_state(name, "RUNNING", ["RUNNING"])
    kafka.produce(topic, ["new"])
    wait_until(lambda: out.read_text().split() == ["r0", "r1", "r2", "r3", "r4", "new"], reason="the new record alone")


@pytest.mark.parametrize("method", ["rest", "topic"])
def test_undo_of_many_partitions(method, make, keep, run, worker, main):
    """Some set, some added, the rest removed; all of it put back, and a partition that came later stays."""
    before = ordered(at(number, p=number) for number in range(60))
    name = make(shaped(), offsets=before)
    both = {"name": name, "change_id": "CHG-1", "method": method, "offset_topic": main.offset_topic, **keep("topic")}
    desired = {"offsets": [at(number + 1, p=number) for number in range(50, 70)], "purge": True}
    made = succeeded(run("connector_offsets", **both, **desired, max_entries=5))
    assert (made["counts"]["set"], made["counts"]["remove"]) == (20, 50)
    assert (made["change"]["partitions"], len(made["change"]["before"]), len(made["change"]["after"])) == (70, 5, 5)
    assert worker.offsets(name) == ordered(desired["offsets"])
    worker.set_offsets(name, [at(1, p="later")])
    undone = succeeded(run("connector_offsets", **both, state="restored"))
    assert (undone["counts"]["set"], undone["counts"]["remove"], undone["method"]) == (60, 10, method)
    assert worker.offsets(name) == ordered([*before, at(1, p="later")])
    assert run("connector_offsets", **both, state="restored")["changed"] is False


ODD = [(0, "{key}", b'{"n":4}'), (3, "{key}", b'{"n": 4}'), (1, '["{name}", {{"p": 0}}]', b'{ "n" : 3 }'),
       (2, '{{"schema":null,"payload":["{name}",{{"p":0}}]}}', b'{"schema":null,"payload":{"n":2}}'),
       (2, '["{name}",{{"p":1}}]', b'{"n":1547863325117001729,"z":null}'), (4, '["{name}",{{"p":2}}]', b"\xff garbage"),
       (1, '["{name}",{{"p":3}}]', None)]


def odd_records(name: str) -> list[tuple[int, bytes, bytes | None]]:
    return [(place, key.format(name=name, key=key_of(name).decode()).encode(), value) for place, key, value in ODD]


@pytest.mark.parametrize("desired", [
    {"offsets": [at(1)]}, {"offsets": [at(4)]}, {"offsets": [at(1), at(5, p=3), at(6, p=4)], "purge": True}, {"state": "absent"},
    {"state": "absent", "offsets": [{"partition": {"p": 0}}]}, {"state": "absent", "raw_keys": ['["{name}", {{"p": 0}}]']}],
    ids=["set", "made even", "purge", "absent", "one absent", "raw key"])
def test_undo_byte_for_byte(desired, name, method, lone, keep):
    """Split keys, foreign keys, an envelope, garbage, tombstones: the same bytes at the same places."""
    method = method.at(lone())
    method.put(*odd_records(name), (0, key_of("neighbour"), b'{"n":1}'))
    before, neighbour = method.live(name), method.live("neighbour")
    desired = {key: [text.format(name=name) for text in value] if key == "raw_keys" else value for key, value in desired.items()}
    both = {"change_id": "CHG-1", **keep("topic")}
    made = succeeded(method.change(name, **both, **desired))
    after = method.live(name)
    assert made["changed"] is True and after != before
    assert succeeded(method.change(name, **both, **desired))["already_applied"] is True
    ends = method.kafka.ends(method.topic)
    dry = method.change(name, check=True, **both, state="restored")
    assert method.kafka.ends(method.topic) == ends
    undone = succeeded(method.change(name, **both, state="restored"))
    assert (dry["changed"], undone["changed"], undone["offsets"]) == (True, True, dry["offsets"])
    assert method.live(name) == before and method.live("neighbour") == neighbour
    times = Counter((one.partition, one.key) for one in method.log(name))
    written = {place for place, number in times.items() if number > 1 or place not in before and number}
    touched = {place for place in {*before, *after} if before.get(place) != after.get(place)}
    assert written - {(1, key_of(name, '{"p":3}'))} == touched - {(1, key_of(name, '{"p":3}'))} or desired == {"offsets": [at(4)]}
    ends = method.kafka.ends(method.topic)
    for again in ({"state": "restored"}, desired):
        assert succeeded(method.change(name, **both, **again))["changed"] is False
    assert method.kafka.ends(method.topic) == ends


@pytest.mark.parametrize("kind", LEDGERS)
def test_undo_after_a_later_change(kind, make, keep, run, worker):
    name = make(shaped(), offsets=[at(4)])
    both = {"name": name, **keep(kind)}
    for change_id, offset in (("CHG-1", at(1)), ("CHG-2", at(2))):
        assert succeeded(run("connector_offsets", change_id=change_id, offsets=[offset], **both))["changed"] is True
    for check in (True, False):
        refused = run("connector_offsets", check=check, change_id="CHG-1", state="restored", **both)
        assert refused["failed"] and "was changed by CHG-2 since CHG-1 was made" in refused["msg"] and "force: true" in refused["msg"]
    assert worker.offsets(name) == [at(2)]
    assert succeeded(run("connector_offsets", change_id="CHG-1", state="restored", force=True, **both))["changed"] is True
    assert worker.offsets(name) == [at(4)]
    # The last one first needs no force.
    assert succeeded(run("connector_offsets", change_id="CHG-3", offsets=[at(3)], **both))["changed"] is True
    assert succeeded(run("connector_offsets", change_id="CHG-4", offsets=[at(0)], **both))["changed"] is True
    for change_id, offset in (("CHG-4", at(3)), ("CHG-3", at(4))):
        assert succeeded(run("connector_offsets", change_id=change_id, state="restored", **both))["changed"] is True
        assert worker.offsets(name) == [offset]


def test_a_failed_change_does_not_stand_in_the_way_of_an_undo(make, keep, run, proxy_to, main, worker):
    name = make(shaped(), offsets=[at(4)])
    refusing = proxy_to(main.url, lambda request: Answer(500, REFUSAL) if request.verb == "PATCH" else None)
    both = {"name": name, "method": "rest", **keep("topic")}
    assert succeeded(run("connector_offsets", change_id="CHG-1", offsets=[at(1)], **both))["changed"] is True
    assert run("connector_offsets", change_id="CHG-2", offsets=[at(2)], connect_url=[refusing.url], **both)["failed"]
    assert succeeded(run("connector_offsets", change_id="CHG-1", state="restored", **both))["changed"] is True
    assert worker.offsets(name) == [at(4)]


# ---- failures --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LEDGERS)
def test_after_a_refusal_the_id_is_free_for_a_wish_that_is_mended(kind, running, keep, run, change_of, worker, kafka, proxy_to, main):
    """The plugin refuses what was typed wrong."""
    config = {**worker.config(running), "alter.offsets": "reject", "alter.message": "no such day"}
    worker.must("PUT", f"connectors/{running}/config", config)
    worker.await_state(running, "RUNNING", ["RUNNING"])
    desired = {"name": running, "stop": True, "change_id": "CHG-1", **keep(kind)}
    failed = run("connector_offsets", offsets=[at(2)], **desired)
    assert failed["failed"] and "no such day" in failed["msg"] and "The offsets are as they were" in failed["msg"]
    assert "The connector was restored: it is RUNNING" in failed["msg"]
    assert worker.offsets(running) == [at(4)]
    change = change_of(desired)
    assert (change["phase"], change["before"], change["after"], change["state_to_restore"]) == ("started", None, None, None)
    worker.must("PUT", f"connectors/{running}/config", {**worker.config(running), "alter.offsets": "accept"})
    worker.await_state(running, "RUNNING", ["RUNNING"])
    mended = succeeded(run("connector_offsets", offsets=[at(1)], **desired))
    assert (mended["changed"], mended["already_applied"], mended["warnings"]) == (True, False, [])
    wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="one replay")
    assert change_of(desired)["before"] == [at(4)] and change_of(desired)["after"] == [at(1)]


LOST = {"the change": ("PATCH", "offsets"), "the stop": ("PUT", "stop"), "the resume": ("PUT", "resume")}


@pytest.mark.parametrize("what", LOST)
def test_answers_that_get_lost(what, running, keep, run, change_of, worker, kafka, proxy_to, main):
    """They are carried out: each is sent once, and the change is made once."""
    lossy = proxy_to(main.url, lambda request: LOSE if sends(*LOST[what])(request) else None)
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(1)], "connect_url": [lossy.url],
               **keep("file")}
    assert succeeded(run("connector_offsets", **desired))["changed"] is True
    wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="one replay")
    sent = [path.rpartition("/")[2] for _verb, path in lossy.writes()]
    assert sent.count("offsets") == sent.count("stop") == 1
    change = change_of(desired)
    assert (change["phase"], change["before"], change["state_to_restore"]) == ("applied", [at(4)], None)
    worker.await_state(running, "RUNNING", ["RUNNING"])


# ---- what settles late -----------------------------------------------------------------------------------------------------


class _Late:
    """After each of the first changes that pass, somebody writes something else a moment later, as a task does that was given up.

    Not a real one: it commits late only what it has delivered in the last moment before the stop.
    """

    def __init__(self, worker, name, times) -> None:
        self.proxy, self.left, self._worker, self._name = None, times, worker, name

    def __call__(self, request):
        if request.verb != "PATCH" or not self.left:
            return None
        self.left -= 1
        answer = self.proxy._forward(request)
        threading.Timer(0.6, lambda: self._worker.set_offsets(self._name, [at(3)])).start()
        return answer


@pytest.mark.parametrize(("times", "right"), [(1, True), (3, False)])
def test_a_late_write_by_rest(times, right, running, keep, run, change_of, worker, kafka, proxy_to, main):
    """Once: the change is made again. Again and again: it is given up, and the offsets are put back."""
    late = _Late(worker, running, times)
    late.proxy = proxy_to(main.url, late)
    # long enough for a slow machine to write in between
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(1)], "settle": 2, "method": "rest", **keep("topic")}
    result = run("connector_offsets", **desired, connect_url=[late.proxy.url])
    assert late.left == 0 and result["failed"] is not right, result.get("msg")
    worker.await_state(running, "RUNNING", ["RUNNING"])
    change = change_of(desired)
    if right:
        warned, = [text for text in result["warnings"] if "The change is made again" in text]
        assert '{"p": 0}: {"n": 3}' in warned and (change["phase"], change["before"]) == ("applied", [at(4)])
        wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="the replay")
    else:
        assert "again and again, within 2 s each time" in result["msg"] and "the offsets are as they were" in result["msg"]
        assert (change["phase"], change["before"]) == ("started", None)
        assert worker.offsets(running) == [at(4)] and kafka.values(running) == FIRST


def test_a_late_record_on_the_offsets_topic(running, keep, run, change_of, worker, kafka, main):
    """As a zombie's producer writes it: no gate stops it."""
    key = key_of(running)
    place = next(one.partition for one in kafka.raw_records(main.offset_topic) if one.key == key)

    def zombie():
        wait_until(lambda: kafka.live_offsets(main.offset_topic, running).get(key.decode()) == '{"n":1}', reason="the change")
        time.sleep(0.7)
        kafka.raw(main.offset_topic, [(place, key, b'{"n":3}')])

    thread = threading.Thread(target=zombie)
    thread.start()
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(1)], "settle": 3, "method": "topic",
               "offset_topic": main.offset_topic, **keep("topic")}
    result = succeeded(run("connector_offsets", **desired))
    thread.join()
    assert any("The change is made again" in text for text in result["warnings"]) and result["changed"] is True
    wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="the replay")
    assert change_of(desired)["before"] == [at(4)]


# ---- what becomes of the connector -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("option", "after", "due"), [
    ("final_state", "leave", None), ("final_state", "found_later", "RUNNING"), ("after_change", "put_back_later", "RUNNING")])
def test_left_stopped(option, after, due, running, keep, run, change_of, worker, kafka):
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(1)], **keep("topic")}
    left = succeeded(run("connector_offsets", **desired, **{option: after}))
    assert (left["changed"], left["state_before"], left["connector"]["state"]) == (True, "RUNNING", "STOPPED")
    assert worker.state(running) == ("STOPPED", []) and change_of(desired)["state_to_restore"] == due
    same = succeeded(run("connector_offsets", **desired, **{option: after}))
    assert (same["changed"], same["already_applied"], worker.state(running)) == (False, True, ("STOPPED", []))
    dry = run("connector_offsets", check=True, **desired)
    back = succeeded(run("connector_offsets", **desired))
    assert dry["changed"] is back["changed"] is bool(due) and back["already_applied"] is True
    if due:
        worker.await_state(running, "RUNNING", ["RUNNING"])
        wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="one replay")
    else:
        assert worker.state(running) == ("STOPPED", []) and worker.offsets(running) == [at(1)]
    assert change_of(desired)["state_to_restore"] is None and run("connector_offsets", **desired)["changed"] is False


def test_the_operator_has_put_the_state_back(running, keep, start, run, change_of, worker, kafka, proxy_to, main):
    """After a run that was killed before it did. The state is none of our business any more."""
    killer = Killer(sends("PUT", "resume"))
    killer.proxy = proxy_to(main.url, killer)
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "offsets": [at(1)], "method": "rest", **keep("topic")}
    killer.run = start(**desired, connect_url=[killer.proxy.url])
    killer.run.killed()
    assert worker.state(running) == ("STOPPED", []) and change_of(desired)["state_to_restore"] == "RUNNING"
    worker.put(running, "resume")
    wait_until(lambda: kafka.values(running) == FIRST + REPLAY, reason="the replay")
    worker.put(running, "pause")
    worker.await_state(running, "PAUSED", ["PAUSED"])
    result = succeeded(run("connector_offsets", **desired))
    assert (result["changed"], result["already_applied"]) == (False, True)
    assert worker.state(running) == ("PAUSED", ["PAUSED"]) and change_of(desired)["state_to_restore"] is None


@pytest.mark.parametrize("kind", ["topic", "file"])
@pytest.mark.parametrize("version", ["v35", "v34"])
def test_older_workers(version, kind, request, make_on, keep, run, kafka):
    """Made on the offsets topic, once, and undone."""
    cluster = request.getfixturevalue(version)
    name = make_on(cluster, "RUNNING")
    both = {"name": name, "stop": True, "change_id": "CHG-1", "connect_url": [cluster.url], "offset_topic": cluster.offset_topic,
            **keep("topic"), **keep(kind)}
    made = succeeded(run("connector_offsets", **both, offsets=[at(1)]))
    assert (made["changed"], made["method"], made["change"]["before"]) == (True, "topic", [at(4)])
    wait_until(lambda: kafka.values(name) == FIRST + REPLAY, reason="one replay")
    wait_until(lambda: kafka.live_offsets(cluster.offset_topic, name) == {key_of(name).decode(): '{"n":4}'})
    for check in (True, False):
        again = succeeded(run("connector_offsets", check=check, **both, offsets=[at(1)]))
        assert (again["changed"], again["already_applied"]) == (False, True)
    succeeded(run("connector_offsets", name=name, stop=True, offsets=[at(2)], change_id="CHG-2", **{
        key: both[key] for key in ("connect_url", "offset_topic", "bootstrap_servers", "ledger")}))
    wait_until(lambda: kafka.values(name) == FIRST + REPLAY + FIRST[3:], reason="a second one")
    undone = succeeded(run("connector_offsets", **both, state="restored", force=True, final_state="found"))
    assert undone["change"]["phase"] == "restored" and undone["connector"]["state"] == "RUNNING"
    cluster.worker.await_state(name, "RUNNING", ["RUNNING"])
    assert kafka.live_offsets(cluster.offset_topic, name) == {key_of(name).decode(): '{"n":4}'}


# ---- ledgers that cannot be used -------------------------------------------------------------------------------------------


REFUSED = {
    "ledger none": ({"ledger": "none", "change_id": "CHG-1", "offsets": [at(1)]}, "change_id needs a ledger"),
    "topic without brokers": ({"ledger": "topic", "change_id": "CHG-1", "offsets": [at(1)]}, "ledger: topic needs kafka_bootstrap_servers"),
    "two lines": ({"change_id": "CHG\n1", "offsets": [at(1)]}, "change_id must be text on one line"),
    "a blank": ({"change_id": " ", "offsets": [at(1)]}, "change_id must be text on one line"),
    "undo of an empty id": ({"change_id": "", "state": "restored"}, "change_id is empty"),
    "undo of nothing": ({"state": "restored"}, "change_id"),
    "undo with offsets": ({"change_id": "CHG-1", "state": "restored", "offsets": [at(1)]}, "takes no offsets"),
    "settle -1": ({"change_id": "CHG-1", "offsets": [at(1)], "settle": -1}, "settle"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_before_any_request(what, make, run, recorder):
    options, message = REFUSED[what]
    name = make(shaped())
    for check in (True, False):
        result = run("connector_offsets", check=check, name=name, connect_url=[recorder.url], **options)
        assert result["failed"] and message in result["msg"], result["msg"]
    assert recorder.requests == []


@pytest.mark.parametrize("state", ["present", "restored"])
@pytest.mark.parametrize("kind", ["topic", "file", "marker"])
def test_a_ledger_that_cannot_be_read(kind, state, running, keep, run, kafka, lone, worker, tmp_path, recorder):
    """Whether the change was made is not known, so nothing is done."""
    desired = {"name": running, "stop": True, "change_id": "CHG-1", "state": state, **keep("file" if kind == "marker" else kind)}
    if kind == "topic":
        desired["ledger_topic"] = lone(1)
        kafka.raw(desired["ledger_topic"], [(0, json.dumps([running, "CHG-1"], separators=(",", ":")).encode(), b'{"rubbish": 1}')])
    elif kind == "marker":
        worker.must("PUT", f"connectors/{running}/config", {**worker.config(running), "streamops.kafka_connect.changes": "rubbish"})
        worker.await_state(running, "RUNNING", ["RUNNING"])
    else:
        (tmp_path / "ledger.json").write_text('{"format": "rubbish')
    for check in (True, False):
        result = run("connector_offsets", check=check, connect_url=[recorder.url], **desired, **({} if state == "restored" else {
            "offsets": [at(1)]}))
        assert result["failed"] and "othing was" in result["msg"] and "not known" in result["msg"], result
    assert recorder.verbs == {"GET"} and worker.state(running) == ("RUNNING", ["RUNNING"]) and worker.offsets(running) == [at(4)]


def test_a_topic_that_forgets(running, keep, run, kafka, lone, worker, recorder):
    topic = lone(1, "delete")
    for desired in ({"offsets": [at(1)]}, {"state": "restored"}):
        result = run("connector_offsets", name=running, stop=True, change_id="CHG-1", ledger_topic=topic, connect_url=[recorder.url],
                     **keep("topic"), **desired)
        assert result["failed"] and f"{topic} has cleanup.policy=delete" in result["msg"] and "Nothing was changed" in result["msg"]
    assert recorder.verbs == {"GET"} and kafka.raw_records(topic) == [] and worker.state(running) == ("RUNNING", ["RUNNING"])


def test_two_groups_share_a_topic(make_on, main, v35, keep, run, kafka):
    """Connectors of one name on two Connect clusters."""
    topic, ids = f"t-{uuid.uuid4().hex[:8]}-changes", {}
    name = make_on(main, "STOPPED")
    try:
        for cluster in (main, v35):
            desired = {"name": name, "change_id": "CHG-1", "offsets": [at(1)], "ledger_topic": topic, "connect_group": cluster.group_id,
                       "offset_topic": cluster.offset_topic, "connect_url": [cluster.url], **keep("topic")}
            result = succeeded(run("connector_offsets", **desired))
            ids[cluster.group_id] = (result["changed"], result["already_applied"])
        assert ids == {"connect-main": (True, False), "connect-v35": (True, False)}
    finally:
        kafka.raw(v35.offset_topic, [(number, key_of(name), None) for number in kafka.ends(v35.offset_topic)])
        if kafka.exists(topic):
            kafka.drop(topic)
