# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing to the offsets topic: exact bytes on the exact partition, and connectors that really start where they were told."""

from __future__ import annotations

import json
import uuid

import pytest

from tests.integration.support.configs import at, entry, file_source, shaped
from tests.integration.support.topic_method import key_of
from tests.integration.support.worker import ordered, wait_until

POSITION = {position: [entry({"filename": "in/orders.txt"}, {"position": position})] for position in (2, 4, 6)}

#: offsets whose types and texts must survive: C28, C30, C32, C33 and what else JSON and Java spell differently
SHAPES = [
    entry({"protocol": "1", "table": "public.orders"},
          {"timestamp": 1718000000456, "timestamp_nanos": 456000000, "incrementing": 1547863325117001729}),
    entry({"server": "inv"}, {"transaction_id": None, "lsn_proc": 25565696, "messageType": "INSERT", "lsn_commit": 25565640,
                              "lsn": 9007199254740993, "txId": 491, "ts_usec": 1711929600000000}),
    entry({"server": "mysql.one"}, {
        "transaction_id": None, "ts_sec": 1698175034, "file": "bin.008984", "pos": 219, "row": 148, "server_id": 4294967295, "event": 12,
        "gtids": "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-23", "transaction_data_collection_order_shop.orders": 3,
        "incremental_snapshot_collections": "[{\"incremental_snapshot_collections_id\":\"shop.orders\"}]"}),
    entry({"server": "oracle"}, {"scn": "28815377", "commit_scn": "28815377:1:0a001b00", "snapshot_scn": "28810000"}),
    entry({"ns": "mongodb://db1.example:27017/shop.orders"},
          {"_id": "{\"_data\": \"826500AB\"}", "copy": "true", "HEARTBEAT": "true"}),
    entry({"cluster": "east", "partition": 0, "topic": "orders"}, {"offset": 9223372036854775807}),
    entry({"zeta": "z", "topic": "t", "alpha": 1, "server": "s"}, {"n": -9223372036854775808, "on": True, "off": False}),
    entry({"filename": "in/café-🚚 \u001f\u007f\u2028</&.txt"}, {"größe 🚚": 'a"\\\n', "double": 1.5, "big": 1e10}),
]


@pytest.fixture(params=["main", "wide"])
def cluster(request):
    """4.3.1 with 5 and with 25 partitions."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def orders(make) -> str:
    """A connector as in the field cases, STOPPED, without offsets."""
    return make(file_source("in/orders.txt"))


def spellings(name: str) -> tuple[bytes, bytes]:
    """The key that the worker writes, and the one that somebody typed with blanks."""
    return key_of(name, '{"filename":"in/orders.txt"}'), key_of(name, ' {"filename": "in/orders.txt"}')


def test_known_key_is_written_back_to_its_place(cluster, make_on, method):
    """Key bytes and topic partition are those of the worker's record; one record is added, no other is touched."""
    method = method.on(cluster)
    name = make_on(cluster, "STOPPED", partitions='[{"p":0},{"p":1}]')
    before, = {(one.partition, one.key) for one in method.log(name) if one.key == key_of(name)}
    count = len(method.log(name))
    real = method.done(name, offsets=[at(1)])
    assert (real["method"], real["method_reason"], real["offset_topic"]) == ("topic", "method: topic", method.topic)
    assert real["offsets"] == [at(1), at(4, p=1)] and real["offsets_before"] == [at(4), at(4, p=1)]
    assert len(method.log(name)) == count + 1
    live = method.live(name)
    assert live[before] == b'{"n":1}' and len(live) == 2


