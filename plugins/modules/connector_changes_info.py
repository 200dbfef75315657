#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector_changes_info
short_description: Show what was changed of connectors' offsets, when and by whom
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Shows the ledger, in which M(streamops.kafka_connect.connector_offsets) and the modules for many connectors record every change.
  - Secrets inside of partitions and offsets are masked here, not in the ledger itself.
  - It writes nothing, and creates no topic and no file. A ledger that does not exist yet is empty.
options:
  connector:
    description:
      - Name of the connector. Without it the changes of all connectors are shown.
    type: str
  change_id:
    description:
      - Show this change only.
    type: str
  automatic:
    description:
      - Whether to show changes that were given no C(change_id), under the id that was made for them, such as V(auto-20261130T141500Z-3f2a). Of each connector
        the last 20 are kept.
    type: bool
    default: true
  ledger:
    description:
      - Where the ledger is kept. V(topic) is a topic of the Kafka cluster, V(file) a file, V(configmap) a ConfigMap beside the resources of Strimzi.
      - V(auto) is V(file) if O(ledger_file), or the file of a standalone worker, is given, else V(configmap) if O(k8s_namespace) is given, else
        V(topic) if O(kafka_bootstrap_servers) is given, else V(file). With brokers the changes that lie in the file of the user are shown, too.
    type: str
    choices: [auto, topic, file, configmap]
    default: auto
  ledger_topic:
    description:
      - The topic for O(ledger=topic).
    type: str
    default: connect-offset-changes
  ledger_file:
    description:
      - The file for O(ledger=file), on the machine where the module runs. By default the one that
        M(streamops.kafka_connect.connector_offsets) uses.
    type: path
  ledger_configmap:
    description:
      - The ConfigMap for O(ledger=configmap).
    type: str
    default: connect-offset-changes
  offset_file:
    description:
      - The file of a standalone worker's offsets, on the machine where the module runs. By default the ledger is beside it, with C(.changes.jsonl)
        after its name.
    type: path
  worker_config:
    description:
      - A worker's property file, on the machine where the module runs, which has O(offset_file) or the brokers.
    type: path
  kafka_connect_group:
    description:
      - The C(group.id) of the Connect cluster's workers, if the changes were declared with it. On a topic, and in the file by default, these are kept
        apart from others of connectors of the same name.
      - If not set, the variable of the host with this name is used.
    type: str
    aliases: [connect_group]
  max_entries:
    description:
      - How many offsets C(before) and C(after) of each change list at most. V(0) lists all of them. C(partitions) always counts all.
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
  - confluent-kafka for a ledger on a topic
  - kubernetes 28.1 or later for a ledger in a ConfigMap
notes:
  - For a ledger on a topic the user needs the permissions Read and Describe on it.
  - One change that cannot be understood ends the task if O(connector) names its connector; else it is left out with a warning.
seealso:
  - module: streamops.kafka_connect.connector_offsets
  - module: streamops.kafka_connect.connector_offsets_info
"""

EXAMPLES = r"""
- name: What was done to this connector?
  streamops.kafka_connect.connector_changes_info:
    kafka_connect_url: http://connect.example.com:8083
    kafka_bootstrap_servers: [kafka.example.com:9092]
    connector: orders-source
  register: done

- name: Was anything begun and not ended?
  ansible.builtin.assert:
    that: done.counts.started == 0

- name: Look at one change in the file of a user without access to the brokers
  streamops.kafka_connect.connector_changes_info:
    kafka_connect_url: http://connect.example.com:8083
    connector: orders-source
    change_id: CHG-1234
  register: one

- name: What was done to the file of a standalone worker?
  streamops.kafka_connect.connector_changes_info:
    offset_file: /var/lib/kafka/connect.offsets
"""

RETURN = r"""
ledger:
  description: The kind of ledger that was looked at, V(topic), V(file) or V(configmap).
  returned: success
  type: str
where:
  description: Where it is, as text.
  returned: success
  type: str
  sample: the topic connect-offset-changes
counts:
  description: How many of RV(changes) are in each phase, and the C(total).
  returned: success
  type: dict
  sample: {started: 0, applied: 1, restored: 0, total: 1}
changes:
  description: The changes, oldest first.
  returned: success
  type: list
  elements: dict
  contains:
    connector:
      description: Name of the connector.
      type: str
      returned: success
    change_id:
      description: The name of the change.
      type: str
      returned: success
    automatic:
      description: Whether the id was made, as the change was given none.
      type: bool
      returned: success
    phase:
      description: V(started), V(applied), or V(restored) if it was undone. V(started) is left by a run that did not come to its end.
      type: str
      returned: success
    times:
      description: When it got into each phase, in UTC.
      type: dict
      returned: success
    who:
      description: Who did it, as far as it is known.
      type: dict
      returned: success
    method:
      description: How the offsets were changed, such as V(rest), V(topic) or V(group).
      type: str
      returned: success
    type:
      description: V(source) or V(sink).
      type: str
      returned: success
    partitions:
      description: How many partitions it touches.
      type: int
      returned: success
    before:
      description: The offsets before the change, null where there was none. They can be declared again as they are.
      type: list
      elements: dict
      returned: success
    after:
      description: The offsets that were declared, null where one was removed.
      type: list
      elements: dict
      returned: success
    digest:
      description: Distinguishes the declared offsets from others under the same O(change_id).
      type: str
      returned: success
    cluster:
      description: What identifies the cluster.
      type: dict
      returned: success
    offset_topic:
      description: The offsets topic that was written to; null by REST.
      type: str
      returned: success
    state_to_restore:
      description: The state that the connector has to be restored to, null if none.
      type: str
      returned: success
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.brokers import brokers
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import worker_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.strimzi import connect_or_operator
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.worker_config import read_worker_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.report import changes_info
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.select import AUTO, DEFAULT, LEDGERS, NONE, beside_file, open_ledger


def show(client, kafka, params, check_mode):
    return changes_info(open_ledger(beside_file(params), client, kafka), params["connector"] or None, params["change_id"] or None, params["max_entries"],
                        params["automatic"])


def main():
    run(
        dict(
            worker_options(),
            connector=dict(type="str"),
            change_id=dict(type="str"),
            automatic=dict(type="bool", default=True),
            ledger=dict(type="str", choices=[one for one in LEDGERS if one != NONE], default=AUTO),
            ledger_topic=dict(type="str", default="connect-offset-changes"),
            ledger_file=dict(type="path"),
            ledger_configmap=dict(type="str", default=DEFAULT),
            kafka_connect_group=dict(type="str", aliases=["connect_group"]),
            max_entries=dict(type="int", default=1000),
        ),
        show,
        connect=connect_or_operator(),
        brokers=brokers,
        prepare=read_worker_config,
    )


if __name__ == "__main__":
    main()
