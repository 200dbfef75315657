# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Text for people, in the output of a run."""

from __future__ import annotations

import unicodedata

from ansible import constants
from ansible.utils.display import Display

#: callbacks whose whole output is one document
_DOCUMENTS = ("json", "jsonl")


def show(text: str) -> None:
    """As it is, where a result would be shown as JSON. Empty text is none."""
    if text and constants.DEFAULT_STDOUT_CALLBACK.rpartition(".")[2] not in _DOCUMENTS:
        Display().display(text)


def printable(text: str) -> str:
    """Without what a terminal would obey: names come from others. A space of any width, as figures have it, is a space."""
    return "".join(_printable(one) for one in text.rstrip("\n"))


def _printable(one: str) -> str:
    if one == "\n" or one.isprintable():
        return one
    return " " if unicodedata.category(one) == "Zs" else "?"
