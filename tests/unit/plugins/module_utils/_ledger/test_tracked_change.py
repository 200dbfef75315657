# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one run tells the ledger and learns from it: every way through, with a ledger and a clock of our own."""

from __future__ import annotations

import functools
from datetime import UTC, datetime, timedelta

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import connector_changes
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import tracked_change as module
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.connector_changes import LEASE, SilentRuns
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import ConcurrentUpdate, age, same
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import DONE, TODO, UNDONE, LeaseLost, TrackedChange
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change as a_change

WISH, OTHER = "sha256:1", "sha256:2"
FACTS = {"method": "rest", "offset_topic": None, "cluster": {"connect_url": "http://w:8083"}, "kind": "source"}
BEFORE, AFTER = [{"partition": {"p": 0}, "offset": {"n": 4}}], [{"partition": {"p": 0}, "offset": {"n": 1}}]
NEWER, NEWEST = "2026-02-01T00:00:00.000Z", "2026-02-02T00:00:00.000Z"
RECORDS = [["offsets", 1, '["c",{"p":0}]', '{"n":4}']]


class FakeLedger:
    """A ledger in memory. ``puts``: what was written; ``meanwhile``: functions that the next puts call first, for what others do."""

    where = "the ledger"

    def __init__(self, *changes):
        self.held = {(one.connector, one.change_id): one for one in changes}
        self.puts, self.meanwhile, self.warnings, self.closed = [], [], [], 0
        self.lacks = []

    def missing_acls(self, check_mode):
        return self.lacks

    def changes(self, connector=None):
        return sorted((one for one in self.held.values() if connector in (None, one.connector)), key=age)

    def put(self, change, known, expired=()):
        if self.meanwhile:
            self.meanwhile.pop(0)()
        actual = self.held.get((change.connector, change.change_id))
        if not same(actual, known):
            raise ConcurrentUpdate(actual)
        self.puts.append(change)
        self.held[change.connector, change.change_id] = change
        for one in expired:
            del self.held[one.connector, one.change_id]

    def close(self, connector=None):
        self.closed += 1

    def the(self, change_id="CHG-1"):
        return self.held["c", change_id]

    def by_another(self, change_id="CHG-1", **fields):
        """Another run writes."""
        old = self.the(change_id)
        self.held["c", change_id] = old._replace(**{"revision": old.revision + 1, "run": "other", **fields})

    def heartbeat(self, connector):
        old = self.held[connector, "CHG-1"]
        self.held[connector, "CHG-1"] = old._replace(revision=old.revision + 1)


class Time:
    """``at``: pairs (second, function) of what others do at that moment."""

    def __init__(self, *at):
        self.now, self.at = 0.0, sorted(at, key=lambda one: one[0])

    def sleep(self, seconds):
        self.now += seconds
        while self.at and self.at[0][0] <= self.now:
            self.at.pop(0)[1]()

    def clock(self):
        return self.now


def once(ledger, change_id="CHG-1", time=None, run="me", **options):
    time = time or Time()
    return TrackedChange(ledger, "c", change_id, sleep=time.sleep, clock=time.clock, run=run, **options)


def ago(seconds):
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def at_work(seconds=1, **more):
    """A change that a run on another machine has begun."""
    more = {"before": BEFORE, **more}
    return a_change(run="other", busy=True, after=AFTER, times={"started": ago(seconds), "written": ago(seconds)}, **more)


def made(**more):
    return a_change(phase="applied", before=BEFORE, after=AFTER, **more)


def steps(ledger):
    return [(one.phase, one.revision, one.busy, one.state_to_restore, one.before) for one in ledger.puts]


# ---- the plain course ---------------------------------------------------------------------------------------------

