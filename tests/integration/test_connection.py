# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the connection of a task comes from: its options, module_defaults, the host's variables, the environment, in this order."""

from __future__ import annotations

import json

import pytest

from tests.integration.support.playbook import Playbooks

INFO = "streamops.kafka_connect.connector_info"
STATE = {"streamops.kafka_connect.connector_state": {"name": "x", "state": "stopped", "wait_timeout": 1}}

#: nobody listens there, so that a failure tells the address that was asked
HOST, DEFAULTS, TASK, ENVIRONMENT, TASK_VARIABLE = (f"http://127.0.0.1:{port}" for port in (1, 2, 3, 4, 5))


def defaults(**options: str) -> dict:
    return {"module_defaults": {"group/streamops.kafka_connect.connect": options}}


#: name -> task, and what its failure says
CASES = {
    "a variable of the host": ({INFO: {}}, HOST),
    "a variable of the task": ({INFO: {}, "vars": {"kafka_connect_url": TASK_VARIABLE}}, TASK_VARIABLE),
    "a template": ({INFO: {}, "vars": {"kafka_connect_url": "http://127.0.0.1:{{ 2 + 4 }}"}}, "http://127.0.0.1:6"),
    "an option": ({INFO: {"kafka_connect_url": TASK}}, TASK),
    "an option by its former name": ({INFO: {"connect_url": TASK}}, TASK),
    "an option by another name": ({INFO: {"url": TASK}}, TASK),
    "an option that is omitted": ({INFO: {"kafka_connect_url": "{{ omit }}"}}, HOST),
    "an option that is empty": ({INFO: {"kafka_connect_url": ""}}, "kafka_connect_url is empty"),
    "module_defaults": ({INFO: {}, **defaults(kafka_connect_url=DEFAULTS)}, DEFAULTS),
    "module_defaults by the former name": ({INFO: {}, **defaults(connect_url=DEFAULTS)}, DEFAULTS),
    "an option over module_defaults by the former name": ({INFO: {"kafka_connect_url": TASK}, **defaults(connect_url=DEFAULTS)}, TASK),
    "an option by its former name over module_defaults": ({INFO: {"connect_url": TASK}, **defaults(kafka_connect_url=DEFAULTS)}, TASK),
    "an empty variable": ({INFO: {}, "vars": {"kafka_connect_url": ""}}, ENVIRONMENT),
    "a variable that is null": ({INFO: {}, "vars": {"kafka_connect_url": None}}, ENVIRONMENT),
    "a variable that is omitted": ({INFO: {}, "vars": {"kafka_connect_url": "{{ omit }}"}}, ENVIRONMENT),
    "a variable that cannot be evaluated": (
        {INFO: {}, "vars": {"kafka_connect_url": "http://{{ typo }}"}},
        "The variable kafka_connect_url of eu cannot be evaluated: 'typo' is"),
    "zero counts": ({INFO: {}, "vars": {"kafka_connect_timeout": 0}}, "timeout"),
    "another module": (STATE, HOST),
    "brokers": (
        {"streamops.kafka_connect.topic_offsets_info": {"topics": ["x"]}, "vars": {"kafka_sasl_mechanism": "PLAIN"}},
        "kafka_sasl_mechanism, kafka_sasl_username and kafka_sasl_password need kafka_security_protocol"),
    "a namespace that is there for something else": ({**STATE, "vars": {"k8s_namespace": "shop"}}, HOST),
    "a namespace of a cluster of Strimzi": ({**STATE, "vars": {"k8s_namespace": "shop", "k8s_connect_cluster": "eu"}}, "kube"),
    "a namespace, by the former variable": ({**STATE, "vars": {"kafka_connect_strimzi_namespace": "shop"}}, "kube"),
    "in the background": ({INFO: {}, "async": 60, "poll": 1}, HOST),
}


@pytest.fixture(scope="module")
def messages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("connection")
    tasks = [{"name": name, "register": f"r{number}", "ignore_errors": True, **task}
             for number, (name, (task, _said)) in enumerate(CASES.items())]
    said = ", ".join(f"r{number}.msg" for number in range(len(CASES)))
    results = f"{{{{ dict({list(CASES)} | zip([{said}])) | to_json }}}}"
    (folder / "play.json").write_text(json.dumps([{
        "hosts": "all", "connection": "local", "gather_facts": False,
        "vars": {"ansible_python_interpreter": "{{ ansible_playbook_python }}"},
        "tasks": [*tasks, {"ansible.builtin.copy": {"content": results, "dest": f"{folder}/results.json", "mode": "0600"}}]}]))
    host = {"kafka_connect_url": HOST, "kafka_bootstrap_servers": "127.0.0.1:1"}
    run = Playbooks(folder).run("play.json", {"eu": host}, env={"KAFKA_CONNECT_URL": ENVIRONMENT, "KUBECONFIG": f"{folder}/none"})
    assert run.rc == 0 and "Both option" not in run.text, run.text
    return json.loads((folder / "results.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_where_it_comes_from(messages, name):
    assert CASES[name][1] in messages[name]
