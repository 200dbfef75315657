#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector_offsets_info
short_description: Show the offsets of a Kafka Connect connector
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Shows the offsets that Connect holds for a connector, in the form that M(streamops.kafka_connect.connector_offsets) takes.
  - Connect shows what was flushed last. The offsets of a running connector can be as old as the worker's
    C(offset.flush.interval.ms), one minute by default.
  - Needs Connect 3.5.
options:
  name:
    description: Name of the connector.
    type: str
    required: true
  method:
    description:
      - The road to the offsets. V(rest) is Connect's REST API. V(auto) takes the best of the roads there are, which so far
        is always V(rest).
    type: str
    choices: [auto, rest]
    default: auto
  max_entries:
    description:
      - How many partitions the result lists at most. V(0) lists all of them.
      - RV(offsets_count) always counts all of them, and RV(truncated) tells whether the list was cut.
    type: int
    default: 1000
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.info_module
  - streamops.kafka_connect._attributes.actiongroup_connect
seealso:
  - module: streamops.kafka_connect.connector_offsets
"""

EXAMPLES = r"""
- name: Look at the offsets
  streamops.kafka_connect.connector_offsets_info:
    connect_url: http://connect.example.com:8083
    name: orders-source
  register: live
"""

RETURN = r"""
exists:
  description: Whether there is such a connector.
  returned: success
  type: bool
method:
  description: The road that was taken.
  returned: success
  type: str
  sample: rest
offsets:
  description: The offsets, sorted by partition. Whole numbers are exact.
  returned: success
  type: list
  elements: dict
  sample:
    - partition: {filename: /data/orders.txt}
      offset: {position: 4096}
offsets_count:
  description: How many partitions have an offset.
  returned: success
  type: int
unreadable:
  description:
    - Partitions that the worker lists without a value. Their records have other key bytes than the worker would build, so REST
      can neither show nor change them (or the connector has its own C(offsets.storage.topic), which lacks them).
    - An empty list is no proof. Once another tool has changed such a partition by REST, the worker shows what that tool wrote.
  returned: success
  type: list
  elements: dict
unreadable_count:
  description: How many of those there are.
  returned: success
  type: int
truncated:
  description: Whether O(max_entries) has cut RV(offsets).
  returned: success
  type: bool
connector:
  description:
    - The connector; null if it does not exist.
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
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connectors import read_offsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._module import run


def main():
    run(
        dict(
            name=dict(type="str", required=True),
            method=dict(type="str", choices=["auto", "rest"], default="auto"),
            max_entries=dict(type="int", default=1000),
        ),
        lambda client, params, check_mode: read_offsets(client, params["name"], params["max_entries"]),
    )


if __name__ == "__main__":
    main()
