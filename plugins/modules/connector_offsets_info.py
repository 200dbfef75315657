#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector_offsets_info
short_description: Show the offsets of Kafka Connect connectors
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Shows the offsets of a connector in the form that M(streamops.kafka_connect.connector_offsets) takes, or those of all connectors.
  - Connect shows what was flushed last. The offsets of a running connector can be as old as the worker's
    C(offset.flush.interval.ms), one minute by default.
  - By REST it needs Connect 3.5. From the offsets topic it works with every version, for connectors that are deleted, and without any
    worker; only source connectors keep their offsets there.
  - The offsets of a sink are what its consumer group has committed. With O(kafka_bootstrap_servers) they are shown with every version of Connect and
    also for sinks that are deleted, and beside them where the log begins and ends, how many records are left to read, and who is in the group.
  - Secrets inside of partitions, offsets and keys are masked. What was masked cannot be given back to M(streamops.kafka_connect.connector_offsets), which
    refuses it; an export has it as it is.
options:
  name:
    description:
      - Name of the connector. Without it all connectors are shown.
    type: str
  method:
    description:
      - How the offsets are reached. V(rest) is Connect's REST API, V(topic) the topic on which the workers keep them, V(group) the consumer group of
        a sink (without O(name) of all sinks), V(file) a standalone worker's O(offset_file).
      - V(auto) is V(file) with O(offset_file). Else it takes REST where it shows them, and the topic (of a sink, the group), if
        O(kafka_bootstrap_servers) is given, where it does not (a worker that is too old, a connector that is deleted or cannot be named in a URL,
        records that REST does not show as they are). For all connectors it takes the topic if it can, and REST or the group for the sinks
        among them. RV(method) and RV(method_reason) show which and why.
      - V(strimzi) has Strimzi's operator list the offsets of a connector that it owns, or of all connectors of O(resource). That is also V(auto)
        with O(k8s_namespace) or O(resource).
    type: str
    choices: [auto, rest, topic, group, file, strimzi]
    default: auto
  resource:
    description:
      - By O(method=strimzi), the resource that has the connector, as C(KafkaConnector/NAME), C(KafkaMirrorMaker2/NAME), or its name alone.
      - By default it is the KafkaConnector with the name of the connector. For a connector of a mirror the namespace is searched for the KafkaMirrorMaker2
        that has it, for which the login needs the right to list those.
    type: str
  consumer_group:
    description:
      - The consumer group of a sink. By default the connector's C(consumer.override.group.id), else C(connect-) and its name.
    type: str
  offset_topic:
    description:
      - The workers' C(offset.storage.topic). It is never created.
      - If it is not given, the topic is found by its content, which must have the offsets that REST shows; otherwise the task fails.
      - A connector with an C(offsets.storage.topic) of its own is read there, as the worker does.
    type: str
  history:
    description:
      - Whether to show the older records that are still on the topic as well, up to 100 for each key. Compaction removes them in time.
    type: bool
    default: false
  max_entries:
    description:
      - How many partitions the result lists at most. V(0) lists all of them. Without O(name) all connectors share them evenly.
      - RV(offsets_count) always counts all of them, and RV(truncated) shows whether the list was cut.
    type: int
    default: 1000
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._worker
  - streamops.kafka_connect._profiles
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.info_module
  - streamops.kafka_connect._attributes.actiongroup_connect
requirements:
  - confluent-kafka for the offsets topic and for consumer groups
  - kubernetes 28.1 or later for connectors that Strimzi's operator owns
seealso:
  - module: streamops.kafka_connect.connector_offsets
"""

EXAMPLES = r"""
- name: Look at the offsets
  streamops.kafka_connect.connector_offsets_info:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
  register: live

- name: What was there before? Older records that the topic still has
  streamops.kafka_connect.connector_offsets_info:
    kafka_connect_url: http://connect.example.com:8083
    kafka_bootstrap_servers: [kafka.example.com:9092]
    offset_topic: connect-offsets
    name: orders-source
    history: true

- name: Everything on the topic, with the offsets of connectors that are deleted
  streamops.kafka_connect.connector_offsets_info:
    kafka_connect_url: http://connect.example.com:8083
    kafka_bootstrap_servers: [kafka.example.com:9092]
    offset_topic: connect-offsets
    method: topic
  register: topic

- name: How far behind is a sink, and who reads for it?
  streamops.kafka_connect.connector_offsets_info:
    kafka_connect_url: http://connect.example.com:8083
    kafka_bootstrap_servers: [kafka.example.com:9092]
    name: orders-sink
  register: sink

- name: The partitions that are more than a thousand records behind
  ansible.builtin.debug:
    msg: "{{ sink.positions | selectattr('lag') | selectattr('lag', 'gt', 1000) }}"

- name: Have Strimzi's operator list the offsets of all connectors of a mirror
  streamops.kafka_connect.connector_offsets_info:
    k8s_namespace: kafka
    resource: KafkaMirrorMaker2/east-west
  register: mirror

