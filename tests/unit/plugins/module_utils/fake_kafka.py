# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A Kafka cluster in memory, as far as the offsets-topic method looks at one."""

from __future__ import annotations

import struct

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.murmur2 import partition_for
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import CREATE, TOPIC, Right
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.admin import Found, Topic
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.groups import Group

#: 2024-01-01T00:00:00Z; each record is a second younger than the one before
EPOCH = 1704067200000


class Message:
    """A record as confluent-kafka gives it."""

    def __init__(self, partition, offset, key, value, time):
        self._parts = key, value, partition, offset, time

    def key(self):
        return self._parts[0]

    def value(self):
        return self._parts[1]

    def partition(self):
        return self._parts[2]

    def offset(self):
        return self._parts[3]

    def timestamp(self):
        return (0, -1) if self._parts[4] is None else (1, self._parts[4])


def _raise(fault):
    if isinstance(fault, Exception):
        raise fault


class _Topics(dict):
    """The topics with their records; called, it is KafkaClient.topics()."""

    def __init__(self, logs, *given):
        super().__init__(*given)
        self._logs = logs

    def __call__(self):
        counts = {name: len(found) for name, found in {**self, **self._logs}.items()}
        return [Topic(name, count, None) for name, count in sorted(counts.items())]


class FakeKafka:
    """``topics``: name -> its partitions, each a list of messages. ``faults``: what the next writes do instead.

    A fault is an exception to raise, or a function of the records; ``asked``: the calls; ``writes``: what was written.
    """

    cluster_id = "cluster-1"
    brokers = "b:9092"

    timeout = 1
    #: the parts of a KafkaClient
    admin = groups = offsets = permissions = reader = property(lambda self: self)

    def __init__(self, *names, partitions=5, policy="compact"):
        #: name of a topic of which only this is known -> its partitions, each (begin, end, {time: offset of the record})
        self.logs = {}
        self.topics = _Topics(self.logs, {name: [[] for _number in range(partitions)] for name in names or ("offsets",)})
        self.policies = dict.fromkeys(self.topics, policy)
        self.unstable = set()
        #: the largest record that any topic takes; None: the brokers do not tell
        self.max_bytes = None
        #: (topic, partition) -> end for a reader of committed records, while a transaction is open
        self.open = {}
        self.workers = []
        #: name of a consumer group -> {(topic, partition): offset}, and name -> [Member]
        self.commits, self.members, self.settings = {}, {}, {}
        #: (operation, kind, name) of rights that lack, and topics that may not be created
        self.lacks, self.uncreatable = (), ()
        #: topics that may not be read, and that may not even be seen
        self.denied, self.unseen = (), ()
        #: (topic, partition) -> time of the first record that waits there, False where there is none
        self.firsts = {}
        #: topic -> its configuration
        self.topic_configs = {}
        self.asked, self.writes, self.ids, self.faults = [], [], [], []
        self._seconds = 0

    # ---- what a test puts in, and sees

    def put(self, key, value, place=None, topic="offsets", time=0):
        """key, value: text or bytes. place: by default where Java's producer puts it. time: None for none."""
        key, value = (part.encode("utf-8") if isinstance(part, str) else part for part in (key, value))
        partitions = self.topics[topic]
        place = partition_for(key, len(partitions)) if place is None else place
        self._seconds += 1
        time = time if time is None else time or EPOCH + 1000 * self._seconds
        partitions[place].append(Message(place, len(partitions[place]), key, value, time))
        return self

    def live(self, topic="offsets") -> dict:
        """(partition, key) -> value, as after compaction"""
        found = {}
        for number, messages in enumerate(self.topics[topic]):
            found.update({(number, message.key()): message.value() for message in messages})
        return {place: value for place, value in found.items() if value is not None}

    def log_of(self, topic, *partitions):
        """partitions: (begin, end), or (begin, end, {time: offset})"""
        self.logs[topic] = [(one[0], one[1], one[2] if len(one) > 2 else {}) for one in partitions]
        return self

    def has(self, addresses):
        return self.brokers in addresses

    # ---- KafkaClient: what the user may do

    def missing_acls(self, needed):
        self.asked.append(("missing_acls", list(needed)))
        return [Right(*one, self.brokers, "") for one in needed if one in self.lacks]

    def missing_to_create(self, name, partitions, config):
        self.asked.append(("missing_to_create", name))
        return [Right(CREATE, TOPIC, name, self.brokers, "")] if name in self.uncreatable else []

    # ---- KafkaClient: groups, and the logs that they read

    def group(self, name):
        self.asked.append(("group", name))
        members = self.members.get(name, [])
        members = members.pop(0) if members and isinstance(members[0], list) else members
        return Group("STABLE" if members else "EMPTY" if self.commits.get(name) else None, members)

    def names(self, idle=False):
        self.asked.append(("names", idle))
        return sorted(name for name in self.commits if not (idle and self.members.get(name)))

    def group_offsets(self, name):
        self.asked.append(("group_offsets", name))
        _raise(self.commits.get(name))
        return dict(self.commits.get(name, {}))

    def commit(self, name, offsets):
        self.asked.append(("commit", name))
        fault = self.faults.pop(0) if self.faults else None
        _raise(fault)
        if fault is not None:
            return fault(name, offsets)
        if self.members.get(name):
            raise errors.GroupInUse(f"The consumer group {name} has members.")
        self.writes.append(dict(offsets))
        return self.commits.setdefault(name, {}).update(offsets)

    def delete_group(self, name):
        self.asked.append(("delete_group", name))
        if self.members.get(name):
            raise errors.GroupInUse(f"The consumer group {name} has members.")
        self.commits.pop(name, None)

    def partition_counts(self, names):
        known = {topic.name: topic.partitions for topic in self.topics()}
        return {name: known.get(name) for name in set(names)}

    def look_for(self, names):
        known, names = {topic.name: topic.partitions for topic in self.topics()}, set(names)
        for name in names:
            if name in self.unseen:
                raise errors.BrokerDenied(f"no Describe on {name}")
        return {name: Found(name, "id", known[name], True) if name in known else None for name in names}

    def topic_settings(self, names):
        return {name: self.topic_configs.get(name, {}) for name in set(names)}

    def of(self, places, where, committed=False):
        self.asked.append(("log", where, committed))
        return {place: self._log(*place, where, committed) for place in places}

    def _log(self, topic, number, where, committed):
        begin, end, times = self.logs[topic][number]
        if committed:
            end = self.open.get((topic, number), end)
        if where in ("earliest", "latest"):
            return {"earliest": begin, "latest": end}[where], None
        return min(((offset, time) for time, offset in times.items() if time >= where), default=(None, None))

    def first_records(self, starts):
        self.asked.append(("first_records", sorted(starts.items())))
        denied = {topic: errors.BrokerDenied(f"no Read on {topic}") for topic, _number in starts if topic in self.denied}
        return {place: self.firsts[place] for place in starts if place in self.firsts}, denied

    def broker_setting(self, name):
        return self.settings.get(name)

    # ---- KafkaClient

    def topic(self, name):
        self.asked.append(("topic", name))
        if name in self.unseen:
            raise errors.BrokerDenied(f"no Describe on {name}")
        if name not in self.topics:
            raise errors.NoTopic(f"There is no topic {name}")
        return Topic(name, len(self.topics[name]), self.policies[name], self.max_bytes)

    def offset_topics(self):
        return [Topic(name, len(found), self.policies[name]) for name, found in sorted(self.topics.items()) if "offset" in name]

    def connect_groups(self):
        _raise(self.workers)
        return self.workers

    def starts(self, topic):
        return dict.fromkeys(range(topic.partitions), 0)

    def ends(self, topic):
        self.asked.append(("ends", topic.name))
        ends = {number: len(messages) for number, messages in enumerate(self.topics[topic.name])}
        return {number: self.open.get((topic.name, number), end) for number, end in ends.items()}, ends

    def read(self, topic, starts, ends):
        self.asked.append(("read", topic.name, sum(ends.values()) - sum(starts.values())))
        if topic.name in self.denied:
            raise errors.BrokerDenied(f"no Read on {topic.name}")
        for number, messages in enumerate(self.topics[topic.name]):
            for message in messages[starts[number]:ends[number]]:
                yield [message]

    def write(self, records, transactional_id, ready=None):
        if ready is not None:
            ready()
        fault = self.faults.pop(0) if self.faults else None
        _raise(fault)
        if fault is not None:
            return fault(records)
        self.writes.append(list(records))
        self.ids.append(transactional_id)
        return self.carry_out(records)

    def carry_out(self, records):
        for topic, place, key, value in records:
            self.put(key, value, place, topic)


# ---- the bytes of Connect's protocol ------------------------------------------------------------------------------

def _text(value):
    data = value.encode("utf-8")
    return struct.pack(">h", len(data)) + data


def _work(tasks):
    """ConnectProtocol's array of {connector, array of tasks}; a task is -1 for the connector itself."""
    return struct.pack(">i", len(tasks)) + b"".join(
        _text(name) + struct.pack(f">i{len(numbers)}i", len(numbers), *numbers) for name, numbers in tasks.items())


def assignment(version, tasks, revoked=None, error=0, delay=300000):
    """Versions 1 and 2 end with what is revoked and the delay of the next rebalance."""
    more = b"" if version == 0 else (struct.pack(">i", -1) if revoked is None else _work(revoked)) + struct.pack(">i", delay)
    return struct.pack(">hh", version, error) + _text("leader-1") + _text("http://w:8083/") + struct.pack(">q", 7) + _work(tasks) + more


def metadata(version, had=None, url="http://w:8083/"):
    """The worker's state; from version 1 on with what it has, as nullable bytes."""
    more = b"" if version == 0 else struct.pack(">i", -1) if had is None else struct.pack(">i", len(had)) + had
    return struct.pack(">h", version) + _text(url) + struct.pack(">q", 7) + more
