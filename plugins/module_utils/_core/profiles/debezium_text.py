# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Profiles of Debezium's connectors whose position is text: SQL Server, Db2, MongoDB, Vitess."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.debezium import (
    BEGINS,
    HISTORY,
    RESET,
    RESNAPSHOT,
    SERVER,
    SNAPSHOT,
    TRANSACTIONS,
    VERSION,
)

_LSNS = dict({
    "commit_lsn": {"type": "string", "required": True, "unit": "LSN", "meaning": "of the last commit, hex text such as 00000027:00000758:0005"},
    "change_lsn": {"type": "string", "unit": "LSN", "meaning": "of the last change within that transaction; null or the text NULL where there is none"},
    "event_serial_no": {"type": "int64", "meaning": "number of the event within that change, as an update has two"},
}, **SNAPSHOT, **TRANSACTIONS)
_IN_TURN = {"fields": ["commit_lsn", "change_lsn", "event_serial_no"], "compare": "text", "means": "last"}
_LSN_EXAMPLE = {"commit_lsn": "00000027:00000758:0005", "change_lsn": "00000027:00000758:0003", "event_serial_no": 1}
_ALWAYS = [{"setting": "snapshot.mode", "values": ["always"], "effect": "each start begins with a snapshot, whatever the offset says"}]

_MONGODB = dict({
    "resume_token": {"type": "string", "meaning": "of the change stream: where it goes on; hex text without a meaning of its own"},
    "sec": {"type": "int32", "required": True, "unit": "second", "meaning": "time of the event; where there is no resume_token, reading begins at this time"},
    "ord": {"type": "int32", "required": True, "meaning": "place within the second; -1 where there is none"},
    "initsync": {"type": "boolean", "meaning": "true while the first snapshot runs: the next start begins it anew"},
    "lsid": {"type": "string", "meaning": "session of the transaction"},
    "txnNumber": {"type": "int64", "meaning": "number of the transaction"},
}, **SNAPSHOT, **TRANSACTIONS)
_TOKEN = {"fields": ["resume_token"], "compare": "opaque", "means": "last"}
_MONGODB_OFFSET = {"sec": 1718000000, "ord": 1, "resume_token": "8266A1B2C3000000012B0429296E1404"}

_VGTID = {
    "vgtid": {"type": "string", "required": True, "meaning": "JSON text: keyspace, shard and GTID of each shard; it is to be left a text"},
    "transaction_epoch": {"type": "string", "meaning": "JSON text: epoch by shard, with ordered transaction metadata"},
    "transaction_rank": {"type": "string", "meaning": "with ordered transaction metadata"},
    "transaction_id": TRANSACTIONS["transaction_id"],
    "transaction_data_collection_order_*": TRANSACTIONS["transaction_data_collection_order_*"],
}
_VGTID_POSITION = {"fields": ["vgtid"], "compare": "opaque", "means": "last"}
_VGTID_OFFSET = {"vgtid": '[{"keyspace":"shop","shard":"-80","gtid":"MySQL56/3e11fa47-71ca-11e1-9e33-c80aa9429562:1-41","table_p_ks":[]}]'}

