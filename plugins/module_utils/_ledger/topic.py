# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The ledger on a compacted topic: one record for each change, under the key ["connector","change id"].

A write is a compare-and-set. All who write changes of one connector have the same transactional id, so whoever begins to write shuts
out all before him, and only then looks at what is there. As long as he is not shut out himself, that cannot have changed.
"""

from __future__ import annotations

import json
import random
import re
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.murmur2 import partition_for
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import TOPIC, WRITE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.base import DEFAULT, Ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import Unreadable, age, check_known, decode, encode, same

_COMPACT = {"cleanup.policy": "compact"}
#: compacted every day, as each change is written several times; room for changes of a hundred thousand partitions
_SETTINGS = dict(_COMPACT, **{"segment.ms": "86400000", "min.cleanable.dirty.ratio": "0.1", "max.message.bytes": "33554432"})
#: what brokers say that do not let their users choose these
_NOT_SO = ("INVALID_CONFIG", "POLICY_VIOLATION")

#: The client looks at the size of a record before it compresses it. A transaction that a killed run has left open holds up the runs
#: for other connectors, so it ends soon.
_PRODUCER = {"compression.type": "zstd", "message.max.bytes": 100000000, "transaction.timeout.ms": 15000}

#: what brokers say, besides that a writer is shut out, to one who wants to commit at the moment when another one begins (a fault of the
#: brokers up to 4.3: IllegalStateException in TransactionMetadata#prepareTransitionTo); the look before the next attempt tells what became
_AT_ODDS = ("UNKNOWN", "CONCURRENT_TRANSACTIONS", "INVALID_TXN_STATE", "INVALID_PRODUCER_ID_MAPPING")

#: seconds for which what was found for one of many connectors counts for the others
_RECENT = 0.4
_TRIES = 8
_PAUSE = 0.1
#: seconds to wait for the end of an open transaction where nothing is to be written
_GLANCE = 2.0

_OURS = re.compile(rb'\["(?:[^"\\]|\\.)*","(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")?\]').fullmatch
_ELSEWHERE = "This is about the ledger of changes, which can also be kept in a file: ledger: file."
_LEDGER = "The topic %s is the ledger of changes, which can also be kept in a file: ledger: file."


class TopicLedger(Ledger):
    kind = "topic"

    def __init__(self, kafka, topic: str = DEFAULT, group=None, whole=False, sleep=time.sleep, clock=time.monotonic):
        """group: the group.id of the Connect cluster, where several on one Kafka cluster may have connectors of one name.

        whole: it is asked for many connectors, so the topic is read once for all of them.
        """
        super().__init__()
        self.kafka = kafka
        self.name = topic
        self._group = group
        self._whole = whole
        self._sleep = sleep
        self._clock = clock
        self._topic = None
        #: rights that lack to create it; None so far
        self._to_create = None
        self._logs = {}
        self._writers = {}
        #: when it was read for all connectors; when it was not found, and the error; None so far
        self._read_at = self._missed_at = self._missed = None

    @property
    def where(self) -> str:
        return "the topic %s" % self.name

    @property
    def exists(self) -> bool:
        """Is there such a topic? To be asked after changes()."""
        return self._topic is not None

    def close(self, connector: str) -> None:
        self._writers.pop(connector, None)

    # ---- reading -----------------------------------------------------------------------------------------------

    def changes(self, connector=None) -> list:
        try:
            log = self._log(connector)
        except errors.NoTopic:
            return []
        if not (self._whole and self._is_recent(self._read_at)):
            try:
                self._read_to_the_end(log, _GLANCE)
            except errors.BrokerDenied as error:
                raise error.also(_ELSEWHERE)
            self._read_at = self._clock()
        if log.behind:
            self._warn("A transaction is open on %s (%s): changes that were written after it began are not seen yet." % (
                self.where, log.behind))
        found = log.changes(self._group, self._warn, connector)
        if log.rubbish:
            self._warn("%s holds %d record%s that this collection has not written; left out." % (
                self.where, len(log.rubbish), "" if len(log.rubbish) == 1 else "s"))
        others = sorted(log.groups(connector) - {self._group or ""})
        if others and (not self._group or "" in others):  # changes of other groups beside one's own are as they should be
            self._warn("%s also holds changes of %s under %s. These are ignored: to use them, set kafka_connect_group." % (
                self.where, "connectors" if connector is None else connector,
                ", ".join("the Connect group %s" % group if group else "no Connect group" for group in others)))
        return found

    def missing_acls(self, check_mode: bool) -> list:
        """A topic that is not there is created before anything else, so only a dry run has to ask whether it could be."""
        if self._topic is not None:
            found = self.kafka.permissions.missing_acls([(WRITE, TOPIC, self.name)])
        elif check_mode:
            if self._to_create is None:
                self._to_create = self.kafka.admin.missing_to_create(self.name, 1, _COMPACT)
            found = self._to_create
        else:
            found = []
        return [one._replace(about=_LEDGER % self.name) for one in found]

    def _log(self, connector):
        """What the topic holds of a connector, read or not. Raises NoTopic."""
        if self._topic is None:
            if self._whole and self._is_recent(self._missed_at):
                raise self._missed.copy()
            try:
                topic = self.kafka.admin.topic(self.name)
            except errors.NoTopic as error:
                self._missed, self._missed_at = error, self._clock()
                raise
            except errors.BrokerDenied as error:
                raise error.also(_ELSEWHERE)
            self._check(topic)
            self._topic = topic
        wanted = None if self._whole else connector
        if wanted not in self._logs:
            self._logs[wanted] = _Log(self.kafka, self._topic, wanted, self.where)
        return self._logs[wanted]

    def _is_recent(self, moment) -> bool:
        """Of many connectors the next one need not ask again: what has changed meanwhile shows when a change is written."""
        return moment is not None and self._clock() - moment < _RECENT

    def _check(self, topic) -> None:
        """A change that the brokers delete would be made once more."""
        if topic.cleanup_policy is None:
            self._warn("Whether the topic %s has cleanup.policy=compact, so that no change is forgotten, cannot be seen: that needs the "
                       "permission DescribeConfigs on Topic %s." % (self.name, self.name))
        elif topic.cleanup_policy != "compact":
            raise errors.MethodError(
                "The topic %s has cleanup.policy=%s. A ledger must have compact alone, else the brokers delete changes in time, and they "
                "would be made once more. If this is the topic of the ledger: kafka-configs.sh --bootstrap-server %s "
                "--alter --topic %s --add-config cleanup.policy=compact. If it is not, give another name as ledger_topic."
                % (self.name, topic.cleanup_policy, self.kafka.brokers, self.name), ledger_topic=self.name)

    def _read_to_the_end(self, log, seconds) -> None:
        """Also what is behind a transaction that ends in time; log.behind tells whether all did."""
        end = self._clock() + min(seconds, self.kafka.timeout)
        while log.read() and self._clock() < end:
            self._sleep(_PAUSE)

    def _warn(self, text) -> None:
        super()._warn(text[0].upper() + text[1:])

    # ---- writing -----------------------------------------------------------------------------------------------

    def put(self, change, known, expired=()) -> None:
        try:
            log = self._log(change.connector)
        except errors.NoTopic:
            self._create()
            self._missed_at = None
            log = self._log(change.connector)
        key = key_of(change.connector, change.change_id, self._group)
        unsure = None
        for attempt in range(_TRIES):
            try:
                if attempt:
                    # Two who shut out each other at once would never come to an end.
                    self._sleep(_PAUSE * attempt * random.uniform(0.2, 1.8))
                    log.read()
                    self._compare(log, key, change, known)
                return self._write(log, key, change, known, expired)
            except _Written:
                return None
            except errors.WriteOutcomeUnknown as error:
                last = unsure = error
            except errors.BrokerError as error:
                last = error
                if not isinstance(error, errors.Fenced) and error.facts.get("kafka_error") not in _AT_ODDS:
                    raise unsure.also(error.message) if unsure is not None else self._explain(error, change)
        raise unsure or last.also("Tried %d times: other runs write changes of %s at the moment." % (_TRIES, change.connector))

    def _write(self, log, key, change, known, expired) -> None:
        """One attempt. Raises ConcurrentUpdate, Fenced, WriteOutcomeUnknown, _Written, BrokerError."""
        # Without an error it goes on to the next change: shutting out others costs more than writing.
        writer = self._writers.pop(change.connector, None)
        if writer is None:
            writer = self.kafka.writer("streamops.kafka_connect.ledger.%s.%s" % (self.name, change.connector), _PRODUCER)
        else:
            self._compare(log, key, change, known)

        def ready():
            self._read_to_the_end(log, self.kafka.timeout)
            if log.behind:
                self._end_lost_transaction(writer, log, change)
            if log.behind:
                raise errors.StateError(
                    "A transaction of another producer has been open on %s (%s) for more than %g s, so what is behind it cannot be known. If brokers "
                    "stopped during a change, run that change again: this ends the transaction. Otherwise find and abort it with kafka-transactions.sh."
                    % (self.where, log.behind, self.kafka.timeout))
            self._compare(log, key, change, known)

        value = encode(change).encode("utf-8", "surrogatepass")
        place = partition_for(key, self._topic.partitions)
        forgotten = [one for old in expired for one in log.places(key_of(old.connector, old.change_id, self._group))]
        writer.write([(self.name, place, key, value)] + [(self.name, number, old, None) for number, old in forgotten], ready)
        log.hold(key, place, change)
        log.forget(forgotten)
        self._writers[change.connector] = writer

    def _end_lost_transaction(self, writer, log, change) -> None:
        """A transaction of this connector may have been committed without an end on the topic: where the brokers stopped in between and the partition
        has no leader when they are back, they take it for deleted, and nobody ends it any more. The next one of the same transactional id does.

        Up to 4.3.1, see kafka.coordinator.transaction.TransactionMarkerChannelManager#addTxnMarkersToBrokerQueue. It means nothing for
        transactions of others. The key is no change's.
        """
        key = key_of(change.connector, "", self._group)
        writer.write([(self.name, number, key, None) for number in log.places_behind])
        self._read_to_the_end(log, _GLANCE)

    def _compare(self, log, key, change, known) -> None:
        """Raises ConcurrentUpdate, or _Written if it was this change that was written."""
        actual = log.change(key)
        if same(actual, change):
            raise _Written()
        check_known(actual, change, known, "on " + self.where)

    def _create(self) -> None:
        hint = "kafka-topics.sh --bootstrap-server %s --create --topic %s --partitions 1 --config cleanup.policy=compact creates it." % (
            self.kafka.brokers, self.name)
        try:
            self.kafka.admin.create_topic(self.name, 1, _SETTINGS)
        except errors.BrokerError as error:
            if error.facts.get("kafka_error") not in _NOT_SO:
                raise error.also(hint)
            try:
                self.kafka.admin.create_topic(self.name, 1, _COMPACT)
            except errors.BrokerError as other:
                raise other.also(hint)

    def _explain(self, error, change):
        if error.facts.get("kafka_error") == "MSG_SIZE_TOO_LARGE":
            return errors.BrokerError(
                "The change %s of %s has %d partitions, which is more than a record on %s may hold, though it is compressed. "
                "kafka-configs.sh --bootstrap-server %s --alter --topic %s --add-config max.message.bytes=33554432 makes room."
                % (change.change_id, change.connector, len(change.after or []), self.where, self.kafka.brokers, self.name), **error.facts)
        if isinstance(error, errors.BrokerDenied):
            error.also(_ELSEWHERE)
        return error


class _Written(Exception):
    """An attempt whose end was not seen was successful."""


class _Log:
    """The last record of each key of one connector (None: of all) on the topic, read on from where it was read to."""

    def __init__(self, kafka, topic, connector, where):
        self.rubbish = set()
        self._kafka = kafka
        self._topic = topic
        self._where = where
        self._prefix = b"[" if connector is None else _json([connector])[:-1]
        self._positions = None
        self._behind = set()
        # key -> {topic partition: bytes, or the Change that they were}
        self._held = {}
        # key -> connector, change id, maybe group
        self._names = {}

    @property
    def behind(self) -> str:
        """In words, where an open transaction hides what is behind it."""
        return "partition %s" % ", ".join(map(str, self.places_behind)) if self._behind else ""

    @property
    def places_behind(self) -> list:
        """The same partitions as numbers."""
        return sorted(self._behind)

    def read(self) -> bool:
        """Is there more that cannot be read yet?"""
        ends, all_ends = self._kafka.offsets.ends(self._topic)
        for messages in self._kafka.reader.read(self._topic, self._positions or self._kafka.offsets.starts(self._topic), ends):
            self._add(messages)
        self._positions = ends
        self._behind = {number for number, end in ends.items() if end < all_ends[number]}
        return bool(self._behind)

    def _add(self, messages) -> None:
        prefix, held = self._prefix, self._held
        for message in messages:
            key, place = message.key() or b"", message.partition()
            if not _OURS(key) or key.startswith(prefix) and not self._is_ours(key):
                if message.value() is None:
                    self.rubbish.discard((place, key))
                else:
                    self.rubbish.add((place, key))
            elif key.startswith(prefix):
                copies = held.setdefault(key, {})
                if message.value() is not None:
                    copies[place] = message.value()
                else:
                    copies.pop(place, None)
                if not copies:
                    del held[key]

    def _is_ours(self, key) -> bool:
        if key not in self._names:
            try:
                self._names[key] = json.loads(key)
            except ValueError:
                return False
        return True

    def hold(self, key, place, change) -> None:
        self._names[key] = json.loads(key)
        self._held.setdefault(key, {})[place] = change

    def places(self, key) -> list:
        """(topic partition, key) of each of its records."""
        return [(place, key) for place in sorted(self._held.get(key, ()))]

    def forget(self, places) -> None:
        for _place, key in places:
            self._held.pop(key, None)

    def change(self, key):
        """None where there is none. Raises Unreadable."""
        found = [self._decoded(key, place) for place in sorted(self._held.get(key, ()))]
        # A topic that has got more partitions since may hold older writings elsewhere.
        return max(found, key=lambda one: one.revision) if found else None

    def _decoded(self, key, place):
        value = self._held[key][place]
        if not isinstance(value, bytes):
            return value
        try:
            change = decode(value, "The record %s on %s" % (_text(key), self._where))
            if [change.connector, change.change_id] != self._names[key][:2]:
                raise Unreadable("The record %s on %s holds a change of another connector or id." % (_text(key), self._where))
        except Unreadable as error:
            raise error.also("So whether that change was made is not known. A tombstone under this key removes it.")
        return change  # and the bytes are kept: they are a tenth as large

    def changes(self, group, warn, connector=None) -> list:
        """Of one connector, or of all. Raises Unreadable for what cannot be understood of that one."""
        found = []
        for key in self._held:
            if self._group_of(key) != (group or "") or connector is not None and self._names[key][0] != connector:
                continue
            try:
                found.append(self.change(key))
            except Unreadable as error:
                if connector is not None:
                    raise
                warn(error.message)
        return sorted(found, key=age)

    def groups(self, connector=None) -> set:
        """Those under which there are changes; empty text for none."""
        return {self._group_of(key) for key in self._held if connector is None or self._names[key][0] == connector}

    def _group_of(self, key) -> str:
        return (self._names[key] + [""])[2]


def key_of(connector: str, change_id: str, group=None) -> bytes:
    return _json([connector, change_id] + ([group] if group else []))


def _json(value) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _text(key: bytes) -> str:
    return key.decode("utf-8", "replace")
