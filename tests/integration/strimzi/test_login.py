# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logins to the real API server by all that a kubeconfig can say, and what a user reads of those that fail.

The least that asks the API server is a look into a ledger that is not there.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import pytest

from stack import security
from tests.integration.support.connect_proxy import ConnectProxy
from tests.integration.support.modules import run_module

LEDGER = "connect-offset-changes"


@pytest.fixture
def kubeconfig(kubernetes, namespace, tmp_path):
    """kubeconfig(user, **cluster) -> the path of one for the namespace. Settings that are None are left out."""
    def kubeconfig(user: dict | None = None, **cluster) -> str:
        path = Path(kubernetes.write_kubeconfig(tmp_path / "test.kubeconfig", kubernetes.admin_token, namespace.name))
        document = json.loads(path.read_text())
        document["users"][0]["user"] = user or document["users"][0]["user"]
        settings = {**document["clusters"][0]["cluster"], **{name.replace("_", "-"): value for name, value in cluster.items()}}
        document["clusters"][0]["cluster"] = {name: value for name, value in settings.items() if value is not None}
        path.write_text(json.dumps(document))
        return str(path)
    return kubeconfig


def look(**login) -> dict:
    return run_module("connector_changes_info", {"ledger": "configmap", **login})


def seen(**login) -> bool:
    result = look(**login)
    assert not result["failed"], result
    return result["changes"] == [] and LEDGER in result["where"]


def refused(*words: str, **login) -> str:
    result = look(**login)
    assert result["failed"] and all(word in result["msg"] for word in words), result
    return result["msg"]


def renamed(kubernetes) -> str:
    """The URL of the API server by a name that its certificate does not have."""
    return kubernetes.url.replace("127.0.0.1", "127.1")


def test_a_server_by_another_name(kubernetes, kubeconfig):
    assert seen(kubeconfig=kubeconfig(server=renamed(kubernetes), tls_server_name="localhost"))


def test_a_server_by_another_name_without_its_own(kubernetes, kubeconfig):
    refused("TLS failed", "mismatch, certificate is not valid for '127.1'", "The certificate of the API server has other names: "
            "give one of them as k8s_host, or as tls-server-name of the cluster in the kubeconfig.",
            kubeconfig=kubeconfig(server=renamed(kubernetes)))


def test_an_authority_that_nobody_knows(kubernetes, kubeconfig):
    refused("TLS failed", "certificate verify failed", "Name the file of the authority of the API server in k8s_ca_cert.",
            kubeconfig=kubeconfig(certificate_authority=None))


def test_an_authority_inside_the_kubeconfig(kubernetes, kubeconfig):
    data = base64.b64encode(Path(kubernetes.ca).read_bytes()).decode()
    assert seen(kubeconfig=kubeconfig(certificate_authority=None, certificate_authority_data=data))


def test_no_verification(kubeconfig):
    path = kubeconfig(certificate_authority=None, insecure_skip_tls_verify=True)
    assert seen(kubeconfig=path)
    refused("TLS failed", kubeconfig=path, verify_ssl=True)


def test_proxy_url(kubernetes, kubeconfig, monkeypatch):
    """Also for a name that only the proxy knows, and whatever the environment says."""
    monkeypatch.setenv("NO_PROXY", "*")
    with ConnectProxy(kubernetes.url) as proxy:
        assert seen(kubeconfig=kubeconfig(server="https://kube.example.com:6443", proxy_url=proxy.url, tls_server_name="localhost"))
    assert proxy.connects == ["kube.example.com:6443"]


def test_a_proxy_of_the_environment(kubernetes, namespace, monkeypatch):
    login = {"host": kubernetes.url, "api_key": kubernetes.admin_token, "ca_cert": kubernetes.ca, "namespace": namespace.name}
    with ConnectProxy(kubernetes.url) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        assert seen(**login) and len(proxy.connects) == 1
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert seen(**login) and len(proxy.connects) == 1


def test_a_proxy_that_is_away(kubeconfig):
    refused("no answer from the Kubernetes API server", "The proxy is proxy-url of the cluster in the kubeconfig",
            kubeconfig=kubeconfig(proxy_url="http://127.0.0.1:9"))


def login_program(folder: Path, status: str) -> dict:
    """A user who logs in by a program, which prints what that Python expression gives."""
    version = "client.authentication.k8s.io/v1"
    program = folder / "login.py"
    program.write_text(f"import json\nprint(json.dumps({{'apiVersion': '{version}', 'kind': 'ExecCredential', 'status': {status}}}))\n")
    return {"exec": {"apiVersion": version, "command": sys.executable, "args": [str(program)], "interactiveMode": "Never"}}


def test_a_login_program(kubernetes, kubeconfig, tmp_path):
    assert seen(kubeconfig=kubeconfig(login_program(tmp_path, f"{{'token': '{kubernetes.admin_token}'}}")))


def test_a_login_program_that_fails(kubeconfig, tmp_path):
    user = login_program(tmp_path, "exit('log in again')")
    refused("cannot be used: exec: process returned 1. log in again", kubeconfig=kubeconfig(user))


def test_a_client_certificate(kubernetes, kubeconfig, tmp_path):
    """The API server takes none in this stack, so that it is nobody who comes with it."""
    security.make_ca(tmp_path)
    security.sign(tmp_path, "me", "extendedKeyUsage=clientAuth")
    user = {f"{name}-data": base64.b64encode((tmp_path / file).read_bytes()).decode()
            for name, file in (("client-certificate", "me.pem"), ("client-key", "me.key"))}
    refused("denied with 403", "system:anonymous", kubeconfig=kubeconfig(user))


def test_a_wrong_token(kubeconfig):
    words = refused("denied with 401", "does not know this login. Check k8s_api_key, or k8s_kubeconfig and k8s_context.",
                    kubeconfig=kubeconfig({"token": "wr0ng"}))
    assert "wr0ng" not in words


def test_a_token_of_an_account_that_is_gone(kubernetes, namespace, kubeconfig):
    token = kubernetes.restricted_token(namespace.name, "short-lived", [])
    kubernetes.api().delete(f"/api/v1/namespaces/{namespace.name}/serviceaccounts/short-lived")
    words = refused("denied with 401", kubeconfig=kubeconfig({"token": token}))
    assert token not in words


def test_a_missing_right(kubernetes, namespace, restricted):
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["patch"]}]
    refused(f"GET {kubernetes.url}/api/v1/namespaces/{namespace.name}/configmaps/{LEDGER} was denied with 403: ",
            "The role of this login needs the verb get on the resource configmaps.", kubeconfig=restricted(rules=rules))


def test_an_unknown_context(kubeconfig):
    refused("The kubeconfig ", "cannot be used: it has no context other, but stack.", kubeconfig=kubeconfig(), context="other")
