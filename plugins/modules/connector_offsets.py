#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: connector_offsets
short_description: Declare the offsets of a Kafka Connect connector
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Compares the declared offsets of a connector with the live ones, changes what differs, and reads back what is live then.
  - The connector has to be STOPPED for a change; O(stop=true) stops it for the change and restores its state.
  - If anything fails, offsets and state are restored, or the message says what is left to do.
  - By REST it needs Connect 3.6. Given brokers it works with every version, for deleted connectors, and for records that REST does not reach.
  - Types count for a source. V(4), V("4") and V(4.0) are three values, and whole numbers stay exact up to 64 bits.
  - Permissions on topics and consumer groups that are missing are named before anything is changed, as far as brokers show them.
  - Secrets inside of partitions and offsets (passwords in URLs, C(password=), C(token=), C(sig=) and the like) are masked in results, diffs and
    messages. A masked text that is given back is refused. Backups (mode 0600) and what is written are exact.
  - A signal (SIGINT, SIGTERM) before the first write gives the change up and restores the state found. After it the change is brought to its end.
attributes:
  check_mode:
    support: full
    details:
      - Sends nothing but GET requests and only reads the offsets topic. The rules of the connector's own plugin are known only to the real run.
      - For a connector that is running the prediction rests on the offsets that Connect flushed last.
  diff_mode:
    support: full
  idempotent:
    support: partial
    details:
      - With O(change_id) a change is made once. Without it, a connector that runs moves on from the declared offsets, and the same task
        then sets them again.
