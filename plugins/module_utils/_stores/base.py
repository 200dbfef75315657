# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the change engine and connector_offsets_info ask of a method to the offsets, whichever it is."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Snapshot


class Store:
    """The offsets of one connector by one method. It reads and writes; what to write, and whether it may be, is decided elsewhere.

    One change calls read() -> check(plan), missing_acls(plan) -> before_records(plan) -> apply(plan) -> read(), until what is read is
    what was planned. All methods raise ConnectError of _core.errors; those that are named at a method are told apart by the caller.
    """

    #: what the option method calls it
    method: str
    #: does the other side refuse a change while a task runs? Else the caller has to know that none does
    has_server_guard = True
    #: are the fields of the partitions that it shows in the order in which the connector writes them?
    ordered = False
    #: can the changes of several connectors be one write (see apply_together())?
    joint = False

    def __init__(self, name: str):
        """name: of the connector."""
        self.name = name
        #: whether an earlier run that did not end may have made the same change already
        self.finishes = False

    # ---- reading -----------------------------------------------------------------------------------------------

    def read(self) -> Snapshot:
        """What counts now, asked for anew. Raises NoConnector, EndpointMissing (the worker is too old), AmbiguousName (it can be no part of a
        URL), NotOffsetsTopic, BrokerError.
        """
        raise NotImplementedError

    def read_written(self):
        """Like read(), for less, where that is enough to see that offsets were set: what was written a moment ago may be missing, and what is shown
        counts. None where read() costs no more.
        """
        return None

    def has_written(self, plan):
        """Does a fresh look show what the plan has written, and that nothing else of the connector came since it was made? None where nothing else came, and
        not all of it shows so far; False where read() is needed to know.
        """
        return False

    def warnings_about(self, snapshot) -> list:
        """Sentences for the operator about what read() gave."""
        return []

    def hidden(self) -> str:
        """Where the open transaction of somebody else hides what was written; empty where none does."""
        return ""

    # ---- before a change: a plan is _core.plan.Plan, made from what read() gave ------------------------------------

    def check(self, plan) -> None:
        """Can this method make the change? Raises EndpointMissing and MethodError (another method may), DeclarationError (none can)."""

    def missing_acls(self, plan) -> list:
        """The rights on the brokers (_kafka.acl.Right) that the change needs and that the user certainly lacks."""
        return []

    def recreates(self, plan) -> bool:
        """Is there a moment during the change when offsets are deleted that have to stay? Then a backup is written first."""
        return False

    def before_records(self, plan):
        """[topic, topic partition, key, value or None] as text, of each record that the change replaces, so that it can be undone byte for
        byte; None where offsets are no records.
        """
        return None

    # ---- the change ----------------------------------------------------------------------------------------------

    def apply(self, plan):
        """Send the change; returns a warning, or None. The caller reads back: what is returned proves nothing.

        Raises NotStopped or StateError where a task runs, Refused, and those of errors.in_doubt() where it is not known whether it was made.
        """
        raise NotImplementedError

    def apply_together(self, changes, whose: str) -> None:
        """The same for [(store, plan)] of several connectors: all of them or none. whose: the same text for the same connectors."""
        raise NotImplementedError
