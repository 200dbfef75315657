# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Logins at brokers: what librdkafka needs for OAUTHBEARER and Kerberos, and the messages for logins that are refused. Pure but for the
clock and the authorities of this machine."""

from __future__ import annotations

import base64
import json
import os
import re
import ssl
import time
from datetime import datetime, timezone
from urllib.parse import parse_qs, urlsplit

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

OAUTH = "OAUTHBEARER"
_KERBEROS = "GSSAPI"
#: without a keytab the ticket that is there is used; the library would call kinit with one all the same
_TICKET = {"sasl.kerberos.kinit.cmd": "true"}
#: before the reason, which is in parentheses
_GSSAPI_ERROR = re.compile(r"^Failed to initialize SASL authentication: .*GSSAPI Error: .*?\((.*)\)$")
TOKEN_ENDPOINT = "sasl.oauthbearer.token.endpoint.url"
_NO_TOKEN = "Failed to acquire SASL OAUTHBEARER token: "
#: which connection it was, and how long it took
_NOISE = re.compile(r"^sasl_(?:ssl|plaintext)://\S+?: | \(after \d+ms in state \w+\)$", re.IGNORECASE)
#: where distributions have them: Debian and Alpine, Red Hat, SUSE, others
_AUTHORITIES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem")
#: seconds for which librdkafka takes a token that does not say when it ends
_UNKNOWN = 3600

_NEEDS_TOKEN = ("%(mechanism)s OAUTHBEARER needs a token: give %(token)s, or in kafka_options sasl.oauthbearer.method: oidc with sasl.oauthbearer.client.id, "
                "sasl.oauthbearer.client.secret and " + TOKEN_ENDPOINT + ".")


def complete(settings: dict, token, prefix: str = "kafka_", where: str = "", clock=time.time) -> dict:
    """settings of librdkafka, with what a login by OAUTHBEARER or by Kerberos needs; those of any other login as they are.

    token: the value of the option sasl_token. prefix: what names of options begin with. where: what messages begin with. Raises DeclarationError.
    """
    token = (token or "").strip()
    names = {"token": prefix + "sasl_token", "mechanism": prefix + "sasl_mechanism"}
    if _mechanism(settings) != OAUTH:
        if token:
            raise DeclarationError(where + "%(token)s needs %(mechanism)s OAUTHBEARER." % names)
        return dict(_TICKET, **settings) if _mechanism(settings) == _KERBEROS and not settings.get("sasl.kerberos.keytab") else settings
    gets_token = _gets_token(settings)
    if token and gets_token:
        raise DeclarationError(where + "Give %(token)s, or the settings in kafka_options by which the client gets a token itself, not both." % names)
    if token:
        return dict(settings, oauth_cb=_callback(token, where + names["token"], clock))
    if not gets_token:
        raise DeclarationError(where + _NEEDS_TOKEN % names)
    return dict(_authorities(), **settings) if _is(settings, "sasl.oauthbearer.method", "oidc") else settings


def expiry(token: str):
    """Seconds since the epoch at which a token ends: a JSON Web Token, or one of Amazon MSK. None if it does not say."""
    parts = token.split(".")
    try:
        if len(parts) == 3:
            return float(json.loads(_decoded(parts[1]))["exp"])
        signed = parse_qs(urlsplit(_decoded(token).decode("ascii")).query)
        begin = datetime.strptime(signed["X-Amz-Date"][0], "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
        return begin.timestamp() + int(signed["X-Amz-Expires"][0])
    except (ValueError, KeyError, TypeError):
        return None


def refusal(settings: dict, reason: str) -> str:
    """The message for a login that was refused. settings: librdkafka's. reason: its words."""
    brokers = settings["bootstrap.servers"]
    reason = _NOISE.sub("", reason.rstrip("."))
    if reason.startswith(_NO_TOKEN):
        return _without_token(settings, brokers, reason[len(_NO_TOKEN):])
    ticket = _GSSAPI_ERROR.match(reason)
    if ticket:
        return ("The Kerberos login at the brokers %s failed: %s. Check the principal and its keytab, or get a ticket with kinit; and check "
                "sasl.kerberos.service.name in kafka_options." % (brokers, ticket.group(1)))
    if "mechanism handshake failed" in reason:
        return "The brokers at %s do not support the SASL mechanism: %s. Set kafka_sasl_mechanism to one that they support." % (brokers, reason)
    user = settings.get("sasl.username")
    hint = (" Check the token: its audience, its issuer, its signature, when it ends." if _mechanism(settings) == OAUTH else
            " Check the user %s and its password." % user if user else "")
    return "The brokers at %s do not accept the credentials: %s.%s" % (brokers, reason, hint)


def unusable(problem: str) -> str:
    """The message for settings with which there is no client. problem: the words of the library."""
    if "No provider for SASL mechanism GSSAPI" in problem:
        return ("The Python library confluent-kafka has no Kerberos (GSSAPI): its wheels on PyPI are built without. Install it from source, "
                "against a librdkafka with GSSAPI, for the Python that runs the modules: see \"Kerberos\" in the guide on logins.")
    return "The Kafka options cannot be used: %s." % problem.rstrip(".")


def _mechanism(settings) -> str:
    return str(settings.get("sasl.mechanisms") or settings.get("sasl.mechanism") or "").upper()


def _is(settings, name: str, value: str) -> bool:
    return str(settings.get(name, "")).lower() == value


def _gets_token(settings) -> bool:
    """Does the library get tokens by itself?"""
    return (_is(settings, "sasl.oauthbearer.method", "oidc") or _is(settings, "enable.sasl.oauthbearer.unsecure.jwt", "true")
            or not _is(settings, "sasl.oauthbearer.metadata.authentication.type", "none") and "sasl.oauthbearer.metadata.authentication.type" in settings)


def _authorities() -> dict:
    """The setting with this machine's public authorities, for the login server: the library's wheel knows those of Red Hat only, and takes "probe" for them."""
    found = [path for path in (ssl.get_default_verify_paths().cafile, *_AUTHORITIES) if path and os.path.isfile(path)]
    return {"https.ca.location": found[0]} if found else {}


def _callback(token: str, option: str, clock):
    """What the library calls for a token: it returns the same one each time, so that it is refused once it has expired."""
    end = expiry(token)
    if end is not None and end <= clock():
        raise DeclarationError("%s has expired at %s: get a new one." % (option, datetime.fromtimestamp(end, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")))
    return lambda _config: (token, clock() + _UNKNOWN if end is None else end)


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _without_token(settings, brokers: str, reason: str) -> str:
    server = settings.get(TOKEN_ENDPOINT)
    if "unexpired token" in reason:
        return "The token for the Kafka brokers at %s has expired: %s" % (
            brokers, "compare the clock of the login server %s with that of this machine." % server if server else "get a new one.")
    if not server:
        return "There is no token for the Kafka brokers at %s: %s. Check the settings sasl.oauthbearer.* in kafka_options." % (brokers, reason)
    low = reason.lower()
    if "certificate" in low or "trust anchors" in low or "ssl" in low:
        hint = "If its certificate comes from a private authority, name its file as https.ca.location in kafka_options."
    elif "connect" in low or "resolve" in low or "timed out" in low:
        hint = "Check %s in kafka_options." % TOKEN_ENDPOINT
    else:
        hint = "Check sasl.oauthbearer.client.id, sasl.oauthbearer.client.secret and sasl.oauthbearer.scope in kafka_options."
    return "The login server %s gave no token for the Kafka brokers at %s: %s. %s" % (server, brokers, reason, hint)
