# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole job: spark-submit against a real broker and a real PostgreSQL.

Starting Spark is what takes the time, so one job looks at all topics with planted faults, and the tests read its report.
"""

from __future__ import annotations

import base64
import collections
import hashlib
import os
import shutil
import tempfile
import time
import uuid

import pytest

confluent_kafka = pytest.importorskip("confluent_kafka")

from confluent_kafka import Consumer, Producer, TopicPartition  # noqa: E402
from confluent_kafka.admin import AdminClient, NewTopic  # noqa: E402
from verify_replay.errors import JobError  # noqa: E402
from verify_replay.expectation import parse  # noqa: E402
from verify_replay.job import look  # noqa: E402
from verify_replay.log import Brokers  # noqa: E402

from stack import Stack  # noqa: E402
from stack.postgres import Postgres  # noqa: E402
from tests.integration.support.topics import bounds  # noqa: E402
from tests.verify.apicurio import Guard  # noqa: E402

#: a stack that runs already, for fast rounds while developing; it is left running
KEEP = "STREAMOPS_STACK_DIR"


class Kafka:
    """What the tests do to the broker, and what an independent consumer sees."""

    def __init__(self, servers: str) -> None:
        self.servers = servers
        self.admin = AdminClient({"bootstrap.servers": servers})
        # Idempotence keeps the order when a busy broker has a request repeated.
        self._producer = Producer({"bootstrap.servers": servers, "linger.ms": 5, "enable.idempotence": True})
        self.boundaries: dict[str, dict[int, int]] = {}
        self.topics: dict[str, dict] = {}
        #: the producer of a transaction that stays open
        self.held: Producer | None = None

    def create(self, name: str, partitions: int = 1, **config: str) -> str:
        # Records with old timestamps must not be deleted.
        new = NewTopic(name, partitions, 1, config={"retention.ms": "-1", **{k.replace("_", "."): v for k, v in config.items()}})
        self.admin.create_topics([new])[name].result(30)
        self.boundaries[name] = dict.fromkeys(range(partitions), 0)
        return name

    def send(self, topic: str, records, producer=None) -> None:
        """records: (partition, key, value)."""
        producer = producer or self._producer
        for partition, key, value in records:
            producer.produce(topic, partition=partition, key=key, value=value)
        assert producer.flush(30) == 0

    def transaction(self, topic: str, records, end: str) -> Producer:
        producer = Producer({"bootstrap.servers": self.servers, "transactional.id": uuid.uuid4().hex, "transaction.timeout.ms": 600000})
        producer.init_transactions(30)
        producer.begin_transaction()
        self.send(topic, records, producer)
        if end != "open":
            getattr(producer, f"{end}_transaction")(30)
            self._await_markers(topic)
        return producer

    def _await_markers(self, topic: str) -> None:
        """The coordinator writes the markers after it has answered; until they are there, the end for read_committed is lower."""
        deadline = time.monotonic() + 30
        while self.ends(topic, "read_committed") != self.ends(topic):
            assert time.monotonic() < deadline, f"no marker on {topic}"
            time.sleep(0.05)

    def ends(self, topic: str, level: str = "read_uncommitted") -> dict[int, tuple[int, int]]:
        # With read_committed the end is that of the last finished transaction.
        consumer = Consumer({"bootstrap.servers": self.servers, "group.id": "ends", "isolation.level": level})
        try:
            return {n: bounds(consumer, topic, n) for n in self.boundaries[topic]}
        finally:
            consumer.close()

    def boundary(self, topic: str) -> None:
        """From here on it is after."""
        self.boundaries[topic] = {number: high for number, (_low, high) in self.ends(topic).items()}

    def declare(self, topic: str, cluster: str = "main") -> None:
        """Add the topic to the document, as it is now."""
        ends = self.ends(topic)
        parts = {str(n): {"start": 0, "boundary": self.boundaries[topic][n], "end": ends[n][1]} for n in ends}
        self.topics[topic] = {"cluster": cluster, "topic": topic, "partitions": parts}

    def read(self, topic: str) -> list[tuple[int, int, bytes | None, bytes | None]]:
        """All that an independent consumer sees."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.servers,
                "group.id": uuid.uuid4().hex,
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
            }
        )
        found, open_ends = [], set(self.boundaries[topic])
        consumer.assign([TopicPartition(topic, number, low) for number, (low, _high) in self.ends(topic).items()])
        try:
            while open_ends:
                message = consumer.poll(10)
                assert message is not None, f"no end of {topic}"
                if message.error():
                    open_ends.discard(message.partition())
                else:
                    found.append((message.partition(), message.offset(), message.key(), message.value()))
        finally:
            consumer.close()
        return found


