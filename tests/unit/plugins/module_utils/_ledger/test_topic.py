# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ledger on a topic makes of records, and who wins."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.murmur2 import partition_for
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import ConcurrentUpdate, Unreadable, encode
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.topic import TopicLedger, key_of
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka as Offsets

TOPIC = "connect-offset-changes"


class FakeKafka(Offsets):
    """With writers that fence each other, and topics that can be made. ``creates``: faults of the next creations."""

    def __init__(self, *names, **options):
        super().__init__(*(names or (TOPIC,)), **options)
        self.made, self.creates, self.owners, self.meanwhile, self.writers = [], [], {}, [], 0

    def create_topic(self, name, partitions, config):
        self.made.append((name, partitions, config))
        fault = self.creates.pop(0) if self.creates else config["cleanup.policy"]
        if isinstance(fault, Exception):
            raise fault
        self.topics[name] = [[] for _number in range(partitions)]
        self.policies[name] = fault

    def writer(self, transactional_id, settings):
        assert settings["message.max.bytes"] >= 20000000
        self.writers += 1
        return Writer(self, transactional_id)

    def add(self, one, group=None, place=None):
        return self.put(key_of(one.connector, one.change_id, group), encode(one), place, TOPIC)


class Writer:
    def __init__(self, kafka, transactional_id):
        self.kafka, self.id, self.begun = kafka, transactional_id, False

    def write(self, records, ready=None):
        if not self.begun:
            self.kafka.owners[self.id], self.begun = self, True
            ready()
        if self.kafka.meanwhile:
            self.kafka.meanwhile.pop(0)()
        if self.kafka.owners[self.id] is not self:
            raise errors.Fenced("fenced")
        self.kafka.write(records, self.id)


def empty(**options):
    """A cluster without the topic."""
    return FakeKafka("other", **options)


@pytest.fixture
def ledger():
    """ledger(kafka, **options) -> one that does not sleep."""
    naps = []

    def made(kafka, **options):
        return TopicLedger(kafka, sleep=naps.append, **options)

    made.naps = naps
    return made


def reads(kafka):
    """How many offsets each read took in."""
    return [asked[2] for asked in kafka.asked if asked[0] == "read"]


# ---- reading


def test_no_topic_is_an_empty_ledger(ledger):
    kafka = empty()
    assert ledger(kafka).changes("c") == [] and kafka.made == []


def test_last_one_wins_and_tombstones_remove(ledger):
    kafka = FakeKafka()
    two = change("CHG-2", revision=2, phase="applied", begun="2026-01-30T12:00:00.000Z")
    kafka.add(change()).add(change("CHG-2")).add(change("CHG-3")).add(two)
    kafka.put(key_of("c", "CHG-3"), None, topic=TOPIC)
    assert ledger(kafka).changes("c") == [two, change()]  # oldest first
    assert ledger(kafka).changes() == [two, change()] and ledger(kafka).changes("d") == []


@pytest.mark.parametrize("connector", ["c", 'say "hi"', "é\u2603", "a\\b", "two words", '["c', "new\nline", "c\udc80"])
def test_any_connector_name(ledger, connector):
    kafka = FakeKafka()
    one = change(connector=connector)
    kafka.add(change(connector="c2")).add(change(connector='c","x'))
    ledger(kafka).put(one, None)
    assert ledger(kafka).changes(connector) == [one]
    assert one in ledger(kafka).changes()


def test_rubbish_is_left_out_and_counted(ledger):
    kafka = FakeKafka()
    kafka.put("gibberish", "{}", topic=TOPIC).put('["c",{"p":0}]', '{"n":1}', topic=TOPIC).put('["c"]', "x", topic=TOPIC)
    kafka.put("gone", "{}", 0, topic=TOPIC).put("gone", None, 0, topic=TOPIC)
    kafka.put(b'["c","\xff"]', "x", topic=TOPIC).put(b'["c","\\q"]', "x", topic=TOPIC)
    kafka.add(change()).put('["d","broken"]', "not json", topic=TOPIC)
    found = ledger(kafka)
    assert found.changes("c") == [change()]
    assert found.warnings == ["The topic connect-offset-changes holds 5 records that this collection has not written; left out."]


