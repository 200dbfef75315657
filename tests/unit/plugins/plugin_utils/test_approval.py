# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a dry run binds, and what is said of a run that differs."""

from __future__ import annotations

import datetime
import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _approval
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.plugin_utils.test_reset import entries, to

LIMIT = "; reset_offsets_expect_tolerance allows 3 records"
SYMBOLIC = {"name": "a", "reset_to": "latest"}
ALL = {"hosts": ["eu-1", "us-1"], "canary": ["eu-1"]}


def seen(offset: int | None = 20, digest: str | None = None, more: int = 0, **other) -> dict:
    """Of the module; without a digest that of the offset."""
    offsets = {0: offset, **other.pop("offsets", {})}
    return {"already_applied": False, "change": None, **other, "declared": {
        "digest": digest or f"sha256:{offsets}", "more": more,
        "offsets": [{"partition": {"p": number}, "offset": None if one is None else {"n": one}} for number, one in offsets.items()]}}


def cluster(one=None, entry=None, kafka="K", **variables) -> dict:
    return dict(_approval.identity({"kafka_cluster_id": kafka}, {"kafka_connect_group": "g", **variables}),
                connectors=_approval.declared([one or seen()], entries(entry or to("a"))))


def run(canary=("eu-1",), revision="r1", **clusters) -> dict:
    clusters = {name.replace("_", "-"): one for name, one in clusters.items()} or {"eu-1": cluster(), "us-1": cluster()}
    return _approval.document(clusters, list(canary), revision)


def said(wanted, found, inventory=None, tolerance=0) -> list:
    stored = wanted if isinstance(wanted, str) else json.loads(json.dumps(wanted))  # as AWX passes it on
    return [(one.host, one.text) for one in _approval.differences(stored, found, inventory or ALL, tolerance) if not one.is_allowed]


def test_the_document():
    found = run(canary=("eu-1", "eu-9"))
    assert found["canary"] == ["eu-1"] and found["revision"] == "r1" and len(found["digest"]) == 16
    assert found["clusters"]["us-1"] == {"kafka_cluster_id": "K", "group": "g", "address": None, "connectors": {"a": {
        "fields": {"state": "present", "final_state": "found"}, "digest": "sha256:{0: 20}", "offsets": {'{"p": 0}': {"n": 20}}, "more": 0, "is_begun": False}}}
    assert found["digest"] == run()["digest"]


@pytest.mark.parametrize("other", [
    {"canary": ()}, {"revision": "r2"}, {"eu_1": cluster()}, {"eu_1": cluster(seen(21)), "us_1": cluster()},
    {"eu_1": cluster(kafka="L"), "us_1": cluster()}, {"eu_1": cluster(entry=to("a", final_state="paused")), "us_1": cluster()}])
def test_each_part_has_a_share_in_the_digest(other):
    assert run(**other)["digest"] != run()["digest"]


def test_a_long_document_is_cut_and_keeps_the_digest():
    many = seen(offsets={number: number for number in range(1, 3000)})
    found = run(eu_1=cluster(many), us_1=cluster())
    one = found["clusters"]["eu-1"]["connectors"]["a"]
    assert (len(one["offsets"]), one["more"]) == (500, 2500)
    other = run(eu_1=cluster(seen(offsets={**{number: number for number in range(1, 3000)}, 999: 1})), us_1=cluster())
    assert said(found, other) == [("eu-1", "a: its offsets differ where they are not listed")] and found["digest"] != other["digest"]


def test_an_address_is_no_text():
    """It may be a secret of the inventory. Where group and Kafka cluster are known it does not count: a worker may be replaced."""
    one, other = ({"kafka_connect_url": f"http://secret-{number}"} for number in "12")
    assert "secret" not in str(_approval.identity({"kafka_cluster_id": "K"}, one))
    assert _approval.identity({}, one) != _approval.identity({}, other)
    assert cluster(**one) == cluster(**other)
    assert _approval.identity({}, {**one, "kafka_connect_group": "g"}) != _approval.identity({}, {**other, "kafka_connect_group": "g"})


@pytest.mark.parametrize("found, inventory, texts", [
    (run(), ALL, []),
    (run(eu_1=cluster()), ALL, []),  # a limit
    (run(revision="r2"), ALL, [(None, "the source revision is r2, but the dry run showed r1")]),
    (run(), {**ALL, "canary": ["us-1", "eu-1"]}, [(None, "the canary is eu-1, us-1, but the dry run showed eu-1")]),
    (run(), {**ALL, "canary": ["eu-1", "eu-9"]}, []),  # one that was not in the dry run
    (run(), {**ALL, "canary": []}, [(None, "the canary is not given, but the dry run showed eu-1")]),
    (run(eu_1=cluster()), {"hosts": ["eu-1"], "canary": ["eu-1"]}, [(None, "us-1 is not in the inventory any more")]),
    (run(eu_1=cluster(), as_1=cluster()), ALL, [("as-1", "it was not among the clusters of the dry run")]),
    (run(us_1=cluster(kafka="L")), ALL, [("us-1", "its Kafka cluster is L, but the dry run showed K")]),
    (run(us_1=cluster(kafka_connect_group="h")), ALL, [("us-1", "its kafka_connect_group is h, but the dry run showed g")]),
    (run(us_1=cluster(seen(900))), ALL, [("us-1", 'a: the offset declared for {"p": 0} is {"n": 900}, but the dry run showed {"n": 20}')]),
    (run(us_1=cluster(seen(None))), ALL, [("us-1", 'a: the offset declared for {"p": 0} is removed, but the dry run showed {"n": 20}')]),
    (run(us_1=cluster(seen(offsets={1: 5}))), ALL, [("us-1", 'a: the offset declared for {"p": 1} is {"n": 5}, but the dry run showed not declared')]),
    (run(us_1=cluster(entry=to("a", final_state="paused", purge=True))), ALL,
     [("us-1", "a: final_state is paused, but the dry run showed found"), ("us-1", "a: purge is true, but the dry run showed not given")]),
    (run(us_1=cluster(entry=to("b"))), ALL, [("us-1", "a is declared no more"), ("us-1", "b is declared now, and was not")]),
    (run(us_1=cluster(seen(900, already_applied=True))), ALL, []),  # made by a run before, as the ledger knows
])
def test_what_differs(found, inventory, texts):
    assert said(run(), found, inventory) == texts