- name: Which connectors are gone?
  ansible.builtin.debug:
    msg: "{{ topic.connectors | rejectattr('connector_exists') | map(attribute='name') }}"
"""

RETURN = r"""
connectors:
  description:
    - All connectors, by name, each a dictionary with C(name) and the values that are described here for one. By the topic
      also those of which only offsets are left. With O(method=topic) no sinks, with O(method=group) sinks alone.
  returned: without O(name)
  type: list
  elements: dict
orphaned_groups:
  description:
    - Consumer groups that have offsets and no members, and are called as if they were of a sink that this Connect cluster does not have, by
      C(group). Each with the name of such a C(connector), with how many partitions have an offset (C(offsets_count)), and with the C(lag).
    - It is a guess by the name. A group does not show whose it is, and on the same brokers another Connect cluster, or a consumer that is no
      connector, may need it.
    - Null by O(method=rest) and O(method=topic), and without O(kafka_connect_url) or O(kafka_bootstrap_servers).
  returned: without O(name)
  type: list
  elements: dict
  sample:
    - {group: connect-old-sink, connector: old-sink, offsets_count: 6, lag: 1200}
orphaned_groups_count:
  description: How many such groups there are. O(max_entries) cuts the list.
  returned: without O(name)
  type: int
connector_exists:
  description: Whether there is such a connector. Null without O(kafka_connect_url). V(false) with offsets is an orphan.
  returned: with O(name)
  type: bool
method:
  description: The method that was used.
  returned: success
  type: str
  sample: rest
method_reason:
  description: Why the offsets topic or the consumer group was taken. Null otherwise.
  returned: success
  type: str
offsets:
  description: The offsets, sorted by partition. Whole numbers are exact.
  returned: with O(name)
  type: list
  elements: dict
  sample:
    - partition: {filename: /data/orders.txt}
      offset: {position: 4096}
offsets_count:
  description: How many partitions have an offset.
  returned: with O(name)
  type: int
group:
  description:
    - The consumer group of a sink, C(name), C(state) (as Kafka calls it; null if there is no such group on the brokers) and its C(members), each with
      C(client_id), C(host) and the number of C(partitions) that it reads. Null for a source.
    - Without O(kafka_bootstrap_servers), or where these are not the brokers from which it reads, C(name) is what O(consumer_group) or the connector's
      configuration says, and C(state) and C(members) are null.
  returned: with O(name)
  type: dict
  sample:
    name: connect-orders-sink
    state: STABLE
    members:
      - {client_id: connector-consumer-orders-sink-0, host: 10.0.0.7, partitions: 6}
positions:
  description:
    - Of a sink, with O(kafka_bootstrap_servers), every partition that it reads or has an offset for. C(committed) is its offset, null if it has none,
      C(begin) and C(end) are what the log holds, C(lag) is how many records are left to read at most (null if there are records, but no offset),
      C(member) the client id of who reads it.
  returned: with O(name)
  type: list
  elements: dict
  sample:
    - {topic: orders, partition: 0, committed: 41, begin: 0, end: 50, lag: 9, member: connector-consumer-orders-sink-0}
positions_count:
  description: How many partitions those are.
  returned: with O(name)
  type: int
lag:
  description:
    - The sum of all C(lag) in RV(positions), cut or not. Without O(name) the sum over all sinks where it is known. Partitions with records and without
      an offset are no part of it, which is a warning.
    - Null for a source, without O(kafka_bootstrap_servers), and for a sink that has no offset at all, but records to read.
  returned: success
  type: int
unreadable:
  description:
    - By REST, partitions that the worker lists without a value. Their records have other key bytes than the worker would build, so REST
      can neither show nor change them (or the connector has its own C(offsets.storage.topic), which lacks them). An empty list is no
      proof. Once another tool has changed such a partition by REST, the worker shows what that tool wrote.
    - From the topic, partitions whose value is no offset.
  returned: with O(name)
  type: list
  elements: dict
unreadable_count:
  description: How many of those there are.
  returned: with O(name)
  type: int
truncated:
  description: Whether O(max_entries) has cut RV(offsets).
  returned: with O(name)
  type: bool
anomalies:
  description:
    - Partitions whose records are not as a worker alone would have left them. Empty by REST, which does not see records.
    - C(kinds) has V(split) (the same key on several topic partitions), V(encodings) (several spellings of the key), V(foreign) (a
      spelling that no worker of today uses), V(order) (fields in an order that REST cannot reach) and V(stray_tombstone) (a
      tombstone on another topic partition than the live record).
  returned: with O(name)
  type: list
  elements: dict
  sample:
    - partition: {filename: /data/orders.txt}
      kinds: [encodings, foreign]
      records:
        - topic_partition: 1
          record_offset: 812
          time: "2026-01-31T12:00:00.000Z"
          key: '["orders-source",{"filename":"/data/orders.txt"}]'
          offset: {position: 4096}
          tombstone: false
          encoding: connect
          shown: true
