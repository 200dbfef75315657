# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The execution environment: its definition always, an image of it and jobs inside where podman can start and somebody has asked for it."""

from __future__ import annotations

import json
import os
import re
import uuid

import pytest
import yaml

from tests.awx.changes import check_cancelled, ledger, statuses
from tests.awx.conftest import LOGIN, VAULTS
from tests.awx.data import ROOT
from tests.awx.image import EE, Podman, context
from tests.awx.jobs import Awx, Containers
from tests.integration.support.topics import Kafka

#: set it to build the image: minutes, and packages of Debian and PyPI, unless it was built before
WANTED = "STREAMOPS_EE"


def test_definition(tmp_path):
    """ansible-builder takes it, and the base image is an argument of the build; versions are those of the rest of the repository."""
    made = context(tmp_path, [])
    text = (made / "Containerfile").read_text()
    assert re.findall(r"^ARG (EE_BASE_IMAGE|PYCMD|PYPKG|PKGMGR)=", text, re.MULTILINE) == ["EE_BASE_IMAGE", "PYCMD", "PYPKG", "PKGMGR"]
    version = yaml.safe_load((ROOT / "galaxy.yml").read_text())["version"]
    assert [path.name for path in (made / "_build" / "collection").iterdir()] == [f"streamops-kafka_connect-{version}.tar.gz"]
    definition = yaml.safe_load((EE / "execution-environment.yml").read_text())
    pins = {line.strip() for path in (ROOT / "tests" / "requirements").glob("*.txt") for line in path.read_text().splitlines()}
    wanted = [definition["dependencies"]["ansible_core"]["package_pip"], definition["dependencies"]["ansible_runner"]["package_pip"],
              *definition["dependencies"]["python"]]
    assert set(wanted) <= pins
    bindep = (EE / "bindep.txt").read_text()
    for platform in ("rpm", "dpkg"):
        assert re.search(rf"^\S*(jdk|jre)\S* \[platform:{platform}\]$", bindep, re.MULTILINE)
    # By this variable the module knows where the jars are.
    told, copied = (re.search(rf"^{words}(\S+)$", text, re.MULTILINE)[1] for words in ("ENV VERIFY_REPLAY_JARS=", "COPY _build/jars "))
    assert told == copied
    assert '"VERIFY_REPLAY_JARS"' in (ROOT / "plugins" / "modules" / "verify_replay.py").read_text()


@pytest.fixture(scope="module")
def podman(tmp_path_factory) -> Podman:
    if not os.environ.get(WANTED):
        pytest.skip(f"{WANTED} is not set")
    podman = Podman(tmp_path_factory.mktemp("podman"))
    if podman.missing():
        pytest.skip(podman.missing())
    return podman


@pytest.fixture(scope="module")
def image(podman, tmp_path_factory) -> str:
    return podman.image(tmp_path_factory.mktemp("image"))


def test_what_is_in_the_image(podman, image):
    """For the user that Kubernetes starts it as, who is no root; the collection is there for projects that do not bring it along."""
    def says(*command: str) -> str:
        done = podman("run", "--rm", "--pull=never", "--network=none", "--passwd=false", image, *command)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    assert says("id", "-u") == "1000" and says("id", "-un") == "1000"
    version = yaml.safe_load((ROOT / "galaxy.yml").read_text())["version"]
    assert f"streamops.kafka_connect {version}" in says("ansible-galaxy", "collection", "list", "streamops.kafka_connect")
    assert says("ansible-doc", "-s", "streamops.kafka_connect.connector_offsets").startswith("- name: ")
    assert says("python3", "-c", "import confluent_kafka, pyspark, requests; print(pyspark.__version__)") == "4.2.0"
    assert "2.19." in says("ansible-playbook", "--version").splitlines()[0]


@pytest.fixture
def jobs_in(podman, image, fleet, project, data, tmp_path):
    """jobs_in(options, pod) -> Awx whose jobs run in the image."""
    types = {one["name"]: one for one in data["controller_credential_types"]}
    return lambda options, pod: Awx(tmp_path, *project, fleet.groups, types, Containers(image, options, pod, podman.environment))


