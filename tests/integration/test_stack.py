# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stack tool itself: its pure parts, and that it survives what happens to processes."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

from stack import ClusterSpec, Stack, StackError
from stack.cli import main, parse_cluster
from stack.config import broker_properties, worker_properties, write_properties
from stack.ports import find_free, is_free
from stack.postgres import Postgres
from stack.process import Process, spawn, stop_all
from stack.readiness import broker_ready, joined_generation
from stack.security import add_listeners, broker_options, new_secured, scram_credentials
from stack.state import Cluster, Node, State, load
from tests.integration.support.topics import Kafka


def wait_until(condition, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


# -- pure parts


@pytest.mark.parametrize(
    ("text", "name", "version", "workers"),
    [
        ("main", "main", "4.3.1", 1),
        ("main=3.5.2", "main", "3.5.2", 1),
        ("main=3.4.1x3", "main", "3.4.1", 3),
        ("mainx2", "main", "4.3.1", 2),
        ("eu-west_1=4.3.1x12", "eu-west_1", "4.3.1", 12),
    ],
)
def test_cluster_argument(text, name, version, workers):
    assert parse_cluster(text) == (name, ClusterSpec(version, workers))


@pytest.mark.parametrize("text", ["", "=4.3.1", "Main", "main=4", "main=4.3.1x0", "a b", "../x", "main=4.3.1x-1"])
def test_wrong_cluster_argument(text):
    with pytest.raises(argparse.ArgumentTypeError):
        parse_cluster(text)


def _cluster(version: str, **properties: str) -> Cluster:
    return Cluster("eu", version, 7, dict(properties), [])


def _node(name: str = "eu-1", **properties: str) -> Node:
    return Node(name, 20001, f"-Dstreamops.node={name}", "log", properties=dict(properties))


def test_worker_file():
    properties = worker_properties(_cluster("3.5.2"), _node(), "127.0.0.1:1", "/a,/b")
    assert properties["group.id"] == "connect-eu"
    assert properties["offset.storage.topic"] == "connect-eu-offsets"
    assert properties["offset.storage.partitions"] == "7"
    assert properties["listeners"] == "http://127.0.0.1:20001"
    assert "plugin.discovery" not in properties


def test_plugin_discovery_from_3_6():
    assert worker_properties(_cluster("3.6.0"), _node(), "b", "p")["plugin.discovery"] == "service_load"
    assert worker_properties(_cluster("4.3.1"), _node(), "b", "p")["plugin.discovery"] == "service_load"


def test_own_worker_properties_win():
    cluster = _cluster("4.3.1", **{"offset.flush.interval.ms": "9", "listeners": "https://127.0.0.1:{port}"})
    worker = _node(**{"offset.flush.interval.ms": "8"})
    properties = worker_properties(cluster, worker, "b", "p")
    assert properties["offset.flush.interval.ms"] == "8"
    assert properties["listeners"] == "https://127.0.0.1:20001"
    assert cluster.url(worker) == "https://127.0.0.1:20001"


def test_broker_file(tmp_path):
    broker = _node("broker", **{"num.partitions": "3"})
    broker.controller_port = 20002
    properties = broker_properties(broker, tmp_path)
    assert properties["advertised.listeners"] == "PLAINTEXT://127.0.0.1:20001"
    assert properties["controller.quorum.voters"] == "1@127.0.0.1:20002"
    assert properties["num.partitions"] == "3"


def test_broker_file_with_secured_listeners(tmp_path):
    secured = new_secured(20003, 20004)
    plain = broker_properties(_node("broker"), tmp_path)
    properties = add_listeners(plain, secured, tmp_path)
    for name in ("listeners", "advertised.listeners"):
        assert properties[name] == plain[name] + ",SASL://127.0.0.1:20003,MUTUAL://127.0.0.1:20004"
    assert properties["listener.security.protocol.map"].endswith(",SASL:SASL_SSL,MUTUAL:SSL")
    assert properties["super.users"] == "User:ANONYMOUS;User:admin"
    assert f'user_operator="{secured.passwords["operator"]}"' in properties["listener.name.sasl.plain.sasl.jaas.config"]
    assert len(scram_credentials(secured)) == 6
    # Kafka reads the keys of tokens from there, and from nowhere else.
    keys = f"file://{tmp_path}/jwks.json"
    assert properties["sasl.oauthbearer.jwks.endpoint.url"] == keys and broker_options(tmp_path)[0].endswith(f".allowed.urls={keys}")


def test_property_file_escapes(tmp_path):
    write_properties(tmp_path / "p", {"a": "C:\\x\ny"})
    assert (tmp_path / "p").read_text() == "a=C:\\\\x\\ny\n"


@pytest.mark.parametrize(
    ("log", "generation"),
    [
        ("", None),
        ("Joined group at generation 3 with x: Assignment{error=0, leader='a', leaderUrl='http://h:1/', o=1}", 3),
        ("Joined group at generation 3 with x: Assignment{error=0, leader='null', leaderUrl='null', o=1}", None),
        ("Joined group at generation 3 z leaderUrl='u'\nnoise\nJoined group at generation 12 z leaderUrl='u'", 12),
    ],
)
def test_joined_generation(log, generation):
    assert joined_generation(log) == generation


def test_ports():
    first = find_free(set())
    assert is_free(first)
    assert find_free({first}) != first
    assert not broker_ready(first)


def test_state_round_trip(tmp_path):
    state = State(_node("broker"), {"eu": _cluster("4.3.1", a="b")})
    state.clusters["eu"].workers.append(_node())
    state.clusters["eu"].plugins.append("debezium-postgres")
    state.secured = new_secured(20003, 20004)
    state.save(tmp_path / "stack.json")
    assert (tmp_path / "stack.json").stat().st_mode & 0o077 == 0
    assert load(tmp_path / "stack.json") == state
    assert load(tmp_path / "missing.json") == State()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"broker": {"pid": 1}, "clusters": {}}', "\0"])
