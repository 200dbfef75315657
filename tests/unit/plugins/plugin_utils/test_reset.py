# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role reset_offsets between its variables and the module."""

from __future__ import annotations

import functools
import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.boundaries import replay_topics
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _reset

PAIR = {"partition": {"p": 0}, "offset": {"n": 5}}


def entries(*given, change_id="", final_state="found") -> list:
    found = _reset.declared(list(given), change_id, final_state)
    assert found["error"] == "", found
    return found["connectors"]


def to(name, **more) -> dict:
    return {"name": name, "offsets": [PAIR], **more}


# ---- what is declared ----------------------------------------------------------------------------------------------------


def test_an_entry_with_all_its_defaults():
    assert entries(to("a")) == [{
        "name": "a", "state": "present", "offsets": [PAIR], "content": None, "src": None, "reset_to": None, "topics": None, "direction": None,
        "consumer_group": None, "raw_keys": None, "key_order": None, "max_rewind": None, "max_skip": None, "purge": False, "force": False,
        "accept_duplicates": False, "seed": False, "change_id": None, "final_state": "found", "verify": None}]


@pytest.mark.parametrize("given", [
    [to("a")], json.dumps([to("a")]), " " + json.dumps([to("a")]), "- name: a\n  offsets: [{partition: {p: 0}, offset: {n: 5}}]"])
def test_a_list_or_its_text(given):
    found = _reset.declared(given)
    assert (found["connectors"], found["error"]) == (entries(to("a")), "")


def test_json_is_read_as_json():
    """YAML 1.1 reads 1e3 as text, and an escaped slash is an error."""
    found = _reset.declared('[{"name": "a\\/b", "offsets": [{"partition": {}, "offset": {"n": 1e3}}]}]')["connectors"][0]
    assert found["name"] == "a/b" and found["offsets"][0]["offset"] == {"n": 1000.0}


def test_empty_text_is_not_given():
    one = entries({"name": "a", "state": "", "offsets": "  ", "src": "f.json", "reset_to": "", "purge": "", "change_id": "", "final_state": "", "direction": "",
                   "verify": "", "topics": ""}, change_id="CHG-1", final_state="paused")[0]
    assert (one["state"], one["content"], one["purge"], one["change_id"], one["final_state"], one["verify"]) == (
        "present", None, False, "CHG-1", "paused", None)
    assert entries(to("a", change_id="OWN", final_state="stopped", purge="yes", force=True), change_id="CHG-1", final_state="paused")[0].items() >= {
        "change_id": "OWN", "final_state": "stopped", "purge": True, "force": True}.items()


EXAMPLE = '[{"name": "orders-sink", "offsets": [{"partition": {"kafka_topic": "orders", "kafka_partition": 3}, "offset": {"kafka_offset": 1043}}]}]'


def test_a_field_by_its_former_name():
    assert entries({"name": "a", "offsets": [PAIR], "only": "forward"})[0]["direction"] == "forward"
    both = _reset.declared([{"name": "a", "offsets": [PAIR], "only": "forward", "direction": "backward"}])
    assert "cannot be used" in both["error"] and both["connectors"] == []


@pytest.mark.parametrize("given", ["a", {}, [{}], ["a"], [to("a"), to("a")], [to("1"), {"name": 1}], "{}"])
def test_what_is_no_list_of_connectors(given):
    assert _reset.declared(given) == {"connectors": [], "error": (
        f"Connectors (reset_offsets_connectors) is no list of connectors, each a dictionary with its own name, such as {EXAMPLE}")}


@pytest.mark.parametrize("given", ["", " \n", [], None, "[]"])
def test_nothing_is_given(given):
    assert _reset.declared(given) == {"connectors": [], "error": (
        "File of the change (reset_offsets_change) and Connectors (reset_offsets_connectors) are both empty: one of them says what to change.")}


