# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _rollout
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._rollout_text import counted, summary_text

CLUSTER = {"kafka_cluster_id": "K1", "version": "4.3.1", "workers": ["w1:8083"]}
BOTH = {"changes": True, "verifies": True}
#: what is known of a host that the role has not looked at
UNKNOWN = {"refused": "", "predicted": None, "results": None, "failure": None, "cluster": None, "missing": [], "seen": None, "asks": True, "alive": True}


def action(before: dict, after: dict, partition: dict | None = None, direction: str = "backward", distance=None) -> dict:
    return {"action": "set", "partition": partition or {"p": 0}, "from": before, "to": after, "direction": direction, "distance": distance}


def result(name: str = "orders", changed: bool = True, **more) -> dict:
    """As the role reset_offsets returns it."""
    actions = [
        action({"n": 80}, {"n": 10}, distance=70), action({"n": 3}, {"n": 1}, distance=2), action({"n": 1}, {"n": 6}, direction="forward", distance=5),
        action({}, {"n": 1}, direction="unknown"), action({"n": 9}, {"n": 1}, distance="********")]
    return {"connector": name, "changed": changed, "already_applied": False, "position": None, "change_id": "CHG-1", "method": "rest", "todo": changed,
            "counts": {"set": 3, "remove": 1, "keep": 2}, "actions": actions if changed else [], "state_before": "started", "state": "started",
            "verification": None, "backup_file": "/b.json", "change": None, **more}


def known(*results: dict, predicted: tuple | None = None, **more) -> dict:
    """A host that was changed; by ``predicted`` alone one that was only looked at."""
    return {**UNKNOWN, "predicted": list(results if predicted is None else predicted), "results": list(results), "cluster": CLUSTER,
            "seen": {"connectors": []}, **more}


def ready(*results: dict, **more) -> dict:
    return known(predicted=results, **more)


def broken(reason: str = "it broke", batch: tuple = ("a",)) -> dict:
    return {"reason": reason, "batch": list(batch)}


# --- settings


GIVEN = {"serial": "", "max_fail_percentage": "", "skip_unready": "", "allow_same_cluster": "", "summary_file": ""}


def test_settings_that_are_not_given():
    assert _rollout.settings(GIVEN, "reset_offsets", ["b", "a", "c"], ["c", "x"], {}) == {
        "playbook": "reset_offsets", "serial": ["1"], "max_fail_percentage": 0.0, "skip_unready": False, "allow_same_cluster": False, "summary_file": "",
        "canary": ["c", "x"], "expect_tolerance": 0, "order": ["c", "a", "b"], "error": ""}


@pytest.mark.parametrize("given, serial", [
    (5, ["5"]), ("25%", ["25%"]), ([1, "25%", "100%"], ["1", "25%", "100%"]), ("1, 50%,100%", ["1", "50%", "100%"]), ('[1, "50%"]', ["1", "50%"]),
    (0, None), ("0%", None), ("101%", None), ("many", None), ("[1, ", None), ([], None), ([[1]], None), ({"a": 1}, None), (-1, None)])
def test_serial(given, serial):
    found = _rollout.settings({**GIVEN, "serial": given}, "reset_offsets", ["a"], [], {})
    assert found["serial"] == (serial or [1]) and ("reset_offsets_serial is a number, a percentage, or a list" in found["error"]) == (serial is None)


@pytest.mark.parametrize("given, most", [("", 0.0), (0, 0.0), ("50", 50.0), ("33.3%", 33.3), (20, 20.0), ("some", None), ("-1", None)])
def test_how_many_may_fail(given, most):
    found = _rollout.settings({**GIVEN, "max_fail_percentage": given}, "restore_offsets", ["a"], [], {})
    assert found["max_fail_percentage"] == (most or 0.0)
    assert (most is not None) or found["error"] == (
        f"restore_offsets_max_fail_percentage is a number, and is {json.dumps(given)}")


@pytest.mark.parametrize("given, tolerance", [("", 0), (None, 0), (0, 0), (5, 5), (" 12 ", 12), ("some", None), (-1, None), ("1.5", None)])
def test_how_far_symbolic_positions_may_be_from_the_dry_run(given, tolerance):
    found = _rollout.settings({**GIVEN, "expect_tolerance": given}, "reset_offsets", ["a"], [], {})
    assert found["expect_tolerance"] == (tolerance or 0)
    assert (tolerance is not None) or found["error"] == (
        f"reset_offsets_expect_tolerance is a whole number of records, and is {json.dumps(given)}")


