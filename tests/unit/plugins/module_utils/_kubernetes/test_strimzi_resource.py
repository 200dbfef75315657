# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read out of Strimzi's resources, and how they are patched."""

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import config_map, strimzi_operations, strimzi_resource
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_manifests import rendered
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_strimzi import connector, mirror, patched

EAST = "east->west.MirrorSourceConnector"


@pytest.mark.parametrize("served, version", [(["v1beta2"], "v1beta2"), (["v1", "v1beta2"], "v1beta2"), (["v1"], "v1"), ([], "v1")])
def test_v1beta2_wherever_it_is_served(served, version):
    assert strimzi_resource.version_of({"versions": [{"version": one} for one in served]}) == version


@pytest.mark.parametrize("text, kind, name", [
    ("orders", None, "orders"), ("KafkaConnector/orders", "KafkaConnector", "orders"), ("kafkamirrormaker2/m", "KafkaMirrorMaker2", "m"),
    (" kafkaconnectors/orders ", "KafkaConnector", "orders"),
])
def test_reference(text, kind, name):
    assert strimzi_resource.read_reference(text) == (kind, name)


@pytest.mark.parametrize("text", ["Deployment/orders", "KafkaConnector/", "", "/x"])
def test_no_reference(text):
    with pytest.raises(DeclarationError, match="must be the name of a KafkaConnector"):
        strimzi_resource.read_reference(text)


@pytest.mark.parametrize("shape, field", [("new", "source/alias"), ("old", "sourceCluster")])
def test_connectors_of_a_mirror(shape, field):
    found = strimzi_resource.parts_of(mirror(shape))
    assert sorted(found) == [EAST, "north->west.MirrorCheckpointConnector", "north->west.MirrorSourceConnector"]
    assert found[EAST].pointer == "/spec/mirrors/1/sourceConnector"
    assert found[EAST].tests == [{"op": "test", "path": "/spec/mirrors/1/" + field, "value": "east"}]
    assert strimzi_operations.config_map_of(found[EAST], "list") == "listed"
    assert strimzi_operations.config_map_of(found["north->west.MirrorSourceConnector"], "alter") is None


def test_an_unknown_connector_of_a_mirror_is_refused_with_those_that_are_there():
    with pytest.raises(DeclarationError, match="has no connector east->west.MirrorsourceConnector; it has east->west.MirrorSourceConnector, "):
        strimzi_resource.part_of(mirror(), "east->west.MirrorsourceConnector")


def test_data_keys():
    assert strimzi_operations.data_key("KafkaConnector", "orders") == "offsets.json"
    assert strimzi_operations.data_key("KafkaMirrorMaker2", EAST) == "east--west.MirrorSourceConnector.json"


def test_configurations():
    found = strimzi_resource.config_of(connector(), strimzi_resource.part_of(connector(), "orders"))
    assert found == {"topic": "t", "batch.size": "5", "connector.class": "FileStreamSource", "name": "orders"}
    for shape, protocol in (("new", None), ("old", "SSL or SASL")):
        found = strimzi_resource.config_of(mirror(shape), strimzi_resource.part_of(mirror(shape), EAST))
        assert found["connector.class"] == "org.apache.kafka.connect.mirror.MirrorSourceConnector"
        assert (found["source.cluster.alias"], found["target.cluster.alias"], found["topics"]) == ("east", "west", "orders.*")
        assert found["source.cluster.bootstrap.servers"] == "east:9092" and found.get("source.cluster.security.protocol") == protocol


# ---- state --------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("spec, wanted", [
    ({}, "running"), ({"state": "paused"}, "paused"), ({"state": "running"}, "running"), ({"pause": True}, "paused"),
])
def test_state_is_put_back_exactly(spec, wanted):
    before = connector(**spec)
    stopped = patched(before, strimzi_resource.state_operations(before, "orders", "stopped"))
    assert stopped["spec"]["state"] == "stopped"
    assert json.loads(stopped["metadata"]["annotations"][strimzi_resource.STATE_BEFORE]) == {"orders": spec.get("state")}
    assert strimzi_resource.state_operations(stopped, "orders", "stopped") == []
    after = patched(stopped, strimzi_resource.state_operations(stopped, "orders", wanted))
    assert after["spec"] == before["spec"] and after["metadata"]["annotations"] == {}
    assert strimzi_resource.state_operations(after, "orders", wanted) == []


@pytest.mark.parametrize("spec, wanted, state", [
    ({}, "paused", "paused"), ({"state": "paused"}, "running", "running"), ({"state": "stopped"}, "running", "running"),
    ({}, "running", None),
])
def test_another_state_than_before_is_set(spec, wanted, state):
    before = connector(**spec)
    after = patched(before, strimzi_resource.state_operations(before, "orders", "stopped"))
    after = patched(after, strimzi_resource.state_operations(after, "orders", wanted))
    assert after["spec"].get("state") == state


