# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What mirror_info shows: the flows of MirrorMaker, their positions beside what the source clusters hold, and their own topics."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.mirror_records import checkpoint, offset_sync
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import EARLIEST, LATEST, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import cut
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import timestamp
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror import lag
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.discovery import Dedicated, OnConnect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import HEARTBEATS, TOPIC, dedicated_source
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.internal_topics import Folded, fold, heartbeats


class MirrorInfo:
    """Reads, and never changes anything."""

    def __init__(self, rest, kafka, sources, offset_topic=None, topics=None, lag_time=True, records=False, max_entries=1000, now=time.time):
        """rest, kafka: of the target cluster; one of them may be None. sources: SourceClusters. topics: globs of topics of the sources."""
        self.warnings = []
        self._kafka = kafka
        self._sources = sources
        self._topics = [glob.strip() for glob in topics or [] if glob.strip()]
        self._lag_time = lag_time
        self._records = records
        self._max_entries = max_entries
        self._now = int(now() * 1000)
        self._mirrors = None if rest is None else OnConnect(rest, kafka, offset_topic, self._warn)
        self._dedicated = None if kafka is None else Dedicated(kafka, offset_topic, self._warn)
        #: the topic of a dedicated one is asked for, though there are workers
        self._is_meant = dedicated_source(offset_topic) is not None
        #: a source cluster (see SourceClusters.key) -> why it cannot be asked; None -> why the target cannot
        self._away = {}

    def result(self, name=None) -> dict:
        """Raises errors of ours; of a source cluster only where there is no other flow to show."""
        mirrors = self._all(name)
        if not mirrors:
            self._warn("There is no MirrorSourceConnector here, so there is no mirror to show.")
        beats = self._heartbeats([mirror.flow for mirror in mirrors])
        flows = [self._one(mirror, beats, alone=len(mirrors) == 1) for mirror in mirrors]
        share = max(1, self._max_entries // len(flows)) if flows and self._max_entries else 0
        for flow in flows:
            _cut(flow, share)
        return {"changed": False, "flows": flows, "warnings": self.warnings}

    def _all(self, name) -> list:
        try:
            found = self._mirrors.mirrors(name) if self._mirrors is not None else []
            if self._mirrors is not None and self._mirrors.away:
                self._away[None] = self._mirrors.away
        except errors.NoConnector:
            if not self._is_meant or self._dedicated is None:
                raise
            found = []
        if not found and self._dedicated is not None and (self._mirrors is None or self._is_meant):
            found, self._mirrors = self._dedicated.mirrors(name), self._dedicated
        return found

    def _one(self, mirror, beats, alone) -> dict:
        flow, held = mirror.flow, self._mirrors.stored(mirror)
        places, orphans = lag.sort_out([one for one in held.entries if self._wanted(one.partition)], flow.source)
        rows, error = None, None
        try:
            rows = self._rows(flow, places, orphans)
        except (errors.DeclarationError, errors.BrokerError) as found:
            if alone:
                raise
            self._away[self._sources.key(flow)] = found
            error = found.message
            self._warn("%s of %s: what the source cluster holds is not known. %s" % (flow, mirror.connector, error))
        if rows is None:
            rows = [lag.row(place, stored, None) for place, stored in sorted(places.items())]
        self._judge(flow, rows)
        if self._topics and not rows and not orphans:
            self._warn("%s has no topic that fits %s (or the user may not see it)." % (flow, ", ".join(self._topics)))
        return dict({
            "source": flow.source, "target": flow.target, "connector": mirror.connector, "mode": mirror.mode, "state": mirror.state,
            "nodes": self._mirrors.nodes(mirror), "policy": flow.policy,
            "offset_topic": held.offset_topic, "method": held.method, "method_reason": held.reason, "error": error,
            "stored_at": max([row["stored_at"] for row in rows if row["stored_at"]], default=None),
            "topics": lag.by_topic(rows, flow.copy_of), "partitions": rows, "orphans": orphans,
            "offset_syncs": self._syncs(flow), "checkpoints": self._checkpoints(flow), "heartbeat": beats.get((flow.source, flow.target)),
        }, **lag.totals(rows))

    def _wanted(self, partition) -> bool:
        topic = partition.get(TOPIC) if isinstance(partition, dict) else None
        return not self._topics or any(fnmatchcase(str(topic), glob) for glob in self._topics)

    # ---- the source cluster ------------------------------------------------------------------------------------

    def _rows(self, flow, places, orphans) -> list:
        """A row for each place that has an offset or is replicated; what is not there becomes an orphan. Raises DeclarationError, BrokerError."""
        if self._sources.key(flow) in self._away:
            raise self._away[self._sources.key(flow)]
        source = self._sources.client(flow)
        try:
            known, ends = self._look(source, flow, places)
        except errors.NoTopic:  # deleted while we asked
            known, ends = self._look(source, flow, places)
        for (topic, number), stored in sorted(places.items()):
            words = _gone(topic, number, known, flow)
            reason = flow.leaves_out(topic)
            if words:
                orphans.append(lag.orphan(stored, lag.GONE, words))
            elif reason:
                orphans.append(lag.orphan(stored, lag.LEFT_OUT, reason))
        rows = [lag.row(place, places.get(place), ends[place], flow.begins_at_the_end) for place in sorted(ends)]
        if self._lag_time:
            self._note_times(source, flow, rows)
        return rows

    def _look(self, source, flow, places) -> tuple:
        """({topic: how many partitions} of the whole source, {place: Ends} of what is replicated from there)."""
        known = {topic.name: topic.partitions for topic in source.admin.topics()}
        wanted = {topic for topic, number in places}
        if flow.selects:
            wanted |= {topic for topic in known if self._wanted({TOPIC: topic})}
        wanted = {topic for topic in wanted & set(known) if not flow.leaves_out(topic)}
        asked = {(topic, number) for topic in wanted for number in range(known[topic]) if flow.selects or (topic, number) in places}
        begins, ends = source.offsets.of(asked, EARLIEST, True), source.offsets.of(asked, LATEST, True)
        ahead = [place for place in asked if place in places and (lag.next_of(places[place].offset) or 0) > ends[place][0]]
        log_ends = source.offsets.of(ahead, LATEST) if ahead else {}
        return known, {place: lag.Ends(begins[place][0], ends[place][0], log_ends.get(place, ends[place])[0]) for place in asked}

    def _note_times(self, source, flow, rows) -> None:
        """How long has the oldest record waited? One record of each partition that is behind is read."""
        waiting = {(row["topic"], row["partition"]): row for row in rows if lag.waits_from(row) is not None}
        try:
            firsts, refused = source.reader.first_records({place: lag.waits_from(row) for place, row in waiting.items()})
        except errors.BrokerError as error:
            self._warn("How long records of %s have waited is not known. %s" % (flow, error.message))
            return
        for place, first in firsts.items():
            lag.note_first(waiting[place], first, self._now)
        for topic in sorted(refused):
            self._warn("How long records of %s on %s have waited is not known. %s" % (topic, flow.source, refused[topic].message))

    def _judge(self, flow, rows) -> None:
        """Warnings of what cannot be put right by waiting."""
        lost = [row for row in rows if row["status"] == lag.LOST]
        if lost:
            self._warn("%s: up to %s of %s went away on %s before they were copied, first of %s-%d, which was to go on at %d and begins at %d." % (
                flow, _counted(sum(row["lost"] for row in lost)), counted(lost), flow.source, lost[0]["topic"], lost[0]["partition"],
                lost[0]["next_offset"], lost[0]["begin"]))
        beyond = [row for row in rows if row["status"] == lag.BEYOND]
        if beyond:
            self._warn("%s: the position of %s is beyond the end of the log on %s, first of %s-%d, which would go on at %d and ends at %d. The topic was "
                       "deleted and made again, or cut off; MirrorMaker goes on where its consumer's auto.offset.reset says, by default at the "
                       "beginning." % (flow, counted(beyond), flow.source, beyond[0]["topic"], beyond[0]["partition"], beyond[0]["next_offset"],
                                       beyond[0]["end"]))

    # ---- MirrorMaker's own topics ------------------------------------------------------------------------------

    def _syncs(self, flow) -> dict:
        at = flow.syncs_at
        folded = self._fold(self._kafka_of(flow) if at == "source" else self._kafka, None if at == "target" else flow, flow.syncs, offset_sync)
        found = {"topic": folded.name, "at": at, "exists": folded.exists, "records": folded.records, "unreadable": folded.unreadable,
                 "tombstones": folded.tombstones}
        if self._records:
            found["partitions"] = [dict(one._asdict()) for one in folded.found if self._wanted({TOPIC: one.topic})]
        return found

    def _checkpoints(self, flow) -> dict:
        folded = self._fold(self._kafka, None, flow.checkpoints if flow.config else None, checkpoint)
        found = {"topic": folded.name, "exists": folded.exists, "records": folded.records, "unreadable": folded.unreadable,
                 "tombstones": folded.tombstones, "groups": sorted({one.group for one in folded.found})}
        self._judge_groups(flow, folded.found)
        if self._records:
            found["partitions"] = [dict(one._asdict()) for one in folded.found]
        return found

    def _judge_groups(self, flow, checkpoints) -> None:
        """Warns of groups that are beyond the end of a copy, as MirrorMaker before 3.3 left them where a copy was empty (KAFKA-12635)."""
        places = {}
        for one in checkpoints:
            places.setdefault(one.group, set()).add((one.topic, one.partition))
        if not places:
            return
        beyond = []
        try:
            committed = {(group, place): offset for group in sorted(places) for place, offset in self._kafka.groups.group_offsets(group).items()
                         if place in places[group]}
            topics = self._kafka.admin.look_for(topic for group, (topic, number) in committed)
            there = {place for group, place in committed if topics[place[0]] is not None and place[1] < topics[place[0]].partitions}
            ends = self._kafka.offsets.of(there, LATEST)
            beyond = sorted((group, place) for group, place in committed if place in ends and committed[group, place] > ends[place][0])
        except errors.BrokerDenied:
            return  # to see groups is a permission of its own
        except errors.BrokerError as error:
            self._warn("Whether consumer groups on the target of %s are beyond the ends of the copies is not known. %s" % (flow, error.message))
        if beyond:
            (group, place), more = beyond[0], len(beyond) - 1
            offset, end = committed[group, place], ends[place][0]
            self._warn("%s: on the target the consumer group %s is %d beyond the end of %s-%d, at %d where the log ends at %d%s. A consumer that starts there "
                       "goes where its auto.offset.reset says. As long as the group has no members, set its offset to the end." % (
                           flow, group, offset - end, place[0], place[1], offset, end,
                           "; so are %d more offsets of groups" % more if more else ""))

    def _kafka_of(self, flow):
        return None if self._sources.key(flow) in self._away else self._sources.client(flow)

    def _fold(self, kafka, flow, name, decode) -> Folded:
        """flow: of which the source is asked; None: the target is."""
        cluster = flow and self._sources.key(flow)
        if kafka is None or name is None or cluster in self._away:
            return Folded(name)
        try:
            folded = fold(kafka, name, decode)
        except errors.BrokerError as error:
            if isinstance(error, errors.BrokersUnreachable):
                self._away[cluster] = error
            self._warn("What is on %s is not known. %s" % (name, error.message))
            return Folded(name)
        if folded.tombstones:
            self._warn("%s of %s %s no value. MirrorMaker cannot read that: it translates no more offsets of consumer groups until compaction "
                       "has removed them. Such a topic is cleared by deleting it while the connectors are stopped, and not by tombstones." % (
                           _counted(folded.tombstones), name, "has" if folded.tombstones == 1 else "have"))
        if folded.unreadable:
            self._warn("%s of %s cannot be decoded." % (_counted(folded.unreadable), name))
        return folded

    def _heartbeats(self, flows) -> dict:
        """{(source, target): {"time", "age_ms"}}"""
        wanted = {(flow.source, flow.target) for flow in flows}
        if self._kafka is None or not wanted or None in self._away:
            return {}
        try:
            found = heartbeats(self._kafka, HEARTBEATS, wanted)
        except errors.BrokerError as error:
            if isinstance(error, errors.BrokersUnreachable):
                self._away[None] = error
            self._warn("What is on %s is not known. %s" % (HEARTBEATS, error.message))
            return {}
        return {pair: {"time": timestamp(time_of_it), "age_ms": max(0, self._now - time_of_it)} for pair, time_of_it in found.items()}

    def _warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)


def _counted(records: int) -> str:
    return "%d record%s" % (records, "" if records == 1 else "s")


def _gone(topic, number, known, flow):
    """Why the source has no such place, in words; None if it has."""
    if topic not in known:
        return "there is no such topic on %s (or the user may not see it)" % flow.source
    return "the topic has %s on %s" % (counted(range(known[topic])), flow.source) if number >= known[topic] else None


def _cut(flow, most) -> None:
    """Lists end at so many lines; how many there are is told beside."""
    for holder, name in ((flow, "partitions"), (flow, "orphans"), (flow["offset_syncs"], "partitions"), (flow["checkpoints"], "partitions")):
        if name in holder:
            holder[name + "_count"] = len(holder[name])
            holder[name] = cut(holder[name], most)
    flow["truncated"] = len(flow["partitions"]) < flow["partitions_count"] or len(flow["orphans"]) < flow["orphans_count"]
