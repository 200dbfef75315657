# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Declarations of many connectors of one Connect cluster, carried out in one pass, or predicted."""

from __future__ import annotations

import os
from contextlib import ExitStack

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import backups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import Declaration
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import Engine, run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.examples import add_example
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.session import Session
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.operator_guard import STRIMZI, check_owners

#: how many changes with an id are made together: each writes its own record into the ledger, and all of that must take less than LEASE
_NAMED = 25
#: the fact with examples, by connector, and for how many connectors whose offsets are refused one is looked up
EXAMPLES, _MOST_EXAMPLES = "examples", 5


def execute_one(session: Session, one: Declaration, check_mode: bool) -> dict:
    """The module's result of one connector. Raises ConnectError, which says what has become of offsets and state."""
    if one.change_id:
        session.open_ledger(whole=False)
    return run_alone(session.item(one, backup=session.backup_file(one.name)), check_mode)


def execute(session: Session, declarations: list, check_mode: bool, shape, one_by_one: bool = False) -> dict:
    """The module's result. shape(connector, result of its change): what the module returns of it. one_by_one: in the order of the list, and none after
    one that failed; else together.

    Raises ConnectError, which says what was changed and what was not.
    """
    return _Run(session, declarations, shape, one_by_one).run(check_mode)


class _Run:
    def __init__(self, session, declarations, shape, one_by_one):
        self._session = session
        self._declared = {one.name: one for one in declarations}
        self._shape = shape
        self._one_by_one = one_by_one
        self._boundaries = session.boundaries(declarations)
        self._cluster = self._backup = None
        self._warnings = []
        #: connector -> result of its change; connector -> ConnectError
        self._done, self._failed = {}, {}
        #: whether anything was changed, or could have been
        self._begun = False
        self._only_predicts = False

    def run(self, check_mode: bool) -> dict:
        self._only_predicts = check_mode
        self._session.share()
        self._backup = self._session.backup_file("many")
        if self._backup:
            backups.check(self._backup)
        named = any(one.change_id for one in self._declared.values())
        if named:
            self._session.open_ledger()
        self._cluster = self._session.cluster()
        with ExitStack() as held:
            if not check_mode:
                held.enter_context(INTERRUPTS.held())
            try:
                return self._run(named, check_mode)
            except errors.ConnectError as error:
                error.facts.setdefault("cluster", self._cluster)
                raise

    def _run(self, named: bool, check_mode: bool) -> dict:
        worker = self._session.worker
        if worker is None or worker.method != STRIMZI:
            check_owners(self._session.params, {name: one.force for name, one in self._declared.items()}, self._warnings.append)
        names = list(self._declared)
        size = 1 if self._one_by_one else _NAMED if named else len(names)
        if check_mode:
            size = len(names)
        elif size < len(names):
            self._run_engine(names, True)  # what is wrong with the last one keeps the first one from being changed
            self._done.clear()
        for start in range(0, len(names), size):
            self._run_engine(names[start:start + size], check_mode)
            if self._failed:
                break
        self._finish_boundaries(check_mode)
        self._warn_of_the_disk(check_mode)
        result = self._result()
        if self._failed:
            raise self._failure(result)
        if not check_mode:
            self._check_interrupts(result)
        return result

    def _run_engine(self, names, check_mode) -> None:
        """Raises ConnectError where nothing was changed."""
        engine = Engine({name: self._session.item(self._declared[name]) for name in names}, self._session.worker, self._session.sources,
                        self._before_writing, self._session.sync_ledger)
        try:
            engine.run(check_mode)
        except errors.Interrupted:
            if not self._begun:
                raise
            return
        for error in engine.failed.values():
            if not isinstance(error, errors.ConnectError):
                raise error
        self._begun = self._begun or engine.begun
        if engine.failed and not self._begun:
            raise self._refused(engine)
        self._done.update(engine.done)
        self._failed.update(engine.failed)

    def _before_writing(self, items) -> None:
        """All of them are stopped."""
        self._session.write_backup(self._backup, items)
        self._boundaries.note(item.name for item in items)

    def _finish_boundaries(self, check_mode) -> None:
        """Of those that are made; in check mode, of those that would be."""
        changed = {name: result for name, result in self._done.items() if name not in self._failed and _changes_offsets(result)}
        if check_mode:
            self._boundaries.note(changed)
        else:
            self._boundaries.finish({name: (result["connector"] or {}).get("type") for name, result in changed.items()})
        for name, result in self._done.items():
            result["boundaries"] = self._boundaries.found.get(name)

    def _warn_of_the_disk(self, check_mode) -> None:
        unnamed = sorted(name for name, result in self._done.items() if _changes_offsets(result) and not result["change_id"])
        if self._backup and unnamed and not check_mode and os.environ.get("AWX_HOST"):
            self._warnings.append(
                "AWX removes the disk of a job when it ends, and with it the backup %s of %s. With a change_id the ledger keeps what was there before, and the "
                "playbook restore_offsets restores it." % (self._backup, ", ".join(unnamed[:5]) + (", ..." if len(unnamed) > 5 else "")))

    def _check_interrupts(self, result) -> None:
        try:
            INTERRUPTS.check()
        except errors.Interrupted as error:
            error.warnings = result["warnings"]
            made = result["connectors"]
            raise error.also("%d of %d connectors are as declared, and in their final states; %d were not attempted." % (
                len(made), len(self._declared), len(self._declared) - len(made)), **{
                name: result[name] for name in ("connectors", "changed", "backup_file")})

    # ---- what the module returns -----------------------------------------------------------------------------

    def _result(self) -> dict:
        done, backup = self._done, self._backup
        warnings = {name: result["warnings"] for name, result in done.items()}
        warnings.update((name, error.warnings) for name, error in self._failed.items())
        names = [name for name in self._declared if name in done]
        for result in done.values():
            if backup and _changes_offsets(result):
                result["backup_file"] = backup
        return {
            "changed": any(result["changed"] for result in done.values()),
            "connectors": [self._shape(name, done[name]) for name in names],
            "counts": {verb: sum(result["counts"][verb] for result in done.values()) for verb in ("set", "remove", "keep")},
            "backup_file": backup if any(result["backup_file"] == backup for result in done.values()) else None,
            "cluster": self._cluster,
            "diff": [part for name in names if done[name]["changed"] for part in done[name]["diff"]],
            "warnings": self._warnings + _said_once(warnings) + self._boundaries.warnings,
        }

    def _failure(self, result):
        failed, count = self._failed, len(self._declared)
        first = sorted(failed)[0]
        error = failed[first]
        error.warnings = result["warnings"]
        backup = self._backup if self._session.is_backed_up else None
        error.facts.update(connectors=result["connectors"], changed=result["changed"] or any(one.facts.get("changed") for one in failed.values()),
                           backup_file=result["backup_file"] or backup, failed_connectors=_messages(failed),
                           left_alone=sorted(name for name in failed if failed[name].facts.get("left_alone")))
        if count == 1:
            return error
        error.message = "%d of %d connectors failed, first %s: %s" % (len(failed), count, first, error.message)
        made = [one for one in result["connectors"] if one["name"] not in failed]
        return error.also("Of the other connectors %d %s as declared, and %d were not attempted." % (
            len(made), "is" if len(made) == 1 else "are", count - len(failed) - len(made)))

    def _refused(self, engine):
        failed, count = engine.failed, len(self._declared)
        examples = {name: add_example(failed[name], self._session.worker, name, self._session.profiles)
                    for name in sorted(failed)[:_MOST_EXAMPLES] if self._only_predicts}
        error = failed[sorted(failed)[0]]
        error.facts["failed_connectors"] = _messages(failed)
        if self._only_predicts:
            error.facts[EXAMPLES] = {name: example for name, example in examples.items() if example is not None}
            error.facts["connectors"] = [self._shape(name, engine.done[name]) for name in self._declared if name in engine.done]
        if len(failed) > 1:
            error.also("That is one of %d connectors of %d for which it cannot be done." % (len(failed), count))
        return error


def _changes_offsets(result) -> bool:
    return bool(result["counts"]["set"] or result["counts"]["remove"])


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
