# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Many records in one transaction."""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.connection import FENCED, SLICE, confluent_kafka

_TRANSACTION_MS = 60000
#: a producer's second connection comes soon after its first one, and waits for this
_RECONNECT_MS = 10


class Writer:
    """A transactional producer. A second one with the same transactional id fences it: it ends its transaction, or its next one.

    So what is read after the first write() has begun stays true until the last one is committed, as far as writers with this id go.
    """

    def __init__(self, connection, transactional_id: str, settings: dict):
        """settings: librdkafka's; the user's own count more."""
        self._connection = connection
        self._timeout = connection.timeout
        #: the one that is really used
        self.transactional_id = connection.settings.get("transactional.id", transactional_id)
        self._settings = {"transaction.timeout.ms": _TRANSACTION_MS, "reconnect.backoff.ms": _RECONNECT_MS}
        for more in (settings, connection.settings, {"transactional.id": self.transactional_id, "acks": "all", "linger.ms": 5}):
            self._settings.update(more)
        self._producer = None

    def write(self, records, ready=None) -> None:
        """All records [(topic name, partition, key, value or None)] in one transaction: all of them or none.

        ready: called at the first write, when an older transaction of the same id, which a killed run may have left open, has been
        ended. Raises Fenced; WriteOutcomeUnknown, or TakenOver, when it is not known whether the transaction was committed. After any other error
        nothing was written. No write() may follow an error.
        """
        names = sorted({record[0] for record in records})
        what = "the records for %s" % ", ".join(names)
        producer = self._begin(names[0], ready)
        try:
            self._send(producer, records, what)
        except (confluent_kafka.KafkaException, SystemError, errors.BrokerError) as error:
            self._abort(producer)
            if not isinstance(error, errors.BrokerError):
                error = self._connection.failure(what, _inside(error), ", ".join(names), write=True)
            raise error.also("The transaction was aborted.")
        self._commit(producer, what, names)

    def _begin(self, topic, ready):
        first = self._producer is None
        if first:
            self._producer = self._connection.make(confluent_kafka.Producer, self._settings)
        try:
            if first:
                # Without a connection to a broker that it knows by its number the client waits half a second. The answer to the first
                # question comes by the connection to a bootstrap server, which it then closes.
                for _time in range(2):
                    self._producer.list_topics(topic, self._timeout)
                self._producer.init_transactions(self._timeout)
                if ready is not None:
                    ready()
            self._producer.begin_transaction()
        except confluent_kafka.KafkaException as error:
            raise self._connection.failure("a transaction", error.args[0], transactional_id=self.transactional_id)
        return self._producer

    def _send(self, producer, records, what) -> None:
        refused = []

        def delivered(error, message):
            if error is not None:
                refused.append(error)

        for topic, partition, key, value in records:
            while True:
                try:
                    producer.produce(topic, value, key, partition, on_delivery=delivered)
                    break
                except BufferError:
                    producer.poll(0.1)
        self._flush(producer, what, refused)

    def _flush(self, producer, what, refused) -> None:
        end = time.monotonic() + max(self._timeout, len(producer) / 1000.0)
        while len(producer) and not refused and time.monotonic() < end:
            producer.flush(SLICE)
        if refused and refused[0].code() == confluent_kafka.KafkaError._PURGE_QUEUE:
            producer.commit_transaction(self._timeout)  # it cannot: it raises the reason
        if refused:
            raise confluent_kafka.KafkaException(refused[0])
        if len(producer):
            raise self._connection.failure(what, self._connection.heard)

    def _abort(self, producer) -> None:
        try:
            producer.abort_transaction(self._timeout)
        except (confluent_kafka.KafkaException, SystemError):
            pass  # the brokers end it themselves after _TRANSACTION_MS

    def _commit(self, producer, what, names) -> None:
        end = time.monotonic() + self._timeout
        first = True  # once an answer was missing, the brokers may have committed, whatever they answer later
        while True:
            try:
                return producer.commit_transaction(max(SLICE, self._timeout))
            except (confluent_kafka.KafkaException, SystemError) as caught:
                error = _inside(caught)
            if error.txn_requires_abort():
                self._abort(producer)
            if first and error.txn_requires_abort():
                raise self._connection.failure(what, error, ", ".join(names), write=True).also("The transaction was aborted.")
            if not error.retriable() or time.monotonic() > end:
                # Also where it is the first answer that we see: the client asks again by itself when one does not come.
                fenced = error.code() in FENCED
                raise (errors.TakenOver if fenced else errors.WriteOutcomeUnknown)(
                    "%s were sent to %s, but whether they are committed is not known: %s.%s" % (
                        what[0].upper() + what[1:], self._connection.brokers, error.str(),
                        " Another run with the same transactional id has taken over." if fenced else ""),
                    **self._connection.facts(error))
            first = False


def _inside(error):
    """The KafkaError of an exception. When a producer is fenced, the client raises from within a callback, as a SystemError."""
    if isinstance(error, SystemError):
        cause = error.__cause__ or error.__context__
        if not isinstance(cause, confluent_kafka.KafkaException):
            raise error
        error = cause
    return error.args[0]
