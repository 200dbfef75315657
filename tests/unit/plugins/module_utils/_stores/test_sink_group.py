# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_config import SinkConfig
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.groups import Member
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.group import GroupStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import Sink
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

TASK = Member("connector-consumer-c-0", "10.0.0.7", [("t", 0), ("t", 1)])
STRANGER = Member("rdkafka", "10.0.0.9", [])
STATIC = Member("connector-consumer-c-0", "10.0.0.7", [("t", 0)], "pod-7")


def kafka_with(**commits):
    """Topics t with partitions 0 to 2 (the last one empty), other with one."""
    kafka = FakeKafka().log_of("t", (0, 5, {100: 2}), (10, 90, {50: 20, 100: 40}), (7, 7)).log_of("other", (0, 3))
    kafka.commits["connect-c"] = {("t", int(name[1:])): offset for name, offset in commits.items()}
    return kafka


class Time:
    def __init__(self):
        self.now = 0.0

    def sleep(self, seconds):
        self.now += seconds

    def clock(self):
        return self.now


def sink(kafka, config=None, **options):
    return Sink(kafka, SinkConfig("c", config, **options))


def await_free(kafka):
    time = Time()
    sink(kafka).await_free(5, time.sleep, time.clock)


def store(kafka, config=None):
    time = Time()
    return GroupStore(sink(kafka, config), time.sleep, time.clock)


# ---- who is in the group ------------------------------------------------------------------------------------------

def test_an_empty_group_is_free_at_once():
    kafka = kafka_with(p0=3)
    await_free(kafka)
    assert kafka.asked == [("group", "connect-c")]


def test_members_that_leave_in_time():
    kafka = kafka_with(p0=3)
    kafka.members["connect-c"] = [[TASK], [TASK], []]
    await_free(kafka)
    assert len(kafka.asked) == 3


@pytest.mark.parametrize("members, says", [
    ([TASK], "5 s after nothing of c should run any more, its consumer group connect-c has 1 member, and Kafka takes no offsets for it "
             "from anybody "
             "else: connector-consumer-c-0 at 10.0.0.7 (t-0, t-1). Tasks of a connector of this name run, maybe on another Connect "
             "cluster. A task that ended while its worker or the brokers were away stays in the group until its session time-out is over "
             "(session.timeout.ms, 45000 ms by default): wait that long."),
    ([STRANGER] * 5, "5 s after nothing of c should run any more, its consumer group connect-c has 5 members, and Kafka takes no offsets "
                     "for it from "
                     "anybody else: rdkafka at 10.0.0.9; rdkafka at 10.0.0.9; rdkafka at 10.0.0.9; and 2 more. They are no tasks of c by "
                     "their client "
                     "ids: stop these consumers, or give them a group of their own."),
])
def test_members_that_stay_are_named(members, says):
    kafka = kafka_with(p0=3)
    kafka.members["connect-c"] = members
    with pytest.raises(errors.StateError) as caught:
        await_free(kafka)
    assert caught.value.message == says
    assert caught.value.facts["consumer_group"] == "connect-c" and caught.value.facts["members"][0]["host"] == members[0].host


@pytest.mark.parametrize("config, time_out", [({}, "45000 ms by default"), ({"consumer.override.session.timeout.ms": "20000"}, "20000 ms")])
@pytest.mark.parametrize("members", [[STATIC], [TASK, STATIC]])
def test_a_static_member_that_stays_is_named_with_its_time_out(members, config, time_out):
    message = sink(kafka_with(p0=3), config).in_use(members).message
    assert "connector-consumer-c-0 at 10.0.0.7 (t-0), static member pod-7" in message
    assert message.endswith("A static member (group.instance.id) that has ended stays in the group until its session time-out is over "
                            f"(session.timeout.ms, {time_out}): wait that long.")


# ---- the group method -----------------------------------------------------------------------------------------------

def part(number):
    return {"kafka_topic": "t", "kafka_partition": number}


def applied(kafka, desired):
    one = store(kafka)
    plan = make_plan(one.read(), desired)
    one.check(plan)
    return one.apply(plan), one.recreates(plan)


def test_read():
    snapshot = store(kafka_with(p0=3, p1=50)).read()
    assert (snapshot.kind, snapshot.sorted()) == ("sink", [Entry(part(0), {"kafka_offset": 3}), Entry(part(1), {"kafka_offset": 50})])


