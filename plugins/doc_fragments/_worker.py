# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may use it, its content can change at any time.

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  offset_file:
    description:
      - The file in which a standalone worker keeps the offsets of its source connectors, its C(offset.storage.file.filename), on the machine
        where the module runs. Its whole path; the folder must exist.
      - With it O(method) is V(file), unless another one is given.
    type: path
  worker_config:
    description:
      - A worker's property file, on the machine where the module runs. What the options do not say is taken from it - O(offset_file) of a
        standalone worker; O(offset_topic) and the C(group.id) of a distributed one; O(kafka_bootstrap_servers) and how to log in.
      - Of stores with keys and certificates only PEM files can be used, and no reference to a config provider is followed.
    type: path
"""
