# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools
import json
import random

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.jackson import encode
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_hash_order import ordered
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.murmur2 import partition_for
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import (
    CONNECT,
    ENVELOPE,
    FOREIGN,
    HISTORY,
    KeyStyle,
    OffsetLog,
    decode_key,
    decode_value,
    name_in,
    new_key,
    new_value,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import EPOCH, FakeKafka

#: with 5 topic partitions it belongs on 1
COMPACT = '["fs-orders",{"filename":"in/orders.txt"}]'
#: as typed by hand; it belongs on 4
BLANKS = '["fs-orders", {"filename": "in/orders.txt"}]'
#: what a connector with a map of its own writes (3), and what the worker makes of it (0)
OWN_ORDER = '["fp-files",{"name":"a.csv","path":"landing"}]'
HASH_ORDER = '["fp-files",{"path":"landing","name":"a.csv"}]'


def logged(kafka, history_of=None, topic="offsets"):
    log = OffsetLog(kafka.topic(topic), history_of)
    for messages in kafka.read(log.topic, kafka.starts(log.topic), kafka.ends(log.topic)[0]):
        log.add(messages)
    return log


def held(kafka, connector, **partition):
    return logged(kafka).decoded(connector).of(connector)[canonical(partition)]


def orders(kafka):
    return held(kafka, "fs-orders", filename="in/orders.txt")


def files(kafka):
    return held(kafka, "fp-files", name="a.csv", path="landing")


# ---- keys ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", [5, None, True])
def test_a_name_that_is_no_text(name):
    with pytest.raises(DeclarationError):
        new_key("c", {name: "x"})


#: of a key that is read and written without a JSON parser where nothing in it needs an escape
TEXTS = ["a", "", "dir/f 1.txt", 'say "hi"', "back\\slash", "\\u0041", 'x","y":"z', "caf\u00e9", "\x7f", "\n", "\U0001f69a", "]}"]


@pytest.mark.parametrize("connector", TEXTS)
def test_the_short_way_of_a_key_is_the_long_way(connector):
    for name, item in itertools.product(TEXTS, [*TEXTS, 5, None, True, "5"]):
        key = encode([connector, {name: item}])
        assert new_key(connector, {name: item}) == key
        assert decode_key(key) == (connector, {name: item}, CONNECT, canonical({name: item}))
        blank = b"[" + b" " + key[1:]
        assert decode_key(blank) == (connector, {name: item}, FOREIGN, canonical({name: item}))


@pytest.mark.parametrize("key, connector, partition, form", [
    (COMPACT, "fs-orders", {"filename": "in/orders.txt"}, CONNECT),
    (BLANKS, "fs-orders", {"filename": "in/orders.txt"}, FOREIGN),
    ('["fs\\u002dorders",{"filename":"f"}]', "fs-orders", {"filename": "f"}, FOREIGN),
    ('["c",{"p":"in\\/f"}]', "c", {"p": "in/f"}, FOREIGN),
    ('["c",{"p":"caf\\u00e9"}]', "c", {"p": "café"}, FOREIGN),
    ('["c",{"p":"café-\\uD83D\\uDE9A"}]', "c", {"p": "café-🚚"}, CONNECT),
    ('["c",{"p":"café-\\ud83d\\ude9a"}]', "c", {"p": "café-🚚"}, FOREIGN),
    ('["c",{"p":"café-🚚"}]', "c", {"p": "café-🚚"}, FOREIGN),
    ('["c",{"p":"\\u001F"}]', "c", {"p": "\x1f"}, CONNECT),
    ('["c",{"p":"\\u001f"}]', "c", {"p": "\x1f"}, FOREIGN),
    ('{"schema":null,"payload":["c",{"p":1}]}', "c", {"p": 1}, ENVELOPE),
    ('{"schema": null, "payload": ["c", {"p": 1}]}', "c", {"p": 1}, FOREIGN),
    ('{"payload":["c",{"p":1}],"schema":null}', "c", {"p": 1}, ENVELOPE),
    ('["c",{"b":1,"a":2}]', "c", {"b": 1, "a": 2}, CONNECT),
    ('["c",{"p":4.0}]', "c", {"p": 4.0}, CONNECT),
    ('["c",{"p":4e0}]', "c", {"p": 4.0}, FOREIGN),
    ('["c",{"p":9223372036854775807,"t":true,"n":null}]', "c", {"p": 2**63 - 1, "t": True, "n": None}, CONNECT),
    ('["",{}]', "", {}, CONNECT),
    ('["a/b",{"p":1}]', "a/b", {"p": 1}, CONNECT),
])
def test_keys(key, connector, partition, form):
    assert decode_key(key.encode("utf-8")) == (connector, partition, form, canonical(partition))


def test_types_make_other_partitions():
    assert len({decode_key(b'["c",{"p":%s}]' % value)[3] for value in (b"4", b'"4"', b"4.0", b"true", b"null")}) == 5


@pytest.mark.parametrize("key, connector, reason", [
    (None, None, "a record without a key"),
    (b"", None, "the key is not JSON"),
    (b"garbage", None, "the key is not JSON"),
    (b'["c",{"p":"\xff"}]', None, "the key is not JSON"),
    (b"\x00\x03snk\x00\x00\x00\x00", None, "the key is not JSON"),
    (b"7", None, "the key is no [connector, partition]"),
    (b"[]", None, "the key is no [connector, partition]"),
    (b'["c"]', None, "the key is no [connector, partition]"),
    (b'["c",{"p":1},1]', None, "the key is no [connector, partition]"),
    (b'[1,{"p":1}]', None, "the key is no [connector, partition]"),
    (b'{"p":1}', None, "the key is no [connector, partition]"),
    (b'{"schema":null,"payload":{"p":1}}', None, "the key is no [connector, partition]"),
    (b'{"schema":null,"payload":["c",{"p":1}],"x":1}', None, "the key is no [connector, partition]"),
    (b'["\\ud83d",{"p":1}]', None, "the connector's name has no UTF-8 form"),
    (b'["c",null]', "c", "the partition is no map"),
    (b'["c",[1]]', "c", "the partition is no map"),
    (b'["c",{"p":{"q":1}}]', "c", "the partition holds a map or a list"),
    (b'["c",{"p":[]}]', "c", "the partition holds a map or a list"),
    (b'["c",{"p":1,"p":2}]', "c", "a field stands twice in the key"),
    (b'["c",{"p":9223372036854775808}]', "c", "9223372036854775808 does not fit into the 64 bits of a Connect offset."),
    (b'["c",{"p":NaN}]', "c", "nan has no JSON form."),
])
def test_keys_that_are_no_partition(key, connector, reason):
    assert decode_key(key) == (connector, None, None, reason)


def test_half_a_surrogate_pair_in_a_partition():
    connector, partition, form, reason = decode_key(b'["c",{"p":"\\ud83d"}]')
    assert (connector, partition, form) == ("c", None, None) and "half of a surrogate pair" in reason
    reason.encode("utf-8")


def test_a_key_and_a_value_nested_without_end_are_garbage_like_any_other():
    assert decode_key(b"[" * 100000)[2] is None
    assert decode_value(b"[" * 100000) == (None, False)


@pytest.mark.parametrize("key, name", [
    (COMPACT, "fs-orders"), (BLANKS, "fs-orders"), ('["a/b",{}]', "a/b"), ('["café",null]', "café"), ('["",{}]', ""),
    ('["fs\\u002dorders",{}]', None), ('["a\\"b",{}]', None), ('["a" ,{}]', None), ('[ "a",{}]', None), ('["a"]', None),
    ('["a', None), ("", None), ('{"schema":null,"payload":["a",{}]}', None), (b'["\xff",{}]', None), (None, None),
])
def test_names_that_are_seen_without_parsing(key, name):
    assert name_in(key.encode("utf-8") if isinstance(key, str) else key) == name


# ---- values -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("value, offset, envelope", [
    (b'{"position":4}', {"position": 4}, False),
    (b'{"a":"4","b":4.0,"c":null,"d":true}', {"a": "4", "b": 4.0, "c": None, "d": True}, False),
    (b'{"schema":null,"payload":{"o":1}}', {"o": 1}, True),
    (b'{"schema":null,"payload":"x"}', {"schema": None, "payload": "x"}, False),
    (b"{}", {}, False),
    (None, None, False),
    (b"", None, False), (b"null", None, False), (b"4", None, False), (b"[1]", None, False), (b"{", None, False),
    (b'{"o":"\xff"}', None, False),
    (b'{"o":{"p":1}}', None, False), (b'{"o":[1]}', None, False), (b'{"o":9223372036854775808}', None, False), (b'{"o":NaN}', None, False),
    (b'{"schema":null,"payload":{"o":[1]}}', None, True),
])
def test_values(value, offset, envelope):
    assert decode_value(value) == (offset, envelope)


