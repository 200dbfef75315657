# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two Kafka clusters, east and west, and MirrorMaker between them: as connectors on a worker at west, and in dedicated mode."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable, Iterator

import pytest

from stack import ClusterSpec, Stack
from stack.mirror import MirrorMaker
from tests.integration.conftest import KEEP
from tests.integration.support.mirror import Mirror, Side
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import Worker


def _stack(alias: str, tmp_path_factory) -> Iterator[Stack]:
    """A broker, kept beside the stack that is kept."""
    kept = os.environ.get(KEEP)
    stack = Stack(f"{kept}-{alias}" if kept else tmp_path_factory.mktemp(alias))
    # As most people have it; a topic that comes into being by accident would hide a mistake.
    stack.up(broker_properties={"auto.create.topics.enable": "false"}, broker_only=True)
    yield stack
    if not kept:
        stack.purge()


@pytest.fixture(scope="session")
def east_stack(tmp_path_factory) -> Iterator[Stack]:
    yield from _stack("east", tmp_path_factory)


@pytest.fixture(scope="session")
def west_stack(tmp_path_factory) -> Iterator[Stack]:
    yield from _stack("west", tmp_path_factory)


def _side(alias: str, stack: Stack) -> Side:
    endpoints = stack.endpoints()
    return Side(alias, endpoints, Kafka(endpoints["bootstrap_servers"]))


@pytest.fixture(scope="session")
def east(east_stack) -> Side:
    return _side("east", east_stack)


@pytest.fixture(scope="session")
def west(west_stack) -> Side:
    return _side("west", west_stack)


@pytest.fixture(scope="session")
def mirror_worker(west_stack) -> Worker:
    """Connect 4.3.1 at west; its cluster is named mirror."""
    return Worker(west_stack.up({"mirror": ClusterSpec()})["clusters"]["mirror"]["urls"][0])


@pytest.fixture
def topic(east, west):
    """topic(*sides, partitions=4) -> a new topic at the sides, by default at east; with its copies dropped afterwards."""
    made = []

    def topic(*sides: Side, partitions: int = 4) -> str:
        made.append(f"orders-{uuid.uuid4().hex[:8]}")
        for side in sides or [east]:
            side.kafka.create(made[-1], partitions, "delete")
        return made[-1]

    yield topic
    for side in (east, west):
        side.drop(one for one in side.topics() if one.endswith(tuple(made)))


@pytest.fixture
def swept(topic, east, west):
    """Afterwards, when whatever mirrors has ended, nothing of MirrorMaker's own topics is left."""
    yield
    for side in (east, west):
        side.sweep()


@pytest.fixture
def mirror(swept, mirror_worker, east, west):
    """mirror(topics, policy=None, source=east, target=west, stem=None, wait=True, **config) -> a Mirror that runs.

    topics: names, or regular expressions. It is deleted afterwards.
    """
    made = []

    def mirror(topics: Iterable[str], policy: str | None = None, source: Side = east, target: Side = west,
               stem: str | None = None, wait: bool = True, **config) -> Mirror:
        config = {"topics": ",".join(topics), **config}
        if policy:
            config["replication.policy.class"] = policy
        if target is not west:
            # The worker's own producers write to west.
            config["producer.override.bootstrap.servers"] = target.bootstrap_servers
        stem = stem or f"{source.alias}->{target.alias}-{uuid.uuid4().hex[:8]}"
        made.append(Mirror(mirror_worker, source, target, stem, config))
        made[-1].create()
        if wait:
            made[-1].await_running()
        return made[-1]

    yield mirror
    for one in made:
        one.delete()


@pytest.fixture
def dedicated(swept, tmp_path_factory, east, west):
    """dedicated(topics, flows=("east->west",), policy=None, wait=True, **properties) -> a MirrorMaker that runs, stopped afterwards."""
    made = []

    def dedicated(topics: Iterable[str], flows: Iterable[str] = ("east->west",), policy: str | None = None, wait: bool = True,
                  **properties) -> MirrorMaker:
        settings = {} if policy is None else {"replication.policy.class": policy}
        for flow in flows:
            settings |= {f"{flow}.enabled": "true", f"{flow}.topics": ",".join(topics)}
        clusters = {side.alias: side.bootstrap_servers for side in (east, west)}
        made.append(MirrorMaker(tmp_path_factory.mktemp("dedicated"), clusters, {**settings, **properties}))
        made[-1].start(wait=wait)
        return made[-1]

    yield dedicated
    for one in made:
        one.stop()