def test_a_new_change_step_by_step(monkeypatch):
    monkeypatch.setattr(module, "getpass", type("Pwd", (), {"getuser": staticmethod(lambda: "jane")}))
    monkeypatch.setattr(module.socket, "gethostname", lambda: "box")
    monkeypatch.setenv("JOB_ID", "77")
    monkeypatch.delenv("AWX_HOST", raising=False)
    ledger = FakeLedger()
    one = once(ledger, requested_by="kim")
    assert one.look(WISH, check_mode=False) == TODO and one.change is None and not one.finishes and one.state_to_restore is None
    one.begin(WISH, "RUNNING", **FACTS)
    assert not one.finishes and one.state_to_restore == "RUNNING"
    one.writing(BEFORE, AFTER, RECORDS)
    one.written("RUNNING")
    one.done()
    assert steps(ledger) == [
        ("started", 1, True, "RUNNING", None), ("started", 2, True, "RUNNING", BEFORE), ("applied", 3, True, "RUNNING", BEFORE),
        ("applied", 4, False, None, BEFORE)]
    last = ledger.the()
    assert (last.digest, last.run, last.after, last.records, last.method, last.kind) == (WISH, "me", AFTER, RECORDS, "rest", "source")
    assert last.who == {"user": "jane", "host": "box", "requested_by": "kim", "job": "77"}
    assert sorted(last.times) == ["applied", "started", "written"] and one.warnings == []
    assert last.times["started"] <= last.times["applied"] <= last.times["written"]


def test_without_a_state_to_put_back_the_change_ends_when_it_is_written():
    ledger = FakeLedger()
    one = once(ledger)
    one.look(WISH, False)
    one.begin(WISH, None, **FACTS)
    one.writing(BEFORE, AFTER, None)
    one.written()
    one.done()
    assert steps(ledger)[-1] == ("applied", 3, False, None, BEFORE) and len(ledger.puts) == 3


def test_what_was_there_already_is_made_without_a_write():
    """Not None, which would mean that it can be made."""
    ledger = FakeLedger()
    one = once(ledger)
    one.look(WISH, False)
    one.begin(WISH, None, **FACTS)
    one.written()
    assert (ledger.the().before, ledger.the().after) == ([], []) and once(ledger).look(WISH, False) == DONE


def test_a_user_id_without_a_name_and_awx(monkeypatch):
    def nameless():
        raise KeyError("uid not found")

    monkeypatch.setattr(module.getpass, "getuser", nameless)
    monkeypatch.setattr(module.os, "getuid", lambda: 4711)
    monkeypatch.setenv("AWX_HOST", "https://awx")
    monkeypatch.setenv("JOB_ID", "")
    ledger = FakeLedger()
    one = once(ledger)
    one.look(WISH, False)
    one.begin(WISH, None, **FACTS)
    assert ledger.the().who["user"] == "4711" and ledger.the().who["job_host"] == "https://awx" and "job" not in ledger.the().who


@pytest.mark.parametrize("change_id", ["", " ", " CHG-1", "CHG-1 ", "CHG\n1", "CHG\x001", "x" * 201])
def test_ids_that_are_refused(change_id):
    with pytest.raises(errors.DeclarationError, match="change_id must be text on one line"):
        once(FakeLedger(), change_id)


@pytest.mark.parametrize("change_id", ["CHG-1", "a change with blanks", "Änderung №7", "x" * 200, "${x}"])
def test_ids_that_are_taken(change_id):
    assert once(FakeLedger(), change_id).change_id == change_id


# ---- the same id again --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("held, found", [
    (made(), DONE), (made(digest=OTHER), None), (made(state_to_restore="RUNNING", run="gone"), DONE),
    (a_change(phase="restored"), UNDONE), (a_change(phase="restored", digest=OTHER), None),
    (a_change(before=BEFORE), TODO), (a_change(before=BEFORE, digest=OTHER), None),
    (a_change(before=None, after=None), TODO), (a_change(before=None, after=None, digest=OTHER), TODO),
])
def test_what_a_later_run_finds(held, found, check_mode):
    ledger = FakeLedger(held)
    one = once(ledger)
    if found is None:
        with pytest.raises(errors.DeclarationError) as caught:
            one.look(WISH, check_mode)
        assert caught.value.message == (
            f"The change CHG-1 of c was {held.phase} on 2026-01-31T12:00:00.000Z, and meant something else than what is declared now. "
            "An id stands for one change: use a new one.")
        assert caught.value.facts["change"]["digest"] == OTHER and "records" not in caught.value.facts["change"]
    else:
        assert one.look(WISH, check_mode) == found
    assert one.finishes is (held.phase == "started" and held.before is not None)
    assert ledger.puts == []


def test_one_of_another_connector_or_id_is_not_looked_at():
    one = once(FakeLedger(made(connector="d"), made(change_id="CHG-2")))
    assert one.look(OTHER, False) == TODO and one.change is None


