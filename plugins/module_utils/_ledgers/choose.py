# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which ledger a module uses, by its options."""

from __future__ import annotations

import os

from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.config import ConfigLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.configmap import DEFAULT as DEFAULT_CONFIG_MAP
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.configmap import ConfigMapLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.file import FileLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledgers.topic import DEFAULT, TopicLedger

AUTO, TOPIC, CONFIG, FILE, CONFIG_MAP, NONE = "auto", "topic", "config", "file", "configmap", "none"
LEDGERS = [AUTO, TOPIC, CONFIG, FILE, CONFIG_MAP, NONE]


def beside_file(params) -> dict:
    """The same params with the ledger beside a standalone worker's file, unless another place is given."""
    if params["offset_file"] and params["ledger"] == AUTO and not params["ledger_file"] and params.get("method", FILE) in (AUTO, FILE):
        return dict(params, ledger_file=os.path.realpath(params["offset_file"]) + ".changes.json")
    return params


def ledger_for_changes(params, client, kafka, connector, whole=False):
    """The ledger of changes that have a name. Raises WishError also where none is wanted."""
    if params["ledger"] == NONE:
        raise WishError("change_id needs a ledger that remembers it, but ledger is none; nothing was changed.")
    return open_ledger(beside_file(params), client, kafka, connector, whole=whole)


def open_ledger(params, client, kafka, connector=None, exists=True, whole=False):
    """The ledger, None for ledger: none. Raises WishError that says what is missing.

    params: ledger, and ledger_topic, ledger_file, ledger_configmap, connect_group where they are given. client, kafka: None if there is none;
    with StrimziClient it is a ConfigMap, unless another place is given.
    connector: None to look at all. exists: whether a worker knows the connector. whole: see TopicLedger.
    """
    chosen = params.get("ledger") or AUTO
    path = params.get("ledger_file")
    operator = getattr(client, "road", None) == "strimzi"
    if chosen == AUTO and operator and not path:
        chosen = CONFIG_MAP
    if chosen == AUTO:
        chosen = FILE if path else TOPIC if kafka is not None else CONFIG if client is not None and exists else AUTO
    if chosen == NONE:
        return None
    if chosen == FILE:
        if not path:
            raise WishError("ledger: file needs ledger_file; nothing was changed.")
        return FileLedger(path)
    if chosen == CONFIG_MAP:
        if not operator:
            raise WishError("ledger: configmap needs method: strimzi; nothing was changed.")
        return ConfigMapLedger(client, params.get("ledger_configmap") or DEFAULT_CONFIG_MAP)
    if chosen == CONFIG and operator:
        raise WishError("ledger: config would change the configuration of %s, which the operator sets back: use ledger: configmap. Nothing was changed."
                        % connector)
    if chosen == TOPIC:
        if kafka is None:
            raise WishError("ledger: topic needs bootstrap_servers (or the environment variable KAFKA_BOOTSTRAP_SERVERS); nothing was changed.")
        return TopicLedger(kafka, params.get("ledger_topic") or DEFAULT, params.get("connect_group") or None, whole)
    if client is None and chosen == CONFIG:
        raise WishError("ledger: config needs connect_url (or the environment variable KAFKA_CONNECT_URL); nothing was changed.")
    if chosen == AUTO or not exists:
        raise WishError("There is no connector %s in whose configuration its changes could be remembered. Give bootstrap_servers for a ledger "
                        "on a topic, or ledger_file; nothing was changed." % connector)
    return ConfigLedger(client, connector)
