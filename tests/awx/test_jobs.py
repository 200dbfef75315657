# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Job templates and workflows of the role awx_setup, run by ansible-runner as AWX runs them, on real Connect clusters."""

from __future__ import annotations

import base64
import json

import pytest

from tests.awx.changes import check_cancelled, forget, ledger, statuses
from tests.awx.conftest import LOGIN, VAULTS
from tests.awx.jobs import Template
from tests.integration.support.configs import at, shaped
from tests.integration.support.playbook import Playbooks
from tests.integration.support.proxy import Answer


def test_the_command_line_is_that_of_awx(fleet, awx, template):
    done = awx.launch(template("undo"), {"restore_offsets_change_id": "none"}, limit="eu")
    folder = done.folder.parents[1]
    assert done.command == ["ansible-playbook", "--check", "-u", "root", "--diff", "-l", "eu", "-i", str(folder / "inventory"),
                            "-e", f"@{folder}/env/extravars", "playbooks/restore_offsets.yml"]
    assert any("has no change none" in text for text in done.failures()), done


def test_reset_workflow(fleet, workflow):
    """Check, approval, apply, confirm. The change has the workflow's name, and whoever launched it. A second launch is another change."""
    first = workflow("reset", {"reset_offsets_connectors": fleet.desired(1)}, limit="eu")
    asked = []

    def approve(node: str) -> bool:
        asked.append((node, fleet.offsets(), first.done["check"].artifacts["kafka_connect_check"]["counts"]))
        return True

    assert first.run(approve), {name: str(done) for name, done in first.done.items()}
    (node, before, counts), = asked
    assert node == "approve" and before == fleet.all_at(4, 4, 4)
    assert counts == {"changed": 0, "would_change": 2, "already_applied": 0, "unchanged": 0, "failed": 0, "not_reached": 0}
    assert list(first.done) == ["check", "apply", "confirm"]
    assert fleet.offsets() == fleet.all_at(1, 1, 4)

    made = first.done["apply"].artifacts["kafka_connect_apply"]
    assert made["change_id"] == f"awx-{first.number}" and made["ok"] and made["partitions"] == {"set": 2, "removed": 0}
    assert statuses(made) == {"eu-1": "changed", "eu-2": "changed"}
    seen = first.done["confirm"].artifacts["kafka_connect_verify"]
    assert seen["verdict"] == "pass" and {one["verdict"] for one in seen["clusters"].values()} == {"pass"}
    assert not any(first.done["confirm"].changed.values())
    change = ledger(fleet, "eu-1")
    assert change["change_id"] == f"awx-{first.number}" and change["who"]["requested_by"] == "ops", change

    # No artifact has the name of a variable that the next job takes: it would win over everything.
    names = {name for done in first.done.values() for name in done.artifacts}
    assert names == {"kafka_connect_check", "kafka_connect_apply", "kafka_connect_verify"}


def test_a_change_with_a_name_is_made_once(fleet, awx, template):
    survey = {"reset_offsets_connectors": fleet.desired(1), "reset_offsets_change_id": "CHG-1"}
    for status in ("changed", "already_applied"):
        done = awx.launch(template("reset"), survey, job_type="run", limit="us-1")
        assert done.rc == 0 and statuses(done.artifacts["kafka_connect_apply"]) == {"us-1": status}, done
        fleet.workers["us-1"].set_offsets(fleet.name, [at(3)])
        assert fleet.offsets() == fleet.all_at(4, 4, 3)


def test_nobody_approves(fleet, workflow):
    launch = workflow("reset", {"reset_offsets_connectors": fleet.desired(1)})
    assert not launch.run(lambda node: False)
    assert list(launch.done) == ["check"] and fleet.offsets() == fleet.all_at(4, 4, 4)


def test_what_is_not_confirmed_is_undone(fleet, workflow):
    """A connector that fails between change and confirmation: back to what was there, without the disk of the job, and not green."""
    launch = workflow("reset", {"reset_offsets_connectors": fleet.desired(1)}, limit="eu")
    start, applied = launch.start, []

    def spoil(name: str, artifacts: dict):
        worker = fleet.workers["eu-2"]
        if name == "confirm":
            applied.append(fleet.offsets())
            worker.must("PUT", f"connectors/{fleet.name}/config", worker.config(fleet.name) | {"fail.task": "start"})
            worker.put(fleet.name, "resume")
            worker.await_state(fleet.name, "RUNNING", ["FAILED"])
        if name == "undo":
            for done in launch.done.values():
                forget(done)
        return start(name, artifacts)

    launch.start = spoil
    assert not launch.run(), "green, without its change"
    assert applied == [fleet.all_at(1, 1, 4)]
    assert list(launch.done) == ["check", "apply", "confirm", "undo"]
    assert fleet.offsets() == fleet.all_at(4, 4, 4)
    assert any(f"The change awx-{launch.number} is undone" in text for text in launch.done["undo"].failures())


