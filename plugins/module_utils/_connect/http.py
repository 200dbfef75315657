# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""HTTP to the workers of one Connect cluster: one session, workers tried in turn, retries that are safe, exact numbers."""

from __future__ import annotations

import json
import random
import re
import time
import traceback
from urllib.parse import urlsplit

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest_errors import excerpt, failure, is_starting, not_a_worker, something_else
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

try:
    import requests
    from requests.auth import AuthBase, _basic_auth_str
except ImportError:
    requests = None
    AuthBase = object
    REQUESTS_TRACEBACK = traceback.format_exc()
else:
    REQUESTS_TRACEBACK = None

#: seconds after which a worker itself gives up on a request (ConnectResource#DEFAULT_REST_REQUEST_TIMEOUT_MS)
WORKER_LIMIT = 90

_WRAPPER = re.compile(r"^HTTPS?Connection(Pool)?\([^)]*\): |^\[SSL: [A-Z0-9_]+\] |\.? \(_ssl\.c:\d+\)$")

#: what the reason why TLS failed shows, and what to do then; the first one that fits.
_TLS_HINTS = tuple((re.compile(pattern, re.IGNORECASE), hint) for pattern, hint in (
    (r"certificate has expired", "Renew the worker's certificate."),
    (r"(hostname|IP address) mismatch|is not valid for|doesn't match",
     "Use a name in kafka_connect_url that the worker's certificate has, or give it a certificate with this one."),
    (r"verify failed", "If the worker's certificate comes from a private authority, name its file in kafka_connect_ca_path."),
    (r"wrong version number|record layer failure", "This port does not use TLS: is it http?"),
))

_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 5.0
#: seconds from its beginning for which a read is repeated whose answer got lost or went wrong half-way; one that took longer is not
_UNSURE_READS = 10.0


class Header(AuthBase):
    """The Authorization header, always set by us: requests would otherwise take one from a .netrc file."""

    def __init__(self, value):
        self.value = value

    def __call__(self, request):
        if self.value:
            request.headers["Authorization"] = self.value
        return request


