# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which ledger a module uses, by its options."""

from __future__ import annotations

import os

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.strimzi_pods import STRIMZI
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, Unreachable
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.base import DEFAULT
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FileLedger, default_path

AUTO, TOPIC, FILE, CONFIG_MAP, NONE = "auto", "topic", "file", "configmap", "none"
LEDGERS = [AUTO, TOPIC, FILE, CONFIG_MAP, NONE]


def beside_file(params) -> dict:
    """The same params with the ledger beside a standalone worker's file, unless another place is given."""
    if params["offset_file"] and params["ledger"] in (AUTO, FILE) and not params["ledger_file"] and params.get("method", FILE) in (AUTO, FILE):
        return dict(params, ledger_file=os.path.realpath(params["offset_file"]) + ".changes.jsonl")
    return params


def ledger_for_changes(params, client, kafka, whole=False, creates=True):
    """The ledger of changes. Raises DeclarationError also where none is wanted. creates: see TopicOrFile."""
    if params["ledger"] == NONE:
        raise DeclarationError("change_id needs a ledger that remembers it, but ledger is none.")
    return open_ledger(beside_file(params), client, kafka, whole, creates)


def open_ledger(params, client, kafka, whole=False, creates=False):
    """The ledger, None for ledger: none. Raises DeclarationError that says what is missing.

    params: ledger, and ledger_topic, ledger_file, ledger_configmap, kafka_connect_group where they are given. client, kafka: None if there is none;
    with StrimziClient it is a ConfigMap, unless another place is given.
    whole: for many connectors, see TopicLedger and FileLedger. creates: see TopicOrFile.
    """
    chosen = params.get("ledger") or AUTO
    path = params.get("ledger_file")
    operator = getattr(client, "method", None) == STRIMZI
    if chosen == AUTO and operator and not path:
        chosen = CONFIG_MAP
    elif chosen == AUTO:
        chosen = TOPIC if kafka is not None and not path else FILE
    if chosen == NONE:
        return None
    if chosen == FILE:
        return FileLedger(path, many=whole) if path else _default_file(params, client, kafka, whole)
    if chosen == CONFIG_MAP:
        if not operator:
            raise DeclarationError("ledger: configmap needs method: strimzi.")
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.configmap import ConfigMapLedger
        return ConfigMapLedger(client, params.get("ledger_configmap") or DEFAULT)
    if kafka is None:
        raise DeclarationError("ledger: topic needs kafka_bootstrap_servers.")
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.topic import TopicLedger
    topic = TopicLedger(kafka, params.get("ledger_topic") or DEFAULT, params.get("kafka_connect_group") or None, whole)
    if chosen == params.get("ledger"):
        return topic
    try:
        file = _default_file(params, client, kafka, whole)
    except Unreachable:
        file = _default_file(params, None, kafka, whole)
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.topic_or_file import TopicOrFile
    return TopicOrFile(topic, file, creates)


def _default_file(params, client, kafka, many):
    """One for each Connect cluster, as far as it can be told apart: the same change is made on many, under the same name."""
    cluster = client.root().get("kafka_cluster_id") if client is not None else kafka and kafka.cluster_id
    if not cluster:
        raise DeclarationError("ledger: file needs ledger_file here, as it is not known which Kafka cluster the changes are of.")
    return FileLedger(default_path(cluster, params.get("kafka_connect_group")), of_the_job=bool(os.environ.get("AWX_HOST")), many=many)
