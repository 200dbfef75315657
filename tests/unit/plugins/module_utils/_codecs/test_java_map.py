# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The serialized map, against bytes that Java made."""

from __future__ import annotations

import base64
import random
import struct
import time
import tracemalloc

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import java_map
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_map import JavaMap, decode, empty, encode

START = "aced0005737200116a6176612e7574696c2e486173684d61700507dac1c31660d103000246000a6c6f6164466163746f724900097468726573686f6c647870"
BYTES = "757200025b42acf317f8060854e002000078700000"
AGAIN = "7571007e00020000"

#: what Java wrote, and what was in the map
JAVA = {
    "empty": (START + "3f400000000000007708000000100000000078", []),
    "one": (START + "3f4000000000000c77080000001000000001" + BYTES + "000d5b2261222c7b2266223a317d5d" + AGAIN + "00077b226e223a317d78",
            [(b'["a",{"f":1}]', b'{"n":1}')]),
    "null and empty values": (START + "3f4000000000000c77080000001000000002" + BYTES + "00016b70" + AGAIN + "00085b2262222c7b7d5d"
                              + AGAIN + "000078", [(b"k", None), (b'["b",{}]', b"")]),
    "null key": (START + "3f4000000000000c77080000001000000001" + "70" + BYTES + "00017678", [(None, b"v")]),
    "thirteen": (START + "3f400000000000187708000000200000000d" + BYTES + "00013570" + "".join(AGAIN + text + "70" for text in (
                 "000134", "00023131", "000136", "00023130", "00023132", "000132", "000138", "000130", "000137", "000133", "000131",
                 "000139")) + "78",
                 [(str(number).encode(), None) for number in (5, 4, 11, 6, 10, 12, 2, 8, 0, 7, 3, 1, 9)]),
}
#: a worker's own file, after a reset of fs-old
WORKER = base64.b64decode(
    "rO0ABXNyABFqYXZhLnV0aWwuSGFzaE1hcAUH2sHDFmDRAwACRgAKbG9hZEZhY3RvckkACXRocmVzaG9sZHhwP0AAAAAAAAx3CAAAABAAAAACdXIAAltCrPMX+AYIVOACAAB4cAAA"
    "ACRbImZzLW9sZCIseyJmaWxlbmFtZSI6ImluL29sZC50eHQifV1wdXEAfgACAAAAKlsiZnMtb3JkZXJzIix7ImZpbGVuYW1lIjoiaW4vb3JkZXJzLnR4dCJ9XXVxAH4AAgAAAA97"
    "InBvc2l0aW9uIjoxMn14")
#: other things that Java wrote
FOREIGN = {
    "texts": START + "3f4000000000000c77080000001000000001740001617400016278",
    "a TreeMap": "aced0005737200116a6176612e7574696c2e547265654d61700cc1f63e2d256ae60300014c000a636f6d70617261746f72"
                 "7400164c6a6176612f7574696c2f436f6d70617261746f723b787070770400000001740001617" + BYTES[1:] + "00016278",
    "an array": "aced0005757200025b42acf317f8060854e002000078700000000178",
    "a text": "aced000574000178",
    "a Date": "aced00057372000e6a6176612e7574696c2e44617465686a81014b59741903000078707708000000000000000078",
    "a Date inside": START + "3f4000000000000c77080000001000000001" + BYTES + "000161"
                     "7372000e6a6176612e7574696c2e44617465686a81014b5974190300007870770800000000000000007878",
    "characters": START + "3f4000000000000c77080000001000000001757200025b43b02666b0e25d84ac0200007870000000010061" + BYTES + "00016278",
    "one array twice": START + "3f4000000000000c77080000001000000002" + BYTES + "000162" + AGAIN + "000173" + AGAIN + "00016171007e000478",
    "another load factor": START + "3f0000000000000877080000001000000001" + BYTES + "000161" + AGAIN + "00016278",
}


@pytest.mark.parametrize("name", JAVA)
def test_java_s_bytes_both_ways(name):
    data, entries = bytes.fromhex(JAVA[name][0]), JAVA[name][1]
    assert decode(data).entries == entries
    assert encode(decode(data)) == data


def test_a_worker_s_file():
    found = decode(WORKER)
    assert found.entries == [
        (b'["fs-old",{"filename":"in/old.txt"}]', None), (b'["fs-orders",{"filename":"in/orders.txt"}]', b'{"position":12}')]
    assert encode(found) == WORKER


def test_from_nothing_as_java_does():
    assert encode(empty()) == bytes.fromhex(JAVA["empty"][0])
    for name in ("one", "thirteen"):
        assert encode(empty()._replace(entries=JAVA[name][1])) == bytes.fromhex(JAVA[name][0])


