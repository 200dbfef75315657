# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debezium's JDBC sink fills a table of a real PostgreSQL: past a poison record, once more from a time on, and a Spark job
compares the table with the topic. Needs pyspark."""

from __future__ import annotations

import json
import shutil
import tempfile
import uuid

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import NewTopic

from stack import ClusterSpec
from stack.postgres import Postgres
from tests.integration.spark.conftest import JARS_DIR, quick
from tests.integration.support.configs import sink_at
from tests.integration.support.modules import PREDICTED, run_module
from tests.integration.support.worker import Worker, wait_until

pytest.importorskip("pyspark")

CLUSTER = "tables"
PARTITIONS = 4
#: 2026-01-31T12:00:00Z; order n is of n minutes later, in partition n % 4
NOON, MINUTE = 1769860800000, 60000
#: 2026-03-08T02:00:00Z; order n was made n minutes later. In New York's summer time there is no such hour.
MADE = 1772935200000
JSON = "org.apache.kafka.connect.json.JsonConverter"
KEY = {"type": "struct", "fields": [{"field": "id", "type": "int64"}]}
VALUE = {"type": "struct", "fields": [{"field": "item", "type": "string", "optional": True}, {"field": "cents", "type": "int64"},
                                      {"field": "made", "type": "int64", "name": "org.apache.kafka.connect.data.Timestamp", "version": 1}]}


def order(number: int, item: str | None = "", cents: int | None = None) -> tuple:
    """(partition, key, value, milliseconds) of a record with its schema. The table refuses an item that is None."""
    payload = {"item": f"item {number}" if item == "" else item, "cents": 100 * number if cents is None else cents,
               "made": MADE + number * MINUTE}
    return (number % PARTITIONS, json.dumps({"schema": KEY, "payload": {"id": number}}),
            json.dumps({"schema": VALUE, "payload": payload}), NOON + number * MINUTE)


def row(number: int, item: str = "", cents: int | None = None) -> str:
    """The same in the table."""
    return f"{number}|{item or f'item {number}'}|{100 * number if cents is None else cents}|2026-03-08 02:{number:02}:00"


@pytest.fixture(scope="module")
def cluster(live_stack) -> dict:
    return live_stack.up({CLUSTER: ClusterSpec(plugins=("debezium-jdbc",))})["clusters"][CLUSTER]


@pytest.fixture(scope="module")
def postgres():
    # Not in pytest's folder: under root the system user postgres has to reach it.
    folder = tempfile.mkdtemp(prefix="sink-table-")
    server = Postgres(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


class Shop:
    """A topic of orders, the table of the same name, and the sink of that name between them."""

    def __init__(self, cluster: dict, kafka, postgres) -> None:
        self.worker, self.kafka, self.postgres = Worker(cluster["urls"][0]), kafka, postgres
        self.name = f"t_{uuid.uuid4().hex[:8]}"
        # The records are older than a week.
        new = NewTopic(self.name, PARTITIONS, 1, config={"retention.ms": "-1"})
        kafka._admin.create_topics([new])[self.name].result(20)
        wait_until(lambda: kafka._is_led(self.name), reason=self.name)
        postgres.psql(f"CREATE TABLE {self.name} (id bigint PRIMARY KEY, item text NOT NULL, cents bigint NOT NULL,"
                      " made timestamp NOT NULL)")
        self.worker.create(self.name, {
            "connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector", "tasks.max": "1", "topics": self.name,
            "connection.url": f"jdbc:postgresql://127.0.0.1:{postgres.port}/postgres", "connection.username": "postgres",
            "connection.password": "none", "insert.mode": "upsert", "primary.key.mode": "record_key", "schema.evolution": "none",
            "collection.name.format": self.name, "key.converter": JSON, "value.converter": JSON}, "RUNNING")
        self.worker.await_state(self.name, "RUNNING", ["RUNNING"])

    def produce(self, *orders: tuple) -> None:
        producer = Producer({"bootstrap.servers": self.kafka.bootstrap_servers, "linger.ms": 5})
        for partition, key, value, time in orders:
            producer.produce(self.name, value, key, partition, timestamp=time)
        assert producer.flush(20) == 0

    def sql(self, statement: str) -> list[str]:
        return self.postgres.psql(statement.format(table=self.name)).splitlines()

    def rows(self) -> list[str]:
        return self.sql("SELECT * FROM {table} ORDER BY id")

    def versions(self) -> dict[int, str]:
        """id -> the transaction that wrote the row last, for which a value that stays the same is no matter."""
        return {int(number): version for number, version in (line.split("|") for line in self.sql("SELECT id, xmin FROM {table}"))}

    def slow_down(self) -> None:
        """Each row takes a second."""
        self.sql("CREATE FUNCTION {table}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NEW; END';"
                 "CREATE TRIGGER slow BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION {table}()")

    def await_rows(self, *rows: str) -> None:
        wait_until(lambda: self.rows() == list(rows), reason=f"{rows} in the table")

    def await_commits(self, *offsets: int) -> None:
        wanted = sorted((sink_at(self.name, offset, number) for number, offset in enumerate(offsets)), key=str)
        wait_until(lambda: sorted(self.worker.offsets(self.name), key=str) == wanted, reason=f"commits {offsets}")

    def change(self, check: bool = False, **desired) -> dict:
        return run_module("connector_offsets", {
            "connect_url": [self.worker.url], "bootstrap_servers": [self.kafka.bootstrap_servers], "name": self.name, "stop": True,
            "wait_timeout": 60, **desired}, check=check)

    def close(self) -> None:
        self.worker.delete(self.name)
        self.kafka.drop(self.name)
        self.sql("DROP TABLE {table}")


@pytest.fixture
def shop(cluster, kafka, postgres):
    shop = Shop(cluster, kafka, postgres)
    yield shop
    shop.close()


def poisoned(shop) -> None:
    """Twelve orders are in the table and committed; then comes order 15, which the table refuses, with better ones behind and beside it."""
    shop.produce(*map(order, range(12)))
    shop.await_rows(*map(row, range(12)))
    shop.await_commits(3, 3, 3, 3)
    shop.produce(order(15, None), order(19), order(23), order(13))
    wait_until(lambda: shop.worker.state(shop.name)[1] == ["FAILED"], 60, "a task that fails")


def skip(shop) -> dict:
    """Exactly the poison record, by whoever has read in the task's trace which one it is."""
    desired = {"offsets": [sink_at(shop.name, 4, 3)], "only": "forward", "max_skip": 1}
    dry = shop.change(check=True, **desired)
    done = shop.change(**desired)
    assert not done["failed"], done["msg"]
    told = set(PREDICTED) - {"warnings"}  # only the change itself shows that this sink does not tell Connect whether it minds
    assert {key: dry[key] for key in told} == {key: done[key] for key in told}
    return done


