# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the records of an offsets topic say. Pure: messages come in, decoded copies go out.

A worker keeps offsets by the bytes of their keys, last record wins (org.apache.kafka.connect.storage.
KafkaOffsetBackingStore). A *copy* is one key on one topic partition as its last record leaves it. All copies whose keys
mean the same partition of the same connector are *held* together. Usually that is one; more of them are a fault that
somebody has made by hand or by adding topic partitions, and then it is not certain which one counts.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, deque
from sys import intern

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.jackson import encode
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_hash_order import order
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.murmur2 import partition_for
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import INT64_MAX, INT64_MIN, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

#: how a key is spelled: as a worker does; as one before Kafka 3.0 with schemas switched on does; by hand
CONNECT, ENVELOPE, FOREIGN = "connect", "envelope", "foreign"

#: of a topic without records that is not compacted: its name and policy
EMPTY = ("The topic %s is empty and has cleanup.policy=%s: it is no offsets topic. If the workers' offsets topic was deleted, a broker has made this one in "
         "its place, and the workers have their offsets in memory alone. First save these with connector_offsets_export. Then delete this empty topic, "
         "restart the workers, which create it anew, and import the offsets.")

#: a key as a worker writes it whose partition is one text, and nothing in it needs an escape: the commonest by far, which takes no parsing
_SIMPLE = r"[ !#-\[\]-~]*"
_SIMPLE_KEY, _SIMPLE_TEXT = re.compile(r'\["(%s)",\{"(%s)":"(%s)"\}\]' % ((_SIMPLE,) * 3)), re.compile(_SIMPLE)
#: a value with one whole number, the commonest as well
_SIMPLE_VALUE = re.compile(rb'\{"([ !#-\[\]-~]*)":(0|-?[1-9][0-9]{0,17})\}').fullmatch

#: how many older records are kept for each key
HISTORY = 100
#: how many keys are looked at to see where the workers' partitioner puts them
_SAMPLE = 500


class Copy:
    """One key on one topic partition; value None is a tombstone, offset None a value that is no offset."""

    __slots__ = ("key", "place", "value", "form", "offset", "envelope", "_message")

    def __init__(self, message, form):
        self.key = message.key()
        self.place = message.partition()
        self.value = message.value()
        self.form = form
        self.offset, self.envelope = decode_value(self.value)
        self._message = message

    @property
    def log_offset(self) -> int:
        return self._message.offset()

    @property
    def time(self):
        """Milliseconds since the epoch, or None."""
        return _time(self._message)

    @property
    def live(self) -> bool:
        return self.value is not None


class Held:
    """All copies of one partition of one connector."""

    __slots__ = ("connector", "partition", "copies", "shown", "order")

    def __init__(self, connector: str, partition: dict, copy: Copy):
        self.connector = connector
        self.partition = partition
        self.copies = [copy]
        #: the live copy whose offset counts, as far as that can be told; None where there is none
        self.shown = None if copy.value is None else copy
        #: of several copies: the fields in the order in which the connector writes them; None where its other partitions do not show it
        self.order = None

    @property
    def live(self) -> list:
        return [copy for copy in self.copies if copy.live]

    @property
    def is_common(self) -> bool:
        """One key on one topic partition, spelled as a worker does: no doubt about it."""
        return len(self.copies) == 1 and self.copies[0].form != FOREIGN

    def others(self, order=None) -> list:
        """What the connector may get instead of the offset shown: other offsets, or None for nothing, as it may read none of the keys.

        order: the fields as the connector writes them, where the user says so.
        """
        if order is None and self.is_common:
            return []
        live = self.live
        others = []
        if len(live) > 1:
            shown = canonical(self.shown.offset)
            others = [copy.offset for copy in live if canonical(copy.offset) != shown]
        if not any(copy.form != FOREIGN for copy in live) or self._hidden() or self._maybe_unread(order or self.order):
            others.append(None)
        return others

    def _hidden(self) -> bool:
        """A tombstone for the same key, on another topic partition, is younger: workers that run have forgotten the offset."""
        return self.shown is not None and any(
            copy.key == self.shown.key and not copy.live and (copy.time or 0) > (self.shown.time or 0) for copy in self.copies)

    def _maybe_unread(self, order) -> bool:
        """No live key has its fields in the connector's order, or that order is not known, and a key with another one was removed."""
        if self.shown is None or self.shown.form != CONNECT or len(self.partition) < 2:
            return False
        live = self.live
        if order is not None:
            return set(order) == set(self.partition) and not any(copy.form != FOREIGN and names_in(copy) == order for copy in live)
        keys = {copy.key for copy in live}
        return any(copy.form == CONNECT and copy.key not in keys for copy in self.copies)

    def anomalies(self) -> list:
        """What is not as a worker alone would have left it, as words; none: REST and the topic agree on this partition."""
        if len(self.partition) < 2 and len(self.copies) == 1 and self.copies[0].form == CONNECT:
            return []
        live, found = self.live, []
        if not live:
            return []
        forms = {copy.form for copy in live}
        if len({copy.key for copy in live}) > 1:
            found.append("encodings")
        if len(live) > len({copy.key for copy in live}):
            found.append("split")
        if forms != {CONNECT}:
            found.append("foreign")
        if CONNECT in forms and len(self.partition) > 1 and any(
                copy.form == CONNECT and not _hash_ordered(copy.key, self.connector, self.partition) for copy in live):
            found.append("order")
        if len(self.copies) > len(live) and {copy.key for copy in live} & {copy.key for copy in self.copies if not copy.live}:
            found.append("stray_tombstone")
        return found


