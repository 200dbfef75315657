# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts themselves: the API server, Strimzi's definitions, and that the stand-in does what the operator was seen to do."""

from __future__ import annotations

import pytest

from tests.integration.support.configs import at, shaped
from tests.integration.support.operator.stand_in import CONNECTORS
from tests.integration.support.worker import wait_until

BOTH = pytest.mark.parametrize("strimzi", ["1.2", "0.51"], indirect=True)
LONG = 600.0  # seconds between ticks, where one would hide what is looked at


@BOTH
def test_list_stop_alter_reset(connect, namespace, strimzi):
    namespace.connector("orders", shaped(topic="orders"))
    namespace.await_state("orders", "RUNNING")
    wait_until(lambda: connect.offsets("orders") == [at(4)])
    namespace.annotate(CONNECTORS, "orders", "list")
    namespace.await_done(CONNECTORS, "orders")
    assert namespace.data("orders-offsets") == {"offsets": [at(4)]}
    assert namespace.conditions(CONNECTORS, "orders") == [("Ready", "")]

    namespace.set_state("orders", "stopped")
    namespace.await_state("orders", "STOPPED")
    namespace.put_data("orders-alter", {"offsets.json": '{"offsets": [{"partition": {"p": 0}, "offset": {"n": 1}}]}'})
    namespace.annotate(CONNECTORS, "orders", "alter")
    namespace.await_done(CONNECTORS, "orders")
    assert connect.offsets("orders") == [at(1)]

    namespace.annotate(CONNECTORS, "orders", "reset")
    namespace.await_done(CONNECTORS, "orders")
    assert connect.offsets("orders") == []
    namespace.annotate(CONNECTORS, "orders", "list")
    namespace.await_done(CONNECTORS, "orders")
    assert namespace.data("orders-offsets") == {"offsets": []}
