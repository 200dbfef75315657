# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a worker's property file tells."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.worker_config import OPTIONS, options_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

STANDALONE = "bootstrap.servers=a:9092\noffset.storage.file.filename=/var/lib/connect.offsets\n"
DISTRIBUTED = "bootstrap.servers=a:9092, b:9092,\ngroup.id=eu\noffset.storage.topic=eu-offsets\n"
LOGIN = ("security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n"
         "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username=%s password=%s;\n")
JKS = "security.protocol=SSL\nssl.truststore.location=/etc/trust.jks\n"


def test_standalone():
    assert options_of(STANDALONE, "w") == {"offset_file": "/var/lib/connect.offsets", "kafka_bootstrap_servers": ["a:9092"]}


def test_distributed():
    assert options_of(DISTRIBUTED, "w") == {
        "offset_topic": "eu-offsets", "kafka_connect_group": "eu", "kafka_bootstrap_servers": ["a:9092", "b:9092"]}


def test_lines_of_both_kinds():
    """As the files that come with Kafka, which were edited. A standalone worker has no group, a distributed one no file."""
    assert "offset_file" not in options_of(DISTRIBUTED + "offset.storage.file.filename=relative", "w")
    assert "kafka_connect_group" not in options_of(STANDALONE + "group.id=x\noffset.storage.topic=", "w")


def test_what_is_given_is_not_looked_at():
    assert options_of(DISTRIBUTED, "w", ("kafka_bootstrap_servers", "offset_topic")) == {"kafka_connect_group": "eu"}
    assert options_of(STANDALONE, "w", OPTIONS) == {}


@pytest.mark.parametrize("user, password, found", [
    ('"ops"', '"s3cret"', ("ops", "s3cret")),
    ("ops", "s3cret", ("ops", "s3cret")),
    ('"o\\\\"ps"', '"a;b = \\\\\\\\"', ('o"ps', "a;b = \\")),
])
def test_login(user, password, found):
    told = options_of(DISTRIBUTED + LOGIN % (user, password), "w")
    assert (told["kafka_sasl_username"], told["kafka_sasl_password"]) == found
    assert (told["kafka_security_protocol"], told["kafka_sasl_mechanism"]) == ("SASL_SSL", "PLAIN")


def test_pem_files():
    told = options_of(DISTRIBUTED + "ssl.truststore.type=PEM\nssl.truststore.location=/ca\nssl.keystore.type=pem\n"
                      "ssl.keystore.location=/me\nssl.key.password=x", "w")
    assert {name: told[name] for name in told if name.startswith("kafka_ssl")} == {
        "kafka_ssl_ca_path": "/ca", "kafka_ssl_cert_path": "/me", "kafka_ssl_key_path": "/me", "kafka_ssl_key_password": "x"}


@pytest.mark.parametrize("text, words", [
    (DISTRIBUTED + JKS, "w: ssl.truststore.location is a JKS store, which only Java reads. Give kafka_ssl_ca_path as PEM files."),
    (DISTRIBUTED + "ssl.keystore.location=/k\nssl.keystore.type=PKCS12",
     "a PKCS12 store, which only Java reads. Give kafka_ssl_cert_path and kafka_ssl_key_path"),
    (DISTRIBUTED + LOGIN % ('"a"', '"${file:/x:y}"'), "w: the value for kafka_sasl_password is a reference to a config provider"),
    ("offset.storage.file.filename=${env:FILE}", "the value for offset_file is a reference"),
    ("offset.storage.file.filename=connect.offsets", "is connect.offsets, which is relative to the folder where the worker was started"),
    ("", "w is no property file of a worker: it has neither offset.storage.topic nor offset.storage.file.filename."),
    ("name=local-file-source\nconnector.class=FileStreamSource", "no property file of a worker"),
    ('{"offset.storage.topic": "x"}', "no property file of a worker"),
])
def test_what_cannot_be_used(text, words):
    with pytest.raises(DeclarationError) as caught:
        options_of(text, "w")
    assert words in caught.value.message


def test_jks_beside_pem_files_that_are_given():
    assert options_of(DISTRIBUTED + JKS, "w", ["kafka_ssl_ca_path"])["offset_topic"] == "eu-offsets"


@pytest.mark.parametrize("more", [JKS, LOGIN % ('"a"', '"${file:/x:y}"')])
def test_a_file_needs_no_brokers(more):
    """Nothing that is wrong with them may be in its way."""
    assert options_of(STANDALONE + more, "w", brokers=False) == {"offset_file": "/var/lib/connect.offsets"}
    with pytest.raises(DeclarationError):
        options_of(STANDALONE + more, "w")
    with pytest.raises(DeclarationError):
        options_of(DISTRIBUTED + more, "w", brokers=False)


def test_no_secret_is_told():
    with pytest.raises(DeclarationError) as caught:
        options_of(DISTRIBUTED + JKS + LOGIN % ('"a"', '"s3cret"'), "w")
    assert "s3cret" not in caught.value.message
