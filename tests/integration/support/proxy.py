# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A reverse proxy in front of a worker: writes down what passes, and plays tricks where a test asks for them."""

from __future__ import annotations

import contextlib
import http.client
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit


class Request(NamedTuple):
    verb: str
    path: str
    body: bytes
    headers: http.client.HTTPMessage


class Answer(NamedTuple):
    status: int
    body: bytes = b""
    content_type: str = "application/json"
    location: str = ""


VALIDATE = "/config/validate"

#: instead of an Answer: pass the request on, but break the connection before its answer
LOSE = object()
#: break the connection and pass nothing on, as a worker that is away
DROP = object()

Trick = Callable[[Request], object]


def refusing(stop: list[int], resume: list[int]) -> Trick:
    """Statuses with which PUT stop and resume of connectors are refused, one after the other; then they pass."""
    left = {"stop": list(stop), "resume": list(resume)}

    def trick(request: Request) -> Answer | None:
        statuses = left.get(request.path.rsplit("/", 1)[-1])
        return Answer(statuses.pop(0), b"{}") if statuses else None

    return trick


class Proxy:
    """trick(request) gives None (pass on), an Answer (do not pass on), LOSE or DROP. With no target every request needs one."""

    def __init__(self, target: str | None, trick: Trick = lambda request: None, prefix: str = "", certificate: Path | None = None) -> None:
        """certificate: PEM file with certificate and key, for https."""
        self.target = target
        self.trick = trick
        self.requests: list[Request] = []
        self._prefix = prefix
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._scheme = "https" if certificate else "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._server.server_port}{self._prefix}"

    @property
    def verbs(self) -> set[str]:
        """Without the question whether a configuration is valid, which changes nothing."""
        return {request.verb for request in self.requests if not request.path.endswith(VALIDATE)}

    def writes(self) -> list[tuple[str, str]]:
        return [(request.verb, request.path) for request in self.requests if request.verb != "GET" and not request.path.endswith(VALIDATE)]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _forward(self, request: Request) -> Answer:
        target = urlsplit(self.target)
        connection = http.client.HTTPConnection(target.hostname, target.port, timeout=120)
        try:
            headers = {"Content-Type": "application/json"} if request.body else {}
            connection.request(request.verb, request.path, request.body or None, headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read(), answer.headers.get("Content-Type") or "")
        finally:
            connection.close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = self.path.removeprefix(proxy._prefix)
                request = Request(self.command, path, body, self.headers)
                proxy.requests.append(request)
                answer = proxy.trick(request)
                lose = answer in (LOSE, DROP)
                try:
                    if answer in (None, LOSE):
                        answer = proxy._forward(request)
                except OSError:
                    # As if the worker itself did not take, or broke, the connection.
                    lose = True
                    answer = Answer(0)
                if lose:
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                if answer.content_type:
                    self.send_header("Content-Type", answer.content_type)
                if answer.location:
                    self.send_header("Location", answer.location)
                if answer.status != 204:
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                with contextlib.suppress(ConnectionError):  # whoever asked was killed meanwhile
                    self.wfile.write(answer.body)

            do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = answer

            def log_message(self, *_arguments) -> None:
                pass

        return Handler
