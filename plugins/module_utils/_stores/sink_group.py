# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the brokers know of a sink: its consumer group, who is in it, and the log that it reads.

From that come the numbers behind a symbolic position (_core.reset_spec), and the truth about numbers that were declared. A place is
(topic, number of the partition). What its configuration says is in _core.sink_config.
"""

from __future__ import annotations

import contextlib
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors, reset_spec
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import EARLIEST, LATEST, OFFSET, PARTITION, TOPIC, Entry, canonical, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_config import PREFIX, SinkConfig
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import told
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import beside_the_log

_PAUSE = 0.5
_SHOWN = 3


def place_of(partition: dict) -> tuple:
    return partition[TOPIC], partition[PARTITION]


def entry_of(place, offset) -> Entry:
    return Entry({TOPIC: place[0], PARTITION: place[1]}, None if offset is None else {OFFSET: offset})


def second_store(name: str, config: dict):
    """Where else the sink keeps offsets, as a warning; None where that is not known of its class."""
    profile = BUILT_IN.find(config)
    found = profile.stores(config, name) if profile is not None else []
    return found and "%s also keeps its place elsewhere: %s. A change of its consumer group alone may have no effect; see the guide on sinks." % (
        name, "; ".join(found)) or None


class Sink:
    """One sink, as the brokers see it."""

    def __init__(self, kafka, settings: SinkConfig, workers_cluster=None):
        """workers_cluster: id of the Kafka cluster that the workers use, None where they are not asked."""
        self.kafka = kafka
        self.name = settings.name
        self.settings = settings
        self.config = settings.config
        self.group = settings.group
        self._workers_cluster = workers_cluster

    @property
    def is_elsewhere(self) -> bool:
        """Does it read from other brokers than those that are asked here? Raises BrokerError."""
        return not self._is_here(self.settings.consumer_brokers)

    @property
    def is_seen_by_rest(self) -> bool:
        """Do its consumer and Connect's admin client certainly go to one Kafka cluster, though their settings differ? Raises BrokerError."""
        return self._is_here(self.settings.consumer_brokers) and self._is_here(self.settings.admin_brokers)

    def _is_here(self, brokers) -> bool:
        """brokers: those of an override; none: those of the workers."""
        return self.kafka.has(brokers) if brokers else self._workers_cluster in (None, self.kafka.cluster_id)

    def why_elsewhere(self) -> str:
        where = self.settings.consumer_brokers
        return "%s reads from %s, and not from the brokers at %s" % (
            self.name, "%s (consumer.override.bootstrap.servers)" % ", ".join(sorted(where)) if where else
            "the Kafka cluster %s of its workers" % self._workers_cluster, self.kafka.brokers)

    # ---- the group -----------------------------------------------------------------------------------------------

    def live(self) -> dict:
        """{place: the offset that is committed}"""
        return self.kafka.groups.group_offsets(self.group)

    def members(self) -> list:
        return self.kafka.groups.group(self.group).members

    def told(self, members) -> str:
        """Who they are, in words."""
        shown = ["%s at %s%s%s" % (one.client_id, one.host, " (%s)" % told(one.places) if one.places else "",
                                   ", static member %s" % one.instance_id if one.instance_id else "") for one in members[:_SHOWN]]
        return "; ".join(shown) + ("; and %d more" % (len(members) - _SHOWN) if len(members) > _SHOWN else "")

    def await_free(self, seconds: float, sleep=time.sleep, clock=time.monotonic) -> None:
        """Until the group has no members: Kafka takes no offsets before. Raises StateError, which names them."""
        end = clock() + seconds
        while True:
            members = self.members()
            if not members:
                return
            if clock() > end:
                raise self.in_use(members, "%g s after nothing of %s should run any more, its" % (seconds, self.name))
            sleep(_PAUSE)

    def foreign_members(self, members) -> list:
        """Members that are no tasks of it. [] where its tasks cannot be told by their client ids, which can be configured."""
        own = [one for one in members if self._is_own(one)]
        return [one for one in members if not self._is_own(one)] if own else []

    def _is_own(self, member) -> bool:
        return member.client_id.startswith("connector-consumer-%s-" % self.name)

    def in_use(self, members, since="The") -> errors.StateError:
        own = any(self._is_own(one) for one in members)
        hint = ("Tasks of a connector of this name run, maybe on another Connect cluster" if own else
                "They are no tasks of %s by their client ids: stop these consumers, or give them a group of their own" % self.name)
        if any(one.instance_id for one in members):
            hint += (". A static member (group.instance.id) that has ended stays in the group until its session time-out is over (session.timeout.ms, %s): "
                     "wait that long" % self.settings.session_timeout)
        return errors.StateError(
            "%s consumer group %s has %d member%s, and Kafka takes no offsets for it from anybody else: %s. %s." % (
                since, self.group, len(members), "" if len(members) == 1 else "s", self.told(members), hint),
            consumer_group=self.group, members=[one._asdict() for one in members])

    # ---- words -> numbers ----------------------------------------------------------------------------------------

    def resolve(self, desired, snapshot) -> tuple:
        """(the resolved declaration, warnings). desired: one with a reset. snapshot: what is committed now. Raises DeclarationError."""
        reset = desired.reset
        live = {place_of(entry.partition): entry.offset[OFFSET] for entry in snapshot.entries.values()}
        warnings = []
        places = self._with_commits(reset, self._places(reset, live, warnings), live, warnings)
        needs = reset_spec.needs(reset)
        begins = self.kafka.offsets.of(places, EARLIEST, self.settings.reads_committed) if needs[0] else {}
        time = reset.time()
        at_time = self.kafka.offsets.of(places, time, self.settings.reads_committed) if needs[2] else {}
        ends = self.kafka.offsets.of(places, LATEST, self.settings.reads_committed) if needs[1] else {}
        if needs[2]:
            warnings += ["%s: %s" % (self.name, text) for text in beside_the_log(time, begins, ends, at_time)]
        found = reset_spec.new_offsets(reset, places, begins, ends, at_time, live)
        clamped = [place for place in sorted(found) if found[place].clamped]
        if clamped:
            warnings.append("%s: the log does not hold that many records for %s of %s, which go%s to its beginning or end: %s." % (
                reset, counted(clamped), self.name, "es" if len(clamped) == 1 else "", told(clamped)))
        entries = {place: entry_of(place, one.offset) for place, one in found.items()}
        keyed = {canonical(entry.partition): entry for entry in entries.values()}
        notes = {canonical(entries[place].partition): one.note for place, one in found.items()}
        return desired.in_numbers(keyed, notes), warnings

    def _places(self, reset, live, warnings) -> set:
        """Those that are meant, all of which exist. Raises DeclarationError."""
        if reset.topics is not None:
            self._check_it_reads(reset.topics)
            counts = self._counts(reset.topics)
            for topic, numbers in sorted(reset.topics.items()):
                self._check_exists(topic, max(numbers or [0]), counts)
            return {(topic, number) for topic, numbers in reset.topics.items()
                    for number in (range(counts[topic]) if numbers is None else numbers)}
        names = self.topics()
        if names is None:
            names = {topic for topic, number in live}
        counts = self._counts(names)
        missing = sorted(name for name in names if counts[name] is None)
        found = {(name, number) for name in names for number in range(counts[name] or 0)}
        if not found:
            raise errors.DeclarationError("No topic of %s is known%s: say with the option topics which ones are meant." % (
                self.name, ", there is no %s" % ", ".join(missing) if missing else ""))
        if missing:
            warnings.append("%s reads %s, but there is no such topic (or the user may not see it): left out." % (
                self.name, ", ".join(missing)))
        return found

    def _with_commits(self, reset, places, live, warnings) -> set:
        """A shift begins at what is committed. Raises DeclarationError for listed partitions without a commit, or if there is none at all."""
        if reset.word != reset_spec.SHIFT_BY:
            return places
        without = sorted(place for place in places if place not in live)
        listed = [place for place in without if (reset.topics or {}).get(place[0]) is not None]
        if listed or len(without) == len(places):
            raise errors.DeclarationError("%s of %s has no offset yet that could be shifted (%s): use a timestamp, earliest or latest, or declare "
                                          "a number." % (counted(listed or without), self.name, told(listed or without)))
        if without:
            warnings.append("%s: %s of %s without an offset stay%s as %s: %s." % (
                reset, counted(without), self.name, "s" if len(without) == 1 else "", "it is" if len(without) == 1 else "they are", told(without)))
        return places - set(without)

    def topics(self):
        """The names of the topics that it reads by its configuration; None where that does not tell."""
        if self.settings.listed:
            return self.settings.listed
        pattern = self.settings.pattern()
        return None if pattern is None else {topic.name for topic in self.kafka.admin.topics() if pattern.fullmatch(topic.name)}

    def _check_it_reads(self, topics) -> None:
        wrong = self.settings.unread(topics)
        if wrong:
            raise errors.DeclarationError(self.settings.why_unread(wrong))

    # ---- the truth about numbers ---------------------------------------------------------------------------------

    def check(self, plan, lenient: bool) -> list:
        """Would the plan set what the log holds? Returns warnings. lenient: an offset outside of the log is one of them.

        Raises DeclarationError, which names topic, partition and what the log holds.
        """
        wanted = {place_of(action.partition): action.after[OFFSET] for action in plan.changes if action.verb == SET}
        if not wanted:
            return []
        counts = self._counts(topic for topic, number in wanted)
        for place in sorted(wanted):
            self._check_exists(place[0], place[1], counts)
        begins, ends = self.kafka.offsets.of(wanted, EARLIEST), self.kafka.offsets.of(wanted, LATEST)
        beyond = [place + (wanted[place], begins[place][0], ends[place][0]) for place in sorted(wanted)
                  if not begins[place][0] <= wanted[place] <= ends[place][0]]
        if not beyond:
            return []
        shown = ["%s-%d to %d, but it holds %d to %d" % one for one in beyond[:_SHOWN]] + ["..."] * (len(beyond) > _SHOWN)
        words = "%s of %s would be outside of the log: %s. The sink would go to %s." % (
            counted(beyond), self.name, "; ".join(shown), self.settings.beginning())
        if lenient:
            return [words]
        raise errors.DeclarationError("%s The last number is the next record to come. Use reset_to with earliest or latest, or force: true if "
                                      "that is meant." % words)

    def check_sees_all(self) -> None:
        """Kafka leaves out of a group's offsets those for topics that the user may not see. Raises BrokerDenied if the sink reads such a topic."""
        for name in sorted(name for name, count in self._counts(self.settings.listed).items() if count is None):
            self._check_may_see(name)

    # ---- how far it is -------------------------------------------------------------------------------------------

    def positions(self, live: dict, members) -> list:
        """Every partition that it reads or has an offset for, in order, with what the log holds, and how many records are left to read."""
        try:
            names = self.topics()
        except errors.DeclarationError:
            names = None
        counts = self._counts({topic for topic, number in live} | (names or set()))
        places = {(name, number) for name in names or () for number in range(counts[name] or 0)}
        places |= {place for place in live if (counts[place[0]] or 0) > place[1]}
        begins, ends = (self.kafka.offsets.of(places, where, self.settings.reads_committed) for where in (EARLIEST, LATEST))
        readers = {place: one.client_id for one in members for place in one.places}
        return [_position(place, live.get(place), begins.get(place), ends.get(place), readers.get(place)) for place in sorted(places | set(live))]

    def unseen(self, positions) -> list:
        """Topics that its configuration names, and of which positions() know nothing."""
        return sorted(self.settings.listed - {one["topic"] for one in positions if one["end"] is not None})

    def forgotten_after(self) -> str:
        """When the brokers forget the offsets of a group without members, in words."""
        minutes = self.kafka.admin.broker_setting("offsets.retention.minutes")
        if minutes is None or not minutes.isdigit():
            return "offsets.retention.minutes, 7 days by default"
        days = round(int(minutes) / 1440.0, 2)
        return "offsets.retention.minutes is %s%s" % (minutes, ", that is %g days" % days if days >= 1 else "")

    # ---- private -------------------------------------------------------------------------------------------------

    def _counts(self, topics) -> dict:
        return self.kafka.admin.partition_counts(topics)

    def _check_exists(self, topic, number, counts) -> None:
        if counts[topic] is None:
            self._check_may_see(topic)
            raise errors.DeclarationError("There is no topic %s on the Kafka cluster at %s (or the user may not see it), so %s can have no offset "
                                          "there." % (topic, self.kafka.brokers, self.name))
        if number >= counts[topic]:
            raise errors.DeclarationError("There is no partition %d of the topic %s, which has %d (0 to %d)." % (
                number, topic, counts[topic], counts[topic] - 1))

    def _check_may_see(self, topic) -> None:
        """Raises BrokerDenied, which names the permission."""
        with contextlib.suppress(errors.NoTopic):
            self.kafka.admin.topic(topic)


