# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The only file that knows AnsibleModule: shared options, the clients behind them, errors -> fail_json, diff."""

from __future__ import annotations

import gc
import os
import re

from ansible.module_utils.basic import AnsibleFallbackNotFound, AnsibleModule, missing_required_lib
from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import ConnectError, WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._http import REQUESTS_TRACEBACK, Transport
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka import KAFKA_TRACEBACK, KafkaClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._operator import LibraryMissing, by_operator, check_owner, open_operator
from ansible_collections.streamops.kafka_connect.plugins.module_utils._rest import ConnectClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._source_clusters import SourceClusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._worker_config import OPTIONS, options_of

_PROTOCOLS = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]

#: below this, Ansible's masking of a secret hits unrelated values too
_SHORT_SECRET = 6

_RETRY_FOR = 60

#: settings of librdkafka whose values are secrets
_SECRET_SETTING = re.compile(r"password|passphrase|private\.key|secret|token|\bpem$|jaas|oauthbearer\.config", re.IGNORECASE)


def _from_environment(name):
    """Fallback to an environment variable. An empty one counts as unset, as AWX sets those of empty fields."""
    value = os.environ.get(name)
    if not value:
        raise AnsibleFallbackNotFound
    return value


def _option(env, **spec):
    return dict(spec, fallback=(_from_environment, [env]))


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
        connect_url=_option("KAFKA_CONNECT_URL", type="list", elements="str", aliases=["url"]),
        url_username=_option("KAFKA_CONNECT_USERNAME", type="str"),
        url_password=_option("KAFKA_CONNECT_PASSWORD", type="str", no_log=True),
        bearer_token=_option("KAFKA_CONNECT_TOKEN", type="str", no_log=True),
        validate_certs=_option("KAFKA_CONNECT_VALIDATE_CERTS", type="bool", default=True),
        ca_path=_option("KAFKA_CONNECT_CA_PATH", type="path"),
        client_cert=_option("KAFKA_CONNECT_CLIENT_CERT", type="path"),
        client_key=_option("KAFKA_CONNECT_CLIENT_KEY", type="path"),
        use_proxy=_option("KAFKA_CONNECT_USE_PROXY", type="bool", default=True),
        timeout=_option("KAFKA_CONNECT_TIMEOUT", type="int", default=120),
        bootstrap_servers=_option("KAFKA_BOOTSTRAP_SERVERS", type="list", elements="str"),
        security_protocol=_option("KAFKA_SECURITY_PROTOCOL", type="str", choices=_PROTOCOLS),
        sasl_mechanism=_option("KAFKA_SASL_MECHANISM", type="str"),
        sasl_username=_option("KAFKA_SASL_USERNAME", type="str"),
        sasl_password=_option("KAFKA_SASL_PASSWORD", type="str", no_log=True),
        ssl_ca_path=_option("KAFKA_SSL_CA_PATH", type="path"),
        ssl_cert_path=_option("KAFKA_SSL_CERT_PATH", type="path"),
        ssl_key_path=_option("KAFKA_SSL_KEY_PATH", type="path", no_log=False),
        ssl_key_password=_option("KAFKA_SSL_KEY_PASSWORD", type="str", no_log=True),
        kafka_options=dict(type="dict"),
        kafka_timeout=_option("KAFKA_TIMEOUT", type="int", default=30),
        source_clusters=_source_clusters_option(),
        kubeconfig=_option("K8S_AUTH_KUBECONFIG", type="path"),
        context=_option("K8S_AUTH_CONTEXT", type="str"),
        host=_option("K8S_AUTH_HOST", type="str"),
        api_key=_option("K8S_AUTH_API_KEY", type="str", no_log=True),
        ca_cert=_option("K8S_AUTH_SSL_CA_CERT", type="path", aliases=["ssl_ca_cert"]),
        verify_ssl=_option("K8S_AUTH_VERIFY_SSL", type="bool"),
        namespace=dict(type="str"),
        connect_cluster=dict(type="str"),
    )


def worker_options() -> dict:
    """Where offsets are, in place of brokers or beside them: a standalone worker's file, or any worker's own configuration."""
    return dict(offset_file=dict(type="path"), worker_config=dict(type="path"))


