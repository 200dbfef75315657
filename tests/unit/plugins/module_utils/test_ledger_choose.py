# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ledger the options mean, and what connector_changes_info shows of one."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._changes_info import changes_info
from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.choose import open_ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.file import FileLedger
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change

REST, BROKERS = object(), object()


@pytest.mark.parametrize("ledger, path, client, kafka, exists, where", [
    ("auto", None, REST, BROKERS, True, "the topic connect-offset-changes"),
    ("auto", None, None, BROKERS, False, "the topic connect-offset-changes"),
    (None, "", REST, BROKERS, True, "the topic connect-offset-changes"),
    ("auto", None, REST, None, True, "the configuration of c (streamops.kafka_connect.changes)"),
    ("auto", "/x.json", REST, BROKERS, True, "the file /x.json"),
    ("auto", "/x.json", REST, None, False, "the file /x.json"),
    ("topic", "/x.json", REST, BROKERS, True, "the topic connect-offset-changes"),
    ("config", "/x.json", REST, BROKERS, True, "the configuration of c (streamops.kafka_connect.changes)"),
    ("file", "/x.json", None, None, False, "the file /x.json"),
])
def test_choice(ledger, path, client, kafka, exists, where):
    assert open_ledger({"ledger": ledger, "ledger_file": path}, client, kafka, "c", exists).where == where


def test_none_and_names():
    assert open_ledger({"ledger": "none"}, REST, BROKERS, "c") is None
    assert open_ledger({"ledger_topic": "own"}, REST, BROKERS, "c").where == "the topic own"
    assert open_ledger({"ledger": "config"}, REST, None).where == "the configuration of each connector (streamops.kafka_connect.changes)"


@pytest.mark.parametrize("ledger, path, client, kafka, exists, words", [
    ("topic", "/x.json", REST, None, True, "ledger: topic needs bootstrap_servers"),
    ("file", None, REST, BROKERS, True, "ledger: file needs ledger_file"),
    ("file", "", REST, BROKERS, True, "ledger: file needs ledger_file"),
    ("config", None, None, BROKERS, True, "ledger: config needs connect_url"),
    ("config", None, REST, BROKERS, False, "There is no connector c in whose configuration"),
    ("auto", None, REST, None, False, "There is no connector c .*bootstrap_servers.*ledger_file"),
])
def test_what_is_missing(ledger, path, client, kafka, exists, words):
    with pytest.raises(WishError, match=words):
        open_ledger({"ledger": ledger, "ledger_file": path}, client, kafka, "c", exists)


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