@pytest.mark.parametrize("due", ["RUNNING", "PAUSED", None])
def test_who_finishes_keeps_what_was_there_before(due):
    """What the connector is due for now, the one who finishes knows better."""
    first = a_change(before=BEFORE, after=AFTER, records=RECORDS, state_to_restore="RUNNING", revision=2, run="dead", who={"user": "first"})
    ledger = FakeLedger(first)
    one = once(ledger)
    assert one.look(WISH, False) == TODO and one.finishes and one.state_to_restore == "RUNNING"
    assert one.warnings == ["The change CHG-1 of c was begun on 2026-01-31T12:00:00.000Z by a run that did not end; it is finished now."]
    one.begin(WISH, due, **FACTS)
    one.writing([{"partition": {"p": 0}, "offset": {"n": 1}}], [], [])
    one.written(one.state_to_restore)
    last = ledger.the()
    assert (last.before, last.after, last.records, last.state_to_restore, last.who) == (BEFORE, AFTER, RECORDS, due, {"user": "first"})
    assert (last.run, last.revision, last.phase) == ("me", 5, "applied") and last.times["started"] == first.times["started"]


def test_who_begins_again_where_nothing_was_written_writes_down_anew():
    """Another declaration, another before."""
    ledger = FakeLedger(a_change(before=None, after=None, state_to_restore="RUNNING", digest=OTHER, revision=1, run="dead"))
    one = once(ledger)
    assert one.look(WISH, False) == TODO and one.warnings == [] and one.state_to_restore == "RUNNING"
    one.begin(WISH, "RUNNING", **FACTS)
    assert (ledger.the().digest, ledger.the().state_to_restore, ledger.the().revision, ledger.the().run) == (WISH, "RUNNING", 2, "me")
    one.writing(BEFORE, AFTER, None)
    assert ledger.the().before == BEFORE


# ---- other runs ---------------------------------------------------------------------------------------------------

def waited(ledger, *at, check_mode=False, undo=False):
    """(what was found, seconds, the Once)"""
    time = Time(*at)
    one = once(ledger, time=time, undo=undo)
    return one.look(WISH, check_mode), time.now, one


def test_a_silent_run_on_another_machine_is_waited_for_as_long_as_it_may_live():
    ledger = FakeLedger(at_work())
    found, seconds, one = waited(ledger)
    assert found == TODO and LEASE < seconds <= LEASE + 1 and one.finishes and len(one.warnings) == 1
    one.begin(WISH, None, **FACTS)
    assert ledger.the().run == "me" and ledger.the().before == BEFORE


def test_signs_of_life_are_believed():
    ledger = FakeLedger(at_work())
    found, seconds, _one = waited(ledger, *((second, ledger.by_another) for second in range(5, 46, 5)))
    assert found == TODO and 45 + LEASE < seconds <= 45 + LEASE + 1


def test_the_end_of_the_other_run_is_seen_at_once():
    ledger = FakeLedger(at_work(before=None))
    found, seconds, one = waited(
        ledger, (3, lambda: ledger.by_another(phase="applied", before=BEFORE)), (7, lambda: ledger.by_another(busy=False)))
    assert found == DONE and 7 <= seconds <= 7.5 and one.warnings == []


@pytest.mark.parametrize("digest, found", [(WISH, TODO), (OTHER, TODO)])
def test_a_failure_of_the_other_run_makes_room(digest, found):
    ledger = FakeLedger(at_work(before=BEFORE, digest=digest))
    assert waited(ledger, (3, lambda: ledger.by_another(busy=False, before=None, after=None)))[:2] == (found, 3.0)


@pytest.mark.parametrize("held", [at_work(before=BEFORE)._replace(busy=False), at_work(before=BEFORE, seconds=86401)])
def test_nobody_waits_for_one_that_said_goodbye_or_was_silent_for_long(held):
    assert waited(FakeLedger(held))[:2] == (TODO, 0.0)


@pytest.mark.parametrize("hours", [-14, -1, 1, 14])
def test_a_clock_that_is_wrong_does_not_make_it_dead(hours):
    found, seconds, _one = waited(FakeLedger(at_work(seconds=hours * 3600)))
    assert found == TODO and seconds > LEASE


@pytest.mark.parametrize("written", ["yesterday", ""])
def test_a_time_that_nobody_can_read_does_not_make_it_dead(written):
    held = at_work()
    assert waited(FakeLedger(held._replace(times={"started": written, "written": written})))[1] > LEASE


