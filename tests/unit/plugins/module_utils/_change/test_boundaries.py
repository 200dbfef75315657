# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ends of topics around a change, by themselves and within the changes of a list."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import offsets_info
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.boundaries import Boundaries
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.session import Session
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_bulk import declare, failure, positions, running, to


class Brokers:
    """Topics of one partition, whose ends a test moves."""

    cluster_id = "cluster-1"

    def __init__(self, **ends) -> None:
        self.now = ends
        self.admin = SimpleNamespace(topic=self._topic, topics=lambda: [self._topic(name) for name in self.now])
        self.offsets = SimpleNamespace(ends=lambda topic: ({0: self.now[topic.name]},) * 2, starts=lambda topic: {0: 1},
                                       of=lambda places, *_of: dict.fromkeys(places, (3, None)))

    def _topic(self, name):
        if name not in self.now:
            raise errors.NoTopic(f"There is no topic {name}.")
        return SimpleNamespace(name=name)


def asked(*topics, **more) -> dict:
    return {"topics": list(topics), "since": None, "quiet": 1, "wait": 60, "consumer_group": None, **more}


def made(brokers, sleep=lambda seconds: None, **of) -> Boundaries:
    times = iter(range(1000))
    return Boundaries(None, brokers, of, sleep=sleep, clock=lambda: next(times))


def ends(one) -> dict:
    return {topic["name"]: [(part["begin"], part["by_time"], part["end"]) for part in topic["partitions"]] for topic in one["topics"]}


def test_the_ends_at_the_stop_and_after():
    brokers = Brokers(t=10, u=20)
    of = made(brokers, a=asked("t", since="2026-01-31T12:00:00Z"), b=asked("*"), c=asked("t"))
    of.note(["a", "b", "unlisted"])
    brokers.now.update(t=15, u=20)
    of.note(["a"])  # a second write of the same change
    of.finish({"a": "source", "b": "source", "c": "source", "unlisted": "source"})
    assert set(of.found) == {"a", "b"} and of.warnings == []
    assert ends(of.found["a"]["stopped"]) == {"t": [(1, 3, 10)]} and ends(of.found["a"]["after"]) == {"t": [(1, None, 15)]}
    assert ends(of.found["b"]["stopped"]) == {"t": [(1, None, 10)], "u": [(1, None, 20)]}
    assert ends(of.found["b"]["after"]) == {"t": [(1, None, 15)], "u": [(1, None, 20)]}
    assert of.found["a"]["stopped"]["cluster_id"] == of.found["a"]["after"]["cluster_id"] == "cluster-1"


def test_what_is_said_of_the_topics_is_said_once():
    of = made(Brokers(t=10), a=asked("t", "x*"), b=asked("t", "x*"))
    of.note(["a", "b"])
    assert of.warnings == ["No topic fits x* (or the user may not see it)."]


@pytest.mark.parametrize(("topics", "message"), [
    (["x"], "There is no topic x."), (["x*"], "boundaries of a: No topic fits x*."),
    ([" "], "boundaries of a: topics is empty: give names of topics, or globs."),
])
def test_topics_that_are_not_there(topics, message):
    with pytest.raises(errors.ConnectError) as caught:
        made(Brokers(t=1), a=asked(*topics)).note(["a"])
    assert caught.value.message == message


def test_it_needs_brokers():
    with pytest.raises(errors.DeclarationError, match="boundaries of a, b: the ends of topics need kafka_bootstrap_servers"):
        made(None, b=asked("t"), a=asked("t"))
    assert made(None).found == {}


def test_records_that_do_not_end():
    brokers = Brokers(t=10)
    of = made(brokers, sleep=lambda seconds: brokers.now.update(t=brokers.now["t"] + 1), a=asked("t", wait=0))
    of.note(["a"])
    of.finish({"a": "source"})
    assert of.warnings == ["Records of a were still coming after 0 s; what came until then counts."] and ends(of.found["a"]["after"]) == {"t": [(1, None, 10)]}


def test_brokers_that_do_not_answer_any_more_are_a_warning():
    brokers = Brokers(t=10)
    of = made(brokers, a=asked("t"))
    of.note(["a"])
    brokers.now.clear()
    of.finish({"a": "source"})
    assert of.found["a"]["after"] is None
    assert of.warnings == ["Where the topics of a end after the change could not be read. There is no topic t."]


def test_a_signal_ends_the_wait(monkeypatch):
    brokers = Brokers(t=10)
    of = made(brokers, a=asked("t"))
    of.note(["a"])
    monkeypatch.setattr(INTERRUPTS, "came", "SIGTERM")
    of.finish({"a": "source"})
    assert of.found["a"]["after"] is None and of.warnings == []


