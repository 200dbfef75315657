# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What reads what comes from outside, each as far as a module goes with it before it writes. A target returns, or raises one of the collection's errors."""

from __future__ import annotations

import json
from pathlib import Path

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import java_map
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import new_key, new_value
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.http import Transport
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest import ConnectClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import documents
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.declaration import from_document
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import shown
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, SOURCE, Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import change_result, info_result
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger import record
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.connector_changes import ConnectorChanges
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FORMAT, VERSION, FileLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.topic import TopicLedger, key_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file import FileStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file_log import FileLog
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import RestStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicStore
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.fuzz.mutator import Mutator, dumped
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

PAIRS = [{"partition": {"p": 0}, "offset": {"n": 4}}, {"partition": {"file": "a.csv", "zone": 1}, "offset": {"line": "7", "at": 1.5, "x": None}}]
SINK_PAIRS = [{"partition": {"kafka_topic": "orders", "kafka_partition": 0}, "offset": {"kafka_offset": 5}}]
DOCUMENTS = [
    PAIRS, SINK_PAIRS, {"c": PAIRS}, {"offsets": PAIRS}, {"c": SINK_PAIRS, "d": []}, json.loads(documents.write(
        [documents.Part("c", SOURCE, PAIRS), documents.Part("s", SINK, SINK_PAIRS)], {"kafka_cluster_id": "k", "connect_url": "http://h"}, "rest",
        "2026-01-01T00:00:00Z", plugins={"c": {"class": "x.Y", "version": "1"}}, ordered=["c"]))]
OPTIONS = {"rewrite": None, "raw_keys": None}
KEYS = [b'["c",{"p":0}]', b'["c",{"file":"a.csv","zone":1}]', b'{"schema":null,"payload":["c",{"p":1}]}', b'["c", {"p": 2}]', b'["d",{"p":0}]']
OFFSETS = [b'{"n":4}', b'{"schema":null,"payload":{"n":1}}', b'{"line":"7","at":1.5,"x":null}', b"null"]


def _live(kind: str) -> Snapshot:
    pairs = SINK_PAIRS if kind == SINK else PAIRS
    return Snapshot("c", kind, [Entry(pair["partition"], pair["offset"]) for pair in pairs])


def _carried_out(desired: DesiredOffsets, kind: str) -> None:
    """As far as what would be written, and what a module returns of it."""
    plan = make_plan(_live(kind), desired)
    record.digest(desired, kind)
    for action in plan.actions:
        if not isinstance(action.partition, str):  # else it is the key itself
            new_key("c", action.partition)
        if action.after:
            new_value(action.after)
    json.dumps(shown(change_result(plan, "rest", 3)), allow_nan=False)


def document(mutator: Mutator, folder: Path):
    """A file of export, backup or import."""
    data = mutator.text(DOCUMENTS)
    purge, absent, kind = mutator.random.random() < 0.3, mutator.random.random() < 0.2, mutator.random.choice([SOURCE, SINK])

    def read():
        found = documents.parse(data.decode("utf-8", "replace"), "The document")
        names = documents.connectors_in(found, "The document") or ["c"]
        for name in names[:3]:
            desired = from_document(found, name, "The document", purge and not absent, absent=absent, params=OPTIONS)
            desired.check_origin(kind, "other")
            desired.compare_plugin({"class": "x.Y", "version": "2"})
            _carried_out(desired, kind)
        documents.counts(data.decode("utf-8", "replace"))

    return data, read


def offsets_map(mutator: Mutator, folder: Path):
    """The option offsets of a task."""
    items = mutator.value(mutator.random.choice([PAIRS, SINK_PAIRS, [{"partition": {"p": 0}, "next_offset": 5}]]))
    kind, absent = mutator.random.choice([SOURCE, SINK]), mutator.random.random() < 0.3

    def read():
        _carried_out(DesiredOffsets.absent(items) if absent else DesiredOffsets.present(items, mutator.random.random() < 0.3), kind)

    return items, read


