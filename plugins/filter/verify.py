# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters for what the Spark job verifies. What they do is in module_utils/_verify."""

from __future__ import annotations

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify import boundaries


def replay_topics(boundary, after, before=None, start="begin", cluster="main") -> dict:
    """See boundaries.replay_topics()."""
    try:
        return boundaries.replay_topics(boundary, after, before, start, cluster)
    except DeclarationError as error:
        raise AnsibleFilterError("replay_topics: %s" % error.message) from error


class FilterModule:
    def filters(self) -> dict:
        return {"replay_topics": replay_topics}
