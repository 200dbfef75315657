# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lock of one Connect cluster, and those who wait for it (facts 3.1)."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

from stack.kube_api import ApiError

#: who has waited so long gives up, without a trace in the resource
PATIENCE = 10.0


class Line:
    """Runs one job after another; errors of the stand-in itself are appended to crashes."""

    def __init__(self, crashes: list[Exception]) -> None:
        self._crashes = crashes
        self._jobs: queue.SimpleQueue = queue.SimpleQueue()
        self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def put(self, job: Callable[[], None]) -> None:
        self._jobs.put((time.monotonic(), job))

    def stop(self) -> None:
        """After the job that runs; the others are forgotten."""
        self._ended = True
        self._jobs.put((0.0, None))
        self._thread.join()

    def _run(self) -> None:
        while True:
            since, job = self._jobs.get()
            if self._ended:
                return
            if time.monotonic() - since > PATIENCE:
                continue
            try:
                job()
            except (ApiError, OSError):
                pass  # the resource or its namespace went, or the server: the operator logs it
            except Exception as error:
                self._crashes.append(error)
