# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import random

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import model
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import plan as planning
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, is_fulfilled, make_plan, movement
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import change_result

NAN = float("nan")


def pair(partition, offset):
    return {"partition": {"p": partition}, "offset": offset and {"o": offset}}


def snapshot(live, kind="source", unreadable=()):
    """live: {partition: offset or whole map}"""
    entries = [Entry({"p": name}, value if isinstance(value, dict) else {"o": value}) for name, value in live.items()]
    return Snapshot("c", kind, entries, [Entry({"p": name}, None) for name in unreadable])


def forced(items):
    desired = DesiredOffsets.present(items)
    desired.force = True
    return desired


def verbs(plan):
    return [(action.verb, action.partition["p"]) for action in plan.actions]


# ---- declarations -------------------------------------------------------------------------------------------------------

ONE = [{"partition": {"p": 1}, "offset": {"o": 1}}]


@pytest.mark.parametrize("items, says", [
    ([],
     "The list offsets is empty, so nothing is declared. To remove offsets use state: absent."),
    (None, "The list offsets is empty"),
    ("[]", 'offsets must be a list of {partition, offset}, it is the text "[]".'),
    ([7], "offsets[0] must be a dictionary with partition and offset, it is the integer 7."),
    ([{"offset": {"o": 1}}], "offsets[0] has no partition."),
    ([{"partition": {"p": 1}}], "offsets[0] has no offset. To remove a partition's offset use state: absent."),
    ([{"partition": {"p": 1}, "offset": None}],
     "offsets[0].offset is null. To remove a partition's offset use state: absent."),
    ([{"partition": {"p": 1}, "offset": {}}], "offsets[0].offset is an empty dictionary; it needs at least one field."),
    ([{"partition": None, "offset": {"o": 1}}], "offsets[0].partition must be a dictionary, it is null."),
    ([{"partition": {"p": 1}, "offset": 4}], "offsets[0].offset must be a dictionary, it is the integer 4."),
    ([dict(ONE[0], ofset=1)], "offsets[0] has the unknown field ofset; known are partition and offset."),
    ([dict(ONE[0], b=1, a=1)], "offsets[0] has the unknown fields a, b; known are"),
    ([{"topic": "t", "partition": 0, "offset": 4}],
     "offsets[0] has the unknown field topic; known are partition and offset. Of a sink they are {partition: {kafka_topic: TOPIC, "
     "kafka_partition: NUMBER}, offset: {kafka_offset: NUMBER}}."),
    (ONE + ONE, 'offsets[1] is a second entry for the partition {"p": 1}.'),
    ([pair("x", 1), {"partition": {"b": 1, "a": 2}, "offset": {"o": 1}},
      {"partition": {"a": 2, "b": 1}, "offset": {"o": 1}}],
     'offsets[2] is a second entry for the partition {"a": 2, "b": 1}.'),
    ([pair("x", {"q": 1})], "offsets[0].offset.o is the dictionary"),
    ([pair("x", [1])], "offsets[0].offset.o is the list [1]"),
    ([pair("x", NAN)], "offsets[0].offset.o is nan, which has no JSON form."),
    ([pair(2**63, 1)], "offsets[0].partition.p is 9223372036854775808, which does not fit"),
])
@pytest.mark.parametrize("purge", [False, True])
def test_present_refuses(items, says, purge):
    with pytest.raises(DeclarationError) as caught:
        DesiredOffsets.present(items, purge)
    assert caught.value.message.startswith(says)


def test_present_keeps_types_and_nulls():
    items = [{"partition": {"p": p}, "offset": {"o": None, "q": "4"}} for p in (4, "4", 4.0, True, None)]
    desired = DesiredOffsets.present(items)
    assert [entry.partition["p"] for entry in desired.entries] == [4, "4", 4.0, True, None]
    assert all(entry.offset == {"o": None, "q": "4"} for entry in desired.entries)