options:
  name:
    description: Name of the connector.
    type: str
    required: true
  state:
    description:
      - What shall be there afterwards.
      - V(present) sets the listed partitions. All others stay, unless O(purge=true).
      - V(absent) removes the offsets of the listed partitions, or all if O(offsets), O(src) and O(content) list none. The connector then reads as if for the
        first time. A reset on the offsets topic also removes records whose keys name the connector and are no partitions.
      - V(restored) undoes the change O(change_id). Partitions that it did not touch stay. It is refused if the connector was changed under another id since,
        unless O(force=true). A warning says how much is delivered again.
    type: str
    choices: [present, absent, restored]
    default: present
  offsets:
    description:
      - The declared offsets, a list of pairs with C(partition) and C(offset), as RV(offsets) returns them.
      - The fields are the connector's own. A sink has C(kafka_topic) and C(kafka_partition), and C(kafka_offset) for the next record to read.
      - A declared offset replaces the whole offset of its partition. One that lacks fields of the live offset, or has another type, is refused, unless
        O(force=true).
      - MirrorMaker has C(cluster), C(topic) and C(partition), and C(offset) for the last record that was copied, or C(next_offset) for the record to copy
        next. V(0) of that removes the offset. It is compared with the source cluster, see O(kafka_connect_source_clusters).
      - Under O(state=absent) C(offset) may be left out. A list as JSON text belongs into O(content).
      - Without quotes YAML reads V(12:30) as 750 and V(yes) as true.
    type: list
    elements: dict
  reset_to:
    description:
      - A symbolic position instead of O(offsets), for sinks, for MirrorMaker, and for a few sources. For a sink it needs O(kafka_bootstrap_servers), for
        MirrorMaker the source cluster.
      - V(earliest) is the first record that is still in the log, V(latest) the one that comes next.
      - A dictionary with C(timestamp) goes to the first record of this time or later, else to the end. It is a time with its zone, such as
        V(2026-01-31T12:00:00Z) or V(2026-01-31 13:00 Europe/Berlin), or milliseconds since the epoch.
      - A dictionary with C(duration) goes to the same, counted back from now, such as V(2h), V(1d12h) or V(PT2H).
      - A dictionary with C(shift_by) goes so many records away from what is committed, back with a negative number, but never out of the log.
      - It is for all partitions of all topics that the connector reads, or those of O(topics). Of a deleted sink and of MirrorMaker these are the topics for
        which there are offsets.
      - Of a JDBC source in the modes C(timestamp) and C(timestamp+incrementing), C(timestamp) and C(duration) set all partitions for which there are offsets,
        so that rows of this time or later are read again. It needs no brokers.
      - V(resnapshot) has a Debezium connector begin with a snapshot. It removes all of its offsets, and is refused where its C(snapshot.mode) reads no data
        without an offset. The warning names the alternative that moves nothing, a signal.
      - A symbolic position means other numbers with every run. With O(change_id) it is made once.
    type: raw
  topics:
    description:
      - The topics for O(reset_to), each its name, or a dictionary with C(name) and C(partitions), a list of numbers.
    type: list
    elements: raw
  purge:
    description:
      - Whether to remove the offsets of the partitions that are not listed, so that exactly the declared ones are left.
    type: bool
    default: false
  stop:
    description:
      - Whether a connector that is not STOPPED may be stopped for the change. It is restored to the state found afterwards,
        also if the change fails. Nothing is stopped if there is nothing to change.
      - A connector that runs again commits new offsets at once. To reset one and then delete it, stop it by
        M(streamops.kafka_connect.connector_state) instead.
    type: bool
    default: false
  final_state:
    description:
      - The state to leave the connector in. After a failure the state found is restored in any case.
      - For a connector that is deleted, and without a worker to query, only those count that are about the state found.
    type: str
    choices:
      found: The state in which it was, of one that was stopped by O(stop=true).
      found_later: One that was stopped is left so, and the ledger remembers the state found. The same task with V(found) restores it.
      leave: One that was stopped is left so. Others are as they were.
      started: It runs, whether its offsets were changed or not.
      paused: It is paused, whether its offsets were changed or not.
      stopped: It is stopped, whether its offsets were changed or not.
      put_back: Former name of V(found).
      put_back_later: Former name of V(found_later).
    default: found
    aliases: [after_change]
  change_id:
    description:
      - An id for this change of this connector, which is then made once, however often the task runs and however far the connector has moved on.
      - With the same id and another declaration the task fails.
      - The ledger records what was declared, what was there before, when, and by whom. The next run with the id finishes one that was killed. A second run at
        the same time waits.
      - O(state=restored) undoes it. After that it stays undone, also if it is declared again.
      - A change without one is recorded under an id that is made for it, such as V(auto-20261130T141500Z-3f2a). Of each connector the last 20 of these are
        kept.
    type: str
  direction:
    description:
      - Move partitions in one direction only. The others stay as they are, which is no failure.
      - With V(forward) a task that skips a record can run again at any time. A connector that is beyond it is left alone.
    type: str
    choices: [forward, backward]
    aliases: [only]
  max_rewind:
    description:
      - The most that a partition may move backward, in the connector's own unit (records of a sink, bytes of a file). A change that moves one further is
        refused.
      - A change that removes an offset, sets one that was not there, or whose distance is not known, is refused as well. The same holds for O(max_skip) and
        O(direction).
      - Text of digits is taken as well. Empty text means not given.
    type: raw
  max_skip:
    description:
      - The most that a partition may move forward, like O(max_rewind). What is skipped is not delivered.
    type: raw
  backup:
    description:
      - Whether to write the offsets found to a file (mode 0600) before the first change.
    type: bool
    default: false
  backup_file:
    description:
      - The file for O(backup=true), without which it is ignored. It must not exist. By default a file with the connector's name and the time, in
        C(~/.local/share/streamops-kafka-connect/backups).
    type: path
  src:
    description:
      - File with a JSON document of offsets, instead of O(offsets). It is read where the module runs.
      - It is a backup or an export of this collection, a JSON object from connector names to lists of pairs (KIP-199), an answer of C(GET
        /connectors/NAME/offsets), or a list of pairs. A null offset removes the partition's offset.
      - A backup that was cut short or edited is refused. So is one of another Kafka cluster or type of connector, unless O(force=true).
    type: path
  content:
    description:
      - Such a document itself, as JSON text or as a structure.
    type: raw
  copy_from:
    description:
      - Name of another connector whose offsets are declared for this one, also of a deleted one. With O(src) or O(content) it is the name in that document.
      - The other connector keeps its offsets. With O(change_id) they are copied once.
    type: str
  rewrite:
    description:
      - Rules that put the offsets of O(copy_from), O(src) or O(content) under other partitions, one after the other.
      - Each has C(field), the name of a field, and either C(to), its new value, or C(name), its new name. C(from) limits a rule to one value of the field.
        C(add=true) adds the field where it is missing.
      - A rule that fits no partition fails the task, and so do two partitions that become the same.
      - One rule with C(migrate) moves offsets of this connector itself to the partitions that a newer version uses. The guide on what connectors store lists
        them. C(values) has the fields that are new, C(from) the values of the partition to take where several would become one.
    type: list
    elements: dict
  accept_duplicates:
    description:
      - For MirrorMaker's source connector, whether it is meant that records are copied again which the target has already. Needed where its position
        moves back, on any partition; the message says how many records that are at most. O(state=restored) says it as a warning.
    type: bool
    default: false
  force:
    description:
      - Make these refusals warnings.
      - Offsets of a source with other types than the live ones, or without some of their fields.
      - A backup of another Kafka cluster, or of a connector of the other type.
      - For a sink, offsets outside of the log, and those of topics that it does not read by its configuration.
      - For MirrorMaker, offsets that its source cluster does not confirm, and those of a checkpoint or heartbeat connector, which never reads them.
      - By O(method=file), a position of FileStreamSource that its file does not have.
      - Another method than V(strimzi) for a connector that Strimzi's operator owns.
      - An O(offset_topic) that another Connect cluster may use, which has a connector of the same name.
      - Under O(state=restored), an undo of a connector that was changed under another id since.
    type: bool
    default: false
  method:
    description:
      - How the offsets are read and changed. RV(method) and RV(method_reason) say which one was used and why.
      - V(auto) is V(file) with O(offset_file), V(strimzi) with O(k8s_namespace) or O(resource), else V(rest) where the worker can make the change, else
        V(topic), or V(group) of a sink, if O(kafka_bootstrap_servers) is given.
      - V(rest) is Connect's REST API. It cannot make the change on Connect before 3.6, for a deleted connector, for a name with C(/), C(%) or C(\\) on
        Connect 4, and for partitions whose records have other key bytes than the worker builds.
      - V(topic) is the topic on which the workers keep the offsets of sources. Keys are written byte for byte as they were found, where they were found, all
        in one transaction.
      - V(group) is the consumer group of a sink, which must have no members. To remove single offsets the group is deleted and the others are committed again
        at once; a backup is written before.
      - V(file) is the file of a standalone worker, O(offset_file). The task fails if such a worker runs on this machine or O(kafka_connect_url) answers,
        unless O(assume_stopped=true).
      - V(strimzi) has Strimzi's operator (0.44 or later) make the change. To list offsets changes an annotation for a moment, also in check mode, where a
        worker is queried instead if O(kafka_connect_url) is given. With another method O(k8s_namespace) or O(resource) serve to find out whether an operator
        owns the connector, which is refused then without O(force=true).
    type: str
    choices: [auto, rest, topic, group, file, strimzi]
    default: auto
  settle:
    description:
      - Seconds after the change, with the connector still stopped, after which its offsets are read once more, and written again if they were overwritten.
      - A task that did not end in time is given up by the worker, but commits its own offset when it ends.
    type: int
    default: 0
  wait_timeout:
    description:
      - Seconds for each wait, for the tasks to be gone, for a rebalance to end, for the state to be restored. O(kafka_connect_timeout) is for
        each single request.
    type: int
    default: 120
  max_entries:
    description:
      - How many partitions RV(offsets), RV(offsets_before), RV(actions) and the diff list at most, changes first. V(0) lists all.
      - RV(counts) always counts all of them, and RV(truncated) shows whether a list was cut.
    type: int
    default: 1000
  ledger:
    description:
      - Where changes are recorded. Runs of one change have to use the same ledger.
      - V(topic) is a compacted topic, O(ledger_topic), for several controllers. V(configmap) is O(ledger_configmap), for O(method=strimzi). V(file) is
        O(ledger_file), for runs on one machine.
      - V(auto) is V(file) if O(ledger_file) is given, else V(configmap) with O(method=strimzi), else V(topic) if O(kafka_bootstrap_servers) is given, else
        V(file). For a change without a O(change_id) it creates no topic.
      - V(none) records nothing, and cannot go with O(change_id). A change without an id is made also where it cannot be recorded, with a warning.
    type: str
    choices: [auto, topic, file, configmap, none]
    default: auto
  ledger_topic:
    description:
      - The topic for O(ledger=topic). If there is none it is created, compacted, with one partition and the cluster's default of replicas. A topic
        with another C(cleanup.policy) is refused.
      - If several Connect clusters share it and have connectors of the same name, O(kafka_connect_group) distinguishes them.
    type: str
    default: connect-offset-changes
  ledger_file:
    description:
      - The file of JSON lines for O(ledger=file), on the machine where the module runs. If there is none it is created.
      - By default it is C(changes.jsonl) below C($XDG_STATE_HOME/streamops.kafka_connect) (C(~/.local/state) without that variable), in a folder for the
        Kafka cluster, and for O(kafka_connect_group) if it is given. A job of AWX loses it with its disk, which is a warning. With O(method=file) it is beside
        that file by default, with C(.changes.jsonl) after its name.
    type: path
  ledger_configmap:
    description:
      - The ConfigMap for O(ledger=configmap), in the namespace of the resource. If there is none it is created. When it is full, the oldest changes
        that are over are removed from it, with a warning.
    type: str
    default: connect-offset-changes
  requested_by:
    description:
      - Who requests the change, for the ledger. The user and the host of this run, and the job of AWX, are remembered anyway.
    type: str
  offset_topic:
    description:
      - The workers' C(offset.storage.topic), for O(method=topic) and O(method=auto). It is never created.
      - If it is not given, the topic is found by its content, which must have the offsets that REST shows; otherwise the task fails.
      - Of a connector with an C(offsets.storage.topic) of its own both topics are changed.
    type: str
  consumer_group:
    description:
      - The consumer group of a sink. By default the connector's C(consumer.override.group.id), else C(connect-) and its name.
      - Needed where the workers have set C(consumer.group.id), which REST does not show, and for a sink that is deleted and had an override.
    type: str
  kafka_connect_group:
    description:
      - The workers' C(group.id). For a connector that is deleted and with O(assume_stopped=true) the brokers are queried whether workers still
        run it, then only of this group, as far as the others have offsets topics of their own. Needed where several Connect clusters on one Kafka
        cluster have connectors of the same name.
      - If not set, the variable of the host with this name is used.
    type: str
    aliases: [connect_group]
  resource:
    description:
      - By O(method=strimzi), the resource that has the connector, as C(KafkaConnector/NAME), C(KafkaMirrorMaker2/NAME), or its name alone.
      - By default it is the KafkaConnector with the name of the connector. For a connector of a mirror the namespace is searched for the KafkaMirrorMaker2
        that has it, for which the login needs the right to list those.
    type: str
  assume_stopped:
    description:
      - Without a worker to query, say that no worker runs the connector. A task that runs would write its own offset over the change.
      - The brokers are queried all the same whether a group of Connect workers has the connector; then the task fails.
      - Where there is a worker to query, its answer counts. Of a deleted connector it cannot show whether a task still runs. If the user may not Describe the
        workers' group either, a change on the offsets topic needs this option. For a consumer group it is not needed.
    type: bool
    default: false
  raw_keys:
    description:
      - Under O(state=absent), keys of records on the offsets topic to write tombstones for, byte for byte, for records that cannot be
        read as offsets, or for one of several spellings of a key. Text as
        M(streamops.kafka_connect.connector_offsets_info) shows it, with C(base64:) in front of base64 for what is not UTF-8.
      - Keys that name another connector are refused, and so is the key whose offset counts for its partition (list that partition
        in O(offsets) instead).
    type: list
    elements: str
  key_order:
    description:
      - On the offsets topic, the names of a partition's fields in the order in which the connector writes them, for a partition that was
        never there, or only under keys in another order.
      - By default the order of the connector's other partitions with the same fields, else that of a Java HashMap, which is right for
        most connectors.
    type: list
    elements: str
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
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
  - module: streamops.kafka_connect.connector_offsets_info
  - module: streamops.kafka_connect.connector_state
  - name: KIP-875
    description: First-class offsets support in Kafka Connect.
    link: https://cwiki.apache.org/confluence/display/KAFKA/KIP-875%3A+First-class+offsets+support+in+Kafka+Connect