def numbered(numbers, partitions: int = 1):
    return [(n % partitions, f"k{n}", f"value {n}") for n in numbers]


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    kept = os.environ.get(KEEP)
    stack = Stack(kept or tmp_path_factory.mktemp("stack"))
    stack.up(broker_properties={"log.cleaner.backoff.ms": "200"})
    yield stack
    if not kept:
        stack.purge()


@pytest.fixture(scope="module")
def kafka(stack):
    kafka = Kafka(stack.endpoints()["bootstrap_servers"])
    yield kafka
    # They would look for the broker, and say so, until the last test of the session.
    kafka.admin = kafka._producer = kafka.held = None


@pytest.fixture(scope="module")
def postgres():
    # Not in pytest's folder: under root the system user postgres has to reach it.
    folder = tempfile.mkdtemp(prefix="verify-pg-")
    server = Postgres(folder)
    server.start()
    server.psql(
        "CREATE TABLE orders (id bigint PRIMARY KEY, item text, price numeric(10,2), paid boolean);"
        "INSERT INTO orders SELECT n, 'item ' || n, n + 0.5, n % 2 = 0 FROM generate_series(0, 49) n WHERE n NOT IN (7, 20);"
        "UPDATE orders SET price = 999 WHERE id = 11; INSERT INTO orders VALUES (777, 'x', 1, true)"
    )
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


def _replays(kafka: Kafka) -> None:
    for name, partitions, again in (
        ("full", 4, range(600)),
        ("half", 4, [n for n in range(600) if n % 4 < 2]),
        ("lost", 3, [n for n in range(600) if n != 333]),
        ("none", 2, []),
        ("doubled", 2, [*range(600), 5, 17, 17]),
    ):
        kafka.create(name, partitions)
        kafka.send(name, numbered(range(600), partitions))
        kafka.boundary(name)
        kafka.send(name, numbered(again, partitions))
        kafka.declare(name)
    kafka.create("empty", 2)
    kafka.declare("empty")


def _logs(kafka: Kafka) -> None:
    """C53 and C54: transactions, compaction, deleted records; an open transaction."""
    kafka.create("tx")
    kafka.transaction("tx", numbered(range(3)), "commit")
    kafka.transaction("tx", numbered(range(3, 5)), "abort")
    kafka.declare("tx")
    for name, again in (("deleted", range(10)), ("deleted_lost", range(8))):
        kafka.create(name)
        kafka.send(name, numbered(range(10)))
        kafka.boundary(name)
        kafka.send(name, numbered(again))
        kafka.declare(name)
        for future in kafka.admin.delete_records([TopicPartition(name, 0, 4)]).values():
            future.result(30)
    kafka.create("held")
    kafka.send("held", numbered(range(5)))
    kafka.boundary("held")
    kafka.send("held", numbered(range(2)))
    kafka.held = kafka.transaction("held", numbered(range(2, 5)), "open")
    kafka.declare("held")


def _compacted(kafka: Kafka) -> None:
    settings = {"cleanup_policy": "compact", "segment_ms": "100", "min_cleanable_dirty_ratio": "0.001", "max_compaction_lag_ms": "100"}
    kafka.create("compacted", **settings)
    kafka.send("compacted", [(0, f"k{n % 10}", f"v{n}") for n in range(200)])
    time.sleep(0.3)
    # The segment that is written to is not cleaned: a new record closes it, and is the only one in the next.
    kafka.send("compacted", [(0, "k0", "again")])
    deadline = time.monotonic() + 60
    # Ten keys and that record: then there is nothing left to clean, neither while the job reads nor later.
    while len(kafka.read("compacted")) != 11:
        assert time.monotonic() < deadline, "the cleaner did not run"
        time.sleep(0.3)
    kafka.declare("compacted")


