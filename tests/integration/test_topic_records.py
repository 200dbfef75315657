# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that no worker alone would have left, on topics of their own: copies, envelopes, garbage, transactions."""

from __future__ import annotations

import time

import pytest

from tests.integration.support.configs import at, shaped
from tests.integration.support.topic_method import key_of
from tests.integration.support.worker import ordered


@pytest.fixture
def own(method, lone):
    """The method on a new topic of five partitions."""
    return method.at(lone())


# ---- several copies --------------------------------------------------------------------------------------------------------


def test_split_key_is_one_partition_and_every_copy_is_written(own, name):
    """Two topic partitions, two values: shown once, with what is odd about it, and set where it was the same already, too."""
    key = key_of(name)
    own.put((0, key, b'{"n":4}'), (3, key, b'{"n":7}'), (2, key_of(name, '{"p":1}'), b'{"n":1}'))
    found = own.look(name)
    assert found["offsets_count"] == 2 and found["anomalies_count"] == 1
    shown, = (one["offset"] for one in found["offsets"] if one["partition"] == {"p": 0})
    odd, = found["anomalies"]
    assert odd["partition"] == {"p": 0} and odd["kinds"] == ["split"]
    assert {(one["topic_partition"], one["offset"]["n"]) for one in odd["records"]} == {(0, 4), (3, 7)}
    assert [one["offset"] for one in odd["records"] if one["shown"]] == [shown]
    assert any("several topic partitions" in text for text in found["warnings"])
    # Declared is what is shown, but the other copy disagrees.
    own.done(name, offsets=[at(shown["n"])])
    assert [own.live(name)[place, key] for place in (0, 3)] == [f'{{"n":{shown["n"]}}}'.encode()] * 2
    own.done(name, offsets=[at(2)])
    assert own.live(name) == {(0, key): b'{"n":2}', (3, key): b'{"n":2}', (2, key_of(name, '{"p":1}')): b'{"n":1}'}
    own.done(name, state="absent", offsets=[{"partition": {"p": 0}}])
    assert own.live(name) == {(2, key_of(name, '{"p":1}')): b'{"n":1}'}


def test_topic_that_was_given_more_partitions(make, worker, method, lone, kafka):
    """5 became 7: from then on the worker writes the same key elsewhere. Every place is set, and every place is reset.

    The topic is the connector's own, which the worker reads anew, as after a restart, for each request.
    """
    offsets = {n: [at(n, p=number) for number in range(12)] for n in (4, 6, 2)}
    topic = lone()
    name, own = make(shaped(offsets_storage_topic=topic)), method.at(topic)
    worker.set_offsets(name, offsets[4])
    kafka.widen(topic, 7)
    # What the worker lists now is either, by chance: it has both places of such a key.
    worker.must("PATCH", f"connectors/{name}/offsets", {"offsets": offsets[6]})
    places = {(one.partition, one.key) for one in own.log(name)}
    assert len(places) > 12
    found = method.look(name)
    assert found["topic"] == {"name": topic, "partitions": 7} and found["offsets"] == ordered(offsets[6])
    assert found["anomalies_count"] == len(places) - 12 and {tuple(odd["kinds"]) for odd in found["anomalies"]} == {("split",)}
    assert any("partitions were added" in text for text in found["warnings"])
    method.done(name, offsets=offsets[2])
    assert own.live(name) == dict.fromkeys(places, b'{"n":2}') and worker.offsets(name) == ordered(offsets[2])
    method.done(name, state="absent")
    assert own.live(name) == {} == method.live(name) and worker.offsets(name) == []
    # A tombstone that stayed behind at either place would hide what is set now.
    assert method.done(name, offsets=offsets[6], method="auto")["method"] == "topic"
    assert own.live(name) == dict.fromkeys(places, b'{"n":6}') and worker.offsets(name) == ordered(offsets[6])


def test_schema_envelope_is_kept(own, name):
    """Workers before 3.0 with schemas switched on: the key as it was, the value in its envelope, new keys as their neighbours."""
    old = b'{"schema":null,"payload":%s}' % key_of(name)
    own.put((1, old, b'{"schema":null,"payload":{"n":4}}'))
    found = own.look(name)
    assert found["offsets"] == [at(4)] and found["anomalies"][0]["records"][0]["encoding"] == "envelope"
    assert any("envelope" in text for text in found["warnings"])
    own.done(name, offsets=[at(2)])
    assert own.live(name)[1, old] == b'{"schema":null,"payload":{"n":2}}'
    own.done(name, state="absent")
    assert own.live(name) == {}


# ---- what cannot be read ---------------------------------------------------------------------------------------------------


