# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of one ansible-core, in an environment with nothing of the caller's Ansible or Kafka settings."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ansible_collections.streamops.kafka_connect as collection

from tests.integration.support.ansible_playbook import ansible_playbook

_TREE = Path(next(iter(collection.__path__))).parents[2]
_FOREIGN = ("ANSIBLE_", "KAFKA_", "PYTHON")


@dataclass(frozen=True)
class Core:
    """One ansible-core and its ansible-playbook."""

    version: str
    program: str

    def run(self, folder: Path, playbook: str, *options: str, **environment: str) -> Run:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        settings = {
            "ANSIBLE_COLLECTIONS_PATH": str(_TREE),
            "ANSIBLE_LOCALHOST_WARNING": "0",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "no_proxy": "127.0.0.1",
        }
        inventory = folder / "inventory.json"
        inventory.write_text(json.dumps({"all": {"hosts": {"main": {"ansible_connection": "local"}}}}))
        done = ansible_playbook(self.program, "-i", str(inventory), *options, playbook, folder=folder,
                                env={**clean, **settings, **environment})
        return Run(done.returncode, done.stdout + done.stderr)


@dataclass(frozen=True)
class Run:
    """What ansible-playbook left: its exit code and all that it printed."""

    rc: int
    text: str

    @property
    def flat(self) -> str:
        """Without line ends and the marks of quoting, for sentences that Ansible has folded or quoted."""
        return " ".join(self.text.replace("\\", "").split())

    @property
    def changed(self) -> int:
        """How many tasks changed something."""
        found = re.search(r"^main +: .*\bchanged=(\d+)", self.text, re.MULTILINE)
        assert found, self.text
        return int(found[1])


def typed(value: Any) -> str:
    """A value as JSON: unlike Python's own == it tells 4, 4.0 and True from each other."""
    return json.dumps(value, sort_keys=True)


#: an offset of everything that templates may change on the way
RICH = {
    "n": 43,
    "max": 9223372036854775807,
    "scn": "28815377",
    "_id": '{"_data": "826500AB"}',
    "list": "[1,2]",
    "copy": "True",
    "ratio": 4.0,
    "huge": 1e22,
    "url": "mongodb://db1.example/café-🚚",
    "transaction_id": None,
    "snapshot": True,
}
