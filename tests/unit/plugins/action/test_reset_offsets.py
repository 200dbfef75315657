# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the steps of the role ask of the modules, in which order, and what they make of the answers."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import pytest
from ansible.plugins.action import ActionBase
from ansible_collections.streamops.kafka_connect.plugins.action import reset_offsets
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.plugin_utils.test_reset import VERIFY, bounds, report, returned, to

BULK, JOB = "connector_offsets_bulk", "verify_replay"
ON_U = {"topics": ["u"], "checks": [{"type": "gaps", "topic": "u"}], "put_back": True}


class Steps(reset_offsets.ActionModule):
    """answers: by module, one after the other; ``calls``: (module, options that the step adds, check mode)."""

    def __init__(self, answers, check_mode, args) -> None:
        self._task = SimpleNamespace(args=args, check_mode=check_mode)
        self.answers, self.calls = {name: list(found) for name, found in answers.items()}, []

    def _run(self, module, options, check_mode=False):
        self.calls.append((module, options, check_mode))
        answer = self.answers[module].pop(0)
        self._warnings.extend(answer.get("warnings") or [])
        return answer


@pytest.fixture(autouse=True)
def surroundings(monkeypatch):
    monkeypatch.setattr(ActionBase, "run", lambda self, tmp, task_vars: {})
    monkeypatch.setattr(reset_offsets, "_alone", contextlib.nullcontext)


def seen(*ones, **more) -> dict:
    return {"connectors": [dict(one, ledger="the topic t") for one in ones], "cluster": {"kafka_cluster_id": "k"}, **more}


def plan(declared, answers, check_mode=False, variables=(), **args):
    options = {"method": "auto", "ledger_file": "", "settle": None, "check_position": ""}
    steps = Steps(answers, check_mode, {"step": "plan", "declared": declared, "options": options, **args})
    return steps, steps.run(None, {"inventory_hostname": "eu/1", **dict.fromkeys(variables)})


def change(made, answers=(), check_mode=False, **args):
    steps = Steps(dict(answers), check_mode, {"step": "change", "plan": made, "options": {}, "backup_dir": "/b", **args})
    return steps, steps.run(None, {"inventory_hostname": "eu/1", "ansible_play_batch": ["eu/1", "us"]})


def test_a_plan():
    steps, found = plan([to("a"), to("b")], {BULK: [seen(returned("a"), returned("b", changes=False), warnings=["w", "w"])]}, change_id="CHG-1")
    assert steps.calls == [(BULK, {"connectors": [
        {"name": name, "state": "present", "offsets": to("a")["offsets"], "purge": False, "force": False, "accept_duplicates": False, "change_id": "CHG-1",
         "final_state": "found"} for name in "ab"]}, True)]
    assert (found["changed"], found["warnings"], found["label"], found["ledgers"]) == (False, ["w"], "2-connectors", ["the topic t"] * 2)
    assert [one["todo"] for one in found["predicted"]] == [True, True] and found["cluster"] == {"kafka_cluster_id": "k"} and "msg" not in found
    assert steps._options == {"settle": 5, "stop": True, "check_position": "warn", "check_position_timeout": 75, "method": "auto"}


def test_what_a_survey_leaves_open_is_as_the_file_says():
    file = {"reset_offsets_connectors": [to("a")], "reset_offsets_change_id": "CHG-7", "reset_offsets_final_state": "paused", "reset_offsets_settle": 0,
            "reset_offsets_method": "topic", "reset_offsets_check_position": "fail"}
    steps, found = plan("", {BULK: [seen(returned("a"))]}, change_id="", final_state="", workflow="17", file=file)
    asked, = steps.calls[0][1]["connectors"]
    assert (asked["name"], asked["change_id"], asked["final_state"]) == ("a", "CHG-7", "paused") and "msg" not in found
    wanted = {"settle": 0, "stop": True, "check_position": "fail", "check_position_timeout": 75, "method": "auto"}  # what is given wins
    assert steps._options == wanted
    unnamed, _found = plan([to("a")], {BULK: [seen(returned("a"))]}, change_id="", workflow="17")
    assert unnamed.calls[0][1]["connectors"][0]["change_id"] == "awx-17"