def test_a_poison_record_is_skipped(shop):
    poisoned(shop)
    assert "null value in column" in json.dumps(shop.worker.status(shop.name)["tasks"])
    assert [one for one in shop.rows() if one.startswith(("15|", "19|", "23|"))] == []
    done = skip(shop)
    [action] = [one for one in done["actions"] if one["action"] == "set"]
    assert (action["partition"]["kafka_partition"], action["direction"], action["distance"]) == (3, "forward", 1)
    shop.worker.await_state(shop.name, "RUNNING", ["RUNNING"])
    shop.await_rows(*map(row, range(12)), row(13), row(19), row(23))
    # It goes on, and a later run of the same declaration leaves it alone.
    shop.produce(order(15, "corrected", 7), order(3, "changed"))
    shop.await_rows(*map(row, range(3)), row(3, "changed"), *map(row, range(4, 12)), row(13), row(15, "corrected", 7), row(19), row(23))
    shop.await_commits(3, 4, 3, 8)
    assert shop.change(offsets=[sink_at(shop.name, 4, 3)], only="forward", max_skip=1)["changed"] is False
    assert shop.worker.state(shop.name) == ("RUNNING", ["RUNNING"])


class Proofs:
    """Plays with Spark jobs that compare the table with the topic; the report of the last one."""

    def __init__(self, shop, playbooks) -> None:
        self.shop, self.playbooks, self.reports = shop, playbooks, playbooks.folder / "reports"
        self.host = {
            "kafka_connect_url": shop.worker.url, "kafka_bootstrap_servers": shop.kafka.bootstrap_servers,
            "verify_replay_report_dir": str(self.reports), "verify_replay_jars_dir": JARS_DIR,
            "verify_replay_spark_conf": quick(), "verify_replay_master": "local[2]",
            "verify_replay_driver_memory": "600m", "verify_replay_jdbc_options": {shop.name: {"user": "postgres"}},
        }

    def __call__(self, playbook: str, **variables):
        """Neither the times of the table nor those of the records depend on the zone of the controller."""
        return self.playbooks.run(f"streamops.kafka_connect.{playbook}", {"eu": self.host}, env={"TZ": "America/New_York"}, **variables)

    def verify(self) -> dict:
        """For reset_offsets."""
        name = self.shop.name
        table = {"url": f"jdbc:postgresql://127.0.0.1:{self.shop.postgres.port}/postgres", "table": f"public.{name}"}
        check = {"type": "sink", "topic": name, "table": name, "key_column": "id", "key_field": "payload.id",
                 "columns": {"item": "payload.item", "cents": "payload.cents", "made": "payload.made"}}
        return {"topics": [name], "quiet": 1, "checks": [check], "expectation": {"tables": {name: table}}}

    def result(self) -> tuple[dict, dict]:
        """(the check, the expectation) of the newest report."""
        files = sorted(self.reports.glob("*.json"), key=lambda path: path.stat().st_mtime)
        reports, expectations = ([json.loads(path.read_text()) for path in files if ("expectation" in path.name) is wanted]
                                 for wanted in (False, True))
        [check] = reports[-1]["checks"]
        return check, expectations[-1]


