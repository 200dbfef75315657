# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.
"""The logs of offsets of one source: read as they are now, and written."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import OffsetLog
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs, LogSource, hidden


def logs_of(kafka, path=None, **more):
    """OffsetLogs of a standalone worker's file (path), else of the topics of a Kafka cluster (kafka: KafkaClient). more: see OffsetLogs."""
    if not path:
        return OffsetLogs(KafkaLogs(kafka), **more)
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file_log import FileLog
    return OffsetLogs(FileLog(path), **more)


class OffsetLogs:
    """Reads the whole of each log once, then only what has come since."""

    def __init__(self, source: LogSource, history_of=None, once=False, many=False):
        """history_of: keep older records of this connector ("" for all). once: never look for what has come since, but for renew().

        many: the same, for the stores of many connectors, whose records are decoded together.
        """
        self.source = source
        #: the topic that was proven to be the workers' own, None so far
        self.proven = None
        #: what some connectors have by REST (see _stores.topic_discovery), None so far
        self.known = None
        #: what was looked at once more, as it could not be proven: names of topics, or None for a search
        self.looked_again = set()
        self._once = once or many
        self._many = many
        #: names of logs that need no further look
        self._done = set()
        self._warnings = {}
        self._history_of = history_of
        self._logs = {}

    def read(self, name: str) -> OffsetLog:
        """Raises NoTopic, NotOffsetsTopic, BrokerError, ConnectError."""
        log = self._logs.get(name)
        if name in self._done:
            return log
        if log is None:
            log = OffsetLog(self.source.topic(name), self._history_of, self._many)
        ends, all_ends = self.source.ends(log.topic)
        log.behind = hidden(ends, all_ends)
        for messages in self.source.read(log.topic, log.positions or self.source.starts(log.topic), ends):
            log.add(messages)
        log.positions = ends
        if name not in self._logs:
            self._warnings[name] = ([log.forgets] if log.forgets else []) + self.source.check(log)
            self._logs[name] = log
        if self._once:
            self._done.add(name)
        return log

    def renew(self) -> None:
        """What is read from here on is as of now."""
        self._done.clear()

    def write(self, records, transactional_id: str, finishes=False) -> None:
        """See LogSource.write()."""
        self.renew()
        self.source.write(records, transactional_id, finishes)

    def value(self, name: str, place: int, key: bytes):
        """The value of a record as it was last read; None if it is a tombstone or not there."""
        last = self._logs[name].last if name in self._logs else ()
        message = last[place].get(key) if place < len(last) else None
        return None if message is None else message.value()

    def warnings(self, names) -> list:
        """What is to be known about these logs."""
        found = [text for name in names for text in self._warnings.get(name, [])]
        return found + ["A transaction is open on %s (partition %s): only what is before it was read." % (name, numbers(self._logs[name].behind))
                        for name in names if name in self._logs and self._logs[name].behind]


def numbers(found) -> str:
    return ", ".join(map(str, sorted(found)))