@pytest.mark.parametrize("given, is_true", [(True, True), ("yes", True), ("true", True), ("", False), ("false", False), (None, False), ("oops", False)])
def test_switches(given, is_true):
    found = _rollout.settings({**GIVEN, "skip_unready": given, "allow_same_cluster": given}, "reset_offsets", ["a"], [], {})
    assert found["skip_unready"] is found["allow_same_cluster"] is is_true


def test_settings_of_the_file_of_a_change():
    """They count where a survey has left something open."""
    file = {"reset_offsets_serial": "50%", "reset_offsets_skip_unready": True}
    found = _rollout.settings({**GIVEN, "skip_unready": "false"}, "reset_offsets", ["a"], [], file)
    assert (found["serial"], found["skip_unready"]) == (["50%"], False)


@pytest.mark.parametrize("playbook, skips, given, most", [
    ("restore_offsets", "true", "", 100.0), ("restore_offsets", "true", 0, 0.0), ("restore_offsets", "false", "", 0.0), ("reset_offsets", "true", "", 0.0)])
def test_an_undo_that_skips_clusters_goes_on_after_a_failure(playbook, skips, given, most):
    found = _rollout.settings({**GIVEN, "skip_unready": skips, "max_fail_percentage": given}, playbook, ["a"], [], {})
    assert found["max_fail_percentage"] == most and not found["error"]


@pytest.mark.parametrize("run, skip, changes, verifies", [
    (["all"], [], True, True), (["preflight"], [], False, False), (["change"], [], True, False), (["verify"], [], False, True),
    (["all"], ["change"], False, True), (["all"], ["verify"], True, False), (["tagged"], [], True, True), (["change", "verify"], ["change"], False, True)])
def test_phases(run, skip, changes, verifies):
    assert _rollout.phases(run, skip) == {"changes": changes, "verifies": verifies}


SETTINGS = _rollout.settings(GIVEN, "reset_offsets", ["a", "b"], [], {})
URL = {"kafka_connect_url": "http://c"}


@pytest.mark.parametrize("address, more, error, go, identify", [
    (URL, {}, "", True, False),
    ({}, {}, "h has no kafka_connect_url. Nothing was changed.", False, False),
    ({}, {"alone": True}, "", True, False),
    (URL, {"refusal": "no"}, "no", False, False),
    (URL, {"config": {**SETTINGS, "error": "wrong"}}, "wrong", False, False),
    (URL, {"picked": {"error": "none", "variables": {}}}, "none", False, False),
    (URL, {"picked": {"error": "", "variables": {"x": 1}, "path": "/p"}, "elsewhere": [1]}, "the list must not be given elsewhere as well", False, False),
    (URL, {"picked": {"error": "", "variables": {"x": 1}, "path": "/p"}}, "", True, False),
    # who is asked which cluster it is
    (URL, {"empty": True}, "", False, True),
    ({**URL, "kafka_connect_strimzi_namespace": "n"}, {}, "", True, True),
    ({**URL, "kafka_connect_strimzi_namespace": "n", "kafka_connect_offset_file": "/f"}, {}, "", True, False),
    ({"kafka_connect_strimzi_namespace": "n"}, {}, "", True, False),
])
def test_before_a_cluster_is_looked_at(address, more, error, go, identify, monkeypatch):
    monkeypatch.delenv("KAFKA_CONNECT_URL", raising=False)
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)
    given = {"alone": False, "config": SETTINGS, "picked": {"error": "", "variables": {}}, **more}
    found = _rollout.begin(address, "h", **given)
    assert error in found["error"] and bool(error) == bool(found["error"])
    assert (found["go"], found["identify"], found["empty"]) == (go, identify, more.get("empty", False))


# --- an undo


NOTHING = {"change_id": "", "backup_file": "", "workflow": "", "applied": {}, "checked": {}, "asked": ""}


@pytest.mark.parametrize("given, change_id", [
    ({}, ""), ({"change_id": "A", "workflow": "7"}, "A"), ({"workflow": "7"}, "awx-7"), ({"workflow": "7", "asked": "B"}, "B"),
    ({"workflow": "7", "asked": "B", "checked": {"change_id": "C"}}, "C"),
    ({"workflow": "7", "checked": {"change_id": "C"}, "applied": {"change_id": "D"}}, "D"), ({"workflow": "7", "backup_file": "/b"}, "")])
def test_what_is_undone(given, change_id):
    assert _rollout.undo_of({**NOTHING, **given}) == {"change_id": change_id, "backup_file": given.get("backup_file", "")}


