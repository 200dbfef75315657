# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connectors of a KafkaMirrorMaker2, with a token that has no more than the documented rights."""

from __future__ import annotations

import uuid

import pytest

from tests.integration.support.modules import run_module
from tests.integration.support.operator.stand_in import MIRRORS
from tests.integration.support.proxy import refusing
from tests.integration.support.worker import wait_until


@pytest.fixture
def mirrored(kafka, make_mirror, mirror_cluster, namespace):
    """mirrored(old=False) -> (topic, source connector, checkpoint connector) of a mirror that has copied six records."""
    def mirrored(old: bool = False, **mirror) -> tuple[str, str, str]:
        source = f"s{uuid.uuid4().hex[:6]}"
        topic = f"{source}-orders"
        kafka.create(topic, 1, "delete")
        kafka.produce(topic, [f"v{number}" for number in range(6)])
        make_mirror(source, "west", topic, old, **mirror)
        names = tuple(f"{source}->west.Mirror{kind}Connector" for kind in ("Source", "Checkpoint"))
        worker, done = mirror_cluster.worker, [copied(names[0], topic, 5)]
        wait_until(lambda: worker.exists(names[0]) and worker.offsets(names[0]) == done, reason="six records to be copied")
        wait_until(lambda: {one["name"] for one in namespace.status(MIRRORS, "mirror").get("connectors", [])} == set(names))
        return topic, *names
    return mirrored


@pytest.fixture
def method(kubernetes, namespace, token):
    """method(module, check=False, **arguments) -> result, as the service account with the least rights."""
    key = token("mirror-offsets", "mirror-alter", "connect-offset-changes")
    login = {"host": kubernetes.url, "ca_cert": kubernetes.ca, "api_key": key}

    def method(module: str = "connector_offsets", check: bool = False, **arguments) -> dict:
        wait = None if module.endswith("info") else 60
        arguments = {**login, "namespace": namespace.name, "resource": "mirror", "wait_timeout": wait, **arguments}
        return run_module(module, arguments, check=check)
    return method


def copied(connector: str, topic: str, offset: int | None) -> dict:
    partition = {"cluster": connector.split("->")[0], "partition": 0, "topic": topic}
    return {"partition": partition, "offset": None if offset is None else {"offset": offset}}


@pytest.mark.parametrize(("strimzi", "old"), [("1.2", False), ("0.51", False), ("0.51", True)], indirect=["strimzi"])
def test_a_mirror_copies_again(kafka, mirrored, mirror_cluster, namespace, method, old):
    topic, name, _checkpoint = mirrored(old)
    namespace.put_data("mirror-offsets", {"notes.txt": "mine"})
    before = namespace.get(MIRRORS, "mirror")["spec"]
    desired = {"name": name, "stop": True, "offsets": [copied(name, topic, 2)]}
    refused = method(connect_url=[mirror_cluster.url], check=True, **desired)
    assert refused["failed"] and f"first {topic}-0 from 6 to 3, altogether by up to 3 records" in refused["msg"], refused
    predicted = method(check=True, connect_url=[mirror_cluster.url], accept_duplicates=True, **desired)
    result = method(accept_duplicates=True, **desired)
    assert result["changed"] and result["offsets_before"] == [copied(name, topic, 5)], result
    assert result["resource"] == "KafkaMirrorMaker2/mirror"
    assert predicted["actions"] == result["actions"] and predicted["diff"] == result["diff"]
    found = namespace.get(MIRRORS, "mirror")
    assert found["spec"] == before and not found["metadata"].get("annotations")
    assert namespace.data("mirror-alter", name.replace("->", "--") + ".json") == {"offsets": [copied(name, topic, 2)]}
    assert namespace.config_map("mirror-offsets")["data"]["notes.txt"] == "mine"
    alias = name.split("->")[0]
    wait_until(lambda: kafka.values(f"{alias}.{topic}") == [f"v{number}" for number in (0, 1, 2, 3, 4, 5, 3, 4, 5)], reason="the copies")


def test_all_connectors_of_a_mirror(mirrored, mirror_cluster, namespace, operator, proxy_to, method):
    """Through a worker that refuses now and then, which makes the whole resource NotReady for a while."""
    topic, name, checkpoint = mirrored()
    operator.workers[MIRRORS, "mirror"] = proxy_to(mirror_cluster.url, refusing([409, 500, 409], [500, 409])).url
    found = method("connector_offsets_info")
    assert [(one["name"], one["offsets"]) for one in found["connectors"]] == [(checkpoint, []), (name, [copied(name, topic, 5)])], found
    before = namespace.get(MIRRORS, "mirror")["spec"]
    desired = {"content": {name: [copied(name, topic, 1)], checkpoint: []}, "purge": True, "stop": True, "change_id": "CHG-1",
               "final_state": "stopped", "accept_duplicates": True}
    result = method("connector_offsets_import", **desired)
    assert not result["failed"] and result["changed"], result
    assert [(one["name"], one["state"], one["method"]) for one in result["connectors"]] == [
        (checkpoint, "STOPPED", "strimzi"), (name, "STOPPED", "strimzi")]
    assert mirror_cluster.worker.offsets(name) == [copied(name, topic, 1)]
    again = method("connector_offsets_import", **desired)
    assert not again["failed"] and not again["changed"] and again["connectors"][1]["already_applied"], again
    for one in (name, checkpoint):
        assert method("connector_state", name=one, state="started")["changed"]
    assert namespace.get(MIRRORS, "mirror")["spec"] == before


@pytest.mark.parametrize("module, arguments", [
    ("connector_offsets", {"state": "absent", "stop": True}), ("connector_state", {"state": "stopped"}), ("connector_offsets_info", {}),
])
def test_a_name_that_the_mirror_does_not_have(mirrored, namespace, method, module, arguments):
    _topic, name, _checkpoint = mirrored()
    before = namespace.get(MIRRORS, "mirror")
    wrong = name.replace("MirrorSource", "MirrorHeartbeat")
    result = method(module, name=wrong, **arguments)
    assert result["failed"] and f"has no connector {wrong}; it has" in result["msg"] and name in result["msg"], result
    found = namespace.get(MIRRORS, "mirror")
    assert found["spec"] == before["spec"] and not found["metadata"].get("annotations")


def test_a_mirror_is_found_by_its_connector_if_that_is_allowed(mirrored, method, kubernetes):
    topic, name, _checkpoint = mirrored()
    denied = method("connector_offsets_info", name=name, resource=None)
    assert denied["failed"] and "needs the verb list on the resource kafkamirrormaker2s" in denied["msg"]
    assert "give it as resource" in denied["msg"]
    found = method("connector_offsets_info", name=name, resource=None, api_key=kubernetes.admin_token, method="strimzi")
    assert found["offsets"] == [copied(name, topic, 5)], found
