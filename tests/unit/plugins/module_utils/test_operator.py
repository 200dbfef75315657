# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the operator is asked, and when nobody may go past it."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connectors import declare_state
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.choose import open_ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._operator import by_operator, check_owner, check_pod, open_operator
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.test_roads import FakeRest, roads

OFFSETS = {"method": "auto", "namespace": None, "resource": None, "offset_file": None, "ledger": "auto", "ledger_file": None}
LEDGER = {"namespace": None, "offset_file": None, "ledger": "auto", "ledger_file": None}
POD = "my-{0}-0.my-{0}.kafka.svc:8083"


@pytest.mark.parametrize("params, expected", [
    (OFFSETS, False), ({**OFFSETS, "namespace": "ns"}, True), ({**OFFSETS, "resource": "r"}, True),
    ({**OFFSETS, "method": "strimzi"}, True),
    ({**OFFSETS, "method": "rest", "namespace": "ns"}, False), ({**OFFSETS, "offset_file": "f", "namespace": "ns"}, False),
    ({**OFFSETS, "namespace": ""}, False),
    (LEDGER, False), ({**LEDGER, "namespace": "ns"}, True), ({**LEDGER, "ledger": "configmap"}, True),
    ({**LEDGER, "namespace": "ns", "ledger": "topic"}, False),
    ({**LEDGER, "namespace": "ns", "ledger_file": "f"}, False),
    ({"namespace": "ns"}, False), ({"namespace": "ns", "method": "auto"}, False),  # modules that know nothing of resources
])
def test_who_is_asked(params, expected):
    assert by_operator(params) is expected


def test_a_namespace_is_needed():
    with pytest.raises(errors.WishError, match="namespace is missing"):
        open_operator({**OFFSETS, "connect_cluster": None, "host": "https://kube", "api_key": "t", "ca_cert": None, "verify_ssl": None,
                       "kubeconfig": None, "context": None}, None, False)


def test_an_owner_that_cannot_be_asked_for_is_a_warning(refused):
    warnings = []
    params = {**OFFSETS, "method": "rest", "namespace": "ns", "force": False, "name": "c", "connect_cluster": None,
              "api_key": "t", "ca_cert": None, "verify_ssl": None, "kubeconfig": None, "context": None}
    check_owner({**params, "host": refused}, warnings.append)
    assert len(warnings) == 1 and "Whether an operator owns c could not be looked at: GET" in warnings[0]
    check_owner({**params, "force": True}, warnings.append)
    check_owner({**params, "namespace": None}, warnings.append)
    assert len(warnings) == 1


def found(pod):
    return Connector({"name": "c", "connector": {"state": "RUNNING", "worker_id": pod}, "tasks": [{"id": 0, "state": "RUNNING"}]})


def test_pods_of_an_operator():
    warnings = []
    with pytest.raises(errors.StateError, match="a pod of the KafkaMirrorMaker2 my in the namespace kafka.*force: true. Nothing was"):
        check_pod(found(POD.format("mirrormaker2")), False, warnings.append)
    check_pod(found("10.0.0.1:8083"), False, warnings.append)
    assert warnings == []
    check_pod(found(POD.format("mirrormaker2")), True, warnings.append)
    check_pod(found(POD.format("connect")), False, warnings.append)
    assert len(warnings) == 2 and "a pod of the KafkaConnect my" in warnings[1]


class Worker(FakeRest):
    road = "rest"

    def status(self, name):
        return {"name": name, "connector": {"state": "RUNNING", "worker_id": POD.format("mirrormaker2")},
                "tasks": [{"id": 0, "state": "RUNNING"}]}

    def require_url(self, name):
        raise AssertionError("went past the operator")


def test_a_state_is_not_changed_past_an_operator():
    with pytest.raises(errors.StateError, match="a pod of the KafkaMirrorMaker2"):
        declare_state(Worker(), "c", "stopped", 1, False)


# ---- ledgers and roads --------------------------------------------------------------------------------------------

class Operator:
    road, namespace, kube = "strimzi", "kafka", None


@pytest.mark.parametrize("params, where", [
    ({"ledger": "auto"}, "the ConfigMap kafka/connect-offset-changes"),
    ({"ledger": "configmap", "ledger_configmap": "own"}, "the ConfigMap kafka/own"),
    ({"ledger": "auto", "ledger_file": "/l.json"}, "the file /l.json"),
])
def test_ledger_of_the_operators_road(params, where):
    assert open_ledger(params, Operator(), object(), "c").where == where


def test_ledgers_that_do_not_fit():
    with pytest.raises(errors.WishError, match="ledger: configmap needs method: strimzi"):
        open_ledger({"ledger": "configmap"}, object(), None, "c")
    with pytest.raises(errors.WishError, match="use ledger: configmap"):
        open_ledger({"ledger": "config"}, Operator(), None, "c")


def test_a_change_of_the_operators_road_is_put_back_by_it():
    with pytest.raises(errors.WishError, match="was made by method: strimzi, and is put back by that: give the namespace"):
        roads(FakeRest()).prefer(change("A", road="strimzi"))
