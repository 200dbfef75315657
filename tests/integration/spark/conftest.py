# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests that run Spark share. They need pyspark, and less of a stack than the others."""

from __future__ import annotations

import os

import pytest

from stack import ClusterSpec, Stack
from stack.paths import cache_dir
from tests.integration.conftest import KEEP
from tests.verify.driver import java_options

#: The role fetches the jars into it once, and finds them there later. One for each pytest worker, as the role does not lock it.
JARS_DIR = str(cache_dir() / "role-jars" / os.environ.get("PYTEST_XDIST_WORKER", "gw0"))


def quick() -> dict[str, str]:
    """Settings of Spark for small data: without the compiler, which tests/verify has at work."""
    return {
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.extraJavaOptions": java_options(),
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
