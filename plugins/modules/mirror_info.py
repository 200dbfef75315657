#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: mirror_info
short_description: Show how far MirrorMaker 2 is
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Shows the flows of MirrorMaker 2 into a Kafka cluster, and for each topic and partition of their sources how far the copy is, how much is
    left to copy and how long it has waited, and what went away before it was copied.
  - MirrorMaker's consumers have no group, so nothing that watches consumer groups shows this lag. The position is in the offsets of the
    C(MirrorSourceConnector), as with every source connector.
  - It takes MirrorMaker as connectors on a Connect cluster (with O(kafka_connect_url)) and in its dedicated mode C(connect-mirror-maker) (without it),
    whose nodes need not be up.
  - Positions are as fresh as the last flush of the workers (C(offset.flush.interval.ms), one minute by default). RV(flows[].stored_at) shows when
    each one was stored, so the real lag of a mirror that runs is mostly smaller.
options:
  name:
    description: Name of a C(MirrorSourceConnector). Without it all of them are shown.
    type: str
  topics:
    description: Names of topics on the source clusters, or globs with C(*), C(?) and C([abc]). Without it all that are replicated are shown.
    type: list
    elements: str
  offset_topic:
    description:
      - Where the positions are, on the cluster of O(kafka_bootstrap_servers). It is never created.
      - Of connectors it is the workers' C(offset.storage.topic). If it is not given, the topic is found by its content. Where it cannot be
        read, the positions are those that REST shows, and RV(flows[].method_reason) shows why.
      - Of a dedicated MirrorMaker it is C(mm2-offsets.ALIAS.internal), with the alias of the source. If it is not given, all such topics are read.
    type: str
  lag_time:
    description:
      - Whether to return how long records have waited. For this the first waiting record of each partition is read, which needs the
        permission Read on the topics of the source.
      - It also shows where only offsets without records are left, such as the markers of transactions. The lag is then V(0).
    type: bool
    default: true
  records:
    description: Whether to list what is on the topics of offset-syncs and checkpoints, decoded.
    type: bool
    default: false
  max_entries:
    description:
      - How many partitions the result lists at most. V(0) lists all of them. Several flows share them evenly.
      - The sums always count all of them, and RV(flows[].truncated) shows whether the list was cut.
    type: int
    default: 1000
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
  - Needs the permissions Describe and Read on the offsets topic, on C(ALIAS.checkpoints.internal) and C(heartbeats) of the target, Describe and Read
    on the replicated topics of the source, and Describe and Read on C(mm2-offset-syncs.ALIAS.internal), by default of the source. For a dedicated
    MirrorMaker also on C(mm2-configs.ALIAS.internal). What is missing is left out with a warning.
  - Consumer groups on the target that are beyond the end of a copy are a warning, if the user may Describe them.
seealso:
  - module: streamops.kafka_connect.connector_offsets
  - module: streamops.kafka_connect.connector_offsets_info
"""

EXAMPLES = r"""
- name: How far are the mirrors of a Connect cluster?
  streamops.kafka_connect.mirror_info:
    kafka_connect_url: http://connect.west.example.com:8083
    kafka_bootstrap_servers: [kafka.west.example.com:9092]
    kafka_connect_source_clusters:
      - alias: east
        bootstrap_servers: [kafka.east.example.com:9092]
  register: mirror

- name: Nothing may wait for more than ten minutes, and nothing may be lost
  ansible.builtin.assert:
    that:
      - mirror.flows | map(attribute='lag_ms') | select('number') | select('gt', 600000) | length == 0
      - mirror.flows | map(attribute='lost') | select('number') | sum == 0

- name: A dedicated MirrorMaker, of which there is no REST
  streamops.kafka_connect.mirror_info:
    kafka_bootstrap_servers: [kafka.west.example.com:9092]
    offset_topic: mm2-offsets.east.internal
    topics: ["orders*"]
