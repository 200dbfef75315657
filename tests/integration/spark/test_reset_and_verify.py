# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""reset_offsets asks verify_replay what the data did: real Spark jobs about connectors that replayed for real. Needs pyspark."""

from __future__ import annotations

import json
import uuid

import pytest

from tests.docs.runs import checked, prepared
from tests.integration.spark.conftest import JARS_DIR, quick
from tests.integration.support.configs import file_source
from tests.integration.support.playbook import Playbooks
from tests.integration.support.worker import wait_until

pytest.importorskip("pyspark")

LINES = 40

#: for little data
JOB = {"verify_replay_jars_dir": JARS_DIR, "verify_replay_spark_conf": quick(), "verify_replay_master": "local[2]",
       "verify_replay_driver_memory": "600m"}


@pytest.fixture
def delivered(main, kafka, tmp_path):
    """delivered(): name and file of a FileStream source that has delivered its file."""
    names = []

    def delivered() -> tuple:
        name = f"t-{uuid.uuid4().hex[:8]}"
        names.append(name)
        file = tmp_path / f"{name}.txt"
        file.write_text("".join(f"order {number}\n" for number in range(LINES)))
        kafka.create(name, 2, "delete")
        main.worker.create(name, file_source(file, topic=name), "RUNNING")
        wait_until(lambda: [pair["offset"]["position"] for pair in main.worker.offsets(name)] == [file.stat().st_size], 60, "the delivery")
        return name, file

    yield delivered
    for name in names:
        main.worker.delete(name)
        kafka.drop(name)


@pytest.fixture
def source(delivered):
    return delivered()


class Resets:
    """Runs the playbook with what every run here has in common."""

    def __init__(self, playbooks: Playbooks, main, kafka) -> None:
        self.reports = playbooks.folder / "reports"
        self.playbooks = playbooks
        self.host = {
            "kafka_connect_url": main.url, "kafka_bootstrap_servers": kafka.bootstrap_servers,
            "verify_replay_report_dir": str(self.reports), **JOB,
        }

    def __call__(self, entry: dict | list, *options: str, env: dict | None = None, **host):
        return self.playbooks.run("streamops.kafka_connect.reset_offsets", {"eu": {**self.host, **host}}, *options, env=env,
                                  reset_offsets_connectors=entry if isinstance(entry, list) else [entry])

    def report(self) -> dict:
        (path,) = (path for path in self.reports.glob("*.json") if "expectation" not in path.name)
        return json.loads(path.read_text())


@pytest.fixture
def reset(playbooks, main, kafka) -> Resets:
    return Resets(playbooks, main, kafka)


def verify(name: str, **checks) -> dict:
    return {"topics": [name], "quiet": 3, "checks": [{"type": kind, "topic": name, **more} for kind, more in checks.items()]}


def test_docs_outputs(main, kafka, live_stack, tmp_path):
    """The page shows what its commands print (see tests/docs): a replay is proven, in check mode and for real."""
    with prepared("verify", tmp_path / "page", live_stack.endpoints()) as bench:
        reports = bench.folder / "home/.local/share/streamops-kafka-connect/reports"
        (bench.folder / "group_vars/kafka_connect.yml").write_text(json.dumps({**JOB, "verify_replay_report_dir": str(reports)}))
        before = main.worker.picture("orders-source")
        commands = checked("verify", bench)
        next(commands)
        assert main.worker.picture("orders-source") == before and not reports.exists()
        list(commands)
        (path,) = (path for path in reports.glob("*.json") if "expectation" not in path.name)
        report = json.loads(path.read_text())
        assert report["verdict"] == "pass" and report["change_id"] == "CHG-1234"
        assert [report["topics"]["orders"][part] for part in ("before", "after")] == [5, 5]
        assert main.worker.state("orders-source") == ("RUNNING", ["RUNNING"]) and len(kafka.values("orders")) == 10


def test_a_connector_that_stays_stopped(source, main, reset):
    """It delivers nothing that could be verified, so that is refused, unless nothing has to change and so nothing to be verified."""
    name, file = source
    entry = {"name": name, "offsets": [{"partition": {"filename": str(file)}, "offset": {"position": 0}}],
             "verify": verify(name, replayed={}, duplicates={}, count={"min": LINES, "max": LINES})}
    main.worker.put(name, "stop")
    main.worker.await_state(name, "STOPPED", [])
    main.worker.set_offsets(name, entry["offsets"])
    refused = reset({**entry, "final_state": "stopped", "offsets": [{**entry["offsets"][0], "offset": {"position": 6}}]})
    assert "it will not run then: it is STOPPED, and final_state is stopped. Nothing was changed." in refused.failure("eu")
    again = reset({**entry, "final_state": "started"})
    assert again.rc == 0 and not reset.reports.exists(), again


