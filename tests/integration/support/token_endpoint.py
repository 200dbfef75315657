# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A login server on loopback: for a client's id and secret it gives a token that the broker of a secured stack takes."""

from __future__ import annotations

import base64
import json
import ssl
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs

from stack.security import AUDIENCE, ISSUER, sign_token


def new_token(secured: dict, user: str, **changed) -> str:
    """For that user, valid for five minutes from now."""
    now = int(time.time())
    return sign_token(Path(secured["folder"]), {"sub": user, "iss": ISSUER, "aud": AUDIENCE, "iat": now - 5, "exp": now + 300, **changed})


class TokenEndpoint:
    """OAuth's grant client_credentials, over TLS by the authority of the stack. A context manager."""

    def __init__(self, secured: dict, clients: dict[str, str]) -> None:
        """clients: id -> secret; the id is the user."""
        #: what a request has asked for: (id, scope); claims that the next tokens get
        self.asked: list[tuple[str, str]] = []
        self.clients = clients
        self.claims: dict = {}
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                kind, _blank, login = (self.headers.get("Authorization") or "").partition(" ")
                client, _colon, secret = base64.b64decode(login).decode().partition(":")
                endpoint.asked.append((client, *form.get("scope", [""])))
                if kind != "Basic" or clients.get(client) != secret or form.get("grant_type") != ["client_credentials"]:
                    self._answer(401, {"error": "invalid_client", "error_description": "Invalid client or client credentials"})
                else:
                    token = new_token(secured, client, **endpoint.claims)
                    self._answer(200, {"access_token": token, "token_type": "Bearer", "expires_in": 300})

            def _answer(self, status: int, body: dict) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_words: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(Path(secured["folder"]) / "broker.pem")
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"https://127.0.0.1:{self._server.server_port}/token"

    def __enter__(self) -> TokenEndpoint:
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