@pytest.mark.parametrize("items, says", [
    ([],
     "The list offsets is empty. To reset the whole connector leave the options offsets and raw_keys out."),
    ([{"offset": None}], "offsets[0] has no partition."),
    ([{"partition": {"p": 1}, "x": 1}], "offsets[0] has the unknown field x"),
    ([{"partition": {"p": 1}}, {"partition": {"p": 1}, "offset": {"o": 1}}], "offsets[1] is a second entry"),
])
def test_absent_refuses(items, says):
    with pytest.raises(DeclarationError) as caught:
        DesiredOffsets.absent(items)
    assert caught.value.message.startswith(says)


def test_absent_ignores_the_offset():
    items = [{"partition": {"p": 1}}, {"partition": {"p": 2}, "offset": {}}, {"partition": {"p": 3}, "offset": None},
             pair(4, 9)]
    assert [entry.offset for entry in DesiredOffsets.absent(items).entries] == [None] * 4
    assert DesiredOffsets.absent(None).entries is None


def test_document():
    desired = DesiredOffsets.document([pair(1, None), pair(2, 5)])
    assert desired.entries == [Entry({"p": 1}, None), Entry({"p": 2}, {"o": 5})]
    with pytest.raises(DeclarationError, match="lists no offsets for this connector"):
        DesiredOffsets.document([])
    assert DesiredOffsets.document([], purge=True).entries == []
    with pytest.raises(DeclarationError, match=r"document\[0\] has no offset"):
        DesiredOffsets.document([{"partition": {"p": 1}}])


def test_sink_partitions_that_become_equal_are_two_entries_for_one():
    items = [{"partition": {"kafka_topic": "t", "kafka_partition": p}, "offset": {"kafka_offset": 1}} for p in (0, "0")]
    desired = DesiredOffsets.present(items)
    with pytest.raises(DeclarationError, match="Two entries are for the same partition"):
        desired.for_kind("sink")
    assert len(desired.for_kind("source")) == 2


# ---- plans --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("live, unreadable, desired, expected", [
    # present
    ({"a": 1}, "", DesiredOffsets.present([pair("a", 1)]), [("keep", "a")]),
    ({"a": 1}, "", DesiredOffsets.present([pair("a", 2)]), [("set", "a")]),
    ({}, "", DesiredOffsets.present([pair("a", 2)]), [("set", "a")]),
    ({"a": 1, "c": 1}, "", DesiredOffsets.present([pair("b", 2)]), [("set", "b"), ("keep", "a"), ("keep", "c")]),
    ({"a": 1, "c": 1}, "", DesiredOffsets.present([pair("b", 2)], purge=True), [("remove", "a"), ("set", "b"), ("remove", "c")]),
    ({"a": 1, "b": 2}, "", DesiredOffsets.present([pair("b", 2)], purge=True), [("remove", "a"), ("keep", "b")]),
    ({"a": 1}, "u", DesiredOffsets.present([pair("a", 1)]), [("keep", "a")]),
    ({"a": 1}, "u", DesiredOffsets.present([pair("a", 1)], purge=True), [("remove", "u"), ("keep", "a")]),
    ({}, "u", DesiredOffsets.present([pair("u", 1)]), [("set", "u")]),
    # absent
    ({"a": 1, "b": 1}, "", DesiredOffsets.absent(None), [("remove", "a"), ("remove", "b")]),
    ({}, "", DesiredOffsets.absent(None), []),
    ({}, "u", DesiredOffsets.absent(None), [("remove", "u")]),
    ({"a": 1, "b": 1}, "", DesiredOffsets.absent([pair("b", None)]), [("remove", "b"), ("keep", "a")]),
    ({"a": 1}, "", DesiredOffsets.absent([pair("b", None)]), [("keep", "a"), ("keep", "b")]),
    ({}, "u", DesiredOffsets.absent([pair("u", None)]), [("remove", "u")]),
    # document, exactly
    ({"a": 1, "b": 1}, "", DesiredOffsets.document([pair("b", None), pair("a", 3)]), [("set", "a"), ("remove", "b")]),
    ({"a": 1}, "", DesiredOffsets.document([], purge=True), [("remove", "a")]),
    ({"a": 1, "b": 1}, "", DesiredOffsets.exactly(snapshot({"a": 2})), [("set", "a"), ("remove", "b")]),
    ({"a": 1}, "", DesiredOffsets.exactly(snapshot({})), [("remove", "a")]),
    ({"a": 1}, "", DesiredOffsets.exactly(snapshot({"a": 1})), [("keep", "a")]),
])
def test_make_plan(live, unreadable, desired, expected):
    plan = make_plan(snapshot(live, unreadable=unreadable), desired)
    assert verbs(plan) == expected
    assert plan.changed is any(verb != "keep" for verb, name in expected)
    assert verbs(plan)[: len(plan.changes)] == [(action.verb, action.partition["p"]) for action in plan.changes]
    assert plan.counts == {verb: [v for v, name in expected].count(verb) for verb in ("set", "remove", "keep")}
    assert plan.resets_all is (desired.entries is None)
    assert {action.partition["p"] for action in plan.actions if action.unreadable} == {
        name for verb, name in expected if name in unreadable}