def test_an_undo_by_its_name():
    seen = {"changes": [{"connector": "a"}, {"connector": "b"}]}
    what = {"change_id": "CHG-1", "backup_file": ""}
    one = {"name": "a", "state": "restored", "change_id": "CHG-1", "force": False, "final_state": "found"}
    assert _rollout.undo(what, [], seen, "", "")["declaration"] == [one, {**one, "name": "b"}]
    named = _rollout.undo(what, ["c"], {"skipped": True}, "yes", "stopped")
    assert named == {"error": "", "declaration": [{**one, "name": "c", "force": True, "final_state": "stopped"}]}
    assert _rollout.undo(what, [], {"changes": []}, "", "") == {"error": "", "declaration": []}
    assert _rollout.undo(what, [], {"msg": "no connection"}, "", "") == {"error": "no connection", "declaration": []}


def test_an_undo_by_a_backup(tmp_path):
    (tmp_path / "b.json").write_text('{"connectors": {"a": []}}')
    what = {"change_id": "", "backup_file": str(tmp_path / "b.json")}
    one = {"name": "a", "src": what["backup_file"], "purge": True, "force": False, "accept_duplicates": True}
    assert _rollout.undo(what, [], {}, "", "found") == {"error": "", "declaration": [one]}
    assert _rollout.undo(what, ["b"], {}, "", "found")["declaration"] == [{**one, "name": "b"}]


@pytest.mark.parametrize("change_id, content, words", [
    ("", None, "There is no file {file}"), ("", "{", "{file} is no backup of this collection, or was cut short: "),
    ("", '{"connectors": {}}', "{file} holds no connector"), ("", "[]", "is no backup of this collection"),
    ("CHG-1", "{}", "Give either restore_offsets_change_id or restore_offsets_backup_file")])
def test_an_undo_that_is_refused(change_id, content, words, tmp_path):
    file = tmp_path / "b.json"
    if content is not None:
        file.write_text(content)
    found = _rollout.undo({"change_id": change_id, "backup_file": str(file)}, [], {}, "", "found")
    assert words.format(file=file) in found["error"] and found["declaration"] == []


# --- a cluster


@pytest.mark.parametrize("host, check_mode, status, stage", [
    (ready(result(), result("b", changed=False)), False, "ready", "preflight"),
    (ready(result(changed=False)), False, "unchanged", "preflight"),
    (ready(), False, "unchanged", "preflight"),
    (ready(result(changed=False), result("b", changed=False, already_applied=True)), False, "already_applied", "preflight"),
    # nothing to set, but a state to bring about
    (ready(result(changed=False, todo=True)), False, "ready", "preflight"),
    (known(result(changed=False), result("b")), False, "changed", "change"),
    (known(result()), True, "would_change", "change"),
    (known(result(changed=False)), False, "unchanged", "change"),
    (known(result(changed=False, already_applied=True)), False, "already_applied", "change"),
    (known(predicted=(result(),), failure=broken()), False, "failed", "change"),
    ({**UNKNOWN, "refused": "no"}, False, "failed", "preflight"),
    (UNKNOWN, False, "failed", "preflight"),
    (ready(result(), alive=False), False, "failed", "change"),
])
def test_status(host, check_mode, status, stage):
    found = _rollout.outcome(host, check_mode)
    assert (found["status"], found["stage"]) == (status, stage) and bool(found["error"]) == (status == "failed")
    if host["cluster"]:
        assert (found["version"], found["kafka_cluster_id"]) == ("4.3.1", "K1")


@pytest.mark.parametrize("host, words", [
    (UNKNOWN, "It was not looked at before the change, as the tag always or preflight is skipped"),
    ({**UNKNOWN, "alive": False}, "Ansible has given this host up"), (ready(result(), alive=False), "Ansible has given this host up"),
    (ready(result(), failure=broken("it broke")), "it broke"), ({**UNKNOWN, "refused": "no", "alive": False}, "no")])
def test_why_it_failed(host, words):
    assert _rollout.outcome(host, False)["error"].startswith(words)


def test_an_entry_of_a_connector():
    proof = {"verdict": "pass", "page": "/p.html", "report": "/r"}
    (one,) = _rollout.outcome(known(result(verification=proof)), False)["connectors"]
    assert one == {
        "connector": "orders", "status": "changed", "changed": True, "already_applied": False, "position": None, "change_id": "CHG-1",
        "method": "rest", "where": None,
        "set": 3, "removed": 1, "kept": 2, "state_before": "started", "state": "started", "verdict": "pass", "page": "/p.html", "backup_file": "/b.json",
        "unfinished": False,
        "moves": [{"direction": "backward", "unit": "n", "distance": 72, "partitions": 2},
                  {"direction": "forward", "unit": "n", "distance": 5, "partitions": 1}]}
    (dry,) = _rollout.outcome(known(result()), True)["connectors"]
    assert (dry["status"], dry["backup_file"]) == ("would_change", None)
    assert _rollout.outcome(known(result(change={"phase": "started"})), False)["connectors"][0]["unfinished"] is True
    assert _rollout.outcome(known(result(change={"phase": "applied"})), False)["connectors"][0]["unfinished"] is False


