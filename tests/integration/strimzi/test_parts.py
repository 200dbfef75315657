# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts themselves: the API server, Strimzi's definitions, and that the stand-in does what the operator was seen to do."""

from __future__ import annotations

import json
import time

import pytest

from stack import Stack
from stack.kube_api import MERGE, ApiError
from stack.kubernetes import Kubernetes
from tests.integration.support.configs import at, shaped
from tests.integration.support.operator import line, restarts
from tests.integration.support.operator.offsets import OPERATION
from tests.integration.support.operator.stand_in import CLUSTER, CONNECTORS, CONNECTS, PAUSED, USE_RESOURCES
from tests.integration.support.operator.tree import java_double, rewritten
from tests.integration.support.proxy import DROP, Answer
from tests.integration.support.strimzi import connect_annotations, connect_spec
from tests.integration.support.worker import wait_until

BOTH = pytest.mark.parametrize("strimzi", ["1.2", "0.51"], indirect=True)
OLD = pytest.mark.parametrize("strimzi", ["0.51"], indirect=True)
#: no tick comes to help
TICKLESS = pytest.mark.parametrize("tick", [600.0])
QUIET = 1.5  # seconds in which what is going to happen would have happened


@pytest.fixture
def make_one(connect, namespace, name):
    """make_one(state="stopped", **spec) makes a KafkaConnector of the test connector, running or stopped, at its last record."""
    def make_one(state: str = "stopped", **spec) -> None:
        namespace.connector(name, shaped(topic=name), state=state, **spec)
        namespace.await_state(name, state.upper())
        if state == "stopped":
            connect.set_offsets(name, [at(4)])
        wait_until(lambda: connect.offsets(name) == [at(4)], reason="the last offset")
        settle(namespace, name)
    return make_one


@pytest.fixture
def behind(operator, main, proxy_to):
    """behind(trick) -> a Proxy between the operator and the worker."""
    def behind(*trick):
        proxy = proxy_to(main.url, *trick)
        operator.workers[CONNECTS, "connect"] = proxy.url
        return proxy
    return behind


def settle(namespace, name: str) -> None:
    namespace.settle(CONNECTORS, name)


def text_of(*pairs: dict) -> dict[str, str]:
    """What an alter ConfigMap has."""
    return {"offsets.json": json.dumps({"offsets": list(pairs)})}


# --- the API server and the definitions


@OLD
def test_a_patch_through_v1_loses_what_only_v1beta2_has(namespace, name):
    """0.1: with HTTP 200."""
    namespace.connector(name, shaped(topic=name), pause=True)
    assert namespace.get(CONNECTORS, name)["spec"]["pause"] is True
    namespace.api.call("PATCH", namespace.path(CONNECTORS, name, "v1"), {"metadata": {"annotations": {"a": "b"}}}, MERGE)
    assert "pause" not in namespace.get(CONNECTORS, name)["spec"]


def test_the_server_is_found_again_and_ends_with_its_stack(kubernetes, tmp_path):
    stack = Stack(tmp_path)
    server = Kubernetes(stack.layout.kubernetes)
    server.start()
    server.api().call("POST", "/api/v1/namespaces", {"metadata": {"name": "shop"}})
    again = Kubernetes(stack.layout.kubernetes)
    assert (again.running, again.url, again.admin_token) == (True, server.url, server.admin_token)
    stack.down()
    assert not server.running
    again.start()
    assert server.api().get("/api/v1/namespaces/shop")
    stack.purge()
    assert not server.running
    assert not tmp_path.exists()


def test_1_2_serves_v1_alone(namespace):
    group = namespace.api.get("/apis/kafka.strimzi.io")
    assert [one["version"] for one in group["versions"]] == ["v1"]


@OLD
def test_0_51_serves_both_and_prefers_v1(namespace):
    group = namespace.api.get("/apis/kafka.strimzi.io")
    assert [one["version"] for one in group["versions"]] == ["v1", "v1beta2"]
    assert group["preferredVersion"]["version"] == "v1"


