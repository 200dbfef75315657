# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes that an earlier release has left in a connector's configuration: read, taken over into the ledger, and left out."""

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import connector_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.creation import declare_present
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FileLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.marker import marked_changes
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import Unreadable, encode
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import DONE, TODO, UNDONE, TrackedChange
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change

KEY = "streamops.kafka_connect.changes"
APPLIED = change(phase="applied", revision=3)


def marker(*changes):
    return f"[{','.join(encode(one) for one in changes)}]".replace("$", "\\u0024")


class Client:
    """A worker with the connector c."""

    method = "rest"

    def __init__(self, text=None):
        self.config = {"name": "c", "connector.class": "x.C", "db.password": "hunter22", **({KEY: text} if text else {})}
        self.puts = []

    def validate(self, config):
        return {}

    def info(self, name):
        if name != "c":
            raise errors.NoConnector(f"There is no such connector: {name}")
        return {"name": name, "config": dict(self.config)}

    def status(self, name):
        return {"name": name, "connector": {"state": "RUNNING", "worker_id": "w:8083"}, "tasks": [], "type": "source"}

    def require_url(self, name):
        """Any name will do."""

    def put_config(self, name, config):
        self.puts.append(config)
        self.config = dict(config)


class Operator:
    method = "strimzi"


class Away:
    method = "rest"

    def info(self, name):
        raise errors.Unreachable("nobody there")


# ---- reading

def test_read():
    both = [change("CHG-0"), APPLIED._replace(who={"user": "$ops"})]
    assert marked_changes(Client(marker(*both)), "c") == both


@pytest.mark.parametrize("client, name", [(Client(), "c"), (Client(marker(APPLIED)), "d"), (None, "c"), (Operator(), "c"), (Away(), "c")])
def test_none(client, name):
    assert marked_changes(client, name) == []


@pytest.mark.parametrize("text", ["oops", "{}", "1", '["x"]', "[{}]", '[{"format": "streamops.kafka_connect/change", "version": 2}]'])
def test_a_broken_value(text):
    with pytest.raises(Unreadable, match=KEY):
        marked_changes(Client(text), "c")


def test_copied_from_another_connector():
    assert marked_changes(Client(marker(change(connector="d"), APPLIED)), "c") == [APPLIED]


def test_records_of_earlier_releases():
    text = marker(APPLIED).replace('"method"', '"road"').replace('"state_to_restore"', '"state_due"')
    assert marked_changes(Client(text), "c") == [APPLIED]


# ---- taken over

def tracked(path, held, change_id="CHG-1", **options):
    return TrackedChange(FileLedger(str(path)), "c", change_id, run="me", marked=lambda: list(held), **options)


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_change_that_only_the_marker_knows_is_made(tmp_path, check_mode):
    path = tmp_path / "l.json"
    one = tracked(path, [APPLIED, change("CHG-0", phase="applied")])
    assert one.look("sha256:1", check_mode) == DONE and one.change == APPLIED
    warning, = one.warnings
    assert f"The configuration of c holds the marker of changes of an earlier release under {KEY}: CHG-1, CHG-0." in warning
    held = FileLedger(str(path)).changes("c")
    assert sorted(found.change_id for found in held) == ([] if check_mode else ["CHG-0", "CHG-1"])


def test_a_change_that_only_the_marker_knows_is_undone(tmp_path):
    path = tmp_path / "l.json"
    one = tracked(path, [APPLIED], undo=True)
    assert one.lookup_for_undo(False) == TODO
    one.begin("", None, method="rest", offset_topic=None, cluster={}, kind="source")
    one.writing(None, None, None)
    one.written()
    found, = FileLedger(str(path)).changes("c")
    assert (found.phase, found.before) == ("restored", APPLIED.before)
    assert tracked(path, [APPLIED], undo=True).lookup_for_undo(False) == UNDONE  # the marker is still there, and counts no more


def test_what_was_changed_since_is_in_the_way_of_an_undo(tmp_path):
    later = change("CHG-2", phase="applied", begun="2026-02-01T00:00:00.000Z")
    with pytest.raises(errors.StateError, match="c was changed by CHG-2 since CHG-1 was made"):
        tracked(tmp_path / "l.json", [APPLIED, later], undo=True).lookup_for_undo(False)


def test_a_broken_marker_ends_a_change(tmp_path):
    one = TrackedChange(FileLedger(str(tmp_path / "l.json")), "c", "CHG-1", marked=lambda: marked_changes(Client("oops"), "c"))
    with pytest.raises(Unreadable, match="is no list of changes"):
        one.look("sha256:1", False)


# ---- who declares the configuration

@pytest.mark.parametrize("declared", [{}, {KEY: "[]"}, {KEY: None}])
def test_it_is_no_difference_and_goes_with_one(declared):
    client = Client(marker(APPLIED))
    wanted = {"connector.class": "x.C", "db.password": "hunter22", **declared}
    same = declare_present(client, "c", wanted, None, 1, False)
    assert same["changed"] is False and KEY not in json.dumps(same) and client.puts == []
    for check_mode in (True, False):
        other = declare_present(client, "c", dict(wanted, topic="t"), None, 1, check_mode)
        assert other["changed"] is True and KEY not in json.dumps(other["diff"])
        assert f"under {KEY} goes from the configuration of c" in other["warnings"][0]
    assert client.puts == [{"name": "c", "connector.class": "x.C", "db.password": "hunter22", "topic": "t"}]
    assert declare_present(client, "c", dict(wanted, topic="u"), None, 1, False)["warnings"] == []


def test_it_is_shown_as_a_word():
    assert connector_config.masked(Client(marker(APPLIED)).config)[KEY] == "(changes of its offsets, by an earlier release)"
