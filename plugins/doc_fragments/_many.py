# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may use it, its content can change at any time.

from __future__ import annotations


class ModuleDocFragment:
    # How the changes of many connectors are made together.
    DOCUMENTATION = r"""
options:
  change_id:
    description:
      - A name for the change, under which it is made once for each connector, and can be undone by
        M(streamops.kafka_connect.connector_offsets) with O(streamops.kafka_connect.connector_offsets#module:state=restored).
      - A run that was killed half-way is finished by the next one with the same name.
      - Changes that are given none are recorded under one that is made for the run, as by M(streamops.kafka_connect.connector_offsets).
    type: str
  ledger:
    description:
      - Where changes are recorded, as of M(streamops.kafka_connect.connector_offsets).
      - Connectors whose changes are recorded are changed 25 at a time, each of these groups in one transaction; with V(none) all together.
    type: str
    choices: [auto, topic, file, configmap, none]
    default: auto
  ledger_topic:
    description:
      - The topic for O(ledger=topic). If there is none it is created.
    type: str
    default: connect-offset-changes
  ledger_file:
    description:
      - The file for O(ledger=file), as of M(streamops.kafka_connect.connector_offsets). If there is none it is created.
    type: path
  ledger_configmap:
    description:
      - The ConfigMap for O(ledger=configmap). If there is none it is created.
    type: str
    default: connect-offset-changes
  requested_by:
    description:
      - Who requests the change, for the ledger.
    type: str
  settle:
    description:
      - Seconds after the change, with the connectors still stopped, after which their offsets are read once more, and written again where a task that
        was given up has written over them.
    type: int
    default: 0
  resource:
    description:
      - By O(method=strimzi), the KafkaMirrorMaker2 that has all of the connectors. Without it, which connectors there are is seen in the namespace, for
        which the login needs the right to list KafkaConnectors and KafkaMirrorMaker2s.
    type: str
  offset_topic:
    description:
      - The workers' C(offset.storage.topic). If it is not given, the topic is found by its content.
    type: str
  kafka_connect_group:
    description:
      - The workers' C(group.id), as of M(streamops.kafka_connect.connector_offsets).
      - If not set, the variable of the host with this name is used.
    type: str
    aliases: [connect_group]
  assume_stopped:
    description:
      - For work without O(kafka_connect_url). You say that no worker runs these connectors.
    type: bool
    default: false
  stop:
    description:
      - Whether connectors that are not STOPPED may be stopped for the change. Without it one that runs fails the task.
    type: bool
    default: false
  backup:
    description:
      - Whether to write the offsets found, of all connectors that change, to one file (mode 0600) before they are changed. It is such a document again.
    type: bool
    default: false
  backup_file:
    description:
      - The file for O(backup=true), without which it is ignored. It must not exist. By default a file with the time in its name, in
        C(~/.local/share/streamops-kafka-connect/backups).
    type: path
  wait_timeout:
    description:
      - Seconds for each wait, for the tasks to be gone, for a rebalance to end, for the state to be restored.
    type: int
    default: 120
"""

    # Of one connector, too.
    ROLLBACK = r"""
options:
  rollback:
    description:
      - What becomes of a connector that fails when it runs again after its offsets were changed. With V(true) its offsets and its state are rolled back as
        they were, and the module fails; a connector that had failed before as well stays as it is then. With V(false) the declared offsets stay.
    type: bool
    default: true
"""

    # Of one connector, too.
    CHECK_POSITION = r"""
options:
  check_position:
    description:
      - Whether a connector that runs again after the change is watched, for at most O(check_position_timeout) seconds, as to whether it
        goes on from the declared offsets. What it commits first decides it. The result has the verdict as C(position.verdict).
      - V(taken) says that the first commit lies behind the declared offset. V(ignored) says that it does not, or that it commits under other
        partitions alone. V(own_position) says that it goes on from a place of its own, as sinks do that seek to what they have stored
        elsewhere. V(stuck) says that nothing was committed though there is something to read. V(cannot_tell) says that nothing was committed, and that
        this may be right, or that nothing tells which of two offsets comes first.
      - Connectors that are changed together are watched together, those with a change id in groups of 25.
      - With V(warn) the verdicts C(ignored), C(own_position) and C(stuck) are warnings that say what to do, with V(fail) failures. Nothing is rolled back
        because of them, and offsets are not changed again.
      - A connector that fails while it is watched is treated as one that fails at once when it runs again, see O(rollback).
    type: str
    choices: [none, warn, fail]
    default: none
  check_position_timeout:
    description:
      - Seconds for O(check_position). It ends as soon as the commits have shown it. Workers commit every 60 seconds by default
        (C(offset.flush.interval.ms)); with less time than that, V(stuck) says little.
    type: int
    default: 75
"""
