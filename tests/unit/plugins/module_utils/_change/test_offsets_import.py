# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_import import declare as run_import
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_import import desired_by_name
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import offset_records
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_item import OURS, FakeConnect
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

OPTIONS = {
    **dict.fromkeys(("src", "content", "connectors", "change_id", "ledger_topic", "ledger_file", "requested_by", "offset_topic",
                     "kafka_connect_group", "backup_file", "offset_file")),
    **dict.fromkeys(("purge", "seed", "force", "accept_duplicates", "assume_stopped", "stop", "backup", "rollback"), False),
    "final_state": "found", "ledger": "auto", "settle": 0, "check_position": "none", "check_position_timeout": 0, "method": "auto", "wait_timeout": 5,
    "max_entries": 20}


def pair(number, offset=None):
    return {"partition": {"p": number}, "offset": offset if offset is None else {"n": offset}}


class FakeWorker:
    """Several connectors of one worker. ``calls``: (method, connector), in the order in which they came."""

    url = "http://h:8083"
    urls = [url]

    def __init__(self, **connectors):
        self.by_name, self.calls = connectors, []

    def root(self):
        return {"version": "4.3.1", "commit": "x", "kafka_cluster_id": "cluster-1"}

    def require(self, feature):
        pass

    def similar(self, name):
        return ""

    def connectors(self):
        self.calls.append(("connectors", None))
        return {name: {"status": one.status(name), "info": one.info(name)} for name, one in self.by_name.items()}

    def statuses(self):
        self.calls.append(("statuses", None))
        return {name: {"status": one.status(name)} for name, one in self.by_name.items()}

    def __getattr__(self, method):
        def call(name, *more):
            self.calls.append((method, name))
            if name not in self.by_name:
                raise errors.NoConnector(f"There is no such connector {name}")
            return getattr(self.by_name[name], method)(name, *more)
        return call

    def order(self, *methods):
        return [(method, name) for method, name in self.calls if method in methods]


def declare(client, document, kafka=None, check=False, **options):
    return run_import(client, kafka, None, {**OPTIONS, "content": document, **options}, check)


def running(**offsets):
    return FakeWorker(**{name: FakeConnect("RUNNING", [({"p": 0}, {"n": offset})]) for name, offset in offsets.items()})


def positions(worker):
    return {name: one.live.get('{"p": 0}', {}).get("n") for name, one in worker.by_name.items()}


def test_offsets_that_are_refused_come_with_an_example():
    worker = running(a=1, b=7)
    with pytest.raises(errors.OffsetsError) as caught:
        declare(worker, {"a": [{"partition": {"p": 0}, "offset": {"n": "5"}}], "b": [pair(0, 8)]}, stop=True, check=True)
    assert caught.value.facts["examples"] == {"a": pair(0, 1)} and "An offset of a is declared like this" in caught.value.message


# ---- what a document declares ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("document, names, found", [
    ({"a": [pair(0, 1)], "b": [pair(0, 2)]}, None, ["a", "b"]),
    ({"a": [pair(0, 1)], "b": []}, [], ["a"]),
    ({"orders-1": [pair(0, 1)], "orders-2": [pair(0, 1)], "c": [pair(0, 1)]}, ["orders-*"], ["orders-1", "orders-2"]),
    ({"a*": [pair(0, 1)], "ab": [pair(0, 1)]}, ["a*"], ["a*", "ab"]),
    ({"format": "streamops.kafka_connect/offsets", "version": 1, "connectors": {"a": [pair(0, 1)]}}, None, ["a"]),
    ({"offsets": [pair(0, 1)]}, ["a"], ["a"]),
    ([pair(0, 1)], ["a"], ["a"]),
    (json.dumps({"a": [pair(0, 2**63 - 1)]}), None, ["a"]),
])
def test_whom_a_document_is_about(document, names, found):
    assert sorted(desired_by_name({**OPTIONS, "content": document, "connectors": names})) == found


