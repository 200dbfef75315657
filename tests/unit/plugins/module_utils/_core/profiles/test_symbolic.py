# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""reset_to of sources whose profile says what it means."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles import symbolic
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import read_reset

JDBC = "io.confluent.connect.jdbc.JdbcSourceConnector"
DEBEZIUM = ["io.debezium.connector." + name for name in (
    "postgresql.PostgresConnector", "mysql.MySqlConnector", "oracle.OracleConnector", "sqlserver.SqlServerConnector", "mongodb.MongoDbConnector",
    "db2.Db2Connector")]
ORDERS = {"protocol": "1", "table": "public.orders"}
#: 2024-01-31T12:00:00Z
NOON = 1706702400000


def resolve(connector_class, reset_to, live=(), topics=None, **config):
    config = {"connector.class": connector_class, **config}
    snapshot = Snapshot("c", "source", [Entry(*one) for one in live])
    return symbolic.resolve(BUILT_IN.find(config), config, snapshot, read_reset(reset_to, topics))


def refused(*arguments, **config) -> str:
    with pytest.raises(DeclarationError) as caught:
        resolve(*arguments, **config)
    return caught.value.message


@pytest.mark.parametrize("mode, stored, wanted", [
    ("timestamp", {"timestamp": NOON + 5, "timestamp_nanos": 5000000}, {"timestamp": NOON - 1, "timestamp_nanos": 999000000}),
    ("timestamp", {"timestamp": NOON + 5}, {"timestamp": NOON - 1}),  # of a version without nanoseconds
    ("timestamp+incrementing", {"timestamp": NOON + 5, "timestamp_nanos": 0, "incrementing": 8041},
     {"timestamp": NOON - 1, "timestamp_nanos": 999000000, "incrementing": 8041}),
])
def test_a_time_of_a_jdbc_source(mode, stored, wanted):
    """Rows after the stored time are read, so it is a millisecond before the first one that is meant."""
    live = [(ORDERS, stored), ({"query": "query"}, stored)]
    keyed, notes, warnings = resolve(JDBC, {"timestamp": NOON}, live, mode=mode)
    assert list(keyed.values()) == [Entry(ORDERS, wanted), Entry({"query": "query"}, wanted)] and warnings == []
    assert set(notes.values()) == {"rows of 2024-01-31T12:00:00.000Z or later"} and set(notes) == set(keyed)


def test_a_duration_of_a_jdbc_source():
    keyed, _notes, _warnings = resolve(JDBC, {"duration": "2h"}, [(ORDERS, {"timestamp": 1})], mode="timestamp")
    assert next(iter(keyed.values())).offset["timestamp"] > NOON


@pytest.mark.parametrize("reset_to, live, config, says", [
    ({"timestamp": NOON}, [(ORDERS, {"incrementing": 5})], {"mode": "incrementing"},
     "cannot be used for c, as its mode is incrementing: it has to be timestamp or timestamp+incrementing."),
    ({"timestamp": NOON}, [(ORDERS, {"timestamp": 5})], {}, "as its mode is not set"),
    ({"timestamp": NOON}, [], {"mode": "timestamp"}, "c has no offsets yet"),
    ("earliest", [(ORDERS, {"timestamp": 5})], {"mode": "timestamp"}, "c is a source, and reset_to is for sinks"),
    ({"shift_by": -1}, [(ORDERS, {"timestamp": 5})], {"mode": "timestamp"}, "c is a source, and reset_to is for sinks"),
    ("resnapshot", [(ORDERS, {"timestamp": 5})], {"mode": "timestamp"}, "reset_to: resnapshot is for Debezium's connectors"),
])
def test_what_means_nothing_to_a_jdbc_source(reset_to, live, config, says):
    assert says in refused(JDBC, reset_to, live, **config)


def test_topics_are_no_tables():
    assert "topics are those of a sink" in refused(JDBC, {"timestamp": NOON}, [(ORDERS, {"timestamp": 5})], ["orders"], mode="timestamp")


@pytest.mark.parametrize("connector_class", DEBEZIUM)
@pytest.mark.parametrize("config", [{}, {"snapshot.mode": "initial"}, {"snapshot.mode": "when_needed"}])
def test_a_new_snapshot(connector_class, config):
    """All of it goes, as partitions of earlier versions would be gone on from."""
    live = [({"server": "inv"}, {"lsn": 1}), ({"server": "inv", "database": "shop"}, {"lsn": 1})]
    keyed, notes, warnings = resolve(connector_class, "resnapshot", live, **config)
    assert keyed is None and notes == {} and len(warnings) == 1
    assert warnings[0].startswith("Without offsets c begins with a snapshot") and "execute-snapshot signal" in warnings[0]
    assert resolve(connector_class, "resnapshot", [], **config) == (None, {}, [])


@pytest.mark.parametrize("mode", ["never", "no_data", "schema_only", "recovery", "configuration_based", "custom"])
def test_a_mode_that_reads_no_data(mode):
    assert f"cannot be used for c, as its snapshot.mode is {mode}: it has to be initial or" in refused(
        DEBEZIUM[0], "resnapshot", [({"server": "inv"}, {"lsn": 1})], **{"snapshot.mode": mode})


@pytest.mark.parametrize("connector_class", ["com.example.Unknown", "org.apache.kafka.connect.file.FileStreamSourceConnector", DEBEZIUM[0]])
@pytest.mark.parametrize("reset_to", ["earliest", "latest", {"timestamp": NOON}, {"duration": "1d"}])
def test_other_sources(connector_class, reset_to):
    assert refused(connector_class, reset_to, [({"server": "inv"}, {"lsn": 1})]).startswith("c is a source, and reset_to is for sinks")