def test_rollout_workflow(fleet, workflow):
    """The canary first, alone; then the others; a question before each."""
    launch, seen = workflow("rollout", {"reset_offsets_connectors": fleet.desired(2)}), {}

    def approve(node: str) -> bool:
        seen[node] = fleet.offsets()
        return True

    assert launch.run(approve), {name: str(done) for name, done in launch.done.items()}
    assert seen == {"approve-canary": fleet.all_at(4, 4, 4), "approve-rest": fleet.all_at(2, 4, 4)}
    assert fleet.offsets() == fleet.all_at(2, 2, 2)
    assert list(launch.done) == ["check", "canary", "confirm-canary", "rest", "confirm-all"]
    assert statuses(launch.done["canary"].artifacts["kafka_connect_apply"]) == {"eu-1": "changed"}
    assert statuses(launch.done["rest"].artifacts["kafka_connect_apply"]) == {"eu-2": "changed", "us-1": "changed"}
    assert set(launch.done["confirm-all"].artifacts["kafka_connect_verify"]["clusters"]) == set(fleet.workers)


def test_a_rollout_that_fails_is_undone_everywhere_if_somebody_says_so(fleet, workflow, proxy_to):
    """The second of the rest refuses the change: what the canary and the first one have is undone, too."""
    proxy = proxy_to(fleet.workers["us-1"].url, lambda request: Answer(500, b'{"message": "no"}') if request.verb == "PATCH" else None)
    fleet.route("us-1", proxy.url)
    launch, seen = workflow("rollout", {"reset_offsets_connectors": fleet.desired(2)}), {}

    def approve(node: str) -> bool:
        seen[node] = fleet.offsets()
        return True

    assert not launch.run(approve)
    assert seen["approve-undo"] == fleet.all_at(2, 2, 4)
    assert statuses(launch.done["rest"].artifacts["kafka_connect_apply"]) == {"eu-2": "changed", "us-1": "failed"}
    assert list(launch.done)[-2:] == ["rest", "undo-all"]
    assert fleet.offsets() == fleet.all_at(4, 4, 4), launch.done["undo-all"]
    assert fleet.states() == dict.fromkeys(fleet.workers, "STOPPED")


def test_a_cancelled_job_is_finished_by_the_next_one(fleet, awx, template, proxy_to):
    check_cancelled(awx, fleet, template("reset"), proxy_to)


def test_answers_are_no_templates(fleet, awx, template, tmp_path):
    """Whoever may launch a job cannot run code with its secrets."""
    trap = tmp_path / "trap"
    hostile = f"{{{{ lookup('pipe', 'touch {trap}') }}}}"
    worker, name = fleet.workers["us-1"], f"{fleet.name}-jinja"
    worker.create(name, shaped(topic=name, partitions=json.dumps([{"p": hostile}])))
    try:
        worker.set_offsets(name, [at(4, p=hostile)])
        desired = json.dumps([{"name": name, "offsets": [at(1, p=hostile)]}])
        survey = {"reset_offsets_connectors": desired, "reset_offsets_change_id": hostile}
        done = awx.launch(template("reset"), survey, job_type="run", limit="us-1")
        assert done.rc == 0 and worker.offsets(name) == [at(1, p=hostile)], done
        assert ledger(fleet, "us-1", name)["change_id"] == hostile
        for survey in ({"reset_offsets_connectors": hostile}, {"reset_offsets_change": hostile}):
            done = awx.launch(template("reset"), survey, job_type="run", limit="us-1")
            assert done.rc != 0 and "nothing was changed" in " ".join(done.failures()).lower(), done
        survey = {"restore_offsets_change_id": hostile, "restore_offsets_connectors": hostile}
        awx.launch(template("undo"), survey, job_type="run", limit="us-1")
        awx.launch(template("report"), {"offsets_report_dir": hostile}, limit="us-1")
        assert not trap.exists()
    finally:
        worker.delete(name)


