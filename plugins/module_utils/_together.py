# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The changes of many connectors, made together: each comes as far as the others before any of them goes on.

All are looked at before the first one is stopped; all are stopped at the same time, as each stop has the whole cluster rebalance; what
goes to the offsets topic, or into a file, is one transaction.
"""

from __future__ import annotations

import hashlib
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import PAUSED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._roads import FILE, TOPIC
from ansible_collections.streamops.kafka_connect.plugins.module_utils._steps import HALT, READY


class Together:
    """Takes the steps (see _steps) of many changes."""

    def __init__(self, changes: dict, worker, sources, before_writing, sleep=time.sleep):
        """changes: {connector: OffsetsChange}. worker: SharedWorker, None without one. sources: what they read from together, each with renew().

        before_writing: told the steps {connector: Step} right before they are written; it may raise ConnectError.
        """
        self._changes = changes
        self._worker = worker
        self._sources = sources
        self._before_writing = before_writing
        self._sleep = sleep
        self._steps = {}
        #: connector -> the Step that it waits at
        self._at = {}
        #: whether anything was changed, or could have been
        self.begun = False
        #: connector -> the module's result
        self.done = {}
        #: connector -> ConnectError, or a fault of our own
        self.failed = {}

    def run(self, check_mode: bool) -> None:
        """Fills ``done`` and ``failed``. What one of them finds wrong before the first change keeps all of them from being made."""
        try:
            self._steps = {name: change.steps(check_mode) for name, change in self._changes.items()}
            self._go_on(dict.fromkeys(self._steps))
            while self._at and not self._is_refused():
                kind = min(step.kind for step in self._at.values())
                self.begun = not check_mode
                self._go_on(self._take({name: step for name, step in self._at.items() if step.kind == kind}))
        finally:
            for steps in self._steps.values():
                steps.close()

    def _is_refused(self) -> bool:
        return bool(self.failed) and not self.begun

    def _go_on(self, answers: dict) -> None:
        """answers: connector -> what its step has given, or the exception that it has raised."""
        for source in self._sources:
            source.renew()
        for name, answer in answers.items():
            steps = self._steps[name]
            self._at.pop(name, None)
            try:
                self._at[name] = steps.throw(answer) if isinstance(answer, Exception) else steps.send(answer)
            except StopIteration as end:
                self.done[name] = end.value
            except Exception as error:  # whatever it is, the others must not be left half-way
                self.failed[name] = error

    def _take(self, here: dict) -> dict:
        """Steps of one kind; the answers to them."""
        answers = self._signs_of_life()
        here = {name: step for name, step in here.items() if name not in answers}
        first = next(iter(here.values()), READY)
        if first == HALT:
            self._ask_ahead("stop", here)
        elif first.state is not None:
            self._ask_ahead("pause", [name for name, step in here.items() if step.state == PAUSED])
            self._ask_ahead("resume", [name for name, step in here.items() if step.state != PAUSED])
        elif first.seconds is not None:
            self._sleep(max(step.seconds for step in here.values()))
        elif first.store is not None:
            answers.update(self._write(here))
        return dict(dict.fromkeys(here), **answers)

    def _signs_of_life(self) -> dict:
        """Of all that wait, for others who want to make the same change. {connector: the error}"""
        found = {}
        for name in self._at:
            try:
                self._changes[name].once.beat()
            except errors.ConnectError as error:
                found[name] = error
        return found

    def _ask_ahead(self, verb, names) -> None:
        if self._worker is not None and names:
            self._worker.ask_ahead(verb, names)

    def _write(self, here: dict) -> dict:
        answers = {}
        try:
            self._before_writing(here)
        except Exception as error:
            return {name: _own(error) for name in here}
        joint = {name: step for name, step in here.items() if step.store.road in (TOPIC, FILE)}
        if joint:
            error = self._write_together(list(joint.values()))
            answers.update((name, error and _own(error)) for name in joint)
        for name in sorted(here.keys() - joint.keys()):
            try:
                answers[name] = here[name].store.apply(here[name].plan)
            except Exception as error:
                answers[name] = error
        return answers

    def _write_together(self, steps):
        """Their stores have one reader. None, or the exception."""
        try:
            records = [record for step in steps for record in step.store.records(step.plan)]
            steps[0].store.reader.write(records, "streamops.kafka_connect.%s.%s" % (steps[0].store.topics[0], self._whose()))
        except Exception as error:
            return error
        return None

    def _whose(self) -> str:
        """For the transactional id: a run for the same connectors ends the transaction that a killed one has left open, and no other's."""
        names = sorted(self._changes)
        return names[0] if len(names) == 1 else "%d-%s" % (len(names), hashlib.sha256("\0".join(names).encode("utf-8", "replace")).hexdigest()[:12])


def _own(error):
    """Of several changes that are hit by it: each adds sentences of its own."""
    return error.twin() if isinstance(error, errors.ConnectError) else error