STATUS = {"name": "c", "connector": {"state": "FAILED", "worker_id": "h:1", "trace": "java.X: no\n\tat y", "version": "1"},
          "tasks": [{"id": 0, "state": "RUNNING", "worker_id": "h:1"}, {"id": 1, "state": "FAILED", "worker_id": "h:1", "trace": "t"}], "type": "source"}
INFO = {"name": "c", "config": {"connector.class": "x.Y", "topics": "orders"}, "tasks": [{"connector": "c", "task": 0}], "type": "source"}
ANSWERS = [{"version": "4.3.1", "commit": "a", "kafka_cluster_id": "k"}, STATUS, INFO, {"offsets": PAIRS}, {"offsets": SINK_PAIRS},
           {"c": {"status": STATUS, "info": INFO}}, [{"class": "x.Y", "type": "source", "version": "1"}], ["c", "d"],
           {"configs": [{"value": {"name": "a", "errors": ["no"]}}], "error_count": 1}, {"error_code": 404, "message": "Connector c not found"},
           {"error_code": 500, "message": "Request timed out"}, {"error_code": 409, "message": "rebalance"}, {}]


class _Session:
    """Of requests, as far as Transport uses it."""

    def __init__(self, answers: list) -> None:
        self.answers, self.asked = answers, 0

    def request(self, verb, url, **_options):
        assert verb == "GET" or url.endswith("/validate"), f"{verb} {url}"
        status, content = self.answers[self.asked % len(self.answers)]
        self.asked += 1
        return type("Answer", (), {"status_code": status, "content": content, "headers": {}})


def rest_answer(mutator: Mutator, folder: Path):
    """What a worker, or something in front of it, answers to questions. Each gets the same answer, or two by turns."""
    answers = [(mutator.random.choice([200] * 8 + [404, 409, 500, 503, 400, 301]), mutator.text(ANSWERS)) for _number in range(mutator.random.randint(1, 2))]
    kind, method = mutator.random.choice([SOURCE, SINK]), mutator.random.randrange(8)

    def read():
        transport = Transport(["http://h:1"], retry_for=1, sleep=lambda seconds: None, clock=iter(range(10**6)).__next__)
        transport._session = _Session(answers)
        client = ConnectClient(transport)
        if method == 0:
            json.dumps(info_result(RestStore(client, "c", kind, sleep=lambda seconds: None).read(), "rest", 3))
        elif method == 1:
            _shown(client.status("c"))
        elif method == 2:
            for one in client.connectors().values():
                _shown(one.get("status") or {})
        elif method == 3:
            client.require("offsets")
        elif method == 4:
            client.similar("c")
            client.plugins()
        elif method == 5:
            client.validate({"connector.class": "x.Y"})
        elif method == 6:
            json.dumps(shown(client.info("c")["config"]))
        else:
            client.require_url("c")

    return answers, read


def _shown(status: dict) -> None:
    found = Connector(status)
    json.dumps([found.result(), found.failed, found.failure, found.stopped, found.idle, str(found), sorted(map(str, found.parts))])


def topic_record(mutator: Mutator, folder: Path):
    """Records of the offsets topic, among right ones."""
    def key():
        return mutator.random.choice([mutator.bytes(KEYS), mutator.text([json.loads(one) for one in KEYS]), mutator.random.choice(KEYS)])

    records = [(mutator.random.randrange(3), key() if mutator.random.random() < 0.97 else None,
                mutator.random.choice([None, mutator.bytes(OFFSETS), mutator.text([json.loads(one) for one in OFFSETS])])) for _number in range(3)]

    def read():
        kafka = FakeKafka(partitions=3)
        for place, name, value in [(0, KEYS[0], OFFSETS[0]), (1, KEYS[1], OFFSETS[2]), *records]:
            kafka.put(name, value, place)
        logs = OffsetLogs(KafkaLogs(kafka), history_of="")
        store = TopicStore(logs, "c", ["offsets"])
        snapshot = store.read()
        json.dumps(shown([info_result(snapshot, "topic", 3), store.anomalies(), [str(one.reason) for one in store.unreadable_records()]]))
        log = logs.read("offsets")
        log.misplaced(), log.is_of_offsets(), log.among({"c"})
        for held in log.decoded().of("c").values():
            held.anomalies(), held.others(), log.history(held)
        plan = make_plan(snapshot, DesiredOffsets.present([{"partition": {"p": 0}, "offset": {"n": 1}}], purge=True))
        store.check(plan)
        store.before_records(plan)
        assert not kafka.writes

    return records, read


