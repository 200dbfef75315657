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
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, SOURCE, Snapshot, canonical, describe, is_int, json_writer
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

FORMAT = "streamops.kafka_connect/offsets"
VERSION = 1

_encode = json_writer(ensure_ascii=False, allow_nan=False)

#: what the end of a text can be a part of: words, numbers
_CUT = ("true", "false", "null", "-", ".", "e+", "e-", "E+", "E-")


def parse(text: str, source: str):
    """JSON text -> value, numbers exact. Raises DeclarationError with the place of the mistake."""
    def no_constant(name):
        raise DeclarationError("%s holds %s, which is not JSON." % (source, name))

    def unique(pairs):
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _value in pairs]
            twice = next(name for place, name in enumerate(names) if name in names[:place])
            raise DeclarationError("%s holds the field %s twice in one object." % (source, twice))
        return found

    try:
        return json.loads(text, parse_constant=no_constant, object_pairs_hook=unique)
    except RecursionError:
        raise DeclarationError("%s is nested too deeply to be a document of offsets." % source)
    except ValueError as error:
        hint = " It seems to be cut short: its end is missing." if _ends_early(text, error) else ""
        raise DeclarationError("%s is not JSON: %s.%s" % (source, error, hint))


def _ends_early(text: str, error: ValueError) -> bool:
    """Is the end of the text what the JSON reader did not expect? So it is with a file that was not written to its end."""
    if not isinstance(error, json.JSONDecodeError) or not text.strip():
        return False
    rest = text[error.pos:].strip()
    return (error.msg.startswith("Unterminated string") or any(word.startswith(rest) for word in _CUT)
            or error.msg.startswith("Invalid \\uXXXX") and len(rest) <= len("uXXXX"))


def connectors_in(document, source: str):
    """Names of the connectors that a document has pairs of, sorted; None where it does not say of whom they are. Raises DeclarationError."""
    if isinstance(document, list):
        return None
    if not isinstance(document, dict):
        raise DeclarationError("%s must be a JSON object or list, it is %s." % (source, describe(document)))
    if is_our_own(document):
        return sorted(_our_own(document, source))
    return None if set(document) == {"offsets"} else sorted(document)


def items_for(document, connector: str, source: str) -> list:
    """The list of pairs that a document holds for one connector. Raises DeclarationError."""
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        raise DeclarationError("%s must be a JSON object or list, it is %s." % (source, describe(document)))
    if is_our_own(document):
        connectors = _our_own(document, source)
        _check_count(document, connectors, connector, source)
        document = connectors
    elif set(document) == {"offsets"}:
        return _pairs(document["offsets"], "%s: offsets" % source)
    if connector not in document:
        raise DeclarationError("%s holds nothing for the connector %s; it has %s."
                               % (source, connector, ", ".join(sorted(document)[:10]) or "no connector at all"))
    return _pairs(document[connector], "%s: %s" % (source, connector))


#: what a document holds of one connector. kind: source or sink. pairs: dictionaries {partition, offset}, sorted by canonical partition
Part = namedtuple("Part", ["connector", "kind", "pairs"])


class Origin(namedtuple("Origin", ["source", "connector", "kind", "kafka_cluster_id"])):
    """Where the offsets of a document of our own format come from; None for what it does not tell."""

    def check(self, kind: str, kafka_cluster_id) -> None:
        """Compare with the connector that is there. What one of the two sides does not know is no difference. Raises DeclarationError."""
        if (self.kind, kind) in ((SOURCE, SINK), (SINK, SOURCE)):
            raise DeclarationError(
                "%s holds the offsets of %s as a %s connector, but it is a %s connector here: its offsets mean something else. "
                "If they are meant all the same, use force: true." % (self.source, self.connector, self.kind, kind))
        if self.kafka_cluster_id and kafka_cluster_id and self.kafka_cluster_id != kafka_cluster_id:
            raise DeclarationError(
                "%s holds the offsets of %s on the Kafka cluster %s, but here it is on the Kafka cluster %s, where the same number can "
                "be another record. If they are meant all the same, use force: true."
                % (self.source, self.connector, self.kafka_cluster_id, kafka_cluster_id))


