# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The variables of roles and playbooks by name: one with a typing mistake would be taken for "not given"."""

from __future__ import annotations

import functools
from pathlib import Path

import yaml
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean

_ROLES = Path(__file__).resolve().parents[2] / "roles"
_ROLLOUT = ("hosts", "canary", "serial", "max_fail_percentage", "skip_unready", "allow_same_cluster", "summary_file")

#: prefix -> what follows it in the variables of the playbook, besides the options of the role of that name
PLAYBOOKS = {
    "changes_report": ("connector", "dir", "hosts", "lines", "max_entries"),
    "connectors_report": ("connectors", "file", "hosts", "lines"),
    "export_offsets": ("connectors", "dest", "history", "hosts"),
    "import_offsets": ("accept_duplicates", "assume_stopped", "backup_dir", "change_id", "connectors", "final_state", "force", "hosts", "max_entries", "method",
                       "purge", "seed", "serial", "settle", "src", "wait_timeout"),
    "mirror_report": ("dir", "hosts", "lines", "max_entries", "topics"),
    "mirror_reset": ("hosts", "serial"),
    "offsets_report": ("dir", "file", "hosts", "lines", "max_entries"),
    "purge_offsets": ("change_id", "connectors", "hosts", "serial"),
    "reset_offsets": (*_ROLLOUT, "change", "changes_dir"),
    "restore_offsets": (*_ROLLOUT, "backup_file", "change_id", "connectors", "fail", "final_state", "force"),
    "verify_replay": ("hosts",),
}
#: facts that a role leaves
FACTS = {"mirror_reset": ("results",), "reset_offsets": ("approval", "predicted", "results"), "verify_replay": ("files", "report")}


@functools.lru_cache(maxsize=None)
def known(prefix: str) -> frozenset:
    """The variables with this prefix that mean something."""
    path = _ROLES / prefix / "meta" / "argument_specs.yml"
    specs = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"] if path.exists() else {}
    options = {name for spec in specs.values() for name in spec["options"]}
    return frozenset(options | {"%s_%s" % (prefix, name) for name in (*PLAYBOOKS.get(prefix, ()), *FACTS.get(prefix, ()))})


def unknown(names, *prefixes: str) -> str:
    """Why a run is refused, empty if it is not. names: of all variables of the host. Two underscores behind a prefix are for what is private."""
    found = [(name, prefix) for prefix in prefixes for name in sorted(names)
             if name.startswith(prefix + "_") and not name.startswith(prefix + "__") and name not in known(prefix)]
    return " ".join("There is no variable %s.%s" % (name, _hint(name, prefix)) for name, prefix in found)


def _hint(name: str, prefix: str) -> str:
    """All names of a prefix look alike, so what follows it counts."""
    start = len(prefix) + 1
    return did_you_mean(name[start:], [one[start:] for one in known(prefix)], 1, prefix + "_")
