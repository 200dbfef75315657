# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Options of Kafka's Java client, from those that all modules take. Pure."""

from __future__ import annotations

import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import REFERENCE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.login import OAUTH, TOKEN_ENDPOINT, complete

#: names of options whose values are secrets; Spark redacts them, too. The job has the same pattern (verify_replay/targets.py)
SECRET = "(?i)secret|password|passwd|token(?![._]endpoint)|(access|account|private)[._]?key|(?<![a-z])sas(?![a-z])|jaas|keystore[.]key|credential"

_SECRET = re.compile(SECRET)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)+)"')
_ESCAPE = re.compile(r"\\(.)")
_GRANT, _CLIENT = "sasl.oauthbearer.grant.type", "client_credentials"
_LOGIN_MODULES = "org.apache.kafka.common.security."


def inherited(params: dict, keystore: str, token_file: str, has_login=False) -> dict:
    """The options for the cluster of the connection.

    keystore: the PEM file with key and certificate. token_file: with kafka_sasl_token. has_login: the user gives sasl.jaas.config of the Java client.
    """
    mechanism = params["kafka_sasl_mechanism"]
    options = {"security.protocol": params["kafka_security_protocol"], "sasl.mechanism": mechanism}
    if _has_password(mechanism):
        options["sasl.jaas.config"] = _login(mechanism, params["kafka_sasl_username"], params["kafka_sasl_password"])
    if mechanism == OAUTH and not has_login:
        options.update(_oauth(params, token_file))
    if params["kafka_ssl_ca_path"]:
        options.update({"ssl.truststore.type": "PEM", "ssl.truststore.location": params["kafka_ssl_ca_path"]})
    if params["kafka_ssl_cert_path"]:
        options.update({"ssl.keystore.type": "PEM", "ssl.keystore.location": keystore})
    options = {name: value for name, value in options.items() if value}
    if (params["kafka_options"] or {}).get("ssl.endpoint.identification.algorithm") == "none":
        options["ssl.endpoint.identification.algorithm"] = ""
    return options


def check(params: dict, client_options: dict, is_local: bool) -> None:
    """Raises DeclarationError for a login that the Java client cannot make of the connection options. client_options: of the same cluster."""
    mechanism, where = params["kafka_sasl_mechanism"], "client_options (verify_replay_kafka_options of the role) for the cluster %s" % params["cluster"]
    if "sasl.jaas.config" in client_options:
        pass  # the user's own
    elif mechanism == OAUTH:
        _check_oauth(params, where, is_local)
    elif mechanism and not _has_password(mechanism):
        raise DeclarationError("For %s give sasl.jaas.config and what else Kafka's Java client needs in %s." % (mechanism, where))
    # Executors elsewhere do not see the file that is made of certificate and key.
    if params["kafka_ssl_cert_path"] and not is_local and "ssl.keystore.location" not in client_options:
        raise DeclarationError("The certificate of kafka_ssl_cert_path can be used with a local master only. Give ssl.keystore.type: PEM and "
                               "ssl.keystore.location, a file with key and certificate at the same path on all machines, in %s." % where)


def _check_oauth(params: dict, where: str, is_local: bool) -> None:
    given = params["kafka_options"] or {}
    complete({"sasl.mechanism": OAUTH, **given}, params["kafka_sasl_token"])  # the same settings as for modules are missing or too much
    if params["kafka_sasl_token"] and not is_local:
        raise DeclarationError("kafka_sasl_token can be used with a local master only. Give sasl.jaas.config and what else Kafka's Java client needs "
                               "in %s." % where)
    if not params["kafka_sasl_token"] and (not given.get(TOKEN_ENDPOINT) or given.get(_GRANT, _CLIENT) != _CLIENT):
        raise DeclarationError("From kafka_options a login by OAUTHBEARER can be made for Kafka's Java client with sasl.oauthbearer.method: oidc, %s and %s "
                               "%s. For another one give sasl.jaas.config and what else the client needs in %s." % (TOKEN_ENDPOINT, _GRANT, _CLIENT, where))


def _oauth(params: dict, token_file: str) -> dict:
    """The settings of librdkafka for OIDC, as the Java client has them; or a token that is there already."""
    given = params["kafka_options"] or {}
    ca = given.get("https.ca.location", "probe")
    words = {"clientId": given.get("sasl.oauthbearer.client.id"), "clientSecret": given.get("sasl.oauthbearer.client.secret"),
             "scope": given.get("sasl.oauthbearer.scope")}
    words.update(("extension_" + name, value) for name, _equals, value in (
        part.strip().partition("=") for part in given.get("sasl.oauthbearer.extensions", "").split(",") if part.strip()))
    if ca != "probe":
        words.update({"ssl.truststore.type": "PEM", "ssl.truststore.location": ca})
    url = "file://" + token_file if params["kafka_sasl_token"] else given.get(TOKEN_ENDPOINT)
    return {"sasl.login.callback.handler.class": _LOGIN_MODULES + "oauthbearer.OAuthBearerLoginCallbackHandler", TOKEN_ENDPOINT: url,
            "sasl.jaas.config": "%soauthbearer.OAuthBearerLoginModule required%s;" % (
                _LOGIN_MODULES, "".join(" %s=%s" % (name, _quoted(value)) for name, value in words.items() if value))}


def _has_password(mechanism) -> bool:
    return bool(mechanism) and (mechanism == "PLAIN" or mechanism.startswith("SCRAM-"))


def _login(mechanism: str, username, password) -> str:
    name = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
    return "%s%sLoginModule required username=%s password=%s;" % (_LOGIN_MODULES, name, _quoted(username), _quoted(password))


def _quoted(text) -> str:
    return '"%s"' % (text or "").replace("\\", "\\\\").replace('"', '\\"')


def secrets(params: dict) -> set:
    """Secret texts inside of options that are no secret as a whole."""
    expectation = params["expectation"]
    if isinstance(expectation, str):
        try:
            expectation = json_value(expectation)
        except ValueError:
            expectation = None
    groups = [params["spark_conf"]]
    for named in (params["client_options"], params["jdbc_options"], params["registry_options"], *_of_document(expectation)):
        groups += named.values() if isinstance(named, dict) else []
    return {secret for options in groups if isinstance(options, dict)
            for name, value in options.items() if _SECRET.search(str(name)) for secret in _texts(value)}


def _of_document(expectation) -> list:
    """A secret does not belong there, and is refused; the refusal must not show it."""
    if not isinstance(expectation, dict):
        return []
    tables = expectation.get("tables")
    options = {name: one.get("options") for name, one in tables.items() if isinstance(one, dict)} if isinstance(tables, dict) else {}
    return [*(expectation.get(key) for key in ("clusters", "tables", "registries")), options]


def _texts(value) -> set:
    """The value, and the texts in quotes that a JAAS line has."""
    text = str(value) if value not in (None, True, False) else ""
    if text.lower() in ("", "true", "false") or REFERENCE.fullmatch(text):
        return set()
    quoted = _QUOTED.findall(text)
    return {text, *quoted, *(_ESCAPE.sub(r"\1", one) for one in quoted)}
