# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The offsets topic where REST cannot help: gone connectors, old workers, seeds, names, own topics."""

from __future__ import annotations

import pytest

from tests.integration.support.configs import at, entry, shaped
from tests.integration.support.road import key_of
from tests.integration.support.worker import wait_until


def test_c09_gone_connector_is_reset_and_nobody_else(name, road):
    """Names are matched as decoded: an escaped spelling is its own, a neighbour's key is not."""
    escaped = name.replace("-", "\\u002d")
    road.put((0, key_of(name), b'{"n":8}'), (1, key_of(escaped, '{"p":1}'), b'{"n":8}'), (2, key_of(f"{name}2"), b'{"n":8}'),
             (3, key_of(f"x{name}"), b'{"n":8}'))
    found = road.look(name)
    assert found["connector_exists"] is False and found["connector"] is None
    assert found["offsets"] == [at(8), at(8, p=1)]
    real = road.done(name, state="absent")
    assert real["connector_exists"] is False and real["offsets"] == [] and real["counts"]["remove"] == 2
    mine = {(0, key_of(name)), (1, key_of(escaped, '{"p":1}'))}
    assert {one[:2] for one in road.kafka.raw_records(road.topic) if one.value is None and one[:2] in mine} == mine
    assert road.look(f"{name}2")["offsets"] == road.look(f"x{name}")["offsets"] == [at(8)]


def test_c09_auto_takes_the_topic_for_a_gone_connector(make_on, main, road):
    """Deleted with offsets: REST answers 404, the topic still has them, and says why it was taken."""
    name = make_on(main, "STOPPED")
    main.worker.delete(name)
    by_rest = road.change(name, state="absent", method="rest")
    assert by_rest["failed"] and name in by_rest["msg"]
    found = road.look(name, method="auto")
    assert (found["method"], found["connector_exists"], found["offsets"]) == ("topic", False, [at(4)])
    assert f"no connector {name}" in found["method_reason"]
    real = road.done(name, state="absent", method="auto")
    assert real["method"] == "topic" and f"no connector {name}" in real["method_reason"]
    # Created anew, it starts as if for the first time.
    main.worker.create(name, shaped(topic=name))
    assert main.worker.offsets(name) == []


def test_c09_offsets_for_a_connector_to_come(make, name, worker, road, kafka):
    """Declared while there is none: a warning, and the connector of that name starts there."""
    real = road.done(name, offsets=[at(2)])
    assert real["connector_exists"] is False and any("wait for one that is created" in text for text in real["warnings"])
    make(shaped(), state="RUNNING", name=name)
    wait_until(lambda: kafka.values(name) == ['{"p":0}#3', '{"p":0}#4'])


def test_c16_seeded_before_the_first_start_where_nothing_is(name, road, lone):
    """An empty topic is an offsets topic without offsets."""
    road = road.at(lone())
    assert road.look(name)["offsets"] == [] and road.look()["connectors"] is not None
    assert road.change(name, state="absent")["changed"] is False
    road.done(name, offsets=[at(4)])


def test_c16_topic_that_is_missing_is_not_created(name, road, kafka):
    missing = road.at(f"{name}-missing")
    wish = {"offsets": [at(1)]}
    for result in (missing.change(name, **wish), missing.change(name, check=True, **wish), missing.ask(name), missing.ask()):
        assert result["failed"] and f"There is no topic {name}-missing" in result["msg"] and "not created" in result["msg"]
    assert not kafka.exists(f"{name}-missing")


def test_c16_topic_that_is_no_offsets_topic(name, road, lone, kafka):
    """The worker's configuration topic, say: refused, and nothing is written."""
    plain = road.at(lone(1))
    kafka.raw(plain.topic, [(0, b"connector-x", b'{"properties":{}}'), (0, b"commit-x", b"{}")])
    ends = kafka.ends(plain.topic)
    for result in (plain.change(name, offsets=[at(1)]), plain.change(name, state="absent"), plain.ask(name), plain.ask()):
        assert result["failed"] and f"{plain.topic} is no offsets topic" in result["msg"]
    assert kafka.ends(plain.topic) == ends