CHANGE = json.loads(record.encode(change(before=PAIRS, after=PAIRS, records=[["offsets", 0, '["c",{"p":0}]', '{"n":4}']], busy=True)))


def ledger_record(mutator: Mutator, folder: Path):
    """Records of the ledger: in a file, or on a topic."""
    by_file = mutator.random.random() < 0.5
    data = mutator.text([CHANGE])
    if by_file:
        lines = [dumped({"format": FORMAT, "version": VERSION}), dumped({**CHANGE, "change_id": "CHG-2", "busy": False}), dumped(CHANGE)]
        lines[mutator.random.randrange(3)] = data
        data = b"\n".join(lines) + b"\n"
        data = mutator.bytes([data]) if mutator.random.random() < 0.3 else data
    key = mutator.random.choice([key_of("c", "CHG-1"), mutator.bytes([key_of("c", "CHG-1"), key_of("c", "CHG-1", "group")])])

    def read():
        kept = FileLedger(str(folder / "ledger.json"))
        if not by_file:
            kafka = FakeKafka("connect-offset-changes")
            kafka.put(key, data, 0, "connect-offset-changes")
            kept = TopicLedger(kafka, sleep=lambda seconds: None)
        whole = mutator.random.random() < 0.5
        for one in kept.changes(None if whole else "c"):
            json.dumps(shown(record.result(one, 1)))
        known = ConnectorChanges(kept, "c", "CHG-1", "me", warn=lambda text: None, sleep=lambda seconds: None, clock=iter(range(10**6)).__next__)
        known.wait(False)
        known.unfinished("CHG-9")
        record.next_sequence(known.all), record.expired(known.all, "CHG-9")
        for one in known.all:
            record.later(known.all, one)
            for desired in [DesiredOffsets.begun(one)] + ([DesiredOffsets.undo(one)] if one.before is not None else []):
                _carried_out(desired, one.kind)
                logs = OffsetLogs(KafkaLogs(FakeKafka(partitions=1).put(KEYS[0], OFFSETS[0], 0)))
                store = TopicStore(logs, "c", ["offsets"])
                store.records(make_plan(store.read(), desired))

    if by_file:
        (folder / "ledger.json").write_bytes(data)
    return (key, data), read


ENTRIES = java_map.empty()._replace(entries=[(KEYS[0], OFFSETS[0]), (KEYS[1], None), (KEYS[2], OFFSETS[1]), (KEYS[4], OFFSETS[2])])


def standalone_file(mutator: Mutator, folder: Path):
    """The offsets file of a standalone worker, which is a serialized map of Java."""
    entries = [(mutator.bytes(KEYS), mutator.bytes(OFFSETS)), *ENTRIES.entries]
    whole = java_map.encode(ENTRIES._replace(entries=list(dict(entries).items())))
    data = mutator.random.choice([whole, mutator.bytes([java_map.encode(ENTRIES)]), mutator.bytes([whole]), mutator.noise()])
    path = folder / "connect.offsets"
    path.write_bytes(data)

    def read():
        log = FileLog(str(path), sleep=lambda seconds: None)
        store = FileStore(OffsetLogs(log), "c", [log.path])
        snapshot = store.read()
        json.dumps(shown(info_result(snapshot, "file", 3)))
        store.check(make_plan(snapshot, DesiredOffsets.present([{"partition": {"p": 0}, "offset": {"n": 1}}], purge=True)))
        assert path.read_bytes() == data

    return data, read


#: name -> target(mutator, folder): (the input, a function that reads it)
TARGETS = {one.__name__: one for one in (document, offsets_map, rest_answer, topic_record, ledger_record, standalone_file)}
#: what may be raised
OURS = ConnectError
__all__ = ["OURS", "TARGETS", "dumped"]