"""

EXAMPLES = r"""
- name: Replay a file once, however often this runs
  streamops.kafka_connect.connector_offsets:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
    change_id: CHG-1234
    stop: true
    offsets:
      - partition: {filename: /data/orders.txt}
        offset: {position: 0}

- name: Undo that
  streamops.kafka_connect.connector_offsets:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
    state: restored
    change_id: CHG-1234
    stop: true

- name: Skip the poison record 41 of one partition of a sink, and no more than that
  streamops.kafka_connect.connector_offsets:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-sink
    stop: true
    direction: forward
    max_skip: 1
    offsets:
      - partition: {kafka_topic: orders, kafka_partition: 3}
        offset: {kafka_offset: 42}

- name: Deliver everything since yesterday 14:00 once more
  streamops.kafka_connect.connector_offsets:
    kafka_connect_url: http://connect.example.com:8083
    kafka_bootstrap_servers: [kafka.example.com:9092]
    name: orders-sink
    change_id: CHG-1240
    stop: true
    reset_to: {timestamp: "2026-01-30T14:00:00+01:00"}

- name: Remove all offsets of a connector, which is stopped
  streamops.kafka_connect.connector_offsets:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
    state: absent

- name: Restore exactly the offsets of a backup
  streamops.kafka_connect.connector_offsets:
    kafka_connect_url: http://connect.example.com:8083
    name: orders-source
    src: /var/backups/orders-source.json
    purge: true
    stop: true