@pytest.mark.parametrize("partition, names, envelope, key", [
    ({"filename": "in/orders.txt"}, None, False, COMPACT),
    ({"name": "a.csv", "path": "landing"}, None, False, HASH_ORDER),
    ({"path": "landing", "name": "a.csv"}, ["name", "path"], False, OWN_ORDER),
    ({"topic": "t", "partition": 0, "cluster": "A"}, None, False, '["c",{"cluster":"A","partition":0,"topic":"t"}]'),
    ({"p": 1}, None, True, '{"schema":null,"payload":["c",{"p":1}]}'),
    ({"p": "in/café-🚚.txt"}, None, False, '["c",{"p":"in/café-\\uD83D\\uDE9A.txt"}]'),
])
def test_new_keys(partition, names, envelope, key):
    connector = json.loads(key)[0] if not envelope else "c"
    assert new_key(connector, partition, names, envelope) == key.encode("utf-8")


@pytest.mark.parametrize("text", [
    '{"o":0}', '{"o":-1}', '{"o":-0}', '{"o":01}', '{"o":123456789012345678}', '{"o":9223372036854775807}', '{"o":9223372036854775808}',
    '{"o":1.0}', '{"o":1e3}', '{"o": 1}', ' {"o":1}', '{"o":1}\n', '{"o":1,"o":2}', '{"o":1,"p":2}', '{"":1}', '{"a b":1}', '{"a\\"b":1}', '{"\\u0061":1}',
    '{"\u00e9":1}', '{"o":"1"}', '{"o":+1}', '{"o":1}}', '{"o":-}', '{o:1}', '{"o":١}'])
