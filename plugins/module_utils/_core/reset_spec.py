# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Symbolic positions: earliest, latest, of a time, some records on. Pure; _semantics turns them into numbers.

A place is (topic, number of the partition).
"""

from __future__ import annotations

import re
import time as clock
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import (
    EARLIEST,
    INT32_MAX,
    INT64_MAX,
    LATEST,
    canonical,
    describe,
    is_int,
    whole,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import length, milliseconds, timestamp

TIMESTAMP, DURATION, SHIFT_BY = "timestamp", "duration", "shift_by"
#: of a source: begin with a snapshot once more
RESNAPSHOT = "resnapshot"

_PLAIN = (EARLIEST, LATEST, RESNAPSHOT)
_WITH_VALUE = (TIMESTAMP, DURATION, SHIFT_BY)
_FORMS = ("earliest, latest, {timestamp: 2026-01-31T12:00:00Z}, {duration: PT2H}, {shift_by: -10} or resnapshot")

_NUMBER = re.compile(r"[+-]?\d{1,20}")

#: One partition's new offset. note: what it is, in words; clamped: whether the log has cut the shift
Found = namedtuple("Found", ["offset", "note", "clamped"])


class Reset:
    """What reset_to and topics ask for.

    word    EARLIEST, LATEST, TIMESTAMP, DURATION, SHIFT_BY or RESNAPSHOT
    value   milliseconds since the epoch, milliseconds back from now, records, or None
    topics  {topic: numbers of partitions, or None for all of them}; None: all topics of the connector
    """

    def __init__(self, word: str, value=None, topics=None):
        self.word = word
        self.value = value
        self.topics = topics

    def declared(self) -> dict:
        """Equal for equal declarations, whatever the log holds: for the ledger."""
        topics = None if self.topics is None else {
            topic: None if numbers is None else sorted(numbers) for topic, numbers in sorted(self.topics.items())}
        return {"reset_to": self.word, "value": self.value, "topics": topics}

    def time(self, now=None):
        """Milliseconds since the epoch, None for a declaration without a time. now: seconds."""
        if self.word == TIMESTAMP:
            return self.value
        return int((clock.time() if now is None else now) * 1000) - self.value if self.word == DURATION else None

    def __str__(self) -> str:
        if self.value is None:
            return self.word
        value = {TIMESTAMP: timestamp, DURATION: lambda length: "%g s" % (length / 1000.0)}.get(self.word, str)(self.value)
        return "%s: %s" % (self.word, value)


def read_reset(reset_to, topics=None, now=None) -> Reset:
    """From the options reset_to and topics. now: seconds since the epoch. Raises DeclarationError."""
    word, value = _word(reset_to)
    return Reset(word, _value(word, value, clock.time() if now is None else now), _topics(topics))


def _word(reset_to) -> tuple:
    if isinstance(reset_to, str):
        text = reset_to.strip()
        if text in _PLAIN:
            return text, None
        if not text.startswith("{"):
            raise DeclarationError("reset_to must be %s; it is %s." % (_FORMS, describe(reset_to)))
        try:
            reset_to = json_value(text)
        except ValueError as error:
            raise DeclarationError("reset_to is not JSON: %s." % error)
    if not isinstance(reset_to, dict) or len(reset_to) != 1:
        raise DeclarationError("reset_to must be exactly one of %s; it is %s." % (_FORMS, describe(reset_to)))
    (word, value), = reset_to.items()
    if word in _PLAIN and value in (None, True):
        return word, None
    if word not in _WITH_VALUE:
        raise DeclarationError("reset_to must be %s; it is %s." % (_FORMS, describe(reset_to)))
    if word == TIMESTAMP and length(value) is not None:
        word = DURATION  # the same declaration tomorrow
    return word, value


def _value(word, value, now):
    if word == TIMESTAMP:
        if isinstance(value, (bool, float, list, dict)) or value is None:
            raise DeclarationError("reset_to: timestamp must be milliseconds since the epoch or a time with its zone, it is %s." % describe(value))
        found = milliseconds(value, now)
        if found > now * 1000:
            raise DeclarationError("reset_to: timestamp %s is in the future (it is %s now). To go to the end use reset_to: latest." % (
                value, timestamp(int(now * 1000))))
        return found
    if word == DURATION:
        return _duration(value)
    return _shift(value) if word == SHIFT_BY else None


def _duration(text) -> int:
    """Milliseconds. Raises DeclarationError."""
    found = length(text)
    if found is None:
        raise DeclarationError(
            "reset_to: duration must be weeks, days, hours, minutes and seconds back from now, such as 2h, 1d12h or PT2H; it is %s. Years and months have "
            "no fixed length: use days, or a timestamp." % describe(text))
    if found > clock.time() * 1000:
        raise DeclarationError("reset_to: duration %s goes back to before 1970. To go to the beginning use reset_to: earliest." % text)
    return found


def _shift(value) -> int:
    number = int(value.strip()) if isinstance(value, str) and _NUMBER.fullmatch(value.strip()) else value
    if not is_int(number) or not -INT64_MAX <= number <= INT64_MAX:
        raise DeclarationError("reset_to: shift_by must be a whole number of records, negative to go back, it is %s." % describe(value))
    if number == 0:
        raise DeclarationError("reset_to: shift_by is 0, which moves nothing.")
    return number


def _topics(topics):
    """None for "all of the connector"; else {topic: set of numbers, or None}."""
    if topics is None:
        return None
    if not isinstance(topics, list) or not topics:
        raise DeclarationError("topics must be a list of names, or of {name, partitions}, it is %s. Leave it out for all topics of the connector." % (
            describe(topics)))
    found = {}
    for index, item in enumerate(topics):
        name, numbers = _topic(item, "topics[%d]" % index)
        if name in found:
            raise DeclarationError("topics lists %s twice." % name)
        found[name] = numbers
    return found


def _topic(item, where: str) -> tuple:
    if isinstance(item, str) and item.strip().startswith("{"):
        try:
            item = json_value(item)
        except ValueError as error:
            raise DeclarationError("%s is not JSON: %s." % (where, error))
    if isinstance(item, str) and item.strip():
        return item.strip(), None
    if not isinstance(item, dict) or "name" not in item or set(item) - {"name", "partitions"}:
        raise DeclarationError("%s must be a topic's name, or a dictionary with name and partitions, it is %s." % (where, describe(item)))
    name, numbers = item["name"], item.get("partitions")
    if not isinstance(name, str) or not name.strip():
        raise DeclarationError("%s.name must be a topic's name, it is %s." % (where, describe(name)))
    if numbers is None:
        return name.strip(), None
    if not isinstance(numbers, list) or not numbers:
        raise DeclarationError("%s.partitions must be a list of numbers, it is %s. Leave it out for all of them." % (where, describe(numbers)))
    found = [whole(number, "%s.partitions[%d]" % (where, place), INT32_MAX) for place, number in enumerate(numbers)]
    if len(set(found)) < len(found):
        raise DeclarationError("%s.partitions lists a number twice: %s." % (where, canonical(numbers)))
    return name.strip(), set(found)


def needs(reset: Reset) -> tuple:
    """What of the log has to be known: (the beginnings, the ends, a time)."""
    by_time = reset.word in (TIMESTAMP, DURATION)
    return (reset.word in (EARLIEST, SHIFT_BY) or by_time, reset.word != EARLIEST, by_time)


def new_offsets(reset: Reset, places, begins: dict, ends: dict, at_time: dict, live: dict) -> dict:
    """place -> Found. begins, ends, at_time: place -> (offset, time of the record), as far as needs() says. live: place -> offset.

    A shift needs a live offset at every place.
    """
    return {place: _new_offset(reset, place, begins, ends, at_time, live) for place in sorted(places)}


def _new_offset(reset, place, begins, ends, at_time, live) -> Found:
    if reset.word == EARLIEST:
        return Found(begins[place][0], "the beginning of the log", False)
    if reset.word == LATEST:
        return Found(ends[place][0], "the end of the log", False)
    if reset.word == SHIFT_BY:
        return _shifted(live[place], reset.value, begins[place][0], ends[place][0])
    offset, time = at_time[place]
    if offset is None:
        return Found(ends[place][0], "the end of the log: no record of that time or later", False)
    return Found(offset, "the record of %s" % timestamp(time), False)


def _shifted(live: int, by: int, begin: int, end: int) -> Found:
    wanted = live + by
    if wanted < begin:
        return Found(begin, "the beginning of the log, which holds fewer records", True)
    if wanted > end:
        return Found(end, "the end of the log, which holds fewer records", True)
    return Found(wanted, "%+d" % by, False)
