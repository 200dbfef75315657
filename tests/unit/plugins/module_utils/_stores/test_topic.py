# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import random

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.murmur2 import partition_for
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import decode_key, new_key
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.record_size import record_bytes
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import decode, encode
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicStore, raw_bytes, raw_text
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change as a_change
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

#: with 5 topic partitions they belong on 1, 4 and 1
COMPACT = b'["fs-orders",{"filename":"in/orders.txt"}]'
BLANKS = b'["fs-orders", {"filename": "in/orders.txt"}]'
ENVELOPED = b'{"schema":null,"payload":["fs-orders",{"filename":"in/orders.txt"}]}'
ORDERS = {"filename": "in/orders.txt"}
#: 3 and 0
OWN_ORDER = b'["fp-files",{"name":"a.csv","path":"landing"}]'
HASH_ORDER = b'["fp-files",{"path":"landing","name":"a.csv"}]'
FILE = {"name": "a.csv", "path": "landing"}


def store_of(kafka, name="fs-orders", topics=("offsets",), **options):
    return TopicStore(OffsetLogs(KafkaLogs(kafka)), name, list(topics), **options)


def present(partition, offset, purge=False, force=False):
    desired = DesiredOffsets.present([{"partition": partition, "offset": offset}], purge)
    desired.force = force
    return desired


def absent(*partitions, raw_keys=None):
    return DesiredOffsets.absent([{"partition": partition} for partition in partitions] or None, raw_keys)


def carry_out(store, desired):
    """The records written, and no change is left after them."""
    plan = make_plan(store.read(), desired)
    if not plan.changed:
        return []
    store.check(plan)
    assert store.apply(plan) is None
    assert not make_plan(store.read(), desired).changed
    return store.logs.source.kafka.writes[-1]


def shown(store):
    snapshot = store.read()
    return {key: entry.offset for key, entry in snapshot.entries.items()}, sorted(snapshot.unreadable)


# ---- reading ------------------------------------------------------------------------------------------------------

def written(before=(), after=(), change=None, name="c", **topic):
    """What has_written() says once {p: 1} and {p: 2} of the connector c were set. before, after: (key, value) of other records; change(kafka)."""
    kafka = FakeKafka(**topic)
    for key, value in before:
        kafka.put(key, value)
    store = store_of(kafka, name)
    plan = make_plan(store.read(), DesiredOffsets.present([{"partition": {"p": number}, "offset": {"o": 5}} for number in (1, 2)]))
    assert store.has_written(plan) is False  # nobody has asked for its records
    store.check(plan)
    assert store.has_written(plan) in (None, False)  # so far
    store.apply(plan)
    for key, value in after:
        kafka.put(key, value)
    if change is not None:
        change(kafka)
    store.logs.renew()
    found, rest = store.has_written(plan), make_plan(store.read(), plan.desired)
    assert not (found and rest.changed)
    return found


ONE, TWO = '["c",{"p":1}]', '["c",{"p":2}]'


@pytest.mark.parametrize("before", [[], [(ONE, '{"o":4}')], [(ONE, None)], [(ONE, '{"o":4}'), ('["c",{"p":3}]', '{"o":1}'), ('["d",{"p":1}]', '{"o":1}')]])
@pytest.mark.parametrize("after, found", [
    ([], True), ([('["d",{"p":1}]', '{"o":5}'), ('["c2",{"p":1}]', '{"o":5}'), ("garbage", "garbage")], True), ([(ONE, '{"o":5}')], True),
    ([(ONE, '{"o":6}')], False), ([(ONE, None)], False), ([('["c",{"p":3}]', '{"o":6}')], False), ([('["c", {"p":1}]', '{"o":5}')], False),
    ([('["\\u0063",{"p":1}]', '{"o":5}')], False), ([('["c",{"p":[]}]', '{"o":5}')], False),
])
def test_what_was_written_is_seen_by_its_bytes(before, after, found):
    """And what came besides, of this connector alone."""
    assert written(before, after) is found


@pytest.mark.parametrize("before", [[('["c", {"p":1}]', '{"o":4}')], [('["c", {"p":1}]', None)], [(ONE, '{"o":4}'), ('["c", {"p":1}]', None)],
                                    [('["c",{"p":[]}]', '{"o":1}')]])
def test_what_is_held_under_several_keys_is_decoded(before):
    assert written(before) is False


def test_what_was_written_is_behind_an_open_transaction():
    assert written(change=lambda kafka: kafka.open.update({("offsets", number): 0 for number in range(5)})) is None


def test_what_came_between_plan_and_write_is_not_known_by_its_bytes():
    kafka = FakeKafka()
    store = store_of(kafka, "c")
    plan = make_plan(store.read(), DesiredOffsets.present([{"partition": {"p": 1}, "offset": {"o": 5}}], purge=True))
    kafka.put('["c",{"p":3}]', '{"o":1}')
    store.logs.renew()
    store.read()
    store.apply(plan)
    assert store.has_written(plan) is False and make_plan(store.read(), plan.desired).changed


def test_what_was_decoded_since_is_not_known_by_its_bytes():
    kafka = FakeKafka().put('["d",{"p":1}]', '{"o":5}')
    store = store_of(kafka, "c")
    plan = make_plan(store.read(), DesiredOffsets.present([{"partition": {"p": 1}, "offset": {"o": 5}}]))
    store.apply(plan)
    assert store.has_written(plan) is True
    other = TopicStore(store.logs, "d", ["offsets"])
    other.read()
    assert store.has_written(plan) is False and not make_plan(store.read(), plan.desired).changed


def test_read():
    kafka = FakeKafka().put(COMPACT, '{"position":4}').put('["fs-orders2",{"p":1}]', "{}").put('["fs\\u002dorders",{"p":2}]',
                                                                                               '{"position":1}')
    store = store_of(kafka.put('["fs-orders",{"p":3}]', "garbage").put("garbage", "garbage").put('["fs-orders",{"p":[]}]', "{}", 3))
    snapshot = store.read()
    assert (snapshot.connector, snapshot.kind, snapshot.uneven) == ("fs-orders", "source", {'{"p": 2}': [None]})
    assert shown(store) == ({'{"filename": "in/orders.txt"}': {"position": 4}, '{"p": 2}': {"position": 1}}, ['{"p": 3}'])
    assert [(one.key, one.place) for one in store.unreadable_records()] == [(b'["fs-orders",{"p":[]}]', 3)]
    assert store.anomalies() and sorted(store.held()) == ['{"filename": "in/orders.txt"}', '{"p": 2}', '{"p": 3}']


def test_a_topic_without_records_and_one_that_does_not_exist():
    assert shown(store_of(FakeKafka())) == ({}, [])
    with pytest.raises(errors.NoTopic):
        store_of(FakeKafka(), topics=["other"]).read()


@pytest.mark.parametrize("keys", [["garbage"], ["connector-c", "task-c-0"], [b"\x00\x03snk\x00\x00\x00\x00"]])
def test_a_topic_of_another_kind(keys):
    kafka = FakeKafka("my-offsets")
    for key in keys:
        kafka.put(key, "x", topic="my-offsets")
    store = store_of(kafka, topics=["my-offsets"])
    for _attempt in range(2):
        with pytest.raises(errors.NotOffsetsTopic, match=f"The topic my-offsets is no offsets topic: none of its {len(keys)} records"):
            store.read()