@pytest.mark.parametrize("value, words", [
    ("not json", "not JSON"), ("{}", "something else"), ("null", "something else"), (b"\xff", "not JSON"),
    (encode(change()).replace('"version": 1', '"version": 9'), "version 9"),
    (encode(change()).replace('"phase": "started"', '"phase": "odd"'), "phase"), (encode(change()).replace('"times"', '"time"'), "times"),
    (encode(change("CHG-9")), "another connector or id"), (encode(change(connector="d")), "another connector or id"),
    (encode(change())[:-20], "not JSON"), ("[" * 9000, "not JSON"),
    (encode(change(before=[{"offset": {"n": 1}}])), "lacks a usable before"), (encode(change(after=["x"])), "lacks a usable after"),
    (encode(change(after=[{"partition": {"p": 0}, "offset": 4}])), "lacks a usable after"), (encode(change(records=[1.5])), "lacks a usable records"),
    (encode(change(records=[["offsets", 0, "key"]])), "lacks a usable records"),
    (encode(change(records=[["offsets", 0, "key", "value"]])).replace('"value"', '"\\ud800"'), "lacks a usable records"),
    (encode(change(cluster="k")), "lacks a usable cluster"),
    (encode(change(times={"started": "2026-01-31T12:00:00.000Z"}, phase="applied")), "lacks a usable times"),
])
def test_a_broken_change_of_this_connector_ends_it(ledger, value, words):
    kafka = FakeKafka()
    kafka.add(change("CHG-0")).put(key_of("c", "CHG-1"), value, topic=TOPIC)
    with pytest.raises(Unreadable, match=words) as caught:
        ledger(kafka).changes("c")
    assert '["c","CHG-1"]' in caught.value.message
    with pytest.raises(Unreadable):
        ledger(kafka).put(change(), None)
    assert kafka.writes == []
    assert ledger(kafka).changes("d") == []
    everything = ledger(kafka)
    assert everything.changes() == [change("CHG-0")] and words in everything.warnings[0]


def test_groups_are_apart(ledger):
    kafka = FakeKafka()
    alone, grouped = change(run="r0"), change(run="rg")
    ledger(kafka).put(alone, None)
    ledger(kafka, group="g").put(grouped, None)
    for group, found in ((None, alone), ("g", grouped), ("h", None)):
        one = ledger(kafka, group=group)
        assert one.changes("c") == ([found] if found else [])
        assert ("no Connect group" in one.warnings[0]) is (group is not None)
        assert ("the Connect group g" in one.warnings[0]) is (group != "g")
    assert '["c","CHG-1","g"]' in {message.key().decode() for part in kafka.topics[TOPIC] for message in part}


def test_one_ledger_of_several_groups_is_no_warning(ledger):
    """That is how a Kafka cluster with several Connect clusters has it. What was made before the groups were named may be one's own."""
    kafka = FakeKafka()
    for group in ("g", "h"):
        ledger(kafka, group=group).put(change(run=group), None)
    for group in ("g", "h"):
        one = ledger(kafka, group=group)
        assert one.changes("c") == [change(run=group)] and one.warnings == []
    ledger(kafka).put(change(run="r"), None)
    one = ledger(kafka, group="g")
    one.changes("c")
    assert "no Connect group" in one.warnings[0]


def test_the_highest_revision_counts_where_partitions_were_added(ledger):
    kafka = FakeKafka(partitions=3)
    key = key_of("c", "CHG-1")
    old = change()
    for place in range(3):
        kafka.put(key, encode(old._replace(revision=place + 1)), (place + 1) % 3, TOPIC)
    assert [one.revision for one in ledger(kafka).changes("c")] == [3]


@pytest.mark.parametrize("policy", ["delete", "compact,delete", "delete,compact"])
def test_a_topic_that_forgets_is_refused(ledger, policy):
    kafka = FakeKafka(policy=policy)
    for attempt in (lambda one: one.changes("c"), lambda one: one.put(change(), None)):
        with pytest.raises(errors.MethodError, match=f"cleanup.policy={policy}") as caught:
            attempt(ledger(kafka))
        assert f"--bootstrap-server b:9092 --alter --topic {TOPIC} --add-config cleanup.policy=compact" in caught.value.message
    assert kafka.writes == []