def test_nobody_waits_for_a_run_that_is_gone(monkeypatch):
    monkeypatch.setattr(connector_changes, "is_gone", lambda run: run == "other")
    assert waited(FakeLedger(at_work()))[:2] == (TODO, 0.0)


def test_a_run_that_dies_while_we_wait(monkeypatch):
    dead = []
    monkeypatch.setattr(connector_changes, "is_gone", lambda run: run in dead)
    assert waited(FakeLedger(at_work()), (4, lambda: dead.append("other")))[:2] == (TODO, 4.0)


def waited_for_all(names, of_all, *at):
    """Seconds after which each of them can be changed, one after the other."""
    ledger = FakeLedger(*(at_work(connector=name) for name in names))
    time, waits = Time(*((second, functools.partial(ledger.heartbeat, name)) for second, name in at)), SilentRuns(of_all)
    found = []
    for name in names:
        one = TrackedChange(ledger, name, "CHG-1", sleep=time.sleep, clock=time.clock, run="me", waits=waits)
        assert one.look(WISH, False) == TODO and len(one.warnings) == 1
        found.append(time.now)
    return found


def test_a_silent_run_is_waited_for_once_for_all_connectors():
    assert waited_for_all("abc", True) == [LEASE + 0.5] * 3
    assert waited_for_all("abc", False) == [LEASE + 0.5, 2 * (LEASE + 0.5), 3 * (LEASE + 0.5)]


def test_one_that_gives_a_heartbeat_meanwhile_is_waited_for_from_then_on():
    """b is written at 7 s, which is seen when it is its turn: as long as it may live from then on."""
    first, second, third = waited_for_all("abc", True, (7, "b"))
    assert (first, third) == (LEASE + 0.5, second) and second == first + LEASE + 0.5


def test_what_other_changes_have_replaced_is_not_kept():
    """Many connectors with many large changes each would not fit into memory. Whether they changed something counts for an undo."""
    pairs = [{"partition": {"p": number}, "offset": None} for number in range(3)]
    cases = [("empty", [], None), ("done", pairs, None), ("unfinished", pairs, "RUNNING"), ("CHG-1", pairs, None)]
    held = [a_change(name, phase="applied", before=before, after=pairs, records=pairs, state_to_restore=due, sequence=number)
            for number, (name, before, due) in enumerate(cases)]
    known = connector_changes.ConnectorChanges(FakeLedger(*held), "c", "CHG-1", "me")
    known.read(False)
    assert {one.change_id: (len(one.before), one.after and len(one.after), one.records and len(one.records)) for one in known.all} == {
        "empty": (0, None, None), "done": (1, None, None), "unfinished": (3, 3, 3), "CHG-1": (3, 3, 3)}


def test_what_cannot_be_read_of_others_is_no_matter():
    class Broken(FakeLedger):
        def changes(self, connector=None):
            if connector is None:
                self.warnings.append("Some of another connector cannot be read.")
                raise errors.StateError("cannot be read")
            return super().changes(connector)

    time = Time()
    one = TrackedChange(Broken(at_work()), "c", "CHG-1", sleep=time.sleep, clock=time.clock, run="me", waits=SilentRuns(of_all=True))
    assert one.look(WISH, False) == TODO and time.now == LEASE + 0.5 and len(one.warnings) == 1 and "was begun on" in one.warnings[0]


@pytest.mark.parametrize("undo", [False, True])
def test_check_mode_neither_waits_nor_writes(undo):
    ledger = FakeLedger(at_work(phase="applied"))
    time = Time()
    one = once(ledger, time=time, undo=undo)
    assert (one.lookup_for_undo(True) if undo else one.look(WISH, True)) == (TODO if undo else DONE)
    assert time.now == 0 and ledger.puts == [] and one.warnings == ["Another run is at work on the change CHG-1 of c."]


def test_two_at_once_one_begins():
    """The other one looks again, and waits then."""
    ledger = FakeLedger()
    first, second = once(ledger, run="a"), once(ledger, run="b")
    assert (first.look(WISH, False), second.look(WISH, False)) == (TODO, TODO)
    first.begin(WISH, None, **FACTS)
    with pytest.raises(ConcurrentUpdate) as caught:
        second.begin(WISH, None, **FACTS)
    assert not isinstance(caught.value, LeaseLost) and caught.value.change.run == "a"
    second.give_up(True, True)
    second.heartbeat()
    assert [one.run for one in ledger.puts] == ["a"]
    assert ledger.the().busy


