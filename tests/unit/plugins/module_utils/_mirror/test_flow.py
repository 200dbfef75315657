# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror import flow
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import Flow

PACKAGE = "org.apache.kafka.connect.mirror."
IDENTITY = {"replication.policy.class": PACKAGE + "IdentityReplicationPolicy"}
UNDERLINE = {"replication.policy.separator": "_"}


def with_config(config):
    return Flow({"source.cluster.alias": "east", "target.cluster.alias": "west", **config})


@pytest.mark.parametrize("name, role", [
    (PACKAGE + "MirrorSourceConnector", "MirrorSourceConnector"), ("MirrorSourceConnector", "MirrorSourceConnector"),
    ("MirrorSource", "MirrorSourceConnector"), (PACKAGE + "MirrorCheckpointConnector", "MirrorCheckpointConnector"),
    ("MirrorHeartbeatConnector", "MirrorHeartbeatConnector"), ("org.example.NoMirrorSourceConnector", None),
    ("FileStreamSourceConnector", None), (None, None),
])
def test_role_of(name, role):
    assert flow.role_of({"connector.class": name}) == role


@pytest.mark.parametrize("topic, source", [
    ("mm2-offsets.east.internal", "east"), ("mm2-offsets.a.b.internal", "a.b"), ("mm2-offset-syncs.east.internal", None),
    ("connect-offsets", None), ("mm2-offsets..internal", None), (None, None),
])
def test_dedicated_source(topic, source):
    assert flow.dedicated_source(topic) == source


def test_configs_topic():
    assert flow.configs_topic("east") == "mm2-configs.east.internal"


@pytest.mark.parametrize("config, names", [
    ({}, ("east.orders", "east.heartbeats", "mm2-offset-syncs.west.internal", "source", "east.checkpoints.internal")),
    (IDENTITY, ("orders", "east.heartbeats", "mm2-offset-syncs.west.internal", "source", "east.checkpoints.internal")),
    (UNDERLINE, ("east_orders", "east_heartbeats", "mm2-offset-syncs_west_internal", "source", "east_checkpoints_internal")),
    ({**UNDERLINE, "replication.policy.internal.topic.separator.enabled": "false"},
     ("east_orders", "east_heartbeats", "mm2-offset-syncs.west.internal", "source", "east.checkpoints.internal")),
    ({"offset-syncs.topic.location": "target"},
     ("east.orders", "east.heartbeats", "mm2-offset-syncs.east.internal", "target", "east.checkpoints.internal")),
    ({"replication.policy.class": "org.example.Own"},
     (None, None, "mm2-offset-syncs.west.internal", "source", "east.checkpoints.internal")),
])
def test_names(config, names):
    one = with_config(config)
    assert (one.copy_of("orders"), one.copy_of("heartbeats"), one.syncs, one.syncs_at, one.checkpoints) == names


def test_names_without_a_configuration():
    one = Flow({}, "east")
    assert (str(one), one.copy_of("orders"), one.syncs, one.leaves_out("__x")) == ("east->?", None, None, None)


@pytest.mark.parametrize("config, topic, reason", [
    ({}, "orders", None),
    ({}, "heartbeats", None),
    ({}, "north.orders", None),  # what came from elsewhere is copied on
    ({}, "west.orders", "it is itself a copy of west's"),
    ({}, "north.west.orders", "it is itself a copy of west's"),
    ({}, "__consumer_offsets", "it is an internal one"),
    ({}, ".hidden", "it is an internal one"),
    ({}, "mm2-offset-syncs.west.internal", "it is an internal one"),
    ({}, "a-internal", "it is an internal one"),
    ({}, "orders.replica", r"topics.exclude is .*[\-\.]internal, .*\.replica, __.*"),
    ({"topics": "orders, shop.*"}, "shop.returns", None),
    ({"topics": "orders, shop.*"}, "orders2", "topics is orders, shop.*"),
    ({"topics": "orders"}, "heartbeats", None),
    ({"topics": "orders", "heartbeats.replication.enabled": "false"}, "heartbeats", "heartbeats.replication.enabled is false"),
    ({"topics": ".*", "heartbeats.replication.enabled": "FALSE"}, "heartbeats", None),  # as any other topic
    ({"topics": "heart.*", "topics.exclude": "heartbeats", "heartbeats.replication.enabled": "false"}, "heartbeats",
     "topics.exclude is heartbeats"),
    ({"topics": ""}, "orders", "topics is "),
    ({"topics.exclude": "orders"}, "orders", "topics.exclude is orders"),
    ({"topics.exclude": ""}, "orders.replica", None),
    # Java's patterns, none of Python's, or with another meaning
    ({"topics": "(?<a>x)["}, "orders", None),
    ({"topics": "[a-z&&[^o]]+"}, "orders", None),
    ({"topics.exclude": "[a-z&&[^o]]+"}, "orders", None),
    (IDENTITY, "west.orders", None),
    (IDENTITY, "west.heartbeats", "it is itself a copy of west's"),
    (UNDERLINE, "west_orders", "it is itself a copy of west's"),
    (UNDERLINE, "x_internal", "it is an internal one"),
    ({"topic.filter.class": "org.example.Own"}, "orders.replica", None),
    ({"replication.policy.class": "org.example.Own"}, "west.orders", None),
])
def test_leaves_out(config, topic, reason):
    assert with_config(config).leaves_out(topic) == reason


@pytest.mark.parametrize("config, committed, at_the_end", [
    ({}, False, False),
    ({"consumer.isolation.level": "read_committed", "consumer.auto.offset.reset": "latest"}, True, True),
    ({"consumer.isolation.level": "read_committed", "source.consumer.isolation.level": "read_uncommitted"}, False, False),
    ({"source.consumer.auto.offset.reset": "earliest", "consumer.auto.offset.reset": "latest"}, False, False),
    ({"source.consumer.auto.offset.reset": "none"}, False, True),
])
def test_its_consumer(config, committed, at_the_end):
    assert (with_config(config).committed, with_config(config).begins_at_the_end) == (committed, at_the_end)


@pytest.mark.parametrize("config, known", [
    ({}, True), (IDENTITY, True), ({"topic.filter.class": PACKAGE + "DefaultTopicFilter"}, True),
    ({"topic.filter.class": "org.example.Own"}, False), ({"replication.policy.class": "org.example.Own"}, False),
])
def test_whether_its_topics_are_known(config, known):
    assert with_config(config).selects is known
    assert not Flow({}, "east").selects


@pytest.mark.parametrize("value, enabled", [(None, True), ("true", True), ("False", False)])
def test_a_direction_that_is_switched_off(value, enabled):
    assert with_config({"enabled": value} if value else {}).enabled is enabled
