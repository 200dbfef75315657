# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of sources by a symbolic position. What it means is in test_symbolic.py."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.guards import Guards
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import read_reset
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_item import FakeConnect

JDBC = {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector", "mode": "timestamp"}
DEBEZIUM = {"connector.class": "io.debezium.connector.sqlserver.SqlServerConnector"}
ORDERS = {"protocol": "1", "table": "orders"}


def change(connect, reset_to, check_mode=False, guards=None):
    desired = DesiredOffsets.words(read_reset(reset_to))
    desired.guards = guards
    return run_alone(ChangeItem(connect, "c", desired, sleep=connect.sleep, clock=connect.clock), check_mode)


def test_a_jdbc_source_goes_back_to_a_time():
    connect = FakeConnect(live=[(ORDERS, {"timestamp": 1700000005000, "timestamp_nanos": 0})], config=JDBC)
    predicted = change(connect, {"timestamp": 1700000000000}, check_mode=True)
    result = change(connect, {"timestamp": 1700000000000})
    assert connect.writes == ["alter"] and list(connect.live.values()) == [{"timestamp": 1699999999999, "timestamp_nanos": 999000000}]
    assert result["actions"] == predicted["actions"] and (result["actions"][0]["direction"], result["actions"][0]["distance"]) == ("backward", 5001)
    assert "backward by 5001, to rows of 2023-11-14T22:13:20.000Z or later" in result["diff"][0]["prepared"]
    assert change(connect, {"timestamp": 1700000000000})["changed"] is False
    with pytest.raises(errors.DeclarationError, match="max_rewind is 1000"):
        change(connect, {"timestamp": 1600000000000}, guards=Guards(max_rewind=1000))


def test_debezium_begins_with_a_snapshot():
    """Partitions of an earlier version go as well."""
    live = [({"server": "inv", "database": "shop"}, {"commit_lsn": "1"}), ({"server": "inv"}, {"commit_lsn": "1"})]
    connect = FakeConnect(live=live, config=DEBEZIUM)
    result = change(connect, "resnapshot")
    assert connect.writes == ["reset"] and connect.live == {} and result["counts"]["remove"] == 2
    assert [text for text in result["warnings"] if "execute-snapshot signal" in text] == result["warnings"]
    assert change(connect, "resnapshot")["changed"] is False
    connect = FakeConnect(live=live, config={**DEBEZIUM, "snapshot.mode": "no_data"})
    with pytest.raises(errors.DeclarationError, match="as its snapshot.mode is no_data: it has to be initial or always"):
        change(connect, "resnapshot")
    assert connect.writes == []