def test_a_skip_that_was_none(source, main, reset):
    """The connector delivers again what it should have skipped: the play fails, and the change stays, as nobody said otherwise."""
    name, file = source
    entry = {"name": name, "state": "absent", "verify": verify(name, not_replayed={})}
    play = reset(entry)
    failure = play.failure("eu")
    assert play.rc == 2 and reset.report()["verdict"] == "fail"
    assert f"The offsets of {name} were changed as declared and stay so, it is started, but the verification did not succeed: " in failure
    assert f"[fail] not_replayed {name}: " in failure
    assert f"The offsets before the change are in {reset.playbooks.backups}/eu-{name}-" in failure
    assert main.worker.state(name) == ("RUNNING", ["RUNNING"])


def test_put_back(source, main, reset):
    """The same, and it was said that a change whose data are wrong has to be undone."""
    name, file = source
    file.write_text(file.read_text() + "one that comes late\n")
    wait_until(lambda: main.worker.offsets(name)[0]["offset"]["position"] == file.stat().st_size, 60, "the last line")
    entry = {"name": name, "offsets": [{"partition": {"filename": str(file)}, "offset": {"position": 8}}],
             "verify": {**verify(name, count={"max": 1}), "put_back": True}}
    play = reset(entry)
    assert play.rc == 2 and reset.report()["verdict"] == "fail", play
    failure = play.failure("eu")
    assert f"The change of {name} failed, and offsets and state (started) are as they were: 1 of 1 checks did not pass" in failure
    assert main.worker.state(name) == ("RUNNING", ["RUNNING"])
    assert [pair["offset"] for pair in main.worker.offsets(name)] == [{"position": file.stat().st_size}]


def test_two_connectors_are_proven_by_one_job(source, delivered, main, reset):
    """Of the one whose data are wrong offsets and state are put back; the other one keeps its change."""
    (name, file), (wrong, other) = source, delivered()

    def start(file):
        return [{"partition": {"filename": str(file)}, "offset": {"position": 0}}]

    expected = {wrong: verify(wrong, count={"max": 1}), name: verify(name, replayed={}, duplicates={})}
    files = {wrong: other, name: file}
    declared = {one: {"offsets": start(files[one]), "verify": {**expected[one], "put_back": True}} for one in files}
    play = reset([{"name": one, **more} for one, more in declared.items()])
    report = reset.report()
    assert play.rc == 2 and report["change_id"] == "2-connectors", play
    seen = [(check["type"], check["verdict"]) for check in report["checks"]]
    assert seen == [("count", "fail"), ("replayed", "pass"), ("duplicates", "pass")]
    assert f"The change of {wrong} failed, and offsets and state (started) are as they were: 1 of 3 checks" in play.failure("eu")
    assert name not in play.failure("eu").replace(wrong, "")
    assert {one: main.worker.state(one) for one in (name, wrong)} == dict.fromkeys((name, wrong), ("RUNNING", ["RUNNING"]))
    for one, path in files.items():
        assert [pair["offset"]["position"] for pair in main.worker.offsets(one)] == [path.stat().st_size]
    (backup,) = reset.playbooks.backups.glob("eu-2-connectors-*")
    assert sorted(json.loads(backup.read_text())["connectors"]) == sorted([name, wrong])


def test_what_is_missing_is_known_before_the_first_change(source, main, reset):
    """No Java, no such check, no topic, no brokers, a word that is not known: each a sentence, the connector untouched."""
    name, file = source
    good = {"name": name, "state": "absent", "verify": verify(name, replayed={})}
    before = main.worker.picture(name)
    cases = [
        ({}, {"env": {"JAVA_HOME": "/nowhere"}}, "Spark needs Java 17 or newer, and there is none"),
        ({"checks": [{"type": "repalyed", "topic": name}]}, {}, "repalyed"),
        ({"checks": []}, {}, "topics (names) and checks are lists that are needed"),
        ({"topic": name}, {}, f"verify of {name} cannot be used: "),
        ({"topics": ["no-such-topic"]}, {}, "There is no topic no-such-topic"),
        ({"topics": ["no-such-*"]}, {}, f"boundaries of {name}: No topic fits no-such-*. Nothing was changed."),
        ({}, {"kafka_bootstrap_servers": ""}, "bootstrap_servers"),
    ]
    for changed, how, sentence in cases:
        play = reset({**good, "verify": {**good["verify"], **changed}}, **how)
        assert play.rc == 2 and sentence in play.failure("eu"), (changed, how, play.text[-3000:])
    assert main.worker.picture(name) == before and not list(reset.playbooks.backups.glob("*"))
