# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which connectors and topics the reset of a mirror means, of those that there are. Pure."""

from __future__ import annotations

import re
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import STATES, Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import CHECKPOINT, HEARTBEAT, SOURCE, Flow, role_of

#: what becomes of the copies
KEEP, EMPTIED, RECREATED = "keep", "emptied", "recreated"

#: one of MirrorMaker's connectors; state: started, paused or stopped; failed: whether it, or one of its tasks, is FAILED
Member = namedtuple("Member", ["name", "role", "flow", "state", "failed"])
#: sources: the MirrorSource connectors to reset; others: connectors of the same mirror that are stopped for it
Choice = namedtuple("Choice", ["sources", "others"])
#: what one MirrorSource connector has to copy again; copies: {topic on the source: its name on the target, None where that is not known}
Share = namedtuple("Share", ["connector", "topics", "copies"])

_WORDS = {state: word for word, state in STATES.items()}
_INTERNAL = re.compile(r"__.*|mm2-(offset-syncs|offsets|configs|status)[^A-Za-z0-9].*|.+[^A-Za-z0-9]checkpoints[^A-Za-z0-9]internal")
#: they are copied as well, but are no data: their copy is left alone
_HEARTBEATS = re.compile(r"(.*[^A-Za-z0-9])?heartbeats")


def check_topics(topics: list, whole: bool) -> None:
    """What can be known to be wrong without a look at the clusters. Raises DeclarationError."""
    internal = [topic for topic in topics if _INTERNAL.fullmatch(topic)]
    if internal:
        raise DeclarationError(
            "topics has %s, which MirrorMaker or Connect keep for themselves. The position of a mirror is in the offsets of its MirrorSourceConnector and "
            "nowhere else: offset-syncs and checkpoints only translate offsets of consumer groups. They must neither be emptied nor get tombstones; where "
            "they have to go, they are deleted while the mirror is stopped (offset_syncs, target)." % ", ".join(internal))
    if bool(topics) == whole:
        raise DeclarationError("Say which topics of the source are meant with topics, or the whole mirror with all: true, and not both.")


def members(known: dict) -> list:
    """MirrorMaker's connectors among those of a Connect cluster. known: ConnectClient.connectors()."""
    found = []
    for name, parts in sorted(known.items()):
        config = (parts.get("info") or {}).get("config") or {}
        role = role_of(config)
        if role is not None:
            connector = Connector(dict(parts.get("status") or {}, name=name))
            found.append(Member(name, role, Flow(config), _WORDS.get(connector.state, "started"), connector.failed))
    return found


def choose(found: list, names: list, deletes: bool) -> Choice:
    """found: [Member]. names: of connectors, empty for the only mirror that there is. Raises DeclarationError.

    deletes: whether topics are deleted: no other MirrorSource connector of the same mirror may write to them meanwhile.
    """
    useful = [one for one in found if one.role != HEARTBEAT]
    unknown = [name for name in names if name not in [one.name for one in useful]]
    sources = [one for one in useful if one.role == SOURCE and (not names or one.name in names)]
    if unknown or names and not sources:
        raise DeclarationError(
            "connectors has to name MirrorSource connectors of this Connect cluster, and may name MirrorCheckpoint connectors; %s cannot be used. The "
            "cluster has %s." % (", ".join(unknown) or "the list has no MirrorSource connector and", ", ".join(one.name for one in useful) or "none"))
    if not sources:
        raise DeclarationError("This Connect cluster has no MirrorSource connector.")
    mirrors = sorted({str(one.flow) for one in sources + [one for one in useful if one.name in names]})
    if len(mirrors) > 1:
        raise DeclarationError("These are connectors of several mirrors, %s: name those of one of them in connectors." % ", ".join(mirrors))
    others = [one for one in useful if str(one.flow) == mirrors[0] and one not in sources and (one.role == CHECKPOINT or deletes)]
    return Choice(sources, others)


def share(flows: list, topics: list, whole: bool) -> list:
    """[Share]: which connector copies which of the topics. flows: those of mirror_info. topics: unless the whole mirror is meant.

    A topic that none of them copies is left to the first one, which then says why. Raises DeclarationError where nothing is left.
    """
    found, placed = [], set()
    for flow in flows:
        copies = {one["topic"]: one["copy"] for one in flow["topics"]}
        names = [name for name in copies if not _HEARTBEATS.fullmatch(name)] if whole else [name for name in topics if name in copies]
        placed.update(names)
        found.append(Share(flow["connector"], names, {name: copies[name] for name in names}))
    if not whole:
        found[0] = found[0]._replace(topics=found[0].topics + [name for name in topics if name not in placed])
    found = [one for one in found if one.topics]
    if not found:
        raise DeclarationError("%s has no topic that it copies." % mirror_of(flows[0]))
    return found


def check_names(shares: list, flow: dict, target: str, offset_syncs: bool) -> None:
    """Are the topics known by name that have to go? Raises DeclarationError."""
    if target != KEEP and not all(copy for one in shares for copy in one.copies.values()):
        raise DeclarationError(
            "How %s calls its copies is not known: its replication.policy.class is not Kafka's own, or its configuration cannot be read. So target has to "
            "be keep." % mirror_of(flow))
    if target == RECREATED and not flow["checkpoints"]["topic"] or offset_syncs and not flow["offset_syncs"]["topic"]:
        raise DeclarationError(
            "The configuration of %s cannot be read, so the names of its topics for offset-syncs and checkpoints are not known." % mirror_of(flow))


def check_nodes(flows: list) -> None:
    """Of a dedicated MirrorMaker: are all of its nodes down? Raises DeclarationError."""
    nodes = sorted({node for flow in flows for node in flow["nodes"] or []})
    if nodes:
        raise DeclarationError("Nodes of MirrorMaker run, and would write their own positions over the change: %s. Stop all of them, then run this "
                               "again." % "; ".join(nodes))
    unseen = sorted({"%s-mm2" % flow["source"] for flow in flows if flow["nodes"] is None})
    if unseen:
        raise DeclarationError(
            "Whether nodes of the dedicated MirrorMaker run is not known; the reason is in the warning of this run. If the user lacks the permission "
            "Describe on Group %s, grant it." % ", ".join(unseen))


def mirror_of(flow: dict) -> str:
    return "%s->%s" % (flow["source"], flow["target"] or "?")
