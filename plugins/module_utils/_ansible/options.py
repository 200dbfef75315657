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


#: what the variables of Kubernetes begin with that AWX's credentials set, and other collections read
_K8S_AUTH = "K8S_AUTH_"


def _fallback(*names):
    """The value of the first of these environment variables that has one. An empty one counts as unset, as AWX sets those of empty fields."""
    for name in names:
        if os.environ.get(name):
            return os.environ[name]
    raise AnsibleFallbackNotFound


def from_environment(*names, **spec):
    """An option that is taken from the first of these environment variables if a task does not give it."""
    return dict(spec, fallback=(_fallback, list(names)))


def broker_options() -> dict:
    """How to reach a Kafka cluster: as suboptions of a cluster by these names, as options of the connection with ``kafka_`` before them."""
    return dict(
        bootstrap_servers=dict(type="list", elements="str"),
        security_protocol=dict(type="str", choices=_PROTOCOLS),
        sasl_mechanism=dict(type="str"),
        sasl_username=dict(type="str"),
        sasl_password=dict(type="str", no_log=True),
        sasl_token=dict(type="str", no_log=True),
        ssl_ca_path=dict(type="path"),
        ssl_cert_path=dict(type="path"),
        ssl_key_path=dict(type="path", no_log=False),
        ssl_key_password=dict(type="str", no_log=True),
    )


def _source_clusters_option() -> dict:
    options = dict(broker_options(), alias=dict(type="str", required=True), kafka_options=dict(type="dict"))
    options["bootstrap_servers"]["required"] = True
    return dict(type="list", elements="dict", options=options, aliases=["source_clusters"])


def connection_options() -> dict:
    """The options of the action group ``connect``, documented in doc_fragments/_connect.py, _kafka.py and _strimzi.py.

    The variable of the host that supplies an option has its name (plugins/action/connector.py), so has the environment variable, in capitals. Aliases are the
    names of before. By a namespace a connector is taken for one of Strimzi's operator, so that has no environment variable.
    """
    kafka = {"kafka_" + name: dict(spec, aliases=[name]) for name, spec in broker_options().items()}
    simple = dict(
        kafka,
        kafka_connect_url=dict(type="list", elements="str", aliases=["connect_url", "url"]),
        kafka_connect_username=dict(type="str", aliases=["url_username"]),
        kafka_connect_password=dict(type="str", no_log=True, aliases=["url_password"]),
        kafka_connect_token=dict(type="str", no_log=True, aliases=["bearer_token"]),
        kafka_connect_validate_certs=dict(type="bool", default=True, aliases=["validate_certs"]),
        kafka_connect_ca_path=dict(type="path", aliases=["ca_path"]),
        kafka_connect_client_cert=dict(type="path", aliases=["client_cert"]),
        kafka_connect_client_key=dict(type="path", aliases=["client_key"]),
        kafka_connect_use_proxy=dict(type="bool", default=True, aliases=["use_proxy"]),
        kafka_connect_timeout=dict(type="int", default=120, aliases=["timeout"]),
        kafka_timeout=dict(type="int", default=30),
        k8s_kubeconfig=dict(type="path", aliases=["kubeconfig"]),
        k8s_context=dict(type="str", aliases=["context"]),
        k8s_host=dict(type="str", aliases=["host"]),
        k8s_api_key=dict(type="str", no_log=True, aliases=["api_key"]),
        k8s_ca_cert=dict(type="path", aliases=["ca_cert", "ssl_ca_cert"]),
        k8s_verify_ssl=dict(type="bool", aliases=["verify_ssl"]),
    )
    return dict(
        {name: from_environment(*_environment(name, spec.get("aliases", ())), **spec) for name, spec in simple.items()},
        kafka_options=dict(type="dict"),
        kafka_connect_source_clusters=_source_clusters_option(),
        k8s_namespace=dict(type="str", aliases=["namespace"]),
        k8s_connect_cluster=dict(type="str", aliases=["connect_cluster"]),
    )


def _environment(name: str, aliases) -> list:
    """The variables for an option."""
    return [name.upper()] + ([_K8S_AUTH + aliases[-1].upper()] if name.startswith("k8s_") else [])


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
