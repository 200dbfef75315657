# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which records change a partition's offset on an offsets topic: under which keys, on which topic partitions."""

from __future__ import annotations

from functools import cached_property

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_hash_order import order
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.murmur2 import partition_for
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import (
    CONNECT,
    ENVELOPE,
    FOREIGN,
    KeyStyle,
    names_in,
    new_key,
    new_value,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical


class RecordsToWrite:
    """Where the records of a change go on one topic: [(topic partition, key, value or None)].

    Every canon is the partition's canonical text, which its caller knows already.
    """

    def __init__(self, name: str, decoded, key_order=None, ordered=False, profile=None):
        """ordered: new partitions have their fields in the connector's order. profile: what the connector stores (see _core.profiles), or None."""
        self._name = name
        self._ordered = ordered
        self._decoded = decoded
        self._held = decoded.of(name)
        self._key_order = key_order
        self._profile = profile

    def remove(self, canon: str) -> list:
        held = self._held.get(canon)
        return [(copy.place, copy.key, None) for copy in held.live] if held else []

    def set(self, partition, canon: str, offset) -> list:
        """Every live copy, and in any case one under a key that the connector reads; each key wherever it ever was.

        A tombstone that stays on another topic partition could count after a restart.
        """
        held = self._held.get(canon)
        names = self._order(partition, canon)
        if held is None:
            return [self._new_record(partition, names, offset)]
        copies = held.copies
        read = _keys_to_read(copies, names)
        keys = read | {copy.key for copy in copies if copy.live}
        found = [(copy.place, copy.key, new_value(offset, copy.envelope if copy.live else copy.form == ENVELOPE))
                 for copy in copies if copy.key in keys]
        if not read:
            found.append(self._new_record(partition, names, offset))
        return found

    def _new_record(self, partition, names, offset) -> tuple:
        key = self._new_key(partition, names)
        return partition_for(key, self._decoded.partitions), key, new_value(offset, self._envelope)

    def reached_by_rest(self, partition, canon: str, removes: bool) -> bool:
        """Would a worker that is told to change it write where each of its records is, or was? To remove it, what is gone does not count."""
        names = None if removes or len(partition) < 2 else self._style.order(partition)
        try:
            key = new_key(self._name, partition)
            if names is not None and names != order(partition):
                return False
        except errors.DeclarationError:  # the order of a HashMap that is not modelled
            return False
        held = self._held.get(canon)
        place = (partition_for(key, self._decoded.partitions), key)
        return held is None or all(
            (copy.place, copy.key) == place for copy in held.copies if copy.live or not removes and copy.form != FOREIGN)

    def _order(self, partition, canon):
        """The order in which the connector writes the fields, None where nothing tells."""
        if len(partition) < 2:
            return None
        if self._key_order and set(self._key_order) == set(partition):
            return self._key_order
        if self._ordered and canon not in self._held:
            return list(partition)
        return self._style.order(partition) or self._profile and self._profile.order(partition)

    @cached_property
    def _style(self):
        return KeyStyle(self._held)

    @cached_property
    def _envelope(self) -> bool:
        return self._style.envelope

    def _new_key(self, partition, names) -> bytes:
        if any(isinstance(value, float) for value in partition.values()):
            raise errors.MethodError(
                "The partition %s of %s is new and holds a float. Its text depends on the worker's Java version, so its key cannot be "
                "built here for certain." % (canonical(partition), self._name))
        return new_key(self._name, partition, names, self._envelope)


def _fits(copy, names) -> bool:
    """Can the connector find this key: spelled as a worker does, and in its order, where that is known?"""
    return copy.form != FOREIGN and (names is None or names_in(copy) == names)


def _keys_to_read(copies, names) -> set:
    """The keys under which the connector looks for it, as far as the records tell; a worker of today reads none in an envelope."""
    fitting = [copy for copy in copies if _fits(copy, names)]
    if not fitting:
        return set()
    form = max(fitting, key=lambda copy: (copy.live, copy.form == CONNECT)).form
    return {copy.key for copy in fitting if copy.form == form}
