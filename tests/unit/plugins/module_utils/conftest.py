# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A small HTTP server for faults that a real worker cannot be made to show."""

from __future__ import annotations

import http.server
import json
import signal
import socket
import struct
import threading

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import WRITES
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS


@pytest.fixture(autouse=True)
def nothing_written():
    """A test is a process of its own."""
    WRITES.made = False


class Stub:
    """Gives its answers in turn, the last one for ever, and remembers what came over the wire.

    An answer is (status, body, headers), RESET or CLOSE (the connection breaks), or HANG (nothing comes in time).
    """

    RESET, CLOSE, HANG = "reset", "close", "hang"

    def __init__(self, tls=None):
        self.answers, self.requests = [], []
        self.came, self.ended = threading.Event(), threading.Event()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"stub": self}))
        self._server.daemon_threads, self._server.block_on_close = True, False
        self._server.handle_error = lambda *args: None
        if tls:
            # the handshake belongs to the thread of the connection, not to the one that accepts
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def reply(self, status=200, body=None, times=1, **headers):
        """body: text as it is, anything else as JSON."""
        text = body if isinstance(body, str) else "" if body is None else json.dumps(body)
        self.answers += [(status, text.encode("utf-8"), headers)] * times
        return self

    def error(self, status, message, times=1):
        return self.reply(status, {"error_code": status, "message": message}, times)

    def breaks(self, how, times=1):
        self.answers += [how] * times
        return self

    def __len__(self):
        return len(self.requests)

    @property
    def lines(self):
        return ["{} {}".format(*request[:2]) for request in self.requests]

    def close(self, connector=None):
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    def setup(self):
        if hasattr(self.request, "do_handshake"):
            self.request.do_handshake()
        super().setup()

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.stub.requests.append((self.command, self.path, dict(self.headers), body))
        self.stub.came.set()
        answer = self.stub.answers.pop(0) if len(self.stub.answers) > 1 else self.stub.answers[0]
        if answer == Stub.HANG:
            self.stub.ended.wait(30)
        elif answer == Stub.RESET:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif answer == Stub.CLOSE:
            self.connection.close()
        else:
            status, data, headers = answer
            self.send_response(status)
            for name, value in dict({"Content-Length": str(len(data))}, **headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = answer

    def log_message(self, *args):
        pass


@pytest.fixture
def make_stub():
    made = []

    def make(tls=None):
        made.append(Stub(tls))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def stub(make_stub):
    return make_stub()


@pytest.fixture
def refused():
    """The URL of a port on which nobody listens, for as long as the test runs."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch, tmp_path):
    """No proxy, certificates or credentials of the machine that runs the tests."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)


class Ended(BaseException):
    """A signal would have ended the process."""


@pytest.fixture
def interrupts(monkeypatch):
    """Signals for this process; Ended where nobody holds them."""
    def end(number, frame):
        raise Ended

    monkeypatch.setattr(INTERRUPTS, "came", None)
    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    yield Ended
    given_back = [signal.signal(number, handler) for number, handler in before.items()]
    assert given_back in ([end, end], [signal.SIG_IGN, end])
