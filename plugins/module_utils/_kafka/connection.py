# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What all requests to the brokers have in common: the client library, its settings, how long an answer is waited for, errors of ours."""

from __future__ import annotations

import logging
import time
import traceback
from concurrent.futures import wait

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.login import refusal, unusable

try:
    import confluent_kafka
    import confluent_kafka.admin
except ImportError:
    confluent_kafka, KAFKA_TRACEBACK = None, traceback.format_exc()
else:
    KAFKA_TRACEBACK = None

#: seconds of one wait, after which it is looked whether to go on
SLICE = 1.0
_AGAIN = 0.5

#: names of errors that say that brokers are away or busy
_AWAY_NAMES = ("_TRANSPORT", "_TIMED_OUT", "_ALL_BROKERS_DOWN", "_RESOLVE", "_MSG_TIMED_OUT", "_TIMED_OUT_QUEUE", "_PURGE_QUEUE",
               "REQUEST_TIMED_OUT", "NETWORK_EXCEPTION", "COORDINATOR_LOAD_IN_PROGRESS", "COORDINATOR_NOT_AVAILABLE",
               "NOT_COORDINATOR", "LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION")


def error_codes(*names) -> set:
    """Of KafkaError; a version of the library may lack some."""
    return set() if KAFKA_TRACEBACK else {getattr(confluent_kafka.KafkaError, name) for name in names if hasattr(confluent_kafka.KafkaError, name)}


AWAY = error_codes(*_AWAY_NAMES)
FENCED = error_codes("_FENCED", "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH")

_LOG = logging.getLogger("streamops.kafka_connect.librdkafka")
_LOG.addHandler(logging.NullHandler())
_LOG.propagate = False


