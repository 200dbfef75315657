# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes that outlive their parent, and how to know them again (Linux)."""

import os
import signal
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stack.errors import StackError


@dataclass(frozen=True)
class Process:
    """A process of ours. start_time (clock ticks since boot) and tag tell it from a later owner of the same pid."""

    pid: int
    start_time: int
    tag: str

    @classmethod
    def find(cls, pid: int, tag: str) -> "Process":
        """The process that has this pid now, alive if tag is one of its arguments."""
        return cls(pid, _stat(pid)[2], tag)

    def alive(self) -> bool:
        if self.pid <= 0:
            return False
        state, threads, start_time = _stat(self.pid)
        if not state or start_time != self.start_time:
            return False
        if state == "Z":
            _reap(self.pid)
            # The first thread of a killed process ends before the others, which hold its ports a little longer.
            return threads > 1
        arguments = _arguments(self.pid)
        # Empty for a moment while the program is being loaded.
        return not arguments or self.tag in arguments

    def send(self, signal_number: int) -> None:
        if self.alive():
            try:
                os.kill(self.pid, signal_number)
            except ProcessLookupError:
                pass


def spawn(argv: list[str], tag: str, log: Path, environment: dict[str, str]) -> Process:
    """Start argv, which must contain tag, in a session of its own; its output is appended to log."""
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    # Not subprocess: a Popen object expects its owner to wait for the child.
    pid = os.posix_spawn(
        argv[0],
        argv,
        environment,
        setsid=True,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), append, 0o644),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
    )
    return Process(pid, _stat(pid)[2], tag)


def output(name: str, command: list[str], stdin: str = "") -> str:
    """What a program prints, in the root folder, which every user can enter. StackError, with all of it, if it fails."""
    result = subprocess.run(command, input=stdin, text=True, capture_output=True, check=False, cwd="/")
    if result.returncode:
        raise StackError(f"{name} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def with_log(sentence: str, log: Path, most: int = 10) -> str:
    """The sentence, and the last lines of a log."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-most:]
    return "\n".join([f"{sentence}. The end of {log}:", *(f"  {line}" for line in lines)])


def stop_all(processes: Iterable[Process], grace: float) -> None:
    """TERM to all at once, KILL to those that are still there after grace seconds; returns when all are gone."""
    waiting = [process for process in processes if process.alive()]
    for process in waiting:
        process.send(signal.SIGTERM)
    waiting = _wait(waiting, grace)
    for process in waiting:
        process.send(signal.SIGKILL)
    _wait(waiting, 10)


def kill(process: Process) -> None:
    """KILL at once, as a crash does; returns when it is gone."""
    process.send(signal.SIGKILL)
    _wait([process], 10)


def _wait(processes: list[Process], seconds: float) -> list[Process]:
    deadline = time.monotonic() + seconds
    while True:
        processes = [process for process in processes if process.alive()]
        if not processes or time.monotonic() > deadline:
            return processes
        time.sleep(0.05)


def _stat(pid: int) -> tuple[str, int, int]:
    """State letter, number of threads and start time; ("", 0, 0) if there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", 0, 0
    # The second field is the program's name in brackets and may hold anything.
    fields = text.rpartition(")")[2].split()
    return fields[0], int(fields[17]), int(fields[19])


def _arguments(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="surrogateescape")
    except OSError:
        return []
    return text.rstrip("\0").split("\0") if text else []


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        pass
