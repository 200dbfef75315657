# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""JSON with exactly the bytes that a Connect worker writes. Pure.

The worker finds an offset by the bytes of its key, so a key that is made here has to equal the one that the worker
would make: org.apache.kafka.connect.json.JsonConverter without schemas, which writes with Jackson's
UTF8JsonGenerator. Proven against both by tests/integration/test_java_codecs.py. The order of the fields is the
caller's: see _codecs.java_hash_order for the worker's. A key that was read is used as it is, never encoded anew.
"""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import INT64_MAX, INT64_MIN, describe, json_writer

# Right for every text without control characters and characters beyond the BMP, and made in C.
_quote_plain = json.JSONEncoder(ensure_ascii=False).encode

_all_plain = json_writer(ensure_ascii=False, separators=(",", ":"))
_PLAIN = {str, bool, type(None)}
_TEXT = {str}

_SPECIAL = re.compile("[\"\\\\\x00-\x1f\U00010000-\U0010ffff]")
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def encode(value) -> bytes:
    """The UTF-8 bytes of a JSON value (str, bool, int, float, None, list, dict) as a worker writes it: compact, in order.

    Floats get the digits of Java 19 and later. Older ones write another text for about three doubles in a thousand, seen
    only outside 1e-3 to 1e7 (JDK-4511638; Java 17 has 1.9999999999999998E23 for 2.0E23). And a task that commits -0.0
    has it written as -0.0, where the worker itself has 0.0. So a float is a bad key.
    Raises DeclarationError for what has no such form: integers beyond 64 bits, NaN, infinity, half surrogate pairs, other types.
    """
    text = _all_plain(value) if _is_plain(value) else ""
    if text and text.isascii() and text.isprintable() and "\\u" not in text:
        return text.encode("ascii")
    try:
        return _write(value).encode("utf-8")
    except UnicodeEncodeError:
        shown = describe(value).encode("ascii", "backslashreplace").decode("ascii")
        raise DeclarationError("%s holds half of a surrogate pair, which has no UTF-8 form." % shown)


def _is_plain(value) -> bool:
    """Nothing but what Python's own writer, which is faster, writes as Jackson does, as long as the text is printable ASCII?"""
    kind = value.__class__
    if kind in _PLAIN:
        return True
    if kind is int:
        return INT64_MIN <= value <= INT64_MAX
    if kind is dict:
        return _TEXT.issuperset(map(type, value)) and (_PLAIN.issuperset(map(type, value.values())) or all(map(_is_plain, value.values())))
    return kind is list and all(map(_is_plain, value))


def _write(value) -> str:
    # The commonest first: a hundred thousand keys go through here.
    if isinstance(value, str):
        return _string(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, dict):
        return "{%s}" % ",".join([_name(name) + ":" + _write(item) for name, item in value.items()])
    if isinstance(value, (list, tuple)):
        return "[%s]" % ",".join([_write(item) for item in value])
    if isinstance(value, float):
        return _double(value)
    raise DeclarationError("%s is no JSON value." % describe(value))


def _name(name) -> str:
    if not isinstance(name, str):
        raise DeclarationError("%s cannot be the name of a field: only text can." % describe(name))
    return _string(name)


def _string(text: str) -> str:
    if text.isascii() and text.isprintable():
        return _quote_plain(text)
    return '"%s"' % _SPECIAL.sub(_escape, text)


def _escape(found) -> str:
    """Jackson escapes what UTF-8 spells in four bytes, each half of the pair for itself; hex digits are upper case."""
    char = found.group()
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if code < 0x20:
        return "\\u%04X" % code
    code -= 0x10000
    return "\\u%04X\\u%04X" % (0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF))


def _integer(value: int) -> str:
    if not INT64_MIN <= value <= INT64_MAX:
        raise DeclarationError("%d does not fit into the 64 bits of a Connect offset." % value)
    return "%d" % value


def _double(value: float) -> str:
    """Java's Double.toString: at least one digit after the point, an exponent outside 1e-3 to 1e7."""
    if not math.isfinite(value):
        raise DeclarationError("%r has no JSON form." % value)
    if value == 0:
        # The worker reads numbers as BigDecimal, which has no negative zero.
        return "0.0"
    if 1e-3 <= abs(value) < 1e7:
        return repr(value)
    mantissa, _e, exponent = _scientific(value).partition("e")
    return "%sE%d" % (mantissa, int(exponent))


def _scientific(value: float) -> str:
    """The shortest digits that give this very double, as d.ddde+n."""
    text = "{:e}".format(Decimal(repr(value)).normalize())
    # Java has two digits at least, and of those the nearest to the value: 4.9E-324, where one digit would do (5E-324).
    return text if "." in text else "%.1e" % value
