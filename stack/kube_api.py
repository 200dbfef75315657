# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes' API over plain HTTP, as its documents are: no client of others, so that nothing is changed on the way."""

import http.client
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

from stack.errors import StackError

MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"
_TIMEOUT = 30.0


class ApiError(StackError):
    """The API server refused; status is HTTP's, reason is Kubernetes' word for it."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class KubeApi:
    """One user of an API server. Every thread has a connection of its own."""

    def __init__(self, url: str, ca: str, token: str) -> None:
        self.url = url
        self.token = token
        self._address = urlsplit(url).netloc
        self._context = ssl.create_default_context(cafile=ca)
        self._local = threading.local()

    def call(self, verb: str, path: str, body: Any = None, content_type: str = "application/json", **query: str) -> Any:
        """The answer's document; ApiError if it is refused, OSError if there is none."""
        if query:
            path = f"{path}?{urlencode(query)}"
        data = json.dumps(body).encode() if body is not None else None
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type, "Accept": "application/json"}
        for last in (False, True):
            connection = getattr(self._local, "connection", None) or self._connect()
            self._local.connection = connection
            try:
                connection.request(verb, path, data, headers)
                answer = connection.getresponse()
                return _document(answer.status, answer.read())
            except (http.client.HTTPException, OSError) as error:
                connection.close()
                self._local.connection = None
                # A connection that was idle for long is closed by the server; what was never answered may be asked again.
                if last or not isinstance(error, (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)):
                    raise OSError(f"{verb} {path}: {error}") from error
        raise AssertionError

    def get(self, path: str) -> Any:
        """None if there is no such thing."""
        try:
            return self.call("GET", path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def delete(self, path: str) -> None:
        """No error if there is no such thing."""
        try:
            self.call("DELETE", path)
        except ApiError as error:
            if error.status != 404:
                raise

    def watch(self, path: str, version: str, opened: Callable[[Any], None]) -> Iterator[tuple[str, dict[str, Any]]]:
        """(ADDED, MODIFIED or DELETED, object) for each change after that resourceVersion.

        opened is called with the connection: to end the watch, shut down its socket (sock). It ends when the server ends it, too.
        """
        connection = self._connect()
        opened(connection)
        try:
            query = urlencode({"watch": "1", "resourceVersion": version, "allowWatchBookmarks": "false"})
            connection.sock.settimeout(None)  # silence is no failure here
            connection.request("GET", f"{path}?{query}", headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            if answer.status != 200:
                _document(answer.status, answer.read())
            for line in answer:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return
                yield event["type"], event["object"]
        except (http.client.HTTPException, OSError, ValueError):
            return
        finally:
            connection.close()

    def _connect(self) -> http.client.HTTPSConnection:
        connection = http.client.HTTPSConnection(self._address, context=self._context, timeout=_TIMEOUT)
        connection.connect()
        return connection


def _document(status: int, body: bytes) -> Any:
    text = body.decode(errors="replace")
    try:
        found = json.loads(text) if text else None
    except ValueError:
        found = text
    if status < 300:
        return found
    if isinstance(found, dict):
        raise ApiError(status, found.get("reason") or "", found.get("message") or text)
    raise ApiError(status, "", text)
