# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role mirror_reset: its variables, and what verify_replay has to compare."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _mirror_reset
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._mirror_reset import expectation, names, next_step, obstacle, result, settings

ROOT = Path(_mirror_reset.__file__).resolve().parents[2]
VERIFY = {"quiet": 10, "wait": 600, "by": "payload", "same_partitions": True, "max_missing": 0, "max_extra": 0, "max_repeated": 0}
EAST = {"bootstrap_servers": "e:9092", "security_protocol": "PLAINTEXT"}
ANY = 9007199254740991


def boundary(*partitions, target="east.orders", cluster="known", change_id="CHG-1") -> dict:
    """Of the topic orders; partitions: (next, end, boundary)."""
    found = {str(number): dict(zip(("next", "end", "boundary"), one, strict=True)) for number, one in enumerate(partitions or [(2, 5, 7)])}
    return {"mirror": "east->west", "source": "east", "source_cluster": EAST if cluster == "known" else cluster, "change_id": change_id,
            "topics": {"orders": {"target": target, "connector": "c", "partitions": found}}}


def bounds(start, end) -> dict:
    return {"start": start, "boundary": start, "end": end}


def flow(*ends) -> dict:
    return {"partitions": [{"topic": "orders", "partition": number, "end": end} for number, end in enumerate(ends)]}


@pytest.mark.parametrize("given, found", [
    (["a", " b ", "a", ""], ["a", "b"]), ("a, b,,a", ["a", "b"]), ('["a", "b"]', ["a", "b"]), ("", []), (None, []), ([], []), ([7], ["7"]),
])
def test_names(given, found):
    assert names(given) == found


@pytest.mark.parametrize("given, found", [
    (False, None), ("", None), (None, None), ("false", None), (True, VERIFY), ("yes", VERIFY),
    ({"quiet": "3", "same_partitions": "no"}, {**VERIFY, "quiet": 3, "same_partitions": False}),
    ('{"by": "key", "max_extra": 2}', {**VERIFY, "by": "key", "max_extra": 2}),
])
def test_what_is_to_be_verified(given, found):
    assert settings(given, False, "all", "") == {"verify": found, "problem": None}


@pytest.mark.parametrize("given", [{"speed": 1}, {"quiet": "soon"}, "maybe", [1]])
def test_a_verification_that_cannot_be_read(given):
    found = settings(given, False, "all", "")
    assert found["problem"].startswith("mirror_reset_verify is true, false or a dictionary with quiet, wait, by, same_partitions,"), found


@pytest.mark.parametrize("offset_syncs, phase, path, words", [
    ("tombstones", "all", "", "mirror_reset_offset_syncs is true or false, not tombstones"),
    ("true", "finish", "/b.json", "mirror_reset_offset_syncs cannot go with mirror_reset_phase: finish"),
    ("", "finish", "", "mirror_reset_phase: finish needs mirror_reset_boundary_file"),
    ("", "finish", "/b.json", None), ("true", "all", "", None), (None, "all", "", None),
])
def test_what_does_not_fit_together(offset_syncs, phase, path, words):
    problem = settings(False, offset_syncs, phase, path)["problem"]
    assert problem is None if words is None else problem.startswith(words), problem


@pytest.mark.parametrize("found, options, words", [
    (boundary(), {}, None), (boundary(), None, None),
    (boundary(target=None), {}, "How east->west calls its copies is not known"),
    (boundary(cluster=None), {}, "For mirror_reset_verify it has to be known how to reach the source east"),
    (boundary(cluster={**EAST, "security_protocol": "SASL_SSL"}), {"west": {}}, "The source east requires a login or TLS"),
    (boundary(cluster={**EAST, "security_protocol": "SASL_SSL"}), {"east": {}}, None),
])
def test_an_obstacle(found, options, words):
    reason = obstacle(found, options)
    assert reason is None if words is None else reason.startswith(words), reason


