# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role awx_setup with the real modules of awx.awx, on a stand-in for AWX that keeps objects as its API does."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.awx.controller import Controller, serve

PLAYBOOK = "streamops.kafka_connect.awx_setup"
GIVEN = {"inventory_path": "inventory", "execution_environment_image": "localhost/ee", "execution_environment_credential": "registry",
         "credentials": ["eu", "brokers"], "notification_url": "https://hooks.example.com/",
         "notifications": ["workflows", "approvals", "jobs"]}
UNCHANGED = "Nothing was changed in AWX."


class Setup:
    """Runs the playbook against a stand-in."""

    def __init__(self, project) -> None:
        self.project, self.controller = project, Controller()
        self.server, self.url = serve(self.controller)
        for name in (*GIVEN["credentials"], GIVEN["execution_environment_credential"]):
            self.controller.add("credentials", name=name)

    def run(self, *options: str, env: dict | None = None, login=True, **variables) -> subprocess.CompletedProcess:
        others = ("ANSIBLE_", "CONTROLLER_", "TOWER_", "PYTHONPATH")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(others)}
        more = {"ANSIBLE_COLLECTIONS_PATH": str(self.project[1]), "ANSIBLE_NOCOLOR": "1", "HOME": str(self.project[0]),
                "ANSIBLE_LOCALHOST_WARNING": "0", "ANSIBLE_INVENTORY_UNPARSED_WARNING": "0"}
        if login:
            more |= {"CONTROLLER_HOST": self.url, "CONTROLLER_OAUTH_TOKEN": "planted-token-77"}
        variables = {f"awx_setup_{name}": value for name, value in {**GIVEN, **variables}.items()}
        command = [str(Path(sys.executable).with_name("ansible-playbook")), PLAYBOOK, "-e", json.dumps(variables), *options]
        self.controller.written.clear()
        done = subprocess.run(command, env={**clean, **more, **(env or {})}, text=True, capture_output=True, check=False)
        assert "planted-" not in done.stdout + done.stderr
        return done


