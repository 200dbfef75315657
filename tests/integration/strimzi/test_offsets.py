# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""connector_offsets through KafkaConnector resources, with a token that has no more than the documented rights."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
import uuid

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.api import Kubernetes, login
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_offsets import StrimziOffsets

from tests.integration.support.configs import at, file_sink, file_source, shaped, sink_at
from tests.integration.support.modules import PREDICTED, run_module
from tests.integration.support.operator.offsets import OPERATION
from tests.integration.support.operator.stand_in import CONNECTORS, CONNECTS, PAUSED
from tests.integration.support.proxy import DROP, Answer, refusing
from tests.integration.support.strimzi import minimal_rules
from tests.integration.support.worker import ordered, wait_until

BOTH = pytest.mark.parametrize("strimzi", ["1.2", "0.51"], indirect=True)
LEDGER = "connect-offset-changes"


@pytest.fixture
def name() -> str:
    """Of a connector whose offsets nobody has left behind."""
    return f"t-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def method(kubernetes, namespace, token, name):
    """method(module, check=False, **arguments) -> result, as the service account with the least rights."""
    login = {"host": kubernetes.url, "ca_cert": kubernetes.ca, "api_key": token(f"{name}-offsets", f"{name}-alter", LEDGER)}

    def method(module: str = "connector_offsets", check: bool = False, **arguments) -> dict:
        wait = None if module.endswith("info") else 60
        key = "connector" if module == "connector_changes_info" else "name"
        return run_module(module, {**login, "namespace": namespace.name, key: name, "wait_timeout": wait, **arguments}, check=check)

    return method


@pytest.fixture
def running(namespace, connect, name):
    """running(**spec) -> the connector's name; it has written its five records, and there is spec.state only if it is given."""
    def running(**spec) -> str:
        namespace.connector(name, shaped(topic=name), **spec)
        wait_until(lambda: connect.exists(name) and connect.offsets(name) == [at(4)], reason="five records")
        namespace.await_state(name, "RUNNING")
        return name
    return running


@pytest.fixture
def stopped(namespace, connect, running):
    """stopped(*pairs) -> the connector's name; spec.state is stopped, and these are its offsets."""
    def stopped(*pairs) -> str:
        name = running()
        namespace.set_state(name, "stopped")
        namespace.await_state(name, "STOPPED")
        connect.must("DELETE", f"connectors/{name}/offsets")
        if pairs:
            connect.set_offsets(name, list(pairs))
        return name
    return stopped


def annotations(namespace, name: str) -> dict:
    return namespace.get(CONNECTORS, name)["metadata"].get("annotations", {})


# --- the matrix

@BOTH
def test_twelve_steps(connect, method, main, stopped):
    name = stopped()
    steps = [({"offsets": [at(1), at(2, p=1)]}, [], [at(1), at(2, p=1)]),
             ({"offsets": [at(2**53 + 1)]}, [at(1), at(2, p=1)], [at(2**53 + 1), at(2, p=1)]),
             ({"state": "absent"}, [at(2**53 + 1), at(2, p=1)], [])]
    for desired, before, after in steps:
        predicted = [method(check=True, connect_url=[main.url], **desired) for _time in range(2)]
        assert connect.offsets(name) == ordered(before)
        assert predicted[0].get("changed") and predicted[0] == predicted[1], predicted
        real = method(**desired)
        assert not real["failed"], real
        assert connect.offsets(name) == ordered(after) == ordered(real["offsets"])
        assert {key: real[key] for key in PREDICTED} == {key: predicted[0][key] for key in PREDICTED}
        assert (real["method"], real["resource"], real["state_before"]) == ("strimzi", f"KafkaConnector/{name}", "STOPPED")
        again = method(**desired)
        assert not again["changed"] and again["offsets"] == real["offsets"] and connect.offsets(name) == ordered(after)


