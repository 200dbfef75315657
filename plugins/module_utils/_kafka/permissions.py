# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the brokers say that the user may do (see _kafka.acl), known from when topics and groups were looked at, or asked for."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka import acl
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.connection import confluent_kafka


class Permissions:
    """Of one user on one cluster."""

    def __init__(self, connection):
        self._connection = connection
        #: (kind, name) -> what acl.told() gives
        self._known = {}

    def missing_acls(self, needed) -> list:
        """The _kafka.acl.Right of those needed [(operation, kind, name)] that the user certainly lacks.

        Topics that were not looked at so far are asked for in one request; no answer is no lack.
        """
        names = {name for operation, kind, name in needed if kind == acl.TOPIC and (kind, name) not in self._known}
        if names:
            self._connection.patiently(lambda admin: self._ask(admin, sorted(names)))
        return acl.missing_acls(needed, self._known, self._connection.brokers)

    def _ask(self, admin, names) -> None:
        for name, future in self.describe_topics(admin, names).items():
            try:
                self.note(acl.TOPIC, name, self._connection.result("the topic %s" % name, future, name))
            except errors.BrokersUnreachable:
                raise
            except errors.BrokerError:
                self._known[acl.TOPIC, name] = None

    # ---- for the other parts of KafkaClient -----------------------------------------------------------------------

    def describe_topics(self, admin, names) -> dict:
        """{name: future}, with what the user may do there."""
        return admin.describe_topics(confluent_kafka.TopicCollection(names), include_authorized_operations=True, request_timeout=self._connection.timeout)

    def note(self, kind, name, described):
        """What the user may do there (see acl.told), from here on known."""
        operations = described.authorized_operations
        self._known[kind, name] = acl.told(None if operations is None else [one.name for one in operations])
        return self._known[kind, name]
