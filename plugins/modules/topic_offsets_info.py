#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topic_offsets_info
short_description: Show where the partitions of Kafka topics begin and end
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Shows for each partition of topics the offset of the first record that is still there and the offset after the last one, and
    where it was at a time.
  - Taken while a connector is stopped, the ends are the boundary between what was delivered before a change of its offsets and what
    comes after it.
  - It reads no records, creates no topic and joins no group. Only the brokers are queried, so O(kafka_connect_url) is not needed.
options:
  topics:
    description:
      - Names of topics, or globs with C(*), C(?) and C([abc]).
      - A name that does not exist is an error. A glob that no topic fits is a warning.
      - Globs leave out topics whose names begin with C(__), which are Kafka's own. They can be named.
    type: list
    elements: str
    required: true
  cluster:
    description:
      - The alias of one of O(kafka_connect_source_clusters), if the topics are there and not on the cluster of O(kafka_bootstrap_servers).
    type: str
  timestamp:
    description:
      - Also show the offset of the first record of this time or later. Milliseconds since the epoch, or a time with its time zone, such as
        V(2026-01-31T12:00:00Z), V(2026-01-31 13:00 +01:00) or V(2026-01-31 13:00 Europe/Berlin), or a length of time back from now, such as V(2h) or
        V(P1D).
      - Digits that mean a time before 2001 are refused, as they are seconds most likely. A time before the first record of a topic, or after the last
        one, is a warning.
      - The time is that of the record (C(CreateTime), set by its producer, unless the topic says C(LogAppendTime)), so records need not be in
        its order.
      - A time is no exact boundary. The markers that end transactions have the broker's time, and the answer can be the offset of one
        or lie in a batch of aborted records. For an exact boundary use the ends, taken while nothing writes.
    type: str
  isolation:
    description:
      - Which end to show. V(read_committed) is where a reader of committed records gets to, so an open transaction holds it back.
        V(read_uncommitted) is the end of the log.
    type: str
    choices: [read_committed, read_uncommitted]
    default: read_committed
  quiet:
    description:
      - Wait until no end has moved for this many seconds, so that a connector that was started has delivered what it had to. Choose it
        longer than the connector takes to begin, and than the pauses between its polls.
      - When O(wait_timeout) is over, the ends are shown as they are then, and RV(quiet) is V(false).
    type: int
    default: 0
  wait_timeout:
    description: Seconds for that wait. It has no effect without O(quiet).
    type: int
    default: 120
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.info_module
  - streamops.kafka_connect._attributes.actiongroup_connect
requirements:
  - confluent-kafka
notes:
  - It always needs O(kafka_bootstrap_servers), or O(cluster) and O(kafka_connect_source_clusters), and the permission Describe on the topics.
seealso:
  - module: streamops.kafka_connect.connector_offsets
  - module: streamops.kafka_connect.connector_offsets_info
"""

EXAMPLES = r"""
- name: Where do the connector's topics end, now that it is stopped?
  streamops.kafka_connect.topic_offsets_info:
    kafka_bootstrap_servers: [kafka.example.com:9092]
    topics: [orders, "shop.*"]
  register: boundary

- name: Where were they at noon?
  streamops.kafka_connect.topic_offsets_info:
    kafka_bootstrap_servers: [kafka.example.com:9092]
    topics: [orders]
    timestamp: "2026-01-31T12:00:00Z"
  register: noon

- name: Wait until the connector has delivered everything, and where do its topics end then?
  streamops.kafka_connect.topic_offsets_info:
    kafka_bootstrap_servers: [kafka.example.com:9092]
    topics: [orders]
    quiet: 10
  register: after
"""

RETURN = r"""
cluster_id:
  description: The id of the Kafka cluster.
  returned: success
  type: str
  sample: 4L6g3nShT-eMCtK--X86sw
timestamp:
  description: O(timestamp) in milliseconds since the epoch. Null if it was not given.
  returned: success
  type: int
quiet:
  description: Whether no end moved for the seconds of O(quiet). Null if that was not requested.
  returned: success
  type: bool
topics:
  description: The topics, by name. Each is listed once.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      type: str
      returned: success
    partitions:
      description:
        - Its partitions. C(begin) is the offset of the first record that is still there, C(end) the one after the last record.
        - C(by_time) is the offset of the first record of O(timestamp) or later; null if there is none, or without O(timestamp).
      type: list
      elements: dict
      returned: success
    records_at_most:
      description:
        - The sum of all C(end) minus C(begin). There are fewer records where compaction removed some, and on transactional topics,
          as each marker takes an offset, too.
      type: int
      returned: success
  sample:
    - name: orders
      partitions:
        - {partition: 0, begin: 100, end: 250, by_time: 180}
      records_at_most: 150
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.brokers import brokers, cluster_asked, source_clusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.topic_offsets import READ_COMMITTED, READ_UNCOMMITTED, topic_offsets


def show(kafka, sources, params, check_mode):
    return topic_offsets(cluster_asked(kafka, sources, params["cluster"]), params["topics"], params["timestamp"] or None, params["isolation"],
                         params["quiet"], params["wait_timeout"])


def main():
    run(
        dict(
            topics=dict(type="list", elements="str", required=True),
            cluster=dict(type="str"),
            timestamp=dict(type="str"),
            isolation=dict(type="str", choices=[READ_COMMITTED, READ_UNCOMMITTED], default=READ_COMMITTED),
            quiet=dict(type="int", default=0),
            wait_timeout=dict(type="int", default=120),
        ),
        show,
        brokers=brokers,
        sources=source_clusters,
    )


if __name__ == "__main__":
    main()
