# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook mirror_report by its FQCN: the table that it prints and the files that it writes, of a real mirror."""

from __future__ import annotations

import json
import re

import pytest
from confluent_kafka import TopicPartition

from tests.integration.mirror import test_mirror_info
from tests.integration.mirror.test_mirror_info import stop
from tests.integration.support.mirror import fill
from tests.integration.support.playbook import Play
from tests.integration.support.worker import wait_until
from tests.integration.test_report import DEAD

#: fixtures of another file
look, look_at = test_mirror_info.look, test_mirror_info.look_at

REPORT = "streamops.kafka_connect.mirror_report"


@pytest.fixture
def host(mirror_worker, west) -> dict:
    return {"kafka_connect_url": mirror_worker.url, "kafka_bootstrap_servers": [west.bootstrap_servers]}


@pytest.fixture
def stopped(mirror, topic, east, look_at):
    """(mirror, topics): it is behind, has lost records, is beyond the end of a topic, and has an orphan; by one topic each."""
    names = [topic(partitions=2) for _number in range(4)]
    for name in names:
        fill(east, name, 0, 1, 2)
    flow = mirror(names)

    def copied() -> bool:
        found = look_at(flow, topics=names)["partitions"]
        return len(found) == 8 and {row["status"] for row in found} == {"ok"}
    wait_until(copied, 60, "all to be copied")
    stop(flow)
    behind, lost, beyond, gone = names
    fill(east, behind, 3)
    fill(east, lost, 3, 4, 5)
    for future in east.admin.delete_records([TopicPartition(lost, 1, 5)]).values():
        future.result(20)
    east.drop([beyond, gone])
    east.kafka.create(beyond, 2, "delete")
    east.kafka.raw(beyond, [(0, b"k", b"v")])
    return flow, names


def reported(playbooks, hosts: dict, *options: str, **variables) -> Play:
    play = playbooks.run(REPORT, hosts, *options, **variables)
    assert "Traceback" not in play.text, play
    return play


def test_what_is_wrong_is_seen(stopped, host, playbooks, tmp_path):
    """Beside a host that is down: named, and no end to the others. Check mode shows the same, and writes nothing."""
    flow, (behind, lost, beyond, gone) = stopped
    hosts = {"west": host, "us": {**host, "kafka_connect_url": DEAD}}
    folder = tmp_path / "reports"
    options = {"mirror_report_dir": str(folder)}
    dry = reported(playbooks, hosts, "--check", "--diff", **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["extra.json", "inventory.json"]
    play = reported(playbooks, hosts, "--diff", **options)
    for one in (dry, play):
        assert one.rc == 2 and one.recap["west"]["failed"] == 0 and one.recap["us"]["failed"] == 1, one.text
        assert one.recap["west"]["changed"] == one.recap["us"]["changed"] == 0
        assert "No report of us: " in one.failure("us") and one.report("us")[0] == "us: NO REPORT"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["extra.json", "inventory.json", "reports"]
    assert sorted(path.name for path in folder.iterdir()) == ["us.json", "west.json"]

    lines = play.report("west")
    text = "\n".join(lines)
    assert lines[0] == "west: 1 mirror"
    told = " ".join(line.strip() for line in text.split("\n\n")[1].splitlines())
    age, seconds = r"(\d+ h|\d+ min|\d+ s)( \d+ (min|s))?", r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"
    assert re.fullmatch(
        rf"east -> west: {re.escape(flow.source)} STOPPED, default names, heartbeat ({age} ago|none); \d+ records at most to copy, "
        rf"the oldest for {age}, 2 records LOST; positions as of {seconds}", told), told
    rows = {line.split()[0]: " ".join(line.split()) for line in text.split("\n\n")[2].splitlines()}
    assert rows["TOPIC"] == "TOPIC COPY PARTITIONS LAG OLDEST WAITS LOST STATUS"
    assert re.fullmatch(rf"{behind} east.{behind} 2 2 {age} 0 2 behind", rows[behind]), rows
    assert re.fullmatch(rf"{lost} east.{lost} 2 4 {age} 2 1 lost, 1 behind", rows[lost]), rows
    assert rows[beyond] == f"{beyond} east.{beyond} 2 - - 0 2 beyond"
    assert gone not in rows
    assert f"\n  {lost}-1: 2 records at most, was to go on at 3, begins at 5" in text
    assert f"\n  {beyond}-0: would go on at 3, ends at 1\n  {beyond}-1: would go on at 3, ends at 0" in text
    assert f"\n  east {gone}-0 at 2: there is no such topic on east" in text
    assert "BROKEN" not in text

    report = json.loads((folder / "west.json").read_text())
    assert report["host"] == "west" and report["error"] is None and report["flows"][0]["lost"] == 2
    assert json.loads((folder / "us.json").read_text())["flows"] == []


def test_lists_are_cut_and_a_text_will_do(stopped, host, playbooks, tmp_path):
    """Texts as a survey sends them; a dead source is told for the one flow that there is."""
    _flow, names = stopped
    play = reported(playbooks, {"west": host}, mirror_report_lines="1", mirror_report_topics=",".join(names), mirror_report_max_entries="",
                    mirror_report_dir="a/b", kafka_connect_source_clusters="", env={"PWD": str(tmp_path)})
    assert play.rc == 0, play
    lines = play.report("west")
    assert "  ... and 2 more" in lines and sum(line.startswith("orders-") for line in lines) == 1
    assert len(json.loads((tmp_path / "a" / "b" / "west.json").read_text())["flows"][0]["topics"]) == 3
    dead = [{"alias": "east", "bootstrap_servers": ["127.0.0.1:9"]}]
    play = reported(playbooks, {"west": {**host, "kafka_connect_source_clusters": dead, "kafka_timeout": 2}})
    assert play.rc == 2 and "127.0.0.1:9" in play.failure("west")


def test_no_mirror(host, playbooks):
    play = reported(playbooks, {"a": host})
    assert play.rc == 0 and play.report("a")[0] == "a: 0 mirrors"
