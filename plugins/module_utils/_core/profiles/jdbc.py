# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Profiles of the JDBC source connectors of Confluent and Aiven, which have the same offsets."""

from __future__ import annotations

_OFFSET = {
    "incrementing": {"type": "int64", "unit": "id",
                     "meaning": "the largest value of the incrementing column that was read; modes incrementing and timestamp+incrementing"},
    "timestamp": {"type": "int64", "unit": "millisecond",
                  "meaning": "the latest value of the timestamp column that was read, since 1970 in UTC; modes timestamp and timestamp+incrementing"},
    "timestamp_nanos": {"type": "int64", "unit": "nanosecond", "meaning": "the fraction of the second of timestamp, milliseconds among them: "
                                                                          "123000000 for .123"},
}
_POSITION = {"fields": ["timestamp", "incrementing"], "compare": "number", "means": "last"}
_AT = {"timestamp": 1718000000123, "timestamp_nanos": 123000000}

PROFILES = [
    {
        "name": "jdbc-source",
        "title": "JDBC source",
        "classes": ["io.confluent.connect.jdbc.JdbcSourceConnector", "io.aiven.connect.jdbc.JdbcSourceConnector"],
        "shapes": [{
            "partition": {"protocol": {"type": "string", "meaning": "always the text 1"},
                          "table": {"type": "string", "meaning": "the table with catalog and schema, as far as the database has them, without quotes"}},
            "offset": _OFFSET,
            "position": _POSITION,
            "example": {"partition": {"protocol": "1", "table": "public.orders"}, "offset": dict(_AT, incrementing=8041)},
        }, {
            "partition": {"query": {"type": "string", "meaning": "always the text query, whatever the query is"}},
            "offset": _OFFSET,
            "position": _POSITION,
            "example": {"partition": {"query": "query"}, "offset": dict(_AT)},
        }, {
            "name": "jdbc-source-protocol-0",
            "until": "Confluent Platform 4.1",
            "read_without": "table",
            "partition": {"table": {"type": "string", "meaning": "the table without catalog and schema"}},
            "offset": _OFFSET,
            "position": _POSITION,
            "example": {"partition": {"table": "orders"}, "offset": {"incrementing": 8041}},
            "now": "The connector reads it only where it finds no offset of the table with a protocol.",
        }],
        "reset": {"time": {"when": {"setting": "mode", "values": ["timestamp", "timestamp+incrementing"]},
                           "milliseconds": "timestamp", "nanoseconds": "timestamp_nanos"}},
        "absent": "all rows; in mode timestamp those after timestamp.initial (Aiven: timestamp.initial.ms), where that is set",
        "overrides": [{"setting": "mode", "values": ["bulk"], "effect": "the mode bulk keeps no offsets: all rows are read at each poll, and an "
                                                                        "offset that is set "
                                                                        "is removed by the next record"}],
        "hints": ["In mode timestamp, set timestamp_nanos, too, or leave it out: the fraction of the second is taken from there.",
                  "Rows with the same timestamp as the last one are not read again."],
        "source": "JdbcSourceTask, OffsetProtocols, TimestampIncrementingOffset of Confluent 10.10.0 and Aiven 6.12.0",
        "verified": True,
    },
]