@pytest.mark.parametrize("name", ["report", "changes", "reset", "undo", "import", "export"])
def test_empty_answers_are_not_given(fleet, awx, template, name):
    """What needs an answer says so before it does anything; the rest takes its defaults."""
    one = template(name)
    one = Template(one.playbook, "run", survey=[question | {"default": "", "required": False} for question in one.survey])
    done = awx.launch(one, {}, limit="us-1")
    assert (done.rc == 0) is (name in ("report", "changes")), done
    assert all("nothing was changed" in text.lower() for text in done.failures()), done
    assert fleet.offsets() == fleet.all_at(4, 4, 4)


def test_a_limit_that_fits_nothing_fails(fleet, awx, template):
    done = awx.launch(template("report"), limit="asia")
    assert done.rc != 0 and "no hosts to target" in str(done), done


def test_secrets_come_by_credential_and_go_nowhere(fleet, awx, template, proxy_to):
    """A login by the environment alone. It is in no event and no line of output, also where it is refused."""
    login, token = "planted-password-42", base64.b64encode(b"ops:planted-password-42").decode()

    def gate(request):
        return None if request.headers.get("Authorization") == f"Basic {token}" else Answer(401, b'{"error_code":401,"message":"no"}')

    proxy = proxy_to(fleet.workers["us-1"].url, gate)
    fleet.route("us-1", proxy.url)
    good = {"Kafka Connect REST": {"username": "ops", "password": login}, "Kafka client": {"security_protocol": "PLAINTEXT"}}
    survey = {"reset_offsets_connectors": fleet.desired(1)}
    done = awx.launch(template("reset"), survey, job_type="run", limit="us-1", credentials=good)
    assert done.rc == 0 and fleet.offsets() == fleet.all_at(4, 4, 1), done
    wrong = {"Kafka Connect REST": {"username": "ops", "password": login + "x"}}
    refused = awx.launch(template("reset"), survey, job_type="run", limit="us-1", credentials=wrong)
    assert refused.rc != 0 and "401" in " ".join(refused.failures()), refused
    for one in (done, refused):
        assert one.events
        for text in (json.dumps(one.events), one.stdout):
            assert "planted-password" not in text and token not in text


def test_what_the_inventory_has_encrypted(vaulted, awx, template):
    """A login and an address of single clusters, with two vault ids: decrypted in the job, told to the workers and to nobody else."""
    survey = {"reset_offsets_connectors": vaulted.desired(1), "reset_offsets_change_id": "CHG-3"}
    done = awx.launch(template("reset"), survey, job_type="run", limit="eu-1,us-1", vaults=VAULTS)
    assert done.rc == 0 and vaulted.offsets() == vaulted.all_at(1, 4, 1), done
    assert statuses(done.artifacts["kafka_connect_apply"]) == {"eu-1": "changed", "us-1": "changed"}
    assert done.command[1:9] == ["-u", "root", "--diff", "--vault-id", "eu@prompt", "--vault-id", "us@prompt", "-l"]
    assert done.events
    for text in (json.dumps(done.events), done.stdout):
        assert LOGIN[1] not in text and base64.b64encode(":".join(LOGIN).encode()).decode() not in text


def test_the_same_as_on_the_command_line(fleet, awx, template, tmp_path):
    """Artifacts, offsets and changes are those of ansible-playbook with an inventory of one's own."""
    survey = {"reset_offsets_connectors": fleet.desired(3), "reset_offsets_change_id": "CHG-9"}
    done = awx.launch(template("reset"), survey, job_type="check")
    assert done.rc == 0, done
    (tmp_path / "line").mkdir()
    file = tmp_path / "line" / "summary.json"
    hosts = fleet.groups["_meta"]["hostvars"]
    variables = {"reset_offsets_change_id": "CHG-9", "reset_offsets_summary_file": str(file)}
    play = Playbooks(tmp_path / "line").reset(hosts, fleet.desired(3), "--check", **variables)
    assert play.rc == 0, play
    ours, theirs = done.artifacts["kafka_connect_check"], json.loads(file.read_text())
    # Only AWX knows the revision of the project, and its inventory alone has the group canary.
    bound = [{**one.pop("approval"), "digest": "", "revision": "", "canary": []} for one in (ours, theirs)]
    assert {**ours, "time": ""} == {**theirs, "time": ""} and bound[0] == bound[1]
    assert done.changed == {host: counts["changed"] for host, counts in play.recap.items() if counts["changed"]}
