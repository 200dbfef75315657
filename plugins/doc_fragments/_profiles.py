# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may use it, its content can change at any time.

from __future__ import annotations


class ModuleDocFragment:
    # What connectors store.
    DOCUMENTATION = r"""
options:
  kafka_connect_profiles:
    description:
      - Path on the controller of a file in YAML or JSON with profiles of your own connectors, or the list itself. A profile says which fields the partitions
        and offsets of a connector class have. It counts before that of this collection for the same class.
      - The form is in the guide on what connectors store.
      - If not set, the variable of the host with this name is used.
    type: raw
    aliases: [profiles]
"""
