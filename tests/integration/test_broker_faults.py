# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brokers that are not there, brokers that die at the worst moment, two runs at once, and input that nobody should send.

The connector is one that no worker knows: what counts here is what is on the topic afterwards.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import backups
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.writer import Writer
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient

from stack import Stack
from tests.integration.support.configs import at, entry
from tests.integration.support.modules import PREDICTED, run_module
from tests.integration.support.secured_offsets import Offsets, new_topic
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import wait_until

#: seconds; a run may take a few of them, one for each question that is left without an answer; plus a margin for a busy machine
PATIENCE = 1
MARGIN = 20
#: the same where transactions are begun soon after a restart, as the broker has to load them
DYING = 3


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path) -> None:
    """Where those go that nobody has asked for."""
    monkeypatch.setattr(backups, "default_path", lambda name: str(tmp_path / f"{name}.json"))


@pytest.fixture(scope="module")
def lone_stack(tmp_path_factory):
    """A broker alone."""
    stack = Stack(tmp_path_factory.mktemp("lone"))
    # Otherwise a broker that was killed has to wait for the end of its own old session.
    quick = {"broker.session.timeout.ms": "1500", "broker.heartbeat.interval.ms": "300"}
    [url] = stack.up(broker_properties=quick)["clusters"]["main"]["urls"]
    stack.stop_worker(url, kill=True)
    yield stack
    stack.purge()


@pytest.fixture(scope="module")
def brokers(lone_stack) -> str:
    return lone_stack.endpoints()["bootstrap_servers"]


@pytest.fixture(scope="module")
def admin(brokers) -> AdminClient:
    return AdminClient({"bootstrap.servers": brokers, "log_level": 0})


@pytest.fixture
def offsets(brokers, admin) -> Offsets:
    # A topic for each test, as a transaction that one test leaves open hides what the next one writes.
    return Offsets(brokers, admin, new_topic(admin))


@pytest.fixture
def mortal(lone_stack):
    """The broker runs again after the test, whatever was done to it."""
    yield lone_stack
    if not lone_stack.status()["broker"]["running"]:
        lone_stack.restart_broker()


def _key(offsets: Offsets, p: int) -> str:
    return f'["{offsets.name}",{{"p":{p}}}]'


def _live(offsets: Offsets, first: int | None, second: int | None) -> bool:
    """Is this what counts on the topic for the partitions 0 and 1?"""
    wanted = {_key(offsets, p): f'{{"n":{n}}}' for p, n in enumerate((first, second)) if n is not None}
    return offsets.live() == wanted


# ---- brokers that are not there


