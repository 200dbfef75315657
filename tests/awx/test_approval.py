# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Project, inventory or clusters change while somebody is asked: what was approved is what is done, and an undo goes everywhere."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.awx.changes import statuses
from tests.awx.jobs import Awx, Done
from tests.integration.support.configs import at
from tests.integration.support.proxy import Answer

CHANGES = "changes"
NO = Answer(500, b'{"message": "no"}')


@pytest.fixture
def file_of(awx: Awx, fleet, tmp_path):
    """file_of(name, offset, **variables): the file of a change in a copy of the project, also of one that is pushed later."""
    shutil.copytree(awx.project, tmp_path / "project")
    awx.project = tmp_path / "project"

    def push(name: str, n: int, **variables) -> None:
        content = {"connectors": json.loads(fleet.desired(n)), **variables}
        (awx.project / CHANGES).mkdir(exist_ok=True)
        (awx.project / CHANGES / f"{name}.yml").write_text(json.dumps({f"reset_offsets_{key}": value for key, value in content.items()}))

    return push


def failures(done: Done, host: str = "") -> str:
    """What failed on a host, or on all of them."""
    found = [event["event_data"] for event in done.events if event["event"] == "runner_on_failed"]
    return " ".join(" ".join(str(one["res"].get("msg", "")) for one in found if not host or one["host"] == host).split())


def test_a_file_counts_where_the_survey_is_left_open(fleet, awx, template, file_of):
    """AWX sends empty answers, too."""
    worker = fleet.workers["us-1"]
    worker.put(fleet.name, "resume")
    worker.await_state(fleet.name, "RUNNING", ["RUNNING"])
    file_of("CHG-20", 1, final_state="paused", wait_timeout=30)
    done = awx.launch(template("reset"), {"reset_offsets_change": "CHG-20", "reset_offsets_final_state": ""}, job_type="run", limit="us-1")
    assert done.rc == 0 and fleet.states()["us-1"] == "PAUSED", done
    assert fleet.offsets() == fleet.all_at(4, 4, 1)


@pytest.mark.parametrize(("answer", "said"), [
    ({"reset_offsets_final_state": "found"}, ("reset_offsets_final_state", "is paused, but found is given")),
    ({"reset_offsets_wait_timeout": 120}, ("reset_offsets_wait_timeout", "is 30, but 120 is given")),
])
def test_an_answer_that_contradicts_the_file(fleet, awx, template, file_of, answer, said):
    file_of("CHG-21", 1, final_state="paused", wait_timeout=30)
    done = awx.launch(template("reset"), {"reset_offsets_change": "CHG-21", **answer}, job_type="run", limit="us-1")
    assert done.rc != 0 and all(words in failures(done) for words in (*said, "CHG-21.yml", "Nothing was changed.")), done
    assert fleet.offsets() == fleet.all_at(4, 4, 4) and fleet.states()["us-1"] == "STOPPED"


def test_a_file_that_changes_while_somebody_is_asked(fleet, workflow, file_of):
    """Nothing is applied that nobody has approved; connector and values are named, and so is another revision."""
    file_of("CHG-23", 2)
    launch = workflow("reset", {"reset_offsets_change": "CHG-23"}, limit="eu")

    def approve(node: str) -> bool:
        assert launch.done["check"].artifacts["kafka_connect_check"]["approval"]["canary"] == ["eu-1"]
        file_of("CHG-23", 900)
        launch.awx.revision = "2" * 40
        return True

    assert not launch.run(approve)
    refused = launch.done["apply"]
    assert fleet.offsets() == fleet.all_at(4, 4, 4) and fleet.states() == dict.fromkeys(fleet.workers, "STOPPED"), refused
    differs = f'{fleet.name}: the offset declared for {{"p": 0}} is {{"n": 900}}, but the dry run showed {{"n": 2}}'
    for host in ("eu-1", "eu-2"):
        assert differs in failures(refused, host), refused
    assert f"the source revision is {'2' * 40}, but the dry run showed {'1' * 40}" in failures(refused, "eu-1")
    assert statuses(refused.artifacts["kafka_connect_apply"]) == {"eu-1": "failed", "eu-2": "failed"}


def test_another_canary_than_the_one_that_was_approved(fleet, workflow):
    launch = workflow("rollout", {"reset_offsets_connectors": fleet.desired(2)})

    def approve(node: str) -> bool:
        fleet.groups["canary"]["hosts"] = ["eu-2"]
        return True

    assert not launch.run(approve)
    assert fleet.offsets() == fleet.all_at(4, 4, 4) and list(launch.done)[:2] == ["check", "canary"]
    assert "the canary is eu-2, but the dry run showed eu-1" in failures(launch.done["canary"], "eu-2"), launch.done["canary"]


def test_an_undo_goes_everywhere(fleet, workflow, proxy_to):
    """The canary is confirmed, the rest fails on its second cluster, and then the first one is lost, with its change: it is named. Red."""
    lost = []
    refuses = proxy_to(fleet.workers["us-1"].url, lambda request: NO if request.verb == "PATCH" else None)
    fleet.route("us-1", refuses.url)
    fleet.route("eu-2", proxy_to(fleet.workers["eu-2"].url, lambda request: Answer(503, b"away") if lost else None).url)
    launch = workflow("rollout", {"reset_offsets_connectors": fleet.desired(2)})

    def approve(node: str) -> bool:
        if node == "approve-undo":
            assert fleet.offsets() == fleet.all_at(2, 2, 4)
            lost.append(True)
        return True

    assert not launch.run(approve) and list(launch.done)[-2:] == ["rest", "undo-all"]
    undo = launch.done["undo-all"]
    assert fleet.offsets() == fleet.all_at(4, 2, 4), undo
    found = statuses(undo.artifacts["kafka_connect_apply"])
    assert (found["eu-1"], found["eu-2"]) == ("changed", "failed") and found["us-1"] != "failed", found
    assert "Clusters where it is not undone: eu-2." in failures(undo) and "503" in failures(undo), undo


def test_an_undo_that_fails_on_one_cluster_goes_on(fleet, awx, template, proxy_to):
    """Of the first one, which refuses it in the middle of the change."""
    refuses = []
    proxy = proxy_to(fleet.workers["eu-1"].url, lambda request: NO if refuses and request.verb == "PATCH" else None)
    fleet.route("eu-1", proxy.url)
    survey = {"reset_offsets_connectors": fleet.desired(1), "reset_offsets_change_id": "CHG-22"}
    assert awx.launch(template("reset"), survey, job_type="run").rc == 0 and fleet.offsets() == fleet.all_at(1, 1, 1)
    refuses.append(True)
    survey = {"restore_offsets_change_id": "CHG-22", "restore_offsets_skip_unready": "true"}
    done = awx.launch(template("undo"), survey, job_type="run")
    assert done.rc != 0 and fleet.offsets() == {**fleet.all_at(4, 4, 4), "eu-1": [at(1)]}, done
    assert statuses(done.artifacts["kafka_connect_apply"]) == {"eu-1": "failed", "eu-2": "changed", "us-1": "changed"}