def test_a_policy_that_cannot_be_seen_is_a_warning(ledger):
    one = ledger(FakeKafka(policy=None))
    assert one.changes("c") == one.changes("c") == [] and len(one.warnings) == 1 and "DescribeConfigs on Topic" in one.warnings[0]


def test_reading_is_denied(ledger):
    kafka = FakeKafka().add(change())
    kafka.denied = (TOPIC,)
    with pytest.raises(errors.BrokerDenied, match="no Read on connect-offset-changes.*ledger of changes"):
        ledger(kafka).changes("c")


def test_an_open_transaction_is_waited_for_only_shortly_to_look(ledger):
    kafka = FakeKafka(partitions=1).add(change()).add(change(revision=2))
    kafka.open[(TOPIC, 0)] = 1
    clock = iter(range(100))
    one = TopicLedger(kafka, sleep=lambda seconds: None, clock=lambda: next(clock))
    assert [found.revision for found in one.changes("c")] == [1]
    assert "transaction is open on the topic connect-offset-changes (partition 0)" in one.warnings[0]


def patient(kafka):
    """A ledger whose clock runs."""
    clock = iter(range(1000))
    return TopicLedger(kafka, sleep=lambda seconds: None, clock=lambda: next(clock))


def test_no_change_is_written_while_a_transaction_hides_what_is_there():
    kafka = FakeKafka(partitions=2).add(change(), place=0).add(change(revision=2), place=0)
    kafka.open[(TOPIC, 0)] = 1
    with pytest.raises(errors.StateError, match="open on the topic .* If brokers stopped during a change, run that change again: "):
        patient(kafka).put(change(revision=2), change())
    assert kafka.writes == [[(TOPIC, 0, b'["c",""]', None)]], "no key of a change"


def test_a_transaction_of_the_same_connector_that_the_brokers_have_not_ended():
    """It was committed: what it holds counts, whatever was known before."""
    kafka = FakeKafka(partitions=1).add(change(connector="d")).add(change())
    kafka.open[(TOPIC, 0)] = 1

    def carry_out(records):
        kafka.open.clear()
        type(kafka).carry_out(kafka, records)

    kafka.carry_out = carry_out
    one = patient(kafka)
    assert one.changes("c") == []
    with pytest.raises(ConcurrentUpdate) as caught:
        one.put(change(run="r2"), None)
    assert caught.value.change == change() and one.changes("c") == [change()]
    one.put(change(run="r2", revision=2), change())
    assert [found.connector for found in patient(kafka).changes()] == ["d", "c"] and patient(kafka).changes("c") == [change(run="r2", revision=2)]
    assert [records[0][2:] for records in kafka.writes][0] == (b'["c",""]', None)


# ---- writing


def test_put_and_put_again(ledger):
    kafka = FakeKafka()
    one = ledger(kafka)
    first, second = change(), change(revision=2, phase="applied")
    assert one.changes("c") == []
    one.put(first, None)
    one.put(second, first)
    assert one.changes("c") == ledger(kafka).changes("c") == [second]
    assert kafka.ids == ["streamops.kafka_connect.ledger.connect-offset-changes.c"] * 2
    key = key_of("c", "CHG-1")
    assert [[record[:3] for record in records] for records in kafka.writes] == [[(TOPIC, partition_for(key, 5), key)]] * 2


def test_the_second_put_reads_nothing(ledger):
    kafka = FakeKafka()
    for number in range(20):
        kafka.add(change(f"OLD-{number}"))
    one = ledger(kafka)
    one.changes("c")
    before = len(kafka.asked)
    one.put(change(), None)
    assert all(asked[0] == "ends" or asked[:1] + asked[2:] == ("read", 0) for asked in kafka.asked[before:])
    between = len(kafka.asked)
    one.put(change(revision=2), change())
    assert kafka.asked[between:] == []


@pytest.mark.parametrize("known, there", [
    (None, change()), (change(), change(revision=2, run="r2")), (change(), change(run="other")), (change(revision=2), change(revision=3))])
def test_taken(ledger, known, there):
    kafka = FakeKafka().add(there)
    for looked in (True, False):
        one = ledger(kafka)
        if looked:
            one.changes("c")
        with pytest.raises(ConcurrentUpdate) as caught:
            one.put(change(revision=7, run="mine"), known)
        assert caught.value.change == there
    assert kafka.writes == []


