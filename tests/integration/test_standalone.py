# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""method: file with a real standalone worker: it reads what we wrote, we read what it wrote."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import uuid

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import java_map

from stack import Stack
from stack.standalone import Standalone
from tests.integration.conftest import KEEP
from tests.integration.support.configs import at, entry, file_sink, file_source, shaped, sink_at
from tests.integration.support.modules import PREDICTED, run_module
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import Worker, ordered, wait_until


@pytest.fixture(scope="module")
def kafka(tmp_path_factory):
    """A broker alone."""
    kept = os.environ.get(KEEP)
    stack = Stack(kept or tmp_path_factory.mktemp("standalone"))
    yield Kafka(stack.up(broker_only=True)["bootstrap_servers"])
    if not kept:
        stack.purge()


@pytest.fixture
def node(kafka, tmp_path):
    node = Standalone(tmp_path / "node", kafka.bootstrap_servers)
    yield node
    node.kill()


@pytest.fixture
def name():
    return f"t-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def ran(node, name):
    """A worker that is down, whose test connector has written records 0 to 4."""
    begin(node, name)
    node.stop()
    return node


def begin(node, name, **options) -> Worker:
    """The test connector, on the worker, until it has delivered all; what it does then is in the file."""
    node.start()
    worker = Worker(node.url)
    worker.create(name, shaped(topic=name, interval_ms=1, **options), None)
    wait_until(lambda: node.offsets.exists() and f'["{name}"'.encode() in node.offsets.read_bytes(), reason="an offset of it")
    return worker


def held(node) -> dict:
    """What is in the file; nothing while the worker writes it."""
    try:
        return dict(java_map.decode(node.offsets.read_bytes()).entries)
    except (ValueError, FileNotFoundError):
        if node.running:
            return {}
        raise


def change(node, name, check=False, **arguments) -> dict:
    return run_module("connector_offsets", {"name": name, "offset_file": str(node.offsets), **arguments}, check=check)


def done(node, name, **arguments) -> dict:
    """Predicted, done, nothing left; the worker's file keeps its mode."""
    before = node.offsets.read_bytes() if node.offsets.exists() else None
    dry = change(node, name, check=True, **arguments)
    assert (node.offsets.read_bytes() if node.offsets.exists() else None) == before
    mode = stat.S_IMODE(node.offsets.stat().st_mode) if before else 0o644
    real = change(node, name, **arguments)
    assert not real["failed"], real["msg"]
    assert {key: dry.get(key) for key in PREDICTED} == {key: real[key] for key in PREDICTED}
    assert (real["changed"], real["method"]) == (True, "file") and stat.S_IMODE(node.offsets.stat().st_mode) == mode
    again = change(node, name, **arguments)
    assert again["changed"] is False and again["offsets"] == real["offsets"]
    return real


def look(node, name=None, **arguments) -> dict:
    found = run_module("connector_offsets_info", {"offset_file": str(node.offsets), "name": name, **arguments})
    assert not found["failed"], found["msg"]
    return found


def refused(node, name, *words, **arguments) -> None:
    before = node.offsets.read_bytes()
    for check in (True, False):
        found = change(node, name, check=check, **arguments)
        assert found["failed"] and all(word in found["msg"] for word in words), found.get("msg")
        assert found["msg"].endswith("Nothing was changed.")
    assert node.offsets.read_bytes() == before


# ---- the worker reads what we wrote


def test_a_file_is_read_again_from_where_we_say(node, name, kafka, tmp_path):
    lines = tmp_path / "orders.txt"
    lines.write_text("".join(f"line {number}\n" for number in range(6)))
    config = file_source(lines, topic=name)
    node.start()
    Worker(node.url).create(name, config, None)
    part = {"filename": str(lines)}
    wait_until(lambda: node.offsets.exists() and b'{"position":42}' in node.offsets.read_bytes())
    node.stop()
    assert look(node, name)["offsets"] == [entry(part, {"position": 42})]
    refused(node, name, f"The position 43 of {name} in {lines} is not in the file, which has 42", offsets=[entry(part, {"position": 43})])
    assert done(node, name, offsets=[entry(part, {"position": 28})])["actions"][0]["distance"] == 14
    node.start()
    assert Worker(node.url).must("GET", "connectors") == [], "a standalone worker forgets connectors, and not their offsets"
    Worker(node.url).create(name, config, None)
    every = [f"line {number}" for number in (0, 1, 2, 3, 4, 5, 4, 5)]
    wait_until(lambda: len(kafka.values(name)) >= len(every), reason="the replay")
    assert kafka.values(name) == every


