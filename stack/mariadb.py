# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A MariaDB server of its own on loopback, with a binlog, for connectors that read one."""

import os
import shutil
import signal
import time
from pathlib import Path

from stack import ports
from stack.errors import StackError
from stack.process import Process, output, spawn, stop_all, with_log

INSTALL = "apt-get install -y mariadb-server-core mariadb-client-core"
USER, PASSWORD = "reader", "reader-secret"
_START_TIMEOUT = 30.0
_GRACE = 10.0


class MariaDb:
    """USER may do everything. start() begins with an empty directory; stop() leaves it."""

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory).absolute()
        self.log = self.directory / "mariadb.log"
        self.port = 0
        self._data, self._socket = self.directory / "data", self.directory / "socket"
        self._process: Process | None = None

    def start(self) -> None:
        """Returns when it takes commands. StackError where it cannot be started."""
        self.directory.mkdir(parents=True, exist_ok=True)
        as_user = ["--user=root"] if os.geteuid() == 0 else []
        method = "--auth-root-authentication-method=normal"
        command = [_program("mariadb-install-db"), "--no-defaults", method, "--skip-test-db", f"--datadir={self._data}", *as_user]
        output("mariadb-install-db", command)
        self.port = ports.find_free(set())
        options = {
            "datadir": self._data,
            "socket": self._socket,
            "pid-file": self.directory / "pid",
            "port": self.port,
            "bind-address": ports.HOST,
            "server-id": 1,
            "log-bin": "binlog",
            "binlog-format": "ROW",
            "innodb-buffer-pool-size": "16M",
        }
        command = [_program("mariadbd"), "--no-defaults", *as_user, *(f"--{name}={value}" for name, value in options.items())]
        self._process = spawn(command, f"--datadir={self._data}", self.log, dict(os.environ))
        deadline = time.monotonic() + _START_TIMEOUT
        while self._process.alive() and time.monotonic() < deadline:
            try:
                self.sql(f"CREATE USER '{USER}'@'%' IDENTIFIED BY '{PASSWORD}'; GRANT ALL ON *.* TO '{USER}'@'%'")
                return
            except StackError:
                time.sleep(0.1)
        self.stop()
        raise StackError(with_log("MariaDB did not start", self.log))

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.send(signal.SIGTERM)
        stop_all([self._process], _GRACE)

    def sql(self, statements: str) -> str:
        """What the client prints: a line for a row, tabs between columns. StackError if one fails."""
        command = [_program("mariadb"), "--no-defaults", "--batch", "--skip-column-names", "--user=root", f"--socket={self._socket}"]
        return output("mariadb", command, statements).rstrip("\n")


def _program(name: str) -> str:
    found = shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"]))
    if not found:
        raise StackError(f"{name} is missing (MariaDB is needed, client and server). Type: {INSTALL}")
    return found
