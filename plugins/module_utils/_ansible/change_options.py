# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The options that say how offsets are changed, of one connector or of many together."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import worker_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.watching import CHECKS, NO
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.select import DEFAULT, LEDGERS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import METHODS


def change_options() -> dict:
    """Documented in connector_offsets, and for many connectors in doc_fragments/_many.py."""
    return dict(
        worker_options(),
        kafka_connect_profiles=dict(type="raw", aliases=["profiles"]),
        change_id=dict(type="str"),
        ledger=dict(type="str", choices=LEDGERS, default="auto"),
        ledger_topic=dict(type="str", default=DEFAULT),
        ledger_file=dict(type="path"),
        ledger_configmap=dict(type="str", default=DEFAULT),
        requested_by=dict(type="str"),
        settle=dict(type="int", default=0),
        method=dict(type="str", choices=METHODS, default="auto"),
        resource=dict(type="str"),
        offset_topic=dict(type="str"),
        kafka_connect_group=dict(type="str", aliases=["connect_group"]),
        assume_stopped=dict(type="bool", default=False),
        stop=dict(type="bool", default=False),
        rollback=dict(type="bool", default=True),
        backup=dict(type="bool", default=False),
        backup_file=dict(type="path"),
        wait_timeout=dict(type="int", default=120),
        check_position=dict(type="str", choices=CHECKS, default=NO),
        check_position_timeout=dict(type="int", default=75),
    )