@pytest.mark.parametrize("shape", ["hash", "linked", "tree"])
def test_a_partition_of_two_fields(node, name, kafka, shape):
    """Its order in the key is the connector's, not ours."""
    options = {"partitions": '[{"zone":1,"area":2}]', "partition.map": shape}
    node.start()
    Worker(node.url).create(name, {**shaped(topic=name, interval_ms=1), **options}, None)
    wait_until(lambda: node.offsets.exists() and b'{"n":4}' in node.offsets.read_bytes())
    node.stop()
    key, = held(node)
    done(node, name, offsets=[entry({"area": 2, "zone": 1}, {"n": 2})])
    assert held(node) == {key: b'{"n":2}'}
    node.start()
    Worker(node.url).create(name, {**shaped(topic=name, interval_ms=1), **options}, None)
    wait_until(lambda: len(kafka.values(name)) >= 7, reason="the replay")
    assert [value.rpartition("#")[2] for value in kafka.values(name)] == ["0", "1", "2", "3", "4", "3", "4"]


@pytest.mark.parametrize("empty", [True, False])
def test_before_the_first_start(node, name, kafka, empty):
    """Seeded where there is no file so far, or one that nothing was committed to."""
    if empty:
        node.offsets.write_bytes(b"")
    result = done(node, name, offsets=[at(2)])
    assert any("There is no file" in one for one in result["warnings"]) is not empty
    begin(node, name)
    wait_until(lambda: len(kafka.values(name)) >= 2)
    assert kafka.values(name) == ['{"p":0}#3', '{"p":0}#4']


def test_absent_begins_anew(ran, name, kafka):
    assert done(ran, name, state="absent")["offsets"] == []
    assert set(held(ran).values()) == {None}
    begin(ran, name)
    wait_until(lambda: len(kafka.values(name)) >= 10)
    assert [value.rpartition("#")[2] for value in kafka.values(name)] == list("01234") * 2


def test_purge(node, name, kafka):
    begin(node, name, partitions='[{"p":0},{"p":1},{"p":2}]')
    node.stop()
    assert look(node, name)["offsets"] == [at(4, 0), at(4, 1), at(4, 2)]
    assert done(node, name, offsets=[at(3, 1)], purge=True)["offsets"] == [at(3, 1)]
    node.start()
    worker = Worker(node.url)
    worker.create(name, shaped(topic=name, records_per_partition=-1, partitions='[{"p":1}]', interval_ms=50), None)
    wait_until(lambda: len(kafka.values(name)) >= 16)
    assert kafka.values(name)[15] == '{"p":1}#4'


# ---- we read what the worker wrote


def test_its_file_byte_for_byte(node, name):
    """More entries than one table of Java holds, numbers of all kinds, removed ones, odd names."""
    odd = f"{name} / ü \"%\" 日"
    node.start()
    worker = Worker(node.url)
    config = {"partitions.count": "200", "records.per.partition": "1",
              "offset.extra": '{"big":9223372036854775807,"s":"5","x":null,"d":0.1}'}
    worker.must("POST", "connectors", {"name": odd, "config": {**shaped(topic=name, interval_ms=1), **config}})
    wait_until(lambda: len(held(node)) == 200)
    worker.create(name, shaped(topic=name, interval_ms=1), None)
    wait_until(lambda: len(held(node)) == 201)
    worker.put(name, "stop")
    worker.await_state(name, "STOPPED", [])
    worker.must("DELETE", f"connectors/{name}/offsets")
    wait_until(lambda: None in held(node).values())
    found = look(node)
    assert {one["name"]: one["offsets_count"] for one in found["connectors"]} == {odd: 200}
    shown = look(node, odd)["offsets"]
    assert ordered(shown) == ordered([entry({"p": str(number)}, {"n": 0, "big": 2**63 - 1, "s": "5", "x": None, "d": 0.1})
                                      for number in range(200)])
    node.stop()
    data = node.offsets.read_bytes()
    assert java_map.encode(java_map.decode(data)) == data
    assert look(node, name)["offsets"] == [] and look(node, odd)["offsets"] == shown


