# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the connection by their names and those of before; which variables of a host supply them."""

from __future__ import annotations

import re

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible import options
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _connection


def test_an_option_its_variable_and_its_environment_variable_have_the_same_name():
    for name, spec in options.connection_options().items():
        assert re.match("kafka_|k8s_", name) and _connection.VARIABLES[name][-1] == name
        assert "fallback" not in spec or spec["fallback"][1][0] == name.upper()


def test_options_of_some_modules_have_the_names_of_their_variables_too():
    assert _connection.by_name({"connect_group": "g", "profiles": "p.yml"}, ()) == {"kafka_connect_group": "g", "kafka_connect_profiles": "p.yml"}
    assert set(_connection.OF_MODULES) <= set(_connection.ALIASES)


def test_no_name_has_two_meanings():
    names = [one for name, aliases in _connection.ALIASES.items() for one in (name, *aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("args, defaults, found", [
    ({}, (), {}),
    ({"connect_url": "t", "name": "x"}, (), {"kafka_connect_url": "t", "name": "x"}),
    ({"url": "t"}, (), {"kafka_connect_url": "t"}),
    ({"kafka_connect_url": "t"}, (), {"kafka_connect_url": "t"}),
    ({"connect_url": ""}, (), {"kafka_connect_url": ""}),
    # the task wins over module_defaults, whatever names they have
    ({"connect_url": "d", "kafka_connect_url": "t"}, ("connect_url",), {"kafka_connect_url": "t"}),
    ({"kafka_connect_url": "d", "connect_url": "t"}, ("kafka_connect_url",), {"kafka_connect_url": "t"}),
    ({"connect_url": "d", "url": "t"}, ("connect_url",), {"kafka_connect_url": "t"}),
    # both of them only in module_defaults
    ({"connect_url": "d", "kafka_connect_url": "e"}, ("connect_url", "kafka_connect_url"), {"kafka_connect_url": "e"}),
    ({"connect_url": "d", "kafka_connect_url": "e"}, ("kafka_connect_url", "connect_url"), {"kafka_connect_url": "d"}),
    # both of them in the task: the module warns
    ({"connect_url": "t", "kafka_connect_url": "u"}, (), {"connect_url": "t", "kafka_connect_url": "u"}),
])
def test_by_name(args, defaults, found):
    given = dict(args)
    assert _connection.by_name(given, defaults) == found and given == args


FORMER, NEW = {"kafka_connect_strimzi_namespace": "n"}, {"k8s_namespace": "n"}
CLUSTER, FORMER_CLUSTER = {"k8s_connect_cluster": "c"}, {"kafka_connect_strimzi_cluster": "c"}


@pytest.mark.parametrize("variables, expected", [
    ({}, False), (FORMER, True), (NEW, False), ({**NEW, **CLUSTER}, True), (CLUSTER, False), ({**NEW, **FORMER_CLUSTER}, False), ({**FORMER, **CLUSTER}, True),
    ({**NEW, "k8s_connect_cluster": ""}, False), ({**NEW, "kafka_connect_strimzi_resource": "mirror"}, True),
    ({"kafka_connect_strimzi_resource": "mirror"}, False)])
def test_whether_a_host_is_of_strimzi(variables, expected):
    assert _connection.is_strimzi(variables) is expected


@pytest.mark.parametrize("args, variables, counts", [
    ({}, NEW, False),  # it may be there for another collection
    ({"method": "auto"}, NEW, False), ({"method": "topic"}, NEW, False), ({"ledger": "auto"}, NEW, False),
    ({"method": "strimzi"}, NEW, True), ({"ledger": "configmap"}, NEW, True), ({"resource": "r"}, NEW, True), ({"k8s_connect_cluster": "c"}, NEW, True),
    ({}, {**NEW, **CLUSTER}, True), ({}, {**NEW, **FORMER_CLUSTER}, False),
])
def test_when_the_variable_of_the_namespace_counts(args, variables, counts):
    former = ("kafka_connect_strimzi_namespace",)
    assert _connection.variables_of("k8s_namespace", args, variables) == ((*former, "k8s_namespace") if counts else former)


def test_variables_of_before():
    assert _connection.variables_of("k8s_ca_cert", {}, {}) == ("kafka_connect_strimzi_ca_cert", "k8s_ca_cert")
    assert _connection.variables_of("k8s_connect_cluster", {}, {}) == ("kafka_connect_strimzi_cluster", "k8s_connect_cluster")
    assert _connection.variables_of("kafka_connect_ca_path", {}, {}) == ("kafka_connect_ca_path",)
