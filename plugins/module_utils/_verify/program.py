# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The job's program, roles/verify_replay/files of this collection: the action plugin says where it is on this host."""

from __future__ import annotations

import os
import zipfile

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError


def unpacked(path, private: str) -> str:
    """Its folder. A zip file, in which it comes to remote hosts, is unpacked into the private folder."""
    if not path or not os.path.exists(path):
        raise DeclarationError("There is no program of the Spark job%s. The action plugin of this module brings it: call the module as the task "
                               "streamops.kafka_connect.verify_replay." % (" at %s" % path if path else ""))
    if os.path.isdir(path):
        return path
    folder = os.path.join(private, "program")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return folder