def test_damaged_state(tmp_path, text):
    (tmp_path / "stack.json").write_text(text)
    with pytest.raises(StackError, match="damaged"):
        Stack(tmp_path).status()


def test_state_of_an_older_stack(tmp_path):
    """As it was before there were secured listeners and plugins."""
    state = State(_node("broker"), {"eu": _cluster("4.3.1")})
    state.save(tmp_path / "stack.json")
    document = json.loads((tmp_path / "stack.json").read_text())
    del document["secured"], document["clusters"]["eu"]["plugins"]
    (tmp_path / "stack.json").write_text(json.dumps(document))
    assert load(tmp_path / "stack.json") == state


def test_secured_only_from_the_beginning(tmp_path):
    State(_node("broker")).save(tmp_path / "stack.json")
    with pytest.raises(StackError, match="without secured listeners: purge"):
        Stack(tmp_path).up(secured=True)


def test_unknown_plugin(tmp_path):
    with pytest.raises(StackError, match="no plugin oracle; there are: debezium-postgres"):
        Stack(tmp_path).up({"main": ClusterSpec(plugins=("oracle",))})
    assert not load(tmp_path / "stack.json").clusters


# -- processes


def _sleeper(tmp_path: Path, tag: str = "-Dtag") -> Process:
    argv = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)", tag]
    return spawn(argv, tag, tmp_path / "log", dict(os.environ))


def test_process_is_known_again_and_stopped(tmp_path):
    process = _sleeper(tmp_path)
    assert process.alive()
    assert os.getsid(process.pid) == process.pid
    wait_until(lambda: (tmp_path / "log").read_text() == "up\n")
    assert Process.find(process.pid, process.tag).alive()
    stop_all([process], 5)
    assert not process.alive()
    assert not Process.find(process.pid, process.tag).alive()
    stop_all([process], 5)


def test_pid_of_another_process_is_not_ours(tmp_path):
    process = _sleeper(tmp_path)
    wait_until(lambda: Path(f"/proc/{process.pid}/cmdline").read_bytes())  # empty while the program is being loaded
    try:
        assert not Process(process.pid, process.start_time, "-Dother").alive()
        later = Process(process.pid, process.start_time + 1, process.tag)
        assert not later.alive()
        stop_all([later], 1)
        assert process.alive()
    finally:
        stop_all([process], 5)


def test_process_that_ignores_term_is_killed(tmp_path):
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    process = spawn([sys.executable, "-c", code, "-Dtag"], "-Dtag", tmp_path / "log", dict(os.environ))
    wait_until(lambda: (tmp_path / "log").read_text() == "up\n")
    stop_all([process], 0.2)
    assert not process.alive()


# -- command line without a stack


def test_commands_on_an_empty_directory(tmp_path, capsys):
    directory = str(tmp_path / "none")
    assert main(["status", "--dir", directory]) == 3
    assert json.loads(capsys.readouterr().out)["running"] is False
    assert main(["down", "--dir", directory]) == 0
    assert main(["purge", "--dir", directory]) == 0
    assert main(["logs", "--dir", directory]) == 0
    assert not Path(directory).exists()