def test_the_least_rights(namespace, kubernetes, token, name):
    namespace.connector(name, shaped(topic=name))
    namespace.put_data(f"{name}-alter", {})
    namespace.put_data("other", {})
    own = kubernetes.api(token(f"{name}-alter"))
    assert own.get(namespace.path(CONNECTORS, name))["metadata"]["name"] == name
    own.call("PATCH", namespace.path(CONNECTORS, name), {"spec": {"state": "stopped"}}, MERGE)
    folder = f"/api/v1/namespaces/{namespace.name}/configmaps"
    assert own.get(f"{folder}/{name}-alter")
    own.call("POST", folder, {"metadata": {"name": "new"}})
    for verb, path, word in [("GET", f"{folder}/other", "get"), ("GET", folder, "list"), ("DELETE", f"{folder}/{name}-alter", "delete"),
                             ("GET", namespace.path(CONNECTORS), "list"), ("GET", f"{namespace.path(CONNECTS)}/connect", "get")]:
        with pytest.raises(ApiError, match=f"cannot {word} resource") as refused:
            own.call(verb, path)
        assert refused.value.status == 403


# --- the operations


@BOTH
def test_list_stop_alter_reset(connect, make_one, namespace, name):
    make_one(state="running")
    namespace.annotate(CONNECTORS, name, "list")
    namespace.await_done(CONNECTORS, name)
    assert namespace.data(f"{name}-offsets") == {"offsets": [at(4)]}
    assert namespace.conditions(CONNECTORS, name) == [("Ready", "")]

    namespace.set_state(name, "stopped")
    namespace.await_state(name, "STOPPED")
    namespace.put_data(f"{name}-alter", text_of(at(1), at(7, 1)))
    namespace.annotate(CONNECTORS, name, "alter")
    namespace.await_done(CONNECTORS, name)
    wait_until(lambda: connect.offsets(name) == [at(1), at(7, 1)])
    # Partitions that are not named stay, null removes (3.3).
    namespace.put_data(f"{name}-alter", text_of({"partition": {"p": 1}, "offset": None}))
    namespace.annotate(CONNECTORS, name, "alter")
    namespace.await_done(CONNECTORS, name)
    wait_until(lambda: connect.offsets(name) == [at(1)])
    assert "ownerReferences" not in namespace.config_map(f"{name}-alter")["metadata"]

    namespace.annotate(CONNECTORS, name, "reset")
    namespace.await_done(CONNECTORS, name)
    wait_until(lambda: connect.offsets(name) == [])
    namespace.annotate(CONNECTORS, name, "list")
    namespace.await_done(CONNECTORS, name)
    assert namespace.data(f"{name}-offsets") == {"offsets": []}
    status = namespace.status(CONNECTORS, name)
    assert (status["tasksMax"], status["topics"]) == (1, [name])


@BOTH
def test_the_listing_keeps_what_others_have_written(connect, make_one, namespace, strimzi, name):
    """3.2: entries and metadata stay, the entry itself is overwritten; labels and owners differ by release."""
    make_one()
    foreign = {"apiVersion": "v1", "kind": "Secret", "name": "s", "uid": "u"}
    namespace.put_data(f"{name}-offsets", {"notes.txt": "keep", "offsets.json": "old"}, binaryData={"b": "AAE="},
                       metadata={"labels": {"mine": "1", CLUSTER: "x"}, "annotations": {"a": "b"}, "ownerReferences": [foreign]})
    namespace.annotate(CONNECTORS, name, "list")
    namespace.await_done(CONNECTORS, name)
    found = namespace.config_map(f"{name}-offsets")
    assert (found["data"]["notes.txt"], found["binaryData"], found["metadata"]["annotations"]) == ("keep", {"b": "AAE="}, {"a": "b"})
    assert namespace.data(f"{name}-offsets") == {"offsets": [at(4)]}
    labels, owners = found["metadata"]["labels"], [one["kind"] for one in found["metadata"]["ownerReferences"]]
    assert (labels["mine"], labels[CLUSTER]) == ("1", "connect" if strimzi == "0.51" else name)
    assert owners == (["Secret"] if strimzi == "0.51" else ["Secret", "KafkaConnector"])
    # The same content again changes nothing (0.3).
    namespace.annotate(CONNECTORS, name, "list")
    namespace.await_done(CONNECTORS, name)
    assert namespace.config_map(f"{name}-offsets")["metadata"]["resourceVersion"] == found["metadata"]["resourceVersion"]


