# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What connector_offsets_info returns of one connector, as far as a store shows it."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import cut, info_result
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import timestamp
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import FILE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import raw_text


def shown(snapshot, method: str, max_entries, exists, connector) -> dict:
    """What every store can show. exists: None where no worker is queried. connector: the Connector, or None."""
    return dict(info_result(snapshot, method, max_entries), method_reason=None, connector_exists=exists,
                connector=connector.result() if connector else None, anomalies=[], anomalies_count=0, newest=None, unreadable_records=[],
                history=[], group=None, positions=[], positions_count=0, lag=None, topic=None)


def shown_records(store, max_entries, history: bool) -> dict:
    """What only the records on the offsets topic, or in the file, show. store: TopicStore, read already. history: show older records as well."""
    log, held = store.logs.read(store.topics[0]), store.held()
    # A file has no times, and any order.
    dated = [] if store.method == FILE else [one for one in held.values() if one.shown is not None and one.shown.offset is not None]
    newest = max(dated, key=lambda one: (one.shown.time or 0, one.shown.log_offset)) if dated else None
    odd = list(store.anomalies().items())
    return {
        "topic": {"name": store.topics[0], "partitions": log.topic.partitions},
        "newest": newest and {"partition": newest.partition, "offset": newest.shown.offset, "time": timestamp(newest.shown.time)},
        "anomalies": [{"partition": held[key].partition, "kinds": words, "records": [
            dict(_record(copy), encoding=copy.form, shown=copy is held[key].shown) for copy in held[key].copies]}
            for key, words in cut(odd, max_entries)],
        "anomalies_count": len(odd),
        "unreadable_records": [_unreadable(one) for one in cut(store.unreadable_records(), max_entries)],
        "history": [{"partition": one.partition, "records": [_record(copy) for copy in log.history(one)]}
                    for _key, one in cut(sorted(held.items()), max_entries)] if history else [],
    }


def shown_topic(log, decoded, max_entries) -> dict:
    """The whole of an offsets topic, or of a file."""
    return {
        "name": log.topic.name, "partitions": log.topic.partitions, "cleanup_policy": log.topic.cleanup_policy, "records": log.records,
        "key_count": sum(len(last) for last in log.last),
        "unreadable_records": [_unreadable(one) for one in cut(decoded.unreadable, max_entries)],
        "unreadable_count": len(decoded.unreadable),
    }


def _record(copy) -> dict:
    return {"topic_partition": copy.place, "record_offset": copy.log_offset, "time": timestamp(copy.time), "key": raw_text(copy.key),
            "offset": copy.offset, "tombstone": not copy.live}


def _unreadable(one) -> dict:
    return {"topic_partition": one.place, "record_offset": one.log_offset, "time": timestamp(one.time),
            "key": None if one.key is None else raw_text(one.key), "connector": one.connector, "reason": one.reason}