@pytest.mark.parametrize("document, names, words", [
    ({"offsets": [pair(0, 1)]}, None, "does not say of which connector it is"),
    ([pair(0, 1)], ["a", "b"], "does not say of which connector it is"),
    ({"a": [pair(0, 1)]}, ["a", "b*"], "content holds no connector that fits b*; it has a."),
    ({"a": []}, None, "holds no offsets of any connector"),
    ({}, None, "holds no offsets of any connector"),
    ("7", None, "content must be a JSON object or list"),
    ('{"a": [', None, "seems to be cut short"),
    ({"a": [pair(0, 1)], "b": [pair(0, 1), pair(0, 2)]}, None, "b: document[1] is a second entry"),
    ({"a": [pair(0, 2**63)]}, None, "64 bits"),
    ({"a": 7}, None, "content: a must be a list"),
    ({"format": "other", "connectors": {}}, None, "has the unknown format"),
    ({"a": [pair(0, 1)], "b\n": [pair(0, 1)]}, None, "content: the connector's name 'b\\n' begins or ends with a blank"),
])
def test_documents_that_cannot_be_meant(document, names, words):
    with pytest.raises(errors.DeclarationError) as caught:
        desired_by_name({**OPTIONS, "content": document, "connectors": names})
    assert words in caught.value.message


# ---- made together --------------------------------------------------------------------------------------------------

def test_all_are_stopped_before_any_is_changed_and_started_again_after_all_are():
    worker = running(a=1, b=1, c=7)
    result = declare(worker, {"a": [pair(0, 5)], "b": [pair(0, 6)], "c": [pair(0, 7)]}, stop=True)
    assert positions(worker) == {"a": 5, "b": 6, "c": 7} and result["changed"]
    assert worker.order("stop", "alter_offsets", "resume") == [
        ("stop", "a"), ("stop", "b"), ("alter_offsets", "a"), ("alter_offsets", "b"), ("resume", "a"), ("resume", "b")]
    assert [(one["name"], one["changed"], [*one["counts"].values()]) for one in result["connectors"]] == [
        ("a", True, [1, 0, 0, 1, 1]), ("b", True, [1, 0, 0, 1, 1]), ("c", False, [0, 0, 1, 1, 1])]
    assert result["counts"] == {"set": 2, "remove": 0, "keep": 1}
    assert [part["before_header"] for part in result["diff"]] == ["a (offsets)", "b (offsets)"]
    assert {one["state"] for one in result["connectors"]} == {"RUNNING"}


def test_one_that_is_stopped_already_waits_for_the_others_and_no_stop_waits_for_another():
    worker = running(a=1, b=1, c=1)
    worker.by_name["a"].stop("a")
    declare(worker, {name: [pair(0, 5)] for name in "abc"}, stop=True)
    assert worker.order("stop", "alter_offsets") == [
        ("stop", "b"), ("stop", "c"), ("alter_offsets", "a"), ("alter_offsets", "b"), ("alter_offsets", "c")]
    assert worker.calls.index(("stop", "c")) == worker.calls.index(("stop", "b")) + 1


def test_a_stop_in_doubt_is_looked_into_before_it_is_sent_again():
    worker = running(a=1, b=1)
    doubt = errors.OutcomeUnknown("PUT stop failed with 500: Request timed out")

    def took(connect):
        connect.state, connect.tasks = "STOPPED", 0
        raise doubt

    worker.by_name["b"].faults["stop"] = [took]
    result = declare(worker, {name: [pair(0, 5)] for name in "ab"}, stop=True)
    assert worker.order("stop") == [("stop", "a"), ("stop", "b")] and positions(worker) == {"a": 5, "b": 5}
    assert [text for text in result["warnings"] if "though" in text] == [f"b is STOPPED as requested, though the answer was: {doubt.message}"]


def test_a_stop_that_failed_for_sure_is_sent_again():
    worker = running(a=1, b=1)
    worker.by_name["b"].faults["stop"] = [errors.Rebalancing("a rebalance is expected")]
    declare(worker, {name: [pair(0, 5)] for name in "ab"}, stop=True)
    assert worker.order("stop") == [("stop", "a"), ("stop", "b"), ("stop", "b")] and positions(worker) == {"a": 5, "b": 5}


def test_each_tells_its_own_story(tmp_path):
    worker = running(a=1, b=1)
    (tmp_path / "file").touch()
    with pytest.raises(errors.ConnectError) as caught:
        declare(worker, {name: [pair(0, 5)] for name in "ab"}, stop=True, backup=True, backup_file=str(tmp_path / "file" / "b.json"))
    for text in caught.value.facts["failed_connectors"].values():
        assert text.count("cannot be written") == text.count("The connector was restored") == 1
    assert positions(worker) == {"a": 1, "b": 1}