def test_numbers_of_a_listing(connect, make_one, namespace, name):
    """3.2: integers are exact; written is what Connect says."""
    make_one()
    connect.set_offsets(name, [at(2**53 + 1), at(2**63 - 1, 1)])
    namespace.annotate(CONNECTORS, name, "list")
    namespace.await_done(CONNECTORS, name)
    text = namespace.config_map(f"{name}-offsets")["data"]["offsets.json"]
    assert '"n" : 9007199254740993' in text
    assert '"n" : 9223372036854775807' in text
    assert rewritten('{"a":[{"ü":123456789012345678901234567890,"b":null}],"c":[],"d":{},"e":true}') == (
        '{\n  "a" : [ {\n    "ü" : 123456789012345678901234567890,\n    "b" : null\n  } ],\n  "c" : [ ],\n  "d" : { },\n  "e" : true\n}')
    assert [java_double(one) for one in ("1e22", "0.1", "1.0", "12345678.9", "0.00012", "-1.5e-7", "100.0", "0.0")] == [
        "1.0E22", "0.1", "1.0", "1.23456789E7", "1.2E-4", "-1.5E-7", "100.0", "0.0"]


@pytest.mark.parametrize("tick", [3.0])
@BOTH
def test_created_stopped(connect, namespace, behind, strimzi, name):
    """0.8: from 1.2 on it never starts, and can be seeded in one step; before, it starts and is stopped."""
    proxy = behind()
    namespace.put_data(f"{name}-alter", text_of(at(3)))
    namespace.connector(name, shaped(topic=name), state="stopped", annotations={OPERATION: "alter"})
    namespace.await_done(CONNECTORS, name)
    wait_until(lambda: namespace.state(name) == "STOPPED")
    writes = proxy.writes()
    if strimzi == "0.51":
        assert writes[0] == ("PUT", f"/connectors/{name}/config")
        assert ("PUT", f"/connectors/{name}/stop") in writes
    else:
        assert writes[0] == ("POST", "/connectors")
        # Perhaps more than once: the status of the first pass may collide with the second one (3.6).
        assert set(writes[1:]) == {("PATCH", f"/connectors/{name}/offsets")}
        wait_until(lambda: connect.offsets(name) == [at(3)])


def test_stop_and_alter_in_one_patch_warn_once_and_succeed(connect, make_one, namespace, behind, name):
    """0.4: Connect takes the stop, and has not carried it out when the operator comes to the offsets."""
    make_one(state="running")
    stops = []

    def take_its_time(request):
        if request.path.endswith("/stop"):
            stops.append(request)
            return Answer(204) if len(stops) == 1 else None
        return None

    behind(take_its_time)
    namespace.put_data(f"{name}-alter", text_of(at(1)))
    both = {"spec": {"state": "stopped"}, "metadata": {"annotations": {OPERATION: "alter"}}}
    namespace.merge(CONNECTORS, name, both)
    namespace.await_message(CONNECTORS, name, "AlterOffsets", "not in STOPPED state")
    namespace.await_done(CONNECTORS, name)
    wait_until(lambda: connect.offsets(name) == [at(1)])
    wait_until(lambda: namespace.conditions(CONNECTORS, name) == [("Ready", "")])


# --- failures

