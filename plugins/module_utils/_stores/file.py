# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The file road: a standalone worker's offsets, as the records of the file that the worker reads when it starts.

It is the topic road with a file for the topic: the same keys and values, byte for byte.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicReader, TopicStore


class FileReader(TopicReader):
    """Reads a file as TopicReader reads a topic. kafka: OffsetFile."""

    def _check(self, name, log) -> None:
        # First what takes no decoding.
        if log.records and not log.decoded("").shaped and not log.decoded().shaped:
            raise errors.NotOffsetsTopic(
                "The file %s is no offsets file: none of its %d entries has a key such as [\"connector\",{...}]. Nothing was changed." % (
                    name, log.records))
        if not self.kafka.exists:
            self._warn(name, "There is no file %s so far. A worker without one has no offsets; one that keeps them elsewhere will not see "
                             "what is written there." % name)


class FileStore(TopicStore):
    """See TopicStore."""

    road = "file"

    def check(self, plan) -> None:
        super().check(plan)
        self.reader.kafka.check_writable()

    def lacking(self, plan) -> list:
        """None: no brokers are asked."""
        return []

    def records(self, plan) -> list:
        return self._here(super().records(plan))

    def _holds(self, records) -> bool:
        return super()._holds(self._here(records))

    def _here(self, records) -> list:
        """Records of a change that is undone, too, are meant for this file, though it may have had another name."""
        return [(self.topics[0], 0, *record[2:]) for record in records]
