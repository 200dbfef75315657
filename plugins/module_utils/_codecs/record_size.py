# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""How large a record is, as brokers and producers count it. Pure."""

from __future__ import annotations

#: a producer of a worker takes records up to this size, if nobody has set producer.max.request.size
WORKER_BYTES = 1048576
#: of a batch with one record, its header and the record's own fields of one byte each
_BATCH_BYTES, _FIELDS_BYTES = 61, 4
#: the most that a record takes besides its key and its value
MOST_OVERHEAD = _BATCH_BYTES + _FIELDS_BYTES + 3 * 5


def record_bytes(key: bytes, value) -> int:
    """The size of a batch with this record alone, not compressed, as max.message.bytes of a topic counts it. value: bytes or None."""
    body = _FIELDS_BYTES + len(key) + _varint(len(key)) + (1 if value is None else len(value) + _varint(len(value)))
    return _BATCH_BYTES + _varint(body) + body


def _varint(number: int) -> int:
    """How many bytes a number from 0 on takes there (zigzag, seven bits a byte)."""
    return max(1, ((2 * number).bit_length() + 6) // 7)
