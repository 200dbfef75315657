# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN

POSTGRES = "io.debezium.connector.postgresql.PostgresConnector", {"server": "a"}
MYSQL = "io.debezium.connector.mysql.MySqlConnector", {"server": "a"}
SQLSERVER = "io.debezium.connector.sqlserver.SqlServerConnector", {"server": "a", "database": "b"}
ORACLE = "io.debezium.connector.oracle.OracleConnector", {"server": "a"}
MONGODB = "com.mongodb.kafka.connect.MongoSourceConnector", {"ns": "a"}
JDBC = "io.confluent.connect.jdbc.JdbcSourceConnector", {"table": "a", "protocol": "1"}
UNKNOWN = ("unknown", None)


@pytest.mark.parametrize("connector, before, after, moved, unit", [
    (POSTGRES, {"lsn": 100, "txId": 5}, {"lsn": 90, "txId": 4}, ("backward", 10), "WAL byte"),
    (POSTGRES, {"lsn": 100, "lsn_proc": 100}, {"lsn": 90, "lsn_proc": 120}, ("forward", 20), "WAL byte"),
    (POSTGRES, {"lsn": 100, "lsn_proc": 100}, {"lsn": 90, "lsn_proc": 100}, UNKNOWN, ""),  # lsn_proc decides
    (POSTGRES, {"lsn": 100, "lsn_proc": 100}, {"lsn": 90}, ("backward", 10), "WAL byte"),
    (POSTGRES, {"lsn": 100, "txId": 5}, {"lsn": 100, "txId": 6}, UNKNOWN, ""),
    (MYSQL, {"file": "bin.000009", "pos": 400}, {"file": "bin.000009", "pos": 150}, ("backward", 250), "byte"),
    (MYSQL, {"file": "bin.000009", "pos": 400}, {"file": "bin.000010", "pos": 4}, ("forward", None), ""),
    (MYSQL, {"file": "bin.999999", "pos": 4}, {"file": "bin.1000000", "pos": 4}, ("forward", None), ""),
    (MYSQL, {"file": "bin.000010", "pos": 4}, {"file": "log.000011", "pos": 4}, UNKNOWN, ""),
    (MYSQL, {"file": "bin.000010", "pos": 4, "gtids": "u:1-9"}, {"file": "bin.000009", "pos": 4, "gtids": "u:1-9"}, UNKNOWN, ""),  # gtids decide
    (MYSQL, {"file": "bin.000010", "pos": 4, "gtids": "u:1-9"}, {"file": "bin.000009", "pos": 4, "gtids": "u:1-5"}, ("backward", None), ""),
    (MYSQL, {"file": "bin.000010", "pos": 4, "gtids": "u:1-9"}, {"file": "bin.000010", "pos": 4, "gtids": "u:1-5"}, UNKNOWN, ""),
    (SQLSERVER, {"commit_lsn": "00000027:00000758:0005", "change_lsn": None}, {"commit_lsn": "00000027:000006ff:0005", "change_lsn": None},
     ("backward", None), "LSN"),
    (SQLSERVER, {"commit_lsn": "00000027:0000075A:0005"}, {"commit_lsn": "00000027:0000075b:0005"}, ("forward", None), "LSN"),
    (SQLSERVER, {"commit_lsn": "00000027:00000758:0005", "change_lsn": "NULL"},
     {"commit_lsn": "00000027:00000758:0005", "change_lsn": "00000027:00000758:0003"}, ("forward", None), "LSN"),
    (SQLSERVER, {"commit_lsn": "00000027:00000758:0005"}, {"commit_lsn": "0027:0758:0005"}, UNKNOWN, ""),
    (SQLSERVER, {"commit_lsn": "00000027:00000758:0005"}, {"commit_lsn": "earlier"}, UNKNOWN, ""),
    (ORACLE, {"scn": "99"}, {"scn": "100"}, ("forward", 1), "SCN"),
    (ORACLE, {"scn": "99"}, {"scn": "x"}, UNKNOWN, ""),
    (ORACLE, {"scn": "99", "lcr_position": "a"}, {"scn": "98", "lcr_position": "a"}, UNKNOWN, ""),
    (MONGODB, {"_id": '{"_data": "82"}'}, {"_id": '{"_data": "83"}'}, UNKNOWN, ""),
    (MONGODB, {"_id": "1"}, {"_id": "2"}, UNKNOWN, ""),
    (JDBC, {"timestamp": 5000, "timestamp_nanos": 0, "incrementing": 9}, {"timestamp": 4000, "timestamp_nanos": 0, "incrementing": 12},
     ("backward", 1000), "millisecond"),
    (JDBC, {"timestamp": 5000, "timestamp_nanos": 0, "incrementing": 9}, {"timestamp": 5000, "timestamp_nanos": 0, "incrementing": 12}, ("forward", 3), "id"),
    (JDBC, {"incrementing": 9}, {"incrementing": 8}, ("backward", 1), "id"),
    (JDBC, {"incrementing": 9}, {"timestamp": 8}, UNKNOWN, ""),
])
def test_direction_and_distance(connector, before, after, moved, unit):
    shape = BUILT_IN.find({"connector.class": connector[0]}).shape_of(connector[1])
    assert shape.movement(before, after) == moved
    assert shape.unit(before, after) == (unit if moved[0] != "unknown" else "") or moved[1] is None
