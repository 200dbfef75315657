# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role verify_replay with the newest ansible-core, in check mode, and with Spark."""

from __future__ import annotations

import json
import os
import re
import uuid
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from stack.paths import cache_dir
from tests.cores.support import Core, Run, typed
from tests.cores.test_role import Unsafe
from tests.integration.support.topics import Kafka

ROLE = "streamops.kafka_connect.verify_replay"
LINES = 20
#: Small data: what takes the time is starting, and the compiler.
QUICK = {
    "spark.sql.shuffle.partitions": 2,
    "spark.sql.adaptive.enabled": False,
    "spark.sql.codegen.wholeStage": False,
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
#: texts that look like a number and like a list
USER, PASSWORD = "4711", '["1", "2"]'


@dataclass
class Twice:
    """A topic of two partitions, whose records came twice."""

    topic: str
    cluster_id: str
    #: by number, where the second delivery begins
    boundary: dict[int, int]

    @property
    def topics(self) -> dict:
        """Of the expectation document."""
        partitions = {str(number): {"start": 0, "boundary": end, "end": 2 * end} for number, end in self.boundary.items()}
        return {self.topic: {"cluster": "main", "topic": self.topic, "partitions": partitions}}

    @property
    def taken(self) -> dict:
        """What topic_offsets_info gives at the boundary."""
        partitions = [{"partition": number, "begin": 0, "end": end, "by_time": None} for number, end in self.boundary.items()]
        return {"cluster_id": self.cluster_id, "topics": [{"name": self.topic, "partitions": partitions}]}


@pytest.fixture(scope="session")
def twice(endpoints) -> Twice:
    """And a user who may read it."""
    admin = AdminClient({"bootstrap.servers": endpoints["bootstrap_servers"]})
    kafka = Kafka(endpoints["bootstrap_servers"])
    topic = kafka.create(f"c-{uuid.uuid4().hex[:8]}", 2, "delete")
    records = [(number % 2, b"k%d" % number, b"v%d" % number) for number in range(LINES)]
    kafka.raw(topic, records)
    boundary = kafka.ends(topic)
    kafka.raw(topic, records)
    login = UserScramCredentialUpsertion(USER, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), PASSWORD.encode())
    rules = [
        AclBinding(kind, name, pattern, f"User:{USER}", "*", AclOperation.READ, AclPermissionType.ALLOW)
        for kind, name, pattern in (
            (ResourceType.TOPIC, topic, ResourcePatternType.LITERAL),
            (ResourceType.GROUP, "verify-replay", ResourcePatternType.PREFIXED),
        )
    ]
    for future in [*admin.alter_user_scram_credentials([login]).values(), *admin.create_acls(rules).values()]:
        future.result(20)
    yield Twice(topic, admin.describe_cluster().result(20).cluster_id, boundary)
    kafka.drop(topic)


@dataclass
class Verification:
    """One ansible-core, and runs of the role against a topic."""

    core: Core
    folder: Path
    endpoints: dict
    twice: Twice
    python: str

    def run(self, *uses: dict, options: tuple[str, ...] = (), **texts: Unsafe) -> tuple[Run, dict]:
        """Makes the topics of the document, then takes the role once for each of uses; also gives what it left: facts by name."""
        secured = self.endpoints["secured"]
        common = {
            "verify_replay_python": self.python,
            "verify_replay_master": "local[2]",
            "verify_replay_driver_memory": "600m",
            # A folder of its own: the session verify may run at the same time.
            "verify_replay_jars_dir": str(cache_dir() / "cores-jars"),
            "verify_replay_report_dir": str(self.folder / "reports"),
            "verify_replay_spark_conf": QUICK,
            "kafka_bootstrap_servers": [secured["sasl_ssl"]],
            "kafka_security_protocol": "SASL_SSL",
            "kafka_sasl_mechanism": "SCRAM-SHA-512",
            "kafka_sasl_username": USER,
            "kafka_sasl_password": PASSWORD,
            "kafka_ssl_ca_path": secured["ca"],
            "topic": self.twice.topic,
            "taken": self.twice.taken,
            "lines": LINES,
        }
        tasks: list[dict] = [
            {
                "name": "Where does the topic end?",
                "streamops.kafka_connect.topic_offsets_info": {"topics": ["{{ topic }}"]},
                "register": "after",
            },
            {
                "name": "Make the topics",
                "ansible.builtin.set_fact": {"made": "{{ taken | streamops.kafka_connect.replay_topics(after) }}"},
            },
        ]
        for number, use in enumerate(uses):
            role = {"name": "Verify", "ansible.builtin.include_role": {"name": ROLE}, "vars": use}
            failed = {"name": "Note it", "ansible.builtin.set_fact": {f"failed{number}": "{{ ansible_failed_result.msg }}"}}
            tasks.append({"name": f"Use {number}", "block": [role], "rescue": [failed]})
        names = [*(f"failed{number}" for number in range(len(uses))), "verify_replay_report", "verify_replay_files"]
        names.append("made")
        # By a template file: text in the argument of a task would itself become a structure.
        lines = ",\n".join(f'"{name}": {{{{ {name} | default(none) | to_json }}}}' for name in names)
        (self.folder / "results.j2").write_text(f"{{{lines}}}")
        results = self.folder / "results.json"
        tasks.append({
            "name": "Write the results down",
            "ansible.builtin.template": {"src": "results.j2", "dest": str(results), "mode": "0600"},
            "check_mode": False,
            "changed_when": False,
        })
        play = {
            "name": "Verify",
            "hosts": "all",
            "gather_facts": False,
            "vars": {**common, "ansible_python_interpreter": "{{ ansible_playbook_python }}"},
            "tasks": tasks,
        }
        (self.folder / "verify.json").write_text(json.dumps([play]))
        # as AWX does it
        lines = [f"{name}: !unsafe {json.dumps(text, ensure_ascii=False)}\n" for name, text in texts.items()]
        (self.folder / "unsafe.yml").write_text("".join(lines) or "{}")
        run = self.core.run(self.folder, "verify.json", "-e", "@unsafe.yml", *options)
        assert results.exists(), run.text
        return run, json.loads(results.read_text())


