# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of MirrorMaker that move back: which records are copied again, how many, and what the target does with them."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.copy_offsets import Copy
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Snapshot, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import read_reset
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.source_clusters import SourceClusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.copied_again import CopiedAgain, going_back, still_there
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import Flow
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import Access
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._semantics.test_mirror import (
    AT_THE_END,
    CONFIG,
    MirrorRest,
    away,
    following,
    found,
    pair,
    part,
    snapshot,
    source,
    target,
)
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

DAY = 24 * 3600 * 1000
NOW = 20000 * DAY


def east():
    """early's first records are gone, and short was cut off."""
    kafka = FakeKafka().log_of("orders", (0, 10), (0, 10)).log_of("early", (100, 110)).log_of("short", (0, 3))
    kafka.cluster_id = "cluster-east"
    return kafka


def moved(*items, live=None, config=None, remove=False):
    """{place: (begin, end)} of the records that are copied again."""
    desired = DesiredOffsets.absent(list(items) or None) if remove else DesiredOffsets.present(list(items))
    plan = make_plan(live or snapshot(orders0=5, orders1=6), desired, check_types=False)
    return {f"{topic}-{number}": tuple(one) for (topic, number), one in going_back(plan, Flow(config or CONFIG)).items()}


@pytest.mark.parametrize("item, again", [
    (pair("orders", 0, 2), {"orders-0": (3, 6)}),  # the stored one was copied
    (pair("orders", 0, 4), {"orders-0": (5, 6)}),
    (following("orders", 0, 3), {"orders-0": (3, 6)}),
    (following("orders", 0, 0), {"orders-0": (0, 6)}),  # removed
    (pair("orders", 0, 5), {}),
    (pair("orders", 0, 8), {}),
    (pair("orders", 2, 2), {}),  # nothing was copied yet
    (pair("orders", 0, 2, cluster="old"), {}),  # never read
])
def test_what_goes_back(item, again):
    live = Snapshot("m", "source", [*snapshot(orders0=5, orders1=6).entries.values(), *snapshot_of("old")])
    assert moved(item, live=live) == again


def snapshot_of(cluster):
    return DesiredOffsets.present([pair("orders", 0, 9, cluster=cluster)]).entries


def test_a_whole_connector():
    assert moved(remove=True) == {"orders-0": (0, 6), "orders-1": (0, 7)}
    # There a partition without an offset begins at the end, which copies nothing again; one that goes back does.
    assert moved(remove=True, config=AT_THE_END) == {}
    assert moved(pair("orders", 0, 2), config=AT_THE_END) == {"orders-0": (3, 6)}


def test_heartbeats_and_what_is_not_replicated():
    live = snapshot(other0=7, heartbeats0=8, orders0=3)
    assert moved(live=live, remove=True) == {"orders-0": (0, 4)}
    assert moved(live=live, remove=True, config={**CONFIG, "topics": ".*"}) == {"orders-0": (0, 4), "other-0": (0, 8)}


def test_copies_of_a_record_that_disagree():
    """Whichever the connector reads, the furthest one has been copied."""
    live = snapshot(orders0=3)
    live.uneven = {canonical(part("orders", 0)): [{"offset": 7}]}
    assert moved(live=live, remove=True) == {"orders-0": (0, 8)}


def test_what_the_source_still_has():
    places = {("orders", 0): (0, 6), ("orders", 2): (0, 6), ("early", 0): (0, 105), ("short", 0): (1, 9), ("gone", 0): (0, 9)}
    wanted = {("orders", 0): (0, 6), ("early", 0): (100, 105), ("short", 0): (1, 3)}
    again = {place: type_of(*one) for place, one in places.items()}
    assert {place: tuple(one) for place, one in still_there(again, east()).items()} == wanted
    # All that was copied has been deleted: nothing is left to be copied again.
    assert still_there({("early", 0): type_of(0, 100)}, east()) == {}


def type_of(begin, end):
    plan = make_plan(snapshot(orders0=end - 1), DesiredOffsets.present([following("orders", 0, begin)]))
    return going_back(plan, Flow(CONFIG))["orders", 0]


# ---- what is said -------------------------------------------------------------------------------------------------------

ONE = "1 partition of m goes back, first orders-0 from 6 to 3, altogether by up to 3 records, which are copied again."
ALL = "2 partitions of m go back, first orders-0 from 6 to 0, altogether by up to 13 records, which are copied again."


def checked(desired, accepted=False, kafka=None, client=None, config=None, west=None, live=None):
    again = CopiedAgain("m", Flow(config or CONFIG), client or (lambda: kafka or east()), west)
    return again.check(make_plan(live or snapshot(orders0=5, orders1=6), desired), accepted, NOW)


