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

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors, reset_spec
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import (
    EARLIEST,
    INT32_MAX,
    LATEST,
    Entry,
    canonical,
    counted,
    describe,
    is_int,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import REMOVE, SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import told
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import beside_the_log
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.copied_again import CopiedAgain, next_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import CLUSTER, OFFSET, PARTITION, TOPIC, is_partition

_SHOWN = 3


def stored_for(following: int):
    """The offset to store so that this record is the next one to be copied: None, no offset at all, for the very first."""
    return {OFFSET: following - 1} if following else None


class Inert:
    """A MirrorCheckpoint or MirrorHeartbeat connector, which never reads its offsets."""

    def __init__(self, name: str, role: str):
        self.name = name
        self._words = "%s is a %s, which never reads its offsets: a change has no effect. The place of a mirror is in the offsets of its " \
                      "MirrorSourceConnector." % (name, role)

    def resolve(self, desired, snapshot, lenient: bool):
        raise errors.DeclarationError(self._words)

    def check(self, plan, lenient: bool) -> list:
        """Raises DeclarationError, or returns it as a warning: of what is cleared away, or comes with other connectors' from a document."""
        if lenient or plan.desired.is_document or not any(action.verb == SET for action in plan.changes):
            return [self._words]
        raise errors.DeclarationError("%s If that is meant all the same, use force: true." % self._words)


class MirrorSource:
    """One MirrorSource connector, with its source cluster. A place is (topic on the source, number of the partition)."""

    def __init__(self, name: str, flow, sources, target_id=None):
        """flow: see _mirror.flow. sources: SourceClusters. target_id(): the id of the workers' Kafka cluster, which is copied to; or None."""
        self.name = name
        self.flow = flow
        self._sources = sources
        self._target_id = target_id

    @property
    def kafka(self):
        """The source cluster. Raises DeclarationError where nobody says how to reach it."""
        return self._sources.client(self.flow)

    def place_of(self, partition):
        """None for what is no partition of this flow, such as one of a former alias."""
        if not is_partition(partition) or partition[CLUSTER] != self.flow.source or not is_int(partition[PARTITION]):
            return None
        return partition[TOPIC], partition[PARTITION]

    def partition_of(self, place) -> dict:
        return {CLUSTER: self.flow.source, PARTITION: place[1], TOPIC: place[0]}

    # ---- words -> numbers ----------------------------------------------------------------------------------------

    def resolve(self, desired, snapshot, lenient: bool) -> tuple:
        """(the resolved declaration, warnings). desired: one with a reset. snapshot: the live offsets. lenient: the target may be the source.

        Raises DeclarationError, BrokerError.
        """
        if not lenient:
            self._check_source()
        reset, warnings = desired.reset, []
        live = {}
        for entry in snapshot.entries.values():
            place, following = self.place_of(entry.partition), next_of(entry.offset)
            if place is not None and following is not None:
                live[place] = following
        places = self._places(reset, live, warnings)
        needs, committed = reset_spec.needs(reset), self.flow.committed
        # The beginning tells whether "no offset" is the same as the offset 0.
        begins = self.kafka.offsets.of(places, EARLIEST, committed)
        time = reset.time()
        at_time = self.kafka.offsets.of(places, time, committed) if needs[2] else {}
        ends = self.kafka.offsets.of(places, LATEST, committed) if needs[1] else {}
        if needs[2]:
            warnings += ["%s: %s" % (self.name, text) for text in beside_the_log(time, begins, ends, at_time)]
        found = reset_spec.new_offsets(reset, places, begins, ends, at_time, live)
        clamped = sorted(place for place in found if found[place].clamped)
        if clamped:
            warnings.append("%s: the log does not hold that many records for %s, which go to its beginning or end: %s." % (
                reset, counted(clamped), told(clamped)))
        keyed, notes, following = {}, {}, {}
        for place, one in found.items():
            entry = Entry(self.partition_of(place), stored_for(one.offset))
            key = canonical(entry.partition)
            keyed[key], notes[key], following[key] = entry, "record %d, %s" % (one.offset, one.note), one.offset
        return desired.in_numbers(keyed, notes, following if reset.word != reset_spec.LATEST else None), warnings

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
        places = {(topic, number) for topic, numbers in names.items() for number in (range(counts[topic]) if numbers is None else numbers)}
        without = sorted(places - set(live)) if reset.word == reset_spec.SHIFT_BY else []
        if without:
            raise errors.DeclarationError("%s of %s has no offset yet that could be shifted (%s): use a timestamp, earliest or latest, or declare "
                                          "a number." % (counted(without), self.name, told(without)))
        return places

    def copied_again(self, target=None) -> CopiedAgain:
        """target: KafkaClient of the cluster that is copied to, or None."""
        def source():
            self._check_source()
            return self.kafka

        return CopiedAgain(self.name, self.flow, source, target)

    # ---- the truth about numbers ---------------------------------------------------------------------------------

    def check(self, plan, lenient: bool) -> list:
        """Does the source hold what the plan sets? Returns warnings. lenient: what could be wrong is one of them.

        Raises DeclarationError, BrokerError.
        """
        wanted, warnings = {}, []
        for action in plan.changes:
            try:
                if action.verb == SET:
                    wanted[self._checked(action.partition)] = self._checked_next(action.partition, action.after)
            except errors.DeclarationError as error:
                if not (lenient and plan.desired.is_document):
                    raise
                warnings.append(error.message)  # such as of a former alias: what a backup holds may be put back
        # Of a first record nothing is stored: a mistyped topic would have no offset, as is declared.
        firsts = [self._checked(action.partition) for action in plan.actions if plan.desired.following.get(canonical(action.partition)) == 0]
        warnings += self._about_removals(plan, lenient)
        if not wanted and not firsts:
            return warnings
        try:
            self._check_source()
            self._check_log(wanted, firsts)
        except (errors.DeclarationError, errors.BrokerError) as error:
            if not lenient:
                raise error if isinstance(error, errors.DeclarationError) else error.also(
                    "So what was declared for the source cluster %s could not be looked at, which force: true leaves out." % self.flow.source)
            warnings.append(error.message)
        return warnings

    def _check_source(self) -> None:
        """Is it another cluster than the target, under another alias? Raises DeclarationError, BrokerError.

        A mirror can copy within one cluster; then its own configuration says so. Its producers can write to another one than the workers'.
        """
        flow = self.flow
        if (self._target_id is None or flow.target in (None, flow.source) or self._sources.is_configured(flow)
                or flow.config.get("producer.override.bootstrap.servers")):
            return
        target = self._target_id()
        if target is not None and self.kafka.cluster_id == target:
            raise errors.DeclarationError(
                "The brokers at %s, which are to be the source cluster %s, are those of the Kafka cluster %s that is copied to: source and target "
                "are swapped, or source_clusters has a wrong address." % (self.kafka.brokers, flow.source, target))

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

    def _about_removals(self, plan, lenient) -> list:
        """A partition whose offset goes begins where its consumer is told to. Raises DeclarationError where that was to be the first record."""
        # Also where there is no offset anyway: what was declared is the first record.
        removed = [action.partition for action in plan.actions if self.place_of(action.partition) and (
            action.verb == REMOVE or plan.desired.following.get(canonical(action.partition)) == 0)]
        if not removed or not self.flow.begins_at_the_end:
            return []
        words = "Without an offset %s does not begin at the first record, as its consumer's auto.offset.reset is %s: %s, first %s." % (
            self.name, self.flow.consumer("auto.offset.reset"), counted(removed), canonical(removed[0]))
        if lenient or not any(canonical(partition) in plan.desired.following for partition in removed):
            return [words]
        raise errors.DeclarationError("%s No offset that can be stored means the first record. Change that setting, or declare the second record "
                                      "(offset 0) instead." % words)

    def _check_log(self, wanted, firsts) -> None:
        """Raises DeclarationError, BrokerError."""
        places = sorted([*wanted, *firsts])
        counts = self.kafka.admin.partition_counts(topic for topic, number in places)
        for place in places:
            self._check_place(place, counts)
        begins, ends = self.kafka.offsets.of(wanted, EARLIEST), self.kafka.offsets.of(wanted, LATEST)
        beyond = [place + (wanted[place], begins[place][0], ends[place][0]) for place in sorted(wanted)
                  if not begins[place][0] <= wanted[place] <= ends[place][0]]
        if beyond:
            raise errors.DeclarationError(
                "%s of %s would be outside of the log of %s: next would be %s. MirrorMaker would go where its consumer's auto.offset.reset says, "
                "by default to the beginning. Use reset_to with earliest or latest, or force: true if that is meant." % (
                    counted(beyond), self.name, self.flow.source, "; ".join(
                        ["%s-%d at %d, but it holds %d to %d" % one for one in beyond[:_SHOWN]] + ["..."] * (len(beyond) > _SHOWN))))

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
