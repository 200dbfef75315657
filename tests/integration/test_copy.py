# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets of one connector declared for another: a clone, a renaming, a new form of partitions."""

from __future__ import annotations

import json

import pytest

from tests.integration.support.configs import shaped
from tests.integration.support.worker import wait_until

MIRROR = [{"cluster": "east", "partition": number, "topic": "orders"} for number in range(3)]
WEST = [{**partition, "cluster": "west"} for partition in MIRROR]
JDBC = [{"table": "orders"}, {"table": "returns"}]
NEWER = [{"protocol": "1", "table": f"shop.public.{table}"} for table in ("orders", "returns")]
RULES = [{"field": "table", "from": table, "to": f"shop.public.{table}"} for table in ("orders", "returns")] + [
    {"field": "protocol", "to": "1", "add": True}]


def succeeded(result):
    assert not result["failed"], result["msg"]
    return result


@pytest.fixture
def pair(make, main, kafka):
    """pair(old, new, keys="hash") -> names of connectors with these partitions: a STOPPED one that has written 0 to 4, and a new one."""

    def pair(old, new, keys="hash"):
        names = []
        for partitions, state, count in ((old, "RUNNING", 5), (new, "STOPPED", 7)):
            config = shaped(partitions=json.dumps(partitions), partition_map=keys, interval_ms=1, records_per_partition=count)
            names.append(make(config, state))
        wait_until(lambda: len(kafka.live_offsets(main.offset_topic, names[0])) == len(old) and
                   set(kafka.live_offsets(main.offset_topic, names[0]).values()) == {'{"n":4}'}, reason="the old one's offsets")
        main.worker.put(names[0], "stop")
        main.worker.await_state(names[0], "STOPPED", [])
        return names

    return pair


@pytest.mark.parametrize("old, new, rules", [
    (MIRROR, WEST, [{"field": "cluster", "from": "east", "to": "west"}]), (JDBC, NEWER, RULES),
], ids=["mirror", "jdbc"])
def test_a_clone_goes_on_where_the_other_one_was(pair, run, main, kafka, old, new, rules):
    names = pair(old, new)
    desired = {"name": names[1], "copy_from": names[0], "rewrite": rules, "change_id": "CHG-1"}
    for check in (True, False):
        result = succeeded(run("connector_offsets", check=check, **desired))
        assert result["changed"] and result["offsets_before"] == []
        assert sorted(result["offsets"], key=str) == sorted([{"partition": partition, "offset": {"n": 4}} for partition in new], key=str)
    assert main.worker.offsets(names[0])  # it keeps its own
    main.worker.put(names[1], "resume")
    main.worker.await_state(names[1], "RUNNING", ["RUNNING"])
    wait_until(lambda: len(kafka.values(names[1])) == 2 * len(new), reason="what was left to write")
    assert sorted({value.rpartition("#")[2] for value in kafka.values(names[1])}) == ["5", "6"]
    # Afterwards the other one may be gone.
    main.worker.delete(names[0])
    again = succeeded(run("connector_offsets", **desired))
    assert (again["changed"], again["already_applied"]) == (False, True)


def test_a_connector_that_is_gone(pair, run, main, kafka):
    """Renamed: deleted, and created under another name."""
    old, new = pair(JDBC, JDBC)
    main.worker.delete(old)
    brokers = {"bootstrap_servers": [kafka.bootstrap_servers], "offset_topic": main.offset_topic}
    refused = run("connector_offsets", name=new, copy_from=old)
    assert refused["failed"] and old in refused["msg"]
    result = succeeded(run("connector_offsets", name=new, copy_from=old, **brokers))
    assert result["method"] == "rest" and [one["offset"] for one in result["offsets"]] == [{"n": 4}, {"n": 4}]
    gone = succeeded(run("connector_offsets", name=old, state="absent", **brokers))
    assert gone["changed"] and gone["counts"]["remove"] == 2


@pytest.mark.parametrize("by", ["copy", "document"])
def test_fields_in_an_order_of_the_connectors_own(pair, run, main, kafka, tmp_path, by):
    """Its map keeps them in the order in which they came, so REST does not find its offsets. The copy has keys in that order, too."""
    parts = [{"topic": "t", "partition": number, "cluster": "c", "zz": 2} for number in (0, 1)]
    old, new = pair(parts, parts, "linked")
    brokers = {"bootstrap_servers": [kafka.bootstrap_servers], "offset_topic": main.offset_topic}
    alone = run("connector_offsets", name=new, copy_from=old, method="rest")
    assert alone["failed"] and "has no offsets that could be copied" in alone["msg"]
    path = tmp_path / "old.json"
    incomplete = run("connector_offsets_export", dest=str(path), connectors=[old])
    assert incomplete["failed"] and "The export would lack offsets of 1 connector" in incomplete["msg"] and not path.exists()
    if by == "document":
        exported = succeeded(run("connector_offsets_export", dest=str(path), connectors=[old], **brokers))
        assert exported["connectors"] == {old: 2}
    desired = {"src": str(path)} if by == "document" else {}
    result = succeeded(run("connector_offsets", name=new, copy_from=old, **desired, **brokers))
    assert result["method"] == "topic" and "in another order" in result["method_reason"]
    assert sorted(kafka.live_offsets(main.offset_topic, new)) == [
        f'["{new}",{{"topic":"t","partition":{number},"cluster":"c","zz":2}}]' for number in (0, 1)]
    main.worker.put(new, "resume")
    wait_until(lambda: len(kafka.values(new)) == 4, reason="what was left to write")
    assert sorted(value.rpartition("#")[2] for value in kafka.values(new)) == ["5", "5", "6", "6"]


def test_guards_hold_for_a_copy(pair, run, main):
    old, new = pair(JDBC, JDBC)
    main.worker.set_offsets(new, [{"partition": {"table": table}, "offset": {"n": n}} for table, n in (("orders", 6), ("returns", 1))])
    result = succeeded(run("connector_offsets", name=new, copy_from=old, only="forward"))
    assert {one["partition"]["table"]: one["offset"]["n"] for one in result["offsets"]} == {"orders": 6, "returns": 4}


def test_of_a_document(pair, run, tmp_path):
    old, new = pair(JDBC, NEWER)
    backup = tmp_path / "backup.json"
    succeeded(run("connector_offsets", name=old, state="absent", backup=True, backup_file=str(backup)))
    result = succeeded(run("connector_offsets", name=new, src=str(backup), copy_from=old, rewrite=RULES))
    assert [one["partition"] for one in result["offsets"]] == NEWER


def test_refused(pair, run, main, make):
    old, new = pair(JDBC, NEWER)
    empty = make(shaped(), "STOPPED")
    for options, words in (
        ({"copy_from": old, "rewrite": [{"field": "tabel", "to": "x"}]}, "rewrite[0] fits none of the 2 partitions: none has tabel."),
        ({"copy_from": old, "rewrite": [{"field": "table", "to": "x"}]}, "would become the same"),
        ({"copy_from": new}, "itself"),
        ({"copy_from": "no-such-connector"}, "no-such-connector"),
        ({"copy_from": empty}, f"{empty} has no offsets that could be copied"),
    ):
        for check in (True, False):
            result = run("connector_offsets", check=check, name=new, **options)
            assert result["failed"] and words in result["msg"], result["msg"]
    assert main.worker.offsets(new) == []
