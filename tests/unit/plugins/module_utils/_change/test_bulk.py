# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A list of declarations, an entry for each connector. How changes are made together is in test_import.py."""

from __future__ import annotations

import json
import signal

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import execute
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.bulk import declare as run_bulk
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import operator_guard
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import journal
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FileLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import digest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import LeaseLost, TrackedChange
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_item import FakeConnect, Fragile, live, pairs, signalled
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_offsets_import import FakeWorker, pair, positions, running
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change as ledger_change

OPTIONS = {
    **dict.fromkeys(("change_id", "ledger_topic", "ledger_file", "requested_by", "offset_topic", "kafka_connect_group", "backup_file",
                     "offset_file")),
    **dict.fromkeys(("assume_stopped", "stop", "backup", "rollback", "one_by_one"), False),
    "final_state": "found", "ledger": "auto", "settle": 0, "check_position": "none", "check_position_timeout": 0, "method": "auto", "wait_timeout": 5,
    "max_entries": 20}
ENTRY = {
    **dict.fromkeys(("offsets", "src", "content", "reset_to", "topics", "change_id", "final_state", "max_rewind", "max_skip", "direction",
                     "consumer_group", "raw_keys", "key_order", "boundaries")),
    "state": "present", "purge": False, "force": False, "accept_duplicates": False}


def declare(worker, *entries, kafka=None, check=False, **options):
    connectors = [{**ENTRY, **entry} for entry in entries]
    return run_bulk(worker, kafka, None, {**OPTIONS, "stop": True, "connectors": connectors, **options}, check)


def failure(worker, *entries, **options):
    with pytest.raises(errors.ConnectError) as caught:
        declare(worker, *entries, **options)
    return caught.value


def in_file(tmp_path, named) -> dict:
    """A change with an id, and its ledger."""
    return {"change_id": "CHG-1", "ledger": "file", "ledger_file": str(tmp_path / "ledger.json")} if named else {}


def to(name, offset, **more):
    return {"name": name, "offsets": [pair(0, offset)], **more}


def test_each_entry_declares_what_it_says_and_the_results_keep_the_order_of_the_list():
    worker = running(a=1, b=1, c=1, d=7)
    worker.by_name["c"].live['{"p": 1}'] = {"n": 1}
    text = json.dumps([pair(0, 3)])
    result = declare(worker, to("d", 7), {"name": "b", "state": "absent"}, {"name": "c", "content": text, "purge": True}, to("a", 5))
    assert {name: one.live for name, one in worker.by_name.items()} == {
        "a": {'{"p": 0}': {"n": 5}}, "b": {}, "c": {'{"p": 0}': {"n": 3}}, "d": {'{"p": 0}': {"n": 7}}}
    assert [(one["name"], one["changed"]) for one in result["connectors"]] == [("d", False), ("b", True), ("c", True), ("a", True)]
    assert {(one["state_before"], one["connector"]["state"]) for one in result["connectors"]} == {("RUNNING", "RUNNING")}
    assert [[action["action"] for action in one["actions"]] for one in result["connectors"]] == [
        ["keep"], ["remove"], ["set", "remove"], ["set"]]
    assert result["connectors"][3]["offsets_before"] == [pair(0, 1)] and result["connectors"][3]["offsets"] == [pair(0, 5)]
    assert result["counts"] == {"set": 2, "remove": 2, "keep": 1} and result["changed"]
    assert result["cluster"]["kafka_cluster_id"] == "cluster-1" and result["cluster"]["url"] == "http://h:8083"
    assert not any({"diff", "warnings"} & set(one) for one in result["connectors"])


@pytest.mark.parametrize("entries, words", [
    ([], "connectors is empty."),
    ([to("a", 5), to("b", 5), to("a", 6)], "connectors has a more than once."),
    ([to("a", 5), {"name": "b", "state": "restored"}], "b: change_id is empty: state: restored needs the name of the change to undo."),
    ([to("a", 5), to("b", 5, topics=["t"])], "b: topics belongs to reset_to"),
    ([to("a", 5), {"name": "b", "offsets": [pair(0, 2**63)]}], "b: offsets"),
    ([to("a", 5), to("b", 5, max_rewind="far")], "b: max_rewind"),
])
def test_entries_that_cannot_be_meant(entries, words):
    worker = running(a=1, b=1)
    error = failure(worker, *entries)
    assert isinstance(error, errors.DeclarationError) and error.message.startswith(words)
    assert positions(worker) == {"a": 1, "b": 1}