def ok(done: subprocess.CompletedProcess) -> list[str]:
    """The lines that say what was done, without the last one; nothing else is to be said."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "", done.stderr
    return re.findall(r"^.*: (?:would be )?(?:made|changed|removed)\b.*$", done.stdout, re.MULTILINE)


def refusal(done: subprocess.CompletedProcess) -> str:
    assert done.returncode == 2, done.stdout + done.stderr
    return json.loads(re.search(r'"msg": (".*")', done.stdout)[1])


@pytest.fixture(scope="module")
def made(project):
    """Everything, by a first run; and what its prediction and it have said."""
    setup = Setup(project)
    predicted = setup.run("--check")
    assert setup.controller.written == []
    setup.predicted, setup.first = predicted, setup.run()
    yield setup
    setup.server.shutdown()
    setup.server.server_close()


@pytest.fixture
def setup(made):
    """The same; what a test does to the objects is undone."""
    kept = copy.deepcopy(made.controller.tables)
    yield made
    made.controller.tables, made.controller.broken, made.controller.administrator = kept, {}, True


@pytest.fixture
def empty(project):
    """Where there is nothing yet."""
    setup = Setup(project)
    yield setup
    setup.server.shutdown()
    setup.server.server_close()


def test_a_second_run_changes_nothing(made, data):
    """Check mode predicts the first one, which makes everything."""
    kinds = {"Credential type": "credential_types", "Job template": "templates", "Workflow": "workflows", "Notification": "notifications"}
    names = [f"{title} {one['name']}" for title, kind in kinds.items() for one in data[f"controller_{kind}"]]
    names += [f"{title} Kafka Connect" for title in ("Organization", "Execution environment", "Project", "Inventory", "Inventory source")]
    assert sorted(ok(made.first)) == sorted(f"{name}: made" for name in names)
    assert [line.replace("would be ", "") for line in ok(made.predicted)] == ok(made.first)
    for options in ([], ["--check"], ["--check", "--diff"]):
        again = made.run(*options)
        assert ok(again) == [] and "changed=0" in again.stdout and made.controller.written == []
        assert f"{len(names)} objects of AWX: 0 {'would change' if options else 'changed'}, {len(names)} as declared" in again.stdout


def test_what_was_made(made):
    """What the modules of awx.awx have sent."""
    kept = made.controller
    reset = kept.find("job_templates", "Kafka Connect: reset")
    assert sorted(reset["lists"]["credentials"]) == [kept.find("credentials", name)["id"] for name in GIVEN["credentials"]]
    assert reset["execution_environment"] == kept.find("execution_environments", "Kafka Connect")["id"]
    assert kept.find("projects", "Kafka Connect")["scm_update_cache_timeout"] == 300
    assert kept.find("inventory_sources", "Kafka Connect")["update_cache_timeout"] == 300
    for table in ("projects", "inventories"):
        assert kept.find(table, "Kafka Connect")["description"]
    workflow = kept.find("workflow_job_templates", "Kafka Connect: reset workflow")
    every = kept.tables["workflow_job_template_nodes"].values()
    nodes = {one["identifier"]: one for one in every if one["workflow_job_template"] == workflow["id"]}
    assert nodes["apply"]["lists"]["success_nodes"] == [nodes["confirm"]["id"]] and nodes["apply"]["job_type"] == "run"
    approval = kept.tables["workflow_approval_templates"][nodes["approve"]["unified_job_template"]]
    assert approval["name"] == "Change the offsets as the check has shown?"


def spoil_survey(kept):
    kept.find("job_templates", "Kafka Connect: reset")["survey"]["spec"][0]["question_name"] = "Old"


def spoil_link(kept):
    """A way around the approval."""
    nodes = kept.tables["workflow_job_template_nodes"]
    check, apply = (next(one for one in nodes.values() if one["identifier"] == name) for name in ("check", "apply"))
    check["lists"]["always_nodes"].append(apply["id"])


def spoil_approval(kept):
    next(iter(kept.tables["workflow_approval_templates"].values()))["description"] = "Just say yes"


def spoil_node(kept):
    kept.find("workflow_job_template_nodes", "undo-canary")["limit"] = "all"


def spoil_credentials(kept):
    kept.find("job_templates", "Kafka Connect: verify")["lists"]["credentials"].pop()


def spoil_project(kept):
    kept.find("projects", "Kafka Connect")["scm_branch"] = "mine"


def spoil_environment(kept):
    kept.find("execution_environments", "Kafka Connect")["image"] = "localhost/old"


def spoil_inventory(kept):
    kept.find("inventories", "Kafka Connect")["description"] = ""


def spoil_source(kept):
    kept.find("inventory_sources", "Kafka Connect")["update_on_launch"] = False


def spoil_type(kept):
    kept.find("credential_types", "Kafka client")["injectors"]["env"].pop("KAFKA_SASL_USERNAME")


def spoil_notification(kept):
    kept.find("notification_templates", "Kafka Connect: webhook")["notification_configuration"]["password"] = "planted-secret"


def spoil_galaxy(kept):
    kept.find("organizations", "Kafka Connect")["lists"]["galaxy_credentials"].clear()


def spoil_template(kept):
    del kept.tables["job_templates"][kept.find("job_templates", "Kafka Connect: import")["id"]]


SPOILED = {
    spoil_survey: "Job template Kafka Connect: reset: changed (survey_spec)",
    spoil_link: "Workflow Kafka Connect: reset workflow: changed (workflow_nodes)",
    spoil_approval: "Workflow Kafka Connect: reset workflow: changed (workflow_nodes)",
    spoil_node: "Workflow Kafka Connect: rollout workflow: changed (workflow_nodes)",
    spoil_credentials: "Job template Kafka Connect: verify: changed (credentials)",
    spoil_project: "Project Kafka Connect: changed (scm_branch)",
    spoil_environment: "Execution environment Kafka Connect: changed (image)",
    spoil_inventory: "Inventory Kafka Connect: changed (description)",
    spoil_source: "Inventory source Kafka Connect: changed (update_on_launch)",
    spoil_type: "Credential type Kafka client: changed (injectors)",
    spoil_notification: "Notification Kafka Connect: webhook: changed (notification_configuration)",
    spoil_galaxy: "Organization Kafka Connect: changed (galaxy_credentials)",
    spoil_template: "Job template Kafka Connect: import: made",
}


def test_what_somebody_has_changed_is_put_right(setup):
    """All of it is found, and nothing else; and then all is as declared again."""
    for spoil in SPOILED:
        spoil(setup.controller)
    predicted = ok(setup.run("--check", "--diff"))
    assert setup.controller.written == []
    done = ok(setup.run("--diff"))
    assert set(done) == set(SPOILED.values())
    assert [line.replace("would be ", "") for line in predicted] == done
    assert ok(setup.run()) == []


def test_absent(setup):
    """In check mode, for good, and once more; the organization only if that is said."""
    count = len(ok(setup.first))
    assert len(ok(setup.run("--check", state="absent"))) == count - 1 and setup.controller.written == []
    assert len(ok(setup.run(state="absent"))) == count - 1
    assert setup.controller.find("organizations", "Kafka Connect") and not setup.controller.tables["job_templates"]
    assert ok(setup.run(state="absent")) == [] and setup.controller.written == []
    assert ok(setup.run(state="absent", remove_organization=True)) == ["Organization Kafka Connect: removed"]
    assert ok(setup.run("--check", state="absent", remove_organization=True)) == []


# ---- what cannot be done, in one sentence --------------------------------------------------------------------------------


def test_credential_types_with_credentials_stay(setup):
    client = setup.controller.find("credential_types", "Kafka client")
    setup.controller.add("credentials", name="brokers of eu", credential_type=client["id"])
    for options in ([], ["--check"]):
        assert refusal(setup.run(*options, state="absent")) == (
            "These credential types have credentials, and AWX keeps them as long: Kafka client has brokers of eu. "
            f"Delete these credentials, and run this again. {UNCHANGED}")
    assert setup.controller.written == []


def test_a_wrong_login(empty):
    assert refusal(empty.run(env={"CONTROLLER_OAUTH_TOKEN": "wrong"})) == (
        f"AWX at {empty.url} does not accept the login: the token (CONTROLLER_OAUTH_TOKEN) is wrong or has expired. "
        f"Give another one, and run this again. {UNCHANGED}")
    login = {"CONTROLLER_OAUTH_TOKEN": "", "CONTROLLER_USERNAME": "admin"}
    assert refusal(empty.run(env={**login, "CONTROLLER_PASSWORD": "wrong"})) == (
        f"AWX at {empty.url} does not accept the login: the user or the password (CONTROLLER_USERNAME, CONTROLLER_PASSWORD) is wrong. "
        f"Give another one, and run this again. {UNCHANGED}")
    assert len(ok(empty.run("--check", env={**login, "CONTROLLER_PASSWORD": "planted-password-77"}))) > 15
    assert refusal(empty.run(env=login)) == (
        "Set CONTROLLER_OAUTH_TOKEN, or CONTROLLER_USERNAME and CONTROLLER_PASSWORD, in the environment: "
        f"AWX at {empty.url} wants a login. {UNCHANGED}")


def test_no_administrator(empty):
    empty.controller.administrator = False
    assert refusal(empty.run()) == (
        f"The user ops of AWX at {empty.url} is no system administrator, and AWX lets only those create credential types. "
        "Give the login of a system administrator (CONTROLLER_OAUTH_TOKEN, or CONTROLLER_USERNAME and CONTROLLER_PASSWORD), "
        f"and run this again. {UNCHANGED}")


@pytest.mark.parametrize(("url", "reason"), [("http://127.0.0.1:9", "Connection refused"), ("https://nowhere.invalid", "nowhere.invalid")])
def test_awx_cannot_be_reached(empty, url, reason):
    said = refusal(empty.run(env={"CONTROLLER_HOST": url}))
    assert said.startswith(f"AWX at {url} cannot be reached: ") and reason in said
    assert said.endswith(f". Check CONTROLLER_HOST, and whether AWX runs. {UNCHANGED}")


def test_something_else_answers(empty):
    assert refusal(empty.run(env={"CONTROLLER_HOST": f"{empty.url}/elsewhere"})) == (
        f"{empty.url}/elsewhere has no me of AWX's API: is CONTROLLER_HOST the address of AWX? {UNCHANGED}")


def test_no_such_credential(empty):
    assert refusal(empty.run(credentials=["eu", "missing"])) == (
        f"AWX has no credential missing, which awx_setup_credentials names. Correct the name, or create it. {UNCHANGED}")
    assert refusal(empty.run(galaxy_credentials=["ours"])) == (
        f"AWX has no credential ours, which awx_setup_galaxy_credentials names. Correct the name, or create it. {UNCHANGED}")
    assert empty.controller.written == []


def test_no_image(empty):
    said = refusal(empty.run(execution_environment_image=""))
    assert said == (
        "No execution environment is given, and AWX's own image cannot run these jobs: it has ansible-core 2.15 and no confluent-kafka. "
        "Build that of extensions/ee (make image) and give its name as awx_setup_execution_environment_image, or name an execution "
        "environment that AWX has as awx_setup_execution_environment. If AWX's default is an image of your own that has all of it, set "
        f"awx_setup_default_image. {UNCHANGED}")
    assert len(ok(empty.run("--check", execution_environment_image="", default_image=True))) > 15


def test_the_project_cannot_be_fetched(empty):
    """What was made stays; with the right address the next run goes on."""
    url, said = "https://git.example.com/wrong.git", "fatal: repository 'https://git.example.com/wrong.git/' not found"
    empty.controller.broken[url] = f"Cloning into '/runner/project'...\n{said}\n"
    for _time in range(2):
        assert refusal(empty.run(project_scm_url=url)).startswith(
            f"The project Kafka Connect could not be {'changed' if _time else 'made'}: AWX cannot fetch {url}: {said}. "
            "Correct awx_setup_project_scm_url, or give the login that it needs as awx_setup_project_scm_credential. ")
    assert not empty.controller.tables["job_templates"]
    right = ok(empty.run("--check", project_scm_url="https://git.example.com/right.git"))
    assert right[0] == "Project Kafka Connect: would be changed (scm_url, status)"
    assert "Job template Kafka Connect: reset: would be made" in right


def test_no_address(empty):
    assert refusal(empty.run(login=False)) == (
        "Set CONTROLLER_HOST, and CONTROLLER_OAUTH_TOKEN, or CONTROLLER_USERNAME and CONTROLLER_PASSWORD, in the environment; "
        f"in AWX a credential of the type Red Hat Ansible Automation Platform does it. {UNCHANGED}")


def test_no_awx_awx(empty):
    assert refusal(empty.run(env={"ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false"})) == (
        'The collection awx.awx is not there: install it with "ansible-galaxy collection install awx.awx", or run this in an execution '
        f"environment that has it. {UNCHANGED}")


@pytest.mark.parametrize("options, host", [([], "localhost"), (["-i", "us,eu,"], "us"), (["-i", "us,eu,", "-l", "eu"], "eu")])
def test_it_runs_once_and_under_a_limit_too(empty, options, host):
    """A play on localhost would be skipped under a limit, and the job be green."""
    done = empty.run(*options, login=False)
    assert done.returncode == 2 and done.stdout.count("fatal: [") == 1, done.stdout
    assert f"fatal: [{host}]" in done.stdout and "Set CONTROLLER_HOST" in done.stdout
