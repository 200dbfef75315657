# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The offsets-topic method: a source connector's offsets as the records that the workers themselves read.

Keys that were read are written back byte for byte to the topic partition that they came from, all records of a change in
one transaction. Nothing here knows whether a task is running: the caller does.
"""

from __future__ import annotations

import base64
import binascii

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import (
    decode_key,
    decode_value,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.record_size import MOST_OVERHEAD, record_bytes
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import shown_in_message
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SOURCE, Entry, Snapshot, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.base import Store
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs, numbers
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic_records import RecordsToWrite

_BASE64 = "base64:"


class TopicStore(Store):
    """Beyond what every store can: what the topic holds that REST does not show, and the records that make a change."""

    method = "topic"
    has_server_guard = False
    ordered = True
    joint = True

    def __init__(self, logs: OffsetLogs, name: str, topics: list, raw_keys=(), key_order=None):
        """topics: the one that the connector reads, then others that have to hold the same.

        raw_keys: keys (see raw_text) that may be removed though they cannot be read.
        key_order: names of a new partition's fields in the order in which the connector writes them.
        """
        super().__init__(name)
        self.logs = logs
        self.topics = topics
        self._raw_keys = raw_keys
        self._key_order = key_order
        self._decoded = {}
        self._snapshot = None
        #: (plan, what its records were made from, records) of the last call
        self._made = (None, None, None)
        self._odd = None

    def read(self) -> Snapshot:
        """Committed records up to now. An entry's offset is the one that a worker would load after a restart.

        The very same Snapshot as before, where nothing has come since.
        """
        decoded = {topic: self.logs.read(topic).decoded(self.name) for topic in self.topics}
        if self._snapshot is not None and decoded == self._decoded:
            return self._snapshot
        self._decoded, self._odd = decoded, None
        entries, unreadable, uneven = {}, [], {}
        for key, held in self.held().items():
            if held.shown is not None and held.shown.offset is not None:
                entries[key] = Entry(held.partition, held.shown.offset)
                others = None if held.is_common and self._key_order is None else held.others(self._key_order)
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
        snapshot.undecoded = {canonical(text): Entry(text, None) for text in self._undecoded()}
        self._snapshot = snapshot
        return snapshot

    def held(self) -> dict:
        """canonical partition -> Held, on the topic that counts."""
        return self._decoded[self.topics[0]].of(self.name)

    def _undecoded(self) -> set:
        """Raw keys, as text, that name this connector, and no partition that can be read, of live records on any topic."""
        return {raw_text(one.key) for topic in self.topics for one in self._decoded[topic].unreadable if one.connector == self.name}

    def values(self) -> dict:
        """(topic, topic partition, key) -> value, None for a tombstone, of every record of the connector, as they were read last."""
        found = {}
        for topic in self.topics:
            decoded = self._decoded[topic]
            found.update({(topic, copy.place, copy.key): copy.value for held in decoded.of(self.name).values() for copy in held.copies})
        return found

    def unreadable_records(self) -> list:
        """Live records on the topic that counts whose key names this connector, but no partition that could be read."""
        return [one for one in self._decoded[self.topics[0]].unreadable if one.connector == self.name]

    def forgets(self) -> list:
        """Sentences about topics that do not keep what is on them."""
        return [text for text in (self.logs.read(topic).forgets for topic in self.topics) if text]

    def lost(self, shown) -> list:
        """Those of the canonical partitions, which a worker shows, that have no live record on any topic. To be asked after read()."""
        missing = self._missing(shown)
        if missing:
            self.logs.renew()  # it may have come since the topic was read
            self.read()
            missing = self._missing(missing)
        return missing

    def _missing(self, shown) -> list:
        live = set().union(*(self._decoded[topic].live_keys(self.name) for topic in self.topics))
        return sorted(set(shown) - live)

    def beyond_rest(self, plan) -> list:
        """Sentences about the records that a change by REST would leave as they are; none: it reaches all of them."""
        if self.anomalies():
            return self.told()
        if plan.resets_all and self._undecoded():
            return [self._left_undecoded()]
        writing = [RecordsToWrite(self.name, self._decoded[topic]) for topic in self.topics]
        missed = [action.key for action in plan.changes if isinstance(action.partition, dict)
                  and not all(one.reached_by_rest(action.partition, action.key, action.verb != SET) for one in writing)]
        return [] if not missed else [
            "%s: %d partition%s or had records under another key, or on another topic partition, than a worker would write now: %s%s." % (
                self.name, len(missed), " has" if len(missed) == 1 else "s have", ", ".join(missed[:3]), ", ..." if len(missed) > 3 else "")]

    def anomalies(self) -> dict:
        """canonical partition -> words (see Held), of the partitions that have any, sorted."""
        if self._odd is None:
            self._odd = dict(sorted((key, words) for key, words in ((key, held.anomalies()) for key, held in self.held().items()) if words))
        return self._odd

    def undecoded(self, plan) -> list:
        """What becomes of such records."""
        if not plan.live.undecoded or not (plan.resets_all or plan.desired.purge):
            return []
        return [self._left_undecoded() + (" What is removed by its bytes is in no backup." if plan.resets_all else
                                          " It is left: state: absent without offsets removes it, or raw_keys.")]

    def _left_undecoded(self) -> str:
        """A sentence about the live records of the connector that no declaration can name."""
        keys = sorted(self._undecoded())
        return "%d live record%s of %s %s under a key that cannot be read as a partition, first %s." % (
            len(keys), "" if len(keys) == 1 else "s", self.name, "is" if len(keys) == 1 else "are", keys[0])

    def warnings_about(self, snapshot) -> list:
        # Another order is nothing to worry about on this method.
        found = self.logs.warnings(self.topics) + self.told(word for word in _ODDITIES if word != "order")
        found += ["raw_keys: no live record has the key %s." % text for text in self._raw_keys if canonical(text) not in snapshot.unreadable]
        for entry in list(snapshot.entries.values())[:1000]:
            nanos = entry.offset.get("timestamp_nanos")
            millis = entry.offset.get("timestamp")
            if isinstance(nanos, int) and isinstance(millis, int) and millis % 1000 != nanos // 1000000:
                found.append("%s: timestamp and timestamp_nanos disagree in the offset of %s." % (self.name, canonical(entry.partition)))
                break
        return found

    def told(self, words=None) -> list:
        """The anomalies of these kinds (all without ``words``), a sentence each."""
        found = []
        for word in words or _ODDITIES:
            keys = [key for key, kinds in self.anomalies().items() if word in kinds]
            if keys:
                found.append("%s: %d partition%s %s: %s%s." % (
                    self.name, len(keys), "" if len(keys) == 1 else "s", _ODDITIES[word], ", ".join(keys[:3]),
                    ", ..." if len(keys) > 3 else ""))
        return found

    # ---- changing ----------------------------------------------------------------------------------------------

    def check(self, plan) -> None:
        if self._key_order and not any(set(self._key_order) == set(action.partition) for action in plan.actions):
            raise errors.DeclarationError("key_order (%s) are not the fields of any partition of %s."
                                          % (", ".join(self._key_order), self.name))
        self._check_sizes(self.records(plan))
        self.logs.source.check_writable()

    def _check_sizes(self, records) -> None:
        """The brokers would refuse one that is too large, and then all of the transaction, with the connector stopped. Raises DeclarationError."""
        limits = {topic: self.logs.source.most_bytes(topic) for topic in {record[0] for record in records}}
        for topic, _place, key, value in records:
            most = limits[topic]
            if most is None or len(key) + len(value or b"") + MOST_OVERHEAD <= most:
                continue
            size = record_bytes(key, value)
            if size > most:
                raise errors.DeclarationError(
                    "The offset of %s under the key %s would be a record of %d bytes, but the topic %s takes %d (max.message.bytes). "
                    "If it is meant, raise that, and producer.max.request.size of the workers, which write the offset again." % (
                        self.name, shown_in_message(raw_text(key)), size, topic, most))

    def missing_acls(self, plan) -> list:
        return self.logs.source.missing_acls({record[0] for record in self.records(plan)})

    def is_of(self, key, value, wanted) -> bool:
        """Is this record what a change leaves there? wanted: canonical partition -> offset, None to remove it."""
        canon = decode_key(key)[3]
        return canon in wanted and canonical(decode_value(value)[0]) == canonical(wanted[canon])

    def apply(self, plan) -> None:
        """All records of the change in one transaction."""
        self.write(self.records(plan))

    def apply_together(self, changes, whose: str) -> None:
        """The stores have their logs in common."""
        self._write([record for store, plan in changes for record in store.records(plan)], whose, all(store.finishes for store, _plan in changes))

    def write(self, records) -> None:
        """[(topic, topic partition, key, value or None)] in one transaction."""
        self._write(records, self.name, self.finishes)

    def _write(self, records, whose, finishes) -> None:
        self.logs.write(records, "streamops.kafka_connect.%s.%s" % (self.topics[0], whose), finishes)

    def has_written(self, plan):
        """By the bytes of the records, which takes no decoding. Only where each partition has, or had, no other key than the one that is written."""
        if self._made[0] is not plan or plan.live is not self._snapshot or len(self.topics) > 1 or plan.records is not None:
            return False
        (topic,), live, written = self.topics, plan.live, {(place, key): value for _topic, place, key, value in self._made[2]}
        if live.uneven or live.unreadable or live.undecoded or len(written) != len(plan.changes):
            return False
        log, known = self.logs.read(topic), self.held()
        since, keys = log.since(self._decoded[topic]), {key for _place, key in written}
        came = {(message.partition(), message.key()) for message in (since or {}).get(self.name, ())}
        held = [known[action.key] for action in plan.changes if action.key in known] if known else []
        if since is None or not came <= written.keys() or not all(len(one.copies) == 1 and one.copies[0].key in keys for one in held):
            return False
        last = log.last
        found = ((place, last[place[0]].get(place[1]), value) for place, value in written.items())
        differ = [place for place, message, value in found if (None if message is None else message.value()) != value]
        return not differ or (False if came.intersection(differ) else None)

    def before_records(self, plan) -> list:
        return [[topic, place, raw_text(key), self._live(topic, place, key)] for topic, place, key, value in self.records(plan)]

    def _live(self, topic, place, key):
        value = self.logs.value(topic, place, key)
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
        behind = [(topic, self.logs.read(topic).behind) for topic in self.topics]
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
            writing = RecordsToWrite(self.name, self._decoded[topic], self._key_order, plan.desired is not None and plan.desired.ordered,
                                     plan.live.profile)
            for action in plan.changes:
                if isinstance(action.partition, str):
                    records += [(topic, number, key, None) for name, number, key in self._raw_places(action.partition) if name == topic]
                elif action.verb == SET:
                    records += [(topic,) + place for place in writing.set(action.partition, action.key, action.after)]
                else:
                    records += [(topic,) + place for place in writing.remove(action.key)]
        return records

    def _raw_places(self, text) -> list:
        """[(topic, topic partition, key)] of the live records with this raw key, readable or not."""
        key = raw_bytes(text)
        connector, partition, form, canon = decode_key(key)
        if connector not in (None, self.name):
            raise errors.DeclarationError("raw_keys: %s belongs to the connector %s, not to %s." % (text, connector, self.name))
        found = []
        for topic in self.topics:
            decoded = self._decoded[topic]
            held = decoded.of(self.name).get(canon) if form else None
            if held and held.shown and held.shown.offset is not None and held.shown.key == key and topic == self.topics[0]:
                raise errors.DeclarationError("raw_keys: %s is the very key whose offset counts for its partition. To remove that, list the "
                                              "partition in offsets." % text)
            live = held.live if held else decoded.unreadable
            found += [(topic, one.place, key) for one in live if one.key == key]
        return found


#: in the order of weight; "and" completes "N partitions ..."
_ODDITIES = {
    "split": "held on several topic partitions (the count was changed, or a tool wrote with another partitioner). Which copy a worker "
             "loads after a restart is not certain; a change is written to all of them",
    "encodings": "held under keys of different bytes, of which the connector reads one; a change is written to all of them",
    "foreign": "held under keys that no worker of today writes (blanks, escapes, a schema envelope)",
    "order": "held under keys in another order of fields than a Java HashMap's; REST cannot change them, this method can",
    "stray_tombstone": "with a tombstone for the same key on another topic partition; until compaction has removed it, a worker that "
                       "restarts may find no offset",
}


def raw_text(key: bytes) -> str:
    """A raw key as text: itself where it is UTF-8, else base64 with a prefix."""
    try:
        text = key.decode("utf-8")
    except UnicodeDecodeError:
        text = _BASE64
    return text if not text.startswith(_BASE64) else _BASE64 + base64.b64encode(key).decode("ascii")


def raw_bytes(text: str) -> bytes:
    """The other way. Raises DeclarationError."""
    if not text.startswith(_BASE64):
        try:
            return text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise errors.DeclarationError("raw_keys: %s holds half of a surrogate pair, which has no UTF-8 form." % ascii(text))
    try:
        return base64.b64decode(text[len(_BASE64):], validate=True)
    except (binascii.Error, ValueError):
        raise errors.DeclarationError("raw_keys: %s is not base64 after its prefix." % text)