def test_check_mode_sends_nothing():
    worker = running(a=1)
    result = declare(worker, {"a": [pair(0, 5)]}, stop=True, check=True)
    assert result["changed"] and positions(worker) == {"a": 1}
    assert not worker.order("stop", "pause", "resume", "alter_offsets", "reset_offsets")


def test_what_is_wrong_with_one_keeps_all_from_being_changed(tmp_path):
    worker = running(a=1, b=1, c=1)
    worker.by_name["c"].live['{"p": 0}'] = {"n": "1"}
    backup = tmp_path / "b.json"
    for check in (True, False):
        with pytest.raises(errors.ConnectError) as caught:
            declare(worker, {name: [pair(0, 5)] for name in "abc"}, stop=True, check=check, backup=True, backup_file=str(backup))
        assert "the field n is declared as the integer 5, but its live value is the text" in caught.value.message
    assert positions(worker) == {"a": 1, "b": 1, "c": "1"} and not worker.order("stop") and not backup.exists()


def test_several_that_are_wrong_are_all_named():
    worker = running(a=1, b=1, c=1)
    with pytest.raises(errors.StateError) as caught:
        declare(worker, {name: [pair(0, 5)] for name in "abc"})
    assert "That is one of 3 connectors of 3 for which it cannot be done." in caught.value.message
    assert sorted(caught.value.facts["failed_connectors"]) == ["a", "b", "c"]


def test_connectors_that_are_not_there():
    worker = running(a=1)
    with pytest.raises(errors.DeclarationError) as caught:
        declare(worker, {"a": [pair(0, 5)], "b": [pair(0, 5)], "c": [pair(0, 5)]}, stop=True)
    assert "There are no connector b, c." in caught.value.message and positions(worker) == {"a": 1}


def test_one_that_fails_is_put_back_and_the_others_are_made(tmp_path):
    worker = running(a=1, b=1, c=1)
    worker.by_name["b"].faults["alter"] = [errors.Refused("the plugin says no")]
    with pytest.raises(errors.ConnectError) as caught:
        declare(worker, {name: [pair(0, 5)] for name in "abc"}, stop=True, backup=True, backup_file=str(tmp_path / "b.json"))
    error = caught.value
    assert error.message.startswith(
        "1 of 3 connectors failed, first b: the plugin says no. The offsets are as they were. The connector was restored")
    assert error.message.endswith("Of the other connectors 2 are as declared, and 0 were not attempted.")
    assert positions(worker) == {"a": 5, "b": 1, "c": 5} and {one.state for one in worker.by_name.values()} == {"RUNNING"}
    assert [one["name"] for one in error.facts["connectors"]] == ["a", "c"] and error.facts["changed"] is True
    assert list(error.facts["failed_connectors"]) == ["b"]


def test_a_fault_of_our_own_leaves_none_stopped():
    worker = running(a=1, b=1)
    worker.by_name["a"].faults["alter"] = [lambda *args: 1 / 0]
    with pytest.raises(ZeroDivisionError):
        declare(worker, {name: [pair(0, 5)] for name in "ab"}, stop=True)
    assert {name: one.state for name, one in worker.by_name.items()} == {"a": "RUNNING", "b": "RUNNING"}


def test_the_backup_is_one_document_that_can_be_declared_again(tmp_path):
    worker, path = running(a=1, b=2, c=3), tmp_path / "b.json"
    result = declare(worker, {"a": [pair(0, 5)], "b": [pair(0, 5)], "c": [pair(0, 3)]}, stop=True, backup=True, backup_file=str(path))
    assert result["backup_file"] == str(path)
    document = json.loads(path.read_text())
    assert document["connectors"] == {"a": [pair(0, 1)], "b": [pair(0, 2)]} and document["cluster"]["kafka_cluster_id"] == "cluster-1"
    declare(worker, document, stop=True, purge=True)
    assert positions(worker) == {"a": 1, "b": 2, "c": 3}


def test_what_is_to_be_said_of_many_is_said_once():
    worker = running(**{f"c{number}": 1 for number in range(6)})
    result = declare(worker, {name: [pair(0, 5)] for name in worker.by_name}, stop=True, check=True)
    warning, = result["warnings"]
    assert warning.startswith("c0 is RUNNING: ") and warning.endswith(" The same goes for 5 more connectors: c1, c2, c3, ...")


