# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger in a connector's configuration, which anybody may put at any time."""

from __future__ import annotations

import json
import re

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _config, _connectors
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import Taken, Unreadable
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.config import KEPT, MOST, ConfigLedger
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change

KEY = "streamops.kafka_connect.changes"


class FakeWorker:
    """``late``: reads that still show what was before a PUT. ``before``, ``after``: what happens around the next PUTs."""

    url = "http://w:8083"

    def __init__(self, **more):
        self.configs = {"c": {"name": "c", "connector.class": "x.C", "db.password": "hunter22", **more}}
        self.puts, self.before, self.after, self.late, self.stale, self.unfit = [], [], [], 0, None, False

    def info(self, name):
        if name not in self.configs:
            raise errors.NoConnector(f"There is no such connector: {name}")
        if self.stale is not None and self.late:
            self.late -= 1
            return {"name": name, "config": dict(self.stale)}
        return {"name": name, "config": dict(self.configs[name])}

    def connectors(self):
        return {name: {"info": {"config": config}} for name, config in self.configs.items()}

    def require_url(self, name):
        if self.unfit:
            raise errors.AmbiguousName("this worker does not take a connector name with /")

    def put_config(self, name, config):
        if self.before:
            fault = self.before.pop(0)
            if isinstance(fault, Exception):
                raise fault
            fault()
        self.stale = self.configs[name]
        self.puts.append(config)
        self.configs[name] = dict(config)
        if self.after:
            self.after.pop(0)()

    def held(self, name="c"):
        return [(one["change_id"], one["revision"], one["run"]) for one in json.loads(self.configs[name].get(KEY, "[]"))]


def ledger(worker, connector="c"):
    """Each look at the clock takes a second."""
    clock = iter(range(10000))
    return ConfigLedger(worker, connector, sleep=lambda seconds: None, clock=lambda: next(clock))


def test_put_and_put_again():
    worker = FakeWorker()
    one = ledger(worker)
    assert one.changes("c") == [] == one.changes()
    one.put(change(), None)
    one.put(change("CHG-2", begun="2026-01-01T00:00:00.000Z"), None)
    one.put(change(revision=2, phase="applied"), change())
    assert worker.held() == [("CHG-2", 1, "r1"), ("CHG-1", 2, "r1")]  # newest writing last
    assert one.changes("c") == [change("CHG-2", begun="2026-01-01T00:00:00.000Z"), change(revision=2, phase="applied")]
    assert [{name: value for name, value in config.items() if name != KEY} for config in worker.puts] == [
        {"name": "c", "connector.class": "x.C", "db.password": "hunter22"}] * 3


def test_all_connectors():
    worker = FakeWorker()
    for name in ("d", "e", "f"):
        worker.configs[name] = dict(worker.configs["c"], name=name)
        ledger(worker, name).put(change(connector=name), None)
    worker.configs["e"][KEY] = "oops"
    one = ledger(worker, None)
    assert [found.connector for found in one.changes()] == ["d", "f"]
    assert len(one.warnings) == 1 and "The configuration of e" in one.warnings[0]
    assert [found.connector for found in one.changes("f")] == ["f"]


@pytest.mark.parametrize("text", ["$", "${file:/etc/passwd:x}", "\\${a:b}", "$${env:HOME}", '"${x:y}"'])
def test_no_config_provider_is_asked(text):
    worker = FakeWorker()
    one = change(before=[{"partition": {"p": text}, "offset": {text: text}}])
    ledger(worker).put(one, None)
    assert "$" not in worker.configs["c"][KEY]
    assert ledger(worker).changes("c") == [one]


@pytest.mark.parametrize("text", ["oops", "{}", "1", '["x"]', "[{}]", '[{"format": "streamops.kafka_connect/change", "version": 2}]'])
def test_a_broken_value(text):
    worker = FakeWorker(**{KEY: text})
    for attempt in (lambda one: one.changes("c"), lambda one: one.put(change(), None)):
        with pytest.raises(Unreadable, match=f"configuration of c \\({re.escape(KEY)}\\)"):
            attempt(ledger(worker))
    assert worker.puts == []


