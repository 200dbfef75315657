#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector_state
short_description: Start, pause, stop or restart a Kafka Connect connector and wait until it is a fact
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Declares the state of a connector. Connect answers such a request before anything has happened. This module waits
    until the tasks have followed.
  - Nothing is sent if the connector is in that state already, because every repeated stop rebalances the whole Connect cluster.
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: partial
    details:
      - O(state=restarted) with O(tasks=all) or with numbers restarts at every run. With O(tasks=failed) nothing is restarted unless something failed.
options:
  name:
    description: Name of the connector.
    type: str
    required: true
  state:
    description:
      - V(started) means that Connect shows the connector and all its tasks as RUNNING. What is FAILED is restarted, and it is
        a failure if it fails again.
      - V(paused) means PAUSED. Tasks that exist keep their resources and their position in memory.
      - V(stopped) means STOPPED with no task left. Only then can offsets be changed. Needs Connect 3.5.
      - V(restarted) restarts what O(tasks) says, and waits until it is up again, as RUNNING or PAUSED as it was. It is a failure if it fails again.
        This is what remains to do where a task failed and its cause is removed, as after the offset of a record that a sink cannot process was skipped.
        It does not start a connector that is STOPPED.
    type: str
    choices: [started, paused, stopped, restarted]
    required: true
  tasks:
    description:
      - What O(state=restarted) restarts. V(failed) is the connector and its tasks as far as they are FAILED; nothing is changed if there are none.
        V(all) is the connector and all its tasks, in whatever state. Both need Connect 3.0.
      - A list of numbers, such as V([0, 2]), restarts these tasks and not the connector itself.
      - V(failed) by default. Without O(state=restarted) it is refused.
    type: list
    elements: str
  method:
    description:
      - V(rest) asks Connect. V(strimzi) changes C(spec.state) of the resource from which Strimzi's operator makes the connector, or has it restart by
        annotations there, and waits for what the operator then reports. Restored by V(started) or V(paused), C(spec.state)
        is what it was before V(stopped), also if there was none.
      - V(auto) is V(strimzi) with O(k8s_namespace) or O(resource), else V(rest).
    type: str
    choices: [auto, rest, strimzi]
    default: auto
  resource:
    description:
      - By O(method=strimzi), the resource that has the connector, as C(KafkaConnector/NAME), C(KafkaMirrorMaker2/NAME), or its name alone.
      - By default it is the KafkaConnector with the name of the connector. For a connector of a mirror the namespace is searched for the KafkaMirrorMaker2
        that has it, for which the login needs the right to list those.
    type: str
  force:
    description:
      - Whether to change a connector by REST though it is owned by Strimzi's operator, which sets back what others change.
    type: bool
    default: false
  wait_timeout:
    description: Seconds to wait for the state.
    type: int
    default: 120
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.actiongroup_connect
requirements:
  - kubernetes 28.1 or later for connectors that Strimzi's operator owns
seealso:
  - module: streamops.kafka_connect.connector_offsets
"""

EXAMPLES = r"""
- name: Stop the connector and wait until its tasks are gone
  streamops.kafka_connect.connector_state:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
    state: stopped

- name: Start it again
  streamops.kafka_connect.connector_state:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
    state: started

- name: Restart what failed, now that the record that cannot be processed is skipped
  streamops.kafka_connect.connector_state:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-sink
    state: restarted
    tasks: failed

- name: Restart two tasks
  streamops.kafka_connect.connector_state:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-sink
    state: restarted
    tasks: [0, 2]

- name: Stop a connector that Strimzi's operator owns
  streamops.kafka_connect.connector_state:
    k8s_namespace: kafka
    name: orders-source
    state: stopped
"""

RETURN = r"""
state_before:
  description: The state that was found, in Connect's words.
  returned: success
  type: str
  sample: RUNNING
connector:
  description:
    - The connector after the change, in check mode as it was found.
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
restarted:
  description: What was, or in check mode would be, restarted.
  returned: with O(state=restarted)
  type: dict
  contains:
    connector:
      description: Whether the connector itself was.
      type: bool
      returned: success
    tasks:
      description: Numbers of its tasks that were.
      type: list
      elements: int
      returned: success
  sample:
    connector: false
    tasks: [0, 2]
diff:
  description: What differs, before and after. In check mode it is what would differ.
  returned: with C(--diff)
  type: list
  elements: dict
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.strimzi import connect_or_operator
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connector_state import declare_restarted, declare_state
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError


def declare(client, params, check_mode):
    if params["state"] == "restarted":
        return declare_restarted(client, params["name"], params["tasks"], params["wait_timeout"], check_mode)
    if params["tasks"] is not None:
        raise DeclarationError("tasks belongs to state: restarted.")
    return declare_state(client, params["name"], params["state"], params["wait_timeout"], check_mode, params["force"])


def main():
    run(
        dict(
            name=dict(type="str", required=True),
            state=dict(type="str", choices=["started", "paused", "stopped", "restarted"], required=True),
            tasks=dict(type="list", elements="str"),
            method=dict(type="str", choices=["auto", "rest", "strimzi"], default="auto"),
            resource=dict(type="str"),
            force=dict(type="bool", default=False),
            wait_timeout=dict(type="int", default=120),
        ),
        declare,
        changes=True,
        connect=connect_or_operator(),
    )


if __name__ == "__main__":
    main()
