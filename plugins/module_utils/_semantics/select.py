# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which semantics the offsets of a connector have. A new one is a class in a file of this package, and a line here."""

from __future__ import annotations

from functools import partial

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import (
    CLUSTER,
    SOURCE,
    Flow,
    configs_topic,
    dedicated_source,
    is_partition,
    role_of,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.base import Semantics
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.elsewhere import Inert
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.sink import SinkGroup
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.source import PlainSource, Source


def semantics_of(kind: str, access, found) -> Semantics:
    """kind: source or sink. access: Access of the connector. found: the Connector, None where there is none."""
    semantics, config = _of_kind(kind, access, found), access.config(found)
    semantics.config, semantics.profile = config or {}, access.profiles.find(config)
    return semantics


def _of_kind(kind: str, access, found) -> Semantics:
    if kind == SINK:
        return SinkGroup(access, found)
    if found is not None or access.config(None) is not None:
        return Source(access, partial(_by_configuration, access, found))
    alias = dedicated_source(access.offset_topic)
    return Source(access, partial(_by_dedicated_mirror, access, alias) if alias else partial(_by_partitions, access))


def _by_configuration(access, found, _desired, _live) -> Semantics:
    config = access.config(found)
    role = role_of(config)
    if role == SOURCE:
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.mirror import MirrorSource
        return MirrorSource(access, Flow(config), lambda: access.rest.root().get("kafka_cluster_id"))
    return PlainSource(access.name, access.force) if role is None else Inert(access.name, role, access.force)


def _by_dedicated_mirror(access, alias, desired, _live) -> Semantics:
    """A dedicated MirrorMaker has no REST, and keeps configurations beside the offsets. Raises DeclarationError for a connector that it has not."""
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.config_topic import configs
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.mirror import MirrorSource
    config, topic = {}, configs_topic(alias)
    try:
        known = configs(access.kafka, topic)
        if known and access.name not in known and desired.sets and not (access.force or desired.exact):
            raise errors.DeclarationError("The dedicated MirrorMaker of %s has no connector %s; it has %s." % (alias, access.name, ", ".join(sorted(known))))
        config = known.get(access.name, {})
    except errors.BrokerError as error:
        access.warn("The configuration of %s could not be read from %s. %s" % (access.name, topic, error.message))
    role = role_of(config) or role_of({"connector.class": access.name})
    return Inert(access.name, role, access.force) if role not in (None, SOURCE) else MirrorSource(
        access, Flow(config, alias), lambda: access.kafka.cluster_id)


def _by_partitions(access, desired, live) -> Semantics:
    """There is no such connector, or no worker to ask for its configuration."""
    pairs = list((desired.keyed or {}).values()) + list(live.entries.values())
    aliases = {entry.partition[CLUSTER] for entry in pairs if is_partition(entry.partition)}
    if not aliases and (pairs or desired.reset is None):
        return PlainSource(access.name, access.force)
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.mirror import MirrorSource, UnknownMirrors
    given = set(access.sources.given)
    known = aliases & given if aliases else given
    if len(known) == 1:
        return MirrorSource(access, Flow({}, known.pop()), lambda: None if access.is_file else access.kafka.cluster_id, access.rest is not None)
    return UnknownMirrors(access, aliases) if access.rest is None else PlainSource(access.name, access.force)
