# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a transaction: what is said when the brokers' answer to the commit is an error, or is missing. A real broker cannot be made to answer so."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.connection import Connection
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.writer import Writer
from confluent_kafka import KafkaError, KafkaException

TIME_OUT = KafkaException(KafkaError(KafkaError._TIMED_OUT, "no answer", retriable=True))
FENCED = KafkaException(KafkaError(KafkaError._FENCED, "fenced", fatal=True))
ABORT = KafkaException(KafkaError(KafkaError.INVALID_TXN_STATE, "wrong state", txn_requires_abort=True))
EPOCH = KafkaException(KafkaError(KafkaError.INVALID_PRODUCER_EPOCH, "old epoch", fatal=True))
FATAL = KafkaException(KafkaError(KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER, "out of order", fatal=True))
OTHER = KafkaException(KafkaError(KafkaError._STATE, "no transaction"))


class Producer:
    """Its commits end as told, the last one well."""

    def __init__(self, *ends) -> None:
        self.ends = list(ends)
        self.aborted = 0

    def commit_transaction(self, _timeout) -> None:
        if self.ends:
            raise self.ends.pop(0)

    def abort_transaction(self, _timeout) -> None:
        self.aborted += 1


def commit(*ends) -> Producer:
    producer = Producer(*ends)
    Writer(Connection({"bootstrap.servers": "b:9092"}, 5), "id", {})._commit(producer, "the records for t", ["t"])
    return producer


@pytest.mark.parametrize("ends", [(), (TIME_OUT,), (TIME_OUT, TIME_OUT)])
def test_an_answer_that_was_missing_is_asked_for_again(ends):
    assert commit(*ends).aborted == 0


def test_a_first_answer_that_wants_an_abort_is_certain():
    producer = Producer(ABORT)
    with pytest.raises(errors.BrokerError) as caught:
        Writer(Connection({"bootstrap.servers": "b:9092"}, 5), "id", {})._commit(producer, "the records for t", ["t"])
    assert not isinstance(caught.value, errors.WriteOutcomeUnknown) and "The transaction was aborted." in caught.value.message and producer.aborted == 1


@pytest.mark.parametrize("ends", [(TIME_OUT, FENCED), (TIME_OUT, ABORT), (TIME_OUT, TIME_OUT, FENCED), (OTHER,),
                                  (FENCED,), (EPOCH,), (FATAL,)])
def test_another_error_is_not_known_to_be_a_failure(ends):
    """The brokers may have committed at an attempt of which no answer came, which may be one that the client has made by itself."""
    with pytest.raises(errors.WriteOutcomeUnknown) as caught:
        commit(*ends)
    assert "whether they are committed is not known" in caught.value.message and "nothing" not in caught.value.message
    taken_over = ends[-1] in (FENCED, EPOCH)
    assert isinstance(caught.value, errors.TakenOver) is taken_over
    assert caught.value.message.endswith("Another run with the same transactional id has taken over.") is taken_over