- name: Have MirrorMaker copy a topic again from record 4000 of its partition 0 on
  streamops.kafka_connect.connector_offsets:
    kafka_connect_url: http://connect.example.com:8083
    name: east->west.MirrorSourceConnector
    change_id: CHG-1236
    stop: true
    accept_duplicates: true
    offsets:
      - partition: {cluster: east, topic: orders, partition: 0}
        next_offset: 4000

- name: Replay a file by a connector that Strimzi's operator owns
  streamops.kafka_connect.connector_offsets:
    k8s_namespace: kafka
    name: orders-source
    change_id: CHG-1235
    stop: true
    offsets:
      - partition: {filename: /data/orders.txt}
        offset: {position: 0}
"""

RETURN = r"""
method:
  description: The method that was used.
  returned: success
  type: str
  sample: rest
method_reason:
  description: Why that method was used.
  returned: success
  type: str
  sample: REST can do it
resource:
  description: The resource that has the connector, by O(method=strimzi). Null otherwise.
  returned: success
  type: str
  sample: KafkaConnector/orders-source
manifests:
  description:
    - For those whose resources are kept in Git, what would have to be applied first, whole Kubernetes objects.
    - It is the ConfigMap with the new offsets; for a reset there is none. Other entries of a ConfigMap of that name have to stay.
    - Null, as is RV(patches), if O(max_entries) has cut RV(actions), or if the offsets hold a secret, which no result shows.
  returned: in check mode, by O(method=strimzi)
  type: list
  elements: dict
  sample:
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: orders-source-offsets, namespace: kafka}
      data: {offsets.json: '{"offsets": [{"partition": {"filename": "/data/orders.txt"}, "offset": {"position": 0}}]}'}
