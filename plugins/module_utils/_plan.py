# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""desired + live -> plan. Pure: nothing here reads or writes anything."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import (
    OFFSET,
    PARTITION,
    SINK,
    SOURCE,
    TOPIC,
    Entry,
    Snapshot,
    canonical,
    check_map,
    describe,
    is_int,
    normalise,
    same,
    spells,
    untyped,
    whole,
)

SET = "set"
REMOVE = "remove"
KEEP = "keep"

FORWARD = "forward"
BACKWARD = "backward"
NONE = "none"
#: field of a declared pair
NEXT = "next_offset"
UNKNOWN = "unknown"

#: fields that people put beside partition and offset when they mean a sink, and what it is then
_FLAT = {"topic", TOPIC, PARTITION, OFFSET}
_SINKS = " Of a sink they are {partition: {%s: TOPIC, %s: NUMBER}, offset: {%s: NUMBER}}." % (TOPIC, PARTITION, OFFSET)


class Wish:
    """A declaration whose shape is sound. What it means depends on the connector's kind, known only later.

    keyed  canonical partition -> Entry; offset None asks for removal. None means "all of them" (state absent).
    purge  True: partitions that are not listed have to go.
    """

    def __init__(self, keyed, purge=False, exact=False, spared=()):
        self.keyed = keyed
        self.purge = purge
        #: the types are known to be meant
        self.exact = exact
        #: canonical partitions that purge leaves alone
        self.spared = spared
        #: Guards, or None: how far and in which direction a partition may move
        self.guards = None
        #: Origin of the document that declares it, or None: where the wish belongs
        self.origin = None
        #: records that have to be on the offsets topic again (see _ledger.Change), or None: the entries alone count
        self.records = None
        #: _reset.Reset, the wish in words as long as it has no numbers, or None
        self.reset = None
        #: canonical partition -> what the offset is, in words, where that is known
        self.notes = {}
        #: _copy.Copy, the wish in words as long as nobody has read what is to be copied, or None
        self.copy = None
        #: canonical partition -> the next record, where that was declared instead of an offset: MirrorMaker's alone
        self.following = {}

    @property
    def entries(self):
        """All entries as a list; None for "all of them"."""
        return None if self.keyed is None else list(self.keyed.values())

    @classmethod
    def present(cls, items, purge=False) -> Wish:
        """From the option ``offsets`` under state present: every entry must say its offset."""
        if not items:
            raise WishError(
                "The list offsets is empty, so nothing is declared and nothing was changed. To remove offsets use state: absent."
            )
        wish = cls(_entries(items, "offsets", needs_offset=True), purge)
        wish.following = {canonical(item["partition"]): whole(item[NEXT], NEXT) for item in items if NEXT in item}
        wish.notes = {key: "record %d" % following for key, following in wish.following.items()}
        return wish

    @classmethod
    def absent(cls, items, raw_keys=None) -> Wish:
        """From the options ``offsets`` and ``raw_keys`` under state absent; none of them resets the whole connector."""
        if items is None and raw_keys is None:
            return cls(None)
        if not items and not raw_keys:
            raise WishError(
                "The list offsets is empty, so nothing was changed. To reset the whole connector leave the options offsets and raw_keys out."
            )
        keyed = _entries(items or [], "offsets", needs_offset=False)
        keyed.update((canonical(text), Entry(text, None)) for text in raw_keys or [])
        return cls(keyed)

    @classmethod
    def document(cls, items, purge=False) -> Wish:
        """From a document: ``offset: null`` removes (KIP-199). An empty list means something only with purge."""
        if not items and not purge:
            raise WishError("The document lists no offsets for this connector, so nothing was changed.")
        return cls(_entries(items, "document", needs_offset=True, null_removes=True), purge)

    @classmethod
    def words(cls, reset) -> Wish:
        """From the option ``reset_to``: in_numbers() gives what it means at this moment."""
        wish = cls({})
        wish.reset = reset
        return wish

    @classmethod
    def copied(cls, copy) -> Wish:
        """From the option ``copy_from``: copy.read() gives what it means at this moment."""
        wish = cls({})
        wish.copy = copy
        return wish

    @property
    def in_words(self) -> bool:
        """Does it mean something else with every run?"""
        return self.reset is not None or self.copy is not None

    def in_numbers(self, keyed, notes, following=None) -> Wish:
        """This wish with what its words mean now."""
        wish = Wish(keyed)
        wish.guards, wish.origin, wish.notes, wish.following = self.guards, self.origin, notes, following or {}
        return wish

    @classmethod
    def begun(cls, change) -> Wish:
        """What a change (see _ledger) that did not end has meant, in numbers: words would mean something else by now."""
        entries = [Entry(pair["partition"], pair["offset"]) for pair in change.after]
        return cls({canonical(entry.partition): entry for entry in entries}, exact=True)

    @property
    def sets(self) -> bool:
        """Does it set an offset, or does it only remove some?"""
        return self.in_words or any(entry.offset is not None for entry in self.entries or [])

    @classmethod
    def nothing(cls) -> Wish:
        """Everything stays as it is."""
        return cls({}, exact=True)

    @classmethod
    def undo(cls, change) -> Wish:
        """Put back what a change (see _ledger) has replaced: no other partition, and on the offsets topic the very same bytes."""
        entries = [Entry(pair["partition"], pair["offset"]) for pair in change.before]
        wish = cls({canonical(entry.partition): entry for entry in entries}, exact=True)
        wish.records = change.records
        return wish

    @classmethod
    def exactly(cls, snapshot: Snapshot) -> Wish:
        """Put back what a snapshot holds, no more and no less."""
        return cls(snapshot.entries, purge=True, exact=True, spared=snapshot.unreadable)

    def check_origin(self, kind: str, kafka_cluster_id) -> None:
        """Raises WishError where the document was written of another kind of connector, or on another Kafka cluster."""
        if self.origin is not None:
            self.origin.check(kind, kafka_cluster_id)

    def check_guards(self, plan) -> None:
        """Raises WishError where the plan moves a partition further than allowed, or nobody knows how far.

        make_plan() does not call it: what one road shows can be unknown to it and known to another. Ask once the road is chosen.
        """
        if self.guards is not None:
            self.guards.check(plan)

    def for_kind(self, kind: str):
        """The entries by canonical partition, in the kind's one form. None for "all". Raises WishError."""
        if kind != SINK or self.keyed is None:
            return self.keyed
        found = {}
        for index, entry in enumerate(self.keyed.values()):
            entry = normalise(kind, entry, "offsets[%d]" % index)
            key = canonical(entry.partition)
            if key in found:
                raise WishError("Two entries are for the same partition %s; nothing was changed." % key)
            found[key] = entry
        return found


