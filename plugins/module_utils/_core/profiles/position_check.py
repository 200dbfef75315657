# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Did a connector that runs again go on from the offsets that were declared for it? Decided by what it commits first. Pure."""

from __future__ import annotations

from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import shown_in_message
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import OFFSET, SINK, canonical, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import SET, Action
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.position import BACKWARD, FORWARD, NONE, UNKNOWN

#: taken         the first commit lies behind the declared offset
#: ignored       it does not, or the connector commits under other partitions alone
#: own_position  it goes on from another place, which is its own: the second store that its profile names, or its old offset
#: stuck         there is something to read, and nothing is committed
#: cannot_tell   nothing was committed, and that may be right; or nothing tells whether the first commit lies behind the declared offset
TAKEN, IGNORED, OWN_POSITION, STUCK, CANNOT_TELL = VERDICTS = ["taken", "ignored", "own_position", "stuck", "cannot_tell"]

#: of which there is something to do, the worst first
BAD = (IGNORED, OWN_POSITION, STUCK)

#: in place of an offset: none was committed so far; the offset that was set is gone
NOTHING, GONE = "nothing", "gone"

#: Of one partition that a change has set or removed.
#:
#: action   of the plan (_core.plan.Action)
#: first    the first offset other than the declared one that was seen since the connector runs again; NOTHING or GONE
#: end      of a sink, where the log ends (the next record to come); None: not known
Seen = namedtuple("Seen", ["action", "first", "end"])

#: Of one connector.
#:
#: verdict   one of VERDICTS
#: seen      the Seen that it rests on
#: appeared  partitions that were neither there before nor declared
Judgement = namedtuple("Judgement", ["verdict", "seen", "appeared"])

_SHOWN = 3


def judge(seen: list, appeared: list, kind: str, store: str, is_over: bool):
    """The Judgement; None: look again. seen: a Seen for each changed partition. kind: source or sink. is_over: there will be no further look.

    store: where its profile says that the connector goes on from, whatever its offset is; empty where there is no such place.
    """
    appeared = [] if kind == SINK else appeared  # a sink commits for every partition that it reads
    verdicts = [(_verdict(one, kind, store), one) for one in seen]
    found = [verdict for verdict, _one in verdicts]
    certain = {verdict for verdict, one in verdicts if one.first != NOTHING}
    if not is_over and not certain & {IGNORED, OWN_POSITION} and not _is_enough(verdicts, kind):
        return None
    if appeared and not certain and any(_is_due(one, kind) or _has_other_fields(one, appeared) for one in seen):
        return Judgement(IGNORED, seen, appeared)
    verdict = next((word for word in (*BAD, TAKEN) if word in found), CANNOT_TELL)
    return Judgement(verdict, [one for word, one in verdicts if word == verdict], appeared)


def _is_enough(verdicts, kind) -> bool:
    """One partition has moved, and so have all that certainly have something to read."""
    return any(one.first != NOTHING for _verdict, one in verdicts) and all(one.first != NOTHING or not _is_due(one, kind) for _verdict, one in verdicts)


def _verdict(seen, kind, store) -> str:
    action, first = seen.action, seen.first
    if first == NOTHING:
        return CANNOT_TELL if not _is_due(seen, kind) else OWN_POSITION if store else STUCK
    if first == GONE:
        return IGNORED
    is_old = action.before is not None and _direction(action, action.before, first) in (FORWARD, NONE)
    if action.after is None:
        return OWN_POSITION if kind == SINK and store and is_old else TAKEN
    direction = _direction(action, action.after, first)
    if direction == BACKWARD:
        return OWN_POSITION if kind == SINK and is_old else IGNORED
    if direction == UNKNOWN:
        return CANNOT_TELL
    if not is_old or action.moved[0] != BACKWARD:
        return TAKEN
    # Either all in between was read before the first commit, or nothing of it.
    stays = kind == SINK and first == action.before and seen.end is not None and seen.end > first[OFFSET]
    return OWN_POSITION if store or stays else TAKEN


