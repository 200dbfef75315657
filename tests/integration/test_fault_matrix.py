# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""At each phase of a change, each fault, with each store: the next run of the same task ends it, with one replay, and the one after that
changes nothing. What the first one says is so.

All of it takes most of an hour (`make faults`); without STREAMOPS_FAULTS=all the cells of SHORT are run.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stack import Stack
from tests.integration.support.fault_stores import (
    CHANGE,
    CHANGED,
    LEFT,
    PHASES,
    RESUME,
    STOP,
    STOPPED,
    STORES,
    OffsetsTopic,
    RestSink,
    RestSource,
    StandaloneFile,
)
from tests.integration.support.faults import FAULTS, SKEW, Scene
from tests.integration.support.modules import run_module
from tests.integration.support.worker import wait_until

SOURCE, SINK, TOPIC, FILE = (store.name for store in (RestSource, RestSink, OffsetsTopic, StandaloneFile))

#: (phase, fault, store): each store, and each fault but for those whose end takes half a minute, at the moments at which most can go wrong
SHORT = [
    *((phase, "kill -9", SOURCE) for phase in PHASES), (CHANGED, "kill -9", SINK),
    *((phase, "kill -9", TOPIC) for phase in (STOPPED, CHANGED, RESUME)),
    (CHANGE, "kill -9", FILE), (CHANGED, "kill -9", FILE),
    (STOP, "SIGTERM", SOURCE), (CHANGE, "SIGTERM", TOPIC), (RESUME, "SIGINT", SOURCE),
    (STOPPED, "worker restarted", SOURCE), (RESUME, "broker restarted", SOURCE),
    (CHANGE, "answer lost", SINK), (STOP, "answer late", SOURCE), (RESUME, "connection cut", SOURCE),
    (CHANGE, "disk full", FILE), (CHANGED, "disk full", SOURCE), (CHANGED, "two controllers", TOPIC), (STOPPED, SKEW, SOURCE)]


def possible(phase: str, fault: str, store: str) -> bool:
    """Can the fault hit this store at this phase, and is it then another one than that of the phase before?"""
    kind, what = STORES[store], FAULTS[fault]
    moment = kind.moments.get(phase)
    return (moment is not None and (not what.part or what.part in kind.parts) and (what.by_request <= (moment.wanted is not None))
            and (what.after or not moment.carried_out))


EVERY = [(phase, fault, store) for store in STORES for fault in FAULTS for phase in PHASES if possible(phase, fault, store)]
assert set(SHORT) <= set(EVERY)
CELLS = EVERY if os.environ.get("STREAMOPS_FAULTS") == "all" else SHORT


class Scenery(NamedTuple):
    stack: Stack
    cluster: Any
    kafka: Any
    make_on: Any
    run: Any
    folder: Path


@pytest.fixture
def scene(request, live_stack, main, kafka, make_on, run, tmp_path):
    """scene(phase, fault, store) -> Scene, which is to begin."""
    opened = []

    def scene(phase: str, fault: str, store: str) -> Scene:
        ledger = {"ledger": "topic", "bootstrap_servers": [kafka.bootstrap_servers]}
        if fault == "disk full" or store == FILE:
            ledger = {"ledger": "file", "ledger_file": str(tmp_path / "ledger.json"),
                      "backup": True, "backup_file": str(tmp_path / "before.json")}
        kept = STORES[store](Scenery(live_stack, main, kafka, make_on, run, tmp_path), ledger)
        opened.append(kept)
        kept.set_up()
        opened.append(Scene(kept, kept.moments[phase], FAULTS[fault], tmp_path))
        return opened[-1]

    yield scene
    for one in reversed(opened):
        one.close()


@pytest.mark.parametrize(("phase", "fault", "store"), CELLS, ids=["-".join(cell) for cell in CELLS])
def test_next_run(phase, fault, store, scene, run, record_property):
    record_property("cell", [phase, fault, store])
    hit = scene(phase, fault, store)
    hit.begin()
    first, second = hit.end()
    kept = hit.store
    record_property("first", " and ".join(words(one) for one in (first, second) if one is not None) or "killed")
    for result in (first, second):
        if result is not None:
            is_so(result, kept)
        if second is not None:
            assert not result["failed"], result["msg"]
    task = {**kept.task(None), "backup_file": None, "backup": None}
    if fault == "kill -9":
        assert left(task) == (*LEFT[phase], None if store == FILE else "RUNNING")
    dry = run("connector_offsets", check=True, **task)
    again = run("connector_offsets", **task)
    record_property("next", words(again))
    assert not again["failed"], again["msg"]
    assert not dry["failed"], dry["msg"]
    # another run is at work meanwhile, or what was committed when a broker was killed is seen only by a run that writes
    unsure = second is not None or any("A transaction is open on" in text for text in dry["warnings"])
    assert (dry["changed"], dry["already_applied"]) == (again["changed"], again["already_applied"]) or unsure
    kept.await_running()
    whole = kept.FIRST + kept.REPLAY
    wait_until(lambda: len(kept.delivered()) >= len(whole) and kept.is_at_the_end(), reason="the replay")
    before = kept.live()
    third = run("connector_offsets", **task)
    assert (third["failed"], third["changed"], third["already_applied"]) == (False, False, True), third
    record_property("declared", len(kept.REPLAY))
    record_property("again", len(kept.delivered()) - len(kept.FIRST))
    assert kept.delivered() == whole and kept.live() == before
    assert left(task) == ("applied", True, None)


def words(result: dict) -> str:
    return "failed" if result["failed"] else "already made" if result["already_applied"] and not result["changed"] else "made"


def left(task: dict) -> tuple:
    """What the ledger holds of the change: its phase, whether what was there before is known, and the state that is due."""
    options = {key: task[key] for key in ("ledger", "ledger_file", "bootstrap_servers", "connect_url", "offset_file") if key in task}
    found = run_module("connector_changes_info", {"connector": task["name"], **options})
    assert not found["failed"], found["msg"]
    change, = found["changes"]
    return change["phase"], change["before"] is not None, change["state_to_restore"]


def is_so(result: dict, kept) -> None:
    """What a run has said, right after its end: nobody has done anything since."""
    if not result["failed"]:
        kept.await_running() if kept.state() else None
        return
    text, state = result["msg"], kept.state()
    assert result["msg"].endswith((".", "!")) and "Traceback" not in text, text
    if "Nothing was changed." in text:
        assert not result.get("changed") and state in (None, "RUNNING") and kept.live() == [kept.before], text
    if "The offsets are as they were" in text and "so far" not in text:
        assert kept.live() == [kept.before], text
    if state not in (None, "RUNNING"):
        assert re.search("stopped|is not RUNNING again", text) and re.search("Resume it by PUT|[Rr]un the same again", text), text
