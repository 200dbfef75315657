# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a connector offset is, and when two of them are the same.

A *source* offset is a pair of JSON objects ``{partition, offset}`` whose fields are scalars. Their types count:
``4``, ``"4"`` and ``4.0`` are three values, and a partition with another type is another partition. The order of
the fields does not count. A *sink* offset is a committed consumer position; Connect parses its numbers from text, so
``"0"`` and ``0`` are the same (KIP-875; org.apache.kafka.connect.runtime.SinkUtils#parseSinkConnectorOffsets).
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import MASK, is_cut, is_masked, mask
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural

SOURCE = "source"
SINK = "sink"

#: where a log begins and ends
EARLIEST, LATEST = "earliest", "latest"

INT32_MAX = 2**31 - 1
INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1

TOPIC = "kafka_topic"
PARTITION = "kafka_partition"
OFFSET = "kafka_offset"


def json_writer(**options):
    """json.JSONEncoder(**options).encode, three times as fast for a key or an offset. Not for texts that are indented."""
    known, make = json.JSONEncoder(**options), json.encoder.c_make_encoder
    if make is None:
        return known.encode
    strings = json.encoder.encode_basestring_ascii if known.ensure_ascii else json.encoder.encode_basestring
    write = make(None, known.default, strings, None, known.key_separator, known.item_separator, known.sort_keys, False, known.allow_nan)

    def encode(value) -> str:
        return "".join(write(value, 0))

    return encode


_encode = json_writer(sort_keys=True, ensure_ascii=False)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]+([.][0-9]*)?([eE][+-]?[0-9]+)?")

#: signs without width, which str.isspace() does not count as blanks
_INVISIBLE = "\u200b\u2060\ufeff"

#: One pair: partition is a dict, offset a dict, or None where there is none (or it has to go).
Entry = namedtuple("Entry", ["partition", "offset"])


def check_name(name: str, where: str) -> None:
    """where: the option, or the document, that has the connector's name. Raises DeclarationError for one that holds what nobody sees.

    Connect refuses control characters, and takes blanks around a name only by accident (POST trims them, PUT keeps them).
    """
    if name and (_is_blank(name[0]) or _is_blank(name[-1]) or any(unicodedata.category(sign) == "Cc" for sign in name)):
        raise DeclarationError(
            "%s: the connector's name %r begins or ends with a blank or holds a control character. Give it as it is in Connect, without them."
            % (where, name))


def _is_blank(sign: str) -> bool:
    return sign.isspace() or sign in _INVISIBLE


def canonical(value) -> str:
    """The one text of a JSON value: equal texts mean equal values, types included; readable enough for a diff."""
    if isinstance(value, dict):
        return _encode({name: 0.0 if _is_zero(item) else item for name, item in value.items()} if 0.0 in value.values() else value)
    return _encode(0.0 if _is_zero(value) else value)


def same(one: dict, other: dict) -> bool:
    """Equal, types included: canonical(one) == canonical(other), but fast."""
    return one == other and all(value.__class__ is other[name].__class__ for name, value in one.items())


def _is_zero(value) -> bool:
    # Java's JSON writer, and so Connect, knows only one of the two zeros.
    return isinstance(value, float) and value == 0


def untyped(partition: dict) -> str:
    """Like canonical(), but blind to scalar types: finds the partition that somebody meant."""
    return canonical({name: _spelling(value) for name, value in (partition or {}).items()})


def _spelling(value) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value)


