# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What an HTTP answer of a Connect worker means. Pure.

The status code alone does not say whether a retry helps, nor who is speaking: Connect puts most of its errors under
500, a 404 can be an unknown connector, an absent endpoint or a proxy's page. So the text decides. The texts are those
of Kafka 2.0 to 4.3 (org.apache.kafka.connect.runtime.rest and .distributed.DistributedHerder).
"""

from __future__ import annotations

import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

# Plugins#noSuchPlugin: the name, then every plugin that the worker has.
_PLUGIN_LIST = re.compile(r"(Failed to find any class that implements \S+ and which name matches .*?), available .*", re.DOTALL)

# Hosts that are no workers, whatever they answer: a private certificate or a login may come before any answer.
_HOSTS = tuple((re.compile(pattern), words) for pattern, words in (
    (r"(^|\.)confluent\.cloud$", "Confluent Cloud, where connectors and their offsets have an API of their own. Use Confluent's tools"),
    (r"(^|\.)kafkaconnect\.[^.]+\.(vpce\.)?amazonaws\.com(\.cn)?$", "the API of Amazon MSK Connect, which does not let anybody reach the REST API "
     "of its workers. With kafka_bootstrap_servers in place of kafka_connect_url the offsets topic can be read, and changed once the connector is deleted"),
    (r"\.kafka(-serverless)?\.[^.]+\.amazonaws\.com(\.cn)?$", "a broker of Amazon MSK. Brokers belong into kafka_bootstrap_servers"),
))

_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_BLANKS = re.compile(r"\s+")

# Message of a 5xx -> what it means. Whole phrases in their place: a connector's name or a plugin's own text may hold
# any of their words.
_SERVER_ERRORS = tuple((re.compile(pattern), kind) for pattern, kind in (
    (r"\b(a|worker) rebalance (is|was) (expected|underway|in progress)|\(e\.g\. worker rebalance\)", errors.Rebalancing),
    (r"^Failed to (alter|reset) consumer group offsets .* because its tasks haven't stopped completely", errors.Rebalancing),
    (r"^Request timed out", errors.OutcomeUnknown),
    # RestClient#httpRequest names the exception: these come before anything of the request is sent.
    (r"^IO Error trying to forward REST request: .*(ConnectException|NoRouteToHostException|UnknownHostException|UnresolvedAddressException|"
     r"Connect Timeout|SSLHandshakeException)", errors.NoLeader),
    (r"^IO Error trying to forward REST request", errors.OutcomeUnknown),
    # The worker lists while its log reader adds: ConcurrentModificationException, seen after resets of 100,000 keys.
    (r"^Failed to retrieve offsets for ", errors.OutcomeUnknown),
    (r"the request can be safely retried$", errors.OutcomeUnknown),
    (r"^Worker is shutting down", errors.OutcomeUnknown),
    # KafkaConfigBackingStore, without an answer of the brokers
    (r"^(Error writing|Error removing|Failed to write) .* (to|from) Kafka$", errors.OutcomeUnknown),
    (r"^No connector `", errors.NoConnector),
    (r'^Unrecognized field "initial_state"', errors.EndpointMissing),
))

# Confluent counts its own versions: 5.0 is Kafka 2.0, 6.0 is 2.6, 7.0 is 3.0, 8.0 is 4.0.
_CONFLUENT = {5: (2, 0), 6: (2, 6), 7: (3, 0), 8: (4, 0)}


def read_error(status: int, text: str):
    """The message of Connect's own JSON error ``{"error_code": STATUS, "message": "..."}``; None if the body is not one."""
    try:
        body = json_value(text)
    except ValueError:
        return None
    if not isinstance(body, dict) or body.get("error_code") != status or "message" not in body:
        return None
    return str(body["message"] or "")


def classify(status: int, text: str):
    """(error class, the speaker's own words) of an answer with a status outside 2xx."""
    message = read_error(status, text)
    if status in (401, 403, 407):
        return errors.AccessDenied, message or excerpt(text)
    if message is None:
        return _foreign(status, text), excerpt(text)
    if status in (404, 405) and message.startswith("HTTP %d" % status):
        return errors.EndpointMissing, message
    if status == 404:
        return errors.NoConnector, message
    if status == 409:
        return (errors.Exists if "already exists" in message else errors.Rebalancing), message
    if status == 400 and "must be in the STOPPED state" in message:
        return errors.NotStopped, message
    if status >= 500:
        for pattern, kind in _SERVER_ERRORS:
            if pattern.search(message):
                return kind, message
        if status in (502, 503, 504):
            return errors.OutcomeUnknown, message
    return errors.Refused, message


def not_a_worker(host: str):
    """What is at this host in place of a worker, in words; None for all that may be one."""
    return next((words for pattern, words in _HOSTS if pattern.search(host.lower())), None)


