# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _reports


def connector(name: str, **more) -> dict:
    """As connector_offsets_info returns it."""
    return {"name": name, "connector": {"type": "source", "state": "RUNNING"}, "connector_exists": True, "offsets_count": 1, "lag": None, "group": None,
            "newest": {"partition": {"p": 0}, "offset": {"id": 812, "note": "a b"}}, "offsets": [], "anomalies": [], "unreadable_count": 0,
            "unreadable": [], "unreadable_records": [], **more}


def sink(name: str, lag: int | None, count: int = 1, state: str = "RUNNING", members: int | None = 1, **more) -> dict:
    """members: None by REST alone, where lag is None, too; it is also None where nothing is committed."""
    group = {"name": f"connect-{name}", "state": "STABLE", "members": None if members is None else [{}] * members}
    return connector(name, connector={"type": "sink", "state": state}, lag=lag, group=group, newest=None, offsets_count=count, **more)


def gone(name: str) -> dict:
    return connector(name, connector=None, connector_exists=False, newest=None, offsets=[{"partition": {"p": 1}, "offset": None}])


def report(*connectors: dict, **more) -> dict:
    topic = {"name": "connect-offsets", "partitions": 25, "records": 90, "key_count": 1, "unreadable_records": [], "unreadable_count": 0}
    lags = [one["lag"] for one in connectors if one["lag"] is not None]
    return {"host": "eu", "error": None, "method": "topic", "topic": topic, "connectors": list(connectors), "lag": sum(lags) if lags else None,
            "orphaned_groups": None, "orphaned_groups_count": 0, "orphans": [one["name"] for one in connectors if one["connector_exists"] is False], **more}


def test_offsets_of_a_cluster():
    assert _reports.offsets(report(connector("orders"), sink("copy", 7), gone("old")), 0) == [
        "eu: topic connect-offsets, 25 partitions, 90 records, 1 key; 3 connectors, 1 gone, sinks have 7 records to",
        "  read",
        "",
        "CONNECTOR  STATE           PARTITIONS  ANOMALIES  NEWEST OFFSET, OR LAG",
        "orders     source RUNNING           1  -          p=0 -> id=812 note=a b",
        "copy       sink RUNNING             1  -          lag 7, group connect-copy STABLE with 1 member",
        "old        gone                     1  -          p=1 -> null",
        "",
        "GONE: 1 connector does not exist, but the offsets do. A new connector of such a name goes on from them.",
        "  Where none will come: reset_offsets with state: absent for that name.",
        "  old: 1 partition",
    ]


def test_a_list_that_is_cut():
    lines = _reports.offsets(report(*(gone(f"old-{number}") for number in range(3))), 1)
    assert [line for line in lines if "more" in line] == ["  ... and 2 more"] * 2
    assert sum(line.startswith("old-") for line in lines) == 1 and "GONE: 3 connectors do not exist, but the offsets do. A new" in "".join(lines)


def test_no_report():
    assert _reports.offsets(report(error='no answer\nof "it"'), 0) == ["eu: NO REPORT", '  no answer of "it"']


@pytest.mark.parametrize("more, head", [
    ({"topic": None, "method": "rest"}, "eu: by REST, as no brokers are given: nothing is known of gone connectors and of anomalies; 0 connectors"),
    ({"method": "file"}, "eu: file connect-offsets, 1 key; 0 connectors"),
    ({"lag": 1}, "eu: topic connect-offsets, 25 partitions, 90 records, 1 key; 0 connectors, sinks have 1 record to read"),
])
def test_where_offsets_were_read(more, head):
    lines = _reports.offsets(report(**more), 0)
    assert lines[0] == head and lines[-1] == "(nothing)"


