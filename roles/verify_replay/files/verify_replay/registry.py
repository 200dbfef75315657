# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A schema registry with Confluent's REST API, as the driver asks it. Nothing is written to it."""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from verify_replay.errors import JobError

#: seconds for one answer
_PATIENCE = 15
#: versions of a subject that are asked for at first, the newest ones; others are asked for when a record has their id
_VERSIONS = 20
_NOT_FOUND = 404
#: answers of a registry that gives schemas by id, but does not list the versions of a subject, or not for this login
_NOT_LISTED = (403, 405, 501)


@dataclass(frozen=True)
class Schema:
    """kind: AVRO, PROTOBUF or JSON. references: the name that the text has for it -> the schema."""

    kind: str
    text: str
    references: dict[str, Schema] = field(default_factory=dict)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The login would go along to wherever the answer points to."""

    def redirect_request(self, *_arguments: Any) -> None:
        return None


class Registry:
    """One registry. options: url; username and password, or token; ca_path; cert_path, key_path and key_password."""

    def __init__(self, name: str, options: dict[str, str]) -> None:
        self.name = name
        self._url = options["url"].rstrip("/")
        self._headers = {"Accept": "application/vnd.schemaregistry.v1+json, application/json"}
        if options.get("token"):
            self._headers["Authorization"] = f"Bearer {options['token']}"
        elif options.get("username"):
            login = f"{options['username']}:{options.get('password', '')}".encode()
            self._headers["Authorization"] = f"Basic {base64.b64encode(login).decode()}"
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
        if self._url.startswith("https:"):
            handlers.append(urllib.request.HTTPSHandler(context=self._tls(options)))
        self._opener = urllib.request.build_opener(*handlers)
        self._schemas: dict[int, Schema | None] = {}
        #: (subject, version) -> a schema that others refer to
        self._referred: dict[tuple[str, int], Schema] = {}

    def schema(self, number: int) -> Schema | None:
        """The schema with an id; None if the registry does not know it."""
        if number not in self._schemas:
            found = self._get(f"/schemas/ids/{number}")
            self._schemas[number] = found and self._parsed(found)
        return self._schemas[number]

    def subject(self, subject: str) -> list[int]:
        """Ids of the newest versions of a subject; none if there is no such subject, or the registry does not list versions."""
        name = quote(subject, safe="")
        numbers = self._get(f"/subjects/{name}/versions", _NOT_LISTED)
        found = []
        for version in numbers[-_VERSIONS:] if isinstance(numbers, list) else []:
            entry = self._get(f"/subjects/{name}/versions/{version}", _NOT_LISTED)
            if isinstance(entry, dict) and isinstance(entry.get("id"), int):
                found.append(entry["id"])
                if "schema" in entry and entry["id"] not in self._schemas:
                    self._schemas[entry["id"]] = self._parsed(entry)
        return found

    def _parsed(self, entry: dict[str, Any]) -> Schema:
        return Schema(entry.get("schemaType", "AVRO"), entry["schema"], dict(self._references(entry)))

    def _references(self, entry: dict[str, Any]) -> Iterator[tuple[str, Schema]]:
        for one in entry.get("references") or []:
            subject, version = one["subject"], one["version"]
            if (subject, version) not in self._referred:
                found = self._get(f"/subjects/{quote(subject, safe='')}/versions/{version}")
                if found is None:
                    raise JobError(f"the schema registry {self.name} lacks version {version} of {subject}, to which a schema refers")
                self._referred[subject, version] = self._parsed(found)
            yield one["name"], self._referred[subject, version]

    def _get(self, path: str, nothing: tuple[int, ...] = ()) -> Any:
        """What it answers; None for 404, and for the statuses of nothing."""
        request = urllib.request.Request(self._url + path, headers=self._headers)
        try:
            with self._opener.open(request, timeout=_PATIENCE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code in (_NOT_FOUND, *nothing):
                return None
            what = "refused the login" if error.code in (401, 403) else "gave no schema"
            raise JobError(f"the schema registry {self.name} ({self._url}) {what}: HTTP {error.code}") from error
        except (OSError, ValueError) as error:
            cause = getattr(error, "reason", None) or error
            raise JobError(f"the schema registry {self.name} ({self._url}) cannot be asked: {cause}") from error

    def _tls(self, options: dict[str, str]) -> ssl.SSLContext:
        try:
            context = ssl.create_default_context(cafile=options.get("ca_path"))
            if options.get("cert_path"):
                # A function, so that a key without its pass phrase is an error and no question at a terminal.
                phrase = options.get("key_password", "")
                context.load_cert_chain(options["cert_path"], options.get("key_path"), password=lambda: phrase)
        except (OSError, ValueError) as error:
            raise JobError(f"certificates of the schema registry {self.name} cannot be used: {error}") from error
        return context
