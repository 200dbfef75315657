# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _awx

TEMPLATE = {"name": "reset", "organization": "ours", "project": "code", "inventory": "clusters", "execution_environment": "", "credentials": ["eu", "us"],
            "job_type": "check", "diff_mode": True, "forks": 10, "survey_spec": {"name": "", "spec": [{"variable": "n", "default": 5, "required": False}]}}
LIVE = {"id": 7, "url": "/api/v2/job_templates/7/", "name": "reset", "job_type": "check", "diff_mode": True, "forks": 10, "job_tags": "", "organization": 1,
        "survey_spec": {"name": "", "spec": [{"variable": "n", "default": 5, "required": False}]}, "credentials": ["eu", "us"],
        **{name: False for name in _awx._OFF["job_template"] if name.startswith("ask_")},
        "summary_fields": {"organization": {"name": "ours"}, "project": {"name": "code"}, "inventory": {"name": "clusters"}}}
NODES = [
    {"identifier": "check", "unified_job_template": {"name": "reset", "type": "job_template"}, "job_type": "check",
     "related": {"success_nodes": [{"identifier": "approve"}]}},
    {"identifier": "approve", "unified_job_template": {"name": "Sure?", "description": "Look", "type": "workflow_approval"}}]
LIVE_NODES = [
    {"id": 4, "identifier": "approve", "summary_fields": {"unified_job_template": {
        "name": "Sure?", "description": "Look", "unified_job_type": "workflow_approval", "timeout": 0}},
     "success_nodes": [], "failure_nodes": [], "always_nodes": [], "extra_data": {}, "limit": None, "all_parents_must_converge": False},
    {"id": 3, "identifier": "check", "job_type": "check", "limit": "", "summary_fields": {"unified_job_template": {
        "name": "reset", "description": "of the template", "unified_job_type": "job"}}, "success_nodes": [4], "failure_nodes": [], "always_nodes": []}]


def declare(kind: str, **values) -> dict:
    (_kind, found), = _awx.declared({kind: [values]})
    return found


def test_what_is_made_first_is_removed_last():
    objects = {"job_template": [{"name": "b"}], "organization": [{"name": "a"}], "inventory": []}
    assert [(kind, values["name"]) for kind, values in _awx.declared(objects)] == [("organization", "a"), ("job_template", "b")]
    assert [kind for kind, _values in _awx.declared(objects, reverse=True)] == ["job_template", "organization"]


def test_as_declared():
    assert _awx.differences("job_template", declare("job_template", **TEMPLATE), LIVE) == {}


@pytest.mark.parametrize(("path", "value", "changed"), [
    ("job_type", "run", {"job_type": ("run", "check")}), ("diff_mode", False, {"diff_mode": (False, True)}), ("forks", 5, {"forks": (5, 10)}),
    ("ask_variables_on_launch", True, {"ask_variables_on_launch": (True, False)}), ("job_tags", "x", {"job_tags": ("x", "")}),
    ("summary_fields.inventory.name", "old", {"inventory": ("old", "clusters")}), ("summary_fields", {}, {
        "organization": ("", "ours"), "project": ("", "code"), "inventory": ("", "clusters")}),
    ("credentials", ["eu"], {"credentials": (["eu"], ["eu", "us"])}),
    ("survey_spec.spec.0.default", "5", {"survey_spec": ({"name": "", "spec": [{"variable": "n", "default": "5", "required": False}]},
                                                         TEMPLATE["survey_spec"])}),
    ("survey_spec.spec.0.required", 0, {"survey_spec": ({"name": "", "spec": [{"variable": "n", "default": 5, "required": 0}]}, TEMPLATE["survey_spec"])}),
    ("survey_spec", {}, {"survey_spec": ({}, TEMPLATE["survey_spec"])}),
])
def test_what_differs(path, value, changed):
    found = copy.deepcopy(LIVE)
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    target = found
    for step in steps:
        target = target[step]
    target[last] = value
    assert _awx.differences("job_template", declare("job_template", **TEMPLATE), found) == changed


@pytest.mark.parametrize("given", [{"forks": "10"}, {"diff_mode": "true"}, {"credentials": []}, {"inventory": ""}, {"description": None}])
def test_what_means_the_same_or_nothing(given):
    """Text for numbers and booleans, as templates of variables give it; empty names and lists."""
    assert _awx.differences("job_template", declare("job_template", **{**TEMPLATE, **given}), LIVE) == {}


@pytest.mark.parametrize(("shown", "declared", "same"), [
    ("$encrypted$", "secret", True), ("$encrypted$", "", False), ("", "", True), ("", "secret", False)])