@pytest.mark.parametrize("final, state", [("found", "RUNNING"), ("paused", "PAUSED"), ("stopped", "STOPPED"), ("started", "RUNNING")])
def test_final_state(final, state):
    worker = running(a=1, b=5)
    result = declare(worker, {"a": [pair(0, 5)], "b": [pair(0, 5)]}, stop=True, final_state=final)
    assert {one.state for one in worker.by_name.values()} == {state} == {one["state"] for one in result["connectors"]}
    assert [one["changed"] for one in result["connectors"]] == [True, final in ("paused", "stopped")]


def test_each_state_is_asked_for_once():
    worker = running(a=1, b=1)
    declare(worker, {name: [pair(0, 5)] for name in "ab"}, stop=True, final_state="stopped")
    assert worker.order("stop", "resume", "pause") == [("stop", "a"), ("stop", "b")]


# ---- the offsets topic ----------------------------------------------------------------------------------------------

def on_topic(kafka, document, **options):
    return declare(None, document, kafka, method="topic", offset_topic="offsets", assume_stopped=True, **options)


def test_one_read_and_one_transaction():
    kafka = FakeKafka()
    for name in "abc":
        kafka.put(f'["{name}",{{"p":0}}]', '{"n":1}')
    document = {name: [pair(0, 5), pair(1, 6)] for name in "abc"}
    result = on_topic(kafka, document)
    assert result["counts"] == {"set": 6, "remove": 0, "keep": 0}
    records, = kafka.writes
    assert [record[2] for record in records] == [f'["{name}",{{"p":{number}}}]'.encode() for name in "abc" for number in (0, 1)]
    # The whole once; then what the transaction has written.
    assert [size for what, *more, size in kafka.asked if what == "read" and size] == [3, 6]
    again = on_topic(kafka, document)
    assert not again["changed"] and len(kafka.writes) == 1


def test_the_topic_is_decoded_once(monkeypatch):
    """What was written is seen by its bytes; where something else came meanwhile, it is decoded once more."""
    decode, decoded = offset_records.Decoded.__init__, []
    monkeypatch.setattr(offset_records.Decoded, "__init__", lambda self, *given: decoded.append(1) or decode(self, *given))
    kafka = FakeKafka().put('["a",{"p":0}]', '{"n":1}')
    assert on_topic(kafka, {name: [pair(0, 5), pair(1, 6)] for name in "abc"})["changed"]
    assert len(decoded) == 1
    kafka.faults = [lambda records: kafka.carry_out(records) or kafka.put('["b",{"p":2}]', '{"n":1}') and None]
    assert on_topic(kafka, {name: [pair(0, 7), pair(1, 8)] for name in "abc"})["changed"]
    assert len(decoded) == 3


def test_groups_of_connectors_that_are_gone_are_looked_for_once():
    kafka = FakeKafka()
    kafka.commits["connect-b"] = {("t", 0): 5}
    result = on_topic(kafka, {name: [pair(0, 5)] for name in "abc"})
    assert [asked for asked in kafka.asked if asked[0] == "group_offsets"] == [("group_offsets", "connect-b")]
    assert [text for text in result["warnings"] if "it was a sink" in text and text.startswith("There is no connector b ")]
    assert kafka.asked.count(("names", False)) == 1


def test_a_transaction_is_that_of_its_connectors():
    """Of two runs at the same time that have nothing in common neither ends the other's; who tries again ends what was left open."""
    kafka = FakeKafka()
    for names in ("ab", "ba", "ac", "a"):
        on_topic(kafka, {name: [pair(0, len(kafka.ids))] for name in names})
    first, again, other, single = kafka.ids
    assert first == again != other and first.startswith("streamops.kafka_connect.offsets.2-")
    assert single == "streamops.kafka_connect.offsets.a"


def test_null_removes_and_purge_removes_what_is_not_mentioned():
    kafka = FakeKafka()
    for number in range(3):
        kafka.put(f'["a",{{"p":{number}}}]', '{"n":1}')
    on_topic(kafka, {"a": [pair(0)]})
    assert len(kafka.live()) == 2
    assert on_topic(kafka, {"a": [pair(1, 1)]}, purge=True)["counts"] == {"set": 0, "remove": 1, "keep": 1}
    assert [key for place, key in kafka.live()] == [b'["a",{"p":1}]']


def test_a_transaction_that_fails_changes_none():
    kafka = FakeKafka()
    kafka.faults = [errors.BrokerError("no").also("The transaction was aborted.")]
    with pytest.raises(errors.ConnectError) as caught:
        on_topic(kafka, {name: [pair(0, 5)] for name in "ab"})
    assert caught.value.message.startswith("2 of 2 connectors failed, first a: no. The transaction was aborted.")
    assert caught.value.message.count("was aborted") == 1 and not kafka.live()


