# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.client import SECRET, check, inherited, secrets

NONE = {"cluster": "main", "kafka_security_protocol": None, "kafka_sasl_mechanism": None, "kafka_sasl_username": None, "kafka_sasl_password": None,
        "kafka_sasl_token": None, "kafka_ssl_ca_path": None, "kafka_ssl_cert_path": None, "kafka_options": None}


OIDC = {"sasl.oauthbearer.method": "oidc", "sasl.oauthbearer.client.id": "ops", "sasl.oauthbearer.client.secret": 'a"b',
        "sasl.oauthbearer.token.endpoint.url": "https://login/token"}
JAVA = {"sasl.mechanism": "OAUTHBEARER",
        "sasl.login.callback.handler.class": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"}
LOGIN = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"


@pytest.mark.parametrize("given, expected", [
    ({}, {}),
    ({"kafka_options": {"ssl.endpoint.identification.algorithm": "none", "debug": "all"}}, {"ssl.endpoint.identification.algorithm": ""}),
    ({"kafka_options": {"ssl.endpoint.identification.algorithm": "https"}}, {}),
    ({"kafka_security_protocol": "SASL_SSL", "kafka_sasl_mechanism": "SCRAM-SHA-512", "kafka_sasl_username": "u", "kafka_sasl_password": 'a"b\\c'}, {
        "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.jaas.config": r'org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="a\"b\\c";'}),
    ({"kafka_sasl_mechanism": "PLAIN"}, {
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": 'org.apache.kafka.common.security.plain.PlainLoginModule required username="" password="";'}),
    ({"kafka_sasl_mechanism": "OAUTHBEARER", "kafka_options": {**OIDC, "sasl.oauthbearer.scope": "kafka", "https.ca.location": "/ca.pem",
                                                               "sasl.oauthbearer.extensions": "logicalCluster=lkc-1, pool=p"}}, {
        **JAVA, "sasl.oauthbearer.token.endpoint.url": "https://login/token",
        "sasl.jaas.config": LOGIN + r' clientId="ops" clientSecret="a\"b" scope="kafka" extension_logicalCluster="lkc-1" extension_pool="p" '
                                    'ssl.truststore.type="PEM" ssl.truststore.location="/ca.pem";'}),
    ({"kafka_sasl_mechanism": "OAUTHBEARER", "kafka_sasl_token": "x.y.z"},
     {**JAVA, "sasl.oauthbearer.token.endpoint.url": "file:///p/token", "sasl.jaas.config": LOGIN + ";"}),
    ({"kafka_security_protocol": "SSL", "kafka_ssl_ca_path": "/ca.pem", "kafka_ssl_cert_path": "/cert.pem"}, {
        "security.protocol": "SSL", "ssl.truststore.type": "PEM", "ssl.truststore.location": "/ca.pem", "ssl.keystore.type": "PEM",
        "ssl.keystore.location": "/p/keystore.pem"}),
])
def test_inherited(given, expected):
    assert inherited(dict(NONE, **given), "/p/keystore.pem", "/p/token") == expected


@pytest.mark.parametrize("given, options, is_local, words", [
    ({"kafka_sasl_mechanism": "SCRAM-SHA-256"}, {}, True, None),
    ({"kafka_sasl_mechanism": "GSSAPI"}, {"sasl.jaas.config": "x"}, True, None),
    ({"kafka_sasl_mechanism": "GSSAPI"}, {}, True, "For GSSAPI give sasl.jaas.config .* for the cluster main"),
    ({"kafka_sasl_mechanism": "OAUTHBEARER"}, {"sasl.jaas.config": "x"}, False, None),
    ({"kafka_sasl_mechanism": "OAUTHBEARER"}, {}, True, "kafka_sasl_mechanism OAUTHBEARER needs a token: give kafka_sasl_token, or in kafka_options"),
    ({"kafka_sasl_mechanism": "OAUTHBEARER", "kafka_sasl_token": "t"}, {}, True, None),
    ({"kafka_sasl_mechanism": "OAUTHBEARER", "kafka_sasl_token": "t"}, {}, False, "kafka_sasl_token can be used with a local master only. .* main"),
    ({"kafka_sasl_mechanism": "OAUTHBEARER", "kafka_options": OIDC}, {}, False, None),
    ({"kafka_sasl_mechanism": "OAUTHBEARER", "kafka_options": {**OIDC, "sasl.oauthbearer.grant.type": "jwt-bearer"}}, {}, True, "grant.type client_cred"),
    ({"kafka_sasl_mechanism": "OAUTHBEARER", "kafka_options": {"enable.sasl.oauthbearer.unsecure.jwt": True}}, {}, True, "token.endpoint.url and"),
    ({"kafka_ssl_cert_path": "/c"}, {}, True, None),
    ({"kafka_ssl_cert_path": "/c"}, {"ssl.keystore.location": "/k"}, False, None),
    ({"kafka_ssl_cert_path": "/c"}, {}, False, "with a local master only"),
])
def test_check(given, options, is_local, words):
    if words is None:
        check(dict(NONE, **given), options, is_local)
    else:
        with pytest.raises(DeclarationError, match=words):
            check(dict(NONE, **given), options, is_local)


def test_secrets():
    params = {
        "client_options": {"main": {"sasl.jaas.config": r'x required username="u1" password="a\"b";', "ssl.key.password": "geheim", "client.id": "plain"},
                           "odd": "no dictionary"},
        "jdbc_options": {"orders": {"user": "auditor", "password": "jdbc-pass"}},
        "registry_options": {"schemas": {"username": "reader", "token": "bearer-token", "key_password": "phrase"}},
        "spark_conf": {"spark.authenticate.secret": "shared", "spark.executor.memory": "2g", "spark.token.renewal": "true", "x.password": "${file:/f:k}"},
        "expectation": json.dumps({"clusters": {"main": {"sasl.jaas.config": "planted"}}, "tables": {
            "t": {"password": "there", "url": "jdbc:x"}, "f": {"options": {"fs.azure.account.key.shop": "account-key", "sep": ";"}}, "odd": 1}}),
    }
    assert secrets(params) == {r'x required username="u1" password="a\"b";', "u1", r"a\"b", 'a"b', "geheim", "jdbc-pass", "shared", "planted", "there",
                               "bearer-token", "phrase", "account-key"}
    for expectation in ("{oops", [1], {"clusters": [1], "tables": [1]}, {"tables": {"t": {"options": [1]}}}):
        assert secrets({**dict.fromkeys(params), "expectation": expectation}) == set()


def test_the_job_refuses_as_a_secret_what_is_masked_here():
    roles = next(folder for folder in Path(__file__).resolve().parents if (folder / "roles").is_dir()) / "roles"
    text = (roles / "verify_replay" / "files" / "verify_replay" / "targets.py").read_text(encoding="utf-8")
    assert [ast.literal_eval(one.strip()) for one in re.findall(r"^SECRET = re\.compile\((.+?)\)$", text, re.M | re.S)] == [SECRET]


def test_a_login_of_the_users_own_keeps_its_callback_handler():
    given = dict(NONE, kafka_security_protocol="SASL_SSL", kafka_sasl_mechanism="OAUTHBEARER")
    assert inherited(given, "/p/keystore.pem", "/p/token", has_login=True) == {"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"}
