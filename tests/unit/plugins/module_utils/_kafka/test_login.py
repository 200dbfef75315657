# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings for OAUTHBEARER, and when a token ends."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka import login
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.login import complete, expiry

OAUTH = {"sasl.mechanism": "OAUTHBEARER"}
OIDC = {**OAUTH, "sasl.oauthbearer.method": "oidc"}


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


def jwt(claims) -> str:
    return f"{encoded('{}')}.{encoded(json.dumps(claims))}.c2ln"


#: as aws-msk-iam-sasl-signer makes it
MSK = encoded("https://kafka.eu-west-1.amazonaws.com/?Action=kafka-cluster%3AConnect&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20261130T120000Z"
              "&X-Amz-SignedHeaders=host&X-Amz-Expires=900&X-Amz-Signature=0&User-Agent=x")


@pytest.mark.parametrize("token, end", [
    (jwt({"exp": 1796078521}), 1796078521), (jwt({"exp": 1.5}), 1.5), (MSK, 1796040000 + 900), ("opaque", None), (jwt({}), None), (jwt([]), None),
    (jwt({"exp": None}), None), ("a.b.c", None), (encoded("https://x/?X-Amz-Date=today&X-Amz-Expires=900"), None), ("ä", None)])
def test_expiry(token, end):
    assert expiry(token) == end


def test_settings_of_other_logins_are_left_alone():
    for settings in ({}, {"sasl.mechanism": "PLAIN"}, {"security.protocol": "SSL"}):
        assert complete(settings, None) is settings and complete(settings, " ") is settings


def test_kerberos_takes_the_ticket_that_is_there():
    """Unless a keytab is given, with which the library gets one."""
    settings = {"sasl.mechanism": "GSSAPI"}
    assert complete(settings, None) == {**settings, "sasl.kerberos.kinit.cmd": "true"}
    for more in ({"sasl.kerberos.keytab": "/k"}, {"sasl.kerberos.kinit.cmd": "mine"}):
        assert complete({**settings, **more}, None) == {**settings, **more}


def test_a_token_that_is_given():
    token = jwt({"exp": 200})
    found = complete(OAUTH, f" {token}\n", clock=lambda: 100)
    assert found.pop("oauth_cb")("") == (token, 200) and found == OAUTH
    assert complete(OAUTH, "opaque", clock=lambda: 100)["oauth_cb"]("") == ("opaque", 3700)
    # By the other name of the setting, too.
    assert "oauth_cb" in complete({"sasl.mechanisms": "OAUTHBEARER"}, "opaque")


@pytest.mark.parametrize("more, has_authorities", [
    ({}, True), ({"https.ca.location": "/ca.pem"}, False), ({"sasl.oauthbearer.method": "OIDC"}, True),
    ({"sasl.oauthbearer.method": "default", "enable.sasl.oauthbearer.unsecure.jwt": True}, False),
    ({"sasl.oauthbearer.metadata.authentication.type": "azure_imds"}, True)])
def test_tokens_that_the_library_gets(monkeypatch, tmp_path, more, has_authorities):
    """The public authorities are those of the machine; none are named where it has none."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none"))
    places = [str(tmp_path / name) for name in ("red_hat", "debian")]
    monkeypatch.setattr(login, "_AUTHORITIES", places)
    assert complete({**OIDC, **more}, None) == {**OIDC, **more}
    Path(places[1]).touch()
    assert complete({**OIDC, **more}, None) == {**OIDC, **more, **({"https.ca.location": places[1]} if has_authorities else {})}
    monkeypatch.setenv("SSL_CERT_FILE", __file__)
    assert complete({**OIDC, **more}, None) == {**OIDC, **more, **({"https.ca.location": __file__} if has_authorities else {})}


@pytest.mark.parametrize("settings, token, message", [
    ({}, "t", "c[0]: sasl_token needs sasl_mechanism OAUTHBEARER."),
    (OIDC, "t", "c[0]: Give sasl_token, or the settings in kafka_options by which the client gets a token itself, not both."),
    (OAUTH, jwt({"exp": 90}), "c[0]: sasl_token has expired at 1970-01-01T00:01:30Z: get a new one."),
    (OAUTH, None, "c[0]: sasl_mechanism OAUTHBEARER needs a token: give sasl_token, or in kafka_options sasl.oauthbearer.method: oidc with "
     "sasl.oauthbearer.client.id, sasl.oauthbearer.client.secret and sasl.oauthbearer.token.endpoint.url."),
    ({**OAUTH, "sasl.oauthbearer.metadata.authentication.type": "none"}, "", "c[0]: sasl_mechanism OAUTHBEARER needs a token"),
])
def test_what_cannot_be_used(settings, token, message):
    with pytest.raises(DeclarationError) as caught:
        complete(settings, token, "", "c[0]: ", clock=lambda: 100)
    assert caught.value.message.startswith(message)
