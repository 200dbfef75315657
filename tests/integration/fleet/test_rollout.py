# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change rolled over six clusters, and back: canary, batches, failure, resume, undo, one phase alone, bad input."""

from __future__ import annotations

import json
import re

from tests.integration.support.configs import at, shaped

RESTORE = "streamops.kafka_connect.restore_offsets"
#: what one cluster's connector has written after a change to record 1
AGAIN = 8


def artifacts(play) -> dict:
    """What set_stats has left for the next job of a workflow."""
    found = re.search(r"^CUSTOM STATS: \*+\s+RUN: (.*?)^\S*$", play.stdout + "\n", re.MULTILINE | re.DOTALL)
    assert found, play
    return json.loads(found[1])


def test_canary_failure_and_resume(fleet):
    """The canary first, then two, then the rest: the second batch fails, the third is not reached; mended, the same run goes on."""
    hosts = fleet.hosts()
    broken = fleet.clusters["us1"].worker
    broken.must("PUT", f"connectors/{fleet.name}/config",
                shaped(topic=fleet.topic("us1"), interval_ms=1, alter_offsets="reject", alter_message="lsn 77 is gone"))
    broken.await_state(fleet.name, "RUNNING", ["RUNNING"])
    batches = {"reset_offsets_serial": "1, 50%,100%", "groups": {"canary": ["us2"]}}

    dry = fleet.reset(hosts, 1, "--check", "--diff", **batches)
    assert dry.rc == 0, dry
    assert fleet.statuses == dict.fromkeys(hosts, "would_change") and fleet.summary["check_mode"] is True
    assert dry.stdout.count(f"--- before: {fleet.name} (offsets)") == 6
    stats = artifacts(dry)
    assert list(stats) == ["kafka_connect_check"] and stats["kafka_connect_check"]["counts"]["would_change"] == 6
    fleet.await_counts()

    # sorted: us2 | eu1 eu2 us1 | v34 v35
    failed = fleet.reset(hosts, 1, **batches)
    assert failed.rc == 2, failed
    assert fleet.statuses == {
        **dict.fromkeys(("us2", "eu1", "eu2"), "changed"), "us1": "failed", **dict.fromkeys(("v34", "v35"), "not_reached")}
    assert "lsn 77 is gone" in failed.failure("us1") and "are as they were" in failed.failure("us1")
    assert {host: row["failed"] for host, row in failed.recap.items()} == {**dict.fromkeys(hosts, 0), "us1": 1}
    summary = fleet.summary
    assert summary["ok"] is False and summary["stopped_by"] == ["us1"] and summary["change_id"] == fleet.change_id
    assert summary["counts"] == {"changed": 3, "would_change": 0, "already_applied": 0, "unchanged": 0, "failed": 1, "not_reached": 2}
    assert summary["partitions"] == {"set": 3, "removed": 0}
    one, = summary["clusters"]["eu1"]["connectors"]
    shown = [one[field] for field in ("connector", "method", "set", "moves", "state")]
    assert shown == [fleet.name, "rest", 1, [{"direction": "backward", "unit": "n", "distance": 3, "partitions": 1}], "started"]
    assert summary["clusters"]["v34"]["connectors"] == [] and summary["clusters"]["v34"]["planned"][0]["method"] == "topic"
    assert [summary["clusters"][host]["verdict"] for host in ("eu1", "us1", "v34")] == ["pass", None, None]
    stats = artifacts(failed)
    assert sorted(stats) == ["kafka_connect_apply", "kafka_connect_verify"] and stats["kafka_connect_apply"] == summary
    assert stats["kafka_connect_verify"]["verdict"] == "fail"
    assert f"{fleet.change_id}: 3 changed, 1 failed, 2 not reached" in failed.stdout
    assert "Stopped by us1. Run it again with the same change_id when that is fixed: it goes on where it has stopped." in failed.stdout
    fleet.await_counts(us2=AGAIN, eu1=AGAIN, eu2=AGAIN)
    assert broken.state(fleet.name) == ("RUNNING", ["RUNNING"]) and broken.offsets(fleet.name) == [at(4)]

    broken.must("PUT", f"connectors/{fleet.name}/config", shaped(topic=fleet.topic("us1"), interval_ms=1))
    broken.await_state(fleet.name, "RUNNING", ["RUNNING"])
    resumed = fleet.reset(hosts, 1, **batches)
    assert resumed.rc == 0, resumed
    assert fleet.statuses == {**dict.fromkeys(("us2", "eu1", "eu2"), "already_applied"), **dict.fromkeys(("us1", "v34", "v35"), "changed")}
    assert [fleet.summary["clusters"][host]["connectors"][0]["method"] for host in ("us1", "v34", "v35")] == ["rest", "topic", "topic"]
    fleet.await_counts(**dict.fromkeys(hosts, AGAIN))
    again = fleet.reset(hosts, 1, **batches)
    assert again.rc == 0 and fleet.statuses == dict.fromkeys(hosts, "already_applied"), again
    assert {row["changed"] for row in again.recap.values()} == {0}
    fleet.await_counts(**dict.fromkeys(hosts, AGAIN))


