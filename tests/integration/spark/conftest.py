# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests that run Spark share. They need pyspark, and less of a stack than the others."""

from __future__ import annotations

import os

import pytest

from stack import ClusterSpec, Stack
from tests.integration.conftest import KEEP

#: Small data on a machine that others use: what takes the time is starting, and the compiler, which tests/verify has at work.
QUICK = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="session")
def live_stack(tmp_path_factory):
    """One worker and a broker with secured listeners: less than the other tests need."""
    kept = os.environ.get(KEEP)
    stack = Stack(kept or tmp_path_factory.mktemp("verify-stack"))
    stack.up({"main": ClusterSpec()}, secured=True)
    yield stack
    if not kept:
        stack.purge()
