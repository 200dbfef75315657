# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""How far sinks are, as the brokers see their consumer groups. Reads, and never changes anything."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import STOPPED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import EARLIEST, LATEST, OFFSET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import cut
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_config import PREFIX, SinkConfig
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import place_of


class SinkProgress:
    """Of one sink after the other."""

    def __init__(self, warn):
        """warn: takes a text."""
        self._warn = warn
        #: sinks that are STOPPED, with and without offsets, and how long the brokers keep them
        self._stopped, self._without, self._kept = [], [], None

    def of(self, semantics, snapshot, connector, max_entries) -> dict:
        """The group, and how far it is behind; without brokers the group's name alone. semantics: SinkGroup. connector: the Connector, or None."""
        sink = semantics.sink
        unknown = {"group": {"name": semantics.settings.group, "state": None, "members": None}}
        if sink is None:
            return unknown
        live = {place_of(entry.partition): entry.offset[OFFSET] for entry in snapshot.entries.values()}
        try:
            if sink.is_elsewhere:
                self._warn("%s: its group is not looked at." % sink.why_elsewhere())
                return unknown
            group = sink.kafka.groups.group(sink.group)
            positions = _positions(sink, live, group.members)
        except errors.BrokerError as error:
            self._warn("The positions of %s on the brokers could not be read. %s" % (sink.name, error.message))
            return unknown
        if group.state is None and live:
            self._warn("There is no consumer group %s on the brokers, though %s has offsets. If the workers set consumer.group.id, give it as "
                       "consumer_group." % (sink.group, sink.name))
        without = self._warn_of(sink, positions, live)
        if connector is not None and connector.state == STOPPED:
            (self._stopped if live else self._without).append(sink.name)
            self._kept = self._kept or _forgotten_after(sink.kafka)
        members = [{"client_id": one.client_id, "host": one.host, "partitions": len(one.places)} for one in group.members]
        return {"group": {"name": sink.group, "state": group.state, "members": members},
                "positions": cut(positions, max_entries), "positions_count": len(positions),
                "lag": None if without and not live else sum(one["lag"] or 0 for one in positions)}

    def _warn_of(self, sink, positions, live) -> list:
        """Those with records and without an offset."""
        beyond = [one for one in positions if one["committed"] is not None and one["end"] is not None
                  and not one["begin"] <= one["committed"] <= one["end"]]
        if beyond:
            self._warn("%s of %s %s at an offset that the log does not hold, first %s-%d at %d, which holds %d to %d: it goes on where its "
                       "consumer's auto.offset.reset says." % (
                           plural(len(beyond), "partition"), sink.name, "is" if len(beyond) == 1 else "are", beyond[0]["topic"],
                           beyond[0]["partition"], beyond[0]["committed"], beyond[0]["begin"], beyond[0]["end"]))
        unseen = sorted(sink.settings.listed - {one["topic"] for one in positions if one["end"] is not None})
        if unseen:
            self._warn("%s reads %s, but there is no such topic, or the user lacks the permission Describe on it: what there is to read is not "
                       "part of the lag." % (sink.name, ", ".join(unseen)))
        without = [one for one in positions if one["committed"] is None and one["lag"] is None]
        if without and live:
            self._warn("%s of %s with records have no offset, first %s-%d: what there is to read is not part of the lag." % (
                plural(len(without), "partition"), sink.name, without[0]["topic"], without[0]["partition"]))
        return without

    def warn_stopped(self) -> None:
        """Of all of them together."""
        if self._stopped:
            self._warn("The brokers delete the offsets of a group without members after a time (%s). Longer than that these sinks must not be STOPPED, "
                       "or they begin anew where auto.offset.reset says: %s." % (self._kept, ", ".join(sorted(self._stopped))))
        if self._without:
            self._warn("These sinks are STOPPED, and the brokers have no offsets of them: there never were any, or they were deleted, as those "
                       "of a group without members are after a time (%s). They begin where auto.offset.reset says: %s." % (
                           self._kept, ", ".join(sorted(self._without))))


def orphaned_groups(kafka, known: dict) -> list:
    """Groups with offsets and without members that are called as if they were of sinks, but of none of those known: {name: its configuration}.

    A guess: a group does not tell what Connect cluster, or whether one at all, it belongs to.
    """
    taken = {PREFIX + name for name in known} | {SinkConfig(name, config).group for name, config in known.items()}
    groups = {name: kafka.groups.group_offsets(name) for name in kafka.groups.names(idle=True) if name.startswith(PREFIX) and name not in taken}
    counts = kafka.admin.partition_counts({topic for live in groups.values() for topic, number in live})
    places = {place for live in groups.values() for place in live if (counts[place[0]] or 0) > place[1]}
    begins, ends = kafka.offsets.of(places, EARLIEST), kafka.offsets.of(places, LATEST)
    return [{"group": name, "connector": name[len(PREFIX):], "offsets_count": len(live),
             "lag": sum(_position(place, live[place], begins.get(place), ends.get(place), None)["lag"] or 0 for place in live)}
            for name, live in sorted(groups.items()) if live]


def _positions(sink, live: dict, members) -> list:
    """Every partition that it reads or has an offset for, in order, with what the log holds, and how many records are left to read."""
    try:
        names = sink.topics()
    except errors.DeclarationError:
        names = None
    counts = sink.counts({topic for topic, number in live} | (names or set()))
    places = {(name, number) for name in names or () for number in range(counts[name] or 0)}
    places |= {place for place in live if (counts[place[0]] or 0) > place[1]}
    begins, ends = (sink.kafka.offsets.of(places, where, sink.settings.reads_committed) for where in (EARLIEST, LATEST))
    readers = {place: one.client_id for one in members for place in one.places}
    return [_position(place, live.get(place), begins.get(place), ends.get(place), readers.get(place)) for place in sorted(places | set(live))]


def _position(place, committed, begin, end, member) -> dict:
    begin, end = begin and begin[0], end and end[0]
    if end is None or committed is None and begin < end:
        lag = None  # where a consumer without an offset begins is its own affair
    else:
        lag = max(0, end - max(committed or 0, begin))
    return {"topic": place[0], "partition": place[1], "committed": committed, "begin": begin, "end": end, "lag": lag, "member": member}


def _forgotten_after(kafka) -> str:
    """When the brokers forget the offsets of a group without members, in words."""
    minutes = kafka.admin.broker_setting("offsets.retention.minutes")
    if minutes is None or not minutes.isdigit():
        return "offsets.retention.minutes, 7 days by default"
    days = round(int(minutes) / 1440.0, 2)
    return "offsets.retention.minutes is %s%s" % (minutes, ", that is %g days" % days if days >= 1 else "")
