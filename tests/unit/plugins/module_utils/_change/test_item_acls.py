# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change for which a right on the brokers is missing is refused before anything is stopped, in check mode as well."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.acl import DELETE, GROUP, READ, TOPIC, WRITE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.topic import TopicLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import TrackedChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import Access
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change import test_item as sources
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change import test_item_sinks as sinks
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

LEDGER = "connect-offset-changes"

both = pytest.mark.parametrize("check_mode", [True, False])


def asked(kafka, question="missing_acls"):
    return [call[1] for call in kafka.asked if call[0] == question]


def refused(change, *words):
    with pytest.raises(errors.BrokerDenied) as caught:
        change()
    assert f"the user needs the permission {', '.join(words)}. " in caught.value.message
    assert caught.value.facts["missing_permissions"] == list(words)
    return caught.value.message


# ---- the offsets topic --------------------------------------------------------------------------------------------

@both
def test_the_offsets_topic(check_mode):
    connect = sources.Worker("RUNNING")
    kafka = sources.kafka_with(connect, a=10)
    kafka.lacks = [(WRITE, TOPIC, "offsets")]
    desired = DesiredOffsets.present(sources.pairs(a=4))
    refused(lambda: sources.on_topic(kafka, connect, desired, check_mode=check_mode, stop=True), "Write on Topic offsets")
    assert connect.writes == [] and sources.left(kafka) == {"a": 10}
    kafka.lacks = []
    assert sources.on_topic(kafka, connect, desired, check_mode=check_mode, stop=True)["changed"] is True
    assert asked(kafka)[-1] == [(WRITE, TOPIC, "offsets")]


@both
def test_what_changes_nothing_needs_no_right(check_mode):
    connect = sources.Worker("RUNNING")
    kafka = sources.kafka_with(connect, a=10)
    kafka.lacks = [(WRITE, TOPIC, "offsets")]
    assert sources.on_topic(kafka, connect, DesiredOffsets.present(sources.pairs(a=10)), check_mode=check_mode, stop=True)["changed"] is False
    assert asked(kafka) == []


@both
def test_by_rest_nothing_is_asked(check_mode):
    connect = sources.FakeConnect("RUNNING", sources.live(a=10))
    kafka = sources.kafka_with(connect, a=10)
    result = sources.on_topic(kafka, connect, DesiredOffsets.present(sources.pairs(a=4)), method="rest", check_mode=check_mode, stop=True)
    assert result["changed"] is True and asked(kafka) == []


# ---- the consumer group -------------------------------------------------------------------------------------------

GROUP_READ, GROUP_DELETE = (READ, GROUP, sinks.GROUP), (DELETE, GROUP, sinks.GROUP)


def two_topics():
    kafka = sinks.kafka_with(p0=40, p1=40).log_of("u", (0, 50))
    kafka.log_of("v", (0, 50))
    kafka.commits[sinks.GROUP]["u", 0] = 40
    return kafka


@both
@pytest.mark.parametrize("desired, needed", [
    # others stay as they are, and are not committed
    (lambda: DesiredOffsets.present(sinks.pairs(p0=5)), [GROUP_READ, (READ, TOPIC, "t")]),
    (lambda: DesiredOffsets.present([{"partition": sinks.part(0, "v"), "offset": {"kafka_offset": 1}}]), [GROUP_READ, (READ, TOPIC, "v")]),
    # the group is deleted, and what stays is committed again
    (lambda: DesiredOffsets.absent([{"partition": sinks.part(0)}]), [GROUP_DELETE, GROUP_READ, (READ, TOPIC, "t"), (READ, TOPIC, "u")]),
    (lambda: DesiredOffsets.absent([{"partition": sinks.part(0, "u")}]), [GROUP_DELETE, GROUP_READ, (READ, TOPIC, "t")]),
    (lambda: DesiredOffsets.present(sinks.pairs(p0=5), purge=True), [GROUP_DELETE, GROUP_READ, (READ, TOPIC, "t")]),
    (lambda: DesiredOffsets.absent(None), [GROUP_DELETE]),
])
def test_the_group(desired, needed, check_mode):
    """Exactly the rights that the change needs, and each of them."""
    for lack in needed:
        kafka = two_topics()
        worker = sinks.Worker(kafka, "RUNNING", config={"topics": "t,u,v"})
        kafka.lacks = [lack]
        refused(lambda kafka=kafka, worker=worker: sinks.change(worker, kafka, desired(), check_mode, "group", stop=True),
                "{} on {} {}".format(*lack))
        assert worker.calls == [] and kafka.writes == []
    kafka.lacks = []
    assert sinks.change(worker, kafka, desired(), check_mode, "group", stop=True)["changed"] is True
    assert asked(kafka)[-1] == needed


