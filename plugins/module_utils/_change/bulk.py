# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""From a list of declarations, an entry for each connector, to changes that are made together."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import of_entry
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.examples import with_example
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.execute import EXAMPLES, execute
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.session import Session
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError, DeclarationError


def declare(client, kafka, sources, params: dict, check_mode: bool) -> dict:
    """The module's result. client, kafka: None if there is none. Raises ConnectError, which says what was changed and what was not."""
    entries = params["connectors"]
    names = [entry["name"] for entry in entries]
    twice = sorted({name for name in names if names.count(name) > 1})
    if not names or twice:
        raise DeclarationError("connectors %s." % ("has %s more than once" % ", ".join(twice) if twice else "is empty"))
    session, declarations = Session(client, kafka, sources, params), []
    for entry in entries:
        with with_example(client, entry["name"], session.profiles, check_mode, EXAMPLES):
            declarations.append(of_entry(params, entry))
    try:
        return execute(session, declarations, check_mode, _one, params["one_by_one"])
    except ConnectError as error:
        made = {one["name"]: one for one in error.facts.get("connectors", [])}
        error.facts["connectors"] = [made.get(name) for name in names]
        raise


def _one(name: str, result: dict) -> dict:
    """What the module connector_offsets returns, without what is returned for all together."""
    return dict({key: value for key, value in result.items() if key not in ("diff", "warnings")}, name=name)
