# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker as anybody sees it: raw REST, nothing of the collection's own client."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

import requests

_SETTLES = ("rebalance", "stale configuration", "no known leader")


def wait_until(what: Callable[[], Any], seconds: float = 90, reason: str = "") -> Any:
    """The first true answer of what(); fails the test if there is none in time."""
    deadline = time.monotonic() + seconds
    while True:
        answer = what()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"waited {seconds} s in vain for {reason or what}"
        time.sleep(0.1)


def ordered(pairs: Iterable[dict]) -> list[dict]:
    """Pairs of partition and offset in one order; 4, "4" and 4.0 stay three values."""
    return sorted(pairs, key=lambda pair: json.dumps(pair, sort_keys=True))


class Worker:
    """Raw calls, retried while the cluster rebalances."""

    def __init__(self, url: str, login: tuple[str, str] | None = None, **tls: Any) -> None:
        """tls: verify and cert, as requests takes them."""
        self.url = url
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.auth = login
        self._tls = tls

    def call(self, verb: str, path: str, body: Any = None, seconds: float = 90) -> requests.Response:
        deadline = time.monotonic() + seconds
        while True:
            answer = self._session.request(verb, f"{self.url}/{path}", json=body, timeout=100, **self._tls)
            busy = answer.status_code in (409, 500) and any(part in answer.text for part in _SETTLES)
            if not busy or time.monotonic() > deadline:
                return answer
            time.sleep(0.2)

    def must(self, verb: str, path: str, body: Any = None) -> Any:
        for _attempt in range(5):
            answer = self.call(verb, path, body)
            # A worker that reads many records at the moment trips over its own listing.
            if "Failed to retrieve offsets" not in answer.text:
                break
            time.sleep(0.5)
        assert answer.ok, f"{verb} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.text else None

    def create(self, name: str, config: dict, state: str | None = "STOPPED") -> None:
        """state None is for workers before 3.7: it starts."""
        self.must("POST", "connectors", {"name": name, "config": config, **({"initial_state": state} if state else {})})
        wait_until(lambda: self.call("GET", _path(name, "status")).ok, reason=f"a status of {name}")

    def delete(self, name: str) -> None:
        self.call("DELETE", _path(name))

    def exists(self, name: str) -> bool:
        return name in self.must("GET", "connectors")

    def config(self, name: str) -> dict:
        return self.must("GET", _path(name))["config"]

    def status(self, name: str) -> dict:
        return self.must("GET", _path(name, "status"))

    def state(self, name: str) -> tuple[str, list[str]]:
        """The connector's state and those of its tasks."""
        status = self.status(name)
        return status["connector"]["state"], [task["state"] for task in status["tasks"]]

    def await_state(self, name: str, state: str, tasks: list[str], seconds: float = 90) -> None:
        wait_until(lambda: self.state(name) == (state, tasks), seconds, f"{name} {state} {tasks}")

    def offsets(self, name: str) -> list[dict]:
        """Asked twice: the worker lists the partitions that it has read so far, and reads its topic to the end only to answer."""
        self.must("GET", _path(name, "offsets"))
        return ordered(self.must("GET", _path(name, "offsets"))["offsets"])

    def set_offsets(self, name: str, pairs: list[dict]) -> None:
        """Also waits until they are listed: a new partition can be missing for a moment after the answer."""
        self.must("PATCH", _path(name, "offsets"), {"offsets": pairs})
        wait_until(lambda: all(pair in self.offsets(name) for pair in pairs), reason=f"{pairs} to be listed")

    def put(self, name: str, what: str) -> None:
        """stop, pause or resume; does not wait."""
        self.must("PUT", _path(name, what))

    def picture(self, *names: str) -> list:
        """State, configuration and offsets of connectors: equal pictures mean that nothing was changed."""
        return [(name, self.state(name), self.config(name), self.offsets(name)) for name in names]


def _path(name: str, *rest: str) -> str:
    return "/".join(("connectors", quote(name, safe=""), *rest))
