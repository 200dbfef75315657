# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The offsets topic behind TLS, logins and ACLs: every way in, every refusal, and no secret in any answer."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AclOperation,
    NewTopic,
    ResourceType,
)

from tests.integration.support.configs import PART, at
from tests.integration.support.modules import PREDICTED, run_module
from tests.integration.support.secured import login
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import wait_until

WAYS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "SSL", "SSL with a pass phrase"]

#: a run that is refused has to end in so many seconds, though it could wait kafka_timeout
FAST = 15


@pytest.fixture
def without_secrets(secured):
    """without_secrets(result): no password of this stack, nor any of those given, is in it."""
    known = {user["password"] for user in secured["users"].values()} | {user["key_password"] for user in secured["users"].values()}

    def without_secrets(result: dict, *more: str) -> dict:
        printed = json.dumps(result)
        for secret in (*known, *more):
            assert secret not in printed
            assert json.dumps(secret)[1:-1] not in printed
        return result

    return without_secrets


def refused(run, limit: float = FAST, **options) -> str:
    begin = time.monotonic()
    result = run(**options)
    assert result["failed"], result
    assert time.monotonic() - begin < limit
    return result["msg"]


# ---- ways in


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in(secured, offsets, without_secrets, way):
    options = login(secured, way, "admin")
    info = without_secrets(offsets.info(**options))
    assert not info["failed"], info
    assert info["offsets"] == [at(4), at(9, p=1)]
    checked = without_secrets(offsets.set(at(1), check=True, **options))
    assert offsets.untouched()
    done = without_secrets(offsets.set(at(1), **options))
    assert done["changed"]
    assert [done[word] for word in PREDICTED] == [checked[word] for word in PREDICTED]
    assert offsets.live() == {f'["{offsets.name}",{{"p":0}}]': '{"n":1}', f'["{offsets.name}",{{"p":1}}]': '{"n":9}'}
    ends = offsets.ends()
    assert not offsets.set(at(1), **options)["changed"]
    assert offsets.ends() == ends


def test_settings_of_the_client_itself(secured, offsets, without_secrets):
    """127.1 is 127.0.0.1, but no name in the broker's certificate."""
    port = secured["sasl_ssl"].rpartition(":")[2]
    options = login(secured, "SCRAM-SHA-512", "admin", bootstrap_servers=[f"127.1:{port}"], kafka_timeout=5)
    assert "certificate" in refused(offsets.info, **options)
    passed = without_secrets(offsets.info(**options, kafka_options={"ssl.endpoint.identification.algorithm": "none"}))
    assert passed.get("offsets") == [at(4), at(9, p=1)], passed


def test_login_by_settings_alone(secured, offsets, without_secrets):
    known = secured["users"]["admin"]
    settings = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN", "sasl.username": "admin",
                "sasl.password": known["password"], "ssl.ca.location": secured["ca"]}
    done = without_secrets(offsets.set(at(2), bootstrap_servers=[secured["sasl_ssl"]], kafka_options=settings))
    assert done["changed"], done
    # A setting by the client's own name counts more than the option.
    wrong = login(secured, "PLAIN", "admin", sasl_password="not the password")
    assert without_secrets(offsets.set(at(2), **wrong, kafka_options={"sasl.password": known["password"]}))["changed"] is False


def test_key_as_text(secured, offsets, without_secrets):
    known = secured["users"]["admin"]
    certificate, key = (Path(known[part]).read_text(encoding="ascii") for part in ("certificate", "key"))
    options = login(secured, "SSL", "admin", ssl_cert_path=None, ssl_key_path=None)
    found = offsets.info(**options, kafka_options={"ssl.certificate.pem": certificate, "ssl.key.pem": key})
    without_secrets(found, key)
    assert found.get("offsets") == [at(4), at(9, p=1)], found


