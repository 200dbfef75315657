# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The expectation document: taken from the option, completed with the clusters that the connection knows. Pure.

Whether it is right says the job's own code (see runtime.py).
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

SERVERS = "bootstrap.servers"


def read(expectation) -> dict:
    """The document from a dictionary or JSON text. Raises DeclarationError."""
    if isinstance(expectation, str):
        try:
            expectation = json_value(expectation)
        except ValueError as error:
            raise DeclarationError("expectation is a text that is not JSON: %s." % error) from error
    if not isinstance(expectation, dict):
        raise DeclarationError("expectation must be a dictionary or its JSON text, not a %s." % type(expectation).__name__)
    return expectation


def complete(document: dict, own: str, brokers: list, client_options: dict) -> tuple:
    """(the document, whether its cluster ``own`` is reached as the connection options say).

    A cluster for which the document has no bootstrap servers gets those of client_options, or is ``own`` and gets ``brokers``.
    """
    given = document.get("clusters") or {}
    if not isinstance(given, dict):
        return document, False
    added = {}
    for name in _names(document, given):
        servers = (client_options.get(name) or {}).get(SERVERS) or (brokers if name == own else "")
        if servers and not _has_servers(given, name):
            added[name] = {SERVERS: servers if isinstance(servers, str) else ",".join(servers)}
    if not added:
        return document, False
    clusters = dict(added, **{name: dict(added[name], **options) if name in added else options for name, options in given.items()})
    return dict(document, clusters=clusters), own in added and bool(brokers)


def _names(document: dict, given: dict) -> list:
    """The clusters that it names, each once."""
    topics = document.get("topics") or {}
    entries = topics.values() if isinstance(topics, dict) else ()
    named = [entry.get("cluster") for entry in entries if isinstance(entry, dict)]
    return list(dict.fromkeys([*given, *(name for name in named if name and isinstance(name, str))]))


def _has_servers(given: dict, name: str) -> bool:
    return name in given and (not isinstance(given[name], dict) or SERVERS in given[name])


#: options by name of something in the document: what that is there, and under which key
NAMED = {"client_options": ("cluster", "clusters"), "jdbc_options": ("table", "tables"), "registry_options": ("registry", "registries")}
#: what a schema registry can be given
REGISTRY = ("username", "password", "token", "ca_path", "cert_path", "key_path", "key_password")


def check_names(document: dict, given: dict) -> None:
    """given: by option of NAMED, by name, options. Raises DeclarationError for a name that the document does not have, and for options that
    no registry takes: they would have no effect."""
    for option, (kind, key) in NAMED.items():
        unknown = sorted(set(given[option]) - set(document.get(key) or {}))
        if unknown:
            raise DeclarationError("%s name %s, but the expectation document has no such %s." % (option, ", ".join(unknown), kind))
    for name, options in given["registry_options"].items():
        unknown = sorted(set(options) - set(REGISTRY))
        if unknown:
            raise DeclarationError("registry_options has %s for the registry %s; it takes %s." % (", ".join(unknown), name, ", ".join(REGISTRY)))
