# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The few calls of the Kubernetes API that the collection makes: get, list, create, and JSON patches that overwrite nobody.

They go over requests. The Python client "kubernetes" is needed only to read a kubeconfig, with whatever it names to log in.
"""

from __future__ import annotations

import json
import os
import time
import traceback
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.http import REQUESTS_TRACEBACK, Header, innermost, requests
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest_errors import excerpt
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

#: where a pod finds its own login
_POD = "/var/run/secrets/kubernetes.io/serviceaccount"

#: seconds that one request may take
_TIMEOUT = 30
#: seconds for which a read is repeated, and a write that others get in the way of
_PATIENCE = 20.0
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0

_VERBS = {"GET": "get", "POST": "create", "PATCH": "patch"}

#: How to reach the API server. token(): the value of the Authorization header without "Bearer", or None. namespace: the one to use
#: where nobody says another one, or None. cert: what requests takes. verify: True, False or the path of a PEM file.
Login = namedtuple("Login", ["host", "token", "verify", "cert", "namespace"])


def login(params: dict) -> Login:
    """By the options host, api_key, ca_cert, verify_ssl, kubeconfig and context; in a pod, by what is mounted there.

    Raises DeclarationError, LibraryMissing.
    """
    found = _by_options(params) if params["host"] and not params["kubeconfig"] else None
    if found is None and not params["kubeconfig"] and not params["context"] and _in_pod() and not _has_kubeconfig():
        found = _by_pod()
    if found is None:
        found = _by_kubeconfig(params["kubeconfig"], params["context"])
        if params["host"]:
            found = found._replace(host=params["host"])
    if params["api_key"]:
        found = found._replace(token=lambda: params["api_key"], cert=None)
    if params["ca_cert"]:
        found = found._replace(verify=params["ca_cert"])
    if params["verify_ssl"] is False:
        found = found._replace(verify=False)
    if not found.host.startswith(("https://", "http://")) or "@" in found.host:
        raise errors.DeclarationError("host must look like https://kubernetes.example.com:6443, without credentials. Nothing was changed.")
    return found._replace(host=found.host.rstrip("/"))


def _by_options(params) -> Login:
    return Login(params["host"], lambda: None, True, None, None)


def _in_pod() -> bool:
    return bool(os.environ.get("KUBERNETES_SERVICE_HOST")) and os.path.exists(os.path.join(_POD, "token"))


def _has_kubeconfig() -> bool:
    return bool(os.environ.get("KUBECONFIG")) or os.path.exists(os.path.expanduser("~/.kube/config"))


def _by_pod() -> Login:
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ.get("KUBERNETES_SERVICE_PORT") or "443"
    return Login("https://%s:%s" % ("[%s]" % host if ":" in host else host, port), lambda: _mounted("token"), os.path.join(_POD, "ca.crt"),
                 None, _mounted("namespace"))


def _mounted(name):
    """Read anew each time: the token is replaced now and then."""
    with open(os.path.join(_POD, name), encoding="utf-8") as file:
        return file.read().strip() or None


def _by_kubeconfig(path, context) -> Login:
    """Raises DeclarationError for a file that cannot be used."""
    try:
        from kubernetes import client, config
    except ImportError:
        raise errors.LibraryMissing("kubernetes", traceback.format_exc())
    try:
        loaded = client.Configuration()
        config.load_kube_config(config_file=path or None, context=context or None, client_configuration=loaded)
        contexts, active = config.list_kube_config_contexts(config_file=path or None)
    except Exception as error:  # the client raises much, from missing files to what a login program says
        raise errors.DeclarationError("The kubeconfig%s cannot be used: %s. Give kubeconfig, or host and api_key. Nothing was changed." % (
            " " + path if path else "", str(error).rstrip(".")))
    if context:
        active = next((one for one in contexts if one["name"] == context), active)

    def token():
        header = (loaded.auth_settings().get("BearerToken") or {}).get("value")
        return header[len("Bearer "):] if header and header.startswith("Bearer ") else header

    cert = (loaded.cert_file, loaded.key_file) if loaded.cert_file and loaded.key_file else loaded.cert_file or None
    return Login(loaded.host, token, (loaded.ssl_ca_cert or True) if loaded.verify_ssl else False, cert,
                 ((active or {}).get("context") or {}).get("namespace"))


class Kubernetes:
    """One API server. A path is one of its own, as /api/v1/namespaces/NAMESPACE/configmaps/NAME."""

    def __init__(self, found: Login, sleep=time.sleep, clock=time.monotonic):
        """Raises LibraryMissing."""
        if REQUESTS_TRACEBACK:
            raise errors.LibraryMissing("requests", REQUESTS_TRACEBACK)
        self._login = found
        self.sleep = sleep
        self.clock = clock
        self._session = requests.Session()
        self._session.headers.update({"Accept": "application/json", "User-Agent": "streamops.kafka_connect"})
        if found.verify is False:
            requests.packages.urllib3.disable_warnings()

    def close(self) -> None:
        self._session.close()

    @property
    def host(self) -> str:
        return self._login.host

    @property
    def namespace(self):
        """The one of the login; None where it tells none."""
        return self._login.namespace

    def get(self, path: str) -> dict:
        """Raises KubeNotFound, KubeNotServed, KubeDenied, KubeUnreachable."""
        end, pause = self.clock() + _PATIENCE, _FIRST_PAUSE
        while True:
            try:
                return self._call("GET", path)
            except (errors.KubeUnreachable, _Busy) as error:
                if self.clock() + pause > end or error.facts.get("refused"):
                    raise
            self.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def create(self, path: str, body: dict) -> dict:
        """path: of the collection. Raises KubeConflict if there is such an object."""
        return self._call("POST", path, body)

    def update(self, path: str, change) -> dict:
        """Have ``change(object)`` say what to do with the object as it is: JSON patch operations, or [] for nothing.

        They are carried out only on the very object that ``change`` has seen; on another one it is asked again. So it is
        also safe to ask again when an answer got lost. Returns the object as it is then. What ``change`` raises ends it.
        """
        end, pause, last = self.clock() + _PATIENCE, _FIRST_PAUSE, None
        while True:
            found = self.get(path)
            operations = change(found)
            if not operations:
                return found
            if last is not None and (self.clock() > end or last[1] == found["metadata"]["resourceVersion"]):
                raise last[0]
            version = found["metadata"]["resourceVersion"]
            try:
                return self._call("PATCH", path, [{"op": "test", "path": "/metadata/resourceVersion", "value": version}] + operations)
            except errors.KubeConflict as error:
                # 422 says a test that failed as well as a value that is not allowed; the latter comes again.
                last = error, version if error.facts.get("http_status") == 422 else None
            except (errors.KubeUnreachable, _Busy) as error:
                last = error, None
            self.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    # ---- private ---------------------------------------------------------------------------------------------

    def _call(self, verb, path, body=None):
        url = self._login.host + path
        facts = {"url": url, "method": verb}
        kind = "application/json-patch+json" if verb == "PATCH" else "application/json"
        data = None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
        token = self._login.token()
        try:
            answer = self._session.request(
                verb, url, data=data, headers={"Content-Type": kind} if data else {}, timeout=_TIMEOUT, allow_redirects=False,
                verify=self._login.verify, cert=self._login.cert,  # the session's would give way to REQUESTS_CA_BUNDLE
                auth=Header("Bearer " + token if token and " " not in token else token))
        except requests.exceptions.SSLError as error:
            raise errors.KubeError("%s %s: TLS failed: %s. Name the file of the authority of the API server in ca_cert." % (
                verb, url, innermost(error)), **facts)
        except requests.exceptions.RequestException as error:
            raise errors.KubeUnreachable("%s %s: no answer from the Kubernetes API server: %s. Check host, or kubeconfig and context." % (
                verb, url, innermost(error)), refused="refused" in str(error), **facts)
        except OSError as error:
            raise errors.DeclarationError("%s %s cannot be requested: %s. Nothing was changed." % (verb, url, error), **facts)
        text = answer.content.decode("utf-8", "replace")
        facts["http_status"] = answer.status_code
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if isinstance(found, dict) and found.get("kind") != "Status" and 200 <= answer.status_code < 300:
            return found
        raise _failure(facts, found if isinstance(found, dict) else {}, text, path)


class _Busy(errors.KubeError):
    """The API server cannot answer now. Nothing was done, or it is not known."""


def _failure(facts, status, text, path):
    """The error of an answer that is not the object. status: the Status of Kubernetes, {} where it is none."""
    code = facts["http_status"]
    intro = "%(method)s %(url)s" % facts
    words = status.get("message") or excerpt(text) or "no reason given"
    if code == 401:
        return errors.KubeDenied("%s was denied with 401 (%s): the Kubernetes API server does not know this login. Check api_key, or kubeconfig "
                                 "and context." % (intro, words), **facts)
    if code == 403:
        verb, plural = _VERBS[facts["method"]], _plural(path)
        if verb == "get" and path.endswith("/" + plural):
            verb = "list"
        return errors.KubeDenied("%s was denied with 403: %s. The role of this login needs the verb %s on the resource %s." % (
            intro, words.rstrip("."), verb, plural), verb=verb, kubernetes_resource=plural, **facts)
    if code == 404 and status.get("details", {}).get("name"):
        return errors.KubeNotFound("%s: %s." % (intro, words.rstrip(".")), **facts)
    if code == 404 and (status or text.startswith("404 page not found")):
        return errors.KubeNotServed("%s: the Kubernetes API server does not serve that (%s)." % (intro, words), **facts)
    if code in (409, 422):
        return errors.KubeConflict("%s failed with %d: %s." % (intro, code, words.rstrip(".")), **facts)
    if code == 429 or code >= 500:
        return _Busy("%s failed with %d: %s." % (intro, code, words.rstrip(".")), **facts)
    if not status:
        return errors.KubeError("%s answered %d with something that is not Kubernetes' (%s). Check host." % (intro, code, words), **facts)
    return errors.KubeError("%s failed with %d: %s." % (intro, code, words.rstrip(".")), **facts)


def _plural(path) -> str:
    """kafkaconnectors of /apis/GROUP/VERSION/namespaces/NAMESPACE/kafkaconnectors/NAME"""
    parts = path.split("?")[0].strip("/").split("/")
    parts = parts[parts.index("namespaces") + 2:] if "namespaces" in parts else parts[-1:]
    return parts[0] if parts else path