def test_sinks_that_stand_still():
    by_rest = sink("c", None, 1, "STOPPED", None, offsets=[{"partition": {"kafka_topic": "t"}, "offset": {"kafka_offset": 5}}])
    lines = _reports.offsets(report(sink("a", 7, 2, "STOPPED", 0), sink("b", None, 0, "STOPPED", 0), by_rest), 0)
    assert lines[4:6] == ["b          sink STOPPED           0  -          no offset, group connect-b STABLE with 0 members",
                          "c          sink STOPPED           1  -          kafka_topic=t -> kafka_offset=5"]
    assert lines[7:] == [
        "STOPPED: 2 sinks. The brokers delete the offsets of a group without members after offsets.retention.minutes.",
        "  Start them in time, or begin anew where auto.offset.reset says; a backup keeps the numbers.",
        "  a: 2 partitions, lag 7",
        "  b: no offset (any more), it begins where auto.offset.reset says",
    ]


def test_oddities():
    places = [{"topic_partition": number, "record_offset": number, "shown": number == 1, "tombstone": number == 2, "offset": {"id": 1} if number else None}
              for number in range(7)]
    odd = [{"kinds": ["encodings", "split"], "partition": {"p": 0}, "records": places}]
    lines = _reports.offsets(report(connector("orders", anomalies=odd, unreadable_count=1, unreadable=[{"p": 3}], unreadable_records=[{}])), 0)
    assert "orders     source RUNNING           1  1 split, 1 encodings, 1 unr...  p=0 -> id=812 note=a b" in lines
    assert "  orders p=0" in lines and "  orders p=0 (see above)" in lines
    assert "    0@0 unreadable, 1@1* id=1, 2@2 tombstone, 3@3 id=1, 4@4 id=1, ..." in lines
    assert "UNREADABLE: 1 partition whose value is no offset." in lines and "  orders p=3" in lines
    assert lines[-1] == "0@812 is record 812 of topic partition 0, * the one that counts."


def test_bad_keys_and_groups():
    bad = {"connector": None, "topic_partition": 1, "record_offset": 3, "reason": "no JSON", "key": '["a",{"b":1}]'}
    topic = {**report()["topic"], "unreadable_records": [bad], "unreadable_count": 4}
    groups = [{"group": "connect-x", "offsets_count": 2, "lag": 5}]
    lines = _reports.offsets(report(topic=topic, orphaned_groups=groups, orphaned_groups_count=3), 1)
    assert '  no connector, 1@3, no JSON: ["a",{"b":1}]' in lines and "  ... and 3 more" in lines
    assert "  connect-x: 2 partitions, lag 5" in lines and "  ... and 2 more" in lines
    assert lines[-1] == "0@812 is record 812 of topic partition 0."


def test_offsets_of_all_clusters():
    clusters = {"eu": report(sink("a", 7), gone("b")), "us": report(connector("c"), sink("d", None, members=None)), "ap": report(error="x")}
    total = _reports.offsets_total(clusters, "T")
    assert (total["connectors_count"], total["orphans_count"], total["lag"], total["lag_unknown"]) == (4, 1, 7, ["us", "ap"])
    assert _reports.offsets_total_lines(total) == [
        "3 clusters: 4 connectors, 1 gone, sinks have 7 records to read (not known of us, ap)",
        "",
        "CLUSTER  CONNECTORS  GONE  ODD  SINKS        LAG",
        "eu                2     1    0      1          7",
        "us                2     0    0      1  not known",
        "ap                -     -    -      -  no answer",
    ]
    assert _reports.offsets_total({"us": report(connector("c"))}, "T")["lag"] is None


def answer(*names: str, tasks: tuple = ("RUNNING",)) -> dict:
    cluster = {"url": "http://w", "version": "4.3.1", "kafka_cluster_id": "K", "workers": ["w"]}
    return {"cluster": cluster, "connectors": [
        {"name": name, "type": "sink", "state": "RUNNING", "config": {"connector.class": "C"}, "version": "1", "tasks": [{"state": task} for task in tasks]}
        for name in names]}


