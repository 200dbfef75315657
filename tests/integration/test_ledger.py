# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger of changes on real topics: what it keeps, what it refuses, and that of two runs one wins."""

from __future__ import annotations

import json
import threading
import uuid

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import (
    Change,
    ConcurrentUpdate,
    Unreadable,
    encode,
    now,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.topic import TopicLedger, key_of
from confluent_kafka.admin import (
    AclOperation,
    AdminClient,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from tests.integration.support.configs import at, shaped
from tests.integration.support.modules import run_module
from tests.integration.support.secured import login
from tests.integration.support.worker import wait_until

KEY = "streamops.kafka_connect.changes"


def change(change_id: str = "CHG-1", connector: str = "c", revision: int = 1, run: str = "r1", partitions: int = 1, **more) -> Change:
    rows = [{"partition": {"filename": f"/data/in/orders-{p}.csv"}, "offset": {"position": 4000000000 + p}} for p in range(partitions)]
    values = {
        "connector": connector, "change_id": change_id, "digest": "sha256:1", "phase": "started", "revision": revision, "run": run,
        "times": {"started": now(), more.get("phase", "started"): now()}, "who": {"user": "ops"}, "method": "rest", "offset_topic": None,
        "cluster": {}, "kind": "source",
        "state_to_restore": None, "before": rows, "after": rows, "records": None}
    return Change(**{**values, **more})


def facts(changes) -> list[tuple]:
    return [(one.change_id, one.revision, one.run) for one in changes]


@pytest.fixture
def topic(kafka):
    """The name of a topic that does not exist, deleted afterwards."""
    name = f"t-{uuid.uuid4().hex[:8]}-changes"
    yield name
    if kafka.exists(name):
        kafka.drop(name)


@pytest.fixture
def client(kafka):
    """client() -> a KafkaClient like that of a run of its own."""
    made = []

    def client(**settings) -> KafkaClient:
        made.append(KafkaClient({"bootstrap.servers": kafka.bootstrap_servers, **settings}, 20))
        return made[-1]

    yield client
    for one in made:
        one.close()


@pytest.fixture
def ledger(client, topic):
    return lambda name=None, group=None, **settings: TopicLedger(client(**settings), name or topic, group)


# ---- the topic itself


def _settings(kafka, topic: str) -> dict:
    resource = ConfigResource(ResourceType.TOPIC, topic)
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    found = admin.describe_configs([resource])[resource].result(20)
    return {name: entry.value for name, entry in found.items()}


def test_only_the_first_put_makes_the_topic(ledger, kafka, topic):
    """Compacted, one partition, the cluster's replication factor."""
    assert ledger().changes("c") == [] and not kafka.exists(topic)
    one = ledger()
    one.put(change(), None)
    assert facts(ledger().changes("c")) == [("CHG-1", 1, "r1")] and one.warnings == []
    assert _settings(kafka, topic)["cleanup.policy"] == "compact" and list(kafka.ends(topic)) == [0]
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    offsets, ours = (admin.list_topics(name, timeout=20).topics[name].partitions[0].replicas for name in ("connect-main-offsets", topic))
    assert len(ours) == len(offsets)


def test_both_make_the_topic_at_once(ledger):
    outcomes = _at_once([lambda number=number: ledger().put(change(f"CHG-{number}"), None) for number in range(4)])
    assert outcomes == [None] * 4
    assert sorted(facts(ledger().changes("c"))) == [(f"CHG-{number}", 1, "r1") for number in range(4)]


@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_a_topic_that_forgets_is_refused(ledger, kafka, lone, policy):
    name = lone(1, policy)
    for attempt in (lambda: ledger(name).changes("c"), lambda: ledger(name).put(change(), None)):
        with pytest.raises(errors.MethodError, match=f"cleanup.policy={policy}.*kafka-configs.sh"):
            attempt()
    assert kafka.raw_records(name) == []


def test_rubbish_is_left_out_but_not_what_may_be_ours(ledger, kafka, lone):
    name = lone(5)
    kafka.raw(name, [(0, b"gibberish", b"x"), (1, b'["c",{"p":0}]', b'{"n":1}'), (2, b'["c","\xff"]', b"x"),
                     (3, key_of("d", "CHG-1"), b"x")])
    ledger(name).put(change(), None)
    one = ledger(name)
    assert facts(one.changes("c")) == [("CHG-1", 1, "r1")]
    assert one.warnings == [f"The topic {name} holds 3 records that this collection has not written; left out."]
    with pytest.raises(Unreadable, match="CHG-1.* on the topic "):
        ledger(name).changes("d")
    with pytest.raises(Unreadable):
        ledger(name).put(change(connector="d"), None)
    assert len([record for record in kafka.raw_records(name) if record.key == key_of("d", "CHG-1")]) == 1
    # A tombstone, as the message says, mends it.
    kafka.raw(name, [(3, key_of("d", "CHG-1"), None)])
    assert ledger(name).changes("d") == []


def test_what_is_not_committed_does_not_count(ledger, kafka, lone):
    name = lone(1)
    kafka.raw(name, [(0, key_of("c", "CHG-1"), encode(change()).encode())], transaction="aborted")
    assert ledger(name).changes("c") == []
    with kafka.open_transaction(name, [(0, key_of("c", "CHG-2"), encode(change("CHG-2")).encode())]):
        one = ledger(name)
        assert one.changes("c") == [] and "transaction is open" in one.warnings[0]


def test_a_run_that_was_killed_in_its_transaction_holds_up_nobody(ledger, kafka, topic):
    """Its own connector's next run ends it at once."""
    ledger().put(change("CHG-0"), None)
    wrecked = ledger()
    writer = wrecked.kafka.writer(f"streamops.kafka_connect.ledger.{topic}.c", {})
    producer = writer._begin(topic, None)
    producer.produce(topic, encode(change(run="dead")).encode(), key_of("c", "CHG-1"), 0)
    producer.flush(10)
    assert "transaction is open" in _warned(ledger())
    ledger().put(change(run="alive"), None)
    assert facts(ledger().changes("c")) == [("CHG-0", 1, "r1"), ("CHG-1", 1, "alive")]


def _warned(ledger) -> str:
    ledger.changes("c")
    return " ".join(ledger.warnings)


def test_partitions_that_were_added(ledger, kafka, topic):
    for number in range(6):
        ledger().put(change(f"CHG-{number}"), None)
    kafka.widen(topic, 5)
    for number in range(6):
        ledger().put(change(f"CHG-{number}", revision=2), change(f"CHG-{number}"))
    assert sorted(facts(ledger().changes("c"))) == [(f"CHG-{number}", 2, "r1") for number in range(6)]
    assert len({record.partition for record in kafka.raw_records(topic)}) > 1


def test_groups_are_apart(ledger):
    ledger(group="one").put(change(run="a"), None)
    ledger(group="two").put(change(run="b"), None)
    assert facts(ledger(group="one").changes("c")) == [("CHG-1", 1, "a")] and ledger().changes() == []
    assert "the Connect group one, the Connect group two" in _warned(ledger())


# ---- who wins


def _at_once(calls) -> list:
    """What each raises, None where it returns."""
    gate, outcomes = threading.Barrier(len(calls)), [None] * len(calls)

    def run(number):
        gate.wait()
        try:
            calls[number]()
        except Exception as error:
            outcomes[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return outcomes


def test_of_several_at_once_one_wins(ledger):
    """Twenty times; then the same for the next step of a change that both know."""
    ledger().put(change("first"), None)
    for turn in range(20):
        name, runs = f"CHG-{turn}", ["a", "b", "c"]
        outcomes = _at_once([lambda name=name, run=run: ledger().put(change(name, run=run), None) for run in runs])
        won = [run for run, outcome in zip(runs, outcomes, strict=True) if outcome is None]
        assert len(won) == 1 and sum(isinstance(outcome, ConcurrentUpdate) for outcome in outcomes) == 2, outcomes
        assert {outcome.change.run for outcome in outcomes if outcome} == set(won)
        assert (name, 1, won[0]) in facts(ledger().changes("c"))
    base = change("CHG-0", run=next(run for name, _revision, run in facts(ledger().changes("c")) if name == "CHG-0"))
    outcomes = _at_once([lambda run=run: ledger().put(change("CHG-0", revision=2, run=run), base) for run in ("x", "y")])
    assert sorted(outcome.__class__.__name__ for outcome in outcomes) == ["ConcurrentUpdate", "NoneType"], outcomes


def test_two_changes_of_one_connector_at_once(ledger):
    """They shut out each other, but both get there."""
    ledger().put(change("first"), None)
    for turn in range(5):
        outcomes = _at_once([lambda name=name: ledger().put(change(name), None) for name in (f"A-{turn}", f"B-{turn}")])
        assert outcomes == [None, None]
    assert len(ledger().changes("c")) == 11


def test_shut_out_between_two_steps(ledger):
    mine = ledger()
    mine.put(change(), None)
    ledger().put(change("CHG-2", run="other"), None)
    mine.put(change(revision=2), change())
    ledger().put(change(revision=3, run="other"), change(revision=2))
    with pytest.raises(ConcurrentUpdate) as caught:
        mine.put(change(revision=3), change(revision=2))
    assert caught.value.change.run == "other"


def test_a_transactional_id_of_ones_own(ledger):
    """The offsets method then has the same, and shuts out the ledger between its two steps."""
    mine = ledger(**{"transactional.id": "ops"})
    mine.put(change(), None)
    mine.kafka.write([(mine.name, 0, b"other", b"x")], "ignored")
    mine.put(change(revision=2), change())
    assert facts(ledger().changes("c")) == [("CHG-1", 2, "r1")]


def test_the_client_tells_that_it_is_fenced(client, lone):
    name = lone(1)
    first, second = client().writer("same", {}), client().writer("same", {})
    first.write([(name, 0, b"k", b"1")])
    second.write([(name, 0, b"k", b"2")])
    with pytest.raises(errors.Fenced):
        first.write([(name, 0, b"k", b"3")])
    second.write([(name, 0, b"k", b"4")])


# ---- large ones


def test_a_change_of_a_hundred_thousand_partitions(ledger):
    one = ledger()
    large = change(partitions=100000)
    assert len(encode(large)) > 10000000
    one.put(large, None)
    one.put(large._replace(revision=2), large)
    found, = ledger().changes("c")
    assert found == large._replace(revision=2)


def test_too_large_for_the_topic(ledger, kafka, topic):
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    new = NewTopic(topic, 1, 1, config={"cleanup.policy": "compact", "max.message.bytes": "2000"})
    admin.create_topics([new])[topic].result(20)
    wait_until(lambda: ledger().changes() == [])
    with pytest.raises(errors.BrokerError, match="CHG-1 of c has 5000 partitions.*max.message.bytes"):
        ledger().put(change(partitions=5000), None)
    assert ledger().changes("c") == []
    ledger().put(change(), None)


# ---- rights


@pytest.fixture
def operator(secured):
    """operator(topic) -> the ledger as the user operator."""
    options = login(secured, "SCRAM-SHA-512", "operator")
    settings = {"bootstrap.servers": options["bootstrap_servers"][0], "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512",
                "sasl.username": "operator", "sasl.password": options["sasl_password"], "ssl.ca.location": options["ssl_ca_path"]}
    made = []

    def operator(topic: str) -> TopicLedger:
        made.append(KafkaClient(settings, 15))
        return TopicLedger(made[-1], topic)

    yield operator
    for one in made:
        one.close()


@pytest.fixture
def guarded(admin):
    """A compacted topic on the secured cluster."""
    name = f"t-{uuid.uuid4().hex[:8]}-changes"
    admin.create_topics([NewTopic(name, 1, 1, config={"cleanup.policy": "compact"})])[name].result(20)
    yield name
    admin.delete_topics([name])[name].result(20)


TOPIC, READ = ResourceType.TOPIC, (AclOperation.READ, AclOperation.DESCRIBE)


def _denied(call) -> str:
    with pytest.raises(errors.BrokerDenied) as caught:
        call()
    return caught.value.message


def test_each_right_that_is_missing_is_named(operator, allow, guarded):
    identity = f"streamops.kafka_connect.ledger.{guarded}.c"
    assert f"Read and Describe on Topic {guarded}" in _denied(lambda: operator(guarded).changes("c"))
    allow(TOPIC, guarded, *READ)
    found = operator(guarded)
    assert found.changes("c") == [] and f"DescribeConfigs on Topic {guarded}" in found.warnings[0]
    assert f"Write and Describe on TransactionalId {identity}" in _denied(lambda: operator(guarded).put(change(), None))
    allow(ResourceType.TRANSACTIONAL_ID, identity, AclOperation.WRITE, AclOperation.DESCRIBE)
    assert f"Write on Topic {guarded}" in _denied(lambda: operator(guarded).put(change(), None))
    allow(TOPIC, guarded, AclOperation.WRITE, AclOperation.DESCRIBE_CONFIGS)
    one = operator(guarded)
    one.put(change(), None)
    one.put(change(revision=2), change())
    assert facts(operator(guarded).changes("c")) == [("CHG-1", 2, "r1")] and one.warnings == []


def test_the_right_to_create_is_named(operator, allow, admin):
    name = f"t-{uuid.uuid4().hex[:8]}-changes"
    allow(TOPIC, name, *READ, AclOperation.WRITE)
    assert operator(name).changes("c") == []
    message = _denied(lambda: operator(name).put(change(), None))
    assert f"Create on Topic {name}" in message and "kafka-topics.sh" in message
    assert name not in admin.list_topics(timeout=20).topics


# ---- what an earlier release has left in the configuration


def test_a_marker_in_the_configuration(make, run, worker, tmp_path):
    """Taken over into the ledger, undone from there, hidden where the configuration is shown, and left out of the next one."""
    name = make(shaped(), offsets=[at(1)])
    made = change(connector=name, phase="applied", before=[at(4)], after=[at(1)])
    old = json.loads(encode(made))
    old["road"], old["state_due"] = old.pop("method"), old.pop("state_to_restore")
    wanted = worker.config(name)
    worker.must("PUT", f"connectors/{name}/config", {**wanted, KEY: json.dumps([old])})
    shown, = run("connector_info", name=[name])["connectors"]
    assert shown["config"][KEY] == "(changes of its offsets, by an earlier release)"
    assert run("connector", name=name, config=wanted)["changed"] is False
    undo = {"name": name, "change_id": "CHG-1", "state": "restored"}
    assert run("connector_changes_info", connector=name)["changes"] == []
    for check in (True, False):
        result = run("connector_offsets", check=check, **undo)
        assert result["changed"] is True and any(KEY in text for text in result["warnings"]), result
    assert worker.offsets(name) == [at(4)] and result["change"]["phase"] == "restored"
    assert run("connector_offsets", **undo)["changed"] is False
    found = run("connector_changes_info", connector=name)
    assert [(one["change_id"], one["phase"]) for one in found["changes"]] == [("CHG-1", "restored")]
    assert found["where"].startswith(f"the file {tmp_path}/state/streamops.kafka_connect/") and found["where"].endswith("/changes.jsonl")
    for check in (True, False):
        other = run("connector", check=check, name=name, config={**wanted, "interval.ms": "7"})
        assert other["changed"] is True and KEY not in json.dumps(other["diff"]) and KEY in other["warnings"][0]
    assert worker.config(name) == {**wanted, "interval.ms": "7"}


# ---- the module


def test_the_module_shows_each_kind(ledger, main, make, kafka, topic, tmp_path):
    name = make(shaped(), offsets=[at(4)])
    assert run_module("connector_offsets", {"connect_url": [main.url], "name": name, "change_id": "CHG-1", "offsets": [at(1)]})["changed"]
    for number in range(2):
        ledger().put(change(f"CHG-{number}", connector=name, partitions=3), None)

    def look(**options) -> dict:
        desired = {"connect_url": [main.url], "connector": name, **options}
        found = run_module("connector_changes_info", desired)
        assert not found["failed"], found
        assert run_module("connector_changes_info", desired, check=True) == found and found["changed"] is False
        return found

    found = look()
    assert (found["ledger"], found["counts"]["total"]) == ("file", 1)
    brokers = {"bootstrap_servers": [kafka.bootstrap_servers], "ledger_topic": topic}
    found = look(**brokers, max_entries=1)
    assert (found["ledger"], found["where"], found["counts"]) == (
        "topic", f"the topic {topic}", {"started": 2, "applied": 1, "restored": 0, "total": 3})  # one of them in the file
    assert sorted((one["change_id"], one["partitions"], len(one["after"])) for one in found["changes"]) == [
        ("CHG-0", 3, 1), ("CHG-1", 1, 1), ("CHG-1", 3, 1)]
    assert look(**brokers, ledger="topic", change_id="CHG-1", connector=None)["counts"]["total"] == 1
    assert look(**brokers, ledger="file", connector=None)["counts"]["applied"] == 1
    path = str(tmp_path / "l.json")
    assert look(ledger_file=path)["changes"] == [] and look(ledger_file=path)["where"] == f"the file {path}"
    assert look(**{**brokers, "ledger": "topic", "ledger_topic": "no-such-topic"})["changes"] == []


def test_the_module_refuses(main, kafka, lone):
    for options, words in (
            ({"ledger": "topic"}, "needs kafka_bootstrap_servers"),
            ({"bootstrap_servers": [kafka.bootstrap_servers], "ledger_topic": lone(1, "delete")}, "cleanup.policy=delete"),
            ({"ledger": "none"}, "ledger"), ({"ledger": "config"}, "ledger")):
        found = run_module("connector_changes_info", {"connect_url": [main.url], **options})
        assert found["failed"] and words in found["msg"], found


# ---- the playbook


REPORT = "streamops.kafka_connect.changes_report"


def test_the_playbook_reports(ledger, kafka, main, topic, playbooks, tmp_path):
    """Beside a cluster whose ledger cannot be read; text that looks like a template is none; the same in check mode, but no file."""
    hostile = "e {{ 1/0 }}"
    times = {"started": "2026-01-31T12:00:00.000Z", "applied": "2026-01-31T12:00:05.123Z", "restored": "2026-02-01T08:00:00.000Z"}
    for number, (connector, phase) in enumerate([("orders-source", "applied"), (hostile, "started"), ("x" * 60, "restored")]):
        known = {name: moment for name, moment in times.items() if name in ("started", phase)}
        ledger().put(change(f"CHG-{number}", connector, phase=phase, times=known, who={"user": "ops", "awx_job": '1 "2"'},
                            partitions=number + 1), None)
    brokers = [kafka.bootstrap_servers]
    hosts = {"eu": {"kafka_connect_url": main.url, "kafka_bootstrap_servers": brokers, "kafka_connect_ledger_topic": topic},
             "us": {"kafka_connect_url": main.url, "kafka_connect_ledger": "topic"}}
    folder = tmp_path / "reports"
    dry = playbooks.run(REPORT, hosts, "--check", "--diff", changes_report_dir=str(folder))
    assert not folder.exists()
    play = playbooks.run(REPORT, hosts, "--diff", changes_report_dir=str(folder))
    for one in (dry, play):
        assert one.rc == 2 and "Traceback" not in one.text, one
        assert one.recap["eu"]["failed"] == 0 and one.recap["us"]["failed"] == 1
        assert one.recap["eu"]["changed"] == one.recap["us"]["changed"] == 0
        assert "No report of us: ledger: topic needs kafka_bootstrap_servers" in one.failure("us")
        assert one.report("us")[0] == "us: NO REPORT"
    lines = play.report("eu")
    assert lines == dry.report("eu")
    assert lines[0] == f"eu: the topic {topic}, 3 changes: 1 applied, 1 restored, 1 started and not ended"
    assert lines[2].split() == ["WHEN", "(UTC)", "CONNECTOR", "CHANGE", "PHASE", "METHOD", "PARTITIONS", "BY"]
    assert lines[3].split() == ["2026-01-31", "12:00:05", "orders-source", "CHG-0", "applied", "rest", "1", "user=ops", "awx_job=1", '"2"']
    assert hostile in lines[4] and "2026-02-01 08:00:00" in lines[5] and "xxx..." in lines[5] and lines[5].split()[6] == "3"
    assert lines[7].startswith("STARTED: 1 change whose end is not recorded.")
    report = json.loads((folder / "eu.json").read_text())
    assert [one["connector"] for one in report["changes"]] == ["orders-source", hostile, "x" * 60]
    assert report["changes"][2]["before"] == change(partitions=3).before and report["error"] is None
    assert "bootstrap_servers" in json.loads((folder / "us.json").read_text())["error"]
    hosts["us"] = {**hosts["eu"], "kafka_connect_ledger": "topic", "kafka_connect_ledger_topic": "no-such-topic"}
    few = playbooks.run(REPORT, hosts, changes_report_lines="1", changes_report_connector="orders-source")
    assert few.rc == 0 and few.report("eu")[0] == f"eu: the topic {topic}, 1 change: 1 applied, 0 restored, 0 started and not ended", few
    assert few.report("us")[::3] == ["us: the topic no-such-topic, 0 changes", "(nothing)"]
    few = playbooks.run(REPORT, {"eu": hosts["eu"]}, changes_report_lines="1")
    assert [line[:19] for line in few.report("eu")[3:5]] == ["2026-02-01 08:00:00", "  ... and 2 older"]
