# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PostgreSQL server of its own on loopback, for connectors that read one."""

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

from stack import ports
from stack.errors import StackError
from stack.process import Process, output, spawn, stop_all, with_log

INSTALL = "apt-get install -y postgresql"
_SUPER_USER = "postgres"
# Debian keeps the server's programs off the PATH.
_DEBIAN = Path("/usr/lib/postgresql")
_START_TIMEOUT = 30.0
_GRACE = 10.0


class Postgres:
    """A server with logical decoding; everybody on this machine may log in as postgres without a password.

    Under root it runs as the system user postgres, who becomes the owner of the directory and must be able to reach it.
    Like the stack's JVMs it outlives its caller; an object for the same directory finds it again.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory).expanduser().absolute()
        self.log = self.directory / "postgres.log"
        self._data = self.directory / "data"
        self.port = self._told(3)

    @property
    def dsn(self) -> str:
        return f"postgresql://{_SUPER_USER}@{ports.HOST}:{self.port}/postgres"

    @property
    def running(self) -> bool:
        return self._process().alive()

    def start(self) -> None:
        """Start the server if it does not run, with its old data if there are any; returns when it takes commands."""
        if self.running:
            return
        initdb, server = _program("initdb"), _program("postgres")
        self._make_directory()
        if not (self._data / "PG_VERSION").exists():
            options = [f"--username={_SUPER_USER}", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]
            output("initdb", [*_as_user(), initdb, *options, f"--pgdata={self._data}"])
        if not self.port or not ports.is_free(self.port):
            self.port = ports.find_free(set())
        settings = {
            "listen_addresses": ports.HOST,
            "port": self.port,
            "unix_socket_directories": "",
            "wal_level": "logical",
            "fsync": "off",
        }
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        # setpriv replaces itself by the server: the pid is the server's.
        process = spawn([*_as_user(), server, "-D", str(self._data), *options], str(self._data), self.log, dict(os.environ))
        self._await(process)

    def stop(self) -> None:
        """Stop the server, whoever is connected; data and log stay. No error if it does not run."""
        process = self._process()
        # To PostgreSQL TERM means: when the last client has gone.
        process.send(signal.SIGINT)
        deadline = time.monotonic() + _GRACE
        while process.alive() and time.monotonic() < deadline:
            time.sleep(0.05)
        stop_all([process], 0)

    def psql(self, sql: str) -> str:
        """What psql prints for one or several statements: a line for a row, | between columns. StackError if one fails."""
        command = [_program("psql"), "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1"]
        return output("psql", [*command, self.dsn], stdin=sql).rstrip("\n")

    def _await(self, process: Process) -> None:
        deadline = time.monotonic() + _START_TIMEOUT
        probe = [_program("pg_isready"), "--quiet", f"--host={ports.HOST}", f"--port={self.port}"]
        while process.alive() and time.monotonic() < deadline:
            # Its pid file tells our server from another one that was quicker to take the port.
            if self.running and subprocess.run(probe, check=False).returncode == 0:
                return
            time.sleep(0.05)
        stop_all([process], 0)
        raise StackError(with_log("PostgreSQL did not start", self.log))

    def _make_directory(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            # Debian's package has made the user.
            shutil.chown(self.directory, _SUPER_USER, _SUPER_USER)
            if subprocess.run([*_as_user(), "test", "-w", str(self.directory)], check=False).returncode:
                raise StackError(
                    f"PostgreSQL refuses to run as root, and its user {_SUPER_USER} cannot reach {self.directory}:"
                    " take a directory that lies in no folder of root's own, such as one of tempfile.mkdtemp()"
                )

    def _process(self) -> Process:
        return Process.find(self._told(0), str(self._data))

    def _told(self, line: int) -> int:
        """A number of the server's pid file: in line 0 the pid, in line 3 the port; 0 if it does not run."""
        try:
            return int((self._data / "postmaster.pid").read_text(encoding="utf-8").splitlines()[line])
        except (OSError, ValueError, IndexError):
            return 0


def _program(name: str) -> str:
    """The path of a program of PostgreSQL; of several installed versions the newest."""
    folders = sorted(_DEBIAN.glob("*/bin"), key=lambda folder: [int(n) for n in re.findall(r"\d+", folder.parent.name)])
    found = shutil.which(name, path=os.pathsep.join([*map(str, reversed(folders)), os.environ.get("PATH", "")]))
    if not found:
        raise StackError(f"{name} is missing (PostgreSQL is needed, client and server). Type: {INSTALL}")
    return found


def _as_user() -> list[str]:
    """Words before a command that has to run without being root."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    if not setpriv:
        raise StackError("setpriv is missing (root needs it to start PostgreSQL). Type: apt-get install -y util-linux")
    return [setpriv, f"--reuid={_SUPER_USER}", f"--regid={_SUPER_USER}", "--clear-groups", "--"]