def test_two_at_once_finish_what_a_third_one_has_begun():
    ledger = FakeLedger(a_change(before=BEFORE, run="dead", busy=False))
    first, second = once(ledger, run="a"), once(ledger, run="b")
    assert first.look(WISH, False) == second.look(WISH, False) == TODO
    second.begin(WISH, None, **FACTS)
    with pytest.raises(ConcurrentUpdate):
        first.begin(WISH, None, **FACTS)
    assert ledger.the().run == "b"


STEPS = {
    "writing": lambda one: one.writing(BEFORE, AFTER, None), "written": lambda one: one.written("RUNNING"), "done": lambda one: one.done(),
    "later": lambda one: one.later(), "give_up": lambda one: one.give_up(True, True), "heartbeat": lambda one: one.heartbeat(),
}


@pytest.mark.parametrize("step", STEPS)
def test_who_was_taken_for_dead_is_told_at_its_next_step(step):
    ledger, time = FakeLedger(), Time()
    one = once(ledger, time=time)
    one.look(WISH, False)
    one.begin(WISH, "RUNNING", **FACTS)
    time.now = 30
    ledger.by_another()
    taken = ledger.the()
    with pytest.raises(LeaseLost) as caught:
        STEPS[step](one)
    assert caught.value.message == ("Another run works on the change CHG-1 of c. This run had written no heartbeat for 20 s, so the other one "
                                    "has taken over. This run changes nothing any more.")
    assert ledger.the() == taken and caught.value.change == taken


def test_signs_of_life():
    ledger, time = FakeLedger(), Time()
    one = once(ledger, time=time)
    one.look(WISH, False)
    time.now = 100
    one.heartbeat()
    assert ledger.puts == [], "before it has begun there is nothing to say"
    one.begin(WISH, None, **FACTS)
    for second in (101, 104.9, 105.0):
        time.now = second
        one.heartbeat()
    assert len(ledger.puts) == 1
    for second in (105.1, 106, 110, 110.2):
        time.now = second
        one.heartbeat()
    assert steps(ledger) == [("started", revision, True, None, None) for revision in (1, 2, 3)]
    one.give_up(True, True)
    time.now = 1000
    one.heartbeat()
    assert len(ledger.puts) == 4, "a sign of life of a run that is over"


# ---- after a failure ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("offsets_back, state_back, before, due", [
    (True, True, None, None), (True, False, None, "RUNNING"), (False, True, BEFORE, None), (False, False, BEFORE, "RUNNING")])
def test_what_a_failure_leaves(offsets_back, state_back, before, due):
    ledger = FakeLedger()
    one = once(ledger)
    one.look(WISH, False)
    one.begin(WISH, "RUNNING", **FACTS)
    one.writing(BEFORE, AFTER, RECORDS)
    one.give_up(offsets_back, state_back)
    last = ledger.the()
    assert (last.phase, last.busy, last.before, last.state_to_restore) == ("started", False, before, due)
    assert (last.after is None) is (last.records is None) is offsets_back
    again = once(ledger)
    if before is None:
        assert again.look(OTHER, False) == TODO, "nothing of it is left, so the id may mean another declaration"
    else:
        with pytest.raises(errors.DeclarationError):
            again.look(OTHER, False)
        assert once(ledger).look(WISH, False) == TODO


def test_a_failure_of_one_who_finishes_does_not_forget_what_was_there_before():
    """``before`` belongs to the first run: what this one has put back is no more than what it found."""
    ledger = FakeLedger(a_change(before=BEFORE, after=AFTER, records=RECORDS, run="dead"))
    one = once(ledger)
    one.look(WISH, False)
    one.begin(WISH, None, **FACTS)
    one.writing([], [], None)
    one.give_up(True, True)
    assert (ledger.the().before, ledger.the().records, ledger.the().busy) == (BEFORE, RECORDS, False)


def test_a_failure_after_the_offsets_are_written():
    ledger = FakeLedger()
    one = once(ledger)
    one.look(WISH, False)
    one.begin(WISH, "RUNNING", **FACTS)
    one.writing(BEFORE, AFTER, None)
    one.written("RUNNING")
    one.give_up(False, False)
    assert steps(ledger)[-1] == ("applied", 4, False, "RUNNING", BEFORE)
    assert once(ledger).look(WISH, False) == DONE