@pytest.fixture(params=["root", "pod"])
def inside(request, jobs_in) -> Awx:
    """Jobs in containers as root, as AWX on a machine of its own has them, or sent to pods of the image's own user, as on Kubernetes."""
    return jobs_in([], True) if request.param == "pod" else jobs_in(["--user=root"], False)


@pytest.fixture
def nameless(jobs_in, tmp_path) -> Awx:
    """Jobs of a user whom no file knows, in a group that may write nothing of the image."""
    folder = tmp_path / "runner"
    folder.mkdir()
    os.chown(folder, 4711, 4712)
    return jobs_in(["--user=4711:4712", f"--volume={folder}:/runner"], True)


def expectation(topic: str) -> str:
    """That its five records have come again."""
    partitions = {"0": {"start": 0, "boundary": 5, "end": 10}}
    return json.dumps({"version": 1, "topics": {"t": {"cluster": "main", "topic": topic, "partitions": partitions}},
                       "checks": [{"type": "replayed", "topic": "t"}]})


def test_a_change_in_the_image(vaulted, inside, template):
    """With the image's ansible-core, which treats what is encrypted in its own way; and back again."""
    survey = {"reset_offsets_connectors": vaulted.desired(1), "reset_offsets_change_id": "CHG-5"}
    more = {"job_type": "run", "limit": "eu-1,us-1", "vaults": VAULTS}
    done = inside.launch(template("reset"), survey, credentials={"Kafka Connect REST": {"ca": "none"}}, **more)
    assert done.rc == 0 and vaulted.offsets() == vaulted.all_at(1, 4, 1), done
    assert statuses(done.artifacts["kafka_connect_apply"]) == {"eu-1": "changed", "us-1": "changed"}
    undone = inside.launch(template("undo"), {"restore_offsets_change_id": "CHG-5"}, **more)
    assert undone.rc == 0 and vaulted.offsets() == vaulted.all_at(4, 4, 4), undone
    for one in (done, undone):
        assert one.events and LOGIN[1] not in json.dumps(one.events) + one.stdout


def test_a_cancelled_job_in_the_image_is_finished_by_the_next_one(fleet, inside, template, proxy_to):
    check_cancelled(inside, fleet, template("reset"), proxy_to)


def test_a_user_without_a_name_in_the_image(fleet, nameless, template):
    """Changes are made; Spark cannot start, and that is said in one sentence."""
    survey = {"reset_offsets_connectors": fleet.desired(1), "reset_offsets_change_id": "CHG-6"}
    done = nameless.launch(template("reset"), survey, job_type="run", limit="eu-1")
    assert done.rc == 0 and fleet.offsets() == fleet.all_at(1, 4, 4), done
    who = ledger(fleet, "eu-1")["who"]
    assert who["user"] == "4711" and who["requested_by"] == "ops"

    fleet.groups["_meta"]["hostvars"]["us-1"]["kafka_bootstrap_servers"] = "127.0.0.1:9"
    done = nameless.launch(template("verify"), {"verify_replay_expectation": expectation("t")}, limit="us-1")
    assert done.rc == 2 and "User id 4711 has no name on this machine" in done.failures()[-1], done
    assert "Traceback" not in done.stdout and "Its progress" not in done.stdout


def test_spark_in_the_image(fleet, inside, template, live_stack):
    """Nothing is fetched: the jars are in the image, and pyspark finds Java."""
    kafka = Kafka(live_stack.endpoints()["bootstrap_servers"])
    topic = kafka.create(f"t-{uuid.uuid4().hex[:8]}", 1, "delete")
    try:
        for _time in range(2):
            kafka.raw(topic, [(0, b"k%d" % number, b"v%d" % number) for number in range(5)])
        fleet.groups["_meta"]["hostvars"]["us-1"].update(
            kafka_bootstrap_servers=kafka.bootstrap_servers, verify_replay_driver_memory="600m")
        survey = {"verify_replay_expectation": expectation(topic), "verify_replay_master": "local[1]"}
        done = inside.launch(template("verify"), survey, limit="us-1")
        assert done.rc == 0, done
        seen = done.artifacts["kafka_connect_verify"]
        assert seen["verdict"] == "pass" and seen["clusters"]["us-1"]["checks"] == {"pass": 1}
    finally:
        kafka.drop(topic)
