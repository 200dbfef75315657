# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role awx_setup would make in AWX: AWX takes it, the playbooks take it, and it is safe."""

from __future__ import annotations

import copy
import json
import re

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import connection_options
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._reset import declared
from jinja2 import ChainableUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tests.awx.data import ROOT, options_of
from tests.awx.rules import credential_type_problems, injected, survey_problems, template_problems, workflow_problems

QUESTION = {"type": "text", "question_name": "Name", "variable": "name", "required": False, "min": 0, "max": 10, "default": ""}
CHOICE = {"type": "multiplechoice", "question_name": "Name", "variable": "name", "required": False, "choices": ["true", "false"],
          "default": "true"}
NUMBER = {"type": "integer", "question_name": "Name", "variable": "name", "required": False, "min": 0, "max": 10, "default": 5}


@pytest.mark.parametrize("base, change, said", [
    (QUESTION, {"type": "boolean"}, "unknown type"), (QUESTION, {"type": "list"}, "unknown type"),
    (QUESTION, {"variable": "my name"}, "no name of a variable"), (QUESTION, {"variable": ""}, "variable is no text"),
    (QUESTION, {"required": "yes"}, "required is no boolean"), (QUESTION, {"default": 5}, "default is no text"),
    (QUESTION, {"default": ["a"]}, "default is no text"), (QUESTION, {"default": "a" * 11}, "too long"),
    (QUESTION, {"min": "0"}, "min is no whole number"), (QUESTION, {"max": 1.5}, "max is no whole number"),
    (QUESTION, {"min": True}, "min is no whole number"), (QUESTION, {"min": 20}, "min is more than max"),
    (QUESTION, {"requried": False}, "AWX knows no requried"), (QUESTION, {"choices": ["a"]}, "nothing to choose from"),
    (QUESTION, {"required": True}, "empty default of what is required"),
    (CHOICE, {"choices": []}, "no list of texts"), (CHOICE, {"choices": [True, False]}, "no list of texts"),
    (CHOICE, {"default": "maybe"}, "not among the choices"), (CHOICE, {"default": True}, "default is no text"),
    (CHOICE, {"type": "multiselect", "default": "true\nmaybe"}, "not among the choices"),
    (NUMBER, {"default": "5"}, "default is no number"), (NUMBER, {"default": 11}, "out of range"), (NUMBER, {"default": 5.5}, "no number"),
])
def test_a_survey_that_awx_or_a_user_would_trip_over(base, change, said):
    good = {"name": "", "description": "", "spec": [base]}
    assert survey_problems(good) == []
    found = survey_problems({**good, "spec": [{**base, **change}]})
    assert any(said in text for text in found), found


def test_a_survey_as_a_whole():
    assert survey_problems({"name": "", "spec": [QUESTION]}) == ["description is no text"]
    assert survey_problems({"name": "", "description": "", "spec": []}) == ["spec is no list with questions"]
    twice = survey_problems({"name": "", "description": "", "spec": [QUESTION, QUESTION]})
    assert twice == ["variable name is asked for twice", "two questions are called Name"]


TYPE = {"name": "one", "kind": "cloud",
        "inputs": {"fields": [{"id": "a", "type": "string", "label": "A"}, {"id": "b", "type": "boolean", "label": "B"}]},
        "injectors": {"env": {"A": "{{ a }}", "F": "{{ tower.filename.f if a else '' }}"}, "file": {"template.f": "{{ a }}"}}}


@pytest.mark.parametrize("path, value, said", [
    ("kind", "vault", "neither cloud nor net"), ("inputs.fields.1.default", True, "false if nobody touches it"),
    ("inputs.fields.0.id", "tower", "no name of a field"), ("inputs.fields.0.id", "b", "there twice"),
    ("inputs.fields.0.type", "integer", "type integer"), ("inputs.fields.1.secret", True, "secret of a boolean"),
    ("inputs.fields.0.format", "email", "format email"), ("inputs.fields.0.choises", [], "AWX knows no choises"),
    ("inputs.required", ["c"], "no field: c"),
    ("injectors.env.ANSIBLE_X", "", "cannot be set"), ("injectors.env.PATH", "", "cannot be set"),
    ("injectors.env.A", "{{ c }}", "an injector fails"), ("injectors.env.A", "{{ a", "an injector fails"),
    ("injectors.env.F", "{{ tower.filename.f }}", "of an empty field"),
    ("injectors.env.F", "{{ tower.filename.g if a else '' }}", "an injector fails"),
    ("injectors.file.template", "x", "mixed"), ("injectors.extra_vars", {"p": "{{ a }}"}, "a launch can override"),
])
def test_a_credential_type_that_awx_or_a_user_would_trip_over(path, value, said):
    assert credential_type_problems(TYPE) == []
    wrong = copy.deepcopy(TYPE)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    target = wrong
    for step in steps:
        target = target[step]
    target[last] = value
    found = credential_type_problems(wrong)
    assert any(said in text for text in found), found