def test_what_failed_in_a_batch():
    """One was made, one failed, of one there was nothing to do."""
    predicted = (result("a"), result("b"), result("c", changed=False))
    found = _rollout.outcome(known(result("a"), predicted=predicted, failure=broken()), False)
    assert [(one["connector"], one["status"], one["set"]) for one in found["connectors"]] == [("a", "changed", 3), ("b", "failed", 0), ("c", "unchanged", 3)]
    assert found["planned"] == []
    refused = _rollout.outcome({**UNKNOWN, "refused": "no", "missing": ["x"]}, False)
    assert [(one["connector"], one["status"]) for one in refused["planned"]] == [("x", "failed")]


@pytest.mark.parametrize("moved, unit", [
    (action({"kafka_offset": 3}, {"kafka_offset": 1}, {"kafka_topic": "t", "kafka_partition": 0}), "records"),
    (action({"offset": 3}, {"offset": 1}, {"cluster": "e", "topic": "t", "partition": 0}), "records"),
    (action({"position": 14}, {"position": 4}, {"filename": "/f"}), "bytes"),
    (action({"position": 14}, {"position": 4}), "position"), (action({"lsn": 7, "txId": 1}, {"lsn": 5, "txId": 1}), "lsn"),
    (action({"offset": 3}, {"offset": 1}), "offset")])
def test_units(moved, unit):
    assert _rollout.unit(moved) == unit


def test_units_are_not_added_up():
    mixed = [action({"position": 9}, {"position": 4}, {"filename": "/f"}, distance=5), action({"n": 9}, {"n": 8}, distance=1),
             action({"n": 5}, {"n": 4}, distance=1)]
    assert _rollout.moves(mixed) == [{"direction": "backward", "unit": "bytes", "distance": 5, "partitions": 1},
                                     {"direction": "backward", "unit": "n", "distance": 2, "partitions": 2}]


# --- what goes on


def test_what_is_kept_of_a_failure():
    assert _rollout.failure({"msg": "x", "failed_connectors": {"a": "no"}, "batch": ["h", "i"]}) == {"batch": ["h", "i"], "reason": "x"}
    assert _rollout.failure({"msg": "it crashed"}) == {"batch": [], "reason": "it crashed"}


@pytest.mark.parametrize("failed, most, given_up, stops", [
    ({}, 0, [], []), ({"a": broken(batch=("a",))}, 0, [], ["a"]), ({"a": broken(batch=("a", "b"))}, 50, [], []),
    ({"a": broken(batch=("a", "b"))}, 49.9, [], ["a"]), ({"a": broken(batch=("a", "b", "c")), "b": broken(batch=("a", "b", "c"))}, 50, [], ["a", "b"]),
    # each batch by itself
    ({"a": broken(batch=("a", "b")), "c": broken(batch=("c", "d"))}, 50, [], []),
    ({}, 50, ["x"], ["x"]), ({"a": broken(batch=("a",))}, 100, ["x"], []),
    # an error of Ansible's own, which names no batch
    ({"a": broken(batch=())}, 100, [], []), ({"a": broken(batch=())}, 99, [], ["a"])])
def test_what_stops_a_rollout(failed, most, given_up, stops):
    assert _rollout.stopped_by(failed, most, given_up) == stops


@pytest.mark.parametrize("host, conflict, words", [
    (ready(result()), "", ""), (ready(result()), "twice", "twice"), (UNKNOWN, "", "It was not looked at"), ({**UNKNOWN, "refused": "no"}, "twice", "no"),
    ({**UNKNOWN, "failure": broken("it broke")}, "twice", "it broke")])
def test_what_is_refused_before_the_first_change(host, conflict, words):
    assert _rollout.refusal(host, conflict).startswith(words) and bool(_rollout.refusal(host, conflict)) == bool(words)


def cluster(host: str, kafka: str | None = "K1", workers: tuple = (), group: str = "", changes: tuple = ()) -> dict:
    return {"host": host, "cluster": {"kafka_cluster_id": kafka, "workers": list(workers)}, "group": group, "changes": list(changes)}


FILE, TOPIC = ["the file /l", "orders", "CHG-1"], ["the topic l of 10.0.0.1:9092", "orders", "CHG-1"]


