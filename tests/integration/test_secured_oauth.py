# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OAUTHBEARER: with tokens of a login server (OIDC, client credentials), and with one that is given."""

from __future__ import annotations

import json
import time

import pytest
from confluent_kafka.admin import AclOperation, ResourceType

from tests.integration.support.configs import at
from tests.integration.support.secured import login
from tests.integration.support.secured_offsets import Offsets
from tests.integration.support.token_endpoint import TokenEndpoint, new_token
from tests.integration.test_secured import READ, refused

SECRET = "planted-client-secret"


@pytest.fixture
def endpoint(secured):
    with TokenEndpoint(secured, {"admin": SECRET, "operator": SECRET}) as endpoint:
        yield endpoint


@pytest.fixture
def by_client(secured, endpoint):
    """by_client(user, **changed settings) -> options of a module."""

    def by_client(user: str = "admin", **changed) -> dict:
        settings = {"method": "oidc", "client.id": user, "client.secret": SECRET, "scope": "kafka", "token.endpoint.url": endpoint.url}
        given = {f"sasl.oauthbearer.{name}": value for name, value in settings.items()} | {"https.ca.location": secured["ca"], **changed}
        return login(secured, "OAUTHBEARER", user, sasl_token=None, kafka_options=given)

    return by_client


def test_client_credentials(offsets, endpoint, by_client):
    results = [offsets.info(**by_client()), offsets.set(at(1), check=True, **by_client())]
    assert results[0].get("offsets") == [at(4), at(9, p=1)] and results[1].get("changed") is True, results
    assert offsets.untouched()
    results.append(offsets.set(at(1), **by_client()))
    assert results[-1]["changed"] and offsets.live()[f'["{offsets.name}",{{"p":0}}]'] == '{"n":1}'
    results.append(offsets.set(at(1), **by_client()))
    assert results[-1]["changed"] is False and SECRET not in json.dumps(results)
    assert set(endpoint.asked) == {("admin", "kafka")}


def test_a_token_that_is_given(secured, offsets, monkeypatch):
    """With a line end, as a file has it; an empty one is none. (A client with one takes a second to start: the library waits for it.)"""
    options = login(secured, "OAUTHBEARER", "admin")
    monkeypatch.setenv("KAFKA_SASL_TOKEN", options["sasl_token"] + "\n")
    done = offsets.set(at(1), **{**options, "sasl_token": None})
    assert done.get("changed") is True and options["sasl_token"] not in json.dumps(done), done
    assert offsets.live()[f'["{offsets.name}",{{"p":0}}]'] == '{"n":1}'
    monkeypatch.setenv("KAFKA_SASL_TOKEN", "")
    assert "kafka_sasl_mechanism OAUTHBEARER needs a token" in refused(offsets.info, **{**options, "sasl_token": None})


def _both(offsets: Offsets, **options) -> str:
    """The message of a look, which is that of a change, too; nothing was changed."""
    message = refused(offsets.info, **options)
    assert refused(lambda **more: offsets.set(at(1), **more), **options) == f"{message} Nothing was changed."
    assert offsets.untouched()
    return message


@pytest.mark.parametrize("name, value", [("secret", "planted-and-wrong"), ("id", "stranger")])
def test_the_login_server_refuses(secured, offsets, endpoint, by_client, name, value):
    message = _both(offsets, **by_client(**{f"sasl.oauthbearer.client.{name}": value}))
    assert message.startswith(f"The login server {endpoint.url} gave no token for the Kafka brokers at {secured['sasl_ssl']}: "), message
    assert "invalid_client" in message
    assert message.endswith("Check sasl.oauthbearer.client.id, sasl.oauthbearer.client.secret and sasl.oauthbearer.scope in kafka_options.")
    assert "planted" not in message


def test_the_login_server_is_not_trusted(offsets, endpoint, by_client):
    """Without https.ca.location the authorities are the public ones of this machine."""
    message = _both(offsets, **by_client(**{"https.ca.location": None}))
    assert message.startswith(f"The login server {endpoint.url} gave no token") and "unable to get local issuer certificate" in message
    assert message.endswith("If its certificate comes from a private authority, name its file as https.ca.location in kafka_options.")
    assert endpoint.asked == []


def test_the_login_server_is_away(offsets, by_client):
    message = _both(offsets, **by_client(**{"sasl.oauthbearer.token.endpoint.url": "https://127.0.0.1:1/token"}))
    assert message.startswith("The login server https://127.0.0.1:1/token gave no token") and "Could not connect to server" in message
    assert message.endswith("Check sasl.oauthbearer.token.endpoint.url in kafka_options.")


@pytest.mark.parametrize("claims", [{"aud": "another"}, {"iss": "https://another.example.com"}], ids=["audience", "issuer"])
def test_the_brokers_refuse_the_token(secured, offsets, endpoint, by_client, claims):
    """The same for one that is given."""
    endpoint.claims = claims
    given = login(secured, "OAUTHBEARER", "admin", sasl_token=new_token(secured, "admin", **claims))
    for options in (by_client(), given):
        message = _both(offsets, **options)
        assert message.startswith(f"The brokers at {secured['sasl_ssl']} do not accept the credentials: ") and "invalid_token" in message
        assert message.endswith("Check the token: its audience, its issuer, its signature, when it ends.")


def test_expired_tokens(secured, offsets, endpoint, by_client):
    ago = int(time.time()) - 100
    endpoint.claims = {"iat": ago - 300, "exp": ago}
    assert _both(offsets, **by_client()) == (
        f"The token for the Kafka brokers at {secured['sasl_ssl']} has expired: compare the clock of the login server {endpoint.url} with "
        "that of this machine.")
    message = _both(offsets, **login(secured, "OAUTHBEARER", "admin", sasl_token=new_token(secured, "admin", **endpoint.claims)))
    assert message == f"kafka_sasl_token has expired at {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(ago))}: get a new one."


def test_a_right_that_the_user_of_the_token_lacks(offsets, by_client, allow):
    message = _both(offsets, **by_client("operator"))
    assert f"needs the permission Read and Describe on Topic {offsets.topic}" in message
    allow(ResourceType.TOPIC, offsets.topic, *READ)
    assert offsets.info(**by_client("operator")).get("offsets") == [at(4), at(9, p=1)]
    result = offsets.set(at(1), **by_client("operator"))
    assert f"the user needs the permission Write on Topic {offsets.topic}" in result["msg"] and offsets.untouched()
    allow(ResourceType.TOPIC, offsets.topic, AclOperation.WRITE)
    allow(ResourceType.TRANSACTIONAL_ID, offsets.transactional_id, AclOperation.WRITE)
    assert offsets.set(at(1), **by_client("operator")).get("changed") is True


def test_kerberos_without_a_library_that_has_it(secured, offsets):
    """As the wheels of PyPI are."""
    message = _both(offsets, bootstrap_servers=[secured["sasl_ssl"]], security_protocol="SASL_SSL", sasl_mechanism="GSSAPI")
    assert message.startswith("The Python library confluent-kafka has no Kerberos (GSSAPI): its wheels on PyPI are built without.")
