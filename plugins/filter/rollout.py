# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters of the playbooks reset_offsets and restore_offsets. What they do is in plugin_utils/_rollout.py, what they read of each host in _hosts.py."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _change_file, _given, _hosts, _rollout


def rollout_change(name, folder: str) -> dict:
    """See _change_file.change()."""
    return _change_file.change(name, folder, _given.answers())


class FilterModule:
    def filters(self) -> dict:
        return {
            "rollout_settings": _rollout.settings,
            "rollout_phases": _rollout.phases,
            "rollout_change": rollout_change,
            "rollout_begin": _rollout.begin,
            "rollout_undo_of": _rollout.undo_of,
            "rollout_undo": _rollout.undo,
            "rollout_undo_known": _hosts.undo_known,
            "rollout_approved": _hosts.approved,
            "rollout_due": _hosts.due,
            "rollout_goes": _hosts.goes,
            "rollout_summary": _hosts.summary,
        }
