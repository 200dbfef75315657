# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The changes of many connectors, made together: all of them finish a phase before any of them starts the next one.

All are prepared before the first one is changed; all are stopped at the same time, as each stop has the whole cluster rebalance; what
goes to the offsets topic, or into a file, is one transaction; all are put back at the same time.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import ExitStack

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import FOUND, LATER, LEAVE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.phases import (
    FINAL_STATE,
    RESTORE_STATE,
    ROLL_BACK,
    STOP,
    WATCH,
    WRITE,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import PAUSED, RUNNING, STOPPED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import as_facts

_VERBS = {RUNNING: "resume", PAUSED: "pause", STOPPED: "stop"}


class Engine:
    """Takes the items through their phases. Not to be used twice."""

    def __init__(self, items: dict, worker=None, sources=(), before_writing=None, sync_ledger=None, sleep=time.sleep, rolls_back=False):
        """items: {connector: ChangeItem}. worker: SharedWorker, which is asked ahead for all; None without one, or for one connector.

        sources: what they read from together, each with renew(). before_writing(items): called right before they are written; it may raise
        ConnectError. sync_ledger(): see Ledger.sync(); None where each writing is safe by itself.
        rolls_back: they undo changes of connectors that failed: each by itself, and no signal interrupts them.
        """
        self.items = items
        self._rolls_back = rolls_back
        self._worker = worker
        self._sources = sources
        self._before_writing = before_writing
        self._sync_ledger = sync_ledger
        self._sleep = sleep
        #: whether anything was changed, or could have been
        self.begun = rolls_back

    @property
    def done(self) -> dict:
        """{connector: the module's result}, also of those that did not reach their final state"""
        return {name: item.result for name, item in self.items.items() if item.result is not None and (item.error is None or item.is_made)}

    @property
    def failed(self) -> dict:
        """{connector: ConnectError, or a fault of our own}"""
        return {name: item.error for name, item in self.items.items() if item.error is not None}

    def run(self, check_mode: bool) -> None:
        """Fills ``done`` and ``failed``. What one of them finds wrong before the first change keeps all of them from being made.

        Raises Interrupted where nothing is changed so far; later that is one more error of those that are not written yet.
        """
        with ExitStack() as stack:
            self._change(list(self.items.values()), check_mode, stack)
            self._reach_final_states(check_mode)
            self._roll_back()
            if not check_mode:
                self._watch()

    def _change(self, items, check_mode, stack) -> None:
        for item in items:
            item.renew = self._renew
        try:
            self._each(items, lambda item: item.prepare(check_mode))
            if check_mode:
                self._each([item for item in items if item.error is None], lambda item: item.predict())
            elif not self.failed or self._rolls_back:
                stack.enter_context(INTERRUPTS.held())
                self.begun = True
                self._each([item for item in items if item.error is None], lambda item: item.begin())
                self._sync()
                self._write_all()
                self._restore_states()
        finally:
            for item in items:
                try:
                    item.close()
                except Exception as fault:  # of the ledger: it must not leave the others half-way
                    item.error = item.error or fault
            self._sync(at_the_end=True)

    def _due(self, phase) -> list:
        return [item for item in self.items.values() if item.next == phase]

    def _each(self, items, action) -> None:
        """Whatever goes wrong with one, the others must not be left half-way. Shared answers are asked for anew.

        Raises Interrupted before anything is changed.
        """
        self._renew()
        for item in items:
            if not self.begun and INTERRUPTS.are_held:
                INTERRUPTS.check()
            try:
                action(item)
            except Exception as error:
                _fail(item, error)

    def _sync(self, at_the_end=False) -> None:
        """What was written into the ledger in this phase has to outlive the next one. at_the_end: nothing is left to do."""
        try:
            lost = self._sync_ledger() if self._sync_ledger else {}
        except Exception as fault:  # of the ledger: it must not leave the connectors half-way
            lost = dict.fromkeys(self.items, fault)
        for name, error in lost.items():
            try:
                self.items[name].not_recorded(error, at_the_end)
            except Exception as other:
                _fail(self.items[name], other)

    def _renew(self) -> None:
        for source in self._sources:
            source.renew()

    # ---- stop ------------------------------------------------------------------------------------------------

    def _stop(self, items) -> None:
        self._heartbeats()
        items = [item for item in items if item.next == STOP]
        self._ask_ahead("stop", items)
        self._each(items, lambda item: item.stop())
        self._heartbeats()
        self._each([item for item in items if item.next == STOP], lambda item: item.replan())
        self._sync()

    def _heartbeats(self) -> None:
        """Of all that are at work, for others who want to make the same change."""
        self._each([item for item in self.items.values() if item.next in (STOP, WRITE, RESTORE_STATE)],
                   lambda item: item.once.heartbeat())

    def _ask_ahead(self, verb, items) -> None:
        if self._worker is not None and items:
            self._worker.ask_ahead(verb, [item.name for item in items])

    # ---- write -----------------------------------------------------------------------------------------------

    def _write_all(self) -> None:
        """Until a fresh read shows what is declared, or an error ends it."""
        while True:  # one that Connect did not let change without a stop comes back to STOP
            stopping = self._due(STOP)
            if stopping:
                self._stop(stopping)
            self._send([item for item in self._due(WRITE) if item.is_to_send])
            looking = [item for item in self._due(WRITE) if not item.is_to_send]
            self._each(looking, lambda item: item.look())
            self._sync()
            self._wait_for(looking, WRITE)
            if not (self._due(STOP) or self._due(WRITE)):
                return

    def _wait_for(self, items, phase, at_least=0.0) -> None:
        """The wait, in seconds, before the next look at those that are still in this phase."""
        waits = [item.wait for item in items if item.next == phase]
        if any(waits):
            wait = max(at_least, *waits)
            self._heartbeats()
            self._sleep(wait)

    def _send(self, items) -> None:
        if not items:
            return
        self._heartbeats()
        items = [item for item in items if item.next == WRITE]
        try:
            if not self._rolls_back:
                INTERRUPTS.check()
            if self._before_writing:
                self._before_writing(items)
        except Exception as error:
            answers = {item.name: _own(error) for item in items}
        else:
            answers = self._answers(items)
        self._each(items, lambda item: item.writing.answered(answers[item.name]))

    def _answers(self, items) -> dict:
        """{connector: what its store returned, or the exception}"""
        answers = {}
        joint = [item for item in items if len(self.items) > 1 and item.store.joint]
        if joint:
            error = self._write_together(joint)
            answers.update((item.name, error and _own(error)) for item in joint)
        for item in items:
            if item.name not in answers:
                try:
                    answers[item.name] = item.store.apply(item.writing.plan)
                except Exception as error:
                    answers[item.name] = error
        return answers

    def _write_together(self, items):
        """None, or the exception."""
        try:
            items[0].store.apply_together([(item.store, item.writing.plan) for item in items], self._whose())
        except Exception as error:
            return error
        return None

    def _whose(self) -> str:
        """For the transactional id: a run for the same connectors ends the transaction that a killed one has left open, and no other's."""
        names = sorted(self.items)
        return "%d-%s" % (len(names), hashlib.sha256("\0".join(names).encode("utf-8", "replace")).hexdigest()[:12])

    # ---- restore the states ----------------------------------------------------------------------------------

    def _restore_states(self) -> None:
        items = self._due(RESTORE_STATE)
        if not items:
            return
        self._heartbeats()
        items = [item for item in items if item.next == RESTORE_STATE]
        self._ask_ahead("pause", [item for item in items if item.states.resumes_to == PAUSED])
        self._ask_ahead("resume", [item for item in items if item.states.resumes_to == RUNNING])
        self._each(items, lambda item: item.ending.restore_state())

    def _reach_final_states(self, check_mode) -> None:
        items = [item for item in self.items.values() if item.ending.has_final_state]
        self._each(items, lambda item: item.ending.read_final(check_mode))
        for state in (RUNNING, PAUSED, STOPPED):
            here = [item for item in items if item.next == FINAL_STATE and item.states.final_state == state]
            self._ask_ahead(_VERBS[state], [item for item in here if item.states.is_moved])
            self._each(here, lambda item: item.ending.reach_final())

    def _watch(self) -> None:
        """Do those that run again go on from the declared offsets?"""
        self._each([item for item in self.items.values() if item.watching.is_due], lambda item: item.begin_watching())
        while self._due(WATCH):
            begun = time.monotonic()
            self._each(self._due(WATCH), lambda item: item.watching.look_at_state())
            self._roll_back()
            items = self._due(WATCH)
            self._each(items, lambda item: item.watch())
            self._wait_for(items, WATCH, at_least=time.monotonic() - begun)  # the workers have other things to do

    def _roll_back(self) -> None:
        """Connectors that failed after the change get their offsets and states back, all together."""
        items = self._due(ROLL_BACK)
        if not items:
            return
        self._each(items, lambda item: item.undo.make())
        items = [item for item in items if item.next == ROLL_BACK]
        undoing = {item.name: item.undo.item for item in items}
        Engine(undoing, self._worker, self._sources, None, self._sync_ledger, self._sleep, rolls_back=True).run(False)
        self._each(items, lambda item: item.ending.rolled_back())


def run_alone(item, check_mode: bool) -> dict:
    """The module's result. Raises ConnectError, which says what has become of offsets and state."""
    Engine({item.name: item}, sleep=item.pause).run(check_mode)
    if item.error is not None:
        raise item.error
    try:
        if item.final_state not in (LATER, LEAVE) and not check_mode:  # else it is the caller's to go on, or not to
            INTERRUPTS.check()
    except errors.Interrupted as error:
        error.warnings = item.warnings
        raise error.also("The signal came too late to cancel the change: the offsets of %s are as declared, and the connector is in %s." % (
            item.name, "the state found" if item.final_state == FOUND else "its final state"), **as_facts(item.result))
    return item.result


def _fail(item, error) -> None:
    try:
        item.ending.fail(error)
    except Exception as fault:  # what is left of it is restored all the same
        item.ending.fail(fault)


def _own(error):
    """Of several changes that are hit by it: each adds sentences of its own."""
    return error.copy() if isinstance(error, errors.ConnectError) else error