def test_values_with_one_number_are_read_as_json_is(text):
    """Though the commonest take no JSON reader; and are written as by it."""
    try:
        value = json.loads(text)
        fits = all(not isinstance(item, int) or -2**63 <= item < 2**63 for item in value.values())
    except ValueError:
        value, fits = None, False
    found, envelope = decode_value(text.encode())
    assert (found, envelope) == (value if fits else None, False) and [type(item) for item in (found or {}).values()] == [
        type(item) for item in (value if fits else {}).values()]
    if found is not None:
        assert new_value(found) == encode(ordered(found))


@pytest.mark.parametrize("envelope, value", [
    (False, b'{"b":4.0,"s":"4","nul":null,"f":1.0E-4}'), (True, b'{"schema":null,"payload":{"b":4.0,"s":"4","nul":null,"f":1.0E-4}}'),
])
def test_new_values(envelope, value):
    assert new_value({"f": 0.0001, "b": 4.0, "nul": None, "s": "4"}, envelope) == value


def test_what_cannot_be_encoded_is_refused():
    with pytest.raises(DeclarationError):
        new_value({"o": 2**63})


# ---- which copy is shown ------------------------------------------------------------------------------------------

def test_one_copy():
    kafka = FakeKafka().put(COMPACT, '{"position":4}').put(COMPACT, '{"position":9}')
    one = orders(kafka)
    assert one.shown.offset == {"position": 9} and one.others() == [] and one.anomalies() == []
    copy, = one.copies
    assert (copy.key, copy.place, copy.log_offset, copy.time, copy.form) == (COMPACT.encode(), 1, 1, EPOCH + 2000, CONNECT)
    assert (copy.value, copy.envelope, copy.live) == (b'{"position":9}', False, True)