@pytest.mark.parametrize("check", [True, False])
def test_offsets_that_are_refused_come_with_an_example(check):
    worker = running(a=1, b=7, c=9)
    error = failure(worker, to("a", "5"), to("b", "6"), to("c", 3, max_rewind=1), check=check)
    example = 'An offset of a is declared like this: offsets: [{"offset": {"n": 1}, "partition": {"p": 0}}]'
    assert (example in error.message) is (example in error.facts["failed_connectors"]["a"]) is check
    assert error.facts.get("examples") == ({"a": pair(0, 1), "b": pair(0, 7)} if check else None)
    error = failure(worker, {"name": "b", "offsets": []}, check=check)
    assert error.message.startswith("b: The list offsets is empty") and error.facts.get("examples") == ({"b": pair(0, 7)} if check else None)
    assert positions(worker) == {"a": 1, "b": 7, "c": 9}


def test_guards_and_force_are_each_its_own():
    worker = running(a=9, b=9)
    error = failure(worker, to("a", 5), to("b", 5, max_rewind=3))
    assert list(error.facts["failed_connectors"]) == ["b"] and "max_rewind" in error.message and positions(worker) == {"a": 9, "b": 9}
    declare(worker, to("a", 5, max_rewind=4), to("b", 10, direction="backward"))
    assert positions(worker) == {"a": 5, "b": 9}


def test_each_has_its_final_state():
    worker = running(a=1, b=1, c=5, d=5)
    result = declare(worker, to("a", 5, final_state="stopped"), to("b", 5, final_state="found"), to("c", 5),
                     to("d", 5, final_state="started"), final_state="paused")
    states = {name: one.state for name, one in worker.by_name.items()}
    assert states == {"a": "STOPPED", "b": "RUNNING", "c": "PAUSED", "d": "RUNNING"}
    assert {one["name"]: one["connector"]["state"] for one in result["connectors"]} == states
    assert [one["changed"] for one in result["connectors"]] == [True, True, True, False]
    assert [(part["before_header"], part["before"], part["after"]) for part in result["diff"] if "state" in part["before_header"]] == [
        ("a (state)", {"state": "RUNNING"}, {"state": "STOPPED"}), ("c (state)", {"state": "RUNNING"}, {"state": "PAUSED"})]


def test_one_that_fails_in_its_final_state_is_a_failure():
    worker = running(a=1, b=1)
    worker.by_name["b"] = Fragile("RUNNING", live(a=1))
    failed = failure(worker, to("a", 5), {"name": "b", "offsets": pairs(a=4)}, final_state="started")
    assert failed.message.startswith("1 of 2 connectors failed, first b: The connector b was brought to RUNNING, but failed: task 0: java.lang.Null")
    assert list(failed.facts["failed_connectors"]) == ["b"] and failed.facts["changed"] is True
    assert [one["name"] for one in failed.facts["connectors"]] == ["a", "b"] and worker.by_name["b"].live == {json.dumps({"filename": "a"}): {"position": 4}}


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("found, final, declared", [
    ("RUNNING", "RUNNING", "found"), ("STOPPED", "STOPPED", "started"), ("PAUSED", "PAUSED", "started"),
])
def test_one_that_fails_after_the_change_is_rolled_back(found, final, declared, named, tmp_path):
    worker = running(a=1, b=1)
    worker.by_name["b"] = Fragile(found, live(a=10))
    failed = failure(worker, to("a", 5), {"name": "b", "offsets": pairs(a=4, c=1), "final_state": declared}, rollback=True, **in_file(tmp_path, named))
    assert ("brought to RUNNING" if declared == "started" else "again after the change") in failed.message
    assert "but failed: task 0: java.lang.Null" in failed.message
    assert f"The change was rolled back: the offsets are as they were, and the connector is {final}" in failed.message
    assert "To undo the change" not in failed.message
    assert worker.by_name["b"].live == {json.dumps({"filename": "a"}): {"position": 10}} and worker.by_name["b"].state == final
    assert [one and one["name"] for one in failed.facts["connectors"]] == ["a", None] and positions(worker)["a"] == 5
    if named:
        ledger = FileLedger(str(tmp_path / "ledger.json"))
        assert [(one.phase, one.busy) for one in ledger.changes("b")] == [("restored", False)]
        assert [one.phase for one in ledger.changes("a")] == ["applied"]


@pytest.mark.parametrize("kind", [errors.ResponseLost, errors.OutcomeUnknown])
def test_a_worker_that_is_away_is_no_reason_to_roll_back(kind, tmp_path):
    """The next run has only the connector to start."""
    worker = running(b=1)
    worker.by_name["b"].faults["resume"] = [kind("cut off") for count in range(200)]
    failed = failure(worker, {"name": "b", "offsets": pairs(a=4)}, rollback=True, wait_timeout=1, **in_file(tmp_path, True))
    assert failed.message == ("cut off. The offsets are changed as declared, but the connector is not RUNNING again. Resume it by PUT "
                              "http://h:8083/connectors/b/resume.")
    assert {"position": 4} in worker.by_name["b"].live.values()
    one, = FileLedger(str(tmp_path / "ledger.json")).changes("b")
    assert (one.phase, one.busy, one.state_to_restore) == ("applied", False, "RUNNING")