@pytest.mark.parametrize("count, buckets", [(0, 16), (12, 16), (13, 32), (24, 32), (25, 64), (100_000, 262_144)])
def test_room_as_java_s_resize_leaves_it(count, buckets):
    found = decode(encode(empty()._replace(entries=[(b"%d" % number, None) for number in range(count)])))
    assert (found.buckets, found.threshold, len(found.entries)) == (buckets, buckets * 3 // 4 if count else 0, count)


def test_room_stays_while_it_is_enough():
    assert decode(encode(JavaMap([(b"a", None)], 48, 64)))[1:] == (48, 64)


# ---- what is no such map


@pytest.mark.parametrize("name", FOREIGN)
def test_another_class(name):
    with pytest.raises(ValueError, match="at byte [0-9]+ is not "):
        decode(bytes.fromhex(FOREIGN[name]))


@pytest.mark.parametrize("data", [b"", b"\xac", b"{}", b"\0" * 500, b"#!/bin/sh\n", WORKER[1:], WORKER[::-1]])
def test_something_else(data):
    with pytest.raises(ValueError, match="at byte 0 is not the beginning of a serialized java.util.HashMap"):
        decode(data)


def test_every_cut():
    for length in range(len(WORKER)):
        with pytest.raises(ValueError):
            decode(WORKER[:length])


@pytest.mark.parametrize("more", [b"\0", b"x", WORKER])
def test_what_follows_the_end(more):
    with pytest.raises(ValueError, match=f"^{len(more)} bytes follow the end"):
        decode(WORKER + more)


def test_every_bit_flipped():
    """An error, or another map of the same shape, which is written back as it is."""
    errors = 0
    for place in range(len(WORKER) * 8):
        flipped = bytearray(WORKER)
        flipped[place // 8] ^= 1 << place % 8
        try:
            found = decode(bytes(flipped))
        except ValueError:
            errors += 1
            continue
        assert len(found.entries) == 2
        assert encode(found) == flipped or found.threshold != 12 or found.buckets != 16
    # The rest are letters of keys and values, and numbers that Java ignores, too.
    assert errors > 900


def test_noise():
    noise = random.Random(875)
    for _time in range(20_000):
        data = bytearray(WORKER)
        for _change in range(noise.randint(1, 4)):
            place = noise.randrange(len(data))
            data[place:place + noise.choice([0, 1, 1, 4])] = bytes(noise.randrange(256) for _byte in range(noise.choice([0, 1, 1, 4])))
        try:
            decode(bytes(data))
        except ValueError:
            pass


HEAD = WORKER[:WORKER.index(b"w\x08") + 2]
CLASS = bytes.fromhex(BYTES)[:-2]


def of(size: int, body: bytes, buckets: int = 16) -> bytes:
    return HEAD + struct.pack(">ii", buckets, size) + body


@pytest.mark.parametrize("data, words", [
    (of(2**31 - 1, b"pp"), "not an array of bytes or null"),
    (of(-1, b"x"), "claims to have -1 entries in 16 buckets"),
    (of(0, b"x", -(2**31)), "claims to have 0 entries in -2147483648 buckets"),
    (of(1, CLASS + struct.pack(">i", 2**31 - 1) + b"abc"), "an array of 2147483647 bytes, but only 3 follow"),
    (of(1, CLASS + struct.pack(">i", -1) + b"px"), "an array of -1 bytes"),
    (of(1, CLASS + b"\0\0"), "before the length of an array"),
    (of(2, CLASS + b"\0\0\0\1ap" + b"x"), "not an array of bytes or null"),
    (of(1, CLASS + b"\0\0\0\1ap" + b"pp" + b"x"), "not the end of the map"),
    (of(1, b"uq\0~\0\2\0\0\0\1apx"), "not the class byte"),
    (of(2, b"pppp" + b"x"), "a key is there twice"),
    (of(2, CLASS + b"\0\0\0\1ap" + b"uq\0~\0\2\0\0\0\1ap" + b"x"), "a key is there twice"),
    (of(2, CLASS + b"\0\0\0\1ap" + CLASS + b"\0\0\0\1bp" + b"x"), "not the class byte"),
])
def test_wrong_numbers(data, words):
    with pytest.raises(ValueError, match=words):
        decode(data)


@pytest.mark.parametrize("data", [
    of(2**31 - 1, b"p" * 5_000_000),
    of(2**31 - 1, CLASS + struct.pack(">i", 2**31 - 1) + b"\0" * 5_000_000),
    of(5, b"\0" * 5_000_000),
    b"\xac\xed\0\5" * 1_000_000,
    WORKER + b"\0" * 5_000_000,
])
def test_large_lies_cost_little(data):
    tracemalloc.start()
    begin = time.perf_counter()
    with pytest.raises(ValueError):
        decode(data)
    seconds, peak = time.perf_counter() - begin, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seconds < 1 and peak < 1_000_000


def test_begins():
    assert all(java_map.begins(WORKER[:length]) for length in (0, 1, 20, 64, len(WORKER)))
    assert not any(map(java_map.begins, (b"a", b"\xac\xec", WORKER[1:], bytes.fromhex(FOREIGN["a TreeMap"]))))
