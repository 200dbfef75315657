# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The changes that earlier releases have kept in a connector's own configuration. They are read, and written no more."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connector_config import MARKER
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.strimzi_pods import STRIMZI
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import Unreadable, decode


def marked_changes(client, connector: str) -> list:
    """The connector's changes, oldest writing first; [] where there is no marker, or nobody to ask. Raises Unreadable.

    client: ConnectClient, or StrimziClient, whose connectors never had one, or None.
    """
    if getattr(client, "method", STRIMZI) == STRIMZI:
        return []
    try:
        text = client.info(connector)["config"].get(MARKER)
    except (errors.NoConnector, errors.AmbiguousName, errors.Unreachable):
        return []
    if not text:
        return []
    what = "The configuration of %s (%s)" % (connector, MARKER)
    try:
        found = json_value(text)
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise Unreadable("%s is no list of changes. So whether a change was made is not known. Remove that key from the "
                         "configuration." % what)
    changes = [decode(one, what) for one in found]
    return [one for one in changes if one.connector == connector]  # a configuration may have been copied from another connector
