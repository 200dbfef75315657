# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of roles and playbooks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _variables

ROOT = Path(_variables.__file__).resolve().parents[2]


@pytest.mark.parametrize("prefix", sorted(_variables.PLAYBOOKS))
def test_what_playbooks_and_roles_read_is_known_and_nothing_else(prefix):
    files = [*ROOT.glob("playbooks/*.yml"), *ROOT.glob("playbooks/*/*.yml"), *ROOT.glob("roles/*/tasks/*.yml"), *ROOT.glob("roles/*/vars/*.yml"),
             *ROOT.glob("plugins/action/*.py"), *ROOT.glob("roles/*/defaults/*.yml")]
    text = "\n".join(path.read_text() for path in files)
    text = re.sub(r"streamops\.kafka_connect\.\w+", "", text)
    read = set(re.findall(rf"\b{prefix}_[a-z]\w*", text))
    assert read - _variables.known(prefix) == set()
    own = {f"{prefix}_{name}" for name in _variables.PLAYBOOKS[prefix]}
    assert {name for name in own if name not in text} == set()


def test_a_typing_mistake():
    names = ["reset_offsets_conectors", "reset_offsets_serial", "reset_offsets__private", "reset_offsets_results", "kafka_connect_url", "reset_offsetsy"]
    assert _variables.unknown(names, "reset_offsets") == (
        "There is no variable reset_offsets_conectors. Did you mean reset_offsets_connectors?")


def test_what_is_like_nothing():
    assert _variables.unknown(["restore_offsets_x", "export_offsets_dst"], "restore_offsets", "export_offsets") == (
        "There is no variable restore_offsets_x. There is no variable export_offsets_dst. Did you mean export_offsets_dest?")


def test_all_that_is_known():
    assert _variables.unknown([name for prefix in _variables.PLAYBOOKS for name in _variables.known(prefix)], *_variables.PLAYBOOKS) == ""
    assert "reset_offsets_one_by_one" in _variables.known("reset_offsets") and "verify_replay_master" in _variables.known("verify_replay")