@BOTH
@pytest.mark.parametrize("state", [None, "running"])
def test_a_running_connector_is_stopped_and_put_back_exactly(connect, namespace, method, running, state):
    name = running(state=state)
    namespace.put_data(f"{name}-offsets", {"notes.txt": "mine"})
    namespace.put_data(f"{name}-alter", {"notes.txt": "mine", "offsets.json": "old"})
    before = namespace.get(CONNECTORS, name)["spec"]
    result = method(stop=True, offsets=[at(1)])
    assert result["changed"] and result["offsets_before"] == [at(4)] and result["state_before"] == "RUNNING", result
    assert namespace.get(CONNECTORS, name)["spec"] == before and annotations(namespace, name) == {}
    for one in (f"{name}-offsets", f"{name}-alter"):
        assert namespace.config_map(one)["data"]["notes.txt"] == "mine"
    assert namespace.data(f"{name}-alter") == {"offsets": [at(1)]}
    wait_until(lambda: connect.offsets(name) == [at(4)], reason="it to run on from there")
    assert connect.state(name) == ("RUNNING", ["RUNNING"])


@pytest.mark.parametrize("options, verdict", [({}, "taken"), ({"commit_partition": '{"query": "query"}'}, "ignored")])
def test_the_position_is_watched(connect, namespace, method, name, options, verdict):
    """The operator lists the offsets for each look."""
    namespace.connector(name, shaped(topic=name, interval_ms=1, **options), state="stopped")
    namespace.await_state(name, "STOPPED")
    result = method(offsets=[at(1)], final_state="started", check_position="warn", check_position_timeout=20)
    assert not result["failed"] and result["position"]["verdict"] == verdict, result
    text = f'{name} runs, but it commits under partitions that were not declared, first {{"query": "query"}}'
    assert any(text in warning for warning in result["warnings"]) is (verdict == "ignored"), result["warnings"]
    assert connect.state(name) == ("RUNNING", ["RUNNING"])


def test_not_stopped(connect, namespace, method, running):
    name = running()
    before = namespace.get(CONNECTORS, name)
    result = method(offsets=[at(1)])
    assert result["failed"] and f"The connector {name} is RUNNING" in result["msg"] and "Nothing was changed" in result["msg"]
    assert namespace.get(CONNECTORS, name)["spec"] == before["spec"] and connect.offsets(name) == [at(4)]


def test_offsets_of_a_connector_that_never_ran(connect, namespace, method, name, kafka):
    """From Strimzi 1.2 on it is created stopped."""
    namespace.connector(name, shaped(topic=name), state="stopped")
    namespace.await_state(name, "STOPPED")
    result = method(offsets=[at(2)])
    assert result["changed"] and result["offsets_before"] == [] and connect.offsets(name) == [at(2)], result
    assert method("connector_state", state="started")["changed"]
    wait_until(lambda: kafka.exists(name) and kafka.values(name) == ['{"p":0}#3', '{"p":0}#4'], reason="the rest")


def test_a_sink(connect, namespace, method, name, kafka, tmp_path):
    kafka.create(name, 1, "delete")
    kafka.produce(name, [f"v{number}" for number in range(5)])
    namespace.connector(name, file_sink(name, tmp_path / "out"))
    wait_until(lambda: connect.exists(name) and connect.offsets(name) == [sink_at(name, 5)], reason="five records to be committed")
    result = method(stop=True, offsets=[sink_at(name, "3")])
    assert result["changed"] and result["offsets"] == [sink_at(name, 3)] and result["actions"][0]["distance"] == 2, result
    wait_until(lambda: (tmp_path / "out").read_text().split() == ["v0", "v1", "v2", "v3", "v4", "v3", "v4"], reason="two records once more")


# --- API versions

@pytest.mark.parametrize("strimzi", ["0.51"], indirect=True)
def test_fields_of_v1beta2_stay(namespace, method, running):
    name = running(state="running")
    namespace.merge(CONNECTORS, name, {"spec": {"state": None, "pause": True}})
    namespace.await_state(name, "PAUSED")
    found = method("connector_offsets_info")
    assert found["offsets"] == [at(4)] and found["connector"]["state"] == "PAUSED", found
    assert namespace.get(CONNECTORS, name)["spec"]["pause"] is True
    assert not method(stop=True, offsets=[at(1)])["failed"]
    spec = namespace.get(CONNECTORS, name)["spec"]
    assert spec["pause"] is True and "state" not in spec and namespace.state(name) == "PAUSED"


# --- failures

