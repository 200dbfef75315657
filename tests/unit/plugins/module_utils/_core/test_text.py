# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean, json_value


@pytest.mark.parametrize("name, known, hint", [
    ("order-sink", ["orders-sink", "returns-source"], " Did you mean orders-sink?"),
    ("Orders-Sink", ["orders-sink"], " Did you mean orders-sink?"),
    ("orders-sin", ["orders-sink-1", "orders-sink"], " Did you mean orders-sink or orders-sink-1?"),
    ("orders", ["returns", "x"], ""),
    ("orders", [], ""),
    ("pos", ["filename", "position"], " Did you mean position?"),
    ("p", ["position"], ""),
])
def test_did_you_mean(name, known, hint):
    assert did_you_mean(name, known) == hint


@pytest.mark.parametrize("text", [
    "{}", b'{"a": "\xc3\xa9"}', ' {"a": 1} ', '{"a": 1}x', "", " ", "NaN", "[1,", '"a', "5 5", "\n5", "1e400", '{"a": 1, "a": 2}'])
def test_json_value_reads_what_json_does(text):
    def outcome(read):
        try:
            return repr(read(text))
        except ValueError as error:
            return str(error)

    assert outcome(json_value) == outcome(json.loads)


@pytest.mark.parametrize("text", ["[" * 100000, b'{"a":' * 100000])
def test_json_value_of_what_is_nested_too_deeply(text):
    with pytest.raises(ValueError, match="nested too deeply"):
        json_value(text)
