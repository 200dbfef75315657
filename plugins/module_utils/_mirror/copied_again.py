# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which records MirrorMaker copies again after a change of its offsets, and whether the target takes and keeps them.

A place is (topic on the source, number of the partition).
"""

from __future__ import annotations

from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import EARLIEST, LATEST, counted, is_int
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import timestamp
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import CLUSTER, OFFSET, PARTITION, TOPIC, is_partition

#: begin: the first record that is copied again; end: the one behind the last
Again = namedtuple("Again", ["begin", "end"])

_ANSWER = (
    "The target keeps the copies that it has, so these records are there twice. If that is meant, set accept_duplicates: true (for the role "
    "mirror_reset: mirror_reset_accept_duplicates). To have no duplicates use that role with mirror_reset_target: emptied or recreated.")
_REFUSED = "Its brokers refuse older records, and the task fails at them. Raise it before the change."
_DELETED = "Kafka deletes older records soon after they are copied. Raise it before the change if they are to stay."
_RETENTION = "retention.ms"
#: a topic's limits of the age of its records, and what becomes of older ones. The second is the name of the first before Kafka 3.6
_LIMITS = {"message.timestamp.before.max.ms": _REFUSED, "message.timestamp.difference.max.ms": _REFUSED, _RETENTION: _DELETED}


def next_of(offset):
    """The next record that is copied after a stored offset; None where there is none that can be read."""
    stored = (offset or {}).get(OFFSET)
    return stored + 1 if is_int(stored) and stored >= 0 else None


def going_back(plan, flow) -> dict:
    """{place: Again} of what the plan has copied again, by its offsets alone. Pure. flow: see _mirror.flow.

    Heartbeats are no data, and what the flow does not replicate is not copied at all.
    """
    found = {}
    for action in plan.changes:
        partition = action.partition
        if not is_partition(partition) or partition[CLUSTER] != flow.source or not is_int(partition[PARTITION]):
            continue
        topic = str(partition[TOPIC])
        end = max(next_of(offset) or 0 for offset in [action.before, *action.copies])
        begin = next_of(action.after) or (end if flow.begins_at_the_end else 0)
        if begin < end and not flow.leaves_out(topic) and not flow.is_heartbeats(topic):
            found[topic, partition[PARTITION]] = Again(begin, end)
    return found


def still_there(places: dict, source) -> dict:
    """The same for what the source's log has of it. source: KafkaClient. Raises BrokerError."""
    topics = source.admin.look_for(topic for topic, number in places)
    there = [place for place in places if topics[place[0]] is not None and place[1] < topics[place[0]].partitions]
    begins, ends = source.offsets.of(there, EARLIEST), source.offsets.of(there, LATEST)
    found = {place: Again(max(places[place].begin, begins[place][0]), min(places[place].end, ends[place][0])) for place in there}
    return {place: one for place, one in found.items() if one.begin < one.end}


class CopiedAgain:
    """Says it, or refuses it, of one connector."""

    def __init__(self, name: str, flow, source, target=None):
        """source(): gives KafkaClient of the source cluster, or raises DeclarationError. target: of the one that is copied to, or None."""
        self._name = name
        self._flow = flow
        self._source = source
        self._target = target

    def check(self, plan, accepted: bool, now: int) -> list:
        """Warnings. accepted: duplicates are meant, or the plan restores an earlier state. now: milliseconds since the epoch.

        Raises DeclarationError where they are not accepted.
        """
        places = going_back(plan, self._flow)
        if not places:
            return []
        unknown = ""
        try:
            source = self._source()
            places = still_there(places, source)
        except (errors.DeclarationError, errors.BrokerError) as error:
            source, unknown = None, " How many of them the source still has is not known: %s" % error.message
        if not places:
            return []
        first = min(places)
        words = "%s of %s go%s back, first %s-%d from %d to %d, altogether by up to %d records, which are copied again.%s" % (
            counted(places), self._name, "es" if len(places) == 1 else "", first[0], first[1], places[first].end, places[first].begin,
            sum(one.end - one.begin for one in places.values()), unknown)
        if not accepted:
            raise errors.DeclarationError("%s %s" % (words, _ANSWER))
        return [words] + (self._too_old(places, source, now) if source is not None and self._target is not None else [])

    def _too_old(self, places, source, now) -> list:
        """Records keep the source's time, and the target's topics can have limits for it."""
        if self._flow.config.get("producer.override.bootstrap.servers"):
            return []  # it copies to another cluster than that of its workers
        copies = {topic: self._flow.copy_of(topic) for topic, number in places}
        try:
            settings = self._target.admin.topic_settings(name for name in copies.values() if name)
            limits = {topic: _limits(settings.get(copy) or {}) for topic, copy in copies.items()}
            firsts = source.reader.first_records({place: one.begin for place, one in places.items() if limits[place[0]]})[0]
        except errors.BrokerError as error:
            return ["Whether the target takes and keeps records of that age could not be looked at. %s" % error.message]
        oldest = {}
        for place, time in firsts.items():
            if time:
                oldest[place[0]] = min(time, oldest.get(place[0], time))
        return [
            "The oldest of these records of %s is from %s, %d ms ago, but %s on the target has %s: %d. %s" % (
                topic, timestamp(time), now - time, copies[topic], setting, limit, _LIMITS[setting])
            for topic, time in sorted(oldest.items()) for setting, limit in limits[topic] if now - time > limit]


def _limits(settings: dict) -> list:
    """[(setting, milliseconds)] of a topic that counts the age of records by their own time."""
    if settings.get("message.timestamp.type") == "LogAppendTime":
        return []
    deletes = "delete" in (settings.get("cleanup.policy") or "")
    found = [(name, int(settings[name])) for name in _LIMITS if settings.get(name) and (name != _RETENTION or deletes)]
    return [(name, limit) for name, limit in found if limit >= 0]
