# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of an object in JSON texts, all of them out of one pass over each text.

They are what get_json_object() says, which parses the whole text for each member. Texts of which one pass says something else are left
to it: those that are no object, members that stand twice with null first, halves of surrogate pairs.
"""

from __future__ import annotations

import re

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

#: names that mean in a path of get_json_object() what they are
_PLAIN = re.compile(r"[\w-]+")
_CORRUPT = "verify_replay_corrupt"
_OPTIONS = {"allowUnquotedControlChars": "true", "allowNonNumericNumbers": "false", "columnNameOfCorruptRecord": _CORRUPT}
_MEMBERS = T.MapType(T.StringType(), T.StringType())


def split(path: str) -> tuple[tuple[str, ...], str] | None:
    """`$.after.item` -> (("after",), "item"): the names that lead to the object, and the member's. None for paths with more than names."""
    root, *names = path.split(".")
    plain = root == "$" and names and all(_PLAIN.fullmatch(name) for name in names)
    return (tuple(names[:-1]), names[-1]) if plain else None


class Members:
    """The members of the object to which names lead. column: the name of the column that holds parsed()."""

    def __init__(self, text: Column, names: tuple[str, ...], column: str) -> None:
        self._text, self._names, self._column = text, names, F.col(column)

    def parsed(self) -> Column:
        """NULL if get_json_object() has to be asked."""
        kind: T.DataType = _MEMBERS
        for name in reversed(self._names):
            kind = T.StructType([T.StructField(name, kind)])
        if isinstance(kind, T.StructType):
            kind = kind.add(_CORRUPT, T.StringType())
        escaped = F.contains(self._text, F.lit("\\u"))
        surrogate = F.contains(self._text, F.lit("\\ud")) | F.contains(self._text, F.lit("\\uD"))
        # Of an object that stands twice from_json() would take the last one. An escaped name is one of them, too.
        twice = [F.substring_index(self._text, f'"{name}"', 2) != self._text for name in self._names]
        usable = ~escaped if self._names else ~(escaped & surrogate)
        for one in twice:
            usable = usable & ~one
        return F.when(usable, F.from_json(self._text, kind, _OPTIONS))

    @property
    def is_parsed(self) -> Column:
        found = self._column.isNotNull()
        return found & self._column.getField(_CORRUPT).isNull() if self._names else found

    def reached(self, depth: int) -> Column:
        """Whether the text was parsed, and the object to which the first names lead is there."""
        found = self._column
        for name in self._names[:depth]:
            found = found.getField(name)
        return F.coalesce(self.is_parsed & found.isNotNull(), F.lit(False))

    def get(self, name: str) -> Column:
        """The text of a member, NULL if it is null or not there."""
        members = self._column
        for one in self._names:
            members = members.getField(one)
        found, keys = members.getItem(name), F.map_keys(members)
        # Of several the first one is found; the answer is the first one that is not null.
        several = F.coalesce(F.size(keys) - F.size(F.array_remove(keys, name)) > 1, F.lit(False))
        path = ".".join(("$", *self._names, name))
        return F.when(self.is_parsed & (found.isNotNull() | ~several), found).otherwise(F.get_json_object(self._text, path))
