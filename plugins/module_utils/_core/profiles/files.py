# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Profiles of sources of files and objects: spooldir, FilePulse, Aiven's S3 source and Confluent's."""

from __future__ import annotations

_SPOOLDIR = "com.github.jcustenborder.kafka.connect.spooldir."

PROFILES = [
    {
        "name": "spooldir-source",
        "title": "spooldir",
        "classes": [_SPOOLDIR + name for name in (
            "SpoolDirCsvSourceConnector", "SpoolDirJsonSourceConnector", "SpoolDirSchemaLessJsonSourceConnector", "SpoolDirLineDelimitedSourceConnector",
            "SpoolDirAvroSourceConnector", "SpoolDirBinaryFileSourceConnector", "elf.SpoolDirELFSourceConnector")],
        "shapes": [{
            "partition": {"fileName": {"type": "string", "meaning": "name of the file, without its folder"}},
            "offset": {"offset": {"type": "int64", "required": True, "unit": "record",
                                  "meaning": "CSV and lines: records that are sent, from 1; JSON: index of the last one, from 0"}},
            "position": {"fields": ["offset"], "compare": "number", "means": "last"},
            "example": {"partition": {"fileName": "orders.json"}, "offset": {"offset": 2}},
        }],
        "absent": "the file is read from its beginning",
        "stores": [{"where": "the file itself: one that is read is moved to finished.path or deleted, and nothing reads it again from there"}],
        "hints": ["JSON: the record of the stored index is sent once more at a restart. CSV: lines of the header count as well.",
                  "Lines, JSON without a schema, binary files: the offset is stored and not read, so the file is read from its beginning."],
        "source": "AbstractSourceTask, SpoolDirCsvSourceTask, SpoolDirJsonSourceTask of version 2.0",
        "verified": True,
    },
    {
        "name": "filepulse-source",
        "title": "FilePulse",
        "classes": ["io.streamthoughts.kafka.connect.filepulse.source.FilePulseSourceConnector"],
        "shapes": [{
            "partition": {
                "name": {"type": "string", "optional": True, "meaning": "name of the file"},
                "path": {"type": "string", "optional": True, "meaning": "its folder"},
                "hash": {"type": "string", "optional": True, "meaning": "digest of its content"},
                "lastmodified": {"type": "int64", "optional": True, "unit": "millisecond", "meaning": "time of its last change"},
                "uri": {"type": "string", "optional": True, "meaning": "its URI"},
                "inode": {"type": "string", "optional": True, "meaning": "its inode, as text"},
            },
            "order": "listed",
            "offset": {
                "position": {"type": "int64", "required": True, "unit": "byte", "meaning": "where reading goes on"},
                "rows": {"type": "int64", "required": True, "unit": "record", "meaning": "records that are read"},
                "timestamp": {"type": "int64", "required": True, "unit": "millisecond", "meaning": "when"},
            },
            "position": {"fields": ["position", "rows"], "compare": "number", "means": "next"},
            "example": {"partition": {"name": "orders.csv", "path": "/data/in"}, "offset": {"position": 4096, "rows": 120, "timestamp": 1718000000000}},
        }],
        "absent": "the file is read from its beginning. So it is where one of the three fields is missing",
        "stores": [{"where": "its status topic (tasks.file.status.storage.topic): a file that is COMPLETED there is not read again, whatever its offset says"}],
        "hints": ["The fields of the partition are those of offset.attributes.string, in the order of this table. That is not the order of a HashMap: "
                  "REST cannot "
                  "set a new one where the two differ, such as name and path."],
        "source": "DefaultSourceOffsetPolicy, AbstractSourceOffsetPolicy of version 2.19.0",
        "verified": True,
    },
    {
        "name": "aiven-s3-source",
        "title": "Aiven S3 source",
        "classes": ["io.aiven.kafka.connect.s3.source.S3SourceConnector"],
        "shapes": [{
            "partition": {"bucket": {"type": "string", "meaning": "the bucket"}, "objectKey": {"type": "string", "meaning": "key of the object"}},
            "order": "varies",
            "offset": {"recordCount": {"type": "int64", "required": True, "unit": "record", "meaning": "records of the object that are read"}},
            "position": {"fields": ["recordCount"], "compare": "number", "means": "next"},
            "example": {"partition": {"bucket": "orders", "objectKey": "2024/06/10/orders-00001.jsonl"}, "offset": {"recordCount": 500}},
        }],
        "absent": "the object is read from its beginning",
        "hints": ["The order of the two fields changes with each start of a worker (java.util.Map.of), so a stored offset can be missed: an object is "
                  "read again then."],
        "source": "S3OffsetManagerEntry, OffsetManager of version 3.4.3",
        "verified": True,
    },
    {
        "name": "confluent-s3-source",
        "title": "Confluent S3 source",
        "classes": ["io.confluent.connect.s3.source.S3SourceConnector"],
        "shapes": [],
        "hints": ["Its source code is not public: declare offsets in the form in which connector_offsets_info shows them."],
        "source": "none that is public",
        "verified": False,
    },
]