@pytest.mark.parametrize(("text", "place", "reason"), [
    ('[{"name": }]', "Line 1, column 11", "Expecting value"),
    ('[{"name": "a",\n  "offsets": [{"partition": {} "offset": {}}]}]', "Line 2, column 32", "Expecting ',' delimiter"),
    ("- {name: a", "Line 1, column 11", "expected ',' or '}', but got '<stream end>'"),
    ("- name: a\n- {{ secret }}", "Line 2, column 4", "found unhashable key"),
    ("- name: \a", "Line 1, column 1", "special characters are not allowed")])
def test_a_text_that_cannot_be_read(text, place, reason):
    """Without the text itself."""
    assert _reset.declared(text)["error"] == (
        f"{place} of Connectors (reset_offsets_connectors) cannot be read: {reason}. It is a list as JSON or YAML, such as {EXAMPLE}")


def test_the_example_can_be_used():
    assert _reset.declared(EXAMPLE)["connectors"][0]["offsets"] == [
        {"partition": {"kafka_topic": "orders", "kafka_partition": 3}, "offset": {"kafka_offset": 1043}}]


@pytest.mark.parametrize("one", [
    {"name": ""}, {"name": 5, "offsets": [PAIR]}, to("a", nmae=1), to("a", final_state="running"), to("a", change_id=5), {"name": "a"},
    {"name": "a", "offsets": None}, {"name": "a", "offsets": " "}, {"name": "a", "state": "absent", "offsets": []}, {"name": "a", "state": "restored"},
    {"name": "a", "state": "absent", "raw_keys": []}, {"name": "a", "state": "absent", "raw_keys": "k"},
])
def test_an_entry_that_cannot_be_meant(one):
    found = _reset.declared([to("b"), one])
    assert found["connectors"] == []
    assert found["error"].startswith(f"This entry of reset_offsets_connectors cannot be used: {json.dumps(one)}.")


def test_every_entry_that_cannot_be_used_is_named():
    assert _reset.declared([{"name": "a"}, to("b"), {"name": "c"}])["error"].count("This entry") == 2


def test_a_restored_one_needs_an_id_of_its_own_or_of_all():
    assert entries({"name": "a", "state": "restored"}, change_id="CHG-1")[0]["change_id"] == "CHG-1"


FILES = {"page": "p.html", "report": "r.json"}
VERIFY = {"topics": ["t"], "checks": [{"type": "replayed", "topic": "t"}]}


@pytest.mark.parametrize("verify", [
    "yes", {"topics": ["t"]}, {"checks": VERIFY["checks"]}, {**VERIFY, "topics": []}, {**VERIFY, "checks": "replayed"}, {**VERIFY, "chekcs": []},
    {**VERIFY, "quiet": 0}, {**VERIFY, "quiet": "soon"}, {**VERIFY, "wait": -1}, {**VERIFY, "expectation": "x"}])
def test_a_verification_that_cannot_be_meant(verify):
    error = _reset.declared([to("a", verify=verify)])["error"]
    assert error.startswith(f"verify of a cannot be used: {json.dumps(verify)}. Its fields")


def test_what_the_module_is_asked_for():
    listed = entries(to("a", verify={**VERIFY, "quiet": "3", "put_back": "true"}, seed=True), {"name": "b", "state": "absent"}, change_id="CHG-1",
                     final_state="started")
    assert listed[0]["verify"] == {"topics": ["t"], "checks": VERIFY["checks"], "since": None, "quiet": 3, "wait": 600, "expectation": {}, "put_back": True}
    plain = {"purge": False, "force": False, "accept_duplicates": False, "change_id": "CHG-1"}
    assert _reset.options(listed) == [
        {"name": "a", "state": "present", "offsets": [PAIR], "final_state": "started", "boundaries": {"topics": ["t"], "quiet": 3, "wait": 600}, **plain},
        {"name": "b", "state": "absent", "final_state": "started", **plain}]
    seen = [{"state": "started", "state_before": "started"}, {"state": "started", "state_before": "paused"}]
    assert [one["final_state"] for one in _reset.options(listed, seen)] == ["found", "started"]


# ---- what was predicted --------------------------------------------------------------------------------------------------