def test_the_second_put_of_a_run_compares_too(ledger):
    kafka = FakeKafka()
    one = ledger(kafka)
    one.put(change(), None)
    for known in (None, change(revision=2), change(run="other")):
        with pytest.raises(ConcurrentUpdate) as caught:
            one.put(change(revision=3), known)
        assert caught.value.change == change()
    assert len(kafka.writes) == 1


def test_a_change_that_is_gone(ledger):
    with pytest.raises(errors.StateError, match="CHG-1 of c is not on the topic"):
        ledger(FakeKafka()).put(change(revision=2), change())


def test_written_between_looking_and_putting(ledger):
    kafka = FakeKafka()
    mine, other = ledger(kafka), ledger(kafka)
    mine.changes("c")
    other.put(change(run="other"), None)
    with pytest.raises(ConcurrentUpdate) as caught:
        mine.put(change(run="mine"), None)
    assert caught.value.change.run == "other" and len(kafka.writes) == 1


def test_fenced_by_one_who_writes_the_same_change(ledger):
    kafka = FakeKafka()
    kafka.meanwhile = [lambda: ledger(kafka).put(change(run="other"), None)]
    with pytest.raises(ConcurrentUpdate):
        ledger(kafka).put(change(run="mine"), None)
    assert [one.run for one in ledger(kafka).changes("c")] == ["other"]
    assert kafka.writers == 2  # it is not shut out in its turn


def test_fenced_by_one_who_writes_another_change(ledger):
    kafka = FakeKafka()
    kafka.meanwhile = [lambda: ledger(kafka).put(change("CHG-2"), None)]
    ledger(kafka).put(change(), None)
    assert [one.change_id for one in ledger(kafka).changes("c")] == ["CHG-1", "CHG-2"]


def test_fenced_between_two_puts(ledger):
    kafka = FakeKafka()
    mine = ledger(kafka)
    mine.put(change(), None)
    ledger(kafka).put(change("CHG-2"), None)
    mine.put(change(revision=2), change())
    mine.put(change(revision=3), change(revision=2))
    ledger(kafka).put(change(revision=4, run="other"), change(revision=3))
    with pytest.raises(ConcurrentUpdate) as caught:
        mine.put(change(revision=4), change(revision=3))
    assert caught.value.change.run == "other"


def test_fenced_all_the_time(ledger):
    kafka = FakeKafka()

    def fence():
        kafka.owners = dict.fromkeys(kafka.owners)

    kafka.meanwhile = [fence] * 100
    with pytest.raises(errors.Fenced, match="Tried 8 times"):
        ledger(kafka).put(change(), None)
    assert len(ledger.naps) == 7 and sum(ledger.naps) < 6


@pytest.mark.parametrize("carried_out", [True, False])
def test_unsure(ledger, carried_out):
    kafka = FakeKafka()

    def fault(records):
        if carried_out:
            kafka.carry_out(records)
        raise errors.WriteOutcomeUnknown("not known")

    kafka.faults = [fault]
    ledger(kafka).put(change(), None)
    assert ledger(kafka).changes("c") == [change()] and len(kafka.writes) == (0 if carried_out else 1)


def test_brokers_that_are_at_odds(ledger):
    kafka = FakeKafka()
    kafka.faults = [errors.BrokerError("EndTxn failed", kafka_error="UNKNOWN")]
    ledger(kafka).put(change(), None)
    assert len(kafka.writes) == 1 and len(ledger.naps) == 1
    kafka.faults = [errors.BrokerError("no", kafka_error="INVALID_REQUIRED_ACKS")]
    with pytest.raises(errors.BrokerError, match="no"):
        ledger(kafka).put(change("CHG-2"), None)


def test_unsure_and_then_no_answer_stays_unsure(ledger):
    kafka = FakeKafka()
    kafka.faults = [errors.WriteOutcomeUnknown("not known"), errors.BrokersUnreachable("away")]
    with pytest.raises(errors.WriteOutcomeUnknown, match="not known.*away"):
        ledger(kafka).put(change(), None)


def test_too_large(ledger):
    kafka = FakeKafka()
    kafka.faults = [errors.BrokerError("no", kafka_error="MSG_SIZE_TOO_LARGE")]
    with pytest.raises(errors.BrokerError, match="has 1 partitions, .*max.message.bytes"):
        ledger(kafka).put(change(), None)


