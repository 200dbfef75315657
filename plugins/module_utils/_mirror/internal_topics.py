# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What MirrorMaker's own topics say: offset-syncs, checkpoints, heartbeats. They are read, and never written."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.mirror_records import heartbeat
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

#: how many of the latest heartbeats are looked at first; there is one each second for every flow
_LATEST = 1000


class Folded:
    """The last record of each key of one topic, decoded; exists: None where nobody could look."""

    def __init__(self, name, exists=None):
        self.name = name
        self.exists = exists
        self.records = 0
        self.unreadable = 0
        #: records without a value, in the log or superseded: MirrorMaker cannot read any of them
        self.tombstones = 0
        self.found = []


def fold(kafka, name: str, decode) -> Folded:
    """decode: see _codecs.mirror_records. Records that cannot be decoded are counted. Raises BrokerError."""
    try:
        topic = kafka.admin.topic(name)
    except errors.NoTopic:
        return Folded(name, False)
    folded, last = Folded(name, True), {}
    for messages in kafka.reader.read(topic, kafka.offsets.starts(topic), kafka.offsets.ends(topic)[0]):
        folded.records += len(messages)
        for message in messages:
            value = message.value()
            folded.tombstones += value is None
            last[message.key()] = value
    for key, value in last.items():
        if value is None:
            continue
        try:
            folded.found.append(decode(key, value))
        except ValueError:
            folded.unreadable += 1
    folded.found.sort()
    return folded


def heartbeats(kafka, name: str, wanted) -> dict:
    """{(source, target): time of the newest in milliseconds}, of those that are wanted. Raises BrokerError."""
    try:
        topic = kafka.admin.topic(name)
    except errors.NoTopic:
        return {}
    begins, ends = kafka.offsets.starts(topic), kafka.offsets.ends(topic)[0]
    latest = {number: max(begins[number], end - _LATEST) for number, end in ends.items()}
    found = _newest(kafka, topic, latest, ends)
    if set(wanted) - set(found) and latest != begins:
        for pair, time in _newest(kafka, topic, begins, latest).items():
            found.setdefault(pair, time)
    return found


def _newest(kafka, topic, starts, ends) -> dict:
    found = {}
    for messages in kafka.reader.read(topic, starts, ends):
        for message in messages:
            try:
                one = heartbeat(message.key(), message.value())
            except ValueError:
                continue
            found[one.source, one.target] = max(one.time, found.get((one.source, one.target), 0))
    return found
