#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: topic
short_description: Delete Kafka topics, or empty them
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Deletes topics and waits until the brokers no longer list them, or removes all of their records.
  - It is meant for what a reset of a mirror leaves behind, see the role C(mirror_reset). There is no way back.
  - All topics are looked at before the first one is changed. If one of them is refused, nothing is changed.
  - A topic that a sink of the Connect cluster reads is not deleted as long as that sink is not stopped, where O(kafka_connect_url) is known.
  - Kafka's own topics are refused, and those on which Connect workers keep offsets, configurations and states, as far as their names or their records
    show what they are.
attributes:
  check_mode:
    support: full
    details:
      - Also looks whether the user has the permission, where the brokers show it.
  diff_mode:
    support: full
  idempotent:
    support: full
options:
  name:
    description:
      - Names of topics. Globs are refused.
      - A name that does not exist is no failure under O(state=absent), and one under O(state=emptied).
    type: list
    elements: str
    required: true
    aliases: [names]
  state:
    description:
      - V(absent) deletes the topics. Consumer groups lose their offsets of them. Refused where a sink at O(kafka_connect_url) reads one of them and is
        not stopped, unless O(force=true).
      - V(emptied) removes all records up to the present end of each partition. The next record goes on from that offset, and the offsets of
        consumer groups stay right. Brokers refuse it for a topic with C(cleanup.policy=compact).
    type: str
    choices: [absent, emptied]
    required: true
  cluster:
    description:
      - The alias of one of O(kafka_connect_source_clusters), if the topics are there and not on the cluster of O(kafka_bootstrap_servers).
    type: str
  force:
    description: Whether to delete topics that a sink reads which is not stopped.
    type: bool
    default: false
  wait_timeout:
    description: Seconds to wait until it has happened.
    type: int
    default: 120
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.actiongroup_connect
requirements:
  - confluent-kafka
notes:
  - It always needs O(kafka_bootstrap_servers), or O(cluster) and O(kafka_connect_source_clusters), and the permissions Describe and Delete on the topics.
  - Whoever writes to a topic that is deleted may create it again, with the brokers' own number of partitions. Stop producers first.
seealso:
  - module: streamops.kafka_connect.topic_offsets_info
  - module: streamops.kafka_connect.connector_offsets
"""

EXAMPLES = r"""
- name: Delete a copy that has to be made anew, its mirror being stopped
  streamops.kafka_connect.topic:
    kafka_bootstrap_servers: [kafka-west.example.com:9092]
    name: east.orders
    state: absent

- name: Keep the topic and its consumer groups, but none of its records
  streamops.kafka_connect.topic:
    kafka_bootstrap_servers: [kafka-west.example.com:9092]
    name: east.orders
    state: emptied

- name: Delete the offset-syncs of a mirror that is stopped, on its source cluster
  streamops.kafka_connect.topic:
    name: mm2-offset-syncs.west.internal
    state: absent
    cluster: east
    kafka_connect_source_clusters:
      - alias: east
        bootstrap_servers: [kafka-east.example.com:9092]
"""

RETURN = r"""
cluster_id:
  description: The id of the Kafka cluster.
  returned: success
  type: str
  sample: 4L6g3nShT-eMCtK--X86sw
topics:
  description: The topics as they were found, by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Its name.
      type: str
      returned: success
    exists:
      description: Whether there was such a topic.
      type: bool
      returned: success
    changed:
      description: Whether it was deleted, or lost records.
      type: bool
      returned: success
    partitions:
      description: How many it had. Null if there was none.
      type: int
      returned: success
    records_at_most:
      description:
        - The sum of end minus beginning of its partitions. There are fewer records where compaction removed some, and on transactional
          topics, as each marker takes an offset, too. Null if there was none.
      type: int
      returned: success
  sample:
    - {name: east.orders, exists: true, changed: true, partitions: 4, records_at_most: 1200}
diff:
  description: What differs, before and after. In check mode it is what would differ.
  returned: with C(--diff)
  type: list
  elements: dict
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.brokers import brokers, cluster_asked, source_clusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.connect import connect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.topic_readers import check_readers
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.topics import ABSENT, EMPTIED, declare_topics


def declare(client, kafka, sources, params, check_mode):
    cluster = cluster_asked(kafka, sources, params["cluster"])
    return declare_topics(cluster, params["name"], params["state"], params["wait_timeout"], check_mode,
                          lambda names: check_readers(client, cluster, names, params["force"]))


def main():
    run(
        dict(
            name=dict(type="list", elements="str", required=True, aliases=["names"]),
            state=dict(type="str", choices=[ABSENT, EMPTIED], required=True),
            cluster=dict(type="str"),
            force=dict(type="bool", default=False),
            wait_timeout=dict(type="int", default=120),
        ),
        declare,
        changes=True,
        connect=connect,
        brokers=brokers,
        sources=source_clusters,
        of_topics=True,
    )


if __name__ == "__main__":
    main()