class Unreadable:
    """A live record whose key is no partition of a connector. connector is None unless the key names one."""

    __slots__ = ("key", "place", "log_offset", "time", "connector", "reason")

    def __init__(self, message, connector, reason):
        self.key = message.key()
        self.place = message.partition()
        self.log_offset = message.offset()
        self.time = _time(message)
        self.connector = connector
        self.reason = reason


class OffsetLog:
    """The records of one offsets topic, folded: the last one of each key on each topic partition."""

    def __init__(self, topic, history_of=None, many=False):
        """topic: _kafka.admin.Topic. history_of: keep older records, too: a connector's name, or "" for all. many: it is asked for many connectors."""
        self.topic = topic
        self.records = 0
        self.last = [{} for _number in range(topic.partitions)]
        #: partition -> offset to go on at
        self.positions = {}
        #: partitions with records behind an open transaction
        self.behind = set()
        self._history_of = history_of
        self._many = many
        self._history = {}
        self._decoded = None
        #: the last Decoded that was made; the messages that came since, None as long as there is none; by connector, see since()
        self._base, self._since, self._named = None, None, None

    @property
    def forgets(self) -> str:
        """In words, that the topic does not keep what is on it; empty if it does, or where its policy cannot be seen."""
        policy = self.topic.cleanup_policy
        return "" if policy in (None, "compact") else (
            "The topic %s has cleanup.policy=%s: old offsets are deleted, not kept. An offsets topic must have compact alone; Connect itself "
            "refuses to start otherwise." % (self.topic.name, policy))

    def add(self, messages) -> None:
        """In the order in which they were read."""
        self.records += len(messages)
        last = self.last
        for message in messages:
            last[message.partition()][message.key()] = message
        if self._history_of is not None:
            self._remember(messages)
        if self._since is not None:
            self._since.extend(messages)
        self._decoded = self._named = None

    def _remember(self, messages) -> None:
        for message in messages:
            key = message.key()
            if self._history_of == "" or self._history_of == (name_in(key) or decode_key(key)[0]):
                self._history.setdefault((message.partition(), key), deque(maxlen=HISTORY)).append(message)

    def decoded(self, connector=None) -> Decoded:
        """The copies by connector and partition; of one connector if it is named, which is faster."""
        if self._decoded is None or self._decoded.only not in (None, connector):
            self._decoded = self._base = Decoded(self, None if self._many else connector)
            self._since = []
        return self._decoded

    def since(self, decoded):
        """{connector: messages} that came after these were decoded; None where that is not known any more."""
        if self._base is not decoded:
            return None
        if self._named is None:
            self._named = {}
            for message in self._since:
                key = message.key()
                self._named.setdefault(name_in(key) or decode_key(key)[0], []).append(message)
        return self._named

    def history(self, held) -> list:
        """Older and present records of one partition that are still in the log, newest first, as copies."""
        found = []
        for number, key in {(copy.place, copy.key): None for copy in held.copies}:
            form = next(copy.form for copy in held.copies if copy.key == key)
            found += [Copy(message, form) for message in self._history.get((number, key), ())]
        return sorted(found, key=lambda copy: (copy.time or 0, copy.log_offset), reverse=True)

    def is_of_offsets(self) -> bool:
        """Is there any record whose key is shaped like that of an offset, or none at all?"""
        keys = (key for last in self.last for key in last)
        return not self.records or any(name_in(key) is not None for key in keys) or self.decoded().shaped  # first what takes no decoding

    def among(self, connectors) -> set:
        """Those of these connectors of which there is a record, live or a tombstone."""
        return {name_in(key) or decode_key(key)[0] for last in self.last for key in last} & connectors

    def misplaced(self) -> tuple:
        """(how many of so many live keys looked at) do not lie where the Java producer would put them."""
        keys = [(number, key) for number, last in enumerate(self.last) for key, message in last.items()
                if key is not None and message.value() is not None]
        sample = keys[::max(1, len(keys) // _SAMPLE)]
        return sum(partition_for(key, self.topic.partitions) != number for number, key in sample), len(sample)


class Decoded:
    """The copies on one topic by connector, and what cannot be read."""

    def __init__(self, log: OffsetLog, only=None):
        self.only = only
        self.partitions = log.topic.partitions
        #: connector -> canonical partition -> Held
        self.connectors = {}
        self.unreadable = []
        #: whether any record at all is shaped like an offset
        self.shaped = False
        for connector in self._read(log, only):
            self._choose(self.connectors[connector])

    def live_keys(self, connector: str) -> set:
        """The canonical partitions of a connector that have a live record."""
        return {key for key, held in self.of(connector).items() if held.live}

    def of(self, connector: str) -> dict:
        """canonical partition -> Held"""
        return self.connectors.get(connector, {})

    def _read(self, log, only) -> set:
        """The connectors of which a partition has several copies."""
        connectors, several = self.connectors, set()
        for last in log.last:
            for key, message in last.items():
                if only is not None:
                    name = name_in(key)
                    if name is not None and name != only:
                        self.shaped = True
                        continue
                connector, partition, form, text = decode_key(key)
                if form is None:
                    if message.value() is not None:
                        self.unreadable.append(Unreadable(message, connector, text))
                    continue
                self.shaped = True
                if only is not None and connector != only:
                    continue
                partitions = connectors.get(connector)
                if partitions is None:
                    partitions = connectors[connector] = {}
                held, copy = partitions.get(text), Copy(message, form)
                if held is None:
                    partitions[text] = Held(connector, partition, copy)
                else:
                    held.copies.append(copy)
                    several.add(connector)
        return several

    def _choose(self, partitions: dict) -> None:
        """Which live copy counts. Certain for one copy; else what speaks for it: spelled as a worker does, in the order of
        the connector's other partitions, on the topic partition where workers write, younger."""
        habits = None
        for held in partitions.values():
            if len(held.copies) == 1:
                continue
            live = held.live
            if len(live) > 1 or live and len(held.partition) > 1:
                habits = habits or KeyStyle(partitions)
                held.order = habits.order(held.partition)
                live.sort(key=lambda copy: (copy.form == CONNECT, habits.fits(copy, held),
                                            partition_for(copy.key, self.partitions) == copy.place, copy.time or 0, copy.log_offset))
            held.shown = live[-1] if live else None
            if held.shown is not None:
                held.partition = decode_key(held.shown.key)[1]  # its fields in the order that counts


class KeyStyle:
    """How a connector writes its keys, as its partitions with a single form show."""

    def __init__(self, partitions: dict):
        self._orders = {}
        self._forms = Counter()
        for held in partitions.values():
            live = held.live or held.copies
            if len({copy.key for copy in live}) == 1 and live[0].form != FOREIGN:
                names = tuple(names_in(live[0]))
                if len(held.copies) > len(live) and any(copy.form != FOREIGN and tuple(names_in(copy)) != names for copy in held.copies):
                    continue  # a key in another order was removed: which of the two was right is not known
                self._orders.setdefault(frozenset(names), Counter())[names] += 1
                self._forms[live[0].form] += 1

    def fits(self, copy, held) -> bool:
        known = self._orders.get(frozenset(held.partition))
        return bool(known) and tuple(names_in(copy)) == known.most_common(1)[0][0]

    def order(self, partition: dict):
        """The names of a new partition in the order of others that have the same names; None if there are none."""
        known = self._orders.get(frozenset(partition))
        return list(known.most_common(1)[0][0]) if known else None

    @property
    def envelope(self) -> bool:
        return self._forms[ENVELOPE] > self._forms[CONNECT]


# ---- keys and values -----------------------------------------------------------------------------------------------


def name_in(key):
    """The connector's name in a key, if that can be told without parsing it; None otherwise."""
    if key is None or key[:2] != b'["':
        return None
    end = key.find(b'"', 2)
    name = key[2:end]
    if end < 0 or key[end + 1:end + 2] != b"," or b"\\" in name:
        return None
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return None


def decode_key(raw) -> tuple:
    """(connector, partition, form, canonical partition), or (connector or None, None, None, why it cannot be read)."""
    if raw is None:
        return None, None, None, "a record without a key"
    try:
        text = raw.decode("utf-8")
        simple = _SIMPLE_KEY.fullmatch(text)
        if simple is not None:
            connector, name, item = simple.groups()
            connector, name = intern(connector), intern(name)  # a hundred thousand keys can have the same ones
            return connector, {name: item}, CONNECT, '{"%s": "%s"}' % (name, item)
        value = json_value(text)
    except ValueError:
        return None, None, None, "the key is not JSON"
    envelope = isinstance(value, dict) and set(value) == {"schema", "payload"}
    inner = value["payload"] if envelope else value
    if not isinstance(inner, list) or len(inner) != 2 or not isinstance(inner[0], str):
        return None, None, None, "the key is no [connector, partition]"
    connector, partition = inner
    try:
        connector.encode("utf-8")
    except UnicodeEncodeError:
        return None, None, None, "the connector's name has no UTF-8 form"
    if not isinstance(partition, dict):
        return connector, None, None, "the partition is no map"
    if any(isinstance(item, (dict, list)) for item in partition.values()):
        return connector, None, None, "the partition holds a map or a list"
    try:
        form = (ENVELOPE if envelope else CONNECT) if encode(value) == raw else FOREIGN
        if form == FOREIGN:
            json.loads(text, object_pairs_hook=_unique)
    except (DeclarationError, ValueError) as error:
        return connector, None, None, str(error)
    return connector, partition, form, canonical(partition)


def decode_value(raw) -> tuple:
    """(offset, whether it came in a schema envelope); offset is None for a tombstone and for what is no offset."""
    if raw is None:
        return None, False
    simple = _SIMPLE_VALUE(raw)
    if simple is not None:
        return {intern(simple[1].decode("ascii")): int(simple[2])}, False
    try:
        value = json_value(raw.decode("utf-8"))
    except ValueError:
        return None, False
    envelope = isinstance(value, dict) and set(value) == {"schema", "payload"} and isinstance(value["payload"], dict)
    if envelope:
        value = value["payload"]
    if value.__class__ is not dict:
        return None, envelope
    for name, item in value.items():
        # The commonest first: a hundred thousand offsets go through here.
        if item.__class__ is int and INT64_MIN <= item <= INT64_MAX and name.isascii():
            continue
        if not _is_storable(name) or not _is_storable(item):
            return None, envelope
    return value, envelope


def _is_storable(value) -> bool:
    """Can Connect have written it: a scalar of 64 bits, finite, with a UTF-8 form?"""
    if isinstance(value, str):
        return value.isascii() or _has_utf8(value)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, int) and INT64_MIN <= value <= INT64_MAX


def _has_utf8(text) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def new_key(connector: str, partition: dict, names=None, envelope: bool = False) -> bytes:
    """The key that a worker would write: fields in the order of ``names``, or in Java's HashMap's."""
    if len(partition) == 1 and not envelope:
        ((name, item),) = partition.items()
        text = '["%s",{"%s":"%s"}]' % (connector, name, item)
        if item.__class__ is name.__class__ is str and _SIMPLE_KEY.fullmatch(text):
            return text.encode("ascii")
    names = names or order(partition)
    key = [connector, {name: partition[name] for name in names}]
    return encode({"schema": None, "payload": key} if envelope else key)


def new_value(offset: dict, envelope: bool = False) -> bytes:
    """The value that a worker would write, its fields in Java's HashMap's order."""
    if len(offset) == 1 and not envelope:
        ((name, item),) = offset.items()
        if item.__class__ is int and INT64_MIN <= item <= INT64_MAX and name.__class__ is str and _SIMPLE_TEXT.fullmatch(name):
            return ('{"%s":%d}' % (name, item)).encode("ascii")
    value = {name: offset[name] for name in order(offset)}
    return encode({"schema": None, "payload": value} if envelope else value)


def _hash_ordered(key, connector, partition) -> bool:
    try:
        return new_key(connector, partition) == key
    except DeclarationError:
        return False


def names_in(copy) -> list:
    """The partition's fields in the order in which they stand in the key."""
    value = json.loads(copy.key.decode("utf-8"))
    return list((value["payload"] if isinstance(value, dict) else value)[1])


def _unique(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field stands twice in the key")
    return found


def _time(message):
    kind, time = message.timestamp()
    return time if kind else None
