# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The order in which a Connect worker writes the fields of an offset's partition. Pure.

The worker reads JSON into ``new HashMap<>()`` (org.apache.kafka.connect.json.JsonConverter, the same from Kafka 3.4 to
4.3) and writes the key in the order in which java.util.HashMap iterates. Proven against Java by
tests/integration/test_java_codecs.py. A connector's own map may well have another order.
"""

from __future__ import annotations

import struct
from functools import lru_cache

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

_CAPACITY = 16
# As in Java: a bucket of this many entries that gets one more doubles a small table, and becomes a tree in a larger one.
_LONG_BUCKET = 8
_TREE_CAPACITY = 64


def order(names) -> list:
    """Names in the order of a HashMap into which they were put one after another.

    Raises DeclarationError where a bucket would be a tree, the order of which is not modelled: more than eight names whose
    hashes agree in their last six bits or more.
    """
    return list(_order(tuple(names)))


def ordered(mapping: dict) -> dict:
    """A copy in that order; maps inside stay as they are. Raises DeclarationError as order() does."""
    return {name: mapping[name] for name in _order(tuple(mapping))}


# Partitions of one connector have the same names in the same order, so a few entries do.
@lru_cache(maxsize=1024)
def _order(names: tuple) -> tuple:
    if len(names) < 2:
        return names
    hashes = {}
    capacity = _CAPACITY
    for name in dict.fromkeys(names):
        spread = _spread(name)
        if len(hashes) >= _LONG_BUCKET:
            capacity = _grow(hashes, spread, capacity)
        hashes[name] = spread
        if len(hashes) * 4 > capacity * 3:
            capacity *= 2
    # Stable: names of one bucket stay in the order in which they came, also when the table was doubled in between.
    return tuple(sorted(hashes, key=lambda name: hashes[name] & (capacity - 1)))


def _grow(hashes: dict, spread: int, capacity: int) -> int:
    """The capacity after one more entry has come to its bucket (HashMap#treeifyBin)."""
    mask = capacity - 1
    if sum(other & mask == spread & mask for other in hashes.values()) < _LONG_BUCKET:
        return capacity
    if capacity < _TREE_CAPACITY:
        return capacity * 2
    raise DeclarationError("More than %d of the names %s share one bucket of Java's HashMap, so the order in which Connect would write them "
                           "is not known here." % (_LONG_BUCKET, ", ".join([*hashes][:3]) + ", ..."))


def _spread(name: str) -> int:
    """HashMap#hash of String#hashCode, which counts in units of UTF-16; unsigned."""
    units = name.encode("utf-16-be", "surrogatepass")
    code = 0
    for unit in struct.unpack(">%dH" % (len(units) // 2), units):
        code = (31 * code + unit) & 0xFFFFFFFF
    return code ^ (code >> 16)