def _copies(kafka: Kafka) -> None:
    kafka.create("source", 4)
    kafka.send("source", numbered(range(400), 4))
    kafka.declare("source")
    kafka.create("good_copy", 4)
    kafka.send("good_copy", numbered(range(400), 4))
    kafka.declare("good_copy", "other")
    kafka.create("bad_copy", 4)
    kafka.send("bad_copy", numbered([*(n for n in range(400) if n not in (41, 90)), 8, 1000], 4))
    kafka.declare("bad_copy", "other")


def _others(kafka: Kafka) -> None:
    kafka.create("orders", 3)
    rows = [(n % 3, str(n), f'{{"item": "item {n}", "price": {n + 0.5}, "paid": {str(n % 2 == 0).lower()}}}') for n in range(50)]
    kafka.send("orders", [(n % 3, str(n), "{}") for n in range(5)] + rows + [(20 % 3, "20", None)])
    kafka.declare("orders")
    kafka.create("offsets", 2)

    def commit(name: str, place: str, *positions):
        return [(1, f'["{name}",{{"filename":"{place}"}}]', n if n is None else f'{{"position":{n}}}') for n in positions]

    kafka.send("offsets", commit("good", "a", 100, None) + commit("bad", "a", 50) + commit("bad", "b", 50))
    kafka.boundary("offsets")
    kafka.send("offsets", commit("good", "a", 10, 20, 120) + commit("bad", "a", 60, 40, 70))
    kafka.declare("offsets")


@pytest.fixture(scope="module")
def shipped(kafka, apicurio, tmp_path_factory):
    """A topic of Avro records and the files that a sink has made of it, one record short; its registry wants a login."""
    schema = {"type": "record", "name": "Line", "fields": [{"name": "item", "type": "string"}]}
    number = apicurio.register("shipped-value", schema)
    kafka.create("shipped", 2)
    head = b"\0" + number.to_bytes(4, "big")
    kafka.send("shipped", [(n % 2, None, head + bytes([14]) + b"item %02d" % n) for n in range(20)])
    kafka.declare("shipped")
    folder = tmp_path_factory.mktemp("bucket")
    for partition in range(2):
        rows = [f'{{"item":"item {n:02}"}}\n' for n in range(partition, 20, 2)]
        (folder / f"partition={partition}").mkdir()
        for start, end in ((0, 4), (4, 10 - partition)):
            (folder / f"partition={partition}" / f"shipped+{partition}+{start:010}.json").write_text("".join(rows[start:end]))
    guard = Guard(apicurio, "Basic " + base64.b64encode(b"auditor:s3cret-word").decode())
    yield {"registry": {"url": guard.url, "username": "auditor"}, "path": folder.as_uri()}
    guard.close()


def _checks() -> list[dict]:
    checks = [{"type": "replayed", "topic": name} for name in ("full", "half", "lost", "none", "doubled", "empty")]
    checks += [{"type": "replayed", "topic": name} for name in ("deleted", "deleted_lost", "held")]
    checks += [{"type": kind, "topic": "full"} for kind in ("keys_present", "duplicates", "gaps", "not_replayed")]
    checks += [
        {"type": "replayed", "topic": "half", "name": "half is enough", "min_ratio": 0.5},
        {"type": "replayed", "topic": "half", "name": "one partition", "ranges": {"1": {"start": 10, "end": 30}}},
        {"type": "count", "topic": "full", "min": 600, "max": 600},
        {"type": "nulls", "topic": "full", "max_null_keys": 0, "max_tombstones": 0},
        {"type": "duplicates", "topic": "doubled"},
        {"type": "not_replayed", "topic": "none"},
        {"type": "poison_gone", "topic": "lost", "offsets": {"0": [111]}},
        {"type": "poison_gone", "topic": "full", "sha256": [hashlib.sha256(b"value 5").hexdigest()]},
        {"type": "gaps", "topic": "tx"},
        {"type": "count", "topic": "tx", "min": 3, "max": 3},
        {"type": "gaps", "topic": "compacted"},
        {"type": "mirror", "topic": "good_copy", "source": "source"},
        {"type": "mirror", "topic": "bad_copy", "source": "source"},
        {"type": "sink", "topic": "orders", "table": "orders", "key_column": "id", "show_keys": True}
        | {"columns": {"item": "item", "price": "price", "paid": "paid"}},
        {"type": "sink", "topic": "shipped", "table": "bucket", "mode": "append", "columns": {"item": "item"}}
        | {"value_format": "avro", "registry": "schemas"},
        {"type": "progress", "topic": "offsets", "connector": "good", "name": "progress good"},
        {"type": "progress", "topic": "offsets", "connector": "bad", "field": "position", "name": "progress bad"},
    ]
    return checks


