# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The offsets of many connectors from one document, declared in one pass (KIP-199)."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _backup, _document
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import LEAVE, PUT_BACK, OffsetsChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connectors import choose
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.choose import beside_file, open_ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import PAUSED, RUNNING, STATES, STOPPED, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offset_file import OffsetFile
from ansible_collections.streamops.kafka_connect.plugins.module_utils._once import Once
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import KEEP
from ansible_collections.streamops.kafka_connect.plugins.module_utils._roads import AUTO, FILE, GROUP, STRIMZI, TOPIC, Roads
from ansible_collections.streamops.kafka_connect.plugins.module_utils._shared import SharedBrokers, SharedOperator, SharedWorker
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file import FileReader
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicReader, sink_shaped
from ansible_collections.streamops.kafka_connect.plugins.module_utils._together import Together
from ansible_collections.streamops.kafka_connect.plugins.module_utils._wish import from_document, read_document

#: how many changes that have names are made together: each writes to the ledger by itself, and must not be taken for dead meanwhile
_NAMED = 25

FOUND = "found"

_VERBS = {RUNNING: "resume", PAUSED: "pause", STOPPED: "stop"}


def wishes(params: dict) -> dict:
    """{connector: Wish} of the options src or content, connectors, purge and force. Raises WishError for a document that cannot be meant."""
    document, source = read_document(params["src"], params["content"])
    patterns = [pattern for pattern in params["connectors"] or [] if pattern.strip()]
    names = _document.connectors_in(document, source)
    if names is None:
        if len(patterns) != 1:
            raise errors.WishError("%s does not say of which connector it is: name that one, and no other, in connectors. Nothing was changed." % source)
        names = patterns
    chosen, missing = choose(names, patterns)
    if missing:
        raise errors.WishError("%s holds no connector that fits %s; it has %s. Nothing was changed." % (
            source, ", ".join(missing), ", ".join(names[:10]) or "no connector at all"))
    # A connector without offsets declares something only if others have to go.
    chosen = [name for name in chosen if params["purge"] or _document.items_for(document, name, source)]
    if not chosen:
        raise errors.WishError("%s holds no offsets of any connector. Nothing was changed." % source)
    found = {}
    for name in chosen:
        try:
            found[name] = from_document(document, name, source, params["purge"], params["force"])
        except errors.WishError as error:
            raise error if name in error.message else errors.WishError("%s: %s" % (name, error.message))
    return found


