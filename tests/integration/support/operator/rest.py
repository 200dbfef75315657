# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker as the operator sees it: Connect's reason for a refusal is lost for offsets and states, kept for configurations."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

import requests


class OperatorError(Exception):
    """What makes a resource NotReady, or a Warning; reason is the name of the operator's exception."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class RestError(OperatorError):
    def __init__(self, status: int, message: str) -> None:
        super().__init__("ConnectRestException", message)
        self.status = status


class Rest:
    """One Connect cluster. A method makes one request, unless its name says that it waits."""

    def __init__(self, url: str, release: str) -> None:
        self.url = url
        self._release = release
        self._session = requests.Session()
        self._session.trust_env = False

    def connectors(self) -> list[str]:
        return self._call("GET", "/connectors").json()

    def await_config(self, name: str) -> dict[str, str] | None:
        """None if there is no such connector; a rebalance is waited for, as the operator does at this one place."""
        return self._patient("GET", _path(name, "config"), [409], none_for=404)

    def await_status(self, name: str) -> dict[str, Any]:
        """Of a connector that may have been created a moment ago."""
        return self._patient("GET", _path(name, "status"), [404, 409])

    def status(self, name: str) -> dict[str, Any]:
        return self._call("GET", _path(name, "status")).json()

    def topics(self, name: str) -> list[str]:
        return sorted(self._call("GET", _path(name, "topics")).json()[name]["topics"])

    def create(self, name: str, config: dict[str, str], state: str) -> None:
        body = {"name": name, "config": config, "initial_state": state.upper()}
        self._configure("POST", "/connectors", body)

    def put_config(self, name: str, config: dict[str, str]) -> None:
        self._configure("PUT", _path(name, "config"), config)

    def set_state(self, name: str, verb: str) -> None:
        """stop, pause or resume; it is not waited for. From 1.x on a refusal has the name of what wraps it (9)."""
        try:
            self._call("PUT", _path(name, verb))
        except RestError as error:
            if self._release == "0.51":
                raise
            raise OperatorError("CompletionException", f"io.strimzi.operator.cluster.operator.assembly.{error}") from error

    def restart(self, name: str) -> None:
        """The connector alone. Connect answers 500 if it fails again (9)."""
        self._call("POST", _path(name, "restart"))

    def restart_task(self, name: str, task: str) -> None:
        self._call("POST", _path(name, "tasks", task, "restart"))

    def offsets(self, name: str) -> str:
        """The body as it is."""
        answer = self._call("GET", _path(name, "offsets"))
        return answer.content.decode()

    def alter(self, name: str, body: str) -> None:
        """The text goes out as it is."""
        self._call("PATCH", _path(name, "offsets"), body)

    def reset(self, name: str) -> None:
        self._call("DELETE", _path(name, "offsets"))

    def delete(self, name: str) -> None:
        """No error if there is no such connector."""
        try:
            self._patient("DELETE", _path(name), [409], none_for=404)
        except OperatorError:
            pass  # as the operator: logged, and tried again at the next full pass

    def _configure(self, verb: str, path: str, body: dict) -> None:
        answer = self._send(verb, path, json.dumps(body))
        if not answer.ok:
            raise OperatorError("CompletionException", f"ConnectRestException: {_refusal(verb, path, answer)}: {_message(answer)}")

    def _patient(self, verb: str, path: str, settles: Iterable[int], none_for: int = 0) -> Any:
        pause = 0.2
        for last in (False, False, False, False, False, True):
            answer = self._send(verb, path)
            if answer.status_code == none_for:
                return None
            if answer.ok:
                return answer.json() if answer.text else None
            if last or answer.status_code not in settles:
                break
            time.sleep(pause)
            pause *= 2
        raise RestError(answer.status_code, _refusal(verb, path, answer))

    def _call(self, verb: str, path: str, body: str | None = None) -> requests.Response:
        answer = self._send(verb, path, body)
        if not answer.ok:
            raise RestError(answer.status_code, f"ConnectRestException: {_refusal(verb, path, answer)}: Unexpected status code")
        return answer

    def _send(self, verb: str, path: str, body: str | None = None) -> requests.Response:
        try:
            data = body.encode() if body is not None else None
            return self._session.request(verb, self.url + path, data=data, headers={"Content-Type": "application/json"}, timeout=60)
        except requests.ConnectionError as error:
            if "refused" in str(error):
                raise OperatorError("ConnectException", f"Connection refused: {self.url}") from error
            raise OperatorError("IOException", "HTTP/1.1 header parser received no bytes") from error


def _path(name: str, *rest: str) -> str:
    return "/".join(("/connectors", quote(name, safe=""), *rest))


def _refusal(verb: str, path: str, answer: requests.Response) -> str:
    """Java's client knows no words for a status (9)."""
    return f"{verb} {path} returned {answer.status_code} ({answer.status_code})"


def _message(answer: requests.Response) -> str:
    try:
        return answer.json()["message"]
    except (ValueError, KeyError, TypeError):
        return answer.text
