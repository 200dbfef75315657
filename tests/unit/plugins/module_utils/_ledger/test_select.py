# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ledger the options mean, and what connector_changes_info shows of one."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FileLedger, default_path
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.report import changes_info
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.select import open_ledger
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change


class Rest:
    def root(self):
        return {"kafka_cluster_id": "K-1"}


class Brokers:
    cluster_id = "K-2"


REST, BROKERS = Rest(), Brokers()
OPS = "/home/ops/.local/state"
OF_THE_USER = "the file /state/streamops.kafka_connect/%s/changes.jsonl"


@pytest.fixture(autouse=True)
def state(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    monkeypatch.delenv("AWX_HOST", raising=False)


@pytest.mark.parametrize("ledger, path, client, kafka, where", [
    ("auto", None, REST, BROKERS, "the topic connect-offset-changes"),
    ("auto", None, None, BROKERS, "the topic connect-offset-changes"),
    (None, "", REST, BROKERS, "the topic connect-offset-changes"),
    ("auto", None, REST, None, OF_THE_USER % "K-1"),
    ("auto", "/x.json", REST, BROKERS, "the file /x.json"),
    ("auto", "/x.json", REST, None, "the file /x.json"),
    ("topic", "/x.json", REST, BROKERS, "the topic connect-offset-changes"),
    ("file", "/x.json", None, None, "the file /x.json"),
    ("file", "", REST, BROKERS, OF_THE_USER % "K-1"),
    ("file", None, None, BROKERS, OF_THE_USER % "K-2"),
])
def test_choice(ledger, path, client, kafka, where):
    assert open_ledger({"ledger": ledger, "ledger_file": path}, client, kafka, creates=True).where == where


def test_none_and_names():
    assert open_ledger({"ledger": "none"}, REST, BROKERS) is None
    assert open_ledger({"ledger_topic": "own"}, REST, BROKERS, creates=True).where == "the topic own"
    # Two Connect clusters can have one Kafka cluster, and connectors of the same name.
    assert open_ledger({"kafka_connect_group": "eu/1"}, REST, None).where == OF_THE_USER % "K-1/eu%2F1"


@pytest.mark.parametrize("ledger, client, kafka, words", [
    ("topic", REST, None, "ledger: topic needs kafka_bootstrap_servers"),
    ("configmap", REST, BROKERS, "ledger: configmap needs method: strimzi"),
    ("file", None, None, "ledger: file needs ledger_file here"),
    ("auto", None, None, "ledger: file needs ledger_file here"),
])
def test_what_is_missing(ledger, client, kafka, words):
    with pytest.raises(DeclarationError, match=words):
        open_ledger({"ledger": ledger}, client, kafka)


@pytest.mark.parametrize("path, host, warned", [
    (None, "https://awx.example.com", True), ("x.json", "https://awx.example.com", False), (None, None, False), (None, "", False)])
def test_the_disk_of_a_job_is_gone_with_it(monkeypatch, tmp_path, path, host, warned):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    if host is not None:
        monkeypatch.setenv("AWX_HOST", host)
    ledger = open_ledger({"ledger_file": path and str(tmp_path / path)}, REST, None)
    assert ledger.changes("c") == [] and ledger.warnings == []
    for name in "ab":
        ledger.put(change(name), None)
    assert [text for text in ledger.warnings if "a job of AWX, whose disk is gone when it ends" in text] == ledger.warnings
    assert len(ledger.warnings) == warned


@pytest.mark.parametrize("home, folder", [("/s", "/s"), ("", OPS), ("relative", OPS), (None, OPS)])
def test_the_state_directory_of_the_user(monkeypatch, home, folder):
    monkeypatch.setenv("HOME", "/home/ops")
    if home is None:
        monkeypatch.delenv("XDG_STATE_HOME")
    else:
        monkeypatch.setenv("XDG_STATE_HOME", home)
    assert default_path("K") == folder + "/streamops.kafka_connect/K/changes.jsonl"


def test_what_is_shown(tmp_path):
    ledger = FileLedger(str(tmp_path / "l.json"))
    rows = [{"partition": {"p": number}, "offset": None} for number in range(5)]
    for one in (change("A", phase="applied", before=rows, after=rows), change("B", begun="2027-01-01T00:00:00.000Z"),
                change("A", connector="d", phase="restored", begun="2025-01-01T00:00:00.000Z")):
        ledger.put(one, None)
    found = changes_info(ledger, max_entries=2)
    assert [(one["connector"], one["change_id"]) for one in found["changes"]] == [("d", "A"), ("c", "A"), ("c", "B")]
    assert found["counts"] == {"started": 1, "applied": 1, "restored": 1, "total": 3}
    assert (found["ledger"], found["where"], found["changed"]) == ("file", ledger.where, False)
    assert (len(found["changes"][1]["before"]), len(found["changes"][1]["after"]), found["changes"][1]["partitions"]) == (2, 2, 5)
    assert not {"records", "run", "revision"} & set(found["changes"][0])
    one, = changes_info(ledger, "c", "A")["changes"]
    assert one["before"] == rows
    assert changes_info(ledger, "c", "Z")["counts"]["total"] == changes_info(ledger, "x")["counts"]["total"] == 0
