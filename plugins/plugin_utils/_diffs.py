# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The diffs of a rollout once more, above its summary: in the output of a job of AWX they are far up, and whoever approves reads the end."""

from __future__ import annotations

import difflib
import json

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import first_of

_MOST = 200


def lines(diffs: dict) -> list[str]:
    """diffs: host -> the list ``diff`` of its change, as modules return it. A line in between separates the summary."""
    found = [line for host, parts in diffs.items() for line in _of_host(host, parts)]
    return [*first_of(found, _MOST), ""] if found else []


def _of_host(host: str, parts: list) -> list[str]:
    found = []
    for part in parts or []:
        if "before" in part:
            heads = ["%s: %s, %s" % (side, host, part.get(side + "_header", "")) for side in ("before", "after")]
            found += difflib.unified_diff(_text(part["before"]), _text(part["after"]), *heads, lineterm="")
        found += part.get("prepared", "").splitlines()
    return found


def _text(side) -> list[str]:
    return side.splitlines() if isinstance(side, str) else json.dumps(side, indent=4, sort_keys=True).splitlines()