@pytest.mark.parametrize("one, more, tolerance, texts", [
    (seen(23), {}, 3, []), (seen(17), {}, 3, []),
    (seen(24), {}, 3, ['a: the offset declared for {"p": 0} is {"n": 24}, but the dry run showed {"n": 20}' + LIMIT]),
    (seen(20, offsets={1: 1}), {}, 3, ['a: the offset declared for {"p": 1} is {"n": 1}, but the dry run showed not declared' + LIMIT]),
    (seen(23, more=1), {}, 3, ["a: its offsets differ where they are not listed"]),
    (seen(23), {"reset_to": "earliest"}, 3,
     ["a: reset_to is earliest, but the dry run showed latest", 'a: the offset declared for {"p": 0} is {"n": 23}, but the dry run showed {"n": 20}']),
])
def test_symbolic_positions_that_mean_other_numbers_by_now(one, more, tolerance, texts):
    wanted = run(eu_1=cluster(entry=SYMBOLIC))
    assert [text for _host, text in said(wanted, run(eu_1=cluster(one, {**SYMBOLIC, **more})), ALL, tolerance)] == texts


def test_what_is_allowed_is_said():
    found = run(eu_1=cluster(seen(23, offsets={1: 1}), SYMBOLIC))
    allowed, = _approval.differences(run(eu_1=cluster(seen(20, offsets={1: 2}), SYMBOLIC)), found, ALL, 3)
    assert allowed == ("eu-1", "a: its reset_to means other offsets than in the dry run, by up to 3 records", True)
    assert _approval.messages([allowed], ["eu-1"]) == {}


def test_numbers_have_no_tolerance():
    assert said(run(eu_1=cluster()), run(eu_1=cluster(seen(21))), tolerance=100) != []


def test_a_digest_alone_says_only_that_it_differs():
    assert said(run()["digest"], run()) == []
    (host, text), = said("0" * 16, run())
    assert host is None and text.startswith(f"the digest is {run()['digest']}, but 0000000000000000 is expected; the file")


def test_a_time_of_a_yaml_file_is_as_awx_passes_it_on():
    entry = {"name": "a", "reset_to": {"timestamp": datetime.datetime(2026, 1, 30)}}
    assert said(run(eu_1=cluster(entry=entry)), run(eu_1=cluster(entry=entry))) == []


def test_what_can_be_expected(tmp_path):
    one, file = run(), tmp_path / "summary.json"
    file.write_text(json.dumps({"playbook": "reset_offsets", "approval": one}))
    assert _approval.expected("") is _approval.expected(None) is _approval.expected({}) is None
    assert _approval.expected(f" {one['digest']}\n") == one["digest"]
    assert _approval.expected(one) == _approval.expected({"approval": one}) == _approval.expected(str(file)) == one
    for given in ("typo", {"ok": False}, {"approval": None}, [1], 5, "{"):
        with pytest.raises(ValueError, match=r"neither the digest that a dry run prints|nothing that a dry run has shown"):
            _approval.expected(given)


def test_one_cluster_of_a_dry_run_of_several():
    wanted = _approval.alone(run(), "us-1")
    assert list(wanted["clusters"]) == ["us-1"] and wanted["canary"] == [] and _approval.alone("0" * 16, "us-1") == "0" * 16
    assert said(wanted, run(canary=(), us_1=cluster()), {"hosts": ["us-1"], "canary": []}) == []


def test_one_that_differs_keeps_all_from_being_changed():
    of = _approval.Difference
    assert _approval.messages([], ["a", "b"]) == {}
    found = _approval.messages([of("b", "x"), of("b", "y")], ["a", "b", "c"])
    assert found["b"] == "This run differs from the dry run: x; y. Make a new dry run, in AWX by launching the workflow again."
    assert found["a"] == found["c"] == "This run differs from the dry run on b; see there."
    assert _approval.messages([of(None, "r")], ["a", "b"])["a"].startswith("This run differs from the dry run: r. Make")
    assert "; and 2 more." in _approval.messages([of("a", str(number)) for number in range(7)], ["a"])["a"]