def test_connectors_of_clusters():
    found = _reports.connectors({"eu": answer("b", "a"), "us": answer("a", tasks=("FAILED", "RUNNING")), "ap": {"msg": "no way"}}, ["a", "b*"], "T")
    assert [(one["name"], one["not_on"]) for one in found["connectors"]] == [("a", []), ("b", ["us"])]
    assert found["clusters"]["ap"]["error"] == "no way" and found["clusters"]["eu"]["connectors"] == 2
    assert found["connectors"][0]["clusters"][1] == {
        "name": "a", "cluster": "us", "type": "sink", "state": "RUNNING", "class": "C", "version": "1", "tasks": 2, "failed_tasks": 1}
    assert _reports.connectors_lines(found, 0) == [
        "2 connectors matching a, b* on 2 clusters, 1 without an answer",
        "",
        "CONNECTOR  TYPE  CLUSTERS  WHERE",
        "a          sink  2 of 2    eu RUNNING, us RUNNING (1 of 2 tasks FAILED)",
        "b          sink  1 of 2    eu RUNNING",
        "",
        "eu: Connect 4.3.1, 2 here, 1 worker at work",
        "us: Connect 4.3.1, 1 here, 1 worker at work",
        "ap: no way",
    ]


def change(phase: str, number: int) -> dict:
    return {"connector": "orders", "change_id": f"CHG-{number}", "phase": phase, "method": "rest", "partitions": number, "who": {"user": "ops", "host": "h"},
            "times": {"started": f"2026-01-31T12:00:0{number}.123Z", "applied": f"2026-01-31T13:00:0{number}.1Z"}}


def test_changes():
    found = {"host": "eu", "error": None, "where": "the topic t", "counts": {"applied": 1, "restored": 0, "started": 1},
             "changes": [change("applied", 1), change("started", 2)]}
    assert _reports.changes(found, 1) == [
        "eu: the topic t, 2 changes: 1 applied, 0 restored, 1 started and not ended",
        "",
        "WHEN (UTC)           CONNECTOR  CHANGE  PHASE    METHOD  PARTITIONS  BY",
        "2026-01-31 12:00:02  orders     CHG-2   started  rest             2  user=ops host=h",
        "  ... and 1 older",
        "",
        "STARTED: 1 change whose end is not recorded. Either the run goes on, or it was killed: then the same task,",
        "  run again with the same change_id, finishes it.",
    ]
    assert _reports.changes({**found, "counts": {}, "changes": []}, 50)[-1] == "(nothing)"
    assert _reports.changes({**found, "error": "x"}, 50) == ["eu: NO REPORT", "  x"]


def test_mirrors():
    partition = {"topic": "orders", "partition": 0, "lost": 3, "next_offset": 5, "begin": 8, "end": 2}
    flow = {"source": "east", "target": "west", "connector": "src", "state": "RUNNING", "mode": "connect", "policy": "default", "heartbeat": {"age_ms": 61000},
            "lag": 9, "lag_ms": 3700000, "lost": 3, "stored_at": "2026-01-31T12:00:00.1Z", "method": "topic", "error": None,
            "topics": [{"topic": "a", "copy": "east.a", "partitions": 1, "lag": 2, "lag_ms": 500, "lost": 0, "statuses": {"behind": 1}},
                       {"topic": "b", "copy": None, "partitions": 1, "lag": 7, "lag_ms": None, "lost": None, "statuses": {}}],
            "partitions": [{**partition, "status": "lost"}, {**partition, "status": "beyond"}],
            "orphans": [{"partition": {"cluster": "e", "topic": "t", "partition": 1}, "offset": {"offset": 4}, "detail": "no such topic"}], "orphans_count": 1,
            "offset_syncs": {"topic": "s", "tombstones": 0, "unreadable": 2}, "checkpoints": {"topic": "c", "tombstones": 0, "unreadable": 0}}
    lines = _reports.mirrors({"host": "eu", "error": None, "flows": [flow]}, 0)
    assert lines[:8] == [
        "eu: 1 mirror",
        "",
        "east -> west: src RUNNING, default names, heartbeat 1 min 1 s ago; 9 records at most to copy, the oldest",
        "  for 1 h 1 min, 3 records LOST; positions as of 2026-01-31 12:00:00 UTC",
        "",
        "TOPIC  COPY    PARTITIONS  LAG  OLDEST WAITS  LOST  STATUS",
        "b      ?                1    7             -     -  not known",
        "a      east.a           1    2           0 s     0  1 behind",
    ]
    assert "  orders-0: 3 records at most, was to go on at 5, begins at 8" in lines and "  orders-0: would go on at 5, ends at 2" in lines
    assert "  e t-1 at 4: no such topic" in lines and lines[-2].startswith("BROKEN: s has 0 records without a value and 2 records that")