def test_made_once_by_name(tmp_path):
    kafka, path = FakeKafka(), tmp_path / "ledger.json"
    document = {f"c{number:02d}": [pair(0, number)] for number in range(60)}
    named = {"change_id": "CHG-1", "ledger": "file", "ledger_file": str(path)}
    assert on_topic(kafka, document, backup=True, backup_file=str(tmp_path / "b.json"), **named)["counts"]["set"] == 60
    assert sorted(json.loads((tmp_path / "b.json").read_text())["connectors"]) == sorted(document)
    assert [len(records) for records in kafka.writes] == [25, 25, 10]
    on_topic(kafka, {"c00": [pair(0, 99)]})
    again = on_topic(kafka, document, **named)
    assert not again["changed"] and all(one["already_applied"] for one in again["connectors"]) and len(kafka.writes) == 4


def test_one_that_is_wrong_in_a_later_part_keeps_the_first_part_from_being_changed(tmp_path):
    kafka = FakeKafka()
    kafka.put('["c40",{"p":0}]', '{"n":"7"}')
    with pytest.raises(errors.DeclarationError):
        on_topic(kafka, {f"c{number:02d}": [pair(0, number)] for number in range(60)}, change_id="CHG-1", ledger="file",
                 ledger_file=str(tmp_path / "ledger.json"))
    assert not kafka.writes and not (tmp_path / "ledger.json").exists()


def test_sinks_go_by_their_groups_beside_the_topic():
    kafka = FakeKafka().log_of("t", (0, 100))
    sink = {"partition": {"kafka_topic": "t", "kafka_partition": 0}, "offset": {"kafka_offset": 42}}
    result = on_topic(kafka, {"a": [pair(0, 5)], "s": [sink]})
    assert kafka.commits["connect-s"] == {("t", 0): 42} and len(kafka.live()) == 1
    assert [one["method"] for one in result["connectors"]] == ["topic", "group"]


def test_a_standalone_file(tmp_path):
    path = tmp_path / "connect.offsets"
    options = {"offset_file": str(path), "assume_stopped": True}
    assert declare(None, {"a": [pair(0, 5)], "b": [pair(0, 6)]}, **options)["counts"]["set"] == 2
    assert not declare(None, {"a": [pair(0, 5)], "b": [pair(0, 6)]}, **options)["changed"]
    with pytest.raises(errors.DeclarationError, match="offset_file"):
        declare(None, {"a": [pair(0, 5)]}, method="file")


# ---- connectors that do not exist -----------------------------------------------------------------------------------

def gone(*names):
    """Brokers with the offset 1 of each of these connectors, and a worker that knows none of them."""
    kafka = FakeKafka()
    kafka.workers = [OURS]
    for name in names:
        kafka.put(json.dumps([name, {"p": 0}], separators=(",", ":")), '{"n":1}')
    return kafka


@pytest.mark.parametrize("check", [True, False])
def test_connectors_that_are_gone_and_have_the_same_offsets_need_no_switch(check):
    worker, kafka = running(a=1), gone("old", "a")
    result = declare(worker, {"a": [pair(0, 1)], "old": [pair(0, 1)]}, kafka, check)
    assert not result["changed"] and [one["name"] for one in result["connectors"]] == ["a", "old"] and kafka.writes == []


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("document, message", [
    ({"orders": [pair(0, 1)], "odrers": [pair(0, 1)]}, "There is no connector odrers. Did you mean orders? If that is right, their offsets alone"),
    ({"old": [pair(0, 2)], "orders": [pair(0, 1)]}, "There is no connector old. If that is right"),
    ({"old": [pair(0, 1)], "x": [pair(0, 1)], "y": [pair(0, 1)]}, "There are no connector x, y. If that is right"),
])
def test_other_connectors_that_do_not_exist(document, message, check):
    worker, kafka = running(orders=1), gone("old", "orders")
    with pytest.raises(errors.DeclarationError) as caught:
        declare(worker, document, kafka, check)
    assert caught.value.message.startswith(message) and kafka.writes == []


def test_without_brokers_nobody_knows_what_is_left_of_them():
    with pytest.raises(errors.DeclarationError, match="There is no connector old"):
        declare(running(a=1), {"old": [pair(0, 1)]})