patches:
  description:
    - What would have to be done with the resource then, one after the other. Each has a C(description), a C(target) (apiVersion, kind, name, namespace)
      and a C(patch), a list of JSON patch operations, as Kustomize takes them.
    - The annotation is no matter for Git, as the operator removes it when the change is made.
  returned: in check mode, by O(method=strimzi)
  type: list
  elements: dict
offset_topic:
  description: The offsets topic that was changed or looked at. Null by REST.
  returned: success
  type: str
offset_file:
  description: The file of a standalone worker that was changed or looked at. Null otherwise.
  returned: success
  type: str
consumer_group:
  description: The consumer group of a sink, if the brokers were queried. Null otherwise.
  returned: success
  type: str
connector_exists:
  description: Whether there is such a connector. Null without O(kafka_connect_url).
  returned: success
  type: bool
offsets:
  description:
    - The offsets after the change, in check mode as predicted. They can be given back as O(offsets), unless they hold masked secrets.
  returned: success
  type: list
  elements: dict
  sample:
    - partition: {filename: /data/orders.txt}
      offset: {position: 0}
offsets_before:
  description: The offsets before the change.
  returned: success
  type: list
  elements: dict
  sample:
    - partition: {filename: /data/orders.txt}
      offset: {position: 4096}
actions:
  description: What happens to each partition, changes first.
  returned: success
  type: list
  elements: dict
  contains:
    partition:
      description: The partition; for one of O(raw_keys) that key as text.
      type: raw
      returned: success
    action:
      description: V(set), V(remove) or V(keep).
      type: str
      returned: success
    from:
      description: The offset before, null if there was none.
      type: dict
      returned: success
    to:
      description: The offset after, null if there is none.
      type: dict
      returned: success
    direction:
      description:
        - V(forward) or V(backward) where the field moves that is the position of this connector, as far as the collection or O(kafka_connect_profiles) knows
          it; of other connectors where exactly one whole number differs. V(none) where nothing differs. V(unknown) for anything else, also for a
          partition that had no offset or loses it, for what cannot be read, and where copies of its record on the offsets topic disagree.
      type: str
      returned: success
    distance:
      description: How far it moves, in the unit of that field. Null where that is not known, as from one binlog file to another.
      type: int
      returned: success
  sample:
    - partition: {filename: /data/orders.txt}
      action: set
      from: {position: 4096}
      to: {position: 0}
      direction: backward
      distance: 4096
