# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One real worker, a broker with secured listeners, and the versions of ansible-core that the session `cores` of the noxfile has found."""

from __future__ import annotations

import json
import os
import uuid

import pytest

from stack import ClusterSpec, Stack
from tests.cores.support import Core
from tests.integration.support.worker import Worker

NEWEST = "2.21"
#: for what templates do to types; all else is tested on the oldest in the other sessions
SUPPORTED = ("2.19", NEWEST)


@pytest.fixture(scope="session")
def endpoints(tmp_path_factory):
    """STREAMOPS_STACK_DIR names a stack that runs already, for fast rounds while developing; it is left running."""
    kept = os.environ.get("STREAMOPS_STACK_DIR")
    stack = Stack(kept or tmp_path_factory.mktemp("stack"))
    yield stack.up({"main": ClusterSpec()}, secured=True)
    if not kept:
        stack.purge()


@pytest.fixture(scope="session")
def worker(endpoints) -> Worker:
    return Worker(endpoints["clusters"]["main"]["urls"][0])


def pytest_generate_tests(metafunc):
    if "core" in metafunc.fixturenames:
        both = metafunc.module.__name__.endswith(("test_modules", "test_topic"))
        metafunc.parametrize("core", SUPPORTED if both else [NEWEST], indirect=True, scope="session")


@pytest.fixture(scope="session")
def core(request) -> Core:
    """STREAMOPS_CORES is JSON: {"2.21": "/path/to/ansible-playbook", ...}."""
    found = json.loads(os.environ.get("STREAMOPS_CORES") or "{}")
    if request.param not in found:
        pytest.skip(f"no ansible-core {request.param} in STREAMOPS_CORES")
    return Core(request.param, found[request.param])


@pytest.fixture(scope="session")
def make(worker):
    """make(config, state="STOPPED", offsets=None) -> name of a new connector, deleted at the end."""
    made = []

    def make(config: dict, state: str = "STOPPED", offsets: list | None = None) -> str:
        name = f"c-{uuid.uuid4().hex[:8]}"
        made.append(name)
        worker.create(name, {"topic": name, **config}, state)
        if offsets:
            worker.set_offsets(name, offsets)
        return name

    yield make
    for name in made:
        worker.delete(name)
