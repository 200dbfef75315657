# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a tracked change and connector_changes_info ask of a ledger, wherever it is kept."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import Unreadable, age, decode

#: the topic, and the ConfigMap, where none is named
DEFAULT = "connect-offset-changes"


class Ledger:
    """Keeps the changes (_ledger.record.Change) of connectors, of each change what was written last. All methods raise ConnectError."""

    #: what the option ledger calls it
    kind: str

    def __init__(self):
        #: sentences for the user; may be replaced by the list to add to
        self.warnings = []

    @property
    def where(self) -> str:
        """Where it is kept, for messages: "the topic connect-offset-changes"."""
        raise NotImplementedError

    def changes(self, connector=None) -> list:
        """Changes, oldest first, of one connector (None: of all); [] where there is no such ledger so far.

        Raises Unreadable where one of this connector cannot be understood. Of all connectors those are left out, with a warning.
        """
        raise NotImplementedError

    def put(self, change, known, expired=()) -> None:
        """Write the change if the ledger still holds ``known`` of it (a Change, or None: nothing); nothing to do if it holds this very writing.

        expired: changes of the same connector that the ledger forgets with it.

        Raises ConcurrentUpdate where it holds something else, StateError where it was removed. After any other error nothing was written,
        but for WriteOutcomeUnknown. Other runs see it at once; see also sync().
        """
        raise NotImplementedError

    def sync(self) -> dict:
        """What put() has written so far outlives a crash of the machine from here on: many writings for the price of one, where a ledger is opened for many
        connectors. Gives {connector: ConnectError} of those of which it is not certain.
        """
        return {}

    def missing_acls(self, check_mode: bool) -> list:
        """The rights on the brokers (_kafka.acl.Right) that the user certainly lacks to write a change. To be asked after changes()."""
        return []

    def warn_of_the_disk(self) -> None:
        """If no later run will find what is written here."""

    def close(self, connector: str) -> None:
        """No more changes of this connector are written."""

    # ---- for those that derive from it -----------------------------------------------------------------------------

    def _warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def _decode_all(self, documents, connector) -> list:
        """documents: (JSON text or object, what to call it) of each change of the connector. Gives what changes() gives."""
        found = []
        for document, what in documents:
            try:
                found.append(decode(document, what))
            except Unreadable as error:
                if connector is not None:
                    raise
                self._warn(error.message)
        return sorted(found, key=age)
