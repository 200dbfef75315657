# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What connector_offsets_info shows: the offsets of one connector or of all, by REST, from the offsets topic, or of a sink's group."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import AUTO, FILE, GROUP, REST, STRIMZI, TOPIC, TURNS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import STOPPED, Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import OFFSET, SINK, SOURCE, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plugin_version import plugin_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import cut, info_result
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_config import SinkConfig
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import timestamp
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file import FileStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file_log import FileLog
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.group import GroupStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import RestStore, in_memory_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import (
    Sink,
    check_rest_sees,
    orphaned_groups,
    outside,
    place_of,
    second_store,
    sink_left,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.strimzi import StrimziStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicStore, raw_text
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic_discovery import topics_of

#: after how many connectors in a row that let a request run into its time limit no further one is asked
_HANGING = 3


class OffsetsInfo:
    """Reads, and never changes anything."""

    def __init__(self, rest, kafka, method=AUTO, offset_topic=None, history=False, max_entries=1000,
                 consumer_group=None, offset_file=None):
        """rest, kafka: the clients, one of them may be None; rest can be a StrimziClient. history: show older records as well, which needs the topic.
        offset_file: path of a standalone worker's file, which is read as it is, whether its worker runs or not.

        Raises DeclarationError where the method lacks what it needs.
        """
        #: the store of those who are asked: the worker, or the operator
        self._asked = RestStore
        if getattr(rest, "method", REST) == STRIMZI:
            self._asked, method = StrimziStore, REST
        file = offset_file if method in (AUTO, FILE) else None
        self._file = None
        if method == FILE and not file:
            raise errors.DeclarationError("method: file needs offset_file, or worker_config of a standalone worker.")
        if file:
            if history:
                raise errors.DeclarationError("history needs the offsets topic: a file holds the present offsets alone.")
            rest, kafka, method, self._file = None, None, TOPIC, FileLog(file)
            offset_topic = self._file.path
        elif kafka is None and (method in (TOPIC, GROUP) or rest is None):
            raise errors.DeclarationError("method: %s needs bootstrap_servers (or the variable kafka_bootstrap_servers of the host)." % (
                GROUP if method == GROUP else TOPIC))
        if rest is None and method == REST:
            raise errors.DeclarationError("method: rest needs connect_url (or the variable kafka_connect_url of the host).")
        if history and (kafka is None or method in (REST, GROUP)):
            raise errors.DeclarationError("history needs the offsets topic: bootstrap_servers, and not method: rest.")
        self.rest = rest
        self.kafka = kafka
        self.method = TOPIC if history and method == AUTO else method
        self.max_entries = self._limit = max_entries
        self.warnings = []
        #: {connector: why all() does not show it}
        self.left_out = {}
        self._why = "history is on the topic alone" if history and method == AUTO else "method: file" if file else "method: topic"
        self._chosen = FILE if file else TOPIC
        self._offset_topic = offset_topic
        self._history = history
        self._logs = None
        self._consumer_group = consumer_group or None
        #: what the worker has said of all connectors, None so far
        self._known = None
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
            raise errors.MethodError("%s is a source: its offsets are records of an offsets topic, not the commits of a consumer group." % name)
        if self.method != TOPIC and self.rest is not None and (parts or self.kafka is None or self.method == REST):
            try:
                snapshot, connector = self._read_rest(name, connector)
                self._ask_the_topic(name, connector, parts, snapshot)
                return self._of_rest(snapshot, connector)
            except TURNS as error:
                if self.method == REST or self.kafka is None:
                    raise
                self._why = "REST cannot show it: " + error.message
        elif self.method == AUTO:
            self._why = "no worker is asked" if self.rest is None else "there is no connector %s that REST could show" % name
        store = self._store(name, parts)
        found = self._of_store(store, connector, parts)
        if connector is None and self.method == TOPIC and self._chosen == TOPIC and not found["offsets"] and not found["unreadable"]:
            left = sink_left(self._sink_of(name, None), store.topics[0])
            if left:
                self._warn(left)
        return found

    def _store(self, name, parts) -> TopicStore:
        logs = self._open(name)
        config = parts["info"]["config"] if parts else None
        return self._kind(logs, name, self._topics_of(name, logs, config))

    @property
    def _kind(self):
        return TopicStore if self._file is None else FileStore

    def _topics_of(self, name, logs, config) -> list:
        """A topic that seems to be another Connect cluster's is worth a warning: nothing is changed here."""
        try:
            return topics_of(name, self.rest, logs, self._offset_topic, config, for_change=False)
        except errors.MethodError as error:
            found = topics_of(name, self.rest, logs, self._offset_topic, config, for_change=False, sure=True)
            self._warn(error.message)
            return found

    def _ask_the_topic(self, name, connector, parts, snapshot) -> None:
        """REST shows what it can find, which need not be what the connector reads. Raises MethodError."""
        if self.kafka is None or self.method == REST or connector is None or connector.kind == SINK:
            return
        try:
            store = self._store(name, parts)
            store.read()
            lost = store.lost(snapshot.entries)
        except (errors.BrokerError, errors.MethodError, errors.NotOffsetsTopic) as error:
            self._warn("What REST shows of %s could not be compared with the offsets topic. %s" % (name, error.message))
            return
        if not store.agrees_with_rest():
            raise errors.MethodError("the offsets topic holds records that it does not show as they are.")
        for text in store.forgets() + ([in_memory_alone(name, lost, store.topics[0])] if lost else []):
            self._warn(text)

    def cluster(self) -> dict:
        """What tells it apart in a document; no credentials."""
        return {"connect_url": self.rest.url if self.rest else None,
                "kafka_cluster_id": self.rest.root().get("kafka_cluster_id") if self.rest else self.kafka.cluster_id if self.kafka else None}

    def all(self) -> dict:
        """Of every connector: those that the worker knows, and by the topic those of which there are only offsets left."""
        known = self._known = None if self.rest is None else self.rest.connectors()
        found = dict(self._all_of_them(known), **self._orphaned_groups(known))
        self._warn_stopped()
        return found

    def plugins(self) -> dict:
        """{connector: {"class", "version"}} of those that all() has found to exist (see _core.plugin_version)."""
        found = {}
        for name, parts in (self._known or {}).items():
            status = (parts.get("status") or {}).get("connector") or {}
            found[name] = plugin_of(self.rest, (parts.get("info") or {}).get("config"), status.get("version"))
        return {name: plugin for name, plugin in found.items() if plugin}

    def _all_of_them(self, known) -> dict:
        if self.method == GROUP:
            if known is None:
                raise errors.DeclarationError("method: group without name needs connect_url: the groups alone do not tell which of them are connectors.")
            sinks = self._sinks(known)
            return dict(self._all(sinks, GROUP), topic=None)
        if self.method == REST or self.kafka is None and self._file is None:
            return self._all_by_rest(known)
        if self.method == AUTO:
            self._why = "only the offsets topic shows the offsets of all connectors, gone ones too"
        logs = self._open("")
        shared = self._topics_of("", logs, None)[0]
        decoded = logs.read(shared).decoded()
        for warning in logs.warnings([shared]):
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
                store = self._kind(logs, name, topics_of(name, None, logs, shared, config, for_change=False))
                one = dict(self._of_store(store, connector, parts), name=name)
                if parts or one["offsets_count"] or one["unreadable_count"] or one["unreadable_records"]:
                    found.append(one)  # else nothing is left of it but tombstones
            except (errors.MethodError, errors.BrokerError, errors.NotOffsetsTopic) as error:
                self._leave_out(name, error)
        if self.method == AUTO:
            found = sorted(found + self._sinks(known or {}), key=lambda one: one["name"])
        return dict(self._all(found, self._chosen), topic=self._topic(shared, decoded))

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
            except (errors.RestError, errors.BrokerError, errors.MethodError) as error:
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
        found, failure, hanging = [], None, 0
        self._share(len(known))
        for name, parts in sorted(known.items()):
            connector = Connector(dict(parts.get("status") or {}, name=name))
            try:
                found.append(dict(self._sink(name, connector, parts) if connector.kind == SINK else self._by_rest(name, connector), name=name))
            except errors.NoConnector:
                pass  # deleted meanwhile
            except (errors.Unreachable, errors.EndpointMissing, errors.NotConnect):
                raise  # of all of them
            except (errors.AmbiguousName, errors.MethodError) as error:
                self._leave_out(name, error)
            except errors.RestError as error:
                failure = failure or error
                self._leave_out(name, error)
                hanging += isinstance(error, (errors.ResponseLost, errors.OutcomeUnknown))
                if hanging == _HANGING and not found:
                    break  # each of them would last as long
        if failure and not found:
            raise failure
        return dict(self._all(found, self._asked.method), topic=None)

    def _share(self, connectors) -> None:
        """The limit is for all of them together; each may show at least one partition."""
        if self.max_entries and connectors:
            self.max_entries = max(1, self.max_entries // connectors)

    def _all(self, found, method) -> dict:
        lags = [one["lag"] for one in found if one["lag"] is not None]
        return {"changed": False, "method": method, "method_reason": self._why if method in (TOPIC, FILE) else None, "connectors": found,
                "lag": sum(lags) if lags else None, "warnings": self.warnings}

    # ---- sinks ---------------------------------------------------------------------------------------------------

    def _is_sink(self, name, connector) -> bool:
        """Raises MethodError for one whose offsets are looked for on the topic."""
        if connector is not None:
            if connector.kind == SINK and self.method == TOPIC:
                raise errors.MethodError("%s is a sink: its offsets are the commits of its consumer group, not records of an offsets topic." % name)
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
        except (errors.BrokerError, errors.MethodError, errors.NotOffsetsTopic):
            return True
        return not snapshot.entries and not snapshot.unreadable

    def _sink_of(self, name, parts) -> Sink:
        workers_cluster = self.rest.root().get("kafka_cluster_id") if parts else None
        return Sink(self.kafka, self._sink_config(name, parts), workers_cluster)

    def _sink_config(self, name, parts) -> SinkConfig:
        return SinkConfig(name, ((parts or {}).get("info") or {}).get("config"), self._consumer_group)

    def _sink(self, name, connector, parts) -> dict:
        settings = self._sink_config(name, parts)
        sink = None if self.kafka is None else self._sink_of(name, parts)
        method, why = self._asked.method, None
        if connector is None or self.method == GROUP:
            method, why = GROUP, "method: group" if self.method == GROUP else self._why_group(name)
        else:
            try:
                check_rest_sees(settings, sink)
                snapshot = self._asked(self.rest, name, SINK).read()
            except TURNS as error:
                if self.method == REST or sink is None:
                    raise
                method, why = GROUP, "REST cannot show it: " + error.message
        if method == GROUP:
            if sink.is_elsewhere:
                raise errors.MethodError("%s. Its consumer group is where it reads: give those as bootstrap_servers." % sink.why_elsewhere())
            if settings.why_unknown():
                raise errors.MethodError(settings.why_unknown())
            store = GroupStore(sink)
            snapshot = store.read()
            for warning in store.warnings_about(snapshot):
                self._warn(warning)
        exists = None if parts is None else connector is not None
        second = second_store(name, settings.config)
        if second:
            self._warn(second)
        return dict(_plain(snapshot, method, self.max_entries, exists, connector), method_reason=why, **self._insight(settings, sink, snapshot, connector))

    def _why_group(self, name) -> str:
        return "no worker is asked" if self.rest is None else "there is no connector %s that REST could show" % name

    def _insight(self, settings, sink, snapshot, connector) -> dict:
        """What the brokers know: the group, and how far it is behind. Without them the group's name alone."""
        unknown = {"group": {"name": settings.group, "state": None, "members": None}}
        if sink is None:
            return unknown
        live = {place_of(entry.partition): entry.offset[OFFSET] for entry in snapshot.entries.values()}
        try:
            if sink.is_elsewhere:
                self._warn("%s: its group is not looked at." % sink.why_elsewhere())
                return unknown
            group = sink.kafka.groups.group(sink.group)
            positions = sink.positions(live, group.members)
        except errors.BrokerError as error:
            self._warn("What the brokers know of %s could not be looked at. %s" % (sink.name, error.message))
            return unknown
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
        without = [one for one in positions if one["committed"] is None and one["lag"] is None]
        if without and live:
            self._warn("%d partition%s of %s with records have no offset, first %s-%d: what there is to read is not part of the lag." % (
                len(without), "" if len(without) == 1 else "s", sink.name, without[0]["topic"], without[0]["partition"]))
        if connector is not None and connector.state == STOPPED:
            (self._stopped if live else self._without).append(sink.name)
            self._kept = self._kept or sink.forgotten_after()
        members = [{"client_id": one.client_id, "host": one.host, "partitions": len(one.places)} for one in group.members]
        return {"group": {"name": sink.group, "state": group.state, "members": members},
                "positions": cut(positions, self.max_entries), "positions_count": len(positions),
                "lag": None if without and not live else sum(one["lag"] or 0 for one in positions)}

    def _warn_stopped(self) -> None:
        if self._stopped:
            self._warn("The brokers forget the offsets of a group without members after a time (%s). Longer than that these sinks must not be STOPPED, "
                       "or they begin anew where auto.offset.reset says: %s." % (self._kept, ", ".join(sorted(self._stopped))))
        if self._without:
            self._warn("These sinks are STOPPED, and the brokers have no offsets of them: there never were any, or they were forgotten, as those "
                       "of a group without members are after a time (%s). They begin where auto.offset.reset says: %s." % (
                           self._kept, ", ".join(sorted(self._without))))

    # ---- one method each -------------------------------------------------------------------------------------------

    def _by_rest(self, name, connector) -> dict:
        return self._of_rest(*self._read_rest(name, connector))

    def _read_rest(self, name, connector) -> tuple:
        """(Snapshot, Connector, or None where it is gone)"""
        try:
            if connector is None:
                raise errors.NoConnector("")
            store = self._asked(self.rest, name, connector.kind)
            snapshot = store.read()
        except errors.NoConnector:
            snapshot, connector = Snapshot(name, SOURCE), None
        return snapshot, connector

    def _of_rest(self, snapshot, connector) -> dict:
        return _plain(snapshot, self._asked.method, self.max_entries, connector is not None, connector)

    def _of_store(self, store, connector, parts) -> dict:
        snapshot = store.read()
        for warning in store.warnings_about(snapshot):
            self._warn(warning)
        held = store.held()
        result = dict(
            _plain(snapshot, store.method, self.max_entries, None if parts is None else connector is not None, connector), method_reason=self._why,
            topic={"name": store.topics[0], "partitions": self._logs.read(store.topics[0]).topic.partitions})
        # A file has no times, and any order.
        shown = [] if self._chosen == FILE else [one for one in held.values() if one.shown is not None and one.shown.offset is not None]
        newest = max(shown, key=lambda one: (one.shown.time or 0, one.shown.log_offset)) if shown else None
        result["newest"] = newest and {"partition": newest.partition, "offset": newest.shown.offset, "time": timestamp(newest.shown.time)}
        odd = list(store.anomalies().items())
        result["anomalies"] = [{"partition": held[key].partition, "kinds": words, "records": [
            self._record(copy, copy is held[key].shown) for copy in held[key].copies]} for key, words in cut(odd, self.max_entries)]
        result["anomalies_count"] = len(odd)
        unreadable = store.unreadable_records()
        result["unreadable_records"] = [_unreadable(one) for one in cut(unreadable, self.max_entries)]
        result["history"] = self._history_of(store) if self._history else []
        return result

    def _history_of(self, store) -> list:
        log = self._logs.read(store.topics[0])
        return [{"partition": held.partition, "records": [self._record(copy, None) for copy in log.history(held)]}
                for _key, held in cut(sorted(store.held().items()), self.max_entries)]

    def _record(self, copy, shown) -> dict:
        record = {"topic_partition": copy.place, "record_offset": copy.log_offset, "time": timestamp(copy.time), "key": raw_text(copy.key),
                  "offset": copy.offset, "tombstone": not copy.live}
        return record if shown is None else dict(record, encoding=copy.form, shown=shown)

    def _topic(self, name, decoded) -> dict:
        log = self._logs.read(name)
        return {
            "name": name, "partitions": log.topic.partitions, "cleanup_policy": log.topic.cleanup_policy, "records": log.records,
            "key_count": sum(len(last) for last in log.last),
            "unreadable_records": [_unreadable(one) for one in cut(decoded.unreadable, self.max_entries)],
            "unreadable_count": len(decoded.unreadable),
        }

    def _open(self, name) -> OffsetLogs:
        if self._logs is None:
            self._logs = OffsetLogs(self._file or KafkaLogs(self.kafka), name if self._history else None, once=True)
        return self._logs

    def _warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)


def _says_sink(connector, parts) -> bool:
    return SINK in (connector.kind, (parts.get("info") or {}).get("type"))


def _plain(snapshot, method, max_entries, exists, connector) -> dict:
    """Everything that a method can show, as far as every method can."""
    return dict(info_result(snapshot, method, max_entries), method_reason=None, connector_exists=exists,
                connector=connector.result() if connector else None, anomalies=[], anomalies_count=0, newest=None, unreadable_records=[],
                history=[], group=None, positions=[], positions_count=0, lag=None)


def _unreadable(one) -> dict:
    return {"topic_partition": one.place, "record_offset": one.log_offset, "time": timestamp(one.time),
            "key": None if one.key is None else raw_text(one.key), "connector": one.connector, "reason": one.reason}
