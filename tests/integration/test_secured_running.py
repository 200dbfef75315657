# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connector that runs, and a login that may not do all that its change needs: it is told before the connector is stopped."""

from __future__ import annotations

import uuid

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AclOperation, NewTopic, ResourceType

from tests.integration.conftest import cluster_of
from tests.integration.support.configs import at, file_sink, shaped, sink_at
from tests.integration.support.modules import PREDICTED, run_module
from tests.integration.support.secured import login
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import wait_until

TOPIC, GROUP, TRANSACTION = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID
READ, WRITE, DESCRIBE, CREATE, DELETE = (
    AclOperation.READ, AclOperation.WRITE, AclOperation.DESCRIBE, AclOperation.CREATE, AclOperation.DELETE)


class Running:
    """One that runs; what is sent to its worker is written down."""

    def __init__(self, cluster, recorder, secured: dict, name: str, method: dict) -> None:
        self.cluster, self.recorder, self.name = cluster, recorder, name
        self.worker, self.offset_topic = cluster.worker, cluster.offset_topic
        self._options = {"connect_url": [recorder.url], "name": name, "stop": True, "wait_timeout": 40, **method,
                         **login(secured, "SCRAM-SHA-512", "operator")}

    def change(self, check: bool = False, **desired) -> dict:
        return run_module("connector_offsets", {**self._options, **desired}, check=check)

    def refused(self, *rights: str, **desired) -> str:
        """In check mode and for real: all of these are named, and nothing is sent to the worker but questions."""
        before = self.worker.status(self.name), self.worker.config(self.name)
        assert before[0]["connector"]["state"] == "RUNNING"
        for check in (True, False):
            result = self.change(check=check, **desired)
            assert result["failed"], result
            assert f"the user needs the permission {', '.join(rights)}. " in result["msg"] and "Nothing was changed." in result["msg"]
            assert result["missing_permissions"] == list(rights)
        assert self.recorder.writes() == []
        assert (self.worker.status(self.name), self.worker.config(self.name)) == before
        return result["msg"]

    def made(self, **desired) -> dict:
        """It is predicted, made, and then it runs again."""
        checked = self.change(check=True, **desired)
        assert checked.get("changed") is True and self.recorder.writes() == [], checked
        done = self.change(**desired)
        assert done.get("changed") is True, done
        predicted = [word for word in PREDICTED if word != "warnings"]  # Connect's own come with its answer
        assert [done[word] for word in predicted] == [checked[word] for word in predicted]
        self.worker.await_state(self.name, "RUNNING", ["RUNNING"])
        return done


@pytest.fixture
def running_there(secured_stack, secured, proxy_to):
    """running_there(config, method) -> Running, deleted afterwards."""
    cluster, made = cluster_of(secured_stack, "main"), []

    def running_there(name: str, config: dict, method: dict) -> Running:
        made.append(name)
        cluster.worker.create(name, config, "RUNNING")
        cluster.worker.await_state(name, "RUNNING", ["RUNNING"])
        return Running(cluster, proxy_to(cluster.url), secured, name, method)

    yield running_there
    for name in made:
        cluster.worker.delete(name)


@pytest.fixture
def make_source(running_there):
    """make_source() -> a source that has delivered all that it has, by the method of the offsets topic."""

    def make_source() -> Running:
        name = f"t-{uuid.uuid4().hex[:8]}"
        found = running_there(name, shaped(topic=name), {"method": "topic"})
        wait_until(lambda: found.worker.offsets(name) == [at(4)], reason="the last offset")
        return found

    return make_source


@pytest.fixture
def source(make_source):
    return make_source()


def test_the_offsets_topic(source, allow):
    allow(TOPIC, source.offset_topic, READ)
    source.refused(f"Write on Topic {source.offset_topic}", offsets=[at(1)])
    assert source.change(offsets=[at(4)])["changed"] is False
    allow(TOPIC, source.offset_topic, WRITE)
    allow(TRANSACTION, f"streamops.kafka_connect.{source.offset_topic}.{source.name}", WRITE)
    source.made(offsets=[at(1)])
    wait_until(lambda: source.worker.offsets(source.name) == [at(4)], reason="the records to be written again")


def test_of_a_fleet_nothing_is_changed_where_one_login_lacks_a_right(make_source, secured, allow, playbooks):
    """The canary may do everything, and is not touched."""
    hosts, there = {}, {"canary": make_source(), "other": make_source()}
    topic = there["other"].offset_topic
    allow(TOPIC, topic, READ)
    for host, user in (("canary", "admin"), ("other", "operator")):
        me = login(secured, "SCRAM-SHA-512", user)
        hosts[host] = {
            "kafka_connect_url": there[host].recorder.url, "kafka_connect_offset_topic": topic,
            "reset_offsets_connectors": [{"name": there[host].name, "offsets": [at(1)]}],
            **{f"kafka_{name}": me[name] for name in (
                "bootstrap_servers", "security_protocol", "sasl_mechanism", "sasl_username", "sasl_password", "ssl_ca_path")}}
    play = playbooks.reset(hosts, None, reset_offsets_method="topic", reset_offsets_serial=[1], reset_offsets_hosts="all")
    assert play.rc != 0
    failure = play.failure("other")
    assert f"the user needs the permission Write on Topic {topic}. " in failure and "Nothing was changed." in failure
    for host, one in there.items():
        assert one.recorder.writes() == [] and play.recap[host]["changed"] == 0, play
        assert one.worker.state(one.name) == ("RUNNING", ["RUNNING"]) and one.worker.offsets(one.name) == [at(4)]
    allow(TOPIC, topic, WRITE)
    for one in there.values():
        allow(TRANSACTION, f"streamops.kafka_connect.{topic}.{one.name}", WRITE)
    play = playbooks.reset(hosts, None, reset_offsets_method="topic", reset_offsets_serial=[1], reset_offsets_hosts="all")
    assert play.rc == 0 and {host: play.recap[host]["changed"] > 0 for host in there} == {"canary": True, "other": True}, play
    for one in there.values():
        assert ("PUT", f"/connectors/{one.name}/stop") in one.recorder.writes()