class Import:
    """Carries the wishes out, or predicts what that would be."""

    def __init__(self, client, kafka, sources, params: dict):
        """client, kafka: None if there is none. params: those of the module."""
        self._params = params
        self._wishes = wishes(params)
        self._worker = None if client is None else SharedOperator(client) if client.road == STRIMZI else SharedWorker(client)
        self._brokers = SharedBrokers(kafka) if kafka is not None else None
        self._sources = sources
        if params["offset_file"] and params["method"] in (AUTO, FILE):
            self._reader = FileReader(OffsetFile(params["offset_file"]), many=True)
        else:
            self._reader = TopicReader(self._brokers, many=True) if kafka is not None else None
        self._ledger_of = self._ledgers(client, kafka)
        self._backup = (params["backup_file"] or _backup.default_path("import")) if params["backup"] else None
        self._backed_up = {}

    def run(self, check_mode: bool) -> dict:
        """The module's result. Raises ConnectError, which says what was changed and what was not."""
        if self._backup:
            _backup.check(self._backup)
        self._check_connectors()
        done, failed = {}, {}
        parts = [list(self._wishes)]
        if self._params["change_id"] and not check_mode:
            self._take_together(parts[0], True)  # what is wrong with the last one keeps the first one from being changed
            parts = [parts[0][start:start + _NAMED] for start in range(0, len(parts[0]), _NAMED)]
        for part in parts:
            results, errors_found = self._take_together(part, check_mode)
            done.update(results)
            failed.update(errors_found)
            if failed:
                break
        result = self._result(done, failed, check_mode)
        if failed:
            raise self._failure(failed, result)
        return result

    # ---- before ----------------------------------------------------------------------------------------------

    def _ledgers(self, client, kafka):
        """What gives the ledger of a connector; None without a change_id."""
        if not self._params["change_id"]:
            return None
        if self._params["ledger"] == "none":
            raise errors.WishError("change_id needs a ledger that remembers it, but ledger is none; nothing was changed.")
        params = beside_file(self._params)
        one = open_ledger(params, client, kafka, next(iter(self._wishes)), whole=True)
        return lambda name: open_ledger(params, client, kafka, name) if one.kind == "config" else one

    def _check_connectors(self) -> None:
        """A name with a typing mistake looks like a connector that is created later. Raises WishError."""
        if self._worker is None or self._params["seed"]:
            return
        there = self._worker.connectors()
        missing = [name for name in self._wishes if name not in there]
        if missing:
            raise errors.WishError(
                "There %s no connector %s. If that is right, their offsets alone can be declared, for connectors that are created later: with seed: "
                "true. Nothing was changed." % ("is" if len(missing) == 1 else "are", ", ".join(missing[:10])), missing=missing)

    def _changes(self, names) -> dict:
        params, found = self._params, {}
        for name in names:
            wish = self._wishes[name]
            method = GROUP if params["method"] == TOPIC and sink_shaped(wish) else params["method"]
            roads = Roads(self._worker, name, self._brokers, method, params["offset_topic"], connect_group=params["connect_group"],
                          force=params["force"], sources=self._sources, offset_file=params["offset_file"],
                          worker_pid=params["worker_pid"], reader=self._reader)
            once = Once(self._ledger_of(name), name, params["change_id"], params["requested_by"] or None) if self._ledger_of else None
            found[name] = OffsetsChange(
                self._worker, name, wish, roads, once=once, stop=params["stop"], settle=params["settle"],
                after_change=PUT_BACK if params["final_state"] == FOUND else LEAVE, assume_stopped=params["assume_stopped"],
                wait_timeout=params["wait_timeout"], max_entries=params["max_entries"])
        return found

    # ---- the changes -----------------------------------------------------------------------------------------

    def _take_together(self, names, check_mode) -> tuple:
        """({connector: result}, {connector: error}). Raises ConnectError where nothing was changed."""
        sources = [source for source in (self._worker, self._brokers, self._reader) if source is not None]
        together = Together(self._changes(names), self._worker, sources, self._write_backup)
        together.run(check_mode)
        for error in together.failed.values():
            if not isinstance(error, errors.ConnectError):
                raise error
        if together.failed and (check_mode or not together.begun):
            raise _refused(together.failed, len(self._wishes))
        return together.done, together.failed

    def _write_backup(self, steps: dict) -> None:
        """One document with what all of them replace."""
        if not self._backup:
            return
        known = bool(self._backed_up)
        self._backed_up.update((name, (step.plan.live, step.store.road)) for name, step in steps.items() if name not in self._backed_up)
        roads = {name: road for name, (snapshot, road) in self._backed_up.items()}
        cluster = {"connect_url": self._worker.url if self._worker else None,
                   "kafka_cluster_id": self._worker.root().get("kafka_cluster_id") if self._worker else self._brokers and self._brokers.cluster_id}
        _backup.write(self._backup, [snapshot for snapshot, road in self._backed_up.values()], cluster, next(iter(roads.values())), replace=known,
                      ordered=sorted(name for name, road in roads.items() if road in (TOPIC, FILE)), roads=roads)

    def _reach_final_state(self, done, check_mode) -> None:
        """Of all that exist, whether their offsets were changed or not."""
        wanted = STATES.get(self._params["final_state"])
        there = {name: Lifecycle(self._worker, name, self._params["wait_timeout"]) for name, result in done.items()
                 if wanted and result["connector_exists"]}
        found = {name: lifecycle.read_settled() for name, lifecycle in there.items()}
        moved = [name for name in there if not there[name].is_in(wanted, found[name])]
        if not check_mode:
            if moved:
                self._worker.ask_ahead(_VERBS[wanted], moved)
            for name in moved:
                found[name] = there[name].reach(wanted, found[name])
        for name in moved:
            done[name]["changed"] = True
        for name in there:
            done[name]["connector"] = found[name].result() if not check_mode else dict(found[name].result(), state=wanted)

    # ---- what the module returns -----------------------------------------------------------------------------

    def _result(self, done, failed, check_mode) -> dict:
        if not failed:
            self._reach_final_state(done, check_mode)
        warnings = {name: result["warnings"] for name, result in done.items()}
        warnings.update((name, error.warnings) for name, error in failed.items())
        changed = any(result["changed"] for result in done.values())
        return {
            "changed": changed,
            "connectors": [_one(name, done[name]) for name in sorted(done)],
            "counts": {verb: sum(result["counts"][verb] for result in done.values()) for verb in ("set", "remove", "keep")},
            "backup_file": self._backup if changed else None,
            "diff": [part for name in sorted(done) if done[name]["changed"] for part in done[name]["diff"]],
            "warnings": _said_once(warnings),
        }

    def _failure(self, failed, result):
        name = sorted(failed)[0]
        left = len(self._wishes) - len(failed) - len(result["connectors"])
        error = errors.ConnectError(
            "%d of %d connectors failed, first %s: %s" % (len(failed), len(self._wishes), name, failed[name].message),
            **dict(failed[name].facts, connectors=result["connectors"], changed=result["changed"], backup_file=result["backup_file"] or (
                self._backup if self._backed_up else None), failed_connectors={one: failed[one].message for one in sorted(failed)}))
        error.warnings = result["warnings"]
        return error.also("Of the others, %d are as declared, and %d were not begun." % (len(result["connectors"]), left))


def _refused(failed, count):
    name = sorted(failed)[0]
    error = failed[name]
    if len(failed) > 1:
        error.also("That is one of %d connectors of %d for which it cannot be done." % (len(failed), count),
                   failed_connectors={one: failed[one].message for one in sorted(failed)})
    return error if "othing was changed" in error.message else error.also("Nothing was changed.")


def _said_once(warnings: dict) -> list:
    """{connector: its warnings} -> those that say the same of several connectors only once."""
    hit = {}
    for name in sorted(warnings):
        for text in warnings[name]:
            hit.setdefault(text.replace(name, "\0"), {}).setdefault(name, text)
    return [next(iter(names.values())) + (" The same goes for %d more connectors: %s%s" % (
        len(names) - 1, ", ".join(list(names)[1:4]), ", ..." if len(names) > 4 else ".") if len(names) > 1 and "\0" in key else "")
        for key, names in hit.items()]


def _one(name, result) -> dict:
    connector = result["connector"] or {}
    return {
        "name": name,
        "changed": result["changed"],
        "already_applied": result["already_applied"],
        "actions": [action for action in result["actions"] if action["action"] != KEEP],
        "counts": result["counts"],
        "method": result["method"],
        "connector_exists": result["connector_exists"],
        "state_before": result["state_before"],
        "state": connector.get("state"),
        "type": connector.get("type"),
        "failed_tasks": [task["id"] for task in connector.get("tasks", []) if task.get("state") == "FAILED"],
    }