def test_writing_is_denied(ledger):
    kafka = FakeKafka()
    kafka.faults = [errors.BrokerDenied("needs Write on Topic t")]
    with pytest.raises(errors.BrokerDenied, match="needs Write on Topic t.*ledger of changes"):
        ledger(kafka).put(change(), None)


# ---- creating


def test_the_first_put_makes_the_topic(ledger):
    kafka = empty()
    one = ledger(kafka)
    assert one.changes("c") == []
    one.put(change(), None)
    (name, partitions, config), = kafka.made
    assert (name, partitions, config["cleanup.policy"]) == (TOPIC, 1, "compact") and int(config["max.message.bytes"]) > 20000000
    assert one.changes("c") == [change()] and one.warnings == []


@pytest.mark.parametrize("why", ["INVALID_CONFIG", "POLICY_VIOLATION"])
def test_brokers_that_do_not_let_us_choose(ledger, why):
    kafka = empty()
    kafka.creates = [errors.BrokerError("no", kafka_error=why)]
    ledger(kafka).put(change(), None)
    assert kafka.made[1] == (TOPIC, 1, {"cleanup.policy": "compact"}) and len(kafka.writes) == 1


def test_made_otherwise_by_somebody_else_at_that_moment(ledger):
    kafka = empty()
    kafka.creates = ["delete"]
    with pytest.raises(errors.MethodError, match="cleanup.policy=delete"):
        ledger(kafka).put(change(), None)
    assert kafka.writes == []


@pytest.mark.parametrize("faults", [
    [errors.BrokerDenied("needs Create on Topic", kafka_error="TOPIC_AUTHORIZATION_FAILED")],
    [errors.BrokerError("no", kafka_error="INVALID_CONFIG"), errors.BrokerError("replication", kafka_error="INVALID_REPLICATION_FACTOR")]])
def test_it_cannot_be_made(ledger, faults):
    kafka = empty()
    kafka.creates = list(faults)
    with pytest.raises(faults[-1].__class__, match="kafka-topics.sh --bootstrap-server b:9092 --create --topic connect-offset-changes"):
        ledger(kafka).put(change(), None)
    assert kafka.writes == []


def test_the_whole_topic_is_read_once_for_many_connectors(ledger):
    kafka = FakeKafka().add(change(connector="a")).add(change(connector="b")).add(change(connector="c"), group="g")
    kafka.put(key_of("b", "broken"), "no change", None, TOPIC)
    many = ledger(kafka, whole=True)
    assert [one.connector for one in many.changes("a")] == ["a"] and not many.warnings
    assert many.changes("d") == []
    with pytest.raises(Unreadable):
        many.changes("b")
    assert [number for what, *more, number in kafka.asked if what == "read" and number] == [4]
    many.put(change(connector="d"), None)
    assert [one.connector for one in many.changes("d")] == ["d"]


# ---- many connectors


def test_of_many_connectors_the_topic_is_read_once_in_a_moment(ledger):
    """What others write meanwhile shows at the latest when a change is written."""
    kafka, now = FakeKafka(), [0.0]
    kafka.add(change()).add(change(connector="d"))
    one = ledger(kafka, whole=True, clock=lambda: now[0])
    assert one.changes("c") == [change()] and one.changes("d") == [change(connector="d")]
    kafka.add(change(connector="d", revision=2, run="other"))
    asked = len(kafka.asked)
    assert one.changes("d") == [change(connector="d")] and len(kafka.asked) == asked
    with pytest.raises(ConcurrentUpdate):
        one.put(change(connector="d", revision=2), change(connector="d"))
    assert one.changes("d") == [change(connector="d", revision=2, run="other")]
    kafka.add(change(connector="c", revision=2))
    now[0] = 0.5
    assert one.changes("c") == [change(connector="c", revision=2)]


def test_of_many_connectors_a_topic_that_is_not_there_is_looked_for_once_in_a_moment(ledger):
    kafka, now = empty(), [0.0]
    one = ledger(kafka, whole=True, clock=lambda: now[0])
    assert one.changes("c") == one.changes("d") == [] and len([asked for asked in kafka.asked if asked[0] == "topic"]) == 1
    one.put(change(), None)
    assert one.changes("c") == [change()] and kafka.made
    now[0] = 0.5
    assert one.changes("c") == [change()]
