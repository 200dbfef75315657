# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools that we are compared with."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from tests.benchmarks.measure import run, timed


class Bkkt:
    """bkkt 0.1.0a1 of PyPI, a process for each call."""

    def __init__(self, folder: Path, url: str) -> None:
        (folder / "connectors").mkdir(parents=True)
        parts = urlsplit(url)
        config = {
            "version": 1,
            "connectors_root": "connectors",
            "default_cluster": "bench",
            "clusters": {
                "bench": {
                    "dev": {
                        "connect": {"scheme": "http", "port": parts.port, "hosts": [parts.hostname]},
                        "kafka": {"bootstrap_servers": ["127.0.0.1:9"]},
                    }
                }
            },
        }
        (folder / "connectctl.yaml").write_text(json.dumps(config))
        self.command = [os.environ.get("STREAMOPS_BKKT", "bkkt"), "--repo-root", str(folder)]
        self.command += ["--config", str(folder / "connectctl.yaml"), "connect", "offsets"]

    def get(self, connector: str) -> float:
        return timed(lambda: run([*self.command, "get", "--env", "dev", "--name", connector]))

    def patch(self, connector: str, body: Path) -> float:
        arguments = ["patch", "--env", "dev", "--name", connector, "--json-file", str(body), "--yes"]
        return timed(lambda: run([*self.command, *arguments]))


def kcat() -> str:
    """The path of the program."""
    found = shutil.which("kcat") or shutil.which("kafkacat")
    if not found:
        raise SystemExit("the peer kcat is not installed (Debian package kcat)")
    return found


def curl_patch(url: str, connector: str, body: Path) -> float:
    """Seconds of the request itself, by curl's own clock."""
    done = run([
        "curl", "--silent", "--show-error", "--fail", "--output", os.devnull, "--write-out", "%{time_total}",
        "--request", "PATCH", "--header", "Content-Type: application/json", "--data-binary", f"@{body}",
        f"{url}/connectors/{connector}/offsets",
    ])  # fmt: skip
    return float(done.stdout)