@pytest.mark.parametrize("milliseconds, text", [
    (None, "-"), (-5, "0 s"), (999, "0 s"), (59999, "59 s"), (60000, "1 min 0 s"), (3599999, "59 min 59 s"), (86399999, "23 h 59 min"), (90000000, "1 d 1 h")])
def test_age(milliseconds, text):
    assert _reports.age(milliseconds) == text


COUNTS = {"set": 2, "remove": 1, "keep": 0}


def imported(*more: dict) -> dict:
    """As connector_offsets_import returns it."""
    one = {"name": "a", "changed": True, "already_applied": False, "counts": COUNTS, "state": "RUNNING", "failed_tasks": []}
    return {"connectors": [{**one, **other} for other in more], "counts": {"set": 6, "remove": 3, "keep": 0}, "backup_file": "/b"}


def test_an_import():
    result = imported({}, {"name": "b", "changed": False, "already_applied": True, "state": None}, {"name": "c", "changed": False})
    lines = [
        "CONNECTOR  RESULT                 SET  REMOVED  KEPT  STATE",
        "a          changed                  2        1     0  RUNNING",
        "b          CHG-1 was made before    2        1     0  -",
        "c          nothing to change        2        1     0  RUNNING",
        "3 connectors, offsets 6 set, 3 removed, 0 kept",
    ]
    assert _reports.done([result], "import", change_id="CHG-1") == "\n".join([*lines, "Backup: /b"])
    dry = _reports.done([result], "import", True, "CHG-1").splitlines()
    assert dry[1] == "a          would change             2        1     0  RUNNING" and dry[-1] == lines[-1]
    assert _reports.done([{"msg": "no", "connectors": [None]}], "import") == ""


@pytest.mark.parametrize("result, message", [
    (imported({}), ""),
    (imported({"state": "FAILED", "changed": False}), ""),
    (imported({}, {"name": "b", "state": "FAILED"}, {"name": "c", "failed_tasks": [{}]}),
     "The offsets are as declared, but 2 connectors failed after that, first b. The offsets before are in /b."),
    ({"msg": "Give seed: true, or method: topic. The seed of v.seed: no; with accept_duplicates it goes on.", "connectors": [None]},
     "Give import_offsets_seed: true, or method: topic. The seed of v.seed: no; with import_offsets_accept_duplicates it goes on."),
])
def test_why_an_import_failed(result, message):
    assert _reports.import_failure(result, ["seed", "accept_duplicates"], "import_offsets_") == message


@pytest.mark.parametrize("changed, check_mode, did", [(True, False, "written"), (True, True, "would be written"), (False, False, "as before")])
def test_an_export(changed, check_mode, did):
    result = {"connectors": ["a"], "partitions": 2, "dest": "/x.json", "changed": changed}
    assert _reports.done([result], "export", check_mode) == f"1 connector, 2 partitions, {did}: /x.json"


def test_a_purge():
    results = [{"item": "orders", "counts": COUNTS, "backup_file": "/b"}, {"item": "x", "counts": COUNTS, "backup_file": None}]
    assert _reports.done(results, "purge").splitlines() == [
        "CONNECTOR  OFFSETS REMOVED", "orders                   1", "x                        1", "Backups:", "  /b"]
    assert _reports.done(results, "purge", True).splitlines()[::2] == ["CONNECTOR  OFFSETS TO REMOVE", "x                          1"]
    assert _reports.done([], "purge") == ""


def test_what_can_be_purged():
    found = [gone("a-1"), gone("a-2"), connector("a-3"), gone("b") | {"offsets_count": 0}, connector("c", connector_exists=None)]
    chosen = _reports.purgeable(found, ["a-[13]", "a-3", "b", "typo", "a-11"], "t")
    assert chosen["names"] == ["a-1"]
    assert chosen["notes"] == [
        "a-3 is not gone: it is RUNNING. Its offsets are left alone; reset_offsets with state: absent removes them.",
        "No connector that is gone and fits b has offsets on t.", "No connector that is gone and fits typo has offsets on t.",
        "No connector that is gone and fits a-11 has offsets on t. Did you mean a-1?"]


