# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Six Connect clusters on one broker: four of today, one that cannot change offsets by REST, one that cannot even show them."""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import Any

import pytest

from stack import ClusterSpec, Stack
from tests.integration.conftest import KEEP, Cluster, cluster_of
from tests.integration.support.configs import shaped
from tests.integration.support.playbook import RESET, Play, Playbooks
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import wait_until

#: the last record that every connector has written, and so the offset before a change
LAST = 4

SPECS = {"eu1": ClusterSpec(), "eu2": ClusterSpec(), "us1": ClusterSpec(), "us2": ClusterSpec(), "v35": ClusterSpec("3.5.2"),
         "v34": ClusterSpec("3.4.1")}


@pytest.fixture(scope="session")
def fleet_stack(tmp_path_factory):
    kept = os.environ.get(KEEP)
    stack = Stack(kept or tmp_path_factory.mktemp("fleet"))
    stack.up(SPECS)
    yield stack
    if not kept:
        stack.purge()


@pytest.fixture(scope="session")
def clusters(fleet_stack) -> dict[str, Cluster]:
    return {name: cluster_of(fleet_stack, name) for name in SPECS}


class Fleet:
    """One connector of one name on each cluster, runs of the playbooks, and what they leave."""

    def __init__(self, clusters: dict[str, Cluster], kafka: Kafka, folder: Path, name: str) -> None:
        self.clusters, self.kafka, self.folder, self.name = clusters, kafka, folder, name
        self.playbooks = Playbooks(folder)
        self.summary_file = folder / "out" / "summary.json"
        self.change_id = f"CHG-{uuid.uuid4().hex[:8]}"

    def host(self, cluster: str, **variables: Any) -> dict:
        """Old ones need the brokers. All share one Kafka cluster, so each says its group for the ledger."""
        one = self.clusters[cluster]
        old = {"kafka_bootstrap_servers": self.kafka.bootstrap_servers,
               "kafka_connect_offset_topic": one.offset_topic} if one.version < "3.6" else {}
        return {"kafka_connect_url": one.url, "kafka_connect_group": one.group_id, **old, **variables}

    def hosts(self, *names: str) -> dict[str, dict]:
        return {name: self.host(name) for name in names or self.clusters}

    def run(self, playbook: str, hosts: dict[str, dict], *options: str, groups: dict | None = None, env: dict | None = None,
            **variables: Any) -> Play:
        """Settings that tests with one cluster need are put back to what a user has."""
        own = f"{playbook.rpartition('.')[2]}_"
        given = {f"{own}allow_same_cluster": "", f"{own}summary_file": str(self.summary_file), **variables}
        self.summary_file.unlink(missing_ok=True)
        env = {"ANSIBLE_FORKS": "6", "ANSIBLE_SHOW_CUSTOM_STATS": "1", **(env or {})}
        return self.playbooks.run(playbook, hosts, *options, groups=groups, env=env, **given)

    def reset(self, hosts: dict[str, dict], offset: int, *options: str, **variables: Any) -> Play:
        given = {"reset_offsets_connectors": [{"name": self.name, "offsets": [{"partition": {"p": 0}, "offset": {"n": offset}}]}],
                 "reset_offsets_change_id": self.change_id, "reset_offsets_serial": "100%", **variables}
        return self.run(RESET, hosts, *options, **given)

    @property
    def summary(self) -> dict:
        return json.loads(self.summary_file.read_text())

    @property
    def statuses(self) -> dict[str, str]:
        return {host: one["status"] for host, one in self.summary["clusters"].items()}

    def delivered(self, cluster: str) -> int:
        """How many records its connector has written so far; five at first, and again those behind a reset."""
        return len(self.kafka.values(self.topic(cluster)))

    def topic(self, cluster: str) -> str:
        return f"{self.name}-{cluster}"

    def counts(self) -> dict[str, int]:
        return {cluster: self.delivered(cluster) for cluster in self.clusters}

    def await_counts(self, **wanted: int) -> None:
        """All others have five."""
        right = {**dict.fromkeys(self.clusters, LAST + 1), **wanted}
        wait_until(lambda: self.counts() == right, reason=f"{right}")


@pytest.fixture
def fleet(clusters, fleet_stack, tmp_path):
    kafka = Kafka(fleet_stack.endpoints()["bootstrap_servers"])
    fleet = Fleet(clusters, kafka, tmp_path, f"f-{uuid.uuid4().hex[:8]}")
    for cluster, one in clusters.items():
        one.worker.create(fleet.name, shaped(topic=fleet.topic(cluster), interval_ms=1), None)
    for cluster, one in clusters.items():
        # Flushed: in Connect 3.4 only the offsets topic shows it.
        wait_until(lambda one=one: '{"n":4}' in kafka.live_offsets(one.offset_topic, fleet.name).values(),
                   reason=f"the last offset of {cluster}")
        one.worker.await_state(fleet.name, "RUNNING", ["RUNNING"])
    yield fleet
    for one in clusters.values():
        one.worker.delete(fleet.name)
