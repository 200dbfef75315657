# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What topic_offsets_info shows: where the partitions of topics begin, end, and were at a time."""

from __future__ import annotations

import re
import time as clock
from fnmatch import fnmatchcase

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import beside_the_log, milliseconds

READ_COMMITTED = "read_committed"
READ_UNCOMMITTED = "read_uncommitted"

_GLOB = re.compile(r"[*?\[]")
#: a glob never means these: they are Kafka's own
_INTERNAL = "__"


def topic_offsets(kafka, names, timestamp=None, isolation=READ_COMMITTED, quiet=0, wait_timeout=120, sleep=clock.sleep) -> dict:
    """The module's result. names: of topics, or globs. timestamp: text, or None.

    quiet: seconds for which no end may have moved, waited for during wait_timeout seconds.
    """
    names = [name.strip() for name in names if name.strip()]
    if not names:
        raise errors.DeclarationError("topics is empty: give names of topics, or globs.")
    time = None if timestamp is None else milliseconds(timestamp)
    if quiet < 0:
        raise errors.DeclarationError("quiet must be 0 or more seconds, it is %d." % quiet)
    warnings = []
    topics = _topics(kafka, names, warnings)
    is_quiet = _await_quiet(kafka, topics, isolation, quiet, wait_timeout, sleep) if quiet else None
    found = [_one(kafka, topic, time, isolation, warnings) for topic in topics]
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
    return kafka.offsets.ends(topic)[0 if isolation == READ_COMMITTED else 1]


def _topics(kafka, names, warnings) -> list:
    """Explicit names first, so that a missing one fails at once."""
    found = {name: kafka.admin.topic(name) for name in names if not _GLOB.search(name)}
    globs = [name for name in names if _GLOB.search(name)]
    known = [topic for topic in kafka.admin.topics() if not topic.name.startswith(_INTERNAL)] if globs else []
    for glob in globs:
        fitting = [topic for topic in known if fnmatchcase(topic.name, glob)]
        if not fitting:
            warnings.append("No topic fits %s (or the user may not see it)." % glob)
        for topic in fitting:
            found.setdefault(topic.name, topic)
    return [found[name] for name in sorted(found)]


def _one(kafka, topic, time, isolation, warnings) -> dict:
    begins, ends = kafka.offsets.starts(topic), _ends(kafka, topic, isolation)
    places = [(topic.name, number) for number in sorted(begins)]
    times = {} if time is None else kafka.offsets.of(places, time, isolation == READ_COMMITTED)
    if time is not None:
        warnings += beside_the_log(time, *({place: (offsets[place[1]],) for place in places} for offsets in (begins, ends)), times)
    partitions = [
        # The begin may have moved between the two questions.
        {"partition": number, "begin": begins[number], "end": max(begins[number], ends[number]), "by_time": times.get((topic.name, number), (None,))[0]}
        for number in sorted(begins)]
    return {"name": topic.name, "partitions": partitions,
            "records_at_most": sum(one["end"] - one["begin"] for one in partitions)}
