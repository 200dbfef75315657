# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mirror_report and mirror_reset: the same tables, files and changes with the newest ansible-core."""

from __future__ import annotations

import json
import uuid

import pytest

from tests.integration.support.topics import Kafka

NAME = "east->west"


def positions(topic: str) -> list[dict]:
    return [{"partition": {"cluster": "east", "partition": 0, "topic": name}, "offset": {"offset": 1}} for name in (topic, f"gone-{topic}")]


@pytest.fixture(scope="module")
def topic(endpoints, make, worker) -> str:
    """Of a stopped mirror of a cluster to itself: partition 0 is behind, 1 is new, and another topic is gone."""
    kafka, topic = Kafka(endpoints["bootstrap_servers"]), f"mirrored-{uuid.uuid4().hex[:8]}"
    kafka.create(topic, 2, "delete")
    kafka.raw(topic, [(0, b"k", b"v")] * 5 + [(1, b"k", b"v")])
    config = {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector", "topics": topic, "source.cluster.alias": "east",
              "source.cluster.bootstrap.servers": endpoints["bootstrap_servers"], "target.cluster.alias": "west",
              "target.cluster.bootstrap.servers": endpoints["bootstrap_servers"], "heartbeats.replication.enabled": "false"}
    worker.create(NAME, config, "STOPPED")
    worker.must("DELETE", f"connectors/{NAME}/offsets")  # a connector's offsets outlive it: those of another core's run
    worker.set_offsets(NAME, positions(topic))
    yield topic
    worker.delete(NAME)
    kafka.drop(topic)


def test_mirror_report(core, endpoints, worker, topic, tmp_path):
    given = {"kafka_connect_url": worker.url, "kafka_bootstrap_servers": [endpoints["bootstrap_servers"]], "mirror_report_dir": ".",
             "kafka_connect_source_clusters": ""}
    run = core.run(tmp_path, "streamops.kafka_connect.mirror_report", "-e", json.dumps(given), PWD=str(tmp_path))
    assert run.rc == 0 and run.changed == 0, run.text
    lines = [line.strip().strip('",').strip() for line in run.text.splitlines()]
    assert "main: 1 mirror" in lines
    assert f"east -> west: {NAME} STOPPED, default names, heartbeat none; 4 records at most to copy, the oldest for" in " ".join(lines)
    row = next(line.split() for line in lines if line.startswith(topic))
    assert row[:4] == [topic, f"east.{topic}", "2", "4"] and row[-5:] == ["0", "1", "new,", "1", "behind"]
    assert any(line.startswith(f"east gone-{topic}-0 at 1: there is no such topic on east") for line in lines), run.text
    flow, = json.loads((tmp_path / "main.json").read_text())["flows"]
    assert (flow["connector"], flow["lag"], flow["error"], flow["heartbeat"]) == (NAME, 4, None, None)
    assert [(one["offset"], one["lag"]) for one in flow["partitions"]] == [(1, 3), (None, 1)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inventory.json", "main.json"]


def test_mirror_reset(core, endpoints, worker, topic, tmp_path):
    """As a survey sends it: predicted, done, and not done again. The mirror is stopped and left so."""
    kafka, copy, backups = Kafka(endpoints["bootstrap_servers"]), f"east.{topic}", tmp_path / "backups"
    kafka.create(copy, 2, "delete")
    kafka.raw(copy, [(0, b"k", b"v")] * 2)
    empty = ("connectors", "to", "all", "accept_duplicates", "offset_syncs", "verify", "phase", "boundary_file", "wait_timeout", "settle",
             "catch_up_timeout", "max_entries", "ledger", "ledger_topic", "ledger_file", "offset_topic", "connect_group")
    given = {"kafka_connect_url": worker.url, "kafka_bootstrap_servers": [endpoints["bootstrap_servers"]],
             "kafka_connect_source_clusters": "", **{f"mirror_reset_{name}": "" for name in empty},
             "mirror_reset_topics": f'["{topic}"]', "mirror_reset_target": "recreated",
             "mirror_reset_change_id": f"CHG-{core.version}", "mirror_reset_backup_dir": str(backups)}

    def reset(*options: str):
        run = core.run(tmp_path, "streamops.kafka_connect.mirror_reset", "-e", json.dumps(given), *options)
        assert run.rc == 0, run.text
        return run

    try:
        dry = reset("--check", "--diff")
        assert dry.changed == 1 and f"The copy {copy} is deleted, and created again by MirrorMaker: it has up to 2 records." in dry.flat
        assert kafka.exists(copy) and not backups.exists() and len(worker.offsets(NAME)) == 2
        real = reset()
        assert real.changed == 1 and not kafka.exists(copy) and f"0 positions set, 1 removed deleted {copy}" in real.flat
        assert worker.offsets(NAME) == positions(topic)[1:] and worker.state(NAME) == ("STOPPED", [])
        boundary, = [json.loads(path.read_text()) for path in backups.glob("main-mirror-*Z.json")]
        assert boundary["topics"] == {topic: {"target": copy, "connector": NAME, "partitions": {
            "0": {"next": 0, "end": 5, "boundary": 0}, "1": {"next": 0, "end": 1, "boundary": 0}}}}
        again = reset()
        assert again.changed == 0 and f"the change CHG-{core.version} was made before" in again.flat
    finally:
        worker.set_offsets(NAME, positions(topic))
        if kafka.exists(copy):
            kafka.drop(copy)
