# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker whose REST wants TLS, a client certificate and a password at once: what opens it, and what is said where one of them is wrong.

Bearer tokens and redirects, which Connect itself does not have, are those of a gateway in front of a worker.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from stack import ClusterSpec
from stack.security import make_ca, sign
from tests.integration.conftest import cluster_of
from tests.integration.support.configs import at, shaped
from tests.integration.support.connect_proxy import ConnectProxy
from tests.integration.support.modules import run_module
from tests.integration.support.proxy import Answer
from tests.integration.support.worker import Worker, wait_until
from tests.integration.test_faults import free_url


class Guarded(NamedTuple):
    worker: Worker
    folder: Path
    password: str

    def login(self, **changed) -> dict:
        """All that is needed; None as a changed one takes it away."""
        return {"connect_url": [self.worker.url], "ca_path": str(self.folder / "ca.pem"),
                "url_username": "ops", "url_password": self.password,
                "client_cert": str(self.folder / "ops.pem"), "client_key": str(self.folder / "ops.key"), **changed}


@pytest.fixture(scope="module")
def guarded(live_stack) -> Guarded:
    folder = live_stack.layout.secured / "rest"
    if not folder.exists():  # a stack that was kept has it
        _make_files(folder)
    password = (folder / "users").read_text().split()[1]
    live_stack.up({"guarded": ClusterSpec(
        properties={"listeners": "https://127.0.0.1:{port}", "rest.advertised.listener": "https",
                    "listeners.https.ssl.client.auth": "required",
                    "rest.extension.classes": "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension",
                    **{f"listeners.https.ssl.{store}store.{name}": value for store in ("key", "trust") for name, value in {
                        "type": "PKCS12", "location": str(folder / f"{store}.p12"), "password": password}.items()}},
        jvm_options=[f"-Djava.security.auth.login.config={folder}/jaas.conf"])})
    url = cluster_of(live_stack, "guarded").url
    worker = Worker(url, ("ops", password), verify=str(folder / "ca.pem"), cert=(str(folder / "ops.pem"), str(folder / "ops.key")))
    # The stack has no certificate to ask with, so it takes a refused handshake for an answer.
    wait_until(lambda: worker.call("GET", "connectors").ok, reason="the worker's REST")
    yield Guarded(worker, folder, password)
    live_stack.stop_worker(url)


