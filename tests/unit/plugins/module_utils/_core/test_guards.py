# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import random

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.guards import Guards
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import KEEP, Action, DesiredOffsets, make_plan

OTHER_TASK = " in another task, without that guard."


def entry(partition, offset):
    """offset: a whole map, None, or the value of its one field"""
    return Entry({"p": partition}, offset if offset is None or isinstance(offset, dict) else {"o": offset})


def pairs(declared):
    return [entry(*item)._asdict() for item in declared.items()]


def snapshot(live, unreadable=(), uneven=()):
    return Snapshot("c", "source", [entry(*item) for item in live.items()], [entry(name, None) for name in unreadable],
                    {canonical({"p": name}): [{"o": 9}] for name in uneven})


def guarded(desired, **guards):
    desired.guards = Guards(**guards)
    return desired


def declared(wanted, purge=False, **guards):
    desired = guarded(DesiredOffsets.document(pairs(wanted), purge), **guards)
    desired.force = True  # types and fields are no matter here
    return desired


def moves(plan):
    return {action.partition["p"]: (action.verb, action.before["o"], action.after["o"]) for action in plan.actions}


def refusal(live, desired):
    plan = make_plan(live, desired)
    with pytest.raises(DeclarationError) as caught:
        desired.check_guards(plan)
    return caught.value.message


# ---- direction ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("direction, expected", [
    (None, {"back": ("set", 40, 4), "on": ("set", 5, 50), "there": ("keep", 7, 7)}),
    ("forward", {"back": ("keep", 40, 40), "on": ("set", 5, 50), "there": ("keep", 7, 7)}),
    ("backward", {"back": ("set", 40, 4), "on": ("keep", 5, 5), "there": ("keep", 7, 7)}),
])
def test_what_is_beyond_the_declared_offset_is_kept(direction, expected):
    live, desired = snapshot({"back": 40, "on": 5, "there": 7}), declared({"back": 4, "on": 50, "there": 7}, direction=direction)
    plan = make_plan(live, desired)
    assert moves(plan) == expected
    desired.check_guards(plan)
    read_again = make_plan(Snapshot("c", "source", plan.after()), desired, check_types=False)
    assert not read_again.changed
    desired.check_guards(read_again)


def test_what_is_kept_is_told_as_live():
    plan = make_plan(snapshot({"a": 40}), declared({"a": 4}, direction="forward"))
    assert not plan.changed and plan.after() == [entry("a", 40)]
    assert plan.actions[0].result() == {
        "partition": {"p": "a"}, "action": "keep", "from": {"o": 40}, "to": {"o": 40}, "direction": "none", "distance": 0}


@pytest.mark.parametrize("live, wanted", [
    ({"o": 40, "t": "x"}, {"o": 4, "t": "x"}),  # one whole number of several fields
    ({"position": 40}, {"position": 4}),
    ({"o": 9223372036854775807}, {"o": -9223372036854775808}),
])
def test_a_direction_compares_one_whole_number(live, wanted):
    assert not make_plan(snapshot({"a": live}), declared({"a": wanted}, direction="forward")).changed
    assert make_plan(snapshot({"a": live}), declared({"a": wanted}, direction="backward")).changed


def test_a_direction_knows_the_numbers_of_a_sink_in_text():
    partition = {"kafka_topic": "t", "kafka_partition": 0}
    live = Snapshot("c", "sink", [Entry(partition, {"kafka_offset": 100})])
    for text, changed in (("42", False), ("100", False), ("101", True)):
        items = [{"partition": dict(partition, kafka_partition="0"), "offset": {"kafka_offset": text}}]
        desired = guarded(DesiredOffsets.present(items), direction="forward", max_skip=1)
        plan = make_plan(live, desired)
        assert plan.changed is changed
        desired.check_guards(plan)


def test_a_direction_comes_before_the_limits():
    live, desired = snapshot({"a": 40, "b": 5}), declared({"a": 0, "b": 6}, direction="forward", max_rewind=1, max_skip=1)
    plan = make_plan(live, desired)
    assert moves(plan) == {"a": ("keep", 40, 40), "b": ("set", 5, 6)}
    desired.check_guards(plan)