@pytest.mark.parametrize("desired, words", [(DesiredOffsets.present([pair("orders", 0, 2)]), ONE), (DesiredOffsets.absent(None), ALL)])
def test_refused_unless_it_is_accepted(desired, words):
    with pytest.raises(errors.DeclarationError) as caught:
        checked(desired)
    assert caught.value.message == words + (
        " The target keeps the copies that it has, so these records are there twice. If that is meant, set accept_duplicates: true (for the "
        "role mirror_reset: mirror_reset_accept_duplicates). To have no duplicates use that role with mirror_reset_target: emptied or "
        "recreated.")
    assert checked(desired, accepted=True) == [words]


def test_nothing_to_accept():
    assert checked(DesiredOffsets.present([pair("orders", 0, 8)])) == []
    gone = FakeKafka().log_of("orders", (6, 10), (7, 10))
    assert checked(DesiredOffsets.absent(None), kafka=gone) == []


def test_the_source_does_not_answer():
    """Offsets alone tell the most that it can be."""
    unknown = " How many of them the source still has is not known: No answer from e:9092."
    assert checked(DesiredOffsets.absent(None), True, client=lambda: away(None, None)) == [ALL + unknown]
    unseen = east()
    unseen.unseen = ["orders"]
    assert checked(DesiredOffsets.absent(None), True, unseen) == [ALL + " How many of them the source still has is not known: no Describe on orders"]
    with pytest.raises(errors.DeclarationError, match="by up to 13 records"):
        checked(DesiredOffsets.absent(None), client=lambda: away(None, None))


# ---- records that are too old for the target ----------------------------------------------------------------------------

BEFORE, KEPT = "message.timestamp.before.max.ms", "retention.ms"
NO_LIMITS = {BEFORE: "9223372036854775807", KEPT: "-1", "cleanup.policy": "delete", "message.timestamp.type": "CreateTime"}


def too_old(settings, desired=None, config=None, copy="east.orders", times=(8 * DAY, 9 * DAY)):
    """times: how old the first record of each partition is."""
    kafka, west = east(), FakeKafka()
    kafka.firsts = {("orders", number): NOW - age for number, age in enumerate(times)}
    west.topic_configs = {copy: {**NO_LIMITS, **settings}}
    said = checked(desired or DesiredOffsets.absent(None), True, kafka, config=config, west=west)
    assert said[0] in (ALL, ONE)
    return said[1:]


LATE = ("The oldest of these records of orders is from 2024-09-25T00:00:00.000Z, 777600000 ms ago, but east.orders on the target has "
        "retention.ms: 604800000. Kafka deletes older records soon after they are copied. Raise it before the change if they are to stay.")


@pytest.mark.parametrize("settings, words", [
    ({}, []),
    ({KEPT: str(7 * DAY)}, [LATE]),
    ({KEPT: str(10 * DAY)}, []),
    ({KEPT: str(7 * DAY), "cleanup.policy": "compact"}, []),
    ({KEPT: str(7 * DAY), "cleanup.policy": "compact,delete"}, [LATE]),
    ({KEPT: str(7 * DAY), "message.timestamp.type": "LogAppendTime"}, []),
    ({BEFORE: str(DAY)}, [LATE.partition("retention.ms")[0] + BEFORE + ": 86400000. Its brokers refuse older records, and the task fails at "
                          "them. Raise it before the change."]),
])
def test_records_that_are_too_old(settings, words):
    assert too_old(settings) == words


def test_the_limit_of_a_broker_before_3_6():
    said, = too_old({BEFORE: None, "message.timestamp.difference.max.ms": str(DAY)})
    assert "message.timestamp.difference.max.ms: 86400000. Its brokers refuse" in said


def test_the_oldest_of_those_that_are_copied_again():
    """Of partition 0 alone, which is younger."""
    said, = too_old({KEPT: str(7 * DAY)}, DesiredOffsets.present([pair("orders", 0, 2)]))
    assert "691200000 ms ago" in said


def test_the_name_of_the_copy():
    identity = {**CONFIG, "replication.policy.class": "IdentityReplicationPolicy"}
    said, = too_old({KEPT: "0"}, config=identity, copy="orders")
    assert "but orders on the target has retention.ms: 0." in said
    assert too_old({KEPT: "0"}, config={**CONFIG, "replication.policy.class": "com.example.Policy"}) == []
    # It writes to another cluster than that of its workers.
    assert too_old({KEPT: "0"}, config={**CONFIG, "producer.override.bootstrap.servers": "x:9092"}) == []
    assert too_old({KEPT: "0"}, times=()) == []


