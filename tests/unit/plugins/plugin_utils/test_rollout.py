# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._rollout import (
    change_lines,
    conflicts,
    health,
    outcome,
    summary,
    summary_lines,
    verification,
)

CLUSTER = {"kafka_cluster_id": "K1", "version": "4.3.1", "workers": ["w1:8083"]}


def result(name: str = "orders", changed: bool = True, **more) -> dict:
    """As the role reset_offsets returns it."""
    actions = [
        {"direction": "backward", "distance": 70}, {"direction": "backward", "distance": 2}, {"direction": "forward", "distance": 5},
        {"direction": "unknown", "distance": None}, {"direction": "backward", "distance": "********"}]
    return {"connector": name, "changed": changed, "already_applied": False, "change_id": "CHG-1", "method": "rest", "todo": changed,
            "counts": {"set": 3, "remove": 1, "keep": 2}, "actions": actions if changed else [], "state_before": "started", "state": "started",
            "verification": None, "offset_topic": None, "offset_file": None, "consumer_group": None, "backup_file": "/b.json", **more}


# --- a cluster


@pytest.mark.parametrize("results, stage, error, check_mode, status", [
    ([result(), result(changed=False)], "preflight", "", False, "ready"),
    ([result(changed=False)], "preflight", "", False, "unchanged"),
    ([], "preflight", "", False, "unchanged"),
    ([result(changed=False), result(changed=False, already_applied=True)], "preflight", "", False, "already_applied"),
    # nothing to set, but a state to bring about
    ([result(changed=False, todo=True)], "preflight", "", False, "ready"),
    ([result(changed=False), result()], "change", "", False, "changed"),
    ([result()], "change", "", True, "would_change"),
    ([result(changed=False)], "change", "", False, "unchanged"),
    ([result(changed=False, already_applied=True)], "change", "", False, "already_applied"),
    ([result()], "change", "it broke", False, "failed"),
])
def test_status(results, stage, error, check_mode, status):
    found = outcome(results, stage, error, check_mode, CLUSTER)
    assert found["status"] == status and found["error"] == (error or None)
    assert (found["version"], found["kafka_cluster_id"]) == ("4.3.1", "K1") and len(found["connectors"]) == len(results)


def test_an_entry_of_a_connector():
    (one,) = outcome([result(verification={"verdict": "pass"})], "change")["connectors"]
    assert one == {
        "connector": "orders", "changed": True, "already_applied": False, "change_id": "CHG-1", "method": "rest", "set": 3, "removed": 1, "kept": 2,
        "backward": 72, "forward": 5, "state_before": "started", "state": "started", "verdict": "pass"}


def cluster(host: str, kafka: str | None = "K1", workers: tuple = (), group: str = "", changes: tuple = ()) -> dict:
    return {"host": host, "kafka_cluster_id": kafka, "workers": list(workers), "group": group, "changes": list(changes)}


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
    # two clusters, and one ledger
    (cluster("a", kafka="K1", changes=[FILE]), cluster("b", kafka="K2", changes=[FILE]), "share a ledger (the file /l): once the change CHG-1"),
    (cluster("a", workers=["w1"], changes=[TOPIC]), cluster("b", workers=["w2"], changes=[TOPIC]), "Give each its kafka_connect_group"),
    (cluster("a", group="g", changes=[TOPIC]), cluster("b", group="h", changes=[TOPIC]), None),
    (cluster("a", kafka="K1", changes=[TOPIC]), cluster("b", kafka="K2", changes=[TOPIC]), None),
    (cluster("a", kafka="K1", changes=[FILE]), cluster("b", kafka="K2", changes=[[FILE[0], "orders", "CHG-2"]]), None),
])
def test_conflicts(one, other, words):
    found = conflicts([one, other, cluster("c", kafka="K3")], "reset_offsets", False)
    assert sorted(found) == ([] if words is None else ["a", "b"])
    if words is not None:
        assert words in found["a"] and found["a"].startswith("a and b are ") and found["a"].endswith("; nothing was changed.")
        assert found["b"] == found["a"]


def test_the_same_cluster_twice_can_be_allowed():
    twins = [cluster("a", workers=["w1"], changes=[FILE]), cluster("b", workers=["w1"], changes=[FILE])]
    assert conflicts(twins, "reset_offsets", True) == {}
    assert "allow it with restore_offsets_allow_same_cluster" in conflicts(twins, "restore_offsets", False)["a"]


