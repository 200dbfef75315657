# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What real brokers do not do on demand: they forget a topic late, somebody creates it again, a right is missing."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.admin import Found
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.source_clusters import SourceClusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.topics import ABSENT, EMPTIED, declare_topics


class Brokers:
    """Topics with one partition each, from 0 to ``end``. ``after``: what look_for() tells after the deletion, one by one."""

    brokers, cluster_id = "b:9092", "cluster-1"
    #: the parts of a KafkaClient
    admin = offsets = reader = property(lambda self: self)

    def __init__(self, end=3, policy="delete", may_delete=True, after=(None,), lag=0):
        self.end, self.policy, self.may_delete, self.after, self.lag = end, policy, may_delete, list(after), lag
        self.begin, self.deleted, self.readable, self.keys = 0, [], True, []

    def look_for(self, names):
        if self.deleted:
            now = self.after.pop(0) if len(self.after) > 1 else self.after[0]
            return {name: now and Found(name, now, 1, True) for name in names}
        return {name: Found(name, "first", 1, self.may_delete) for name in names}

    def cleanup_policies(self, names):
        return dict.fromkeys(names, self.policy)

    def of(self, places, where, committed=False):
        if where == "earliest" and self.deleted:
            self.lag -= 1
            self.begin = self.begin if self.lag >= 0 else self.end
        return dict.fromkeys(places, (self.begin if where == "earliest" else self.end, None))

    def starts(self, topic):
        return {0: self.begin}

    def ends(self, topic):
        return {0: self.end}, {0: self.end}

    def read(self, topic, starts, ends):
        if not self.readable:
            raise errors.BrokerDenied("no")
        yield [type("Message", (), {"key": staticmethod(lambda key=key: key)}) for key in self.keys[:ends[0]]]

    def delete_topics(self, names):
        self.deleted += sorted(names)

    def delete_records(self, places):
        self.deleted += sorted(places.items())


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def declare(brokers, state=ABSENT, names=("t",), check_mode=False, clock=None, readers=lambda names: []):
    clock = clock or Clock()
    return declare_topics(brokers, names, state, 5, check_mode, readers, clock.sleep, clock)


def test_it_is_waited_for_until_the_brokers_forget_it():
    brokers, clock = Brokers(after=["first", "first", None]), Clock()
    assert declare(brokers, clock=clock)["changed"] and clock.now > 0.3
    with pytest.raises(errors.WaitError, match="still list t after 5 s"):
        declare(Brokers(after=["first"]))


def test_somebody_creates_it_again():
    found = declare(Brokers(after=["first", "second"]))
    assert found["changed"] and found["warnings"] == ["t was deleted, and somebody has created it again at once."]


def test_records_that_go_late_or_never():
    brokers = Brokers(lag=3)
    assert declare(brokers, EMPTIED)["changed"] and brokers.deleted == [(("t", 0), 3)]
    with pytest.raises(errors.ReadBackError, match="t-0 still begins at 0 instead of 3"):
        declare(Brokers(lag=1000), EMPTIED)


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_missing_right_is_known_before_the_first_change(check_mode):
    brokers = Brokers(may_delete=False)
    with pytest.raises(errors.BrokerDenied, match="lacks the permission Delete on Topic t of the Kafka cluster at b:9092"):
        declare(brokers, check_mode=check_mode)
    assert not brokers.deleted
    assert declare(Brokers(may_delete=None), check_mode=check_mode)["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_readers_are_looked_at_before_a_deletion(check_mode):
    brokers, asked = Brokers(), []

    def refuse(names):
        asked.extend(names)
        raise errors.StateError("orders-sink reads t")

    with pytest.raises(errors.StateError, match="orders-sink reads t"):
        declare(brokers, readers=refuse, check_mode=check_mode)
    assert asked == ["t"] and not brokers.deleted
    assert declare(brokers, readers=lambda names: ["it reads"], check_mode=check_mode)["warnings"] == ["it reads"]
    assert declare(Brokers(), EMPTIED, readers=refuse, check_mode=check_mode)["changed"]


@pytest.mark.parametrize("name, policy, keys, refused", [
    ("connect-offsets", "compact", [], True),
    ("my-Connect_status", None, [], True),
    ("connect-offsets", "delete", [], False),
    ("mm2-configs.east.internal", "compact", [], True),
    ("mm2-offset-syncs.west.internal", "compact", [b'["c",{}]'], False),
    ("east.checkpoints.internal", "compact", [b'["c",{}]'], False),
    ("t", "compact", [b'["c",{"p":1}]', b'["a\\"b", {}]'], True),
    ("t", "compact", [b"target-state-c", b"connector-c", b"session-key"], True),
    ("t", "compact,delete", [b"status-topic-a:connector-b"], True),
    ("t", "compact", [b'["c",{"p":1}]', b"x"], False),
    ("t", "compact", [b'["c",{"p":1}]', None], False),
    ("t", "compact", [], False),
    ("t", "delete", [b'["c",{"p":1}]'], False),
])
def test_connects_own(name, policy, keys, refused):
    brokers = Brokers(end=len(keys), policy=policy)
    brokers.keys = keys
    if refused:
        with pytest.raises(errors.DeclarationError, match="seems to be an internal topic of Connect workers, or of the ledger of this collection"):
            declare(brokers, names=[name])
        assert not brokers.deleted
    else:
        assert declare(brokers, names=[name])["changed"]


def test_records_that_may_not_be_read_hinder_nobody():
    brokers = Brokers(policy="compact")
    brokers.readable = False
    assert declare(brokers)["changed"]


def test_a_cluster_by_its_alias():
    clusters = SourceClusters({"east": {"bootstrap.servers": "e:9092"}}, make=lambda settings, timeout: settings["bootstrap.servers"])
    assert clusters.named("east") == "e:9092"
    with pytest.raises(errors.DeclarationError, match="no alias west in kafka_connect_source_clusters .which has east."):
        clusters.named("west")
    with pytest.raises(errors.DeclarationError, match="which is empty"):
        SourceClusters().named("east")
