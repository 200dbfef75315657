# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import timestamps
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import beside_the_log, length, milliseconds

#: 2026-01-31T12:00:00Z, and an hour after it
NOON = 1769860800000
NOW = NOON / 1000 + 3600
HOUR = 3600000

needs_zones = pytest.mark.skipif(timestamps.ZoneInfo is None, reason="Python 3.8 has no zones")


@pytest.mark.parametrize("text, time", [
    (1769860800000, NOON), (" 1769860800000 ", NOON), ("978307200000", 978307200000), ("2026-01-31T12:00:00Z", NOON), ("2026-01-31t12:00:00z", NOON),
    ("2026-01-31 12:00:00+00:00", NOON), ("2026-01-31T13:30:00+01:30", NOON), ("2026-01-31T04:00:00-0800", NOON), ("2026-01-31T13:00+01:00", NOON),
    ("2026-01-31 12:00 UTC", NOON), ("2026-01-31T12:00:00.1234567Z", NOON + 123), ("2026-01-31T12:00:00.1Z", NOON + 100), ("1970-01-01T00:00:00Z", 0),
    ("2h", NOON - HOUR), ("-2h", NOON - HOUR), ("P1D", NOON - 23 * HOUR), ("PT90M", NOON - HOUR // 2), ("1d 1h", NOON - 24 * HOUR),
])
def test_times(text, time):
    assert milliseconds(text, NOW) == time


@needs_zones
@pytest.mark.parametrize("text, time", [
    ("2026-01-31T13:00:00 Europe/Berlin", NOON), ("2026-01-31 07:00 America/New_York", NOON), ("2026-07-31 14:00:00.5 Europe/Berlin", 1785499200500),
    ("2026-01-31 17:30 Asia/Kolkata", NOON)])
def test_times_on_a_local_clock(text, time):
    assert milliseconds(text, NOW) == time


@needs_zones
@pytest.mark.parametrize("text, words", [
    ("2026-03-29 02:30 Europe/Berlin", "there is no such time in Europe/Berlin, or there are two: give it with Z or as [+]01:00"),
    ("2026-10-25 02:30 Europe/Berlin", "there is no such time in Europe/Berlin, or there are two"),
    ("2026-01-31 12:00 Mars/Olympus", "the time zone Mars/Olympus is not known here, give the time with Z or as [+]01:00"),
    ("2026-01-31 12:00 ../etc", "cannot be used"),
])
def test_no_times_on_a_local_clock(text, words):
    with pytest.raises(DeclarationError, match=words):
        milliseconds(text, NOW)


def test_a_python_without_zones(monkeypatch):
    monkeypatch.setattr(timestamps, "ZoneInfo", None)
    with pytest.raises(DeclarationError, match="the time zone Europe/Berlin is not known here"):
        milliseconds("2026-01-31 12:00 Europe/Berlin")
    assert milliseconds("2026-01-31 12:00 UTC") == NOON


@pytest.mark.parametrize("text, words", [
    ("2026-01-31T12:00:00", "time zone"), ("2026-01-31", "time zone"), ("noon", "time zone"), ("-5", "time zone"), ("1.5", "time zone"), ("", "time zone"),
    ("+2h", "time zone"), ("2026-02-30T12:00:00Z", "day"), ("1969-12-31T23:59:59Z", "before 1970"), (str(1 << 63), "too large"), ("100000w", "before 1970"),
])
def test_no_times(text, words):
    with pytest.raises(DeclarationError, match=words):
        milliseconds(text, NOW)


@pytest.mark.parametrize("digits, message", [
    (1769860800, "timestamp 1769860800 is 1970-01-21T11:37:40.800Z, as digits are milliseconds since the epoch. Most likely these are seconds, of "
                 "2026-01-31T12:00:00.000Z: give 1769860800000."),
    (978307200, "timestamp 978307200 is 1970-01-12T07:45:07.200Z, as digits are milliseconds since the epoch. Most likely these are seconds, of "
                "2001-01-01T00:00:00.000Z: give 978307200000."),
    (0, "timestamp 0 is 1970-01-01T00:00:00.000Z, as digits are milliseconds since the epoch. If that is meant, give it as a date; if all records are "
        "meant, the beginning of the log."),
    (978307199999, "timestamp 978307199999 is 2000-12-31T23:59:59.999Z, as digits are milliseconds since the epoch. If that is meant, give it as a date; if "
                   "all records are meant, the beginning of the log."),
])
def test_digits_that_are_no_milliseconds(digits, message):
    with pytest.raises(DeclarationError) as caught:
        milliseconds(digits, NOW)
    assert caught.value.message == message


@pytest.mark.parametrize("text, found", [
    ("PT2H", 2 * HOUR), ("P1DT12H", 36 * HOUR), ("P2W", 336 * HOUR), ("pt90m", 90 * 60000), ("PT1.5S", 1500), ("P3D", 72 * HOUR), ("-PT2H", 2 * HOUR),
    ("2h", 2 * HOUR), ("-2H", 2 * HOUR), ("1d12h", 36 * HOUR), ("90m", 90 * 60000), ("1w", 168 * HOUR), ("1.5s", 1500), ("30s", 30000), (" 2 h ", 2 * HOUR),
    ("P", None), ("PT", None), ("P1DT", None), ("P1M", None), ("P1Y", None), ("", None), ("-", None), ("2", None), ("h", None), ("2h1d", None), (7200, None),
    (None, None), ("1.5h", None), ("+2h", None),
])
def test_length(text, found):
    assert length(text) == found


A, B, C = ("t", 0), ("t", 1), ("u", 0)


@pytest.mark.parametrize("at_time, before, after", [
    ({A: (5, NOON), B: (6, NOON), C: (None, None)}, False, False),  # exactly the first; in the middle; C is empty
    ({A: (5, NOON + 1), B: (5, NOON + 2), C: (None, None)}, True, False),
    ({A: (6, NOON + 1), B: (None, None), C: (None, None)}, False, True),
    ({A: (5, NOON + 1), B: (None, None), C: (None, None)}, True, True),
])
def test_beside_the_log(at_time, before, after):
    found = beside_the_log(NOON, {A: (5, None), B: (5, None), C: (7, None)}, {A: (9, None), B: (9, None), C: (7, None)}, at_time)
    places = "t-0, t-1" if at_time[B][0] == 5 else "t-0"
    assert found == [
        f"The time 2026-01-31T12:00:00.000Z is before the first record of {places}, which is of 2026-01-31T12:00:00.001Z or later: all that the log holds "
        "there comes after it."] * before + [
        "The time 2026-01-31T12:00:00.000Z is after the last record of t-1: nothing that the log holds there comes after it."] * after