@pytest.fixture
def verification(core, tmp_path, endpoints, twice) -> Verification:
    python = os.environ.get("STREAMOPS_SPARK_PYTHON")
    assert python, "STREAMOPS_SPARK_PYTHON has to name a Python with pyspark; make cores sets it"
    return Verification(core, tmp_path, endpoints, twice, python)


def declared(minimum: str) -> dict:
    """A document of what an earlier task made, with a limit from a template."""
    return {
        "verify_replay_expectation": {
            "version": 1,
            "change_id": "{{ '0815' }}",
            "cluster_ids": "{{ made.cluster_ids }}",
            "topics": "{{ made.topics }}",
            "checks": [
                {"type": "replayed", "topic": "{{ topic }}", "min_ratio": 1.0},
                {"type": "count", "topic": "{{ topic }}", "min": minimum, "max": LINES},
            ],
        }
    }


def test_check_mode(verification, twice):
    """A number that a template makes, then nothing but text, as from an AWX survey."""
    trap = verification.folder / "trap"
    # Text from a person is no template.
    change_id = f"{{{{ lookup('ansible.builtin.pipe', 'touch {trap}') }}}}"
    document = {"version": 1, "change_id": change_id, "topics": twice.topics, "checks": [{"type": "gaps", "topic": twice.topic}]}
    empty = ("jars", "packages", "cluster", "spark_home", "kafka_options", "jdbc_options", "timeout", "report_url")
    texts = {
        "expectation_text": json.dumps(document),
        "conf_text": json.dumps(QUICK),
        **{f"verify_replay_{name}": "" for name in empty},
    }
    survey = {
        "verify_replay_expectation": "{{ expectation_text }}",
        "verify_replay_spark_conf": "{{ conf_text }}",
        "verify_replay_fail": "no",
        "verify_replay_timeout": "600",
    }
    run, left = verification.run(
        survey,
        declared("{{ lines + 0 }}"),
        options=("--check", "--diff"),
        **{name: Unsafe(text) for name, text in texts.items()},
    )
    assert run.rc == 0, run.text
    assert typed(left["made"]["topics"]) == typed(twice.topics)
    assert left["made"]["cluster_ids"] == {"main": twice.cluster_id}
    assert left["failed0"] is None, left
    assert "Would run, with 1 checks" in run.flat and "--master local[2]" in run.flat.replace("'", ""), run.text
    assert not trap.exists(), "the text was run as a template"
    assert left["failed1"] is None, left
    assert "Would run, with 2 checks" in run.flat
    assert re.search(r"/main-0815-[0-9T.]+Z\.json$", left["verify_replay_files"]["report"])
    assert left["verify_replay_report"] == {}
    assert run.changed == 0 and not (verification.folder / "reports").exists()


def test_real_run(verification, twice):
    run, left = verification.run(declared("{{ lines }}"))
    assert run.rc == 0 and left["failed0"] is None, run.text
    assert run.changed == 0 and PASSWORD not in run.text
    report, files = left["verify_replay_report"], left["verify_replay_files"]
    assert [(check["name"], check["verdict"]) for check in report["checks"]] == [
        (f"replayed {twice.topic}", "pass"),
        (f"count {twice.topic}", "pass"),
    ]
    assert report["verdict"] == "pass" and report["change_id"] == "0815"
    found = report["topics"][twice.topic]
    assert typed([found["before"], found["after"], found["cluster_id"]]) == typed([LINES, LINES, twice.cluster_id])
    assert f"pass: replayed {twice.topic}: {LINES} of {LINES} earlier records" in run.flat
    # What was asked is what was declared, with its types.
    asked = json.loads(Path(files["expectation"]).read_text())
    assert asked.pop("clusters") == {"main": {"bootstrap.servers": verification.endpoints["secured"]["sasl_ssl"]}}
    checks = [
        {"type": "replayed", "topic": twice.topic, "min_ratio": 1.0},
        {"type": "count", "topic": twice.topic, "min": LINES, "max": LINES},
    ]
    wanted = {"version": 1, "change_id": "0815", "cluster_ids": {"main": twice.cluster_id}, "topics": twice.topics, "checks": checks}
    assert typed(asked) == typed(wanted)
    assert typed(json.loads(Path(files["report"]).read_text())) == typed(report)
    # Spark tells of no step that went well.
    log = Path(files["log"]).read_text()
    assert " INFO " not in log and "verify_replay: verdict: pass" in log
