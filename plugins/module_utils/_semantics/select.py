# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which semantics the offsets of a connector have. A new one is a class in a file of this package, and a line here."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import SOURCE, Flow, dedicated_source, role_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.base import Semantics
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.dedicated_mirror import DedicatedMirror
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.elsewhere import Inert
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.mirror import MirrorSource
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.sink import SinkGroup
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.source import PlainSource, UnknownSource


def semantics_of(kind: str, access, found) -> Semantics:
    """kind: source or sink. access: Access of the connector. found: the Connector, None where there is none."""
    if kind == SINK:
        return SinkGroup(access, found)
    config = access.config(found)
    if config is None:
        alias = dedicated_source(access.offset_topic)
        return DedicatedMirror(access, alias) if alias else UnknownSource(access)
    role = role_of(config)
    if role == SOURCE:
        return MirrorSource(access, Flow(config), lambda: access.rest.root().get("kafka_cluster_id"))
    return PlainSource(access.name, access.force) if role is None else Inert(access.name, role, access.force)
