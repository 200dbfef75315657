# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting until the ends of topics stand still, by a clock of our own; the rest is tested on a real broker."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._topic_offsets import (
    READ_COMMITTED,
    _await_quiet,
    topic_offsets,
)


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


class Kafka:
    """The end of its one partition at a time, in records."""

    def __init__(self, clock: Clock, end) -> None:
        self.clock, self.end = clock, end

    def ends(self, _topic):
        return {0: self.end(self.clock.time)}, {0: -1}


@pytest.mark.parametrize(
    ("end", "answer", "seconds"),
    [
        (lambda time: 7, True, 5),  # nothing comes at all
        (lambda time: min(int(time), 12), True, 17),  # until the twelfth second
        (int, False, 30),  # for ever
        (lambda time: int(time) if time < 4 else 4 if time < 8 else 9, True, 13),  # a pause that is too short
    ],
)
def test_quiet(end, answer, seconds):
    clock = Clock()
    assert _await_quiet(Kafka(clock, end), ["t"], READ_COMMITTED, 5, 30, clock.sleep, clock.now) is answer
    assert clock.time == pytest.approx(seconds)


def test_negative():
    with pytest.raises(WishError, match="quiet must be 0 or more seconds, it is -1"):
        topic_offsets(None, ["t"], quiet=-1)