class Transport:
    """Sends requests, relative to the base URL of whichever worker answers."""

    def __init__(self, urls, username=None, password=None, token=None, validate_certs=True, ca_path=None,
                 client_cert=None, client_key=None, use_proxy=True, timeout=120, retry_for=60,
                 sleep=time.sleep, clock=time.monotonic):
        """urls: base URLs of workers of ONE Connect cluster, a path prefix allowed.
        timeout: seconds one request may take. retry_for: seconds to go on while Connect is busy rebalancing.
        """
        self.urls = [_base(url) for url in urls]
        if not self.urls:
            raise errors.DeclarationError("kafka_connect_url is empty: give the URL of at least one worker of the Connect cluster.")
        if timeout <= 0:
            raise errors.DeclarationError("kafka_connect_timeout must be a positive number of seconds, it is %s." % timeout)
        if username and token:
            raise errors.DeclarationError("Give kafka_connect_username or kafka_connect_token, not both.")
        if password and not username:
            raise errors.DeclarationError("kafka_connect_password is given without kafka_connect_username.")
        self.timeout = timeout
        self.retry_for = retry_for
        self._sleep = sleep
        self._clock = clock
        #: those that have answered as Connect does
        self._known = set()
        self._has_credentials = bool(username or token)
        self._credentials = ("the user %s and its password" % username if username else
                             "kafka_connect_token" if token else "kafka_connect_username and kafka_connect_password, or kafka_connect_token")
        self._verify = (ca_path or True) if validate_certs else False
        self._session = requests.Session()
        self._session.trust_env = bool(use_proxy)
        self._session.headers.update({"Accept": "application/json", "User-Agent": "streamops.kafka_connect"})
        self._session.auth = Header(_authorization(username, password, token))
        if client_cert:
            self._session.cert = (client_cert, client_key) if client_key else client_cert
        if self._verify is False:
            requests.packages.urllib3.disable_warnings()

    def close(self) -> None:
        self._session.close()

    @property
    def url(self) -> str:
        """The worker in use."""
        return self.urls[0]

    @property
    def exposes_credentials(self) -> bool:
        """Credentials would cross a network in clear text."""
        local = ("localhost", "127.0.0.1", "::1")
        return self._has_credentials and any(
            url.startswith("http:") and urlsplit(url).hostname not in local for url in self.urls)

    def call(self, verb, path, body=None):
        """The JSON of one answer, None for an empty one.

        A busy cluster is waited for, and so is a worker that can reach its leader. A lost or unsure answer is asked for again only by GET, for the outcome of a
        write is then unknown: it is the caller's to read first.
        """
        if verb == "GET" or path.endswith("/config/validate"):
            return self._call(verb, path, body)
        with errors.WRITES.sending():
            return self._call(verb, path, body)

    def _call(self, verb, path, body):
        start, unsure_since, repeated = self._clock(), None, False
        pause = _FIRST_PAUSE
        while True:
            sent = self._clock()
            try:
                return self._first_reachable(verb, path, body)
            except errors.Rebalancing as error:
                last, since, patience = error, start, self.retry_for
            except (errors.ResponseLost, errors.OutcomeUnknown) as error:
                self._next_worker()
                if verb != "GET" or error.facts.get("timed_out"):
                    raise
                unsure_since = sent if unsure_since is None else unsure_since
                last, since, patience = error, unsure_since, min(_UNSURE_READS, self.retry_for)
            wait = pause * random.uniform(0.5, 1.0)
            if self._clock() + wait > since + patience:
                raise last.also("Tried again for %g s." % patience) if repeated else last
            repeated = True
            self._sleep(wait)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _next_worker(self) -> None:
        self.urls.append(self.urls.pop(0))

    def _first_reachable(self, verb, path, body):
        failures = []
        for url in list(self.urls):
            try:
                found = self._send(verb, "%s/%s" % (url, path), body)
                self._known.add(url)
                return found
            except (errors.Unreachable, errors.NoLeader) as error:
                failures.append(error)
                self._next_worker()
            except errors.NotConnect as error:
                if url not in self._known or not is_starting(error):
                    raise
                failures.append(errors.Unreachable("%(method)s %(url)s: the worker, which has answered before, is starting." % error.facts, **error.facts))
                self._next_worker()
        if len(failures) == 1:
            raise failures[0]
        busy = any(isinstance(one, errors.NoLeader) for one in failures)
        raise (errors.NoLeader if busy else errors.Unreachable)(
            "None of the %d Connect workers can %s: %s" % (len(failures), "carry out the request" if busy else "be reached", " ".join(
                one.message for one in failures)), url=", ".join(self.urls), method=verb)

    def _send(self, verb, url, body):
        data = None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
        headers = {} if data is None else {"Content-Type": "application/json"}
        facts = {"url": url, "method": verb}
        try:
            answer = self._session.request(verb, url, data=data, headers=headers, timeout=self.timeout,
                                           verify=self._verify, allow_redirects=False)
        except requests.exceptions.RequestException as error:
            raise self._no_answer(error, facts)
        except OSError as error:  # requests checks the files of ca_path and client_cert itself
            raise errors.DeclarationError("%s %s cannot be requested: %s." % (verb, url, error), **facts)
        text = answer.content.decode("utf-8", "replace")
        facts["http_status"] = answer.status_code
        if not 200 <= answer.status_code < 300:
            raise failure(facts, text, answer.headers.get("Location"), self._credentials)
        if not text.strip():
            return None
        try:
            return json_value(text)
        except ValueError:
            other = something_else(text)
            if other:
                raise errors.NotConnect(
                    "%s %s: this is not a Connect worker, but %s. Check kafka_connect_url and its path prefix." % (verb, url, other), **facts)
            raise errors.NotConnect(
                "%s %s answered %d with something that is not JSON (%s): this is not the root of a Connect REST API. Check "
                "kafka_connect_url and its path prefix." % (verb, url, answer.status_code, excerpt(text)), **facts)

    def _no_answer(self, error, facts):
        where = "%(method)s %(url)s" % facts
        reason = innermost(error)
        if isinstance(error, requests.exceptions.SSLError):
            return errors.ConnectError("%s: TLS failed: %s. %s" % (where, reason, _tls_hint(reason, bool(self._session.cert))), **facts)
        if isinstance(error, requests.exceptions.ProxyError):
            return errors.Unreachable("%s: the proxy of the environment failed: %s. kafka_connect_use_proxy: false goes around it."
                                      % (where, reason), **facts)
        if isinstance(error, requests.exceptions.ConnectTimeout) or _refused(error):
            return errors.Unreachable("%s: no connection to this worker: %s." % (where, reason), **facts)
        if isinstance(error, requests.exceptions.Timeout) or _timed_out(error):
            hint = "" if self.timeout > WORKER_LIMIT else (
                " This time limit is below the worker's own of %d s: raise kafka_connect_timeout." % WORKER_LIMIT)
            doubt = "" if facts["method"] == "GET" else "; a change may still be carried out"
            return errors.ResponseLost("%s: no answer within %g s%s.%s" % (where, self.timeout, doubt, hint), timed_out=True, **facts)
        if isinstance(error, (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema)):
            return errors.DeclarationError("%s cannot be requested: %s." % (where, reason), **facts)
        return errors.ResponseLost("%s: the connection broke before an answer came: %s. Is this the REST port of a Connect worker?"
                                   % (where, reason), **facts)