def seen(name: str = "orders", state: str = "RUNNING", tasks: tuple = ("RUNNING",), trace: str | None = None) -> dict:
    return {"name": name, "state": state, "trace": None, "tasks": [{"state": task, "trace": trace} for task in tasks]}


@pytest.mark.parametrize("data, now, only_verifies, verdict, reason", [
    (None, seen(), False, "pass", None),
    ("pass", seen(), False, "pass", None),
    ("cannot_tell", seen(), False, "cannot_tell", None),
    ("fail", seen(), False, "fail", None),
    ("cannot_tell", seen(tasks=("RUNNING", "FAILED"), trace="Boom\n\tat x"), False, "fail", "orders has failed: Boom; Boom"),
    (None, seen(state="FAILED", tasks=()), False, "fail", "orders has failed: "),
    (None, seen("another"), False, "pass", None),
    (None, seen(), True, "fail", "orders lacks the change CHG-1: 3 offsets to set, 1 to remove, state started"),
])
def test_health(data, now, only_verifies, verdict, reason):
    of = outcome([result(verification={"verdict": data} if data else None)], "change")
    assert health(of, [now], only_verifies) == {"verdict": verdict, "reason": reason}


def test_without_a_worker_health_is_not_known():
    assert health(outcome([result()], "change"), None) == {"verdict": "cannot_tell", "reason": "There is no worker to ask."}
    assert health(outcome([result(verification={"verdict": "fail"})], "change"), None)["verdict"] == "fail"


# --- the fleet


def fleet(check_mode: bool = False, changes: bool = True, verifies: bool = True, playbook: str = "reset_offsets", **hosts: dict) -> dict:
    return summary(hosts, playbook=playbook, time="T", check_mode=check_mode, changes=changes, verifies=verifies)


def host(results: list, stage: str = "change", error: str = "", **more) -> dict:
    return {"outcome": outcome(results, stage, error, cluster=CLUSTER), "goes": stage == "change", **more}


def test_a_rollout_that_was_stopped():
    found = fleet(
        b=host([result()], verdict={"verdict": "pass", "reason": None}), a=host([result("x")], error="it broke", stopped_by=["a"], missing=["y"]),
        c=host([result()], "preflight", stopped_by=["a"], missing=["y", "z"]), d={}, e=host([result(changed=False)], "preflight"))
    assert {name: one["status"] for name, one in found["clusters"].items()} == {
        "b": "changed", "a": "failed", "c": "not_reached", "d": "failed", "e": "unchanged"}
    assert found["counts"] == {"changed": 1, "would_change": 0, "already_applied": 0, "unchanged": 1, "failed": 2, "not_reached": 1}
    assert (found["ok"], found["change_id"], found["stopped_by"], found["order"]) == (False, "CHG-1", ["a"], ["b", "a", "c", "d", "e"])
    # c was never begun; a failed one counts what it reports
    assert found["partitions"] == {"set": 9, "removed": 3} and found["clusters"]["c"]["connectors"] == []
    assert len(found["clusters"]["c"]["planned"]) == 1 and found["clusters"]["d"]["error"].startswith("Ansible has given this host up")
    assert found["nowhere"] == []
    assert summary_lines(found) == [
        "CHG-1: 1 changed, 1 unchanged, 2 failed, 1 not reached",
        "",
        "CLUSTER  STATUS       CONNECTORS  METHOD  SET  REMOVED  BACKWARD  FORWARD  VERDICT",
        "b        changed      1 of 1      rest      3        1        72        5  pass",
        "a        failed       1 of 1      rest      3        1        72        5  -",
        "c        not reached  0 of 1      rest      0        0         0        0  -",
        "d        failed       0 of 0      -         0        0         0        0  -",
        "e        unchanged    0 of 1      rest      3        1         0        0  -",
        "",
        "a:",
        "  it broke",
        "",
        "d:",
        "  Ansible has given this host up; see above.",
        "",
        "Stopped by a. Run it again with the same change_id when that is fixed: it goes on where it has stopped.",
    ]


@pytest.mark.parametrize("changes, goes, changed, status", [
    (True, True, True, "failed"), (True, False, True, "not_reached"), (False, False, True, "would_change"), (False, False, False, "unchanged")])
