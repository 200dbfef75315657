# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in processes of their own, which can be killed: a module, or ansible-playbook with all that it has started."""

from __future__ import annotations

import contextlib
import datetime
import importlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.integration.support.modules import run_module
from tests.integration.support.proxy import Answer, Proxy, Request

UTILS = "ansible_collections.streamops.kafka_connect.plugins.module_utils"


class Run:
    """A module, started at once. See run_module() for what it gives."""

    def __init__(self, module: str, arguments: dict, check: bool = False, hold: list | None = None, skew: float = 0) -> None:
        """hold: [module of plugins.module_utils, class, method, "before" or "after", folder]: the first call of that method waits there,
        until the file go is in the folder; the file came says that it waits. skew: seconds by which the clock of its machine is ahead.
        """
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.integration.support.runs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        self.process.stdin.write(json.dumps([module, arguments, check, hold, skew]))
        self.process.stdin.close()
        self.process.stdin = None

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def killed(self, seconds: float = 60) -> None:
        """Waits for its end, which must have come by kill()."""
        printed, _errors = self.process.communicate(timeout=seconds)
        assert self.process.returncode == -signal.SIGKILL, printed

    def result(self, seconds: float = 120) -> dict:
        printed, _errors = self.process.communicate(timeout=seconds)
        return self.read(printed)

    def read(self, printed: str) -> dict:
        """The result of a run that has ended by itself."""
        assert self.process.returncode == 0, printed
        return json.loads(printed)


class PlaybookRun:
    """ansible-playbook, started at once."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(command, cwd=folder, env=environment, text=True, start_new_session=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def kill(self) -> None:
        """With all its children: a worker of Ansible is in a session of its own, and its module would run on."""
        for number in [self.process.pid, *_descendants(self.process.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        self.process.wait()

    def killed(self, seconds: float = 120) -> None:
        printed, _errors = self.process.communicate(timeout=seconds)
        assert self.process.returncode == -signal.SIGKILL, printed


def _descendants(number: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found = list(children.get(number, []))
    for child in found:
        found += children.get(child, [])
    return found


class Killer:
    """A trick for a Proxy that kills a run at a request: before the worker gets it, or when the worker has carried it out.

    Until then, and afterwards, it does nothing.
    """

    def __init__(self, wanted: Callable[[Request], object], carried_out: bool = False, times: int = 1) -> None:
        """wanted: is this the request? times: which of them."""
        self.proxy: Proxy | None = None
        self.run: Run | PlaybookRun | None = None
        self._wanted = wanted
        self._carried_out = carried_out
        self._left = times

    def __call__(self, request: Request) -> Answer | None:
        if not self._left or not self._wanted(request):
            return None
        self._left -= 1
        if self._left:
            return None
        answer = self.proxy._forward(request) if self._carried_out else Answer(503)
        assert not self._carried_out or answer.status < 300, answer
        self.run.kill()
        return answer


def sends(verb: str, what: str) -> Callable[[Request], bool]:
    """Requests such as PUT .../stop."""
    return lambda request: request.verb == verb and request.path.endswith(f"/{what}")


def _hold(module: str, owner: str, method: str, moment: str, folder: str) -> None:
    kind = getattr(importlib.import_module(f"{UTILS}.{module}"), owner)
    original = getattr(kind, method)

    def wait() -> None:
        setattr(kind, method, original)
        Path(folder, "came").touch()
        while not Path(folder, "go").exists():
            time.sleep(0.01)

    def held(*arguments, **options):
        if moment == "before":
            wait()
        found = original(*arguments, **options)
        if moment == "after":
            wait()
        return found

    setattr(kind, method, held)


def _shift_clock(seconds: float) -> None:
    """The calendar, before anything of the collection is imported: a machine whose clock is wrong counts seconds as the others do."""
    right, right_time = datetime.datetime, time.time

    class Shifted(right):
        @classmethod
        def now(cls, tz=None):
            return right.now(tz) + datetime.timedelta(seconds=seconds)

    datetime.datetime = Shifted
    time.time = lambda: right_time() + seconds


def main() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which whoever started the tests may ignore
    name, arguments, check, hold, skew = json.load(sys.stdin)
    if skew:
        _shift_clock(skew)
    if hold:
        _hold(*hold)
    print(json.dumps(run_module(name, arguments, check=check)))


if __name__ == "__main__":
    main()
