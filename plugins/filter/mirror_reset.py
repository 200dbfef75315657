# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters of the role mirror_reset. What they do is in plugin_utils/_mirror_reset.py."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _mirror_reset


class FilterModule:
    def filters(self) -> dict:
        return {
            "mirror_reset_names": _mirror_reset.names,
            "mirror_reset_settings": _mirror_reset.settings,
            "mirror_reset_obstacle": _mirror_reset.obstacle,
            "mirror_reset_expectation": _mirror_reset.expectation,
            "mirror_reset_next_step": _mirror_reset.next_step,
            "mirror_reset_result": _mirror_reset.result,
        }
