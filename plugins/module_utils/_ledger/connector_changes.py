# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a ledger knows of one connector: its changes, the runs that are at work on it, and the changes that a run has left unfinished."""

from __future__ import annotations

import contextlib
import time
from datetime import datetime, timezone

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connector_config import MARKER
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import record
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.run_id import is_gone

#: seconds without a heartbeat after which another run counts as dead
LEASE = 20.0
#: seconds after which nobody waits for a heartbeat: more than clocks differ, also where one takes local time for UTC
_LONG_AGO = 86400.0
_PAUSE = 0.5


class SilentRuns:
    """Since when changes on which other runs are at work have not been written again.

    Where many connectors are changed together, those of all connectors are looked up whenever one of them is waited for: a silent run is waited for once.
    """

    def __init__(self, of_all=False):
        self._of_all = of_all
        #: (connector, change id) -> the change, and when it was first seen as it is
        self._seen = {}

    def silent_since(self, ledger, change, clock) -> float:
        """By that clock."""
        if not self._is_seen(change):
            others = _read_quietly(ledger) if self._of_all else []
            self._note(others + [change], clock())
        return self._seen[change.connector, change.change_id][1]

    def _is_seen(self, change) -> bool:
        return record.same(change, self._seen.get((change.connector, change.change_id), (None,))[0])

    def _note(self, changes, now) -> None:
        self._seen.update(((one.connector, one.change_id), (one, now)) for one in changes if one.busy and not self._is_seen(one))


def _read_quietly(ledger) -> list:
    """The changes of all connectors, without warnings about those of others; none if they cannot be read."""
    said = list(ledger.warnings)
    try:
        with contextlib.suppress(ConnectError):
            return ledger.changes()
        return []
    finally:
        ledger.warnings[:] = said


class ConnectorChanges:
    """The changes of one connector. Raises what Ledger.changes() raises."""

    def __init__(self, ledger, connector: str, change_id: str, run: str, marked=None, warn=None, sleep=time.sleep, clock=time.monotonic, waits=None):
        """change_id: of the change of this run. marked: gives the changes that the connector's configuration still holds (see _ledger.marker), or None.
        warn(text): for the user. waits: SilentRuns of all connectors that are changed together."""
        self.ledger = ledger
        self.connector = connector
        self._change_id = change_id
        self._run = run
        self._marked = marked
        self._warn = warn
        self._sleep = sleep
        self._clock = clock
        self._waits = waits or SilentRuns()
        self._held_before = None
        #: in check mode: ids of changes on which others are at work
        self._others = []
        #: all of them, oldest first, as they were read last, see _short()
        self.all = []

    def change(self, change_id: str):
        """The change of this id, None if there is none."""
        return next((one for one in self.all if one.change_id == change_id), None)

    def read(self, check_mode: bool) -> None:
        self.all = [self._short(one) for one in self.ledger.changes(self.connector)]
        self._take_over(check_mode)

    def _short(self, change):
        """Of a change of another id that has come to its end it counts whether it changed something, but not what: that can be large."""
        if change.change_id == self._change_id or record.is_unfinished(change):
            return change
        return change._replace(before=change.before and change.before[:1], after=None, records=None)

    def wait(self, check_mode: bool):
        """Reads them, again and again until no other run is at work on this connector that gives a heartbeat. The first change that had to be waited
        for, or None. Check mode does not wait.
        """
        self.read(check_mode)
        first = seen = self._at_work()
        if check_mode and seen is not None:
            self._warn("Another run is at work on the change %s of %s." % (seen.change_id, self.connector))
            self._others = [seen.change_id]
            return None
        while seen is not None and self._is_alive(seen):
            self._sleep(_PAUSE)
            self.read(check_mode)
            seen = self._at_work()
        return first

    def _is_alive(self, change) -> bool:
        since = self._waits.silent_since(self.ledger, change, self._clock)
        return self._clock() - since <= LEASE

    def unfinished(self, change_id) -> list:
        """Changes of other ids whose run did not come to its end, oldest first. To be asked after wait()."""
        return [one for one in self.all if one.change_id not in [change_id] + self._others and record.is_unfinished(one)]

    def _at_work(self):
        """The change on which another run is at work, or None."""
        return next((one for one in self.all if one.busy and one.run != self._run and not is_gone(one.run) and _age(one) < _LONG_AGO), None)

    def _take_over(self, check_mode) -> None:
        """What only the marker of an earlier release knows is a part of the ledger from now on."""
        if self._held_before is None:
            self._held_before = self._marked() if self._marked else []
        marked = self._held_before
        if marked:
            self._warn("The configuration of %s holds the marker of changes of an earlier release under %s: %s. The ledger (%s) takes over what it does "
                       "not have; the key is no longer used, and can be removed." % (
                           self.connector, MARKER, ", ".join(one.change_id for one in marked), self.ledger.where))
        known = {one.change_id for one in self.all}
        new = [one for one in marked if one.change_id not in known]
        for one in new if not check_mode else []:
            self.ledger.put(one, None)
        self.all = new + self.all


def _age(change) -> float:
    """Seconds since it was written, by the clocks of two machines."""
    text = change.times.get("written") or change.times[record.STARTED]
    try:
        written = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    except ValueError:
        return 0.0
    return (datetime.now(timezone.utc) - written).total_seconds()
