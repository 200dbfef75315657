# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The binary records of MirrorMaker: vectors, and bytes that are none."""

from __future__ import annotations

import random
import struct

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.mirror_records import (
    Checkpoint,
    Heartbeat,
    OffsetSync,
    checkpoint,
    heartbeat,
    offset_sync,
)


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack(">h", len(data)) + data


#: as a real MirrorMaker wrote it
SYNC = bytes.fromhex("00066f726465727300000000"), bytes.fromhex("00000000000000050000000000000008")
CHECKPOINT = text("billing") + text("east.größe") + struct.pack(">i", 3), struct.pack(">hqq", 0, 100, 90) + text("note")
HEARTBEAT = text("east") + text("west"), struct.pack(">hq", 0, 1769860800000)

GOOD = [
    (offset_sync, SYNC, OffsetSync("orders", 0, 5, 8)),
    (offset_sync, (text("") + struct.pack(">i", 2**31 - 1), struct.pack(">qq", 2**63 - 1, -1)), OffsetSync("", 2**31 - 1, 2**63 - 1, -1)),
    (checkpoint, CHECKPOINT, Checkpoint("billing", "east.größe", 3, 100, 90, "note")),
    (heartbeat, HEARTBEAT, Heartbeat("east", "west", 1769860800000)),
]
DECODERS = [(decode, record) for decode, record, _found in GOOD]


@pytest.mark.parametrize("decode, record, found", GOOD)
def test_vectors(decode, record, found):
    assert decode(*record) == found


@pytest.mark.parametrize("decode, record", DECODERS)
def test_cut_at_every_byte_or_too_long(decode, record):
    key, value = record
    for part in (0, 1):
        for length in range(len(record[part])):
            short = list(record)
            short[part] = short[part][:length]
            with pytest.raises(ValueError, match="ends too early"):
                decode(*short)
    for longer in ((key + b"\0", value), (key, value + b"\0\0")):
        with pytest.raises(ValueError, match="bytes too many"):
            decode(*longer)


@pytest.mark.parametrize("decode, record", DECODERS)
def test_null(decode, record):
    with pytest.raises(ValueError, match="the value is null"):
        decode(record[0], None)
    with pytest.raises(ValueError, match="the key is null"):
        decode(None, record[1])


@pytest.mark.parametrize("decode, record", [(checkpoint, CHECKPOINT), (heartbeat, HEARTBEAT)])
@pytest.mark.parametrize("version", [1, -1, 32767])
def test_a_version_that_is_not_known(decode, record, version):
    with pytest.raises(ValueError, match=f"has version {version}, known is 0"):
        decode(record[0], struct.pack(">h", version) + record[1][2:])


def test_texts_that_are_none():
    with pytest.raises(ValueError, match="text of length -1"):
        offset_sync(struct.pack(">h", -1) + struct.pack(">i", 0), SYNC[1])
    with pytest.raises(ValueError, match="is not UTF-8"):
        offset_sync(text(b"\xff\xfe") + struct.pack(">i", 0), SYNC[1])


@pytest.mark.parametrize("decode, record", DECODERS)
def test_bytes_of_all_kinds_give_a_value_or_a_value_error(decode, record):
    chance = random.Random(8)
    refused = 0
    for _time in range(3000):
        key, value = (bytearray(part) for part in record)
        for part in (key, value):
            for _each in range(chance.randrange(4)):
                part[chance.randrange(len(part))] = chance.randrange(256)
        if chance.random() < 0.3:
            key = chance.randbytes(chance.randrange(40))
        try:
            decode(bytes(key), bytes(value))
        except ValueError:
            refused += 1
    assert 300 < refused <= 3000