def test_a_secret_that_awx_does_not_show(shown, declared, same):
    values = {"name": "hook", "organization": "", "notification_configuration": {"url": "u", "password": declared}}
    found = {"notification_configuration": {"url": "u", "password": shown}, "summary_fields": {}}
    changed = _awx.differences("notification_template", values, found)
    assert (changed == {}) is same
    if changed:
        assert _awx.diff("notification_template", "hook", changed, False)["before"] == {"notification_configuration": "(not shown)"}


def test_a_project():
    git = {"name": "code", "organization": "", "scm_type": "git", "scm_url": "u", "local_path": "", "credential": ""}
    live = {"scm_type": "git", "scm_url": "u", "local_path": "_8__code", "status": "successful", "summary_fields": {}}
    assert _awx.differences("project", git, live) == {}
    failed = _awx.differences("project", git, {**live, "status": "failed"})
    assert failed == {"status": ("failed", "successful")}
    assert _awx.arguments("project", git, live, failed) == {"name": "code", "organization": "", "scm_type": "git", "scm_url": "u", "update_project": True}
    manual = {**git, "scm_type": "manual", "local_path": "here"}
    assert _awx.differences("project", manual, {**live, "scm_type": "", "status": "ok"}) == {"local_path": ("_8__code", "here")}


def test_nodes_as_declared():
    flow = {"name": "flow", "organization": "", "workflow_nodes": NODES}
    live = {"workflow_nodes": LIVE_NODES, "summary_fields": {}}
    assert _awx.differences("workflow_job_template", flow, live) == {}


@pytest.mark.parametrize("change", [
    lambda nodes: nodes[0]["summary_fields"]["unified_job_template"].update(description="Just say yes"),
    lambda nodes: nodes[0]["summary_fields"]["unified_job_template"].update(timeout=60),
    lambda nodes: nodes[1]["summary_fields"]["unified_job_template"].update(name="other"),
    lambda nodes: nodes[1].update(job_type="run"), lambda nodes: nodes[1].update(limit="eu"), lambda nodes: nodes[1].update(extra_data={"a": "1"}),
    lambda nodes: nodes[1].update(success_nodes=[]), lambda nodes: nodes[1].update(always_nodes=[4]),
    lambda nodes: nodes[0].update(all_parents_must_converge=True), lambda nodes: nodes[0].update(identifier="other"), lambda nodes: nodes.pop(0),
    lambda nodes: nodes.append({**nodes[0], "id": 9, "identifier": "more"})])
def test_nodes_that_differ(change):
    """The module of awx.awx takes neither nodes nor links away, so that all are made again."""
    flow, nodes = declare("workflow_job_template", name="flow", organization="", workflow_nodes=NODES), copy.deepcopy(LIVE_NODES)
    change(nodes)
    live = {"workflow_nodes": nodes, "summary_fields": {}, **_awx._OFF["workflow_job_template"]}
    changed = _awx.differences("workflow_job_template", flow, live)
    assert list(changed) == ["workflow_nodes"]
    given = _awx.arguments("workflow_job_template", flow, live, changed)
    assert given["destroy_current_nodes"] and given["workflow_nodes"] == NODES


def test_nodes_are_left_alone_where_something_else_differs():
    flow = declare("workflow_job_template", name="flow", organization="", description="new", workflow_nodes=NODES)
    given = _awx.arguments("workflow_job_template", flow, {"id": 1}, {"description": ("", "new")})
    assert "workflow_nodes" not in given and "destroy_current_nodes" not in given and given["description"] == "new"
    assert "destroy_current_nodes" not in _awx.arguments("workflow_job_template", flow, None, {"workflow_nodes": (None, {})})


def test_what_has_to_be_there():
    listed = _awx.declared({"organization": [{"name": "ours", "galaxy_credentials": ["galaxy"]}], "project": [{
        "name": "code", "organization": "ours", "credential": "git"}], "job_template": [TEMPLATE]})
    assert _awx.references(listed) == {("credentials", "galaxy"): "galaxy_credentials", ("credentials", "git"): "credential",
                                       ("credentials", "eu"): "credentials", ("credentials", "us"): "credentials", ("inventories", "clusters"): "inventory"}


def test_a_search():
    assert _awx.search("inventory_source", {"name": "s", "inventory": "i", "organization": "o"}) == {
        "name": "s", "inventory__name": "i", "inventory__organization__name": "o"}
    assert _awx.search("credential_type", {"name": "t", "kind": "cloud"}) == {"name": "t"}


def test_lines():
    changed = {"forks": (1, 2), "description": ("", "x")}
    assert _awx.line("job_template", "reset", "change", changed, False) == "Job template reset: changed (description, forks)"
    assert _awx.line("inventory", "clusters", "make", {}, True) == "Inventory clusters: would be made"
    assert _awx.diff("inventory", "clusters", {"description": (None, "x")}, True) == {
        "before_header": "inventory clusters", "after_header": "inventory clusters", "before": {}, "after": {"description": "x"}}