def test_new_keys_are_those_that_the_worker_writes(cluster, method):
    """C28 C30 C32 C33: the worker, told the same by REST, adds the same bytes on the same partitions."""
    name, method, worker = f"new-{uuid.uuid4().hex[:8]}", method.on(cluster), cluster.worker
    worker.create(name, shaped(topic=name))
    try:
        assert method.change(name, offsets=SHAPES)["changed"] is True
        assert json.dumps(worker.offsets(name), sort_keys=True) == json.dumps(ordered(SHAPES), sort_keys=True)
        ours = method.log(name)
        assert len(ours) == len(SHAPES)
        worker.set_offsets(name, SHAPES)
        wait_until(lambda: len(method.log(name)) == 2 * len(SHAPES))
        assert sorted(method.log(name)) == sorted(2 * ours)
        assert method.change(name, offsets=SHAPES)["changed"] is False
        method.done(name, state="absent")
    finally:
        worker.delete(name)


@pytest.fixture
def fooled(orders, worker, method) -> tuple[str, int, int]:
    """(name, partition of the live record at position 4, partition of a later tombstone): the worker shows no offset any more."""
    worker.set_offsets(orders, POSITION[4])
    (place, key), = method.live(orders)
    stray = (place + 3) % 5
    method.put((stray, key, None))
    wait_until(lambda: worker.offsets(orders) == [], reason="the worker to be fooled")
    return orders, place, stray


def test_c01_stray_tombstone_does_not_hide_what_comes_back(fooled, method, main, live_stack):
    """The repair goes to the partition of the live record, and a restart brings nothing back."""
    name, place, stray = fooled
    found = method.look(name)
    assert found["offsets"] == POSITION[4]
    assert [odd["kinds"] for odd in found["anomalies"]] == [["stray_tombstone"]]
    assert any("tombstone" in text for text in found["warnings"])
    method.done(name, state="absent")
    key = spellings(name)[0]
    assert sorted(method.log(name), key=str) == sorted(
        [(place, key, b'{"position":4}'), (place, key, None), (stray, key, None)], key=str)
    live_stack.restart_worker(main.url)
    assert main.worker.offsets(name) == []


def test_c01_declared_offset_beside_a_stray_tombstone(fooled, worker, method):
    """The worker has none, so declaring the offset that the topic holds is a change: afterwards the worker has it."""
    name = fooled[0]
    real = method.change(name, offsets=POSITION[4])
    assert real["changed"] is True, "said to be there, but the worker has no offset"
    assert worker.offsets(name) == POSITION[4]
    assert method.change(name, offsets=POSITION[4])["changed"] is False


@pytest.mark.parametrize("desired", [{"state": "absent"}, {"offsets": POSITION[2]}], ids=["absent", "set"])
def test_c02_key_typed_with_blanks_beside_the_true_one(desired, orders, worker, method):
    """Two spellings of one partition: shown once, with a warning; both are removed, or both are set."""
    true, blanks = spellings(orders)
    worker.set_offsets(orders, POSITION[6])
    (place, key), = method.live(orders)
    other = (place + 1) % 5
    assert key == true
    method.put((other, blanks, b'{"position":4}'))
    found = method.look(orders)
    assert found["offsets"] == POSITION[6] and found["offsets_count"] == 1
    odd, = found["anomalies"]
    assert odd["kinds"] == ["encodings", "foreign"]
    assert {(one["topic_partition"], one["key"], one["encoding"], one["shown"]) for one in odd["records"]} == {
        (place, true.decode(), "connect", True), (other, blanks.decode(), "foreign", False)}
    assert any("blanks" in text for text in found["warnings"])
    method.done(orders, **desired)
    both = {} if "state" in desired else {(place, true): b'{"position":2}', (other, blanks): b'{"position":2}'}
    assert method.live(orders) == both


@pytest.mark.parametrize("position", [4, 2], ids=["the offset that it holds", "another offset"])
def test_c02_only_a_key_typed_with_blanks(position, orders, worker, method):
    """No worker reads it, so declaring an offset writes the key without blanks: what GET then shows counts."""
    true, blanks = spellings(orders)
    method.put((4, blanks, b'{"position":4}'))
    assert any("blanks" in text for text in method.look(orders)["warnings"])
    real = method.change(orders, offsets=POSITION[position])
    assert real["changed"] is True, "said to be there, under a key that no worker reads"
    assert true in {key for _place, key in method.live(orders)}, "written only to a key that no worker reads"
    assert worker.offsets(orders) == POSITION[position]


