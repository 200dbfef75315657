# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Profiles of the connectors that come with Kafka."""

from __future__ import annotations

_MIRROR_SOURCE = "org.apache.kafka.connect.mirror.MirrorSourceTask, MirrorUtils of Kafka 4.3.1"
_NEVER_READ = "nothing: the connector never reads its offsets"

PROFILES = [
    {
        "name": "filestream-source",
        "title": "FileStream source",
        "classes": ["org.apache.kafka.connect.file.FileStreamSourceConnector"],
        "shapes": [{
            "partition": {"filename": {"type": "string", "meaning": "the option file, spelled as in the configuration"}},
            "offset": {"position": {"type": "int64", "required": True, "unit": "byte", "meaning": "bytes of the file that are read, from 0; the start "
                                                                                                  "of a line"}},
            "position": {"fields": ["position"], "compare": "number", "means": "next"},
            "file": {"path": "filename", "position": "position"},
            "example": {"partition": {"filename": "/var/lib/orders.txt"}, "offset": {"position": 4096}},
        }],
        "absent": "the file is read from its beginning",
        "hints": ["A position behind the end of the file reads nothing, and one inside of a line cuts its first record.",
                  "Without the option file it reads its standard input, and its offsets cannot be changed."],
        "source": "org.apache.kafka.connect.file.FileStreamSourceTask of Kafka 4.3.1",
        "verified": True,
    },
    {
        "name": "mirror-source",
        "title": "MirrorMaker source",
        "classes": ["org.apache.kafka.connect.mirror.MirrorSourceConnector"],
        "shapes": [{
            "partition": {
                "cluster": {"type": "string", "meaning": "alias of the source cluster"},
                "topic": {"type": "string", "meaning": "name of the topic on the source cluster"},
                "partition": {"type": "int32", "meaning": "number of the partition of that topic"},
            },
            "offset": {"offset": {"type": "int64", "required": True, "unit": "record", "meaning": "the last record that was copied"}},
            "position": {"fields": ["offset"], "compare": "number", "means": "last"},
            "example": {"partition": {"cluster": "east", "topic": "orders", "partition": 0}, "offset": {"offset": 1499}},
        }],
        "absent": "the topic is copied from where auto.offset.reset of its consumer says, earliest by default",
        "hints": ["The offset-syncs topic holds no position of it: from there the checkpoint connector translates the offsets of consumer groups.",
                  "next_offset declares the next record to copy instead of the last one that was."],
        "source": _MIRROR_SOURCE,
        "verified": True,
    },
    {
        "name": "mirror-checkpoint",
        "title": "MirrorMaker checkpoint",
        "classes": ["org.apache.kafka.connect.mirror.MirrorCheckpointConnector"],
        "shapes": [{
            "partition": {
                "group": {"type": "string", "meaning": "the consumer group"},
                "topic": {"type": "string", "meaning": "name of the topic on the target cluster"},
                "partition": {"type": "int32", "meaning": "number of the partition of that topic"},
            },
            "offset": {"offset": {"type": "int64", "required": True, "meaning": "always 0"}},
            "example": {"partition": {"group": "billing", "topic": "east.orders", "partition": 0}, "offset": {"offset": 0}},
        }],
        "absent": _NEVER_READ,
        "source": "org.apache.kafka.connect.mirror.MirrorCheckpointTask, Checkpoint of Kafka 4.3.1",
        "verified": True,
    },
    {
        "name": "mirror-heartbeat",
        "title": "MirrorMaker heartbeat",
        "classes": ["org.apache.kafka.connect.mirror.MirrorHeartbeatConnector"],
        "shapes": [{
            "partition": {
                "sourceClusterAlias": {"type": "string", "meaning": "alias of the source cluster"},
                "targetClusterAlias": {"type": "string", "meaning": "alias of the target cluster"},
            },
            "offset": {"offset": {"type": "int64", "required": True, "meaning": "always 0"}},
            "example": {"partition": {"sourceClusterAlias": "east", "targetClusterAlias": "west"}, "offset": {"offset": 0}},
        }],
        "absent": _NEVER_READ,
        "source": "org.apache.kafka.connect.mirror.MirrorHeartbeatTask, Heartbeat of Kafka 4.3.1",
        "verified": True,
    },
]