CASES = {
    "no section to list to": ("list", None, "missing property listOffsets in KafkaConnector"),
    "no section to alter from": ("alter", None, "missing property alterOffsets in KafkaConnector"),
    "no ConfigMap": ("alter", "nowhere", "nowhere does not exist"),
    "no entry": ("alter", "empty", "Data field offsets.json is missing"),
    "no JSON": ("alter", "broken", "line: 1, column: 13"),
    "refused by Connect": ("alter", "odd", "/offsets returned 400 (400): Unexpected status code"),
    "immutable": ("list", "fixed", "immutable"),
}


@TICKLESS
@pytest.mark.parametrize("case", CASES)
def test_a_failure_is_a_warning_and_stays_armed(connect, make_one, namespace, name, case):
    """3.4, 0.2; Ready stays."""
    word, config_map, text = CASES[case]
    reason = {"list": "ListOffsets", "alter": "AlterOffsets"}[word]
    reference = {"list": "toConfigMap", "alter": "fromConfigMap"}[word]
    namespace.put_data("empty", {})
    namespace.put_data("broken", {"offsets.json": '{"offsets": '})
    namespace.put_data("odd", {"offsets.json": '{"offsets": []}'})
    namespace.put_data("fixed", {"offsets.json": "{}"}, immutable=True)
    make_one(**{f"{word}Offsets": config_map and {reference: {"name": config_map}}})
    namespace.annotate(CONNECTORS, name, word)
    namespace.await_message(CONNECTORS, name, reason, text)
    assert namespace.conditions(CONNECTORS, name) == [("Ready", ""), ("Warning", reason)]
    settle(namespace, name)
    assert namespace.annotation(CONNECTORS, name) == word
    assert connect.offsets(name) == [at(4)]
    # Taken away by hand, the warning goes at once.
    namespace.annotate(CONNECTORS, name, None)
    wait_until(lambda: namespace.conditions(CONNECTORS, name) == [("Ready", "")])


def test_an_armed_operation_runs_when_somebody_stops_the_connector(connect, make_one, namespace, name):
    """0.2"""
    make_one(state="running")
    namespace.annotate(CONNECTORS, name, "reset")
    namespace.await_message(CONNECTORS, name, "ResetOffsets", "not in STOPPED state")
    settle(namespace, name)
    assert connect.offsets(name) == [at(4)]
    namespace.set_state(name, "stopped")
    namespace.await_done(CONNECTORS, name)
    wait_until(lambda: connect.offsets(name) == [])


@TICKLESS
def test_silence_after_the_same_failure_twice(make_one, namespace, behind, name):
    """0.5; the same annotation again wakes nobody, any other change does."""
    make_one(state="running")
    namespace.put_data(f"{name}-alter", text_of(at(1)))
    proxy = behind()

    def looks() -> int:
        return len([path for _verb, path in _requests(proxy) if path.endswith("/config")])

    namespace.annotate(CONNECTORS, name, "alter")
    wait_until(lambda: looks() == 2)
    namespace.annotate(CONNECTORS, name, "alter")
    time.sleep(QUIET)
    assert looks() == 2
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"poke": "1"}}})
    wait_until(lambda: looks() == 3)


@pytest.mark.parametrize("tick", [3.0])
def test_the_timer_tries_again(connect, make_one, namespace, name):
    make_one()
    namespace.annotate(CONNECTORS, name, "alter")
    namespace.await_message(CONNECTORS, name, "AlterOffsets", "does not exist")
    settle(namespace, name)
    namespace.put_data(f"{name}-alter", text_of(at(1)))  # wakes nobody
    namespace.await_done(CONNECTORS, name)
    wait_until(lambda: connect.offsets(name) == [at(1)])


@TICKLESS
@pytest.mark.parametrize("status", [409, 500])
def test_connects_reason_is_lost(make_one, namespace, behind, name, status):
    """0.6"""
    make_one()
    behind(lambda request: Answer(status, b'{"error_code": 1, "message": "the reason"}') if request.path.endswith("/offsets") else None)
    namespace.annotate(CONNECTORS, name, "reset")
    text = namespace.await_message(CONNECTORS, name, "ResetOffsets")
    assert f"ConnectRestException: DELETE /connectors/{name}/offsets returned {status} (" in text
    assert "the reason" not in text