# ---- limits -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("guards, wanted", [
    ({"max_rewind": 10}, 30), ({"max_rewind": 10}, 100), ({"max_rewind": 0}, 41), ({"max_rewind": 0}, 40),
    ({"max_skip": 10}, 50), ({"max_skip": 10}, 0), ({"max_skip": 0}, 39), ({"max_skip": 0}, 40),
    ({"max_rewind": 40, "max_skip": 0}, 0), ({}, 0),
])
def test_within_the_limits(guards, wanted):
    desired = declared({"a": wanted}, **guards)
    desired.check_guards(make_plan(snapshot({"a": 40}), desired))


@pytest.mark.parametrize("guards, wanted, option, limit, direction, distance", [
    ({"max_rewind": 10}, 29, "max_rewind", 10, "backward", 11),
    ({"max_rewind": 0}, 39, "max_rewind", 0, "backward", 1),
    ({"max_skip": 10}, 51, "max_skip", 10, "forward", 11),
    ({"max_skip": 0}, 41, "max_skip", 0, "forward", 1),
    ({"max_rewind": 10, "max_skip": 0}, 41, "max_skip", 0, "forward", 1),
    ({"max_rewind": 10, "direction": "backward"}, 0, "max_rewind", 10, "backward", 40),
])
def test_beyond_the_limits(guards, wanted, option, limit, direction, distance):
    assert refusal(snapshot({"a": 40, "b": 1}), declared({"a": wanted}, **guards)) == (
        f'{option} is {limit}, but 1 partition of c would go further {direction}: {{"p": "a"}} (by {distance}). Declare offsets that are '
        f"nearer to the live ones, or raise {option} if that is meant.")


def test_the_first_three_are_named_and_all_are_counted():
    live = snapshot(dict.fromkeys(range(6), 40))
    said = refusal(live, declared({0: 35, 1: 4, 2: 3, 3: 2, 4: 1, 5: 41}, max_rewind=5))
    assert said.startswith('max_rewind is 5, but 4 partitions of c would go further backward: {"p": 1} (by 36), {"p": 2} (by 37), '
                           '{"p": 3} (by 38), .... Declare')
    said = refusal(live, declared({0: 35, 1: 4, 2: 3, 3: 2}, max_rewind=5))
    assert said.startswith('max_rewind is 5, but 3 partitions of c would go further backward: {"p": 1} (by 36), {"p": 2} (by 37), '
                           '{"p": 3} (by 38). Declare')


# ---- what is not known is refused ---------------------------------------------------------------------------------

@pytest.mark.parametrize("guards, named", [
    ({"max_rewind": 1000}, "max_rewind: 1000"), ({"max_rewind": 0}, "max_rewind: 0"), ({"max_skip": 1000}, "max_skip: 1000"),
    ({"direction": "forward"}, "direction: forward"), ({"direction": "backward"}, "direction: backward"),
    ({"max_rewind": 1, "max_skip": 2, "direction": "forward"}, "max_rewind: 1 and max_skip: 2 and direction: forward"),
])
@pytest.mark.parametrize("live, desired, partition, why", [
    (snapshot({"b": 1}), {"a": 5}, '{"p": "a"}', "it has no offset so far"),
    (snapshot({"a": 4}), {"a": None}, '{"p": "a"}', "its offset would be removed"),
    (snapshot({"a": {"o": 1, "x": 1}}), {"a": {"o": 2, "x": 2}}, '{"p": "a"}', "not exactly one whole number differs"),
    (snapshot({"a": {"o": "x"}}), {"a": {"o": "y"}}, '{"p": "a"}', "not exactly one whole number differs"),
    (snapshot({"a": {"o": 4}}), {"a": {"q": 4}}, '{"p": "a"}', "not exactly one whole number differs"),
    (snapshot({"a": 4}, uneven=["a"]), {"a": 5}, '{"p": "a"}', "its copies on the offsets topic disagree"),
    (snapshot({"a": 4}, uneven=["a"]), {"a": 4}, '{"p": "a"}', "its copies on the offsets topic disagree"),
    (snapshot({}, ["a"]), {"a": 5}, '{"p": "a"}', "what is live cannot be read"),
    (snapshot({}, ["a"]), {"a": None}, '{"p": "a"}', "what is live cannot be read"),
])
def test_what_is_not_known_is_refused(guards, named, live, desired, partition, why):
    assert refusal(live, declared(desired, **guards)) == (
        f"{named} cannot be checked for 1 partition of c, as it is not known how far the change moves it: {partition} ({why}). "
        "Declare it" + OTHER_TASK)


