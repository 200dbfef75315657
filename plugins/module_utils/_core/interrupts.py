# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""SIGINT and SIGTERM during a change: noted, and acted on where nothing is left half-way."""

from __future__ import annotations

import contextlib
import signal

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Those of this process."""

    def __init__(self):
        self._depth = 0
        self._handlers = {}
        #: the name of the signal that came since they were held first; None: none
        self.came = None

    @contextlib.contextmanager
    def held(self):
        """While a change is under way no signal ends the process. Whoever holds them asks check() where the change can still be given up."""
        self._depth += 1
        if self._depth == 1:
            self.came = None
            self._take()
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._give_back()

    @property
    def are_held(self) -> bool:
        return self._depth > 0

    def check(self) -> None:
        """Raises Interrupted."""
        if self.came:
            raise errors.Interrupted("The run was interrupted (%s)." % self.came)

    def _take(self) -> None:
        for number in _SIGNALS:
            with contextlib.suppress(ValueError):  # not the main thread, which is the only one that may
                if signal.getsignal(number) != signal.SIG_IGN:
                    self._handlers[number] = signal.signal(number, self._note)

    def _give_back(self) -> None:
        while self._handlers:
            signal.signal(*self._handlers.popitem())

    def _note(self, number, frame) -> None:
        self.came = signal.Signals(number).name


#: a process has one set of handlers
INTERRUPTS = Interrupts()
