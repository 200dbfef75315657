# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.http import Transport
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest import ConnectClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets

ROOT = {"version": "4.3.1", "commit": "x", "kafka_cluster_id": "id"}
DONE = {"message": "The offsets for this connector have been altered successfully"}
PAIRS = [{"partition": {"p": "é"}, "offset": {"o": 9223372036854775807}}, {"partition": {"p": 2}, "offset": None}]


@pytest.fixture
def client(stub):
    transport = Transport([stub.url], sleep=lambda seconds: None)
    yield ConnectClient(transport)
    transport.close()


@pytest.mark.parametrize("name, segment", [
    ("orders-source", "orders-source"), ("my conn", "my%20conn"), ("q?x#y", "q%3Fx%23y"), ("a+b", "a%2Bb"),
    ("a;b", "a%3Bb"),
    ("east->west.MirrorSourceConnector", "east-%3Ewest.MirrorSourceConnector"), ("café-🚚", "caf%C3%A9-%F0%9F%9A%9A"),
    ("a/b", "a%2Fb"), ("x%2Fy", "x%252Fy"), ("a\\b", "a%5Cb"), ("../connectors", "..%2Fconnectors"), ("...", "..."),
    ("~a_b.c", "~a_b.c"), ("a&b=c", "a%26b%3Dc"), ("a:b@c", "a%3Ab%40c"), (" ", "%20"), ("\n", "%0A"),
])
def test_names_on_the_wire(stub, client, name, segment):
    stub.reply(200, {"connector": {}}).reply(200, DONE).reply(200, DONE).reply(204)
    client.status(name)
    client.alter_offsets(name, PAIRS)
    client.reset_offsets(name)
    client.stop(name)
    assert stub.lines == [f"GET /connectors/{segment}/status", f"PATCH /connectors/{segment}/offsets",
                          f"DELETE /connectors/{segment}/offsets", f"PUT /connectors/{segment}/stop"]


@pytest.mark.parametrize("name", ["", ".", "..", "a\ud83d"])
def test_names_that_no_url_can_hold(stub, client, name):
    for call in (client.status, client.offsets, client.reset_offsets, client.stop, client.delete):
        with pytest.raises(errors.DeclarationError) as caught:
            call(name)
        caught.value.message.encode("utf-8")
    assert len(stub) == 0


@pytest.mark.parametrize("call, answer, line, body, result", [
    (lambda c: c.root(), ROOT, "GET /", None, ROOT),
    (lambda c: c.connectors(), {"c": {"info": {}}}, "GET /connectors?expand=status&expand=info", None,
     {"c": {"info": {}}}),
    (lambda c: c.connectors(), {}, "GET /connectors?expand=status&expand=info", None, {}),
    (lambda c: c.status("c"), {"connector": {}}, "GET /connectors/c/status", None, {"connector": {}}),
    (lambda c: c.info("c"), {"config": {}}, "GET /connectors/c", None, {"config": {}}),
    (lambda c: c.plugins(), [{"class": "x"}], "GET /connector-plugins", None, [{"class": "x"}]),
    (lambda c: c.validate({"connector.class": "a/b"}),
     {"configs": [{"value": {"name": "x", "errors": ["no", "never"]}}, {"value": {"name": "y", "errors": []}}, {"definition": {}}]},
     "PUT /connector-plugins/a%2Fb/config/validate", {"connector.class": "a/b"}, {"x": ["no", "never"]}),
    (lambda c: c.alter_offsets("c", PAIRS), DONE, "PATCH /connectors/c/offsets", {"offsets": PAIRS}, DONE["message"]),
    (lambda c: c.reset_offsets("c"), DONE, "DELETE /connectors/c/offsets", None, DONE["message"]),
    (lambda c: c.stop("c"), None, "PUT /connectors/c/stop", None, None),
    (lambda c: c.pause("c"), None, "PUT /connectors/c/pause", None, None),
    (lambda c: c.resume("c"), None, "PUT /connectors/c/resume", None, None),
    (lambda c: c.restart_failed("c"), {}, "POST /connectors/c/restart?includeTasks=true&onlyFailed=true", None, None),
    (lambda c: c.create("c", {"a": "1"}), {}, "POST /connectors", {"name": "c", "config": {"a": "1"}}, None),
    (lambda c: c.create("c", {}, "STOPPED"), {}, "POST /connectors",
     {"name": "c", "config": {}, "initial_state": "STOPPED"}, None),
    (lambda c: c.put_config("c", {"a": "1"}), {}, "PUT /connectors/c/config", {"a": "1"}, None),
    (lambda c: c.delete("c"), None, "DELETE /connectors/c", None, None),
])
def test_calls(stub, client, call, answer, line, body, result):
    stub.reply(200, answer)
    assert call(client) == result
    assert stub.lines == [line]
    assert (json.loads(stub.requests[0][3]) if stub.requests[0][3] else None) == body


