# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many light Connect clusters, each with one connector: as much of the REST API as reset_offsets needs.

``python -m tests.benchmarks.stub_workers FIRST COUNT`` serves COUNT clusters, the first of which has the number FIRST, and prints its port.
A cluster's root is http://127.0.0.1:PORT/NUMBER.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CONNECTOR = "bench-source"
CLASS, FILE = "org.apache.kafka.connect.file.FileStreamSourceConnector", "/tmp/bench.txt"
CONFIG = {"name": CONNECTOR, "connector.class": CLASS, "file": FILE, "topic": "bench"}


class StubCluster:
    """A connector that runs with one task, and its one offset. requests: how many were answered."""

    def __init__(self, number: int) -> None:
        self.worker, self.state, self.requests = f"10.0.{number // 250}.{number % 250}:8083", "RUNNING", 0
        self.root = {"version": "4.3.1", "commit": "0", "kafka_cluster_id": f"kafka-{number:05}"}
        self.offsets = {json.dumps({"filename": FILE}): {"position": 100}}

    def answer(self, verb: str, path: str, body: dict | None) -> tuple[int, object]:
        self.requests += 1
        own = f"connectors/{CONNECTOR}"
        if verb == "GET":
            known = {
                "": lambda: self.root,
                "connectors": lambda: {CONNECTOR: {"status": self.status(), "info": self.info()}},
                "connector-plugins": lambda: [{"class": CLASS, "type": "source", "version": "4.3.1"}],
                own: self.info,
                f"{own}/status": self.status,
                f"{own}/offsets": lambda: {"offsets": [{"partition": json.loads(key), "offset": one} for key, one in self.offsets.items()]},
            }
            return (200, known[path]()) if path in known else (404, {"error_code": 404, "message": f"Connector {path} not found"})
        if verb == "PUT" and path in (f"{own}/stop", f"{own}/resume"):
            self.state = "STOPPED" if path.endswith("stop") else "RUNNING"
            return 204 if self.state == "STOPPED" else 202, None
        if verb == "PATCH" and path == f"{own}/offsets" and self.state == "STOPPED":
            for pair in body["offsets"]:
                self.offsets[json.dumps(pair["partition"])] = pair["offset"]
            return 200, {"message": "The offsets for this connector have been altered successfully"}
        return 400, {"error_code": 400, "message": f"{verb} {path} is not possible here"}

    def status(self) -> dict:
        tasks = [{"id": 0, "state": "RUNNING", "worker_id": self.worker}] if self.state == "RUNNING" else []
        return {"name": CONNECTOR, "type": "source", "connector": {"state": self.state, "worker_id": self.worker}, "tasks": tasks}

    def info(self) -> dict:
        tasks = [{"connector": CONNECTOR, "task": 0}] if self.state == "RUNNING" else []
        return {"name": CONNECTOR, "type": "source", "config": CONFIG, "tasks": tasks}


def handler(clusters: dict[str, StubCluster]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            number, _slash, path = self.path.partition("?")[0].strip("/").partition("/")
            status, found = clusters[number].answer(self.command, path, json.loads(body) if body else None)
            text = b"" if found is None else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if status != 204:
                self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_PUT = do_PATCH = answer

        def log_message(self, *_arguments: object) -> None:
            pass

    return Handler


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


@contextmanager
def stub_clusters(count: int, processes: int = 4) -> Iterator[list[str]]:
    """The URLs of so many clusters, served by so many processes."""
    share = -(-count // processes)
    served = [(first, min(share, count - first)) for first in range(0, count, share)]
    command = [sys.executable, "-m", "tests.benchmarks.stub_workers"]
    running = [subprocess.Popen([*command, str(first), str(many)], stdout=subprocess.PIPE, text=True) for first, many in served]
    try:
        ports = [int(process.stdout.readline()) for process in running]
        yield [f"http://127.0.0.1:{port}/{number}" for port, (first, many) in zip(ports, served, strict=True)
               for number in range(first, first + many)]
    finally:
        for process in running:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    server = Server(("127.0.0.1", 0), handler({str(number): StubCluster(number) for number in range(first, first + count)}))
    print(server.server_port, flush=True)
    server.serve_forever()