def test_a_rollback_that_fails_says_what_is_left_to_do():
    worker = running(b=1)
    worker.by_name["b"] = Fragile("RUNNING", live(a=10))
    worker.by_name["b"].faults["alter"] = [None, errors.Refused("no way back")]
    failed = failure(worker, {"name": "b", "offsets": pairs(a=4)}, rollback=True)
    assert "Rolling it back failed as well: no way back" in failed.message and "Before the change it was RUNNING" in failed.message
    assert failed.facts["changed"] and failed.facts["connectors"][0]["offsets_before"] == pairs(a=10)
    assert worker.by_name["b"].live == {json.dumps({"filename": "a"}): {"position": 4}}


@pytest.mark.parametrize("named", [False, True])
def test_a_signal_does_not_interrupt_a_rollback(interrupts, named, tmp_path):
    worker = running(a=1, b=1)
    worker.by_name["b"] = Fragile("RUNNING", live(a=10))
    worker.by_name["a"].faults["resume"] = [signalled(signal.SIGTERM)]
    failed = failure(worker, to("a", 5), {"name": "b", "offsets": pairs(a=4)}, rollback=True, **in_file(tmp_path, named))
    assert "The change was rolled back: the offsets are as they were" in failed.message
    assert worker.by_name["b"].live == {json.dumps({"filename": "a"}): {"position": 10}} and worker.by_name["b"].state == "RUNNING"
    assert failed.facts["changed"] is True and positions(worker)["a"] == 5


def test_one_that_cannot_be_rolled_back_does_not_keep_the_others_from_it():
    worker = running(x=1)
    worker.by_name.update(a=Fragile("RUNNING", live(a=10)), b=Fragile("RUNNING", live(a=10)))
    asked = worker.by_name["a"].offsets

    def offsets(name):
        if {"position": 4} in worker.by_name["a"].live.values() and worker.by_name["a"].state == "RUNNING":
            raise errors.ResponseLost("GET offsets of a: timed out")
        return asked(name)

    worker.by_name["a"].offsets = offsets
    failed = failure(worker, to("x", 5), {"name": "a", "offsets": pairs(a=4)}, {"name": "b", "offsets": pairs(a=4)}, rollback=True)
    messages = failed.facts["failed_connectors"]
    assert "Rolling it back failed as well: GET offsets of a: timed out" in messages["a"] and "was rolled back" not in messages["a"]
    assert "The change was rolled back: the offsets are as they were" in messages["b"]
    assert worker.by_name["b"].live == {json.dumps({"filename": "a"}): {"position": 10}} and failed.facts["changed"] is True


class Sick(FakeConnect):
    """Its tasks fail from the first stop on, whatever the offsets are."""

    was_stopped = False

    def stop(self, name):
        self.was_stopped = True
        super().stop(name)

    def status(self, name):
        shown = super().status(name)
        if self.was_stopped and self.state == "RUNNING" and shown["tasks"]:
            shown["tasks"][0].update(state="FAILED", trace="ConnectException: database is down")
        return shown


@pytest.mark.parametrize("named", [False, True])
def test_one_that_fails_with_its_old_offsets_as_well(named, tmp_path):
    worker = running(b=1)
    worker.by_name["b"] = Sick("RUNNING", live(a=10))
    failed = failure(worker, {"name": "b", "offsets": pairs(a=4)}, rollback=True, **in_file(tmp_path, named))
    assert "The change was rolled back: the offsets are as they were, but the connector is not: " in failed.message
    assert failed.message.count("database is down") == 2 and "as declared" not in failed.message and "To undo" not in failed.message
    assert worker.by_name["b"].live == {json.dumps({"filename": "a"}): {"position": 10}}


def test_a_rollback_that_cannot_be_recorded_starts_the_connector_all_the_same(tmp_path, monkeypatch):
    worker = running(b=1)
    worker.by_name["b"] = Fragile("RUNNING", live(a=10))
    put = FileLedger.put

    def refuse(ledger, change, known, expired=()):
        if change.phase == "restored":
            raise errors.ConnectError("The disk is full.")
        put(ledger, change, known)

    monkeypatch.setattr(FileLedger, "put", refuse)
    failed = failure(worker, {"name": "b", "offsets": pairs(a=4)}, rollback=True, **in_file(tmp_path, True))
    assert "The change was rolled back: the offsets are as they were, and the connector is RUNNING" in failed.message
    assert any("which has the change CHG-1 as made. The disk is full." in text for text in failed.warnings), failed.warnings
    assert worker.by_name["b"].state == "RUNNING" and worker.by_name["b"].live == {json.dumps({"filename": "a"}): {"position": 10}}