def test_missing_java_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    assert main(["up", "--dir", str(tmp_path / "s")]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "java is missing" in error
    assert "apt-get install" in error


# -- life cycle on real processes


def _get(url: str):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)


def _put_config(url: str, name: str, config: dict) -> None:
    request = urllib.request.Request(
        f"{url}/connectors/{name}/config",
        method="PUT",
        data=json.dumps(config).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 201


def _offsets(url: str, name: str) -> list:
    try:
        return _get(f"{url}/connectors/{name}/offsets")["offsets"]
    except urllib.error.HTTPError:
        return []


def _pids(endpoints: dict) -> set[int]:
    workers = [worker for cluster in endpoints["clusters"].values() for worker in cluster["workers"]]
    return {endpoints["broker"]["pid"], *(worker["pid"] for worker in workers)}


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    own = Stack(tmp_path_factory.mktemp("stack"))
    yield own
    own.purge()
    assert not own.layout.root.exists()


def test_life_cycle(stack):
    """Up, a second up, a connector, a crash of everything, stale pids, one more worker, a wrong one, down."""
    first = stack.up({"main": ClusterSpec(offset_partitions=3)})
    url = first["clusters"]["main"]["urls"][0]
    assert broker_ready(int(first["bootstrap_servers"].partition(":")[2]))
    plugins = {plugin["class"] for plugin in _get(f"{url}/connector-plugins")}
    assert "streamops.test.ShapedSourceConnector" in plugins
    assert "org.apache.kafka.connect.file.FileStreamSourceConnector" in plugins
    assert stack.up() == first, "a second up restarts nothing"
    assert stack.status()["running"]

    config = {
        "connector.class": "streamops.test.ShapedSourceConnector",
        "topic": "shaped",
        "partitions": '[{"zeta": "z", "topic": "t", "alpha": 1, "server": "s"}]',
        "partition.map": "linked",
        "records.per.partition": "3",
        "interval.ms": "1",
    }
    _put_config(url, "linked", config)
    _put_config(url, "hash", {**config, "partition.map": "hash"})
    partition = {"zeta": "z", "topic": "t", "alpha": 1, "server": "s"}
    wait_until(lambda: _offsets(url, "hash") == [{"partition": partition, "offset": {"n": 2}}])
    wait_until(lambda: _offsets(url, "linked") == [{"partition": partition, "offset": None}])

    for pid in _pids(first):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not any(node.alive() for node in load(stack.layout.state).nodes()))
    assert not stack.status()["running"]
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        # As after a reboot: the pid of the file belongs to a stranger now.
        state = load(stack.layout.state)
        state.broker.pid = other.pid
        state.save(stack.layout.state)
        second = stack.up()
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
    assert second["clusters"]["main"]["urls"] == [url]
    assert second["bootstrap_servers"] == first["bootstrap_servers"]
    assert not _pids(first) & _pids(second)
    wait_until(lambda: _offsets(url, "hash") == [{"partition": partition, "offset": {"n": 2}}])

    added = stack.add_worker("main")
    assert _get(f"{added}/connectors") == _get(f"{url}/connectors")
    stack.stop_worker(added, kill=True)
    assert not stack.status()["running"]
    stack.restart_worker(added)
    assert stack.status()["running"]

    with pytest.raises(StackError) as caught:
        stack.add_worker("main", {"key.converter": "no.such.Converter"})
    assert "main-3 ended while starting" in str(caught.value)
    assert "no.such.Converter" in str(caught.value)
    assert str(stack.layout.logs / "main-3.log") in str(caught.value)
    assert stack.status()["running"], "the worker that cannot start is not kept"

    with pytest.raises(StackError, match="cluster main is there with version 4.3.1"):
        stack.up({"main": ClusterSpec("3.4.1")})

    pids = _pids(stack.endpoints())
    stack.down()
    stack.down()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    assert not stack.status()["running"]


def test_a_broker_alone(tmp_path, capsys):
    directory = str(tmp_path / "alone")
    try:
        assert main(["up", "--broker-only", "--dir", directory]) == 0
        endpoints = json.loads(capsys.readouterr().out)
        assert endpoints["clusters"] == {}
        assert Kafka(endpoints["bootstrap_servers"]).create("made", 3)
        assert Stack(directory).up(broker_only=True) == endpoints
        assert main(["status", "--dir", directory]) == 0
        assert main(["up", "--broker-only", "--cluster", "main", "--dir", directory]) == 1
    finally:
        assert main(["purge", "--dir", directory]) == 0


# -- secured listeners, a connector with a database


WAYS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "SSL", "SSL with a pass phrase"]


