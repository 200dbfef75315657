# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role awx_setup with the real modules of awx.awx, up to where they would write. What AWX makes of it is seen with a real AWX only."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

PLAYBOOK = "streamops.kafka_connect.awx_setup"
HEADERS = {"Content-Type": "application/json", "X-API-Product-Name": "AWX", "X-API-Product-Version": "24.6.1"}


@pytest.fixture(scope="module")
def empty_awx():
    """Says of everything that it is not there. Gives its URL, and the list of what it was asked to write."""
    written = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            for name, value in HEADERS.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(b'{"count": 0, "results": [], "version": "24.6.1"}')

        def refuse(self):
            written.append((self.command, self.path))
            self.send_response(405)
            self.end_headers()

        do_POST = do_PATCH = do_PUT = do_DELETE = refuse

        def log_message(self, *_arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", written
    server.shutdown()
    server.server_close()


def play(project, *options: str, env: dict | None = None, **variables) -> subprocess.CompletedProcess:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "CONTROLLER_", "TOWER_", "PYTHONPATH"))}
    command = [str(Path(sys.executable).with_name("ansible-playbook")), PLAYBOOK, "-e", json.dumps(variables), *options]
    more = {"ANSIBLE_COLLECTIONS_PATH": str(project[1]), "ANSIBLE_NOCOLOR": "1", "HOME": str(project[0])}
    return subprocess.run(command, env={**clean, **more, **(env or {})}, text=True, capture_output=True, check=False)


def test_everything_would_be_made(project, empty_awx, data):
    """Every option is one of awx.awx's, of the right type; nothing is written; what refers to something still to come is no failure."""
    url, written = empty_awx
    variables = {"galaxy_credentials": [], "inventory_path": "inventory", "execution_environment_image": "localhost/ee",
                 "execution_environment_credential": "registry", "credentials": ["eu", "brokers"], "notification_url": "https://hooks.example.com/"}
    done = play(project, "--check", env={"CONTROLLER_HOST": url, "CONTROLLER_OAUTH_TOKEN": "planted-token-77"},
                **{f"awx_setup_{name}": value for name, value in variables.items()})
    assert done.returncode == 0, done.stdout + done.stderr
    assert written == []
    kinds = ("credential_types", "templates", "workflows", "notifications")
    named = [one for kind in kinds for one in data[f"controller_{kind}"]]
    for one in named:
        assert f"changed: [localhost] => (item={one['name']})" in done.stdout, one["name"]
    # and organization, execution environment, project, inventory and its source
    assert done.stdout.count("changed: [localhost]") == len(named) + 5
    assert re.findall(r"WARNING.*", done.stderr.replace("[WARNING]: No inventory", "").replace("[WARNING]: provided hosts list", "")) == []
    assert "planted-token" not in done.stdout + done.stderr


def test_nothing_is_left_to_remove(project, empty_awx):
    url, written = empty_awx
    done = play(project, env={"CONTROLLER_HOST": url, "CONTROLLER_OAUTH_TOKEN": "planted-token-77"}, awx_setup_state="absent",
                awx_setup_remove_organization=True)
    assert done.returncode == 0 and "changed=0" in done.stdout, done.stdout
    assert written == []


def test_no_credential_for_collections(project, empty_awx):
    url, written = empty_awx
    done = play(project, env={"CONTROLLER_HOST": url, "CONTROLLER_OAUTH_TOKEN": "planted-token-77"})
    assert done.returncode == 2 and "AWX installs no collection. Nothing was changed in AWX." in done.stdout and written == []


def test_no_address(project):
    done = play(project)
    assert done.returncode == 2 and "Set CONTROLLER_HOST, and CONTROLLER_OAUTH_TOKEN" in done.stdout


def test_no_awx_awx(project):
    done = play(project, env={"CONTROLLER_HOST": "http://127.0.0.1:1", "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false"})
    assert done.returncode == 2 and "The collection awx.awx is not there: install it with" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("options, host", [([], "localhost"), (["-i", "us,eu,"], "us"), (["-i", "us,eu,", "-l", "eu"], "eu")])
def test_it_runs_once_and_under_a_limit_too(project, options, host):
    """A play on localhost would be skipped under a limit, and the job be green."""
    done = play(project, *options)
    assert done.returncode == 2 and done.stdout.count("fatal: [") == 1, done.stdout
    assert f"fatal: [{host}]" in done.stdout and "Set CONTROLLER_HOST" in done.stdout
