# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
import threading

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _follow
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._show import printable

MARKS = re.compile(r"job: \d+ s")


def test_the_newest_complete_line_counts():
    assert _follow.newest("job: 1 s a\njob: 2 s b\nnoise\njob: 3", MARKS) == ("job: 2 s b", "job: 3")
    assert _follow.newest("noise\n", MARKS) == (None, "")
    assert _follow.newest("job: 1 s", MARKS) == (None, "job: 1 s")


@pytest.mark.parametrize("elapsed, seconds", [(0, 5), (100, 5), (200, 10), (7200, 60)])
def test_a_long_job_says_less(elapsed, seconds):
    assert _follow.pause(elapsed) == seconds


def test_a_log_that_comes_to_be_is_followed_to_the_end_of_the_job(tmp_path, monkeypatch):
    monkeypatch.setattr(_follow, "_LOOK", 0.01)
    monkeypatch.setattr(_follow, "_LEAST", 0.0)
    said, heard = [], threading.Event()

    def say(line):
        said.append(line)
        heard.set()

    with _follow.following(str(tmp_path / "a-*.log"), MARKS, say):
        with open(tmp_path / "a-1.log", "w", encoding="utf-8") as log:
            for line in ("job: 5 s, half\n", "job: 9 s, almost\n"):
                print("noise", file=log)
                log.write(line)
                log.flush()
                assert heard.wait(10)
                heard.clear()
    assert said == ["job: 5 s, half", "job: 9 s, almost"]
    assert not [one for one in threading.enumerate() if getattr(one, "_target", None) is _follow._follow]


def test_without_a_log_nothing_is_said(tmp_path):
    with _follow.following(str(tmp_path / "none.log"), MARKS, pytest.fail):
        pass


def test_figures_can_be_read_and_a_terminal_obeys_nothing():
    assert printable("4\u202f000 records\x1b[2J\n") == "4 000 records?[2J"