def test_a_failed_canary_leaves_the_rest_untouched(fleet):
    """And what was changed where that is allowed for is undone by the change's name; the canary knows nothing of it."""
    hosts = fleet.hosts("eu1", "us2", "v34")
    bad, old = fleet.clusters["us2"].worker, fleet.clusters["v34"]
    bad.must("PUT", f"connectors/{fleet.name}/config", shaped(topic=fleet.topic("us2"), alter_offsets="reject", alter_message="no"))
    bad.await_state(fleet.name, "RUNNING", ["RUNNING"])

    def live() -> list:
        by_topic = fleet.kafka.live_offsets(old.offset_topic, fleet.name)
        return [fleet.clusters["eu1"].worker.offsets(fleet.name), bad.offsets(fleet.name), list(by_topic.values())]

    play = fleet.reset(hosts, 9, groups={"canary": ["us2"]}, reset_offsets_serial=[1, "100%"], reset_offsets_max_fail_percentage="")
    assert play.rc == 2 and fleet.statuses == {"us2": "failed", "eu1": "not_reached", "v34": "not_reached"}, play
    assert live() == [[at(4)], [at(4)], ['{"n":4}']]
    tolerant = fleet.reset(hosts, 9, groups={"first": ["us2"]}, reset_offsets_canary="first", reset_offsets_serial=[2, 1],
                           reset_offsets_max_fail_percentage="50")
    assert tolerant.rc == 2 and fleet.statuses == {"us2": "failed", "eu1": "changed", "v34": "changed"}, tolerant
    assert live() == [[at(9)], [at(4)], ['{"n":9}']]

    unknown = fleet.run(RESTORE, hosts, restore_offsets_change_id="CHG-none", restore_offsets_serial=3)
    assert unknown.rc == 2 and "has no change CHG-none" in unknown.failure("eu1"), unknown
    undone = fleet.run(RESTORE, hosts, restore_offsets_change_id=fleet.change_id, restore_offsets_serial=3)
    assert undone.rc == 0 and fleet.statuses == {"us2": "unchanged", "eu1": "changed", "v34": "changed"}, undone
    assert "2 restored, 1 unchanged" in undone.stdout and artifacts(undone)["kafka_connect_apply"]["playbook"] == "restore_offsets"
    assert live() == [[at(4)], [at(4)], ['{"n":4}']]
    fleet.await_counts()


def test_one_phase_alone(fleet):
    """preflight and verify change nothing and say so; change says that nothing was looked at; without a preflight nothing is changed."""
    hosts = fleet.hosts("eu1", "us1")
    looked = fleet.reset(hosts, 1, "--tags", "preflight")
    assert looked.rc == 0 and fleet.statuses == {"eu1": "would_change", "us1": "would_change"}, looked
    assert "Nothing was changed, as the tag change is not among those of this run." in looked.stdout
    assert list(artifacts(looked)) == ["kafka_connect_check"]
    before = fleet.reset(hosts, 1, "--tags", "verify")
    assert before.rc == 2 and f"lacks the change {fleet.change_id}" in before.failure("us1"), before
    assert artifacts(before)["kafka_connect_verify"]["verdict"] == "fail"
    blind = fleet.reset(hosts, 1, "--skip-tags", "preflight")
    assert blind.rc == 2 and "was not looked at before the change" in blind.failure("eu1"), blind
    fleet.await_counts()

    changed = fleet.reset(hosts, 1, "--tags", "change", "--limit", "eu1")
    assert changed.rc == 0 and fleet.statuses == {"eu1": "changed"}, changed
    assert "Nothing was looked at afterwards" in changed.stdout and list(artifacts(changed)) == ["kafka_connect_apply"]
    fleet.await_counts(eu1=AGAIN)
    after = fleet.reset(hosts, 1, "--tags", "verify", "--limit", "eu1")
    assert after.rc == 0, after
    verification = artifacts(after)["kafka_connect_verify"]
    assert verification["verdict"] == "pass" and verification["clusters"] == {"eu1": {"verdict": "pass", "reason": None}}
    fleet.await_counts(eu1=AGAIN)