def test_state_of_one_connector_of_a_mirror():
    for shape in ("new", "old"):
        before = mirror(shape)
        operations = strimzi_resource.state_operations(before, EAST, "stopped")
        assert {"op": "add", "path": "/spec/mirrors/1/sourceConnector/state", "value": "stopped"} in operations
        assert [one["value"] for one in operations if one["op"] == "test"] == ["east"]
        stopped = patched(before, operations)
        assert "state" not in stopped["spec"]["mirrors"][0]["sourceConnector"]
        assert patched(stopped, strimzi_resource.state_operations(stopped, EAST, "running"))["spec"] == before["spec"]


@pytest.mark.parametrize("reported, asked, expected, tasks", [
    ("STOPPED", "stopped", "STOPPED", 0),  # whatever the list of tasks says
    ("RUNNING", "stopped", "RUNNING", 1),
    ("STOPPED", None, "UNASSIGNED", 1),  # stopped by REST: the operator starts it
    ("PAUSED", "running", "UNASSIGNED", 1),
    ("PAUSED", "paused", "PAUSED", 1),
    ("FAILED", "running", "FAILED", 1),
])
def test_status_that_can_be_trusted(reported, asked, expected, tasks):
    resource = connector(**({"state": asked} if asked else {}))
    resource["status"] = {"connectorStatus": {"connector": {"state": reported}, "tasks": [{"id": 0, "state": "RUNNING"}]}}
    found = strimzi_resource.settled_status(resource, strimzi_resource.part_of(resource, "orders"))
    assert found["connector"]["state"] == expected and len(found["tasks"]) == tasks


# ---- conditions ---------------------------------------------------------------------------------------------------

def told(*conditions):
    return dict(connector(), status={"conditions": [
        {"type": kind, "reason": reason, "message": words, "status": "True"} for kind, reason, words in conditions]})


def test_conditions():
    twice = told(("Ready", None, None), ("Warning", "ManageOffsets", "x"), ("Warning", "ManageOffsets", "x"),
                 ("Warning", "DeprecatedFields", "y"))
    assert strimzi_operations.complaints(twice) == ["ManageOffsets: x"] and strimzi_resource.not_ready(twice) == []


@pytest.mark.parametrize("reason, words, lasting", [
    ("NoSuchResourceException", "no KafkaConnect", True), ("InvalidResourceException", "no label", True),
    ("IllegalArgumentException", "No enum constant KafkaConnectorOffsetsAnnotation.List", True),
    ("RuntimeException", "Kafka Connect cluster 'c' in namespace n has 0 replicas.", True), ("RuntimeException", "something else", False),
    ("Throwable", "task 0 failed", False), ("IOException", "HTTP/1.1 header parser received no bytes", False),
    ("ConnectException", "Connection refused", False), ("TimeoutException", "Exceeded timeout of 300000ms", False),
    ("ConnectRestException", "GET /connectors/c/status returned 500 (500): Unexpected status code", False),
    # the same reason for what passes and for what does not
    ("CompletionException", "x.ConnectRestException: PUT /connectors/c/stop returned 409 (409): Unexpected status code", False),
    ("CompletionException", "x.ConnectRestException: PUT /connectors/c/resume returned 500 (500): Unexpected status code", False),
    ("CompletionException", "x.ConnectRestException: PUT /connectors/c/config returned 400 (400): 1 error(s): Missing topics", True),
    ("CompletionException", "ConnectRestException: POST /connectors returned 400 (Bad Request): 1 error(s)", True),
    ("ConnectRestException", "PUT /connectors/c/config returned 422 (422): no", True),
    ("CompletionException", "ConnectRestException: PUT /connectors/c/config returned 409 (409): rebalance", False),
    ("CompletionException", "ConnectRestException: PUT /connectors/c/config returned 500 (500): Request timed out", False),
    ("CompletionException", "ConnectRestException: PUT /connectors/c/config returned 500 (500): Failed to find any class that implements "
                            "Connector and which name matches x", True),
    ("CompletionException", "ConnectRestException: PUT /connectors/PUT%20%2Fconnectors%2Fx%2Fconfig/stop returned 400 (400)", False),
])
def test_not_ready(reason, words, lasting):
    assert strimzi_resource.is_lasting(strimzi_resource.not_ready(told(("NotReady", reason, words)))) is lasting


@pytest.mark.parametrize("state, tasks, wanted, reached", [
    ("STOPPED", [], "stopped", True), ("RUNNING", ["RUNNING"], "stopped", False), ("FAILED", [], "stopped", False),
    ("RUNNING", ["RUNNING", "FAILED"], "running", True), ("RUNNING", ["UNASSIGNED"], "running", False), ("RUNNING", [], "running", False),
    ("FAILED", [], "running", True), ("UNASSIGNED", [], "running", False),
    ("PAUSED", ["PAUSED", "FAILED"], "paused", True), ("PAUSED", ["RUNNING"], "paused", False), ("PAUSED", [], "paused", True),
])
def test_a_state_is_reached(state, tasks, wanted, reached):
    assert strimzi_resource.is_reached({"connector": {"state": state}, "tasks": [{"state": one} for one in tasks]}, wanted) is reached


