# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A forward proxy on loopback: it takes CONNECT alone, and connects everybody with one and the same server."""

from __future__ import annotations

import contextlib
import select
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit


class ConnectProxy:
    """connects: the HOST:PORT of every CONNECT. A context manager."""

    def __init__(self, target: str) -> None:
        """target: the URL of the server."""
        self.connects: list[str] = []
        where, connects = urlsplit(target), self.connects

        class Handler(BaseHTTPRequestHandler):
            def do_CONNECT(self) -> None:
                connects.append(self.path)
                with contextlib.suppress(ConnectionError), socket.create_connection((where.hostname, where.port)) as server:
                    self.send_response(200)
                    self.end_headers()
                    ends = {server: self.connection, self.connection: server}
                    while True:
                        for end in select.select(list(ends), [], [])[0]:
                            data = end.recv(65536)
                            if not data:
                                return
                            ends[end].sendall(data)

            def log_message(self, *_words: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ConnectProxy:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
