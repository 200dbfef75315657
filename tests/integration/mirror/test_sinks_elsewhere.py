# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""N04: a sink on a worker at west that reads from east. Without admin.override.bootstrap.servers Connect looks at west for its offsets."""

from __future__ import annotations

import uuid

import pytest

from tests.integration.support.configs import file_sink, sink_at
from tests.integration.support.modules import run_module
from tests.integration.support.worker import wait_until

CONSUMER, ADMIN = "consumer.override.bootstrap.servers", "admin.override.bootstrap.servers"


class Far:
    """Has read the five records of its topic at east, and is STOPPED; the topic at west is empty."""

    def __init__(self, worker, east, topic: str, folder) -> None:
        self.worker, self.topic, self._out = worker, topic, folder / "out.txt"
        self.name = f"far-{uuid.uuid4().hex[:8]}"
        east.kafka.produce(topic, [f"r{number}" for number in range(5)])
        worker.create(self.name, {**file_sink(topic, self._out), CONSUMER: east.bootstrap_servers}, None)
        wait_until(lambda: len(self.lines()) == 5, reason="all records")
        worker.put(self.name, "stop")
        worker.await_state(self.name, "STOPPED", [])
        wait_until(lambda: self.look(bootstrap_servers=[east.bootstrap_servers]).get("offsets") == [sink_at(topic, 5)], reason="its commit")

    def lines(self) -> list:
        return self._out.read_text().split() if self._out.exists() else []

    def resume_and_stop(self, *lines: str) -> None:
        self.worker.put(self.name, "resume")
        wait_until(lambda: self.lines()[5:] == list(lines), reason=f"{lines} once more")
        self.worker.put(self.name, "stop")
        self.worker.await_state(self.name, "STOPPED", [])

    def look(self, **options) -> dict:
        return self._run("connector_offsets_info", **options)

    def change(self, check: bool = False, **options) -> dict:
        return self._run("connector_offsets", check, wait_timeout=60, **options)

    def _run(self, module: str, check: bool = False, **options) -> dict:
        return run_module(module, {"connect_url": [self.worker.url], "name": self.name, **options}, check=check)


@pytest.fixture
def far(mirror_worker, east, west, topic, tmp_path):
    one = Far(mirror_worker, east, topic(east, west, partitions=1), tmp_path)
    yield one
    mirror_worker.delete(one.name)


def test_a_sink_that_reads_from_another_kafka_cluster(far, east, west, proxy_to):
    missing = (f"{far.name} reads from {east.bootstrap_servers} ({CONSUMER}), but for its offsets Connect goes to the workers' brokers "
               f"(it has no {ADMIN})")
    desired = {"offsets": [sink_at(far.topic, 2)]}
    # REST shows the group of that name at west, which has no offsets, and would set them there.
    assert far.worker.offsets(far.name) == []
    recorder = proxy_to(far.worker.url)
    for options in ({}, {"method": "rest"}, {"method": "rest", "bootstrap_servers": [east.bootstrap_servers]}):
        for result in (far.look(**options), far.change(connect_url=[recorder.url], **desired, **options),
                       far.change(connect_url=[recorder.url], state="absent", **options)):
            assert result["failed"] and result["msg"].startswith(missing), result
    wrong = far.change(connect_url=[recorder.url], bootstrap_servers=[west.bootstrap_servers], **desired)
    assert wrong["failed"] and f"and not from the brokers at {west.bootstrap_servers}" in wrong["msg"]
    assert recorder.verbs == {"GET"}

    # By the brokers from which it reads.
    by_group = {"bootstrap_servers": [east.bootstrap_servers]}
    assert far.change(reset_to={"shift_by": -1}, **by_group)["offsets"] == [sink_at(far.topic, 4)]
    done = far.change(**desired, **by_group)
    assert (done["changed"], done["method"], done["offsets"]) == (True, "group", [sink_at(far.topic, 2)])
    assert done["method_reason"].startswith("REST cannot do it: " + missing)
    assert (far.look(**by_group)["method"], far.look(**by_group)["lag"]) == ("group", 3)
    assert far.worker.offsets(far.name) == []
    far.resume_and_stop("r2", "r3", "r4")

    # By REST alone, once Connect has both settings.
    far.worker.must("PUT", f"connectors/{far.name}/config", {**far.worker.config(far.name), ADMIN: east.bootstrap_servers})
    wait_until(lambda: far.look().get("offsets") == [sink_at(far.topic, 5)], reason="its offset by REST")
    done = far.change(offsets=[sink_at(far.topic, 3)])
    assert (done["changed"], done["method"]) == (True, "rest")
    far.resume_and_stop("r2", "r3", "r4", "r3", "r4")
    # Other brokers tell nothing of its log.
    assert "whether the offsets are in the log was not looked at" in "".join(
        far.change(check=True, bootstrap_servers=[west.bootstrap_servers], offsets=[sink_at(far.topic, 9)])["warnings"])
    refused = far.change(check=True, bootstrap_servers=[east.bootstrap_servers], offsets=[sink_at(far.topic, 9)])
    assert f"{far.topic}-0 to 9, but it holds 0 to 5" in refused["msg"]
