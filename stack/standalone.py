# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A standalone Connect worker, as connect-standalone.sh runs it, at a broker that runs already."""

import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from stack import connector_build, jars, java, ports
from stack.process import Process
from stack.program import Program

_START_TIMEOUT = 60.0
_PORT_PATIENCE = 5.0


class Standalone(Program):
    """One worker."""

    def __init__(self, directory: str | Path, bootstrap: str, properties: Mapping[str, str] | None = None) -> None:
        """properties: of the property file; they win."""
        super().__init__(directory, "worker", "The standalone worker")
        #: the worker's property file, there from the first start on
        self.properties_file = self._settings
        #: where it keeps the offsets of its sources
        self.offsets = self.directory / "connect.offsets"
        self._port_file = self.directory / "worker.port"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.properties = {**_defaults(bootstrap, self.offsets), **(properties or {})}

    @property
    def url(self) -> str:
        return f"http://{ports.HOST}:{self._port()}"

    def start(self) -> None:
        """Start it if it does not run; returns when its REST answers. It has no connectors then, and the offsets of its file."""
        if self.running:
            return
        jars.ensure_kafka(jars.BROKER_VERSION)
        port = self._port()
        if not ports.wait_free(port, _PORT_PATIENCE):
            port = ports.find_free(set())
            self._port_file.write_text(f"{port}\n", encoding="ascii")
        folders = [jars.kafka(jars.BROKER_VERSION).plugins, connector_build.plugin_dir()]
        own = {"listeners": f"http://{ports.HOST}:{port}", "plugin.path": ",".join(map(str, folders))}
        process, begin = self._spawn(java.STANDALONE_CLASS, {**own, **self.properties})
        self._await(process, begin)

    def _await(self, process: Process, begin: int) -> None:
        deadline = time.monotonic() + _START_TIMEOUT
        while process.alive() and time.monotonic() < deadline:
            if _answers(self.url):
                return
            time.sleep(0.1)
        raise self._give_up(process, begin)

    def _port(self) -> int:
        if not self._port_file.exists():
            self._port_file.write_text(f"{ports.find_free(set())}\n", encoding="ascii")
        return int(self._port_file.read_text(encoding="ascii"))


def _defaults(bootstrap: str, offsets: Path) -> dict[str, str]:
    return {
        "bootstrap.servers": bootstrap,
        "offset.storage.file.filename": str(offsets),
        "offset.flush.interval.ms": "1000",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
        "plugin.discovery": "service_load",
    }


def _answers(url: str) -> bool:
    # A proxy of the environment is not for loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/connectors", timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False