def test_surveys_are_those_that_awx_takes(data):
    assert set(data["awx_setup_surveys"]) == {"report", "changes", "reset", "workflow", "confirm", "undo", "verify", "export", "import"}
    assert {name: survey_problems(survey) for name, survey in data["awx_setup_surveys"].items() if survey_problems(survey)} == {}


def test_the_example_of_a_change_can_be_used(data):
    question, = (one for one in data["awx_setup_surveys"]["reset"]["spec"] if one["variable"] == "reset_offsets_connectors")
    example = question["question_description"]
    found = declared(example[example.index("[{"):])
    assert found["error"] == "" and found["connectors"][0]["offsets"]


def test_credential_types_are_those_that_awx_takes(data):
    types = data["controller_credential_types"]
    assert [one["name"] for one in types] == ["Kafka Connect REST", "Kafka client", "Kafka Connect report store"]
    assert [text for one in types for text in credential_type_problems(one)] == []


def test_templates_and_workflows_are_safe(data):
    templates = {one["name"]: one for one in data["controller_templates"]}
    assert [text for one in templates.values() for text in template_problems(one)] == []
    assert [text for one in data["controller_workflows"] for text in workflow_problems(one, templates)] == []
    asks = {**templates["Kafka Connect: reset"], "ask_variables_on_launch": True}
    assert template_problems(asks) == ["Kafka Connect: reset: a launch can send the secrets anywhere"]
    # What changes something is confirmed by a person first, and undone if it fails.
    for one in data["controller_workflows"]:
        nodes = {node["identifier"]: node for node in one["workflow_nodes"]}
        for name, node in nodes.items():
            if node.get("job_type") == "run" and node["unified_job_template"]["name"].endswith("reset"):
                parents = [other for other in nodes.values() if {"identifier": name} in other.get("related", {}).get("success_nodes", [])]
                assert [other["unified_job_template"]["type"] for other in parents] == ["workflow_approval"], name
                assert node["related"]["failure_nodes"], name
            if node["unified_job_template"]["name"].endswith("undo"):
                # Else a workflow that has undone its change would be green, and a lost cluster would keep the others from being undone.
                assert node["extra_data"] == {"restore_offsets_fail": "true", "restore_offsets_skip_unready": "true"}, name


def test_a_workflow_that_cannot_work(data):
    templates = {one["name"]: one for one in data["controller_templates"]}
    rollout = data["controller_workflows"][1]

    def wrong(change):
        item = copy.deepcopy(rollout)
        change(item, {node["identifier"]: node for node in item["workflow_nodes"]})
        return " ".join(workflow_problems(item, templates))

    assert "the workflow's limit would override" in wrong(lambda item, nodes: item.update(ask_limit_on_launch=True))
    assert "no node nowhere" in wrong(lambda item, nodes: nodes["rest"]["related"]["success_nodes"].append({"identifier": "nowhere"}))
    assert "it begins with" in wrong(lambda item, nodes: nodes["check"]["related"].clear())
    assert "x is in no survey" in wrong(lambda item, nodes: nodes["undo-all"]["extra_data"].update(x="1"))
    assert "nobody answers verify_replay_expectation" in wrong(
        lambda item, nodes: nodes["rest"]["unified_job_template"].update(name="Kafka Connect: verify"))


def test_every_template_has_its_playbook_which_awx_lists(data):
    for one in data["controller_templates"]:
        text = (ROOT / one["playbook"]).read_text()
        assert re.search(r"^\s?(- )?\s*(hosts|import_playbook):", text, re.MULTILINE), one["playbook"]


def test_every_question_is_one_that_the_playbook_takes(data):
    for template in data["controller_templates"]:
        known = options_of(ROOT / template["playbook"])
        for question in template["survey_spec"]["spec"]:
            name, kind = question["variable"], question["type"]
            assert name in known, f"{template['playbook']} takes no {name}"
            spec = known[name]
            if "choices" in spec:
                assert set(question.get("choices", ())) <= set(spec["choices"]) and "" in spec["choices"], name
            # Text is all that a survey has for lists, dictionaries and booleans; the playbooks read lists from text.
            assert spec.get("type", "raw") in {"integer": ("int", "raw"), "text": ("str", "raw", "path", "list"),
                                               "textarea": ("str", "raw", "list"), "multiplechoice": ("str", "raw")}[kind], name