def test_what_came_to_the_copy_is_compared_with_the_source_from_the_new_position_on():
    found = expectation(boundary((2, 5, 7), (0, 4, 0)), VERIFY, "main", [flow(5, 4)], [
        {"name": "east.orders", "partitions": [{"partition": 0, "end": 10}, {"partition": 1, "end": 4}, {"partition": 2, "end": 3}]}])
    assert found == {
        "version": 1, "change_id": "CHG-1", "clusters": {"east": {"bootstrap.servers": "e:9092"}},
        "topics": {
            "source.orders": {"cluster": "east", "topic": "orders", "partitions": {"0": bounds(2, 5), "1": bounds(0, 4)}},
            # a partition of the copy that was not known at the boundary counts from its beginning
            "copy.orders": {"cluster": "main", "topic": "east.orders", "partitions": {"0": bounds(7, 10), "1": bounds(0, 4), "2": bounds(0, 3)}}},
        "checks": [{"type": "mirror", "topic": "copy.orders", "source": "source.orders", "same_partitions": True, "by": "payload", "max_missing": 0,
                    "max_extra": 0, "max_repeated": 0}]}


def test_a_source_that_went_on_is_compared_twice():
    found = expectation(boundary((2, 5, 7)), {**VERIFY, "max_missing": 1, "max_extra": 2}, "main", [flow(9)], [])
    assert {name: one["partitions"]["0"] for name, one in found["topics"].items()} == {
        "source.orders": bounds(2, 9), "copy.orders": bounds(7, 7), "until.orders": bounds(2, 5)}
    assert [(one["source"], one["max_missing"], one["max_extra"], one["max_repeated"]) for one in found["checks"]] == [
        ("source.orders", ANY, 2, 0), ("until.orders", 1, ANY, ANY)]


@pytest.mark.parametrize("partition, flows, checks", [
    ((5, 5, 0), [], 0), ((6, 5, 0), [flow(6)], 0), ((5, 5, 0), [flow(6)], 2), ((4, 5, 0), [], 1),
    # where the source cannot be asked any more, what was known counts
    ((4, 5, 0), [flow(None)], 1),
])
def test_a_topic_without_a_record_to_copy_is_left_out(partition, flows, checks):
    found = expectation(boundary(partition, change_id=None), VERIFY, "main", flows, [])
    assert len(found["checks"]) == checks and bool(found["topics"]) is bool(checks) and found["change_id"] == "east->west"


def test_next_step():
    made = {"mirror": "east->west", "boundary_file": "/b.json", "connectors": [{"state": "paused"}]}
    assert next_step(made).startswith("east->west was not running, and was left so: start it. ")
    assert next_step(made).endswith("mirror_reset_phase: finish and mirror_reset_boundary_file: /b.json")
    assert next_step({**made, "connectors": [{"state": None}]}).startswith("east->west has no node that runs: start all of them. ")


def test_result():
    skipped = {"skipped": True, "changed": False}
    preview = {"mirror": "m", "changed": True, "connectors": [1], "topics": ["t"], "deleted": [], "emptied": [], "runs": True, "boundary_file": None,
               "plan": ["x"]}
    made, finished = {**preview, "connectors": [2], "boundary_file": "/b"}, {**preview, "changed": False, "connectors": [], "left": {"records": 0}}
    assert result(preview, skipped, skipped, {}) == {
        "mirror": "m", "changed": True, "connectors": [1], "topics": ["t"], "deleted": [], "emptied": [], "runs": True, "boundary_file": None,
        "left": None, "verification": None}
    found = result(preview, made, finished, {"verdict": "pass", "files": {"page": "/p", "report": "/r", "log": "/l"}})
    assert (found["connectors"], found["boundary_file"], found["left"]) == ([2], "/b", {"records": 0})
    assert found["verification"] == {"verdict": "pass", "page": "/p", "report": "/r"}
    # one that broke, or was skipped
    assert result(preview, made, finished, {"verdict": None, "msg": "no Java"})["verification"] is None
    assert result(preview, made, finished, skipped)["verification"] is None
    assert result(skipped, skipped, finished, {})["changed"] is False
    # right after the reset nobody has waited or compared
    assert (result(preview, made, {}, {})["connectors"], result(preview, made, {}, {})["left"]) == ([2], None)


def test_the_results_are_noted_right_after_the_reset():
    """What fails in the wait or the verification leaves them."""
    tasks = yaml.safe_load((ROOT / "roles/mirror_reset/tasks/main.yml").read_text())
    names = [task["name"] for task in tasks]
    noted = [number for number, task in enumerate(tasks) if "mirror_reset_results" in task.get("ansible.builtin.set_fact", {})]
    reset, wait, verify = (names.index(name) for name in ("Reset the mirror", "Wait until the mirror has caught up", "Verify the copies"))
    assert noted[0] < reset < noted[1] < wait < verify < noted[2] and noted[1] == reset + 1
    assert "rescue" in tasks[verify] and "Fail if the copies could not be verified" in names[noted[2]:]