@pytest.mark.parametrize("one, other, words", [
    (cluster("a", workers=["w1", "w2"]), cluster("b", workers=["w2"]), "are the same Connect cluster: Kafka cluster K1, worker w2. "),
    (cluster("a", group="g"), cluster("b", group="g"), "are the same Connect cluster: Kafka cluster K1, group g. "),
    (cluster("a", workers=["w1"], group="g"), cluster("b", workers=["w1"]), "are the same Connect cluster: Kafka cluster K1, worker w1. "),
    (cluster("a", workers=["w1"]), cluster("b", workers=["w2"]), None),
    # two groups decide, whatever workers are called
    (cluster("a", workers=["w1"], group="g"), cluster("b", workers=["w1"], group="h"), None),
    (cluster("a", kafka="K1", workers=["w1"]), cluster("b", kafka="K2", workers=["w1"]), None),
    (cluster("a", kafka=None, workers=["w1"]), cluster("b", kafka=None, workers=["w1"]), None),
    (cluster("a"), {**cluster("b"), "cluster": None}, None),
    # two clusters, and one ledger
    (cluster("a", kafka="K1", changes=[FILE]), cluster("b", kafka="K2", changes=[FILE]), "share a ledger (the file /l): once the change CHG-1"),
    (cluster("a", workers=["w1"], changes=[TOPIC]), cluster("b", workers=["w2"], changes=[TOPIC]), "Give each its kafka_connect_group"),
    (cluster("a", group="g", changes=[TOPIC]), cluster("b", group="h", changes=[TOPIC]), None),
    (cluster("a", kafka="K1", changes=[TOPIC]), cluster("b", kafka="K2", changes=[TOPIC]), None),
    (cluster("a", kafka="K1", changes=[FILE]), cluster("b", kafka="K2", changes=[[FILE[0], "orders", "CHG-2"]]), None),
])
def test_conflicts(one, other, words):
    found = _rollout.conflicts([one, other, cluster("c", kafka="K3")], "reset_offsets", False)
    assert sorted(found) == ([] if words is None else ["a", "b"])
    if words is not None:
        assert words in found["a"] and found["a"].startswith("a and b are ") and found["a"].endswith(". Nothing was changed.")
        assert found["b"] == found["a"]


def test_conflicts_of_three():
    """The message is of the first one that it is in conflict with."""
    found = _rollout.conflicts([cluster("a", workers=["w"]), cluster("b", kafka="K2"), cluster("c", workers=["w"]), cluster("d", workers=["w"])], "p", False)
    assert [found[host][:8] for host in "acd"] == ["a and c ", "a and c ", "a and d "] and len(found) == 3


def test_the_same_cluster_twice_can_be_allowed():
    twins = [cluster("a", workers=["w1"], changes=[FILE]), cluster("b", workers=["w1"], changes=[FILE])]
    assert _rollout.conflicts(twins, "reset_offsets", True) == {}
    assert "allow it with restore_offsets_allow_same_cluster" in _rollout.conflicts(twins, "restore_offsets", False)["a"]


# --- the last look


def seen(name: str = "orders", state: str = "RUNNING", tasks: tuple = ("RUNNING",), trace: str | None = None) -> dict:
    return {"connectors": [{"name": name, "state": state, "trace": None, "tasks": [{"state": task, "trace": trace} for task in tasks]}]}


@pytest.mark.parametrize("host, check_mode, phases, names", [
    (known(result(), result("b")), False, BOTH, ["orders", "b"]), (known(result(changed=False)), False, BOTH, []), (known(result()), True, BOTH, []),
    (known(result()), False, {"changes": True, "verifies": False}, []), (ready(result()), False, BOTH, []),
    (known(predicted=(result(),), failure=broken()), False, BOTH, []),
    (ready(result()), False, {"changes": False, "verifies": True}, ["orders"]), (ready(result()), True, {"changes": False, "verifies": True}, ["orders"]),
    (ready(result(changed=False)), False, {"changes": False, "verifies": True}, ["orders"])])
def test_what_is_looked_at_once_more(host, check_mode, phases, names):
    assert _rollout.to_look_at(host, check_mode, phases) == names


@pytest.mark.parametrize("data, now, only_verifies, verdict, reason", [
    (None, seen(), False, "pass", None),
    ("pass", seen(), False, "pass", None),
    ("cannot_tell", seen(), False, "cannot_tell", None),
    ("fail", seen(), False, "fail", None),
    ("cannot_tell", seen(tasks=("RUNNING", "FAILED"), trace="Boom\n\tat x"), False, "fail", "orders has failed: Boom; Boom"),
    (None, seen(state="FAILED", tasks=()), False, "fail", "orders has failed: "),
    (None, seen("another"), False, "pass", None),
    (None, seen(), True, "fail", "orders lacks the change CHG-1: 3 offsets to set, 1 to remove, state started"),
    # it does not answer any more
    (None, {"msg": "no connection"}, False, "fail", "The connectors of h could not be looked at after the change: no connection"),
    (None, None, False, "fail", "The connectors of h could not be looked at after the change: no answer"),
])
def test_health(data, now, only_verifies, verdict, reason):
    of = _rollout.outcome(known(result(verification={"verdict": data} if data else None)), False)["connectors"]
    assert _rollout.health(of, now, True, only_verifies, "h") == {"verdict": verdict, "reason": reason}


