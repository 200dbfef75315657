# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real ansible-playbook runs against an inventory of Connect clusters."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import ansible_collections.streamops.kafka_connect as collection

from tests.integration.support.ansible_playbook import ansible_playbook

#: characters that a line of a table has at most
LINE = 120

RESET = "streamops.kafka_connect.reset_offsets"

_RECAP = re.compile(r"^(\S+)\s+: (ok=.*)$", re.MULTILINE)


class Play:
    """What one run printed."""

    def __init__(self, done: subprocess.CompletedProcess) -> None:
        self.rc = done.returncode
        self.stdout = done.stdout
        self.stderr = done.stderr
        #: host -> {"ok": n, "changed": n, "failed": n, ...}
        self.recap = {
            host: {name: int(number) for name, number in (part.split("=") for part in counts.split())}
            for host, counts in _RECAP.findall(done.stdout)
        }

    @property
    def text(self) -> str:
        return self.stdout + self.stderr

    def shown(self, task: str) -> list[str]:
        """The lines of the last table that a task of that name has shown, none longer than a terminal has room for."""
        found = re.findall(rf"^TASK \[{re.escape(task)}\] \**\n(.*?)^(?:ok|fatal|changed): \[", self.stdout, re.MULTILINE | re.DOTALL)
        assert found, f"no table of {task}:\n{self.text}"
        lines = found[-1].splitlines()
        assert all(len(line) <= LINE or re.search(r"(: |  )/", line) for line in lines), found[-1]  # a path stays whole
        return lines

    @property
    def rows(self) -> dict[str, dict[str, str]]:
        """The summary: cell by heading, of each connector; of one that is on several clusters that of the last one."""
        lines = self.shown("Sum up")
        head = next(number for number, line in enumerate(lines) if line.startswith("CLUSTER "))
        cells = [re.split(r" {2,}", line) for line in lines[head:]]
        return {row[1]: dict(zip(cells[0], row, strict=True)) for row in cells[1:] if len(row) == len(cells[0])}

    def report(self, host: str) -> list[str]:
        """The part of a report that is about one host."""
        lines = self.shown("Show the report")
        begin = next(number for number, line in enumerate(lines) if line.startswith(f"{host}: "))
        others = (*(f"{other}: " for other in self.recap if other != host), f"{len(self.recap)} clusters: ")
        end = next((number for number in range(begin, len(lines)) if lines[number].startswith(others)), len(lines) + 1)
        return lines[begin:end - 1]

    def failure(self, host: str) -> str:
        """The last failure of one host, as printed, on one line."""
        found = re.findall(rf"^(?:fatal|failed): \[{re.escape(host)}\].*?(?=^\S*(?:TASK|PLAY|fatal|failed|ok|changed|skipping)\b)",
                           self.stdout, re.MULTILINE | re.DOTALL)
        assert found, f"{host} did not fail:\n{self.text}"
        return " ".join(found[-1].split())

    def __str__(self) -> str:
        return self.text


class Playbooks:
    """Runs playbooks in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.backups = folder / "backups"

    def reset(self, hosts: dict[str, dict], connectors: Any = None, *options: str, **variables: Any) -> Play:
        """The collection's playbook; without connectors each host has its own reset_offsets_connectors."""
        if connectors is not None:
            variables["reset_offsets_connectors"] = connectors
        return self.run(RESET, hosts, *options, **variables)

    def run(self, playbook: str, hosts: dict[str, dict], *options: str, env: dict | None = None, groups: dict | None = None,
            **variables: Any) -> Play:
        """groups: name -> its hosts."""
        inventory = self.folder / "inventory.json"
        children = {name: {"hosts": dict.fromkeys(members)} for name, members in (groups or {}).items()}
        inventory.write_text(json.dumps({"all": {"hosts": hosts, "children": children}}))
        extra = self.folder / "extra.json"
        # Most tests have one Connect cluster under several names.
        given = {"reset_offsets_backup_dir": str(self.backups), "reset_offsets_settle": 0, "reset_offsets_check_position": "none",
                 "reset_offsets_allow_same_cluster": True, "restore_offsets_allow_same_cluster": True, **variables}
        extra.write_text(json.dumps(given))
        program = Path(sys.executable).with_name("ansible-playbook")
        return Play(ansible_playbook(program, "-i", str(inventory), "-e", f"@{extra}", *options, playbook, folder=self.folder,
                                     env={**environment(), **(env or {})}))


def environment() -> dict[str, str]:
    """Of a run that finds the collection, and nothing of this machine's own settings."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "KAFKA_"))}
    tree = Path(next(iter(collection.__path__))).parents[2]
    return {**clean, "ANSIBLE_COLLECTIONS_PATH": str(tree), "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "1",
            "ANSIBLE_FORKS": "4", "ANSIBLE_RETRY_FILES_ENABLED": "0", "ANSIBLE_LOCALHOST_WARNING": "0"}
