# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Where source and copies end while a mirror is stopped: the document by which a later run waits and compares. Pure, but for its file.

By topic and partition: ``next`` is the next record to copy, ``end`` where the source ends, ``boundary`` where the copy ends. What the copy has beyond that
came afterwards.
"""

from __future__ import annotations

import json
import os

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError, DeclarationError

_VERSION = 1


def topics_of(shares: list, flows: list, copies: dict) -> dict:
    """{topic: {target, connector, partitions}}. flows: of mirror_info. copies: {topic on the target: {partition: its end}}, without those that are new."""
    by_connector = {flow["connector"]: flow for flow in flows}
    found = {}
    for share in shares:
        rows = by_connector[share.connector]["partitions"]
        for topic, copy in share.copies.items():
            ends = copies.get(copy, {})
            found[topic] = {"target": copy, "connector": share.connector, "partitions": {
                str(row["partition"]): {"next": max(_next_of(row), row["begin"]), "end": row["end"], "boundary": ends.get(row["partition"], 0)}
                for row in rows if row["topic"] == topic and row["end"] is not None}}
    return found


def _next_of(row) -> int:
    if row["next_offset"] is not None:
        return row["next_offset"]
    return row["end"] if row["lag"] == 0 else row["begin"]


def document(mirror: str, source: str, change_id, source_cluster, topics: dict, deferred: list) -> dict:
    """source_cluster: how Spark can reach it, or None. deferred: [Due] of connectors that wait for the mirror to catch up."""
    return {"version": _VERSION, "mirror": mirror, "source": source, "source_cluster": source_cluster, "change_id": change_id, "topics": topics,
            "deferred": [{"name": one.name, "state": one.state, "failed": one.failed} for one in deferred]}


def connectors_in(found: dict) -> list:
    return sorted({one["connector"] for one in found["topics"].values()})


def left(found: dict, flows: list) -> dict:
    """{records, partitions} that are still to be copied up to where the source ended. Markers of transactions, of which mirror_info knows, are none."""
    numbers = [_left_of(one["partitions"][str(row["partition"])]["end"], row)
               for flow in flows for row in flow["partitions"] for one in [found["topics"].get(row["topic"])]
               if one and one["connector"] == flow["connector"] and str(row["partition"]) in one["partitions"]]
    numbers = [number for number in numbers if number > 0]
    return {"records": sum(numbers), "partitions": len(numbers)}


def _left_of(end: int, row: dict) -> int:
    if row["lag"] == 0:
        return 0
    # A position beyond the end of the log is none that was reached.
    return 1 if row["lag"] is None else end - max(row["begin"], row["next_offset"] or 0)


def write(path: str, found: dict) -> None:
    """Mode 0600. Raises ConnectError."""
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(found, file)
    except OSError as error:
        raise ConnectError("The file %s cannot be written: %s." % (path, error.strerror))


def read(path: str) -> dict:
    """Raises DeclarationError."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise DeclarationError("%s, which says where source and target ended, cannot be read: %s." % (path, error.strerror))
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("version") != _VERSION or not found.get("topics"):
        raise DeclarationError("%s is no file that a reset of a mirror has written." % path)
    return found
