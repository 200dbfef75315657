# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import murmur2


# the vectors of Kafka's own UtilsTest
@pytest.mark.parametrize("data, expected", [
    (b"21", -973932308),
    (b"foobar", -790332482),
    (b"a-little-bit-long-string", -985981536),
    (b"a-little-bit-longer-string", -1486304829),
    (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
    (b"abc", 479470107),
    (b"", 275646681),
])
def test_murmur2(data, expected):
    assert murmur2.murmur2(data) == expected
    assert murmur2.murmur2(bytearray(data)) == expected


@pytest.mark.parametrize("key, of_5, of_25", [
    ('["a",{"x":1}]', 0, 20),
    ('["b",{"x":1}]', 3, None),
    ('["c",{"filename":"f"}]', 4, 19),
    ('["mms",{"cluster":"A","partition":0,"topic":"snk"}]', 0, 5),
    ('["fs-orders",{"filename":"in/orders.txt"}]', 1, 11),
    ('["fs-orders", {"filename": "in/orders.txt"}]', 4, None),
    ('["fp-files",{"name":"a.csv","path":"landing"}]', 3, None),
    ('["fp-files",{"path":"landing","name":"a.csv"}]', 0, None),
    ('["fs-orders",{"filename":"in/café-\\uD83D\\uDE9A.txt"}]', 4, 14),
    ('["fs-orders",{"filename":"in/café-🚚.txt"}]', 3, None),
    ('["fs-orders",{"filename":"in/caf\\u00e9-\\ud83d\\ude9a.txt"}]', 1, None),
    ('["jdbc-src",{"protocol":"1","table":"public.orders"}]', 3, 13),
    ('["pg-cdc",{"server":"inv"}]', 1, 11),
    ('["mongo-src",{"ns":"mongodb://db1.example:27017/shop.orders"}]', 0, 15),
])
def test_partition_for_keys_seen_on_a_topic(key, of_5, of_25):
    for partitions, expected in ((5, of_5), (25, of_25)):
        if expected is not None:
            assert murmur2.partition_for(key.encode("utf-8"), partitions) == expected


def test_a_negative_hash_loses_its_sign_bit_only():
    assert murmur2.partition_for(b"21", 2**31) == -973932308 + 2**31
    assert murmur2.partition_for(b"21", 1) == 0