def test_what_connect_refuses_is_not_left_armed(connect, namespace, method, name, tmp_path):
    (tmp_path / "in").write_text("a\n")
    namespace.connector(name, file_source(tmp_path / "in", topic=name))
    namespace.await_state(name, "RUNNING")
    wait_until(lambda: connect.offsets(name), reason="an offset")
    before = connect.offsets(name)
    result = method(stop=True, offsets=[{"partition": {"filename": str(tmp_path / "in")}, "offset": {"position": -5}}])
    assert result["failed"] and "AlterOffsets" in result["msg"] and "annotation was taken away again" in result["msg"], result
    assert f"PATCH /connectors/{name}/offsets returned 500" in result["msg"] and "Nothing was changed" not in result["msg"]
    assert "The offsets are as they were" in result["msg"] and "restored: it is RUNNING" in result["msg"]
    assert annotations(namespace, name) == {} and "state" not in namespace.get(CONNECTORS, name)["spec"]
    namespace.set_state(name, "stopped")  # for another reason
    namespace.await_state(name, "STOPPED")
    assert connect.offsets(name) == before


def test_an_operator_that_does_not_answer(namespace, operator, method, running):
    name = running()
    operator.stop()
    result = method(stop=True, offsets=[at(1)], wait_timeout=3)
    assert result["failed"] and "Waited 3 s for the operator to list" in result["msg"], result
    assert "is the operator running" in result["msg"]
    assert "Nothing was changed" in result["msg"] and annotations(namespace, name) == {}
    operator.start()
    assert not method(stop=True, offsets=[at(1)])["failed"]


def test_a_warning_of_before_is_no_verdict(namespace, method, running):
    name = running()
    namespace.annotate(CONNECTORS, name, "alter")
    namespace.await_message(CONNECTORS, name, "AlterOffsets")
    result = method(offsets=[at(4)])
    assert result["failed"] and "alter already, which is not ours" in result["msg"] and annotations(namespace, name) == {OPERATION: "alter"}
    namespace.annotate(CONNECTORS, name, None)
    result = method(offsets=[at(4)])
    assert not result["failed"] and not result["changed"], result


def test_it_is_not_left_to_the_timer(namespace, operator, main, proxy_to, method, running):
    """After the same failure twice the operator says and does nothing until its timer."""
    name = running()
    failed = []

    def trick(request):
        if request.verb == "GET" and request.path.endswith("/offsets") and len(failed) < 2:
            failed.append(request.path)
            return Answer(500, b'{"error_code": 500, "message": "not now"}')
        return None

    operator.stop()
    operator.tick = 600.0
    operator.workers[CONNECTS, "connect"] = proxy_to(main.url, trick).url
    operator.start()
    namespace.await_state(name, "RUNNING")
    begun = time.monotonic()
    result = method("connector_offsets_info")
    assert result["offsets"] == [at(4)] and len(failed) == 2, result
    assert time.monotonic() - begun < 30 and annotations(namespace, name) == {}


@pytest.fixture
def tickless(operator, main, proxy_to):
    """tickless(trick) -> a Proxy between the operator, whose timer does not come to help, and the worker."""
    def tickless(trick):
        proxy = proxy_to(main.url, trick)
        operator.stop()
        operator.tick = 600.0
        operator.workers[CONNECTS, "connect"] = proxy.url
        operator.start()
        return proxy
    return tickless


def away(seconds: float):
    """A trick: a worker that is away for so long when it is asked for a stop, and once more for a resume."""
    since = {}

    def trick(request):
        verb = request.path.rsplit("/", 1)[-1]
        if verb not in ("stop", "resume"):
            return None
        return DROP if time.monotonic() < since.setdefault(verb, time.monotonic()) + seconds else None

    return trick


@pytest.mark.parametrize(("strimzi", "trick"), [
    ("1.2", refusing([409], [500, 500])), ("0.51", refusing([500, 409], [409])), ("1.2", away(8.0)),
], indirect=["strimzi"], ids=["1.2-refused", "0.51-refused", "1.2-away"])
def test_a_failure_that_passes_does_not_end_the_change(connect, namespace, tickless, method, running, trick):
    name = running()
    before = namespace.get(CONNECTORS, name)["spec"]
    tickless(trick)
    result = method(stop=True, offsets=[at(1)])
    assert result["changed"] and not result["failed"] and result["connector"]["state"] == "RUNNING", result
    assert namespace.get(CONNECTORS, name)["spec"] == before and annotations(namespace, name) == {}
    wait_until(lambda: connect.offsets(name) == [at(4)], reason="it to run on from there")
    assert connect.state(name) == ("RUNNING", ["RUNNING"])