def run(options: dict, action, secrets=None, brokers=False, sources=False, alone=False, **rules) -> None:
    """A module's whole main(): ``action(client, params, check_mode) -> result`` between argument spec and exit.

    With ``brokers`` it is ``action(client, kafka, params, check_mode)``, either of the two None if it is not given; with ``sources``,
    too, ``action(client, kafka, sources, params, check_mode)``. ``alone``: no worker is needed, and which brokers are the action says.
    The result's ``diff`` is returned only when asked for; its ``warnings`` become the task's warnings.
    ``secrets(params)`` gives the secret texts inside options that are no secret as a whole.
    """
    gc.disable()  # a short life, and maybe a hundred thousand offsets
    module = AnsibleModule(argument_spec=dict(connection_options(), **options), supports_check_mode=True, **rules)
    try:
        _read_worker_config(module)
    except WishError as error:
        module.fail_json(msg=error.message)
    # The offsets of a standalone worker lie on machines that may have neither client.
    if REQUESTS_TRACEBACK and (_given(module.params["connect_url"]) or by_operator(module.params)):
        module.fail_json(msg=missing_required_lib("requests"), exception=REQUESTS_TRACEBACK)
    if brokers and _given(module.params["bootstrap_servers"]) and KAFKA_TRACEBACK and not _by_file_alone(module.params):
        module.fail_json(msg=missing_required_lib("confluent-kafka"), exception=KAFKA_TRACEBACK)
    if secrets:
        module.no_log_values.update(secrets(module.params))
    for one in [module.params] + (module.params["source_clusters"] or []):
        module.no_log_values.update(str(value) for name, value in (one["kafka_options"] or {}).items() if value and _SECRET_SETTING.search(name))
    transport = kafka = operator = None
    clusters = SourceClusters()
    try:
        if module.params.get("wait_timeout", 1) < 1:
            raise WishError("wait_timeout must be at least 1 second, it is %d." % module.params["wait_timeout"])
        if module.params.get("settle", 0) < 0:
            raise WishError("settle must be 0 or more seconds, it is %d." % module.params["settle"])
        if module.params.get("max_entries", 0) < 0:
            raise WishError("max_entries must be 0 or more, it is %d." % module.params["max_entries"])
        kafka = _kafka_client(module) if brokers and not _by_file_alone(module.params) else None
        clusters = _source_clusters(module) if sources else clusters
        if _given(module.params["connect_url"]):
            transport = _transport(module.params)
        elif kafka is None and not alone and not by_operator(module.params) and not module.params.get("offset_file") and not module.params.get("ledger_file"):
            raise WishError("connect_url is %s: give the URL of at least one worker of the Connect cluster%s." % (
                "missing" if module.params["connect_url"] is None else "empty",
                ", or bootstrap_servers to work on the offsets topic alone" if brokers else ""))
        _warn(module, transport)
        client = ConnectClient(transport) if transport else None
        if by_operator(module.params):
            client = operator = open_operator(module.params, client, module.check_mode)
        else:
            check_owner(module.params, module.warn)
        clients = [client] + [kafka] * brokers + [clusters] * sources
        result = action(*clients, module.params, module.check_mode)
    except LibraryMissing as error:
        module.fail_json(msg=missing_required_lib("kubernetes"), exception=error.traceback)
    except ConnectError as error:
        for warning in error.warnings + (operator.warnings if operator else []):
            module.warn(warning)
        module.fail_json(msg=error.message, **error.facts)
    finally:
        if transport is not None:
            transport.close()
        if kafka is not None:
            kafka.close()
        if operator is not None:
            operator.kube.close()
        clusters.close()
        gc.enable()
    for warning in result.pop("warnings", []) + (operator.warnings if operator else []):
        module.warn(warning)
    if not module._diff:
        result.pop("diff", None)
    module.exit_json(**result)


def cluster_asked(kafka, sources, alias):
    """The KafkaClient of the option ``cluster``: that of bootstrap_servers, or one of source_clusters. Raises WishError."""
    if alias and alias.strip():
        return sources.named(alias.strip())
    if kafka is None:
        raise WishError("bootstrap_servers is empty: give at least one broker, or set the environment variable KAFKA_BOOTSTRAP_SERVERS.")
    return kafka


