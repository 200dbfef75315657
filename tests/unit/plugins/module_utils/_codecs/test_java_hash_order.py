# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import itertools

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import java_hash_order
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

#: sixteen texts of one hash code
ALIKE = ["".join(pairs) for pairs in itertools.product(("Aa", "BB"), repeat=4)]


@pytest.mark.parametrize("names, ordered", [
    ("zeta,topic,alpha,server", "zeta,server,alpha,topic"),
    ("topic,partition,cluster", "cluster,partition,topic"),
    ("cluster,topic,partition,extra", "cluster,partition,extra,topic"),
    ("group,topic,partition", "partition,topic,group"),
    ("n,f,d,b,s,i,nul", "b,s,d,nul,f,i,n"),
    ("db,table,schema", "schema,db,table"),
    ("name,path", "path,name"),
    ("name,hash", "name,hash"),
    ("inode,hash", "inode,hash"),
    ("hash,inode", "inode,hash"),
    ("name,path,hash", "path,name,hash"),
    ("protocol,table", "protocol,table"),
    ("one", "one"),
])
def test_order(names, ordered):
    assert java_hash_order.order(names.split(",")) == ordered.split(",")
    assert java_hash_order.order(java_hash_order.order(names.split(","))) == ordered.split(",")


def test_few_or_the_same_names():
    assert java_hash_order.order([]) == []
    assert java_hash_order.order(iter([""])) == [""]
    assert java_hash_order.order(["topic", "partition", "topic"]) == ["partition", "topic"]


def test_the_table_doubles_after_twelve_and_after_twenty_four_names():
    # by code point: 16 and 32 share the first bucket of 16, 48 comes with 32 buckets to that of 16
    few, more = [chr(code) for code in range(48, 36, -1)], [chr(code) for code in range(48, 35, -1)]
    assert "".join(java_hash_order.order(few)) == "0 !\"#$%&'()*+,-./".translate({ord(c): None for c in " !\"#$"})
    assert "".join(java_hash_order.order(more)) == "$%&'()*+,-./0"
    many = [chr(code) for code in range(100, 100 - 25, -1)]
    assert java_hash_order.order(many) == sorted(many, key=lambda name: ord(name) % 64)
    assert java_hash_order.order(many[:24]) == sorted(many[:24], key=lambda name: ord(name) % 32)


def test_names_of_one_bucket_stay_in_the_order_in_which_they_came():
    assert java_hash_order.order(["Aa", "BB"]) == ["Aa", "BB"]
    assert java_hash_order.order(["BB", "x", "Aa"]) == ["BB", "Aa", "x"]
    assert java_hash_order.order(ALIKE[7::-1]) == ALIKE[7::-1]


def test_the_hash_counts_in_utf_16():
    # two units each: (31 * 0xD83D + 0xDE00) and so on; half a pair has a hash as well
    assert java_hash_order._spread("\U0001f600") == (31 * 0xD83D + 0xDE00) ^ (31 * 0xD83D + 0xDE00) >> 16
    assert java_hash_order._spread("\ud83d") == 0xD83D
    # overflow: "polygenelubricants".hashCode() is -2147483648
    assert java_hash_order._spread("polygenelubricants") == 0x80000000 ^ 0x8000
    assert java_hash_order._spread("") == 0


def test_a_long_bucket_doubles_the_table_before_it_is_full():
    # of 16 buckets, "0" and " " share the first; of 32, "0" has the seventeenth
    start = ["0", " "]
    assert java_hash_order.order(start + ALIKE[:8])[:2] == ["0", " "]
    assert java_hash_order.order(start + ALIKE[:9]) == [" ", *ALIKE[:9], "0"]


def test_a_bucket_that_would_be_a_tree():
    assert java_hash_order.order(ALIKE[:10]) == ALIKE[:10]
    with pytest.raises(DeclarationError) as caught:
        java_hash_order.order(ALIKE[:11])
    assert "More than 8 of the names AaAaAaAa, AaAaAaBB, AaAaBBAa, ... share one bucket" in caught.value.message


def test_ordered_is_a_copy_in_that_order():
    mapping = {"topic": "t", "partition": 0, "cluster": None}
    assert list(java_hash_order.ordered(mapping).items()) == [("cluster", None), ("partition", 0), ("topic", "t")]
    assert list(mapping) == ["topic", "partition", "cluster"]
    assert java_hash_order.ordered({}) == {}
    names = java_hash_order.order(["a", "b"])
    names.clear()
    assert java_hash_order.order(["a", "b"]) == ["a", "b"]
