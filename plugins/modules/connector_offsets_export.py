#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector_offsets_export
short_description: Write the offsets of Kafka Connect connectors to a file
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Writes the offsets of one, some or all connectors of a cluster, sources and sinks, as one JSON document, from which
    M(streamops.kafka_connect.connector_offsets) (O(streamops.kafka_connect.connector_offsets#module:src)) and the playbook
    C(streamops.kafka_connect.import_offsets) declare them again, there or on another cluster. This is the tool that KIP-199 proposed.
  - Nothing is stopped or changed. Of a connector that runs they are the offsets that it has flushed last.
  - The file is written where the module runs, in one step, with mode 0600. If it holds the same already, it stays as it is.
  - The file is exact. Secrets inside of partitions and offsets, which the results of all modules mask, are in it as they are.
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - It shows how many partitions each connector has in the file.
  idempotent:
    support: full
    details:
      - As long as the offsets stay the same. The time of the export does not count.
options:
  dest:
    description: The file to write. The folder must be there.
    type: path
    required: true
  connectors:
    description:
      - Names of connectors, or globs with C(*), C(?) and C([abc]). By default all that have offsets.
      - One that fits none is an error.
    type: list
    elements: str
  method:
    description:
      - How the offsets are reached, as of M(streamops.kafka_connect.connector_offsets_info). With V(auto) and O(kafka_bootstrap_servers) the offsets topic is
        read once, which also has the connectors that are deleted, and the consumer groups of the sinks.
    type: str
    choices: [auto, rest, topic, group, file]
    default: auto
  offset_topic:
    description:
      - The workers' C(offset.storage.topic). If it is not given, the topic is found by its content.
    type: str
  history:
    description:
      - Whether to write the older records that are still on the offsets topic as well, up to 100 for each key, under C(history). They are for
        people; an import takes the present offsets alone. It needs the offsets topic, and leaves out sinks.
    type: bool
    default: false
  partial:
    description:
      - Whether to write the file though offsets of some connectors cannot be read, which are missing in it then. Otherwise the task fails and
        the file stays as it is.
    type: bool
    default: false
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._worker
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.actiongroup_connect
seealso:
  - module: streamops.kafka_connect.connector_offsets
  - module: streamops.kafka_connect.connector_offsets_info
"""

EXAMPLES = r"""
- name: Keep the offsets of the whole cluster
  streamops.kafka_connect.connector_offsets_export:
    kafka_connect_url: http://connect.example.com:8083
    kafka_bootstrap_servers: [kafka.example.com:9092]
    dest: /backup/connect-offsets.json

- name: Of some connectors alone, by REST
  streamops.kafka_connect.connector_offsets_export:
    kafka_connect_url: http://connect.example.com:8083
    connectors: ["orders-*", returns-source]
    dest: /backup/orders-offsets.json
"""

RETURN = r"""
dest:
  description: The file.
  returned: success
  type: str
connectors:
  description: How many partitions each connector has in it.
  returned: success
  type: dict
  sample: {orders-source: 3}
partitions:
  description: How many these are together.
  returned: success
  type: int
method:
  description: The method that was used for all of them; sinks come from their consumer groups, or by REST.
  returned: success
  type: str
diff:
  description: How many partitions each connector has in the file, before and after.
  returned: with C(--diff)
  type: list
  elements: dict
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.brokers import brokers
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.connect import connect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import worker_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.worker_config import read_worker_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_export import export
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_info import OffsetsInfo
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import cluster_facts


def write(client, kafka, params, check_mode):
    info = OffsetsInfo(client, kafka, params["method"], params["offset_topic"], params["history"], max_entries=0,
                       offset_file=params["offset_file"])
    return export(info, cluster_facts(info.rest, info.kafka), params["dest"], params["connectors"], params["history"], params["partial"], check_mode)


def main():
    run(
        dict(
            worker_options(),
            dest=dict(type="path", required=True),
            connectors=dict(type="list", elements="str"),
            method=dict(type="str", choices=["auto", "rest", "topic", "group", "file"], default="auto"),
            offset_topic=dict(type="str"),
            history=dict(type="bool", default=False),
            partial=dict(type="bool", default=False),
        ),
        write,
        connect=connect,
        brokers=brokers,
        prepare=read_worker_config,
    )


if __name__ == "__main__":
    main()
