# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The REST method (KIP-875): read and change offsets through a Connect worker."""

from __future__ import annotations

import json
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_hash_order import order
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.record_size import WORKER_BYTES
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import shown_in_message
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import BrokerError, MethodError, NotOffsetsTopic
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, Entry, Snapshot, canonical, json_writer, normalise
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.base import Store

#: a partition changed a moment ago can be listed without its value for milliseconds
_RACE_READS = 3
_RACE_PAUSE = 0.3

#: of a batch with one record, at most
_OVERHEAD = 82
_encode = json_writer(ensure_ascii=False, separators=(",", ":"))

_OTHER_KEY = (
    "The record on the offsets topic then has other key bytes than the worker builds (fields in another order than a Java HashMap's, or blanks), and a "
    "change by REST would write a second record that the connector never reads, and report success. REST cannot change this partition; only the "
    "offsets topic can, with the key bytes that are there.")
#: the fields of such a partition have only one order
_NO_VALUE = (
    "The record on the offsets topic then has null for a value, or a key that somebody has typed by hand (blanks, escapes), which REST cannot distinguish. "
    "REST cannot change this partition for certain; the offsets topic can, with the bytes that are there.")

_UNVALIDATED = "The Connect framework-managed offsets"


class RestStore(Store):
    """Connect itself refuses a change while a task is there."""

    method = "rest"

    def __init__(self, client, name: str, kind: str, sleep=time.sleep):
        super().__init__(name)
        self.client = client
        self.kind = kind
        self._sleep = sleep
        self._own_topic = None
        #: TopicStore to compare with, or None
        self._topic = None

    def compare_with(self, topic) -> None:
        """From here on each read() also finds what the offsets topic lacks (Snapshot.lost)."""
        self._topic = topic

    def read(self) -> Snapshot:
        for attempt in range(_RACE_READS):
            snapshot = self._read()
            if not snapshot.unreadable:
                break
            if attempt + 1 < _RACE_READS:
                self._sleep(_RACE_PAUSE)
        if self._topic is not None:
            try:
                snapshot.lost = self._topic.lost(snapshot.entries)
            except (BrokerError, NotOffsetsTopic):
                self._topic = None  # REST can do without brokers
        return snapshot

    def read_written(self):
        return self._snapshot(self.client.offsets_once(self.name)) if self._topic is None else None

    def _read(self) -> Snapshot:
        return self._snapshot(self.client.offsets_once(self.name) if self.kind == SINK else self.client.offsets(self.name))

    def _snapshot(self, items) -> Snapshot:
        entries, unreadable = [], []
        for item in items:
            found = Entry(item.get("partition"), item.get("offset"))
            (unreadable if found.offset is None else entries).append(found)
        if self.kind == SINK:
            entries = [normalise(SINK, found, self.name) for found in entries]
        return Snapshot(self.name, self.kind, entries, unreadable)

    def check(self, plan) -> None:
        self.client.require("alter")
        hidden = [action.partition for action in plan.changes if action.unreadable and not self.merely_missing(action.partition)]
        if hidden:
            raise MethodError(key_order_trap(self.name, hidden), unreadable=hidden[:10])
        _check_order(plan)
        self._check_sizes(plan)

    def _check_sizes(self, plan) -> None:
        """A worker answers 500 to what its producer does not take, when some of the other offsets may be written already. Raises MethodError."""
        if self.kind == SINK:
            return
        if len(_encode(self.pairs(plan)).encode("utf-8", "replace")) + len(self.name) < WORKER_BYTES - _OVERHEAD:
            return  # nor is any of them
        sizes = [(_bytes(self.name, action.partition, action.after), action) for action in plan.changes if action.after is not None]
        size, action = max(sizes, key=lambda one: one[0], default=(0, None))
        if size > WORKER_BYTES and not any(_bytes(self.name, *entry) >= size for entry in plan.live.entries.values()):
            raise MethodError(
                "The offset of %s for the partition %s would be a record of %d bytes, but a worker's producer takes %d, unless "
                "producer.max.request.size is set, and no offset of this connector is as large." % (
                    self.name, shown_in_message(canonical(action.partition)), size, WORKER_BYTES))

    def warnings_about(self, snapshot) -> list:
        listed = [entry.partition for entry in snapshot.unreadable.values()]
        missing = [partition for partition in listed if self.merely_missing(partition)]
        trapped = [partition for partition in listed if not self.merely_missing(partition)]
        found = [key_order_trap(self.name, trapped)] if trapped else []
        if snapshot.lost:
            found.append(in_memory_alone(self.name, snapshot.lost, self._topic.topics[0]) + " Those that are declared are written again.")
        if missing:
            found.append(
                "%s has its own offsets.storage.topic, and %d of its listed partitions have no offset there (%s): the connector "
                "starts from scratch for them, whatever the worker's topic holds."
                % (self.name, len(missing), ", ".join(sorted(map(canonical, missing))[:3])))
        return found

    def merely_missing(self, partition) -> bool:
        """Listed without a value, but for certain only because the connector's own topic lacks it.

        One field has only one order. With more of them, a missing value and one under other key bytes look the same.
        """
        return len(partition or {}) == 1 and self.has_own_topic()

    def has_own_topic(self) -> bool:
        """The connector has an offsets.storage.topic of its own, for which a value can be missing without a trap."""
        if self._own_topic is None:
            self._own_topic = bool(self.client.info(self.name)["config"].get("offsets.storage.topic"))
        return self._own_topic

    def apply(self, plan):
        """In one request."""
        if self.resets(plan):
            message = self.client.reset_offsets(self.name)
        else:
            message = self.client.alter_offsets(self.name, self.pairs(plan))
        if not message.startswith(_UNVALIDATED):
            return None
        if self.kind == SINK:
            return ("%s: %s" % (self.name, message))
        return "%s: %s (the plugin did not check the offsets)" % (self.name, message)

    def resets(self, plan) -> bool:
        """Will one call do that removes everything?"""
        return plan.resets_all or not (plan.after() or plan.live.unreadable)

    def pairs(self, plan) -> list:
        return [{"partition": action.partition, "offset": action.after} for action in plan.changes]


