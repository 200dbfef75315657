# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Kafka's brokers, and those of the clusters that MirrorMaker copies from, as the options say how to reach them."""

from __future__ import annotations

import contextlib

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import broker_options, by_file_alone, given
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, LibraryMissing
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.login import OAUTH, complete
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.source_clusters import SourceClusters

#: settings of librdkafka whose names are not those of the options with dots
_SETTINGS = {"ssl_ca_path": "ssl.ca.location", "ssl_cert_path": "ssl.certificate.location", "ssl_key_path": "ssl.key.location"}


@contextlib.contextmanager
def brokers(module):
    """A KafkaClient; None without kafka_bootstrap_servers, and where a standalone worker's file will do. Raises DeclarationError for options that do not
    fit together."""
    params = module.params
    if not given(params["kafka_bootstrap_servers"]) or by_file_alone(params):
        yield None
        return
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KAFKA_TRACEBACK, KafkaClient
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
    """The KafkaClient of the option ``cluster``: that of kafka_bootstrap_servers, or one of
    kafka_connect_source_clusters. Raises DeclarationError."""
    if alias and alias.strip():
        return sources.named(alias.strip())
    if kafka is None:
        raise DeclarationError("kafka_bootstrap_servers is empty: give at least one broker.")
    return kafka


def _given_clusters(module) -> SourceClusters:
    found = {}
    for number, one in enumerate(module.params["kafka_connect_source_clusters"] or []):
        where = "kafka_connect_source_clusters[%d]: " % number
        alias = one["alias"].strip()
        if not alias or alias in found:
            raise DeclarationError("%salias %s." % (where, "is empty" if not alias else "%s is there twice" % alias))
        if not given(one["bootstrap_servers"]):
            raise DeclarationError("%sbootstrap_servers is empty: give at least one broker of %s." % (where, alias))
        found[alias] = _kafka_settings(module, one, where, prefix="")
    return SourceClusters(found, module.params["kafka_timeout"])


def _kafka_settings(module, params, where="", prefix="kafka_") -> dict:
    """librdkafka's, of the options of one cluster. prefix: what their names begin with. where: what messages begin with. Raises DeclarationError for options
    that do not fit together."""
    found = {name: params[prefix + name] for name in broker_options()}
    sasl = (found["security_protocol"] or "").startswith("SASL_")
    if sasl and not found["sasl_mechanism"]:
        raise DeclarationError(f"{where}{prefix}security_protocol {found['security_protocol']} needs {prefix}sasl_mechanism.")
    if not sasl and (found["sasl_mechanism"] or found["sasl_username"] or found["sasl_password"]):
        raise DeclarationError(f"{where}{prefix}sasl_mechanism, {prefix}sasl_username and {prefix}sasl_password need {prefix}security_protocol "
                               "SASL_SSL or SASL_PLAINTEXT.")
    secret = {"PLAIN": "password", OAUTH: "token"}.get(found["sasl_mechanism"])
    if found["security_protocol"] == "SASL_PLAINTEXT" and secret:
        module.warn("%sThe %s for Kafka is sent in clear text; use SASL_SSL." % (where, secret))
    token = found.pop("sasl_token")
    found["bootstrap_servers"] = ",".join(given(found["bootstrap_servers"]))
    settings = {_SETTINGS.get(name, name.replace("_", ".")): value for name, value in found.items() if value not in (None, "")}
    settings.update((name, value) for name, value in (params["kafka_options"] or {}).items() if value is not None)
    return complete(settings, token, prefix, where)