@pytest.mark.parametrize("words, looks", [
    ("PATCH /connectors/c/offsets returned 400", 1), ("GET /connectors/c/offsets returned 500", 3), ("409", None),
    ("ConfigMap x does not exist", 1), ("the object has been modified", None), ("the connector is not in STOPPED state", 1),
    ("ListOffsets: HTTP/1.1 header parser received no bytes", None), ("ListOffsets: Connection refused: http://c:8083", None),
    ("AlterOffsets: request timed out", None), ("PATCH /connectors/c/offsets returned 500 (500): Unexpected status code", 3),
])
def test_what_may_pass(words, looks):
    assert strimzi_operations.looks_until_verdict([words], "x") == looks and strimzi_operations.looks_until_verdict([words, "409"], "x") == looks


@pytest.mark.parametrize("name", ["orders-409", "east->409.MirrorSourceConnector"])
def test_names_are_not_what_the_operator_says(name):
    for one in (name, name.replace(">", "%3E"), name.replace("->", "--")):
        assert strimzi_operations.looks_until_verdict([f"PATCH /connectors/{one}/offsets returned 400"], name) == 1
    assert strimzi_operations.looks_until_verdict([f"PATCH /connectors/{name}/offsets returned 409"], name) is None


# ---- patches ------------------------------------------------------------------------------------------------------

def test_entries_of_a_config_map():
    foreign = {"metadata": {}, "data": {"notes.txt": "mine"}}
    assert patched(foreign, config_map.data_operations(foreign, "offsets.json", "{}"))["data"] == {"notes.txt": "mine", "offsets.json": "{}"}
    assert config_map.data_operations(foreign, "offsets.json", None) == [] == config_map.data_operations(foreign, "notes.txt", "mine")
    assert patched(foreign, config_map.data_operations(foreign, "notes.txt", None))["data"] == {}
    assert patched({"metadata": {}}, config_map.data_operations({"metadata": {}}, "a~/b", "x"))["data"] == {"a~/b": "x"}


def test_annotations():
    bare = connector()
    there = patched(bare, strimzi_resource.annotation_operations(bare, {"a/b": "1", "c": None}))
    assert there["metadata"]["annotations"] == {"a/b": "1"}
    assert strimzi_resource.annotation_operations(there, {"a/b": "1", "c": None}) == [] == strimzi_resource.annotation_operations(bare, {"a/b": None})
    assert patched(there, strimzi_resource.annotation_operations(there, {"a/b": None}))["metadata"]["annotations"] == {}


def test_numbers_are_written_exactly():
    pairs = [{"partition": {"f": "ü"}, "offset": {"p": 2**53 + 1, "q": 2**63 - 1, "t": "5", "n": None}},
             {"partition": {"f": "b"}, "offset": None}]
    assert json.loads(strimzi_operations.offsets_text(pairs)) == {"offsets": pairs}
    assert str(2**53 + 1) in strimzi_operations.offsets_text(pairs) and "ü" in strimzi_operations.offsets_text(pairs)


# ---- rendering ----------------------------------------------------------------------------------------------------

def test_rendered():
    pairs = [{"partition": {"f": "a"}, "offset": {"p": 2**53 + 1}}]
    found = rendered(connector(), "kafka.strimzi.io/v1", "orders", pairs)
    assert found["manifests"] == [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "wanted", "namespace": "kafka"},
                                   "data": {"offsets.json": strimzi_operations.offsets_text(pairs)}}]
    resource = connector()
    for one in found["patches"]:
        assert one["target"] == {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector", "name": "orders", "namespace": "kafka"}
    resource = patched(resource, found["patches"][0]["patch"])
    assert resource["spec"]["state"] == "stopped"
    resource = patched(resource, found["patches"][1]["patch"])
    assert resource["metadata"]["annotations"] == {"strimzi.io/connector-offsets": "alter"}
    assert patched(resource, found["patches"][2]["patch"])["spec"] == connector()["spec"]


def test_rendered_reset_of_a_mirror_that_is_stopped():
    found = rendered(mirror(state="stopped"), "kafka.strimzi.io/v1", EAST, None)
    assert found["manifests"] == [] and len(found["patches"]) == 1
    assert patched(mirror(), found["patches"][0]["patch"])["metadata"]["annotations"] == {
        "strimzi.io/connector-offsets": "reset", "strimzi.io/mirrormaker-connector": EAST}


def test_rendered_for_a_resource_without_the_lines():
    bare = connector()
    del bare["spec"]["alterOffsets"]
    found = rendered(bare, "kafka.strimzi.io/v1", "orders", [])
    after = patched(bare, found["patches"][0]["patch"])
    assert after["spec"]["alterOffsets"] == {"fromConfigMap": {"name": found["manifests"][0]["metadata"]["name"]}}
