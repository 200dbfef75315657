# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the offsets of a MirrorSource connector mean: places in the topics of another Kafka cluster, its source.

A stored offset is that of the last record that was copied, so the next one to copy is one more (MirrorSourceTask#initializeConsumer).
A partition without an offset begins where its consumer's auto.offset.reset says, by default at the beginning.
"""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors, reset_spec
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import INT32_MAX, Entry, canonical, counted, describe, is_int
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import REMOVE, SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.copied_again import CopiedAgain, next_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import CLUSTER, OFFSET, PARTITION, TOPIC, Flow, is_partition
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.base import Semantics
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.log_positions import (
    check_word,
    every_place,
    find_offsets,
    outside,
    without_offset,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.source import PlainSource


def stored_for(following: int):
    """The offset to store so that this record is the next one to be copied: None, no offset at all, for the very first."""
    return {OFFSET: following - 1} if following else None


class MirrorSource(Semantics):
    """One MirrorSource connector, with its source cluster. A place is (topic on the source, number of the partition)."""

    def __init__(self, access, flow, target_id=None, is_deleted=False):
        """access: Access of the connector. flow: see _mirror.flow. target_id(): the id of the workers' Kafka cluster, which is copied to; or None.
        is_deleted: there is no such connector, so that nothing is copied again.
        """
        super().__init__(access.name, access.force)
        self.flow = flow
        self._access = access
        self._target_id = target_id
        self._is_deleted = is_deleted

    @property
    def kafka(self):
        """The source cluster. Raises DeclarationError where nobody says how to reach it."""
        return self._access.sources.client(self.flow)

    def place_of(self, partition):
        """None for what is no partition of this flow, such as one of a former alias."""
        if not is_partition(partition) or partition[CLUSTER] != self.flow.source or not is_int(partition[PARTITION]):
            return None
        return partition[TOPIC], partition[PARTITION]

    def partition_of(self, place) -> dict:
        return {CLUSTER: self.flow.source, PARTITION: place[1], TOPIC: place[0]}

    # ---- symbolic positions ----------------------------------------------------------------------------------------

    def resolve(self, desired, live) -> tuple:
        reset = desired.reset
        if reset is None:
            return desired, []
        check_word(self.name, reset)
        if not self.force:
            self._check_source()
        stored, warnings = {}, []
        for entry in live.entries.values():
            place, following = self.place_of(entry.partition), next_of(entry.offset)
            if place is not None and following is not None:
                stored[place] = following
        places = self._places(reset, stored, warnings)
        found, more = find_offsets(self.name, reset, places, stored, self.kafka.offsets, self.flow.committed)
        keyed, notes, following = {}, {}, {}
        for place, one in found.items():
            entry = Entry(self.partition_of(place), stored_for(one.offset))
            key = canonical(entry.partition)
            keyed[key], notes[key], following[key] = entry, "record %d, %s" % (one.offset, one.note), one.offset
        return desired.in_numbers(keyed, notes, following if reset.word != reset_spec.LATEST else None), warnings + more

    def _places(self, reset, live, warnings) -> set:
        """Those that are meant, all of which exist. Raises DeclarationError."""
        names = reset.topics if reset.topics is not None else {topic: None for topic, number in live}
        if not names:
            raise errors.DeclarationError("%s has no offsets of %s yet: say with the option topics which ones are meant." % (
                self.name, self.flow.source))
        counts = self.kafka.admin.partition_counts(names)
        missing = sorted(name for name in names if counts[name] is None)
        if missing and reset.topics is None:
            warnings.append("%s has offsets of %s, but there is no such topic on %s any more (or the user may not see it): left out." % (
                self.name, ", ".join(missing), self.flow.source))
            names = {name: None for name in names if counts[name] is not None}
        for topic, numbers in sorted(names.items()):
            self._check_place((topic, max(numbers or [0])), counts)
        places = every_place(names, counts)
        without = sorted(places - set(live)) if reset.word == reset_spec.SHIFT_BY else []
        if without:
            raise without_offset(self.name, without)
        return places

    # ---- a plan ----------------------------------------------------------------------------------------------------

    def check(self, plan, store) -> list:
        return self.check_numbers(plan) + self.check_copied_again(plan)

    def check_copied_again(self, plan) -> list:
        """Warnings of records that MirrorMaker copies again. Raises DeclarationError where that is not accepted."""
        if self._is_deleted:
            return []

        def source():
            self._check_source()
            return self.kafka

        again = CopiedAgain(self.name, self.flow, source, self._access.kafka)
        return again.check(plan, self._access.accept_duplicates or plan.desired.exact, int(time.time() * 1000))

    def check_numbers(self, plan) -> list:
        """Does the source hold what the plan sets? Returns warnings. Raises DeclarationError, BrokerError.

        What puts an earlier state back is not judged.
        """
        if plan.desired.exact:
            return []
        wanted, warnings = {}, []
        for action in plan.changes:
            try:
                if action.verb == SET:
                    wanted[self._checked(action.partition)] = self._checked_next(action.partition, action.after)
            except errors.DeclarationError as error:
                if not (self.force and plan.desired.is_document):
                    raise
                warnings.append(error.message)  # such as of a former alias: what a backup holds may be put back
        # Of a first record nothing is stored: a mistyped topic would have no offset, as is declared.
        firsts = [self._checked(action.partition) for action in plan.actions if plan.desired.following.get(canonical(action.partition)) == 0]
        warnings += self._about_removals(plan)
        if not wanted and not firsts:
            return warnings
        try:
            self._check_source()
            self._check_log(wanted, firsts)
        except (errors.DeclarationError, errors.BrokerError) as error:
            if not self.force:
                raise error if isinstance(error, errors.DeclarationError) else error.also(
                    "So what was declared for the source cluster %s could not be looked at, which force: true leaves out." % self.flow.source)
            warnings.append(error.message)
        return warnings

    def _check_source(self) -> None:
        """Is it another cluster than the target, under another alias? Raises DeclarationError, BrokerError.

        A mirror can copy within one cluster; then its own configuration says so. Its producers can write to another one than the workers'.
        """
        flow = self.flow
        if (self._target_id is None or flow.target in (None, flow.source) or self._access.sources.is_configured(flow)
                or flow.config.get("producer.override.bootstrap.servers")):
            return
        target = self._target_id()
        if target is not None and self.kafka.cluster_id == target:
            raise errors.DeclarationError(
                "The brokers at %s, which are to be the source cluster %s, are those of the Kafka cluster %s that is copied to: source and target "
                "are swapped, or kafka_connect_source_clusters has a wrong address." % (self.kafka.brokers, flow.source, target))

    def _checked(self, partition):
        """Its place. Raises DeclarationError for what MirrorSource would refuse, or never read."""
        flow, text = self.flow, canonical(partition)
        if not is_partition(partition):
            raise errors.DeclarationError("A partition of %s must have exactly the fields cluster, partition and topic, it is %s." % (
                self.name, text))
        if not is_int(partition[PARTITION]) or not 0 <= partition[PARTITION] <= INT32_MAX:
            raise errors.DeclarationError("partition must be a whole number from 0 on, it is %s in %s." % (
                describe(partition[PARTITION]), text))
        if not isinstance(partition[TOPIC], str) or not partition[TOPIC]:
            raise errors.DeclarationError("topic must be the name of a topic on %s, it is %s." % (flow.source, describe(partition[TOPIC])))
        if partition[CLUSTER] != flow.source:
            raise errors.DeclarationError("%s copies from %s, but what is declared is for the cluster %s%s: %s." % (
                self.name, flow.source, describe(partition[CLUSTER]), ", its target" if partition[CLUSTER] == flow.target else "", text))
        return partition[TOPIC], partition[PARTITION]

    def _checked_next(self, partition, offset) -> int:
        following = next_of(offset)
        if following is None or set(offset) != {OFFSET}:
            raise errors.DeclarationError("The offset of %s must be {offset: N}, a whole number from 0 on, of the last record that is not to be copied "
                                          "again; it is %s." % (canonical(partition), canonical(offset)))
        return following

    def _about_removals(self, plan) -> list:
        """A partition whose offset goes begins where its consumer is told to. Raises DeclarationError where that was to be the first record."""
        # Also where there is no offset anyway: what was declared is the first record.
        removed = [action.partition for action in plan.actions if self.place_of(action.partition) and (
            action.verb == REMOVE or plan.desired.following.get(canonical(action.partition)) == 0)]
        if not removed or not self.flow.begins_at_the_end:
            return []
        words = "Without an offset %s does not begin at the first record, as its consumer's auto.offset.reset is %s: %s, first %s." % (
            self.name, self.flow.consumer("auto.offset.reset"), counted(removed), canonical(removed[0]))
        if self.force or not any(canonical(partition) in plan.desired.following for partition in removed):
            return [words]
        raise errors.DeclarationError("%s No offset that can be stored means the first record. Change that setting, or declare the second record "
                                      "(offset 0) instead." % words)

    def _check_log(self, wanted, firsts) -> None:
        """Raises DeclarationError, BrokerError."""
        places = sorted([*wanted, *firsts])
        counts = self.kafka.admin.partition_counts(topic for topic, number in places)
        for place in places:
            self._check_place(place, counts)
        beyond, shown = outside(wanted, self.kafka.offsets, "%s-%d at %d")
        if beyond:
            raise errors.DeclarationError(
                "%s of %s would be outside of the log of %s: next would be %s. MirrorMaker would go where its consumer's auto.offset.reset says, "
                "by default to the beginning. Use reset_to with earliest or latest, or force: true if that is meant." % (
                    counted(beyond), self.name, self.flow.source, shown))

    def _check_place(self, place, counts) -> None:
        topic, number = place
        if counts[topic] is None:
            raise errors.DeclarationError("There is no topic %s on the source cluster %s at %s (or the user may not see it)." % (
                topic, self.flow.source, self.kafka.brokers))
        if number >= counts[topic]:
            raise errors.DeclarationError("There is no partition %d of the topic %s on the source cluster %s, which has %d (0 to %d)." % (
                number, topic, self.flow.source, counts[topic], counts[topic] - 1))
        reason = self.flow.leaves_out(topic)
        if reason:
            raise errors.DeclarationError("%s does not replicate the topic %s: %s. An offset there has no effect." % (
                self.name, topic, reason))


class UnknownMirrors(PlainSource):
    """By its partitions MirrorMaker's, but it is not known of which source cluster: what is copied again, the partitions tell."""

    def __init__(self, access, aliases):
        """aliases: of the source clusters."""
        super().__init__(access.name, access.force)
        self._mirrors = [MirrorSource(access, Flow({}, alias)) for alias in sorted(map(str, aliases))]

    def check(self, plan, store) -> list:
        return super().check(plan, store) + [text for mirror in self._mirrors for text in mirror.check_copied_again(plan)]
