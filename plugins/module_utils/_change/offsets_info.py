# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What connector_offsets_info shows: the offsets of one connector or of all, by the store by which they would be changed (see _change.routing)."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.shared_clients import SharedWorker
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.shown_offsets import shown, shown_records, shown_topic
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.sink_progress import SinkProgress, orphaned_groups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, SOURCE, Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plugin_version import plugin_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles import told
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import cut
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.elsewhere import second_store
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import AUTO, FILE, GROUP, REST, STRIMZI, TOPIC, Access
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file_log import FileLog
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import in_memory_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import sink_left

#: after how many connectors in a row that let a request run into its time limit no further one is asked
_HANGING = 3


class OffsetsInfo:
    """Reads, and never changes anything."""

    def __init__(self, rest, kafka, method=AUTO, offset_topic=None, history=False, max_entries=1000,
                 consumer_group=None, offset_file=None, profiles=BUILT_IN):
        """rest, kafka: the clients, one of them may be None; rest can be a StrimziClient. history: show older records as well, which needs the topic.
        offset_file: path of a standalone worker's file, which is read as it is, whether its worker runs or not. profiles: Catalog of what connectors store.

        Raises DeclarationError where the method lacks what it needs.
        """
        self._given = {"kafka": kafka, "method": method, "offset_topic": offset_topic, "consumer_group": consumer_group, "offset_file": offset_file,
                       "for_change": False, "profiles": profiles}
        access = Access(rest, "", **self._given)
        if history and access.is_file:
            raise errors.DeclarationError("history needs the offsets topic: a file holds the present offsets alone.")
        if history and (kafka is None or access.method in (REST, GROUP, STRIMZI)):
            raise errors.DeclarationError("history needs the offsets topic: kafka_bootstrap_servers, and not method: rest.")
        self._reason = "history is on the topic alone" if history and access.method == AUTO else None
        self.method = self._given["method"] = TOPIC if self._reason else access.method
        self.rest, self.kafka = None if access.is_file else rest, access.kafka
        self._source = FileLog(access.offset_topic) if access.is_file else KafkaLogs(kafka) if kafka is not None else None
        self.max_entries = self._limit = max_entries
        self.warnings = []
        #: {connector: why all() does not show it}
        self.left_out = {}
        self._history = history
        #: what the worker has said of all connectors, None so far
        self._known = None
        self._progress = SinkProgress(self._warn)

    def plugins(self) -> dict:
        """{connector: {"class", "version"}} of those that all() has found to exist (see _core.plugin_version)."""
        found = {}
        for name, parts in (self._known or {}).items():
            status = (parts.get("status") or {}).get("connector") or {}
            found[name] = plugin_of(self.rest, (parts.get("info") or {}).get("config"), status.get("version"))
        return {name: plugin for name, plugin in found.items() if plugin}

    # ---- one of them -----------------------------------------------------------------------------------------------

    def one(self, name: str) -> dict:
        """Of one connector."""
        self._open(name)
        parts = self._parts(name)
        try:
            found = self._show(name, parts, self._reason)
        except errors.NoConnector:  # deleted a moment ago
            found = shown(Snapshot(name, SOURCE), self._worker_method, self.max_entries, False, None)
        self._progress.warn_stopped()
        return dict(found, changed=False, warnings=self.warnings, profile=self._profile(name, parts, found))

    def _profile(self, name, parts, found):
        """What the connector stores; None where that is not known. found: the result for it."""
        config = ((parts or {}).get("info") or {}).get("config")
        profile, live = self._given["profiles"].find(config), [Entry(**pair) for pair in found["offsets"]]
        for text in told.older_beside(profile, live) if profile is not None else []:
            self._warn("%s: %s" % (name, text))
        return told.shown(profile, config, name, live)

    def _parts(self, name):
        """{"status", "info"} of a connector; {} where there is none, None without a worker to ask."""
        if self.rest is None:
            return None
        try:
            return {"status": self.rest.status(name), "info": self.rest.info(name)}
        except errors.NoConnector:
            return {}

    def _open(self, history_of) -> None:
        """history_of: of which connector older records are shown, if they are; "" for all."""
        if self._source is not None:
            self._given["logs"] = OffsetLogs(self._source, history_of if self._history else None, once=True)

    @property
    def _worker_method(self) -> str:
        return STRIMZI if self.method == STRIMZI else REST

    def _access(self, name, parts, **given) -> Access:
        """parts: see _parts(). given: where it is not as for all of them."""
        config = (parts.get("info") or {}).get("config") or {} if parts else None
        access = Access(name=name, config=config, **{**self._given, "rest": self.rest, **given})
        access.warnings = self.warnings
        return access

    def _show(self, name, parts, reason=None, **given) -> dict:
        """reason: why it is this method, where that was chosen here. Raises NoConnector for one that was deleted a moment ago."""
        connector = _connector(name, parts)
        exists = None if parts is None else connector is not None
        access = self._access(name, parts, **given)
        if connector is None and not access.topic_is_open:
            return shown(Snapshot(name, SOURCE), self._worker_method, self.max_entries, exists, None)
        router = Router(access, reason)
        route = router.look(connector)
        store, snapshot = route.store, route.plan.live
        found = shown(snapshot, store.method, self.max_entries, exists, connector)
        if store.method not in (REST, STRIMZI):
            found["method_reason"] = route.reason
            for warning in store.warnings_about(snapshot):
                self._warn(warning)
        if route.semantics.kind == SINK:
            found.update(self._progress.of(route.semantics, snapshot, connector, self.max_entries))
            self._warn(second_store(name, route.semantics.settings.config, access.profiles))
        elif store.method in (TOPIC, FILE):
            found.update(shown_records(store, self.max_entries, self._history))
            if connector is None and access.method == TOPIC and not given and not snapshot.entries and not snapshot.unreadable:
                self._warn(sink_left(access.sink(None), store.topics[0]))
        elif snapshot.lost:
            self._warn(in_memory_alone(name, snapshot.lost, router.compared.topics[0]))
        return found

    # ---- all of them -----------------------------------------------------------------------------------------------

    def all(self) -> dict:
        """Of every connector: those that the worker knows, and by the topic those of which there are only offsets left."""
        self._open("")
        if self.rest is not None and self.rest.method != STRIMZI:
            self.rest = SharedWorker(self.rest)
        known = self._known = None if self.rest is None else self.rest.connectors()
        found = dict(self._all_of_them(known), **self._orphaned_groups(known))
        self._progress.warn_stopped()
        return found

    def _all_of_them(self, known) -> dict:
        if self.method == GROUP:
            if known is None:
                raise errors.DeclarationError("method: group without name needs kafka_connect_url: the groups alone do not show which of them are connectors.")
            return self._all(self._sinks(known), GROUP)
        if self._source is None or self.method in (REST, STRIMZI):
            return self._all(self._by_worker(known), self._worker_method)
        if self.method == AUTO:
            self._reason = "only the offsets topic shows the offsets of all connectors, gone ones too"
        logs, given = self._given["logs"], self._access("", None)
        topic = given.topics(None)[0]
        decoded = logs.read(topic).decoded()
        for warning in logs.warnings([topic]):
            self._warn(warning)
        names = set(decoded.connectors) | {one.connector for one in decoded.unreadable if one.connector is not None} | set(known or ())
        self._share(len(names))
        found = self._on_topic(sorted(names), known, {"rest": None} if given.is_file else {"rest": None, "method": TOPIC, "offset_topic": topic})
        if self.method == AUTO:
            found = sorted(found + self._sinks(known or {}), key=lambda one: one["name"])
        result = self._all(found, FILE if given.is_file else TOPIC)
        return dict(result, topic=shown_topic(logs.read(topic), decoded, self.max_entries),
                    method_reason=self._reason or "method: %s" % result["method"])

    def _on_topic(self, names, known, given) -> list:
        found = []
        for name in names:
            parts = None if known is None else known.get(name, {})
            if parts and _says_sink(name, parts):
                continue  # their offsets are their groups'
            try:
                one = self._show(name, parts, self._reason, **given)
            except (errors.MethodError, errors.BrokerError, errors.NotOffsetsTopic) as error:
                self._leave_out(name, error)
                continue
            if parts or one["offsets_count"] or one["unreadable_count"] or one["unreadable_records"]:
                found.append(dict(one, name=name))  # else nothing is left of it but tombstones
        return found

    def _sinks(self, known) -> list:
        found = []
        for name, parts in sorted(known.items()):
            if not _says_sink(name, parts):
                continue
            try:
                found.append(dict(self._show(name, parts), name=name))
            except errors.NoConnector:
                pass  # deleted meanwhile
            except (errors.RestError, errors.BrokerError, errors.MethodError) as error:
                self._leave_out(name, error)
        return found

    def _by_worker(self, known) -> list:
        found, failure, hanging = [], None, 0
        self._share(len(known))
        for name, parts in sorted(known.items()):
            try:
                found.append(dict(self._show(name, parts), name=name))
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
        return found

    def _orphaned_groups(self, known) -> dict:
        found = None
        if self.kafka is not None and known is not None and self.method in (AUTO, GROUP):
            try:
                found = orphaned_groups(self.kafka, {name: (parts.get("info") or {}).get("config") for name, parts in known.items()})
            except errors.BrokerError as error:
                self._warn("The groups of sinks that are gone could not be looked for. %s" % error.message)
        return {"orphaned_groups": found and cut(found, self._limit), "orphaned_groups_count": None if found is None else len(found)}

    def _share(self, connectors) -> None:
        """The limit is for all of them together; each may show at least one partition."""
        if self.max_entries and connectors:
            self.max_entries = max(1, self.max_entries // connectors)

    def _all(self, found, method) -> dict:
        lags = [one["lag"] for one in found if one["lag"] is not None]
        return {"changed": False, "method": method, "method_reason": None, "topic": None, "connectors": found,
                "lag": sum(lags) if lags else None, "warnings": self.warnings}

    def _leave_out(self, name, error) -> None:
        self.left_out[name] = error.message
        self._warn("%s is left out: %s" % (name, error.message))

    def _warn(self, text) -> None:
        if text and text not in self.warnings:
            self.warnings.append(text)


def _connector(name, parts):
    """The Connector; None where there is none, or no worker is queried."""
    return Connector(dict(parts.get("status") or {}, name=name)) if parts else None


def _says_sink(name, parts) -> bool:
    return SINK in (_connector(name, parts).kind, (parts.get("info") or {}).get("type"))