def _read_worker_config(module) -> None:
    """What the user does not say, the worker's own configuration says. Raises WishError."""
    path = module.params.get("worker_config")
    if not path:
        return
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise WishError("worker_config %s is no file. Nothing was changed." % path)
        with open(path, encoding="latin-1") as file:
            text = file.read()
    except OSError as error:
        raise WishError("worker_config %s cannot be read: %s. Nothing was changed." % (path, error.strerror))
    given = [name for name in OPTIONS if module.params.get(name) not in (None, "", [])]
    found = options_of(text, path, given, brokers=not _takes_file_alone(module.params))
    module.no_log_values.update(value for name, value in found.items() if name in ("sasl_password", "ssl_key_password"))
    module.params.update((name, value) for name, value in found.items() if name in module.params)


def _takes_file_alone(params) -> bool:
    """Will the file of a standalone worker do, if there is one? No brokers are asked then."""
    return params.get("method", "auto") in ("auto", "file") and params.get("ledger") != "topic"


def _by_file_alone(params) -> bool:
    return bool(params.get("offset_file")) and _takes_file_alone(params)


def _given(values) -> list:
    return [value for value in values or [] if value and value.strip()]


def _transport(params):
    return Transport(
        _given(params["connect_url"]), retry_for=params.get("wait_timeout", _RETRY_FOR),
        username=params["url_username"], password=params["url_password"],
        **{name: params[name] for name in (
            "bearer_token", "validate_certs", "ca_path", "client_cert", "client_key", "use_proxy", "timeout")})


def _kafka_client(module):
    """None without bootstrap_servers. Raises WishError for options that do not fit together."""
    params = module.params
    if not _given(params["bootstrap_servers"]):
        return None
    if params["kafka_timeout"] < 1:
        raise WishError("kafka_timeout must be at least 1 second, it is %d." % params["kafka_timeout"])
    return KafkaClient(_kafka_settings(module, params), params["kafka_timeout"])


def _source_clusters(module) -> SourceClusters:
    given = {}
    for number, one in enumerate(module.params["source_clusters"] or []):
        where = "source_clusters[%d]: " % number
        alias = one["alias"].strip()
        if not alias or alias in given:
            raise WishError("%salias %s." % (where, "is empty" if not alias else "%s is there twice" % alias))
        if not _given(one["bootstrap_servers"]):
            raise WishError("%sbootstrap_servers is empty: give at least one broker of %s." % (where, alias))
        given[alias] = _kafka_settings(module, one, where)
    return SourceClusters(given, module.params["kafka_timeout"])


def _kafka_settings(module, params, where="") -> dict:
    """librdkafka's, of the options of one cluster. Raises WishError for options that do not fit together."""
    sasl = (params["security_protocol"] or "").startswith("SASL_")
    if sasl and not params["sasl_mechanism"]:
        raise WishError("%ssecurity_protocol %s needs sasl_mechanism." % (where, params["security_protocol"]))
    if not sasl and (params["sasl_mechanism"] or params["sasl_username"] or params["sasl_password"]):
        raise WishError("%ssasl_mechanism, sasl_username and sasl_password need security_protocol SASL_SSL or SASL_PLAINTEXT." % where)
    if params["security_protocol"] == "SASL_PLAINTEXT" and params["sasl_mechanism"] == "PLAIN":
        module.warn("%sThe password for Kafka is sent in clear text; use SASL_SSL." % where)
    named = {
        "bootstrap.servers": ",".join(_given(params["bootstrap_servers"])), "security.protocol": params["security_protocol"],
        "sasl.mechanism": params["sasl_mechanism"], "sasl.username": params["sasl_username"], "sasl.password": params["sasl_password"],
        "ssl.ca.location": params["ssl_ca_path"], "ssl.certificate.location": params["ssl_cert_path"],
        "ssl.key.location": params["ssl_key_path"], "ssl.key.password": params["ssl_key_password"],
    }
    settings = {name: value for name, value in named.items() if value not in (None, "")}
    settings.update((name, value) for name, value in (params["kafka_options"] or {}).items() if value is not None)
    return settings


def _warn(module, transport) -> None:
    if transport is not None and transport.exposes_credentials:
        module.warn("Credentials for Kafka Connect are sent over plain HTTP; use an https URL.")
    for name in ("url_password", "bearer_token", "sasl_password", "ssl_key_password", "api_key"):
        if module.params[name] and len(module.params[name]) < _SHORT_SECRET:
            module.warn("%s is so short that Ansible masks parts of unrelated values in what this task returns: offsets in the "
                        "result may be unreadable. Use a longer secret." % name)
