# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The options that several modules have, and what they mean together."""

from __future__ import annotations

import os

from ansible.module_utils.basic import AnsibleFallbackNotFound

_PROTOCOLS = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]


def _fallback(name):
    """Fallback to an environment variable. An empty one counts as unset, as AWX sets those of empty fields."""
    value = os.environ.get(name)
    if not value:
        raise AnsibleFallbackNotFound
    return value


def from_environment(env, **spec):
    """An option that is taken from this environment variable if a task does not give it."""
    return dict(spec, fallback=(_fallback, [env]))


def _source_clusters_option() -> dict:
    return dict(type="list", elements="dict", options=dict(
        alias=dict(type="str", required=True),
        bootstrap_servers=dict(type="list", elements="str", required=True),
        security_protocol=dict(type="str", choices=_PROTOCOLS),
        sasl_mechanism=dict(type="str"),
        sasl_username=dict(type="str"),
        sasl_password=dict(type="str", no_log=True),
        ssl_ca_path=dict(type="path"),
        ssl_cert_path=dict(type="path"),
        ssl_key_path=dict(type="path", no_log=False),
        ssl_key_password=dict(type="str", no_log=True),
        kafka_options=dict(type="dict"),
    ))


def connection_options() -> dict:
    """The options of the action group ``connect``, documented in doc_fragments/_connect.py and _kafka.py."""
    return dict(
        connect_url=from_environment("KAFKA_CONNECT_URL", type="list", elements="str", aliases=["url"]),
        url_username=from_environment("KAFKA_CONNECT_USERNAME", type="str"),
        url_password=from_environment("KAFKA_CONNECT_PASSWORD", type="str", no_log=True),
        bearer_token=from_environment("KAFKA_CONNECT_TOKEN", type="str", no_log=True),
        validate_certs=from_environment("KAFKA_CONNECT_VALIDATE_CERTS", type="bool", default=True),
        ca_path=from_environment("KAFKA_CONNECT_CA_PATH", type="path"),
        client_cert=from_environment("KAFKA_CONNECT_CLIENT_CERT", type="path"),
        client_key=from_environment("KAFKA_CONNECT_CLIENT_KEY", type="path"),
        use_proxy=from_environment("KAFKA_CONNECT_USE_PROXY", type="bool", default=True),
        timeout=from_environment("KAFKA_CONNECT_TIMEOUT", type="int", default=120),
        bootstrap_servers=from_environment("KAFKA_BOOTSTRAP_SERVERS", type="list", elements="str"),
        security_protocol=from_environment("KAFKA_SECURITY_PROTOCOL", type="str", choices=_PROTOCOLS),
        sasl_mechanism=from_environment("KAFKA_SASL_MECHANISM", type="str"),
        sasl_username=from_environment("KAFKA_SASL_USERNAME", type="str"),
        sasl_password=from_environment("KAFKA_SASL_PASSWORD", type="str", no_log=True),
        ssl_ca_path=from_environment("KAFKA_SSL_CA_PATH", type="path"),
        ssl_cert_path=from_environment("KAFKA_SSL_CERT_PATH", type="path"),
        ssl_key_path=from_environment("KAFKA_SSL_KEY_PATH", type="path", no_log=False),
        ssl_key_password=from_environment("KAFKA_SSL_KEY_PASSWORD", type="str", no_log=True),
        kafka_options=dict(type="dict"),
        kafka_timeout=from_environment("KAFKA_TIMEOUT", type="int", default=30),
        source_clusters=_source_clusters_option(),
        kubeconfig=from_environment("K8S_AUTH_KUBECONFIG", type="path"),
        context=from_environment("K8S_AUTH_CONTEXT", type="str"),
        host=from_environment("K8S_AUTH_HOST", type="str"),
        api_key=from_environment("K8S_AUTH_API_KEY", type="str", no_log=True),
        ca_cert=from_environment("K8S_AUTH_SSL_CA_CERT", type="path", aliases=["ssl_ca_cert"]),
        verify_ssl=from_environment("K8S_AUTH_VERIFY_SSL", type="bool"),
        namespace=dict(type="str"),
        connect_cluster=dict(type="str"),
    )


def worker_options() -> dict:
    """Where offsets are, in place of brokers or beside them: a standalone worker's file, or any worker's own configuration."""
    return dict(offset_file=dict(type="path"), worker_config=dict(type="path"))


def given(values) -> list:
    """Of a list of addresses those that are not empty."""
    return [value for value in values or [] if value and value.strip()]


def takes_file_alone(params) -> bool:
    """Will the file of a standalone worker do, if there is one? No brokers are asked then."""
    return params.get("method", "auto") in ("auto", "file") and params.get("ledger") != "topic"


def by_file_alone(params) -> bool:
    """Is there such a file, and will it do?"""
    return bool(params.get("offset_file")) and takes_file_alone(params)
