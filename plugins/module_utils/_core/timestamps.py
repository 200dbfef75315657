# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Times of records, and lengths of time: the one place that reads what a user gives for them. Pure."""

from __future__ import annotations

import re
import time as clock
from datetime import datetime, timedelta, timezone

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import told

try:
    from zoneinfo import ZoneInfo
except ImportError:  # before Python 3.9
    ZoneInfo = None

_EPOCH = datetime(1970, 1, 1)
_MAX_TIME = (1 << 63) - 1
#: 2001-01-01, long before there were records: digits below it are another unit
_FIRST = 978307200000
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[Tt]| +)(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? *"
                   r"(?:[Zz]|(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)|(?P<zone>[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*))")
#: weeks alone, or days, hours, minutes and seconds; ISO 8601. Years and months have no fixed length
_DURATION = re.compile(r"-?P(?:(\d+)W|(?=\d|T\d)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d{1,3}))?S)?)?)")
#: the same as people write it: 2h, -1d12h
_SHORT = re.compile(r"-?(?=\d)(?:(\d+)W)?(?:(\d+)D)?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d{1,3}))?S)?")
#: milliseconds of the groups of both
_UNITS = (7 * 86400000, 86400000, 3600000, 60000, 1000)
_FORMS = ("give milliseconds since the epoch, or a time such as 2026-01-31T12:00:00Z, with its time zone (Z, +01:00, Europe/Berlin), or a length of time "
          "back from now such as 2h or P1D")


def timestamp(milliseconds):
    """RFC 3339, UTC, with milliseconds; None for None. Also for times that no calendar library takes."""
    if milliseconds is None:
        return None
    try:
        time = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return None
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (time.microsecond // 1000)


def length(text):
    """Milliseconds of 2h, -2h, 1d12h, P1D or PT2H, which all go back from now; None where it is no such text."""
    match = None
    if isinstance(text, str):
        given = "".join(text.split()).upper()
        match = _DURATION.fullmatch(given) or _SHORT.fullmatch(given)
    if not match:
        return None
    found = sum(int(number or 0) * unit for number, unit in zip(match.groups(), _UNITS))
    return found + int((match.group(6) or "").ljust(3, "0"))


def milliseconds(given, now=None) -> int:
    """Milliseconds since the epoch: of their digits, a time with its zone, or a length of time back from now. now: seconds.

    Raises DeclarationError, also for digits that are most likely seconds.
    """
    text, now = str(given).strip(), clock.time() if now is None else now
    if re.fullmatch(r"\d+", text):
        return _digits(int(text), now)
    back = length(text)
    if back is not None:
        if back > now * 1000:
            raise errors.DeclarationError("timestamp %s goes back to before 1970." % text)
        return int(now * 1000) - back
    match = _TIME.fullmatch(text)
    try:
        if not match:
            raise ValueError(_FORMS)
        found = _in_utc(match)
        if found < 0:
            raise ValueError("it is before 1970")
        return found
    except (ValueError, OverflowError) as error:
        raise errors.DeclarationError("timestamp %s cannot be used: %s." % (text, error))


def _digits(number: int, now) -> int:
    if number > _MAX_TIME:
        raise errors.DeclarationError("timestamp %d is too large." % number)
    if number >= _FIRST:
        return number
    seconds = _FIRST // 1000 <= number <= now + 366 * 86400
    raise errors.DeclarationError("timestamp %d is %s, as digits are milliseconds since the epoch. %s" % (
        number, timestamp(number), "Most likely these are seconds, of %s: give %d." % (timestamp(number * 1000), number * 1000) if seconds else
        "If that is meant, give it as a date; if all records are meant, the beginning of the log."))


def _in_utc(match) -> int:
    """Raises ValueError."""
    year, month, day, hour, minute, second, fraction = match.groups()[:7]
    time = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second or 0), int((fraction or "").ljust(6, "0")[:6]))
    if match.group("zone"):
        time = _local(time, match.group("zone"))
    elif match.group("sign"):
        away = timedelta(hours=int(match.group("hours")), minutes=int(match.group("minutes")))
        time = time - away if match.group("sign") == "+" else time + away
    return (time - _EPOCH) // timedelta(milliseconds=1)


def _local(time: datetime, zone: str) -> datetime:
    if zone.upper() in ("UTC", "GMT"):
        return time
    try:
        if ZoneInfo is None:
            raise ValueError(zone)
        known = ZoneInfo(zone)
    except (ValueError, OSError, KeyError):  # KeyError: there is no such zone
        raise ValueError("the time zone %s is not known here, give the time with Z or as +01:00" % zone)
    first, second = (time.replace(tzinfo=known, fold=fold).astimezone(timezone.utc).replace(tzinfo=None) for fold in (0, 1))
    if first != second:  # when clocks are put forward or back
        raise ValueError("there is no such time in %s, or there are two: give it with Z or as +01:00" % zone)
    return first


def beside_the_log(time, begins: dict, ends: dict, at_time: dict) -> list:
    """Warnings where a time is before the first record that the log holds, or after the last one. begins, ends: place -> (offset, ...); at_time: place ->
    (offset, time) of the first record of that time or later. time: in milliseconds."""
    full = [place for place in sorted(at_time) if ends[place][0] > begins[place][0]]
    before = [place for place in full if at_time[place][0] == begins[place][0] and (at_time[place][1] or 0) > time]
    after = [place for place in full if at_time[place][0] is None]
    found = []
    if before:
        found.append("The time %s is before the first record of %s, which is of %s or later: all that the log holds there comes after it." % (
            timestamp(time), told(before), timestamp(min(at_time[place][1] for place in before))))
    if after:
        found.append("The time %s is after the last record of %s: nothing that the log holds there comes after it." % (timestamp(time), told(after)))
    return found
