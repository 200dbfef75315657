#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector_offsets_bulk
short_description: Declare the offsets of many Kafka Connect connectors in one pass
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Makes the changes of a list of connectors of one Connect cluster together, sources and sinks. For each of them it is the same change as by
    M(streamops.kafka_connect.connector_offsets), with the same rules. The role C(reset_offsets) is made of it.
  - All are looked at before the first one is stopped, and what is wrong with one of them keeps all of them from being changed. They are stopped at
    the same time, as each stop makes the whole Connect cluster rebalance, and what goes to the offsets topic, or into a standalone worker's file, is
    read once and written in one transaction.
  - If one of them fails after that, its offsets and its state are rolled back, and the others are made. One that fails only when it is started again
    keeps the change. The message names those that failed. With
    O(change_id) that is so within a group of 25; later groups are not begun then.
  - One document for many connectors is declared by M(streamops.kafka_connect.connector_offsets_import).
attributes:
  check_mode:
    support: full
    details:
      - Sends nothing but GET requests and only reads the offsets topic.
  diff_mode:
    support: full
  idempotent:
    support: partial
    details:
      - With O(change_id) each connector's change is made once. Without it, connectors that run move on from the declared offsets.
options:
  connectors:
    description:
      - What is declared, a dictionary for each connector. A name can be there once.
      - Where nothing else is said, an option means what it means in M(streamops.kafka_connect.connector_offsets).
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the connector.
        type: str
        required: true
      state:
        description:
          - V(present) sets the listed offsets, V(absent) removes them, or all, and V(restored) undoes the change with the name O(change_id), or
            O(connectors[].change_id).
        type: str
        choices: [present, absent, restored]
        default: present
      offsets:
        description: List of pairs of C(partition) and C(offset).
        type: list
        elements: dict
      src:
        description: File with a document of offsets, instead of O(connectors[].offsets).
        type: path
      content:
        description: Such a document given directly, as JSON text or as a structure.
        type: raw
      reset_to:
        description: Symbolic positions, of a sink or of MirrorMaker's source connector; a time of a JDBC source, V(resnapshot) of Debezium.
        type: raw
      topics:
        description: The topics for O(connectors[].reset_to).
        type: list
        elements: raw
      purge:
        description: Whether to remove the offsets of the partitions that are not listed.
        type: bool
        default: false
      change_id:
        description: A name for this connector's change, in place of O(change_id).
        type: str
      final_state:
        description: The state to leave this connector in, in place of O(final_state).
        type: str
        choices: [found, started, paused, stopped]
      max_rewind:
        description: The most that a partition may move backward.
        type: raw
      max_skip:
        description: The most that a partition may move forward.
        type: raw
      direction:
        description: Moves partitions in one direction only.
        type: str
        choices: [forward, backward]
        aliases: [only]
      force:
        description: Whether to do what is refused otherwise.
        type: bool
        default: false
      accept_duplicates:
        description:
          - For MirrorMaker's source connector, whether it is meant that records are copied again which the target has already. Needed where its position
            moves back, on any partition; the message says how many records that are at most. O(connectors[].state=restored) says it as a warning.
        type: bool
        default: false
      consumer_group:
        description: The consumer group of a sink, where neither its configuration nor its name shows it.
        type: str
      raw_keys:
        description: Keys of records on the offsets topic to write tombstones for.
        type: list
        elements: str
      key_order:
        description: On the offsets topic, a partition's fields in the order in which the connector writes them.
        type: list
        elements: str
      boundaries:
        description:
          - Topics that the connector delivers to, whose ends are returned in RV(connectors) as C(boundaries), for a proof of what it has delivered after
            its change. They are read while it is stopped, right before its offsets are changed, and once it has delivered again. It needs
            O(kafka_bootstrap_servers), and is left out where the offsets do not change.
        type: dict
        suboptions:
          topics:
            description: Names of topics, or globs, as of M(streamops.kafka_connect.topic_offsets_info).
            type: list
            elements: str
            required: true
          since:
            description: Also returns where the topics were at this time, as O(streamops.kafka_connect.topic_offsets_info#module:timestamp).
            type: str
          quiet:
            description: It has delivered when no end has moved for this many seconds, and a sink has read everything.
            type: int
            default: 10
          wait:
            description: Seconds to wait for that at most. What has come until then counts, with a warning.
            type: int
            default: 600
  one_by_one:
    description:
      - Whether to change one connector after the other, in the order of O(connectors), so that those after one that fails are not changed. By default all
        are stopped, changed and started together.
    type: bool
    default: false
  final_state:
    description:
      - The state to leave every connector in. V(found) is that in which each was.
    type: str
    choices: [found, started, paused, stopped]
    default: found
  method:
    description:
      - How the offsets are reached, as of M(streamops.kafka_connect.connector_offsets). With V(auto) each connector takes REST where that can do it.
    type: str
    choices: [auto, rest, topic, group, file, strimzi]
    default: auto
  max_entries:
    description:
      - How many partitions of each connector the lists in RV(connectors) and the diff have at most. V(0) lists all.
    type: int
    default: 1000
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._many
  - streamops.kafka_connect._many.check_position
  - streamops.kafka_connect._many.rollback
  - streamops.kafka_connect._worker
  - streamops.kafka_connect._profiles
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.actiongroup_connect
requirements:
  - confluent-kafka for the offsets topic and for consumer groups
  - kubernetes 28.1 or later for connectors that Strimzi's operator owns
seealso:
  - module: streamops.kafka_connect.connector_offsets
  - module: streamops.kafka_connect.connector_offsets_import
"""

EXAMPLES = r"""
- name: Have two connectors read again, and leave out a record of a third one, once
  streamops.kafka_connect.connector_offsets_bulk:
    kafka_connect_url: http://connect.example.com:8083
    change_id: CHG-1234
    stop: true
    backup: true
    connectors:
      - name: orders-source
        offsets:
          - partition: {filename: /data/orders.txt}
            offset: {position: 0}
      - name: customers-source
        state: absent
      - name: orders-sink
        offsets:
          - partition: {kafka_topic: orders, kafka_partition: 0}
            offset: {kafka_offset: 4097}
        max_skip: 1

- name: Undo it
  streamops.kafka_connect.connector_offsets_bulk:
    kafka_connect_url: http://connect.example.com:8083
    change_id: CHG-1234
    stop: true
    connectors:
      - {name: orders-source, state: restored}
      - {name: customers-source, state: restored}
      - {name: orders-sink, state: restored}
"""

RETURN = r"""
connectors:
  description:
    - The connectors in the order of O(connectors). Each has its C(name), and what M(streamops.kafka_connect.connector_offsets) returns of it,
      such as C(changed), C(actions), C(offsets), C(offsets_before), C(method), C(state_before), C(connector), C(already_applied), C(change) and C(position).
    - C(boundaries) is null, or C(stopped), and C(after) the change (null in check mode, or where it could not be read), each with C(cluster_id) and
      C(topics) as M(streamops.kafka_connect.topic_offsets_info) returns them.
    - After a failure, null in the place of those that were not made; in check mode, of those that cannot be predicted.
  returned: unless the list itself is wrong
  type: list
  elements: dict
  sample:
    - name: orders-source
      changed: true
      method: rest
      counts: {set: 1, remove: 0, keep: 0, before: 1, after: 1}
      state_before: RUNNING
counts:
  description: How many partitions of all connectors together were C(set), removed (C(remove)) and left as they were (C(keep)).
  returned: success
  type: dict
  sample: {set: 12, remove: 0, keep: 3}
cluster:
  description: What identifies the cluster, as of M(streamops.kafka_connect.connector_info). Null without a worker to query, and with O(method=strimzi).
  returned: unless the list itself is wrong
  type: dict
examples:
  description:
    - How offsets of connectors are declared, by name, each with C(partition) and C(offset); a live one where there is one. Of the first five
      connectors whose declared offsets are refused for their fields or types.
  returned: in check mode, on failure
  type: dict
  sample:
    orders-source:
      partition: {filename: /data/orders.txt}
      offset: {position: 4096}
failed_connectors:
  description: The connectors that failed, or cannot be changed, and why.
  returned: failure
  type: dict
  sample: {orders-sink: There is no connector orders-sink.}
left_alone:
  description:
    - The connectors that failed and must be left as they are, as another run has taken the change over, or as the ledger could not be updated that it is
      made. The next run with the same O(change_id) finishes it.
  returned: failure
  type: list
  elements: str
backup_file:
  description: The backup written (in check mode, to be written), of all connectors that change. Null without O(backup=true) or without a change.
  returned: success
  type: str
diff:
  description: What differs for each connector that changes, before and after.
  returned: with C(--diff)
  type: list
  elements: dict
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.brokers import brokers, source_clusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.change_options import change_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.strimzi import connect_or_operator
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.strimzi_offsets import strimzi_offsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.worker_config import read_worker_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.bulk import declare
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.session import FINAL_STATES, FOUND


def _connector_options() -> dict:
    return dict(
        name=dict(type="str", required=True),
        state=dict(type="str", choices=["present", "absent", "restored"], default="present"),
        offsets=dict(type="list", elements="dict"),
        src=dict(type="path"),
        content=dict(type="raw"),
        reset_to=dict(type="raw"),
        topics=dict(type="list", elements="raw"),
        purge=dict(type="bool", default=False),
        change_id=dict(type="str"),
        final_state=dict(type="str", choices=FINAL_STATES),
        max_rewind=dict(type="raw"),
        max_skip=dict(type="raw"),
        direction=dict(type="str", choices=["forward", "backward"], aliases=["only"]),
        force=dict(type="bool", default=False),
        accept_duplicates=dict(type="bool", default=False),
        consumer_group=dict(type="str"),
        raw_keys=dict(type="list", elements="str", no_log=False),
        key_order=dict(type="list", elements="str", no_log=False),
        boundaries=dict(type="dict", options=dict(
            topics=dict(type="list", elements="str", required=True),
            since=dict(type="str"),
            quiet=dict(type="int", default=10),
            wait=dict(type="int", default=600),
        )),
    )


def main():
    run(
        dict(
            change_options(),
            connectors=dict(
                type="list", elements="dict", required=True, options=_connector_options(),
                mutually_exclusive=[("offsets", "src", "content", "reset_to")],
                required_if=[("state", "present", ["offsets", "src", "content", "reset_to"], True)]),
            final_state=dict(type="str", choices=FINAL_STATES, default=FOUND),
            one_by_one=dict(type="bool", default=False),
            max_entries=dict(type="int", default=1000),
        ),
        declare,
        changes=True,
        connect=connect_or_operator(strimzi_offsets),
        brokers=brokers,
        sources=source_clusters,
        prepare=read_worker_config,
    )


if __name__ == "__main__":
    main()
