# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run with one connector prints, with the default callback and nothing special set: it fits a screen."""

from __future__ import annotations

import re

import pytest

from tests.integration.support.configs import at, entry, file_source, shaped
from tests.integration.support.worker import wait_until

#: lines of a whole run: --check --diff, a real one, one that is refused
CHECK, REAL, REFUSED, REPORT, IMPORT = 40, 45, 25, 22, 33
#: the look at the connectors, where the settings are refused
SKIPPED = 1

IMPORTS = "streamops.kafka_connect.import_offsets"


@pytest.fixture
def orders(make, worker, tmp_path) -> tuple[str, dict]:
    """A connector that has read a file of 14 bytes, and its partition."""
    file = tmp_path / "orders.txt"
    file.write_text("one\ntwo\nthree\n")
    name, partition = make(file_source(file), state="RUNNING"), {"filename": str(file)}
    wait_until(lambda: worker.offsets(name) == [entry(partition, {"position": 14})])
    return name, partition


def lines(play, most: int) -> list[str]:
    printed = play.stdout.strip("\n").splitlines()
    assert len(printed) <= most, f"{len(printed)} lines:\n{play}"
    assert not any(line.startswith("included:") for line in printed), play
    assert sum(line.startswith("skipping:") for line in printed) <= SKIPPED, play
    assert not any(line.rstrip("* ").endswith("?]") for line in printed if line.startswith("TASK ")), play
    return printed


def test_a_change(orders, playbooks, main):
    name, partition = orders
    hosts, desired = {"eu": {"kafka_connect_url": main.url}}, [{"name": name, "offsets": [entry(partition, {"position": 4})]}]
    dry = playbooks.reset(hosts, desired, "--check", "--diff", reset_offsets_change_id="CHG-1")
    printed = lines(dry, CHECK)
    assert dry.rc == 0 and "reset_offsets: " not in dry.stdout
    summary = printed.index("CHG-1: 1 would change; 1 of 1 connector would change")
    assert printed[summary + 1].split() == ["CLUSTER", "CONNECTOR", "RESULT", "STATE", "SET", "REMOVED", "MOVES", "CHANGE"]
    assert re.fullmatch(rf"eu +{name} +would change +started +1 +0 +back 10 bytes +CHG-1", printed[summary + 2])
    real = playbooks.reset(hosts, desired, reset_offsets_change_id="CHG-1")
    assert real.rc == 0 and lines(real, REAL)
    assert real.rows[name] == {"CLUSTER": "eu", "CONNECTOR": name, "RESULT": "changed", "STATE": "started", "SET": "1", "REMOVED": "0",
                               "MOVES": "back 10 bytes", "VERDICT": "pass", "CHANGE": "CHG-1"}


def test_what_is_refused(make, playbooks, main):
    """By the worker, by the settings, by a list that cannot be read; each says it where it fails, and nowhere else."""
    hosts = {"eu": {"kafka_connect_url": main.url}}
    typo = [{"name": "nobody", "offsets": [at(1)]}]
    for variables, words, most in (
        ({"reset_offsets_connectors": typo}, "There is no such connector", REFUSED),
        ({"reset_offsets_connectors": typo, "reset_offsets_serial": "many"}, "reset_offsets_serial is a number", REFUSED),
        ({"reset_offsets_change": "CHG-9"}, "There is no change CHG-9", REFUSED),
    ):
        play = playbooks.reset(hosts, **variables)
        assert play.rc == 2 and words in play.failure("eu"), play
        assert lines(play, most) and play.recap["eu"]["failed"] == 1 and "Sum up" not in play.stdout


def test_a_change_that_fails(make, playbooks, main):
    name = make(shaped(alter_offsets="reject", alter_message="no"), offsets=None)
    play = playbooks.reset({"eu": {"kafka_connect_url": main.url}}, [{"name": name, "offsets": [at(9)]}])
    assert play.rc == 2 and "reset_offsets: 1 failed; 0 of 1 connector changed" in play.shown("Sum up"), play
    assert play.rows[name]["RESULT"] == "failed" and play.rows[name]["SET"] == "0"


def test_an_import_says_the_variable_of_the_playbook(playbooks, main, tmp_path):
    (tmp_path / "in.json").write_text('{"nobody": [{"partition": {"p": 0}, "offset": {"n": 1}}]}')
    hosts = {"eu": {"kafka_connect_url": main.url}}
    play = playbooks.run(IMPORTS, hosts, import_offsets_src=str(tmp_path / "in.json"))
    assert play.rc == 2 and lines(play, IMPORT), play
    assert not re.search(r"(?<!import_offsets_)\bseed: ", play.failure("eu")), play


def test_reports_are_text(make, playbooks, main):
    name = make(shaped(), offsets=[at(4)])
    hosts = {"eu": {"kafka_connect_url": main.url}}
    play = playbooks.run("streamops.kafka_connect.connectors_report", hosts, connectors_report_connectors=name)
    assert play.rc == 0 and lines(play, REPORT)
    assert play.shown("Show the report")[:3] == [f"1 connector matching {name} on 1 cluster", "", "CONNECTOR     TYPE    CLUSTERS  WHERE"]
