# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Phrases of messages, and JSON. Pure."""

from __future__ import annotations

import difflib
import json

_scan = json.JSONDecoder().scan_once
#: how many places a sentence names
_TOLD = 3


def json_value(text):
    """json.loads(text), three times as fast for a key or an offset. Raises ValueError, also for what is nested too deeply."""
    try:
        try:
            value, end = _scan(text, 0)
        except (StopIteration, TypeError):  # bytes
            end = -1
        return value if end == len(text) else json.loads(text)  # which allows blanks around it, and says where a mistake is
    except RecursionError:
        raise ValueError("it is nested too deeply")


def plural(count: int, noun: str) -> str:
    """"1 partition", "2 partitions"."""
    return "%d %s%s" % (count, noun, "" if count == 1 else "s")


def told(places) -> str:
    """orders-0, orders-3, ..."""
    places = sorted(places)
    return ", ".join("%s-%d" % place for place in places[:_TOLD]) + (", ..." if len(places) > _TOLD else "")


def and_more(texts: list, most: int, joint: str = "; ") -> str:
    """"a; b; and 3 more": the first ones of some texts, and how many there are besides."""
    return joint.join(texts[:most]) + ("; and %d more" % (len(texts) - most) if len(texts) > most else "")


def did_you_mean(name: str, known, most: int = 2, prefix: str = "") -> str:
    """A sentence with the known names that look like this one, a blank before it; empty where none does. Case is no difference.

    prefix: what all of the names begin with, and is left out of them here.
    """
    folded = {}
    for one in known:
        folded.setdefault(one.casefold(), one)
    meant = name.casefold()
    close = difflib.get_close_matches(meant, sorted(folded), n=most, cutoff=0.7)
    close += [one for one in sorted(folded) if one not in close and len(meant) > 2 and one.startswith(meant)]  # cut, as "pos" for "position"
    return " Did you mean %s?" % " or ".join(prefix + folded[one] for one in close[:most]) if close else ""
