# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The connectors of a Connect cluster: list them, and choose some by name."""

from __future__ import annotations

import fnmatch

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import connector_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean

_GLOB = "*?["


def list_connectors(client, patterns) -> dict:
    """Those whose name is listed or fits a glob (all without patterns), in one request, sorted by name; and what tells the cluster apart."""
    found = client.connectors()
    names, missing = choose(sorted(found), patterns)
    return {
        "changed": False,
        "exists": bool(names),
        "connectors": [_one(name, found[name]) for name in names],
        "missing": missing,
        "warnings": ["There is no connector %s.%s" % (name, hint) for name in missing for hint in [did_you_mean(name, found)] if hint],
        "cluster": cluster_of(client, found),
    }


def cluster_of(client, found) -> dict:
    """What tells the Connect cluster apart. found: client.connectors()."""
    return dict(client.root(), url=client.url, workers=_workers(found))


def _workers(found) -> list:
    """Addresses (host:port) of the workers that have, or had last, something to run: no two Connect clusters share one."""
    statuses = [one.get("status") or {} for one in found.values()]
    parts = [part for status in statuses for part in [status.get("connector") or {}] + (status.get("tasks") or [])]
    return sorted({part["worker_id"] for part in parts if part.get("worker_id")})


def choose(names: list, patterns) -> tuple:
    """(the names that are listed or fit a glob, in their order; the patterns that fit none); all of them without patterns."""
    patterns = patterns or []
    return ([name for name in names if not patterns or any(fits(name, pattern) for pattern in patterns)],
            [pattern for pattern in patterns if not any(fits(name, pattern) for name in names)])


def fits(name: str, pattern: str) -> bool:
    # A name may hold glob characters itself.
    return name == pattern or (any(char in pattern for char in _GLOB) and fnmatch.fnmatchcase(name, pattern))


def _one(name: str, parts: dict) -> dict:
    info = parts.get("info") or {}
    result = Connector(dict(parts.get("status") or {}, name=name)).result()
    if result["type"] == "unknown":
        result["type"] = info.get("type") or "unknown"
    result["config"] = connector_config.masked(info.get("config") or {})
    return result