def test_more_than_a_configmap_takes(connect, make_one, namespace, name):
    make_one()
    long = "x" * 200
    pairs = [{"partition": {"p": f"{number}-{long}"}, "offset": {"n": number}} for number in range(4000)]
    connect.must("PATCH", f"connectors/{name}/offsets", {"offsets": pairs})
    wait_until(lambda: len(connect.offsets(name)) == 4001)
    namespace.annotate(CONNECTORS, name, "list")
    # At first, maybe, that a worker which reads many records trips over its own listing.
    namespace.await_message(CONNECTORS, name, "ListOffsets", "1048576 bytes")
    assert namespace.config_map(f"{name}-offsets") is None


NOT_READY = {
    "unknown word": ({}, "List", "IllegalArgumentException", "List"),
    "empty word": ({}, "", "IllegalArgumentException", "No enum"),
    "refused configuration": ({"refuse.unknown": "true", "strange": "1"}, None, "CompletionException", "strange"),
}


@TICKLESS
@pytest.mark.parametrize("case", NOT_READY)
def test_not_ready(connect, namespace, name, case):
    """3.4: connectorStatus disappears."""
    config, word, reason, text = NOT_READY[case]
    namespace.connector(name, {**shaped(topic=name), **config})
    if word is not None:
        namespace.await_state(name, "RUNNING")
        namespace.annotate(CONNECTORS, name, word)
    namespace.await_message(CONNECTORS, name, reason, text)
    assert "connectorStatus" not in namespace.status(CONNECTORS, name)
    assert namespace.conditions(CONNECTORS, name) == [("NotReady", reason)]


@TICKLESS
def test_not_ready_for_want_of_a_cluster(operator, namespace, live_stack, main, name):
    namespace.connector(name, shaped(topic=name), connect="connect")
    namespace.await_message(CONNECTORS, name, "NoSuchResourceException", "does not exist")
    servers = live_stack.endpoints()["bootstrap_servers"]
    namespace.create(CONNECTS, "connect", connect_spec(servers, replicas=0))
    namespace.await_message(CONNECTORS, name, "RuntimeException", "0 replicas")
    namespace.merge(CONNECTS, "connect", {"spec": {"replicas": 1}})
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"poke": "1"}}})
    namespace.await_message(CONNECTORS, name, "NoSuchResourceException", USE_RESOURCES)
    namespace.merge(CONNECTORS, name, {"metadata": {"labels": {CLUSTER: None}}})
    namespace.await_message(CONNECTORS, name, "InvalidResourceException", CLUSTER)
    assert not main.worker.exists(name)
    namespace.merge(CONNECTS, "connect", {"metadata": {"annotations": connect_annotations()}})
    namespace.merge(CONNECTORS, name, {"metadata": {"labels": {CLUSTER: "connect"}}})
    namespace.await_state(name, "RUNNING")


@TICKLESS
@BOTH
def test_a_failed_connector(connect, namespace, strimzi, name):
    """2, 3.5: it can be stopped from 1.1 on."""
    namespace.connector(name, shaped(topic=name, partitions="no JSON"))
    namespace.await_message(CONNECTORS, name, "Throwable", "Connector has failed")
    namespace.set_state(name, "stopped")
    settle(namespace, name)
    # Of the worker: what the resource says may be older, until the next event (3.5).
    if strimzi == "1.2":
        connect.await_state(name, "STOPPED", [])
    assert connect.state(name)[0] == ("FAILED" if strimzi == "0.51" else "STOPPED")


