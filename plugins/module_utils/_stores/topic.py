# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The offsets-topic road: a source connector's offsets as the records that the workers themselves read.

Keys that were read are written back byte for byte to the topic partition that they came from, all records of a change in
one transaction. Nothing here knows whether a task is running: the caller does.
"""

from __future__ import annotations

import base64
import binascii
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import SOURCE, Entry, Snapshot, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._murmur2 import partition_for
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offset_log import (
    CONNECT,
    ENVELOPE,
    FOREIGN,
    Habits,
    OffsetLog,
    decode_key,
    names_in,
    new_key,
    new_value,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._rights import TOPIC, WRITE

_BASE64 = "base64:"
_PAUSE = 0.2


class TopicReader:
    """Reads offsets topics: the whole of each once, then only what has come since."""

    def __init__(self, kafka, history_of=None, once=False, many=False):
        """history_of: keep older records of this connector ("" for all). once: never look for what has come since, but for renew().

        many: the same, for the stores of many connectors, whose records are decoded together.
        """
        self.kafka = kafka
        #: the topic that was proven to be the workers' own, None so far
        self.proven = None
        #: what some connectors have by REST (see _offset_topic), None so far
        self.known = None
        self._once = once or many
        self._many = many
        #: names of topics that need no further look
        self._done = set()
        self._warnings = {}
        self._history_of = history_of
        self._logs = {}

    def read(self, name: str) -> OffsetLog:
        """Raises NoTopic, NotOffsetsTopic, BrokerError."""
        log = self._logs.get(name)
        if name in self._done:
            return log
        if log is None:
            log = OffsetLog(self.kafka.topic(name), self._history_of, self._many)
            if log.topic.cleanup_policy not in (None, "compact"):
                self._warn(name, "The topic %s has cleanup.policy=%s: old offsets are deleted, not kept. An offsets topic must have "
                                 "compact alone; Connect itself refuses to start otherwise." % (name, log.topic.cleanup_policy))
        ends, all_ends = self.kafka.ends(log.topic)
        log.behind = {number for number, end in ends.items() if end < all_ends[number]}
        for messages in self.kafka.read(log.topic, log.positions or self.kafka.starts(log.topic), ends):
            log.add(messages)
        log.positions = ends
        if name not in self._logs:
            self._check(name, log)
            self._logs[name] = log
        if self._once:
            self._done.add(name)
        return log

    def renew(self) -> None:
        """What is read from here on is as of now."""
        self._done.clear()

    def write(self, records, transactional_id: str, sleep=time.sleep, clock=time.monotonic) -> None:
        """[(topic, topic partition, key, value or None)] in one transaction. The caller reads back."""
        places = {(topic, place) for topic, place, key, value in records}
        self.kafka.write(records, transactional_id, ready=lambda: self._await_open_transactions(places, sleep, clock))

    def _await_open_transactions(self, places, sleep, clock) -> None:
        """A change behind a transaction of somebody else could not be read back before that ends. Raises StateError."""
        end = clock() + self.kafka.timeout
        while True:
            self.renew()
            behind = {(topic, number) for topic in {place[0] for place in places} for number in self.read(topic).behind} & places
            if not behind:
                return
            if clock() > end:
                raise errors.StateError(
                    "A transaction of another producer has been open on %s for more than %g s, and a change behind it could not be read "
                    "back. An exactly-once task that hangs, or one that died: kafka-transactions.sh finds and aborts it. Nothing was changed."
                    % (", ".join("%s-%d" % place for place in sorted(behind)), self.kafka.timeout))
            sleep(_PAUSE)

    def value(self, name: str, place: int, key: bytes):
        """The value of a record as it was last read; None if it is a tombstone or not there."""
        last = self._logs[name].last if name in self._logs else ()
        message = last[place].get(key) if place < len(last) else None
        return None if message is None else message.value()

    def _check(self, name, log) -> None:
        """Is it an offsets topic at all?"""
        if not log.records:
            if log.topic.cleanup_policy not in (None, "compact"):
                raise errors.NotOffsetsTopic(
                    "The topic %s is empty and has cleanup.policy=%s: it is no offsets topic. Nothing was changed."
                    % (name, log.topic.cleanup_policy))
            return
        if not log.decoded("").shaped and not log.decoded().shaped:
            raise errors.NotOffsetsTopic(
                "The topic %s is no offsets topic: none of its %d records has a key such as [\"connector\",{...}]. Give the value of "
                "the workers' offset.storage.topic. Nothing was changed." % (name, log.records))
        wrong, looked = log.misplaced()
        if wrong:
            self._warn(name, "%d of %d keys looked at on %s do not lie where Connect's producer puts them among %d partitions: partitions "
                             "were added to the topic, or somebody wrote with another partitioner, or the workers use one of their own. Keys "
                             "that are there are changed where they are; one that is new goes where Connect's producer would put it."
                       % (wrong, looked, name, log.topic.partitions))

    def _warn(self, topic, text) -> None:
        found = self._warnings.setdefault(topic, [])
        if text not in found:
            found.append(text)

    def warnings(self, topics) -> list:
        """What is to be known about these topics."""
        found = [text for topic in topics for text in self._warnings.get(topic, [])]
        return found + ["A transaction is open on %s (partition %s): only what is before it was read." % (topic, numbers(self._logs[topic].behind))
                        for topic in topics if topic in self._logs and self._logs[topic].behind]


class TopicStore:
    """read() -> Snapshot, check(plan), apply(plan) -> None, concerns(snapshot) -> warnings."""

    road = "topic"
    gated = False
    #: are the fields of the partitions that it shows in the order in which the connector writes them?
    ordered = True

    def __init__(self, reader: TopicReader, name: str, topics: list, raw_keys=(), key_order=None, sleep=time.sleep, clock=time.monotonic):
        """topics: the one that the connector reads, then others that have to hold the same.

        raw_keys: keys (see raw_text) that may be removed though they cannot be read.
        key_order: names of a new partition's fields in the order in which the connector writes them.
        """
        self.reader = reader
        self.name = name
        self.topics = topics
        self._raw_keys = raw_keys
        self._key_order = key_order
        self._sleep = sleep
        self._clock = clock
        self._decoded = {}
        self._snapshot = None
        #: (plan, what its records were made from, records) of the last call
        self._made = (None, None, None)
        self._odd = None

    def read(self) -> Snapshot:
        """Committed records up to now. An entry's offset is the one that a worker would load after a restart.

        The very same Snapshot as before, where nothing has come since.
        """
        decoded = {topic: self.reader.read(topic).decoded(self.name) for topic in self.topics}
        if self._snapshot is not None and decoded == self._decoded:
            return self._snapshot
        self._decoded, self._odd = decoded, None
        entries, unreadable, uneven = {}, [], {}
        for key, held in self.held().items():
            if held.shown is not None and held.shown.offset is not None:
                entries[key] = Entry(held.partition, held.shown.offset)
                others = held.others()
                if others:
                    uneven[key] = others
            elif held.live:
                unreadable.append(Entry(held.partition, None))
        for topic in self.topics[1:]:
            for key, held in self._decoded[topic].of(self.name).items():
                if key in entries:
                    differ = [copy.offset for copy in held.live if canonical(copy.offset) != canonical(entries[key].offset)]
                    if differ:
                        uneven[key] = uneven.get(key, []) + differ
                elif held.live:
                    # Hidden by the connector's own topic, but listed by the worker.
                    unreadable.append(Entry(held.partition, None))
        unreadable += [Entry(text, None) for text in self._raw_keys if self._raw_places(text)]
        snapshot = Snapshot(self.name, SOURCE, unreadable=unreadable, uneven=uneven)
        snapshot.entries = entries
        snapshot.holds = self._holds
        self._snapshot = snapshot
        return snapshot

    def held(self) -> dict:
        """canonical partition -> Held, on the topic that counts."""
        return self._decoded[self.topics[0]].of(self.name)

    def unreadable_records(self) -> list:
        """Live records on the topic that counts whose key names this connector, but no partition that could be read."""
        return [one for one in self._decoded[self.topics[0]].unreadable if one.connector == self.name]

    def agrees_with_rest(self) -> bool:
        """Would a change by REST reach every record that is live? Only if all keys are as the worker builds them."""
        return not self.oddities()

    def oddities(self) -> dict:
        """canonical partition -> words (see Held), of the partitions that have any, sorted."""
        if self._odd is None:
            self._odd = {key: words for key, words in sorted((key, held.oddities()) for key, held in self.held().items()) if words}
        return self._odd

    def concerns(self, snapshot) -> list:
        """What the operator should know about these offsets."""
        # Another order is nothing to worry about on this road.
        found = self.reader.warnings(self.topics) + self.told(word for word in _ODDITIES if word != "order")
        found += ["raw_keys: no live record has the key %s." % text for text in self._raw_keys if canonical(text) not in snapshot.unreadable]
        for entry in list(snapshot.entries.values())[:1000]:
            nanos = entry.offset.get("timestamp_nanos")
            millis = entry.offset.get("timestamp")
            if isinstance(nanos, int) and isinstance(millis, int) and millis % 1000 != nanos // 1000000:
                found.append("%s: timestamp and timestamp_nanos disagree in the offset of %s." % (self.name, canonical(entry.partition)))
                break
        return found

    def told(self, words=None) -> list:
        """The oddities of these kinds (all without ``words``), a sentence each."""
        found = []
        for word in words or _ODDITIES:
            keys = [key for key, kinds in self.oddities().items() if word in kinds]
            if keys:
                found.append("%s: %d partition%s %s: %s%s." % (
                    self.name, len(keys), "" if len(keys) == 1 else "s", _ODDITIES[word], ", ".join(keys[:3]),
                    ", ..." if len(keys) > 3 else ""))
        return found

    # ---- changing ----------------------------------------------------------------------------------------------

    def check(self, plan) -> None:
        """Can every record be written? Raises RoadError, WishError; before any write."""
        if self._key_order and not any(set(self._key_order) == set(action.partition) for action in plan.actions):
            raise errors.WishError("key_order (%s) are not the fields of any partition of %s; nothing was changed."
                                   % (", ".join(self._key_order), self.name))
        self.records(plan)

    def lacking(self, plan) -> list:
        """The rights that the user certainly lacks to make the change (see _rights). Those to open a transaction nobody tells."""
        return self.reader.kafka.lacking([(WRITE, TOPIC, topic) for topic in sorted({record[0] for record in self.records(plan)})])

    def apply(self, plan) -> None:
        """All records of the change in one transaction. The caller reads back."""
        self.reader.write(self.records(plan), "streamops.kafka_connect.%s.%s" % (self.topics[0], self.name), self._sleep, self._clock)

    def recreates(self, plan) -> bool:
        """No (see GroupStore)."""
        return False

    def images(self, plan) -> list:
        """[topic, topic partition, key, value or None] of every record that the plan replaces, as text: what is live there now."""
        return [[topic, place, raw_text(key), self._live(topic, place, key)] for topic, place, key, value in self.records(plan)]

    def _live(self, topic, place, key):
        value = self.reader.value(topic, place, key)
        return None if value is None else raw_text(value)

    def _holds(self, records) -> bool:
        return all(self._live(topic, place, raw_bytes(key)) == value for topic, place, key, value in records) and not self._since(records)

    def _since(self, records) -> list:
        """(topic, topic partition, key) of live records with one of these keys elsewhere, as after topic partitions were added."""
        known = {(topic, place, raw_bytes(key)) for topic, place, key, value in records}
        keys = {(topic, key) for topic, place, key in known}
        return [(topic, copy.place, copy.key) for topic in self.topics for held in self._decoded[topic].of(self.name).values()
                for copy in held.live if (topic, copy.key) in keys and (topic, copy.place, copy.key) not in known]

    def hidden(self) -> str:
        """In words, where an open transaction hides what is behind it; empty where none does."""
        behind = [(topic, self.reader.read(topic).behind) for topic in self.topics]
        return " and ".join("%s (partition %s)" % (topic, numbers(found)) for topic, found in behind if found)

    def records(self, plan) -> list:
        """[(topic, topic partition, key, value or None)] that make the change"""
        made_of = list(self._decoded.values())
        if self._made[0] is not plan or self._made[1] != made_of:
            self._made = (plan, made_of, self._make_records(plan))
        return self._made[2]

    def _make_records(self, plan) -> list:
        if plan.records is not None:
            before = [(topic, place, raw_bytes(key), None if value is None else raw_bytes(value)) for topic, place, key, value in plan.records]
            return before + [(topic, place, key, None) for topic, place, key in self._since(plan.records)]
        records = []
        for topic in self.topics:
            writing = _Writing(self.name, self._decoded[topic], self._key_order, plan.wish is not None and plan.wish.ordered)
            for action in plan.changes:
                if isinstance(action.partition, str):
                    records += [(topic, number, key, None) for name, number, key in self._raw_places(action.partition) if name == topic]
                elif action.verb == SET:
                    records += [(topic,) + place for place in writing.set(action.partition, action.after)]
                else:
                    records += [(topic,) + place for place in writing.remove(action.partition)]
        return records

    def _raw_places(self, text) -> list:
        """[(topic, topic partition, key)] of the live records with this raw key, readable or not."""
        key = raw_bytes(text)
        connector, partition, form, canon = decode_key(key)
        if connector not in (None, self.name):
            raise errors.WishError("raw_keys: %s belongs to the connector %s, not to %s; nothing was changed." % (text, connector, self.name))
        found = []
        for topic in self.topics:
            decoded = self._decoded[topic]
            held = decoded.of(self.name).get(canon) if form else None
            if held and held.shown and held.shown.offset is not None and held.shown.key == key and topic == self.topics[0]:
                raise errors.WishError("raw_keys: %s is the very key whose offset counts for its partition. To remove that, list the "
                                       "partition in offsets; nothing was changed." % text)
            live = held.live if held else decoded.unreadable
            found += [(topic, one.place, key) for one in live if one.key == key]
        return found


class _Writing:
    """Where the records of a change go on one topic: [(topic partition, key, value or None)]."""

    def __init__(self, name: str, decoded, key_order=None, ordered=False):
        """ordered: new partitions have their fields in the connector's order."""
        self.name = name
        self._ordered = ordered
        self.decoded = decoded
        self._held = decoded.of(name)
        self._key_order = key_order
        self._habits = None

    def remove(self, partition) -> list:
        held = self._held.get(canonical(partition))
        return [(copy.place, copy.key, None) for copy in held.live] if held else []

    def set(self, partition, offset) -> list:
        """Every live copy, and in any case one under a key that the connector reads."""
        held = self._held.get(canonical(partition))
        copies = held.live if held else []
        found = [(copy.place, copy.key, new_value(offset, copy.envelope)) for copy in copies]
        names = self._order(partition)
        if not any(_fits(copy, names) for copy in copies):
            place, key, envelope = self._place(partition, held, names)
            found.append((place, key, new_value(offset, envelope)))
        return found

    def _order(self, partition):
        """The order in which the connector writes the fields, None where nothing tells."""
        if len(partition) < 2:
            return None
        if self._key_order and set(self._key_order) == set(partition):
            return self._key_order
        if self._ordered and canonical(partition) not in self._held:
            return list(partition)
        return self.habits.order(partition)

    @property
    def habits(self):
        if self._habits is None:
            self._habits = Habits(self._held)
        return self._habits

    def _place(self, partition, held, names) -> tuple:
        """(topic partition, key, envelope): where it was before it was removed, else where Connect's producer would put it."""
        before = [copy for copy in held.copies if not copy.live and _fits(copy, names)] if held else []
        if not before:
            key = self._new_key(partition, names)
            return partition_for(key, self.decoded.partitions), key, self.habits.envelope
        copy = max(before, key=lambda copy: (
            copy.form == CONNECT, partition_for(copy.key, self.decoded.partitions) == copy.place, copy.time or 0))
        return copy.place, copy.key, copy.form == ENVELOPE

    def _new_key(self, partition, names) -> bytes:
        if any(isinstance(value, float) for value in partition.values()):
            raise errors.RoadError(
                "The partition %s of %s is new and holds a float. Its text depends on the worker's Java version, so its key cannot be "
                "built here for certain. Nothing was changed." % (canonical(partition), self.name))
        return new_key(self.name, partition, names, self.habits.envelope)


