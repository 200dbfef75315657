# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The endpoints of the Kafka Connect REST API (KIP-875, KIP-980) that the collection uses, one method each."""

from __future__ import annotations

import json
import re
from urllib.parse import quote, unquote, urlsplit

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest_errors import kafka_version, something_else
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean

#: the least Kafka version (major, minor) for what may be missing, and what it is in words
SINCE = {
    "stop": ((3, 5), "stop connectors"),
    "offsets": ((3, 5), "show offsets"),
    "alter": ((3, 6), "change offsets"),
    "initial_state": ((3, 7), "create a connector with an initial state"),
    "restart": ((3, 0), "restart a connector together with its tasks"),
}


class ConnectClient:
    """All methods raise errors of _core.errors. Names are plain: they are encoded here."""

    method = "rest"

    def __init__(self, transport):
        self._transport = transport
        self._root = None
        self._plugins = None

    @property
    def url(self) -> str:
        return self._transport.url

    @property
    def urls(self) -> list:
        """All workers of the Connect cluster that are known."""
        return self._transport.urls

    def root(self) -> dict:
        """{"version", "commit", "kafka_cluster_id"}"""
        if self._root is None:
            found = self._get("")
            if found == {}:
                raise self._not_connect("GET", "", other="most likely the Schema Registry or the REST proxy of Confluent, whose root is {}")
            if "version" not in found:
                raise self._not_connect("GET", "", found)
            self._root = found
        return self._root

    def require(self, feature: str) -> None:
        """Raise EndpointMissing if the worker's version is known to be too old for a feature of SINCE."""
        version = kafka_version(self.root()["version"])
        if version is not None and version < SINCE[feature][0]:
            raise self._too_old(feature, {"url": self.url})

    def require_url(self, name: str) -> None:
        """Raise AmbiguousName if the worker takes no request for a connector of this name; NoConnector if there is none."""
        self._get(_path(name), "config", _is_info)

    def connectors(self) -> dict:
        """name -> {"status": ..., "info": ...} of all connectors, in one request."""
        return self._expanded("expand=status&expand=info")

    def statuses(self) -> dict:
        """name -> {"status": ...} of all connectors, in one request, which costs the worker a small part of the other one."""
        return self._expanded("expand=status")

    def _expanded(self, query) -> dict:
        found = self._get("connectors?%s" % query)
        for parts in found.values():
            if not isinstance(parts, dict) or parts.get("status") and not _is_status(parts["status"]) or parts.get("info") and not _is_info(parts["info"]):
                raise self._not_connect("GET", "connectors")
        return found

    def similar(self, name: str) -> str:
        """A sentence with the names of connectors that look like one that does not exist; empty if there are none."""
        try:
            names = self._call("GET", "connectors")
        except errors.RestError:
            return ""
        if not isinstance(names, list) or name in names:
            return ""
        return did_you_mean(name, [one for one in names if isinstance(one, str)])

    def explained(self, error):
        """A NoConnector, with the names that look like the one that was asked for."""
        found = re.search("/connectors/([^/?]+)", urlsplit(error.facts.get("url") or "").path)
        hint = self.similar(unquote(found.group(1))) if found else ""
        return error.also(hint.strip()) if hint else error

    def status(self, name: str) -> dict:
        """Also of a connector whose name the worker does not take in a URL."""
        try:
            return self._get(_path(name, "status"), "connector", _is_status)
        except errors.AmbiguousName as error:
            return self._listed(name, "status", error)

    def info(self, name: str) -> dict:
        """{"name", "config", "tasks", "type"}, also of such a connector."""
        try:
            return self._get(_path(name), "config", _is_info)
        except errors.AmbiguousName as error:
            return self._listed(name, "info", error)

    def plugins(self) -> list:
        """[{"class", "type", "version"}] of the connectors that the worker can run."""
        if self._plugins is None:
            found = self._call("GET", "connector-plugins")
            if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
                raise self._not_connect("GET", "connector-plugins")
            self._plugins = found
        return self._plugins

    def validate(self, config: dict) -> dict:
        """{field: [what is wrong with it]} of a configuration, as its connector's class sees it. Changes nothing.

        Raises Refused where the worker has no such class.
        """
        path = "connector-plugins/%s/config/validate" % quote(config["connector.class"], safe="")
        answer = self._call("PUT", path, config)
        if not isinstance(answer, dict) or not isinstance(answer.get("configs"), list):
            raise self._not_connect("PUT", path, answer)
        values = [one.get("value") or {} if isinstance(one, dict) else None for one in answer["configs"]]
        if not all(isinstance(value, dict) and isinstance(value.get("errors") or [], list) for value in values):
            raise self._not_connect("PUT", path)
        return {str(value.get("name")): value["errors"] for value in values if value.get("errors")}

    def offsets(self, name: str) -> list:
        """[{"partition": {...}, "offset": {...} or None}]; needs Connect 3.5.

        Asked twice: a worker lists those source partitions that it has read so far, and reads its topic to the end only to answer, so a
        first answer may lack what was written a moment ago (org.apache.kafka.connect.runtime.Worker#sourceConnectorOffsets).
        """
        self._get(_path(name, "offsets"), "offsets")
        return self.offsets_once(name)

    def offsets_once(self, name: str) -> list:
        """The same, asked once: the offsets of a sink, and of those source partitions that the worker has read so far."""
        path = _path(name, "offsets")
        return self._get(path, "offsets", _are_offsets)["offsets"]

    def alter_offsets(self, name: str, pairs: list) -> str:
        """Merge the pairs into the offsets, None removes one; the server's message. Needs Connect 3.6."""
        return self._message("PATCH", name, {"offsets": pairs})

    def reset_offsets(self, name: str) -> str:
        """Remove all offsets; the server's message. Needs Connect 3.6."""
        return self._message("DELETE", name)

    def stop(self, name: str) -> None:
        self._call("PUT", _path(name, "stop"))

    def pause(self, name: str) -> None:
        self._call("PUT", _path(name, "pause"))

    def resume(self, name: str) -> None:
        self._call("PUT", _path(name, "resume"))

    def restart_failed(self, name: str) -> None:
        """Restart what is FAILED of the connector and its tasks (KIP-745, Connect 3.0)."""
        self._call("POST", _path(name, "restart") + "?includeTasks=true&onlyFailed=true")

    def restart_all(self, name: str) -> None:
        """Restart the connector and all its tasks (KIP-745, Connect 3.0)."""
        self._call("POST", _path(name, "restart") + "?includeTasks=true&onlyFailed=false")

    def restart(self, name: str) -> None:
        """Restart the connector alone, not its tasks."""
        self._call("POST", _path(name, "restart"))

    def restart_task(self, name: str, task: int) -> None:
        """Answered when the task has been stopped and started again (DistributedHerder#restartTask)."""
        self._call("POST", _path(name, "tasks", str(task), "restart"))

    def create(self, name: str, config: dict, initial_state=None) -> None:
        """initial_state: RUNNING, PAUSED or STOPPED; needs Connect 3.7."""
        body = {"name": name, "config": config}
        if initial_state:
            body["initial_state"] = initial_state
        self._call("POST", "connectors", body)

    def put_config(self, name: str, config: dict) -> None:
        self._call("PUT", _path(name, "config"), config)

    def delete(self, name: str) -> None:
        self._call("DELETE", _path(name))

    def way_back(self, name: str, word: str) -> str:
        """How to bring about running or paused by hand, as a sentence without its full stop."""
        verb = "pause" if word == "paused" else "resume"
        return "%s it by PUT %s/connectors/%s/%s" % (verb.capitalize(), self.url, name, verb)

    # ---- private ---------------------------------------------------------------------------------------------

    def _listed(self, name, part, error) -> dict:
        """That part of a connector in the list of all of them."""
        found = self.connectors().get(name, {}).get(part)
        if found is None and name in self._call("GET", "connectors"):
            raise error  # just created: it has no status yet
        if found is None:
            raise errors.NoConnector("There is no such connector: %s is not in the list that %s/connectors gives, and cannot be requested "
                                     "by itself because of its name." % (name, self.url), **error.facts)
        return found

    def _message(self, verb, name, body=None) -> str:
        answer = self._call(verb, _path(name, "offsets"), body)
        if not isinstance(answer, dict) or not isinstance(answer.get("message"), str):
            raise self._not_connect(verb, _path(name, "offsets"))
        return answer["message"]

    def _get(self, path, field=None, is_right=None) -> dict:
        """is_right(answer): has it the shape that Connect's has?"""
        answer = self._call("GET", path)
        if not isinstance(answer, dict) or field is not None and field not in answer or is_right and not is_right(answer):
            raise self._not_connect("GET", path, answer)
        return answer

    def _call(self, verb, path, body=None):
        try:
            return self._transport.call(verb, path, body)
        except errors.EndpointMissing as error:
            raise self._explain(error)

    def _explain(self, error):
        """Too old a worker, or a wrong prefix in front of one?"""
        verb, url = error.facts["method"], error.facts["url"]
        last = urlsplit(url).path.rsplit("/", 1)[-1]
        feature = {"offsets": "offsets" if verb == "GET" else "alter", "stop": "stop", "connectors": "initial_state"}.get(last)
        if feature is None or (last == "connectors" and verb != "POST"):
            if url.rstrip("/") != self.url:  # whoever it is may say so there
                try:
                    self.root()
                except errors.NotConnect as other:
                    return other
                except errors.RestError:
                    pass
            return self._not_connect(verb, url)
        try:
            version = kafka_version(self.root()["version"])
        except errors.RestError as other:
            return other
        if version is not None and version >= SINCE[feature][0]:
            return errors.Refused(
                "%s %s is blocked with %d, although the worker runs Connect %s: look at the gateway in front of it."
                % (verb, url, error.facts["http_status"], self.root()["version"]), **error.facts)
        return self._too_old(feature, error.facts)

    def _too_old(self, feature, facts):
        since, words = SINCE[feature]
        return errors.EndpointMissing(
            "The worker at %s runs Connect %s, which cannot %s by REST: that needs Connect %d.%d or later."
            % ((self.url, self.root()["version"], words) + since), **facts)

    def _not_connect(self, verb, path, answer=None, other=None):
        """answer: the JSON that was given. other: what it shows to be there."""
        url = path if "://" in path else "%s/%s" % (self.url, path)
        other = other or something_else(json.dumps(answer))
        if other:
            return errors.NotConnect("%s %s: this is not a Connect worker, but %s. Check kafka_connect_url and its path prefix." % (verb, url, other),
                                     url=url, method=verb)
        return errors.NotConnect(
            "%s %s did not give what Connect gives there: this is not the root of a Connect REST API. Check kafka_connect_url and "
            "its path prefix." % (verb, url), url=url, method=verb)


