# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Configurations of connectors as the workers keep them, for those that have no REST: a dedicated MirrorMaker's."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

_KEY = b"connector-"


def configs(kafka, name: str) -> dict:
    """{connector: its configuration, unresolved references to config providers and all} of a topic like config.storage.topic.

    See org.apache.kafka.connect.storage.KafkaConfigBackingStore. Raises NoTopic, BrokerDenied, BrokerError.
    """
    topic = kafka.admin.topic(name)
    found = {}
    for batch in kafka.reader.read(topic, kafka.offsets.starts(topic), kafka.offsets.ends(topic)[0]):
        for message in batch:
            key, value = message.key() or b"", message.value()
            if key.startswith(_KEY):
                found[key[len(_KEY):].decode("utf-8", "replace")] = _properties(value)
    return {connector: config for connector, config in found.items() if config is not None}


def _properties(value):
    """None for a deleted connector, and for what cannot be read."""
    try:
        properties = json_value(value)["properties"]
    except (TypeError, ValueError, KeyError):
        return None
    return properties if isinstance(properties, dict) else None