def something_else(text: str):
    """What an answer shows to be other than Connect, in words; None where it shows nothing."""
    try:
        body = json_value(text)
    except ValueError:
        return "a page for metrics (Prometheus)" if text.startswith(("# HELP", "# TYPE")) else None
    if not isinstance(body, dict):
        return None
    if "bridge_version" in body:
        return "Strimzi's Kafka Bridge"
    if "KsqlServerInfo" in body:
        return "a ksqlDB server"
    found = body.get("errors")
    if isinstance(found, list) and found and isinstance(found[0], dict) and "status" in found[0] and "detail" in found[0]:
        return "an API like Confluent Cloud's (%s)" % excerpt(str(found[0]["detail"]))
    if body and set(body) <= {"message", "Message", "__type"}:
        return "an API like those of Amazon (%s)" % excerpt(str(body.get("message") or body.get("Message") or body.get("__type")))
    if "paths" in body or "kind" in body and "apiVersion" in body:
        return "an API server of Kubernetes"
    return None


def failure(facts: dict, text: str, location, credentials: str) -> errors.RestError:
    """The error of an answer outside 2xx, worded for an operator.

    facts        url, method, http_status
    location     the header of that name, for redirects
    credentials  in words, which options to check when access is denied
    """
    status = facts["http_status"]
    intro = "%(method)s %(url)s" % facts
    if 300 <= status < 400:
        return errors.NotConnect(
            "%s answered %d, a redirect to %s. Connect never redirects: check kafka_connect_url, or a login page in front of it."
            % (intro, status, (location or "nowhere").split("?")[0]), **facts)
    kind, server_message = classify(status, text)
    server_message = without_plugins(server_message)
    message = excerpt(server_message, 600) if len(server_message) > 600 else server_message
    other = something_else(text) if read_error(status, text) is None else None
    if other and kind in (errors.AccessDenied, errors.NotConnect):
        kind, words = errors.NotConnect, "%s answered %d: this is not a Connect worker, but %s. Check kafka_connect_url and its path prefix." % (
            intro, status, other)
    elif kind is errors.AccessDenied:
        words = "%s was denied with %d%s. Check %s." % (intro, status, " (%s)" % message if message else "", credentials)
    elif kind is errors.AmbiguousName:
        words = ("%s: this worker (Connect 4.0 or later) does not take a connector name with \"/\", \"%%\" or \"\\\" in a URL and "
                 "answers 400 (%s) to every call for it, so REST cannot be used for this connector. The offsets of a source are then "
                 "reachable only on the offsets topic." % (intro, message))
    elif kind is errors.NotConnect:
        words = ("%s answered %d with something that is not Connect's (%s): this is not the root of a Connect REST API. Check "
                 "kafka_connect_url and its path prefix." % (intro, status, message or "an empty body"))
    elif kind is errors.NoLeader:
        words = ("%s answered %d: this worker does not reach the leader of its Connect cluster, so nothing was done (%s). Check the address that "
                 "the leader advertises (rest.advertised.host.name)" % (intro, status, message))
    elif kind is errors.NoConnector:
        words = "There is no such connector: %s answered %d: %s" % (intro, status, message)
    else:
        words = "%s failed with %d: %s" % (intro, status, message or "no reason given")
    return kind(words, server_message=server_message, **facts)


def is_starting(error) -> bool:
    """Is that what a worker answers while it starts? Its web server (Jetty) is up then, and knows no path (RestServer#initializeServer). error: NotConnect."""
    return error.facts.get("http_status") == 404 and error.facts.get("server_message") == "Error 404 Not Found"


def lacks_class(text) -> bool:
    """Is that what Connect says of a connector whose class no worker has?"""
    return "Failed to find any class that implements" in (text or "")


def without_plugins(text: str) -> str:
    """Connect's message that there is no such class, without the list of all the others."""
    return _PLUGIN_LIST.sub(r"\1", text)


def _foreign(status: int, text: str):
    """Not Connect's JSON: Jetty's own page, a proxy, or something else altogether."""
    if status == 400 and ("Ambiguous URI" in text or "Suspicious Path" in text):
        return errors.AmbiguousName
    if status == 429:
        return errors.Rebalancing
    return errors.OutcomeUnknown if status in (408, 502, 503, 504) else errors.NotConnect


def excerpt(text: str, limit: int = 200) -> str:
    """A page's title or the beginning of its text, on one line."""
    title = _TITLE.search(text)
    words = _BLANKS.sub(" ", title.group(1) if title else _TAG.sub(" ", text)).strip()
    return words if len(words) <= limit else words[: limit - 3] + "..."


def kafka_version(text):
    """(major, minor) of Apache Kafka behind a worker's version text; None where it cannot be told."""
    text = str(text or "")
    found = re.match(r"(\d+)\.(\d+)", text)
    if not found:
        return None
    major, minor = int(found.group(1)), int(found.group(2))
    if re.search(r"-(ccs|ce)\b", text):
        if major not in _CONFLUENT:
            return None
        base = _CONFLUENT[major]
        return base[0], base[1] + minor
    return major, minor
