# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What connector_offsets_info shows: the offsets of one connector or of all, by REST, from the offsets topic, or of a sink's group."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import STOPPED, Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import OFFSET, SINK, SOURCE, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offset_file import OffsetFile
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offset_topic import topics_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._report import cut, info_result
from ansible_collections.streamops.kafka_connect.plugins.module_utils._roads import AUTO, FILE, GROUP, REST, STRIMZI, TOPIC, TURNS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._sinks import Sink, orphaned_groups, outside, place_of, second_store
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file import FileReader, FileStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.group import GroupStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import RestStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.strimzi import StrimziStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicReader, TopicStore, raw_text
from ansible_collections.streamops.kafka_connect.plugins.module_utils._topic_offsets import timestamp


class OffsetsInfo:
    """Reads, and never changes anything."""

    def __init__(self, rest, kafka, method=AUTO, offset_topic=None, history=False, max_entries=1000,
                 consumer_group=None, offset_file=None):
        """rest, kafka: the clients, one of them may be None; rest can be a StrimziClient. history: show older records as well, which needs the topic.
        offset_file: path of a standalone worker's file, which is read as it is, whether its worker runs or not.

        Raises WishError where the method lacks what it needs.
        """
        #: the store of those who are asked: the worker, or the operator
        self._asked = RestStore
        if getattr(rest, "road", REST) == STRIMZI:
            self._asked, method = StrimziStore, REST
        file = offset_file if method in (AUTO, FILE) else None
        if method == FILE and not file:
            raise errors.WishError("method: file needs offset_file, or worker_config of a standalone worker.")
        if file:
            if history:
                raise errors.WishError("history needs the offsets topic: a file holds the present offsets alone.")
            rest, kafka, method, offset_topic = None, OffsetFile(file), TOPIC, None
            offset_topic = kafka.path
        if kafka is None and (method in (TOPIC, GROUP) or rest is None):
            raise errors.WishError("method: %s needs bootstrap_servers (or the environment variable KAFKA_BOOTSTRAP_SERVERS)." % (
                GROUP if method == GROUP else TOPIC))
        if rest is None and method == REST:
            raise errors.WishError("method: rest needs connect_url (or the environment variable KAFKA_CONNECT_URL).")
        if history and (kafka is None or method in (REST, GROUP)):
            raise errors.WishError("history needs the offsets topic: bootstrap_servers, and not method: rest.")
        self.rest = rest
        self.kafka = kafka
        self.method = TOPIC if history and method == AUTO else method
        self.max_entries = self._limit = max_entries
        self.warnings = []
        #: {connector: why all() does not show it}
        self.left_out = {}
        self._why = "history is on the topic alone" if history and method == AUTO else "method: file" if file else "method: topic"
        self._road = FILE if file else TOPIC
        self._offset_topic = offset_topic
        self._history = history
        self._reader = None
        self._consumer_group = consumer_group or None
        #: sinks that are STOPPED, with and without offsets, and how long the brokers keep them
        self._stopped, self._without, self._kept = [], [], None

    def one(self, name: str) -> dict:
        """Of one connector; where REST cannot show it, from the topic if brokers are given."""
        parts = self._parts(name)
        found = dict(self._one(name, parts), changed=False, warnings=self.warnings)
        self._warn_stopped()
        return dict({"topic": None}, **found)

    def _parts(self, name):
        """{"status", "info"} of a connector; {} where there is none, None without a worker to ask."""
        if self.rest is None:
            return None
        try:
            return {"status": self.rest.status(name), "info": self.rest.info(name)}
        except errors.NoConnector:
            return {}

    def _one(self, name, parts) -> dict:
        connector = Connector(parts["status"]) if parts else None
        if self._is_sink(name, connector):
            return self._sink(name, connector, parts)
        if self.method == GROUP:
            raise errors.RoadError("%s is a source: its offsets are records of an offsets topic, not the commits of a consumer group." % name)
        if self.method != TOPIC and self.rest is not None and (parts or self.kafka is None or self.method == REST):
            try:
                found = self._by_rest(name, connector)
                self._ask_the_topic(name, connector, parts)
                return found
            except TURNS as error:
                if self.method == REST or self.kafka is None:
                    raise
                self._why = "REST cannot show it: " + error.message
        elif self.method == AUTO:
            self._why = "no worker is asked" if self.rest is None else "there is no connector %s that REST could show" % name
        return self._of_store(self._store(name, parts), connector, parts)

    def _store(self, name, parts) -> TopicStore:
        reader = self._topics(name)
        config = parts["info"]["config"] if parts else None
        return self._kind(reader, name, self._topics_of(name, reader, config))

    @property
    def _kind(self):
        return FileStore if self._road == FILE else TopicStore

    def _topics_of(self, name, reader, config) -> list:
        """A topic that seems to be another Connect cluster's is worth a warning: nothing is changed here."""
        try:
            return topics_of(name, self.rest, reader, self._offset_topic, config, for_change=False)
        except errors.RoadError as error:
            found = topics_of(name, self.rest, reader, self._offset_topic, config, for_change=False, sure=True)
            self._warn(error.message)
            return found

    def _ask_the_topic(self, name, connector, parts) -> None:
        """REST shows what it can find, which need not be what the connector reads. Raises RoadError."""
        if self.kafka is None or self.method == REST or connector is None or connector.kind == SINK:
            return
        try:
            store = self._store(name, parts)
            store.read()
        except (errors.BrokerError, errors.RoadError, errors.NotOffsetsTopic) as error:
            self._warn("What REST shows of %s could not be compared with the offsets topic. %s" % (name, error.message))
            return
        if not store.agrees_with_rest():
            raise errors.RoadError("the offsets topic holds records that it does not show as they are.")

    def cluster(self) -> dict:
        """What tells it apart in a document; no credentials."""
        return {"connect_url": self.rest.url if self.rest else None,
                "kafka_cluster_id": self.rest.root().get("kafka_cluster_id") if self.rest else self.kafka.cluster_id}

    def all(self) -> dict:
        """Of every connector: those that the worker knows, and by the topic those of which there are only offsets left."""
        known = None if self.rest is None else self.rest.connectors()
        found = dict(self._all_of_them(known), **self._orphaned_groups(known))
        self._warn_stopped()
        return found

    def _all_of_them(self, known) -> dict:
        if self.method == GROUP:
            if known is None:
                raise errors.WishError("method: group without name needs connect_url: the groups alone do not tell which of them are connectors.")
            sinks = self._sinks(known)
            return dict(self._all(sinks, GROUP), topic=None)
        if self.method == REST or self.kafka is None:
            return self._all_by_rest(known)
        if self.method == AUTO:
            self._why = "only the offsets topic shows the offsets of all connectors, gone ones too"
        reader = self._topics("")
        shared = self._topics_of("", reader, None)[0]
        decoded = reader.read(shared).decoded()
        for warning in reader.warnings([shared]):
            self._warn(warning)
        names = set(decoded.connectors) | {one.connector for one in decoded.unreadable if one.connector is not None} | set(known or ())
        self._share(len(names))
        found = []
        for name in sorted(names):
            parts = None if known is None else known.get(name, {})
            connector = Connector(dict(parts.get("status") or {}, name=name)) if parts else None
            if connector is not None and _says_sink(connector, parts):
                continue  # their offsets are their groups'
            config = (parts.get("info") or {}).get("config") if parts else None
            try:
                store = self._kind(reader, name, topics_of(name, None, reader, shared, config, for_change=False))
                one = dict(self._of_store(store, connector, parts), name=name)
                if parts or one["offsets_count"] or one["unreadable_count"] or one["unreadable_records"]:
                    found.append(one)  # else nothing is left of it but tombstones
            except (errors.RoadError, errors.BrokerError, errors.NotOffsetsTopic) as error:
                self._leave_out(name, error)
        if self.method == AUTO:
            found = sorted(found + self._sinks(known or {}), key=lambda one: one["name"])
        return dict(self._all(found, self._road), topic=self._topic(shared, decoded))

    def _leave_out(self, name, error) -> None:
        self.left_out[name] = error.message
        self._warn("%s is left out: %s" % (name, error.message))

    def _sinks(self, known) -> list:
        found = []
        for name, parts in sorted(known.items()):
            connector = Connector(dict(parts.get("status") or {}, name=name))
            if not _says_sink(connector, parts):
                continue
            try:
                found.append(dict(self._sink(name, connector, parts), name=name, topic=None))
            except errors.NoConnector:
                pass  # deleted meanwhile
            except (errors.RestError, errors.BrokerError) as error:
                self._leave_out(name, error)
        return found

    def _orphaned_groups(self, known) -> dict:
        found = None
        if self.kafka is not None and known is not None and self.method in (AUTO, GROUP):
            try:
                found = orphaned_groups(self.kafka, {name: (parts.get("info") or {}).get("config") for name, parts in known.items()})
            except errors.BrokerError as error:
                self._warn("The groups of sinks that are gone could not be looked for. %s" % error.message)
        return {"orphaned_groups": found and cut(found, self._limit), "orphaned_groups_count": None if found is None else len(found)}

    def _all_by_rest(self, known) -> dict:
        found = []
        self._share(len(known))
        for name, parts in sorted(known.items()):
            connector = Connector(dict(parts.get("status") or {}, name=name))
            try:
                found.append(dict(self._sink(name, connector, parts) if connector.kind == SINK else self._by_rest(name, connector), name=name))
            except (errors.AmbiguousName, errors.RoadError) as error:
                self._leave_out(name, error)
            except errors.NoConnector:
                pass  # deleted meanwhile
        return dict(self._all(found, self._asked.road), topic=None)

    def _share(self, connectors) -> None:
        """The limit is for all of them together; each may show at least one partition."""
        if self.max_entries and connectors:
            self.max_entries = max(1, self.max_entries // connectors)

    def _all(self, found, road) -> dict:
        lags = [one["lag"] for one in found if one["lag"] is not None]
        return {"changed": False, "method": road, "method_reason": self._why if road in (TOPIC, FILE) else None, "connectors": found,
                "lag": sum(lags) if lags else None, "warnings": self.warnings}

    # ---- sinks ---------------------------------------------------------------------------------------------------

    def _is_sink(self, name, connector) -> bool:
        """Raises RoadError for one whose offsets are looked for on the topic."""
        if connector is not None:
            if connector.kind == SINK and self.method == TOPIC:
                raise errors.RoadError("%s is a sink: its offsets are the commits of its consumer group, not records of an offsets topic." % name)
            return connector.kind == SINK or self.method == GROUP and connector.kind != SOURCE
        return self.method == GROUP or self.method == AUTO and self.kafka is not None and self._left_a_group(name)

    def _left_a_group(self, name) -> bool:
        """Of a connector that is gone: has it left offsets of a group, and none on the topic?"""
        try:
            if not self._sink_of(name, None).live():
                return False
        except errors.BrokerError:  # to see groups is a permission of its own
            return False
        try:
            store = self._store(name, None)
            snapshot = store.read()
        except (errors.BrokerError, errors.RoadError, errors.NotOffsetsTopic):
            return True
        return not snapshot.entries and not snapshot.unreadable

    def _sink_of(self, name, parts) -> Sink:
        return Sink(self.kafka, name, ((parts or {}).get("info") or {}).get("config"), self._consumer_group)

    def _sink(self, name, connector, parts) -> dict:
        sink = None if self.kafka is None else self._sink_of(name, parts)
        road, why = self._asked.road, None
        if connector is None or self.method == GROUP:
            road, why = GROUP, "method: group" if self.method == GROUP else self._why_group(name)
        else:
            try:
                snapshot = self._asked(self.rest, name, SINK).read()
            except TURNS as error:
                if self.method == REST or sink is None:
                    raise
                road, why = GROUP, "REST cannot show it: " + error.message
        if road == GROUP:
            store = GroupStore(sink)
            snapshot = store.read()
            for warning in store.concerns(snapshot):
                self._warn(warning)
        exists = None if parts is None else connector is not None
        second = second_store(name, ((parts or {}).get("info") or {}).get("config") or {})
        if second:
            self._warn(second)
        return dict(_plain(snapshot, road, self.max_entries, exists, connector), method_reason=why, **self._insight(sink, snapshot, connector))

    def _why_group(self, name) -> str:
        return "no worker is asked" if self.rest is None else "there is no connector %s that REST could show" % name

    def _insight(self, sink, snapshot, connector) -> dict:
        """What only the brokers know: the group, and how far it is behind."""
        if sink is None:
            return {}
        if sink.is_elsewhere:
            self._warn("%s reads from other brokers than its workers (consumer.override.bootstrap.servers): its group is not looked at." % sink.name)
            return {}
        live = {place_of(entry.partition): entry.offset[OFFSET] for entry in snapshot.entries.values()}
        try:
            group = sink.kafka.group(sink.group)
            positions = sink.positions(live, group.members)
        except errors.BrokerError as error:
            self._warn("What the brokers know of %s could not be looked at. %s" % (sink.name, error.message))
            return {}
        if group.state is None and live:
            self._warn("The brokers know no consumer group %s, though %s has offsets. If the workers set consumer.group.id, give it as "
                       "consumer_group." % (sink.group, sink.name))
        beyond = outside(positions)
        if beyond:
            self._warn("%d partition%s of %s %s at an offset that the log does not hold, first %s-%d at %d, which holds %d to %d: it goes on where its "
                       "consumer's auto.offset.reset says." % (
                           len(beyond), "" if len(beyond) == 1 else "s", sink.name, "is" if len(beyond) == 1 else "are", beyond[0]["topic"],
                           beyond[0]["partition"], beyond[0]["committed"], beyond[0]["begin"], beyond[0]["end"]))
        unseen = sink.unseen(positions)
        if unseen:
            self._warn("%s reads %s, but there is no such topic, or the user lacks the permission Describe on it: what there is to read is not "
                       "part of the lag." % (sink.name, ", ".join(unseen)))
        if connector is not None and connector.state == STOPPED:
            (self._stopped if live else self._without).append(sink.name)
            self._kept = self._kept or sink.forgotten_after()
        members = [{"client_id": one.client_id, "host": one.host, "partitions": len(one.places)} for one in group.members]
        return {"group": {"name": sink.group, "state": group.state, "members": members},
                "positions": cut(positions, self.max_entries), "positions_count": len(positions),
                "lag": sum(one["lag"] or 0 for one in positions)}

    def _warn_stopped(self) -> None:
        if self._stopped:
            self._warn("The brokers forget the offsets of a group without members after a time (%s). Longer than that these sinks must not be STOPPED, "
                       "or they begin anew where auto.offset.reset says: %s." % (self._kept, ", ".join(sorted(self._stopped))))
        if self._without:
            self._warn("These sinks are STOPPED, and the brokers have no offsets of them: there never were any, or they were forgotten, as those "
                       "of a group without members are after a time (%s). They begin where auto.offset.reset says: %s." % (
                           self._kept, ", ".join(sorted(self._without))))

    # ---- one road each -------------------------------------------------------------------------------------------

    def _by_rest(self, name, connector) -> dict:
        try:
            if connector is None:
                raise errors.NoConnector("")
            store = self._asked(self.rest, name, connector.kind)
            snapshot = store.read()
        except errors.NoConnector:
            snapshot, connector = Snapshot(name, SOURCE), None
        return _plain(snapshot, self._asked.road, self.max_entries, connector is not None, connector)

    def _of_store(self, store, connector, parts) -> dict:
        snapshot = store.read()
        for warning in store.concerns(snapshot):
            self._warn(warning)
        held = store.held()
        result = dict(
            _plain(snapshot, store.road, self.max_entries, None if parts is None else connector is not None, connector), method_reason=self._why,
            topic={"name": store.topics[0], "partitions": self._reader.read(store.topics[0]).topic.partitions})
        # A file has no times, and any order.
        shown = [] if self._road == FILE else [one for one in held.values() if one.shown is not None and one.shown.offset is not None]
        newest = max(shown, key=lambda one: (one.shown.time or 0, one.shown.log_offset)) if shown else None
        result["newest"] = newest and {"partition": newest.partition, "offset": newest.shown.offset, "time": timestamp(newest.shown.time)}
        odd = list(store.oddities().items())
        result["oddities"] = [{"partition": held[key].partition, "kinds": words, "records": [
            self._record(copy, copy is held[key].shown) for copy in held[key].copies]} for key, words in cut(odd, self.max_entries)]
        result["oddities_count"] = len(odd)
        unreadable = store.unreadable_records()
        result["unreadable_records"] = [_unreadable(one) for one in cut(unreadable, self.max_entries)]
        result["history"] = self._history_of(store) if self._history else []
        return result

    def _history_of(self, store) -> list:
        log = self._reader.read(store.topics[0])
        return [{"partition": held.partition, "records": [self._record(copy, None) for copy in log.history(held)]}
                for _key, held in cut(sorted(store.held().items()), self.max_entries)]

    def _record(self, copy, shown) -> dict:
        record = {"topic_partition": copy.place, "record_offset": copy.log_offset, "time": timestamp(copy.time), "key": raw_text(copy.key),
                  "offset": copy.offset, "tombstone": not copy.live}
        return record if shown is None else dict(record, encoding=copy.form, shown=shown)

    def _topic(self, name, decoded) -> dict:
        log = self._reader.read(name)
        return {
            "name": name, "partitions": log.topic.partitions, "cleanup_policy": log.topic.cleanup_policy, "records": log.records,
            "key_count": sum(len(last) for last in log.last),
            "unreadable_records": [_unreadable(one) for one in cut(decoded.unreadable, self.max_entries)],
            "unreadable_count": len(decoded.unreadable),
        }

    def _topics(self, name) -> TopicReader:
        if self._reader is None:
            self._reader = FileReader(self.kafka, once=True) if self._road == FILE else TopicReader(
                self.kafka, name if self._history else None, once=True)
        return self._reader

    def _warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)


def _says_sink(connector, parts) -> bool:
    return SINK in (connector.kind, (parts.get("info") or {}).get("type"))


def _plain(snapshot, road, max_entries, exists, connector) -> dict:
    """Everything that a road can show, as far as every road can."""
    return dict(info_result(snapshot, road, max_entries), method_reason=None, connector_exists=exists,
                connector=connector.result() if connector else None, oddities=[], oddities_count=0, newest=None, unreadable_records=[],
                history=[], group=None, positions=[], positions_count=0, lag=None)


def _unreadable(one) -> dict:
    return {"topic_partition": one.place, "record_offset": one.log_offset, "time": timestamp(one.time),
            "key": None if one.key is None else raw_text(one.key), "connector": one.connector, "reason": one.reason}