@pytest.mark.parametrize("kind", ["source", "sink"])
@pytest.mark.parametrize("uneven, unreadable, lost", [((), (), ()), ("a", (), ()), ((), "b", ()), ((), (), "a")])
@pytest.mark.parametrize("offset", [None, {"o": 1}, {"o": "1"}, {"o": 2}, {"o": 1, "x": 0}, {"o": True}])
@pytest.mark.parametrize("live", [{}, {"a": 1}, {"a": 1, "b": 7}])
def test_what_is_declared_is_live(live, offset, uneven, unreadable, lost, kind):
    """Only where make_plan() has nothing to do, and always where nothing is odd."""
    if kind == "sink":
        partitions = [{"kafka_topic": name, "kafka_partition": 0} for name in live]
        found = Snapshot("c", kind, [Entry(one, {"kafka_offset": 1}) for one in partitions])
        offset = offset and {"kafka_offset": offset["o"]}
        desired = DesiredOffsets.document([{"partition": {"kafka_topic": "a", "kafka_partition": "0"}, "offset": offset}])
        odd = False
        if offset and offset["kafka_offset"] is True:
            return
    else:
        found = snapshot(live, kind, unreadable)
        found.uneven = {model.canonical({"p": name}): [None] for name in uneven if name in live}
        found.lost = [model.canonical({"p": name}) for name in lost if name in live]
        odd = bool(found.uneven or found.unreadable or found.lost)
        desired = DesiredOffsets.document([{"partition": {"p": "a"}, "offset": offset}])
    unchanged = not make_plan(found, desired, check_types=False).changed
    assert is_fulfilled(found, desired) is (unchanged and not odd)


@pytest.mark.parametrize("desired", [DesiredOffsets.absent(None), DesiredOffsets.document([], purge=True)])
def test_where_everything_else_goes_it_takes_a_plan(desired):
    assert not is_fulfilled(snapshot({}), desired)


def test_actions_tell_before_and_after():
    plan = make_plan(snapshot({"a": 5, "k": 1, "r": 7}), DesiredOffsets.document([pair("a", 2), pair("n", 9), pair("r", None)]))
    assert [action.result() for action in plan.actions] == [
        {"partition": {"p": "a"}, "action": "set", "from": {"o": 5}, "to": {"o": 2}, "direction": "backward",
         "distance": 3},
        {"partition": {"p": "n"}, "action": "set", "from": None, "to": {"o": 9}, "direction": "unknown",
         "distance": None},
        {"partition": {"p": "r"}, "action": "remove", "from": {"o": 7}, "to": None, "direction": "unknown",
         "distance": None},
        {"partition": {"p": "k"}, "action": "keep", "from": {"o": 1}, "to": {"o": 1}, "direction": "none",
         "distance": 0},
    ]
    assert plan.after() == [Entry({"p": "a"}, {"o": 2}), Entry({"p": "k"}, {"o": 1}), Entry({"p": "n"}, {"o": 9})]


PG = {"transaction_id": None, "lsn_proc": 25565696, "messageType": "INSERT", "lsn_commit": 25565640, "lsn": 25565696,
      "txId": 491, "ts_usec": 1711929600000000}
