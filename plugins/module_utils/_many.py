# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The offsets of many connectors of one Connect cluster, declared in one pass."""

from __future__ import annotations

from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _backup
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import LEAVE, PUT_BACK, OffsetsChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connectors import cluster_of, state_diff
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.choose import ledger_for_changes
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import PAUSED, RUNNING, STATES, STOPPED, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offset_file import OffsetFile
from ansible_collections.streamops.kafka_connect.plugins.module_utils._once import Once
from ansible_collections.streamops.kafka_connect.plugins.module_utils._operator import check_owners, check_pod
from ansible_collections.streamops.kafka_connect.plugins.module_utils._roads import AUTO, FILE, STRIMZI, TOPIC, Roads
from ansible_collections.streamops.kafka_connect.plugins.module_utils._shared import SharedBrokers, SharedOperator, SharedWorker
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file import FileReader
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicReader
from ansible_collections.streamops.kafka_connect.plugins.module_utils._together import Together

#: how many changes that have names are made together: each writes to the ledger by itself, and must not be taken for dead meanwhile
_NAMED = 25

FOUND = "found"
FINAL_STATES = [FOUND] + list(STATES)

_VERBS = {RUNNING: "resume", PAUSED: "pause", STOPPED: "stop"}

#: wish         what is declared (see _plan); None to undo the change
#: change_id    None: the change has no name
#: undo         whether to put back what the change has replaced
#: final_state  found, started, paused or stopped
#: force        as that of the module connector_offsets
#: method       one of its roads
#: roads        what Roads takes besides, of this connector alone
Declaration = namedtuple("Declaration", ["wish", "change_id", "undo", "final_state", "force", "method", "roads"])