TWO = {"name": "a.csv", "path": "landing"}


@pytest.mark.parametrize("shadow", [False, True], ids=["null in GET", "patched by another tool"])
def test_c03_order_of_a_linked_map(shadow, make_on, main, method, kafka):
    """method auto takes the topic, with the connector's own key bytes: it starts at the declared offset."""
    name = make_on(main, "STOPPED", partitions=json.dumps([TWO]), partition_map="linked")
    own, = method.live(name)
    assert own[1] == key_of(name, '{"name":"a.csv","path":"landing"}')
    assert main.worker.offsets(name) == [entry(TWO, None)]
    if shadow:
        main.worker.set_offsets(name, [entry(TWO, {"n": 1})])
    real = method.done(name, offsets=[entry(TWO, {"n": 1})], method="auto")
    assert real["method"] == "topic" and "REST" in real["method_reason"]
    assert set(method.live(name).values()) == {b'{"n":1}'} and method.live(name)[own] == b'{"n":1}'
    assert method.look(name, method="auto")["method"] == "topic"
    main.worker.put(name, "resume")
    wanted = [f'{{"name":"a.csv","path":"landing"}}#{n}' for n in (0, 1, 2, 3, 4, 2, 3, 4)]
    wait_until(lambda: kafka.values(name) == wanted, reason="records 2, 3, 4 again")


def test_c03_reset_reaches_the_own_and_the_shadow_key(make_on, main, method, kafka):
    """After DELETE by REST and a reset of ours, the connector reads from its beginning."""
    name = make_on(main, "STOPPED", partitions=json.dumps([TWO]), partition_map="linked")
    main.worker.set_offsets(name, [entry(TWO, {"n": 3})])
    assert len(method.live(name)) == 2
    real = method.done(name, state="absent", method="auto")
    assert real["method"] == "topic" and method.live(name) == {}
    main.worker.put(name, "resume")
    wait_until(lambda: len(kafka.values(name)) == 10, reason="all five records again")


def test_a_record_that_only_the_memory_of_the_worker_has(make_on, wide, method, kafka):
    """As another cleanup.policy leaves it after a time: the same offset, declared, is a change, and the record is back."""
    method = method.on(wide)
    name = make_on(wide, "STOPPED")
    (place, key), = method.live(name)
    kafka.set_policy(method.topic, "compact,delete")
    try:
        kafka.empty(method.topic, place)
        assert method.live(name) == {} and wide.worker.offsets(name) == [at(4)]
        real = method.done(name, offsets=[at(4)], method="auto")
        assert real["method"] == "rest" and method.live(name) == {(place, key): b'{"n":4}'}
        for words in ("memory alone", "cleanup.policy=compact,delete"):
            assert any(words in text for text in real["warnings"]), real["warnings"]
    finally:
        kafka.set_policy(method.topic, "compact")


def test_present_after_a_reset_in_the_order_of_a_linked_map(make_on, main, method, kafka):
    """REST lists nothing by then; the tombstone tells under which key the connector reads, and it starts there."""
    partition = {"path": "landing", "name": "a.csv", "kind": "x"}
    name = make_on(main, "STOPPED", partitions=json.dumps([partition]), partition_map="linked")
    own, = method.live(name)
    assert own[1] == key_of(name, json.dumps(partition, separators=(",", ":")))
    method.done(name, state="absent")
    wait_until(lambda: main.worker.offsets(name) == [], reason="the worker to see the tombstone")
    real = method.done(name, offsets=[entry(partition, {"n": 2})], method="auto")
    assert real["method"] == "topic" and method.live(name) == {own: b'{"n":2}'}
    main.worker.put(name, "resume")
    wait_until(lambda: [value[-2:] for value in kafka.values(name)[5:]] == ["#3", "#4"], reason="records 3 and 4")


