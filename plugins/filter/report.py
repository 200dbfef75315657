# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters of the playbooks that report. What they do is in plugin_utils/_reports.py; here is what they read of each host."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _reports


def offsets_total(hostvars, hosts, time: str) -> dict:
    """See _reports.offsets_total()."""
    return _reports.offsets_total({host: hostvars[host]["offsets_report"] for host in sorted(hosts) if "offsets_report" in hostvars[host]}, time)


def connectors_report(hostvars, hosts, asked: list, time: str) -> dict:
    """See _reports.connectors()."""
    return _reports.connectors({host: hostvars[host].get("connectors_report__read") or {} for host in sorted(hosts)}, asked, time)


def replay_verdicts(hostvars, hosts, time: str) -> dict:
    """See _reports.replay_verdicts()."""
    def of(variables) -> dict:
        return {"report": variables.get("verify_replay_report"), "failure": variables.get("verify_replay__failure"),
                "page": (variables.get("verify_replay_files") or {}).get("page")}
    return _reports.replay_verdicts({host: of(hostvars[host]) for host in hosts}, time)


class FilterModule:
    def filters(self) -> dict:
        return {
            "offsets_report_lines": _reports.offsets,
            "offsets_total": offsets_total,
            "offsets_total_lines": _reports.offsets_total_lines,
            "connectors_report": connectors_report,
            "connectors_report_lines": _reports.connectors_lines,
            "changes_report_lines": _reports.changes,
            "mirror_report_lines": _reports.mirrors,
            "import_lines": _reports.imported,
            "replay_verdicts": replay_verdicts,
        }
