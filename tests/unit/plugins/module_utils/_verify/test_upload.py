# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify import upload


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a b.html").write_text("page")
    (tmp_path / "a b.json").write_text("{}")
    return {"page": str(tmp_path / "a b.html"), "report": str(tmp_path / "a b.json"), "log": str(tmp_path / "a b.log")}


@pytest.fixture
def store():
    """A server: its URL, what was put there, and the status of its answers."""
    class Store:
        put = {}
        status = 201

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self):
            Store.put[self.path] = (self.headers["Authorization"], self.headers["Content-Type"], self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(Store.status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Store.put, Store.url = {}, f"http://127.0.0.1:{server.server_port}"
    yield Store
    server.shutdown()
    server.server_close()


BASIC = "Basic " + base64.b64encode("öps:pw:2".encode()).decode()


@pytest.mark.parametrize("login, header", [
    (("planted-31", None, None), "Bearer planted-31"), ((None, "öps", "pw:2"), BASIC), (("planted-31", "ops", "pw"), "Bearer planted-31"),
    ((None, None, None), None), (("", "", ""), None),
])
def test_both_are_put(files, store, login, header):
    found, warnings = upload.upload(files, store.url + "/reports/", *login)
    assert store.put == {"/reports/a%20b.html": (header, "text/html; charset=utf-8", b"page"), "/reports/a%20b.json": (header, "application/json", b"{}")}
    assert found == {"page": store.url + "/reports/a%20b.html", "report": store.url + "/reports/a%20b.json", "log": files["log"]} and not warnings


@pytest.mark.parametrize("status", [401, 302, 500])
def test_a_refusal_is_a_warning(files, store, status):
    """No redirection is followed: the token is for this server."""
    store.status = status
    found, warnings = upload.upload(files, store.url, "planted-31", None, None)
    assert found == files and len(store.put) == 2 and "/elsewhere" not in store.put
    assert f"could not be uploaded to {store.url} ({status}, {status}); they are in" in warnings[0]


def test_no_answer_is_a_warning(files):
    found, warnings = upload.upload(files, "http://127.0.0.1:9", "planted-31", None, None)
    assert found == files and "(ConnectionError, ConnectionError)" in warnings[0] and "planted-31" not in warnings[0]


@pytest.mark.parametrize("url, good", [
    ("", True), ("https://pages.example.com", True), ("http://h:8080/a/b/", True),
    ("https://ops:planted@pages.example.com/", False), ("ftp://h/", False), ("https://h/?a=b", False), ("https://h/#x", False), ("pages", False),
])
def test_addresses(url, good):
    if good:
        upload.check(url)
    else:
        with pytest.raises(DeclarationError, match="report_url is no URL of a folder") as caught:
            upload.check(url)
        assert "planted" not in caught.value.message