def _is_due(seen, kind) -> bool:
    """Is there certainly something for it to read?"""
    action = seen.action
    if kind == SINK and seen.end is not None and action.after is not None:
        distance = seen.end - action.after[OFFSET]
        return distance > 1 or distance == 1 and action.moved[0] == BACKWARD  # at the end of a transactional topic one marker is left for good
    return action.moved[0] == BACKWARD


def _direction(action, before, after) -> str:
    if action.shape is not None and action.shape.stays(before, after):
        return NONE
    return Action(SET, action.partition, before, after, shape=action.shape).moved[0]


def _has_other_fields(seen, appeared) -> bool:
    """A new file or table has the fields of the others."""
    return isinstance(seen.action.partition, dict) and all(
        not isinstance(partition, dict) or partition.keys() != seen.action.partition.keys() for partition in appeared)


def moves_on(action, offset) -> bool:
    """Is this another position than the declared one? Fields beside it can change without that. offset: as read since it runs again."""
    return action.after is None or _direction(action, action.after, offset) != NONE


# ---- for people --------------------------------------------------------------------------------------------------------

_HINTS = ("connector_offsets_info shows what is known of this connector, and the guide on what connectors store says where it begins. "
          "Nothing was rolled back.")


def sentence(name: str, found: Judgement, store: str, seconds: float) -> str:
    """What happened, and what to do. Of a bad verdict. name: of the connector. store: as of judge(). seconds: for how long it was watched."""
    one = found.seen[0]
    where = "%s of %s" % (counted(found.seen), name)
    first = "first %s" % _told(one.action.partition)
    if found.verdict == STUCK:
        return ("%s runs, but it has not committed anything for %s in %d s, %s, which is still at %s, though there is something to read. It may be "
                "blocked or slow, commit less often than that (offset.flush.interval.ms of the workers), or have a position of its own. Look at its "
                "log and at what it delivers. Nothing was rolled back." % (name, counted(found.seen), round(seconds), first, _offset(one.action.after)))
    if found.verdict == OWN_POSITION:
        own = "it goes on from there whatever its offset is: %s" % store if store else "it seems to have a position of its own, and to go on from there"
        moved = "has not moved from the declared %s" % _offset(one.action.after) if one.first == NOTHING else (
            "went to %s with its first commit, not before %s, where it was" % (_offset(one.first), _offset(one.action.before)))
        return ("%s runs, but not from the declared offsets: %s, %s, %s. %s. Change that position as well, by the connector's own means, or have "
                "verify_replay show that the records were delivered again. Nothing was rolled back." % (
                    name, where, first, moved, own[0].upper() + own[1:]))
    if found.appeared and one.first == NOTHING:
        return ("%s runs, but it commits under partitions that were not declared, first %s, and nothing under those that were, %s. It looks for its "
                "offset under another partition. %s" % (name, _told(found.appeared[0]), first, _HINTS))
    if one.first == GONE:
        return ("%s runs, and has removed the declared offset of %s, %s: it does not keep its position in Connect, and a declared one has no effect. %s" % (
            name, where, first, _HINTS))
    return ("%s runs, but not from the declared offset of %s, %s: %s was declared, and its first commit, %s, does not come after that. It goes on from "
            "a setting, from another partition, or from a position of its own. %s" % (
                name, where, first, _offset(one.action.after), _offset(one.first), _HINTS))


def result(found: Judgement, seconds: float, max_entries: int) -> dict:
    """For the module's result."""
    shown = found.seen[:max_entries] if max_entries else found.seen
    return {
        "verdict": found.verdict, "seconds": round(seconds, 1), "partitions_count": len(found.seen), "appeared": found.appeared[:max_entries or None],
        "partitions": [{"partition": one.action.partition, "declared": one.action.after, "before": one.action.before,
                        "committed": None if one.first in (NOTHING, GONE) else one.first} for one in shown],
    }


def _told(partition) -> str:
    return shown_in_message(canonical(partition))


def _offset(offset) -> str:
    return "no offset" if offset is None else shown_in_message(canonical(offset))