def is_int(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_digits(value) -> bool:
    return isinstance(value, str) and _WHOLE.fullmatch(value) is not None


def spells(text, value) -> bool:
    """Is it text that would be of the other value's type without its quotes: digits for a number, "true" for a boolean?"""
    if not isinstance(text, str):
        return False
    if isinstance(value, bool):
        return text.lower() in ("true", "false")
    return isinstance(value, (int, float)) and _NUMBER.fullmatch(text) is not None


class Snapshot:
    """What one method showed of one connector at one moment.

    entries     canonical partition -> Entry with an offset
    unreadable  canonical partition -> Entry listed with no offset behind it (see the stores); its partition can be the
                text of a raw key
    uneven      canonical partition -> what may count instead of the entry's offset, not empty (see Held.others)
    undecoded   canonical text of the raw key -> Entry of a live record whose key names this connector and no partition that can be read
    lost        canonical partitions of entries that a worker has in memory, and that are not on its offsets topic
    """

    def __init__(self, connector: str, kind: str, entries=(), unreadable=(), uneven=None):
        self.connector = connector
        self.kind = kind
        self.entries = {canonical(entry.partition): entry for entry in entries}
        self.unreadable = {canonical(entry.partition): entry for entry in unreadable}
        self.uneven = uneven or {}
        self.lost = []
        self.undecoded = {}
        #: whether these records (see _ledger.record.Change) are live; None where there are no records
        self.holds = None
        #: what its connector stores (_core.profiles.catalog.Profile), None where that is not known
        self.profile = None

    def sorted(self) -> list:
        return [self.entries[key] for key in sorted(self.entries)]


def check_map(value, where: str, may_be_empty=False) -> dict:
    """A partition or an offset as declared: a JSON object, not empty, of scalars that Connect can store.

    Raises DeclarationError naming the field. Connect refuses nested values (OffsetUtils#validateFormat) and integers beyond
    64 bits; NaN and infinity have no JSON form.
    """
    if value.__class__ is dict and value and all(map(_is_common, value)) and all(map(_is_common, value.values())):
        return value
    if not isinstance(value, dict):
        raise DeclarationError("%s must be a dictionary, it is %s." % (where, describe(value)))
    if not value and not may_be_empty:
        raise DeclarationError("%s is an empty dictionary; it needs at least one field." % where)
    for name, item in value.items():
        _check_text(name, "The name of a field of %s" % where)
        _check_exact(name, "The name of a field of %s" % where)
        _check_scalar(item, "%s.%s" % (where, name))
    return value


def _is_common(value) -> bool:
    """A scalar for which no check is needed? A hundred thousand partitions and offsets go through here."""
    if value.__class__ is str:
        return value.isascii() and MASK not in value and not value.endswith(")")  # see is_cut()
    return value.__class__ is int and INT64_MIN <= value <= INT64_MAX


def _check_scalar(value, where: str) -> None:
    if isinstance(value, (dict, list, tuple)):
        raise DeclarationError(
            "%s is %s, but Connect stores only text, numbers, booleans and null. If it is JSON text that became a "
            "structure, quote it or leave out the filter that reads it, or pass the whole list as a JSON document with the options src or content."
            % (where, describe(value))
        )
    if is_int(value) and not INT64_MIN <= value <= INT64_MAX:
        raise DeclarationError("%s is %d, which does not fit into the 64 bits of a Connect offset." % (where, value))
    if isinstance(value, float) and not math.isfinite(value):
        raise DeclarationError("%s is %r, which has no JSON form." % (where, value))
    if isinstance(value, str):
        _check_text(value, where)
        _check_exact(value, where)
    elif value is not None and not isinstance(value, (bool, int, float)):
        raise DeclarationError("%s is %s, which is no JSON value." % (where, describe(value)))


def _check_exact(value: str, where: str) -> None:
    if is_masked(value):
        raise DeclarationError(
            "%s holds %s, which stands for a secret where a module has returned or shown it, and would be written in its place. Give the text itself: "
            "an export or a backup has it." % (where, MASK))
    if is_cut(value):
        raise DeclarationError("%s ends with \"%s\": a module has shown only the beginning of a long text. Give the whole of it: an export or a backup has it."
                               % (where, value[value.rindex(" ... (cut, ") + 1:]))


def _check_text(value: str, where: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise DeclarationError("%s holds half of a surrogate pair, which has no UTF-8 form." % where)


def counted(partitions) -> str:
    """How many they are, in words."""
    return plural(len(partitions), "partition")


def describe(value) -> str:
    """A value with its type, in an operator's words, cut to a readable length."""
    if value is None:
        return "null"
    kinds = ((bool, "the boolean"), (int, "the integer"), (float, "the float"), (str, "the text"),
             (dict, "the dictionary"), (list, "the list"))
    word = next((word for kind, word in kinds if isinstance(value, kind)), "of type %s:" % type(value).__name__)
    try:
        text = json.dumps(mask(value), ensure_ascii=False)  # as what is cut cannot be masked any more
    except (TypeError, ValueError):
        text = repr(value)
    return "%s %s" % (word, text if len(text) <= 80 else text[:77] + "...")


def normalise(kind: str, entry: Entry, where: str) -> Entry:
    """The entry in its kind's one form: sinks get integers, sources stay exactly as they are."""
    if kind != SINK:
        return entry
    return Entry(_sink_partition(entry.partition or {}, where), _sink_offset(entry.offset, where))


def _sink_partition(partition: dict, where: str) -> dict:
    _only_fields(partition, (TOPIC, PARTITION), where + ".partition")
    if not isinstance(partition[TOPIC], str) or not partition[TOPIC]:
        raise DeclarationError("%s.partition.%s must be a topic's name, it is %s." % (where, TOPIC, describe(partition[TOPIC])))
    return {TOPIC: partition[TOPIC], PARTITION: whole(partition[PARTITION], "%s.partition.%s of a sink connector" % (where, PARTITION), INT32_MAX)}


def _sink_offset(offset, where: str):
    if offset is None:
        return None
    _only_fields(offset, (OFFSET,), where + ".offset")
    return {OFFSET: whole(offset[OFFSET], "%s.offset.%s of a sink connector" % (where, OFFSET))}


def _only_fields(value: dict, names, where: str) -> None:
    if set(value) != set(names):
        raise DeclarationError(
            "%s of a sink connector must have exactly the field%s %s; it has %s."
            % (where, "s" if len(names) > 1 else "", " and ".join(names), ", ".join(sorted(value)) or "none")
        )


def whole(value, what: str, most: int = INT64_MAX) -> int:
    """A whole number from 0 on; text of digits is one, as surveys and Connect's sinks have it. Raises DeclarationError."""
    number = int(value) if is_digits(value) and len(value) <= 20 else value
    if not is_int(number) or not 0 <= number <= most:
        raise DeclarationError("%s must be a whole number from 0 on, it is %s." % (what, describe(number)))
    return number
