# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may use it, its content can change at any time.

from __future__ import annotations


class ModuleDocFragment:
    # Descriptions only: every module states its own support.
    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in C(check_mode) and return what it would change, without changing anything.
  diff_mode:
    description: Returns details of what has changed, or in C(check_mode) would change, when run with C(--diff).
  idempotent:
    description: When run twice in a row outside of C(check_mode) with the same arguments, the second run changes nothing.
"""

    INFO_MODULE = r"""
options: {}
attributes:
  check_mode:
    support: full
    details:
      - This module only reads.
  diff_mode:
    support: N/A
    details:
      - This module only reads.
  idempotent:
    support: full
    details:
      - This module only reads.
"""

    ACTIONGROUP_CONNECT = r"""
options: {}
attributes:
  action_group:
    description: Use C(group/streamops.kafka_connect.connect) in C(module_defaults) to set the connection for all modules of a play. It wins over
      the variables of the host.
    support: full
    membership:
      - streamops.kafka_connect.connect
"""
