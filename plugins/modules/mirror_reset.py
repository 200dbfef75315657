#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: mirror_reset
short_description: Have MirrorMaker 2 copy topics again
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Resets the position of a mirror for some topics, or for all of them, with everything that belongs to it. It stops the connectors of the mirror, sets the
    positions, deletes or empties the copies where that is asked for, and restores the states of the connectors.
  - Everything is looked at before the first connector is stopped. What fails before a topic was deleted or emptied is undone for every connector, and
    the message says what could not be. What fails after that is not undone, as records would be missing in the copies; the message says what is left to do,
    and the same task again finishes it.
  - It takes MirrorMaker as connectors on a Connect cluster and in its dedicated mode, whose nodes have to be down.
  - The role C(mirror_reset) uses it for both phases, and compares the copies with the source.
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: partial
    details:
      - With O(change_id) the reset is made once. Without it every run resets again.
options:
  phase:
    description:
      - V(reset) resets the mirror.
      - V(finish) waits until a mirror that was reset, and runs, has copied everything that the source had at the time, and starts the connectors that wait
        for that. It needs O(boundary_file), and takes no other option but O(catch_up_timeout), O(wait_timeout) and O(offset_topic).
    type: str
    choices: [reset, finish]
    default: reset
  connectors:
    description:
      - Names of the C(MirrorSourceConnector)s of one mirror. Their checkpoint connectors are found by the same aliases, and may be named, too.
      - By default those of the only mirror that the Connect cluster has, in dedicated mode C(MirrorSourceConnector).
    type: list
    elements: str
    default: []
  topics:
    description: Names of topics on the source cluster.
    type: list
    elements: str
    default: []
  all:
    description: Whether the whole mirror is meant, instead of O(topics). Heartbeats are left alone.
    type: bool
    default: false
  reset_to:
    description: Where copying goes on, as of M(streamops.kafka_connect.connector_offsets).
    type: raw
    default: earliest
  target:
    description:
      - What becomes of the records that the copies have. V(keep) leaves them, so what is copied again is there twice.
      - V(emptied) removes all of them; offsets go on, and consumer groups keep theirs.
      - V(recreated) deletes the copies, which MirrorMaker creates again, and the topic of checkpoints, which would stall. Consumer groups lose their offsets of
        the copies. The checkpoint connector stays stopped until O(phase=finish), if the mirror runs.
    type: str
    choices: [keep, emptied, recreated]
    default: keep
  accept_duplicates:
    description: Whether it is meant that records are on the target twice. Needed where positions go back with O(target=keep).
    type: bool
    default: false
  offset_syncs:
    description: Whether to delete the topic of offset-syncs while the mirror is stopped. Mostly there is no need.
    type: bool
    default: false
  force:
    description: Whether to delete topics that a sink of the Connect cluster reads which is not stopped.
    type: bool
    default: false
  offset_topic:
    description:
      - The topic with the offsets. C(mm2-offsets.ALIAS.internal) means a dedicated MirrorMaker.
      - Of connectors it is the workers' C(offset.storage.topic). If it is not given, the topic is found by its content.
    type: str
  kafka_connect_group:
    description:
      - The workers' C(group.id), as of M(streamops.kafka_connect.connector_offsets).
      - If not set, the variable of the host with this name is used.
    type: str
    aliases: [connect_group]
  change_id:
    description: A name for the change, under which it is made once.
    type: str
  requested_by:
    description: Who requests the change, for the ledger.
    type: str
  ledger:
    description: Where changes with a O(change_id) are remembered, as of M(streamops.kafka_connect.connector_offsets).
    type: str
    choices: [auto, topic, file, none]
    default: auto
  ledger_topic:
    description: The topic for O(ledger=topic). If there is none it is created.
    type: str
    default: connect-offset-changes
  ledger_file:
    description: The file for O(ledger=file). If there is none it is created.
    type: path
  boundary_file:
    description:
      - File to write, with mode 0600, which says where source and copies ended while the mirror was stopped. O(phase=finish) reads it.
      - Backups of the offsets are written beside it, with the connector's name and C(.backup.json) added to its name. Without it they are in
        C(~/.local/share/streamops-kafka-connect/backups).
    type: path
  catch_up_timeout:
    description: Seconds until the mirror has to have caught up, for O(phase=finish). V(0) does not wait.
    type: int
    default: 3600
  settle:
    description: Seconds after a change, with the connector still stopped, after which its offsets are read once more.
    type: int
    default: 0
  wait_timeout:
    description: Seconds for each other wait, for tasks or a topic to be gone, or a state to be restored.
    type: int
    default: 120
  max_entries:
    description: How many partitions of each connector RV(connectors) and the diff have at most. V(0) lists all.
    type: int
    default: 1000
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.actiongroup_connect
requirements:
  - confluent-kafka
notes:
  - It always needs O(kafka_bootstrap_servers), which are those of the target, and reaches the source as the configuration of the connector says, or as
    O(kafka_connect_source_clusters) lists it.
seealso:
  - module: streamops.kafka_connect.mirror_info
  - module: streamops.kafka_connect.connector_offsets
  - module: streamops.kafka_connect.topic
"""

EXAMPLES = r"""
- name: Have a topic copied again, into a new copy
  streamops.kafka_connect.mirror_reset:
    kafka_connect_url: http://connect.west.example.com:8083
    kafka_bootstrap_servers: [kafka.west.example.com:9092]
    topics: [orders]
    target: recreated
    change_id: CHG-1250
    boundary_file: /var/lib/kafka/CHG-1250.json
  register: reset