def returned(name="a", state="RUNNING", changes=True, **more) -> dict:
    """What the module returns of a connector."""
    actions = [{"action": "set" if changes else "keep", "partition": {"p": 0}, "direction": "backward", "distance": 3}, {"action": "keep"}]
    return {"name": name, "changed": changes, "connector": state and {"state": state, "type": "source", "tasks": []}, "state_before": state,
            "connector_exists": state is not None, "actions": actions, "counts": {"set": int(changes), "remove": 0, "keep": 1}, "change": None,
            "already_applied": False, "position": None, "method": "rest", "method_reason": None, "offset_topic": None,
            "offset_file": None, "consumer_group": None,
            "backup_file": "masked" if changes else None, "boundaries": None} | more


def test_a_prediction_in_the_shape_of_the_results():
    found = _reset.predicted([returned()], entries(to("a", final_state="stopped")))
    assert found["error"] == "" and found["label"] == "a" and found["connectors"] == [{
        "connector": "a", "changed": True, "todo": True, "state_before": "started", "state": "stopped", "change_id": None, "backup_file": None,
        "verification": None, "method": "rest", "method_reason": None, "offset_topic": None, "offset_file": None, "consumer_group": None,
        "counts": {"set": 1, "remove": 0, "keep": 1}, "already_applied": False, "position": None, "change": None,
        "actions": [{"action": "set", "partition": {"p": 0}, "direction": "backward", "distance": 3}]}]


@pytest.mark.parametrize(("one", "entry", "states"), [
    (returned(state="PAUSED"), to("a"), ("paused", "paused")), (returned(state="FAILED"), to("a"), ("started", "started")),
    (returned(state="STOPPED"), to("a", final_state="started"), ("stopped", "started")),
    (returned(state=None), to("a", seed=True), ("gone", "gone")), (returned(state=None, connector_exists=None), to("a"), ("unknown", "unknown")),
])
def test_states(one, entry, states):
    found = _reset.predicted([one], entries(entry))
    assert found["error"] == "" and (found["connectors"][0]["state_before"], found["connectors"][0]["state"]) == states


def noted(**more) -> dict:
    return {"phase": "applied", "state_to_restore": None, **more}


@pytest.mark.parametrize(("one", "entry", "todo"), [
    (returned(changes=False), to("a"), False),
    (returned(changes=False, changed=True), to("a", final_state="stopped"), True),
    (returned(changes=False), to("a", change_id="C"), True),  # a note in the ledger
    (returned(changes=False, change=noted(), already_applied=True), to("a", change_id="C"), False),
    (returned(changes=False, change=noted(state_to_restore="RUNNING"), already_applied=True), to("a", change_id="C"), True),
    (returned(changes=False, change=noted(phase="restored")), {"name": "a", "state": "restored", "change_id": "C"}, False),
    (returned(changes=False, change=noted()), {"name": "a", "state": "restored", "change_id": "C"}, True),
])
def test_whether_anything_is_to_do(one, entry, todo):
    assert _reset.predicted([one], entries(entry))["connectors"][0]["todo"] is todo


def test_the_label_of_a_file():
    found = _reset.predicted([returned("a/b ü", changes=False), returned("b"), returned("c")], entries(to("a/b ü"), to("b"), to("c")))
    assert found["label"] == "2-connectors"
    assert _reset.predicted([returned("a/b ü")], entries(to("a/b ü")))["label"] == "a%2Fb%20%C3%BC"


@pytest.mark.parametrize(("one", "entry", "error"), [
    (returned(state="RUNN****"), to("a"), "Ansible masks words such as STOPPED"),
    (returned(state=None), to("a"), "There is no connector a. If the name is right, its offsets alone can be changed: with final_state: found, and, to set "
     "them for one that is created later, seed: true."),
    (returned(state=None), to("a", seed=True, final_state="stopped"), "There is no connector a."),
    (returned(state=None, connector_exists=None), to("a", final_state="started"), "There is no worker to query for the connector a. If the name is right, its "
     "offsets alone can be changed: with final_state: found."),
    (returned(state="STOPPED"), to("a", verify=VERIFY), "verify of a looks at what the connector delivers after the change, but it will not run then: it is "
     "STOPPED, and final_state is found."),
    (returned(), to("a", verify=VERIFY, final_state="paused"), "verify of a looks at what"),
])
def test_what_cannot_be_changed(one, entry, error):
    assert _reset.predicted([one, returned("b")], entries(entry, to("b")))["error"].startswith(error)


