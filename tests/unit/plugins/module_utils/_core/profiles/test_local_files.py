# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.local_files import behind_the_end, check_positions


@pytest.fixture
def file(tmp_path):
    found = tmp_path / "in.txt"
    found.write_bytes(b"alpha\nbeta\n")
    return found


def plan_for(path, offset, **more):
    return make_plan(Snapshot("c", "source"), DesiredOffsets.present([{"partition": {"filename": str(path), **more}, "offset": offset}]))


@pytest.mark.parametrize("position", [12, 100, 2**63 - 1, -1])
def test_a_position_that_is_not_in_the_file_is_refused(file, position):
    plan = plan_for(file, {"position": position})
    with pytest.raises(DeclarationError) as caught:
        check_positions(plan, False)
    assert caught.value.message.startswith(f"The position {position} of c in {file} is not in the file, which has 11 bytes")
    assert caught.value.message.endswith("Declare a position from 0 to 11, or use force: true.")
    assert check_positions(plan, True) == [f"The position {position} of c in {file} is not in the file, which has 11 bytes."]


@pytest.mark.parametrize("position, inside", [(0, False), (6, False), (11, False), (2, True), (5, True), (10, True)])
def test_a_position_inside_of_a_line_is_a_warning(file, position, inside):
    found = check_positions(plan_for(file, {"position": position}), False)
    assert found == ([f"The position {position} of c in {file} is inside of a line: the first record is the rest of that line."] if inside else [])


def test_what_cannot_be_seen_or_is_something_else(file, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for plan in (plan_for(tmp_path / "missing", {"position": 100}), plan_for("in.txt", {"position": 100}), plan_for(tmp_path, {"position": 2**62}),
                 plan_for(tmp_path / "pipe", {"position": 100}), plan_for(file, {"position": 100, "line": 3}), plan_for(file, {"line": 100}),
                 plan_for(file, {"position": "100"}), plan_for(file, {"position": 100}, zip="a"), plan_for("/a\0b", {"position": 100})):
        assert check_positions(plan, False) == []


def test_a_removal_is_no_position(file):
    live = Snapshot("c", "source", [Entry({"filename": str(file)}, {"position": 100})])
    assert check_positions(make_plan(live, DesiredOffsets.absent(None)), False) == []


def test_a_live_position_that_the_file_has_not_any_more(file, tmp_path):
    entries = [Entry({"filename": str(path)}, {"position": position}) for path, position in ((file, 12), (tmp_path / "gone", 5), ("rel", 99))]
    assert behind_the_end(Snapshot("c", "source", entries)) == [
        f"c is at 12 in {file}, which has 11 bytes: the file was truncated or replaced, and nothing of it is read until it has grown beyond that."]
    file.write_bytes(b"x" * 12)
    assert behind_the_end(Snapshot("c", "source", entries)) == []
