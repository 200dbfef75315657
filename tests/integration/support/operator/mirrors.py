# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connectors of a KafkaMirrorMaker2 (facts 2 and 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.integration.support.operator.connector import Wanted, wanted

_KINDS = {"sourceConnector": "MirrorSourceConnector", "checkpointConnector": "MirrorCheckpointConnector",
          "heartbeatConnector": "MirrorHeartbeatConnector"}
_BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"


def connectors(spec: dict[str, Any]) -> Iterator[tuple[Wanted, dict[str, Any]]]:
    """Each with its part of the spec, which has the sections for offsets."""
    for mirror in spec["mirrors"]:
        source, target = _ends(spec, mirror)
        more = {
            "source.cluster.alias": source["alias"], "source.cluster.bootstrap.servers": source["bootstrapServers"],
            "target.cluster.alias": target["alias"], "target.cluster.bootstrap.servers": target["bootstrapServers"],
            "key.converter": _BYTES, "value.converter": _BYTES, "header.converter": _BYTES,
            "topics": mirror.get("topicsPattern", ".*"), "groups": mirror.get("groupsPattern", ".*"),
        }
        for section, kind in _KINDS.items():
            if section in mirror:
                name = f"{source['alias']}->{target['alias']}.{kind}"
                yield wanted(name, mirror[section], f"org.apache.kafka.connect.mirror.{kind}", more), mirror[section]


def key_of(name: str) -> str:
    """Of a connector's offsets in a ConfigMap."""
    return f"{name.replace('->', '--')}.json"


def _ends(spec: dict[str, Any], mirror: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Source and target, in the new shape or in that of v1beta2, where the mirror names two of the clusters."""
    if "source" in mirror:
        return mirror["source"], spec["target"]
    clusters = {one["alias"]: one for one in spec["clusters"]}
    return clusters[mirror["sourceCluster"]], clusters[mirror["targetCluster"]]
