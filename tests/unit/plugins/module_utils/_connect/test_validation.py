# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.validation import check_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

CONFIG = {"connector.class": "io.x.JdbcSource"}
NO_CLASS = errors.Refused("PUT x failed with 500: ...",
                          server_message="Failed to find any class that implements Connector and which name matches io.x.JdbcSource")


class FakeClient:
    url = "http://c:8083"

    def __init__(self, found, plugins=()):
        self.found, self.known = found, plugins

    def validate(self, config):
        assert config == CONFIG
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    def plugins(self):
        if isinstance(self.known, Exception):
            raise self.known
        return [{"class": one} for one in self.known]


def test_nothing_wrong():
    assert check_config(FakeClient({}), "c", CONFIG) == []


def test_one_line_a_field():
    with pytest.raises(errors.DeclarationError) as caught:
        check_config(FakeClient({"topics": ["b\n  c"], "hosts": ["a", "d"]}), "c", CONFIG)
    assert caught.value.message == (
        "The worker at http://c:8083 refuses the configuration of c, 2 fields of it.\n- hosts: a; d\n- topics: b c")
    assert caught.value.facts == {"config_errors": {"topics": ["b\n  c"], "hosts": ["a", "d"]}}


@pytest.mark.parametrize("plugins, hint", [
    (["io.x.JdbcSourceConnector", "io.y.Other"], " Did you mean io.x.JdbcSourceConnector?"),
    (["org.long.name.of.a.company.JDBCSource"], " Did you mean JDBCSource?"),
    (["io.y.Other"], ""), ([], ""), (errors.Refused("no"), "")])
def test_no_such_class(plugins, hint):
    with pytest.raises(errors.DeclarationError) as caught:
        check_config(FakeClient(NO_CLASS, plugins), "c", CONFIG)
    assert caught.value.message == (
        f"The worker at http://c:8083 has no class io.x.JdbcSource, which connector.class of c names.{hint} http://c:8083/connector-plugins lists what "
        "it has. Correct the name, or install the plugin on every worker.")


@pytest.mark.parametrize("kind", [errors.AccessDenied, errors.NotConnect, errors.EndpointMissing, errors.OutcomeUnknown, errors.ResponseLost])
def test_who_may_not_ask_goes_on(kind):
    assert check_config(FakeClient(kind("PUT x was denied.")), "c", CONFIG) == ["The configuration of c was not validated: PUT x was denied."]


def test_other_refusals_are_failures():
    with pytest.raises(errors.Refused, match="NullPointer"):
        check_config(FakeClient(errors.Refused("NullPointer", server_message="NullPointer")), "c", CONFIG)
    with pytest.raises(errors.Unreachable):
        check_config(FakeClient(errors.Unreachable("no connection")), "c", CONFIG)
