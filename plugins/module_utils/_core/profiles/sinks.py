# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Profiles of sinks that keep their place elsewhere besides the consumer group, where a change of the group alone can have no effect."""

from __future__ import annotations

_OBJECTS = ("the names of the objects that it has written: what is delivered again overwrites objects of the same name or makes others beside them")

PROFILES = [
    {
        "name": "hdfs-sink",
        "title": "HDFS sink",
        "kind": "sink",
        "classes": ["io.confluent.connect.hdfs.HdfsSinkConnector", "io.confluent.connect.hdfs3.Hdfs3SinkConnector"],
        "stores": [{"where": "the names of the files that it has written, which count more than its consumer group", "seeks": {}}],
        "hints": ["Without files of a partition (and without its log), the consumer group counts."],
        "source": "TopicPartitionWriter, DataWriter of kafka-connect-hdfs 10.2",
        "verified": True,
    },
    {
        "name": "object-store-sink",
        "title": "S3, GCS and Azure Blob sinks",
        "kind": "sink",
        "classes": ["io.confluent.connect.s3.S3SinkConnector", "io.confluent.connect.gcs.GcsSinkConnector",
                    "io.confluent.connect.azure.blob.AzureBlobStorageSinkConnector"],
        "stores": [{"where": _OBJECTS}],
        "source": "documentation of the connectors",
        "verified": False,
    },
    {
        "name": "iceberg-sink-tabular",
        "title": "Iceberg sink (Tabular)",
        "kind": "sink",
        "classes": ["io.tabular.iceberg.connect.IcebergSinkConnector"],
        "stores": [{"where": "a second consumer group (cg-control-{name} by default), which counts more than this one: change that one, too", "seeks": {}}],
        "hints": ["iceberg.control.group-id names the second group.",
                  "The table's snapshots keep places of the control topic (kafka.connect.offsets.TOPIC.GROUP): events from before them are skipped."],
        "source": "CommitterImpl, Coordinator of databricks/iceberg-kafka-connect 0.6",
        "verified": True,
    },
    {
        "name": "iceberg-sink",
        "title": "Iceberg sink (Apache)",
        "kind": "sink",
        "classes": ["org.apache.iceberg.connect.IcebergSinkConnector"],
        "stores": [{"where": "its control topic: files that were written before the change and are not in the table yet can still come into it"}],
        "hints": ["Records from a position that was set back come into the table once more (tried with version 1.10.1).",
                  "The table's snapshots keep places of the control topic (kafka.connect.offsets.TOPIC.GROUP): events from before them are skipped."],
        "source": "Worker, Coordinator, Channel of Apache Iceberg 1.10",
        "verified": True,
    },
    {
        "name": "clickhouse-sink",
        "title": "ClickHouse sink",
        "kind": "sink",
        "classes": ["com.clickhouse.kafka.connect.ClickHouseSinkConnector"],
        "stores": [{"where": "a table of its own (connect_state by default), if exactlyOnce is true: what it holds as delivered already is skipped or "
                             "fails the "
                             "task", "when": {"setting": "exactlyOnce", "values": ["true"]}}],
        "hints": ["zkDatabase names the table. A batch that begins with record 0 resets its entry."],
        "source": "Processing, KeeperStateProvider of clickhouse-kafka-connect 1.5.0",
        "verified": True,
    },
    {
        "name": "snowflake-sink",
        "title": "Snowflake sink",
        "kind": "sink",
        "classes": ["com.snowflake.kafka.connector.SnowflakeSinkConnector", "com.snowflake.kafka.connector.SnowflakeStreamingSinkConnector"],
        "stores": [{"where": "the offset tokens of its channels (Snowpipe Streaming), which count more than its consumer group", "seeks": {}}],
        "hints": ["A channel without an offset token goes on from the consumer group."],
        "source": "SnowpipeStreamingPartitionChannel, SnowflakeSinkServiceV2 of version 4.1.0",
        "verified": True,
    },
]
