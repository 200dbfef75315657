# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Kubernetes API server on loopback with its etcd: resources, rights and tokens are real, there are no nodes and no pods."""

import json
import os
import secrets
import shutil
import time
from pathlib import Path
from typing import Any

from stack import apiserver_build, ports, security
from stack.errors import StackError
from stack.kube_api import ApiError, KubeApi
from stack.paths import write_private
from stack.process import Process, spawn, stop_all

INSTALL = "apt-get install -y etcd-server"
_ISSUER = "https://kubernetes.default.svc"
_START_TIMEOUT = 90.0
_RULES_TIMEOUT = 30.0
_GRACE = 5.0
_LINES_SHOWN = 15


def missing() -> str:
    """Why it can't be started on this machine; "" if it can."""
    if not shutil.which("etcd"):
        return f"etcd is missing (kube-apiserver keeps its data there). Type: {INSTALL}"
    return apiserver_build.missing()


class Kubernetes:
    """Rights are by RBAC; the token of the administrator may do everything.

    Like the stack's JVMs it outlives its caller; an object for the same directory finds it again. Without a controller manager
    nothing is collected, and a deleted namespace is never gone.
    """

    def __init__(self, directory: str | Path) -> None:
        self.directory = Path(directory).expanduser().absolute()
        self.log = self.directory / "kube-apiserver.log"
        self._etcd_log = self.directory / "etcd.log"
        self._certificates = self.directory / "certificates"
        self._settings = self.directory / "kubernetes.json"

    @property
    def url(self) -> str:
        return f"https://{ports.HOST}:{self._read()['port']}"

    @property
    def ca(self) -> str:
        """The PEM file of the CA that has signed the server's certificate."""
        return str(self._certificates / "ca.pem")

    @property
    def admin_token(self) -> str:
        return self._read()["token"]

    @property
    def kubeconfig(self) -> str:
        """The administrator's."""
        return str(self.directory / "admin.kubeconfig")

    @property
    def running(self) -> bool:
        return all(process.alive() for process in self._processes())

    def api(self, token: str = "") -> KubeApi:
        """A client for that token, without one for the administrator's."""
        return KubeApi(self.url, self.ca, token or self.admin_token)

    def start(self) -> None:
        """Start what does not run, with the old data if there are any; returns when the API server is ready."""
        if self.running:
            return
        problem = missing()
        if problem:
            raise StackError(problem)
        program = apiserver_build.ensure_apiserver()
        self.stop()
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._prepare()
        settings = self._read()
        etcd = spawn(_etcd(self._data, settings), f"--data-dir={self._data}", self._etcd_log, dict(os.environ))
        settings["etcd"] = etcd.pid
        self._write(settings)
        words = _apiserver(str(program), self._certificates, settings)
        server = spawn(words, f"--cert-dir={self._certificates}", self.log, dict(os.environ))
        settings["apiserver"] = server.pid
        self._write(settings)
        self._await(server)
        self.write_kubeconfig(self.kubeconfig, self.admin_token)

    def stop(self) -> None:
        """Data and logs stay. No error if it does not run."""
        etcd, server = self._processes()
        stop_all([server], _GRACE)
        stop_all([etcd], _GRACE)

    def purge(self) -> None:
        """stop(), and delete the directory."""
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def write_kubeconfig(self, path: str | Path, token: str, namespace: str = "default") -> str:
        """Write one with that token and a context named stack; returns its path."""
        cluster = {"server": self.url, "certificate-authority": self.ca}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "stack", "cluster": cluster}],
            "users": [{"name": "user", "user": {"token": token}}],
            "contexts": [{"name": "stack", "context": {"cluster": "stack", "user": "user", "namespace": namespace}}],
            "current-context": "stack",
        }
        write_private(Path(path), json.dumps(document, indent=2) + "\n")  # JSON is YAML
        return str(path)

    def restricted_token(self, namespace: str, name: str, rules: list[dict[str, Any]]) -> str:
        """A token for a new service account of that name, which may do in its namespace what the rules of RBAC say, and no more."""
        api = self.api()
        group = "rbac.authorization.k8s.io"
        metadata = {"name": name, "namespace": namespace}
        subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
        role = {"apiGroup": group, "kind": "Role", "name": name}
        accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
        rights = f"/apis/{group}/v1/namespaces/{namespace}"
        api.call("POST", accounts, {"metadata": metadata})
        api.call("POST", f"{rights}/roles", {"metadata": metadata, "rules": rules})
        api.call("POST", f"{rights}/rolebindings", {"metadata": metadata, "subjects": [subject], "roleRef": role})
        wanted = {"spec": {"expirationSeconds": 3600}}
        token = api.call("POST", f"{accounts}/{name}/token", wanted)["status"]["token"]
        if rules:
            self._await_rules(token, namespace, rules)
        return token

    def _await_rules(self, token: str, namespace: str, rules: list[dict[str, Any]]) -> None:
        """The server authorizes from a cache, which has a new role a little later. A token that it has seen works for 10 s more when its
        account is deleted."""
        api = self.api(token)
        deadline = time.monotonic() + _RULES_TIMEOUT
        while True:
            review = api.call("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {"spec": {"namespace": namespace}})
            known = review["status"]["resourceRules"]
            if all(rule in known for rule in rules):
                return
            if time.monotonic() > deadline:
                raise StackError(
                    f"These rules of {namespace} are not in force after {_RULES_TIMEOUT:g} s: {rules}. In force are {known}.")
            time.sleep(0.05)

    def _prepare(self) -> None:
        """Settings and certificates; those of an earlier start stay, and so do its ports if they are free."""
        settings = self._read()
        if not settings:
            settings = {"token": secrets.token_urlsafe(32)}
            security.make_ca(self._certificates)
            security.sign(self._certificates, "server", f"subjectAltName=IP:{ports.HOST},DNS:localhost")
            security.sign(self._certificates, "accounts", "extendedKeyUsage=clientAuth")
        write_private(self._certificates / "tokens.csv", f'{settings["token"]},admin,admin,"system:masters"\n')
        for name in ("port", "etcd_port", "peer_port"):
            if not settings.get(name) or not ports.is_free(settings[name]):
                settings[name] = ports.find_free({value for value in settings.values() if isinstance(value, int)})
        self._write(settings)

    def _await(self, server: Process) -> None:
        deadline = time.monotonic() + _START_TIMEOUT
        while server.alive() and time.monotonic() < deadline:
            try:
                # Ready is: also its own roles and namespaces are there.
                if self.api().call("GET", "/readyz") == "ok" and self.api().get("/api/v1/namespaces/default"):
                    return
            except (ApiError, OSError):
                pass
            time.sleep(0.1)
        self.stop()
        lines = [f"{log}: {line}" for log in (self._etcd_log, self.log) for line in _end(log)]
        raise StackError("\n".join(["The Kubernetes API server did not start. The end of its logs:", *lines]))

    @property
    def _data(self) -> Path:
        return self.directory / "etcd"

    def _processes(self) -> list[Process]:
        settings = self._read()
        tags = {"etcd": f"--data-dir={self._data}", "apiserver": f"--cert-dir={self._certificates}"}
        return [Process.find(settings.get(name, 0), tag) for name, tag in tags.items()]

    def _read(self) -> dict[str, Any]:
        try:
            return json.loads(self._settings.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def _write(self, settings: dict[str, Any]) -> None:
        partial = self._settings.with_suffix(".partial")
        write_private(partial, json.dumps(settings) + "\n")
        os.replace(partial, self._settings)


def _etcd(data: Path, settings: dict[str, Any]) -> list[str]:
    client, peer = (f"http://{ports.HOST}:{settings[name]}" for name in ("etcd_port", "peer_port"))
    return [
        str(shutil.which("etcd")),
        f"--data-dir={data}",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
    ]


def _apiserver(program: str, certificates: Path, settings: dict[str, Any]) -> list[str]:
    return [
        program,
        f"--cert-dir={certificates}",
        f"--etcd-servers=http://{ports.HOST}:{settings['etcd_port']}",
        f"--bind-address={ports.HOST}",
        f"--advertise-address={ports.HOST}",
        f"--secure-port={settings['port']}",
        f"--tls-cert-file={certificates / 'server.pem'}",
        f"--tls-private-key-file={certificates / 'server.key'}",
        f"--token-auth-file={certificates / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        f"--service-account-issuer={_ISSUER}",
        f"--service-account-key-file={certificates / 'accounts.pem'}",
        f"--service-account-signing-key-file={certificates / 'accounts.key'}",
        "--service-cluster-ip-range=10.0.0.0/24",
        # It waits for an account that a controller would make; there are no pods that could use it.
        "--disable-admission-plugins=ServiceAccount",
        "--endpoint-reconciler-type=none",
        "--profiling=false",
    ]


def _end(log: Path) -> list[str]:
    if not log.exists():
        return []
    return log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LINES_SHOWN:]