def safe(monkeypatch, path, fails=()):
    """In which order a run has its ledger made safe on the disk, writes offsets, and starts connectors. The fsyncs of these numbers fail."""
    events, sizes, sync, alter, resume = [], [], journal.os.fsync, FakeConnect.alter_offsets, FakeConnect.resume

    def fsync(handle):
        sizes.append(journal.os.fstat(handle).st_size if journal.os.path.samestat(journal.os.fstat(handle), path.stat()) else None)
        events.append("safe")
        if len(sizes) in fails:
            raise OSError(28, "No space left on device")
        sync(handle)

    def noted(name, method):
        def call(*args):
            last = [size for size in sizes if size is not None][-1:]
            events.append(name if last == [path.stat().st_size] else name + " before it is safe")
            return method(*args)
        return call

    monkeypatch.setattr(journal.os, "fsync", fsync)
    monkeypatch.setattr(FakeConnect, "alter_offsets", noted("write", alter))
    monkeypatch.setattr(FakeConnect, "resume", noted("resume", resume))
    return events


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("stopped", [False, True])
def test_what_many_tell_the_ledger_is_made_safe_at_the_end_of_each_phase(stopped, named, tmp_path, monkeypatch):
    """Before the first of them is written, and before the first of them runs again; a new file is made safe in its folder, too."""
    names, counts = "abcdefgh", set()
    for count in (2, 8):
        worker, ledger = running(**dict.fromkeys(names[:count], 1)), tmp_path / str(count)
        for one in worker.by_name.values() if stopped else ():
            one.stop("")
        ledger.mkdir()
        events = safe(monkeypatch, ledger / "ledger.json")
        declare(worker, *[to(name, 5) for name in names[:count]], **{**in_file(ledger, named), "ledger": "file", "ledger_file": str(ledger / "ledger.json")})
        assert [event for event in events if event != "safe"] == ["write"] * count + ["resume"] * (0 if stopped else count)
        counts.add(events.count("safe"))
        assert {(one.phase, one.busy) for one in FileLedger(str(ledger / "ledger.json")).changes()} == {("applied", False)}
        monkeypatch.undo()
    assert len(counts) == 1 and max(counts) <= 6


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("phase", ["begun", "stopped", "made", "ended"])
def test_what_many_tell_the_ledger_cannot_be_made_safe(phase, named, tmp_path, monkeypatch):
    """The same as if the ledger had refused it. Without an id it is a warning in any case."""
    worker = running(a=1, b=1)
    options = {**in_file(tmp_path, named), "ledger": "file", "ledger_file": str(tmp_path / "ledger.json")}
    declare(running(x=1), to("x", 5), **{**options, "change_id": "CHG-0"})  # the file is there, with its folder
    events = safe(monkeypatch, tmp_path / "ledger.json", [["begun", "stopped", "made", "ended"].index(phase) + 1])
    fails = named and phase != "ended"
    try:
        found = declare(worker, to("a", 5), to("b", 5), **options)
        warnings = found["warnings"]
    except errors.ConnectError as failed:
        found, warnings = failed.facts, failed.warnings
        assert fails and "No space left on device" in failed.message, failed.message
        assert ("It is left as it is now, stopped" in failed.message) == (phase == "made")
    else:
        assert not fails and any("No space left on device" in text for text in warnings), warnings
    made = not fails or phase == "made"
    assert positions(worker) == dict.fromkeys("ab", 5 if made else 1) and any("write" in event for event in events) == made
    assert {one.state for one in worker.by_name.values()} == {"STOPPED" if fails and phase == "made" else "RUNNING"}
    if not named:
        assert any("is not recorded" in text for text in warnings) or phase == "ended"


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_ledger_that_breaks_within_a_phase(is_gone, tmp_path, monkeypatch):
    """Gone, or unreadable when the second of three is about to be written: no connector is left without a word."""
    worker, path, put = running(a=1, b=1, c=1), tmp_path / "ledger.json", FileLedger.put

    def broken(self, change, *args, **options):
        if change.connector == "b" and change.before is not None:
            monkeypatch.undo()
            if is_gone:
                path.unlink()
            else:
                path.write_text(path.read_text() + "rubbish\n")
        return put(self, change, *args, **options)

    monkeypatch.setattr(FileLedger, "put", broken)
    failed = failure(worker, to("a", 5), to("b", 5), to("c", 5), **{**in_file(tmp_path, True), "ledger": "file", "ledger_file": str(path)})
    states = {name: one.state for name, one in worker.by_name.items()}
    if is_gone:
        assert states == dict.fromkeys("abc", "RUNNING") and positions(worker) == dict.fromkeys("abc", 1)
    else:  # that a is made cannot be recorded
        assert states == {"a": "STOPPED", "b": "RUNNING", "c": "RUNNING"} and positions(worker) == {"a": 5, "b": 1, "c": 1}
        assert "The offsets of a are as declared, but that could not be written into the ledger" in failed.message, failed.message