@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_c16_topic_that_forgets_is_warned_of(policy, name, road, lone):
    road = road.at(lone(2, policy))
    road.put((0, key_of(name), b'{"n":1}'))
    words = f"cleanup.policy={policy}"
    assert any(words in text for text in road.look(name)["warnings"])
    assert any(words in text for text in road.look()["warnings"]) and road.look()["topic"]["cleanup_policy"] == policy
    assert any(words in text for text in road.done(name, state="absent")["warnings"])


@pytest.mark.parametrize(("version", "needs"), [("v34", "3.5"), ("v35", "3.6")])
def test_c26_road_of_older_workers(version, needs, request, make_on, road):
    """auto takes the topic and says why; rest names the version that it needs; topic just does it."""
    cluster = request.getfixturevalue(version)
    road, stop = road.on(cluster), {"stop": True} if version == "v34" else {}
    name = make_on(cluster, "PAUSED" if stop else "STOPPED")
    by_rest = road.change(name, offsets=[at(1)], method="rest", **stop)
    assert by_rest["failed"] and needs in by_rest["msg"] and cluster.version in by_rest["msg"]
    real = road.done(name, offsets=[at(1)], method="auto", **stop)
    assert real["method"] == "topic" and needs in real["method_reason"] and "REST cannot do it" in real["method_reason"]
    assert road.done(name, offsets=[at(2)], **stop)["method_reason"] == "method: topic"
    found = road.look(name, method="auto")
    assert found["offsets"] == [at(2)] and found["method"] == ("topic" if version == "v34" else "rest")
    alone = road.change(name, offsets=[at(3)], method="auto", bootstrap_servers=None, **stop)
    assert alone["failed"] and "bootstrap_servers" in alone["msg"]


def test_c16_topic_of_another_connect_cluster(make_on, v35, wide, road):
    """REST shows offsets that the topic does not have: the wrong offset_topic is not taken in silence."""
    name = make_on(v35, "STOPPED")
    road = road.on(v35)
    assert v35.worker.offsets(name) == [at(4)]
    for result in (road.ask(name, offset_topic=wide.offset_topic), road.change(name, offset_topic=wide.offset_topic, offsets=[at(1)]),
                   road.change(name, offset_topic=wide.offset_topic, offsets=[at(2)], method="auto")):
        road.on(wide).change(name, connect_url=None, assume_stopped=True, connect_group="connect-wide", state="absent")
        told = result["failed"] or any(wide.offset_topic in text and "REST" in text for text in result["warnings"])
        assert told, f"said to be {result['offsets']}, but the connector has {v35.worker.offsets(name)}"


def test_c26_rest_where_the_worker_can(make_on, main, road):
    name = make_on(main, "STOPPED")
    real = road.done(name, offsets=[at(1)], method="auto")
    assert (real["method"], real["offset_topic"], real["connector_exists"]) == ("rest", None, True)
    assert road.look(name, method="auto")["method"] == "rest"


def test_auto_with_brokers_that_do_not_answer(make, road, worker):
    """REST can do it, so it is done, with a warning that names what could not be compared; the topic alone fails in time."""
    name = make(shaped(), offsets=[at(4)])
    dead = {"bootstrap_servers": ["127.0.0.1:1"], "kafka_timeout": 2}
    real = road.change(name, offsets=[at(1)], method="auto", **dead)
    assert real["changed"] is True and real["method"] == "rest" and worker.offsets(name) == [at(1)]
    assert any("could not be compared" in text and "127.0.0.1:1" in text for text in real["warnings"])
    for result in (road.change(name, offsets=[at(2)], **dead), road.ask(name, **dead)):
        assert result["failed"] and "127.0.0.1:1" in result["msg"] and "within 2 s" in result["msg"]
    assert worker.offsets(name) == [at(1)]


