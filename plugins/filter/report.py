# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters of the playbooks that report. What they do is in plugin_utils/_reports.py; here is what they read of each host."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _reports


def report(hostvars, hosts, kind: str, time: str, lines: int = 50, asked=None) -> dict:
    """See _reports.report()."""
    answers = {host: hostvars[host].get("report__read") or {} for host in sorted(hosts)}
    return _reports.report(answers, kind, time, lines, asked)


def replay_verdicts(hostvars, hosts, time: str) -> dict:
    """See _reports.replay_verdicts()."""
    def of(variables) -> dict:
        return {"report": variables.get("verify_replay_report"), "failure": variables.get("verify_replay__failure"),
                "page": (variables.get("verify_replay_files") or {}).get("page")}
    return _reports.replay_verdicts({host: of(hostvars[host]) for host in hosts}, time)


class FilterModule:
    def filters(self) -> dict:
        return {
            "report": report,
            "done_lines": _reports.done,
            "purgeable": _reports.purgeable,
            "import_failure": _reports.import_failure,
            "failure_reason": _reports.failure_reason,
            "replay_verdicts": replay_verdicts,
        }
