# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Profiles of sources of queues and streams, and of generated data: Kinesis, IBM MQ, Datagen."""

from __future__ import annotations

PROFILES = [
    {
        "name": "kinesis-source",
        "title": "Kinesis source",
        "classes": ["dbtucker.connect.kinesis.KinesisSourceConnector"],
        "shapes": [{
            "partition": {"shard": {"type": "string", "meaning": "name of the stream, /, id of the shard"}},
            "offset": {"seqNum": {"type": "string", "required": True, "meaning": "sequence number of the last record: digits as text, too many for a number"}},
            "position": {"fields": ["seqNum"], "compare": "opaque", "means": "last"},
            "example": {"partition": {"shard": "orders/shardId-000000000001"},
                        "offset": {"seqNum": "49590338271490256608559692538361571095921575989136588898"}},
        }],
        "absent": "the oldest record that the shard has (TRIM_HORIZON)",
        "hints": ["seqNum is to be quoted: without quotes it is a number that Connect cannot store."],
        "source": "dbtucker.connect.kinesis.KinesisSourceTask",
        "verified": True,
    },
    {
        "name": "confluent-kinesis-source",
        "title": "Confluent Kinesis source",
        "classes": ["io.confluent.connect.kinesis.KinesisSourceConnector"],
        "shapes": [],
        "absent": "where kinesis.position says: TRIM_HORIZON, the oldest record, by default",
        "hints": ["Its source code is not public: declare offsets in the form in which connector_offsets_info shows them."],
        "source": "its reference of settings",
        "verified": False,
    },
    {
        "name": "ibm-mq-source",
        "title": "IBM MQ source",
        "classes": ["com.ibm.eventstreams.connect.mqsource.MQSourceConnector"],
        "shapes": [{
            "partition": {"source": {"type": "string", "meaning": "queue manager, /, queue"}},
            "offset": {"sequence-id": {"type": "int64", "required": True, "unit": "sequence number", "meaning": "number of the last batch"}},
            "position": {"fields": ["sequence-id"], "compare": "number", "means": "last"},
            "example": {"partition": {"source": "QM1/ORDERS"}, "offset": {"sequence-id": 42}},
        }],
        "absent": "the queue is read on: what was read is not in it any more",
        "stores": [{"where": "one message on its state queue (mq.exactly.once.state.queue), which has to agree with the offset: clear it by hand "
                             "where the offset "
                             "is changed", "when": {"setting": "mq.exactly.once.state.queue"}}],
        "hints": ["Only with mq.exactly.once.state.queue are there offsets at all. A message that was read is gone: no offset brings it back."],
        "source": "MQSourceTask, SequenceStateClient of version 3.0.0",
        "verified": True,
    },
    {
        "name": "datagen-source",
        "title": "Datagen",
        "classes": ["io.confluent.kafka.connect.datagen.DatagenConnector"],
        "shapes": [{
            "partition": {"task.id": {"type": "int32", "meaning": "number of the task, from 0"}},
            "offset": {
                "task.generation": {"type": "int32", "required": True, "meaning": "number of the next start"},
                "current.iteration": {"type": "int64", "required": True, "unit": "record", "meaning": "number of the next record"},
                "random.seed": {"type": "int64", "required": True, "meaning": "of the next record"},
            },
            "position": {"fields": ["current.iteration"], "compare": "number", "means": "next"},
            "example": {"partition": {"task.id": 0}, "offset": {"task.generation": 1, "current.iteration": 1543, "random.seed": -4962768465676381896}},
        }],
        "absent": "it begins with the first record",
        "hints": ["A task whose offset lacks one of the three fields fails at its start. The dots are parts of the names."],
        "source": "io.confluent.kafka.connect.datagen.DatagenTask of version 0.7.0",
        "verified": True,
    },
]
