# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small fleet, the project as AWX has it after an update, and jobs in it."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path

import pytest

from stack import ClusterSpec, Stack
from tests.awx.data import ROOT, awx_data, tool
from tests.awx.jobs import Awx, Template, Workflow
from tests.integration.support.configs import at, shaped
from tests.integration.support.proxy import Proxy
from tests.integration.support.worker import Worker

#: a stack that runs already, for fast rounds while developing; it is left running
KEEP = "STREAMOPS_STACK_DIR"

#: host -> its Connect cluster; eu-1 is the canary
HOSTS = {"eu-1": "one", "eu-2": "two", "us-1": "three"}
#: a cluster that wants the login of examples/awx_project; and what that is encrypted with, by vault id
LOCKED, LOGIN, VAULTS = "locked", ("operator", "an-example-password"), {"eu": "example", "us": "another"}
#: of the launches: the clusters' ledgers outlive a test, and a number is the name of a change
_NUMBERS = itertools.count(100)
_EXTENSION = "org.apache.kafka.connect.rest.basic.auth.extension"


@pytest.fixture(scope="session")
def data(tmp_path_factory) -> dict:
    return awx_data(tmp_path_factory.mktemp("data"), awx_setup_notification_url="https://hooks.example.com/kafka")


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> tuple[Path, Path]:
    """(project, collections): the repository as git has it, and what a project update installs because of its requirements.yml."""
    folder = tmp_path_factory.mktemp("awx")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(lambda name: name and (ROOT / name).is_file(), names):
        (folder / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / "project" / name)
    command = [str(Path(sys.executable).with_name("ansible-galaxy")), "collection", "install", "-r", "collections/requirements.yml",
               "-p", str(folder / "collections")]
    # Else it would find the checkout itself, and have nothing to install.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env["ANSIBLE_COLLECTIONS_PATH"] = str(folder / "collections")
    done = subprocess.run(command, cwd=folder / "project", env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "was installed successfully" in done.stdout, done.stdout + done.stderr
    return folder / "project", folder / "collections"


@pytest.fixture(scope="session")
def live_stack(tmp_path_factory):
    kept = os.environ.get(KEEP)
    stack = Stack(kept or tmp_path_factory.mktemp("stack"))
    stack.up({name: ClusterSpec() for name in HOSTS.values()})
    yield stack
    if not kept:
        stack.purge()


@pytest.fixture(scope="session")
def locked(live_stack) -> Worker:
    """The worker of that cluster."""
    users, login = live_stack.layout.conf / "users.properties", live_stack.layout.conf / "login.conf"
    users.write_text("=".join(LOGIN))
    login.write_text(f'KafkaConnect {{ {_EXTENSION}.PropertyFileLoginModule required file="{users}"; }};')
    spec = ClusterSpec(properties={"rest.extension.classes": f"{_EXTENSION}.BasicAuthSecurityRestExtension"},
                       jvm_options=[f"-Djava.security.auth.login.config={login}"])
    return Worker(live_stack.up({LOCKED: spec})["clusters"][LOCKED]["urls"][0], LOGIN)


@dataclass
class Fleet:
    """The clusters of an inventory, and one connector that all of them have."""

    workers: dict[str, Worker]
    name: str
    groups: dict

    def desired(self, n: int) -> str:
        """The change as an answer to the survey."""
        return f'[{{"name": "{self.name}", "offsets": [{{"partition": {{"p": 0}}, "offset": {{"n": {n}}}}}]}}]'

    def offsets(self) -> dict[str, list]:
        return {host: worker.offsets(self.name) for host, worker in self.workers.items()}

    def states(self) -> dict[str, str]:
        return {host: worker.state(self.name)[0] for host, worker in self.workers.items()}

    def all_at(self, *numbers: int) -> dict[str, list]:
        return {host: [at(number)] for host, number in zip(self.workers, numbers, strict=True)}

    def route(self, host: str, url: str) -> None:
        self.groups["_meta"]["hostvars"][host]["kafka_connect_url"] = url


@pytest.fixture
def fleet(live_stack):
    """Three clusters whose connector is stopped and has written records 0 to 4. Jobs lose their disk, so the ledger is a topic.

    As their connectors have the same offsets, nothing but the inventory tells which of the offsets topics is whose.
    """
    found = live_stack.endpoints()
    clusters = found["clusters"]
    workers = {host: Worker(clusters[cluster]["urls"][0]) for host, cluster in HOSTS.items()}
    variables = {"kafka_bootstrap_servers": found["bootstrap_servers"], "kafka_connect_check_position": "none"}
    groups = {"all": {"children": ["eu", "us", "canary"], "vars": variables},
              "eu": {"hosts": ["eu-2", "eu-1"]}, "us": {"hosts": ["us-1"]},
              "canary": {"hosts": ["eu-1"]},
              "_meta": {"hostvars": {host: {"kafka_connect_url": worker.url, "kafka_connect_group": clusters[HOSTS[host]]["group_id"],
                                            "kafka_connect_offset_topic": clusters[HOSTS[host]]["offset_topic"]}
                                     for host, worker in workers.items()}}}
    fleet = Fleet(workers, f"t-{uuid.uuid4().hex[:8]}", groups)
    for worker in workers.values():
        worker.create(fleet.name, shaped(topic=fleet.name))
        worker.set_offsets(fleet.name, [at(4)])
    yield fleet
    for worker in workers.values():
        worker.delete(fleet.name)


@pytest.fixture
def vaulted(fleet, locked, tmp_path) -> Fleet:
    """The same with what is encrypted in the inventory of examples/awx_project, as AWX imports it: without any password of a vault.

    eu-1 is a cluster that wants the login; the address of us-1 is encrypted, too, with another vault id.
    """
    text = tool("ansible-inventory", "-i", "inventory/hosts.yml", "--list", "--export", folder=ROOT / "examples" / "awx_project")
    found = json.loads(text)["_meta"]["hostvars"]["eu-1"]
    (tmp_path / "us").write_text(VAULTS["us"])
    words = ["--vault-id", f"us@{tmp_path / 'us'}", "--encrypt-vault-id", "us", fleet.workers["us-1"].url]
    text = tool("ansible-vault", "encrypt_string", *words)
    address = "".join(f"{line.strip()}\n" for line in text.splitlines() if "!vault" not in line)
    hosts = fleet.groups["_meta"]["hostvars"]
    hosts["eu-1"] = found | {"kafka_connect_url": locked.url, "kafka_connect_group": f"connect-{LOCKED}",
                             "kafka_connect_offset_topic": f"connect-{LOCKED}-offsets"}
    hosts["us-1"]["kafka_connect_url"] = {"__ansible_vault": address}
    locked.create(fleet.name, shaped(topic=fleet.name))
    locked.set_offsets(fleet.name, [at(4)])
    others = dict(fleet.workers)
    fleet.workers["eu-1"] = locked
    yield fleet
    locked.delete(fleet.name)
    fleet.workers.update(others)


@pytest.fixture
def awx(fleet, project, data, tmp_path) -> Awx:
    types = {one["name"]: one for one in data["controller_credential_types"]}
    return Awx(tmp_path, *project, fleet.groups, types)


@pytest.fixture
def template(data):
    """template(name): one of the role awx_setup."""
    return lambda name: Template.of(data, name)


@pytest.fixture
def workflow(awx, data):
    """workflow(name, survey, limit=""): one launch of it."""
    return lambda name, survey, **more: Workflow(awx, data, name, next(_NUMBERS), survey, **more)


@pytest.fixture
def proxy_to():
    """proxy_to(url, trick) -> a Proxy, closed afterwards."""
    opened = []

    def proxy_to(target: str, *arguments) -> Proxy:
        opened.append(Proxy(target, *arguments))
        return opened[-1]

    yield proxy_to
    for proxy in opened:
        proxy.close()
