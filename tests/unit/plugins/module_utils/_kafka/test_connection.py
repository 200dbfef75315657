# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What errors of the client library become."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.connection import Connection
from confluent_kafka import KafkaError


@pytest.fixture
def connection():
    return Connection({"bootstrap.servers": "b:9092"}, 2.5)


@pytest.mark.parametrize("code, more, kind, message", [
    (KafkaError.TOPIC_AUTHORIZATION_FAILED, {}, errors.BrokerDenied,
     "The brokers at b:9092 do not let us read the topic t: the user needs the permission Read and Describe on Topic t."),
    (KafkaError.TOPIC_AUTHORIZATION_FAILED, {"write": True}, errors.BrokerDenied,
     "The brokers at b:9092 do not let us write to the topic t: the user needs the permission Write on Topic t."),
    (KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, {"transactional_id": "id"}, errors.BrokerDenied,
     "The brokers at b:9092 do not let us open a transaction: the user needs the permission Write and Describe on TransactionalId id."),
    (KafkaError.CLUSTER_AUTHORIZATION_FAILED, {}, errors.BrokerDenied, "The brokers at b:9092 do not let us see the topic: words."),
    (KafkaError.GROUP_AUTHORIZATION_FAILED, {}, errors.BrokerDenied, "The brokers at b:9092 do not let us see the topic: words."),
    (KafkaError.UNKNOWN_TOPIC_OR_PART, {}, errors.NoTopic,
     "There is no topic t on the Kafka cluster at b:9092 (or the user may not see it). It was not created."),
    (KafkaError._UNKNOWN_TOPIC, {}, errors.NoTopic, "There is no topic t on the Kafka cluster at b:9092"),
    (KafkaError._AUTHENTICATION, {}, errors.BrokerDenied, "The brokers at b:9092 do not accept the credentials: words."),
    (KafkaError.SASL_AUTHENTICATION_FAILED, {}, errors.BrokerDenied, "The brokers at b:9092 do not accept the credentials: words."),
    (KafkaError.UNSUPPORTED_SASL_MECHANISM, {}, errors.BrokerDenied, "The brokers at b:9092 do not accept the credentials: words."),
    (KafkaError._TRANSPORT, {}, errors.BrokersUnreachable,
     "No answer from the Kafka brokers at b:9092 about the topic within 2.5 s: words."),
    (KafkaError._SSL, {}, errors.BrokerError, "TLS with the brokers at b:9092 failed: words."),
])
def test_failures(connection, code, more, kind, message):
    error = connection.failure("the topic", KafkaError(code, "words"), "t", **more)
    assert error.__class__ is kind and error.message.startswith(message)
    assert error.facts == {"bootstrap_servers": "b:9092", "kafka_error": KafkaError(code).name()}


KERBEROS = "Check the principal and its keytab, or get a ticket with kinit; and check sasl.kerberos.service.name in kafka_options."


@pytest.mark.parametrize("settings, reason, message", [
    ({"sasl.mechanism": "PLAIN", "sasl.username": "ops"}, "sasl_ssl://h:1/bootstrap: words (after 304ms in state AUTH_REQ)",
     "The brokers at b:9092 do not accept the credentials: words. Check the user ops and its password."),
    ({"sasl.mechanism": "OAUTHBEARER"}, 'SASL authentication error: {"status":"invalid_token"}',
     'The brokers at b:9092 do not accept the credentials: SASL authentication error: {"status":"invalid_token"}. Check the token: its audience, its '
     'issuer, its signature, when it ends.'),
    ({"sasl.mechanism": "OAUTHBEARER"}, "SASL OAUTHBEARER mechanism handshake failed: Broker: Unsupported SASL mechanism: broker's supported mechanisms: PLAIN",
     "The brokers at b:9092 do not support the SASL mechanism: SASL OAUTHBEARER mechanism handshake failed: Broker: Unsupported SASL mechanism: broker's "
     "supported mechanisms: PLAIN. Set kafka_sasl_mechanism to one that they support."),
    ({"sasl.mechanism": "GSSAPI"}, "Failed to initialize SASL authentication: SASL handshake failed (start (-1)): SASL(-1): generic failure: GSSAPI Error: "
     "No credentials were supplied, or the credentials were unavailable or inaccessible (No Kerberos credentials available (default cache: FILE:/c))",
     f"The Kerberos login at the brokers b:9092 failed: No Kerberos credentials available (default cache: FILE:/c). {KERBEROS}"),
    ({"sasl.mechanism": "GSSAPI"}, "Failed to initialize SASL authentication: SASL handshake failed (start (-1)): SASL(-1): generic failure: GSSAPI Error: "
     "Unspecified GSS failure.  Minor code may provide more information (Server kafka2/h@EXAMPLE.COM not found in Kerberos database)",
     f"The Kerberos login at the brokers b:9092 failed: Server kafka2/h@EXAMPLE.COM not found in Kerberos database. {KERBEROS}"),
    ({"sasl.mechanism": "OAUTHBEARER"}, "Failed to acquire SASL OAUTHBEARER token: Must supply an unexpired token: now=2ms, exp=1ms",
     "The token for the Kafka brokers at b:9092 has expired: get a new one."),
])
def test_refused_logins(settings, reason, message):
    """The words of the library are those with real brokers and with a KDC. (The brokers of the integration tests have no Kerberos, and all else.)"""
    error = Connection({"bootstrap.servers": "b:9092", **settings}, 2.5).failure("the topic", KafkaError(KafkaError._AUTHENTICATION, reason))
    assert (error.__class__, error.message) == (errors.BrokerDenied, message)


def test_silence(connection):
    error = connection.failure("the topic", None)
    assert error.__class__ is errors.BrokersUnreachable and error.facts == {"bootstrap_servers": "b:9092", "kafka_error": None}
    assert error.message == "No answer from the Kafka brokers at b:9092 about the topic within 2.5 s."


def test_the_reason_is_told_rather_than_that_all_brokers_are_down(connection):
    connection.hear(KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down"))
    assert connection.failure("x", connection.heard).message.endswith("within 2.5 s: 1/1 brokers are down.")
    connection.hear(KafkaError(KafkaError._TRANSPORT, "connection refused"))
    connection.hear(KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down"))
    assert connection.failure("x", KafkaError(KafkaError._TIMED_OUT, "timed out")).message.endswith("within 2.5 s: connection refused.")


def test_options_that_the_client_library_refuses():
    client = KafkaClient({"bootstrap.servers": "b:9092", "no.such.setting": "x"})
    with pytest.raises(errors.DeclarationError, match='The Kafka options cannot be used: No such configuration property: "no.such.setting"'):
        client.admin.topic("t")


@pytest.mark.parametrize("value, word", [("maybe", "enable.ssl.certificate.verification"),
                                         ({"a": 1}, "enable.ssl.certificate.verification")])
def test_values_that_the_client_library_refuses(value, word):
    client = KafkaClient({"bootstrap.servers": "b:9092", "enable.ssl.certificate.verification": value})
    with pytest.raises(errors.DeclarationError, match="The Kafka options cannot be used: .*" + word):
        client.admin.topic("t")