def test_a_record_without_a_time():
    assert orders(FakeKafka().put(COMPACT, "{}", time=None)).shown.time is None


def test_a_tombstone_alone_shows_nothing():
    one = orders(FakeKafka().put(COMPACT, '{"position":4}').put(COMPACT, None))
    assert (one.shown, one.live, one.anomalies()) == (None, [], []) and len(one.copies) == 1


@pytest.mark.parametrize("records, shown", [
    # a worker's spelling before blanks, envelope and escapes, however young those are
    ([(COMPACT, None, 4), (BLANKS, None, 9)], 4),
    ([(BLANKS, None, 9), (COMPACT, None, 4)], 4),
    ([(COMPACT, 0, 4), (BLANKS, None, 9)], 4),
    ([(COMPACT, None, 4), (f'{{"schema":null,"payload":{COMPACT}}}', None, 9)], 4),
    # the topic partition where workers write before a younger record
    ([(COMPACT, 1, 4), (COMPACT, 4, 9)], 4),
    ([(COMPACT, 4, 9), (COMPACT, 1, 4)], 4),
    # the younger of two elsewhere
    ([(COMPACT, 2, 4), (COMPACT, 0, 9)], 9),
    ([(COMPACT, 0, 9), (COMPACT, 2, 4)], 4),
    # what is live before what is not
    ([(COMPACT, 4, 9), (COMPACT, 1, None)], 9),
    ([(COMPACT, 1, 4), (COMPACT, 4, None)], 4),
    ([(BLANKS, None, 9), (COMPACT, None, None)], 9),
    ([(COMPACT, 1, None), (COMPACT, 4, None)], None),
])
def test_which_copy_is_shown(records, shown):
    kafka = FakeKafka()
    for key, place, position in records:
        kafka.put(key, position and f'{{"position":{position}}}', place)
    one = orders(kafka)
    assert (one.shown and one.shown.offset["position"]) == shown


def test_of_two_records_of_one_time_the_later_offset_is_shown():
    kafka = FakeKafka().put('["x",{}]', "{}", 0).put(COMPACT, '{"position":4}', 0, time=EPOCH).put(COMPACT, '{"position":9}', 2, time=EPOCH)
    assert orders(kafka).shown.offset == {"position": 4}


@pytest.mark.parametrize("siblings, shown", [
    ([], "rest"),  # nothing tells: the younger
    (['["fp-files",{"name":"b.csv","path":"landing"}]'], "own"),
    (['["fp-files",{"path":"landing","name":"b.csv"}]'], "rest"),
    (['["fp-files",{"path":"landing","name":"b.csv"}]', '["fp-files",{"name":"c.csv","path":"landing"}]',
      '["fp-files",{"name":"d.csv","path":"landing"}]'], "own"),
    (['["fp-files", {"name":"b.csv","path":"landing"}]'], "rest"),  # blanks show no habit
    (['["other",{"name":"b.csv","path":"landing"}]'], "rest"),
    (['["fp-files",{"name":"b.csv","hash":"landing"}]'], "rest"),
])
def test_the_order_of_the_other_partitions_tells_which_key_the_connector_reads(siblings, shown):
    kafka = FakeKafka()
    for key in siblings:
        kafka.put(key, '{"position":1}')
    kafka.put(OWN_ORDER, '{"by":"own"}').put(HASH_ORDER, '{"by":"rest"}')
    assert files(kafka).shown.offset == {"by": shown}


