# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters of the playbooks for what they are given. What they do is in plugin_utils/_given.py, _unfit.py and _volumes.py."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _given, _unfit, _volumes


class FilterModule:
    def filters(self) -> dict:
        return {"given_names": _given.names, "given_number": _given.number, "given_path": _given.path, "lacking_address": _given.lacking,
                "unfit": _unfit.unfit, "vanishing": _volumes.vanishing}