counts:
  description: How many partitions are V(set), V(remove) and V(keep), and how many have an offset V(before) and V(after).
  returned: success
  type: dict
  sample: {set: 1, remove: 0, keep: 0, before: 1, after: 1}
truncated:
  description: Whether O(max_entries) has cut a list.
  returned: success
  type: bool
example:
  description: How an offset of this connector is declared, C(partition) and C(offset); a live one where there is one.
  returned: in check mode, where O(offsets) is refused for its fields or types, or empty
  type: dict
  sample:
    partition: {filename: /data/orders.txt}
    offset: {position: 4096}
declared:
  description:
    - What was declared, whatever is live. Equal for equal declarations, also where one that is symbolic means the same numbers. Null with O(state=restored).
  returned: success
  type: dict
  contains:
    digest:
      description: Stands for all of it.
      type: str
      returned: success
    offsets:
      description: The declared partitions and offsets, null for one that is removed. Empty where all are removed.
      type: list
      elements: dict
      returned: success
    more:
      description: How many declared partitions O(max_entries) has cut.
      type: int
      returned: success
change_id:
  description:
    - The O(change_id), or the one that was made for the change. Null where none was given and nothing is recorded, as in check mode, or if nothing changes.
  returned: success
  type: str
  sample: auto-20261130T141500Z-3f2a
already_applied:
  description: Whether the change O(change_id) was made by an earlier run, so that nothing had to be done.
  returned: success
  type: bool
change:
  description:
    - The change RV(change_id) as the ledger has it. In check mode, as it was found there. Null if it is not there.
  returned: success
  type: dict
  contains:
    connector:
      description: The connector's name.
      type: str
      returned: success
    change_id:
      description: Its name.
      type: str
      returned: success
    automatic:
      description: Whether the id was made, as none was given.
      type: bool
      returned: success
    digest:
      description: Stands for what was declared.
      type: str
      returned: success
    phase:
      description: V(started), V(applied) or V(restored).
      type: str
      returned: success
    times:
      description: When it came to each of these phases, and when it was V(written) last. RFC 3339, UTC.
      type: dict
      returned: success
    who:
      description: C(user), C(host), C(requested_by), and C(job) and C(job_host) under AWX; the same with C(restored_) for who undid it.
      type: dict
      returned: success
    method:
      description: The method, such as V(rest), V(topic) or V(strimzi).
      type: str
      returned: success
    offset_topic:
      description: The offsets topic. Null by REST.
      type: str
      returned: success
    cluster:
      description: What identifies the cluster.
      type: dict
      returned: success
    type:
      description: V(source) or V(sink).
      type: str
      returned: success
    state_to_restore:
      description: The state that the connector is still to be restored to. Null if it is not.
      type: str
      returned: success
    before:
      description: The partitions that it changed, with the offsets that they had; null for none. Null as long as nothing was written.
      type: list
      elements: dict
      returned: success
    after:
      description: The same with the declared offsets.
      type: list
      elements: dict
      returned: success
    partitions:
      description: How many these are, also if O(max_entries) has cut the lists.
      type: int
      returned: success
ledger:
  description: Where the ledger is, as text. Null if nothing is recorded.
  returned: success
  type: str
  sample: the topic connect-offset-changes
left_alone:
  description:
    - The connector, if it must be left as it is after the failure, as another run has taken the change over, or as the ledger could not be updated that it is
      made. The next run with the same O(change_id) finishes it.
  returned: failure
  type: list
  elements: str
state_before:
  description:
    - The state in which the connector was found; by the run that began this change, if that did not end. Null if there is none, or no worker to ask.
  returned: success
  type: str
  sample: RUNNING
