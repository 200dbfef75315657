# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mirror_report: the same table and the same files with every ansible-core."""

from __future__ import annotations

import json
import uuid

import pytest

from tests.integration.support.topics import Kafka

NAME = "east->west"


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
    worker.set_offsets(NAME, [{"partition": {"cluster": "east", "partition": 0, "topic": name}, "offset": {"offset": 1}}
                              for name in (topic, f"gone-{topic}")])
    yield topic
    worker.delete(NAME)
    kafka.drop(topic)


def test_mirror_report(core, endpoints, worker, topic, tmp_path):
    given = {"kafka_connect_url": worker.url, "kafka_bootstrap_servers": [endpoints["bootstrap_servers"]], "mirror_report_dir": ".",
             "mirror_report_metrics_file": "mirrors.prom", "kafka_connect_source_clusters": ""}
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
    place = f'{{source="east",target="west",connector="{NAME}",topic="{topic}",partition="0"}}'
    assert f"kafka_mirror_next_offset{place} 2\n" in (tmp_path / "mirrors.prom").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inventory.json", "main.json", "mirrors.prom"]