def _path(name: str, *rest) -> str:
    """connectors/NAME/..., the name as one percent-encoded segment. Raises DeclarationError for what no URL can hold."""
    try:
        segment = quote(name, safe="")
    except UnicodeEncodeError:
        segment = ""
    if segment in ("", ".", ".."):
        raise errors.DeclarationError("%s is no connector name that a URL can hold." % ascii(name))
    return "/".join(("connectors", segment) + rest)


def _is_status(found) -> bool:
    if not isinstance(found, dict):
        return False
    connector, tasks = found.get("connector") or {}, found.get("tasks") or []
    return isinstance(tasks, list) and all(map(_is_part, [connector] + tasks)) and isinstance(found.get("type") or "", str)


def _is_part(one) -> bool:
    """A connector or a task of a status."""
    return isinstance(one, dict) and isinstance(one.get("id", 0), int) and all(isinstance(one.get(name) or "", str) for name in ("state", "worker_id", "trace"))


def _is_info(found) -> bool:
    return isinstance(found, dict) and isinstance(found.get("config") or {}, dict)


def _are_offsets(found) -> bool:
    """A partition can be null, and an offset."""
    listed = found["offsets"]
    return isinstance(listed, list) and all(
        isinstance(one, dict) and all(isinstance(one.get(name) or {}, dict) for name in ("partition", "offset")) for one in listed)