anomalies_count:
  description: How many such partitions there are.
  returned: with O(name)
  type: int
newest:
  description: The offset that was written last, with its C(partition) and C(time). Null by REST and of a file, which have no times.
  returned: with O(name)
  type: dict
  sample:
    partition: {filename: /data/orders.txt}
    offset: {position: 4096}
    time: "2026-01-31T12:00:00.000Z"
unreadable_records:
  description:
    - Live records whose key names this connector, but no partition that could be read. C(key) is what
      O(streamops.kafka_connect.connector_offsets#module:raw_keys) takes.
  returned: with O(name)
  type: list
  elements: dict
history:
  description: With O(history=true), for each partition its records, newest first.
  returned: with O(name)
  type: list
  elements: dict
  sample:
    - partition: {filename: /data/orders.txt}
      records:
        - topic_partition: 1
          record_offset: 812
          time: "2026-01-31T12:00:00.000Z"
          key: '["orders-source",{"filename":"/data/orders.txt"}]'
          offset: {position: 4096}
          tombstone: false
topic:
  description:
    - The topic that was read, C(name) and C(partitions). Without O(name) also its C(cleanup_policy), how many C(records) were read, of
      how many different keys (C(key_count)), and the C(unreadable_records) of all connectors and of none, with C(unreadable_count). Null by REST.
    - By O(method=file) it is the file, as if it was a topic with one partition.
  returned: success
  type: dict
  sample: {name: connect-offsets, partitions: 25}
profile:
  description:
    - What a connector of this class stores, as far as the collection or O(kafka_connect_profiles) knows it; null otherwise. C(name) and C(title), C(shapes)
      with the fields of C(partition) and C(offset) (each C(name), C(type), C(meaning), C(unit)), the C(position) among them and an earlier version's end
      (C(until)), what happens without an offset (C(absent)), where else it keeps its position (C(stores)), settings by which it does not start from its offset
      (C(overrides)), C(hints), an C(example) with a live partition where there is one, where all that is from (C(source)), and whether it was read in the
      source code (C(verified)).
  returned: with O(name)
  type: dict
  sample:
    name: filestream-source
    title: FileStream source
    verified: true
    source: org.apache.kafka.connect.file.FileStreamSourceTask of Kafka 4.3.1
    absent: the file is read from its beginning
    shapes:
      - partition: [{name: filename, type: string, meaning: "the option file, spelled as in the configuration"}]
        offset: [{name: position, type: int64, required: true, unit: byte, meaning: "bytes of the file that are read, from 0; the start of a line"}]
        position: {fields: [position], compare: number, means: next}
        order: hash
        until: null
        now: null
    stores: []
    overrides: []
    hints: []
    example:
      partition: {filename: /data/orders.txt}
      offset: {position: 4096}
connector:
  description:
    - The connector; null if it does not exist.
  returned: with O(name)
  type: dict
  contains:
    name:
      description: Its name.
      type: str
      returned: success
    type:
      description: V(source), V(sink), or V(unknown) if the worker lacks its plugin.
      type: str
      returned: success
    state:
      description: V(RUNNING), V(PAUSED), V(STOPPED), V(FAILED), V(UNASSIGNED) or V(RESTARTING).
      type: str
      returned: success
    worker_id:
      description: The worker that runs the connector instance.
      type: str
      returned: success
    version:
      description: Version of the plugin, from Connect 4.1 on.
      type: str
      returned: success
    trace:
      description: Why it is V(FAILED). Null otherwise.
      type: str
      returned: success
    tasks:
      description: Its tasks, each with C(id), C(state), C(worker_id) and, if it failed, C(trace).
      type: list
      elements: dict
      returned: success
  sample:
    name: orders-source
    type: source
    state: STOPPED
    worker_id: 10.0.0.7:8083
    version: 4.3.1
    tasks: []
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.brokers import brokers
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import worker_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.strimzi import connect_or_operator
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.strimzi_offsets import strimzi_offsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.worker_config import read_worker_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_info import OffsetsInfo
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import Catalog


def show(client, kafka, params, check_mode):
    info = OffsetsInfo(client, kafka, params["method"], params["offset_topic"], params["history"], params["max_entries"],
                       params["consumer_group"], params["offset_file"], Catalog(params["kafka_connect_profiles"]))
    return info.all() if params["name"] is None else info.one(params["name"])


def main():
    run(
        dict(
            worker_options(),
            kafka_connect_profiles=dict(type="raw", aliases=["profiles"]),
            name=dict(type="str"),
            method=dict(type="str", choices=["auto", "rest", "topic", "group", "file", "strimzi"], default="auto"),
            resource=dict(type="str"),
            consumer_group=dict(type="str"),
            offset_topic=dict(type="str"),
            history=dict(type="bool", default=False),
            max_entries=dict(type="int", default=1000),
        ),
        show,
        connect=connect_or_operator(strimzi_offsets),
        brokers=brokers,
        prepare=read_worker_config,
    )


if __name__ == "__main__":
    main()