def test_a_topic_with_tombstones_alone_is_an_offsets_topic():
    assert shown(store_of(FakeKafka().put(COMPACT, None))) == ({}, [])


@pytest.mark.parametrize("policy, warned", [("compact", 0), (None, 0), ("delete", 1), ("compact,delete", 1)])
def test_the_cleanup_policy(policy, warned):
    store = store_of(FakeKafka(policy=policy).put(COMPACT, "{}"))
    for _attempt in range(2):
        found = store.warnings_about(store.read())
    assert len(found) == warned and all(f"The topic offsets has cleanup.policy={policy}: old offsets are deleted" in text for text in found)


def test_an_open_transaction():
    kafka = FakeKafka().put(COMPACT, '{"position":4}').put(COMPACT, '{"position":9}')
    kafka.open = {("offsets", 1): 1, ("offsets", 3): 0}
    store = store_of(kafka)
    assert shown(store)[0] == {'{"filename": "in/orders.txt"}': {"position": 4}}
    assert store.warnings_about(store.read()) == ["A transaction is open on offsets (partition 1): only what is before it was read."]
    kafka.open.clear()
    assert shown(store)[0] == {'{"filename": "in/orders.txt"}': {"position": 9}}


def test_keys_that_do_not_lie_where_they_belong():
    store = store_of(FakeKafka().put(COMPACT, "{}", 4).put('["a",{"x":1}]', "{}"))
    assert store.warnings_about(store.read())[0].startswith(
        "1 of 2 keys looked at on offsets do not lie where Connect's producer puts them among 5 partitions: partitions were added")


def test_only_what_has_come_since_is_read_again():
    kafka = FakeKafka().put(COMPACT, '{"position":4}')
    store = store_of(kafka)
    store.read()
    store.read()
    kafka.put(COMPACT, None)
    assert shown(store) == ({}, [])
    assert [call for call in kafka.asked if call[0] != "ends"] == [("topic", "offsets")] + [("read", "offsets", count) for count in (1, 0,
                                                                                                                                     1)]


def test_a_reader_keeps_one_log_for_each_topic():
    kafka = FakeKafka("offsets", "own-offsets").put(COMPACT, '{"position":4}').put(COMPACT, '{"position":9}', topic="own-offsets")
    logs = OffsetLogs(KafkaLogs(kafka))
    assert shown(TopicStore(logs, "fs-orders", ["own-offsets"]))[0] != shown(TopicStore(logs, "fs-orders", ["offsets"]))[0]
    assert logs.read("offsets") is logs.read("offsets") and logs.read("offsets").records == 1


# ---- writing: all copies and nothing else -------------------------------------------------------------------------

@pytest.mark.parametrize("records, desired, written", [
    # where it was read, byte for byte
    ([(COMPACT, None, 4)], present(ORDERS, {"position": 9}), [(1, COMPACT, b'{"position":9}')]),
    ([(COMPACT, None, 4)], absent(ORDERS), [(1, COMPACT, None)]),
    ([(COMPACT, None, 4)], absent(), [(1, COMPACT, None)]),
    ([(COMPACT, 3, 4)], present(ORDERS, {"position": 9}), [(3, COMPACT, b'{"position":9}')]),
    ([(COMPACT, 3, 4)], absent(), [(3, COMPACT, None)]),
    # nothing to do
    ([(COMPACT, None, 4)], present(ORDERS, {"position": 4}), []),
    ([(COMPACT, None, 4), (COMPACT, None, None)], absent(ORDERS), []),
    ([(COMPACT, 4, None), (COMPACT, None, 4)], present(ORDERS, {"position": 4}), []),
    ([(COMPACT, None, 4)], absent({"filename": "other"}), []),
    # types
    ([(COMPACT, None, 4)], present(ORDERS, {"position": 4.0}, force=True), [(1, COMPACT, b'{"position":4.0}')]),
    ([(COMPACT, None, '{"s":"x"}')], present(ORDERS, {"s": "4", "d": None, "b": True}), [(1, COMPACT, b'{"b":true,"s":"4","d":null}')]),
    # C01: a tombstone that went astray, and one that no worker needs
    ([(COMPACT, 1, 4), (COMPACT, 4, None)], absent(ORDERS), [(1, COMPACT, None)]),
    ([(COMPACT, 1, 4), (COMPACT, 4, None)], present(ORDERS, {"position": 9}), [(1, COMPACT, b'{"position":9}'),
                                                                               (4, COMPACT, b'{"position":9}')]),
    # workers that run have forgotten what a younger tombstone removed
    ([(COMPACT, 1, 4), (COMPACT, 4, None)], present(ORDERS, {"position": 4}), [(1, COMPACT, b'{"position":4}'),
                                                                               (4, COMPACT, b'{"position":4}')]),
    # C02: blanks
    ([(COMPACT, 1, 4), (BLANKS, 4, 7)], absent(ORDERS), [(1, COMPACT, None), (4, BLANKS, None)]),
    ([(COMPACT, 1, 4), (BLANKS, 4, 7)], present(ORDERS, {"position": 4}), [(1, COMPACT, b'{"position":4}'), (4, BLANKS,
                                                                                                             b'{"position":4}')]),
    ([(COMPACT, 1, 4), (BLANKS, 4, 4)], present(ORDERS, {"position": 4}), []),
    ([(COMPACT, 1, 4), (BLANKS, 4, 4), (BLANKS, 4, None)], absent(), [(1, COMPACT, None)]),
    ([(BLANKS, 4, 4)], absent(ORDERS), [(4, BLANKS, None)]),
    # split
    ([(COMPACT, 1, 4), (COMPACT, 2, 4), (COMPACT, 3, 5)], present(ORDERS, {"position": 4}),
     [(1, COMPACT, b'{"position":4}'), (2, COMPACT, b'{"position":4}'), (3, COMPACT, b'{"position":4}')]),
    ([(COMPACT, 1, 4), (COMPACT, 2, 4)], absent(), [(1, COMPACT, None), (2, COMPACT, None)]),
    # an envelope stays one, for the key and the value each for itself
    ([(ENVELOPED, None, 4)], present(ORDERS, {"position": 9}), [(1, ENVELOPED, b'{"position":9}')]),
    ([(ENVELOPED, None, '{"schema":null,"payload":{"position":4}}')], present(ORDERS, {"position": 9}),
     [(1, ENVELOPED, b'{"schema":null,"payload":{"position":9}}')]),
    ([(COMPACT, None, '{"schema":null,"payload":{"position":4}}')], present(ORDERS, {"position": 9}),
     [(1, COMPACT, b'{"schema":null,"payload":{"position":9}}')]),
    ([(ENVELOPED, None, 4)], absent(), [(1, ENVELOPED, None)]),
    # a value that is no offset
    ([(COMPACT, None, "garbage")], absent(), [(1, COMPACT, None)]),
    ([(COMPACT, None, "garbage")], absent(ORDERS), [(1, COMPACT, None)]),
    ([(COMPACT, None, "garbage")], present(ORDERS, {"position": 9}), [(1, COMPACT, b'{"position":9}')]),
    ([(COMPACT, None, "garbage")], present({"filename": "b"}, {"position": 9}, purge=True),
     [(0, b'["fs-orders",{"filename":"b"}]', b'{"position":9}'), (1, COMPACT, None)]),
    # it was removed: wherever it was, as a tombstone that is left could count
    ([(COMPACT, 1, None)], present(ORDERS, {"position": 9}), [(1, COMPACT, b'{"position":9}')]),
    ([(COMPACT, 3, None)], present(ORDERS, {"position": 9}), [(3, COMPACT, b'{"position":9}')]),
    ([(COMPACT, 1, None), (COMPACT, 3, None)], present(ORDERS, {"position": 9}), [(1, COMPACT, b'{"position":9}'),
                                                                                  (3, COMPACT, b'{"position":9}')]),
    ([(COMPACT, 1, None), (BLANKS, 4, None)], present(ORDERS, {"position": 9}), [(1, COMPACT, b'{"position":9}')]),
    ([(COMPACT, 3, None), (BLANKS, 4, None)], present(ORDERS, {"position": 9}), [(3, COMPACT, b'{"position":9}')]),
    ([(COMPACT, 2, None), (COMPACT, 3, None)], present(ORDERS, {"position": 9}), [(2, COMPACT, b'{"position":9}'),
                                                                                  (3, COMPACT, b'{"position":9}')]),
    # today's workers read no envelope, where there ever was a key without one
    ([(ENVELOPED, 1, None), (COMPACT, 1, None)], present(ORDERS, {"position": 9}), [(1, COMPACT, b'{"position":9}')]),
    ([(ENVELOPED, 3, None)], present(ORDERS, {"position": 9}), [(3, ENVELOPED, b'{"schema":null,"payload":{"position":9}}')]),
    # it is new
    ([], present(ORDERS, {"position": 9}), [(1, COMPACT, b'{"position":9}')]),
    ([], absent(), []),
])
def test_what_is_written(records, desired, written):
    kafka = FakeKafka().put('["fs-orders2",{"filename":"in/orders.txt"}]', '{"position":1}').put("garbage", "garbage", 2)
    for key, place, value in records:
        kafka.put(key, f'{{"position":{value}}}' if isinstance(value, int) else value, place)
    found = [record[1:] for record in carry_out(store_of(kafka), desired)]
    assert sorted(found, key=lambda record: (record[0], record[1])) == written
    assert kafka.live()[2, b"garbage"] == b"garbage" and len(kafka.writes) == bool(written)
    assert b'{"position":1}' in kafka.live().values()