def test_offsets_are_those_of_the_second_answer(stub, client):
    """The first one lists what the worker has read so far."""
    stub.reply(200, {"offsets": PAIRS[:1]}).reply(200, {"offsets": PAIRS})
    assert client.offsets("c") == PAIRS
    assert stub.lines == ["GET /connectors/c/offsets"] * 2


@pytest.mark.parametrize("call, answer", [
    (lambda c: c.root(), {"cluster_name": "elastic"}), (lambda c: c.root(), []), (lambda c: c.root(), None),
    (lambda c: c.connectors(), ["c"]), (lambda c: c.connectors(), {"error": "x"}),
    (lambda c: c.status("c"), {"name": "c"}), (lambda c: c.info("c"), {}), (lambda c: c.offsets("c"), {}),
    (lambda c: c.plugins(), {}), (lambda c: c.plugins(), ["x"]), (lambda c: c.validate({"connector.class": "x"}), {}),
    (lambda c: c.offsets("c"), []), (lambda c: c.offsets("c"), {"offsets": None}),
    (lambda c: c.alter_offsets("c", PAIRS), {}), (lambda c: c.reset_offsets("c"), {"message": None}),
    (lambda c: c.reset_offsets("c"), None),
    (lambda c: c.status("c"), {"connector": ["RUNNING"]}), (lambda c: c.status("c"), {"connector": {}, "tasks": ["RUNNING"]}),
    (lambda c: c.status("c"), {"connector": {}, "tasks": [{"id": "0"}]}), (lambda c: c.status("c"), {"connector": {"state": ["RUNNING"]}}),
    (lambda c: c.info("c"), {"config": ["x"]}), (lambda c: c.connectors(), {"c": {"status": "RUNNING"}}), (lambda c: c.connectors(), {"c": {"info": ["x"]}}),
    (lambda c: c.connectors(), {"c": {"info": {"config": "x"}}}), (lambda c: c.offsets("c"), {"offsets": [None]}),
    (lambda c: c.offsets("c"), {"offsets": [{"partition": {"p": 0}, "offset": 4}]}), (lambda c: c.offsets("c"), {"offsets": [{"partition": "p"}]}),
    (lambda c: c.validate({"connector.class": "x"}), {"configs": ["x"]}), (lambda c: c.validate({"connector.class": "x"}), {"configs": [{"value": "x"}]}),
])
def test_json_that_is_not_connects(stub, client, call, answer):
    stub.reply(200, answer)
    with pytest.raises(errors.NotConnect) as caught:
        call(client)
    assert "this is not the root of a Connect REST API" in caught.value.message
    assert caught.value.facts["url"].startswith(stub.url)


def test_a_call_that_a_gateway_blocks_is_not_laid_to_the_version(stub, client):
    stub.reply(405, {"error_code": 405, "message": "HTTP 405 Method Not Allowed"}).reply(200, dict(ROOT, version="4.3.1"))
    with pytest.raises(errors.Refused) as caught:
        client.alter_offsets("c", PAIRS)
    assert "is blocked with 405, although the worker runs Connect 4.3.1" in caught.value.message


@pytest.mark.parametrize("version, feature, words", [
    ("3.4.1", "stop", "runs Connect 3.4.1, which cannot stop connectors by REST: that needs Connect 3.5 or later."),
    ("3.5.2", "alter", "runs Connect 3.5.2, which cannot change offsets by REST: that needs Connect 3.6 or later."),
    ("7.5.0-ccs", "alter", "runs Connect 7.5.0-ccs, which cannot change offsets"),
    ("3.6.0", "initial_state",
     "cannot create a connector with an initial state by REST: that needs Connect 3.7 or later."),
])
def test_require_refuses(stub, client, version, feature, words):
    stub.reply(200, dict(ROOT, version=version))
    for _attempt in range(2):
        with pytest.raises(errors.EndpointMissing) as caught:
            client.require(feature)
    assert words in caught.value.message and stub.url in caught.value.message
    assert stub.lines == ["GET /"]


