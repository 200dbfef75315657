# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""From a list of declarations, an entry for each connector, to changes that are made together."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import ConnectError, WishError, about
from ansible_collections.streamops.kafka_connect.plugins.module_utils._many import Declaration, Many
from ansible_collections.streamops.kafka_connect.plugins.module_utils._wish import read_wish

#: options of connector_offsets that an entry does not have
_ALONE = {"copy_from": None, "rewrite": None}


def declare(client, kafka, sources, params: dict, check_mode: bool) -> dict:
    """The module's result. client, kafka: None if there is none. Raises ConnectError, which says what was changed and what was not."""
    entries = params["connectors"]
    names = [entry["name"] for entry in entries]
    twice = sorted({name for name in names if names.count(name) > 1})
    if not names or twice:
        raise WishError("connectors %s; nothing was changed." % ("has %s more than once" % ", ".join(twice) if twice else "is empty"))
    many = Many(client, kafka, sources, params, {entry["name"]: _declaration(params, entry) for entry in entries}, _one)
    try:
        return many.run(check_mode)
    except ConnectError as error:
        made = {one["name"]: one for one in error.facts.get("connectors", [])}
        error.facts["connectors"] = [made.get(name) for name in names]
        raise


def _declaration(params, entry) -> Declaration:
    change_id = entry["change_id"] or params["change_id"] or None
    with about(entry["name"]):
        wish = read_wish(dict(entry, change_id=change_id, **_ALONE))
    return Declaration(wish, change_id, entry["state"] == "restored", entry["final_state"] or params["final_state"], entry["force"], params["method"],
                       {name: entry[name] for name in ("raw_keys", "key_order", "consumer_group")})


def _one(name: str, result: dict) -> dict:
    """What the module connector_offsets returns, without what is returned for all together."""
    return dict({key: value for key, value in result.items() if key not in ("diff", "warnings")}, name=name)
