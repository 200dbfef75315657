# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A connector of a dedicated MirrorMaker, which has no REST: what it is says its configuration on a topic of the target cluster."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.config_topic import configs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import SOURCE, Flow, configs_topic, role_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.base import Semantics
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.elsewhere import Inert
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.mirror import MirrorSource


class DedicatedMirror(Semantics):
    """Looks at the configuration once, and only where something is to be changed."""

    def __init__(self, access, alias: str):
        """access: Access of the connector. alias: of the source cluster."""
        super().__init__(access.name, access.force)
        self._access = access
        self._alias = alias
        self._connector = None

    def resolve(self, desired, live) -> tuple:
        return self._known(desired).resolve(desired, live)

    def check(self, plan, store) -> list:
        return self._known(plan.desired).check(plan, store) if plan.changed or plan.desired.following else []

    def _known(self, desired) -> Semantics:
        """Raises DeclarationError for a connector that this MirrorMaker has not."""
        if self._connector is None:
            config = self._config(desired)
            role = role_of(config) or role_of({"connector.class": self.name})
            self._connector = Inert(self.name, role, self.force) if role not in (None, SOURCE) else MirrorSource(
                self._access, Flow(config, self._alias), lambda: self._access.kafka.cluster_id)
        return self._connector

    def _config(self, desired) -> dict:
        topic = configs_topic(self._alias)
        try:
            known = configs(self._access.kafka, topic)
        except errors.BrokerError as error:
            self._access.warn("The configuration of %s could not be read from %s. %s" % (self.name, topic, error.message))
            return {}
        if known and self.name not in known and desired.sets and not (self.force or desired.exact):
            raise errors.DeclarationError("The dedicated MirrorMaker of %s has no connector %s; it has %s." % (
                self._alias, self.name, ", ".join(sorted(known))))
        return known.get(self.name, {})