def test_all_records_of_a_change_are_one_transaction():
    kafka = FakeKafka()
    for number in range(50):
        kafka.put(f'["fs-orders",{{"p":{number}}}]', '{"o":1}')
    carry_out(store_of(kafka), absent())
    assert len(kafka.writes) == 1 and len(kafka.writes[0]) == 50 and kafka.live() == {}
    assert kafka.ids == ["streamops.kafka_connect.offsets.fs-orders"]


@pytest.mark.parametrize("typed", [{"name": "a.csv", "path": "landing"}, {"path": "landing", "name": "a.csv"}])
@pytest.mark.parametrize("records, options, written", [
    ([OWN_ORDER], {}, [(3, OWN_ORDER)]),
    ([OWN_ORDER, HASH_ORDER], {}, [(0, HASH_ORDER), (3, OWN_ORDER)]),
    ([], {}, [(0, HASH_ORDER)]),
    ([b'["fp-files",{"name":"b","path":"q"}]'], {}, [(3, OWN_ORDER)]),
    ([b'["fp-files",{"path":"q","name":"b"}]'], {}, [(0, HASH_ORDER)]),
    ([b'["other",{"name":"b","path":"q"}]'], {}, [(0, HASH_ORDER)]),
    ([b'["fp-files",{"name":"b","hash":"q"}]'], {}, [(0, HASH_ORDER)]),
    ([], {"key_order": ["name", "path"]}, [(3, OWN_ORDER)]),
    ([], {"key_order": ["path", "name"]}, [(0, HASH_ORDER)]),
    ([b'["fp-files",{"path":"q","name":"b"}]'], {"key_order": ["name", "path"]}, [(3, OWN_ORDER)]),
    ([OWN_ORDER], {"key_order": ["path", "name"]}, [(0, HASH_ORDER), (3, OWN_ORDER)]),
])
def test_the_order_of_a_key(typed, records, options, written):
    kafka = FakeKafka()
    for key in records:
        kafka.put(key, '{"o":1}')
    found = carry_out(store_of(kafka, "fp-files", **options), present(typed, {"o": 2}))
    assert sorted(found) == [("offsets", place, key, b'{"o":2}') for place, key in written]


def test_a_key_order_of_other_fields_is_refused():
    store = store_of(FakeKafka(), "fp-files", key_order=["nmae", "path"])
    plan = make_plan(store.read(), present(FILE, {"o": 2}))
    with pytest.raises(errors.DeclarationError, match="nmae, path.* are not the fields of any partition of fp-files"):
        store.check(plan)


def test_a_new_key_gets_the_envelope_of_the_others():
    kafka = FakeKafka().put('{"schema":null,"payload":["fs-orders",{"filename":"b"}]}', '{"schema":null,"payload":{"position":1}}')
    assert carry_out(store_of(kafka), present(ORDERS, {"position": 9})) == [
        ("offsets", 1, ENVELOPED, b'{"schema":null,"payload":{"position":9}}')]


@pytest.mark.parametrize("records, options", [
    ([(b'["fp-files",{"name":"b","path":"q"}]', '{"o":1}'), (OWN_ORDER, None), (HASH_ORDER, None)], {}),
    ([(b'["fp-files",{"name":"b","path":"q"}]', '{"o":1}'), (HASH_ORDER, None)], {}),
    ([(HASH_ORDER, None)], {"key_order": ["name", "path"]}),
    ([(OWN_ORDER, None), (HASH_ORDER, None)], {"key_order": ["name", "path"]}),
])
def test_a_removed_key_in_an_order_that_the_connector_never_reads_is_not_used_again(records, options):
    kafka = FakeKafka()
    for key, value in records:
        kafka.put(key, value)
    assert (3, OWN_ORDER, b'{"o":2}') in [
        record[1:] for record in carry_out(store_of(kafka, "fp-files", **options), present(FILE, {"o": 2}))]


