# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A filter of roles and playbooks. What it does is in plugin_utils/_variables.py."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _variables


class FilterModule:
    def filters(self) -> dict:
        return {"unknown_variables": _variables.unknown}