def _entries(items, source: str, needs_offset: bool, null_removes: bool = False) -> dict:
    if not isinstance(items, list):
        raise WishError("%s must be a list of {partition, offset}, it is %s." % (source, describe(items)))
    keyed = {}
    for index, item in enumerate(items):
        where = "%s[%d]" % (source, index)
        entry = _entry(item, where, needs_offset, null_removes)
        key = canonical(entry.partition)
        if key in keyed:
            raise WishError("%s is a second entry for the partition %s." % (where, key))
        keyed[key] = entry
    return keyed


def _entry(item, where: str, needs_offset: bool, null_removes: bool) -> Entry:
    if not isinstance(item, dict):
        raise WishError("%s must be a dictionary with partition and offset, it is %s." % (where, describe(item)))
    if NEXT in item and needs_offset and not null_removes:
        return _next_entry(item, where)
    unknown = sorted(set(item) - {"partition", "offset"})
    if unknown:
        raise WishError("%s has the unknown field%s %s; known are partition and offset.%s"
                        % (where, "s" if len(unknown) > 1 else "", ", ".join(unknown), _SINKS if _FLAT & set(unknown) else ""))
    if "partition" not in item:
        raise WishError("%s has no partition." % where)
    partition = check_map(item["partition"], where + ".partition")
    if not needs_offset:
        return Entry(partition, None)
    if "offset" not in item:
        # Connect itself takes a missing offset for "remove this partition" and answers 200.
        raise WishError("%s has no offset. To remove a partition's offset use state: absent." % where)
    if item["offset"] is None:
        if null_removes:
            return Entry(partition, None)
        raise WishError("%s.offset is null. To remove a partition's offset use state: absent." % where)
    return Entry(partition, check_map(item["offset"], where + ".offset"))


def _next_entry(item, where: str) -> Entry:
    """MirrorMaker stores the last record that it has copied; nothing is stored before the first (MirrorSourceTask#initializeConsumer)."""
    if set(item) != {"partition", NEXT}:
        raise WishError("%s must have partition and either offset or %s, it has %s." % (where, NEXT, ", ".join(sorted(item))))
    following = whole(item[NEXT], "%s.%s" % (where, NEXT))
    return Entry(check_map(item["partition"], where + ".partition"), {"offset": following - 1} if following else None)


