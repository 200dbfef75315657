# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Operations on offsets, as Strimzi's operator is asked for them and as it speaks of them. Pure.

It carries one out because of an annotation of the connector's resource, and exchanges the offsets by a ConfigMap that the resource names.
"""

from __future__ import annotations

import json
import re
from urllib.parse import quote

from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_resource import CONNECTOR, MIRROR, conditions

LIST, ALTER, RESET = "list", "alter", "reset"

#: annotations of Strimzi
OFFSETS = "strimzi.io/connector-offsets"
WHICH = "strimzi.io/mirrormaker-connector"

_SECTIONS = {LIST: ("listOffsets", "toConfigMap"), ALTER: ("alterOffsets", "fromConfigMap")}

#: reasons of Warnings that speak of an operation on offsets
_REASONS = ("ListOffsets", "AlterOffsets", "ResetOffsets", "ManageOffsets")
#: what passes by itself: a rebalance, an edit of the resource at the same time, a worker that is away
_PASSING = re.compile(r"\b409\b|conflict|rebalanc|modified|timed? ?out|connection (refused|reset)|header parser|\bIOException|net\.ConnectException",
                      re.IGNORECASE)
#: what may: a worker that is just starting, but also a plugin that does not take the offsets
_DOUBTFUL = re.compile(r"\b50[0-9]\b")


def config_map_of(part, word: str):
    """The name of the ConfigMap for list or alter; None where the resource names none. part: strimzi_resource.Part."""
    section, field = _SECTIONS[word]
    return ((part.spec.get(section) or {}).get(field) or {}).get("name")


def data_key(kind: str, connector: str) -> str:
    """Under which key of a ConfigMap the operator keeps a connector's offsets."""
    return "offsets.json" if kind == CONNECTOR else connector.replace("->", "--") + ".json"


def complaints(resource: dict) -> list:
    """What went wrong with operations on offsets, in words, each once."""
    found = ["%s: %s" % (one.get("reason"), one.get("message")) for one in conditions(resource)
             if one.get("type") == "Warning" and one.get("reason") in _REASONS]
    return sorted(set(found))


def looks_until_verdict(words, connector: str):
    """How often the operator has to say the same once more, made to look again, until it counts; None: it is waited for."""
    words = _nameless(words, connector)
    if all(_PASSING.search(one) for one in words):
        return None
    return 3 if all(_PASSING.search(one) or _DOUBTFUL.search(one) for one in words) else 1


def _nameless(words, connector) -> list:
    """A connector can be called 409."""
    names = "|".join(map(re.escape, (connector, quote(connector, safe=""), connector.replace("->", "--"))))
    return [re.sub(r"(?<![-.\w])(%s)(?![-\w])" % names, "", one) for one in words]


def operation_annotations(kind: str, connector: str, word) -> dict:
    """word: list, alter, reset; None to take it back."""
    found = {OFFSETS: word}
    if kind == MIRROR:
        found[WHICH] = None if word is None else connector
    return found


def offsets_text(pairs: list) -> str:
    """The entry of a ConfigMap for alter: numbers exact."""
    return json.dumps({"offsets": pairs}, indent=2, ensure_ascii=False, allow_nan=False)


def section_lines(resource: dict, part, word: str) -> str:
    """The lines that a resource lacks, in words for the user."""
    section, field = _SECTIONS[word]
    where = part.pointer.strip("/").replace("/", ".")
    return "%s: {%s: {name: %s-offsets}}, under %s" % (section, field, resource["metadata"]["name"], where)
