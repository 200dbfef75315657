# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls of the Kubernetes API, against a stub."""

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import api
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.api import Kubernetes, login

pytest.importorskip("kubernetes")

PATH = "/apis/kafka.strimzi.io/v1/namespaces/ns/kafkaconnectors/orders"
NOTHING = dict.fromkeys(("k8s_host", "k8s_api_key", "k8s_ca_cert", "k8s_verify_ssl", "k8s_kubeconfig", "k8s_context"))


class Time:
    now = 0.0

    def sleep(self, seconds):
        self.now += seconds

    def clock(self):
        return self.now


@pytest.fixture
def kube(stub):
    time = Time()
    kube = Kubernetes(*login({**NOTHING, "k8s_host": stub.url, "k8s_api_key": "t0ken"}), time.sleep, time.clock)
    yield kube
    kube.close()


def status(code, reason, message, **details):
    return {"kind": "Status", "code": code, "reason": reason, "message": message, "details": details}


def found(version="1", **more):
    return {"kind": "KafkaConnector", "metadata": {"name": "orders", "resourceVersion": version}, **more}


@pytest.mark.parametrize("code, body, kind, words", [
    (404, status(404, "NotFound", "kafkaconnectors \"orders\" not found", name="orders"), errors.KubeNotFound, '"orders" not found'),
    (404, "404 page not found\n", errors.KubeNotServed, "does not serve that"),
    (404, status(404, "NotFound", "the server could not find the requested resource"), errors.KubeNotServed, "does not serve that"),
    (403, status(403, "Forbidden", "no"), errors.KubeDenied, "needs the verb get on the resource kafkaconnectors"),
    (401, status(401, "Unauthorized", "Unauthorized"), errors.KubeDenied, "does not know this login"),
    (200, "<html><title>Login</title></html>", errors.KubeError, "not as a Kubernetes API server does .Login."),
    (301, "", errors.KubeError, "not as a Kubernetes API server does"),
])
def test_failures_of_a_read(stub, kube, code, body, kind, words):
    stub.reply(code, body)
    with pytest.raises(kind, match=words) as caught:
        kube.get(PATH)
    assert caught.value.__class__ is kind and "t0ken" not in caught.value.message and len(stub) == 1


def test_rights_are_named_by_verb_and_resource(stub, kube):
    stub.reply(403, status(403, "Forbidden", "no"))
    for call, words in ((lambda: kube.get(PATH.rsplit("/", 1)[0]), "verb list on the resource kafkaconnectors"),
                        (lambda: kube.create("/api/v1/namespaces/ns/configmaps", {}), "verb create on the resource configmaps")):
        with pytest.raises(errors.KubeDenied, match=words):
            call()


def test_a_read_is_repeated(stub, kube):
    stub.reply(503, "busy").reply(429, status(429, "TooManyRequests", "later")).reply(200, found())
    assert kube.get(PATH)["metadata"]["name"] == "orders" and len(stub) == 3
    assert {name.lower(): value for name, value in stub.requests[0][2].items()}["authorization"] == "Bearer t0ken"


def test_nobody_there(refused):
    with pytest.raises(errors.KubeUnreachable, match="no answer from the Kubernetes API server.*Check k8s_host, or k8s_kubeconfig"):
        Kubernetes(*login({**NOTHING, "k8s_host": refused})).get(PATH)


def test_a_server_that_does_not_answer(stub, kube, monkeypatch):
    monkeypatch.setattr(api, "_TIMEOUT", 1)
    stub.breaks("hang")
    with pytest.raises(errors.KubeUnreachable, match="Read timed out"):
        kube.create(PATH, {})
    assert len(stub) == 1


def test_a_redirect_is_not_followed(stub, kube):
    stub.reply(301, "", Location="/elsewhere").reply(200, found())
    with pytest.raises(errors.KubeError, match="answered 301"):
        kube.get(PATH)
    assert len(stub) == 1


def test_an_update_is_made_on_what_was_seen(stub, kube):
    stub.reply(200, found("7")).reply(200, found("8"))
    kube.update(PATH, lambda resource: [{"op": "add", "path": "/x", "value": 1}])
    verb, path, headers, body = stub.requests[1]
    assert (verb, path, headers["Content-Type"]) == ("PATCH", PATH, "application/json-patch+json")
    assert json.loads(body) == [{"op": "test", "path": "/metadata/resourceVersion", "value": "7"}, {"op": "add", "path": "/x", "value": 1}]


def test_nothing_to_do_is_not_sent(stub, kube):
    stub.reply(200, found("7"))
    assert kube.update(PATH, lambda resource: [])["metadata"]["resourceVersion"] == "7" and len(stub) == 1


@pytest.mark.parametrize("code", [409, 422])
def test_an_update_is_made_anew_on_what_is_there_then(stub, kube, code):
    stub.reply(200, found("7")).reply(code, status(code, "Conflict", "modified")).reply(200, found("8", mark=1)).reply(200, found("9"))
    seen = []
    kube.update(PATH, lambda resource: seen.append(resource.get("mark")) or [{"op": "add", "path": "/x", "value": 1}])
    assert seen == [None, 1] and json.loads(stub.requests[3][3])[0]["value"] == "8"


def test_a_value_that_is_not_allowed_is_not_tried_for_ever(stub, kube):
    stub.reply(200, found("7")).reply(422, status(422, "Invalid", "spec.state: Unsupported value")).reply(200, found("7"))
    with pytest.raises(errors.KubeConflict, match="Unsupported value"):
        kube.update(PATH, lambda resource: [{"op": "add", "path": "/x", "value": 1}])
    assert len(stub) == 3


def test_an_update_whose_answer_got_lost_is_looked_into(stub, kube):
    stub.reply(200, found("7")).breaks("close").reply(200, found("8", done=True))
    assert kube.update(PATH, lambda resource: [] if resource.get("done") else [{"op": "add", "path": "/done", "value": True}])["done"]
    assert [request[0] for request in stub.requests] == ["GET", "PATCH", "GET"]
