# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The file of a standalone worker: a java.util.HashMap from byte[] to byte[], serialized by Java. Pure.

Read and written byte by byte after the Java Object Serialization Specification (version 2, section 6.4); nothing is ever
instantiated, and whatever is not exactly such a map is refused. See org.apache.kafka.connect.storage.FileOffsetBackingStore.
"""

from __future__ import annotations

import struct
from collections import namedtuple

#: entries: [(key, value)] in the file's order, each bytes or None. threshold, buckets: what Java wrote there and ignores when it reads
JavaMap = namedtuple("JavaMap", ["entries", "threshold", "buckets"])

_START = (b"\xac\xed\x00\x05"  # magic, version
          b"sr\x00\x11java.util.HashMap\x05\x07\xda\xc1\xc3\x16`\xd1\x03\x00\x02"
          b"F\x00\nloadFactorI\x00\tthresholdxp")
_LOAD_FACTOR = b"?@\x00\x00"  # 0.75, which Java never lets differ here
_BLOCK, _END = b"w\x08", b"x"
_NULL, _ARRAY = b"p", b"u"
#: the class of the first array, and the reference to it of each that follows
_CLASS, _SAME_CLASS = b"r\x00\x02[B\xac\xf3\x17\xf8\x06\x08T\xe0\x02\x00\x00xp", b"q\x00~\x00\x02"

_AGAIN = _ARRAY + _SAME_CLASS

_SMALLEST = 16


def decode(data: bytes) -> JavaMap:
    """Raises ValueError, which says where and what is wrong. Takes memory for what is there, not for what lengths claim."""
    reader = _Reader(data)
    reader.expect(_START, "the beginning of a serialized java.util.HashMap")
    reader.expect(_LOAD_FACTOR, "its load factor, 0.75")
    threshold = reader.int32("its threshold")
    reader.expect(_BLOCK, "a block of two numbers")
    buckets, size = reader.int32("the number of its buckets"), reader.int32("the number of its entries")
    if size < 0 or buckets < 0:
        raise ValueError("it claims to have %d entries in %d buckets" % (size, buckets))
    entries = {}
    for _number in range(size):
        key = reader.array()
        if key in entries:  # Java would take either value, by chance
            raise ValueError("a key is there twice, again before byte %d" % reader.at)
        entries[key] = reader.array()
    reader.expect(_END, "the end of the map")
    reader.done()
    return JavaMap(list(entries.items()), threshold, buckets)


def begins(data: bytes) -> bool:
    """Can this be the first bytes of one? For files that are too large to be read for nothing."""
    return data[:len(_START)] == _START[:len(data)]


def encode(found: JavaMap) -> bytes:
    """As Java writes it. The room that the map had stays, as long as its entries fit."""
    threshold, buckets = _room(found)
    parts = [_START, _LOAD_FACTOR, struct.pack(">i", threshold), _BLOCK, struct.pack(">ii", buckets, len(found.entries))]
    of_class = _CLASS
    for array in (array for entry in found.entries for array in entry):
        if array is None:
            parts.append(_NULL)
        else:
            parts += [_ARRAY, of_class, struct.pack(">i", len(array)), array]
            of_class = _SAME_CLASS
    parts.append(_END)
    return b"".join(parts)


def empty() -> JavaMap:
    return JavaMap([], 0, _SMALLEST)


def _room(found) -> tuple:
    """(threshold, buckets): a table is doubled when it is three quarters full (HashMap#resize)."""
    if len(found.entries) <= found.buckets * 3 // 4 and (found.threshold or not found.entries):
        return found.threshold, found.buckets
    buckets = max(found.buckets, _SMALLEST)
    while len(found.entries) > buckets * 3 // 4:
        buckets *= 2
    return buckets * 3 // 4, buckets


class _Reader:
    def __init__(self, data: bytes):
        self._data, self._at, self._has_class = data, 0, False

    @property
    def at(self) -> int:
        return self._at

    def expect(self, wanted: bytes, what: str) -> None:
        found = self._data[self._at:self._at + len(wanted)]
        if found != wanted:
            raise ValueError("at byte %d is not %s%s" % (self._at, what, "" if len(found) == len(wanted) else ": it ends there"))
        self._at += len(wanted)

    def int32(self, what: str) -> int:
        if len(self._data) < self._at + 4:
            raise ValueError("it ends at byte %d, before %s" % (len(self._data), what))
        self._at += 4
        return struct.unpack_from(">i", self._data, self._at - 4)[0]

    def array(self):
        """bytes, or None for null."""
        data, start = self._data, self._at + len(_AGAIN) + 4
        if self._has_class and data.startswith(_AGAIN, self._at) and start <= len(data):  # nearly all, in few steps
            length = int.from_bytes(data[start - 4:start], "big", signed=True)
            if 0 <= length <= len(data) - start:
                self._at = start + length
                return data[start:self._at]
        kind = self._data[self._at:self._at + 1]
        if kind == _NULL:
            self._at += 1
            return None
        self.expect(_ARRAY, "an array of bytes or null")
        self.expect(_SAME_CLASS if self._has_class else _CLASS, "the class byte[]")
        self._has_class = True
        length = self.int32("the length of an array")
        if not 0 <= length <= len(self._data) - self._at:
            raise ValueError("at byte %d is an array of %d bytes, but only %d follow" % (self._at - 4, length, len(self._data) - self._at))
        self._at += length
        return self._data[self._at - length:self._at]

    def done(self) -> None:
        if self._at < len(self._data):
            raise ValueError("%d bytes follow the end of the map" % (len(self._data) - self._at))
