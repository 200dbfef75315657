# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Symbolic positions of connectors whose offsets are those of records in Kafka's log: sinks, and MirrorMaker's sources.

A place is (topic, number of the partition).
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors, reset_spec
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import EARLIEST, LATEST, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import told
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import beside_the_log

_SHOWN = 3


def find_offsets(name: str, reset, places, live: dict, offsets, committed: bool) -> tuple:
    """({place: reset_spec.Found}, warnings). live: {place: the next record}. offsets: those of the KafkaClient. committed: without records of
    transactions that are open or were aborted.
    """
    needs, time = reset_spec.needs(reset), reset.time()
    begins = offsets.of(places, EARLIEST, committed) if needs[0] else {}
    at_time = offsets.of(places, time, committed) if needs[2] else {}
    ends = offsets.of(places, LATEST, committed) if needs[1] else {}
    warnings = ["%s: %s" % (name, text) for text in beside_the_log(time, begins, ends, at_time)] if needs[2] else []
    found = reset_spec.new_offsets(reset, places, begins, ends, at_time, live)
    clamped = [place for place in sorted(found) if found[place].clamped]
    if clamped:
        warnings.append("%s: the log does not hold that many records for %s of %s, which go%s to its beginning or end: %s." % (
            reset, counted(clamped), name, "es" if len(clamped) == 1 else "", told(clamped)))
    return found, warnings


def check_word(name: str, reset) -> None:
    """Raises DeclarationError for what means nothing in a log."""
    if reset.word == reset_spec.RESNAPSHOT:
        raise errors.DeclarationError("reset_to: resnapshot is for sources that begin with a snapshot, and %s reads Kafka's log: use earliest." % name)


def without_offset(name: str, places) -> errors.DeclarationError:
    """A shift begins at an offset."""
    return errors.DeclarationError("%s of %s has no offset yet that could be shifted (%s): use a timestamp, earliest or latest, or declare "
                                   "a number." % (counted(places), name, told(places)))


def every_place(topics: dict, counts: dict) -> set:
    """topics: {topic: numbers of partitions, None for all}. counts: {topic: how many it has}."""
    return {(topic, number) for topic, numbers in topics.items() for number in (range(counts[topic]) if numbers is None else numbers)}


def outside(wanted: dict, offsets, words: str) -> tuple:
    """(places, text of the first ones) of those that would be outside of the log. wanted: {place: the next record}. words: with %s-%d for the place and
    %d for the record.
    """
    begins, ends = offsets.of(wanted, EARLIEST), offsets.of(wanted, LATEST)
    beyond = [place for place in sorted(wanted) if not begins[place][0] <= wanted[place] <= ends[place][0]]
    shown = [(words + ", but it holds %d to %d") % (place + (wanted[place], begins[place][0], ends[place][0])) for place in beyond[:_SHOWN]]
    return beyond, "; ".join(shown + ["..."] * (len(beyond) > _SHOWN))