@pytest.mark.parametrize("setting", [
    "sasl.password", "ssl.key.password", "ssl.keystore.password", "sasl.oauthbearer.client.secret", "sasl.oauthbearer.config",
    "sasl.oauthbearer.assertion.private.key.passphrase", "sasl.oauthbearer.assertion.private.key.pem",
])
def test_settings_that_are_secrets(plain, offsets, setting):
    """Whether the run fails or not, the value is in nothing that it returns."""
    secret = "0f-very-secret-f0"
    for options in ({}, {"offset_topic": "no-such-topic"}):
        assert secret not in json.dumps(offsets.info(bootstrap_servers=[plain], kafka_options={setting: secret}, **options))


# ---- the environment


_VARIABLES = {
    option: f"KAFKA_{option.upper()}" for option in (
        "bootstrap_servers", "security_protocol", "sasl_mechanism", "sasl_username", "sasl_password", "sasl_token", "ssl_ca_path",
        "ssl_cert_path", "ssl_key_path", "ssl_key_password")
} | {"kafka_timeout": "KAFKA_TIMEOUT"}


def _in_environment(monkeypatch, options: dict) -> None:
    """What is not given is there, but empty, as AWX sets it."""
    for option, variable in _VARIABLES.items():
        value = options.get(option, "")
        monkeypatch.setenv(variable, ",".join(value) if isinstance(value, list) else str(value))


@pytest.mark.parametrize("way", ["SCRAM-SHA-256", "SSL with a pass phrase"])
def test_everything_from_the_environment(secured, offsets, without_secrets, monkeypatch, way):
    options = login(secured, way, "admin")
    _in_environment(monkeypatch, {**options, "bootstrap_servers": ["127.0.0.1:1", *options["bootstrap_servers"]]})
    assert without_secrets(offsets.info()).get("offsets") == [at(4), at(9, p=1)]
    assert without_secrets(offsets.set(at(7)))["changed"]
    assert not without_secrets(offsets.set(at(7)))["changed"]


def test_empty_variables_are_unset(plain, offsets, monkeypatch):
    _in_environment(monkeypatch, {})
    assert offsets.info(bootstrap_servers=[plain]).get("offsets") == [at(4), at(9, p=1)]
    assert "needs kafka_bootstrap_servers" in offsets.info(connect_url=["http://127.0.0.1:1"])["msg"]


def test_an_option_counts_more_than_the_environment(secured, offsets, monkeypatch):
    _in_environment(monkeypatch, login(secured, "PLAIN", "nobody", sasl_password="wrong-wrong", kafka_timeout=1))
    assert offsets.info(**login(secured, "PLAIN", "admin")).get("offsets") == [at(4), at(9, p=1)]


# ---- refused at the door


@pytest.mark.parametrize("way", WAYS[:3])
def test_wrong_password(secured, offsets, without_secrets, way):
    wrong = "certainly-not-the-password"
    for run in (offsets.info, lambda **options: offsets.set(at(1), **options)):
        message = refused(lambda run=run, **options: without_secrets(run(**options), wrong),
                          **login(secured, way, "admin", sasl_password=wrong, kafka_timeout=30))
        assert f"The brokers at {secured['sasl_ssl']} do not accept the credentials" in message
        assert message.removesuffix(" Nothing was changed.").endswith("Check the user admin and its password.")
    assert offsets.untouched()


def test_unknown_user(secured, offsets):
    message = refused(offsets.info, **login(secured, "SCRAM-SHA-512", "admin", sasl_username="stranger"))
    assert "do not accept the credentials" in message


def test_authority_that_did_not_sign(secured, offsets):
    stranger = secured["users"]["nobody"]["certificate"]
    for way in ("PLAIN", "SSL"):
        options = login(secured, way, "admin", ssl_ca_path=stranger)
        message = refused(offsets.info, **options)
        assert options["bootstrap_servers"][0] in message
        assert "certificate verify failed" in message.replace("verification", "verify"), message


def test_public_authorities_do_not_know_the_brokers(secured, offsets):
    message = refused(offsets.info, **login(secured, "PLAIN", "admin", ssl_ca_path=None))
    assert "certificate" in message


def test_no_client_certificate(secured, offsets):
    message = refused(offsets.info, **login(secured, "SSL", "admin", ssl_cert_path=None, ssl_key_path=None, kafka_timeout=2))
    assert secured["ssl"] in message
    assert "certificate" in message