def _make_files(folder: Path) -> None:
    """Authorities, certificates, the worker's stores (Jetty takes no PEM files), and its users, which have one password with the stores."""
    for authority in (folder, folder / "other"):
        make_ca(authority)
        sign(authority, "ops", "extendedKeyUsage=clientAuth")
    for name, days in (("worker", 10), ("expired", -1)):
        sign(folder, name, "subjectAltName=IP:127.0.0.1", days)
        _join(folder, name)
    password = secrets.token_hex(12)
    for command in (["openssl", "pkcs12", "-export", "-in", "worker-both.pem", "-out", "key.p12", "-passout", f"pass:{password}"],
                    ["keytool", "-importcert", "-noprompt", "-file", "ca.pem", "-keystore", "trust.p12", "-storetype", "PKCS12",
                     "-storepass", password]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (folder / "users").write_text(f"ops: {password}\n")
    module = "org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule"
    (folder / "jaas.conf").write_text(f'KafkaConnect {{ {module} required file="{folder}/users"; }};\n')


def _join(folder: Path, name: str) -> Path:
    """Certificate and key in one file."""
    both = folder / f"{name}-both.pem"
    both.write_text((folder / f"{name}.pem").read_text() + (folder / f"{name}.key").read_text())
    return both


@pytest.fixture
def kept(guarded):
    """A stopped connector at 4."""
    if not guarded.worker.exists("kept"):
        guarded.worker.create("kept", shaped(topic="kept"), "STOPPED")
    guarded.worker.set_offsets("kept", [at(4)])


def info(**options) -> dict:
    return run_module("connector_offsets_info", {"name": "kept", **options})


def change(n: int, check: bool = False, **options) -> dict:
    return run_module("connector_offsets", {"name": "kept", "offsets": [at(n)], "wait_timeout": 20, **options}, check=check)


@pytest.fixture
def refused(guarded, kept, tmp_path):
    """refused(**options) -> the message, the same to look, in check mode and for real; nothing was changed, and nothing secret is in it."""

    def refused(*others: str, **options) -> str:
        results = [info(**options), change(1, check=True, **options), change(1, **options)]
        assert all(result["failed"] for result in results), results
        for secret in (guarded.password, *others):
            assert secret not in json.dumps(results)
        messages = {result["msg"].removesuffix(" Nothing was changed.") for result in results}
        assert len(messages) == 1, messages
        assert guarded.worker.offsets("kept") == [at(4)]
        return messages.pop()

    return refused


def test_certificate_and_password_together(guarded, kept):
    options = guarded.login()
    assert info(**options)["offsets"] == [at(4)]
    checked = change(2, check=True, **options)
    assert checked["changed"] and guarded.worker.offsets("kept") == [at(4)]
    done = change(2, **options)
    assert done["changed"] and "HTTP;" not in str(done["warnings"]) and guarded.worker.offsets("kept") == [at(2)]
    assert guarded.password not in json.dumps([checked, done])
    assert change(2, **options)["changed"] is False
    # One file may hold both.
    assert change(4, **guarded.login(client_cert=str(_join(guarded.folder, "ops")), client_key=None))["changed"]


OWN_AUTHORITY = "If the worker's certificate comes from a private authority, name its file in kafka_connect_ca_path."


@pytest.mark.parametrize("changed, reason, hint", [
    ({"ca_path": None}, "certificate verify failed: unable to get local issuer certificate.", OWN_AUTHORITY),
    ({"ca_path": "other/ca.pem"}, "certificate verify failed: ", OWN_AUTHORITY),
    ({"host": "localhost"}, "Hostname mismatch, certificate is not valid for 'localhost'",
     "Use a name in kafka_connect_url that the worker's certificate has, or give it a certificate with this one."),
    ({"expired": True}, "certificate has expired", "Renew the worker's certificate."),
], ids=["public authorities", "other authority", "other name", "expired"])
def test_a_worker_that_is_not_trusted(guarded, refused, proxy_to, changed, reason, hint):
    options = guarded.login(**{name: value and str(guarded.folder / value) for name, value in changed.items() if name == "ca_path"})
    if "host" in changed:
        options["connect_url"] = [guarded.worker.url.replace("127.0.0.1", changed["host"])]
    if "expired" in changed:
        options["connect_url"] = [proxy_to(guarded.worker.url, certificate=guarded.folder / "expired-both.pem").url]
    message = refused(**options)
    assert message.startswith(f"GET {options['connect_url'][0]}/connectors/kept") and "TLS failed: " in message
    assert reason in message and message.endswith(hint), message


@pytest.mark.parametrize("changed, hint", [
    ({"client_cert": None, "client_key": None},
     "If the worker requires a client's certificate, name its file in kafka_connect_client_cert."),
    ({"client_cert": "other/ops.pem", "client_key": "other/ops.key"},
     "The worker does not accept the certificate of kafka_connect_client_cert: it must come from an authority that the worker "
     "trusts, and not have expired."),
], ids=["no certificate", "other authority"])
def test_a_client_that_is_not_trusted(guarded, refused, changed, hint):
    options = guarded.login(**{name: value and str(guarded.folder / value) for name, value in changed.items()})
    message = refused(**options)
    assert "TLS failed: " in message and message.endswith(hint), message


@pytest.mark.parametrize("changed, hint", [
    ({"url_username": None, "url_password": None}, "Check kafka_connect_username and kafka_connect_password, or kafka_connect_token."),
    ({"url_password": "certainly-wrong"}, "Check the user ops and its password."),
    ({"url_username": "stranger"}, "Check the user stranger and its password."),
    ({"url_username": None, "url_password": None, "bearer_token": "certainly-wrong"}, "Check kafka_connect_token."),
], ids=["no login", "wrong password", "unknown user", "token in place of a password"])
def test_a_login_that_the_worker_refuses(guarded, refused, changed, hint):
    message = refused("certainly-wrong", **guarded.login(**changed))
    assert message.startswith(f"GET {guarded.worker.url}/connectors/kept") and "was denied with 401" in message, message
    assert message.endswith(hint), message


def test_several_workers_of_which_some_are_down(guarded, kept):
    dead = [free_url().replace("http", "https") for _number in range(2)]
    options = guarded.login(connect_url=[dead[0], guarded.worker.url, dead[1]])
    assert info(**options)["offsets"] == [at(4)]
    assert change(1, **options)["changed"] and guarded.worker.offsets("kept") == [at(1)]
    assert change(4, **options)["changed"] and guarded.worker.offsets("kept") == [at(4)]


@pytest.mark.parametrize("by", ["HOME", "NETRC"])
def test_netrc_is_never_read(guarded, refused, monkeypatch, tmp_path, by):
    """Right ones there do not help, and wrong ones do no harm."""
    file = tmp_path / ".netrc"
    monkeypatch.setenv(by, str(tmp_path if by == "HOME" else file))
    file.write_text(f"machine 127.0.0.1 login ops password {guarded.password}\n")
    assert "was denied with 401" in refused(**guarded.login(url_username=None, url_password=None))
    file.write_text("machine 127.0.0.1 login ops password wrong\n")
    assert info(**guarded.login())["offsets"] == [at(4)]


def test_the_proxy_of_the_environment(guarded, kept, refused, monkeypatch):
    address = guarded.worker.url.removeprefix("https://")
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    with ConnectProxy(guarded.worker.url) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        assert info(**guarded.login())["offsets"] == [at(4)] and set(proxy.connects) == {address}
        assert change(1, **guarded.login())["changed"] and change(4, **guarded.login())["changed"]
        proxy.connects.clear()
        for name, value, options in (("NO_PROXY", "10.0.0.1,127.0.0.1", {}), ("HTTPS_PROXY", proxy.url, {"use_proxy": False})):
            monkeypatch.setenv(name, value)
            assert info(**guarded.login(**options))["offsets"] == [at(4)]
            monkeypatch.delenv("NO_PROXY", raising=False)
        assert proxy.connects == []
    monkeypatch.setenv("HTTPS_PROXY", free_url().replace("//", "//me:planted-password@"))
    message = refused("planted-password", **guarded.login())
    assert "the proxy of the environment failed" in message and message.endswith("kafka_connect_use_proxy: false goes around it.")


# ---- a gateway in front of a worker


def test_bearer_token_behind_a_gateway_that_checks_it(main, make, run, proxy_to):
    """One that expires while the change is under way ends it; the connector stays as it was, and the next run has a new one."""
    name, valid = make(shaped(), offsets=[at(4)]), ["first-planted-token"]

    def gate(request) -> Answer | None:
        good = request.headers.get("Authorization") in [f"Bearer {token}" for token in valid]
        if request.verb == "PATCH" and good:
            valid.clear()
            return Answer(401, b'{"error": "invalid_token", "error_description": "The token expired"}')
        return None if good else Answer(401, b'{"error": "invalid_token"}')

    gateway = proxy_to(main.url, gate)
    given = {"name": name, "offsets": [at(1)], "connect_url": [gateway.url]}
    result = run("connector_offsets", bearer_token="first-planted-token", **given)
    assert result["failed"] and "was denied with 401" in result["msg"] and "The token expired" in result["msg"], result
    assert "Check kafka_connect_token." in result["msg"] and "planted" not in json.dumps(result)
    assert main.worker.offsets(name) == [at(4)] and main.worker.state(name) == ("STOPPED", [])
    gateway.trick = lambda request: None if request.headers.get("Authorization") == "Bearer second-planted-token" else Answer(401)
    result = run("connector_offsets", bearer_token="second-planted-token", **given)
    assert result["changed"] and "planted" not in json.dumps(result) and main.worker.offsets(name) == [at(1)]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_of_a_change_is_never_followed(status, main, make, run, proxy_to):
    """Reads pass. Where it leads to no request comes, and no login."""
    name = make(shaped(), offsets=[at(4)])
    before = main.worker.picture(name)
    elsewhere = proxy_to(main.url)
    gateway = proxy_to(main.url, lambda request: None if request.verb == "GET" or request.path.endswith("/validate") else Answer(
        status, location=elsewhere.url + request.path))
    for verb, module, arguments in (
            ("PATCH", "connector_offsets", {"offsets": [at(1)]}), ("DELETE", "connector_offsets", {"state": "absent"}),
            ("PUT", "connector_state", {"state": "started"}), ("POST", "connector", {"config": shaped(topic="x"), "name": f"{name}-new"}),
            ("PUT", "connector", {"config": shaped(topic="other")}), ("DELETE", "connector", {"state": "absent"})):
        gateway.requests.clear()
        login = {"connect_url": [gateway.url], "url_username": "ops", "url_password": "planted-password"}
        result = run(module, **{"name": name, **login, **arguments})
        assert result["failed"] and f"answered {status}, a redirect to {elsewhere.url}/connectors" in result["msg"], result
        assert {request.verb for request in gateway.requests if not request.path.endswith("/validate")} == {"GET", verb}
        assert len(gateway.writes()) == 1, gateway.writes()
    assert elsewhere.requests == [] and main.worker.picture(name) == before and not main.worker.exists(f"{name}-new")
