# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.partition_rewrite import rewrite


def rewritten(rules, *partitions):
    found = rewrite([{"partition": partition, "offset": {"o": number}} for number, partition in enumerate(partitions)], rules)
    assert [item["offset"] for item in found] == [{"o": number} for number in range(len(partitions))]
    return [list(item["partition"].items()) for item in found]


@pytest.mark.parametrize("rules, after", [
    ([], [[("a", 1), ("b", "x")], [("a", 2), ("b", "y")]]),
    ([{"field": "b", "to": "z"}], [[("a", 1), ("b", "z")], [("a", 2), ("b", "z")]]),
    ([{"field": "b", "from": "x", "to": None}], [[("a", 1), ("b", None)], [("a", 2), ("b", "y")]]),
    ([{"field": "a", "name": "n"}], [[("n", 1), ("b", "x")], [("n", 2), ("b", "y")]]),
    ([{"field": "a", "from": 2, "name": "n"}], [[("a", 1), ("b", "x")], [("n", 2), ("b", "y")]]),
    ([{"field": "c", "to": "1", "add": True}], [[("a", 1), ("b", "x"), ("c", "1")], [("a", 2), ("b", "y"), ("c", "1")]]),
    # one after the other
    ([{"field": "b", "from": "x", "to": "y"}, {"field": "b", "from": "y", "to": "w"}],
     [[("a", 1), ("b", "w")], [("a", 2), ("b", "w")]]),
])
def test_rules(rules, after):
    assert rewritten(rules, {"a": 1, "b": "x"}, {"a": 2, "b": "y"}) == after


def test_a_number_of_64_bits_stays_exact():
    assert rewritten([{"field": "b", "to": 2**63 - 1}], {"a": 2**62 + 1, "b": 0}) == [[("a", 2**62 + 1), ("b", 2**63 - 1)]]


@pytest.mark.parametrize("rule, words", [
    ("b=z", 'rewrite[0] must be a dictionary with field, from, to, name and add, it is the text "b=z".'),
    ({"field": "b", "to": 1, "value": 2}, "rewrite[0] must be a dictionary with field, from, to, name and add, it is the dictionary"),
    ({"to": 1}, "rewrite[0].field must be the name of a field of the partitions, it is null."),
    ({"field": 1, "to": 1}, "rewrite[0].field must be the name of a field of the partitions, it is the integer 1."),
    ({"field": "b"}, "rewrite[0] must have either to, another value, or name, another name."),
    ({"field": "b", "to": 1, "name": "c"}, "rewrite[0] must have either to, another value, or name, another name."),
    ({"field": "b", "to": {"c": 1}}, "rewrite[0].to is the dictionary"),
    ({"field": "b", "to": 2**63}, "rewrite[0].to is 9223372036854775808, which does not fit into the 64 bits of a Connect offset."),
    ({"field": "b", "name": ""}, 'rewrite[0].name must be a name, it is the text "".'),
    ({"field": "b", "name": "c", "add": True}, "rewrite[0].add goes with to, and without from."),
    ({"field": "b", "from": 1, "to": 2, "add": True}, "rewrite[0].add goes with to, and without from."),
    ({"field": "c", "to": 1}, "rewrite[0] fits none of the 2 partitions: none has c."),
    # the type counts
    ({"field": "a", "from": "1", "to": 3}, 'rewrite[0] fits none of the 2 partitions: none has a of the value the text "1".'),
    ({"field": "a", "to": 3}, 'The partitions {"a": 1, "b": "x"} and {"a": 2, "b": "x"} would become the same: {"a": 3, "b": "x"}.'),
    ({"field": "a", "name": "b"}, 'The partition {"a": 1, "b": "x"} has a field b already, so a cannot be called that.'),
])
def test_rules_that_are_wrong(rule, words):
    with pytest.raises(DeclarationError) as caught:
        rewritten([rule], {"a": 1, "b": "x"}, {"a": 2, "b": "x"})
    assert caught.value.message.startswith(words)


def test_what_is_no_pair_is_left_to_others():
    found = rewrite([None, {"partition": 1}, {"partition": {"a": 1}}], [{"field": "a", "to": 2}])
    assert found == [None, {"partition": 1}, {"partition": {"a": 2}}]
