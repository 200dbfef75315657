# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role and the playbooks on connectors that the operator owns."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pytest
import yaml

from tests.integration.support.configs import at, shaped
from tests.integration.support.operator.stand_in import CONNECTORS
from tests.integration.support.worker import wait_until

EXAMPLES = Path(__file__).parents[3] / "examples" / "strimzi"


@pytest.fixture
def name(namespace, connect) -> str:
    """A connector that has written its five records."""
    name = f"t-{uuid.uuid4().hex[:8]}"
    namespace.connector(name, shaped(topic=name))
    wait_until(lambda: connect.exists(name) and connect.offsets(name) == [at(4)], reason="five records")
    namespace.await_state(name, "RUNNING")
    return name


@pytest.fixture
def host(kubernetes, namespace, token, name) -> dict:
    # by the former names of the variables
    return {"kafka_connect_strimzi_namespace": namespace.name, "kafka_connect_strimzi_host": kubernetes.url,
            "kafka_connect_strimzi_ca_cert": kubernetes.ca, "kafka_connect_strimzi_cluster": "connect",
            "kafka_connect_strimzi_api_key": token(f"{name}-offsets", f"{name}-alter", "connect-offset-changes")}


def test_reset_twice_and_restore(connect, namespace, playbooks, host, name):
    desired = [{"name": name, "offsets": [at(1)], "final_state": "stopped"}]
    before = namespace.get(CONNECTORS, name)["spec"]
    hosts = {"eu": host, "us": {**host, "reset_offsets_connectors": []}}
    only = ("--limit", "eu")
    dry = playbooks.reset(hosts, desired, *only, "--check", reset_offsets_change_id="CHG-1")
    assert dry.rc == 0 and dry.rows[name]["RESULT"] == "would change" and connect.offsets(name) == [at(4)], dry
    assert namespace.get(CONNECTORS, name)["spec"] == before
    real = playbooks.reset(hosts, desired, *only, reset_offsets_change_id="CHG-1")
    assert real.rc == 0 and real.rows[name]["RESULT"] == "changed", real
    assert connect.offsets(name) == [at(1)] and connect.state(name) == ("STOPPED", [])
    again = playbooks.reset(hosts, desired, *only, reset_offsets_change_id="CHG-1")
    assert again.rc == 0 and again.recap["eu"]["changed"] == 0 and again.rows[name]["RESULT"] == "already applied", again
    back = playbooks.run("streamops.kafka_connect.restore_offsets", hosts, *only, restore_offsets_change_id="CHG-1",
                         restore_offsets_final_state="started")
    assert back.rc == 0, back
    assert connect.offsets(name) == [at(4)] and namespace.get(CONNECTORS, name)["spec"] == before
    connect.await_state(name, "RUNNING", ["RUNNING"])


FORMER = "kafka_connect_strimzi_"


def test_example_reset(connect, namespace, playbooks, host, name):
    now = {("k8s_connect_cluster" if name == f"{FORMER}cluster" else name.replace(FORMER, "k8s_")): value for name, value in host.items()}
    done = playbooks.run(str(EXAMPLES / "reset_offsets.yml"), {"eu": now}, reset_offsets_final_state="stopped",
                         reset_offsets_connectors=[{"name": name, "offsets": [at(1)]}])
    assert done.rc == 0 and connect.offsets(name) == [at(1)], done


def test_example_render(connect, namespace, playbooks, host, name, tmp_path):
    done = playbooks.run(str(EXAMPLES / "render.yml"), {"eu": host}, connector=name, offsets=[at(2**53 + 1)], git_folder=str(tmp_path))
    assert done.rc == 0 and connect.offsets(name) == [at(4)], done
    written = yaml.safe_load((tmp_path / f"{name}-alter.yaml").read_text())
    assert json.loads(written["data"]["offsets.json"]) == {"offsets": [at(2**53 + 1)]}
    assert written["kind"] == "ConfigMap" and written["metadata"]["namespace"] == namespace.name