@pytest.fixture(scope="module")
def document(kafka, postgres, shipped):
    for plant in (_replays, _logs, _compacted, _copies, _others):
        plant(kafka)
    servers = {"bootstrap.servers": kafka.servers}
    cluster_id = kafka.admin.describe_cluster().result(30).cluster_id
    yield {
        "version": 1,
        "change_id": "change-1",
        "clusters": {"main": servers, "other": servers},
        "cluster_ids": {"main": cluster_id},
        "topics": kafka.topics,
        "tables": {"orders": {"url": f"jdbc:postgresql://127.0.0.1:{postgres.port}/postgres", "table": "public.orders"}}
        | {"bucket": {"format": "json", "path": shipped["path"], "schema": "item string"}},
        "registries": {"schemas": shipped["registry"]},
        "checks": _checks(),
        "samples": 400,
    }
    kafka.held.abort_transaction(30)


@pytest.fixture(scope="module")
def outcome(submit, document):
    secrets = {"spark.verify_replay.jdbc.orders.user": "postgres", "spark.verify_replay.registry.schemas.password": "s3cret-word"}
    return submit(document, secrets)


@pytest.fixture(scope="module")
def checks(outcome):
    status, report, errors, _page = outcome
    assert report and not report["error"], errors
    return {check["name"]: check for check in report["checks"]}


VERDICTS = {
    "pass": "replayed full,replayed doubled,half is enough,one partition,count full,nulls full,keys_present full,duplicates full,gaps full,"
    "poison_gone lost,gaps tx,count tx,gaps compacted,mirror good_copy,progress good",
    "fail": "replayed half,replayed lost,replayed none,replayed deleted_lost,not_replayed full,duplicates doubled,"
    "poison_gone full,mirror bad_copy,sink orders,sink shipped,progress bad",
    "cannot_tell": "replayed empty,replayed deleted,replayed held,not_replayed none",
}
CASES = [(name, verdict) for verdict, names in VERDICTS.items() for name in names.split(",")]


@pytest.mark.parametrize(("name", "verdict"), CASES)
def test_verdict(checks, name, verdict):
    assert checks[name]["verdict"] == verdict, checks[name]["sentence"]


def test_every_check_has_a_case(checks):
    assert set(checks) == {name for name, _verdict in CASES}


def test_status_and_verdict(outcome):
    status, report, errors, page = outcome
    assert status == 3 and report["verdict"] == "fail" and report["change_id"] == "change-1"
    assert "The data is not as declared" in page
    assert "verify_replay: reading full: 4 partitions, 1200 offsets" in errors


def test_names_every_record_that_is_missing(checks, kafka):
    read = kafka.read("half")
    after = {value for partition, offset, _key, value in read if offset >= kafka.boundaries["half"][partition]}
    missing = {(p, o) for p, o, _key, value in read if o < kafka.boundaries["half"][p] and value not in after}
    assert len(missing) == 300
    assert {(sample["partition"], sample["offset"]) for sample in checks["replayed half"]["samples"]} == missing
    # 333 = 111 * 3
    assert [(s["partition"], s["offset"]) for s in checks["replayed lost"]["samples"]] == [(0, 111)]


def test_finds_every_duplicate(checks, kafka):
    values = [value for partition, offset, _key, value in kafka.read("doubled") if offset >= kafka.boundaries["doubled"][partition]]
    again = sum(count - 1 for count in collections.Counter(values).values())
    assert checks["duplicates doubled"]["figures"]["duplicates"] == again == 3


def test_counts_what_a_consumer_sees(outcome, kafka):
    topics = outcome[1]["topics"]
    for name in ("full", "half", "tx", "compacted", "deleted", "bad_copy"):
        read = kafka.read(name)
        assert topics[name]["before"] + topics[name]["after"] == len(read), name
        assert topics[name]["bytes"] == sum(len(key or b"") + len(value or b"") for _p, _o, key, value in read), name


