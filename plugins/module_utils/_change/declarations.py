# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""From options to Declarations: of one connector, of a list, of a document."""

from __future__ import annotations

from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.declaration import read_declaration
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import about
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import check_id
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import GROUP, TOPIC

#: What is declared of one connector.
#:
#: desired      DesiredOffsets; None to undo the change
#: change_id    None: the change has no name
#: undo         whether to put back what the change has replaced
#: final_state  found, found_later, leave, started, paused or stopped
#: force        as that of the module connector_offsets
#: method       one of its methods
#: own          keyword arguments of Access, of this connector alone
#: boundaries   what Boundaries is asked for, or None
Declaration = namedtuple("Declaration", ["name", "desired", "change_id", "undo", "final_state", "force", "method", "own", "boundaries"], defaults=[None])

#: what becomes of a connector that was stopped for the change: its state is restored; later, as the ledger keeps the state found: the reset of a mirror
#: deletes topics in between, and the next run restores it where that one was killed; it is left as it is
FOUND, LATER, LEAVE = "found", "found_later", "leave"

#: options of a connector that are given to Access as they are
_OWN = ("raw_keys", "key_order", "consumer_group", "accept_duplicates")
#: options of connector_offsets that an entry of a list does not have
_ALONE = {"copy_from": None, "rewrite": None}


def of_options(params: dict, copy) -> Declaration:
    """copy: Copy for copy_from, or None. Raises DeclarationError."""
    if params["change_id"]:
        check_id(params["change_id"])
    desired = read_declaration(params, copy)
    return Declaration(params["name"], desired, params["change_id"] or None, params["state"] == "restored", params["final_state"], params["force"],
                       params["method"], {name: params[name] for name in _OWN})


def of_entry(params: dict, entry: dict) -> Declaration:
    """entry: one of a list. Raises DeclarationError."""
    change_id = entry["change_id"] or params["change_id"] or None
    with about(entry["name"]):
        if change_id:
            check_id(change_id)
        desired = read_declaration(dict(entry, change_id=change_id, **_ALONE))
    return Declaration(entry["name"], desired, change_id, entry["state"] == "restored", entry["final_state"] or params["final_state"], entry["force"],
                       params["method"], {name: entry[name] for name in _OWN},
                       entry["boundaries"] and dict(entry["boundaries"], consumer_group=entry["consumer_group"]))


def of_document(params: dict, name: str, desired) -> Declaration:
    """desired: what a document says of the connector."""
    method = GROUP if params["method"] == TOPIC and desired.is_of_a_sink else params["method"]
    return Declaration(name, desired, params["change_id"], False, params["final_state"], params["force"], method,
                       {"accept_duplicates": params["accept_duplicates"]})