def test_a_damaged_table_is_filled_again_and_proven(shop, playbooks):
    """The table takes the poison record by now, so nothing may be missing; later somebody damages the table behind the sink's back."""
    poisoned(shop)
    skip(shop)
    shop.await_rows(*map(row, range(12)), row(13), row(19), row(23))
    shop.await_commits(3, 4, 3, 6)
    shop.sql("ALTER TABLE {table} ALTER COLUMN item DROP NOT NULL; DELETE FROM {table} WHERE id IN (6, 9, 23);"
             "UPDATE {table} SET item = 'garbled' WHERE id IN (10, 13)")
    before = shop.versions()
    shop.slow_down()
    proofs = Proofs(shop, playbooks)
    play = proofs("reset_offsets", reset_offsets_connectors=[{
        "name": shop.name, "reset_to": {"timestamp": "2026-01-31T12:06:00Z"}, "change_id": f"CHG-{shop.name}", "verify": proofs.verify()}])
    assert play.rc == 0, play
    # It has waited for the sink, whose ten rows take a while, and not for the topic alone, where nothing comes.
    assert "has not read everything" not in play.text
    right = [*map(row, range(12)), row(13), "15||1500|2026-03-08 02:15:00", row(19), row(23)]
    assert shop.rows() == right and shop.worker.state(shop.name) == ("RUNNING", ["RUNNING"])
    # By their time, and no others: 6 to 11, and what came behind them.
    assert {number for number, version in shop.versions().items() if before.get(number) != version} == {*range(6, 12), 13, 15, 19, 23}
    check, expectation = proofs.result()
    assert (check["type"], check["verdict"], check["samples"]) == ("sink", "pass", [])
    assert check["figures"] == {"keys": 16, "rows": 16, "missing": 0, "extra": 0, "different": 0, "without_key": 0}

    shop.sql("DELETE FROM {table} WHERE id = 7; UPDATE {table} SET cents = cents + 1 WHERE id IN (8, 15);"
             "UPDATE {table} SET made = made - interval '5 hours' WHERE id = 11; INSERT INTO {table} VALUES (99, 'x', 1, now())")
    play = proofs("verify_replay", verify_replay_expectation=expectation)
    assert play.rc == 2 and "1 missing, 1 extra, 3 different." in play.failure("eu"), play
    check, _same = proofs.result()
    assert check["verdict"] == "fail"
    assert check["figures"] == {"keys": 16, "rows": 16, "missing": 1, "extra": 1, "different": 3, "without_key": 0}
    where = {(one.get("partition"), one.get("offset"), one["what"]) for one in check["samples"]}
    assert where == {(3, 1, "missing in the table"), (0, 2, "different in the table"), (3, 2, "different in the table"),
                     (3, 3, "different in the table"),
                     (None, None, "extra in the table")}