def test_sink_has_no_records_there(make, road, kafka):
    name = make({"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "topics": "t", "file": "/dev/null"})
    for result in (road.ask(name), road.change(name, state="absent"), road.change(name, check=True, state="absent")):
        assert result["failed"] and "sink" in result["msg"] and "consumer group" in result["msg"]


# ---- own topics, names -------------------------------------------------------------------------------------------------


def test_own_offsets_topic_counts_and_both_are_changed(make_on, main, road):
    """offsets.storage.topic: its value is shown, whatever the worker's topic says; both are set, both are tombstoned."""
    name = make_on(main, "STOPPED", offsets_storage_topic="own-of-the-tests")
    own = road.at("own-of-the-tests")
    (place, key), = own.live(name)
    assert key == key_of(name)
    shared, = road.live(name)
    road.kafka.raw(road.topic, [(*shared, b'{"n":3}')])
    found = road.look(name)
    assert found["offsets"] == [at(4)] and found["topic"]["name"] == "own-of-the-tests"
    real = road.done(name, offsets=[at(1)])
    assert real["offset_topic"] == "own-of-the-tests" and real["offsets_before"] == [at(4)]
    assert own.live(name) == {(place, key): b'{"n":1}'} and road.live(name) == {shared: b'{"n":1}'}
    assert main.worker.offsets(name) == [at(1)]
    road.done(name, state="absent")
    assert own.live(name) == {} == road.live(name) and main.worker.offsets(name) == []


def test_own_offsets_topic_that_has_it_already(make_on, main, road):
    """The worker's topic has something else, which a switch back would read: declaring the offset sets that as well."""
    name = make_on(main, "STOPPED", offsets_storage_topic="own-of-the-tests")
    shared, = road.live(name)
    road.kafka.raw(road.topic, [(*shared, b'{"n":3}')])
    real = road.change(name, offsets=[at(4)])
    assert real["changed"] is True, "said to be as declared, on both topics"
    assert road.live(name) == {shared: b'{"n":4}'} and road.change(name, offsets=[at(4)])["changed"] is False


def test_own_offsets_topic_with_a_value_that_only_the_shared_topic_has(make_on, main, road):
    """Hidden by the own topic: no offset, listed as unreadable; a reset removes it."""
    name = make_on(main, "STOPPED", offsets_storage_topic="own-of-the-tests")
    own = road.at("own-of-the-tests")
    (place, key), = own.live(name)
    road.kafka.raw(own.topic, [(place, key, None)])
    found = road.look(name)
    assert found["offsets"] == [] and main.worker.offsets(name) == [entry({"p": 0}, None)]
    real = road.done(name, state="absent")
    assert real["counts"]["remove"] == 1 and road.live(name) == {}


SLASHED = "slash/kept-by-the-tests"


def listed(worker, name: str) -> dict:
    return worker.must("GET", "connectors?expand=status").get(name, {}).get("status", {})


def slashed(worker, name: str, state: str) -> str:
    """Once created, no call of a 4.x worker can delete it."""
    if not worker.exists(name):
        worker.must("POST", "connectors", {"name": name, "config": shaped(topic="slashed"), "initial_state": state})
        wait_until(lambda: listed(worker, name).get("connector", {}).get("state") == state)
    return name


def test_c20_name_that_4_3_1_does_not_take_in_a_url(worker, road):
    """STOPPED, it can be set and reset by the topic, by auto as well."""
    name = slashed(worker, SLASHED, "STOPPED")
    if road.look(name)["offsets"]:
        road.done(name, state="absent")
    real = road.done(name, offsets=[at(4)])
    assert real["connector_exists"] is True and real["connector"]["state"] == "STOPPED"
    assert set(road.live(name)) and {key for _place, key in road.live(name)} == {key_of(name)}
    real = road.done(name, state="absent", method="auto")
    assert real["method"] == "topic" and '"/"' in real["method_reason"]


@pytest.mark.parametrize("stop", [False, True], ids=["as it is", "stop"])
def test_c20_running_with_such_a_name_is_refused(stop, worker, road):
    """It cannot be stopped by REST either, and the message must not send anybody there; check mode says the same."""
    name = slashed(worker, f"running/{SLASHED}", "RUNNING")
    wait_until(lambda: listed(worker, name).get("tasks"))
    messages = {road.change(name, check=check, offsets=[at(1)], stop=stop)["msg"] for check in (True, False)}
    assert len(messages) == 1
    for words in (name, "RUNNING", "assume_stopped", "Nothing was changed"):
        assert words in messages.copy().pop()
