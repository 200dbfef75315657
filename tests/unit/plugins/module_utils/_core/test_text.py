# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean


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