def test_all_that_lack_are_named_at_once():
    kafka = two_topics()
    kafka.lacks = [GROUP_READ, GROUP_DELETE, (READ, TOPIC, "u")]
    refused(lambda: sinks.change(sinks.Worker(kafka), kafka, DesiredOffsets.absent([{"partition": sinks.part(0)}]), method="group"),
            "Delete on Group connect-c", "Read on Group connect-c", "Read on Topic u")


# ---- the ledger ---------------------------------------------------------------------------------------------------

def named(connect, kafka, desired, check_mode):
    ledger = TopicLedger(kafka, sleep=connect.sleep, clock=connect.clock)
    once = TrackedChange(ledger, "c", "CHG-1", sleep=connect.sleep, clock=connect.clock, run="r1")
    method = Router(Access(connect, "c", None if kafka.topics.keys() <= {LEDGER} else kafka, "auto", "offsets", sleep=connect.sleep))
    change = ChangeItem(connect, "c", desired, method, stop=True, once=once, sleep=connect.sleep, clock=connect.clock)
    return run_alone(change, check_mode)


@both
@pytest.mark.parametrize("position", [4, 10])
def test_the_ledger(check_mode, position):
    """Whatever the method of the change, and though it is as declared already: the ledger is told."""
    connect = sources.FakeConnect("RUNNING", sources.live(a=10))
    kafka = FakeKafka(LEDGER)
    kafka.lacks = [(WRITE, TOPIC, LEDGER)]
    message = refused(lambda: named(connect, kafka, DesiredOffsets.present(sources.pairs(a=position)), check_mode), f"Write on Topic {LEDGER}")
    assert f"The topic {LEDGER} is the ledger of changes, which can also be kept in a file" in message
    assert connect.writes == [] and kafka.writes == []


def test_a_ledger_that_cannot_be_created():
    """Only a dry run asks: else it is created before anything is stopped, or is not."""
    connect = sources.FakeConnect("RUNNING", sources.live(a=10))
    kafka = FakeKafka("elsewhere-offsets")
    kafka.topics.clear()
    kafka.uncreatable = [LEDGER]
    desired = DesiredOffsets.present(sources.pairs(a=4))
    refused(lambda: named(connect, kafka, desired, True), f"Create on Topic {LEDGER}")
    kafka.uncreatable = []
    assert named(connect, kafka, desired, True)["changed"] is True and asked(kafka, "missing_to_create") == [LEDGER] * 2
    assert connect.writes == []


def test_a_real_run_does_not_ask_whether_it_could_create():
    kafka = FakeKafka("elsewhere-offsets")
    ledger = TopicLedger(kafka)
    assert ledger.changes("c") == [] and ledger.missing_acls(False) == [] and asked(kafka, "missing_to_create") == []
    kafka.uncreatable = [LEDGER]
    for _time in range(2):
        assert [one[:3] for one in ledger.missing_acls(True)] == [("Create", TOPIC, LEDGER)]
    assert asked(kafka, "missing_to_create") == [LEDGER]


def test_those_of_the_change_and_of_the_ledger_together():
    connect = sources.Worker("RUNNING")
    kafka = sources.kafka_with(connect, a=10)
    kafka.topics[LEDGER] = [[]]
    kafka.policies[LEDGER] = "compact"
    kafka.lacks = [(WRITE, TOPIC, "offsets"), (WRITE, TOPIC, LEDGER)]
    ledger = TopicLedger(kafka, sleep=connect.sleep, clock=connect.clock)
    once = TrackedChange(ledger, "c", "CHG-1", sleep=connect.sleep, clock=connect.clock, run="r1")
    method = Router(Access(connect, "c", kafka, "topic", "offsets", sleep=connect.sleep))
    desired = DesiredOffsets.present(sources.pairs(a=4))
    change = ChangeItem(connect, "c", desired, method, stop=True, once=once, sleep=connect.sleep, clock=connect.clock)
    refused(lambda: run_alone(change, False), "Write on Topic offsets", f"Write on Topic {LEDGER}")
    assert connect.writes == [] and kafka.writes == []