MYSQL = {"transaction_id": None, "ts_sec": 1698175034, "file": "bin.008984", "pos": 219, "row": 148,
         "server_id": 4294967295, "gtids": "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-23",
         "incremental_snapshot_collections": '[{"incremental_snapshot_collections_id":"shop.orders"}]',
         "transaction_data_collection_order_shop.orders": 3}
ORACLE = {"scn": "28815377", "commit_scn": "28815377:1:0a001b00", "snapshot_scn": "28810000"}
MONGO = {"_id": '{"_data": "826500AB"}', "copy": "true", "HEARTBEAT": "true"}
JDBC = {"timestamp": 1718000000123, "timestamp_nanos": 456000000, "incrementing": 1547863325117001729}


@pytest.mark.parametrize("offset", [PG, MYSQL, ORACLE, MONGO, JDBC])
def test_real_offsets_are_equal_in_any_field_order(offset):
    turned = dict(reversed(list(offset.items())))
    plan = make_plan(snapshot({"a": offset}), DesiredOffsets.present([{"partition": {"p": "a"}, "offset": turned}]))
    assert verbs(plan) == [("keep", "a")]


@pytest.mark.parametrize("live, field, value", [
    (PG, "transaction_id", "None"), (PG, "lsn", 25565697), (ORACLE, "scn", "28815378"), (ORACLE, "scn", "028815377"),
    (MONGO, "_id", '{"_data":"826500AB"}'), (JDBC, "incrementing", 1547863325117001728),
])
def test_a_different_field_is_a_change(live, field, value):
    desired = DesiredOffsets.present([{"partition": {"p": "a"}, "offset": dict(live, **{field: value})}])
    assert verbs(make_plan(snapshot({"a": live}), desired)) == [("set", "a")]


def test_a_float_of_the_same_value_is_a_change():
    desired = forced([{"partition": {"p": "a"}, "offset": dict(JDBC, incrementing=1547863325117001729.0)}])
    assert verbs(make_plan(snapshot({"a": JDBC}), desired)) == [("set", "a")]


def test_a_declared_offset_replaces_the_whole_map_and_dropped_fields_are_visible():
    action, = make_plan(snapshot({"a": PG}), forced([{"partition": {"p": "a"}, "offset": {"lsn": 1}}])).actions
    assert action.result() == {"partition": {"p": "a"}, "action": "set", "from": PG, "to": {"lsn": 1},
                               "direction": "unknown", "distance": None}


def test_a_null_field_is_not_a_missing_one():
    plan = make_plan(snapshot({"a": {"o": 1, "n": None}}), forced([pair("a", 1)]))
    assert verbs(plan) == [("set", "a")] and plan.after() == [Entry({"p": "a"}, {"o": 1})]


def test_new_partitions_do_not_each_search_all_the_others():
    class Counting(dict):
        walks = 0

        def values(self):
            Counting.walks += 1
            return super().values()

    live = snapshot({str(number): number for number in range(50)})
    live.entries = Counting(live.entries)
    desired = DesiredOffsets.present([{"partition": {"p": f"new {number}"}, "offset": {"other": number}} for number in range(50)])
    assert make_plan(live, desired).counts == {"set": 50, "remove": 0, "keep": 50}
    assert Counting.walks <= 3


def test_a_new_partition_of_a_connector_that_has_others_is_pointed_out():
    assert make_plan(snapshot({"/tmp/a": 1, "b": 2}), DesiredOffsets.present([pair("a", 5)])).warnings == [
        'c has no offset so far for {"p": "a"}, only for 2 others such as {"p": "/tmp/a"}: is it spelled as the connector spells it?']
    assert make_plan(snapshot({}), DesiredOffsets.present([pair("a", 5)])).warnings == []
    assert make_plan(snapshot({"a": 1}), DesiredOffsets.present([pair("a", 5)])).warnings == []


@pytest.mark.parametrize("live, declared",
                         [(4.0, 4), (True, 1), (True, "1"), (1, "true"), (4, "x"), ("4", "5"), (None, "4"), (None, 4)])