def _fits(copy, names) -> bool:
    """Can the connector find this key: spelled as a worker does, and in its order, where that is known?"""
    return copy.form != FOREIGN and (names is None or names_in(copy) == names)


#: in the order of weight; "and" completes "N partitions ..."
_ODDITIES = {
    "split": "held on several topic partitions (the count was changed, or a tool wrote with another partitioner). Which copy a worker "
             "loads after a restart is not certain; a change is written to all of them",
    "encodings": "held under keys of different bytes, of which the connector reads one; a change is written to all of them",
    "foreign": "held under keys that no worker of today writes (blanks, escapes, a schema envelope)",
    "order": "held under keys in another order of fields than a Java HashMap's; REST cannot change them, this road can",
    "stray_tombstone": "with a tombstone for the same key on another topic partition; until compaction has removed it, a worker that "
                       "restarts may find no offset",
}


def numbers(found) -> str:
    return ", ".join(map(str, sorted(found)))


def raw_text(key: bytes) -> str:
    """A raw key as text: itself where it is UTF-8, else base64 with a prefix."""
    try:
        text = key.decode("utf-8")
    except UnicodeDecodeError:
        text = _BASE64
    return text if not text.startswith(_BASE64) else _BASE64 + base64.b64encode(key).decode("ascii")


def raw_bytes(text: str) -> bytes:
    """The other way. Raises WishError."""
    if not text.startswith(_BASE64):
        return text.encode("utf-8", "surrogateescape")
    try:
        return base64.b64decode(text[len(_BASE64):], validate=True)
    except (binascii.Error, ValueError):
        raise errors.WishError("raw_keys: %s is not base64 after its prefix." % text)


def sink_shaped(wish) -> bool:
    """Would the wish write a sink's offsets, which are no records here?"""
    return any(set(entry.partition) == {"kafka_topic", "kafka_partition"} for entry in wish.entries or [] if isinstance(entry.partition, dict))