# ---- by each method -----------------------------------------------------------------------------------------------------

def planned(desired, rest=None, kafka=None, name="c", connector=None, **options):
    sources = SourceClusters({"east": {}} if options.pop("known", True) else {}, make=lambda settings, timeout: east())
    one = Router(Access(rest, name, kafka, sources=sources, sleep=lambda seconds: None, **options))
    return one.route(connector, desired).plan.warnings


BACK = DesiredOffsets.present([pair("orders", 0, 2)])


@pytest.mark.parametrize("desired", [
    BACK, DesiredOffsets.absent(None), DesiredOffsets.document([pair("orders", 0, 2)]), DesiredOffsets.words(read_reset("earliest"))])
def test_by_rest(desired):
    with pytest.raises(errors.DeclarationError, match="1 partition of c goes back, first orders-0 from 6 to"):
        planned(desired, MirrorRest(config=CONFIG), connector=found())
    accepted = planned(desired, MirrorRest(config=CONFIG), connector=found(), accept_duplicates=True)
    assert len(accepted) == 1 and accepted[0].startswith("1 partition of c goes back, first orders-0 from 6 to")


def test_the_target_given_as_the_source():
    """It lacks the topics, which says nothing of what is copied again."""
    west = FakeKafka()
    sources = SourceClusters({"east": {}}, make=lambda settings, timeout: west)
    one = Router(Access(MirrorRest(config=CONFIG), "c", None, sources=sources, sleep=lambda seconds: None))
    with pytest.raises(errors.DeclarationError, match="from 6 to 0, altogether by up to 6 records.* source and target are swapped"):
        one.route(found(), DesiredOffsets.absent(None))


def test_an_earlier_state_is_restored_with_a_warning():
    said, = planned(DesiredOffsets.exactly(snapshot(orders0=2)), MirrorRest(config=CONFIG), connector=found())
    assert said == ONE.replace("of m ", "of c ")
    assert planned(DesiredOffsets.exactly(snapshot(orders0=9)), MirrorRest(config=CONFIG), connector=found()) == []


@pytest.mark.parametrize("config", [{"connector.class": "FileStreamSource"}, {"connector.class": "MirrorCheckpointConnector"}])
def test_other_connectors_copy_nothing(config):
    assert not any("copied again" in text for text in planned(DesiredOffsets.absent(None), MirrorRest(config=config), connector=found()))


def test_of_a_dedicated_mirror():
    options = {"name": "MirrorSourceConnector", "method": "topic", "offset_topic": "mm2-offsets.east.internal"}
    with pytest.raises(errors.DeclarationError, match="MirrorSourceConnector goes back, first orders-0 from 6 to 3"):
        planned(BACK, kafka=target(), **options)
    assert len(planned(BACK, kafka=target(), accept_duplicates=True, **options)) == 1


@pytest.mark.parametrize("known", [True, False])
def test_without_a_worker(known):
    """What the offsets are of is seen in their partitions; where the source is not given, the offsets tell the most that it can be."""
    kafka = FakeKafka().put('["c",{"cluster":"east","partition":0,"topic":"orders"}]', '{"offset":5}')
    options = {"method": "topic", "offset_topic": "offsets", "known": known}
    with pytest.raises(errors.DeclarationError, match="1 partition of c goes back, first orders-0 from 6 to 0") as caught:
        planned(DesiredOffsets.absent(None), kafka=kafka, **options)
    assert ("is not known: How to reach the source cluster east" in caught.value.message) is not known
    # A worker that has no such connector: what is left of it is copied by nobody.
    assert planned(DesiredOffsets.absent(None), MirrorRest(), kafka, **options) == []


def test_a_copy_of_its_offsets_moves_nothing_back():
    """Of one that is gone all that it has left is looked at."""
    kafka = FakeKafka().put('["c",{"cluster":"east","partition":0,"topic":"orders"}]', '{"offset":5}')
    sources = SourceClusters({"east": {}}, make=lambda settings, timeout: east())
    router = Router(Access(None, "c", kafka, "topic", "offsets", sources=sources, sleep=lambda seconds: None))
    assert list(Copy(None, "c", router).read([]).for_kind("source").values())[0].offset == {"offset": 5}


def test_the_source_of_these_tests():
    """The view of one connector is that of its flow."""
    assert source(accept_duplicates=True).check_copied_again(make_plan(snapshot(orders0=5), DesiredOffsets.absent(None))) == [
        "1 partition of m goes back, first orders-0 from 6 to 0, altogether by up to 6 records, which are copied again."]
