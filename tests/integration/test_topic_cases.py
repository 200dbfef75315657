# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The offsets topic where REST cannot help: gone connectors, old workers, seeds, names, own topics."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.record_size import record_bytes

from tests.integration.support.configs import at, entry, shaped
from tests.integration.support.topic_method import key_of
from tests.integration.support.worker import wait_until


def test_c09_gone_connector_is_reset_and_nobody_else(name, method):
    """Names are matched as decoded: an escaped spelling is its own, a neighbour's key is not."""
    escaped = name.replace("-", "\\u002d")
    method.put((0, key_of(name), b'{"n":8}'), (1, key_of(escaped, '{"p":1}'), b'{"n":8}'), (2, key_of(f"{name}2"), b'{"n":8}'),
               (3, key_of(f"x{name}"), b'{"n":8}'))
    found = method.look(name)
    assert found["connector_exists"] is False and found["connector"] is None
    assert found["offsets"] == [at(8), at(8, p=1)]
    real = method.done(name, state="absent")
    assert real["connector_exists"] is False and real["offsets"] == [] and real["counts"]["remove"] == 2
    mine = {(0, key_of(name)), (1, key_of(escaped, '{"p":1}'))}
    assert {one[:2] for one in method.kafka.raw_records(method.topic) if one.value is None and one[:2] in mine} == mine
    assert method.look(f"{name}2")["offsets"] == method.look(f"x{name}")["offsets"] == [at(8)]


def test_c09_auto_takes_the_topic_for_a_gone_connector(make_on, main, method):
    """Deleted with offsets: REST answers 404, the topic still has them, and says why it was taken."""
    name = make_on(main, "STOPPED")
    main.worker.delete(name)
    by_rest = method.change(name, state="absent", method="rest")
    assert by_rest["failed"] and name in by_rest["msg"]
    found = method.look(name, method="auto")
    assert (found["method"], found["connector_exists"], found["offsets"]) == ("topic", False, [at(4)])
    assert f"no connector {name}" in found["method_reason"]
    real = method.done(name, state="absent", method="auto")
    assert real["method"] == "topic" and f"no connector {name}" in real["method_reason"]
    # Created anew, it starts as if for the first time.
    main.worker.create(name, shaped(topic=name))
    assert main.worker.offsets(name) == []


def test_c09_offsets_for_a_connector_to_come(make, name, worker, method, kafka):
    """Declared while there is none: a warning, and the connector of that name starts there."""
    real = method.done(name, offsets=[at(2)])
    assert real["connector_exists"] is False and any("wait for one that is created" in text for text in real["warnings"])
    make(shaped(), state="RUNNING", name=name)
    wait_until(lambda: kafka.values(name) == ['{"p":0}#3', '{"p":0}#4'])


def test_c16_seeded_before_the_first_start_where_nothing_is(name, method, lone):
    """An empty topic is an offsets topic without offsets."""
    method = method.at(lone())
    assert method.look(name)["offsets"] == [] and method.look()["connectors"] is not None
    assert method.change(name, state="absent")["changed"] is False
    method.done(name, offsets=[at(4)])


@pytest.mark.parametrize("limit", [4096, 1048588, 3000000])
def test_c9_the_largest_record_that_the_topic_takes(limit, name, method, lone):
    """To the byte as the broker counts it; one more is known in check mode, with both numbers. Many small records go in several batches."""
    method = method.at(lone(1, **{"max.message.bytes": str(limit)}))
    empty = len('{"n":1,"t":""}')

    def desired(more):
        fixed = 61 + 4 + len(key_of(name)) + empty  # and three lengths, each in as few bytes as it takes
        size = next(size for size in range(limit - fixed, 0, -1) if record_bytes(key_of(name), b"x" * (empty + size)) <= limit)
        return {"offsets": [entry({"p": 0}, {"n": 1, "t": "x" * (size + more)})]}

    for check in (True, False):
        result = method.change(name, check=check, **desired(1))
        assert result["failed"] and f"a record of {limit + 1} bytes, but the topic {method.topic} takes {limit} (" in result["msg"], result
    real = method.change(name, **desired(0))
    assert real["changed"] is True and len(method.live(name)[0, key_of(name)]) > limit * 0.9
    assert len(real["diff"][0]["after"]['{"p": 0}']["t"]) < 2100
    if limit > 65536:
        assert "characters in all)" in real["offsets"][0]["offset"]["t"]
        again = method.change(name, offsets=real["offsets"])
        assert again["failed"] and "shown only the beginning" in again["msg"]
    many = [entry({"p": number}, {"n": 2, "t": "x" * 300}) for number in range(60)]
    assert method.change(name, offsets=many)["changed"] is True and len(method.live(name)) == 60