def garbage(name: str) -> dict[str, bytes]:
    """raw_keys text -> key"""
    return {f'["{name}",{{"p":{{"deep":1}}}}]': key_of(name, '{"p":{"deep":1}}'), "not JSON at all": b"not JSON at all",
            "base64://79/A==": b"\xff\xfe\xfd\xfc"}


def test_unreadable_keys_are_counted_and_left_alone(own, name):
    """A nested map, no JSON, no UTF-8: shown. A reset touches the one that names the connector, the removal of a partition none."""
    keys = garbage(name)
    own.put((0, key_of(name), b'{"n":4}'), *((1, key, b"{}") for key in keys.values()))
    found = own.look(name)
    assert found["offsets"] == [at(4)]
    assert [(one["key"], one["topic_partition"], one["connector"]) for one in found["unreadable_records"]] == [(next(iter(keys)), 1, name)]
    everything = own.look()["topic"]
    assert everything["unreadable_count"] == 3 and {one["key"] for one in everything["unreadable_records"]} == set(keys)
    for desired, touched in (({"offsets": [at(4)]}, set()), ({}, {key_of(name, '{"p":{"deep":1}}')})):
        own.done(name, state="absent", **desired)
        assert {one.key for one in own.kafka.raw_records(own.topic) if one.partition == 1 and one.value is None} == touched
        assert own.look()["topic"]["unreadable_count"] == 3 - len(touched)


def test_a_reset_removes_what_cannot_be_read_as_well(make_on, main, method):
    """By auto, though REST shows nothing of it; the partition without fields can be set before that."""
    name = make_on(main, "STOPPED")
    unreadable = ['{"p":{"q":1}}', '{"n":9223372036854775808}']
    method.put(*((0, key_of(name, partition), b"{}") for partition in unreadable), (2, key_of(name, "{}"), b'{"n":1}'))
    assert method.done(name, offsets=[{"partition": {}, "offset": {"n": 2}}])["method"] == "topic"
    assert method.live(name)[2, key_of(name, "{}")] == b'{"n":2}'
    real = method.done(name, state="absent", method="auto")
    assert real["method"] == "topic" and real["counts"]["remove"] == 4 and method.live(name) == {}
    assert any("2 live records of" in text for text in real["warnings"])


def test_unreadable_keys_are_removed_by_raw_keys(own, name):
    """Each byte for byte, on its partition; the readable offset stays."""
    keys = garbage(name)
    own.put((0, key_of(name), b'{"n":4}'), *((1, key, b"{}") for key in keys.values()))
    real = own.done(name, state="absent", raw_keys=list(keys))
    assert [(one["partition"], one["action"]) for one in real["actions"][:3]] == [(text, "remove") for text in sorted(keys)]
    assert real["offsets"] == [at(4)]
    dead = [one[:2] for one in own.kafka.raw_records(own.topic) if one.value is None]
    assert sorted(dead) == sorted((1, key) for key in keys.values())
    assert own.look()["topic"]["unreadable_count"] == 0


def test_raw_key_of_one_spelling(own, name):
    """Of two spellings only the named one goes; what is returned is what is left."""
    true, blanks = key_of(name), key_of(name, ' {"p": 0}')
    own.put((0, true, b'{"n":4}'), (1, blanks, b'{"n":4}'))
    assert own.done(name, state="absent", raw_keys=[blanks.decode()])["offsets"] == [at(4)]
    assert own.live(name) == {(0, true): b'{"n":4}'}


def test_raw_key_whose_offset_counts_is_refused(own, name):
    """That would be another offset for the partition, or none, which is to be said with offsets; check mode says the same."""
    true, blanks = key_of(name), key_of(name, ' {"p": 0}')
    own.put((0, true, b'{"n":4}'), (1, blanks, b'{"n":9}'))
    ends = own.kafka.ends(own.topic)
    messages = {own.change(name, check=check, state="absent", raw_keys=[true.decode()])["msg"] for check in (True, False)}
    assert len(messages) == 1 and "offset counts" in messages.pop()
    assert own.kafka.ends(own.topic) == ends


@pytest.mark.parametrize(("text", "words"), [
    ('["another",{"p":0}]', "belongs to the connector another"), ('["another",{"p":{"deep":1}}]', "belongs to the connector another"),
    ('["\\u0061nother",{"p":0}]', "belongs to the connector another"), ("base64:§", "not base64")])
