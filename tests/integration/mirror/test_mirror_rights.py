# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mirror_info with a login that may not see everything: what is refused is named, with the right that is missing, and the rest is shown.

One broker is source and target, and what a dedicated MirrorMaker would have stored is written by hand.
"""

from __future__ import annotations

import json
import struct
import uuid

import pytest
from confluent_kafka.admin import AclOperation, ResourceType

from tests.integration.support.modules import run_module
from tests.integration.support.secured import login
from tests.integration.support.topics import Kafka

READ, DESCRIBE = AclOperation.READ, AclOperation.DESCRIBE


@pytest.fixture
def names(plain):
    """alias -> its topics, with a position of 2 of 5 records."""
    kafka, alias = Kafka(plain), f"perm{uuid.uuid4().hex[:8]}"
    names = {"offsets": f"mm2-offsets.{alias}.internal", "configs": f"mm2-configs.{alias}.internal", "orders": f"orders-{alias}",
             "checkpoints": f"{alias}.checkpoints.internal", "syncs": f"mm2-offset-syncs.to-{alias}.internal"}
    for what, topic in names.items():
        kafka.create(topic, 1, "delete" if what == "orders" else "compact")
    config = {"connector.class": "MirrorSourceConnector", "topics": names["orders"], "source.cluster.alias": alias,
              "target.cluster.alias": f"to-{alias}"}
    kafka.raw(names["configs"], [(0, b"connector-MirrorSourceConnector", json.dumps({"properties": config}).encode())])
    key = json.dumps(["MirrorSourceConnector", {"cluster": alias, "partition": 0, "topic": names["orders"]}], separators=(",", ":"))
    kafka.raw(names["offsets"], [(0, key.encode(), b'{"offset":1}')])
    kafka.raw(names["orders"], [(0, b"k", b"v")] * 5)
    sync = struct.pack(">h", 1) + b"a" + struct.pack(">i", 0)
    kafka.raw(names["syncs"], [(0, sync, struct.pack(">qq", 1, 1))])
    kafka.raw(names["checkpoints"], [(0, struct.pack(">h", 1) + b"g" + sync, struct.pack(">hqqh", 0, 1, 1, 0))])
    yield {"alias": alias, **names}
    for topic in names.values():
        kafka.drop(topic)


@pytest.fixture
def look(secured, names):
    """look() -> result, as the user operator."""

    def look() -> dict:
        me = login(secured, "SCRAM-SHA-256", "operator")
        source = {name: value for name, value in me.items() if name != "kafka_timeout"}
        return run_module("mirror_info", {**me, "offset_topic": names["offsets"], "source_clusters": [{"alias": names["alias"], **source}]})

    return look


def test_rights(look, names, allow):
    found = look()
    assert found["failed"] and names["offsets"] in found["msg"], found

    topic = ResourceType.TOPIC
    for what in ("offsets", "configs"):
        allow(topic, names[what], READ, DESCRIBE)
    for what in ("orders", "syncs", "checkpoints"):
        allow(topic, names[what], DESCRIBE)
    found = look()
    assert not found["failed"], found
    flow, = found["flows"]
    row, = flow["partitions"]
    assert (row["next_offset"], row["end"], row["lag"], row["lag_ms"], row["status"]) == (2, 5, 3, None, "behind")
    assert flow["offset_syncs"]["exists"] is flow["checkpoints"]["exists"] is None
    for what in ("orders", "syncs", "checkpoints"):
        assert any(f"the permission Read and Describe on Topic {names[what]}" in warning for warning in found["warnings"]), (what, found)

    for what in ("orders", "syncs", "checkpoints"):
        allow(topic, names[what], READ)
    assert [warning for warning in look()["warnings"] if "not known" in warning] == [
        warning for warning in found["warnings"] if "Topic heartbeats" in warning] != []
    allow(topic, "heartbeats", READ, DESCRIBE)
    found = look()
    flow, = found["flows"]
    assert flow["lag_ms"] > 0 and flow["offset_syncs"]["records"] == 1 and flow["checkpoints"]["groups"] == ["g"]
    assert not any("not known" in warning for warning in found["warnings"]), found["warnings"]