@pytest.mark.parametrize("desired, commits, writes, recreates", [
    (DesiredOffsets.present([{"partition": part(0), "offset": {"kafka_offset": "1"}}]), {0: 1, 1: 50}, [{("t", 0): 1}], False),
    (DesiredOffsets.absent([{"partition": part(0)}]), {1: 50}, [{("t", 1): 50}], True),
    (DesiredOffsets.present([{"partition": part(0), "offset": {"kafka_offset": 1}}], purge=True), {0: 1}, [{("t", 0): 1}], True),
    (DesiredOffsets.absent(None), {}, [], False), (DesiredOffsets.absent([{"partition": part(0)}, {"partition": part(1)}]), {}, [], False),
])
def test_apply(desired, commits, writes, recreates):
    kafka = kafka_with(p0=3, p1=50)
    assert applied(kafka, desired) == (None, recreates)
    assert kafka.commits.get("connect-c", {}) == {("t", number): offset for number, offset in commits.items()}
    assert kafka.writes == writes * (2 if recreates else 1)  # tried before the group is deleted


def test_what_is_committed_last_is_not_lost_when_the_group_is_made_anew():
    kafka = kafka_with(p0=3, p1=50)
    one = store(kafka)
    plan = make_plan(one.read(), DesiredOffsets.absent([{"partition": part(0)}]))
    kafka.commits["connect-c"][("t", 1)] = 60
    one.apply(plan)
    assert kafka.commits["connect-c"] == {("t", 1): 60}


@pytest.mark.parametrize("desired", [DesiredOffsets.present([{"partition": part(0), "offset": {"kafka_offset": 1}}]), DesiredOffsets.absent(None)])
def test_a_group_in_use_is_left_alone(desired):
    kafka = kafka_with(p0=3)
    kafka.members["connect-c"] = [STRANGER]
    with pytest.raises(errors.StateError, match="^The consumer group connect-c has 1 member, .*: rdkafka at 10.0.0.9"):
        applied(kafka, desired)
    assert kafka.commits["connect-c"] == {("t", 0): 3}


def test_a_group_in_use_by_members_that_nobody_sees():
    kafka = kafka_with(p0=3)
    kafka.faults = [errors.GroupInUse("The consumer group connect-c has members.")]
    with pytest.raises(errors.StateError, match="^The consumer group connect-c has members.$"):
        applied(kafka, DesiredOffsets.present([{"partition": part(0), "offset": {"kafka_offset": 1}}]))


def test_the_others_are_committed_again_whatever_it_takes():
    kafka = kafka_with(p0=3, p1=50)
    kafka.faults = [None, errors.WriteOutcomeUnknown("No certain answer"), errors.WriteOutcomeUnknown("No certain answer")]
    applied(kafka, DesiredOffsets.absent([{"partition": part(0)}]))
    assert kafka.commits["connect-c"] == {("t", 1): 50}


def test_others_that_cannot_be_committed_again_are_an_error():
    kafka = kafka_with(p0=3, p1=50)
    kafka.faults = [None] + [errors.WriteOutcomeUnknown("No certain answer.")] * 20
    with pytest.raises(errors.BrokerError) as caught:
        applied(kafka, DesiredOffsets.absent([{"partition": part(0)}]))
    assert not isinstance(caught.value, errors.WriteOutcomeUnknown)
    assert caught.value.message == ("The consumer group connect-c was deleted to remove offsets, and the others could not be committed "
                                    "again. "
                                    "No certain answer.")


@pytest.mark.parametrize("fault", [errors.BrokerDenied("No Read."), errors.WriteOutcomeUnknown("No certain answer.")])
def test_a_group_is_not_deleted_where_the_others_cannot_be_committed(fault):
    kafka = kafka_with(p0=3, p1=50)
    kafka.faults = [fault]
    with pytest.raises(type(fault)):
        applied(kafka, DesiredOffsets.absent([{"partition": part(0)}]))
    assert kafka.commits["connect-c"] == {("t", 0): 3, ("t", 1): 50} and ("delete_group", "connect-c") not in kafka.asked


def test_a_group_is_not_deleted_where_some_of_its_offsets_are_hidden():
    """A topic that is not there is no reason: it has no offsets either."""
    for unseen, deleted in ((["hidden"], False), ([], True)):
        kafka = kafka_with(p0=3, p1=50)
        kafka.unseen = unseen
        one = store(kafka, {"topics": "t,hidden"})
        plan = make_plan(one.read(), DesiredOffsets.absent([{"partition": part(0)}]))
        if deleted:
            one.apply(plan)
        else:
            with pytest.raises(errors.BrokerDenied, match="no Describe on hidden$"):
                one.apply(plan)
        assert (("delete_group", "connect-c") in kafka.asked) is deleted


@pytest.mark.parametrize("commits, config, options, warned", [
    ({}, {}, {}, True), ({"p0": 3}, {}, {}, False), ({}, {"consumer.override.group.id": "connect-c"}, {}, False),
    ({}, {}, {"consumer_group": "connect-c"}, False),
])
def test_a_group_without_offsets_may_be_another_one(commits, config, options, warned):
    one = GroupStore(sink(kafka_with(**commits), config, **options))
    assert [warning.split(" of c")[0] for warning in one.warnings_about(one.read())] == (["The consumer group connect-c"] if warned else [])