# ---- the verification ----------------------------------------------------------------------------------------------------


def bounds(end=10, topic="t", after=None) -> dict:
    def taken(last):
        return {"cluster_id": "c1", "topics": [{"name": topic, "partitions": [{"partition": 0, "begin": 2, "end": last, "by_time": 4}]}]}
    return {"stopped": taken(end), "after": after and taken(after)}


def proof(*pairs, cluster="main", predicts=False, **made) -> dict:
    """pairs: (boundaries, entry)"""
    made = {"connectors": [returned(entry["name"], boundaries=found) for found, entry in pairs], **made}
    return _reset.proof(made, entries(*[entry for _found, entry in pairs]), functools.partial(replay_topics, cluster=cluster), predicts)


def test_one_job_for_all_of_them():
    other = {"topics": ["u"], "checks": [{"type": "duplicates", "topic": "u"}, {"type": "gaps", "topic": "u"}], "since": "2026-01-01T00:00:00Z"}
    found = proof((bounds(after=15), to("a", verify=VERIFY)), (None, to("b", verify=VERIFY)), (bounds(20, "u", 22), to("c", verify=other)), (None, to("d")))
    assert found == {"error": "", "unread": {}, "connectors": {"a": [0], "c": [1, 2]}, "expectation": {
        "version": 1, "change_id": "2-connectors", "cluster_ids": {"main": "c1"},
        "topics": {"t": {"cluster": "main", "topic": "t", "partitions": {"0": {"start": 2, "boundary": 10, "end": 15}}},
                   "u": {"cluster": "main", "topic": "u", "partitions": {"0": {"start": 4, "boundary": 20, "end": 22}}}},
        "checks": VERIFY["checks"] + other["checks"], "connectors": {"a": [0], "c": [1, 2]}}}


def test_in_check_mode_and_for_one_alone():
    more = {"cannot_tell": "pass", "topics": {"src": {"cluster": "eu", "topic": "s"}}}
    found = proof((bounds(), to("a", verify={**VERIFY, "expectation": more})), cluster="eu", predicts=True)
    assert found["expectation"]["change_id"] == "a" and found["expectation"]["cannot_tell"] == "pass"
    assert found["expectation"]["topics"]["t"] == {"cluster": "eu", "topic": "t", "partitions": {"0": {"start": 2, "boundary": 10, "end": 10}}}
    assert found["expectation"]["topics"]["src"] == {"cluster": "eu", "topic": "s"} and found["expectation"]["cluster_ids"] == {"eu": "c1"}


@pytest.mark.parametrize(("ids", "named"), [(("CHG-1", "CHG-1"), "CHG-1"), (("CHG-1", "CHG-2"), "2-connectors"), (("CHG-1", None), "2-connectors")])
def test_the_report_names_their_change(ids, named):
    """One that is not verified has no say in it."""
    a, b, other = (to(name, change_id=one, verify=verify) for name, one, verify in (("a", ids[0], VERIFY), ("b", ids[1], ON_U), ("c", "CHG-3", None)))
    assert proof((bounds(after=15), a), (bounds(topic="u", after=15), b), (None, other))["expectation"]["change_id"] == named
    assert proof((bounds(after=15), a), (None, other))["expectation"]["change_id"] == "CHG-1"


def test_nothing_to_prove():
    for made in ({"connectors": [returned()]}, {}, {"msg": "The worker does not answer."}):
        assert _reset.proof(made, entries(to("a", verify=VERIFY)), replay_topics, False)["connectors"] == {}


def test_ends_that_could_not_be_read_after_the_change_are_no_proof():
    found = proof((bounds(), to("a", verify=VERIFY)), (bounds(topic="u", after=12), to("b", verify=ON_U)))
    assert (list(found["unread"]), found["connectors"]) == (["a"], {"b": [0]})
    seen = _reset.verdicts(found, {"verdict": "pass", "report": report("pass")})
    assert {name: (one["verdict"], one["error"]) for name, one in seen.items()} == {
        "a": ("error", "The ends of its topics after the change could not be read, see the warnings."), "b": ("pass", "")}


