# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A sink: its offsets are those of the records that its consumer group reads next."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors, reset_spec
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import LATEST, OFFSET, SINK, canonical, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import told
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.base import Semantics
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.elsewhere import second_store
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.log_positions import (
    check_word,
    every_place,
    find_offsets,
    outside,
    without_offset,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import GROUP
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import entry_of, place_of


class SinkGroup(Semantics):
    """What its configuration and the brokers, where they are given, know of its group and of the log."""

    kind = SINK

    def __init__(self, access, found=None):
        """access: Access of the connector. found: the Connector, None where there is none."""
        super().__init__(access.name, access.force)
        self._access = access
        self._found = found
        self.settings = access.sink_config(found)
        self.sink = access.sink(found)

    # ---- symbolic positions ----------------------------------------------------------------------------------------

    def resolve(self, desired, live) -> tuple:
        if desired.reset is None:
            return super().resolve(desired, live)
        check_word(self.name, desired.reset)
        if self.sink.is_elsewhere:
            raise errors.DeclarationError("%s: reset_to would take its numbers from another log." % self.sink.why_elsewhere())
        reset, warnings = desired.reset, []
        committed = {place_of(entry.partition): entry.offset[OFFSET] for entry in live.entries.values()}
        places = self._with_commits(reset, self._places(reset, committed, warnings), committed, warnings)
        found, more = find_offsets(self.name, reset, places, committed, self.sink.kafka.offsets, self.settings.reads_committed)
        entries = {place: entry_of(place, one.offset) for place, one in found.items()}
        keyed = {canonical(entry.partition): entry for entry in entries.values()}
        notes = {canonical(entries[place].partition): one.note for place, one in found.items()}
        return desired.in_numbers(keyed, notes), warnings + more

    def _places(self, reset, committed, warnings) -> set:
        """Those that are meant, all of which exist. Raises DeclarationError."""
        if reset.topics is not None:
            wrong = self.settings.unread(reset.topics)
            if wrong:
                raise errors.DeclarationError(self.settings.why_unread(wrong))
            counts = self.sink.counts(reset.topics)
            for topic, numbers in sorted(reset.topics.items()):
                self._check_exists(topic, max(numbers or [0]), counts)
            return every_place(reset.topics, counts)
        names = self.sink.topics()
        if names is None:
            names = {topic for topic, number in committed}
        counts = self.sink.counts(names)
        missing = sorted(name for name in names if counts[name] is None)
        found = {(name, number) for name in names for number in range(counts[name] or 0)}
        if not found:
            raise errors.DeclarationError("No topic of %s is known%s: say with the option topics which ones are meant." % (
                self.name, ", there is no %s" % ", ".join(missing) if missing else ""))
        if missing:
            warnings.append("%s reads %s, but there is no such topic (or the user may not see it): left out." % (
                self.name, ", ".join(missing)))
        return found

    def _with_commits(self, reset, places, committed, warnings) -> set:
        """A shift begins at what is committed. Raises DeclarationError for listed partitions without a commit, or if there is none at all."""
        if reset.word != reset_spec.SHIFT_BY:
            return places
        without = sorted(place for place in places if place not in committed)
        listed = [place for place in without if (reset.topics or {}).get(place[0]) is not None]
        if listed or len(without) == len(places):
            raise without_offset(self.name, listed or without)
        if without:
            warnings.append("%s: %s of %s without an offset stay%s as %s: %s." % (
                reset, counted(without), self.name, "s" if len(without) == 1 else "", "it is" if len(without) == 1 else "they are", told(without)))
        return places - set(without)

    # ---- a plan ----------------------------------------------------------------------------------------------------

    def check(self, plan, store) -> list:
        """What puts an earlier state back may be outside of the log by now."""
        warnings, lenient = [], self.force or plan.desired.exact
        if not plan.desired.is_resolved:
            warnings = self.settings.check(plan, lenient)
            if plan.changed and self.sink is not None:
                warnings = warnings + self._check_log(plan, store, lenient)
        if plan.changed and self._found is not None:
            lingers = None if self._found.stopped else self.settings.lingers()
            warnings = warnings + [text for text in (second_store(self.name, self.settings.config, self._access.profiles), lingers) if text]
        return warnings

    def _check_log(self, plan, store, lenient) -> list:
        def look():
            if self.sink.is_elsewhere:
                return ["%s: whether the offsets are in the log was not looked at." % self.sink.why_elsewhere()]
            return self.check_offsets(plan, lenient)

        return look() if store.method == GROUP else self._access.if_brokers_answer(look) or []

    def check_offsets(self, plan, lenient: bool) -> list:
        """Would the plan set what the log holds? Returns warnings. lenient: an offset outside of the log is one of them.

        Raises DeclarationError, which names topic, partition and what the log holds.
        """
        wanted = {place_of(action.partition): action.after[OFFSET] for action in plan.changes if action.verb == SET}
        if not wanted:
            return []
        counts = self.sink.counts(topic for topic, number in wanted)
        for place in sorted(wanted):
            self._check_exists(place[0], place[1], counts)
        beyond, shown = outside(wanted, self.sink.kafka.offsets, "%s-%d to %d")
        if not beyond:
            return []
        words = "%s of %s would be outside of the log: %s. The sink would go to %s." % (counted(beyond), self.name, shown, self.settings.beginning())
        if lenient:
            return [words]
        raise errors.DeclarationError("%s The last number is the next record to come. Use reset_to with earliest or latest, or force: true if "
                                      "that is meant." % words)

    def _check_exists(self, topic, number, counts) -> None:
        if counts[topic] is None:
            self.sink.check_may_see(topic)
            raise errors.DeclarationError("There is no topic %s on the Kafka cluster at %s (or the user may not see it), so %s can have no offset "
                                          "there." % (topic, self.sink.kafka.brokers, self.name))
        if number >= counts[topic]:
            raise errors.DeclarationError("There is no partition %d of the topic %s, which has %d (0 to %d)." % (
                number, topic, counts[topic], counts[topic] - 1))

    # ---- once it runs again ----------------------------------------------------------------------------------------

    def ends(self, partitions) -> dict:
        sink = self.sink
        if sink is None:
            return {}
        places = {place_of(partition): canonical(partition) for partition in partitions}
        found = self._access.if_brokers_answer(
            lambda: {} if sink.is_elsewhere else sink.kafka.offsets.of(places, LATEST, self.settings.reads_committed)) or {}
        return {places[place]: end[0] for place, end in found.items()}

    # ---- who is in its group ---------------------------------------------------------------------------------------

    def warn_foreign_members(self) -> None:
        sink = self.sink
        if sink is None:
            return
        foreign = self._access.if_brokers_answer(lambda: None if sink.is_elsewhere else sink.foreign_members(sink.members()))
        if foreign:
            self._access.warn("The consumer group %s of %s has members other than its tasks, and as long as it has any Kafka accepts no offsets: %s." % (
                sink.group, self.name, sink.told(foreign)))

    def await_free(self, store, seconds: float, sleep, clock) -> None:
        sink = self.sink
        if store.method == GROUP:
            sink.await_free(seconds, sleep, clock)
        elif sink is not None:
            self._access.if_brokers_answer(lambda: None if sink.is_elsewhere else sink.await_free(seconds, sleep, clock))