@pytest.fixture(scope="module")
def secured_stack(tmp_path_factory):
    own = Stack(tmp_path_factory.mktemp("secured"))
    own.up({"main": ClusterSpec(plugins=("debezium-postgres",))}, secured=True)
    yield own
    own.purge()
    assert not own.layout.root.exists()


@pytest.fixture(scope="module")
def endpoints(secured_stack) -> dict:
    return secured_stack.endpoints()


@pytest.fixture(scope="module")
def postgres():
    # Not below pytest's folder: under root the server runs as another user, who may not enter it.
    with tempfile.TemporaryDirectory(prefix="streamops-postgres-") as folder:
        server = Postgres(folder)
        yield server
        server.stop()


def _login(endpoints: dict, way: str, user: str, **changed) -> dict:
    """Settings of a client; None as a changed one takes it away."""
    secured = endpoints["secured"]
    known = secured["users"][user]
    settings = {"ssl.ca.location": secured["ca"], "log_level": 0}
    if way.startswith("SSL"):
        settings |= {
            "bootstrap.servers": secured["ssl"],
            "security.protocol": "SSL",
            "ssl.certificate.location": known["certificate"],
            "ssl.key.location": known["key"],
        }
        if way != "SSL":
            settings |= {"ssl.key.location": known["encrypted_key"], "ssl.key.password": known["key_password"]}
    else:
        settings |= {
            "bootstrap.servers": secured["sasl_ssl"],
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": way,
            "sasl.username": user,
            "sasl.password": known["password"],
        }
    settings |= changed
    return {name: value for name, value in settings.items() if value is not None}


def _topic_error(settings: dict, topic: str) -> int | None:
    error = AdminClient(settings).list_topics(topic, timeout=20).topics[topic].error
    return error and error.code()


def _hears(settings: dict, *codes: int) -> bool:
    """Waits until a client hears of one of these errors, be it after others."""
    heard = set()
    client = AdminClient({**settings, "error_cb": lambda error: heard.add(error.code())})

    def hears() -> set:
        client.poll(0.1)
        return heard & set(codes)

    wait_until(hears)
    return True


@pytest.mark.parametrize("way", WAYS)
def test_ways_into_the_secured_broker(endpoints, way):
    topic = endpoints["clusters"]["main"]["offset_topic"]
    assert _topic_error(_login(endpoints, way, "admin"), topic) is None
    assert _topic_error(_login(endpoints, way, "operator"), topic) == KafkaError.TOPIC_AUTHORIZATION_FAILED


@pytest.mark.parametrize("way", WAYS[:3])
def test_wrong_password(endpoints, way):
    assert _hears(_login(endpoints, way, "admin", **{"sasl.password": "wrong"}), KafkaError._AUTHENTICATION)


def test_wrong_certificates(endpoints):
    without = {"ssl.certificate.location": None, "ssl.key.location": None}
    # In TLS 1.3 the refusal comes after the client's part of the handshake, as an end of the connection.
    assert _hears(_login(endpoints, "SSL", "admin", **without), KafkaError._SSL, KafkaError._TRANSPORT)
    stranger = {"ssl.ca.location": endpoints["secured"]["users"]["nobody"]["certificate"]}
    assert _hears(_login(endpoints, "PLAIN", "admin", **stranger), KafkaError._SSL)
    with pytest.raises(KafkaException):
        AdminClient(_login(endpoints, "SSL with a pass phrase", "admin", **{"ssl.key.password": "wrong"}))


def test_rights_outlive_a_restart(secured_stack, endpoints):
    topic = endpoints["clusters"]["main"]["offset_topic"]
    rule = ("User:operator", "*", AclOperation.DESCRIBE, AclPermissionType.ALLOW)
    binding = AclBinding(ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, *rule)
    admin = AdminClient(_login(endpoints, "SCRAM-SHA-512", "admin"))
    admin.create_acls([binding])[binding].result(20)
    wait_until(lambda: _topic_error(_login(endpoints, "PLAIN", "operator"), topic) is None)
    secured_stack.restart_broker()
    assert secured_stack.endpoints()["secured"] == endpoints["secured"]
    for way in WAYS:
        wait_until(lambda way=way: _topic_error(_login(endpoints, way, "operator"), topic) is None)
        assert _topic_error(_login(endpoints, way, "nobody"), topic) == KafkaError.TOPIC_AUTHORIZATION_FAILED
    # Whoever comes without a login, by the plain listener, may do everything, as the workers do.
    assert _topic_error({"bootstrap.servers": endpoints["bootstrap_servers"]}, topic) is None
    filter_of = AclBindingFilter(ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, *rule)
    admin.delete_acls([filter_of])[filter_of].result(20)
    wait_until(lambda: _topic_error(_login(endpoints, "PLAIN", "operator"), topic) is not None)