@pytest.mark.parametrize("records, options, written", [
    ([(OWN_ORDER, '{"o":1}'), (OWN_ORDER, None)], {}, [(3, OWN_ORDER)]),
    ([(HASH_ORDER, '{"o":1}'), (HASH_ORDER, None)], {}, [(0, HASH_ORDER)]),
    # nothing tells which of the two it reads
    ([(OWN_ORDER, None), (HASH_ORDER, None)], {}, [(0, HASH_ORDER), (3, OWN_ORDER)]),
    ([(OWN_ORDER, None), (HASH_ORDER, '{"o":1}')], {}, [(0, HASH_ORDER), (3, OWN_ORDER)]),
    ([(OWN_ORDER, None), (HASH_ORDER, '{"o":2}')], {}, [(0, HASH_ORDER), (3, OWN_ORDER)]),
    ([(HASH_ORDER, None), (OWN_ORDER, '{"o":1}')], {}, [(0, HASH_ORDER), (3, OWN_ORDER)]),
    # what tells: another partition, live or removed, or the user
    ([(b'["fp-files",{"name":"b","path":"q"}]', None), (OWN_ORDER, None), (HASH_ORDER, None)], {}, [(3, OWN_ORDER)]),
    ([(b'["fp-files",{"path":"q","name":"b"}]', None), (OWN_ORDER, None), (HASH_ORDER, None)], {}, [(0, HASH_ORDER)]),
    ([(b'["fp-files",{"path":"q","name":"b"}]', '{"o":1}'), (OWN_ORDER, None), (HASH_ORDER, '{"o":2}')], {}, []),
    ([(b'["fp-files",{"name":"b","path":"q"}]', '{"o":1}'), (OWN_ORDER, None), (HASH_ORDER, '{"o":2}')], {},
     [(0, HASH_ORDER), (3, OWN_ORDER)]),
    ([(b'["fp-files",{"name":"b","path":"q"}]', None)], {}, [(3, OWN_ORDER)]),
    ([(OWN_ORDER, None), (HASH_ORDER, None)], {"key_order": ["name", "path"]}, [(3, OWN_ORDER)]),
    # blanks are no worker's
    ([(OWN_ORDER.replace(b",", b", "), None)], {}, [(0, HASH_ORDER)]),
])
def test_tombstones_tell_which_key_the_connector_reads(records, options, written):
    kafka = FakeKafka()
    for key, value in records:
        kafka.put(key, value)
    assert sorted(record[1:] for record in carry_out(store_of(kafka, "fp-files", **options), present(FILE, {"o": 2}))) == [
        (place, key, b'{"o":2}') for place, key in written]


def test_more_topic_partitions_between_commit_and_change():
    """5 became 7: what is set, removed and set again stays where the workers that run read it, and no tombstone is left beside it."""
    kafka = FakeKafka().put(COMPACT, '{"position":4}')
    kafka.topics["offsets"] += [[], []]
    assert (partition_for(COMPACT, 5), partition_for(COMPACT, 7)) == (1, 0)
    for desired, value in ((present(ORDERS, {"position": 9}), b'{"position":9}'), (absent(ORDERS), None),
                           (present(ORDERS, {"position": 2}), b'{"position":2}')):
        assert carry_out(store_of(kafka), desired) == [("offsets", 1, COMPACT, value)]
    kafka.put(COMPACT, '{"position":5}')  # a worker that was restarted commits where the topic has it now
    for desired, value in ((present(ORDERS, {"position": 9}), b'{"position":9}'), (absent(ORDERS), None),
                           (present(ORDERS, {"position": 2}), b'{"position":2}')):
        assert sorted(carry_out(store_of(kafka), desired)) == [("offsets", 0, COMPACT, value), ("offsets", 1, COMPACT, value)]
    assert kafka.live() == {(0, COMPACT): b'{"position":2}', (1, COMPACT): b'{"position":2}'}


@pytest.mark.parametrize("records, desired, words", [
    # as a worker writes it, and nothing else
    ([(COMPACT, None, 4)], present(ORDERS, {"position": 9}), None), ([(COMPACT, None, None)], present(ORDERS, {"position": 9}), None),
    ([], present(ORDERS, {"position": 9}), None), ([(COMPACT, None, 4)], absent(), None),
    ([(COMPACT, None, 4), (BLANKS, None, None)], present(ORDERS, {"position": 9}), None),
    # on another topic partition, live or removed
    ([(COMPACT, 3, 4)], present(ORDERS, {"position": 9}), "fs-orders: 1 partition has or had records"),
    ([(COMPACT, 3, 4)], absent(), "fs-orders: 1 partition has"), ([(COMPACT, 3, 4)], absent(ORDERS), "fs-orders: 1 partition has"),
    ([(COMPACT, 3, None)], present(ORDERS, {"position": 9}), "fs-orders: 1 partition has"),
    ([(COMPACT, 1, 4), (COMPACT, 3, None)], absent(), "1 partition with a tombstone"),
    # a partition that the plan leaves alone counts only where it is odd by itself
    ([(COMPACT, 3, 4)], present({"filename": "b"}, {"position": 9}), None), ([(COMPACT, 3, None)], absent(), None),
    ([(ENVELOPED, None, None)], present(ORDERS, {"position": 9}), "fs-orders: 1 partition has"),
])
def test_what_is_beyond_rest(records, desired, words):
    kafka = FakeKafka()
    for key, place, value in records:
        kafka.put(key, value and f'{{"position":{value}}}', place)
    store = store_of(kafka)
    found = store.beyond_rest(make_plan(store.read(), desired))
    assert bool(found) is (words is not None) and (words or "") in " ".join(found)


@pytest.mark.parametrize("records, partition, beyond", [
    ([(OWN_ORDER, None)], FILE, True), ([(HASH_ORDER, None)], FILE, False), ([(HASH_ORDER, None), (OWN_ORDER, None)], FILE, True),
    ([(OWN_ORDER, None)], {"name": "b", "path": "c"}, True), ([(HASH_ORDER, None)], {"name": "b", "path": "c"}, False),
    ([(OWN_ORDER, None)], {"name": "b"}, False), ([(OWN_ORDER, None)], {"name": "b", "table": "c"}, False), ([], FILE, False),
])
def test_tombstones_in_another_order_are_beyond_rest(records, partition, beyond):
    kafka = FakeKafka()
    for key, value in records:
        kafka.put(key, value)
    store = store_of(kafka, "fp-files")
    assert bool(store.beyond_rest(make_plan(store.read(), present(partition, {"o": 2})))) is beyond


@pytest.mark.parametrize("sibling, options", [(b'["fp-files",{"name":"b","path":"q"}]', {}), (None, {"key_order": ["name", "path"]})])
def test_an_offset_held_in_an_order_that_the_connector_never_reads_gets_the_key_that_it_reads(sibling, options):
    kafka = FakeKafka().put(HASH_ORDER, '{"o":1}')  # as a change by REST leaves it
    if sibling:
        kafka.put(sibling, '{"o":1}').put('["fp-files",{"name":"c","path":"q"}]', '{"o":1}')
    assert sorted(record[1:] for record in carry_out(store_of(kafka, "fp-files", **options), present(FILE, {"o": 2}))) == [
        (0, HASH_ORDER, b'{"o":2}'), (3, OWN_ORDER, b'{"o":2}')]


def test_a_removed_key_with_blanks_is_not_used_again():
    kafka = FakeKafka().put(BLANKS, '{"position":4}').put(BLANKS, None)
    assert (1, COMPACT, b'{"position":9}') in [record[1:] for record in carry_out(store_of(kafka), present(ORDERS, {"position": 9}))]


