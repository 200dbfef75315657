# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Create a connector, or replace its configuration."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import connector_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import STATES, Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.validation import check_config
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors


def declare_present(client, name: str, config: dict, initial_state, wait_timeout: float, check_mode: bool) -> dict:
    """Create the connector, or replace its whole configuration where it differs.

    Raises DeclarationError where a worker does not take the configuration, before anything is changed.
    The marker that earlier releases have left there is no difference. It goes when the configuration is replaced.

    initial_state: started, paused or stopped, for a connector that has to be created (KIP-980, Connect 3.7).
    """
    wanted = dict(connector_config.as_text(config), name=name)
    if config.get("name") not in (None, name):
        raise errors.DeclarationError("config.name is \"%s\", but the connector's name is \"%s\"." % (config["name"], name))
    if config.get("initial_state") is not None:
        raise errors.DeclarationError(
            "config has initial_state, which Connect ignores there: a new connector would start at once. Use this module's option "
            "initial_state instead.")
    wanted.pop(connector_config.MARKER, None)
    marker = None
    try:
        live = dict(client.info(name)["config"])
        marker = live.pop(connector_config.MARKER, None)
    except errors.NoConnector:
        live = None
    lifecycle = Lifecycle(client, name, wait_timeout)
    if live == wanted:
        return dict(connector=lifecycle.wait_known().result(), changed=False, created=False, diff=connector_config.diff(name, live, wanted))
    if "connector.class" not in wanted:
        raise errors.DeclarationError("config has no connector.class, which every connector needs.")
    created = live is None
    if created and initial_state:
        client.require("initial_state")
    if marker:
        lifecycle.warnings.append(
            "The marker of changes of an earlier release under %s goes from the configuration of %s. A change that is in no other ledger is made again "
            "if it is declared again." % (connector_config.MARKER, name))
    result = {"changed": True, "created": created, "diff": connector_config.diff(name, live, wanted), "connector": None,
              "warnings": lifecycle.warnings}
    if not created:
        client.require_url(name)
    lifecycle.warnings.extend(check_config(client, name, wanted))
    if check_mode:
        return dict(result, connector=None if created else lifecycle.wait_known().result())
    try:
        if created:
            client.create(name, wanted, STATES[initial_state] if initial_state else None)
        else:
            client.put_config(name, wanted)
    except errors.RestError as error:
        if not errors.in_doubt(error) or not lifecycle.took(error, lambda: _is_configured(client, name, wanted), "configured"):
            raise
    return dict(result, connector=lifecycle.wait_known().result())


def _is_configured(client, name, config) -> bool:
    try:
        return client.info(name)["config"] == config
    except errors.NoConnector:
        return False
