# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a Kafka cluster become settings of the client library."""

from __future__ import annotations

import json

import pytest
from ansible.module_utils import basic
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible import brokers as opener
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible import runner
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.connect import connect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka import client as kafka_client
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._ansible.test_runner import patch_module_args

BROKERS = {"kafka_bootstrap_servers": "b1:9092,b2:9092"}
NAMES = ("BOOTSTRAP_SERVERS", "SECURITY_PROTOCOL", "SASL_MECHANISM", "SASL_USERNAME", "SASL_PASSWORD", "SASL_TOKEN", "SSL_CA_PATH", "SSL_CERT_PATH",
         "SSL_KEY_PATH", "SSL_KEY_PASSWORD", "TIMEOUT")


class Outcome:
    """What a run returned, the settings and time limit of its KafkaClient, what the action was given, the warnings."""


@pytest.fixture
def run(monkeypatch, capsys):
    for name in NAMES:
        monkeypatch.delenv("KAFKA_" + name, raising=False)
    monkeypatch.delenv("KAFKA_CONNECT_URL", raising=False)

    def run(args, result=None, brokers=True):
        outcome = Outcome()
        outcome.settings, outcome.timeout, outcome.warnings, outcome.given = None, None, [], None
        real = kafka_client.KafkaClient

        def client(settings, timeout):
            outcome.settings, outcome.timeout = settings, timeout
            return real(settings, timeout)

        def action(*given):
            outcome.given = given
            return dict(result or {}, changed=False)

        with pytest.MonkeyPatch.context() as patch, patch_module_args(args):
            patch.setattr(kafka_client, "KafkaClient", client)
            patch.setattr(basic.AnsibleModule, "warn", lambda module, text, **more: outcome.warnings.append(text))
            with pytest.raises(SystemExit) as ended:
                runner.run({}, action, connect=connect, brokers=opener.brokers if brokers else None)
        outcome.code = ended.value.code
        outcome.result = json.loads(capsys.readouterr().out)
        outcome.everything = dict(outcome.result)
        outcome.result.pop("invocation", None)
        return outcome

    return run


def test_brokers_alone(run):
    done = run(BROKERS)
    assert (done.code, done.warnings, done.timeout) == (0, [], 30)
    assert done.settings == {"bootstrap.servers": "b1:9092,b2:9092"}
    client, kafka, _params, check_mode = done.given
    assert (client, kafka.brokers, kafka.timeout, check_mode) == (None, "b1:9092,b2:9092", 30, False)


def test_without_brokers_there_is_no_client(run):
    for servers in (None, "", ["", " "]):
        done = run({"kafka_connect_url": "http://h:8083", "kafka_bootstrap_servers": servers, "kafka_timeout": 0, "kafka_sasl_username": "u"})
        assert done.code == 0 and done.settings is None and done.given[0].url == "http://h:8083" and done.given[1] is None


def test_a_module_without_the_topic_road_makes_no_client(run):
    done = run(dict(BROKERS, kafka_connect_url="http://h:8083", kafka_timeout=0), brokers=False)
    assert done.code == 0 and done.settings is None and len(done.given) == 3


ALL = dict(BROKERS, kafka_security_protocol="SASL_SSL", kafka_sasl_mechanism="SCRAM-SHA-512", kafka_sasl_username="ops", kafka_sasl_password="s3cret-word",
           kafka_ssl_ca_path="/ca", kafka_ssl_cert_path="/cert", kafka_ssl_key_path="/key", kafka_ssl_key_password="k3y-word", kafka_timeout=7)
SETTINGS = {
    "bootstrap.servers": "b1:9092,b2:9092", "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "ops",
    "sasl.password": "s3cret-word", "ssl.ca.location": "/ca", "ssl.certificate.location": "/cert", "ssl.key.location": "/key",
    "ssl.key.password": "k3y-word"}


def test_options_become_settings(run):
    done = run(ALL)
    assert (done.settings, done.timeout, done.warnings) == (SETTINGS, 7, [])


def test_environment(run, monkeypatch):
    for name, value in ALL.items():
        monkeypatch.setenv("KAFKA_" + name.upper().replace("KAFKA_", ""), str(value))
    done = run({})
    assert (done.settings, done.timeout) == (SETTINGS, 7)
    assert run({"kafka_sasl_username": "other", "kafka_bootstrap_servers": "b3:9092"}).settings == dict(
        SETTINGS, **{"sasl.username": "other", "bootstrap.servers": "b3:9092"})
    for name in NAMES:
        monkeypatch.setenv("KAFKA_" + name, "")
    assert run(BROKERS).settings == {"bootstrap.servers": "b1:9092,b2:9092"}


def test_further_settings_are_handed_on_and_win(run):
    done = run(dict(BROKERS, kafka_security_protocol="SSL", kafka_options={
        "security.protocol": "PLAINTEXT", "ssl.endpoint.identification.algorithm": "none", "socket.timeout.ms": 5000, "debug": None}))
    assert done.settings == {"bootstrap.servers": "b1:9092,b2:9092", "security.protocol": "PLAINTEXT",
                             "ssl.endpoint.identification.algorithm": "none", "socket.timeout.ms": 5000}


