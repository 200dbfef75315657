# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The REST road (KIP-875): read and change offsets through a Connect worker."""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import RoadError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import (
    SINK,
    Entry,
    Snapshot,
    canonical,
    normalise,
)

#: a partition changed a moment ago can be listed without its value for milliseconds
_RACE_READS = 3
_RACE_PAUSE = 0.3

_UNVALIDATED = "The Connect framework-managed offsets"


class RestStore:
    """read() -> Snapshot, check(plan), apply(plan) -> warning or None, concerns(snapshot) -> warnings."""

    road = "rest"
    #: Connect itself refuses a change while a task is there
    gated = True
    #: are the fields of the partitions that it shows in the order in which the connector writes them?
    ordered = False

    def __init__(self, client, name: str, kind: str, sleep=time.sleep):
        self.client = client
        self.name = name
        self.kind = kind
        self._sleep = sleep
        self._own_topic = None

    def read(self) -> Snapshot:
        """Raises NoConnector, EndpointMissing (Connect before 3.5)."""
        for attempt in range(_RACE_READS):
            snapshot = self._read()
            if not snapshot.unreadable:
                break
            if attempt + 1 < _RACE_READS:
                self._sleep(_RACE_PAUSE)
        return snapshot

    def _read(self) -> Snapshot:
        entries, unreadable = [], []
        for item in self.client.offsets(self.name):
            partition, offset = item.get("partition"), item.get("offset")
            if offset is None:
                unreadable.append(Entry(partition, None))
            else:
                entries.append(normalise(self.kind, Entry(partition, offset), self.name))
        return Snapshot(self.name, self.kind, entries, unreadable)

    def check(self, plan) -> None:
        """Can this road make the change? Raises EndpointMissing (Connect before 3.6), RoadError; before any write."""
        self.client.require("alter")
        hidden = [action.partition for action in plan.changes if action.unreadable and not self.merely_missing(action.partition)]
        if hidden:
            raise RoadError(key_order_trap(self.name, hidden), unreadable=hidden[:10])

    def concerns(self, snapshot) -> list:
        """What the operator should know about partitions that are listed without a value."""
        listed = [entry.partition for entry in snapshot.unreadable.values()]
        missing = [partition for partition in listed if self.merely_missing(partition)]
        trapped = [partition for partition in listed if not self.merely_missing(partition)]
        found = [key_order_trap(self.name, trapped)] if trapped else []
        if missing:
            found.append(
                "%s has its own offsets.storage.topic, and %d of its listed partitions have no offset there (%s): the connector "
                "starts from scratch for them, whatever the worker's topic holds."
                % (self.name, len(missing), ", ".join(sorted(map(canonical, missing))[:3])))
        return found

    def hidden(self) -> str:
        """Nothing is (see TopicStore)."""
        return ""

    def images(self, plan) -> None:
        """REST knows no records (see TopicStore)."""
        return None

    def lacking(self, plan) -> list:
        """Nobody tells what the workers may do (see TopicStore)."""
        return []

    def recreates(self, plan) -> bool:
        """No (see GroupStore)."""
        return False

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
        """Send the change in one request. The caller reads back: the answer proves nothing."""
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


def key_order_trap(name: str, partitions: list) -> str:
    """Why REST cannot change partitions that are listed without a value."""
    shown = ", ".join(sorted(canonical(partition) for partition in partitions)[:3])
    return (
        "The worker lists %d partition%s of %s without a value (%s%s). The record on the offsets topic then has other key bytes "
        "than the worker builds (fields in another order than a Java HashMap's, or blanks), and a change by REST would write "
        "a second record that the connector never reads, and report success. REST cannot change this partition; only the "
        "offsets topic can, with the key bytes that are there."
        % (len(partitions), "" if len(partitions) == 1 else "s", name, shown, ", ..." if len(partitions) > 3 else "")
    )