def test_it_shows_what_rest_shows(node, name):
    worker = begin(node, name, partitions='[{"p":0},{"p":1}]', alter_offsets="accept")
    worker.put(name, "stop")
    worker.await_state(name, "STOPPED", [])
    worker.must("PATCH", f"connectors/{name}/offsets", {"offsets": [at(1), entry({"p": 1}, None), at(7, 2)]})
    wait_until(lambda: look(node, name)["offsets"] == [at(1), at(7, 2)])
    assert worker.offsets(name) == [at(1), at(7, 2)]


def test_looked_at_while_it_writes(node, name):
    """The worker empties its file and fills it again; nobody is shown an empty one."""
    node.start()
    config = {"partitions.count": "3000", "records.per.partition": "-1", "interval.ms": "100"}
    Worker(node.url).create(name, {**shaped(topic=name), **config}, None)
    wait_until(lambda: node.offsets.exists() and len(look(node)["connectors"]) == 1, 60)
    wait_until(lambda: look(node, name)["offsets_count"] == 3000, 60)
    assert {look(node, name, max_entries=1)["offsets_count"] for _time in range(15)} == {3000}


# ---- safety


def test_not_while_it_runs(node, name):
    begin(node, name)
    desired = {"offsets": [at(1)]}
    refused(node, name, f"The worker at {node.url} is running.", "method: rest", connect_url=[node.url], **desired)
    refused(node, name, f"process {node.pid} ({node.properties_file})", "Stop it, or use assume_stopped: true", **desired)
    refused(node, name, f"process {node.pid} ", worker_config=str(node.properties_file), **desired)
    for arguments in ({}, {"connect_url": [node.url]}):
        assert change(node, name, check=True, assume_stopped=True, **arguments, **desired)["changed"] is True
    node.stop()
    assert change(node, name, connect_url=[node.url], **desired)["changed"] is True


def test_another_worker_of_this_machine_is_no_hindrance(ran, name, kafka, tmp_path):
    other = Standalone(tmp_path / "other", kafka.bootstrap_servers)
    try:
        other.start()
        assert change(ran, name, offsets=[at(1)])["changed"] is True
    finally:
        other.kill()


def test_what_is_written_while_it_runs_is_lost(node, name):
    """What the refusal is for."""
    begin(node, name, records_per_partition=-1)
    assert change(node, name, offsets=[at(100_000)], assume_stopped=True)["failed"] in (True, False)
    wait_until(lambda: look(node, name)["offsets"][0]["offset"]["n"] < 100_000, reason="the worker to write over it")


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:60], lambda data: b"\0" + data, lambda data: data + b"x"])
def test_a_damaged_file(ran, name, damage):
    data = damage(ran.offsets.read_bytes())
    ran.offsets.write_bytes(data)
    refused(ran, name, str(ran.offsets), "or was cut short", offsets=[at(1)], change_id="CHG-1", backup=True)
    found = run_module("connector_offsets_info", {"offset_file": str(ran.offsets)})
    assert found["failed"] and "or was cut short" in found["msg"] and ran.offsets.read_bytes() == data
    assert not list(ran.directory.glob("*.changes.jsonl"))


KILLED = """
import json, os, signal, sys
from unittest import mock
from tests.integration.support.modules import run_module
with mock.patch("os.{call}", lambda *arguments, **options: os.kill(os.getpid(), signal.SIGKILL)):
    run_module("connector_offsets", json.load(sys.stdin))
"""


