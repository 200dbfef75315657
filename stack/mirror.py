# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""MirrorMaker 2 in its dedicated mode, as connect-mirror-maker.sh runs it, between brokers that run already."""

import re
import time
from collections.abc import Mapping
from pathlib import Path

from stack.process import Process
from stack.program import Program

_CLASS = "org.apache.kafka.connect.mirror.MirrorMaker"
_START_TIMEOUT = 120.0
# So long nothing is heard of a new configuration: it was the old one.
_QUIET = 3.0
# On every cluster, as the target's prefix is the only one by which a worker of this mode hears of these.
_WORKER = {
    "offset.flush.interval.ms": "1000",
    "session.timeout.ms": "5000",
    "heartbeat.interval.ms": "500",
    "scheduled.rebalance.max.delay.ms": "500",
    "plugin.discovery": "service_load",
}
#: short timings, so that tests wait for events and not for the clock; connectors on a worker take them, too
QUICK = {
    "replication.factor": "1",
    "offset-syncs.topic.replication.factor": "1",
    "checkpoints.topic.replication.factor": "1",
    "heartbeats.topic.replication.factor": "1",
    "refresh.topics.interval.seconds": "1",
    "refresh.groups.interval.seconds": "1",
    "sync.group.offsets.interval.seconds": "1",
    "emit.checkpoints.interval.seconds": "1",
    "emit.heartbeats.interval.seconds": "1",
    "consumer.poll.timeout.ms": "200",
}
_STORAGE = {f"{kind}.storage.replication.factor": "1" for kind in ("offset", "config", "status")}


class MirrorMaker(Program):
    """One node."""

    def __init__(self, directory: str | Path, clusters: Mapping[str, str], properties: Mapping[str, str]) -> None:
        """clusters: bootstrap servers by alias. properties: of the property file, such as "east->west.enabled"; they win."""
        super().__init__(directory, "mirror", "MirrorMaker")
        self.properties = {**_defaults(clusters), **properties}

    @property
    def flows(self) -> list[str]:
        """The enabled ones, as in "east->west"."""
        return [name.removesuffix(".enabled") for name, value in self.properties.items() if _is_flow(name) and value == "true"]

    def start(self, *, wait: bool = True) -> None:
        """Start the node if it does not run; returns when every enabled flow copies as the present properties say.

        Without wait it returns at once: with connectors that are STOPPED, or heartbeats off and no topic, nothing will copy.
        """
        if self.running:
            return
        process, begin = self._spawn(_CLASS, self.properties)
        if wait:
            self._await(process, begin)

    def _await(self, process: Process, begin: int) -> None:
        deadline = time.monotonic() + _START_TIMEOUT
        seen, since = None, 0.0
        while process.alive() and time.monotonic() < deadline:
            log = self._text(begin)
            news = [_news(log, flow) for flow in self.flows]
            if news != seen:
                seen, since = news, time.monotonic()
            quiet = time.monotonic() - since > _QUIET
            if all(_is_up(one, quiet) for one in news):
                return
            time.sleep(0.2)
        raise self._give_up(process, begin)


def _defaults(clusters: Mapping[str, str]) -> dict[str, str]:
    found = {"clusters": ",".join(clusters), "plugin.discovery": "service_load", **QUICK, **_STORAGE}
    for alias, servers in clusters.items():
        found[f"{alias}.bootstrap.servers"] = servers
        found |= {f"{alias}.{name}": value for name, value in _WORKER.items()}
    return found


def _is_flow(name: str) -> bool:
    return re.fullmatch(r"[^.]+->[^.]+\.enabled", name) is not None


def _news(log: str, flow: str) -> list[tuple[str, str]]:
    """What the log tells of a flow's MirrorSourceConnector, in order: ("leads", ""), ("tasks", their names), ("copies", name)."""
    told = re.compile(
        rf"is now a leader for {re.escape(flow)}(?P<leads>)\. "
        rf"|clientId={re.escape(flow)}, [^\n]*?\] Tasks \[(?P<tasks>[^\]\n]*MirrorSourceConnector[^\]\n]*)\] configs updated"
        rf"|task-thread-(?P<copies>MirrorSourceConnector-\d+) replicating \d+ topic-partitions {re.escape(flow)}:"
    )
    return [(match.lastgroup or "", match[match.lastgroup or 0]) for match in told.finditer(log)]


def _is_up(news: list[tuple[str, str]], quiet: bool) -> bool:
    """Whether all tasks copy, as configured since the start.

    A node that is started again first runs the tasks of its last run; as the leader it then writes the configuration. If that
    is a new one, new tasks follow, and if not, nothing.
    """
    kinds = [kind for kind, _name in news]
    if "leads" not in kinds or "copies" not in kinds:
        return False
    if "tasks" not in kinds[kinds.index("leads"):]:
        return quiet
    last = len(kinds) - 1 - kinds[::-1].index("tasks")
    wanted = {name.strip() for name in news[last][1].split(",") if "MirrorSourceConnector" in name}
    return wanted <= {name for kind, name in news[last:] if kind == "copies"}
