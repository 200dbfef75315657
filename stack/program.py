# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of Kafka's beside the clusters of a stack: one JVM with a directory of its own."""

from collections.abc import Mapping
from pathlib import Path

from stack import jars, java
from stack.config import write_properties
from stack.errors import StackError
from stack.process import Process, kill, spawn, stop_all

_HEAP = "-Xmx256m"
_GRACE = 20.0
_LINES_SHOWN = 25


class Program:
    """Like the stack's JVMs it outlives its caller; an object for the same directory finds it again."""

    def __init__(self, directory: str | Path, name: str, title: str) -> None:
        """name: of its files. title: for messages."""
        self.directory = Path(directory).expanduser().absolute()
        self.log = self.directory / f"{name}.log"
        self._title = title
        self._settings = self.directory / f"{name}.properties"
        self._pid = self.directory / f"{name}.pid"
        self._tag = f"-Dstreamops.node={self.directory}/{name}"

    @property
    def pid(self) -> int:
        return self._process().pid

    @property
    def running(self) -> bool:
        return self._process().alive()

    def stop(self) -> None:
        """No error if it does not run. Properties that are changed now count from the next start."""
        stop_all([self._process()], _GRACE)

    def kill(self) -> None:
        """As a crash does."""
        kill(self._process())

    def _spawn(self, main_class: str, properties: Mapping[str, str]) -> tuple[Process, int]:
        """The process, and where its part of the log begins."""
        jars.ensure_kafka(jars.BROKER_VERSION)
        self.directory.mkdir(parents=True, exist_ok=True)
        write_properties(self._settings, properties)
        begin = self.log.stat().st_size if self.log.exists() else 0
        options = [self._tag, _HEAP, *java.crash_options(self.directory)]
        argv = java.command(jars.BROKER_VERSION, main_class, str(self._settings), options=options)
        process = spawn(argv, self._tag, self.log, java.environment())
        self._pid.write_text(f"{process.pid}\n", encoding="ascii")
        return process, begin

    def _give_up(self, process: Process, begin: int) -> StackError:
        """It did not become ready."""
        stop_all([process], 0)
        lines = self._text(begin).splitlines()[-_LINES_SHOWN:]
        return StackError("\n".join([f"{self._title} did not start. The end of {self.log}:", *(f"  {line}" for line in lines)]))

    def _text(self, begin: int) -> str:
        with self.log.open("rb") as handle:
            handle.seek(begin)
            return handle.read().decode(errors="replace")

    def _process(self) -> Process:
        try:
            pid = int(self._pid.read_text(encoding="ascii"))
        except (OSError, ValueError):
            pid = 0
        return Process.find(pid, self._tag)
