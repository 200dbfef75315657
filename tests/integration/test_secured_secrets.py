# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets in every option that takes one, and a search for them: output at -vvvv, logs, arguments and environments of processes, files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from ansible.module_utils import basic

from tests.integration.conftest import cluster_of
from tests.integration.support.configs import at, shaped
from tests.integration.support.modules import run_module
from tests.integration.support.secured import login
from tests.integration.support.watch import Watch
from tests.integration.test_playbook import gate

NOWHERE = "127.0.0.1:1"
#: what is wrong with the arguments; nobody listens where the last one connects to
WRONG = ({}, {"kafka_security_protocol": "TLS"}, {"kafka_options": "{'sasl.password': 'planted-torn'"},
         {"name": "x", "names": ["x"], "topics": ["x"], "connectors": ["x"], "dest": "/no/such", "expectation": {},
          "state": "absent"})


#: what such a module needs besides
MORE = {"connector_state": {"state": "stopped"}, "connector_offsets_import": {"content": {"x": [at(1)]}},
        "connector_offsets_bulk": {"connectors": [{"name": "x", "state": "absent"}]}}


def _modules() -> list[str]:
    return yaml.safe_load(Path("meta/runtime.yml").read_text())["action_groups"]["connect"]


def _options() -> dict:
    planted = {"sasl.oauthbearer.client.secret": "planted-client", "ssl.key.pem": "planted-key", "sasl.password": "planted-option"}
    source = {"alias": "a", "bootstrap_servers": [NOWHERE], "security_protocol": "SASL_SSL", "sasl_mechanism": "PLAIN",
              "sasl_username": "ops", "sasl_password": "planted-source", "kafka_options": planted}
    return {"kafka_connect_url": [f"http://{NOWHERE}"], "kafka_connect_username": "ops", "kafka_connect_password": "planted-rest",
            "kafka_bootstrap_servers": [NOWHERE], "kafka_timeout": 1, "kafka_security_protocol": "SASL_SSL",
            "kafka_sasl_mechanism": "PLAIN", "kafka_sasl_username": "ops", "kafka_sasl_password": "planted-sasl",
            "kafka_ssl_key_password": "planted-phrase",
            "kafka_options": planted, "kafka_connect_source_clusters": [source], "k8s_api_key": "planted-kube"}


@pytest.mark.parametrize("name", [name for name in _modules() if Path(f"plugins/modules/{name}.py").exists()])
def test_what_a_module_returns_and_logs(name, monkeypatch):
    """Where the arguments are wrong in one way or another, and where they are right but nothing can be reached."""
    logged = []
    monkeypatch.setattr(basic, "has_journal", False)
    monkeypatch.setattr(basic.syslog, "syslog", lambda *words: logged.append(words))
    for wrong in WRONG:
        given = {**_options(), **wrong, **(MORE.get(name, {}) if wrong is WRONG[-1] else {})}
        result = run_module(name, given)
        unknown = re.search(r"Unsupported parameters.*?module: (.*?)\. Supported", result["msg"])
        if unknown:
            result = run_module(name, {option: value for option, value in given.items() if option not in unknown.group(1).split(", ")})
        assert result["failed"] and "planted" not in json.dumps(result), result
    assert logged and "planted" not in str(logged) and all("kafka_sasl_password=********" in str(line) for line in logged)


@pytest.fixture
def connector(secured_stack):
    worker = cluster_of(secured_stack, "main").worker
    worker.create("scanned", shaped(topic="planted"), "STOPPED")
    worker.set_offsets("scanned", [at(4)])
    yield worker
    worker.delete("scanned")


def test_runs_of_a_playbook(secured, secured_stack, connector, proxy_to, playbooks, tmp_path):
    """One changes something, one is refused by the brokers, one has wrong arguments. Tasks are files, as over ssh without pipelining."""
    cluster = cluster_of(secured_stack, "main")
    proxy = proxy_to(cluster.url, gate("planted-rest")[0])
    user = login(secured, "SCRAM-SHA-512", "admin")
    certificate = login(secured, "SSL with a pass phrase", "admin")
    planted = {**_options(), "kafka_connect_url": proxy.url, "kafka_connect_offset_topic": cluster.offset_topic,
               "kafka_options": {"sasl.oauthbearer.client.secret": "planted-client"},
               **{f"kafka_{name}": user[name] for name in ("bootstrap_servers", "security_protocol", "sasl_mechanism", "sasl_username",
                                                           "sasl_password", "ssl_ca_path")},
               **{f"kafka_{name}": certificate[name] for name in ("ssl_cert_path", "ssl_key_path", "ssl_key_password")}}
    del planted["kafka_timeout"]
    secrets = [user["sasl_password"], certificate["ssl_key_password"], "planted-"]
    runs = {"right": {}, "refused": {"kafka_sasl_password": "planted-and-wrong"}, "wrong": {"kafka_security_protocol": "TLS"}}
    (tmp_path / "tmp").mkdir()
    env = {"ANSIBLE_PIPELINING": "0", "ANSIBLE_LOG_PATH": str(tmp_path / "ansible.log"), "TMPDIR": str(tmp_path / "tmp"),
           **{f"ANSIBLE_{name}_TEMP": str(tmp_path / "tmp" / name) for name in ("LOCAL", "REMOTE")}}
    desired = [{"name": "scanned", "offsets": [at(1)]}]
    with Watch(secrets, tmp_path / "tmp") as watch:
        played = {name: playbooks.reset({"eu": {**planted, **changed}}, desired, "-vvvv", "--diff", env=env, reset_offsets_method="topic",
                                        reset_offsets_change_id="CHG-1") for name, changed in runs.items()}
    assert [play.rc for play in played.values()] == [0, 2, 2], "\n".join(map(str, played.values()))
    assert connector.offsets("scanned") == [at(1)]
    assert "Check the user admin and its password." in played["refused"].failure("eu")
    logged = (tmp_path / "ansible.log").read_text()
    assert "PLAY RECAP" in logged and watch.rounds > 10 and not watch.found
    for text in (*(play.text for play in played.values()), logged):
        assert not [secret for secret in secrets if secret in text]
    own = {tmp_path / "inventory.json"}
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path not in own]
    assert not [path for path in files if any(secret.encode() in path.read_bytes() for secret in secrets)]
    assert not [path for path in (tmp_path / "tmp" / "REMOTE").rglob("*") if path.is_file()]