def test_a_failure_before_it_has_begun_is_no_business_of_the_ledger():
    ledger = FakeLedger()
    one = once(ledger)
    one.look(WISH, False)
    one.give_up(True, True)
    assert ledger.puts == []


def test_it_can_begin_again_after_a_failure():
    """As when Connect's gate did not open, and the connector is stopped then."""
    ledger = FakeLedger()
    one = once(ledger)
    for _time in range(2):
        one.look(WISH, False)
        one.begin(WISH, None, **FACTS)
        one.give_up(True, True)
    assert [one.revision for one in ledger.puts] == [1, 2, 3, 4] and ledger.the().before is None


@pytest.mark.parametrize("other, lost", [
    ({"phase": "applied"}, False), ({"phase": "applied", "busy": False, "state_to_restore": None}, False), ({"phase": "restored"}, True)])
def test_of_two_that_put_the_state_back_the_second_is_content(other, lost):
    """Unless the other one is at something else."""
    ledger = FakeLedger(made(state_to_restore="RUNNING", run="dead"))
    one = once(ledger)
    assert one.look(WISH, False) == DONE
    ledger.by_another(**other)
    if lost:
        with pytest.raises(LeaseLost):
            one.done()
    else:
        one.done()
        assert one.change == ledger.the() and ledger.the().run == "other"
    assert ledger.puts == []


def test_later_leaves_the_state_to_another_run():
    ledger = FakeLedger()
    one = once(ledger)
    one.look(WISH, False)
    one.begin(WISH, "RUNNING", **FACTS)
    one.writing(BEFORE, AFTER, None)
    one.written("RUNNING")
    one.later()
    one.later()
    assert steps(ledger)[-1] == ("applied", 4, False, "RUNNING", BEFORE) and len(ledger.puts) == 4
    another = once(ledger, run="another")
    assert another.look(WISH, False) == DONE and another.state_to_restore == "RUNNING"
    another.done()
    assert steps(ledger)[-1] == ("applied", 5, False, None, BEFORE)


# ---- undo ---------------------------------------------------------------------------------------------------------

def undo(ledger, check_mode=False, **options):
    one = once(ledger, undo=True, **options)
    return one, one.lookup_for_undo(check_mode)


def test_an_unknown_change_cannot_be_undone():
    for known, words in (([], "none of this connector"), ([made(change_id="A"), made(change_id="B", begun=NEWER)], "A, B")):
        ledger = FakeLedger(made(connector="d"), *known)
        with pytest.raises(errors.DeclarationError) as caught:
            undo(ledger)
        assert caught.value.message == f"The ledger (the ledger) has no change CHG-1 of c; it has {words}."
        assert ledger.puts == []


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("held, found", [
    (made(), TODO), (a_change(before=BEFORE), TODO), (a_change(before=None, after=None), UNDONE), (a_change(phase="restored"), UNDONE)])
def test_what_there_is_to_undo(held, found, check_mode):
    ledger = FakeLedger(held)
    assert undo(ledger, check_mode)[1] == found and ledger.puts == []


def test_undo_step_by_step():
    held = made(records=RECORDS, revision=4, who={"user": "first"})
    ledger = FakeLedger(held)
    one, _found = undo(ledger, requested_by="kim")
    one.begin("", "PAUSED", **FACTS)
    one.writing([], [], None)
    one.written("PAUSED")
    one.done()
    assert steps(ledger) == [
        ("applied", 5, True, "PAUSED", BEFORE), ("applied", 6, True, "PAUSED", BEFORE), ("restored", 7, True, "PAUSED", BEFORE),
        ("restored", 8, False, None, BEFORE)]
    last = ledger.the()
    assert (last.digest, last.after, last.records) == (WISH, AFTER, RECORDS)
    assert last.who["user"] == "first" and last.who["restored_requested_by"] == "kim" and "restored_user" in last.who
    assert sorted(last.times) == ["applied", "restored", "started", "written"] and last.times["applied"] == held.times["applied"]
    assert undo(ledger)[1] == UNDONE and once(ledger).look(WISH, False) == UNDONE


def test_an_undo_that_failed_can_be_repeated():
    for offsets_back in (True, False):
        ledger = FakeLedger(made(records=RECORDS))
        one, _found = undo(ledger)
        one.begin("", "RUNNING", **FACTS)
        one.writing([], [], None)
        one.give_up(offsets_back, True)
        assert (ledger.the().phase, ledger.the().before, ledger.the().records, ledger.the().busy) == ("applied", BEFORE, RECORDS, False)
        assert undo(ledger)[1] == TODO


