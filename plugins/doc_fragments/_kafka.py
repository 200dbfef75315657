# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may use it, its content can change at any time.

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  kafka_bootstrap_servers:
    description:
      - Brokers of the Kafka cluster on which the Connect workers keep their offsets, as C(host:port).
      - All modules of the action group take the options of Kafka, so that they can be set once; those that only talk to Connect's
        REST API do not use them.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_BOOTSTRAP_SERVERS)
        (several separated by commas).
    type: list
    elements: str
    aliases: [bootstrap_servers]
  kafka_security_protocol:
    description:
      - How to connect to the brokers. Plain text by default.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_SECURITY_PROTOCOL).
    type: str
    choices: [PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL]
    aliases: [security_protocol]
  kafka_sasl_mechanism:
    description:
      - How to log in, such as V(PLAIN), V(SCRAM-SHA-256), V(SCRAM-SHA-512) or V(OAUTHBEARER). Needed with a SASL protocol.
      - V(OAUTHBEARER) needs O(kafka_sasl_token), or in O(kafka_options) C(sasl.oauthbearer.method=oidc) and the settings that belong to it.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_SASL_MECHANISM).
    type: str
    aliases: [sasl_mechanism]
  kafka_sasl_username:
    description:
      - User for V(PLAIN) and SCRAM.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_SASL_USERNAME).
    type: str
    aliases: [sasl_username]
  kafka_sasl_password:
    description:
      - Password for V(PLAIN) and SCRAM.
      - Ansible masks every value in a task's result that contains this text, so a very short password damages results.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_SASL_PASSWORD).
    type: str
    aliases: [sasl_password]
  kafka_sasl_token:
    description:
      - Token for V(OAUTHBEARER), got by something else, such as a lookup. It must be valid until the task has ended.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_SASL_TOKEN).
    type: str
    aliases: [sasl_token]
  kafka_ssl_ca_path:
    description:
      - PEM file with the certificate authorities to trust for the brokers instead of the public ones. Their certificates are always
        verified, unless O(kafka_options) says otherwise.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_SSL_CA_PATH).
    type: path
    aliases: [ssl_ca_path]
  kafka_ssl_cert_path:
    description:
      - PEM file with the client's certificate for the brokers.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_SSL_CERT_PATH).
    type: path
    aliases: [ssl_cert_path]
  kafka_ssl_key_path:
    description:
      - PEM file with the key of O(kafka_ssl_cert_path).
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_SSL_KEY_PATH).
    type: path
    aliases: [ssl_key_path]
  kafka_ssl_key_password:
    description:
      - Pass phrase of O(kafka_ssl_key_path).
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_SSL_KEY_PASSWORD).
    type: str
    aliases: [ssl_key_password]
  kafka_options:
    description:
      - Further settings of the Kafka client, by their names in librdkafka, such as C(sasl.oauthbearer.method) or
        C(ssl.endpoint.identification.algorithm). Values of settings whose names contain password,
        pass phrase, secret, token or private key are masked.
      - C(transactional.id) replaces the one that a change uses, which is C(streamops.kafka_connect.TOPIC.CONNECTOR).
      - If not set, the variable of the host with this name is used.
    type: dict
  kafka_timeout:
    description:
      - Seconds to wait for an answer of the brokers, or without any progress.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_TIMEOUT).
    type: int
    default: 30
  kafka_connect_source_clusters:
    description:
      - How to reach the Kafka clusters that MirrorMaker copies from, each under the alias that it has in the configuration of
        MirrorMaker.
      - A cluster that is not listed is reached as its connector's configuration says (C(source.cluster.bootstrap.servers)), if that needs
        no login.
      - If not set, the variable of the host with this name is used.
    type: list
    elements: dict
    aliases: [source_clusters]
    suboptions:
      alias:
        description: The cluster's alias, C(source.cluster.alias) of the connector.
        type: str
        required: true
      bootstrap_servers:
        description: Its brokers, as C(host:port).
        type: list
        elements: str
        required: true
      security_protocol:
        description: How to connect to the brokers. Plain text by default.
        type: str
        choices: [PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL]
      sasl_mechanism:
        description: How to log in, such as V(PLAIN) or V(SCRAM-SHA-512). Needed with a SASL protocol.
        type: str
      sasl_username:
        description: User for V(PLAIN) and SCRAM.
        type: str
      sasl_password:
        description: Password for V(PLAIN) and SCRAM.
        type: str
      sasl_token:
        description: Token for V(OAUTHBEARER).
        type: str
      ssl_ca_path:
        description: PEM file with the certificate authorities to trust instead of the public ones.
        type: path
      ssl_cert_path:
        description: PEM file with the client's certificate.
        type: path
      ssl_key_path:
        description: PEM file with the key of that certificate.
        type: path
      ssl_key_password:
        description: Pass phrase of that key.
        type: str
      kafka_options:
        description: Further settings of the Kafka client, by their names in librdkafka.
        type: dict
"""
