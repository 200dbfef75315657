# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-in and mirrors, of which every pass covers the whole resource; numbers as in test_parts.py."""

from __future__ import annotations

import json
import time

import pytest

from tests.integration.support.operator.offsets import CONNECTOR, OPERATION
from tests.integration.support.operator.stand_in import MIRRORS, PAUSED
from tests.integration.support.worker import wait_until


@pytest.fixture
def make_flow(make_mirror, mirror_cluster, namespace, kafka, name):
    """make_flow(old=False, **mirror) -> names of the source and the checkpoint connector of a mirror that has copied three records."""
    topics = []

    def make_flow(old: bool = False, **mirror) -> tuple[str, str]:
        kafka.create(name, 1, "delete")
        topics.extend([name, f"east.{name}"])
        kafka.raw(name, [(0, b"k", str(number).encode()) for number in range(3)])
        flow = f"east->{name}"
        make_mirror("east", name, name, old, **mirror)
        source, checkpoint = f"{flow}.MirrorSourceConnector", f"{flow}.MirrorCheckpointConnector"
        wait_until(lambda: mirror_cluster.worker.exists(source) and mirror_cluster.worker.offsets(source) == [copied(name, 2)],
                   reason="three copied records")
        # A worker that rebalances refuses for a moment (3.4).
        wait_until(lambda: namespace.conditions(MIRRORS, "mirror") == [("Ready", "")], reason="the mirror to be ready")
        return source, checkpoint

    yield make_flow
    for topic in topics:
        kafka.drop(topic)


def copied(topic: str, offset: int) -> dict:
    """The last record that was copied."""
    return {"partition": {"cluster": "east", "partition": 0, "topic": topic}, "offset": {"offset": offset}}


def stop_source(namespace) -> None:
    namespace.json_patch(MIRRORS, "mirror", [{"op": "add", "path": "/spec/mirrors/0/sourceConnector/state", "value": "stopped"}])
    wait_until(lambda: mirror_states(namespace)[-1] == "STOPPED", reason="the source to be stopped")


def mirror_states(namespace) -> list[str]:
    """In the order of names: checkpoint, source."""
    return [one["connector"]["state"] for one in namespace.status(MIRRORS, "mirror").get("connectors", [])] or [""]


@pytest.mark.parametrize(("strimzi", "old"), [("1.2", False), ("0.51", True), ("0.51", False)], indirect=["strimzi"])
def test_mirror(make_flow, namespace, mirror_cluster, name, old):
    source, checkpoint = make_flow(old)
    assert [one["name"] for one in namespace.status(MIRRORS, "mirror")["connectors"]] == [checkpoint, source]
    key = f"east--{name}.MirrorSourceConnector.json"
    namespace.annotate(MIRRORS, "mirror", "list", source)
    namespace.await_done(MIRRORS, "mirror")
    assert namespace.annotation(MIRRORS, "mirror", CONNECTOR) is None
    namespace.annotate(MIRRORS, "mirror", "list", checkpoint)
    namespace.await_done(MIRRORS, "mirror")
    # They share a ConfigMap (3.2).
    assert namespace.data("mirror-offsets", key) == {"offsets": [copied(name, 2)]}
    assert namespace.data("mirror-offsets", f"east--{name}.MirrorCheckpointConnector.json") == {"offsets": []}

    stop_source(namespace)
    namespace.put_data("mirror-alter", {key: json.dumps({"offsets": [copied(name, 1)]})})
    namespace.annotate(MIRRORS, "mirror", "alter", source)
    namespace.await_done(MIRRORS, "mirror")
    wait_until(lambda: mirror_cluster.worker.offsets(source) == [copied(name, 1)])
    assert mirror_states(namespace)[0] == "RUNNING"
    namespace.annotate(MIRRORS, "mirror", "reset", source)
    namespace.await_done(MIRRORS, "mirror")
    wait_until(lambda: mirror_cluster.worker.offsets(source) == [])


@pytest.mark.parametrize("tick", [2.0])
def test_a_mirrors_annotations(make_flow, namespace, mirror_cluster, name):
    """Section 4, 0.9: one alone is warned of once per connector; an unknown name is ignored for ever."""
    source, _checkpoint = make_flow()
    namespace.annotate(MIRRORS, "mirror", "list")
    namespace.await_message(MIRRORS, "mirror", "ManageOffsets", CONNECTOR)
    assert namespace.conditions(MIRRORS, "mirror") == [("Ready", ""), ("Warning", "ManageOffsets"), ("Warning", "ManageOffsets")]
    namespace.annotate(MIRRORS, "mirror", None, source)
    namespace.await_message(MIRRORS, "mirror", "ManageOffsets", OPERATION)
    namespace.annotate(MIRRORS, "mirror", "list", source.lower())
    wait_until(lambda: namespace.conditions(MIRRORS, "mirror") == [("Ready", "")])
    time.sleep(2.5)
    assert namespace.annotation(MIRRORS, "mirror") == "list"
    assert namespace.conditions(MIRRORS, "mirror") == [("Ready", "")]
    namespace.annotate(MIRRORS, "mirror", "reset", source)
    namespace.await_message(MIRRORS, "mirror", "ResetOffsets", "not in STOPPED state")
    assert mirror_cluster.worker.offsets(source) == [copied(name, 2)]


@pytest.mark.parametrize("tick", [600.0])
def test_a_mistyped_word_makes_a_mirror_spin(make_flow, namespace):
    """0.9: until the annotation goes."""
    source, _checkpoint = make_flow()
    namespace.annotate(MIRRORS, "mirror", "Reset", source)
    namespace.await_message(MIRRORS, "mirror", "IllegalArgumentException")
    before = len(namespace.written)
    wait_until(lambda: len(namespace.written) > before + 10)
    namespace.annotate(MIRRORS, "mirror", None, None)
    namespace.settle(MIRRORS, "mirror")
    assert namespace.conditions(MIRRORS, "mirror") == [("Ready", "")]


@pytest.mark.parametrize("tick", [1.0])
def test_a_mirror_and_rest(make_flow, namespace, mirror_cluster, name):
    """3.5: set back by the timer, unless reconciliation is paused; a mirror that is gone takes its workers with it."""
    source, checkpoint = make_flow()
    mirror_cluster.worker.put(source, "pause")
    mirror_cluster.worker.await_state(source, "RUNNING", ["RUNNING"])
    namespace.merge(MIRRORS, "mirror", {"metadata": {"annotations": {PAUSED: "true"}}})
    wait_until(lambda: namespace.conditions(MIRRORS, "mirror") == [("ReconciliationPaused", "")])
    mirror_cluster.worker.put(source, "stop")
    time.sleep(2.5)
    assert mirror_cluster.worker.state(source) == ("STOPPED", [])
    namespace.delete(MIRRORS, "mirror")
    wait_until(lambda: not mirror_cluster.worker.exists(source) and not mirror_cluster.worker.exists(checkpoint))
