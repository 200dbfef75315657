# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The Strimzi method: the operator reads and changes the offsets, by Connect's REST API, so what counts there counts here."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import RestStore


class StrimziStore(RestStore):
    """client: StrimziOffsets."""

    method = "strimzi"

    def read_written(self):
        return None

    def check(self, plan) -> None:
        super().check(plan)
        self.client.check_change(self.name, None if self.resets(plan) else self.pairs(plan))
