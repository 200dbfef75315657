# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that hit the first run of a task at one moment, by what really does so: signals, dead processes, connections that break, a limit
of file sizes."""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.integration.support.proxy import DROP, LOSE, Answer, Request
from tests.integration.support.runs import Run
from tests.integration.support.worker import wait_until

#: seconds: that the first run waits for facts where what it waits for does not come back before its end; that it waits for an answer
SHORT_WAIT, ANSWER = 6, 2
HOUR = 3600


class Moment(NamedTuple):
    """When a run is hit: at the first request that is wanted, before the worker gets it or once it is carried out; or where the module is
    held."""

    wanted: Callable[[Request], object] | None = None
    carried_out: bool = False
    hold: tuple[str, ...] = ()


class Scene:
    """The first run of a task, its proxy, and what else takes part."""

    def __init__(self, store, moment: Moment, fault: Fault, folder: Path) -> None:
        """store: one of tests.integration.support.fault_stores."""
        self.store, self.moment, self.fault, self.folder = store, moment, fault, folder
        #: the run that another controller has started meanwhile
        self.second: Run | None = None
        self.hit = False
        self._cut = False
        self._threads: list[threading.Thread] = []

    def begin(self) -> None:
        hold = [*self.moment.hold, str(self.folder)] if self.moment.hold else None
        self.proxy = self.store.proxy(self._trick)
        skew = -HOUR if self.fault.name == SKEW else 0
        self.run = Run("connector_offsets", {**self.store.task(self.proxy), **self.fault.options}, hold=hold, skew=skew)
        if hold:
            self.background(self._hold)

    def _trick(self, request: Request) -> object:
        if self._cut:
            return DROP
        if self.hit or self.moment.wanted is None or not self.moment.wanted(request):
            return None
        self.hit = True
        answer = self.proxy._forward(request) if self.moment.carried_out else None
        assert answer is None or answer.status < 300, answer
        return self.fault.strike(self, request, answer)

    def _hold(self) -> None:
        while not (self.folder / "came").exists():
            if self.run.process.poll() is not None:
                return
            time.sleep(0.01)
        self.hit = True
        self.fault.strike(self, None, None)
        (self.folder / "go").touch()

    def background(self, action: Callable[[], None]) -> None:
        self._threads.append(threading.Thread(target=action, daemon=True))
        self._threads[-1].start()

    def cut(self) -> None:
        """No request of the first run is answered any more."""
        self._cut = True

    def end(self) -> tuple[dict | None, dict | None]:
        """The results of both runs, None where one was killed, or where there is none. What was taken away is there again."""
        try:
            printed, _errors = self.run.process.communicate(timeout=400)
        finally:
            self.run.kill()
            for thread in self._threads:
                thread.join(120)
            if self.hit and self.fault.repair:
                self.fault.repair(self)
        assert self.hit, f"the run did not come so far: {printed}"
        first = None if self.run.process.returncode == -signal.SIGKILL else self.run.read(printed)
        return first, self.second and self.second.result()

    def close(self) -> None:
        for run in (self.run, self.second):
            if run is not None:
                run.kill()


# ---- what a fault does: strike(scene, request, answer) gives what a trick of a Proxy gives; request None: the module is held


def _killed(scene: Scene, request, answer):
    scene.run.kill()
    return answer or DROP


def _signalled(number: int):
    def strike(scene: Scene, request, answer):
        os.kill(scene.run.process.pid, number)
        return answer
    return strike


def _worker_killed(scene: Scene, request, answer):
    scene.store.stack.stop_worker(scene.store.url, kill=True)
    return DROP


def _worker_back(scene: Scene) -> None:
    scene.store.stack.restart_worker(scene.store.url)


def _worker_restarted(scene: Scene, request, answer):
    scene.store.stack.stop_worker(scene.store.url, kill=True)
    scene.background(lambda: _worker_back(scene))
    return DROP


def _broker_killed(scene: Scene, request, answer):
    scene.store.stack.stop_broker(kill=True)
    return answer


def _broker_back(scene: Scene) -> None:
    scene.store.stack.restart_broker()


def _broker_restarted(scene: Scene, request, answer):
    scene.store.stack.stop_broker(kill=True)
    scene.background(lambda: _broker_back(scene))
    return answer


def _lost(scene: Scene, request, answer):
    return DROP if answer else LOSE


def _late(scene: Scene, request, answer):
    answer = answer or scene.proxy._forward(request)
    time.sleep(ANSWER + 1)
    return answer


def _cut_off(scene: Scene, request, answer):
    scene.cut()
    return DROP


def _disk_full(scene: Scene, request, answer):
    """No file can grow much: a limit of the process, as a full file system needs the right to mount one. A record is cut."""
    ledger = Path(scene.store.ledger["ledger_file"])
    most = ledger.stat().st_size + 20 if ledger.exists() else 0
    resource.prlimit(scene.run.process.pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    return answer


def _another_controller(scene: Scene, request, answer):
    """It sees the connector as it is at that moment; then the first one goes on."""
    proxy = scene.store.proxy(lambda request: None)
    scene.second = Run("connector_offsets", scene.store.task(proxy))
    wait_until(lambda: proxy.requests if proxy else scene.second.process.poll() is None, reason="the second run")
    time.sleep(1.5)
    return answer


class Fault(NamedTuple):
    name: str
    strike: Callable[[Scene, Request | None, Answer | None], object]
    #: options of the first run
    options: dict = {}
    #: what is done when the first run has ended
    repair: Callable[[Scene], None] | None = None
    #: does it need a request at which it hits; is it another fault than that before the request once that is carried out
    by_request: bool = False
    after: bool = True
    #: does the store need the worker, or the broker, for the change
    part: str = ""


SKEW = "clock one hour behind"
_SHORT = {"wait_timeout": SHORT_WAIT, "kafka_timeout": 3}
FAULTS = {fault.name: fault for fault in (
    Fault("kill -9", _killed),
    Fault("SIGTERM", _signalled(signal.SIGTERM)),
    Fault("SIGINT", _signalled(signal.SIGINT)),
    Fault("worker killed", _worker_killed, _SHORT, _worker_back, part="worker"),
    Fault("worker restarted", _worker_restarted, part="worker"),
    Fault("broker killed", _broker_killed, {**_SHORT, "timeout": 10}, _broker_back, part="broker"),  # else a worker answers after 90 s
    Fault("broker restarted", _broker_restarted, part="broker"),
    Fault("answer lost", _lost, by_request=True, after=False),
    Fault("answer late", _late, {"timeout": ANSWER}, by_request=True, after=False),
    Fault("connection cut", _cut_off, _SHORT, by_request=True),
    Fault("disk full", _disk_full),
    Fault("two controllers", _another_controller),
    Fault(SKEW, _another_controller),
)}
