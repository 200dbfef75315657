# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which topics a flow leaves out, and what is enabled."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._flow import Flow


def flow(**config):
    aliases = {"source.cluster.alias": "east", "target.cluster.alias": "west"}
    return Flow({**aliases, **{name.replace("_", "."): value for name, value in config.items()}})


@pytest.mark.parametrize("topics, enabled, replicated", [
    ("orders", "true", True), ("orders", None, True), ("orders", "false", False),
    (".*", "false", True), ("orders,heart.*", "FALSE", True),  # as any other topic
])
def test_heartbeats(topics, enabled, replicated):
    one = flow(topics=topics, **({"heartbeats_replication_enabled": enabled} if enabled else {}))
    assert (one.leaves_out("heartbeats") is None) is replicated
    assert one.leaves_out("west.heartbeats") is not None  # a cycle


def test_whether_its_topics_are_known():
    assert flow().selects and flow(topic_filter_class="org.apache.kafka.connect.mirror.DefaultTopicFilter").selects
    assert not Flow({}, "east").selects
    assert not flow(replication_policy_class="com.example.Mine").selects and not flow(topic_filter_class="com.example.Mine").selects


@pytest.mark.parametrize("value, enabled", [(None, True), ("true", True), ("False", False)])
def test_a_direction_that_is_switched_off(value, enabled):
    assert flow(**({"enabled": value} if value else {})).enabled is enabled
