# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which topics a sink reads, as its configuration says it. Pure."""

from __future__ import annotations

import re

#: how a reference to a config provider begins, which only the worker can follow
PROVIDER = "${"


def listed(config: dict) -> set:
    """Empty where topics.regex or a config provider says what it reads."""
    return {name.strip() for name in (config.get("topics") or "").split(",") if name.strip() and PROVIDER not in name}


def pattern(config: dict):
    """topics.regex, None where it is not used, or is not known. Raises re.error where only Java can read it."""
    text = config.get("topics.regex")
    return None if not text or PROVIDER in text else re.compile(text)


def reads(config: dict, topics) -> list:
    """Those of these topics that it certainly reads."""
    if listed(config):
        return sorted(listed(config) & set(topics))
    try:
        fitting = pattern(config)
    except re.error:
        return []
    return [] if fitting is None else sorted(topic for topic in topics if fitting.fullmatch(topic))


def addresses(text) -> set:
    """host:port of a list as bootstrap.servers has it."""
    return {one.strip().lower() for one in (text or "").split(",") if one.strip()}