def test_the_right_to_open_transactions_shows_when_it_is_used(source, allow):
    """No broker tells it before. The connector was stopped by then, and is put back."""
    allow(TOPIC, source.offset_topic, READ, WRITE)
    assert source.change(check=True, offsets=[at(1)])["changed"] is True
    message = source.change(offsets=[at(1)])["msg"]
    assert f"Write and Describe on TransactionalId streamops.kafka_connect.{source.offset_topic}.{source.name}" in message
    assert "This run has not changed its offsets." in message and "The connector was restored: it is RUNNING" in message
    assert source.worker.offsets(source.name) == [at(4)]


def test_whether_anything_runs_a_connector_that_is_gone(running_there, secured_stack, allow):
    """Without Describe on the workers' group the brokers list no group, and give no error: that nothing runs is not known then."""
    group = cluster_of(secured_stack, "main").group_id
    name = f"t-{uuid.uuid4().hex[:8]}"
    one = running_there(name, shaped(topic=name), {"method": "topic"})
    wait_until(lambda: one.worker.offsets(name) == [at(4)], reason="the last offset")
    one.worker.delete(name)
    wait_until(lambda: not one.worker.exists(name), reason="the connector to be gone")
    allow(TOPIC, one.offset_topic, READ, WRITE)
    allow(TRANSACTION, f"streamops.kafka_connect.{one.offset_topic}.{name}", WRITE)
    given = {"offset_topic": one.offset_topic, "state": "absent"}
    for more, missing in (({}, "show no group of the worker at "), ({"connect_group": group}, f"show no workers of the group {group}.")):
        for check in (True, False):
            result = one.change(check=check, **given, **more)
            assert result["failed"] and missing in result["msg"], result
            assert "If it is certain that nothing runs it, use assume_stopped: true. Nothing was changed." in result["msg"]
    said = one.change(check=True, assume_stopped=True, **given)
    assert said["changed"] is True
    assert f"Whether a worker runs {name} could not be seen from the brokers." in "".join(said["warnings"])
    allow(GROUP, group, DESCRIBE)
    # The worker's own address, which is in its group; with nothing but a proxy's the group has to be named.
    result = one.change(connect_url=[one.worker.url], **given)
    assert result.get("changed") is True and result["counts"]["remove"] == 1, result


def test_the_consumer_group(running_there, plain, admin, allow, tmp_path):
    name = f"s-{uuid.uuid4().hex[:8]}"
    group = f"connect-{name}"
    admin.create_topics([NewTopic(name, 1, 1)])[name].result(20)
    producer = Producer({"bootstrap.servers": plain, "linger.ms": 0})
    for _number in range(5):
        producer.produce(name, b"x", partition=0)
    assert producer.flush(20) == 0
    sink = running_there(name, file_sink(name, tmp_path / "out.txt"), {"method": "group"})
    wait_until(lambda: sink.worker.offsets(name) == [sink_at(name, 5)], 90, reason="its commit")
    allow(GROUP, group, DESCRIBE)
    allow(TOPIC, name, DESCRIBE)
    read = [f"Read on Group {group}", f"Read on Topic {name}"]
    sink.refused(*read, offsets=[sink_at(name, 2)])
    sink.refused(*read, reset_to="earliest")
    sink.refused(f"Delete on Group {group}", state="absent")
    allow(GROUP, group, READ)
    sink.refused(read[1], offsets=[sink_at(name, 2)])
    allow(TOPIC, name, READ)
    sink.made(offsets=[sink_at(name, 2)])


def test_the_ledger(source, plain, allow, admin):
    """The change itself is by REST, and as declared or not, the ledger is told. Its topic is not there at first."""
    ledger = f"t-{uuid.uuid4().hex[:8]}-changes"
    named = {"method": "rest", "change_id": "CHG-1", "ledger_topic": ledger, "offsets": [at(1)]}
    allow(TOPIC, ledger, READ)
    checked = source.change(check=True, **named)
    assert checked["missing_permissions"] == [f"Create on Topic {ledger}"], checked
    assert f"The topic {ledger} is the ledger of changes" in checked["msg"] and "--operation Create" in checked["msg"]
    refused = source.change(**named)
    assert f"the user needs the permission Create on Topic {ledger}." in refused["msg"] and source.recorder.writes() == []
    allow(TOPIC, ledger, CREATE)
    assert source.change(check=True, **named)["changed"] is True and ledger not in admin.list_topics(timeout=20).topics
    Kafka(plain).create(ledger, 1, "compact")
    source.refused(f"Write on Topic {ledger}", **named)
    source.refused(f"Write on Topic {ledger}", **{**named, "offsets": [at(4)]})
    allow(TOPIC, ledger, WRITE)
    allow(TRANSACTION, f"streamops.kafka_connect.ledger.{ledger}.{source.name}", WRITE)
    source.made(**named)
    assert source.change(**named)["already_applied"] is True
