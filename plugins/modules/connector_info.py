#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector_info
short_description: Show Kafka Connect connectors with their state, tasks and configuration
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Shows one, several or all connectors of a Kafka Connect cluster, in one request, and what identifies the cluster.
options:
  name:
    description:
      - Names of connectors, or globs such as V(orders-*), not regular expressions. Case counts. All connectors if left out.
      - A name without a connector is no failure. It is listed in RV(missing).
      - A name that holds a comma must be given as an element of a list, as Ansible splits a single text at commas.
    type: list
    elements: str
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.info_module
  - streamops.kafka_connect._attributes.actiongroup_connect
seealso:
  - module: streamops.kafka_connect.connector_offsets_info
"""

EXAMPLES = r"""
- name: Look at all connectors of the cluster
  streamops.kafka_connect.connector_info:
    kafka_connect_url: http://connect.example.com:8083
  register: all_connectors

- name: Look at those of one team
  streamops.kafka_connect.connector_info:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-*
  register: orders

- name: Stop here unless every one of them runs
  ansible.builtin.assert:
    that: orders.connectors | rejectattr("state", "equalto", "RUNNING") | list | length == 0
"""

RETURN = r"""
exists:
  description: Whether any connector fits.
  returned: success
  type: bool
missing:
  description: Those of O(name) that fit no connector.
  returned: success
  type: list
  elements: str
cluster:
  description: What identifies the Connect cluster.
  returned: success
  type: dict
  contains:
    url:
      description: The URL of the worker that has answered.
      type: str
      returned: success
    version:
      description: Its version.
      type: str
      returned: success
    commit:
      description: The commit that it was built from.
      type: str
      returned: success
    kafka_cluster_id:
      description: The id of the Kafka cluster that the workers keep their connectors, offsets and states on.
      type: str
      returned: success
    workers:
      description:
        - Addresses (C(host:port)) of the workers that run connectors or tasks, of all connectors, or ran them last. Two URLs with the same
          RV(cluster.kafka_cluster_id) and a worker in common lead to the same Connect cluster.
      type: list
      elements: str
      returned: success
  sample:
    url: http://connect.example.com:8083
    version: 4.3.1
    commit: 66e5904c8d40d9c2
    kafka_cluster_id: 5L6g3nShT-eMCtK--X86sw
    workers: [10.0.0.7:8083, 10.0.0.8:8083]
connectors:
  description: The connectors, sorted by name.
  returned: success
  type: list
  elements: dict
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
    config:
      description: Its configuration. Values that look secret are masked, references to a config provider are not.
      type: dict
      returned: success
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.connect import connect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connectors import list_connectors


def main():
    run(
        dict(name=dict(type="list", elements="str")),
        lambda client, params, check_mode: list_connectors(client, params["name"]),
        connect=connect,
    )


if __name__ == "__main__":
    main()
