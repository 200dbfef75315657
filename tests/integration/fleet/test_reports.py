# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One report for all clusters: which connectors live where, and how far the sinks of all of them are behind."""

from __future__ import annotations

import json

from tests.integration.support.configs import file_sink, shaped, sink_at
from tests.integration.support.worker import wait_until

CONNECTORS, OFFSETS = "streamops.kafka_connect.connectors_report", "streamops.kafka_connect.offsets_report"


def test_which_connectors_live_where(fleet, clusters):
    """By globs as a survey sends them; a cluster that does not answer ends neither the table nor the file, but fails."""
    other = f"{fleet.name}-other"
    clusters["us1"].worker.create(other, shaped(topic=fleet.topic("us1"), no_tasks="true"), "STOPPED")
    try:
        hosts = {**fleet.hosts("v34", "us1", "eu1"), "gone": {"kafka_connect_url": "http://127.0.0.1:9"}}
        file = fleet.folder / "where" / "connectors.json"
        play = fleet.playbooks.run(CONNECTORS, hosts, connectors_report_connectors=f"{fleet.name}*, nothing-*",
                                   connectors_report_file=str(file))
    finally:
        clusters["us1"].worker.delete(other)
    assert play.rc == 2 and "No report of gone" in play.failure("gone") and {row["changed"] for row in play.recap.values()} == {0}, play
    lines = [line.strip().strip('",') for line in play.stdout.splitlines()]
    assert f"2 connectors matching {fleet.name}*, nothing-* on 3 clusters, 1 without an answer" in lines, play
    assert f"{fleet.name}        source  3 of 3    eu1 RUNNING, us1 RUNNING, v34 RUNNING" in lines
    assert f"{other}  source  1 of 3    us1 STOPPED" in lines
    report = json.loads(file.read_text())
    assert [(one["name"], [place["cluster"] for place in one["clusters"]], one["not_on"]) for one in report["connectors"]] == [
        (fleet.name, ["eu1", "us1", "v34"], []), (other, ["us1"], ["eu1", "v34"])]
    assert report["clusters"]["v34"]["version"] == "3.4.1" and report["clusters"]["gone"]["connectors"] == 0
    assert report["clusters"]["eu1"]["workers"] == [clusters["eu1"].url.removeprefix("http://")]
    ids = {report["clusters"][host]["kafka_cluster_id"] for host in ("eu1", "us1", "v34")}
    assert len(ids) == 1 and None not in ids and report["clusters"]["gone"]["kafka_cluster_id"] is None


def test_the_lag_of_all_clusters(fleet, clusters):
    """Two sinks of five records each, stopped after they have read all, one of them set back to the beginning."""
    sinks = {cluster: f"{fleet.name}-sink-{cluster}" for cluster in ("eu1", "us1")}
    try:
        for cluster, sink in sinks.items():
            worker = clusters[cluster].worker
            worker.create(sink, file_sink(fleet.topic(cluster), fleet.folder / f"{cluster}.txt"), "RUNNING")
            end = [sink_at(fleet.topic(cluster), 5)]
            wait_until(lambda worker=worker, sink=sink, end=end: worker.offsets(sink) == end, reason=sink)
            worker.put(sink, "stop")
            worker.await_state(sink, "STOPPED", [])
        clusters["us1"].worker.must("DELETE", f"connectors/{sinks['us1']}/offsets")
        clusters["us1"].worker.must("PATCH", f"connectors/{sinks['us1']}/offsets", {"offsets": [
            sink_at(fleet.topic("us1"), 2)]})
        brokers = {"kafka_bootstrap_servers": fleet.kafka.bootstrap_servers}
        hosts = {host: fleet.host(host, kafka_connect_offset_topic=clusters[host].offset_topic, **brokers) for host in ("eu1", "us1")}
        file = fleet.folder / "offsets.json"
        play = fleet.playbooks.run(OFFSETS, {**hosts, "eu2": fleet.host("eu2")}, offsets_report_file=str(file))
    finally:
        for cluster, sink in sinks.items():
            clusters[cluster].worker.delete(sink)
    assert play.rc == 0, play
    total = json.loads(file.read_text())
    lags = {host: {one["name"]: one["lag"] for one in report["connectors"]} for host, report in total["clusters"].items()}
    assert lags["eu1"][sinks["eu1"]] == 0 and lags["us1"][sinks["us1"]] == 3
    assert total["lag"] == sum(total["clusters"][host]["lag"] for host in hosts) >= 3 and total["lag_unknown"] == ["eu2"]
    assert f"sinks have {total['lag']} records to read (not known of eu2)" in play.stdout
