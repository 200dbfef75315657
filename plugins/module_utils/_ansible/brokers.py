# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Kafka's brokers, and those of the clusters that MirrorMaker copies from, as the options say how to reach them."""

from __future__ import annotations

import contextlib

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import by_file_alone, given
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, LibraryMissing
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KAFKA_TRACEBACK, KafkaClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.source_clusters import SourceClusters


@contextlib.contextmanager
def brokers(module):
    """A KafkaClient; None without bootstrap_servers, and where a standalone worker's file will do. Raises DeclarationError for options that do not
    fit together."""
    params = module.params
    if not given(params["bootstrap_servers"]) or by_file_alone(params):
        yield None
        return
    if KAFKA_TRACEBACK:
        raise LibraryMissing("confluent-kafka", KAFKA_TRACEBACK)
    if params["kafka_timeout"] < 1:
        raise DeclarationError("kafka_timeout must be at least 1 second, it is %d." % params["kafka_timeout"])
    with contextlib.closing(KafkaClient(_kafka_settings(module, params), params["kafka_timeout"])) as client:
        yield client


@contextlib.contextmanager
def source_clusters(module):
    """SourceClusters, maybe of none. Raises DeclarationError for options that do not fit together."""
    with contextlib.closing(_given_clusters(module)) as clusters:
        yield clusters


def cluster_asked(kafka, sources, alias):
    """The KafkaClient of the option ``cluster``: that of bootstrap_servers, or one of source_clusters. Raises DeclarationError."""
    if alias and alias.strip():
        return sources.named(alias.strip())
    if kafka is None:
        raise DeclarationError("bootstrap_servers is empty: give at least one broker, as an option or as the variable kafka_bootstrap_servers of the host.")
    return kafka


def _given_clusters(module) -> SourceClusters:
    found = {}
    for number, one in enumerate(module.params["source_clusters"] or []):
        where = "source_clusters[%d]: " % number
        alias = one["alias"].strip()
        if not alias or alias in found:
            raise DeclarationError("%salias %s." % (where, "is empty" if not alias else "%s is there twice" % alias))
        if not given(one["bootstrap_servers"]):
            raise DeclarationError("%sbootstrap_servers is empty: give at least one broker of %s." % (where, alias))
        found[alias] = _kafka_settings(module, one, where)
    return SourceClusters(found, module.params["kafka_timeout"])


def _kafka_settings(module, params, where="") -> dict:
    """librdkafka's, of the options of one cluster. Raises DeclarationError for options that do not fit together."""
    sasl = (params["security_protocol"] or "").startswith("SASL_")
    if sasl and not params["sasl_mechanism"]:
        raise DeclarationError("%ssecurity_protocol %s needs sasl_mechanism." % (where, params["security_protocol"]))
    if not sasl and (params["sasl_mechanism"] or params["sasl_username"] or params["sasl_password"]):
        raise DeclarationError("%ssasl_mechanism, sasl_username and sasl_password need security_protocol SASL_SSL or SASL_PLAINTEXT." % where)
    if params["security_protocol"] == "SASL_PLAINTEXT" and params["sasl_mechanism"] == "PLAIN":
        module.warn("%sThe password for Kafka is sent in clear text; use SASL_SSL." % where)
    named = {
        "bootstrap.servers": ",".join(given(params["bootstrap_servers"])), "security.protocol": params["security_protocol"],
        "sasl.mechanism": params["sasl_mechanism"], "sasl.username": params["sasl_username"], "sasl.password": params["sasl_password"],
        "ssl.ca.location": params["ssl_ca_path"], "ssl.certificate.location": params["ssl_cert_path"],
        "ssl.key.location": params["ssl_key_path"], "ssl.key.password": params["ssl_key_password"],
    }
    settings = {name: value for name, value in named.items() if value not in (None, "")}
    settings.update((name, value) for name, value in (params["kafka_options"] or {}).items() if value is not None)
    return settings
