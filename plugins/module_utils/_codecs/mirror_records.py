# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The binary records of MirrorMaker 2: offset-syncs, checkpoints, heartbeats. Pure; they are read, and never written.

All numbers are big-endian; a text is its length in bytes as int16, then UTF-8. See OffsetSync, Checkpoint and Heartbeat in
org.apache.kafka.connect.mirror.
"""

from __future__ import annotations

import struct
from collections import namedtuple

#: The record ``upstream`` of the source's topic is the record ``downstream`` of its copy
OffsetSync = namedtuple("OffsetSync", ["topic", "partition", "upstream", "downstream"])
#: The group's commit ``upstream`` on the source is ``downstream`` on the target; topic: its name on the target
Checkpoint = namedtuple("Checkpoint", ["group", "topic", "partition", "upstream", "downstream", "metadata"])
#: time: milliseconds since the epoch
Heartbeat = namedtuple("Heartbeat", ["source", "target", "time"])

#: the only version there is of checkpoints and heartbeats
_VERSION = 0


def offset_sync(key: bytes, value: bytes) -> OffsetSync:
    """Raises ValueError, which says what is wrong."""
    reader = _Reader(key, "key")
    topic, partition = reader.text(), reader.int32()
    reader.end()
    reader = _Reader(value, "value")
    found = OffsetSync(topic, partition, reader.int64(), reader.int64())
    reader.end()
    return found


def checkpoint(key: bytes, value: bytes) -> Checkpoint:
    """Raises ValueError, which says what is wrong."""
    reader = _Reader(key, "key")
    group, topic, partition = reader.text(), reader.text(), reader.int32()
    reader.end()
    reader = _Reader(value, "value")
    reader.version()
    found = Checkpoint(group, topic, partition, reader.int64(), reader.int64(), reader.text())
    reader.end()
    return found


def heartbeat(key: bytes, value: bytes) -> Heartbeat:
    """Raises ValueError, which says what is wrong."""
    reader = _Reader(key, "key")
    source, target = reader.text(), reader.text()
    reader.end()
    reader = _Reader(value, "value")
    reader.version()
    found = Heartbeat(source, target, reader.int64())
    reader.end()
    return found


class _Reader:
    """One field after the other."""

    def __init__(self, data, what: str):
        if data is None:
            raise ValueError("the %s is null" % what)
        self._data, self._what, self._at = data, what, 0

    def version(self) -> None:
        found = self._number(">h")
        if found != _VERSION:
            raise ValueError("the %s has version %d, known is %d" % (self._what, found, _VERSION))

    def int32(self) -> int:
        return self._number(">i")

    def int64(self) -> int:
        return self._number(">q")

    def text(self) -> str:
        length = self._number(">h")
        if length < 0:
            raise ValueError("the %s has a text of length %d" % (self._what, length))
        try:
            return self._take(length).decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("a text in the %s is not UTF-8" % self._what)

    def end(self) -> None:
        if self._at < len(self._data):
            raise ValueError("the %s has %d bytes too many" % (self._what, len(self._data) - self._at))

    def _number(self, form: str) -> int:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _take(self, length: int) -> bytes:
        taken = self._data[self._at:self._at + length]
        if len(taken) < length:
            raise ValueError("the %s ends too early" % self._what)
        self._at += length
        return taken