def test_an_offset_held_under_blanks_alone_gets_the_key_that_a_worker_reads():
    kafka = FakeKafka().put(BLANKS, '{"position":4}')
    assert (1, COMPACT, b'{"position":9}') in [record[1:] for record in carry_out(store_of(kafka), present(ORDERS, {"position": 9}))]


def test_a_new_key_with_a_float_is_refused():
    kafka = FakeKafka()
    store = store_of(kafka)
    plan = make_plan(store.read(), present({"p": 1.5}, {"o": 1}))
    with pytest.raises(errors.MethodError, match="is new and holds a float"):
        store.check(plan)
    kafka.put('["fs-orders",{"p":1.5}]', '{"o":1}', 3)
    assert carry_out(store_of(kafka), present({"p": 1.5}, {"o": 2})) == [("offsets", 3, b'["fs-orders",{"p":1.5}]', b'{"o":2}')]


@pytest.mark.parametrize("others", [[], ['["fs-orders",{"p":2.5}]']])
def test_a_removed_key_with_a_float_can_be_put_back(others):
    kafka = FakeKafka().put('["fs-orders",{"p":1.5}]', '{"o":1}', 3).put('["fs-orders",{"p":1.5}]', None, 3)
    for key in others:
        kafka.put(key, '{"o":1}')
    assert carry_out(store_of(kafka), present({"p": 1.5}, {"o": 2})) == [("offsets", 3, b'["fs-orders",{"p":1.5}]', b'{"o":2}')]


@pytest.mark.parametrize("key", ['["fs-orders", {"p": 1.5}]', '["fs-orders",{"p":15e-1}]'])
def test_a_float_under_a_key_that_no_worker_reads_is_refused(key):
    store = store_of(FakeKafka().put(key, '{"o":1}'))
    plan = make_plan(store.read(), present({"p": 1.5}, {"o": 2}))
    with pytest.raises(errors.MethodError, match="holds a float"):
        store.check(plan)


def test_a_copy_that_came_meanwhile_is_seen_by_the_next_plan():
    kafka = FakeKafka().put(COMPACT, '{"position":4}')
    store = store_of(kafka)
    store.apply(make_plan(store.read(), absent()))
    kafka.put(BLANKS, '{"position":7}')
    assert make_plan(store.read(), absent()).changed


# ---- raw keys -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("key, text", [
    (COMPACT, COMPACT.decode()), (b"garbage", "garbage"), ("é".encode(), "é"), (b"", ""), (b"\xff\x00", "base64:/wA="),
    (b"base64:x", "base64:YmFzZTY0Ong="),
])
def test_raw_keys_as_text(key, text):
    assert raw_text(key) == text and raw_bytes(text) == key


def test_a_raw_key_without_a_utf8_form():
    with pytest.raises(errors.DeclarationError, match="raw_keys: .* holds half of a surrogate pair"):
        raw_bytes("\ud800")


@pytest.mark.parametrize("text", ["base64:!", "base64:YQ", "base64:é"])
def test_raw_keys_that_are_no_base64(text):
    with pytest.raises(errors.DeclarationError, match="raw_keys: base64:.* is not base64 after its prefix"):
        raw_bytes(text)
    with pytest.raises(errors.DeclarationError):
        store_of(FakeKafka(), raw_keys=[text]).read()


@pytest.mark.parametrize("text, written", [
    ("garbage", [(0, b"garbage"), (2, b"garbage")]),
    ("base64:/wA=", [(1, b"\xff\x00")]),
    ('["fs-orders",{"p":[1]}]', [(3, b'["fs-orders",{"p":[1]}]')]),
    (BLANKS.decode(), [(4, BLANKS)]),
    ("gone", []), ("nothing", []), ('["fs-orders",{"filename":"b"}]', []),
])
def test_raw_keys_are_removed_wherever_they_are(text, written):
    kafka = FakeKafka().put("garbage", "x", 0).put("garbage", "x", 2).put("garbage2", "x", 2).put(b"\xff\x00", "x", 1).put("gone", "x", 1)
    kafka.put("gone", None, 1).put('["fs-orders",{"p":[1]}]', "{}", 3).put(COMPACT, '{"position":4}').put(BLANKS, '{"position":4}')
    before = kafka.live()
    found = carry_out(store_of(kafka, raw_keys=[text]), absent(raw_keys=[text]))
    assert sorted(found) == [("offsets", place, key, None) for place, key in written]
    assert kafka.live() == {place: value for place, value in before.items() if place not in written}


@pytest.mark.parametrize("records", [[(COMPACT, 1)], [(COMPACT, 1), (BLANKS, 4)], [(COMPACT, 1), (COMPACT, 4)], [(BLANKS, 4)]])
def test_the_key_that_counts_is_refused_as_a_raw_key(records):
    kafka = FakeKafka()
    for key, place in records:
        kafka.put(key, '{"position":4}', place)
    text = records[0][0].decode()
    with pytest.raises(errors.DeclarationError, match="is the very key whose offset counts for its partition. To remove that, list the partition"):
        store_of(kafka, raw_keys=[text]).read()
    kafka.put(records[0][0], None, records[0][1])
    if len({key for key, _place in records}) == len(records):  # it counts no more
        assert not make_plan(store_of(kafka, raw_keys=[text]).read(), absent(raw_keys=[text])).changed


UNDECODED = [b'["fs-orders",{"p":[1]}]', b'["fs-orders",{"p":{"q":1}}]', b'["fs-orders",{"n":9223372036854775808}]', b'["fs-orders",7]',
             b'["fs-orders",{"p":1,"p":2}]', b'{"schema":null,"payload":["fs-orders",{"p":[1]}]}', b'["fs\\u002dorders", null]']


def with_undecoded(*topics):
    kafka = FakeKafka(*topics)
    for topic in topics:
        kafka.put("garbage", "x", topic=topic).put(None, "x", 1, topic).put('["fs-orders2",{"p":[1]}]', "{}", topic=topic)
        kafka.put(COMPACT, '{"position":4}', topic=topic).put('["fs-orders",{}]', '{"o":1}', topic=topic)
        for number, key in enumerate(UNDECODED):
            kafka.put(key, b"\xff" if number % 2 else "{}", number % 5, topic)
        kafka.put(UNDECODED[0], None, 4, topic)  # removed already
    return kafka


@pytest.mark.parametrize("topics", [["offsets"], ["own", "offsets"]])
def test_removing_a_whole_connector_removes_all_its_records(topics):
    """Also those that no declaration can name, by their bytes; what is nobody's, or another connector's, stays."""
    kafka = with_undecoded(*topics)
    before = {topic: kafka.live(topic) for topic in topics}
    store = store_of(kafka, topics=topics)
    plan = make_plan(store.read(), absent())
    assert plan.counts["remove"] == 2 + len(UNDECODED)
    change = made(store, absent())
    for topic in topics:
        assert {key for _place, key in kafka.live(topic)} == {b"garbage", None, b'["fs-orders2",{"p":[1]}]'}
    assert not make_plan(store_of(kafka, topics=topics).read(), absent()).changed
    undone(store_of(kafka, topics=topics), change)
    assert {topic: kafka.live(topic) for topic in topics} == before