def test_explains_holes(checks, kafka):
    figures = checks["gaps tx"]["figures"]
    assert figures == {"offsets": 7, "holes": 4, "aborted": 2, "markers": 2, "compacted": 0, "unexplained": 0}
    figures = checks["gaps compacted"]["figures"]
    assert figures["holes"] == figures["compacted"] == figures["offsets"] - len(kafka.read("compacted")) > 0


def test_names_the_range_that_is_gone(checks, outcome):
    for name in ("deleted", "deleted_lost"):
        assert f"{name} partition 0 offsets 0..3 no longer in the log" in checks[f"replayed {name}"]["sentence"]
    assert [s["offset"] for s in checks["replayed deleted_lost"]["samples"]] == [8, 9]
    gone = outcome[1]["topics"]["deleted"]["partitions"]["0"]["unreadable"]
    assert gone == [{"start": 0, "end": 4, "reason": "no longer in the log"}]


def test_names_what_a_transaction_holds_back(checks):
    assert "held back by an open transaction" in checks["replayed held"]["sentence"]


def test_mirror_names_lost_and_doubled(checks):
    found = checks["mirror bad_copy"]
    assert {name: found["figures"][name] for name in ("missing", "repeated", "extra")} == {"missing": 2, "repeated": 1, "extra": 1}
    samples = {}
    for one in found["samples"]:
        samples.setdefault(one["what"], []).append((one["topic"], one["partition"], one["offset"]))
    assert samples == {
        "missing in the copy": [("source", 1, 10), ("source", 2, 22)],
        "too often in the copy": [("source", 0, 2)],
        "in the copy, without a source": [("bad_copy", 0, 101)],
    }
    assert checks["mirror good_copy"]["figures"]["missing"] == 0


def test_sink_names_each_kind_of_fault(checks):
    found = checks["sink orders"]
    assert {name: found["figures"][name] for name in ("missing", "extra", "different")} == {"missing": 1, "extra": 1, "different": 1}
    assert {(s["what"], s.get("key")) for s in found["samples"]} == {
        ("missing in the table", None),
        ("different in the table", "11"),
        ("extra in the table", "777"),
    }


def test_sink_names_the_record_that_is_in_no_file(checks):
    found = checks["sink shipped"]
    assert {name: found["figures"][name] for name in ("records", "rows", "missing", "files", "offsets_in_no_file")} == {
        "records": 20, "rows": 19, "missing": 1, "files": 4, "offsets_in_no_file": 1}  # fmt: skip
    assert [(one["what"], one["partition"], one["offset"]) for one in found["samples"]] == [
        ("missing in the table", 1, 9), ("in no file", 1, 9)]  # fmt: skip


def test_progress_names_backwards_and_still(checks):
    found = checks["progress bad"]["figures"]
    assert found["backwards"] == 1 and found["still"] == 1 and found["source_partitions"] == 2


def test_no_payload_in_report_or_page(outcome):
    _status, report, errors, page = outcome
    for text in (str(report), page, errors):
        assert "value 333" not in text and "item 11" not in text and "s3cret-word" not in text


def tiny(kafka, **changes) -> dict:
    """A document of one topic that is as declared."""
    servers = {"bootstrap.servers": kafka.servers}
    document = {"version": 1, "clusters": {"main": servers}, "topics": {"full": kafka.topics["full"]}}
    return {**document, "checks": [{"type": "replayed", "topic": "full"}], **changes}


def test_topic_that_is_not_there(spark, kafka, document):
    """In the session of the tests of single checks: what comes of a JobError is the same for all of them (test_main.py)."""
    expected = parse(tiny(kafka, topics={"full": {**kafka.topics["full"], "topic": "nowhere"}}))
    brokers = Brokers(spark._jvm, lambda _cluster: {"bootstrap.servers": kafka.servers})
    try:
        with pytest.raises(JobError, match="the topic nowhere is not there on cluster main"):
            look(expected, brokers)
    finally:
        brokers.close()


def test_jars_that_are_not_there(submit, document, kafka):
    status, report, printed, _page = submit(tiny(kafka), jars="")
    assert status == 1 and "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0" in report["error"] and "Traceback" not in printed
