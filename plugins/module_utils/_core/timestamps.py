# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Times of records: milliseconds since the epoch, and RFC 3339 texts. Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

_EPOCH = datetime(1970, 1, 1)
_MAX_TIME = (1 << 63) - 1
_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))? ?(?:[Zz]|([+-])(\d\d):?(\d\d))")


def timestamp(milliseconds):
    """RFC 3339, UTC, with milliseconds; None for None. Also for times that no calendar library takes."""
    if milliseconds is None:
        return None
    try:
        time = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (time.microsecond // 1000)


def milliseconds(text) -> int:
    """Milliseconds since the epoch, of their digits or of an RFC 3339 text with its time zone."""
    text = str(text).strip()
    if re.fullmatch(r"\d+", text):
        if int(text) > _MAX_TIME:
            raise errors.DeclarationError("timestamp %s is too large." % text)
        return int(text)
    match = _RFC3339.fullmatch(text)
    try:
        if not match:
            raise ValueError("give milliseconds since the epoch, or a time such as 2026-01-31T12:00:00Z, with its time zone")
        fraction = (match.group(7) or "").ljust(6, "0")[:6]
        time = datetime(*(int(part) for part in match.groups()[:6]), int(fraction))
        if match.group(8):
            away = timedelta(hours=int(match.group(9)), minutes=int(match.group(10)))
            time = time - away if match.group(8) == "+" else time + away
        found = (time - _EPOCH) // timedelta(milliseconds=1)
        if found < 0:
            raise ValueError("it is before 1970")
        return found
    except (ValueError, OverflowError) as error:
        raise errors.DeclarationError("timestamp %s cannot be used: %s." % (text, error))
