# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stack consists of, and its file."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from stack.errors import StackError
from stack.paths import write_private
from stack.process import Process

DEFAULT_VERSION = "4.3.1"


@dataclass
class ClusterSpec:
    """What to start: a Connect cluster.

    properties are added to every worker's file ({port} in a value becomes the worker's port); jvm_options go before
    the main class; plugins are names of jars.PLUGINS, put on plugin.path beside the connectors of every worker.
    """

    version: str = DEFAULT_VERSION
    workers: int = 1
    offset_partitions: int = 5
    properties: dict[str, str] = field(default_factory=dict)
    jvm_options: list[str] = field(default_factory=list)
    plugins: Sequence[str] = ()


@dataclass
class Node:
    """One JVM: the broker or a worker. log_start is the size of the log, in bytes, when it was last started."""

    name: str
    port: int
    tag: str
    log: str
    pid: int = 0
    start_time: int = 0
    log_start: int = 0
    properties: dict[str, str] = field(default_factory=dict)
    controller_port: int = 0
    formatted: bool = False

    @property
    def process(self) -> Process:
        return Process(self.pid, self.start_time, self.tag)

    def alive(self) -> bool:
        return self.process.alive()


@dataclass
class Cluster:
    """A Connect cluster that is there; the workers of a spec may be stopped, and more may have been added."""

    name: str
    version: str
    offset_partitions: int
    properties: dict[str, str]
    jvm_options: list[str]
    workers: list[Node] = field(default_factory=list)
    plugins: list[str] = field(default_factory=list)

    @property
    def group_id(self) -> str:
        return f"connect-{self.name}"

    def topic(self, kind: str) -> str:
        """The name of an internal topic; kind is offsets, configs or status."""
        return f"connect-{self.name}-{kind}"

    def url(self, worker: Node) -> str:
        listener = {**self.properties, **worker.properties}.get("listeners", "http")
        scheme = listener.partition(":")[0].lower()
        return f"{scheme}://127.0.0.1:{worker.port}"


@dataclass
class Secured:
    """The broker's listeners for clients that say who they are: SASL_SSL, and SSL with a client certificate."""

    sasl_port: int
    tls_port: int
    passwords: dict[str, str]
    key_password: str


@dataclass
class State:
    """Everything that stack.json holds."""

    broker: Node | None = None
    clusters: dict[str, Cluster] = field(default_factory=dict)
    secured: Secured | None = None

    def nodes(self) -> list[Node]:
        """All JVMs, the broker first."""
        workers = [worker for cluster in self.clusters.values() for worker in cluster.workers]
        return ([self.broker] if self.broker else []) + workers

    def ports(self) -> set[int]:
        """Every port that the stack has, or will have again when what has it is restarted."""
        own = {port for node in self.nodes() for port in (node.port, node.controller_port)}
        return own | ({self.secured.sasl_port, self.secured.tls_port} if self.secured else set())

    def save(self, path: Path) -> None:
        partial = path.with_suffix(".partial")
        write_private(partial, json.dumps(asdict(self), indent=2) + "\n")
        os.replace(partial, path)


def load(path: Path) -> State:
    """The state in path, an empty one if there is no such file; StackError if it is damaged."""
    try:
        return _from_document(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return State()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StackError(
            f"{path} is damaged ({error}). End the Java processes whose command line names"
            f" {path.parent}, delete that folder, then start again."
        ) from error


def _from_document(document: dict[str, Any]) -> State:
    broker = document["broker"]
    clusters = {}
    for name, entry in document["clusters"].items():
        workers = [Node(**worker) for worker in entry.pop("workers")]
        clusters[name] = Cluster(**entry, workers=workers)
    secured = document.get("secured")
    return State(Node(**broker) if broker else None, clusters, Secured(**secured) if secured else None)