@pytest.mark.parametrize("desired", [absent(ORDERS), present(ORDERS, {"position": 9}), present(ORDERS, {"position": 9}, purge=True)])
def test_otherwise_nothing_unreadable_is_touched(desired):
    kafka = with_undecoded("offsets")
    assert {key for _topic, _place, key, _value in carry_out(store_of(kafka), desired)} <= {COMPACT, b'["fs-orders",{}]'}


def test_what_cannot_be_read_is_beyond_rest_where_all_goes():
    store = store_of(with_undecoded("offsets"))
    found, = store.beyond_rest(make_plan(store.read(), absent()))
    assert found.startswith(f"{len(UNDECODED)} live records of fs-orders are under a key that cannot be read as a partition, first ")
    assert store.beyond_rest(make_plan(store.read(), present({"filename": "b"}, {"position": 9}))) == []


def test_a_partition_without_fields():
    kafka = FakeKafka().put('["fs-orders",{}]', '{"o":1}', 3)
    assert carry_out(store_of(kafka), present({}, {"o": 2})) == [("offsets", 3, b'["fs-orders",{}]', b'{"o":2}')]
    document = DesiredOffsets.document([{"partition": {}, "offset": {"o": 3}}])
    assert carry_out(store_of(kafka), document) == [("offsets", 3, b'["fs-orders",{}]', b'{"o":3}')]
    assert carry_out(store_of(kafka), absent({})) == [("offsets", 3, b'["fs-orders",{}]', None)]
    with pytest.raises(errors.DeclarationError, match="is an empty dictionary; it needs at least one field, as there is no offset for {} so far"):
        make_plan(store_of(kafka).read(), present({}, {"o": 2}))
    assert not make_plan(store_of(kafka).read(), absent({})).changed


@pytest.mark.parametrize("text", ['["fs-orders2",{"p":1}]', '["fs-orders2",{"p":[1]}]', '["fs\\u002dorders2",{"p":1}]'])
def test_a_raw_key_of_another_connector_is_refused(text):
    with pytest.raises(errors.DeclarationError, match="belongs to the connector fs-orders2, not to fs-orders"):
        store_of(FakeKafka().put(text, "{}"), raw_keys=[text]).read()


# ---- a topic of its own -------------------------------------------------------------------------------------------

def two(own=(), shared=()):
    kafka = FakeKafka("own", "offsets", partitions=5)
    kafka.topics["own"] = [[]]
    for topic, records in (("own", own), ("offsets", shared)):
        for key, value in records:
            kafka.put(key, value and f'{{"position":{value}}}', topic=topic)
    return kafka, store_of(kafka, topics=["own", "offsets"])


@pytest.mark.parametrize("own, shared, expected", [
    ([(COMPACT, 4)], [(COMPACT, 7)], ({'{"filename": "in/orders.txt"}': {"position": 4}}, [])),
    ([(COMPACT, 4)], [], ({'{"filename": "in/orders.txt"}': {"position": 4}}, [])),
    ([(COMPACT, None)], [(COMPACT, 7)], ({}, ['{"filename": "in/orders.txt"}'])),
    ([], [(COMPACT, 7)], ({}, ['{"filename": "in/orders.txt"}'])),
    ([(COMPACT, None)], [(COMPACT, None)], ({}, [])),
])
def test_its_own_topic_counts(own, shared, expected):
    assert shown(two(own, shared)[1]) == expected


@pytest.mark.parametrize("own, shared, desired, written", [
    ([(COMPACT, 4)], [(COMPACT, 7)], present(ORDERS, {"position": 9}), [("own", 0, b'{"position":9}'), ("offsets", 1, b'{"position":9}')]),
    ([(COMPACT, 4)], [], present(ORDERS, {"position": 9}), [("own", 0, b'{"position":9}'), ("offsets", 1, b'{"position":9}')]),
    ([], [(COMPACT, 7)], present(ORDERS, {"position": 7}), [("own", 0, b'{"position":7}'), ("offsets", 1, b'{"position":7}')]),
    ([], [], present(ORDERS, {"position": 9}), [("own", 0, b'{"position":9}'), ("offsets", 1, b'{"position":9}')]),
    ([(COMPACT, 4)], [(COMPACT, 7)], absent(), [("own", 0, None), ("offsets", 1, None)]),
    ([(COMPACT, 4)], [], absent(), [("own", 0, None)]),
    ([], [(COMPACT, 7)], absent(), [("offsets", 1, None)]),
    ([], [(COMPACT, 7)], absent(ORDERS), [("offsets", 1, None)]),
    ([], [], absent(), []),
])
def test_both_topics_are_written_in_one_transaction(own, shared, desired, written):
    kafka, store = two(own, shared)
    assert carry_out(store, desired) == [(topic, place, COMPACT, value) for topic, place, value in written]
    assert len(kafka.writes) == bool(written)


def test_a_raw_key_is_removed_from_both_topics():
    kafka, store = two([(COMPACT, 4), ("garbage", 1)], [(COMPACT, 4), ("garbage", 1)])
    store = store_of(kafka, topics=["own", "offsets"], raw_keys=["garbage"])
    place = partition_for(b"garbage", 5)
    assert carry_out(store, absent(raw_keys=["garbage"])) == [("own", 0, b"garbage", None), ("offsets", place, b"garbage", None)]


# ---- words --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("records, words", [
    ([COMPACT], []),
    ([COMPACT, BLANKS], ["held under keys of different bytes", "held under keys that no worker of today writes"]),
    ([BLANKS], ["held under keys that no worker of today writes"]),
])
def test_concerns(records, words):
    kafka = FakeKafka()
    for key in records:
        kafka.put(key, '{"position":4}')
    store = store_of(kafka)
    found = store.warnings_about(store.read())
    assert len(found) == len(words) and bool(store.anomalies()) is bool(words)
    for text, word in zip(found, words, strict=True):
        assert text.startswith(("fs-orders: 1 partition held", "fs-orders: 1 partition " + word))
        assert word in text and text.endswith(': {"filename": "in/orders.txt"}.')


def test_concerns_are_cut():
    kafka = FakeKafka()
    for number in range(4):
        kafka.put(f'["fs-orders", {{"p": {number}}}]', "{}")
    store = store_of(kafka)
    found, = store.warnings_about(store.read())
    assert found.startswith("fs-orders: 4 partitions held under keys") and found.endswith(': {"p": 0}, {"p": 1}, {"p": 2}, ....')


@pytest.mark.parametrize("offset, warned", [
    ('{"timestamp":1700000000005,"timestamp_nanos":5000000,"incrementing":7}', False),
    ('{"timestamp":1700000000005,"timestamp_nanos":6000000}', True), ('{"timestamp":1700000000005,"timestamp_nanos":0}', True),
    ('{"timestamp":1700000000005}', False), ('{"timestamp":"x","timestamp_nanos":0}', False), ('{"timestamp_nanos":0}', False),
])
def test_timestamps_of_jdbc_that_disagree(offset, warned):
    store = store_of(FakeKafka().put(COMPACT, offset))
    assert store.warnings_about(store.read()) == (
        ['fs-orders: timestamp and timestamp_nanos disagree in the offset of {"filename": "in/orders.txt"}.'] if warned else [])