def test_those_that_failed_are_not_verified():
    assert proof((bounds(after=12), to("a", verify=VERIFY)), failed_connectors={"a": "no"})["connectors"] == {}


PROGRESS = {"topics": ["t"], "checks": [{"type": "progress", "topic": "t"}]}


def test_two_that_deliver_to_one_topic_cannot_be_told_apart():
    found = proof((bounds(after=15), to("a", verify=VERIFY)), (bounds(after=15), to("b", verify=VERIFY)))
    assert found["error"] == ("verify of a and of b look at the same topic, t, where the records of one cannot be distinguished from those of the other. "
                              "Change them in two runs.")
    assert proof((bounds(after=15), to("a", verify=VERIFY)), (bounds(after=15), to("b", verify=PROGRESS)))["error"] == ""


def test_two_that_expect_something_else_of_one_topic():
    later = {"topics": ["t"], "checks": [{"type": "progress", "topic": "t", "source": "t"}], "since": "2026-01-01T00:00:00Z"}
    found = proof(*((bounds(after=15), to(name, verify=verify)) for name, verify in (("a", VERIFY), ("b", later), ("c", PROGRESS))))["expectation"]
    assert {name: topic["partitions"]["0"]["start"] for name, topic in found["topics"].items()} == {"t": 2, "t-2": 4}
    assert found["checks"] == [*VERIFY["checks"], {"type": "progress", "topic": "t-2", "source": "t-2"}, *PROGRESS["checks"]]


ON_U = {"topics": ["u"], "checks": [{"type": "gaps", "topic": "u"}]}


def test_two_that_contradict_each_other():
    strict, lax = to("a", verify=VERIFY), to("b", verify={**ON_U, "expectation": {"cannot_tell": "pass"}})
    assert proof((bounds(after=15), strict), (bounds(topic="u", after=15), lax))["error"] == (
        "verify of b and of another connector contradict each other in cannot_tell, which is one for the whole job. Change them in two runs.")
    one, other = [to(name, verify={**of, "expectation": {"tables": {"x": {"url": url}}}}) for name, of, url in (("a", VERIFY, "u"), ("b", ON_U, "v"))]
    assert " in tables, " in proof((bounds(after=15), one), (bounds(topic="u", after=15), other))["error"]
    same = to("b", verify={**ON_U, "expectation": one["verify"]["expectation"]})
    assert proof((bounds(after=15), one), (bounds(topic="u", after=15), same))["error"] == ""


def test_boundaries_of_different_clusters_are_no_proof():
    found = bounds(after=15)
    found["after"]["cluster_id"] = "c2"
    asked = proof((found, to("a", verify=VERIFY)))
    assert asked["connectors"] == {} and asked["unread"]["a"].startswith("boundary was taken from the Kafka cluster c1, after from c2.")


def verdicts(report, error="1 of 3 checks did not pass.", cannot_tell="fail") -> dict:
    asked = {"connectors": {"a": [0], "b": [1, 2]}, "unread": {}, "expectation": {"cannot_tell": cannot_tell}}
    return _reset.verdicts(asked, {"verdict": "fail", "files": FILES, **report, **({"msg": error} if error else {})})


def report(*words) -> dict:
    return {"checks": [{"verdict": word} for word in words]}


@pytest.mark.parametrize(("words", "cannot_tell", "found"), [
    (("pass", "pass", "fail"), "fail", {"a": ("pass", False), "b": ("fail", True)}),
    (("cannot_tell", "pass", "cannot_tell"), "fail", {"a": ("cannot_tell", True), "b": ("cannot_tell", True)}),
    (("cannot_tell", "fail", "cannot_tell"), "pass", {"a": ("cannot_tell", False), "b": ("fail", True)}),
    ((), "fail", {"a": ("error", True), "b": ("error", True)}),
    (("****", "pass", "pass"), "fail", {"a": ("error", True), "b": ("pass", False)}),  # masked
])
def test_each_has_the_verdict_of_its_own_checks(words, cannot_tell, found):
    seen = verdicts(report(*words), cannot_tell=cannot_tell)
    assert {name: (one["verdict"], bool(one["error"])) for name, one in seen.items()} == found
    assert seen["a"]["page"] == "p.html" and seen["b"]["report"] == "r.json"