@pytest.mark.parametrize("options, words", [
    ({"kafka_timeout": 0}, "kafka_timeout must be at least 1 second, it is 0."),
    ({"kafka_security_protocol": "SASL_SSL"}, "kafka_security_protocol SASL_SSL needs kafka_sasl_mechanism."),
    ({"kafka_security_protocol": "SASL_PLAINTEXT", "kafka_sasl_username": "u"}, "kafka_security_protocol SASL_PLAINTEXT needs kafka_sasl_mechanism."),
    ({"kafka_sasl_mechanism": "PLAIN"}, "kafka_sasl_mechanism, kafka_sasl_username and kafka_sasl_password need kafka_security_protocol SASL_SSL or "
     "SASL_PLAINTEXT."),
    ({"kafka_sasl_username": "u"}, "kafka_sasl_mechanism, kafka_sasl_username and kafka_sasl_password need"),
    ({"kafka_sasl_password": "s3cret-word", "kafka_security_protocol": "SSL"}, "kafka_sasl_mechanism, kafka_sasl_username and kafka_sasl_password need"),
    ({"kafka_sasl_mechanism": "PLAIN", "kafka_security_protocol": "PLAINTEXT"}, "kafka_sasl_mechanism, kafka_sasl_username and kafka_sasl_password need"),
    ({"kafka_security_protocol": "SASL_SSL", "kafka_sasl_mechanism": "PLAIN", "kafka_sasl_token": "s3cret-word"},
     "kafka_sasl_token needs kafka_sasl_mechanism OAUTHBEARER."),
    ({"kafka_security_protocol": "TLS"}, "value of kafka_security_protocol must be one of: PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
])
def test_options_that_do_not_fit_together(run, options, words):
    done = run(dict(BROKERS, **options))
    assert done.code == 1 and words in done.result["msg"] and done.given is None and done.settings is None
    assert "s3cret" not in json.dumps(done.result)


def test_neither_worker_nor_brokers(run):
    done = run({})
    assert done.result["msg"] == (
        "kafka_connect_url is missing: give the URL of at least one worker of the Connect cluster, or kafka_bootstrap_servers to work on the offsets "
        "topic alone.")


def test_without_the_client_library(run, monkeypatch):
    monkeypatch.setattr(kafka_client, "KAFKA_TRACEBACK", "ImportError: confluent_kafka")
    done = run(BROKERS)
    assert done.code == 1 and "Failed to import the required Python library (confluent-kafka)" in done.result["msg"]
    assert run({"kafka_connect_url": "http://h:8083"}).code == 0


@pytest.mark.parametrize("options, words", [
    ({"kafka_security_protocol": "SASL_PLAINTEXT", "kafka_sasl_mechanism": "PLAIN", "kafka_sasl_password": "s3cret-word"},
     ["The password for Kafka is sent in clear text; use SASL_SSL."]),
    ({"kafka_security_protocol": "SASL_PLAINTEXT", "kafka_sasl_mechanism": "OAUTHBEARER", "kafka_sasl_token": "s3cret-word"},
     ["The token for Kafka is sent in clear text; use SASL_SSL."]),
    ({"kafka_security_protocol": "SASL_PLAINTEXT", "kafka_sasl_mechanism": "SCRAM-SHA-256", "kafka_sasl_password": "s3cret-word"}, []),
    ({"kafka_security_protocol": "SASL_SSL", "kafka_sasl_mechanism": "PLAIN", "kafka_sasl_password": "12345"},
     ["kafka_sasl_password is so short that Ansible masks"]),
    ({"kafka_security_protocol": "SSL", "kafka_ssl_key_password": "12345"}, ["kafka_ssl_key_password is so short that Ansible masks"]),
])
def test_warnings(run, options, words):
    done = run(dict(BROKERS, **options))
    assert [warning[:len(word)] for warning, word in zip(done.warnings, words, strict=True)] == words


@pytest.mark.parametrize("name", [
    "sasl.password", "ssl.key.password", "ssl.keystore.password", "ssl.key.pem", "sasl.oauthbearer.config",
    "sasl.oauthbearer.client.secret",
    "SASL.PASSWORD", "sasl.oauthbearer.assertion.private.key.passphrase", "sasl.oauthbearer.assertion.private.key.pem",
])
def test_secrets_among_further_settings_are_masked(run, name):
    done = run(dict(BROKERS, kafka_options={name: "s3cret-word"}), {"seen": "x s3cret-word x"})
    assert done.settings[name] == "s3cret-word" and done.result["seen"] == "x ******** x"


@pytest.mark.parametrize("wrong", [
    {"kafka_security_protocol": "TLS"}, {"kafka_timeout": "soon"}, {"nonsense": 1}, {"kafka_options": "{'ssl.key.pem': 's3cret-word"},
    {"kafka_connect_source_clusters": [{"alias": "a", "kafka_options": {"ssl.key.pem": "s3cret-word"}}]},
    {"kafka_connect_source_clusters": "{'ssl.key.pem': 's3cret-word"},
])
def test_secrets_are_masked_where_arguments_are_refused(run, wrong):
    done = run(dict(BROKERS, kafka_options={"ssl.key.pem": "s3cret-word"}) | wrong)
    assert done.code == 1 and done.given is None and "s3cret" not in json.dumps(done.everything)


@pytest.mark.parametrize("name", ["sasl.username", "ssl.ca.location", "client.id", "socket.timeout.ms"])
def test_other_settings_are_not_masked(run, name):
    assert run(dict(BROKERS, kafka_options={name: "plain-word"}), {"seen": "x plain-word x"}).result["seen"] == "x plain-word x"


def test_passwords_are_masked(run):
    done = run(ALL, {"seen": "s3cret-word k3y-word ops"})
    assert done.result["seen"] == "******** ******** ops"
