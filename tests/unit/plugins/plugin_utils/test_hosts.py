# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the variables of a host say of its cluster."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _hosts

PLAN = {"run": "1", "predicted": ["p"], "cluster": {"kafka_cluster_id": "k"}, "entries": [{"name": "a", "change_id": "C"}, {"name": "b", "change_id": None}],
        "ledgers": ["the topic t", "the topic t"]}


@pytest.mark.parametrize(("variables", "found"), [
    ({}, {"refused": "", "predicted": None, "results": None, "failure": None, "cluster": None, "missing": []}),
    ({"reset_offsets__plan": {"skipped": True}}, {"refused": "", "predicted": None, "results": None, "failure": None}),
    ({"reset_offsets__plan": {"msg": "no", "failed_connectors": {"x": "no"}}}, {"refused": "no", "predicted": None, "missing": ["x"]}),
    ({"reset_offsets__plan": PLAN}, {"refused": "", "predicted": ["p"], "results": None, "cluster": {"kafka_cluster_id": "k"}}),
    ({"reset_offsets__plan": PLAN, "reset_offsets__change": {"run": "1", "results": ["r"]}}, {"results": ["r"], "failure": None}),
    ({"reset_offsets__plan": PLAN, "reset_offsets__change": {"run": "1", "results": [], "msg": "no", "batch": ["h"]}},
     {"results": [], "failure": {"batch": ["h"], "reason": "no"}}),
    ({"reset_offsets__plan": PLAN, "reset_offsets__change": {"msg": "it crashed"}}, {"results": None, "failure": {"batch": [], "reason": "it crashed"}}),
    ({"reset_offsets__plan": PLAN, "reset_offsets__change": {"run": "0", "results": ["r"], "msg": "no"}}, {"results": None, "failure": None}),
    ({"reset_offsets__plan": PLAN, "fleet__begun": {"playbook": "reset_offsets", "empty": True}}, {"predicted": [], "results": []}),
    ({"reset_offsets__plan": PLAN, "fleet__begun": {"playbook": "restore_offsets", "empty": True}}, {"predicted": ["p"]}),
])
def test_what_is_known_of_a_host(variables, found):
    assert {name: _hosts.known(variables, "reset_offsets")[name] for name in found} == found


def test_what_tells_it_apart():
    assert _hosts.identity({"reset_offsets__plan": PLAN, "kafka_connect_group": "g"}, "h", None) == {
        "host": "h", "cluster": {"kafka_cluster_id": "k"}, "group": "g", "changes": [["the topic t", "a", "C"]]}
    assert _hosts.identity({}, "h", {"kafka_cluster_id": "l"}) == {"host": "h", "cluster": {"kafka_cluster_id": "l"}, "group": "", "changes": []}


def test_a_rollout_goes_on_unless_another_batch_has_failed():
    settings = {"max_fail_percentage": 0.0}
    fine, failed = {"reset_offsets__plan": PLAN}, {"reset_offsets__plan": PLAN, "reset_offsets__change": {"run": "1", "msg": "no", "batch": ["a"]}}
    assert _hosts.goes({"a": fine, "b": fine}, ["a", "b"], ["a", "b"], ["b"], settings)
    assert not _hosts.goes({"a": failed, "b": fine}, ["a", "b"], ["a", "b"], ["b"], settings)
    assert _hosts.goes({"a": failed, "b": fine}, ["a", "b"], ["a", "b"], ["a", "b"], settings)  # of the same batch
    assert not _hosts.goes({"a": fine, "b": fine}, ["a", "b"], ["b"], ["b"], settings)  # given up


def ready(offset: int = 1, **variables) -> dict:
    declared = {"a": {"fields": {}, "digest": str(offset), "offsets": {"{}": {"n": offset}}, "more": 0, "is_begun": False}}
    return {"reset_offsets__plan": dict(PLAN, predicted=[], declared=declared), **variables}


SETTINGS = {"playbook": "reset_offsets", "order": ["b", "a"], "canary": ["b"], "expect_tolerance": 0}


def test_a_run_that_is_what_its_dry_run_has_shown():
    hosts = {"a": ready(), "b": ready()}
    approval = _hosts.approval(hosts, ["a", "b"], ["b"])
    assert approval["canary"] == ["b"] and list(approval["clusters"]) == ["a", "b"] and approval["revision"] == ""
    for given in ({"given": approval["digest"]}, {"artifact": {"playbook": "reset_offsets", "approval": approval}},
                  {"given": approval, "artifact": {"playbook": "restore_offsets"}}):
        found = _hosts.expected(hosts, ["a", "b"], ["a", "b"], SETTINGS, given, "a")
        assert found == {"error": "", "warnings": [], "approved": {"cluster": approval["clusters"]["a"], "tolerance": 0}}
    assert _hosts.expected(hosts, ["a", "b"], ["a", "b"], SETTINGS, {"given": ""}, "a") == {"error": "", "warnings": [], "approved": None}


@pytest.mark.parametrize(("hosts", "given", "words"), [
    ({"a": ready(2), "b": ready()}, "artifact", 'a: the offset declared for {} is {"n": 2}, but the dry run showed {"n": 1}'),
    ({"a": ready(2), "b": ready()}, "given", "the digest is"),
    ({"a": ready(), "b": ready(awx_project_revision="r2")}, "artifact", "the source revision is r2, but the dry run showed not given"),
    ({"a": ready(), "b": ready()}, "typo", "reset_offsets_expect cannot be used: typo is neither"),
])
def test_a_run_that_is_not(hosts, given, words):
    """Both are refused: the one that differs, or the first one, says why."""
    approval = _hosts.approval({"a": ready(), "b": ready()}, ["b", "a"], ["b"])
    expect = {"artifact": {"artifact": {"playbook": "reset_offsets", "approval": approval}}, "given": {"given": approval["digest"]}}
    expect = expect.get(given, {"given": given})
    errors = [_hosts.expected(hosts, ["a", "b"], ["a", "b"], SETTINGS, expect, host)["error"] for host in "ab"]
    assert sum(words in error for error in errors) == 1 and all("Nothing was changed." in error for error in errors), errors


def test_nothing_is_changed_where_one_is_not_approved():
    """Not even with skip_unready, which leaves out what is refused for another reason."""
    begun = {"playbook": "reset_offsets", "hosts": ["a", "b"], "refused": "no"}
    predicted = [{"todo": True, "connector": "a", "changed": True, "already_applied": False, "position": None,
                  "verification": None, "change_id": None, "method": "rest",
                  "counts": {"set": 1, "remove": 0, "keep": 0}, "actions": [], "state_before": "started", "state": "started"}]
    hosts = {"a": {"fleet__begun": dict(begun, unapproved=False)}, "b": {"fleet__begun": dict(begun, refused=""), **ready()}}
    hosts["b"]["reset_offsets__plan"]["predicted"] = predicted
    settings = dict(SETTINGS, skip_unready=True, allow_same_cluster=False)
    assert _hosts.due(hosts, settings) == ["b"]
    hosts["a"]["fleet__begun"]["unapproved"] = True
    assert _hosts.due(hosts, settings) == []