def test_a_stop_that_is_given_up_is_not_obeyed_later(connect, namespace, operator, tickless, method, running):
    name = running()
    before = namespace.get(CONNECTORS, name)["spec"]
    proxy = tickless(refusing([409] * 100, []))
    changed = method(stop=True, offsets=[at(1)], wait_timeout=4)
    stopped = method("connector_state", state="stopped", wait_timeout=4)
    for result in (changed, stopped):
        assert result["failed"] and f"PUT /connectors/{name}/stop returned 409" in result["msg"], result
        assert "Nothing was changed" not in result["msg"]
    assert "The connector was restored: it is RUNNING" in changed["msg"] and "resource asks for running again" in stopped["msg"]
    assert namespace.get(CONNECTORS, name)["spec"] == before and annotations(namespace, name) == {}
    proxy.trick, sent = (lambda request: None), len(proxy.writes())
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"poke": "1"}}})
    namespace.settle(CONNECTORS, name)
    assert connect.state(name) == ("RUNNING", ["RUNNING"]) and proxy.writes()[sent:] == [] and connect.offsets(name) == [at(4)]


def test_a_slow_operator_gets_one_alter(connect, namespace, tickless, method, stopped):
    """Each patch of the resource in the meantime would have it made once more."""
    name = stopped(at(3))

    def slow(request):
        time.sleep(1.2)

    proxy = tickless(slow)
    result = method(offsets=[at(1)], wait_timeout=120)
    assert result["changed"] and connect.offsets(name) == [at(1)] and annotations(namespace, name) == {}, result
    assert proxy.writes() == [("PATCH", f"/connectors/{name}/offsets")]


def test_others_list_all_the_time(connect, kubernetes, namespace, method, running):
    """As connector_offsets_info does, which as a module cannot run beside another one in this process."""
    name = running()
    end, found = threading.Event(), []
    options = dict.fromkeys(("k8s_host", "k8s_api_key", "k8s_ca_cert", "k8s_verify_ssl", "k8s_context"))
    client = StrimziOffsets(Kubernetes(*login({**options, "k8s_kubeconfig": kubernetes.kubeconfig})), namespace.name)

    def look():
        while not end.is_set():
            with contextlib.suppress(ConnectError):
                found.append(client.offsets(name))

    other = threading.Thread(target=look)
    other.start()
    try:
        result = method(stop=True, offsets=[at(1)])
    finally:
        end.set()
        other.join()
    assert result["changed"] and not result["failed"] and len(found) > 2, result
    wait_until(lambda: connect.offsets(name) == [at(4)], reason="it to run on from there")


def test_a_restart_that_fails_is_not_repeated_for_ever(connect, namespace, method, name):
    namespace.connector(name, shaped(topic=name, partitions="no JSON"))
    namespace.await_message(CONNECTORS, name, "Throwable", "Connector has failed")
    result = method("connector_state", state="started")
    assert result["failed"] and "was started, but failed" in result["msg"], result
    assert any(f"POST /connectors/{name}/restart returned 500" in text for text in result["warnings"])
    assert annotations(namespace, name) == {}


def test_others_edit_the_resource_all_the_time(connect, namespace, method, stopped):
    name = stopped(at(3))
    end = threading.Event()

    def edit():
        for number in itertools.count(1):
            namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {"other": str(number)}}})
            if end.wait(0.3):
                return

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        result = method(offsets=[at(1)])
    finally:
        end.set()
        editor.join()
    assert result["changed"] and connect.offsets(name) == [at(1)] and int(annotations(namespace, name)["other"]) >= 1, result


def test_reconciliation_is_paused(namespace, method, running):
    name = running()
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {PAUSED: "true"}}})
    for module, arguments in (("connector_offsets", {"offsets": [at(1)], "stop": True}), ("connector_state", {"state": "stopped"})):
        result = method(module, **arguments)
        assert result["failed"] and PAUSED in result["msg"] and "Nothing was changed" in result["msg"], result
    assert annotations(namespace, name) == {PAUSED: "true"} and "state" not in namespace.get(CONNECTORS, name)["spec"]


def test_lines_that_the_resource_lacks(namespace, method, running):
    running(listOffsets=None)
    result = method(stop=True, offsets=[at(1)])
    assert result["failed"] and "listOffsets: {toConfigMap: {name: " in result["msg"] and "Nothing was changed" in result["msg"]


