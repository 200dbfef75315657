# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters of the playbooks reset_offsets and restore_offsets. What they do is in plugin_utils/_rollout.py; here is what they read of each host."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _rollout


def rollout_conflicts(hostvars, hosts, playbook: str, same_allowed: bool) -> dict:
    """See _rollout.conflicts()."""
    return _rollout.conflicts([_cluster(hostvars[host], host) for host in sorted(hosts)], playbook, same_allowed)


def _cluster(variables, host: str) -> dict:
    seen = variables.get("reset_offsets__preflight") or {}
    cluster = (variables.get("fleet__cluster") or {}).get("cluster") or seen.get("cluster") or {}
    changes = []
    for number, one in enumerate(seen.get("connectors") or []):
        ledger = (one or {}).get("ledger")
        if ledger:
            declared = variables["reset_offsets__connectors"][number]
            change_id = declared.get("change_id") or variables.get("reset_offsets__id")
            if change_id:
                changes.append([ledger, declared["name"], change_id])
    return {"host": host, "kafka_cluster_id": cluster.get("kafka_cluster_id"), "workers": cluster.get("workers") or [],
            "group": variables.get("kafka_connect_group") or "", "changes": changes}


def rollout_summary(hostvars, hosts, **settings) -> dict:
    """See _rollout.summary(). hosts: in the order of the rollout."""
    def of(variables) -> dict:
        return {"outcome": variables.get("fleet__outcome"), "goes": variables.get("fleet__goes"), "verdict": variables.get("fleet__verdict"),
                "stopped_by": variables.get("fleet__stopped_by"), "missing": variables.get("fleet__missing")}
    return _rollout.summary({host: of(hostvars[host]) for host in hosts}, **settings)


class FilterModule:
    def filters(self) -> dict:
        return {
            "rollout_outcome": _rollout.outcome,
            "rollout_conflicts": rollout_conflicts,
            "rollout_health": _rollout.health,
            "rollout_summary": rollout_summary,
            "rollout_verification": _rollout.verification,
            "rollout_lines": _rollout.summary_lines,
            "change_lines": _rollout.change_lines,
        }
