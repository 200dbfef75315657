# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Timing, memory, and rows of results."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import NamedTuple


@dataclass
class Row:
    """One judged figure: ours, the peer's (or the allowed amount), and the bound on ours / theirs."""

    name: str
    ours: float
    theirs: float
    bound: float
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    @property
    def good(self) -> bool:
        return self.ratio <= self.bound

    def plain(self) -> dict[str, object]:
        return asdict(self) | {"ratio": self.ratio, "good": self.good}

    def __str__(self) -> str:
        verdict = "ok" if self.good else "TOO MUCH"
        return (
            f"{self.name:<66} {self.ours:9.3f} {self.unit:<2} against {self.theirs:9.3f} {self.unit:<2}"
            f"  ratio {self.ratio:5.2f} (at most {self.bound:g})  {verdict}"
        )


def alternate(rounds: int, *jobs: Callable[[], float]) -> list[float]:
    """The median seconds of each job, the jobs taking turns so that noise hits all of them."""
    times = [[job() for job in jobs] for round in range(rounds)]
    return [statistics.median(seconds) for seconds in zip(*times, strict=True)]


def timed(job: Callable[[], object]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def run(command: list[str], env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=os.environ | (env or {}))
    if done.returncode:
        raise SystemExit(f"{command} ended with {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done


class Cost(NamedTuple):
    """What a command and its children have taken: seconds, seconds of CPU, MiB of the largest resident set of one process."""

    seconds: float
    cpu: float
    mib: float


def cost(command: list[str], env: dict[str, str] | None = None, good: tuple[int, ...] = (0,)) -> Cost:
    """good: exit codes that are no failure."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output, subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=env) as process:
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in good:
            output.seek(0)
            raise SystemExit(f"{command} ended with {process.returncode}:\n{output.read()[-5000:].decode(errors='replace')}")
    return Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def machine() -> dict[str, object]:
    return {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