def test_raw_keys_that_are_refused(text, words, own, name):
    own.put((0, b'["another",{"p":0}]', b'{"n":4}'), (1, text.encode(), b'{"n":4}'))
    ends = own.kafka.ends(own.topic)
    for check in (True, False):
        result = own.change(name, check=check, state="absent", raw_keys=[text])
        assert result["failed"] and words in result["msg"]
    assert own.kafka.ends(own.topic) == ends
    assert own.change(name, offsets=[at(1)], raw_keys=["x"])["failed"]
    assert own.change(name, state="absent", raw_keys=["x"], method="rest")["failed"]


@pytest.mark.parametrize("value", [b"no JSON", b"[4]", b'{"n":{"deep":1}}', b'{"n":9223372036854775808}', b""])
def test_value_that_is_no_offset(value, own, name):
    """Listed as unreadable; it can be set, and it is removed by a reset."""
    own.put((3, key_of(name), value))
    found = own.look(name)
    assert (found["offsets"], found["unreadable"], found["unreadable_count"]) == ([], [{"p": 0}], 1)
    assert own.done(name, offsets=[at(1)])["offsets_before"] == []
    assert own.live(name) == {(3, key_of(name)): b'{"n":1}'}
    own.put((3, key_of(name), value))
    assert own.done(name, state="absent")["counts"]["remove"] == 1
    assert own.live(name) == {}


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_compressed_batches_are_read(codec, own, name, kafka):
    kafka.raw(own.topic, [(number % 5, key_of(name, f'{{"p":{number}}}'), b'{"n":4}') for number in range(200)], compression=codec)
    found = own.look(name, max_entries=7)
    assert found["offsets_count"] == 200 and found["truncated"] is True
    assert found["offsets"] == sorted([at(4, p=number) for number in range(200)], key=lambda one: f'{{"p": {one["partition"]["p"]}}}')[:7]


# ---- transactions ----------------------------------------------------------------------------------------------------------


def test_c13_aborted_transaction_is_not_seen(own, name):
    own.put((0, key_of(name), b'{"n":4}'))
    own.put((0, key_of(name), b'{"n":9}'), (1, key_of(name, '{"p":1}'), b'{"n":9}'), transaction="aborted")
    assert own.look(name, history=True)["offsets"] == [at(4)]
    assert own.change(name, offsets=[at(4)])["changed"] is False
    own.put((0, key_of(name), b'{"n":5}'), transaction="committed")
    assert own.look(name)["offsets"] == [at(5)] and own.look(name)["warnings"] == own.look(name, history=True)["warnings"]


def test_c13_open_transaction_is_read_up_to(own, name, kafka):
    """In time, with a warning that names the partition."""
    own.put((0, key_of(name), b'{"n":4}'))
    with kafka.open_transaction(own.topic, [(0, key_of(name), b'{"n":9}')]):
        start = time.monotonic()
        found = own.look(name)
        assert time.monotonic() - start < 20
        assert found["offsets"] == [at(4)]
        assert any("transaction is open" in text and "partition 0" in text for text in found["warnings"])
        assert own.change(name, check=True, offsets=[at(4)])["changed"] is False


def test_c13_open_transaction_is_not_written_behind(own, name, kafka):
    """What we commit there is not readable yet: no lie about it. Refused without a record, or said that it is written."""
    own.put((0, key_of(name), b'{"n":4}'))
    with kafka.open_transaction(own.topic, [(0, key_of(name), b'{"n":9}')]):
        ends = kafka.ends(own.topic)
        result = own.change(name, offsets=[at(1)], kafka_timeout=3)
        written = kafka.ends(own.topic) != ends
    assert result["failed"] and "transaction" in result["msg"], result["msg"]
    after = own.look(name)["offsets"]
    assert not written and after == [at(4)], f"said: {result['msg']}; but the topic now has {after}"


def test_all_records_of_a_change_are_one_transaction(own, name, kafka):
    """One marker on each partition that was written: records and markers take the offsets, none of them twice."""
    before = kafka.ends(own.topic)
    assert own.change(name, offsets=[at(1, p=number) for number in range(40)])["changed"] is True
    grown = {number: end - before[number] for number, end in kafka.ends(own.topic).items()}
    lie = [one.partition for one in own.log(name)]
    assert len(lie) == 40 and len(set(lie)) > 1
    assert grown == {number: lie.count(number) + 1 if number in lie else 0 for number in grown}


def test_a_value_that_is_too_large_leaves_nothing(own, name, kafka):
    """One record of three is refused by the client: no committed record, and the message says so."""
    own.put((0, key_of(name), b'{"n":4}'))
    result = own.change(name, offsets=[at(1), at("x" * 3_000_000, p=1), at(1, p=2)])
    assert result["failed"] and "nothing was changed" in result["msg"].lower()
    assert own.live(name) == {(0, key_of(name)): b'{"n":4}'} and own.look(name)["offsets"] == [at(4)]
