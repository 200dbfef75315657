#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector
short_description: Create, reconfigure or delete a Kafka Connect connector
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Declares that a connector exists with exactly the given configuration, or that it does not exist.
  - To bring about a state such as stopped use M(streamops.kafka_connect.connector_state), for its offsets
    M(streamops.kafka_connect.connector_offsets).
  - Before a configuration is changed a worker validates it (C(PUT /connector-plugins/CLASS/config/validate), which changes nothing). What it refuses is
    a failure with one line for each field.
attributes:
  check_mode:
    support: full
    details:
      - A worker is queried whether it has the connector's class, and validates the configuration. What it would refuse fails in check mode, too.
  diff_mode:
    support: full
    details:
      - Values that look secret are masked. That they changed is visible.
  idempotent:
    support: full
options:
  name:
    description: Name of the connector.
    type: str
    required: true
  state:
    description:
      - V(present) creates the connector, or replaces its configuration where it differs.
      - V(absent) deletes it. Its offsets stay where Connect keeps them, and a new connector of the same name goes on from there.
        To begin afresh use O(purge_offsets=true).
    type: str
    choices: [present, absent]
    default: present
  config:
    description:
      - The whole configuration. What is not listed is removed from a connector that exists.
      - Connect keeps text only, so V(1) and V("1") are the same, and V(true) is the text V(true). A null leaves the name out.
      - Values whose name looks secret (V(password), V(token), V(secret) and the like) are kept out of results and diffs.
      - A value that was masked in a result is refused, as it would take the place of the secret.
    type: dict
  initial_state:
    description:
      - State in which a connector is created that does not exist yet. V(stopped) makes it possible to declare its offsets
        before it ever runs. Without it the connector is started.
      - Has no effect on a connector that exists. Needs Connect 3.7.
    type: str
    choices: [started, paused, stopped]
  purge_offsets:
    description:
      - Under O(state=absent), whether to remove the connector's offsets before it is deleted, while it is STOPPED, as Connect removes none of a
        connector that is deleted. What they were is written to a backup first (RV(backup_file)). Needs Connect 3.6.
      - For a connector that is deleted already, and for older workers, use M(streamops.kafka_connect.connector_offsets) with its
        O(streamops.kafka_connect.connector_offsets#module:state=absent) after the deletion.
    type: bool
    default: false
  wait_timeout:
    description: Seconds to wait for the connector to be known to the worker, or to be gone.
    type: int
    default: 120
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.actiongroup_connect
seealso:
  - module: streamops.kafka_connect.connector_state
  - module: streamops.kafka_connect.connector_offsets
"""

EXAMPLES = r"""
- name: Create a connector that does not run yet
  streamops.kafka_connect.connector:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
    initial_state: stopped
    config:
      connector.class: org.apache.kafka.connect.file.FileStreamSourceConnector
      tasks.max: 1
      file: /data/orders.txt
      topic: orders

- name: Seed its first offset
  streamops.kafka_connect.connector_offsets:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
    offsets:
      - partition: {filename: /data/orders.txt}
        offset: {position: 4096}

- name: Delete it
  streamops.kafka_connect.connector:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
    state: absent

- name: Delete another one and its offsets
  streamops.kafka_connect.connector:
    kafka_connect_url: http://connect.example.com:8083
    name: returns-source
    state: absent
    purge_offsets: true
"""

RETURN = r"""
created:
  description: Whether the connector was, or in check mode would be, created.
  returned: success
  type: bool
connector:
  description:
    - The connector after the change; null if there is none.
  returned: success
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
backup_file:
  description: With O(purge_offsets=true), the backup with the offsets that were removed. Null if there were none.
  returned: with O(state=absent)
  type: str
diff:
  description: What differs, before and after. In check mode it is what would differ.
  returned: with C(--diff)
  type: list
  elements: dict
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.connect import connect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.deletion import declare_absent
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import connector_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.creation import declare_present
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError


def declare(client, params, check_mode):
    if params["state"] == "absent":
        return declare_absent(client, params["name"], params["wait_timeout"], check_mode, params["purge_offsets"])
    if params["purge_offsets"]:
        raise DeclarationError("purge_offsets belongs to state: absent.")
    return declare_present(
        client, params["name"], params["config"], params["initial_state"], params["wait_timeout"], check_mode)


def main():
    run(
        dict(
            name=dict(type="str", required=True),
            state=dict(type="str", choices=["present", "absent"], default="present"),
            config=dict(type="dict"),
            initial_state=dict(type="str", choices=["started", "paused", "stopped"]),
            purge_offsets=dict(type="bool", default=False),
            wait_timeout=dict(type="int", default=120),
        ),
        declare,
        changes=True,
        connect=connect,
        secrets=lambda params: connector_config.secrets(params["config"] or {}),
        required_if=[("state", "present", ["config"])],
    )


if __name__ == "__main__":
    main()