def test_other_types_are_a_change(live, declared):
    assert verbs(make_plan(snapshot({"a": {"o": live}}), DesiredOffsets.present([pair("a", declared)]))) == [("set", "a")]


@pytest.mark.parametrize("live, declared", [(1, "1"), ("1", 1), (1, 1.0), (True, "true"), (None, "null")])
@pytest.mark.parametrize("purge", [False, True])
def test_a_partition_with_other_types_is_refused(live, declared, purge):
    with pytest.raises(DeclarationError, match="the same text with other types, which Connect takes for another partition"):
        make_plan(snapshot({live: 5}), DesiredOffsets.present([pair(declared, 5)], purge))


def test_a_partition_written_with_wrong_types_can_be_removed_and_stays_so():
    live = Snapshot("c", "source", [Entry({"p": 1}, {"o": 1}), Entry({"p": "1"}, {"o": 1})])
    desired = DesiredOffsets.absent([pair("1", None)])
    plan = make_plan(live, desired)
    assert [(action.verb, action.partition) for action in plan.changes] == [("remove", {"p": "1"})]
    assert not make_plan(Snapshot("c", "source", plan.after()), desired).changed


def test_a_document_may_change_the_type_of_a_partition():
    desired = DesiredOffsets.document([pair("1", None), pair(1, 5)])
    plan = make_plan(snapshot({"1": 5}), desired)
    assert plan.after() == [Entry({"p": 1}, {"o": 5})]
    assert not make_plan(Snapshot("c", "source", plan.after()), desired).changed
    undo = make_plan(Snapshot("c", "source", plan.after()), DesiredOffsets.exactly(plan.live))
    assert undo.after() == [Entry({"p": "1"}, {"o": 5})]


def test_a_partition_with_other_types_is_refused_when_the_live_one_is_unreadable():
    with pytest.raises(DeclarationError, match="the same text with other types"):
        make_plan(snapshot({}, unreadable=[1]), DesiredOffsets.present([pair("1", 5)]))


def test_both_types_may_be_live():
    live = Snapshot("c", "source", [Entry({"p": 1}, {"o": 1}), Entry({"p": "1"}, {"o": 1})])
    plan = make_plan(live, DesiredOffsets.present([pair("1", 2)]))
    assert [(action.verb, action.partition) for action in plan.actions] == [("set", {"p": "1"}), ("keep", {"p": 1})]


def test_a_snapshot_with_both_types_can_be_put_back():
    before = Snapshot("c", "source", [Entry({"p": 1}, {"o": 1}), Entry({"p": "1"}, {"o": 1})])
    plan = make_plan(Snapshot("c", "source", [Entry({"p": 1}, {"o": 1})]), DesiredOffsets.exactly(before))
    assert [(action.verb, action.partition) for action in plan.changes] == [("set", {"p": "1"})]


def sink(partition, offset):
    return {"partition": {"kafka_topic": "t", "kafka_partition": partition}, "offset": {"kafka_offset": offset}}


@pytest.mark.parametrize("declared, expected", [
    (sink("0", "5"), ("keep", "none", 0)), (sink(0, 5), ("keep", "none", 0)), (sink("0", "7"), ("set", "forward", 2)),
    (sink(0, 0), ("set", "backward", 5)),
])
def test_sink_numbers_may_be_text(declared, expected):
    live = Snapshot("c", "sink", [Entry(**sink(0, 5))])
    action, = make_plan(live, DesiredOffsets.present([declared])).actions
    result = action.result()
    assert (result["action"], result["direction"], result["distance"]) == expected
    assert result["to"]["kafka_offset"].__class__ is int
    assert result["partition"] == {"kafka_topic": "t", "kafka_partition": 0}


