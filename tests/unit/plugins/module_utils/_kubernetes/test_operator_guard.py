# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the operator is asked, and when nobody may go past it."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.operator_guard import by_operator, check_owner, open_operator
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.select import open_ledger
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_routing import FakeRest, router
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change

OFFSETS = {"method": "auto", "k8s_namespace": None, "resource": None, "offset_file": None, "ledger": "auto", "ledger_file": None}
LEDGER = {"k8s_namespace": None, "offset_file": None, "ledger": "auto", "ledger_file": None}


@pytest.mark.parametrize("params, expected", [
    (OFFSETS, False), ({**OFFSETS, "k8s_namespace": "ns"}, True), ({**OFFSETS, "resource": "r"}, True),
    ({**OFFSETS, "method": "strimzi"}, True),
    ({**OFFSETS, "method": "rest", "k8s_namespace": "ns"}, False), ({**OFFSETS, "offset_file": "f", "k8s_namespace": "ns"}, False),
    ({**OFFSETS, "k8s_namespace": ""}, False),
    (LEDGER, False), ({**LEDGER, "k8s_namespace": "ns"}, True), ({**LEDGER, "ledger": "configmap"}, True),
    ({**LEDGER, "k8s_namespace": "ns", "ledger": "topic"}, False),
    ({**LEDGER, "k8s_namespace": "ns", "ledger_file": "f"}, False),
    ({"k8s_namespace": "ns"}, False), ({"k8s_namespace": "ns", "method": "auto"}, False),  # modules that know nothing of resources
])
def test_who_is_asked(params, expected):
    assert by_operator(params) is expected


def test_a_namespace_is_needed():
    with pytest.raises(errors.DeclarationError, match="k8s_namespace is missing"):
        open_operator({**OFFSETS, "k8s_connect_cluster": None, "k8s_host": "https://kube", "k8s_api_key": "t", "k8s_ca_cert": None, "k8s_verify_ssl": None,
                       "k8s_kubeconfig": None, "k8s_context": None}, None, False)


def test_an_owner_that_cannot_be_asked_for_is_a_warning(refused):
    warnings = []
    params = {**OFFSETS, "method": "rest", "k8s_namespace": "ns", "force": False, "name": "c", "k8s_connect_cluster": None,
              "k8s_api_key": "t", "k8s_ca_cert": None, "k8s_verify_ssl": None, "k8s_kubeconfig": None, "k8s_context": None}
    check_owner({**params, "k8s_host": refused}, warnings.append)
    assert len(warnings) == 1 and "Whether an operator owns c could not be looked at: GET" in warnings[0]
    check_owner({**params, "force": True}, warnings.append)
    check_owner({**params, "k8s_namespace": None}, warnings.append)
    assert len(warnings) == 1


# ---- ledgers and methods --------------------------------------------------------------------------------------------

class Operator:
    method, namespace, kube = "strimzi", "kafka", None

    def root(self):
        return {"kafka_cluster_id": None}


@pytest.mark.parametrize("params, where", [
    ({"ledger": "auto"}, "the ConfigMap kafka/connect-offset-changes"),
    ({"ledger": "configmap", "ledger_configmap": "own"}, "the ConfigMap kafka/own"),
    ({"ledger": "auto", "ledger_file": "/l.json"}, "the file /l.json"),
])
def test_ledger_of_the_operators_road(params, where):
    assert open_ledger(params, Operator(), object()).where == where


def test_ledgers_that_do_not_fit():
    with pytest.raises(errors.DeclarationError, match="ledger: configmap needs method: strimzi"):
        open_ledger({"ledger": "configmap"}, object(), None)
    with pytest.raises(errors.DeclarationError, match="ledger: file needs ledger_file here"):
        open_ledger({"ledger": "file"}, Operator(), None)


def test_a_change_of_the_operators_road_is_put_back_by_it():
    with pytest.raises(errors.DeclarationError, match="was made by method: strimzi, and is restored by that: give the namespace"):
        router(FakeRest()).prefer(change("A", method="strimzi"))
