# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""desired + live -> plan. Pure: nothing here reads or writes anything."""

from __future__ import annotations

from functools import cached_property

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, OffsetsError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.lost_fields import check_fields, check_offset_types, check_partition_types
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import (
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
    whole,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plugin_version import differs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles import checks
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.position import BACKWARD, FORWARD, NONE, UNKNOWN
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.related import staying

SET = "set"
REMOVE = "remove"
KEEP = "keep"

#: field of a declared pair
NEXT = "next_offset"

#: the canonical text of a partition without fields
_EMPTY = canonical({})

#: fields that people put beside partition and offset when they mean a sink, and what it is then
_FLAT = {"topic", TOPIC, PARTITION, OFFSET}
_SINKS = " Of a sink they are {partition: {%s: TOPIC, %s: NUMBER}, offset: {%s: NUMBER}}." % (TOPIC, PARTITION, OFFSET)


class DesiredOffsets:
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
        #: Origin of the document that declares it, or None: where the declaration belongs
        self.origin = None
        #: records that have to be on the offsets topic again (see _ledger.record.Change), or None: the entries alone count
        self.records = None
        #: _core.reset_spec.Reset, the symbolic position as long as it has no numbers, or None
        self.reset = None
        #: canonical partition -> what the offset is, in words, where that is known
        self.notes = {}
        #: _change.copy_offsets.Copy, the symbolic position as long as nobody has read what is to be copied, or None
        self.copy = None
        #: a document declares it, with what other tools or connectors have left
        self.is_document = False
        #: types and fields that seem to be lost are meant
        self.force = False
        #: it is an export or a backup, whose maps are as this connector wrote them
        self.is_own = False
        #: class and version of the connector that the document was written of (see _core.plugin_version), or None
        self.plugin = None
        #: the fields of its partitions stand in the order in which the connector writes them
        self.ordered = False
        #: its numbers are those that the log had a moment ago
        self.is_resolved = False
        #: canonical partition -> the next record, where that was declared instead of an offset: MirrorMaker's alone
        self.following = {}

    @property
    def entries(self):
        """All entries as a list; None for "all of them"."""
        return None if self.keyed is None else list(self.keyed.values())

    @cached_property
    def is_of_a_sink(self) -> bool:
        """Does an entry have the fields of a sink's partition, whose offsets are no records on an offsets topic?"""
        return any(len(entry.partition) == 2 and set(entry.partition) == {TOPIC, PARTITION}
                   for entry in self.entries or [] if isinstance(entry.partition, dict))

    @classmethod
    def present(cls, items, purge=False) -> DesiredOffsets:
        """From the option ``offsets`` under state present: every entry must say its offset."""
        if not items:
            raise OffsetsError("The list offsets is empty, so nothing is declared. To remove offsets use state: absent.")
        desired = cls(_entries(items, "offsets", needs_offset=True), purge)
        desired.following = {canonical(item["partition"]): whole(item[NEXT], NEXT) for item in items if NEXT in item}
        desired.notes = {key: "record %d" % following for key, following in desired.following.items()}
        return desired

    @classmethod
    def absent(cls, items, raw_keys=None) -> DesiredOffsets:
        """From the options ``offsets`` and ``raw_keys`` under state absent; none of them resets the whole connector."""
        if items is None and raw_keys is None:
            return cls(None)
        if not items and not raw_keys:
            raise DeclarationError("The list offsets is empty. To reset the whole connector leave the options offsets and raw_keys out.")
        keyed = _entries(items or [], "offsets", needs_offset=False)
        keyed.update((canonical(text), Entry(text, None)) for text in raw_keys or [])
        return cls(keyed)

    @classmethod
    def document(cls, items, purge=False) -> DesiredOffsets:
        """From a document: ``offset: null`` removes (KIP-199). An empty list means something only with purge."""
        if not items and not purge:
            raise DeclarationError("The document lists no offsets for this connector.")
        desired = cls(_entries(items, "document", needs_offset=True, null_removes=True), purge)
        desired.is_document = True
        return desired

    @classmethod
    def words(cls, reset) -> DesiredOffsets:
        """From the option ``reset_to``: in_numbers() gives what it means at this moment."""
        desired = cls({})
        desired.reset = reset
        return desired

    @classmethod
    def copied(cls, copy) -> DesiredOffsets:
        """From the option ``copy_from``: copy.read() gives what it means at this moment."""
        desired = cls({})
        desired.copy = copy
        return desired

    @property
    def is_symbolic(self) -> bool:
        """Does it mean something else with every run?"""
        return self.reset is not None or self.copy is not None

    def in_numbers(self, keyed, notes, following=None) -> DesiredOffsets:
        """This declaration with what its words mean now."""
        desired = DesiredOffsets(keyed)
        desired.guards, desired.origin, desired.notes, desired.following = self.guards, self.origin, notes, following or {}
        desired.force, desired.is_resolved = self.force, True
        return desired

    @classmethod
    def begun(cls, change) -> DesiredOffsets:
        """What a change (see _ledger.record) that did not end has meant, in numbers: words would mean something else by now."""
        entries = [Entry(pair["partition"], pair["offset"]) for pair in change.after or []]
        return cls({canonical(entry.partition): entry for entry in entries}, exact=True)

    @property
    def sets(self) -> bool:
        """Does it set an offset, or does it only remove some?"""
        return self.is_symbolic or any(entry.offset is not None for entry in self.entries or [])

    @classmethod
    def nothing(cls) -> DesiredOffsets:
        """Everything stays as it is."""
        return cls({}, exact=True)

    @classmethod
    def undo(cls, change) -> DesiredOffsets:
        """Put back what a change (see _ledger.record) has replaced: no other partition, and on the offsets topic the very same bytes."""
        entries = [Entry(pair["partition"], pair["offset"]) for pair in change.before]
        desired = cls({canonical(entry.partition): entry for entry in entries}, exact=True)
        desired.records = change.records
        return desired

    @classmethod
    def exactly(cls, snapshot: Snapshot) -> DesiredOffsets:
        """Put back what a snapshot holds, no more and no less."""
        return cls(snapshot.entries, purge=True, exact=True, spared=snapshot.unreadable)

    def compare_plugin(self, here) -> list:
        """Warnings where the document was written of another class or version (see _core.plugin_version) than ``here``.

        Its maps are not taken at their word then.
        """
        difference = differs(self.plugin, here)
        if not difference:
            return []
        self.is_own = False
        return ["The document is from another class or version of the connector: %s. That one can have other partitions and fields, which this connector "
                "never finds: compare them with those that it writes now." % difference]

    def check_origin(self, kind: str, kafka_cluster_id) -> None:
        """Raises DeclarationError where the document was written of another kind of connector, or on another Kafka cluster."""
        if self.origin is not None:
            self.origin.check(kind, kafka_cluster_id)

    def check_guards(self, plan) -> None:
        """Raises DeclarationError where the plan moves a partition further than allowed, or nobody knows how far.

        make_plan() does not call it: what one method shows can be unknown to it and known to another. Ask once the method is chosen.
        """
        if self.guards is not None:
            self.guards.check(plan)

    def for_kind(self, kind: str):
        """The entries by canonical partition, in the kind's one form. None for "all". Raises DeclarationError."""
        if kind != SINK or self.keyed is None:
            return self.keyed
        found = {}
        for index, entry in enumerate(self.keyed.values()):
            entry = normalise(kind, entry, "offsets[%d]" % index)
            key = canonical(entry.partition)
            if key in found:
                raise DeclarationError("Two entries are for the same partition %s." % key)
            found[key] = entry
        return found


def _entries(items, source: str, needs_offset: bool, null_removes: bool = False) -> dict:
    if not isinstance(items, list):
        raise DeclarationError("%s must be a list of {partition, offset}, it is %s." % (source, describe(items)))
    keyed = {}
    for index, item in enumerate(items):
        where = "%s[%d]" % (source, index)
        entry = _entry(item, where, needs_offset, null_removes)
        key = canonical(entry.partition)
        if key in keyed:
            raise DeclarationError("%s is a second entry for the partition %s." % (where, key))
        keyed[key] = entry
    return keyed


def _entry(item, where: str, needs_offset: bool, null_removes: bool) -> Entry:
    if not isinstance(item, dict):
        raise DeclarationError("%s must be a dictionary with partition and offset, it is %s." % (where, describe(item)))
    if NEXT in item and needs_offset and not null_removes:
        return _next_entry(item, where)
    unknown = sorted(set(item) - {"partition", "offset"})
    if unknown:
        raise DeclarationError("%s has the unknown field%s %s; known are partition and offset.%s"
                               % (where, "s" if len(unknown) > 1 else "", ", ".join(unknown), _SINKS if _FLAT & set(unknown) else ""))
    if "partition" not in item:
        raise DeclarationError("%s has no partition." % where)
    partition = check_map(item["partition"], where + ".partition", may_be_empty=True)  # whether it is there is known later
    if not needs_offset:
        return Entry(partition, None)
    if "offset" not in item:
        # Connect itself takes a missing offset for "remove this partition" and answers 200.
        raise DeclarationError("%s has no offset. To remove a partition's offset use state: absent." % where)
    if item["offset"] is None:
        if null_removes:
            return Entry(partition, None)
        raise DeclarationError("%s.offset is null. To remove a partition's offset use state: absent." % where)
    return Entry(partition, check_map(item["offset"], where + ".offset"))


def _next_entry(item, where: str) -> Entry:
    """MirrorMaker stores the last record that it has copied; nothing is stored before the first (MirrorSourceTask#initializeConsumer)."""
    if set(item) != {"partition", NEXT}:
        raise DeclarationError("%s must have partition and either offset or %s, it has %s." % (where, NEXT, ", ".join(sorted(item))))
    following = whole(item[NEXT], "%s.%s" % (where, NEXT))
    return Entry(check_map(item["partition"], where + ".partition"), {"offset": following - 1} if following else None)


class Action:
    """What has to happen to one partition: set, remove or keep."""

    def __init__(self, verb: str, partition: dict, before, after, unreadable: bool = False, copies=(), shape=None, key=None):
        """key: canonical(partition), where that is known already."""
        self.verb = verb
        self.partition = partition
        self.before = before
        self.after = after
        #: the worker lists the partition but shows no value for it
        self.unreadable = unreadable
        #: further offsets that it has besides ``before``, in copies that disagree
        self.copies = copies
        #: what the connector stores in this form (_core.profiles.catalog.Shape), None where that is not known
        self.shape = shape
        if key is not None:
            self.key = key

    @cached_property
    def key(self) -> str:
        return canonical(self.partition)

    @cached_property
    def moved(self):
        """(direction, distance), by the connector's own rules where they are known, else see movement(); not known of what cannot be read, nor of copies
        that disagree. The distance can be None where the direction is known.
        """
        if self.verb != KEEP and (self.unreadable or self.copies):
            return UNKNOWN, None
        if self.verb != SET or self.before is None or self.shape is None or not self.shape.has_position:
            return movement(self.before, self.after)
        return (NONE, 0) if canonical(self.before) == canonical(self.after) else self.shape.movement(self.before, self.after)

    def kept(self) -> Action:
        """The same partition, left alone."""
        return Action(KEEP, self.partition, self.before, self.before, key=self.key)

    def done(self) -> Action:
        """The same, carried out even if the offset stays what it is."""
        verb = self.verb if self.verb != KEEP else REMOVE if self.after is None else SET
        return Action(verb, self.partition, self.before, self.after, self.unreadable, self.copies, self.shape, self.key)

    def result(self) -> dict:
        direction, distance = self.moved
        return {"partition": self.partition, "action": self.verb, "from": self.before, "to": self.after,
                "direction": direction, "distance": distance}


class Plan:
    """Every partition that is live or declared, with its action."""

    def __init__(self, live: Snapshot, actions: dict, resets_all: bool, warnings=(), records=None, desired=None):
        """actions: canonical partition -> Action; live partitions that have none stay as they are."""
        self.live = live
        #: what it was made for, in numbers
        self.desired = desired
        #: what has to be on the offsets topic, byte for byte, instead of what the actions would write there; None: nothing like that
        self.records = records
        self.warnings = list(warnings)
        self._actions = actions
        #: what has to be done, in the order of the canonical partition
        self.changes = [actions[key] for key in sorted(actions) if actions[key].verb != KEEP]
        #: the declaration was to remove everything, which a method may do in one call
        self.resets_all = resets_all

    @cached_property
    def _ordered(self) -> list:
        kept = {key: _kept(key, entry) for key, entry in self.live.entries.items() if key not in self._actions}
        every = dict(self._actions, **kept) if kept else self._actions
        return [every[key] for key in sorted(every)]

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


def make_plan(live: Snapshot, desired: DesiredOffsets, check_types: bool = True) -> Plan:
    """Compare the declaration with what is live.

    A partition that its guards find beyond the declaration already is kept as it is. Raises DeclarationError where a type was most likely
    lost on the way, unless ``check_types`` is off: for a declaration that was checked already.
    """
    wanted = desired.for_kind(live.kind)
    lost = () if desired.exact else set(live.lost)
    actions = {key: _action_for(key, entry, live, key in lost) for key, entry in (wanted or {}).items()}
    warnings = []
    if check_types and not desired.exact and live.kind == SOURCE:
        warnings = check_offset_types([action for action in actions.values() if action.verb == SET], live, desired.force or desired.is_own)
        warnings += check_partition_types(wanted or {}, live, desired.force, desired.is_own) + _new_partitions(actions, live)
    if not desired.exact and not desired.is_document:
        _check_empty_partition(actions.get(_EMPTY))
    if desired.guards is not None:
        actions = {key: desired.guards.settled(action) for key, action in actions.items()}
    if check_types and not desired.exact and live.kind == SOURCE:
        setting = [action for action in actions.values() if action.verb == SET]
        warnings += check_fields(setting, live, desired.force, desired.is_own)
        if live.profile is not None:
            warnings += checks.check(live.profile, setting, live, desired.force or desired.is_own)
    everything_else_goes = wanted is None or desired.purge
    for key, entry in live.entries.items() if everything_else_goes else ():
        if key not in actions:
            actions[key] = Action(REMOVE, entry.partition, entry.offset, None, copies=live.uneven.get(key, ()), key=key)
    if wanted is None:
        for key, entry in live.undecoded.items():
            actions.setdefault(key, Action(REMOVE, entry.partition, None, None, unreadable=True, key=key))
    for key, entry in live.unreadable.items():
        if key not in actions and everything_else_goes and key not in desired.spared:
            actions[key] = Action(REMOVE, entry.partition, None, None, unreadable=True, key=key)
    if check_types and not desired.exact and live.kind == SOURCE and wanted is not None:
        kept = [action for action in actions.values() if action.verb == KEEP and action.before is not None]
        kept += [_kept(key, entry) for key, entry in live.entries.items() if key not in actions]
        warnings += staying([action for action in actions.values() if action.verb != KEEP], kept, live)
    if desired.records is not None and live.holds is not None:
        as_it_was = live.holds(desired.records)
        actions.update((key, actions[key].kept() if as_it_was else actions[key].done()) for key in wanted)
    return Plan(live, actions, wanted is None, warnings, desired.records, desired)


def is_fulfilled(live: Snapshot, desired: DesiredOffsets) -> bool:
    """Is what is declared live? False also where it takes make_plan() to know."""
    if desired.keyed is None or desired.purge or desired.records is not None or live.uneven or live.unreadable or live.lost:
        return False
    for key, entry in desired.for_kind(live.kind).items():
        found = live.entries.get(key)
        if (found is None) is not (entry.offset is None) or found is not None and not same(found.offset, entry.offset):
            return False
    return True


def _kept(key: str, entry: Entry) -> Action:
    """A live partition that is left alone."""
    return Action(KEEP, entry.partition, entry.offset, entry.offset, key=key)


def _action_for(key: str, entry: Entry, live: Snapshot, lost: bool) -> Action:
    unreadable = key in live.unreadable
    before = live.entries[key].offset if key in live.entries else None
    copies = live.uneven.get(key, ())
    if entry.offset is None:
        verb = REMOVE if before is not None or unreadable else KEEP
    elif before is not None and same(before, entry.offset) and not copies and not lost:
        verb = KEEP
    else:
        verb = SET
    return Action(verb, entry.partition, before, entry.offset, unreadable, copies, live.profile and live.profile.shape_of(entry.partition), key)


def _check_empty_partition(action) -> None:
    """Some connectors have one without a field; where it has no offset so far it is most likely a mistake. Raises DeclarationError."""
    if action is not None and action.verb == SET and action.before is None and not action.unreadable:
        raise DeclarationError("A declared partition is an empty dictionary; it needs at least one field, as there is no offset for {} so far.")


def _new_partitions(actions: dict, live: Snapshot) -> list:
    """A connector that has partitions never reads one whose name was mistyped."""
    new = [key for key, action in actions.items() if action.verb == SET and action.before is None and not action.unreadable]
    if not new or not live.entries:
        return []
    return ["%s has no offset so far for %s, only for %d other%s such as %s: is it spelled as the connector spells it?"
            % (live.connector, ", ".join(sorted(new)[:3]) + (", ..." if len(new) > 3 else ""), len(live.entries),
               "" if len(live.entries) == 1 else "s", min(live.entries))]


def movement(before, after):
    """(direction, distance) of one partition of a connector without a profile: known only when exactly one whole number differs.

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
