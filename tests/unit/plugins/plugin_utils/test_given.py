# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _given


@pytest.mark.parametrize("given, names", [
    ("", []), (None, []), ([], []), (["a", "b"], ["a", "b"]), (" a, b*,, ", ["a", "b*"])])
def test_names(given, names):
    assert _given.names(given) == names


@pytest.mark.parametrize("given, number", [("", 50), (None, 50), (0, 0), ("0", 0), (" 7 ", 7), (12, 12)])
def test_number(given, number):
    assert _given.number(given, 50) == number


@pytest.mark.parametrize("given", ["many", "-1", "1.5", True, [1]])
def test_what_is_no_number(given):
    with pytest.raises(AnsibleFilterError, match="is no whole number"):
        _given.number(given, 50)


@pytest.mark.parametrize("given, path", [("", ""), (None, ""), ("a/b", "/here/a/b"), ("/x", "/x"), ("~/x", "/home/ops/x")])
def test_path(given, path, monkeypatch):
    monkeypatch.setenv("PWD", "/here")
    monkeypatch.setenv("HOME", "/home/ops")
    assert _given.path(given) == path


URL, BROKERS, FILE = {"kafka_connect_url": "http://c"}, {"kafka_bootstrap_servers": ["b:9092"]}, {"kafka_connect_offset_file": "/f"}
CONFIG, STRIMZI = {"kafka_connect_worker_config": "/w"}, {"k8s_namespace": "n", "k8s_connect_cluster": "c"}
NAMESPACE = {"k8s_namespace": "n"}  # it may be there for something else


@pytest.mark.parametrize("variables, environment, needs, lacking", [
    ({}, "", "any", "kafka_connect_url"),
    (URL, "", "any", ""), (BROKERS, "", "any", ""), (FILE, "", "any", ""), (CONFIG, "", "any", ""), (STRIMZI, "", "any", ""),
    ({"kafka_connect_strimzi_namespace": "n"}, "", "any", ""), (NAMESPACE, "", "any", "kafka_connect_url"),
    # one address for all: these would be the same cluster
    (URL, "kafka", "any", "kafka_bootstrap_servers"), ({**URL, **BROKERS}, "kafka", "any", ""), (FILE, "kafka", "any", ""),
    (BROKERS, "connect", "any", "kafka_connect_url"), (CONFIG, "connect", "any", "kafka_connect_url"), (STRIMZI, "connect", "any", ""),
    (FILE, "", "cluster", "kafka_connect_url"), (BROKERS, "", "cluster", ""), (URL, "kafka", "cluster", "kafka_bootstrap_servers"),
    ({}, "", "brokers", ""), (URL, "kafka", "brokers", "kafka_bootstrap_servers"), (BROKERS, "kafka", "brokers", ""),
])
def test_the_address_of_a_host(variables, environment, needs, lacking, monkeypatch):
    for name, value in (("KAFKA_CONNECT_URL", "http://all"), ("KAFKA_BOOTSTRAP_SERVERS", "all:9092")):
        monkeypatch.delenv(name, raising=False)
        if environment and environment.upper() in name.split("_")[:2] and (environment == "connect") == ("CONNECT" in name):
            monkeypatch.setenv(name, value)
    assert _given.lacking(variables, False, needs) == lacking
    assert _given.lacking(variables, True, needs) == ""