class Action:
    """What has to happen to one partition: set, remove or keep."""

    def __init__(self, verb: str, partition: dict, before, after, unreadable: bool = False, copies=()):
        self.verb = verb
        self.partition = partition
        self.before = before
        self.after = after
        #: the worker lists the partition but shows no value for it
        self.unreadable = unreadable
        #: further offsets that it has besides ``before``, in copies that disagree
        self.copies = copies

    @property
    def moved(self):
        """(direction, distance), see movement(); not known of what cannot be read, nor of copies that disagree."""
        if self.verb != KEEP and (self.unreadable or self.copies):
            return UNKNOWN, None
        return movement(self.before, self.after)

    def kept(self) -> Action:
        """The same partition, left alone."""
        return Action(KEEP, self.partition, self.before, self.before)

    def done(self) -> Action:
        """The same, carried out even if the offset stays what it is."""
        verb = self.verb if self.verb != KEEP else REMOVE if self.after is None else SET
        return Action(verb, self.partition, self.before, self.after, self.unreadable, self.copies)

    def result(self) -> dict:
        direction, distance = self.moved
        return {"partition": self.partition, "action": self.verb, "from": self.before, "to": self.after,
                "direction": direction, "distance": distance}


class Plan:
    """Every partition that is live or declared, with its action."""

    def __init__(self, live: Snapshot, actions: dict, resets_all: bool, warnings=(), records=None, wish=None):
        self.live = live
        #: what it was made for, in numbers
        self.wish = wish
        #: what has to be on the offsets topic, byte for byte, instead of what the actions would write there; None: nothing like that
        self.records = records
        self.warnings = list(warnings)
        self._ordered = [actions[key] for key in sorted(actions)]
        #: what has to be done, in the order of the canonical partition
        self.changes = [action for action in self._ordered if action.verb != KEEP]
        #: the wish was to remove everything, which a road may do in one call
        self.resets_all = resets_all

    @property
    def actions(self) -> list:
        """Changes first, then what stays; each part in the order of the canonical partition."""
        return self.changes + [action for action in self._ordered if action.verb == KEEP]

    @property
    def changed(self) -> bool:
        return bool(self.changes)

    @property
    def counts(self) -> dict:
        verbs = [action.verb for action in self._ordered]
        return {verb: verbs.count(verb) for verb in (SET, REMOVE, KEEP)}

    def sides(self) -> tuple:
        """(before, after) of the changes, as lists of pairs {partition, offset}; offset None where there is none."""
        return tuple([{"partition": action.partition, "offset": offset(action)} for action in self.changes]
                     for offset in (lambda action: action.before, lambda action: action.after))

    def after(self) -> list:
        """The entries that will be live once the plan is carried out."""
        return [Entry(action.partition, action.after) for action in self._ordered if action.after is not None]


def make_plan(live: Snapshot, wish: Wish, check_types: bool = True) -> Plan:
    """Compare the wish with what is live.

    A partition that its guards find beyond the wish already is kept as it is. Raises WishError where a type was most likely
    lost on the way, unless ``check_types`` is off: for a wish that was checked already.
    """
    wanted = wish.for_kind(live.kind)
    actions = {key: _action_for(key, entry, live) for key, entry in (wanted or {}).items()}
    warnings = []
    if check_types and not wish.exact and live.kind == SOURCE:
        new = any(action.verb == SET and action.before is None for action in actions.values())
        elsewhere = _field_samples(live) if new else {}
        for action in actions.values():
            _check_offset_types(action, elsewhere)
        warnings = _check_partition_types(wanted or {}, live) + _new_partitions(actions, live)
    if wish.guards is not None:
        actions = {key: wish.guards.settled(action) for key, action in actions.items()}
    everything_else_goes = wanted is None or wish.purge
    for key, entry in live.entries.items():
        if key not in actions:
            verb, after = (REMOVE, None) if everything_else_goes else (KEEP, entry.offset)
            actions[key] = Action(verb, entry.partition, entry.offset, after,
                                  copies=live.uneven.get(key, ()) if verb == REMOVE else ())
    for key, entry in live.unreadable.items():
        if key not in actions and everything_else_goes and key not in wish.spared:
            actions[key] = Action(REMOVE, entry.partition, None, None, unreadable=True)
    if wish.records is not None and live.holds is not None:
        as_it_was = live.holds(wish.records)
        actions.update((key, actions[key].kept() if as_it_was else actions[key].done()) for key in wanted)
    return Plan(live, actions, wanted is None, warnings, wish.records, wish)


