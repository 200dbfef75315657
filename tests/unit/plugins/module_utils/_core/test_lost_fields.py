# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import json

import pytest
import yaml
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan


def pair(partition, offset):
    return {"partition": {"p": partition}, "offset": offset if isinstance(offset, dict) else {"o": offset}}


def snapshot(live):
    """live: {partition: offset}"""
    return Snapshot("c", "source", [Entry(**pair(partition, offset)) for partition, offset in live.items()])


def wish_for(items, force=False, is_own=False):
    desired = DesiredOffsets.document(items) if is_own else DesiredOffsets.present(items)
    desired.force, desired.is_own = force, is_own
    return desired


def refusal(live, desired):
    with pytest.raises(DeclarationError) as caught:
        make_plan(live, desired)
    return caught.value.message


def as_a_module_gets_it(text):
    """What becomes of YAML without quotes: Ansible hands modules JSON, with times in ISO 8601."""
    value = yaml.safe_load("value: " + text)["value"]
    return value.isoformat() if isinstance(value, (datetime.date, datetime.datetime)) else value


# ---- types of offsets -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("live, declared, says", [
    (42, "43", 'declared as the text "43", but its live value is the integer 42'),
    (42, "42", 'declared as the text "42", but its live value is the integer 42'),
    ("28815377", 28815377, 'declared as the integer 28815377, but its live value is the text "28815377"'),
    ("-1", 5, 'declared as the integer 5, but its live value is the text "-1"'),
    (4.0, "8.0", 'declared as the text "8.0", but its live value is the float 4.0'),
    (4.0, "4", 'declared as the text "4", but its live value is the float 4.0'),
    ("true", True, 'declared as the boolean true, but its live value is the text "true"'),
    (False, "True", 'declared as the text "True", but its live value is the boolean false'),
    ("x", 4, 'declared as the integer 4, but its live value is the text "x"'),
    ("", 0, 'declared as the integer 0, but its live value is the text ""'),
])
def test_a_lost_type_is_refused_both_ways(live, declared, says):
    message = refusal(snapshot({"a": live}), wish_for([pair("a", declared)]))
    assert message.startswith('The offset of partition {"p": "a"}: the field o is ' + says + ". Both are legal")
    assert "quote it" in message and "offsets: \"{{ my_offsets }}\"" in message and "force: true" in message


@pytest.mark.parametrize("text, declared", [
    ("12:30", "the integer 750"), ("1:00:00", "the integer 3600"), ("12:30.5", "the float 750.5"), ("0x1F", "the integer 31"),
    ("1_000", "the integer 1000"), ("010", "the integer 8"), ("0b11", "the integer 3"), ("1.5", "the float 1.5"), ("1.5e+3", "the float 1500.0"),
    (".5", "the float 0.5"), ("yes", "the boolean true"), ("Off", "the boolean false"), ("TRUE", "the boolean true"), ("007", "the integer 7"),
])
@pytest.mark.parametrize("before", [True, False])
def test_text_that_yaml_has_made_something_else(text, declared, before):
    live = snapshot({"a": text} if before else {"b": text})
    message = refusal(live, wish_for([pair("a", as_a_module_gets_it(text))]))
    assert f"is declared as {declared}, but " in message and f"is the text {json.dumps(text)}" in message and "quote it" in message
    assert make_plan(live, wish_for([pair("a", as_a_module_gets_it(json.dumps(text)))])).changed is not before


@pytest.mark.parametrize("live, declared, says", [
    (42, 0.5, "declared as the float 0.5, but its live value is the integer 42"),
    (42, 42.0, "declared as the float 42.0, but its live value is the integer 42"),
    (1547863325117001729, 1.547863325117001e18, "but its live value is the integer 1547863325117001729"),
    (42, True, "declared as the boolean true, but its live value is the integer 42"), (0, False, "declared as the boolean false, but its live value is the"),
    (1, True, "declared as the boolean true, but its live value is the integer 1"),
])
@pytest.mark.parametrize("before", [True, False])
def test_what_is_no_whole_number_where_one_is_meant(live, declared, says, before):
    there = snapshot({"a" if before else "b": live})
    message = refusal(there, wish_for([pair("a", declared)]))
    assert says.replace("its live value is", "its live value is" if before else "in another partition of this connector it is") in message
    assert "YAML reads yes, no, on and off as booleans" in message and "Declare a whole number." in message
    warnings = make_plan(there, wish_for([pair("a", declared)], force=True)).warnings
    assert any("declared as the" in text for text in warnings)
    assert make_plan(snapshot({"a": live, "b": declared}), wish_for([pair("c", declared)])).changed