@pytest.mark.parametrize("desired, sink", [
    (absent(), False), (absent(ORDERS), False), (present({"kafka_topic": "t", "kafka_partition": 0}, {"kafka_offset": 1}), True),
    (present({"kafka_topic": "t"}, {"o": 1}), False), (absent(raw_keys=["garbage"]), False),
])
def test_sink_shaped(desired, sink):
    assert desired.is_of_a_sink is sink


# ---- whatever comes -----------------------------------------------------------------------------------------------

NAMES = ("fs-orders", "fs-orders2", "a/b")
VALUES = (None, '{"o":1}', '{"o":2}', '{"schema":null,"payload":{"o":2}}', "garbage", '{"o":2.0}')


def random_key(rng):
    name, number = rng.choice(NAMES), rng.randint(0, 2)
    return rng.choice([
        new_key(name, {"p": number}), new_key(name, {"p": number}), new_key(name, {"p": number}, envelope=True),
        new_key(name, {"path": number, "name": "x"}), new_key(name, {"path": number, "name": "x"}, ["name", "path"]),
        b'["%s", {"p": %d}]' % (name.encode(), number), b'["%s",{"p":[%d]}]' % (name.encode(), number), b"garbage%d" % number])


def more(kafka, rng, count, topics):
    for _count in range(count):
        kafka.put(random_key(rng), rng.choice(VALUES), rng.choice([None, None, rng.randint(0, 2)]), rng.choice(topics))


def everything(store):
    snapshot = store.read()
    return (snapshot.entries, snapshot.unreadable, snapshot.uneven, store.anomalies(),
            [text for text in store.warnings_about(snapshot) if text.startswith(store.name + ":")],
            sorted((one.place, one.log_offset, one.key) for one in store.unreadable_records()),
            {key: (one.shown and (one.shown.place, one.shown.key), one.anomalies()) for key, one in store.held().items()})


@pytest.mark.parametrize("seed", range(25))
def test_a_second_read_is_as_good_as_a_fresh_one(seed):
    rng = random.Random(seed)
    topics = ["offsets"] if seed % 2 else ["own", "offsets"]
    kafka = FakeKafka("own", "offsets", partitions=3)
    for topic in topics:
        kafka.put(COMPACT, '{"o":1}', topic=topic)
    stores = {name: store_of(kafka, name, topics, raw_keys=["garbage1"]) for name in NAMES}
    for _round in range(4):
        more(kafka, rng, 25, topics)
        for name, store in stores.items():
            assert everything(store) == everything(store_of(kafka, name, topics, raw_keys=["garbage1"])), name


def anything(seed: int) -> tuple:
    """Two topics with records of all kinds; a connector, the topics that it has to do with, a partition, and a declaration about that or all."""
    rng = random.Random(seed)
    kafka, name = FakeKafka("own", "offsets", partitions=3), rng.choice(NAMES)
    topics = ["offsets"] if seed % 2 else ["own", "offsets"]
    for topic in ("own", "offsets"):
        kafka.put(new_key(name, {"p": 0}), '{"o":1}', topic=topic)
    more(kafka, rng, 60, ["own", "offsets"])
    partition = rng.choice([{"p": 0}, {"p": 1}, {"p": 7}, {"name": "x", "path": 1}, {"path": 9, "name": "x"}])
    desired = rng.choice([present(partition, {"o": 5}), present(partition, {"o": 5}, purge=True), absent(partition), absent()])
    return kafka, name, topics, partition, desired


@pytest.mark.parametrize("seed", range(60))
def test_a_wish_is_carried_out_on_its_own_records_alone(seed):
    kafka, name, topics, partition, desired = anything(seed)
    before = {topic: kafka.live(topic) for topic in ("own", "offsets")}
    records = carry_out(store_of(kafka, name, topics), desired)
    wanted = {canonical(partition)} if desired.entries and not desired.purge else None
    for topic in ("own", "offsets"):
        for place, value in before[topic].items():
            connector, _partition, form, canon = decode_key(place[1])
            touched = topic in topics and connector == name and (form or desired.keyed is None) and wanted in (None, {canon})
            if not touched:
                assert kafka.live(topic)[place] == value
            elif not desired.entries or desired.entries[0].offset is None or canon != canonical(partition):
                assert place not in kafka.live(topic)
    assert all(topic in topics and decode_key(key)[0] == name for topic, _place, key, _value in records)
    fresh = store_of(kafka, name, topics).read()
    if desired.entries and desired.entries[0].offset is not None:
        assert fresh.entries[canonical(partition)].offset == {"o": 5} and fresh.uneven.get(canonical(partition)) is None
    if wanted is None:
        assert not fresh.unreadable and len(fresh.entries) == (1 if desired.entries else 0)
    assert isinstance(fresh, Snapshot)


# ---- undo: the very same bytes ------------------------------------------------------------------------------------

def made(store, desired):
    """Carries a declaration out; what the ledger remembers of it, as it comes back from there."""
    plan = make_plan(store.read(), desired)
    store.check(plan)
    before, after = plan.sides()
    records = store.before_records(plan)
    store.apply(plan)
    return decode(encode(a_change(before=before, after=after, records=records)), "the ledger")


def undone(store, change):
    """Carries the undo out; what is there then needs no second one."""
    desired = DesiredOffsets.undo(change)
    plan = make_plan(store.read(), desired)
    assert plan.changed
    store.check(plan)
    store.apply(plan)
    assert not make_plan(store.read(), desired).changed
    return plan


def split_and_foreign():
    """One partition under four keys, one key on two topic partitions, and more."""
    kafka = FakeKafka("own", "offsets")
    for topic in ("own", "offsets"):
        kafka.put(COMPACT, '{"position":4}', topic=topic).put(COMPACT, '{ "position" : 4 }', 3, topic)
        kafka.put(BLANKS, '{"position": 9}', topic=topic).put(ENVELOPED, '{"schema":null,"payload":{"position":2}}', topic=topic)
        kafka.put('["fs-orders",{"filename":"x"}]', b"\xff garbage", topic=topic).put('["fs-orders",{"filename":"y"}]', None, topic=topic)
        kafka.put('["other",{"filename":"in/orders.txt"}]', '{"position":1}', topic=topic)
    return kafka


@pytest.mark.parametrize("desired", [
    present(ORDERS, {"position": 1}), present(ORDERS, {"position": 4}), present({"filename": "y"}, {"position": 1}),
    present({"filename": "new"}, {"position": 1}, purge=True), absent(), absent(ORDERS), absent({"filename": "x"}),
])
@pytest.mark.parametrize("topics", [["offsets"], ["own", "offsets"]])
def test_undo_brings_the_very_same_bytes_back(desired, topics):
    kafka = split_and_foreign()
    before = {topic: kafka.live(topic) for topic in ("own", "offsets")}
    change = made(store_of(kafka, topics=topics), desired)
    assert any(kafka.live(topic) != before[topic] for topic in topics)
    plan = undone(store_of(kafka, topics=topics), change)
    assert {topic: kafka.live(topic) for topic in ("own", "offsets")} == before
    assert len(kafka.writes[-1]) == len(change.records) == len(kafka.writes[0]) and plan.records == change.records
    assert all(isinstance(text, str) for _topic, _place, key, value in change.records for text in (key, value) if text is not None)


