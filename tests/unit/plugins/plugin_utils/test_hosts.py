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
