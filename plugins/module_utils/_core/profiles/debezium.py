# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Profiles of Debezium's connectors that read a log by numbers: PostgreSQL, MySQL, MariaDB, Oracle. What all of its connectors have in common."""

from __future__ import annotations

VERSION = "Debezium 3.7.0.Alpha2"

SERVER = {"type": "string", "meaning": "topic.prefix; before Debezium 2.0 database.server.name"}

#: fields that most of the connectors have, as far as a snapshot or transaction metadata need them
SNAPSHOT = {
    "snapshot": {"type": "string", "meaning": "INITIAL, BLOCKING or INCREMENTAL while a snapshot runs; before Debezium 3.0 the boolean true",
                 "was": ["boolean"]},
    "snapshot_completed": {"type": "boolean", "since": "3.0", "meaning": "whether the snapshot that snapshot names has come to its end"},
}
TRANSACTIONS = {
    "transaction_id": {"type": "string", "meaning": "of the transaction that is delivered, null outside of one; with provide.transaction.metadata"},
    "transaction_data_collection_order_*": {"type": "int64", "meaning": "events of the transaction so far, by table"},
    "incremental_snapshot_*": {"type": "string", "meaning": "state of an incremental snapshot; JSON texts and hex texts, to be left as they are"},
}

RESNAPSHOT = "To have data delivered again without a new position, an execute-snapshot signal reads tables once more while the connector runs."
#: what reset_to means, in snapshot modes that read data where there is no offset
RESET = {"resnapshot": {"when": {"setting": "snapshot.mode", "values": ["initial", "always", "initial_only", "when_needed"], "default": "initial"},
                        "signal": RESNAPSHOT}}
BEGINS = "a snapshot, where snapshot.mode allows one; without one, the end of the log"
HISTORY = "Its schema history topic (schema.history.internal.kafka.topic) has to reach back as far as the offset."

_BINLOG = {
    "partition": {"server": SERVER},
    "offset": dict({
        "file": {"type": "string", "required": True, "meaning": "name of the binlog file"},
        "pos": {"type": "int64", "required": True, "unit": "byte", "meaning": "place in the file where reading begins: the start of an event"},
        "gtids": {"type": "string", "meaning": "set of transactions that are delivered; where the server has GTIDs, it decides, and file and pos do not"},
        "row": {"type": "int32", "meaning": "rows of the first event that are delivered already, and are skipped"},
        "event": {"type": "int64", "meaning": "events of the transaction that are delivered already, and are skipped"},
        "server_id": {"type": "int64", "meaning": "of the server that wrote the event; never read"},
        "ts_sec": {"type": "int64", "unit": "second", "meaning": "time of the event; never read"},
    }, **SNAPSHOT, **TRANSACTIONS),
    "position": {"fields": ["file", "pos"], "compare": "file", "means": "next", "instead": ["gtids"]},
    "example": {"partition": {"server": "inventory"}, "offset": {"file": "binlog.000042", "pos": 4, "row": 0, "event": 0}},
}