def test_an_undo_that_was_killed_can_be_repeated(monkeypatch):
    ledger = FakeLedger(made())
    one, _found = undo(ledger)
    one.begin("", "RUNNING", **FACTS)
    one.writing([], [], None)
    monkeypatch.setattr(connector_changes, "is_gone", lambda run: run == "me")
    again, found = undo(ledger, run="another")
    assert found == TODO and again.state_to_restore == "RUNNING"
    again.begin("", "RUNNING", **FACTS)
    assert (ledger.the().phase, ledger.the().run, ledger.the().before) == ("applied", "another", BEFORE)


def test_undo_of_what_wrote_nothing_stays_undone():
    """It was begun, and its run killed before its first write: "after that it stays undone, also if it is declared again"."""
    ledger = FakeLedger(a_change(before=None, after=None, run="dead"))
    one, found = undo(ledger)
    assert found == UNDONE
    one.begin("", None, **FACTS)
    assert (ledger.the().phase, ledger.the().digest) == ("started", WISH)
    one.written()
    assert (ledger.the().phase, ledger.the().before, ledger.the().busy) == ("restored", [], False)
    assert once(ledger).look(WISH, False) == UNDONE
    assert undo(ledger)[1] == UNDONE


@pytest.mark.parametrize("check_mode", [True, False])
def test_undo_after_later_changes(check_mode):
    ledger = FakeLedger(made(), made(change_id="CHG-0", begun="2026-01-01T00:00:00.000Z"), made(change_id="CHG-2", begun=NEWER),
                        a_change("CHG-3", begun=NEWEST, before=BEFORE), made(change_id="CHG-4", connector="d", begun=NEWER))
    with pytest.raises(errors.StateError) as caught:
        undo(ledger, check_mode)
    assert caught.value.message == ("c was changed by CHG-2, CHG-3 since CHG-1 was made. Restore that one first, or use force: true to "
                                    "overwrite it.")
    assert undo(ledger, check_mode, force=True)[1] == TODO and ledger.puts == []


OLDER = "2026-01-01T00:00:00.000Z"


@pytest.mark.parametrize("sequence, begun, counts", [
    (2, OLDER, True), (1, OLDER, True), (2, NEWER, True), (0, OLDER, False), (0, NEWER, True),
])
def test_what_is_later_is_told_by_the_sequence_not_by_clocks(sequence, begun, counts):
    """CHG-1 is number 1. A controller whose clock is behind made CHG-2 after it."""
    other = made(change_id="CHG-2", begun=begun)._replace(sequence=sequence)
    ledger = FakeLedger(made()._replace(sequence=1), other)
    if counts:
        with pytest.raises(errors.StateError, match="CHG-2"):
            undo(ledger)
    else:
        assert undo(ledger)[1] == TODO


def test_changes_are_counted_in_the_order_in_which_they_begin():
    ledger = FakeLedger()
    for change_id in ("CHG-1", "CHG-2"):
        one = once(ledger, change_id=change_id)
        assert one.look(WISH, False) == TODO
        one.begin(WISH, None, **FACTS)
        if change_id == "CHG-2":
            one.writing(BEFORE, AFTER, None)
        one.close()
    assert [one.sequence for one in ledger.changes("c")] == [1, 2]
    again = once(ledger, run="r9")  # CHG-1 had written nothing: it is made after CHG-2
    ledger.held["c", "CHG-1"] = ledger.the()._replace(busy=False)
    again.look(WISH, False)
    again.begin(WISH, None, **FACTS)
    assert ledger.the().sequence == 3


def test_a_change_begun_before_but_made_after_counts():
    late = made(change_id="CHG-0", times={"started": "2026-01-01T00:00:00.000Z", "applied": NEWER})
    with pytest.raises(errors.StateError, match="CHG-0"):
        undo(FakeLedger(made(), late))


@pytest.mark.parametrize("later", [
    a_change("CHG-2", phase="restored", begun=NEWER),
    pytest.param(a_change("CHG-2", begun=NEWER, before=None, after=None), id="failed, and wrote nothing"),
    pytest.param(a_change("CHG-2", begun=NEWER, phase="applied", before=[], after=[]), id="changed nothing"),
])
def test_what_left_nothing_behind_is_no_later_change(later):
    assert undo(FakeLedger(made(), later))[1] == TODO