def test_bad_input_changes_nothing_anywhere(fleet, clusters):
    """One clear message each, before any write; clusters that are fine are not begun either."""
    good = fleet.hosts("eu1", "us1")
    gone = {"kafka_connect_url": "http://127.0.0.1:9"}
    again = fleet.host("eu1", kafka_connect_url=clusters["eu1"].url.replace("127.0.0.1", "localhost"))
    brokers = {"kafka_bootstrap_servers": fleet.kafka.bootstrap_servers}
    (fleet.folder / "lacks").mkdir()
    (fleet.folder / "lacks" / "requests.py").write_text("raise ImportError('no requests here')")
    alone = {name: {**host, "kafka_connect_group": ""} for name, host in good.items()}
    shared = {name: {**host, **brokers, "kafka_connect_offset_topic": clusters[name].offset_topic} for name, host in alone.items()}
    typo = [{"name": fleet.name + "x", "offsets": [at(1)]}]
    named = [{"name": fleet.name + "x", "state": "absent"}, {"name": fleet.name, "offsets": [at(1)], "change_id": fleet.change_id}]
    cases = {
        "hosts": ({**good, "x": {}, "y": gone, "eu3": again}, {}, {
            "x": "x has no kafka_connect_url", "y": "no connection", "eu1": "eu1 and eu3 are the same Connect cluster",
            "eu3": "eu1 and eu3 are the same Connect cluster"}),
        "one ledger": (shared, {}, {
            "us1": f"eu1 and us1 are two Connect clusters, each with a connector {fleet.name}, that share a ledger"}),
        "one file": (alone, {}, {
            "us1": f"eu1 and us1 are two Connect clusters, each with a connector {fleet.name}, that share a ledger (the file "}),
        "one ledger for one of them": (shared, {"reset_offsets_change_id": "", "reset_offsets_connectors": named}, {
            "us1": f"eu1 and us1 are two Connect clusters, each with a connector {fleet.name}, that share a ledger"}),
        "batches": (good, {"reset_offsets_serial": "[1, "}, {"us1": "reset_offsets_serial is a number"}),
        "percentage": (good, {"reset_offsets_max_fail_percentage": "some"}, {"us1": "reset_offsets_max_fail_percentage is a number"}),
        "list": (good, {"reset_offsets_connectors": "oops"}, {"us1": "is no list of connectors"}),
        "no library": (good, {"env": {"PYTHONPATH": str(fleet.folder / "lacks")}},
                       {"us1": "Failed to import the required Python library (requests)"}),
        "nowhere": (good, {"reset_offsets_connectors": typo}, {"us1": "no such connector"}),
    }
    for case, (hosts, variables, words) in cases.items():
        play = fleet.reset(hosts, 1, **variables)
        assert play.rc == 2, play
        for host, word in words.items():
            assert word in play.failure(host), f"{case}: {play}"
        assert "Traceback" not in play.text, case
        assert {row["changed"] for row in play.recap.values()} == {0}, case
        assert set(fleet.statuses.values()) <= {"failed", "not_reached"}, case
        if case == "nowhere":
            assert fleet.summary["nowhere"] == [fleet.name + "x"] and f"On none of these clusters: {fleet.name}x" in play.stdout
        elif case == "hosts":
            assert fleet.statuses == {"eu1": "failed", "us1": "not_reached", "x": "failed", "y": "failed", "eu3": "failed"}
    fleet.await_counts()
    for name in good:
        assert clusters[name].worker.state(fleet.name) == ("RUNNING", ["RUNNING"])


def test_a_change_is_picked_by_its_name(fleet):
    """The file's name is that of the change; what a survey leaves open is as if not given."""
    folder = fleet.folder / "changes"
    folder.mkdir()
    offsets = [at(1)]
    (folder / "CHG-7.yml").write_text(json.dumps({"reset_offsets_connectors": [{"name": fleet.name, "offsets": offsets}]}))
    (folder / "CHG-8.yml").write_text(json.dumps({"reset_offsets_connectors": [{"name": fleet.name, "offsets": [at(0)]}],
                                                  "reset_offsets_change_id": fleet.change_id}))
    (folder / "CHG-9.yml").write_text(json.dumps({"kafka_connect_url": "http://evil.example.com"}))
    hosts = fleet.hosts("eu1")
    survey = {f"reset_offsets_{name}": "" for name in ("connectors", "change_id", "serial")} | {"reset_offsets_changes_dir": str(folder)}
    for name, words in (("CHG-6", f"There is no change CHG-6 in {folder}, there are CHG-7, CHG-8, CHG-9"),
                        ("../CHG-7", "is no name of a change"),
                        ("CHG-9", "must hold reset_offsets_connectors, and nothing but")):
        play = fleet.reset(hosts, 1, reset_offsets_change=name, **survey)
        assert play.rc == 2 and words in play.failure("eu1").replace("\\", ""), play
    other = {"reset_offsets_connectors": [{"name": "other", "state": "absent"}]}
    both = fleet.reset(hosts, 1, reset_offsets_change="CHG-7", **{**survey, **other})
    assert both.rc == 2 and "must not be given elsewhere as well" in both.failure("eu1"), both
    fleet.await_counts()

    picked = fleet.reset(hosts, 1, reset_offsets_change="CHG-7", **survey)
    assert picked.rc == 0 and fleet.statuses == {"eu1": "changed"} and fleet.summary["change_id"] == "CHG-7", picked
    fleet.await_counts(eu1=AGAIN)
    again = fleet.reset(hosts, 1, reset_offsets_change="CHG-7", **survey)
    assert again.rc == 0 and fleet.statuses == {"eu1": "already_applied"}, again
