# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mirror_reset asks verify_replay whether copies are what their sources are: real Spark jobs about real mirrors. Needs pyspark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.mirror import conftest as mirrors
from tests.integration.spark.conftest import JARS_DIR, quick
from tests.integration.support.mirror import await_records, fill
from tests.integration.support.worker import wait_until

pytest.importorskip("pyspark")

#: fixtures of another folder
east, east_stack, west, west_stack = mirrors.east, mirrors.east_stack, mirrors.west, mirrors.west_stack
mirror, mirror_worker, swept, topic = mirrors.mirror, mirrors.mirror_worker, mirrors.swept, mirrors.topic

PLAYBOOK = "streamops.kafka_connect.mirror_reset"


@pytest.fixture
def reset(playbooks, west):
    """reset(flow, *options, **variables) -> (Play, the newest report or None)."""
    reports = playbooks.folder / "reports"

    def reset(flow, *options: str, **variables):
        host = {
            "kafka_connect_url": flow.worker.url, "kafka_bootstrap_servers": west.bootstrap_servers, "mirror_reset_settle": 0,
            "mirror_reset_backup_dir": str(playbooks.backups), "verify_replay_report_dir": str(reports),
            "verify_replay_jars_dir": JARS_DIR, "verify_replay_spark_conf": quick(),
            "verify_replay_master": "local[2]", "verify_replay_driver_memory": "600m",
        }
        play = playbooks.run(PLAYBOOK, {"eu": host}, *options, **{f"mirror_reset_{name}": value for name, value in variables.items()})
        found = sorted((path for path in reports.glob("*.json") if "expectation" not in path.name), key=lambda path: path.stat().st_mtime)
        return play, json.loads(Path(found[-1]).read_text()) if found else None

    return reset


def test_a_mirror_is_proven(mirror, topic, east, west, reset):
    """Two topics and one that is empty. The copies are made anew and equal; then a record of somebody else's is found in one of them."""
    topics = sorted(topic() for _number in range(2))
    empty = topic()
    for name in topics:
        fill(east, name, 0, 1)
        fill(east, name, 2, transaction="committed")
    flow = mirror([*topics, empty])
    for name in topics:
        await_records(west, flow.copy_of(name), 12)
    wait_until(lambda: len(flow.worker.offsets(flow.source)) == 8, reason="the positions")
    desired = {"topics": [*topics, empty], "verify": {"quiet": 3, "wait": 60}}

    dry, report = reset(flow, "--check", target="recreated", **desired)
    assert dry.rc == 0 and report is None, dry
    play, report = reset(flow, target="recreated", **desired)
    assert play.rc == 0 and report["verdict"] == "pass", play
    assert len(report["checks"]) == 2
    for check in report["checks"]:
        assert {name: check["figures"][name] for name in ("source", "target", "missing", "extra", "repeated")} == {
            "source": 12, "target": 12, "missing": 0, "extra": 0, "repeated": 0}
    assert "verification: pass, " in play.stdout

    # Kept: only what came since the boundary is compared, so the first copies do not count; but what somebody else writes does.
    worker = flow.worker
    worker.put(flow.source, "stop")
    worker.await_state(flow.source, "STOPPED", [])
    play, _report = reset(flow, target="keep", accept_duplicates=True, **desired)
    assert play.rc == 0 and "was not running, and was left so: start it" in play.stdout, play
    (path,) = {line.split()[-1].strip('"') for line in play.stdout.splitlines() if "mirror_reset_boundary_file: " in line}
    west.kafka.raw(flow.copy_of(topics[0]), [(0, b"0", b"somebody else's")])
    # The source goes on, so of this topic what was there at the boundary is looked at for itself.
    fill(east, topics[1], 3)
    worker.put(flow.source, "resume")
    play, report = reset(flow, phase="finish", boundary_file=path, verify=desired["verify"])
    assert play.rc == 2 and report["verdict"] == "fail", play
    assert [(check["topic"], check["verdict"], [check["figures"][name] for name in ("source", "missing", "extra", "repeated")])
            for check in report["checks"]] == [
        (f"copy.{topics[0]}", "fail", [12, 0, 1, 0]), (f"copy.{topics[1]}", "pass", [16, 0, 0, 0]),
        (f"copy.{topics[1]}", "pass", [12, 0, 4, 0])]
    assert [(one["topic"], one["partition"], one["what"]) for one in report["checks"][0]["samples"]] == [
        (flow.copy_of(topics[0]), 0, "in the copy, without a source")]
    assert f"1 of 3 checks did not pass: [fail] mirror copy.{topics[0]}" in play.failure("eu")


def test_what_spark_lacks_is_known_before_the_first_change(mirror, topic, east, west, reset):
    name = topic()
    fill(east, name, 0)
    flow = mirror([name])
    records = await_records(west, flow.copy_of(name), 4)
    wait_until(lambda: len(flow.worker.offsets(flow.source)) == 4, reason="the positions")
    for more, words in [({"verify": '{"by": "colour"}'}, "colour"), ({"verify": "true", "connectors": "no-such"}, "no-such")]:
        play, report = reset(flow, topics=[name], **{"target": "emptied", **more})
        assert play.rc == 2 and words in play.failure("eu") and report is None
    assert west.kafka.records(flow.copy_of(name)) and await_records(west, flow.copy_of(name), 4) == records
    assert [flow.worker.state(one)[0] for one in flow.names] == ["RUNNING"] * 3