def test_without_a_worker_health_is_not_known():
    def of(verdict) -> list:
        return _rollout.outcome(known(result(verification={"verdict": verdict} if verdict else None)), False)["connectors"]
    assert _rollout.health(of(None), None, False, False, "h") == {"verdict": "cannot_tell", "reason": "There is no worker to ask."}
    assert _rollout.health(of("fail"), None, False, False, "h")["verdict"] == "fail"


@pytest.mark.parametrize("host, reason", [
    (known(result()), ""), (known(predicted=(result(),), failure=broken()), "it broke"), (known(result(), seen={"msg": "away"}), "could not be looked at"),
    (known(result(), seen=seen(state="FAILED")), "orders has failed"), (ready(result()), ""),
    (known(result(verification={"verdict": "fail"})), "The verification has failed")])
def test_why_a_cluster_has_failed(host, reason):
    found = _rollout.failed(host, "h", False, BOTH)
    assert reason in found and bool(reason) == bool(found)


# --- the fleet


def fleet(check_mode: bool = False, has: dict | None = None, playbook: str = "reset_offsets", **hosts: dict) -> dict:
    return _rollout.summary(hosts, _rollout.settings(GIVEN, playbook, list(hosts), [], {}), "T", check_mode, has or BOTH)


def text(of: dict) -> list[str]:
    return summary_text(of).splitlines()


def test_whether_connectors_go_on_from_the_declared_offsets():
    found = fleet(b=known(result("x", position={"verdict": "own_position"}), result("y", position={"verdict": "taken"}), result("z")))
    assert [one["position"] for one in found["clusters"]["b"]["connectors"]] == ["own_position", "taken", None] and found["ok"]
    assert [re.split(" {2,}", line)[7] for line in text(found)[1:5]] == ["POSITION", "own position", "taken", "-"]


def test_a_rollout_that_was_stopped():
    made = known(result(verification={"verdict": "pass", "page": "/p.html"}))
    found = fleet(
        b=made, a=known(predicted=(result("x", backup_file=None),), failure=broken(), missing=["y"]), c=ready(result(), missing=["y", "z"]),
        d={**UNKNOWN, "alive": False}, e=ready(result(changed=False)))
    assert {name: one["status"] for name, one in found["clusters"].items()} == {
        "b": "changed", "a": "failed", "c": "not_reached", "d": "failed", "e": "unchanged"}
    assert found["counts"] == {"changed": 1, "would_change": 0, "already_applied": 0, "unchanged": 1, "failed": 2, "not_reached": 1}
    assert (found["ok"], found["change_id"], found["stopped_by"], found["order"]) == (False, "CHG-1", ["a", "d"], ["b", "a", "c", "d", "e"])
    # c was never begun; nothing of a is made
    assert found["partitions"] == {"set": 6, "removed": 2} and found["clusters"]["c"]["connectors"] == []
    assert len(found["clusters"]["c"]["planned"]) == 1 and found["clusters"]["d"]["error"].startswith("Ansible has given this host up")
    assert found["nowhere"] == []
    assert text(found) == [
        "CHG-1: 1 changed, 1 unchanged, 2 failed, 1 not reached; 1 of 4 connectors changed",
        "CLUSTER  CONNECTOR  RESULT       STATE    SET  REMOVED  MOVES                 VERDICT  CHANGE",
        "b        orders     changed      started    3        1  back 72 n, ahead 5 n  pass     CHG-1",
        "a        x          failed       started    0        0  -                     -        CHG-1",
        "c        orders     not reached  started    0        0  -                     -        CHG-1",
        "d        -          failed       -          -        -  -                     -        -",
        "e        orders     unchanged    started    3        1  -                     -        CHG-1",
        "Backup: /b.json",
        "Verification: pass, /p.html",
        "",
        "a: 0 of 1 connector changed",
        "  it broke",
        "",
        "d:",
        "  Ansible has given this host up; see above.",
        "",
        "Stopped by a, d. Run it again with the same change_id when that is fixed: it goes on where it has stopped.",
    ]