@pytest.mark.parametrize("records, others", [
    ([(COMPACT, 1, '{"position":4}')], []),
    ([(COMPACT, 1, '{"position":4}'), (BLANKS, 4, '{"position": 4}')], []),
    ([(COMPACT, 1, '{"position":4}'), (BLANKS, 4, '{"position":4.0}')], [{"position": 4.0}]),
    ([(COMPACT, 1, '{"position":4}'), (COMPACT, 4, '{"position":5}'), (BLANKS, 4, '{"position":6}')], [{"position": 5}, {"position": 6}]),
    ([(COMPACT, 1, '{"position":4}'), (BLANKS, 4, "garbage")], [None]),
    ([(COMPACT, 1, '{"position":4}'), (BLANKS, 4, None)], []),
    # no worker reads what is held under blanks alone
    ([(BLANKS, 4, '{"position":4}')], [None]),
    ([(BLANKS, 4, '{"position":4}'), (COMPACT, 1, None)], [None]),
    ([(BLANKS, 4, '{"position":4}'), (BLANKS, 1, '{"position":5}')], [{"position": 5}, None]),
    ([(f'{{"schema":null,"payload":{COMPACT}}}', 1, '{"position":4}')], []),
])
def test_what_may_count_instead(records, others):
    kafka = FakeKafka()
    for key, place, value in reversed(records):
        kafka.put(key, value, place)
    if len(records) == 2 and records[1][0] == BLANKS == records[0][0]:
        kafka.put(BLANKS, '{"position":4}', 4)
    assert sorted(orders(kafka).others(), key=canonical) == sorted(others, key=canonical)


# ---- anomalies -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("records, anomalies", [
    ([(COMPACT, 1, 4)], []),
    ([(COMPACT, 4, 4)], []),
    ([(COMPACT, 1, 4), (COMPACT, 4, 9)], ["split"]),
    ([(COMPACT, 1, 4), (COMPACT, 4, None)], ["stray_tombstone"]),
    ([(COMPACT, 1, None), (COMPACT, 4, 9)], ["stray_tombstone"]),
    ([(COMPACT, 1, 4), (COMPACT, 0, 4), (COMPACT, 4, None)], ["split", "stray_tombstone"]),
    ([(COMPACT, 1, None), (COMPACT, 4, None)], []),
    ([(BLANKS, 4, 4)], ["foreign"]),
    ([(f'{{"schema":null,"payload":{COMPACT}}}', None, 4)], ["foreign"]),
    ([(COMPACT, 1, 4), (BLANKS, 4, 4)], ["encodings", "foreign"]),
    ([(COMPACT, 1, 4), (BLANKS, 4, None)], []),
    ([(COMPACT, 1, None), (BLANKS, 4, 4)], ["foreign"]),
    ([(COMPACT, 1, 4), (COMPACT, 2, 4), (BLANKS, 4, 4)], ["encodings", "split", "foreign"]),
])
def test_oddities(records, anomalies):
    kafka = FakeKafka()
    for key, place, position in records:
        kafka.put(key, position and f'{{"position":{position}}}', place)
    assert orders(kafka).anomalies() == anomalies


@pytest.mark.parametrize("records, anomalies", [
    ([HASH_ORDER], []), ([OWN_ORDER], ["order"]), ([OWN_ORDER, HASH_ORDER], ["encodings", "order"]),
    ([HASH_ORDER, OWN_ORDER], ["encodings", "order"]), ([OWN_ORDER.replace(",", ", ")], ["foreign"]),
])
def test_the_oddity_of_another_order(records, anomalies):
    kafka = FakeKafka()
    for key in records:
        kafka.put(key, "{}")
    assert files(kafka).anomalies() == anomalies