@pytest.mark.parametrize("version", ["3.7.0", "4.3.1", "7.7.0-ce", "unknown", "", None])
def test_require_accepts(stub, client, version):
    stub.reply(200, dict(ROOT, version=version))
    for feature in ("stop", "offsets", "alter", "initial_state"):
        client.require(feature)


@pytest.mark.parametrize("call, version, status, words", [
    (lambda c: c.offsets("c"), "3.4.1", 404, "cannot show offsets by REST: that needs Connect 3.5"),
    (lambda c: c.stop("c"), "3.4.1", 404, "cannot stop connectors by REST: that needs Connect 3.5"),
    (lambda c: c.alter_offsets("c", PAIRS), "3.5.2", 405, "cannot change offsets by REST: that needs Connect 3.6"),
    (lambda c: c.reset_offsets("c"), "3.5.2", 405, "cannot change offsets by REST: that needs Connect 3.6"),
])
def test_an_endpoint_that_this_worker_lacks(stub, client, call, version, status, words):
    stub.error(status, f"HTTP {status} X").reply(200, dict(ROOT, version=version))
    with pytest.raises(errors.EndpointMissing) as caught:
        call(client)
    assert words in caught.value.message and version in caught.value.message


def test_an_initial_state_that_this_worker_does_not_know(stub, client):
    stub.error(500, 'Unrecognized field "initial_state" (class X)').reply(200, dict(ROOT, version="3.6.0"))
    with pytest.raises(errors.EndpointMissing,
                       match="Connect 3.6.0, which cannot create a connector with an initial state"):
        client.create("c", {}, "STOPPED")


@pytest.mark.parametrize("call",
                         [lambda c: c.connectors(), lambda c: c.status("c"), lambda c: c.info("c"),
                          lambda c: c.pause("c")])
def test_an_endpoint_that_every_worker_has_is_missing(stub, client, call):
    stub.error(404, "HTTP 404 Not Found")
    with pytest.raises(errors.NotConnect, match="Check kafka_connect_url and its path prefix"):
        call(client)


def test_behind_a_wrong_prefix_no_version_is_blamed(stub, client):
    stub.error(404, "HTTP 404 Not Found").reply(404, "<title>nginx</title>")
    with pytest.raises(errors.NotConnect, match="nginx"):
        client.offsets("c")


# ---- names that a worker of 4.0 or later does not take in a URL ---------------------------------------------------

AMBIGUOUS = "<title>Error 400 Ambiguous URI path encoding</title>"
SLASHED = {"status": {"name": "a/b", "connector": {"state": "STOPPED"}, "tasks": []}, "info": {"name": "a/b", "config": {"x": "1"}}}


@pytest.mark.parametrize("call, path, found", [
    (lambda c: c.status("a/b"), "/connectors/a%2Fb/status", SLASHED["status"]), (lambda c: c.info("a/b"), "/connectors/a%2Fb",
                                                                                 SLASHED["info"]),
])
def test_such_a_connector_is_looked_up_in_the_list(stub, client, call, path, found):
    stub.reply(400, AMBIGUOUS).reply(200, {"a": {"status": {"connector": {}}, "info": {"config": {}}}, "a/b": SLASHED})
    assert call(client) == found
    assert stub.lines == ["GET " + path, "GET /connectors?expand=status&expand=info"]


@pytest.mark.parametrize("listed", [{}, {"a": SLASHED}, {"A/B": SLASHED}])
@pytest.mark.parametrize("call", [lambda c: c.status("a/b"), lambda c: c.info("a/b")])
def test_such_a_connector_that_is_not_in_the_list(stub, client, call, listed):
    stub.reply(400, AMBIGUOUS).reply(200, listed).reply(200, list(listed))
    with pytest.raises(errors.NoConnector) as caught:
        call(client)
    assert caught.value.message == (
        f"There is no such connector: a/b is not in the list that {stub.url}/connectors gives, and cannot be requested by itself because "
        "of its name.")
    assert caught.value.facts["http_status"] == 400


@pytest.mark.parametrize("listed", [{}, {"a/b": {}}])
@pytest.mark.parametrize("call", [lambda c: c.status("a/b"), lambda c: c.info("a/b")])
def test_such_a_connector_that_was_just_created(stub, client, call, listed):
    """Its name is listed at once, its status only after a moment."""
    stub.reply(400, AMBIGUOUS).reply(200, listed).reply(200, ["a/b"])
    with pytest.raises(errors.AmbiguousName):
        call(client)