def origin_of(document, connector: str, source: str):
    """The Origin of one connector's offsets; None for the formats that do not tell. Raises DeclarationError."""
    if not is_our_own(document):
        return None
    return Origin(source, connector, _told(document, "types", source).get(connector),
                  _told(document, "cluster", source).get("kafka_cluster_id"))


def plugin_in(document, connector: str):
    """{"class", "version"} of the connector when the document was written; None where it does not tell. Raises DeclarationError."""
    found = _told(document, "plugins", "The document").get(connector) if is_our_own(document) else None
    return found if isinstance(found, dict) else None


def is_ordered(document, connector: str) -> bool:
    """Are the fields of its partitions in the order of the keys on the offsets topic? Documents of a method that shows no keys do not tell."""
    return is_our_own(document) and isinstance(document.get("ordered"), list) and connector in document["ordered"]


def is_our_own(document) -> bool:
    return isinstance(document, dict) and isinstance(document.get("format"), str)


def _told(document: dict, name: str, source: str) -> dict:
    """An object of the header, which documents written by hand or by an earlier version lack."""
    value = document.get(name, {})
    if not isinstance(value, dict):
        raise DeclarationError("%s must have an object named %s, or none; it is %s." % (source, name, describe(value)))
    return value


def _check_count(document: dict, connectors: dict, connector: str, source: str) -> None:
    """Somebody took pairs out, or an editor lost them: under purge, those offsets would be removed."""
    counts, found = _told(document, "counts", source), connectors.get(connector)
    if connector not in counts or not isinstance(found, list):
        return
    if counts[connector] != len(found) or not is_int(counts[connector]):
        raise DeclarationError(
            "%s was cut short or edited: it holds %d pair%s of %s, but its counts say %s. If it was edited on purpose, correct the number "
            "there, or remove counts." % (source, len(found), "" if len(found) == 1 else "s", connector, describe(counts[connector])))


def _our_own(document: dict, source: str) -> dict:
    if document["format"] != FORMAT:
        raise DeclarationError("%s has the unknown format %s; known is \"%s\"." % (source, describe(document["format"]), FORMAT))
    if document.get("version") != VERSION:
        raise DeclarationError("%s has version %s of the format; this collection reads version %d."
                               % (source, describe(document.get("version")), VERSION))
    connectors = document.get("connectors")
    if not isinstance(connectors, dict):
        raise DeclarationError("%s must have an object named connectors, it is %s." % (source, describe(connectors)))
    return connectors


def same_but_for_the_time(one: str, other: str) -> bool:
    """Do two texts of write() hold the same?"""
    try:
        one, other = json_value(one), json_value(other)
    except ValueError:
        return False
    return isinstance(other, dict) and canonical(dict(one, time=None)) == canonical(dict(other, time=None))


def counts(text: str) -> dict:
    """{connector: how many pairs} of a text of write(); {} where it is something else."""
    try:
        connectors = json_value(text)["connectors"]
        return {name: len(pairs) for name, pairs in connectors.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}


def _pairs(value, where: str) -> list:
    if not isinstance(value, list):
        raise DeclarationError("%s must be a list of {partition, offset}, it is %s." % (where, describe(value)))
    return value


def part_of(snapshot: Snapshot) -> Part:
    return Part(snapshot.connector, snapshot.kind, [{"partition": entry.partition, "offset": entry.offset} for entry in snapshot.sorted()])


def write(parts: list[Part], cluster: dict, method: str, time: str, **more) -> str:
    """Our own document of one or many connectors, as text with a final line end.

    cluster  what tells it apart: kafka_cluster_id, connect_url (no credentials)
    time     RFC 3339, UTC
    more     further fields of the header, which no reader needs
    """
    header = json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "time": time,
            "method": method,
            "cluster": cluster,
            "types": {part.connector: part.kind for part in parts},
            "counts": {part.connector: len(part.pairs) for part in parts},
            **more,
        },
        indent=2, ensure_ascii=False, allow_nan=False,
    )
    # A line for each pair: Python's own indentation takes four times as long, and as many lines.
    connectors = ",\n".join("    %s: [%s\n    ]" % (_encode(part.connector), ",".join(["\n      " + _encode(pair) for pair in part.pairs])) for part in parts)
    return '%s,\n  "connectors": {\n%s\n  }\n}\n' % (header[:-len("\n}")], connectors)
