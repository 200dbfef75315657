# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The ledger where none is named and there are brokers: on the topic, and in the file what was written while there was no such topic.

A topic is created only for a change that was given a change_id. It has a name, settings and permissions that whoever runs the cluster may want to
decide on, and a change that did not ask for a ledger must not need them.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.base import Ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import age


class TopicOrFile(Ledger):
    """A change stays where it was begun."""

    def __init__(self, topic, file, creates: bool):
        """topic: TopicLedger. file: FileLedger. creates: the topic is created if there is none."""
        self._topic, self._file, self._creates = topic, file, creates
        #: (connector, change id) of the changes in the file
        self._in_file = set()
        super().__init__()

    @property
    def warnings(self) -> list:
        return self._topic.warnings

    @warnings.setter
    def warnings(self, found) -> None:
        self._topic.warnings = self._file.warnings = found

    @property
    def kind(self) -> str:
        return self._main.kind

    @property
    def where(self) -> str:
        return self._main.where

    @property
    def _main(self):
        """Where a new change goes."""
        return self._topic if self._creates or self._topic.exists else self._file

    def changes(self, connector=None) -> list:
        on_topic, in_file = self._topic.changes(connector), self._file.changes(connector)
        self._in_file.update((one.connector, one.change_id) for one in in_file)
        return sorted(on_topic + in_file, key=age)

    def put(self, change, known, expired=()) -> None:
        ledger = self._file if self._is_in_file(change) else self._topic if known is not None else self._main
        ledger.put(change, known, [one for one in expired if self._is_in_file(one) == (ledger is self._file)])
        if ledger is self._file:
            self._in_file.add((change.connector, change.change_id))

    def sync(self) -> dict:
        return self._file.sync()

    def _is_in_file(self, change) -> bool:
        return (change.connector, change.change_id) in self._in_file

    def missing_acls(self, check_mode: bool) -> list:
        return self._main.missing_acls(check_mode)

    def warn_of_the_disk(self) -> None:
        self._main.warn_of_the_disk()

    def close(self, connector: str) -> None:
        self._topic.close(connector)
