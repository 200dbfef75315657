# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever comes from outside is read, or refused by an error of the collection: no other exception, no endless loop, no write.

STREAMOPS_FUZZ is the number of inputs for each target, STREAMOPS_FUZZ_SEED the first of their seeds (`make fuzz`: 100,000). One input has one seed, which
a failure names.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import WRITES
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.fuzz.mutator import Mutator
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.fuzz.targets import OURS, TARGETS

COUNT = int(os.environ.get("STREAMOPS_FUZZ") or 700)
SEED = int(os.environ.get("STREAMOPS_FUZZ_SEED") or 1)
#: seconds of the processor that one input may take
MOST = 20

_forbidden = False


def _audit(event: str, arguments: tuple) -> None:
    """Files that are opened to be written, renamed, removed; processes and connections."""
    if not _forbidden:
        return
    flags = arguments[2] if event == "open" else 0
    if event in ("os.rename", "os.remove", "os.link", "os.truncate", "subprocess.Popen", "socket.connect") or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        raise AssertionError(f"{event} {arguments}")


sys.addaudithook(_audit)


class Endless(BaseException):
    """Passes every except Exception."""


def _stop(_number, _frame) -> None:
    raise Endless(f"more than {MOST} s")


def _fault(read) -> tuple | None:
    """(its kind, the last line of the collection, the traceback) of what should not have come."""
    global _forbidden
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST)
    _forbidden = True
    try:
        read()
    except OURS as error:
        assert error.message
    except (Exception, Endless) as error:
        _forbidden = False
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/plugins/" in frame.filename]
        place = f"{frames[-1].filename.rpartition('/plugins/')[2]}:{frames[-1].lineno}" if frames else "?"
        return type(error).__name__, place, "".join(traceback.format_exception(error)[-3:])
    finally:
        _forbidden = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_that_nobody_should_send(name, tmp_path):
    previous = signal.signal(signal.SIGVTALRM, _stop)
    faults = {}
    try:
        for seed in range(SEED, SEED + COUNT):
            given, read = TARGETS[name](Mutator(seed), tmp_path)
            WRITES.made = False
            found = _fault(read)
            assert not WRITES.made, (seed, given)
            if found:
                kept = faults.setdefault(found[:2], (seed, given, found[2]))
                if len(repr(given)) < len(repr(kept[1])):
                    faults[found[:2]] = (seed, given, found[2])
    finally:
        signal.signal(signal.SIGVTALRM, previous)
    assert not faults, "\n\n".join(f"{kind} at {place}, seed {seed}, input {given!r:.600}\n{text}" for (kind, place), (seed, given, text) in faults.items())
