# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The client class of modules that read or change offsets through Strimzi's operator: apart, so that other modules need not ship it."""

from __future__ import annotations


def strimzi_offsets(*args):
    """A StrimziOffsets. It is imported here, where a task needs it."""
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_offsets import StrimziOffsets
    return StrimziOffsets(*args)