@pytest.mark.parametrize(("declared", "answers", "variables", "message"), [
    ("", {}, (), "File of the change (reset_offsets_change) and Connectors (reset_offsets_connectors) are both empty"),
    ([to("a")], {}, ("reset_offsets_conectors",), "There is no variable reset_offsets_conectors."),
    ([to("a")], {}, ("verify_replay_sparkconf",), "There is no variable verify_replay_sparkconf."),
    ([to("a")], {BULK: [{"failed": True, "msg": "no such. Nothing was changed.", "failed_connectors": {"a": "no such"}}]}, (), "no such. Nothing was changed."),
    ([to("a"), to("b")], {BULK: [{"failed": True, "msg": "2 of 2", "failed_connectors": {"a": "no a.", "b": "no b."}}]}, (), "no a. no b."),
    ([to("a")], {BULK: [{"failed": True}]}, (), "The module failed without a message."),
    ([to("a")], {BULK: [seen(returned("a", state=None))]}, (), "There is no connector a."),
    ([to("a", verify=VERIFY)], {BULK: [seen(returned("a", boundaries=bounds()))], JOB: [{"failed": True, "msg": "No Java."}]}, (), "No Java."),
    ([to("a", verify=VERIFY), to("b", verify=VERIFY)], {BULK: [seen(returned("a", boundaries=bounds()), returned("b", boundaries=bounds()))]}, (),
     "verify of a and of b look at the same topic, t,"),
])
def test_what_is_refused(declared, answers, variables, message):
    _steps, found = plan(declared, answers, variables=variables)
    assert found["failed"] and found["msg"].startswith(message) and "predicted" not in found and not found["changed"]
    assert found["msg"].count("Nothing was changed.") == (message != "The module failed without a message.")


def test_messages_of_the_module_name_the_variables_of_the_role(monkeypatch):
    text = "method: topic needs kafka_bootstrap_servers. Use assume_stopped: true, or force: true of the entry; the workers' kafka_connect_group chooses."
    monkeypatch.setattr(reset_offsets, "run_module", lambda *given: {"failed": True, "msg": text, "failed_connectors": {"a": "offset_topic x is not there"}})
    steps = Steps({}, False, {"step": "plan", "declared": [to("a")], "options": {
        "method": "topic", "assume_stopped": False, "offset_topic": "x", "kafka_connect_group": ""}})
    monkeypatch.setattr(Steps, "_run", reset_offsets.ActionModule._run)
    found = steps.run(None, {"inventory_hostname": "eu/1"})
    assert found["msg"].startswith(
        "reset_offsets_method: topic needs kafka_bootstrap_servers. Use reset_offsets_assume_stopped: true, or force: true of the entry; the workers' "
        "kafka_connect_group chooses.")
    assert found["failed_connectors"] == {"a": "reset_offsets_offset_topic x is not there"}


def test_what_a_verification_needs_is_looked_at_with_the_plan():
    steps, found = plan([to("a", verify=VERIFY)], {BULK: [seen(returned("a", boundaries=bounds()))], JOB: [{}]}, cluster="eu")
    assert "msg" not in found and [call[0] for call in steps.calls] == [BULK, JOB] and steps.calls[1][1]["run"] is False
    assert steps.calls[1][1]["expectation"]["topics"]["t"]["cluster"] == "eu"


def planned(*declared, changes=True) -> dict:
    ones = [returned(one["name"], changes=changes, boundaries=bounds(topic=(one.get("verify") or VERIFY)["topics"][0])) for one in declared]
    return plan(list(declared), {BULK: [seen(*ones)], JOB: [{}]})[1]


def test_a_change():
    steps, found = change(planned(to("a")), {BULK: [{"connectors": [returned("a")], "changed": True, "diff": ["d"], "warnings": ["w"]}]})
    (module, options, check_mode), = steps.calls
    assert (module, check_mode, options["backup"]) == (BULK, False, True) and options["backup_file"].startswith("/b/eu%2F1-a-")
    assert [one["connector"] for one in found["results"]] == ["a"] and (found["changed"], found["diff"], found["warnings"]) == (True, ["d"], ["w"])
    assert "msg" not in found and "batch" not in found
    _steps, found = change(planned(to("a")), {BULK: [{"failed": True, "msg": "no", "connectors": []}]})
    assert found["failed"] and found["batch"] == ["eu/1", "us"]


def numbers(offset, **more) -> dict:
    return returned("a", declared={"digest": str(offset), "offsets": [{"partition": {"p": 0}, "offset": {"n": offset}}], "more": 0}, **more)


@pytest.fixture
def hostvars(monkeypatch):
    monkeypatch.setattr(Steps, "_variables", lambda self: {"kafka_connect_group": "g"})


@pytest.mark.usefixtures("hostvars")
def test_a_run_of_one_cluster_is_what_its_dry_run_has_shown(capsys):
    """Where the role is used alone."""
    _steps, dry = plan([to("a")], {BULK: [seen(numbers(5))]}, check_mode=True, expect={"given": "", "tolerance": ""})
    change(dry, {BULK: [{"connectors": [returned("a")], "changed": True}]}, check_mode=True)
    digest = dry["approval"]["digest"]
    assert "msg" not in dry and list(dry["approval"]["clusters"]) == ["eu/1"] and f"reset_offsets_expect={digest}" in capsys.readouterr().out
    for given in (digest, dry["approval"]):
        _steps, same = plan([to("a")], {BULK: [seen(numbers(5))]}, expect={"given": given, "tolerance": 0})
        assert "msg" not in same
        _steps, other = plan([to("a")], {BULK: [seen(numbers(6))]}, expect={"given": given, "tolerance": 0})
        assert other["failed"] and other["msg"].startswith("This run differs from the dry run: ") and "Nothing was changed." in other["msg"]
    assert 'a: the offset declared for {"p": 0} is {"n": 6}, but the dry run showed {"n": 5}' in other["msg"]
    for expect in ({"given": "typo", "tolerance": 0}, {"given": digest, "tolerance": "some"}):
        _steps, wrong = plan([to("a")], {BULK: [seen(numbers(5))]}, expect=expect)
        assert wrong["failed"] and "reset_offsets_expect cannot be used: " in wrong["msg"]


