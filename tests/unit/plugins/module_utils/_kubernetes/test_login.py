# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the client of Kubernetes is configured with. That it logs in with it: tests/integration/strimzi/test_login.py."""

from __future__ import annotations

import json
import logging
import sys

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import api
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.api import Kubernetes, login

kubernetes = pytest.importorskip("kubernetes")

NOTHING = dict.fromkeys(("k8s_host", "k8s_api_key", "k8s_ca_cert", "k8s_verify_ssl", "k8s_kubeconfig", "k8s_context"))


@pytest.fixture
def kubeconfig(tmp_path):
    """kubeconfig(user, **cluster) -> the path of one with the contexts one (the current one) and two."""
    def kubeconfig(user: dict, **cluster) -> str:
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "one", "users": [{"name": "u", "user": user}],
                  "clusters": [{"name": "c", "cluster": {"server": "https://kube:6443", **cluster}}],
                  "contexts": [{"name": name, "context": {"cluster": "c", "user": "u", "namespace": name + "-ns"}} for name in ("one", "two")]}
        (tmp_path / "config").write_text(json.dumps(config))
        return str(tmp_path / "config")
    return kubeconfig


def token_of(configuration):
    return configuration.auth_settings().get("BearerToken", {}).get("value")


def exec_user(tmp_path, text: str) -> dict:
    (tmp_path / "program.py").write_text(text)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": sys.executable, "args": [str(tmp_path / "program.py")]}}


def test_by_options():
    found, namespace = login({**NOTHING, "k8s_host": "https://kube:6443/", "k8s_api_key": "t0ken", "k8s_ca_cert": "/ca.pem"})
    assert (found.host, token_of(found), found.ssl_ca_cert, found.verify_ssl, namespace) == ("https://kube:6443", "Bearer t0ken", "/ca.pem", True, None)
    assert login({**NOTHING, "k8s_host": "https://kube", "k8s_verify_ssl": False})[0].verify_ssl is False


def test_the_client_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "kubernetes", None)
    with pytest.raises(errors.LibraryMissing) as caught:
        login({**NOTHING, "k8s_host": "https://kube"})
    assert caught.value.library == "kubernetes" and "ModuleNotFoundError" in caught.value.traceback


@pytest.mark.parametrize("host", ["kube:6443", "https://me:secret@kube"])
def test_a_host_that_is_none(host):
    with pytest.raises(errors.DeclarationError, match="k8s_host must look like") as caught:
        login({**NOTHING, "k8s_host": host})
    assert "secret" not in caught.value.message