def test_a_run_that_finishes_another_one_rolls_back_what_that_has_replaced(tmp_path):
    worker = running(b=1)
    worker.by_name["b"] = Fragile("STOPPED", live(a=4))
    ledger = FileLedger(str(tmp_path / "ledger.json"))
    desired = DesiredOffsets.present(pairs(a=4))
    ledger.put(ledger_change(connector="b", digest=digest(desired, "source"), before=pairs(a=10), after=pairs(a=4), state_to_restore="RUNNING"), None)
    failed = failure(worker, {"name": "b", "offsets": pairs(a=4), "final_state": "started"}, rollback=True, **in_file(tmp_path, True))
    assert "The change was rolled back: the offsets are as they were" in failed.message, failed.message
    assert worker.by_name["b"].live == {json.dumps({"filename": "a"}): {"position": 10}}
    assert [one.phase for one in ledger.changes("b")] == ["restored"]


@pytest.mark.parametrize("final", ["stopped", "paused"])
def test_one_that_had_failed_can_end_stopped_or_paused(final):
    worker = running(a=4)
    worker.by_name["a"] = Fragile("RUNNING", live(a=4))
    assert declare(worker, {"name": "a", "offsets": pairs(a=4)}, final_state=final)["changed"] is True
    assert worker.by_name["a"].state == final.upper()


@pytest.mark.parametrize("wanted, message", [("STOPPED", "no. It was taken back."), ("PAUSED", "no")])
def test_a_stop_that_is_given_up_is_taken_back(wanted, message):
    """By Strimzi it is declared, and would be obeyed later."""
    class GivenUp(Lifecycle):
        def __init__(self):
            pass

        def reach(self, wanted, found):
            raise errors.StateError("no")

        def take_stop_back(self, found, error):
            return error.also("It was taken back.")

    with pytest.raises(errors.StateError) as caught:
        GivenUp().declare(wanted, None)
    assert caught.value.message == message


def test_a_preview_shows_the_others_beside_one_that_cannot_be_asked(tmp_path):
    worker = running(a=1, b=1, c=7)
    worker.by_name["b"].faults["offsets"] = [errors.OutcomeUnknown("Request timed out")]
    failed = failure(worker, to("a", 5), to("b", 5), to("c", 7), check=True)
    assert failed.message == "Request timed out" and list(failed.facts["failed_connectors"]) == ["b"]
    assert [one and (one["name"], one["changed"]) for one in failed.facts["connectors"]] == [("a", True), None, ("c", False)]
    assert failed.facts["connectors"][0]["actions"][0]["to"] == {"n": 5} and not failed.facts.get("changed")
    # A real run with a ledger predicts first, and nothing of that is in what it returns.
    worker.by_name["b"].faults["offsets"] = [errors.OutcomeUnknown("Request timed out")]
    failed = failure(worker, to("a", 5), to("b", 5), to("c", 7), change_id="CHG-1", ledger="file", ledger_file=str(tmp_path / "ledger.json"))
    assert failed.facts["connectors"] == [None, None, None] and positions(worker) == {"a": 1, "b": 1, "c": 7}


# ---- interrupts ------------------------------------------------------------------------------------------------------

def test_an_interrupt_before_the_first_write_puts_all_back(interrupts):
    worker = running(a=1, b=1, c=1)
    worker.by_name["b"].faults["stop"] = [signalled(signal.SIGTERM)]
    error = failure(worker, to("a", 5), to("b", 5), to("c", 5))
    assert positions(worker) == {"a": 1, "b": 1, "c": 1} and {one.state for one in worker.by_name.values()} == {"RUNNING"}
    assert not worker.order("alter_offsets") and error.message.startswith("3 of 3 connectors failed, first a: The run was interrupted (SIGTERM). ")
    for text in error.facts["failed_connectors"].values():
        assert "The connector was restored: it is RUNNING" in text


