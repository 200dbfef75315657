# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starting the broker and the workers of one stack, and waiting until they are ready."""

import base64
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from stack import config, connector_build, jars, java, ports, security
from stack.errors import StackError
from stack.paths import Layout
from stack.process import spawn
from stack.readiness import broker_ready, cluster_ready, read_log
from stack.state import Cluster, Node, Secured, State

_HEAP = "-Xmx512m"
_START_TIMEOUT = 120.0
_PORT_PATIENCE = 5.0
_LINES_SHOWN = 25


class NodeDied(StackError):
    """A JVM ended while it was waited for."""

    def __init__(self, node: Node, text: str) -> None:
        super().__init__(text)
        self.node = node


class Launcher:
    """Starts nodes; the state is saved after each start, so that an interrupted caller leaves nothing unknown."""

    def __init__(self, layout: Layout, state: State, say: Callable[[str], None]) -> None:
        self._layout = layout
        self._state = state
        self._say = say
        self.started: set[str] = set()

    def new_node(self, name: str, properties: dict[str, str]) -> Node:
        return Node(
            name=name,
            port=ports.find_free(self._state.ports()),
            tag=f"-Dstreamops.node={self._layout.root}/{name}",
            log=str(self._layout.logs / f"{name}.log"),
            properties=properties,
        )

    def new_broker(self, properties: dict[str, str]) -> Node:
        broker = self.new_node("broker", properties)
        broker.controller_port = ports.find_free(self._state.ports() | {broker.port})
        return broker

    def new_secured(self) -> Secured:
        """The secured listeners of a broker that is not formatted yet."""
        sasl_port = ports.find_free(self._state.ports())
        listeners = security.new_secured(sasl_port, ports.find_free(self._state.ports() | {sasl_port}))
        security.make_certificates(self._layout.secured, listeners)
        return listeners

    def start_broker(self, broker: Node) -> None:
        """Start the broker's JVM, on formatted storage; does not wait until it is ready."""
        self._keep_port(broker)
        broker.controller_port = self._kept(broker.controller_port)
        data = self._layout.data / "broker"
        settings = self._layout.conf / "broker.properties"
        properties = config.broker_properties(broker, data)
        listeners = self._state.secured
        if listeners:
            listeners.sasl_port = self._kept(listeners.sasl_port)
            listeners.tls_port = self._kept(listeners.tls_port)
            properties = security.add_listeners(properties, listeners, self._layout.secured)
        config.write_properties(settings, properties)
        if not broker.formatted:
            self._format(settings, data)
            broker.formatted = True
        options = security.broker_options(self._layout.secured) if listeners else []
        self._spawn(broker, jars.BROKER_VERSION, java.BROKER_CLASS, settings, options)

    def start_worker(self, cluster: Cluster, worker: Node) -> None:
        """Start a worker's JVM; does not wait until it is ready."""
        if self._state.broker is None:
            raise StackError("a worker cannot start without the broker")
        self._keep_port(worker)
        bootstrap = f"{ports.HOST}:{self._state.broker.port}"
        folders = [jars.kafka(cluster.version).plugins, connector_build.plugin_dir()]
        folders += [jars.plugin(name).root for name in cluster.plugins]
        plugin_path = ",".join(map(str, folders))
        settings = self._layout.conf / f"{worker.name}.properties"
        config.write_properties(settings, config.worker_properties(cluster, worker, bootstrap, plugin_path))
        self._spawn(worker, cluster.version, java.WORKER_CLASS, settings, cluster.jvm_options)

    def await_broker(self, broker: Node) -> None:
        self._await([broker], lambda: broker_ready(broker.port))

    def await_cluster(self, cluster: Cluster, watched: list[Node]) -> None:
        """Wait until the live workers of the cluster have joined their group and answer."""
        self._await(watched, lambda: cluster_ready(cluster))

    def _await(self, watched: list[Node], ready: Callable[[], bool]) -> None:
        """Wait until ready(); NodeDied as soon as one of the watched nodes ends, StackError if it takes too long."""
        deadline = time.monotonic() + _START_TIMEOUT
        while True:
            for node in watched:
                if not node.alive():
                    raise NodeDied(node, _failure(node, "ended while starting"))
            if ready():
                return
            if time.monotonic() > deadline:
                raise StackError(_failure(watched[-1], f"is not ready after {_START_TIMEOUT:.0f} s"))
            time.sleep(0.1)

    def _keep_port(self, node: Node) -> None:
        port = self._kept(node.port)
        if port != node.port:
            self._say(f"{node.name}: port {node.port} was taken by another program, now {port}")
            node.port = port

    def _kept(self, port: int) -> int:
        """The port if it is free, or becomes free soon; otherwise another one."""
        return port if ports.wait_free(port, _PORT_PATIENCE) else ports.find_free(self._state.ports())

    def _spawn(self, node: Node, version: str, main_class: str, settings: Path, jvm_options: list[str]) -> None:
        options = [node.tag, _HEAP, *java.crash_options(self._layout.logs), *jvm_options]
        log = Path(node.log)
        node.log_start = log.stat().st_size if log.exists() else 0
        argv = java.command(version, main_class, str(settings), options=options)
        process = spawn(argv, node.tag, log, java.environment())
        node.pid, node.start_time = process.pid, process.start_time
        self.started.add(node.name)
        self._state.save(self._layout.state)
        self._say(f"{node.name}: Kafka {version}, pid {node.pid}, port {node.port}, log {node.log}")

    def _format(self, settings: Path, data: Path) -> None:
        shutil.rmtree(data, ignore_errors=True)
        scram = security.scram_credentials(self._state.secured) if self._state.secured else []
        # A random UUID in Kafka's form; one that begins with a dash would look like an option.
        cluster_id = "S" + base64.urlsafe_b64encode(os.urandom(16)).decode()[1:22]
        argv = java.command(
            jars.BROKER_VERSION,
            java.FORMAT_CLASS,
            "format",
            "-t",
            cluster_id,
            "-c",
            str(settings),
            *(f"--add-scram={credential}" for credential in scram),
            options=["-Xmx256m", "-Dstreamops.log.level=ERROR"],
        )
        result = subprocess.run(argv, text=True, capture_output=True, check=False)
        if result.returncode:
            raise StackError(f"formatting {data} failed:\n{result.stdout}{result.stderr}")


def _failure(node: Node, what: str) -> str:
    lines = read_log(node).splitlines()[-_LINES_SHOWN:]
    return "\n".join([f"{node.name} {what}. The end of {node.log}:", *(f"  {line}" for line in lines)])