@pytest.mark.parametrize("call", ["rename", "fchmod"])
def test_killed_before_the_step(ran, name, kafka, call):
    """The old file is whole, the next run makes the change, and the worker does not mind what is left."""
    before, desired = ran.offsets.read_bytes(), {"offsets": [at(1)], "change_id": "CHG-1"}
    dead = subprocess.run([sys.executable, "-c", KILLED.format(call=call)], text=True, capture_output=True, check=False,
                          input=json.dumps({"name": name, "offset_file": str(ran.offsets), **desired}),
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert dead.returncode == -9, dead.stderr
    assert ran.offsets.read_bytes() == before and list(ran.directory.glob("connect.offsets.part-*"))
    result = change(ran, name, **desired)
    assert result["changed"] and not result["already_applied"] and look(ran, name)["offsets"] == [at(1)]
    begin(ran, name)
    wait_until(lambda: len(kafka.values(name)) >= 8)
    assert [value.rpartition("#")[2] for value in kafka.values(name)] == list("01234234")


# ---- once, and back


def test_a_change_is_made_once_and_can_be_undone(ran, name, kafka):
    desired = {"offsets": [at(1)], "change_id": "CHG-1"}
    first = change(ran, name, **desired)
    assert first["changed"] and first["ledger"] == f"the file {ran.offsets}.changes.jsonl"
    begin(ran, name)
    wait_until(lambda: len(kafka.values(name)) >= 8)
    ran.stop()
    assert look(ran, name)["offsets"] == [at(4)]
    data = ran.offsets.read_bytes()
    second = change(ran, name, **desired)
    assert (second["failed"], second["changed"], second["already_applied"]) == (False, False, True) and ran.offsets.read_bytes() == data
    assert change(ran, name, offsets=[at(2)], change_id="CHG-1")["failed"] is True
    change(ran, name, offsets=[at(0)], change_id="CHG-2")
    back = change(ran, name, state="restored", change_id="CHG-2")
    assert back["changed"] and back["offsets"] == [at(4)] and ran.offsets.read_bytes() == data
    assert change(ran, name, state="restored", change_id="CHG-2")["changed"] is False
    told = run_module("connector_changes_info", {"ledger_file": f"{ran.offsets}.changes.jsonl"})
    assert [(one["change_id"], one["phase"], one["method"]) for one in told["changes"]] == [
        ("CHG-1", "applied", "file"), ("CHG-2", "restored", "file")]


def test_backup_and_back(ran, name, tmp_path):
    data, backup = ran.offsets.read_bytes(), tmp_path / "backup.json"
    assert change(ran, name, state="absent", backup=True, backup_file=str(backup))["backup_file"] == str(backup)
    assert look(ran, name)["offsets"] == []
    assert done(ran, name, src=str(backup), purge=True)["offsets"] == [at(4)]
    assert ran.offsets.read_bytes() == data


def test_worker_config_tells_the_file(ran, name):
    given = {"name": name, "worker_config": str(ran.properties_file)}
    result = run_module("connector_offsets", {**given, "offsets": [at(1)]})
    assert result["changed"] and result["offset_file"] == str(ran.offsets)
    assert result["diff"][0]["after"] == {'{"p": 0}': {"n": 1}}
    assert run_module("connector_offsets_info", given)["offsets"] == [at(1)]


# ---- to another kind of worker and back


def test_rest_and_file_agree_on_a_backup(ran, name, tmp_path):
    """Moved from the file to the same worker's REST by a document."""
    backup = tmp_path / "backup.json"
    change(ran, name, offsets=[at(2)], backup=True, backup_file=str(backup))
    ran.start()
    worker = Worker(ran.url)
    worker.create(name, shaped(topic=name, interval_ms=1, records_per_partition=0, alter_offsets="accept"), None)
    result = run_module("connector_offsets", {"connect_url": [ran.url], "name": name, "src": str(backup), "stop": True, "wait_timeout": 60})
    assert not result["failed"], result["msg"]
    assert result["changed"] and worker.offsets(name) == [at(4)]


def test_a_sink_by_its_group(node, name, kafka, tmp_path):
    """Its offsets are no business of the file, and the worker's configuration tells the brokers."""
    kafka.create(name, 1, "delete")
    kafka.raw(name, [(0, None, b"%d" % number) for number in range(4)])
    node.start()
    out = tmp_path / "out.txt"
    config = {**file_sink(name, out), "consumer.override.auto.offset.reset": "earliest"}
    Worker(node.url).create(name, config, None)
    wait_until(lambda: out.exists() and out.read_text().split() == list("0123"))
    node.stop()
    given = {"worker_config": str(node.properties_file), "name": name}
    found = run_module("connector_offsets", {**given, "offsets": [sink_at(name, 1)]})
    assert found["failed"] and "Use method: group. Nothing was changed." in found["msg"]
    found = run_module("connector_offsets", {**given, "offsets": [sink_at(name, 1)], "method": "group"})
    assert not found["failed"], found["msg"]
    assert (found["changed"], found["method"], found["offset_file"]) == (True, "group", None)
    node.start()
    Worker(node.url).create(name, config, None)
    wait_until(lambda: out.read_text().split() == list("0123123"), reason="the replay")


# ---- playbooks


def test_the_playbooks(ran, name, playbooks):
    """Several hosts of one inventory, each with its file; done, done before, and taken back."""
    copy = ran.directory / "copy.offsets"
    copy.write_bytes(ran.offsets.read_bytes())
    config = ran.directory / "copy.properties"
    config.write_text(f"offset.storage.file.filename={copy}\n")
    hosts = {"one": {"kafka_connect_offset_file": str(ran.offsets)}, "two": {"kafka_connect_worker_config": str(config)}}
    desired = {"reset_offsets_connectors": [{"name": name, "offsets": [at(1)]}], "reset_offsets_change_id": "CHG-1"}
    play = playbooks.run("streamops.kafka_connect.reset_offsets", hosts, "--check", "--diff", **desired)
    assert play.rc == 0 and {one["changed"] for one in play.recap.values()} == {1}, play
    assert look(ran, name)["offsets"] == [at(4)] and '"n": 1' in play.stdout
    for changed in (True, False):
        play = playbooks.run("streamops.kafka_connect.reset_offsets", hosts, **desired)
        assert play.rc == 0 and [one["changed"] > 0 for one in play.recap.values()] == [changed] * 2, play
        assert look(ran, name)["offsets"] == [at(1)]
        assert [f"in the file {path}" in play.stdout for path in (ran.offsets, copy)] == [changed] * 2
    assert held(ran) == dict(java_map.decode(copy.read_bytes()).entries)
    for changed in (True, False):
        play = playbooks.run("streamops.kafka_connect.restore_offsets", hosts, restore_offsets_change_id="CHG-1")
        assert play.rc == 0 and [one["changed"] > 0 for one in play.recap.values()] == [changed] * 2, play
        assert look(ran, name)["offsets"] == [at(4)]


def test_the_reports(ran, name, playbooks):
    assert change(ran, name, offsets=[at(1)], change_id="CHG-1")["changed"]
    hosts = {"one": {"kafka_connect_offset_file": str(ran.offsets)}, "two": {"kafka_connect_worker_config": str(ran.properties_file)}}
    play = playbooks.run("streamops.kafka_connect.offsets_report", hosts)
    assert play.rc == 0 and play.stdout.count(name) >= 2 and "GONE:" not in play.stdout, play
    assert f"one: file {ran.offsets}, 1 key" in play.stdout, play
    play = playbooks.run("streamops.kafka_connect.changes_report", hosts)
    assert play.rc == 0 and play.stdout.count("CHG-1") >= 2 and f"{ran.offsets}.changes.jsonl" in play.stdout, play


def test_the_playbook_refuses(node, name, playbooks):
    begin(node, name)
    hosts, desired = {"one": {"kafka_connect_offset_file": str(node.offsets)}}, [{"name": name, "offsets": [at(1)]}]
    before = node.offsets.read_bytes()
    play = playbooks.reset(hosts, desired)
    assert play.rc == 2 and f"process {node.pid}" in play.failure("one")
    play = playbooks.reset({"one": {**hosts["one"], "kafka_connect_url": node.url}}, desired)
    assert play.rc == 2 and f"The worker at {node.url} is running" in play.failure("one")
    node.stop()
    play = playbooks.reset(hosts, desired, reset_offsets_final_state="started")
    assert play.rc == 2 and "with final_state: found" in play.failure("one")
    # One address of the environment would be every host's.
    hosts = {one: {"kafka_connect_worker_config": str(node.properties_file)} for one in ("one", "two")}
    play = playbooks.run("streamops.kafka_connect.reset_offsets", hosts, env={"KAFKA_CONNECT_URL": node.url},
                         reset_offsets_connectors=desired)
    assert play.rc == 2 and "one has no kafka_connect_url" in play.failure("one")
    assert look(node, name)["offsets"] == [at(4)] and node.offsets.read_bytes() == before


def test_all_of_a_list_or_nothing(ran, name, playbooks):
    """The role looks at every connector before the first change; here the second one cannot be changed."""
    data = ran.offsets.read_bytes()
    play = playbooks.reset({"one": {"kafka_connect_offset_file": str(ran.offsets)}},
                           [{"name": name, "offsets": [at(1)]}, {"name": "other", "offsets": [at(1)], "max_skip": 0}])
    assert play.rc == 2 and ran.offsets.read_bytes() == data
