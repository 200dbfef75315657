# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Offsets taken before, at and after a change -> ``topics`` and ``cluster_ids`` of an expectation document. Pure."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

STARTS = ("begin", "end", "by_time")
#: of a partition that was added since: nothing was there
_NONE = {"begin": 0, "end": 0, "by_time": 0}


def replay_topics(boundary, after, before=None, start="begin", cluster="main") -> dict:
    """boundary, after, before: results of topic_offsets_info; before is boundary unless given. start: which number of before is the start.
    cluster: the name that the document has for the Kafka cluster. Raises DeclarationError."""
    before, start, cluster = before or boundary, start or "begin", cluster or "main"
    if start not in STARTS:
        raise DeclarationError("start must be one of %s, not %s." % (", ".join(STARTS), start))
    taken = {"before": before, "boundary": boundary, "after": after}
    found = {name: _partitions(name, result) for name, result in taken.items()}
    _check(taken, found)
    return {
        "topics": {name: {"cluster": cluster, "topic": name, "partitions": _ranges(found, name, start)} for name in found["boundary"]},
        "cluster_ids": {cluster: boundary["cluster_id"]},
    }


def _partitions(name: str, result) -> dict:
    """{topic: {partition: its offsets}}"""
    try:
        return {topic["name"]: {one["partition"]: one for one in topic["partitions"]} for topic in result["topics"]}
    except (KeyError, TypeError):
        raise DeclarationError("%s must be a result of topic_offsets_info, with topics and their partitions." % name) from None


def _check(taken: dict, found: dict) -> None:
    for name in ("before", "after"):
        ids = [taken[one].get("cluster_id") for one in ("boundary", name)]
        if ids[0] != ids[1]:
            raise DeclarationError("boundary was taken from the Kafka cluster %s, %s from %s. Take both from the same cluster." % (ids[0], name, ids[1]))
        missing = sorted(set(found["boundary"]) - set(found[name]))
        if missing:
            raise DeclarationError("boundary has topics that %s lacks: %s. Take the offsets of the same topics each time." % (name, ", ".join(missing)))
    if not found["boundary"]:
        raise DeclarationError("boundary has no topic, so there is nothing to verify.")


def _ranges(found: dict, topic: str, start: str) -> dict:
    """What retention has removed meanwhile moves no boundary."""
    ranges = {}
    for number, last in found["after"][topic].items():
        first = found["before"][topic].get(number, _NONE)
        middle = found["boundary"][topic].get(number, _NONE)["end"]
        begin = first["end"] if first.get(start) is None else first[start]
        ranges[str(number)] = {"start": min(begin, middle), "boundary": middle, "end": max(last["end"], middle)}
    return ranges
