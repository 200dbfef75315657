# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pages about MirrorMaker show what their commands print (see tests/docs)."""

from __future__ import annotations

import json
import uuid

import pytest
from confluent_kafka import TopicPartition

from tests.docs.bench import BACKUPS, BROKERS, LEDGER, URL, Place, forget
from tests.docs.runs import checked
from tests.integration.mirror.test_mirror_info import stop
from tests.integration.support.mirror import Mirror, fill
from tests.integration.support.worker import wait_until

TOPICS = ("orders", "payments")
STEM = "east->west"


@pytest.fixture
def place(tmp_path, mirror_worker, east, west) -> Place:
    place = Place(tmp_path / "page", {URL % "west": mirror_worker.url, BROKERS.replace("eu", "west"): west.bootstrap_servers,
                                      LEDGER: f"docs-{uuid.uuid4().hex[:8]}"})
    host = {"kafka_connect_url": URL % "west", "kafka_bootstrap_servers": [BROKERS.replace("eu", "west")]}
    place.write("inventory.yml", json.dumps({"kafka_connect": {"hosts": {"west": host}}}))
    hidden = {"kafka_connect_ledger_topic": LEDGER, "mirror_reset_settle": 0, "mirror_reset_backup_dir": BACKUPS}
    place.write("group_vars/all.yml", json.dumps(hidden))
    return place


@pytest.fixture
def flow(mirror, west_stack, mirror_worker, east, west) -> Mirror:
    """It has copied four records of each of the topics, each of two partitions, and is stopped; orders has a record more on the source,
    and of one partition of payments records were deleted before they were copied."""
    for side in (east, west):  # what a first attempt has left
        side.drop(topic for topic in side.topics() if topic.endswith(TOPICS))
    forget(west.kafka, west_stack.endpoints()["clusters"]["mirror"]["offset_topic"], f"{STEM}.MirrorSourceConnector")
    for name in TOPICS:
        east.kafka.create(name, 2, "delete")
        fill(east, name, 0, 1, 2, 3)
    found = mirror(TOPICS, stem=STEM)
    await_positions(found, 3, 3, 3, 3)
    wait_until(lambda: {found.checkpoints, "heartbeats"} <= west.topics() and west.kafka.raw_records("heartbeats"), reason="a heartbeat")
    stop(found)
    fill(east, "orders", 4)
    fill(east, "payments", 4, 5, 6)
    for future in east.admin.delete_records([TopicPartition("payments", 1, 6)]).values():
        future.result(20)
    yield found
    found.delete()
    for side in (east, west):
        side.drop(topic for topic in side.topics() if topic.endswith(TOPICS))


def await_positions(flow: Mirror, *last: int) -> None:
    """The offsets of the records that were copied last, in their order."""
    wait_until(lambda: sorted(pair["offset"]["offset"] for pair in flow.worker.offsets(flow.source)) == list(last), reason="the positions")


def test_docs_outputs(flow, place, east, west):
    """The report of a mirror that is stopped; then it runs, and has a topic copied again."""
    for _printed in checked("mirror", place):
        pass
    flow.worker.put(flow.source, "resume")
    await_positions(flow, 4, 4, 6, 6)
    copied = sorted(west.kafka.records(flow.copy_of("orders")))
    dry, _real = checked("mirror-reset", place)
    assert "deleted" in dry and sorted(west.kafka.records(flow.copy_of("orders"))) == copied
    assert west.kafka.ends(flow.copy_of("orders")) == {0: 5, 1: 5}