def test_key_that_cannot_be_opened(secured, offsets, without_secrets):
    way = "SSL with a pass phrase"
    wrong = "certainly-not-the-phrase"
    result = without_secrets(offsets.info(**login(secured, way, "admin", ssl_key_password=wrong)), wrong)
    assert "The Kafka options cannot be used" in result["msg"]
    assert "ssl.key.location" in result["msg"] or "ssl_key_path" in result["msg"], result["msg"]


def test_files_that_are_not_there(secured, offsets):
    settings = {"ssl_ca_path": "ssl.ca.location", "ssl_cert_path": "ssl.certificate.location", "ssl_key_path": "ssl.key.location"}
    for option, setting in settings.items():
        message = refused(offsets.info, **login(secured, "SSL", "admin", **{option: "/no/such/file.pem"}))
        assert "The Kafka options cannot be used" in message
        assert setting in message


def test_plain_text_to_a_listener_with_tls(secured, offsets):
    message = refused(offsets.info, bootstrap_servers=[secured["sasl_ssl"]], kafka_timeout=1)
    assert secured["sasl_ssl"] in message


def test_tls_to_a_plain_listener(secured, plain, offsets):
    message = refused(offsets.info, **login(secured, "PLAIN", "admin", bootstrap_servers=[plain], kafka_timeout=1))
    assert plain in message


# ---- rights


READ = (AclOperation.READ, AclOperation.DESCRIBE)


def test_no_right_at_all(secured, offsets):
    options = login(secured, "SCRAM-SHA-256", "operator")
    for run in (offsets.info, lambda **more: offsets.set(at(1), **more)):
        message = refused(run, **options)
        assert f"needs the permission Read and Describe on Topic {offsets.topic}" in message
        assert secured["sasl_ssl"] in message
    assert offsets.untouched()


def test_describe_is_not_read(secured, offsets, allow):
    allow(ResourceType.TOPIC, offsets.topic, AclOperation.DESCRIBE)
    message = refused(offsets.info, **login(secured, "SSL", "operator"))
    assert f"needs the permission Read and Describe on Topic {offsets.topic}" in message


def test_reading_needs_no_more_than_read(secured, offsets, allow):
    """No right on any group, on the cluster, or to see the topic's settings."""
    allow(ResourceType.TOPIC, offsets.topic, *READ)
    options = login(secured, "SCRAM-SHA-512", "operator")
    info = offsets.info(**options, history=True)
    assert info.get("offsets") == [at(4), at(9, p=1)], info
    assert info["warnings"] == []
    assert offsets.info(**options, name=None)["failed"] is False
    # What is as declared already needs no right to write.
    assert offsets.set(at(4), **options)["changed"] is False
    assert offsets.set(at(4), check=True, **options)["changed"] is False


def test_writing_without_the_right_to_open_transactions(secured, offsets, allow):
    """The brokers tell nobody what he may do with a TransactionalId, so a dry run does not know."""
    allow(ResourceType.TOPIC, offsets.topic, *READ, AclOperation.WRITE)
    assert offsets.set(at(1), check=True, **login(secured, "PLAIN", "operator"))["changed"] is True
    message = refused(lambda **more: offsets.set(at(1), **more), **login(secured, "PLAIN", "operator"))
    assert f"Write and Describe on TransactionalId {offsets.transactional_id}" in message
    assert "Nothing was changed" in message
    assert offsets.untouched()


@pytest.mark.parametrize("way", ["PLAIN", "SSL"])
def test_writing_without_the_right_to_write(secured, offsets, allow, way):
    allow(ResourceType.TOPIC, offsets.topic, *READ)
    options = login(secured, way, "operator")
    for check in (True, False):
        message = refused(lambda check=check: offsets.set(at(1), at(2, p=1), check=check, **options))
        assert f"needs the permission Write on Topic {offsets.topic}. " in message and message.endswith(" Nothing was changed.")
    assert Kafka(offsets.plain).live_offsets(offsets.topic, offsets.name) == {
        f'["{offsets.name}",{{"p":0}}]': '{"n":4}', f'["{offsets.name}",{{"p":1}}]': '{"n":9}'}
    assert offsets.untouched()


