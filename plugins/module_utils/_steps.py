# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The steps of a change that many changes can take together, and who carries them out for one alone."""

from __future__ import annotations

from collections import namedtuple

#: kind     where on its way the change is; of many, those that are behind go on first
#: seconds  to wait
#: store, plan  what to write: the answer to the step is that of store.apply(plan)
#: state    RUNNING or PAUSED, to which the connector is about to be put back
Step = namedtuple("Step", ["kind", "seconds", "store", "plan", "state"], defaults=[None] * 4)

_READY, _HALT, _FRESH, _WRITE, _PAUSE, _RESUME = range(6)

#: everything was looked at, and nothing is changed so far
READY = Step(_READY)
#: the connector is about to be stopped
HALT = Step(_HALT)
#: it has stopped: what is read from here on has to be as of now
FRESH = Step(_FRESH)


def write(store, plan) -> Step:
    return Step(_WRITE, store=store, plan=plan)


def pause(seconds: float) -> Step:
    return Step(_PAUSE, seconds=seconds)


def resume(state: str) -> Step:
    return Step(_RESUME, state=state)


def alone(steps, sleep):
    """Take the steps of one change; what it returns. sleep(seconds)."""
    answer, error = None, None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as end:
            return end.value
        answer, error = None, None
        try:
            if step.store is not None:
                answer = step.store.apply(step.plan)
            elif step.seconds is not None:
                sleep(step.seconds)
        except Exception as found:
            error = found
