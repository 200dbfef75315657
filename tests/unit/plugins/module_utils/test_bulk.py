# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A list of declarations, an entry for each connector. How changes are made together is in test_import.py."""

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _many, _operator
from ansible_collections.streamops.kafka_connect.plugins.module_utils._bulk import declare as run_bulk
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.test_change import FakeConnect
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.test_import import FakeWorker, pair, positions, running

OPTIONS = {
    **dict.fromkeys(("change_id", "ledger_topic", "ledger_file", "requested_by", "offset_topic", "connect_group", "backup_file",
                     "offset_file", "worker_pid")),
    **dict.fromkeys(("assume_stopped", "stop", "backup"), False),
    "final_state": "found", "ledger": "auto", "settle": 0, "method": "auto", "wait_timeout": 5, "max_entries": 20}
ENTRY = {
    **dict.fromkeys(("offsets", "src", "content", "reset_to", "topics", "change_id", "final_state", "max_rewind", "max_skip", "only",
                     "consumer_group", "raw_keys", "key_order")),
    "state": "present", "purge": False, "force": False}


def declare(worker, *entries, kafka=None, check=False, **options):
    connectors = [{**ENTRY, **entry} for entry in entries]
    return run_bulk(worker, kafka, None, {**OPTIONS, "stop": True, "connectors": connectors, **options}, check)


def failure(worker, *entries, **options):
    with pytest.raises(errors.ConnectError) as caught:
        declare(worker, *entries, **options)
    return caught.value


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
    ([], "connectors is empty; nothing was changed."),
    ([to("a", 5), to("b", 5), to("a", 6)], "connectors has a more than once; nothing was changed."),
    ([to("a", 5), {"name": "b", "state": "restored"}], "b: change_id is empty: state: restored needs the name of the change to undo."),
    ([to("a", 5), to("b", 5, topics=["t"])], "b: topics belongs to reset_to"),
    ([to("a", 5), {"name": "b", "offsets": [pair(0, 2**63)]}], "b: offsets"),
    ([to("a", 5), to("b", 5, max_rewind="far")], "b: max_rewind"),
])
def test_entries_that_cannot_be_meant(entries, words):
    worker = running(a=1, b=1)
    error = failure(worker, *entries)
    assert isinstance(error, errors.WishError) and error.message.startswith(words)
    assert positions(worker) == {"a": 1, "b": 1}


def test_guards_and_force_are_each_its_own():
    worker = running(a=9, b=9)
    error = failure(worker, to("a", 5), to("b", 5, max_rewind=3))
    assert list(error.facts["failed_connectors"]) == ["b"] and "max_rewind" in error.message and positions(worker) == {"a": 9, "b": 9}
    declare(worker, to("a", 5, max_rewind=4), to("b", 10, only="backward"))
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
        "1 of 2 connectors failed, first a: no pause. Before that, its offsets had been brought to what is declared.")
    assert positions(worker) == {"a": 5, "b": 5} and worker.by_name["b"].state == "PAUSED" and error.facts["changed"] is True
    # What was done with it is told all the same: whoever puts it back has to know it.
    assert [(one["name"], one["changed"]) for one in error.facts["connectors"]] == [("a", True), ("b", True)]
    assert error.message.endswith("Of the others, 1 are as declared, and 0 were not begun.")


def test_of_one_alone_the_message_is_its_own():
    worker = running(a=1)
    worker.by_name["a"].faults["alter"] = [errors.Refused("the plugin says no")]
    error = failure(worker, to("a", 5))
    assert error.message.startswith("the plugin says no. The offsets are as they were.") and "Of the others" not in error.message
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
    assert "knows no change CHG-1 of b" in failure(worker, undo[0], {"name": "b", "state": "restored"}, change_id="CHG-1", **ledger).message
    undone = declare(worker, *undo, change_id="CHG-1", **ledger)
    assert positions(worker) == {"a": 1, "b": 1, "c": 5} and [one["change"]["phase"] for one in undone["connectors"]] == ["restored"] * 2


def test_only_some_have_names(tmp_path):
    worker = running(a=1, b=1)
    result = declare(worker, to("a", 5), to("b", 5, change_id="OWN-1"), ledger="file", ledger_file=str(tmp_path / "ledger.json"))
    assert [one["change"] is None for one in result["connectors"]] == [True, False] and positions(worker) == {"a": 5, "b": 5}
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
    monkeypatch.setattr(_many, "_NAMED", 1)
    worker = running(a=1, b=1)
    move = worker.by_name["a"].alter

    def meanwhile(connect, pairs):
        worker.by_name["b"].live['{"p": 0}'] = {"n": 99}
        return move(pairs)
    worker.by_name["a"].faults["alter"] = [meanwhile]
    error = failure(worker, to("a", 5), to("b", 5, max_rewind=10), change_id="CHG-1", final_state="paused", ledger="file",
                    ledger_file=str(tmp_path / "ledger.json"))
    assert error.message.startswith("1 of 2 connectors failed, first b: ")
    assert error.message.endswith("Of the others, 1 are as declared, and 0 were not begun.")
    assert [one and one["name"] for one in error.facts["connectors"]] == ["a", None] and error.facts["changed"] is True
    assert positions(worker) == {"a": 5, "b": 99}
    assert {name: one.state for name, one in worker.by_name.items()} == {"a": "PAUSED", "b": "RUNNING"}


def test_a_state_that_is_refused_after_another_was_reached():
    worker = running(a=5, b=5)
    worker.by_name["b"].faults["pause"] = [errors.Refused("no pause")] * 2
    error = failure(worker, to("a", 5), to("b", 5), final_state="paused")
    assert "Nothing was changed" not in error.message and error.facts["changed"] is True and worker.by_name["a"].state == "PAUSED"


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

    monkeypatch.setattr(_operator, "open_operator", lambda params, reader, check_mode: Operator())
    worker = running(a=1, b=1)
    options = {"namespace": "kafka", "method": "rest"}
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
