# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What outlives a job of AWX: AWX removes the job's folder and its container when it ends. Volumes of the execution environment stay."""

from __future__ import annotations

import os
import re

_MEMORY = ("tmpfs", "ramfs")


def vanishing(path: str) -> str:
    """Why a file or folder does not outlive this run; empty if it does, or if there is none."""
    if not path or not os.environ.get("AWX_HOST"):
        return ""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            mounts = file.read()
    except OSError:
        mounts = ""
    return "" if lasts(os.path.realpath(path), mounts, os.path.realpath(".")) else (
        "%s is on the disk of this job, which AWX removes when the job ends. Give a folder on a volume that outlives it: Settings, Jobs, Paths to expose to "
        "isolated jobs." % path)


def lasts(path: str, mounts: str, folder: str) -> bool:
    """path: absolute; mounts: as /proc/self/mountinfo has them, see proc_pid_mountinfo(5); folder: where the job runs, which AWX mounts for it alone."""
    kinds = {"/": ""}
    for line in mounts.splitlines():
        fields, _separator, source = line.partition(" - ")
        place = re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), fields.split()[4])
        kinds[place] = source.split()[0]
    mount = _mount(path, kinds)
    return mount not in ("/", _mount(folder, kinds)) and kinds[mount] not in _MEMORY


def _mount(path: str, places) -> str:
    """The innermost of these places that has the path."""
    return max((place for place in places if place == "/" or (path + "/").startswith(place + "/")), key=len)