@pytest.mark.parametrize("before, after, expected", [
    ({"o": 1}, {"o": 5}, ("forward", 4)),
    ({"o": 5}, {"o": 1}, ("backward", 4)),
    ({"o": 5}, {"o": 5}, ("none", 0)),
    (None, None, ("none", 0)),
    (None, {"o": 5}, ("unknown", None)),
    ({"o": 5}, None, ("unknown", None)),
    ({"o": 5, "x": 1}, {"o": 7, "x": 1}, ("forward", 2)),
    ({"o": 5, "x": 1}, {"o": 7, "x": 2}, ("unknown", None)),
    ({"o": 5, "x": 1}, {"o": 7}, ("unknown", None)),
    ({"o": "5"}, {"o": "7"}, ("unknown", None)),
    ({"o": 5}, {"o": 7.0}, ("unknown", None)),
    ({"o": False}, {"o": True}, ("unknown", None)),
    ({"o": -9223372036854775808}, {"o": 9223372036854775807}, ("forward", 18446744073709551615)),
    ({"o": -0.0}, {"o": 0.0}, ("none", 0)),
])
def test_movement(before, after, expected):
    assert movement(before, after) == expected


# ---- properties ---------------------------------------------------------------------------------------------------

VALUES = [0, 1, -1, "0", "1", "x", "", 0.0, -0.0, 1.5, True, None, 9223372036854775807, 1e300]


def random_map(rng):
    return {rng.choice("abc"): rng.choice(VALUES) for count in range(rng.randint(1, 3))}


def random_snapshot(rng):
    return Snapshot("c", "source", [Entry(random_map(rng), random_map(rng)) for count in range(rng.randint(0, 5))])


def random_wish(rng):
    entries = {}
    for _count in range(rng.randint(1, 5)):
        partition = random_map(rng)
        entries[model.canonical(partition)] = {"partition": partition, "offset": rng.choice([None, random_map(rng)])}
    purge = rng.random() < 0.3
    return rng.choice([lambda: DesiredOffsets.document(list(entries.values()), purge),
                       lambda: DesiredOffsets.absent(list(entries.values())),
                       lambda: DesiredOffsets.absent(None), lambda: DesiredOffsets.exactly(random_snapshot(rng))])()


def test_what_was_planned_is_unchanged_once_it_is_live():
    rng, planned = random.Random(875), 0
    for _count in range(3000):
        live, desired = random_snapshot(rng), random_wish(rng)
        try:
            plan = make_plan(live, desired)
        except DeclarationError:  # a lost type
            continue
        planned += 1
        after = Snapshot("c", "source", plan.after())
        assert not make_plan(after, desired).changed
        if not desired.purge and desired.entries is not None:
            named = {model.canonical(entry.partition) for entry in desired.entries}
            assert all(after.entries[key] == entry for key, entry in live.entries.items() if key not in named)
        if not plan.changed:
            assert after.entries.keys() == live.entries.keys()
    assert planned > 1000


def test_many_partitions_cost_a_fixed_number_of_steps_each(monkeypatch):
    count, calls = 100000, []

    def counting(value, real=model.canonical):
        calls.append(None)
        return real(value)

    live = snapshot(dict.fromkeys(range(count), 1))
    monkeypatch.setattr(model, "canonical", counting)
    monkeypatch.setattr(planning, "canonical", counting)
    plan = make_plan(live, DesiredOffsets.present([pair(number, 2) for number in range(1, count + 1)], purge=True))
    assert plan.counts == {"set": count, "remove": 1, "keep": 0}
    assert len(plan.after()) == count and len(plan.changes) == count + 1
    assert len(calls) <= 6 * count


# ---- what only the offsets topic knows ----------------------------------------------------------------------------

def on_topic(live, unreadable=(), uneven=None):
    """unreadable: partitions or the text of raw keys; uneven: {partition: further offsets}."""
    keys = [name if isinstance(name, str) else {"p": name} for name in unreadable]
    return Snapshot("c", "source", snapshot(live).entries.values(), [Entry(key, None) for key in keys],
                    {model.canonical({"p": name}): offsets for name, offsets in (uneven or {}).items()})