def test_what_has_not_failed_has_no_error():
    """With fail: false the report has the checks."""
    seen = verdicts({"report": report("pass", "fail", "pass")}, error="")
    assert {name: (one["verdict"], one["error"]) for name, one in seen.items()} == {"a": ("pass", ""), "b": ("fail", "")}


def test_a_job_that_broke_proves_nothing_whatever_its_report_says():
    seen = verdicts({**report("pass", "pass", "pass"), "verdict": "error"}, error="it was not done within 5 s")
    assert {name: (one["verdict"], one["error"]) for name, one in seen.items()} == dict.fromkeys("ab", ("error", "it was not done within 5 s"))


# ---- what became of it ---------------------------------------------------------------------------------------------------

def run(made, *given, job=None, undone=None, change_id="", seen=None) -> tuple:
    """(outcome, what is put back)"""
    listed = entries(*given, change_id=change_id)
    seen = _reset.predicted(seen or [returned(one["name"]) for one in listed], listed)["connectors"]
    asked = _reset.proof(made, listed, replay_topics, False)
    found = _reset.verdicts(asked, job or {})
    back = _reset.undo(listed, made, found, "b.json")
    undone = undone or {one["name"]: {"connectors": [returned(one["name"])]} for one in back}
    return _reset.outcome(made, seen, listed, asked, found, undone, "b.json"), back


def test_all_as_declared():
    found, _back = run({"connectors": [returned("a", method="topic"), returned("b", changes=False)]}, to("a"), to("b"))
    assert found["error"] == "" and [one["connector"] for one in found["results"]] == ["a", "b"]
    assert [(one["changed"], one["method"], one["backup_file"], one["verification"]) for one in found["results"]] == [
        (True, "topic", "b.json", None), (False, "rest", None, None)]
    assert not any("todo" in one for one in found["results"])


def test_one_that_does_not_go_on_from_the_declared_offsets_is_not_put_back():
    """A failure by check_position: fail, which old offsets would not mend."""
    verify = dict(VERIFY, put_back=True)
    for verdict, back in (("ignored", []), ("own_position", []), ("stuck", []), ("taken", ["a"])):
        made = {"connectors": [returned("a", position={"verdict": verdict})], "failed_connectors": {"a": "It failed."}}
        found, undone = run(made, to("a", verify=verify))
        assert [one["name"] for one in undone] == back and "The change of a failed: It failed." in found["error"]


def test_where_nothing_was_to_do_the_prediction_is_the_result():
    listed = entries(to("a"))
    found = _reset.results(_reset.predicted([returned(changes=False)], listed)["connectors"])
    assert [(one["connector"], one["changed"]) for one in found] == [("a", False)] and "todo" not in found[0]


def test_states_are_those_of_the_change_and_not_of_the_plan():
    """Somebody has resumed it meanwhile."""
    found, _back = run({"connectors": [returned("a"), returned("b")]}, to("a"), to("b", final_state="paused"),
                       seen=[returned("a", state="PAUSED"), returned("b", state="PAUSED")])
    assert [(one["state_before"], one["state"]) for one in found["results"]] == [("started", "started"), ("started", "paused")]


def test_what_failed_is_left_out():
    made = {"connectors": [returned("a"), None], "failed_connectors": {"b": "no such day. The connector was restored: it is RUNNING."}, "msg": "1 of 2 failed"}
    found, _back = run(made, to("a"), to("b"))
    assert [one["connector"] for one in found["results"]] == ["a"]
    assert found["error"] == "The change of b failed: no such day. The connector was restored: it is RUNNING."


