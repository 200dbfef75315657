# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules on a standalone worker's file, as they are called, without any worker."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from contextlib import redirect_stdout
from types import SimpleNamespace

import pytest
from ansible.module_utils import _internal
from ansible.module_utils.common import warnings
from ansible.module_utils.testing import patch_module_args
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible import connect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import java_map
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka import client as kafka_client
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FileLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores import access
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file import FileStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file_log import FileLog
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
from ansible_collections.streamops.kafka_connect.plugins.modules import connector_changes_info, connector_offsets, connector_offsets_info
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change as remembered

PART, OTHER = {"filename": "a"}, {"filename": "b"}
GONE = "http://127.0.0.1:1"


def at(position, partition=None):
    return {"partition": partition or PART, "offset": None if position is None else {"position": position}}


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    """No settings of this machine, and no workers that happen to run on it."""
    for name in list(os.environ):
        if name.startswith("KAFKA_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(access, "workers_with", lambda path: [])
    monkeypatch.setattr(_internal, "is_controller", False)  # as it is once a test of a filter has imported ansible.errors; then warnings are in no result
    yield
    # Ansible runs each module in a process of its own, so it never empties these.
    warnings._global_warnings.clear()


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "data" / "connect.offsets"
    found.parent.mkdir()
    keep(found, {'["c",{"filename":"a"}]': '{"position":4}', '["c",{"filename":"b"}]': '{"position":5}', '["d",{}]': '{"n":1}'})
    return found


def keep(path, entries) -> None:
    pairs = [(key.encode(), value if value is None else value.encode()) for key, value in entries.items()]
    path.write_bytes(java_map.encode(java_map.empty()._replace(entries=pairs)))


def held(path) -> dict:
    return {key.decode(): value and value.decode() for key, value in java_map.decode(path.read_bytes()).entries}


def call(module, check=False, **arguments) -> dict:
    printed = io.StringIO()
    with patch_module_args({**arguments, "_ansible_check_mode": check, "_ansible_diff": True}):
        with redirect_stdout(printed), pytest.raises(SystemExit):
            module.main()
    return json.loads(printed.getvalue())


def change(path, **arguments) -> dict:
    return call(connector_offsets, **{"name": "c", "offset_file": str(path), **arguments})


def look(path, **arguments) -> dict:
    return call(connector_offsets_info, **{"offset_file": str(path), **arguments})


def done(path, **arguments) -> dict:
    """Predicted, done, and then nothing left."""
    before = path.read_bytes() if path.exists() else None
    dry = change(path, check=True, **arguments)
    assert (path.read_bytes() if path.exists() else None) == before
    assert [name for name in os.listdir(path.parent) if ".changes.jsonl" not in name] == [path.name] * path.exists()
    real = change(path, **arguments)
    assert not real.get("failed"), real["msg"]
    assert real["changed"] and real["method"] == "file" and real["offset_file"] == str(path) and real["offset_topic"] is None
    unpredictable = ("backup_file", "invocation", "change", "change_id", "ledger")
    assert {name: dry[name] for name in real if name not in unpredictable} == {name: real[name] for name in real if name not in unpredictable}
    assert dry["change_id"] is None and real["ledger"] == f"the file {path}.changes.jsonl"
    again = change(path, **arguments)
    assert again["changed"] is False and again["offsets"] == real["offsets"]
    return real


def refused(path, *words, **arguments) -> None:
    before = path.read_bytes() if path.is_file() else None
    for check in (True, False):
        found = change(path, check=check, **arguments)
        assert found.get("failed") is True and all(word in found["msg"] for word in words), found.get("msg")
    assert (path.read_bytes() if path.is_file() else None) == before


def test_n12_a_position_that_the_file_does_not_have(path, tmp_path):
    lines = tmp_path / "in.txt"
    lines.write_text("a1\nb2\n")
    part = {"filename": str(lines)}
    refused(path, f"The position 100 of c in {lines} is not in the file, which has 6 bytes", offsets=[at(100, part)])
    assert not any("bytes" in str(text) or "line" in str(text) for text in done(path, offsets=[at(3, part)])["warnings"])
    real = done(path, offsets=[at(100, part)], force=True)
    assert any("which has 6 bytes." in str(text) for text in real["warnings"])
    assert any("the file was truncated or replaced" in str(text) for text in look(path, name="c")["warnings"])
    assert any("is inside of a line" in str(text) for text in done(path, offsets=[at(1, part)])["warnings"])


def test_set(path):
    result = done(path, offsets=[at(0)])
    assert result["offsets"] == [at(0), at(5, OTHER)] and result["offsets_before"] == [at(4), at(5, OTHER)]
    assert result["diff"][0]["before"] == {'{"filename": "a"}': {"position": 4}, '{"filename": "b"}': {"position": 5}}
    assert held(path) == {'["c",{"filename":"a"}]': '{"position":0}', '["c",{"filename":"b"}]': '{"position":5}', '["d",{}]': '{"n":1}'}
    assert result["connector"] is None and result["connector_exists"] is None


@pytest.mark.parametrize("arguments, left", [
    ({"content": [at(None)]}, [at(5, OTHER)]),
    ({"offsets": [at(4)], "purge": True}, [at(4)]),
    ({"state": "absent"}, []),
    ({"state": "absent", "offsets": [{"partition": PART}]}, [at(5, OTHER)]),
    ({"offsets": [at(9, {"filename": "new"})]}, [at(4), at(5, OTHER), at(9, {"filename": "new"})]),
])
def test_others(path, arguments, left):
    assert done(path, **arguments)["offsets"] == left
    assert held(path)['["d",{}]'] == '{"n":1}', "another connector's"
    assert {'["c",{"filename":"a"}]', '["c",{"filename":"b"}]'} <= set(held(path)), "what is gone stays as a null"


def test_raw_keys(path):
    keep(path, {'["c",[1]]': "x", '["c",{"filename":"a"}]': "{}"})
    done(path, state="absent", raw_keys=['["c",[1]]'])
    assert held(path) == {'["c",[1]]': None, '["c",{"filename":"a"}]': "{}"}


@pytest.mark.parametrize("empty", [True, False])
def test_no_file_so_far(path, empty):
    path.write_bytes(b"") if empty else path.unlink()
    result = done(path, offsets=[at(7)])
    assert held(path) == {'["c",{"filename":"a"}]': '{"position":7}'}
    assert any("There is no file" in one for one in map(str, result.get("warnings", []))) is not empty


def test_the_order_of_a_connector_s_other_keys(path):
    keep(path, {'["c",{"z":1,"a":2}]': "{}"})
    done(path, offsets=[{"partition": {"a": 5, "z": 6}, "offset": {"n": 1}}])
    assert list(held(path)) == ['["c",{"z":1,"a":2}]', '["c",{"z":6,"a":5}]']


def test_change_id_and_back(path):
    ledger = path.with_name("connect.offsets.changes.jsonl")
    first = change(path, offsets=[at(0)], change_id="CHG-1")
    assert first["changed"] and first["ledger"] == f"the file {ledger}" and ledger.exists()
    keep(path, {'["c",{"filename":"a"}]': '{"position":8}', '["c",{"filename":"b"}]': '{"position":5}'})
    again = change(path, offsets=[at(0)], change_id="CHG-1")
    assert (again["changed"], again["already_applied"], held(path)['["c",{"filename":"a"}]']) == (False, True, '{"position":8}')
    back = change(path, state="restored", change_id="CHG-1")
    assert back["changed"] and held(path)['["c",{"filename":"a"}]'] == '{"position":4}'
    assert change(path, state="restored", change_id="CHG-1")["changed"] is False


def test_the_ledger_is_beside_the_file_and_not_beside_a_link(path, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(path)
    assert change(link, offsets=[at(0)], change_id="CHG-1")["changed"]
    assert change(path, offsets=[at(0)], change_id="CHG-1")["already_applied"]
    assert change(path, state="restored", change_id="CHG-1")["changed"] and held(path)['["c",{"filename":"a"}]'] == '{"position":4}'
    assert sorted(os.listdir(tmp_path)) == ["data", "link"]


def test_back_in_a_file_that_was_moved(path):
    ledger = str(path.with_name("ledger.json"))
    assert change(path, offsets=[at(0)], change_id="CHG-1", ledger_file=ledger)["changed"]
    moved = path.rename(path.with_name("moved"))
    back = change(moved, state="restored", change_id="CHG-1", ledger_file=ledger)
    assert back["changed"] and held(moved)['["c",{"filename":"a"}]'] == '{"position":4}' and not path.exists()
    assert change(moved, state="restored", change_id="CHG-1", ledger_file=ledger)["changed"] is False


def test_back_without_the_file(path):
    """Its change was made there, and by nothing else it can be put back."""
    ledger = str(path.with_name("ledger.json"))
    change(path, offsets=[at(0)], change_id="CHG-1", ledger_file=ledger)
    for method in ("auto", "topic"):
        found = call(connector_offsets, name="c", state="restored", change_id="CHG-1", ledger_file=ledger, method=method,
                     kafka_bootstrap_servers="127.0.0.1:1", assume_stopped=True)
        assert found["failed"] and "was made by method: file: give offset_file" in found["msg"]


def test_records_of_another_file_are_looked_for_in_this_one(path):
    store = FileStore(OffsetLogs(FileLog(str(path))), "c", [str(path)])
    store.read()
    key = '["c",{"filename":"a"}]'
    plan = SimpleNamespace(records=[["/moved/from", 0, key, '{"position":1}']])
    assert store.before_records(plan) == [[str(path), 0, key, '{"position":4}']]


def test_back_of_a_change_on_a_topic(path):
    """Its records are for other partitions than a file has."""
    ledger = path.with_name("ledger.json")
    made = remembered(phase="applied", method="topic", offset_topic="offsets", records=[["offsets", 7, "k", None]])
    FileLedger(str(ledger)).put(made, None)
    refused(path, "was made by method: topic", state="restored", change_id="CHG-1", ledger_file=str(ledger))


def test_a_folder_that_is_not_there_is_not_made_for_the_ledger(tmp_path):
    refused(tmp_path / "wrong" / "offsets", "There is no folder", offsets=[at(0)], change_id="CHG-1")
    assert os.listdir(tmp_path) == []


def test_backup_and_src(path, tmp_path):
    backup = tmp_path / "backup.json"
    result = change(path, offsets=[at(0)], purge=True, backup=True, backup_file=str(backup))
    assert result["backup_file"] == str(backup) and stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert held(path)['["c",{"filename":"b"}]'] is None
    assert change(path, src=str(backup), purge=True)["offsets"] == [at(4), at(5, OTHER)]
    refused(path, "exists already", offsets=[at(0)], backup=True, backup_file=str(backup))


@pytest.mark.parametrize("arguments, words", [
    ({"offsets": [at(0)], "max_rewind": 1}, "max_rewind"),
    ({"reset_to": "earliest"}, "reset_to is for sinks"),
    ({"offsets": [{"partition": {"kafka_topic": "t", "kafka_partition": 0}, "offset": {"kafka_offset": 1}}]}, "method: group."),
    ({"offsets": [at(2**63)]}, "64 bits"),
    ({"offsets": [at(0), at(1)]}, "second entry"),
    ({"offsets": [at(0)], "key_order": ["x"]}, "key_order"),
])
def test_wishes_that_cannot_be(path, arguments, words):
    refused(path, **arguments)
    assert words in change(path, **arguments)["msg"]


def test_a_damaged_file(path):
    path.write_bytes(path.read_bytes()[:-9])
    refused(path, "cut short", offsets=[at(0)], change_id="CHG-1")
    assert "cut short" in look(path)["msg"] and os.listdir(path.parent) == [path.name]


def test_a_map_of_something_else(path):
    keep(path, {"a": "b"})
    refused(path, "none of its 1 entries has a key such as", offsets=[at(0)])


def test_relative(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    refused(path, "is relative", offset_file="connect.offsets", offsets=[at(0)])
    assert "is relative" in look("connect.offsets")["msg"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_the_dry_run_of_another_user_fails_too(path):
    for folder in path.parents:
        if folder.stat().st_uid == 0 and not folder.stat().st_mode & 0o001:
            folder.chmod(stat.S_IMODE(folder.stat().st_mode) | 0o011)
    os.seteuid(65534)
    try:
        refused(path, "cannot be written", "become", offsets=[at(0)])
    finally:
        os.seteuid(0)


def test_a_worker_that_runs(path, monkeypatch):
    monkeypatch.setattr(access, "workers_with", lambda given: [f"process 4711 ({given})"])
    refused(path, f"has the file of the offsets: process 4711 ({path})", offsets=[at(0)])
    assert change(path, offsets=[at(0)], assume_stopped=True)["changed"]
    assert change(path, offsets=[at(0)])["changed"] is False, "what is there already needs no worker to be stopped"


def test_a_worker_that_starts_at_that_moment(path, monkeypatch):
    """It may have read the file before: said, and the next run of the change makes it again."""
    looks = iter([[], ["process 4711 (w)"]])
    monkeypatch.setattr(access, "workers_with", lambda given: next(looks))
    found = change(path, offsets=[at(0)], change_id="CHG-1")
    assert found["failed"] and found["changed"] and "was started meanwhile: process 4711 (w)." in found["msg"]
    keep(path, {'["c",{"filename":"a"}]': '{"position":4}'})
    monkeypatch.setattr(access, "workers_with", lambda given: [])
    again = change(path, offsets=[at(0)], change_id="CHG-1")
    assert again["changed"] and not again["already_applied"] and held(path) == {'["c",{"filename":"a"}]': '{"position":0}'}


def test_a_worker_that_is_down_is_no_hindrance(path):
    result = change(path, offsets=[at(0)], kafka_connect_url=GONE)
    assert result["changed"] and result["connector_exists"] is None


# ---- what it needs besides


def test_no_client_libraries_are_needed(path, monkeypatch):
    monkeypatch.setattr(connect, "REQUESTS_TRACEBACK", "ImportError: requests")
    monkeypatch.setattr(kafka_client, "KAFKA_TRACEBACK", "ImportError: confluent_kafka")
    assert change(path, offsets=[at(0)], change_id="CHG-1", kafka_bootstrap_servers="a:9092")["changed"] and look(path)["connectors"]
    assert "(requests)" in change(path, offsets=[at(1)], kafka_connect_url=GONE)["msg"]
    monkeypatch.undo()
    monkeypatch.setattr(kafka_client, "KAFKA_TRACEBACK", "ImportError: confluent_kafka")
    found = change(path, offsets=[at(1)], change_id="CHG-2", kafka_bootstrap_servers="a:9092", ledger="topic")
    assert "(confluent-kafka)" in found["msg"]


def test_no_broker_is_asked(path, monkeypatch):
    monkeypatch.setattr(kafka_client, "KafkaClient", None)
    assert change(path, offsets=[at(0)], change_id="CHG-1", kafka_bootstrap_servers="a:9092")["changed"]
    assert look(path, kafka_bootstrap_servers="a:9092", kafka_security_protocol="SASL_SSL")["connectors"]


def test_whoever_answers(path, stub):
    """Something is there, though it does not let us in; who says that nothing runs is not asked to prove it."""
    stub.error(401, "who are you?")
    refused(path, "401", offsets=[at(0)], kafka_connect_url=stub.url)
    asked = len(stub)
    assert change(path, offsets=[at(0)], kafka_connect_url=stub.url, assume_stopped=True)["changed"] and len(stub) == asked


def test_really_without_them(path):
    """Neither can be imported, in a process of its own."""
    code = ("import sys\nfor name in ('requests', 'confluent_kafka'): sys.modules[name] = None\n"
            f"import runpy; runpy.run_module('{connector_offsets.__name__}', run_name='__main__')")
    given = {"name": "c", "offset_file": str(path), "offsets": [at(0)], "assume_stopped": True}
    ran = subprocess.run([sys.executable, "-c", code], input=json.dumps({"ANSIBLE_MODULE_ARGS": given}), text=True, capture_output=True,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False)
    assert ran.returncode == 0, ran
    assert held(path)['["c",{"filename":"a"}]'] == '{"position":0}'


def test_worker_config(path, tmp_path):
    config = tmp_path / "worker.properties"
    config.write_text(f"bootstrap.servers=a:9092\nsecurity.protocol=SSL\nssl.truststore.location=/trust.jks\nssl.truststore.password=${{x:y}}\n"
                      f"offset.storage.file.filename={path}\n")
    given = {"name": "c", "worker_config": str(config)}
    result = call(connector_offsets, offsets=[at(0)], change_id="CHG-1", **given)
    assert result["changed"] and result["offset_file"] == str(path)
    assert result["ledger"] == f"the file {path}.changes.jsonl"
    assert call(connector_offsets_info, **given)["offsets"] == [at(0), at(5, OTHER)]
    assert call(connector_offsets, offsets=[at(1)], offset_file=str(path) + "2", **given)["offset_file"] == str(path) + "2"
    assert "JKS store" in call(connector_offsets, offsets=[at(0)], method="group", **given)["msg"]
    assert "JKS store" in call(connector_offsets, offsets=[at(0)], change_id="C", ledger="topic", **given)["msg"]


@pytest.mark.parametrize("text, words", [
    (None, "cannot be read: No such file or directory"), ("", "is no property file of a worker"),
    ("offset.storage.file.filename=x", "is relative to the folder"),
])
def test_a_worker_config_that_is_wrong(path, tmp_path, text, words):
    config = tmp_path / "worker.properties"
    if text is not None:
        config.write_text(text)
    found = call(connector_offsets, name="c", offsets=[at(0)], worker_config=str(config))
    assert found["failed"] and words in found["msg"]
    found = call(connector_offsets, name="c", offsets=[at(0)], worker_config=str(tmp_path))
    assert found["failed"] and "is no file" in found["msg"]


def test_method_file_without_a_file():
    for module, given in ((connector_offsets, {"name": "c", "offsets": [at(0)]}), (connector_offsets_info, {})):
        found = call(module, method="file", kafka_connect_url=GONE, **given)
        assert found["failed"] and "method: file needs offset_file" in found["msg"]


def test_another_method_is_not_the_file(path):
    found = change(path, offsets=[at(0)], method="rest", kafka_connect_url=GONE)
    assert found["failed"] and "127.0.0.1:1" in found["msg"]


# ---- connector_offsets_info


def test_info_of_one(path):
    found = look(path, name="c")
    assert found["offsets"] == [at(4), at(5, OTHER)] and found["method"] == "file" and found["newest"] is None
    assert (found["connector"], found["connector_exists"], found["changed"], found["anomalies"]) == (None, None, False, [])
    assert found["method_reason"] == "method: file" and found["topic"] == {"name": str(path), "partitions": 1}
    assert look(path, name="x")["offsets"] == []


def test_info_of_all(path):
    found = look(path)
    assert {one["name"]: one["offsets"] for one in found["connectors"]} == {
        "c": [at(4), at(5, OTHER)], "d": [{"partition": {}, "offset": {"n": 1}}]}
    assert {one["method"] for one in found["connectors"]} == {found["method"]} == {"file"}
    assert found["topic"]["records"] == 3


def test_info_of_nothing(path):
    keep(path, {})
    assert look(path)["connectors"] == []
    path.unlink()
    found = look(path)
    assert found["connectors"] == [] and any("There is no file" in str(one) for one in found["warnings"])


def test_info_has_no_history(path):
    assert "history needs the offsets topic" in look(path, history=True)["msg"]


def test_the_ledger_is_looked_at_without_a_worker(path):
    change(path, offsets=[at(0)], change_id="CHG-1")
    config = path.with_name("worker.properties")
    config.write_text(f"offset.storage.file.filename={path}\nsecurity.protocol=SSL\nssl.truststore.location=/trust.jks\n")
    for place in ({"ledger_file": f"{path}.changes.jsonl"}, {"offset_file": str(path)}, {"worker_config": str(config)}):
        found, = call(connector_changes_info, connector="c", **place)["changes"]
        assert [found[name] for name in ("change_id", "phase", "method", "before")] == ["CHG-1", "applied", "file", [at(4)]]


def test_a_ledger_alone_is_no_road(path):
    found = call(connector_offsets, name="c", offsets=[at(0)], change_id="C", ledger_file=f"{path}.changes.jsonl")
    assert found["failed"] and "kafka_connect_url is missing" in found["msg"]