@pytest.mark.parametrize(("partitions", "place"), [(5, 4), (25, 14)])
def test_c05_accents_and_emoji_in_54_bytes(partitions, place, method, lone):
    """Jackson's bytes, neither of Python's spellings, on the partition of Java's producer; readable in the diff."""
    method, key = method.at(lone(partitions)), '["fs-orders",{"filename":"in/café-\\uD83D\\uDE9A.txt"}]'.encode()
    real = method.done("fs-orders", offsets=[entry({"filename": "in/café-🚚.txt"}, {"position": 4})])
    assert len(key) == 54 and method.live("fs-orders") == {(place, key): b'{"position":4}'}
    assert "in/café-🚚.txt" in "".join(real["diff"][0]["after"])


@pytest.mark.parametrize(("key", "partition", "places"), [
    ('["fs-orders",{"filename":"in/orders.txt"}]', {"filename": "in/orders.txt"}, (1, 11)),
    ('["jdbc-src",{"protocol":"1","table":"public.orders"}]', {"table": "public.orders", "protocol": "1"}, (3, 13)),
    ('["pg-cdc",{"server":"inv"}]', {"server": "inv"}, (1, 11)),
    ('["mongo-src",{"ns":"mongodb://db1.example:27017/shop.orders"}]', {"ns": "mongodb://db1.example:27017/shop.orders"}, (0, 15)),
])
def test_vectors_of_the_field_cases(key, partition, places, method, lone):
    """C01 C28 C30 C33: their keys on 5 and on 25 partitions, however the partition was typed."""
    name = json.loads(key)[0]
    for partitions, place in zip((5, 25), places, strict=True):
        new = method.at(lone(partitions))
        assert new.change(name, offsets=[entry(partition, {"n": 1})])["changed"] is True
        assert new.live(name) == {(place, key.encode()): b'{"n":1}'}


def test_c05_file_with_such_a_name_is_read_from_there(make, method, worker, kafka, tmp_path):
    """A real file, an offset seeded on the topic before the first start: the third line, alone."""
    file = tmp_path / "café-🚚.txt"
    file.write_text("1\n2\n3\n")
    name = make(file_source(file))
    method.done(name, offsets=[entry({"filename": str(file)}, {"position": 4})])
    worker.put(name, "resume")
    wait_until(lambda: kafka.values(name) == ["3"], reason="the third line, alone")


@pytest.mark.parametrize("neighbour", [False, True], ids=["key_order", "order of a neighbour"])
def test_new_key_in_the_order_of_the_connector(neighbour, make, method, worker, kafka):
    """A linked map that was never there: the connector finds the offset under the key that it asks for."""
    name = make(shaped(partitions=json.dumps([TWO]), partition_map="linked", interval_ms=1))
    if neighbour:
        method.put((0, key_of(name, '{"name":"b.csv","path":"landing"}'), b'{"n":4}'))
    method.done(name, offsets=[entry(TWO, {"n": 2})], **({} if neighbour else {"key_order": ["name", "path"]}))
    worker.put(name, "resume")
    wait_until(lambda: kafka.values(name) == [f'{{"name":"a.csv","path":"landing"}}#{n}' for n in (3, 4)])


def test_float_in_a_partition(make, method):
    """Its text depends on the worker's Java: refused for a new key, written back byte for byte for a known one."""
    name = make(shaped())
    desired = [entry({"p": 0.0001}, {"n": 1})]
    for check in (True, False):
        result = method.change(name, check=check, offsets=desired)
        assert result["failed"] and "float" in result["msg"] and method.log(name) == []
    key = key_of(name, '{"p":1.0E-4}')
    method.put((2, key, b'{"n":4}'))
    method.done(name, offsets=desired)
    assert method.live(name) == {(2, key): b'{"n":1}'}