@TICKLESS
def test_a_worker_that_refuses_for_a_moment(make_one, namespace, behind, name):
    """3.4: NotReady, and Ready by the event that this is."""
    make_one()
    refused = []

    def refuse(request):
        if request.path.endswith("/status") and not refused:
            refused.append(request)
            return Answer(500, b"{}")
        return None

    behind(refuse)
    settle(namespace, name)
    before = namespace.status(CONNECTORS, name)["conditions"][0]["lastTransitionTime"]
    namespace.annotate(CONNECTORS, name, "list")
    namespace.await_done(CONNECTORS, name)
    wait_until(lambda: namespace.conditions(CONNECTORS, name) == [("Ready", "")])
    assert refused
    assert namespace.status(CONNECTORS, name)["conditions"][0]["lastTransitionTime"] > before


@TICKLESS
@BOTH
def test_a_state_that_connect_refuses_for_a_moment(connect, make_one, namespace, behind, strimzi, name):
    """9: NotReady, no connectorStatus; after the same failure twice silence, and spec.state is obeyed at the next look."""
    make_one(state="running")
    refused = []

    def refuse(request):
        if request.path.endswith("/stop") and len(refused) < 2:
            refused.append(request)
            return Answer(409, b'{"error_code": 409, "message": "the reason"}')
        return None

    behind(refuse)
    namespace.set_state(name, "stopped")
    reason = "ConnectRestException" if strimzi == "0.51" else "CompletionException"
    text = namespace.await_message(CONNECTORS, name, reason)
    assert text.endswith(f"ConnectRestException: PUT /connectors/{name}/stop returned 409 (409): Unexpected status code")
    wait_until(lambda: len(refused) == 2)
    settle(namespace, name)
    assert namespace.conditions(CONNECTORS, name) == [("NotReady", reason)]
    assert "connectorStatus" not in namespace.status(CONNECTORS, name)
    assert connect.state(name) == ("RUNNING", ["RUNNING"])
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"poke": "1"}}})
    connect.await_state(name, "STOPPED", [])


@TICKLESS
def test_a_worker_that_is_away_for_a_moment(connect, make_one, namespace, behind, name):
    """9"""
    make_one(state="running")
    lost = []

    def be_away(request):
        if request.path.endswith("/stop") and not lost:
            lost.append(request)
            return DROP
        return None

    behind(be_away)
    namespace.set_state(name, "stopped")
    namespace.await_message(CONNECTORS, name, "IOException")
    connect.await_state(name, "STOPPED", [])


@TICKLESS
def test_a_restart_that_fails_stays(connect, namespace, behind, name):
    """9: and is done again at each pass; one that Connect has carried out is taken away."""
    namespace.connector(name, shaped(topic=name, partitions="no JSON"))
    namespace.await_message(CONNECTORS, name, "Throwable", "Connector has failed")
    proxy = behind()
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {restarts.CONNECTOR: "true"}}})
    namespace.await_message(CONNECTORS, name, "RestartConnector", f"POST /connectors/{name}/restart returned 500 (500)")
    settle(namespace, name)
    assert namespace.annotation(CONNECTORS, name, restarts.CONNECTOR) == "true"
    before = len(proxy.writes())
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"poke": "1"}}})
    wait_until(lambda: proxy.writes()[before:] == [("POST", f"/connectors/{name}/restart")])
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {restarts.CONNECTOR: None}}})
    namespace.merge(CONNECTORS, name, {"spec": {"config": {"partitions": None, "fail.task": "start"}}})
    wait_until(lambda: connect.state(name) == ("RUNNING", ["FAILED"]))
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {restarts.TASK: "0"}}})
    wait_until(lambda: namespace.annotation(CONNECTORS, name, restarts.TASK) is None)
    assert ("POST", f"/connectors/{name}/tasks/0/restart") in proxy.writes()


@TICKLESS
def test_the_word_none_is_taken_and_stays(make_one, namespace, name):
    make_one()
    namespace.annotate(CONNECTORS, name, "none")
    settle(namespace, name)
    assert namespace.annotation(CONNECTORS, name) == "none"
    assert namespace.conditions(CONNECTORS, name) == [("Ready", "")]


