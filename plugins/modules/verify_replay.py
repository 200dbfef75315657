#!/usr/bin/python
# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: verify_replay
short_description: Verify with a Spark job what a change of connector offsets did to the data
version_added: 1.0.0
author:
  - streamops contributors (@streamops)
description:
  - Runs a Spark job that reads topics before and after a boundary, and fails with a readable reason if the data did not do what was declared.
    A JSON report and an HTML page say more.
  - It only reads. Connectors, topics and offsets are left alone.
  - Everything that the job needs is checked before Spark starts. What is missing is named, and nothing is run.
  - Options and secrets for Kafka and databases are written with mode 0600 to a private folder on the host, which is removed in any case, also when
    the run is interrupted. None is on a command line or in the environment.
  - Options that a task does not give are taken from variables of the host, C(verify_replay_master) for O(master) and so on. Those of O(client_options) and
    O(job_timeout) are C(verify_replay_kafka_options) and C(verify_replay_timeout).
attributes:
  check_mode:
    support: full
    details:
      - Checks everything that the job needs, and returns the command that would run. No jars are fetched.
  diff_mode:
    support: none
    details:
      - There is nothing to compare.
  idempotent:
    support: full
    details:
      - RV(ignore:changed) is always V(false). Each run leaves a report of its own.
options:
  expectation:
    description:
      - What the data have to show, the expectation document, as a dictionary or as JSON text. It is described in README.md of the folder
        C(roles/verify_replay/files) of this collection.
      - The filter P(streamops.kafka_connect.replay_topics#filter) makes its topics of offsets taken before, at and after a change.
      - It may leave C(bootstrap.servers) of the cluster O(cluster) out. The connection options are used for it then.
    type: raw
    required: true
  cluster:
    description: The name that the document has for the Kafka cluster of the connection options.
    type: str
    default: main
  client_options:
    description:
      - By cluster of the document, a dictionary of further options of Kafka's Java client. They win over the connection options.
      - Values of options whose names contain secret, password, token, credential or JAAS are masked.
    type: dict
  jdbc_options:
    description: By table of the document, a dictionary of options of Spark's JDBC source, such as C(user) and C(password).
    type: dict
  registry_options:
    description:
      - By schema registry of the document, a dictionary with the login. C(username) and C(password), or C(token) for a bearer token.
      - C(ca_path), a PEM file, verifies an C(https) registry with another CA than those of the system. C(cert_path), C(key_path) and C(key_password) are
        for mutual TLS.
    type: dict
  master:
    description: Where Spark runs, V(local[*]), V(local[N]), C(spark://HOST:PORT), V(yarn) or C(k8s://URL). The driver is on the host of this task.
    type: str
    default: local[*]
  jars:
    description:
      - Jar files, or folders of them, that have what pyspark lacks.
      - If not set, the environment variable E(VERIFY_REPLAY_JARS) is used (several separated by commas), which this collection's execution
        environment sets.
    type: list
    elements: path
  packages:
    description: Maven coordinates of the same, which Spark itself fetches.
    type: list
    elements: str
  jars_dir:
    description: Where to keep the jars that are fetched with Maven, if neither O(jars) nor O(packages) is given.
    type: path
    default: ~/.cache/streamops-kafka-connect/spark-jars
  spark_conf:
    description: Further Spark properties.
    type: dict
  driver_memory:
    description: Memory of the driver, which with a local master does all of the work.
    type: str
    default: 1g
  python:
    description: The Python that has pyspark. By default the one that runs the module.
    type: path
  spark_home:
    description: Spark's folder, if it is not that of pyspark.
    type: path
  report_dir:
    description:
      - Folder for the reports. It is created if it does not exist.
      - A relative path begins in the folder in which Ansible was started, if the task runs there.
    type: path
    default: ~/.local/share/streamops-kafka-connect/reports
  report_name:
    description:
      - Name of the files there, without the extension. C({change_id}) stands for C(change_id) of the document, C({time}) for the time.
      - By default C(HOST-{change_id}-{time}) with the host's name in the inventory.
    type: str
    default: "{change_id}-{time}"
  report_url:
    description:
      - URL of a folder to which page and report are uploaded by HTTP PUT, where the disk does not last. Their URLs then take the place of the paths
        in all that is returned. An upload that fails is a warning.
    type: str
  report_token:
    description:
      - Bearer token for O(report_url).
      - If not set, the environment variable E(VERIFY_REPLAY_REPORT_TOKEN) is used.
    type: str
  report_username:
    description:
      - User for O(report_url).
      - If not set, the environment variable E(VERIFY_REPLAY_REPORT_USERNAME) is used.
    type: str
  report_password:
    description:
      - Password for O(report_url).
      - If not set, the environment variable E(VERIFY_REPLAY_REPORT_PASSWORD) is used.
    type: str
  run:
    description: V(false) checks everything and fetches the jars, but does not start Spark. To know before a change that it can be verified afterwards.
    type: bool
    default: true
  fail:
    description: Whether the task fails if a check fails or cannot tell. If not, RV(verdict) says it. A job that breaks always fails.
    type: bool
    default: true
  job_timeout:
    description: Seconds that the job may take, after which it is ended.
    type: int
    default: 14400
  program:
    description: Folder of the job's program on the host, or a zip file with it. The action plugin of this module sets it.
    type: path
extends_documentation_fragment:
  - streamops.kafka_connect._connect
  - streamops.kafka_connect._kafka
  - streamops.kafka_connect._strimzi
  - streamops.kafka_connect._attributes
  - streamops.kafka_connect._attributes.actiongroup_connect
requirements:
  - Java 17 or newer
  - Python 3.11 or newer with pyspark 4.2.0 (option O(python))
  - cryptography, for O(kafka_ssl_cert_path)
  - requests, for O(report_url)
  - Maven, unless the jars are given
notes:
  - It runs on the host of the task. With C(ansible_connection=local) that is the machine that runs Ansible. To a remote host the action plugin
    sends the job's program with the task; reports and jars are on that host then, and a connection that is idle for hours has to be kept alive.
  - Of O(kafka_options), which has the names of librdkafka, C(ssl.endpoint.identification.algorithm=none) is used, and what belongs to
    C(sasl.oauthbearer.method=oidc). Other logins than V(PLAIN), SCRAM and V(OAUTHBEARER) need O(client_options).
  - If the host or the module is killed, the job goes on to its end, and the private folder stays in the folder for temporary files.
seealso:
  - module: streamops.kafka_connect.topic_offsets_info
  - plugin: streamops.kafka_connect.replay_topics
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Verify that every record of before the boundary was delivered again
  streamops.kafka_connect.verify_replay:
    kafka_bootstrap_servers: [kafka.example.com:9092]
    expectation:
      version: 1
      change_id: CHG-1234
      topics:
        orders:
          cluster: main
          topic: shop.orders
          partitions:
            "0": {start: 0, boundary: 100, end: 200}
      checks:
        - {type: replayed, topic: orders}
        - {type: duplicates, topic: orders}

- name: The same on a Spark cluster, with what two results of topic_offsets_info say
  streamops.kafka_connect.verify_replay:
    expectation: "{{ {'version': 1, 'checks': checks} | combine(boundary | streamops.kafka_connect.replay_topics(after)) }}"
    master: spark://spark.example.com:7077
    spark_conf:
      spark.executor.memory: 2g
  vars:
    checks:
      - {type: replayed, topic: orders}
"""

RETURN = r"""
verdict:
  description: V(pass), V(fail) or V(cannot_tell), or V(error) if the job broke. Null if it was not run.
  returned: success, and if the job broke or a check did not pass
  type: str
  sample: pass
passed:
  description:
    - Whether the data are as declared. A document with C("cannot_tell"="pass") accepts that something cannot be determined.
    - Null if the job was not run.
  returned: success
  type: bool
message:
  description: Which checks did not pass, in one line. Null if all did.
  returned: success
  type: str
report:
  description: The report, described in README.md of the folder C(roles/verify_replay/files). Empty if the job was not run.
  returned: success, and if the job broke
  type: dict
checks:
  description: Name, verdict and sentence of each check.
  returned: if a check did not pass, and O(fail) is V(true)
  type: list
  elements: dict
files:
  description:
    - Paths of C(report) (JSON), C(page) (HTML), C(log), and C(expectation) (the completed document), mode 0640.
    - URLs of report and page if they were uploaded.
  returned: success, and if the job broke or a check did not pass
  type: dict
report_name:
  description: O(report_name) with what its placeholders stand for.
  returned: success
  type: str
command:
  description: The command. C(PRIVATE) stands for the private folder.
  returned: success
  type: list
  elements: str
jars:
  description: Where the jars come from.
  returned: success
  type: str
versions:
  description: Versions of C(spark) and C(java).
  returned: success
  type: dict
  sample: {spark: 4.2.0, java: 17}
summary:
  description: Lines for people, the verdict of each check, or what would run.
  returned: success, and if a check did not pass
  type: list
  elements: str
"""

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import from_environment
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.runner import run
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.client import secrets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.job import verify
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.reports import DEFAULT_FOLDER


def main():
    run(
        dict(
            expectation=dict(type="raw", required=True),
            cluster=dict(type="str", default="main"),
            client_options=dict(type="dict"),
            jdbc_options=dict(type="dict"),
            registry_options=dict(type="dict"),
            master=dict(type="str", default="local[*]"),
            jars=from_environment("VERIFY_REPLAY_JARS", type="list", elements="path"),
            packages=dict(type="list", elements="str"),
            jars_dir=dict(type="path", default="~/.cache/streamops-kafka-connect/spark-jars"),
            spark_conf=dict(type="dict"),
            driver_memory=dict(type="str", default="1g"),
            python=dict(type="path"),
            spark_home=dict(type="path"),
            report_dir=dict(type="path", default=DEFAULT_FOLDER),
            report_name=dict(type="str", default="{change_id}-{time}"),
            report_url=dict(type="str"),
            report_token=from_environment("VERIFY_REPLAY_REPORT_TOKEN", type="str", no_log=True),
            report_username=from_environment("VERIFY_REPLAY_REPORT_USERNAME", type="str"),
            report_password=from_environment("VERIFY_REPLAY_REPORT_PASSWORD", type="str", no_log=True),
            run=dict(type="bool", default=True),
            fail=dict(type="bool", default=True),
            job_timeout=dict(type="int", default=14400),
            program=dict(type="path"),
        ),
        verify,
        secrets=secrets,
    )


if __name__ == "__main__":
    main()
