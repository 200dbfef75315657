# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker on a pod of Strimzi is known by its address; its connectors may be the operator's."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connector_state import declare_state
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.strimzi_pods import check_pod, pod_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

POD = "my-{0}-0.my-{0}.kafka.svc:8083"


def test_pods():
    assert pod_of("my-connect-0.my-connect.kafka.svc:8083") == ("KafkaConnect", "my", "kafka")
    assert pod_of("m-mirrormaker2-1.m-mirrormaker2.ns.svc.cluster.local:8083") == ("KafkaMirrorMaker2", "m", "ns")
    assert pod_of("10.0.0.1:8083") is None and pod_of(None) is None
    assert pod_of("my-connect-0.other-connect.kafka.svc:8083") is None


def found(pod):
    return Connector({"name": "c", "connector": {"state": "RUNNING", "worker_id": pod}, "tasks": [{"id": 0, "state": "RUNNING"}]})


def test_whose_pod_it_is():
    warnings = []
    with pytest.raises(errors.StateError, match="a pod of the KafkaMirrorMaker2 my in the namespace kafka.*force: true."):
        check_pod(found(POD.format("mirrormaker2")), False, warnings.append)
    check_pod(found("10.0.0.1:8083"), False, warnings.append)
    assert warnings == []
    check_pod(found(POD.format("mirrormaker2")), True, warnings.append)
    check_pod(found(POD.format("connect")), False, warnings.append)
    assert len(warnings) == 2 and "a pod of the KafkaConnect my" in warnings[1]


class Worker:
    method = "rest"

    def status(self, name):
        return {"name": name, "connector": {"state": "RUNNING", "worker_id": POD.format("mirrormaker2")},
                "tasks": [{"id": 0, "state": "RUNNING"}]}

    def require_url(self, name):
        raise AssertionError("went past the operator")


def test_a_state_is_not_changed_past_an_operator():
    with pytest.raises(errors.StateError, match="a pod of the KafkaMirrorMaker2"):
        declare_state(Worker(), "c", "stopped", 1, False)
