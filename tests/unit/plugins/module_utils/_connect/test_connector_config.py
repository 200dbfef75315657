# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import connector_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

MASK = "********"


@pytest.mark.parametrize("value, text", [
    (1, "1"), (9223372036854775807, "9223372036854775807"), (1.5, "1.5"), (True, "true"), (False, "false"), ("", ""),
    ("True", "True"), ("a,b", "a,b"), ('{"a": 1}', '{"a": 1}'), ("é", "é"),
])
def test_as_text(value, text):
    assert connector_config.as_text({"x": value, "gone": None}) == {"x": text}


@pytest.mark.parametrize("value, words",
                         [({"a": 1}, 'the dictionary {"a": 1}'), (["a"], 'the list ["a"]'), ([], "the list []")])
def test_as_text_refuses_structures(value, words):
    with pytest.raises(DeclarationError) as caught:
        connector_config.as_text({"topics": value})
    assert caught.value.message.startswith(f"config.topics is {words}; Connect takes only text there")


@pytest.mark.parametrize("name", [
    "database.password", "connection.password", "ssl.keystore.password", "ssl.key.password", "ssl.keystore.key",
    "consumer.override.sasl.jaas.config", "sasl.jaas.config", "aws.secret.access.key", "camel.kamelet.x.secretKey",
    "value.converter.basic.auth.user.info", "splunk.hec.token", "snowflake.private.key",
    "snowflake.private.key.passphrase",
    "azure.sas.key", "confluent.license.api.key", "gcs.credentials.json", "PASSWORD", "vault.secret.id",
    "connection.pwd",
])
def test_secret_names(name):
    assert connector_config.masked({name: "abc", "x": "abc"}) == {name: MASK, "x": "abc"}
    assert connector_config.secrets({name: "abc", "x": "def"}) == {"abc"}


@pytest.mark.parametrize("name, value", [
    ("ssl.truststore.location", "/etc/trust.jks"), ("ssl.keystore.type", "PKCS12"),
    ("gcs.credentials.path", "/run/key.json"),
    ("aws.access.key.id", "AKIA"), ("sasl.oauthbearer.token.endpoint.url", "https://idp/token"),
    ("s3.credentials.provider.class", "com.amazonaws.X"), ("password.encoder.keyfactory.algorithm", "AES"),
    ("key.converter", "org.apache.X"), ("message.key.columns", "id"), ("pk.mode", "record_key"), ("tasks.max", "1"),
    # a word or a number, which a mask would hit all over the result
    ("value.converter.basic.auth.credentials.source", "USER_INFO"), ("tokens.max", "5"),
    ("password.required", "true"), ("token.refresh.interval", "30"),
])
def test_harmless_names(name, value):
    assert connector_config.masked({name: value}) == {name: value}
    assert connector_config.secrets({name: value}) == set()


@pytest.mark.parametrize("name, value", [
    ("database.password", "${file:/run/secrets/db.properties:password}"), ("database.password", "${vault:a}"),
    ("database.password", ""), ("connection.url", "postgresql://u:${env:PW}@db/x"),
    ("connection.url", "jdbc:x://h;password=${env:PW}"),
    ("connection.url", "http://h:8083/a@b"), ("connect_url", "http://h:8083,http://i:8083"),
])
def test_references_are_visible(name, value):
    assert connector_config.masked({name: value}) == {name: value}
    assert connector_config.secrets({name: value}) == set()


@pytest.mark.parametrize("value, shown, secret", [
    ("mongodb://u:s3cret@h1:27017,h2:27017/x", "mongodb://u:%s@h1:27017,h2:27017/x", "s3cret"),
    ("https://u:s3cret@a,https://b", "https://u:%s@a,https://b", "s3cret"),
    ("redis://:s3cret@h:6379/0", "redis://:%s@h:6379/0", "s3cret"),
    ("amqp://u:s3@cret@h/x", "amqp://u:%s@h/x", "s3@cret"),
    ("jdbc:sqlserver://h;user=sa;password=s3cret;encrypt=true", "jdbc:sqlserver://h;user=sa;password=%s;encrypt=true",
     "s3cret"),
    ("jdbc:postgresql://h/x?user=u&Password=s3cret", "jdbc:postgresql://h/x?user=u&Password=%s", "s3cret"),
    ("jdbc:oracle:thin:scott/s3cret@//h:1521/x", "jdbc:oracle:thin:scott/%s@//h:1521/x", "s3cret"),
    ("BlobEndpoint=https://h;AccountKey=s3cret;x=1", "BlobEndpoint=https://h;AccountKey=%s;x=1", "s3cret"),
    ("https://h/x?access_token=s3cret&y=1", "https://h/x?access_token=%s&y=1", "s3cret"),
])
def test_secrets_inside_urls(value, shown, secret):
    assert connector_config.masked({"connection.url": value}) == {"connection.url": shown % MASK}
    assert connector_config.secrets({"connection.url": value}) == {secret}


def test_a_reference_with_something_around_it_is_masked():
    assert connector_config.masked({"sasl.jaas.config": 'x password="${file:a:b}";'}) == {"sasl.jaas.config": MASK}


@pytest.mark.parametrize("value", ["********", "a://u:********@h", "x?password=******** (new)"])
def test_a_masked_value_is_never_written(value):
    with pytest.raises(DeclarationError, match=r"^config\.url holds \*{8}, which stands for a secret"):
        connector_config.as_text({"a": "1", "url": value})


def test_masked_is_sorted():
    assert list(connector_config.masked({"b": "1", "a": "2"})) == ["a", "b"]


HEADERS = {"before_header": "c (configuration)", "after_header": "c (configuration)"}


@pytest.mark.parametrize("before, after, old, new", [
    (None, {"a": "1", "password": "x"}, {}, {"a": "1", "password": MASK}),
    ({"a": "1"}, None, {"a": "1"}, {}),
    (None, None, {}, {}),
    ({"a": "1", "password": "x"}, {"a": "2", "password": "x"}, {"a": "1", "password": MASK},
     {"a": "2", "password": MASK}),
    ({"password": "x"}, {"password": "y"}, {"password": MASK + " (old)"}, {"password": MASK + " (new)"}),
    ({"url": "a://u:x@h"}, {"url": "a://u:y@h"}, {"url": f"a://u:{MASK}@h (old)"}, {"url": f"a://u:{MASK}@h (new)"}),
    ({"password": "${env:P}"}, {"password": "y"}, {"password": "${env:P}"}, {"password": MASK}),
    ({"password": "x"}, {"a": "1"}, {"password": MASK}, {"a": "1"}),
])
def test_diff(before, after, old, new):
    assert connector_config.diff("c", before, after) == [dict(HEADERS, before=old, after=new)]


def test_what_is_no_dictionary_is_hidden_as_a_whole():
    assert connector_config.secrets("password=x") == {"password=x"}