@pytest.mark.parametrize("way", ["SCRAM-SHA-512", "SSL"])
def test_all_rights(secured, offsets, allow, without_secrets, way, tmp_path):
    allow(ResourceType.TOPIC, offsets.topic, *READ, AclOperation.WRITE)
    allow(ResourceType.TRANSACTIONAL_ID, offsets.transactional_id, AclOperation.WRITE, AclOperation.DESCRIBE)
    options = login(secured, way, "operator")
    backup = tmp_path / "backup.json"
    done = without_secrets(offsets.set(at(1), backup=True, backup_file=str(backup), **options))
    assert done.get("changed"), done
    assert offsets.live()[f'["{offsets.name}",{{"p":0}}]'] == '{"n":1}'
    assert not [secret for secret in _secrets(secured) if secret in backup.read_text(encoding="utf-8")]
    assert without_secrets(offsets.set(src=str(backup), purge=True, **{**options, "offsets": None}))["changed"]
    assert offsets.live()[f'["{offsets.name}",{{"p":0}}]'] == '{"n":4}'
    removed = run_module("connector_offsets", {
        "name": offsets.name, "offset_topic": offsets.topic, "method": "topic", "assume_stopped": True, "state": "absent", **options})
    assert removed["changed"]
    assert offsets.live() == {}


def test_a_transactional_id_of_ones_own(secured, offsets, allow):
    """For rules that allow only some prefix."""
    allow(ResourceType.TOPIC, offsets.topic, *READ, AclOperation.WRITE)
    allow(ResourceType.TRANSACTIONAL_ID, f"ops-{offsets.name}", AclOperation.WRITE)
    options = login(secured, "SCRAM-SHA-512", "operator")
    assert offsets.set(at(1), **options)["failed"]
    assert offsets.set(at(1), **options, kafka_options={"transactional.id": f"ops-{offsets.name}"})["changed"]
    assert offsets.live()[f'["{offsets.name}",{json.dumps(PART, separators=(",", ":"))}]'] == '{"n":1}'


def test_own_transactional_id_is_named_where_it_isrefused(secured, offsets, allow):
    allow(ResourceType.TOPIC, offsets.topic, *READ, AclOperation.WRITE)
    result = offsets.set(at(1), **login(secured, "PLAIN", "operator"), kafka_options={"transactional.id": "mine"})
    assert "on TransactionalId mine" in result["msg"]
    assert offsets.untouched()


def _secrets(secured: dict) -> set[str]:
    return {user[word] for user in secured["users"].values() for word in ("password", "key_password")}


# ---- the module topic


def test_a_topic_that_one_may_see_but_not_delete(secured, admin, plain, allow, without_secrets):
    """The right is asked for before the first change, in check mode as well. Without any right it is not said whether there is a topic."""
    name = f"spare-{uuid.uuid4().hex[:8]}"
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(20)
    wait_until(lambda: admin.list_topics(name, timeout=20).topics[name].error is None)
    desired = {"names": [name], **login(secured, "SCRAM-SHA-512", "operator")}

    def change(state: str, check: bool = False) -> dict:
        return without_secrets(run_module("topic", {**desired, "state": state}, check=check))

    for state in ("absent", "emptied"):
        assert "Describe on Topic" in change(state)["msg"]
    allow(ResourceType.TOPIC, name, AclOperation.DESCRIBE)
    for state, check in [("absent", True), ("absent", False), ("emptied", False)]:
        told = change(state, check)["msg"]
        assert f"lacks the permission Delete on Topic {name}" in told, told
    assert name in admin.list_topics(timeout=20).topics
    allow(ResourceType.TOPIC, name, AclOperation.DELETE)
    Kafka(plain).raw(name, [(0, b"k", b"v")])
    assert change("emptied")["changed"] and Kafka(plain).records(name) == []
    assert change("absent")["changed"]
    wait_until(lambda: name not in admin.list_topics(timeout=20).topics, reason="the topic to be gone")
