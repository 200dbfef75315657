# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a write that failed has left is removed: the offsets are as they were, or the error says what is left to do."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import backups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import pairs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural

#: before anything of a change was written
_NOTHING_WRITTEN = (errors.Interrupted, errors.NotStopped, errors.Rebalancing, errors.Unreachable)


class Rollback:
    """Of one connector's offsets. To be made right before the first write."""

    def __init__(self, item, plan):
        """item: ChangeItem. plan: what is to be written."""
        self._item = item
        self._store = item.store
        self._plan = plan
        self._before = plan.live
        #: TopicStore that REST was compared with, or None
        self._topic = item.router.compared
        self._values_before = self._values_now()
        #: whether nothing that this run has written is left; whether it is not known what is live
        self.done, self.is_blind = True, False

    def after(self, error, sent: bool):
        """The error of the write, with what has become of the offsets. sent: whether something may have been written."""
        if sent or self._store.has_server_guard and not isinstance(error, _NOTHING_WRITTEN):
            self.done = False
            return self._restore(error, sent)
        if self._store.finishes and self._is_hidden():
            self.is_blind = True
            return error.also("An earlier run of this change may have changed its offsets; what is live now cannot be seen.")
        # A transaction that was given up; what is there now may be somebody else's.
        return error.also("This run has not changed its offsets.")

    def _is_hidden(self) -> bool:
        """Also where it cannot be read."""
        try:
            return bool(self._store.hidden())
        except errors.ConnectError:
            return True

    def _restore(self, error, sent):
        try:
            undo = make_plan(self._store.read(), DesiredOffsets.exactly(self._before))
            if self._store.hidden():
                self.is_blind = True
                return self._with_way_back(error, "What is live now cannot be seen.")
            if not undo.changed:
                refused = isinstance(error, errors.Refused) and self._values_before is None  # and REST shows nothing of it: that is believed
                if sent and self._store.has_server_guard and self._before.kind != SINK and not refused:
                    return self._restore_records(error)
                return self._as_they_were(error, isinstance(error, errors.UNSURE), "")
            if not self._store.has_server_guard:
                # All of our records or none: what else is there came from somebody else, who may have reported success.
                return self._with_way_back(error, "Somebody else has written meanwhile, and that was left alone.")
            self._store.apply(undo)
            left = make_plan(self._store.read(), DesiredOffsets.exactly(self._before))
        except errors.ConnectError as other:
            self.is_blind = True
            return self._with_way_back(error, "What is live now could not be read or rolled back (%s)." % other.message)
        if left.changed:
            return self._with_way_back(error, "%s could not be rolled back." % plural(len(left.changes), "partition"))
        self.done = True
        return error.also("%s had been changed, and %s rolled back: the offsets are as they were." % (
            plural(len(undo.changes), "partition"), "was" if len(undo.changes) == 1 else "were"))

    def _as_they_were(self, error, may_come: bool, where: str):
        self.done = True
        return error.also("The offsets are as they were%s%s." % (where, " so far; look again before you go on" if may_come else ""))

    def _restore_records(self, error):
        """REST shows nothing of a change that was sent: what it has left on the offsets topic may count after a restart of the workers."""
        if self._values_before is None:
            return self._with_way_back(error, (
                "REST shows the offsets as they were, but a record of the change may be on the offsets topic, which was not looked at, and would "
                "count once the workers are restarted. Before you restart them run this again with kafka_bootstrap_servers, or look at the topic with "
                "connector_offsets_info."))
        topic, records = self._topic, self._records_since()
        if not records:
            return self._as_they_were(error, isinstance(error, errors.UNSURE), ", on the offsets topic %s as well" % topic.topics[0])
        declared = {canonical(action.partition): action.after for action in self._plan.changes}
        if not all(topic.is_of(key, value, declared) for (_topic, _partition, key), value in records.items()):
            return self._with_way_back(error, "Somebody else has written to %s meanwhile, and that was left alone." % topic.topics[0])
        topic.write([(*place, self._values_before.get(place)) for place in records])
        if self._records_since():
            return self._with_way_back(error, "%s on %s could not be rolled back." % (plural(len(records), "record"), topic.topics[0]))
        self.done = True
        return error.also("REST did not show it, but %s of the change had been written to the offsets topic %s, and a worker would have read %s "
                          "after a restart. That was undone: the offsets are as they were." % (
                              plural(len(records), "record"), topic.topics[0], "it" if len(records) == 1 else "them"))

    def _values_now(self):
        """What is on the offsets topic right before a change by REST; None where that is not looked at, or was not there to be seen."""
        if self._topic is None or not self._store.has_server_guard or self._before.kind == SINK:
            return None
        try:
            return self._read_topic()
        except (errors.BrokerError, errors.NotOffsetsTopic):
            return None

    def _records_since(self) -> dict:
        """(topic, topic partition, key) -> value of the records that differ from before the change; None: a tombstone."""
        return {place: value for place, value in self._read_topic().items() if value != self._values_before.get(place)}

    def _read_topic(self) -> dict:
        self._topic.logs.renew()
        self._topic.read()
        return self._topic.values()

    def _with_way_back(self, error, sentence):
        left = self._left_to_do()  # first, as it may write a backup
        return error.also("%s %s" % (sentence, left), backup_file=self._item.backup, offsets_before=pairs(self._before.sorted(), self._item.max_entries))

    def _left_to_do(self) -> str:
        """The way back by hand. Without a backup so far, this is the last moment to write one."""
        item = self._item
        if not item.backup:
            path = backups.default_path(item.name)
            try:
                backups.write(path, [self._before], item.access.cluster(), self._store.method)
            except errors.ConnectError as error:
                item.access.warn(error.message)
                return "Restore offsets_before by hand."
            item.backup = path
        return "The offsets before are in %s: restore them with src and purge: true." % item.backup