- name: Wait until all is copied
  streamops.kafka_connect.mirror_reset:
    kafka_connect_url: http://connect.west.example.com:8083
    kafka_bootstrap_servers: [kafka.west.example.com:9092]
    phase: finish
    boundary_file: "{{ reset.boundary_file }}"
  when: reset.needed and reset.runs
"""

RETURN = r"""
mirror:
  description: The mirror, as C(SOURCE->TARGET).
  returned: success
  type: str
  sample: east->west
needed:
  description: Whether there is anything to do. If not, nothing is stopped.
  returned: success
  type: bool
plan:
  description: What is done, as text.
  returned: success
  type: list
  elements: str
  sample: ["east-west (east->west): 0 positions are set, 4 removed, 8 stay"]
connectors:
  description:
    - By C(MirrorSourceConnector) its C(connector) (the name), C(changed), C(counts), C(actions), C(method), C(change_id), C(already_applied) and
      C(backup_file) as of M(streamops.kafka_connect.connector_offsets), and C(state), the state to which it is restored.
  returned: success
  type: list
  elements: dict
topics:
  description: The topics that are meant, by their names on the source.
  returned: success
  type: list
  elements: str
deleted:
  description: Topics that were deleted.
  returned: success
  type: list
  elements: str
emptied:
  description: Topics whose records were removed.
  returned: success
  type: list
  elements: str
runs:
  description: Whether the mirror runs afterwards. One that was not running is left so.
  returned: success
  type: bool
boundary:
  description:
    - Where source and copies end. C(topics) has for each topic of the source its C(target) (the copy, null if its name is not known), its C(connector) and
      its C(partitions), by number with C(next) (the next record to copy), C(end) (of the source) and C(boundary) (the end of the copy).
    - C(source) is the alias of the source, C(source_cluster) how to reach it, or null, C(deferred) the connectors that wait for O(phase=finish).
  returned: success
  type: dict
boundary_file:
  description: The file with that. Null if nothing changed.
  returned: success
  type: str
left:
  description: The C(records) and C(partitions) that were left to copy, after a wait. Null if there was none.
  returned: success, or failure to catch up in time
  type: dict
diff:
  description: What differs, before and after. In check mode it is what would differ.
  returned: with C(--diff)
  type: list
  elements: dict
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.brokers import brokers, cluster_asked, source_clusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.change_options import change_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.connect import connect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import of_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.execute import execute_one
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.session import Session
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset import Clusters, Finish, MirrorReset
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset_choice import EMPTIED, KEEP, RECREATED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import AUTO, TOPIC

#: options of connector_offsets that say what is declared, as they are where they are not given
_NOT_GIVEN = dict(
    state="present", offsets=None, src=None, content=None, copy_from=None, rewrite=None, reset_to=None, topics=None, purge=False, max_rewind=None,
    max_skip=None, direction=None, force=False, consumer_group=None, raw_keys=None, key_order=None)


def _offsets(connect_client, kafka, sources, params: dict, dedicated: bool):
    """(check_mode, **options) -> the result of connector_offsets."""
    defaults = {name: option.get("default") for name, option in change_options().items()}
    same = dict(
        defaults, **{name: value for name, value in params.items() if name not in _NOT_GIVEN})
    same.update(_NOT_GIVEN, method=TOPIC if dedicated else AUTO, assume_stopped=dedicated, stop=True, rollback=False,
                # Copies that are emptied or created again have each record once.
                accept_duplicates=params["accept_duplicates"] or params["target"] != KEEP)

    def declare(check_mode, **options):
        given = dict(same, **options)
        return execute_one(Session(connect_client, kafka, sources, given), of_options(given, None), check_mode)

    return declare


def reset(connect_client, kafka, sources, params, check_mode):
    params.update((name, [one.strip() for one in params[name] if one.strip()]) for name in ("connectors", "topics"))
    clusters = Clusters(connect_client, cluster_asked(kafka, sources, None), sources, params)
    if params["phase"] == "finish":
        return Finish(clusters, params).run(check_mode)
    return MirrorReset(clusters, params, _offsets(connect_client, kafka, sources, params, clusters.is_dedicated)).run(check_mode)


def main():
    same = change_options()
    run(
        dict(
            {name: same[name] for name in ("change_id", "requested_by", "ledger_topic", "ledger_file", "settle", "offset_topic", "kafka_connect_group",
                                           "wait_timeout")},
            phase=dict(type="str", choices=["reset", "finish"], default="reset"),
            connectors=dict(type="list", elements="str", default=[]),
            topics=dict(type="list", elements="str", default=[]),
            all=dict(type="bool", default=False),
            reset_to=dict(type="raw", default="earliest"),
            target=dict(type="str", choices=[KEEP, EMPTIED, RECREATED], default=KEEP),
            accept_duplicates=dict(type="bool", default=False),
            offset_syncs=dict(type="bool", default=False),
            force=dict(type="bool", default=False),
            ledger=dict(type="str", choices=["auto", "topic", "file", "none"], default="auto"),
            boundary_file=dict(type="path"),
            catch_up_timeout=dict(type="int", default=3600),
            max_entries=dict(type="int", default=1000),
        ),
        reset,
        changes=True,
        connect=connect,
        brokers=brokers,
        sources=source_clusters,
    )


if __name__ == "__main__":
    main()
