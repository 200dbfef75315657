# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every playbook has to say so that it works in AWX, where an inventory sets neither connection nor Python, and a limit is usual."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.awx.data import ROOT

PLAYBOOKS = [*sorted((ROOT / "playbooks").glob("*.yml")), ROOT / "playbooks" / "private" / "rollout.yml"]
TASKS = [*PLAYBOOKS, *sorted((ROOT / "playbooks" / "tasks").glob("*.yml")), *sorted((ROOT / "roles").glob("*/tasks/*.yml"))]


def tasks_of(item: Any) -> Iterator[dict]:
    """All tasks in a file, those in blocks, too."""
    if isinstance(item, list):
        for one in item:
            yield from tasks_of(one)
    elif isinstance(item, dict):
        yield item
        for key in ("tasks", "pre_tasks", "post_tasks", "block", "rescue", "always"):
            yield from tasks_of(item.get(key))


@pytest.mark.parametrize("path", PLAYBOOKS, ids=lambda path: path.stem)
def test_every_play_runs_where_awx_runs_it(path):
    for play in yaml.safe_load(path.read_text()):
        if "ansible.builtin.import_playbook" in play:
            assert path.parent / play["ansible.builtin.import_playbook"] in PLAYBOOKS
            assert "default('all'" in play["vars"]["fleet__given"]["hosts"]
            # AWX lists a file as a playbook only if it has one of these at the beginning of a line.
            assert re.search(r"^\s*-?\s*(hosts|import_playbook):", path.read_text(), re.MULTILINE)
            continue
        # A play on localhost is skipped under a limit, and the job is green: what it was to verify would not be verified.
        assert re.search(r"(default\('all'|rollout_due)", play["hosts"]), play["hosts"]
        if path.stem == "awx_setup":
            assert "'all' if groups.all | default([]) | length > 0 else 'localhost'" in play["hosts"]
        else:
            assert "localhost" not in play["hosts"]
        # Else it is the first Python on the PATH, which may lack what the modules import.
        assert play["connection"] == "local" and play["vars"]["ansible_python_interpreter"] == "{{ ansible_playbook_python }}"
        # AWX's own order of the hosts of a group is another one each time; as listed is in order where the list is made by us.
        assert play["order"] == "sorted" or play["order"] == "inventory" and "rollout_due" in play["hosts"]
        assert play["gather_facts"] is False and "vars_prompt" not in play


def test_artifacts_are_whole_and_have_names_of_their_own():
    """By default Ansible adds up numbers and glues texts of several hosts; and an artifact wins over every variable of its name."""
    options = {name for path in (ROOT / "roles").glob("*/meta/argument_specs.yml")
               for spec in yaml.safe_load(path.read_text())["argument_specs"].values() for name in spec["options"]}
    found = [task["ansible.builtin.set_stats"] for path in TASKS for task in tasks_of(yaml.safe_load(path.read_text()))
             if "ansible.builtin.set_stats" in task]
    # The others are of the action report, which sets them whole.
    assert {name for stats in found for name in stats["data"]} == {"kafka_connect_verify"}
    assert all(stats["aggregate"] is False and not stats.get("per_host") for stats in found)
    assert not options & {"kafka_connect_check", "kafka_connect_apply", "kafka_connect_verify"}


def test_nothing_rests_on_the_fact_cache():
    """In AWX a second value did not replace the first one."""
    for path in TASKS:
        for task in tasks_of(yaml.safe_load(path.read_text())):
            assert "cacheable" not in str(task.get("ansible.builtin.set_fact")), path


def test_the_project_to_copy_has_what_the_templates_name(data):
    """With awx_setup_playbooks: "" the same playbooks are in its root, and AWX lists them."""
    folder = ROOT / "examples" / "awx_project"
    for template in data["controller_templates"]:
        name = template["playbook"].removeprefix("playbooks/")
        play, = yaml.safe_load((folder / name).read_text())
        assert play["import_playbook"] == f"streamops.kafka_connect.{name.removesuffix('.yml')}"
        assert re.search(r"^\s+import_playbook:", (folder / name).read_text(), re.MULTILINE)
    required, = yaml.safe_load((folder / "collections" / "requirements.yml").read_text())["collections"]
    assert required["version"] == yaml.safe_load((ROOT / "galaxy.yml").read_text())["version"]
    inventory = yaml.safe_load((folder / "inventory" / "hosts.yml").read_text())["all"]["children"]
    assert {"canary", "eu", "us"} == set(inventory)