@OLD
def test_pause_of_v1beta2(connect, namespace, name):
    """2: it pauses, with a warning."""
    namespace.connector(name, shaped(topic=name), pause=True)
    namespace.await_state(name, "PAUSED")
    assert namespace.conditions(CONNECTORS, name) == [("Ready", ""), ("Warning", "DeprecatedFields")]


def test_a_failed_task(connect, namespace, name):
    """3.4: NotReady with its tasks; a list still works."""
    namespace.connector(name, shaped(topic=name, fail_task="start"))
    namespace.await_message(CONNECTORS, name, "Throwable", "tasks have failed: 0")
    assert namespace.status(CONNECTORS, name)["connectorStatus"]["tasks"][0]["state"] == "FAILED"
    namespace.annotate(CONNECTORS, name, "list")
    namespace.await_done(CONNECTORS, name)
    assert namespace.data(f"{name}-offsets") == {"offsets": []}


def _requests(proxy) -> list[tuple[str, str]]:
    return [(one.verb, one.path) for one in proxy.requests]


# --- states, and whose they are


@TICKLESS
def test_a_state_set_over_rest_is_set_back_at_the_next_event(connect, make_one, namespace, name):
    """3.5"""
    make_one(state="running")
    settle(namespace, name)
    connect.put(name, "stop")
    connect.await_state(name, "STOPPED", [])
    time.sleep(QUIET)
    assert connect.state(name)[0] == "STOPPED"
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"poke": "1"}}})
    connect.await_state(name, "RUNNING", ["RUNNING"])


@pytest.mark.parametrize("tick", [3.0])
def test_a_state_set_over_rest_is_set_back_by_the_timer(connect, make_one, namespace, name):
    make_one()
    connect.put(name, "resume")
    connect.await_state(name, "STOPPED", [])


@TICKLESS
def test_drift_of_the_configuration_comes_before_offsets(connect, make_one, namespace, name):
    """3.1: in that pass the operation is left out, and mere drift brings no other event."""
    make_one()
    settle(namespace, name)  # no pass of the creation restores it before the annotation is there
    connect.must("PUT", f"connectors/{name}/config", {**connect.config(name), "interval.ms": "7"})
    namespace.annotate(CONNECTORS, name, "list")
    wait_until(lambda: "interval.ms" not in connect.config(name), reason="the old configuration")
    settle(namespace, name)
    assert namespace.annotation(CONNECTORS, name) == "list"
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"poke": "1"}}})
    namespace.await_done(CONNECTORS, name)


@pytest.mark.parametrize("tick", [1.0])
def test_pause_reconciliation(connect, make_one, namespace, name):
    """3.5: nothing is set back, operations wait, the status shrinks; at the end what waits is done at once."""
    make_one()
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {PAUSED: "true"}}})
    wait_until(lambda: namespace.conditions(CONNECTORS, name) == [("ReconciliationPaused", "")])
    assert "connectorStatus" not in namespace.status(CONNECTORS, name)
    connect.set_offsets(name, [at(2)])
    connect.put(name, "pause")
    namespace.annotate(CONNECTORS, name, "reset")
    time.sleep(2.5)
    assert (connect.state(name)[0], connect.offsets(name)) == ("PAUSED", [at(2)])
    assert namespace.annotation(CONNECTORS, name) == "reset"
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {PAUSED: None}}})
    namespace.await_done(CONNECTORS, name)
    assert connect.state(name) == ("STOPPED", [])
    wait_until(lambda: connect.offsets(name) == [])