def test_what_failed_and_is_changed_all_the_same():
    """It had failed before, too."""
    made = {"connectors": [returned("a")], "failed_connectors": {"a": "It had failed before, too."}, "msg": "It had failed before, too."}
    found, back = run(made, to("a"))
    assert back == [] and found == {"results": [], "error": "The change of a failed: It had failed before, too. The offsets before the change are in b.json."}
    found, back = run(made, to("a", verify={**VERIFY, "put_back": True}))
    assert [one["src"] for one in back] == ["b.json"]
    assert found["error"] == "The change of a failed: It had failed before, too. It was rolled back: its offsets are as they were."
    found, back = run({**made, "left_alone": ["a"]}, to("a", verify={**VERIFY, "put_back": True}))
    assert back == [] and found["error"].endswith("The offsets before the change are in b.json.")


def test_a_module_that_does_not_tell_of_connectors():
    found, _back = run({"msg": "The worker does not answer."}, to("a"))
    assert found == {"results": [], "error": "The worker does not answer. The offsets before are in b.json, if the module has come as far as to change them."}


@pytest.mark.parametrize(("change_id", "words"), [("", "in b.json."), ("CHG-1", "in the ledger, as those of the change CHG-1.")])
def test_unproven_and_stays_so(change_id, words):
    made = {"connectors": [returned("a", boundaries=bounds(after=12)), returned("b")]}
    found, back = run(made, to("a", verify=VERIFY), to("b"), change_id=change_id, job={**report("fail"), "verdict": "fail", "files": FILES, "msg": "lost 3."})
    assert back == [] and [one["connector"] for one in found["results"]] == ["a", "b"]
    assert found["results"][0]["verification"] == {"verdict": "fail", **FILES}
    assert found["error"] == ("The offsets of a were changed as declared and stay so, it is started, but the verification did not succeed: lost 3. The offsets "
                              "before the change are " + words)


def unproven(one, **more) -> tuple:
    made = {"connectors": [one, returned("b", boundaries=bounds(20, "u", 22))]}
    other = {"topics": ["u"], "checks": [{"type": "gaps", "topic": "u"}], "put_back": True}
    return run(made, to("a", verify={**VERIFY, "put_back": True}, consumer_group="g"), to("b", verify=other),
               job={**report("fail", "pass"), "verdict": "fail", "files": FILES, "msg": "lost 3."}, **more)


def test_unproven_and_put_back_by_the_backup():
    found, back = unproven(returned("a", state="PAUSED", boundaries=bounds(after=12)))
    assert back == [{"name": "a", "src": "b.json", "purge": True, "force": True, "accept_duplicates": True, "final_state": "paused", "consumer_group": "g"}]
    assert [one["connector"] for one in found["results"]] == ["b"]
    assert found["error"] == "The change of a failed, and offsets and state (paused) are as they were: lost 3."


def test_unproven_and_put_back_by_the_ledger():
    change = {"phase": "applied", "state_to_restore": None}
    _found, back = unproven(returned("a", boundaries=bounds(after=12), change=change), change_id="CHG-1")
    assert back == [{"name": "a", "state": "restored", "change_id": "CHG-1", "force": True, "final_state": "started", "consumer_group": "g"}]


def test_unproven_and_not_put_back():
    found, _back = unproven(returned("a", boundaries=bounds(after=12)), undone={"a": {"failed": True, "connectors": [None], "msg": "it is gone."}})
    assert found["error"] == ("The change of a failed (lost 3.), and rolling it back failed as well (it is gone.). The offsets before the change are in "
                              "b.json; the playbook restore_offsets restores them.")


def test_unproven_and_put_back_though_it_fails_again():
    found, _back = unproven(returned("a", boundaries=bounds(after=12)), undone={"a": {"failed": True, "connectors": [returned("a")], "msg": "It failed."}})
    assert found["error"] == "The change of a failed, and offsets and state (started) are as they were: lost 3."


def test_an_undo_is_not_undone():
    made = {"connectors": [returned("a", boundaries=bounds(after=12))]}
    found, back = run(made, {"name": "a", "state": "restored", "change_id": "C", "verify": {**VERIFY, "put_back": True}},
                      job={**report("fail"), "verdict": "fail", "files": FILES, "msg": "lost 3."})
    assert back == [] and found["error"].startswith("The offsets of a were changed as declared and stay so")
