# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The ledger in a ConfigMap of our own, an entry for each change. Several controllers can use it at the same time.

The ConfigMaps of the operator are no place for it: they end with their connector.
"""

from __future__ import annotations

import hashlib
import json
import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes import config_map
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.base import DEFAULT, Ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import STARTED, check_known, decode, encode, same

_LABELS = {"app.kubernetes.io/managed-by": "streamops.kafka_connect"}
_ODD = re.compile(r"[^-._a-zA-Z0-9]+")


class ConfigMapLedger(Ledger):
    kind = "configmap"

    def __init__(self, client, name: str = DEFAULT):
        """client: StrimziClient."""
        super().__init__()
        self._client = client
        self._name = name

    @property
    def where(self) -> str:
        return "the ConfigMap %s/%s" % (self._client.namespace, self._name)

    def changes(self, connector=None) -> list:
        try:
            entries = self._client.kube.get(self._client.config_maps(self._name)).get("data") or {}
        except errors.KubeNotFound:
            return []
        resource = self._resource_of(connector) if connector is not None else None

        def is_asked_for(head):
            return connector is None or head.get("connector") == connector and resource in (None, head.get("resource"))

        return self._decode_all(((text, self._what(key)) for key, text in sorted(entries.items()) if is_asked_for(_head(text))), connector)

    def put(self, change, known, expired=()) -> None:
        resource = self._resource_of(change.connector)
        key = entry_key(resource, change)
        document = json.dumps(dict(json.loads(encode(change)), resource=resource), ensure_ascii=False, allow_nan=False)

        def write(found):
            there = (found.get("data") or {}).get(key)
            actual = None if there is None else decode(there, self._what(key))
            if same(actual, change):
                return []  # our answer got lost
            check_known(actual, change, known, "in " + self.where)
            keys = {entry_key(resource, one) for one in expired} & set(found.get("data") or {})
            forgotten = [operation for one in sorted(keys) for operation in config_map.data_operations(found, one, None)]
            left = dict(found, data={one: text for one, text in (found.get("data") or {}).items() if one not in keys})
            return forgotten + self._room(left, key, document) + config_map.data_operations(found, key, document)

        config_map.update(self._client, self._name, write, _LABELS)

    def _resource_of(self, connector):
        """Two mirrors can have connectors of one name. None where the resource is gone."""
        try:
            return self._client.place(connector)["resource"]
        except errors.NoConnector:
            return None

    def _what(self, key) -> str:
        return "The ConfigMap %s, entry %s," % (self._name, key)

    def _room(self, found, key, document) -> list:
        """Have the oldest changes that are over make room. Raises ConnectError."""
        over = []
        for one, text in (found.get("data") or {}).items():
            head = _head(text)
            if one != key and head.get("phase") not in (None, STARTED) and not head.get("busy") and not (head.get("state_to_restore") or head.get("state_due")):
                over.append(((head.get("times") or {}).get(STARTED) or "", one))
        operations, left = [], dict(found, data=dict(found.get("data") or {}))
        for _time, one in sorted(over):
            if config_map.size_of(left, key, document) <= config_map.LIMIT:
                break
            del left["data"][one]
            operations += config_map.data_operations(found, one, None)
        if config_map.size_of(left, key, document) > config_map.LIMIT:
            raise errors.ConnectError("The ledger (%s) has no room for this change: it would have %d bytes, and Kubernetes allows 1 MiB. Give another "
                                      "ledger_configmap or ledger_file." % (self.where, config_map.size_of(left, key, document)))
        if operations:
            self._warn("The ledger (%s) was full: its %d oldest changes that are over have made room." % (self.where, len(operations)))
        return operations


def entry_key(resource, change) -> str:
    """Readable, and not the same for two changes. Keys of a ConfigMap are at most 253 characters of a few kinds."""
    exact = hashlib.sha256(json.dumps([resource, change.connector, change.change_id]).encode("utf-8")).hexdigest()[:12]
    words = _ODD.sub("-", "%s.%s" % (change.connector.replace("->", "--"), change.change_id))[:200]
    return "%s.%s.json" % (words.strip("."), exact)


def _head(text) -> dict:
    try:
        found = json_value(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