def test_in_a_pod(tmp_path, monkeypatch):
    for name, text in (("token", "mounted"), ("namespace", "kafka\n"), ("ca.crt", "x")):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(api, "_POD_NAMESPACE", str(tmp_path / "namespace"))
    monkeypatch.setattr(kubernetes.config.incluster_config, "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
    monkeypatch.setattr(kubernetes.config.incluster_config, "SERVICE_CERT_FILENAME", str(tmp_path / "ca.crt"))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")
    monkeypatch.delenv("KUBECONFIG", raising=False)
    found, namespace = login(NOTHING)
    assert (found.host, token_of(found).lower(), found.ssl_ca_cert, namespace) == ("https://10.0.0.1:443", "bearer mounted", str(tmp_path / "ca.crt"), "kafka")


def test_a_kubeconfig(kubeconfig):
    path = kubeconfig({"token": "t0ken"}, **{"insecure-skip-tls-verify": True, "tls-server-name": "name"})
    found, namespace = login({**NOTHING, "k8s_kubeconfig": path})
    assert (found.host, token_of(found), found.verify_ssl, found.tls_server_name, namespace) == ("https://kube:6443", "Bearer t0ken", False, "name", "one-ns")
    assert login({**NOTHING, "k8s_kubeconfig": path, "k8s_context": "two"})[1] == "two-ns"


def test_options_win_over_a_kubeconfig(kubeconfig):
    path = kubeconfig({"token": "t0ken"}, **{"insecure-skip-tls-verify": True, "tls-server-name": "name"})
    found, _namespace = login({**NOTHING, "k8s_kubeconfig": path, "k8s_api_key": "other", "k8s_host": "https://other", "k8s_verify_ssl": True})
    assert (found.host, token_of(found), found.verify_ssl, found.tls_server_name) == ("https://other", "Bearer other", True, None)


@pytest.mark.parametrize("wrong, words", [
    ({"k8s_kubeconfig": "/none"}, "The kubeconfig /none cannot be used: there is no such file, or it is empty. Give k8s_kubeconfig and k8s_context, or"),
    ({"k8s_context": "three"}, "it has no context three, but one, two. Give"),
])
def test_a_kubeconfig_that_is_of_no_use(kubeconfig, wrong, words):
    with pytest.raises(errors.DeclarationError, match=words):
        login({**NOTHING, "k8s_kubeconfig": kubeconfig({}), **wrong})


def test_a_broken_kubeconfig_is_not_quoted(tmp_path, kubeconfig):
    path = kubeconfig({"token": "t0ken", "auth-provider": {"name": "oidc", "config": {}}})
    with pytest.raises(errors.DeclarationError, match="Expected key id-token in .*{...}") as caught:
        login({**NOTHING, "k8s_kubeconfig": path})
    assert "t0ken" not in caught.value.message


def test_a_login_program(tmp_path, kubeconfig):
    answer = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "fresh"}}
    found, _namespace = login({**NOTHING, "k8s_kubeconfig": kubeconfig(exec_user(tmp_path, f"print({json.dumps(answer)!r})"))})
    assert token_of(found) == "Bearer fresh"


def test_a_login_program_that_fails(tmp_path, kubeconfig):
    path = kubeconfig(exec_user(tmp_path, "raise SystemExit('your session has ended')"))
    with pytest.raises(errors.DeclarationError, match="cannot be used: exec: process returned 1. your session has ended. Give"):
        login({**NOTHING, "k8s_kubeconfig": path})
    assert not [one for one in logging.getLogger().handlers if isinstance(one, logging.handlers.BufferingHandler)]


# ---- proxies ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("environment, proxy", [
    ({}, None),
    ({"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
    ({"HTTPS_PROXY": "proxy.example.com:3128"}, "http://proxy.example.com:3128"),
    ({"HTTP_PROXY": "http://other:1", "HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
    ({"HTTP_PROXY": "http://other:1"}, None),
    ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "kube"}, None),
    ({"https_proxy": "http://proxy:3128", "no_proxy": "10.0.0.0/8,.example.com"}, "http://proxy:3128"),
])
def test_a_proxy_of_the_environment(monkeypatch, environment, proxy):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert login({**NOTHING, "k8s_host": "https://kube:6443"})[0].proxy == proxy


def test_the_proxy_of_a_kubeconfig_counts_for_sure(monkeypatch, kubeconfig):
    monkeypatch.setenv("HTTPS_PROXY", "http://other:1")
    monkeypatch.setenv("NO_PROXY", "*")
    found, _namespace = login({**NOTHING, "k8s_kubeconfig": kubeconfig({"token": "t"}, **{"proxy-url": "http://me:pass@proxy:3128"})})
    kube = Kubernetes(found)
    assert found.proxy == "http://me:pass@proxy:3128" and kube._api.rest_client.pool_manager.proxy.host == "proxy"
    assert found.proxy_headers == {"Proxy-Authorization": "Basic bWU6cGFzcw=="}
    kube.close()


def test_a_proxy_that_cannot_be(kubeconfig):
    found, _namespace = login({**NOTHING, "k8s_kubeconfig": kubeconfig({"token": "t"}, **{"proxy-url": "gopher://proxy:70"})})
    with pytest.raises(errors.DeclarationError, match="https://kube:6443 cannot be requested by way of the proxy"):
        Kubernetes(found)