def _action_for(key: str, entry: Entry, live: Snapshot) -> Action:
    unreadable = key in live.unreadable
    before = live.entries[key].offset if key in live.entries else None
    copies = live.uneven.get(key, ())
    if entry.offset is None:
        verb = REMOVE if before is not None or unreadable else KEEP
    elif before is not None and same(before, entry.offset) and not copies:
        verb = KEEP
    else:
        verb = SET
    return Action(verb, entry.partition, before, entry.offset, unreadable, copies)


def _field_samples(live: Snapshot) -> dict:
    """Each field of any live offset with the value of the first partition that has it."""
    samples = {}
    for entry in live.entries.values():
        for name, value in entry.offset.items():
            samples.setdefault(name, value)
    return samples


def _check_offset_types(action: Action, elsewhere: dict) -> None:
    """Text of digits for a live integer, or the reverse, is a lost type, not a wish.

    A partition without an offset is compared with the fields of other partitions (``elsewhere``).
    """
    if action.before is not None:
        known, where = action.before, "its live value"
    else:
        known, where = elsewhere, "in another partition of this connector it"
    for name, value in (action.after or {}).items():
        if name in known and _swapped(value, known[name]):
            raise WishError(
                "The offset of partition %s: the field %s is declared as %s, but %s is %s. Both are legal, and "
                "they are different values, so nothing was changed. %s"
                % (canonical(action.partition), name, describe(value), where, describe(known[name]), _TYPE_HINT)
            )


_TYPE_HINT = (
    "A template such as \"{{ pos + 1 }}\" gives text on ansible-core 2.18 and older: pass the whole list as one variable "
    "(offsets: \"{{ my_offsets }}\"), or JSON text in the option content. If the type itself has to change, remove the "
    "partition first (state: absent), then set it."
)


def _swapped(one, other) -> bool:
    return spells(one, other) or spells(other, one)


def _check_partition_types(wanted: dict, live: Snapshot) -> list:
    """A partition that is live under other types would become a new, silent, never read partition.

    Setting it raises WishError; for a removal that has nothing to remove, the warnings are returned.
    """
    new = [key for key, entry in wanted.items()
           if key not in live.entries and key not in live.unreadable and isinstance(entry.partition, dict)]
    if not new:
        return []
    known = {untyped(entry.partition): key for found in (live.entries, live.unreadable) for key, entry in found.items()
             if isinstance(entry.partition, dict)}
    warnings = []
    for key in new:
        meant = known.get(untyped(wanted[key].partition))
        if meant is None or meant in wanted:
            continue
        if wanted[key].offset is not None:
            raise WishError(
                "The partition %s is not live, but %s is: the same text with other types, which Connect takes for another "
                "partition. Declare it with the live types; nothing was changed. %s" % (key, meant, _TYPE_HINT)
            )
        warnings.append("The partition %s has no offset to remove, but %s, the same text with other types, has one." % (key, meant))
    return warnings


def _new_partitions(actions: dict, live: Snapshot) -> list:
    """A connector that has partitions never reads one whose name was mistyped."""
    new = [key for key, action in actions.items() if action.verb == SET and action.before is None and not action.unreadable]
    if not new or not live.entries:
        return []
    return ["%s has no offset so far for %s, only for %d other%s such as %s: is it spelled as the connector spells it?"
            % (live.connector, ", ".join(sorted(new)[:3]) + (", ..." if len(new) > 3 else ""), len(live.entries),
               "" if len(live.entries) == 1 else "s", min(live.entries))]


def movement(before, after):
    """(direction, distance) of one partition: known only when exactly one whole number differs.

    Returns ("none", 0), ("forward", n), ("backward", n) with n > 0, or ("unknown", None).
    """
    if before is None or after is None or set(before) != set(after):
        return (NONE, 0) if before is None and after is None else (UNKNOWN, None)
    moved = [name for name in before if canonical(before[name]) != canonical(after[name])]
    if not moved:
        return NONE, 0
    old, new = before[moved[0]], after[moved[0]]
    if len(moved) > 1 or not is_int(old) or not is_int(new):
        return UNKNOWN, None
    return (FORWARD, new - old) if new > old else (BACKWARD, old - new)
