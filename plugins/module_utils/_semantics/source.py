# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Sources whose offsets are their own words for a place in another system, and those of which it is found out later what they are."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles import symbolic
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.local_files import check_positions
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.base import Semantics
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import FILE


class PlainSource(Semantics):
    """Nobody but its plugin understands them, as far as its profile does not say it; but a place in a file of this machine can be looked at."""

    def resolve(self, desired, live) -> tuple:
        if desired.reset is None:
            return super().resolve(desired, live)
        keyed, notes, warnings = symbolic.resolve(self.profile, self.config, live, desired.reset)
        return desired.in_numbers(keyed, notes), warnings

    def check(self, plan, store) -> list:
        return check_positions(plan, self.force or plan.desired.exact) if store.method == FILE else []


class Source(Semantics):
    """Any source. What it is, is asked for once, and only where something is to be changed."""

    def __init__(self, access, identify):
        """access: Access of the connector. identify(desired, live): its Semantics."""
        super().__init__(access.name, access.force)
        self._identify = identify
        self._known = None

    def _what_it_is(self, desired, live) -> Semantics:
        if self._known is None:
            self._known = self._identify(desired, live)
            self._known.profile, self._known.config = self.profile, self.config
        return self._known

    def resolve(self, desired, live) -> tuple:
        return self._what_it_is(desired, live).resolve(desired, live)

    def check(self, plan, store) -> list:
        return self._what_it_is(plan.desired, plan.live).check(plan, store) if plan.changed or plan.desired.following else []
