# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A name for this run, by which another run on the same machine can see that it is gone."""

from __future__ import annotations

import os
import uuid


def this_run() -> str:
    """The machine, the process, and something that no other run has; see proc(5)."""
    return "%s/%s/%s" % (_machine() or "unknown", _process(os.getpid()) or "unknown", uuid.uuid4().hex[:12])


def is_gone(run: str) -> bool:
    """True only if the run was on this machine (and in this container) and its process does not exist any more."""
    machine, slash, rest = run.partition("/")
    process = rest.partition("/")[0]
    if not machine or machine != _machine() or process in ("", "unknown"):
        return False
    return _process(process.partition("-")[0]) != process


def _machine() -> str:
    """The boot and the container; empty where that cannot be told."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        return "%s-%s" % (boot, os.stat("/proc/self/ns/pid").st_ino)
    except (OSError, ValueError):
        return ""


def _process(number) -> str:
    """Its number and when it was started: numbers are used again."""
    try:
        with open("/proc/%s/stat" % number, encoding="utf-8", errors="replace") as file:
            # The name, in brackets, may hold anything.
            fields = file.read().rpartition(")")[2].split()
        # One that has ended counts as gone, even if nobody has asked what became of it.
        return "" if fields[0] in "ZX" else "%s-%s" % (number, fields[19])
    except (OSError, IndexError):
        return ""
