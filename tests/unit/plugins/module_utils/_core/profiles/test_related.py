# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan

VITESS = [{"server": "inv"}, {"server": "inv", "shard": "task0_2_0"}, {"server": "inv", "shard": "task1_2_0"}, {"server": "other"}]
MONGO = [{"rs": "rs0", "server_id": "inv"}, {"rs": "rs1", "server_id": "inv"}, {"server_id": "two"}]
OLD, NEW, SHORT = {"table": "orders"}, {"protocol": "1", "table": "shop.public.orders"}, {"protocol": "1", "table": "orders"}
RETURNS = {"protocol": "1", "table": "shop.public.returns"}


def snapshot(*partitions):
    return Snapshot("vt-cdc", "source", [Entry(partition, {"n": 1}) for partition in partitions])


def warnings(live, desired):
    """Without those of a new partition."""
    return [text for text in make_plan(snapshot(*live), desired).warnings if "is it spelled" not in text]


def absent(*partitions):
    return DesiredOffsets.absent([{"partition": partition} for partition in partitions])


def present(*partitions, n=2):
    return DesiredOffsets.present([{"partition": partition, "offset": {"n": n}} for partition in partitions])


# ---- N20: partitions of one server ------------------------------------------------------------------------------------

@pytest.mark.parametrize("live, removed, words", [
    (VITESS, VITESS[1:2], '2 partitions of vt-cdc of the same server inv stay: {"server": "inv", "shard": "task1_2_0"}, {"server": "inv"}.'),
    (VITESS, VITESS[:2], '1 partition of vt-cdc of the same server inv stays: {"server": "inv", "shard": "task1_2_0"}.'),
    (MONGO, MONGO[:1], '1 partition of vt-cdc of the same server inv stays: {"rs": "rs1", "server_id": "inv"}.'),
])
def test_siblings_that_stay(live, removed, words):
    found, = warnings(live, absent(*removed))
    assert found.startswith(words) and found.endswith("To have it begin anew, remove all of them.")
    found, = warnings(live, DesiredOffsets.document([{"partition": partition, "offset": None} for partition in removed]))
    assert found.startswith(words)


@pytest.mark.parametrize("live, desired", [
    (VITESS, absent(*VITESS[:3])), (VITESS, absent(VITESS[3])), (VITESS, DesiredOffsets.absent(None)), (VITESS, present(*VITESS[:1])),
    (VITESS, absent({"server": "inv", "shard": "not there"})), (MONGO, absent(*MONGO[:2])), (VITESS, present(VITESS[0])),
    ([{"filename": "a"}, {"filename": "b"}], absent({"filename": "a"})), ([{"server": 1}, {"server": 1, "x": 1}], absent({"server": 1})),
])
def test_no_sibling_stays(live, desired):
    assert not any("same server" in text for text in warnings(live, desired))


def test_many_siblings_are_counted():
    live = [{"server": "inv", "shard": str(number)} for number in range(50)]
    found, = warnings(live, absent(live[0]))
    assert found.startswith("49 partitions of vt-cdc of the same server inv stay: ") and found.count("shard") == 3 and ", ...." in found


# ---- E19: two protocols of one table ----------------------------------------------------------------------------------

GOES_ON = "without the one that is removed, the connector goes on from there"
SECOND = "the connector reads the former only if it finds no offset in the current form"
FIRST = "the connector reads the former first, so this change has no effect while that offset is there"


@pytest.mark.parametrize("live, desired, other, this, means", [
    ([OLD, NEW], absent(NEW), '{"table": "orders"}', '{"protocol": "1", "table": "shop.public.orders"}', GOES_ON),
    ([OLD, NEW], present(NEW), '{"table": "orders"}', '{"protocol": "1", "table": "shop.public.orders"}', SECOND),
    ([OLD, NEW], absent(OLD), '{"protocol": "1", "table": "shop.public.orders"}', '{"table": "orders"}', FIRST),
    ([OLD, NEW], present(OLD), '{"protocol": "1", "table": "shop.public.orders"}', '{"table": "orders"}', FIRST),
    ([OLD, SHORT], absent(SHORT), '{"table": "orders"}', '{"protocol": "1", "table": "orders"}', GOES_ON),
    ([OLD], present(NEW), '{"table": "orders"}', '{"protocol": "1", "table": "shop.public.orders"}', SECOND),
    ([NEW], present(OLD), '{"protocol": "1", "table": "shop.public.orders"}', '{"table": "orders"}', FIRST),
])
def test_the_other_protocol(live, desired, other, this, means):
    assert warnings(live, desired) == [f"vt-cdc: the offset of the same table under {other} stays, next to {this}: {means}. Declare or remove both."]


@pytest.mark.parametrize("live, desired", [
    ([OLD, NEW], absent(OLD, NEW)), ([OLD, NEW], present(OLD, NEW)), ([OLD, NEW], DesiredOffsets.absent(None)), ([OLD, RETURNS], absent(RETURNS)),
    ([OLD, NEW], present(OLD, NEW, n=1)), ([{"table": "ders"}, NEW], absent(NEW)), ([{"query": "query"}, NEW], absent(NEW)), ([NEW], absent(NEW)),
    ([{"table": "orders", "x": "1"}, NEW], absent(NEW)),
])
def test_no_other_protocol(live, desired):
    assert not any("same table" in text for text in warnings(live, desired))


def test_many_tables_are_counted():
    live = [partition for number in range(9) for partition in ({"table": f"t{number}"}, {"protocol": "1", "table": f"s.t{number}"})]
    found = warnings(live, absent(*live[1::2]))
    assert len(found) == 4 and found[-1] == "vt-cdc: the same goes for 6 more tables."


def test_what_puts_an_earlier_state_back_is_not_judged():
    assert make_plan(snapshot(*VITESS, OLD, NEW), DesiredOffsets.exactly(snapshot(*VITESS[1:], OLD))).warnings == []