def test_ready_is_no_end(changes, goes, changed, status):
    found = fleet(changes=changes, a={**host([result(changed=changed, todo=True)], "preflight"), "goes": goes})
    assert found["clusters"]["a"]["status"] == status


def test_missing_everywhere():
    found = fleet(a=host([], error="x", missing=["y", "z"]), b=host([], error="x", missing=["z"]))
    assert found["nowhere"] == ["z"] and "On none of these clusters: z" in summary_lines(found)


@pytest.mark.parametrize("settings, last", [
    ({"changes": False}, "Nothing was changed, as the tag change is not among those of this run."),
    ({"verifies": False}, "Nothing was looked at afterwards, as the tag verify is not among those of this run."),
    ({"verifies": False, "check_mode": True}, "a        unchanged  0 of 1      rest      3        1         0        0  -"),
    ({"playbook": "restore_offsets"}, "a        unchanged  0 of 1      rest      3        1         0        0  -"),
])
def test_the_last_line(settings, last):
    assert summary_lines(fleet(a=host([result(changed=False)]), **settings))[-1] == last


def test_words_of_an_undo():
    assert summary_lines(fleet(playbook="restore_offsets", a=host([result()])))[0] == "CHG-1: 1 put back"


def test_an_error_is_shown_on_lines_that_fit():
    lines = summary_lines(fleet(a=host([], error='say "no" ' * 100)))
    shown = lines[lines.index("a:") + 1:]
    assert max(map(len, shown)) <= 108 and all(line.startswith('  say "no"') for line in shown[:1]) and shown[-1].endswith("...")


@pytest.mark.parametrize("verdicts, verdict", [
    (["pass", None], "pass"), (["pass", "cannot_tell"], "cannot_tell"), (["fail", "cannot_tell"], "fail"), ([None], "pass")])
def test_verification(verdicts, verdict):
    hosts = {f"h{number}": host([result()], verdict={"verdict": one, "reason": None}) for number, one in enumerate(verdicts)}
    found = verification(fleet(**hosts))
    assert (found["verdict"], found["change_id"], found["time"]) == (verdict, "CHG-1", "T")
    assert list(found["clusters"].values()) == [{"verdict": one, "reason": None} for one in verdicts if one]


def test_a_failed_rollout_is_not_verified():
    assert verification(fleet(a=host([], error="x")))["verdict"] == "fail"


# --- a line for each connector


@pytest.mark.parametrize("more, options, line", [
    ({}, {}, "orders: changed, offsets 3 set, 1 removed, 2 kept, started before, started after, backup in /b.json"),
    ({}, {"check_mode": True}, "orders: would change, offsets 3 set, 1 removed, 2 kept, started before, started after"),
    ({"changed": False, "backup_file": None}, {}, "orders: nothing to change, offsets 3 set, 1 removed, 2 kept, started before, started after"),
    ({"changed": False, "already_applied": True, "backup_file": None}, {},
     "orders: CHG-1 was made before, offsets 3 set, 1 removed, 2 kept, started before, started after"),
    ({"offset_topic": "t", "backup_file": None}, {},
     "orders: changed, offsets 3 set, 1 removed, 2 kept, started before, started after, on the topic t"),
    ({"offset_file": "/f", "method": "file", "backup_file": None}, {},
     "orders: changed, offsets 3 set, 1 removed, 2 kept, started before, started after, in the file /f"),
    ({"method": "group", "consumer_group": "connect-orders", "backup_file": None}, {},
     "orders: changed, offsets 3 set, 1 removed, 2 kept, started before, started after, by the consumer group connect-orders"),
    ({"backup_file": None, "verification": {"verdict": "pass", "page": "/p.html"}}, {},
     "orders: changed, offsets 3 set, 1 removed, 2 kept, started before, started after, verification: pass, /p.html"),
    ({}, {"undo": True}, "orders: put back, offsets 3 set, 1 removed, 2 kept, started now"),
    ({}, {"undo": True, "check_mode": True}, "orders: would be put back, offsets 3 set, 1 removed, 2 kept, started now"),
    ({"changed": False}, {"undo": True}, "orders: nothing to put back, offsets 3 set, 1 removed, 2 kept, started now"),
])
def test_change_lines(more, options, line):
    assert change_lines([result(**more)], **options) == [line]
