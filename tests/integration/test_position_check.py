# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connectors that run again after a change, and do not go on from the declared offsets. The workers here commit each second."""

from __future__ import annotations

import json

import pytest

from tests.integration.support.configs import PART, at, entry, shaped, shaped_sink, sink_at
from tests.integration.support.worker import wait_until

FIVE = [f"r{number}" for number in range(5)]
WATCHED = {"check_position": "warn", "check_position_timeout": 3}
#: as a profile says it of a sink that seeks
SEEKS = [{"name": "shaped-sink", "kind": "sink", "classes": ["streamops.test.ShapedSinkConnector"],
          "stores": [{"where": "its position file", "when": {"setting": "position.file"}, "seeks": {}}]}]


@pytest.fixture
def sink(make, kafka, worker, tmp_path):
    """sink(**options) -> (name, topic, lines()) of one that has read five records, and runs."""
    def sink(**options):
        topic = f"{make(shaped())}-in"  # a name that is new
        kafka.produce(topic, FIVE)
        out = tmp_path / f"{topic}.txt"
        name = make(shaped_sink(topic, out, **options), state="RUNNING")
        wait_until(lambda: out.exists() and out.read_text().split() == FIVE, reason="all records")
        if "commit_fixed" not in options:
            wait_until(lambda: worker.offsets(name) == [sink_at(topic, 5)], reason="its commit")
        return name, topic, lambda: out.read_text().split()

    return sink


def test_a_sink_that_takes_the_declared_offset(sink, run):
    name, topic, lines = sink()
    done = run("connector_offsets", name=name, offsets=[sink_at(topic, 2)], stop=True, **WATCHED)
    assert not done["failed"] and done["position"]["verdict"] == "taken" and lines()[5:] == FIVE[2:], done
    assert done["position"]["partitions"][0]["committed"] == {"kafka_offset": 5}
    assert not any("runs, but" in text for text in done["warnings"])


def test_n28_a_sink_that_seeks_to_its_own_position(sink, run, kafka, worker, tmp_path):
    """Nothing is read again, and nothing is committed before a new record comes. Without a profile that looks as if it was stuck."""
    name, topic, lines = sink(position_file=tmp_path / "positions.properties")
    options = {"name": name, "stop": True, **WATCHED}
    done = run("connector_offsets", offsets=[sink_at(topic, 2)], profiles=SEEKS, **options)
    assert not done["failed"] and done["changed"] and done["position"]["verdict"] == "own_position", done
    said = [text for text in done["warnings"] if text.startswith(f"{name} runs, but not from the declared offsets: ")]
    assert len(said) == 1 and "It goes on from there whatever its offset is: its position file." in said[0], done["warnings"]
    assert lines() == FIVE and worker.offsets(name) == [sink_at(topic, 2)] and worker.state(name) == ("RUNNING", ["RUNNING"])
    options.update(check_position="fail", bootstrap_servers=[kafka.bootstrap_servers])
    failed = run("connector_offsets", offsets=[sink_at(topic, 1)], **options)
    assert failed["failed"] and failed["position"]["verdict"] == "stuck" and failed["changed"], failed
    assert f"{name} runs, but it has not committed anything for 1 partition in 3 s" in failed["msg"]
    assert "Nothing was rolled back." in failed["msg"]
    assert worker.offsets(name) == [sink_at(topic, 1)] and worker.state(name) == ("RUNNING", ["RUNNING"])
    kafka.produce(topic, ["new"])
    wait_until(lambda: worker.offsets(name) == [sink_at(topic, 6)], reason="its next commit")
    assert lines() == [*FIVE, "new"]


def test_n28_a_sink_whose_commits_are_not_accepted(sink, run, kafka):
    """It offers to commit beyond what it has consumed; the worker leaves that out, with a line in its log."""
    name, topic, lines = sink(commit_fixed=900)
    brokers = [kafka.bootstrap_servers]
    done = run("connector_offsets", name=name, offsets=[sink_at(topic, 0)], stop=True, bootstrap_servers=brokers, **WATCHED)
    assert done["position"]["verdict"] == "stuck" and lines() == FIVE * 2, done


def test_a_sink_that_skips_what_it_has(sink, run, tmp_path):
    """Its group goes the whole way, and nothing is delivered: only its profile tells."""
    name, topic, lines = sink(position_file=tmp_path / "positions.properties", position_use="skip")
    done = run("connector_offsets", name=name, offsets=[sink_at(topic, 2)], stop=True, profiles=SEEKS, **WATCHED)
    assert done["position"]["verdict"] == "own_position" and lines() == FIVE, done
    assert done["position"]["partitions"][0]["committed"] == {"kafka_offset": 5}


@pytest.mark.parametrize("options, first, says", [
    ({}, at(19), None),
    ({"commit_partition": json.dumps({"query": "query"})}, None,
     'commits under partitions that were not declared, first {"query": "query"}'),  # N27
    ({"offset_null": True}, None, "does not keep its position in Connect"),  # N11
], ids=["taken", "another partition", "null"])
def test_sources(make, run, worker, options, first, says):
    name = make(shaped(records_per_partition=20, interval_ms=1, **options), offsets=[at(9)])
    done = run("connector_offsets_bulk", connectors=[{"name": name, "offsets": [at(4)]}], final_state="started", **WATCHED)
    [one] = done["connectors"]
    assert not done["failed"] and one["position"]["verdict"] == ("taken" if says is None else "ignored"), done
    assert (says is None) is not any("runs, " in text and (says or "runs, but") in text for text in done["warnings"]), done["warnings"]
    committed = first and first["offset"]
    assert one["position"]["partitions"] == [{"partition": PART, "declared": {"n": 4}, "before": {"n": 9}, "committed": committed}]
    assert one["position"]["appeared"] == ([{"query": "query"}] if "commit_partition" in options else [])
    assert worker.state(name) == ("RUNNING", ["RUNNING"])


@pytest.mark.parametrize("check", ["warn", "fail"])
def test_the_role(make, main, worker, playbooks, check):
    name = make(shaped(records_per_partition=20, interval_ms=1, commit_partition=json.dumps({"query": "query"})), offsets=[at(9)])
    play = playbooks.reset({"eu": {"kafka_connect_url": main.url, "kafka_connect_check_position_timeout": 3}}, [
        {"name": name, "offsets": [at(4)]}], reset_offsets_final_state="started", reset_offsets_check_position=check)
    text = f'{name} runs, but it commits under partitions that were not declared, first {{"query": "query"}}'
    assert (play.rc == 0) is (check == "warn") and text in " ".join(play.text.replace('\\"', '"').split()), play
    assert entry(PART, {"n": 4}) in worker.offsets(name) and worker.state(name) == ("RUNNING", ["RUNNING"])
    if check == "warn":
        assert play.rows[name]["POSITION"] == "ignored" and play.rows[name]["RESULT"] == "changed"
