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
    ({"fleet__compared": {"playbook": "reset_offsets", "refused": {"h": "no"}, "unapproved": ["h"]}}, {"refused": "no", "unapproved": True}),
    ({"fleet__compared": {"playbook": "reset_offsets", "refused": {"i": "no"}, "unapproved": ["i"]}}, {"refused": "", "unapproved": False}),
    ({"fleet__compared": {"playbook": "restore_offsets", "refused": {"h": "no"}, "unapproved": ["h"]}}, {"refused": "", "unapproved": False}),
    ({"fleet__begun": {"playbook": "reset_offsets", "compared": {"refused": {"h": "no"}}}}, {"refused": "no"}),
    # of the same playbook, before, with several hosts
    ({"fleet__compared": {"playbook": "reset_offsets", "refused": {"h": "then"}},
      "fleet__begun": {"playbook": "reset_offsets", "compared": {"refused": {"h": "now"}}}}, {"refused": "now"}),
])
def test_what_is_known_of_a_host(variables, found):
    assert {name: _hosts.known(variables, "reset_offsets", "h")[name] for name in found} == found


def test_what_tells_it_apart():
    assert _hosts.identity({"reset_offsets__plan": PLAN, "kafka_connect_group": "g"}, "h", None) == {
        "host": "h", "cluster": {"kafka_cluster_id": "k"}, "group": "g", "changes": [["the topic t", "a", "C"]]}
    assert _hosts.identity({}, "h", {"kafka_cluster_id": "l"}) == {"host": "h", "cluster": {"kafka_cluster_id": "l"}, "group": "", "changes": []}


def test_a_rollout_goes_on_unless_another_batch_has_failed():
    settings = {"max_fail_percentage": 0.0, "serial": [1]}
    fine, failed = {"reset_offsets__plan": PLAN}, {"reset_offsets__plan": PLAN, "reset_offsets__change": {"run": "1", "msg": "no", "batch": ["a"]}}
    assert _hosts.goes({"a": fine, "b": fine}, ["a", "b"], ["a", "b"], ["b"], settings)
    assert not _hosts.goes({"a": failed, "b": fine}, ["a", "b"], ["a", "b"], ["b"], settings)
    assert _hosts.goes({"a": failed, "b": fine}, ["a", "b"], ["a", "b"], ["a", "b"], settings)  # of the same batch
    assert not _hosts.goes({"a": fine, "b": fine}, ["a", "b"], ["b"], ["b"], settings)  # given up
    left_out = {"reset_offsets__plan": PLAN, "reset_offsets__change": {"changed": False, "skipped": True}}
    assert not _hosts.goes({"a": failed, "b": left_out, "c": fine}, ["a", "b", "c"], ["a", "b", "c"], ["c"], settings)


@pytest.mark.parametrize(("serial", "read"), [([1], ["d"]), ([2, 1], ["c", "d"]), (["34%"], ["c", "d"]), (["1", "50%"], ["b", "c", "d"]),
                                              (["100%"], ["a", "b", "c", "d"])])
def test_what_one_batch_asks_does_not_grow_with_the_batches_before(serial, read):
    """They have passed, or the one before was left out. At least the whole batch before is read: e is at the beginning of one, whatever the sizes."""
    class Hosts(dict):
        def __getitem__(self, host):
            asked.append(host)
            return dict.__getitem__(self, host)

    asked = []
    hosts = list("abcdef")
    assert _hosts.goes(Hosts(dict.fromkeys(hosts, {})), hosts, hosts, ["e", "f"], {"max_fail_percentage": 0.0, "serial": serial})
    assert asked[::-1] == read


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
        found = _hosts.expected(hosts, ["a", "b"], ["a", "b"], SETTINGS, given)
        shown = {host: {"cluster": approval["clusters"][host], "tolerance": 0} for host in "ab"}
        assert found == {"errors": {}, "warnings": [], "approved": shown}
    assert _hosts.expected(hosts, ["a", "b"], ["a", "b"], SETTINGS, {"given": ""}) == {"errors": {}, "warnings": [], "approved": {}}


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
    errors = _hosts.expected(hosts, ["a", "b"], ["a", "b"], SETTINGS, expect)["errors"]
    assert sorted(errors) == ["a", "b"] and sum(words in error for error in errors.values()) == 1, errors
    assert all("Nothing was changed." in error for error in errors.values()), errors


PREDICTED = [{"todo": True, "connector": "a", "changed": True, "already_applied": False, "position": None, "verification": None, "change_id": None,
              "method": "rest", "counts": {"set": 1, "remove": 0, "keep": 0}, "actions": [], "state_before": "started", "state": "started"}]


def test_nothing_is_changed_where_one_is_not_approved():
    """Not even with skip_unready, which leaves out what is refused for another reason."""
    compared = {"playbook": "reset_offsets", "hosts": ["a", "b"], "refused": {"a": "no"}, "unapproved": []}
    hosts = {"a": {"fleet__compared": compared}, "b": {"fleet__compared": compared, **ready()}}
    hosts["b"]["reset_offsets__plan"]["predicted"] = PREDICTED
    settings = dict(SETTINGS, skip_unready=True)
    assert _hosts.due(hosts, settings) == ["b"]
    assert _hosts.due(hosts, dict(settings, skip_unready=False)) == []
    compared["unapproved"] = ["a"]
    assert _hosts.due(hosts, settings) == []


class Read(dict):
    """Variables of hosts; reads: how often those of a host were asked for."""

    reads = 0

    def __getitem__(self, host):
        self.reads += 1
        return super().__getitem__(host)


def test_all_clusters_are_compared_once():
    """The number of reads grows with the number of hosts, not with its square: each read costs Ansible a fraction of a millisecond."""
    settings = dict(SETTINGS, allow_same_cluster=False, skip_unready=True)
    counts = {}
    for count in (10, 100):
        names = [f"h{number}" for number in range(count)]
        hosts = Read({name: {"fleet__begun": {"playbook": "reset_offsets", "refused": ""}, **ready()} for name in names})
        for number, name in enumerate(names):
            own = dict(hosts[name]["reset_offsets__plan"], cluster={"kafka_cluster_id": f"k{number // 2}", "workers": [f"w{number // 2}"]}, predicted=PREDICTED)
            dict.__getitem__(hosts, name)["reset_offsets__plan"] = own
        hosts.reads = 0
        compared = _hosts.compared(hosts, names, names, dict(settings, order=names), {}, True)
        assert sorted(compared["refused"]) == sorted(names) and "h0 and h1 are the same Connect cluster" in compared["refused"]["h1"]
        for name in names:
            dict.__getitem__(hosts, name)["fleet__compared"] = compared
        assert _hosts.due(hosts, dict(settings, order=names)) == []
        counts[count] = hosts.reads
    assert counts[100] <= 10 * counts[10] <= 10 * 4 * 10


def test_what_the_dry_run_has_shown_of_a_host():
    compared = {"playbook": "reset_offsets", "approved": {"h": {"cluster": {}, "tolerance": 1}}}
    assert _hosts.approved({"fleet__compared": compared}, "reset_offsets", "h") == {"cluster": {}, "tolerance": 1}
    assert _hosts.approved({"fleet__compared": compared}, "reset_offsets", "i") == {}
    assert _hosts.approved({"fleet__begun": {"playbook": "reset_offsets", "compared": compared}}, "reset_offsets", "h") == {"cluster": {}, "tolerance": 1}
    assert _hosts.approved({}, "reset_offsets", "h") == {}