"""

RETURN = r"""
flows:
  description: The flows, one for each C(MirrorSourceConnector), by its name.
  returned: success
  type: list
  elements: dict
  contains:
    source:
      description: Alias of the cluster that is copied from.
      type: str
      returned: success
    target:
      description: Alias of the cluster that is copied to. Null if the connector's configuration is not known.
      type: str
      returned: success
    connector:
      description: Name of the connector.
      type: str
      returned: success
    mode:
      description: V(connect) for a connector on Connect workers, V(dedicated) for a dedicated MirrorMaker.
      type: str
      returned: success
    state:
      description: State of the connector. Null in dedicated mode, where there is no worker to query.
      type: str
      returned: success
    nodes:
      description:
        - In dedicated mode the workers that run the connector or its tasks, in words, as the brokers list them. A mirror from another source to the same
          cluster has a connector of the same name, and counts, too.
        - Null if they do not show it, and for a connector on Connect workers.
      type: list
      elements: str
      returned: success
    policy:
      description: V(default) or V(identity), by C(replication.policy.class). Null for any other one, and if it is not known.
      type: str
      returned: success
    offset_topic:
      description: The topic that the positions were read from. Null by REST.
      type: str
      returned: success
    method:
      description: V(topic) if the positions were read from the offsets topic, else V(rest).
      type: str
      returned: success
    method_reason:
      description: Why the offsets topic was not read. Null otherwise.
      type: str
      returned: success
    error:
      description:
        - Why it is not known what the source cluster holds. Null if it is. The positions are shown all the same.
        - If it is the only flow, the task fails instead.
      type: str
      returned: success
    stored_at:
      description: When the newest position was stored. Null by REST, which has no times.
      type: str
      returned: success
    lag:
      description: The sum over all partitions. Null if it is not known of any of them.
      type: int
      returned: success
    lag_ms:
      description: Milliseconds that the oldest record has waited, over all partitions. Null without O(lag_time), unless nothing waits.
      type: int
      returned: success
    lost:
      description: The sum over all partitions.
      type: int
      returned: success
    topics:
      description:
        - The same for each topic, with C(topic), the name of its C(copy) on the target (null if it is not known), the number of its C(partitions),
          C(lag), C(lag_ms) and C(lost), and C(statuses), how many partitions have which status.
      type: list
      elements: dict
      returned: success
    partitions:
      description: The partitions that are replicated or have a position.
      type: list
      elements: dict
      returned: success
      contains:
        topic:
          description: Its topic on the source.
          type: str
          returned: success
        partition:
          description: Its number.
          type: int
          returned: success
        offset:
          description: What is stored, the offset of the last record that was copied. Null if nothing is.
          type: int
          returned: success
        next_offset:
          description: Offset of the next record to copy. Null if nothing is stored.
          type: int
          returned: success
        begin:
          description: Offset of the first record on the source.
          type: int
          returned: success
        end:
          description: Offset after the last record there, for a reader of committed records.
          type: int
          returned: success
        lag:
          description:
            - Records that wait, at most, C(end) minus C(next_offset). There are fewer where compaction removed some, and on transactional
              topics, as each marker takes an offset, too.
            - Null if the position is beyond the end.
          type: int
          returned: success
        lag_ms:
          description: The age of the first record that waits, by the record's own time. Null if it was not read, or has no time.
          type: int
          returned: success
        lost:
          description: Records that went away before they were copied, at most.
          type: int
          returned: success
        skipped:
          description: Offsets after the position of which none is a record, so that nothing waits. Null if there are records, or it was not looked up.
          type: int
          returned: success
        status:
          description:
            - V(ok) if nothing waits, V(behind) if something does, V(new) if there is no position yet.
            - V(lost) if the log begins after the position, as its records were deleted before they were copied.
            - V(beyond) if the log ends before the position, as when the topic was deleted and made again.
            - Null if the source could not be queried.
          type: str
          returned: success
        stored_at:
          description: When the position was stored. Null by REST.
          type: str
          returned: success
    partitions_count:
      description: How many partitions there are.
      type: int
      returned: success
    orphans:
      description:
        - Offsets of the connector that move nothing, each with C(partition), C(offset), the C(reason) and a C(detail) in words.
        - The reason is V(gone) (no such topic or partition on the source), V(left_out) (the connector's own filters), V(former_alias) (another
          source alias than that of today), V(no_partition) or V(unreadable).
      type: list
      elements: dict
      returned: success
    orphans_count:
      description: How many of those there are.
      type: int
      returned: success
    truncated:
      description: Whether O(max_entries) has cut a list.
      type: bool
      returned: success
    offset_syncs:
      description:
        - The topic of offset-syncs, which map offsets of the source to those of the target. C(topic) is its name, C(at) is V(source) or V(target),
          C(exists) whether it is there (null if it could not be read), C(records) how many records it has.
        - C(unreadable) counts keys whose last record cannot be decoded, C(tombstones) records without a value, which MirrorMaker cannot read.
        - With O(records) C(partitions) lists them, each with C(topic), C(partition), C(upstream) and C(downstream).
      type: dict
      returned: success
    checkpoints:
      description:
        - The topic of checkpoints, with the offsets of consumer groups as they are on the target. As above, and C(groups) names the groups.
        - With O(records) C(partitions) lists them, each with C(group), C(topic) (on the target), C(partition), C(upstream), C(downstream) and
          C(metadata).
      type: dict
      returned: success
    heartbeat:
      description: The C(time) of the newest heartbeat of the flow on the target, and C(age_ms), its age. Null if there is none.
      type: dict
      returned: success
  sample:
    - source: east
      target: west
      connector: east-west
      mode: connect
      state: RUNNING
      nodes: null
      policy: default
      offset_topic: connect-offsets
      method: topic
      method_reason: null
      error: null
      stored_at: "2026-01-31T12:00:00.000Z"
      lag: 9
      lag_ms: 61000
      lost: 0
      topics:
        - {topic: orders, copy: east.orders, partitions: 1, lag: 9, lag_ms: 61000, lost: 0, statuses: {behind: 1}}
      partitions:
        - topic: orders
          partition: 0
          offset: 40
          next_offset: 41
          begin: 0
          end: 50
          lag: 9
          lag_ms: 61000
          lost: 0
          skipped: null
          status: behind
          stored_at: "2026-01-31T12:00:00.000Z"
      partitions_count: 1
      orphans: []
      orphans_count: 0
      truncated: false
      offset_syncs: {topic: mm2-offset-syncs.west.internal, at: source, exists: true, records: 12, unreadable: 0, tombstones: 0}
      checkpoints: {topic: east.checkpoints.internal, exists: true, records: 4, unreadable: 0, tombstones: 0, groups: [billing]}
      heartbeat: {time: "2026-01-31T12:00:09.000Z", age_ms: 800}
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.brokers import brokers, source_clusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.connect import connect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.report import MirrorInfo


def show(client, kafka, sources, params, check_mode):
    info = MirrorInfo(client, kafka, sources, params["offset_topic"] or None, params["topics"], params["lag_time"], params["records"],
                      params["max_entries"])
    return info.result(params["name"] or None)


def main():
    run(
        dict(
            name=dict(type="str"),
            topics=dict(type="list", elements="str"),
            offset_topic=dict(type="str"),
            lag_time=dict(type="bool", default=True),
            records=dict(type="bool", default=False),
            max_entries=dict(type="int", default=1000),
        ),
        show,
        connect=connect,
        brokers=brokers,
        sources=source_clusters,
    )


if __name__ == "__main__":
    main()