def test_no_connect_cluster(namespace, operator, method, name):
    namespace.connector(name, shaped(topic=name), connect="nowhere")
    result = method(stop=True, offsets=[at(1)])
    assert result["failed"] and "NoSuchResourceException" in result["msg"] and "nowhere" in result["msg"], result


@pytest.mark.parametrize("arguments, words", [
    ({"name": "nobody"}, "There is no KafkaConnector nobody in the namespace"),
    ({"resource": "KafkaMirrorMaker2/nobody"}, "is no connector of a KafkaMirrorMaker2"),
    ({"resource": "Deployment/nobody"}, "must be the name of a KafkaConnector"),
    ({"connect_cluster": "other"}, "belongs to the Connect cluster connect, not to other"),
    ({"raw_keys": ["x"], "state": "absent", "offsets": None}, "raw_keys needs method: topic"),
    ({"ledger": "file", "change_id": "A"}, "ledger: file needs ledger_file here"),
])
def test_bad_input(running, method, namespace, arguments, words):
    name = running()
    before = namespace.get(CONNECTORS, name)
    result = method(**{"offsets": [at(1)], "stop": True, **arguments})
    assert result["failed"] and words in result["msg"], result
    assert namespace.get(CONNECTORS, name)["spec"] == before["spec"] and annotations(namespace, name) == {}


# --- rights

def without(rules: list[dict], resource: str, verb: str) -> list[dict]:
    left = [{**rule, "verbs": [one for one in rule["verbs"] if one != verb]} if resource in rule["resources"] else rule for rule in rules]
    return [rule for rule in left if rule["verbs"]]


@pytest.mark.parametrize("resource, verb", [("kafkaconnectors", "get"), ("kafkaconnectors", "patch"), ("configmaps", "get"),
                                            ("configmaps", "create")])
def test_a_missing_right_is_named(connect, namespace, token, method, stopped, resource, verb):
    name = stopped(at(3))
    key = token(rules=without(minimal_rules([f"{name}-offsets", f"{name}-alter", LEDGER]), resource, verb))
    result = method(offsets=[at(1)], api_key=key)
    assert result["failed"] and f"needs the verb {verb} on the resource {resource}" in result["msg"], result
    assert connect.offsets(name) == [at(3)] and annotations(namespace, name) == {}


def test_a_token_that_nobody_knows(method, running):
    running()
    result = method(offsets=[at(1)], api_key="nobody-knows-this")
    assert result["failed"] and "denied with 401" in result["msg"] and "nobody-knows-this" not in str(result)


# --- once, and back

def test_once_and_undone(connect, namespace, method, running):
    name = running()
    first = method(stop=True, change_id="CHG-1", offsets=[at(1)])
    assert first["changed"] and first["ledger"] == f"the ConfigMap {namespace.name}/{LEDGER}", first
    wait_until(lambda: connect.offsets(name) == [at(4)], reason="it to run on")
    again = method(stop=True, change_id="CHG-1", offsets=[at(1)])
    assert again["already_applied"] and not again["changed"] and connect.offsets(name) == [at(4)], again
    undone = method(stop=True, change_id="CHG-1", state="restored", final_state="leave")
    assert not undone["failed"] and undone["change"]["phase"] == "restored", undone
    assert connect.offsets(name) == [at(4)]
    namespace.delete(CONNECTORS, name)
    wait_until(lambda: namespace.config_map(f"{name}-offsets") is None, reason="the operator's listing to go with the connector")
    told = method("connector_changes_info")
    assert [(one["change_id"], one["phase"], one["method"]) for one in told["changes"]] == [("CHG-1", "restored", "strimzi")], told
    assert told["ledger"] == "configmap" and told["changes"][0]["after"] == [at(1)]


# --- check mode

def test_check_mode_without_a_worker_has_the_operator_list(connect, namespace, method, stopped):
    name = stopped(at(3))
    namespace.settle(CONNECTORS, name)
    before = namespace.get(CONNECTORS, name)["spec"]
    result = method(check=True, offsets=[at(1)])
    assert result["changed"] and result["offsets_before"] == [at(3)] and connect.offsets(name) == [at(3)], result
    assert namespace.get(CONNECTORS, name)["spec"] == before and annotations(namespace, name) == {}


