# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Phrases of messages. Pure."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """"1 partition", "2 partitions"."""
    return "%d %s%s" % (count, noun, "" if count == 1 else "s")