def test_undo_of_a_raw_key():
    kafka = FakeKafka().put(COMPACT, '{"position":4}').put(b"\xfe\xff", b"\x00\x01", 2).put(BLANKS, "garbage")
    before = kafka.live()
    texts = [raw_text(b"\xfe\xff"), raw_text(BLANKS)]
    change = made(store_of(kafka, raw_keys=texts), absent(raw_keys=texts))
    assert set(kafka.live()) == {(1, COMPACT)}
    undone(store_of(kafka), change)
    assert kafka.live() == before


def test_undo_leaves_what_came_later_and_what_it_does_not_know():
    kafka = FakeKafka().put(COMPACT, '{"position":4}')
    change = made(store_of(kafka), present(ORDERS, {"position": 1}))
    kafka.put('["fs-orders",{"filename":"later"}]', '{"position":7}').put(COMPACT, '{"position":30}')
    undone(store_of(kafka), change)
    assert sorted(kafka.live().values()) == [b'{"position":4}', b'{"position":7}']


@pytest.mark.parametrize("back", [True, False])
def test_undo_after_topic_partitions_were_added(back):
    """The worker has written the same key to another one, which would count there."""
    kafka = FakeKafka().put(COMPACT, '{"position":4}').put(BLANKS, '{"position":9}')
    before = kafka.live()
    change = made(store_of(kafka), present(ORDERS, {"position": 1}))
    if back:
        for (place, key), value in before.items():
            kafka.put(key, value, place)
    kafka.put(COMPACT, '{"position":30}', 3).put(ENVELOPED, '{"position":31}', 0)
    undone(store_of(kafka), change)
    assert kafka.live() == {**before, (0, ENVELOPED): b'{"position":31}'}, "a key that it has never written is none of its business"


def test_undo_sees_a_difference_in_the_bytes_alone():
    """The same offset, written by another tool with a blank, is not what was there."""
    kafka = FakeKafka().put(COMPACT, '{"position":4}')
    change = made(store_of(kafka), present(ORDERS, {"position": 1}))
    kafka.put(COMPACT, '{"position": 4}')
    plan = undone(store_of(kafka), change)
    assert [(action.verb, action.before, action.after) for action in plan.changes] == [("set", {"position": 4}, {"position": 4})]
    assert kafka.live() == {(1, COMPACT): b'{"position":4}'}


def test_undo_of_a_new_partition_is_a_tombstone():
    kafka = FakeKafka().put(COMPACT, '{"position":4}')
    change = made(store_of(kafka), present({"filename": "new"}, {"position": 1}))
    assert [record[3] for record in change.records] == [None]
    plan = undone(store_of(kafka), change)
    assert [(action.verb, action.before) for action in plan.changes] == [("remove", {"position": 1})]
    assert kafka.live() == {(1, COMPACT): b'{"position":4}'}


def test_undo_by_another_road_goes_by_the_entries():
    """A snapshot that knows no records, as that of REST."""
    kafka = split_and_foreign()
    change = made(store_of(kafka), present(ORDERS, {"position": 1}))
    rest = Snapshot("fs-orders", "source", [Entry(ORDERS, {"position": 1}), Entry({"filename": "z"}, {"position": 2})])
    plan = make_plan(rest, DesiredOffsets.undo(change))
    assert [(action.verb, action.partition, action.after) for action in plan.changes] == [("set", ORDERS, {"position": 4})]
    assert not make_plan(Snapshot("fs-orders", "source", [Entry(ORDERS, {"position": 4})]), DesiredOffsets.undo(change)).changed


@pytest.mark.parametrize("seed", range(40))
def test_undo_of_anything(seed):
    kafka, name, topics, partition, desired = anything(seed)
    before = {topic: kafka.live(topic) for topic in ("own", "offsets")}
    if not make_plan(store_of(kafka, name, topics).read(), desired).changed:
        return
    change = made(store_of(kafka, name, topics), desired)
    undone(store_of(kafka, name, topics), change)
    assert {topic: kafka.live(topic) for topic in ("own", "offsets")} == before


def test_records_are_those_of_the_plan():
    store = store_of(FakeKafka().put(COMPACT, '{"n":1}'))
    plans = [make_plan(store.read(), present(ORDERS, {"n": number})) for number in (2, 3)]
    assert [store.records(plan)[0][3] for plan in (*plans, *plans)] == [b'{"n":2}', b'{"n":3}'] * 2
    assert store.records(plans[1]) is store.records(plans[1])


# ---- sizes ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("key, value, size", [
    (b"k", None, 61 + 1 + 4 + 2 + 1), (b"k", b"", 61 + 1 + 4 + 2 + 1), (b"k" * 10, b"v" * 20, 61 + 1 + 4 + 11 + 21),
    (b"k" * 63, b"v" * 64, 61 + 2 + 4 + 64 + 66), (b"k", b"v" * 2**20, 61 + 4 + 4 + 2 + 2**20 + 4),
])
def test_the_size_of_a_record(key, value, size):
    """By the format of record batches; that a broker counts the same, a test with a real one shows."""
    assert record_bytes(key, value) == size


@pytest.mark.parametrize("limit, known", [(1048588, 1048588), (2000, 2000), (3000000, 3000000), (None, 1048576)])
def test_a_record_that_the_topic_does_not_take_is_known_before(limit, known):
    kafka = FakeKafka().put(COMPACT, '{"position":4}')
    kafka.max_bytes = limit
    store = store_of(kafka)
    base = record_bytes(COMPACT, b'{"position":4,"t":""}')
    for more, refused in ((-200, False), (200, True)):
        plan = make_plan(store.read(), present(ORDERS, {"position": 4, "t": "x" * (known - base + more)}))
        if not refused:
            store.check(plan)
            continue
        with pytest.raises(errors.DeclarationError) as caught:
            store.check(plan)
        size = record_bytes(*next((key, value) for _topic, _place, key, value in store.records(plan)))
        assert f"under the key {COMPACT.decode()} would be a record of {size} bytes, but the topic offsets takes {known}" in caught.value.message
        assert len(caught.value.message) < 600
    assert kafka.writes == []


@pytest.mark.parametrize("fault, made", [
    (None, True), (errors.BrokerDenied("no Write"), False), (errors.Fenced("no"), False), (errors.WriteOutcomeUnknown("no answer"), True)])
def test_what_is_noted_as_a_change(fault, made):
    kafka = FakeKafka().put('["fs-orders",{"p":"a"}]', '{"o":1}')
    kafka.faults = [fault] * (fault is not None)
    with contextlib.suppress(errors.BrokerError):
        carry_out(store_of(kafka), present({"p": "a"}, {"o": 2}))
    assert errors.WRITES.made is made
