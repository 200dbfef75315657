# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connector that has delivered five records, for each store of offsets: the task that has it deliver the last three of them once more,
what it has delivered, and at which moments of a change it can be hit."""

from __future__ import annotations

import uuid

from stack.standalone import Standalone
from tests.integration.support.configs import FIRST, REPLAY, at, shaped, sink_at
from tests.integration.support.faults import Moment
from tests.integration.support.proxy import Proxy, Trick
from tests.integration.support.runs import sends
from tests.integration.support.sinks import Sinks
from tests.integration.support.worker import Worker, wait_until

STOP, STOPPED, CHANGE, CHANGED, RESUME, RESUMED = PHASES = (
    "before the stop", "stop carried out", "before the change", "change carried out", "before the resume", "resume carried out")

STEPS = {
    STOP: Moment(sends("PUT", "stop")), STOPPED: Moment(sends("PUT", "stop"), True),
    CHANGE: Moment(sends("PATCH", "offsets")), CHANGED: Moment(sends("PATCH", "offsets"), True),
    RESUME: Moment(sends("PUT", "resume")), RESUMED: Moment(sends("PUT", "resume"), True),
}
#: what the ledger holds after a kill -9, and whether what was there before is known
LEFT = {STOP: ("started", False), STOPPED: ("started", False), CHANGE: ("started", True), CHANGED: ("started", True),
        RESUME: ("applied", True), RESUMED: ("applied", True)}
_WRITE = ("_stores.topic", "TopicStore", "write")


class RestSource:
    """The offsets of a source, by REST."""

    name, method = "REST source", "rest"
    moments = STEPS
    parts = ("worker", "broker")
    before, after = at(4), at(1)
    FIRST, REPLAY = FIRST, REPLAY

    def __init__(self, scenery, ledger: dict) -> None:
        """scenery: what the tests have. ledger: options."""
        self.scenery, self.ledger = scenery, ledger
        self.stack, self.cluster, self.kafka = scenery.stack, scenery.cluster, scenery.kafka
        self.url, self.worker = self.cluster.url, self.cluster.worker
        self._proxies: list[Proxy] = []

    def set_up(self) -> None:
        self.connector = self.scenery.make_on(self.cluster, "RUNNING")
        wait_until(self.is_at_the_end)
        assert self.delivered() == self.FIRST

    def proxy(self, trick: Trick) -> Proxy | None:
        self._proxies.append(Proxy(self.url, trick))
        return self._proxies[-1]

    def task(self, proxy: Proxy | None) -> dict:
        """The wait is the module's default: a task of a sink that ended without its broker stays in its group for 45 s and more."""
        return {"name": self.connector, "offsets": [self.after], "stop": True, "change_id": "CHG-1", "method": self.method,
                "wait_timeout": 120, "connect_url": [proxy.url] if proxy else [self.url], **self.ledger}

    def state(self) -> str | None:
        """None where there is no worker that runs."""
        return self.worker.state(self.connector)[0]

    def live(self) -> list[dict]:
        return self.worker.offsets(self.connector)

    def is_at_the_end(self) -> bool:
        return self.live() == [self.before]

    def await_running(self) -> None:
        self.worker.await_state(self.connector, "RUNNING", ["RUNNING"])

    def delivered(self) -> list[str]:
        return self.kafka.values(self.connector)

    def close(self) -> None:
        for proxy in self._proxies:
            proxy.close()


class OffsetsTopic(RestSource):
    """The same on the offsets topic, in a transaction."""

    name, method = "offsets topic", "topic"
    moments = {**STEPS, CHANGE: Moment(hold=(*_WRITE, "before")), CHANGED: Moment(hold=(*_WRITE, "after"))}

    def task(self, proxy: Proxy | None) -> dict:
        return {**super().task(proxy), "offset_topic": self.cluster.offset_topic, "bootstrap_servers": [self.kafka.bootstrap_servers]}


class RestSink(RestSource):
    """The offsets of a consumer group, by REST."""

    name = "REST sink"
    FIRST, REPLAY = [f"r{number}" for number in range(5)], [f"r{number}" for number in range(2, 5)]

    def set_up(self) -> None:
        self._sinks = Sinks(None, self.kafka, self.cluster, self.scenery.folder)
        topic = self._sinks.topic()
        self._sinks.produce(topic, *((0, value) for value in self.FIRST))
        self.before, self.after = sink_at(topic, 5), sink_at(topic, 2)
        self.connector = self._sinks.make(topic)
        self.await_running()
        wait_until(self.is_at_the_end)
        assert self.delivered() == self.FIRST

    def delivered(self) -> list[str]:
        return self._sinks.lines(self.connector)

    def close(self) -> None:
        super().close()
        self._sinks.close()


class StandaloneFile(RestSource):
    """The file of a standalone worker, which is down until the change is made."""

    name, method = "standalone file", "file"
    moments = {CHANGE: Moment(hold=(*_WRITE, "before")), CHANGED: Moment(hold=(*_WRITE, "after"))}
    parts = ()
    FIRST = []

    def set_up(self) -> None:
        self.connector = f"t-{uuid.uuid4().hex[:8]}"
        self._node = Standalone(self.scenery.folder / "node", self.kafka.bootstrap_servers)
        self._run("connector_offsets", offsets=[self.before])

    def proxy(self, trick: Trick) -> None:
        """There is no worker to ask."""

    def task(self, proxy: Proxy | None) -> dict:
        return {"name": self.connector, "offsets": [self.after], "change_id": "CHG-1", "offset_file": str(self._node.offsets),
                "connect_url": None, **self.ledger}

    def state(self) -> None:
        return None

    def live(self) -> list[dict]:
        return self._run("connector_offsets_info")["offsets"]

    def _run(self, module: str, **options) -> dict:
        return self.scenery.run(module, name=self.connector, offset_file=str(self._node.offsets), connect_url=None, **options)

    def await_running(self) -> None:
        """Once; what the connector has delivered then, it has read from the file."""
        if not self._node.running:
            self._node.start()
            Worker(self._node.url).create(self.connector, shaped(topic=self.connector, interval_ms=1), None)

    def delivered(self) -> list[str]:
        return self.kafka.values(self.connector)

    def close(self) -> None:
        self._node.kill()


STORES = {store.name: store for store in (RestSource, RestSink, OffsetsTopic, StandaloneFile)}
