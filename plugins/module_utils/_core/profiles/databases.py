# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Profiles of sources of other databases: MongoDB's own connector, Couchbase, Neo4j."""

from __future__ import annotations

_NEO4J_PARTITION = {
    "database": {"type": "string", "meaning": "neo4j.database"},
    "type": {"type": "string", "meaning": "cdc or query, as neo4j.source-strategy"},
}
_ONE = {"type": "int32", "meaning": "always 1"}
_NEO4J_OVERRIDES = [{"setting": "neo4j.ignore-stored-offset", "values": ["true"], "effect": "each start begins where neo4j.start-from says"}]

PROFILES = [
    {
        "name": "mongodb-source",
        "title": "MongoDB source",
        "classes": ["com.mongodb.kafka.connect.MongoSourceConnector"],
        "shapes": [{
            "partition": {"ns": {"type": "string", "meaning": "offset.partition.name; without it mongodb://, hosts, /, database and collection. "
                                                              "Before version 1.3 "
                                                              "the whole connection.uri, with its password"}},
            "offset": {
                "_id": {"type": "string", "required": True, "meaning": "the resume token, JSON text with its blanks; it is to be left a text"},
                "copy": {"type": "string", "meaning": "the text true as long as existing data is copied: the next start copies it anew"},
                "HEARTBEAT": {"type": "string", "meaning": "the text true where a heartbeat has stored it"},
            },
            "position": {"fields": ["_id"], "compare": "opaque", "means": "last"},
            "example": {"partition": {"ns": "mongodb://db1.example:27017/shop.orders"}, "offset": {"_id": '{"_data": "8266A1B2C3000000012B0429296E1404"}'}},
        }],
        "absent": "where startup.mode says: the end of the change stream by default, or a copy of existing data",
        "hints": ["true in copy and HEARTBEAT is a text, no boolean.",
                  "The partition of versions before 1.3 has the password of connection.uri in it: it is masked where it is shown, and exact in "
                  "exports and on the topic."],
        "source": "MongoSourceTask, StartedMongoSourceTask, HeartbeatManager of version 3.0.1",
        "verified": True,
    },
    {
        "name": "couchbase-source",
        "title": "Couchbase source",
        "classes": ["com.couchbase.connect.kafka.CouchbaseSourceConnector"],
        "shapes": [{
            "partition": {"bucket": {"type": "string", "meaning": "the bucket"},
                          "partition": {"type": "string", "meaning": "number of the vBucket, as text"},
                          "connector": {"type": "string", "optional": True, "meaning": "its name, with couchbase.connector.name.in.offsets"}},
            "offset": {
                "bySeqno": {"type": "int64", "required": True, "unit": "mutation", "meaning": "sequence number of the last change"},
                "vbuuid": {"type": "int64", "meaning": "history branch of the vBucket: with another one the server can roll back"},
                "snapshotStartSeqno": {"type": "int64", "meaning": "where the snapshot of the change begins; bySeqno is not below it"},
                "snapshotEndSeqno": {"type": "int64", "meaning": "where it ends; bySeqno is not above it"},
                "collectionsManifestUid": {"type": "int64", "meaning": "version of the collections"},
            },
            "position": {"fields": ["bySeqno"], "compare": "number", "means": "last"},
            "example": {"partition": {"bucket": "shop", "partition": "17"},
                        "offset": {"bySeqno": 4711, "vbuuid": 1234567890, "snapshotStartSeqno": 4711, "snapshotEndSeqno": 4711, "collectionsManifestUid": 0}},
        }],
        "absent": "the beginning of the bucket, or its end, as couchbase.stream.from says",
        "overrides": [{"setting": "couchbase.stream.from", "values": ["BEGINNING", "NOW"], "effect": "each start ignores what is stored"}],
        "hints": ["vBuckets are independent: to go back, declare all of them."],
        "source": "CouchbaseSourceTask, SourceOffset of version 4.3.6",
        "verified": True,
    },
    {
        "name": "neo4j-source",
        "title": "Neo4j source",
        "classes": ["org.neo4j.connectors.kafka.source.Neo4jConnector"],
        "shapes": [{
            "partition": dict(_NEO4J_PARTITION, partition=_ONE),
            "order": "listed",
            "offset": {"value": {"type": "string", "required": True, "meaning": "identifier of the last change; text without a meaning of its own"}},
            "position": {"fields": ["value"], "compare": "opaque", "means": "last"},
            "example": {"partition": {"database": "neo4j", "type": "cdc", "partition": 1}, "offset": {"value": "A3V16ZaLlUmnipHLFkWrlA0AAAAAAAAABQAAAAAAAAAA"}},
        }, {
            "partition": dict(_NEO4J_PARTITION, query={"type": "string", "meaning": "neo4j.query, to the letter"}, partition=_ONE),
            "order": "listed",
            "offset": {"property": {"type": "string", "required": True, "meaning": "neo4j.query.streaming-property: another one means that nothing is stored"},
                       "value": {"type": "int64", "required": True, "meaning": "its last value, given to the query as lastCheck"}},
            "position": {"fields": ["value"], "compare": "number", "means": "last"},
            "example": {"partition": {"database": "neo4j", "type": "query", "query": "MATCH (o:Order) WHERE o.at > $lastCheck RETURN o.at", "partition": 1},
                        "offset": {"property": "o.at", "value": 1718000000123}},
        }],
        "absent": "where neo4j.start-from says: now by default",
        "overrides": _NEO4J_OVERRIDES,
        "hints": ["Its partition is a map in the order of the source, which is not that of a HashMap: REST cannot set a new one where the two differ."],
        "source": "Neo4jCdcTask, Neo4jQueryTask, SourceConfiguration of version 5.5.2",
        "verified": True,
    },
]
