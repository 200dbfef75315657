# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""One run of a module that changes offsets: its clients, what its changes read together, the ledger, the backup of all of them."""

from __future__ import annotations

import functools
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import backups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.boundaries import Boundaries
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import FOUND, LEAVE, Declaration
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.shared_clients import SharedBrokers, SharedOperator, SharedWorker
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connectors import cluster_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import PAUSED, RUNNING, STATES, STOPPED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import Catalog
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.migration import is_migration
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.automatic_change import AutomaticChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.connector_changes import SilentRuns
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.marker import marked_changes
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import make_id
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.select import NONE, ledger_for_changes
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import TrackedChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import AUTO, FILE, STRIMZI, TOPIC, Access, cluster_facts

#: plugin   class and version of the connector, None where there is none
BackedUp = namedtuple("BackedUp", ["snapshot", "method", "plugin"])

FINAL_STATES = [FOUND] + list(STATES)


class Session:
    """The clients of all changes of a run."""

    def __init__(self, client, kafka, sources, params: dict):
        """client, kafka: None if there is none. sources: SourceClusters. params: those of the module, without what declarations hold."""
        self.params = params
        self._client, self._kafka, self._sources = client, kafka, sources
        self.worker, self._brokers, self._logs = client, kafka, None
        self._ledger = self._waits = None
        #: whether there are many connectors
        self._many = False
        #: the change_id of changes that were given none
        self._made_id = make_id()
        self._backed_up = {}
        self.profiles = Catalog(params.get("kafka_connect_profiles"))

    def share(self) -> None:
        """For many connectors: what all of their changes ask is asked once in a moment, and other runs are waited for once."""
        self._many, self._waits = True, SilentRuns(of_all=True)
        if self._client is not None:
            self.worker = SharedOperator(self._client) if self._client.method == STRIMZI else SharedWorker(self._client)
        if self._kafka is not None:
            self._brokers = SharedBrokers(self._kafka)
        is_file = self.params["offset_file"] and self.params["method"] in (AUTO, FILE)
        if is_file or self._kafka is not None:
            from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import logs_of
            self._logs = logs_of(self._brokers, self.params["offset_file"] if is_file else None, many=True)

    @property
    def sources(self) -> list:
        """Clients that keep an answer for a moment, each with renew()."""
        return [source for source in (self.worker, self._brokers, self._logs) if source is not None]

    @property
    def is_backed_up(self) -> bool:
        return bool(self._backed_up)

    def boundaries(self, declarations) -> Boundaries:
        """Raises DeclarationError where some are asked for and there are no brokers."""
        return Boundaries(self._client, self._kafka, {one.name: one.boundaries for one in declarations if one.boundaries})

    def cluster(self):
        """None where nobody can be asked; what that means for a change, the change says."""
        if self.worker is None or self.worker.method == STRIMZI:  # whose login may not see the others
            return None
        try:
            return cluster_of(self.worker, self.worker.connectors())
        except errors.ConnectError:
            return None

    def open_ledger(self, whole=True) -> None:
        """Raises ConnectError where there is none. whole: for many connectors."""
        self._ledger = ledger_for_changes(self.params, self._client, self._kafka, whole=whole)

    def sync_ledger(self) -> dict:
        """See Ledger.sync()."""
        return self._ledger.sync() if self._ledger is not None else {}

    def backup_file(self, name: str):
        """Path of the document to write before the first write, or None. name: of the connector, or "many"."""
        return (self.params["backup_file"] or backups.default_path(name)) if self.params["backup"] else None

    def copy(self):
        """What copy_from, or a migration in rewrite, asks for, or None."""
        params = self.params
        name = params["copy_from"] or (params["name"] if is_migration(params["rewrite"]) else None)
        if not name:
            return None
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.copy_offsets import Copy
        router = self._router(Declaration(name, None, None, False, FOUND, params["force"], params["method"], {}))
        return Copy(self.worker, name, router, params["rewrite"], params["purge"], params["force"])

    def item(self, one: Declaration, **more) -> ChangeItem:
        params, router, tracked = self.params, self._router(one), self._tracked(one)
        final_state = one.final_state
        if final_state in STATES:
            final_state = STATES[final_state] if self.worker is not None else LEAVE
        return self._item(
            one.name, one.desired, router, once=tracked, stop=params["stop"], final_state=final_state,
            roll_back=functools.partial(self._undo, one) if params["rollback"] and self.worker is not None else None, **more)

    def _tracked(self, one: Declaration):
        """What records the change; None where nothing does."""
        by = self.params["requested_by"] or None
        if one.change_id:
            return TrackedChange(self._ledger, one.name, one.change_id, by, one.undo, one.force, marked=lambda: marked_changes(self.worker, one.name),
                                 waits=self._waits)
        return AutomaticChange(self._any_ledger, one.name, self._made_id, by, waits=self._waits) if self.params["ledger"] != NONE else None

    def _any_ledger(self):
        """Raises ConnectError where there is none."""
        if self._ledger is None:
            self._ledger = ledger_for_changes(self.params, self._client, self._kafka, whole=self._many, creates=False)
        return self._ledger

    def _item(self, name: str, desired, router, **more) -> ChangeItem:
        params = {option: self.params[option] for option in (
            "settle", "assume_stopped", "wait_timeout", "max_entries", "check_position", "check_position_timeout")}
        return ChangeItem(self.worker, name, desired, router, **params, **more)

    def _router(self, one: Declaration) -> Router:
        params = self.params
        return Router(Access(self.worker, one.name, self._brokers, one.method, params["offset_topic"], connect_group=params["kafka_connect_group"],
                             force=one.force, sources=self._sources, offset_file=params["offset_file"], logs=self._logs,
                             profiles=self.profiles, **one.own))

    def _undo(self, one: Declaration, item) -> ChangeItem:
        """What puts offsets and state back after a change of which the connector failed."""
        tracked, desired = None, DesiredOffsets.nothing() if item.undo.replaced is None else DesiredOffsets.undo(item.undo.replaced)
        if item.entry.has_before:
            tracked = TrackedChange(self._ledger, one.name, item.once.change_id, self.params["requested_by"] or None, undo=True, force=True)
        before, method = item.result["state_before"], one.method
        if method == AUTO and item.store.method != STRIMZI:
            method = item.store.method  # by which it was made
        router = self._router(one._replace(force=True, method=method))
        return self._item(
            one.name, None if tracked else desired, router, once=tracked, stop=True,
            final_state=before if before in (PAUSED, STOPPED) else RUNNING, rolls_back=True, had_failed=item.states.had_failed)

    def write_backup(self, path, items: list) -> None:
        """One document with what all of them replace, those of earlier batches among them. path: None for none."""
        if not path:
            return
        new = {item.name: BackedUp(item.writing.before, item.store.method, item.planning.plugin(item.stopped))
               for item in items if item.name not in self._backed_up}
        if not new:
            return
        every = dict(self._backed_up, **new)
        methods = {name: one.method for name, one in every.items()}
        cluster = cluster_facts(self.worker, self._brokers)
        backups.write(path, [one.snapshot for one in every.values()], cluster, next(iter(methods.values())), replace=self.is_backed_up,
                      ordered=sorted(name for name, method in methods.items() if method in (TOPIC, FILE)), methods=methods,
                      plugins={name: one.plugin for name, one in every.items() if one.plugin})
        self._backed_up = every