@pytest.mark.parametrize("tick", [1.0])
def test_a_paused_cluster_still_handles_changes_of_its_connectors(connect, make_one, namespace, name):
    make_one()
    namespace.merge(CONNECTS, "connect", {"metadata": {"annotations": {PAUSED: "true"}}})
    wait_until(lambda: namespace.conditions(CONNECTS, "connect") == [("ReconciliationPaused", "")])
    settle(namespace, name)
    connect.put(name, "pause")
    time.sleep(2.5)
    assert connect.state(name)[0] == "PAUSED"
    namespace.annotate(CONNECTORS, name, "list")
    namespace.await_done(CONNECTORS, name)
    connect.await_state(name, "STOPPED", [])


@pytest.mark.parametrize("tick", [3.0])
def test_connectors_without_a_resource_are_deleted(connect, make_one, namespace, name):
    """0.11"""
    make_one()
    connect.create(f"{name}-stray", shaped(topic=name))
    wait_until(lambda: not connect.exists(f"{name}-stray"))
    assert connect.exists(name)


@TICKLESS
def test_a_deleted_resource_takes_connector_and_listing_with_it(connect, make_one, namespace, name):
    """0.7: not so the offsets, and the ConfigMap that was altered from."""
    make_one()
    namespace.put_data(f"{name}-alter", text_of(at(1)))
    for word in ("list", "alter"):
        namespace.annotate(CONNECTORS, name, word)
        namespace.await_done(CONNECTORS, name)
    namespace.delete(CONNECTORS, name)
    wait_until(lambda: not connect.exists(name) and namespace.config_map(f"{name}-offsets") is None)
    assert namespace.config_map(f"{name}-alter")
    namespace.connector(name, shaped(topic=name), state="stopped")
    namespace.await_state(name, "STOPPED")
    wait_until(lambda: connect.offsets(name) == [at(1)])


@TICKLESS
def test_a_listing_of_an_earlier_incarnation_is_collected(connect, make_one, namespace, name):
    """3.2: 1.x knows owners by kind and name."""
    make_one()
    stale = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector", "name": name, "uid": "of-yesterday"}
    namespace.put_data(f"{name}-offsets", {"notes.txt": "n"}, metadata={"ownerReferences": [stale]})
    wait_until(lambda: namespace.config_map(f"{name}-offsets") is None)


# --- races, locks, absence


@TICKLESS
def test_an_edit_meanwhile_is_kept_and_the_operation_runs_once_more(connect, make_one, namespace, behind, name):
    """3.6: the annotation is removed from the resource that the pass began with, or not at all."""
    make_one()
    times = []

    def edit(request):
        if request.verb == "DELETE" and request.path.endswith("/offsets"):
            times.append(request)
            if len(times) == 1:
                namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"edit": "kept"}}})

    behind(edit)
    namespace.annotate(CONNECTORS, name, "reset")
    namespace.await_message(CONNECTORS, name, "ResetOffsets", "object has been modified")
    namespace.await_done(CONNECTORS, name)
    assert len(times) >= 2
    assert namespace.annotation(CONNECTORS, name, "edit") == "kept"


@TICKLESS
def test_who_waits_too_long_for_the_lock_gives_up(make_one, namespace, operator, name, monkeypatch):
    """3.1: without a trace; the next event does it."""
    monkeypatch.setattr(line, "PATIENCE", 0.5)
    make_one()
    operator.hang(CONNECTS, "connect", 1.5)
    since = namespace.get(CONNECTORS, name)
    namespace.annotate(CONNECTORS, name, "list")
    time.sleep(1.5 + QUIET)
    assert namespace.status(CONNECTORS, name) == since["status"]
    assert namespace.annotation(CONNECTORS, name) == "list"
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"poke": "1"}}})
    namespace.await_done(CONNECTORS, name)


@TICKLESS
def test_an_operator_that_is_down(connect, make_one, namespace, operator, name):
    make_one()
    operator.stop()
    namespace.annotate(CONNECTORS, name, "reset")
    time.sleep(QUIET)
    assert namespace.annotation(CONNECTORS, name) == "reset"
    assert connect.offsets(name) == [at(4)]
    operator.start()
    namespace.await_done(CONNECTORS, name)
    wait_until(lambda: connect.offsets(name) == [])
