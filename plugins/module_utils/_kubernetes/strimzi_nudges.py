# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""When Strimzi's operator is to be made to look again at a resource. Pure but for a clock.

Each patch of a resource begins a new pass and voids the end of the one that runs: what that one has done is done once more. So there has to
be a reason: the operator has complained, and has nothing more to say until its timer; or it has been silent for longer than a pass.
"""

from __future__ import annotations

#: seconds of silence after a complaint, at first: it says the same thing once
_NUDGE = 2.0
_LONGEST_NUDGE = 30.0
#: the same where it has said nothing at all: longer than a pass. It drops what has waited for 10 s for another pass
_SILENCE = 20.0


class Nudges:
    """One operator's. Less and less often, for each connector."""

    def __init__(self, clock):
        self._clock = clock
        #: connector -> _Silence
        self._of = {}
        #: seconds of silence after which a pass that would say the same again is over, as far as this operator has shown
        self.patience = _NUDGE

    def begin(self, name, resource) -> None:
        """resource: as it is after our patch."""
        self._of[name] = _Silence(resource["metadata"]["resourceVersion"], self._clock())

    def is_due(self, name, resource, reported) -> bool:
        """resource: as it is now. reported: the operator has said what it thinks of it."""
        if name not in self._of:
            self.begin(name, resource)
        one, now, version = self._of[name], self._clock(), resource["metadata"]["resourceVersion"]
        if version != one.version:
            if one.version == one.asked_by:  # its first reaction
                self.patience = max(self.patience, min(1.5 * (now - one.since), _SILENCE))
            one.version, one.since = version, now
        if now - one.since < max(one.wait, self.patience if reported else _SILENCE):
            return False
        one.since, one.wait = now, min(one.wait * 2, _LONGEST_NUDGE)
        return True


class _Silence:
    """version: of the resource, and since when; asked_by: the one of our patch. wait: seconds until the next look."""

    def __init__(self, version, now):
        self.version = self.asked_by = version
        self.since = now
        self.wait = _NUDGE
