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

from tests.docs.bench import BACKUPS, Place, forget
from tests.docs.blocks import File, parse
from tests.docs.runs import ROOT, checked
from tests.docs.scenarios import SCENARIOS
from tests.integration.support.configs import at, file_source, shaped
from tests.integration.support.operator.stand_in import CONNECTORS, CONNECTS
from tests.integration.support.strimzi import connect_annotations, connect_spec
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


@pytest.fixture
def orders(namespace, operator, main, live_stack, kafka, tmp_path):
    """orders-source has read a file of 40 bytes, as a resource of my-connect."""
    forget(kafka, main.offset_topic, "orders-source")  # what a first attempt has left
    if kafka.exists("orders"):
        kafka.drop("orders")
    operator.workers[CONNECTS, "my-connect"] = main.url
    bootstrap_servers = live_stack.endpoints()["bootstrap_servers"]
    namespace.create(CONNECTS, "my-connect", connect_spec(bootstrap_servers), annotations=connect_annotations())
    file = tmp_path / "page" / "orders.txt"
    file.parent.mkdir()
    file.write_text("".join(f"order {number}\n" for number in range(1, 6)))
    namespace.connector("orders-source", file_source(file, topic="orders"), "my-connect")
    at_end = [{"partition": {"filename": str(file)}, "offset": {"position": 40}}]
    wait_until(lambda: main.worker.exists("orders-source") and main.worker.offsets("orders-source") == at_end, reason="the end of the file")
    namespace.await_state("orders-source", "RUNNING")
    yield "orders-source"
    kafka.drop("orders")


def test_docs_outputs(orders, kubernetes, namespace, token, kafka, tmp_path):
    """The page shows what its commands print (see tests/docs), and a token with its rights is all that they need."""
    place = Place(tmp_path / "page", {"k8s_namespace: kafka": f"k8s_namespace: {namespace.name}", "/etc/ssl/kube-eu.pem": kubernetes.ca,
                                      "https://kube.eu.example.com:6443": kubernetes.url})
    page = parse((ROOT / SCENARIOS["strimzi"].page).read_text(encoding="utf-8"))
    rights = next(part for part in page if isinstance(part, File) and part.name == "role.yml")
    hidden = {"vault_kube_eu": token(rules=yaml.safe_load(rights.text)["rules"]), "reset_offsets_settle": 0,
              "kafka_connect_check_position_timeout": 120, "reset_offsets_backup_dir": BACKUPS}
    place.write("group_vars/all.yml", json.dumps(hidden))
    before = namespace.get(CONNECTORS, orders)["spec"]
    commands = checked("strimzi", place)
    next(commands)
    assert namespace.get(CONNECTORS, orders)["spec"] == before and len(kafka.values("orders")) == 5
    list(commands)
    assert namespace.get(CONNECTORS, orders)["spec"] == before
    wait_until(lambda: len(kafka.values("orders")) == 10, reason="the second delivery")


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