@pytest.mark.parametrize("text", ["NULL", "~", "null", ""])
def test_text_that_yaml_has_made_a_null_is_a_warning(text):
    """A null can be meant: Debezium's transaction_id is text or null."""
    warning, = make_plan(snapshot({"a": text}), wish_for([pair("a", {"o": as_a_module_gets_it(text)})])).warnings
    assert f"declared as null, but its live value is the text {json.dumps(text)}" in warning and "quote it" in warning
    both = snapshot({"b": {"o": None}, "d": {"o": text}})
    assert not any("quote" in warning for warning in make_plan(both, wish_for([pair("a", {"o": None})])).warnings)


@pytest.mark.parametrize("text, declared", [
    ("2026-01-31 12:30:00", "2026-01-31T12:30:00"), ("2026-01-31T12:30:00Z", "2026-01-31T12:30:00+00:00"),
    ("2026-01-31t12:30:00.25", "2026-01-31T12:30:00.250000"), ("2026-1-31 1:30:00 +2", "2026-01-31T01:30:00+02:00"),
])
def test_a_time_that_ansible_has_written_in_another_form(text, declared):
    assert as_a_module_gets_it(text) == declared
    warning, = make_plan(snapshot({"a": text}), wish_for([pair("a", declared)])).warnings
    assert f'declared as the text "{declared}", but its live value is the text "{text}"' in warning and "quote it" in warning


@pytest.mark.parametrize("text, declared", [
    ("2026-01-31", "2026-02-01"), ("2026-01-31T12:30:00", "2026-01-31T13:30:00"), ("2026-01-31 12:30:00", "2026-01-31 13:30:00"),
    ("bin.000001", "bin.000002"), ("1e3", "1e4"), ("0o17", "0o20"), ("12:30", "13:30"),
])
def test_text_for_text_is_no_matter(text, declared):
    assert make_plan(snapshot({"a": text}), wish_for([pair("a", declared)])).warnings == []


@pytest.mark.parametrize("others, declared, refused", [
    ({"b": 42}, "43", True), ({"b": "x"}, 43, True), ({"b": 42, "d": "x"}, "43", False), ({"b": "x", "d": 42}, 43, False), ({}, "43", False),
    ({"b": {"q": "x"}}, 43, False), ({"b": None}, 43, False), ({"b": 42, "d": 1.5}, 4.5, False),
])
def test_a_new_partition_is_compared_with_all_types_of_the_others(others, declared, refused):
    live, desired = snapshot({name: value if isinstance(value, dict) else {"o": value} for name, value in others.items()}), wish_for([pair("a", declared)])
    if refused:
        assert "in another partition of this connector it is" in refusal(live, desired)
    else:
        assert not any("declared as" in warning for warning in make_plan(live, desired).warnings)


@pytest.mark.parametrize("partition, force, is_own, refused", [
    ("a", False, False, True), ("a", True, False, False), ("a", False, True, False), ("a", True, True, False),
    ("new", False, False, True), ("new", True, False, False), ("new", False, True, False),
])
def test_a_way_out(partition, force, is_own, refused):
    live, desired = snapshot({"a": 5}), wish_for([pair(partition, "6")], force, is_own)
    if refused:
        refusal(live, desired)
    else:
        plan = make_plan(live, desired)
        assert any('declared as the text "6"' in warning for warning in plan.warnings) and plan.changed


# ---- types of partitions --------------------------------------------------------------------------------------------