def test_copied_from_another_connector():
    worker = FakeWorker()
    ledger(worker).put(change(), None)
    worker.configs["d"] = dict(worker.configs["c"], name="d")
    with pytest.raises(Unreadable, match="copied"):
        ledger(worker, "d").changes("d")


def test_no_connector():
    worker = FakeWorker()
    worker.configs = {}
    for attempt in (lambda one: one.changes("c"), lambda one: one.put(change(), None)):
        with pytest.raises(errors.NoConnector, match="nothing is known of its changes"):
            attempt(ledger(worker))


# ---- what fits


def test_only_so_many_are_kept():
    worker = FakeWorker()
    one = ledger(worker)
    one.put(change("begun"), None)
    for number in range(KEPT + 4):
        one.put(change(f"CHG-{number}", phase="applied"), None)
    assert [held[0] for held in worker.held()] == ["begun"] + [f"CHG-{number}" for number in range(5, KEPT + 4)]


def test_large_ones_push_out_old_ones():
    worker = FakeWorker()
    one = ledger(worker)
    rows = [{"partition": {"p": "x" * 1000}, "offset": None}] * (MOST // 1000 // 3)
    for number in range(4):
        one.put(change(f"CHG-{number}", phase="applied", before=rows), None)
        assert len(worker.configs["c"][KEY]) <= MOST
    assert [held[0] for held in worker.held()] == ["CHG-2", "CHG-3"]


@pytest.mark.parametrize("others", [[], ["started"]])
def test_too_large(others):
    worker = FakeWorker()
    one = ledger(worker)
    size = MOST // 2 + 5000 if others else MOST + 5000
    rows = [{"partition": {"p": "é" * (size // 2)}, "offset": None}]
    if others:
        one.put(change("CHG-0", before=rows), None)
    puts = len(worker.puts)
    with pytest.raises(errors.ConnectError, match="CHG-1 of c \\(1 partitions\\) is too large.*ledger: topic"):
        one.put(change(before=rows), None)
    assert len(worker.puts) == puts


def test_what_counts_is_the_size_in_the_record_of_the_workers():
    """There every quote of the text has a backslash."""
    rows = [{"partition": {"p": '"' * (MOST // 3)}, "offset": None}]
    with pytest.raises(errors.ConnectError, match="too large"):
        ledger(FakeWorker()).put(change(before=rows), None)


@pytest.mark.parametrize("value", ["****", "********", "[hidden]"])
def test_values_that_are_hidden_are_not_put_back(value):
    worker = FakeWorker(**{"db.password": value})
    with pytest.raises(errors.ConnectError, match="hides values of the configuration of c \\(db.password\\).*ledger: topic"):
        ledger(worker).put(change(), None)
    assert worker.puts == [] and ledger(worker).changes("c") == []


# ---- who else puts


@pytest.mark.parametrize("known, there", [
    (None, change()), (change(), change(revision=2, run="r2")), (change(), change(run="other")), (change(revision=2), change(revision=3))])
def test_taken(known, there):
    worker = FakeWorker()
    ledger(worker).put(there, None)
    with pytest.raises(Taken) as caught:
        ledger(worker).put(change(revision=7, run="mine"), known)
    assert caught.value.change == there and len(worker.puts) == 1


def test_a_change_that_is_gone():
    with pytest.raises(errors.StateError, match="CHG-1 of c is not in its configuration"):
        ledger(FakeWorker()).put(change(revision=2), change())


def test_workers_that_show_it_late():
    worker = FakeWorker()
    worker.late = 6
    ledger(worker).put(change(), None)
    assert worker.held() == [("CHG-1", 1, "r1")] and len(worker.puts) == 1


def test_another_run_claims_it_right_after():
    worker = FakeWorker()

    def other():
        worker.configs["c"].pop(KEY)
        ledger(worker).put(change(run="other"), None)

    worker.after = [other]
    with pytest.raises(Taken) as caught:
        ledger(worker).put(change(run="mine"), None)
    assert caught.value.change.run == "other"


def test_another_run_claims_it_between_two_looks():
    """Its PUT had been under way."""
    worker = FakeWorker()
    one = ConfigLedger(worker, "c", clock=lambda: 0, sleep=lambda seconds: worker.configs.update(theirs))
    foreign = FakeWorker()
    ledger(foreign).put(change(run="other"), None)
    theirs = foreign.configs
    with pytest.raises(Taken) as caught:
        one.put(change(run="mine"), None)
    assert caught.value.change.run == "other"


def test_a_put_over_it_is_put_right():
    worker = FakeWorker()
    worker.after = [lambda: worker.configs["c"].pop(KEY)]
    ledger(worker).put(change(), None)
    assert worker.held() == [("CHG-1", 1, "r1")] and len(worker.puts) == 2
    worker.after = [lambda: worker.configs["c"].pop(KEY)] * 9
    with pytest.raises(errors.WaitError, match="3 times"):
        ledger(worker).put(change("CHG-2"), None)


# ---- what workers say


def test_refused_without_secrets():
    worker = FakeWorker()
    worker.before = [errors.Refused("failed with 400", http_status=400, url="u", method="PUT", server_message=(
        f'Connector configuration is invalid: unknown key "{KEY}"; password is hunter22'))]
    with pytest.raises(errors.Refused, match="does not take the ledger.*ledger: topic, or ledger: file") as caught:
        ledger(worker).put(change(), None)
    assert KEY in caught.value.message and "unknown key" in caught.value.message
    assert "hunter22" not in caught.value.message + json.dumps(caught.value.facts) and caught.value.facts["http_status"] == 400


def test_the_name_is_not_taken_in_a_url():
    worker = FakeWorker()
    worker.unfit = True
    with pytest.raises(errors.AmbiguousName, match="ledger cannot be in its configuration.*ledger: topic"):
        ledger(worker).put(change(), None)
    assert worker.puts == []


def test_deleted_at_that_moment():
    worker = FakeWorker()
    worker.before = [errors.NoConnector("There is no such connector")]
    with pytest.raises(errors.NoConnector, match="deleted meanwhile; nothing was changed"):
        ledger(worker).put(change(), None)


@pytest.mark.parametrize("kind", [errors.Lost, errors.Unsure])
def test_lost(kind):
    worker = FakeWorker()

    def carried_out():
        worker.configs["c"][KEY] = text
        raise kind("no answer")

    foreign = FakeWorker()
    ledger(foreign).put(change(), None)
    text = foreign.configs["c"][KEY]
    worker.before = [carried_out]
    ledger(worker).put(change(), None)
    assert worker.held() == [("CHG-1", 1, "r1")]
    worker.before = [kind("no answer")]
    with pytest.raises(kind, match="no answer. It is not in the configuration of c now"):
        ledger(worker).put(change("CHG-2"), None)


# ---- who declares the configuration


class Client(FakeWorker):
    def status(self, name):
        return {"name": name, "connector": {"state": "RUNNING", "worker_id": "w:8083"}, "tasks": [], "type": "source"}


@pytest.mark.parametrize("declared", [{}, {KEY: "[]"}, {KEY: None}])
def test_the_module_connector_leaves_it_alone(declared):
    client = Client()
    ledger(client).put(change(), None)
    wanted = {"connector.class": "x.C", "db.password": "hunter22", **declared}
    puts = len(client.puts)
    same = _connectors.declare_present(client, "c", wanted, None, 1, False)
    assert same["changed"] is False and KEY not in json.dumps(same) and len(client.puts) == puts
    other = _connectors.declare_present(client, "c", dict(wanted, topic="t"), None, 1, False)
    assert other["changed"] is True and KEY not in json.dumps(other["diff"])
    assert client.held() == [("CHG-1", 1, "r1")] and client.configs["c"]["topic"] == "t"


def test_it_is_shown_as_a_word():
    worker = FakeWorker()
    ledger(worker).put(change(), None)
    assert _config.masked(worker.configs["c"])[KEY] == "(changes of its offsets, see connector_changes_info)"
