# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real schema registry with Confluent's API, Apicurio in memory; and a server in front of it that asks for a login.

Apicurio itself would need an identity provider for logins. Companies have such servers in front of their registries, too.
"""

from __future__ import annotations

import json
import ssl
import subprocess
import tarfile
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from stack.locks import file_lock
from stack.paths import cache_dir
from stack.ports import HOST, find_free
from stack.prerequisites import program

#: the last one that runs on Java 17
VERSION = "2.6.13.Final"
_ARTIFACT = f"io.apicurio:apicurio-registry-app:{VERSION}:tar.gz:all"
_GET = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
_JAVA = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]


def _program() -> Path:
    """The folder of the registry's jars, resolved once into the cache."""
    target = cache_dir() / "apicurio" / VERSION
    target.mkdir(parents=True, exist_ok=True)
    with file_lock(target / "lock"):
        if not (target / "complete").exists():
            subprocess.run([program("mvn"), "-B", "-q", _GET, f"-Dartifact={_ARTIFACT}", f"-DoutputDirectory={target}"], check=True)
            (archive,) = target.glob("*.tar.gz")
            with tarfile.open(archive) as packed:
                packed.extractall(target, filter="data")
            archive.unlink()
            (target / "complete").touch()
    return target


class Apicurio:
    """Started when the first schema is registered."""

    def __init__(self) -> None:
        self._port = find_free(set())
        self.url = f"http://{HOST}:{self._port}/apis/ccompat/v7"
        self._process: subprocess.Popen | None = None

    def register(self, subject: str, text, kind: str = "AVRO", references: dict[str, str] | None = None) -> int:
        """The id of a schema. references: name in the text -> subject, in its first version."""
        self._start()
        named = [{"name": name, "subject": other, "version": 1} for name, other in (references or {}).items()]
        content = {"schema": text if isinstance(text, str) else json.dumps(text), "schemaType": kind, "references": named}
        request = urllib.request.Request(f"{self.url}/subjects/{subject}/versions", json.dumps(content).encode())
        request.add_header("Content-Type", "application/vnd.schemaregistry.v1+json")
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)["id"]

    def _start(self) -> None:
        if self._process:
            return
        options = {"quarkus.http.host": HOST, "quarkus.http.port": self._port, "quarkus.log.level": "ERROR"}
        jar = f"apicurio-registry-app-{VERSION}-runner.jar"
        command = [program("java"), *_JAVA, *(f"-D{name}={value}" for name, value in options.items()), "-jar", jar]
        self._process = subprocess.Popen(command, cwd=_program(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < deadline, "the registry did not start"
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/subjects", timeout=5):
                return True
        except OSError:
            return False

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(30)


class Guard:
    """A server that passes requests with the right login on to the registry. certificates: a folder of the stack's, for mutual TLS.

    closed: what paths begin with that are answered with a status instead.
    """

    def __init__(
        self, registry: Apicurio, login: str | None = None, certificates: Path | None = None, closed: str = "", status: int = 403
    ) -> None:
        self.asked: list[str] = []
        guard = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                guard.asked.append(self.path)
                if login and self.headers.get("Authorization") != login:
                    answer, content = 401, b"{}"
                elif closed and self.path.startswith(closed):
                    answer, content = status, b"{}"
                else:
                    answer, content = guard._pass(registry, self.path)
                self.send_response(answer)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_arguments) -> None:
                pass

        self._server = ThreadingHTTPServer((HOST, 0), Handler)
        if certificates:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificates / "broker.pem")
            context.load_verify_locations(certificates / "ca.pem")
            context.verify_mode = ssl.CERT_REQUIRED
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"http{'s' if certificates else ''}://{HOST}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @staticmethod
    def _pass(registry: Apicurio, path: str) -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(registry.url + path, timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
