# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Guards: how far, and in which direction, a change may move a partition. Pure.

First ``direction`` turns what is satisfied into keeps: a live offset that is beyond the declared one already. Then what is left
is held against the limits. A guard that does not know how far a partition moves refuses.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import BACKWARD, FORWARD, REMOVE, SET, UNKNOWN, Action

_AGAINST = {FORWARD: BACKWARD, BACKWARD: FORWARD}
_SHOWN = 3


class Guards:
    """max_rewind, max_skip: the most that a partition may move backward or forward. direction: forward or backward. None: no such guard."""

    def __init__(self, max_rewind=None, max_skip=None, direction=None):
        self.max_rewind = max_rewind
        self.max_skip = max_skip
        self.direction = direction

    def settled(self, action: Action) -> Action:
        """The same action, or a keep where the live offset is beyond the declared one already."""
        if self.direction is None or action.verb != SET or action.moved[0] != _AGAINST[self.direction]:
            return action
        return action.kept()

    def check(self, plan) -> None:
        """Raises DeclarationError for a change that goes too far, or of which that is not known."""
        unknown = [action for action in plan.changes if action.moved[0] == UNKNOWN]
        if unknown:
            raise DeclarationError(
                "%s cannot be checked for %s of %s, as it is not known how far the change moves %s: %s. Declare %s in another task, without "
                "that guard." % (
                    self, counted(unknown), plan.live.connector, "it" if len(unknown) == 1 else "them", _first(unknown, _why_unknown),
                    "it" if len(unknown) == 1 else "them"))
        self._check_limit(plan, "max_rewind", self.max_rewind, BACKWARD)
        self._check_limit(plan, "max_skip", self.max_skip, FORWARD)

    def _check_limit(self, plan, option: str, limit, direction: str) -> None:
        if limit is None:
            return
        beyond = [action for action in plan.changes if action.moved[0] == direction and (action.moved[1] is None or action.moved[1] > limit)]
        if beyond:
            raise DeclarationError(
                "%s is %d, but %s of %s would go further %s: %s. Declare offsets that are nearer to the live ones, or raise %s if that is "
                "meant." % (
                    option, limit, counted(beyond), plan.live.connector, direction,
                    _first(beyond, _how_far), option))

    def __str__(self) -> str:
        given = (("max_rewind", self.max_rewind), ("max_skip", self.max_skip), ("direction", self.direction))
        return " and ".join("%s: %s" % pair for pair in given if pair[1] is not None)


def _first(actions, say) -> str:
    shown = ["%s (%s)" % (canonical(action.partition), say(action)) for action in actions[:_SHOWN]]
    return ", ".join(shown) + (", ..." if len(actions) > _SHOWN else "")


def _how_far(action: Action) -> str:
    return "by a distance that is not known" if action.moved[1] is None else "by %d" % action.moved[1]


def _why_unknown(action: Action) -> str:
    if action.unreadable:
        return "what is live cannot be read"
    if action.verb == REMOVE:
        return "its offset would be removed"
    if action.before is None:
        return "it has no offset so far"
    if action.copies:
        return "its copies on the offsets topic disagree"
    if action.shape is not None and action.shape.has_position:
        return "its position says nothing of how far"
    return "not exactly one whole number differs"