PROFILES = [
    {
        "name": "debezium-postgresql",
        "title": "Debezium PostgreSQL",
        "classes": ["io.debezium.connector.postgresql.PostgresConnector"],
        "shapes": [{
            "partition": {"server": SERVER},
            "offset": dict({
                "lsn": {"type": "int64", "required": True, "unit": "WAL byte", "meaning": "of the last event, as a whole number: 0/16B3748 is 23803720"},
                "lsn_proc": {"type": "int64", "unit": "WAL byte", "meaning": "the last that was processed completely; where it is there, it decides"},
                "lsn_commit": {"type": "int64", "unit": "WAL byte", "meaning": "of the last commit"},
                "lsn_events_processed": {"type": "int64", "since": "3.7", "meaning": "events of the same LSN that are delivered already"},
                "txId": {"type": "int64", "meaning": "of the transaction"},
                "xmin": {"type": "int64", "meaning": "of the slot, with xmin.fetch.interval.ms"},
                "ts_usec": {"type": "int64", "unit": "microsecond", "meaning": "time of the event; read as a Long"},
                "messageType": {"type": "string", "meaning": "INSERT, UPDATE, DELETE, BEGIN, COMMIT, ..."},
                "last_snapshot_record": {"type": "boolean", "meaning": "whether a snapshot has come to its end"},
            }, **SNAPSHOT, **TRANSACTIONS),
            "position": {"fields": ["lsn_proc", "lsn"], "compare": "first", "means": "last"},
            "example": {"partition": {"server": "inventory"},
                        "offset": {"lsn": 25565696, "lsn_proc": 25565696, "lsn_commit": 25565640, "txId": 491, "ts_usec": 1711929600000000}},
        }],
        "absent": BEGINS,
        "reset": RESET,
        "stores": [{"where": "the replication slot in the database, which only goes forward: nothing is delivered from before its confirmed_flush_lsn",
                    "only": "backward", "seeks": {"unless": {"setting": "lsn.flush.mode", "values": ["manual"]}}}],
        "overrides": [{"setting": "snapshot.mode", "values": ["always"], "effect": "each start begins with a snapshot, whatever the offset says"},
                      {"setting": "offset.mismatch.strategy", "values": ["trust_slot"],
                       "effect": "where offset and slot differ, the slot decides"}],
        "hints": ["lsn, lsn_proc and lsn_commit belong together: declare all that the live offset has.", RESNAPSHOT],
        "source": "PostgresPartition, PostgresOffsetContext, PostgresStreamingChangeEventSource of " + VERSION,
        "verified": True,
    },
    {
        "name": "debezium-binlog",
        "title": "Debezium MySQL and MariaDB",
        "classes": ["io.debezium.connector.mysql.MySqlConnector", "io.debezium.connector.mariadb.MariaDbConnector"],
        "shapes": [_BINLOG],
        "absent": BEGINS,
        "reset": RESET,
        "overrides": [{"setting": "snapshot.mode", "values": ["always"], "effect": "each start begins with a snapshot, whatever the offset says"}],
        "hints": ["file, pos and gtids belong together: take them from one place in the log.", HISTORY, RESNAPSHOT],
        "source": "BinlogPartition, BinlogOffsetContext, MySqlOffsetContext, MariaDbOffsetContext of " + VERSION,
        "verified": True,
    },
    {
        "name": "debezium-oracle",
        "title": "Debezium Oracle",
        "classes": ["io.debezium.connector.oracle.OracleConnector"],
        "shapes": [{
            "partition": {"server": SERVER},
            "offset": dict({
                "scn": {"type": "string", "unit": "SCN", "was": ["int64"], "meaning": "where mining begins: digits as text; before Debezium 1.5 a number"},
                "commit_scn": {"type": "string", "was": ["int64"], "meaning": "SCN:redo thread:transactions, one a redo thread, with commas: the last "
                                                                              "commit of each that was delivered; transactions up to it are "
                                                                              "skipped"},
                "snapshot_scn": {"type": "string", "was": ["int64"], "meaning": "of the snapshot"},
                "snapshot_pending_tx": {"type": "string", "meaning": "transactions that were open at the snapshot"},
                "scn_idx": {"type": "int64", "meaning": "OpenLogReplicator: place within the SCN"},
                "lcr_position": {"type": "string", "meaning": "XStream: the position, in place of scn"},
                "txId": {"type": "string", "meaning": "of the transaction"},
                "txSeq": {"type": "int64", "meaning": "place within the transaction"},
                "window_advance_enabled": {"type": "boolean", "since": "3.5", "meaning": "state of the miner"},
            }, **SNAPSHOT, **TRANSACTIONS),
            "position": {"fields": ["scn"], "compare": "number", "means": "next", "instead": ["lcr_position"]},
            "example": {"partition": {"server": "inventory"},
                        "offset": {"scn": "28815377", "commit_scn": "28815377:1:0a001b00", "snapshot_scn": "28810000"}},
        }],
        "absent": BEGINS,
        "reset": RESET,
        "overrides": [{"setting": "snapshot.mode", "values": ["always"], "effect": "each start begins with a snapshot, whatever the offset says"}],
        "hints": ["To go back, lower commit_scn, too: what was committed up to it is skipped.", HISTORY, RESNAPSHOT],
        "source": "OraclePartition, OracleOffsetContext, CommitScn of " + VERSION,
        "verified": True,
    },
]
