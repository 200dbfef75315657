# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the ledger remembers of a declared change, and what that means for a run. Pure; a ledger itself: _ledger.base."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections import namedtuple
from datetime import datetime, timezone

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError, DeclarationError, StateError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

FORMAT = "streamops.kafka_connect/change"
VERSION = 1

STARTED = "started"
APPLIED = "applied"
RESTORED = "restored"
PHASES = (STARTED, APPLIED, RESTORED)

#: how many finished changes of a connector are kept that were given no change_id
KEPT = 20

_AUTOMATIC = re.compile(r"auto-\d{8}T\d{6}Z-[0-9a-f]{4}").fullmatch

#: digest     of the declaration (see digest())
#: phase      started, applied or restored
#: revision   counts the writes of this change, from 1
#: run        the run that wrote it last, a text that no other run has
#: times      phase -> RFC 3339 in UTC, with milliseconds; "written": of this writing
#: who        facts about the user and the job, all text
#: method       rest, topic, ...
#: cluster    what tells the Kafka Connect cluster apart, no credentials
#: kind       source or sink
#: state_to_restore  the state that the connector has to be put back to, None if it is not for this change to do
#: before     pairs {partition, offset} of what the change touches, offset None where there was none; None: no offset was written yet
#: after      the same pairs with the declared offsets, None where it is removed; None like before
#: records    by the offsets topic: [topic, topic partition, key, value or None] of every record that the change replaces, key and value
#:            as text (see _stores/topic.raw_text); else None
#: sequence   the connector's changes are counted from 1 in the order in which they began, whatever clocks say; 0: of an earlier release
#: busy       whether that run is still at work, as far as it could say
Change = namedtuple("Change", ["connector", "change_id", "digest", "phase", "revision", "run", "times", "who", "method", "offset_topic",
                               "cluster", "kind", "state_to_restore", "before", "after", "records", "busy", "sequence"], defaults=[False, 0])


#: what fields were called in records of earlier releases
_RENAMED = {"road": "method", "state_due": "state_to_restore"}

_SHAPES = {"connector": str, "change_id": str, "digest": str, "phase": str, "revision": int, "run": str, "times": dict, "who": dict,
           "method": (str, type(None)), "offset_topic": (str, type(None)), "cluster": dict, "kind": (str, type(None)), "state_to_restore": (str, type(None)),
           "before": (list, type(None)), "after": (list, type(None)), "records": (list, type(None)), "busy": bool, "sequence": int}


class ConcurrentUpdate(ConnectError):
    """Another run has written the same change meanwhile. ``change``: as it is now."""

    def __init__(self, change):
        super().__init__("Another run works on the change %s of %s." % (change.change_id, change.connector))
        self.change = change


class Unreadable(ConnectError):
    """What the ledger holds of this very change cannot be understood."""


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def digest(desired, kind: str) -> str:
    """Equal for equal declarations, however they are written down: the order of the list or of fields, text or list.

    A symbolic position is what was declared: its numbers are others with every run.
    """
    if desired.is_symbolic:
        return _hash((desired.reset or desired.copy).declared())
    keyed = desired.for_kind(kind)
    entries = None if keyed is None else [[key, None if keyed[key].offset is None else canonical(keyed[key].offset)] for key in sorted(keyed)]
    return _hash({"entries": entries, "purge": desired.purge})


def _hash(declared: dict) -> str:
    text = json.dumps(declared, sort_keys=True)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def check_id(change_id: str) -> str:
    """A change id is one line of text that people can type. Raises DeclarationError."""
    if not change_id.strip() or change_id != change_id.strip() or not change_id.isprintable() or len(change_id) > 200:
        raise DeclarationError("change_id must be text on one line, at most 200 characters, without blanks around it.")
    return change_id


def encode(change: Change) -> str:
    """The change as JSON text."""
    return json.dumps(dict({"format": FORMAT, "version": VERSION}, **change._asdict()), ensure_ascii=False, allow_nan=False)


def decode(document, where: str) -> Change:
    """JSON text, or what came out of it -> Change. Raises Unreadable."""
    try:
        found = json_value(document) if isinstance(document, (str, bytes)) else document
    except ValueError as error:
        raise Unreadable("%s holds what is not JSON: %s." % (where, error))
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise Unreadable("%s holds something else than a change of this collection." % where)
    if found.get("version") != VERSION:
        raise Unreadable("%s holds a change in version %s; this collection reads version %d: take a newer one."
                         % (where, canonical(found.get("version")), VERSION))
    found = {_RENAMED.get(name, name): value for name, value in found.items()}
    found.setdefault("sequence", 0)
    wrong = [name for name in Change._fields if name not in found or not isinstance(found[name], _SHAPES.get(name, object))]
    wrong = wrong or [name for name, usable in _USABLE if not usable(found)]
    if wrong:
        raise Unreadable("%s holds a change that lacks %s." % (where, ", ".join("a usable " + name for name in wrong)))
    return Change(**{name: found[name] for name in Change._fields})