PROFILES = [
    {
        "name": "debezium-sqlserver",
        "title": "Debezium SQL Server",
        "classes": ["io.debezium.connector.sqlserver.SqlServerConnector"],
        "shapes": [{
            "partition": {"server": SERVER, "database": {"type": "string", "meaning": "one of database.names, as the server spells it"}},
            "offset": _LSNS,
            "position": _IN_TURN,
            "example": {"partition": {"server": "inventory", "database": "shop"}, "offset": _LSN_EXAMPLE},
        }, {
            "name": "debezium-sqlserver-1",
            "until": "Debezium 1.9",
            "partition": {"server": SERVER},
            "offset": _LSNS,
            "position": _IN_TURN,
            "example": {"partition": {"server": "inventory"}, "offset": _LSN_EXAMPLE},
            "now": "A connector with one database still finds it, if it has no offset under server and database. One with several does not.",
            "migrate": {"name": "debezium-sqlserver-2", "add": ["database"]},
        }],
        "absent": BEGINS,
        "reset": RESET,
        "overrides": _ALWAYS,
        "siblings": "server",
        "hints": ["The database keeps its change tables for a time (3 days by default): an LSN from before that cannot be read.", HISTORY, RESNAPSHOT],
        "source": "SqlServerPartition, SqlServerOffsetContext, Lsn of " + VERSION,
        "verified": True,
    },
    {
        "name": "debezium-db2",
        "title": "Debezium Db2",
        "classes": ["io.debezium.connector.db2.Db2Connector"],
        "shapes": [{
            "partition": {"server": SERVER},
            "offset": _LSNS,
            "position": _IN_TURN,
            "example": {"partition": {"server": "inventory"}, "offset": _LSN_EXAMPLE},
        }],
        "absent": BEGINS,
        "reset": RESET,
        "overrides": _ALWAYS,
        "hints": [HISTORY, RESNAPSHOT],
        "source": "Db2Partition, Db2OffsetContext of " + VERSION,
        "verified": True,
    },
    {
        "name": "debezium-mongodb",
        "title": "Debezium MongoDB",
        "classes": ["io.debezium.connector.mongodb.MongoDbConnector"],
        "shapes": [{
            "partition": {"server_id": dict(SERVER, meaning="topic.prefix; before Debezium 2.0 mongodb.name")},
            "offset": _MONGODB,
            "position": _TOKEN,
            "example": {"partition": {"server_id": "inventory"}, "offset": _MONGODB_OFFSET},
        }, {
            "name": "debezium-mongodb-2",
            "until": "Debezium 2.5",
            "partition": {"server_id": dict(SERVER, meaning="topic.prefix; before Debezium 2.0 mongodb.name"),
                          "rs": {"type": "string", "meaning": "name of the replica set, or of the shard"}},
            "offset": _MONGODB,
            "position": _TOKEN,
            "example": {"partition": {"server_id": "inventory", "rs": "rs0"}, "offset": _MONGODB_OFFSET},
            "now": "The connector takes it over if it has no offset under server_id alone. Those of the shards of a cluster can be refused at start.",
            "migrate": {"name": "debezium-mongodb-3", "drop": ["rs"]},
        }],
        "absent": BEGINS,
        "reset": RESET,
        "overrides": _ALWAYS,
        "siblings": "server_id",
        "hints": ["resume_token decides; sec and ord count where it is missing.", RESNAPSHOT],
        "source": "MongoDbPartition, MongoDbOffsetContext, MongoDbConnectorTask of " + VERSION,
        "verified": True,
    },
    {
        "name": "debezium-vitess",
        "title": "Debezium Vitess",
        "classes": ["io.debezium.connector.vitess.VitessConnector"],
        "shapes": [{
            "partition": {"server": SERVER},
            "offset": _VGTID,
            "position": _VGTID_POSITION,
            "example": {"partition": {"server": "inventory"}, "offset": _VGTID_OFFSET},
        }, {
            "partition": {"server": SERVER, "task_key": {"type": "string", "meaning": "task, number of tasks and generation: task0_2_0; with "
                                                                                      "vitess.offset.storage.per.task"}},
            "offset": _VGTID,
            "position": _VGTID_POSITION,
            "example": {"partition": {"server": "inventory", "task_key": "task0_2_0"}, "offset": _VGTID_OFFSET},
        }],
        "absent": "the end of the log, or what vitess.vgtid says; with an offset for each task, the offsets of the generation before, and in "
                  "generation 0 that of "
                  "the server alone",
        "siblings": "server",
        "hints": ["A task that misses its offset goes on from those of the generation before: to begin anew, remove all partitions of the server."],
        "source": "VitessPartition, VitessOffsetContext, VitessOffsetRetriever of " + VERSION,
        "verified": True,
    },
]