class Many:
    """Carries the declarations out, or predicts what that would be."""

    def __init__(self, client, kafka, sources, params: dict, declared: dict, shape):
        """client, kafka: None if there is none. params: those of the module, without what the declarations hold.

        declared: {connector: Declaration}. shape(connector, result of its change): what the module returns of it.
        """
        self._params = params
        self._declared = declared
        self._shape = shape
        self.worker = None if client is None else SharedOperator(client) if client.road == STRIMZI else SharedWorker(client)
        self._brokers = SharedBrokers(kafka) if kafka is not None else None
        self._sources = sources
        if params["offset_file"] and params["method"] in (AUTO, FILE):
            self._reader = FileReader(OffsetFile(params["offset_file"]), many=True)
        else:
            self._reader = TopicReader(self._brokers, many=True) if kafka is not None else None
        self._ledger_of = self._ledgers(client, kafka)
        self._backup = (params["backup_file"] or _backup.default_path("many")) if params["backup"] else None
        self._backed_up = {}
        self._cluster = None
        self._warnings = []
        #: whether anything was changed, or could have been
        self._begun = False

    def run(self, check_mode: bool) -> dict:
        """The module's result. Raises ConnectError, which says what was changed and what was not."""
        if self._backup:
            _backup.check(self._backup)
        self._cluster = self._ask_cluster()
        try:
            return self._run(check_mode)
        except errors.ConnectError as error:
            error.facts.setdefault("cluster", self._cluster)
            raise

    def _run(self, check_mode):
        self._check_before()
        done, failed = {}, {}
        parts = [list(self._declared)]
        if self._ledger_of and not check_mode:
            self._take_together(parts[0], True)  # what is wrong with the last one keeps the first one from being changed
            parts = [parts[0][start:start + _NAMED] for start in range(0, len(parts[0]), _NAMED)]
        for part in parts:
            results, errors_found = self._take_together(part, check_mode)
            done.update(results)
            failed.update(errors_found)
            if failed:
                break
        failed.update(self._reach_final_states(done, check_mode))
        result = self._result(done, failed)
        if failed:
            raise self._failure(failed, result) if self._begun else _refused(failed, len(self._declared))
        return result

    def _ask_cluster(self):
        """None where nobody can be asked; what that means for a change, the change says."""
        if self.worker is None or self.worker.road == STRIMZI:  # whose login may not see the others
            return None
        try:
            return cluster_of(self.worker, self.worker.connectors())
        except errors.ConnectError:
            return None

    # ---- before ----------------------------------------------------------------------------------------------

    def _ledgers(self, client, kafka):
        """What gives the ledger of a connector; None if no change has a name."""
        named = [name for name, one in self._declared.items() if one.change_id]
        if not named:
            return None
        first = ledger_for_changes(self._params, client, kafka, named[0], whole=True)
        return lambda name: ledger_for_changes(self._params, client, kafka, name) if first.kind == "config" else first

    def _check_before(self) -> None:
        """May this road be taken, and can each reach its final state? Raises ConnectError before anything is changed."""
        if self.worker is None or self.worker.road != STRIMZI:
            check_owners(self._params, {name: one.force for name, one in self._declared.items()}, self._warnings.append)
        for name, state in self._final_states(self._declared).items():
            lifecycle = Lifecycle(self.worker, name, self._params["wait_timeout"])
            try:
                found = lifecycle.read()
            except errors.ConnectError:
                continue  # what is wrong with it, its change says
            if lifecycle.is_in(state, found):
                continue
            if state == STOPPED:
                self.worker.require("stop")
            one = self._declared[name]
            if self.worker.road != STRIMZI:
                check_pod(found, one.force or one.method not in (AUTO, STRIMZI), self._warnings.append)

    def _final_states(self, names) -> dict:
        """{connector: the state to bring about}, of those that are not just put back."""
        wanted = {name: STATES.get(self._declared[name].final_state) for name in names if self.worker is not None}
        return {name: state for name, state in wanted.items() if state}

    def _changes(self, names) -> dict:
        params, found = self._params, {}
        for name in names:
            one = self._declared[name]
            roads = Roads(self.worker, name, self._brokers, one.method, params["offset_topic"], connect_group=params["connect_group"],
                          force=one.force, sources=self._sources, offset_file=params["offset_file"],
                          worker_pid=params["worker_pid"], reader=self._reader, **one.roads)
            once = Once(self._ledger_of(name), name, one.change_id, params["requested_by"] or None, one.undo, one.force) if one.change_id else None
            found[name] = OffsetsChange(
                self.worker, name, one.wish, roads, once=once, stop=params["stop"], settle=params["settle"],
                after_change=PUT_BACK if one.final_state == FOUND else LEAVE, assume_stopped=params["assume_stopped"],
                wait_timeout=params["wait_timeout"], max_entries=params["max_entries"])
        return found

    # ---- the changes -----------------------------------------------------------------------------------------

    def _take_together(self, names, check_mode) -> tuple:
        """({connector: result}, {connector: error}). Raises ConnectError where nothing was changed."""
        sources = [source for source in (self.worker, self._brokers, self._reader) if source is not None]
        together = Together(self._changes(names), self.worker, sources, self._write_backup)
        together.run(check_mode)
        for error in together.failed.values():
            if not isinstance(error, errors.ConnectError):
                raise error
        self._begun = self._begun or together.begun
        if together.failed and not self._begun:
            raise _refused(together.failed, len(self._declared))
        return together.done, together.failed

    def _write_backup(self, steps: dict) -> None:
        """One document with what all of them replace."""
        if not self._backup:
            return
        known = bool(self._backed_up)
        self._backed_up.update((name, (step.plan.live, step.store.road)) for name, step in steps.items() if name not in self._backed_up)
        roads = {name: road for name, (snapshot, road) in self._backed_up.items()}
        cluster = {"connect_url": self.worker.url if self.worker else None,
                   "kafka_cluster_id": self.worker.root().get("kafka_cluster_id") if self.worker else self._brokers and self._brokers.cluster_id}
        _backup.write(self._backup, [snapshot for snapshot, road in self._backed_up.values()], cluster, next(iter(roads.values())), replace=known,
                      ordered=sorted(name for name, road in roads.items() if road in (TOPIC, FILE)), roads=roads)

    def _reach_final_states(self, done, check_mode) -> dict:
        """Of all that exist, whether their offsets were changed or not. {connector: error}"""
        wanted = self._final_states(name for name, result in done.items() if result["connector_exists"])
        there = {name: Lifecycle(self.worker, name, self._params["wait_timeout"]) for name in wanted}
        failed = {}

        def of_each(names, action) -> dict:
            answers = {}
            for name in names:
                try:
                    answers[name] = action(name)
                except errors.ConnectError as error:
                    failed[name] = error if check_mode else error.also(
                        "Before that, its offsets had been brought to what is declared.", changed=done[name]["changed"])
            return answers

        found = of_each(wanted, lambda name: there[name].read_settled())
        moved = [name for name in found if not there[name].is_in(wanted[name], found[name])]
        for state in sorted({wanted[name] for name in moved}) if not check_mode else ():
            here = [name for name in moved if wanted[name] == state]
            self._begun = True
            self.worker.ask_ahead(_VERBS[state], here)
            found.update(of_each(here, lambda name: there[name].reach(wanted[name], found[name])))
        for name, connector in found.items():
            if name not in failed:
                self._note_state(done[name], name, connector.result() if not check_mode else dict(connector.result(), state=wanted[name]), name in moved)
                done[name]["warnings"].extend(there[name].warnings)
                if name in moved and connector.failed and not check_mode:
                    done[name]["warnings"].append("%s was brought to %s, but failed: %s." % (name, wanted[name], connector.failure))
        return failed

    @staticmethod
    def _note_state(result, name, connector, moved) -> None:
        if result["state_before"] != connector["state"]:
            result["diff"] = (result["diff"] if result["changed"] else []) + [state_diff(name, result["state_before"], connector["state"])]
        result["changed"] = result["changed"] or moved
        result["connector"] = connector

    # ---- what the module returns -----------------------------------------------------------------------------

    def _result(self, done, failed) -> dict:
        warnings = {name: result["warnings"] for name, result in done.items()}
        warnings.update((name, error.warnings) for name, error in failed.items())
        changed = any(result["changed"] for result in done.values())
        names = [name for name in self._declared if name in done]
        for result in done.values():
            if self._backup and (result["counts"]["set"] or result["counts"]["remove"]):
                result["backup_file"] = self._backup
        return {
            "changed": changed,
            "connectors": [self._shape(name, done[name]) for name in names],
            "counts": {verb: sum(result["counts"][verb] for result in done.values()) for verb in ("set", "remove", "keep")},
            "backup_file": self._backup if any(result["backup_file"] == self._backup for result in done.values()) else None,
            "cluster": self._cluster,
            "diff": [part for name in names if done[name]["changed"] for part in done[name]["diff"]],
            "warnings": self._warnings + _said_once(warnings),
        }

    def _failure(self, failed, result):
        first = sorted(failed)[0]
        error = failed[first]
        error.warnings = result["warnings"]
        error.facts.update(connectors=result["connectors"], changed=result["changed"] or error.facts.get("changed", False),
                           backup_file=result["backup_file"] or (self._backup if self._backed_up else None), failed_connectors=_messages(failed),
                           left_alone=sorted(name for name in failed if failed[name].facts.get("left_alone")))
        count = len(self._declared)
        if count == 1:
            return error
        error.message = "%d of %d connectors failed, first %s: %s" % (len(failed), count, first, error.message)
        made = [one for one in result["connectors"] if one["name"] not in failed]
        return error.also("Of the others, %d are as declared, and %d were not begun." % (len(made), count - len(failed) - len(made)))


def _refused(failed, count):
    name = sorted(failed)[0]
    error = failed[name]
    error.facts["failed_connectors"] = _messages(failed)
    if len(failed) > 1:
        error.also("That is one of %d connectors of %d for which it cannot be done." % (len(failed), count))
    return error if "othing was changed" in error.message else error.also("Nothing was changed.")


def _messages(failed) -> dict:
    return {name: failed[name].message for name in sorted(failed)}


def _said_once(warnings: dict) -> list:
    """{connector: its warnings} -> those that say the same of several connectors only once."""
    hit = {}
    for name in sorted(warnings):
        for text in warnings[name]:
            hit.setdefault(text.replace(name, "\0"), {}).setdefault(name, text)
    return [next(iter(names.values())) + (" The same goes for %d more connectors: %s%s" % (
        len(names) - 1, ", ".join(list(names)[1:4]), ", ..." if len(names) > 4 else ".") if len(names) > 1 and "\0" in key else "")
        for key, names in hit.items()]