@pytest.mark.parametrize("key, value", [
    ('["mm",{"cluster":"A","partition":0,"topic":"snk"}]', '{"offset":5}'),
    ('["mm",{"sourceClusterAlias":"A","targetClusterAlias":"B"}]', '{"offset":0}'),
    ('["mm",{"partition":2,"topic":"A.snk","group":"g"}]', '{"offset":0}'),
    ('["fs",{"filename":"in/café-\\uD83D\\uDE9A.txt"}]', '{"position":4}'),
    ('["jdbc",{"protocol":"1","table":"db.orders"}]', '{"timestamp_nanos":5000000,"incrementing":7,"timestamp":1700000000005}'),
    ('["jdbc",{"query":"query"}]', '{"incrementing":7}'),
    ('["dbz",{"server":"pg"}]', '{"transaction_id":null,"lsn_proc":1,"lsn":1,"txId":5,"ts_usec":1}'),
    ('["dbz",{"server":"sql","database":"db1"}]', '{"commit_lsn":"0000","snapshot":true}'),
    ('["mongo",{"ns":"mongodb://h/db.c"}]', '{"_id":"{\\"_data\\": \\"82\\"}","copy":"true"}'),
    ('["dbz",{"rs":"rs0","server_id":"m"}]', '{"sec":1,"ord":2,"resume_token":"82"}'),
])
def test_ordinary_connectors_have_no_oddities(key, value):
    kafka = FakeKafka().put(key, value).put(key, None).put(key, value)
    name, partition = json.loads(key)
    one = held(kafka, name, **partition)
    assert one.anomalies() == [] and one.shown.offset == json.loads(value) and one.shown.form == CONNECT
    assert new_key(name, dict(reversed(list(partition.items())))) == key.encode("utf-8")
    assert logged(kafka).misplaced() == (0, 1)


# ---- the log ------------------------------------------------------------------------------------------------------

def test_connectors_are_told_apart_by_their_decoded_names():
    kafka = FakeKafka()
    for name in ("rn", "rn2", "n", "r\\u006e", "RN", "rn ", "rn\\\"x"):
        kafka.put(f'["{name}",{{"p":{len(name)}}}]', '{"o":1}')
    log = logged(kafka)
    assert sorted(log.decoded().connectors) == ["RN", "n", "rn", "rn ", 'rn"x', "rn2"]
    assert sorted(log.decoded().of("rn")) == sorted(log.decoded("rn").of("rn")) == ['{"p": 2}', '{"p": 7}']
    assert log.decoded("nobody").of("nobody") == {} and logged(kafka).decoded("nobody").connectors == {}


def test_one_connector_reads_as_among_all():
    kafka = mess(random.Random(3), 400)
    log = logged(kafka)
    everything = log.decoded()
    for name in sorted(everything.connectors):
        assert seen(logged(kafka).decoded(name), name) == seen(everything, name)


def test_what_is_decoded_is_kept_until_records_come():
    kafka = FakeKafka().put(COMPACT, '{"position":4}')
    log = logged(kafka)
    everything = log.decoded()
    assert log.decoded("fs-orders") is everything and log.decoded() is everything
    log = logged(kafka)
    one = log.decoded("fs-orders")
    assert log.decoded("fs-orders") is one and log.decoded() is not one
    log.add(kafka.put(COMPACT, '{"position":9}').topics["offsets"][1][1:])
    assert log.decoded("fs-orders").of("fs-orders")['{"filename": "in/orders.txt"}'].shown.offset == {"position": 9}
    assert log.records == 2


def test_unreadable_records():
    kafka = FakeKafka().put(COMPACT, '{"position":4}').put("garbage", "x", 0).put('["c",{"p":[]}]', '{"o":1}', 2).put("gone",
                                                                                                                      "x").put("gone", None)
    kafka.put(None, "x", 3).put(None, None, 4)
    found = {(one.key, one.place, one.log_offset, one.connector, one.reason) for one in logged(kafka).decoded().unreadable}
    assert found == {
        (b"garbage", 0, 0, None, "the key is not JSON"), (b'["c",{"p":[]}]', 2, 0, "c", "the partition holds a map or a list"),
        (None, 3, 0, None, "a record without a key")}
    assert {one.key for one in logged(kafka).decoded("fs-orders").unreadable} == {b"garbage", None}
    assert b'["c",{"p":[]}]' in {one.key for one in logged(kafka).decoded("c").unreadable}