def test_rendered_patches_do_the_same(connect, namespace, method, main, running):
    name = running()
    namespace.settle(CONNECTORS, name)
    before = namespace.get(CONNECTORS, name)
    result = method(check=True, stop=True, connect_url=[main.url], offsets=[at(2**53 + 1)])
    assert result["changed"] and result["actions"][0]["from"] == {"n": 4}, result
    assert namespace.get(CONNECTORS, name)["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert [one["target"]["name"] for one in result["patches"]] == [name] * 3
    namespace.put_data(f"{name}-alter", result["manifests"][0]["data"])
    namespace.json_patch(CONNECTORS, name, result["patches"][0]["patch"])
    namespace.await_state(name, "STOPPED")
    namespace.json_patch(CONNECTORS, name, result["patches"][1]["patch"])
    namespace.await_done(CONNECTORS, name)
    assert connect.offsets(name) == [at(2**53 + 1)]
    namespace.json_patch(CONNECTORS, name, result["patches"][2]["patch"])
    assert namespace.get(CONNECTORS, name)["spec"] == before["spec"]


# --- other methods on a connector that the operator owns

def test_rest_is_refused_where_a_resource_owns_the_connector(connect, namespace, method, main, stopped):
    name = stopped(at(3))
    arguments = {"method": "rest", "connect_url": [main.url], "offsets": [at(1)]}
    result = method(**arguments)
    assert result["failed"] and f"owned by the operator of KafkaConnector/{name}" in result["msg"] and "method: strimzi" in result["msg"]
    assert connect.offsets(name) == [at(3)]
    assert method(**arguments, force=True)["changed"] and connect.offsets(name) == [at(1)]
    namespace.merge(CONNECTORS, name, {"metadata": {"annotations": {PAUSED: "true"}}})
    assert method(**{**arguments, "offsets": [at(2)]})["changed"] and connect.offsets(name) == [at(2)]


# --- the others

@BOTH
def test_state(connect, namespace, method, running):
    name = running()
    for state, word, tasks in (("stopped", "STOPPED", []), ("paused", "PAUSED", []), ("started", "RUNNING", ["RUNNING"]),
                               ("paused", "PAUSED", ["PAUSED"]), ("stopped", "STOPPED", []), ("started", "RUNNING", ["RUNNING"])):
        assert method("connector_state", check=True, state=state)["changed"]
        result = method("connector_state", state=state)
        assert result["changed"] and result["connector"]["state"] == word, result
        connect.await_state(name, word, tasks)
        assert not method("connector_state", state=state)["changed"]
    # running, as it was paused in between; the second stop has found that
    assert namespace.get(CONNECTORS, name)["spec"]["state"] == "running" and annotations(namespace, name) == {}


def test_info_of_all(namespace, method, running, kubernetes):
    name = running()
    result = method("connector_offsets_info", name=None, api_key=kubernetes.admin_token)
    assert [(one["name"], one["offsets"]) for one in result["connectors"]] == [(name, [at(4)])], result
    result = method("connector_offsets_info", name=None, resource=f"KafkaConnector/{name}")
    assert [(one["name"], one["method"]) for one in result["connectors"]] == [(name, "strimzi")], result


def test_kubeconfig(method, running, restricted, name):
    pytest.importorskip("kubernetes")
    running()
    path = restricted(f"{name}-offsets", f"{name}-alter", LEDGER)
    result = method(host=None, ca_cert=None, api_key=None, namespace=None, kubeconfig=path, method="strimzi", offsets=[at(1)], stop=True)
    assert result["changed"], result
    wrong = method(host=None, ca_cert=None, api_key=None, kubeconfig=path, context="other", offsets=[at(1)])
    assert wrong["failed"] and "The kubeconfig" in wrong["msg"] and "other" in wrong["msg"]


def test_tasks_are_restarted(connect, namespace, method, running):
    name = running()
    for tasks, numbers, connector in (("all", [0], True), ([0], [0], False)):
        assert method("connector_state", check=True, state="restarted", tasks=tasks)["changed"]
        result = method("connector_state", state="restarted", tasks=tasks)
        assert result["changed"] and result["restarted"] == {"connector": connector, "tasks": numbers}, result
        connect.await_state(name, "RUNNING", ["RUNNING"])
    assert not method("connector_state", state="restarted", tasks="failed")["changed"]
    assert annotations(namespace, name) == {}