def test_c9_a_record_that_a_worker_cannot_write(make, run, worker):
    """By REST: one byte more is a 500 of the worker, and known before."""
    name = make(shaped())
    key, empty = key_of(name), '{"n":1,"t":""}'
    larger = [entry({"p": 0}, {"n": 1, "t": "x" * (1048576 - 82 - len(key) - len(empty) + 1)})]
    result = run("connector_offsets", check=True, name=name, offsets=larger)
    assert result["failed"] and "would be a record of 1048577 bytes, but a worker's producer takes 1048576" in result["msg"]
    assert worker.call("PATCH", f"connectors/{name}/offsets", {"offsets": larger}).status_code == 500


def test_c16_topic_that_is_missing_is_not_created(name, method, kafka):
    missing = method.at(f"{name}-missing")
    desired = {"offsets": [at(1)]}
    for result in (missing.change(name, **desired), missing.change(name, check=True, **desired), missing.ask(name), missing.ask()):
        assert result["failed"] and f"There is no topic {name}-missing" in result["msg"] and "not created" in result["msg"]
    assert not kafka.exists(f"{name}-missing")


def test_c16_topic_that_is_no_offsets_topic(name, method, lone, kafka):
    """The worker's configuration topic, say: refused, and nothing is written."""
    plain = method.at(lone(1))
    kafka.raw(plain.topic, [(0, b"connector-x", b'{"properties":{}}'), (0, b"commit-x", b"{}")])
    ends = kafka.ends(plain.topic)
    for result in (plain.change(name, offsets=[at(1)]), plain.change(name, state="absent"), plain.ask(name), plain.ask()):
        assert result["failed"] and f"{plain.topic} is no offsets topic" in result["msg"]
    assert kafka.ends(plain.topic) == ends


@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_c16_topic_that_forgets_is_warned_of(policy, name, method, lone):
    method = method.at(lone(2, policy))
    method.put((0, key_of(name), b'{"n":1}'))
    words = f"cleanup.policy={policy}"
    assert any(words in text for text in method.look(name)["warnings"])
    assert any(words in text for text in method.look()["warnings"]) and method.look()["topic"]["cleanup_policy"] == policy
    assert any(words in text for text in method.done(name, state="absent")["warnings"])


@pytest.mark.parametrize(("version", "needs"), [("v34", "3.5"), ("v35", "3.6")])
def test_c26_road_of_older_workers(version, needs, request, make_on, method):
    """auto takes the topic and says why; rest names the version that it needs; topic just does it."""
    cluster = request.getfixturevalue(version)
    method, stop = method.on(cluster), {"stop": True} if version == "v34" else {}
    name = make_on(cluster, "PAUSED" if stop else "STOPPED")
    by_rest = method.change(name, offsets=[at(1)], method="rest", **stop)
    assert by_rest["failed"] and needs in by_rest["msg"] and cluster.version in by_rest["msg"]
    real = method.done(name, offsets=[at(1)], method="auto", **stop)
    assert real["method"] == "topic" and needs in real["method_reason"] and "REST cannot do it" in real["method_reason"]
    assert method.done(name, offsets=[at(2)], **stop)["method_reason"] == "method: topic"
    found = method.look(name, method="auto")
    assert found["offsets"] == [at(2)] and found["method"] == ("topic" if version == "v34" else "rest")
    alone = method.change(name, offsets=[at(3)], method="auto", bootstrap_servers=None, **stop)
    assert alone["failed"] and "bootstrap_servers" in alone["msg"]


def test_c16_topic_of_another_connect_cluster(make_on, v35, wide, method):
    """REST shows offsets that the topic does not have: the wrong offset_topic is not taken in silence."""
    name = make_on(v35, "STOPPED")
    method = method.on(v35)
    assert v35.worker.offsets(name) == [at(4)]
    for result in (method.ask(name, offset_topic=wide.offset_topic), method.change(name, offset_topic=wide.offset_topic, offsets=[at(1)]),
                   method.change(name, offset_topic=wide.offset_topic, offsets=[at(2)], method="auto")):
        method.on(wide).change(name, connect_url=None, assume_stopped=True, connect_group="connect-wide", state="absent")
        told = result["failed"] or any(wide.offset_topic in text and "REST" in text for text in result["warnings"])
        assert told, f"said to be {result['offsets']}, but the connector has {v35.worker.offsets(name)}"


def test_c26_rest_where_the_worker_can(make_on, main, method):
    name = make_on(main, "STOPPED")
    real = method.done(name, offsets=[at(1)], method="auto")
    assert (real["method"], real["offset_topic"], real["connector_exists"]) == ("rest", None, True)
    assert method.look(name, method="auto")["method"] == "rest"


def test_auto_with_brokers_that_do_not_answer(make, method, worker):
    """REST can do it, so it is done, with a warning that names what could not be compared; the topic alone fails in time."""
    name = make(shaped(), offsets=[at(4)])
    dead = {"bootstrap_servers": ["127.0.0.1:1"], "kafka_timeout": 2}
    real = method.change(name, offsets=[at(1)], method="auto", **dead)
    assert real["changed"] is True and real["method"] == "rest" and worker.offsets(name) == [at(1)]
    assert any("could not be compared" in text and "127.0.0.1:1" in text for text in real["warnings"])
    for result in (method.change(name, offsets=[at(2)], **dead), method.ask(name, **dead)):
        assert result["failed"] and "127.0.0.1:1" in result["msg"] and "within 2 s" in result["msg"]
    assert worker.offsets(name) == [at(1)]