@pytest.mark.parametrize("keys, shaped", [
    ([], False), (["garbage"], False), (["connector-c", "task-c-0", "commit-c"], False), ([COMPACT], True), (["garbage", BLANKS], True),
    (['{"schema":null,"payload":["c",{"p":1}]}'], True),
])
def test_is_any_record_shaped_like_an_offset(keys, shaped):
    kafka = FakeKafka()
    for key in keys:
        kafka.put(key, "{}")
    assert logged(kafka).decoded().shaped is shaped


def test_misplaced_keys():
    kafka = FakeKafka().put(COMPACT, "{}", 4).put(COMPACT, "{}", 1).put("garbage", None, 0).put(None, "x", 2)
    assert logged(kafka).misplaced() == (1, 2)
    kafka = FakeKafka(partitions=7)
    for number in range(3000):
        kafka.put(f'["c",{{"p":{number}}}]', "{}", 0)
    wrong, looked = logged(kafka).misplaced()
    assert 500 <= looked <= 1000 and 0.7 < wrong / looked < 0.95


def test_a_topic_to_which_partitions_were_added():
    old = FakeKafka(partitions=5).put(COMPACT, '{"position":4}')
    new = FakeKafka(partitions=25).put(COMPACT, '{"position":4}', *old.live().popitem()[0][:1])
    assert logged(new).misplaced() == (1, 1)
    new.put(COMPACT, '{"position":9}')  # where the workers write now
    assert orders(new).anomalies() == ["split"] and orders(new).shown.offset == {"position": 9} and orders(new).shown.place == 11


# ---- history ------------------------------------------------------------------------------------------------------

def test_history():
    kafka = FakeKafka()
    for position in (4, None, 9):
        kafka.put(COMPACT, position and f'{{"position":{position}}}')
    kafka.put('["other",{"p":1}]', "{}").put(BLANKS, '{"position":5}').put(COMPACT, '{"position":7}', 0)
    for history_of in ("fs-orders", ""):
        log = logged(kafka, history_of)
        found = log.history(log.decoded("fs-orders").of("fs-orders")['{"filename": "in/orders.txt"}'])
        assert [(copy.place, copy.form, copy.offset and copy.offset["position"], copy.live) for copy in found] == [
            (0, CONNECT, 7, True), (4, FOREIGN, 5, True), (1, CONNECT, 9, True), (1, CONNECT, None, False), (1, CONNECT, 4, True)]
    log = logged(kafka, "other")
    assert log.history(log.decoded("fs-orders").of("fs-orders")['{"filename": "in/orders.txt"}']) == []
    log = logged(kafka)
    assert log.history(log.decoded("fs-orders").of("fs-orders")['{"filename": "in/orders.txt"}']) == []


def test_history_has_an_end():
    kafka = FakeKafka()
    for position in range(HISTORY + 20):
        kafka.put(COMPACT, f'{{"position":{position}}}')
    log = logged(kafka, "fs-orders")
    found = log.history(log.decoded().of("fs-orders")['{"filename": "in/orders.txt"}'])
    assert [copy.offset["position"] for copy in found] == list(range(HISTORY + 19, 19, -1))


@pytest.mark.parametrize("key", ['{"schema":null,"payload":["c",{"p":1}]}', '["\\u0063",{"p":1}]', '[ "c",{"p":1}]', '["c" ,{"p":1}]'])
def test_history_of_one_connector_under_keys_that_no_worker_of_today_writes(key):
    kafka = FakeKafka().put(key, '{"o":1}').put(key, '{"o":2}')
    log = logged(kafka, "c")
    assert [copy.offset for copy in log.history(log.decoded("c").of("c")['{"p": 1}'])] == [{"o": 2}, {"o": 1}]


# ---- habits -------------------------------------------------------------------------------------------------------

