# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The Kubernetes API: the login, and the few calls that the collection makes: get, list, create, and JSON patches that overwrite nobody.

Both go over the Python client "kubernetes", of which any version from 28.1 on will do. It is imported where a task needs it, which takes 0.25 s.
"""

from __future__ import annotations

import logging.handlers
import os
import re
import time
import traceback

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.http import innermost
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest_errors import excerpt
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

try:
    import urllib3
except ImportError:
    urllib3 = None  # then the client is missing, too, and login() says so

#: where a pod finds the name of its namespace; what else is there is read by the client
_POD_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

#: seconds that one request may take
_TIMEOUT = 30
#: seconds for which a read is repeated, and a write that others get in the way of
_PATIENCE = 20.0
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 2.0

_VERBS = {"GET": "get", "POST": "create", "PATCH": "patch"}


def login(params: dict) -> tuple:
    """(kubernetes.client.Configuration, the namespace of the login or None) by the options k8s_*;
    in a pod, by what is mounted there. Raises DeclarationError, LibraryMissing.
    """
    try:
        from kubernetes import client, config
    except ImportError:
        raise errors.LibraryMissing("kubernetes", traceback.format_exc())
    found, namespace, proxy = client.Configuration(), None, None
    if params["k8s_kubeconfig"] or not params["k8s_host"] and (params["k8s_context"] or _has_kubeconfig() or not _in_pod()):
        namespace, proxy = _load_kubeconfig(found, params["k8s_kubeconfig"], params["k8s_context"])
    elif not params["k8s_host"]:
        config.load_incluster_config(client_configuration=found)
        with open(_POD_NAMESPACE, encoding="utf-8") as file:
            namespace = file.read().strip()
    _override(found, params)
    if not found.host.startswith(("https://", "http://")) or "@" in found.host:
        raise errors.DeclarationError("k8s_host must look like https://kubernetes.example.com:6443, without credentials.")
    _set_proxy(found, proxy)
    found.retries = False  # we repeat what may be repeated
    return found, namespace


def _in_pod() -> bool:
    return bool(os.environ.get("KUBERNETES_SERVICE_HOST")) and os.path.exists(_POD_NAMESPACE)


def _has_kubeconfig() -> bool:
    return bool(os.environ.get("KUBECONFIG")) or os.path.exists(os.path.expanduser("~/.kube/config"))


def _load_kubeconfig(found, path, context) -> tuple:
    """(namespace or None, proxy-url or None) of the context, whose login is put into the Configuration. Raises DeclarationError."""
    from kubernetes.config import kube_config
    logged = logging.handlers.BufferingHandler(100)  # that a login program has failed is logged and not raised
    logging.getLogger().addHandler(logged)
    try:
        merged = kube_config.KubeConfigMerger(path or kube_config.KUBE_CONFIG_DEFAULT_LOCATION)
        if merged.config is None:
            raise kube_config.ConfigException("there is no such file, or it is empty")
        contexts = [one["name"] for one in merged.config["contexts"].value]
        if context and context not in contexts:
            raise kube_config.ConfigException("it has no context %s, but %s" % (context, ", ".join(sorted(contexts)) or "none at all"))
        loader = kube_config.KubeConfigLoader(merged.config, context or None, config_base_path=None, config_persister=merged.save_changes)
        loader.load_and_set(found)
        if logged.buffer and not found.api_key and not found.cert_file:
            raise kube_config.ConfigException(logged.buffer[-1].getMessage())
        chosen = loader.current_context["context"]
        cluster = merged.config["clusters"].get_with_name(chosen["cluster"])["cluster"]
        return chosen.get("namespace"), cluster.safe_get("proxy-url")
    except Exception as error:  # the client raises much, from what YAML says to what a login program says
        reason = re.sub(r"\{.*\}", "{...}", str(error), flags=re.DOTALL).strip().rstrip(".")  # it quotes users with their tokens
        raise errors.DeclarationError("The kubeconfig%s cannot be used: %s. Give k8s_kubeconfig and k8s_context, or k8s_host and k8s_api_key." % (
            " " + path if path else "", reason))
    finally:
        logging.getLogger().removeHandler(logged)


def _override(found, params) -> None:
    """Options that are given win over a kubeconfig."""
    if params["k8s_host"]:
        found.host, found.tls_server_name = params["k8s_host"], None
    if params["k8s_api_key"]:
        found.api_key, found.refresh_api_key_hook = {"authorization": "Bearer " + params["k8s_api_key"].strip()}, None
        found.cert_file = found.key_file = None
    if params["k8s_ca_cert"]:
        found.ssl_ca_cert, found.verify_ssl = params["k8s_ca_cert"], True
    if params["k8s_verify_ssl"] is not None:
        found.verify_ssl = params["k8s_verify_ssl"]
    found.host = found.host.rstrip("/")


def _set_proxy(found, proxy) -> None:
    """proxy: that of the kubeconfig, which counts for sure; else one of the environment, as for the workers. Versions of the client differ in this."""
    from requests import utils
    from requests.adapters import HTTPAdapter
    proxy = proxy or utils.select_proxy(found.host, utils.get_environ_proxies(found.host))
    found.proxy, found.no_proxy = proxy and utils.prepend_scheme_if_needed(proxy, "http"), ""
    found.proxy_headers = proxy and HTTPAdapter().proxy_headers(found.proxy)


class Kubernetes:
    """One API server. A path is one of its own, as /api/v1/namespaces/NAMESPACE/configmaps/NAME."""

    def __init__(self, configuration, namespace=None, sleep=time.sleep, clock=time.monotonic):
        """configuration, namespace: what login() has found. Raises DeclarationError."""
        from kubernetes.client import ApiClient
        from kubernetes.dynamic import DynamicClient
        self.host = configuration.host
        self.namespace = namespace
        self.sleep = sleep
        self.clock = clock
        if not configuration.verify_ssl:
            urllib3.disable_warnings()
        try:
            self._api = ApiClient(configuration)
        except ValueError as error:
            raise errors.DeclarationError("%s cannot be requested by way of the proxy: %s." % (self.host, error))
        # It takes paths, so nothing has to be discovered.
        self._client = DynamicClient(self._api, discoverer=lambda client, cache_file: None)

    def close(self) -> None:
        self._api.close()

    def get(self, path: str) -> dict:
        """Raises KubeNotFound, KubeNotServed, KubeDenied, KubeUnreachable."""
        for last in self._attempts():
            try:
                return self._call("GET", path)
            except errors.KubeUnreachable as error:
                if last or error.facts.get("refused"):
                    raise

    def create(self, path: str, body: dict) -> dict:
        """path: of the collection. Raises KubeConflict if there is such an object."""
        return self._call("POST", path, body)

    def update(self, path: str, change) -> dict:
        """Have ``change(object)`` say what to do with the object as it is: JSON patch operations, or [] for nothing.

        They are carried out only on the very object that ``change`` has seen; on another one it is asked again. So it is
        also safe to ask again when an answer got lost. Returns the object as it is then. What ``change`` raises ends it.
        """
        failed = refused = None
        for last in self._attempts():
            found = self.get(path)
            operations = change(found)
            if not operations:
                return found
            version = found["metadata"]["resourceVersion"]
            if failed and (last or version == refused):
                break
            try:
                return self._call("PATCH", path, [{"op": "test", "path": "/metadata/resourceVersion", "value": version}] + operations)
            except (errors.KubeConflict, errors.KubeUnreachable) as error:
                # 422 says a test that failed as well as a value that is not allowed; the latter comes again.
                failed, refused = error, version if error.facts.get("http_status") == 422 else None
        raise failed

    # ---- private ---------------------------------------------------------------------------------------------

    def _attempts(self):
        """Yields once for each attempt, with pauses, as long as there is patience; True for the last one."""
        end, pause = self.clock() + _PATIENCE, _FIRST_PAUSE
        while self.clock() + pause < end:
            yield False
            self.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
        yield True

    def _call(self, verb, path, body=None):
        from kubernetes.client import ApiException
        facts = {"url": self.host + path, "method": verb}
        kind = "application/json-patch+json" if verb == "PATCH" else "application/json"
        try:
            answer = self._client.request(verb, path, body=body, content_type=kind, serialize=False, _request_timeout=_TIMEOUT)
            status, text = answer.status, answer.data
        except ApiException as error:
            if not error.status:
                raise _no_tls(facts, error.reason)
            status, text = error.status, error.body
        except urllib3.exceptions.HTTPError as error:
            raise _no_answer(facts, error)
        except OSError as error:
            raise errors.DeclarationError("%(method)s %(url)s cannot be requested: " % facts + "%s." % error, **facts)
        facts["http_status"] = status
        text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text or ""
        try:
            found = json_value(text)
        except ValueError:
            found = None
        if isinstance(found, dict) and found.get("kind") != "Status" and 200 <= status < 300:
            return found
        raise _failure(facts, found if isinstance(found, dict) else {}, text, path)


def _no_tls(facts, reason):
    """reason: as the client gives it, with the name of its exception on a line before."""
    reason = reason.split("\n", 1)[-1].strip().rstrip(".")
    hint = ("The certificate of the API server has other names: give one of them as k8s_host, or as tls-server-name of the cluster in the kubeconfig."
            if "mismatch" in reason or "doesn't match" in reason else "Name the file of the authority of the API server in k8s_ca_cert.")
    return errors.KubeError("%(method)s %(url)s: TLS failed: " % facts + "%s. %s" % (reason, hint), **facts)


def _no_answer(facts, error):
    hint = ("The proxy is proxy-url of the cluster in the kubeconfig, or one of the environment (https_proxy, no_proxy)."
            if isinstance(error, urllib3.exceptions.ProxyError) else "Check k8s_host, or k8s_kubeconfig and k8s_context.")
    return errors.KubeUnreachable("%(method)s %(url)s: no answer from the Kubernetes API server: " % facts + "%s. %s" % (innermost(error), hint),
                                  refused="refused" in str(error), **facts)


def _failure(facts, status, text, path):
    """The error of an answer that is not the object. status: the Status of Kubernetes, {} where it is none."""
    code = facts["http_status"]
    intro = "%(method)s %(url)s" % facts
    words = (status.get("message") or excerpt(text) or "no reason given").rstrip(".")
    if code == 401:
        return errors.KubeDenied("%s was denied with 401 (%s): the Kubernetes API server does not know this login. Check k8s_api_key, or k8s_kubeconfig "
                                 "and k8s_context." % (intro, words), **facts)
    if code == 403:
        verb, plural = _needed(facts["method"], path)
        return errors.KubeDenied("%s was denied with 403: %s. The role of this login needs the verb %s on the resource %s." % (
            intro, words, verb, plural), verb=verb, kubernetes_resource=plural, **facts)
    if code == 404 and status.get("details", {}).get("name"):
        return errors.KubeNotFound("%s: %s." % (intro, words), **facts)
    if code == 404 and (status or text.startswith("404 page not found")):
        return errors.KubeNotServed("%s: the Kubernetes API server does not serve that (%s)." % (intro, words), **facts)
    if not status and code not in (409, 422, 429) and code < 500:
        return errors.KubeError("%s answered %d, but not as a Kubernetes API server does (%s). Check k8s_host." % (intro, code, words), **facts)
    kind = errors.KubeConflict if code in (409, 422) else errors.KubeUnreachable if code == 429 or code >= 500 else errors.KubeError
    return kind("%s failed with %d: %s." % (intro, code, words), **facts)


def _needed(method, path) -> tuple:
    """(verb, resource) of RBAC; path: /apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE, or a NAME after that."""
    parts = path.strip("/").split("/")
    plural, name = (parts[parts.index("namespaces") + 2:] + [None])[:2] if "namespaces" in parts else (parts[-1], "of a group")
    return "list" if method == "GET" and name is None else _VERBS[method], plural
