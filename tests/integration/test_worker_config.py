# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""worker_config with the property file of a real distributed worker; offsets moved from a standalone worker to it and back."""

from __future__ import annotations

import pytest

from tests.integration.support.configs import FIRST, REPLAY, at
from tests.integration.support.modules import run_module
from tests.integration.support.worker import wait_until


@pytest.fixture
def config(live_stack, main) -> str:
    """The file that the main cluster's worker was started with."""
    wanted = f"offset.storage.topic={main.offset_topic}\n"
    found, = (path for path in live_stack.layout.conf.glob("*.properties") if wanted in path.read_text())
    return str(found)


def test_it_tells_brokers_topic_and_group(make_on, main, config, kafka, run):
    """All that the topic's method needs."""
    name = make_on(main, "STOPPED")
    result = run("connector_offsets", name=name, worker_config=config, method="topic", offsets=[at(1)])
    assert not result["failed"], result["msg"]
    assert (result["changed"], result["method"], result["offset_topic"], result["offset_file"]) == (True, "topic", main.offset_topic, None)
    assert main.worker.offsets(name) == [at(1)]
    found = run_module("connector_offsets_info", {"worker_config": config, "name": name})
    assert (found["offsets"], found["method"]) == ([at(1)], "topic")


def test_a_running_connector_is_found_without_a_url(running, config, main):
    """By the brokers, whom the file names."""
    desired = {"worker_config": config, "name": running, "offsets": [at(1)]}
    found = run_module("connector_offsets", desired)
    assert found["failed"] and "Without kafka_connect_url it is not known whether" in found["msg"]
    found = run_module("connector_offsets", {**desired, "assume_stopped": True})
    assert found["failed"] and "the brokers show a Connect worker that runs it" in found["msg"]
    assert main.worker.offsets(running) == [at(4)]


def test_from_a_standalone_worker_and_back(config, main, kafka, run, tmp_path, make_on):
    """Its file, written to a document, goes on the topic of a cluster, and what is there then into a new file."""
    name = make_on(main, "STOPPED")
    old, new, document = tmp_path / "old.offsets", tmp_path / "new.offsets", tmp_path / "offsets.json"
    for position in (1, 3):  # the document is what was there before the last change
        result = run_module("connector_offsets", {"offset_file": str(old), "name": name, "offsets": [at(position)], "backup": position == 3,
                                                  "backup_file": str(document)})
        assert not result["failed"], result["msg"]
    result = run("connector_offsets", name=name, worker_config=config, method="topic", src=str(document))
    assert not result["failed"], result["msg"]
    assert main.worker.offsets(name) == [at(1)]
    main.worker.put(name, "resume")
    wait_until(lambda: kafka.values(name) == FIRST + REPLAY, reason="what comes after the standalone worker's offset")
    wait_until(lambda: main.worker.offsets(name) == [at(4)])
    shown = run("connector_offsets_info", name=name)
    result = run_module("connector_offsets", {"offset_file": str(new), "name": name, "content": {"offsets": shown["offsets"]}})
    assert not result["failed"], result["msg"]
    assert run_module("connector_offsets_info", {"offset_file": str(new), "name": name})["offsets"] == [at(4)]


def test_of_the_wrong_kind(config, main, run):
    found = run_module("connector_offsets", {"worker_config": config, "name": "x", "offsets": [at(1)], "method": "file"})
    assert found["failed"] and "method: file needs offset_file, or worker_config of a standalone worker" in found["msg"]