@pytest.mark.usefixtures("hostvars")
def test_after_a_minute_it_is_still_what_was_approved():
    symbolic = {"name": "a", "reset_to": "latest"}
    _steps, dry = plan([symbolic], {BULK: [seen(numbers(5))]}, expect={"given": "", "tolerance": 0})
    approved = {"cluster": dry["approval"]["clusters"]["eu/1"], "tolerance": 3}
    steps, found = change(dict(dry, looked=0), {BULK: [seen(numbers(9))]}, approved=approved)
    assert found["failed"] and "allows 3 records" in found["msg"] and (found["results"], len(steps.calls)) == ([], 1)
    steps, found = change(dict(dry, looked=0), {BULK: [seen(numbers(8)), {"connectors": [returned("a")], "changed": True}]}, approved=approved)
    assert "msg" not in found and found["changed"]
    assert found["warnings"] == ["eu/1: a: its reset_to means other offsets than in the dry run, by up to 3 records."]


def test_nothing_to_do():
    made = planned(to("a"), changes=False)
    steps, found = change(made)
    assert steps.calls == [] and [one["changed"] for one in found["results"]] == [False] and found["run"] == made["run"] and not found["changed"]


def test_after_a_minute_it_looks_again():
    made = dict(planned(to("a")), looked=0)
    steps, found = change(made, {BULK: [seen(returned("a", state="PAUSED")), {"connectors": [returned("a", state="PAUSED")], "changed": True}]})
    assert [call[2] for call in steps.calls] == [True, False] and [one["state_before"] for one in found["results"]] == ["paused"]
    assert found["run"] == made["run"]
    _steps, gone = change(made, {BULK: [seen(returned("a", state=None))]})
    assert gone["failed"] and gone["msg"].startswith("There is no connector a.") and (gone["results"], gone["run"]) == ([], made["run"])


def verified(*names) -> dict:
    return planned(*[to(name, verify=dict(of, put_back=True)) for name, of in zip(names, (VERIFY, ON_U), strict=False)])


def done(*names, after=12) -> dict:
    return {"connectors": [returned(name, boundaries=bounds(topic=topic, after=after)) for name, topic in zip(names, "tu", strict=False)], "changed": True}


def test_it_is_proven():
    steps, found = change(verified("a", "b"), {BULK: [done("a", "b")], JOB: [{"verdict": "pass", "report": report("pass", "pass"), "files": {"page": "p"}}]})
    assert [call[0] for call in steps.calls] == [BULK, JOB] and "msg" not in found
    assert [one["verification"]["verdict"] for one in found["results"]] == ["pass", "pass"]


def test_each_that_is_not_proven_is_put_back_by_itself():
    """The first one cannot be, which does not keep the second one from it."""
    steps, found = change(verified("a", "b"), {
        BULK: [done("a", "b"), {"failed": True, "msg": "it is gone.", "connectors": [None]}, {"connectors": [returned("b")]}],
        JOB: [{"failed": True, "verdict": "fail", "msg": "lost.", "checks": report("fail", "fail")["checks"]}]})
    undone = [options for module, options, _check in steps.calls if module == BULK][1:]
    assert [[entry["name"] for entry in one["connectors"]] for one in undone] == [["a"], ["b"]]
    assert {(one["rollback"], one["one_by_one"]) for one in undone} == {(False, False)}
    assert found["failed"] and found["results"] == [] and found["changed"]
    assert "The change of a failed (lost.), and rolling it back failed as well (it is gone.)." in found["msg"]
    assert "The change of b failed, and offsets and state (started) are as they were: lost." in found["msg"]


def test_in_check_mode_no_job_runs():
    steps, found = change(verified("a"), {BULK: [{"connectors": [returned("a", boundaries=bounds())], "changed": True}]}, check_mode=True)
    assert [call[0] for call in steps.calls] == [BULK] and [one["verification"] for one in found["results"]] == [None]


def test_boundaries_that_do_not_fit_together_are_put_back():
    """The change is made by then."""
    made = done("a")
    made["connectors"][0]["boundaries"]["after"]["cluster_id"] = "c2"
    steps, found = change(verified("a"), {BULK: [made, {"connectors": [returned("a")]}]})
    assert [call[0] for call in steps.calls] == [BULK, BULK] and found["failed"] and found["changed"]
    assert "as they were: boundary was taken from the Kafka cluster c1, after from c2." in found["msg"]
