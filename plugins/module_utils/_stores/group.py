# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The group method: a sink connector's offsets as what its consumer group has committed, by Kafka's admin protocol.

Kafka takes offsets from outside of a group only while the group has no members, so no word of anybody is needed that nothing
runs. Offsets are set in one request, each partition for itself. The client knows no request that removes single ones: then
the group is deleted and the others are committed again, and whoever calls has a backup before (see recreates()).
"""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import OFFSET, SINK, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import REMOVE, SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import DELETE, GROUP, READ, TOPIC
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.base import Store
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import Sink, entry_of, place_of

_PAUSE = 0.5


class GroupStore(Store):
    """Kafka itself refuses a change while a task is there. Topics and numbers are checked by Sink.check()."""

    method = "group"

    def __init__(self, sink: Sink, sleep=time.sleep, clock=time.monotonic):
        super().__init__(sink.name)
        self.sink = sink
        self.kafka = sink.kafka
        self._sleep = sleep
        self._clock = clock

    def read(self) -> Snapshot:
        return Snapshot(self.name, SINK, [entry_of(place, offset) for place, offset in self.sink.live().items()])

    def warnings_about(self, snapshot) -> list:
        """What the workers' consumer.group.id is cannot be known."""
        if snapshot.entries or self.sink.settings.is_named:
            return []
        return ["The consumer group %s of %s has no offsets so far. If the workers or the connector name another one (consumer.group.id, "
                "consumer.override.group.id), give it as consumer_group." % (self.sink.group, self.name)]

    def recreates(self, plan) -> bool:
        return bool(self._removed(plan)) and bool(plan.after())

    def missing_acls(self, plan) -> list:
        """Read is what a commit needs."""
        removed = self._removed(plan)
        commits = plan.after() if removed else [action for action in plan.changes if action.verb == SET]
        topics = sorted({place_of(one.partition)[0] for one in commits})
        needed = [(READ, TOPIC, topic) for topic in topics]
        if topics:
            needed.insert(0, (READ, GROUP, self.sink.group))
        if removed:
            needed.insert(0, (DELETE, GROUP, self.sink.group))
        return self.kafka.permissions.missing_acls(needed)

    def apply(self, plan) -> None:
        wanted = {place_of(action.partition): action.after[OFFSET] for action in plan.changes if action.verb == SET}
        removed = self._removed(plan)
        try:
            if not removed:
                return self.kafka.groups.commit(self.sink.group, wanted)
            # As they are now: who was the last to leave the group may have committed once more.
            stay = {place: offset for place, offset in self.sink.live().items() if place not in removed}
            stay.update(wanted)
            if stay:
                # Before anything is gone: may we commit them, and do we see all of them?
                self.sink.check_sees_all()
                self.kafka.groups.commit(self.sink.group, stay)
            self.kafka.groups.delete_group(self.sink.group)
        except errors.GroupInUse as error:
            raise self._in_use(error)
        if stay:
            self._commit_again(stay)

    def _removed(self, plan) -> set:
        return {place_of(action.partition) for action in plan.changes if action.verb == REMOVE}

    def _in_use(self, error):
        members = self.sink.members()
        return self.sink.in_use(members) if members else errors.StateError(error.message, **error.facts)

    def _commit_again(self, offsets) -> None:
        """The group is deleted: its other offsets must come back. Raises BrokerError or StateError, never WriteOutcomeUnknown: see apply()."""
        end = self._clock() + 2 * self.kafka.timeout
        while True:
            try:
                return self.kafka.groups.commit(self.sink.group, offsets)
            except errors.WriteOutcomeUnknown as error:
                if self._clock() > end:
                    raise errors.BrokerError("The consumer group %s was deleted to remove offsets, and the others could not be committed "
                                             "again. %s" % (self.sink.group, error.message), **error.facts)
            except errors.GroupInUse as error:
                raise self._in_use(error).also("The group had been deleted to remove offsets, and somebody joined it before the others could "
                                               "be committed again.")
            self._sleep(_PAUSE)