class Connection:
    """To one Kafka cluster; the parts of KafkaClient share it."""

    def __init__(self, settings: dict, timeout: float):
        """settings: librdkafka's, with bootstrap.servers. timeout: seconds to get an answer, or without any progress."""
        self.brokers = settings["bootstrap.servers"]
        self.timeout = timeout
        self.settings = dict({"client.id": "streamops-kafka-connect"}, **settings)
        #: what the library has said last about why there is no answer: KafkaError or None
        self.heard = None
        self._admin = None
        self._deadline = 0.0

    def close(self) -> None:
        """Let go of connections and threads."""
        self._admin = None  # it knows us, so it would live on with us

    def make(self, kind, settings):
        """A client of the library. Raises DeclarationError for settings that it does not take."""
        self.heard = None
        try:
            return kind(dict(settings, error_cb=self.hear), logger=_LOG)
        except (confluent_kafka.KafkaException, ValueError, TypeError) as error:
            problem = error.args[0]
            raise errors.DeclarationError(unusable(problem.str() if isinstance(problem, confluent_kafka.KafkaError) else str(problem)))

    def hear(self, error) -> None:
        """Called by the library; "all brokers down" says less than what came before it."""
        if error.code() != confluent_kafka.KafkaError._ALL_BROKERS_DOWN or self.heard is None:
            self.heard = error

    # ---- administrative requests -----------------------------------------------------------------------------------

    def admin(self):
        if self._admin is None:
            self._admin = self.make(confluent_kafka.admin.AdminClient, self.settings)
        return self._admin

    def once(self, request):
        """The futures of request(AdminClient). From here on outcome() has its time; nothing is sent again."""
        self._deadline = time.monotonic() + self.timeout
        return request(self.admin())

    def patiently(self, question):
        """The answer of question(AdminClient), asked again while brokers are away or partitions have no leader."""
        self._deadline = time.monotonic() + self.timeout
        while True:
            try:
                return question(self.admin())
            except errors.BrokersUnreachable:
                if time.monotonic() + _AGAIN > self._deadline:
                    raise
            self._admin = None  # it would go on with what it knows of leaders and their epochs
            time.sleep(_AGAIN)

    def result(self, what, future, topic=None):
        """What a request gives. what: words for messages. Raises BrokerError and its kinds."""
        try:
            return self.outcome(what, future, topic)
        except confluent_kafka.KafkaException as error:
            raise self.failure(what, error.args[0], topic)

    def outcome(self, what, future, topic):
        """The same, with the library's KafkaException for what the brokers refuse.

        Waited for in slices, as a refused login would never end the wait.
        """
        while not wait([future], SLICE / 10).done:
            self.admin().poll(0)  # lets hear() be called
            if self.heard is not None and self.heard.code() in (confluent_kafka.KafkaError._AUTHENTICATION, confluent_kafka.KafkaError._SSL):
                raise self.failure(what, self.heard, topic)
            if time.monotonic() > self._deadline:
                raise self.failure(what, self.heard, topic)
        return future.result()

    # ---- errors ------------------------------------------------------------------------------------------------------

    def failure(self, what, error, topic=None, write=False, transactional_id=None, group=None, right="Describe"):
        """A KafkaError (None: silence) as one of ours. right: the one on the group that the request needs."""
        if error is not None:
            facts = self.facts(error)
            found = self._denied(error, what, topic, write, transactional_id, group, right, facts) or self._refused(error, what, topic, write, facts)
            if found is not None:
                return found
        return self.unreachable(what, error)

    def facts(self, error) -> dict:
        return {"bootstrap_servers": self.brokers, "kafka_error": error.name() if error is not None else None}

    def unreachable(self, what, error):
        reached = self.heard or error
        return errors.BrokersUnreachable(
            "No answer from the Kafka brokers at %s about %s within %g s%s."
            % (self.brokers, what, self.timeout, ": %s" % reached.str() if reached is not None else ""), **self.facts(error))

    def uncertain(self, what, error):
        """Of a change, where the error does not say that it was not made."""
        return errors.WriteOutcomeUnknown("No certain answer from the Kafka brokers at %s about %s: %s." % (self.brokers, what, error.str()),
                                          **self.facts(error))

    def _denied(self, error, what, topic, write, transactional_id, group, right, facts):
        code, kinds = error.code(), confluent_kafka.KafkaError
        if code == kinds.TOPIC_AUTHORIZATION_FAILED:
            text = "do not let us %s the topic %s: the user needs the permission %s on Topic %s" % (
                "write to" if write else "read", topic, "Write" if write else "Read and Describe", topic)
        elif code == kinds.TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
            text = "do not let us open a transaction: the user needs the permission Write and Describe on TransactionalId %s" % transactional_id
        elif code == kinds.GROUP_AUTHORIZATION_FAILED and group is not None:
            text = "do not let us %s the consumer group %s: the user needs the permission %s on Group %s" % (
                {"Describe": "see", "Read": "change", "Delete": "delete"}[right], group, right, group)
        elif code in (kinds.CLUSTER_AUTHORIZATION_FAILED, kinds.GROUP_AUTHORIZATION_FAILED):
            text = "do not let us see %s: %s" % (what, error.str())
        elif code in (kinds._AUTHENTICATION, kinds.SASL_AUTHENTICATION_FAILED, kinds.UNSUPPORTED_SASL_MECHANISM):
            return errors.BrokerDenied(refusal(self.settings, error.str()), **facts)
        else:
            return None
        return errors.BrokerDenied("The brokers at %s %s." % (self.brokers, text), **facts)

    def _refused(self, error, what, topic, write, facts):
        code, kinds = error.code(), confluent_kafka.KafkaError
        if code in (kinds.UNKNOWN_TOPIC_OR_PART, kinds._UNKNOWN_TOPIC):
            return errors.NoTopic("There is no topic %s on the Kafka cluster at %s (or the user may not see it). It was not created."
                                  % (topic, self.brokers), **facts)
        if code == kinds._SSL:
            return errors.BrokerError("TLS with the brokers at %s failed: %s." % (self.brokers, error.str()), **facts)
        fenced = code in FENCED
        if fenced or write and code not in AWAY:
            kind = errors.Fenced if fenced else errors.BrokerError
            return kind("The brokers at %s do not take %s: %s." % (self.brokers, what, error.str()), **facts)
        return None
