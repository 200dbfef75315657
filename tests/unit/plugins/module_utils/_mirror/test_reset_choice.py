# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which connectors and topics a reset of a mirror means."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset_choice import (
    Share,
    check_names,
    check_nodes,
    check_topics,
    choose,
    members,
    share,
)


def known(*named) -> dict:
    """named: (name, class, source, state), as ConnectClient.connectors() gives them."""
    return {name: {"status": {"connector": {"state": state}, "tasks": []}, "info": {"config": {
        "connector.class": kind, "source.cluster.alias": source, "target.cluster.alias": "west"}}} for name, kind, source, state in named}


EAST = known(
    ("s1", "org.apache.kafka.connect.mirror.MirrorSourceConnector", "east", "RUNNING"), ("s2", "MirrorSource", "east", "PAUSED"),
    ("c1", "MirrorCheckpointConnector", "east", "STOPPED"), ("h1", "MirrorHeartbeatConnector", "east", "RUNNING"), ("x", "FileStreamSource", "east", "RUNNING"))
NORTH = known(("s3", "MirrorSourceConnector", "north", "FAILED"), ("c3", "MirrorCheckpoint", "north", "RUNNING"))


def chosen(*names, deletes=False, of=EAST) -> tuple:
    found = choose(members(of), list(names), deletes)
    return [one.name for one in found.sources], [one.name for one in found.others]


def flow(connector="s1", source="east", nodes=None, checkpoints="cp", syncs="os", **copies) -> dict:
    return {"connector": connector, "source": source, "target": "west", "nodes": nodes, "checkpoints": {"topic": checkpoints}, "offset_syncs": {"topic": syncs},
            "topics": [{"topic": topic, "copy": copy} for topic, copy in copies.items()]}


def test_members():
    assert [(one.name, one.role, one.state, one.failed) for one in members({**EAST, **NORTH})] == [
        ("c1", "MirrorCheckpointConnector", "stopped", False), ("c3", "MirrorCheckpointConnector", "started", False),
        ("h1", "MirrorHeartbeatConnector", "started", False), ("s1", "MirrorSourceConnector", "started", False),
        ("s2", "MirrorSourceConnector", "paused", False), ("s3", "MirrorSourceConnector", "started", True)]


def test_a_failed_task_counts():
    found = known(("s", "MirrorSource", "east", "RUNNING"))
    found["s"]["status"]["tasks"] = [{"id": 0, "state": "FAILED"}]
    assert members(found)[0].failed


def test_the_connectors_of_one_mirror():
    assert chosen() == (["s1", "s2"], ["c1"])
    assert chosen("s1") == (["s1"], ["c1"])
    assert chosen("s1", "c1") == (["s1"], ["c1"])
    # what is deleted must not be written to meanwhile
    assert chosen("s1", deletes=True) == (["s1"], ["c1", "s2"])
    assert chosen("s3", of={**EAST, **NORTH}) == (["s3"], ["c3"])


@pytest.mark.parametrize("names, of, words", [
    (["no"], EAST, "no cannot be used. The cluster has c1, s1, s2."), (["h1"], EAST, "h1 cannot be used"), (["x"], EAST, "x cannot be used"),
    (["c1"], EAST, "the list has no MirrorSource connector and cannot be used"), ([], known(), "This Connect cluster has no MirrorSource connector."),
    ([], {**EAST, **NORTH}, "connectors of several mirrors, east->west, north->west"), (["s1", "c3"], {**EAST, **NORTH}, "connectors of several mirrors"),
])
def test_a_choice_that_cannot_be(names, of, words):
    with pytest.raises(DeclarationError) as caught:
        chosen(*names, of=of)
    assert words in caught.value.message


@pytest.mark.parametrize("topics, whole, words", [
    (["mm2-offset-syncs.west.internal"], False, "topics has mm2-offset-syncs.west.internal, which MirrorMaker"),
    (["a", "east.checkpoints.internal", "__consumer_offsets"], False, "topics has east.checkpoints.internal, __consumer_offsets, which"),
    ([], False, "Say which topics"), (["a"], True, "Say which topics"), (["a", "mm2-offsets"], False, None), ([], True, None),
])
def test_topics_that_can_be_meant(topics, whole, words):
    if words is None:
        return check_topics(topics, whole)
    with pytest.raises(DeclarationError) as caught:
        check_topics(topics, whole)
    assert caught.value.message.startswith(words)


def test_which_connector_copies_which_topic():
    flows = [flow("s1", a="east.a", heartbeats="east.heartbeats"), flow("s2", b="east.b", c="east.c")]
    assert share(flows, ["c", "a"], False) == [Share("s1", ["a"], {"a": "east.a"}), Share("s2", ["c"], {"c": "east.c"})]
    assert share(flows, ["b"], False) == [Share("s2", ["b"], {"b": "east.b"})]
    # one that none of them copies is the first one's, which says why
    assert share(flows, ["b", "z"], False) == [Share("s1", ["z"], {}), Share("s2", ["b"], {"b": "east.b"})]
    assert share(flows, [], True) == [Share("s1", ["a"], {"a": "east.a"}), Share("s2", ["b", "c"], {"b": "east.b", "c": "east.c"})]
    with pytest.raises(DeclarationError, match="east->west has no topic that it copies"):
        share([flow("s1", **{"north.heartbeats": "east.north.heartbeats"})], [], True)


def test_topics_that_go_have_to_be_known_by_name():
    nameless = [Share("s1", ["a"], {"a": None})]
    check_names(nameless, flow(), "keep", False)
    with pytest.raises(DeclarationError, match="How east->west calls its copies is not known"):
        check_names(nameless, flow(), "emptied", False)
    for target, offset_syncs, one in [("recreated", False, flow(checkpoints=None)), ("keep", True, flow(syncs=None))]:
        with pytest.raises(DeclarationError, match="the names of its topics for offset-syncs and checkpoints are not known"):
            check_names([], one, target, offset_syncs)


def test_nodes_have_to_be_down():
    check_nodes([flow(nodes=[])])
    with pytest.raises(DeclarationError, match="Nodes of MirrorMaker run.*: n1; n2. Stop"):
        check_nodes([flow(nodes=["n2"]), flow(nodes=["n1", "n2"])])
    with pytest.raises(DeclarationError, match="Describe on Group east-mm2, grant it"):
        check_nodes([flow(nodes=None), flow(nodes=[])])