def test_secrets_are_kept(secured_stack, endpoints):
    layout = secured_stack.layout
    assert layout.secured.stat().st_mode & 0o077 == 0
    users = endpoints["secured"]["users"].values()
    secrets = {user["key_password"] for user in users} | {user["password"] for user in users}
    assert len(secrets) == 4
    files = [path for path in layout.root.rglob("*") if path.is_file() and layout.data not in path.parents]
    holders = {path for path in files if any(secret in path.read_text() for secret in secrets)}
    assert holders == {layout.state, layout.conf / "broker.properties"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in holders)


def test_postgres(postgres):
    postgres.start()
    assert postgres.psql("SHOW wal_level; SELECT 1, 'a' UNION SELECT 2, 'b' ORDER BY 1") == "logical\n1|a\n2|b"
    with pytest.raises(StackError, match='column "wrong" does not exist'):
        postgres.psql("SELECT wrong")
    port = postgres.port
    again = Postgres(postgres.directory)
    assert again.running
    assert again.dsn == postgres.dsn
    postgres.psql("CREATE TABLE kept AS SELECT 7 AS n")
    with _session(postgres):
        again.stop()
    assert not postgres.running
    assert is_free(port)
    again.stop()
    postgres.start()
    assert postgres.port == port
    assert postgres.psql("SELECT n FROM kept") == "7"


@contextlib.contextmanager
def _session(postgres: Postgres):
    """Somebody who stays connected."""
    command = ["psql", postgres.dsn, "--no-psqlrc", "--command=SELECT pg_sleep(60)"]
    client = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: postgres.psql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)'") == "1")
        yield
        assert client.wait(10) != 0
    finally:
        client.kill()
        client.wait()


def test_postgres_that_cannot_start():
    wrong = Postgres(tempfile.mkdtemp(prefix="streamops-postgres-"))
    try:
        (wrong.directory / "data").mkdir()
        (wrong.directory / "data" / "PG_VERSION").write_text("7\n")
        with pytest.raises(StackError, match="PostgreSQL did not start"):
            wrong.start()
        assert not wrong.running
        wrong.stop()
    finally:
        shutil.rmtree(wrong.directory)


def test_postgres_is_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("stack.postgres._DEBIAN", tmp_path)
    with pytest.raises(StackError, match="initdb is missing .* apt-get install"):
        Postgres(tmp_path / "none").start()
    assert not (tmp_path / "none").exists()


def test_debezium_writes_offsets(endpoints, postgres):
    """A connector as people have it: snapshot, then changes; its offset is on the topic and in the answer by REST."""
    postgres.start()
    postgres.psql("CREATE TABLE orders (id int PRIMARY KEY, item text); INSERT INTO orders VALUES (1, 'figs')")
    cluster = endpoints["clusters"]["main"]
    url = cluster["urls"][0]
    config = {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "plugin.name": "pgoutput",
        "database.hostname": "127.0.0.1",
        "database.port": str(postgres.port),
        "database.user": "postgres",
        "database.dbname": "postgres",
        "topic.prefix": "shop",
        "table.include.list": "public.orders",
        "publication.autocreate.mode": "filtered",
        "slot.name": "shop",
    }
    try:
        _put_config(url, "orders", config)
        wait_until(lambda: _offsets(url, "orders"))
        status = _get(f"{url}/connectors/orders/status")
        assert [task["state"] for task in (status["connector"], *status["tasks"])] == ["RUNNING", "RUNNING"]
        [found] = _offsets(url, "orders")
        assert found["partition"] == {"server": "shop"}
        assert found["offset"]["snapshot_completed"] is True

        postgres.psql("INSERT INTO orders VALUES (2, 'plums')")
        wait_until(lambda: "lsn_proc" in _offsets(url, "orders")[0]["offset"])
        kafka = Kafka(endpoints["bootstrap_servers"])
        [(key, value)] = kafka.live_offsets(cluster["offset_topic"], "orders").items()
        assert key == '["orders",{"server":"shop"}]'
        assert json.loads(value)["messageType"] == "INSERT"
        assert len(kafka.values("shop.public.orders")) == 2
    finally:
        # A worker is slow to stop while the connector looks for a database that has gone.
        with urllib.request.urlopen(urllib.request.Request(f"{url}/connectors/orders", method="DELETE"), timeout=30):
            pass