@pytest.mark.parametrize("final, state", [("found", "RUNNING"), ("stopped", "STOPPED")])
def test_an_interrupt_from_the_first_write_on_lets_all_end(interrupts, final, state):
    worker = running(a=1, b=1)
    worker.by_name["a"].faults["alter"] = [signalled(signal.SIGTERM)]
    error = failure(worker, to("a", 5), to("b", 5), final_state=final)
    assert error.message == "The run was interrupted (SIGTERM). 2 of 2 connectors are as declared, and in their final states; 0 were not attempted."
    assert positions(worker) == {"a": 5, "b": 5} and {one.state for one in worker.by_name.values()} == {state}
    assert [one["changed"] for one in error.facts["connectors"]] == [True, True] and error.facts["changed"] is True


def test_an_interrupt_between_two_parts(interrupts, monkeypatch, tmp_path):
    monkeypatch.setattr(execute, "_NAMED", 1)
    worker = running(a=1, b=1)
    worker.by_name["a"].faults["alter"] = [signalled(signal.SIGINT)]
    error = failure(worker, to("a", 5), to("b", 5), change_id="CHG-1", ledger="file", ledger_file=str(tmp_path / "ledger.json"))
    assert error.message.startswith("The run was interrupted (SIGINT). 1 of 2 connectors are as declared")
    assert positions(worker) == {"a": 5, "b": 1} and not worker.order("stop").count(("stop", "b"))
    assert [one and one["name"] for one in error.facts["connectors"]] == ["a", None]


def test_an_interrupt_while_they_are_looked_at(interrupts):
    worker = running(a=1, b=1)
    worker.by_name["a"].faults["offsets"] = [signalled(signal.SIGTERM)]
    error = failure(worker, to("a", 5), to("b", 5))
    assert error.message == "The run was interrupted (SIGTERM)." and not worker.order("stop", "alter_offsets")


def test_a_final_state_in_check_mode():
    worker = running(a=5)
    result = declare(worker, to("a", 5, final_state="stopped"), check=True)
    assert result["changed"] and result["connectors"][0]["connector"]["state"] == "STOPPED" and worker.by_name["a"].state == "RUNNING"
    assert result["backup_file"] is None


def test_a_state_alone_needs_no_backup(tmp_path):
    worker = running(a=5)
    result = declare(worker, to("a", 5, final_state="stopped"), backup=True, backup_file=str(tmp_path / "b.json"))
    assert result["changed"] and result["backup_file"] is None and result["connectors"][0]["backup_file"] is None
    assert not (tmp_path / "b.json").exists()


def test_those_that_are_made_reach_their_final_state_though_another_one_fails(tmp_path):
    worker = running(a=1, b=1, c=1)
    worker.by_name["b"].faults["alter"] = [errors.Refused("the plugin says no")]
    error = failure(worker, to("c", 5), to("b", 5), to("a", 5), final_state="paused", backup=True, backup_file=str(tmp_path / "b.json"))
    assert positions(worker) == {"a": 5, "b": 1, "c": 5}
    assert {name: one.state for name, one in worker.by_name.items()} == {"a": "PAUSED", "b": "RUNNING", "c": "PAUSED"}
    made = error.facts["connectors"]
    assert made[1] is None and [made[0]["name"], made[2]["name"]] == ["c", "a"]
    assert made[0]["backup_file"] == error.facts["backup_file"] == str(tmp_path / "b.json")
    assert list(error.facts["failed_connectors"]) == ["b"]


def test_a_final_state_that_is_not_reached():
    worker = running(a=1, b=1)
    worker.by_name["a"].faults["pause"] = [errors.Refused("no pause"), errors.Refused("no pause")]
    error = failure(worker, to("a", 5, final_state="paused"), to("b", 5, final_state="paused"))
    assert error.message.startswith(
        "1 of 2 connectors failed, first a: no pause. Its offsets are as declared. To undo the change declare state: restored "
        "with change_id: auto-")
    assert positions(worker) == {"a": 5, "b": 5} and worker.by_name["b"].state == "PAUSED" and error.facts["changed"] is True
    # What was done with it is told all the same: whoever puts it back has to know it.
    assert [(one["name"], one["changed"]) for one in error.facts["connectors"]] == [("a", True), ("b", True)]
    assert error.message.endswith("Of the other connectors 1 is as declared, and 0 were not attempted.")


def test_of_one_alone_the_message_is_its_own():
    worker = running(a=1)
    worker.by_name["a"].faults["alter"] = [errors.Refused("the plugin says no")]
    error = failure(worker, to("a", 5))
    assert error.message.startswith("the plugin says no. The offsets are as they were.") and "Of the other connectors" not in error.message
    assert error.facts["failed_connectors"] == {"a": error.message} and error.facts["connectors"] == [None]