def _has_times(found) -> bool:
    times = found["times"]
    return STARTED in times and found["phase"] in times and all(isinstance(time, str) for time in times.values())


def _is_pair(pair) -> bool:
    """The partition of a record that cannot be read is its key, as text."""
    return (isinstance(pair, dict) and isinstance(pair.get("partition"), (dict, str)) and "offset" in pair
            and isinstance(pair["offset"], (dict, type(None))))


def _is_raw(one) -> bool:
    return (isinstance(one, list) and len(one) == 4 and isinstance(one[0], str) and isinstance(one[1], int) and _is_text(one[2])
            and (one[3] is None or _is_text(one[3])))


def _is_text(value) -> bool:
    try:
        return isinstance(value, str) and value.encode("utf-8") is not None
    except UnicodeEncodeError:
        return False


#: what the types of the fields do not tell
_USABLE = (
    ("phase", lambda found: found["phase"] in PHASES),
    ("times", _has_times),
    ("before", lambda found: all(map(_is_pair, found["before"] or []))),
    ("after", lambda found: all(map(_is_pair, found["after"] or []))),
    ("records", lambda found: all(map(_is_raw, found["records"] or []))),
)


def same(one, other) -> bool:
    """The very same writing of a change, or none both times."""
    return one is other or one is not None and other is not None and (one.revision, one.run) == (other.revision, other.run)


def check_known(actual, change, known, place: str) -> None:
    """May the change be written: does the ledger still hold ``known`` of it? Raises ConcurrentUpdate; StateError where somebody has removed it.

    place: where it is kept, as "in the file X".
    """
    if same(actual, known):
        return
    if actual is None:
        raise StateError("The change %s of %s is not %s any more: somebody has removed it. Nothing was written."
                         % (change.change_id, change.connector, place))
    raise ConcurrentUpdate(actual)


def age(change: Change) -> tuple:
    """Sorts changes, oldest first."""
    return change.times[STARTED], change.change_id


def next_sequence(changes: list) -> int:
    """For a change of a connector that begins. changes: all of this connector that the ledger knows."""
    return 1 + max((one.sequence for one in changes), default=0)


def make_id() -> str:
    """For a change that was given none."""
    return datetime.now(timezone.utc).strftime("auto-%Y%m%dT%H%M%SZ-") + uuid.uuid4().hex[:4]


def is_automatic(change_id: str) -> bool:
    """Was it made by make_id()?"""
    return bool(_AUTOMATIC(change_id))


def is_unfinished(change: Change) -> bool:
    """The run that wrote it last is at work, or did not come to its end, or could not restore the connector's state."""
    return change.busy or change.state_to_restore is not None


def expired(changes: list, but: str) -> list:
    """Those that are forgotten when another change of the connector begins. but: its id.

    Of the finished changes whose id was made the newest KEPT stay.
    """
    automatic = [one for one in changes if is_automatic(one.change_id) and not is_unfinished(one) and one.change_id != but]
    return sorted(automatic, key=lambda one: (one.sequence, age(one)))[:-KEPT]


def later(changes: list, change: Change) -> list:
    """Those of the same connector that changed something after this one began, and were not undone since.

    Two that began at the same moment count as later than each other.
    """
    return [one for one in changes if one.connector == change.connector and one.change_id != change.change_id
            and one.phase != RESTORED and one.before and _is_later(one, change)]


def _is_later(one: Change, change: Change) -> bool:
    """By the sequence; a clock that is wrong can only add one that began before, but may have been made after."""
    if one.sequence != change.sequence or not one.sequence:  # 0, of an earlier release, is older than any other
        return one.sequence > change.sequence or (one.times.get(APPLIED) or one.times[STARTED]) > (change.times.get(APPLIED) or change.times[STARTED])
    return True


def result(change: Change, max_entries: int = 0) -> dict:
    """A change as modules return it: without the raw records, lists cut."""
    shown = change._asdict()
    del shown["records"], shown["run"], shown["revision"], shown["busy"], shown["sequence"]
    shown["type"] = shown.pop("kind")
    shown["automatic"] = is_automatic(change.change_id)
    shown["partitions"] = len(change.after or [])
    if max_entries and change.after:
        shown["before"], shown["after"] = change.before[:max_entries], change.after[:max_entries]
    return shown
