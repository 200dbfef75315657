# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Offset documents: the JSON that export, backup, import and restore exchange.

Read: our own (a header with the connectors under it), KIP-199's (connector name -> list of pairs), the answer of
``GET /connectors/NAME/offsets`` (also Strimzi's offsets.json), and the bare list of pairs. Written: our own.
"""

from __future__ import annotations

import json

from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import Snapshot, describe

FORMAT = "streamops.kafka_connect/offsets"
VERSION = 1


def parse(text: str, source: str):
    """JSON text -> value, numbers exact. Raises WishError with the place of the mistake."""
    def no_constant(name):
        raise WishError("%s holds %s, which is not JSON." % (source, name))

    def unique(pairs):
        found = {}
        for name, value in pairs:
            if name in found:
                raise WishError("%s holds the field %s twice in one object." % (source, name))
            found[name] = value
        return found

    try:
        return json.loads(text, parse_constant=no_constant, object_pairs_hook=unique)
    except ValueError as error:
        raise WishError("%s is not JSON: %s." % (source, error))


def items_for(document, connector: str, source: str) -> list:
    """The list of pairs that a document holds for one connector. Raises WishError."""
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        raise WishError("%s must be a JSON object or list, it is %s." % (source, describe(document)))
    if isinstance(document.get("format"), str):
        document = _our_own(document, source)
    elif set(document) == {"offsets"}:
        return _pairs(document["offsets"], "%s: offsets" % source)
    if connector not in document:
        raise WishError("%s holds nothing for the connector %s; it has %s."
                        % (source, connector, ", ".join(sorted(document)[:10]) or "no connector at all"))
    return _pairs(document[connector], "%s: %s" % (source, connector))


def _our_own(document: dict, source: str) -> dict:
    if document["format"] != FORMAT:
        raise WishError("%s has the unknown format %s; known is \"%s\"." % (source, describe(document["format"]), FORMAT))
    if document.get("version") != VERSION:
        raise WishError("%s has version %s of the format; this collection reads version %d."
                        % (source, describe(document.get("version")), VERSION))
    connectors = document.get("connectors")
    if not isinstance(connectors, dict):
        raise WishError("%s must have an object named connectors, it is %s." % (source, describe(connectors)))
    return connectors


def _pairs(value, where: str) -> list:
    if not isinstance(value, list):
        raise WishError("%s must be a list of {partition, offset}, it is %s." % (where, describe(value)))
    return value


def write(snapshots: list[Snapshot], cluster: dict, road: str, time: str) -> str:
    """Our own document of one or many connectors, as text with a final line end.

    cluster  what tells it apart: kafka_cluster_id, connect_url (no credentials)
    time     RFC 3339, UTC
    """
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "time": time,
            "road": road,
            "cluster": cluster,
            "types": {snapshot.connector: snapshot.kind for snapshot in snapshots},
            "connectors": {
                snapshot.connector: [{"partition": entry.partition, "offset": entry.offset} for entry in snapshot.sorted()]
                for snapshot in snapshots
            },
        },
        indent=2, ensure_ascii=False, allow_nan=False,
    ) + "\n"