def test_what_the_file_of_a_change_can_say_has_no_default(data):
    """AWX sends a default as if it were an answer, and it would beat what somebody has reviewed."""
    questions = [question for question in data["awx_setup_surveys"]["reset"]["spec"] if question["variable"].startswith("reset_offsets_")]
    assert len(questions) > 4 and [one["variable"] for one in questions if one.get("default")] == []


def test_every_variable_of_a_credential_is_one_that_something_reads(data):
    read = {spec["fallback"][1][0] for spec in connection_options().values() if "fallback" in spec}
    for file in (ROOT / "plugins" / "modules").glob("*.py"):
        read |= set(re.findall(r'from_environment\("(\w+)"', file.read_text()))
    for one in data["controller_credential_types"]:
        assert set(one["injectors"]["env"]) <= read, one["name"]
    # Addresses are the inventory's: one in the environment would be that of every host.
    names = {key for one in data["controller_credential_types"] for key in one["injectors"]["env"]}
    assert not names & {"KAFKA_CONNECT_URL", "KAFKA_BOOTSTRAP_SERVERS"}


def test_every_secret_is_marked(data):
    for one in data["controller_credential_types"]:
        secret = {field["id"] for field in one["inputs"]["fields"] if field.get("secret")}
        assert secret == {field["id"] for field in one["inputs"]["fields"]} & {"password", "token", "client_key", "key", "key_password"}


def test_what_a_job_gets_of_a_credential(data):
    rest = data["controller_credential_types"][0]
    env, files = injected(rest, {})
    assert set(env.values()) == {""}  # all of it unset, TLS verified
    assert set(files.values()) == {""}  # which AWX makes, and nothing names
    assert injected(rest, {"skip_tls_verification": "False"})[0]["KAFKA_CONNECT_VALIDATE_CERTS"] == ""
    assert injected(rest, {"skip_tls_verification": True})[0]["KAFKA_CONNECT_VALIDATE_CERTS"] == "False"
    env, files = injected(rest, {"username": "ops", "password": "p{{ 1 }}w", "ca": "PEM"})
    assert env["KAFKA_CONNECT_USERNAME"] == "ops" and env["KAFKA_CONNECT_PASSWORD"] == "p{{ 1 }}w"
    assert files[env["KAFKA_CONNECT_CA_PATH"]] == "PEM" and env["KAFKA_CONNECT_CLIENT_KEY"] == ""


def test_a_workflow_is_announced_once(data):
    """Its end; what its jobs and questions would say besides is a matter of awx_setup_notifications."""
    fields = [f"notification_templates_{event}" for event in ("started", "success", "error", "approvals")]
    hook = [data["controller_notifications"][0]["name"]]
    assert [[one.get(field, []) for field in fields] for one in data["controller_templates"]] == [[[], [], [], []]] * 8
    assert [[one.get(field, []) for field in fields] for one in data["controller_workflows"]] == [[[], hook, hook, []]] * 2


def test_a_confirmation_asks_for_nothing_that_it_does_not_use(data):
    asked = {name: {one["variable"] for one in data["awx_setup_surveys"][name]["spec"]} for name in ("reset", "workflow", "confirm")}
    assert not asked["confirm"] - asked["reset"] and not asked["confirm"] - asked["workflow"]
    # A job alone is given the digest of its check, which has no tolerance; a workflow passes on all that the check has shown.
    assert asked["reset"] - asked["confirm"] == {"reset_offsets_wait_timeout", "reset_offsets_expect"}
    assert asked["workflow"] - asked["confirm"] == {"reset_offsets_wait_timeout", "reset_offsets_expect_tolerance"}


def test_messages_are_json(data):
    environment = ImmutableSandboxedEnvironment(undefined=ChainableUndefined)
    known = {"job": {"id": 7, "name": "Kafka Connect: reset", "status": "failed"}, "url": "https://awx.example.com/#/jobs/7",
             "job_friendly_name": "Job", "approval_node_name": "Change?", "approval_status": "approved", "workflow_url": "https://awx.example.com/"}
    messages = data["controller_notifications"][0]["messages"]
    for message in [messages["started"], messages["success"], messages["error"], *messages["workflow_approval"].values()]:
        assert "status" in json.loads(environment.from_string(message["body"]).render(**known))
        assert "\n" not in message["message"]
    error = json.loads(environment.from_string(messages["error"]["body"]).render(**known))
    assert error == {"id": 7, "name": "Kafka Connect: reset", "status": "failed", "url": "https://awx.example.com/#/jobs/7"}


def test_the_repository_is_a_project():
    """AWX installs the collection from the checkout, since it cannot pick the playbooks of a collection."""
    text = (ROOT / "collections" / "requirements.yml").read_text()
    assert re.search(r"^collections:\n  - name: \.\n    type: dir$", text, re.MULTILINE)