def test_sink_has_no_records_there(make, method, kafka):
    name = make({"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector", "topics": "t", "file": "/dev/null"})
    for result in (method.ask(name), method.change(name, state="absent"), method.change(name, check=True, state="absent")):
        assert result["failed"] and "sink" in result["msg"] and "consumer group" in result["msg"]


# ---- own topics, names -------------------------------------------------------------------------------------------------


def test_own_offsets_topic_counts_and_both_are_changed(make_on, main, method):
    """offsets.storage.topic: its value is shown, whatever the worker's topic says; both are set, both are tombstoned."""
    name = make_on(main, "STOPPED", offsets_storage_topic="own-of-the-tests")
    own = method.at("own-of-the-tests")
    (place, key), = own.live(name)
    assert key == key_of(name)
    shared, = method.live(name)
    method.kafka.raw(method.topic, [(*shared, b'{"n":3}')])
    found = method.look(name)
    assert found["offsets"] == [at(4)] and found["topic"]["name"] == "own-of-the-tests"
    real = method.done(name, offsets=[at(1)])
    assert real["offset_topic"] == "own-of-the-tests" and real["offsets_before"] == [at(4)]
    assert own.live(name) == {(place, key): b'{"n":1}'} and method.live(name) == {shared: b'{"n":1}'}
    assert main.worker.offsets(name) == [at(1)]
    method.done(name, state="absent")
    assert own.live(name) == {} == method.live(name) and main.worker.offsets(name) == []


def test_own_offsets_topic_that_has_it_already(make_on, main, method):
    """The worker's topic has something else, which a switch back would read: declaring the offset sets that as well."""
    name = make_on(main, "STOPPED", offsets_storage_topic="own-of-the-tests")
    shared, = method.live(name)
    method.kafka.raw(method.topic, [(*shared, b'{"n":3}')])
    real = method.change(name, offsets=[at(4)])
    assert real["changed"] is True, "said to be as declared, on both topics"
    assert method.live(name) == {shared: b'{"n":4}'} and method.change(name, offsets=[at(4)])["changed"] is False


def test_own_offsets_topic_with_a_value_that_only_the_shared_topic_has(make_on, main, method):
    """Hidden by the own topic: no offset, listed as unreadable; a reset removes it."""
    name = make_on(main, "STOPPED", offsets_storage_topic="own-of-the-tests")
    own = method.at("own-of-the-tests")
    (place, key), = own.live(name)
    method.kafka.raw(own.topic, [(place, key, None)])
    found = method.look(name)
    assert found["offsets"] == [] and main.worker.offsets(name) == [entry({"p": 0}, None)]
    real = method.done(name, state="absent")
    assert real["counts"]["remove"] == 1 and method.live(name) == {}


SLASHED = "slash/kept-by-the-tests"


def listed(worker, name: str) -> dict:
    return worker.must("GET", "connectors?expand=status").get(name, {}).get("status", {})


def slashed(worker, name: str, state: str) -> str:
    """Once created, no call of a 4.x worker can delete it."""
    if not worker.exists(name):
        worker.must("POST", "connectors", {"name": name, "config": shaped(topic="slashed"), "initial_state": state})
        wait_until(lambda: listed(worker, name).get("connector", {}).get("state") == state)
    return name


def test_c20_name_that_4_3_1_does_not_take_in_a_url(worker, method):
    """STOPPED, it can be set and reset by the topic, by auto as well."""
    name = slashed(worker, SLASHED, "STOPPED")
    if method.look(name)["offsets"]:
        method.done(name, state="absent")
    real = method.done(name, offsets=[at(4)])
    assert real["connector_exists"] is True and real["connector"]["state"] == "STOPPED"
    assert set(method.live(name)) and {key for _place, key in method.live(name)} == {key_of(name)}
    real = method.done(name, state="absent", method="auto")
    assert real["method"] == "topic" and '"/"' in real["method_reason"]


@pytest.mark.parametrize("stop", [False, True], ids=["as it is", "stop"])
def test_c20_running_with_such_a_name_is_refused(stop, worker, method):
    """It cannot be stopped by REST either, and the message must not send anybody there; check mode says the same."""
    name = slashed(worker, f"running/{SLASHED}", "RUNNING")
    wait_until(lambda: listed(worker, name).get("tasks"))
    messages = {method.change(name, check=check, offsets=[at(1)], stop=stop)["msg"] for check in (True, False)}
    assert len(messages) == 1
    for words in (name, "RUNNING", "assume_stopped", "Nothing was changed"):
        assert words in messages.copy().pop()
