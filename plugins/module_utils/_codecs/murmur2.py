# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The partition to which Kafka's Java producer sends a key, and so a Connect worker an offset. Pure.

org.apache.kafka.common.utils.Utils#murmur2 and clients.producer.internals.BuiltInPartitioner#partitionForKey. Proven
against both by tests/integration/test_java_codecs.py. Other clients hash otherwise (librdkafka: CRC32).
"""

from __future__ import annotations

import struct

_SEED = 0x9747B28C
_M = 0x5BD1E995
_MASK = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Kafka's murmur2: a signed 32-bit integer, as in Java."""
    size = len(data)
    h = _SEED ^ size
    # Unlike the original, Kafka's reads little-endian words on every machine.
    for k in struct.unpack_from("<%dI" % (size >> 2), data):
        k = k * _M & _MASK
        h = (h * _M ^ (k ^ k >> 24) * _M) & _MASK
    if size & 3:
        h = (h ^ int.from_bytes(data[size & ~3:], "little")) * _M & _MASK
    h = (h ^ h >> 13) * _M & _MASK
    h ^= h >> 15
    return h - (1 << 32) if h >> 31 else h


def partition_for(key: bytes, partitions: int) -> int:
    """The number of the partition among so many (at least 1)."""
    return (murmur2(key) & 0x7FFFFFFF) % partitions
