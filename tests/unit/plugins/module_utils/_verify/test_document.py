# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.document import check_names, complete, read

TOPICS = {"t": {"cluster": "main", "topic": "t"}}


def test_read():
    assert read({"version": 1}) == read('{"version": 1}') == {"version": 1}
    with pytest.raises(DeclarationError, match="expectation is a text that is not JSON: Expecting"):
        read("{oops")
    with pytest.raises(DeclarationError, match="not a list"):
        read("[1]")


@pytest.mark.parametrize("document, options, clusters, inherits", [
    pytest.param({"topics": TOPICS}, {}, {"main": {"bootstrap.servers": "a:1,b:2"}}, True, id="of a topic"),
    pytest.param({"clusters": {"main": {"client.id": "x"}}}, {}, {"main": {"bootstrap.servers": "a:1,b:2", "client.id": "x"}}, True, id="without servers"),
    pytest.param({"clusters": {"main": {"bootstrap.servers": "c:3"}}, "topics": TOPICS}, {}, {"main": {"bootstrap.servers": "c:3"}}, False, id="placed"),
    pytest.param({"clusters": {"east": {}}}, {"east": {"bootstrap.servers": ["e:1", "e:2"]}}, {"east": {"bootstrap.servers": "e:1,e:2"}}, False,
                 id="by client options"),
    pytest.param({"topics": TOPICS}, {"main": {"bootstrap.servers": "z:1"}}, {"main": {"bootstrap.servers": "z:1"}}, True, id="options win"),
    pytest.param({"clusters": {"east": {}}}, {}, {"east": {}}, False, id="not known"),
    pytest.param({"clusters": {"main": None}}, {}, {"main": None}, False, id="what the job refuses"),
    pytest.param({"clusters": [], "topics": {"t": {"cluster": 5}, "u": 6}}, {}, [], False, id="nothing to complete"),
])
def test_complete(document, options, clusters, inherits):
    found, by_connection = complete(document, "main", ["a:1", "b:2"], options)
    assert (found["clusters"], by_connection) == (clusters, inherits)


def test_complete_leaves_the_given_document_alone():
    document = {"clusters": {"east": {"bootstrap.servers": "e:1"}}, "topics": TOPICS}
    found, _inherits = complete(document, "main", ["a:1"], {})
    assert found["clusters"] == {"main": {"bootstrap.servers": "a:1"}, "east": {"bootstrap.servers": "e:1"}}
    assert list(document["clusters"]) == ["east"]
    assert complete({"topics": TOPICS}, "main", [], {}) == ({"topics": TOPICS}, False)


def test_names():
    document = {"clusters": {"main": {}}, "tables": {"orders": {}}, "registries": {"schemas": {}}}

    def check(**given):
        check_names(document, {"client_options": {}, "jdbc_options": {}, "registry_options": {}, **given})

    check(client_options={"main": {}}, jdbc_options={"orders": {}}, registry_options={"schemas": {"token": "t", "ca_path": "/c"}})
    with pytest.raises(DeclarationError, match="client_options name east, mian, but the expectation document has no such cluster"):
        check(client_options={"mian": {}, "main": {}, "east": {}})
    with pytest.raises(DeclarationError, match="jdbc_options name order, but the expectation document has no such table"):
        check(jdbc_options={"order": {}})
    with pytest.raises(DeclarationError, match="registry_options name schema, but the expectation document has no such registry"):
        check(registry_options={"schema": {}})
    with pytest.raises(DeclarationError, match="registry_options has passwd for the registry schemas; it takes username, password, token"):
        check(registry_options={"schemas": {"passwd": "x", "username": "y"}})


def test_without_brokers_nothing_is_inherited():
    found, by_connection = complete({"topics": TOPICS}, "main", [], {"main": {"bootstrap.servers": "z:1"}})
    assert found["clusters"] == {"main": {"bootstrap.servers": "z:1"}} and not by_connection