@pytest.mark.parametrize("call", [
    lambda c: c.offsets("a/b"), lambda c: c.alter_offsets("a/b", PAIRS), lambda c: c.reset_offsets("a/b"), lambda c: c.stop("a/b"),
    lambda c: c.pause("a/b"), lambda c: c.resume("a/b"), lambda c: c.require_url("a/b"), lambda c: c.restart_task("a/b", 0),
])
def test_what_no_list_can_do_is_refused(stub, client, call):
    stub.reply(400, AMBIGUOUS)
    with pytest.raises(errors.AmbiguousName):
        call(client)
    assert len(stub) == 1


def test_an_old_worker_takes_such_a_name(stub, client):
    stub.reply(200, {"config": {}}).reply(200, {"connector": {}})
    client.require_url("a/b")
    client.status("a/b")
    assert stub.lines == ["GET /connectors/a%2Fb", "GET /connectors/a%2Fb/status"]


def test_require_url_of_a_connector_that_is_not_there(stub, client):
    stub.error(404, "Connector c not found")
    with pytest.raises(errors.NoConnector):
        client.require_url("c")


@pytest.mark.parametrize("call, line", [
    (lambda c: c.restart("a b"), "POST /connectors/a%20b/restart"),
    (lambda c: c.restart_task("a b", 3), "POST /connectors/a%20b/tasks/3/restart"),
])
def test_restarts(stub, client, call, line):
    stub.reply(204)
    assert call(client) is None and stub.lines == [line]


def test_a_schema_registry_is_told_by_its_root(stub, client):
    """Its errors look like those of Connect."""
    stub.error(404, "HTTP 404 Not Found").reply(200, {})
    with pytest.raises(errors.NotConnect) as caught:
        client.status("c")
    assert caught.value.message == (f"GET {stub.url}/: this is not a Connect worker, but most likely the Schema Registry or the REST proxy of "
                                    "Confluent, whose root is {}. Check kafka_connect_url and its path prefix.")
    assert stub.lines == ["GET /connectors/c/status", "GET /"]


def test_a_bridge_is_told_by_its_root(stub, client):
    stub.reply(200, {"bridge_version": "0.31.1"})
    with pytest.raises(errors.NotConnect, match="this is not a Connect worker, but Strimzi's Kafka Bridge"):
        client.root()


@pytest.mark.parametrize("name, names, hint", [
    ("order-sink", ["orders-sink", "x"], " Did you mean orders-sink?"), ("orders-sink", ["orders-sink", "orders-sink-2"], ""), ("y", ["x"], ""), ("y", {}, ""),
    ("order-sink", [{"p": 0}, None, "orders-sink"], " Did you mean orders-sink?"),
])
def test_names_that_look_like_one_that_does_not_exist(stub, client, name, names, hint):
    stub.reply(200, names)
    assert client.similar(name) == hint and stub.lines == ["GET /connectors"]


def test_no_such_connector_is_explained(stub, client):
    stub.reply(404, {"error_code": 404, "message": "Connector a/b not found"}).reply(200, ["a/bb"])
    with pytest.raises(errors.NoConnector) as caught:
        client.require_url("a/b")
    assert client.explained(caught.value).message.endswith("Connector a/b not found. Did you mean a/bb?")


def test_a_worker_that_does_not_list(stub, client):
    stub.reply(403, {"error_code": 403, "message": "no"})
    assert client.similar("x") == ""


@pytest.mark.parametrize("answer", [(401, {"errors": [{"id": "1", "status": "401", "detail": "Unauthorized"}]}),
                                    (404, {"errors": [{"status": "404", "detail": "not found"}]})])
def test_n35_confluent_cloud_behind_another_name_gets_no_request_that_changes_anything(stub, client, answer):
    """Its API takes requests for offsets in another way, and answers 202 before anything is done. By its own name it is refused before any request
    (see test_clouds_without_workers_are_refused_before_any_request)."""
    stub.reply(*answer)
    change = ChangeItem(client, "c", DesiredOffsets.present([{"partition": {"p": 0}, "offset": {"n": 1}}]), stop=True)
    with pytest.raises(errors.NotConnect) as caught:
        run_alone(change, False)
    assert "this is not a Connect worker, but an API like Confluent Cloud's" in caught.value.message
    assert stub.lines and {line.split()[0] for line in stub.lines} == {"GET"}
