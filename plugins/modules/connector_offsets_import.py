#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector_offsets_import
short_description: Declare the offsets of many Kafka Connect connectors by one document
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Declares the offsets that a document holds for one, some or all of its connectors, sources and sinks, in one pass. This is the other half of
    the tool that KIP-199 proposed; M(streamops.kafka_connect.connector_offsets_export) writes such documents.
  - For each connector it is the same change as by M(streamops.kafka_connect.connector_offsets) with O(src), with the same rules. Made together, they
    are looked at before the first one is stopped, and what is wrong with one of them keeps all of them from being changed. They are stopped
    at the same time, and what goes to the offsets topic, or into a standalone worker's file, is read once and written in one transaction.
  - Partitions that the document does not mention stay, unless O(purge=true). A null offset removes.
  - If one of them fails after that, its offsets and its state are rolled back, and the others are made. One that fails only when it is started again
    keeps the change. The message names those that failed.
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
  src:
    description:
      - File with the document. It is read where the module runs.
      - Taken are an export or a backup of this collection, a JSON object from connector names to lists of pairs (KIP-199), and of a single connector
        an answer of C(GET /connectors/NAME/offsets), Strimzi's C(offsets.json), or a plain list of pairs.
      - An export contains class and version of each connector. If a connector is another one here, that is a warning, and offsets that lack fields of
        the live ones are refused without O(force=true), as those of documents in other formats are.
      - An export is refused if it holds fewer or more pairs than it was written with, and, without O(force=true), if it was written on another
        Kafka cluster or of a connector of the other type.
    type: path
  content:
    description:
      - The same document given directly, as JSON text or as a structure.
    type: raw
  connectors:
    description:
      - Names of connectors, or globs with C(*), C(?) and C([abc]). By default all that the document holds. One that fits none is an error.
      - Needed, as a single name, where the document does not say of which connector it is.
    type: list
    elements: str
  purge:
    description:
      - Whether to remove the offsets of a connector's partitions that the document does not mention.
    type: bool
    default: false
  seed:
    description:
      - Whether offsets are also declared for connectors that do not exist, and wait for those that are created with these names. Needs
        O(kafka_bootstrap_servers). Otherwise such a name fails the task, unless its offsets are as declared already, as for deleted connectors
        when an export is imported into the cluster that it came from.
      - Without a worker to query it is not known which ones exist, and the option has no effect.
    type: bool
    default: false
  force:
    description:
      - As of M(streamops.kafka_connect.connector_offsets), for documents of another cluster, offsets that cannot be confirmed, and offsets with other
        types or fewer fields than the live ones.
    type: bool
    default: false
  accept_duplicates:
    description:
      - For MirrorMaker's source connector, whether it is meant that records are copied again which the target has already. Needed where its position
        moves back, on any partition; the message says how many records that are at most.
    type: bool
    default: false
  final_state:
    description:
      - The state to leave every connector of the import in. V(found) is that in which each was.
    type: str
    choices: [found, started, paused, stopped]
    default: found
  method:
    description:
      - How the offsets are reached, as of M(streamops.kafka_connect.connector_offsets). With V(auto) each connector takes REST where that can do it.
      - V(topic) writes those of all sources in one transaction, which is the fastest for many connectors; those of sinks are set by their consumer
        groups then.
    type: str
    choices: [auto, rest, topic, group, file, strimzi]
    default: auto
  max_entries:
    description:
      - How many partitions of each connector C(actions) in RV(connectors) and the diff list at most. V(0) lists all.
    type: int
    default: 20
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
  - module: streamops.kafka_connect.connector_offsets_export
  - module: streamops.kafka_connect.connector_offsets
"""

EXAMPLES = r"""
- name: Look what an export would change
  streamops.kafka_connect.connector_offsets_import:
    kafka_connect_url: http://connect.example.com:8083
    kafka_bootstrap_servers: [kafka.example.com:9092]
    src: /backup/connect-offsets.json
    stop: true
  check_mode: true
  diff: true

- name: Put the offsets of a lost cluster where its workers will look for them, before they are started
  streamops.kafka_connect.connector_offsets_import:
    kafka_bootstrap_servers: [kafka.example.com:9092]
    offset_topic: connect-offsets
    method: topic
    assume_stopped: true
    src: /backup/connect-offsets.json
    connectors: ["orders-*"]
"""

RETURN = r"""
connectors:
  description: The connectors whose offsets were declared, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      type: str
      returned: success
    changed:
      description: Whether its offsets, or its state, were changed.
      type: bool
      returned: success
    already_applied:
      description: Whether O(change_id) had been made before.
      type: bool
      returned: success
    actions:
      description: What was done with each partition that changed, as of M(streamops.kafka_connect.connector_offsets).
      type: list
      elements: dict
      returned: success
    counts:
      description: How many partitions were C(set), removed (C(remove)) and left as they were (C(keep)), and how many there were C(before) and C(after).
      type: dict
      returned: success
    method:
      description: The method that was used.
      type: str
      returned: success
    connector_exists:
      description: Whether there is such a connector. Null without a worker to query.
      type: bool
      returned: success
    state_before:
      description: The state in which it was found.
      type: str
      returned: success
    state:
      description: Its state after the change.
      type: str
      returned: success
    type:
      description: V(source) or V(sink). Null if there is none.
      type: str
      returned: success
    position:
      description: Whether it goes on from the declared offsets, as of M(streamops.kafka_connect.connector_offsets). Null where that was not looked at.
      type: dict
      returned: success
    failed_tasks:
      description: Numbers of the tasks that are FAILED now.
      type: list
      elements: int
      returned: success
counts:
  description: The same numbers for all connectors together.
  returned: success
  type: dict
  sample: {set: 12, remove: 0, keep: 3}
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
  description: The connectors that failed, and why.
  returned: failure
  type: dict
backup_file:
  description: The backup written (in check mode, to be written). Null without O(backup=true) or without a change.
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
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_import import declare
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.session import FINAL_STATES, FOUND


def main():
    run(
        dict(
            change_options(),
            src=dict(type="path"),
            content=dict(type="raw"),
            connectors=dict(type="list", elements="str"),
            purge=dict(type="bool", default=False),
            seed=dict(type="bool", default=False),
            force=dict(type="bool", default=False),
            accept_duplicates=dict(type="bool", default=False),
            final_state=dict(type="str", choices=FINAL_STATES, default=FOUND),
            max_entries=dict(type="int", default=20),
        ),
        declare,
        changes=True,
        connect=connect_or_operator(strimzi_offsets),
        brokers=brokers,
        sources=source_clusters,
        prepare=read_worker_config,
        mutually_exclusive=[("src", "content")],
        required_one_of=[("src", "content")],
    )


if __name__ == "__main__":
    main()