position:
  description: Whether the connector goes on from the declared offsets, see O(check_position). Null where that was not looked at.
  returned: success
  type: dict
  contains:
    verdict:
      description: V(taken), V(ignored), V(own_position), V(stuck) or V(cannot_tell).
      type: str
      returned: success
    seconds:
      description: For how long it was watched.
      type: float
      returned: success
    partitions:
      description: The changed partitions that the verdict rests on, each with C(partition), the offset C(declared), the one C(before) the change and the
        first one that was C(committed), null for none.
      type: list
      elements: dict
      returned: success
    partitions_count:
      description: How many these are, also if O(max_entries) has cut the list.
      type: int
      returned: success
    appeared:
      description: Partitions of a source that were neither there before the change nor declared.
      type: list
      elements: dict
      returned: success
  sample:
    verdict: taken
    seconds: 2.4
    partitions_count: 1
    appeared: []
    partitions:
      - partition: {filename: /data/orders.txt}
        declared: {position: 0}
        before: {position: 4096}
        committed: {position: 4096}
backup_file:
  description: The backup written (in check mode, to be written). Null without O(backup=true) or without a change.
  returned: success
  type: str
connector:
  description:
    - The connector after the change. Null if there is none, or no worker to ask.
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
diff:
  description:
    - What differs, before and after. In check mode it is what would differ.
    - If something changes, C(prepared) has a line for each changed partition that is listed, with its direction and distance. With O(reset_to)
      it also says what is there, such as the time of the record.
      Ansible prints it below the difference.
  returned: with C(--diff)
  type: list
  elements: dict
  sample:
    - before_header: orders-source (offsets)
      after_header: orders-source (offsets)
      before: {'{"filename": "/data/orders.txt"}': {position: 4096}}
      after: {'{"filename": "/data/orders.txt"}': {position: 0}}
      prepared: |
        {"filename": "/data/orders.txt"}: backward by 4096
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.brokers import brokers, source_clusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.change_options import change_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.strimzi import connect_or_operator
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.strimzi_offsets import strimzi_offsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.worker_config import read_worker_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import FOUND, LATER, LEAVE, of_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.examples import with_example
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.execute import execute_one
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.session import Session
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import STATES
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.operator_guard import STRIMZI

#: values of final_state by their former names
_FORMER = {"put_back": FOUND, "put_back_later": LATER}


def declare(client, kafka, sources, params, check_mode):
    params["final_state"] = _FORMER.get(params["final_state"], params["final_state"])
    session = Session(client, kafka, sources, params)
    with with_example(client, params["name"], session.profiles, check_mode):
        result = execute_one(session, of_options(params, session.copy()), check_mode)
    if check_mode and result["method"] == STRIMZI:
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_manifests import manifests
        result.update(manifests(client, params["name"], result))
    return result


def main():
    run(
        dict(
            change_options(),
            name=dict(type="str", required=True),
            state=dict(type="str", choices=["present", "absent", "restored"], default="present"),
            offsets=dict(type="list", elements="dict"),
            src=dict(type="path"),
            content=dict(type="raw"),
            copy_from=dict(type="str"),
            rewrite=dict(type="list", elements="dict"),
            reset_to=dict(type="raw"),
            topics=dict(type="list", elements="raw"),
            purge=dict(type="bool", default=False),
            final_state=dict(type="str", choices=[FOUND, LATER, LEAVE, *STATES, *_FORMER], default=FOUND, aliases=["after_change"]),
            max_rewind=dict(type="raw"),
            max_skip=dict(type="raw"),
            direction=dict(type="str", choices=["forward", "backward"], aliases=["only"]),
            force=dict(type="bool", default=False),
            accept_duplicates=dict(type="bool", default=False),
            consumer_group=dict(type="str"),
            raw_keys=dict(type="list", elements="str", no_log=False),
            key_order=dict(type="list", elements="str", no_log=False),
            max_entries=dict(type="int", default=1000),
        ),
        declare,
        changes=True,
        connect=connect_or_operator(strimzi_offsets),
        brokers=brokers,
        sources=source_clusters,
        prepare=read_worker_config,
        exact=("manifests", "patches"),
        mutually_exclusive=[("offsets", "src", "content", "reset_to"), ("offsets", "copy_from", "reset_to")],
        required_if=[("state", "present", ["offsets", "src", "content", "copy_from", "rewrite", "reset_to"], True), ("state", "restored", ["change_id"])],
    )


if __name__ == "__main__":
    main()