def test_one_cluster():
    """Columns that say nothing are left out; why it failed is said where it fails."""
    assert text(fleet(True, eu=known(result(change_id=None)))) == [
        "reset_offsets: 1 would change; 1 of 1 connector would change",
        "CLUSTER  CONNECTOR  RESULT        STATE    SET  REMOVED  MOVES",
        "eu       orders     would change  started    3        1  back 72 n, ahead 5 n"]
    moved = result(change_id=None, state="stopped", actions=[], change={"phase": "started"}, backup_file=None)
    assert text(fleet(eu=known(moved))) == [
        "reset_offsets: 1 changed; 1 of 1 connector changed",
        "CLUSTER  CONNECTOR  RESULT               STATE               SET  REMOVED  VERDICT",
        "eu       orders     changed, UNFINISHED  started -> stopped    3        1  pass"]
    assert text(fleet(eu=known(predicted=(result(change_id=None, backup_file=None),), failure=broken()))) == [
        "reset_offsets: 1 failed; 0 of 1 connector changed",
        "CLUSTER  CONNECTOR  RESULT  STATE    SET  REMOVED",
        "eu       orders     failed  started    0        0"]


def test_a_cluster_that_is_away_afterwards():
    found = fleet(a=known(result(), seen={"msg": "no connection"}), b=known(result()))
    assert found["ok"] is False and found["clusters"]["a"]["verdict"] == "fail" and found["clusters"]["a"]["status"] == "changed"
    assert text(found)[2].split()[-2:] == ["fail", "CHG-1"] and text(found)[3].split()[-2:] == ["pass", "CHG-1"]
    assert "a: 1 of 1 connector changed" in text(found) and any("could not be looked at after the change: no connection" in line for line in text(found))


@pytest.mark.parametrize("changes, changed, status", [(True, True, "not_reached"), (False, True, "would_change"), (False, False, "unchanged")])
def test_ready_is_no_end(changes, changed, status):
    found = fleet(has={"changes": changes, "verifies": False}, a=ready(result(changed=changed, todo=True)))
    assert found["clusters"]["a"]["status"] == status


def test_refused_everywhere():
    found = fleet(a={**UNKNOWN, "refused": "x", "missing": ["y", "z"]}, b={**UNKNOWN, "refused": "x", "missing": ["z"]})
    assert found["nowhere"] == ["z"] and "On none of these clusters: z" in text(found)


@pytest.mark.parametrize("settings, last", [
    ({"has": {"changes": False, "verifies": True}}, "Nothing was changed, as the tag change is not among those of this run."),
    ({"has": {"changes": True, "verifies": False}}, "Nothing was looked at afterwards, as the tag verify is not among those of this run."),
    ({"has": {"changes": True, "verifies": False}, "check_mode": True}, "a        orders     unchanged  started    3        1  CHG-1"),
    ({"playbook": "restore_offsets"}, "a        orders     unchanged  started    3        1  CHG-1"),
])
def test_the_last_line(settings, last):
    assert text(fleet(a=known(result(changed=False, backup_file=None)), **settings))[-1] == last


def test_words_of_an_undo():
    assert text(fleet(playbook="restore_offsets", a=known(result())))[0] == "CHG-1: 1 restored; 1 of 1 connector restored"


@pytest.mark.parametrize("more, line", [
    ({"offset_topic": "t", "method": "topic"}, "a, on the topic t: orders"), ({"offset_file": "/f", "method": "file"}, "a, in the file /f: orders"),
    ({"consumer_group": "g", "method": "group"}, "a, by the consumer group g: orders")])
def test_what_was_written_to(more, line):
    assert text(fleet(a=known(result(**more)))).count(line) == 1
    assert line not in text(fleet(a=known(result(changed=False, **more))))


def test_wide_names_are_cut():
    lines = text(fleet(**{"a" * 20: known(result("n" * 90))}))
    assert max(map(len, lines)) <= 108 and "nnn...  changed" in lines[2]


def test_a_large_fleet_is_counted():
    """What has failed is listed; what went well is a line for each outcome, however many clusters there are."""
    fine = {f"c{number:03}": known(result(backup_file=f"/b/c{number:03}.json")) for number in range(970)}
    fine["c000"] = known(result(backup_file="/b/c000.json", actions=[]))
    away = {f"d{number:02}": {**UNKNOWN, "refused": f"no answer of d{number:02}"} for number in range(30)}
    lines = text(fleet(**fine, same=ready(result(changed=False, backup_file=None)), **away))
    assert lines[:5] == [
        "CHG-1: 970 changed, 1 unchanged, 30 failed; 970 of 971 connectors changed",
        "CLUSTER       CONNECTOR  RESULT     STATE     SET  REMOVED  MOVES    VERDICT  CHANGE",
        "970 clusters  orders     changed    started  2910      970  various  pass     CHG-1",
        "same          orders     unchanged  started     3        1  -        -        CHG-1",
        "d00           -          failed     -           -        -  -        -        -"]
    assert lines[33:37] == ["d29           -          failed     -           -        -  -        -        -", "Backups: 970 files in /b", "", "d00:"]
    assert lines[37] == "  no answer of d00" and lines[-1] == "  no answer of d29" and len(lines) == 125