def test_a_mirror_that_was_reset():
    done = {"mirror": "m", "changed": True, "connectors": [{"counts": COUNTS}, {"counts": COUNTS}], "deleted": ["t", "u"], "emptied": [], "left": None,
            "verification": None}
    other = {**done, "deleted": [], "emptied": ["v"], "left": {"records": 1}, "verification": {"verdict": "pass", "page": "/p"}, "changed": False}
    assert _reports.done([done, other], "mirror", True).splitlines() == [
        "m: would change, 4 positions set, 2 removed", "  deleted t, u", "m: nothing to change, 4 positions set, 2 removed", "  emptied v",
        "  1 record left to copy", "  verification: pass, /p"]


@pytest.mark.parametrize("failed, reason", [
    ({"msg": "no"}, "no"), ({}, "see above"),
    ({"msg": "One or more items failed", "results": [{"failed": True, "msg": "a"}, {"msg": "fine"}, {"failed": True, "msg": "b"}]}, "a b"),
    ({"msg": "first", "failed_connectors": {"x": "same", "y": "same", "z": "other"}}, "same other"),
])
def test_the_reason_of_a_failure(failed, reason):
    assert _reports.failure_reason(failed) == reason


def test_a_report_of_all_clusters():
    answers = {"eu": {"connectors": [gone("b")], "method": "topic", "topic": report()["topic"]}, "us": {"msg": "no connection"}}
    made = _reports.report(answers, "offsets", "T", 0)
    assert made["errors"] == {"us": "no connection"} and made["documents"]["eu"]["orphans"] == ["b"] and made["document"]["orphans_count"] == 1
    assert made["documents"]["us"] == {
        "host": "us", "time": "T", "error": "no connection", "method": None, "method_reason": None, "topic": None, "lag": None, "connectors": [],
        "orphaned_groups": None, "orphaned_groups_count": None, "orphans": []}
    blocks = made["text"].split("\n\n")
    assert blocks[0].startswith("eu: topic") and "us: NO REPORT\n  no connection" in blocks and blocks[-2].startswith("2 clusters: ")


@pytest.mark.parametrize("kind, answer, first", [
    ("changes", {"changes": [], "where": "the topic t", "counts": {}}, "eu: the topic t, 0 changes"), ("mirrors", {"flows": []}, "eu: 0 mirrors"),
    ("connectors", {"connectors": []}, "0 connectors on 1 cluster")])
def test_each_report(kind, answer, first):
    made = _reports.report({"eu": {**answer, "cluster": {"version": "4.3.1"}}}, kind, "T", 50)
    assert made["text"].splitlines()[0] == first and made["errors"] == {} and list(made["documents"]) == ["eu"]
    assert _reports.report({"eu": {}}, kind, "T", 50)["errors"] == {"eu": "no answer"}


@pytest.mark.parametrize("verdicts, worst", [
    (["pass", "pass"], "pass"), (["pass", "cannot_tell"], "cannot_tell"), (["fail", "cannot_tell"], "fail"), (["fail", "error"], "error"),
    (["not run", "pass"], "not run")])
def test_verdicts_of_clusters(verdicts, worst):
    def of(verdict: str) -> dict:
        if verdict in ("error", "not run"):
            return {"report": None, "failure": "broken" if verdict == "error" else None, "page": "/p"}
        return {"report": {"verdict": verdict, "checks": [{"verdict": verdict}, {"verdict": "pass"}]}, "failure": None, "page": "/p"}

    found = _reports.replay_verdicts({f"h{number}": of(verdict) for number, verdict in enumerate(verdicts)}, "T")
    assert found["verdict"] == worst and [one["verdict"] for one in found["clusters"].values()] == verdicts
    assert all((one["page"] == "/p") == bool(one["checks"]) for one in found["clusters"].values())
    if worst == "pass":
        assert found["clusters"]["h0"] == {"verdict": "pass", "reason": None, "checks": {"pass": 2}, "page": "/p"}