def test_habits():
    kafka = FakeKafka().put(OWN_ORDER, "{}").put('["fp-files",{"name":"b","path":"q"}]', None).put('["fp-files",{"p":1}]', "{}")
    habits = KeyStyle(logged(kafka).decoded().of("fp-files"))
    assert habits.order({"path": 1, "name": 2}) == ["name", "path"]
    assert habits.order({"p": 7}) == ["p"] and habits.order({"q": 1}) is None and habits.envelope is False
    kafka.put('{"schema":null,"payload":["fp-files",{"p":2}]}', "{}")
    assert KeyStyle(logged(kafka).decoded().of("fp-files")).envelope is False
    for number in range(3, 6):
        kafka.put(f'{{"schema":null,"payload":["fp-files",{{"p":{number}}}]}}', "{}")
    assert KeyStyle(logged(kafka).decoded().of("fp-files")).envelope is True


# ---- whatever comes -----------------------------------------------------------------------------------------------

NAMES = ("a", "b", "a/b", "é")
SPELLINGS = (
    lambda name, number: new_key(name, {"p": number}),
    lambda name, number: new_key(name, {"p": number}, envelope=True),
    lambda name, number: new_key(name, {"path": number, "name": "x"}),
    lambda name, number: new_key(name, {"path": number, "name": "x"}, ["name", "path"]),
    lambda name, number: json.dumps([name, {"p": number}]).encode("utf-8"),
    lambda name, number: json.dumps([name, {"p": [number]}]).encode("utf-8"),
    lambda name, number: b"garbage %d" % number,
)
VALUES = (None, None, b'{"o":1}', b'{"o":2}', b'{"schema":null,"payload":{"o":2}}', b"garbage", b'{"o":2.0}')


def mess(rng, count, kafka=None):
    kafka = kafka or FakeKafka()
    for _count in range(count):
        key = rng.choice(SPELLINGS)(rng.choice(NAMES), rng.randint(0, 3))
        kafka.put(key, rng.choice(VALUES), rng.choice([None, None, None, rng.randint(0, 4)]))
    return kafka


def seen(decoded, name):
    """What a decoded log shows of a connector, as plain data."""
    return {key: (one.partition, one.anomalies(), one.shown and one.others(), one.shown and (one.shown.place, one.shown.key),
                  sorted((copy.place, copy.key, copy.value, copy.log_offset, copy.form) for copy in one.copies))
            for key, one in decoded.of(name).items()}, sorted((one.place, one.key) for one in decoded.unreadable if one.connector == name)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_shown_follows_from_the_rules(seed):
    kafka = mess(random.Random(seed), 120)
    live = kafka.live()
    counted = 0
    decoded = logged(kafka).decoded()
    for name, partitions in decoded.connectors.items():
        for key, one in partitions.items():
            copies = {(copy.place, copy.key): copy.value for copy in one.live}
            counted += len(copies)
            assert copies.items() <= live.items()
            assert {decode_key(raw)[0::3] for _place, raw in copies} <= {(name, key)}
            assert (one.shown is None) == (not copies)
            if copies:
                connect = [copy for copy in one.live if copy.form == CONNECT]
                assert one.shown in (connect or one.live)
                home = [copy for copy in connect if partition_for(copy.key, 5) == copy.place]
                if len({copy.key for copy in connect}) == 1 and home:
                    assert one.shown is home[0]
    assert counted + len(decoded.unreadable) == len(live)


def test_for_many_connectors_all_are_decoded_at_once():
    kafka = FakeKafka().put(COMPACT, "{}").put(OWN_ORDER, "{}")
    for many in (False, True):
        log = OffsetLog(kafka.topic("offsets"), many=many)
        for messages in kafka.read(log.topic, kafka.starts(log.topic), kafka.ends(log.topic)[0]):
            log.add(messages)
        assert (log.decoded("fs-orders") is log.decoded("fp-files")) is many
        assert len(log.decoded("fp-files").of("fp-files")) == 1