def _position(place, committed, begin, end, member) -> dict:
    begin, end = begin and begin[0], end and end[0]
    if end is None or committed is None and begin < end:
        lag = None  # where a consumer without an offset begins is its own affair
    else:
        lag = max(0, end - max(committed or 0, begin))
    return {"topic": place[0], "partition": place[1], "committed": committed, "begin": begin, "end": end, "lag": lag, "member": member}


def check_rest_sees(settings: SinkConfig, sink) -> None:
    """Raises WrongGroup where Connect's admin client may go to the group of that name on other brokers than the sink's. sink: None without brokers."""
    apart = settings.apart()
    if apart and not (sink is not None and sink.is_seen_by_rest):
        raise errors.WrongGroup("%s, or give as bootstrap_servers those from which it reads." % apart)


def orphaned_groups(kafka, known: dict) -> list:
    """Groups with offsets and without members that are called as if they were of sinks, but of none of those known: {name: its configuration}.

    A guess: a group does not tell what Connect cluster, or whether one at all, it belongs to.
    """
    taken = {PREFIX + name for name in known} | {SinkConfig(name, config).group for name, config in known.items()}
    groups = {name: kafka.groups.group_offsets(name) for name in kafka.groups.idle_groups() if name.startswith(PREFIX) and name not in taken}
    counts = kafka.admin.partition_counts({topic for live in groups.values() for topic, number in live})
    places = {place for live in groups.values() for place in live if (counts[place[0]] or 0) > place[1]}
    begins, ends = kafka.offsets.of(places, EARLIEST), kafka.offsets.of(places, LATEST)
    return [{"group": name, "connector": name[len(PREFIX):], "offsets_count": len(live),
             "lag": sum(_position(place, live[place], begins.get(place), ends.get(place), None)["lag"] or 0 for place in live)}
            for name, live in sorted(groups.items()) if live]


def sink_left(sink: Sink, topic: str):
    """That the group of a sink is what is left of a connector that is gone, and not records on the offsets topic; None if there is none, or none to see."""
    try:
        live = sink.live()
    except errors.BrokerError:  # to see groups is a permission of its own
        return None
    if not live:
        return None
    return ("There is no connector %s and no offset of it on %s, but the consumer group %s has offsets of %s: it was a sink. Use method: group (or auto) for "
            "these." % (sink.name, topic, sink.group, counted(live)))


def outside(positions) -> list:
    """Those whose offset the log does not hold (any more)."""
    return [one for one in positions if one["committed"] is not None and one["end"] is not None
            and not one["begin"] <= one["committed"] <= one["end"]]