def _base(url: str) -> str:
    """A checked base URL without its final slash. Raises DeclarationError, which never quotes credentials."""
    url = (url or "").strip()
    if "@" in url:
        raise errors.DeclarationError(
            "kafka_connect_url must not hold credentials (they would end up in logs): use kafka_connect_username and kafka_connect_password.")
    if "?" in url or "#" in url:
        raise errors.DeclarationError("kafka_connect_url must end with its path, without \"?\" or \"#\".")
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise errors.DeclarationError("kafka_connect_url must look like http://host:8083 or https://host/prefix, not \"%s\"." % url)
    other = not_a_worker(parts.hostname)
    if other:
        raise errors.DeclarationError("kafka_connect_url %s: this is not a Connect worker, but %s. Nothing was requested." % (url, other))
    return url.rstrip("/")


def _authorization(username, password, token):
    if token:
        token = token.strip()
        if not token.isascii() or not token.isprintable():
            raise errors.DeclarationError("kafka_connect_token holds characters that no HTTP header can hold.")
        return "Bearer %s" % token
    if username:
        return _basic_auth_str(username.encode("utf-8"), (password or "").encode("utf-8"))
    return None


def _tls_hint(reason: str, has_certificate: bool) -> str:
    """What to do. has_certificate: the client has shown one."""
    for pattern, hint in _TLS_HINTS:
        if pattern.search(reason):
            return hint
    if has_certificate:
        return ("The worker does not accept the certificate of kafka_connect_client_cert: it must come from an authority that the worker trusts, and not "
                "have expired.")
    return "If the worker requires a client's certificate, name its file in kafka_connect_client_cert."


def _refused(error) -> bool:
    """The connection was never made, so nothing was sent."""
    return _has_cause(error, "NewConnectionError", "NameResolutionError", "ConnectTimeoutError")


def _timed_out(error) -> bool:
    return _has_cause(error, "ReadTimeoutError")


def _has_cause(error, *names) -> bool:
    return any(type(cause).__name__ in names for cause in _causes(error))


def innermost(error) -> str:
    """The reason without the wrapping classes and their object addresses."""
    last = list(_causes(error))[-1]
    text = _WRAPPER.sub("", str(last).rsplit(">: ", 1)[-1])
    return text.strip().rstrip(".") or type(last).__name__


def _causes(error):
    while isinstance(error, BaseException):
        yield error
        inner = getattr(error, "reason", None)
        error = inner if isinstance(inner, BaseException) else next(
            (arg for arg in error.args if isinstance(arg, BaseException)), None)
