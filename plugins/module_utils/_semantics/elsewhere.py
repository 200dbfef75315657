# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Connectors that never read their offsets, and those that also keep their position elsewhere."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.base import Semantics


def second_store(name: str, config: dict, profiles):
    """Where else the sink keeps offsets, as a warning; None where that is not known of its class. profiles: Catalog."""
    profile = profiles.find(config)
    found = profile.stores(config, name) if profile is not None else []
    return found and "%s also keeps its place elsewhere: %s. A change of its consumer group alone may have no effect; see the guide on sinks." % (
        name, "; ".join(found)) or None


class Inert(Semantics):
    """A MirrorCheckpoint or MirrorHeartbeat connector, which never reads its offsets."""

    def __init__(self, name: str, role: str, force=False):
        super().__init__(name, force)
        self._words = "%s is a %s, which never reads its offsets: a change has no effect. The place of a mirror is in the offsets of its " \
                      "MirrorSourceConnector." % (name, role)

    def resolve(self, desired, live):
        raise errors.DeclarationError(self._words)

    def check(self, plan, store) -> list:
        """Raises DeclarationError, or returns it as a warning: of what is cleared away, or comes with other connectors' from a document."""
        if plan.desired.exact:
            return []
        if self.force or plan.desired.is_document or not any(action.verb == SET for action in plan.changes):
            return [self._words]
        raise errors.DeclarationError("%s If that is meant all the same, use force: true." % self._words)