@pytest.mark.parametrize("items, raw_keys, expected", [
    (None, ["garbage"], [("remove", "garbage")]),
    ([], ["garbage"], [("remove", "garbage")]),
    ([{"partition": {"p": 1}}], ["garbage"], [("remove", {"p": 1}), ("remove", "garbage")]),
    (None, ["not there"], []),
    (None, ["garbage", "garbage", "not there"], [("remove", "garbage")]),
    ([{"partition": {"p": 1}}], None, [("remove", {"p": 1})]),
    (None, ['{"p": 1}'], []),  # a raw key is the whole key, not a partition
])
def test_raw_keys(items, raw_keys, expected):
    plan = make_plan(on_topic({1: 4, 2: 5}, ["garbage"]), DesiredOffsets.absent(items, raw_keys))
    assert sorted(((action.verb, action.partition) for action in plan.changes), key=str) == sorted(expected, key=str)
    assert not plan.resets_all and plan.warnings == [] and 2 in [entry.partition["p"] for entry in plan.after()]


@pytest.mark.parametrize("items, raw_keys", [([], []), ([], None), (None, [])])
def test_raw_keys_that_name_nothing(items, raw_keys):
    with pytest.raises(DeclarationError, match="The list offsets is empty"):
        DesiredOffsets.absent(items, raw_keys)


def test_a_raw_key_in_result_and_diff():
    plan = make_plan(on_topic({1: 4}, ["garbage"]), DesiredOffsets.absent(None, ["garbage"]))
    result = change_result(plan, "topic", 0)
    assert result["actions"][0] == {"partition": "garbage", "action": "remove", "from": None, "to": None,
                                    "direction": "unknown", "distance": None}
    assert result["counts"] == {"set": 0, "remove": 1, "keep": 1, "before": 1, "after": 1}


@pytest.mark.parametrize("desired, expected", [
    (DesiredOffsets.present([pair(1, 4)]), [("set", 1)]),  # the copy shown is right, another one is not
    (DesiredOffsets.present([pair(1, 5)]), [("set", 1)]),
    (DesiredOffsets.present([pair(2, 5)]), []),
    (DesiredOffsets.present([pair(2, 5)], purge=True), [("remove", 1)]),
    (DesiredOffsets.absent([{"partition": {"p": 1}}]), [("remove", 1)]),
    (DesiredOffsets.absent([{"partition": {"p": 2}}]), [("remove", 2)]),
    (DesiredOffsets.absent(None), [("remove", 1), ("remove", 2)]),
])
def test_copies_that_disagree(desired, expected):
    plan = make_plan(on_topic({1: 4, 2: 5}, uneven={1: [{"o": 9}]}), desired)
    assert [(action.verb, action.partition["p"]) for action in plan.changes] == expected
    assert [list(action.copies) for action in plan.changes] == [[{"o": 9}] if number == 1 else [] for _verb, number in expected]


@pytest.mark.parametrize("desired, before, after", [
    (DesiredOffsets.present([pair(1, 4)]), [{"o": 4}, {"o": 9}, None], {"o": 4}),
    (DesiredOffsets.present([pair(1, 7)]), [{"o": 4}, {"o": 9}, None], {"o": 7}),
    (DesiredOffsets.absent(None), [{"o": 4}, {"o": 9}, None], None),
    (DesiredOffsets.present([pair(2, 7)]), {"o": 4}, {"o": 4}),
])
def test_copies_that_disagree_in_the_diff(desired, before, after):
    result = change_result(make_plan(on_topic({1: 4}, uneven={1: [{"o": 9}, None]}), desired), "topic", 0)
    diff = result["diff"][0]
    assert (diff["before"]['{"p": 1}'], diff["after"].get('{"p": 1}')) == (before, after)
    action = next(action for action in result["actions"] if action["partition"] == {"p": 1})
    assert action["from"] == {"o": 4}
    assert action["direction"] == ("none" if action["action"] == "keep" else "unknown")


def test_what_could_not_be_read_before_is_not_put_back_by_removing_it():
    before = on_topic({1: 4}, [3, "garbage"])
    assert not make_plan(before, DesiredOffsets.exactly(before)).changed
    after = on_topic({1: 7}, [3, "garbage"])
    assert verbs(make_plan(after, DesiredOffsets.exactly(before))) == [("set", 1)]
