# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What connector_changes_info shows: the changes that a ledger remembers."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import PHASES, is_automatic, result


def changes_info(ledger, connector=None, change_id=None, max_entries=0, automatic=True) -> dict:
    """The module's result, oldest change first. connector, change_id: None for all. automatic: those that were given no change_id, too."""
    ledger.warn_of_the_disk()
    found = [one for one in ledger.changes(connector)
             if change_id == one.change_id or change_id is None and (automatic or not is_automatic(one.change_id))]
    counts = {phase: sum(1 for one in found if one.phase == phase) for phase in PHASES}
    return {
        "changed": False,
        "ledger": ledger.kind,
        "where": ledger.where,
        "changes": [result(one, max_entries) for one in found],
        "counts": dict(counts, total=len(found)),
        "warnings": ledger.warnings,
    }