def test_names_of_changes(tmp_path):
    """The list has one, an entry may have its own, and each is undone by its name."""
    worker = running(a=1, b=1, c=1)
    ledger = {"ledger": "file", "ledger_file": str(tmp_path / "ledger.json")}
    result = declare(worker, to("a", 5), to("b", 5, change_id="OWN-1"), to("c", 5, change_id=""), change_id="CHG-1", **ledger)
    assert [one["change"]["change_id"] for one in result["connectors"]] == ["CHG-1", "OWN-1", "CHG-1"]
    worker.by_name["a"].live['{"p": 0}'] = {"n": 8}
    again = declare(worker, to("a", 5), to("b", 5, change_id="OWN-1"), to("c", 5), change_id="CHG-1", **ledger)
    assert not again["changed"] and [one["already_applied"] for one in again["connectors"]] == [True] * 3
    undo = [{"name": "a", "state": "restored"}, {"name": "b", "state": "restored", "change_id": "OWN-1"}]
    assert "has no change CHG-1 of b" in failure(worker, undo[0], {"name": "b", "state": "restored"}, change_id="CHG-1", **ledger).message
    undone = declare(worker, *undo, change_id="CHG-1", **ledger)
    assert positions(worker) == {"a": 1, "b": 1, "c": 5} and [one["change"]["phase"] for one in undone["connectors"]] == ["restored"] * 2


def test_only_some_have_names(tmp_path):
    worker = running(a=1, b=1)
    result = declare(worker, to("a", 5), to("b", 5, change_id="OWN-1"), ledger="file", ledger_file=str(tmp_path / "ledger.json"))
    assert [one["change_id"][:5] for one in result["connectors"]] == ["auto-", "OWN-1"] and positions(worker) == {"a": 5, "b": 5}
    assert "needs a ledger" in failure(worker, to("a", 6), to("b", 6, change_id="OWN-2"), ledger="none").message


def test_a_worker_that_knows_no_stopped_is_refused_before_anything_is_changed():
    worker = running(a=1, b=1)

    def old(feature):
        if feature == "stop":
            raise errors.EndpointMissing("too old")
    worker.require = old
    assert "too old" in failure(worker, to("a", 5, final_state="stopped"), to("b", 5)).message
    assert positions(worker) == {"a": 1, "b": 1} and not worker.order("stop", "pause")


def test_a_worker_that_cannot_be_asked_is_left_to_each_change():
    class Dead(FakeWorker):
        def connectors(self):
            raise errors.Unreachable("nobody there")

        def __getattr__(self, method):
            def call(*args):
                raise errors.Unreachable("nobody there")
            return call

    error = failure(Dead(), to("a", 5), to("b", 5))
    assert "nobody there" in error.message and error.facts["cluster"] is None and sorted(error.facts["failed_connectors"]) == ["a", "b"]


def test_a_connector_that_is_not_there():
    error = failure(FakeWorker(a=FakeConnect("RUNNING", [({"p": 0}, {"n": 1})])), to("a", 5), to("nope", 5))
    assert error.facts["failed_connectors"] == {"nope": "There is no such connector nope"}
    assert error.facts["cluster"]["kafka_cluster_id"] == "cluster-1"


def test_a_later_part_that_cannot_be_begun_does_not_hide_the_first_one(tmp_path, monkeypatch):
    """Made in parts, as each tells the ledger. What has come between shows only then."""
    monkeypatch.setattr(execute, "_NAMED", 1)
    worker = running(a=1, b=1)
    move = worker.by_name["a"].alter

    def meanwhile(connect, pairs):
        worker.by_name["b"].live['{"p": 0}'] = {"n": 99}
        return move(pairs)
    worker.by_name["a"].faults["alter"] = [meanwhile]
    error = failure(worker, to("a", 5), to("b", 5, max_rewind=10), change_id="CHG-1", final_state="paused", ledger="file",
                    ledger_file=str(tmp_path / "ledger.json"))
    assert error.message.startswith("1 of 2 connectors failed, first b: ")
    assert error.message.endswith("Of the other connectors 1 is as declared, and 0 were not attempted.")
    assert [one and one["name"] for one in error.facts["connectors"]] == ["a", None] and error.facts["changed"] is True
    assert positions(worker) == {"a": 5, "b": 99}
    assert {name: one.state for name, one in worker.by_name.items()} == {"a": "PAUSED", "b": "RUNNING"}


def test_a_state_that_is_refused_after_another_was_reached():
    worker = running(a=5, b=5)
    worker.by_name["b"].faults["pause"] = [errors.Refused("no pause")] * 2
    error = failure(worker, to("a", 5), to("b", 5), final_state="paused")
    assert error.facts["changed"] is True and worker.by_name["a"].state == "PAUSED"


