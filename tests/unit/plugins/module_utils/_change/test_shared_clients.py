# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How many requests many changes share. A listing of a thousand connectors takes a worker 0.2 s."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.shared_clients import SharedWorker
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

NAMES = [f"c{number}" for number in range(1000)]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Worker:
    """``asked``: the requests. ``kinds``: connector -> its type, or the configuration of a source."""

    def __init__(self, **kinds):
        self.asked, self.state, self.url, self.failure, self.kinds = [], "RUNNING", "http://w1", None, kinds

    def _note(self, *request):
        self.asked.append(request)
        if self.failure is not None:
            raise self.failure

    def _status(self, name):
        return {"name": name, "connector": {"state": self.state}}

    def connectors(self):
        self._note("connectors")
        return {name: {"status": self._status(name), "info": {"type": "sink" if kind == "sink" else "source", "config": kind if kind != "sink" else {}}}
                for name, kind in (self.kinds or dict.fromkeys(NAMES, {})).items()}

    def statuses(self):
        self._note("statuses")
        return {name: {"status": self._status(name)} for name in self.kinds or NAMES}

    def status(self, name):
        self._note("status", name)
        return self._status(name)

    def require(self, feature):
        pass

    def stop(self, name):
        self._note("stop", name)

    def restart_task(self, name, task):
        self._note("restart_task", name)

    def alter_offsets(self, name, pairs):
        self._note("alter", name)

    def offsets(self, name):
        self._note("offsets", name)
        return self.offsets_once(name)

    def offsets_once(self, name):
        self._note("offsets", name)
        return [] if name == "empty" else [{"partition": {"p": 0}, "offset": {"n": 1}}]


@pytest.fixture
def worker():
    return Worker()


def shared(worker):
    clock = Clock()
    return SharedWorker(worker, clock), clock


def test_a_phase_takes_one_listing_however_long_it_is(worker):
    one, clock = shared(worker)
    for name in NAMES:
        one.status(name)
        one.info(name)
        clock.now += 0.1
        assert one.status(name)["connector"]["state"] == "RUNNING"
    assert worker.asked[0] == ("connectors",) and set(worker.asked[1:]) == {("statuses",)} and len(worker.asked) <= 1 + 100 / 5
    one.renew()
    worker.state, worker.asked = "STOPPED", []
    assert one.status("c7")["connector"]["state"] == "STOPPED" and worker.asked == [("connectors",)]


def test_who_asks_for_the_first_time_gets_no_old_state(worker):
    """Of many that are restored one after the other, one may have failed since the first one was waited for."""
    one, clock = shared(worker)
    one.status("c0")
    clock.now, worker.state = 4.0, "FAILED"
    assert one.status("c1")["connector"]["state"] == "RUNNING"
    clock.now = 6.0
    assert one.status("c2")["connector"]["state"] == "FAILED" and worker.asked == [("connectors",), ("statuses",)]


def test_one_that_is_gone_is_not_shown_as_before():
    worker = Worker(a={}, b={})
    one, clock = shared(worker)
    one.status("a")
    one.status("b")
    worker.kinds, clock.now = {"b": {}}, 1.0
    worker.status = lambda name: worker.asked.append(("status", name)) or {}
    assert one.status("b")["name"] == "b" and one.status("a") == {}
    assert worker.asked == [("connectors",), ("statuses",), ("status", "a")]


def test_who_waits_gets_statuses_alone_and_all_who_wait_get_the_same_ones(worker):
    one, clock = shared(worker)
    for _number in range(50):  # 10 s
        for name in NAMES[:20]:
            one.status(name)
        clock.now += 0.2
    assert worker.asked[0] == ("connectors",) and worker.asked[1:] == [("statuses",)] * len(worker.asked[1:])
    assert 15 <= len(worker.asked) <= 21
    worker.state = "STOPPED"
    clock.now += 0.6
    assert one.status("c0")["connector"]["state"] == "STOPPED"
    assert one.status("c999")["connector"]["state"] == "STOPPED"  # who asks for the first time gets the newest that is there


def test_after_a_request_that_changes_something_nothing_is_kept(worker):
    one, _clock = shared(worker)
    one.status("c0")
    one.restart_task("c0", 0)
    worker.state = "PAUSED"
    assert one.status("c0")["connector"]["state"] == "PAUSED"
    one.stop("c0")
    worker.state = "STOPPED"
    assert one.status("c0")["connector"]["state"] == "STOPPED"


def test_who_does_not_answer_is_asked_once_in_a_moment(worker):
    one, clock = shared(worker)
    worker.failure = errors.Unreachable("nobody there")
    for name in NAMES:
        with pytest.raises(errors.Unreachable):
            one.status(name)
    assert len(worker.asked) == 1
    clock.now, worker.failure = 1.0, None
    assert one.status("c0")["name"] == "c0"
    clock.now, worker.failure = 2.0, errors.Unreachable("gone again")
    for _time in range(3):
        with pytest.raises(errors.Unreachable):
            one.status("c0")
    assert worker.asked == [("connectors",), ("connectors",), ("statuses",)]


def test_one_that_is_not_in_the_list_is_asked_for(worker):
    one, _clock = shared(worker)
    assert one.status("new")["name"] == "new" and worker.asked == [("connectors",), ("status", "new")]


def test_offsets_of_many_take_one_request_each(worker):
    """The first answer of a worker may lack what was written a moment ago; to give it, the worker reads its topic to the end."""
    one, clock = shared(worker)
    one.connectors()
    for name in NAMES:
        assert one.offsets(name)
        clock.now += 0.05
    assert worker.asked.count(("offsets", "c0")) == 2 and len(worker.asked) == 1 + 1000 + 1


@pytest.mark.parametrize(("between", "times"), [
    (lambda one, clock, worker: None, 1),
    (lambda one, clock, worker: one.renew() or one.connectors(), 2),
    (lambda one, clock, worker: setattr(clock, "now", 1.0), 2),
    (lambda one, clock, worker: setattr(worker, "url", "http://w2"), 2),
])
def test_what_another_one_was_asked_for_counts_for_a_moment_and_for_that_worker(between, times):
    worker = Worker(a={}, b={})
    one, clock = shared(worker)
    one.connectors()
    one.offsets("a")
    between(one, clock, worker)
    one.offsets("b")
    assert worker.asked.count(("offsets", "b")) == times


@pytest.mark.parametrize(("first", "times"), [("sink", 2), ("own", 2), ("empty", 2), ("unknown", 2), ("source", 1)])
def test_not_every_answer_shows_that_the_topic_was_read(first, times):
    worker = Worker(sink="sink", own={"offsets.storage.topic": "t"}, empty={}, source={}, b={})
    one, _clock = shared(worker)
    one.connectors()
    one.offsets(first)
    one.offsets("b")
    assert worker.asked.count(("offsets", "b")) == times


def test_after_a_change_offsets_are_asked_for_twice_again():
    """What a rollback has just written has to be in what is read back."""
    worker = Worker(a={}, b={})
    one, _clock = shared(worker)
    one.connectors()
    one.offsets("a")
    one.offsets("b")
    one.alter_offsets("b", [])
    one.offsets("b")
    assert worker.asked[1:] == [("offsets", "a")] * 2 + [("offsets", "b"), ("alter", "b")] + [("offsets", "b")] * 2
