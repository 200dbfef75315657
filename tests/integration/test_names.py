# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""C20: every name that Connect takes, for every module; and what is said of those that a 4.x worker does not take in a URL."""

from __future__ import annotations

import uuid

import pytest

from tests.integration.support.configs import at, shaped
from tests.integration.support.worker import wait_until

NAMES = ["my conn", "q?x#y", "a+b", "a;b", "east->west.MirrorSourceConnector", "café-🚚", "a&b=c", "glob[1]*", "..dots"]
#: a 4.x worker answers these with an HTML page to every call that has them in its URL
AMBIGUOUS = ["a/b", "x%2Fy", "100%", "a\\b"]


@pytest.mark.parametrize("stem", NAMES)
def test_c20_works_for_all_modules(stem, run, worker, kafka, main):
    name = f"{stem} {uuid.uuid4().hex[:6]}"
    try:
        assert run("connector", name=name, config=shaped(topic="c20"), initial_state="stopped")["created"] is True
        assert worker.exists(name)
        assert run("connector_offsets", name=name, offsets=[at(7)])["changed"] is True
        assert worker.offsets(name) == [at(7)]
        assert run("connector_offsets_info", name=name)["offsets"] == [at(7)]
        assert run("connector_state", name=name, state="started")["changed"] is True
        assert worker.state(name) == ("RUNNING", ["RUNNING"])
        assert run("connector_offsets", name=name, offsets=[at(6)], stop=True)["changed"] is True
        info = run("connector_info", name=[name])
        assert [found["name"] for found in info["connectors"]] == [name] and info["missing"] == []
        assert run("connector_state", name=name, state="stopped")["changed"] is True
        assert run("connector_offsets", name=name, state="absent")["changed"] is True
        assert worker.offsets(name) == []
        assert run("connector", name=name, state="absent")["changed"] is True
        assert not worker.exists(name)
    finally:
        worker.delete(name)


@pytest.mark.parametrize("stem", AMBIGUOUS)
def test_c20_clear_message_on_4_3_1(stem, run, worker, recorder):
    """They can be created by POST, and then no call of a 4.x worker takes their name."""
    name = f"{stem}-kept-by-the-tests"
    if not worker.exists(name):
        worker.must("POST", "connectors", {"name": name, "config": shaped(topic="c20"), "initial_state": "STOPPED"})
        wait_until(lambda: worker.exists(name), reason=f"{name} in the list")
    calls = {
        "connector_offsets_info": {}, "connector_offsets": {"offsets": [at(1)]}, "connector_state": {"state": "started"},
        "connector": {"config": shaped(topic="other")},
    }
    for module, arguments in calls.items():
        for check in (True, False):
            result = run(module, check=check, name=name, connect_url=[recorder.url], **arguments)
            assert result["failed"], module
            for words in ('"/", "%" or "\\"', "4.0", "offsets topic"):
                assert words in result["msg"], f"{module}: {result['msg']}"
    gone = run("connector", name=name, state="absent", connect_url=[recorder.url])
    assert gone["failed"] and "4.0" in gone["msg"]
    assert recorder.verbs == {"GET"}
    found, = run("connector_info", name=[name])["connectors"]
    assert (found["name"], found["state"], found["config"]["topic"]) == (name, "STOPPED", "c20")


@pytest.mark.parametrize("stem", AMBIGUOUS)
def test_c20_works_on_3_5_2(stem, run, v35):
    name = f"{stem} {uuid.uuid4().hex[:6]}"
    url = {"connect_url": [v35.url], "name": name}
    try:
        assert run("connector", config=shaped(topic="c20", records_per_partition=3), **url)["created"] is True
        assert v35.worker.exists(name)
        assert run("connector_state", state="started", **url)["changed"] is False
        assert run("connector_state", state="stopped", **url)["changed"] is True
        assert v35.worker.state(name) == ("STOPPED", [])
        info = run("connector_offsets_info", **url)
        assert info["connector_exists"] is True and info["offsets"] == v35.worker.offsets(name)
        assert run("connector_info", **{**url, "name": [name]})["connectors"][0]["state"] == "STOPPED"
        too_old = run("connector_offsets", offsets=[at(99)], **url)
        assert too_old["failed"] and "3.6" in too_old["msg"] and "3.5.2" in too_old["msg"]
        assert run("connector", state="absent", **url)["changed"] is True
        assert not v35.worker.exists(name)
    finally:
        v35.worker.delete(name)


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_names_that_no_url_can_hold(name, run, recorder):
    for module, arguments in (("connector_offsets", {"state": "absent"}), ("connector_state", {"state": "stopped"}),
                              ("connector", {"state": "absent"}), ("connector_offsets_info", {})):
        result = run(module, name=name, connect_url=[recorder.url], **arguments)
        assert result["failed"] and "name" in result["msg"], module
    assert recorder.requests == []


# ---- names that do not exist -----------------------------------------------------------------------------------------------


def test_did_you_mean(make, run, kafka, main):
    name = make(shaped())
    wrong = name[:-2] + name[-1]  # the dash is missing
    brokers = {"bootstrap_servers": [kafka.bootstrap_servers], "offset_topic": main.offset_topic}
    for module, options in (("connector_state", {"state": "stopped"}), ("connector_offsets", {"state": "absent"}),
                            ("connector_offsets", {"copy_from": wrong, "name": name}), ("connector_state", {"state": "restarted"})):
        result = run(module, **{"name": wrong, **options})
        assert result["failed"] and f"Did you mean {name}" in result["msg"], result["msg"]
    for module, options in (("connector_offsets", {"state": "absent", **brokers}), ("connector_info", {"name": [wrong]})):
        result = run(module, **{"name": wrong, **options})
        assert not result["changed"] and any(f"Did you mean {name}" in text for text in result["warnings"]), result