def _check_order(plan) -> None:
    """REST writes the fields of a new partition in a HashMap's order alone. Raises MethodError."""
    other = [action.partition for action in plan.changes
             if action.verb == SET and action.before is None and (_written(plan, action) or order(action.partition)) != order(action.partition)]
    if other:
        raise MethodError(
            "The fields of %d partitions, first %s, stand in another order there than the worker would write them by REST, and the connector would "
            "not find its offsets." % (len(other), json.dumps(other[0])))


def _written(plan, action):
    """The fields of a new partition as the connector writes them, as far as the declaration or the profile tell."""
    if plan.desired.ordered:
        return list(action.partition)
    return None if plan.desired.exact or plan.desired.force or action.shape is None else action.shape.order(action.partition)


def _bytes(name: str, partition, offset) -> int:
    """About the size of its record, as a worker's producer counts it (AbstractRecords#estimateSizeInBytesUpperBound)."""
    return _OVERHEAD + sum(len(_encode(part).encode("utf-8", "replace")) for part in ([name, partition], offset))


def in_memory_alone(name: str, lost: list, topic: str) -> str:
    """About the canonical partitions that a worker shows, and that are not on its offsets topic."""
    return "REST shows %d offset%s of %s that the offsets topic %s does not have (%s%s): the workers have them in memory alone, and lose them when they " \
           "are restarted." % (len(lost), "" if len(lost) == 1 else "s", name, topic, ", ".join(lost[:3]), ", ..." if len(lost) > 3 else "")


def key_order_trap(name: str, partitions: list) -> str:
    """Why REST cannot change partitions that are listed without a value."""
    shown = ", ".join(sorted(canonical(partition) for partition in partitions)[:3])
    return "The worker lists %d partition%s of %s without a value (%s%s). %s" % (
        len(partitions), "" if len(partitions) == 1 else "s", name, shown, ", ..." if len(partitions) > 3 else "",
        _OTHER_KEY if any(len(partition or {}) > 1 for partition in partitions) else _NO_VALUE)