POD = "mm-mirrormaker2-0.mm-mirrormaker2.kafka.svc:8083"


@pytest.mark.parametrize("check", [True, False])
def test_what_an_operator_looks_after_is_not_touched(monkeypatch, check):
    """A state that its operator would set back: known before the first request, and before any other connector is changed."""
    worker = running(a=5, b=1)
    status = FakeConnect.status
    monkeypatch.setattr(FakeConnect, "status", lambda self, name: dict(status(self, name), connector={
        "state": self.state, "worker_id": POD if name == "a" else "w"}))
    error = failure(worker, to("a", 5, final_state="paused"), to("b", 5), check=check)
    assert isinstance(error, errors.StateError) and "a pod of the KafkaMirrorMaker2" in error.message
    assert not worker.order("stop", "pause", "resume", "alter_offsets")
    if not check:
        declare(worker, to("a", 5, final_state="paused", force=True), to("b", 5))
        assert worker.by_name["a"].state == "PAUSED"


def test_connectors_of_a_resource_are_not_changed_by_another_road(monkeypatch):
    class Operator:
        namespace = "kafka"

        class kube:
            close = staticmethod(lambda: None)

        def owner(self, name):
            return f"KafkaConnector {name}" if name == "b" else None

    monkeypatch.setattr(operator_guard, "open_operator", lambda params, reader, check_mode: Operator())
    worker = running(a=1, b=1)
    options = {"k8s_namespace": "kafka", "method": "rest"}
    error = failure(worker, to("a", 5), to("b", 5), **options)
    assert "b is owned by the operator of KafkaConnector b in the namespace kafka" in error.message
    assert positions(worker) == {"a": 1, "b": 1}
    assert list(error.facts["failed_connectors"]) == ["b"]
    assert declare(worker, to("a", 5), to("b", 5, force=True), **options)["changed"] and positions(worker) == {"a": 5, "b": 5}


def test_who_does_not_answer_is_not_waited_for_by_each():
    class Dead(FakeWorker):
        def connectors(self):
            self.calls.append(("connectors", None))
            raise errors.Unreachable("nobody there")

    worker = Dead(**{f"c{number}": FakeConnect("RUNNING", []) for number in range(30)})
    error = failure(worker, *[to(name, 5) for name in worker.by_name])
    assert len(error.facts["failed_connectors"]) == 30 and len(worker.order("connectors")) < 4


def test_one_whose_lease_is_lost_before_the_stop_is_left_alone(tmp_path, monkeypatch):
    """Another run has taken it over: nobody would start it again."""
    worker = running(a=1, b=1)

    def lost(tracked):
        if tracked.connector == "a":
            raise LeaseLost(tracked.change)

    monkeypatch.setattr(TrackedChange, "heartbeat", lost)
    failed = failure(worker, to("a", 5), to("b", 5), rollback=True, **in_file(tmp_path, True))
    assert list(failed.facts["failed_connectors"]) == ["a"] and failed.facts["left_alone"] == ["a"]
    assert (worker.by_name["a"].state, worker.by_name["a"].writes) == ("RUNNING", []) and positions(worker) == {"a": 1, "b": 5}


def test_a_fault_of_the_ledger_at_the_end_of_one_leaves_the_others_whole(tmp_path, monkeypatch):
    worker = running(a=1, b=1)
    worker.by_name["a"].faults["alter"] = [errors.Refused("the plugin says no")]

    def broken(tracked, offsets_back, state_back):
        raise OSError("gone")

    monkeypatch.setattr(TrackedChange, "give_up", broken)
    failed = failure(worker, to("a", 5), to("b", 5), final_state="started", **in_file(tmp_path, True))
    assert "the plugin says no" in failed.facts["failed_connectors"]["a"] and positions(worker) == {"a": 1, "b": 5}
    assert worker.by_name["b"].state == "RUNNING"


@pytest.mark.parametrize(("host", "named", "check", "warns"), [
    ("https://awx", False, False, True), (None, False, False, False), ("https://awx", True, False, False), ("https://awx", False, True, False)])
def test_a_backup_that_is_gone_with_the_job(host, named, check, warns, monkeypatch, tmp_path):
    monkeypatch.delenv("AWX_HOST", raising=False)
    if host:
        monkeypatch.setenv("AWX_HOST", host)
    path = str(tmp_path / "backup.json")
    where = in_file(tmp_path, True) if named else {"ledger": "none"}
    result = declare(running(a=1, b=5), to("a", 5), to("b", 5), check=check, backup=True, backup_file=path, **where)
    found = [text for text in result["warnings"] if "AWX removes the disk" in text]
    assert bool(found) is warns and (not warns or f"the backup {path} of a. With a change_id the ledger keeps" in found[0])
