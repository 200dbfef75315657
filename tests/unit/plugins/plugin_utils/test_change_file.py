# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of a change, and answers beside it."""

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _change_file


def test_a_change_is_picked_by_its_name(tmp_path):
    (tmp_path / "CHG-7.yml").write_text("reset_offsets_connectors: [{name: a}]")
    (tmp_path / "CHG-8.yml").write_text("{reset_offsets_connectors: text, reset_offsets_change_id: other}")
    found = _change_file.change("CHG-7", str(tmp_path), {})
    assert found == {"path": str(tmp_path / "CHG-7.yml"), "error": "",
                     "variables": {"reset_offsets_connectors": [{"name": "a"}], "reset_offsets_change_id": "CHG-7"}}
    assert _change_file.change("CHG-8", str(tmp_path), {})["variables"]["reset_offsets_change_id"] == "other"
    none = _change_file.change("", "", {})
    assert not none["error"] and none["variables"] == {} and open(none["path"]).read().endswith("{}\n")


@pytest.mark.parametrize("name, content, words", [
    ("CHG-6", "", "There is no change CHG-6 in {folder}, there are CHG-9."), ("../CHG-9", "", "is no name of a change: letters"),
    (["x"], "", "is no name of a change"), ("CHG-9", "kafka_connect_url: http://evil", "must hold reset_offsets_connectors, and nothing but"),
    ("CHG-9", "{reset_offsets_connectors: [1], x: 1}", "must hold"), ("CHG-9", "[1]", "must hold"), ("CHG-9", "a: [", "cannot be read: ")])
def test_a_change_that_cannot_be_picked(name, content, words, tmp_path):
    (tmp_path / "CHG-9.yml").write_text(content)
    found = _change_file.change(name, str(tmp_path), {})
    assert words.format(folder=tmp_path) in found["error"] and not found["variables"] and found["path"].endswith("no_variables.yml")


@pytest.mark.parametrize("of_file, answer, said", [
    ({"final_state": "paused"}, {"final_state": "found"},
     "reset_offsets_final_state of {path} is paused, but found is given on the command line or in the survey."),
    ({"wait_timeout": 30}, {"wait_timeout": 120}, "reset_offsets_wait_timeout of {path} is 30, but 120 is given"),
    ({"serial": [1, "100%"]}, {"serial": "1"}, 'reset_offsets_serial of {path} is [1, "100%"], but 1 is given'),
    ({"final_state": "paused"}, {"final_state": ""}, ""),
    ({"final_state": "paused"}, {"final_state": None}, ""),
    ({"final_state": ""}, {"final_state": "started"}, ""),
    ({"wait_timeout": 30, "purge": True}, {"wait_timeout": "30", "purge": "true"}, ""),
    ({"final_state": "paused"}, {"wait_timeout": 9}, ""),
    ({}, {"connectors": "", "change_id": "CHG-X"}, ""),  # the name of the file is a default
])
def test_answers_that_contradict_the_file(of_file, answer, said, tmp_path):
    content = {"connectors": [{"name": "a"}], **of_file}
    (tmp_path / "CHG-7.yml").write_text(json.dumps({f"reset_offsets_{name}": value for name, value in content.items()}))
    found = _change_file.change("CHG-7", str(tmp_path), {f"reset_offsets_{name}": value for name, value in answer.items()})
    assert said.format(path=tmp_path / "CHG-7.yml") in found["error"] and bool(said) == bool(found["error"]), found


def test_what_was_left_open_is_as_the_file_says():
    file = {"reset_offsets_method": "topic", "reset_offsets_settle": 0, "reset_offsets_x": 1}
    given = {"method": "", "settle": 5, "ledger": "", "resource": None}
    assert _change_file.filled(given, file, "reset_offsets_") == {"method": "topic", "settle": 5, "ledger": "", "resource": None}