def test_many_failures_are_cut():
    away = {f"d{number:03}": {**UNKNOWN, "refused": f"no answer of d{number:03}"} for number in range(300)}
    lines = text(fleet(**away))
    assert sum(line.split()[1:3] == ["-", "failed"] for line in lines) == 100 and "... and 200 more connectors that failed" in lines
    assert "  no answer of d049" in lines and "  no answer of d050" not in lines
    assert lines[-5].startswith("250 more clusters have failed: d050, d051, ") and lines[-1].endswith("(reset_offsets_summary_file) has the reasons of all.")


def test_many_connectors_of_one_cluster():
    made = known(*(result(f"x{number:02}") for number in range(61)), result("y", change={"phase": "started"}))
    assert [re.split(" {2,}", line)[:3] for line in text(fleet(eu=made))[1:4]] == [
        ["CLUSTER", "CONNECTOR", "RESULT"], ["eu", "61 connectors", "changed"], ["eu", "y", "changed, UNFINISHED"]]


def test_an_error_is_shown_on_lines_that_fit():
    lines = text(fleet(a={**UNKNOWN, "refused": 'say "no" ' * 100}, b=known(result())))
    shown = lines[lines.index("a:") + 1:]
    assert max(map(len, shown)) <= 108 and shown[0].startswith('  say "no"') and shown[-1].endswith("...")


# --- for the next job


@pytest.mark.parametrize("check_mode, phases, names", [
    (True, BOTH, ["kafka_connect_check"]), (False, BOTH, ["kafka_connect_apply", "kafka_connect_verify"]),
    (False, {"changes": False, "verifies": False}, ["kafka_connect_check"]), (False, {"changes": False, "verifies": True}, ["kafka_connect_verify"]),
    (True, {"changes": False, "verifies": True}, ["kafka_connect_check", "kafka_connect_verify"]),
    (False, {"changes": True, "verifies": False}, ["kafka_connect_apply"])])
def test_artifacts(check_mode, phases, names):
    found = fleet(check_mode, phases, a=known(result()) if phases["changes"] else ready(result(changed=False)))
    assert list(_rollout.artifacts(found)) == names
    assert all(one == found for name, one in _rollout.artifacts(found).items() if name != "kafka_connect_verify")


@pytest.mark.parametrize("verdicts, verdict", [
    (["pass", None], "pass"), (["pass", "cannot_tell"], "cannot_tell"), (["fail", "cannot_tell"], "fail"), ([None], "pass")])
def test_verification(verdicts, verdict):
    hosts = {f"h{number}": known(result(verification={"verdict": one} if one else None)) for number, one in enumerate(verdicts)}
    found = _rollout.artifacts(fleet(**hosts))["kafka_connect_verify"]
    assert (found["verdict"], found["change_id"], found["time"]) == (verdict, "CHG-1", "T")
    assert [one["verdict"] for one in found["clusters"].values()] == [one or "pass" for one in verdicts]


def test_a_failed_rollout_is_not_verified():
    found = _rollout.artifacts(fleet(a=known(result()), b=known(predicted=(result(),), failure=broken())))["kafka_connect_verify"]
    assert found["verdict"] == "fail" and list(found["clusters"]) == ["a"]


UNNAMED = ["", "This change has no name (Name of the change, reset_offsets_change_id): every launch makes it again, undo",
           "  does not find it, and the backup of what it replaces ends with the job. Give it one before it is made."]


@pytest.mark.parametrize(("change_id", "check_mode", "job", "changed", "said"), [
    (None, True, True, True, True), ("CHG-1", True, True, True, False), (None, False, True, True, False), (None, True, False, True, False),
    (None, True, True, False, False)])
def test_a_change_without_a_name_in_a_job_of_awx(monkeypatch, change_id, check_mode, job, changed, said):
    """The check says it, before it is made; of nothing to do there is nothing to say."""
    monkeypatch.setenv("AWX_HOST", "https://awx.example.com" if job else "")
    of = fleet(check_mode=check_mode, a=known(result(change_id=change_id, changed=changed)))
    assert (text(of)[-3:] == UNNAMED) is said


@pytest.mark.parametrize("distance, unit, shown", [
    (1, "records", "1 record"), (2, "records", "2 records"), (1, "bytes", "1 byte"), (1, "rows", "1 rows"), (3, "", "3")])
def test_units_are_counted_and_names_of_fields_are_not(distance, unit, shown):
    assert counted(distance, unit) == shown
