# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""How far a mirror is: positions and the ends of logs come in, rows with status and lag go out. Pure.

A place is (topic on the source, number of the partition).
"""

from __future__ import annotations

from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import INT32_MAX, is_int
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import timestamp
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.copied_again import next_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import CLUSTER, OFFSET, PARTITION, TOPIC, is_partition

#: of a place on the source
OK, BEHIND, NEW, LOST, BEYOND = "ok", "behind", "new", "lost", "beyond"
#: of an offset that no place on the source stands for
GONE, LEFT_OUT, FORMER_ALIAS, NO_PARTITION, UNREADABLE = "gone", "left_out", "former_alias", "no_partition", "unreadable"

#: an offset as it is stored; time: when, in milliseconds since the epoch, or None
Stored = namedtuple("Stored", ["partition", "offset", "time"])
#: of a place: offsets; log_end counts open transactions, too
Ends = namedtuple("Ends", ["begin", "end", "log_end"])


def sort_out(entries, source: str) -> tuple:
    """({place: Stored}, [orphans]) of all that a connector has stored. source: the alias of its source cluster."""
    places, orphans = {}, []
    for entry in entries:
        partition, offset = entry.partition, entry.offset
        if not is_partition(partition) or not isinstance(partition[TOPIC], str) or not is_int(partition[PARTITION]) \
                or not 0 <= partition[PARTITION] <= INT32_MAX:
            orphans.append(orphan(entry, NO_PARTITION, "no partition of a MirrorSourceConnector"))
        elif partition[CLUSTER] != source:
            orphans.append(orphan(entry, FORMER_ALIAS, "the source cluster is called %s" % source))
        elif offset is None or not _is_position(offset):
            orphans.append(orphan(entry, UNREADABLE, "no offset that could be read"))
        else:
            places[partition[TOPIC], partition[PARTITION]] = entry
    return places, orphans


def _is_position(offset) -> bool:
    """null and -1 are the same to MirrorMaker as no offset (MirrorUtils#unwrapOffset)."""
    return set(offset) <= {OFFSET} and (offset.get(OFFSET) is None or is_int(offset[OFFSET]))


def orphan(entry, reason: str, detail: str) -> dict:
    return {"partition": entry.partition, "offset": entry.offset, "reason": reason, "detail": detail}


def row(place, stored, ends, at_the_end: bool = False) -> dict:
    """One line of a flow's partitions. stored: Stored or None. ends: Ends, None where the source could not be asked.

    at_the_end: without an offset the connector begins at the end.
    """
    following = next_of(stored.offset) if stored else None
    found = {"topic": place[0], "partition": place[1], "offset": None if following is None else following - 1, "next_offset": following,
             "begin": None, "end": None, "lag": None, "lag_ms": None, "lost": None, "skipped": None, "status": None,
             "stored_at": timestamp(stored.time) if stored else None}
    if ends is not None:
        found.update(begin=ends.begin, end=max(ends.begin, ends.end))
        found.update(_judged(following, found["begin"], found["end"], ends.log_end, at_the_end))
    if found["lag"] == 0:
        found["lag_ms"] = 0
    return found


def _judged(following, begin, end, log_end, at_the_end) -> dict:
    if following is None:
        return {"status": NEW, "lag": 0 if at_the_end else end - begin, "lost": 0}
    if following > max(end, log_end):
        return {"status": BEYOND, "lag": None, "lost": 0}
    if following < begin:
        return {"status": LOST, "lag": end - begin, "lost": begin - following}
    # It can be ahead of a reader of committed records, as MirrorMaker need not be one.
    lag = max(0, end - following)
    return {"status": BEHIND if lag else OK, "lag": lag, "lost": 0}


def waits_from(row: dict):
    """The offset from which on something may wait to be copied; None where nothing does."""
    return max(row["next_offset"] or 0, row["begin"]) if row["lag"] else None


def note_first(row: dict, first, now: int) -> None:
    """What is the first record there? first: its time in milliseconds (None: it has none), or False: no record at all.

    now: milliseconds since the epoch. Offsets that are no records are markers of transactions, or records that were aborted or
    compacted away.
    """
    if first is False:
        row.update(skipped=row["lag"], lag=0, lag_ms=0, status=OK if row["status"] == BEHIND else row["status"])
    elif first is not None:
        row.update(lag_ms=max(0, now - first))


def totals(rows) -> dict:
    """lag and lost are sums, lag_ms is the largest; None where nobody knows any of them."""
    found = {}
    for name, total in (("lag", sum), ("lag_ms", max), ("lost", sum)):
        known = [one[name] for one in rows if one[name] is not None]
        found[name] = total(known) if known else None
    return found


def by_topic(rows, copy_of) -> list:
    """A line for each topic. copy_of: gives the topic's name on the target."""
    topics = {}
    for one in rows:
        topics.setdefault(one["topic"], []).append(one)
    return [dict({"topic": topic, "copy": copy_of(topic), "partitions": len(found), "statuses": _statuses(found)}, **totals(found))
            for topic, found in sorted(topics.items())]


def _statuses(rows) -> dict:
    """{status: how many have it}, the worst first."""
    known = [row["status"] for row in rows]
    return {status: known.count(status) for status in (BEYOND, LOST, NEW, BEHIND, OK) if status in known}