@pytest.mark.parametrize(("reads", "warnings", "left"), [
    ([[0, 2], [0, 0]], [], 0),
    ([[1], "FAILED", [0]], ["a has failed: 1 partition had not been read to the end; what came until then counts."], 1),
    ([[2, 3]] * 1000, ["a has not read everything within 60 s: 2 partitions had not been read to the end; what came until then counts."], None),
])
def test_a_sink_reads_everything_first(reads, warnings, left, monkeypatch):
    """reads: the lags at each look; None is no lag that is known."""
    looks = list(reads)

    class Info:
        def __init__(self, _client, _kafka, max_entries, consumer_group) -> None:
            assert (max_entries, consumer_group) == (0, "readers")

        def one(self, name):
            lags = looks.pop(0)
            state = "RUNNING" if isinstance(lags, list) else "FAILED"
            lags = lags if isinstance(lags, list) else [1]
            return {"positions": [{"lag": lag, "end": 9} for lag in lags] + [{"lag": None, "end": None}], "connector": {"tasks": [{"state": state}]}}

    monkeypatch.setattr(offsets_info, "OffsetsInfo", Info)
    of = made(Brokers(t=10), a=asked("t", consumer_group="readers"))
    of.note(["a"])
    of.finish({"a": "sink"})
    assert of.warnings == warnings and ends(of.found["a"]["after"]) == {"t": [(1, None, 10)]}
    assert left is None or len(looks) == left


# ---- within the changes of a list --------------------------------------------------------------------------------------------


@pytest.fixture
def brokers(monkeypatch):
    """Of the worker's cluster, asked for the ends alone."""
    found = Brokers(t=10)

    def of(_session, declarations):
        return made(found, **{one.name: one.boundaries for one in declarations if one.boundaries})

    monkeypatch.setattr(Session, "boundaries", of)
    return found


def bounded(*topics, **more) -> dict:
    return {"topics": list(topics), "since": None, "quiet": 1, "wait": 60, **more}


def test_of_those_whose_offsets_change(brokers):
    worker = running(a=1, b=5, c=1)
    entries = [to("a", 5, boundaries=bounded("t")), to("b", 5, boundaries=bounded("t")), to("c", 5)]
    predicted = declare(worker, *entries, check=True)
    found = [one["boundaries"] for one in predicted["connectors"]]
    assert found[1:] == [None, None] and ends(found[0]["stopped"]) == {"t": [(1, None, 10)]} and found[0]["after"] is None
    brokers.now["t"] = 12
    done = [one["boundaries"] for one in declare(worker, *entries)["connectors"]]
    assert done[1:] == [None, None] and ends(done[0]["stopped"]) == ends(done[0]["after"]) == {"t": [(1, None, 12)]}
    assert positions(worker) == {"a": 5, "b": 5, "c": 5}


def test_they_are_read_while_the_connectors_are_stopped(brokers):
    worker = running(a=1)
    seen = []
    brokers.offsets.starts = lambda topic: seen.append((worker.by_name["a"].state, positions(worker))) or {0: 1}
    declare(worker, to("a", 5, boundaries=bounded("t")))
    assert seen == [("STOPPED", {"a": 1}), ("RUNNING", {"a": 5})]


def test_topics_that_cannot_be_read_leave_everything_as_it_was(brokers):
    worker = running(a=1, b=1)
    error = failure(worker, to("a", 5, boundaries=bounded("x")), to("b", 5))
    assert "There is no topic x." in error.message and positions(worker) == {"a": 1, "b": 1}
    assert {one.state for one in worker.by_name.values()} == {"RUNNING"}
    assert failure(worker, to("a", 5, boundaries=bounded("x")), check=True).message == "There is no topic x."


def test_of_those_that_are_made_though_another_fails(brokers):
    worker = running(a=1, b=1)
    worker.by_name["b"].faults["alter"] = [errors.Refused("no such day")]
    error = failure(worker, to("a", 5, boundaries=bounded("t")), to("b", 5, boundaries=bounded("t")))
    assert ends(error.facts["connectors"][0]["boundaries"]["after"]) == {"t": [(1, None, 10)]} and error.facts["connectors"][1] is None


# ---- one by one --------------------------------------------------------------------------------------------------------------


def test_one_by_one_in_the_order_of_the_list(tmp_path):
    worker = running(a=1, b=1, c=1)
    path = tmp_path / "backup.json"
    worker.by_name["b"].faults["alter"] = [errors.Refused("no such day")]
    error = failure(worker, to("c", 5), to("b", 5), to("a", 5), one_by_one=True, backup=True, backup_file=str(path))
    assert positions(worker) == {"a": 1, "b": 1, "c": 5} and error.message.endswith("Of the other connectors 1 is as declared, and 1 were not attempted.")
    assert [one and one["name"] for one in error.facts["connectors"]] == ["c", None, None] and path.exists()


def test_one_by_one_looks_at_all_before_the_first_change():
    worker = running(a=1, b=9)
    error = failure(worker, to("a", 5), to("b", 5, max_rewind=3), one_by_one=True)
    assert list(error.facts["failed_connectors"]) == ["b"] and positions(worker) == {"a": 1, "b": 9}
