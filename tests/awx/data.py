# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The data of the role awx_setup as Ansible sees them, and what the playbooks and roles take."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
ROLE = ROOT / "roles" / "awx_setup"


def tool(name: str, *arguments: str, folder: Path = ROOT, **env: str) -> str:
    """What one of the programs in this environment prints."""
    command = [str(Path(sys.executable).with_name(name)), *arguments]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **env}, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def awx_data(folder: Path, **variables) -> dict:
    """Every variable of the role that holds data, by its name."""
    files = [ROLE / "defaults" / "main.yml", *sorted((ROLE / "vars" / "main").glob("*.yml"))]
    names = [name for file in files for name in yaml.load(file.read_text(), _Loader) if re.match("controller_|awx_setup_[a-z]", name)]
    target, play = folder / "data.json", folder / "dump.yml"
    wanted = ", ".join(f"'{name}': {name}" for name in names)
    content = "{{ {" + wanted + "} | to_json | string }}"
    tasks = [{"ansible.builtin.copy": {"content": content, "dest": str(target), "mode": "0600"}}]
    play.write_text(json.dumps([{"hosts": "localhost", "connection": "local", "gather_facts": False,
                                 "vars_files": [str(file) for file in files], "tasks": tasks}]))
    tool("ansible-playbook", "-e", json.dumps(variables), str(play), ANSIBLE_PYTHON_INTERPRETER=sys.executable)
    return json.loads(target.read_text())


class _Loader(yaml.SafeLoader):
    """Reads Ansible's tag for text that is no template."""


_Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def options_of(playbook: Path) -> dict[str, dict]:
    """What a playbook takes: option -> its spec in the roles that it brings in, {} if only the playbook itself knows it."""
    text = playbook.read_text()
    for name in re.findall(r"(?:(?:import|include)_tasks|import_playbook): ((?:tasks|private)/\S+)", text):
        text += (playbook.parent / name).read_text()
    known: dict[str, dict] = {name: {} for name in re.findall(r"\b[a-z]+_[a-z_]*[a-z]\b", text)}
    for role in re.findall(r"name: streamops\.kafka_connect\.(\w+)", text):
        specs = ROOT / "roles" / role / "meta" / "argument_specs.yml"
        if specs.exists():
            known.update(yaml.safe_load(specs.read_text())["argument_specs"]["main"]["options"])
    return known