@pytest.mark.parametrize("live, declared", [("12:30", 750), ("yes", True), ("NULL", None), ("010", 8), ("a", 1.5)])
def test_a_new_partition_with_something_else_than_text(live, declared):
    message = refusal(snapshot({live: 5}), wish_for([pair(declared, 6)]))
    assert "is not live, and its field p is " in message and f"such as the text {json.dumps(live)}" in message and "quote it" in message
    assert make_plan(snapshot({live: 5}), wish_for([pair(declared, 6)], force=True)).changed
    assert make_plan(snapshot({live: 5}), wish_for([pair(declared, 6)], is_own=True)).changed
    assert make_plan(snapshot({live: 5, 7: 5}), wish_for([pair(8, 6)])).changed


def test_the_same_text_with_other_types_by_force():
    plan = make_plan(snapshot({1: 5}), wish_for([pair("1", 6)], force=True))
    assert any("the same text with other types" in warning for warning in plan.warnings)
    assert [(action.verb, action.partition) for action in plan.changes] == [("set", {"p": "1"})]


# ---- fields that an offset loses ------------------------------------------------------------------------------------

DATAGEN = {"task.generation": 1, "current.iteration": 1543, "random.seed": -4962768465676381896}


def test_lost_fields_are_refused():
    message = refusal(snapshot({0: DATAGEN}), wish_for([pair(0, {"current.iteration": 100})]))
    assert message.startswith('1 partition of c would lose fields that the live offset has: {"p": 0} (random.seed, task.generation).')
    assert "force: true" in message


def test_lost_fields_of_many_partitions_in_one_sentence():
    live = snapshot({name: {"o": 1, "n": None} for name in "abcd"})
    message = refusal(live, wish_for([pair(name, 2) for name in "abcd"]))
    assert message.startswith('4 partitions of c would lose fields that the live offset has: {"p": "a"} (n), {"p": "b"} (n), {"p": "c"} (n), ...')


@pytest.mark.parametrize("force, is_own", [(True, False), (False, True)])
def test_lost_fields_that_are_meant_are_a_warning(force, is_own):
    plan = make_plan(snapshot({0: DATAGEN}), wish_for([pair(0, {"current.iteration": 100})], force, is_own))
    assert plan.warnings == ['1 partition of c would lose fields that the live offset has: {"p": 0} (random.seed, task.generation).']
    assert plan.after() == [Entry({"p": 0}, {"current.iteration": 100})]


@pytest.mark.parametrize("declared", [DATAGEN, dict(DATAGEN, **{"current.iteration": 100})])
def test_no_field_is_lost(declared):
    assert make_plan(snapshot({0: DATAGEN}), wish_for([pair(0, declared)])).warnings == []
    assert make_plan(snapshot({1: DATAGEN}), DesiredOffsets.absent(None)).warnings == []


def test_a_field_that_no_live_offset_has():
    live = snapshot({"a": {"position": 4}, "b": {"position": 5}})
    warning, = make_plan(live, wish_for([pair("a", {"position": 4, "pos": 0})])).warnings
    assert warning == ('1 partition of c would get fields that no live offset of it has: {"p": "a"} (pos); the live ones have position. Did you mean position? '
                       "A task that does not find its own field can fail or begin anew.")
    of_a_new_one = make_plan(live, wish_for([pair("new", {"pos": 0})])).warnings
    assert any(text.startswith('1 partition of c would get fields that no live offset of it has: {"p": "new"} (pos);') for text in of_a_new_one)
    message = refusal(live, wish_for([pair("a", {"pos": 0})]))
    assert message.startswith('1 partition of c would lose fields that the live offset has: {"p": "a"} (position). Did you mean position? A declared offset')
    forced = make_plan(live, wish_for([pair("a", {"pos": 0})], force=True)).warnings
    assert len(forced) == 2 and "would lose fields" in forced[0] and "(pos); the live ones have position. Did you mean position?" in forced[1]
    assert make_plan(snapshot({}), wish_for([pair("a", {"pos": 0})])).warnings == []
    assert make_plan(snapshot({"a": {"position": 4}, "b": {"pos": 5}}), wish_for([pair("b", {"pos": 0})])).warnings == []
    assert make_plan(live, wish_for([pair("a", {"position": 1, "pos": 0})], is_own=True)).warnings == []


def test_what_puts_an_earlier_state_back_is_not_judged():
    plan = make_plan(snapshot({0: DATAGEN}), DesiredOffsets.exactly(snapshot({0: {"current.iteration": "x"}})))
    assert plan.changed and plan.warnings == []
