# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The file method: a standalone worker's offsets, as the records of the file that the worker reads when it starts.

It is the method topic with a file in place of the topic: the same keys and values, byte for byte.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.local_files import behind_the_end
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicStore


class FileStore(TopicStore):
    """logs: OffsetLogs of a FileLog."""

    method = "file"

    def warnings_about(self, snapshot) -> list:
        return super().warnings_about(snapshot) + behind_the_end(snapshot)

    def records(self, plan) -> list:
        return self._here(super().records(plan))

    def _holds(self, records) -> bool:
        return super()._holds(self._here(records))

    def _here(self, records) -> list:
        """Records of a change that is undone, too, are meant for this file, though it may have had another name."""
        return [(self.topics[0], 0, *record[2:]) for record in records]
