# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""C36: brokers that forget the offsets of a sink that is STOPPED, as all do after a week; these do after a minute."""

from __future__ import annotations

import re

import pytest

from stack import ClusterSpec, Stack
from tests.integration.conftest import cluster_of
from tests.integration.support.configs import sink_at
from tests.integration.support.modules import run_module
from tests.integration.support.sinks import Sinks
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import wait_until

#: a minute is the least that Kafka takes
FORGETFUL = {"offsets.retention.minutes": "1", "offsets.retention.check.interval.ms": "500"}


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    """Of its own: other tests rely on offsets that stay."""
    stack = Stack(tmp_path_factory.mktemp("forgetful"))
    stack.up({"main": ClusterSpec()}, FORGETFUL)
    yield stack
    stack.purge()


@pytest.fixture
def sinks(stack, tmp_path):
    def run(module, check=False, **arguments):
        return run_module(module, arguments, check=check)

    sinks = Sinks(run, Kafka(stack.endpoints()["bootstrap_servers"]), cluster_of(stack, "main"), tmp_path)
    yield sinks
    sinks.close()


def test_commits_that_expire(sinks, stack, playbooks):
    topic = sinks.topic(2)
    sinks.produce(topic, *[(0, f"a{number}") for number in range(5)], *[(1, f"b{number}") for number in range(3)])
    name = sinks.make(topic)
    wait_until(lambda: len(sinks.lines(name)) == 8, reason="all records")
    sinks.stop(name)
    before = sinks.look(name)
    assert [one["committed"] for one in before["positions"]] == [5, 3]
    assert "(offsets.retention.minutes is 1). Longer than that these sinks must not be STOPPED" in "".join(before["warnings"])

    wait_until(lambda: sinks.commits(f"connect-{name}") == {}, 90, "the brokers to forget")
    found = sinks.look(name)
    assert (found["offsets"], found["offsets_count"], found["lag"]) == ([], 0, None) and found["group"]["state"] is None
    assert [(one["committed"], one["end"], one["lag"]) for one in found["positions"]] == [(None, 5, None), (None, 3, None)]
    [warning] = found["warnings"]
    assert warning == (
        "These sinks are STOPPED, and the brokers have no offsets of them: there never were any, or they were deleted, as those of a "
        f"group without members are after a time (offsets.retention.minutes is 1). They begin where auto.offset.reset says: {name}.")
    play = playbooks.run("streamops.kafka_connect.offsets_report", {"eu": {
        "kafka_connect_url": sinks.cluster.url, "kafka_bootstrap_servers": [sinks.kafka.bootstrap_servers],
        "kafka_connect_offset_topic": sinks.cluster.offset_topic}})
    assert play.rc == 0 and re.search(rf'{name} +sink STOPPED +0 +- +no offset, group ', play.stdout), play
    assert f"{name}: no offset (any more), it begins where auto.offset.reset says" in play.stdout

    assert "has no offset yet that could be shifted" in sinks.refused(name, reset_to={"shift_by": -1})
    # A declared one works: in one partition a place, in the other one its end.
    sinks.done(name, offsets=[sink_at(topic, 3), sink_at(topic, 3, 1)])
    sinks.out(name).unlink()
    sinks.worker.put(name, "resume")
    sinks.await_lines(name, "a3", "a4")
    wait_until(lambda: sinks.commits(f"connect-{name}") == {(topic, 0): 5, (topic, 1): 3}, reason="the new commits")
    assert sinks.lines(name) == ["a3", "a4"]
