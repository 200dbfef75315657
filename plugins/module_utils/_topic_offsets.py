# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What topic_offsets_info shows: where the partitions of topics begin, end, and were at a time."""

from __future__ import annotations

import re
import time as clock
from datetime import datetime, timedelta
from fnmatch import fnmatchcase

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors

READ_COMMITTED = "read_committed"
READ_UNCOMMITTED = "read_uncommitted"

_GLOB = re.compile(r"[*?\[]")
#: a glob never means these: they are Kafka's own
_INTERNAL = "__"
_EPOCH = datetime(1970, 1, 1)
_MAX_TIME = (1 << 63) - 1
_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))? ?(?:[Zz]|([+-])(\d\d):?(\d\d))")


def topic_offsets(kafka, names, timestamp=None, isolation=READ_COMMITTED, quiet=0, wait_timeout=120) -> dict:
    """The module's result. names: of topics, or globs. timestamp: text, or None.

    quiet: seconds for which no end may have moved, waited for during wait_timeout seconds.
    """
    names = [name.strip() for name in names if name.strip()]
    if not names:
        raise errors.WishError("topics is empty: give names of topics, or globs.")
    time = None if timestamp is None else milliseconds(timestamp)
    if quiet < 0:
        raise errors.WishError("quiet must be 0 or more seconds, it is %d." % quiet)
    warnings = []
    topics = _topics(kafka, names, warnings)
    is_quiet = _await_quiet(kafka, topics, isolation, quiet, wait_timeout) if quiet else None
    found = [_one(kafka, topic, time, isolation) for topic in topics]
    return {"changed": False, "cluster_id": kafka.cluster_id, "timestamp": time, "topics": found, "quiet": is_quiet, "warnings": warnings}


def _await_quiet(kafka, topics, isolation, quiet, wait_timeout, sleep=clock.sleep, now=clock.monotonic) -> bool:
    """Whether all ends stood still for ``quiet`` seconds before the time was up."""
    end, since, last = now() + wait_timeout, now(), None
    while True:
        ends = [_ends(kafka, topic, isolation) for topic in topics]
        if ends != last:
            last, since = ends, now()
        if now() - since >= quiet:
            return True
        if now() >= end:
            return False
        sleep(min(1.0, quiet / 5.0))


def _ends(kafka, topic, isolation) -> dict:
    return kafka.ends(topic)[0 if isolation == READ_COMMITTED else 1]


def _topics(kafka, names, warnings) -> list:
    """Explicit names first, so that a missing one fails at once."""
    found = {name: kafka.topic(name) for name in names if not _GLOB.search(name)}
    globs = [name for name in names if _GLOB.search(name)]
    known = [topic for topic in kafka.topics() if not topic.name.startswith(_INTERNAL)] if globs else []
    for glob in globs:
        fitting = [topic for topic in known if fnmatchcase(topic.name, glob)]
        if not fitting:
            warnings.append("No topic fits %s (or the user may not see it)." % glob)
        for topic in fitting:
            found.setdefault(topic.name, topic)
    return [found[name] for name in sorted(found)]


def _one(kafka, topic, time, isolation) -> dict:
    begins, ends = kafka.starts(topic), _ends(kafka, topic, isolation)
    times = {} if time is None else kafka.at(topic, time, isolation == READ_COMMITTED)
    partitions = [
        # The begin may have moved between the two questions.
        {"partition": number, "begin": begins[number], "end": max(begins[number], ends[number]), "by_time": times.get(number)}
        for number in sorted(begins)]
    return {"name": topic.name, "partitions": partitions,
            "records_at_most": sum(one["end"] - one["begin"] for one in partitions)}


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
            raise errors.WishError("timestamp %s is too large." % text)
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
        raise errors.WishError("timestamp %s cannot be used: %s." % (text, error))