@contextlib.contextmanager
def _listener(answer: bytes | None):
    """An address where somebody takes connections, but is no broker."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept = []

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _peer = server.accept()
                    kept.append(connection)
                    if answer:
                        connection.recv(1000)
                        connection.sendall(answer)
                        connection.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)
        for connection in kept:
            connection.close()


def _closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


_DECLARE = {"name": "c", "offset_topic": "offsets", "method": "topic", "assume_stopped": True, "offsets": [at(1)]}
_LOOK = {"name": "c", "offset_topic": "offsets", "method": "topic"}


def _fails_in_time(address: str, words: str = "") -> None:
    for module, options in (("connector_offsets_info", _LOOK), ("connector_offsets", _DECLARE)):
        begin = time.monotonic()
        result = run_module(module, {"bootstrap_servers": [address], "kafka_timeout": PATIENCE, **options})
        assert time.monotonic() - begin < PATIENCE + MARGIN
        assert result["failed"]
        assert address in result["msg"]
        assert words in result["msg"]


def test_closed_port():
    _fails_in_time(_closed_port(), "refused")


def test_name_that_nobody_knows():
    _fails_in_time("no-such-broker.invalid:9092", "resolve")


def test_silent_listener():
    with _listener(None) as address:
        _fails_in_time(address)


def test_web_server_in_place_of_a_broker():
    with _listener(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n") as address:
        _fails_in_time(address)


def test_one_wrong_broker_beside_a_right_one(brokers, offsets):
    wrong = ["no-such-broker.invalid:9092", _closed_port()]
    assert offsets.info(bootstrap_servers=[*wrong, brokers]).get("offsets") == [at(4), at(9, p=1)]
    assert offsets.set(at(3), bootstrap_servers=[*wrong, brokers]).get("changed") is True


@pytest.mark.parametrize("options, words", [
    ({"security_protocol": "SASL_SSL"}, "SASL_SSL needs kafka_sasl_mechanism"),
    ({"security_protocol": "SASL_PLAINTEXT", "sasl_username": "u", "sasl_password": "p-p-p-p"}, "PLAINTEXT needs kafka_sasl_mechanism"),
    ({"sasl_mechanism": "PLAIN"}, "need kafka_security_protocol SASL_SSL or SASL_PLAINTEXT"),
    ({"security_protocol": "SSL", "sasl_username": "u", "sasl_password": "p-p-p-p"}, "need kafka_security_protocol SASL_SSL or"),
    ({"security_protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-SHA-512"}, "The Kafka options cannot be used"),
    ({"security_protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-1", "sasl_username": "u", "sasl_password": "p-p-p-p"}, "SCRAM-1"),
    ({"security_protocol": "TLS"}, "security_protocol must be one of"),
    ({"kafka_timeout": 0}, "kafka_timeout must be at least 1 second"),
    ({"kafka_options": {"no.such.setting": "1"}}, "no.such.setting"),
    ({"kafka_options": {"message.max.bytes": "many"}}, "message.max.bytes"),
    ({"bootstrap_servers": ["", " "]}, ", or kafka_bootstrap_servers to work on the offsets topic"),
    ({"bootstrap_servers": ["127.0.0.1:none"]}, "127.0.0.1:none"),
])
def test_options_that_do_not_fit_together(options, words):
    begin = time.monotonic()
    for module, base in (("connector_offsets_info", _LOOK), ("connector_offsets", _DECLARE)):
        result = run_module(module, {"bootstrap_servers": ["127.0.0.1:1"], "kafka_timeout": 1, **base, **options})
        assert result["failed"]
        assert words in result["msg"], result["msg"]
    assert time.monotonic() - begin < 2 * MARGIN


# ---- a broker that dies


def _restart(stack: Stack, offsets: Offsets) -> None:
    """Returns when the topic has its leaders again."""
    stack.restart_broker()
    offsets.ends()


def _kill_around(monkeypatch, stack: Stack, method: str, moment: str, then=None, ended=None) -> None:
    """The broker is killed before or after the next call of a method of the client; then() is called once it is dead.

    ended: whether the broker has ended the transaction that it accepted: if it is killed before that, the end may take minutes.
    """
    kind = KafkaClient if hasattr(KafkaClient, method) else Writer
    original = getattr(kind, method)

    def patched(self, *arguments, **more):
        monkeypatch.setattr(kind, method, original)
        if moment == "after":
            original(self, *arguments, **more)
            wait_until(ended, reason="the end of the transaction")
        stack.stop_broker(kill=True)
        if then:
            then()
        return original(self, *arguments, **more) if moment == "before" else None

    monkeypatch.setattr(kind, method, patched)


def test_dies_between_write_and_read_back(mortal, offsets, monkeypatch):
    _kill_around(monkeypatch, mortal, "write", "after", ended=lambda: _live(offsets, 1, 2))
    begin = time.monotonic()
    result = offsets.set(at(1), at(2, p=1), bootstrap_servers=[offsets.plain], kafka_timeout=DYING)
    assert time.monotonic() - begin < 3 * DYING + MARGIN
    assert result["failed"]
    assert "The change had been accepted before that, but could not be read back" in result["msg"]
    assert "could not be read or rolled back" in result["msg"]
    assert offsets.plain in result["msg"]
    assert result["offsets_before"] == [at(4), at(9, p=1)]

    _restart(mortal, offsets)
    assert _live(offsets, 1, 2)
    ends = offsets.ends()
    again = offsets.set(at(1), at(2, p=1), bootstrap_servers=[offsets.plain])
    assert again.get("changed") is False, again
    assert offsets.ends() == ends

    # Though no backup was asked for: it was the last moment for one.
    assert result["backup_file"], result["msg"]
    assert result["backup_file"] in result["msg"]
    assert offsets.set(src=result["backup_file"], purge=True, offsets=None, bootstrap_servers=[offsets.plain])["changed"]
    assert _live(offsets, 4, 9)


def test_dies_before_the_commit(mortal, offsets, monkeypatch, tmp_path):
    backup = str(tmp_path / "before.json")
    _kill_around(monkeypatch, mortal, "_commit", "before")
    begin = time.monotonic()
    wished = [at(1), at(2, p=1)]
    result = offsets.set(*wished, bootstrap_servers=[offsets.plain], kafka_timeout=DYING, backup=True, backup_file=backup)
    assert time.monotonic() - begin < 5 * DYING + MARGIN
    assert result["failed"]
    assert "whether they are committed is not known" in result["msg"]
    assert offsets.topic in result["msg"]
    assert backup in result["msg"]
    assert result["offsets_before"] == [at(4), at(9, p=1)]

    # Both or none: the broker may have come to know of the commit, but never of half of it.
    _restart(mortal, offsets)
    assert _live(offsets, 4, 9) or _live(offsets, 1, 2)
    again = offsets.set(*wished, bootstrap_servers=[offsets.plain])
    assert not again["failed"], again
    assert _live(offsets, 1, 2)


def test_dies_before_anything_is_written(mortal, offsets, monkeypatch):
    _kill_around(monkeypatch, mortal, "write", "before")
    result = offsets.set(at(1), bootstrap_servers=[offsets.plain], kafka_timeout=DYING)
    assert result["failed"]
    assert "Nothing was changed" in result["msg"]
    assert offsets.plain in result["msg"]
    _restart(mortal, offsets)
    assert offsets.untouched()
    assert offsets.set(at(1), bootstrap_servers=[offsets.plain])["changed"]


def test_away_for_a_moment_during_the_commit(mortal, offsets, monkeypatch):
    _kill_around(monkeypatch, mortal, "_commit", "before", mortal.restart_broker)
    result = offsets.set(at(1), at(2, p=1), bootstrap_servers=[offsets.plain], kafka_timeout=20)
    assert result.get("changed") is True, result
    assert _live(offsets, 1, 2)


# ---- two runs at once


def _open_transaction(offsets: Offsets, transactional_id: str, key: str, partition: int) -> Producer:
    """As a writer leaves it behind that dies before its commit."""
    dead = Producer({"bootstrap.servers": offsets.plain, "transactional.id": transactional_id})
    dead.init_transactions(20)
    dead.begin_transaction()
    dead.produce(offsets.topic, '{"n":77}', key, partition)
    assert dead.flush(20) == 0
    return dead


def _place(offsets: Offsets, p: int) -> int:
    return next(one.partition for one in Kafka(offsets.plain).records(offsets.topic) if one.key == _key(offsets, p))


def test_run_that_was_killed_before_its_commit(offsets):
    """Its transaction stays open on the topic. The next run ends it, and does not wait until it has expired."""
    _dead = _open_transaction(offsets, offsets.transactional_id, _key(offsets, 0), _place(offsets, 0))
    servers = {"bootstrap_servers": [offsets.plain]}
    seen = offsets.info(**servers)
    assert seen["offsets"] == [at(4), at(9, p=1)]
    assert any("A transaction is open" in warning for warning in seen["warnings"]), seen["warnings"]
    begin = time.monotonic()
    assert offsets.set(at(2), **servers).get("changed") is True
    assert time.monotonic() - begin < 30  # of the 60 in which it would expire
    assert _live(offsets, 2, 9)
    assert offsets.info(**servers)["warnings"] == []


def _meanwhile(monkeypatch, method: str, other) -> list[dict]:
    """other() runs from begin to end just before the next call of a method of the client; its result is in the list."""
    kind = KafkaClient if hasattr(KafkaClient, method) else Writer
    original = getattr(kind, method)
    results = []

    def patched(self, *arguments, **more):
        monkeypatch.setattr(kind, method, original)
        results.append(other())
        return original(self, *arguments, **more)

    monkeypatch.setattr(kind, method, patched)
    return results


def test_one_of_two_runs_wins(offsets, monkeypatch):
    """Whichever: all of it is there, and the other one fails and leaves it alone."""
    servers = {"bootstrap_servers": [offsets.plain], "kafka_timeout": 3}
    others = _meanwhile(monkeypatch, "_commit", lambda: offsets.set(at(100), at(200, p=1), **servers))
    first = offsets.set(at(1), at(2, p=1), **servers)
    assert sorted(bool(run.get("changed")) for run in (first, *others)) == [False, True], (first, others)
    assert _live(offsets, 1, 2) if first.get("changed") else _live(offsets, 100, 200), (first, others, offsets.live())
    loser = others[0] if first.get("changed") else first
    assert "whether they are committed is not known" in loser["msg"] and "Somebody else has written meanwhile" in loser["msg"]


def test_taken_over_by_another_run(offsets, monkeypatch):
    """The run that is fenced fails, changes nothing, and does not undo what the other one has written."""
    winner = KafkaClient({"bootstrap.servers": offsets.plain}, 20)
    records = [(offsets.topic, _place(offsets, p), _key(offsets, p).encode(), f'{{"n":{n}}}'.encode()) for p, n in ((0, 100), (1, 200))]
    _meanwhile(monkeypatch, "_commit", lambda: winner.write(records, offsets.transactional_id))
    loser = offsets.set(at(1), at(2, p=1), bootstrap_servers=[offsets.plain], kafka_timeout=10)
    assert loser["failed"]
    assert "Another run with the same transactional id has taken over" in loser["msg"]
    assert _live(offsets, 100, 200), (offsets.live(), loser["msg"])


def test_the_other_run_comes_between_reading_and_writing(offsets, monkeypatch):
    """Both are carried out, one after the other; neither half. A ledger would have the second one wait for the first."""
    servers = {"bootstrap_servers": [offsets.plain], "ledger": "none"}
    other = _meanwhile(monkeypatch, "write", lambda: offsets.set(at(100), at(200, p=1), **servers))
    result = offsets.set(at(1), at(2, p=1), **servers)
    assert other[0]["changed"] and result["changed"]
    assert _live(offsets, 1, 2)


def test_runs_for_two_connectors_do_not_disturb_each_other(offsets, admin, monkeypatch):
    servers = {"bootstrap_servers": [offsets.plain]}
    many = (Offsets(offsets.plain, admin, offsets.topic) for _attempt in range(30))
    neighbour = next(one for one in many if _place(one, 0) != _place(offsets, 0))
    other = _meanwhile(monkeypatch, "_commit", lambda: neighbour.set(at(7), **servers))
    assert offsets.set(at(1), **servers).get("changed") is True
    assert other[0].get("changed") is True, other
    assert _live(offsets, 1, 9)
    assert _live(neighbour, 7, 9)


def test_transaction_that_somebody_else_has_left_open(offsets):
    """It hides what is written behind it, so nothing can be read back. What the run says has to be so when it has ended."""
    dead = _open_transaction(offsets, "somebody-else", '["other",{"p":0}]', _place(offsets, 0))
    result = offsets.set(at(1), bootstrap_servers=[offsets.plain], kafka_timeout=5)
    dead.abort_transaction(20)
    if result["failed"]:
        as_said = _live(offsets, 4, 9) if "as they were" in result["msg"] or "othing was changed" in result["msg"] else _live(offsets, 1, 9)
        assert as_said, (offsets.live(), result["msg"])
        assert "transaction is open" in result["msg"] + str(result["warnings"])
    else:
        assert _live(offsets, 1, 9)


# ---- input that nobody should send


@pytest.mark.parametrize("number", ["9223372036854775808", "-9223372036854775809", "1e400", "NaN", "-Infinity"])
@pytest.mark.parametrize("place", ["offset", "partition"])
def test_numbers_that_connect_cannot_hold(offsets, number, place):
    servers = {"bootstrap_servers": [offsets.plain]}
    pair = '{"partition": {"p": %s}, "offset": {"n": %s}}' % ((number, "1") if place == "partition" else ("0", number))
    runs = [{"content": f"[{pair}]"}]
    if number.lstrip("-").isdigit():
        runs.append({"offsets": [entry({"p": int(number)}, {"n": 1}) if place == "partition" else entry({"p": 0}, {"n": int(number)})]})
    for desired in runs:
        result = offsets.set(**{"offsets": None, **desired}, **servers)
        assert result["failed"]
        assert number in result["msg"] or "JSON" in result["msg"], result["msg"]
    assert offsets.untouched()


def test_the_largest_numbers_that_fit(offsets):
    servers = {"bootstrap_servers": [offsets.plain]}
    greatest, least = 2**63 - 1, -(2**63)
    assert offsets.set(at(greatest), at(least, p=1), **servers)["changed"]
    assert _live(offsets, greatest, least)
    assert not offsets.set(at(greatest), at(least, p=1), **servers)["changed"]


def test_blanks_typed_by_hand(offsets):
    """The key that is there is written, byte for byte; not a second one that no connector reads."""
    servers = {"bootstrap_servers": [offsets.plain], "offsets": None}
    text = ' [ { "partition" : { "p" : 0 } ,\n "offset" : { "n" : 2 } } ] '
    checked = offsets.set(content=text, check=True, **servers)
    done = offsets.set(content=text, **servers)
    assert [done[word] for word in PREDICTED] == [checked[word] for word in PREDICTED]
    assert done["changed"]
    assert _live(offsets, 2, 9)
    assert not offsets.set(content=text, **servers)["changed"]
    # The document by connectors (KIP-199).
    assert not offsets.set(content=f'{{ "{offsets.name}" : {text} }}', **servers)["changed"]


def test_raw_key_typed_with_blanks(offsets):
    """There is no such record: nothing is removed, and no tombstone is left for a key that was never there."""
    typed = f'["{offsets.name}", {{"p": 0}}]'
    servers = {"bootstrap_servers": [offsets.plain], "offsets": None, "state": "absent"}
    result = offsets.set(raw_keys=[typed], **servers)
    assert result.get("changed") is False or result["failed"], result
    assert offsets.untouched()


def test_record_with_blanks_in_its_key(offsets):
    """As a person leaves it behind who writes with a console tool: shown once, flagged, changed with the right one."""
    servers = {"bootstrap_servers": [offsets.plain]}
    typed = f'["{offsets.name}", {{"p": 0}}]'
    producer = Producer({"bootstrap.servers": offsets.plain})
    producer.produce(offsets.topic, '{"n": 3}', typed, 4)
    assert producer.flush(20) == 0
    seen = offsets.info(**servers)
    assert len(seen["offsets"]) == 2
    assert seen["warnings"]
    done = offsets.set(at(2), **servers)
    assert done["changed"]
    assert set(offsets.live()) == {_key(offsets, 0), _key(offsets, 1), typed}
    assert {offsets.live()[key] for key in (_key(offsets, 0), typed)} == {'{"n":2}'}
    assert offsets.set(raw_keys=[typed], state="absent", offsets=None, **servers)["changed"]
    assert _live(offsets, 2, 9)


def test_offsets_of_a_sink(offsets):
    desired = entry({"kafka_topic": "orders", "kafka_partition": 0}, {"kafka_offset": 5})
    for check in (True, False):
        result = offsets.set(desired, bootstrap_servers=[offsets.plain], check=check)
        assert result["failed"]
        assert "is a sink" in result["msg"]
    assert offsets.untouched()


@pytest.mark.parametrize("desired, words", [
    (entry({"p": [0]}, {"n": 1}), "p"),
    (entry({"p": 0}, {"n": {"deep": 1}}), "n"),
    (entry({"p": 0}, {"n": [1]}), "n"),
])
def test_values_that_are_no_offsets(offsets, desired, words):
    result = offsets.set(desired, bootstrap_servers=[offsets.plain])
    assert result["failed"]
    assert words in result["msg"]
    assert offsets.untouched()


def test_topics_that_are_none(offsets, brokers, admin):
    """Never created, never written."""
    servers = {"bootstrap_servers": [brokers]}
    for run in (offsets.info, lambda **options: offsets.set(at(1), **options)):
        result = run(**{**servers, "offset_topic": "no-such-topic"})
        assert result["failed"]
        assert f"There is no topic no-such-topic on the Kafka cluster at {brokers}" in result["msg"]
    assert "no-such-topic" not in admin.list_topics(timeout=20).topics