@pytest.mark.parametrize("desired, first", [
    (DesiredOffsets.absent(None), '{"p": 0} (its offset would be removed), {"p": 1} (its offset would be removed), {"p": 2} (its offset'),
    (DesiredOffsets.document(pairs({0: 1}), purge=True), '{"p": 1} (its offset would be removed), {"p": 2} (its'),
])
def test_a_reset_and_a_purge_are_refused(desired, first):
    said = refusal(snapshot(dict.fromkeys(range(6), 1)), guarded(desired, max_rewind=10))
    count = 6 if desired.entries is None else 5
    assert said.startswith(f"max_rewind: 10 cannot be checked for {count} partitions of c, as it is not known how far the change moves "
                           f"them: {first}")
    assert said.endswith("(its offset would be removed), .... Declare them" + OTHER_TASK)


def test_what_stays_does_not_move_whatever_is_known_of_it():
    assert Action(KEEP, {"p": 1}, {"o": 1}, {"o": 1}, unreadable=True, copies=[{"o": 2}]).moved == ("none", 0)


def test_a_raw_key_is_refused():
    live = Snapshot("c", "source", [entry("a", 1)], [Entry("garbage", None)])
    assert '"garbage" (what is live cannot be read)' in refusal(live, guarded(DesiredOffsets.absent(None, ["garbage"]), max_skip=3))


def test_what_does_not_change_needs_not_be_known():
    live = snapshot({"a": 40, "b": "text", "d": 1}, unreadable=["e"], uneven=["d"])
    desired = declared({"a": 39, "b": "text"}, max_rewind=1, max_skip=0)
    plan = make_plan(live, desired)
    assert moves(plan)["a"] == ("set", 40, 39)
    desired.check_guards(plan)


def test_the_way_back_has_no_guards():
    before = snapshot({"a": 40, "b": 1})
    desired = DesiredOffsets.exactly(before)
    plan = make_plan(snapshot({"a": 1000, "n": 1}), desired)
    desired.check_guards(plan)
    assert desired.guards is None and plan.after() == before.sorted()


def test_planning_alone_refuses_nothing():
    """What one method cannot know another one may: the limits are asked only once the method is chosen."""
    assert make_plan(snapshot({}, ["a"]), declared({"a": 5}, max_rewind=0, max_skip=0, direction="forward")).changed


def test_every_plan_within_its_guards_is_unchanged_once_it_is_live():
    rng, seen = random.Random(6), {"refused": 0, "kept": 0, "changed": 0}
    for _count in range(2000):
        live = snapshot({name: rng.choice([0, 5, 9, "x"]) for name in "abc" if rng.random() < 0.9})
        wanted = {name: rng.choice([0, 5, 9]) for name in "abc" if rng.random() < 0.5} or {"a": 1}
        direction, limit = rng.choice([None, "forward", "backward"]), rng.choice([None, 4, 9])
        desired = declared(wanted, direction=direction, max_rewind=limit, max_skip=limit)
        plan = make_plan(live, desired)
        try:
            desired.check_guards(plan)
        except DeclarationError:
            seen["refused"] += 1
            continue
        assert all(action.moved[0] in (direction or action.moved[0],) and action.moved[1] <= (limit or 9) for action in plan.changes)
        again = make_plan(Snapshot("c", "source", plan.after()), desired)
        assert not again.changed and again.after() == plan.after()
        seen["changed" if plan.changed else "kept"] += 1
    assert min(seen.values()) > 100
