# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the brokers know of Connect workers: each group member's address and work. Pure.

Big-endian structures of org.apache.kafka.connect.runtime.distributed.ConnectProtocol (version 0, eager) and
IncrementalCooperativeConnectProtocol (1 and 2). STRING is an int16 length and UTF-8, an array has an int32 count. In the
incremental protocol an assignment holds only what is new and what is revoked; what a member had before is in its metadata.
"""

from __future__ import annotations

import functools
import struct
from urllib.parse import urlsplit

#: the connector itself, beside its tasks 0, 1, ...
CONNECTOR = -1


@functools.lru_cache(maxsize=64)
def running(metadata: bytes, assignment: bytes) -> frozenset:
    """{(connector, task number or CONNECTOR)} of one member. Raises ValueError for bytes of another kind.

    Kept: with many connectors the same bytes, which name all of them, are looked at for each.
    """
    try:
        had = _before(metadata)
        assigned, revoked = _assignment(_Bytes(assignment)) if assignment else (set(), set())
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError("no Connect protocol: %s" % error)
    return frozenset((had | assigned) - revoked)


def address(metadata: bytes) -> str:
    """host:port of a member's REST interface, as a connector's status names its worker; empty where it is not told."""
    try:
        data = _Bytes(metadata)
        data.number("h")
        return urlsplit(data.string()).netloc
    except (struct.error, ValueError):
        return ""


def _before(metadata: bytes) -> set:
    if not metadata:
        return set()
    data = _Bytes(metadata)
    version = data.number("h")
    data.string()  # the worker's URL
    data.number("q")  # the config offset
    if version == 0:
        return set()
    size = data.number("i")
    return _assignment(data)[0] if size > 0 else set()


def _assignment(data) -> tuple:
    version = data.number("h")
    data.number("h")  # an error code
    data.string()  # the leader
    data.string()  # its URL
    data.number("q")  # the config offset
    assigned = _work(data)
    return assigned, _work(data) if version > 0 else set()


def _work(data) -> set:
    found = set()
    for _index in range(data.number("i")):
        connector = data.string()
        found.update((connector, data.number("i")) for _task in range(data.number("i")))
    return found


class _Bytes:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def number(self, kind: str) -> int:
        value, = struct.unpack_from(">" + kind, self.data, self.at)
        self.at += struct.calcsize(">" + kind)
        return value

    def string(self) -> str:
        size = self.number("h")
        text = self.data[self.at:self.at + max(0, size)]
        if len(text) < size:
            raise struct.error("a text is cut off")
        self.at += max(0, size)
        return text.decode("utf-8")
